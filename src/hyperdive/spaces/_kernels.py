"""Compiled loops of the solvers: functions of arrays only, each with a slow twin in the tests.

Every sum runs in a fixed order inside one call, and no call shares an output with another, so results do not depend
on how many calls run at once.
"""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel, subkernel

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
