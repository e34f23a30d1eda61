"""The map from skip-gram vectors to pattern vectors, and what it predicts."""

from __future__ import annotations

import numpy as np
import pytest

from hyperdive import Model
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.svd import Factors
from hyperdive.scores import Pairs, Terms, as_source
from hyperdive.scores.stated import products, projection, unit_rows
from hyperdive.spaces.model_folder import pattern_numbers_of
from hyperdive.spaces.space import VectorSpace

WORDS = ["animal", "dog", "cat", "poodle", "tool", "hammer", "saw", "plane"]
SAID = [("dog", "animal", 5), ("cat", "animal", 4), ("poodle", "dog", 2), ("hammer", "tool", 5), ("saw", "tool", 3)]


@pytest.fixture(scope="module")
def model() -> Model:
    """Two kinds of things; nobody says what a plane is, but it stands beside hammer and saw."""
    place = {word: number for number, word in enumerate(WORDS)}
    keys = pack([place[q] for q, _, _ in SAID], [place[p] for _, p, _ in SAID], [0] * len(SAID))
    order = np.argsort(keys)
    patterns = Patterns(WORDS, ["such-as"], keys[order], np.array([n for *_, n in SAID])[order])
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


def test_a_word_no_pattern_names_is_judged_by_its_neighbours(model: Model) -> None:
    asked = pairs(model, ("plane", "tool"), ("plane", "animal"))
    assert asked.patterns is not None
    assert asked.patterns.counts.tolist() == [0, 0]
    assert asked.patterns.svd.tolist() == [0, 0]
    near, far = asked.predicted
    assert near > 2 * max(far, 0)


def test_the_map_is_a_weighted_ridge_regression(model: Model) -> None:
    assert model.patterns is not None and model.skipgram is not None
    totals = model.patterns.hyponym_totals
    w = unit_rows(np.asarray(model.skipgram.matrix, dtype=np.float64))[totals > 0]
    u = model.patterns.hyponym_vectors(np.flatnonzero(totals > 0)).astype(np.float64)
    root = np.sqrt(np.minimum(totals[totals > 0], 20))[:, None]
    left = np.vstack([w * root, 10 * np.eye(2)])
    right = np.vstack([u * root, np.zeros((2, u.shape[1]))])
    expected = np.linalg.lstsq(left, right, rcond=None)[0]
    np.testing.assert_allclose(
        projection(model.patterns, model.skipgram, pattern_numbers_of(model)), expected, rtol=1e-5, atol=1e-6
    )


def test_the_map_uses_the_first_word_and_one_that_is_named_once() -> None:
    """w_q = 1 in one dimension: A = Σ n·u / (Σ n + 100)."""
    words = ["animal", "dog", "yak"]
    patterns = Patterns(words, ["such-as"], pack([1, 2], [0, 0], [0, 0]), [8, 1])
    v, u = np.array([[1.0]], dtype=np.float16), np.array([[3.0], [5.0]], dtype=np.float16)
    patterns.decomposition = Factors(np.array([0]), v, np.array([1, 2]), u)
    space = VectorSpace(["dog", "tree", "yak"], [[2.0], [3.0], [4.0]], frequencies=[3, 2, 1], kind="skipgram")
    np.testing.assert_allclose(
        projection(patterns, space, np.array([1, -1, 2])), [[(8 * 3 + 1 * 5) / (8 + 1 + 100)]], rtol=1e-6
    )


def test_no_word_weighs_more_than_twenty_statements() -> None:
    """w_q = 1 in one dimension and thirty statements: A = 20·u / (20 + 100)."""
    patterns = Patterns(["animal", "dog"], ["such-as"], pack([1], [0], [0]), [30])
    patterns.decomposition = Factors(
        np.array([0]), np.ones((1, 1), np.float16), np.array([1]), np.full((1, 1), 6, np.float16)
    )
    space = VectorSpace(["dog"], [[2.0]], frequencies=[3], kind="skipgram")
    np.testing.assert_allclose(projection(patterns, space, np.array([1])), [[1.0]], rtol=1e-6)


def test_short_rows_get_length_one_too_and_the_rows_given_stay_as_they_are() -> None:
    rows = np.array([[0.3, 0.4], [0.0, 0.0], [-6.0, 8.0]])
    kept = rows.copy()
    np.testing.assert_allclose(unit_rows(rows), [[0.6, 0.8], [0, 0], [-0.6, 0.8]])
    np.testing.assert_array_equal(rows, kept)


@pytest.mark.parametrize("q", [[2] * 5, [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("p", [[1] * 5, [0, 1, 2, 3, 4], [4, 4, 0, 1, 2]])
def test_products_of_tables(q: list[int], p: list[int]) -> None:
    left, right = np.random.default_rng(0).normal(size=(2, 5, 100)).astype(np.float32)
    slow = [float(left[a].astype(np.float64) @ right[b].astype(np.float64)) for a, b in zip(q, p, strict=True)]
    assert products(left, right, np.array(q), np.array(p)) == pytest.approx(slow, abs=1e-4)


def test_a_row_has_the_same_products_among_few_and_among_many() -> None:
    left, right = np.random.default_rng(1).normal(size=(2, 5000, 100)).astype(np.float32)
    every = np.arange(5000)
    whole = products(left, right, np.full(5000, 7), every)
    for few in (every[3:4], every[1::7], every[::-1]):
        assert np.array_equal(products(left, right, np.full(len(few), 7), few), whole[few])
    assert len(products(left, right, every[:0], every[:0])) == 0
