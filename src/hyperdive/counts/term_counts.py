"""Rows of terms against words: with which words the occurrences of every term meet.

A term covers some tokens of a line. Its contexts are the tokens up to `window` before the first and after the last of
them, inside the line; the tokens it covers are counted as words elsewhere and are no contexts of it. Words are counted
as if there were no terms.

Rows are counted when they are asked for, a block of terms at a time, so that no more than a few blocks exist at once.
Memory: 18 bytes an occurrence, 40 while they are sorted; for each thread 9 bytes a word of the vocabulary and 16 bytes
for each context of the block it works on; 4 bytes a token where tokens are translated.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._types import Array, Floats, Ids, Ints
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.counts.rows import DenseRows, RowBlock
from hyperdive.errors import FormatError
from hyperdive.options import CountOptions
from hyperdive.text.term_occurrences import TermOccurrences


class TermRows(NamedTuple):
    """Some rows as arrays: counts inside the window, and those at distance window exactly (empty unless `near`)."""

    indptr: Ints
    indices: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint32]
    edges: npt.NDArray[np.uint32]


class TermCounts:
    """The counts of terms against the words of a vocabulary.

    Args:
        tokens: ids of the text; those from `size` on read as the unknown symbol 0.
        lines: where each line starts, plus the end.
        terms: where terms stand.
        size: the words of the vocabulary, the unknown symbol among them.
        options: which pairs are counted.

    >>> tokens = np.array([1, 2, 3, 1, 4, 2, 3, 1], dtype=np.uint32)  # "2 3" is a term
    >>> places = np.array([1, 5]), np.array([2, 2]), np.array([0, 0])
    >>> terms = TermOccurrences(["two three"], ["two three"], np.array([2]), *places)
    >>> counts = TermCounts(tokens, np.array([0, 8]), terms, 4, CountOptions(window=2))
    >>> counts.rows(0, 1).indices.tolist(), counts.rows(0, 1).counts.tolist()
    ([0, 1], [2, 4])
    """

    def __init__(self, tokens: Ids, lines: Ints, terms: TermOccurrences, size: int, options: CountOptions) -> None:
        self._tokens, self._size, self.options = tokens, size, options
        begins = np.asarray(terms.starts, dtype=np.int64)
        ends = begins + np.asarray(terms.lengths, dtype=np.int64)
        ids = np.asarray(terms.ids)
        many = len(terms.counts)
        if len(begins) and not (int(begins.min()) >= 0 and int(ends.max()) <= len(tokens) and int(ids.max()) < many):
            raise FormatError("a term stands outside the text", hint="the corpus is damaged; encode it again")
        # lines are looked up before terms are brought together: places that rise are found faster
        left, right = _rooms(begins, ends, np.asarray(lines), options)
        order = np.argsort(ids, kind="stable")
        self._begins, self._ends, self._left, self._right = begins[order], ends[order], left[order], right[order]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=many))]).astype(np.int64)
        self._local = threading.local()

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def frequencies(self) -> Ints:
        """n(t): the occurrences of every term."""
        return np.diff(self._starts)

    def rows(self, first: int, last: int) -> TermRows:
        """The rows of terms first to last; threads may ask at the same time."""
        from hyperdive.kernels.counts import count_term_rows

        here = slice(int(self._starts[first]), int(self._starts[last]))
        meetings = int(self._left[here].sum(dtype=np.int64) + self._right[here].sum(dtype=np.int64))
        near = self.options.near
        if not hasattr(self._local, "scratch"):
            self._local.scratch = DenseRows(self._size, near=near)
        rows = RowBlock.room(last - first, meetings, meetings, near=near)
        lengths = np.empty(last - first, dtype=np.int64)
        size = count_term_rows(
            self._tokens, self._begins, self._ends, self._left, self._right, self._starts, first, last,
            np.uint32(self._size), np.array(self.options.weights, dtype=np.int64), self.options.window if near else 0,
            *self._local.scratch.rows(np.dtype("<u4")), *rows[1:], lengths,
        )  # fmt: skip
        rows = rows.cut(*size)
        counts, edges = rows.values()
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        return TermRows(pointers, rows.indices.astype(np.int32), counts, edges)


def _rooms(begins: Ints, ends: Ints, lines: Ints, options: CountOptions) -> tuple[Array, Array]:
    """How many contexts every occurrence has before and after it, inside its line and the window."""
    room = np.uint8 if options.window <= np.iinfo(np.uint8).max else np.uint16
    last = np.maximum(ends - 1, begins).clip(max=max(int(lines[-1]) - 1, 0))
    before = begins - lines[np.searchsorted(lines, begins.clip(max=max(int(lines[-1]) - 1, 0)), side="right") - 1]
    after = lines[np.searchsorted(lines, last, side="right").clip(max=len(lines) - 1)] - ends
    left = np.minimum(before, options.window) * (options.sides != "right")
    right = np.clip(after, 0, options.window) * (options.sides != "left")
    return left.astype(room), right.astype(room)


def filtered_rows(
    rows: TermRows, filtered: PmiFilter, frequencies: Ints, words: Ints, options: CountOptions
) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[np.uint32]]:
    """What of some rows passes the PMI filter, as pointers, indices and counts.

    In the token unit T·n(x,y) ≥ k_f·n(x)·n(y), with the words' own T and n(y); in the ratio unit #(y)/|D| is read as
    n(y)/T, which leaves out that lines end.

    Args:
        rows: rows of terms, with counts at distance window when the filter needs near ones.
        filtered: the filter.
        frequencies: n(x) of these terms.
        words: n(y) of the vocabulary, the unknown symbol first.
        options: the options of counting.

    >>> rows = TermRows(np.array([0, 2]), np.array([1, 2], np.int32), np.array([3, 1]), np.array([0, 0]))
    >>> keep = PmiFilter(threshold=2, near=False)
    >>> filtered_rows(rows, keep, np.array([3]), np.array([0, 50, 50]), CountOptions())[1].tolist()
    [1]
    """
    lengths = np.diff(rows.indptr)
    meetings = (rows.counts.astype(np.int64) - rows.edges) if filtered.near else rows.counts.astype(np.int64)
    if filtered.unit == "tokens":
        own: Floats = frequencies.astype(np.float64) * (filtered.threshold * options.scale)
    else:
        own = np.add.reduceat(np.append(rows.counts, 0).astype(np.float64), rows.indptr[:-1]) * filtered.threshold
    wanted = np.repeat(own, lengths) * words.astype(np.float64)[rows.indices]
    keep = (meetings == 0) | (float(words.sum()) * meetings >= wanted)
    places = np.concatenate([[0], np.cumsum(keep)])
    return places[rows.indptr], rows.indices[keep], rows.counts[keep]


def translated(tokens: Ids, words: Sequence[str], numbers: dict[str, int]) -> Ids:
    """Tokens under the numbers of another vocabulary, 0 for words it does not have.

    >>> translated(np.array([1, 2], dtype=np.uint32), ["<unk>", "dog", "xyz"], {"dog": 7}).tolist()
    [7, 0]
    """
    table = np.fromiter((numbers.get(word, 0) for word in words), dtype=np.uint32, count=len(words))
    return table[tokens]
