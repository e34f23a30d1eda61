"""What each dimension of a model is about: a label, its words from general to specific, and a status.

A DIVE vector reads as an unnormalised distribution over topics, and a dimension's largest words are its most general
ones, as in the paper's figure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperdive.discover.dimensions import FURTHER, dimensions_of
from hyperdive.errors import OptionError
from hyperdive.scores.source import AnyModel
from hyperdive.table import Table


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


def topics(model: AnyModel, top: int | None = None, words: int = 5) -> Table[Topic]:
    """Every dimension, those with the most mass first.

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
    if words < 1 or (top is not None and top < 1):
        raise OptionError("the number of dimensions and of words must be 1 or more")
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
