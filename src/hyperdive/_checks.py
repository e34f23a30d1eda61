"""What compiled loops index by, checked when it is read from a folder: they have no bounds checks of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperdive._types import Ints

MOST_DIMENSIONS = 1 << 24
"""A space has no more: a dense vector then takes 64 MB, whatever a header claims."""


def row_pointers(lengths: Any, size: int) -> Ints | None:
    """Where the rows of these lengths start among `size` entries; None when they do not fill them.

    >>> row_pointers(np.array([2, 0, 1]), 3).tolist(), row_pointers(np.array([4, -1]), 3)
    ([0, 2, 2, 3], None)
    >>> row_pointers(np.array([2**62, 2**62, 2**62, 2**62, 3], dtype=np.uint64), 3) is None  # their sum wraps to 3
    True
    """
    if len(lengths) and (int(lengths.min()) < 0 or int(lengths.max()) > size):
        return None
    pointers = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=pointers[1:])
    return pointers if int(pointers[-1]) == size else None


def are_pointers(pointers: Any, size: int) -> bool:
    """Whether these offsets begin at 0, never fall and end at `size`.

    >>> are_pointers(np.array([0, 2, 2, 3]), 3), are_pointers(np.array([0, 4, 3]), 3)
    (True, False)
    """
    if len(pointers) == 0 or int(pointers[0]) != 0 or int(pointers[-1]) != size:
        return False
    return bool((pointers[1:] >= pointers[:-1]).all())


def are_below(numbers: Any, limit: int) -> bool:
    """Whether all numbers are from 0 to below `limit`.

    >>> are_below(np.array([0, 2]), 3), are_below(np.array([-1]), 3), are_below(np.array([]), 0)
    (True, False, True)
    """
    return len(numbers) == 0 or 0 <= int(numbers.min()) <= int(numbers.max()) < limit


def rise_in_rows(indices: Any, pointers: Any) -> bool:
    """Whether the numbers rise within each row.

    >>> rise_in_rows(np.array([1, 5, 0]), np.array([0, 2, 3])), rise_in_rows(np.array([1, 5, 0]), np.array([0, 3]))
    (True, False)
    """
    falls = np.flatnonzero(indices[1:] <= indices[:-1]) + 1
    starts = np.zeros(len(indices) + 1, dtype=np.bool_)
    starts[pointers] = True
    return bool(starts[falls].all())


def unfolds(file: Any, size: int) -> bool:
    """Whether an open Parquet file of this size claims many times that in memory, by its metadata."""
    most = MOST_UNFOLDED * size + UNFOLDED_BYTES
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    if sum(group.total_byte_size for group in groups) > most:
        return True
    for number in range(len(groups)):
        # a reader refuses damaged descriptions of columns; asked for them directly, the library ends the process
        next(file.iter_batches(batch_size=1, row_groups=[number], use_threads=False), None)
    values = sum(group.column(number).num_values for group in groups for number in range(group.num_columns))
    return bool(8 * values > most)


def are_finite(values: Any) -> bool:
    """Whether no value is infinite or no number, block by block, so that a map of a file is never copied whole."""
    flat = values.reshape(-1)
    return all(bool(np.isfinite(flat[start : start + _BLOCK]).all()) for start in range(0, len(flat), _BLOCK))


_BLOCK = 1 << 20
MOST_UNFOLDED, UNFOLDED_BYTES = 100, 64 << 20
"""A compressed file that is not read in a stream may take so many times its own size in memory, and so much more."""
