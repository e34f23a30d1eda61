"""Compiled measures of resampled rankings. `counts[b, i]` says how often pair i was drawn into resample b."""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.compilation.kernel import kernel


@kernel()
def resampled_ap(order, positive, last, counts, harmonic, out, start, end):
    """AP of resamples start … end of one ranking, the exact expectation over tied orders.

    A block of t pairs with s positives after n₀ pairs with c₀ positives adds, with f = (s−1)/(t−1) and the harmonic
    numbers H: (s/t)·[(c₀ + 1 − f·(n₀ + 1))·(H(n₀+t) − H(n₀)) + f·t]. A pair drawn twice is tied with itself.
    `positive` and `last` (in a block) are 0 or 1 for each place of the ranking.
    """
    n = order.shape[0]
    for b in range(start, end):
        drawn = counts[b]
        total = 0.0
        n0 = 0
        c0 = 0
        t = 0
        s = 0
        for k in range(n):
            times = np.int64(drawn[order[k]])
            t += times
            s += times * positive[k]
            if last[k]:
                if s > 0:
                    f = 0.0
                    if t > 1:
                        f = (s - 1.0) / (t - 1.0)
                    total += s / t * ((c0 + 1.0 - f * (n0 + 1.0)) * (harmonic[n0 + t] - harmonic[n0]) + f * t)
                n0 += t
                c0 += s
                t = 0
                s = 0
        out[b] = total / c0 if c0 > 0 else np.nan


@njit(nogil=True)
def _resampled_ranks(order, block, drawn, ranks):
    """Mean ranks (from the top, counting repeats) of the drawn pairs."""
    n = order.shape[0]
    n0 = 0
    first = 0
    t = 0
    for k in range(n):
        t += drawn[order[k]]
        if k + 1 == n or block[k + 1] != block[k]:
            middle = n0 + (t + 1.0) / 2.0
            for j in range(first, k + 1):
                ranks[order[j]] = middle
            n0 += t
            t = 0
            first = k + 1


@kernel()
def resampled_spearman(order, block, gold_order, gold_block, counts, out, start, end):
    """Spearman's ρ of resamples start … end between one ranking and the gold ranking."""
    n = order.shape[0]
    x = np.empty(n)
    y = np.empty(n)
    for b in range(start, end):
        drawn = counts[b]
        _resampled_ranks(order, block, drawn, x)
        _resampled_ranks(gold_order, gold_block, drawn, y)
        mean = 0.0
        total = 0.0
        for i in range(n):
            total += drawn[i]
        mean = (total + 1.0) / 2.0
        xx = 0.0
        yy = 0.0
        xy = 0.0
        for i in range(n):
            w = np.float64(drawn[i])
            u = x[i] - mean
            v = y[i] - mean
            xx += w * u * u
            yy += w * v * v
            xy += w * u * v
        out[b] = xy / np.sqrt(xx * yy) if xx > 0.0 and yy > 0.0 else 0.0
