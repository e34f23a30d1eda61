"""Borders and defaults of spaces where a `<` for a `<=`, or a number more, would show."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls
from threadpoolctl import threadpool_info

from hyperdive._progress import SILENT
from hyperdive._quantize import rounded_to_16_bits
from hyperdive._resources import Run
from hyperdive._resume import WorkFolder
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.counts.term_counts import TermCounts
from hyperdive.errors import InputError, OptionError
from hyperdive.kernels import dive as dive_kernels
from hyperdive.kernels import gaussian as gaussian_kernels
from hyperdive.model import Model, facts_of, with_terms
from hyperdive.options import CountOptions, DiveOptions, PaperOptions, SpaceOptions
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.spaces import composition, dive_paper, gaussian, row_tasks, skipgram
from hyperdive.spaces import dive as fast
from hyperdive.spaces.composition import FEWEST, Composition, fitted_regression, fitted_shares
from hyperdive.spaces.dive import FastSolver, balance, first_tables, shared_negatives, stages, train_dive
from hyperdive.spaces.dive_objective import (
    CountMatrix,
    band_residuals,
    kept_shares,
    row_objectives,
    row_residuals,
    sample_rows,
    word_weights,
)
from hyperdive.spaces.dive_options import workers
from hyperdive.spaces.dive_paper import Batch, Tables, exact_objective, push_weights, step, train_paper
from hyperdive.spaces.fold_in import ContextTables, fold_dive, fold_skipgram
from hyperdive.spaces.folding import Folding
from hyperdive.spaces.gaussian import first_gaussians, keep_chances, train_gaussian
from hyperdive.spaces.inputs import SpaceInputs
from hyperdive.spaces.makers import check_skipgram, dive_tables, filter_for, skipgram_tables, start_tables
from hyperdive.spaces.prune import pruned, useful_terms, useful_words
from hyperdive.spaces.registry import SPACES, space_maker, unused_option
from hyperdive.spaces.row_tasks import EngineRows, _spans
from hyperdive.spaces.skipgram import NEVER, SkipgramOptions, train_skipgram
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus
from hyperdive.text.token_lists import encode_tokens
from hyperdive.text.vocabulary import Vocabulary

from .test_dive import SMALL, Recorded, _Stop, count_matrix, matrix, same
from .test_dive_paper import OPTIONS, gradients, toy

# ---- DIVE ------------------------------------------------------------------------------------------------------


def solver_of(size: int = 60, seed: int = 0, **options: Any) -> tuple[FastSolver, Any]:
    rng = np.random.default_rng(seed)
    x, y = (rng.random((size, 4), dtype=np.float32) for _ in range(2))
    chosen = DiveOptions(**{"dimensions": 4, "frequent": size, **options})
    pool = workers(1)
    return FastSolver(count_matrix(size), chosen, pool.__enter__(), x, y), pool


def test_every_default_of_the_fast_solver() -> None:
    assert asdict(DiveOptions()) == {
        "dimensions": 100, "window": 10, "negatives": 1.5, "sample": 1e-3, "beta": 0.75, "shift": True, "ridge": 0.02,
        "passes": 40, "rare_passes": 8, "frequent": 20_000, "sampled": 2_000, "rate": 0.1, "tolerance": 1e-4, "seed": 0,
    }  # fmt: skip
    assert asdict(SkipgramOptions()) == {
        "dimensions": 100, "negatives": 1.0, "smoothing": 0.75, "power": 0.5, "lean": 0.1, "rounds": 3,
        "unknown": False, "seed": 0,
    }  # fmt: skip
    assert (fast.BLOCK, fast.SAMPLE, dive_paper.SAMPLE) == (128, 128, 128)  # part of the bytes of a result


def test_stages_and_their_sides() -> None:
    solver, pool = solver_of(frequent=20, sampled=30, rate=0.2, passes=7, rare_passes=5)
    first, second, third = stages(solver)
    found = [
        (stage.name, stage.passes, stage.rate, stage.started, side.first, side.last, side.limit, side.exact)
        for stage in (first, second, third)
        for side in stage.sides
    ]
    assert found == [
        ("frequent", 7, 0.2, True, 0, 20, 20, 15), ("frequent", 7, 0.2, True, 0, 20, 20, 0),
        ("rare contexts", 5, 0.5, False, 20, 60, 20, 0), ("rare words", 5, 0.5, False, 20, 60, 60, 15),
    ]  # fmt: skip
    assert [first.step(1), first.step(7)] == pytest.approx([0.2 * 1.02, 0.2 * (1 / 7 + 0.02)])
    assert second.sides[0].own is solver.contexts and third.sides[0].own is solver.words
    assert [moments.steps for moments in first.moments] == [0, 0] and first.moments[0].m.shape == (20, 4)
    pool.__exit__(None, None, None)
    whole, pool = solver_of(60)
    assert [stage.name for stage in stages(whole)] == ["frequent"]
    pool.__exit__(None, None, None)


def test_rows_of_a_part_step_as_they_do_in_the_whole() -> None:
    rows = []
    for first in (0, 20):
        solver, pool = solver_of()
        side = solver.word_side(first, 60, 60)
        moments = fast.Moments.of(side)
        for _ in range(3):
            solver.climb(side, moments, 0.1, np.random.default_rng(0))
        assert moments.steps == 3
        rows.append(solver.words[20:])
        pool.__exit__(None, None, None)
    np.testing.assert_allclose(rows[0], rows[1], rtol=1e-5, atol=1e-6)


def test_rare_rows_start_at_the_gradient_of_the_zero_row() -> None:
    solver, pool = solver_of()
    side = solver.word_side(20, 60, 60)
    before = solver.words[:20].copy()
    solver.begin(side, np.random.default_rng(0))
    indptr, indices, data, n = matrix(60)
    dense = sparse.csr_array((data, indices, indptr), shape=(60, 60)).toarray()
    up = 0.5 * (dense - solver.kappa_z[:, None] * (n / n.sum())) @ solver.contexts
    up = np.maximum(up[20:], 0)
    top = up.max(axis=1, keepdims=True)
    np.testing.assert_allclose(solver.words[20:], up / np.where(top > 0, top, 1), atol=1e-3)
    assert np.array_equal(solver.words[:20], before)
    pool.__exit__(None, None, None)


def test_blocks_begin_every_128_rows() -> None:
    solver, pool = solver_of(400)
    seen: list[tuple[int, int]] = []
    solver.sweep(
        solver.word_side(10, 400, 400), np.random.default_rng(0), lambda at, up, *_: seen.append((at, len(up)))
    )
    assert sorted(seen) == [(10, 128), (138, 128), (266, 128), (394, 6)]
    pool.__exit__(None, None, None)


@pytest.mark.parametrize("size", [60, 400])
def test_the_objective_of_a_sample_is_told_for_each_of_its_tokens(size: int) -> None:
    solver, pool = solver_of(size)
    rows = sample_rows(0, size, 128)
    side = solver.word_side(0, size, size)
    values = row_objectives(side.counts, rows, solver.words, solver.contexts, solver.kappa_z, solver.p)
    n = solver.counts.frequencies
    assert solver.measure(side) == pytest.approx(values.sum() / n[rows].sum(), rel=1e-6)
    pool.__exit__(None, None, None)


def test_negatives_are_drawn_only_where_some_are_left_out() -> None:
    masses = np.array([0.1, 0.2, 0.1, 0.05], dtype=np.float32)
    chosen, same_masses = shared_negatives(None, masses, 2, 4)  # type: ignore[arg-type]
    assert chosen.tolist() == [0, 1, 2, 3] and same_masses is masses
    chosen, scaled = shared_negatives(np.random.default_rng(0), masses, 1, 3)
    assert len(chosen) == 3 and scaled.sum() == pytest.approx(0.45)  # all of them below 1
    with np.errstate(all="raise"):
        _, nothing = shared_negatives(np.random.default_rng(0), np.zeros(9, dtype=np.float32), 1, 3)
    assert not nothing.any()


def test_the_gauge_leaves_dead_dimensions_alone_and_moves_others_by_four_at_most() -> None:
    words = np.array([[1.0, 0.0, 3.0, 1e3, 1e-3, 1.5e-6, 0.9e-6]])
    contexts = np.array([[4.0, 0.5, 0.0, 1e-3, 1e3, 6e-6, 4e-6]])
    ratio = balance(words, contexts)
    np.testing.assert_allclose(ratio, [2.0, 1.0, 1.0, 0.25, 4.0, 2.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(words, [[2.0, 0.0, 3.0, 250.0, 4e-3, 3e-6, 0.9e-6]], rtol=1e-6)
    np.testing.assert_allclose(contexts, [[2.0, 0.5, 0.0, 4e-3, 250.0, 3e-6, 4e-6]], rtol=1e-6)


def test_tables_start_below_a_tenth() -> None:
    words, contexts = first_tables(DiveOptions(dimensions=50), 100, None)
    for table in (words, contexts):
        assert table.shape == (100, 50) and 0 <= table.min() < 0.001 and 0.099 < table.max() < 0.1
    assert not np.array_equal(words, contexts)
    for spoilt in (0, 1):
        tables = [np.zeros((100, 50)), np.zeros((100, 50))]
        first_tables(DiveOptions(dimensions=50), 100, (tables[0], tables[1]))
        tables[spoilt][3, 4] = -0.1
        with pytest.raises(InputError, match="non-negative"):
            first_tables(DiveOptions(dimensions=50), 100, (tables[0], tables[1]))
        tables[spoilt] = np.zeros((99, 50))
        with pytest.raises(InputError, match="the shape"):
            first_tables(DiveOptions(dimensions=50), 100, (tables[0], tables[1]))


class Elsewhere:
    """Rows that somebody else could make, but does not."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[int]]] = []

    def __call__(self, solver: FastSolver, stage: Any, seed: list[int]) -> bool:
        self.asked.append((stage.name, seed))
        return False


def test_history_and_progress_have_every_pass(tmp_path: Path) -> None:
    seen, rows = Recorded(), Elsewhere()
    result = train_dive(count_matrix(), rows=rows, run=Run(progress=seen), seed=3, **SMALL)
    stages_of = [(fast.TOGETHER, 6), (fast.RARE_CONTEXTS, 3), (fast.RARE_WORDS, 3), (fast.ALL, 1)]
    wanted = [(name, number) for name, last in stages_of for number in range(1, last + 1)]
    assert [(p.stage, p.number) for p in result.history] == wanted
    assert seen.totals["training"] == seen.made("training") == 12
    assert rows.asked == [(fast.RARE_CONTEXTS, [3, 1]), (fast.RARE_WORDS, [3, 2])]
    early = Recorded()
    train_dive(count_matrix(), run=Run(progress=early), **{**SMALL, "passes": 60, "tolerance": 0.5})
    assert early.totals["training"] == early.made("training") == 66
    keep: dict[str, Any] = {"checkpoint": tmp_path / "state", "checkpoint_seconds": 0.0, **SMALL}
    with pytest.raises(KeyboardInterrupt):
        train_dive(count_matrix(), run=Run(progress=_Stop(8)), **keep)
    again, rows = Recorded(), Elsewhere()
    train_dive(count_matrix(), rows=rows, run=Run(progress=again), **keep)
    assert again.totals["training"] == again.made("training") == 12
    assert [name for name, _ in rows.asked] == [fast.RARE_WORDS]  # the other stage was under way


@pytest.mark.parametrize(("kept", "tries"), [(4, 1), (3, 5)])
def test_a_pass_may_wipe_out_half_of_the_dimensions(monkeypatch: pytest.MonkeyPatch, kept: int, tries: int) -> None:
    solver, pool = solver_of(dimensions=4, frequent=60)
    solver.words, solver.contexts = (np.full((60, 8), 0.5, dtype=np.float32) for _ in range(2))
    solver.words[:, 0] = 0.001
    [stage] = stages(solver)
    rates: list[float] = []

    def wiping(solver: FastSolver, stage: Any, number: int, rate: float, seed: list[int]) -> None:
        rates.append(rate)
        solver.words[:, kept:] = 0

    assert fast.living(solver, stage) == 8
    monkeypatch.setattr(fast, "one_pass", wiping)
    fast.careful_pass(solver, stage, 1, [0])
    assert rates == pytest.approx([0.102 / 4**k for k in range(tries)])
    assert fast.living(solver, stage) == (kept if tries == 1 else 8)
    solver.contexts[:, 1] = 0
    assert fast.living(solver, stage) == (kept if tries == 1 else 8) - 1
    pool.__exit__(None, None, None)


@pytest.mark.parametrize("call", [3, 8, 11])
@pytest.mark.parametrize("table", ["words", "contexts"])
def test_a_bad_pass_of_either_table_is_taken_back(monkeypatch: pytest.MonkeyPatch, call: int, table: str) -> None:
    honest, calls = fast.one_pass, []

    def poisoned(solver: FastSolver, stage: Any, *rest: Any) -> None:
        honest(solver, stage, *rest)
        calls.append(1)
        if len(calls) == call and any(side.own is getattr(solver, table) for side in stage.sides):
            side = next(side for side in stage.sides if side.own is getattr(solver, table))
            side.own[side.last - 1] = np.inf

    monkeypatch.setattr(fast, "one_pass", poisoned)
    result = train_dive(count_matrix(), **SMALL)
    assert np.isfinite(result.words).all() and np.isfinite(result.contexts).all()


def test_only_rows_without_a_start_begin_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(FastSolver, "begin", lambda solver, side, generator: begun.append(side))
    solver, pool = solver_of(frequent=20)
    for stage in stages(solver):
        for number in (1, 2, 3):
            fast.one_pass(solver, stage, number, 0.01, [0])
            if stage.name == fast.TOGETHER:
                lengths = [np.linalg.norm(table[:20], axis=0) for table in (solver.words, solver.contexts)]
                np.testing.assert_allclose(*lengths, rtol=1e-4)
    assert [(side.first, side.limit) for side in begun] == [(20, 20), (20, 60)]
    pool.__exit__(None, None, None)


# ---- its objective ---------------------------------------------------------------------------------------------


def test_a_word_without_tokens_has_no_weight() -> None:
    assert word_weights(np.array([0, 1, 5])).tolist() == [0, 2, 2]
    assert word_weights(np.array([4, 4]), of=np.array([0, 1, 9])).tolist() == [0, 4, 4]


def test_shares_of_a_text_of_next_to_nothing() -> None:
    n = np.zeros(100, dtype=np.int64)
    n[0] = 1
    np.testing.assert_allclose(kept_shares(n, 1e-9), np.sqrt(20 * 0.01))
    np.testing.assert_allclose(kept_shares(n, 0.5), np.sqrt(0.5))  # a share that is larger than twenty times the mean
    assert kept_shares(n, 0.0).tolist() == [1.0] * 100


GOOD = {"indptr": [0, 1, 1, 2], "indices": [1, 0], "data": [3.0, 2.0], "frequencies": [4, 0, 5]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, ""),
        ({"data": [3.0, 0.0]}, ""),
        ({"indices": [2, 0]}, ""),
        ({"indptr": [0, 1, 1, 2, 2]}, "do not fit"),
        ({"indptr": [0, 1, 2]}, "do not fit"),
        ({"indptr": [1, 1, 1, 2]}, "do not fit"),
        ({"indptr": [0, 1, 1, 1]}, "do not fit"),
        ({"indptr": [0, 2, 1, 2]}, "do not fit"),
        ({"data": [3.0, 2.0, 1.0]}, "do not fit"),
        ({"indices": [3, 0]}, "outside the vocabulary"),
        ({"indices": [-1, 0]}, "outside the vocabulary"),
        ({"data": [3.0, -1.0]}, "not numbers of meetings"),
        ({"data": [3.0, np.inf]}, "not numbers of meetings"),
        ({"frequencies": [4, -1, 5]}, "not numbers of meetings"),
    ],
)
def test_each_part_of_a_matrix_of_counts_is_looked_at(change: dict[str, Any], message: str) -> None:
    parts = [np.array(value) for value in {**GOOD, **change}.values()]
    if message:
        with pytest.raises(InputError, match=message):
            CountMatrix.checked(*parts)
    else:
        made = CountMatrix.checked(*parts)
        assert made.mirrored is None and made.size == 3
        assert CountMatrix.checked(*parts, symmetric=False).mirrored is not None


def test_bands_end_at_powers_of_ten() -> None:
    def bands(size: int) -> list[tuple[int, int, int]]:
        ones = np.ones(size, dtype=np.int64)
        counts = CountMatrix.checked(np.r_[0, ones.cumsum()], np.arange(size), ones, ones)
        own = np.full((size, 1), 0.3, dtype=np.float32)
        found = band_residuals(counts, own, own, np.ones(size))
        for band in found:
            assert band.median == round(band.median, 4) and band.largest == round(band.largest, 4)
            assert 0 < band.median <= band.largest
        return [(band.first, band.last, band.rows) for band in found]

    assert bands(10_500) == [(1, 100, 64), (101, 1000, 64), (1001, 10_000, 64), (10_001, 10_499, 64)]
    assert [bands(size) for size in (100, 101, 102)] == [[(1, 99, 64)], [(1, 100, 64)], [(1, 100, 64), (101, 101, 1)]]
    assert bands(1) == []


def test_a_row_of_small_gradients_and_one_of_none() -> None:
    counts = CountMatrix.checked(np.array([0, 1, 1]), np.array([1]), np.array([0.5]), np.array([1, 1]))
    own, other = np.zeros((2, 2), dtype=np.float32), np.full((2, 2), 0.1, dtype=np.float32)
    with np.errstate(all="raise"):
        found = row_residuals(counts, np.arange(2), own, other, np.zeros(2), np.array([0.5, 0.5]))
    assert found.tolist() == [pytest.approx(1.0), 0.0]


# ---- threads ---------------------------------------------------------------------------------------------------


def test_products_of_matrices_are_on_one_thread() -> None:
    with workers(2) as pool:
        told = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
        assert set(told) <= {1} and pool._max_workers == 2


# ---- the paper's solver ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3])
def test_gradients_are_means_which_matters_beside_epsilon(tmp_path: Path, epsilon: float) -> None:
    corpus, counts = toy(tmp_path)
    options = PaperOptions(dimensions=6, window=3, batch=16, negatives=1.0, epsilon=epsilon, rate=0.05)
    full = CountMatrix.of(counts)
    tokens, offsets = np.asarray(corpus[0 : len(corpus)], dtype=np.int64), np.asarray(corpus.line_offsets)
    tables, weights = Tables.start(full.size, options), push_weights(full.frequencies, options)
    x, y = tables.words.astype(np.float64), tables.contexts.astype(np.float64)
    where = np.arange(offsets[5])
    noise = tokens[np.random.default_rng(0).integers(0, len(tokens), (len(where), options.noise))]
    bits = np.zeros(len(where), dtype=np.uint32)
    with workers(1) as pool:
        batch = Batch.of(tokens[where], bits, noise, window=3, size=full.size)
        assert len(batch.slots) == len(where) * (6 + options.noise)
        step(tables, batch, weights, options, pool)
    texts = [tokens[offsets[i] : offsets[i + 1]] for i in range(5)]
    for table, found, g in zip(
        (x, y), (tables.words, tables.contexts), gradients(x, y, texts, set(), noise, weights, options), strict=True
    ):
        m, v = (1 - options.b1) * g, (1 - options.b2) * g * g
        rate = options.rate * np.sqrt(1 - options.b2) / (1 - options.b1)
        np.testing.assert_allclose(found, np.maximum(table + rate * m / (np.sqrt(v) + epsilon), 0), atol=2e-6)


def test_batches_come_in_their_order_and_residuals_are_those_of_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, counts = toy(tmp_path)
    honest, noise, seen = dive_paper.step, [], Recorded()

    def recorded(tables: Tables, batch: Batch, *rest: Any) -> None:
        noise.append(batch.noise)
        honest(tables, batch, *rest)

    monkeypatch.setattr(dive_paper, "step", recorded)
    result = train_paper(corpus, counts, filtered=None, run=Run(progress=seen), **OPTIONS)
    tokens = np.asarray(corpus[0 : len(corpus)])
    for at, found in enumerate(noise):
        drawn = np.random.default_rng([0, *divmod(at, 4)]).integers(0, len(tokens), found.shape)
        assert np.array_equal(found, tokens[drawn])
    assert len(noise) == 8 and seen.totals["filtering pairs"] == seen.made("filtering pairs") == 1
    full, options = CountMatrix.of(counts), PaperOptions(**OPTIONS)
    pushes = 9 * word_weights(counts.frequencies)
    assert options.noise == 9
    assert result.residuals == band_residuals(full, result.words, result.contexts, pushes)
    tables = Tables(result.words, result.contexts, (result.words,) * 2, (result.words,) * 2)
    n = counts.frequencies
    every = row_objectives(
        full, np.arange(full.size), result.words, result.contexts, pushes, (n / n.sum()).astype(np.float32)
    )
    assert exact_objective(full, tables, options) == pytest.approx(every.sum() / n.sum())
    assert result.history[-1].objective == pytest.approx(every.sum() / n.sum())
    assert result.gauge.tolist() == [1.0] * 6 and Tables.start(3, options).steps == 0


def test_the_papers_solver_resumes_its_progress(tmp_path: Path) -> None:
    corpus, counts = toy(tmp_path)
    keep: dict[str, Any] = {"checkpoint": tmp_path / "state", "checkpoint_seconds": 0.0, "filtered": None, **OPTIONS}
    with pytest.raises(KeyboardInterrupt):
        train_paper(corpus, counts, run=Run(progress=_Stop(6)), **keep)
    seen = Recorded()
    train_paper(corpus, counts, run=Run(progress=seen), **keep)
    assert seen.totals["training"] == seen.made("training") == 8 and seen.steps["training"][0] == (5, {})


def test_the_papers_solver_needs_counts_of_its_corpus(tmp_path: Path) -> None:
    _, counts = toy(tmp_path)
    other = encode_tokens([["a", "b"] * 10], tmp_path / "other", min_count=1)
    with pytest.raises(InputError, match="counts of this corpus"):
        train_paper(other, counts, filtered=None, **OPTIONS)
    assert push_weights(np.array([0, 1, 2, 5]), PaperOptions()).tolist() == [0, 2.0, 1.0, np.float32(0.4)]


# ---- skip-gram -------------------------------------------------------------------------------------------------


def slow_association(dense: np.ndarray, negatives: float, *, unknown: bool) -> np.ndarray:
    rows, smoothed = dense.sum(axis=1), dense.sum(axis=0) ** 0.75
    with np.errstate(divide="ignore", invalid="ignore"):
        total = smoothed[0 if unknown else 1 :].sum()
        m = np.maximum(np.log(dense * total / np.outer(rows, smoothed)) - np.log(negatives), 0)
    m = np.nan_to_num(m)
    if not unknown:
        m[0] = m[:, 0] = 0
    return m


@pytest.mark.parametrize("unknown", [False, True])
def test_new_rows_times_the_folding_have_the_directions_of_the_words(unknown: bool) -> None:
    dense = np.zeros((12, 12))
    rng = np.random.default_rng(0)
    dense[:10, :10] = rng.integers(1, 5, (10, 10)) * (rng.random((10, 10)) < 0.5)
    dense = dense + dense.T
    dense[10, 1] = dense[1, 10] = 1  # one that meets once; the last meets nobody
    plain = sparse.csr_array(dense)
    counts = CountMatrix.checked(plain.indptr, plain.indices, plain.data, np.full(12, 30))
    result = train_skipgram(counts, dimensions=5, lean=0.0, negatives=1.2, unknown=unknown, rounds=20)
    wanted = slow_association(dense, 1.2, unknown=unknown)
    folded = wanted @ result.folding
    known = np.linalg.norm(folded, axis=1) > 1e-6
    assert known[10] and not known[11] and not result.words[11].any()
    unit = folded[known] / np.linalg.norm(folded[known], axis=1, keepdims=True)
    np.testing.assert_allclose(unit, result.words[known], atol=2e-3)
    np.testing.assert_allclose(result.singular_values, np.linalg.svd(wanted)[1][:5], rtol=1e-3)
    smoothed = dense.sum(axis=0) ** 0.75
    terms = np.log(smoothed[0 if unknown else 1 :].sum()) - np.log(smoothed[1:11])
    np.testing.assert_allclose(result.context_terms[1:11], terms, rtol=1e-5)
    assert result.context_terms[11] == NEVER == np.float32(-1e9)
    assert (result.context_terms[0] == NEVER) == (not unknown)


def test_twenty_columns_more_than_asked_for_are_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[int] = []
    honest = skipgram.orthonormal
    monkeypatch.setattr(skipgram, "orthonormal", lambda columns: widths.append(columns.shape[1]) or honest(columns))
    result = train_skipgram(count_matrix(60), dimensions=6, rounds=2)
    assert widths == [25] * 5 and result.singular_values.shape == (5,) and result.folding.shape == (60, 5)
    widths.clear()
    train_skipgram(count_matrix(60), dimensions=50, rounds=1, lean=0)
    assert widths == [60] * 3


# ---- Gaussians -------------------------------------------------------------------------------------------------


@pytest.fixture
def little(tmp_path: Path) -> Corpus:
    return encode_tokens([["a", "b", "c"], ["b", "a"], ["c", "a", "a"]] * 50, tmp_path / "little", min_count=1)


def test_the_rate_falls_evenly_and_losses_are_means(little: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def counted(*given: Any) -> tuple[float, int]:
        calls.append(given)
        given[10][1:] = len(calls)
        return (0.0, 0) if len(calls) <= 4 else (1.0, 3 if len(calls) == 5 else 2)

    monkeypatch.setattr(gaussian_kernels, "gaussian_lines", counted)
    monkeypatch.setattr(gaussian, "_BLOCK", 100)
    seen = Recorded()
    space = train_gaussian(little, dimensions=2, epochs=2, rate=0.5, batch=5, run=Run(progress=seen), window=4)
    cuts = [0, 101, 200, 301, 400]  # ends of lines
    spans = list(pairwise(cuts)) * 2
    assert len(calls) == len(spans)
    for number, (given, (first, last)) in enumerate(zip(calls, spans, strict=True)):
        assert len(given[0]) == last - first and given[1][0] == 0 and given[1][-1] == last - first
        assert given[2] == 4 and given[6] == 4 and given[7].shape == (1,)
        wanted = [0.1 * max(1e-4, 1 - (number // 4 + at / 400) / 2) for at in (first, last)]
        assert [given[8], given[9]] == pytest.approx(wanted, rel=1e-9)
        assert (given[12], given[13], given[14]) == (np.float32(1), np.float32(1e-4), True)
        assert [float(x) for x in given[15:]] == pytest.approx([0.1, 100, 10])
    assert len({int(given[7][0]) for given in calls}) == 8
    assert space.parameters["losses"] == [0.0, round(4 / 9, 6)]
    assert seen.totals["gaussian"] == seen.made("gaussian") == 800
    assert [facts["loss"] for _, facts in seen.steps["gaussian"]] == [0.0] * 4 + [0.3333] + [0.5] * 3
    assert (space.matrix == 8).all() and space.frequencies.tolist() == little.frequencies[1:].tolist()


@pytest.mark.parametrize("table", [10, 11])
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_a_training_that_ran_away_is_told(
    little: Corpus, monkeypatch: pytest.MonkeyPatch, table: int, value: float
) -> None:
    def spoilt(*given: Any) -> tuple[float, int]:
        given[table][1] = value
        return 1.0, 1

    monkeypatch.setattr(gaussian_kernels, "gaussian_lines", spoilt)
    with pytest.raises(OptionError, match="training diverged"):
        train_gaussian(little, dimensions=2)


def test_blocks_begin_with_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gaussian._BLOCK == 50_000
    monkeypatch.setattr(gaussian, "_BLOCK", 4)
    assert gaussian._cuts(np.array([0, 3, 6, 9])).tolist() == [0, 2, 3]
    assert gaussian._cuts(np.array([0, 3, 6, 8])).tolist() == [0, 2, 3]
    assert gaussian._cuts(np.array([0, 9])).tolist() == [0, 1]


def test_first_gaussians_have_means_of_about_length_one() -> None:
    means, variances = first_gaussians(gaussian.GaussianOptions(dimensions=12), 500)
    assert means.shape == variances.shape == (500, 12) and (variances == np.float32(0.05)).all()
    assert 0.49 < means.max() <= 0.5 and -0.5 <= means.min() < -0.49  # √(3/12)
    assert np.square(means).sum(axis=1).mean() == pytest.approx(1, abs=0.05)
    np.testing.assert_allclose(keep_chances(np.array([3, 0, 0]), 0.01), [0, 0.11, 0.11])


# ---- fold-in ---------------------------------------------------------------------------------------------------


def term_counts(many: int = 300, **options: Any) -> TermCounts:
    """Terms of one token each between the words 1 and 2, some of them often, the last but one never."""
    times = [1 + k % 3 for k in range(many)]
    times[-2] = 0
    ids = np.repeat(np.arange(many), times)
    tokens = np.tile(np.array([1, 9, 2, 1], np.uint32), len(ids))
    terms = SimpleNamespace(
        counts=np.bincount(ids, minlength=many), starts=4 * np.arange(len(ids)) + 1, ids=ids.astype(np.uint32),
        lengths=np.ones(len(ids), np.uint8),
    )  # fmt: skip
    return TermCounts(tokens, np.arange(0, len(tokens) + 1, 4), terms, 3, CountOptions(**{"window": 2, **options}))  # type: ignore[arg-type]


TABLES = ContextTables(
    np.array([5, 60, 35]), np.array([[0.1, 0.2], [1.0, 0.5], [0.0, 2.0]], np.float32), np.array([2.0, 0.5], np.float32),
    np.array([[0.0, 0.0], [1.0, 0.5], [-0.5, 1.0]], np.float32), np.array([NEVER, 0.9, 1.8], np.float32),
)  # fmt: skip


@pytest.mark.parametrize("weighting", ["flat", "harmonic"])
def test_what_the_kernel_of_new_rows_is_given(monkeypatch: pytest.MonkeyPatch, weighting: str) -> None:
    calls: list[Any] = []

    def seen(*given: Any) -> None:
        calls.append(given)
        given[-1][:] = 1

    monkeypatch.setattr(dive_kernels, "fold_rows", seen)
    options = DiveOptions(dimensions=2, window=3, negatives=2.5, beta=0.0, ridge=0.04, sample=0.0, sampled=2_000)
    progress = Recorded()
    counts = term_counts(weighting=weighting)
    rows = fold_dive(counts, TABLES, options, None, Run(progress=progress, threads=1))
    assert rows.shape == (300, 2) and progress.totals["terms"] == progress.made("terms") == 300
    assert [len(given[3]) for given in calls] == [256, 44]
    indptr, indices, values, weights, contexts, mean, gram, negatives, masses, ridge, steps, tolerance, _ = calls[0]
    assert (steps, tolerance) == (12, 1e-3)
    share = TABLES.frequencies / 100
    np.testing.assert_allclose(weights, 2 * 3 * 2.5 * 100 / 3, rtol=1e-6)
    wide = TABLES.contexts.astype(np.float64)
    np.testing.assert_allclose(mean, share @ wide)
    np.testing.assert_allclose(gram, (wide.T * share) @ wide)
    np.testing.assert_allclose(masses, share, rtol=1e-6)
    np.testing.assert_allclose(negatives, TABLES.contexts.T)
    np.testing.assert_allclose(ridge, 0.04 / np.array([4.0, 0.25]))
    assert contexts.shape == (3, 2) and indptr[:3].tolist() == [0, 2, 4] and indices[:2].tolist() == [1, 2]
    further = 0.5 if weighting == "harmonic" else 1.0
    np.testing.assert_allclose(values[:4], [1 + further, 1, 2 * (1 + further), 2])
    part = fold_dive(counts, TABLES, options, None, Run(threads=1), span=(256, 300))
    assert part.shape == (44, 2) and fold_dive(counts, TABLES, options, None, span=(0, 0)).shape == (0, 2)


def test_new_skipgram_rows_are_those_of_the_formula() -> None:
    counts = term_counts(7)
    options = SkipgramOptions(dimensions=3, negatives=1.1)
    found = fold_skipgram(counts, TABLES, options)
    rows = counts.rows(0, 7)
    assert TABLES.skipgram is not None and TABLES.context_terms is not None
    for row in range(7):
        here = slice(rows.indptr[row], rows.indptr[row + 1])
        n, c = rows.counts[here].astype(float), rows.indices[here]
        values = np.maximum(np.log(n) - np.log(max(n.sum(), 1)) - np.log(1.1) + TABLES.context_terms[c], 0)
        direction = values @ TABLES.skipgram[c]
        length = np.linalg.norm(direction)
        wanted = [*(direction / length), np.sqrt(0.1)] if length else [0.0] * 3
        np.testing.assert_allclose(found[row], wanted, atol=1e-3)
    assert not found[5].any() and found[6].any()
    assert np.array_equal(fold_skipgram(counts, TABLES, options, span=(0, 3)), found[:3])


def test_tables_of_a_model_have_the_unknown_symbol_first() -> None:
    parts = Folding(5, np.full(2, 7, np.float32), np.ones(2, np.float32), np.full((1, 3), 2, np.float32),
                    np.array([4], np.float32))  # fmt: skip
    made = ContextTables.of(np.array([9]), sparse.csr_array(np.array([[1.0, 0.0]])), parts)
    assert made.skipgram is not None and made.context_terms is not None
    assert made.frequencies.tolist() == [5, 9] and made.contexts.tolist() == [[7, 7], [1, 0]]
    assert made.skipgram.tolist() == [[0, 0, 0], [2, 2, 2]] and made.context_terms.tolist() == [NEVER, 4]
    only = Folding(5, np.ones(2, np.float32), np.ones(2, np.float32), skipgram=np.ones((1, 3), np.float32))
    assert sorted(only.tensors()) == sorted(Folding(5, np.ones(2, np.float32), np.ones(2, np.float32)).tensors())


# ---- composition -----------------------------------------------------------------------------------------------


def test_fifty_terms_are_enough() -> None:
    assert FEWEST == 50
    m, h, t = np.random.default_rng(0).random((3, 50, 4)).astype(np.float32)
    assert Composition.fit((m[1:], None), (h[1:], None), (t[1:], None)) is None
    maps = Composition.fit((m, m), (h, h), (t, t))
    assert maps is not None and maps.skipgram is not None
    assert maps.skipgram.shape == (7, 3) and maps.lean == 0.1 == Composition(maps.dive).lean
    whole = Composition.fit((m, m), (h, h), (t, t), lean=0.0)
    assert whole is not None and whole.skipgram is not None and whole.skipgram.shape == (9, 4)
    for missing in range(3):
        twins = [None if missing == k else table for k, table in enumerate((m, h, t))]
        part = Composition.fit((m, twins[0]), (h, twins[1]), (t, twins[2]))
        assert part is not None and part.skipgram is None


@pytest.mark.parametrize("scale", [1.0, 2e-5])
@pytest.mark.parametrize("ridge", [0.0, 30.0])
def test_the_regression_is_that_of_plain_numpy(monkeypatch: pytest.MonkeyPatch, scale: float, ridge: float) -> None:
    m, h, t = scale * np.random.default_rng(0).standard_normal((3, 40, 2))
    known = np.hstack([m, h, np.ones((40, 1))])
    traces = np.array([[(m * m).sum(), (m * h).sum()], [(h * m).sum(), (h * h).sum()]])
    a, b = np.linalg.solve(traces + 1e-9 * np.eye(2), [(m * t).sum(), (h * t).sum()])
    prior = np.vstack([a * np.eye(2), b * np.eye(2), np.zeros((1, 2))])
    wanted = prior + np.linalg.solve(known.T @ known + (ridge + 1e-9) * np.eye(5), known.T @ (t - known @ prior))
    np.testing.assert_allclose(fitted_regression(m, h, t, ridge), wanted, rtol=1e-4, atol=1e-7)
    if ridge == 30:
        assert np.array_equal(fitted_regression(m, h, t), fitted_regression(m, h, t, 30.0))
    monkeypatch.setattr(composition, "BLOCK", 7)
    np.testing.assert_allclose(fitted_regression(m, h, t, ridge), wanted, rtol=1e-4, atol=1e-7)


def test_shares_are_those_of_least_squares_without_negative_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    m, h = rng.random((2, 60, 6))
    t = np.maximum(m * rng.normal(0.2, 1, 6) + h * rng.normal(0.2, 1, 6) + 0.3 * rng.random((60, 6)), 0)
    wanted = np.array([nnls(np.c_[m[:, i], h[:, i], np.sqrt(m * h)[:, i]], t[:, i])[0] for i in range(6)]).T
    assert 0 < np.count_nonzero(wanted) < wanted.size
    np.testing.assert_allclose(fitted_shares(m, h, t), wanted, atol=1e-4)
    monkeypatch.setattr(composition, "BLOCK", 7)
    np.testing.assert_allclose(fitted_shares(m, h, t), wanted, atol=1e-4)
    assert composition._non_negative(np.array([[1e-6]]), np.array([1e-6])).tolist() == pytest.approx([0.5])


# ---- inputs, makers and the registry ---------------------------------------------------------------------------


def inputs_of(folder: Path, options: SpaceOptions, source: Any = None) -> SpaceInputs:
    lines = [["animal", "dog", "cat", "pet"], ["animal", "dog", "bark", "sofa"], ["pet", "dog", "sofa", "once"]]
    corpus = source or encode_tokens(lines * 40 + [["hapax"]], folder / "corpus", min_count=2)
    return SpaceInputs(corpus, WorkFolder(folder / ".work", folder / "space", "x"), options, Run(threads=1))


@pytest.mark.parametrize(("window", "again"), [(1, False), (2, False), (3, True)])
def test_neighbours_are_counted_where_the_window_is_wider_than_two(tmp_path: Path, window: int, again: bool) -> None:
    options = SpaceOptions(dimensions=2, window=window, pmi_filter="1.5ratio")
    inputs = inputs_of(tmp_path, options)
    assert not inputs.counts.has_near and inputs.counts.options.window == window
    assert (inputs.neighbour_counts is not inputs.counts) == again
    assert inputs.neighbour_counts.options.window == min(window, 2)
    alone = inputs_of(tmp_path / "b", options, inputs.counts)
    assert alone.counts is alone.neighbour_counts is inputs.counts and alone.terms is None
    wide = SpaceOptions(dimensions=2, window=window + 1, pmi_filter="30")
    with pytest.raises(OptionError, match=f"a window of {window}, not {window + 1}"):
        _ = inputs_of(tmp_path / "c", wide, inputs.counts).counts


def test_near_counts_are_made_for_the_filter_in_tokens(tmp_path: Path) -> None:
    options = SpaceOptions(dimensions=2, window=2, pmi_filter="30")
    assert inputs_of(tmp_path, options).counts.has_near


def test_tables_of_a_model_are_those_of_training_without_the_unknown_symbol(tmp_path: Path) -> None:
    options = SpaceOptions(dimensions=3, window=2, passes=3, rare_passes=2, frequent=4, pmi_filter="none")
    inputs = inputs_of(tmp_path, options)
    facts, tables = dive_tables(inputs, options, Run(threads=1))
    counts = CountMatrix.of(inputs.counts)
    result = train_dive(counts, **asdict(options.dive))
    assert facts["passes"] == {"frequent": 3, "rare contexts": 2, "rare words": 2, "all": 1}
    assert facts["objective"] == pytest.approx([one.objective for one in result.history])
    assert np.array_equal(tables["words"], rounded_to_16_bits(result.words[1:]))
    assert np.array_equal(tables["contexts"], rounded_to_16_bits(result.contexts[1:]))
    assert np.array_equal(tables["unknown_context"], result.contexts[0])
    twin = train_skipgram(counts, dimensions=3, seed=0)
    made = skipgram_tables(inputs, inputs.counts, options, Run(threads=1))
    assert np.array_equal(made["vectors"], rounded_to_16_bits(twin.words[1:]))
    assert np.array_equal(made["folding"], rounded_to_16_bits(twin.folding[1:]))
    assert np.array_equal(made["context_terms"], twin.context_terms[1:])


def test_the_filter_in_tokens_stays_where_near_counts_can_tell() -> None:
    def chosen(has_near: bool, window: int, wanted: PmiFilter | None) -> PmiFilter | None:
        counts: Any = SimpleNamespace(has_near=has_near, options=SimpleNamespace(window=window))
        return filter_for(counts, wanted, SILENT)

    near, whole, ratio = PmiFilter(threshold=30), PmiFilter(threshold=30, near=False), PmiFilter.parse("2ratio")
    for window in (1, 2, 10):
        assert chosen(True, window, None) is None
        assert [chosen(has_near, window, one) for has_near in (True, False) for one in (whole, ratio)] == [
            whole, ratio, whole, ratio,
        ]  # fmt: skip
    assert [chosen(True, window, near) for window in (2, 10)] == [near, near]
    assert chosen(True, 1, near) == PmiFilter(threshold=15, unit="ratio") == chosen(False, 2, near)
    assert chosen(False, 3, near) == PmiFilter(threshold=7.5, unit="ratio")


def test_a_start_has_the_rows_of_words_that_are_known() -> None:
    words, options = ["dog", "new", "cat"], DiveOptions(dimensions=2)
    dive = VectorSpace(["cat", "dog", "old"], [[1, 2], [3, 4], [5, 6]], frequencies=[3, 2, 1], kind="dive")
    contexts = VectorSpace(
        dive.words, sparse.csr_array(np.array([[0, 7.0], [8, 0], [9, 9]])), frequencies=[3, 2, 1], kind="contexts"
    )
    first, second = start_tables(Model(dive, contexts=contexts), words, options)
    fresh = first_tables(options, 4, None)
    for table, random, old in zip((first, second), fresh, ([[3, 4], [1, 2]], [[8, 0], [0, 7]]), strict=True):
        assert table.shape == (4, 2) and table[[1, 3]].tolist() == old
        assert np.array_equal(table[[0, 2]], random[[0, 2]])
    nobody = start_tables(Model(dive, contexts=contexts), ["x"], options)
    assert np.array_equal(nobody[0], first_tables(options, 2, None)[0])
    with pytest.raises(OptionError, match="has 2 dimensions, not 3"):
        start_tables(Model(dive, contexts=contexts), words, DiveOptions(dimensions=3))


def test_skipgram_vectors_have_two_dimensions_or_more() -> None:
    check_skipgram(SpaceOptions(dimensions=2), False, None)
    with pytest.raises(OptionError, match="need two dimensions"):
        check_skipgram(SpaceOptions(dimensions=1), False, None)


def test_only_bags_of_words_have_no_dimensions_to_choose() -> None:
    assert {name for name, maker in SPACES.items() if not maker.has_dimensions} == {
        "sbow-freq", "sbow-ppmi", "sbow-ppmi-is",
    }  # fmt: skip
    assert unused_option("dive", "fast", True, ["space", "beta", "passes"]) is None
    assert unused_option("dive", "paper", True, ["space", "beta", "ridge"]) is None
    assert unused_option("skipgram", "paper", False, ["window"]) is None
    assert unused_option("skipgram", "fast", True, ["seed", "beta"]) == ("beta", "skipgram")
    assert space_maker("dive").has_dimensions


# ---- rows by tasks ---------------------------------------------------------------------------------------------


def test_a_task_has_eight_blocks_at_least_and_a_place_four_tasks() -> None:
    def spans(first: int, last: int, slots: int) -> list[tuple[int, int]]:
        return _spans(SimpleNamespace(first=first, last=last), slots)  # type: ignore[arg-type]

    assert spans(0, 2000, 1) == [(0, 1024), (1024, 2000)]
    assert spans(50, 1074, 2) == [(50, 1074)] and spans(50, 1075, 2) == [(50, 1074), (1074, 1075)]
    sizes = [last - first for first, last in spans(10, 10 + 128 * 100, 3)]  # 100 blocks for 12 tasks
    assert sizes == [9 * 128] * 11 + [128]


class Tasks:
    """An engine that runs every task at once; one of them may tell that it left the range of numbers."""

    slots = 2

    def __init__(self, bad: int | None = None) -> None:
        self.bad, self.told = bad, []

    def results(self, folder: Path, name: str, solve: Any, spans: Any) -> Any:
        for number, span in enumerate(spans):
            facts, arrays = solve(span)
            self.told.append(facts["finite"])
            yield {"finite": facts["finite"] and number != self.bad}, arrays


@pytest.mark.parametrize("bad", [None, 0, 1])
def test_rows_by_tasks_are_those_of_one_machine_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: int | None
) -> None:
    monkeypatch.setattr(row_tasks, "_LEAST_BLOCKS", 1)
    plain = train_dive(count_matrix(), **SMALL)
    engine = Tasks(bad)
    rows = EngineRows(engine, tmp_path)  # type: ignore[arg-type]
    asked: list[bool] = []
    honest = EngineRows.finish
    monkeypatch.setattr(EngineRows, "finish", lambda *given: asked.append(honest(*given)) or asked[-1])
    result = train_dive(count_matrix(), rows=rows.finish, **SMALL)
    assert same(result, plain) and result.history == plain.history
    assert asked == [bad is None] * 2 and engine.told == [True] * 4


# ---- pruning ---------------------------------------------------------------------------------------------------


def test_a_small_model_has_thirty_thousand_words_and_terms() -> None:
    words = [f"w{i}" for i in range(30_002)]
    ones = np.ones((len(words), 1), dtype=np.float32)
    space = VectorSpace(words, ones, frequencies=np.arange(len(words), 0, -1), kind="dive")
    names = Vocabulary([f"t{i}" for i in range(30_002)], space.frequencies)
    model = with_terms(Model(space), names, ones)
    assert useful_words(model) == words[:30_000] and useful_terms(model) == names.names[:30_000]
    small = pruned(model)
    assert facts_of(small)["pruned"] == {"words": 30_002, "frequent": 15_000, "least": 3}
    assert (len(small), len(small.terms)) == (30_000, 30_000)
    assert facts_of(pruned(model, words=5, frequent=9))["pruned"]["frequent"] == 5


def test_a_word_of_a_dictionary_that_is_named_once_comes_before_others() -> None:
    words = ["animal", "xyzzy", "smith", "poodle", "plugh"]
    space = VectorSpace(words, np.eye(5), frequencies=[9, 5, 4, 3, 1], kind="dive")
    # xyzzy is named twice and poodle once; plugh once on each side
    stated = Patterns(
        ["animal", "xyzzy", "poodle", "plugh"], ["is a"], pack([1, 2, 3, 0], [0, 0, 0, 3], [0] * 4), [2, 1, 2, 2]
    )
    model = Model(space, patterns=stated)
    assert useful_words(model, words=2, frequent=1) == ["animal", "poodle"]
    assert useful_words(model, words=3, frequent=1) == ["animal", "poodle", "plugh"]  # four times
    assert useful_words(model, words=1, frequent=3) == ["animal"]
    fewer = Model(space.subset(["animal"]), patterns=stated)
    assert useful_terms(with_terms(fewer, Vocabulary(["plugh", "xyzzy"], [1, 9]), np.eye(2, 5)), terms=1) == ["plugh"]


@pytest.mark.parametrize("after", [10, 16, 17])
def test_a_stage_that_had_stalled_stays_ended(tmp_path: Path, after: int) -> None:
    """A run that was killed before, or in the first passes after it, still knows what was gained until then."""
    options: dict[str, Any] = {**SMALL, "passes": 60, "tolerance": 0.5}
    plain = train_dive(count_matrix(), **options)
    assert sum(one.stage == fast.TOGETHER for one in plain.history) == 15
    keep: dict[str, Any] = {"checkpoint": tmp_path / "state", "checkpoint_seconds": 0.0, **options}
    with pytest.raises(KeyboardInterrupt):
        train_dive(count_matrix(), run=Run(progress=_Stop(after)), **keep)
    resumed = train_dive(count_matrix(), **keep)
    assert same(resumed, plain) and resumed.history == plain.history
