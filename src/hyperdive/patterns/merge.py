"""Merges the patterns of several texts, as if the texts had been read one after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hyperdive._types import Ints
from hyperdive.errors import InputError
from hyperdive.patterns.collector import pair_statements, ranks_of
from hyperdive.patterns.evidence import (
    CAP,
    TOTAL,
    EvidenceRows,
    Keys,
    choose,
    pack,
    shortness,
    text_hashes,
    unpack,
    was_cut,
)
from hyperdive.patterns.matches import Texts
from hyperdive.patterns.pair_counts import TermSums, ordered_terms, renumbered, summed
from hyperdive.patterns.pattern_table import HEAD, check_names
from hyperdive.patterns.store import Patterns


def merge(stores: Sequence[Patterns], *, cap: int = CAP, total: int = TOTAL) -> Patterns:
    """Add up the counts of several stores and choose the evidence anew.

    Document numbers continue from one store to the next. Stores without sentences only add counts.

    Args:
        stores: the patterns, in the order of their texts.
        cap: evidence sentences per pair.
        total: evidence sentences for all pairs together.

    >>> from hyperdive.patterns.evidence import pack
    >>> one = Patterns.from_keys(["dog", "poodle"], ["such as"], pack([1], [0], [0]), np.array([4]))
    >>> two = Patterns.from_keys(["dog", "hound"], ["is a", "such as"], pack([1], [0], [1]), np.array([6]))
    >>> both = merge([one, two])
    >>> both.terms, both.names, both.count("hound", "dog")
    (['dog', 'hound', 'poodle'], ('such as', 'is a'), 6)
    """
    import pyarrow as pa

    if not stores:
        raise InputError("a merge needs patterns of at least one text")
    names: dict[str, int] = {}
    precision: list[float] = []
    for store in stores:
        for name, value in zip(store.names, store.precision, strict=True):
            if name not in names:
                names[name] = len(names)
                precision.append(value)
    check_names(list(names))
    numbers: dict[str, int] = {}
    keys, tables = [], []
    for store in stores:
        term = np.array([numbers.setdefault(term, len(numbers)) for term in store.terms], dtype=np.int64)
        pattern = np.array([names[name] for name in store.names], dtype=np.uint8)
        tables.append((term, pattern))
        hyponym, hypernym, number = unpack(store.keys)
        keys.append(pack(term[hyponym], term[hypernym], pattern[number]))
    all_keys, counts = summed(np.concatenate(keys), np.concatenate([store.values for store in stores]))
    sums = TermSums.of(len(numbers), names.get(HEAD, 256))
    sums.add(all_keys, counts)
    ordered, table = ordered_terms(pa.array(list(numbers), type=pa.large_string()), sums)
    all_keys, order = renumbered(all_keys, table)
    all_keys, counts = all_keys[order], counts[order]
    evidence = None
    if any(store.has_sentences for store in stores):
        parts = [(table[term], pattern) for term, pattern in tables]
        joined = _joined(stores, parts)
        hashes = text_hashes(joined.texts)[joined.sentence]
        lengths = shortness(joined.texts.lengths, was_cut(joined.texts))[joined.sentence]
        # within a store rows of a pair and pattern stand best first, and earlier stores were read earlier
        best = (lengths.astype(np.uint64) << np.uint64(48)) | np.arange(len(joined), dtype=np.uint64)
        chosen, place = choose(joined.keys, best, hashes, ranks_of(precision), cap)
        chosen = _within_total(joined.keys, chosen, place, all_keys, counts, total)
        evidence = joined.taken(chosen, joined.keys[chosen])
    documents = sum(store.documents for store in stores)
    return Patterns.from_keys(
        ordered.to_pylist(), list(names), all_keys, counts, precision=precision, documents=documents, evidence=evidence
    )


def _joined(stores: Sequence[Patterns], tables: Sequence[tuple[Ints, np.ndarray]]) -> EvidenceRows:
    """The kept rows of all stores under their new numbers; equal sentences become one."""
    texts = SentenceTable()
    parts = []
    documents = 0
    for store, (term, pattern) in zip(stores, tables, strict=True):
        rows = store.evidence_rows
        if rows is not None:
            sentence = np.array([texts.number(rows.texts.raw(i)) for i in range(len(rows.texts))], dtype=np.int64)
            hyponym, hypernym, number = unpack(rows.keys)
            keys = pack(term[hyponym], term[hypernym], pattern[number])
            parts.append((keys, rows.document + documents, sentence[rows.sentence], rows.spans))
        documents += store.documents
    keys, document, sentence, spans = (np.concatenate(column) for column in zip(*parts, strict=True))
    return EvidenceRows(keys, document, sentence, spans, texts.texts())


class SentenceTable:
    """Sentences, each once, numbered in the order in which they came."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def number(self, raw: bytes) -> int:
        return self._numbers.setdefault(raw, len(self._numbers))

    def texts(self) -> Texts:
        offsets = np.cumsum([0, *map(len, self._numbers)], dtype=np.int64)
        return Texts(np.frombuffer(b"".join(self._numbers), dtype=np.uint8), offsets)


def _within_total(keys: Keys, chosen: Ints, place: Ints, pair_keys: Keys, counts: Ints, total: int) -> Ints:
    """At most `total` of the chosen rows: the best of every pair first, frequent pairs before others."""
    if len(chosen) <= total:
        return chosen
    statements = pair_statements(keys[chosen], pair_keys, counts)
    best = np.lexsort((keys[chosen] >> np.uint64(8), -statements, place))[:total]
    return chosen[np.sort(best)]
