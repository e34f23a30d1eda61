"""Which terms a taxonomy takes, and which endings of words count: the borders, by known answers."""

from __future__ import annotations

import numpy as np
import pytest

from hyperdive import Model
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores.source import as_source
from hyperdive.scores.terms import Terms
from hyperdive.spaces.space import VectorSpace
from hyperdive.taxonomy.terms import _alike, _glossary_weights


@pytest.mark.parametrize(("cosine", "stays"), [(0.29, False), (0.301, True), (0.9, True)])
def test_an_ending_counts_from_a_cosine_of_three_tenths_on(cosine: float, stays: bool) -> None:
    words = ["bread", "cornbread"]
    near = np.array([[1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]])
    model = Model(
        VectorSpace(words, np.eye(2), frequencies=[9, 5], kind="dive"),
        skipgram=VectorSpace(words, near, frequencies=[9, 5], kind="skipgram"),
    )
    terms = Terms.named(as_source(model), words)
    assert _alike(terms, np.array([-1, 0])).tolist() == ([-1, 0] if stays else [-1, -1])


def test_an_ending_counts_at_the_border_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["bread", "cornbread"]
    near = np.array([[1.0, 0.0], [3.0, 4.0]])
    space = VectorSpace(words, np.eye(2), frequencies=[9, 5], kind="dive")
    twin = VectorSpace(words, near, frequencies=[9, 5], kind="skipgram")
    terms = Terms.named(as_source(Model(space, skipgram=twin)), words)
    cosine = float(terms.pairs([1], [0]).skipgram_cosine[0])
    monkeypatch.setattr("hyperdive.taxonomy.terms._ALIKE", cosine)
    assert _alike(terms, np.array([-1, 0])).tolist() == [-1, 0]


def test_terms_are_weighed_by_what_is_stated_repeatedly() -> None:
    """ln(1 + n) + ln(1 + m) + a hundredth of ln(1 + all statements): n the best stated hypernym, m its members."""
    words = ["animal", "dog", "cat", "rock"]
    said = [("dog", "animal", 3), ("cat", "animal", 2), ("rock", "animal", 1), ("dog", "cat", 2)]
    place = {word: number for number, word in enumerate(words)}
    keys = pack([place[q] for q, _, _ in said], [place[p] for _, p, _ in said], [0] * len(said))
    order = np.argsort(keys)
    patterns = Patterns.from_keys(words, ["such-as"], keys[order], np.array([n for *_, n in said])[order])
    log = np.log1p
    expected = [
        log(2) + 0.01 * log(6),  # dog and cat are stated twice and more to be animals, a rock once
        log(3) + 0.01 * log(5),
        log(2) + 0.01 * log(4),  # dog has a better hypernym than cat, so that cat has no member
        0.01 * log(1),
    ]
    np.testing.assert_allclose(_glossary_weights(patterns), expected, rtol=1e-12)
