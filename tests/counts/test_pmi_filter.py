"""The PMI filter in both units, on a toy corpus where distances 9 and 10 differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PAPER_FILTER, PmiFilter
from hyperdive.errors import OptionError

from .reference import collapse, corpus_of, count_pairs, lines

FILLER = [f"f{i}" for i in range(9)]


def toy():
    """x meets y at distance 9 in one line, x meets z at distance 10 only: T = 21 tokens in two lines."""
    return [["x", *FILLER[:8], "y"], ["x", *FILLER, "z"]]


def kept(counts, filtered, include_unknown=True):
    matrix = counts.to_scipy(include_unknown=include_unknown, filtered=filtered).tocoo()
    names = ["<unk>", *counts.words] if include_unknown else counts.words
    return {(names[i], names[j]): n for i, j, n in zip(*matrix.coords, matrix.data.tolist(), strict=True)}


def test_distance_nine_is_filtered_and_distance_ten_is_kept():
    counts = Cooccurrence.from_corpus(corpus_of(toy()), near=True)
    assert counts.row("x", near=True).get("z") is None
    assert counts.row("x")["z"] == 1
    tokens, n_x, n_y = 21, 2, 1
    equal = tokens * 1 / (n_x * n_y)
    at_threshold = kept(counts, PmiFilter(threshold=equal))
    assert ("x", "y") in at_threshold  # T·n = k_f·n(x)·n(y): equality keeps
    above = kept(counts, PmiFilter(threshold=np.nextafter(equal, 99)))
    assert ("x", "y") not in above
    for everything in (at_threshold, above, kept(counts, PmiFilter(threshold=1e9))):
        assert everything["x", "z"] == 1  # only ever at distance 10: no count, always kept
    whole_window = kept(counts, PmiFilter(threshold=1e9, near=False))
    assert whole_window == {}


@settings(max_examples=25, deadline=None)
@given(lines, st.integers(1, 6), st.integers(1, 3), st.floats(0.1, 40))
def test_token_unit_equals_the_released_rule(text, window, min_count, threshold):
    corpus = corpus_of(text, min_count)
    counts = Cooccurrence.from_corpus(corpus, window=window, near=True)
    known = set(corpus.vocabulary[1:])
    full = collapse(count_pairs(text, window), known)
    near = collapse(count_pairs(text, window - 1), known) if window > 1 else {}
    n = dict(zip(corpus.vocabulary, corpus.frequencies.tolist(), strict=True))
    tokens = sum(map(len, text))
    expected = {
        (x, y): count
        for (x, y), count in full.items()
        if not near.get((x, y)) or float(tokens) * near[x, y] >= threshold * n[x] * n[y]
    }
    assert kept(counts, PmiFilter(threshold=threshold)) == expected
    csr = counts.csr(filtered=PmiFilter(threshold=threshold))
    assert csr.data.sum() == sum(expected.values())
    assert len(csr.data) == len(expected)


@settings(max_examples=25, deadline=None)
@given(
    lines, st.integers(1, 6), st.integers(1, 3), st.floats(0.1, 4), st.booleans(), st.sampled_from(["both", "right"])
)
def test_ratio_unit_is_true_pmi(text, window, min_count, threshold, include_unknown, sides):
    counts = Cooccurrence.from_corpus(corpus_of(text, min_count), window=window, sides=sides)
    n = counts.to_scipy(include_unknown=include_unknown).toarray()
    rows, columns, total = n.sum(axis=1), n.sum(axis=0), n.sum()
    passes = n * float(total) >= threshold * np.outer(rows, columns).astype(float)
    found = counts.to_scipy(
        include_unknown=include_unknown, filtered=PmiFilter(threshold=threshold, unit="ratio")
    ).toarray()
    assert np.array_equal(found, np.where(passes, n, 0))


def test_without_near_counts_the_paper_filter_says_what_to_do():
    counts = Cooccurrence.from_corpus(corpus_of(toy()))
    with pytest.raises(OptionError, match="count again with --set near=yes"):
        counts.csr(filtered=PAPER_FILTER)


@pytest.mark.parametrize("text", ["", "thirty", "30 apples", "-1", "nan", "1e999"])
def test_what_is_not_a_filter(text):
    with pytest.raises(OptionError):
        PmiFilter.parse(text)


def test_no_threshold_keeps_everything():
    counts = Cooccurrence.from_corpus(corpus_of(toy()), near=True)
    assert kept(counts, PmiFilter(threshold=0)) == kept(counts, None)
