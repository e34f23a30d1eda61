"""Compiled kernels on disk: those that came with the package, and those compiled on this machine.

Both are found by the processor level and the versions of Python, Numba and LLVM (`environment.tag`) and by a hash of
the kernels' sources: other code is never loaded. Compiled code is stored as Numba serialises it, which is a Python
pickle, and so it is read from two places only: this package's own folder, checked against the hashes in its index, and
a folder that only this user can write.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import time
import uuid
import zipfile
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from hyperdive.compilation.environment import cache_folder, tag, target
from hyperdive.compilation.signatures import Signature

_PACKAGE = Path(__file__).parents[1]
SHIPPED = Path(__file__).with_name("shipped")
"""One zip file per Python, Numba and processor level; empty in a clone."""
use_shipped = True
"""False in processes that compile what is missing, or what is to be shipped."""
_INDEX = "index.json"
_IMPORT = re.compile(rb"^from hyperdive\.(\w+)\.", re.MULTILINE)
_KEEP_DAYS = 30
_UNREADABLE = (
    OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, RuntimeError, zlib.error, zipfile.BadZipFile,
)  # fmt: skip
"""What a damaged file of kernels raises; its kernels are then compiled."""


def kernel_sources(package: str) -> list[Path]:
    """The files with a package's kernels."""
    folder = _PACKAGE / package
    return sorted((*folder.glob("_*kernels.py"), *folder.glob("_*kernels/*.py")))


@cache
def source_stamp(package: str) -> str:
    """A hash of everything a package's compiled kernels are made from: its kernels, and those they import."""
    sha = hashlib.sha256()
    waiting, seen = [package], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for path in kernel_sources(name):
            text = path.read_bytes()
            sha.update(f"{path.relative_to(_PACKAGE).as_posix()} {len(text)}\n".encode())
            sha.update(text)
            waiting += sorted({found.decode() for found in _IMPORT.findall(text)} - {"compilation", *seen})
    for name in ("kernel.py", "callees.py"):
        sha.update((Path(__file__).with_name(name)).read_bytes())
    return sha.hexdigest()[:32]


def entry_name(kernel: str, types: str) -> str:
    """The name of a compiled kernel inside a store."""
    return f"{kernel.replace(':', '.')}-{hashlib.sha256(types.encode()).hexdigest()[:16]}"


class ShippedKernels:
    """The kernels in one zip file of the package; none when there is no file for this environment."""

    def __init__(self, path: Path) -> None:
        self._file: zipfile.ZipFile | None = None
        self._hashes: dict[str, str] = {}
        try:
            self._file = zipfile.ZipFile(path)
            index = json.loads(self._file.read(_INDEX))
            stamps = {name for name, stamp in index["stamps"].items() if stamp == source_stamp(name)}
            self._hashes = {name: sha for name, sha in index["kernels"].items() if name.split(".")[0] in stamps}
        except _UNREADABLE:
            self._file = None

    def __contains__(self, name: object) -> bool:
        return name in self._hashes

    def read(self, name: str) -> bytes | None:
        """The compiled kernel, when it is there and whole."""
        if self._file is None or name not in self._hashes:
            return None
        try:
            content = self._file.read(name)
        except _UNREADABLE:
            return None
        return content if hashlib.sha256(content).hexdigest() == self._hashes[name] else None

    @staticmethod
    def write(path: Path, kernels: dict[str, bytes]) -> None:
        """A file with these kernels, the same bytes for the same content."""
        packages = sorted({name.split(".")[0] for name in kernels})
        index = {
            "stamps": {package: source_stamp(package) for package in packages},
            "kernels": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(kernels.items())},
        }
        temporary = path.with_suffix(f".{uuid.uuid4().hex}.tmp")
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
            for name, content in ((_INDEX, json.dumps(index, indent=1).encode()), *sorted(kernels.items())):
                file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        temporary.replace(path)


class CompiledKernels:
    """The kernels that were compiled on this machine, one file each, in a folder per environment and source hash."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _place(self, name: str) -> Path:
        package = name.split(".")[0]
        return self.folder / f"{package}-{source_stamp(package)}" / name

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._place(name).is_file()

    def read(self, name: str) -> bytes | None:
        """The compiled kernel, when it is there and whole."""
        try:
            content = self._place(name).read_bytes()
        except OSError:
            return None
        return content[32:] if hashlib.sha256(content[32:]).digest() == content[:32] else None

    def write(self, name: str, content: bytes) -> None:
        """Keep a kernel; a folder that cannot be written keeps nothing."""
        place = self._place(name)
        temporary = place.with_name(f"{uuid.uuid4().hex}.tmp")
        try:
            if not place.parent.is_dir():
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _forget_old(self.folder.parent)
            temporary.write_bytes(hashlib.sha256(content).digest() + content)
            temporary.replace(place)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def _forget_old(folder: Path) -> None:
    """Remove what earlier sources and versions left, when it has not been added to for a month."""
    for old in folder.glob("*/*"):
        if old.is_dir() and time.time() - old.stat().st_mtime > _KEEP_DAYS * 86_400:
            shutil.rmtree(old, ignore_errors=True)


@cache
def shipped_kernels() -> ShippedKernels:
    """The kernels that came with the package for this environment."""
    return ShippedKernels(SHIPPED / f"{tag(target())}.zip" if use_shipped else SHIPPED / "none")


@cache
def compiled_kernels() -> CompiledKernels:
    """The kernels compiled here for this machine's level."""
    return CompiledKernels(cache_folder().path / tag(target()))


def missing(signatures: Iterable[Signature]) -> list[Signature]:
    """Those that would have to be compiled."""
    names: Any = ((signature, entry_name(signature.kernel, signature.types)) for signature in signatures)
    return [signature for signature, name in names if name not in shipped_kernels() and name not in compiled_kernels()]
