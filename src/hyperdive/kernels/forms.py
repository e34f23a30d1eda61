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
def select(forms, key_of_form, stop, out, first, written, sentences, sentence, sentences_out, limit, by_kept):
    """Copy the keys of one chunk that are no stop words, and where sentences now start.

    Stops after `limit` tokens: kept ones (`by_kept`) or all but gaps. Returns forms used, keys kept, stop words,
    next sentence.
    """
    got = stops = 0
    for i in range(len(forms)):
        while sentence < len(sentences) and sentences[sentence] <= first + i:
            sentences_out[sentence] = written + got
            sentence += 1
        if (got if by_kept else got + stops) >= limit:
            return i, got, stops, sentence
        if forms[i] == 0:
            continue
        key = key_of_form[forms[i]]
        if stop[key]:
            stops += 1
        else:
            out[got] = key
            got += 1
    return len(forms), got, stops, sentence


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


@kernel()
def join_phrases(
    forms, base_of_form, first_form, starts_phrase, edges, targets, phrase_of_node, sentences, sentence, sentences_out,
    written, out, matches, examples,
):  # fmt: skip
    """Replace the longest phrases by one form each; none reaches over a gap or a sentence border.

    The phrases are a trie: from node v the base word b leads along the edge v·2³² + b (sorted in `edges`).
    `examples[p]` collects where the first matches of phrase p stand. Returns forms written and the next sentence.
    """
    got = 0
    i = 0
    n = len(forms)
    while i < n:
        while sentence < len(sentences) and sentences[sentence] <= first_form + i:
            sentences_out[sentence] = written + got
            sentence += 1
        base = base_of_form[forms[i]]
        if base == 0 or not starts_phrase[base]:
            out[got] = forms[i]
            got += 1
            i += 1
            continue
        border = n if sentence >= len(sentences) else min(n, sentences[sentence] - first_form)
        node = np.uint64(0)
        best, best_length = -1, 0
        j = i
        while j < border:
            base = base_of_form[forms[j]]
            if base == 0:
                break
            key = (node << np.uint64(32)) | np.uint64(base)
            low, high = 0, len(edges)
            while low < high:
                middle = (low + high) // 2
                if edges[middle] < key:
                    low = middle + 1
                else:
                    high = middle
            if low >= len(edges) or edges[low] != key:
                break
            node = np.uint64(targets[low])
            j += 1
            if phrase_of_node[node] >= 0:
                best, best_length = phrase_of_node[node], j - i
        if best < 0:
            out[got] = forms[i]
            i += 1
        else:
            out[got] = len(base_of_form) + best
            if matches[best] < examples.shape[1]:
                examples[best, matches[best]] = first_form + i
            matches[best] += 1
            i += best_length
        got += 1
    return got, sentence


@kernel()
def neighbour_keys(forms, base_of_form, eligible, sentences, first_form):
    """x·2³² + y for each two eligible neighbours in one sentence; `sentences` are absolute starts."""
    out = np.empty(len(forms), dtype=np.uint64)
    n = 0
    s = np.searchsorted(sentences, first_form, side="right")
    for i in range(1, len(forms)):
        while s < len(sentences) and sentences[s] < first_form + i:
            s += 1
        if s < len(sentences) and sentences[s] == first_form + i:
            continue
        x, y = base_of_form[forms[i - 1]], base_of_form[forms[i]]
        if eligible[x] and eligible[y]:
            out[n] = (np.uint64(x) << np.uint64(32)) | np.uint64(y)
            n += 1
    return out[:n]
