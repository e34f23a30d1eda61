"""The decorators of compiled functions, the processor level they are compiled for, and the folder that keeps the code.

Numba's own cache does the work. Its folder is named after everything that compiled code depends on, because Numba
itself only notices a change of the file that a kernel is in, not of other files whose functions that kernel calls.
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
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
from llvmlite import binding
from numba.core import caching, event

from hyperdive import kernels
from hyperdive._locks import exclusive

_LEVEL_3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
"""What a processor must have, besides older features, for code of the level x86-64-v3."""
_KEEP_DAYS = 30
_njit: Any = partial(numba.njit, nogil=True, no_cfunc_wrapper=True)
_config: Any = numba.config
_Cache: Any = caching.FunctionCache
_events: Any = event
_FIRST_USE = "Compiling numeric kernels, once: about 25 s\n"
_MORE = "Compiling further numeric kernels, once\n"


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on first call and keep the code on disk."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled: Any = _njit(**options)(function)
        folder = cache_folder()
        if folder is not None and hasattr(compiled, "_cache"):  # NUMBA_DISABLE_JIT returns the function itself
            with _cache_setting(folder), suppress(OSError, RuntimeError):
                compiled._cache = _SharedCache(function)
        return compiled

    return decorate


def subkernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that only kernels call; it becomes part of their code and is not kept by itself."""
    decorate: Callable[[Callable[..., Any]], Any] = _njit(**options)
    return decorate


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled code, created if necessary; None if no folder at all can be written.

    The folder is in NUMBA_CACHE_DIR or the user's cache. Compiled code is never read from a folder that another user
    may write to; where the user's own cannot be used, a temporary folder takes its place until the process ends.
    """
    name = _folder_name()
    for parent in _parents():
        folder = parent / name
        with suppress(OSError):
            is_new = not folder.is_dir()
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _is_private(parent) and _is_private(folder):
                with tempfile.TemporaryFile(dir=folder):
                    pass
                if is_new:
                    _remove_old_folders(parent)
                return folder
    note = "note: no folder can keep compiled kernels, so every start compiles them (set NUMBA_CACHE_DIR to a folder)\n"
    _tell(note)
    try:
        folder = Path(tempfile.mkdtemp(prefix="hyperdive-kernels-"))
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_complete() -> bool:
    """Whether all kernels were compiled ahead into the cache folder."""
    folder = cache_folder()
    return folder is not None and (folder / "complete").exists()


def is_lasting() -> bool:
    """Whether the cache folder is still there after the end of this process."""
    folder = cache_folder()
    return folder is not None and folder.parent in _parents()


class _SharedCache(_Cache):  # type: ignore[misc]
    """Numba's cache of one function, for several processes that compile at once, and with damaged files left aside.

    Two processes that save different types of one function at the same time would otherwise choose the same file name.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file can raise anything; the function is compiled again
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError), exclusive(Path(self.cache_path).parent / "lock"):
            super().save_overload(sig, data)


@contextmanager
def _cache_setting(folder: Path) -> Iterator[None]:
    """Set Numba's cache folder while a function is decorated; a user's own functions keep theirs."""
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        _config.CACHE_DIR = before


def use_processor_level() -> None:
    """Compile for a fixed processor level in this process; call it before any kernel is imported.

    Models then have the same bytes on every machine of that level.
    """
    _config.CPU_NAME, _config.CPU_FEATURES = _level()


def _level() -> tuple[str, str]:
    """Return the name and the features of the processor level."""
    if os.environ.get("NUMBA_CPU_NAME"):
        return os.environ["NUMBA_CPU_NAME"], os.environ.get("NUMBA_CPU_FEATURES", "")
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        features = binding.get_host_cpu_features()
        return "x86-64-v3" if all(features.get(name) for name in _LEVEL_3) else "x86-64", ""
    if machine in ("arm64", "aarch64"):
        return ("apple-m1", "") if sys.platform == "darwin" else ("generic", "+neon")
    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


def _folder_name() -> str:
    """Return a hash of the kernels' files, of Python, Numba and LLVM, and of the processor.

    Numba discards code when the time stamp of its file changes, so the time stamps are part of the hash.
    """
    processor = _config.CPU_NAME or binding.get_host_cpu_name()
    versions = (sys.version, numba.__version__, llvmlite.__version__, platform.machine(), processor)
    sha = hashlib.sha256(repr(versions).encode())
    package = Path(__file__).parents[1]
    for path in sorted((*package.glob("kernels/*.py"), *package.glob("**/_*kernels.py"))):
        sha.update(f"{path} {path.stat().st_mtime_ns}\n".encode() + path.read_bytes())
    return sha.hexdigest()[:16]


def _parents() -> list[Path]:
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


def _is_private(folder: Path) -> bool:
    """Whether the folder is this user's and nobody else may write into it."""
    if not hasattr(os, "geteuid"):  # Windows: the folder's own access rules
        return True
    facts = folder.stat()
    return facts.st_uid == os.geteuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _remove_old_folders(parent: Path) -> None:
    """Remove the code of other sources and versions when nothing was added to it for a month."""
    for old in parent.iterdir():
        if old.is_dir() and time.time() - old.stat().st_mtime > _KEEP_DAYS * 86_400:
            shutil.rmtree(old, ignore_errors=True)


def _tell(message: str) -> None:
    if kernels.own_process:
        sys.stderr.write(message)
        sys.stderr.flush()


class _Announcement(_events.Listener):  # type: ignore[misc]
    """Prints one line when the first kernel of this process has to be compiled."""

    def __init__(self) -> None:
        self._is_made = False

    def on_start(self, event: Any) -> None:
        if not self._is_made:
            self._is_made = True
            folder = cache_folder()
            if not is_complete():
                _tell(_FIRST_USE if folder is None or not any(folder.glob("*/*.nbi")) else _MORE)

    def on_end(self, event: Any) -> None:
        pass


if kernels.own_process:
    use_processor_level()
    _events.register("numba:compile", _Announcement())
