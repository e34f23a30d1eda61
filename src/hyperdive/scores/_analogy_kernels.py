"""Compiled loops of what neighbours are stated to be: the sparse rows A, A₂₀ and B of terms.

`hyperdive.scores.neighbour_statements` has the same in NumPy, to the bit: sums run in the same order and precision.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel
from hyperdive.scores._nearest_kernels import _gathered, _limit, _neighbours


@subkernel()
def _ones(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@subkernel()
def _bit_maps(width):
    """An empty map of so many columns: a bit for each, a bit for each word of these, and the places before a word."""
    words = width // 64 + 1
    return np.zeros(words, dtype=np.uint64), np.zeros(words // 64 + 1, dtype=np.uint64), np.empty(words, dtype=np.int64)


@subkernel()
def _weighted_sum(weights, rows, indptr, indices, data, maps):
    """The columns and values of Σ weights[i]·M[rows[i]], added in that order.

    A bit map of the columns puts them in order: a column's place is the number of bits before it. Another map says
    which words of it have bits at all. Both are empty again afterwards.
    """
    bits, filled, before = maps
    one, six, last = np.uint64(1), np.uint64(6), np.uint64(63)
    most, count = 0, 0
    for i in range(len(rows)):
        for a in range(indptr[rows[i]], indptr[rows[i] + 1]):
            column = np.uint64(indices[a])
            word = column >> six
            bits[word] |= one << (column & last)
            filled[word >> six] |= one << (word & last)
            most += 1
    columns = np.empty(most, dtype=np.int64)
    for f in range(len(filled)):
        words = filled[f]
        while words:
            word = np.uint64(f) << six | np.uint64(_ones((words & (~words + one)) - one))
            words &= words - one
            left = bits[word]
            before[word] = count
            while left:
                columns[count] = word << six | np.uint64(_ones((left & (~left + one)) - one))
                left &= left - one
                count += 1
    columns, values = columns[:count], np.zeros(count, dtype=np.float32)
    for i in range(len(rows)):
        for a in range(indptr[rows[i]], indptr[rows[i] + 1]):
            column = np.uint64(indices[a])
            word = column >> six
            lower = (one << (column & last)) - one
            values[np.uint64(before[word] + _ones(bits[word] & lower))] += weights[i] * data[a]
    for i in range(count):
        word = np.uint64(columns[i]) >> six
        bits[word] = 0
        filled[word >> six] = 0
    return columns, values


@subkernel()
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


@subkernel()
def _descending(values, most):
    """The places of so many of the largest values, the largest first; of equal ones the first places."""
    places, count = np.empty(min(most, len(values)), dtype=np.int64), 0
    for i in range(len(values)):
        if count < len(places):
            count += 1
        elif not values[i] > values[places[-1]]:
            continue
        place = count - 1
        while place > 0 and values[places[place - 1]] < values[i]:
            places[place] = places[place - 1]
            place -= 1
        places[place] = i
    return places


@subkernel()
def _largest(values, most):
    """The places of so many of the largest values, in their order; none where it is not clear which those are."""
    limit = _limit(values, most)
    places, count = np.empty(most, dtype=np.int64), 0
    for i in range(len(values)):
        if values[i] >= limit:
            if count == most:
                return places[:0]
            places[count] = i
            count += 1
    return places


@subkernel()
def _pairwise(values):
    """The sum as NumPy adds up to 128 numbers: eight sums, and what is left at the end."""
    count, total, rest = len(values), 0.0, 0
    if count >= 8:
        rest = count - count % 8
        parts = np.zeros(8)
        for i in range(rest):
            parts[i % 8] += values[i]
        total = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    for i in range(rest, count):
        total += values[i]
    return total


@subkernel()
def _shares(likeness, trust, places):
    """cos²·trust of each of the neighbours at these places, divided by their sum."""
    weights = np.empty(len(likeness))
    for i in range(len(likeness)):
        weights[i] = np.float64(likeness[i] * likeness[i]) * trust[places[i]]
    total = max(_pairwise(weights), 1e-9)
    shares = np.empty(len(likeness), dtype=np.float32)
    for i in range(len(likeness)):
        shares[i] = np.float32(weights[i] / total)
    return shares


@subkernel()
def _likeness(cosines):
    """The positive parts of cosines."""
    likeness = np.empty(len(cosines), dtype=np.float32)
    for i in range(len(cosines)):
        likeness[i] = cosines[i] if cosines[i] > 0 else np.float32(0)
    return likeness


@subkernel()
def _parent_weights(parents, likely, shrunk):
    """How much each parent counts, given how likely the parents are and how far each is shrunk."""
    weights = np.empty(len(likely), dtype=np.float32)
    if len(likely):
        # as `reduceat` adds, whose last part has a 0 at its end
        rest = np.zeros(len(likely))
        for i in range(1, len(likely)):
            rest[i - 1] = likely[i]
        total = max(np.float64(likely[0]) + _pairwise(rest), 1e-9)
        for i in range(len(likely)):
            weights[i] = np.float32(np.float64(likely[i] * shrunk[parents[i]]) / total)
    return weights


@subkernel()
def _inherited(parents, likely, p_indptr, p_indices, passed_on, shrunk, maps):
    """The columns and values of B, given the parents and how likely they are; the other arguments as `analogy_rows`."""
    weights = _parent_weights(parents, likely, shrunk)
    columns, values = _weighted_sum(weights, parents, p_indptr, p_indices, passed_on, maps)
    for i in range(len(values)):
        values[i] = np.sqrt(values[i])
    return columns, values


@kernel()
def inherited_row(parents, likely, p_indptr, p_indices, passed_on, shrunk):
    """B of one term with these parents, as columns and values."""
    return _inherited(parents, likely, p_indptr, p_indices, passed_on, shrunk, _bit_maps(len(p_indptr) - 1))


@subkernel()
def _analogies(
    chosen,
    cosines,
    number,
    sizes,
    own_share,
    numbers,
    trust,
    indptr,
    indices,
    ppmi,
    p_indptr,
    p_indices,
    passed_on,
    shrunk,
    maps,
):
    """A, A₂₀ and B of a term with these neighbours, each as columns and values; False first where parents are unclear.

    The arguments are those of `analogy_rows`, and bit maps.
    """
    clear, likeness = True, _likeness(cosines)
    columns, values = _weighted_sum(
        _shares(likeness, trust, chosen), _gathered(numbers, chosen), indptr, indices, ppmi, maps
    )
    first_ones = _descending(likeness, sizes[1])
    nearest = _gathered(chosen, first_ones)
    near_columns, near_values = _weighted_sum(
        _shares(_gathered(likeness, first_ones), trust, nearest),
        _gathered(numbers, nearest),
        indptr,
        indices,
        ppmi,
        maps,
    )
    first, last = (indptr[number], indptr[number + 1]) if number >= 0 else (indptr[0], indptr[0])
    classes, likely = _with_own(columns, values, indices[first:last], ppmi[first:last], own_share)
    if len(likely) > sizes[2]:
        parents = _largest(likely, sizes[2])
        clear = len(parents) == sizes[2]
        classes, likely = _gathered(classes, parents), _gathered(likely, parents)
    above, inherited = _inherited(classes, likely, p_indptr, p_indices, passed_on, shrunk, maps)
    return clear, columns, values, near_columns, near_values, above, inherited


@kernel()
def analogy_row(
    vector,
    own,
    number,
    vectors,
    codes,
    scales,
    loss,
    sizes,
    own_share,
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
        vectors, codes, scales: Of every possible neighbour; a vector is about a scale times a code.
        loss: The length of what is between the two, at most.
        sizes, …, shrunk: As in `analogy_rows`.
    """
    chosen, cosines = _neighbours(vector, own, min(sizes[0], len(numbers)), vectors, codes, scales, loss)
    return _analogies(
        chosen,
        cosines,
        number,
        sizes,
        own_share,
        numbers,
        trust,
        indptr,
        indices,
        ppmi,
        p_indptr,
        p_indices,
        passed_on,
        shrunk,
        _bit_maps(len(indptr) - 1),
    )


@subkernel()
def _appended(columns, values, count, more_columns, more_values):
    """The two arrays, of which so many places are filled, with more at their end; larger ones where these are full."""
    total = count + len(more_columns)
    if total > len(columns):
        wider_columns, wider_values = np.empty(2 * total, dtype=np.int64), np.empty(2 * total, dtype=np.float32)
        for i in range(count):
            wider_columns[i], wider_values[i] = columns[i], values[i]
        columns, values = wider_columns, wider_values
    for i in range(len(more_columns)):
        columns[count + i], values[count + i] = more_columns[i], more_values[i]
    return columns, values


@kernel()
def analogy_rows(
    chosen,
    cosines,
    asked,
    sizes,
    own_share,
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
    """A, A₂₀ and B of many terms, each as pointers, columns and values; first, where parents are clear.

    Args:
        chosen, cosines: The places of each term's neighbours, and their cosines.
        asked: The number of each term in the patterns, or -1.
        sizes: How many neighbours, nearest neighbours and parents there are.
        own_share: The weight of a term's own PPMI.
        numbers, trust: Of every possible neighbour: its number in the patterns, and how much it counts.
        indptr, indices, ppmi: The PPMI of the patterns.
        p_indptr, p_indices, passed_on: n(h, p)/n(h, ·).
        shrunk: How much every term of the patterns counts as a parent.
    """
    maps = _bit_maps(len(indptr) - 1)
    clear = np.empty(len(asked), dtype=np.bool_)
    starts = np.zeros((3, len(asked) + 1), dtype=np.int64)
    a_columns, a_values = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    n_columns, n_values = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    b_columns, b_values = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    for row in range(len(asked)):
        clear[row], columns_a, values_a, columns_n, values_n, columns_b, values_b = _analogies(
            chosen[row],
            cosines[row],
            asked[row],
            sizes,
            own_share,
            numbers,
            trust,
            indptr,
            indices,
            ppmi,
            p_indptr,
            p_indices,
            passed_on,
            shrunk,
            maps,
        )
        a_columns, a_values = _appended(a_columns, a_values, starts[0, row], columns_a, values_a)
        n_columns, n_values = _appended(n_columns, n_values, starts[1, row], columns_n, values_n)
        b_columns, b_values = _appended(b_columns, b_values, starts[2, row], columns_b, values_b)
        starts[0, row + 1] = starts[0, row] + len(columns_a)
        starts[1, row + 1] = starts[1, row] + len(columns_n)
        starts[2, row + 1] = starts[2, row] + len(columns_b)
    a, n, b = starts[0, -1], starts[1, -1], starts[2, -1]
    return (
        clear,
        starts,
        a_columns[:a].copy(),
        a_values[:a].copy(),
        n_columns[:n].copy(),
        n_values[:n].copy(),
        b_columns[:b].copy(),
        b_values[:b].copy(),
    )


@subkernel()
def _add_row(weight, row, indptr, indices, data, sums, seen, columns, count):
    """Add weight·M[row] to the sums of all columns, and the columns not seen before to the first `count`; their count.

    Without a branch, for no processor can tell which columns have been seen.
    """
    for a in range(indptr[row], indptr[row + 1]):
        column = indices[a]
        sums[column] += weight * data[a]
        columns[count] = column
        count += np.int64(1) - np.int64(seen[column])
        seen[column] = 1
    return count


@subkernel()
def _add_columns(weights, rows, indptr, indices, data, columns, out):
    """Add Σ weights[i]·M[rows[i]], in that order, in a few columns, which rise, to `out`."""
    for i in range(len(rows)):
        first, end = np.int64(indptr[rows[i]]), np.int64(indptr[rows[i] + 1])
        for c in range(len(columns)):
            # where the column is, or the next one; the columns after it are behind that
            left = end - first
            if left == 0:
                break
            while left > 1:
                half = left // 2
                first += half if indices[first + half - 1] < columns[c] else 0
                left -= half
            if indices[first] == columns[c]:
                out[c] += weights[i] * data[first]


@subkernel()
def _ascending(columns, values):
    """Sort a few columns, and their values with them."""
    for i in range(1, len(columns)):
        column, value, place = columns[i], values[i], i
        while place > 0 and columns[place - 1] > column:
            columns[place], values[place] = columns[place - 1], values[place - 1]
            place -= 1
        columns[place], values[place] = column, value


@kernel()
def asked_analogies(
    chosen,
    cosines,
    asked,
    starts,
    asked_columns,
    sizes,
    own_share,
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
    """A, A₂₀ and B of many terms in the asked columns alone, one row each; first, where parents are clear.

    Args:
        chosen, cosines, asked: As in `analogy_rows`.
        starts, asked_columns: Where the asked columns of each term are, and these columns, which rise in each term.
        sizes, …, shrunk: As in `analogy_rows`.
    """
    width = len(indptr) - 1
    sums, seen = np.zeros(width, dtype=np.float32), np.zeros(width, dtype=np.uint8)
    columns, clear = np.empty(width + 1, dtype=np.int64), np.ones(len(asked), dtype=np.bool_)
    out = np.zeros((3, len(asked_columns)), dtype=np.float32)
    for row in range(len(asked)):
        here = slice(starts[row], starts[row + 1])
        likeness = _likeness(cosines[row])
        shares = _shares(likeness, trust, chosen[row])
        count = np.int64(0)  # with 0, functions would be compiled for that constant, too
        for i in range(len(shares)):
            number = numbers[chosen[row, i]]
            count = _add_row(shares[i], number, indptr, indices, ppmi, sums, seen, columns, count)
        for c in range(starts[row], starts[row + 1]):
            out[0, c] = sums[asked_columns[c]]
        first_ones = _descending(likeness, sizes[1])
        nearest = _gathered(chosen[row], first_ones)
        shares = _shares(_gathered(likeness, first_ones), trust, nearest)
        _add_columns(shares, _gathered(numbers, nearest), indptr, indices, ppmi, asked_columns[here], out[1, here])
        if asked[row] >= 0:
            count = _add_row(own_share, asked[row], indptr, indices, ppmi, sums, seen, columns, count)
        classes, likely = columns[:count], _gathered(sums, columns[:count])
        for i in range(count):
            sums[columns[i]], seen[columns[i]] = 0.0, 0
        if count > sizes[2]:
            parents = _largest(likely, sizes[2])
            clear[row] = len(parents) == sizes[2]
            classes, likely = _gathered(classes, parents), _gathered(likely, parents)
        _ascending(classes, likely)
        weights = _parent_weights(classes, likely, shrunk)
        _add_columns(weights, classes, p_indptr, p_indices, passed_on, asked_columns[here], out[2, here])
        for c in range(starts[row], starts[row + 1]):
            out[2, c] = np.sqrt(out[2, c])
    return clear, out
