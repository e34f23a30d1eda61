"""Counts of separately encoded corpora → one folder, as if all had been counted in one run.

Range by range: the rows of each input under their new numbers, sorted again, and added up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, human
from hyperdive._resources import Run, anonymous_memory, check_threads
from hyperdive._store import check_output
from hyperdive._types import Ids
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import CODE_BYTES, WORD_BYTES, range_memory, too_little_memory
from hyperdive.counts.rows import DenseRows, RowBlock, RowRange, cut_rows, vocabulary_size
from hyperdive.counts.store import Beside, CountsContent, write_counts
from hyperdive.counts.vocabulary import common_min_count, common_text, refuse_repeats, unite
from hyperdive.engines.local import in_order
from hyperdive.errors import InputError, OptionError
from hyperdive.kernels import counts as kernels
from hyperdive.options import CountOptions

_ENTRY_BYTES = 40
"""Memory for each entry of a range that a thread renumbers."""
_RARE_ROWS = 1 << 10


def merge(
    stores: Sequence[Cooccurrence],
    output: str | Path,
    *,
    min_count: int | None = None,
    beside: Beside | None = None,
    run: Run = Run(),
) -> dict[str, Any]:
    """Add up counts: vocabularies united, the minimum count applied after; returns the header.

    Args:
        stores: the counts, in the order of their texts.
        output: the folder of the sum.
        min_count: words rarer than this read as the unknown symbol; None takes that of the counts.
        beside: writes what the sum carries beside its counts.
        run: threads, memory and progress.
    """
    if len(stores) < 2:
        raise InputError("a merge needs two or more count stores", hint="type: hyperdive count --merge A B -o C")
    output = Path(output)
    check_output(output, force=run.force)
    options = _common_options(stores)
    text = common_text([(store.name, store.header["text"]) for store in stores])
    corpora = [[str(corpus) for corpus in store.header["input"]["corpora"]] for store in stores]
    refuse_repeats([(store.name, own) for store, own in zip(stores, corpora, strict=True)])
    min_count = common_min_count([(store.name, store.min_count) for store in stores], min_count)
    if min_count < 1:
        raise OptionError(f"the minimum count is {min_count}", hint="it must be 1 or more")
    united = unite([(store.all_words, store.word_counts) for store in stores])
    size = vocabulary_size(united.counts, min_count)
    ranges = cut_rows(united.counts, size, options)
    threads, memory = _threads(ranges, options, run)
    if run.progress is not SILENT:
        run.progress.note(f"merging {len(stores)} count folders, with about {human(memory, 'B')} of memory")
    for store in stores:
        store.check_rows()
    parts = [
        Renumbered(store, table, len(united.counts), size) for store, table in zip(stores, united.tables, strict=True)
    ]
    content = CountsContent(
        united.words, united.counts, size, min_count, options, sum(store.total for store in stores), text,
        [corpus for own in corpora for corpus in own], beside,
    )  # fmt: skip
    local = threading.local()

    def summed(rows: RowRange) -> RowBlock:
        if not hasattr(local, "scratch"):
            local.scratch = DenseRows(len(united.counts), near=options.near)
        blocks = [part.rows(rows, local.scratch) for part in parts]
        return sum(blocks[1:], start=blocks[0])

    with run.progress.stage("merging", total=len(ranges), unit="parts") as bar:

        def made() -> Iterator[tuple[RowRange, RowBlock]]:
            for rows, block in zip(ranges, in_order(summed, ranges, threads), strict=True):
                bar.advance(1)
                yield rows, block

        return write_counts(output, content, made(), force=run.force)


def _threads(ranges: Sequence[RowRange], options: CountOptions, run: Run) -> tuple[int, int]:
    """How many threads fit into the memory, and how much they need."""
    used = 0 if run.memory is None else anonymous_memory() + CODE_BYTES + WORD_BYTES * ranges[-1].last
    entries = max(rows.bound for rows in ranges) + 1

    def needed(threads: int) -> int:
        return used + range_memory(ranges, options, threads) + threads * _ENTRY_BYTES * entries

    threads = check_threads(run.threads)
    while run.memory is not None and threads > 1 and needed(threads) > run.memory:
        threads -= 1
    if run.memory is not None and needed(threads) > run.memory:
        raise too_little_memory(run.memory, needed(threads), ranges[-1].last)
    return threads, needed(threads)


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


class Renumbered:
    """Counts under the numbers of a larger vocabulary.

    Args:
        store: the counts.
        table: the new number of each of their words.
        types: all words of the larger vocabulary.
        size: those of them that are not rare.
    """

    def __init__(self, store: Cooccurrence, table: Ids, types: int, size: int) -> None:
        self._store, self._table, self._size = store, table, size
        # own number of each new one, 0 where this store does not have the word; that of the unknown symbol is not read
        self._own = np.zeros(types, dtype=np.int64)
        self._own[table] = np.arange(len(table))

    def rows(self, rows: RowRange, scratch: DenseRows) -> RowBlock:
        """A range of rows."""
        if rows.first == 0:
            return self._unknown
        pointers, indices, counts, edges = self._store.rows_of(self._own[rows.first : rows.last])
        made = RowBlock.room(rows.last - rows.first, len(indices), len(indices), near=len(edges) > 0)
        lengths = np.empty(rows.last - rows.first, dtype=np.int64)
        n, large = kernels.renumber_rows(
            pointers, indices, counts, edges, self._table, *scratch.rows(np.dtype("<u8")), *made[1:], lengths
        )
        np.cumsum(lengths, out=made.pointers[1:])
        return made.cut(n, large)

    @cached_property
    def _unknown(self) -> RowBlock:
        """The contexts of all words that stay rare; such a word is rare in each part, so its row is there."""
        sums = np.zeros((2, self._size), dtype=np.uint64)
        rare = np.flatnonzero(self._table >= self._size)
        for start in range(0, len(rare), _RARE_ROWS):
            _, indices, *values = self._store.rows_of(rare[start : start + _RARE_ROWS])
            contexts = self._table[indices]
            contexts[contexts >= self._size] = 0
            for into, amounts in zip(sums, values, strict=True):
                np.add.at(into, contexts[: len(amounts)], amounts)
        indices = np.flatnonzero(sums[0]).astype(np.uint32)
        counts, edges = sums[:, indices]
        return RowBlock.of(np.array([0, len(indices)]), indices, counts, edges if self._store.has_near else edges[:0])
