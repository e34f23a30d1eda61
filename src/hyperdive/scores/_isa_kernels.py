"""Compiled loops of the score `isa`: the sums of pairs, and which hypernyms of a term can have a large enough sum.

`hyperdive.scores.isa_score` has the sums in NumPy, to the bit: they run in the same order and precision, and logarithms
come in tables that NumPy has made.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel


@subkernel()
def _entries(indptr, indices, rows, columns, count, out):
    """out[i] is where M[rows[i], columns[i]] is stored; -1 where it is not, or for numbers below 0."""
    for i in range(count):
        out[i] = -1
        row, column = rows[i], columns[i]
        if row < 0 or column < 0:
            continue
        low, left = indptr[row], indptr[row + 1] - indptr[row]
        while left > 1:
            half = left // 2
            low += half if indices[low + half - 1] < column else 0
            left -= half
        if left == 1 and indices[low] == column:
            out[i] = low


@subkernel()
def _cosines(matrix, terms, q, p, count, out):
    """out[i] is the cosine of rows q[i] and p[i], 0 where a row is 0; four at a time, each added up in its order."""
    width = matrix.shape[1]
    for first in range(0, count, 4):
        i, j, k = min(first + 1, count - 1), min(first + 2, count - 1), min(first + 3, count - 1)
        dot0, dot1, dot2, dot3 = 0.0, 0.0, 0.0, 0.0
        for t in range(width):
            dot0 += np.float64(matrix[q[first], t]) * np.float64(matrix[p[first], t])
            dot1 += np.float64(matrix[q[i], t]) * np.float64(matrix[p[i], t])
            dot2 += np.float64(matrix[q[j], t]) * np.float64(matrix[p[j], t])
            dot3 += np.float64(matrix[q[k], t]) * np.float64(matrix[p[k], t])
        out[first], out[i], out[j], out[k] = dot0, dot1, dot2, dot3
    for i in range(count):
        below = np.sqrt(terms[q[i], 0] * terms[p[i], 0])
        out[i] = out[i] / below if below != 0.0 else 0.0


@subkernel()
def _code_cosines(codes, scales, terms, q, p, count, out):
    """`_cosines` of rows in 8 bits: whole numbers add up exactly, in any order, as the products of the rows do."""
    width = codes.shape[1]
    for i in range(count):
        x, y, dot = q[i], p[i], np.int32(0)
        for t in range(width):
            dot = _added(dot, codes[x, t], codes[y, t])
        below = np.sqrt(terms[x, 0] * terms[y, 0])
        out[i] = (scales[x] * scales[y]) * np.float64(dot) / below if below != 0.0 else 0.0


@subkernel()
def _added(total, one, other):
    """total + one·other in 32 bits, of which a processor adds more at a time than of Numba's 64."""
    return np.int32(total + np.int32(np.int32(one) * np.int32(other)))


@kernel()
def isa_sums(
    weights,
    constants,
    q,
    p,
    places,
    head_starts,
    heads,
    numbers,
    terms,
    phrases,
    head_numbers,
    head_rows,
    matrix,
    codes,
    scales,
    indptr,
    indices,
    statements,
    a_indptr,
    a_indices,
    a_data,
    n_indptr,
    n_indices,
    n_data,
    b_indptr,
    b_indices,
    b_data,
    out,
    start,
    end,
):
    """Per pair, in the columns of out: the sum, the sum of q with what the phrase p ends in (∞ without), unsupported.

    Args:
        weights: The weights in the order of the sum.
        constants: Most of B that counts, and from which A on most neighbours are of the class.
        q, p, places: Rows of terms, and which of the distinct hyponyms q is.
        head_starts, heads: What each distinct hyponym ends in.
        numbers, terms, phrases, head_numbers, head_rows, matrix, codes, scales: Columns of terms; `IsaColumns` in
            `hyperdive.scores.isa_columns` says which.
        indptr, indices, statements: The statements of the patterns; `StatementColumns` there.
        a_indptr, …, b_data: A, A₂₀ and B, one row for each distinct hyponym.
        out: The result.
        start, end: Which pairs.
    """
    size = 2 * (end - start)
    pair, of_q, of_p, place = (
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
    )
    is_head = np.zeros(size, dtype=np.bool_)
    count = np.int64(0)  # with 0, functions would be compiled for that constant, too
    for k in range(start, end):
        out[k, 1] = np.inf
        hypernym = p[k]
        for step in range(2):  # a broader phrase is compared with what it ends in, too
            pair[count], of_q[count], of_p[count], place[count] = k, q[k], hypernym, places[k]
            for h in range(head_starts[places[k]], head_starts[places[k] + 1]):
                is_head[count] |= heads[h] == hypernym
            compared = step == 0 and phrases[hypernym] and not is_head[count]
            count += 1
            hypernym = head_rows[hypernym]
            if not compared or hypernym < 0 or hypernym == q[k]:
                break
    hyponym, class_ = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    head_of_q, head_of_p = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for i in range(count):
        hyponym[i], class_[i] = numbers[of_q[i]], numbers[of_p[i]]
        head_of_q[i], head_of_p[i] = head_numbers[of_q[i]], head_numbers[of_p[i]]
    entries = np.empty((7, count), dtype=np.int64)
    _entries(indptr, indices, hyponym, class_, count, entries[0])
    _entries(indptr, indices, head_of_q, class_, count, entries[2])
    _entries(indptr, indices, hyponym, head_of_p, count, entries[3])
    _entries(a_indptr, a_indices, place, class_, count, entries[4])
    _entries(b_indptr, b_indices, place, class_, count, entries[6])
    for i in range(count):
        # nothing is looked for among the hyponyms of a term without any, nor with the nearest what none is stated to be
        hyponym[i] = hyponym[i] if terms[of_q[i], 4] > 0.0 else -1
        place[i] = place[i] if entries[4, i] >= 0 else -1
    _entries(indptr, indices, class_, hyponym, count, entries[1])
    _entries(n_indptr, n_indices, place, class_, count, entries[5])
    cosines = np.empty(count)
    if len(codes):
        _code_cosines(codes, scales, terms, of_q, of_p, count, cosines)
    else:
        _cosines(matrix, terms, of_q, of_p, count, cosines)
    for i in range(count):
        k, x, y = pair[i], of_q[i], of_p[i]
        forth, back, of_head, to_head = entries[0, i], entries[1, i], entries[2, i], entries[3, i]
        analogy = np.float64(a_data[entries[4, i]]) if entries[4, i] >= 0 else 0.0
        nearest = np.float64(n_data[entries[5, i]]) if entries[5, i] >= 0 else 0.0
        inherited = np.float64(b_data[entries[6, i]]) if entries[6, i] >= 0 else 0.0
        both = terms[x, 1] + terms[y, 1]
        unstated = phrases[y] and not is_head[i] and forth < 0 and analogy < constants[1]
        total = weights[0] * (statements[0, forth] if forth >= 0 else 0.0)
        total += weights[1] * (statements[1, forth] if forth >= 0 else 0.0)
        total += weights[2] * (statements[2, forth] if forth >= 0 else 0.0)
        total += weights[3] * (statements[0, back] if back >= 0 else 0.0)
        total += weights[4] * nearest
        total += weights[5] * min(inherited, constants[0])
        total += weights[6] * max(cosines[i], 0.0)
        total += weights[7] * ((terms[y, 1] - terms[x, 1]) / both if both != 0.0 else 0.0)
        total += weights[8] * terms[y, 2]
        total += weights[9] * (1.0 if is_head[i] else 0.0)
        total += weights[10] * (statements[0, of_head] if of_head >= 0 else 0.0)
        total += weights[11] * (statements[0, to_head] if to_head >= 0 else 0.0)
        total += weights[12] * terms[x, 3]
        total += weights[13] * terms[x, 4]
        total += weights[14] * terms[x, 5]
        total += weights[15] * terms[y, 5]
        total += weights[16] * (1.0 if unstated else 0.0)
        total += weights[17] * (statements[3, forth] * (1.0 - terms[x, 6]) if forth >= 0 else 0.0)
        if i > 0 and pair[i - 1] == k:
            out[k, 1] = total
        else:
            silent = forth < 0 and not is_head[i] and analogy <= 0.0
            by_others = inherited > 0.0 or of_head >= 0
            out[k, 0] = total
            out[k, 2] = 1.0 if silent and (phrases[y] or not by_others) else 0.0


@kernel()
def reachable_rows(
    weights,
    constants,
    least,
    q,
    number,
    head_number,
    terms,
    phrases,
    row_of_number,
    of_number,
    indptr,
    indices,
    statements,
    a_indices,
    a_data,
    n_indices,
    n_data,
    b_indices,
    b_data,
):
    """The rows of the hypernyms that something speaks for and whose sum may be `least` or more, in no order.

    What speaks for one are the statements of the term and of its head, A and B: sorted columns, walked through side by
    side. The cosine and the ratio of S are taken as 1; statements the other way round and those of names, which count
    against a pair, as none; and of the head of a broader phrase, as many as of any hypernym of q.

    Args:
        weights, constants: As in `isa_sums`.
        least: The sum that is needed.
        q, number, head_number: The row of the term, its number in the patterns and that of its head, or -1.
        terms, phrases: Columns of terms.
        row_of_number, of_number: Of each term of the patterns: its row, or -1; log(1 + m) and log(1 + f).
        indptr, indices, statements: The statements of the patterns.
        a_indices, …, b_data: A, A₂₀ and B of the term.
    """
    own, own_end = (indptr[number], indptr[number + 1]) if number >= 0 else (indptr[0], indptr[0])
    of_head, head_end = (indptr[head_number], indptr[head_number + 1]) if head_number >= 0 else (indptr[0], indptr[0])
    most_stated = 0.0
    for i in range(own, own_end):
        most_stated = max(most_stated, statements[0, i])
    base = max(weights[6], 0.0) + abs(weights[7])
    base += weights[12] * terms[q, 3] + weights[13] * terms[q, 4] + weights[14] * terms[q, 5]
    to_head = max(weights[11] * most_stated, 0.0)
    rows = np.empty(len(a_indices) + len(b_indices) + own_end - own + head_end - of_head, dtype=np.int64)
    count, a, n, b, width = 0, 0, 0, 0, len(row_of_number)
    while True:
        column = a_indices[a] if a < len(a_indices) else width
        column = min(column, b_indices[b] if b < len(b_indices) else width)
        column = min(column, indices[own] if own < own_end else width)
        column = min(column, indices[of_head] if of_head < head_end else width)
        if column == width:
            return rows[:count]
        total, analogy, is_stated = base, 0.0, False
        if a < len(a_indices) and a_indices[a] == column:
            analogy = np.float64(a_data[a])
            a += 1
        if n < len(n_indices) and n_indices[n] == column:
            total += weights[4] * np.float64(n_data[n])
            n += 1
        if b < len(b_indices) and b_indices[b] == column:
            total += weights[5] * min(np.float64(b_data[b]), constants[0])
            b += 1
        if own < own_end and indices[own] == column:
            is_stated = True
            total += weights[0] * statements[0, own] + weights[1] * statements[1, own] + weights[2] * statements[2, own]
            own += 1
        if of_head < head_end and indices[of_head] == column:
            total += weights[10] * statements[0, of_head]
            of_head += 1
        row = row_of_number[column]
        if row < 0:
            continue
        total += weights[8] * of_number[column, 0] + weights[15] * of_number[column, 1]
        if phrases[row]:
            total += to_head
            total += weights[16] if not is_stated and analogy < constants[1] else 0.0
        if total >= least:
            rows[count] = row
            count += 1
