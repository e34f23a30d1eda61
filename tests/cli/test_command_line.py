"""The command line as a person meets it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperdive import __version__
from hyperdive._progress import Progress
from hyperdive.cli import COMMANDS
from hyperdive.cli.machine import examine

Run = Callable[..., Any]
TEXT = "The poodle is a dog. A dog is an animal that barks.\nCats are animals, too.\n" * 20


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "pets.txt"
    path.write_text(TEXT)
    return path


def test_version_and_menu(hyperdive: Run) -> None:
    assert hyperdive("--version").out == f"hyperdive {__version__}\n"
    ran = hyperdive("--help")
    assert ran.code == 0
    for verb in COMMANDS:
        assert f"\n  {verb} " in ran.out
    assert hyperdive().code == 2


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_verb_has_a_help_page(hyperdive: Run, verb: str) -> None:
    ran = hyperdive(verb, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: hyperdive {verb}")
    assert ran.err == ""


def test_an_unknown_verb_is_wrong_usage(hyperdive: Run) -> None:
    ran = hyperdive("fly")
    assert ran.code == 2
    assert ran.err == "hyperdive: no such command 'fly' (type: hyperdive --help)\n"
    ran = hyperdive("hypernym", "dog")
    assert ran.code == 2
    assert ran.err == "hyperdive: no such command 'hypernym' (did you mean hypernyms? type: hyperdive --help)\n"
    for wrong in (("encode", "x"), ("encode", "-o", "x"), ("hypernyms", "dog", "--tpo", "3"), ("topics", "a", "b")):
        ran = hyperdive(*wrong)
        assert (ran.code, ran.err.count("\n"), ran.out) == (2, 1, ""), ran.err
    assert (
        "--output is missing" in hyperdive("encode", "x").err
        and "TEXT is missing" in hyperdive("encode", "-o", "x").err
    )
    assert "did you mean" not in hyperdive("hypernyms", "--", "-qwxyz").err.lower()


def test_encode_then_info(tmp_path: Path, text: Path, hyperdive: Run) -> None:
    ran = hyperdive("encode", text, "-o", tmp_path / "c")
    assert ran.code == 0
    assert ran.err == ""
    assert "words kept" in ran.out
    ran = hyperdive("info", tmp_path / "c", "--words", 3, "--verify")
    assert "most frequent: animal 40, dog 40, bark 20" in ran.out
    assert "match their checksums" in ran.out
    header = json.loads(hyperdive("info", tmp_path / "c", "--json").out)
    assert header["format"] == "hyperdive-corpus"
    assert header["accounting"]["read"] == 16 * 20
    assert "removed the kept text" in hyperdive("info", tmp_path / "c", "--drop-text").out
    assert "text kept" in hyperdive("info", tmp_path / "c").out


def test_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hyperdive", "encode", "-", "-o", str(tmp_path / "c")]
    ran = subprocess.run(command, input=TEXT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "1 file(s)" in ran.stdout


def test_output_can_be_piped_away(tmp_path: Path, text: Path, hyperdive: Run) -> None:
    """`hyperdive … | head -0` is no error."""
    hyperdive("encode", text, "-o", tmp_path / "c")
    command = [sys.executable, "-m", "hyperdive", "info", str(tmp_path / "c"), "--json"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    assert child.wait() == 0


def test_progress_as_json_lines(tmp_path: Path, text: Path, hyperdive: Run) -> None:
    ran = hyperdive("encode", text, "-o", tmp_path / "c", "--set", "progress=json")
    events = [json.loads(line) for line in ran.err.splitlines()]
    finished = [event["stage"] for event in events if event["finished"]]
    assert finished == ["reading", "candidates", "noun phrases", "terms", "writing"]
    reading = [event for event in events if event["stage"] == "reading"][-1]
    assert reading["done"] == reading["total"] == len(TEXT)


def test_a_bar_in_a_terminal_shows_rate_and_facts() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    with Progress("auto", out).stage("training", total=3, unit="passes") as bar:
        for _ in range(3):
            bar.advance(1, loss="-1.25")
    shown = out.getvalue()
    assert "training" in shown
    assert "loss -1.25" in shown
    quiet = io.StringIO()
    with Progress("auto", quiet).stage("training", total=1) as bar:
        bar.advance(1)
    assert quiet.getvalue() == ""


def test_doctor(hyperdive: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYPERDIVE_DATA", raising=False)
    ran = hyperdive("doctor")
    assert ran.code == 0
    assert "All checks passed" in ran.out
    assert {one["what"] for one in json.loads(hyperdive("doctor", "--json").out)} >= {"numba", "compiling", "disk here"}
    monkeypatch.setenv("HYPERDIVE_DATA", "/nowhere/at/all")
    ran = hyperdive("doctor")
    assert ran.code == 1
    assert any(one.what == "datasets" and one.state == "wrong" for one in examine())


def test_export_and_import(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "v.txt").write_text("2 2\ndog 1 0\nanimal 2 1\n")
    assert hyperdive("import", tmp_path / "v.txt", "-o", tmp_path / "m", "--skipgram", tmp_path / "v.txt").code == 0
    assert hyperdive("export", tmp_path / "m", tmp_path / "back.txt").code == 0
    assert (tmp_path / "back.txt").read_text() == (tmp_path / "v.txt").read_text()
    assert hyperdive("export", tmp_path / "m", tmp_path / "w.json", "--space", "skipgram").code == 0
    ran = hyperdive("export", tmp_path / "m", tmp_path / "c.txt", "--space", "contexts")
    assert ran.code == 1
    assert "has no contexts vectors" in ran.err


def test_the_end_runs_what_was_registered_and_waits_for_threads() -> None:
    """The process ends at once, but not before exit functions, and not beside a thread that still works."""
    ends = "import atexit, sys; from hyperdive.cli.main import _leave; atexit.register(print, 'registered'); "
    thread = "import threading, time; threading.Thread(target=lambda: (time.sleep(0.3), print('worked'))).start(); "
    for code, printed in ((ends, ["registered"]), (ends + thread, ["worked", "registered"])):
        ran = subprocess.run([sys.executable, "-c", code + "_leave(3)"], capture_output=True, text=True)
        assert (ran.returncode, ran.stdout.split(), ran.stderr) == (3, printed, "")
