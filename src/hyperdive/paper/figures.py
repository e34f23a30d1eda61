"""The figures of a run, and those printed in the paper, under the same addresses: space, score and place."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from hyperdive.benchmark.bootstrap import interval
from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, SPECS
from hyperdive.benchmark.measures import micro_average
from hyperdive.benchmark.printed import SPACES, printed, rows
from hyperdive.scores import get

_SPACES = {"SBOW Freq": "sbow-freq", "SBOW PPMI": "sbow-ppmi", "DIVE": "dive"}
_METHODS = {"GE+C": ("gaussian", "GE C"), "GE+KL": ("gaussian", "KL"), "Word2Vec+C": ("word2vec", "C")}
_MICRO = {"micro10": MICRO_10, "micro4": MICRO_4}


@cache
def paper_data() -> dict[str, Any]:
    """Return `paper.toml`: scores, labels, stages, spaces, tables and claims.

    >>> sorted(paper_data())
    ['claim', 'labels', 'notes', 'recipes', 'rows', 'scores', 'space', 'stage', 'table']
    """
    return tomllib.loads(resources.files("hyperdive.paper").joinpath("paper.toml").read_text(encoding="utf-8"))


def score_list(names: Sequence[str]) -> tuple[str, ...]:
    """Return scores by name, each named list of `paper.toml` replaced by its scores.

    >>> score_list(["W", "five"])
    ('W', 'CDE', 'AL₁', 'ΔS', 'W·ΔS', 'C·ΔS')
    """
    lists = paper_data()["scores"]
    return tuple(score for name in names for score in lists.get(name, (name,)))


@cache
def _name(score: str) -> str:
    return get(score).name


def path_of(score: str, place: str) -> tuple[str, ...]:
    """Return the keys under which the figures of a space hold the figure of a score at a place.

    >>> path_of("dS", "BLESS"), path_of("", "dimensions:all")
    (('datasets', 'BLESS', 'scores', 'ΔS', 'ap'), ('dimensions', 'all'))
    """
    kind, _, part = place.partition(":")
    name = _name(score) if score else ""
    paths = {
        "oov": ("datasets", part, "oov"),
        "f1": ("folds", part, name, "f1"),
        "ap100": ("ap100", part, name),
        "direction": ("direction", name, part),
        "dimensions": ("dimensions", part),
        "inclusion": ("inclusion", *part.split(":")),
    }
    return (kind, name) if kind in _MICRO else paths.get(kind, ("datasets", place, "scores", name, "ap"))


@dataclass(frozen=True)
class RunFigures:
    """Figures by space, as the figure stages of a run store them.

    >>> spaces = {"dive": {"micro10": {"ΔS": 30.0}, "datasets": {"BLESS": {"oov": 2, "scores": {"ΔS": {"ap": 5.0}}}}}}
    >>> figures = RunFigures(spaces)
    >>> figures.get("dive", "dS", "BLESS"), figures.get("dive", "dS", "micro10"), figures.get("dive", "", "oov:BLESS")
    (5.0, 30.0, 2)
    >>> figures.get("kmeans", "dS", "BLESS") is None
    True
    """

    spaces: Mapping[str, dict[str, Any]]

    def __contains__(self, name: object) -> bool:
        return name in self.spaces

    def choose(self, name: str) -> str:
        """Return the first of several names separated by `|` that was measured, else the last."""
        names = name.split("|")
        return next((one for one in names if one in self.spaces), names[-1])

    def get(self, space: str, score: str, place: str) -> float | None:
        """Return one figure in per cent; None if it was not measured or not printed.

        Args:
            space: name of a measured space; `a|b` is `a` if that was measured, else `b`.
            score: name of a score; empty for figures of the space itself.
            place: a dataset, `micro4` or `micro10`, or a measure and its part: `ap100:BLESS`, `f1:BLESS`,
                `oov:BLESS`, `direction:decided`, `dimensions:all`, `inclusion:positive:mean`.
        """
        value: Any = self.spaces.get(self.choose(space))
        for key in path_of(score, place):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value if isinstance(value, int | float) else None

    def cost(self, space: str) -> dict[str, Any] | None:
        """Return the numbers, bytes and seconds of a space."""
        return self.spaces.get(space, {}).get("cost")

    def gap(
        self, space: str, score: str, other: str, other_score: str
    ) -> tuple[float, tuple[float, float] | None] | None:
        """Return the difference of two micro averages over ten sets and its 95 % interval over the same resamples."""
        addresses = [(self.choose(space), score), (self.choose(other), other_score)]
        first, second = (self.get(*address, "micro10") for address in addresses)
        if first is None or second is None:
            return None
        resampled = [
            np.array(self.spaces[name].get("resampled", {}).get("micro10", {}).get(_name(one), []))
            for name, one in addresses
        ]
        paired = len(resampled[0]) > 0 and resampled[0].shape == resampled[1].shape
        return first - second, interval(resampled[0] - resampled[1]) if paired else None


@cache
def printed_figures() -> RunFigures:
    """Return the paper's printed figures; micro averages are recomputed from the paper's own cells.

    Beside the spaces of tables 2 and 3 there are `sbow-all` (the whole WaCkypedia), `sbow-freq-scores` (the averages
    of the table of scores) and `dive-wiki`, `dive-pubmed`, … (the table of training corpora).

    >>> paper = printed_figures()
    >>> paper.get("dive", "C·ΔS", "BLESS"), round(paper.get("dive-no-shift", "ΔS", "micro10"), 1)
    (16.3, 21.3)
    >>> paper.get("sbow-freq", "ΔQ", "micro10"), paper.get("dive", "ΔS", "direction:accuracy")
    (31.2, 67.0)
    """
    spaces: dict[str, dict[str, Any]] = {}

    def put(space: str, score: str, dataset: str, value: float | None) -> None:
        if value is not None:
            by_dataset = spaces.setdefault(space, {}).setdefault("datasets", {})
            by_dataset.setdefault(dataset, {"scores": {}})["scores"][_name(score)] = {"ap": value}

    for kind in SPACES:
        for score in (*score_list(["five"]), "Random"):
            for dataset in ELEVEN:
                put(kind, score, dataset, printed(kind, score, dataset))
    for row in (*rows("table2_ap10"), *rows("table3_hyperlex")):
        if row["variant"] == "All wiki" and row["dataset"] in ELEVEN:
            put("sbow-all", row["score"], row["dataset"], float(row["value"]))
    for row in rows("table1_unsupervised_embeddings"):
        if row["method"] in _METHODS and row["dataset"] in ELEVEN:
            put(*_METHODS[row["method"]], row["dataset"], float(row["value"]))
    for row in rows("table_pubmed"):
        put(f"{_SPACES[row['space']]}-{row['corpus'].lower()}", row["score"], row["dataset"], float(row["value"]))
    for space in spaces.values():
        for which, names in _MICRO.items():
            cells: dict[str, dict[str, float]] = {}
            for dataset in names:
                for score, cell in space["datasets"].get(dataset, {"scores": {}})["scores"].items():
                    cells.setdefault(score, {})[dataset] = cell["ap"]
            sizes = {dataset: SPECS[dataset].rows for dataset in names}
            space[which] = {score: micro_average(of, sizes) for score, of in cells.items() if len(of) == len(names)}
    averages = {_name(row["score"]): float(row["value"]) for row in rows("table_metrics_sbow_freq")}
    spaces["sbow-freq-scores"] = {"micro10": averages}
    spaces["sbow-freq"]["micro10"] = {**averages, **spaces["sbow-freq"]["micro10"]}
    for row in rows("table_directionality"):
        accuracy = {"accuracy": float(row["accuracy_percent_10_datasets"])}
        spaces[_SPACES[row["space"]]].setdefault("direction", {})[_name(row["score"])] = accuracy
    for row in rows("table4_avg_dims"):
        spaces[_SPACES[row["space"]]]["dimensions"] = {"all": float(row["avg_nonzero_dims"])}
    return RunFigures(spaces)
