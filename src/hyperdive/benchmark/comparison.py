"""Two models on the same pairs: paired differences with intervals and p values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive.benchmark.bootstrap import interval, paired_p
from hyperdive.benchmark.datasets import MICRO_10
from hyperdive.benchmark.evaluation import Evaluation
from hyperdive.errors import InputError, OptionError


@dataclass(frozen=True)
class Difference:
    """This model's figure minus the baseline's, in points, with its 95 % interval and two-sided p value."""

    difference: float
    ci95: tuple[float, float]
    p: float


def compare(evaluation: Evaluation, baseline: Evaluation) -> dict[str, dict[str, Difference]]:
    """Paired differences by dataset (and `micro10` when all ten sets are there) and score, over the same resamples."""
    shared = [score for score in evaluation.scores if score in baseline.scores]
    if not shared:
        raise OptionError("the two models have no score in common", hint="choose one with --scores")
    table: dict[str, dict[str, Difference]] = {}
    for name, result in evaluation.results.items():
        other = baseline.results[name]
        if not result.replicates or not other.replicates:
            raise InputError("a paired test needs resamples", hint="add --resamples 1000")
        table[name] = {
            score: _difference(
                result.cells[score].value - other.cells[score].value, result.replicates[score], other.replicates[score]
            )
            for score in shared
        }
    if evaluation.micro10:
        total = sum(evaluation.results[name].n for name in MICRO_10)
        table["micro10"] = {}
        for score in shared:
            first, second = (
                sum(figures.results[name].n * figures.results[name].replicates[score] for name in MICRO_10) / total
                for figures in (evaluation, baseline)
            )
            value = evaluation.micro10[score] - baseline.micro10[score]
            table["micro10"][score] = _difference(value, np.asarray(first), np.asarray(second))
    return table


def _difference(value: float, first: Any, second: Any) -> Difference:
    return Difference(value, interval(first - second), paired_p(first, second))
