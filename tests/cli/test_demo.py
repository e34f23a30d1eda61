"""The demo: its page, its commands, where its text comes from, and what it does without."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from hyperdive.cli import demo
from hyperdive.cli.main import main
from hyperdive.errors import InputError, MissingExtra


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def without_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(demo, "DICTIONARY", "no-such-package")
    monkeypatch.setattr(demo, "_program", lambda: "hyperdive")
    return tmp_path / "out of the way"


def test_without_its_text_the_page_says_so_and_its_commands_work(
    without_text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, page, err = run(capsys, "demo", "-o", str(without_text))
    assert code == 0, err
    assert "GENERATED" in page and "needs the 'demo' extra" in page
    assert (without_text / demo.PAGE).read_text(encoding="utf-8") == page
    assert "\x1b" not in page
    typed = [line.split()[2] for line in page.splitlines() if line.startswith("$ hyperdive ")]
    assert typed == ["train", "hypernyms", "taxonomy", "topics", "explain"], "figures of made-up text would mislead"
    assert "└── " in page and "eagle" in page and "violin → instrument" in page
    lines = page[page.index("Try next") :].splitlines()[1:]
    assert lines == [f"  {one}" for one in demo.commands(without_text, real=False)]
    for line in lines:
        code, out, err = run(capsys, *shlex.split(line)[1:])
        assert (code, bool(out)) == (0, True), f"{line}: {err}"
    # a second run replaces the first and says the same
    code, again, _ = run(capsys, "demo", "-o", str(without_text))
    assert (code, again) == (0, page)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model").mkdir()
    code, out, err = run(capsys, "demo", "-o", str(tmp_path))
    assert (code, out) == (1, "")
    assert "was not written by an earlier demo" in err and len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "model"]


def install(site: Path, name: str, version: str, files: dict[str, str]) -> None:
    """Put a package on disk as an installer does: its files, and a record of them."""
    for path, content in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(content, encoding="utf-8")
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in files))


def test_both_texts_are_found_in_installed_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # only this folder is searched, so that what is really installed does not matter
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(MissingExtra, match="demo"):
        list(demo._dictionary())
    boom = "raise RuntimeError('must not be imported')"
    definition = {"pos": [{"part_of_speech": "n.", "definitions": [{"text": "A breed of\n dogs."}, {"text": ""}]}]}
    words = json.dumps({"poodle": definition, "empty": {"pos": []}})
    install(tmp_path, demo.DICTIONARY, "0.1", {"d/__init__.py": boom, "d/data/en/words_P.json": words})
    articles = json.dumps({"Dog": {"extract": "The dog is an animal."}, "None": {"extract": ""}})
    files = {"ovos/data/summaries_en-us.json": articles, "ovos/data/summaries_fr-fr.json": "{}"}
    install(tmp_path, demo.ENCYCLOPEDIA, "0.1", files)
    assert list(demo._dictionary()) == ["poodle: A breed of dogs."]
    assert list(demo._encyclopedia()) == ["The dog is an animal."]
    (tmp_path / "ovos/data/summaries_en-us.json").write_text("{")
    with pytest.raises(InputError, match="not valid JSON"):
        list(demo._encyclopedia())
    (tmp_path / "d/data/en/words_P.json").unlink()
    with pytest.raises(InputError, match="without its data"):
        list(demo._dictionary())


@pytest.mark.slow
def test_the_real_text_teaches_what_everybody_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        next(demo._dictionary())
    except MissingExtra:
        pytest.skip("the demo extra is not installed")
    code, page, err = run(capsys, "demo", "-o", str(tmp_path / "demo"))
    assert code == 0, err
    assert "GENERATED" not in page
    for child, parent in {"eagle": "bird", "oak": "tree", "violin": "instrument"}.items():
        answers = page[page.index(f"\n{child}\n") :].splitlines()[2:]
        assert parent in " ".join(answers[:12]), child
    for line in demo.commands(tmp_path / "demo"):
        assert run(capsys, *shlex.split(line)[1:])[0] == 0, line
