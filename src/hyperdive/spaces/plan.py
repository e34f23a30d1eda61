"""What training takes: its memory, and the cost of terms, whose rows are made by fold-in beside the words."""

from __future__ import annotations

from dataclasses import dataclass

from hyperdive._resources import check_threads

# Measured on English Wikipedia with two cores of 2024, 100 dimensions; a plan is an estimate, not a promise.
_TERMS_A_SECOND = 22e3  # a thread
_TOKENS_A_SECOND = 4e6  # a thread: counting terms against words
_FIXED_MEMORY, _TERM_MEMORY = 56_000_000, 1_480
_TERM_DISK, _TERM_WORK_DISK = 260, 460
# Fitted to the peaks of anonymous memory on 70 and 218 MB of biomedical abstracts, 557 and 1,020 MB, with 18,749 and
# 35,193 words and 108,520 and 288,722 terms: bytes of libraries and patterns, of each number of a word, of each number
# of a term, and of a term beside them.
_MODEL, _WORD_NUMBER, _TERM_NUMBER, _TERM = 150_000_000, 60, 15, 520
_SOLVER_NUMBER = 48  # both tables, the moments of both, and copies to step back to


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


def model_memory(words: int, terms: int, dimensions: int) -> int:
    """Bytes that making a model of so many words and terms takes at its peak, beside those of Python and counting.

    >>> model_memory(1_000, 0, 100)
    156000000
    """
    return _MODEL + _WORD_NUMBER * words * dimensions + terms * (_TERM_NUMBER * dimensions + _TERM)


def solver_memory(words: int, dimensions: int) -> int:
    """Bytes that a solver takes beside the counts."""
    return _SOLVER_NUMBER * words * dimensions


def plan_fold_in(terms: int, tokens: int, *, threads: int | None = None) -> FoldInPlan:
    """Estimates for so many terms of a text of so many kept tokens.

    >>> plan_fold_in(0, 0).seconds
    0.0
    """
    workers = check_threads(threads)
    seconds = (terms / _TERMS_A_SECOND + tokens / _TOKENS_A_SECOND) / workers
    memory = _FIXED_MEMORY + _TERM_MEMORY * terms
    return FoldInPlan(terms, seconds, memory, _TERM_DISK * terms, _TERM_WORK_DISK * terms)
