"""Compiled loops over pairs of sparse rows. Arrays only; every function fills out[start:end] and nothing else.

Rows are CSR (`indptr`, sorted `indices`, `data` without zeros); pair k is (q[k], p[k]), both row numbers. All sums
run in float64 in column order, so a result does not depend on how the pairs were cut into blocks.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel

_SMALL = 32  # below this taking out the smallest beats another partition


@kernel()
def dense_dots(matrix, q, p, out, start, end):
    """out[k] = Σᵢ q[i]·p[i] on dense rows."""
    for k in range(start, end):
        left, right = matrix[q[k]], matrix[p[k]]
        total = 0.0
        for i in range(left.shape[0]):
            total += np.float64(left[i]) * np.float64(right[i])
        out[k] = total


@kernel()
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


@kernel()
def place_rows(indptr, indices, data, rows, targets, out_indptr, out_indices, out_data, start, end):
    """Copy row rows[k] to row targets[k] of a matrix whose out_indptr leaves room for it."""
    for k in range(start, end):
        at = out_indptr[targets[k]]
        for a in range(indptr[rows[k]], indptr[rows[k] + 1]):
            out_indices[at] = indices[a]
            out_data[at] = data[a]
            at += 1


@kernel()
def row_sums(indptr, data, out, start, end):
    """Per row, in the columns of out: S = Σx and Σx²."""
    for r in range(start, end):
        total = 0.0
        squares = 0.0
        for a in range(indptr[r], indptr[r + 1]):
            x = np.float64(data[a])
            total += x
            squares += x * x
        out[r, 0] = total
        out[r, 1] = squares


@kernel()
def row_entropies(indptr, data, sums, out, start, end):
    """out[r] = H(x/S) in nats, 0 for an empty row or one without a positive sum."""
    for r in range(start, end):
        entropy = 0.0
        if sums[r] > 0.0:
            for a in range(indptr[r], indptr[r + 1]):
                share = np.float64(data[a]) / sums[r]
                if share > 0.0:
                    entropy -= share * np.log(share)
        out[r] = max(entropy, 0.0)


@subkernel()
def _spend(ratio, mass, value, n, price, budget):
    """Spend `budget` over n dimensions by rising ratio, at most price·mass each.

    Returns (Σ μᵢ·ratioᵢ, the ratio where the budget ended). `value` is mass·ratio. Large inputs are partitioned around
    pivots, so that only the part where the budget ends is ever put in order. The three arrays are reordered in place.
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
    # few are left, and the budget ends early among them: take the smallest out again and again
    last = 0.0
    while low < high:
        best = low
        for k in range(low + 1, high):
            if ratio[k] < ratio[best]:
                best = k
        last = ratio[best]
        if price * mass[best] >= budget:
            return total + budget * last, last
        total += price * value[best]
        budget -= price * mass[best]
        ratio[best], mass[best], value[best] = ratio[low], mass[low], value[low]
        low += 1
    return total, last


@kernel()
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
        # in units of q's own entries: the budget is S(q), and what lies outside p (ratio 0) is paid first
        budget = sum_q
        outside = 0.0
        while a < a_end and budget > 0.0:
            while b < b_end and indices[b] < indices[a]:
                b += 1
            x = np.float64(data[a])
            if b < b_end and indices[b] == indices[a]:
                y = np.float64(data[b])
                ratio[n] = y / x
                mass[n] = x
                value[n] = y
                n += 1
            else:
                outside += x
                budget = sum_q - (w0 + 1.0) * outside
            a += 1
        if n == 0 or budget <= 0.0:
            out[k] = -1.0
            continue
        saved, scale = _spend(ratio, mass, value, n, w0 + 1.0, budget)
        distance = 1.0 - saved / sum_p
        if released:
            # a·Σ_{p=0} d_q with a = scale·S(q)/S(p)
            distance -= w0 * scale * outside / sum_p
        out[k] = -min(max(distance, 0.0), 1.0)


# ---- scores on ranked features ------------------------------------------------------------------------------------


@kernel()
def feature_ranks(indptr, data, order, ranks, start, end):
    """Per row: order lists its features by falling weight (equal ones by column), ranks gives each its place from 1."""
    for r in range(start, end):
        a, b = indptr[r], indptr[r + 1]
        places = np.argsort(-data[a:b], kind="mergesort")
        for k in range(b - a):
            order[a + k] = places[k]
            ranks[a + places[k]] = k + 1


@kernel()
def ap_inc(indptr, indices, order, ranks, q, p, divide_by_p, out, start, end):
    """out[k] = (1/|F_q|) Σ_r P(r)·rel(f_r).

    P(r) is the share of q's first r features in F_p; rel(f) = 1 − rank_p(f)/(|F_p|+1), 0 outside F_p.
    """
    longest = 1
    for k in range(start, end):
        longest = max(longest, indptr[q[k] + 1] - indptr[q[k]])
    relevance = np.empty(longest)
    for k in range(start, end):
        first, a_end = indptr[q[k]], indptr[q[k] + 1]
        b, b_end = indptr[p[k]], indptr[p[k] + 1]
        size_q, size_p = a_end - first, b_end - b
        out[k] = 0.0
        if size_q == 0 or size_p == 0:
            continue
        for a in range(first, a_end):
            while b < b_end and indices[b] < indices[a]:
                b += 1
            relevance[a - first] = 0.0
            if b < b_end and indices[b] == indices[a]:
                relevance[a - first] = 1.0 - ranks[b] / (size_p + 1.0)
        total = 0.0
        inside = 0
        for r in range(size_q):
            rel = relevance[order[first + r]]
            if rel > 0.0:
                inside += 1
                total += inside / (r + 1.0) * rel
        out[k] = total / (size_p if divide_by_p else size_q)


@kernel()
def ap_syn(indptr, indices, ranks, q, p, n, out, start, end):
    """out[k] = Σ 2/(rank_q + rank_p) over the features among the first n of both."""
    for k in range(start, end):
        a, a_end = indptr[q[k]], indptr[q[k] + 1]
        b, b_end = indptr[p[k]], indptr[p[k] + 1]
        total = 0.0
        while a < a_end and b < b_end:
            if indices[a] < indices[b]:
                a += 1
            elif indices[b] < indices[a]:
                b += 1
            else:
                if ranks[a] <= n and ranks[b] <= n:
                    total += 2.0 / (ranks[a] + ranks[b])
                a += 1
                b += 1
        out[k] = total


@kernel()
def median_context_entropy(indptr, indices, order, entropies, n, out, start, end):
    """out[r] = median entropy of the contexts with the n largest features of row r, 0 for an empty row."""
    for r in range(start, end):
        a = indptr[r]
        m = min(n, indptr[r + 1] - a)
        out[r] = 0.0
        if m > 0:
            values = np.empty(m)
            for k in range(m):
                values[k] = entropies[indices[a + order[a + k]]]
            out[r] = np.median(values)


@subkernel()
def _median_ppmi(columns, m, indptr, indices, data, sums, grand):
    """The median of max(PMI, 0) over all pairs of the first m columns; 0 for fewer than two."""
    if m < 2:
        return 0.0
    values = np.zeros(m * (m - 1) // 2)
    at = 0
    for i in range(m):
        row = columns[i]
        for j in range(i + 1, m):
            low, high = indptr[row], indptr[row + 1]
            while low < high:
                middle = (low + high) // 2
                if indices[middle] < columns[j]:
                    low = middle + 1
                else:
                    high = middle
            if low < indptr[row + 1] and indices[low] == columns[j] and data[low] > 0:
                values[at] = max(np.log(data[low] * grand / (sums[row] * sums[columns[j]])), 0.0)
            at += 1
    return np.median(values)


@kernel()
def topic_coherence(indptr, indices, order, c_indptr, c_indices, c_data, c_sums, grand, n, out, start, end):
    """out[r] = median pairwise PPMI of the first n features of row r."""
    columns = np.empty(n, dtype=np.int64)
    for r in range(start, end):
        a = indptr[r]
        m = min(n, indptr[r + 1] - a)
        for k in range(m):
            columns[k] = indices[a + order[a + k]]
        out[r] = _median_ppmi(columns, m, c_indptr, c_indices, c_data, c_sums, grand)


@kernel()
def coherence_outside(indptr, indices, order, c_indptr, c_indices, c_data, c_sums, grand, q, p, n, out, start, end):
    """out[k] = median pairwise PPMI of the first n features of q that p does not have."""
    columns = np.empty(n, dtype=np.int64)
    for k in range(start, end):
        a, a_end = indptr[q[k]], indptr[q[k] + 1]
        m = 0
        for r in range(a_end - a):
            column = indices[a + order[a + r]]
            low, high = indptr[p[k]], indptr[p[k] + 1]
            while low < high:
                middle = (low + high) // 2
                if indices[middle] < column:
                    low = middle + 1
                else:
                    high = middle
            if low < indptr[p[k] + 1] and indices[low] == column:
                continue
            columns[m] = column
            m += 1
            if m == n:
                break
        out[k] = _median_ppmi(columns, m, c_indptr, c_indices, c_data, c_sums, grand)


@kernel(error_model="numpy")
def gaussian_pairs(means, variances, squares, logs, rows, starts, q, p, out, start, end):
    """Per pair of terms, in the columns of out: mean cosine of the means and mean -KL over all pairs of their words.

    KL(x‖y) = ½[Σ (vx + (mx - my)²)/vy - L + log det y - log det x].
    """
    size = means.shape[1]
    for k in range(start, end):
        cosines, divergences = 0.0, 0.0
        for i in range(starts[q[k]], starts[q[k] + 1]):
            x = rows[i]
            for j in range(starts[p[k]], starts[p[k] + 1]):
                y = rows[j]
                dot, far = 0.0, 0.0
                for t in range(size):
                    a, b = np.float64(means[x, t]), np.float64(means[y, t])
                    dot += a * b
                    far += (np.float64(variances[x, t]) + (a - b) * (a - b)) / np.float64(variances[y, t])
                lengths = squares[x] * squares[y]
                if lengths > 0.0:
                    cosines += dot / np.sqrt(lengths)
                divergences += 0.5 * (far - size + logs[y] - logs[x])
        many = (starts[q[k] + 1] - starts[q[k]]) * (starts[p[k] + 1] - starts[p[k]])
        if many > 0:
            out[k, 0] = cosines / many
            out[k, 1] = -divergences / many


# ---- pairs that patterns name ---------------------------------------------------------------------------------------


@kernel()
def csr_values(indptr, indices, data, q, p, out, start, end):
    """out[k] = M[q[k], p[k]] by halving the row; 0 where either number is below 0."""
    for k in range(start, end):
        out[k] = 0.0
        row, column = q[k], p[k]
        if row < 0 or column < 0:
            continue
        low, high = indptr[row], indptr[row + 1]
        last = high
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < column:
                low = middle + 1
            else:
                high = middle
        if low < last and indices[low] == column:
            out[k] = data[low]


@kernel(fastmath={"reassoc", "contract"})
def cross_dots(left, right, q, p, out, start, end):
    """out[k] = Σᵢ left[q[k], i]·right[p[k], i], in the tables' own precision: they were rounded to 16 bits."""
    for k in range(start, end):
        a, b = left[q[k]], right[p[k]]
        total = left.dtype.type(0)
        for i in range(a.shape[0]):
            total += a[i] * b[i]
        out[k] = total
