"""Compiled measures of resampled rankings. `counts[b, i]` says how often pair i was drawn into resample b."""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel


@kernel()
def count_draws(drawn, counts):
    """Add up how often each pair is among those drawn."""
    for i in range(drawn.shape[0]):
        counts[drawn[i]] += 1


@kernel()
def place_side_by_side(counts, groups):
    """Fill `groups[g, i, b]` with how often pair i is in resample b of group g, as many of them as there are."""
    lanes = groups.shape[2]
    for group in range(groups.shape[0]):
        first = group * lanes
        filled = min(lanes, counts.shape[0] - first)
        for i in range(groups.shape[1]):
            for b in range(filled):
                groups[group, i, b] = counts[first + b, i]


@kernel(error_model="numpy")
def resampled_ap(orders, positive, last, counts, most, harmonic, out, start, end):
    """AP of groups start … end of resamples of several rankings, the exact expectation over tied orders.

    A block of t pairs with s positives after n₀ pairs with c₀ positives adds, with f = (s−1)/(t−1) and the harmonic
    numbers H: (s/t)·[(c₀ + 1 − f·(n₀ + 1))·(H(n₀+t) − H(n₀)) + f·t]. A pair drawn twice is tied with itself.

    Args:
        orders: The pairs of each ranking by falling score.
        positive, last: Whether the pair at a place of a ranking is positive, and is the last of its block.
        counts: How often pair i was drawn into resample b of group g, `counts[g, i, b]`: the resamples of a group go
            through a ranking side by side.
        most: The largest of these counts.
        harmonic: H.
        out: AP of each ranking, group and resample.
        start, end: Which groups.
    """
    lanes = counts.shape[2]
    total, more, below = np.empty(lanes), np.empty(lanes), np.empty(lanes)  # `below` is H(n₀)
    n0 = np.empty(lanes, np.int32)
    c0 = np.empty(lanes, np.int32)
    t = np.empty(lanes, np.int32)
    s = np.empty(lanes, np.int32)
    waiting = np.empty(lanes, np.uint8)  # draws of negative pairs that are not yet in n₀
    room = 255 // most if most else 255
    for group in range(start, end):
        for ranking in range(orders.shape[0]):
            total[:] = 0.0
            n0[:] = 0
            c0[:] = 0
            t[:] = 0
            s[:] = 0
            waiting[:] = 0
            held = 0  # pairs whose draws wait
            within, filled, pure = False, False, True  # a block: whether it has begun, has positives, has no others
            followed = False  # whether `below` is that of n₀
            for k in range(orders.shape[1]):
                drawn = counts[group, orders[ranking, k]]
                alone = last[ranking, k] and not within
                if alone and not positive[ranking, k]:  # most pairs of most datasets
                    for b in range(lanes):
                        waiting[b] = np.uint8(waiting[b] + drawn[b])
                    held += 1
                    if held < room:
                        continue
                if held > 0:
                    for b in range(lanes):
                        n0[b] += waiting[b]
                        waiting[b] = 0
                    held, followed = 0, False
                if alone:
                    if not positive[ranking, k]:
                        continue
                    if not followed:
                        for b in range(lanes):
                            below[b] = harmonic[np.uint32(n0[b])]
                    for b in range(lanes):
                        upto = harmonic[np.uint32(n0[b] + drawn[b])]
                        more[b] = upto - below[b]
                        below[b] = upto
                    for b in range(lanes):
                        f = 1.0 if drawn[b] > 1 else 0.0
                        total[b] += (np.float64(c0[b]) + 1.0 - f * (np.float64(n0[b]) + 1.0)) * more[b] + f * drawn[b]
                        c0[b] += drawn[b]
                        n0[b] += drawn[b]
                    followed = True
                    continue
                within, followed = True, False
                for b in range(lanes):
                    t[b] += drawn[b]
                if positive[ranking, k]:
                    filled = True
                    for b in range(lanes):
                        s[b] += drawn[b]
                else:
                    pure = False
                if last[ranking, k]:
                    if filled:
                        for b in range(lanes):
                            more[b] = harmonic[np.uint32(n0[b] + t[b])] - harmonic[np.uint32(n0[b])]
                    if filled and pure:  # s = t
                        for b in range(lanes):
                            f = 1.0 if t[b] > 1 else 0.0
                            total[b] += (np.float64(c0[b]) + 1.0 - f * (np.float64(n0[b]) + 1.0)) * more[b] + f * t[b]
                    elif filled:
                        for b in range(lanes):
                            f = (s[b] - 1.0) / (t[b] - 1.0) if t[b] > 1 else 0.0
                            value = s[b] / t[b] * ((c0[b] + 1.0 - f * (n0[b] + 1.0)) * more[b] + f * t[b])
                            total[b] += value if s[b] > 0 else 0.0
                    for b in range(lanes):
                        c0[b] += s[b]
                        n0[b] += t[b]
                        s[b] = 0
                        t[b] = 0
                    within, filled, pure = False, False, True
            for b in range(lanes):
                out[ranking, group, b] = total[b] / c0[b] if c0[b] > 0 else np.nan


@subkernel()
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
def resampled_spearman(orders, blocks, gold_order, gold_block, counts, out, start, end):
    """Spearman's ρ of resamples start … end between each of several rankings and the gold ranking."""
    n = orders.shape[1]
    x = np.empty(n)
    y = np.empty(n)
    w = np.empty(n)
    for b in range(start, end):
        drawn = counts[b]
        total = 0.0
        for i in range(n):
            w[i] = drawn[i]
            total += w[i]
        mean = (total + 1.0) / 2.0
        _resampled_ranks(gold_order, gold_block, drawn, y)
        yy = 0.0
        for i in range(n):
            y[i] -= mean
            yy += w[i] * y[i] * y[i]
        for ranking in range(orders.shape[0]):
            _resampled_ranks(orders[ranking], blocks[ranking], drawn, x)
            xx = 0.0
            xy = 0.0
            for i in range(n):
                u = x[i] - mean
                xx += w[i] * u * u
                xy += w[i] * u * y[i]
            out[ranking, b] = xy / np.sqrt(xx * yy) if xx > 0.0 and yy > 0.0 else 0.0
