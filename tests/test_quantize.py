"""Rows in 8 bits: near what they were, the same when rounded again, and never stored so when something would be lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz.resealing import put_array, put_tensors
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors.numpy import load_file

from hyperdive import Model
from hyperdive._quantize import packed, rounded_to_8_bits, unpacked
from hyperdive.errors import FormatError, InputError
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.svd import Factors
from hyperdive.spaces.space import VectorSpace
from hyperdive.spaces.tensors import StoredRows

rows = arrays(
    np.float32, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.floats(-2000, 2000, width=32)
)  # fmt: skip


def slowly(row: np.ndarray) -> list[float]:
    """The definition: the smallest step 2^e (e ≥ −24) of which 127 reach the largest entry."""
    largest = float(np.abs(row).max())
    exponent = -24
    while largest > 127 * 2.0**exponent:
        exponent += 1
    return [round(float(value) / 2.0**exponent) * 2.0**exponent for value in row]


@given(rows)
def test_rows_are_rounded_by_the_definition(matrix: np.ndarray) -> None:
    assert rounded_to_8_bits(matrix).tolist() == [slowly(row) for row in matrix]


@given(rows)
def test_what_was_rounded_is_packed_without_loss_and_exact_in_16_bits(matrix: np.ndarray) -> None:
    once = rounded_to_8_bits(matrix)
    parts = packed(once)
    assert parts is not None
    assert np.array_equal(unpacked(*parts), once)
    assert np.array_equal(once.astype(np.float16).astype(np.float32), once)


def test_what_would_lose_something_is_not_packed() -> None:
    assert packed(np.array([[1.0, 1 / 3]])) is None
    assert packed(np.array([[np.float32(200.5), 0.25]])) is None


def model(skipgram: np.ndarray) -> Model:
    words = ["animal", "dog", "poodle"]
    counts = {"frequencies": [9, 5, 1]}
    stated = Patterns(words, ["such as"], pack([1, 2], [0, 1], [0, 0]), [4, 3])
    stated.decomposition = Factors(np.array([0, 1]), rounded_to_8_bits([[0.3, 0.1], [0.2, -0.7]]).astype(np.float16))
    return Model(
        VectorSpace(words, np.eye(3), kind="dive", **counts),
        skipgram=VectorSpace(words, skipgram, kind="skipgram", **counts),
        patterns=stated,
    )


def test_a_model_keeps_8_bits_where_they_are_enough(tmp_path: Path) -> None:
    exact = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float16).astype(np.float32)
    small = rounded_to_8_bits(exact)
    for name, matrix, kind in (("exact", exact, np.float16), ("small", small, np.int8)):
        made = model(matrix)
        made.save(tmp_path / name)
        assert load_file(tmp_path / name / "model.safetensors")["skipgram"].dtype == kind
        assert np.load(tmp_path / name / "svd_v.npy").dtype == np.int8
        back = Model.load(tmp_path / name)
        assert back.skipgram is not None and back.patterns is not None and made.patterns is not None
        assert np.array_equal(back.skipgram.matrix, matrix)
        assert np.array_equal(back.patterns.factors.v, made.patterns.factors.v)
        assert back.patterns.factors.v.dtype == np.float16
        back.save(tmp_path / f"{name} again")
        for file in (tmp_path / name).iterdir():
            assert file.read_bytes() == (tmp_path / f"{name} again" / file.name).read_bytes()


def test_nothing_at_all_is_packed_too(tmp_path: Path) -> None:
    made = Patterns(["dog"], ["such as"], pack([], [], []), [])
    assert made.factors.v.shape == (0, 0)  # known before it is written
    made.save(tmp_path / "p")
    assert Patterns.open(tmp_path / "p").factors.v.shape == (0, 0)


@pytest.mark.parametrize("damage", ["short", "type", "huge"])
@pytest.mark.parametrize("place", ["skipgram", "svd_v"])
def test_damaged_exponents_are_an_error(tmp_path: Path, damage: str, place: str) -> None:
    model(rounded_to_8_bits(np.ones((3, 2)))).save(tmp_path / "m")
    name = f"{place}_exponents.npy"
    tensors = load_file(tmp_path / "m" / "model.safetensors")
    exponents = tensors["skipgram.exponents"] if place == "skipgram" else np.load(tmp_path / "m" / name)
    bad = {"short": exponents[:-1], "type": exponents.astype(np.float32), "huge": np.full_like(exponents, 127)}[damage]
    if place == "skipgram":
        put_tensors(tmp_path / "m", "model.safetensors", **{"skipgram.exponents": bad})
    else:
        put_array(tmp_path / "m", name, bad)
    damaged = Model.load(tmp_path / "m")
    with pytest.raises(FormatError, match="again"):
        damaged.skipgram.matrix if place == "skipgram" else damaged.patterns.factors  # noqa: B018


def test_rows_are_finite_up_to_the_largest_exponent_that_is_written() -> None:
    codes = np.full((2, 3), 127, dtype=np.int8)
    assert np.isfinite(unpacked(codes, np.array([120, -24], dtype=np.int8))).all()


def test_a_space_of_packed_rows_is_that_of_the_rows() -> None:
    rows = rounded_to_8_bits(np.random.default_rng(0).normal(size=(5, 4)))
    codes = packed(rows)
    assert codes is not None
    words = list("abcde")
    space = VectorSpace(words, StoredRows("m", (5, 4), *codes), frequencies=np.ones(5), kind="skipgram")
    assert (space.shape, space.dimensions, space.is_sparse) == ((5, 4), 4, False)
    np.testing.assert_array_equal(space.rows([3, 0, 3]), rows[[3, 0, 3]])
    np.testing.assert_array_equal(space.matrix, rows)
    with pytest.raises(InputError, match="do not go together"):
        VectorSpace(words[:4], StoredRows("m", (5, 4), *codes), frequencies=np.ones(4), kind="skipgram")
