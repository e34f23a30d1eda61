"""Is a confidence what it says? Reliability by bins, and the expected calibration error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Bin:
    """Pairs whose confidence lies in one tenth: how many, their mean confidence, the share that is true."""

    pairs: int
    confidence: float
    true: float


def reliability(confidence: Any, labels: Any, bins: int = 10) -> list[Bin]:
    """The bins that have pairs, from low to high confidence.

    >>> reliability([0.1, 0.2, 0.9, 0.8], [False, False, True, False], bins=2)
    [Bin(pairs=2, confidence=0.15, true=0.0), Bin(pairs=2, confidence=0.85, true=0.5)]
    """
    values, truth = np.asarray(confidence, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    place = np.minimum((values * bins).astype(np.int64), bins - 1)
    full_bins = []
    for number in range(bins):
        here = place == number
        if here.any():
            mean, share = float(values[here].mean()), float(truth[here].mean())
            full_bins.append(Bin(int(here.sum()), round(mean, 6), round(share, 6)))
    return full_bins


def expected_calibration_error(bins: list[Bin]) -> float:
    """Σ share of the bin · |mean confidence − share that is true|.

    >>> round(expected_calibration_error(reliability([0.1, 0.2, 0.9, 0.8], [False, False, True, False], bins=2)), 3)
    0.25
    """
    total = sum(part.pairs for part in bins)
    return sum(part.pairs * abs(part.confidence - part.true) for part in bins) / total if total else 0.0
