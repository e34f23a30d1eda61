"""PPMI and its decomposition against dense arithmetic."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, random_array
from threadpoolctl import threadpool_limits

from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.svd import factorise, ppmi_matrix, ppmi_values

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
    return Patterns.from_keys(
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
