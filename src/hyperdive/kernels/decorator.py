"""The decorators of compiled functions, the processor level they are compiled for, and the folder that keeps the code.

Numba's own cache does the work. Its folder is named after everything that compiled code depends on, because Numba
itself only notices a change of the file that a kernel is in, not of other files whose functions that kernel calls.

Code is compiled for a processor level, not for the processor at hand, so that models have the same bytes on every
machine of that level. Numba has one processor per process: the command sets it to the level, a program that uses
hyperdive as a library keeps its own and loads what processes of hyperdive have compiled.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import stat
import subprocess
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
_FOLDER, _KEEP_DAYS = "hyperdive-kernels", 30
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
            parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(exist_ok=True, mode=0o700)
            if _is_private(parent) and _is_private(folder):
                with tempfile.TemporaryFile(dir=folder):
                    pass
                if is_new:
                    _remove_old_folders(parent)
                return folder
    _tell("note: no folder can keep compiled kernels, so every start compiles them (set NUMBA_CACHE_DIR to a folder)\n")
    try:
        root = Path(tempfile.mkdtemp(prefix="hyperdive-kernels-"))
        folder = root / _FOLDER / name
        folder.mkdir(parents=True, mode=0o700)
    except OSError:
        return None
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return folder


def is_complete() -> bool:
    """Whether all kernels were compiled ahead into the cache folder."""
    folder = cache_folder()
    return folder is not None and (folder / "complete").exists()


def is_lasting() -> bool:
    """Whether the cache folder is still there after the end of this process."""
    folder = cache_folder()
    return folder is not None and folder.parent in _parents()


@cache
def compile_all() -> bool:
    """Compile all kernels in two processes unless that was done before; return whether all are there.

    What a process with unusual argument types needs beyond these is compiled at first use.
    """
    folder = cache_folder()
    if folder is None or not sys.executable:
        return False
    with exclusive(folder / "compiling"):
        if is_complete():
            return True
        paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        if not is_lasting():
            environment["NUMBA_CACHE_DIR"] = str(folder.parents[1])
        command = [sys.executable, "-P", "-m", "hyperdive.kernels.warmup"]
        silent: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        processes = [subprocess.Popen([*command, part], env=environment, **silent) for part in ("text", "numbers")]
        try:
            if sum(process.wait() != 0 for process in processes):
                return False
        finally:
            for process in processes:
                process.kill()
        (folder / "complete").touch()
        return True


class _SharedCache(_Cache):  # type: ignore[misc]
    """Numba's cache of one function, shared by several processes; damaged files are left aside."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file can raise anything; the function is compiled again
            with suppress(OSError):
                self.flush()
            return None

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        key = self._index_key(sig, target_context.codegen())
        types, (triple, *_), sources = key
        level_key = (types, (triple, *processor_level()), sources)
        data = self._cache_file.load(level_key)
        if data is None and key != level_key:
            data = (compile_all() and self._cache_file.load(level_key)) or self._cache_file.load(key)
        return None if data is None else self._impl.rebuild(target_context, data)

    def save_overload(self, sig: Any, data: Any) -> None:
        # two processes that save different types of one function at once would choose the same file name
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


@cache
def processor_level() -> tuple[str, str]:
    """Return the name of the processor level as LLVM knows it, and features beyond it."""
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
    versions = (sys.version, numba.__version__, llvmlite.__version__, platform.machine(), processor_level())
    sha = hashlib.sha256(repr(versions).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        sha.update(f"{path} {path.stat().st_mtime_ns}\n".encode() + path.read_bytes())
    return sha.hexdigest()[:16]


def _parents() -> list[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given) / _FOLDER]
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
    _config.CPU_NAME, _config.CPU_FEATURES = processor_level()
    _events.register("numba:compile", _Announcement())
