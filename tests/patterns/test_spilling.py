"""Rows that wait on disk give the bytes of rows that wait in memory, and files written in pieces are whole files."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from hyperdive._store import ArtifactWriter
from hyperdive.patterns import store_files
from hyperdive.patterns.collector import Collector
from hyperdive.patterns.evidence import pack, unpack
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.pair_counts import StoredCounts, summed
from hyperdive.patterns.sorted_runs import merged_ranges
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.store_files import save_table
from hyperdive.text.scratch_arrays import Scratch

NAMES = ("such as", "is a", "head", "other")


def some_matches(seed: int, rows: int, terms: int, first: int) -> Matches:
    """Random matches: few terms have many pairs, sentences repeat, some are long."""
    choice = np.random.default_rng(seed)
    hyponym = np.minimum(choice.zipf(1.3, rows), terms) - 1
    hypernym = (hyponym + np.minimum(choice.zipf(1.5, rows), terms - 1)) % terms
    texts = [f"number {n} is kept {'é ' * int(n)}" for n in choice.integers(0, 300, rows // 2)]
    sentence = choice.integers(0, len(texts), rows)
    spans = np.tile([0, 6], (rows, 1))
    return Matches(
        Texts.of([f"t{number}" if number % 3 else f"big t{number}" for number in range(terms)]),
        hyponym,
        hypernym,
        choice.integers(0, len(NAMES), rows),
        np.sort(choice.integers(first, first + 9, rows)),
        sentence=sentence,
        hyponym_span=spans,
        hypernym_span=spans + 8,
        sentences=Texts.of(texts),
    )


def folder_bytes(collector: Collector, folder: Path, pieces: Sequence[Matches]) -> dict[str, bytes]:
    for piece in pieces:
        collector.add(piece)
    save_table(collector.table(documents=100), folder, parameters={})
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("total", [10_000, 150])
@pytest.mark.parametrize("memory", [0, 3_000, 60_000])
def test_the_limit_does_not_change_a_byte(tmp_path: Path, memory: int, total: int) -> None:
    pieces = [some_matches(seed, 400, 60, 9 * seed) for seed in range(6)]
    options = {"precision": (0.8, 0.9, 1.0, 0.5), "total": total}
    bounded = Collector(NAMES, memory=memory, scratch=tmp_path, **options)  # type: ignore[arg-type]
    assert folder_bytes(bounded, tmp_path / "few", pieces) == folder_bytes(
        Collector(NAMES, **options),  # type: ignore[arg-type]
        tmp_path / "all",
        pieces,
    )
    assert len(bounded._spilled_runs) > (4 if memory < 10_000 else 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all", "few"]


def test_parts_that_were_spilled_are_taken_in_whole(tmp_path: Path) -> None:
    pieces = [some_matches(seed, 200, 40, 9 * seed) for seed in range(4)]
    first, second = Collector(NAMES, memory=0), Collector(NAMES, memory=0)
    for piece in pieces[:2]:
        first.add(piece)
    for piece in pieces[2:]:
        second.add(piece)
    whole = Collector(NAMES, memory=1_000)
    whole.add_state(*first.state(), 0)
    whole.add_state(*second.state(), 0)
    save_table(whole.table(documents=100), tmp_path / "parts", parameters={})
    expected = folder_bytes(Collector(NAMES), tmp_path / "all", pieces)
    assert {path.name: path.read_bytes() for path in sorted((tmp_path / "parts").iterdir())} == expected


@given(st.lists(st.lists(st.integers(0, 2_000), max_size=40), min_size=1, max_size=5), st.integers(1, 50))
@settings(max_examples=60)
def test_ranges_hold_every_row_once_and_never_part_a_pair(runs: list[list[int]], rows: int) -> None:
    sorted_runs = [[np.array(sorted(run), dtype=np.uint64), np.arange(len(run))] for run in runs]
    seen, last = [], -1
    for (keys, _), (low, high) in merged_ranges(sorted_runs, rows):
        assert all(low <= key < high for key in keys.tolist())
        assert all(key >> 8 > last for key in keys.tolist())
        last = max(keys.tolist()) >> 8
        seen += keys.tolist()
    assert sorted(seen) == sorted(key for run in runs for key in run)


def test_ranges_have_about_the_rows_that_are_asked_for() -> None:
    choice = random.Random(0)
    runs = [[np.array(sorted(choice.sample(range(0, 1 << 30, 256), 1_000)), dtype=np.uint64)] for _ in range(7)]
    sizes = [len(columns[0]) for columns, _ in merged_ranges(runs, 500)]
    assert max(sizes) <= 500
    assert len(sizes) < 50


@given(st.data())
@settings(max_examples=40)
def test_counts_sorted_in_stretches_are_sorted_at_once(data: st.DataObject) -> None:
    """The twin sorts everything in memory."""
    size = data.draw(st.integers(1, 12))
    row = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), st.integers(0, 3))
    runs = [summed(pack(*zip(*rows, strict=True)), np.ones(len(rows), np.int64))
            for rows in data.draw(st.lists(st.lists(row, min_size=1, max_size=30), min_size=1, max_size=4))]  # fmt: skip
    disk = data.draw(st.booleans())
    counts = StoredCounts(runs, size, 2, Scratch(None, 0 if disk else 1 << 20), data.draw(st.integers(1, 20)))
    keys, values = summed(np.concatenate([run[0] for run in runs]), np.concatenate([run[1] for run in runs]))
    hyponym, hypernym, pattern = unpack(keys)
    used = np.union1d(hyponym, hypernym)
    table = np.full(size, -1)
    table[used] = data.draw(st.permutations(range(len(used))))
    order = np.lexsort((pattern, table[hypernym], table[hyponym]))
    found = counts.sorted_by(table, Scratch(None, 0 if disk else 1 << 20))
    assert found["hypernyms"].tolist() == table[hypernym][order].tolist()
    assert found["patterns"].tolist() == pattern[order].tolist()
    assert found["values"].tolist() == values[order].tolist()
    assert np.diff(found["pointers"]).tolist() == [int((table[hyponym] == number).sum()) for number in range(len(used))]
    ordinary = pattern != 2
    assert counts.sums.hyponym.tolist() == [int(values[ordinary & (hyponym == n)].sum()) for n in range(size)]
    assert counts.sums.hypernym.tolist() == [int(values[ordinary & (hypernym == n)].sum()) for n in range(size)]
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, 1 << 41)] * 2)))
    inside = [key for key in keys.tolist() if low <= key < high]
    assert counts.between(low, high)[0].tolist() == inside


def test_sums_and_pairs_in_chunks_are_those_of_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    collector = Collector(NAMES)
    for seed in range(3):
        collector.add(some_matches(seed, 300, 30, 0))
    patterns = collector.finish(documents=1)
    table = patterns.table
    monkeypatch.setattr("hyperdive.patterns.pattern_table._CHUNK", 7)
    rows, columns, total = store_files.replace(table, totals=None).sums
    assert rows.tolist() == patterns.counts.sum(axis=1).tolist()
    assert columns.tolist() == patterns.counts.sum(axis=0).tolist()
    assert total == int(patterns.counts.data.sum()) > 0
    assert table.stated_pairs == patterns.counts.nnz


def test_a_tensor_file_in_pieces_has_the_bytes_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_files, "_CHUNK", 3)
    arrays = {
        "b": np.arange(5, dtype=np.uint8), "a": np.arange(7, dtype=np.uint8), "long": np.arange(9, dtype=np.uint64),
        "x.v": np.ones((4, 2), dtype=np.float16), "e": np.arange(4, dtype=np.int8), "none": np.zeros(0, dtype=np.uint8),
        "w": np.arange(3, dtype=np.uint32), "h": np.arange(3, dtype=np.uint16),
    }  # fmt: skip
    with ArtifactWriter(tmp_path / "a", "test", 1) as writer:
        tensors = {name: store_files._Tensor(array, array.dtype) for name, array in arrays.items()}
        store_files._write_tensors(tensors, writer.stream("t"))
        writer.finish({})
    assert (tmp_path / "a" / "t").read_bytes() == save(arrays)


def test_saved_patterns_open_as_they_were(tmp_path: Path) -> None:
    collector = Collector(NAMES, memory=0)
    for seed in range(3):
        collector.add(some_matches(seed, 300, 30, 0))
    patterns = collector.finish(documents=3)
    patterns.save(tmp_path / "p")
    back = Patterns.open(tmp_path / "p")
    assert back.terms == patterns.terms
    assert np.array_equal(back.keys, patterns.keys)
    assert back.pairs == patterns.pairs == patterns.table.stated_pairs
    assert [one.sentence for one in back.evidence("big t0", "t1")] == [
        one.sentence for one in patterns.evidence("big t0", "t1")
    ]
