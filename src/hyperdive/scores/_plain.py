"""NumPy twins of the kernels that a single question needs, so that a first answer need not wait for a compiler.

Each takes the arguments of its twin in `_kernels` and gives the same bits: sums run in float64 in column order. They
are a few times slower, which is nothing for a few tens of thousands of pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_FEW = 4096  # rows gathered at a time


def dense_dots(matrix: Any, q: Any, p: Any, out: Any, start: int, end: int) -> None:
    """out[k] = Σᵢ q[i]·p[i] on dense rows."""
    for first in range(start, end, _FEW):
        here = slice(first, min(first + _FEW, end))
        left, right = (np.ascontiguousarray(matrix[rows[here]].T, dtype=np.float64) for rows in (q, p))
        total = np.zeros(left.shape[1])
        for one, other in zip(left, right, strict=True):
            total += one * other
        out[here] = total


def row_sums(indptr: Any, data: Any, out: Any, start: int, end: int) -> None:
    """Per row, in the columns of out: S = Σx and Σx²."""
    ends = np.asarray(indptr[start : end + 1], dtype=np.int64)
    values = np.asarray(data[ends[0] : ends[-1]], dtype=np.float64)
    rows = np.repeat(np.arange(end - start), np.diff(ends))
    # bincount adds one by one in the order of its input
    out[start:end, 0] = np.bincount(rows, values, minlength=end - start)
    out[start:end, 1] = np.bincount(rows, values * values, minlength=end - start)


def csr_values(indptr: Any, indices: Any, data: Any, q: Any, p: Any, out: Any, start: int, end: int) -> None:
    """out[k] = M[q[k], p[k]]; 0 where either number is below 0."""
    row, column = np.asarray(q[start:end], dtype=np.int64), np.asarray(p[start:end], dtype=np.int64)
    low, high = indptr[np.maximum(row, 0)].astype(np.int64), indptr[np.maximum(row, 0) + 1].astype(np.int64)
    last = high.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        below = open_ & (indices[np.minimum(middle, len(indices) - 1)] < column)
        low = np.where(below, middle + 1, low)
        high = np.where(open_ & ~below, middle, high)
    values = np.zeros(end - start)
    inside = np.flatnonzero((low < last) & (row >= 0) & (column >= 0))
    inside = inside[indices[low[inside]] == column[inside]]
    values[inside] = data[low[inside]]
    out[start:end] = values


def overlaps(indptr: Any, indices: Any, data: Any, q: Any, p: Any, out: Any, start: int, end: int) -> None:
    """Per pair, in the columns of out: Σ q·p, Σ min(q, p), Σ_{p>0} q, Σ_{q>0} p."""
    for k in range(start, end):
        first, second = (slice(int(indptr[rows[k]]), int(indptr[rows[k] + 1])) for rows in (q, p))
        _, a, b = np.intersect1d(indices[first], indices[second], assume_unique=True, return_indices=True)
        x, y = data[first][a].astype(np.float64), data[second][b].astype(np.float64)
        for column, terms in enumerate((x * y, np.minimum(x, y), x, y)):
            out[k, column] = np.cumsum(terms)[-1] if len(terms) else 0.0  # a cumulative sum adds in order


MOST = {"dense_dots": 100_000, "row_sums": 100_000, "csr_values": 100_000, "overlaps": 64}
"""How many items a twin is good for at once."""
