"""The combined score: between 0 and 1, silent where nothing is known, fed by every signal it names."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from hyperdive import Model
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.svd import Factors
from hyperdive.scores import Pairs, Terms, as_source, get
from hyperdive.scores.combined_score import Weights, inclusion, weighted_sum
from hyperdive.scores.pairs import TermArrays
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


def test_the_score_is_the_documented_formula(model: Model) -> None:
    """Every term by itself, from what the model holds, with the weights of docs/patterns.md."""
    q, p = ["dog", "animal", "saw", "plane", "poodle"], ["animal", "dog", "tool", "tool", "animal"]
    asked = pairs(model, *zip(q, p, strict=True))
    patterns, dive, near = model.patterns, model.dive, model.skipgram
    assert patterns is not None and near is not None
    said = {(a, b): n for a, b, n in SAID}
    n = np.array([said.get(pair, 0) for pair in zip(q, p, strict=True)])
    back = np.array([said.get(pair, 0) for pair in zip(p, q, strict=True)])
    total = np.array([sum(count for _, b, count in SAID if b == word) for word in p])
    sums = {word: float(dive[word].sum()) for word in WORDS}
    broader = np.array([(sums[b] - sums[a]) / (sums[a] + sums[b]) for a, b in zip(q, p, strict=True)])
    shared = np.array([float(np.minimum(dive[a], dive[b]).sum()) for a, b in zip(q, p, strict=True)])
    included = shared / np.array([sums[a] for a in q]) - shared / np.array([sums[b] for b in p])
    unit = {word: near[word] / np.linalg.norm(near[word]) for word in WORDS}
    similar = np.array([max(unit[a] @ unit[b], 0) for a, b in zip(q, p, strict=True)])
    mapped = projection(patterns, near)
    numbers = patterns.numbers

    def fits(first: list[str], second: list[str]) -> np.ndarray:
        broader = patterns.hypernym_vectors(np.array([numbers[b] for b in second]))
        found = [unit[a] @ mapped @ v for a, v in zip(first, broader, strict=True)]
        return np.sqrt(np.maximum(np.array(found, dtype=np.float64), 0))

    hyponyms = patterns.hyponym_vectors(np.array([numbers[a] for a in q])).astype(np.float64)
    hypernyms = patterns.hypernym_vectors(np.array([numbers[b] for b in p])).astype(np.float64)
    smoothed = np.sqrt(np.maximum((hyponyms * hypernyms).sum(axis=1), 0))
    gated = np.minimum(fits(q, p), 1.0) * broader
    x = fits(q, p) + 0.3 * (smoothed + np.log1p(n) + similar) + 0.2 * (included + gated) + 0.03 * np.log1p(total)
    x -= 0.2 * (fits(p, q) + np.log1p(back))
    np.testing.assert_allclose(weighted_sum(asked), x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(get("hyper")(asked), 1 / (1 + np.exp(2.55 - 2.79 * x)), rtol=1e-4)
    terms = np.array(
        [fits(q, p), smoothed, np.log1p(n), included, gated, similar, np.log1p(total), fits(p, q), np.log1p(back)]
    )
    assert (np.abs(terms).max(axis=1) > 0.1).all(), "a term that is always 0 tests nothing"


def test_the_broader_word_counts_as_far_as_a_pair_is_supported() -> None:
    """q = [2, 0], p = [4, 2]: all of q and a third of p is shared; p has three times the sum."""
    data = TermArrays([[4.0, 2.0], [2.0, 0.0], [0.0, 6.0]])
    up = Pairs(data, q=[1, 1, 1, 1], p=[0, 0, 0, 0])
    expected = [1 - 1 / 3 + share * 0.5 for share in (0.0, 0.5, 1.0, 1.0)]
    np.testing.assert_allclose(inclusion(up, np.array([0.0, 0.5, 1.0, 3.0])), expected, rtol=1e-6)
    np.testing.assert_allclose(inclusion(Pairs(data, q=[0], p=[1]), np.ones(1)), [1 / 3 - 1 - 0.5], rtol=1e-6)
    nothing_shared = Pairs(data, q=[1], p=[2])
    np.testing.assert_allclose(inclusion(nothing_shared, np.zeros(1)), [0.0], atol=1e-9)


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


def test_the_map_uses_the_first_word_and_one_that_is_named_once() -> None:
    """w_q = 1 in one dimension: A = Σ n·u / (Σ n + 100)."""
    words = ["animal", "dog", "yak"]
    patterns = Patterns.from_keys(words, ["such-as"], pack([1, 2], [0, 0], [0, 0]), [8, 1])
    v, u = np.array([[1.0]], dtype=np.float16), np.array([[3.0], [5.0]], dtype=np.float16)
    patterns._factors = Factors(np.array([0]), v, np.array([1, 2]), u)
    space = VectorSpace(["dog", "tree", "yak"], [[2.0], [3.0], [4.0]], frequencies=[3, 2, 1], kind="skipgram")
    np.testing.assert_allclose(projection(patterns, space), [[(8 * 3 + 1 * 5) / (8 + 1 + 100)]], rtol=1e-6)


def test_no_word_weighs_more_than_twenty_statements() -> None:
    """w_q = 1 in one dimension and thirty statements: A = 20·u / (20 + 100)."""
    patterns = Patterns.from_keys(["animal", "dog"], ["such-as"], pack([1], [0], [0]), [30])
    patterns._factors = Factors(
        np.array([0]), np.ones((1, 1), np.float16), np.array([1]), np.full((1, 1), 6, np.float16)
    )
    space = VectorSpace(["dog"], [[2.0]], frequencies=[3], kind="skipgram")
    np.testing.assert_allclose(projection(patterns, space), [[1.0]], rtol=1e-6)


def test_short_rows_get_length_one_too_and_the_rows_given_stay_as_they_are() -> None:
    rows = np.array([[0.3, 0.4], [0.0, 0.0], [-6.0, 8.0]])
    kept = rows.copy()
    np.testing.assert_allclose(lengths_of_one(rows), [[0.6, 0.8], [0, 0], [-0.6, 0.8]])
    np.testing.assert_array_equal(rows, kept)
    assert lengths_of_one(rows, in_place=True) is rows
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [-0.6, 0.8]])
