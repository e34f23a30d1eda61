"""What each pair of terms is worth as an edge of a taxonomy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive._types import Floats, Floats32, Ints
from hyperdive.ask.hypernyms import MIN_SCORE
from hyperdive.ask.ranking import CONFIDENCE, Ranking, ranking
from hyperdive.scores.confidence import HEAD_CONFIDENCE, UNSUPPORTED, head_confidence
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.source import AnyModel
from hyperdive.taxonomy.terms import Nodes

_PAIRS_A_BLOCK, _ROWS = 250_000, 256
_LOWEST, _SLOPE, _HEAD, _ENDING, _NEARER = -4.0, 0.1, 3.4, 5.8, 1.0


EDGE = "edge confidence"


@dataclass(frozen=True)
class EdgeWeights:
    """The constants for the nearest parent: likeness counts more, what everything of the sort is called less."""

    surprising: float = 0.14
    """PPMI(q, p) of the statements about q itself."""
    stated_back: float = -0.2
    """log(1 + n(p, q)): statements the other way round."""
    inherited: float = 0.24
    """B(q, p): what the likely hypernyms of q are stated to be."""
    similar: float = 1.35
    """The positive part of the skip-gram cosine W."""
    role: float = 0.014
    """log(1 + n(·, p)): how often p is a hypernym at all."""
    near: float = 2.8
    """The share of the sum of these in the odds …"""
    kind: float = 0.535
    """… and that of the odds of the confidence: a parent is near, and a kind of it the child must be."""
    start: float = -4.13


EDGE_WEIGHTS = EdgeWeights()


def edge_confidence(pairs: Pairs, weights: EdgeWeights = EDGE_WEIGHTS) -> Floats:
    """Return the confidence that p is a good parent for q: near, and with q as a kind of it."""
    confidence = np.zeros(len(pairs))
    for judged in pairs.terms.confidence.judged(pairs.q, pairs.p):
        features = judged.features
        sums = (
            weights.surprising * features.surprising
            + weights.stated_back * features.stated_back
            + weights.inherited * features.inherited
            + weights.similar * features.similar
            + weights.role * features.role
        )
        kind = np.clip(judged.confidence, 1e-6, 1 - 1e-6)
        odds = weights.near * sums + weights.kind * np.log(kind / (1 - kind)) + weights.start
        values = 1.0 / (1.0 + np.exp(-odds))
        confidence[judged.places] = np.where(judged.unsupported, np.minimum(values, UNSUPPORTED), values)
    return confidence


def edge_ranking(model: AnyModel, score: str | None) -> Ranking:
    """The score of edges: the one asked for, else with patterns the confidence for the nearest parent."""
    by = ranking(model, score)
    if score is not None or by.name != CONFIDENCE:
        return by
    return Ranking(EDGE, edge_confidence, True)


def pair_values(nodes: Nodes, by: Ranking, progress: Progress = SILENT) -> Floats32:
    """The score of every pair, `values[child, parent]`; NaN where a term has no vector, and for a term with itself."""
    n = len(nodes)
    values = np.full((n, n), np.nan, dtype=np.float32)
    known = np.flatnonzero(nodes.terms.found[:n])  # heads that are no nodes come after them
    rows = max(1, _PAIRS_A_BLOCK // max(len(known), 1))
    with progress.stage("scoring", total=len(known) ** 2, unit="pairs") as bar:
        for start in range(0, len(known), rows):
            block = known[start : start + rows]
            pairs = nodes.terms.pairs(np.repeat(block, len(known)), np.tile(known, len(block)))
            values[np.ix_(block, known)] = by(pairs).reshape(len(block), len(known))
            bar.advance(len(pairs))
    np.fill_diagonal(values, np.nan)
    return values


def weigh(values: Floats32, by: Ranking, least: float | None, nodes: Nodes) -> Floats32:
    """Turn values in place into what each pair is worth in a forest: above 0 when believed, 0 when nothing is known.

    A confidence c becomes the log of its odds against those of the least confidence, ln(c/(1−c)) − ln(l/(1−l)). A score
    s that is no confidence becomes its distance from the least, in units of the mean distance of those above; without
    a least score the three best pairs a term, in the mean, are believed.

    A confidence says "at any distance", an edge wants the nearest parent. So beyond one unit the weight hardly grows,
    and what counts instead is by how much x is more surely a p than the other terms that are believed to be: among
    animals everything is surely an animal and rather surely a mammal, but not everything is more so than others. The
    confidence of edges (`edge_ranking`) is about the nearest parent already.
    """
    if by.calibrated:
        assert least is not None
        odds = float(np.log(least / (1 - least)))
        heads = _head_weights(nodes, odds)
    else:
        limit = _least_score(values) if least is None else least
        unit = _mean_above(values, limit) - limit or 1.0
        heads = np.full(len(nodes), _HEAD)
    for start in range(0, len(values), _ROWS):  # block by block: the matrix may be most of the memory
        found = values[start : start + _ROWS].astype(np.float64)
        if by.calibrated:
            sure = np.clip(found, 1e-4, 1 - 1e-4)
            found = np.log(sure / (1 - sure)) - odds + 1e-5  # a pair with exactly the least confidence is believed
        else:
            found = (found - limit) / unit + 1e-5
        values[start : start + _ROWS] = np.nan_to_num(np.maximum(found, _LOWEST), nan=0.0)
    for term, over in enumerate(nodes.endings):
        if over >= 0:
            values[term, over] += _ENDING
            values[over, term] = _LOWEST
    if by.name == EDGE:  # far from the nearest parent is not the same as no ancestor
        np.maximum(values, 0.0, out=values)
    elif by.calibrated:
        _favour_near(values)
    for phrase, over in enumerate(nodes.heads):
        if over >= 0 and heads[phrase] > 0:
            values[phrase, over] = max(float(values[phrase, over]), 0.0) + heads[phrase]
            values[over, phrase] = _LOWEST
    if by.calibrated:
        _add_same_head(values, nodes.heads, heads)
        _add_modified(values, nodes)
    return values


def _add_same_head(values: Floats32, heads: Ints, by_head: Floats) -> None:
    """A believed parent with the same head keeps what the head is worth: under quick bread, banana bread is bread."""
    for phrase in np.flatnonzero((heads >= 0) & (by_head > 0)):
        same = np.flatnonzero((heads == heads[phrase]) & (values[phrase] > 0))
        values[phrase, same[same != phrase]] += by_head[phrase] + _NEARER


def _add_modified(values: Floats32, nodes: Nodes) -> None:
    """An edge by the modifier is worth more than one by the head: fruit juice is nearer to grape juice than juice."""
    for phrase, over in enumerate(nodes.modified):
        if over >= 0:
            head = nodes.heads[phrase]
            by_head = float(values[phrase, head]) if head >= 0 else _HEAD
            values[phrase, over] = max(float(values[phrase, over]), by_head) + _NEARER
            values[over, phrase] = _LOWEST


def _head_weights(nodes: Nodes, odds: float) -> Floats:
    """What the edge from each phrase to its head is worth: `_HEAD` for a usual one, 0 for one that is doubted."""
    phrases = np.flatnonzero(nodes.heads >= 0)
    sure = head_confidence(nodes.terms.pairs(phrases, nodes.heads[phrases]))
    weights = np.zeros(len(nodes))
    weights[phrases] = np.where(np.log(sure / (1 - sure)) >= odds, _HEAD * sure / HEAD_CONFIDENCE, 0.0)
    return weights


def _favour_near(weights: Floats32) -> None:
    """Change believed pairs to min(w, 1 + 0.1·(w − 1)) + max(w − m(p), 0).

    m(p) = Σ_x w⁺(x, p) / (2 + number of such x): what is usual for p. The 2 draws it towards 0 where few children are
    believed and there is little to compare.
    """
    total, count = np.zeros(len(weights)), np.full(len(weights), 2.0)
    for start in range(0, len(weights), _ROWS):
        block = weights[start : start + _ROWS]
        total += np.maximum(block, 0).sum(axis=0, dtype=np.float64)
        count += (block > 0).sum(axis=0)
    usual = (total / count).astype(np.float32)
    for start in range(0, len(weights), _ROWS):
        block = weights[start : start + _ROWS]
        near = np.minimum(block, 1 + _SLOPE * (block - 1)) + np.maximum(block - usual, 0)
        weights[start : start + _ROWS] = np.where(block > 0, near, block)


def _least_score(values: Floats32) -> float:
    """The score that three pairs a term reach, in the mean."""
    wanted = 3 * len(values)
    top = np.zeros(0, dtype=np.float32)
    for start in range(0, len(values), _ROWS):
        block = values[start : start + _ROWS]
        top = np.concatenate([top, block[block > MIN_SCORE]])
        if len(top) > wanted:
            top = np.partition(top, len(top) - wanted)[-wanted:]
    return float(top.min()) if 0 < len(top) == wanted else MIN_SCORE


def _mean_above(values: Floats32, limit: float) -> float:
    total, count = 0.0, 0
    for start in range(0, len(values), _ROWS):
        block = values[start : start + _ROWS]
        above = block[block >= limit]
        total, count = total + float(above.sum(dtype=np.float64)), count + len(above)
    return total / count if count else limit
