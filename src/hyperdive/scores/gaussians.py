"""Terms whose words are Gaussians: a phrase keeps its words, since its score is a mean over pairs of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperdive._types import Floats, Ints
from hyperdive.scores._blocks import kernels, run
from hyperdive.scores.lookup import Lookup
from hyperdive.scores.source import SpaceLike

Table = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Gaussians:
    """Means and variances of words, and the words each term has: term t those at `rows[starts[t]:starts[t + 1]]`.

    >>> words = Gaussians(np.zeros((2, 1)), np.array([[1.0], [4.0]]), np.array([0, 1]), np.array([0, 1, 2]))
    >>> cosine, divergence = words.scores(np.array([0]), np.array([1])).T
    >>> divergence.round(3).tolist()                              # -½(1/4 - 1 + log 4)
    [-0.318]
    """

    means: Table
    variances: Table
    rows: Ints
    starts: Ints

    @classmethod
    def of(cls, space: SpaceLike, lookup: Lookup) -> Gaussians | None:
        """The terms of a look-up, or None where the words of the space are not Gaussians."""
        variances = getattr(space, "variances", None)
        if variances is None:
            return None
        used, rows = np.unique(lookup.rows, return_inverse=True)
        return cls(space.matrix[used], variances[used], rows.astype(np.int64), lookup.starts)

    def scores(self, q: Ints, p: Ints, *, threads: int = 0) -> Floats:
        """Columns: the cosine of the means and -KL(q‖p), each the mean over all pairs of a word of q and one of p."""
        squares = np.square(self.means, dtype=np.float64).sum(axis=1)
        logs = np.log(self.variances, dtype=np.float64).sum(axis=1)
        arguments = (self.means, self.variances, squares, logs, self.rows, self.starts, q, p)
        return run(kernels.gaussian_pairs, len(q), *arguments, columns=2, threads=threads)
