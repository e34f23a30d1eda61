"""Searching with bounds finds what scoring everything finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive import Model, load
from hyperdive.discover.bounded_search import leading_scores
from hyperdive.discover.question import Question, best
from hyperdive.discover.ranking import plausible_names, ranking
from hyperdive.spaces.packaged_models import packaged_models

PACKAGED = pytest.mark.skipif("en-wiki" not in packaged_models(), reason="the packaged model is not here")
ASKED = ["animal", "politician", "chess", "doctor", "water plant", "blue guide dog"]


@given(
    seed=st.integers(0, 10_000),
    top=st.integers(1, 12),
    limit=st.sampled_from([0.0, 0.5, 0.9, 2.0]),
    size=st.integers(0, 300),
)
@settings(deadline=None)
def test_the_first_answers_are_those_of_all_scores(seed: int, top: int, limit: float, size: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 40, size) / 40  # many ties
    loose = values + rng.uniform(0, 0.6, size)
    close = values + rng.uniform(0, 0.2, size)
    scored: list[int] = []

    def score(numbers: np.ndarray) -> np.ndarray:
        scored.extend(numbers.tolist())
        return values[numbers]

    scores = leading_scores(size, score, [lambda at: loose[at], lambda at: close[at]], top=top, limit=limit)
    assert len(scored) == len(set(scored))

    def first(of: np.ndarray) -> list[int]:
        return best(np.where(of >= limit, of, -np.inf), top).tolist()

    assert first(scores) == first(values)
    if not first(values):
        assert best(scores, 1).tolist() == best(values, 1).tolist()


def test_few_candidates_are_scored_when_bounds_are_close() -> None:
    values, scored = np.linspace(0, 1, 5000), []

    def score(numbers: np.ndarray) -> np.ndarray:
        scored.extend(numbers.tolist())
        return values[numbers]

    leading_scores(5000, score, [lambda at: values[at] + 0.01], top=10, limit=0.5)
    assert len(scored) < 150


@pytest.fixture(scope="module")
def model() -> Model:
    return load("en-wiki")


@PACKAGED
@pytest.mark.parametrize("asked", ASKED)
def test_bounds_of_a_hypernym_are_no_less_than_its_confidences(model: Model, asked: str) -> None:
    by = ranking(model)
    question = Question(model, [asked], choice=plausible_names)
    rows = question.candidates[by.plausible_hyponyms(question.downwards(0))][::9]
    exact = by(question.downwards(0, rows))
    quick, close = (by(question.bounded(0, rows, close=close)) for close in (False, True))
    assert (exact <= close + 1e-6).all()
    assert (exact <= quick + 1e-6).all()
    assert close.sum() < quick.sum() or (exact == quick).all()


@PACKAGED
@pytest.mark.parametrize("asked", ["politician", "blue guide dog"])
def test_hyponyms_are_those_of_scoring_all_plausible_terms(model: Model, asked: str) -> None:
    by = ranking(model)
    question = Question(model, [asked])
    places = by.plausible_hyponyms(question.downwards(0))
    scores = by(question.downwards(0, question.candidates[places]))
    scores[question.same(0)[places]] = -np.inf
    first = best(np.where(scores >= 0.35, scores, -np.inf), 10)
    answers = model.hyponyms(asked)
    assert [answer.term for answer in answers] == [question.word(int(question.candidates[places[at]])) for at in first]
    assert np.allclose([answer.confidence for answer in answers], scores[first], atol=1e-6)
