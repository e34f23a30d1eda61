"""The contents of a folder of patterns: terms, counts of each pattern for pairs of terms, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hyperdive._types import Ints
from hyperdive.patterns.evidence import EvidenceRows, Keys, pack
from hyperdive.patterns.svd import Factors

KIND, VERSION = "patterns", 1
FOLDER = "patterns"
"""The folder of patterns inside a corpus folder."""

LazyEvidence = EvidenceRows | Callable[[], EvidenceRows] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternTable:
    """Counts row by row: entries `pointers[q]` to `pointers[q + 1]` belong to the hyponym q.

    >>> one = np.array([0], dtype=np.int32)
    >>> counts = {"hypernyms": one, "patterns": one.astype(np.uint8), "values": np.array([4])}
    >>> PatternTable(terms=["dog", "poodle"], names=["such as"], pointers=np.array([0, 0, 1]), **counts).keys.tolist()
    [68719476736]
    """

    terms: Sequence[str]
    """Lemmas joined by a blank, the most frequent first."""
    names: Sequence[str]
    """Names of the patterns."""
    pointers: Ints
    """Where the entries of each hyponym start."""
    hypernyms: npt.NDArray[np.int32]
    """The hypernym of each entry."""
    patterns: npt.NDArray[np.uint8]
    """The pattern of each entry."""
    values: Ints
    """How often the pattern states the pair."""
    precision: Sequence[float] | None = None
    """The precision of each pattern; None is 1 for all."""
    documents: int = 0
    """Documents read."""
    evidence: LazyEvidence = None
    """Sentences, or what reads them; None when none were kept."""
    factors: Factors | None = None
    """The decomposition; None when it has not been computed."""
    totals: tuple[Ints, Ints, int] | None = None
    """Sums over rows, over columns and over all; None are those of the entries."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Term → number."""
        return {term: number for number, term in enumerate(self.terms)}

    @cached_property
    def keys(self) -> Keys:
        """Hyponym, hypernym and pattern of every entry as one sorted number each."""
        return pack(np.repeat(np.arange(len(self.terms)), np.diff(self.pointers)), self.hypernyms, self.patterns)
