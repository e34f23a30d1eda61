"""Patterns: for every pair of terms, how often each pattern states that one is a kind of the other, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from hyperdive._quantize import rounded_to_8_bits
from hyperdive._spelling import unknown_word
from hyperdive._store import Artifact, is_ours, read_header
from hyperdive._types import Bools, Floats, Floats32, Ints
from hyperdive.errors import InputError, OptionError
from hyperdive.patterns.definitions import HEAD, OF_A_NAME
from hyperdive.patterns.evidence import (
    Evidence,
    EvidenceRows,
    Keys,
    as_evidence,
    first_of_each,
    pack,
    renumbered,
    unpack,
)
from hyperdive.patterns.files import FOLDER, KIND, VERSION, read_files, save_folder
from hyperdive.patterns.svd import RANK, Factors, factorise, placed, ppmi_matrix, ppmi_with_words, rows_of_words
from hyperdive.text.vocabulary import Vocabulary

MADE_WITH = "hyperdive encode TEXT -o CORPUS"
_CHUNK = 1 << 20


@dataclass(eq=False, repr=False)
class Patterns:
    """Terms, and the counts of each pattern for pairs of them.

    >>> patterns = Patterns(["dog", "poodle"], ["such as"], pack([1], [0], [0]), np.array([4]))
    >>> patterns.count("poodle", "dog"), patterns.count("dog", "poodle"), "poodle" in patterns
    (4, 0, True)
    >>> patterns.counts.toarray().tolist()
    [[0, 0], [4, 0]]
    >>> patterns.hypernym_totals.tolist()
    [4, 0]
    """

    term_array: Any
    """Lemmas joined by a blank, the most frequent first: a list or an Arrow array."""
    names: Sequence[str]
    """Names of the patterns."""
    keys: Keys
    """Hyponym, hypernym and pattern of each count, sorted; see `hyperdive.patterns.evidence.pack`."""
    values: Ints
    """How often the pattern states the pair."""
    precision: Sequence[float] = ()
    """The precision of each pattern, for the choice of evidence; 1 for all by default."""
    documents: int = 0
    """Documents read."""
    sentences: EvidenceRows | Callable[[], EvidenceRows] | None = None
    """Evidence, or what reads it; None when no sentences were kept."""
    decomposition: Factors | Callable[[], Factors] | None = None
    """The factors, or what reads them; None when they have not been computed."""
    sums: tuple[Ints, Ints, int] | None = None
    """n(q, ·), n(·, p) and N where they are not those of the counts."""
    heads: bool = False
    """Whether a phrase's being a kind of its head counts like any pattern."""

    def __post_init__(self) -> None:
        self.names = tuple(self.names)
        self.keys, self.values = np.asarray(self.keys, dtype=np.uint64), np.asarray(self.values, dtype=np.int64)
        self.precision = tuple(self.precision) or (1.0,) * len(self.names)
        self._head = self.names.index(HEAD) if HEAD in self.names and not self.heads else 256
        self._looked_up: tuple[Sequence[str], Ints] | None = None

    @classmethod
    def read(cls, artifact: Artifact) -> Patterns:
        """From the files in an open folder, its own or a model's."""
        return cls(**read_files(artifact))

    # ---- terms ----------------------------------------------------------------------------------------------

    @cached_property
    def terms(self) -> list[str]:
        """Lemmas joined by a blank, the most frequent first."""
        terms = self.term_array
        return list(terms) if isinstance(terms, Sequence) else terms.to_pylist()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Term → number."""
        return dict(zip(self.terms, range(len(self.terms)), strict=True))

    def numbers_of(self, names: Sequence[str]) -> Ints:
        """The number of each name, -1 for one that is no term here; those of the same list are looked up once."""
        if self._looked_up is None or self._looked_up[0] is not names:
            found = map(self.numbers.get, names, repeat(-1))
            self._looked_up = names, np.fromiter(found, dtype=np.int64, count=len(names))
        return self._looked_up[1]

    def __len__(self) -> int:
        return len(self.term_array)

    def __contains__(self, term: object) -> bool:
        return term in self.numbers

    def index(self, term: str) -> int:
        """The number of a term; raises an error with near spellings for an unknown one."""
        try:
            return self.numbers[term]
        except (KeyError, TypeError):
            raise unknown_word(term, self.terms, self.numbers, "a pattern of this text") from None

    # ---- counts ---------------------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        return unpack(self.keys)

    @property
    def hyponyms(self) -> npt.NDArray[np.int32]:
        """The hyponym of each entry."""
        return self._columns[0]

    @property
    def hypernyms(self) -> npt.NDArray[np.int32]:
        """The hypernym of each entry."""
        return self._columns[1]

    @property
    def patterns(self) -> npt.NDArray[np.uint8]:
        """The pattern of each entry."""
        return self._columns[2]

    @cached_property
    def base_of_pattern(self) -> Ints:
        """The number of each pattern; that of the plain pattern for one that holds statements of names."""
        number = {name: place for place, name in enumerate(self.names)}
        return np.array([number.get(name.removesuffix(OF_A_NAME), place) for name, place in number.items()])

    def _matrix(self, chosen: Bools) -> Any:
        """The sums over the chosen entries: a CSR matrix, hyponyms × hypernyms."""
        starts, columns, indptr = self._pairs_of(chosen)
        return self._with_values((starts, columns, indptr), self.values[chosen])

    def _pairs_of(self, chosen: Bools) -> tuple[Ints, Any, Ints]:
        """Where the entries of each pair start among the chosen ones, its column, and where the rows start."""
        starts = first_of_each(self.keys[chosen] >> np.uint64(8))
        rows, columns = (column[chosen][starts] for column in self._columns[:2])
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(self)))]).astype(np.int64)
        return starts, columns, indptr

    def _with_values(self, pairs: tuple[Ints, Any, Ints], values: Ints) -> Any:
        """The sums of values over the entries of each pair as a matrix."""
        starts, columns, indptr = pairs
        sums = np.add.reduceat(values, starts) if len(starts) else values
        return csr_array((sums, columns, indptr), shape=(len(self), len(self)))

    @cached_property
    def _is_stated(self) -> Bools:
        """Which entries are of ordinary patterns."""
        is_stated: Bools = self.patterns != self._head
        return is_stated

    @cached_property
    def _stated_pairs(self) -> tuple[Ints, Any, Ints]:
        """The pairs that ordinary patterns state; see `_pairs_of`."""
        return self._pairs_of(self._is_stated)

    @cached_property
    def counts(self) -> Any:
        """n(q, p) over all patterns but `head`: a CSR matrix, hyponyms × hypernyms."""
        return self._with_values(self._stated_pairs, self.values[self._is_stated])

    @cached_property
    def head_counts(self) -> Any:
        """How often the text has a phrase (row) with a head (column)."""
        return self._matrix(self.patterns == self._head)

    @cached_property
    def variety(self) -> Any:
        """How many different patterns state each pair, `head` not counted: a CSR matrix of the shape of `counts`."""
        is_first = np.ones(len(self.keys), dtype=np.int64)
        of_names = np.flatnonzero(self.base_of_pattern[self.patterns] != self.patterns)
        number = self.patterns[of_names].astype(np.int64)
        plain = self.keys[of_names] - (number - self.base_of_pattern[number]).astype(np.uint64)
        # the entry of the same pattern without a name stands before it
        place = np.minimum(np.searchsorted(self.keys, plain), len(self.keys) - 1)
        is_first[of_names] = self.keys[place] != plain
        return self._with_values(self._stated_pairs, is_first[self._is_stated])

    @cached_property
    def named(self) -> Any:
        """How many of the statements of `counts` have the hyponym written as a name: a CSR matrix of its pairs.

        "Teams such as the Detroit Tigers" is one for (tiger, team): a capital letter in the middle of a sentence.
        """
        of_names = self.values * (self.base_of_pattern[self.patterns] != self.patterns)
        return self._with_values(self._stated_pairs, of_names[self._is_stated])

    @cached_property
    def named_shares(self) -> Floats:
        """Which share of the statements about each term is of names."""
        of_names, every = (
            np.diff(np.concatenate([[0], np.cumsum(one.data)])[one.indptr]) for one in (self.named, self.counts)
        )
        return np.asarray(of_names / np.maximum(every, 1))

    @cached_property
    def hyponyms_of(self) -> Ints:
        """How many different terms the text states to be a kind of each term."""
        return np.bincount(self.counts.indices, minlength=len(self)).astype(np.int64)

    @cached_property
    def _by_hypernym(self) -> Any:
        """`counts` as CSC."""
        return self.counts.tocsc()

    def hyponym_counts(self, number: int) -> tuple[Ints, Ints]:
        """The terms that the text states to be a kind of a term, and how often, by their numbers."""
        start, end = self._by_hypernym.indptr[number : number + 2]
        return self._by_hypernym.indices[start:end].astype(np.int64), self._by_hypernym.data[start:end]

    def by_pattern(self, name: str) -> Any:
        """n(q, p) of one pattern, statements of names among them: a CSR matrix."""
        if name not in self.names:
            known = (known for known in self.names if not known.endswith(OF_A_NAME))
            raise OptionError(f"no pattern is called {name!r}", hint=f"there are: {', '.join(known)}")
        number = self.names.index(name)
        return self._matrix((self.patterns == number) | (self.base_of_pattern[self.patterns] == number))

    @cached_property
    def finder(self) -> Vocabulary:
        """Looks up terms as users write them."""
        return Vocabulary(self.terms)

    def count(self, hyponym: str, hypernym: str) -> int:
        """How often the text states that the first is a kind of the second."""
        return sum(n for name, n in self.counts_by_pattern(hyponym, hypernym).items() if name != HEAD)

    def counts_by_pattern(self, hyponym: str, hypernym: str) -> dict[str, int]:
        """`count` for each pattern."""
        row, column = self.finder.named(hyponym), self.finder.named(hypernym)
        if row < 0 or column < 0:
            return {}
        first, last = pack([row, row], [column, column], [0, 255])
        entries = slice(np.searchsorted(self.keys, first), np.searchsorted(self.keys, last, "right"))
        counts: dict[str, int] = {}
        patterns = self.base_of_pattern[self.keys[entries] & np.uint64(255)]
        for pattern, value in zip(patterns.tolist(), self.values[entries].tolist(), strict=True):
            name = self.names[pattern]
            counts[name] = counts.get(name, 0) + value
        return counts

    def stated_hypernyms(self, hyponym: str, top: int = 10) -> list[tuple[str, int]]:
        """Hypernyms the text states for a term, with counts, most frequent first."""
        row = self.finder.named(hyponym)
        if row < 0:
            return []
        row_entries = slice(int(self.counts.indptr[row]), int(self.counts.indptr[row + 1]))
        columns, values = self.counts.indices[row_entries], self.counts.data[row_entries]
        best = np.argsort(-values, kind="stable")[:top]
        return [(self.terms[columns[i]], int(values[i])) for i in best]

    @property
    def pairs(self) -> int:
        """How many different pairs an ordinary pattern names."""
        pairs, last = 0, np.array([1 << 63], dtype=np.uint64)
        for start in range(0, len(self.keys), _CHUNK):
            keys = self.keys[start : start + _CHUNK]
            named = keys[(keys & np.uint64(255)) != self._head] >> np.uint64(8)
            pairs += int(np.count_nonzero(named != np.concatenate([last, named[:-1]])[: len(named)]))
            last = named[-1:] if len(named) else last
        return pairs

    @property
    def matches(self) -> int:
        """How many matches were counted, those of heads included."""
        return int(self.values.sum())

    # ---- association ----------------------------------------------------------------------------------------

    @cached_property
    def totals(self) -> tuple[Ints, Ints, int]:
        """n(q, ·), n(·, p) and N of `counts`; those of the whole where this is a part of it."""
        if self.sums is not None:
            return self.sums
        counts = self.counts
        rows = np.asarray(counts.sum(axis=1), dtype=np.int64)
        columns = np.asarray(counts.sum(axis=0), dtype=np.int64)
        return rows, columns, int(counts.data.sum())

    @property
    def hyponym_totals(self) -> Ints:
        """n(q, ·): statements with each term as the hyponym."""
        return self.totals[0]

    @property
    def hypernym_totals(self) -> Ints:
        """n(·, p): statements with each term as the hypernym."""
        return self.totals[1]

    @cached_property
    def ppmi(self) -> Any:
        """max(0, log(n(q, p)·N / (n(q, ·)·n(·, p)))): a CSR matrix."""
        return ppmi_matrix(self.counts, *self.totals)

    @cached_property
    def is_word(self) -> Bools:
        """Which terms are single words."""
        return np.fromiter((" " not in term for term in self.terms), dtype=np.bool_, count=len(self))

    @cached_property
    def word_ppmi(self) -> Any:
        """PPMI of every term with hypernyms of one word, their sums taken over words alone: what is smoothed.

        A statement about a phrase is also counted for its head, so phrases would count it twice.
        """
        return ppmi_with_words(self.counts, self.is_word)

    @property
    def factors(self) -> Factors:
        """The decomposition of `word_ppmi`, rows of words, computed once; `train` keeps it in the model."""
        if callable(self.decomposition):
            self.decomposition = self.decomposition()
        if self.decomposition is None:
            self.decomposition = factorise(rows_of_words(self.word_ppmi, self.is_word), RANK)
        return self.decomposition

    @property
    def is_factorised(self) -> bool:
        """Whether the decomposition has been computed."""
        return self.decomposition is not None

    def hypernym_vectors(self, numbers: Any) -> Floats32:
        """Rows of V for these terms; zero for a term that is no hypernym (or -1)."""
        return placed(self.factors.hypernyms, self.factors.v, np.asarray(numbers, dtype=np.int64))

    def hyponym_vectors(self, numbers: Any) -> Floats32:
        """Rows of U·Σ = M·V for these terms; zero for a term that is no hyponym (or -1)."""
        numbers, factors = np.asarray(numbers, dtype=np.int64), self.factors
        if factors.u is not None and factors.hyponyms is not None:
            return placed(factors.hyponyms, factors.u, numbers)
        known = np.flatnonzero(numbers >= 0)
        vectors = np.zeros((len(numbers), factors.rank), dtype=np.float32)
        rows = self.word_ppmi[numbers[known]]
        if not len(factors.hypernyms) or not len(known):
            return vectors
        at = np.minimum(np.searchsorted(factors.hypernyms, rows.indices), len(factors.hypernyms) - 1)
        used = np.where(factors.hypernyms[at] == rows.indices, rows.data, np.float32(0))
        local = csr_array((used, at, rows.indptr), shape=(len(known), len(factors.hypernyms)))
        # 16 bits, so that a part of this that keeps the rows themselves has the same values
        vectors[known] = (local @ factors.v.astype(np.float32)).astype(np.float16)
        return vectors

    def head_of(self, number: int) -> int:
        """The number of the last word of a term; -1 when no pattern names it alone."""
        return self.numbers.get(self.terms[number].rpartition(" ")[2], -1)

    def svd(self, rank: int | None = None) -> tuple[Floats32, Floats32]:
        """U·Σ and V of the decomposition, a row for each term; their products are the smoothed PPMI."""
        every = np.arange(len(self))
        return self.hyponym_vectors(every)[:, :rank], self.hypernym_vectors(every)[:, :rank]

    @cached_property
    def with_heads(self) -> Patterns:
        """The same where a phrase's being a kind of its head counts like any pattern."""
        return replace(self, heads=True, decomposition=None, sums=None)

    # ---- evidence -------------------------------------------------------------------------------------------

    @property
    def evidence_rows(self) -> EvidenceRows | None:
        """The kept matches, or None when no sentences were kept."""
        if callable(self.sentences):
            self.sentences = self.sentences()
        return self.sentences

    def __getstate__(self) -> dict[str, Any]:
        # the folder may be gone when a copy needs what is read from it later
        _ = self.evidence_rows, self.decomposition is not None and self.factors
        return vars(self)

    @property
    def has_sentences(self) -> bool:
        """Whether sentences were kept."""
        return self.sentences is not None

    def evidence(self, hyponym: str, hypernym: str, top: int = 5) -> list[Evidence]:
        """Sentences that state that the first is a kind of the second, best first.

        Args:
            hyponym: a term, as a user writes it.
            hypernym: another one.
            top: the maximum number of sentences.
        """
        rows = self.evidence_rows
        first, second = self.finder.named(hyponym), self.finder.named(hypernym)
        if rows is None or first < 0 or second < 0:
            return []
        pair_rows = rows.of_pair(first, second)
        pattern = unpack(rows.keys[pair_rows])[2]
        return [
            as_evidence(
                rows.texts.raw(int(rows.sentence[i])),
                rows.spans[i],
                self.names[int(self.base_of_pattern[pattern[i - pair_rows.start]])],
                int(rows.document[i]),
            )
            for i in range(pair_rows.start, min(pair_rows.stop, pair_rows.start + max(top, 0)))
        ]

    # ---- parts ----------------------------------------------------------------------------------------------

    def of_vocabulary(self, words: Collection[str]) -> Patterns:
        """Only terms all of whose words are among these.

        Sums are those of what is left, as if nothing else had been read.
        """
        return self._part(self._known(words))

    def subset(self, words: Iterable[str]) -> Patterns:
        """The same for fewer words; every pair that is left keeps all its values, smoothed ones too."""
        known = self._known(set(words))
        kept = np.flatnonzero(known)
        factors = None
        if self.is_factorised:
            of_u = np.flatnonzero(self.hyponym_totals[kept] > 0)
            of_v = np.flatnonzero(np.isin(kept, self.factors.hypernyms))
            factors = Factors(
                of_v,
                self.hypernym_vectors(kept[of_v]).astype(np.float16),
                of_u,
                self.hyponym_vectors(kept[of_u]).astype(np.float16),
            )
        return self._part(known, decomposition=factors, sums=self._totals_of(kept))

    def pruned(self, words: Iterable[str], least: int) -> Patterns:
        """What a small model keeps: terms of these words, phrases named `least` times, no sentences, V in 8 bits.

        Values of pairs and their sums stay; rows of U·Σ are made anew from V and the pairs that are left.
        """
        known = self._known(set(words)) & (self.is_word | (self.hyponym_totals + self.hypernym_totals >= least))
        kept = np.flatnonzero(known)
        of_v = np.flatnonzero(np.isin(kept, self.factors.hypernyms))
        vectors = rounded_to_8_bits(self.hypernym_vectors(kept[of_v]))
        factors = Factors(of_v, vectors.astype(np.float16))
        return self._part(known, sentences=None, decomposition=factors, sums=self._totals_of(kept))

    def without_sentences(self) -> Patterns:
        """The same counts, and no text."""
        return replace(self, sentences=None)

    def _totals_of(self, kept: Ints) -> tuple[Ints, Ints, int]:
        return self.hyponym_totals[kept], self.hypernym_totals[kept], self.totals[2]

    def _known(self, words: Collection[str]) -> Bools:
        known = words if isinstance(words, set | frozenset | dict) else set(words)

        every = (all(word in known for word in term.split(" ")) for term in self.terms)
        return np.fromiter(every, dtype=np.bool_, count=len(self))

    def _part(self, selected: Bools, **changes: Any) -> Patterns:
        """The selected terms; decomposition and totals are those of what is left, unless they are given."""
        table = np.where(selected, np.cumsum(selected) - 1, -1)
        chosen = selected[self.hyponyms] & selected[self.hypernyms]
        own: dict[str, Any] = {
            "term_array": [term for term, keep in zip(self.terms, selected.tolist(), strict=True) if keep],
            "keys": renumbered(self.keys[chosen], table),
            "values": self.values[chosen],
            "sentences": partial(self._evidence_of, selected, table) if self.has_sentences else None,
            "decomposition": None,
            "sums": None,
        }
        return replace(self, **own | changes)

    def _evidence_of(self, selected: Bools, table: Ints) -> EvidenceRows:
        """The sentences of the selected terms, under their new numbers."""
        rows = self.evidence_rows
        assert rows is not None
        hyponym, hypernym, _ = unpack(rows.keys)
        taken = np.flatnonzero(selected[hyponym] & selected[hypernym])
        return rows.taken(taken, renumbered(rows.keys[taken], table))

    def __repr__(self) -> str:
        rows = self.evidence_rows if not callable(self.sentences) else None
        sentences = "" if rows is None else f", {len(rows.texts)} sentences"
        return f"<Patterns of {len(self)} terms, {self.pairs} pairs, {self.matches} matches{sentences}>"

    # ---- on disk --------------------------------------------------------------------------------------------

    def save(
        self, path: str | Path, *, source: str = "", parameters: Mapping[str, Any] | None = None, force: bool = False
    ) -> dict[str, Any]:
        """Write a folder of its own; `source` is the fingerprint of what was read. Returns the header."""
        return save_folder(self, path, source=source, parameters=parameters or {}, force=force)

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = True) -> Patterns:
        """Open such a folder, or the one inside a corpus; sentences are read when they are asked for."""
        artifact = open_folder(path)
        if verify:
            artifact.verify()
        return cls.read(artifact)


def open_folder(path: str | Path) -> Artifact:
    """A folder of patterns, or the one inside a corpus."""
    folder = Path(path)
    inside = folder / FOLDER
    if not inside.is_dir() and is_ours(folder) and read_header(folder)["format"] == "hyperdive-corpus":
        raise InputError(
            f"{path}: this corpus was encoded without patterns", hint="encode it again, without --set patterns=no"
        )
    return Artifact.open(inside if inside.is_dir() else folder, KIND, VERSION, made_with=MADE_WITH)


def patterns_of(corpus: str | Path) -> Patterns | None:
    """The patterns of a corpus folder, or None when it was encoded without."""
    folder = Path(corpus) / FOLDER
    return Patterns.open(folder) if folder.is_dir() else None
