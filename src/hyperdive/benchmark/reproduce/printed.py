"""The paper's printed figures in the form of a run's, so that the same rules judge both."""

from __future__ import annotations

from functools import cache
from typing import Any

from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10
from hyperdive.benchmark.paper import SPACES, printed, printed_micro, rows
from hyperdive.benchmark.reproduce.figures import RunFigures
from hyperdive.benchmark.reproduce.measurement import FIVE
from hyperdive.scores import get

_NAMES = {"SBOW Freq": "sbow-freq", "SBOW PPMI": "sbow-ppmi", "DIVE": "dive"}
_METHODS = {"GE+C": ("gaussian", "GE C"), "GE+KL": ("gaussian", "KL"), "Word2Vec+C": ("word2vec", "C")}


@cache
def printed_figures() -> RunFigures:
    """Cells of tables 1 to 3, averages recomputed from them, the scores on SBOW Freq, directions and dimensions.

    >>> papers = printed_figures()
    >>> papers.value("dive", "C·ΔS", "BLESS"), round(papers.micro("dive-no-shift", "ΔS"), 1)
    (16.3, 21.3)
    >>> papers.micro("sbow-freq", "ΔQ"), papers.direction("dive", "ΔS"), papers.value("dive-pubmed", "ΔS", "Medical")
    (31.2, 67.0, 15.9)
    """
    made: dict[str, dict[str, Any]] = {}

    def put(name: str, dataset: str, score: str, value: float | None) -> None:
        if value is not None:
            by_set = made.setdefault(name, {}).setdefault("datasets", {}).setdefault(dataset, {"scores": {}})
            by_set["scores"][get(score).name] = {"ap": value}

    for kind in SPACES:
        for score in FIVE:
            for dataset in ELEVEN:
                put(kind, dataset, score, printed(kind, score, dataset))
            for which, names in (("micro10", MICRO_10), ("micro4", MICRO_4)):
                value = printed_micro(kind, score, names)
                if value is not None:
                    made.setdefault(kind, {}).setdefault(which, {})[get(score).name] = value
    for row in rows("table1_unsupervised_embeddings"):
        name, score = _METHODS.get(row["method"], ("", ""))
        if name and row["dataset"] in ELEVEN:
            put(name, row["dataset"], score, float(row["value"]))
        elif name:
            made.setdefault(name, {}).setdefault("micro10", {})[get(score).name] = float(row["value"])
    for row in rows("table_metrics_sbow_freq"):
        made["sbow-freq"]["micro10"].setdefault(get(row["score"]).name, float(row["value"]))
    for row in rows("table_directionality"):
        accuracy = {"accuracy": float(row["accuracy_percent_10_datasets"])}
        made[_NAMES[row["space"]]].setdefault("direction", {})[get(row["score"]).name] = accuracy
    for row in rows("table4_avg_dims"):
        made[_NAMES[row["space"]]]["dimensions"] = {"all": float(row["avg_nonzero_dims"])}
    for row in rows("table_pubmed"):
        if row["corpus"] == "PubMed":
            put(f"{_NAMES[row['space']]}-pubmed", row["dataset"], row["score"], float(row["value"]))
    return RunFigures(made)
