"""The scores of the paper and its baselines, one function each; importing this module fills the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hyperdive._types import Floats, Floats32, Ints
from hyperdive.errors import OptionError
from hyperdive.scores.pairs import Pairs, SharedDimensions, ratio, sums_of
from hyperdive.scores.registry import own
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.vocabulary import Lookup

_PRODUCTS = 65_536  # pairs of words whose Gaussians are compared at once
W0 = 5.0
"""What q's mass above p's costs in AL₁, against 1 for p's mass above q's; the paper's value."""


# ---- similarity ---------------------------------------------------------------------------------------------------


@own("C")
def cosine(pairs: Pairs) -> Floats:
    """Cosine of the main space's vectors; 0 when either is zero."""
    return pairs.cosine


@own("W")
def skipgram_cosine(pairs: Pairs) -> Floats:
    """Cosine of the skip-gram vectors; 0 when a term has none."""
    return pairs.skipgram_cosine


# ---- generality ---------------------------------------------------------------------------------------------------


@own("ΔS")
def delta_s(pairs: Pairs) -> Floats:
    """Difference of the sums of entries. On SBOW Freq this is the window-weighted frequency difference."""
    return pairs.difference(pairs.rows.sums)


@own("ΔQ")
def delta_q(pairs: Pairs) -> Floats:
    """Difference of the two-norms."""
    return pairs.difference(pairs.rows.norms)


@own("ΔE")
def delta_e(pairs: Pairs) -> Floats:
    """Difference of the entropies of the normalised vectors ("SLQS Row" in the paper)."""
    return pairs.difference(pairs.rows.entropies)


# ---- products -----------------------------------------------------------------------------------------------------


def _product(similarity: Callable[[Pairs], Floats], difference: Callable[[Pairs], Floats]) -> Callable[[Pairs], Floats]:
    def product(pairs: Pairs) -> Floats:
        """Similarity times the difference in generality; a negative W turns the sign."""
        return similarity(pairs) * difference(pairs)

    return product


for _similarity, _near in (("C", cosine), ("W", skipgram_cosine)):
    for _difference, _broad in (("ΔS", delta_s), ("ΔQ", delta_q), ("ΔE", delta_e)):
        own(f"{_similarity}·{_difference}")(_product(_near, _broad))


# ---- inclusion ----------------------------------------------------------------------------------------------------


@own("Weeds")
def weeds(pairs: Pairs, *, printed: bool = False) -> Floats:
    """The share of q's mass that lies where p has any. `printed` turns the ranking round, as in the paper's table."""
    share = pairs.share_of_q(pairs.overlap[:, 2])
    return -share if printed else share


@own("CDE")
def cde(pairs: Pairs) -> Floats:
    """The degree to which q is included in p; 1 if and only if q ≤ p everywhere."""
    return pairs.share_of_q(pairs.overlap[:, 1])


@own("invCL")
def inv_cl(pairs: Pairs) -> Floats:
    """q is included in p, and p is not included in q."""
    back = pairs.share_of_p(pairs.overlap[:, 1])
    return np.sqrt(np.maximum(cde(pairs) * (1.0 - back), 0.0))


@own("AL₁")
def al1(pairs: Pairs, *, w0: float = W0, released: bool = False) -> Floats:
    """Asymmetric L1 distance, exact. `released` forgets the cost of q's mass outside p, as the authors' code does."""
    if not w0 > 0:
        raise OptionError(
            "AL₁: w0, the price of q's mass above p's, must be above 0", hint=f"the paper's value is {W0:g}"
        )
    data, sums = pairs.rows.csr.data.astype(np.float64), pairs.rows.sums

    def scores(matches: SharedDimensions) -> Floats:
        # the dual: a budget of S(q) is spent on the dimensions of q by rising p[i]/q[i], at most (w₀+1)·q[i] on each,
        # first on those that p lacks; distance = 1 − Σ spent[i]·p[i]/q[i] / S(p)
        x, y = data[matches.left], data[matches.right]
        sum_q, sum_p = sums[matches.q], sums[matches.p]
        outside = np.maximum(sum_q - matches.total(x), 0.0)
        order = np.lexsort((y / x, matches.pair))
        pair, price, gain = matches.pair[order], (w0 + 1.0) * x[order], (y / x)[order]
        before = np.cumsum(price) - price
        before -= before[np.searchsorted(pair, np.arange(len(sum_q)))[pair]] if len(pair) else 0.0
        spent = np.clip((sum_q - (w0 + 1.0) * outside)[pair] - before, 0.0, price)
        distance = 1.0 - ratio(sums_of(pair, spent * gain, len(sum_q)), sum_p)
        if released:
            scale = np.zeros(len(sum_q))
            np.maximum.at(scale, pair, np.where(spent > 0, gain, 0.0))
            distance -= ratio(w0 * scale * outside, sum_p)
        return -np.clip(distance, 0.0, 1.0)

    return pairs.of_matches(scores)


def best_scale(q: Floats, p: Floats, w0: float = W0) -> tuple[float, float]:
    """Return the scale a and the AL₁ distance min_a Σᵢ [w₀·max(a·d_q−d_p, 0) + max(d_p−a·d_q, 0)] of two vectors.

    >>> best_scale(np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    (0.5, 0.5)
    """
    if q.sum() <= 0 or p.sum() <= 0:
        return 0.0, 1.0
    d_q, d_p = q / q.sum(), p / p.sum()
    there = d_q > 0
    # f is convex and piecewise linear in a, so its minimum is at a break point d_p/d_q or at 0
    scales = np.unique(np.concatenate([[0.0], d_p[there] / d_q[there]]))
    over = scales[:, None] * d_q[None, :] - d_p[None, :]
    costs = (w0 * np.maximum(over, 0.0) + np.maximum(-over, 0.0)).sum(axis=1)
    best = int(np.argmin(costs))
    return float(scales[best]), float(costs[best])


# ---- Gaussians ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gaussians:
    """Means and variances of words, and the words each term has: term t those at `rows[starts[t]:starts[t + 1]]`.

    >>> words = Gaussians(np.zeros((2, 1)), np.array([[1.0], [4.0]]), np.array([0, 1]), np.array([0, 1, 2]))
    >>> cosine, divergence = words.scores(np.array([0]), np.array([1])).T
    >>> divergence.round(3).tolist()                              # -½(1/4 - 1 + log 4)
    [-0.318]
    """

    means: Floats32
    variances: Floats32
    rows: Ints
    starts: Ints

    @classmethod
    def of(cls, space: VectorSpace, lookup: Lookup) -> Gaussians | None:
        """Return the terms of a look-up, or None where the words of the space are not Gaussians."""
        if space.variances is None:
            return None
        used, rows = np.unique(lookup.rows, return_inverse=True)
        return cls(space.matrix[used], space.variances[used], rows.astype(np.int64), lookup.starts)

    def scores(self, q: Ints, p: Ints) -> Floats:
        """Return columns: the cosine of the means and -KL(q‖p), each the mean over all pairs of a word of q and of p.

        KL(x‖y) = ½[Σ (vx + (mx − my)²)/vy − L + log det y − log det x].
        """
        squares = np.square(self.means, dtype=np.float64).sum(axis=1)
        logs = np.log(self.variances, dtype=np.float64).sum(axis=1)
        sizes = np.diff(self.starts)
        many = sizes[q] * sizes[p]
        pair = np.repeat(np.arange(len(q)), many)
        word_of_q, word_of_p = np.divmod(np.arange(len(pair)) - (np.cumsum(many) - many)[pair], sizes[p][pair])
        out = np.zeros((len(q), 2))
        for start in range(0, len(pair), _PRODUCTS):
            here = slice(start, start + _PRODUCTS)
            x = self.rows[self.starts[q[pair[here]]] + word_of_q[here]]
            y = self.rows[self.starts[p[pair[here]]] + word_of_p[here]]
            left, right = self.means[x].astype(np.float64), self.means[y].astype(np.float64)
            cosines = ratio(np.einsum("ij,ij->i", left, right), np.sqrt(squares[x] * squares[y]))
            far = ((self.variances[x] + (left - right) ** 2) / self.variances[y]).sum(axis=1)
            divergences = 0.5 * (far - self.means.shape[1] + logs[y] - logs[x])
            for column, values in enumerate((cosines, -divergences)):
                out[:, column] += sums_of(pair[here], values, len(q))
        out /= np.maximum(many, 1)[:, None]
        return out


@own("GE C")
def gaussian_cosine(pairs: Pairs) -> Floats:
    """Cosine of the means of two Gaussians; unlike C it takes a phrase word by word, as the paper does."""
    return pairs.gaussian_scores[:, 0]


@own("KL")
def gaussian_divergence(pairs: Pairs) -> Floats:
    """How well the Gaussian of p covers that of q: −½[tr(Σ_p⁻¹Σ_q) + (μ_q−μ_p)ᵀΣ_p⁻¹(μ_q−μ_p) − L + log|Σ_p|/|Σ_q|]."""
    return pairs.gaussian_scores[:, 1]


# ---- baselines ----------------------------------------------------------------------------------------------------


@own("Frequency")
def frequency(pairs: Pairs, *, power: float = 0.0) -> Floats:
    """Is p simply the more frequent word? The baseline every other score has to beat.

    Without `power`, the difference of logarithms, it ranks pairs as n(p)/n(q) does; 1 is the difference of the counts,
    0.5 that of their roots. Which of them is strongest depends on the pairs, so all three should be beaten.
    """
    assert pairs.frequencies is not None
    n = np.maximum(pairs.frequencies, 1.0)
    return pairs.difference(n**power if power else np.log(n))


@own("Random")
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
