"""Shards follow from word counts alone, offsets are 64 bits wide, and the plan says what a run costs."""

from __future__ import annotations

import os
import sys
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive._resources import parse_size
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.plan import expected_entries, fixed_bytes, make_plan, plan_merge, token_bytes
from hyperdive.counts.shard_layout import SHARD_ENTRIES, Shard, ShardLayout, make_layout
from hyperdive.counts.shards import map_piece, pointers_of
from hyperdive.errors import OptionError
from hyperdive.options import CountOptions

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


def plan_counts(word_counts: Any, *, min_count: int = 10, options: CountOptions = CountOptions(), **room: Any) -> Any:
    """The plan for text with these word counts."""
    return make_plan(make_layout(word_counts, min_count, options), int(word_counts.sum()), options, **room)


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


# ---- every figure of a plan --------------------------------------------------------------------------------------


def layout_of(many: int = 200, min_count: int = 1, **options: Any) -> tuple[ShardLayout, CountOptions]:
    """Falling counts from 40,000 tokens of the first word down to 1."""
    rules = CountOptions(**options)
    return make_layout(np.array([0, *(max(40_000 // k**2, 1) for k in range(1, many))]), min_count, rules), rules


def slow_entries(layout: ShardLayout, rules: CountOptions) -> int:
    """Words of about equal counts as one class, class by class."""
    counts = [int(n) for n in layout.word_counts[1:]]
    classes: dict[int, list[int]] = {}
    for n in counts:
        classes.setdefault(round(8 * log(n)), []).append(n)
    different = 0.0
    for own in classes.values():
        for other in classes.values():
            share = min(sum(other) / len(other) / sum(counts), 0.5)
            met = 1 - (1 - share) ** (sum(own) / len(own) * rules.reach)
            different += len(own) * len(other) * met
    return max(int(0.7 * different), len(counts))


@pytest.mark.parametrize("options", [{}, {"window": 1, "sides": "left"}, {"near": True}, {"weighting": "harmonic"}])
@pytest.mark.parametrize("blocks", [1, 3])
def test_every_figure_of_a_plan(options: dict[str, Any], blocks: int) -> None:
    layout, rules = layout_of(**options)
    tokens, threads = 600_000, 2
    both = 2 if rules.near else 1
    kinds = {shard.dtype.itemsize for shard in layout.shards}
    room = (layout.largest + 1) * (4 + layout.widest * both)
    fixed = 8 * layout.types * (6 + threads) + threads * (layout.types * sum(kinds) * both + 2 * room)
    assert fixed_bytes(layout, rules, threads) == fixed
    if blocks == 1:
        memory = fixed + 10 * tokens + 500
    else:  # threads go first, so there is room for many of them in all
        threads = 1
        fixed = fixed_bytes(layout, rules, 1)
        memory = fixed + 10 * (tokens // 3 + 7) + 500
    plan = make_plan(layout, tokens, rules, memory=memory, threads=threads, used=500)
    entries = slow_entries(layout, rules)
    width = 4 + 2.5 * both * (2 if rules.weighting == "harmonic" else 1)
    disk = int(entries * width) + 30 * layout.types
    work = int(disk * 3**0.35) if blocks == 3 else 0
    seconds = tokens / 40e6 + tokens * rules.reach / (110e6 * threads) + (disk + work) / 500e6
    seconds += entries * 3 / (150e6 * threads) if blocks == 3 else 0
    assert (plan.tokens, plan.blocks, plan.threads) == (tokens, blocks, threads)
    assert (plan.block_tokens, plan.entries, plan.disk, plan.work_disk) == (tokens // blocks, entries, disk, work)
    assert plan.memory == 500 + fixed + 10 * plan.block_tokens
    assert plan.seconds == pytest.approx(seconds, rel=1e-12)
    assert ("one block" if blocks == 1 else "3 blocks") in str(plan)
    assert ("more on the way" in str(plan)) == (blocks == 3)


def test_two_blocks_are_blocks() -> None:
    layout, rules = layout_of()
    memory = fixed_bytes(layout, rules, 1) + 10 * 300_000
    plan = make_plan(layout, 500_001, rules, memory=memory, threads=1)
    assert (plan.blocks, plan.block_tokens) == (2, 250_001) and "in 2 blocks" in str(plan)
    assert make_plan(layout, 300_000, rules, memory=memory, threads=1).blocks == 1


def test_different_pairs_of_few_words() -> None:
    def expected(counts: list[int], **options: Any) -> int:
        rules = CountOptions(**options)
        return expected_entries(make_layout(np.array([0, *counts]), 1, rules), rules)

    assert expected([]) == 0
    assert expected([1]) == 1  # never fewer than words
    many = [3000] + [3] * 500
    layout = make_layout(np.array([0, *many]), 1, next_door := CountOptions(window=1, sides="left"))
    assert expected(many, window=1, sides="left") == slow_entries(layout, next_door) > 501


def test_a_window_of_255_takes_two_bytes_a_token() -> None:
    assert [token_bytes(CountOptions(window=window)) for window in (1, 255, 256, 65_535)] == [10, 10, 12, 12]


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_go_where_they_leave_no_room_for_a_large_block(threads: int) -> None:
    layout, rules = layout_of()
    for tokens in (1_000_000, 1 << 24, (1 << 24) + 1000):
        enough = fixed_bytes(layout, rules, threads) + 10 * min(tokens, 1 << 24)
        plans = [make_plan(layout, tokens, rules, memory=enough - less, threads=threads) for less in (0, 1)]
        assert [plan.threads for plan in plans] == [threads, threads - 1]


def test_the_least_memory_of_a_count() -> None:
    layout, rules = layout_of()
    for tokens, held in ((1000, 1000), (65_536, 65_536), (100_000, 65_536)):
        least = fixed_bytes(layout, rules, 1) + 10 * held
        plan = make_plan(layout, tokens, rules, memory=least + 7, threads=1, used=7)
        assert (plan.block_tokens, plan.memory) == (
            -(-tokens // plan.blocks),
            7 + least - 10 * (held - plan.block_tokens),
        )
        with pytest.raises(OptionError, match="too little"):
            make_plan(layout, tokens, rules, memory=least + 6, threads=1, used=7)
        # what nobody limited goes on with that much, however little is left
        assert make_plan(layout, tokens, rules, threads=1, used=10**18).block_tokens == plan.block_tokens
    with pytest.raises(OptionError, match=r"--memory (\d+)MB") as error:
        make_plan(layout, 10**6, rules, memory=10, threads=1, used=5 * 10**9)
    needed = int(str(error.value).split("--memory ")[1].split("MB")[0]) * 10**6
    assert make_plan(layout, 10**6, rules, memory=needed, threads=1, used=5 * 10**9).memory <= needed


def test_a_block_has_fewer_tokens_than_its_numbers_can_say() -> None:
    layout, rules = layout_of()
    most = 2**32 - 2**20
    assert make_plan(layout, most, rules, memory=10**12, threads=1).blocks == 1
    assert make_plan(layout, most + 1, rules, memory=10**12, threads=1).blocks == 2


@pytest.mark.parametrize("near", [False, True])
def test_every_figure_of_a_merge(near: bool) -> None:
    layout, rules = layout_of(near=near)
    gathered = (layout.largest + 1) * (4 + layout.widest * (2 if near else 1))
    needed = [9 + fixed_bytes(layout, rules, threads) + threads * gathered for threads in range(4)]
    sizes = [3_000_000, 5_000_001]
    for threads, memory, most in ((3, None, 3), (3, needed[3], 3), (3, needed[3] - 1, 2), (2, needed[2] - 1, 1)):
        plan = plan_merge(layout, sizes, rules, memory=memory, threads=threads, used=9)
        assert (plan.stores, plan.threads, plan.memory) == (2, most, needed[most])
        assert plan.disk == plan.work_disk == 8_000_001
        seconds = 3 * 8_000_001 / 500e6 + 2 * 8_000_001 / (8 * 150e6 * most)
        assert plan.seconds == pytest.approx(seconds, rel=1e-12)
    assert plan_merge(layout, sizes, rules, memory=needed[1], threads=1, used=9).memory == needed[1]
    with pytest.raises(OptionError, match=r"too little.*--memory 1MB" if needed[1] <= 10**6 else "too little"):
        plan_merge(layout, sizes, rules, memory=needed[1] - 1, threads=1, used=9)
    assert (
        plan_merge(layout, sizes, rules, threads=4).memory == plan_merge(layout, sizes, rules, threads=4, used=0).memory
    )
    assert plan_merge(layout, sizes, rules, threads=2, used=10**18).threads == 1  # not refused: nobody set a limit
    assert str(plan).startswith("merging 2 count stores: about ")


def test_a_plan_without_options_is_that_of_the_defaults() -> None:
    counts = np.array([0, 500, *([10] * 400)])
    plan = plan_counts(counts, threads=1, memory=10**9)
    assert plan == plan_counts(counts, min_count=10, options=CountOptions(), threads=1, memory=10**9)
    assert plan.memory < plan_counts(counts, min_count=11, threads=1, memory=10**9).memory
    assert plan_counts(counts, options=CountOptions(window=2), threads=1, memory=10**9).entries < plan.entries
    layout = make_layout(counts, 10, CountOptions())
    assert plan == make_plan(layout, 4500, CountOptions(), threads=1, memory=10**9)
