"""The terms of a corpus and where they occur.

| file | content |
| --- | --- |
| `terms.txt` | one term a line: its name, a tab, its preferred spelling; by falling count, then by name |
| `term_counts.npy` | int64, how often each term occurs |
| `term_starts.npy` | int64 for each occurrence: the first kept token at or after its start |
| `term_lengths.npy` | uint8, the number of kept tokens inside it |
| `term_ids.npy` | uint32, the term: its line in `terms.txt`, from 0 |

Occurrences are sorted by start, then by length; those of longer terms do not hide the ones inside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hyperdive._checks import are_below
from hyperdive._store import Artifact
from hyperdive.errors import FormatError

NAMES = "terms.txt"


@dataclass(frozen=True)
class TermOccurrences:
    """Terms with their counts, and every occurrence as a range of kept tokens.

    >>> nothing = np.zeros(0, dtype=np.int64)
    >>> terms = TermOccurrences(["bird of prey"], ["bird of prey"], np.array([0]), nothing, nothing, nothing)
    >>> terms
    <1 terms, 0 occurrences>
    >>> terms.numbers["bird of prey"]
    0
    """

    names: list[str]
    """Normalised terms, as `normal_term` gives them."""
    spellings: list[str]
    """The preferred spelling of each term: the user's own, else its most frequent one."""
    counts: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<{len(self.names):,} terms, {len(self.ids):,} occurrences>"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each term by its name."""
        return {name: number for number, name in enumerate(self.names)}

    @classmethod
    def read(cls, artifact: Artifact, tokens: int) -> TermOccurrences | None:
        """Those of a corpus folder of so many tokens, memory-mapped; None where it has none."""
        if NAMES not in artifact:
            return None
        lines = artifact.lines(NAMES)
        counts, ids = artifact.array("term_counts.npy", "int64"), artifact.array("term_ids.npy", "uint32")
        starts, lengths = artifact.array("term_starts.npy", "int64"), artifact.array("term_lengths.npy", "uint8")
        fits = len(counts) == len(lines) and len(starts) == len(lengths) == len(ids)
        if fits and not artifact.trusted:
            fits = are_below(ids, len(lines)) and _inside(starts, lengths, tokens)
            fits = fits and np.array_equal(np.bincount(ids, minlength=len(lines)), counts)
        if not fits:
            raise FormatError(f"{artifact.path}: the terms do not fit their occurrences", hint="make it anew")
        columns = [line.partition("\t") for line in lines]
        names, spellings = [name for name, _, _ in columns], [spelling for _, _, spelling in columns]
        return cls(names, spellings, counts, starts, lengths, ids)


def _inside(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.uint8], tokens: int) -> bool:
    """Whether occurrences are in order and none reaches beyond the text."""
    in_order = len(starts) == 0 or (int(starts[0]) >= 0 and bool((starts[1:] >= starts[:-1]).all()))
    return in_order and are_below(starts, tokens + 1) and bool((lengths <= tokens - starts).all())
