"""Topics, comparisons, explanations and their pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hyperdive.ask.explain import compare, explain
from hyperdive.ask.similar import similar
from hyperdive.ask.topics import Dimensions, topics
from hyperdive.errors import InputError, OptionError, OutputError
from hyperdive.scores import Pairs, get
from hyperdive.scores.paper import best_scale
from hyperdive.spaces.space import VectorSpace
from tests.ask.small import WORDS, small_model


def space(matrix: np.ndarray, kind: str = "dive") -> VectorSpace:
    words = [f"w{i}" for i in range(len(matrix))]
    return VectorSpace(words, matrix, frequencies=np.arange(len(matrix), 0, -1), kind=kind)


# ---- topics -------------------------------------------------------------------------------------------------------


def test_status_of_planted_dimensions() -> None:
    rng = np.random.default_rng(0)
    matrix = np.zeros((1500, 4))
    matrix[:100, 0] = np.linspace(9, 1, 100)  # the most frequent words and no others
    matrix[500:700, 1] = rng.uniform(1, 2, 200)
    matrix[:, 2] = 0.9 * matrix[:, 1]
    found = {row.dimension: row.status for row in topics(space(matrix))}
    assert found == {0: "frequency only", 1: "ok", 2: "duplicate of 1", 3: "dead"}
    assert "4 dimensions: 1 dead, 1 duplicate, 1 frequency only" in str(topics(space(matrix)))


def test_words_of_a_dimension_fall_in_value() -> None:
    model = small_model()
    for row in topics(model, words=4):
        column = model.dive.matrix[:, row.dimension]
        values = [column[model.words.index(word)] for word in row.words]
        assert values == sorted(values, reverse=True)
    assert len(topics(model, 3)) == 3
    with pytest.raises(OptionError):
        topics(model, 0)


def test_spaces_without_topics_are_told_so() -> None:
    with pytest.raises(InputError, match="non-negative"):
        topics(space(-np.ones((3, 2))))
    with pytest.raises(InputError, match="too many"):
        Dimensions(space(np.ones((1, 6000))))


# ---- similar ------------------------------------------------------------------------------------------------------


def test_similar_words_are_those_with_the_largest_cosine() -> None:
    model = small_model()
    assert model.skipgram is not None
    matrix = model.skipgram.matrix.astype(np.float64)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosines = unit @ unit[2]
    cosines[2] = -2
    expected = [WORDS[i] for i in np.argsort(-cosines)[:4]]
    assert [row.term for row in similar(model, ["dog"], 4)[0]] == expected
    assert len(similar(space(np.eye(3)), ["w0"])[0]) == 0
    with pytest.raises(KeyError, match="dog"):
        model.similar("dgo")


# ---- compare and explain ------------------------------------------------------------------------------------------


def test_the_broadest_word_sorts_and_small_values_hide() -> None:
    found = compare(space(np.array([[0.05, 2.0, 1.0, 0.0], [3.0, 4.0, 5.0, 0.09]])), ["w0", "w1"])
    assert found.words == ("w1", "w0")
    assert [row.dimension for row in found] == [2, 1, 0]
    assert str(found).split("\n")[3].split() == ["w1", "w0", "3.00"]
    for bad in (["w0"], ["w0"] * 7):
        with pytest.raises(OptionError):
            compare(space(np.eye(2)), bad)


def test_an_explanation_says_where_inclusion_fails() -> None:
    found = explain(space(np.array([[1.0, 2.0, 1.0, 0.0], [2.0, 1.0, 0.0, 3.0]])), "w0", "w1")
    verdicts = {row.dimension: row.verdict for row in found.dimensions}
    assert verdicts == {0: "included", 1: "fails: w1 has 50 %", 2: "fails: w1 has nothing", 3: "only w1"}
    assert found.included == pytest.approx(0.5)
    assert "read no patterns" in str(found)
    assert found.to_dict()["statements"] is None
    apart = explain(space(np.eye(2)), "w0", "w1")
    assert {row.score: row.verdict for row in apart.scores}["CDE"] == "says nothing"
    assert {row.score for row in found.scores} >= {"C·ΔS", "AL₁", "CDE", "invCL"}


@given(arrays(np.float64, (2, 6), elements=st.floats(0, 5).map(lambda x: round(x, 2))))
def test_the_drawn_distance_is_the_score(vectors: np.ndarray) -> None:
    """The plain minimum over break points agrees with the compiled AL₁."""
    scale, distance = best_scale(*vectors)
    assert scale >= 0
    assert distance == pytest.approx(-get("AL₁")(Pairs(vectors, [0], [1]))[0], abs=1e-9)


# ---- pictures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["png", "svg"])
@pytest.mark.parametrize("dark", [False, True])
def test_pictures_have_the_same_bytes_every_time(tmp_path: Path, kind: str, dark: bool) -> None:
    pytest.importorskip("matplotlib")
    from hyperdive.ask.plots import plot_comparison, plot_pair

    model = small_model()
    for number in (1, 2):
        plot_comparison(model, ["dog", "animal", "law"], tmp_path / f"c{number}.{kind}", dark=dark)
        plot_pair(model, "poodle", "dog", tmp_path / f"e{number}.{kind}", dark=dark)
    for name in "ce":
        first, second = ((tmp_path / f"{name}{number}.{kind}").read_bytes() for number in (1, 2))
        assert first == second
        assert first.startswith(b"\x89PNG" if kind == "png" else b"<?xml")
        assert b"date" not in first.lower() or kind == "png"
    assert not list(tmp_path.glob(".*"))


def test_hostile_words_are_drawn_as_they_are(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from hyperdive.ask.plots import plot_comparison, plot_pair

    words = ["$\\frac{1}{", "<script>", "a\x1b[31m", "$x$", "_^$", "\u202eabc", "\U0001f600", "%s", "dog"]
    model = small_model(words=words)
    for kind in ("png", "svg"):
        plot_comparison(model, ["$\\frac{1}{", "<script>", "_^$"], tmp_path / f"a.{kind}")
        plot_pair(model, "$x$", "a\x1b[31m", tmp_path / f"b.{kind}")
    assert b"<script>" not in (tmp_path / "a.svg").read_bytes()


def test_a_picture_needs_a_usable_place(tmp_path: Path) -> None:
    from hyperdive.ask.plots import check_place, plot_comparison

    with pytest.raises(OptionError, match="png"):
        check_place(tmp_path / "a.gif", False)
    (tmp_path / "a.png").write_bytes(b"mine")
    with pytest.raises(OutputError, match="--force"):
        check_place(tmp_path / "a.png", False)
    with pytest.raises(OutputError):
        plot_comparison(small_model(), ["dog", "cat"], tmp_path / "a.png" / "b.png")  # its folder is a file
