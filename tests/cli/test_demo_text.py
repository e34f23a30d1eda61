"""The demo's text is found in installed packages without importing them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from hyperdive.cli import demo_text as sample
from hyperdive.errors import InputError, MissingExtra


def install(site: Path, name: str, version: str, files: dict[str, str]) -> None:
    """Put a package on disk as an installer does: its files, and a record of them."""
    for path, content in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(content, encoding="utf-8")
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in files))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # only this folder is searched, so that what is really installed does not matter
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def entry(text: str) -> dict[str, object]:
    return {"pos": [{"part_of_speech": "n.", "definitions": [{"text": text}, {"text": ""}]}]}


def test_both_texts_are_written(site: Path, tmp_path: Path) -> None:
    boom = "raise RuntimeError('must not be imported')"
    words = {"poodle": entry("A breed of\n dogs."), "empty": {"pos": []}}
    install(
        site,
        sample.DICTIONARY,
        "0.1",
        {"dictionary/__init__.py": boom, "dictionary/data/en/words_P.json": json.dumps(words)},
    )
    articles = {"Dog": {"extract": "The dog is an animal."}, "None": {"extract": ""}}
    install(site, sample.ENCYCLOPEDIA, "0.1", {"ovos/data/summaries_en-us.json": json.dumps(articles),
                                               "ovos/data/summaries_fr-fr.json": "{}"})  # fmt: skip
    paths = sample.write_sample(tmp_path / "out")
    assert [path.read_text() for path in paths] == ["poodle: A breed of dogs.\n", "The dog is an animal.\n"]


def test_what_is_missing_is_said(site: Path) -> None:
    with pytest.raises(MissingExtra, match=r"pip install -e '.*\[demo\]'"):
        list(sample.dictionary())
    install(site, sample.DICTIONARY, "0.1", {"dictionary/__init__.py": ""})
    with pytest.raises(InputError, match="without its data"):
        list(sample.dictionary())
    install(site, sample.ENCYCLOPEDIA, "0.1", {"ovos/data/summaries_en-us.json": "{"})
    with pytest.raises(InputError, match="not valid JSON"):
        list(sample.encyclopedia())
