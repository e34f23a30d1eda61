"""How strongly two words belong together: one table, name → formula, on the pairs of row blocks.

In every formula n(x,c) is the count of a pair, #(x) = Σ_c n(x,c) and #(c) = Σ_x n(x,c) its margins, |D| the sum of
all counts, |V| the number of rows, and k a shift (1 unless told). The unknown symbol is left out of all of them unless
`include_unknown` is set.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperdive._resources import check_threads
from hyperdive._types import Floats, Ints
from hyperdive.errors import OptionError

if TYPE_CHECKING:
    from hyperdive.counts.cooccurrence import Cooccurrence
    from hyperdive.counts.pmi_filter import PmiFilter


@dataclass(frozen=True)
class Margins:
    """#(x), #(c), |D| and |V|, in stored units; `scale` of them are one meeting next door."""

    rows: Ints
    columns: Ints
    total: int
    words: int
    scale: int = 1


@dataclass(frozen=True)
class PairCounts:
    """The pairs of a row block as parallel arrays, and the sums they are part of."""

    n: Floats
    row: Floats
    column: Floats
    total: float
    words: float
    k: float


def freq(pairs: PairCounts) -> Floats:
    """n(x,c)"""
    return pairs.n


def pmi(pairs: PairCounts) -> Floats:
    """log( n(x,c)·|D| / (#(x)·#(c)) )"""
    ratio: Floats = pairs.n * pairs.total / (pairs.row * pairs.column)
    return np.log(ratio)


def ppmi(pairs: PairCounts) -> Floats:
    """max( log( n(x,c)·|D| / (#(x)·#(c)) ), 0 )"""
    return np.maximum(pmi(pairs), 0.0)


def shifted_pmi(pairs: PairCounts) -> Floats:
    """log( n(x,c)·|D| / (#(x)·#(c)) ) − log k"""
    return pmi(pairs) - log(pairs.k)


def shifted_ppmi(pairs: PairCounts) -> Floats:
    """max( log( n(x,c)·|D| / (#(x)·#(c)) ) − log k, 0 )"""
    return np.maximum(shifted_pmi(pairs), 0.0)


def inclusion_shift(pairs: PairCounts) -> Floats:
    """log( n(x,c)·|V| / (#(c)·k) ): the PMI plus log( #(x) / (k·Z) ) with Z = |D|/|V|, the paper's equation 3"""
    ratio: Floats = pairs.n * pairs.words / (pairs.column * pairs.k)
    return np.log(ratio)


def positive_inclusion_shift(pairs: PairCounts) -> Floats:
    """max( log( n(x,c)·|V| / (#(c)·k) ), 0 ): PPMI with inclusion shift"""
    return np.maximum(inclusion_shift(pairs), 0.0)


ASSOCIATIONS: dict[str, Callable[[PairCounts], Floats]] = {
    "freq": freq,
    "pmi": pmi,
    "ppmi": ppmi,
    "shifted-pmi": shifted_pmi,
    "shifted-ppmi": shifted_ppmi,
    "is": inclusion_shift,
    "ppmi-is": positive_inclusion_shift,
}
"""Name → function. Entries that come out as 0 are not stored."""


def lookup(name: str) -> Callable[[PairCounts], Floats]:
    """The association of that name.

    >>> lookup("ppmi").__name__
    'ppmi'
    """
    try:
        return ASSOCIATIONS[name]
    except KeyError:
        raise OptionError(f"no association {name!r}", hint=f"use one of {', '.join(ASSOCIATIONS)}") from None


def weigh(block: Any, start: int, margins: Margins, by: str, *, k: float = 1.0, dtype: Any = np.float64) -> Any:
    """The associations of a block of count rows (CSR, first row `start`) as CSR of the same shape, zeros left out.

    >>> from scipy.sparse import csr_array
    >>> margins = Margins(np.array([3, 1]), np.array([2, 2]), total=4, words=2)
    >>> weigh(csr_array([[1, 2], [1, 0]]), 0, margins, "ppmi").toarray().round(3).tolist()
    [[0.0, 0.288], [0.693, 0.0]]
    """
    from scipy.sparse import csr_array

    function = lookup(by)
    if not 0 < k < float("inf"):
        raise OptionError(f"the shift k is {k}", hint="use a number above 0")
    lengths = np.diff(block.indptr)
    rows = np.arange(start, start + block.shape[0])
    # freq is in meetings; in all others the unit of the counts cancels
    unit = margins.scale if by == "freq" else 1
    values = function(
        PairCounts(
            n=block.data.astype(np.float64) / unit,
            row=np.repeat(margins.rows[rows].astype(np.float64), lengths),
            column=margins.columns[block.indices].astype(np.float64),
            total=float(margins.total),
            words=float(margins.words),
            k=k,
        )
    )
    keep = values != 0
    pointers = np.concatenate([[0], np.cumsum(keep)])[block.indptr]
    return csr_array((values[keep].astype(dtype), block.indices[keep], pointers), shape=block.shape)


def association_matrix(
    counts: Cooccurrence,
    by: str = "ppmi",
    *,
    k: float = 1.0,
    include_unknown: bool = False,
    filtered: PmiFilter | None = None,
    dtype: Any = np.float32,
    threads: int | None = None,
) -> Any:
    """The whole matrix of an association, row block by row block; with `filtered` the pairs that pass it."""
    from scipy.sparse import csr_array

    lookup(by)
    margins = counts.margins(include_unknown=include_unknown)
    size = len(margins.rows)

    def weighed(part: Any) -> Any:
        start, _, block = counts.block(part, include_unknown=include_unknown, filtered=filtered)
        return weigh(block, start, margins, by, k=k, dtype=dtype)

    with ThreadPoolExecutor(check_threads(threads)) as pool:
        parts = list(pool.map(weighed, counts.ranges(include_unknown=include_unknown)))
    lengths = np.concatenate([np.diff(part.indptr) for part in parts] or [np.zeros(0, dtype=np.int64)])
    pointers = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    narrow = pointers[-1] <= np.iinfo(np.int32).max
    indices = np.concatenate([part.indices for part in parts]) if parts else np.zeros(0, dtype=np.int32)
    data = np.concatenate([part.data for part in parts]) if parts else np.zeros(0, dtype=dtype)
    kind = np.int32 if narrow else np.int64
    matrix = csr_array((data, indices.astype(kind, copy=False), pointers.astype(kind)), shape=(size, size))
    matrix.has_sorted_indices = True
    return matrix
