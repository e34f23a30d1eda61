"""A run that is stopped goes on where it was, and ends with the same bytes; a full disk says what to do."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperdive import _store
from hyperdive._resources import Run
from hyperdive._resume import WorkFolder
from hyperdive.counts import count as counting
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import BlockCounter, count
from hyperdive.counts.merge import merge
from hyperdive.errors import DiskFullError, FormatError, OutputError
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus

from .reference import corpus_of, files, folder
from .test_count import big_corpus

BLOCK = 7_000
"""Three blocks of the corpus."""


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperdive.counts.rows.RANGE_ENTRIES", 10_000)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return corpus_of(big_corpus(20_000), min_count=3)


@pytest.fixture(scope="module")
def whole(corpus: Corpus) -> dict[str, bytes]:
    place = folder() / "counts"
    run(corpus, place)
    return files(place)


def run(corpus: Corpus, place: Path, block_tokens: int | None = None, window: int = 10, **options: Any) -> None:
    rules = CountOptions(window=window)
    count([corpus], place, options=rules, block_tokens=block_tokens, run=Run(threads=1, **options))


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The blocks that were counted; a None is put there to stop at that one."""
    honest, seen = BlockCounter.__call__, list[Any]()

    def noted(self: Any, pieces: Any) -> Any:
        if seen and seen[-1] is None:
            seen.pop()
            raise KeyboardInterrupt
        seen.append(pieces)
        return honest(self, pieces)

    monkeypatch.setattr(BlockCounter, "__call__", noted)
    return seen


def stop(corpus: Corpus, place: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """A run in blocks of which so many are counted."""
    honest, made = BlockCounter.__call__, list[Any]()

    def stopped(self: Any, pieces: Any) -> Any:
        if len(made) == after:
            raise KeyboardInterrupt
        made.append(pieces)
        return honest(self, pieces)

    with monkeypatch.context() as patch:
        patch.setattr(BlockCounter, "__call__", stopped)
        with pytest.raises(KeyboardInterrupt):
            run(corpus, place, BLOCK)
    assert not place.exists()


@pytest.mark.parametrize("after", [1, 2])
def test_an_interrupted_run_resumes(
    corpus: Corpus, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, blocks: list[Any], after: int
) -> None:
    place = folder() / "counts"
    stop(corpus, place, monkeypatch, after)
    assert len(list((place.parent / ".counts.count").glob("rows-of-*"))) == after
    blocks.clear()
    run(corpus, place, BLOCK)
    assert files(place) == whole
    assert len(blocks) == 3 - after
    assert [path.name for path in place.parent.iterdir()] == ["counts"]


def test_a_run_stopped_while_its_blocks_are_added_up_resumes(
    corpus: Corpus, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, blocks: list[Any]
) -> None:
    place, honest = folder() / "counts", counting.write_counts

    def stopped(output: Path, content: Any, rows: Iterator[Any], **options: Any) -> Any:
        def few() -> Iterator[Any]:
            for number, row in enumerate(rows):
                if number == 5:
                    raise KeyboardInterrupt
                yield row

        return honest(output, content, few(), **options)

    with monkeypatch.context() as patch:
        patch.setattr(counting, "write_counts", stopped)
        with pytest.raises(KeyboardInterrupt):
            run(corpus, place, BLOCK)
    assert [path.name for path in place.parent.iterdir()] == [".counts.count"]
    blocks.clear()
    run(corpus, place, BLOCK)
    assert not blocks and files(place) == whole


def test_a_damaged_piece_is_not_used(corpus: Corpus, monkeypatch: pytest.MonkeyPatch, whole: dict[str, bytes]) -> None:
    place = folder() / "counts"
    stop(corpus, place, monkeypatch, 2)
    [piece] = (place.parent / ".counts.count").glob("rows-of-3-000001/indices.npy")
    flipped = bytearray(piece.read_bytes())
    flipped[-1] ^= 1
    piece.write_bytes(flipped)
    with pytest.raises(FormatError, match=r"indices\.npy does not match its checksum"):
        run(corpus, place, BLOCK)
    run(corpus, place, BLOCK)
    assert files(place) == whole


def test_other_blocks_do_not_use_these_pieces(
    corpus: Corpus, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder() / "counts"
    stop(corpus, place, monkeypatch, 2)
    run(corpus, place, 11_000)
    assert files(place) == whole


def test_other_parameters_need_a_restart(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    place, other = folder() / "counts", folder() / "counts"
    stop(corpus, place, monkeypatch, 1)
    with pytest.raises(OutputError, match="interrupted run with other options"):
        run(corpus, place, window=4)
    run(corpus, place, window=4, restart=True)
    run(corpus, other, window=4)
    assert files(place) == files(other)


def test_a_run_stopped_at_once_leaves_nothing(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder() / "counts"
    stop(corpus, place, monkeypatch, 0)
    assert list(place.parent.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_process_resumes(tmp_path: Path) -> None:
    corpus = corpus_of(big_corpus(200_000), min_count=3)
    place = tmp_path / "counts"
    program = (
        "import sys, time; from pathlib import Path; from hyperdive._resources import Run\n"
        "from hyperdive.counts import count, rows; from hyperdive.text.corpus import Corpus\n"
        "rows.RANGE_ENTRIES = 10_000\n"
        "original = count.BlockCounter.__call__\n"
        "def slow(self, pieces):\n    time.sleep(0.2); return original(self, pieces)\n"
        "count.BlockCounter.__call__ = slow\n"
        "count.count([Corpus.open(sys.argv[1])], Path(sys.argv[2]), block_tokens=20_000, run=Run(threads=2))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(corpus.path), str(place)])
    work = tmp_path / ".counts.count"
    for _ in range(1200):
        if len(list(work.glob("rows-of-*/header.json"))) > 1:
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not place.exists()
    assert list(work.glob("rows-of-*/header.json"))
    run(corpus, place, 20_000)
    uncut = folder() / "counts"
    run(corpus, uncut)
    assert files(place) == files(uncut)
    assert [path.name for path in tmp_path.iterdir()] == ["counts"]


@pytest.mark.parametrize("moment", ["rows-of-3-000002", ".counts.partial"])
def test_a_full_disk(corpus: Corpus, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """While a later block is written, and while the sum is."""
    place, honest = folder() / "counts", _store.FileWriter.append

    def full(self: Any, piece: Any) -> None:
        if moment in str(self._path) and self._path.name == "indices.npy":
            raise OSError(errno.ENOSPC, "No space left on device", str(self._path))
        honest(self, piece)

    with monkeypatch.context() as patch:
        patch.setattr(_store.FileWriter, "append", full)
        with pytest.raises(OutputError, match=r"the disk is full .*type the same command to go on") as error:
            run(corpus, place, BLOCK)
        assert not isinstance(error.value, DiskFullError)
    assert not place.exists()
    run(corpus, place, BLOCK)
    assert files(place) == whole


def test_a_run_under_way_is_left_alone(corpus: Corpus) -> None:
    place = folder() / "counts"
    work = place.parent / ".counts.count"
    work.mkdir()
    program = (
        "import sys; from pathlib import Path; from hyperdive._locks import OwnerLock\n"
        "OwnerLock(Path(sys.argv[1]), 'x').acquire(); print('mine', flush=True); input()"
    )
    command = [sys.executable, "-c", program, str(work)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"mine\n"
        with pytest.raises(OutputError, match=rf"another run \(process {other.pid}\)"):
            run(corpus, place)
    finally:
        other.kill()
        other.wait()
    run(corpus, place)  # the lock of a process that was killed is gone


def test_a_merge_that_is_stopped_leaves_nothing(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    second = corpus_of(big_corpus(5_000, seed=5), min_count=3)
    stores = [Cooccurrence.from_corpus(part, folder() / "part") for part in (corpus, second)]
    place, honest = folder() / "merged", Cooccurrence.rows_of

    def stopped(self: Any, numbers: Any) -> Any:
        if len(numbers) and int(np.max(numbers)) > 500:
            raise KeyboardInterrupt
        return honest(self, numbers)

    with monkeypatch.context() as patch:
        patch.setattr(Cooccurrence, "rows_of", stopped)
        with pytest.raises(KeyboardInterrupt):
            merge(stores, place, run=Run(threads=1))
    assert list(place.parent.iterdir()) == []
    merge(stores, place)
    together = Cooccurrence.from_corpus([corpus, second], folder() / "counts")
    assert files(place) == files(together.path)


def test_a_count_killed_in_its_clean_up_is_swept_by_the_next_call(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second call refused the complete output and left the work folder for ever."""
    place = folder() / "counts"
    with monkeypatch.context() as patch:
        patch.setattr(WorkFolder, "remove", WorkFolder.release)
        run(corpus, place, BLOCK)
    assert sorted(path.name for path in place.parent.iterdir()) == [".counts.count", "counts"]
    with pytest.raises(OutputError, match="already exists"):
        run(corpus, place)
    assert [path.name for path in place.parent.iterdir()] == ["counts"]


def test_a_wrong_sum_is_found_before_the_counts_appear(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder() / "counts"
    monkeypatch.setattr(counting, "line_lengths", lambda corpus: ([], []))
    monkeypatch.setattr(counting, "possible_pairs", lambda options, lengths, repeats: 1)
    with pytest.raises(FormatError, match="pairs were counted where the text has 1"):
        run(corpus, place, BLOCK)
    assert list(place.parent.iterdir()) == []
