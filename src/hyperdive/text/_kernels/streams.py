"""Compiled loops over streams of ids: selecting, counting, joining phrases. Their slow twins are in the tests."""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel


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
