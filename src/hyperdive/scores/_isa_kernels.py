"""Compiled loops of the score `isa`: the sums of pairs, and the sparse rows of what neighbours are stated to be.

`hyperdive.scores.isa_score` and `hyperdive.scores.neighbour_statements` have the same in NumPy, to the bit: sums run in
the same order and precision, and logarithms come in tables that NumPy has made.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.compilation.kernel import kernel

_WORD = 64  # bits of a word of a bit map


@njit(nogil=True)
def _entries(indptr, indices, rows, columns, count, out):
    """out[i] is where M[rows[i], columns[i]] is stored, by halving the row; -1 where it is not, or for numbers below 0."""
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


@njit(nogil=True)
def _cosines(matrix, squares, q, p, count, out):
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
        below = np.sqrt(squares[q[i]] * squares[p[i]])
        out[i] = out[i] / below if below != 0.0 else 0.0


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
        numbers, terms, phrases, head_numbers, head_rows, matrix: Columns of terms; `IsaColumns` in
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
    count = 0
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
    hyponym, class_ = numbers[of_q[:count]], numbers[of_p[:count]]
    head_of_q, head_of_p = head_numbers[of_q[:count]], head_numbers[of_p[:count]]
    entries = np.empty((7, count), dtype=np.int64)
    _entries(indptr, indices, hyponym, class_, count, entries[0])
    _entries(indptr, indices, class_, hyponym, count, entries[1])
    _entries(indptr, indices, head_of_q, class_, count, entries[2])
    _entries(indptr, indices, hyponym, head_of_p, count, entries[3])
    _entries(a_indptr, a_indices, place, class_, count, entries[4])
    _entries(n_indptr, n_indices, place, class_, count, entries[5])
    _entries(b_indptr, b_indices, place, class_, count, entries[6])
    cosines = np.empty(count)
    _cosines(matrix, terms[0], of_q, of_p, count, cosines)
    for i in range(count):
        k, x, y = pair[i], of_q[i], of_p[i]
        forth, back, of_head, to_head = entries[0, i], entries[1, i], entries[2, i], entries[3, i]
        analogy = np.float64(a_data[entries[4, i]]) if entries[4, i] >= 0 else 0.0
        nearest = np.float64(n_data[entries[5, i]]) if entries[5, i] >= 0 else 0.0
        inherited = np.float64(b_data[entries[6, i]]) if entries[6, i] >= 0 else 0.0
        both = terms[1, x] + terms[1, y]
        unstated = phrases[y] and not is_head[i] and forth < 0 and analogy < constants[1]
        total = weights[0] * (statements[0, forth] if forth >= 0 else 0.0)
        total += weights[1] * (statements[1, forth] if forth >= 0 else 0.0)
        total += weights[2] * (statements[2, forth] if forth >= 0 else 0.0)
        total += weights[3] * (statements[0, back] if back >= 0 else 0.0)
        total += weights[4] * nearest
        total += weights[5] * min(inherited, constants[0])
        total += weights[6] * max(cosines[i], 0.0)
        total += weights[7] * ((terms[1, y] - terms[1, x]) / both if both != 0.0 else 0.0)
        total += weights[8] * terms[2, y]
        total += weights[9] * (1.0 if is_head[i] else 0.0)
        total += weights[10] * (statements[0, of_head] if of_head >= 0 else 0.0)
        total += weights[11] * (statements[0, to_head] if to_head >= 0 else 0.0)
        total += weights[12] * terms[3, x]
        total += weights[13] * terms[4, x]
        total += weights[14] * terms[5, x]
        total += weights[15] * terms[5, y]
        total += weights[16] * (1.0 if unstated else 0.0)
        if i > 0 and pair[i - 1] == k:
            out[k, 1] = total
        else:
            silent = forth < 0 and not is_head[i] and analogy <= 0.0
            by_others = inherited > 0.0 or of_head >= 0
            out[k, 0] = total
            out[k, 2] = 1.0 if silent and (phrases[y] or not by_others) else 0.0


@njit(nogil=True)
def _ones(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel()
def weighted_rows(weights, rows, pointers, indptr, indices, data, width):
    """The CSR arrays of Σ weights[i]·M[rows[i]], i from pointers[r] to pointers[r + 1], for each r.

    A bit map of the columns of a row puts them in order: a column's place is the number of bits before it.
    """
    most = 0
    for i in range(len(rows)):
        most += indptr[rows[i] + 1] - indptr[rows[i]]
    values, columns = np.zeros(most, dtype=np.float32), np.empty(most, dtype=np.int64)
    ends = np.zeros(len(pointers), dtype=np.int64)
    words = width // _WORD + 1
    bits, before = np.empty(words, dtype=np.uint64), np.empty(words, dtype=np.int64)
    one, count = np.uint64(1), 0
    for r in range(len(pointers) - 1):
        bits[:] = np.uint64(0)
        for i in range(pointers[r], pointers[r + 1]):
            for a in range(indptr[rows[i]], indptr[rows[i] + 1]):
                bits[indices[a] // _WORD] |= one << np.uint64(indices[a] % _WORD)
        for w in range(words):
            before[w] = count
            left = bits[w]
            while left:
                lowest = left & (~left + one)
                columns[count] = w * _WORD + _ones(lowest - one)
                left ^= lowest
                count += 1
        for i in range(pointers[r], pointers[r + 1]):
            for a in range(indptr[rows[i]], indptr[rows[i] + 1]):
                w = indices[a] // _WORD
                lower = (one << np.uint64(indices[a] % _WORD)) - one
                values[before[w] + _ones(bits[w] & lower)] += weights[i] * data[a]
        ends[r + 1] = count
    return values[:count].copy(), columns[:count].copy(), ends


@kernel()
def united_rows(indptr, indices, data, m_indptr, m_indices, m_data, numbers, share):
    """The CSR arrays of A[r] + share·M[numbers[r]], and which entries only the second has; -1 has no row in M."""
    most = len(indices)
    for r in range(len(numbers)):
        if numbers[r] >= 0:
            most += m_indptr[numbers[r] + 1] - m_indptr[numbers[r]]
    values, columns = np.empty(most, dtype=np.float32), np.empty(most, dtype=np.int64)
    own, ends = np.zeros(most, dtype=np.bool_), np.zeros(len(numbers) + 1, dtype=np.int64)
    count = 0
    for r in range(len(numbers)):
        a, a_end = indptr[r], indptr[r + 1]
        b, b_end = 0, 0
        if numbers[r] >= 0:
            b, b_end = m_indptr[numbers[r]], m_indptr[numbers[r] + 1]
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and indices[a] < m_indices[b]):
                columns[count], values[count] = indices[a], data[a]
                a += 1
            elif a == a_end or m_indices[b] < indices[a]:
                columns[count], values[count], own[count] = m_indices[b], share * m_data[b], True
                b += 1
            else:
                columns[count], values[count] = indices[a], data[a] + share * m_data[b]
                a += 1
                b += 1
            count += 1
        ends[r + 1] = count
    return values[:count].copy(), columns[:count].copy(), ends, own[:count].copy()
