"""The memory of the process that puts parts together: it grows with words and terms, not with the text."""

from __future__ import annotations

import multiprocessing
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hyperdive
from hyperdive._engine import TaskFunction, result_place
from hyperdive._resume import read_stage, write_stage
from hyperdive._types import Array
from hyperdive.engines import LocalEngine
from hyperdive.pipeline import encode as encode_module
from tests.engines.conftest import rare_lines


def _run(place: Path, function: TaskFunction, task: Any) -> None:
    write_stage(place, *function(task))


class ProcessEngine(LocalEngine):
    """Runs tasks in a process of their own, so that only the driver's memory is this process's."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        super().__init__(1)
        self._pool = pool

    def results(
        self,
        folder: Path | None,
        stage: str,
        function: TaskFunction,
        tasks: Iterable[Any],
        addresses: Sequence[str | None] | None = None,
    ) -> Iterator[tuple[dict[str, Any], dict[str, Array]]]:
        if folder is None:
            yield from super().results(folder, stage, function, tasks)
            return
        for number, task in enumerate(tasks):
            place = result_place(folder, stage, number)
            self._pool.submit(_run, place, function, task).result()
            yield read_stage(place, verify=False)


@pytest.fixture(scope="module")
def engine() -> Iterator[ProcessEngine]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield ProcessEngine(pool)


@pytest.fixture
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may stay in memory up to a limit is put on disk."""
    monkeypatch.setattr("hyperdive.text.item_stream.CHUNK_ITEMS", 1 << 14)
    monkeypatch.setattr("hyperdive.text.term_candidates.fitting", lambda *_: 1 << 10)
    monkeypatch.setattr(encode_module, "pattern_memory", lambda limit: 1 << 18)
    monkeypatch.setattr(encode_module, "KEPT_BYTES", 1)
    for name in ("corpus_writer._CHUNK_TOKENS", "corpus_writer._CHUNK_DOCUMENTS", "fold._CHUNK", "term_items._CHUNK",
                 "term_items._CHUNK_DOCUMENTS", "term_inventory._CHUNK"):  # fmt: skip
        monkeypatch.setattr(f"hyperdive.text.{name}", 1 << 10)


def peak_of(text: Path, corpus: Path, engine: ProcessEngine, **options: Any) -> int:
    """The most memory that Python and NumPy had at a time for encoding."""
    tracemalloc.start()
    try:
        hyperdive.encode(text, corpus, engine=engine, part_bytes=200_000, min_count=2, **options)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def short_documents() -> bytes:
    """Short documents with numerals and patterns."""
    lines = [f"In {1000 + n} dogs such as poodles slept.\nA guide dog of Mr. X.\n" for n in range(1000)]
    return rare_lines(1, 60_000) + "".join(lines).encode()


def peaks_of(folder: Path, engine: ProcessEngine, sizes: Sequence[int], **options: Any) -> list[int]:
    """The peaks of encoding the short documents so many times over; modules and lists of words are loaded before."""
    peaks = []
    for times in (1, *sizes):
        text = folder / f"{times}.txt"
        text.write_bytes(short_documents() * times)
        peaks.append(peak_of(text, folder / f"corpus-{times}", engine, **options))
    return peaks[1:]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"patterns": False}, {"line_length": "document", "rare": "drop"}])
def test_more_documents_of_the_same_words_take_no_more_memory(
    tmp_path: Path, engine: ProcessEngine, small_shares: None, options: dict[str, Any]
) -> None:
    """An array over documents of 32 bits would take 1.1 MB more; what is new is a few names for each part."""
    fewer, more = peaks_of(tmp_path, engine, (72, 288), terms="none", **options)
    assert more - fewer < 2 * (288 - 72) * short_documents().count(b"\n")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"shuffle": 3, "line_length": "document", "rare": "drop"}])
def test_more_text_of_the_same_terms_takes_no_more_memory(
    tmp_path: Path, engine: ProcessEngine, small_shares: None, options: dict[str, Any]
) -> None:
    """So often that all phrases are frequent already. The peak is that of the terms, below which an array can hide."""
    fewer, more = peaks_of(tmp_path, engine, (6, 36), **options)
    assert more - fewer < 0.1 * (36 - 6) * len(short_documents())
