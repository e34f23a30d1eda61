"""Compiling ahead: in other processes, with a message, once; what it leaves is what the process then uses."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hyperdive._progress import Progress
from hyperdive.compilation import compiler, environment, kernel_store
from hyperdive.compilation.kernel_store import CompiledKernels, ShippedKernels, entry_name
from hyperdive.compilation.signatures import Signature

TWO = [
    Signature("text._kernels.streams:add_counts", "u4[:] i8[:]", "try", 0.5),
    Signature("text._kernels.forms:renumber", "u4[:] u4[:]", "try", 0.5),
]


@pytest.fixture
def empty_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CompiledKernels:
    """No kernel is there, and those compiled go to a folder of the test."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    environment.cache_folder.cache_clear()
    store = CompiledKernels(environment.cache_folder().path / environment.tag(environment.target()))
    monkeypatch.setattr(kernel_store, "compiled_kernels", lambda: store)
    monkeypatch.setattr(kernel_store, "shipped_kernels", lambda: ShippedKernels(tmp_path / "none.zip"))
    monkeypatch.setattr(compiler, "needed", lambda uses: TWO if "try" in uses else [])
    yield store
    environment.cache_folder.cache_clear()


def test_missing_kernels_are_compiled_once_and_announced(empty_stores: CompiledKernels) -> None:
    out = io.StringIO()
    assert compiler.prepare("other", progress=Progress("none", out)) == 0 and out.getvalue() == ""
    assert compiler.prepare("try", progress=Progress("none", out)) == 2
    assert out.getvalue() == "Compiling 2 kernels, once (about 2 s)\n"
    assert all(entry_name(one.kernel, one.types) in empty_stores for one in TWO)
    assert compiler.prepare("try", progress=Progress("none", out)) == 0


def test_a_kernel_that_cannot_be_compiled_is_left_to_first_use(
    empty_stores: CompiledKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Signature("text._kernels.streams:no_such_kernel", "i8", "try", 0.1)
    monkeypatch.setattr(compiler, "needed", lambda uses: [wrong, TWO[1]])
    compiler.prepare("try", progress=Progress("none", io.StringIO()))
    assert entry_name(TWO[1].kernel, TWO[1].types) in empty_stores
    assert entry_name(wrong.kernel, wrong.types) not in empty_stores


def test_a_process_uses_what_another_one_compiled(empty_stores: CompiledKernels, tmp_path: Path) -> None:
    compiler.prepare("try", progress=Progress("none", io.StringIO()))
    code = (
        "import numpy as np, sys\n"
        "from hyperdive.compilation import environment, kernel_store\n"
        "kernel_store.use_shipped = False\n"
        "environment.own_process, environment.unforeseen = sys.argv[1] == 'own', print\n"
        "from hyperdive.text._kernels.streams import add_counts\n"
        "counts = np.zeros(3, dtype=np.int64)\n"
        "add_counts(np.array([1, 1, 2], dtype=np.uint32), counts)\n"
        "assert counts.tolist() == [0, 2, 1]\n"
        "add_counts(np.array([1], dtype=np.uint64), counts)\n"
    )
    for process in ("user's", "own"):  # in the user's, Numba compiles for the processor at hand, and keeps that apart
        done = subprocess.run(
            [sys.executable, "-c", code, process], env=dict(os.environ), capture_output=True, text=True
        )
        printed = "text._kernels.streams:add_counts\n"  # only the types that nobody compiled before
        assert done.stdout == printed, (process, done.stdout, done.stderr)
        assert not done.stderr
