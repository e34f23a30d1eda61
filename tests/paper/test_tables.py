"""Cells, claims and drawings of a reproduction, from figures given by hand."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive.ask.topics import Dimensions
from hyperdive.benchmark.printed import printed_micro
from hyperdive.paper.figures import RunFigures, paper_data, printed_figures
from hyperdive.paper.results import draw_figures, topics_table
from hyperdive.paper.tables import PaperCell, PaperRow, PaperTable, build_tables
from hyperdive.scores import Pairs, get
from hyperdive.scores.paper import best_scale
from hyperdive.spaces.space import VectorSpace

FIVE = {"CDE": 27.5, "AL₁": 24.0, "ΔS": 32.1, "W·ΔS": 34.1, "C·ΔS": 32.7, "Frequency": 30.0, "Random": 23.0}


def figures(averages: dict[str, float] | None = None) -> dict[str, Any]:
    values = {**FIVE, **(averages or {})}
    return {"micro10": values, "micro4": values, "datasets": {}}


def test_cells_say_what_can_be_compared() -> None:
    assert PaperCell(9.84, 16.3).plain() == "9.8 (16.3; −6.5)"
    assert PaperCell(9.84, 16.3, "not comparable").plain() == "9.8 (16.3; not comparable)"
    assert PaperCell(9.84, 16.3, "not comparable").difference is None
    assert PaperCell(None, 39.0, "reported").plain() == "39.0 reported"
    assert PaperCell().plain() == "–"
    assert PaperCell(26554, 26554, decimals=0).plain() == "26,554 (26,554; +0)"


def test_words_cannot_break_a_table() -> None:
    table = PaperTable("t", "T", ("a",), ("c",), (PaperRow(("x|y",), (PaperCell(text="<script>|"),)),), ("a & b",))
    assert "| x\\|y | <script>\\| |" in table.markdown()


def tables_of(found: RunFigures, **settings: bool) -> dict[str, PaperTable]:
    return {table.name: table for table in build_tables(found, **settings)}


def test_tables_of_nothing_show_the_paper_alone() -> None:
    for table in build_tables(RunFigures({"dive-pubmed": {}, "word2vec-raw-only": {}})):
        assert all(len(row.cells) == len(table.columns) for row in table.rows), table.name
        assert all(len(row.labels) == len(table.label_columns) for row in table.rows), table.name
        assert table.markdown()
    names = {entry["name"] for entry in paper_data()["table"]}
    assert names - {"table_pubmed", "table_skipgram"} == set(tables_of(RunFigures({})))


def test_the_printed_figures_are_where_they_belong() -> None:
    known: dict[str, Any] = {
        name: {"datasets": {}} for name in ("dive", "sbow-freq", "gaussian", "word2vec", "sbow-ppmi", "dive-pubmed")
    }
    made = tables_of(RunFigures(known), pubmed_is_short=True)
    assert made["table1"].title == "Table 1: unsupervised embeddings"
    first = {row.labels[0]: row for row in made["table1"].rows}
    assert [cell.paper for cell in first["Gaussian + KL"].cells[:2]] == [7.6, 29.6]
    assert first["word2vec + C (gensim)"].cells[0].paper == 9.2
    assert first["DIVE (ours) + C·ΔS"].cells[-1].paper == 32.8
    assert first["DIVE (ours) + C·ΔS"].cells[-2].paper == pytest.approx(printed_micro("dive", "C·ΔS"))
    assert first["Random"].cells[0].paper == 5.3
    scores = {row.labels[0]: row.cells[0].paper for row in made["table_scores"].rows}
    assert scores["Weeds"] is None
    assert scores["Weeds, turned round as in the paper's program"] == 19.0
    assert scores["SLQS Sub"] == 27.4
    sizes = {row.labels[0]: row for row in made["table_sizes"].rows}
    assert sizes["ten sets"].cells[2].paper == 23115
    assert sizes["BLESS"].cells[0].ours == 26554
    semi = {row.labels[0]: row for row in made["table_reported_semisupervised"].rows}
    assert semi["HyperVec (1337 training pairs)"].cells[0].mark == "reported"
    assert semi["DIVE (ours) + C·ΔS"].cells[0].paper == 34.5
    rows = {row.labels: row for row in made["table_pubmed"].rows}
    assert rows["DIVE (paper's constants)", "PubMed"].cells[4] == PaperCell(None, 20.4, "not comparable")
    assert printed_figures().get("sbow-all", "AL₁", "micro10") == pytest.approx(22.9, abs=0.05)


def test_a_gap_is_paired_over_the_same_resamples() -> None:
    resampled = {"micro10": {"ΔS": [30.0, 32.0, 34.0]}}
    lower = {"micro10": {"ΔS": [29.0, 31.0, 33.0]}}
    found = RunFigures({"a": {**figures(), "resampled": resampled}, "b": {**figures({"ΔS": 31.1}), "resampled": lower}})
    apart = found.gap("a", "ΔS", "b", "ΔS")
    assert apart is not None
    assert apart[0] == pytest.approx(1.0)
    assert apart[1] == pytest.approx((1.0, 1.0))
    assert found.gap("a", "ΔS", "none", "ΔS") is None


VECTORS = st.lists(st.floats(0, 10).map(lambda x: 0.0 if x < 0.01 else x), min_size=6, max_size=6)


@settings(deadline=None)  # the first example compiles the kernel
@given(VECTORS, VECTORS)
def test_the_drawn_scale_gives_the_score(q: list[float], p: list[float]) -> None:
    if sum(q) == 0 or sum(p) == 0:
        return
    d_q, d_p = np.array(q) / sum(q), np.array(p) / sum(p)
    a, distance = best_scale(d_q, d_p)
    assert distance == pytest.approx((5 * np.maximum(a * d_q - d_p, 0) + np.maximum(d_p - a * d_q, 0)).sum(), abs=1e-9)
    score = float(get("AL₁")(Pairs(np.array([q, p]), [0], [1]))[0])
    assert distance == pytest.approx(-score, abs=1e-9)


@pytest.fixture
def space() -> VectorSpace:
    rng = np.random.default_rng(0)
    words = ["rodent", "mammal", "<b>&", "animal", "zero"]
    matrix = np.maximum(rng.normal(0.5, 1, (5, 6)), 0)
    matrix[4] = 0
    return VectorSpace(words, matrix, frequencies=[1] * 5, kind="dive")


def test_figures_are_xml_and_the_same_each_time(space: VectorSpace, tmp_path: Path) -> None:
    made = [draw_figures(space, tmp_path / name) for name in ("one", "two")]
    assert {path.name for path in made[0]} == {f"figure_{name}.svg" for name in ("main", "pairs", "failures", "al1")}
    for first, second in zip(*made, strict=True):
        assert ET.fromstring(first.read_bytes()).tag.endswith("svg")
        assert first.read_bytes() == second.read_bytes()
    assert "not in the vocabulary: ant, insect" in (tmp_path / "one" / "figure_pairs.svg").read_text("utf-8")


def test_small_values_are_left_out_and_dimensions_fall(space: VectorSpace) -> None:
    rows = topics_table(Dimensions(space)).rows
    values = [(row.cells[0].ours or 0.0, row.cells[1].ours or 0.0) for row in rows]
    assert values and all(max(pair) >= 0.1 for pair in values)
    assert [p for _, p in values] == sorted((p for _, p in values), reverse=True)
