"""Compiled loops over streams of ids: selecting and counting. Their slow twins are in the tests."""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel


@kernel()
def select(forms, key_of_form, stop, out, first, written, sentences, sentence, sentences_out, limit, by_kept):
    """Copy the keys of one chunk that are no stop words, and where sentences now start.

    Stops after `limit` tokens: kept ones (`by_kept`) or all. Returns forms used, keys kept, stop words,
    next sentence.
    """
    got = stops = 0
    for i in range(len(forms)):
        while sentence < len(sentences) and sentences[sentence] <= first + i:
            sentences_out[sentence] = written + got
            sentence += 1
        if (got if by_kept else got + stops) >= limit:
            return i, got, stops, sentence
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
