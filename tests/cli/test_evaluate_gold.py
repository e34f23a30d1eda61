"""`hyperdive evaluate` on gold files, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.ask.small import PARENT, small_model
from tests.benchmark.test_discovery_task import write

Run = Callable[..., Any]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    small_model().save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    file = tmp_path / "pets.taxo"
    file.write_text("".join(f"{n}\t{child}\t{parent}\n" for n, (child, parent) in enumerate(PARENT.items())))
    return file


def test_taxonomies(hyperdive: Run, model: Path, gold: Path, tmp_path: Path) -> None:
    other = tmp_path / "law.taxo"
    other.write_text("0\tcourt\tlaw\n1\told court\tcourt\n")
    ran = hyperdive("evaluate", "-m", model, "-s", "CDE", "--taxonomy", gold, other)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[2].split() == ["pets", "model", *["100.0"] * 6, "6", "0"]
    assert lines[3].split() == ["suffix", *["0.0"] * 6, "0", "8"]
    assert lines[5].split() == ["suffix", "100.0", "50.0", "66.7", "100.0", "33.3", "50.0", "1", "1"]
    assert lines[6] == "pets: 8 terms, 0 of several words, 6 edges"
    again = hyperdive("evaluate", "-m", model, "-s", "CDE", "--taxonomy", gold, "--taxonomy", other, "--json")
    figures = json.loads(again.out)
    assert list(figures["taxonomies"]) == ["pets", "law"]
    assert figures["taxonomies"]["pets"]["model"]["direct"]["f1"] == 100.0
    assert figures["taxonomies"]["law"]["suffix"]["ancestors"]["recall"] == 33.3333


def test_discovery(hyperdive: Run, model: Path, gold: Path, tmp_path: Path) -> None:
    files = write(tmp_path)
    ran = hyperdive("evaluate", "-m", model, "--discovery", *files)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[3].split() == ["all", "2", "50.0", "50.0", "50.0", "20.0", "50.0", "50.0", "50.0"]
    assert lines[4].split() == ["concept", "1", "100.0", "100.0", "100.0", "40.0", "100.0", "100.0", "100.0"]
    assert lines[6] == "2 of 2 candidates are known"
    figures = json.loads(hyperdive("evaluate", "-m", model, "--taxonomy", gold, "--discovery", *files, "--json").out)
    assert figures["discovery"]["pets.training"]["map"] == 50.0
    assert "pets" in figures["taxonomies"]


def test_mistakes_are_one_line(hyperdive: Run, model: Path, gold: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.taxo").write_text("")
    data, right, vocabulary = write(tmp_path)
    for arguments, message in (
        (("--taxonomy", tmp_path / "empty.taxo"), "empty"),
        (("--taxonomy", tmp_path / "absent.taxo"), "no such gold taxonomy"),
        (("--taxonomy", gold, "--datasets", "BLESS"), "by themselves"),
        (("--taxonomy", gold, "--scores", "CDE,C"), "one score"),
        (("--discovery", data, right), "three files"),
        (("--taxonomy", gold, gold, "--discovery", data, right, vocabulary), "three files"),
        (("--discovery", data, vocabulary, right), "has 2 lines and"),
        ((gold,), "a file without an option"),
    ):
        ran = hyperdive("evaluate", "-m", model, *arguments)
        assert ran.code in (1, 2)
        assert ran.out == ""
        assert message in ran.err
        assert ran.err.count("\n") == 1, ran.err
