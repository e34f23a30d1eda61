"""The fast solver: DIVE from aggregated counts, coarse to fine, the same bytes at any number of threads.

For fixed contexts the row of every word is a concave problem of its own, and the other way round. So the solver
alternates: all word rows step up their exact positive gradient, with one set of negatives shared by all of them (the
most frequent contexts, which are summed exactly, and a sample of the others); then all context rows. It does so for the
frequent words and contexts together, since from a small random start the whole problem sits on a plateau; then come the
rows of rare contexts given the frequent words, and the rows of rare words given all contexts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._progress import Bar
from hyperdive._resources import Run
from hyperdive._resume import CHECKPOINT_SECONDS, Checkpoint
from hyperdive._types import Array, Floats, Floats32, Ints
from hyperdive.errors import Error, InputError
from hyperdive.options import DiveOptions
from hyperdive.spaces.dive_objective import (
    ROWS_AT_ONCE,
    CountMatrix,
    band_residuals,
    compressed_rows,
    row_objectives,
    sample_rows,
    scaled_rows,
    word_weights,
)
from hyperdive.spaces.dive_options import (
    DiveResult,
    Pass,
    check_size,
    run_identity,
    stalled,
    workers,
)

BLOCK = 128  # rows worked on at once; part of the result's bytes, so it never depends on the threads
SAMPLE = 128  # rows on which the objective is exact
START = 0.1  # entries start uniform in (0, START), as in the paper
MOMENTUM, MEMORY = 0.5, 0.9  # Adam's β₁ and β₂: gradients are nearly exact, so a short memory does
ATTEMPTS = 5
TOGETHER, RARE_CONTEXTS, RARE_WORDS, ALL = "frequent", "rare contexts", "rare words", "all"
DIVERGED = "training left the range of numbers"


@dataclass(frozen=True)
class Side:
    """One half of an alternation: the rows that move, those that are held, and what weighs what."""

    own: Floats32
    other: Floats32
    counts: CountMatrix
    ends: Ints
    weights: Floats32
    """Of a row's negatives: κ·Z_w of a word, κ·P(c) of a context."""
    masses: Floats32
    """Of each held row as a negative: P(c), or Z_w."""
    first: int
    last: int
    limit: int
    """Held rows from here on do not take part."""
    exact: int
    """So many of the first held rows are always among the negatives."""


@dataclass
class Moments:
    """Adam's memory for the moving rows of a side."""

    m: Floats32
    v: Floats32
    steps: int = 0

    @classmethod
    def of(cls, side: Side) -> Moments:
        shape = (side.last - side.first, side.own.shape[1])
        return cls(np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32))


@dataclass
class FastSolver:
    """A solver under way."""

    counts: CountMatrix
    options: DiveOptions
    pool: ThreadPoolExecutor
    words: Floats32
    contexts: Floats32
    history: list[Pass] = field(default_factory=list)

    def __post_init__(self) -> None:
        o, n = self.options, self.counts.frequencies
        kappa = 2 * o.window * o.negatives
        weights, unigram = word_weights(n, beta=o.beta, shift=o.shift), n / n.sum()
        self.kappa_z, self.kappa_p = (kappa * weights).astype(np.float32), (kappa * unigram).astype(np.float32)
        self.z, self.p = weights.astype(np.float32), unigram.astype(np.float32)
        self.frequent = min(o.frequent, self.counts.size)

    def word_side(self, first: int, last: int, limit: int) -> Side:
        ends = self.counts.ends(limit)
        exact = self.options.sampled // 2  # P(c) falls steeply: half the negatives are the head of it
        return Side(
            self.words, self.contexts, self.counts, ends, self.kappa_z, self.p, first, last, limit, exact
        )  # fmt: skip

    def context_side(self, first: int, last: int, limit: int) -> Side:
        counts = self.counts.by_context
        return Side(
            self.contexts, self.words, counts, counts.ends(limit), self.kappa_p, self.z, first, last, limit, 0
        )  # fmt: skip

    # ---- one step -------------------------------------------------------------------------------------------

    def sweep(
        self, side: Side, generator: np.random.Generator, act: Callable[[int, Floats32, Floats32, float], None]
    ) -> None:
        """Give `act` each block's first row, positive and negative gradients, and the summed mass of negatives."""
        from hyperdive.kernels.dive import negative_gradient, positive_gradient

        chosen, masses = shared_negatives(generator, side.masses[: side.limit], side.exact, self.options.sampled)
        held = side.other[chosen]
        negatives, packed = compressed_rows(held), scaled_rows(side.other[: side.limit])
        at_zero = (0.5 * (masses.astype(np.float64) @ held)).astype(np.float32)  # σ(0) = ½
        total = float(masses.sum(dtype=np.float64))
        counts, dimensions = side.counts, side.own.shape[1]

        def block(start: int) -> None:
            end = min(start + BLOCK, side.last)
            positive, negative = np.empty((2, end - start, dimensions), dtype=np.float32)
            positive_gradient(
                start, end, counts.indptr, side.ends, counts.indices, counts.data, side.own, *packed, positive
            )
            negative_gradient(start, side.own, *negatives, masses, at_zero, negative)
            act(start, positive, negative, total)

        list(self.pool.map(block, range(side.first, side.last, BLOCK)))

    def climb(self, side: Side, moments: Moments, rate: float, generator: np.random.Generator) -> None:
        """One projected Adam step of every moving row."""
        from hyperdive.kernels.dive import adam_rows

        moments.steps += 1
        f = np.float32
        corrections = f(1 / (1 - MOMENTUM**moments.steps)), f(1 / (1 - MEMORY**moments.steps))

        def act(start: int, positive: Floats32, negative: Floats32, total: float) -> None:
            here = slice(start - side.first, start - side.first + len(positive))
            ridge = f(self.options.ridge * total)
            adam_rows(
                start, side.own, moments.m[here], moments.v[here], positive, negative, side.weights,
                ridge, f(rate), f(MOMENTUM), f(MEMORY), *corrections,
            )  # fmt: skip

        self.sweep(side, generator, act)

    def begin(self, side: Side, generator: np.random.Generator) -> None:
        """Start rare rows at the clipped gradient of the zero row: they need no random start."""
        from hyperdive.kernels.dive import start_rows

        side.own[side.first : side.last] = 0

        def act(start: int, positive: Floats32, negative: Floats32, total: float) -> None:
            start_rows(start, side.own, positive, negative, side.weights)

        self.sweep(side, generator, act)

    def measure(self, side: Side) -> float:
        """The exact objective of a fixed sample of the moving rows, in nats a token."""
        rows = sample_rows(side.first, side.last, SAMPLE)
        parts = [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]

        def objectives(some: Ints) -> Floats:
            masses = side.masses[: side.limit]
            return row_objectives(side.counts, some, side.own, side.other, side.weights, masses, ends=side.ends)

        values = np.concatenate(list(self.pool.map(objectives, parts)))
        return float(values.sum() / max(int(self.counts.frequencies[rows].sum()), 1))


def shared_negatives(generator: np.random.Generator, masses: Floats32, exact: int, many: int) -> tuple[Ints, Floats32]:
    """Which rows serve as negatives, and their masses: the first `exact` as they are, the rest stands for the others.

    >>> chosen, masses = shared_negatives(np.random.default_rng(0), np.ones(10, dtype=np.float32), 2, 6)
    >>> len(chosen), chosen[:2].tolist(), masses.tolist()
    (6, [0, 1], [1.0, 1.0, 2.0, 2.0, 2.0, 2.0])
    """
    if len(masses) <= many:
        return np.arange(len(masses)), masses
    drawn = exact + np.sort(generator.choice(len(masses) - exact, many - exact, replace=False))
    rest, seen = masses[exact:].sum(dtype=np.float64), masses[drawn].sum(dtype=np.float64)
    scaled = masses[drawn] * np.float32(rest / seen if seen > 0 else 0.0)
    return np.concatenate([np.arange(exact), drawn]), np.concatenate([masses[:exact], scaled])


def balance(words: Floats32, contexts: Floats32) -> Floats32:
    """Fix the gauge in place: the column of a dimension gets the same length in both tables.

    Returns what each dimension of the words was multiplied by, and that of the contexts divided by.

    L does not change when a dimension of all words is multiplied by a number and that of all contexts divided by it,
    but sums and cosines do. A dimension that died in one table is left alone.

    >>> words, contexts = np.array([[3.0], [4.0]]), np.array([[0.8], [0.6]])
    >>> balance(words, contexts).round(3)
    array([0.447])
    >>> round(float(np.linalg.norm(words)), 6) == round(float(np.linalg.norm(contexts)), 6)
    True
    """
    own, other = (np.sqrt(np.square(table, dtype=np.float64).sum(axis=0)) for table in (words, contexts))
    alive = (own > 1e-6) & (other > 1e-6)
    ratio = np.sqrt(np.where(alive, other, 1.0) / np.where(alive, own, 1.0)).clip(0.25, 4.0).astype(words.dtype)
    words *= ratio
    contexts /= ratio
    return ratio


# ---- stages -------------------------------------------------------------------------------------------------------


@dataclass
class SolverStage:
    """Passes over some sides, with what is needed to go on after a kill or to step back from a bad pass."""

    name: str
    sides: list[Side]
    passes: int
    rate: float
    started: bool
    """Whether the rows have a start already; if not, the first pass gives them one."""
    moments: list[Moments] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.moments = [Moments.of(side) for side in self.sides]

    def step(self, number: int) -> float:
        """The step size of a pass: it fades from pass to pass."""
        fade = 1 - (number - 1) / self.passes
        return self.rate * (fade + 0.02)

    def moving(self) -> Iterator[Array]:
        for side, moments in zip(self.sides, self.moments, strict=True):
            yield from (side.own[side.first : side.last], moments.m, moments.v)


RowStages = Callable[[FastSolver, SolverStage, list[int]], bool]
"""Takes a stage with one side through all passes somewhere else (`hyperdive.spaces.row_tasks`) by a seed; returns
False, and changes nothing, where that cannot be done there."""


def stages(solver: FastSolver) -> list[SolverStage]:
    """Coarse to fine; a small vocabulary has the first stage only."""
    o, few, all_ = solver.options, solver.frequent, solver.counts.size
    both = [solver.word_side(0, few, few), solver.context_side(0, few, few)]
    plan = [SolverStage(TOGETHER, both, o.passes, o.rate, started=True)]
    if few < all_:
        plan += [
            SolverStage(
                RARE_CONTEXTS, [solver.context_side(few, all_, few)], o.rare_passes, 2.5 * o.rate, started=False
            ),
            SolverStage(RARE_WORDS, [solver.word_side(few, all_, all_)], o.rare_passes, 2.5 * o.rate, started=False),
        ]
    return plan


def one_pass(solver: FastSolver, stage: SolverStage, number: int, rate: float, seed: list[int]) -> None:
    """Every side of a stage once; numbers from 1."""
    generator = np.random.default_rng([*seed, number])
    if not stage.started and number == 1:
        for side in stage.sides:
            solver.begin(side, generator)
    for side, moments in zip(stage.sides, stage.moments, strict=True):
        solver.climb(side, moments, rate, generator)
    if stage.name == TOGETHER:
        balance(solver.words[: solver.frequent], solver.contexts[: solver.frequent])


def careful_pass(solver: FastSolver, stage: SolverStage, number: int, seed: list[int]) -> None:
    """A pass that leaves finite numbers and does not wipe out dimensions.

    If it would, the last good state comes back and the stage goes on with smaller steps. Steps are as long as the
    entries of the start, and while contexts are alike nearly every word is pushed to zero: where too few are frequent
    enough to stay, all would vanish and nothing could ever grow again.
    """
    good = [array.copy() for array in stage.moving()]
    steps, alive = [moments.steps for moments in stage.moments], living(solver, stage)
    for _ in range(ATTEMPTS):
        one_pass(solver, stage, number, stage.step(number), seed)
        finite = all(np.isfinite(side.own[side.first : side.last].sum(dtype=np.float64)) for side in stage.sides)
        if finite and 2 * living(solver, stage) >= alive:
            return
        for array, kept in zip(stage.moving(), good, strict=True):
            array[...] = kept
        for moments, before in zip(stage.moments, steps, strict=True):
            moments.steps = before
        stage.rate /= 4
    if finite:  # the good state stands; what is left of the steps no longer matters
        return
    raise Error(f"{DIVERGED} in pass {number} of the {stage.name} words", hint="use a smaller rate or fewer negatives")


def living(solver: FastSolver, stage: SolverStage) -> int:
    """How many dimensions the tables of the first stage use; later stages cannot wipe one out."""
    if stage.name != TOGETHER:
        return 0
    tables = (table[: solver.frequent] for table in (solver.words, solver.contexts))
    return int(np.logical_and(*(table.max(axis=0) > 0 for table in tables)).sum())


def train_dive(
    counts: CountMatrix,
    *,
    start: tuple[Floats32, Floats32] | None = None,
    rows: RowStages | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    run: Run = Run(),
    **options: Any,
) -> DiveResult:
    """Train DIVE on filtered counts n(w,c), words by falling frequency with the unknown symbol first.

    Args:
        counts: the counts.
        start: word and context tables of an earlier model to continue from.
        rows: what finishes the stages of rare rows somewhere else; the bytes are the same.
        checkpoint: a folder where the run keeps its state and from which the same run continues; removed at the end.
        checkpoint_seconds: the least time between two states.
        run: threads and progress.
        options: those of `DiveOptions`.

    >>> import scipy.sparse
    >>> rng = np.random.default_rng(0)
    >>> half = np.triu(rng.integers(1, 9, (60, 60)) * (rng.random((60, 60)) < 0.2))
    >>> pairs = scipy.sparse.csr_array(half + half.T)
    >>> counts = CountMatrix.checked(pairs.indptr, pairs.indices, pairs.data, np.full(60, 20))
    >>> result = train_dive(counts, dimensions=5, passes=3)
    >>> result.words.shape, bool((result.words >= 0).all()), [p.stage for p in result.history]
    ((60, 5), True, ['frequent', 'frequent', 'frequent', 'all'])
    """
    chosen = DiveOptions(**options)
    counts = counts.sampled(chosen.sample)
    check_size(counts.frequencies, chosen.dimensions)
    words, contexts = first_tables(chosen, counts.size, start)
    identity = "" if checkpoint is None else run_identity(
        chosen, counts.indptr, counts.indices, counts.data, counts.frequencies, words, contexts
    )  # fmt: skip
    keeper = Checkpoint(checkpoint, identity, seconds=checkpoint_seconds)
    with workers(run.threads) as pool:
        solver = FastSolver(counts, chosen, pool, words, contexts)
        plan = stages(solver)
        at, done = resume(keeper, solver, plan)
        with run.progress.stage("training", total=sum(stage.passes for stage in plan), unit="passes") as bar:
            bar.advance(sum(stage.passes for stage in plan[:at]) + done)
            for number in range(at, len(plan)):
                first = done if number == at else 0
                elsewhere = rows if number > 0 and first == 0 else None
                if elsewhere is not None and elsewhere(solver, plan[number], [chosen.seed, number]):
                    bar.advance(plan[number].passes)
                    keeper.write(_state(solver, plan[number], number + 1, 0), _tables(solver))
                else:
                    finish_stage(solver, plan, number, first, keeper, bar)
        residuals = band_residuals(counts, words, contexts, solver.kappa_z, ridge=chosen.ridge, pool=pool)
        gauge = balance(words, contexts)
        whole = solver.word_side(0, counts.size, counts.size)
        solver.history.append(Pass(ALL, 1, solver.measure(whole)))
    keeper.remove()
    return DiveResult(words, contexts, tuple(solver.history), gauge, residuals)


def first_tables(options: DiveOptions, size: int, start: tuple[Floats32, Floats32] | None) -> tuple[Floats32, Floats32]:
    """Uniform random tables, or copies of those of an earlier model."""
    shape = (size, options.dimensions)
    if start is not None:
        words, contexts = (np.array(table, dtype=np.float32) for table in start)
        if words.shape != shape or contexts.shape != shape or min(words.min(), contexts.min()) < 0:
            raise InputError(f"the tables to start from must be non-negative and have the shape {shape}")
        return words, contexts
    generator = np.random.default_rng(options.seed)
    words = generator.random(shape, dtype=np.float32) * np.float32(START)
    return words, generator.random(shape, dtype=np.float32) * np.float32(START)


def finish_stage(solver: FastSolver, plan: list[SolverStage], at: int, done: int, keeper: Checkpoint, bar: Bar) -> None:
    """The passes a stage still needs."""
    stage = plan[at]
    seen = [p.objective for p in solver.history if p.stage == stage.name]
    for number in range(done + 1, stage.passes + 1):
        careful_pass(solver, stage, number, [solver.options.seed, at])
        seen.append(solver.measure(stage.sides[0]))
        solver.history.append(Pass(stage.name, number, seen[-1]))
        bar.advance(1, stage=stage.name, objective=f"{seen[-1]:.4f}")
        stop = stage.name == TOGETHER and stalled(seen, solver.options.tolerance)
        ended = stop or number == stage.passes
        state = _state(solver, stage, at + 1 if ended else at, 0 if ended else number)
        arrays = _tables(solver)
        if not ended:
            for i, moments in enumerate(stage.moments):
                arrays |= {f"m{i}": moments.m, f"v{i}": moments.v}
        keeper.write(state, arrays)
        if stop:
            bar.advance(stage.passes - number)
            return


def _state(solver: FastSolver, stage: SolverStage, at: int, done: int) -> dict[str, Any]:
    """What a checkpoint tells beside the tables: the stage to go on with, and how many of its passes are done."""
    return {
        "stage": at,
        "pass": done,
        "history": list(solver.history),
        "steps": [moments.steps for moments in stage.moments],
        "rate": stage.rate,
    }


def _tables(solver: FastSolver) -> dict[str, Array]:
    return {"words": solver.words, "contexts": solver.contexts}


def resume(keeper: Checkpoint, solver: FastSolver, plan: list[SolverStage]) -> tuple[int, int]:
    """The stage to go on with and how many of its passes are done."""
    kept = keeper.read()
    if kept is None:
        return 0, 0
    state, arrays = kept
    solver.words[...], solver.contexts[...] = arrays["words"], arrays["contexts"]
    solver.history.extend(Pass(*entry) for entry in state["history"])
    at, done = int(state["stage"]), int(state["pass"])
    if done:
        for i, moments in enumerate(plan[at].moments):
            moments.m[...], moments.v[...] = arrays[f"m{i}"], arrays[f"v{i}"]
            moments.steps = int(state["steps"][i])
        plan[at].rate = float(state["rate"])
    return at, done
