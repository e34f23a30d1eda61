"""`model.safetensors`: matrices that stay on disk in 8 or 16 bits, of which rows are converted when they are used.

A matrix is stored in one of three forms, whichever loses nothing and is small:

| form | tensors |
| --- | --- |
| dense | `NAME`: float16, or float32 where 16 bits lose something |
| dense in 8 bits | `NAME`: int8, `NAME.exponents`: int8, one a row (see `hyperdive._quantize`) |
| sparse | `NAME.lengths`, `NAME.indices`, `NAME.values`: the non-zero entries row by row |

The file is mapped into memory. Sizes, shapes and index ranges are checked before any row is used, values when they are
converted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hyperdive._checks import MOST_DIMENSIONS, are_below, are_finite, rise_in_rows, row_pointers
from hyperdive._quantize import packed, rounded_to_16_bits, unpacked
from hyperdive._store import narrowest
from hyperdive._types import Floats32, Ints
from hyperdive.errors import FormatError

DAMAGED = "the folder is damaged; train it again"
_MOST_HEADER = 1 << 20
_TYPES = {
    **{f"U{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    **{f"I{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": np.dtype(f"<f{size}") for size in (2, 4, 8)},
}


@dataclass(frozen=True, eq=False)
class StoredRows:
    """A matrix of which rows are converted to 32 bits when they are used.

    >>> rows = StoredRows("m", (2, 3), np.array([[1, 0, 2], [0, 3, 0]], dtype=np.float16))
    >>> rows.taken(np.array([1])).tolist(), rows.first(1).whole().tolist(), rows.is_sparse
    ([[0.0, 3.0, 0.0]], [[1.0, 0.0, 2.0]], False)
    """

    name: str
    """Where they are from, for messages."""
    shape: tuple[int, int]
    values: Any
    """All values, or of a sparse matrix those that are not zero, row by row."""
    exponents: Any = None
    """The exponent of each row in 8 bits."""
    pointers: Ints | None = None
    """Where the values of each row of a sparse matrix start."""
    indices: Any = None
    """The column of each value of a sparse matrix."""

    def __getstate__(self) -> dict[str, Any]:
        # another process, or a copy, has no map of the file
        return {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in vars(self).items()}

    @property
    def is_sparse(self) -> bool:
        """Whether rows come as a CSR matrix."""
        return self.pointers is not None

    def taken(self, rows: Ints) -> Any:
        """Return these rows."""
        if self.pointers is None:
            exponents = None if self.exponents is None else self.exponents[rows]
            return self._checked(self.values[rows], exponents)
        starts, lengths = self.pointers[rows], self.pointers[rows + 1] - self.pointers[rows]
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(starts - pointers[:-1], lengths) + np.arange(pointers[-1])
        return self._csr(self.values[places], self.indices[places], pointers)

    def first(self, count: int) -> StoredRows:
        """Return the first rows, as they are stored."""
        shape = (count, self.shape[1])
        if self.pointers is None:
            exponents = None if self.exponents is None else self.exponents[:count]
            return StoredRows(self.name, shape, self.values[:count], exponents)
        end = self.pointers[count]
        return StoredRows(self.name, shape, self.values[:end], None, self.pointers[: count + 1], self.indices[:end])

    def whole(self) -> Any:
        """Return all rows: an array or a CSR matrix."""
        if self.pointers is None:
            return self._checked(self.values, self.exponents)
        return self._csr(self.values, self.indices, self.pointers)

    def _csr(self, values: Any, indices: Any, pointers: Ints) -> Any:
        shape = (len(pointers) - 1, self.shape[1])
        matrix = csr_array((self._checked(values, None), np.asarray(indices, np.int32), pointers), shape=shape)
        matrix.has_sorted_indices = True
        return matrix

    def _checked(self, values: Any, exponents: Any) -> Floats32:
        """Return values in 32 bits; those that are not numbers are an error."""
        converted = np.asarray(values, np.float32) if exponents is None else unpacked(values, exponents)
        # 127 times 2 to the power of 120 is a number of 32 bits
        if int(exponents.max(initial=0)) > 120 if exponents is not None else not are_finite(converted):
            raise FormatError(f"{self.name} holds values that are not numbers", hint=DAMAGED)
        return converted


# ---- writing ------------------------------------------------------------------------------------------------------


def matrix_tensors(name: str, matrix: Any, *, sparse: bool = True) -> dict[str, Any]:
    """Return the tensors of a matrix in the smallest form that loses nothing; an array stays one without `sparse`."""
    if isinstance(matrix, np.ndarray) and not (sparse and 2 * np.count_nonzero(matrix) < matrix.size):
        small = packed(matrix)
        return {name: narrowest_floats(matrix)} if small is None else {name: small[0], f"{name}.exponents": small[1]}
    csr = csr_array(matrix)
    lengths = np.diff(csr.indptr)
    return {
        f"{name}.lengths": narrowest(lengths, int(lengths.max(initial=0))),
        f"{name}.indices": narrowest(csr.indices, max(csr.shape[1] - 1, 0)),
        f"{name}.values": narrowest_floats(np.asarray(csr.data, dtype=np.float32)),
    }


def narrowest_floats(values: Floats32) -> Any:
    """Return the same values in 16 bits where that loses nothing."""
    with np.errstate(over="ignore"):
        fits = np.array_equal(rounded_to_16_bits(values), values)
    return np.ascontiguousarray(values, dtype=np.float16 if fits else np.float32)


# ---- reading ------------------------------------------------------------------------------------------------------


class MappedTensors:
    """The tensors of a safetensors file, mapped; each is checked to lie inside the file."""

    def __init__(self, file: Path) -> None:
        self.path, name = file.parent, file.name
        try:
            size = file.stat().st_size
            with file.open("rb") as stream:
                length = int.from_bytes(stream.read(8), "little")
                if length > min(size - 8, _MOST_HEADER):
                    raise ValueError("its header is longer than the file")
                entries = json.loads(stream.read(length))
            self._tensors = {}
            for tensor, about in entries.items():
                if tensor != "__metadata__":
                    dtype, shape = _TYPES[about["dtype"]], tuple(int(extent) for extent in about["shape"])
                    start, end = about["data_offsets"]
                    if min(shape, default=0) < 0 or not 0 <= start <= end <= size - 8 - length:
                        raise ValueError(f"{tensor} is outside the file")
                    if prod(shape) * dtype.itemsize != end - start:
                        raise ValueError(f"{tensor} does not have its size")
                    self._tensors[tensor] = (dtype, shape, start, end)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            raise FormatError(f"{self.path}: {name} cannot be read ({error})", hint=DAMAGED) from None
        self._data: Any = np.asarray(np.memmap(file, dtype=np.uint8, mode="r"))[8 + length :]

    def __contains__(self, tensor: str) -> bool:
        return tensor in self._tensors

    def wrong(self, name: str) -> FormatError:
        """Return the error for a tensor that does not fit the rest."""
        return FormatError(f"{self.path}: {name} does not have the shape of the vocabulary", hint=DAMAGED)

    def tensor(self, name: str, kind: Any, *shape: int | None) -> Any:
        """Return one tensor of this kind of number and shape, where None is any extent."""
        if name not in self._tensors:
            raise FormatError(f"{self.path}: {name} is missing from model.safetensors", hint=DAMAGED)
        dtype, extents, start, end = self._tensors[name]
        if not np.issubdtype(dtype, kind):
            raise FormatError(f"{self.path}: {name} has type {dtype}", hint=DAMAGED)
        fits = all(wanted in (None, extent) for wanted, extent in zip(shape, extents, strict=False))
        if len(shape) != len(extents) or not fits:
            raise self.wrong(name)
        return self._data[start:end].view(dtype).reshape(extents)

    def floats(self, name: str, *shape: int | None) -> Floats32:
        """Return one tensor of finite numbers, in memory."""
        values: Floats32 = self.tensor(name, np.floating, *shape).astype(np.float32)
        if not are_finite(values):
            raise FormatError(f"{self.path}: {name} holds values that are not numbers", hint=DAMAGED)
        return values

    def rows(self, name: str, shape: tuple[int, int]) -> StoredRows:
        """Return one of the matrices."""
        place = f"{self.path}: {name}"
        if not 0 <= shape[1] <= MOST_DIMENSIONS:
            raise self.wrong(name)
        if f"{name}.exponents" in self:
            exponents = self.tensor(f"{name}.exponents", np.int8, shape[0])
            return StoredRows(place, shape, self.tensor(name, np.int8, *shape), exponents)
        if f"{name}.lengths" not in self:
            return StoredRows(place, shape, self.tensor(name, np.floating, *shape))
        lengths = self.tensor(f"{name}.lengths", np.integer, shape[0])
        indices = self.tensor(f"{name}.indices", np.integer, None)
        values = self.tensor(f"{name}.values", np.floating, len(indices))
        pointers = row_pointers(lengths, len(indices))
        if pointers is None or not are_below(indices, shape[1]) or not rise_in_rows(indices, pointers):
            raise self.wrong(name)
        return StoredRows(place, shape, values, None, pointers, indices)
