"""What the compiled sum of `isa` reads of patterns and of terms, as arrays that are made once for many questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperdive._quantize import Codes, packed
from hyperdive._types import Bools, Floats, Ints
from hyperdive.patterns.svd import ppmi_values

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns
    from hyperdive.scores.terms import Terms

_TRIED = 1000


@dataclass(frozen=True, eq=False)
class StatementColumns:
    """Every stated pair of the patterns: `indptr` and `indices` of their counts, and in the rows of `values`
    log(1 + n(q, p)), PPMI(q, p), how many patterns state it and which share of it is of names.
    """

    indptr: Ints
    indices: Ints
    values: Floats

    @classmethod
    def of(cls, patterns: Patterns) -> StatementColumns:
        """The columns of all patterns."""
        counts = patterns.counts
        hyponym_totals, hypernym_totals, total = patterns.totals
        rows = np.repeat(np.arange(len(patterns)), np.diff(counts.indptr))
        ppmi = ppmi_values(counts.data, hyponym_totals[rows], hypernym_totals[counts.indices], total)
        stated, variety, named = (one.data.astype(np.float64) for one in (counts, patterns.variety, patterns.named))
        values = np.stack([np.log1p(stated), ppmi, variety, named / np.maximum(stated, 1.0)])
        return cls(counts.indptr.astype(np.int64), counts.indices.astype(np.int64), values)


@dataclass(frozen=True, eq=False)
class IsaColumns:
    """Every term: its `numbers` in the patterns (-1 where they do not name it itself), whether it has several words,
    its skip-gram vector, and in the columns of `values` ‖w‖², S, log(1 + m), log(1 + n(t, ·)), log(1 + n(·, t)),
    log(1 + f) and the share of n(t, ·) that is of names. Vectors that 8 bits hold are `codes` times `scales`,
    else these are empty.
    """

    statements: StatementColumns
    numbers: Ints
    values: Floats
    phrases: Bools
    matrix: Any
    codes: Codes
    scales: Floats

    @classmethod
    def of(cls, terms: Terms) -> IsaColumns | None:
        """The columns of terms; None where `isa` cannot be computed, or not by the compiled sum."""
        stated, skipgram, patterns = terms.stated, terms.skipgram, terms.source.patterns
        if stated is None or skipgram is None or skipgram.is_sparse or patterns is None:
            return None
        known = ~stated.backed_off
        counts = (stated.hyponyms_of, stated.hyponym_totals, stated.hypernym_totals)
        logarithms = [np.log1p(np.where(known, column, 0.0)) for column in counts]
        named = np.where(known, stated.named_shares, 0.0)
        columns = [skipgram.squares, terms.rows.sums, *logarithms, np.log1p(terms.own_frequencies), named]
        values = np.ascontiguousarray(np.stack(columns, axis=1))
        statements = terms.source.memo.get(StatementColumns, lambda: StatementColumns.of(patterns))
        matrix = np.ascontiguousarray(skipgram.matrix)
        numbers = stated.exact_numbers.astype(np.int64)
        return cls(statements, numbers, values, terms.phrases, matrix, *_codes(matrix))


def _codes(matrix: Any) -> tuple[Codes, Floats]:
    """The rows as whole numbers of 8 bits and their scales; no rows where something would be lost."""
    few = packed(matrix[:_TRIED])  # most models that lose something do so at once
    codes = packed(matrix) if few is not None else None
    if codes is None:
        return np.zeros((0, matrix.shape[1]), dtype=np.int8), np.zeros(0)
    return codes[0], np.ldexp(1.0, codes[1].astype(np.int32))
