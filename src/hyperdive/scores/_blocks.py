"""Run a kernel over fixed blocks on several threads: the cut never depends on how many threads there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def in_blocks(kernel: Callable[..., Any], size: int, *arguments: Any, block: int = 4096, threads: int = 0) -> None:
    """Call `kernel(*arguments, start, end)` until 0 … size is covered; `threads` 0 means one a core."""
    starts = range(0, size, block)
    threads = threads or os.cpu_count() or 1
    if len(starts) <= 1 or threads == 1:
        for start in starts:
            kernel(*arguments, start, min(start + block, size))
        return
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(kernel, *arguments, start, min(start + block, size)) for start in starts]
        for job in jobs:
            job.result()


def run(kernel: Callable[..., Any], size: int, *arguments: Any, columns: int = 0, threads: int = 0) -> Floats:
    """Let a kernel fill one number (or `columns` numbers) for each of `size` items."""
    out = np.zeros((size, columns) if columns else size)
    in_blocks(kernel, size, *arguments, out, threads=threads)
    return out
