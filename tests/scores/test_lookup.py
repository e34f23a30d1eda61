"""From terms to rows of a space of words and terms."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from hyperdive._memo import Memo
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import Pairs, Terms, as_source, get
from hyperdive.scores.lookup import look_up_terms
from hyperdive.scores.source import Source
from hyperdive.scores.term_source import term_source
from hyperdive.scores.terms import NamedTerms, heads_of
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.abbreviations import Abbreviations

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


def joined_space(words: VectorSpace, own: VectorSpace) -> Any:
    terms = SimpleNamespace(dive=own, skipgram=None, abbreviations=Abbreviations())
    model = SimpleNamespace(dive=words, skipgram=None, patterns=None, parameters={}, terms=terms, memo=Memo())
    return term_source(model).main


@pytest.mark.parametrize("sparse_words", [True, False])
@pytest.mark.parametrize("sparse_terms", [True, False])
@pytest.mark.parametrize("own", [["hot dog", "sea dog"], ["hot dog", "dog", "sea dog"]])
def test_terms_come_after_words_and_one_that_is_a_word_is_the_word(
    own: list[str], sparse_terms: bool, sparse_words: bool
) -> None:
    vectors = {"hot": [1, 0], "dog": [0, 2], "hot dog": [3, 4], "sea dog": [0, 5]}
    above, below = np.array([[1, 0], [0, 2]]), np.array([[9, 9] if name == "dog" else vectors[name] for name in own])
    words = VectorSpace(["hot", "dog"], csr_array(above) if sparse_words else above, frequencies=[5, 9], kind="dive")
    terms = VectorSpace(own, csr_array(below) if sparse_terms else below, frequencies=[4] * len(own), kind="dive")
    space = joined_space(words, terms)
    assert space.words == list(vectors)
    assert space.is_sparse is (sparse_words or sparse_terms)
    assert [np.asarray(space[name]).tolist() for name in space.words] == list(vectors.values())


def named_terms() -> NamedTerms:
    """Of the three terms that patterns name, the space has all but the first."""
    patterns = Patterns.from_keys(["yak", "dog", "animal"], ["such as"], pack([0, 1], [2, 2], [0, 0]), [2, 5])
    words, vectors = ["dog", "animal", "hot dog"], np.eye(3) + 1
    space = VectorSpace(words, vectors, frequencies=[7, 9, 3], kind="dive")
    skipgram = VectorSpace(words, vectors, frequencies=[7, 9, 3], kind="skipgram")
    return NamedTerms(Source(space, skipgram=skipgram, stated=lambda: patterns), words)


def test_rows_of_heads_are_there_when_their_numbers_were_asked_for_before() -> None:
    rows = np.array([2, 0])
    for first in ("head_numbers", "head_rows", "head_columns"):
        terms = named_terms()
        getattr(terms, first)(rows)
        numbers, heads = terms.head_columns(rows)
        assert numbers[rows].tolist() == [1, -1] and heads[rows].tolist() == [0, -1], first


def test_a_term_of_the_patterns_that_the_space_does_not_have_counts_as_no_class() -> None:
    terms = named_terms()
    assert terms.row_of_number.tolist() == [-1, 0, 1]
    expected = [[0.0, 0.0], [0.0, np.log1p(7)], [np.log1p(2), np.log1p(9)]]
    np.testing.assert_allclose(terms.class_columns, expected, rtol=1e-12)
