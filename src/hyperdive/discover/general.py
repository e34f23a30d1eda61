"""The most general words of a model, on the whole or within the topics of a query."""

from __future__ import annotations

import numpy as np

from hyperdive.errors import OptionError
from hyperdive.spaces.model import Model


def general_words(model: Model, query: str | None = None, top: int = 30) -> list[tuple[str, float]]:
    """The words with the largest sum ‖w‖₁, or for a query q the largest Σᵢ w[i]·q[i], as in the paper's table.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[3, 2], [2, 0], [0, 4]])
    >>> model = Model(VectorSpace(["animal", "dog", "law"], matrix, frequencies=[9, 5, 7], kind="dive"))
    >>> general_words(model)
    [('animal', 5.0), ('law', 4.0), ('dog', 2.0)]
    >>> general_words(model, "dog", top=2)
    [('animal', 6.0), ('dog', 4.0)]
    """
    if top < 1:
        raise OptionError("the number of words must be 1 or more")
    weights = np.ones(model.dive.dimensions) if query is None else model[query].astype(np.float64)
    values = np.asarray(model.dive.matrix @ weights, dtype=np.float64).ravel()
    best = np.argsort(-values, kind="stable")[:top]
    return [(model.words[i], float(values[i])) for i in best if values[i] > 0]
