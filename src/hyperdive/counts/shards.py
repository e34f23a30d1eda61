"""Sparse row blocks as files, and the work folder in which a run that was stopped finds its finished ones again.

A piece is one file: `indices` (uint32), `counts` and, when kept, `edges` (the shard's number type), each padded to
eight bytes. In the work folder `.NAME.work` next to the output every finished piece has a line in `journal.jsonl` with
its size and SHA-256, and its row lengths in a file of their own.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._atomic import explain_os_errors, unfinished_file
from hyperdive._resources import Run
from hyperdive._resume import WorkFolder
from hyperdive._store import fingerprint
from hyperdive._types import Array
from hyperdive.counts.shard_layout import Shard, ShardLayout
from hyperdive.errors import DiskFullError, FormatError


@dataclass(frozen=True)
class Piece:
    """What is known of a finished piece."""

    name: str
    entries: int
    bytes: int
    sha256: str
    rows_sha256: str


@dataclass(frozen=True)
class RowBlock:
    """A sparse row block: row r is indices[pointers[r]:pointers[r + 1]]."""

    pointers: npt.NDArray[np.int64]
    indices: Array
    counts: Array
    edges: Array


def pointers_of(lengths: Array) -> npt.NDArray[np.int64]:
    """Where each row starts, in 64 bits, whatever the type of the lengths.

    >>> pointers_of(np.array([2**31, 2**31], dtype=np.uint32)).tolist()
    [0, 2147483648, 4294967296]
    """
    pointers = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, dtype=np.int64, out=pointers[1:])
    return pointers


def map_piece(path: Path, shard: Shard, entries: int, *, with_edges: bool) -> tuple[Array, Array, Array]:
    """The arrays of a piece as read-only memory maps."""
    if path.stat().st_size != shard.bytes(entries, with_edges=with_edges):
        raise FormatError(f"{path}: the size does not fit its {entries} entries", hint="create it again")
    if entries == 0:
        nothing = np.zeros(0, dtype=shard.dtype)
        return np.zeros(0, dtype=np.uint32), nothing, nothing
    whole: Array = np.memmap(path, dtype=np.uint8, mode="r")
    indices = whole[: 4 * entries].view("<u4")
    size = shard.dtype.itemsize * entries
    at = -(-4 * entries // 8) * 8
    counts = whole[at : at + size].view(shard.dtype)
    at += -(-size // 8) * 8
    edges = whole[at : at + size].view(shard.dtype) if with_edges else counts[:0]
    return indices, counts, edges


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, hashlib.sha256).hexdigest()


class RowArrays(NamedTuple):
    """The rows of a piece: the length of each, and the arrays of all one after the other; `edges` may be empty."""

    lengths: Array
    indices: Array
    counts: Array
    edges: Array


def write_piece(folder: Path, name: str, rows: RowArrays) -> Piece:
    """Write the two files of a piece, each whole or not at all; any process may do it."""
    (folder / name).parent.mkdir(exist_ok=True)
    sections = [rows.indices, rows.counts, rows.edges] if len(rows.edges) else [rows.indices, rows.counts]
    size, sha = _write_sections(folder / name, sections)
    _, rows_sha = _write_sections(rows_path(folder, name), [rows.lengths.astype("<u4")])
    return Piece(name, len(rows.indices), size, sha, rows_sha)


def _write_sections(path: Path, sections: list[Array]) -> tuple[int, str]:
    sha = hashlib.sha256()
    size = 0
    with unfinished_file(path) as unfinished, unfinished.open("wb") as file:
        for section in sections:
            # unsigned little-endian throughout
            little = np.ascontiguousarray(section, dtype=section.dtype.newbyteorder("<"))
            for data in (little.view(np.uint8).data, bytes(-little.nbytes % 8)):
                file.write(data)
                sha.update(data)
                size += len(data)
    return size, sha.hexdigest()


def rows_path(folder: Path, name: str) -> Path:
    """The file with the row lengths of a piece."""
    return folder / f"{name}.rows"


def work_of(output: Path) -> Path:
    """The work folder of a count."""
    return output.parent / f".{output.name}.work"


class PieceFolder(WorkFolder):
    """The work folder of a count: the same command continues from its finished pieces."""

    def __init__(self, output: Path, plan: dict[str, Any], run: Run = Run()) -> None:
        super().__init__(work_of(output), output, fingerprint(plan), run)
        self._sync, self._writing = run.sync, threading.Lock()
        self._pieces: dict[str, Piece] = {}
        self._settled: set[str] = set()
        with explain_os_errors(output):
            self._read_journal()
            # append on a line of its own even after a line that was cut off
            self._journal = (self.folder / "journal.jsonl").open("a", encoding="utf-8")
            if self._journal.tell():
                self._journal.write("\n")
        self.resumed = len(self._pieces)

    def _read_journal(self) -> None:
        journal = self.folder / "journal.jsonl"
        lines = journal.read_text(encoding="utf-8", errors="replace").splitlines() if journal.is_file() else []
        for line in lines:
            try:
                piece = Piece(**json.loads(line))
                path = self.folder / piece.name
                good = path.stat().st_size == piece.bytes and checksum(path) == piece.sha256
                good = good and checksum(rows_path(self.folder, piece.name)) == piece.rows_sha256
            except (OSError, ValueError, TypeError):  # a line cut off, or a file that a later step has used up
                continue
            if good:
                self._pieces[piece.name] = piece

    def finished(self, name: str) -> Piece | None:
        """What is known of a piece that is complete, or None."""
        return self._pieces.get(name)

    def write(self, name: str, lengths: Array, indices: Array, counts: Array, edges: Array) -> Piece:
        """Write a piece whole or not at all, and note it in the journal."""
        with explain_work_errors(self.output, self.folder):
            piece = write_piece(self.folder, name, RowArrays(lengths, indices, counts, edges))
            self.adopt(piece)
        return piece

    def adopt(self, piece: Piece) -> None:
        """Note in the journal a piece that lies in the folder already."""
        with self._writing:
            self._journal.write(json.dumps(asdict(piece)) + "\n")
            self._journal.flush()
            self._pieces[piece.name] = piece
            self._settled.discard(piece.name)

    def lengths(self, piece: Piece) -> npt.NDArray[np.uint32]:
        """The number of entries of each row of a piece."""
        # the caller knows the number of rows: there may be padding at the end
        return np.fromfile(rows_path(self.folder, piece.name), dtype="<u4")

    def rows(self, piece: Piece, shard: Shard, *, with_edges: bool) -> RowBlock:
        """A finished piece, mapped."""
        pointers = pointers_of(self.lengths(piece)[: shard.last - shard.first])
        if int(pointers[-1]) != piece.entries:
            raise FormatError(f"{self.folder / piece.name}: row lengths do not add up", hint="run the command again")
        return RowBlock(pointers, *map_piece(self.folder / piece.name, shard, piece.entries, with_edges=with_edges))

    def drop(self, name: str) -> None:
        """Delete a piece that has been used up."""
        with self._writing:
            self._pieces.pop(name, None)
        for path in (self.folder / name, rows_path(self.folder, name)):
            path.unlink(missing_ok=True)

    def settle(self, piece: Piece) -> None:
        """Wait until a finished piece is on the disk, unless it is; a resumed run trusts checksums only."""
        if self._sync and piece.name not in self._settled:
            with explain_work_errors(self.output, self.folder), (self.folder / piece.name).open("rb+") as file:
                os.fsync(file.fileno())
            self._settled.add(piece.name)

    def move(self, piece: Piece, place: Path) -> None:
        """Take a finished piece out of the work folder."""
        place.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / piece.name).replace(place)

    def remove(self) -> None:
        """The run is complete, or cannot be resumed: the folder goes."""
        self._journal.close()
        super().remove()

    def release(self) -> None:
        """Stop here and leave the folder for the next run; an empty one is not left."""
        self._journal.close()
        if self._pieces:
            super().release()
        else:
            super().remove()


@contextlib.contextmanager
def explain_work_errors(output: Path, folder: Path) -> Iterator[None]:
    """A full disk while counting: finished pieces stay, and the line says so."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"{output}: the disk is full",
                hint=f"free some space and type the same command to go on, or delete {folder} to give up",
            ) from error
        raise


class Buffers:
    """The arrays one thread writes rows into; pages are touched only as far as rows need them."""

    def __init__(self, layout: ShardLayout, *, with_edges: bool) -> None:
        self._types, self._with_edges = layout.types, with_edges
        self.bits = np.zeros(layout.types // 64 + 1, dtype=np.uint64)
        self.summary = np.zeros(layout.types // 4096 + 1, dtype=np.uint64)
        self.indices = np.empty(layout.largest + 1, dtype=np.uint32)
        self._counts = np.empty((layout.largest + 1) * layout.widest, dtype=np.uint8)
        self._edges = np.empty((layout.largest + 1) * layout.widest if with_edges else 0, dtype=np.uint8)
        self._scratch: dict[Any, tuple[Array, Array]] = {}

    def counts(self, dtype: np.dtype[Any]) -> Array:
        """Room for the counts of any shard."""
        return self._counts[: len(self._counts) // dtype.itemsize * dtype.itemsize].view(dtype)

    def edges(self, dtype: np.dtype[Any]) -> Array:
        """Room for the edges of any shard, or an empty array."""
        return self._edges[: len(self._edges) // dtype.itemsize * dtype.itemsize].view(dtype)

    def scratch(self, dtype: np.dtype[Any]) -> tuple[Array, Array]:
        """Dense rows of zeros for counts and edges."""
        if dtype not in self._scratch:
            self._scratch[dtype] = (
                np.zeros(self._types, dtype=dtype),
                np.zeros(self._types if self._with_edges else 0, dtype=dtype),
            )
        return self._scratch[dtype]
