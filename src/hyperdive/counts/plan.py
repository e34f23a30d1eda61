"""What a count will cost before it is run: time, memory and disk, and how it is cut to fit into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperdive._progress import duration, human
from hyperdive._resources import check_threads, default_memory
from hyperdive.counts.shard_layout import ShardLayout
from hyperdive.errors import OptionError
from hyperdive.options import CountOptions

# Measured on two 2.6 GHz server cores with English Wikipedia; a laptop is rarely more than twice slower or faster.
_PAIRS_PER_SECOND = 110e6
_TOKENS_PER_SECOND = 40e6
_BYTES_PER_SECOND = 500e6
_MERGED_PER_SECOND = 150e6
# Words of a text come in topics, so fewer distinct pairs co-occur than independent draws would give.
_TOPICALITY = 0.7

WORD_BYTES = 60
"""Memory for each word while the store is written: its text once more, and sums over rows and columns."""
_MIN_BLOCK = 1 << 16
_MAX_BLOCK = (1 << 32) - (1 << 20)


@dataclass(frozen=True)
class CountPlan:
    """The cuts of a run and its expected cost."""

    tokens: int
    block_tokens: int
    blocks: int
    threads: int
    memory: int
    """Bytes of anonymous memory; with the interpreter and the words where they are known."""
    entries: int
    disk: int
    """Bytes of the finished store."""
    work_disk: int
    """Bytes more while it is made."""
    seconds: float

    def __str__(self) -> str:
        extra = f" (and {human(self.work_disk, 'B')} more on the way)" if self.work_disk else ""
        cuts = f"{self.blocks} blocks" if self.blocks > 1 else "one block"
        return (
            f"counting {human(self.tokens, 'tokens')} in {cuts}: about {duration(self.seconds)}, "
            f"{human(self.memory, 'B')} of memory, {human(self.disk, 'B')} of disk{extra}"
        )


def expected_entries(layout: ShardLayout, options: CountOptions) -> int:
    """Different pairs to expect: Σ_x Σ_c 1 - (1 - p(c))^(n(x)·reach), less what topics take away.

    Words are put into classes of about equal counts, so this takes no time even for millions of them.
    """
    counts = layout.word_counts[1:].astype(np.float64)
    if len(counts) == 0:
        return 0
    classes, inverse, sizes = np.unique(np.round(np.log(counts) * 8), return_inverse=True, return_counts=True)
    means = np.bincount(inverse, weights=counts, minlength=len(classes)) / sizes
    p = means / counts.sum()
    met: npt.NDArray[np.float64] = -np.expm1(np.outer(means * options.reach, np.log1p(-np.minimum(p, 0.5))))
    independent = float(sizes @ met @ sizes)
    # pairs met once are certain to be different, whatever the topics: never below one row entry a word
    return max(int(_TOPICALITY * independent), len(counts))


def token_bytes(options: CountOptions) -> int:
    """Memory for one token of a block: its number, its position among its word's and its rooms."""
    return 8 + (2 if options.window <= np.iinfo(np.uint8).max else 4)


def fixed_bytes(layout: ShardLayout, options: CountOptions, threads: int) -> int:
    """Memory that does not depend on the block: arrays over the words, and each thread's buffers."""
    both = 2 if options.near else 1
    kinds = {shard.dtype.itemsize for shard in layout.shards}
    scratch = layout.types * sum(kinds) * both
    # twice: the merge of blocks reads one set of buffers and writes another
    buffers = 2 * (layout.largest + 1) * (4 + layout.widest * both)
    return 8 * layout.types * (6 + threads) + threads * (scratch + buffers)


def make_plan(
    layout: ShardLayout,
    tokens: int,
    options: CountOptions,
    *,
    memory: int | None = None,
    threads: int | None = None,
    used: int = 0,
) -> CountPlan:
    """Cut `tokens` into blocks that fit into `memory` bytes, of which the process has `used` already."""
    threads = check_threads(threads)
    budget = (default_memory() if memory is None else memory) - used
    each = token_bytes(options)
    while threads > 1 and budget < fixed_bytes(layout, options, threads) + each * min(tokens, 1 << 24):
        threads -= 1  # fewer buffers before smaller blocks
    fixed = fixed_bytes(layout, options, threads)
    least = fixed + each * min(tokens, _MIN_BLOCK)
    if budget < least:
        if memory is not None:
            needed = least + used
            raise OptionError(
                f"{human(memory, 'B')} of memory is too little: rows of {layout.types} words need {human(needed, 'B')}",
                hint=f"give at least --memory {-(-needed // 10**6)}MB, or encode with fewer different words",
            )
        budget = least
    block = min((budget - fixed) // each, tokens, _MAX_BLOCK)
    blocks = -(-tokens // block)
    block = -(-tokens // blocks)  # equal blocks
    entries = expected_entries(layout, options)
    width = 4 + 2.5 * (2 if options.near else 1) * (2 if options.scale > 1 else 1)
    disk = int(entries * width) + 30 * layout.types
    work = int(disk * blocks**0.35) if blocks > 1 else 0
    seconds = (
        tokens / _TOKENS_PER_SECOND
        + tokens * options.reach / (_PAIRS_PER_SECOND * threads)
        + (disk + work) / _BYTES_PER_SECOND
        + (entries * blocks / (_MERGED_PER_SECOND * threads) if blocks > 1 else 0.0)
    )
    return CountPlan(tokens, block, blocks, threads, used + fixed + each * block, entries, disk, work, seconds)


@dataclass(frozen=True)
class MergePlan:
    """The expected cost of adding up count stores."""

    stores: int
    threads: int
    memory: int
    disk: int
    work_disk: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"merging {self.stores} count stores: about {duration(self.seconds)}, {human(self.memory, 'B')} of memory, "
            f"{human(self.disk, 'B')} of disk (and {human(self.work_disk, 'B')} more on the way)"
        )


def plan_merge(
    layout: ShardLayout,
    sizes: Sequence[int],
    options: CountOptions,
    *,
    memory: int | None = None,
    threads: int | None = None,
    used: int = 0,
) -> MergePlan:
    """The plan for adding up stores of these sizes in bytes; less memory means fewer threads."""
    threads = check_threads(threads)
    budget = default_memory() if memory is None else memory

    def needed(threads: int) -> int:
        gathered = (layout.largest + 1) * (4 + layout.widest * (2 if options.near else 1))
        return used + fixed_bytes(layout, options, threads) + threads * gathered

    while threads > 1 and needed(threads) > budget:
        threads -= 1
    if memory is not None and needed(1) > memory:
        raise OptionError(
            f"{human(memory, 'B')} of memory is too little: rows of {layout.types} words need {human(needed(1), 'B')}",
            hint=f"give at least --memory {-(-needed(1) // 10**6)}MB",
        )
    total = sum(sizes)
    seconds = 3 * total / _BYTES_PER_SECOND + 2 * total / (8 * _MERGED_PER_SECOND * threads)
    return MergePlan(len(sizes), threads, needed(threads), total, total, seconds)
