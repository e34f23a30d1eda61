"""Compiled loops of the paper's solver: functions of arrays only, each with a slow twin in the tests.

A position i of a batch has 2·window + K partners: slot d - 1 is the token at i + d, slot window + d - 1 the one at
i - d, and the last K are its noise words. A coefficient says how much a partner pulls (above 0) or pushes (below).
"""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel, subkernel
from hyperdive.spaces._kernels import ONE, ZERO, _add_one, _add_rows, _decay, _product


@kernel()
def kept_bits(first, last, tokens, offsets, indptr, indices, window, bits):
    """Bit d - 1 of bits[i] is set when tokens i and i + d are in one line and their pair is in the matrix."""
    for line in range(first, last):
        for i in range(offsets[line], offsets[line + 1]):
            mask = np.uint32(0)
            start, end = indptr[tokens[i]], indptr[tokens[i] + 1]
            for d in range(1, min(window, offsets[line + 1] - 1 - i) + 1):
                wanted = tokens[i + d]
                low, high = start, end
                while low < high:
                    middle = (low + high) // 2
                    if indices[middle] < wanted:
                        low = middle + 1
                    else:
                        high = middle
                if low < end and indices[low] == wanted:
                    mask |= np.uint32(1) << np.uint32(d - 1)
            bits[i] = mask


@subkernel()
def _is_kept(bits, i, d):
    """Whether tokens i and i + d form a kept pair."""
    return (bits[i] >> np.uint32(d - 1)) & np.uint32(1)


@kernel()
def group_by_context(ids, bits, noise, window, starts, slots):
    """The slots i·(2·window + K) + s of a batch by the context at each: those of c are at starts[c] to starts[c + 1].

    Slots of one context rise. `starts` has one place more than there are contexts, and is zero before.
    """
    width = 2 * window + noise.shape[1]
    for i in range(len(ids)):
        for d in range(1, window + 1):
            if _is_kept(bits, i, d):
                starts[ids[i + d] + 1] += 1
                starts[ids[i] + 1] += 1
        for k in range(noise.shape[1]):
            starts[noise[i, k] + 1] += 1
    for c in range(len(starts) - 1):
        starts[c + 1] += starts[c]
    filled = starts[:-1].copy()
    for i in range(len(ids)):
        for d in range(1, window + 1):
            if _is_kept(bits, i, d):
                slots[filled[ids[i + d]]] = i * width + d - 1
                filled[ids[i + d]] += 1
        for d in range(1, min(window, i) + 1):
            if _is_kept(bits, i - d, d):
                slots[filled[ids[i - d]]] = i * width + window + d - 1
                filled[ids[i - d]] += 1
        for k in range(noise.shape[1]):
            slots[filled[noise[i, k]]] = i * width + 2 * window + k
            filled[noise[i, k]] += 1


@subkernel(fastmath={"contract", "nsz"}, error_model="numpy")
def _pull_and_push(dots, weight, pulls, many):
    """1 - σ(dot) of the first `pulls` partners, -weight·σ(dot) of the others."""
    for j in range(many):
        dots[j] = _decay(dots[j])
    for j in range(pulls):
        dots[j] = dots[j] / (ONE + dots[j])
    for j in range(pulls, many):
        dots[j] = -weight / (ONE + dots[j])


@kernel(error_model="numpy")
def position_gradients(first, last, ids, bits, noise, window, weights, words, contexts, coefficients, gradients):
    """The coefficients of all partners of positions first to last, and what these add to the gradient of its word."""
    width = 2 * window + noise.shape[1]
    rows, slots = np.empty(width, np.int64), np.empty(width, np.int64)
    dots = np.empty(width, np.float32)
    for i in range(first, last):
        many = np.int64(0)
        for d in range(1, window + 1):
            if _is_kept(bits, i, d):
                rows[many], slots[many] = ids[i + d], d - 1
                many += 1
        for d in range(1, min(window, i) + 1):
            if _is_kept(bits, i - d, d):
                rows[many], slots[many] = ids[i - d], window + d - 1
                many += 1
        pulls = many
        for k in range(noise.shape[1]):
            rows[many], slots[many] = noise[i, k], 2 * window + k
            many += 1
        word = words[ids[i]]
        for j in range(many):
            dots[j] = _product(word, contexts[rows[j]])
        _pull_and_push(dots, weights[ids[i]], pulls, many)
        gradients[i, :] = ZERO
        _add_rows(gradients[i], dots, rows, contexts, many)
        for j in range(many):
            coefficients[i, slots[j]] = dots[j]


@subkernel(error_model="numpy")
def _adam(row, m, v, g, scale, rate, b1, b2, epsilon):
    """Adam as TensorFlow has it (ε is added to √v before its bias is corrected), up the gradient, and the clip at 0."""
    for t in range(len(row)):
        up = g[t] * scale
        m[t] = b1 * m[t] + (ONE - b1) * up
        v[t] = b2 * v[t] + (ONE - b2) * up * up
        x = row[t] + rate * m[t] / (np.sqrt(v[t]) + epsilon)
        row[t] = x if x > ZERO else ZERO


@kernel(error_model="numpy")
def step_contexts(
    first, last, starts, slots, ids, coefficients, words, table, m, v, scale, rate, b1, b2, epsilon,
):  # fmt: skip
    """Sum up the gradient of every context from first to last, 0 for one that is not in the batch, and step."""
    width = np.uint32(coefficients.shape[1])
    g = np.empty(table.shape[1], np.float32)
    most = np.int64(0)
    for c in range(first, last):
        most = max(most, starts[c + 1] - starts[c])
    rows, pulls = np.empty(most, np.int64), np.empty(most, np.float32)
    for c in range(first, last):
        many = starts[c + 1] - starts[c]
        for j in range(many):
            slot = np.uint32(slots[starts[c] + j])
            i = slot // width
            rows[j] = ids[i]
            pulls[j] = coefficients[i, slot - i * width]
        g[:] = ZERO
        _add_rows(g, pulls, rows, words, many)
        _adam(table[c], m[c], v[c], g, scale, rate, b1, b2, epsilon)


@kernel(error_model="numpy")
def step_words(first, last, starts, positions, gradients, table, m, v, scale, rate, b1, b2, epsilon):
    """Sum up the gradient of every word from first to last over its positions, 0 for one without, and step."""
    g = np.empty(table.shape[1], np.float32)
    for w in range(first, last):
        for t in range(len(g)):
            g[t] = ZERO
        for j in range(starts[w], starts[w + 1]):
            _add_one(g, ONE, gradients[positions[j]])
        _adam(table[w], m[w], v[w], g, scale, rate, b1, b2, epsilon)
