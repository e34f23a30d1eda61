"""PPMI of pair counts, smoothed by a truncated singular value decomposition.

With n(q, p) how often the text states that q is a kind of p, n(q, ·) and n(·, p) the sums and N the sum of all:

    M[q, p] = max(0, log(n(q, p)·N / (n(q, ·)·n(·, p))))            M ≈ U·Σ·Vᵀ

The smoothed value of a pair is (U·Σ)[q]·V[p]. As M·V = U·Σ, only V is kept: what a term is as a hyponym is its sparse
row of M times V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from hyperdive._types import Ints

RANK = 100
"""Dimensions of the decomposition."""
MOST = 40_000
"""Maximum hypernyms in the decomposition: those with the most distinct hyponyms."""
_SEED = 0


def ppmi_matrix(counts: Any, hyponym_totals: Ints, hypernym_totals: Ints, total: int) -> Any:
    """M as float32 CSR, without entries that are 0.

    >>> from scipy.sparse import csr_array
    >>> counts = csr_array(np.array([[4, 0], [1, 1]]))
    >>> ppmi_matrix(counts, np.array([4, 2]), np.array([5, 1]), 6).toarray().round(3)
    array([[0.182, 0.   ],
           [0.   , 1.099]], dtype=float32)
    """
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    values = ppmi_values(counts.data, hyponym_totals[rows], hypernym_totals[counts.indices], total)
    positive = values > 0
    indptr = np.concatenate([[0], np.cumsum(positive)])[counts.indptr]
    return csr_array((values[positive].astype(np.float32), counts.indices[positive], indptr), shape=counts.shape)


def ppmi_with_words(counts: Any, is_word: npt.NDArray[np.bool_]) -> Any:
    """PPMI of every term with the hypernyms of one word, their sums taken over words alone."""
    size = len(is_word)
    is_word_column = is_word[counts.indices]
    rows = np.repeat(np.arange(size), np.diff(counts.indptr))[is_word_column]
    columns, values = counts.indices[is_word_column], counts.data[is_word_column]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))]).astype(np.int64)
    of_words = is_word[rows]
    sums = np.bincount(columns[of_words], values[of_words], minlength=size).astype(np.int64)
    below = np.bincount(rows, values, minlength=size).astype(np.int64)
    return ppmi_matrix(csr_array((values, columns, indptr), shape=counts.shape), below, sums, int(sums.sum()))


def rows_of_words(matrix: Any, is_word: npt.NDArray[np.bool_]) -> Any:
    """A CSR array of the same shape with the rows of words alone."""
    in_word_row = np.repeat(is_word, np.diff(matrix.indptr))
    indptr = np.concatenate([[0], np.cumsum(np.where(is_word, np.diff(matrix.indptr), 0))]).astype(np.int64)
    return csr_array((matrix.data[in_word_row], matrix.indices[in_word_row], indptr), shape=matrix.shape)


def ppmi_values(counts: Any, hyponym_totals: Any, hypernym_totals: Any, total: int) -> npt.NDArray[np.float64]:
    """max(0, log(n(q, p)·N / (n(q, ·)·n(·, p)))) for each pair, 0 where the count is 0.

    >>> ppmi_values([1, 0, 4, 2], [1, 2, 8, 2], [1, 3, 8, 0], 8).round(4).tolist()
    [2.0794, 0.0, 0.0, 0.0]
    """
    counts = np.asarray(counts, dtype=np.float64)
    below = np.asarray(hyponym_totals, dtype=np.float64) * np.asarray(hypernym_totals, dtype=np.float64)
    stated = counts > 0
    ratio = np.divide(counts * total, below, out=np.ones_like(counts), where=stated & (below > 0))
    return np.asarray(np.maximum(np.log(ratio), 0.0))


@dataclass(frozen=True, eq=False)
class Factors:
    """V: a row for each of the terms `hypernyms` (sorted numbers). Columns fall by singular value.

    `hyponyms` and `u`, where they are there, are rows of U·Σ that cannot be made from V any more.
    """

    hypernyms: Ints
    v: npt.NDArray[np.float16]
    hyponyms: Ints | None = None
    u: npt.NDArray[np.float16] | None = None

    @property
    def rank(self) -> int:
        return int(self.v.shape[1])


def placed(numbers: Ints, rows: Any, wanted: Ints) -> npt.NDArray[np.float32]:
    """Rows by number; zero where a number is not among `numbers`.

    >>> placed(np.array([3]), np.array([[1.0, 2.0]]), np.array([3, 4])).tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """
    values = np.zeros((len(wanted), rows.shape[1]), dtype=np.float32)
    if len(numbers):
        place = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
        known = numbers[place] == wanted
        values[known] = rows[place[known]]
    return values


def factorise(matrix: Any, rank: int = RANK, *, most: int = MOST) -> Factors:
    """V of the truncated decomposition of a sparse matrix, in 16 bits; the same bytes however many cores there are.

    Args:
        matrix: hyponyms × hypernyms, CSR.
        rank: the number of dimensions.
        most: the maximum number of columns; those with the most entries are used.

    >>> from scipy.sparse import csr_array
    >>> found = factorise(csr_array(np.array([[2.0, 2.0, 0.0], [1.0, 1.0, 0.0]])), rank=1)
    >>> found.hypernyms.tolist(), found.v.round(3).tolist()
    ([0, 1], [[0.70703125], [0.70703125]])
    """
    import scipy.sparse.linalg  # noqa: F401 before the limit: it brings a BLAS of its own, which the limit must find
    from threadpoolctl import threadpool_limits

    columns = _widest(matrix, most)
    small = matrix[:, columns].astype(np.float64)
    small = small[np.flatnonzero(np.diff(small.indptr))]
    rank = min(rank, *small.shape)
    with threadpool_limits(1, "blas"):
        v = _right_vectors(small, rank) if rank else np.zeros((len(columns), 0))
    return Factors(columns, v.astype(np.float16))


def _widest(matrix: Any, most: int) -> Ints:
    """The columns that have at least so many entries that there are no more than `most` of them.

    >>> from scipy.sparse import csr_array
    >>> _widest(csr_array(np.array([[1, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]])), 2).tolist()
    [0, 3]
    """
    sizes = np.bincount(matrix.indices, minlength=matrix.shape[1])
    fewest = 1
    while np.count_nonzero(sizes >= fewest) > most:
        fewest += 1
    return np.flatnonzero(sizes >= fewest)


def _right_vectors(matrix: Any, rank: int) -> npt.NDArray[np.float64]:
    smaller = min(matrix.shape)
    if smaller <= max(2 * rank, 64):  # the iteration wants room between the rank and the size
        _, sizes, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
        right = right[:rank]
        right[sizes[:rank] < 1e-10 * max(float(sizes[0]), 1e-300)] = 0.0  # rank-deficient: the direction would be noise
    else:
        from scipy.sparse.linalg import svds

        # the result is rounded to 16 bits, so 32 are enough on the way
        start = np.random.default_rng(_SEED).standard_normal(smaller).astype(np.float32)
        room = min(rank + max(rank // 2, 20), smaller - 1)
        _, sizes, right = svds(matrix.astype(np.float32), k=rank, v0=start, ncv=room, solver="arpack", tol=1e-4)
        right = right[np.argsort(-sizes, kind="stable")].astype(np.float64)
        right[np.sort(sizes)[::-1] < 1e-5 * float(sizes.max())] = 0.0
    v: npt.NDArray[np.float64] = np.ascontiguousarray(right.T)
    # the sign of a singular vector is arbitrary: make its largest entry positive
    largest = v[np.argmax(np.abs(v), axis=0), np.arange(v.shape[1])]
    return v * np.where(largest < 0, -1.0, 1.0)
