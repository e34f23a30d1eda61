"""The most general words of a model, on the whole or within the topics of a query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperdive.discover.question import Question, best, source_of
from hyperdive.errors import OptionError
from hyperdive.scores.source import AnyModel
from hyperdive.table import Table


@dataclass(frozen=True)
class GeneralWord:
    """A word and its sum, or its product with the query."""

    term: str
    value: float


def general_words(model: AnyModel, query: str | None = None, top: int = 30) -> Table[GeneralWord]:
    """The words with the largest sum ‖w‖₁, or for a query q the largest Σᵢ w[i]·q[i], as in the paper's table.

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
    if top < 1:
        raise OptionError("the number of words must be 1 or more")
    space = source_of(model).main
    weights = np.ones(space.matrix.shape[1])
    if query is not None:
        question = Question(model, [query])
        row = question.terms.rows.matrix[[int(question.asked[0])]]
        weights = np.asarray(row if isinstance(row, np.ndarray) else row.toarray(), dtype=np.float64).ravel()
    values = np.asarray(space.matrix @ weights, dtype=np.float64).ravel()
    found = [GeneralWord(space.words[i], float(values[i])) for i in best(values, top) if values[i] > 0]
    return Table(GeneralWord, found, formats={"value": ".2f"})
