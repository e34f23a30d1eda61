"""Counting in parts: tasks count ranges of tokens, an exchange adds up the rows of every shard.

A task counts its range into the shards of the whole store, so a row is an array from the start; pieces of a shard are
added up as they come, two at a time. Sums of whole numbers are the same in any order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._atomic import write_file
from hyperdive._engine import Engine, Facts
from hyperdive._resume import run_identity
from hyperdive.counts import _packing_kernels
from hyperdive.counts.inverted_index import TokenRange, cut, load, shard_rows
from hyperdive.counts.options import CountOptions
from hyperdive.counts.shard_layout import Shard, ShardLayout
from hyperdive.counts.shards import Buffers, Piece, RowArrays, RowBlock, write_piece
from hyperdive.counts.store_writer import FINAL, StoreJob, piece_name
from hyperdive.errors import OutputError
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

    def __call__(self, pieces: Sequence[TokenRange]) -> Iterator[tuple[int, bytes]]:
        for shard, rows in self.counter.rows(pieces, self.shards):
            yield shard.number, packed_rows(rows)


def packed_rows(rows: RowArrays) -> bytes:
    """Rows as bytes: two or three for most entries, where arrays have six or more.

    >>> rows = RowArrays(np.array([2]), np.array([4, 7], np.uint32), np.array([1, 3], "<u1"), np.zeros(0, "<u1"))
    >>> len(packed_rows(rows))
    8
    """
    number = -(-8 * rows.counts.dtype.itemsize // 7)  # bytes of the largest count
    data = np.empty(len(rows.indices) * (6 + 2 * number), dtype=np.uint8)
    used = _packing_kernels.pack_rows(*rows, data)
    return b"".join([rows.lengths.astype("<u4").data, data[:used].data])


@dataclass(frozen=True, eq=False)
class RowSummation:
    """Adds up the pieces of a shard and writes it: what `exchange` gathers with."""

    folder: Path
    run: str
    shards: tuple[Shard, ...]
    near: bool

    def __call__(self, number: int, pieces: Iterator[bytes]) -> Facts:
        shard, near = self.shards[number], self.near
        outs = [_Room(shard, with_edges=near), _Room(shard, with_edges=near)]
        total = outs[0].nothing()
        for step, piece in enumerate(pieces, start=1):
            total = outs[step % 2].sum(total, piece)
        rows = RowArrays(np.diff(total.pointers), total.indices, total.counts, total.edges)
        if run_identity(self.folder) != self.run:  # a task may outlive its run, and another have the folder
            raise OutputError(f"{self.folder}: the run of this task is over")
        facts = asdict(write_piece(self.folder, piece_name(FINAL, shard), rows))
        write_file(_told(self.folder, shard), json.dumps(facts), parents=False)
        return facts


class _Room:
    """Arrays that a sum of rows of a shard is written to."""

    def __init__(self, shard: Shard, *, with_edges: bool) -> None:
        self._pointers = np.zeros(shard.last - shard.first + 1, dtype=np.int64)
        self._indices = np.empty(shard.bound + 1, dtype=np.uint32)
        self._counts = np.empty(shard.bound + 1, dtype=shard.dtype)
        self._edges = np.empty(shard.bound + 1 if with_edges else 0, dtype=shard.dtype)

    def nothing(self) -> RowBlock:
        """Rows without entries."""
        return RowBlock(self._pointers, self._indices[:0], self._counts[:0], self._edges[:0])

    def sum(self, rows: RowBlock, piece: bytes) -> RowBlock:
        """Rows and packed rows, added up."""
        many = len(self._pointers) - 1
        lengths = np.frombuffer(piece, dtype="<u4", count=many)
        data = np.frombuffer(piece, dtype=np.uint8, offset=4 * many)
        n = _packing_kernels.add_packed_rows(
            rows.pointers, rows.indices, rows.counts, rows.edges, lengths, data,
            self._pointers, self._indices, self._counts, self._edges,
        )  # fmt: skip
        return RowBlock(self._pointers, self._indices[:n], self._counts[:n], self._edges[:n])
