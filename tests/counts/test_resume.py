"""A run that is stopped goes on where it was, and ends with the same bytes; a full disk says what to do."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from hyperdive._resources import Run
from hyperdive.counts import count as counting
from hyperdive.counts import shards
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import count
from hyperdive.counts.merge import merge
from hyperdive.counts.shards import PieceFolder
from hyperdive.errors import FormatError, OutputError
from hyperdive.options import CountOptions

from .reference import corpus_of, files, folder
from .test_count import big_corpus


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr("hyperdive.counts.shard_layout.SHARD_ENTRIES", 10_000)


@pytest.fixture(scope="module")
def corpus():
    return corpus_of(big_corpus(20_000), min_count=3)


def run(corpus, place, block_tokens=None, window=10, **options):
    return count(
        [corpus],
        place,
        options=CountOptions(window=window),
        block_tokens=block_tokens,
        run=Run(threads=1, sync=False),
        **options,
    )


def stop_after(monkeypatch, writes, error):
    """Let this many pieces be written, then fail."""
    original, done = PieceFolder.write, []

    def write(self, *arguments):
        if len(done) == writes:
            raise error
        done.append(1)
        return original(self, *arguments)

    monkeypatch.setattr(PieceFolder, "write", write)
    return done


@pytest.mark.parametrize(("block_tokens", "writes"), [(None, 1), (None, 9), (7_000, 1), (7_000, 40), (7_000, 100)])
def test_interrupted_run_resumes(corpus, monkeypatch, block_tokens, writes):
    whole, place = folder() / "counts", folder() / "counts"
    run(corpus, whole)
    with monkeypatch.context() as patch:
        stop_after(patch, writes, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            run(corpus, place, block_tokens)
    assert not place.exists()
    assert (place.parent / ".counts.work" / "journal.jsonl").exists()
    again = stop_after(monkeypatch, 10**9, RuntimeError())
    run(corpus, place, block_tokens)
    assert files(place) == files(whole)
    assert sorted(path.name for path in place.parent.iterdir()) == ["counts"]
    shards = len(Cooccurrence.open(place).shards)
    blocks = 1 if block_tokens is None else 3
    everything = shards if blocks == 1 else shards * (blocks + 1)
    assert len(again) == everything - writes


def test_a_damaged_piece_is_counted_again(corpus, monkeypatch):
    whole, place = folder() / "counts", folder() / "counts"
    run(corpus, whole)
    with monkeypatch.context() as patch:
        stop_after(patch, 5, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            run(corpus, place)
    pieces = sorted((place.parent / ".counts.work" / "shards").glob("*.bin"))
    flipped = bytearray(pieces[2].read_bytes())
    flipped[11] ^= 1
    pieces[2].write_bytes(flipped)
    with (place.parent / ".counts.work" / "journal.jsonl").open("a") as journal:
        journal.write('{"name": "shards/00')  # a line that was cut off
    run(corpus, place)
    assert files(place) == files(whole)


def test_other_parameters_start_anew(corpus, monkeypatch):
    place, other = folder() / "counts", folder() / "counts"
    with monkeypatch.context() as patch:
        stop_after(patch, 5, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            run(corpus, place)
    run(corpus, place, window=4)
    run(corpus, other, window=4)
    assert files(place) == files(other)


def test_a_run_stopped_at_once_leaves_nothing(corpus, monkeypatch):
    place = folder() / "counts"
    stop_after(monkeypatch, 0, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run(corpus, place)
    assert list(place.parent.iterdir()) == []


def test_killed_process_resumes(tmp_path):
    corpus = corpus_of(big_corpus(200_000), min_count=3)
    place = tmp_path / "counts"
    program = (
        "import sys, time; from pathlib import Path; from hyperdive._resources import Run\n"
        "from hyperdive.counts import count, shard_layout, shards\n"
        "from hyperdive.text.corpus import Corpus\n"
        "shard_layout.SHARD_ENTRIES = 10_000\n"
        "original = shards.PieceFolder.write\n"
        "def slow(self, *a):\n    time.sleep(0.01); return original(self, *a)\n"
        "shards.PieceFolder.write = slow\n"
        "count.count([Corpus.open(sys.argv[1])], Path(sys.argv[2]), run=Run(threads=2))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(corpus.path), str(place)])
    journal = tmp_path / ".counts.work" / "journal.jsonl"
    for _ in range(600):
        if journal.exists() and journal.read_bytes().count(b"\n") > 5:
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not place.exists()
    assert journal.exists()
    run(corpus, place)
    whole = folder() / "counts"
    run(corpus, whole)
    assert files(place) == files(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["counts"]


def test_full_disk_in_the_merge(corpus, monkeypatch):
    place, whole = folder() / "counts", folder() / "counts"
    original = shards._write_sections

    def full(path: Path, sections):
        if path.parent.name == "shards" and path.name.startswith("000007"):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return original(path, sections)

    with monkeypatch.context() as patch:
        patch.setattr(shards, "_write_sections", full)
        with pytest.raises(OutputError, match=r"the disk is full .*type the same command to go on"):
            run(corpus, place, 7_000)
    assert not place.exists()
    run(corpus, place, 7_000)
    run(corpus, whole)
    assert files(place) == files(whole)


def test_a_run_under_way_is_left_alone(corpus):
    place = folder() / "counts"
    work = place.parent / ".counts.work"
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


def test_interrupted_merge_resumes(corpus, monkeypatch):
    second = corpus_of(big_corpus(5_000, seed=5), min_count=3)
    stores = []
    for number, part in enumerate((corpus, second)):
        place = folder() / f"part{number}"
        run(part, place)
        stores.append(Cooccurrence.open(place))
    whole, place = folder() / "merged", folder() / "merged"
    merge(stores, whole, run=Run(sync=False))
    with monkeypatch.context() as patch:
        stop_after(patch, len(stores[0].shards) + 20, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            merge(stores, place, run=Run(threads=1, sync=False))
    merge(stores, place, run=Run(sync=False))
    assert files(place) == files(whole)


def test_a_merge_killed_in_its_clean_up_is_swept_by_the_next_call(corpus, monkeypatch):
    """The second call refused the complete output and left the work folder for ever."""
    stores = []
    for number, part in enumerate((corpus, corpus_of(big_corpus(5_000, seed=5), min_count=3))):
        place = folder() / f"part{number}"
        run(part, place)
        stores.append(Cooccurrence.open(place))
    output = folder() / "merged"
    with monkeypatch.context() as patch:
        patch.setattr(PieceFolder, "remove", PieceFolder.release)
        merge(stores, output, run=Run(sync=False))
    assert sorted(path.name for path in output.parent.iterdir()) == [".merged.work", "merged"]
    with pytest.raises(OutputError, match="already exists"):
        merge(stores, output)
    assert [path.name for path in output.parent.iterdir()] == ["merged"]


def test_a_wrong_sum_is_found_before_the_store_appears(corpus, monkeypatch):
    place = folder() / "counts"
    monkeypatch.setattr(counting, "line_lengths", lambda corpus: ([], []))
    monkeypatch.setattr("hyperdive.counts.count.possible_pairs", lambda options, lengths, repeats: 1)
    with pytest.raises(FormatError, match="pairs were counted where the text has 1"):
        run(corpus, place)
    assert list(place.parent.iterdir()) == []


@pytest.mark.parametrize("block_tokens", [None, 7000])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_shard_is_put_on_the_disk_once(corpus, monkeypatch, block_tokens, threads):
    """Also by a count in several blocks, of which only the sums are put there."""
    settled, original, one_at_a_time = [], PieceFolder.settle, threading.Lock()

    def settle(self, piece):
        with one_at_a_time, monkeypatch.context() as patch:
            patch.setattr(shards.os, "fsync", lambda _: settled.append(piece.name))
            original(self, piece)

    monkeypatch.setattr(PieceFolder, "settle", settle)
    place = folder() / "counts"
    header = count([corpus], place, block_tokens=block_tokens, run=Run(threads=threads))
    pieces = [name for name in settled if name.startswith("shards/")]
    assert sorted(pieces) == sorted(name for name in header["files"] if name.startswith("shards/"))
    assert not [name for name in settled if name.startswith("run-")]


def test_a_piece_that_is_written_again_is_put_on_the_disk_again(monkeypatch):
    synced = []
    monkeypatch.setattr(shards.os, "fsync", synced.append)
    work = PieceFolder(folder() / "counts", {})
    rows = [np.ones(1, dtype=np.uint32)] * 3
    for times in (1, 2):
        piece = work.write("shards/000000.bin", *rows, rows[0][:0])
        synced.clear()
        work.settle(piece)
        work.settle(piece)
        assert len(synced) == 1, times
    work.remove()


def test_a_disk_that_fails_late_stops_the_count(corpus, monkeypatch):
    def settle(self, piece):
        raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(PieceFolder, "settle", settle)
    place = folder() / "counts"
    with pytest.raises(OSError, match="the disk is broken"):
        run(corpus, place)
    assert not place.exists()
