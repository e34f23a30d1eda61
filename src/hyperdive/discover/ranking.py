"""By which score answers are ranked, and which words are never an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hyperdive._types import Floats
from hyperdive.discover.question import source_of
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.registry import Score, get
from hyperdive.scores.source import AnyModel

COMBINED = "hyper"
HEAD_CONFIDENCE = 0.9
"""Confidence that a phrase is a kind of its head: a domestic dog is a dog, a hot dog is not."""
_LEAST = 1e-9
NEAR_AND_GENERAL = "W³·lnΔS"

# Words that are above everything and so say nothing: "a poodle is a thing". A user's own list of candidates
# is taken as it is.
EMPTY_WORDS = frozenset(
    """
    amount aspect basis bit bunch case category class concept degree detail difference end entity example exception
    extent fact factor feature form group half idea instance issue item kind level list lot majority manner matter
    member mode name nature number object one other others pair part piece point portion purpose range rest result
    role section selection sense series set side sort stuff subject such term thing time topic total type unit use
    variant variation variety version way whole word year
    """.split()
)


@dataclass(frozen=True)
class Ranking:
    """A score to rank by; `calibrated` says that its values are confidences in [0, 1], `none` means "not at all".

    Where there is a `fit`, answers to one question are ordered by ln(confidence) + fit. The logarithm is never above
    0, so the fit, which is cheap, tells which candidates can still be among the best.
    """

    name: str
    function: Callable[[Pairs], Floats]
    calibrated: bool
    none: float = 0.0
    fit: Callable[[Pairs], Floats] | None = None

    def __call__(self, pairs: Pairs) -> Floats:
        """The score of every pair by itself; larger is likelier."""
        return self.function(pairs)

    def bound(self, pairs: Pairs) -> Floats:
        """What no pair's order is above; the order itself where there is no fit."""
        return self.function(pairs) if self.fit is None else self.fit(pairs)

    def value(self, bound: Floats, score: Floats) -> Floats:
        """What answers are ordered by, from their bounds and their scores."""
        return score if self.fit is None else bound + np.log(np.maximum(score, _LEAST))

    def order(self, pairs: Pairs) -> Floats:
        """What answers are ordered by."""
        return self.value(self.bound(pairs), self.function(pairs))


@dataclass(frozen=True)
class Order:
    """The order of a ranking as a score of its own, to be measured."""

    ranking: Ranking

    @property
    def name(self) -> str:
        return self.ranking.name if self.ranking.fit is None else f"{self.ranking.name} and fit"

    def __call__(self, pairs: Pairs) -> Floats:
        return self.ranking.order(pairs)


def about_this_word(pairs: Pairs) -> Floats:
    """4.4·W + ¼·Pppmi: how much p is about q in particular.

    A confidence judges a pair by itself, and over a whole vocabulary it is largest for words that are a hypernym of
    half of everything (species, product, film). The order ln(confidence) + 4.4·W + ¼·Pppmi puts the fitting ones first.
    The two weights were fitted on HypeNet's training pairs, every hypernym counted once.
    """
    assert pairs.patterns is not None
    return 4.4 * pairs.skipgram_cosine + 0.25 * pairs.patterns.ppmi


def near_and_general(pairs: Pairs) -> Floats:
    """max(W, 0)³ · ln(1 + max(ΔS, 0)), with C for W where there is no skip-gram space.

    W·ΔS ranks pairs well but floods a ranking of the whole vocabulary with the most general words: ΔS grows without
    bound, W does not. The cube and the logarithm give nearness the say; found on HypeNet's training pairs.

    >>> near_and_general(Pairs([[1.0, 0.0], [2.0, 1.0], [0.0, 9.0]], q=[0, 0, 1], p=[1, 2, 0])).round(3).tolist()
    [0.786, 0.0, 0.0]
    """
    similarity = pairs.cosine if pairs.skipgram is None else pairs.skipgram_cosine
    return np.maximum(similarity, 0.0) ** 3 * np.log1p(np.maximum(pairs.difference(pairs.rows.sums), 0.0))


def ranking(model: AnyModel, wanted: str | None = None) -> Ranking:
    """The score asked for, else the best this model allows: the combined one with patterns, else nearness upwards."""
    if wanted is not None:
        score = get(wanted)
        return Ranking(score.name, score, score.name == COMBINED, silence(score))
    source = source_of(model)
    if source.skipgram is not None and source.patterns is not None:
        return Ranking(COMBINED, get(COMBINED), True, fit=about_this_word)
    return Ranking(NEAR_AND_GENERAL, near_and_general, False)


def silence(score: Score) -> float:
    """The value from which on a score says nothing for a pair: the lower end of its range, 0 where that is open.

    >>> silence(get("CDE")), silence(get("AL₁")), silence(get("KL")), silence(get("C·ΔS"))
    (0.0, -1.0, -inf, 0.0)
    """
    low = score.range.lstrip("([").split(",")[0].strip()
    try:
        return float(low.replace("∞", "inf"))
    except ValueError:
        return 0.0
