"""The fuzzers run for a moment with fixed seeds; `make fuzz` runs them for a minute each with new ones."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz import folders, harness, mutations, targets

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of private memory are Linux's")


def test_mutations_of_a_fixed_seed(healthy: dict[str, Path]) -> None:
    """All targets in one process. Seed 3 found 129 cases, crashes among them, before folders were checked."""
    options = ["--mutations", "120", "--seed", "3", "--folder", str(healthy["model"].parent)]
    command = [sys.executable, "-W", "ignore", "-m", "fuzz", *options]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_200)
    assert ran.returncode == 0, ran.stdout
    tried = [line.split()[0] for line in ran.stdout.splitlines() if " 120 mutations, " in line]
    assert sorted(tried) == sorted([*folders.USES, "text", "tables", "files", "http"])
    assert sorted(tried) == sorted(targets.SHARES)
    assert sum(targets.SHARES.values()) == 100
    assert f"{120 * len(tried):,} mutations, 0 findings" in ran.stdout


def test_rounds_are_counted_and_gone_on_with(healthy: dict[str, Path], tmp_path: Path) -> None:
    """The tally has what was tried; a second call adds what is missing and no more."""
    tally = tmp_path / "tally.tsv"
    tally.write_text('files\t1\t100\t60\t[]\nhttp\t1\t40\t0\t["http 1:3 a trace"]\n')
    command = [sys.executable, "-W", "ignore", "-m", "fuzz", "corpus", "--tally", str(tally), "--folder",
               str(healthy["model"].parent), "--until"]  # fmt: skip
    done = subprocess.run([*command, "140"], cwd=ROOT, capture_output=True, text=True, timeout=1_200)
    assert (done.returncode, done.stdout) == (1, "140 mutations, 1 findings\n")
    more = subprocess.run([*command, "141"], cwd=ROOT, capture_output=True, text=True, timeout=1_200)
    assert more.stdout.splitlines()[-1] == "340 mutations, 1 findings", more.stdout
    [*_, last] = tally.read_text().splitlines()
    name, seed, mutations, refused, found = last.split("\t")
    assert (name, mutations, found) == ("corpus", "200", "[]")
    assert int(seed) >= 0 and 40 < int(refused) < 200


def test_a_damaged_header_leads_to_no_file_outside(copy: Callable[[str], Path], tmp_path: Path) -> None:
    """A header that was made to name another file had that file damaged, and removed with the case."""
    outside = tmp_path / "outside.bin"
    outside.write_bytes(bytes(800))
    folder = copy("sparse")
    header = json.loads((folder / "header.json").read_text())
    named = {str(outside): {}, "../outside.bin": {}, "link.bin": {}, "a\0b": {}, "": {}}
    (folder / "link.bin").symlink_to(outside)
    for entry in named.values():
        entry.update({"dtype": "<i8", "shape": [100], "bytes": 800, "sha256": ""})
    header["files"] = named
    (folder / "header.json").write_text(json.dumps(header))
    for seed in range(60):
        before = (folder / "header.json").read_bytes()
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            assert mutations.mutated_folder(folder, random.Random(seed)) == "header.json"
        (folder / "header.json").write_bytes(before)
    assert outside.read_bytes() == bytes(800)


def test_the_harness_finds_crashes_hangs_traces_and_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fuzzer that finds nothing must be able to."""
    monkeypatch.setattr(harness, "SECONDS", 0.3)
    monkeypatch.setattr(harness, "_WARM", 0)

    def case(choice: object, own: Path) -> int:
        number = len(list(own.iterdir()))
        (own / str(number)).touch()
        if number == 0:
            raise KeyError("a trace")
        if number == 1:
            bytearray(200 << 20)
        if number == 2:
            while True:
                pass
        if number == 3:
            _ = Untidy()
            return 1
        if number == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        raise SystemExit

    class Untidy:
        def __del__(self) -> None:
            raise ValueError("only printed")

    found = harness.run("bad", case, tmp_path, harness.Limits(5)).found
    assert "KeyError: 'a trace'" in found[0]
    assert "too much memory" in found[1]
    assert "more than 0.3 s" in found[2]
    assert "a trace is printed: ValueError('only printed')" in found[3]
    assert "SIGKILL" in found[4]


def test_memory_that_is_touched_is_judged_by_the_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "_WARM", 0)
    wide = harness.Limits(5, 1, room=1 << 30)
    assert not harness.run("fits", lambda *_: len(b"x" * (90 << 20)), tmp_path, wide).found
    [found] = harness.run("bad", lambda *_: len(b"x" * (90 << 20)) >> 20, tmp_path, wide).found
    assert "MB touched" in found


def test_waiting_is_a_hang_and_being_stopped_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stops its background work, as for a measurement, made findings of healthy cases."""
    monkeypatch.setattr(harness, "SECONDS", 0.4)
    monkeypatch.setattr(harness, "_WARM", 0)

    def stopped(choice: object, own: Path) -> int:
        if (helper := os.fork()) == 0:
            time.sleep(1)
            os.kill(os.getppid(), signal.SIGCONT)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.waitpid(helper, 0)
        return 1

    limits = harness.Limits(30, 1)
    assert not harness.run("stopped", stopped, tmp_path, limits).found
    [found] = harness.run("waits", lambda *_: time.sleep(60) or 1, tmp_path, limits).found
    assert "more than 0.4 s" in found


def test_a_loop_that_hears_no_signal_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled loop without end kept the fuzzer for ever."""
    monkeypatch.setattr(harness, "SECONDS", 0.3)
    monkeypatch.setattr(harness, "_WARM", 0)
    [found] = harness.run("deaf", lambda *_: sum(range(10**11)), tmp_path, harness.Limits(30, 1)).found
    assert "SIGKILL" in found
