"""What the terms of a text cost in training: rows by fold-in, beside the words."""

from __future__ import annotations

from dataclasses import dataclass

from hyperdive._resources import check_threads

# Measured on English Wikipedia with two cores of 2024, 100 dimensions; a plan is an estimate, not a promise.
_TERMS_A_SECOND = 22e3  # a thread
_TOKENS_A_SECOND = 4e6  # a thread: counting terms against words
_FIXED_MEMORY, _TERM_MEMORY = 56_000_000, 1_480
_TERM_DISK, _TERM_WORK_DISK = 260, 460


@dataclass(frozen=True)
class FoldInPlan:
    """Estimates for the rows of terms in `train`."""

    terms: int
    seconds: float
    memory: int
    """Bytes beside those of Python and its libraries."""
    disk: int
    """Bytes of the model."""
    work_disk: int


def plan_fold_in(terms: int, tokens: int, *, threads: int | None = None) -> FoldInPlan:
    """Estimates for so many terms of a text of so many kept tokens.

    >>> plan_fold_in(0, 0).seconds
    0.0
    """
    workers = check_threads(threads)
    seconds = (terms / _TERMS_A_SECOND + tokens / _TOKENS_A_SECOND) / workers
    memory = _FIXED_MEMORY + _TERM_MEMORY * terms
    return FoldInPlan(terms, seconds, memory, _TERM_DISK * terms, _TERM_WORK_DISK * terms)
