"""Blocks of text in memory, inverted: for every word the places where it stands.

A block is a range of target tokens, from one corpus or several, with `window` more tokens on each side, so blocks
may begin and end anywhere and still no window is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Ints
from hyperdive.counts.rows import DenseRows, RowBlock, RowRange
from hyperdive.errors import FormatError
from hyperdive.kernels import counts as kernels
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus


@dataclass(frozen=True)
class TokenRange:
    """Target tokens start..end of corpus number `corpus`."""

    corpus: int
    start: int
    end: int


def cut(sizes: Sequence[int], block_tokens: int) -> list[tuple[TokenRange, ...]]:
    """All tokens of corpora of these sizes in blocks of at most `block_tokens`.

    >>> [[(piece.corpus, piece.start, piece.end) for piece in block] for block in cut([5, 4], 6)]
    [[(0, 0, 5), (1, 0, 1)], [(1, 1, 4)]]
    """
    blocks: list[tuple[TokenRange, ...]] = []
    pieces: list[TokenRange] = []
    room = block_tokens
    for number, size in enumerate(sizes):
        at = 0
        while at < size:
            end = min(size, at + room)
            pieces.append(TokenRange(number, at, end))
            room -= end - at
            at = end
            if room == 0:
                blocks.append(tuple(pieces))
                pieces, room = [], block_tokens
    if pieces:
        blocks.append(tuple(pieces))
    return blocks


def line_lengths(corpus: Corpus) -> tuple[Ints, Ints]:
    """The different lengths of lines, and how many lines have each."""
    length = corpus.parameters["line_length"]
    if isinstance(length, int):
        whole, rest = divmod(len(corpus), length)
        return np.array([length, rest], dtype=np.int64), np.array([whole, int(rest > 0)], dtype=np.int64)
    lines_of: dict[int, int] = {}
    offsets = corpus.line_offsets
    for start in range(0, len(offsets) - 1, 1 << 20):
        lengths, repeats = np.unique(np.diff(offsets[start : start + (1 << 20) + 1]), return_counts=True)
        for key, value in zip(lengths.tolist(), repeats.tolist(), strict=True):
            lines_of[key] = lines_of.get(key, 0) + value
    return np.array(list(lines_of), dtype=np.int64), np.array(list(lines_of.values()), dtype=np.int64)


@dataclass(frozen=True)
class InvertedIndex:
    """Occurrences of word w: positions[starts[w]:starts[w + 1]], each with its room to the left and right."""

    tokens: npt.NDArray[np.uint32]
    positions: npt.NDArray[np.uint32]
    left: npt.NDArray[Any]
    right: npt.NDArray[Any]
    starts: Ints


def load(
    corpora: Sequence[Corpus],
    tables: Sequence[npt.NDArray[np.uint32]],
    pieces: Sequence[TokenRange],
    types: int,
    options: CountOptions,
    threads: int,
) -> InvertedIndex:
    """Read a block, number its words by `tables` and invert it with this many threads."""
    window = options.window
    halos = [_halo(corpora[piece.corpus], piece, window) for piece in pieces]
    tokens: npt.NDArray[np.uint32] = np.empty(sum(high - low for low, high in halos), dtype=np.uint32)
    ends = np.cumsum([high - low for low, high in halos]).tolist()
    shifts = [end - high for end, (_, high) in zip(ends, halos, strict=True)]  # from a place in the corpus to one here
    targets = [(piece.start + shift, piece.end + shift) for piece, shift in zip(pieces, shifts, strict=True)]
    chunks = [part for target in targets for part in _split(target, threads)]
    tallies = np.zeros((len(chunks), types), dtype=np.int64)

    def fill(number: int, low: int, high: int) -> None:
        corpus, shift = corpora[pieces[number].corpus], shifts[number]
        place = tokens[low + shift : high + shift]
        place[:] = corpus.tokens[low:high]
        _renumber(corpus, place, tables[pieces[number].corpus])

    with ThreadPoolExecutor(threads) as pool:
        lines = [pool.submit(_borders, corpora[piece.corpus], *halo) for piece, halo in zip(pieces, halos, strict=True)]
        for number in {piece.corpus for piece in pieces}:
            _ = corpora[number].tokens  # compared with its checksum once, not by each thread
        parts = [(number, *part) for number, halo in enumerate(halos) for part in _split(halo, threads)]
        list(pool.map(fill, *zip(*parts, strict=True)))
        bad = pool.map(lambda k: kernels.tally(tokens, *chunks[k], tallies[k]), range(len(chunks)))
        if any(place >= 0 for place in bad):
            raise FormatError(
                "a token has a number beyond the vocabulary", hint="the corpus is damaged; encode it again"
            )
        starts = np.zeros(types + 1, dtype=np.int64)
        np.cumsum(tallies.sum(axis=0), out=starts[1:])
        # chunk k writes its occurrences of w behind those of the chunks before it
        cursors = np.cumsum(tallies, axis=0, out=tallies)
        cursors[1:] = cursors[:-1].copy()
        cursors[0] = 0
        cursors += starts[:-1]
        size = int(starts[-1])
        room = np.uint8 if window <= np.iinfo(np.uint8).max else np.uint16
        positions = np.empty(size, dtype=np.uint32)
        left, right = np.empty(size, dtype=room), np.empty(size, dtype=room)
        to_left, to_right = int(options.sides != "right"), int(options.sides != "left")
        borders = [line.result() + shift for line, shift in zip(lines, shifts, strict=True)]
        edges = np.unique(np.concatenate(borders))
        list(
            pool.map(
                lambda k: kernels.invert(
                    tokens, *chunks[k], edges, window, to_left, to_right, cursors[k], positions, left, right
                ),
                range(len(chunks)),
            )
        )
    return InvertedIndex(tokens, positions, left, right, starts)


def count_range(block: InvertedIndex, rows: RowRange, size: int, options: CountOptions, scratch: DenseRows) -> RowBlock:
    """Count a range of rows in a block of text.

    Args:
        block: the text.
        rows: which rows.
        size: words of the vocabulary, the unknown symbol among them.
        options: which pairs are counted.
        scratch: dense rows of this thread.
    """
    starts, cut_at = block.starts[rows.first : rows.last + 1], len(block.starts) - 1
    if rows.first == 0:
        # the unknown symbol stands wherever a rare word stands, and its contexts are read through the vocabulary
        starts, cut_at = block.starts[[size, -1]], size
    counted = RowBlock.room(rows.last - rows.first, rows.bound, rows.large, near=options.near)
    lengths = np.empty(rows.last - rows.first, dtype=np.int64)
    n, large = kernels.count_rows(
        block.tokens, block.positions, block.left, block.right, starts, 0, len(lengths), np.uint32(cut_at),
        np.array(options.weights, dtype=np.int64), options.window if options.near else 0, *scratch.rows(rows.dtype),
        *counted[1:], lengths,
    )  # fmt: skip
    np.cumsum(lengths, out=counted.pointers[1:])
    return counted.cut(n, large)


def _halo(corpus: Corpus, piece: TokenRange, window: int) -> tuple[int, int]:
    return max(0, piece.start - window), min(len(corpus), piece.end + window)


def _renumber(corpus: Corpus, tokens: npt.NDArray[np.uint32], table: npt.NDArray[np.uint32]) -> None:
    """table[tokens] in place, a chunk at a time; a damaged token is an error here, before it is an address."""
    step = 1 << 20
    identity = len(table) == 0
    limit = len(corpus.counts)
    for start in range(0, len(tokens), step):
        part = tokens[start : start + step]
        if len(part) and int(part.max()) >= limit:
            raise FormatError(
                f"{corpus.path}: a token has a number beyond its {limit - 1} words",
                hint="the corpus is damaged; encode it again",
            )
        if not identity:
            part[:] = table[part]


def _borders(corpus: Corpus, low: int, high: int) -> Ints:
    """Where lines start between low and high, with low and high themselves."""
    length = corpus.parameters["line_length"]
    inside: Ints
    if isinstance(length, int):
        inside = np.arange(-(-low // length) * length, high, length, dtype=np.int64)
    else:
        offsets = corpus.line_offsets
        first, last = np.searchsorted(offsets, [low, high])
        inside = np.array(offsets[first:last], dtype=np.int64)
    return np.unique(np.concatenate([[low], np.clip(inside, low, high), [high]])).astype(np.int64)


def _split(target: tuple[int, int], parts: int) -> list[tuple[int, int]]:
    ends = np.linspace(*target, parts + 1).astype(np.int64).tolist()
    return [(a, b) for a, b in pairwise(ends) if a < b]
