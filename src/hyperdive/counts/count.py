"""Encoded corpora → count store: blocks of text, rows in parallel, finished shards kept for a run that is stopped."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, Progress, human
from hyperdive._resources import Run, anonymous_memory
from hyperdive._resume import WorkFolder
from hyperdive._store import check_output
from hyperdive._types import Ints
from hyperdive.counts.inverted_index import InvertedIndex, cut, line_lengths, load, shard_rows
from hyperdive.counts.parts import count_parts
from hyperdive.counts.plan import WORD_BYTES, CountPlan, make_plan
from hyperdive.counts.shard_layout import Shard, make_layout
from hyperdive.counts.shards import Piece, PieceFolder, work_of
from hyperdive.counts.store_writer import (
    FINAL,
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
from hyperdive.errors import FormatError, OptionError
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus


def count(
    corpora: Sequence[Corpus],
    output: str | Path,
    *,
    options: CountOptions | None = None,
    min_count: int | None = None,
    block_tokens: int | None = None,
    beside: Beside | None = None,
    run: Run = Run(),
) -> dict[str, Any]:
    """Count the pairs of one or more corpora in one run, each with its own line borders; returns the header.

    Args:
        corpora: the corpora; their vocabularies are united.
        output: the folder of the count store.
        options: which pairs are counted.
        min_count: words rarer than this read as the unknown symbol; None takes that of the corpora.
        block_tokens: overrides the block size that follows from the memory; the result has the same bytes either way.
        beside: writes what the store carries beside its counts.
        run: threads, memory and progress.
    """
    progress = run.progress
    options = options or CountOptions()
    output = Path(output)
    WorkFolder.sweep(work_of(output), output)
    check_output(output, force=run.force)
    text = common_text([(str(corpus.path), corpus.parameters) for corpus in corpora])
    refuse_repeats([(str(corpus.path), [corpus.fingerprint]) for corpus in corpora])
    min_count = common_min_count([(str(corpus.path), corpus.min_count) for corpus in corpora], min_count)
    if min_count < 1:
        raise OptionError(f"the minimum count is {min_count}", hint="it must be 1 or more")
    if text["rare"] == "drop" and min_count < corpora[0].min_count:
        raise OptionError(
            f"words under {corpora[0].min_count} were dropped when {corpora[0].path} was encoded",
            hint="encode again with a smaller --min-count",
        )
    united = unite([(corpus.all_words, corpus.counts) for corpus in corpora])
    layout = make_layout(united.counts, min_count, options)
    tokens = sum(len(corpus) for corpus in corpora)
    used = 0 if run.memory is None else anonymous_memory() + WORD_BYTES * layout.types
    plan = make_plan(layout, tokens, options, memory=run.memory, threads=run.threads, used=used)
    if progress is not SILENT:  # a library call says nothing
        progress.note(str(plan))
        _warn_of_little_disk(output, plan, progress)
    identities = [corpus.fingerprint for corpus in corpora]
    work = PieceFolder(
        output,
        {
            "version": VERSION, "corpora": identities, "min_count": min_count, "options": options.as_parameters(),
            "shards": len(layout.shards),
        },
        run,
    )  # fmt: skip
    try:
        if work.resumed:
            progress.note(f"resuming with {work.resumed} finished parts of an earlier run")
        # one corpus keeps its own numbers
        tables = united.tables if len(corpora) > 1 else (np.zeros(0, dtype=np.uint32),)
        job = StoreJob(work, layout, options, plan.threads, progress)
        if run.engine is None:
            merge_runs(job, _count_blocks(job, corpora, tables, block_tokens or plan.block_tokens))
        else:
            count_parts(job, corpora, tables, run.engine, block_tokens)
        pairs = sum(possible_pairs(options, *line_lengths(corpus)) for corpus in corpora)
        return finish(job, StoreContent(united.words, pairs, min_count, text, identities, beside), force=run.force)
    except BaseException:
        work.release()
        raise


def possible_pairs(options: CountOptions, lengths: Ints, repeats: Ints) -> int:
    """Return what all counts must add up to, in units of 1/scale: Σ over lines of n words and d < n of (n - d)·weight.

    `repeats[i]` lines have `lengths[i]` words.

    >>> possible_pairs(CountOptions(window=2), np.array([1, 3]), np.array([5, 1]))
    6
    """
    total = 0
    longest = int(lengths.max()) if len(lengths) else 0
    for distance in range(1, min(options.window, longest - 1) + 1):
        weight = options.scale // distance if options.weighting == "harmonic" else 1
        long = lengths > distance
        total += weight * (options.reach // options.window) * int(((lengths[long] - distance) * repeats[long]).sum())
    return total


def _warn_of_little_disk(output: Path, plan: CountPlan, progress: Progress) -> None:
    """An estimate is no reason to refuse, but a reason to say so."""
    parent = next((folder for folder in output.absolute().parents if folder.exists()), None)
    free = shutil.disk_usage(parent).free if parent is not None else plan.disk + plan.work_disk
    if free < plan.disk + plan.work_disk:
        progress.note(f"only {human(free, 'B')} of disk are free there: the run may stop, and can be resumed")


def _count_blocks(job: StoreJob, corpora: Sequence[Corpus], tables: Sequence[Any], block_tokens: int) -> list[str]:
    """Count each block into a run of shards; the names of the runs."""
    layout = job.layout
    blocks = cut([len(corpus) for corpus in corpora], block_tokens)
    local = ThreadBuffers(layout, with_edges=job.options.near)
    runs: list[str] = []
    seen = np.zeros(layout.types, dtype=np.int64)
    whole = True
    tokens = sum(len(corpus) for corpus in corpora)
    stage, settled = job.progress.stage("counting", total=tokens, unit="tokens"), list[Future[None]]()
    with stage as bar, workers(job.threads) as run, ThreadPoolExecutor(1) as disk:
        for number, pieces in enumerate(blocks):
            name = FINAL if len(blocks) == 1 else f"run-{block_tokens}-{number:06d}"
            runs.append(name)
            size = sum(piece.end - piece.start for piece in pieces)
            missing = [shard for shard in layout.shards if job.needs(name, shard)]
            if not missing:
                whole = False
                bar.advance(size)
                continue
            block = load(corpora, tables, pieces, layout.types, job.options, job.threads)
            seen += np.diff(block.starts)

            def shard_rows(shard: Shard, block: InvertedIndex = block, name: str = name) -> None:
                piece = _count_shard(job, shard, block, local, name)
                if name == FINAL:  # the disk writes while others are counted
                    settled.append(disk.submit(job.work.settle, piece))
                bar.advance(int(block.starts[shard.last] - block.starts[shard.first]))

            run(shard_rows, missing)
            del block
        for piece in settled:
            piece.result()
    if whole and not np.array_equal(seen, layout.word_counts):
        job.work.remove()
        raise FormatError(
            f"{corpora[0].path}: the tokens do not have the word counts it states",
            hint="the corpus is damaged; encode it again",
        )
    return runs


def _count_shard(job: StoreJob, shard: Shard, block: InvertedIndex, local: ThreadBuffers, run: str) -> Piece:
    return job.work.write(piece_name(run, shard), *shard_rows(block, shard, job.layout, job.options, local.buffers()))
