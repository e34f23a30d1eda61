"""Scores from what the text states; importing this module fills the table. A pair of which nothing is said scores 0."""

from __future__ import annotations

import numpy as np

from hyperdive._types import Bools, Floats
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.pattern_pairs import StatedPairs
from hyperdive.scores.registry import register

_ROLLER = "Roller et al. 2018"


def _stated(pairs: Pairs, head: bool) -> StatedPairs:
    assert pairs.patterns is not None
    return pairs.patterns.with_heads if head else pairs.patterns


@register(
    "P",
    family="pattern",
    formula="log(1 + n(q, p)), n = how often the text says that q is a kind of p",
    range="[0, ∞)",
    reference="Hearst 1992",
    needs=("patterns",),
    aliases=("patterns", "pattern count"),
)
def pattern_count(pairs: Pairs, *, contrast: bool = False, head: bool = False) -> Floats:
    """How often it is said. `contrast` subtracts the value of (p, q); `head` counts a phrase as a kind of its head."""
    stated = _stated(pairs, head)
    values = np.log1p(stated.counts)
    return values - np.log1p(stated.reverse) if contrast else values


@register(
    "Pppmi",
    family="pattern",
    formula="max(0, log(n(q, p)·N / (n(q, ·)·n(·, p))))",
    range="[0, ∞)",
    reference=_ROLLER,
    needs=("patterns",),
    aliases=("pattern ppmi",),
)
def pattern_ppmi(pairs: Pairs, *, contrast: bool = False, head: bool = False) -> Floats:
    """How much more often it is said than both terms' frequencies explain."""
    stated = _stated(pairs, head)
    return stated.ppmi - stated.ppmi_reverse if contrast else stated.ppmi


@register(
    "Psvd",
    family="pattern",
    formula="(U·Σ)[q]·V[p] of the truncated SVD of Pppmi",
    range="any",
    reference=_ROLLER,
    needs=("patterns",),
    aliases=("pattern svd", "spmi"),
)
def pattern_svd(pairs: Pairs, *, contrast: bool = False, rank: int = 0) -> Floats:
    """Pppmi smoothed by what similar terms are called. `rank` uses only the first dimensions (0: all there are)."""
    stated = _stated(pairs, head=False)  # the factors are those of what patterns state
    if rank:
        values = stated.smoothed(rank)
        return values - stated.smoothed(rank, reverse=True) if contrast else values
    return stated.svd - stated.svd_reverse if contrast else stated.svd


@register(
    "Hypernym",
    family="baseline",
    formula="log(1 + n(·, p)), n(·, p) = how often the text says of anything that it is a kind of p",
    range="[0, ∞)",
    reference="Levy et al. 2015",
    needs=("patterns",),
    aliases=("hypernym only", "prototypical hypernym"),
)
def hypernym_count(pairs: Pairs) -> Floats:
    """Is p a hypernym at all? It never looks at q: the control for scores that use patterns."""
    assert pairs.patterns is not None
    return np.log1p(pairs.patterns.hypernym_total)


SILENCE = {"P": "silent", "Pppmi": "silent", "Psvd": "svd_silent"}
"""Scores of this module → the property of `StatedPairs` that says where they have nothing to go by."""


def is_silent(pairs: Pairs, name: str) -> Bools:
    """For which pairs a score of this module has nothing to go by; it is 0 there."""
    assert pairs.patterns is not None
    plain, _, options = name.partition(":")
    silent: Bools = getattr(_stated(pairs, "head=True" in options), SILENCE[plain])
    if "contrast=True" in options:
        turned = StatedPairs(pairs.patterns.terms, pairs.p, pairs.q, threads=pairs.threads)
        other = turned.with_heads if "head=True" in options else turned
        silent = silent & getattr(other, SILENCE[plain])
    return silent
