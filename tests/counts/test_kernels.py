"""Every kernel beside its slow twin."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.kernels import counts as kernels
from tests.examples import examples

slowly = examples(60)
TYPES = 5_000  # more than one word of bits, and more than one word of words
WORD = st.one_of(st.integers(0, 9), st.integers(0, TYPES - 1))
NONE = np.zeros(0, dtype=np.int64)


def tokens_of():
    return st.lists(WORD, min_size=1, max_size=60).map(lambda t: np.array(t, dtype=np.uint32))


def sparse(rows):
    """[{index: count}] as pointers, indices, counts, edges (edges = count // 2)."""
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    indices = np.array([c for row in rows for c in sorted(row)], dtype=np.uint32)
    counts = np.array([row[c] for row in rows for c in sorted(row)], dtype=np.uint32)
    return pointers, indices, counts, counts // np.uint32(2)


def plain(pointers, indices, counts):
    """The other way round."""
    return [
        dict(zip(indices[a:b].tolist(), counts[a:b].tolist(), strict=True)) for a, b in itertools.pairwise(pointers)
    ]


rows_of = st.lists(st.dictionaries(WORD, st.integers(1, 50), max_size=12), min_size=1, max_size=6)


def scratch(dtype=np.uint32):
    return (
        np.zeros(TYPES, dtype=dtype),
        np.zeros(TYPES, dtype=dtype),
        np.zeros(TYPES // 64 + 1, dtype=np.uint64),
        np.zeros(TYPES // 4096 + 1, dtype=np.uint64),
    )


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
    room = 1 + 2 * window * len(tokens)
    indices, counts, edges = np.empty(room, np.uint32), np.empty(room, dtype), np.empty(room, dtype)
    lengths = np.empty(TYPES, dtype=np.int64)
    row, edge_row, bits, summary = scratch(dtype)
    n = kernels.count_rows(
        tokens, positions, left, right, starts, 0, TYPES, np.uint32(cut), weights, window, row, edge_row, bits, summary,
        indices, counts, edges, lengths,
    )  # fmt: skip
    slow, slow_edges = Counter(), Counter()
    for p, word in enumerate(tokens.tolist()):
        for q in range(p // line * line, min(p // line * line + line, len(tokens))):
            c = int(tokens[q]) if tokens[q] < cut else 0
            if 0 < abs(p - q) <= window:
                slow[word, c] += int(weights[abs(p - q)]) if weighted else 1
                slow_edges[word, c] += abs(p - q) == window
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    found = plain(pointers, indices[:n], counts[:n])
    assert {(w, c): v for w, entries in enumerate(found) for c, v in entries.items()} == slow
    found_edges = plain(pointers, indices[:n], edges[:n])
    assert {(w, c): v for w, entries in enumerate(found_edges) for c, v in entries.items()} == slow_edges
    for a, b in itertools.pairwise(pointers):
        assert np.all(np.diff(indices[a:b].astype(int)) > 0)
    assert not row.any()
    assert not edge_row.any()
    assert not bits.any()
    assert not summary.any()


@pytest.mark.parametrize(("dtype", "expected"), [(np.uint64, 3 * 2**32), (np.uint32, 0)])
def test_counts_above_two_to_the_32_need_64_bits(dtype, expected):
    """The layout gives such rows 64 bits; here the kernel keeps every one of them, where 32 would wrap to 0."""
    tokens = np.array([1, 2, 1, 2], dtype=np.uint32)
    positions, left, right, starts = inverted(tokens, np.array([0, 4]), 3)
    indices, counts = np.empty(20, np.uint32), np.empty(20, dtype)
    row, _, bits, summary = scratch(dtype)
    weights = np.full(4, 3 * 2**30, dtype=np.int64)
    n = kernels.count_rows(
        tokens, positions, left, right, starts, 1, 2, np.uint32(TYPES), weights, 0, row, row[:0], bits, summary,
        indices, counts, counts[:0], np.empty(1, dtype=np.int64),
    )  # fmt: skip
    if dtype is np.uint64:
        assert indices[:n].tolist() == [1, 2]
    assert int(counts[n - 1]) == expected


@slowly
@given(rows_of, st.data())
def test_add_rows(first, data):
    row = st.dictionaries(WORD, st.integers(1, 50), max_size=12)
    second = data.draw(st.lists(row, min_size=len(first), max_size=len(first)))
    a, b = sparse(first), sparse(second)
    room = len(a[1]) + len(b[1])
    pointers = np.empty(len(first) + 1, dtype=np.int64)
    indices, counts, edges = (np.empty(max(room, 1), dtype=np.uint32) for _ in range(3))
    n = kernels.add_rows(*a, *b, pointers, indices, counts, edges)
    expected = [dict(Counter(x) + Counter(y)) for x, y in zip(first, second, strict=True)]
    assert plain(pointers, indices[:n], counts[:n]) == expected
    halves = [Counter({c: v // 2 for c, v in x.items()}) for x in (*first, *second)]
    for row_number, entries in enumerate(plain(pointers, indices[:n], edges[:n])):
        for c, value in entries.items():
            assert value == halves[row_number][c] + halves[len(first) + row_number][c]


def packed(rows):
    """The bytes of a packed row block, one entry after the other."""

    def number(value):
        return [value & 127 | 128, *number(value >> 7)] if value > 127 else [value]

    data = []
    for entries in rows:
        before = -1
        for index, (count, edge) in sorted(entries.items()):
            gap = index - before - 1
            single = (count, edge) == (1, 0)
            data += [gap % 64 + 64 * single + 128 * (gap > 63), *(number(gap // 64) if gap > 63 else [])]
            if not single:
                data += [16 * count + edge] if count < 15 and edge < 16 else [240, *number(count), *number(edge)]
            before = index
    return [*data, 0]


PLACE = st.one_of(st.integers(0, 300), st.sampled_from([63, 64, 8191, 8192, 2**20, 2**20 + 8193, 2**32 - 2]))
LARGE = st.one_of(st.integers(1, 20), st.sampled_from([14, 15, 16, 127, 128, 255, 16_383, 16_384, 2**32 - 1]))


@slowly
@given(st.lists(st.dictionaries(PLACE, LARGE, max_size=12), max_size=5), st.data())
def test_pack_rows_and_add_them(rows, data):
    rows = [{index: (count, data.draw(st.integers(0, count))) for index, count in row.items()} for row in rows]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    entries = [(index, *values) for row in rows for index, values in sorted(row.items())]
    indices, counts, edges = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    arrays = [indices.astype(np.uint32), counts.astype(np.uint32), edges.astype(np.uint32)]
    bytes_of = np.zeros(16 * len(entries) + 1, dtype=np.uint8)
    used = kernels.pack_rows(lengths, *arrays, bytes_of)
    assert bytes_of[:used].tolist() == packed(rows)

    first = [dict.fromkeys(data.draw(st.lists(st.integers(0, 40_000), max_size=4)), (3, 1)) for _ in rows]
    first = [{**own, **dict.fromkeys(list(row)[:2], (3, 1))} for own, row in zip(first, rows, strict=True)]
    pointers, *total = sparse([{index: count for index, (count, _) in row.items()} for row in first])
    to_pointers = np.empty(len(rows) + 1, dtype=np.int64)
    out = [np.zeros(len(entries) + len(total[0]) + 1, dtype=np.uint64) for _ in range(3)]
    n = kernels.add_packed_rows(pointers, *total, lengths, bytes_of[:used], to_pointers, *out)
    for at, (own, row) in enumerate(zip(first, rows, strict=True)):
        made = slice(to_pointers[at], to_pointers[at + 1])
        expected = [
            (index, *(sum(entry.get(index, (0, 0))[k] for entry in (own, row)) for k in (0, 1)))
            for index in sorted({*own, *row})
        ]
        assert list(zip(*(array[made].tolist() for array in out), strict=True)) == expected
    assert n == to_pointers[-1]


@slowly
@given(rows_of, st.integers(0, 2**32))
def test_renumber_gather_join_and_check(rows, seed):
    draw = np.random.default_rng(seed)
    pointers, indices, counts, edges = sparse(rows)
    table = draw.permutation(TYPES).astype(np.uint32)
    row, edge_row, bits, summary = scratch()
    out = [np.empty(len(indices) + 1, dtype=np.uint32) for _ in range(3)]
    lengths = np.empty(len(rows), dtype=np.int64)
    n = kernels.renumber_rows(pointers, indices, counts, edges, table, row, edge_row, bits, summary, *out, lengths)
    renumbered = [{int(table[c]): v for c, v in entries.items()} for entries in rows]
    assert plain(pointers, out[0][:n], out[1][:n]) == renumbered
    assert kernels.check_rows(pointers, out[0], out[1], TYPES) == sum(counts.tolist())
    assert not row.any()
    assert not edge_row.any()

    order = draw.permutation(len(rows))
    places = np.concatenate([[0], np.cumsum([len(rows[i]) for i in order])])
    gathered = [np.empty(len(indices), dtype=np.uint64) for _ in range(3)]
    kernels.gather_rows(pointers, indices, counts, edges, order, places[:-1], *gathered)
    assert plain(places, gathered[0], gathered[1]) == [rows[i] for i in order]

    cut = 1_000
    kernels.join_rows(pointers, indices, counts, edges, order, table, np.uint32(cut), row, edge_row)
    expected = Counter()
    for entries in renumbered:
        for c, v in entries.items():
            expected[c if c < cut else 0] += v
    assert {c: int(row[c]) for c in np.flatnonzero(row)} == dict(expected)


@pytest.mark.parametrize("indices", [[3, 3], [3, 2], [3, TYPES]])
def test_check_rows_finds_indices_out_of_place(indices):
    arrays = np.array([0, 2]), np.array(indices, dtype=np.uint32), np.ones(2, dtype=np.uint32)
    assert kernels.check_rows(*arrays, TYPES) == -1


@slowly
@given(rows_of, st.integers(1, TYPES), st.booleans(), st.booleans(), st.booleans(), st.floats(0.0, 3.0))
def test_view_and_sums(rows, cut, with_unknown, filtered, near, right):
    pointers, indices, counts, edges = sparse(rows)
    first = 0
    a, b = np.arange(1.0, len(rows) + 1), np.linspace(0.5, 2.0, cut)
    arguments = (
        pointers, indices, counts, edges, first, np.uint32(cut), with_unknown, filtered, near, 2.0, right, a, b
    )  # fmt: skip
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
    assert plain(places, out[0], out[1]) == expected
    assert plain(places, out[0], out[2]) == expected_edges

    sums, unknown = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    columns = np.zeros(cut, dtype=np.int64)
    kernels.row_sums(pointers, indices, counts, cut, sums, unknown, columns)
    assert sums.tolist() == [sum(entries.values()) for entries in rows]
    assert unknown.tolist() == [sum(v for c, v in entries.items() if c == 0 or c >= cut) for entries in rows]
    total = Counter()
    for entries in rows:
        for c, v in entries.items():
            total[c if c < cut else 0] += v
    assert columns.tolist() == [total[c] for c in range(cut)]
