"""Words side by side over the dimensions they have, as in the paper's main figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperdive.discover.dimensions import dimensions_of
from hyperdive.discover.question import Question
from hyperdive.errors import OptionError, one_line
from hyperdive.scores.source import AnyModel
from hyperdive.table import Table

HIDDEN = 0.1  # the paper leaves out values under this
MOST_WORDS = 6
LABEL_WORDS = 4


@dataclass(frozen=True)
class Shared:
    """One dimension: its first words, some of its words 51–105, and the value of each compared word."""

    dimension: int
    label: str
    values: tuple[float, ...]
    further: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison(Table[Shared]):
    """Dimensions of several words; the broadest word sorts them and stands first in `words`.

    `included[i][j]` is the share of word j that lies under word i, from 0 to 1; `more` counts dimensions left out.
    """

    words: tuple[str, ...] = ()
    included: tuple[tuple[float, ...], ...] = ()
    more: int = 0

    def cells(self) -> list[list[str]]:
        """A column a word; values that are hidden are empty."""
        values = [[f"{value:.2f}" if value >= HIDDEN else "" for value in row.values] for row in self.rows]
        return [[one_line(row.label), *shown] for row, shown in zip(self.rows, values, strict=True)]

    def __str__(self) -> str:
        head = ["dimension", *map(one_line, self.words)]
        cells = self.cells()
        widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in [head, *cells]
        ]
        return "\n".join([*lines, *map(one_line, self.notes)])


def compare(model: AnyModel, words: Sequence[str], top: int | None = None) -> Comparison:
    """The words' values over the dimensions where any of them has at least 0.1.

    The word with the largest sum is taken as the broadest: it comes first and its values sort the dimensions.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = [[5, 3, 0], [3, 0, 0.5], [0, 4, 0]]
    >>> model = VectorSpace(["animal", "dog", "law"], matrix, frequencies=[9, 5, 3], kind="dive")
    >>> print(compare(model, ["dog", "animal"]))
    dimension   animal   dog
    animal dog    5.00  3.00
    law animal    3.00
    dog                 0.50
    animal includes 86 % of dog
    """
    if not 2 <= len(words) <= MOST_WORDS:
        raise OptionError(f"compare 2 to {MOST_WORDS} words, not {len(words)}")
    vectors = vectors_of(model, words)
    order = np.argsort(-vectors.sum(axis=1), kind="stable")
    vectors, named = vectors[order], tuple(" ".join(words[i].lower().split()) for i in order)
    columns = dimensions_of(model)
    # by the broadest word; where it has nothing, by the next
    sorting = np.lexsort([np.arange(vectors.shape[1]), *-np.where(vectors >= HIDDEN, vectors, 0.0)[::-1]])
    rows = [
        Shared(
            int(d),
            " ".join(columns.first(int(d), LABEL_WORDS)),
            tuple(float(value) for value in vectors[:, d]),
            tuple(columns.first(int(d), LABEL_WORDS, 50)),
        )
        for d in sorting
        if vectors[:, d].max() >= HIDDEN
    ]
    shared = np.minimum(vectors[:, None], vectors[None]).sum(axis=2)
    included = shared / np.maximum(vectors.sum(axis=1), 1e-30)
    parts = ", ".join(f"{100 * share:.0f} % of {name}" for name, share in zip(named[1:], included[0, 1:], strict=True))
    notes: tuple[str, ...] = (f"{named[0]} includes {parts}",)
    left = len(rows) - len(rows[:top])
    if left:
        notes = (*notes, f"{left} more dimensions")
    return Comparison(
        Shared, rows[:top], words=named, notes=notes, included=tuple(map(tuple, included.tolist())), more=left
    )


def vectors_of(model: AnyModel, words: Sequence[str]) -> npt.NDArray[np.float64]:
    """The vectors of words or phrases in the model's main space, one a row."""
    question = Question(model, words)
    rows = question.terms.rows.matrix[question.asked]
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=np.float64)
