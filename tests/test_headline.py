"""The headline figures of the README and the pages are those of `results/`, to the digit."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hyperdive.benchmark.datasets import ELEVEN, MICRO_10
from tests.tools import load

ROOT = Path(__file__).parents[1]
results_tool = load("results")
FORMS = {
    "log n(p) − log n(q)": "Frequency",
    "√n(p) − √n(q)": "Frequency:power=0.5",
    "n(p) − n(q)": "Frequency:power=1.0",
}


@cache
def results(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "results" / f"evaluate-{name}.json").read_text(encoding="utf-8"))
    return found


@cache
def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def table(text: str, after: str) -> list[list[str]]:
    """The rows of the first table behind a heading, without its head."""
    lines = text[text.index(after) :].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| ---"))
    rows = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().strip("*") for cell in line.strip("|").split("|")])
    return rows


def figure(cell: str) -> str:
    """The figure of a cell without emphasis and without what stands in brackets."""
    return cell.replace("*", "").split(" (")[0]


def shown(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


def test_the_table_of_the_readme() -> None:
    ours = results("ours")
    names = {
        "`confidence`": "confidence",
        "baseline: word frequency, √n(p) − √n(q)": "Frequency:power=0.5",
        "baseline: how often p is stated to be a hypernym": "Hypernym",
    }
    rows = table(page("README.md"), "## Results")
    assert [row[0] for row in rows] == ["`confidence`", "W·ΔS", "C·ΔS", "ΔS", *list(names)[1:]]
    for label, average, _, hyperlex, _ in rows:
        score = names.get(label, label)
        assert (average, hyperlex) == (shown(ours["micro10"][score]), shown(ours["hyperlex"][score])), label


def test_the_sentences_of_the_readme() -> None:
    text, hypenet = " ".join(page("README.md").split()), results("ours")["datasets"]["HypeNet"]["scores"]
    assert f"({shown(hypenet['Hypernym']['ap'])}, {shown(hypenet['confidence']['ap'])})" in text
    own = results("paper-solver")["micro10"]
    assert ", ".join(f"{score} {shown(own[score])}" for score in ("W·ΔS", "C·ΔS", "ΔS")) in text


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("## Controls: frequency", "ours"),
        ("## The paper's constants", "paper-constants"),
        ("## The paper's solver on the whole text", "paper-solver"),
    ],
)
def test_tables_of_the_results_page(heading: str, name: str) -> None:
    found = results(name)
    rows = table(page("docs/results.md"), heading)
    assert len(rows) >= 5
    for label, *cells in rows:
        score = FORMS.get(label, label)
        values = [found["datasets"][one]["scores"][score]["ap"] for one in MICRO_10]
        values += [found["micro10"][score], found["datasets"][ELEVEN[-1]]["scores"][score]["ap"]]
        assert [figure(cell) for cell in cells] == [shown(value) for value in values], label


def test_pairs_with_the_same_hypernym() -> None:
    found = results("ours")["further"]["separation"]
    sets = [one for one in (*MICRO_10, "all") if one != "Weeds"]
    for label, *cells in table(page("docs/results.md"), "How well a score tells pairs *with the same hypernym*"):
        assert [figure(cell) for cell in cells] == [shown(found[label][one]) for one in sets], label
    assert all("Weeds" not in by_set for by_set in found.values())


def test_tables_of_claims_are_written_from_the_results() -> None:
    """Word by word what `tools/results.py` makes of the files it names."""
    text = page("docs/reproduce.md")
    assert results_tool.page_of(text) == text
    rows = table(text, "<!-- claims of results/claims.tsv -->")
    assert len(rows) > 30 and all(len(row) == 5 for row in rows)


def test_a_table_of_claims_shows_every_row_that_was_measured(tmp_path: Path) -> None:
    lines = ["claim\trow\tcolumn\tours\tpaper\tdifference\tmark"]
    for sentence, row, verdict, figures in (
        ("one", "the paper's printed figures", "cannot be told", "not printed"),
        ("one", "DIVE (paper's constants and solver)", "does not hold", "1 of 2"),
        ("one", "DIVE (ours)", "holds", "2 of 2"),
        ("two", "the paper's printed figures", "holds", ""),
        ("two", "measured", "cannot be told", "a stage it needs was not run"),
        ("three", "the paper's printed figures, SBOW Freq", "holds", ""),
        ("three", "SBOW Freq", "does not hold", "3"),
        ("three", "DIVE (ours)", "holds", ""),
    ):
        lines += [f"{sentence}\t{row}\tverdict\t{verdict}\t\t\t", f"{sentence}\t{row}\tfigures\t{figures}\t\t\t"]
    (tmp_path / "claims.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert results_tool.claims_lines(tmp_path / "claims.tsv") == [
        "| sentence | printed figures | paper's constants and solver | ours |",
        "| --- | --- | --- | --- |",
        "| one | not printed | **fails**: 1 of 2 | holds |",
        "| two | holds | not run (sparse spaces) |  |",
        "| three |  |  | holds |",
        "| … on SBOW Freq | holds | **fails**: 3 |  |",
    ]


def test_the_tables_of_a_run_are_taken_whole(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for name in ("claims.tsv", "notes.txt", "README.md", "figure_main.svg"):
        (run / name).write_text(name, encoding="utf-8")
    taken = results_tool.take(run, tmp_path / "results")
    assert {path.name for path in taken} == {path.name for path in run.iterdir()} - {"notes.txt"}
    assert all(path.parent == tmp_path / "results" and path.read_text() == path.name for path in taken)
