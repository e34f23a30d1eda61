"""What a word would be called, judged by its skip-gram vector: a linear map from those vectors to pattern vectors.

Patterns name a word seldom or never; its neighbours they do name. With w_q the skip-gram vector of q at length 1 and
u_q its row of U·Σ (see `hyperdive.patterns.svd`), the map A is the weighted ridge regression

    A = argmin Σ_q min(n(q, ·), 20)·‖u_q − w_q·A‖² + 100·‖A‖²

over all words that patterns name as hyponyms. w_q·A·V[p] then says how well q fits among the words that are called p,
also when no pattern names q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperdive._resources import one_blas_thread

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns

_MOST, _RIDGE = 20.0, 100.0


def projection(patterns: Patterns, space: Any) -> npt.NDArray[np.float32]:
    """The map A, from the dimensions of a skip-gram space to those of the pattern vectors.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = ["dog", "poodle", "fish", "carp"]
    >>> stated = Patterns.from_keys(words, ["such as"], pack([1, 3], [0, 2], [0, 0]), [4, 4])
    >>> space = VectorSpace(words, np.eye(4), frequencies=[5, 4, 3, 2], kind="skipgram")
    >>> projection(stated, space).shape
    (4, 2)
    """
    named = np.flatnonzero(patterns.hyponym_totals > 0)
    places = {word: row for row, word in enumerate(space.words)}
    found = np.fromiter((places.get(patterns.terms[n], -1) for n in named.tolist()), dtype=np.int64, count=len(named))
    numbers, rows = named[found >= 0], found[found >= 0]
    dimensions = int(space.matrix.shape[1])
    if not len(numbers):
        return np.zeros((dimensions, patterns.factors.rank), dtype=np.float32)
    vectors = lengths_of_one(np.asarray(space.matrix[rows], dtype=np.float64))
    weighted = vectors * np.minimum(patterns.hyponym_totals[numbers], _MOST)[:, None]
    with one_blas_thread():
        gram = weighted.T @ vectors + _RIDGE * np.eye(dimensions)
        right = weighted.T @ patterns.hyponym_vectors(numbers).astype(np.float64)
        return np.asarray(np.linalg.solve(gram, right), dtype=np.float32)


def lengths_of_one(matrix: Any, *, in_place: bool = False) -> Any:
    """The rows divided by their lengths; zero rows stay zero.

    Args:
        matrix: The rows.
        in_place: Whether the result replaces them: memory that is written for the first time takes long.

    >>> lengths_of_one(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    return np.divide(matrix, np.where(norms > 0, norms, 1)[:, None], out=matrix if in_place else None)
