"""Ranges of rows follow from word counts alone, stored rows are checked, and blocks fit into memory."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from fuzz.resealing import put_array
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive._resources import Run, parse_size
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import CODE_BYTES, BlockPlan, range_memory
from hyperdive.counts.rows import RANGE_ENTRIES, cut_rows, vocabulary_size
from hyperdive.errors import FormatError, OptionError
from hyperdive.options import CountOptions

from .reference import corpus_of, count_pairs, folder, read


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=50), st.integers(1, 30), st.integers(1, 100))
def test_ranges_cover_all_rows_in_order(counts: list[int], window: int, min_count: int) -> None:
    word_counts = np.array([0, *sorted(counts, reverse=True)])
    options = CountOptions(window=window)
    ranges = cut_rows(word_counts, vocabulary_size(word_counts, min_count), options)
    assert (ranges[0].first, ranges[0].last) == (0, 1)
    assert [rows.last for rows in ranges[:-1]] == [rows.first for rows in ranges[1:]]
    assert ranges[-1].last == len(word_counts)
    for rows in ranges[1:]:
        assert int(word_counts[rows.first]) * options.reach <= np.iinfo(rows.dtype).max
        here = word_counts[rows.first : rows.last].tolist()
        assert rows.bound == sum(min(n * options.reach, len(word_counts)) for n in here)
        assert rows.bound <= RANGE_ENTRIES or rows.last == rows.first + 1


def test_frequent_words_are_not_all_in_one_range() -> None:
    word_counts = np.array([0, *(10**8 // k for k in range(1, 2_000))])
    options = CountOptions()
    ranges = cut_rows(word_counts, 2_000, options)
    shares = [int(word_counts[rows.first : rows.last].sum()) / int(word_counts.sum()) for rows in ranges]
    assert all(share <= 1 / 64 or rows.last == rows.first + 1 for share, rows in zip(shares, ranges, strict=True))


def test_words_that_meet_more_than_two_to_the_32_times_get_64_bits() -> None:
    ranges = cut_rows(np.array([0, 2**33, 2**20, 5]), 4, CountOptions())
    assert [rows.dtype.itemsize for rows in ranges[1:]] == [8, 4, 1]


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_number_types_are_as_narrow_as_the_most_meetings_allow(bits: int) -> None:
    next_door = CountOptions(window=1, sides="right")
    for n, expected in ((2**bits - 1, bits), (2**bits, 2 * bits)):
        ranges = cut_rows(np.array([0, n, 1]), 3, next_door)
        assert ranges[1].dtype.itemsize == expected // 8
        assert ranges[-1].dtype.itemsize == 1
    weighted = CountOptions(window=2, sides="right", weighting="harmonic")
    for n, expected in ((2 ** (bits - 2) - 1, bits), (2 ** (bits - 2), 2 * bits)):  # two meetings of weight 2 each
        assert cut_rows(np.array([0, n, 1]), 3, weighted)[1].dtype.itemsize == expected // 8


@pytest.mark.parametrize("times", [254, 255, 256, 65_536])
@pytest.mark.parametrize("near", [False, True])
def test_counts_around_the_largest_byte(times: int, near: bool) -> None:
    """255 stands for the next value of a list, also where it is the count itself."""
    text = [["a", "b", "c"]] * times + [["a", "x", "b"]] * 3
    store = Cooccurrence.from_corpus(corpus_of(text), window=2, near=near)
    expected = count_pairs(text, 2)
    assert read(store) == expected
    assert store.row("a") == {"b": times + 3, "c": times, "x": 3}
    if near:
        assert store.row("a", near=True) == {"b": times, "x": 3}
    parts = Cooccurrence.from_corpus(corpus_of(text), window=2, near=near, run=Run(threads=1))
    assert read(parts) == expected


def test_stored_counts_above_two_to_the_32() -> None:
    """Exact 1/distance weights of a window of 20 count 232,792,560 for a neighbour."""
    counts = Cooccurrence.from_corpus(corpus_of([["a", "b"]] * 40), window=20, weighting="harmonic")
    assert counts.scale == 232_792_560
    assert counts.total == 2 * 40 * counts.scale > 2**32
    _, _, block = next(counts.blocks())
    assert block.data.tolist() == [40 * counts.scale] * 2
    assert counts.row("a") == {"b": 40.0}
    assert counts.csr().data.tolist() == [40.0, 40.0]


# ---- folders of strangers ----------------------------------------------------------------------------------------


def put(place: int, value: int) -> Any:
    def change(array: Any) -> Any:
        array = np.array(array)
        array[place] = value
        return array

    return change


DAMAGED: dict[str, tuple[str, Any]] = {
    "an index beyond the words": ("indices", put(-1, 99)),
    "an index of the unknown symbol beyond the vocabulary": ("indices", put(0, 2**32 - 1)),
    "indices that do not rise": ("indices", put(6, 0)),
    "a count of zero": ("counts", put(3, 0)),
    "a count that is in no list": ("counts", put(-1, 255)),
    "a listed count that is small": ("large_counts", put(0, 254)),
    "a place of another entry": ("large_positions", put(-1, 10**6)),
    "a place before all entries": ("large_positions", put(0, -5)),
    "places that fall": ("large_positions", lambda places: places[::-1].copy()),
    "too few places": ("large_positions", lambda places: places[:-1]),
    "too few large counts": ("large_counts", lambda counts: counts[:-1]),
    "too few counts": ("counts", lambda counts: counts[:-1]),
    "too many edges": ("edges", lambda edges: np.append(edges, edges[:1])),
    "an edge above its count": ("edges", put(-1, 254)),
    "a large edge above its count": ("large_edges", put(0, 2**63)),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_rows_that_cannot_be_are_refused(name: str) -> None:
    text = [["a", "b", "c"]] * 300 + [["a", "x"], ["y", "b"]]
    store = Cooccurrence.from_corpus(corpus_of(text, 2), folder() / "counts", window=2, near=True)
    file, change = DAMAGED[name]
    put_array(store.path, f"{file}.npy", change(store._artifact.array(f"{file}.npy")))
    changed = Cooccurrence.open(store.path)
    for use in (changed.csr, changed.to_scipy, lambda: list(changed.blocks(include_unknown=True))):
        with pytest.raises(FormatError, match="damaged"):
            use()
            changed.check_rows()


@pytest.mark.parametrize("name", ["falls", "short", "beyond", "negative"])
def test_row_starts_that_cannot_be_are_refused(name: str) -> None:
    store = Cooccurrence.from_corpus(corpus_of([["a", "b", "c"]] * 3), folder() / "counts", window=2)
    starts = np.array(store._artifact.array("indptr.npy"))
    if name == "falls":
        starts[2] = starts[1] - 1
    elif name == "short":
        starts = starts[:-1]
    elif name == "beyond":
        starts[2] = 2**40
    else:
        starts[1] = -(2**62)
    put_array(store.path, "indptr.npy", starts)
    with pytest.raises(FormatError, match="do not fit together"):
        Cooccurrence.open(store.path)


# ---- memory ------------------------------------------------------------------------------------------------------


def ranges_of(many: int = 200, **options: Any) -> Any:
    """Falling counts from 40,000 tokens of the first word down to 1."""
    rules = CountOptions(**options)
    return cut_rows(np.array([0, *(max(40_000 // k**2, 1) for k in range(1, many))]), many, rules), rules


def test_a_plan_fits_into_memory_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperdive.counts.count.anonymous_memory", lambda: 1000)
    ranges, rules = ranges_of()
    tokens, own = 300_000_000, 1000 + CODE_BYTES + 60 * 200
    fixed = own + range_memory(ranges, rules, 2)
    plan = BlockPlan.of(ranges, tokens, rules, Run(memory=fixed + 10**9, threads=2))
    assert (plan.block_tokens, plan.threads) == (tokens // 3, 2)
    assert plan.memory == fixed + 10**9
    assert "1.0 GB" in str(plan)
    assert BlockPlan.of(ranges, tokens, rules, Run(memory=fixed + 4 * 10**9, threads=2)).block_tokens == tokens


def test_fewer_threads_before_smaller_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperdive.counts.count.anonymous_memory", lambda: 0)
    ranges, rules = ranges_of()
    one = range_memory(ranges, rules, 1) + CODE_BYTES + 60 * 200
    assert BlockPlan.of(ranges, 10**6, rules, Run(memory=one + 10**7, threads=8)).threads == 1


@pytest.mark.parametrize("tokens", [1000, 65_536, 10**6])
def test_too_little_memory_says_how_much_is_needed(tokens: int) -> None:
    ranges, rules = ranges_of()
    with pytest.raises(OptionError, match=r"too little.*--memory (\d+)MB") as error:
        BlockPlan.of(ranges, tokens, rules, Run(memory=10**6))
    needed = int(str(error.value).split("--memory ")[1].split("MB")[0]) + 1
    assert BlockPlan.of(ranges, tokens, rules, Run(memory=needed * 10**6)).memory <= needed * 10**6


def test_a_wide_window_takes_two_bytes_more_a_token() -> None:
    plans = [BlockPlan.of(*_with(window), Run(threads=1)) for window in (255, 256)]
    sizes = [plan.memory - range_memory(_with(window)[0], CountOptions(window=window), 1) for plan, window in
             zip(plans, (255, 256), strict=True)]  # fmt: skip
    assert sizes == [10 * 50_000, 12 * 50_000]


def _with(window: int) -> Any:
    ranges, rules = ranges_of(window=window)
    return ranges, 50_000, rules


def test_default_threads_are_the_cores_we_may_use() -> None:
    ranges, rules = ranges_of()
    assert 1 <= BlockPlan.of(ranges, 100, rules, Run()).threads <= (os.cpu_count() or 1)


@pytest.mark.parametrize("text", ["", "lots", "-5MB", "5 apples", "MB"])
def test_what_is_not_an_amount_of_memory(text: str) -> None:
    with pytest.raises(OptionError, match="not an amount of memory"):
        parse_size(text)
