"""The whole text as items, in chunks that tasks search for terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._engine import Arrays, Engine, Facts
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


Search = Callable[[ItemChunk], tuple[Any, ...]]
"""From a chunk to arrays; picklable, and the arrays do not depend on other chunks."""


class ItemStream:
    """The items that belong to a corpus, with counts of its words.

    Args:
        text: all items that were read.
        keys: what forms stand for.
        kept_counts: how often each key is among the kept tokens of the corpus.
        engine: what searches chunks.
        folder: where results are kept by an engine whose tasks run elsewhere.
        progress: where progress is shown.
        memory: the limit of memory.
    """

    def __init__(
        self,
        text: TextItems,
        keys: FormKeys,
        kept_counts: Ints,
        *,
        engine: Engine,
        folder: Path | None = None,
        progress: Progress,
        memory: int | None = None,
    ) -> None:
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
        self._engine, self._folder, self._path = engine, folder, text.path
        self._progress, self.memory = progress, memory
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
        return self._engine.slots

    def keys_at(self, places: Ints) -> Ints:
        """The keys of the items at these places."""
        keys: Ints = self.key_of[self.items[places] & FORM_MASK]
        return keys

    @property
    def total(self) -> int:
        """How many items belong to the corpus."""
        return self.borders[-1][1] if self.borders else 0

    def map(self, stage: str, search: Search) -> Iterator[tuple[ItemChunk, tuple[Any, ...]]]:
        """Yield all chunks in their order with the results of a search.

        Args:
            stage: what the progress display shows.
            search: what is done with each chunk.
        """
        here = self._engine.in_process
        task = _ChunkSearch(search, self.items) if here else _ChunkSearch(search, path=self._path)
        folder = None if here else self._folder
        results = self._engine.results(folder, stage.replace(" ", "-"), task, self.borders)
        with self._progress.stage(stage, total=self.total, unit="words") as bar:
            for border, (_, arrays) in zip(self.borders, results, strict=True):
                chunk = chunk_of(self.items, border)
                # copies: compiled code is made for arrays that can be written to
                yield chunk, tuple(array if here else np.array(array) for array in arrays.values())
                bar.advance(chunk.end - chunk.first)


@dataclass(frozen=True, eq=False)
class _ChunkSearch:
    """Searches the items between two borders: a task function."""

    search: Search
    items: npt.NDArray[np.uint32] | None = None
    path: Path | None = None
    """Where the items lie for tasks that run elsewhere."""

    def __call__(self, border: Border) -> tuple[Facts, Arrays]:
        items = self.items
        if items is None:
            chunk = chunk_of(np.memmap(str(self.path), dtype=np.uint32, mode="r"), border)
            chunk = chunk._replace(items=np.array(chunk.items))
        else:
            chunk = chunk_of(items, border)
        return {}, {f"{number:02d}": array for number, array in enumerate(self.search(chunk))}


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
