"""`hyperdive taxonomy` as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperdive.taxonomy.formats import FORMATS
from tests.ask.small import PARENT, small_model

Run = Callable[..., Any]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    small_model().save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def terms(tmp_path: Path) -> Path:
    path = tmp_path / "terms.txt"
    path.write_text("# mine\n" + "\n".join(sorted({*PARENT, *PARENT.values()})) + "\npodle\n")
    return path


def test_a_tree_and_what_is_not_known(hyperdive: Run, model: Path, terms: Path) -> None:
    ran = hyperdive("taxonomy", "-m", model, "--terms", terms, "--set", "score=CDE")
    assert ran.code == 0
    assert ran.out == (
        "animal\n├── cat  1\n└── dog  1\n    ├── poodle  1\n    └── spaniel  1\nlaw\n└── court  1\n    └── judge  1\n"
        "1 term is not placed: podle\n"
    )
    assert "1 term is not in this model: podle (did you mean poodle?)" in ran.err
    assert "the numbers are CDE scores, not confidences" in ran.err


def test_json_is_the_json_format(hyperdive: Run, model: Path, terms: Path) -> None:
    arguments = ("taxonomy", "-m", model, "--terms", terms, "--set", "score=CDE")
    found = json.loads(hyperdive(*arguments, "--json").out)
    assert {(edge["child"], edge["parent"]) for edge in found["edges"]} == set(PARENT.items())
    assert found["unknown"] == ["podle"]
    assert hyperdive(*arguments, "--format", "json").out == hyperdive(*arguments, "--json").out


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("t.ttl", "@prefix"),
        ("t.owl", "<?xml"),
        ("t.dot", "digraph"),
        ("t.graphml", "<?xml"),
        ("t.tsv", "child\t"),
    ],
)
def test_the_ending_of_a_file_tells_the_format(
    hyperdive: Run, model: Path, terms: Path, tmp_path: Path, name: str, begin: str
) -> None:
    ran = hyperdive("taxonomy", "-m", model, "-t", terms, "-o", tmp_path / name)
    assert ran.code == 0
    assert ran.out == ""
    assert "written to" in ran.err
    assert (tmp_path / name).read_text().startswith(begin)
    ran = hyperdive("taxonomy", "-m", model, "-t", terms, "-o", tmp_path / name)
    assert ran.code == 1
    assert "add --force" in ran.err
    assert hyperdive("taxonomy", "-m", model, "-t", terms, "-o", tmp_path / name, "--force").code == 0


def test_beneath_a_root_and_the_most_useful(hyperdive: Run, model: Path) -> None:
    ran = hyperdive("taxonomy", "-m", model, "--root", "animal", "--top", 2)
    assert ran.out.startswith("animal\n")
    assert len(ran.out.splitlines()) == 3
    ran = hyperdive("taxonomy", "-m", model, "--top", 3, "--format", "tsv")
    assert ran.out.startswith("child\tparent\tscore\t")
    ran = hyperdive("taxonomy", "-m", model, "--root", "anmal")
    assert ran.code == 1
    assert "did you mean animal" in ran.err


def test_corrections(hyperdive: Run, model: Path, terms: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text("force\tcat\tlaw\nforbid\tpoodle\tdog\n")
    found = json.loads(
        hyperdive("taxonomy", "-m", model, "-t", terms, "--set", "score=CDE", "--corrections", rules, "--json").out
    )
    edges = {(edge["child"], edge["parent"]): edge["reason"] for edge in found["edges"]}
    assert edges["cat", "law"] == "expert"
    assert ("poodle", "dog") not in edges
    rules.write_text("force\tcat\tlaw\nforce\tlaw\tcat\n")
    ran = hyperdive("taxonomy", "-m", model, "-t", terms, "--corrections", rules)
    assert ran.code == 1
    assert ran.err.count("\n") == 1
    assert "cycle: cat → law → cat" in ran.err


def test_an_edited_taxonomy_comes_back(hyperdive: Run, model: Path, tmp_path: Path) -> None:
    terms, table = tmp_path / "mine.txt", tmp_path / "edges.tsv"
    terms.write_text("Animal\ndog\nCat\npoodle\nLaw\nCourt\nzebra\n")
    arguments = ("taxonomy", "-m", model, "--terms", terms, "--set", "score=CDE")
    assert hyperdive(*arguments, "-o", table).code == 0
    lines = table.read_text().splitlines()
    edges = {tuple(line.split("\t")[:2]) for line in lines[1:]}
    assert edges == {("dog", "Animal"), ("Cat", "Animal"), ("poodle", "dog"), ("Court", "Law"), ("zebra", "")}
    # fed back as it is, nothing moves
    again = json.loads(hyperdive(*arguments, "--corrections", table, "--json").out)
    assert {(edge["child"], edge["parent"]) for edge in again["edges"]} == edges - {("zebra", "")}
    assert {edge["reason"] for edge in again["edges"]} == {"expert"}
    # the expert moves a term, places another, detaches a third and rules an edge out
    edited = "child\tparent\treason\nCat\tLaw\tmodel\nzebra\tAnimal\t\nCourt\t\t\npoodle\tdog\tforbid\n"
    table.write_text(edited)
    moved = json.loads(hyperdive(*arguments, "--corrections", table, "--json").out)
    reasons = {(edge["child"], edge["parent"]): edge["reason"] for edge in moved["edges"]}
    assert reasons["Cat", "Law"] == reasons["zebra", "Animal"] == "expert"
    assert not any(child == "Court" for child, _ in reasons)
    assert ("poodle", "dog") not in reasons
    assert reasons["dog", "Animal"] == "model"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("\tanimal\t1", "cannot be understood"),
        ("dog\tanimal\t1\tx\ty", "cannot be understood"),
        ("dog\tanimal\t1\ndog\t\t1", "under 'animal' and under nothing"),
        ("dog\tdog\t1", "does not name two terms"),
        ("dog\tanimal\t1\ndog\tlaw\t1", "a term may have 1 parent"),
    ],
)
def test_a_badly_edited_taxonomy_is_one_line(
    hyperdive: Run, model: Path, tmp_path: Path, line: str, message: str
) -> None:
    (tmp_path / "edges.tsv").write_text(f"child\tparent\tscore\n{line}\n")
    ran = hyperdive("taxonomy", "-m", model, "--top", 3, "--corrections", tmp_path / "edges.tsv")
    assert ran.code == 1
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_labels_keep_the_users_spelling_in_every_format(hyperdive: Run, model: Path, tmp_path: Path) -> None:
    terms = tmp_path / "mine.txt"
    terms.write_text("ANIMAL\nDog\ndogs\nPodle\n")
    for format in FORMATS:
        ran = hyperdive(
            "taxonomy", "-m", model, "-t", terms, "-f", format, "--set", "language=de", "--set", "title=Haustiere"
        )
        assert ran.code == 0, ran.err
        for spelled in ("ANIMAL", "Dog", "Podle"):
            assert spelled in ran.out, format
        if format.startswith(("skos", "owl")):
            assert "Haustiere" in ran.out
            assert '"dogs"@de' in ran.out or 'xml:lang="de">dogs<' in ran.out
    ran = hyperdive("taxonomy", "-m", model, "-t", terms, "-f", "skos", "--set", "language=x y")
    assert ran.code == 1
    assert "not a language tag" in ran.err


def test_figures_against_known_pairs(hyperdive: Run, model: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("".join(f"{child}\t{parent}\tTrue\n" for child, parent in PARENT.items()) + "dog\tlaw\tFalse\n")
    ran = hyperdive("taxonomy", "-m", model, "--set", f"gold={gold}", "--set", "score=CDE")
    assert ran.code == 0, ran.err
    assert "edges that are gold pairs                    100.0   100.0  100.0" in ran.out
    figures = json.loads(
        hyperdive("taxonomy", "-m", model, "--set", f"gold={gold}", "--set", "score=CDE", "--json").out
    )
    assert figures["ancestors"]["f1"] == figures["judged"] == 1.0


def test_mistakes_are_one_line(hyperdive: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "binary.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    for arguments in (
        ("--terms", tmp_path / "empty.txt"),
        ("--terms", tmp_path / "binary.txt"),
        ("--terms", tmp_path / "absent.txt"),
        ("--terms", tmp_path / "empty.txt", "--root", "dog"),
        ("--root", "dog", "--score", "nonsense"),
        ("--set", "min_children=5", "--set", "max_children=2"),
        ("--root", "animal", "-o", tmp_path / "x.docx"),
        ("--root", "animal", "--format", "skos", "--set", "base=a b"),
    ):
        ran = hyperdive("taxonomy", "-m", model, *arguments)
        assert ran.code in (1, 2)
        assert ran.out == ""
        assert ran.err.startswith("hyperdive: ")
        assert ran.err.count("\n") == 1, ran.err
    assert hyperdive("taxonomy", "-m", model, "--format", "docx").code == 2
