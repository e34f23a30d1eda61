"""What every solver shares: options, the history of a run, and threads."""

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
from hyperdive.errors import InputError, OptionError

MAX_DIMENSIONS = 10_000
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


@dataclass(frozen=True, kw_only=True)
class DiveOptions:
    """The objective and how the fast solver climbs it; the paper's value is named where ours differs.

    >>> DiveOptions(dimensions=50).dimensions
    50
    >>> DiveOptions(dimensions=0)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: the number of dimensions is 0 (use 1 to 10000; the paper's is 100)
    """

    dimensions: int = 100
    """Length of a vector. Paper: 100."""
    window: int = 10
    """The window the counts were made with, on each side. Paper: 10."""
    negatives: float = 1.5
    """k_I, negatives for each place of the window. Paper: 1.5."""
    sample: float = 1e-3
    """Subsampling threshold: counts of words with a larger share of the tokens, and 20 times the mean, are reduced.
    Paper: 0, none are."""
    beta: float = 0.75
    """How much rare words' negatives weaken: 0 not at all, as in the paper; 1 as without the shift."""
    shift: bool = True
    """The inclusion shift: the same weight of negatives for every word. Paper: on."""
    ridge: float = 0.02
    """Weight of the squared length of a row relative to its negatives. Paper: 0 (its noise does a similar work)."""
    passes: int = 40
    """Most alternating passes over the frequent words and contexts."""
    rare_passes: int = 8
    """Steps for the rows of rare contexts, and again for those of rare words."""
    frequent: int = 20_000
    """How many words and contexts, the most frequent, are trained together before the rest."""
    sampled: int = 2_000
    """Negatives shared by all rows of a step; half of them the most frequent contexts, which are summed exactly."""
    rate: float = 0.1
    """Size of the first steps; it falls to nearly nothing over the passes."""
    tolerance: float = 1e-4
    """Stop a stage when five passes together gain less than this part of the objective; 0: never."""
    seed: int = 0
    """The same seed gives the same bytes."""

    def __post_init__(self) -> None:
        check_dimensions(self.dimensions)
        for name, low, high in (
            ("window", 1, 65_535),
            ("negatives", 0, 1e6),
            ("sample", 0, 1),
            ("beta", 0, 10),
            ("ridge", 0, 1e3),
            ("passes", 1, 100_000),
            ("rare_passes", 1, 100_000),
            ("frequent", 1, 10**9),
            ("sampled", 2, 10**9),
            ("rate", 1e-9, 100),
            ("tolerance", 0, 1),
            ("seed", 0, 2**63),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise OptionError(f"{name} is {value}", hint=f"it can be {low} to {high}")


def check_dimensions(dimensions: int) -> None:
    """Refuse a number of dimensions that makes no sense."""
    if isinstance(dimensions, bool) or not isinstance(dimensions, int) or not 1 <= dimensions <= MAX_DIMENSIONS:
        raise OptionError(
            f"the number of dimensions is {dimensions}", hint=f"use 1 to {MAX_DIMENSIONS}; the paper's is 100"
        )


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
