"""What the benchmarks share: finding text, timing, peak memory of a child process."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hyperdive._progress import SILENT
from hyperdive.text.sources import find_sources, open_source


def machine() -> str:
    """One line about where this runs, and whether the figures can be trusted."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    busy = " (busy: take the ratios, not the seconds)" if load > 0.5 * (os.cpu_count() or 1) else ""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {load:.1f}{busy}"


def first_bytes(text: str, size: int) -> Path:
    """The first `size` bytes of a text, decompressed, cut at a line end, in a temporary file."""
    source = find_sources([text], lambda path, reason: SILENT.note(f"{path}: {reason}"))[0]
    path = Path(tempfile.mkdtemp(prefix="hyperdive-bench-")) / "text.txt"
    with open_source(source) as stream:
        data = stream.read(size)
    path.write_bytes(data[: data.rfind(b"\n") + 1])
    return path


def seconds(work: Callable[[], object], repeat: int = 1) -> float:
    """The best of some runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def command(*arguments: object) -> tuple[float, float]:
    """Run `hyperdive …` as a user does; returns seconds and the peak memory of the process in MB."""
    before = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "hyperdive", *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"hyperdive {arguments[0]} failed")
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return time.perf_counter() - before, usage.ru_maxrss / scale


def peak_memory() -> float:
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
