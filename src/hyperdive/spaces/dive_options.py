"""What every solver shares: the result and history of a run, and threads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from hyperdive._resources import check_threads
from hyperdive._store import fingerprint
from hyperdive._types import Array, Floats32, Ints
from hyperdive.errors import InputError

FEWEST_TOKENS = 300


class Pass(NamedTuple):
    """One pass over the data and the exact objective after it, in nats a token of the sampled words."""

    stage: str
    number: int
    objective: float


@dataclass(frozen=True)
class DiveResult:
    """Trained tables, row by row as the counts had them (row 0 is the unknown symbol), and how training went."""

    words: Floats32
    contexts: Floats32
    history: tuple[Pass, ...]
    gauge: Floats32
    """What each dimension of the words was multiplied by after the last pass: the ridge weighs the rows before that."""
    residuals: tuple[Any, ...] = ()
    """How far words are from their optimum by bands of frequency (`dive_objective.BandResidual`)."""


def check_size(frequencies: Ints, dimensions: int) -> None:
    """Refuse a corpus from which so many dimensions cannot be learned."""
    tokens, words = int(frequencies.sum()), len(frequencies) - 1
    if tokens < FEWEST_TOKENS:
        raise InputError(
            f"the corpus has {tokens} tokens, too few to learn from", hint="give it more text, or fewer stop words"
        )
    if words < dimensions:
        raise InputError(
            f"the corpus has {words} words for {dimensions} dimensions",
            hint=f"give it more text, lower --min-count, or use --dimensions {max(words // 4, 1)}",
        )


@contextmanager
def workers(threads: int | None) -> Iterator[ThreadPoolExecutor]:
    """Threads for blocks of rows, with BLAS on one thread: its results differ between thread counts."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"), ThreadPoolExecutor(check_threads(threads)) as pool:
        yield pool


def run_identity(options: Any, *arrays: Array) -> str:
    """A hash of everything the result depends on; never of threads or places."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(str((array.dtype.str, array.shape)).encode())
        sha.update(np.ascontiguousarray(array).view(np.uint8).data)
    return fingerprint({"options": asdict(options), "input": sha.hexdigest(), "kind": type(options).__name__})


def stalled(objectives: list[float], tolerance: float, *, patience: int = 5, least: int = 15) -> bool:
    """Whether the last `patience` passes together gained next to nothing; with a tolerance of 0 they never do.

    Values after each pass are noisy while steps are long, so five passes without any gain are common long before the
    end: a run that is to take all its steps must be able to say so.

    >>> stalled([-9.0 + min(i, 12) for i in range(16)], 1e-4), stalled([float(i) for i in range(30)], 1e-4)
    (False, False)
    >>> stalled([-1.0] * 20, 1e-4)
    True
    """
    if tolerance <= 0 or len(objectives) < max(least, patience + 1):
        return False
    before = objectives[-patience - 1]
    return max(objectives[-patience:]) - before <= tolerance * abs(before)


# ---- memory -------------------------------------------------------------------------------------------------------

# Fitted to the peaks of anonymous memory on 70 and 218 MB of biomedical abstracts, 557 and 1,020 MB, with 18,749 and
# 35,193 words and 108,520 and 288,722 terms: bytes of libraries and patterns, of each number of a word, of each number
# of a term, and of a term beside them.
_MODEL, _WORD_NUMBER, _TERM_NUMBER, _TERM = 150_000_000, 60, 15, 520
_SOLVER_NUMBER = 48  # both tables, the moments of both, and copies to step back to


def model_memory(words: int, terms: int, dimensions: int) -> int:
    """Bytes that making a model of so many words and terms takes at its peak, beside those of Python and counting.

    >>> model_memory(1_000, 0, 100)
    156000000
    """
    return _MODEL + _WORD_NUMBER * words * dimensions + terms * (_TERM_NUMBER * dimensions + _TERM)


def solver_memory(words: int, dimensions: int) -> int:
    """Bytes that a solver takes beside the counts."""
    return _SOLVER_NUMBER * words * dimensions
