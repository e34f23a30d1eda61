"""The headline figures of the README and the pages are those of `results/`, to the digit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
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
        ("## Default constants", "ours"),
        ("## The paper's constants, fast", "paper-constants"),
        ("## The paper's constants, the paper", "paper-solver"),
    ],
)
def test_tables_of_the_accuracy_page(heading: str, name: str) -> None:
    found = results(name)
    rows = table(page("docs/reference/accuracy.md"), heading)
    assert len(rows) >= 5
    for label, *cells in rows:
        score = FORMS.get(label, label)
        values = [found["datasets"][one]["scores"][score]["ap"] for one in MICRO_10]
        values += [found["micro10"][score], found["datasets"][ELEVEN[-1]]["scores"][score]["ap"]]
        assert [figure(cell) for cell in cells] == [shown(value) for value in values], label


def test_the_summary_of_the_results_page() -> None:
    files = {f"`evaluate-{name}.json`": name for name in ("ours", "paper-constants", "paper-solver")}
    names = {"frequency alone": "Frequency:power=0.5", "the hypernym alone": "Hypernym"}
    rows = table(page("docs/explanation/results.md"), "# Results")
    assert len(rows) == 9
    for label, micro, hyperlex, _, file in rows:
        found, name = results(files[file]), label.split(",")[0].split(" (")[0]
        score = names.get(name, name)
        shown_values = [shown(found["micro10"][score]), shown(found["hyperlex"][score])]
        assert [micro.strip("*"), hyperlex.strip("*")] == shown_values, label


def test_pairs_with_the_same_hypernym() -> None:
    found = results("ours")["further"]["separation"]
    sets = [one for one in (*MICRO_10, "all") if one != "Weeds"]
    for label, *cells in table(page("docs/reference/accuracy.md"), "## Pairs with the same hypernym"):
        assert [figure(cell) for cell in cells] == [shown(found[label][one]) for one in sets], label
    assert all("Weeds" not in by_set for by_set in found.values())


def test_the_table_of_the_reproduction_page() -> None:
    lines = [line.split("\t") for line in page("results/table1.tsv").splitlines()[1:]]
    cells = {(row[0], row[1]): shown(float(row[2])) for row in lines}
    for label, _, product, weighted, hyperlex in table(page("docs/explanation/reproduction.md"), "# Reproducing"):
        space = label.replace(', default constants ("ours")', " (ours)").replace(", fast solver", "")
        space = space.replace(", paper's constants", " (paper's constants").removesuffix(")") + ")"
        assert figure(product) == cells[f"{space} + C·ΔS", "micro 10"], label
        assert figure(weighted) == cells[f"{space} + W·ΔS", "micro 10"], label
        assert figure(hyperlex) == cells[f"{space} + C·ΔS", "HyperLex ρ"], label


def test_the_table_of_judged_answers() -> None:
    command = [sys.executable, ROOT / "tools" / "judge.py", "report", ROOT / "docs" / "judgements" / "answers.tsv"]
    report = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    names = {
        "first answer right": "first answer right",
        "first five answers right": "first 5 answers right",
        "answers with a confidence of at least 0.9 right": "answers of 0.9 and more right",
        "calibration error, points": "calibration error, points",
    }
    rows = {row[0]: row[1:] for row in table(page("docs/explanation/judgements.md"), "## Results")}
    for number, model in enumerate(("en-wiki", "wiki", "biomedical")):
        half = report[report.index(f"## {model}, test half") :].split("\n## ")[0]
        printed = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", half, re.MULTILINE))
        for label, name in names.items():
            cell = rows[label][number].replace(",", "").replace(" %", "%")
            assert cell == printed[name], (model, label)


def test_tables_of_claims_are_written_from_the_results() -> None:
    """Word by word what `tools/results.py` makes of the files it names."""
    text = page("docs/reference/claims.md")
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
