"""A first answer needs no compiler: NumPy twins give the same bits as the kernels, and a question uses them."""

from __future__ import annotations

import subprocess
import sys
import threading
from inspect import signature
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hyperdive.scores import _blocks, _kernels, _plain
from hyperdive.scores._blocks import products


def sparse(draw: np.random.Generator, rows: int, columns: int) -> csr_array:
    matrix = draw.normal(size=(rows, columns)).astype(np.float32) * 10.0 ** draw.integers(-3, 4, size=(rows, columns))
    matrix[draw.random(matrix.shape) < draw.random()] = 0
    return csr_array(matrix.astype(np.float32))


def filled(function: Any, size: int, *arguments: Any, columns: int = 0) -> np.ndarray:
    out = np.full((size, columns) if columns else size, np.nan)
    middle = size // 3
    function(*arguments, out, 0, middle)
    function(*arguments, out, middle, size)
    return out


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 9), columns=st.integers(1, 120), pairs=st.integers(1, 30))
def test_twins_give_the_same_bits(seed: int, rows: int, columns: int, pairs: int) -> None:
    draw = np.random.default_rng(seed)
    csr = sparse(draw, rows, columns)
    dense = np.ascontiguousarray(csr.toarray(), dtype=np.float32)
    q, p = draw.integers(0, rows, size=(2, pairs))
    parts = (csr.indptr, csr.indices, csr.data)
    numbers, places = draw.integers(-1, rows, size=pairs), draw.integers(-1, columns, size=pairs)
    for name, size, arguments, width in (
        ("dense_dots", pairs, (dense, q, p), 0),
        ("overlaps", pairs, (*parts, q, p), 4),
        ("row_sums", rows, (csr.indptr, csr.data), 2),
        ("row_sums", rows, (np.arange(rows + 1) * columns, dense.reshape(-1)), 2),
        ("csr_values", pairs, (*parts, numbers, places), 0),
    ):
        assert name in _plain.MOST
        compiled, twin = (filled(getattr(of, name), size, *arguments, columns=width) for of in (_kernels, _plain))
        assert np.array_equal(compiled, twin), name


def test_values_of_an_empty_matrix() -> None:
    empty = csr_array((3, 3), dtype=np.int64)
    pairs = np.array([0, 2, -1]), np.array([1, -1, 0])
    assert filled(_plain.csr_values, 3, empty.indptr, empty.indices, empty.data, *pairs).tolist() == [0, 0, 0]


@pytest.mark.parametrize("type_", [np.float32, np.float64])
def test_one_row_against_many_is_summed_by_numpy(type_: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "run", None)  # no kernel
    left, right = np.random.default_rng(3).normal(size=(2, 40, 100)).astype(type_)
    every, one = np.arange(40), np.full(40, 7)
    np.testing.assert_array_equal(products(left, right, every, one), np.einsum("ij,j->i", left, right[7]))
    np.testing.assert_array_equal(products(left, right, one, every), np.einsum("ij,j->i", right, left[7]))


@pytest.mark.parametrize("q", [[2] * 5, [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("p", [[1] * 5, [0, 1, 2, 3, 4], [4, 4, 0, 1, 2]])
def test_products_of_tables(q: list[int], p: list[int]) -> None:
    left, right = np.random.default_rng(0).normal(size=(2, 5, 100)).astype(np.float32)
    slow = [float(left[a].astype(np.float64) @ right[b].astype(np.float64)) for a, b in zip(q, p, strict=True)]
    assert products(left, right, np.array(q), np.array(p)) == pytest.approx(slow, abs=1e-4)


def test_a_row_has_the_same_products_among_few_and_among_many() -> None:
    left, right = np.random.default_rng(1).normal(size=(2, 5000, 100)).astype(np.float32)
    every = np.arange(5000)
    whole = products(left, right, np.full(5000, 7), every)
    for few in (every[3:4], every[1::7], every[::-1]):
        assert np.array_equal(products(left, right, np.full(len(few), 7), few), whole[few])


def test_no_pairs_at_all() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert len(products(np.eye(2), np.eye(2), none, none)) == 0


def test_large_jobs_are_worth_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    chooser = _blocks._Kernels()
    monkeypatch.delitem(sys.modules, "hyperdive.scores._kernels")
    assert chooser.named("row_sums", 1000) is _plain.row_sums
    chooser._done = _blocks._PATIENCE
    assert chooser.named("row_sums", 1000) is not _plain.row_sums


def test_a_question_loads_no_compiler() -> None:
    code = "\n".join(
        (
            "import sys",
            "from hyperdive.cli.main import main",
            "assert main(['hypernyms', 'poodle']) == 0",
            "print([name for name in ('numba', 'pyarrow', 'simplemma') if name in sys.modules])",
        )
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stderr


@pytest.mark.parametrize("name", list(_plain.MOST))
def test_the_twin_takes_what_is_small_as_long_as_little_was_done(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "hyperdive.scores._kernels")
    most, twin = _plain.MOST[name], getattr(_plain, name)
    assert _blocks._Kernels().named(name, most) is twin
    patient = _blocks._Kernels()
    patient._done = _blocks._PATIENCE - most
    assert patient.named(name, most) is twin
    for size, done in ((most + 1, 0), (most, _blocks._PATIENCE - most + 1)):
        chooser = _blocks._Kernels()
        chooser._done = done
        assert chooser.named(name, size) is not twin
        monkeypatch.delitem(sys.modules, "hyperdive.scores._kernels", raising=False)


def test_without_a_twin_the_kernel_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "hyperdive.scores._kernels")
    assert _blocks._Kernels().named("cross_dots", 1).__name__ == "cross_dots"
    assert _blocks._Kernels().loaded and _blocks._Kernels().named("row_sums", 1) is not _plain.row_sums
    monkeypatch.delitem(sys.modules, "hyperdive.scores._kernels")
    assert not _blocks._Kernels().loaded
    with pytest.raises(AttributeError, match=r"scores\._kernels' has no attribute 'nonsense'"):
        _ = _blocks._Kernels().nonsense


@pytest.mark.parametrize(("threads", "blocks"), [(1, 3), (2, 2), (3, 3), (3, 1)])
def test_blocks_are_shared_by_as_many_threads_as_are_asked_for(threads: int, blocks: int) -> None:
    """Each thread waits for the others; one block, or one thread, is done by the caller itself."""
    together = min(threads, blocks)
    barrier, seen = threading.Barrier(together), []

    def kernel(start: int, end: int) -> None:
        seen.append((start, end, threading.get_ident()))
        barrier.wait(timeout=20)

    _blocks.in_blocks(kernel, 10 * blocks - 1, block=10, threads=threads)
    ends = sorted((start, end) for start, end, _ in seen)
    assert ends == [(10 * k, min(10 * k + 10, 10 * blocks - 1)) for k in range(blocks)]
    callers = {ident == threading.get_ident() for _, _, ident in seen}
    assert callers == {together == 1}


@pytest.mark.parametrize("function", [_blocks.in_blocks, _blocks.run, _blocks.products])
def test_all_cores_are_used_unless_told_otherwise(function: Any) -> None:
    assert signature(function).parameters["threads"].default == 0


def test_twins_write_their_own_part_alone() -> None:
    draw = np.random.default_rng(0)
    csr = sparse(draw, 9, 20)
    csr.data[:] = 2.0
    dense, q, p = csr.toarray(), np.arange(9), np.arange(9)[::-1]
    parts = (csr.indptr, csr.indices, csr.data)
    for name, arguments, shape in (
        ("dense_dots", (dense, q, p), (9,)),
        ("overlaps", (*parts, q, p), (9, 4)),
        ("row_sums", parts[::2], (9, 2)),
        ("csr_values", (*parts, q, p), (9,)),
    ):
        out = np.full(shape, np.nan)
        getattr(_plain, name)(*arguments, out, 2, 6)
        assert np.isnan(out[:2]).all() and np.isnan(out[6:]).all() and not np.isnan(out[2:6]).any(), name


def test_more_pairs_than_are_gathered_at_a_time() -> None:
    draw = np.random.default_rng(0)
    dense, (q, p) = draw.normal(size=(7, 5)).astype(np.float32), draw.integers(0, 7, (2, 2 * _plain._FEW + 3))
    out = filled(_plain.dense_dots, len(q), dense, q, p)
    np.testing.assert_allclose(out, np.einsum("ij,ij->i", dense[q].astype(float), dense[p].astype(float)), atol=1e-12)
