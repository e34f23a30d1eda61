"""Rows sorted by a key, in runs that lie in memory or on disk, and their merge, range by range of the keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hyperdive._types import Array
from hyperdive.text.scratch_arrays import ScratchArray

PATTERN_BITS = np.uint64(8)
"""Low bits of a key, which number the pattern: rows of one pair stay together."""

Column = Array | ScratchArray
"""Values in memory or on disk."""


def merged_ranges(runs: Sequence[Sequence[Column]], rows: int) -> Iterator[tuple[list[Array], tuple[int, int]]]:
    """The rows of all runs range by range of the first column, unsorted within one, about `rows` at a time.

    Rows of one pair (keys that differ in their last 8 bits only) are in one range. Of each range come the columns and
    its borders.

    >>> runs = [[np.array([256, 600], dtype=np.uint64)], [np.array([300, 900], dtype=np.uint64)]]
    >>> [(columns[0].tolist(), borders[0]) for columns, borders in merged_ranges(runs, 2)]
    [([256, 300], 0), ([600, 900], 512)]
    """
    runs = [run for run in runs if len(run[0])]
    last = 1 << 64
    if sum(len(run[0]) for run in runs) <= rows:
        if runs:
            yield [np.concatenate([column[:] for column in columns]) for columns in zip(*runs, strict=True)], (0, last)
        return
    # a run has at most `step` rows between two of its samples
    step = max(1, rows // (2 * len(runs)))
    samples = np.sort(np.concatenate([run[0][step::step] for run in runs]))
    borders = np.unique((samples[:: len(runs)] >> PATTERN_BITS) << PATTERN_BITS).tolist()
    low, starts = 0, [0] * len(runs)
    for high in [*borders, last]:
        ends = [_first_from(run[0], high) for run in runs]
        parts = [
            [column[start:end] for column in run]
            for run, start, end in zip(runs, starts, ends, strict=True)
            if start < end
        ]
        if parts:
            yield [np.concatenate(columns) for columns in zip(*parts, strict=True)], (low, high)
        low, starts = high, ends


def _first_from(keys: Column, key: int) -> int:
    if key >= 1 << 64:
        return len(keys)
    return keys.first_from(key) if isinstance(keys, ScratchArray) else int(np.searchsorted(keys, np.uint64(key)))
