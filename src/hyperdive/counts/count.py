"""Encoded corpora → counts: tasks count blocks of text, and the pieces of every range of rows are added up.

On one machine a block is as large as memory allows: of one block the piece is the result, those of several wait in the
work folder. Sums of whole numbers are the same in any order, so no byte tells how the text was cut.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._engine import Arrays, Exchange
from hyperdive._progress import SILENT, human
from hyperdive._resources import Run, anonymous_memory, check_threads, default_memory
from hyperdive._resume import WorkFolder
from hyperdive._store import check_output, fingerprint
from hyperdive._types import Ids, Ints
from hyperdive.counts.inverted_index import TokenRange, count_range, cut, line_lengths, load
from hyperdive.counts.rows import DenseRows, RowBlock, RowRange, block_of, cut_rows, vocabulary_size
from hyperdive.counts.store import VERSION, Beside, CountsContent, write_counts
from hyperdive.counts.vocabulary import common_min_count, common_text, refuse_repeats, unite
from hyperdive.engines.local import AHEAD, LocalEngine
from hyperdive.errors import FormatError, OptionError
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus

WORD_BYTES = 60
"""Memory for each word while counts are written: its text once more, and sums over rows and columns."""
CODE_BYTES = 20 << 20
"""Memory for compiled loops, which are loaded when they are first called."""
NODE_TOKENS = 1 << 26
"""A task of a cluster counts so many tokens at most: 10 bytes each, beside the rows of its largest range."""
_LEAST_BLOCK = 1 << 16
_LARGEST_BLOCK = (1 << 32) - (1 << 20)


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
        output: the folder of the counts.
        options: which pairs are counted.
        min_count: words rarer than this read as the unknown symbol; None takes that of the corpora.
        block_tokens: overrides the block size that follows from the memory; the result has the same bytes either way.
        beside: writes what the counts carry beside them.
        run: threads, memory, progress and engine.
    """
    options, output = options or CountOptions(), Path(output)
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
    size = vocabulary_size(united.counts, min_count)
    ranges = cut_rows(united.counts, size, options)
    tokens = sum(len(corpus) for corpus in corpora)
    plan = BlockPlan.of(ranges, tokens, options, run)
    engine = run.engine or LocalEngine(plan.threads)
    if block_tokens is None:  # tasks of a cluster have the memory of other machines
        block_tokens = plan.block_tokens if engine.in_process else min(NODE_TOKENS, -(-tokens // engine.slots))
    blocks = cut([len(corpus) for corpus in corpora], block_tokens)
    if run.progress is not SILENT:  # a library call says nothing
        run.progress.note(f"counting {human(tokens, 'tokens')} in {_several(len(blocks), 'block')}, {plan}")
    identities = [corpus.fingerprint for corpus in corpora]
    identity = {
        "version": VERSION, "corpora": identities, "min_count": min_count, "options": options.as_parameters(),
        "ranges": [rows.last for rows in ranges],
    }  # fmt: skip
    with WorkFolder(work_of(output), output, fingerprint(identity), run) as work:
        if work.started:
            run.progress.note("resuming an interrupted run (--restart starts over)")
        _ = [corpus.tokens for corpus in corpora]  # compared with their checksums once; tasks read their ranges
        counter = BlockCounter(
            tuple(str(corpus.path.absolute()) for corpus in corpora),
            # one corpus keeps its own numbers
            united.tables if len(corpora) > 1 else (np.zeros(0, dtype=np.uint32),),
            united.counts, size, ranges, options, engine.slots if engine.in_process else 1,
        )  # fmt: skip
        exchange = Exchange(f"rows-of-{len(blocks)}", counter, add_pieces, len(ranges))
        pairs = sum(possible_pairs(options, *line_lengths(corpus)) for corpus in corpora)
        content = CountsContent(
            united.words, united.counts, size, min_count, options, pairs, text, identities, beside
        )  # fmt: skip
        # a part is a range of rows counted in a block, or written
        with run.progress.stage("counting", total=len(ranges) * (len(blocks) + 1), unit="parts") as bar:
            pieces = engine.exchange(work.folder, exchange, blocks, bar.advance)

            def rows() -> Iterator[tuple[RowRange, RowBlock]]:
                for part, arrays in zip(ranges, pieces, strict=True):
                    if not np.array_equal(arrays["occurrences"], united.counts[part.first : part.last]):
                        raise wrong_word_counts(corpora[0].path)
                    yield part, block_of(arrays)
                    bar.advance(1)

            try:
                return write_counts(output, content, rows(), force=run.force)
            except FormatError:  # neither a corpus nor pieces like these can be used by a later run
                work.remove()
                raise


def work_of(output: Path) -> Path:
    """The work folder of a count."""
    return output.parent / f".{output.name}.count"


def _several(number: int, what: str) -> str:
    return f"one {what}" if number == 1 else f"{number} {what}s"


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


# ---- memory ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BlockPlan:
    """How many tokens a block may have and how many threads count it, so that a process stays under its memory."""

    threads: int
    block_tokens: int
    memory: int
    """Bytes of anonymous memory; with the interpreter and the words where memory is limited."""

    def __str__(self) -> str:
        return f"with about {human(self.memory, 'B')} of memory"

    @classmethod
    def of(cls, ranges: Sequence[RowRange], tokens: int, options: CountOptions, run: Run) -> BlockPlan:
        """Blocks as large as memory allows, of equal size; fewer threads before smaller blocks."""
        types = ranges[-1].last
        used = 0 if run.memory is None else anonymous_memory() + CODE_BYTES + WORD_BYTES * types
        budget = (default_memory() if run.memory is None else run.memory) - used
        each = 8 + (2 if options.window <= np.iinfo(np.uint8).max else 4)
        threads = check_threads(run.threads)
        while threads > 1 and budget < range_memory(ranges, options, threads) + each * min(tokens, 1 << 24):
            threads -= 1
        fixed = range_memory(ranges, options, threads)
        least = fixed + each * min(tokens, _LEAST_BLOCK)
        if run.memory is not None and budget < least:
            raise too_little_memory(run.memory, least + used, types)
        block = min((max(budget, least) - fixed) // each, tokens, _LARGEST_BLOCK)
        blocks = -(-tokens // block)
        block = -(-tokens // blocks)
        return cls(threads, block, used + fixed + each * block)


def range_memory(ranges: Sequence[RowRange], options: CountOptions, threads: int) -> int:
    """Memory that does not depend on the block: arrays over the words, dense rows, rows on their way to the disk."""
    types, both = ranges[-1].last, 2 if options.near else 1
    largest = max(rows.bound for rows in ranges) + 1
    dense = types * sum({rows.dtype.itemsize for rows in ranges}) * both
    return 8 * types * (6 + threads) + threads * dense + (AHEAD + 4) * threads * largest * (4 + both)


def too_little_memory(limit: int, needed: int, types: int) -> OptionError:
    """How much memory rows need."""
    return OptionError(
        f"{human(limit, 'B')} of memory is too little: rows of {types} words need {human(needed, 'B')}",
        hint=f"give at least --memory {-(-needed // 10**6)}MB, or encode with fewer different words",
    )


# ---- tasks -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BlockCounter:
    """From ranges of tokens to the rows of each range: what an exchange scatters."""

    corpora: tuple[str, ...]
    tables: tuple[Ids, ...]
    word_counts: Ints
    size: int
    ranges: tuple[RowRange, ...]
    options: CountOptions
    threads: int

    def __call__(self, pieces: Sequence[TokenRange]) -> Callable[[int], Arrays]:
        corpora = [Corpus.open(path, verify=False) for path in self.corpora]  # the run has checked them
        block = load(corpora, self.tables, pieces, len(self.word_counts), self.options, self.threads)
        occurrences = np.diff(block.starts)
        if bool((occurrences > self.word_counts).any()):  # rooms for rows would be too small
            raise wrong_word_counts(self.corpora[0])
        local = threading.local()

        def piece(number: int) -> Arrays:
            if not hasattr(local, "scratch"):
                local.scratch = DenseRows(len(self.word_counts), near=self.options.near)
            rows = self.ranges[number]
            counted = count_range(block, rows, self.size, self.options, local.scratch)
            return {"occurrences": occurrences[rows.first : rows.last], **counted._asdict()}

        return piece


def wrong_word_counts(corpus: str | Path) -> FormatError:
    """A corpus that was changed."""
    return FormatError(
        f"{corpus}: the tokens do not have the word counts it states", hint="the corpus is damaged; encode it again"
    )


def add_pieces(pieces: Iterator[Arrays]) -> Arrays:
    """Add up the pieces of a range of rows, two sums of equally many pieces at a time."""
    sums: list[Arrays] = []
    for number, piece in enumerate(pieces, start=1):
        while number % 2 == 0:
            piece, number = _sum(sums.pop(), piece), number // 2
        sums.append(piece)
    return reduce(lambda total, piece: _sum(piece, total), reversed(sums))


def _sum(one: Arrays, other: Arrays) -> Arrays:
    rows = block_of(one) + block_of(other)
    return {"occurrences": one["occurrences"] + other["occurrences"], **rows._asdict()}
