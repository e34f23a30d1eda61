"""Compiled loops of the solvers: functions of arrays only, each with a slow twin in the tests.

Every sum runs in a fixed order inside one call, and no call shares an output with another, so results do not depend
on how many calls run at once.
"""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel, subkernel

F = np.float32
ZERO, ONE = F(0.0), F(1.0)
TILE = 64  # rows of 100 dimensions: 25 kB


@kernel()
def row_ends(indptr, indices, limit, ends):
    """ends[r] = where the entries of row r with an index under `limit` end; False when a row is not rising."""
    for r in range(len(indptr) - 1):
        end = indptr[r]
        before = -1
        for j in range(indptr[r], indptr[r + 1]):
            if indices[j] <= before:
                return False
            before = indices[j]
            if before < limit:
                end = j + 1
        ends[r] = end
    return True


@kernel()
def scale_entries(indptr, indices, data, scale, out):
    """out = data, every entry times the scale of its row and of its column."""
    for r in range(len(indptr) - 1):
        for j in range(indptr[r], indptr[r + 1]):
            out[j] = data[j] * scale[r] * scale[indices[j]]


@subkernel(fastmath={"contract"}, error_model="numpy")
def _add_four(g, q1, q2, q3, q4, y1, y2, y3, y4):
    """g += q·y of four rows in their order, with g read and written once."""
    for t in range(len(g)):
        g[t] = (((g[t] + q1 * y1[t]) + q2 * y2[t]) + q3 * y3[t]) + q4 * y4[t]


@subkernel(fastmath={"contract"}, error_model="numpy")
def _add_one(g, q, y):
    for t in range(len(g)):
        g[t] += q * y[t]


@kernel(fastmath=True, error_model="numpy")
def positive_gradient(first, last, starts, ends, indices, data, own, other, gradient):
    """gradient[r - first] = Σ_j n_j·(1 - σ(x·y_j))·y_j for rows x of `own` and y of `other`, pair by pair.

    Rows y are gone through in tiles that the first-level cache holds, since each is needed twice.
    """
    dimensions = own.shape[1]
    pull = np.empty(TILE, np.float32)
    for r in range(first, last):
        x, g = own[r], gradient[r - first]
        g[:] = ZERO
        for start in range(starts[r], ends[r], TILE):
            many = min(TILE, ends[r] - start)
            for j in range(many):
                y = other[indices[start + j]]
                dot = ZERO
                for t in range(dimensions):
                    dot += x[t] * y[t]
                pull[j] = dot
            for j in range(many):  # e^80 is finite in 32 bits, and beyond it 1 - σ is nothing
                pull[j] = F(data[start + j]) / (ONE + np.exp(min(pull[j], F(80.0))))
            whole = many - many % 4
            for j in range(0, whole, 4):
                y1, y2 = other[indices[start + j]], other[indices[start + j + 1]]
                y3, y4 = other[indices[start + j + 2]], other[indices[start + j + 3]]
                _add_four(g, pull[j], pull[j + 1], pull[j + 2], pull[j + 3], y1, y2, y3, y4)
            for j in range(whole, many):
                _add_one(g, pull[j], other[indices[start + j]])


@kernel(error_model="numpy")
def adam_rows(first, own, m, v, positive, negative, weights, ridge, rate, b1, b2, c1, c2):
    """One projected Adam step up the gradient positive - weight·(negative + ridge·x); c1, c2 correct the bias."""
    for k in range(positive.shape[0]):
        r = first + k
        a = weights[r]
        for t in range(own.shape[1]):
            x = own[r, t]
            g = positive[k, t] - a * (negative[k, t] + ridge * x)
            m[k, t] = b1 * m[k, t] + (ONE - b1) * g
            v[k, t] = b2 * v[k, t] + (ONE - b2) * g * g
            x += rate * (m[k, t] * c1) / (np.sqrt(v[k, t] * c2) + F(1e-12))
            own[r, t] = x if x > ZERO else ZERO


@kernel(error_model="numpy")
def start_rows(first, own, positive, negative, weights):
    """x = the gradient at zero, clipped at 0 and scaled so that its largest entry is 1."""
    for k in range(positive.shape[0]):
        r = first + k
        top = ZERO
        for t in range(own.shape[1]):
            g = positive[k, t] - weights[r] * negative[k, t]
            own[r, t] = g if g > ZERO else ZERO
            top = max(top, own[r, t])
        if top > ZERO:
            for t in range(own.shape[1]):
                own[r, t] /= top


@kernel(error_model="numpy")
def positive_objective(rows, starts, ends, indices, data, own, other, result):
    """result[k] = Σ_j n_j·log σ(x·y_j) of row rows[k], in double precision and without overflow."""
    for k in range(len(rows)):
        r = rows[k]
        total = 0.0
        for j in range(starts[r], ends[r]):
            y = other[indices[j]]
            dot = 0.0
            for t in range(own.shape[1]):
                dot += np.float64(own[r, t]) * np.float64(y[t])
            # log σ(s) = min(s, 0) - log(1 + e^-|s|)
            total += data[j] * (min(dot, 0.0) - np.log1p(np.exp(-abs(dot))))
        result[k] = total


@kernel(fastmath=True, error_model="numpy")
def ppmi_product(first, last, indptr, indices, data, row_term, column_term, other, out):
    """out[r] = Σ_c max(log n(r,c) + row_term[r] + column_term[c], 0)·other[c], without storing the matrix."""
    dimensions = other.shape[1]
    logs = np.log(np.arange(1024).astype(np.float32))
    for r in range(first, last):
        o = out[r]
        o[:] = ZERO
        for j in range(indptr[r], indptr[r + 1]):
            c, n = indices[j], data[j]
            log = logs[np.int64(n)] if n < 1024 and n == np.int64(n) else np.log(F(n))
            value = log + row_term[r] + column_term[c]
            if value > ZERO:
                b = other[c]
                for t in range(dimensions):
                    o[t] += value * b[t]


@kernel()
def kept_bits(first, last, tokens, offsets, indptr, indices, window, bits):
    """Bit d - 1 of bits[i] is set when tokens i and i + d are in one line and their pair is in the matrix."""
    for line in range(first, last):
        for i in range(offsets[line], offsets[line + 1]):
            mask = np.uint32(0)
            start, end = indptr[tokens[i]], indptr[tokens[i] + 1]
            for d in range(1, min(window, offsets[line + 1] - 1 - i) + 1):
                wanted = tokens[i + d]
                low, high = start, end
                while low < high:
                    middle = (low + high) // 2
                    if indices[middle] < wanted:
                        low = middle + 1
                    else:
                        high = middle
                if low < end and indices[low] == wanted:
                    mask |= np.uint32(1) << np.uint32(d - 1)
            bits[i] = mask


@subkernel(fastmath=True, error_model="numpy")
def _sigma(x, y):
    dot = ZERO
    for t in range(len(x)):
        dot += x[t] * y[t]
    return ONE / (ONE + np.exp(-dot))


@kernel(error_model="numpy")
def batch_pulls(first, last, ids, bits, noise, weight, words, contexts, forward, backward, push):
    """How hard each pair of a batch pulls and each noise word pushes, for positions first to last.

    forward[i, d-1] = 1 - σ(w_i·c_{i+d}) and backward[i, d-1] = 1 - σ(w_{i+d}·c_i) for kept pairs, else 0;
    push[i, j] = weight_i·σ(w_i·c_noise).
    """
    for i in range(first, last):
        w, c, mask = words[ids[i]], contexts[ids[i]], bits[i]
        for d in range(1, forward.shape[1] + 1):
            forward[i, d - 1] = ZERO
            backward[i, d - 1] = ZERO
            if (mask >> np.uint32(d - 1)) & np.uint32(1):
                forward[i, d - 1] = ONE - _sigma(w, contexts[ids[i + d]])
                backward[i, d - 1] = ONE - _sigma(words[ids[i + d]], c)
        for j in range(noise.shape[1]):
            push[i, j] = weight[ids[i]] * _sigma(w, contexts[noise[i, j]])


@kernel(error_model="numpy")
def batch_scatter(low, high, ids, bits, noise, words, contexts, forward, backward, push, up_words, up_contexts):
    """Add the batch's gradient to both tables in dimensions low to high, position by position.

    One loop for each row that is added to: of rows that might be one and the same the compiler makes no vectors.
    """
    columns = range(high - low)
    for i in range(len(ids)):
        a = ids[i]
        wa, ca = words[a, low:high], contexts[a, low:high]
        up_wa, up_ca = up_words[a, low:high], up_contexts[a, low:high]
        if bits[i]:
            for d in range(1, forward.shape[1] + 1):
                if (bits[i] >> np.uint32(d - 1)) & np.uint32(1):
                    b, f, g = ids[i + d], forward[i, d - 1], backward[i, d - 1]
                    wb, cb = words[b, low:high], contexts[b, low:high]
                    up_wb, up_cb = up_words[b, low:high], up_contexts[b, low:high]
                    for t in columns:
                        up_wa[t] += f * cb[t]
                    for t in columns:
                        up_cb[t] += f * wa[t]
                    for t in columns:
                        up_wb[t] += g * ca[t]
                    for t in columns:
                        up_ca[t] += g * wb[t]
        for j in range(noise.shape[1]):
            b, p = noise[i, j], push[i, j]
            cb, up_cb = contexts[b, low:high], up_contexts[b, low:high]
            for t in columns:
                up_wa[t] -= p * cb[t]
            for t in columns:
                up_cb[t] -= p * wa[t]


@kernel(error_model="numpy")
def adam_dense(first, last, table, m, v, up, scale, rate, b1, b2, epsilon):
    """Adam as TensorFlow has it (ε is added to √v before its bias is corrected) on whole rows, then the clip at 0.

    `up` holds the gradient to ascend before scaling; it is set to zero for the next batch.
    """
    for r in range(first, last):
        for t in range(table.shape[1]):
            g = up[r, t] * scale
            up[r, t] = ZERO
            m[r, t] = b1 * m[r, t] + (ONE - b1) * g
            v[r, t] = b2 * v[r, t] + (ONE - b2) * g * g
            x = table[r, t] + rate * m[r, t] / (np.sqrt(v[r, t]) + epsilon)
            table[r, t] = x if x > ZERO else ZERO


# ---- Gaussian embedding -------------------------------------------------------------------------------------------

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
