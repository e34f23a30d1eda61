"""What the solvers maximise, and its exact value.

    L = Σ_(w,c) n(w,c)·log σ(w·c) + κ·Σ_w Z_w·Σ_c P(c)·log σ(-w·c),     w, c ≥ 0

with κ = 2·window·k_I, P(c) = n(c)/T, and Z_w = Z = T/|V| the mean number of tokens a word: the inclusion shift. Two
bridges lead from there: words rarer than average may have Z_w = Z·min(1, (n(w)/Z)^β), and without the shift Z_w = n(w).
The n(w,c) of very frequent words may be thinned out as word2vec does it (`kept_shares`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._types import Floats, Floats32, Ints
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import InputError

FLOOR = 20.0
ROWS_AT_ONCE = 32
"""Rows whose objectives or residuals are worked out together: part of their last bits."""


def word_weights(frequencies: Ints, *, beta: float = 0.0, shift: bool = True, of: Ints | None = None) -> Floats:
    """Z_w, how many tokens' worth of negatives each word gets; or each of the terms with the counts `of`.

    >>> n = np.array([1, 4, 16, 79])
    >>> word_weights(n).tolist(), word_weights(n, beta=0.5).tolist()
    ([25.0, 25.0, 25.0, 25.0], [5.0, 10.0, 20.0, 25.0])
    >>> word_weights(n, shift=False).tolist()
    [1.0, 4.0, 16.0, 79.0]
    """
    n = (frequencies if of is None else of).astype(np.float64)
    if not shift:
        return n
    mean = frequencies.sum(dtype=np.float64) / len(frequencies)
    # a word without tokens has no weight, whatever β, such as the unknown symbol where no word is rare
    weights: Floats = np.where(n > 0, mean * np.minimum(1.0, n / mean) ** beta, 0.0)
    return weights


def kept_shares(frequencies: Ints, share: float, *, of: Ints | None = None) -> Floats:
    """Which part of its tokens every word would keep: √(m/n(w)) of those of words with more than m = share·T tokens.

    `of` are the counts of terms for which this is asked, if not for the words themselves.

    This is how word2vec thins out frequent words. m is at least `FLOOR` times the mean count, so that a text of few
    words, where all have a large share, is left alone.

    >>> n = np.r_[100_000, np.full(9_999, 50)]
    >>> kept_shares(n, 0.01).round(3)[:2].tolist(), kept_shares(n, 0.0).min().tolist()
    ([0.245, 1.0], 1.0)
    >>> kept_shares(np.array([800, 100, 50, 50]), 0.01).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    n = (frequencies if of is None else of).astype(np.float64)
    if share == 0:
        return np.ones(len(n))
    words = frequencies.astype(np.float64)
    most = max(share * words.sum(), FLOOR * words.mean())
    kept: Floats = np.minimum(1.0, np.sqrt(most / np.maximum(n, 1.0)))
    return kept


@dataclass(frozen=True)
class CountMatrix:
    """Filtered counts n(w,c) as sorted rows, checked once: both ways round, and the tokens of every word."""

    indptr: Ints
    indices: npt.NDArray[np.int32]
    data: Floats32
    frequencies: Ints
    mirrored: CountMatrix | None = None
    """The same counts context by context, where they are not symmetric."""

    @property
    def size(self) -> int:
        """|V|."""
        return len(self.frequencies)

    @property
    def by_context(self) -> CountMatrix:
        """n(w,c) with c as the row."""
        return self if self.mirrored is None else self.mirrored

    @classmethod
    def of(cls, counts: Cooccurrence, *, filtered: PmiFilter | None = None, threads: int | None = None) -> CountMatrix:
        """The counts of a store that pass a filter."""
        matrix = counts.csr(filtered=filtered, threads=threads)
        return cls.checked(*matrix, counts.frequencies, symmetric=counts.options.sides == "both")

    @classmethod
    def checked(
        cls,
        indptr: npt.NDArray[np.integer],
        indices: npt.NDArray[np.integer],
        data: npt.NDArray[np.generic],
        frequencies: npt.NDArray[np.integer],
        *,
        symmetric: bool = True,
    ) -> CountMatrix:
        """Arrays of a count matrix, refused with one line when they cannot be trained on."""
        size = len(frequencies)
        damaged = "the counts are damaged; count the corpus again"
        shaped = len(indptr) == size + 1 and len(indices) == len(data) and int(indptr[0]) == 0
        if not shaped or int(indptr[-1]) != len(indices) or bool((np.diff(indptr) < 0).any()):
            raise InputError("the arrays of the counts do not fit together", hint=damaged)
        if len(indices) == 0:
            raise InputError(
                "no pair of words is left to train on",
                hint="lower --pmi-filter, or give it more text or a wider window",
            )
        if int(indices.min()) < 0 or int(indices.max()) >= size:
            raise InputError("the counts name words outside the vocabulary", hint=damaged)
        values = np.ascontiguousarray(data, dtype=np.float32)
        if not np.isfinite(values).all() or float(values.min()) < 0 or int(np.min(frequencies)) < 0:
            raise InputError("the counts hold values that are not numbers of meetings", hint=damaged)
        rows = np.ascontiguousarray(indptr, dtype=np.int64)
        columns = np.ascontiguousarray(indices, dtype=np.int32)
        tokens = np.ascontiguousarray(frequencies, dtype=np.int64)
        if symmetric:
            return cls(rows, columns, values, tokens)
        from scipy import sparse

        turned = sparse.csr_array((values, columns, rows), shape=(size, size)).T.tocsr()
        turned.sort_indices()
        mirrored = cls(turned.indptr.astype(np.int64), turned.indices.astype(np.int32), turned.data, tokens)
        return cls(rows, columns, values, tokens, mirrored)

    def sampled(self, share: float) -> CountMatrix:
        """The counts as they would be expected if tokens of very frequent words had been left out (`kept_shares`)."""
        from hyperdive.kernels.dive import scale_entries

        kept = kept_shares(self.frequencies, share)
        if bool((kept == 1).all()):
            return self
        data = np.empty_like(self.data)
        scale_entries(self.indptr, self.indices, self.data, kept.astype(np.float32), data)
        mirrored = None if self.mirrored is None else self.mirrored.sampled(share)
        return replace(self, data=data, mirrored=mirrored)

    def ends(self, limit: int) -> Ints:
        """Where the entries under `limit` of each row end."""
        from hyperdive.kernels.dive import row_ends

        ends = np.empty(self.size, dtype=np.int64)
        if not row_ends(self.indptr, self.indices, limit, ends):
            raise InputError(
                "the rows of the counts are not sorted", hint="the counts are damaged; count the corpus again"
            )
        return ends


class ScaledRows(NamedTuple):
    """A table in 16 bits: entry times scale of its row; columns of zeros fill up the last vector of eight numbers."""

    entries: npt.NDArray[np.uint16]
    scales: Floats32


def scaled_rows(table: Floats32) -> ScaledRows:
    """A table of numbers ≥ 0 in half the bytes, to 1/65535 of the largest entry of each row.

    >>> entries, scales = scaled_rows(np.array([[0.5, 0.0, 0.25], [0, 0, 0]], dtype=np.float32))
    >>> entries.shape, entries[:, :3].tolist(), (entries[0, :3] * scales[0]).round(4).tolist(), float(scales[1])
    ((2, 32), [[65535, 0, 32768], [0, 0, 0]], [0.5, 0.0, 0.25], 0.0)
    """
    from hyperdive.kernels.dive import LANES, scale_rows

    rows, dimensions = table.shape
    entries = np.zeros((rows, -(-dimensions // LANES) * LANES), dtype=np.uint16)
    scales = np.empty(rows, dtype=np.float32)
    scale_rows(table, entries, scales)
    return ScaledRows(entries, scales)


class CompressedRows(NamedTuple):
    """The entries of a table that are above 0, row by row."""

    offsets: Ints
    columns: npt.NDArray[np.uint16]
    values: Floats32


def compressed_rows(table: Floats32) -> CompressedRows:
    """A table of numbers ≥ 0 without its zeros.

    >>> compressed_rows(np.array([[0, 2, 3], [0, 0, 0], [4, 0, 0]], dtype=np.float32)).offsets.tolist()
    [0, 2, 2, 3]
    """
    from hyperdive.kernels.dive import compress_rows

    many = int(np.count_nonzero(table))
    offsets = np.empty(len(table) + 1, dtype=np.int64)
    columns, values = np.empty(many, dtype=np.uint16), np.empty(many, dtype=np.float32)
    compress_rows(table, offsets, columns, values)
    return CompressedRows(offsets, columns, values)


def sample_rows(first: int, last: int, many: int) -> Ints:
    """At most `many` rows, the middles of equal parts of a range: the fixed sample on which the objective is exact.

    >>> sample_rows(0, 10, 4).tolist(), sample_rows(3, 6, 4).tolist()
    ([1, 3, 6, 8], [3, 4, 5])
    """
    if last - first <= many:
        return np.arange(first, last)
    return first + (last - first) * (2 * np.arange(many) + 1) // (2 * many)


def row_objectives(
    counts: CountMatrix,
    rows: Ints,
    own: Floats32,
    other: Floats32,
    weights: npt.NDArray[np.floating],
    masses: npt.NDArray[np.floating],
    *,
    ends: Ints | None = None,
) -> Floats:
    """The part of L each of these rows has, with every negative of `masses` summed.

    For words `weights` is κ·Z_w and `masses` is P(c); for contexts κ·P(c) and Z_w. Only contexts inside `masses` count.

    >>> counts = CountMatrix.checked(np.array([0, 1, 2]), np.array([1, 0]), np.array([3, 3]), np.array([5, 5]))
    >>> zero = np.zeros((2, 4), dtype=np.float32)
    >>> row_objectives(counts, np.arange(2), zero, zero, np.ones(2), np.array([0.5, 0.5])) / np.log(0.5)
    array([4., 4.])
    """
    from hyperdive.kernels.dive import positive_objective

    result = np.empty(len(rows), dtype=np.float64)
    stops = counts.indptr[1:] if ends is None else ends
    held = other[: len(masses)]

    for start in range(0, len(rows), ROWS_AT_ONCE):
        some, here = rows[start : start + ROWS_AT_ONCE], result[start : start + ROWS_AT_ONCE]
        positive_objective(some, counts.indptr[:-1], stops, counts.indices, counts.data, own, other, here)
        dots = own[some] @ held.T
        softplus = np.log1p(np.exp(-np.abs(dots)))
        softplus += np.maximum(dots, 0)
        here -= weights[some] * (softplus @ masses)
    return result


BANDS = (100, 1_000, 10_000)
"""Ranks at which bands of words end, the most frequent first; the last band has all others."""
ROWS_OF_A_BAND = 64


@dataclass(frozen=True)
class BandResidual:
    """How far a band of words is from its optimum given all contexts: relative KKT residuals of a sample of rows."""

    first: int
    last: int
    rows: int
    median: float
    largest: float


def row_residuals(
    counts: CountMatrix,
    rows: Ints,
    own: Floats32,
    other: Floats32,
    weights: npt.NDArray[np.floating],
    masses: npt.NDArray[np.floating],
    *,
    ridge: float = 0.0,
) -> Floats:
    """‖r‖/max(‖g₊‖, ‖g₋‖) of each row: 0 at its optimum given the other table, 1 where one side has no counterweight.

    g₊ is the gradient of the positive term, g₋ that of negatives and ridge, g = g₊ - g₋, and r[i] = g[i] where
    own[i] > 0, else the positive part of g[i]: the Karush-Kuhn-Tucker conditions of a maximum over own ≥ 0.
    """
    from hyperdive.kernels.dive import positive_gradient

    packed, total = scaled_rows(other), float(masses.sum())
    wide = other.astype(np.float64)

    result = np.zeros(len(rows))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        positive = np.empty((len(some), own.shape[1]), dtype=np.float32)
        for at, row in enumerate(some.tolist()):
            positive_gradient(
                row, row + 1, counts.indptr, counts.indptr[1:], counts.indices, counts.data, own, *packed,
                positive[at : at + 1],
            )  # fmt: skip
        dots = np.clip(other @ own[some].T, -60.0, 60.0)
        pushed = (masses[:, None] / (1.0 + np.exp(-dots))).T @ wide
        push = weights[some, None] * (pushed + ridge * total * own[some])
        gradient = positive - push
        residual = np.where(own[some] > 0, gradient, np.maximum(gradient, 0.0))
        length, *sides = (np.linalg.norm(side, axis=1) for side in (residual, positive, push))
        scale = np.maximum(*sides)
        np.divide(length, scale, out=result[start : start + ROWS_AT_ONCE], where=scale > 0)
    return result


def band_residuals(
    counts: CountMatrix,
    own: Floats32,
    other: Floats32,
    weights: npt.NDArray[np.floating],
    *,
    ridge: float = 0.0,
    pool: ThreadPoolExecutor | None = None,
) -> tuple[BandResidual, ...]:
    """The residuals of words by their rank; row 0, the unknown symbol, is left out."""
    masses = counts.frequencies / counts.frequencies.sum()
    edges = [1, *(edge + 1 for edge in BANDS if edge + 1 < counts.size), counts.size]

    def band(first: int, end: int) -> BandResidual:
        rows = sample_rows(first, end, ROWS_OF_A_BAND)
        values = row_residuals(counts, rows, own, other, weights, masses, ridge=ridge)
        middle, largest = float(np.median(values)), float(values.max())
        return BandResidual(first, end - 1, len(values), round(middle, 4), round(largest, 4))

    parts = [(first, end) for first, end in pairwise(edges) if first < end]
    return tuple((map if pool is None else pool.map)(band, *zip(*parts, strict=True))) if parts else ()
