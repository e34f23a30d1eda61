"""Compiled loops of the score `isa`: the sums of pairs, and the sparse rows of what neighbours are stated to be.

`hyperdive.scores.isa_score` and `hyperdive.scores.neighbour_statements` have the same in NumPy, to the bit: sums run in
the same order and precision, and logarithms come in tables that NumPy has made.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.compilation.kernel import kernel

_WORD = 64  # bits of a word of a bit map
_PART = 64  # values of which only the largest is looked at first
_ROUNDING = 1e-5  # of a cosine in 32 bits


@njit(nogil=True)
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


@njit(nogil=True)
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


@njit(nogil=True)
def _code_cosines(codes, scales, terms, q, p, count, out):
    """`_cosines` of rows in 8 bits: whole numbers add up exactly, in any order, as the products of the rows do."""
    width = codes.shape[1]
    for i in range(count):
        x, y, dot = q[i], p[i], np.int32(0)
        for t in range(width):
            dot = _added(dot, codes[x, t], codes[y, t])
        below = np.sqrt(terms[x, 0] * terms[y, 0])
        out[i] = (scales[x] * scales[y]) * np.float64(dot) / below if below != 0.0 else 0.0


@njit(nogil=True)
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


@njit(nogil=True)
def _ones(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(nogil=True)
def _weighted_sum(weights, rows, indptr, indices, data, width):
    """The columns and values of Σ weights[i]·M[rows[i]], added in that order.

    A bit map of the columns puts them in order: a column's place is the number of bits before it.
    """
    words = width // _WORD + 1
    bits, before = np.zeros(words, dtype=np.uint64), np.empty(words, dtype=np.int64)
    one, count = np.uint64(1), 0
    for i in range(len(rows)):
        for a in range(indptr[rows[i]], indptr[rows[i] + 1]):
            bits[indices[a] // _WORD] |= one << np.uint64(indices[a] % _WORD)
    for w in range(words):
        before[w] = count
        count += _ones(bits[w]) if bits[w] else 0
    columns, values = np.empty(count, dtype=np.int64), np.zeros(count, dtype=np.float32)
    for w in range(words):
        left, at = bits[w], before[w]
        while left:
            lowest = left & (~left + one)
            columns[at] = w * _WORD + _ones(lowest - one)
            left ^= lowest
            at += 1
    for i in range(len(rows)):
        for a in range(indptr[rows[i]], indptr[rows[i] + 1]):
            w = indices[a] // _WORD
            lower = (one << np.uint64(indices[a] % _WORD)) - one
            values[before[w] + _ones(bits[w] & lower)] += weights[i] * data[a]
    return columns, values


@njit(nogil=True)
def _with_own(columns, values, indices, data, share):
    """The columns and values of a + share·b, two sparse rows."""
    most = len(columns) + len(indices)
    all_columns, sums = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.float32)
    count, a, b = 0, 0, 0
    while a < len(columns) or b < len(indices):
        if b == len(indices) or (a < len(columns) and columns[a] < indices[b]):
            all_columns[count], sums[count] = columns[a], values[a]
            a += 1
        elif a == len(columns) or indices[b] < columns[a]:
            all_columns[count], sums[count] = indices[b], share * data[b]
            b += 1
        else:
            all_columns[count], sums[count] = columns[a], values[a] + share * data[b]
            a += 1
            b += 1
        count += 1
    return all_columns[:count], sums[:count]


@njit(nogil=True)
def _largest(values, most):
    """The places of the largest values, in their order; none where it is not clear which those are.

    A buffer takes what is no smaller than the last of the largest so far, and is thinned out when it is full.
    """
    room = 8 * most
    places, kept = np.empty(room, dtype=np.int64), np.empty(room, dtype=values.dtype)
    count, limit = 0, -np.inf
    for i in range(len(values) + 1):
        last = i == len(values)
        if not last and values[i] >= limit:
            places[count], kept[count] = i, values[i]
            count += 1
        if (last and count > most) or count == room:
            limit = np.sort(kept[:count])[count - most]
            left = 0
            for k in range(count):
                if kept[k] >= limit:
                    places[left], kept[left] = places[k], kept[k]
                    left += 1
            count = left
            if count == room or (last and count > most):
                return places[:0]
    return places[:count]


@njit(nogil=True)
def _coded(vector):
    """A vector in whole numbers of 16 bits, what one of them is worth, and the length of what is lost.

    Products with codes of 8 bits add up to less than 2³¹.
    """
    largest, square, bits = 0.0, 0.0, 14
    for t in range(len(vector)):
        largest = max(largest, np.abs(np.float64(vector[t])))
    while len(vector) > 1 << (23 - bits):
        bits -= 1
    worth = largest / (1 << bits) if largest > 0.0 else 1.0
    code = np.empty(len(vector), dtype=np.int16)
    for t in range(len(vector)):
        code[t] = np.int16(np.rint(vector[t] / worth))
        square += (vector[t] - code[t] * worth) ** 2
    return code, worth, np.sqrt(square)


@njit(nogil=True)
def _code_products(codes, code, scales):
    """scales[i]·(codes[i]·code), four at a time."""
    count, width = codes.shape
    out = np.empty(count, dtype=np.float32)
    for first in range(0, count, 4):
        i, j, k = min(first + 1, count - 1), min(first + 2, count - 1), min(first + 3, count - 1)
        dot0, dot1, dot2, dot3 = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
        for t in range(width):
            dot0 = _added(dot0, codes[first, t], code[t])
            dot1 = _added(dot1, codes[i, t], code[t])
            dot2 = _added(dot2, codes[j, t], code[t])
            dot3 = _added(dot3, codes[k, t], code[t])
        out[first], out[i] = scales[first] * np.float32(dot0), scales[i] * np.float32(dot1)
        out[j], out[k] = scales[j] * np.float32(dot2), scales[k] * np.float32(dot3)
    return out


@njit(nogil=True)
def _nearly_largest(values, most, margin):
    """The places, in their order, of the largest values and of those that are less by no more than a margin.

    The largest of each part of the values give a limit that few others reach.
    """
    parts = -(-len(values) // _PART)
    tops = np.empty(parts, dtype=np.float32)
    for part in range(parts):
        top = values[part * _PART]
        for i in range(part * _PART, min((part + 1) * _PART, len(values))):
            top = values[i] if values[i] > top else top
        tops[part] = top
    limit = np.float32(-np.inf)
    if parts > most:
        limit = np.sort(tops)[parts - most] - margin
    places, count = np.empty(len(values), dtype=np.int64), 0
    for part in range(parts):
        if tops[part] < limit:
            continue
        for i in range(part * _PART, min((part + 1) * _PART, len(values))):
            places[count] = i
            count += values[i] >= limit
    places = places[:count]
    least = np.sort(values[places])[count - most] - margin
    return places[values[places] >= least]


@njit(nogil=True)
def _neighbours(vector, own, most, vectors, codes, scales, loss):
    """The places and cosines of the nearest vectors, in the order of their places; the own one has a cosine of 0.

    Codes tell which vectors can be among the nearest at all; of equal ones the first places are taken.
    """
    if most == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    code, worth, own_loss = _coded(vector)
    roughly = _code_products(codes, code, scales)
    if own >= 0:
        roughly[own] = 0.0
    # |q·x − q'·x'| ≤ |x − x'| + |q − q'|·|x'|, of which two may differ the other way, and some for rounding
    margin = 2.0 * (loss + own_loss * (1.0 + loss) + _ROUNDING) / worth
    places = _nearly_largest(roughly, most, np.float32(margin))
    cosines = np.empty(len(places), dtype=np.float32)
    for i in range(len(places)):
        dot = 0.0
        for t in range(len(vector)):
            dot += np.float64(vector[t]) * np.float64(vectors[places[i], t])
        cosines[i] = np.float32(dot) if places[i] != own else np.float32(0)
    chosen = np.sort(np.argsort(-cosines, kind="mergesort")[:most])
    return places[chosen], cosines[chosen]


@njit(nogil=True)
def _pairwise(values):
    """The sum as NumPy adds up to 128 numbers: eight sums, and what is left at the end."""
    count, total, rest = len(values), 0.0, 0
    if count >= 8:
        rest = count - count % 8
        parts = values[:8].copy()
        for i in range(8, rest):
            parts[i % 8] += values[i]
        total = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    for i in range(rest, count):
        total += values[i]
    return total


@njit(nogil=True)
def _shares(likeness, trust):
    """cos²·trust of each, divided by their sum."""
    weights = np.empty(len(likeness))
    for i in range(len(likeness)):
        weights[i] = np.float64(likeness[i] * likeness[i]) * trust[i]
    total = max(_pairwise(weights), 1e-9)
    shares = np.empty(len(likeness), dtype=np.float32)
    for i in range(len(likeness)):
        shares[i] = np.float32(weights[i] / total)
    return shares


@kernel()
def analogy_row(
    vector,
    own,
    number,
    sizes,
    own_share,
    vectors,
    codes,
    scales,
    loss,
    numbers,
    trust,
    indptr,
    indices,
    ppmi,
    p_indptr,
    p_indices,
    passed_on,
    shrunk,
):
    """A, A₂₀ and B of one term, each as columns and values; False first where parents are not clear.

    Args:
        vector: Of the term, of length one.
        own: Its place among the possible neighbours, or -1.
        number: Its number in the patterns, or -1.
        sizes: How many neighbours, nearest neighbours and parents there are.
        own_share: The weight of the term's own PPMI.
        vectors, codes, scales, numbers, trust: Of every possible neighbour; a vector is about a scale times a code.
        loss: The length of what is between the two, at most.
        indptr, indices, ppmi: The PPMI of the patterns.
        p_indptr, p_indices, passed_on: n(h, p)/n(h, ·).
        shrunk: How much every term of the patterns counts as a parent.
    """
    width = len(indptr) - 1
    clear = True
    chosen, cosines = _neighbours(vector, own, min(sizes[0], len(numbers)), vectors, codes, scales, loss)
    likeness = np.maximum(cosines, np.float32(0))
    columns, values = _weighted_sum(_shares(likeness, trust[chosen]), numbers[chosen], indptr, indices, ppmi, width)
    nearest = np.argsort(-likeness, kind="mergesort")[: sizes[1]]
    near_columns, near_values = _weighted_sum(
        _shares(likeness[nearest], trust[chosen[nearest]]), numbers[chosen[nearest]], indptr, indices, ppmi, width
    )
    first, last = (indptr[number], indptr[number + 1]) if number >= 0 else (indptr[0], indptr[0])
    classes, likely = _with_own(columns, values, indices[first:last], ppmi[first:last], own_share)
    if len(likely) > sizes[2]:
        parents = _largest(likely, sizes[2])
        clear = len(parents) == sizes[2]
        classes, likely = classes[parents], likely[parents]
    weights = np.empty(len(likely), dtype=np.float32)
    if len(likely):
        # as `reduceat` adds, whose last part has a 0 at its end
        rest = np.zeros(len(likely))
        rest[:-1] = likely[1:]
        total = max(np.float64(likely[0]) + _pairwise(rest), 1e-9)
        for i in range(len(likely)):
            weights[i] = np.float32(np.float64(likely[i] * shrunk[classes[i]]) / total)
    above, inherited = _weighted_sum(weights, classes, p_indptr, p_indices, passed_on, width)
    for i in range(len(inherited)):
        inherited[i] = np.sqrt(inherited[i])
    return clear, columns, values, near_columns, near_values, above, inherited
