"""Compiled loops of the solvers: functions of arrays only, each with a slow twin in the tests.

Every sum runs in a fixed order inside one call, and no call shares an output with another, so results do not depend
on how many calls run at once.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel

F = np.float32
ZERO, HALF, ONE = F(0.0), F(0.5), F(1.0)
TILE = 64  # packed rows of 100 dimensions: 16 kB
LANES = 32  # four vectors of eight numbers, which the compiler works on at once


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
def row_sums(indptr, data, sums):
    """sums[r] = Σ of the entries of row r, in double precision."""
    for r in range(len(sums)):
        total = 0.0
        for j in range(indptr[r], indptr[r + 1]):
            total += np.float64(data[j])
        sums[r] = total


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
        g[t] = (((g[t] + q1 * F(y1[t])) + q2 * F(y2[t])) + q3 * F(y3[t])) + q4 * F(y4[t])


@subkernel(fastmath={"contract"}, error_model="numpy")
def _add_one(g, q, y):
    for t in range(len(g)):
        g[t] += q * F(y[t])


@subkernel(error_model="numpy")
def _add_rows(g, coefficients, rows, table, many):
    """g += Σ coefficient·row of the first `many` rows, in their order."""
    whole = many - many % 4
    for j in range(0, whole, 4):
        y1, y2, y3, y4 = table[rows[j]], table[rows[j + 1]], table[rows[j + 2]], table[rows[j + 3]]
        _add_four(g, coefficients[j], coefficients[j + 1], coefficients[j + 2], coefficients[j + 3], y1, y2, y3, y4)
    for j in range(whole, many):
        _add_one(g, coefficients[j], table[rows[j]])


@subkernel(fastmath={"contract", "nsz", "reassoc"}, error_model="numpy")
def _product(x, y):
    dot = ZERO
    for t in range(len(x)):
        dot += x[t] * F(y[t])
    return dot


@subkernel(fastmath={"contract", "nsz"}, error_model="numpy")
def _decay(s):
    """e^-s of s ≥ 0 as 2^n·2^f with |f| ≤ ½, without a call, so that eight are done at a time; at least 2^-126."""
    power = max(s * F(-1.44269504), F(-126.0))
    n = np.floor(power + HALF)
    f = power - n
    tail = F(0.05550411) + f * (F(0.00961813) + f * (F(0.00133336) + f * F(0.000154035)))
    part = ONE + f * (F(0.69314718) + f * (F(0.24022651) + f * tail))
    return part * np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)


@subkernel(fastmath={"contract", "nsz"}, error_model="numpy")
def _pulls(dots, counts, many):
    """dots = n·(1 - σ(dot)) of the first `many` pairs."""
    for j in range(many):
        rest = _decay(dots[j])
        dots[j] = counts[j] * rest / (ONE + rest)


@kernel(error_model="numpy")
def scale_rows(table, packed, scales):
    """packed·scale = the rows of a table ≥ 0 to 1/65535 of their largest entry; a zero row has the scale 0."""
    for r in range(len(scales)):
        top = ZERO
        for t in range(table.shape[1]):
            top = max(top, table[r, t])
        scales[r] = top / F(65535.0)
        step = ONE / scales[r] if scales[r] > ZERO else ZERO
        for t in range(table.shape[1]):
            packed[r, t] = np.uint16(min(table[r, t] * step + HALF, F(65535.0)))


@kernel(error_model="numpy")
def positive_gradient(first, last, starts, ends, indices, data, own, packed, scales, gradient):
    """gradient[r - first] = Σ_j n_j·(1 - σ(x·y_j))·y_j for rows x ≥ 0 of `own` and packed rows y, pair by pair.

    Rows y are gone through in tiles that the first-level cache holds, since each is needed twice. Pairs whose y is zero
    are passed over, and for a row x of zeros σ is ½.
    """
    width = packed.shape[1]
    x, g = np.zeros(width, np.float32), np.empty(width, np.float32)
    places, counts, pull = np.empty(TILE, np.int64), np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    for r in range(first, last):
        top = ZERO
        for t in range(own.shape[1]):
            x[t] = own[r, t]
            top = max(top, x[t])
        for t in range(width):
            g[t] = ZERO
        at, end = starts[r], ends[r]
        while at < end:
            many = np.int64(0)
            while at < end and many < TILE:
                places[many] = indices[at]
                counts[many] = data[at]
                many += np.int64(scales[indices[at]] > ZERO)
                at += 1
            if top > ZERO:
                for j in range(many):
                    pull[j] = _product(x, packed[places[j]]) * scales[places[j]]
                _pulls(pull, counts, many)
            else:
                for j in range(many):
                    pull[j] = HALF * counts[j]
            for j in range(many):
                pull[j] *= scales[places[j]]
            _add_rows(g, pull, places, packed, many)
        for t in range(gradient.shape[1]):
            gradient[r - first, t] = g[t]


@kernel(error_model="numpy")
def compress_rows(table, offsets, columns, values):
    """The entries above 0 of a table, row by row: those of row r are at offsets[r] to offsets[r + 1]."""
    many = np.int64(0)
    offsets[0] = 0
    for r in range(table.shape[0]):
        for t in range(table.shape[1]):
            if table[r, t] > ZERO:
                columns[many] = t
                values[many] = table[r, t]
                many += 1
        offsets[r + 1] = many


@subkernel(fastmath={"contract", "nsz"}, error_model="numpy")
def _pushes(dots, mass):
    """dots = mass·σ(dot)."""
    for t in range(len(dots)):
        dots[t] = mass / (ONE + _decay(dots[t]))


@kernel(error_model="numpy")
def negative_gradient(first, own, offsets, columns, values, masses, at_zero, gradient):
    """gradient[k] = Σ_j mass_j·σ(x·y_j)·y_j for the rows x ≥ 0 from `first` on and compressed rows y.

    The rows that are not zero lie side by side, one in each lane, and each y goes through all of them at once: only the
    dimensions that it has are read. A row of zeros gets `at_zero`, which is ½·Σ_j mass_j·y_j.
    """
    many, dimensions = gradient.shape
    lanes = np.empty(many, np.int64)
    used = np.int64(0)
    for k in range(many):
        top = ZERO
        for t in range(dimensions):
            top = max(top, own[first + k, t])
        lanes[used] = k
        used += np.int64(top > ZERO)
        for t in range(dimensions):
            gradient[k, t] = at_zero[t]
    width = (used + LANES - 1) // LANES * LANES  # whole vectors, so that every lane is computed alike
    x, g = np.zeros((dimensions, width), np.float32), np.zeros((dimensions, width), np.float32)
    for k in range(used):
        for t in range(dimensions):
            x[t, k] = own[first + lanes[k], t]
    dots = np.empty(width, np.float32)
    for j in range(len(masses) if used else 0):
        start, end = offsets[j], offsets[j + 1]
        for t in range(width):
            dots[t] = ZERO
        whole = start + (end - start) // 4 * 4
        for i in range(start, whole, 4):
            x1, x2, x3, x4 = x[columns[i]], x[columns[i + 1]], x[columns[i + 2]], x[columns[i + 3]]
            _add_four(dots, values[i], values[i + 1], values[i + 2], values[i + 3], x1, x2, x3, x4)
        for i in range(whole, end):
            _add_one(dots, values[i], x[columns[i]])
        _pushes(dots, masses[j])
        for i in range(start, end):
            _add_one(g[columns[i]], values[i], dots)
    for k in range(used):
        for t in range(dimensions):
            gradient[lanes[k], t] = g[t, k]


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


# ---- the paper's solver --------------------------------------------------------------------------------------
#
# A position i of a batch has 2·window + K partners: slot d - 1 is the token at i + d, slot window + d - 1 the one at
# i - d, and the last K are its noise words. A coefficient says how much a partner pulls (above 0) or pushes (below).


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


@subkernel()
def _is_kept(bits, i, d):
    """Whether tokens i and i + d form a kept pair."""
    return (bits[i] >> np.uint32(d - 1)) & np.uint32(1)


@kernel()
def group_by_context(ids, bits, noise, window, starts, slots):
    """The slots i·(2·window + K) + s of a batch by the context at each: those of c are at starts[c] to starts[c + 1].

    Slots of one context rise. `starts` has one place more than there are contexts, and is zero before.
    """
    width = 2 * window + noise.shape[1]
    for i in range(len(ids)):
        for d in range(1, window + 1):
            if _is_kept(bits, i, d):
                starts[ids[i + d] + 1] += 1
                starts[ids[i] + 1] += 1
        for k in range(noise.shape[1]):
            starts[noise[i, k] + 1] += 1
    for c in range(len(starts) - 1):
        starts[c + 1] += starts[c]
    filled = starts[:-1].copy()
    for i in range(len(ids)):
        for d in range(1, window + 1):
            if _is_kept(bits, i, d):
                slots[filled[ids[i + d]]] = i * width + d - 1
                filled[ids[i + d]] += 1
        for d in range(1, min(window, i) + 1):
            if _is_kept(bits, i - d, d):
                slots[filled[ids[i - d]]] = i * width + window + d - 1
                filled[ids[i - d]] += 1
        for k in range(noise.shape[1]):
            slots[filled[noise[i, k]]] = i * width + 2 * window + k
            filled[noise[i, k]] += 1


@subkernel(fastmath={"contract", "nsz"}, error_model="numpy")
def _pull_and_push(dots, weight, pulls, many):
    """1 - σ(dot) of the first `pulls` partners, -weight·σ(dot) of the others."""
    for j in range(many):
        dots[j] = _decay(dots[j])
    for j in range(pulls):
        dots[j] = dots[j] / (ONE + dots[j])
    for j in range(pulls, many):
        dots[j] = -weight / (ONE + dots[j])


@kernel(error_model="numpy")
def position_gradients(first, last, ids, bits, noise, window, weights, words, contexts, coefficients, gradients):
    """The coefficients of all partners of positions first to last, and what these add to the gradient of its word."""
    width = 2 * window + noise.shape[1]
    rows, slots = np.empty(width, np.int64), np.empty(width, np.int64)
    dots = np.empty(width, np.float32)
    for i in range(first, last):
        many = np.int64(0)
        for d in range(1, window + 1):
            if _is_kept(bits, i, d):
                rows[many], slots[many] = ids[i + d], d - 1
                many += 1
        for d in range(1, min(window, i) + 1):
            if _is_kept(bits, i - d, d):
                rows[many], slots[many] = ids[i - d], window + d - 1
                many += 1
        pulls = many
        for k in range(noise.shape[1]):
            rows[many], slots[many] = noise[i, k], 2 * window + k
            many += 1
        word = words[ids[i]]
        for j in range(many):
            dots[j] = _product(word, contexts[rows[j]])
        _pull_and_push(dots, weights[ids[i]], pulls, many)
        gradients[i, :] = ZERO
        _add_rows(gradients[i], dots, rows, contexts, many)
        for j in range(many):
            coefficients[i, slots[j]] = dots[j]


@subkernel(error_model="numpy")
def _adam(row, m, v, g, scale, rate, b1, b2, epsilon):
    """Adam as TensorFlow has it (ε is added to √v before its bias is corrected), up the gradient, and the clip at 0."""
    for t in range(len(row)):
        up = g[t] * scale
        m[t] = b1 * m[t] + (ONE - b1) * up
        v[t] = b2 * v[t] + (ONE - b2) * up * up
        x = row[t] + rate * m[t] / (np.sqrt(v[t]) + epsilon)
        row[t] = x if x > ZERO else ZERO


@kernel(error_model="numpy")
def step_contexts(
    first, last, starts, slots, ids, coefficients, words, table, m, v, scale, rate, b1, b2, epsilon,
):  # fmt: skip
    """Sum up the gradient of every context from first to last, 0 for one that is not in the batch, and step."""
    width = np.uint32(coefficients.shape[1])
    g = np.empty(table.shape[1], np.float32)
    most = np.int64(0)
    for c in range(first, last):
        most = max(most, starts[c + 1] - starts[c])
    rows, pulls = np.empty(most, np.int64), np.empty(most, np.float32)
    for c in range(first, last):
        many = starts[c + 1] - starts[c]
        for j in range(many):
            slot = np.uint32(slots[starts[c] + j])
            i = slot // width
            rows[j] = ids[i]
            pulls[j] = coefficients[i, slot - i * width]
        g[:] = ZERO
        _add_rows(g, pulls, rows, words, many)
        _adam(table[c], m[c], v[c], g, scale, rate, b1, b2, epsilon)


@kernel(error_model="numpy")
def step_words(first, last, starts, positions, gradients, table, m, v, scale, rate, b1, b2, epsilon):
    """Sum up the gradient of every word from first to last over its positions, 0 for one without, and step."""
    g = np.empty(table.shape[1], np.float32)
    for w in range(first, last):
        for t in range(len(g)):
            g[t] = ZERO
        for j in range(starts[w], starts[w + 1]):
            _add_one(g, ONE, gradients[positions[j]])
        _adam(table[w], m[w], v[w], g, scale, rate, b1, b2, epsilon)


# ---- fold-in -------------------------------------------------------------------------------------------------


@subkernel(fastmath=True, error_model="numpy")
def _sigmoids(z, n):
    """z[:n] = σ(z) for z ≥ 0, as 1/(1 + e^-z) with e^-z = (e^(-z/32))^32 by seven terms: the compiler makes it wide."""
    for j in range(n):
        x = -min(z[j], F(16.0)) * F(1 / 32)
        y = ONE + x * (ONE + x * (F(1 / 2) + x * (F(1 / 6) + x * (F(1 / 24) + x * (F(1 / 120) + x * F(1 / 720))))))
        y *= y
        y *= y
        y *= y
        y *= y
        z[j] = ONE / (ONE + y * y)


@subkernel(error_model="numpy")
def _box_step(gradient, curvature, x, step, n):
    """The step with x + step ≥ 0 that maximises gradient·step - ½·stepᵀ·curvature·step, coordinate by coordinate."""
    rest = gradient[:n].copy()
    step[:n] = 0.0
    for _ in range(50):
        largest = 0.0
        for t in range(n):
            new = max(step[t] + rest[t] / curvature[t, t], -x[t])
            change = new - step[t]
            if change != 0.0:
                step[t] = new
                for u in range(n):
                    rest[u] -= change * curvature[t, u]
                largest = max(largest, abs(change))
        if largest <= 1e-4:
            break


@kernel(fastmath=True, error_model="numpy")
def fold_rows(
    indptr, indices, data, weights, contexts, mean, gram, negatives, masses, ridge, steps, tolerance, out
):  # fmt: skip
    """out[r] = the x ≥ 0 that maximises Σ_j n_j·log σ(x·y_j) + a·(Σ_c P(c)·log σ(-x·c) - ½·Σ ridge·x²), a = weights[r].

    y_j are the contexts of row r, `mean` is Σ_c P(c)·c and `gram` Σ_c P(c)·c·cᵀ over all contexts; `negatives` holds a
    sample of them dimension by dimension, which stands for all with `masses`. Everything is non-negative, so the
    gradient falls in every dimension as any dimension grows: a dimension whose gradient at x = 0 is not positive is
    zero in the optimum. Over the others every step maximises a quadratic below the objective that touches it at x:
    log σ has a curvature of at least -(σ(s) - ½)/s between s and -s, and of at least -¼ anywhere. The negatives' part
    is exact to the second order; the sample gives the rest, σ(s) - ½ - s/4.
    """
    dimensions, many = negatives.shape
    longest = 1
    for r in range(len(indptr) - 1):
        longest = max(longest, indptr[r + 1] - indptr[r])
    table = np.empty((dimensions, longest), np.float32)
    dots, bend = np.empty(longest, np.float32), np.empty(longest, np.float32)
    noise = np.empty(many, np.float32)
    active = np.empty(dimensions, np.int64)
    summed = np.empty(dimensions, np.float32)
    gradient, x, step = np.empty(dimensions), np.empty(dimensions), np.empty(dimensions)
    curvature = np.empty((dimensions, dimensions))
    for r in range(len(indptr) - 1):
        start, length, a = indptr[r], indptr[r + 1] - indptr[r], np.float64(weights[r])
        out[r, :] = ZERO
        summed[:] = ZERO
        for j in range(length):
            y, q = contexts[indices[start + j]], data[start + j]
            for t in range(dimensions):
                summed[t] += q * y[t]
        n = np.int64(0)
        for t in range(dimensions):
            if np.float64(summed[t]) > a * mean[t]:
                active[n] = t
                x[n] = 0.0
                n += 1
        if n == 0:
            continue
        for j in range(length):
            y = contexts[indices[start + j]]
            for t in range(n):
                table[t, j] = y[active[t]]
        for _ in range(steps):
            dots[:length] = ZERO
            noise[:] = ZERO
            for t in range(n):
                if x[t] > 0.0:
                    f, row, held = F(x[t]), table[t], negatives[active[t]]
                    for j in range(length):
                        dots[j] += f * row[j]
                    for j in range(many):
                        noise[j] += f * held[j]
            for j in range(length):
                bend[j] = dots[j]
            _sigmoids(dots, length)
            for j in range(length):
                s, q = bend[j], data[start + j]
                bend[j] = q * (F(0.25) if s < F(1e-2) else (dots[j] - F(0.5)) / s)
                dots[j] = q * (ONE - dots[j])
            _residuals(noise, masses)
            for t in range(n):
                row, held, above = table[t], negatives[active[t]], ZERO
                for j in range(length):
                    above += dots[j] * row[j]
                below = ZERO
                for j in range(many):
                    below += noise[j] * held[j]
                g = 0.5 * mean[active[t]] + np.float64(below) + ridge[active[t]] * x[t]
                for u in range(n):
                    g += 0.25 * gram[active[t], active[u]] * x[u]
                gradient[t] = np.float64(above) - a * g
                for u in range(t + 1):
                    other, both = table[u], ZERO
                    for j in range(length):
                        both += bend[j] * row[j] * other[j]
                    h = np.float64(both) + a * 0.25 * gram[active[t], active[u]]
                    curvature[t, u] = h
                    curvature[u, t] = h
                curvature[t, t] += a * ridge[active[t]] + 1e-9
            _box_step(gradient, curvature, x, step, n)
            largest = 0.0
            top = 0.0
            for t in range(n):
                x[t] = max(x[t] + step[t], 0.0)
                largest = max(largest, abs(step[t]))
                top = max(top, x[t])
            if largest <= tolerance * top:
                break
        for t in range(n):
            out[r, active[t]] = F(x[t])


@subkernel(fastmath=True, error_model="numpy")
def _residuals(z, masses):
    """z = mass·(σ(z) - ½ - z/4): what a straight line through σ at 0 leaves."""
    for j in range(len(z)):
        s = z[j]
        x = -min(s, F(16.0)) * F(1 / 32)
        y = ONE + x * (ONE + x * (F(1 / 2) + x * (F(1 / 6) + x * (F(1 / 24) + x * (F(1 / 120) + x * F(1 / 720))))))
        y *= y
        y *= y
        y *= y
        y *= y
        z[j] = masses[j] * (ONE / (ONE + y * y) - F(0.5) - F(0.25) * s)
