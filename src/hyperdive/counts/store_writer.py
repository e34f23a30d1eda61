"""From runs of shards (one run a block or source) to the finished store: add up, check the sums, put in place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._progress import Progress
from hyperdive._store import ArtifactWriter
from hyperdive._types import Ints
from hyperdive.counts.shard_layout import Shard, ShardLayout
from hyperdive.counts.shards import Buffers, Piece, PieceFolder, RowBlock, explain_work_errors
from hyperdive.errors import FormatError
from hyperdive.kernels import counts as kernels
from hyperdive.options import CountOptions

KIND, VERSION = "counts", 1
FINAL = "shards"
FAN_IN = 16


@dataclass(frozen=True)
class StoreJob:
    """A count store in the making: where its pieces lie, and how they are made."""

    work: PieceFolder
    layout: ShardLayout
    options: CountOptions
    threads: int
    progress: Progress

    def needs(self, run: str, shard: Shard) -> bool:
        """Whether a shard of a run is still to be made: neither it nor what it went into is there."""
        return all(self.work.finished(piece_name(name, shard)) is None for name in (run, FINAL))


Beside = Callable[[Path], None]


@dataclass(frozen=True)
class StoreContent:
    """What the header of the finished store records of its text, and what else is in the folder."""

    words: Sequence[str]
    pairs: int
    """What all counts must add up to."""
    min_count: int
    text: dict[str, Any]
    corpora: Sequence[str]
    beside: Beside | None = None
    """Writes what the store carries beside its counts into its folder, before that is in place."""


def piece_name(run: str, shard: Shard) -> str:
    """The file of a shard inside a run; the final run has the names of the finished store."""
    return f"{run}/{shard.number:06d}.bin"


@contextmanager
def workers(threads: int) -> Iterator[Callable[[Callable[[Any], None], Sequence[Any]], None]]:
    """Run a function over tasks with some threads; the first error stops the rest."""
    pool = ThreadPoolExecutor(threads)

    def run(function: Callable[[Any], None], tasks: Sequence[Any]) -> None:
        futures: list[Future[None]] = [pool.submit(function, task) for task in tasks]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        finally:
            for future in futures:
                future.cancel()

    try:
        yield run
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class ThreadBuffers:
    """Buffers of the thread that asks, made when first asked for."""

    def __init__(self, layout: ShardLayout, *, with_edges: bool) -> None:
        self._layout, self._with_edges = layout, with_edges
        self._local = threading.local()

    def buffers(self, which: int = 0) -> Buffers:
        """One of this thread's sets of buffers."""
        if not hasattr(self._local, "sets"):
            self._local.sets = {}
        sets: dict[int, Buffers] = self._local.sets
        if which not in sets:
            sets[which] = Buffers(self._layout, with_edges=self._with_edges)
        return sets[which]


def merge_runs(job: StoreJob, runs: Sequence[str]) -> None:
    """Add up runs shard by shard, at most `FAN_IN` at a time, until the final run is complete."""
    layout, work = job.layout, job.work
    local = ThreadBuffers(layout, with_edges=job.options.near)
    level = 0
    while list(runs) != [FINAL]:
        level += 1
        groups = [runs[i : i + FAN_IN] for i in range(0, len(runs), FAN_IN)]
        names = [FINAL] if len(groups) == 1 else [f"level-{level}-{group[0]}" for group in groups]
        tasks = [(group, name, shard) for group, name in zip(groups, names, strict=True) for shard in layout.shards]

        with job.progress.stage("merging", total=len(tasks), unit="shards") as bar, workers(job.threads) as run:

            def add(task: tuple[Sequence[str], str, Shard]) -> None:
                group, name, shard = task
                if work.finished(piece_name(name, shard)) is None:
                    _merge_shard(job, shard, group, name, local)
                for source in group:
                    work.drop(piece_name(source, shard))
                bar.advance(1)

            run(add, tasks)
        runs = names


def _merge_shard(job: StoreJob, shard: Shard, runs: Sequence[str], name: str, local: ThreadBuffers) -> None:
    work = job.work

    def mapped(run: str) -> RowBlock:
        return work.rows(_finished(work, run, shard), shard, with_edges=job.options.near)

    total = mapped(runs[0])
    for step, run in enumerate(runs[1:]):
        more, out = mapped(run), local.buffers(step % 2)
        pointers = np.zeros(len(total.pointers), dtype=np.int64)
        counts, edges = out.counts(shard.dtype), out.edges(shard.dtype)
        n = kernels.add_rows(
            total.pointers, total.indices, total.counts, total.edges,
            more.pointers, more.indices, more.counts, more.edges,
            pointers, out.indices, counts, edges,
        )  # fmt: skip
        total = RowBlock(pointers, out.indices[:n], counts[:n], edges[:n])
    work.write(piece_name(name, shard), np.diff(total.pointers), total.indices, total.counts, total.edges)


def finish(job: StoreJob, content: StoreContent, *, force: bool) -> dict[str, Any]:
    """Check that the shards add up to the pairs of the text and make the store of them."""
    work, layout, options = job.work, job.layout, job.options
    pieces = [_finished(work, FINAL, shard) for shard in layout.shards]
    lengths = np.zeros(layout.types, dtype=np.int64)
    sums, unknown = np.zeros(layout.types, dtype=np.int64), np.zeros(layout.types, dtype=np.int64)
    size = layout.vocabulary_size
    local, columns = threading.local(), list[Ints]()

    def add_up(number: int) -> None:
        shard = layout.shards[number]
        rows = work.rows(pieces[number], shard, with_edges=options.near)
        if not hasattr(local, "columns"):
            local.columns, local.nowhere = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
            columns.append(local.columns)
        work.settle(pieces[number])
        lengths[shard.first : shard.last] = np.diff(rows.pointers)
        # rows of rare words are in the unknown symbol's row already: they add nothing to the columns
        inside = min(max(size - shard.first, 0), len(rows.pointers) - 1)
        for low, high, into in ((0, inside, local.columns), (inside, len(rows.pointers) - 1, local.nowhere)):
            here = slice(shard.first + low, shard.first + high)
            pointers = rows.pointers[low : high + 1]
            kernels.row_sums(pointers, rows.indices, rows.counts, size, sums[here], unknown[here], into)

    with workers(job.threads) as run:
        run(add_up, range(len(layout.shards)))
    counted = int(sums[1:].sum())
    if counted != content.pairs or int(sums[:size].sum()) != content.pairs:
        work.remove()
        raise FormatError(
            f"{work.output}: {counted} pairs were counted where the text has {content.pairs}",
            hint="the input was changed or damaged meanwhile; run the command again",
        )
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    writer = ArtifactWriter(work.output, KIND, VERSION, force=force)
    with writer, explain_work_errors(work.output, work.folder):
        writer.put("words.txt", "".join(f"{word}\n" for word in content.words).encode("utf-8"))
        writer.put("word_counts.bin", layout.word_counts)
        writer.put("pointers.bin", pointers)
        writer.put("totals.bin", np.stack([sums[:size], unknown[:size], np.sum(columns, axis=0)]))
        for shard, piece in zip(layout.shards, pieces, strict=True):
            work.move(piece, writer.folder / shard.name)
            writer.adopt(shard.name, {"bytes": piece.bytes, "sha256": piece.sha256})
        if content.beside is not None:
            content.beside(writer.folder)
        header = writer.finish(
            {
                "parameters": {**options.as_parameters(), "min_count": content.min_count},
                "text": content.text,
                "input": {"corpora": list(content.corpora)},
                "unknown": "a context and a row of its own; #(x) and |D| of associations leave it out",
                "totals": {
                    "tokens": int(layout.word_counts.sum()),
                    "types": layout.types - 1,
                    "vocabulary": size,
                    "entries": int(pointers[-1]),
                    "pairs": content.pairs,
                    "scale": options.scale,
                },
                "shards": [
                    [shard.first, shard.last, piece.entries, shard.dtype.str]
                    for shard, piece in zip(layout.shards, pieces, strict=True)
                ],
            }
        )
    work.remove()
    return header


def _finished(work: PieceFolder, run: str, shard: Shard) -> Piece:
    piece = work.finished(piece_name(run, shard))
    if piece is None:
        raise FormatError(f"{work.folder / run}: shard {shard.number} is missing", hint="run the command again")
    return piece
