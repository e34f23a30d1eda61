"""The confidence that q is a kind of p, for words and multi-word terms alike.

A logistic regression on statements about the pair, similarity, generality, frequencies, and on what terms like q are
stated to be. With N the 100 nearest terms by skip-gram cosine that patterns name as hyponyms, weights
w_x = max(cos(q, x), 0)²·min(n(x, ·), 5)/5, and H the 30 terms h of the largest v_h = A(q, h) + 0.3·PPMI(q, h),

    A(q, p) = Σ_{x ∈ N} w_x·PPMI(x, p) / Σ w_x
    B(q, p) = √( Σ_{h ∈ H} v_h·min(n(h, ·), 10)/10·n(h, p)/n(h, ·) / Σ v_h )

and A₂₀ is A of the nearest 20. Every part is about p itself, so that a broader phrase is never judged by its head
alone, and the confidence in "water plant" never exceeds that in "plant". docs/explanation/confidence.md has the formula
and describes how the constants were fitted.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, replace
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from hyperdive._resources import one_blas_thread
from hyperdive._types import Bools, Floats, Floats32, Ints
from hyperdive.errors import OptionError
from hyperdive.patterns.svd import ppmi_values
from hyperdive.scores.registry import own
from hyperdive.scores.stated import distinct, unit_rows

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns
    from hyperdive.scores.pairs import Pairs
    from hyperdive.scores.terms import Terms
    from hyperdive.spaces.space import VectorSpace

NEIGHBOURS, NEAREST, PARENTS = 100, 20, 30
"""How many neighbours vote; the nearest of them, which vote once more; the number of likely hypernyms."""
UNSUPPORTED = 0.15
"""Maximum confidence in a pair supported only by similarity."""
HEAD_CONFIDENCE = 0.9
"""Confidence that a phrase is a kind of its head: a domestic dog is a dog."""
ENDING_CONFIDENCE = 0.5
"""Confidence that a word is a kind of the word it ends in: half of those of the development gold are."""
_OFTEN, _ALIKE = 20, 0.4
_STATEMENTS = 773_674  # of the Wikipedia text that most judged answers are of
_BLOCK = 64  # hyponyms whose neighbours are looked for at once
_ROWS = 1 << 14  # vectors that are converted at once
_SPARE = 28  # more candidates than neighbours: which are nearest must not depend on the rounding of a product
_PIECE = 32  # columns of which one maximum is taken
_OWN = np.float32(0.3)
_INHERITED = 0.3  # B(q, p) beyond this, which few pairs of a real text reach, says no more
_MOST = 1.0  # A(q, p) of a class that most neighbours of q belong to


@dataclass(frozen=True)
class Weights:
    """The weights of the features, and the logistic curve from their sum to a confidence.

    They were fitted on the development files of discovery and on judged answers.
    """

    stated: float = 0.605
    """log(1 + n(q, p)): how often the text states it."""
    surprising: float = 0.146
    """PPMI(q, p) of these statements."""
    variety: float = 0.24
    """How many different patterns state it."""
    of_names: float = -3.0
    """Which share of the statements of (q, p) is written as of a name, times the share of all statements about q that
    is not: the Detroit Tigers are a team, no tiger is."""
    stated_back: float = -0.05
    """log(1 + n(p, q)): statements the other way round."""
    nearest: float = 0.627
    """A₂₀(q, p): what the twenty nearest neighbours of q are stated to be."""
    inherited: float = 10.721
    """B(q, p), at most 0.3: what the likely hypernyms of q are stated to be."""
    similar: float = 1.657
    """The positive part of the skip-gram cosine W."""
    general: float = 0.416
    """(S(p) − S(q)) / (S(p) + S(q)): is p the broader of the two in DIVE?"""
    hyponyms: float = 0.436
    """log(1 + m(p)): how many different terms are stated to be a kind of p."""
    head: float = 4.739
    """q ends in p: a guide dog is a dog."""
    stated_of_head: float = 0.446
    """log(1 + n(h, p)), h what q ends in."""
    stated_head: float = 0.832
    """log(1 + n(q, h)), h what the phrase p ends in."""
    statements: float = 0.165
    """log(1 + n(q, ·)): how often the text states anything of q."""
    class_of_others: float = -0.208
    """log(1 + n(·, q)): q is a class itself, so that statements that name it are often of its kinds."""
    frequency: float = -0.036
    """log(1 + f(q))."""
    hypernym_frequency: float = -0.335
    """log(1 + f(p)): of two classes with as many kinds, the rarer word is rather used as a class."""
    unstated: float = -4.5
    """Taken off for a broader phrase that no sentence states of q, unless most neighbours are stated to be one (A ≥ 1):
    those of a trumpet are string instruments, too, those of a hurricane are natural disasters, all of them."""
    slope: float = 0.83
    intercept: float = -2.25
    small_text: float = 0.3
    """Added for patterns of fewer statements: ln(773,674/N), from 0 to 1."""
    unsupported: float = UNSUPPORTED
    """Maximum confidence in a pair supported only by similarity."""


WEIGHTS = Weights()
_WITHOUT_PATTERNS = ("similar", "general", "head", "slope", "intercept")
_ABLATIONS = {
    "": WEIGHTS,
    "dive": replace(WEIGHTS, general=0.0),
    "neighbours": WEIGHTS,
    "patterns": Weights(
        **{
            name: value if name in _WITHOUT_PATTERNS else float(name == "unsupported")
            for name, value in asdict(WEIGHTS).items()
        }
    ),
}
"""Weights without a part of the score; the others are not fitted again. Those of frequencies correct for statements."""


class Features(NamedTuple):
    """The features of pairs, one array for each of the weights of the sum, in their order, and one more."""

    stated: Floats
    surprising: Floats
    variety: Floats
    of_names: Floats
    stated_back: Floats
    nearest: Floats32
    inherited: Floats32
    similar: Floats32
    general: Floats
    hyponyms: Floats
    head: Bools
    stated_of_head: Floats
    stated_head: Floats
    statements: Floats
    class_of_others: Floats
    frequency: Floats
    hypernym_frequency: Floats
    unstated: Bools
    role: Floats
    """log(1 + n(·, p)), which has no weight in the confidence."""

    def sum(self, weights: Weights) -> Floats:
        """Return the weighted sum."""
        total = np.zeros(len(self.stated))
        features = self._replace(inherited=np.minimum(self.inherited, _INHERITED))
        for weight, values in zip(astuple(weights), features[:-1], strict=False):
            total += weight * values
        return total


class Judged(NamedTuple):
    """Pairs with their confidences; `unsupported` are those that only similarity speaks for."""

    places: Any
    confidence: Floats
    features: Features
    unsupported: Bools


class Neighbours(NamedTuple):
    """What the neighbours of some terms are stated to be: sparse rows over the terms of the patterns, and one more.

    `parents` has the weights of the likely hypernyms; B² is their mean of the shares of statements.
    """

    every: Any
    nearest: Any
    parents: Any


class Columns(NamedTuple):
    """The same as arrays in some columns, those of the terms of the patterns with these `numbers`."""

    numbers: Ints
    every: Floats32
    nearest: Floats32
    inherited: Floats32


class StatementTable:
    """The statements of a text as matrices, and the terms that they name with their vectors, to find neighbours in.

    Rows and columns are the terms of the patterns, and one more without statements, which the number −1 of a term
    that patterns do not name refers to.
    """

    def __init__(self, patterns: Patterns, space: VectorSpace, numbers: Ints) -> None:
        counts, (below, above, total) = patterns.counts, patterns.totals
        self.size, self.total = len(patterns), max(total, 1)
        rows = np.repeat(np.arange(self.size), np.diff(counts.indptr))
        ppmi = ppmi_values(counts.data, below[rows], above[counts.indices], total)

        def padded(values: Any) -> Any:
            indptr = np.append(counts.indptr, counts.indptr[-1])
            return csr_array((values, counts.indices, indptr), shape=(self.size + 1, self.size + 1))

        self.entries = padded(np.arange(1, counts.nnz + 1))
        self.ppmi, self.shares = (
            padded(x.astype(np.float32)) for x in (ppmi, counts.data / np.maximum(below, 1)[rows])
        )
        self.ppmi = self.ppmi.copy()  # the others share its columns
        self.ppmi.eliminate_zeros()
        self.counts, self.surprises, self.variety, self.named = (
            np.append(0.0, x) for x in (counts.data, ppmi, patterns.variety.data, patterns.named.data)
        )
        self.unnamed_shares = np.append(1 - patterns.named_shares, 0.0)
        self.statements, self.as_hypernym, self.hyponyms = (
            np.log1p(np.append(x, 0)) for x in (below, above, patterns.hyponyms_of)
        )
        place = np.full(self.size, -1)
        place[numbers[numbers >= 0]] = np.flatnonzero(numbers >= 0)
        named = np.flatnonzero((below > 0) & (place >= 0))
        more = -len(named) % _PIECE  # places without a term, so that there are whole pieces
        self.vectors = np.zeros((len(named) + more, space.shape[1]), dtype=np.float32)
        for start in range(0, len(named), _ROWS):  # few at a time: the others stay on disk, in 16 bits
            rows = named[start : start + _ROWS]
            self.vectors[start : start + len(rows)] = unit_rows(np.asarray(space.rows(place[rows]), dtype=np.float32))
        self.numbers = np.pad(named, (0, more), constant_values=self.size)
        self.trust = np.pad((np.minimum(below[named], 5) / 5).astype(np.float32), (0, more))
        self.certain = (np.minimum(np.append(below, 0), 10) / 10).astype(np.float32)
        self.place = np.full(self.size + 1, -1)
        self.place[named] = np.arange(len(named))
        self._products = threading.local()  # memory that is written for the first time takes longer than the product

    def neighbours(self, vectors: Floats32, numbers: Ints) -> Neighbours:
        """Return what the neighbours of terms are stated to be, given unit vectors and numbers in the patterns."""
        near, cosines = self._nearest(vectors, self.place[numbers])
        weights = np.maximum(cosines, 0) ** 2 * self.trust[near]
        every, nearest = (
            _rows(_shares(weights[:, :most]), self.numbers[near[:, :most]], self.size + 1) @ self.ppmi
            for most in (NEIGHBOURS, NEAREST)
        )
        likely = every + _OWN * self.ppmi[numbers]
        kept = _largest_entries(likely, every)
        rows = np.searchsorted(likely.indptr, kept, side="right") - 1
        values, columns = likely.data[kept], likely.indices[kept]
        totals = np.bincount(rows, values, len(numbers))[rows]
        parents = (values * self.certain[columns] / np.maximum(totals, 1e-9)).astype(np.float32)
        return Neighbours(every, nearest, csr_array((parents, (rows, columns)), shape=likely.shape))

    def _nearest(self, vectors: Floats32, own: Ints) -> tuple[Ints, Floats32]:
        """Return the places and cosines of the terms nearest to each, the nearest first; never of a term itself."""
        products = getattr(self._products, "block", None)
        if products is None:
            products = self._products.block = np.empty((_BLOCK, len(self.vectors)), dtype=np.float32)
        with one_blas_thread():
            roughly = np.matmul(vectors, self.vectors.T, out=products[: len(vectors)])
        roughly[own >= 0, own[own >= 0]] = 0
        near = _largest(roughly, min(NEIGHBOURS + _SPARE, len(self.vectors)))
        cosines = np.einsum("qkd,qd->qk", self.vectors[near], vectors)
        cosines[near == own[:, None]] = 0
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :NEIGHBOURS]
        return np.take_along_axis(near, order, axis=1), np.take_along_axis(cosines, order, axis=1)

    def columns(self, neighbours: Neighbours, numbers: Ints) -> Columns:
        """Return A, A₂₀ and B for some terms of the patterns, given by sorted numbers."""
        every, nearest = (matrix[:, numbers].toarray() for matrix in neighbours[:2])
        parents, places = np.unique(neighbours.parents.indices, return_inverse=True)
        weights = csr_array(
            (neighbours.parents.data, places, neighbours.parents.indptr), shape=(len(every), len(parents))
        )
        return Columns(numbers, every, nearest, np.sqrt((weights @ self.shares[parents][:, numbers]).toarray()))


def _shares(weights: Any) -> Floats32:
    """Return weights divided by the sum of their row."""
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9), dtype=np.float32)


def _rows(values: Any, columns: Any, width: int) -> Any:
    """Return a CSR matrix with the same number of entries in each row."""
    pointers = np.arange(len(values) + 1) * values.shape[1]
    return csr_array((values.ravel(), columns.ravel(), pointers), shape=(len(values), width))


def _largest(values: Floats32, count: int) -> Ints:
    """Return the columns of the largest values of each row, in rising order.

    They are among the pieces of columns with the largest maxima, which are found sooner.
    """
    rows, width = values.shape
    if width > _PIECE * count:
        step = width // _PIECE  # the columns of a piece are so far apart, so that maxima are those of whole vectors
        first = np.argpartition(-values.reshape(rows, _PIECE, step).max(axis=1), count - 1, axis=1)[:, :count]
        columns = (first[:, None, :] + np.arange(_PIECE)[:, None] * step).reshape(rows, -1)
        values = np.take_along_axis(values, columns, axis=1)
    else:
        columns = np.broadcast_to(np.arange(width), values.shape)
    if count == 0:
        return np.zeros((rows, 0), dtype=np.int64)
    chosen = np.argpartition(-values, count - 1, axis=1)[:, :count]
    return np.sort(np.take_along_axis(columns, chosen, axis=1), axis=1)


def _largest_entries(likely: Any, every: Any) -> Ints:
    """Return the largest entries of each row, `PARENTS` at most; of equal ones first those that `every` lacks."""
    last_row = np.zeros(likely.shape[1], dtype=np.int32)  # the last row in which `every` has a column, from 1
    kept = []
    for row, (start, end) in enumerate(pairwise(likely.indptr.tolist()), 1):
        if end - start <= PARENTS:
            kept.append(np.arange(start, end))
            continue
        last_row[every.indices[every.indptr[row - 1] : every.indptr[row]]] = row
        is_own = last_row[likely.indices[start:end]] != row
        order = start + np.concatenate([np.flatnonzero(is_own), np.flatnonzero(~is_own)[::-1]])
        kept.append(np.sort(order[np.argpartition(-likely.data[order], PARENTS - 1)[:PARENTS]]))
    return np.concatenate(kept)


class Confidence:
    """The confidences of pairs of some terms."""

    def __init__(self, terms: Terms) -> None:
        source, stated, skipgram = terms.source, terms.stated, terms.skipgram
        assert source.patterns is not None and source.skipgram is not None
        assert stated is not None and skipgram is not None
        patterns, space = source.patterns, source.skipgram
        self._terms, self._skipgram = terms, skipgram
        self._statements = source.memo.get(
            StatementTable, lambda: StatementTable(patterns, space, source.numbers_of(space))
        )
        self._numbers, self._sums = stated.exact_numbers, terms.rows.sums
        self._frequencies = np.log1p(terms.own_frequencies)
        self._last = threading.local()

    def __call__(self, q: Ints, p: Ints, weights: Weights = WEIGHTS, *, neighbours: bool = True) -> Floats:
        """Return the confidence of each pair."""
        values = np.zeros(len(q))
        for judged in self.judged(q, p, weights, neighbours=neighbours):
            values[judged.places] = judged.confidence
        return values

    def judged(self, q: Ints, p: Ints, weights: Weights = WEIGHTS, *, neighbours: bool = True) -> Iterator[Judged]:
        """Yield the pairs block by block, those of some hyponyms at a time."""
        if not len(q):
            return
        if (q == q[0]).all():
            near = self._neighbours_of(int(q[0])) if neighbours else None
            yield self._judged(slice(None), (q, p, np.zeros(len(q), dtype=np.int64)), near, weights)
            return
        distinct, place = np.unique(q, return_inverse=True)
        order = np.argsort(place, kind="stable")
        starts = np.arange(0, len(distinct), _BLOCK)
        for start, places in zip(
            starts.tolist(), np.split(order, np.searchsorted(place[order], starts[1:])), strict=True
        ):
            near = self._neighbours(distinct[start : start + _BLOCK]) if neighbours else None
            yield self._judged(places, (q[places], p[places], place[places] - start), near, weights)

    def sums(self, q: Ints, p: Ints) -> Floats:
        """Return the weighted sum of each pair without what neighbours say, which takes most of the time."""
        is_head = self._terms.are_heads(q, p)
        return self._features(q, p, is_head, None, q)[0].sum(WEIGHTS)

    def supported(self, row: int) -> Ints:
        """Return the numbers in the patterns of the hypernyms of a term that statements speak for, sorted.

        They are about the term, its head or its neighbours, or follow from these. All other hypernyms but what the
        term ends in have a confidence of at most `UNSUPPORTED`.
        """
        near, shares = self._neighbours_of(row), self._statements.shares
        stated = shares[
            np.concatenate([self._numbers[[row]], self._terms.head_numbers(np.array([row])), near.parents.indices])
        ]
        named = np.zeros(self._statements.size + 1, dtype=np.bool_)
        named[near.every.indices] = named[stated.indices] = True
        return np.flatnonzero(named)

    def _neighbours_of(self, row: int) -> Neighbours:
        """Return the neighbours of one term; a question needs those of the same term more than once."""
        last: tuple[int, Neighbours] | None = getattr(self._last, "neighbours", None)
        if last is None or last[0] != row:
            last = self._last.neighbours = row, self._neighbours(np.array([row]))
        return last[1]

    def _neighbours(self, rows: Ints) -> Neighbours:
        return self._statements.neighbours(self._vectors(rows), self._numbers[rows])

    def _vectors(self, rows: Ints) -> Floats32:
        """Return the skip-gram vectors of terms, of length one."""
        return unit_rows(np.asarray(self._skipgram.taken(rows), dtype=np.float32))

    def _judged(self, places: Any, pairs: tuple[Ints, Ints, Ints], near: Neighbours | None, weights: Weights) -> Judged:
        """Return the confidences of pairs of these neighbours' terms: rows q and p, and the place of each q there."""
        terms, (q, p, place) = self._terms, pairs
        is_head = terms.are_heads(q, p)
        heads = terms.head_rows(p)
        broader = np.flatnonzero(terms.phrases[p] & ~is_head & (heads >= 0) & (heads != q))
        q_of, heads = q[broader], heads[broader]
        columns = None
        if near is not None:
            columns = self._statements.columns(near, distinct(self._numbers[np.concatenate([p, heads])]))
        features, unsupported = self._features(q, p, is_head, columns, place)
        sums = features.sum(weights)
        if len(broader):  # never surer than being a kind of the head
            above, _ = self._features(q_of, heads, terms.are_heads(q_of, heads), columns, place[broader])
            sums[broader] = np.minimum(sums[broader], above.sum(weights))
        few = min(max(log(_STATEMENTS / self._statements.total), 0.0), 1.0)
        confidence = 1 / (1 + np.exp(-(weights.slope * sums + weights.intercept + weights.small_text * few)))
        confidence[unsupported] = np.minimum(confidence[unsupported], weights.unsupported)
        confidence[terms.compounds[q]] *= ENDING_CONFIDENCE  # it is known by the word it ends in alone
        ends = np.flatnonzero(is_head)
        if len(ends):
            of_form = head_confidence(terms.pairs(q[ends], p[ends]))
            doubted = of_form < HEAD_CONFIDENCE
            confidence[ends[doubted]] = np.minimum(confidence[ends[doubted]], of_form[doubted])
        return Judged(places, confidence, features, unsupported)

    def _features(self, q: Ints, p: Ints, is_head: Bools, near: Columns | None, place: Ints) -> tuple[Features, Bools]:
        """Return the features of pairs, and which pairs only similarity speaks for.

        What follows from likely hypernyms is support for a word (a politician is a person), not for a phrase.
        """
        statements, terms, entries = self._statements, self._terms, self._statements.entries
        x, y, phrases = self._numbers[q], self._numbers[p], terms.phrases[p]
        every, nearest, inherited = np.zeros((3, len(q)), dtype=np.float32)
        if near is not None:
            column = np.searchsorted(near.numbers, y)
            every, nearest, inherited = (part[place, column] for part in near[1:])
        stated = entries[x, y]
        counts = statements.counts[stated]
        of_head = np.log1p(statements.counts[entries[terms.head_numbers(q), y]])
        both = self._sums[p] + self._sums[q]
        is_stated = stated > 0
        features = Features(
            np.log1p(counts),
            statements.surprises[stated],
            statements.variety[stated],
            statements.named[stated] / np.maximum(counts, 1) * statements.unnamed_shares[x],
            np.log1p(statements.counts[entries[y, x]]),
            nearest,
            inherited,
            np.maximum(self._cosines(q, p), 0),
            (self._sums[p] - self._sums[q]) / np.where(both > 0, both, 1),
            statements.hyponyms[y],
            is_head,
            of_head,
            np.log1p(statements.counts[entries[x, terms.head_numbers(p)]]),
            statements.statements[x],
            statements.as_hypernym[x],
            self._frequencies[q],
            self._frequencies[p],
            phrases & ~is_head & ~is_stated & (every < _MOST),
            statements.as_hypernym[y],
        )
        by_others = (inherited > 0) | (of_head > 0)
        return features, ~is_stated & ~is_head & (every <= 0) & (phrases | ~by_others)

    def _cosines(self, q: Ints, p: Ints) -> Floats32:
        """Return the skip-gram cosines of pairs."""
        if (q == q[0]).all():
            return np.asarray(np.einsum("ij,j->i", self._vectors(p), self._vectors(q[:1])[0]))
        (left, x), (right, y) = (np.unique(rows, return_inverse=True) for rows in (q, p))
        if len(left) * len(right) > 16 * len(q):
            return np.asarray(np.einsum("ij,ij->i", self._vectors(left)[x], self._vectors(right)[y]))
        with one_blas_thread():
            return np.asarray((self._vectors(left) @ self._vectors(right).T)[x, y])


@own("confidence")
def confidence(pairs: Pairs, *, without: str = "") -> Floats:
    """Confidence that q is a kind of p. `without` leaves a part out: dive, neighbours or patterns."""
    if without not in _ABLATIONS:
        known = ", ".join(name for name in _ABLATIONS if name)
        raise OptionError(f"confidence has no part called {without!r}", hint=f"its parts: {known}")
    neighbours = without not in ("neighbours", "patterns")  # what neighbours say is what patterns state of them
    return pairs.terms.confidence(pairs.q, pairs.p, _ABLATIONS[without], neighbours=neighbours)


def head_confidence(pairs: Pairs) -> Floats:
    """Return the confidence that a phrase q is a kind of p, what it ends in, by its form alone.

    It is `HEAD_CONFIDENCE`, but less for a phrase that the text often has, in other company than its head and never
    called a kind of it: a hot dog is no dog, a family tree no tree.

    >>> from hyperdive.scores.pairs import Pairs, TermArrays
    >>> vectors = [[1.0, 0.0], [0.2, 1.0], [0.9, 0.1]]
    >>> data = TermArrays(vectors, skipgram=vectors, frequencies=[900, 87, 40])
    >>> head_confidence(Pairs(data, q=[1, 2], p=[0, 0])).round(2).tolist()
    [0.22, 0.9]
    """
    often = pairs.terms.own_frequencies[pairs.q] >= _OFTEN
    likeness = np.ones(len(pairs)) if pairs.skipgram is None else np.maximum(pairs.skipgram_cosine, 0.0)
    silent = np.ones(len(pairs), dtype=np.bool_) if pairs.patterns is None else pairs.patterns.counts == 0
    doubted = often & silent & (likeness < _ALIKE)
    return np.where(doubted, HEAD_CONFIDENCE * likeness / (2 * _ALIKE), HEAD_CONFIDENCE)
