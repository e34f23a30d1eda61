"""Sparse rows of counts: a byte for each count, and a list of the few counts that need more.

Row r belongs to word r (by falling count), row 0 to the unknown symbol. Rows are counted, summed and written in
ranges. A word that occurs n times has at most n·reach meetings, so no count of its row is larger: that fixes, before
anything is counted, the number type of the dense row in which they are added up (8 bits for rare words, so that it
stays in the processor's cache) and a bound of its entries. Ranges are a function of the word counts alone; no byte of
the counts depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hyperdive._engine import Arrays
from hyperdive._types import Array, Bytes, Ids, Ints
from hyperdive.options import CountOptions

RANGE_ENTRIES = 1 << 20
"""A range has at most so many entries, unless it is a single row."""
RANGE_SHARE = 64
"""A range has at most this part of all meetings, unless it is a single row: ranges are counted at the same time."""
_TYPES = tuple(np.dtype(name) for name in ("<u1", "<u2", "<u4", "<u8"))
_LARGE = 255


class RowBlock(NamedTuple):
    """Some rows: row r has the contexts indices[pointers[r]:pointers[r + 1]]; `edges` may be empty.

    A count of 255 stands for the next value in `large`, and its edge for the next in `large_edges`.
    """

    pointers: Ints
    indices: Ids
    counts: Bytes
    edges: Bytes
    large: npt.NDArray[np.uint64]
    large_edges: npt.NDArray[np.uint64]

    @classmethod
    def room(cls, rows: int, entries: int, large: int, *, near: bool) -> Self:
        """Arrays that rows are written to; pages of memory are touched only as far as rows need them."""
        edges, large_edges = (entries + 1, large + 1) if near else (0, 0)
        arrays: list[Any] = [np.empty(size, dtype=np.uint8) for size in (entries + 1, edges)]
        arrays += [np.empty(size, dtype=np.uint64) for size in (large + 1, large_edges)]
        return cls(np.zeros(rows + 1, dtype=np.int64), np.empty(entries + 1, dtype=np.uint32), *arrays)

    @classmethod
    def of(cls, pointers: Ints, indices: Ids, counts: Array, edges: Array) -> Self:
        """Rows of whole counts and edges."""
        large = np.flatnonzero(counts >= _LARGE)
        narrow, narrow_edges = counts.astype(np.uint8), edges.astype(np.uint8)
        narrow[large] = _LARGE
        if len(edges):
            narrow_edges[large] = _LARGE
        large_edges = edges[large] if len(edges) else edges
        return cls(pointers, indices, narrow, narrow_edges, counts[large], large_edges)

    def cut(self, entries: int, large: int) -> Self:
        """The part of a room that was written to."""
        near = len(self.edges) > 0
        return type(self)(
            self.pointers,
            self.indices[:entries],
            self.counts[:entries],
            self.edges[: entries if near else 0],
            self.large[:large],
            self.large_edges[: large if near else 0],
        )

    def frozen(self) -> Self:
        """The same arrays, read-only: kernels are compiled for those only."""
        views: list[Any] = [array.view() for array in self]
        for view in views:
            view.flags.writeable = False
        return type(self)(*views)

    def values(self) -> tuple[Ids, Ids]:
        """All counts and edges, which fit into 32 bits."""
        places = self.large_places()
        counts, edges = self.counts.astype(np.uint32), self.edges.astype(np.uint32)
        counts[places] = self.large
        if len(edges):
            edges[places] = self.large_edges
        return counts, edges

    def large_places(self) -> Ints:
        """The places of the large counts among all."""
        return np.flatnonzero(self.counts == _LARGE)

    def __add__(self, other: RowBlock) -> RowBlock:  # type: ignore[override]
        """The sum of two blocks of the same rows."""
        from hyperdive.kernels.counts import add_rows

        near = len(self.edges) > 0 or len(other.edges) > 0
        entries = len(self.indices) + len(other.indices)
        # a sum of two small counts may be large
        rows = RowBlock.room(
            len(self.pointers) - 1, entries, entries // 2 + len(self.large) + len(other.large), near=near
        )
        return rows.cut(*add_rows(*self.frozen(), *other.frozen(), *rows))


def block_of(arrays: Arrays) -> RowBlock:
    """Rows from the arrays of a piece."""
    return RowBlock(*(arrays[name] for name in RowBlock._fields))


@dataclass(frozen=True)
class RowRange:
    """Rows first..last (exclusive), and the type of the dense row they are added up in."""

    first: int
    last: int
    bound: int
    """The most entries."""
    large: int
    """The most large counts."""
    dtype: np.dtype[Any]


def vocabulary_size(word_counts: Ints, min_count: int) -> int:
    """|V|: words at or above the minimum count, plus the unknown symbol.

    >>> vocabulary_size(np.array([0, 9, 4, 4, 1]), 4)
    4
    """
    return int(np.searchsorted(-word_counts[1:], -min_count, side="right")) + 1


def cut_rows(word_counts: Ints, size: int, options: CountOptions) -> tuple[RowRange, ...]:
    """Cut the rows of words with these counts into ranges; words from number `size` on are rare.

    >>> ranges = cut_rows(np.array([0, 9000, 30, 2]), 3, CountOptions(window=10))
    >>> [(rows.first, rows.last, rows.bound, rows.dtype.name) for rows in ranges]
    [(0, 1, 3, 'uint8'), (1, 2, 4, 'uint32'), (2, 3, 4, 'uint16'), (3, 4, 4, 'uint8')]
    """
    occurrences = np.array(word_counts, dtype=np.int64)
    occurrences[0] = occurrences[size:].sum()
    meetings = occurrences * options.reach
    bounds = np.minimum(meetings, len(occurrences))
    bounds[0] = min(int(meetings[0]), size)
    # the largest number a row can hold: every meeting with the same word, next door
    limits = np.array([np.iinfo(kind).max // options.scale for kind in _TYPES], dtype=np.uint64)
    kinds = np.minimum(np.searchsorted(limits, meetings.astype(np.uint64), side="left"), len(_TYPES) - 1)
    entries, work = (np.concatenate([[0], np.cumsum(amounts)]) for amounts in (bounds, meetings))
    most_work = max(int(work[-1]) // RANGE_SHARE, RANGE_ENTRIES)
    borders = np.append(np.flatnonzero(np.diff(kinds[1:])) + 2, len(occurrences))

    def rows(first: int, last: int) -> RowRange:
        bound, most = int(entries[last] - entries[first]), int(work[last] - work[first]) * options.scale // _LARGE
        return RowRange(first, last, bound, min(bound, most), _TYPES[int(kinds[first])])

    ranges = [rows(0, 1)]
    first = 1
    while first < len(occurrences):
        fitting = int(np.searchsorted(entries, entries[first] + RANGE_ENTRIES, side="right")) - 1
        quick = int(np.searchsorted(work, work[first] + most_work, side="right")) - 1
        border = int(borders[np.searchsorted(borders, first, side="right")])
        last = max(first + 1, min(fitting, quick, border))
        ranges.append(rows(first, last))
        first = last
    return tuple(ranges)


class DenseRows:
    """Dense rows of one thread, zero whenever no kernel runs."""

    def __init__(self, types: int, *, near: bool) -> None:
        self._types, self._near = types, near
        self.bits = np.zeros(types // 64 + 1, dtype=np.uint64)
        self.summary = np.zeros(types // 4096 + 1, dtype=np.uint64)
        self._rows: dict[Any, tuple[Array, Array]] = {}

    def rows(self, dtype: np.dtype[Any]) -> tuple[Array, Array, Array, Array]:
        """Zeros for the counts and edges of a row, and for marking its entries."""
        if dtype not in self._rows:
            self._rows[dtype] = np.zeros(self._types, dtype), np.zeros(self._types if self._near else 0, dtype)
        return *self._rows[dtype], self.bits, self.summary
