"""Compiled loops over token ids and sparse rows: arrays in, arrays out. Slow twins: `tests/counts/test_kernels.py`.

A sparse row block is `pointers` (int64, one more than rows), `indices` (uint32, rising inside a row), `counts` and
`edges` (uint8; `edges` is empty where it is not kept), and for each count of 255 in their order, its true value in
`large` and that of its edge in `large_edges` (uint64).
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hyperdive.kernels.decorator import kernel, subkernel

# Windows are fetched this many occurrences ahead: their places in the text are random, so no hardware guesses them.
_AHEAD = 8
LARGE = np.uint8(255)
"""A count of this value or more and its edge are stored as this value, and as they are in the lists of large counts."""


@intrinsic
def _lowest_bit(typing_context, x):
    """The place of the lowest bit set in x ≠ 0."""

    def build(context, builder, signature, args):
        i64, i1 = ir.IntType(64), ir.IntType(1)
        function = builder.module.declare_intrinsic("llvm.cttz", [i64], ir.FunctionType(i64, [i64, i1]))
        return builder.call(function, [args[0], ir.Constant(i1, 1)])

    return types.uint64(types.uint64), build


@intrinsic
def _prefetch(typing_context, array, place):
    """Ask for the cache line of array[place]; never faults, changes nothing but speed."""

    def build(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = cgutils.get_item_pointer(context, builder, signature.args[0], view, [args[1]], wraparound=False)
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        read, keep, data = (ir.Constant(i32, n) for n in (0, 3, 1))
        builder.call(function, [builder.bitcast(pointer, byte), read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), build


# ---- inverting the text -------------------------------------------------------------------------------------


@kernel()
def tally(tokens, start, end, tallies):
    """tallies[w] += occurrences of w in tokens[start:end]; the place of an id too large, or -1."""
    size = len(tallies)
    for p in range(start, end):
        word = tokens[p]
        if word >= size:
            return p
        tallies[word] += 1
    return -1


@kernel()
def invert(tokens, start, end, borders, window, to_left, to_right, cursors, positions, left, right):
    """Positions by word: occurrence p of w goes to positions[cursors[w]++], with its room inside line and window.

    `borders` rise and enclose start and end; `to_left` and `to_right` are 0 for a side that is not counted.
    """
    line = np.searchsorted(borders, start, side="right") - 1
    for p in range(start, end):
        while p >= borders[line + 1]:
            line += 1
        word = tokens[p]
        at = cursors[word]
        cursors[word] = at + 1
        positions[at] = p
        left[at] = min(window, p - borders[line]) * to_left
        right[at] = min(window, borders[line + 1] - 1 - p) * to_right


# ---- counting -----------------------------------------------------------------------------------------------


@kernel()
def count_rows(
    tokens, positions, left, right, starts, first, last, cut, weights, edge, scratch, edge_scratch, bits, summary,
    indices, counts, edges, large, large_edges, lengths,
):  # fmt: skip
    """Rows first..last: walk each word's occurrences, add up its windows in a dense scratch row, emit it sorted.

    n(w,c) = Σ over positions p of w, q ≠ p inside p's window with tokens[q] = c, of weights[|p-q|]; ids from `cut`
    on count as 0. `edge` is the window when the count at exactly that distance is wanted too, else 0. `weights` is
    empty when every distance weighs 1. Scratch rows, bits and summary are zero before and after. Returns the number
    of entries and that of large counts; `indices` has one place more than they need.
    """
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
    m = np.int64(0)
    one = scratch.dtype.type(1)
    end = np.int64(len(tokens))
    weighted = len(weights) > 0
    for row in range(first, last):
        begin = n
        for i in range(starts[row], starts[row + 1]):
            if i + _AHEAD < len(positions):
                ahead = np.int64(positions[i + _AHEAD])
                _prefetch(tokens, max(ahead - 10, 0))
                _prefetch(tokens, min(ahead + 10, end - 1))
            p = np.int64(positions[i])
            low, high = p - np.int64(left[i]), p + np.int64(right[i])
            for part in range(2):
                q_low = np.uint64(low if part == 0 else p + 1)
                q_high = np.uint64(p if part == 0 else high + 1)
                for q in range(q_low, q_high):
                    c = tokens[q]
                    if c >= cut:
                        c = np.uint32(0)
                    before = scratch[c]
                    # a first meeting keeps its place in the list, a later one is overwritten by the next
                    indices[n] = c
                    n += before == 0
                    if weighted:
                        scratch[c] = before + scratch.dtype.type(weights[abs(np.int64(q) - p)])
                    else:
                        scratch[c] = before + one
            if edge > 0:
                if left[i] == edge:
                    c = tokens[np.uint64(low)]
                    edge_scratch[c if c < cut else np.uint32(0)] += one
                if right[i] == edge:
                    c = tokens[np.uint64(high)]
                    edge_scratch[c if c < cut else np.uint32(0)] += one
        _mark(indices, begin, n, bits, summary)
        m = _emit(begin, m, scratch, edge_scratch, edge > 0, bits, summary, indices, counts, edges, large, large_edges)
        lengths[row - first] = n - begin
    return n, m


@kernel()
def count_term_rows(
    tokens, begins, ends, left, right, starts, first, last, cut, weights, edge, scratch, edge_scratch, bits, summary,
    indices, counts, edges, large, large_edges, lengths,
):  # fmt: skip
    """Rows of terms first..last: as `count_rows`, but an occurrence covers tokens begins[i] to ends[i].

    Its contexts are the left[i] tokens before it and the right[i] tokens after it; a token of the term is no context of
    it. A context's distance is that from the nearer end of the occurrence.
    """
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
    m = np.int64(0)
    one = scratch.dtype.type(1)
    end = np.int64(len(tokens))
    weighted = len(weights) > 0
    for row in range(first, last):
        begin = n
        for i in range(starts[row], starts[row + 1]):
            if i + _AHEAD < len(begins):
                ahead = begins[i + _AHEAD]
                _prefetch(tokens, max(ahead - 10, 0))
                _prefetch(tokens, min(ahead + 10, end - 1))
            for part in range(2):
                q_low = begins[i] - np.int64(left[i]) if part == 0 else ends[i]
                q_high = begins[i] if part == 0 else ends[i] + np.int64(right[i])
                for q in range(q_low, q_high):
                    c = tokens[q]
                    if c >= cut:
                        c = np.uint32(0)
                    before = scratch[c]
                    indices[n] = c
                    n += before == 0
                    if weighted:
                        distance = begins[i] - q if part == 0 else q - ends[i] + 1
                        scratch[c] = before + scratch.dtype.type(weights[distance])
                    else:
                        scratch[c] = before + one
            if edge > 0:
                if left[i] == edge:
                    c = tokens[begins[i] - edge]
                    edge_scratch[c if c < cut else np.uint32(0)] += one
                if right[i] == edge:
                    c = tokens[ends[i] + edge - 1]
                    edge_scratch[c if c < cut else np.uint32(0)] += one
        _mark(indices, begin, n, bits, summary)
        m = _emit(begin, m, scratch, edge_scratch, edge > 0, bits, summary, indices, counts, edges, large, large_edges)
        lengths[row - first] = n - begin
    return n, m


@subkernel()
def _mark(indices, begin, end, bits, summary):
    """Set a bit for each id of a list, and one for each word of bits: sorting without comparing."""
    one, low = np.uint64(1), np.uint64(63)
    for i in range(begin, end):
        c = np.uint64(indices[i])
        word = c >> np.uint64(6)
        bits[word] |= one << (c & low)
        summary[word >> np.uint64(6)] |= one << (word & low)


@subkernel()
def _emit(n, m, scratch, edge_scratch, with_edges, bits, summary, indices, counts, edges, large, large_edges):
    """Write the marked ids in rising order with their counts, large ones from place m on, and leave all scratch zero.

    Returns the number of large counts.
    """
    one = np.uint64(1)
    for s in range(len(summary)):
        words = summary[s]
        if words == 0:
            continue
        summary[s] = 0
        while words != 0:
            word = np.uint64(64 * s) + _lowest_bit(words)
            words &= words - one
            ids = bits[word]
            bits[word] = 0
            while ids != 0:
                c = (word << np.uint64(6)) + _lowest_bit(ids)
                ids &= ids - one
                indices[n] = c
                count = scratch[c]
                scratch[c] = 0
                if count < LARGE:
                    counts[n] = count
                    if with_edges:
                        edges[n] = edge_scratch[c]
                else:
                    counts[n] = LARGE
                    large[m] = count
                    if with_edges:
                        edges[n] = LARGE
                        large_edges[m] = edge_scratch[c]
                    m += 1
                if with_edges:
                    edge_scratch[c] = 0
                n += 1
    return m


# ---- adding sparse rows -------------------------------------------------------------------------------------


@kernel()
def add_rows(
    a_pointers, a_indices, a_counts, a_edges, a_large, a_large_edges,
    b_pointers, b_indices, b_counts, b_edges, b_large, b_large_edges,
    pointers, indices, counts, edges, large, large_edges,
):  # fmt: skip
    """The sum of two sparse row blocks with the same rows; returns the number of entries and that of large counts."""
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
    m, a_m, b_m = np.int64(0), np.int64(0), np.int64(0)
    with_edges = len(edges) > 0
    edge = np.uint64(0)
    pointers[0] = 0
    for row in range(len(pointers) - 1):
        i, i_end = a_pointers[row], a_pointers[row + 1]
        j, j_end = b_pointers[row], b_pointers[row + 1]
        while i < i_end or j < j_end:
            take_a = j == j_end or (i < i_end and a_indices[i] <= b_indices[j])
            take_b = i == i_end or (j < j_end and b_indices[j] <= a_indices[i])
            total = np.uint64(0)
            edge = np.uint64(0)
            if take_a:
                indices[n] = a_indices[i]
                if a_counts[i] < LARGE:
                    total += np.uint64(a_counts[i])
                    if with_edges:
                        edge += np.uint64(a_edges[i])
                else:
                    total += a_large[a_m]
                    if with_edges:
                        edge += a_large_edges[a_m]
                    a_m += 1
            if take_b:
                indices[n] = b_indices[j]
                if b_counts[j] < LARGE:
                    total += np.uint64(b_counts[j])
                    if with_edges:
                        edge += np.uint64(b_edges[j])
                else:
                    total += b_large[b_m]
                    if with_edges:
                        edge += b_large_edges[b_m]
                    b_m += 1
            i += take_a
            j += take_b
            if total < LARGE:
                counts[n] = total
                if with_edges:
                    edges[n] = edge
            else:
                counts[n] = LARGE
                large[m] = total
                if with_edges:
                    edges[n] = LARGE
                    large_edges[m] = edge
                m += 1
            n += 1
        pointers[row + 1] = n
    return n, m


@kernel()
def renumber_rows(
    in_pointers, in_indices, in_counts, in_edges, table, scratch, edge_scratch, bits, summary,
    indices, counts, edges, large, large_edges, lengths,
):  # fmt: skip
    """Each row of whole counts (uint64) with table[c] in place of c, sorted again; returns what `add_rows` does."""
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
    m = np.int64(0)
    with_edges = len(edges) > 0
    for row in range(len(in_pointers) - 1):
        begin = n
        for i in range(in_pointers[row], in_pointers[row + 1]):
            c = table[in_indices[i]]
            indices[n] = c
            n += scratch[c] == 0
            scratch[c] += in_counts[i]
            if with_edges:
                edge_scratch[c] += in_edges[i]
        _mark(indices, begin, n, bits, summary)
        m = _emit(
            begin, m, scratch, edge_scratch, with_edges, bits, summary, indices, counts, edges, large, large_edges
        )
        lengths[row] = n - begin
    return n, m


# ---- reading ------------------------------------------------------------------------------------------------


@kernel()
def check_rows(pointers, indices, counts, edges, positions, large, large_edges, size):
    """Whether an index is not below `size` or does not rise inside its row, or a count or an edge cannot be.

    The large counts have the places `positions` in the block. A count is above 0, a large one is large, and an edge is
    no larger than its count.
    """
    m = np.int64(0)
    with_edges = len(edges) > 0
    for row in range(len(pointers) - 1):
        before = np.int64(-1)
        for i in range(pointers[row], pointers[row + 1]):
            c = np.int64(indices[i])
            if c <= before or c >= size or counts[i] == 0:
                return False
            before = c
            if counts[i] == LARGE:
                if m == len(positions) or positions[m] != i or large[m] < LARGE:
                    return False
                if with_edges and large_edges[m] > large[m]:
                    return False
                m += 1
            elif with_edges and edges[i] > counts[i]:
                return False
    return m == len(positions)


@kernel()
def row_sums(pointers, indices, counts, large, cut, known, sums, unknown, columns):
    """sums[row] = Σ counts, unknown[row] the part at id 0 or from `cut` on.

    columns[c] += counts of the first `known` rows, 0 for the unknown.
    """
    m = np.int64(0)
    for row in range(len(pointers) - 1):
        total = np.int64(0)
        rare = np.int64(0)
        for i in range(pointers[row], pointers[row + 1]):
            c = indices[i]
            value = np.int64(counts[i])
            if value == LARGE:
                value = np.int64(large[m])
                m += 1
            total += value
            if c == 0 or c >= cut:
                rare += value
            elif row < known:
                columns[c] += value
        if row < known:
            columns[0] += rare
        sums[row] = total
        unknown[row] = rare


@subkernel()
def _kept(left, value, right, a, b):
    """left·value ≥ right·a·b, or never met inside the narrower window."""
    return value == 0 or left * np.float64(value) >= right * a * b


@kernel()
def view_lengths(
    pointers, indices, counts, edges, large, large_edges,
    first, cut, with_unknown, filtered, near, left, right, a, b, lengths,
):  # fmt: skip
    """How many entries each row has in the view that `view_rows` writes."""
    m = np.int64(0)
    for row in range(len(pointers) - 1):
        n = 0
        rare = np.uint64(0)
        rare_edges = np.uint64(0)
        edge = np.uint64(0)
        x = a[first + row]
        for i in range(pointers[row], pointers[row + 1]):
            c = indices[i]
            value = np.uint64(counts[i])
            if near:
                edge = np.uint64(edges[i])
            if value == LARGE:
                value = large[m]
                if near:
                    edge = large_edges[m]
                m += 1
            if c == 0 or c >= cut:
                rare += value
                rare_edges += edge
            elif filtered:
                n += _kept(left, value - edge, right, x, b[c])
            else:
                n += 1
        if with_unknown and rare > 0:
            n += not filtered or _kept(left, rare - rare_edges, right, x, b[0])
        lengths[row] = n


@kernel()
def view_rows(
    pointers, indices, counts, edges, large, large_edges,
    first, cut, with_unknown, filtered, near, left, right, a, b, places, to_indices, to_counts, to_edges,
):  # fmt: skip
    """Rows over the vocabulary: ids from `cut` on are summed into the unknown symbol 0, or left out with it.

    Without the unknown symbol ids move down by one. Filtered: only pairs with left·n ≥ right·a[x]·b[y] or n = 0,
    where n is the count inside the window, or inside the window less one (`near`: count - edge).
    """
    with_edges = len(to_edges) > 0
    read_edges = near or with_edges
    shift = np.uint32(0 if with_unknown else 1)
    next_large = np.int64(0)
    for row in range(len(pointers) - 1):
        at = places[row]
        x = a[first + row]
        m = next_large
        rare = np.uint64(0)
        rare_edges = np.uint64(0)
        edge = np.uint64(0)
        for i in range(pointers[row], pointers[row + 1]):
            c = indices[i]
            is_large = counts[i] == LARGE
            if c == 0 or c >= cut:
                rare += large[next_large] if is_large else np.uint64(counts[i])
                if read_edges:
                    rare_edges += large_edges[next_large] if is_large else np.uint64(edges[i])
            next_large += is_large
        value = rare - rare_edges if near else rare
        if with_unknown and rare > 0 and (not filtered or _kept(left, value, right, x, b[0])):
            to_indices[at] = 0
            to_counts[at] = rare
            if with_edges:
                to_edges[at] = rare_edges
            at += 1
        for i in range(pointers[row], pointers[row + 1]):
            c = indices[i]
            value = np.uint64(counts[i])
            if read_edges:
                edge = np.uint64(edges[i])
            if value == LARGE:
                value = large[m]
                if read_edges:
                    edge = large_edges[m]
                m += 1
            if c == 0 or c >= cut:
                continue
            if filtered and not _kept(left, value - edge if near else value, right, x, b[c]):
                continue
            to_indices[at] = c - shift
            to_counts[at] = value
            if with_edges:
                to_edges[at] = edge
            at += 1
