"""Scores of Gaussians: the closed form, phrases word by word, and only where there are Gaussians."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive.errors import InputError
from hyperdive.scores import Pairs, Terms, get, usable_scores
from hyperdive.scores.pairs import TermArrays
from hyperdive.scores.source import as_source
from hyperdive.spaces.space import VectorSpace

from .test_formulas import all_pairs, cosine, some_gaussians

WORDS = ["animal", "dog", "hot"]
MEANS = np.array([[0.0, 1.0], [1.0, 1.0], [-2.0, 0.5]])
VARIANCES = np.array([[4.0, 2.0], [1.0, 0.5], [0.25, 1.0]])


def space() -> VectorSpace:
    return VectorSpace(WORDS, MEANS, frequencies=[3, 2, 1], kind="gaussian", variances=VARIANCES)


def divergence(m: np.ndarray, v: np.ndarray, k: np.ndarray, u: np.ndarray) -> float:
    """KL(N(m, v)‖N(k, u)) with full matrices, straight from the definition."""
    first, second = np.diag(v), np.diag(u)
    inverse = np.linalg.inv(second)
    log_ratio = np.linalg.slogdet(second)[1] - np.linalg.slogdet(first)[1]
    return float(0.5 * (np.trace(inverse @ first) + (m - k) @ inverse @ (m - k) - len(m) + log_ratio))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_scores_are_means_of_the_closed_form_over_pairs_of_words(seed: int) -> None:
    words = some_gaussians(6, seed)
    means, variances = words.means.astype(np.float64), words.variances.astype(np.float64)
    q, p = all_pairs(6)
    pairs = Pairs(TermArrays(np.ones((6, 1)), gaussians=words), q, p)
    parts = [words.rows[words.starts[t] : words.starts[t + 1]] for t in range(6)]
    met = [list(itertools.product(parts[i], parts[j])) for i, j in zip(q, p, strict=True)]
    near = [np.mean([cosine(means[a], means[b]) for a, b in one]) for one in met]
    apart = [np.mean([divergence(means[a], variances[a], means[b], variances[b]) for a, b in one]) for one in met]
    np.testing.assert_allclose(get("GE C")(pairs), near, atol=1e-12)
    np.testing.assert_allclose(get("KL")(pairs), -np.array(apart), atol=1e-9)
    assert (get("KL")(pairs) <= 1e-9).all()
    single = (q == p) & (np.diff(words.starts)[q] == 1)
    assert (get("KL")(pairs)[single] == 0).all()


def test_a_phrase_is_its_words_not_their_mean() -> None:
    terms = Terms(as_source(space()), [["hot", "dog"], ["animal"], ["dogs"], ["zebra"]])
    assert terms.found.tolist() == [True, True, True, False]
    pairs = terms.pairs([0, 2], [1, 1])
    each = [divergence(MEANS[i], VARIANCES[i], MEANS[0], VARIANCES[0]) for i in (2, 1)]
    np.testing.assert_allclose(get("GE+KL")(pairs), [-np.mean(each), -each[1]], atol=1e-6)
    np.testing.assert_allclose(get("ge c")(pairs)[1], get("C")(pairs)[1], atol=1e-6)
    assert abs(get("GE C")(pairs)[0] - get("C")(pairs)[0]) > 0.05


def test_other_spaces_say_what_these_scores_need() -> None:
    plain = VectorSpace(WORDS, np.abs(MEANS), frequencies=[3, 2, 1], kind="dive")
    pairs = Terms(as_source(plain), [["dog"], ["animal"]]).pairs([0], [1])
    for name in ("KL", "GE C"):
        with pytest.raises(InputError, match=rf"score {name} needs a space of Gaussians .*this space has: C, dS"):
            get(name)(pairs)
    assert not {"KL", "GE C"} & {score.name for score in usable_scores(as_source(plain))}
    assert {"KL", "GE C", "C"} <= {score.name for score in usable_scores(as_source(space()))}
