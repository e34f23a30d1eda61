"""One table of the words and multi-word terms of a model, and how a name as people write it becomes rows of it.

Words come first, by falling frequency, terms after them. Each row has a name, a frequency (0 for a term of a user's
list that the text does not have) and a preferred spelling. Patterns list their own terms in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import ne
from typing import Any

import numpy as np

from hyperdive._spelling import unknown_word
from hyperdive._types import Bools, Ints
from hyperdive.errors import InputError
from hyperdive.text.abbreviation_search import singular
from hyperdive.text.abbreviations import Abbreviations, OtherNames
from hyperdive.text.term_names import compound_parts, head_end, normal_term

TAGS = "nvja"
"""Parts of speech in the order in which a word without a tag is looked for."""
MAX_WORDS, MAX_CHARACTERS = 50, 1000
"""A longer phrase is no term; looking for its parts would take the cube of its words."""
NO_ABBREVIATIONS = Abbreviations()


@dataclass(frozen=True)
class Lookup:
    """The rows of a table that each term consists of.

    Term t is the mean of rows `rows[starts[t]:starts[t + 1]]`; a row that counts twice is there twice. A term without
    rows is unknown. `by_lemma` marks the terms that were found only under the lemma of one of their words.
    """

    rows: Ints
    starts: Ints
    by_lemma: Bools

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]], by_lemma: Any = None) -> Lookup:
        """Return the look-up of terms with these rows each."""
        listed = list(rows)
        starts = np.concatenate([[0], np.cumsum([len(one) for one in listed], dtype=np.int64)]).astype(np.int64)
        flat = np.array([row for one in listed for row in one], dtype=np.int64)
        return cls(flat, starts, np.zeros(len(listed), np.bool_) if by_lemma is None else np.array(by_lemma, np.bool_))

    @property
    def found(self) -> Bools:
        """Whether each term is known."""
        return np.diff(self.starts) > 0

    @property
    def own(self) -> Bools:
        """Whether each term has a row of its own, rather than one made of its parts."""
        return np.asarray(np.diff(self.starts) == 1)

    def followed_by(self, other: Lookup) -> Lookup:
        """Return both look-ups in one table as one."""
        return Lookup(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.by_lemma, other.by_lemma]),
        )


class Vocabulary:
    """Names with a row each: words, and terms after them.

    Args:
        names: the names, all different.
        frequencies: how often the text has each; None is 0 for all.
        words: how many of them are words; None is all.
        spellings: how to show each; None is as it is named.
        abbreviations: the abbreviations that the text explains.

    >>> names = Vocabulary(["guide", "dog", "guide dog"], [9, 5, 2], words=2, spellings=["guide", "dog", "Guide Dog"])
    >>> names, names.terms, names.index("guide dog"), names.spelling("guide dog"), names.frequency("dog")
    (<Vocabulary of 2 words, 1 terms>, ['guide dog'], 2, 'Guide Dog', 5)
    >>> names.name_of("Guide-Dogs"), names.resolve(["blue guide dog"]).rows.tolist()
    ('guide dog', [2, 2])
    """

    def __init__(
        self,
        names: Sequence[str],
        frequencies: Any = None,
        *,
        words: int | None = None,
        spellings: Sequence[str] | None = None,
        abbreviations: Abbreviations = NO_ABBREVIATIONS,
    ) -> None:
        self.names = names if isinstance(names, list) else list(names)
        self.frequencies: Ints = np.asarray(
            np.zeros(len(names)) if frequencies is None else frequencies, dtype=np.int64
        )
        self.word_count = len(self.names) if words is None else words
        self.spellings: Sequence[str] = self.names if spellings is None else spellings
        self.abbreviations = abbreviations
        if not len(self.names) == len(self.frequencies) == len(self.spellings) or self.frequencies.ndim != 1:
            raise InputError(
                f"{len(self.names)} names, {self.frequencies.size} frequencies and {len(self.spellings)} spellings "
                "do not go together"
            )

    # ---- the table ------------------------------------------------------------------------------------------

    @property
    def words(self) -> list[str]:
        """The words alone."""
        return self.of_words.names

    @cached_property
    def terms(self) -> list[str]:
        """The names of the terms."""
        return self.names[self.word_count :]

    @property
    def has_terms(self) -> bool:
        """Whether there are rows beside those of the words."""
        return self.word_count < len(self.names)

    @cached_property
    def of_words(self) -> Vocabulary:
        """The same without its terms."""
        some = slice(self.word_count)
        return Vocabulary(self.names[some], self.frequencies[some]) if self.has_terms else self

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The row of each name."""
        numbers = dict(zip(self.names, range(len(self.names)), strict=True))
        if len(numbers) != len(self.names):
            raise InputError("a name occurs twice, but each has one row")
        return numbers

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and (self.names is other.names or self.names == other.names)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.word_count:,} words, {len(self) - self.word_count:,} terms>"

    def __getstate__(self) -> dict[str, Any]:
        stated = ("names", "frequencies", "word_count", "spellings", "abbreviations")
        return {name: vars(self)[name] for name in stated} | {"spellings": list(self.spellings)}

    def index(self, name: str) -> int:
        """Return the row of a name; an unknown one is an error with near spellings."""
        try:
            return self.numbers[name]
        except (KeyError, TypeError):
            raise unknown_word(name, self.names, self.numbers, "this space") from None

    def is_term(self, name: str) -> bool:
        """Whether a name is that of a term, not of a word."""
        return self.numbers.get(name, -1) >= self.word_count

    def spelling(self, name: str) -> str:
        """How to show a word or a term."""
        return self.spellings[self.index(name)]

    def frequency(self, name: str) -> int:
        """How often the text has a word or a term; 0 for a term whose vectors are composed."""
        return int(self.frequencies[self.index(name)])

    def subset(self, names: Sequence[str]) -> Vocabulary:
        """The same with these names only, words before terms."""
        rows = np.array([self.index(name) for name in names], dtype=np.int64)
        words = int((rows < self.word_count).sum())
        if (rows[:words] >= self.word_count).any():
            raise InputError("words come before terms")
        return Vocabulary(
            names,
            self.frequencies[rows],
            words=words,
            spellings=[self.spellings[row] for row in rows.tolist()],
            abbreviations=self.abbreviations if words < len(rows) else NO_ABBREVIATIONS,
        )

    # ---- names as people write them -------------------------------------------------------------------------

    @cached_property
    def other_names(self) -> OtherNames:
        """The other forms under which some terms are looked up: an abbreviation by its long form."""
        return self.abbreviations.other_names(self)

    @property
    def is_tagged(self) -> bool:
        """Whether the names carry parts of speech (`dog|n`)."""
        return bool(self.names) and "|" in self.names[0]

    def name_of(self, term: str, *, own: bool = False, statements: Callable[[str], int] | None = None) -> str:
        """Return the name that a term is looked up by: as it is written if that is listed, else normalised as text is.

        Args:
            term: the term as a person writes it. Without a part of speech a noun is meant, where names carry them.
            own: an abbreviation is looked up by its long form only if it has no row itself.
            statements: how often the text says what a name is; of two forms with a row the one with more is taken.

        >>> tagged = Vocabulary(["dog|n", "bark|v"], [1, 1])
        >>> tagged.name_of(" Hot  Dog"), tagged.name_of("bark"), Vocabulary(["hot dog"], [1]).name_of("Hot-Dogs")
        ('hot|n dog|n', 'bark|v', 'hot dog')
        """
        written = " ".join(term.split())
        name = self._own_name(written)
        if not len(self.abbreviations) or (own and name in self):
            return name
        others = (self.other_names.get(form, statements) for form in (written, singular(written), name))
        return next((other for other in others if other is not None), name)

    def _own_name(self, written: str) -> str:
        lower = written.lower()
        for name in (written, lower):
            if name in self:
                return name
        if self.is_tagged:
            return " ".join(word if "|" in word else self._tagged(word) for word in lower.split(" "))
        name = normal_term(written) or lower
        return name if name in self else normal_term(lower) or lower  # AIDS is not aid where the text has it often

    def _tagged(self, word: str) -> str:
        return next((name for tag in TAGS if (name := f"{word}|{tag}") in self), f"{word}|{TAGS[0]}")

    def resolve(self, names: Iterable[str]) -> Lookup:
        """Return the rows of terms by their normal names (see `name_of`); unlisted ones are composed of their parts.

        A phrase is composed of the words before its longest listed end and, twice, that end, so that the head counts
        most; unknown words before it are left out. A single word is composed likewise of the words it is made of
        ("goldfish"), or has the row of the word it ends in ("astrodynamics": "dynamics").

        >>> words = Vocabulary(["hot", "dog", "hot dog", "dynamics", "vendor"], [1] * 5)
        >>> found = words.resolve(["hot dog", "hot dog vendor", "blue dog", "astrodynamics", "zebra"])
        >>> [found.rows[a:b].tolist() for a, b in zip(found.starts, found.starts[1:])]
        [[2], [2, 4, 4], [1, 1], [3, 3], []]
        """
        return Lookup.of(map(self._rows, names))

    def _rows(self, name: str) -> list[int]:
        row = self.numbers.get(name)
        if row is not None:
            return [row]
        words = name.split(" ", MAX_WORDS)
        if len(name) > MAX_CHARACTERS or len(words) > MAX_WORDS:
            return []
        if len(words) == 1:
            split = compound_parts(name, self, self)
            return [] if split is None else [*self._pieces(split[:1]), *[self.numbers[split[1]]] * 2]
        until = head_end(words)
        for start in range(0 if until < len(words) else 1, until):
            head = self.numbers.get(" ".join(words[start:until]))
            if head is not None:
                return [*self._pieces(words[:start]), head, head]
        pieces = self._pieces(words[:until])  # without a known head: of "Typhoon Lupit" that of "typhoon"
        return pieces * 2 if len(pieces) == 1 else pieces

    def _pieces(self, words: Sequence[str]) -> list[int]:
        """Return the rows of the longest listed pieces, from left to right; words in no piece are left out."""
        rows, start = [], 0
        while start < len(words):
            ends = range(len(words), start, -1)
            end = next((end for end in ends if " ".join(words[start:end]) in self), None)
            if end is None:
                start += 1
            else:
                rows.append(self.numbers[" ".join(words[start:end])])
                start = end
        return rows

    # ---- lists of words, as datasets have them ----------------------------------------------------------------

    def find(self, words: Sequence[str], *, lemmas: bool = True) -> int:
        """Return the row of a term given by its words (`dog` or `dog|n`), −1 if it is not listed.

        It is looked for as it is, then by the lemmas of all its words, then by that of the last: "domestic dogs" is
        "domestic dog", "united states" is itself. Tags of modifiers do not count.

        >>> names = Vocabulary(["guide|v dog|n", "help|n"], [1, 1])
        >>> names.find(["guide|n", "dogs|n"]), names.find(["helps|n"]), names.find(["helps|n"], lemmas=False)
        (0, 1, -1)
        """
        row = self.numbers.get(" ".join(words))
        if row is not None:
            return row
        base = [_lemma(word) for word in words] if lemmas else list(words)
        forms = (base, [*words[:-1], base[-1]])
        row = next((row for form in forms if (row := self.numbers.get(" ".join(form))) is not None), None)
        if row is None and len(words) > 1 and any("|" in word for word in words):
            row = self._by_untagged.get(_untagged(words), self._by_untagged.get(_untagged(base)))
        return -1 if row is None else row

    @cached_property
    def _by_untagged(self) -> dict[str, int]:
        """Tagged phrases without the tags of their modifiers; the first of equal ones."""
        numbers: dict[str, int] = {}
        for name, number in self.numbers.items():
            if " " in name and "|" in name:
                numbers.setdefault(_untagged(name.split(" ")), number)
        return numbers

    def look_up(self, terms: Iterable[Sequence[str]], *, lemmas: bool = True) -> Lookup:
        """Return the rows of terms given by their words; a phrase that is not listed is the mean of its words.

        When a word of it is missing, the phrase is missing.

        >>> found = Vocabulary(["bar", "cola"], [1, 1]).look_up([["bars"], ["cola", "bar"], ["zebra", "bar"]])
        >>> found.rows.tolist(), found.starts.tolist(), found.by_lemma.tolist()
        ([0, 1, 0], [0, 1, 3, 3], [True, False, False])
        """
        every, by_lemma = [], []
        for words in terms:
            row = self.find(words, lemmas=lemmas and len(words) == 1)
            rows = [row] if row >= 0 or len(words) < 2 else [self.find([word], lemmas=lemmas) for word in words]
            rows = rows if min(rows) >= 0 else []
            every.append(rows)
            by_lemma.append(len(rows) == len(words) and any(map(ne, map(self.names.__getitem__, rows), words)))
        return Lookup.of(every, by_lemma)

    def named(self, term: str) -> int:
        """Return the row of a term as a person writes it, −1 if it is not listed; nothing is composed.

        >>> Vocabulary(["beta blocker", "dog"], [1, 1]).named("Beta-blockers"), Vocabulary(["dog|n"], [1]).named("Dogs")
        (0, 0)
        """
        row = self.numbers.get(term)
        if row is not None:
            return row
        words = term.lower().split()
        if not words:
            return -1
        tagged = [] if "|" in term else [[*words[:-1], f"{words[-1]}|{TAGS[0]}"]]
        rows = [self.find(words), self.numbers.get(normal_term(term), -1), *map(self.find, tagged)]
        return next((row for row in rows if row >= 0), -1)


def _lemma(word: str) -> str:
    """Return the lemma of a word, with its tag; a form with other signs than letters (non_author) has none."""
    from hyperdive.text.lemmas import lemma_of

    form, bar, tag = word.partition("|")
    return f"{lemma_of('en')(form)}{bar}{tag}" if form.isalpha() else word


def _untagged(words: Sequence[str]) -> str:
    return " ".join([*(word.split("|")[0] for word in words[:-1]), words[-1]])
