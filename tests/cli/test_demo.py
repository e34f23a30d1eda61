"""The demo: its page, its five commands, and what it does without its text."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from hyperdive.cli import demo
from hyperdive.cli import demo_text as sample
from hyperdive.cli.main import main
from hyperdive.errors import MissingExtra
from hyperdive.text.corpus import Corpus


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def missing(folder: Path) -> list[Path]:
    raise MissingExtra("the demo's text", "demo")


@pytest.fixture
def without_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(sample, "write_sample", missing)
    return tmp_path / "out of the way"


def test_without_its_text_the_page_says_so_and_its_commands_work(
    without_text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, page, err = run(capsys, "demo", "-o", str(without_text), "--set", "progress=none")
    assert code == 0, err
    assert "GENERATED text" in page and "needs the 'demo' extra" in page
    assert (without_text / demo.PAGE).read_text(encoding="utf-8") == page
    assert "\x1b" not in page
    assert "shark      fish" in page, "made-up text states this often"
    assert "24 passes at most" in page and "makes 40" in page
    header = json.loads((without_text / "model" / "header.json").read_text(encoding="utf-8"))
    assert header["parameters"]["passes"] == 24
    assert Corpus.open(without_text / "corpus").terms is None
    assert "banana     not known: does not occur in this text" in page
    assert "How good is it?" not in page, "figures of made-up text would mislead"
    lines = page[page.index("Try next") :].splitlines()[1:]
    assert lines == [f"  {one}" for one in demo.commands("hyperdive", without_text, real=False)]
    assert len(lines) == 5
    for line in lines:
        code, out, err = run(capsys, *shlex.split(line)[1:])
        assert (code, bool(out)) == (0, True), f"{line}: {err}"
    # a second run replaces the first and says the same
    code, again, _ = run(capsys, "demo", "-o", str(without_text), "--set", "progress=none", "--threads", "1")
    assert code == 0
    assert [one for one in again.splitlines() if "total time" not in one] == [
        one for one in page.splitlines() if "total time" not in one
    ]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model").mkdir()
    code, out, err = run(capsys, "demo", "-o", str(tmp_path))
    assert (code, out) == (1, "")
    assert "was not written by an earlier demo" in err and len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "model"]


@pytest.mark.slow
def test_the_real_text_teaches_what_everybody_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        list(sample._files(sample.DICTIONARY, "data/en", ".json"))
    except MissingExtra:
        pytest.skip("the demo extra is not installed")
    code, page, err = run(capsys, "demo", "-o", str(tmp_path / "demo"), "--set", "progress=none")
    assert code == 0, err
    assert "GENERATED" not in page
    assert max(len(line) for line in page.splitlines() if str(tmp_path) not in line) <= 80
    first: dict[str, str] = {}
    for words in (line.split() for line in page.splitlines() if line.startswith("  ")):
        first.setdefault(words[0], words[1] if len(words) > 1 else "")
    right = {"spaniel": "dog", "eagle": "bird", "shark": "fish", "oak": "tree", "violin": "instrument", "chess": "game"}
    assert sum(first.get(word) == answer for word, answer in right.items()) >= 5, first
    for line in demo.commands("hyperdive", tmp_path / "demo"):
        assert run(capsys, *shlex.split(line)[1:])[0] == 0, line
