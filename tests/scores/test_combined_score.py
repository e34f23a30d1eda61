"""The combined score: between 0 and 1, silent where nothing is known, fed by every signal it names."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from hyperdive import Model
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import Pairs, Terms, as_source, get
from hyperdive.scores.combined_score import WEIGHTS, Weights, weighted_sum
from hyperdive.scores.pattern_projection import lengths_of_one, projection
from hyperdive.spaces.space import VectorSpace

WORDS = ["animal", "dog", "cat", "poodle", "tool", "hammer", "saw", "plane"]
SAID = [("dog", "animal", 5), ("cat", "animal", 4), ("poodle", "dog", 2), ("hammer", "tool", 5), ("saw", "tool", 3)]


@pytest.fixture(scope="module")
def model() -> Model:
    """Two kinds of things; nobody says what a plane is, but it stands beside hammer and saw."""
    place = {word: number for number, word in enumerate(WORDS)}
    keys = pack([place[q] for q, _, _ in SAID], [place[p] for _, p, _ in SAID], [0] * len(SAID))
    order = np.argsort(keys)
    patterns = Patterns.from_keys(WORDS, ["such-as"], keys[order], np.array([n for *_, n in SAID])[order])
    near = np.array([[2, 0], [3, 0.1], [3, 0.2], [3, 0], [0, 2], [0.1, 3], [0.2, 3], [0, 3]], dtype=np.float32)
    dive = np.array([[9, 1], [4, 0], [4, 0], [1, 0], [1, 9], [0, 4], [0, 4], [0, 3]], dtype=np.float32)
    frequencies = np.arange(80, 0, -10)
    return Model(
        VectorSpace(WORDS, dive, frequencies=frequencies, kind="dive"),
        skipgram=VectorSpace(WORDS, near, frequencies=frequencies, kind="skipgram"),
        patterns=patterns,
    )


def pairs(model: Model, *asked: tuple[str, str]) -> Pairs:
    terms = Terms(as_source(model), [[one] for pair in asked for one in pair])
    return terms.pairs(np.arange(0, 2 * len(asked), 2), np.arange(1, 2 * len(asked), 2))


def test_confidence_orders_what_is_known(model: Model) -> None:
    stated, inferred, reverse, other = get("hyper")(
        pairs(model, ("dog", "animal"), ("plane", "tool"), ("animal", "dog"), ("plane", "animal"))
    )
    assert 1 > stated > inferred > max(reverse, other) > 0


def test_a_word_no_pattern_names_is_judged_by_its_neighbours(model: Model) -> None:
    asked = pairs(model, ("plane", "tool"), ("plane", "animal"))
    assert asked.patterns is not None
    assert asked.patterns.counts.tolist() == [0, 0]
    assert asked.patterns.svd.tolist() == [0, 0]
    near, far = asked.predicted
    assert near > 2 * max(far, 0)


@pytest.mark.parametrize("name", [field.name for field in fields(Weights) if field.name not in ("slope", "start")])
def test_every_weight_counts(model: Model, name: str) -> None:
    asked = pairs(model, ("dog", "animal"), ("animal", "dog"), ("saw", "tool"))
    assert not np.array_equal(weighted_sum(asked), weighted_sum(asked, replace(WEIGHTS, **{name: 0.0})))


def test_no_more_than_ten_numbers() -> None:
    assert len(fields(Weights)) <= 10


def test_the_map_is_a_weighted_ridge_regression(model: Model) -> None:
    assert model.patterns is not None and model.skipgram is not None
    totals = model.patterns.hyponym_totals
    w = lengths_of_one(np.asarray(model.skipgram.matrix, dtype=np.float64))[totals > 0]
    u = model.patterns.hyponym_vectors(np.flatnonzero(totals > 0)).astype(np.float64)
    root = np.sqrt(np.minimum(totals[totals > 0], 20))[:, None]
    left = np.vstack([w * root, 10 * np.eye(2)])
    right = np.vstack([u * root, np.zeros((2, u.shape[1]))])
    expected = np.linalg.lstsq(left, right, rcond=None)[0]
    np.testing.assert_allclose(projection(model.patterns, model.skipgram), expected, rtol=1e-5, atol=1e-6)


def test_without_patterns_it_says_what_is_missing(model: Model) -> None:
    with pytest.raises(InputError, match=r"hyper needs patterns and skip-gram vectors together"):
        get("hyper")(pairs(Model(model.dive, skipgram=model.skipgram), ("dog", "animal")))
