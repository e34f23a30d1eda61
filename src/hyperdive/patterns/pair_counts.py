"""Counts of pairs and patterns: added up, and brought into the order of a finished table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Array, Ints
from hyperdive.patterns.evidence import Keys, pack, unpack
from hyperdive.patterns.sorted_runs import Column, merged_ranges
from hyperdive.text.scratch_arrays import Scratch, ScratchArray


class ArrowStrings(Sequence[str]):
    """The strings of an Arrow array, decoded when they are asked for."""

    def __init__(self, strings: Any) -> None:
        self._strings = strings

    def __len__(self) -> int:
        return len(self._strings)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return self._strings[place].to_pylist()
        return self._strings[place].as_py()

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), 1 << 16):
            yield from self._strings[start : start + (1 << 16)].to_pylist()


def added(keys: Keys) -> tuple[Keys, Ints]:
    """Distinct keys, sorted, and how often each is there."""
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct, counts.astype(np.int64)


def summed(keys: Keys, counts: Ints) -> tuple[Keys, Ints]:
    """Equal keys as one, sorted.

    >>> [part.tolist() for part in summed(np.array([5, 2, 5], dtype=np.uint64), np.array([1, 1, 3]))]
    [[2, 5], [1, 4]]
    """
    if len(keys) == 0:
        return keys, counts
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[starts], np.add.reduceat(counts, starts)


def merged(runs: Sequence[tuple[Keys, Ints]]) -> tuple[Keys, Ints]:
    """Sorted keys with their counts, added up."""
    if len(runs) == 1:
        return runs[0]
    if not runs:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
    return summed(np.concatenate([keys for keys, _ in runs]), np.concatenate([counts for _, counts in runs]))


def renumbered(keys: Keys, table: npt.NDArray[np.int64]) -> tuple[Keys, Ints]:
    """Keys with the terms' new numbers, and the order that sorts them."""
    hyponym, hypernym, pattern = unpack(keys)
    new = pack(table[hyponym], table[hypernym], pattern)
    return new, np.argsort(new, kind="stable")


@dataclass
class TermSums:
    """For each term the sums of the counts that it is part of, `head` being the pattern of heads of phrases."""

    head: int
    hyponym: Ints
    """Statements of ordinary patterns with the term as the hyponym."""
    hypernym: Ints
    """The same with the term as the hypernym."""
    all: Ints
    """Counts of any pattern with the term on either side."""
    entries: Ints
    """Different keys with the term as the hyponym."""

    @classmethod
    def of(cls, terms: int, head: int) -> TermSums:
        """Sums over nothing for so many terms."""
        return cls(head, *(np.zeros(terms, dtype=np.int64) for _ in range(4)))

    def add(self, keys: Keys, counts: Ints) -> None:
        """Take in counts."""
        hyponym, hypernym, pattern = unpack(keys)
        ordinary = np.where(pattern == self.head, 0, counts)
        size = len(self.all)
        for side, sums in ((hyponym, self.hyponym), (hypernym, self.hypernym)):
            sums += np.bincount(side, weights=ordinary, minlength=size).astype(np.int64)
            self.all += np.bincount(side, weights=counts, minlength=size).astype(np.int64)
        self.entries += np.bincount(hyponym, minlength=size)


def ordered_terms(names: Any, sums: TermSums) -> tuple[Any, Ints]:
    """Terms that are in a pair, the most frequent first, and the new number of each old one (-1: in no pair).

    Frequent is how often a term stands on either side of a match of an ordinary pattern, then of any; then by name.

    Args:
        names: an Arrow array of strings.
        sums: how often each is part of a match.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    used = np.flatnonzero(sums.all)
    chosen = names.take(pa.array(used))
    columns = pa.table({"ordinary": (sums.hyponym + sums.hypernym)[used], "all": sums.all[used], "term": chosen})
    order = pc.sort_indices(
        columns, sort_keys=[("ordinary", "descending"), ("all", "descending"), ("term", "ascending")]
    ).to_numpy()
    table = np.full(len(sums.all), -1, dtype=np.int64)
    table[used[order]] = np.arange(len(used))
    return chosen.take(pa.array(order)), table


class StoredCounts:
    """Distinct keys with their counts, sorted by the numbers that terms had while they were collected."""

    def __init__(self, runs: Sequence[Sequence[Column]], terms: int, head: int, scratch: Scratch, rows: int) -> None:
        most = sum(len(run[0]) for run in runs)
        self.keys, self.counts = scratch.array(most, np.uint64), scratch.array(most, np.int64)
        self.sums, self.size, self._rows = TermSums.of(terms, head), 0, rows
        for (keys, counts), _ in merged_ranges(runs, rows):
            keys, counts = summed(keys, counts)
            self.sums.add(keys, counts)
            self.keys.put(self.size, keys)
            self.counts.put(self.size, counts)
            self.size += len(keys)

    def between(self, low: int, high: int) -> tuple[Keys, Ints]:
        """The keys from `low` on and below `high`, and their counts."""
        start, end = (self.size if key >= 1 << 64 else min(self._first(key), self.size) for key in (low, high))
        return self.keys[start:end], self.counts[start:end]

    def _first(self, key: int) -> int:
        low, high = 0, self.size
        while low < high:
            middle = (low + high) // 2
            if int(self.keys[middle : middle + 1][0]) < key:
                low = middle + 1
            else:
                high = middle
        return low

    def _chunks(self) -> Iterator[tuple[Keys, Ints]]:
        for start in range(0, self.size, self._rows):
            end = min(start + self._rows, self.size)
            yield self.keys[start:end], self.counts[start:end]

    def sorted_by(self, table: Ints, scratch: Scratch) -> dict[str, Array]:
        """The counts in the order of the terms' new numbers, as the fields of a `PatternTable`.

        Keys are distributed to stretches of hyponyms of about as many entries as may be sorted at once.
        """
        used = np.flatnonzero(table >= 0)
        entries = np.zeros(len(used), dtype=np.int64)
        entries[table[used]] = self.sums.entries[used]
        pointers = np.concatenate([[0], np.cumsum(entries)]).astype(np.int64)
        borders = [0]
        while borders[-1] < len(used):
            end = int(np.searchsorted(pointers, pointers[borders[-1]] + self._rows, side="right")) - 1
            borders.append(max(end, borders[-1] + 1))
        keys, counts = (scratch.array(self.size, dtype) for dtype in (np.uint64, np.int64))
        self._distribute(table, np.array(borders), pointers[borders], (keys, counts))
        hypernyms, patterns, values = (scratch.array(self.size, dtype) for dtype in (np.int32, np.uint8, np.int64))
        for start, end in pairwise(pointers[borders].tolist()):
            stretch = keys[start:end]
            order = np.argsort(stretch, kind="stable")
            _, hypernym, pattern = unpack(stretch[order])
            hypernyms.put(start, hypernym)
            patterns.put(start, pattern)
            values.put(start, counts[start:end][order])
        whole = {"hypernyms": hypernyms, "patterns": patterns, "values": values}
        return {"pointers": pointers, **{name: array.whole() for name, array in whole.items()}}

    def _distribute(
        self, table: Ints, borders: Ints, starts: Ints, stretches: tuple[ScratchArray, ScratchArray]
    ) -> None:
        filled = starts.copy()
        for chunk_keys, chunk_counts in self._chunks():
            new, order = renumbered(chunk_keys, table)
            new, chunk_counts = new[order], chunk_counts[order]
            cuts = np.searchsorted(new >> np.uint64(36), borders.astype(np.uint64)).tolist()
            for number, (start, end) in enumerate(pairwise(cuts)):
                if start < end:
                    for array, values in zip(stretches, (new, chunk_counts), strict=True):
                        array.put(int(filled[number]), values[start:end])
                    filled[number] += end - start
