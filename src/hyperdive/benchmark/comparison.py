"""Two models on the same pairs: is one really better? And the further measures of one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hyperdive.benchmark.bootstrap import interval, paired_p
from hyperdive.benchmark.coverage import coverage
from hyperdive.benchmark.datasets import MICRO_10
from hyperdive.benchmark.discovery import discover_all, priors
from hyperdive.benchmark.evaluation import Evaluation
from hyperdive.benchmark.measures import Direction, average_precision_at, cross_validated, directionality
from hyperdive.errors import InputError, OptionError
from hyperdive.scores import get

F1_SETS = ("Medical", "HypeNet")
DIRECTION_SCORES = ("ΔS", "ΔQ", "ΔE", "SLQS Sub", "Frequency")


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
                sum(one.results[name].n * one.results[name].replicates[score] for name in MICRO_10) / total
                for one in (evaluation, baseline)
            )
            value = evaluation.micro10[score] - baseline.micro10[score]
            table["micro10"][score] = _difference(value, np.asarray(first), np.asarray(second))
    return table


def _difference(value: float, first: Any, second: Any) -> Difference:
    return Difference(value, interval(first - second), paired_p(first, second))


def further_measures(
    evaluation: Evaluation,
    model: Any,
    *,
    pos: Any = None,
    discovery: Sequence[str] = (),
    ranking: Callable[[Any], Any] | None = None,
    never: Iterable[str] = (),
    sample: int = 300,
    seed: int = 0,
    threads: int = 0,
) -> dict[str, Any]:
    """F1 and accuracy, AP@100, directionality, coverage and non-zero dimensions, and discovery for the named sets.

    Figures are in per cent. Discovery ranks the whole vocabulary for up to `sample` hyponyms of a set, by what
    `ranking` gives for a model (else the first score of the evaluation), without the words `never`. Priors are beside.
    """
    binary = {name: one.scored for name, one in evaluation.results.items() if not one.scored.dataset.graded}
    further: dict[str, Any] = {"f1": {}, "accuracy": {}, "ap100": {}, "directionality": {}}
    for name, scored in binary.items():
        labels = scored.dataset.labels
        if name in F1_SETS or name not in MICRO_10:
            folds = {s: _folds(values, labels, scored.known, seed) for s, values in scored.values.items()}
            further["f1"][name] = {s: None if one is None else round(100 * one.f1, 4) for s, one in folds.items()}
            further["accuracy"][name] = {
                s: None if one is None else round(100 * one.accuracy, 4) for s, one in folds.items()
            }
        further["ap100"][name] = {
            s: round(100 * average_precision_at(values, labels, 100, scored.known, shuffles=20, seed=seed), 4)
            for s, values in scored.values.items()
        }
    for score in (s for s in DIRECTION_SCORES if s in evaluation.scores):
        each = [directionality(one.values[score], one.dataset.labels, one.known) for one in binary.values()]
        pooled = sum(each, Direction(0, 0, 0))
        sizes = np.array([len(one.dataset) for one in binary.values()], dtype=float)
        weighted = float((sizes * [one.accuracy for one in each]).sum() / sizes.sum()) if len(each) else 0.0
        further["directionality"][score] = {
            "accuracy": round(100 * pooled.accuracy, 4),
            "decided": round(100 * pooled.decided_accuracy, 4),
            "weighted_by_size": round(100 * weighted, 4),
            **asdict(pooled),
        }
    covered = coverage(model, [one.dataset for one in binary.values()], pos=pos)
    further["coverage"] = {**asdict(covered), "share": round(covered.share, 4)}
    further["discovery"] = {}
    for name in discovery:
        if name not in binary:
            raise OptionError(f"{name} is not among the evaluated binary sets", hint="name it with --datasets too")
        scored = binary[name]
        use = pos if scored.space == "pos" and pos is not None else model
        by = get(evaluation.scores[0]) if ranking is None else ranking(use)
        beside = priors(use)
        first, *rest = discover_all(
            use,
            scored.dataset,
            [by, *beside],
            never=never,
            pos=scored.space == "pos",
            sample=sample,
            seed=seed,
            threads=threads,
        )
        further["discovery"][name] = {
            "score": by.name,
            **asdict(first),
            "priors": {prior.name: asdict(one) for prior, one in zip(beside, rest, strict=True)},
        }
    return further


def _folds(values: Any, labels: Any, known: Any, seed: int) -> Any:
    try:
        return cross_validated(values, labels, known, seed=seed)
    except InputError:  # too few positives for twenty folds
        return None
