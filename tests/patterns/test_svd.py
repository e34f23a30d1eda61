"""PPMI and its decomposition against dense arithmetic."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, random_array
from threadpoolctl import threadpool_limits

from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.svd import (
    MOST,
    RANK,
    factorise,
    placed,
    ppmi_matrix,
    ppmi_values,
    ppmi_with_words,
    rows_of_words,
)

tables = arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(0, 9))


@given(tables)
def test_ppmi_is_the_formula(counts: np.ndarray) -> None:
    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    with np.errstate(all="ignore"):
        expected = np.log(counts * total / (rows[:, None] * columns[None, :]))
    expected = np.where(np.isfinite(expected), np.maximum(expected, 0), 0)
    found = ppmi_matrix(csr_array(counts), rows, columns, int(total))
    assert np.allclose(found.toarray(), expected, atol=1e-6)
    assert (found.data > 0).all()


def store(counts: np.ndarray) -> Patterns:
    hyponym, hypernym = np.nonzero(counts)
    size = max(counts.shape)
    return Patterns(
        [f"t{i}" for i in range(size)],
        ["such as"],
        pack(hyponym, hypernym, np.zeros(len(hyponym))),
        counts[hyponym, hypernym],
    )


@given(tables)
def test_all_dimensions_give_ppmi_back(counts: np.ndarray) -> None:
    patterns = store(counts)
    u, v = patterns.svd()
    assert np.allclose(u @ v.T, patterns.ppmi.toarray(), atol=2e-2)


def test_the_large_way_is_the_small_way() -> None:
    counts = random_array((400, 300), density=0.05, random_state=1, data_sampler=lambda size: np.ones(size))
    counts = (counts.tocsr() * 3).astype(np.int64)
    patterns = store(counts.toarray())
    u, v = patterns.svd()
    left, sizes, right = np.linalg.svd(patterns.ppmi.toarray())
    best = (left[:, :100] * sizes[:100]) @ right[:100]
    assert np.abs(u @ v.T - best).max() < 0.05
    # columns fall by singular value, so fewer of them are the smaller decomposition
    small = (left[:, :10] * sizes[:10]) @ right[:10]
    first, second = patterns.svd(10)
    assert np.abs(first @ second.T - small).max() < 0.05


def test_the_same_bytes_at_any_number_of_threads() -> None:
    matrix = random_array((900, 700), density=0.02, random_state=2).tocsr()
    made = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            made.append(factorise(matrix).v.tobytes())
    assert len(set(made)) == 1


def test_a_term_that_is_no_hyponym_has_no_vector() -> None:
    patterns = store(np.array([[0, 3, 0], [0, 0, 0], [0, 1, 2]]))
    u, v = patterns.svd()
    assert not u[1].any()
    assert not v[0].any()
    assert not patterns.hyponym_vectors([-1]).any()


def test_the_same_bytes_in_a_process_of_its_own() -> None:
    # scipy brings a BLAS of its own, which once was loaded after the number of threads had been limited
    code = (
        "import hashlib; from scipy.sparse import random_array\n"
        "from hyperdive.patterns.svd import factorise\n"
        "matrix = random_array((3000, 2500), density=0.004, random_state=2).tocsr()\n"
        "print(hashlib.sha256(factorise(matrix).v.tobytes()).hexdigest())"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": n},
        ).stdout
        for n in ("1", "4")
    }
    assert len(made) == 1


def test_values_below_chance_are_clipped() -> None:
    """n·N / (n(q,·)·n(·,p)): above, at and below 1, and a pair that is not stated at all."""
    values = ppmi_values([4, 2, 1, 0], [4, 4, 8, 4], [4, 4, 8, 4], 8)
    np.testing.assert_allclose(values, [np.log(2), 0.0, 0.0, 0.0])
    counts = csr_array(np.array([[4, 1], [1, 0]]))
    matrix = ppmi_matrix(counts, np.array([5, 1]), np.array([5, 1]), 6)
    assert matrix.nnz == 2  # log 24/25 and nothing are not stored
    np.testing.assert_allclose(matrix.toarray(), [[0, np.log(6 / 5)], [np.log(6 / 5), 0]], rtol=1e-6)


def test_only_words_have_their_ppmi_with_words() -> None:
    """Terms 0, 2 and 3 are words: sums of columns are over these, those of rows over columns of these."""
    counts, is_word = (
        np.array([[0, 9, 4, 2], [0, 0, 8, 1], [3, 7, 0, 2], [5, 0, 1, 0]]),
        np.array([True, False, True, True]),
    )
    kept = np.where(is_word[None, :], counts, 0)
    sums, below = kept[is_word].sum(axis=0), kept.sum(axis=1)
    with np.errstate(all="ignore"):
        expected = np.log(kept * sums.sum() / (below[:, None] * sums[None, :]))
    expected = np.where(np.isfinite(expected), np.maximum(expected, 0), 0)
    assert (expected[1] > 0).any()  # also of a phrase
    np.testing.assert_allclose(ppmi_with_words(csr_array(counts), is_word).toarray(), expected, rtol=1e-6)
    rows = rows_of_words(csr_array(counts), is_word)
    assert rows.toarray().tolist() == np.where(is_word[:, None], counts, 0).tolist()
    assert rows.indptr.tolist() == [0, 3, 3, 6, 8]


def test_rows_are_placed_by_their_numbers() -> None:
    rows = np.array([[1.0, 2.0, 9.0], [3.0, 4.0, 9.0], [5.0, 6.0, 9.0]])
    found = placed(np.array([1, 4, 5]), rows, np.array([0, 1, 3, 4, 5, 7, 1]))
    assert found[:, 0].tolist() == [0, 1, 0, 3, 5, 0, 1] and found.shape == (7, 3)
    assert placed(np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.array([3])).tolist() == [[0.0, 0.0]]


def test_a_decomposition_has_a_hundred_dimensions_unless_the_matrix_has_fewer() -> None:
    matrix = random_array((150, 140), density=0.3, random_state=3).tocsr()
    assert [factorise(matrix).rank, factorise(matrix, 7).rank, factorise(matrix[:5]).rank] == [100, 7, 5]
    assert (RANK, MOST) == (100, 40_000)
    nothing = factorise(csr_array((4, 3)))
    assert nothing.rank == 0 and len(nothing.hypernyms) == 0


@pytest.mark.parametrize("size", [30, 300])
def test_directions_that_are_noise_are_left_out(size: int) -> None:
    """A matrix of three dimensions, by the small way and by the large one; the largest entry of each is positive."""
    rng = np.random.default_rng(size)
    parts = np.zeros((size, size))
    for k, length in enumerate((8.0, 4.0, 2.0)):
        parts[k::3, k::3] = length * np.outer(
            rng.random(len(range(k, size, 3))) + 0.1, rng.random(len(range(k, size, 3))) + 0.1
        )
    v = factorise(csr_array(parts), 10).v.astype(np.float64)
    assert v.shape == (size, 10) and not v[:, 3:].any()
    np.testing.assert_allclose((v[:, :3] ** 2).sum(axis=0), 1.0, atol=1e-3)
    assert [set((np.flatnonzero(v[:, k] > 1e-3) % 3).tolist()) for k in range(3)] == [{0}, {1}, {2}]  # by falling size
    assert (v > -1e-3).all()
