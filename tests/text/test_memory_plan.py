"""Shares of a memory limit, candidates that are merged on disk, words that are decoded when asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive._resources import anonymous_memory
from hyperdive.errors import OptionError
from hyperdive.options import EncodeOptions
from hyperdive.pipeline.encode import encode
from hyperdive.text import term_candidates
from hyperdive.text.forms import FormTable, TableWords, words_at
from hyperdive.text.lemmas import FormResolver
from hyperdive.text.memory_plan import MemoryPlan, pattern_memory
from hyperdive.text.readers import BLOCK_BYTES
from tests.examples import examples

MB = 10**6


def test_less_memory_means_smaller_shares() -> None:
    little, much = MemoryPlan.of(200 * MB, threads=8), MemoryPlan.of(8_000 * MB, threads=8)
    assert (much.threads, much.block_bytes, much.items) == (8, BLOCK_BYTES, 4 << 20)
    assert little.threads == 1
    assert little.block_bytes == 200 * MB // 256
    assert little.in_memory == 200 * MB // 16
    assert little.items == 200 * MB // 1024
    assert little.candidates == 200 * MB // 160
    assert MemoryPlan.of(10 * MB, threads=8).block_bytes == 1 << 18
    assert MemoryPlan.of(10 * MB, threads=8).items == 1 << 16
    assert pattern_memory(1_000 * MB) == 100 * MB
    assert pattern_memory(10 * MB) == 1 << 24


def hold(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let this process have so much memory of its own."""
    for module in ("_resources", "text.memory_plan"):
        monkeypatch.setattr(f"hyperdive.{module}.anonymous_memory", lambda: size)


def test_forms_beyond_the_limit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, 200 * MB)
    plan = MemoryPlan.of(300 * MB, threads=1)
    plan.check(500_000)
    with pytest.raises(OptionError, match=r"1,500,000 different words so far need .* at least --memory"):
        plan.check(1_500_000)
    MemoryPlan.of(None, threads=1).check(10**12)


@pytest.mark.parametrize(
    ("module", "constant", "what"),
    [("term_candidates", "_CANDIDATE_BYTES", "candidates for terms"), ("term_inventory", "_TERM_BYTES", "terms")],
)
def test_terms_beyond_the_limit_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, constant: str, what: str
) -> None:
    """400 MB were asked for and 551 MB used: the search for terms had no check of its own."""
    (tmp_path / "t.txt").write_text("The guide dog of the old fire engine ran near a sour cherry tree.\n" * 40)
    monkeypatch.setattr(f"hyperdive.text.{module}.{constant}", 10**9)
    with pytest.raises(OptionError, match=rf"of memory is too little: \d+ {what} need .* at least --memory"):
        encode(tmp_path / "t.txt", tmp_path / "c", min_count=1, memory=anonymous_memory() + 1_000 * MB)
    assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]
    encode(tmp_path / "t.txt", tmp_path / "c", min_count=1)


def test_what_has_room_in_the_rest_of_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, 200 * MB)
    plan = MemoryPlan.of(300 * MB, threads=1)
    assert plan.fitting(10**9, each=100) == MB
    assert plan.fitting(5, each=100) == 5
    assert plan.fitting(10**9, each=100 * MB, least=7) == 7
    assert MemoryPlan.of(None, threads=1).fitting(10**9, each=100) == 10**9
    plan.require(100 * MB, "words")
    plan.require_for_patterns()
    with pytest.raises(OptionError, match="what the text states"):
        MemoryPlan.of(290 * MB, threads=1).require_for_patterns()
    with pytest.raises(OptionError, match="words need"):
        plan.require(100 * MB + 1, "words")


runs = st.lists(st.dictionaries(st.integers(0, 60), st.integers(1, 9), max_size=25), max_size=5)


@given(runs, st.integers(1, 20), st.integers(1, 9))
@examples(90)
def test_runs_merged_on_disk_are_runs_merged_in_memory(parts: list[dict[int, int]], most: int, least: int) -> None:
    made = [
        (np.array(sorted(part), dtype=np.uint64), np.array([part[key] for key in sorted(part)], dtype=np.uint32))
        for part in parts
    ]
    sums: dict[int, int] = {}
    for part in parts:
        for key, value in part.items():
            sums[key] = sums.get(key, 0) + value
    hashes, counts = term_candidates._merged(made, least, most)
    assert dict(zip(hashes.tolist(), counts.tolist(), strict=True)) == {k: n for k, n in sums.items() if n >= least}
    assert hashes.tolist() == sorted(hashes.tolist())


def test_candidates_on_disk_do_not_change_a_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The guide dog of the old fire engine ran. A sour cherry tree grew near the fire engine.\n" * 60
    (tmp_path / "t.txt").write_text(text)
    whole = encode(tmp_path / "t.txt", tmp_path / "whole", min_count=1)
    real = MemoryPlan.of

    def small(*arguments: object, **options: object) -> MemoryPlan:
        plan = real(*arguments, **options)  # type: ignore[arg-type]
        return MemoryPlan(plan.limit, 1, 500, 0, 40, 3)

    monkeypatch.setattr(MemoryPlan, "of", small)
    few = encode(tmp_path / "t.txt", tmp_path / "few", min_count=1)
    assert few.fingerprint == whole.fingerprint
    assert few.terms is not None and len(few.terms.names) > 2


def test_words_of_a_table_are_a_sequence() -> None:
    table = FormTable()
    words = [f"wört{number}" if number % 7 else f"word{number}" for number in range(70_000)]
    table.add(words)
    sequence = TableWords(table, 1)
    assert list(sequence) == words
    assert (len(sequence), sequence[0], sequence[-1], sequence[5:8]) == (70_000, words[0], words[-1], words[5:8])
    assert list(TableWords(table, 0)) == ["", *words]
    places = np.random.default_rng(1).integers(0, len(words), 50)
    assert sequence.at(places) == [words[place] for place in places.tolist()]
    assert TableWords(table, 0).at([len(words), 0, 1]) == [words[-1], "", words[0]]
    assert TableWords(FormTable(), 0).at([0]) == [""]
    assert words_at(sequence, places) == words_at(words, places)
    for beyond in (-2, len(words)):
        with pytest.raises(IndexError):
            sequence.at([0, beyond])
    for place in (70_000, -70_001):
        with pytest.raises(IndexError):
            sequence[place]
    assert table.words(3, 5) == words[3:5]


def test_keys_of_forms_are_numbered_in_the_order_they_come() -> None:
    resolver = FormResolver(EncodeOptions())
    assert resolver.add_keys([("dog", False), ("", False), ("the", True), ("dog", False)]).tolist() == [
        False, False, True, False,
    ]  # fmt: skip
    assert resolver.add(["dogs", "cats", "THE"]).tolist() == [False, False, True]
    keys = resolver.keys()
    assert list(keys.words) == ["", "dog", "the", "cat"]
    assert keys.of_form.tolist() == [0, 1, 0, 2, 1, 1, 3, 2]
    assert keys.stop.tolist() == [False, False, True, False]
    block = resolver.block_keys(np.array([1, 2, 3, 6], dtype=np.uint32))
    assert block.of_form.tolist() == [0, 1, 0, 2, 3] and block.table.words(0) == ["dog", "the", "cat"]


def test_shares_to_the_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 250_000_000 + 3 * 30 * (1 << 20)  # of the process, and of three threads
    assert [MemoryPlan.of(limit + more, threads=8).threads for more in (-1, 0)] == [2, 3]
    assert MemoryPlan.of(limit, threads=2, block_bytes=100).threads == 2
    assert MemoryPlan.of(limit, threads=8).block_bytes == 1 << 20
    assert MemoryPlan.of(10 * MB, threads=1, block_bytes=100).block_bytes == 100
    hold(monkeypatch, 200 * MB)
    plan = MemoryPlan.of(300 * MB, threads=1)
    plan.check(909_090)  # 110 bytes each
    with pytest.raises(OptionError, match="909,091 different words"):
        plan.check(909_091)
    assert plan.fitting(10**9, each=100 * MB) == 1 << 16
    MemoryPlan.of(200 * MB, threads=1).release()  # all of it is held, and nothing more is asked for
    with pytest.raises(OptionError, match="1 different words"):
        MemoryPlan.of(200 * MB, threads=1).release(1)
