"""Shares of a memory limit, candidates that are merged on disk, words that are decoded when asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive._resources import anonymous_memory, fitting
from hyperdive.errors import OptionError
from hyperdive.pipeline.encode import encode
from hyperdive.text import encoder, item_stream, term_candidates
from hyperdive.text.forms import FormTable, TableWords, words_at
from hyperdive.text.readers import BLOCK_BYTES
from tests.examples import examples

MB = 10**6


def test_less_memory_means_smaller_parts_and_fewer_threads() -> None:
    assert [encoder.default_part_bytes(limit * MB, None) for limit in (10, 64, 1024, 8000)] == [
        10 * MB // 256, 64 * MB // 256, 1024 * MB // 256, 8 << 20,
    ]  # fmt: skip
    assert encoder.default_part_bytes(8000 * MB, None, share=3 << 20) == 3 << 20
    assert encoder.default_part_bytes(8000 * MB, None, share=5) == BLOCK_BYTES
    assert [encoder._threads(encoder.TextRun(threads=8, memory=limit * MB)) for limit in (200, 400, 8_000)] == [1, 3, 8]
    assert encoder.pattern_memory(1_000 * MB) == 100 * MB
    assert encoder.pattern_memory(10 * MB) == 1 << 24


def hold(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let this process have so much memory of its own."""
    monkeypatch.setattr("hyperdive._resources.anonymous_memory", lambda: size)


def test_forms_beyond_the_limit_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.txt").write_text("dog cat bird\n")
    hold(monkeypatch, 200 * MB)
    encode(tmp_path / "t.txt", tmp_path / "c", min_count=1, terms="none", patterns=False, memory=200 * MB + 330)
    with pytest.raises(OptionError, match=r"3 different words so far need .* at least --memory .* in parts"):
        encode(tmp_path / "t.txt", tmp_path / "d", terms="none", patterns=False, memory=200 * MB + 329)
    with pytest.raises(OptionError, match="what the text states"):
        encode(tmp_path / "t.txt", tmp_path / "d", terms="none", memory=260 * MB)


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
    assert fitting(300 * MB, 10**9, each=100) == MB
    assert fitting(300 * MB, 5, each=100) == 5
    assert fitting(300 * MB, 10**9, each=100 * MB, least=7) == 7
    assert fitting(300 * MB, 10**9, each=100 * MB) == 1 << 16
    assert fitting(None, 10**9, each=100) == 10**9


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
    monkeypatch.setattr(item_stream, "CHUNK_ITEMS", 40)
    monkeypatch.setattr(term_candidates, "fitting", lambda *_: 3)
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
