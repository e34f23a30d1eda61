"""Counts equal the plain counter, whatever the window, the blocks and the number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import count
from hyperdive.counts.inverted_index import TokenRange, load
from hyperdive.options import CountOptions
from tests.examples import examples

from .reference import collapse, corpus_of, count_pairs, files, folder, lines, read

slowly = examples(25)


def counted(corpus, *, block_tokens=None, threads=2, **options):
    place = folder() / "counts"
    corpora = corpus if isinstance(corpus, list) else [corpus]
    count(corpora, place, options=CountOptions(**options), block_tokens=block_tokens, run=Run(threads=threads))
    return Cooccurrence.open(place)


@slowly
@given(
    lines,
    st.integers(1, 30),
    st.sampled_from(["both", "left", "right"]),
    st.integers(1, 4),
    st.sampled_from([None, 1, 3, 7]),
)
def test_counts_equal_the_plain_counter(text, window, sides, min_count, block_tokens):
    corpus = corpus_of(text, min_count)
    counts = counted(corpus, window=window, sides=sides, block_tokens=block_tokens)
    pairs = count_pairs(text, window, sides)
    known = collapse(pairs, set(corpus.vocabulary[1:]))
    assert read(counts) == known
    assert counts.total == sum(pairs.values())
    matrix = counts.to_scipy(include_unknown=True)
    assert counts.totals.tolist() == matrix.sum(axis=1).tolist()
    margins = counts.margins(include_unknown=True)
    assert margins.columns.tolist() == matrix.sum(axis=0).tolist()
    inner = counts.to_scipy()
    without = counts.margins()
    assert without.rows.tolist() == inner.sum(axis=1).tolist()
    assert without.columns.tolist() == inner.sum(axis=0).tolist()
    assert without.total == inner.sum()
    if sides == "both":
        assert (matrix != matrix.T).nnz == 0
        n = [len(line) for line in text]
        assert counts.total == sum(2 * (m - d) for m in n for d in range(1, min(window, m - 1) + 1))


@slowly
@given(lines, st.integers(1, 6), st.integers(1, 3), st.sampled_from([1, 4, 50]), st.sampled_from([1, 2, 5]))
def test_same_bytes_for_any_blocks_and_threads(text, window, min_count, block_tokens, threads):
    corpus = corpus_of(text, min_count)
    first = counted(corpus, window=window, near=True, threads=1)
    second = counted(corpus, window=window, near=True, threads=threads, block_tokens=block_tokens)
    assert files(first.path) == files(second.path)


def big_corpus(tokens=60_000, types=3_000, line=100, seed=0, prefix="w"):
    """Zipf words, lines of a fixed length, a last line that is not complete."""
    draw = np.random.default_rng(seed)
    p = 1 / np.arange(1, types + 1)
    ids = draw.choice(types, size=tokens + 37, p=p / p.sum())
    return [[f"{prefix}{i}" for i in ids[a : a + line]] for a in range(0, len(ids), line)]


@pytest.fixture(scope="module")
def zipf():
    return corpus_of(big_corpus(), min_count=3)


def test_same_bytes_from_many_ranges_and_blocks(zipf, monkeypatch):
    monkeypatch.setattr("hyperdive.counts.rows.RANGE_ENTRIES", 20_000)
    first = counted(zipf, threads=1, near=True)
    for threads, block_tokens in ((2, None), (5, None), (2, 1_999), (5, 30_000)):
        assert files(counted(zipf, threads=threads, block_tokens=block_tokens, near=True).path) == files(first.path)
    monkeypatch.undo()
    assert files(counted(zipf, near=True).path) == files(first.path)


@slowly
@given(lines, st.integers(1, 12))
def test_harmonic_weights_are_exact(text, window):
    counts = counted(corpus_of(text), window=window, weighting="harmonic", block_tokens=5)
    expected = count_pairs(text, window, weighting="harmonic")
    matrix = counts.to_scipy(include_unknown=True, dtype=np.float64)
    found = read(counts)
    assert found.keys() == expected.keys()
    assert all(abs(found[pair] - float(expected[pair])) < 1e-12 for pair in found)
    stored = sum(int(block.data.sum()) for _, _, block in counts.blocks(include_unknown=True))
    assert stored == counts.total == sum(expected.values()) * counts.scale
    assert abs(matrix.sum() - float(sum(expected.values()))) < 1e-9
    assert counts.csr().data.dtype == (np.float32 if window > 1 else np.uint32)


@slowly
@given(lines, st.integers(1, 5), st.sampled_from(["both", "left", "right"]))
def test_near_counts_are_those_of_a_window_less_one(text, window, sides):
    corpus = corpus_of(text)
    counts = counted(corpus, window=window, near=True, sides=sides)
    near = count_pairs(text, window - 1, sides) if window > 1 else {}
    for word in corpus.vocabulary[1:]:
        expected = {y: n for (x, y), n in near.items() if x == word}
        assert counts.row(word, near=True) == expected


def test_several_corpora_in_one_run_have_their_own_line_borders():
    one, two = [["a", "b", "c"], ["a"]], [["c", "d"], ["b", "a", "d"]]
    together = counted([corpus_of(one), corpus_of(two)], window=5)
    assert read(together) == count_pairs([*one, *two], 5)
    assert together.words == ["a", "b", "c", "d"]


@pytest.mark.parametrize("text", [[["a"]], [["a"], ["b"], ["a"]]])
def test_lines_of_one_word_have_no_pairs(text):
    counts = counted(corpus_of(text))
    assert counts.total == 0
    assert read(counts) == {}
    assert counts.row("a") == {}
    assert counts.top("a") == []


def test_all_unknown_lines():
    counts = counted(corpus_of([["a", "b"], ["c", "d", "a"]], min_count=5), window=2)
    assert counts.words == []
    assert read(counts) == {("<unk>", "<unk>"): 8}
    assert counts.margins().total == 0
    assert counts.to_scipy().shape == (0, 0)


def test_dropped_rare_words_leave_no_unknown_symbol():
    text = [["a", "x", "b"], ["a", "b", "y"]]
    counts = counted(corpus_of(text, min_count=2, rare="drop"), window=1)
    assert read(counts) == {("a", "b"): 2, ("b", "a"): 2}
    assert counts.totals[0] == 0


def test_line_of_the_whole_corpus_is_cut_into_blocks_without_losing_pairs():
    text = [[f"w{i % 97}" for i in range(5_000)]]
    corpus = corpus_of(text)
    assert files(counted(corpus, window=300).path) == files(counted(corpus, window=300, block_tokens=777).path)


def test_a_block_holds_its_tokens_and_a_window_on_each_side():
    corpus = corpus_of([[f"w{i}" for i in range(50)]])
    pieces, same = [TokenRange(0, 20, 30)], np.zeros(0, dtype=np.uint32)
    block = load([corpus], [same], pieces, len(corpus.counts), CountOptions(window=3), threads=2)
    assert block.tokens.tolist() == corpus.tokens[17:33].tolist()
    assert sorted(block.positions.tolist()) == list(range(3, 13))


def test_a_wide_window_needs_wider_rooms():
    text = [[f"w{i % 11}" for i in range(700)]]
    assert read(counted(corpus_of(text), window=400)) == count_pairs(text, 400)


@pytest.mark.parametrize("length", [100, 3])
def test_fixed_length_lines_of_the_encoder(length):
    from hyperdive.text.corpus import Corpus

    flat = [word for line in big_corpus(1_000) for word in line]
    corpus = corpus_of([flat], line_length=length)
    assert isinstance(corpus, Corpus)
    lines_again = [flat[i : i + length] for i in range(0, len(flat), length)]
    expected = count_pairs(lines_again, 10)
    assert read(counted(corpus)) == expected
    assert read(counted(corpus, block_tokens=33)) == expected


def test_temporary_store_goes_with_the_object():
    counts = Cooccurrence.from_corpus(corpus_of([["a", "b"]]))
    place = counts.path
    assert place.exists()
    del counts
    assert not place.parent.exists()


def test_csr_equals_blocks_and_scipy(zipf):
    counts = counted(zipf, near=True)
    for include_unknown in (True, False):
        matrix = counts.to_scipy(include_unknown=include_unknown)
        csr = counts.csr(include_unknown=include_unknown, threads=2)
        assert csr.indptr.tolist() == matrix.indptr.tolist()
        assert csr.indices.tolist() == matrix.indices.tolist()
        assert csr.data.tolist() == matrix.data.tolist()
        assert (csr.indptr.dtype, csr.indices.dtype, csr.data.dtype) == (np.int64, np.int32, np.uint32)


def test_header_says_how_the_unknown_symbol_is_treated(zipf):
    header = counted(zipf).header
    assert "unknown" in header
    assert "leave it out" in header["unknown"]
    assert not {"threads", "memory", "time"} & set(header["parameters"])
