"""Counts of terms against words: a slow twin, line borders, and the PMI filter."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.counts.term_counts import TermCounts, TermRows, filtered_rows, translated
from hyperdive.errors import FormatError
from hyperdive.options import CountOptions
from hyperdive.text.token_lists import encode_tokens
from tests.examples import examples

slowly = examples(60)


def occurrences(places, many):
    """[(start, length, term)] in the shape a corpus has them."""
    places = sorted(places)
    starts, lengths, ids = np.array(places, dtype=np.int64).reshape(-1, 3).T
    return SimpleNamespace(
        names=[f"term {i}" for i in range(many)],
        spellings=[f"Term {i}" for i in range(many)],
        counts=np.bincount(ids, minlength=many),
        starts=starts,
        lengths=lengths.astype(np.uint8),
        ids=ids.astype(np.uint32),
    )


def twin(tokens, lines, places, many, size, options):
    """Every occurrence, every token of its line beside it."""
    rows = [Counter() for _ in range(many)]
    edges = [Counter() for _ in range(many)]
    line_of = np.repeat(np.arange(len(lines) - 1), np.diff(lines))
    for start, length, term in places:
        first, last = start, max(start, start + length - 1)
        for q, token in enumerate(tokens):
            if q < start and line_of[q] == line_of[first]:
                side, distance = "left", start - q
            elif q >= start + length and line_of[q] == line_of[min(last, len(tokens) - 1)]:
                side, distance = "right", q - (start + length) + 1
            else:
                continue
            if distance > options.window or options.sides not in ("both", side):
                continue
            context = token if token < size else 0
            rows[term][context] += Fraction(1, distance) if options.weighting == "harmonic" else 1
            if distance == options.window:
                edges[term][context] += 1
    return rows, edges


@st.composite
def texts(draw):
    tokens = draw(st.lists(st.integers(0, 300), min_size=4, max_size=60))
    borders = draw(st.sets(st.integers(1, len(tokens) - 1), max_size=5))
    places = []
    for _ in range(draw(st.integers(0, 12))):
        start = draw(st.integers(0, len(tokens) - 1))
        places.append((start, draw(st.integers(0, min(4, len(tokens) - start))), draw(st.integers(0, 3))))
    return tokens, [0, *sorted(borders), len(tokens)], sorted(places)


@slowly
@given(
    texts(),
    st.integers(1, 6),
    st.sampled_from(["both", "left", "right"]),
    st.sampled_from(["flat", "harmonic", "near"]),
)
def test_rows_are_those_of_the_slow_twin(text, window, sides, kind):
    tokens, lines, places = text
    size = 200
    options = CountOptions(
        window=window, sides=sides, weighting="harmonic" if kind == "harmonic" else "flat", near=kind == "near"
    )
    counts = TermCounts(np.array(tokens, np.uint32), np.array(lines), occurrences(places, 4), size, options)
    rows, edges = twin(tokens, lines, places, 4, size, options)
    for first, last in ((0, 4), (1, 3)):
        found = counts.rows(first, last)
        for row in range(first, last):
            a, b = found.indptr[row - first : row - first + 2]
            wanted = sorted(rows[row].items())
            assert found.indices[a:b].tolist() == [c for c, _ in wanted]
            assert found.counts[a:b].tolist() == [int(n * options.scale) for _, n in wanted]
            if options.near:
                assert found.edges[a:b].tolist() == [edges[row][c] for c, _ in wanted]


@pytest.mark.parametrize("filtered", [PmiFilter(threshold=30), PmiFilter(threshold=25, near=False)])
def test_words_taken_as_terms_have_the_rows_of_words(tmp_path, filtered):
    rng = np.random.default_rng(0)
    lines = [[f"w{int(i)}" for i in rng.zipf(1.5, 30) % 50] for _ in range(300)]
    corpus = encode_tokens(lines, tmp_path / "corpus", min_count=5)
    words = Cooccurrence.from_corpus(corpus, window=4, near=True)
    tokens = np.asarray(corpus[:])
    known = np.flatnonzero(tokens)
    places = [(int(p), 1, int(tokens[p]) - 1) for p in known]
    terms = occurrences(places, corpus.vocabulary_size - 1)
    counts = TermCounts(
        np.asarray(corpus.tokens), corpus.line_offsets, terms, corpus.vocabulary_size, words.options
    )  # fmt: skip
    rows = counts.rows(0, len(counts))
    whole = words.csr()
    assert rows.indptr.tolist() == (whole.indptr[1:] - whole.indptr[1]).tolist()
    assert rows.counts.tolist() == whole.data[whole.indptr[1] :].tolist()
    kept = words.csr(filtered=filtered)
    indptr, indices, data = filtered_rows(rows, filtered, counts.frequencies, corpus.frequencies, counts.options)
    assert indptr.tolist() == (kept.indptr[1:] - kept.indptr[1]).tolist()
    assert indices.tolist() == kept.indices[kept.indptr[1] :].tolist()
    assert data.tolist() == kept.data[kept.indptr[1] :].tolist()


def test_the_ratio_unit_keeps_what_meets_more_often_than_chance():
    tokens = np.array([1, 2, 3, 3] * 50, dtype=np.uint32)
    terms = occurrences([(4 * i, 1, 0) for i in range(50)], 1)
    counts = TermCounts(tokens, np.arange(0, 201, 4), terms, 4, CountOptions(window=1))
    frequencies = np.array([0, 50, 50, 100])
    keep = filtered_rows(
        counts.rows(0, 1), PmiFilter(threshold=3, unit="ratio"), counts.frequencies, frequencies, counts.options
    )
    assert keep[1].tolist() == [2]
    none = filtered_rows(
        counts.rows(0, 1), PmiFilter(threshold=5, unit="ratio"), counts.frequencies, frequencies, counts.options
    )
    assert none[1].tolist() == []


def test_terms_outside_the_text_are_damage():
    with pytest.raises(FormatError, match="outside the text"):
        TermCounts(np.zeros(3, np.uint32), np.array([0, 3]), occurrences([(2, 2, 0)], 1), 4, CountOptions())


def test_no_terms_and_no_occurrences():
    nothing = occurrences([], 2)
    counts = TermCounts(np.zeros(3, np.uint32), np.array([0, 3]), nothing, 4, CountOptions())
    assert counts.rows(0, 2).indptr.tolist() == [0, 0, 0]
    assert translated(np.array([2, 1], np.uint32), ["<unk>", "a", "b"], {"a": 3}).tolist() == [0, 3]


@pytest.mark.parametrize(
    "wrong", [[(-1, 1, 0), (1, 1, 0)], [(0, 1, 0), (2, 2, 0)], [(0, 1, 1), (1, 1, 0)], [(3, 1, 0), (0, 1, 0)]]
)
def test_one_term_outside_the_text_is_enough(wrong):
    places = SimpleNamespace(**vars(occurrences([(0, 1, 0)], 1)))
    places.starts, places.lengths, places.ids = (np.array(column) for column in zip(*wrong, strict=True))
    with pytest.raises(FormatError, match="outside the text"):
        TermCounts(np.zeros(3, np.uint32), np.array([0, 3]), places, 4, CountOptions())


def test_terms_at_both_ends_of_the_text():
    tokens, lines = np.array([1, 2, 3], np.uint32), np.array([0, 3])
    counts = TermCounts(tokens, lines, occurrences([(0, 1, 0), (2, 1, 1)], 2), 4, CountOptions(window=1))
    assert len(counts) == 2 and counts.frequencies.tolist() == [1, 1]
    rows = counts.rows(0, 2)
    assert (rows.indptr.tolist(), rows.indices.tolist(), rows.counts.tolist()) == ([0, 1, 2], [2, 2], [1, 1])
    assert len(rows.edges) == 0  # nobody asked for near counts
    near = TermCounts(tokens, lines, occurrences([(0, 1, 0)], 1), 4, CountOptions(window=1, near=True)).rows(0, 1)
    assert near.edges.tolist() == [1]


@pytest.mark.parametrize("tokens", [[], [2]])
def test_a_term_of_no_tokens_at_the_end_of_the_text(tokens):
    lines = np.array([0, len(tokens)]) if tokens else np.array([0])
    text = np.array(tokens, np.uint32)
    rows = TermCounts(text, lines, occurrences([(len(tokens), 0, 0)], 1), 4, CountOptions()).rows(0, 1)
    assert rows.indices.tolist() == tokens and rows.counts.tolist() == [1] * len(tokens)


@pytest.mark.parametrize(("window", "kind"), [(255, np.uint8), (256, np.uint16)])
def test_rooms_of_terms_take_one_byte_while_the_window_fits(window, kind):
    tokens = np.ones(601, np.uint32)
    counts = TermCounts(tokens, np.array([0, 601]), occurrences([(300, 1, 0)], 1), 2, CountOptions(window=window))
    assert counts._left.dtype == counts._right.dtype == kind
    assert counts.rows(0, 1).counts.tolist() == [2 * window]


def test_a_pair_exactly_at_the_filter_is_kept():
    """Word 1 meets the term three times of four, word 2 once; the text has 40 words."""
    rows = TermRows(
        np.array([0, 2, 2]), np.array([1, 2], np.int32), np.array([6, 2], np.uint32), np.zeros(0, np.uint32)
    )  # fmt: skip
    frequencies, words = np.array([5, 1]), np.array([16, 16, 8])

    def kept(threshold, unit, scale=1):
        options = CountOptions(window=2, weighting="harmonic" if scale == 2 else "flat")
        limit = PmiFilter(threshold=threshold, unit=unit, near=False)
        places, indices, counts = filtered_rows(rows, limit, frequencies, words, options)
        assert len(indices) == len(counts) == places[-1] and places.tolist()[1:] == [len(indices)] * 2
        return indices.tolist()

    assert kept(3.0, "tokens") == [1] + [2] * (40 * 2 >= 3 * 5 * 8)
    assert (kept(40 * 2 / (5 * 8), "tokens"), kept(2.001, "tokens")) == ([1, 2], [1])  # 40·2 = 2·5·8
    assert (kept(1.0, "tokens", 2), kept(1.001, "tokens", 2)) == ([1, 2], [1])  # two units are one meeting
    assert (kept(40 * 2 / (8 * 8), "ratio"), kept(1.251, "ratio")) == ([1, 2], [1])  # #(x) = 8
    assert (kept(40 * 6 / (8 * 16), "ratio"), kept(1.876, "ratio")) == ([1], [])


def test_what_is_only_met_at_the_edge_of_the_window_passes_the_near_filter():
    one = np.ones(2, np.uint32)
    rows = TermRows(np.array([0, 2]), np.array([1, 2], np.int32), 2 * one, np.array([2, 1], np.uint32))
    limit = PmiFilter(threshold=1e9)
    assert filtered_rows(rows, limit, np.array([5]), np.array([1, 9, 9]), CountOptions())[1].tolist() == [1]


@pytest.mark.parametrize(("sides", "wanted"), [("left", [1]), ("right", [3])])
def test_terms_see_one_side_only(sides, wanted):
    tokens = np.array([1, 2, 3], np.uint32)
    with np.errstate(all="raise"):
        counts = TermCounts(tokens, np.array([0, 3]), occurrences([(1, 1, 0)], 1), 4, CountOptions(sides=sides))
    assert counts.rows(0, 1).indices.tolist() == wanted
