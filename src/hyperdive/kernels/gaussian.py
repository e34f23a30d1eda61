"""Compiled loops of the Gaussian embedding: functions of arrays only, each with a slow twin in the tests."""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel

F = np.float32
ZERO, ONE = F(0.0), F(1.0)
_MOST = F(2.0)  # no single step changes a log-variance by more than this


@subkernel()
def _draw(state):
    """The next 64 random bits (SplitMix64) of a state of one element."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@subkernel()
def _uniform(state):
    """A number in [0, 1)."""
    return np.float64(_draw(state) >> np.uint64(11)) * 2.0**-53


@subkernel(fastmath={"reassoc", "nsz", "arcp", "contract"}, error_model="numpy")
def _log_ratio(above, below):
    """Σ log(above/below) of positive numbers: the logarithm of two products, or many where these leave the range."""
    over = under = 1.0
    for t in range(len(above)):
        over *= np.float64(above[t])
        under *= np.float64(below[t])
    if 1e-150 < over < 1e150 and 1e-150 < under < 1e150:
        return np.log(over / under)
    total = 0.0
    for t in range(len(above)):
        total += np.log(np.float64(above[t]) / np.float64(below[t]))
    return total


@subkernel(fastmath=True, error_model="numpy")
def gaussian_loss(mw, vw, mc, vc, mn, vn, margin, epsilon, a, b):
    """margin - E(w,c) + E(w,n), not cut off at 0; a and b receive 1/(vw + vc + ε) and 1/(vw + vn + ε).

    E(x,y) = -½Σ[log(vx + vy + ε) + (mx - my)²/(vx + vy + ε)].
    """
    for t in range(len(mw)):
        a[t] = ONE / (vw[t] + vc[t] + epsilon)
    for t in range(len(mw)):
        b[t] = ONE / (vw[t] + vn[t] + epsilon)
    far = ZERO
    for t in range(len(mw)):
        d = mw[t] - mc[t]
        e = mw[t] - mn[t]
        far += d * d * a[t] - e * e * b[t]
    return margin + 0.5 * (np.float64(far) + _log_ratio(b, a))


@subkernel(fastmath=True, error_model="numpy")
def _pulls(mx, my, a, along):
    """along = (mx - my)·a and a = ½(a - (mx - my)²·a²): the gradient of -E by mx and by the variances."""
    for t in range(len(mx)):
        along[t] = (mx[t] - my[t]) * a[t]
    for t in range(len(mx)):
        a[t] = F(0.5) * (a[t] - along[t] * along[t])


@subkernel(fastmath=True, error_model="numpy")
def _move(mean, variance, along, wide, forth, grow, clip, lowest, highest, longest):
    """One step: mean -= forth·along, log variance -= grow·variance·wide, then the bounds."""
    square = ZERO
    for t in range(len(mean)):
        m = mean[t] - forth * along[t]
        mean[t] = m
        square += m * m
    for t in range(len(variance)):
        x = -grow * variance[t] * wide[t]
        x = F(0.125) * min(max(x, -_MOST), _MOST)
        # exp(8x) by six terms and three squarings, which the compiler can do for many dimensions at once
        y = ONE + x * (ONE + x * (F(1 / 2) + x * (F(1 / 6) + x * (F(1 / 24) + x * F(1 / 120)))))
        y *= y
        y *= y
        v = variance[t] * (y * y)
        if clip:
            v = min(max(v, lowest), highest)
        variance[t] = v
    if clip and square > longest * longest:
        scale = longest / np.sqrt(square)
        for t in range(len(mean)):
            mean[t] *= scale


@subkernel(fastmath=True, error_model="numpy")
def gaussian_step(w, c, n, means, variances, rate, margin, epsilon, clip, lowest, highest, longest, scratch):
    """One example (word, context, negative): its hinge loss, and where that is above 0 a step of all three."""
    mw, vw, mc, vc, mn, vn = means[w], variances[w], means[c], variances[c], means[n], variances[n]
    wide_c, along_c, wide_n, along_n, wide, along = (
        scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5],
    )  # fmt: skip
    loss = gaussian_loss(mw, vw, mc, vc, mn, vn, margin, epsilon, wide_c, wide_n)
    if loss <= 0.0:
        return 0.0
    _pulls(mw, mc, wide_c, along_c)
    _pulls(mw, mn, wide_n, along_n)
    for t in range(len(mw)):
        along[t] = along_c[t] - along_n[t]
    for t in range(len(mw)):
        wide[t] = wide_c[t] - wide_n[t]
    _move(mw, vw, along, wide, rate, rate, clip, lowest, highest, longest)
    _move(mc, vc, along_c, wide_c, -rate, rate, clip, lowest, highest, longest)
    _move(mn, vn, along_n, wide_n, rate, -rate, clip, lowest, highest, longest)
    return loss


@subkernel()
def sampled_line(tokens, start, end, size, keep, state, line):
    """Known words of one line, each kept with probability keep[word]; returns how many of `line` are filled."""
    many = 0
    for i in range(start, end):
        word = tokens[i]
        if 0 < word < size and (keep[word] >= 1.0 or _uniform(state) < keep[word]):
            line[many] = word
            many += 1
    return many


@kernel(error_model="numpy")
def gaussian_lines(
    tokens, offsets, size, keep, alias, chance, window, state, first_rate, last_rate,
    means, variances, margin, epsilon, clip, lowest, highest, longest,
):  # fmt: skip
    """Train on lines in order, the rate falling evenly; returns the sum of losses and the number of examples.

    Each word is paired with those at most r places away, r from 1 to `window`, and with one negative a pair: entry i of
    the alias table, drawn evenly, is word i with probability chance[i] and else word alias[i].
    """
    longest_line = 0
    for k in range(len(offsets) - 1):
        longest_line = max(longest_line, offsets[k + 1] - offsets[k])
    line = np.empty(longest_line, np.int64)
    scratch = np.empty((6, means.shape[1]), np.float32)
    total, examples = 0.0, 0
    lines = len(offsets) - 1
    for k in range(lines):
        rate = F(first_rate + (last_rate - first_rate) * k / lines)
        many = sampled_line(tokens, offsets[k], offsets[k + 1], size, keep, state, line)
        for i in range(many):
            reach = 1 + np.int64(_uniform(state) * window)
            for j in range(max(0, i - reach), min(many, i + reach + 1)):
                if j == i:
                    continue
                n = np.int64(_uniform(state) * len(chance))
                if _uniform(state) >= chance[n]:
                    n = alias[n]
                examples += 1
                w, c = line[i], line[j]
                total += gaussian_step(
                    w, c, n, means, variances, rate, margin, epsilon, clip, lowest, highest, longest, scratch
                )
    return total, examples


@kernel()
def alias_table(weights, chance, alias):
    """Fill Walker's table for drawing i with probability weights[i]/Σ: see `gaussian_lines`."""
    size = len(weights)
    scale = size / weights.sum()
    small, large = np.empty(size, np.int64), np.empty(size, np.int64)
    smalls = larges = 0
    for i in range(size):
        chance[i] = weights[i] * scale
        alias[i] = i
        if chance[i] < 1.0:
            small[smalls] = i
            smalls += 1
        else:
            large[larges] = i
            larges += 1
    while smalls and larges:
        smalls -= 1
        i, j = small[smalls], large[larges - 1]
        alias[i] = j
        chance[j] -= 1.0 - chance[i]
        if chance[j] < 1.0:
            larges -= 1
            small[smalls] = j
            smalls += 1
    for k in range(smalls):  # what rounding left over; a weight of 0 is never left over while others are above 0
        chance[small[k]] = 1.0
    for k in range(larges):
        chance[large[k]] = 1.0
