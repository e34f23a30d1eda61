"""Sparse bags of words: the three formulas of the paper, without the unknown symbol."""

from __future__ import annotations

import tempfile
from math import log

import numpy as np
import pytest

from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import OptionError
from hyperdive.spaces.sbow import SBOW_KINDS, sbow
from hyperdive.text.token_lists import encode_tokens

from .test_contract import LINES


def counts() -> Cooccurrence:
    corpus = encode_tokens(LINES * 3 + [["hapax", "dog", "cat"]], tempfile.mkdtemp() + "/corpus", min_count=2)
    return Cooccurrence.from_corpus(corpus, window=3, near=True)


@pytest.fixture(scope="module")
def store():
    return counts()


def test_freq_is_the_counts(store):
    space = sbow(store, "sbow-freq")
    assert space.words == store.words
    for word in space:
        row = store.row(word)
        assert space[word].tolist() == [row.get(context, 0) for context in space.words]


def test_ppmi_and_inclusion_shift(store):
    n = store.to_scipy().toarray()
    rows, columns, total = n.sum(axis=1), n.sum(axis=0), n.sum()
    ppmi, shifted = (sbow(store, kind).matrix.toarray() for kind in ("sbow-ppmi", "sbow-ppmi-is"))
    half = sbow(store, "sbow-ppmi-is", shift=0.5).matrix.toarray()
    assert half.sum() > shifted.sum() > 0
    for (i, j), value in np.ndenumerate(n):
        if value:
            assert ppmi[i, j] == pytest.approx(max(log(value * total / (rows[i] * columns[j])), 0), abs=1e-6)
            assert shifted[i, j] == pytest.approx(max(log(value * len(n) / columns[j]), 0), abs=1e-6)
        else:
            assert ppmi[i, j] == shifted[i, j] == 0


def test_the_shift_is_taken_off_and_the_filter_keeps_whole_sums(store):
    n = store.to_scipy().toarray()
    rows, columns, total = n.sum(axis=1), n.sum(axis=0), n.sum()
    shifted = sbow(store, "sbow-ppmi", shift=1.5).matrix.toarray()
    limit = PmiFilter(threshold=1.2, unit="ratio")
    filtered = sbow(store, "sbow-ppmi", filtered=limit).matrix.toarray()
    kept = 0
    for (i, j), value in np.ndenumerate(n):
        ratio = value * total / (rows[i] * columns[j])
        assert shifted[i, j] == pytest.approx(max(log(ratio) - log(1.5), 0) if value else 0, abs=1e-6)
        assert filtered[i, j] == pytest.approx(log(ratio) if ratio >= 1.2 else 0, abs=1e-6)
        kept += ratio >= 1.2
    assert 0 < kept < np.count_nonzero(sbow(store, "sbow-ppmi").matrix.toarray())


def test_the_unknown_symbol_is_no_context(store):
    """`hapax` and nothing else is rare here: its meetings are in no row and in no sum."""
    assert store.frequencies[0] > 0
    space = sbow(store, "sbow-freq")
    assert space.dimensions == len(space)
    assert space.matrix.sum() == store.margins().total < store.total


@pytest.mark.parametrize("kind", SBOW_KINDS)
def test_same_bytes_at_any_number_of_threads(store, kind):
    one, five = sbow(store, kind, threads=1).matrix, sbow(store, kind, threads=5).matrix
    assert one.data.tobytes() == five.data.tobytes()
    assert one.indices.tobytes() == five.indices.tobytes()


def test_bad_kinds(store):
    with pytest.raises(OptionError, match="no sparse space 'sbow-pmi'"):
        sbow(store, "sbow-pmi")
    with pytest.raises(OptionError, match="has no shift"):
        sbow(store, "sbow-freq", shift=2.0)


def test_parameters_tell_where_it_came_from(store):
    parameters = sbow(store, "sbow-ppmi-is").parameters
    assert parameters["counts"] == store.fingerprint
    assert parameters["window"] == 3
    assert parameters["shift"] == 1.0
