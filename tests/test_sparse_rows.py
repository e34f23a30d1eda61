"""Sparse rows without SciPy do what SciPy does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, vstack

from hyperdive._sparse_rows import as_sparse_rows, stacked, weighted_sums


def random_rows(seed: int, rows: int, columns: int) -> csr_array:
    rng = np.random.default_rng(seed)
    dense = rng.random((rows, columns), dtype=np.float32) * (rng.random((rows, columns)) < 0.3)
    return csr_array(dense)


@pytest.mark.parametrize("count", [1, 3, 40])
def test_weighted_sums_are_products(count: int) -> None:
    matrix, rng = random_rows(count, 30, 50), np.random.default_rng(count)
    chosen = np.sort(rng.integers(0, 30, (count, 6)), axis=1)
    weights = rng.random((count, 6), dtype=np.float32)
    pointers = np.arange(count + 1) * 6
    sums = weighted_sums(weights.ravel(), chosen.ravel(), pointers, as_sparse_rows(matrix))
    expected = csr_array((weights.ravel(), chosen.ravel(), pointers), shape=(count, 30)) @ matrix
    assert np.array_equal(sums.toarray(), expected.toarray())
    assert all((np.diff(sums.indices[a:b]) > 0).all() for a, b in zip(sums.indptr, sums.indptr[1:], strict=False))


def test_stacked_rows_are_those_of_scipy() -> None:
    first, second, rows = random_rows(1, 5, 7), random_rows(2, 9, 7), np.array([0, 3, 8])
    both = stacked(as_sparse_rows(first), as_sparse_rows(second), rows)
    assert np.array_equal(both.toarray(), vstack([first, second[rows]]).toarray())


def test_what_arrays_cannot_do_is_done_by_scipy() -> None:
    matrix = random_rows(3, 4, 6)
    rows = as_sparse_rows(matrix)
    assert np.array_equal((rows @ rows.T).toarray(), (matrix @ matrix.T).toarray())
    assert np.array_equal((matrix.T @ rows).toarray(), (matrix.T @ matrix).toarray())
    assert rows[1:3].shape == (2, 6)
    with pytest.raises(AttributeError):
        rows.no_such_thing  # noqa: B018
