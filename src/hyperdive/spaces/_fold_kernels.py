"""Compiled loops of fold-in: functions of arrays only, each with a slow twin in the tests."""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel, subkernel

F = np.float32
ZERO, ONE = F(0.0), F(1.0)


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
