"""Sparse row blocks as files, and the work folder in which a run that was stopped finds its finished ones again.

A piece is one file: `indices` (uint32), `counts` and, when kept, `edges` (the shard's number type), each padded to
eight bytes. In the work folder `.NAME.work` beside the output every finished piece has a line in `journal.jsonl` with
its size and SHA-256, and its row lengths in a file of their own. `plan.json` ties the folder to its input and
parameters: the same command goes on where it stopped, any other starts anew.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._store import canonical_json, explain_os_errors, fingerprint, is_running
from hyperdive.counts.shard_layout import Layout, Shard
from hyperdive.errors import FormatError, OutputError

Array = npt.NDArray[Any]
_CHUNK = 8 << 20


@dataclass(frozen=True)
class Entry:
    """What is known of a finished piece."""

    name: str
    entries: int
    bytes: int
    sha256: str
    rows_sha256: str


@dataclass(frozen=True)
class Rows:
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
        raise FormatError(f"{path}: the size does not fit its {entries} entries", hint="make it anew")
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
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            sha.update(chunk)
    return sha.hexdigest()


class Work:
    """The work folder of one run."""

    def __init__(self, output: Path, plan: dict[str, Any], *, sync: bool = True) -> None:
        self.output, self.folder, self._sync = output, output.parent / f".{output.name}.work", sync
        self._lock = threading.Lock()
        self._entries: dict[str, Entry] = {}
        self.resumed = 0
        with explain_os_errors(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            self._open(fingerprint(plan))

    def _open(self, identity: str) -> None:
        owner, plan = self.folder / "owner", self.folder / "plan.json"
        if self.folder.exists():
            pid = owner.read_text() if owner.is_file() else ""
            if pid.isdigit() and int(pid) != os.getpid() and is_running(int(pid)):
                raise OutputError(
                    f"{self.output}: another run (process {pid}) is making it", hint="wait for it or choose another -o"
                )
            try:
                known = json.loads(plan.read_text(encoding="utf-8"))["fingerprint"]
            except (OSError, ValueError, KeyError, TypeError):
                known = None
            if known != identity:
                shutil.rmtree(self.folder)
        self.folder.mkdir(exist_ok=True)
        owner.write_text(str(os.getpid()))
        if plan.is_file():
            self._read_journal()
        else:
            plan.write_text(canonical_json({"fingerprint": identity}), encoding="utf-8")
        # append on a line of its own even after a line that was cut off
        self._journal = (self.folder / "journal.jsonl").open("a", encoding="utf-8")
        if self._journal.tell():
            self._journal.write("\n")

    def _read_journal(self) -> None:
        journal = self.folder / "journal.jsonl"
        lines = journal.read_text(encoding="utf-8", errors="replace").splitlines() if journal.is_file() else []
        for line in lines:
            try:
                entry = Entry(**json.loads(line))
                path = self.folder / entry.name
                good = path.stat().st_size == entry.bytes and checksum(path) == entry.sha256
                good = good and checksum(self._rows_path(entry.name)) == entry.rows_sha256
            except (OSError, ValueError, TypeError):  # a line cut off, or a file that a later step has used up
                continue
            if good:
                self._entries[entry.name] = entry
        self.resumed = len(self._entries)

    def _rows_path(self, name: str) -> Path:
        return self.folder / f"{name}.rows"

    def finished(self, name: str) -> Entry | None:
        """The entry of a piece that is complete, or None."""
        return self._entries.get(name)

    def write(self, name: str, lengths: Array, indices: Array, counts: Array, edges: Array) -> Entry:
        """Write a piece whole or not at all, and note it in the journal."""
        path, rows = self.folder / name, self._rows_path(name)
        with explain_work_errors(self.output, self.folder):
            path.parent.mkdir(exist_ok=True)
            sections = [indices, counts, edges] if len(edges) else [indices, counts]
            size, sha = self._write_file(path, sections)
            _, rows_sha = self._write_file(rows, [lengths.astype("<u4")])
            entry = Entry(name, len(indices), size, sha, rows_sha)
            with self._lock:
                self._journal.write(json.dumps(asdict(entry)) + "\n")
                self._journal.flush()
                self._entries[name] = entry
        return entry

    def _write_file(self, path: Path, sections: list[Array]) -> tuple[int, str]:
        sha = hashlib.sha256()
        size = 0
        temporary = path.with_name(path.name + ".new")
        try:
            with temporary.open("wb") as file:
                for section in sections:
                    # unsigned little-endian throughout
                    little = np.ascontiguousarray(section, dtype=section.dtype.newbyteorder("<"))
                    for data in (little.view(np.uint8).data, bytes(-little.nbytes % 8)):
                        file.write(data)
                        sha.update(data)
                        size += len(data)
            temporary.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        return size, sha.hexdigest()

    def lengths(self, entry: Entry) -> npt.NDArray[np.uint32]:
        """The number of entries of each row of a piece."""
        # the caller knows the number of rows: there may be padding at the end
        return np.fromfile(self._rows_path(entry.name), dtype="<u4")

    def rows(self, entry: Entry, shard: Shard, *, with_edges: bool) -> Rows:
        """A finished piece, mapped."""
        pointers = pointers_of(self.lengths(entry)[: shard.last - shard.first])
        if int(pointers[-1]) != entry.entries:
            raise FormatError(f"{self.folder / entry.name}: row lengths do not add up", hint="run the command again")
        return Rows(pointers, *map_piece(self.folder / entry.name, shard, entry.entries, with_edges=with_edges))

    def drop(self, name: str) -> None:
        """Delete a piece that has been used up."""
        with self._lock:
            self._entries.pop(name, None)
        for path in (self.folder / name, self._rows_path(name)):
            path.unlink(missing_ok=True)

    def settle(self, entry: Entry) -> None:
        """Wait until a finished piece is on the disk. Earlier is no use: a resumed run trusts checksums only."""
        if self._sync:
            with explain_work_errors(self.output, self.folder), (self.folder / entry.name).open("rb+") as file:
                os.fsync(file.fileno())

    def move(self, entry: Entry, place: Path) -> None:
        """Take a finished piece out of the work folder."""
        place.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / entry.name).replace(place)

    def remove(self) -> None:
        """The run is complete, or cannot be resumed: the folder goes."""
        self._journal.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Stop here and leave the folder for the next run; an empty one is not left."""
        self._journal.close()
        (self.folder / "owner").unlink(missing_ok=True)
        if not self._entries:
            shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def explain_work_errors(output: Path, folder: Path) -> Iterator[None]:
    """A full disk while counting: finished pieces stay, and the line says so."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(
                f"{output}: the disk is full",
                hint=f"free some space and run the same command to go on, or delete {folder} to give up",
            ) from error
        raise


class Buffers:
    """The arrays one thread writes rows into; pages are touched only as far as rows need them."""

    def __init__(self, layout: Layout, *, with_edges: bool) -> None:
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
