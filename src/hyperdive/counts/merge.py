"""Count stores of separately encoded corpora → one store, as if both had been counted in one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, Bar
from hyperdive._resources import Run, anonymous_memory
from hyperdive._resume import WorkFolder
from hyperdive._store import check_output
from hyperdive._types import Ids, Ints
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.plan import WORD_BYTES, plan_merge
from hyperdive.counts.shard_layout import Shard, make_layout
from hyperdive.counts.shards import PieceFolder, RowBlock, pointers_of, work_of
from hyperdive.counts.store_writer import (
    VERSION,
    Beside,
    StoreContent,
    StoreJob,
    ThreadBuffers,
    finish,
    merge_runs,
    piece_name,
    workers,
)
from hyperdive.counts.vocabulary import common_min_count, common_text, refuse_repeats, unite
from hyperdive.errors import FormatError, InputError, OptionError
from hyperdive.kernels import counts as kernels
from hyperdive.options import CountOptions


def merge(
    stores: Sequence[Cooccurrence],
    output: str | Path,
    *,
    min_count: int | None = None,
    beside: Beside | None = None,
    run: Run = Run(),
) -> dict[str, Any]:
    """Add the counts of several stores: vocabularies united, the minimum count applied after; returns the header.

    Args:
        stores: the stores, in the order of their texts.
        output: the folder of the sum.
        min_count: words rarer than this read as the unknown symbol; None takes that of the stores.
        beside: writes what the store carries beside its counts.
        run: threads, memory and progress.
    """
    if len(stores) < 2:
        raise InputError("a merge needs two or more count stores", hint="type: hyperdive count --merge A B -o C")
    output = Path(output)
    WorkFolder.sweep(work_of(output), output)
    check_output(output, force=run.force)
    options = _common_options(stores)
    text = common_text([(store.name, store.header["text"]) for store in stores])
    corpora = [[str(corpus) for corpus in store.header["input"]["corpora"]] for store in stores]
    refuse_repeats([(store.name, own) for store, own in zip(stores, corpora, strict=True)])
    min_count = common_min_count([(store.name, store.min_count) for store in stores], min_count)
    if min_count < 1:
        raise OptionError(f"the minimum count is {min_count}", hint="it must be 1 or more")
    united = unite([(store.all_words, store.word_counts) for store in stores])
    layout = make_layout(united.counts, min_count, options)
    sizes = [sum(entry["bytes"] for entry in store.header["files"].values()) for store in stores]
    used = 0 if run.memory is None else anonymous_memory() + WORD_BYTES * layout.types
    cost = plan_merge(layout, sizes, options, memory=run.memory, threads=run.threads, used=used)
    if run.progress is not SILENT:
        run.progress.note(str(cost))
    plan = {
        "version": VERSION, "stores": [store.fingerprint for store in stores], "min_count": min_count,
        "shards": len(layout.shards),
    }  # fmt: skip
    work = PieceFolder(output, plan, run)
    try:
        job = StoreJob(work, layout, options, cost.threads, run.progress)
        runs = []
        with run.progress.stage("renumbering", total=len(stores) * len(layout.shards), unit="shards") as bar:
            for number, (store, table) in enumerate(zip(stores, united.tables, strict=True)):
                runs.append(f"run-{number:06d}")
                _renumber(job, store, table, runs[-1], bar)
        merge_runs(job, runs)
        pairs, identities = sum(store.total for store in stores), [corpus for own in corpora for corpus in own]
        return finish(job, StoreContent(united.words, pairs, min_count, text, identities, beside), force=run.force)
    except BaseException:
        work.release()
        raise


def _common_options(stores: Sequence[Cooccurrence]) -> CountOptions:
    first = stores[0].options
    for store in stores[1:]:
        for name, value in first.as_parameters().items():
            other = store.options.as_parameters()[name]
            if other != value:
                raise InputError(
                    f"{stores[0].name} and {store.name} were counted differently: {name} is {value} in one, "
                    f"{other} in the other",
                    hint=f"count both with the same --{name}",
                )
    return first


def _renumber(job: StoreJob, store: Cooccurrence, table: Ids, run: str, bar: Bar) -> None:
    """The rows of a store by their new numbers, as a run of shards."""
    layout = job.layout
    # own number of each new one, 0 where this store does not have the word; that of the unknown symbol is not read
    own = np.zeros(layout.types, dtype=np.int64)
    own[table] = np.arange(len(table))
    local = ThreadBuffers(layout, with_edges=job.options.near)
    missing = [shard for shard in layout.shards if job.needs(run, shard)]
    if missing:
        _check_store(store, job.threads)

    def renumber_shard(shard: Shard) -> None:
        if shard.first == 0:
            _unknown_row(job, shard, store, table, run, local)
        else:
            _shard_rows(job, shard, store, table, own[shard.first : shard.last], run, local)
        bar.advance(1)

    with workers(job.threads) as pool:
        pool(renumber_shard, missing)


def _check_store(store: Cooccurrence, threads: int) -> None:
    """Every index in its place and every count there: they become addresses."""
    sums = np.zeros(len(store.shards), dtype=np.int64)

    def check(shard: Shard) -> None:
        rows = store.shard_rows(shard)
        size = store.vocabulary_size if shard.first == 0 else len(store.word_counts)
        sums[shard.number] = kernels.check_rows(rows.pointers, rows.indices, rows.counts, size)

    with workers(threads) as run:
        run(check, store.shards)
    if sums.min() < 0 or int(sums[1:].sum()) != store.total:
        raise FormatError(f"{store.name}: its rows are not what its header says", hint="count the corpus again")


def _shard_rows(
    job: StoreJob, shard: Shard, store: Cooccurrence, table: Ids, own: Ints, run: str, local: ThreadBuffers
) -> None:
    gathered = _gather(store, own, with_edges=job.options.near)
    buffers = local.buffers()
    scratch, edge_scratch = buffers.scratch(shard.dtype)
    counts, edges = buffers.counts(shard.dtype), buffers.edges(shard.dtype)
    lengths = np.empty(len(own), dtype=np.int64)
    n = kernels.renumber_rows(
        gathered.pointers, gathered.indices, gathered.counts, gathered.edges, table, scratch, edge_scratch,
        buffers.bits, buffers.summary, buffers.indices, counts, edges, lengths,
    )  # fmt: skip
    job.work.write(piece_name(run, shard), lengths, buffers.indices[:n], counts[:n], edges[:n])


def _gather(store: Cooccurrence, own: Ints, *, with_edges: bool) -> RowBlock:
    """RowBlock of a store in any order; number 0 stands for a word it does not have: an empty row."""
    firsts = np.array([shard.first for shard in store.shards])
    where = np.searchsorted(firsts, own, side="right") - 1
    needed = [store.shards[number] for number in np.unique(where[own > 0]).tolist()]
    widest = max((shard.dtype for shard in needed), key=lambda kind: kind.itemsize, default=np.dtype("<u1"))
    blocks = {shard.number: store.shard_rows(shard) for shard in needed}
    lengths = np.zeros(len(own), dtype=np.int64)
    for shard in needed:
        here = (where == shard.number) & (own > 0)
        lengths[here] = np.diff(blocks[shard.number].pointers)[own[here] - shard.first]
    pointers = pointers_of(lengths)
    indices = np.empty(int(pointers[-1]), dtype=np.uint32)
    counts = np.empty(len(indices), dtype=widest)
    edges = np.empty(len(indices) if with_edges else 0, dtype=widest)
    for shard in needed:
        here = np.flatnonzero((where == shard.number) & (own > 0))
        rows = blocks[shard.number]
        kernels.gather_rows(
            rows.pointers, rows.indices, rows.counts, rows.edges, own[here] - shard.first, pointers[here],
            indices, counts, edges,
        )  # fmt: skip
    return RowBlock(pointers, indices, counts, edges)


def _unknown_row(job: StoreJob, shard: Shard, store: Cooccurrence, table: Ids, run: str, local: ThreadBuffers) -> None:
    """The contexts of all words that stay rare. A word rare in the sum is rare in each part, so its row is there."""
    layout = job.layout
    scratch, edge_scratch = local.buffers().scratch(shard.dtype)
    for part in store.shards[1:]:
        rare = np.flatnonzero(table[part.first : part.last] >= layout.vocabulary_size)
        if len(rare):
            rows = store.shard_rows(part)
            kernels.join_rows(
                rows.pointers, rows.indices, rows.counts, rows.edges, rare, table, np.uint32(layout.vocabulary_size),
                scratch, edge_scratch,
            )  # fmt: skip
    met = np.flatnonzero(scratch).astype(np.uint32)
    counts = scratch[met]
    edges = edge_scratch[met] if len(edge_scratch) else counts[:0]
    job.work.write(piece_name(run, shard), np.array([len(met)]), met, counts, edges)
    scratch[:] = 0
    edge_scratch[:] = 0
