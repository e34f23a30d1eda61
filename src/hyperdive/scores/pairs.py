"""Pairs of terms and the quantities that scores are made of, each computed once however many scores read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from hyperdive._types import Bools, Floats, Floats32, Ints
from hyperdive.errors import InputError
from hyperdive.scores.stated import PRODUCTS, StatedPairs, StatedTerms, one_or_all, products
from hyperdive.spaces.space import VectorSpace

if TYPE_CHECKING:
    from hyperdive.scores.confidence import Confidence
    from hyperdive.scores.paper import Gaussians
    from hyperdive.scores.terms import Terms

_ENTRIES = 1 << 21  # entries of vectors that are compared at once


class Rows:
    """Vectors of distinct terms, dense or sparse or those of a space, and the sums, norms and entropies of each.

    >>> rows = Rows(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> rows.sums.tolist(), rows.norms.round(3).tolist(), rows.entropies.round(3).tolist()
    ([2.0, 0.0], [1.414, 0.0], [0.693, 0.0])
    """

    def __init__(self, vectors: Any) -> None:
        self._space = vectors if isinstance(vectors, VectorSpace) else None
        self._vectors = vectors

    @property
    def matrix(self) -> Any:
        """The vectors: an array or a CSR matrix; those of a space in 8 bits are unpacked now, all of them."""
        return self._vectors if self._space is None else self._space.matrix

    def taken(self, rows: Ints) -> Any:
        """Return the vectors at these rows; of those in 8 bits no others are unpacked."""
        return self._vectors[rows] if self._space is None else self._space.rows(rows)

    def __len__(self) -> int:
        return int(self._vectors.shape[0])

    @property
    def is_sparse(self) -> bool:
        """Whether the vectors are a CSR matrix."""
        return not isinstance(self._vectors, np.ndarray) if self._space is None else self._space.is_sparse

    @cached_property
    def csr(self) -> Any:
        """The rows as CSR with sorted indices and without zeros."""
        matrix = csr_array(self.matrix)
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        if not (matrix.data != 0).all():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        return matrix

    @cached_property
    def row_of_entry(self) -> Ints:
        """The row of each entry of `csr`."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def sums(self) -> Floats:
        """S(x) = Σᵢ x[i]."""
        if self._space is not None:
            return self._space.sums
        return sums_of(self.row_of_entry, self.csr.data, len(self))

    @cached_property
    def squares(self) -> Floats:
        """‖x‖₂²."""
        return sums_of(self.row_of_entry, np.square(self.csr.data, dtype=np.float64), len(self))

    @property
    def norms(self) -> Floats:
        """‖x‖₂."""
        return np.asarray(np.sqrt(self.squares))

    @cached_property
    def entropies(self) -> Floats:
        """H(x/S(x)) in nats; 0 for the zero vector."""
        share = ratio(self.csr.data.astype(np.float64), self.sums[self.row_of_entry])
        parts = share * np.log(np.where(share > 0, share, 1.0))
        return np.maximum(-sums_of(self.row_of_entry, parts, len(self)), 0.0)

    @cached_property
    def ranked(self) -> Ints:
        """The entries of `csr` row by row, in each row by falling weight, equal ones by column."""
        return np.lexsort((-self.csr.data, self.row_of_entry))

    @cached_property
    def ranks(self) -> Ints:
        """The rank in its row, from 1, of each entry of `csr`."""
        ranks = np.empty(len(self.ranked), dtype=np.int64)
        ranks[self.ranked] = np.arange(len(ranks)) - self.csr.indptr[self.row_of_entry] + 1
        return ranks

    @property
    def sizes(self) -> Ints:
        """The number of non-zero dimensions of each row."""
        return np.asarray(np.diff(self.csr.indptr), dtype=np.int64)

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no entry is below zero, as the inclusion scores need."""
        if self._space is not None:
            return self._space.nonnegative
        return bool(self.csr.data.size == 0 or self.csr.data.min() >= 0)

    @cached_property
    def numbered(self) -> Any:
        """`csr` with the number of each entry, from 1, in place of its value."""
        return csr_array((np.arange(1, self.csr.nnz + 1), self.csr.indices, self.csr.indptr), shape=self.csr.shape)

    def cosines(self, q: Ints, p: Ints) -> Floats:
        """Return q·p / (‖q‖₂‖p‖₂) of each pair, 0 where a norm is 0."""
        # the root of the product, not the product of roots: equal vectors then have a cosine of exactly 1 and stay tied
        if self.is_sparse:
            dots = over_matches(self, q, p, lambda m: m.total(self.csr.data[m.left] * self.csr.data[m.right]))
            return ratio(dots, np.sqrt(self.squares[q] * self.squares[p]))
        values = np.zeros(len(q))
        for start in range(0, len(q), PRODUCTS):
            some = slice(start, start + PRODUCTS)
            left, right = (self.taken(one_or_all(rows[some])).astype(np.float64) for rows in (q, p))
            squares = np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right)
            values[some] = ratio(np.einsum("ij,ij->i", left, right), np.sqrt(squares))
        return values


class SharedDimensions(NamedTuple):
    """The dimensions that the vectors of some pairs share: for each the number of the pair, and its two entries."""

    q: Ints
    p: Ints
    pair: Ints
    left: Ints
    right: Ints

    def total(self, values: Any) -> Floats:
        """Return the sum over the shared dimensions of each pair."""
        return sums_of(self.pair, values, len(self.q))


def over_matches(rows: Rows, q: Ints, p: Ints, compute: Callable[[SharedDimensions], Any], columns: int = 0) -> Floats:
    """Return what a function computes from the shared dimensions of pairs, a block of pairs at a time."""
    values = np.zeros((len(q), columns) if columns else len(q))
    for start, end in _blocks(rows.sizes[q] + rows.sizes[p]):
        some = slice(start, end)
        left, right = rows.numbered[q[some]], rows.numbered[p[some]]
        ones = [csr_array((np.ones_like(m.data), m.indices, m.indptr), shape=m.shape) for m in (left, right)]
        first, second = left.multiply(ones[1]), right.multiply(ones[0])
        pair = np.repeat(np.arange(end - start), np.diff(first.indptr))
        values[some] = compute(SharedDimensions(q[some], p[some], pair, first.data - 1, second.data - 1))
    return values


def _blocks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Yield starts and ends of blocks of pairs that have about `_ENTRIES` entries together."""
    ends, start = np.cumsum(sizes), 0
    while start < len(sizes):
        before = ends[start - 1] if start else 0
        end = max(int(np.searchsorted(ends, before + _ENTRIES, side="right")), start + 1)
        yield start, end
        start = end


@dataclass(frozen=True, eq=False)
class TermArrays:
    """Term data given as arrays or CSR matrices, one row per term; what is missing is None.

    Args:
        rows: The vectors of the main space.
        skipgram: The skip-gram vectors, for W.
        frequencies: How often each term is in the text.
        context_counts: Co-occurrence counts of the context words, one row per column of `rows`, for SLQS.
        gaussians: Means and variances, for KL.
        stated: The terms as patterns know them.

    >>> data = TermArrays([[1.0, 0.0], [2.0, 1.0]], skipgram=[[1.0, 1.0], [1.0, 0.0]])
    >>> Pairs(data, [0], [1]).skipgram_cosine.round(3).tolist()
    [0.707]
    """

    rows: Any
    skipgram: Any = None
    frequencies: Any = None
    context_counts: Any = None
    gaussians: Gaussians | None = None
    stated: StatedTerms | None = None

    def __post_init__(self) -> None:
        for name in ("rows", "skipgram", "context_counts"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_rows(getattr(self, name)))
        if self.frequencies is not None:
            object.__setattr__(self, "frequencies", np.asarray(self.frequencies, dtype=np.float64))

    @property
    def has_confidence(self) -> bool:
        """Arrays have no names, and so neither neighbours nor heads."""
        return False

    @property
    def confidence(self) -> Confidence:
        """The confidence, which needs names."""
        raise InputError("arrays of vectors have no names to look for in patterns")

    @property
    def projected(self) -> Floats32 | None:
        """The skip-gram vectors mapped to pattern vectors, which needs names."""
        return None

    @property
    def own_frequencies(self) -> Floats:
        """How often the text has each term itself."""
        return np.zeros(len(self.rows)) if self.frequencies is None else np.asarray(self.frequencies)

    def are_heads(self, q: Ints, p: Ints) -> Bools:
        """Return which q end in p: none, as there are no names."""
        return np.zeros(len(q), dtype=np.bool_)


class Pairs:
    """Pairs (q, p) of row numbers, hyponym candidate first. A score is a function of a `Pairs`.

    Args:
        terms: Vectors, an array or a CSR matrix with one row per term; or term data with more than vectors.
        q: The row of each hyponym candidate.
        p: The row of each hypernym candidate.
        places: The row of each pair in its file, by default its place here.

    >>> pairs = Pairs([[1.0, 0.0], [2.0, 1.0]], q=[0], p=[1])
    >>> pairs.cosine.round(3).tolist(), pairs.difference(pairs.rows.sums).tolist()
    ([0.894], [2.0])
    """

    def __init__(self, terms: Any, q: Any, p: Any, *, places: Any = None) -> None:
        self.terms: Terms | TermArrays = terms if hasattr(terms, "has_confidence") else TermArrays(as_rows(terms))
        self.q: Ints = np.ascontiguousarray(q, dtype=np.int64)
        self.p: Ints = np.ascontiguousarray(p, dtype=np.int64)
        self.places: Ints = np.arange(len(self.q)) if places is None else np.asarray(places, dtype=np.int64)

    @property
    def rows(self) -> Rows:
        """The vectors of the main space."""
        rows: Rows = self.terms.rows
        return rows

    @property
    def skipgram(self) -> Rows | None:
        """The skip-gram vectors; None without them."""
        return self.terms.skipgram

    @property
    def frequencies(self) -> Floats | None:
        """n(w) of each term."""
        return self.terms.frequencies

    @property
    def context_counts(self) -> Rows | None:
        """The counts of the context words; None without them."""
        return self.terms.context_counts

    @property
    def gaussians(self) -> Gaussians | None:
        """The terms as Gaussians; None where the space has none."""
        return self.terms.gaussians

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def patterns(self) -> StatedPairs | None:
        """What patterns state of these pairs; None without patterns."""
        stated = self.terms.stated
        return None if stated is None else StatedPairs(stated, self.q, self.p)

    def difference(self, of_row: Floats) -> Floats:
        """Return g(p) − g(q) for a quantity g of rows."""
        return of_row[self.p] - of_row[self.q]

    @cached_property
    def predicted(self) -> Floats:
        """w_q·A·V[p]: how well q fits among the hyponyms of p (see `hyperdive.scores.stated.projection`)."""
        assert self.patterns is not None
        return products(self.terms.projected, self.patterns.terms.as_hypernym, self.q, self.p)

    @cached_property
    def is_head(self) -> Bools:
        """Whether q ends in p, or p stands before its preposition: a guide dog is a dog, a bird of prey a bird."""
        return self.terms.are_heads(self.q, self.p)

    # ---- similarity -----------------------------------------------------------------------------------------

    @cached_property
    def cosine(self) -> Floats:
        """q·p / (‖q‖₂‖p‖₂), 0 where a norm is 0."""
        if self.rows.is_sparse:
            return ratio(self.overlap[:, 0], np.sqrt(self.rows.squares[self.q] * self.rows.squares[self.p]))
        return self.rows.cosines(self.q, self.p)

    @cached_property
    def skipgram_cosine(self) -> Floats:
        """The cosine of the skip-gram vectors, 0 where a term has none."""
        assert self.skipgram is not None
        return self.skipgram.cosines(self.q, self.p)

    @cached_property
    def gaussian_scores(self) -> Floats:
        """Columns: the cosine of the Gaussians' means, and -KL."""
        assert self.gaussians is not None
        return self.gaussians.scores(self.q, self.p)

    @property
    def context_entropies(self) -> Floats | None:
        """The entropy of each context word's own row of counts."""
        return None if self.context_counts is None else self.context_counts.entropies

    # ---- inclusion ------------------------------------------------------------------------------------------

    def of_matches(self, compute: Callable[[SharedDimensions], Any], columns: int = 0) -> Floats:
        """Return what a function computes from the shared dimensions, `columns` numbers per pair, or one."""
        return over_matches(self.rows, self.q, self.p, compute, columns)

    @cached_property
    def overlap(self) -> Floats:
        """Columns: Σ q·p, Σ min(q, p), Σ_{p>0} q, Σ_{q>0} p."""
        used, places = np.unique(np.concatenate([self.q, self.p]), return_inverse=True)
        if 2 * len(used) < len(self.rows):  # a few pairs of a large space need no others of its rows
            return Pairs(self.rows.taken(used), *np.split(places, 2)).overlap
        data = self.rows.csr.data.astype(np.float64)

        def sums(matches: SharedDimensions) -> Floats:
            x, y = data[matches.left], data[matches.right]
            return np.stack([matches.total(part) for part in (x * y, np.minimum(x, y), x, y)], axis=1)

        return self.of_matches(sums, columns=4)

    def share_of_q(self, amount: Floats) -> Floats:
        """Return amount / S(q), 0 where S(q) = 0."""
        return ratio(amount, self.rows.sums[self.q])

    def share_of_p(self, amount: Floats) -> Floats:
        """Return amount / S(p), 0 where S(p) = 0."""
        return ratio(amount, self.rows.sums[self.p])


def as_rows(vectors: Any) -> Rows:
    """Return vectors as `Rows`, unless they are already."""
    if isinstance(vectors, Rows):
        return vectors
    return Rows(vectors if hasattr(vectors, "tocsr") else np.asarray(vectors))


def sums_of(groups: Ints, values: Any, size: int) -> Floats:
    """Return the sum of the values of each group, added one by one in their order."""
    return np.bincount(groups, values, size).astype(np.float64, copy=False)  # without values it counts whole numbers


def ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below, 0 where below is 0."""
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)
