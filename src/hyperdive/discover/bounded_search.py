"""The first few of many candidates by a score that takes long, given upper bounds of it that take less."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hyperdive._types import Floats, Ints

Scores = Callable[[Ints], Floats]
_FIRST, _BLOCK = 16, 64  # candidates that are scored together, the most promising first
_ROUNDING = 1e-6


def leading_scores(size: int, score: Scores, bounds: Sequence[Scores], *, top: int, limit: float) -> Floats:
    """The scores of all candidates that may be among the answers; −∞ for the others.

    The answers are the first `top` candidates with a score of at least `limit`, or if no candidate has that, the first
    one alone.

    Args:
        size: How many candidates there are.
        score: The scores of candidates, by their numbers.
        bounds: Upper bounds of these scores, the quickest first; the later ones see only candidates that are left.
        top: Most answers.
        limit: Least score of an answer.

    >>> values, scored = np.array([0.3, 0.9, 0.1, 0.8] + [0.2] * 96), []
    >>> def score(numbers):
    ...     scored.extend(numbers.tolist())
    ...     return values[numbers]
    >>> leading_scores(100, score, [lambda numbers: values[numbers] + 0.05], top=2, limit=0.5)[:5]
    array([ 0.3,  0.9, -inf,  0.8,  0.2])
    >>> len(scored)
    16
    """
    scores, ceilings = np.full(size, -np.inf), np.full(size, np.inf)
    left: Ints = np.arange(size)

    def score_first(size: int) -> Ints:
        """Score the most promising candidates, and return those of the others that can still be an answer."""
        order = left[np.argsort(-ceilings[left], kind="stable")]
        block, rest = np.sort(order[:size]), order[size:]
        scores[block] = score(block)
        return np.sort(rest[ceilings[rest] >= _least(scores, top, limit) - _ROUNDING])

    for bound in bounds:
        if len(left):
            ceilings[left] = np.minimum(ceilings[left], bound(left))
            left = score_first(max(_FIRST, top))
    while len(left):
        left = score_first(_BLOCK)
    return scores


def _least(scores: Floats, top: int, limit: float) -> float:
    """The score that a candidate needs to be an answer beside those already scored."""
    best = float(scores.max(initial=-np.inf))
    if best < limit:
        return best
    return max(limit, float(-np.partition(-scores, top - 1)[top - 1]) if top <= len(scores) else -np.inf)
