"""What a run may use of this machine: threads, memory, and a place for its progress."""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from hyperdive import kernels
from hyperdive._engine import Engine
from hyperdive._progress import SILENT, Progress, human
from hyperdive.errors import OptionError

MOST_THREADS = 512
default_threads: int | None = None
"""Threads of work that asks for no number; None is one for each core. A process that is one of several takes 1."""
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


@dataclass(frozen=True, kw_only=True)
class Run:
    """How work is run. Nothing here changes the bytes of a result.

    >>> Run(threads=2).threads, Run().progress is SILENT
    (2, True)
    """

    threads: int | None = None
    """Threads to use; None means one for each core."""
    memory: int | None = None
    """Bytes of its own memory that the process stays under while it reads and counts; None: half of this machine's."""
    progress: Progress = SILENT
    """Where progress and notes go."""
    restart: bool = False
    """Begin anew; without it the same run goes on where it was stopped."""
    force: bool = False
    """Replace an artefact that already has the output's name."""
    engine: Engine | None = None
    """Where the tasks of large stages run; None is this process."""


def check_threads(threads: int | None) -> int:
    """The number of threads asked for, or one for each core this process may use.

    >>> check_threads(3), check_threads(None) >= 1
    (3, True)
    >>> check_threads(0)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: the number of threads is 0 (it must be 1 or more)
    """
    if threads is None and default_threads is not None:
        return default_threads
    if threads is None:
        return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if threads < 1:
        raise OptionError(f"the number of threads is {threads}", hint="it must be 1 or more")
    if threads > MOST_THREADS:
        raise OptionError(f"the number of threads is {threads}", hint=f"it can be {MOST_THREADS} at most")
    return threads


@cache
def _is_single_threaded() -> bool:
    """Whether the BLAS of NumPy has one thread all along: hyperdive's own process chose so before it was loaded."""
    chosen = kernels.own_process and os.environ.get("OPENBLAS_NUM_THREADS") == "1"
    built: Any = import_module("numpy.__config__").CONFIG
    return chosen and "openblas" in str(built.get("Build Dependencies", {}).get("blas", {}).get("name", ""))


class _BlasLimit:
    """Keeps the BLAS of NumPy at one thread as long as anybody wants that; threads may come and go in any order."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0
        self._libraries: Any = None
        self._limiter: Any = None

    def acquire(self) -> None:
        if _is_single_threaded():
            return
        from threadpoolctl import ThreadpoolController

        with self._lock:
            if self._libraries is None:  # looking for them takes milliseconds
                self._libraries = ThreadpoolController()
            if self._users == 0:
                self._limiter = self._libraries.limit(limits=1, user_api="blas")
            self._users += 1

    def release(self) -> None:
        if _is_single_threaded():
            return
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limiter.restore_original_limits()


_BLAS = _BlasLimit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Products of NumPy on one thread, since their last bits depend on how many there are.

    >>> with one_blas_thread():
    ...     pass
    """
    _BLAS.acquire()
    try:
        yield
    finally:
        _BLAS.release()


def parse_size(text: str) -> int:
    """Bytes from what a person types.

    >>> parse_size("500MB"), parse_size("1.5 g"), parse_size("4096")
    (500000000, 1500000000, 4096)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if match is None:
        raise OptionError(f"{text!r} is not an amount of memory", hint="write it as 500MB or 2GB")
    return int(float(match[1]) * _UNITS[match[2]])


def memory_limit(memory: int | str | None) -> int | None:
    """Return a memory limit in bytes, from a number or a text such as 4GB.

    >>> memory_limit("4GB"), memory_limit(1000), memory_limit(None)
    (4000000000, 1000, None)
    """
    return parse_size(memory) if isinstance(memory, str) else memory


def anonymous_memory() -> int:
    """Bytes of memory that this process has of its own now, maps of files left out; a guess where that is not told."""
    try:
        with Path("/proc/self/status").open(encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return 150 * 10**6


def release_memory() -> None:
    """Give memory that was freed back to the system, where the allocators keep it; worth it where there is a limit."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):  # of glibc
        ctypes.CDLL(None).malloc_trim(0)


def require_memory(limit: int | None, more: int, what: str, *, instead: str = "") -> None:
    """Stop where so many bytes, beside what this process holds now, are beyond a limit.

    Args:
        limit: bytes that the process may have of its own; None is no limit.
        more: what the next step takes at its peak.
        what: what needs it, for the message.
        instead: what else can be done about it.

    >>> require_memory(10**15, 10**6, "words")
    >>> require_memory(10**9, 10**12, "many words")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    hyperdive.errors.OptionError: 1.0 GB of memory is too little: many words need 1.0 TB (give ...
    """
    if limit is None:
        return
    if anonymous_memory() + more > limit:
        release_memory()
    needed = anonymous_memory() + more
    if needed > limit:
        raise OptionError(
            f"{human(limit, 'B')} of memory is too little: {what} need {human(needed, 'B')}",
            hint=f"give more, at least --memory {-(-needed * 5 // (4 * 10**6))}MB{instead}",
        )


def fitting(limit: int | None, most: int, each: int, least: int = 1 << 16) -> int:
    """Return how many things of so many bytes have room in what is left of a limit now, at most `most`.

    >>> fitting(None, 5, each=100)
    5
    """
    if limit is None:
        return most
    return min(most, max((limit - anonymous_memory()) // each, least))


def default_memory() -> int:
    """Half of this machine's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return 2 * 10**9
