"""Verbs that write, killed or hindered at their write events: the output is whole or as it was, and nothing is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz import faults

from hyperdive import train

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and forks")
QUICK = ("taxonomy", "score", "export", "import", "serve (corrections)", "info --drop-text")


@pytest.fixture(scope="module")
def prepared(healthy: dict[str, Path]) -> Path:
    return faults.prepare(healthy["model"].parent)


def strike(names: tuple[str, ...], prepared: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the matrix in a process of its own: forks from a process with threads may hang."""
    command = [sys.executable, "-m", "fuzz.faults", *names, "--folder", str(prepared), *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3_000)


def test_small_outputs_at_every_event(prepared: Path) -> None:
    ran = strike(QUICK, prepared, "--faults", "kill")
    assert ran.returncode == 0, ran.stdout
    assert all(f"| {verb} | kill |" in ran.stdout for verb in QUICK)


def test_small_outputs_on_a_disk_that_is_full_from_some_event_on(prepared: Path) -> None:
    ran = strike(QUICK, prepared, "--faults", "full", "--every", "4")
    assert ran.returncode == 0, ran.stdout
    assert all(f"| {verb} | full |" in ran.stdout for verb in QUICK)


def test_trouble_around_a_verb(prepared: Path) -> None:
    ran = strike(("datasets fetch",), prepared, "--faults", "disk,foreign,two,eio", "--every", "4")
    assert ran.returncode == 0, ran.stdout
    assert "| datasets fetch | two | 4 | new 4 | 0 |" in ran.stdout


def test_large_outputs_at_some_events(prepared: Path) -> None:
    ran = strike(("encode --force", "count", "train --force"), prepared, "--faults", "kill,eio", "--every", "20")
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
def test_every_verb_at_every_event_as_the_page_says(prepared: Path) -> None:
    """The table that is printed has the outcomes that docs/explanation/reliability.md promises."""
    ran = strike((), prepared)
    assert ran.returncode == 0, ran.stdout
    page = (ROOT / "docs" / "explanation" / "reliability.md").read_text(encoding="utf-8")
    promised = {
        row[0]: set(row[1].split(", ")) for row in re.findall(r"^\| `([a-z- A-Z()]+)` \| ([a-z, ]+) \|", page, re.M)
    }
    for line in ran.stdout.splitlines():
        row = re.fullmatch(r"\| ([^|]+) \| (\w+) \| (\d+) \| ([^|]*) \| 0 \|", line)
        if row and int(row[3]):
            seen = {state.split(" ")[0] for state in row[4].split(", ")}
            assert seen <= promised[row[1]], (line, promised)


def test_the_hook_can_fail(prepared: Path, tmp_path: Path) -> None:
    """A verb that leaves something behind is found."""
    bad = faults.Scenario("bad", ("export", "{healthy}/model", "{here}/other.vec"), "out.vec")
    outcomes = faults.matrix(bad, "kill", prepared, tmp_path)
    assert any("left behind" in line for line in outcomes.found)


def test_text_of_a_killed_drop_is_told_and_goes_with_the_next_call(
    prepared: Path, hyperdive: Callable, tmp_path: Path
) -> None:
    """Killed in between, the text stayed for good while `info` said it was gone, and a second call refused."""
    trial = faults.Trial(next(one for one in faults.SCENARIOS if one.name == "info --drop-text"), prepared, tmp_path)
    trial.reset()
    hook = faults.Hook(trial.here)
    trial.run(hook)
    told = 0
    for at in range(1, 40):
        trial.reset()
        code, _ = trial.run(faults.Hook(trial.here, at))
        if code != -signal.SIGKILL:
            break
        left = [file.name for file in trial.output.rglob("*") if file.name in ("text.parquet", "sentences.parquet")]
        shown = hyperdive("info", trial.output).out
        if "text.parquet" in left:
            assert "text kept          yes" in re.sub(r" +", " ", shown).replace("text kept ", "text kept          ")
        verified = hyperdive("info", trial.output, "--verify")
        if verified.code:
            told += 1
            assert "interrupted --drop-text" in verified.err
        again = hyperdive("info", trial.output, "--drop-text")
        assert again.code == 0 or not left, again.err
        assert not [file for file in trial.output.rglob("*") if file.name in ("text.parquet", "sentences.parquet")]
        assert hyperdive("info", trial.output, "--verify").code == 0
    assert told > 1


def test_a_closed_pipe_and_two_runs_on_one_output(prepared: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hyperdive", "train", str(prepared / "counts"), "-o", str(tmp_path / "m"),
               "--dimensions", "8", "--set", "pmi_filter=none", "--set", "passes=3", "--set", "progress=none"]  # fmt: skip
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    errors = [run.communicate(timeout=1_200)[1] for run in runs]
    codes = sorted(run.returncode for run in runs)
    assert codes[0] == 0, errors
    assert set(codes) <= {0, 1}
    assert all("Traceback" not in text for text in errors)
    assert not [path.name for path in tmp_path.iterdir() if path.name != "m"]
    train(prepared / "counts", tmp_path / "whole", dimensions=8, pmi_filter="none", passes=3)
    assert faults.state(tmp_path / "m") == faults.state(tmp_path / "whole")
    assert json.loads((tmp_path / "m" / "header.json").read_text())
