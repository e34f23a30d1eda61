"""The contents of a folder of patterns: terms, counts of each pattern for pairs of terms, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Ints
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import EvidenceRows, Keys, pack, unpack
from hyperdive.patterns.svd import Factors

KIND, VERSION = "patterns", 1
FOLDER = "patterns"
"""The folder of patterns inside a corpus folder."""
OF_A_NAME = " (name)"
"""Ends the name of a pattern that holds the statements in which the hyponym is written as a name."""

HEAD = "head"
"""The pattern by which a phrase is a kind of its head; counted, but no part of `counts` unless it is asked for."""
_CHUNK = 1 << 20

LazyEvidence = EvidenceRows | Callable[[], EvidenceRows] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternTable:
    """Counts row by row: entries `pointers[q]` to `pointers[q + 1]` belong to the hyponym q.

    >>> one = np.array([0], dtype=np.int32)
    >>> counts = {"hypernyms": one, "patterns": one.astype(np.uint8), "values": np.array([4])}
    >>> PatternTable(terms=["dog", "poodle"], names=["such as"], pointers=np.array([0, 0, 1]), **counts).keys.tolist()
    [68719476736]
    """

    terms: Sequence[str]
    """Lemmas joined by a blank, the most frequent first."""
    names: Sequence[str]
    """Names of the patterns."""
    pointers: Ints
    """Where the entries of each hyponym start."""
    hypernyms: npt.NDArray[np.int32]
    """The hypernym of each entry."""
    patterns: npt.NDArray[np.uint8]
    """The pattern of each entry."""
    values: Ints
    """How often the pattern states the pair."""
    precision: Sequence[float] | None = None
    """The precision of each pattern; None is 1 for all."""
    documents: int = 0
    """Documents read."""
    evidence: LazyEvidence = None
    """Sentences, or what reads them; None when none were kept."""
    factors: Factors | Callable[[], Factors] | None = None
    """The decomposition, or what reads it; None when it has not been computed."""
    totals: tuple[Ints, Ints, int] | None = None
    """Sums over rows, over columns and over all; None are those of the entries."""

    @classmethod
    def from_keys(
        cls, terms: Sequence[str], names: Sequence[str], keys: Keys, counts: Any, **more: Any
    ) -> PatternTable:
        """From sorted keys (see `pack`) and their counts; `more` are other fields."""
        hyponym, hypernym, pattern = unpack(keys)
        pointers = np.concatenate([[0], np.cumsum(np.bincount(hyponym, minlength=len(terms)))]).astype(np.int64)
        values = np.asarray(counts, dtype=np.int64)
        counted: dict[str, Any] = {"pointers": pointers, "hypernyms": hypernym, "patterns": pattern, "values": values}
        return cls(terms=terms, names=names, **counted, **more)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Term → number."""
        return dict(zip(self.terms, range(len(self.terms)), strict=True))

    @cached_property
    def keys(self) -> Keys:
        """Hyponym, hypernym and pattern of every entry as one sorted number each."""
        return pack(np.repeat(np.arange(len(self.terms)), np.diff(self.pointers)), self.hypernyms, self.patterns)

    @cached_property
    def base_of_pattern(self) -> Ints:
        """The number of each pattern; that of the plain pattern for one that holds statements of names."""
        number = {name: place for place, name in enumerate(self.names)}
        return np.array([number.get(name.removesuffix(OF_A_NAME), place) for name, place in number.items()])

    @cached_property
    def are_of_names(self) -> npt.NDArray[np.bool_]:
        """Which entries hold statements of names."""
        are_of_names: npt.NDArray[np.bool_] = self.base_of_pattern[self.patterns] != self.patterns
        return are_of_names

    @cached_property
    def are_repeated(self) -> npt.NDArray[np.bool_]:
        """Which entries hold statements of names by a pattern that states the same pair without a name, too."""
        repeated = np.zeros(len(self.patterns), dtype=np.bool_)
        of_names = np.flatnonzero(self.are_of_names)
        if len(of_names):
            numbers = self.patterns[of_names].astype(np.int64)
            plain = self.keys[of_names] - (numbers - self.base_of_pattern[numbers]).astype(np.uint64)
            place = np.searchsorted(self.keys, plain)  # the plain entry stands before it
            repeated[of_names] = self.keys[place] == plain
        return repeated

    @property
    def evidence_rows(self) -> EvidenceRows | None:
        """The kept matches; None when no sentences were kept."""
        return self.evidence() if callable(self.evidence) else self.evidence

    @property
    def head(self) -> int:
        """The number of the pattern by which a phrase is a kind of its head; 256 where there is none."""
        return list(self.names).index(HEAD) if HEAD in self.names else 256

    @cached_property
    def sums(self) -> tuple[Ints, Ints, int]:
        """`totals`, computed of the entries where they are not given."""
        if self.totals is not None:
            return self.totals
        size = len(self.terms)
        rows, columns = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        for row, column, value in self._stated():
            rows += np.bincount(row, weights=value, minlength=size).astype(np.int64)
            columns += np.bincount(column, weights=value, minlength=size).astype(np.int64)
        return rows, columns, int(rows.sum())

    @cached_property
    def stated_pairs(self) -> int:
        """How many different pairs an ordinary pattern names."""
        pairs, last = 0, np.array([-1])
        for row, column, _ in self._stated():
            numbers = np.concatenate([last, (row << 28) | column])
            pairs += int(np.count_nonzero(numbers[1:] != numbers[:-1]))
            last = numbers[-1:]
        return pairs

    def _stated(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Hyponym, hypernym and count of the entries of ordinary patterns, some at a time."""
        for start in range(0, len(self.values), _CHUNK):
            end = min(start + _CHUNK, len(self.values))
            first = int(np.searchsorted(self.pointers, start, side="right")) - 1
            last = int(np.searchsorted(self.pointers, end, side="left"))
            borders: Ints = np.minimum(np.maximum(self.pointers[first : last + 1], start), end)
            row = np.repeat(np.arange(first, last), borders[1:] - borders[:-1])
            stated = np.asarray(self.patterns[start:end]) != self.head
            yield row[stated], self.hypernyms[start:end][stated].astype(np.int64), self.values[start:end][stated]


def pair_entries(rows: Ints, columns: Any, size: int) -> tuple[Ints, Any, Ints]:
    """Where the entries of each pair start (those of several patterns stand side by side), its column, and the rows.

    >>> pair_entries(np.array([0, 0, 2]), np.array([1, 1, 0]), 3)[0].tolist()
    [0, 2]
    """
    new = np.concatenate([[True] * bool(len(rows)), (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])])
    starts = np.flatnonzero(new)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[starts], minlength=size))]).astype(np.int64)
    return starts, columns[starts], indptr


def pair_sums(values: Ints, starts: Ints) -> Ints:
    """The sum over the entries of each pair."""
    return np.add.reduceat(values, starts) if len(starts) else values


def check_names(names: Sequence[str]) -> None:
    """Check that the names of patterns are distinct and at most 256."""
    if not 0 < len(names) <= 256 or len(set(names)) != len(names):
        raise InputError(f"a table of patterns has 1 to 256 different names, not {len(names)}")
