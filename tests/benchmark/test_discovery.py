"""Discovery asks every kind of space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hyperdive.benchmark.datasets import Dataset
from hyperdive.benchmark.discovery import FREQUENT_WORDS, Discovery
from hyperdive.benchmark.discovery import discover as discover_all
from hyperdive.scores import Terms, as_source, get
from hyperdive.spaces.space import VectorSpace


def discover(model: Any, dataset: Dataset, score: Any = "C·ΔS", **options: Any) -> Discovery:
    """Return the figures of one score."""
    return discover_all(model, dataset, [score], **options)[0]


@pytest.mark.parametrize("score", ["KL", "GE C"])
def test_gaussians_are_ranked_by_their_own_scores(score: str) -> None:
    rng = np.random.default_rng(0)
    words = ["animal", "dog", "car", "red", "law"]
    space = VectorSpace(
        words,
        rng.normal(size=(5, 3)),
        frequencies=[9, 5, 5, 3, 2],
        kind="gaussian",
        variances=rng.uniform(0.1, 4, (5, 3)),
    )
    pairs = [("dog", "animal", 1.0), ("red dog", "animal", 1.0), ("car", "law", 0.0)]
    found = discover(space, Dataset.from_rows("x", pairs, separator=" "), score)
    places = []
    for hyponym in (["dog"], ["red", "dog"]):
        others = [[word] for word in words if [word] != hyponym]
        terms = Terms(as_source(space), [hyponym, *others])
        values = get(score)(terms.pairs(np.zeros(len(others), dtype=int), np.arange(1, len(others) + 1)))
        places.append(1 + int((values > values[0]).sum()))
    assert found.mrr == pytest.approx(np.mean([1 / place for place in places]))


def test_a_prior_answers_with_what_a_score_may_answer_with() -> None:
    """Priors had their places taken by words that scores may not name, which made the scores look better."""
    words = ["thing", "animal", "dog"]
    space = VectorSpace(words, [[3.0], [2.0], [1.0]], frequencies=[99, 50, 5], kind="dive")
    dataset = Dataset.from_rows("x", [("dog", "animal", 1.0)])
    for score in (FREQUENT_WORDS, "ΔS"):
        assert discover(space, dataset, score).mrr == 0.5
        assert discover(space, dataset, score, never=["thing"]).mrr == 1.0
