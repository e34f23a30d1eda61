"""Sparse matrices as their three arrays, so that a single question need not wait for SciPy to be loaded."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperdive._types import Bools, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_FEW = 8  # rows that are summed without SciPy


class SparseRows:
    """A CSR matrix with sorted indices: entries `indptr[i]` to `indptr[i + 1]` of `indices` and `data` are row i.

    All that the arrays cannot do is done by SciPy: any other attribute is that of the `csr_array`.

    >>> rows = SparseRows(np.array([3.0, 1.0, 2.0]), [0, 0, 2], [0, 1, 3], (2, 3))
    >>> rows.nnz, rows.shape, rows.indices.dtype
    (3, (2, 3), dtype('int64'))
    >>> rows.toarray().tolist()
    [[3.0, 0.0, 0.0], [1.0, 0.0, 2.0]]
    """

    has_sorted_indices = True

    def __init__(self, data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> None:
        indices, indptr = np.asarray(indices), np.asarray(indptr)
        index = np.promote_types(indices.dtype, indptr.dtype)  # one type for both, as SciPy has it
        self.data: Any = data
        self.shape = shape
        self.indices: Any = np.asarray(indices, dtype=index)
        self.indptr: Any = np.asarray(indptr, dtype=index)

    @property
    def nnz(self) -> int:
        """How many entries are stored."""
        return len(self.data)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        dtype: np.dtype[Any] = self.data.dtype
        return dtype

    @cached_property
    def _scipy(self) -> csr_array:
        from scipy.sparse import csr_array

        matrix = csr_array((self.data, self.indices, self.indptr), shape=self.shape)
        matrix.has_sorted_indices = True
        return matrix

    def tocsr(self) -> csr_array:
        """The same arrays as a matrix of SciPy."""
        return self._scipy

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._scipy, name)

    def __getitem__(self, at: Any) -> Any:
        return self._scipy[at]

    def __matmul__(self, other: Any) -> Any:
        return self._scipy @ other

    def __rmatmul__(self, other: Any) -> Any:
        return other @ self._scipy


def as_sparse_rows(matrix: Any) -> SparseRows:
    """An array, or a matrix of SciPy with sorted indices, as sparse rows without zeros of the array.

    >>> as_sparse_rows(np.array([[0.0, 2.0], [3.0, 0.0]])).indices.tolist()
    [1, 0]
    """
    if isinstance(matrix, SparseRows):
        return matrix
    if isinstance(matrix, np.ndarray):
        rows, columns = np.nonzero(matrix)
        index = np.int32 if len(rows) < 1 << 31 else np.int64  # as SciPy has it; kernels are compiled for these
        indptr = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(index)
        return SparseRows(matrix[rows, columns], columns.astype(index), indptr, (matrix.shape[0], matrix.shape[1]))
    return SparseRows(matrix.data, matrix.indices, matrix.indptr, matrix.shape)


def stacked(above: SparseRows, below: SparseRows, rows: Ints) -> SparseRows:
    """One matrix with all rows of the first and, after them, these rows of the second.

    >>> first, second = as_sparse_rows(np.array([[0.0, 1.0]])), as_sparse_rows(np.array([[0.0, 0.0], [2.0, 0.0]]))
    >>> stacked(first, second, np.array([1])).toarray().tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    starts, ends = below.indptr[rows].astype(np.int64), below.indptr[rows + 1].astype(np.int64)
    entries = entries_of(starts, ends)
    indptr = np.concatenate([above.indptr.astype(np.int64), above.nnz + np.cumsum(ends - starts)])
    return SparseRows(
        np.concatenate([above.data, below.data[entries]]),
        np.concatenate([above.indices, below.indices[entries]]),
        indptr,
        (above.shape[0] + len(rows), above.shape[1]),
    )


def joined_rows(parts: list[SparseRows], width: int) -> SparseRows:
    """Matrices of one width, one after the other.

    >>> rows = as_sparse_rows(np.array([[0.0, 2.0], [3.0, 0.0]]))
    >>> joined_rows([rows, rows], 2).indptr.tolist(), joined_rows([], 2).shape
    ([0, 1, 2, 3, 4], (0, 2))
    """
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(part.nnz for part in parts)])
    pointers = [part.indptr[1:] + start for part, start in zip(parts, starts[:-1].tolist(), strict=True)]
    return SparseRows(
        np.concatenate([np.zeros(0, dtype=np.float32), *(part.data for part in parts)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.indices for part in parts)]),
        np.concatenate([[0], *pointers]),
        (sum(part.shape[0] for part in parts), width),
    )


def entries_of(starts: Ints, ends: Ints) -> Ints:
    """The numbers from each start to its end, one after another.

    >>> entries_of(np.array([3, 9, 1]), np.array([5, 9, 2])).tolist()
    [3, 4, 1]
    """
    lengths = ends - starts
    offsets = starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else starts
    return np.asarray(np.repeat(offsets, lengths) + np.arange(int(lengths.sum())), dtype=np.int64)


def only_rows(matrix: SparseRows, rows: Ints) -> SparseRows:
    """The matrix with these rows, in rising order, and all others empty.

    >>> matrix = as_sparse_rows(np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 0.0]]))
    >>> only_rows(matrix, np.array([0, 2])).toarray().tolist()
    [[1.0, 2.0], [0.0, 0.0], [4.0, 0.0]]
    """
    starts, ends = matrix.indptr[rows].astype(np.int64), matrix.indptr[rows + 1].astype(np.int64)
    lengths = np.zeros(matrix.shape[0] + 1, dtype=np.int64)
    lengths[rows + 1] = ends - starts
    entries = entries_of(starts, ends)
    return SparseRows(matrix.data[entries], matrix.indices[entries], np.cumsum(lengths), matrix.shape)


def weighted_sums(weights: Any, rows: Ints, indptr: Ints, matrix: SparseRows) -> SparseRows:
    """Row r of the result is Σ weights[i]·matrix[rows[i]], i from `indptr[r]` to `indptr[r + 1]`, added in that order.

    >>> matrix = SparseRows(np.float32([1, 2, 4]), [0, 1, 1], [0, 2, 3], (2, 3))
    >>> weighted_sums(np.float32([1, 0.5, 3]), np.array([0, 1, 1]), np.array([0, 2, 3]), matrix).toarray().tolist()
    [[1.0, 4.0, 0.0], [0.0, 12.0, 0.0]]
    """
    count, width = len(indptr) - 1, matrix.shape[1]
    if count > _FEW:  # the same sums in the same order, which are worth loading SciPy for
        from scipy.sparse import csr_array

        product = csr_array((weights, rows, indptr), shape=(count, matrix.shape[0])) @ matrix.tocsr()
        product.sort_indices()
        return as_sparse_rows(product)
    starts, ends = matrix.indptr[rows].astype(np.int64), matrix.indptr[rows + 1].astype(np.int64)
    entries, lengths = entries_of(starts, ends), ends - starts
    target = np.repeat(np.repeat(np.arange(count), np.diff(indptr)), lengths)
    values = np.repeat(weights, lengths) * matrix.data[entries]
    return summed(target, matrix.indices[entries], values, (count, width))


def summed(rows: Ints, columns: Ints, values: Any, shape: tuple[int, int]) -> SparseRows:
    """The matrix of entries in any order; those of one place are added one after another, in their precision.

    >>> summed(np.array([1, 0, 1]), np.array([2, 0, 2]), np.float32([1, 2, 3]), (2, 3)).toarray().tolist()
    [[2.0, 0.0, 0.0], [0.0, 0.0, 4.0]]
    """
    count, width = shape
    keys, places = distinct_places(rows * np.int64(width) + columns)
    sums = np.zeros(len(keys), dtype=values.dtype)
    np.add.at(sums, places, values)
    return SparseRows(sums, keys % width, np.searchsorted(keys, np.arange(count + 1) * width), shape)


def distinct(numbers: Ints) -> Ints:
    """The different numbers, sorted; `numpy.unique` without the modules that it loads.

    >>> distinct(np.array([3, 1, 3])).tolist(), distinct(np.zeros(0, dtype=np.int64)).tolist()
    ([1, 3], [])
    """
    ordered = np.sort(numbers)
    return ordered[_firsts(ordered)]


def distinct_places(numbers: Ints) -> tuple[Ints, Ints]:
    """The different numbers, sorted, and the place among them of every number.

    >>> [part.tolist() for part in distinct_places(np.array([3, 1, 3]))]
    [[1, 3], [1, 0, 1]]
    """
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = _firsts(ordered)
    places = np.empty(len(numbers), dtype=np.int64)
    places[order] = np.cumsum(first) - 1
    return ordered[first], places


def _firsts(ordered: Ints) -> Bools:
    """Which of sorted numbers differ from the one before."""
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return first


def are_among(numbers: Ints, sorted_numbers: Ints) -> Bools:
    """Which numbers are among sorted ones; `numpy.isin` without the modules that it loads.

    >>> are_among(np.array([3, 1, 9]), np.array([1, 2, 3])).tolist(), are_among(np.array([3]), np.array([])).tolist()
    ([True, True, False], [False])
    """
    if not len(sorted_numbers):
        return np.zeros(len(numbers), dtype=np.bool_)
    places = np.minimum(np.searchsorted(sorted_numbers, numbers), len(sorted_numbers) - 1)
    return np.asarray(sorted_numbers[places] == numbers)
