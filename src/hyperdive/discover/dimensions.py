"""The dimensions of a model: their words, and a label and a status for each."""

from __future__ import annotations

import numpy as np

from hyperdive._types import Floats, Floats32, Ints
from hyperdive.discover.question import source_of
from hyperdive.errors import InputError
from hyperdive.scores.source import AnyModel, SpaceLike

LABEL_WORDS, LABEL_FROM = 3, 10
FURTHER = slice(50, 105)  # the paper shows words 51–105 of a dimension next to its first
DUPLICATE = 0.8  # cosine of two dimensions over all words
FREQUENT = 0.5  # share of a dimension's first 50 words that are among the model's 100 most frequent
MOST_DIMENSIONS = 5_000


def dimensions_of(model: AnyModel) -> Dimensions:
    """The dimensions of a model's main space, computed once."""
    source = source_of(model)
    return source.memo.get(Dimensions, lambda: Dimensions(source.main))


class Dimensions:
    """Columns of a non-negative space, with their words.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog", "law"], [[3, 1], [2, 0], [0, 4]], frequencies=[9, 5, 7], kind="dive")
    >>> Dimensions(space).first(0, 2), Dimensions(space).label(1)
    (['animal', 'dog'], 'law animal')
    """

    def __init__(self, space: SpaceLike) -> None:
        self.space = space
        matrix = space.matrix
        if matrix.shape[1] > MOST_DIMENSIONS:
            raise InputError(
                f"this space has {matrix.shape[1]} dimensions, one a context word: too many for topics",
                hint="ask a DIVE model",
            )
        dense: Floats32 = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        if dense.size and float(dense.min()) < 0:
            raise InputError("topics need non-negative vectors", hint="ask a DIVE model")
        self.words: list[str] = list(space.words)
        self.frequencies = np.asarray(space.frequencies)
        self.columns: Floats32 = np.ascontiguousarray(dense.T)
        self.mass = self.columns.sum(axis=1, dtype=np.float64)
        self.sizes = np.count_nonzero(self.columns, axis=1)
        self._sums = dense.sum(axis=1, dtype=np.float64)
        self._orders: dict[int, Ints] = {}

    def vector(self, word: str) -> Floats:
        """The values of a word in all dimensions."""
        return self.columns[:, self.space.index(word)].astype(np.float64)

    def _order(self, dimension: int) -> Ints:
        """The dimension's words, the largest value first, up to those the paper shows."""
        if dimension not in self._orders:
            column = self.columns[dimension]
            there = np.flatnonzero(column)
            self._orders[dimension] = there[np.argsort(-column[there], kind="stable")][: FURTHER.stop]
        return self._orders[dimension]

    def first(self, dimension: int, count: int, start: int = 0) -> list[str]:
        """Words of a dimension by falling value, from place `start` on."""
        return [self.words[i] for i in self._order(dimension)[start : start + count]]

    def label(self, dimension: int, count: int = LABEL_WORDS) -> str:
        """The words that say best what it is about: large in this dimension, and large nowhere else.

        Of the dimension's first words those with the largest w[d]²/S(w), which is value times share.
        """
        order = self._order(dimension)[:LABEL_FROM]
        if len(order) == 0:
            return "–"
        value = self.columns[dimension][order].astype(np.float64)
        typical = value * value / self._sums[order]
        return " ".join(self.words[order[i]] for i in np.argsort(-typical, kind="stable")[:count])

    def status(self, order: Ints) -> dict[int, str]:
        """Whether a dimension is ok, dead, a duplicate (the one later in `order`) or reflects frequency only."""
        norms = np.sqrt(np.einsum("ij,ij->i", self.columns, self.columns, dtype=np.float64))
        unit = self.columns / np.maximum(norms, 1e-30)[:, None].astype(np.float32)
        alike = unit @ unit.T
        frequent = set(np.argsort(-self.frequencies, kind="stable")[:100].tolist())
        state: dict[int, str] = {}
        for place, d in enumerate(order.tolist()):
            first = self._order(d)[:50].tolist()
            earlier = [int(other) for other in order[:place] if alike[d, other] >= DUPLICATE]
            if not first:
                state[d] = "dead"
            elif earlier:
                state[d] = f"duplicate of {earlier[0]}"
            elif len(self.words) > 1000 and len(frequent.intersection(first)) >= FREQUENT * len(first):
                state[d] = "frequency only"
            else:
                state[d] = "ok"
        return {d: state[d] for d in sorted(state)}
