"""Input files: finding them, their order, and their decompressed bytes."""

from __future__ import annotations

import bz2
import glob
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hyperdive._engine import address_error
from hyperdive._progress import duration, human
from hyperdive._store import HEADER, is_artifact
from hyperdive.errors import InputError

STDIN = "-"
_SNIFF = 1 << 16
_COMPRESSION = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
_SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_COMPRESSED_SUFFIXES = tuple(_SUFFIXES)
_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
# Formats that are not text, by their first bytes, with a hint how to convert them.
_NOT_TEXT = (
    (b"%PDF", "a PDF file", "extract its text first, for example with pdftotext"),
    (b"PK\x03\x04", "a zip archive or office document", "unpack it or save it as plain text"),
    (b"\xd0\xcf\x11\xe0", "an old office document", "save it as plain text"),
    (b"\x89PNG", "an image", ""),
    (b"\xff\xd8\xff", "an image", ""),
    (b"GIF8", "an image", ""),
    (b"\x7fELF", "a program", ""),
    (b"\xff\xfe\0\0", "UTF-32 text", "convert it first: iconv -f UTF-32 -t UTF-8"),
    (b"\0\0\xfe\xff", "UTF-32 text", "convert it first: iconv -f UTF-32 -t UTF-8"),
    (b"\xff\xfe", "UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it first"),
    (b"Rar!", "a rar archive", "unpack it first"),
    (b"SQLite format", "an SQLite database", "export a table as CSV"),
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_TEXT_CONTROLS = frozenset(b"\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f\x85\x00")


@dataclass(frozen=True)
class TextSource:
    """One input file, or standard input."""

    path: str
    format: str = "text"
    size: int | None = None
    start: int = 0
    """Where a part of an uncompressed file begins; its lines are read from here on."""
    end: int | None = None
    """Where the part ends; None is the end of the file."""
    modified: int | None = None
    """When a file was changed that is not in the file system."""

    @property
    def name(self) -> str:
        """The file's name without folders and without a compression suffix."""
        if self.path == STDIN:
            return "stdin"
        name = os.fsencode(Path(self.path).name).decode("utf-8", errors="replace")
        for suffix in _COMPRESSED_SUFFIXES:
            name = name.removesuffix(suffix)
        return name


@dataclass(frozen=True)
class DocumentSource(TextSource):
    """Raw documents that come one by one from a program; they are read once and never held together."""

    documents: Iterable[str] = ()


@dataclass(frozen=True)
class TextFiles:
    """Files that were found and checked already, and why others were skipped."""

    sources: tuple[TextSource, ...]
    skipped: tuple[tuple[str, str], ...] = ()

    @classmethod
    def find(cls, inputs: Sequence[str | Path]) -> TextFiles:
        """The files behind paths, folders and globs.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.txt").write_text("A poodle."), (folder / "b.pdf").write_bytes(b"%PDF")
        >>> files = TextFiles.find([folder])
        >>> [source.name for source in files.sources], files.skipped[0][1]
        (['a.txt'], 'this is a PDF file, not text')
        """
        skipped: list[tuple[str, str]] = []
        sources = find_sources(inputs, lambda path, reason: skipped.append((path, reason)))
        return cls(tuple(sources), tuple(skipped))


def is_address(path: str | Path) -> bool:
    """Whether this is an address of some storage and no path.

    >>> [is_address(name) for name in ("s3a://bucket/text", "file:/data", "C:/data", "notes/a.txt", "what: a title")]
    [True, True, False, False, False]
    """
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def compression_by_name(path: str) -> str:
    """How a file is compressed, where only its name is known.

    >>> compression_by_name("s3a://bucket/a.txt.gz"), compression_by_name("s3a://bucket/a.txt")
    ('gzip', '')
    """
    return _SUFFIXES.get(Path(path).suffix, "")


def stored_source(address: str, size: int, modified: int) -> TextSource:
    """A file of some storage."""
    return TextSource(address, _format_of(address), size, modified=modified)


def _format_of(path: str) -> str:
    name = path.lower()
    for suffix in _COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return _FORMATS.get(Path(name).suffix, "text")


def find_sources(inputs: Sequence[str | Path], skipped: Callable[[str, str], None]) -> list[TextSource]:
    """The files behind paths, folders and globs, in the order given; in a folder by relative path, not hidden.

    Args:
        inputs: files, folders, globs, or `-` for standard input. A file that is named itself must be readable text.
        skipped: called with path and reason for each file in a folder that is empty or not text.
    """
    sources: list[TextSource] = []
    for path_or_glob in inputs:
        name = os.fspath(path_or_glob)
        if not name:
            raise InputError("an empty name is not an input", hint="is a variable of your shell unset?")
        if name == STDIN:
            sources.append(TextSource(STDIN))
            continue
        path = Path(name)
        if is_address(name) and not path.exists():
            raise address_error(name)
        if path.is_dir():
            sources.extend(_in_folder(path, skipped))
        elif path.exists():
            sources.append(_named(path))
        elif matches := sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []:  # noqa: PTH207
            files = [Path(match) for match in matches if Path(match).is_file()]
            if not files:
                raise InputError(f"{name}: matches no file")
            sources.extend(_named(file) for file in files)
        elif glob.has_magic(name):
            raise InputError(f"{name}: matches no file", hint="check the pattern, and quote it for the shell")
        else:
            raise InputError(f"{name}: no such file or folder", hint="check the path, or use - for standard input")
    if not sources:
        raise InputError("no input", hint="name files or folders, or - for standard input")
    return sources


def _named(path: Path) -> TextSource:
    source = TextSource(str(path), _format_of(path.name), path.stat().st_size)
    if path.is_fifo() or not path.is_file():
        return TextSource(str(path), source.format, None)
    reason = what_is_wrong(source)
    if reason:
        raise InputError(f"{path}: {reason[0]}", hint=reason[1])
    return source


def _in_folder(folder: Path, skipped: Callable[[str, str], None]) -> list[TextSource]:
    files_by_name: list[tuple[str, Path]] = []

    def unreadable(error: OSError) -> None:
        skipped(str(error.filename), error.strerror or "cannot be read")

    for base, folders, files in os.walk(folder, onerror=unreadable):
        for name in list(folders):
            if (Path(base) / name / HEADER).is_file() and is_artifact(Path(base) / name):
                skipped(str(Path(base) / name), "made by hyperdive, not text")
                folders.remove(name)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:
            if (Path(base) / name).is_symlink():
                skipped(str(Path(base) / name), "a link to a folder, which is not followed; name it to read it")
        for name in files:
            if not name.startswith("."):
                path = Path(base) / name
                files_by_name.append((path.relative_to(folder).as_posix(), path))
    sources = []
    for _, path in sorted(files_by_name):
        try:
            source = TextSource(str(path), _format_of(path.name), path.stat().st_size)
            reason = what_is_wrong(source) if path.is_file() else ("a pipe or device, not a file", "")
        except InputError as error:
            reason = (error.what, "")
        except OSError as error:
            reason = (error.strerror or "cannot be read", "")
        if reason:
            skipped(str(path), reason[0])
        else:
            sources.append(source)
    if not sources:
        raise InputError(f"{folder}: no readable text file in this folder", hint="hidden and binary files are skipped")
    return sources


def what_is_wrong(source: TextSource) -> tuple[str, str] | None:
    """Why a file cannot be read as text, and a hint; None when it can."""
    if source.size == 0:
        return "the file is empty", ""
    if source.format == "parquet":
        return None
    with open_source(source) as stream:
        head = stream.read(_SNIFF)
    if not head:
        return "the file is empty", ""
    return not_text(head)


def not_text(head: bytes) -> tuple[str, str] | None:
    """What the first bytes of a file are instead of text, and a hint; None when they are text."""
    for magic, kind, hint in _NOT_TEXT:
        if head.startswith(magic):
            return f"this is {kind}, not text", hint
    if not head:
        return None
    strange = sum(1 for byte in head if byte < 32 and byte not in _TEXT_CONTROLS)
    strange += max(0, head.count(0) - len(head) // 100)
    if strange * 50 > len(head):
        return "this is a binary file, not text", "give plain text, or a folder: binary files there are skipped"
    return None


class ByteStream:
    """Decompressed bytes of a source, with errors that name it, and how far the file itself has been read."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self._done = 0
        self._left = sys.maxsize if source.end is None else source.end - source.start
        try:
            self._raw: IO[bytes] = _standard_input() if source.path == STDIN else Path(source.path).open("rb")  # noqa: SIM115
            self.head = self._raw.peek(_SNIFF)[:_SNIFF]  # type: ignore[attr-defined]
        except OSError as error:
            raise InputError(f"{source.path}: {error.strerror}", hint="check the permissions") from error
        self.compression = next((name for magic, name in _COMPRESSION if self.head.startswith(magic)), "")
        self._stream: Any = self._raw
        if source.start:
            self._raw.seek(source.start)
        if self.compression == "gzip":
            self._stream = gzip.GzipFile(fileobj=self._raw)
        elif self.compression == "bzip2":
            self._stream = bz2.BZ2File(self._raw)
        elif self.compression == "xz":
            self._stream = lzma.LZMAFile(self._raw)  # noqa: SIM115
        elif self.compression == "zstd":
            import pyarrow as pa

            self._stream = pa.CompressedInputStream(pa.PythonFile(self._raw, mode="r"), "zstd")

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        parts = []
        wanted = min(size, self._left)
        try:
            while wanted > 0:
                part = self._stream.read(wanted)
                if not part:
                    break
                parts.append(part)
                wanted -= len(part)
        except (EOFError, zlib.error, lzma.LZMAError, OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno and not self.compression:
                raise InputError(f"{self.source.path}: cannot be read ({error.strerror})") from error
            raise InputError(
                f"{self.source.path}: truncated or damaged {self.compression} data after {self._done} bytes of text",
                hint="fetch or compress the file again",
            ) from error
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        self._done += len(data)
        self._left -= len(data)
        return data

    def position(self) -> int:
        """How many bytes of the (compressed) file have been consumed."""
        try:
            return self._raw.tell()
        except (OSError, ValueError):
            return self._done

    def __enter__(self) -> ByteStream:
        return self

    def __exit__(self, *_: object) -> None:
        if self.source.path != STDIN:
            self._raw.close()

    def chunks(self, size: int) -> Iterator[bytes]:
        """All the bytes in pieces of `size`."""
        while chunk := self.read(size):
            yield chunk


def _standard_input() -> IO[bytes]:
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("there is no standard input here", hint="name a file instead of -")
    return sys.stdin.buffer


def open_source(source: TextSource) -> ByteStream:
    """Open a source for reading, decompressing by its content, not by its name.

    Data from a pipe is checked here, since it cannot be read twice.
    """
    stream = ByteStream(source)
    reason = not_text(stream.head) if source.size is None and not stream.compression else None
    if reason:
        raise InputError(f"{source.path}: {reason[0]}", hint=reason[1])
    return stream


_UNPACKED = {"": 1.0, "gzip": 3.0, "bzip2": 3.6, "xz": 3.7, "zstd": 3.2}
_LONG = 20_000_000


def text_bytes(sources: Sequence[TextSource]) -> int | None:
    """Return the size of the text, estimated where it is compressed; None where a size is unknown (standard input)."""
    sizes = []
    for source in sources:
        if source.size is None:
            return None
        if source.size == 0 or is_address(source.path):
            sizes.append(source.size * _UNPACKED[compression_by_name(source.path)])
            continue
        with open_source(source) as stream:
            sizes.append(source.size * _UNPACKED[stream.compression])
    return int(sum(sizes))


def estimate(sources: Sequence[TextSource], threads: int, *, tagged: bool = False, kept: bool = False) -> str:
    """Return one line on what reading a large text takes, by rates of two cores of 2024; nothing for a small one.

    Words of a tagger are slower, and parts that are kept until the end take disk.

    >>> estimate([TextSource("notes.txt", "text", 0)], 2)
    ''
    """
    size = text_bytes(sources) or 0
    if size < _LONG:
        return ""
    disk = (4 if kept else 1.4) * size
    seconds = 3 + size / (threads * (0.9e6 if tagged else 5e6))
    return f"reading {human(size, 'B')} of text: about {duration(seconds)}, {human(disk, 'B')} of disk"
