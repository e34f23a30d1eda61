"""What a ranking is worth: average precision and its relatives, with ties taken exactly and unknown pairs last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._types import Floats, Ints
from hyperdive.errors import InputError


@dataclass(frozen=True)
class TiedOrder:
    """Pairs by falling score, cut into blocks of equal score; the pairs that have none are one block at the end.

    `block[k]` is the block of the k-th pair of `order`; `starts` are the places where blocks begin, plus the end.
    """

    order: Ints
    block: Ints
    starts: Ints


def rank(scores: Any, known: Any = None) -> TiedOrder:
    """Sort pairs by falling score; pairs that are not `known` come last.

    >>> rank([0.5, 2.0, 0.5, 9.9], known=[True, True, True, False]).order.tolist()
    [1, 0, 2, 3]
    """
    values = np.asarray(scores, dtype=np.float64)
    seen = np.ones(len(values), dtype=np.bool_) if known is None else np.asarray(known, dtype=np.bool_)
    bad = int(np.isnan(values[seen]).sum())
    if bad:
        raise InputError(f"{bad} of {len(values)} scores are not numbers", hint="mark unknown pairs instead of NaN")
    filled = np.where(seen, values, 0.0)
    # known first; then by falling score; equal ones stay in file order, so the result is the same everywhere
    places = np.flatnonzero(seen)
    order = np.concatenate([places[np.argsort(-filled[places], kind="stable")], np.flatnonzero(~seen)])
    ranked, ranked_seen = filled[order], seen[order]
    if len(order) == 0:
        return TiedOrder(order, order, np.zeros(1, dtype=np.int64))
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (ranked_seen[1:] != ranked_seen[:-1]) | (ranked_seen[1:] & (ranked[1:] != ranked[:-1]))
    starts = np.append(np.flatnonzero(fresh), len(order))
    return TiedOrder(order, np.cumsum(fresh) - 1, starts)


def expected_precision(ranking: TiedOrder, labels: Any) -> tuple[Floats, Floats]:
    """For each place of the ranking: the chance of a positive there, and the expected precision given one.

    Over all orders of tied pairs: in a block of t pairs with s positives after n₀ pairs with c₀ positives, place i is
    positive with chance s/t, and then c₀ + 1 + (i−1)(s−1)/(t−1) positives are expected among the first n₀ + i.
    """
    ranked = np.asarray(labels, dtype=np.bool_)[ranking.order]
    before = np.concatenate([[0], np.cumsum(ranked)])
    starts = ranking.starts[:-1]
    size = np.diff(ranking.starts)
    inside = np.diff(before[ranking.starts])
    slope = np.divide(inside - 1, size - 1, out=np.zeros(len(size)), where=size > 1)
    block = ranking.block
    place = np.arange(len(ranked))
    expected = before[starts][block] + 1 + (place - starts[block]) * slope[block]
    return (inside / np.maximum(size, 1))[block], expected / (place + 1)


def average_precision(scores: Any, labels: Any, known: Any = None) -> float:
    """AP@all: the mean precision at the positives, unknown ones included; the exact expectation over tied orders.

    >>> average_precision([3, 2, 1], [True, False, True])
    0.8333333333333333
    >>> average_precision([1, 1], [True, False])
    0.75
    """
    return ranked_precision(rank(scores, known), labels)


def ranked_precision(ranking: TiedOrder, labels: Any) -> float:
    """AP@all of a ranking."""
    labels = np.asarray(labels, dtype=np.bool_)
    positives = int(labels.sum())
    if positives == 0:
        raise InputError("no pair is positive, so there is no average precision", hint="check the label column")
    chance, precision = expected_precision(ranking, labels)
    return float((chance * precision).sum() / positives)


def per_cent(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures in [0, 1] in per cent, with four decimals, as they are written to JSON; counts stay as they are.

    >>> per_cent({"map": 1 / 3, "questions": 3})
    {'map': 33.3333, 'questions': 3}
    """
    written: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, float):
            written[name] = round(100 * value, 4)
        else:
            written[name] = per_cent(value) if isinstance(value, Mapping) else value
    return written


def micro_average(values: Mapping[str, float], sizes: Mapping[str, int]) -> float:
    """Σ N·AP / Σ N over datasets; N counts unknown pairs too.

    >>> micro_average({"a": 10.0, "b": 40.0}, {"a": 200, "b": 100})
    20.0
    """
    total = sum(sizes[name] for name in values)
    if total == 0:
        raise InputError("there is no pair to average over")
    return sum(sizes[name] * value for name, value in values.items()) / total


def mean_ranks(scores: Any, known: Any = None) -> Floats:
    """Ranks from 1 (lowest); tied pairs share their mean rank, unknown pairs share the lowest ones.

    >>> mean_ranks([5, 1, 5, 7], known=[True, True, True, False]).tolist()
    [3.5, 2.0, 3.5, 1.0]
    """
    ranking = rank(scores, known)
    middle = (ranking.starts[:-1] + ranking.starts[1:] - 1) / 2.0
    ranks = np.empty(len(ranking.order))
    ranks[ranking.order] = len(ranking.order) - middle[ranking.block]
    return ranks


def spearman(scores: Any, gold: Any, known: Any = None) -> float:
    """Spearman's ρ between scores and grades over all pairs, unknown ones lowest; 0 when either does not vary.

    >>> spearman([1, 2, 3], [10, 20, 40])
    1.0
    """
    x, y = mean_ranks(scores, known), mean_ranks(gold)
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum()) / spread if spread > 0 else 0.0


def average_precision_at(
    scores: Any, labels: Any, k: int, known: Any = None, *, shuffles: int = 200, seed: int = 0
) -> float:
    """AP@k: average precision of the list of the first k pairs alone, 0 when none of them is positive.

    Tied pairs are put in `shuffles` random orders and the mean is taken; without ties one order is enough.

    >>> average_precision_at([4, 3, 2, 1], [True, False, True, True], k=3)
    0.8333333333333333
    """
    ranking = rank(scores, known)
    labels = np.asarray(labels, dtype=np.bool_)
    k = min(k, len(labels))
    if k < 1:
        raise InputError("AP@k needs a k of 1 or more and at least one pair")
    tied = bool((np.diff(ranking.starts[ranking.starts <= k]) > 1).any()) or k not in ranking.starts
    generator = np.random.default_rng(seed)
    values = []
    for _ in range(shuffles if tied else 1):
        order = ranking.order[np.lexsort((generator.random(len(labels)), ranking.block))] if tied else ranking.order
        top = labels[order[:k]]
        hits = np.cumsum(top)
        positives = int(hits[-1])
        values.append(float((hits / np.arange(1, k + 1))[top].sum() / positives) if positives else 0.0)
    return float(np.mean(values))


@dataclass(frozen=True)
class Folds:
    """F1 and accuracy in [0, 1] of one threshold, chosen on 19 folds and applied to the twentieth."""

    f1: float
    accuracy: float


def cross_validated(scores: Any, labels: Any, known: Any = None, *, folds: int = 20, seed: int = 0) -> Folds:
    """F1 and accuracy by cross-validated thresholds, as the authors' program computes them.

    Folds are a random permutation of (row number mod `folds`); cuts are tried at the places of positives only. A cut
    counts for F1 only when the fold already has a positive above it. Fold values are weighted by fold size.

    >>> labels = np.arange(100) < 50
    >>> round(cross_validated(-np.arange(100.0), labels, folds=5).accuracy, 2)
    0.99
    """
    labels = np.asarray(labels, dtype=np.bool_)
    generator = np.random.default_rng(seed)
    ranking = rank(scores, known)
    order = ranking.order[np.lexsort((generator.random(len(labels)), ranking.block))]
    fold = generator.permutation(np.arange(len(labels)) % folds)[order]
    positive = labels[order]
    cuts = np.flatnonzero(positive)
    f1 = accuracy = 0.0
    for j in range(folds):
        inside = fold == j
        size, own = int(inside.sum()), int((inside & positive).sum())
        if own == 0:
            raise InputError(f"fold {j + 1} of {folds} has no positive pair", hint="use fewer folds or more pairs")
        test_above, test_hits = np.cumsum(inside)[cuts], np.cumsum(inside & positive)[cuts]
        train_above, train_hits = cuts + 1 - test_above, np.arange(1, len(cuts) + 1) - test_hits
        train_positives, train_size = len(cuts) - own, len(labels) - size
        train_f1 = 2.0 * train_hits / np.maximum(train_above + train_positives, 1)
        best = int(np.argmax(np.where(test_hits > 0, train_f1, -1.0)))
        f1 += size * 2.0 * test_hits[best] / (test_above[best] + own)
        # right = positives above the cut + negatives below it
        train_right = 2 * train_hits - train_above + (train_size - train_positives)
        best = int(np.argmax(train_right))
        accuracy += float(2 * test_hits[best] - test_above[best] + (size - own))
    return Folds(float(f1) / len(labels), accuracy / len(labels))


@dataclass(frozen=True)
class Direction:
    """Which way round? Over positive pairs: how often a generality score calls p the more general word."""

    correct: int
    wrong: int
    undecided: int

    def __add__(self, other: Direction) -> Direction:
        return Direction(self.correct + other.correct, self.wrong + other.wrong, self.undecided + other.undecided)

    @property
    def accuracy(self) -> float:
        """(correct + ⌊undecided/2⌋) / all: undecided and unknown pairs are guessed."""
        total = self.correct + self.wrong + self.undecided
        return (self.correct + self.undecided // 2) / total if total else 0.0

    @property
    def decided_accuracy(self) -> float:
        """correct / (correct + wrong)."""
        decided = self.correct + self.wrong
        return self.correct / decided if decided else 0.0


def directionality(scores: Any, labels: Any, known: Any = None) -> Direction:
    """Count the signs of an antisymmetric score (ΔS, SLQS Sub …) over the positive pairs.

    >>> directionality([1.0, -2.0, 0.0, 5.0], [True, True, True, False])
    Direction(correct=1, wrong=1, undecided=1)
    """
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.bool_)
    seen = labels if known is None else labels & np.asarray(known, dtype=np.bool_)
    correct, wrong = int((values[seen] > 0).sum()), int((values[seen] < 0).sum())
    return Direction(correct, wrong, int(labels.sum()) - correct - wrong)


def separation(scores: Any, labels: Any, hypernyms: Any, known: Any = None) -> tuple[float, int]:
    """How well pairs *with the same hypernym* are told apart: the share of comparisons that a positive pair wins.

    A positive pair is compared with every negative pair that has the same p, ties counting half, and every positive
    pair that has such negatives counts the same; 0.5 is chance, and all that a score of p alone can reach. Pairs that
    are not `known` are left out. Also returns how many positive pairs were compared.

    >>> separation([3.0, 1.0, 2.0, 9.0], [True, False, False, True], [7, 7, 7, 8])
    (1.0, 1)
    >>> separation([3.0, 1.0, 3.0, 9.0], [True, False, False, False], [7, 7, 7, 8])
    (0.75, 1)
    """
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.bool_)
    hypernyms = np.asarray(hypernyms)
    if known is not None:
        seen = np.asarray(known, dtype=np.bool_)
        values, labels, hypernyms = values[seen], labels[seen], hypernyms[seen]
    total, many = 0.0, 0
    for hypernym in np.unique(hypernyms[labels]):
        here = hypernyms == hypernym
        right, wrong = values[here & labels], np.sort(values[here & ~labels])
        if len(wrong):
            below, up_to = (np.searchsorted(wrong, right, side=side) for side in ("left", "right"))
            total += float((below + up_to).sum() / (2 * len(wrong)))
            many += len(right)
    return (total / many if many else 0.5), many


@dataclass(frozen=True)
class Bin:
    """Pairs whose confidence lies in one tenth: how many, their mean confidence, the share that is true."""

    pairs: int
    confidence: float
    true: float


def reliability(confidence: Any, labels: Any, bins: int = 10) -> list[Bin]:
    """The bins that have pairs, from low to high confidence.

    >>> reliability([0.1, 0.2, 0.9, 0.8], [False, False, True, False], bins=2)
    [Bin(pairs=2, confidence=0.15, true=0.0), Bin(pairs=2, confidence=0.85, true=0.5)]
    """
    values, truth = np.asarray(confidence, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    place = np.minimum((values * bins).astype(np.int64), bins - 1)
    full_bins = []
    for number in range(bins):
        here = place == number
        if here.any():
            mean, share = float(values[here].mean()), float(truth[here].mean())
            full_bins.append(Bin(int(here.sum()), round(mean, 6), round(share, 6)))
    return full_bins


def expected_calibration_error(bins: list[Bin]) -> float:
    """Σ share of the bin · |mean confidence − share that is true|.

    >>> round(expected_calibration_error(reliability([0.1, 0.2, 0.9, 0.8], [False, False, True, False], bins=2)), 3)
    0.25
    """
    total = sum(part.pairs for part in bins)
    return sum(part.pairs * abs(part.confidence - part.true) for part in bins) / total if total else 0.0
