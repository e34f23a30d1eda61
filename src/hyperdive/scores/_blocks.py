"""Run a kernel over fixed blocks on several threads: the cut never depends on how many threads there are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np

from hyperdive._resources import check_threads
from hyperdive._types import Floats
from hyperdive.scores import _plain

_MODULES = ("_kernels", "_isa_kernels", "_nearest_kernels", "_analogy_kernels")
_COMPILED = tuple(f"hyperdive.scores.{name}" for name in _MODULES)
_PATIENCE = 2_000_000  # items after which waiting for the compiler is worth it


class _Kernels:
    """The kernels by name; loading the compiler takes half a second, so a few small jobs go to the NumPy twins first.

    Which of the two ran cannot be told from the result: they give the same bits.
    """

    def __init__(self) -> None:
        self._done = 0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        modules = [import_module(module) for module in _COMPILED]
        kernel: Callable[..., Any] = getattr(next((one for one in modules if hasattr(one, name)), modules[0]), name)
        setattr(self, name, kernel)
        return kernel

    @property
    def loaded(self) -> bool:
        """Whether the compiled ones are there."""
        return _COMPILED[0] in sys.modules

    def load(self) -> None:
        """Load the compiled ones now, for a process that will be asked many questions."""
        for module in _COMPILED:
            import_module(module)

    def named(self, name: str, size: int) -> Callable[..., Any]:
        """The function for a job of this size."""
        self._done += size
        small = size <= _plain.MOST.get(name, 0) and self._done <= _PATIENCE
        twin_or_kernel: Callable[..., Any] = getattr(_plain if small and not self.loaded else self, name)
        return twin_or_kernel


kernels = _Kernels()


def in_blocks(
    kernel: Callable[..., Any] | str, size: int, *arguments: Any, block: int = 4096, threads: int = 0
) -> None:
    """Call `kernel(*arguments, start, end)` until 0 … size is covered; `threads` 0 means one a core.

    A kernel by its name may be the compiled one or its twin.
    """
    if isinstance(kernel, str):
        kernel = kernels.named(kernel, size)
    starts = range(0, size, block)
    threads = check_threads(threads or None) if len(starts) > 1 else 1
    if threads == 1:
        for start in starts:
            kernel(*arguments, start, min(start + block, size))
        return
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(kernel, *arguments, start, min(start + block, size)) for start in starts]
        for job in jobs:
            job.result()


def run(kernel: Callable[..., Any] | str, size: int, *arguments: Any, columns: int = 0, threads: int = 0) -> Floats:
    """Let a kernel fill one number (or `columns` numbers) for each of `size` items."""
    out = np.zeros((size, columns) if columns else size)
    in_blocks(kernel, size, *arguments, out, threads=threads)
    return out


def products(left: Any, right: Any, q: Any, p: Any, *, threads: int = 0) -> Floats:
    """left[q]·right[p] for each pair, in the tables' own precision; one row against many needs no kernel.

    >>> products(np.eye(2), np.array([[3.0, 4.0], [5.0, 6.0]]), np.array([1, 1]), np.array([0, 1])).tolist()
    [4.0, 6.0]
    """
    if len(q) and (q == q[0]).all():
        return _against(right, p, left[q[0]])
    if len(p) and (p == p[0]).all():
        return _against(left, q, right[p[0]])
    return run(kernels.cross_dots, len(q), left, right, q, p, threads=threads)


def _against(table: Any, rows: Any, vector: Any) -> Floats:
    # einsum, for BLAS rounds a row differently at another place of the table
    several = table if len(rows) == len(table) and np.array_equal(rows, np.arange(len(table))) else table[rows]
    return np.asarray(np.einsum("ij,j->i", several, vector), dtype=np.float64)
