"""How far rows are from their optimum: against numerical gradients, and nothing at an optimum found by another solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from hyperdive.spaces import dive_objective
from hyperdive.spaces.dive import train_dive
from hyperdive.spaces.dive_objective import CountMatrix, band_residuals, row_residuals

from .test_dive import count_matrix

WEIGHTS, RIDGE = 3.0, 0.05


@pytest.fixture
def problem() -> tuple[CountMatrix, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    counts = count_matrix(40)
    own, other = (rng.random((40, 4), dtype=np.float32) for _ in range(2))
    own[5, :2] = 0
    return counts, own, other, np.full(40, WEIGHTS), counts.frequencies / counts.frequencies.sum()


def parts(problem: Any, row: int, at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The objective of a row and both sides of its gradient, straight from the definition."""
    counts, _, other, weights, masses = problem
    c = other.astype(np.float64)
    n = np.zeros(counts.size)
    here = slice(counts.indptr[row], counts.indptr[row + 1])
    n[counts.indices[here]] = counts.data[here]
    dots = c @ at
    value = -n @ np.logaddexp(0, -dots) - weights[row] * (masses @ np.logaddexp(0, dots) + RIDGE * 0.5 * at @ at)
    pull = (n / (1 + np.exp(dots))) @ c
    push = weights[row] * ((masses / (1 + np.exp(-dots))) @ c + RIDGE * at)
    return float(value), pull, push


@pytest.mark.parametrize("row", [1, 5, 17])
def test_residuals_are_those_of_the_definition(problem: Any, row: int) -> None:
    counts, own, other, weights, masses = problem
    at = own[row].astype(np.float64)
    _, pull, push = parts(problem, row, at)
    steps = 1e-5 * np.eye(4)
    slopes = [(parts(problem, row, at + step)[0] - parts(problem, row, at - step)[0]) / 2e-5 for step in steps]
    np.testing.assert_allclose(pull - push, slopes, rtol=1e-4, atol=1e-4)
    r = np.where(at > 0, pull - push, np.maximum(pull - push, 0))
    found = row_residuals(counts, np.array([row]), own, other, weights, masses, ridge=RIDGE)[0]
    assert found == pytest.approx(np.linalg.norm(r) / max(np.linalg.norm(pull), np.linalg.norm(push)), rel=1e-4)


def test_without_a_ridge_there_is_none(problem: Any) -> None:
    counts, own, other, weights, masses = problem
    rows = np.arange(40)
    without, none = (
        row_residuals(counts, rows, own, other, weights, masses, **ridge) for ridge in ({}, {"ridge": 0.0})
    )
    assert np.array_equal(without, none)
    assert not np.allclose(without, row_residuals(counts, rows, own, other, weights, masses, ridge=1.0))
    whole = [
        band_residuals(counts, own, other, weights, **ridge)[0].median for ridge in ({}, {"ridge": 0.0}, {"ridge": 1.0})
    ]
    assert whole[0] == whole[1] != whole[2]


def test_an_optimum_has_no_residual(problem: Any) -> None:
    counts, own, other, weights, masses = problem
    for row in (1, 5):
        best = minimize(
            lambda at, row=row: (-parts(problem, row, at)[0], parts(problem, row, at)[2] - parts(problem, row, at)[1]),
            own[row].astype(np.float64),
            jac=True,
            bounds=[(0, None)] * 4,
            options={"ftol": 1e-15, "gtol": 1e-10},
        ).x
        before = row_residuals(counts, np.array([row]), own, other, weights, masses, ridge=RIDGE)[0]
        own[row] = best
        after = row_residuals(counts, np.array([row]), own, other, weights, masses, ridge=RIDGE)[0]
        assert after < 1e-3 < 0.05 < before


def test_a_row_that_is_rightly_zero_has_no_residual(problem: Any) -> None:
    counts, own, other, weights, masses = problem
    own[3] = 0
    heavy, light = (row_residuals(counts, np.array([3]), own, other, weights * many, masses)[0] for many in (1e6, 1e-9))
    assert heavy == 0.0  # the negatives push below 0, where nothing is
    assert light == pytest.approx(1.0)  # nothing holds the positive gradient back


def test_bands_are_ranks_without_the_unknown_symbol(problem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    counts, own, other, weights, masses = problem
    monkeypatch.setattr(dive_objective, "BANDS", (10, 30, 100))
    bands = band_residuals(counts, own, other, weights, ridge=RIDGE)
    assert [(band.first, band.last, band.rows) for band in bands] == [(1, 10, 10), (11, 30, 20), (31, 39, 9)]
    every = row_residuals(counts, np.arange(11, 31), own, other, weights, masses, ridge=RIDGE)
    assert bands[1].median == pytest.approx(np.median(every), abs=1e-4)
    assert bands[1].largest == pytest.approx(every.max(), abs=1e-4)


def test_training_tells_its_residuals_and_more_passes_lower_them() -> None:
    counts = count_matrix(60)
    few, many = (train_dive(counts, dimensions=5, passes=passes, tolerance=0.0) for passes in (4, 80))
    assert few.residuals[0].median > 0.3 > many.residuals[0].median
    assert few.residuals[0].last == 59
