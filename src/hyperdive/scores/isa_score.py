"""The score of questions and taxonomies, made for terms: is q a kind of p, judged by p's own statements and contexts?

A broader phrase is never judged by its head alone. Every part of the sum is about p itself: how the text names q, what
the neighbours of q are called, what follows from that, and how alike q and p are. And being a kind of "water plant" is
never surer than being a kind of "plant". docs/terms.md tells how the constants were chosen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperdive._types import Bools, Floats
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.registry import register


@dataclass(frozen=True)
class IsaWeights:
    """The constants of the score, chosen on the development files of discovery and taxonomies."""

    neighbours: float = 1.0
    """A(q, p): what the nearest neighbours of q are stated to be."""
    inherited: float = 1.3
    """B(q, p): what the likely hypernyms of q are stated to be."""
    stated: float = 0.14
    """PPMI(q, p) of the statements about q itself."""
    stated_back: float = 0.0
    """log(1 + n(p, q)): statements the other way round."""
    similar: float = 1.95
    """The positive part of the skip-gram cosine W."""
    role: float = 0.03
    """log(1 + n(·, p)): how often p is a hypernym at all."""
    head: float = 1.8
    """q ends in p: a guide dog is a dog."""
    unstated: float = -1.4
    """Taken off before the curve for a broader phrase that no sentence states of q itself."""
    slope: float = 2.0
    start: float = -4.4
    """The logistic curve from the sum to a confidence."""


WEIGHTS = IsaWeights()
UNSUPPORTED = 0.15
"""Most confidence in a broader phrase of which neither statements nor neighbours speak."""
HEAD_CONFIDENCE = 0.9
"""Confidence that a phrase is a kind of its head: a domestic dog is a dog."""
_OFTEN, _ALIKE = 20, 0.4


def isa_sum(pairs: Pairs, weights: IsaWeights = WEIGHTS) -> Floats:
    """The weighted sum behind the confidence."""
    stated = pairs.patterns
    assert stated is not None
    exact = ~stated.backed_off
    return (
        weights.neighbours * pairs.neighbour_ppmi
        + weights.inherited * pairs.inherited
        + weights.stated * np.where(exact, stated.ppmi, 0.0)
        + weights.stated_back * np.log1p(np.where(exact, stated.reverse, 0))
        + weights.similar * np.maximum(pairs.skipgram_cosine, 0.0)
        + weights.role * np.log1p(np.where(stated.backed_off_p, 0, stated.hypernym_total))
        + weights.head * pairs.is_head
    )


def _phrases(pairs: Pairs) -> Bools:
    """Which pairs have a phrase as hypernym."""
    return pairs.terms.phrases[pairs.p]


@register(
    "isa",
    kind="combined",
    formula="σ(2·x − 4.4), x = A(q, p) + 1.3·B(q, p) + 0.14·Pppmi + 1.95·W⁺ + 0.03·log(1 + n(·, p)) "
    "+ 1.8·[q ends in p]; for a phrase p at most that of its head",
    range="[0, 1]",
    reference="hyperdive; constants chosen on development files",
    needs=("projection",),
    aliases=("terms",),
)
def isa(pairs: Pairs) -> Floats:
    """Confidence that q is a kind of p, for words and multi-word terms alike."""
    return isa_confidence(pairs, WEIGHTS)


def isa_confidence(pairs: Pairs, weights: IsaWeights, *, under_head: bool = True) -> Floats:
    """The confidence by some weights; a broader phrase needs support of its own.

    Args:
        pairs: What is to be judged.
        weights: The constants of the sum and of the curve.
        under_head: Keep the confidence in a broader phrase at or under that in its head.
    """
    stated = pairs.patterns
    assert stated is not None
    phrases = _phrases(pairs) & ~pairs.is_head
    is_stated = np.where(stated.backed_off, 0, stated.counts) > 0
    sums = isa_sum(pairs, weights) + np.where(phrases & ~is_stated, weights.unstated, 0.0)
    confidence = _logistic(sums, weights)
    unsupported = phrases & ~is_stated & (pairs.neighbour_ppmi <= 0)
    confidence[unsupported] = np.minimum(confidence[unsupported], UNSUPPORTED)
    heads = pairs.terms.head_rows[pairs.p]
    with_head = np.flatnonzero(phrases & (heads >= 0) & (heads != pairs.q))
    if under_head and len(with_head):
        above = Pairs(pairs.terms, pairs.q[with_head], heads[with_head], threads=pairs.threads)
        confidence[with_head] = np.minimum(confidence[with_head], _logistic(isa_sum(above, weights), weights))
    return confidence


def head_confidence(pairs: Pairs) -> Floats:
    """Confidence that a phrase q is a kind of p, what it ends in.

    It is `HEAD_CONFIDENCE`, but a phrase that the text often has, in other company than its head and never called a
    kind of it, is doubted: a hot dog is no dog, a family tree no tree.

    >>> from hyperdive.scores.pairs import TermArrays
    >>> vectors = [[1.0, 0.0], [0.2, 1.0], [0.9, 0.1]]
    >>> data = TermArrays(vectors, skipgram=vectors, frequencies=[900, 87, 40])
    >>> head_confidence(Pairs(data, q=[1, 2], p=[0, 0])).round(2).tolist()
    [0.22, 0.9]
    """
    often = pairs.terms.own_frequencies[pairs.q] >= _OFTEN
    likeness = np.ones(len(pairs)) if pairs.skipgram is None else np.maximum(pairs.skipgram_cosine, 0.0)
    silent = np.ones(len(pairs), dtype=np.bool_) if pairs.patterns is None else pairs.patterns.counts == 0
    doubted = often & silent & (likeness < _ALIKE)
    return np.where(doubted, HEAD_CONFIDENCE * likeness / (2 * _ALIKE), HEAD_CONFIDENCE)


def _logistic(sums: Floats, weights: IsaWeights) -> Floats:
    values: Floats = 1.0 / (1.0 + np.exp(-(weights.slope * sums + weights.start)))
    return values
