"""Shards follow from word counts alone, offsets are 64 bits wide, and the plan says what a run costs."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive._resources import parse_size
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.options import CountOptions
from hyperdive.counts.plan import fixed_bytes, make_plan, plan_counts
from hyperdive.counts.shard_layout import SHARD_ENTRIES, Shard, make_layout
from hyperdive.counts.shards import map_piece, pointers_of
from hyperdive.errors import OptionError

from .reference import corpus_of, folder
from .test_count import big_corpus


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=50), st.integers(1, 30), st.integers(1, 100))
def test_shards_cover_all_rows_in_order(counts, window, min_count):
    word_counts = np.array([0, *sorted(counts, reverse=True)])
    options = CountOptions(window=window)
    layout = make_layout(word_counts, min_count, options)
    assert layout.shards[0].first == 0
    assert layout.shards[0].last == 1
    assert [shard.last for shard in layout.shards[:-1]] == [shard.first for shard in layout.shards[1:]]
    assert layout.shards[-1].last == len(word_counts)
    for shard in layout.shards[1:]:
        most = int(word_counts[shard.first]) * options.reach
        assert most <= np.iinfo(shard.dtype).max
        here = word_counts[shard.first : shard.last].tolist()
        assert shard.bound == sum(min(n * options.reach, len(word_counts)) for n in here)
        assert shard.bound <= SHARD_ENTRIES or shard.last == shard.first + 1


def test_more_than_two_to_the_31_entries_in_all():
    """Nothing is allocated by their number: a shard holds only so many, and offsets are 64 bits wide."""
    word_counts = np.concatenate([[0], np.full(100_000, 10**7)])
    layout = make_layout(word_counts, 10, CountOptions())
    assert sum(shard.bound for shard in layout.shards) > 2**31
    assert layout.largest <= SHARD_ENTRIES
    assert pointers_of(np.full(4, 2**30, dtype=np.uint32)).tolist() == [0, 2**30, 2**31, 3 * 2**30, 2**32]


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files")
def test_a_row_beyond_two_to_the_31_is_read_at_its_place():
    """A sparse file of 2^31 + 8 entries: offsets of counts and edges need 64 bits."""
    entries = 2**31 + 8
    shard = Shard(0, 0, 1, entries, np.dtype("<u1"))
    path = folder() / "piece.bin"
    with path.open("wb") as file:
        file.truncate(shard.bytes(entries, with_edges=True))
        file.seek(4 * entries - 4)
        file.write(b"\x07\0\0\0")
        file.seek(4 * entries + entries - 1)
        file.write(b"\x05")
        file.seek(4 * entries + 2 * entries - 1)
        file.write(b"\x03")
    indices, counts, edges = map_piece(path, shard, entries, with_edges=True)
    assert (len(indices), len(counts), len(edges)) == (entries, entries, entries)
    assert (indices[-1], counts[-1], edges[-1], counts[0]) == (7, 5, 3, 0)
    path.unlink()


def test_words_that_meet_more_than_two_to_the_32_times_get_64_bits():
    layout = make_layout(np.array([0, 2**33, 2**20, 5]), 1, CountOptions())
    assert [shard.dtype.itemsize for shard in layout.shards[1:]] == [8, 4, 1]


def test_stored_counts_above_two_to_the_32():
    """Exact 1/distance weights of a window of 20 count 232,792,560 for a neighbour."""
    counts = Cooccurrence.from_corpus(corpus_of([["a", "b"]] * 40), window=20, weighting="harmonic")
    assert counts.scale == 232_792_560
    assert counts.total == 2 * 40 * counts.scale > 2**32
    _, _, block = next(counts.blocks())
    assert block.data.tolist() == [40 * counts.scale] * 2
    assert counts.row("a") == {"b": 40.0}
    assert counts.csr().data.tolist() == [40.0, 40.0]


def test_plan_fits_into_memory_and_says_so():
    layout = make_layout(np.sort(np.random.default_rng(0).zipf(1.5, 5_000).clip(1, 10**6))[::-1], 1, CountOptions())
    options = CountOptions()
    tokens = 300_000_000
    fixed = fixed_bytes(layout, options, 2)
    plan = make_plan(layout, tokens, options, memory=fixed + 10**9, threads=2)
    assert plan.blocks == 3
    assert plan.block_tokens * plan.blocks >= tokens
    assert plan.memory <= fixed + 10**9
    assert plan.work_disk > 0
    assert "3 blocks" in str(plan)
    assert make_plan(layout, tokens, options, memory=fixed + 4 * 10**9, threads=2).blocks == 1


def test_more_text_costs_blocks_not_memory():
    word_counts = np.array([0, *(10**7 // k for k in range(1, 2_000))])
    small = plan_counts(word_counts, memory=400 * 10**6, threads=1)
    large = plan_counts(word_counts * 50, memory=400 * 10**6, threads=1)
    assert large.memory <= 400 * 10**6
    assert large.blocks > small.blocks
    assert large.seconds > small.seconds


def test_fewer_threads_before_smaller_blocks():
    layout = make_layout(np.array([0, *([10**6] * 3_000)]), 1, CountOptions())
    one = fixed_bytes(layout, CountOptions(), 1)
    assert make_plan(layout, 10**6, CountOptions(), memory=one + 10**7, threads=8).threads == 1


def test_too_little_memory_says_how_much_is_needed():
    with pytest.raises(OptionError, match=r"too little.*--memory (\d+)MB") as error:
        plan_counts(np.array([0, *([10**6] * 3_000)]), memory=10**6)
    needed = int(str(error.value).split("--memory ")[1].split("MB")[0])
    plan_counts(np.array([0, *([10**6] * 3_000)]), memory=needed * 10**6)


def test_the_estimate_of_different_pairs_is_of_the_right_size():
    corpus = corpus_of(big_corpus(30_000), min_count=1)
    counts = Cooccurrence.from_corpus(corpus)
    expected = plan_counts(np.array(corpus.counts)).entries
    assert 0.4 < expected / counts.header["totals"]["entries"] < 1.5


@pytest.mark.parametrize("text", ["", "lots", "-5MB", "5 apples", "MB"])
def test_what_is_not_an_amount_of_memory(text):
    with pytest.raises(OptionError, match="not an amount of memory"):
        parse_size(text)


def test_default_threads_are_the_cores_we_may_use():
    plan = plan_counts(np.array([0, 5, 3]), memory=10**10)
    assert 1 <= plan.threads <= (os.cpu_count() or 1)
