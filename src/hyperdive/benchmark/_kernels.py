"""Compiled measures of resampled rankings. `counts[b, i]` says how often pair i was drawn into resample b."""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.compilation.kernel import kernel


@kernel(error_model="numpy")
def resampled_ap(order, positive, last, counts, harmonic, out, start, end):
    """AP of groups start … end of resamples of one ranking, the exact expectation over tied orders.

    A block of t pairs with s positives after n₀ pairs with c₀ positives adds, with f = (s−1)/(t−1) and the harmonic
    numbers H: (s/t)·[(c₀ + 1 − f·(n₀ + 1))·(H(n₀+t) − H(n₀)) + f·t]. A pair drawn twice is tied with itself.
    `positive` and `last` (in a block) are 0 or 1 for each place of the ranking; `counts[g, i, b]` says how often pair i
    was drawn into resample b of group g, so that the resamples of a group go through the ranking side by side.
    """
    lanes = counts.shape[2]
    total, more = np.empty(lanes), np.empty(lanes)
    n0 = np.empty(lanes, np.int32)
    c0 = np.empty(lanes, np.int32)
    t = np.empty(lanes, np.int32)
    s = np.empty(lanes, np.int32)
    for group in range(start, end):
        total[:] = 0.0
        n0[:] = 0
        c0[:] = 0
        t[:] = 0
        s[:] = 0
        filled, pure = False, True  # whether the block has a positive pair, and no other
        for k in range(order.shape[0]):
            drawn = counts[group, order[k]]
            for b in range(lanes):
                t[b] += drawn[b]
            if positive[k]:
                filled = True
                for b in range(lanes):
                    s[b] += drawn[b]
            else:
                pure = False
            if last[k]:
                if filled:
                    for b in range(lanes):
                        more[b] = harmonic[np.uint32(n0[b] + t[b])] - harmonic[np.uint32(n0[b])]
                if filled and pure:  # s = t: most blocks are one pair
                    for b in range(lanes):
                        f = 1.0 if t[b] > 1 else 0.0
                        total[b] += (np.float64(c0[b]) + 1.0 - f * (np.float64(n0[b]) + 1.0)) * more[b] + f * t[b]
                    for b in range(lanes):
                        c0[b] += s[b]
                        s[b] = 0
                elif filled:
                    for b in range(lanes):
                        f = (s[b] - 1.0) / (t[b] - 1.0) if t[b] > 1 else 0.0
                        value = s[b] / t[b] * ((c0[b] + 1.0 - f * (n0[b] + 1.0)) * more[b] + f * t[b])
                        total[b] += value if s[b] > 0 else 0.0
                        c0[b] += s[b]
                        s[b] = 0
                filled, pure = False, True
                for b in range(lanes):
                    n0[b] += t[b]
                    t[b] = 0
        for b in range(lanes):
            out[group, b] = total[b] / c0[b] if c0[b] > 0 else np.nan


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
