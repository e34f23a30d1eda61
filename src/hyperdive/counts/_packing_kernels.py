"""Sparse rows in few bytes, for their way through a cluster: compiled loops. Twins: `tests/counts/test_kernels.py`.

An entry of a row is

| bytes | content |
| --- | --- |
| one | the lowest six bits of the gap to the index before it; 64: the count is 1 and the edge 0; 128: more of the gap |
| none or some | the rest of the gap, as a number |
| none or one | count and edge, four bits each; 240: they do not fit |
| none or some | count and edge, as numbers |

A number is written in bytes of seven bits, the lowest first; a byte above 127 has a successor. One byte more stands at
the end of all rows. Which bytes an entry has changes as chance has it, so no branch asks for the frequent ones: the
next byte is written, or read, and then counts or not.
"""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel, subkernel

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
