"""Abbreviations with their long forms: counted while a text is read, chosen by their support, kept as a small table.

The table is the file `abbreviations.txt` of a corpus and of a model, by falling count, a line of five columns:

| column | content |
| --- | --- |
| abbreviation | as the text writes it, in the singular: *ACE* |
| name | what it is counted as (*hiv*, *ACE*); empty where the text mostly uses these letters for another word |
| long form | its most frequent spelling: *angiotensin converting enzyme* |
| name of the long form | *angiotensin convert enzyme* |
| count | how often the text explains the one by the other |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from hyperdive._store import Artifact
from hyperdive._types import Array
from hyperdive.errors import FormatError
from hyperdive.text.abbreviation_search import Pair, singular

ABBREVIATIONS = "abbreviations.txt"
REPEATED = 2
"""A pair is kept when the text has it so often, or once where the long form is a term of several words."""
COMPARABLE = 3
"""Of several long forms of an abbreviation those are kept that have at least this part of the count of the first."""


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """An abbreviation and one of its long forms; see the columns above."""

    short: str
    name: str
    long: str
    long_name: str
    count: int


class AbbreviationCounts:
    """Counts pairs while a text is read; neither the order of the text nor its cuts change them.

    >>> counts = AbbreviationCounts()
    >>> counts.add([("MRI", "magnetic resonance imaging")])
    >>> counts.add_state(counts.state())
    >>> dict(counts.pairs)
    {('MRI', 'magnetic resonance imaging'): 2}
    """

    def __init__(self) -> None:
        self.pairs: Counter[Pair] = Counter()

    def add(self, pairs: Iterable[Pair]) -> None:
        """Count the pairs of a block."""
        self.pairs.update(pairs)

    def state(self) -> dict[str, Array]:
        """All counts as arrays, for the counts of the whole text."""
        lines = "".join(f"{short}\t{form}\n" for short, form in self.pairs).encode()
        return {
            "abbreviations": np.frombuffer(lines, dtype=np.uint8),
            "abbreviation_counts": np.fromiter(self.pairs.values(), dtype=np.int64, count=len(self.pairs)),
        }

    def add_state(self, arrays: Mapping[str, Array]) -> None:
        """Add the counts of a part."""
        lines = np.asarray(arrays["abbreviations"]).tobytes().decode().split("\n")[:-1]
        for line, count in zip(lines, arrays["abbreviation_counts"].tolist(), strict=True):
            short, _, form = line.partition("\t")
            self.pairs[short, form] += count


class Abbreviations(Collection[Abbreviation]):
    """Abbreviations with their long forms, the most frequent first.

    >>> table = Abbreviations([Abbreviation("MRI", "mri", "magnetic resonance imaging", "magnetic resonance image", 7)])
    >>> table, [one.long for one in table.of("MRI")], [one.short for one in table.of("Magnetic resonance imaging")]
    (<Abbreviations: 1>, ['magnetic resonance imaging'], ['MRI'])
    """

    def __init__(self, entries: Iterable[Abbreviation] = ()) -> None:
        self._entries = sorted(entries, key=lambda one: (-one.count, one.short, one.long_name))
        self._of: dict[str, list[Abbreviation]] = {}
        self._first: dict[str, Abbreviation] = {}
        for one in self._entries:
            self._first.setdefault(one.short, one)
            for form in dict.fromkeys((one.short, one.name, one.long.lower(), one.long_name)):
                self._of.setdefault(form, []).append(one)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Abbreviation]:
        return iter(self._entries)

    def __contains__(self, form: object) -> bool:
        return isinstance(form, str) and bool(self.of(form))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,}>"

    def of(self, form: str) -> list[Abbreviation]:
        """The entries of an abbreviation, or of a long form, under its spelling or its name, most frequent first."""
        written = " ".join(form.split())
        keys = (key for key in (written, singular(written), written.lower()) if key)
        return next((self._of[key] for key in keys if key in self._of), [])

    def is_short(self, one: Abbreviation, form: str) -> bool:
        """Whether a form that has this entry is the abbreviation of it, not the long form."""
        written = " ".join(form.split())
        return one.short in (written, singular(written)) or (one.name == written and one.long_name != written)

    def others(self, form: str) -> list[Abbreviation]:
        """The entries that tell other forms of a term: of a long form, only those it is the first long form of.

        >>> both = [Abbreviation("BP", "bp", form, form, count) for form, count in (("blood pressure", 9), ("b p", 4))]
        >>> [one.long for one in Abbreviations(both).others("BP")], Abbreviations(both).others("b p")
        (['blood pressure', 'b p'], [])
        """
        return [one for one in self.of(form) if self.is_short(one, form) or self._first[one.short] is one]

    def forms(self, form: str) -> list[str]:
        """A term as it is given, and the names of its other forms.

        >>> Abbreviations([Abbreviation("MRI", "mri", "magnetic resonance imaging", "m r i", 7)]).forms("MRI")
        ['MRI', 'm r i']
        """
        names = (one.long_name if self.is_short(one, form) else one.name for one in self.others(form))
        return list(dict.fromkeys([form, *filter(None, names)]))

    def other_names(self, rows: Container[str]) -> OtherNames:
        """Return the other forms by which terms are looked up.

        An abbreviation without a row of its own is looked up by its most frequent long form that is known, by its row
        or by all its words; a long form without a row by the abbreviation that mostly stands for it. Where both have
        a row, an abbreviation is looked up by its long form if the text states more of that. A long form stays: its
        own words say what it is.

        Args:
            rows: the words and terms that have a row.

        >>> table = Abbreviations([Abbreviation("ACE", "", "angiotensin converting enzyme", "a c e", 3)])
        >>> table.other_names({"ace", "a c e"}).get("ACE")
        'a c e'
        """
        others: dict[str, str] = {}
        contested: dict[str, str] = {}
        for one in self._first.values():
            if one.name not in rows or one.name == one.long_name:
                continue
            if one.long_name not in rows:
                others.setdefault(one.long_name, one.name)
                continue
            contested.setdefault(one.short, one.long_name)
            contested.setdefault(one.name, one.long_name)
        for one in self._entries:
            if one.name in rows:
                continue
            target = others.get(one.long_name, one.long_name)
            if target in rows or all(word in rows for word in target.split(" ")):
                others.setdefault(one.short, target)
                if one.short.lower() not in rows:
                    others.setdefault(one.short.lower(), target)
        own = {one.short: one.name for one in self._first.values()}
        return OtherNames(others, {name: (own.get(name, name), other) for name, other in contested.items()})

    # ---- choosing -------------------------------------------------------------------------------------------

    @classmethod
    def chosen(
        cls, pairs: Mapping[Pair, int], name_of: Callable[[str], str], long_name_of: Callable[[str], str],
        terms: Container[str],
    ) -> Abbreviations:  # fmt: skip
        """The pairs of a text that have enough support.

        Args:
            pairs: how often the text has each.
            name_of: from an abbreviation to what it is counted as.
            long_name_of: from a long form to its name.
            terms: names of terms of the text.
        """
        spellings: dict[Pair, Counter[str]] = {}
        for (short, form), count in pairs.items():
            spellings.setdefault((short, long_name_of(form)), Counter())[form] += count
        entries = []
        for (short, long_name), counted in spellings.items():
            count = counted.total()
            if long_name and (count >= REPEATED or (" " in long_name and long_name in terms)):
                form = min(counted, key=lambda form: (-counted[form], form))
                entries.append(Abbreviation(short, name_of(short), form, long_name, count))
        return cls(_comparable(entries))

    def merged(self, other: Abbreviations) -> Abbreviations:
        """Both tables as one, with counts added up; names and spellings are those of the first that has a pair."""
        together: dict[Pair, Abbreviation] = {}
        for one in (*self, *other):
            key = one.short, one.long_name
            known = together.get(key)
            together[key] = one if known is None else replace(known, count=known.count + one.count)
        return Abbreviations(_comparable(together.values()))

    def subset(self, rows: Container[str]) -> Abbreviations:
        """Only the entries one of whose forms has a row."""
        return Abbreviations(one for one in self if one.name in rows or one.long_name in rows)

    # ---- on disk --------------------------------------------------------------------------------------------

    def lines(self) -> bytes:
        """The content of `abbreviations.txt`."""
        return "".join(f"{one.short}\t{one.name}\t{one.long}\t{one.long_name}\t{one.count}\n" for one in self).encode(
            "utf-8"
        )

    @classmethod
    def read(cls, artifact: Artifact) -> Abbreviations:
        """Those of a corpus or model folder; none where it was made by a version that did not look for them."""
        if ABBREVIATIONS not in artifact:
            return cls()
        rows = [line.split("\t") for line in artifact.lines(ABBREVIATIONS)]
        if not all(len(row) == 5 and row[0] and row[3] and row[4].isascii() and row[4].isdigit() for row in rows):
            raise FormatError(f"{artifact.path}: {ABBREVIATIONS} does not have five columns", hint="create it again")
        return cls(Abbreviation(row[0], row[1], row[2], row[3], int(row[4][:18])) for row in rows)


@dataclass(frozen=True)
class OtherNames:
    """The names by which some terms are looked up, for those that have no row and for those whose both forms have one.

    >>> names = OtherNames({"who": "world health organization"}, {"sod": ("sod", "superoxide dismutase")})
    >>> names.get("who"), names.get("sod", len), names.get("sod"), names.get("enzyme", len)
    ('world health organization', 'superoxide dismutase', None, None)
    """

    without_row: Mapping[str, str]
    contested: Mapping[str, tuple[str, str]]

    def get(self, name: str, statements: Callable[[str], int] | None = None) -> str | None:
        """Return the other name of a term, if any; `statements` is how often the text says what a name is."""
        if name in self.without_row:
            return self.without_row[name]
        if statements is None or name not in self.contested:
            return None
        own, other = self.contested[name]
        return other if statements(other) > statements(own) else None


def _comparable(entries: Iterable[Abbreviation]) -> Iterator[Abbreviation]:
    """Of each abbreviation the most frequent long form, and those that come near it."""
    by_short: dict[str, list[Abbreviation]] = {}
    for one in entries:
        by_short.setdefault(one.short, []).append(one)
    for several in by_short.values():
        most = max(one.count for one in several)
        yield from (one for one in several if COMPARABLE * one.count >= most)
