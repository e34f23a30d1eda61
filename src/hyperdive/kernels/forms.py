"""Tables of distinct word forms (bytes → number, by open addressing), and loops over streams of their numbers."""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
UPPER_HALF, LOWER_HALF = np.uint64(0xFFFFFFFF00000000), np.uint64(0x00000000FFFFFFFF)


@kernel()
def hash_forms(arena, starts, lengths):
    """FNV-1a of each form, folded once, as `tokenise` computes it."""
    hashes = np.empty(len(starts), dtype=np.uint64)
    for form in range(len(starts)):
        h = FNV_START
        for j in range(starts[form], starts[form] + lengths[form]):
            h = (h ^ np.uint64(arena[j])) * FNV_PRIME
        hashes[form] = h ^ (h >> np.uint64(29))
    return hashes


@subkernel()
def same_bytes(first, first_start, second, second_start, length):
    for j in range(length):
        if first[first_start + j] != second[second_start + j]:
            return False
    return True


@kernel()
def grow_slots(slots, hashes, n_forms):
    """A table of twice the size with the same entries."""
    bigger = np.zeros(2 * len(slots), dtype=np.uint32)
    mask = np.uint64(len(bigger) - 1)
    for form in range(n_forms):
        at = hashes[form] & mask
        while bigger[at] != 0:
            at = (at + np.uint64(1)) & mask
        bigger[at] = form + 1
    return bigger


@subkernel()
def grow_tagged_slots(slots, hashes, n_forms):
    """`grow_slots` for slots that hold the upper half of the hash next to the number."""
    bigger = np.zeros(2 * len(slots), dtype=np.uint64)
    mask = np.uint64(len(bigger) - 1)
    for form in range(n_forms):
        at = hashes[form] & mask
        while bigger[at] != 0:
            at = (at + np.uint64(1)) & mask
        bigger[at] = (hashes[form] & UPPER_HALF) | np.uint64(form + 1)
    return bigger


@kernel()
def merge_forms(slots, hashes, starts, lengths, arena, n_forms, n_arena, more, more_starts, more_lengths, more_hashes):
    """Add a block's forms to the table of all; the arrays must have room. Returns numbers (from 1) and new sizes."""
    numbers = np.empty(len(more_starts), dtype=np.uint32)
    mask = np.uint64(len(slots) - 1)
    for m in range(len(more_starts)):
        h, length, begin = more_hashes[m], more_lengths[m], more_starts[m]
        at = h & mask
        number = 0
        while slots[at] != 0:
            form = slots[at] - 1
            if hashes[form] == h and lengths[form] == length and same_bytes(arena, starts[form], more, begin, length):
                number = slots[at]
                break
            at = (at + np.uint64(1)) & mask
        if number == 0:
            hashes[n_forms] = h
            starts[n_forms] = n_arena
            lengths[n_forms] = length
            for j in range(length):
                arena[n_arena + j] = more[begin + j]
            n_arena += length
            n_forms += 1
            number = n_forms
            slots[at] = number
        numbers[m] = number
    return numbers, n_forms, n_arena


@kernel()
def renumber(tokens, numbers):
    """Local form ids → global ones, in place; 0 stays 0."""
    for i in range(len(tokens)):
        if tokens[i] != 0:
            tokens[i] = numbers[tokens[i] - 1]


@kernel()
def kept_tokens(keys, keep, sentences):
    """The keys of a chunk that are kept, and how many of them come before the start of each sentence in it."""
    out = np.empty(len(keys), dtype=np.uint32)
    places = np.empty(len(sentences), dtype=np.int64)
    got = sentence = 0
    for i in range(len(keys)):
        while sentence < len(sentences) and sentences[sentence] <= i:
            places[sentence] = got
            sentence += 1
        if keep[keys[i]]:
            out[got] = keys[i]
            got += 1
    places[sentence:] = got
    return out[:got], places


@kernel()
def add_counts(keys, counts):
    """counts[k] += 1 for every key of the chunk."""
    for i in range(len(keys)):
        counts[keys[i]] += 1


@kernel()
def document_frequency(ids, first, documents, last_seen, frequency):
    """Add to `frequency` each id once for every document of the chunk that starts at token `first`."""
    d = np.searchsorted(documents, first, side="right") - 1
    for i in range(len(ids)):
        while documents[d + 1] <= first + i:
            d += 1
        w = ids[i]
        if last_seen[w] != d:
            last_seen[w] = d
            frequency[w] += 1
