"""What each pair of terms is worth as an edge of a taxonomy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive._types import Floats, Floats32
from hyperdive.discover.hypernyms import MIN_SCORE
from hyperdive.discover.ranking import HEAD_CONFIDENCE, Ranking
from hyperdive.scores.pairs import Pairs
from hyperdive.taxonomy.terms import Nodes

_PAIRS_A_BLOCK, _ROWS = 500_000, 256
_LOWEST, _SLOPE, _FIT, _HEAD = -4.0, 0.1, 0.2, 3.0


def pair_values(nodes: Nodes, by: Ranking, progress: Progress = SILENT) -> Floats32:
    """The score of every pair, `values[child, parent]`; NaN where a term has no vector, and for a term with itself."""
    n = len(nodes)
    values = np.full((n, n), np.nan, dtype=np.float32)
    known = np.flatnonzero(nodes.terms.found)
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
    animals everything is surely an animal and rather surely a mammal, but not everything is more so than others. And
    where the ranking has a fit (how much p is about x in particular), a fifth of it counts, too.
    """
    if by.calibrated:
        assert least is not None
        odds = float(np.log(least / (1 - least)))
        head = _HEAD if least <= HEAD_CONFIDENCE else 0.0
    else:
        limit = _least_score(values) if least is None else least
        unit = _mean_above(values, limit) - limit or 1.0
        head = _HEAD
    for start in range(0, len(values), _ROWS):  # block by block: the matrix may be most of the memory
        found = values[start : start + _ROWS].astype(np.float64)
        if by.calibrated:
            sure = np.clip(found, 1e-4, 1 - 1e-4)
            found = np.log(sure / (1 - sure)) - odds + 1e-5  # a pair with exactly the least confidence is believed
        else:
            found = (found - limit) / unit + 1e-5
        values[start : start + _ROWS] = np.nan_to_num(np.maximum(found, _LOWEST), nan=0.0)
    if by.calibrated:
        _favour_near(values)
        if by.fit is not None:
            _add_fit(values, by.fit, nodes)
    for phrase, over in enumerate(nodes.heads):
        if over >= 0 and head > 0:
            values[phrase, over] = max(float(values[phrase, over]), head)
            values[over, phrase] = _LOWEST
    return values


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


def _add_fit(weights: Floats32, fit: Callable[[Pairs], Floats], nodes: Nodes) -> None:
    """Add to each believed pair a fifth of what speaks for it in particular, measured from the mean of all of them."""
    child, parent = np.nonzero(weights > 0)
    found = np.empty(len(child))
    for start in range(0, len(child), _PAIRS_A_BLOCK):
        q, p = child[start : start + _PAIRS_A_BLOCK], parent[start : start + _PAIRS_A_BLOCK]
        found[start : start + _PAIRS_A_BLOCK] = fit(nodes.terms.pairs(q, p))
    if len(found):
        changed = weights[child, parent] + _FIT * (found - found.mean())
        weights[child, parent] = np.maximum(changed, 1e-3)  # believed as before


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
