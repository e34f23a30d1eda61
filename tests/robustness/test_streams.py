"""Streams that the shell closed, readers that leave early, and a disk or memory that is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell")
VERBS = {
    "hypernyms": "hypernyms poodle -m {model}",
    "similar": "similar dog -m {model} --json",
    "taxonomy": "taxonomy --top 6 -m {model}",
    "score": "score {pairs} -m {model} -s cds",
    "help": "--help",
}


@pytest.fixture
def places(healthy: dict[str, Path], tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "pairs.tsv").write_text("poodle\tdog\n" * 12_000)
    return {"model": healthy["model"], "pairs": tmp_path / "pairs.tsv", "text": healthy["corpus"].parent / "text.txt"}


def shell(command: str, end: str, places: dict[str, Path]) -> subprocess.CompletedProcess[str]:
    line = f"{sys.executable} -m hyperdive {command.format(**places)} {end}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=1_200)


@pytest.mark.parametrize("verb", VERBS)
def test_a_closed_stdout_is_no_trace(places: dict[str, Path], verb: str) -> None:
    """The result goes nowhere, as was asked; each of these was a trace."""
    ran = shell(VERBS[verb], ">&-", places)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_encode_without_stdout_is_complete(places: dict[str, Path], tmp_path: Path) -> None:
    ran = shell(f"encode {{text}} -o {tmp_path}/c", ">&- 2>&-", places)
    assert ran.returncode == 0
    assert shell(f"info {tmp_path}/c --verify", "", places).returncode == 0


@pytest.mark.parametrize("command", ["score - -m {model}", "encode - -o nowhere"])
def test_a_closed_stdin_is_told(places: dict[str, Path], command: str) -> None:
    ran = shell(command, "<&-", places)
    assert ran.returncode == 1
    assert "no standard input" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_reader_that_leaves_is_no_failure(places: dict[str, Path]) -> None:
    """`score … | head -1` ended with 1."""
    ran = shell(VERBS["score"], "| head -1; echo ${{PIPESTATUS[0]}}".format(), places)
    assert ran.stdout.splitlines()[-1] == "0"
    assert ran.stderr == ""


def test_a_full_device_is_one_line(places: dict[str, Path]) -> None:
    ran = shell(VERBS["hypernyms"], "> /dev/full", places)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1, ran.stderr


def test_cells_that_a_spreadsheet_would_run(places: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text('hyponym,hypernym\n"=cmd|x",dog\n@sum,dog\n-5,dog\n-x,dog\ndog,animal\n')
    ran = shell(f"score {tmp_path}/p.csv -m {{model}} -s cds", "", places)
    cells = [line.split(",")[0] for line in ran.stdout.splitlines()]
    assert cells == ["hyponym", "'=cmd|x", "'@sum", "-5", "'-x", "dog"]


def test_no_home_and_nothing_to_write_to(places: dict[str, Path], tmp_path: Path) -> None:
    """Compiled kernels cannot be kept: the verbs answer all the same."""
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir(mode=0o500)
    environment = {**os.environ, "HOME": str(nowhere), "XDG_CACHE_HOME": str(nowhere / "cache")}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-m", "hyperdive", "similar", "dog", "-m", str(places["model"])]
    if os.geteuid() == 0:  # root writes everywhere: a file stands where the folder should be
        (nowhere / "cache").touch()
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1_200)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
