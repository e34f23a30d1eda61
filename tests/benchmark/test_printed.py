"""The printed tables, and what they say about each other."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hyperdive.benchmark import MICRO_4, MICRO_10, printed
from hyperdive.benchmark.datasets import SPECS
from hyperdive.scores import get
from hyperdive.scores.source import Source

KINDS = {(space, variant): kind for kind, (space, variant) in printed.SPACES.items()}


def test_printed_micro_averages_that_do_not_add_up_are_those_we_know() -> None:
    """Averages recomputed from the printed cells: all but seven of those over ten sets agree within 0.1."""
    off: dict[tuple[str, str], tuple[float, float]] = {}
    agree = {"MicroAverage4": 0, "MicroAverage10": 0}
    for row in printed.rows("table2_ap10"):
        if not row["dataset"].startswith("MicroAverage"):
            continue
        names = MICRO_4 if row["dataset"] == "MicroAverage4" else MICRO_10
        score = get(row["score"]).name
        cells = [printed._cells()[row["space"], row["variant"], name, score] for name in names]
        sizes = [SPECS[name].rows for name in names]
        mean = sum(n * value for n, value in zip(sizes, cells, strict=True)) / sum(sizes)
        if abs(mean - float(row["value"])) <= 0.1:
            agree[row["dataset"]] += 1
        else:
            off[row["variant"], score] = (float(row["value"]), round(mean, 1))
    assert agree == {"MicroAverage4": 40, "MicroAverage10": 33}
    assert off == {
        ("w/o IS", "CDE"): (22.3, 24.2),
        ("w/o IS", "AL₁"): (20.7, 22.9),
        ("w/o IS", "ΔS"): (19.1, 21.3),
        ("w/o IS", "W·ΔS"): (19.6, 21.9),
        ("w/o IS", "C·ΔS"): (19.9, 22.2),
        ("All wiki", "AL₁"): (23.1, 22.9),
        ("w/o PMI", "CDE"): (28.5, 28.4),
    }


def test_printed_sizes_are_ours_and_the_printed_oov_total_is_not() -> None:
    sizes = {row["dataset"]: (int(row["N"]), int(row["OOV"])) for row in printed.rows("table_stats_N_OOV")}
    for name in (*MICRO_10, "HyperLex"):
        assert sizes[name][0] == SPECS[name].rows
    assert sum(sizes[name][0] for name in MICRO_10) == sizes["MicroAverage10"][0] == 94337
    assert sum(sizes[name][1] for name in MICRO_4) == sizes["MicroAverage4"][1]
    assert (sum(sizes[name][1] for name in MICRO_10), sizes["MicroAverage10"][1]) == (23115, 24110)


@pytest.mark.parametrize(
    ("kind", "score", "dataset", "value"),
    [
        ("dive", "W·ΔS", "LEDS", 86.4),
        ("dive", "cds", "HyperLex", 32.8),
        ("sbow-ppmi", "C*dS", "HyperLex", 34.5),
        ("skipgram", "C", "BLESS", 9.2),
        ("dive", "W", "WordNet", 63.0),
        ("dive", "C·ΔS", "my pairs", None),
        ("dive", "C", "BLESS", None),
        ("skipgram", "ΔS", "BLESS", None),
        ("word2vec", "C", "BLESS", 9.2),
        ("gaussian", "C·ΔS", "BLESS", None),
    ],
)
def test_printed_cells(kind: str, score: str, dataset: str, value: float | None) -> None:
    assert printed.printed(kind, score, dataset) == value


def test_only_dive_has_variants_by_its_options() -> None:
    options = {"shift": False, "pmi_filter": "none"}
    kinds = {
        kind: printed.kind_of(Source(SimpleNamespace(kind=kind), parameters=options)) for kind in ("dive", "kmeans")
    }
    assert kinds == {"dive": "dive-no-shift", "kmeans": "kmeans"}
    assert printed.kind_of(Source(SimpleNamespace(kind="dive"), parameters={"shift": True})) == "dive"


@pytest.mark.parametrize(
    ("kind", "parameters", "named"),
    [
        ("dive", {}, "dive"),
        ("dive", {"pmi_filter": "none"}, "dive-no-pmi"),
        ("dive", {"pmi_filter": "paper"}, "dive"),
        ("sbow-ppmi", {"pmi_filter": "none"}, "sbow-ppmi"),
    ],
)
def test_a_variant_is_told_by_what_was_left_out(kind: str, parameters: dict[str, object], named: str) -> None:
    assert printed.kind_of(Source(SimpleNamespace(kind=kind), parameters=parameters)) == named


def test_an_average_is_printed_where_all_its_sets_are() -> None:
    assert printed.printed_micro("gaussian", "C·ΔS") is None
    assert printed.printed_micro("dive", "C·ΔS", ("BLESS",)) is None
    assert printed.printed_micro("dive", "C·ΔS", MICRO_4) is not None
