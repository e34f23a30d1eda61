"""Temporary arrays: in memory while they are small, beyond that on disk."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from hyperdive._types import Array


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

    def shorten(self, size: int) -> None:
        """Leave out what is behind the first values."""
        self._size = size
        if self._values is not None:
            self._values = self._values[:size]

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
                raise EOFError("a scratch file ended early")
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
        """All values as one array; those on disk are mapped, and changes of them are not written."""
        if self._values is not None:
            return self._values
        assert self._place is not None
        file, offset = self._place
        file.flush()
        if self._size == 0:
            return self._read(0, 0)
        shape = (self._size, *self.dtype.shape)
        return np.asarray(np.memmap(file, dtype=self.dtype.base, mode="c", offset=offset, shape=shape))


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
