"""Compiled loops over pairs of sparse rows. Arrays only; every function fills out[start:end] and nothing else.

Rows are CSR (`indptr`, sorted `indices`, `data` without zeros); pair k is (q[k], p[k]), both row numbers. All sums
run in float64 in column order, so a result does not depend on how the pairs were cut into blocks.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SMALL = 32  # below this an insertion sort beats another partition


@njit(cache=True, nogil=True)
def dense_dots(matrix, q, p, out, start, end):
    """out[k] = Σᵢ q[i]·p[i] on dense rows."""
    for k in range(start, end):
        left, right = matrix[q[k]], matrix[p[k]]
        total = 0.0
        for i in range(left.shape[0]):
            total += np.float64(left[i]) * np.float64(right[i])
        out[k] = total


@njit(cache=True, nogil=True)
def overlaps(indptr, indices, data, q, p, out, start, end):
    """Per pair, in the columns of out: Σ q·p, Σ min(q, p), Σ_{p>0} q, Σ_{q>0} p, by one merge of the two rows."""
    for k in range(start, end):
        a, a_end = indptr[q[k]], indptr[q[k] + 1]
        b, b_end = indptr[p[k]], indptr[p[k] + 1]
        dot = 0.0
        least = 0.0
        q_inside = 0.0
        p_inside = 0.0
        while a < a_end and b < b_end:
            i, j = indices[a], indices[b]
            if i < j:
                a += 1
            elif j < i:
                b += 1
            else:
                x, y = np.float64(data[a]), np.float64(data[b])
                dot += x * y
                least += min(x, y)
                q_inside += x
                p_inside += y
                a += 1
                b += 1
        out[k, 0] = dot
        out[k, 1] = least
        out[k, 2] = q_inside
        out[k, 3] = p_inside


@njit(cache=True, nogil=True)
def row_statistics(indptr, data, out, start, end):
    """Per row, in the columns of out: S = Σx, ‖x‖₂, H(x/S) in nats (0 for an empty row or one without positive sum)."""
    for r in range(start, end):
        total = 0.0
        squares = 0.0
        for a in range(indptr[r], indptr[r + 1]):
            x = np.float64(data[a])
            total += x
            squares += x * x
        entropy = 0.0
        if total > 0.0:
            for a in range(indptr[r], indptr[r + 1]):
                share = np.float64(data[a]) / total
                if share > 0.0:
                    entropy -= share * np.log(share)
        out[r, 0] = total
        out[r, 1] = np.sqrt(squares)
        out[r, 2] = max(entropy, 0.0)


@njit(cache=True, nogil=True)
def _spend(ratio, mass, value, n, price, budget):
    """Spend `budget` over n dimensions by rising ratio, at most price·mass each.

    Returns (Σ μᵢ·ratioᵢ, the ratio where the budget ended). `value` is mass·ratio. Large inputs are partitioned around
    pivots, so that only the part where the budget ends is ever sorted. The three arrays are reordered in place.
    """
    low, high = 0, n
    total = 0.0
    while high - low > _SMALL:
        x, y, z = ratio[low], ratio[(low + high) // 2], ratio[high - 1]
        pivot = max(min(x, y), min(max(x, y), z))
        less, k, more = low, low, high
        mass_less = 0.0
        value_less = 0.0
        mass_equal = 0.0
        while k < more:
            if ratio[k] < pivot:
                mass_less += mass[k]
                value_less += value[k]
                ratio[k], ratio[less] = ratio[less], ratio[k]
                mass[k], mass[less] = mass[less], mass[k]
                value[k], value[less] = value[less], value[k]
                less += 1
                k += 1
            elif ratio[k] > pivot:
                more -= 1
                ratio[k], ratio[more] = ratio[more], ratio[k]
                mass[k], mass[more] = mass[more], mass[k]
                value[k], value[more] = value[more], value[k]
            else:
                mass_equal += mass[k]
                k += 1
        if price * mass_less >= budget:
            high = less
            continue
        total += price * value_less
        budget -= price * mass_less
        if price * mass_equal >= budget:
            return total + budget * pivot, pivot
        total += price * mass_equal * pivot
        budget -= price * mass_equal
        low = more
    for k in range(low + 1, high):
        r, m, v = ratio[k], mass[k], value[k]
        j = k
        while j > low and ratio[j - 1] > r:
            ratio[j], mass[j], value[j] = ratio[j - 1], mass[j - 1], value[j - 1]
            j -= 1
        ratio[j], mass[j], value[j] = r, m, v
    last = 0.0 if n == 0 else ratio[max(high - 1, 0)]
    for k in range(low, high):
        if price * mass[k] >= budget:
            return total + budget * ratio[k], ratio[k]
        total += price * value[k]
        budget -= price * mass[k]
    return total, last


@njit(cache=True, nogil=True)
def asymmetric_l1(indptr, indices, data, sums, q, p, w0, released, out, start, end):
    """out[k] = −min_{a≥0} Σᵢ [w₀·max(a·d_q[i]−d_p[i], 0) + max(d_p[i]−a·d_q[i], 0)], exactly.

    By the dual: a budget of 1 is spent over the dimensions of q by rising d_p/d_q, at most (w₀+1)·d_q[i] each;
    distance = 1 − Σ μᵢ·d_p[i]/d_q[i]. With `released` the cost of q's mass outside p, w₀·a·Σ_{p=0} d_q, is left out.
    """
    longest = 1
    for k in range(start, end):
        longest = max(longest, indptr[q[k] + 1] - indptr[q[k]])
    ratio = np.empty(longest)
    mass = np.empty(longest)
    value = np.empty(longest)
    for k in range(start, end):
        sum_q, sum_p = sums[q[k]], sums[p[k]]
        if not (sum_q > 0.0 and sum_p > 0.0):
            out[k] = -1.0
            continue
        a, a_end = indptr[q[k]], indptr[q[k] + 1]
        b, b_end = indptr[p[k]], indptr[p[k] + 1]
        n = 0
        outside = 0.0
        while a < a_end:
            while b < b_end and indices[b] < indices[a]:
                b += 1
            d_q = np.float64(data[a]) / sum_q
            if b < b_end and indices[b] == indices[a]:
                d_p = np.float64(data[b]) / sum_p
                ratio[n] = d_p / d_q
                mass[n] = d_q
                value[n] = d_p
                n += 1
            else:
                outside += d_q
            a += 1
        budget = 1.0 - (w0 + 1.0) * outside
        if n == 0 or budget <= 0.0:
            out[k] = -1.0
            continue
        saved, scale = _spend(ratio, mass, value, n, w0 + 1.0, budget)
        distance = 1.0 - saved
        if released:
            distance -= w0 * scale * outside
        out[k] = -min(max(distance, 0.0), 1.0)
