"""Compiled loops of the nearest vectors of terms: roughly by codes of 8 bits first, then exactly.

`hyperdive.scores.neighbour_statements` has the same in NumPy, to the bit: sums run in the same order and precision.
Sorting, choosing and gathering are loops here: Numba compiles NumPy's functions for them from Python, too, and needs
three times as long for all of this then.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel
from hyperdive.scores._isa_kernels import _added

_PART = 64  # values of which only the largest is looked at first
_ROUNDING = 1e-5  # of a cosine in 32 bits


@subkernel()
def _limit(values, most):
    """The smallest of so many of the largest values: the top of a heap of them."""
    heap = np.empty(most, dtype=np.float32)
    for i in range(len(values)):
        value, place = values[i], i
        if i < most:
            while place > 0 and heap[(place - 1) // 2] > value:
                heap[place] = heap[(place - 1) // 2]
                place = (place - 1) // 2
            heap[place] = value
        elif value > heap[0]:
            place, below = 0, 1
            while below < most:
                below += below + 1 < most and heap[below + 1] < heap[below]
                if heap[below] >= value:
                    break
                heap[place] = heap[below]
                place, below = below, 2 * below + 1
            heap[place] = value
    return heap[0]


@subkernel()
def _gathered(values, places):
    """The values at these places."""
    out = np.empty(len(places), dtype=values.dtype)
    for i in range(len(places)):
        out[i] = values[places[i]]
    return out


@subkernel()
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


@subkernel()
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


@subkernel(fastmath={"nnan", "nsz"})  # without which a processor compares one value after another
def _top(values):
    """The largest value."""
    top = values[0]
    for i in range(1, len(values)):
        top = values[i] if values[i] > top else top
    return top


@subkernel()
def _nearly_largest(values, most, margin):
    """The places, in their order, of the largest values and of those that are less by no more than a margin.

    The largest of each part of the values give a limit that few others reach.
    """
    parts = -(-len(values) // _PART)
    tops = np.empty(parts, dtype=np.float32)
    for part in range(parts):
        tops[part] = _top(values[part * _PART : (part + 1) * _PART])
    limit, reached = np.float32(-np.inf), parts
    if parts > most:
        limit, reached = _limit(tops, most) - margin, 0
        for part in range(parts):
            reached += tops[part] >= limit
    places, count = np.empty(reached * _PART + 1, dtype=np.int64), 0
    for part in range(parts):
        if tops[part] < limit:
            continue
        for i in range(part * _PART, min((part + 1) * _PART, len(values))):
            places[count] = i
            count += values[i] >= limit
    least = _limit(_gathered(values, places[:count]), most) - margin
    kept = 0
    for i in range(count):
        places[kept] = places[i]
        kept += values[places[i]] >= least
    return places[:kept]


@subkernel()
def _nearest(vector, own, vectors, places, chosen, near):
    """Fill `chosen` and `near` with the nearest of the vectors at these places, in their order, and their cosines.

    The own one has a cosine of 0; of equal ones the first places are taken.
    """
    count = len(places)
    cosines = np.empty(count, dtype=np.float32)
    for first in range(0, count, 4):  # four at a time, each added up in its order
        i, j, k = min(first + 1, count - 1), min(first + 2, count - 1), min(first + 3, count - 1)
        x0, x1, x2, x3 = vectors[places[first]], vectors[places[i]], vectors[places[j]], vectors[places[k]]
        dot0, dot1, dot2, dot3 = 0.0, 0.0, 0.0, 0.0
        for t in range(len(vector)):
            value = np.float64(vector[t])
            dot0 += value * np.float64(x0[t])
            dot1 += value * np.float64(x1[t])
            dot2 += value * np.float64(x2[t])
            dot3 += value * np.float64(x3[t])
        cosines[first], cosines[i] = np.float32(dot0), np.float32(dot1)
        cosines[j], cosines[k] = np.float32(dot2), np.float32(dot3)
    for i in range(count):
        cosines[i] = cosines[i] if places[i] != own else np.float32(0)
    limit, ties, kept = _limit(cosines, len(chosen)), len(chosen), 0
    for i in range(count):
        ties -= cosines[i] > limit
    for i in range(count):
        if cosines[i] < limit or (cosines[i] == limit and ties == 0):
            continue
        ties -= cosines[i] == limit
        chosen[kept], near[kept] = places[i], cosines[i]
        kept += 1


@kernel()
def nearest_rows(asked, own, vectors, roughly, margin, chosen, cosines):
    """Fill `chosen` and `cosines` with the nearest of `vectors`, and how near they are, one row for each asked vector.

    Args:
        asked: Vectors of length one.
        own: Their own places among `vectors`, or -1; these are no neighbours.
        vectors: Vectors of length one.
        roughly: The products of both, each off by less than half of the margin. The own ones are changed.
        margin: Products that differ by less may be in another order.
        chosen: Places, in their order.
        cosines: Sums in the order of the dimensions, in 64 bits, rounded to 32.
    """
    most = chosen.shape[1]
    for row in range(len(asked)):
        if own[row] >= 0:
            roughly[row, own[row]] = 0.0
        places = _nearly_largest(roughly[row], most, margin)
        _nearest(asked[row], own[row], vectors, places, chosen[row], cosines[row])


@subkernel()
def _neighbours(vector, own, most, vectors, codes, scales, loss):
    """The places and cosines of the nearest vectors, in the order of their places; the own one has a cosine of 0.

    Codes tell which vectors can be among the nearest at all; of equal ones the first places are taken.
    """
    chosen, cosines = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.float32)
    if most == 0:
        return chosen, cosines
    code, worth, own_loss = _coded(vector)
    roughly = _code_products(codes, code, scales)
    if own >= 0:
        roughly[own] = 0.0
    # |q·x − q'·x'| ≤ |x − x'| + |q − q'|·|x'|, of which two may differ the other way, and some for rounding
    margin = 2.0 * (loss + own_loss * (1.0 + loss) + _ROUNDING) / worth
    places = _nearly_largest(roughly, most, np.float32(margin))
    _nearest(vector, own, vectors, places, chosen, cosines)
    return chosen, cosines
