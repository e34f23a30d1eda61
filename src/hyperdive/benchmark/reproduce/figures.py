"""The figures of a run by space, score and dataset, ready for tables and claims; what was not made is None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hyperdive.benchmark.bootstrap import interval
from hyperdive.scores import get

Floats = Any


@cache
def _named(score: str) -> str:
    """The name under which figures of a score are kept."""
    return get(score).name


@dataclass(frozen=True)
class RunFigures:
    """Figures by the names of `measurement.MEASURED_SPACES`.

    >>> one = {"micro10": {"ΔS": 30.0}, "datasets": {"BLESS": {"oov": 2, "scores": {"ΔS": {"ap": 5.0}}}}}
    >>> found = RunFigures({"dive": one})
    >>> found.value("dive", "dS", "BLESS"), found.micro("dive", "dS"), found.value("kmeans", "dS", "BLESS")
    (5.0, 30.0, None)
    """

    figures: Mapping[str, dict[str, Any]]

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    def value(self, name: str, score: str, dataset: str) -> float | None:
        """AP or ρ in per cent."""
        one = self._dataset(name, dataset).get("scores", {}).get(_named(score))
        return None if one is None else float(one["ap"])

    def oov(self, name: str, dataset: str) -> int | None:
        """Pairs with a word the space does not have."""
        found = self._dataset(name, dataset).get("oov")
        return None if found is None else int(found)

    def _dataset(self, name: str, dataset: str) -> dict[str, Any]:
        found = self.figures.get(name, {}).get("datasets", {}).get(dataset, {})
        return found if isinstance(found, dict) else {}

    def micro(self, name: str, score: str, which: str = "micro10") -> float | None:
        """The micro average over ten sets, or with `micro4` over four."""
        found = self.figures.get(name, {}).get(which, {}).get(_named(score))
        return None if found is None else float(found)

    def fold(self, name: str, score: str, dataset: str, measure: str = "f1") -> float | None:
        """F1 or accuracy by cross-validated thresholds, in per cent."""
        found = self.figures.get(name, {}).get("folds", {}).get(dataset, {}).get(_named(score))
        return None if found is None else float(found[measure])

    def direction(self, name: str, score: str, measure: str = "accuracy") -> float | None:
        """How often the broader word is recognised, in per cent."""
        found = self.figures.get(name, {}).get("direction", {}).get(_named(score))
        return None if found is None or measure not in found else float(found[measure])

    def ap100(self, name: str, score: str, dataset: str) -> float | None:
        """AP@100 in per cent."""
        found = self.figures.get(name, {}).get("ap100", {}).get(dataset, {}).get(_named(score))
        return None if found is None else float(found)

    def inclusion(self, name: str) -> dict[str, Any] | None:
        """How many positive and negative pairs satisfy the inclusion property."""
        found = self.figures.get(name, {}).get("inclusion")
        return found if isinstance(found, dict) else None

    def dimensions(self, name: str, part: str = "all") -> float | None:
        """Non-zero dimensions of a test word in the mean."""
        found = self.figures.get(name, {}).get("dimensions", {}).get(part)
        return None if found is None else float(found)

    def cost(self, name: str) -> dict[str, Any] | None:
        """Numbers, bytes and seconds of a space."""
        found = self.figures.get(name, {}).get("cost")
        return found if isinstance(found, dict) else None

    def best(
        self, names: Sequence[str], scores: Sequence[str], which: str = "micro10"
    ) -> tuple[str, str, float] | None:
        """The space and score with the highest micro average."""
        known = [(n, s, v) for n in names for s in scores if (v := self.micro(n, s, which)) is not None]
        return max(known, key=lambda one: one[2]) if known else None

    def gap(
        self, first: tuple[str, str], second: tuple[str, str], which: str = "micro10"
    ) -> tuple[float, tuple[float, float] | None] | None:
        """The difference of two micro averages, (space, score) each, and its 95 % interval over the same resamples."""
        values = [self.micro(*one, which=which) for one in (first, second)]
        if values[0] is None or values[1] is None:
            return None
        resampled = [
            np.array(self.figures[name].get("resampled", {}).get(which, {}).get(_named(score), []))
            for name, score in (first, second)
        ]
        both = len(resampled[0]) > 0 and resampled[0].shape == resampled[1].shape
        return values[0] - values[1], interval(resampled[0] - resampled[1]) if both else None
