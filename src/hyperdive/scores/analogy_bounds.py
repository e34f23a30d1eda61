"""Upper bounds of what similar terms say of many hyponyms and a few hypernyms, without looking for their neighbours.

The neighbours of a term are found by comparing it with every term that patterns name, which is most of the work of
`isa`. For a given hypernym p most of it can be spared: with S the terms that are stated to be a kind of p,

    A₂₀(q, p) ≤ max PPMI(x, p) over x ∈ S     B(q, p)² ≤ max n(h, p)/n(h, ·), shrunk, over h ∈ S that have hyponyms

and both are 0 where S is empty. The closer bounds also use who may be a neighbour at all: the 20 (or 100) terms nearest
to q are at least as near as the 20 nearest among any sample of terms, here the other hyponyms that are asked about. So
only x ∈ S that are as near as those count, and the weights in the denominator of A₂₀ are at least theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperdive._resources import one_blas_thread
from hyperdive._sparse_rows import SparseRows
from hyperdive._types import Bools, Floats32, Ints
from hyperdive.patterns.svd import ppmi_values
from hyperdive.scores.neighbour_statements import LEAST_TRUST, NEAREST, NEIGHBOURS, AnalogyRows, AskedColumns
from hyperdive.scores.pattern_projection import lengths_of_one
from hyperdive.scores.terms import Terms

_SLACK = np.float32(1e-5)  # rounding of a cosine
_MOST_COMPARED = 4096  # terms that hyponyms are compared with for the closer bound of B


class BoundedTerms:
    """Terms whose analogies are upper bounds, of a few hypernyms; all else is that of the terms.

    Args:
        terms: The terms.
        hypernyms: Rows of the hypernyms that pairs will have.
        close: Whether to compute the closer bounds.
    """

    def __init__(self, terms: Terms, hypernyms: Ints, *, close: bool) -> None:
        assert terms.stated is not None
        self._terms, self._close = terms, close
        numbers = terms.stated.exact_numbers[hypernyms]
        self._numbers: Ints = np.unique(numbers[numbers >= 0])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._terms, name)

    def analogies(self, rows: Ints, asked: AskedColumns | None = None) -> AnalogyRows:
        """Upper bounds of what `Terms.analogies` gives, in the columns of the hypernyms, whichever are asked."""
        stated = self._terms.stated
        assert stated is not None
        near = _Nearness(self._terms, rows) if self._close else None
        columns = [self._column(int(number), len(rows), near) for number in self._numbers]
        pointers = np.arange(len(rows) + 1) * len(columns)
        shape = (len(rows), len(stated.patterns))
        indices = np.tile(self._numbers, len(rows))
        return AnalogyRows(
            *(
                SparseRows(_flat(part), indices, pointers, shape)
                for part in (list(zip(*columns, strict=True)) or [(), (), ()])
            )
        )

    def _column(self, number: int, size: int, near: _Nearness | None) -> tuple[Any, Any, Any]:
        """Bounds of A, A₂₀ and B for one hypernym."""
        source, stated = self._terms.source, self._terms.stated
        assert stated is not None
        patterns, statements = stated.patterns, source.neighbour_statements
        hyponyms, counts = patterns.hyponym_counts(number)
        totals = patterns.hyponym_totals
        ppmi = ppmi_values(counts, totals[hyponyms], patterns.hypernym_totals[number], patterns.totals[2])
        places = statements.places(hyponyms)
        votes = (places >= 0) & (ppmi > 0)
        classes = patterns.hyponyms_of[hyponyms] > 0
        passed_on = statements.passed_on(hyponyms[classes], counts[classes])
        if near is None:
            largest = np.full(size, ppmi[votes].max(initial=0.0))
            return largest, largest, np.full(size, np.sqrt(passed_on.max(initial=0.0)))
        every, nearest = near.votes(places[votes], ppmi[votes])
        return every, nearest, np.sqrt(near.reachable(hyponyms[classes], passed_on))


def _flat(columns: Any) -> Floats32:
    """Columns row by row, of the type that analogies have."""
    return np.stack(columns, axis=1).ravel().astype(np.float32) if columns else np.zeros(0, dtype=np.float32)


class _Nearness:
    """How near the terms of some rows are to each other, and so how near their neighbours are at least."""

    def __init__(self, terms: Terms, rows: Ints) -> None:
        assert terms.stated is not None and terms.skipgram is not None
        self._statements = terms.source.neighbour_statements
        self._patterns = terms.stated.patterns
        self._vectors: Floats32 = np.asarray(
            lengths_of_one(np.asarray(terms.skipgram.matrix[rows], dtype=np.float32)), dtype=np.float32
        )
        self._numbers = terms.stated.exact_numbers[rows]
        self._own = self._statements.places(self._numbers)
        sample = np.unique(self._own[self._own >= 0])
        if len(sample) > NEIGHBOURS:
            nearest = np.sort(-np.partition(-self._cosines(sample), NEIGHBOURS - 1, axis=1)[:, :NEIGHBOURS], axis=1)
        else:
            nearest = np.full((len(rows), NEIGHBOURS), -1.0, dtype=np.float32)
        cosines = nearest[:, ::-1]
        squares = np.maximum(cosines - _SLACK, 0.0) ** 2 * LEAST_TRUST
        self._limits = cosines[:, -1] - _SLACK, cosines[:, NEAREST - 1] - _SLACK
        self._weights = squares.sum(axis=1), squares[:, :NEAREST].sum(axis=1)

    def _cosines(self, places: Ints) -> Floats32:
        """The cosines with the terms at these places; no term is its own neighbour."""
        with one_blas_thread():
            cosines = self._vectors @ self._statements.vectors[places].T
        cosines[self._own[:, None] == places[None, :]] = -1.0
        return np.asarray(cosines, dtype=np.float32)

    def votes(self, places: Ints, ppmi: Any) -> tuple[Any, Any]:
        """Bounds of A and A₂₀, given the terms that are stated to be a kind of p and their PPMI."""
        if not len(places):
            return np.zeros(len(self._vectors)), np.zeros(len(self._vectors))
        cosines = self._cosines(places)
        weights = np.square(np.maximum(cosines + _SLACK, 0.0)) * self._statements.trust[places]
        bounds = []
        for limits, least in zip(self._limits, self._weights, strict=True):
            near: Bools = cosines >= limits[:, None]
            sums = (weights * near) @ ppmi
            largest = (near * ppmi).max(axis=1)
            bounds.append(np.minimum(largest, sums / np.maximum(least, 1e-9)))
        return bounds[0], bounds[1]

    def reachable(self, classes: Ints, passed_on: Any) -> Any:
        """The bound of B²: the most that a class passes on to p which a neighbour, or the term itself, is called."""
        bound = np.zeros(len(self._vectors))
        members = [self._patterns.hyponym_counts(int(number))[0] for number in classes]
        compared = self._statements.places(np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *members])))
        compared = compared[compared >= 0]
        if len(compared) > _MOST_COMPARED:
            return np.full(len(bound), passed_on.max(initial=0.0))
        near = self._cosines(compared) >= self._limits[0][:, None]
        for place in np.argsort(-passed_on, kind="stable").tolist():
            open_ = np.flatnonzero(bound == 0.0)
            if not len(open_) or passed_on[place] <= 0:
                break
            columns = np.flatnonzero(np.isin(compared, self._statements.places(members[place])))
            called = near[np.ix_(open_, columns)].any(axis=1) | np.isin(self._numbers[open_], members[place])
            bound[open_[called]] = passed_on[place]
        return bound
