"""The dimensions of a model: what each is about, and the most general words.

A DIVE vector reads as an unnormalised distribution over topics, and a dimension's largest words are its most general
ones, as in the paper's figure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperdive._types import Floats, Floats32, Ints
from hyperdive.ask.options import TopicOptions
from hyperdive.ask.question import Question, best, source_of
from hyperdive.errors import InputError
from hyperdive.scores.source import AnyModel
from hyperdive.spaces.space import VectorSpace
from hyperdive.table import Table

LABEL_WORDS, LABEL_FROM = 3, 10
FURTHER = slice(50, 105)  # the paper shows words 51–105 of a dimension next to its first
DUPLICATE = 0.8  # cosine of two dimensions over all words
FREQUENT = 0.5  # share of a dimension's first 50 words that are among the model's 100 most frequent
MOST_DIMENSIONS = 5_000
MOST_GENERAL = 30


@dataclass(frozen=True)
class Topic:
    """A dimension (from 0): label, first words, some of its words 51–105, how many words it has, its share of mass."""

    dimension: int
    label: str
    words: tuple[str, ...]
    further: tuple[str, ...]
    size: int
    share: float
    status: str


def topics(model: AnyModel, top: int | None = None, words: int = 8) -> Table[Topic]:
    """Return every dimension, those with the most mass first.

    The status is "ok", "dead" (no word has it), "duplicate of d" (nearly the same words as a larger dimension) or
    "frequency only" (its first words are merely the most frequent ones).

    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = [[5, 3, 0], [3, 0, 0], [1, 0, 0], [0, 4, 0]]
    >>> model = VectorSpace(["animal", "dog", "poodle", "law"], matrix, frequencies=[9, 5, 1, 3], kind="dive")
    >>> print(topics(model, words=2))
    dimension  label              words        size  share  status
            0  animal dog poodle  animal, dog     3  56.2%  ok
            1  law animal         law, animal     2  43.8%  ok
            2  –                                  0   0.0%  dead
    3 dimensions: 1 dead, 0 duplicate, 0 frequency only
    """
    TopicOptions(top=top, words=words)
    columns = dimensions_of(model)
    order = np.argsort(-columns.mass, kind="stable")
    status = columns.status(order)
    found = [
        Topic(
            int(d),
            columns.label(int(d)),
            tuple(columns.first(int(d), words)),
            tuple(columns.first(int(d), words, FURTHER.start)),
            int(columns.sizes[d]),
            float(columns.mass[d] / max(float(columns.mass.sum()), 1e-30)),
            status[int(d)],
        )
        for d in order[:top]
    ]
    states = list(status.values())
    counts = [sum(state.startswith(kind) for state in states) for kind in ("dead", "duplicate", "frequency only")]
    note = f"{len(states)} dimensions: {counts[0]} dead, {counts[1]} duplicate, {counts[2]} frequency only"
    return Table(
        Topic,
        found,
        columns=("dimension", "label", "words", "size", "share", "status"),
        formats={"share": ".1%"},
        notes=(note,),
    )


@dataclass(frozen=True)
class GeneralWord:
    """A word, and its sum or its product with the query."""

    term: str
    value: float


def general_words(model: AnyModel, query: str | None = None, top: int = MOST_GENERAL) -> Table[GeneralWord]:
    """Return the words with the largest sum ‖w‖₁, or for a query q the largest Σᵢ w[i]·q[i], as in the paper's table.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> model = VectorSpace(["animal", "dog", "law"], [[3, 2], [2, 0], [0, 4]], frequencies=[9, 5, 7], kind="dive")
    >>> print(general_words(model))
    term    value
    animal   5.00
    law      4.00
    dog      2.00
    >>> [word.term for word in general_words(model, "dog", top=2)]
    ['animal', 'dog']
    """
    TopicOptions(top=top)
    space = source_of(model).main
    weights = np.ones(space.matrix.shape[1])
    if query is not None:
        question = Question(model, [query])
        row = question.terms.rows.matrix[[int(question.asked[0])]]
        weights = np.asarray(row if isinstance(row, np.ndarray) else row.toarray(), dtype=np.float64).ravel()
    values = np.asarray(space.matrix @ weights, dtype=np.float64).ravel()
    found = [GeneralWord(space.words[i], float(values[i])) for i in best(values, top) if values[i] > 0]
    return Table(GeneralWord, found, formats={"value": ".2f"})


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

    def __init__(self, space: VectorSpace) -> None:
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

    def title(self, dimension: int, count: int) -> str:
        """The first words of a dimension as one text."""
        return " ".join(self.first(dimension, count))

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
