"""Further scores of the field, as gathered by Shwartz et al. 2017; importing this module fills the table."""

from __future__ import annotations

import numpy as np

from hyperdive._types import Floats, Ints
from hyperdive.patterns.svd import ppmi_values
from hyperdive.scores.pairs import Pairs, Rows, SharedDimensions, ratio, sums_of
from hyperdive.scores.paper import weeds
from hyperdive.scores.registry import own

_GROUPS = 4096  # pairs whose contexts are compared at once


# ---- inclusion ----------------------------------------------------------------------------------------------------


@own("cosWeeds")
def cos_weeds(pairs: Pairs) -> Floats:
    """Cosine and Weeds precision together."""
    return np.asarray(np.sqrt(pairs.cosine * weeds(pairs)))


@own("Lin")
def lin(pairs: Pairs) -> Floats:
    """The share of both vectors' mass that lies in common dimensions."""
    below = pairs.rows.sums[pairs.q] + pairs.rows.sums[pairs.p]
    return ratio(pairs.overlap[:, 2] + pairs.overlap[:, 3], below)


@own("APinc")
def ap_inc(pairs: Pairs, *, released: bool = False) -> Floats:
    """Average precision of q's ranked features found in p. `released` divides by |F_p|, as the siege code does."""
    ranks, sizes = pairs.rows.ranks, pairs.rows.sizes

    def scores(matches: SharedDimensions) -> Floats:
        order = np.lexsort((ranks[matches.left], matches.pair))
        pair, rank_q, rank_p = matches.pair[order], ranks[matches.left[order]], ranks[matches.right[order]]
        inside = np.arange(1, len(pair) + 1) - np.searchsorted(pair, np.arange(len(matches.q)))[pair]
        parts = inside / rank_q * (1.0 - rank_p / (sizes[matches.p][pair] + 1.0))
        total = sums_of(pair, parts, len(matches.q))
        return ratio(total, sizes[matches.p if released else matches.q].astype(np.float64))

    return pairs.of_matches(scores)


@own("balAPinc")
def bal_ap_inc(pairs: Pairs, *, released: bool = False) -> Floats:
    """APinc balanced by Lin's similarity."""
    return np.asarray(np.sqrt(lin(pairs) * ap_inc(pairs, released=released)))


@own("rWeeds")
def reversed_weeds(pairs: Pairs) -> Floats:
    """Weeds precision with the roles exchanged: the share of p's mass that lies where q has any."""
    return pairs.share_of_p(pairs.overlap[:, 3])


@own("rCDE")
def reversed_cde(pairs: Pairs) -> Floats:
    """CDE over the mass of p."""
    return pairs.share_of_p(pairs.overlap[:, 1])


# ---- similarity ---------------------------------------------------------------------------------------------------


@own("APSyn")
def ap_syn(pairs: Pairs, *, n: int = 1000) -> Floats:
    """How many of the strongest features two words share, weighted by their ranks."""
    ranks = pairs.rows.ranks

    def scores(matches: SharedDimensions) -> Floats:
        rank_q, rank_p = ranks[matches.left], ranks[matches.right]
        return matches.total(np.where((rank_q <= n) & (rank_p <= n), 2.0 / (rank_q + rank_p), 0.0))

    return pairs.of_matches(scores)


# ---- informativeness ----------------------------------------------------------------------------------------------


def _median_entropies(pairs: Pairs, n: int) -> Floats:
    rows, entropies = pairs.rows, pairs.context_entropies
    assert entropies is not None
    strongest = rows.ranks <= n
    return _medians(entropies[rows.csr.indices[strongest]], rows.row_of_entry[strongest], len(rows))


def _medians(values: Floats, groups: Ints, size: int) -> Floats:
    """Return the median of each group of values, 0 of a group without values.

    >>> _medians(np.array([3.0, 1.0, 2.0, 4.0]), np.array([0, 0, 0, 2]), 3).tolist()
    [2.0, 0.0, 4.0]
    """
    ordered, counts = np.append(values[np.lexsort((values, groups))], 0.0), np.bincount(groups, minlength=size)
    starts = np.cumsum(counts) - counts
    middle = ordered[starts + np.maximum(counts - 1, 0) // 2] + ordered[starts + np.minimum(counts // 2, counts)]
    return np.where(counts > 0, middle / 2, 0.0)


@own("SLQS Sub")
def slqs_sub(pairs: Pairs, *, n: int = 100) -> Floats:
    """Are the contexts of p less informative than those of q? An empty row has E = 0."""
    return pairs.difference(_median_entropies(pairs, n))


@own("SLQS")
def slqs(pairs: Pairs, *, n: int = 100, scaled: bool = False) -> Floats:
    """The ratio form of SLQS Sub. `scaled` first maps all context entropies to [0, 1], as the siege code does."""
    entropies = _median_entropies(pairs, n)
    if scaled and pairs.context_entropies is not None and np.ptp(pairs.context_entropies) > 0:
        low, high = pairs.context_entropies.min(), pairs.context_entropies.max()
        entropies = np.maximum((entropies - low) / (high - low), 0.0)
    return _one_minus_ratio(pairs, entropies)


@own("SLQS Row")
def slqs_row(pairs: Pairs) -> Floats:
    """The ratio of the two rows' own entropies; their difference is ΔE, which the paper prints as "SLQS Row"."""
    return _one_minus_ratio(pairs, pairs.rows.entropies)


def _one_minus_ratio(pairs: Pairs, of_row: Floats) -> Floats:
    above, below = of_row[pairs.q], of_row[pairs.p]
    return np.where(below > 0, 1.0 - ratio(above, below), -1.0)


@own("RCTC")
def rctc(pairs: Pairs, *, n: int = 20) -> Floats:
    """Does taking p's contexts out of q's leave a less coherent topic than the other way round? 0 when undefined."""
    rows, counts = pairs.rows, pairs.context_counts
    assert counts is not None
    strongest = rows.ranked[rows.ranks[rows.ranked] <= n]
    whole = _coherence(rows.row_of_entry[strongest], rows.csr.indices[strongest], len(rows), counts)

    def outside(matches: SharedDimensions) -> Floats:
        """Return the coherence of the n strongest contexts of the first term of each pair that the other lacks."""
        sizes = rows.sizes[matches.q]
        offsets = np.cumsum(sizes) - sizes
        pair = np.repeat(np.arange(len(sizes)), sizes)
        entries = rows.ranked[rows.csr.indptr[matches.q][pair] + np.arange(len(pair)) - offsets[pair]]
        alone = np.ones(len(pair), dtype=np.bool_)
        alone[offsets[matches.pair] + rows.ranks[matches.left] - 1] = False
        before: Ints = np.cumsum(alone) - alone
        first = np.flatnonzero(alone & (before - np.append(before, 0)[offsets][pair] < n))
        return _coherence(pair[first], rows.csr.indices[entries[first]], len(sizes), counts)

    q_outside = pairs.of_matches(outside)
    p_outside = Pairs(pairs.terms, pairs.p, pairs.q).of_matches(outside)
    return ratio(ratio(whole[pairs.q], q_outside), ratio(whole[pairs.p], p_outside))


def _coherence(groups: Ints, contexts: Ints, size: int, counts: Rows) -> Floats:
    """Return the median PPMI of the pairs of contexts of each group; 0 for fewer than two. Groups rise."""
    sizes = np.bincount(groups, minlength=size)
    medians = [np.zeros(0)]
    for start in range(0, size, _GROUPS):
        here = slice(*np.searchsorted(groups, [start, start + _GROUPS]))
        many = sizes[start : start + _GROUPS]
        table = np.full((len(many), max(int(many.max()), 2)), -1)
        group = groups[here] - start
        table[group, np.arange(len(group)) - (np.cumsum(many) - many)[group]] = contexts[here]
        first, second = np.triu_indices(table.shape[1], 1)
        group, pair = np.nonzero(table[:, second] >= 0)
        x, y = table[group, first[pair]], table[group, second[pair]]
        together = np.asarray(counts.csr[x, y], dtype=np.float64) if len(x) else np.zeros(0)
        ppmi = ppmi_values(together, counts.sums[x], counts.sums[y], counts.sums.sum())
        medians.append(_medians(ppmi, group, len(many)))
    return np.concatenate(medians)
