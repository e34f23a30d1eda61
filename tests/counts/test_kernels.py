"""Every kernel beside its slow twin."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.counts.rows import DenseRows, RowBlock
from hyperdive.kernels import counts as kernels
from tests.examples import examples

slowly = examples(60)
TYPES = 5_000  # more than one word of bits, and more than one word of words
WORD = st.one_of(st.integers(0, 9), st.integers(0, TYPES - 1))
NONE = np.zeros(0, dtype=np.int64)


def tokens_of():
    return st.lists(WORD, min_size=1, max_size=60).map(lambda t: np.array(t, dtype=np.uint32))


def sparse(rows):
    """[{index: count}] as a block of rows (edges = count // 2)."""
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    indices = np.array([c for row in rows for c in sorted(row)], dtype=np.uint32)
    counts = np.array([row[c] for row in rows for c in sorted(row)], dtype=np.uint64)
    return RowBlock.of(pointers, indices, counts, counts // np.uint64(2))


def plain(block, edges=False):
    """The other way round."""
    values = block.values()[edges].tolist()
    return [
        dict(zip(block.indices[a:b].tolist(), values[a:b], strict=True)) for a, b in itertools.pairwise(block.pointers)
    ]


def halved(rows):
    return [{c: v // 2 for c, v in row.items()} for row in rows]


COUNT = st.one_of(st.integers(1, 50), st.integers(250, 600))
rows_of = st.lists(st.dictionaries(WORD, COUNT, max_size=12), min_size=1, max_size=6)


def inverted(tokens, borders, window, sides=(1, 1)):
    tallies = np.zeros(TYPES, dtype=np.int64)
    assert kernels.tally(tokens, 0, len(tokens), tallies) == -1
    starts = np.concatenate([[0], np.cumsum(tallies)])
    positions = np.empty(len(tokens), dtype=np.uint32)
    left, right = np.empty(len(tokens), dtype=np.uint8), np.empty(len(tokens), dtype=np.uint8)
    cursors = starts[:-1].copy()
    kernels.invert(tokens, 0, len(tokens), borders, window, *sides, cursors, positions, left, right)
    assert cursors.tolist() == starts[1:].tolist()
    return positions, left, right, starts


@slowly
@given(tokens_of(), st.integers(1, 8), st.integers(1, 20))
def test_invert(tokens, window, line):
    borders = np.unique(np.append(np.arange(0, len(tokens), line), len(tokens))).astype(np.int64)
    positions, left, right, starts = inverted(tokens, borders, window)
    for word in set(tokens.tolist()):
        here = slice(starts[word], starts[word + 1])
        assert positions[here].tolist() == np.flatnonzero(tokens == word).tolist()
    for p, room_left, room_right in zip(positions.tolist(), left.tolist(), right.tolist(), strict=True):
        start = p // line * line
        assert room_left == min(window, p - start)
        assert room_right == min(window, min(start + line, len(tokens)) - 1 - p)


def test_tally_finds_a_number_too_large():
    assert kernels.tally(np.array([1, 2, 9, 1], dtype=np.uint32), 0, 4, np.zeros(5, dtype=np.int64)) == 2


@slowly
@given(
    tokens_of(),
    st.integers(1, 8),
    st.integers(2, 20),
    st.sampled_from([TYPES, 5, 1]),
    st.booleans(),
    st.sampled_from([np.uint16, np.uint32, np.uint64]),
)
def test_count_rows(tokens, window, line, cut, weighted, dtype):
    borders = np.unique(np.append(np.arange(0, len(tokens), line), len(tokens))).astype(np.int64)
    weights = np.arange(window + 1, 0, -1) if weighted else NONE
    positions, left, right, starts = inverted(tokens, borders, window)
    block = RowBlock.room(TYPES, 2 * window * len(tokens), 2 * window * len(tokens), near=True)
    lengths = np.empty(TYPES, dtype=np.int64)
    scratch = DenseRows(TYPES, near=True)
    size = kernels.count_rows(
        tokens, positions, left, right, starts, 0, TYPES, np.uint32(cut), weights, window, *scratch.rows(dtype),
        *block[1:], lengths,
    )  # fmt: skip
    np.cumsum(lengths, out=block.pointers[1:])
    block = block.cut(*size)
    slow, slow_edges = Counter(), Counter()
    for p, word in enumerate(tokens.tolist()):
        for q in range(p // line * line, min(p // line * line + line, len(tokens))):
            c = int(tokens[q]) if tokens[q] < cut else 0
            if 0 < abs(p - q) <= window:
                slow[word, c] += int(weights[abs(p - q)]) if weighted else 1
                slow_edges[word, c] += abs(p - q) == window
    for expected, found in ((slow, plain(block)), (slow_edges, plain(block, edges=True))):
        assert {(w, c): v for w, entries in enumerate(found) for c, v in entries.items()} == expected
    for a, b in itertools.pairwise(block.pointers):
        assert np.all(np.diff(block.indices[a:b].astype(int)) > 0)
    assert not any(array.any() for array in scratch.rows(dtype))


@pytest.mark.parametrize(("dtype", "expected"), [(np.uint64, 3 * 2**32), (np.uint32, 0)])
def test_counts_above_two_to_the_32_need_64_bits(dtype, expected):
    """The layout gives such rows 64 bits; here the kernel keeps every one of them, where 32 would wrap to 0."""
    tokens = np.array([1, 2, 1, 2], dtype=np.uint32)
    positions, left, right, starts = inverted(tokens, np.array([0, 4]), 3)
    block, weights = RowBlock.room(1, 20, 20, near=False), np.full(4, 3 * 2**30, dtype=np.int64)
    n, large = kernels.count_rows(
        tokens, positions, left, right, starts, 1, 2, np.uint32(TYPES), weights, 0,
        *DenseRows(TYPES, near=False).rows(dtype), *block[1:], np.empty(1, dtype=np.int64),
    )  # fmt: skip
    if dtype is np.uint64:
        assert block.indices[:n].tolist() == [1, 2]
        assert int(block.large[large - 1]) == expected
    else:
        assert block.counts[n - 1] == expected


@slowly
@given(rows_of, st.data())
def test_add_rows(first, data):
    row = st.dictionaries(WORD, COUNT, max_size=12)
    second = data.draw(st.lists(row, min_size=len(first), max_size=len(first)))
    total = sparse(first) + sparse(second)
    for edges, (one, two) in enumerate(((first, second), (halved(first), halved(second)))):
        expected = [{c: x.get(c, 0) + y.get(c, 0) for c in {*x, *y}} for x, y in zip(one, two, strict=True)]
        assert plain(total, edges) == expected
    assert check(total)


def check(block, size=TYPES):
    return kernels.check_rows(*block[:4], block.large_places(), *block[4:], size)


@slowly
@given(rows_of, st.integers(0, 2**32))
def test_renumber_and_check(rows, seed):
    table = np.random.default_rng(seed).permutation(TYPES).astype(np.uint32)
    block, scratch = sparse(rows), DenseRows(TYPES, near=True)
    counts, edges = (values.astype(np.uint64) for values in block.values())
    made = RowBlock.room(len(rows), len(counts), len(counts), near=True)
    lengths = np.empty(len(rows), dtype=np.int64)
    size = kernels.renumber_rows(
        block.pointers, block.indices, counts, edges, table, *scratch.rows(np.uint64), *made[1:], lengths
    )
    np.cumsum(lengths, out=made.pointers[1:])
    made = made.cut(*size)
    renumbered = [{int(table[c]): v for c, v in entries.items()} for entries in rows]
    assert plain(made) == renumbered
    assert plain(made, edges=True) == halved(renumbered)
    assert check(made)
    assert not any(array.any() for array in scratch.rows(np.uint64))


@slowly
@given(rows_of, st.integers(1, TYPES), st.booleans(), st.booleans(), st.booleans(), st.floats(0.0, 3.0))
def test_view_and_sums(rows, cut, with_unknown, filtered, near, right):
    block = sparse(rows)
    a, b = np.arange(1.0, len(rows) + 1), np.linspace(0.5, 2.0, cut)
    arguments = (*block, 0, np.uint32(cut), with_unknown, filtered, near, 2.0, right, a, b)
    lengths = np.empty(len(rows), dtype=np.int64)
    kernels.view_lengths(*arguments, lengths)
    places = np.concatenate([[0], np.cumsum(lengths)])
    out = [np.zeros(int(places[-1]), dtype=np.uint32) for _ in range(3)]
    kernels.view_rows(*arguments, places[:-1], *out)

    expected, expected_edges = [], []
    for number, entries in enumerate(rows):
        seen, seen_edges = Counter(), Counter()
        for c, v in entries.items():
            seen[c if c < cut else 0] += v
            seen_edges[c if c < cut else 0] += v // 2
        keep = {}
        for c, v in seen.items():
            value = v - seen_edges[c] if near else v
            passes = not filtered or value == 0 or 2.0 * value >= right * a[number] * b[c]
            if passes and (c or with_unknown):
                keep[c if with_unknown else c - 1] = v
        expected.append(keep)
        expected_edges.append({c: seen_edges[c if with_unknown else c + 1] for c in keep})
    for found, wanted in ((out[1], expected), (out[2], expected_edges)):
        parts = [slice(*ends) for ends in itertools.pairwise(places)]
        assert [dict(zip(out[0][p].tolist(), found[p].tolist(), strict=True)) for p in parts] == wanted

    known = min(2, len(rows))
    sums, unknown = np.zeros((2, len(rows)), dtype=np.int64)
    columns = np.zeros(cut, dtype=np.int64)
    kernels.row_sums(block.pointers, block.indices, block.counts, block.large, cut, known, sums, unknown, columns)
    assert sums.tolist() == [sum(entries.values()) for entries in rows]
    assert unknown.tolist() == [sum(v for c, v in entries.items() if c == 0 or c >= cut) for entries in rows]
    total = Counter()
    for entries in rows[:known]:
        for c, v in entries.items():
            total[c if c < cut else 0] += v
    assert columns.tolist() == [total[c] for c in range(cut)]
