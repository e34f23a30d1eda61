"""The whole text as items, in chunks that threads search for terms."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from hyperdive._progress import Progress
from hyperdive._resources import default_memory
from hyperdive._types import Ints
from hyperdive.kernels import terms as k
from hyperdive.kernels.terms import FORM_MASK
from hyperdive.text.lemmas import FormKeys
from hyperdive.text.term_items import TextItems

CHUNK_ITEMS = 4 << 20
"""Items that are searched for terms at once, where memory allows it."""
IN_PARTS = ", or encode the text in parts"
"""What else can be done where a text needs too much memory."""
Result = TypeVar("Result")
Border = tuple[int, int, int]
"""Start and end of a chunk, and the kept tokens before it."""


class ItemChunk(NamedTuple):
    """A piece of the items: search those from `first` to `end`; the others are what a search may look at."""

    items: npt.NDArray[np.uint32]
    first: int
    end: int
    origin: int
    """Where the piece begins in the whole text."""
    kept_before: int
    """Kept tokens before item `first`."""


class ItemStream:
    """The items that belong to a corpus, with counts of its words.

    Args:
        text: all items that were read.
        keys: what forms stand for.
        kept_counts: how often each key is among the kept tokens of the corpus.
        threads: how many threads search.
        progress: where progress is shown.
        memory: the limit of memory.
    """

    def __init__(
        self, text: TextItems, keys: FormKeys, kept_counts: Ints, threads: int, progress: Progress,
        memory: int | None = None,
    ) -> None:  # fmt: skip
        self.items, self.numerals, self.spelling = text.items, text.numerals, text.spelling
        self.abbreviations = text.abbreviations
        self.words, self.key_of = keys.words, keys.of_form
        self.kept_counts = kept_counts
        self.keep: npt.NDArray[np.bool_] = (kept_counts > 0) & ~keys.stop
        self.counts: Ints = np.zeros(len(keys.words), dtype=np.int64)
        """How often each key occurs, stop words and numerals included."""
        self.capitals: Ints = np.zeros(len(keys.of_form), dtype=np.int64)
        """How often each form is written in capitals."""
        self.forms: Ints = np.zeros(len(keys.of_form), dtype=np.int64)
        """How often each form occurs."""
        self._threads, self._progress, self.memory = threads, progress, memory
        share = (default_memory() if memory is None else memory) // 1024
        self._chunk = min(CHUNK_ITEMS, max(share, 1 << 16))
        self.borders: list[Border] = list(self._count())

    def _count(self) -> Iterator[Border]:
        """Start, end and kept tokens before each chunk; a chunk ends at a gap, or where the corpus ends."""
        size = int(self.kept_counts.sum())
        start = kept = 0
        while start < len(self.items) and kept < size:
            end = min(start + self._chunk, len(self.items))
            while end < len(self.items) and self.items[end] & FORM_MASK != 0:
                end += 1
            used, seen = k.count_items(
                np.asarray(self.items[start:end]), self.key_of, self.keep, size - kept, self.counts, self.forms,
                self.capitals,
            )  # fmt: skip
            yield start, start + used, kept
            start, kept = end, kept + seen

    @property
    def threads(self) -> int:
        """How many chunks are searched at a time."""
        return self._threads

    def keys_at(self, places: Ints) -> Ints:
        """The keys of the items at these places."""
        keys: Ints = self.key_of[self.items[places] & FORM_MASK]
        return keys

    @property
    def total(self) -> int:
        """How many items belong to the corpus."""
        return self.borders[-1][1] if self.borders else 0

    def map(self, stage: str, search: Callable[[ItemChunk], Result]) -> Iterator[tuple[ItemChunk, Result]]:
        """All chunks in their order with the results of a function of them; every thread searches a chunk.

        Args:
            stage: what the progress display shows.
            search: called in a thread; its result must not depend on other chunks.
        """
        waiting: deque[tuple[ItemChunk, Future[Result]]] = deque()
        stages, total = self._progress, self.total
        with stages.stage(stage, total=total, unit="words") as bar, ThreadPoolExecutor(self._threads) as pool:

            def take() -> tuple[ItemChunk, Result]:
                chunk, future = waiting.popleft()
                result = future.result()
                bar.advance(chunk.end - chunk.first)
                return chunk, result

            for border in self.borders:
                chunk = chunk_of(self.items, border)
                waiting.append((chunk, pool.submit(search, chunk)))
                if len(waiting) > self._threads:
                    yield take()
            while waiting:
                yield take()


def chunk_of(items: npt.NDArray[np.uint32], border: Border) -> ItemChunk:
    """The items between two borders, with the one before them."""
    start, end, kept = border
    before = min(1, start)
    return ItemChunk(np.asarray(items[start - before : end]), before, before + end - start, start - before, kept)


class HashTable(NamedTuple):
    """An open-addressing table from hashes to numbers."""

    slots: npt.NDArray[np.uint64]
    values: npt.NDArray[np.int32]
    marks: npt.NDArray[np.uint8]
    """Bits of the hashes that are in the table, and of some that are not."""


def hash_table(hashes: npt.NDArray[np.uint64], numbers: Any) -> HashTable:
    """A table from hashes to numbers. Of equal hashes the largest number counts."""
    slots: npt.NDArray[np.uint64] = np.zeros(1 << max(4, (3 * len(hashes)).bit_length()), dtype=np.uint64)
    values = np.full(len(slots), -1, dtype=np.int32)
    marks = np.zeros(len(slots) // 2, dtype=np.uint8)
    k.fill_slots(slots, values, marks, hashes, np.asarray(numbers, dtype=np.int32))
    return HashTable(slots, values, marks)
