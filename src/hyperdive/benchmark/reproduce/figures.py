"""The figures of a run by space, score and dataset, ready for tables and claims; what was not made is None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive.benchmark.bootstrap import interval
from hyperdive.scores import get

Floats = Any


@dataclass(frozen=True)
class RunFigures:
    """Figures by the names of `measurement.MEASURED_SPACES`.

    >>> one = {"micro10": {"ΔS": 30.0}, "datasets": {"BLESS": {"oov": 2, "scores": {"ΔS": {"ap": 5.0}}}}}
    >>> average = RunFigures({"dive": one})
    >>> average.value("dive", "dS", "BLESS"), average.micro("dive", "dS"), average.value("kmeans", "dS", "BLESS")
    (5.0, 30.0, None)
    """

    figures: Mapping[str, dict[str, Any]]

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    def value(self, name: str, score: str, dataset: str) -> float | None:
        """AP or ρ in per cent."""
        score_figures = self._dataset(name, dataset).get("scores", {}).get(get(score).name)
        return None if score_figures is None else float(score_figures["ap"])

    def oov(self, name: str, dataset: str) -> int | None:
        """Pairs with a word the space does not have."""
        missing = self._dataset(name, dataset).get("oov")
        return None if missing is None else int(missing)

    def _dataset(self, name: str, dataset: str) -> dict[str, Any]:
        dataset_figures = self.figures.get(name, {}).get("datasets", {}).get(dataset, {})
        return dataset_figures if isinstance(dataset_figures, dict) else {}

    def micro(self, name: str, score: str, which: str = "micro10") -> float | None:
        """The micro average over ten sets, or with `micro4` over four."""
        average = self.figures.get(name, {}).get(which, {}).get(get(score).name)
        return None if average is None else float(average)

    def fold(self, name: str, score: str, dataset: str, measure: str = "f1") -> float | None:
        """F1 or accuracy by cross-validated thresholds, in per cent."""
        fold_figures = self.figures.get(name, {}).get("folds", {}).get(dataset, {}).get(get(score).name)
        return None if fold_figures is None else float(fold_figures[measure])

    def direction(self, name: str, score: str, measure: str = "accuracy") -> float | None:
        """How often the broader word is recognised, in per cent."""
        direction_figures = self.figures.get(name, {}).get("direction", {}).get(get(score).name)
        return None if direction_figures is None else float(direction_figures[measure])

    def dimensions(self, name: str, part: str = "all") -> float | None:
        """Non-zero dimensions of a test word in the mean."""
        dimensions = self.figures.get(name, {}).get("dimensions", {}).get(part)
        return None if dimensions is None else float(dimensions)

    def cost(self, name: str) -> dict[str, Any] | None:
        """Numbers, bytes and seconds of a space."""
        costs = self.figures.get(name, {}).get("cost")
        return costs if isinstance(costs, dict) else None

    def best(
        self, names: Sequence[str], scores: Sequence[str], which: str = "micro10"
    ) -> tuple[str, str, float] | None:
        """The space and score with the highest micro average."""
        known = [(n, s, v) for n in names for s in scores if (v := self.micro(n, s, which)) is not None]
        return max(known, key=lambda score_figures: score_figures[2]) if known else None

    def gap(
        self, first: tuple[str, str], second: tuple[str, str], which: str = "micro10"
    ) -> tuple[float, tuple[float, float] | None] | None:
        """The difference of two micro averages, (space, score) each, and its 95 % interval over the same resamples."""
        values = [self.micro(*score_figures, which=which) for score_figures in (first, second)]
        if values[0] is None or values[1] is None:
            return None
        resampled = [
            np.array(self.figures[name].get("resampled", {}).get(which, {}).get(get(score).name, []))
            for name, score in (first, second)
        ]
        both = len(resampled[0]) > 0 and resampled[0].shape == resampled[1].shape
        return values[0] - values[1], interval(resampled[0] - resampled[1]) if both else None
