"""The solvers' compiled loops against slow twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hyperdive.kernels import dive as kernels
from hyperdive.spaces.dive_objective import compressed_rows, scaled_rows


def problem(seed: int, rows: int, dimensions: int) -> Any:
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 4, (rows, rows)) * (rng.random((rows, rows)) < 0.4)
    counts = sparse.csr_array(dense)
    counts.sort_indices()
    own, other = (rng.normal(0, 1.5, (rows, dimensions)).astype(np.float32) for _ in range(2))
    indptr, indices = counts.indptr.astype(np.int64), counts.indices.astype(np.int32)
    return rng, dense, indptr, indices, counts.data.astype(np.float32), own, other


cases = given(seed=st.integers(0, 10**6), rows=st.integers(1, 12), dimensions=st.integers(1, 9))
few = settings(max_examples=40, deadline=None)


def sigma(s: Any) -> Any:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-np.asarray(s, dtype=np.float64)))


def non_negative(rng: Any, *tables: Any) -> None:
    """Some entries of the tables become 0, and every third row does; the others are above 0."""
    for table in tables:
        table[...] = np.abs(table) * (rng.random(table.shape) < 0.6)
        table[1::3] = 0


@few
@cases
def test_positive_gradient(seed: int, rows: int, dimensions: int) -> None:
    rng, dense, indptr, indices, data, own, other = problem(seed, rows, dimensions)
    non_negative(rng, own, other)
    limit, first = int(rng.integers(0, rows + 1)), int(rng.integers(0, rows))
    ends = np.empty(rows, dtype=np.int64)
    assert kernels.row_ends(indptr, indices, limit, ends)
    found = np.full((rows - first, dimensions), 7, dtype=np.float32)
    kernels.positive_gradient(first, rows, indptr, ends, indices, data, own, *scaled_rows(other), found)
    pull = dense * (1 - sigma(own.astype(np.float64) @ other.T))
    np.testing.assert_allclose(found, (pull[:, :limit] @ other[:limit])[first:], rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("many", [kernels.TILE - 1, kernels.TILE, kernels.TILE + 1, 2 * kernels.TILE + 6])
@pytest.mark.parametrize("dimensions", [5, kernels.LANES, kernels.LANES + 1])
def test_rows_longer_than_a_tile(many: int, dimensions: int) -> None:
    rng = np.random.default_rng(many)
    own, other = (rng.random((many, dimensions), dtype=np.float32) for _ in range(2))
    other[::2] = 0  # passed over
    indptr, indices = np.array([0, many]), np.arange(many, dtype=np.int32)
    data = rng.integers(1, 9, many).astype(np.float32)
    found = np.full((1, dimensions), 7, dtype=np.float32)
    kernels.positive_gradient(0, 1, indptr, indptr[1:], indices, data, own, *scaled_rows(other), found)
    pull = data * (1 - sigma(other.astype(np.float64) @ own[0]))
    np.testing.assert_allclose(found[0], pull @ other, rtol=1e-4)


def test_pairs_far_apart_and_far_inside_pull_as_much_as_they_should() -> None:
    """n·(1 - σ(s)) to six digits from s = 0 to where it vanishes, and 0 rather than no number beyond."""
    s = np.r_[np.linspace(0, 20, 500), 40.0, 90.0, 1e4].astype(np.float32)
    data = np.full(1, 3, dtype=np.float32)
    other, found = np.ones((1, 1), dtype=np.float32), np.empty((1, 1), dtype=np.float32)
    indptr, indices = np.array([0, 1]), np.zeros(1, dtype=np.int32)
    for x in s:
        own = np.full((1, 1), x)
        kernels.positive_gradient(0, 1, indptr, indptr[1:], indices, data, own, *scaled_rows(other), found)
        np.testing.assert_allclose(found[0, 0], 3 * sigma(-float(x)), rtol=3e-6, atol=1e-12)


@few
@cases
def test_packed_and_compressed_rows_hold_the_table(seed: int, rows: int, dimensions: int) -> None:
    rng, *_, table = problem(seed, rows, dimensions)
    non_negative(rng, table)
    entries, scales = scaled_rows(table)
    assert entries.shape[1] % kernels.LANES == 0 and not entries[:, dimensions:].any()
    top = table.max(axis=1, keepdims=True)
    assert (np.abs(entries[:, :dimensions] * scales[:, None] - table) <= top / 65535 * 0.51).all()
    assert (entries.max(axis=1)[top[:, 0] > 0] == 65535).all() and np.array_equal(scales > 0, top[:, 0] > 0)
    offsets, columns, values = compressed_rows(table)
    plain = sparse.csr_array(table)
    plain.sort_indices()
    for found, wanted in ((offsets, plain.indptr), (columns, plain.indices), (values, plain.data)):
        assert np.array_equal(found, wanted)


@few
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 80), dimensions=st.integers(1, 9), held=st.integers(0, 12))
def test_negative_gradient(seed: int, rows: int, dimensions: int, held: int) -> None:
    rng = np.random.default_rng(seed)
    own, other = (rng.normal(0, 1.5, (many, dimensions)).astype(np.float32) for many in (rows, held))
    non_negative(rng, own, other)
    first, masses = int(rng.integers(0, rows)), rng.random(held, dtype=np.float32)
    at_zero = (0.5 * masses @ other).astype(np.float32)
    found = np.full((rows - first, dimensions), 7, dtype=np.float32)
    kernels.negative_gradient(first, own, *compressed_rows(other), masses, at_zero, found)
    wanted = (masses * sigma(own.astype(np.float64) @ other.T)) @ other
    np.testing.assert_allclose(found, wanted[first:], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows", [1, kernels.LANES, kernels.LANES + 1, 128])
def test_a_row_pushes_the_same_whatever_is_beside_it(rows: int) -> None:
    rng = np.random.default_rng(rows)
    own, other = (rng.random((many, 7), dtype=np.float32) * (rng.random((many, 7)) < 0.5) for many in (rows, 30))
    masses = rng.random(30, dtype=np.float32)
    rest = compressed_rows(other.astype(np.float32)), masses, (0.5 * masses @ other).astype(np.float32)
    whole, alone = np.empty((rows, 7), dtype=np.float32), np.empty((1, 7), dtype=np.float32)
    own = own.astype(np.float32)
    kernels.negative_gradient(0, own, *rest[0], *rest[1:], whole)
    for row in range(rows):
        kernels.negative_gradient(row, own, *rest[0], *rest[1:], alone)
        if own[row].any():
            assert np.array_equal(alone[0], whole[row])


@few
@cases
def test_row_sums(seed: int, rows: int, dimensions: int) -> None:
    _, dense, indptr, _, data, *_ = problem(seed, rows, dimensions)
    sums = np.full(rows, 7.0)
    kernels.row_sums(indptr, data, sums)
    assert sums.tolist() == dense.sum(axis=1).tolist()


@few
@cases
def test_row_ends_refuse_rows_that_do_not_rise(seed: int, rows: int, dimensions: int) -> None:
    _, _, indptr, indices, *_ = problem(seed, rows, dimensions)
    ends = np.empty(rows, dtype=np.int64)
    for limit in range(rows + 1):
        assert kernels.row_ends(indptr, indices, limit, ends)
        wanted = [indptr[r] + int((indices[indptr[r] : indptr[r + 1]] < limit).sum()) for r in range(rows)]
        assert ends.tolist() == wanted
    longest = int(np.diff(indptr).argmax())
    if indptr[longest + 1] - indptr[longest] > 1:
        indices[indptr[longest]] = indices[indptr[longest] + 1]
        assert not kernels.row_ends(indptr, indices, rows, ends)


@few
@cases
def test_positive_objective(seed: int, rows: int, dimensions: int) -> None:
    _, dense, indptr, indices, data, own, other = problem(seed, rows, dimensions)
    own *= 40  # far into the tails
    found = np.empty(rows)
    kernels.positive_objective(np.arange(rows), indptr[:-1], indptr[1:], indices, data, own, other, found)
    s = own.astype(np.float64) @ other.T.astype(np.float64)
    np.testing.assert_allclose(found, -(dense * np.logaddexp(0, -s)).sum(axis=1), rtol=1e-9, atol=1e-9)


@few
@cases
def test_adam_rows(seed: int, rows: int, dimensions: int) -> None:
    rng, *_, own, positive = problem(seed, rows, dimensions)
    own, first = np.abs(own), int(rng.integers(0, rows))
    positive = positive[first:].copy()
    negative, m, v = (rng.random(positive.shape, dtype=np.float32) for _ in range(3))
    weights = rng.random(rows, dtype=np.float32)
    numbers = [np.float32(x) for x in (0.3, 0.1, 0.5, 0.9, 2.0, 10.0)]
    ridge, rate, b1, b2, c1, c2 = (float(x) for x in numbers)
    g = positive.astype(np.float64) - weights[first:, None] * (negative + ridge * own[first:])
    want_m, want_v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    wanted = np.maximum(own[first:] + rate * want_m * c1 / (np.sqrt(want_v * c2) + 1e-12), 0)
    before = own[:first].copy()
    kernels.adam_rows(first, own, m, v, positive, negative, weights, *numbers)
    np.testing.assert_allclose(own[first:], wanted, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(m, want_m, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(v, want_v, rtol=1e-3, atol=1e-4)
    assert np.array_equal(own[:first], before)


@few
@cases
def test_start_rows(seed: int, rows: int, dimensions: int) -> None:
    rng, *_, own, positive = problem(seed, rows, dimensions)
    negative, weights = rng.random(positive.shape, dtype=np.float32), rng.random(rows, dtype=np.float32)
    kernels.start_rows(0, own, positive, negative, weights)
    wanted = np.maximum(positive - weights[:, None] * negative, 0)
    top = wanted.max(axis=1, keepdims=True)
    np.testing.assert_allclose(own, wanted / np.where(top > 0, top, 1), rtol=1e-4, atol=1e-5)


@few
@cases
def test_ppmi_product(seed: int, rows: int, dimensions: int) -> None:
    rng, dense, indptr, indices, data, _, other = problem(seed, rows, dimensions)
    dense = dense.astype(np.float64)
    if len(data):  # a large count that is no integer
        dense.ravel()[np.flatnonzero(dense)[0]] = data[0] = 5000.5
    row_term, column_term = (rng.normal(size=rows).astype(np.float32) for _ in range(2))
    column_term[0] = -np.inf
    found = np.empty((rows, dimensions), dtype=np.float32)
    kernels.ppmi_product(0, rows, indptr, indices, data, row_term, column_term, other, found)
    with np.errstate(divide="ignore"):
        matrix = np.maximum(np.log(dense) + row_term[:, None] + column_term, 0)
    np.testing.assert_allclose(found, np.where(dense > 0, matrix, 0) @ other, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("window", [1, 3, 32])
def test_kept_bits(window: int) -> None:
    rng = np.random.default_rng(window)
    tokens = rng.integers(0, 9, 80)
    offsets = np.array([0, 1, 30, 30, 72, 80])
    kept = rng.random((9, 9)) < 0.5
    counts = sparse.csr_array(kept)
    counts.sort_indices()
    bits = np.zeros(80, dtype=np.uint32)
    kernels.kept_bits(0, 5, tokens, offsets, counts.indptr, counts.indices, window, bits)
    line = np.searchsorted(offsets, np.arange(80), side="right")
    for i in range(80):
        wanted = 0
        for d in range(1, window + 1):
            if i + d < 80 and line[i] == line[i + d] and kept[tokens[i], tokens[i + d]]:
                wanted |= 1 << (d - 1)
        assert bits[i] == wanted
