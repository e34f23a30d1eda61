"""Writing a folder of counts: ranges of rows one after the other, their sums, and the check that nothing is missing.

Folder (format `hyperdive-counts`, version 2):

| file | content |
| --- | --- |
| `words.txt`, `word_counts.npy` | every word by its number (the unknown symbol first), and its int64 number of tokens |
| `indptr.npy` | int64, where each row starts among all entries, plus the end |
| `indices.npy` | uint32, the contexts of each row by rising number |
| `counts.npy`, `edges.npy` | uint8, the counts, and (with `near`) those at distance window exactly |
| `large_positions.npy` | int64, the entries whose count is 255 or more: 255 is written in their place |
| `large_counts.npy`, `large_edges.npy` | uint64, the counts and edges of these entries |
| `totals.npy` | int64, three rows over the vocabulary: row sums, what of them is the unknown symbol, column sums |

Row r holds the contexts of word r by their own numbers, rare words too, so that counts of several corpora can be added
and the minimum count applied afterwards; row 0 holds those of the unknown symbol. Readers see the vocabulary: rare
contexts, the last of each row, are summed into the unknown symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._store import ArtifactWriter
from hyperdive._types import Ints
from hyperdive.counts.rows import RowBlock, RowRange
from hyperdive.errors import FormatError
from hyperdive.kernels import counts as kernels
from hyperdive.options import CountOptions

KIND, VERSION = "counts", 2

Beside = Callable[[Path], None]
"""Writes what counts carry beside them into their folder, before that is in place."""


@dataclass(frozen=True)
class CountsContent:
    """What the header of the counts records of their text, and what else is in the folder."""

    words: Sequence[str]
    word_counts: Ints
    size: int
    """Words of the vocabulary, the unknown symbol among them."""
    min_count: int
    options: CountOptions
    pairs: int
    """What all counts must add up to."""
    text: dict[str, Any]
    corpora: Sequence[str]
    beside: Beside | None = None


def write_counts(
    output: Path, content: CountsContent, blocks: Iterable[tuple[RowRange, RowBlock]], *, force: bool
) -> dict[str, Any]:
    """Write counts from all their rows in order, when they add up to the pairs of the text; returns the header."""
    options, size, types = content.options, content.size, len(content.word_counts)
    kinds = {"indices": "<u4", "counts": "<u1", "large_positions": "<i8", "large_counts": "<u8"}
    kinds |= {"edges": "<u1", "large_edges": "<u8"} if options.near else {}
    pointers, totals = np.zeros(types + 1, dtype=np.int64), np.zeros((3, size), dtype=np.int64)
    counted, entries = 0, 0
    with ArtifactWriter(output, KIND, VERSION, force=force) as writer:
        writer.put("words.txt", "".join(f"{word}\n" for word in content.words).encode("utf-8"))
        writer.put("word_counts.npy", content.word_counts)
        streams = {name: writer.stream(f"{name}.npy", kind) for name, kind in kinds.items()}
        for rows, block in blocks:
            arrays: dict[str, Any] = {"indices": block.indices, "counts": block.counts, "large_counts": block.large}
            arrays |= {"edges": block.edges, "large_edges": block.large_edges} if options.near else {}
            arrays["large_positions"] = block.large_places() + entries
            for name, array in arrays.items():
                streams[name].append(array)
            pointers[rows.first + 1 : rows.last + 1] = block.pointers[1:] + entries
            entries += len(block.indices)
            sums, unknown = np.zeros((2, rows.last - rows.first), dtype=np.int64)
            # rows of rare words are in the unknown symbol's row already: they add nothing to the columns
            known = min(max(size - rows.first, 0), rows.last - rows.first)
            frozen = block.frozen()
            kernels.row_sums(
                frozen.pointers, frozen.indices, frozen.counts, frozen.large, size, known, sums, unknown, totals[2]
            )
            totals[0, rows.first : rows.first + known] = sums[:known]
            totals[1, rows.first : rows.first + known] = unknown[:known]
            counted += int(sums.sum()) if rows.first > 0 else 0
        if counted != content.pairs or int(totals[0].sum()) != content.pairs:
            raise FormatError(
                f"{output}: {counted} pairs were counted where the text has {content.pairs}",
                hint="the input was changed or damaged meanwhile; run the command again",
            )
        writer.put("indptr.npy", pointers)
        writer.put("totals.npy", totals)
        if content.beside is not None:
            content.beside(writer.folder)
        return writer.finish(
            {
                "parameters": {**options.as_parameters(), "min_count": content.min_count},
                "text": content.text,
                "input": {"corpora": list(content.corpora)},
                "unknown": "a context and a row of its own; #(x) and |D| of associations leave it out",
                "totals": {
                    "tokens": int(content.word_counts.sum()),
                    "types": types - 1,
                    "vocabulary": size,
                    "entries": entries,
                    "pairs": content.pairs,
                    "scale": options.scale,
                },
            }
        )
