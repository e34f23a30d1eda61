"""Pairs of rows and the quantities scores are made of, each computed once however many scores ask for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive.scores._blocks import products, run
from hyperdive.scores.gaussians import Gaussians
from hyperdive.scores.pattern_pairs import StatedPairs, StatedTerms
from hyperdive.scores.rows import Floats, Ints, Rows


class Pairs:
    """Pairs (q, p) of row numbers, hyponym candidate first.

    `vectors` is an array or CSR matrix with one row a term, or a `Rows`. A score is a function of a `Pairs`; see
    `hyperdive.scores.registry.register`.

    >>> pairs = Pairs([[1.0, 0.0], [2.0, 1.0]], q=[0], p=[1])
    >>> pairs.cosine.round(3).tolist(), pairs.difference(pairs.rows.sums).tolist()
    ([0.894], [2.0])
    """

    def __init__(
        self,
        vectors: Any,
        q: Any,
        p: Any,
        *,
        skipgram: Any = None,
        frequencies: Any = None,
        context_counts: Any = None,
        gaussians: Gaussians | None = None,
        stated: StatedTerms | Callable[[], StatedTerms | None] | None = None,
        expected: Callable[[], npt.NDArray[np.float32]] | None = None,
        places: Any = None,
        threads: int = 0,
    ) -> None:
        self.rows = _as_rows(vectors, threads)
        self.q: Ints = np.ascontiguousarray(q, dtype=np.int64)
        self.p: Ints = np.ascontiguousarray(p, dtype=np.int64)
        self.skipgram = None if skipgram is None else _as_rows(skipgram, threads)
        self.frequencies: Floats | None = None if frequencies is None else np.asarray(frequencies, dtype=np.float64)
        self.context_counts = None if context_counts is None else _as_rows(context_counts, threads)
        self.gaussians = gaussians
        self._stated, self._expected = stated, expected
        self.places: Ints = np.arange(len(self.q)) if places is None else np.asarray(places, dtype=np.int64)
        self.threads = threads

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def patterns(self) -> StatedPairs | None:
        """What patterns say of these pairs, looked up when first asked for; None without patterns."""
        terms = self._stated() if callable(self._stated) else self._stated
        return None if terms is None else StatedPairs(terms, self.q, self.p, threads=self.threads)

    def run(self, kernel: Any, *arguments: Any, columns: int = 0) -> Floats:
        """Run a kernel over all pairs; it fills one number (or `columns` numbers) a pair."""
        return run(kernel, len(self), *arguments, columns=columns, threads=self.threads)

    def difference(self, of_row: Floats) -> Floats:
        """g(p) − g(q) for a quantity g of rows."""
        return of_row[self.p] - of_row[self.q]

    # ---- what similar words are called ----------------------------------------------------------------------

    @property
    def has_bridge(self) -> bool:
        """Whether there are patterns, skip-gram vectors, and the map between them."""
        return self._expected is not None and self.skipgram is not None and self.patterns is not None

    @cached_property
    def predicted(self) -> Floats:
        """w_q·A·V[p]: how well q fits among the words that are called p (see `hyperdive.scores.pattern_projection`)."""
        return self._fit(self.q, self.p)

    @cached_property
    def predicted_back(self) -> Floats:
        """The same of (p, q)."""
        return self._fit(self.p, self.q)

    def _fit(self, q: Ints, p: Ints) -> Floats:
        assert self.patterns is not None and self._expected is not None
        return products(self._expected(), self.patterns.terms.as_hypernym, q, p, threads=self.threads)

    # ---- similarity -----------------------------------------------------------------------------------------

    @cached_property
    def cosine(self) -> Floats:
        """q·p / (‖q‖₂‖p‖₂), 0 where a norm is 0."""
        dots = self.overlap[:, 0] if self.rows.is_sparse else _dots(self.rows, self)
        return _cosine(dots, self.rows, self)

    @cached_property
    def skipgram_cosine(self) -> Floats:
        """The cosine of the skip-gram vectors, 0 where a term has none."""
        assert self.skipgram is not None
        return _cosine(_dots(self.skipgram, self), self.skipgram, self)

    @cached_property
    def gaussian_scores(self) -> Floats:
        """Columns: the cosine of the Gaussians' means, and -KL."""
        assert self.gaussians is not None
        return self.gaussians.scores(self.q, self.p, threads=self.threads)

    @property
    def context_entropies(self) -> Floats | None:
        """The entropy of each context word's own row of counts."""
        return None if self.context_counts is None else self.context_counts.entropies

    # ---- inclusion ------------------------------------------------------------------------------------------

    @cached_property
    def overlap(self) -> Floats:
        """Columns: Σ q·p, Σ min(q, p), Σ_{p>0} q, Σ_{q>0} p."""
        csr = self.rows.csr
        return self.run("overlaps", csr.indptr, csr.indices, csr.data, self.q, self.p, columns=4)

    def share_of_q(self, amount: Floats) -> Floats:
        """amount / S(q), 0 where S(q) = 0."""
        return ratio(amount, self.rows.sums[self.q])

    def share_of_p(self, amount: Floats) -> Floats:
        """amount / S(p), 0 where S(p) = 0."""
        return ratio(amount, self.rows.sums[self.p])


def _as_rows(vectors: Any, threads: int) -> Rows:
    if isinstance(vectors, Rows):
        return vectors
    return Rows(vectors if hasattr(vectors, "tocsr") else np.asarray(vectors), threads=threads)


def _dots(rows: Rows, pairs: Pairs) -> Floats:
    if rows.is_sparse:
        csr = rows.csr
        return pairs.run("overlaps", csr.indptr, csr.indices, csr.data, pairs.q, pairs.p, columns=4)[:, 0]
    return pairs.run("dense_dots", rows.matrix, pairs.q, pairs.p)


def _cosine(dots: Floats, rows: Rows, pairs: Pairs) -> Floats:
    # the root of the product, not the product of roots: equal vectors then have a cosine of exactly 1 and stay tied
    return ratio(dots, np.sqrt(rows.squares[pairs.q] * rows.squares[pairs.p]))


def ratio(above: Floats, below: Floats) -> Floats:
    """above / below, 0 where below is 0."""
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)
