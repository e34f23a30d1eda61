"""The scores of the paper, one function each; importing this module fills the table."""

from __future__ import annotations

import numpy as np

from hyperdive._types import Floats
from hyperdive.errors import OptionError
from hyperdive.scores._blocks import kernels
from hyperdive.scores.asymmetric_l1 import W0
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.registry import register

_PAPER = "Chang et al. 2018 (DIVE)"


# ---- similarity ---------------------------------------------------------------------------------------------------


@register(
    "C",
    family="similarity",
    formula="q·p / (‖q‖₂‖p‖₂)",
    range="[0, 1]",
    reference=_PAPER,
    aliases=("cosine", "cos"),
)
def cosine(pairs: Pairs) -> Floats:
    """Cosine of the main space's vectors; 0 when either is zero."""
    return pairs.cosine


@register(
    "W",
    family="similarity",
    formula="cosine of the skip-gram vectors",
    range="[-1, 1]",
    reference="Mikolov et al. 2013",
    needs=("skipgram",),
    aliases=("word2vec", "skip-gram"),
)
def skipgram_cosine(pairs: Pairs) -> Floats:
    """Cosine of the skip-gram vectors; 0 when a term has none."""
    return pairs.skipgram_cosine


# ---- generality ---------------------------------------------------------------------------------------------------


@register("ΔS", family="generality", formula="S(p) − S(q)", reference=_PAPER, aliases=("summation",))
def delta_s(pairs: Pairs) -> Floats:
    """Difference of the sums of entries. On SBOW Freq this is the window-weighted frequency difference."""
    return pairs.difference(pairs.rows.sums)


@register("ΔQ", family="generality", formula="‖p‖₂ − ‖q‖₂", reference=_PAPER, aliases=("two norm",))
def delta_q(pairs: Pairs) -> Floats:
    """Difference of the two-norms."""
    return pairs.difference(pairs.rows.norms)


@register(
    "ΔE",
    family="generality",
    formula="H(d_p) − H(d_q), d_x = x/S(x), natural log",
    reference="Shwartz et al. 2017",
    needs=("nonnegative",),
    aliases=("SLQS Row Sub",),
)
def delta_e(pairs: Pairs) -> Floats:
    """Difference of the entropies of the normalised vectors ("SLQS Row" in the paper)."""
    return pairs.difference(pairs.rows.entropies)


# ---- products -----------------------------------------------------------------------------------------------------


@register("C·ΔS", formula="C × ΔS", reference=_PAPER, aliases=("cds",))
def c_delta_s(pairs: Pairs) -> Floats:
    """Cosine times the difference of sums."""
    return pairs.cosine * delta_s(pairs)


@register("C·ΔQ", formula="C × ΔQ", reference=_PAPER, aliases=("cdq",))
def c_delta_q(pairs: Pairs) -> Floats:
    """Cosine times the difference of norms."""
    return pairs.cosine * delta_q(pairs)


@register("C·ΔE", formula="C × ΔE", reference=_PAPER, needs=("nonnegative",))
def c_delta_e(pairs: Pairs) -> Floats:
    """Cosine times the difference of entropies."""
    return pairs.cosine * delta_e(pairs)


@register("W·ΔS", formula="W × ΔS", reference=_PAPER, needs=("skipgram",), aliases=("wds",))
def w_delta_s(pairs: Pairs) -> Floats:
    """Skip-gram cosine times the difference of sums; a negative W turns the sign."""
    return pairs.skipgram_cosine * delta_s(pairs)


@register("W·ΔQ", formula="W × ΔQ", reference=_PAPER, needs=("skipgram",), aliases=("wdq",))
def w_delta_q(pairs: Pairs) -> Floats:
    """Skip-gram cosine times the difference of norms."""
    return pairs.skipgram_cosine * delta_q(pairs)


@register("W·ΔE", formula="W × ΔE", reference=_PAPER, needs=("skipgram", "nonnegative"), aliases=("wde",))
def w_delta_e(pairs: Pairs) -> Floats:
    """Skip-gram cosine times the difference of entropies."""
    return pairs.skipgram_cosine * delta_e(pairs)


# ---- inclusion ----------------------------------------------------------------------------------------------------


@register(
    "Weeds",
    family="inclusion",
    formula="Σ_{i: p[i]>0} q[i] / S(q)",
    range="[0, 1]",
    reference="Weeds et al. 2004",
    needs=("nonnegative",),
    aliases=("Weeds precision", "WeedsPrec"),
)
def weeds(pairs: Pairs, *, printed: bool = False) -> Floats:
    """The share of q's mass that lies where p has any. `printed` turns the ranking round, as in the paper's table."""
    share = pairs.share_of_q(pairs.overlap[:, 2])
    return -share if printed else share


@register(
    "CDE",
    family="inclusion",
    formula="Σ_i min(q[i], p[i]) / S(q)",
    range="[0, 1]",
    reference="Clarke 2009",
    needs=("nonnegative",),
    aliases=("ClarkeDE",),
)
def cde(pairs: Pairs) -> Floats:
    """The degree to which q is included in p; 1 if and only if q ≤ p everywhere."""
    return pairs.share_of_q(pairs.overlap[:, 1])


@register(
    "invCL",
    family="inclusion",
    formula="√(CDE(q→p)·(1 − CDE(p→q)))",
    range="[0, 1]",
    reference="Lenci and Benotto 2012",
    needs=("nonnegative",),
)
def inv_cl(pairs: Pairs) -> Floats:
    """q is included in p, and p is not included in q."""
    back = pairs.share_of_p(pairs.overlap[:, 1])
    return np.sqrt(np.maximum(cde(pairs) * (1.0 - back), 0.0))


@register(
    "AL₁",
    family="inclusion",
    formula="−min_{a≥0} Σ_i [w₀·max(a·d_q[i]−d_p[i], 0) + max(d_p[i]−a·d_q[i], 0)]",
    range="[-1, 0]",
    reference=_PAPER,
    needs=("nonnegative",),
    aliases=("asymmetric L1",),
)
def al1(pairs: Pairs, *, w0: float = W0, released: bool = False) -> Floats:
    """Asymmetric L1 distance, exact. `released` forgets the cost of q's mass outside p, as the authors' code does."""
    if not w0 > 0:
        raise OptionError(
            "AL₁: w0, the price of q's mass above p's, must be above 0", hint=f"the paper's value is {W0:g}"
        )
    csr = pairs.rows.csr
    return pairs.run(
        kernels.asymmetric_l1, csr.indptr, csr.indices, csr.data, pairs.rows.sums, pairs.q, pairs.p, w0, released
    )


# ---- Gaussians ----------------------------------------------------------------------------------------------------


@register(
    "GE C",
    family="similarity",
    formula="cosine of the Gaussians' means, for phrases its mean over all pairs of words",
    range="[-1, 1]",
    reference="Vilnis and McCallum 2015",
    needs=("gaussians",),
    aliases=("GE+C",),
)
def gaussian_cosine(pairs: Pairs) -> Floats:
    """Cosine of the means of two Gaussians; unlike C it takes a phrase word by word, as the paper does."""
    return pairs.gaussian_scores[:, 0]


@register(
    "KL",
    family="inclusion",
    formula="−KL(N_q‖N_p), for phrases its mean over all pairs of words",
    range="(-∞, 0]",
    reference="Vilnis and McCallum 2015",
    needs=("gaussians",),
    aliases=("GE KL", "GE+KL"),
)
def gaussian_divergence(pairs: Pairs) -> Floats:
    """How well the Gaussian of p covers that of q: −½[tr(Σ_p⁻¹Σ_q) + (μ_q−μ_p)ᵀΣ_p⁻¹(μ_q−μ_p) − L + log|Σ_p|/|Σ_q|]."""
    return pairs.gaussian_scores[:, 1]


# ---- baselines ----------------------------------------------------------------------------------------------------


@register(
    "Frequency",
    family="baseline",
    formula="log n(p) − log n(q); with power k: n(p)^k − n(q)^k",
    reference="Weeds et al. 2004; Vulić et al. 2017",
    needs=("frequencies",),
    aliases=("frequency ratio", "freq"),
)
def frequency(pairs: Pairs, *, power: float = 0.0) -> Floats:
    """Is p simply the more frequent word? The baseline every other score has to beat.

    Without `power`, the difference of logarithms, it ranks pairs as n(p)/n(q) does; 1 is the difference of the counts,
    0.5 that of their roots. Which of them is strongest depends on the pairs, so all three should be beaten.
    """
    assert pairs.frequencies is not None
    n = np.maximum(pairs.frequencies, 1.0)
    return pairs.difference(n**power if power else np.log(n))


@register("Random", family="baseline", formula="uniform in [0, 1)", range="[0, 1)", reference="–", aliases=("rnd",))
def random(pairs: Pairs, *, seed: int = 0) -> Floats:
    """A number drawn for each pair's place in the file: the same for the same seed, however the file is cut."""
    # SplitMix64 of the row number: counter based, so row k needs no row before it
    step = (pairs.places + 1).astype(np.uint64)
    start = np.uint64(seed * 0xD1342543DE82EF95 % 2**64)
    bits = (step + start) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
