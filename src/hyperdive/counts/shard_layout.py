"""How the rows of a count matrix are cut into shards: a function of the word counts alone.

Row r belongs to word r (by falling count), row 0 to the unknown symbol. A word that occurs n times has at most
n·reach meetings, so no count of its row is larger: that fixes, before anything is counted, the number type of a row
(8 bits for rare words, more for frequent ones) and a bound of its entries. Shards are runs of rows with one number
type whose bounds add up to at most `SHARD_ENTRIES`. They do not depend on memory, blocks or threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._types import Ints
from hyperdive.options import CountOptions

SHARD_ENTRIES = 1 << 22
_TYPES = tuple(np.dtype(name) for name in ("<u1", "<u2", "<u4", "<u8"))
COUNT_TYPES = frozenset(kind.str for kind in _TYPES)
"""Number types a shard may have, as headers spell them."""


@dataclass(frozen=True)
class Shard:
    """RowBlock first..last (exclusive) in one file, at most `bound` entries, each with counts of type `dtype`."""

    number: int
    first: int
    last: int
    bound: int
    dtype: np.dtype[Any]

    @property
    def name(self) -> str:
        """The file of this shard."""
        return f"shards/{self.number:06d}.bin"

    def bytes(self, entries: int, *, with_edges: bool) -> int:
        """The size of the file: indices, counts and edges, each padded to eight bytes."""
        return _padded(4 * entries) + (2 if with_edges else 1) * _padded(self.dtype.itemsize * entries)


def _padded(size: int) -> int:
    return -(-size // 8) * 8


@dataclass(frozen=True)
class ShardLayout:
    """All shards of a matrix, and what its rows are made from."""

    shards: tuple[Shard, ...]
    word_counts: Ints
    """How often each word occurs; index 0 is 0."""
    vocabulary_size: int
    """|V|: words from this id on are rare and read as the unknown symbol."""

    @property
    def types(self) -> int:
        """RowBlock: all words and the unknown symbol."""
        return len(self.word_counts)

    @property
    def largest(self) -> int:
        """The most entries any shard may have."""
        return max(shard.bound for shard in self.shards)

    @property
    def widest(self) -> int:
        """Bytes of the widest count."""
        return max(shard.dtype.itemsize for shard in self.shards)

    def shard_of(self, row: int) -> Shard:
        """The shard that holds a row."""
        return self.shards[int(np.searchsorted([shard.first for shard in self.shards], row, side="right")) - 1]


def vocabulary_size(word_counts: Ints, min_count: int) -> int:
    """|V|: words at or above the minimum count, plus the unknown symbol.

    >>> vocabulary_size(np.array([0, 9, 4, 4, 1]), 4)
    4
    """
    return int(np.searchsorted(-word_counts[1:], -min_count, side="right")) + 1


def make_layout(word_counts: Ints, min_count: int, options: CountOptions) -> ShardLayout:
    """Cut the rows of these words into shards.

    >>> layout = make_layout(np.array([0, 9000, 30, 2]), 10, CountOptions(window=10))
    >>> [(shard.first, shard.last, shard.bound, shard.dtype.name) for shard in layout.shards]
    [(0, 1, 3, 'uint8'), (1, 2, 4, 'uint32'), (2, 3, 4, 'uint16'), (3, 4, 4, 'uint8')]
    """
    word_counts = np.asarray(word_counts, dtype=np.int64)
    size = vocabulary_size(word_counts, min_count)
    occurrences = word_counts.copy()
    occurrences[0] = word_counts[size:].sum()
    meetings = occurrences * options.reach
    bounds = np.minimum(meetings, len(word_counts))
    bounds[0] = min(int(meetings[0]), size)
    # the largest number a row can hold: every meeting with the same word, next door
    limits = np.array([np.iinfo(kind).max // options.scale for kind in _TYPES], dtype=np.uint64)
    kinds = np.minimum(np.searchsorted(limits, meetings.astype(np.uint64), side="left"), len(_TYPES) - 1)
    shards: list[Shard] = []
    total = np.concatenate([[0], np.cumsum(bounds)])
    changes = np.append(np.flatnonzero(np.diff(kinds[1:])) + 2, len(word_counts))
    first = 0
    while first < len(word_counts):
        if first == 0:
            last = 1
        else:
            room = int(np.searchsorted(total, total[first] + SHARD_ENTRIES, side="right")) - 1
            border = int(changes[np.searchsorted(changes, first, side="right")])
            last = max(first + 1, min(room, border))
        bound = int(total[last] - total[first])
        shards.append(Shard(len(shards), first, last, bound, _TYPES[int(kinds[first])]))
        first = last
    return ShardLayout(tuple(shards), word_counts, size)
