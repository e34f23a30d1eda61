"""Composition: rows of a term that the text does not have, from those of its modifier and its head.

Both maps are fitted without labels on terms of two parts that the text does have:

- skip-gram: t ≈ a·m + b·h + [m, h, 1]·B, a regression with a ridge on B alone, so that from few terms it is a weighted
  mean; the result gets length 1 and the constant last dimension.
- DIVE: t[i] ≈ a[i]·m[i] + b[i]·h[i] + c[i]·√(m[i]·h[i]) with a, b, c ≥ 0, dimension by dimension. The last part is what
  modifier and head share.

A term of more parts is composed from its head and the rest, which is a term itself or composed in turn. Without a row
for the modifier the term has the rows of its head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from hyperdive._types import Floats, Floats32
from hyperdive.spaces.space import unit_rows
from hyperdive.spaces.tensors import MappedTensors
from hyperdive.text.term_names import PREPOSITIONS

FEWEST = 50
"""Terms of two parts that a map is fitted on at the least."""
RIDGE = 30.0
"""Weight of the squared coefficients of the regression beside the squared errors: few terms leave it near the mean."""
BLOCK = 4096

Row = Callable[[str], Floats32 | None]


def term_parts(name: str) -> tuple[str, str] | None:
    """Modifier and head of a term; None for a single word.

    >>> term_parts("type 2 diabetes"), term_parts("bird of prey"), term_parts("dog")
    (('type 2', 'diabetes'), ('prey', 'bird'), None)
    """
    words = name.split(" ")
    for place in range(1, len(words) - 1):
        if words[place] in PREPOSITIONS:
            return " ".join(words[place + 1 :]), " ".join(words[:place])
    return (" ".join(words[:-1]), words[-1]) if len(words) > 1 else None


@dataclass(frozen=True)
class Composition:
    """The fitted maps.

    >>> maps = Composition(np.array([[1.0], [0.5], [0.0]], np.float32))
    >>> maps.dive_rows(np.array([[2.0]]), np.array([[4.0]])).tolist()
    [[4.0]]
    """

    dive: Floats32
    """Three rows, a, b and c, over the dimensions."""
    skipgram: Floats32 | None = None
    """B: a row for each dimension of the modifier and of the head, without the constant one, and a last one."""
    lean: float = 0.1
    """Squared length of the constant dimension of skip-gram rows."""

    @classmethod
    def fit(
        cls,
        modifiers: tuple[Floats32, Floats32 | None],
        heads: tuple[Floats32, Floats32 | None],
        terms: tuple[Floats32, Floats32 | None],
        lean: float = 0.1,
    ) -> Composition | None:
        """The maps from DIVE and skip-gram rows of modifiers and heads to those of terms; None for too few terms."""
        if len(terms[0]) < FEWEST:
            return None
        dive = fitted_shares(modifiers[0], heads[0], terms[0])
        skipgram = None
        if terms[1] is not None and modifiers[1] is not None and heads[1] is not None:
            last = -1 if lean else None
            skipgram = fitted_regression(modifiers[1][:, :last], heads[1][:, :last], terms[1][:, :last])
        return cls(dive, skipgram, lean)

    def tensors(self) -> dict[str, Any]:
        """Return the maps as a model folder holds them."""
        tensors: dict[str, Any] = {"composition.dive": self.dive}
        if self.skipgram is not None:
            tensors["composition.skipgram"] = self.skipgram
            tensors["composition.lean"] = np.array([self.lean], dtype=np.float32)
        return tensors

    @classmethod
    def read(cls, tensors: MappedTensors, dimensions: int, of_skipgram: int | None) -> Composition:
        """Return the maps in a model folder whose spaces have these dimensions."""
        dive = tensors.floats("composition.dive", 3, dimensions)
        if "composition.skipgram" not in tensors:
            return cls(dive)
        [lean] = tensors.floats("composition.lean", 1).tolist()
        if lean < 0 or of_skipgram is None:
            raise tensors.wrong("composition.lean")
        own = of_skipgram - (1 if lean else 0)
        return cls(dive, tensors.floats("composition.skipgram", 2 * own + 1, own), lean)

    def dive_rows(self, modifiers: Floats32, heads: Floats32) -> Floats32:
        """DIVE rows of terms with these modifiers and heads."""
        a, b, c = self.dive
        rows: Floats32 = (a * modifiers + b * heads + c * np.sqrt(modifiers * heads)).astype(np.float32)
        return rows

    def skipgram_rows(self, modifiers: Floats32, heads: Floats32) -> Floats32:
        """Skip-gram rows of terms with these modifiers and heads."""
        assert self.skipgram is not None
        last = -1 if self.lean else None
        both = np.hstack([modifiers[:, :last], heads[:, :last]])
        # einsum, not BLAS: the same bytes however many rows are asked for
        rows = np.einsum("nd,de->ne", both, self.skipgram[:-1]) + self.skipgram[-1]
        return unit_rows(rows, self.lean)

    def compose(self, name: str, dive: Row, skipgram: Row | None = None) -> tuple[Floats32 | None, Floats32 | None]:
        """The rows of a term from those that `dive` and `skipgram` know; None where not even the head has one.

        Args:
            name: the normalised name of the term.
            dive: the DIVE row of a word or term, or None.
            skipgram: the skip-gram row of a word or term, or None.
        """
        return _composed(name, dive, self.dive_rows), (
            None if skipgram is None or self.skipgram is None else _composed(name, skipgram, self.skipgram_rows)
        )


def _composed(name: str, row: Row, rows: Callable[[Floats32, Floats32], Floats32]) -> Floats32 | None:
    parts = term_parts(name)
    if parts is None:
        return None
    modifier, head = (_attested_or_composed(part, row, rows) for part in parts)
    if head is None or modifier is None:
        return head
    together: Floats32 = rows(modifier[None], head[None])[0]
    return together


def _attested_or_composed(name: str, row: Row, rows: Callable[[Floats32, Floats32], Floats32]) -> Floats32 | None:
    attested = row(name)
    return _composed(name, row, rows) if attested is None else attested


# ---- fitting ------------------------------------------------------------------------------------------------


def fitted_regression(modifiers: Floats32, heads: Floats32, terms: Floats32, ridge: float = RIDGE) -> Floats32:
    """The matrix of t ≈ a·m + b·h + [m, h, 1]·B, with a and b in its diagonals.

    >>> rng = np.random.default_rng(0)
    >>> m, h = rng.standard_normal((2, 500, 3))
    >>> np.abs(fitted_regression(m, h, 0.5 * m + h, ridge=0)).round(2)[[0, 3]].tolist()
    [[0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    from threadpoolctl import threadpool_limits

    own = modifiers.shape[1]
    size = 2 * own + 1
    gram, product = np.zeros((size, size)), np.zeros((size, terms.shape[1]))
    with threadpool_limits(1, "blas"):  # its results differ between thread counts
        for start in range(0, len(terms), BLOCK):
            part = slice(start, start + BLOCK)
            many = len(terms[part])
            known = np.hstack([modifiers[part], heads[part], np.ones((many, 1))]).astype(np.float64)
            gram += known.T @ known
            product += known.T @ terms[part].astype(np.float64)
        weights = _mean_weights(gram, product, own)
        prior = np.vstack([weight * np.eye(own) for weight in weights] + [np.zeros((1, own))])
        change = np.linalg.solve(gram + (ridge + 1e-9) * np.eye(size), product - gram @ prior)
    solution: Floats32 = (prior + change).astype(np.float32)
    return solution


def _mean_weights(gram: Floats, product: Floats, own: int) -> Floats:
    """a and b of t ≈ a·m + b·h by least squares, from the products of all dimensions."""
    m, h = slice(0, own), slice(own, 2 * own)
    parts = np.array([[np.trace(gram[x, y]) for y in (m, h)] for x in (m, h)])
    weights: Floats = np.linalg.solve(parts + 1e-9 * np.eye(2), [np.trace(product[x]) for x in (m, h)])
    return weights


def fitted_shares(modifiers: Floats32, heads: Floats32, terms: Floats32) -> Floats32:
    """a, b and c of t[i] ≈ a[i]·m[i] + b[i]·h[i] + c[i]·√(m[i]·h[i]), none below 0: least squares by dimension.

    >>> rng = np.random.default_rng(0)
    >>> m, h = rng.random((2, 200, 2))
    >>> fitted_shares(m, h, 0.25 * m + 0.5 * h).round(2).tolist()
    [[0.25, 0.25], [0.5, 0.5], [0.0, 0.0]]
    """
    dimensions = terms.shape[1]
    gram, product = np.zeros((dimensions, 3, 3)), np.zeros((dimensions, 3))
    for start in range(0, len(terms), BLOCK):
        part = slice(start, start + BLOCK)
        m, h = modifiers[part].astype(np.float64), heads[part].astype(np.float64)
        features = np.stack([m, h, np.sqrt(m * h)])
        gram += np.einsum("ani,bni->iab", features, features)
        product += np.einsum("ani,ni->ia", features, terms[part].astype(np.float64))
    return np.array([_non_negative(gram[i], product[i]) for i in range(dimensions)]).T.astype(np.float32)


def _non_negative(gram: Floats, product: Floats) -> Floats:
    """The x ≥ 0 that minimises xᵀ·gram·x - 2·x·product: the best of the few sets of entries that may be positive."""
    best, least = np.zeros(len(product)), 0.0
    for many in range(1, len(product) + 1):
        for chosen in combinations(range(len(product)), many):
            part = np.ix_(chosen, chosen)
            x = np.zeros(len(product))
            x[list(chosen)] = np.linalg.solve(gram[part] + 1e-6 * np.eye(many), product[list(chosen)])
            loss = float(x @ gram @ x - 2 * x @ product)
            if x.min() >= 0 and loss < least:
                best, least = x, loss
    return best


def two_part_terms(names: Sequence[str]) -> list[tuple[int, str, str]]:
    """(place, modifier, head) of the terms whose two parts are single words.

    >>> two_part_terms(["dog", "guide dog", "bird of prey", "type 2 diabetes"])
    [(1, 'guide', 'dog'), (2, 'prey', 'bird')]
    """
    result = []
    for place, name in enumerate(names):
        parts = term_parts(name)
        if parts is not None and " " not in parts[0] + parts[1]:
            result.append((place, *parts))
    return result
