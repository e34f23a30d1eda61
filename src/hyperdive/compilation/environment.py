"""What compiled code is made for: Python, Numba and processor; and the folder that keeps it.

Code is compiled for a fixed processor level, not for the processor at hand, so that models have the same bytes on every
machine of that level, whether the kernels came with the package or were compiled here.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

LEVEL_3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
"""What a processor must have, besides older features, for code of the level x86-64-v3."""


class Target(NamedTuple):
    """A processor as LLVM names it; features are added to those of the name."""

    cpu: str
    features: str = ""


own_process = False
"""Whether this process is hyperdive's own: the command, or one that compiles. Numba then compiles for `target()`."""
only_compiles = False
"""Whether this process compiles kernels for others and calls none of them."""
unforeseen: Callable[[str], None] | None = None
"""Told the name of every kernel that this process has to compile itself, before it does."""


@cache
def target() -> Target:
    """What kernels are compiled for on this machine."""
    from llvmlite import binding  # type: ignore[import-untyped]

    if os.environ.get("NUMBA_CPU_NAME"):
        return Target(os.environ["NUMBA_CPU_NAME"], os.environ.get("NUMBA_CPU_FEATURES", ""))
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        features = binding.get_host_cpu_features()
        return Target("x86-64-v3" if all(features.get(name) for name in LEVEL_3) else "x86-64")
    if machine in ("arm64", "aarch64"):
        return Target("apple-m1") if sys.platform == "darwin" else Target("generic", "+neon")
    return Target(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())


def tag(chosen: Target) -> str:
    """Names everything that compiled code depends on, except its sources.

    >>> tag(Target("x86-64-v3")).endswith("-x86-64-v3")
    True
    """
    import llvmlite
    import numba

    python = f"cp{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
    system = f"{sys.platform}-{platform.machine().lower()}"
    features = hashlib.sha256(chosen.features.encode()).hexdigest()[:8] if chosen.features else ""
    cpu = "-".join(filter(None, (chosen.cpu, features)))
    return f"{python}-numba{numba.__version__}-llvmlite{llvmlite.__version__}-{system}-{cpu}"


class CacheFolder(NamedTuple):
    """Where compiled kernels are kept."""

    path: Path
    lasting: bool
    """Whether it is still there at the next start."""


@cache
def cache_folder() -> CacheFolder:
    """A folder that this user alone can write: NUMBA_CACHE_DIR, the user's cache, or else a temporary one.

    Compiled kernels are code, so a folder that another user may write to is never read.
    """
    for place in _places():
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            if is_private(place):
                with tempfile.TemporaryFile(dir=place):
                    return CacheFolder(place, lasting=True)
        except OSError:
            continue
    try:
        temporary = Path(tempfile.mkdtemp(prefix="hyperdive-kernels-"))
    except OSError:  # nothing can be written anywhere: kernels are compiled and not kept
        return CacheFolder(Path(os.devnull) / "kernels", lasting=False)
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return CacheFolder(temporary, lasting=False)


def _places() -> list[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given) / "hyperdive-kernels"]
    try:
        home = Path.home()
    except RuntimeError:  # no home at all
        return []
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return [base / "hyperdive" / "kernels"]


def is_private(folder: Path) -> bool:
    """Whether the folder is this user's and nobody else may write into it."""
    if not hasattr(os, "geteuid"):  # Windows: the folder's own access rules
        return True
    facts = folder.stat()
    return facts.st_uid == os.geteuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
