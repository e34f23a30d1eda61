"""Counting in parts: tasks count ranges of tokens, an exchange adds up the rows of every shard.

A task counts its range into the shards of the whole store, so a row is an array from the start; pieces of a shard are
added up as they come, two at a time. Sums of whole numbers are the same in any order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._atomic import write_file
from hyperdive._engine import Engine, Facts
from hyperdive._resume import run_identity
from hyperdive.counts.inverted_index import TokenRange, cut, load, shard_rows
from hyperdive.counts.shard_layout import Shard, ShardLayout
from hyperdive.counts.shards import Buffers, Piece, RowArrays, RowBlock, write_piece
from hyperdive.counts.store_writer import FINAL, StoreJob, piece_name
from hyperdive.errors import OutputError
from hyperdive.kernels import counts as kernels
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus

MOST_TOKENS = 1 << 26
"""A task counts so many tokens at most: 10 bytes each, beside the rows of its largest shard."""


def count_parts(
    job: StoreJob, corpora: Sequence[Corpus], tables: Sequence[Any], engine: Engine, block_tokens: int | None = None
) -> None:
    """Count the corpora into the final shards by tasks of an engine; shards that an earlier run finished stay.

    Args:
        job: the store in the making.
        corpora: the corpora.
        tables: the number of each word in the united vocabulary.
        engine: where tasks run.
        block_tokens: how many tokens a task counts; the result has the same bytes either way.
    """
    for shard in job.layout.shards:
        told = _told(job.work.folder, shard)
        if job.needs(FINAL, shard) and told.is_file():
            job.work.adopt(Piece(**json.loads(told.read_text(encoding="utf-8"))))
    missing = [shard.number for shard in job.layout.shards if job.needs(FINAL, shard)]
    if not missing:
        return
    _ = [corpus.tokens for corpus in corpora]  # checked as a whole, once; tasks read their ranges
    sizes = [len(corpus) for corpus in corpora]
    blocks = cut(sizes, block_tokens or min(MOST_TOKENS, -(-sum(sizes) // engine.slots)))
    rows = RowCounter(tuple(str(corpus.path.absolute()) for corpus in corpora), tuple(tables), job.layout, job.options)
    folder = job.work.folder.absolute()
    with job.progress.stage("counting", total=len(missing), unit="shards") as bar:
        for facts in engine.exchange(
            job.work.folder,
            _RowPieces(rows, tuple(missing)),
            blocks,
            RowSummation(folder, run_identity(folder), job.layout.shards, job.options.near),
            missing,
        ):
            job.work.adopt(Piece(**facts))
            bar.advance(1)


def _told(folder: Path, shard: Shard) -> Path:
    """Where a task tells what is to be known of a finished piece."""
    return folder / f"{piece_name(FINAL, shard)}.json"


@dataclass(frozen=True, eq=False)
class RowCounter:
    """Counts ranges of tokens of some corpora."""

    corpora: tuple[str, ...]
    tables: tuple[Any, ...]
    layout: ShardLayout
    options: CountOptions

    def rows(self, pieces: Sequence[TokenRange], shards: Iterable[int]) -> Iterator[tuple[Shard, RowArrays]]:
        """The rows of each shard; they are overwritten by those of the next."""
        corpora = [Corpus.open(path, verify=False) for path in self.corpora]  # the run has checked them
        block = load(corpora, self.tables, pieces, self.layout.types, self.options, 1)
        buffers = Buffers(self.layout, with_edges=self.options.near)
        for number in shards:
            shard = self.layout.shards[number]
            yield shard, shard_rows(block, shard, self.layout, self.options, buffers)


@dataclass(frozen=True, eq=False)
class _RowPieces:
    """From ranges of tokens to a piece for every shard: what `exchange` emits."""

    counter: RowCounter
    shards: tuple[int, ...]

    def __call__(self, pieces: Sequence[TokenRange]) -> Iterator[tuple[int, memoryview]]:
        packer = RowPacker()
        for shard, rows in self.counter.rows(pieces, self.shards):
            yield shard.number, packer.packed(rows)


class RowPacker:
    """Packs rows into bytes: one to three for most entries, where arrays have six or more.

    >>> rows = RowArrays(np.array([2]), np.array([4, 7], np.uint32), np.array([1, 3], "<u1"), np.zeros(0, "<u1"))
    >>> len(RowPacker().packed(rows))
    8
    """

    def __init__(self) -> None:
        self._data = np.empty(0, dtype=np.uint8)

    def packed(self, rows: RowArrays) -> memoryview:
        """The lengths of the rows and their entries; overwritten by those of the next call."""
        number = -(-8 * rows.counts.dtype.itemsize // 7)  # bytes of the largest count
        lengths = rows.lengths.astype("<u4").view(np.uint8)
        most = len(lengths) + len(rows.indices) * (6 + 2 * number) + 1
        if most > len(self._data):  # memory comes with the first use of a page, so the same pages are used again
            self._data = np.empty(most, dtype=np.uint8)
        self._data[: len(lengths)] = lengths
        used = kernels.pack_rows(*rows, self._data[len(lengths) :])
        return self._data[: len(lengths) + used].data


@dataclass(frozen=True, eq=False)
class RowSummation:
    """Adds up the pieces of a shard and writes it: what `exchange` gathers with."""

    folder: Path
    run: str
    shards: tuple[Shard, ...]
    near: bool

    _rooms: list[_Room] = field(default_factory=list, init=False, repr=False)

    def __call__(self, number: int, pieces: Iterator[bytes]) -> Facts:
        shard = self.shards[number]
        if not self._rooms:  # for all shards that this process adds up
            self._rooms.extend(_Room(self.shards, with_edges=self.near) for _ in range(2))
        total = self._rooms[0].nothing(shard)
        for step, piece in enumerate(pieces, start=1):
            total = self._rooms[step % 2].sum(total, piece, shard)
        rows = RowArrays(np.diff(total.pointers), total.indices, total.counts, total.edges)
        if run_identity(self.folder) != self.run:  # a task may outlive its run, and another have the folder
            raise OutputError(f"{self.folder}: the run of this task is over")
        facts = asdict(write_piece(self.folder, piece_name(FINAL, shard), rows))
        write_file(_told(self.folder, shard), json.dumps(facts), parents=False)
        return facts


class _Room:
    """Arrays that a sum of rows of any of some shards is written to."""

    def __init__(self, shards: Sequence[Shard], *, with_edges: bool) -> None:
        most = max(shard.bound for shard in shards) + 1
        size = max((shard.bound + 1) * shard.dtype.itemsize for shard in shards)
        self._indices = np.empty(most, dtype=np.uint32)
        self._counts = np.empty(-(-size // 8), dtype=np.uint64)
        self._edges = np.empty(-(-size // 8) if with_edges else 0, dtype=np.uint64)

    def nothing(self, shard: Shard) -> RowBlock:
        """Rows without entries."""
        counts = self._counts[:0].view(shard.dtype)
        return RowBlock(np.zeros(shard.last - shard.first + 1, dtype=np.int64), self._indices[:0], counts, counts)

    def sum(self, rows: RowBlock, piece: bytes, shard: Shard) -> RowBlock:
        """Rows and packed rows, added up."""
        many = shard.last - shard.first
        pointers = np.empty(many + 1, dtype=np.int64)
        counts, edges = self._counts.view(shard.dtype), self._edges.view(shard.dtype)
        lengths = np.frombuffer(piece, dtype="<u4", count=many)
        data = np.frombuffer(piece, dtype=np.uint8, offset=4 * many)
        n = kernels.add_packed_rows(
            rows.pointers, rows.indices, rows.counts, rows.edges, lengths, data, pointers, self._indices, counts, edges
        )
        return RowBlock(pointers, self._indices[:n], counts[:n], edges[:n])
