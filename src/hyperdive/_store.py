"""Artefacts on disk: a folder with flat binary files and one checked JSON header, written whole or not at all.

Every stage of hyperdive (corpus, counts, spaces, models) leaves such a folder. The header holds the format
name and version, the parameters, a hash of the input, and for each file its type, shape, size and SHA-256.
The same content gives the same bytes: no time stamps, no paths, no number of threads.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import math
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from hyperdive import __version__
from hyperdive._atomic import OLD, explain_os_errors, partial_name, remove_any, repair, sweep_partial, write_file
from hyperdive._types import Array
from hyperdive.errors import Error, FormatError, OutputError

HEADER = "header.json"
MAX_HEADER_BYTES = 64 << 20
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DAMAGED = "the folder is damaged; create it again"


def canonical_json(value: object) -> str:
    """The one spelling of a JSON value that is hashed and written."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def fingerprint(value: object) -> str:
    """SHA-256 of a JSON value, for names and for comparing headers.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def npy_header(dtype: np.dtype[Any], shape: Sequence[int]) -> bytes:
    """The bytes before the values of a `.npy` file; of one-dimensional arrays always the same number of bytes."""
    file = io.BytesIO()
    about = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": tuple(shape)}
    np.lib.format.write_array_header_1_0(file, about)
    return file.getvalue()


class FileWriter:
    """One file of an artefact, appended to piece by piece.

    Plain bytes are hashed on the way. The header of a `.npy` file tells how many values there are: it is written at the
    end, and the file is read once more for its hash.
    """

    def __init__(self, path: Path, dtype: str | None) -> None:
        self._path = path
        self._file = path.open("w+b")
        self._sha = hashlib.sha256()
        self.dtype = None if dtype is None else np.dtype(dtype).newbyteorder("<")
        self.bytes = 0
        self._is_npy = self.dtype is not None and path.suffix == ".npy"
        if self._is_npy:
            self._write_npy_header([0])

    def _write_npy_header(self, shape: Sequence[int]) -> None:
        assert self.dtype is not None
        self._file.seek(0)
        self._file.write(npy_header(self.dtype, shape))

    def append(self, piece: Array | bytes) -> None:
        """Add an array (converted to the file's type) or bytes at the end."""
        if isinstance(piece, bytes):
            data: Any = piece
        else:
            data = np.ascontiguousarray(piece, dtype=self.dtype).reshape(-1).view(np.uint8).data
        self._file.write(data)
        if not self._is_npy:
            self._sha.update(data)
        self.bytes += len(data)

    def close(self, shape: Sequence[int] | None = None) -> dict[str, Any]:
        """Flush to the disk and describe the file for the header; without a shape an array has one dimension."""
        entry: dict[str, Any] = {}
        if self.dtype is not None:
            shape = [self.bytes // self.dtype.itemsize] if shape is None else list(shape)
            entry = {"dtype": self.dtype.str, "shape": shape}
        if self._is_npy:
            self._write_npy_header(entry["shape"])
            self._file.seek(0)
            self._sha = hashlib.file_digest(self._file, hashlib.sha256)
        self._file.flush()
        os.fsync(self._file.fileno())
        size = os.fstat(self._file.fileno()).st_size
        self._file.close()
        return {"bytes": size, "sha256": self._sha.hexdigest(), **entry}

    def abandon(self) -> None:
        self._file.close()


def narrowest(values: Any, limit: int | None = None) -> Any:
    """The values as the narrowest unsigned integers that hold numbers up to `limit`, or up to the largest of them.

    >>> narrowest(np.array([3, 300])).dtype, narrowest(np.array([3]), 255).dtype
    (dtype('uint16'), dtype('uint8'))
    """
    most = int(np.max(values, initial=0)) if limit is None else limit
    fitting = (dtype for dtype in (np.uint8, np.uint16, np.uint32) if most <= np.iinfo(dtype).max)
    return np.ascontiguousarray(values, dtype=next(fitting, np.uint64))


class ArtifactWriter:
    """Write an artefact into a hidden folder next to its place and rename it when it is complete.

    Used as a context manager: leaving it by an exception removes everything that was written. Folders above its place
    are made too, but for `parents=False`: what outlives a run must not bring a folder back that the run removed.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "squares"
    >>> with ArtifactWriter(place, "example", 1) as writer:
    ...     writer.put("numbers.npy", np.arange(4) ** 2)
    ...     header = writer.finish({"parameters": {"n": 4}})
    >>> Artifact.open(place, "example", 1).array("numbers.npy").tolist()
    [0, 1, 4, 9]
    """

    def __init__(self, path: str | Path, kind: str, version: int, *, force: bool = False, parents: bool = True) -> None:
        self.path = Path(path)
        self.kind, self.version, self._force = kind, version, force
        check_output(self.path, force=force)
        with explain_os_errors(self.path):
            if parents:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            sweep_partial(self.path)
            self.folder = partial_name(self.path)
            self.folder.mkdir()
            self._mode = stat.S_IMODE(self.folder.stat().st_mode)
            self.folder.chmod(0o700)  # until it is complete
        # next to the folder, not in it: maps of scratch files may still be open when the folder is renamed
        self._scratch = self.folder.with_name(f"{self.folder.name}-scratch")
        self._open: dict[str, FileWriter] = {}
        self._files: dict[str, dict[str, Any]] = {}
        self._finished = False
        self.in_memory = 1 << 62
        """Bytes of a temporary array that stays in memory; larger ones are scratch files."""

    def stream(self, name: str, dtype: str | None = None) -> FileWriter:
        """A file to append to; `dtype` None means plain bytes."""
        for inner in reversed(Path(name).parents[:-1]):  # never a folder above, which a run may have removed
            (self.folder / inner).mkdir(exist_ok=True)
        self._open[name] = FileWriter(self.folder / name, dtype)
        return self._open[name]

    def put(self, name: str, content: Array | bytes) -> None:
        """Write a whole array (its shape is kept in the header) or bytes at once."""
        array = None if isinstance(content, bytes) else np.asarray(content)
        writer = self.stream(name, None if array is None else array.dtype.str)
        writer.append(content)
        self._files[name] = writer.close(None if array is None else array.shape)
        del self._open[name]

    def adopt(self, name: str, entry: dict[str, Any]) -> None:
        """Take in a file that is already in `folder` and whose header entry is known."""
        self._files[name] = entry

    def discard(self, name: str) -> None:
        """Give up a streamed file and delete it."""
        writer = self._open.pop(name)
        writer.abandon()
        (self.folder / name).unlink(missing_ok=True)

    def scratch(self, name: str) -> Path:
        """A place for a temporary file, gone when the writer is left."""
        self._scratch.mkdir(exist_ok=True, mode=0o700)
        return self._scratch / name

    def finish(self, header: Mapping[str, Any]) -> dict[str, Any]:
        """Close all files, write the header and put the folder in its place."""
        with explain_os_errors(self.path):
            for name, writer in self._open.items():
                self._files[name] = writer.close()
            self._open.clear()
            full: dict[str, Any] = {
                "format": f"hyperdive-{self.kind}",
                "format_version": self.version,
                "made_by": f"hyperdive {__version__}",
                **header,
                "files": self._files,
            }
            full["fingerprint"] = fingerprint(full)
            with (self.folder / HEADER).open("w", encoding="utf-8", newline="\n") as file:
                file.write(canonical_json(full))
                file.flush()
                os.fsync(file.fileno())
            self.folder.chmod(self._mode)
            put_in_place(self.folder, self.path, force=self._force)
        self._finished = True
        return full

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._finished:
            for writer in self._open.values():
                with contextlib.suppress(OSError):
                    writer.abandon()
            shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self._scratch, ignore_errors=True)
        if isinstance(error, OSError):
            with explain_os_errors(self.path):
                raise error


def check_output(path: Path, *, force: bool) -> None:
    """Refuse an output that exists, unless it is ours and `force` is given.

    `force` never deletes a folder that is not a hyperdive artefact.
    """
    if path.parts and _SCHEME.fullmatch(path.parts[0]):
        raise OutputError(
            f"{path}: results are written to folders, not to an address",
            hint="choose a folder; a cluster needs one that all its machines share, such as a mounted bucket",
        )
    repair(path)
    if not os.path.lexists(path):
        return
    if not force:
        raise OutputError(f"{path}: already exists", hint="add --force to replace it, or choose another -o")
    empty = path.is_dir() and not any(path.iterdir())
    if not empty and not (path.is_dir() and (path / HEADER).is_file()):
        raise OutputError(f"{path}: exists and was not made by hyperdive, so --force will not replace it")


def put_in_place(folder: Path, path: Path, *, force: bool) -> None:
    """Rename a finished folder to `path`; with `force` the old one stays until the new one is there."""
    old: Path | None = None
    if os.path.lexists(path):
        check_output(path, force=force)
        old = partial_name(path)
        old = old.with_name(f"{old.name}{OLD}")
        path.rename(old)
    try:
        folder.rename(path)
    except OSError:
        if old is not None:
            old.rename(path)
        raise
    if old is not None:
        remove_any(old)


def _values_start(name: str, dtype: np.dtype[Any], shape: Sequence[int]) -> int:
    """Where the values of an array begin in its file."""
    return len(npy_header(dtype, shape)) if name.endswith(".npy") else 0


class Artifact:
    """A finished artefact: its header, and its files as read-only memory maps.

    A file is compared with its checksum before its first use, once for each object. With `verify=False` it is trusted:
    the same run has just written or checked it.
    """

    def __init__(self, path: Path, header: dict[str, Any], *, verify: bool = True) -> None:
        self.path, self.header, self.trusted = path, header, not verify
        self._verified: set[str] = set()

    @classmethod
    def open(cls, path: str | Path, kind: str, version: int, *, made_with: str = "", verify: bool = True) -> Self:
        """Check the header and the size of every file, then map; nothing is allocated by what a header claims.

        `made_with` is the command that makes such an artefact, for the error line.
        """
        path = Path(path)
        header = read_header(path, f"hyperdive-{kind}", made_with=made_with)
        written = header.get("format_version")
        if not isinstance(written, int) or written < 1:
            raise FormatError(f"{path}: header has no valid format version", hint=_DAMAGED)
        if written > version:
            raise FormatError(
                f"{path}: format version {written} is newer than this hyperdive reads ({version})",
                hint="type: pip install -U hyperdive",
            )
        if written < version:
            again = f": {made_with}" if made_with else ""
            raise FormatError(
                f"{path}: made by an earlier version of hyperdive (format {written}, now {version})",
                hint=f"run the command that made it again{again}",
            )
        artifact = cls(path, header, verify=verify)
        artifact._check_sizes()
        return artifact

    def _check_sizes(self) -> None:
        files = self.header.get("files")
        if not isinstance(files, dict):
            raise FormatError(f"{self.path}: header lists no files", hint=_DAMAGED)
        for name, entry in files.items():
            if not isinstance(entry, dict) or not isinstance(entry.get("sha256"), str):
                raise FormatError(f"{self.path}: the header does not describe {name}", hint="create it again")
            parts = Path(name).parts
            if not parts or Path(name).is_absolute() or ".." in parts:
                raise FormatError(f"{self.path}: header names a file outside the folder ({name!r})")
            try:
                found = (self.path / name).stat()
            except (OSError, ValueError):
                raise FormatError(
                    f"{self.path}: {name} is missing", hint="the folder is incomplete; create it again"
                ) from None
            size = found.st_size
            if not stat.S_ISREG(found.st_mode):  # reading a pipe would wait for ever
                raise FormatError(f"{self.path}: {name} is not a file", hint=_DAMAGED)
            if size != entry.get("bytes"):
                raise FormatError(
                    f"{self.path}: {name} has {size} bytes, its header says {entry.get('bytes')}",
                    hint=_DAMAGED,
                )
            if "dtype" in entry:
                self._check_shape(name, entry)

    def _check_shape(self, name: str, entry: dict[str, Any]) -> None:
        try:
            dtype = np.dtype(entry["dtype"])
            shape = entry["shape"]
            valid = dtype.kind in "iuf" and len(shape) <= 4 and all(isinstance(n, int) and n >= 0 for n in shape)
        except (TypeError, KeyError, ValueError, SyntaxError):
            valid = False
        if not valid or math.prod(shape) * dtype.itemsize + _values_start(name, dtype, shape) != entry["bytes"]:
            raise FormatError(
                f"{self.path}: {name} does not have the shape its header says",
                hint=_DAMAGED,
            )

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the header, which holds the SHA-256 of every file: the identity of the artefact."""
        return str(self.header["fingerprint"])

    def __contains__(self, name: str) -> bool:
        return name in self.header["files"]

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, without reading it."""
        return tuple(self._entry(name, "dtype")["shape"])

    def _entry(self, name: str, *fields: str) -> dict[str, Any]:
        entry: dict[str, Any] | None = self.header["files"].get(name)
        if entry is None or any(field not in entry for field in fields):
            raise FormatError(f"{self.path}: {name} is missing", hint="the folder is incomplete; create it again")
        return entry

    def array(self, name: str, *types: str, ndim: int = 1) -> Array:
        """One file as a read-only memory map.

        Args:
            name: the file.
            types: the types of number it may have, such as `int64`; none named is any, and any number of dimensions.
            ndim: how many dimensions it has.
        """
        entry = self._entry(name, "dtype")
        shape, dtype = tuple(entry["shape"]), np.dtype(entry["dtype"])
        if types and (len(shape) != ndim or dtype not in [np.dtype(one).newbyteorder("<") for one in types]):
            raise FormatError(f"{self.path}: {name} holds {dtype} of the shape {list(shape)}", hint=_DAMAGED)
        file = self.file(name)
        if 0 in shape:  # nothing to map
            return np.zeros(shape, dtype=dtype)
        return np.memmap(file, dtype=dtype, mode="r", shape=shape, offset=_values_start(name, dtype, shape))

    def bytes(self, name: str) -> bytes:
        """One plain file, whole."""
        return self.file(name).read_bytes()

    def text(self, name: str) -> str:
        """A text file, whole."""
        try:
            return self.bytes(name).decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError(f"{self.path}: {name} is not UTF-8 text", hint=_DAMAGED) from None

    def lines(self, name: str) -> list[str]:
        """The lines of a text file."""
        return self.text(name).split("\n")[:-1]

    def file(self, name: str) -> Path:
        """Where a file is, to be read by its path: its checksum was compared."""
        self._entry(name)
        if not self.trusted and name not in self._verified:
            self.verify(name)
        return self.path / name

    def verify(self, *names: str) -> None:
        """Compare files (all when none is named) with the checksums of the header; raise on the first that differs."""
        for name in names or tuple(self.header["files"]):
            entry = self._entry(name)
            with (self.path / name).open("rb") as file:
                sha = hashlib.file_digest(file, hashlib.sha256)
            if sha.hexdigest() != entry["sha256"]:
                raise FormatError(
                    f"{self.path}: {name} does not match its checksum",
                    hint="the file was altered or the disk is failing; create it again",
                )
            self._verified.add(name)


@contextlib.contextmanager
def header_fields(path: Path) -> Iterator[None]:
    """Turn a field of a header that is missing or of another type into one clear line."""
    try:
        yield
    except Error:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise FormatError(f"{path}: {HEADER} is not what it should be ({error!r})", hint=_DAMAGED) from error


def is_ours(path: Path) -> bool:
    """Whether a folder claims to be an artefact, damaged or not."""
    file = path / HEADER
    try:
        if not file.is_file() or file.stat().st_size > MAX_HEADER_BYTES:
            return False
        header = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and str(header.get("format", "")).startswith("hyperdive-")


def is_artifact(path: Path) -> bool:
    """Whether a folder was made by hyperdive, by its header alone."""
    try:
        read_header(path)
    except FormatError:
        return False
    return True


def read_header(path: Path, expected: str = "", *, made_with: str = "") -> dict[str, Any]:
    """The header of an artefact folder, checked against its own fingerprint."""
    file = path / HEADER
    hint = f"make one with: {made_with}" if made_with else ""
    if not path.exists():
        repair(path)
    if not path.exists():
        raise FormatError(f"{path}: no such file or folder", hint=hint)
    if not file.is_file():
        raise FormatError(f"{path}: not a hyperdive folder (it has no {HEADER})", hint=hint)
    if file.stat().st_size > MAX_HEADER_BYTES:
        raise FormatError(f"{path}: {HEADER} is too large", hint=_DAMAGED)
    try:
        header = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not str(header.get("format", "")).startswith("hyperdive-"):
        raise FormatError(f"{path}: {HEADER} cannot be read", hint=_DAMAGED)
    if expected and header["format"] != expected:
        raise FormatError(f"{path}: this is a {header['format']}, not a {expected}", hint=hint)
    claimed = header.pop("fingerprint", None)
    try:
        actual = fingerprint(header)
    except (ValueError, RecursionError):  # NaN, half a pair of surrogates
        actual = ""
    if not actual or claimed != actual:
        raise FormatError(f"{path}: {HEADER} was altered", hint=_DAMAGED)
    header["fingerprint"] = claimed
    return header


def drop_files(folder: Path, header: dict[str, Any], names: Sequence[str], changes: dict[str, Any]) -> int:
    """Take files out of an artefact, also those that an interrupted call left, and return how many bytes that freed.

    The header is replaced first, by a rename: a kill at any moment leaves a folder that opens, and `left_files` tells
    what is still there.

    Args:
        folder: the artefact.
        header: its header.
        names: the files.
        changes: what the header says instead.
    """
    listed = [name for name in names if name in header["files"]]
    if listed:
        for name in listed:
            del header["files"][name]
        header.update(changes)
        header.pop("fingerprint")
        header["fingerprint"] = fingerprint(header)
        write_file(folder / HEADER, canonical_json(header))
    freed = 0
    for name in names:
        if os.path.lexists(folder / name):
            freed += (folder / name).lstat().st_size
            (folder / name).unlink()
    return freed


def left_files(folder: Path, names: Sequence[str]) -> list[str]:
    """Files of these names that are in a folder but not part of it: removing them was interrupted."""
    listed = read_header(folder)["files"]
    return [name for name in names if name not in listed and os.path.lexists(folder / name)]
