"""`hyperdive reproduce` as a person meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.paper.small_run import write_datasets, write_text

MANY = 28
Run = Callable[..., Any]


@pytest.fixture
def arguments(tmp_path: Path) -> list[object]:
    text = write_text(tmp_path / "text.txt", 1500)
    data = write_datasets(tmp_path / "data")
    settings = ("dimensions=6", "min_count=2", "resamples=0", f"data={data}", "verify=no")
    small = [part for setting in settings for part in ("--set", setting)]
    without = ["--set", "without=pos,half,kmeans", "--set", "without=gaussian,word2vec,experiments"]
    return ["reproduce", "-o", tmp_path / "run", "--corpus", text, *small, *without]


def test_a_run_tells_its_plan_first_and_its_claims_last(
    hyperdive: Run, tmp_path: Path, arguments: list[object]
) -> None:
    ran = hyperdive(*arguments)
    assert ran.code == 0, ran.err
    assert ran.err.splitlines()[0].startswith(f"{MANY} stages, 0 done")
    assert "] dive-raw: DIVE (ours), and skip-gram for W" in ran.err
    assert "DIVE (paper's constants): removing inclusion shift" in ran.out
    assert f"All tables: {tmp_path / 'run' / 'results' / 'README.md'}" in ran.out
    again = hyperdive(*arguments, "--set", "json=yes")
    assert again.err.splitlines()[0].startswith(f"{MANY} stages, {MANY} done")
    result = json.loads(again.out)
    assert result["missing"] == []
    assert {"name", "statement", "row", "verdict", "figures"} == set(result["claims"][0])
    assert "table2" in {table["name"] for table in result["tables"]}


def test_mistakes_are_one_line(hyperdive: Run, tmp_path: Path, arguments: list[object]) -> None:
    ran = hyperdive(*arguments, "--set", "without=kmean")
    parts = "pos, half, kmeans, gaussian, word2vec, experiments"
    assert ran.code == 2 and f"no part 'kmean' (use one of {parts})" in ran.err and ran.err.count("\n") == 1
    ran = hyperdive("reproduce", "-o", tmp_path / "x")
    assert ran.code == 2
    ran = hyperdive("reproduce", "-o", tmp_path / "x", "--corpus", tmp_path / "none.txt", "--set", f"data={tmp_path}")
    assert ran.code == 1
    assert "hyperdive datasets fetch" in ran.err
    assert len(ran.err.splitlines()) == 1
