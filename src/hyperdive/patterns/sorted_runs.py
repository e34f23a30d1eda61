"""Rows sorted by a key, in runs that lie in memory or on disk, and their merge, range by range of the keys."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from hyperdive._types import Array

PATTERN_BITS = np.uint64(8)
"""Low bits of a key, which number the pattern: rows of one pair stay together."""


class ScratchArray:
    """An array of a `Scratch`, written by pieces and read by slices; its type may have several numbers to a row."""

    def __init__(self, size: int, dtype: Any, place: tuple[IO[bytes], int] | None) -> None:
        self.dtype = np.dtype(dtype)
        self._size, self._place = size, place
        self._values = np.empty(size, self.dtype) if place is None else None

    def __len__(self) -> int:
        return self._size

    def put(self, at: int, values: Array) -> None:
        """Write values from a place on."""
        if self._place is None:
            assert self._values is not None
            self._values[at : at + len(values)] = values
            return
        file, offset = self._place
        data = np.ascontiguousarray(values, dtype=self.dtype.base).reshape(-1).view(np.uint8).data
        offset += at * self.dtype.itemsize
        while len(data):
            written = os.pwrite(file.fileno(), data, offset)
            data, offset = data[written:], offset + written

    def __getitem__(self, rows: slice) -> Array:
        if self._values is not None:
            return self._values[rows]
        start, stop, step = rows.indices(self._size)
        if step != 1:
            return np.concatenate([self._read(0, 0), *(self._read(at, 1) for at in range(start, stop, step))])
        return self._read(start, max(stop - start, 0))

    def _read(self, at: int, size: int) -> Array:
        assert self._place is not None
        file, offset = self._place
        values = np.empty(size, dtype=self.dtype)
        view, done = values.reshape(-1).view(np.uint8).data, 0
        while done < len(view):
            got = os.preadv(file.fileno(), [view[done:]], offset + at * self.dtype.itemsize + done)
            if got == 0:
                raise EOFError("a scratch file of patterns ended early")
            done += got
        return values

    def first_from(self, key: int) -> int:
        """The place of the first value that is not below a key, where values are sorted."""
        if self._values is not None:
            return int(np.searchsorted(self._values, np.uint64(key)))
        low, high = 0, self._size
        while low < high:
            middle = (low + high) // 2
            if int(self._read(middle, 1)[0]) < key:
                low = middle + 1
            else:
                high = middle
        return low

    def whole(self) -> Array:
        """All values as one array; those on disk are mapped."""
        if self._values is not None:
            return self._values
        assert self._place is not None
        file, offset = self._place
        file.flush()
        if self._size == 0:
            return self._read(0, 0)
        shape = (self._size, *self.dtype.shape)
        return np.asarray(np.memmap(file, dtype=self.dtype.base, mode="r", offset=offset, shape=shape))


class Scratch:
    """Makes arrays in memory up to some bytes each, larger ones in a temporary file that is gone with this object.

    >>> scratch = Scratch(None, in_memory=0)
    >>> numbers = scratch.array(4, np.uint64)
    >>> numbers.put(2, np.array([7, 9])); numbers.put(0, np.array([3, 5]))
    >>> numbers[1:3].tolist(), numbers.first_from(8), numbers.whole().tolist()
    ([5, 7], 3, [3, 5, 7, 9])
    """

    def __init__(self, folder: str | Path | None, in_memory: int) -> None:
        self._folder, self._in_memory = folder, in_memory
        self._file: IO[bytes] | None = None
        self._size = 0

    def array(self, size: int, dtype: Any) -> ScratchArray:
        """An array of some values to be written."""
        needed = size * np.dtype(dtype).itemsize
        if needed <= self._in_memory:
            return ScratchArray(size, dtype, None)
        return self.stored(size, dtype)

    def stored(self, size: int, dtype: Any) -> ScratchArray:
        """The same on disk, whatever its size."""
        if self._file is None:
            # closed and deleted with this object
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        array = ScratchArray(size, dtype, (self._file, self._size))
        self._size += -(-size * array.dtype.itemsize // 64) * 64
        return array


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
