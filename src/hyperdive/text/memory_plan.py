"""How reading keeps to a limit of memory: smaller blocks, fewer threads, more on disk; else it stops."""

from __future__ import annotations

from dataclasses import dataclass

from hyperdive._resources import anonymous_memory, default_memory, release_memory, require_memory
from hyperdive.text.readers import BLOCK_BYTES

ITEMS = 4 << 20
"""Items that are searched for terms at once, where memory allows it."""
_PROCESS_BYTES = 250_000_000  # Python, its libraries and the lemmas
_LATER_BYTES = 110  # of each form, from the end of reading to the end of writing
_WRITING_BYTES = 70_000_000  # of the libraries that write tables of patterns
_THREAD_BLOCKS = 30  # memory of a thread, in blocks


@dataclass(frozen=True)
class MemoryPlan:
    """What each part of reading may take of a limit.

    >>> MemoryPlan.of(500_000_000, threads=16).threads, MemoryPlan.of(8_000_000_000, threads=16).threads
    (7, 16)
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
        self.require(_LATER_BYTES * forms, f"{forms:,} different words so far")

    def require(self, more: int, what: str) -> None:
        """Stop where so many bytes, beside what is held now, are beyond the limit.

        Args:
            more: what the next step takes at its peak.
            what: what needs it, for the message.
        """
        require_memory(self.limit, more, what, instead=", or encode the text in parts")

    def require_for_patterns(self) -> None:
        """Stop where the patterns cannot be merged and written within the limit."""
        self.require(_WRITING_BYTES + pattern_memory(self.limit), "what the text states, and what is held so far,")

    def fitting(self, most: int, each: int, least: int = 1 << 16) -> int:
        """How many things of so many bytes have room in what is left of the limit now, at most `most`.

        >>> MemoryPlan.of(None, threads=1).fitting(5, each=100)
        5
        """
        if self.limit is None:
            return most
        return min(most, max((self.limit - anonymous_memory()) // each, least))

    def release(self, forms: int = 0) -> None:
        """Give back what a finished step leaves with the allocators, where there is a limit, and `check` the forms."""
        if self.limit is not None:
            release_memory()
            self.check(forms)


def pattern_memory(limit: int | None) -> int:
    """What pairs of patterns may take of a limit before they wait on disk."""
    return max((default_memory() if limit is None else limit) // 10, 1 << 24)
