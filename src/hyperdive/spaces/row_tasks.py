"""Rows of rare contexts and rare words by tasks of an engine.

In these stages of the fast solver the other table stands still, so a task takes a range of rows through all passes by
itself. Ranges are cut where the solver's blocks are, since block shapes are part of the bytes, and every task draws the
negatives of a pass anew from the same seed. What needs all rows stays with the driver: the objective after each pass,
for which tasks hand back the rows of its sample, and the retreat from a pass that left the range of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._engine import Arrays, Engine, Facts
from hyperdive._resume import is_stage, read_stage, write_stage
from hyperdive._types import Array
from hyperdive.options import DiveOptions
from hyperdive.spaces.dive import (
    BLOCK,
    SAMPLE,
    FastSolver,
    Side,
    SolverStage,
    one_pass,
)
from hyperdive.spaces.dive_objective import CountMatrix, sample_rows
from hyperdive.spaces.dive_options import Pass, workers

_MATRIX = ("indptr", "indices", "data", "frequencies")
_LEAST_BLOCKS = 8
_TASKS_A_SLOT = 4


@dataclass(frozen=True)
class EngineRows:
    """Solves the stages of rare rows by tasks; see `hyperdive.spaces.dive.RowStages`.

    Args:
        engine: where tasks run.
        folder: where their input and results are kept.
    """

    engine: Engine
    folder: Path

    def finish(self, solver: FastSolver, stage: SolverStage, seed: list[int]) -> bool:
        """All passes of a stage with one side; False, and nothing changed, where a pass left the range of numbers."""
        [side] = stage.sides
        name = stage.name.replace(" ", "-")
        solve = RowSolver(self._matrix(solver, side), self._tables(name, side), solver.options, seed, _planned(stage))
        spans = _spans(side, self.engine.slots)
        results = list(self.engine.results(self.folder, f"{name}-rows", solve, spans))
        if not all(facts["finite"] for facts, _ in results):
            return False
        sample = sample_rows(side.first, side.last, SAMPLE)
        for number in range(stage.passes):
            side.own[sample] = np.concatenate([arrays["sample"][number] for _, arrays in results])
            solver.history.append(Pass(stage.name, number + 1, solver.measure(side)))
        for (first, last), (_, arrays) in zip(spans, results, strict=True):
            side.own[first:last] = arrays["rows"]
        return True

    def _matrix(self, solver: FastSolver, side: Side) -> str:
        """Where the counts lie for the tasks; both stages share them where they are symmetric."""
        counts = side.counts
        place = self.folder / ("row-counts" if counts is solver.counts else "mirrored-row-counts")
        arrays: dict[str, Any] = {name: getattr(counts, name) for name in _MATRIX}
        return _kept(place, arrays)

    def _tables(self, name: str, side: Side) -> str:
        arrays: dict[str, Any] = {
            "other": side.other[: side.limit],
            "ends": side.ends,
            "weights": side.weights,
            "masses": side.masses,
        }
        return _kept(self.folder / f"{name}-tables", arrays, limit=side.limit, exact=side.exact)


@dataclass(frozen=True)
class StagePlan:
    """What a task must know of a stage."""

    name: str
    passes: int
    rate: float
    first: int
    last: int


def _planned(stage: SolverStage) -> StagePlan:
    """A stage without its tables."""
    [side] = stage.sides
    return StagePlan(stage.name, stage.passes, stage.rate, side.first, side.last)


def _kept(place: Path, arrays: Arrays, **facts: Any) -> str:
    if not is_stage(place):
        write_stage(place, facts, arrays)
    return str(place.absolute())


def _spans(side: Side, slots: int) -> list[tuple[int, int]]:
    """Ranges of rows that begin at blocks of the side.

    >>> from types import SimpleNamespace
    >>> _spans(SimpleNamespace(first=100, last=5000), 1)
    [(100, 1380), (1380, 2660), (2660, 3940), (3940, 5000)]
    """
    blocks = -(-(side.last - side.first) // BLOCK)
    step = BLOCK * max(_LEAST_BLOCKS, -(-blocks // (_TASKS_A_SLOT * slots)))
    return [(first, min(first + step, side.last)) for first in range(side.first, side.last, step)]


@dataclass(frozen=True)
class RowSolver:
    """Takes a range of rows through all passes of a stage: a task function."""

    matrix: str
    tables: str
    options: DiveOptions
    seed: list[int]
    stage: StagePlan

    def __call__(self, span: tuple[int, int]) -> tuple[Facts, Arrays]:
        _, matrix = _private(self.matrix)
        facts, tables = _private(self.tables)
        indptr, indices, data, frequencies = (matrix[name] for name in _MATRIX)
        counts = CountMatrix(indptr, indices, data, frequencies)
        # pages of the rows of other tasks are never touched
        own = np.zeros((counts.size, self.options.dimensions), dtype=np.float32)
        with workers(1) as pool:
            solver = FastSolver(counts, self.options, pool, own, own)
            side = Side(
                own, tables["other"], counts, tables["ends"], tables["weights"], tables["masses"], *span,
                int(facts["limit"]), int(facts["exact"]),
            )  # fmt: skip
            stage = SolverStage(self.stage.name, [side], self.stage.passes, self.stage.rate, started=False)
            everywhere = sample_rows(self.stage.first, self.stage.last, SAMPLE)
            sample = everywhere[(everywhere >= span[0]) & (everywhere < span[1])]
            finite, seen = True, []
            for number in range(1, stage.passes + 1):
                one_pass(solver, stage, number, stage.step(number), self.seed)
                finite = finite and bool(np.isfinite(own[span[0] : span[1]].sum(dtype=np.float64)))
                seen.append(own[sample].copy())
        return {"finite": finite}, {"rows": own[span[0] : span[1]], "sample": np.stack(seen)}


def _private(place: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """The arrays of a stage as private maps: kernels are compiled for arrays that can be written to."""
    facts, arrays = read_stage(Path(place), verify=False)
    maps: dict[str, Array] = {}
    for name, array in arrays.items():
        if isinstance(array, np.memmap):
            copied: Any = {"dtype": array.dtype, "mode": "c", "offset": array.offset, "shape": array.shape}
            file: Any = array.filename
            array = np.asarray(np.memmap(file, **copied))
        maps[name] = array
    return facts, maps
