"""Pattern counts: for every pair of terms, how often each pattern states that one is a kind of the other.

Folder (format `hyperdive-patterns`, version 1), in a corpus under `patterns/`:

| file | content |
| --- | --- |
| `header.json` | names and precision of the patterns, documents read, what it was made from, checksums |
| `pattern-terms.txt` | one term a line: lemmas joined by a blank, the most frequent first |
| `patterns.safetensors` | of each hyponym its hypernyms, patterns and counts, row by row; their sums; factors, if any |
| `evidence.parquet` | kept matches: hypo, hyper (term numbers), pattern, document, sentence, spans in bytes |
| `sentences.parquet` | the text of the kept sentences |

A model folder holds the same files (without the header) next to its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from hyperdive._quantize import rounded_to_8_bits
from hyperdive._spelling import unknown_word
from hyperdive._store import Artifact
from hyperdive._types import Ints
from hyperdive.errors import InputError, OptionError
from hyperdive.patterns.evidence import Evidence, EvidenceRows, Keys, as_evidence, pack, unpack
from hyperdive.patterns.pattern_table import (
    FOLDER,
    HEAD,
    KIND,
    OF_A_NAME,
    VERSION,
    PatternTable,
    pair_entries,
    pair_sums,
)
from hyperdive.patterns.store_files import read_files, save_table
from hyperdive.patterns.svd import RANK, Factors, factorise, placed, ppmi_matrix, ppmi_with_words, rows_of_words
from hyperdive.text.vocabulary import Vocabulary

MADE_WITH = "hyperdive encode TEXT -o CORPUS"


class Patterns:
    """Terms, and the counts of each pattern for pairs of them.

    >>> patterns = Patterns.from_keys(["dog", "poodle"], ["such as"], pack([1], [0], [0]), np.array([4]))
    >>> patterns.count("poodle", "dog"), patterns.count("dog", "poodle"), "poodle" in patterns
    (4, 0, True)
    >>> patterns.counts.toarray().tolist()
    [[0, 0], [4, 0]]
    >>> patterns.hypernym_totals.tolist()
    [4, 0]
    """

    def __init__(self, table: PatternTable) -> None:
        self._table = table
        self.terms, self.names = list(table.terms), tuple(table.names)
        self.precision = tuple(table.precision) if table.precision is not None else (1.0,) * len(self.names)
        self.pointers, self.values = table.pointers, table.values
        self.hypernyms, self.patterns = table.hypernyms, table.patterns
        self._head = self.names.index(HEAD) if HEAD in self.names else 256
        self.documents = table.documents
        self._evidence, self._factors, self._totals = table.evidence, table.factors, table.totals
        self.base_of_pattern = table.base_of_pattern
        self._looked_up: tuple[Sequence[str], Ints] | None = None

    @classmethod
    def from_keys(cls, terms: Sequence[str], names: Sequence[str], keys: Keys, counts: Any, **more: Any) -> Patterns:
        """From sorted keys (see `hyperdive.patterns.evidence.pack`) and their counts.

        Args:
            terms: lemmas joined by a blank.
            names: names of the patterns.
            keys: hyponym, hypernym and pattern of each count.
            counts: how often the text has it.
            more: the other fields of `PatternTable`.
        """
        return cls(PatternTable.from_keys(terms, names, keys, counts, **more))

    @classmethod
    def read(cls, artifact: Artifact) -> Patterns:
        """From the files in an open folder, its own or a model's."""
        return cls(read_files(artifact))

    # ---- terms ----------------------------------------------------------------------------------------------

    @property
    def numbers(self) -> dict[str, int]:
        """Term → number."""
        return self._table.numbers

    def numbers_of(self, names: Sequence[str]) -> Ints:
        """The number of each name, -1 for one that is no term here; those of the same list are looked up once."""
        if self._looked_up is None or self._looked_up[0] is not names:
            found = map(self.numbers.get, names, repeat(-1))
            self._looked_up = names, np.fromiter(found, dtype=np.int64, count=len(names))
        return self._looked_up[1]

    def __len__(self) -> int:
        return len(self.terms)

    def __contains__(self, term: object) -> bool:
        return term in self.numbers

    def index(self, term: str) -> int:
        """The number of a term; raises an error with near spellings for an unknown one."""
        try:
            return self.numbers[term]
        except (KeyError, TypeError):
            raise unknown_word(term, self.terms, self.numbers, "a pattern of this text") from None

    # ---- counts ---------------------------------------------------------------------------------------------

    @property
    def keys(self) -> Keys:
        """All entries as one sorted number each (see `pack`)."""
        return self._table.keys

    @cached_property
    def counts(self) -> Any:
        """n(q, p) over all patterns but `head`: a CSR matrix, hyponyms × hypernyms."""
        starts, columns, indptr = self._stated_pairs
        values = self.values[self.patterns != self._head]
        return csr_array((pair_sums(values, starts), columns, indptr), shape=(len(self), len(self)))

    @cached_property
    def _stated_pairs(self) -> tuple[Ints, Any, Ints]:
        """The pairs that ordinary patterns state; see `pair_entries`."""
        chosen = self.patterns != self._head
        rows = np.repeat(np.arange(len(self)), np.diff(self.pointers))[chosen]
        return pair_entries(rows, self.hypernyms[chosen], len(self))

    @cached_property
    def head_counts(self) -> Any:
        """How often the text has a phrase (row) with a head (column)."""
        return self._matrix(self.patterns == self._head)

    @cached_property
    def variety(self) -> Any:
        """How many different patterns state each pair, `head` not counted: a CSR matrix of the shape of `counts`."""
        starts, columns, indptr = self._stated_pairs
        stated = self.patterns != self._head
        first = np.ones(int(np.count_nonzero(stated)), dtype=np.int64)
        first[self._table.are_repeated[stated]] = 0
        return csr_array((pair_sums(first, starts), columns, indptr), shape=(len(self), len(self)))

    @cached_property
    def named(self) -> Any:
        """How many of the statements of `counts` have the hyponym written as a name: a CSR matrix of its pairs.

        "Teams such as the Detroit Tigers" is one for (tiger, team): a capital letter in the middle of a sentence.
        """
        starts, columns, indptr = self._stated_pairs
        values = (self.values * self._table.are_of_names)[self.patterns != self._head]
        return csr_array((pair_sums(values, starts), columns, indptr), shape=(len(self), len(self)))

    @cached_property
    def named_shares(self) -> npt.NDArray[np.float64]:
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

    def _matrix(self, chosen: Any) -> Any:
        """The sums over the chosen entries."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.pointers))[chosen]
        starts, columns, indptr = pair_entries(rows, self.hypernyms[chosen], len(self))
        return csr_array((pair_sums(self.values[chosen], starts), columns, indptr), shape=(len(self), len(self)))

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
        row_entries = slice(int(self.pointers[row]), int(self.pointers[row + 1]))
        entries = np.flatnonzero(self.hypernyms[row_entries] == column) + row_entries.start
        counts: dict[str, int] = {}
        for entry in entries.tolist():
            name = self.names[int(self.base_of_pattern[self.patterns[entry]])]
            counts[name] = counts.get(name, 0) + int(self.values[entry])
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
        return int(self.counts.nnz)

    @property
    def matches(self) -> int:
        """How many matches were counted, those of heads included."""
        return int(self.values.sum())

    # ---- association ----------------------------------------------------------------------------------------

    @cached_property
    def totals(self) -> tuple[Ints, Ints, int]:
        """n(q, ·), n(·, p) and N of `counts`; those of the whole where this is a part of it."""
        if self._totals is not None:
            return self._totals
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
    def is_word(self) -> npt.NDArray[np.bool_]:
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
        if callable(self._factors):
            self._factors = self._factors()
        if self._factors is None:
            self._factors = factorise(rows_of_words(self.word_ppmi, self.is_word), RANK)
        return self._factors

    @property
    def is_factorised(self) -> bool:
        """Whether the decomposition has been computed."""
        return self._factors is not None

    def hypernym_vectors(self, numbers: Any) -> npt.NDArray[np.float32]:
        """Rows of V for these terms; zero for a term that is no hypernym (or -1)."""
        return placed(self.factors.hypernyms, self.factors.v, np.asarray(numbers, dtype=np.int64))

    def hyponym_vectors(self, numbers: Any) -> npt.NDArray[np.float32]:
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

    def svd(self, rank: int | None = None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """U·Σ and V of the decomposition, a row for each term; their products are the smoothed PPMI."""
        every = np.arange(len(self))
        return self.hyponym_vectors(every)[:, :rank], self.hypernym_vectors(every)[:, :rank]

    @cached_property
    def with_heads(self) -> Patterns:
        """The same where a phrase's being a kind of its head counts like any pattern."""
        patterns = self._part(np.ones(len(self), dtype=np.bool_))
        patterns._head = 256
        return patterns

    # ---- evidence -------------------------------------------------------------------------------------------

    @property
    def evidence_rows(self) -> EvidenceRows | None:
        """The kept matches, or None when no sentences were kept."""
        if callable(self._evidence):
            self._evidence = self._evidence()
        return self._evidence

    @property
    def has_sentences(self) -> bool:
        """Whether sentences were kept."""
        return self._evidence is not None

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
        part = self._part(known)
        kept = np.flatnonzero(known)
        part._totals = (self.hyponym_totals[kept], self.hypernym_totals[kept], self.totals[2])
        if self.is_factorised:
            of_u = np.flatnonzero(self.hyponym_totals[kept] > 0)
            of_v = np.flatnonzero(np.isin(kept, self.factors.hypernyms))
            part._factors = Factors(
                of_v,
                self.hypernym_vectors(kept[of_v]).astype(np.float16),
                of_u,
                self.hyponym_vectors(kept[of_u]).astype(np.float16),
            )
        return part

    def pruned(self, words: Iterable[str], least: int) -> Patterns:
        """What a small model keeps: terms of these words, phrases named `least` times, no sentences, V in 8 bits.

        Values of pairs and their sums stay; rows of U·Σ are made anew from V and the pairs that are left.
        """
        known = self._known(set(words)) & (self.is_word | (self.hyponym_totals + self.hypernym_totals >= least))
        part, kept = self.without_sentences()._part(known), np.flatnonzero(known)
        part._totals = (self.hyponym_totals[kept], self.hypernym_totals[kept], self.totals[2])
        of_v = np.flatnonzero(np.isin(kept, self.factors.hypernyms))
        vectors = rounded_to_8_bits(self.hypernym_vectors(kept[of_v]))
        part._factors = Factors(of_v, vectors.astype(np.float16))
        return part

    def without_sentences(self) -> Patterns:
        """The same counts, and no text."""
        patterns = self._part(np.ones(len(self), dtype=np.bool_))
        patterns._evidence, patterns._factors, patterns._totals = None, self._factors, self._totals
        return patterns

    def _known(self, words: Collection[str]) -> npt.NDArray[np.bool_]:
        known = words if isinstance(words, set | frozenset | dict) else set(words)

        every = (all(word in known for word in term.split(" ")) for term in self.terms)
        return np.fromiter(every, dtype=np.bool_, count=len(self))

    def _part(self, selected: npt.NDArray[np.bool_]) -> Patterns:
        table = np.where(selected, np.cumsum(selected) - 1, -1)
        hyponym, hypernym, pattern = unpack(self.keys)
        chosen = selected[hyponym] & selected[hypernym]
        keys = pack(table[hyponym[chosen]], table[hypernym[chosen]], pattern[chosen])
        evidence, rows = None, self.evidence_rows
        if rows is not None:
            hyponym, hypernym, pattern = unpack(rows.keys)
            taken = np.flatnonzero(selected[hyponym] & selected[hypernym])
            evidence = rows.taken(taken, pack(table[hyponym[taken]], table[hypernym[taken]], pattern[taken]))
        return Patterns.from_keys(
            [term for term, keep in zip(self.terms, selected.tolist(), strict=True) if keep],
            self.names,
            keys,
            self.values[chosen],
            precision=self.precision,
            documents=self.documents,
            evidence=evidence,
        )

    def __repr__(self) -> str:
        rows = self.evidence_rows if not callable(self._evidence) else None
        sentences = "" if rows is None else f", {len(rows.texts)} sentences"
        return f"<Patterns of {len(self)} terms, {self.pairs} pairs, {self.matches} matches{sentences}>"

    @property
    def table(self) -> PatternTable:
        """The contents as they are written."""
        factors = self.factors if self.is_factorised else None
        return replace(
            self._table, precision=self.precision, evidence=self.evidence_rows, factors=factors, totals=self.totals
        )

    # ---- on disk --------------------------------------------------------------------------------------------

    def save(
        self, path: str | Path, *, source: str = "", parameters: Mapping[str, Any] | None = None, force: bool = False
    ) -> dict[str, Any]:
        """Write a folder of its own; `source` is the fingerprint of what was read. Returns the header."""
        return save_table(self.table, path, source=source, parameters=parameters or {}, force=force)

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
    if not inside.is_dir() and folder.is_dir() and (folder / "tokens.bin").is_file():
        raise InputError(
            f"{path}: this corpus was encoded without patterns", hint="encode it again, without --set patterns=no"
        )
    return Artifact.open(inside if inside.is_dir() else folder, KIND, VERSION, made_with=MADE_WITH)


def patterns_of(corpus: str | Path) -> Patterns | None:
    """The patterns of a corpus folder, or None when it was encoded without."""
    folder = Path(corpus) / FOLDER
    return Patterns.open(folder) if folder.is_dir() else None
