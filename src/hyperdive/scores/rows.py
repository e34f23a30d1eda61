"""Vectors of distinct terms, with the sum, norm and entropy of each."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._sparse_rows import as_sparse_rows, distinct_places
from hyperdive._types import Floats, Ints
from hyperdive.scores._blocks import in_blocks, kernels, run
from hyperdive.spaces.space import VectorSpace


class Rows:
    """Vectors of distinct terms, dense or sparse or those of a space, and the sums, norms and entropies of each.

    >>> rows = Rows(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> rows.sums.tolist(), rows.norms.round(3).tolist(), rows.entropies.round(3).tolist()
    ([2.0, 0.0], [1.414, 0.0], [0.693, 0.0])
    """

    def __init__(self, matrix: Any, *, threads: int = 0) -> None:
        self._vectors = matrix
        self.threads = threads
        self._single_sums = 0  # rows whose sums were computed for themselves

    @property
    def matrix(self) -> Any:
        """The vectors: an array or a CSR matrix; those of a space in 8 bits are unpacked now, all of them."""
        return self._vectors.arrays if isinstance(self._vectors, VectorSpace) else self._vectors

    def taken(self, rows: Ints) -> Any:
        """The vectors at these rows; of those in 8 bits no others are unpacked."""
        return self._vectors.rows(rows) if isinstance(self._vectors, VectorSpace) else self._vectors[rows]

    def few_of(self, *rows: Ints) -> tuple[Any, list[Ints]]:
        """Dense vectors, and where among them each of these rows is: all of them, unless they are in 8 bits.

        >>> from hyperdive._quantize import PackedRows, rounded
        >>> space = VectorSpace(list("abcd"), PackedRows(*rounded(np.diag([1.0, 2.0, 3.0, 4.0]))),
        ...                     frequencies=np.ones(4), kind="skipgram")
        >>> vectors, (q, p) = Rows(space).few_of(np.array([2, 2]), np.array([0, 2]))
        >>> vectors.tolist(), q.tolist(), p.tolist()
        ([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]], [1, 1], [0, 1])
        """
        wanted = sum(map(len, rows))
        if not isinstance(self._vectors, VectorSpace) or self._vectors.packed is None or wanted > len(self):
            return self.matrix, list(rows)
        distinct, places = distinct_places(np.concatenate(rows))
        return self.taken(distinct), np.split(places, np.cumsum([len(some) for some in rows])[:-1])

    def __len__(self) -> int:
        return int(self._vectors.shape[0])

    @property
    def is_sparse(self) -> bool:
        if isinstance(self._vectors, VectorSpace):
            return self._vectors.is_sparse
        return not isinstance(self._vectors, np.ndarray)

    @cached_property
    def csr(self) -> Any:
        """The rows as CSR with sorted indices and without zeros."""
        if not self.is_sparse:
            return as_sparse_rows(self.matrix)
        matrix = self.matrix
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        if not (matrix.data != 0).all():
            matrix = matrix.tocsr().copy()
            matrix.eliminate_zeros()
        return matrix

    def run(self, kernel: Any, *arguments: Any, columns: int = 0) -> Floats:
        """Run a kernel over all rows; it fills one number (or `columns` numbers) a row."""
        return run(kernel, len(self), *arguments, columns=columns, threads=self.threads)

    @cached_property
    def _sums(self) -> Floats:
        if not self.is_sparse:  # zeros change no sum, so an array is read as it is
            count, width = self.matrix.shape
            ends = np.arange(count + 1, dtype=index_type(count * width)) * width
            return self.run("row_sums", ends, np.ascontiguousarray(self.matrix).reshape(-1), columns=2)
        return self.run("row_sums", self.csr.indptr, self.csr.data, columns=2)

    @property
    def sums(self) -> Floats:
        """S(x) = Σᵢ x[i]."""
        return self._sums[:, 0]

    @property
    def norms(self) -> Floats:
        """‖x‖₂."""
        return np.asarray(np.sqrt(self.squares))

    @property
    def squares(self) -> Floats:
        """‖x‖₂²."""
        return self._sums[:, 1]

    def squares_of(self, rows: Ints) -> Floats:
        """`squares` of these rows; of a few rows of many, only theirs are computed."""
        self._single_sums += len(rows)
        if self.is_sparse or "_sums" in self.__dict__ or self._single_sums > len(self) // 4:
            return self.squares[rows]
        distinct, place = distinct_places(rows)
        return Rows(self.taken(distinct), threads=self.threads).squares[place]

    @cached_property
    def entropies(self) -> Floats:
        """H(x/S(x)) in nats; 0 for the zero vector."""
        return self.run(kernels.row_entropies, self.csr.indptr, self.csr.data, self.sums)

    @cached_property
    def feature_ranks(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Aligned with `csr.data`: each row's features by falling weight, and the rank (from 1) of each feature."""
        order = np.zeros(len(self.csr.data), dtype=np.int32)
        ranks = np.zeros(len(self.csr.data), dtype=np.int32)
        in_blocks(kernels.feature_ranks, len(self), self.csr.indptr, self.csr.data, order, ranks, threads=self.threads)
        return order, ranks

    @property
    def sizes(self) -> Ints:
        """The number of non-zero dimensions of each row."""
        return np.asarray(np.diff(self.csr.indptr), dtype=np.int64)

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no entry is below zero, as the inclusion scores need."""
        return bool(self.csr.data.size == 0 or self.csr.data.min() >= 0)


def index_type(size: int) -> type[np.signedinteger[Any]]:
    """The narrowest type that numbers `size` entries."""
    return np.int32 if size <= np.iinfo(np.int32).max else np.int64
