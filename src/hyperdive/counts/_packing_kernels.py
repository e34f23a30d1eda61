"""Sparse rows in few bytes, for their way through a cluster: compiled loops. Twins: `tests/counts/test_kernels.py`.

A number is written in bytes of seven bits, the lowest first; a byte above 127 has a successor.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.compilation.kernel import kernel


@njit
def _put_varint(data, at, value):
    while value > 127:
        data[at] = (value & 127) | 128
        value >>= 7
        at += 1
    data[at] = value
    return at + 1


@njit
def _varint(data, at):
    value = np.int64(data[at])
    at += 1
    if value < 128:
        return value, at
    value &= 127
    shift = 7
    while True:
        byte = np.int64(data[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


@kernel()
def pack_rows(lengths, indices, counts, edges, data):
    """A sparse row block as bytes; returns how many.

    An entry is the gap to the index before it in its row, then one byte with count and edge, four bits each; where
    they do not fit, a byte of 240 and both as numbers of their own.
    """
    at = 0
    i = 0
    with_edges = len(edges) > 0
    for row in range(len(lengths)):
        before = np.int64(-1)
        for _ in range(lengths[row]):
            index = np.int64(indices[i])
            at = _put_varint(data, at, index - before - 1)
            before = index
            count = np.int64(counts[i])
            edge = np.int64(edges[i]) if with_edges else np.int64(0)
            i += 1
            if count < 15 and edge < 16:
                data[at] = (count << 4) | edge
                at += 1
            else:
                data[at] = 240
                at = _put_varint(data, at + 1, count)
                at = _put_varint(data, at, edge)
    return at


@kernel()
def add_packed_rows(a_pointers, a_indices, a_counts, a_edges, lengths, data, pointers, indices, counts, edges):
    """The sum of a sparse row block and of a packed one with the same rows; returns the number of entries."""
    n = 0
    at = 0
    with_edges = len(edges) > 0
    pointers[0] = 0
    for row in range(len(lengths)):
        i, i_end = a_pointers[row], a_pointers[row + 1]
        index = np.int64(-1)
        for _ in range(lengths[row]):
            gap, at = _varint(data, at)
            index += gap + 1
            byte = np.int64(data[at])
            at += 1
            count, edge = byte >> 4, byte & 15
            if byte == 240:
                count, at = _varint(data, at)
                edge, at = _varint(data, at)
            while i < i_end and a_indices[i] < index:
                indices[n] = a_indices[i]
                counts[n] = a_counts[i]
                if with_edges:
                    edges[n] = a_edges[i]
                i += 1
                n += 1
            if i < i_end and a_indices[i] == index:
                count += np.int64(a_counts[i])
                if with_edges:
                    edge += np.int64(a_edges[i])
                i += 1
            indices[n] = index
            counts[n] = count
            if with_edges:
                edges[n] = edge
            n += 1
        while i < i_end:
            indices[n] = a_indices[i]
            counts[n] = a_counts[i]
            if with_edges:
                edges[n] = a_edges[i]
            i += 1
            n += 1
        pointers[row + 1] = n
    return n
