"""From terms to rows of a space of words and terms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from hyperdive.scores import Pairs, Terms, as_source, get
from hyperdive.scores.lookup import look_up_terms
from hyperdive.scores.terms import heads_of
from hyperdive.spaces.space import VectorSpace

WORDS = ["typhoon", "daniel", "bernard", "highway", "state highway", "gold", "fish", "dynamics", "egg", "ham"]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("typhoon lupit", ["typhoon", "typhoon"]),
        ("daniel bernard roumain", ["daniel", "bernard"]),
        ("state highway 17", ["state highway", "state highway"]),
        ("gold highway 17", ["gold", "highway", "highway"]),
        ("goldfish", ["gold", "fish", "fish"]),
        ("astrodynamics", ["dynamics", "dynamics"]),
        ("lupit roumain", []),
        ("goldlupit", []),
        ("gold", ["gold"]),
    ],
)
def test_a_term_without_a_row_is_made_of_its_known_parts(name: str, rows: list[str]) -> None:
    space = VectorSpace(WORDS, np.eye(len(WORDS)), frequencies=[1] * len(WORDS), kind="dive")
    found = look_up_terms(space, [name])
    assert [WORDS[row] for row in found.rows] == rows
    assert found.own.tolist() == [len(rows) == 1]


def test_what_and_joins_has_no_head() -> None:
    assert heads_of(["ham and eggs"]) == []
    assert heads_of(["bread and butter pickle"]) == ["and butter pickle", "butter pickle", "pickle"]
    assert heads_of(["vitamin b 12"]) == ["vitamin"]


@pytest.mark.parametrize("sparse", [True, False])
def test_phrase_means_are_not_rounded(sparse: bool) -> None:
    """A mean in 32 bits moved scores by 3e-6, and APSyn by 7e-3 where it broke or made ties."""
    rng = np.random.default_rng(0)
    vectors = (rng.random((30, 12)) * (rng.random((30, 12)) < 0.5)).astype(np.float32)
    words = [f"w{number}" for number in range(30)]
    matrix = csr_array(vectors) if sparse else vectors
    space = VectorSpace(words, matrix, frequencies=[1] * 30, kind="dive")
    phrases = [[words[a], words[b], words[c]] for a, b, c in rng.integers(0, 30, (20, 3))]
    terms = Terms(as_source(space), phrases)
    means = np.array(
        [np.mean([vectors[words.index(w)].astype(np.float64) for w in phrase], axis=0) for phrase in phrases]
    )
    q, p = np.arange(10), np.arange(10, 20)
    for score in ("C", "ΔS", "ΔQ", "ΔE", "CDE", "AL₁", "APSyn", "balAPinc"):
        exact = get(score)(Pairs(means, q, p))
        np.testing.assert_allclose(get(score)(terms.pairs(q, p)), exact, rtol=1e-12, atol=1e-14, err_msg=score)


def test_a_name_of_fifty_words_or_a_thousand_characters_is_the_longest_that_is_composed() -> None:
    space = VectorSpace(["blue", "dog"], np.eye(2), frequencies=[1, 1], kind="dive")
    for name, known in (
        (" ".join(["blue"] * 49 + ["dog"]), True),
        (" ".join(["blue"] * 50 + ["dog"]), False),
        ("blue" + "x" * (1000 - 8) + " dog", True),
        ("blue" + "x" * (1001 - 8) + " dog", False),
    ):
        assert bool(look_up_terms(space, [name]).found[0]) is known, name[:20]
