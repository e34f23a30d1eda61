"""How reading keeps to a limit of memory: smaller blocks, fewer threads, more on disk; else it stops."""

from __future__ import annotations

from dataclasses import dataclass

from hyperdive._progress import human
from hyperdive._resources import anonymous_memory, default_memory, release_memory
from hyperdive.errors import OptionError
from hyperdive.text.readers import BLOCK_BYTES

ITEMS = 4 << 20
"""Items that are searched for terms at once, where memory allows it."""
_PROCESS_BYTES = 250_000_000  # Python, its libraries and the lemmas
_LATER_BYTES = 110  # of each form, from the end of reading to the end of writing
_THREAD_BLOCKS = 30  # memory of a thread, in blocks


@dataclass(frozen=True)
class MemoryPlan:
    """What each part of reading may take of a limit.

    >>> MemoryPlan.of(500_000_000, threads=16).threads, MemoryPlan.of(8_000_000_000, threads=16).threads
    (4, 16)
    """

    limit: int | None
    """Bytes that the process may have of its own; None is no limit, and shares are those of half of this machine's."""
    threads: int
    block_bytes: int
    """Text that is tokenised at once."""
    in_memory: int
    """Bytes of a temporary array that is not on disk."""
    items: int
    """Items that are searched for terms at once."""
    candidates: int
    """Candidates for terms that are counted in memory."""

    @classmethod
    def of(cls, limit: int | None, *, threads: int, block_bytes: int = BLOCK_BYTES) -> MemoryPlan:
        """The shares of a limit."""
        given = default_memory() if limit is None else limit
        block = min(block_bytes, max(given // 256, 1 << 18))
        workers = max(1, min(threads, (given - _PROCESS_BYTES) // (_THREAD_BLOCKS * block)))
        items = min(ITEMS, max(given // 1024, 1 << 16))
        return cls(limit, workers, block, given // 16, items, given // 160)

    def check(self, forms: int) -> None:
        """Stop where the text with so many different forms needs more than the limit."""
        if self.limit is None:
            return
        if anonymous_memory() + _LATER_BYTES * forms > self.limit:
            release_memory()
        needed = anonymous_memory() + _LATER_BYTES * forms
        if needed > self.limit:
            raise OptionError(
                f"{human(self.limit, 'B')} of memory is too little: {forms:,} different words so far need "
                f"{human(needed, 'B')}",
                hint=f"give more, at least --memory {-(-needed * 5 // (4 * 10**6))}MB, or encode the text in parts",
            )


def pattern_memory(limit: int | None) -> int:
    """What pairs of patterns may take of a limit before they wait on disk."""
    return max((default_memory() if limit is None else limit) // 10, 1 << 24)
