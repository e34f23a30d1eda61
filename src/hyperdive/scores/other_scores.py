"""Further scores of the field, as gathered by Shwartz et al. 2017; importing this module fills the table."""

from __future__ import annotations

import numpy as np

from hyperdive._types import Floats
from hyperdive.scores._blocks import kernels
from hyperdive.scores.pairs import Pairs, ratio
from hyperdive.scores.paper_scores import weeds
from hyperdive.scores.registry import register

_SIEGE = "Shwartz et al. 2017"


# ---- inclusion ----------------------------------------------------------------------------------------------------


@register(
    "cosWeeds",
    family="inclusion",
    formula="√(C(q, p)·Weeds(q→p))",
    range="[0, 1]",
    reference="Lenci and Benotto 2012",
    needs=("nonnegative",),
)
def cos_weeds(pairs: Pairs) -> Floats:
    """Cosine and Weeds precision together."""
    return np.asarray(np.sqrt(pairs.cosine * weeds(pairs)))


@register(
    "Lin",
    family="similarity",
    formula="Σ_{F_q∩F_p} (q[i] + p[i]) / (S(q) + S(p))",
    range="[0, 1]",
    reference="Lin 1998",
    needs=("nonnegative",),
)
def lin(pairs: Pairs) -> Floats:
    """The share of both vectors' mass that lies in common dimensions."""
    below = pairs.rows.sums[pairs.q] + pairs.rows.sums[pairs.p]
    return ratio(pairs.overlap[:, 2] + pairs.overlap[:, 3], below)


@register(
    "APinc",
    family="inclusion",
    formula="(1/|F_q|) Σ_r P(r)·rel(f_r), rel(f) = 1 − rank_p(f)/(|F_p|+1)",
    range="[0, 1]",
    reference="Kotlerman et al. 2010",
    needs=("nonnegative",),
)
def ap_inc(pairs: Pairs, *, released: bool = False) -> Floats:
    """Average precision of q's ranked features found in p. `released` divides by |F_p|, as the siege code does."""
    csr, (order, ranks) = pairs.rows.csr, pairs.rows.feature_ranks
    return pairs.run(kernels.ap_inc, csr.indptr, csr.indices, order, ranks, pairs.q, pairs.p, released)


@register(
    "balAPinc",
    family="inclusion",
    formula="√(Lin·APinc)",
    range="[0, 1]",
    reference="Kotlerman et al. 2010",
    needs=("nonnegative",),
)
def bal_ap_inc(pairs: Pairs, *, released: bool = False) -> Floats:
    """APinc balanced by Lin's similarity."""
    return np.asarray(np.sqrt(lin(pairs) * ap_inc(pairs, released=released)))


@register(
    "rWeeds",
    family="inclusion",
    formula="Σ_{i: q[i]>0} p[i] / S(p)",
    range="[0, 1]",
    reference=_SIEGE,
    needs=("nonnegative",),
    aliases=("reversed Weeds",),
)
def reversed_weeds(pairs: Pairs) -> Floats:
    """Weeds precision with the roles exchanged: the share of p's mass that lies where q has any."""
    return pairs.share_of_p(pairs.overlap[:, 3])


@register(
    "rCDE",
    family="inclusion",
    formula="Σ_i min(q[i], p[i]) / S(p)",
    range="[0, 1]",
    reference=_SIEGE,
    needs=("nonnegative",),
    aliases=("reversed CDE", "reversed ClarkeDE"),
)
def reversed_cde(pairs: Pairs) -> Floats:
    """CDE over the mass of p."""
    return pairs.share_of_p(pairs.overlap[:, 1])


# ---- similarity ---------------------------------------------------------------------------------------------------


@register(
    "APSyn",
    family="similarity",
    formula="Σ_{top-n(q)∩top-n(p)} 2/(rank_q + rank_p)",
    range="[0, ∞)",
    reference="Santus et al. 2016",
)
def ap_syn(pairs: Pairs, *, n: int = 1000) -> Floats:
    """How many of the strongest features two words share, weighted by their ranks."""
    csr, (_, ranks) = pairs.rows.csr, pairs.rows.feature_ranks
    return pairs.run(kernels.ap_syn, csr.indptr, csr.indices, ranks, pairs.q, pairs.p, n)


# ---- informativeness ----------------------------------------------------------------------------------------------


def _median_entropies(pairs: Pairs, n: int) -> Floats:
    csr, (order, _) = pairs.rows.csr, pairs.rows.feature_ranks
    return pairs.rows.run(kernels.median_context_entropy, csr.indptr, csr.indices, order, pairs.context_entropies, n)


@register(
    "SLQS Sub",
    family="generality",
    formula="E(p) − E(q), E = median entropy of the n strongest contexts",
    reference=_SIEGE,
    needs=("contexts",),
)
def slqs_sub(pairs: Pairs, *, n: int = 100) -> Floats:
    """Are the contexts of p less informative than those of q? An empty row has E = 0."""
    return pairs.difference(_median_entropies(pairs, n))


@register(
    "SLQS",
    family="generality",
    formula="1 − E(q)/E(p), −1 when E(p) = 0",
    range="(-∞, 1]",
    reference="Santus et al. 2014",
    needs=("contexts",),
)
def slqs(pairs: Pairs, *, n: int = 100, scaled: bool = False) -> Floats:
    """The ratio form of SLQS Sub. `scaled` first maps all context entropies to [0, 1], as the siege code does."""
    entropies = _median_entropies(pairs, n)
    if scaled and pairs.context_entropies is not None and np.ptp(pairs.context_entropies) > 0:
        low, high = pairs.context_entropies.min(), pairs.context_entropies.max()
        entropies = np.maximum((entropies - low) / (high - low), 0.0)
    return _one_minus_ratio(pairs, entropies)


@register(
    "SLQS Row",
    family="generality",
    formula="1 − H(d_q)/H(d_p), −1 when H(d_p) = 0",
    range="(-∞, 1]",
    reference=_SIEGE,
    needs=("nonnegative",),
    aliases=("SLQS Row ratio",),
)
def slqs_row(pairs: Pairs) -> Floats:
    """The ratio of the two rows' own entropies; their difference is ΔE, which the paper prints as "SLQS Row"."""
    return _one_minus_ratio(pairs, pairs.rows.entropies)


def _one_minus_ratio(pairs: Pairs, of_row: Floats) -> Floats:
    above, below = of_row[pairs.q], of_row[pairs.p]
    return np.where(below > 0, 1.0 - ratio(above, below), -1.0)


@register(
    "RCTC",
    family="generality",
    formula="[TC(t_q)/TC(t_{q∖p})] / [TC(t_p)/TC(t_{p∖q})], TC = median pairwise PPMI of the n strongest contexts",
    range="[0, ∞)",
    reference="Rimell 2014",
    needs=("contexts",),
)
def rctc(pairs: Pairs, *, n: int = 20) -> Floats:
    """Does taking p's contexts out of q's leave a less coherent topic than the other way round? 0 when undefined."""
    csr, (order, _) = pairs.rows.csr, pairs.rows.feature_ranks
    counts = pairs.context_counts
    assert counts is not None
    sums = counts.sums
    contexts = (counts.csr.indptr, counts.csr.indices, counts.csr.data, sums, float(sums.sum()))
    features = (csr.indptr, csr.indices, order)
    whole = pairs.rows.run(kernels.topic_coherence, *features, *contexts, n)
    q_outside = pairs.run(kernels.coherence_outside, *features, *contexts, pairs.q, pairs.p, n)
    p_outside = pairs.run(kernels.coherence_outside, *features, *contexts, pairs.p, pairs.q, n)
    return ratio(ratio(whole[pairs.q], q_outside), ratio(whole[pairs.p], p_outside))
