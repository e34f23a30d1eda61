"""On the figures stored in `results/` the rules give the verdicts of `results/claims.tsv`."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

from hyperdive.paper.claims import CONSTANTS, MEASURED, OURS, TOKENS, UNKNOWN, check
from hyperdive.paper.figures import RunFigures, paper_data, path_of
from hyperdive.paper.tables import table_columns, table_rows

RESULTS = Path(__file__).parents[2] / "results"
SPACES = {CONSTANTS: "dive-paper", OURS: "dive", TOKENS: "dive-tokens", "SBOW Freq": "sbow-freq", MEASURED: ""}
SCORES_AND_VALUES = re.compile(r"(\S[^,;]*?) (\d+\.\d)(?=[,;]|$)")


def stored(name: str) -> list[dict[str, str]]:
    with (RESULTS / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def put(spaces: dict[str, Any], space: str, path: tuple[str, ...], value: float) -> None:
    at = spaces.setdefault(space, {})
    for key in path[:-1]:
        at = at.setdefault(key, {})
    at[path[-1]] = value


def stored_figures() -> RunFigures:
    """The figures of every cell of the stored tables at their addresses, and those in the texts of claims."""
    every = RunFigures({space["name"]: {} for space in paper_data()["space"]})
    spaces: dict[str, Any] = {}
    for entry in paper_data()["table"]:
        if "rule" in entry:
            continue
        rows, columns = dict(table_rows(entry, every)), dict(table_columns(entry))
        for cell in stored(entry["name"]):
            row = rows.get(tuple(cell[label] for label in entry["labels"]))
            if row is None or cell["ours"] == "" or "minus" in row or "value" in row:
                continue
            address = {**row, **columns[cell["column"]]}
            space = "sbow-ppmi" if "|" in address["space"] else address["space"]
            put(spaces, space, path_of(address.get("score", ""), address["place"]), float(cell["ours"]))
    table4 = next(entry for entry in paper_data()["table"] if entry["name"] == "table4")
    names = {labels: row["space"] for labels, row in table_rows(table4, every)}
    for cell in stored("table4"):
        space = names.get((cell["space"],))
        if space is not None and cell["ours"]:
            value, column = float(cell["ours"]), cell["column"]
            if column.startswith("non-zeros"):
                put(spaces, space, ("dimensions", "all"), value)
            elif column.startswith("MB"):
                put(spaces, space, ("cost", "bytes", "all"), value)
            elif column.endswith(", ms"):
                put(spaces, space, ("cost", "seconds", column.removesuffix(", ms")), value)
    for entry in paper_data()["claim"]:
        for row, space in SPACES.items():
            text = claims_of(row, "figures").get(entry["quote"], "")
            put_text(spaces, entry, text, space)
    return RunFigures(spaces)


def claims_of(row: str, column: str) -> dict[str, str]:
    return {cell["claim"]: cell["ours"] for cell in stored("claims") if (cell["row"], cell["column"]) == (row, column)}


def put_text(spaces: dict[str, Any], entry: dict[str, Any], text: str, space: str) -> None:
    """Add the figures, with one decimal, that are in the text of a claim and in no table."""

    def put_new(name: str, score: str, place: str, value: float) -> None:
        if RunFigures(spaces).get(name, score, place) is None:
            put(spaces, name, path_of(score, place), value)

    measures = entry["measures"]
    for name, measure in measures.items():
        of = measure.get("of", "").replace("{dive}", space)
        if measure["rule"] in ("averages", "ranks") and entry["text"].startswith(
            (f"{{{name}}}", f"highest: {{{name}}}")
        ):
            for score, value in SCORES_AND_VALUES.findall(text.removeprefix("highest: ").partition(";")[0]):
                put_new(of, score, "micro10", float(value))
    fields = re.findall(r"\{(\w+)\.(\w+):[^}]+\}", entry["text"])
    pattern = re.sub(r"\\\{\w+\\\.\w+:[^}]+\\\}", r"([+−]?[\\d.]+)", re.escape(entry["text"]))
    found = re.match(pattern, text)
    for (name, field), value in zip(fields, found.groups() if found else (), strict=False):
        if measures[name]["rule"] == "figures":
            of, score, place = measures[name][field]
            put_new(of.replace("{dive}", space), score, place, float(value.replace("−", "-")))


def test_stored_figures_give_the_stored_verdicts() -> None:
    verdicts = {(cell["claim"], cell["row"]): cell["ours"] for cell in stored("claims") if cell["column"] == "verdict"}
    texts = {(cell["claim"], cell["row"]): cell["ours"] for cell in stored("claims") if cell["column"] == "figures"}
    claims = check(stored_figures())
    assert {(claim.statement, claim.row) for claim in claims} == set(verdicts)
    different = {(claim.name, claim.row) for claim in claims if claim.verdict != verdicts[claim.statement, claim.row]}
    assert different == {("savings", TOKENS)}, "only the costs of that space are not stored"
    for claim in claims:
        if claim.row != TOKENS and claim.verdict != UNKNOWN:  # intervals need the resamples, which are not stored
            text = re.sub(r",? ?\(?95 % \S+ to [+−][\d.]+\)?", "", texts[claim.statement, claim.row])
            assert re.sub(r"[()]", "", text).startswith(re.sub(r"[()]", "", claim.figures)), claim.name
