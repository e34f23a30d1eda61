"""Compiled loops over token ids and sparse rows: arrays in, arrays out. Slow twins: `tests/counts/test_kernels.py`.

A sparse row block is `pointers` (int64, one more than rows), `indices` (uint32, rising inside a row), `counts` and
`edges` (one unsigned type of 8 to 64 bits; `edges` is empty when it is not wanted).
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
    indices, counts, edges, lengths,
):  # fmt: skip
    """Rows first..last: walk each word's occurrences, add up its windows in a dense scratch row, emit it sorted.

    n(w,c) = Σ over positions p of w, q ≠ p inside p's window with tokens[q] = c, of weights[|p-q|]; ids from `cut`
    on count as 0. `edge` is the window when the count at exactly that distance is wanted too, else 0. `weights` is
    empty when every distance weighs 1. Scratch rows, bits and summary are zero before and after. Returns the number
    of entries; `indices` has one place more than they need.
    """
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
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
        _emit(begin, scratch, edge_scratch, edge > 0, bits, summary, indices, counts, edges)
        lengths[row - first] = n - begin
    return n


@kernel()
def count_term_rows(
    tokens, begins, ends, left, right, starts, first, last, cut, weights, edge, scratch, edge_scratch, bits, summary,
    indices, counts, edges, lengths,
):  # fmt: skip
    """Rows of terms first..last: as `count_rows`, but an occurrence covers tokens begins[i] to ends[i].

    Its contexts are the left[i] tokens before it and the right[i] tokens after it; a token of the term is no context of
    it. A context's distance is that from the nearer end of the occurrence.
    """
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
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
        _emit(begin, scratch, edge_scratch, edge > 0, bits, summary, indices, counts, edges)
        lengths[row - first] = n - begin
    return n


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
def _emit(n, scratch, edge_scratch, with_edges, bits, summary, indices, counts, edges):
    """Write the marked ids in rising order with their counts from place n on, and leave all scratch zero."""
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
                counts[n] = scratch[c]
                scratch[c] = 0
                if with_edges:
                    edges[n] = edge_scratch[c]
                    edge_scratch[c] = 0
                n += 1
    return n


# ---- adding sparse rows -------------------------------------------------------------------------------------


@kernel()
def add_rows(
    a_pointers, a_indices, a_counts, a_edges, b_pointers, b_indices, b_counts, b_edges, pointers, indices, counts, edges
):
    """The sum of two sparse row blocks with the same rows; returns the number of entries."""
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
    with_edges = len(edges) > 0
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
                total += np.uint64(a_counts[i])
                if with_edges:
                    edge += np.uint64(a_edges[i])
            if take_b:
                indices[n] = b_indices[j]
                total += np.uint64(b_counts[j])
                if with_edges:
                    edge += np.uint64(b_edges[j])
            i += take_a
            j += take_b
            counts[n] = total
            if with_edges:
                edges[n] = edge
            n += 1
        pointers[row + 1] = n
    return n


@kernel()
def gather_rows(pointers, indices, counts, edges, rows, places, to_indices, to_counts, to_edges):
    """Copy row rows[k] of a block to places[k] of other arrays."""
    with_edges = len(to_edges) > 0
    for k in range(len(rows)):
        at = places[k]
        for i in range(pointers[rows[k]], pointers[rows[k] + 1]):
            to_indices[at] = indices[i]
            to_counts[at] = counts[i]
            if with_edges:
                to_edges[at] = edges[i]
            at += 1


@kernel()
def renumber_rows(
    in_pointers, in_indices, in_counts, in_edges, table, scratch, edge_scratch, bits, summary,
    indices, counts, edges, lengths,
):  # fmt: skip
    """Each row with table[c] in place of c, sorted again; returns the number of entries."""
    n = np.int64(0)  # with 0, functions would be compiled for that constant, too
    with_edges = len(edges) > 0
    for row in range(len(in_pointers) - 1):
        begin = n
        for i in range(in_pointers[row], in_pointers[row + 1]):
            c = table[in_indices[i]]
            indices[n] = c
            n += scratch[c] == 0
            scratch[c] += scratch.dtype.type(in_counts[i])
            if with_edges:
                edge_scratch[c] += scratch.dtype.type(in_edges[i])
        _mark(indices, begin, n, bits, summary)
        _emit(begin, scratch, edge_scratch, with_edges, bits, summary, indices, counts, edges)
        lengths[row] = n - begin
    return n


@kernel()
def join_rows(pointers, indices, counts, edges, rows, table, cut, scratch, edge_scratch):
    """scratch[table[c]] += counts of all these rows, ids from `cut` on as 0: the row of the unknown symbol."""
    with_edges = len(edges) > 0
    for k in range(len(rows)):
        for i in range(pointers[rows[k]], pointers[rows[k] + 1]):
            c = table[indices[i]]
            if c >= cut:
                c = np.uint32(0)
            scratch[c] += scratch.dtype.type(counts[i])
            if with_edges:
                edge_scratch[c] += scratch.dtype.type(edges[i])


# ---- reading ------------------------------------------------------------------------------------------------


@kernel()
def check_rows(pointers, indices, counts, size):
    """Σ counts, or -1 when an index is out of place: not below `size` or not rising inside its row."""
    total = np.int64(0)
    for row in range(len(pointers) - 1):
        before = np.int64(-1)
        for i in range(pointers[row], pointers[row + 1]):
            c = np.int64(indices[i])
            if c <= before or c >= size:
                return np.int64(-1)
            before = c
            total += np.int64(counts[i])
    return total


@kernel()
def row_sums(pointers, indices, counts, cut, sums, unknown, columns):
    """sums[row] = Σ counts, unknown[row] the part at id 0 or from `cut` on; columns[c] += counts, 0 for the unknown."""
    for row in range(len(pointers) - 1):
        total = np.int64(0)
        rare = np.int64(0)
        for i in range(pointers[row], pointers[row + 1]):
            c = indices[i]
            value = np.int64(counts[i])
            total += value
            if c == 0 or c >= cut:
                rare += value
            else:
                columns[c] += value
        columns[0] += rare
        sums[row] = total
        unknown[row] = rare


@subkernel()
def _kept(left, value, right, a, b):
    """left·value ≥ right·a·b, or never met inside the narrower window."""
    return value == 0 or left * np.float64(value) >= right * a * b


@kernel()
def view_lengths(
    pointers, indices, counts, edges, first, cut, with_unknown, filtered, near, left, right, a, b, lengths
):  # fmt: skip
    """How many entries each row has in the view that `view_rows` writes."""
    for row in range(len(pointers) - 1):
        n = 0
        rare = np.uint64(0)
        rare_edges = np.uint64(0)
        x = a[first + row]
        for i in range(pointers[row], pointers[row + 1]):
            c = indices[i]
            if c == 0 or c >= cut:
                rare += np.uint64(counts[i])
                if near:
                    rare_edges += np.uint64(edges[i])
                continue
            if filtered:
                value = np.uint64(counts[i]) - np.uint64(edges[i]) if near else np.uint64(counts[i])
                n += _kept(left, value, right, x, b[c])
            else:
                n += 1
        if with_unknown and rare > 0:
            n += not filtered or _kept(left, rare - rare_edges, right, x, b[0])
        lengths[row] = n


@kernel()
def view_rows(
    pointers, indices, counts, edges, first, cut, with_unknown, filtered, near, left, right, a, b,
    places, to_indices, to_counts, to_edges,
):  # fmt: skip
    """Rows over the vocabulary: ids from `cut` on are summed into the unknown symbol 0, or left out with it.

    Without the unknown symbol ids move down by one. Filtered: only pairs with left·n ≥ right·a[x]·b[y] or n = 0,
    where n is the count inside the window, or inside the window less one (`near`: count - edge).
    """
    with_edges = len(to_edges) > 0
    shift = np.uint32(0 if with_unknown else 1)
    for row in range(len(pointers) - 1):
        at = places[row]
        x = a[first + row]
        begin, end = pointers[row], pointers[row + 1]
        if with_unknown:
            rare = np.uint64(0)
            rare_edges = np.uint64(0)
            for i in range(begin, end):
                c = indices[i]
                if c == 0 or c >= cut:
                    rare += np.uint64(counts[i])
                    if near or with_edges:
                        rare_edges += np.uint64(edges[i])
            value = rare - rare_edges if near else rare
            if rare > 0 and (not filtered or _kept(left, value, right, x, b[0])):
                to_indices[at] = 0
                to_counts[at] = rare
                if with_edges:
                    to_edges[at] = rare_edges
                at += 1
        for i in range(begin, end):
            c = indices[i]
            if c == 0 or c >= cut:
                continue
            if filtered:
                value = np.uint64(counts[i]) - np.uint64(edges[i]) if near else np.uint64(counts[i])
                if not _kept(left, value, right, x, b[c]):
                    continue
            to_indices[at] = c - shift
            to_counts[at] = counts[i]
            if with_edges:
                to_edges[at] = edges[i]
            at += 1


# ---- sparse rows in few bytes, for their way through a cluster -------------------------------------------------
#
# An entry of a row is
#
# | bytes | content |
# | --- | --- |
# | one | the lowest six bits of the gap to the index before it; 64: count 1 and edge 0; 128: more of the gap |
# | none or some | the rest of the gap, as a number |
# | none or one | count and edge, four bits each; 240: they do not fit |
# | none or some | count and edge, as numbers |
#
# A number is written in bytes of seven bits, the lowest first; a byte above 127 has a successor. One more byte ends
# all rows. Which bytes an entry has changes as chance has it, so no branch asks for the frequent ones: the
# next byte is written, or read, and then counts or not.

# Places in the bytes are unsigned: Numba has to look whether any other counts from the end.
_ONE = np.uint64(1)
_NONE = np.int64(1) << np.int64(62)


@subkernel()
def _put_varint(data, at, value):
    while value > 127:
        data[at] = (value & 127) | 128
        value >>= 7
        at += _ONE
    data[at] = value
    return at + _ONE


@subkernel()
def _varint(data, at):
    value = np.int64(0)
    shift = 0
    while True:
        byte = np.int64(data[at])
        at += _ONE
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


@kernel()
def pack_rows(lengths, indices, counts, edges, data):
    """A sparse row block as bytes; returns how many."""
    at = np.uint64(0)
    i = np.uint64(0)
    with_edges = len(edges) > 0
    for row in range(len(lengths)):
        before = np.int64(-1)
        for _ in range(lengths[row]):
            index = np.int64(indices[i])
            gap = index - before - 1
            before = index
            count = np.int64(counts[i])
            edge = np.int64(edges[i]) if with_edges else np.int64(0)
            i += _ONE
            single = np.int64(count == 1) & np.int64(edge == 0)
            more = np.int64(gap > 63)
            data[at] = (gap & 63) | (single << 6) | (more << 7)
            if gap < 1 << 13:
                data[at + _ONE] = gap >> 6
                at += _ONE + np.uint64(more)
            else:
                at = _put_varint(data, at + _ONE, gap >> 6)
            if count < 15 and edge < 16:
                data[at] = (count << 4) | edge
                at += np.uint64(1 - single)
            else:
                data[at] = 240
                at = _put_varint(data, at + _ONE, count)
                at = _put_varint(data, at, edge)
    data[at] = 0
    return np.int64(at + _ONE)


@kernel()
def add_packed_rows(a_pointers, a_indices, a_counts, a_edges, lengths, data, pointers, indices, counts, edges):
    """The sum of a sparse row block and of a packed one with the same rows; returns the number of entries."""
    n = np.uint64(0)
    at = np.uint64(0)
    with_edges = len(edges) > 0
    pointers[0] = 0
    for row in range(len(lengths)):
        i, i_end = np.uint64(a_pointers[row]), np.uint64(a_pointers[row + 1])
        # beyond the last entry of the first block: an index that no entry reaches
        ahead = np.int64(a_indices[i]) if i < i_end else _NONE
        index = np.int64(-1)
        for _ in range(lengths[row]):
            first, second = np.int64(data[at]), np.int64(data[at + _ONE])
            more, single = first >> 7, (first >> 6) & 1
            if more & (second >> 7):
                second, at = _varint(data, at + _ONE)
            else:
                at += _ONE + np.uint64(more)
            index += ((first & 63) | ((second & -more) << 6)) + 1
            byte = (np.int64(data[at]) & (single - 1)) | (single << 4)
            at += np.uint64(1 - single)
            count, edge = byte >> 4, byte & 15
            if byte == 240:
                count, at = _varint(data, at)
                edge, at = _varint(data, at)
            while ahead <= index:
                if ahead == index:
                    count += np.int64(a_counts[i])
                    if with_edges:
                        edge += np.int64(a_edges[i])
                else:
                    indices[n] = ahead
                    counts[n] = a_counts[i]
                    if with_edges:
                        edges[n] = a_edges[i]
                    n += _ONE
                i += _ONE
                ahead = np.int64(a_indices[i]) if i < i_end else _NONE
            indices[n] = index
            counts[n] = count
            if with_edges:
                edges[n] = edge
            n += _ONE
        while i < i_end:
            indices[n] = a_indices[i]
            counts[n] = a_counts[i]
            if with_edges:
                edges[n] = a_edges[i]
            i += _ONE
            n += _ONE
        pointers[row + 1] = n
    return np.int64(n)
