"""Rows that wait on disk give the bytes of rows that wait in memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.patterns.collector import Collector
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.store import Patterns
from tests.examples import examples

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


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def saved(collector: Collector, folder: Path, pieces: Sequence[Matches] = ()) -> dict[str, bytes]:
    for piece in pieces:
        collector.add(piece)
    collector.finish(documents=100).save(folder)
    return contents(folder)


@pytest.mark.parametrize("total", [10_000, 150])
@pytest.mark.parametrize("memory", [0, 3_000, 60_000])
def test_the_limit_does_not_change_a_byte(tmp_path: Path, memory: int, total: int) -> None:
    pieces = [some_matches(seed, 400, 60, 9 * seed) for seed in range(6)]
    options: dict[str, Any] = {"precision": (0.8, 0.9, 1.0, 0.5), "total": total}
    bounded = saved(Collector(NAMES, memory=memory, scratch=tmp_path, **options), tmp_path / "few", pieces)
    assert bounded == saved(Collector(NAMES, **options), tmp_path / "all", pieces)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all", "few"]


def test_parts_that_were_spilled_are_taken_in_whole(tmp_path: Path) -> None:
    pieces = [some_matches(seed, 200, 40, 9 * seed) for seed in range(4)]
    whole = Collector(NAMES, memory=1_000)
    for start in (0, 2):
        part = Collector(NAMES, memory=0)
        for piece in pieces[start : start + 2]:
            part.add(piece)
        whole.add_state(*part.state(), 0)
    assert saved(whole, tmp_path / "parts") == saved(Collector(NAMES), tmp_path / "all", pieces)


def test_memory_does_not_grow_with_the_statements() -> None:
    terms = Texts.of([f"t{number}" for number in range(2_000)])

    def peak(memory: int, pieces: int) -> int:
        collector, choice, size = Collector(NAMES, memory=memory, total=5_000), np.random.default_rng(0), 2_000
        spans = np.tile([0, 2], (size, 1))
        tracemalloc.start()
        for _ in range(pieces):
            columns = (choice.integers(0, limit, size) for limit in (2_000, 2_000, 2, 1))
            texts = Texts.of([f"is {number}" for number in choice.integers(0, 1 << 40, size)])
            collector.add(Matches(terms, *columns, np.arange(size), spans, spans, texts))
        collector.finish(documents=1)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1 << 20, 1)  # libraries and compiled code
    limited, unlimited = peak(1 << 20, 100), peak(1 << 30, 100)
    assert limited < 0.3 * unlimited


@given(st.data())
@examples(40)
def test_statements_are_those_of_a_twin_that_counts_one_by_one(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 8))
    row = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), st.integers(0, 3))
    pieces = data.draw(st.lists(st.lists(row, min_size=1, max_size=30), min_size=1, max_size=4))
    collector = Collector(NAMES, memory=data.draw(st.sampled_from([0, 1 << 20])))
    counted: dict[tuple[str, str, str], int] = {}
    times: dict[str, list[int]] = {}
    for piece in pieces:
        terms = [f"t{number}" for number in range(size)]
        columns = [list(column) for column in zip(*piece, strict=True)]
        collector.add(Matches(Texts.of(terms), *columns, np.zeros(len(piece))))  # type: ignore[arg-type]
        for hyponym, hypernym, pattern in piece:
            key = terms[hyponym], terms[hypernym], NAMES[pattern]
            counted[key] = counted.get(key, 0) + 1
            for term in key[:2]:
                both = times.setdefault(term, [0, 0])
                both[0] -= NAMES[pattern] != "head"
                both[1] -= 1
    found = collector.finish(documents=1)
    assert found.terms == sorted(times, key=lambda term: (*times[term], term))
    numbers = [(found.index(q), found.index(p), NAMES.index(name), n) for (q, p, name), n in counted.items()]
    *columns, values = zip(*sorted(numbers), strict=True)
    assert found.keys.tolist() == pack(*columns).tolist() and found.values.tolist() == list(values)
    assert found.pairs == found.counts.nnz
    rows, columns_of, total = found.totals
    assert rows.tolist() == found.counts.sum(axis=1).tolist()
    assert columns_of.tolist() == found.counts.sum(axis=0).tolist()
    assert total == int(found.counts.data.sum())


def test_saved_patterns_open_as_they_were(tmp_path: Path) -> None:
    collector = Collector(NAMES, memory=0)
    for seed in range(3):
        collector.add(some_matches(seed, 300, 30, 0))
    patterns = collector.finish(documents=3)
    patterns.save(tmp_path / "p")
    back = Patterns.open(tmp_path / "p")
    assert back.terms == patterns.terms
    assert np.array_equal(back.keys, patterns.keys)
    assert back.pairs == patterns.pairs
    assert back.evidence("big t0", "t1") == patterns.evidence("big t0", "t1")
