"""Skip-gram vectors from the counts: the factorisation that word2vec reaches by sampling, reached directly.

Skip-gram with k negatives drawn from P(c)^0.75 factorises the shifted PMI (Levy and Goldberg 2014)

    M[w,c] = log n(w,c)·Σ_c'#(c')^0.75 / (#(w)·#(c)^0.75) - log k

Its positive part is sparse, so its largest singular values and vectors come from a few products with a thin matrix,
M = U·S·Vᵀ, and words are U·S^p. Vectors trained by sampling all lean to one side, so that cosines are seldom negative;
`lean` gives the same to these: a constant last dimension, which moves every cosine towards 1 and keeps their order.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hyperdive._resources import Run
from hyperdive._types import Floats, Floats32
from hyperdive.errors import OptionError
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.dive_options import check_size, workers
from hyperdive.spaces.space import unit_rows

BLOCK = 256
NEVER = np.float32(-1e9)  # added to a logarithm: no association, whatever the count
_DEPENDENT = 1e-4  # the digits that a Gram matrix loses: of 16 eight are left, more than 32 bits hold
EXTRA = 20  # more columns than asked for: the last wanted singular vectors converge much sooner


@dataclass(frozen=True, kw_only=True)
class SkipgramOptions:
    """Options of skip-gram vectors; word2vec's values next to ours."""

    dimensions: int = 100
    """Length of a vector, the constant last dimension included. Paper: 100."""
    negatives: float = 1.0
    """k: log k is taken off the PMI; 1 takes nothing off. word2vec: 5, which its sub-sampling weakens."""
    smoothing: float = 0.75
    """Power of a context's count among the negatives. word2vec: 0.75."""
    power: float = 0.5
    """p of U·S^p: 1 keeps the weight of the strongest dimensions, 0 gives all the same."""
    lean: float = 0.1
    """Squared length of the constant dimension that is appended to vectors of length 1; 0 leaves it out."""
    rounds: int = 3
    """Products with M and Mᵀ in turn; more find the singular vectors more exactly."""
    unknown: bool = False
    """Whether the unknown symbol takes part."""
    seed: int = 0
    """The same seed gives the same bytes."""

    def __post_init__(self) -> None:
        if self.dimensions < 2 and self.lean:
            raise OptionError("one dimension is the constant one", hint="use 2 dimensions or more, or a lean of 0")


class SkipgramResult(NamedTuple):
    """Vectors row by row as the counts had them, the singular values behind them, and what new rows need."""

    words: Floats32
    singular_values: Floats32
    folding: Floats32
    """V·S^(p-1), scaled to a largest entry of 1: M·folding has the directions of the words, for new rows of M too."""
    context_terms: Floats32
    """What of M[w,c] depends on c alone; `NEVER` for a context that takes no part."""


def train_skipgram(counts: CountMatrix, *, run: Run = Run(), **options: Any) -> SkipgramResult:
    """Skip-gram vectors of unfiltered counts n(w,c), the unknown symbol first; `options` of `SkipgramOptions`.

    >>> pairs = np.kron(np.eye(2), np.ones((20, 20))) * 8 + 1
    >>> indptr, indices = np.arange(41) * 40, np.tile(np.arange(40), 40)
    >>> counts = CountMatrix.checked(indptr, indices, pairs.ravel(), np.full(40, 20))
    >>> words = train_skipgram(counts, dimensions=5, lean=0).words
    >>> same, other = words[1] @ words[2], words[1] @ words[30]
    >>> words.shape, round(float(same), 3), round(float(other), 3)
    ((40, 5), 1.0, 0.0)
    """
    chosen = SkipgramOptions(**options)
    check_size(counts.frequencies, chosen.dimensions)
    wanted = chosen.dimensions - (1 if chosen.lean else 0)
    columns = min(wanted + EXTRA, counts.size)
    total = 2 * chosen.rounds + 1
    with workers(run.threads) as pool, run.progress.stage("skip-gram", total=total, unit="products") as bar:
        matrix = Association(counts, chosen, pool)
        generator = np.random.default_rng(chosen.seed)
        right = generator.standard_normal((counts.size, columns), dtype=np.float32)
        for _ in range(chosen.rounds):
            left, _ = orthonormal(matrix.times(right))
            bar.advance(1)
            right, _ = orthonormal(matrix.turned_times(left))
            bar.advance(1)
        left, triangle = orthonormal(matrix.times(right))
        turned, values, turn = np.linalg.svd(triangle)
        left = left @ turned
        to_right = turn[:wanted].T * _powers(values[:wanted], chosen.power - 1)
        folding = np.asarray(right @ to_right, dtype=np.float32)
        bar.advance(1)
    folding /= max(float(np.abs(folding).max(initial=0.0)), 1e-30)
    words = left[:, :wanted] * _powers(values[:wanted], chosen.power)
    lengths = np.sqrt(np.square(words, dtype=np.float64).sum(axis=1))
    shortest = 1e-9 * max(float(lengths.max(initial=0.0)), 1e-30)
    return SkipgramResult(
        unit_rows(words, chosen.lean, shortest), values[:wanted].astype(np.float32), folding, matrix.context_terms
    )


def orthonormal(columns: Floats32) -> tuple[Floats32, Floats32]:
    """Q and R of a tall matrix, Q·R with QᵀQ = 1 and R an upper triangle, by the Cholesky factor of its Gram matrix.

    Products of matrices in double precision are several times as fast as reflections, which remain for columns that are
    nearly dependent.

    >>> q, r = orthonormal(np.array([[3, 1], [4, 1], [0, 1]], dtype=np.float32))
    >>> (q.T @ q).round(6).tolist(), (q @ r).round(5).tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[3.0, 1.0], [4.0, 1.0], [0.0, 1.0]])
    """
    wide = columns.astype(np.float64)
    try:
        factor = np.linalg.cholesky(wide.T @ wide)
    except np.linalg.LinAlgError:
        return np.linalg.qr(columns)
    if np.diag(factor).min() < _DEPENDENT * np.diag(factor).max():
        return np.linalg.qr(columns)
    return (wide @ np.linalg.inv(factor).T).astype(np.float32), factor.T.astype(np.float32)


def _powers(values: Floats32, power: float) -> Floats32:
    """S^p, 0 where S is 0, without a warning.

    >>> with np.errstate(all="raise"):
    ...     _powers(np.array([4, 0.25, 0], dtype=np.float32), -0.5).tolist()
    [0.5, 2.0, 0.0]
    """
    return np.where(values > 0, np.where(values > 0, values, 1) ** power, 0).astype(values.dtype)


class Association:
    """The positive part of the shifted PMI as something to multiply with; its entries are never stored."""

    def __init__(self, counts: CountMatrix, options: SkipgramOptions, pool: ThreadPoolExecutor) -> None:
        self._counts, self._pool = counts, pool
        rows, contexts = _row_sums(counts), _row_sums(counts.by_context)
        smoothed = contexts**options.smoothing
        never = -np.float32(np.inf)  # a word without a context has no association
        with np.errstate(divide="ignore"):
            by_word = -np.log(rows) - np.log(options.negatives)
            by_context = np.log(smoothed[0 if options.unknown else 1 :].sum()) - np.log(smoothed)
        self._word_term = np.where(rows > 0, by_word, never).astype(np.float32)
        self._context_term = np.where(contexts > 0, by_context, never).astype(np.float32)
        if not options.unknown:
            self._word_term[0] = self._context_term[0] = never

    @property
    def context_terms(self) -> Floats32:
        """What of M[w,c] depends on c alone."""
        return np.maximum(self._context_term, NEVER)

    def times(self, right: Floats32) -> Floats32:
        """M·right."""
        return self._product(self._counts, self._word_term, self._context_term, right)

    def turned_times(self, left: Floats32) -> Floats32:
        """Mᵀ·left."""
        return self._product(self._counts.by_context, self._context_term, self._word_term, left)

    def _product(self, counts: CountMatrix, row_term: Floats32, column_term: Floats32, other: Floats32) -> Floats32:
        from hyperdive.kernels.dive import ppmi_product

        out = np.empty((counts.size, other.shape[1]), dtype=np.float32)
        held = np.ascontiguousarray(other)

        def block(start: int) -> None:
            end = min(start + BLOCK, counts.size)
            ppmi_product(start, end, counts.indptr, counts.indices, counts.data, row_term, column_term, held, out)

        list(self._pool.map(block, range(0, counts.size, BLOCK)))
        return out


def _row_sums(counts: CountMatrix) -> Floats:
    from hyperdive.kernels.dive import row_sums

    sums = np.empty(counts.size)
    row_sums(counts.indptr, counts.data, sums)
    return sums
