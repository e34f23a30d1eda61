"""What each dimension of a model is about: a label, its words from general to special, and whether it is healthy.

A DIVE vector reads as an unnormalised distribution over topics, and a dimension's largest words are its most general
ones, as in the paper's figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive.discover.question import kept, source_of
from hyperdive.errors import InputError, OptionError
from hyperdive.table import Table

LABEL_WORDS, LABEL_FROM = 3, 10
FURTHER = slice(50, 105)  # the paper shows words 51–105 of a dimension beside its first
DUPLICATE = 0.8  # cosine of two dimensions over all words
FREQUENT = 0.5  # share of a dimension's first 50 words that are among the model's 100 most frequent
MOST_DIMENSIONS = 5_000

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Topic:
    """A dimension (from 0): label, first words, some of its words 51–105, how many words it has, its share of mass."""

    dimension: int
    label: str
    words: tuple[str, ...]
    further: tuple[str, ...]
    size: int
    share: float
    health: str


def topics(model: Any, top: int | None = None, words: int = 5) -> Table[Topic]:
    """Every dimension, those with the most mass first.

    Health is "fine", "dead" (no word has it), "duplicate of d" (nearly the same words as a larger dimension) or
    "frequency only" (its first words are merely the most frequent ones).

    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = [[5, 3, 0], [3, 0, 0], [1, 0, 0], [0, 4, 0]]
    >>> model = VectorSpace(["animal", "dog", "poodle", "law"], matrix, frequencies=[9, 5, 1, 3], kind="dive")
    >>> print(topics(model, words=2))
    dimension  label              words        size  share  health
            0  animal dog poodle  animal, dog     3  56.2%  fine
            1  law animal         law, animal     2  43.8%  fine
            2  –                                  0   0.0%  dead
    3 dimensions: 1 dead, 0 duplicate, 0 frequency only
    """
    if words < 1 or (top is not None and top < 1):
        raise OptionError("the number of dimensions and of words must be 1 or more")
    columns = dimensions(model)
    order = np.argsort(-columns.mass, kind="stable")
    health = columns.health(order)
    found = [
        Topic(
            int(d),
            columns.label(int(d)),
            tuple(columns.first(int(d), words)),
            tuple(columns.first(int(d), words, FURTHER.start)),
            int(columns.sizes[d]),
            float(columns.mass[d] / max(float(columns.mass.sum()), 1e-30)),
            health[int(d)],
        )
        for d in order[:top]
    ]
    states = list(health.values())
    counts = [sum(state.startswith(kind) for state in states) for kind in ("dead", "duplicate", "frequency only")]
    note = f"{len(states)} dimensions: {counts[0]} dead, {counts[1]} duplicate, {counts[2]} frequency only"
    return Table(
        Topic,
        found,
        columns=("dimension", "label", "words", "size", "share", "health"),
        formats={"share": ".1%"},
        notes=(note,),
    )


def dimensions(model: Any) -> Dimensions:
    """The dimensions of a model's main space, kept with the model."""
    return kept(model, "dimensions", lambda: Dimensions(source_of(model).main))


class Dimensions:
    """Columns of a non-negative space, with their words."""

    def __init__(self, space: Any) -> None:
        matrix = space.matrix
        if matrix.shape[1] > MOST_DIMENSIONS:
            raise InputError(
                f"this space has {matrix.shape[1]} dimensions, one a context word: too many for topics",
                hint="ask a DIVE model",
            )
        dense: Floats = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        if dense.size and float(dense.min()) < 0:
            raise InputError("topics need non-negative vectors", hint="ask a DIVE model")
        self.words: list[str] = list(space.words)
        self.frequencies = np.asarray(space.frequencies)
        self.columns: Floats = np.ascontiguousarray(dense.T)
        self.mass = self.columns.sum(axis=1, dtype=np.float64)
        self.sizes = np.count_nonzero(self.columns, axis=1)
        self._sums = dense.sum(axis=1, dtype=np.float64)
        self._orders: dict[int, npt.NDArray[np.int64]] = {}

    def _order(self, dimension: int) -> npt.NDArray[np.int64]:
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

    def health(self, order: npt.NDArray[np.int64]) -> dict[int, str]:
        """What is wrong with each dimension, if anything; of two alike the one later in `order` is the duplicate."""
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
                state[d] = "fine"
        return {d: state[d] for d in sorted(state)}
