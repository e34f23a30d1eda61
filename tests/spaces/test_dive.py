"""The fast solver: what it promises of every result, and that it finds what was planted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from hyperdive._progress import Bar, Progress
from hyperdive._resources import Run
from hyperdive.cli.arguments import reference
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import Error, FormatError, InputError, OptionError
from hyperdive.options import DiveOptions, TrainOptions
from hyperdive.spaces import dive as fast
from hyperdive.spaces.dive import FastSolver, shared_negatives, train_dive
from hyperdive.spaces.dive_objective import CountMatrix, row_objectives, word_weights
from hyperdive.spaces.dive_options import DiveResult, workers
from hyperdive.text.token_lists import encode_tokens

from . import planted


@cache
def matrix(size: int = 400, seed: int = 0) -> tuple[Any, ...]:
    """Random symmetric counts with falling frequencies."""
    rng = np.random.default_rng(seed)
    weight = 1 / np.arange(1, size + 1)
    topic = rng.integers(0, 8, size)
    mean = 400 * np.outer(weight, weight) ** 0.5 * np.where(topic[:, None] == topic, 1.0, 0.05)
    upper = np.triu(rng.poisson(mean))
    counts = sparse.csr_array(upper + upper.T)
    counts.sort_indices()
    frequencies = (5000 * weight).astype(np.int64) + 10
    return counts.indptr, counts.indices, counts.data, frequencies


def count_matrix(size: int = 400) -> CountMatrix:
    """The same, as `train_dive` takes it."""
    return CountMatrix.checked(*matrix(size))


SMALL = {"dimensions": 8, "passes": 6, "rare_passes": 3, "frequent": 150, "sampled": 60}


def same(a: DiveResult, b: DiveResult) -> bool:
    return a.words.tobytes() == b.words.tobytes() and a.contexts.tobytes() == b.contexts.tobytes()


@pytest.mark.parametrize(
    "options", [{}, {"shift": False}, {"beta": 0.0}, {"ridge": 0.0}, {"negatives": 5.0}, {"sample": 0.01}]
)
def test_tables_are_finite_and_never_negative(options: dict[str, Any]) -> None:
    result = train_dive(count_matrix(), **{**SMALL, **options})
    for table in (result.words, result.contexts):
        assert np.isfinite(table).all() and (table >= 0).all() and table.dtype == np.float32
    assert result.words.any()


def test_frequent_words_are_thinned_out_on_both_sides() -> None:
    indptr, indices, data, frequencies = matrix()
    counts = CountMatrix.checked(indptr, indices, data, frequencies)
    share = 22 * frequencies.mean() / frequencies.sum()
    thinned = counts.sampled(share)
    kept = np.minimum(1.0, np.sqrt(22 * frequencies.mean() / frequencies))
    assert (kept < 1).sum() == 2
    slow = (sparse.diags_array(kept) @ sparse.csr_array((data, indices, indptr)) @ sparse.diags_array(kept)).toarray()
    fast_ = sparse.csr_array((thinned.data, thinned.indices, thinned.indptr)).toarray()
    np.testing.assert_allclose(fast_, slow, rtol=1e-6)
    one_sided = CountMatrix.checked(indptr, indices, data, frequencies, symmetric=False).sampled(share)
    assert one_sided.mirrored is not None and one_sided.mirrored.data.tobytes() == thinned.data.tobytes()
    assert counts.sampled(0.0) is counts
    assert not same(train_dive(count_matrix(), sample=share, **SMALL), train_dive(count_matrix(), sample=0.0, **SMALL))


def test_threads_do_not_change_a_byte() -> None:
    results = [train_dive(count_matrix(), run=Run(threads=threads), **SMALL) for threads in (1, 2, 5)]
    assert same(results[0], results[1]) and same(results[0], results[2])
    assert results[0].history == results[2].history


def test_the_seed_decides() -> None:
    first, again, other = (train_dive(count_matrix(), seed=seed, **SMALL) for seed in (0, 0, 1))
    assert same(first, again) and not same(first, other)


def test_every_stage_climbs() -> None:
    result = train_dive(count_matrix(), **{**SMALL, "passes": 30, "rare_passes": 8, "ridge": 0.0})
    for stage in (fast.TOGETHER, fast.RARE_CONTEXTS, fast.RARE_WORDS):
        seen = [p.objective for p in result.history if p.stage == stage]
        assert seen[-1] > seen[0], stage


def test_permuting_the_words_permutes_one_row_step() -> None:
    indptr, indices, data, frequencies = matrix(60)
    rng = np.random.default_rng(3)
    order = rng.permutation(60)
    plain = sparse.csr_array((data, indices, indptr), shape=(60, 60))
    turned = sparse.csr_array(plain[order][:, order])
    turned.sort_indices()
    options = DiveOptions(dimensions=5, frequent=60)
    words, contexts = (rng.random((60, 5), dtype=np.float32) for _ in range(2))

    def step(counts: CountMatrix, x: Any, y: Any) -> Any:
        with workers(1) as pool:
            solver = FastSolver(counts, options, pool, x.copy(), y.copy())
            side = solver.word_side(0, 60, 60)
            solver.climb(side, fast.Moments.of(side), 0.1, np.random.default_rng(0))
        return solver.words

    one = step(CountMatrix.checked(indptr, indices, data, frequencies), words, contexts)
    other = step(
        CountMatrix.checked(turned.indptr, turned.indices, turned.data, frequencies[order]),
        words[order],
        contexts[order],
    )
    np.testing.assert_allclose(one[order], other, atol=1e-5)


def test_negatives_weigh_what_the_objective_says() -> None:
    """A first Adam step shows signs alone, so that a halved κ went unseen."""
    counts = count_matrix(60)
    n = counts.frequencies
    with workers(1) as pool:
        empty = np.zeros((60, 5), dtype=np.float32)
        solver = FastSolver(counts, DiveOptions(dimensions=5, window=7, negatives=2.0, beta=0.5), pool, empty, empty)
    z = n.sum() / 60 * np.minimum(1, n / (n.sum() / 60)) ** 0.5
    np.testing.assert_allclose(solver.kappa_z, 2 * 7 * 2.0 * z, rtol=1e-6)
    np.testing.assert_allclose(solver.z, z, rtol=1e-6)
    np.testing.assert_allclose(solver.kappa_p, 2 * 7 * 2.0 * n / n.sum(), rtol=1e-6)
    np.testing.assert_allclose(solver.p, n / n.sum(), rtol=1e-6)


@pytest.mark.parametrize("side_of", ["words", "contexts"])
def test_rows_climb_to_the_optimum_of_the_stated_objective(side_of: str) -> None:
    """For a held table the rows are concave problems: many small steps reach what another solver finds."""
    indptr, indices, data, n = matrix(60)
    dense = sparse.csr_array((data, indices, indptr), shape=(60, 60)).toarray().astype(np.float64)
    options = DiveOptions(dimensions=4, frequent=60, ridge=0.02, beta=0.75)
    rng = np.random.default_rng(0)
    x, y = (rng.random((60, 4), dtype=np.float32) for _ in range(2))
    with workers(2) as pool:
        solver = FastSolver(CountMatrix.checked(indptr, indices, data, n), options, pool, x.copy(), y.copy())
        side = solver.word_side(0, 60, 60) if side_of == "words" else solver.context_side(0, 60, 60)
        moments = fast.Moments.of(side)
        for number in range(400):
            solver.climb(side, moments, 0.2 * 0.98**number, rng)
    z, p = word_weights(n, beta=0.75), n / n.sum()
    kappa = 2 * options.window * options.negatives
    weights, masses = (kappa * z, p) if side_of == "words" else (kappa * p, z)
    held, moved = (y, solver.words) if side_of == "words" else (x, solver.contexts)
    for row in (0, 3, 20, 59):

        def loss(at: Any, row: int = row) -> float:
            dots = held.astype(np.float64) @ at
            ridge = options.ridge * masses.sum() * 0.5 * at @ at
            return float(dense[row] @ np.logaddexp(0, -dots) + weights[row] * (masses @ np.logaddexp(0, dots) + ridge))

        best = minimize(loss, np.full(4, 0.5), bounds=[(0, None)] * 4, options={"ftol": 1e-14, "gtol": 1e-9}).x
        np.testing.assert_allclose(moved[row], best, atol=0.02 * max(1.0, best.max()))


def test_the_defaults_are_those_that_the_pages_name() -> None:
    told = reference()
    defaults = TrainOptions()
    dive = defaults.dive
    for shown in (
        f"{dive.beta:g}; paper: 0",
        f"{dive.ridge:g}; paper: 0",
        f"{dive.sample:g}; paper: 0",
        f"{defaults.pmi_filter}; paper: 30tokens",
    ):
        assert shown in told, shown
    assert (dive.negatives, dive.passes, dive.rare_passes, dive.frequent, dive.sampled) == (1.5, 40, 8, 20_000, 2_000)
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "solver.md").read_text(encoding="utf-8")
    assert f"| **45** | **{dive.negatives:g}** | **{dive.beta:g}** | **10⁻³** |" in page
    assert f"The learning rate starts at {dive.rate:g}" in page
    assert f"{dive.passes} passes over the {dive.frequent:,} most frequent words" in page


def test_one_step_agrees_with_plain_numpy() -> None:
    indptr, indices, data, n = matrix(60)
    dense = sparse.csr_array((data, indices, indptr), shape=(60, 60)).toarray().astype(np.float64)
    options = DiveOptions(dimensions=5, frequent=60, ridge=0.02)
    rng = np.random.default_rng(0)
    x, y = (rng.random((60, 5), dtype=np.float32) for _ in range(2))
    with workers(2) as pool:
        solver = FastSolver(CountMatrix.checked(indptr, indices, data, n), options, pool, x.copy(), y.copy())
        side = solver.word_side(0, 60, 60)
        solver.climb(side, fast.Moments.of(side), 0.1, rng)
    sigma = 1 / (1 + np.exp(-(x.astype(np.float64) @ y.T)))
    kappa_z = 20 * options.negatives * word_weights(n, beta=options.beta)[:, None]
    up = (dense * (1 - sigma)) @ y - kappa_z * (sigma * (n / n.sum())) @ y - kappa_z * options.ridge * x
    np.testing.assert_allclose(solver.words, np.maximum(x + 0.1 * np.sign(up), 0), atol=2e-3)


class Recorded(Progress):
    """Progress that keeps how many steps each stage announced, and the steps it made with what was said of each."""

    def __init__(self) -> None:
        super().__init__("none")
        self.totals: dict[str, float | None] = {}
        self.steps: dict[str, list[tuple[float, dict[str, Any]]]] = {}

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        self.totals[name], steps = total, self.steps.setdefault(name, [])

        class Listed(Bar):
            def advance(self, amount: float, **facts: Any) -> None:
                steps.append((amount, facts))

        yield Listed(name, total, unit)

    def made(self, name: str) -> float:
        return sum(amount for amount, _ in self.steps[name])


def test_counts_of_one_side_have_their_mirror_image(tmp_path: Path) -> None:
    corpus = encode_tokens([["a", "b", "c"]] * 40, tmp_path / "corpus", min_count=1)
    both = CountMatrix.of(Cooccurrence.from_corpus(corpus, window=1))
    left = CountMatrix.of(Cooccurrence.from_corpus(corpus, window=1, sides="left"))
    assert both.by_context is both
    assert left.mirrored is not None and left.by_context is left.mirrored
    plain, turned = (
        sparse.csr_array((one.data, one.indices, one.indptr), shape=(one.size, one.size)).toarray()
        for one in (left, left.by_context)
    )
    assert np.array_equal(plain.T, turned) and not np.array_equal(plain, turned)


class _Stop(Progress):
    """Progress that kills the run after some passes."""

    def __init__(self, after: int) -> None:
        super().__init__("none")
        self.left = after

    def stage(self, name: str, **_: Any) -> Any:  # type: ignore[override]
        from contextlib import contextmanager

        outer = self

        class Killing(Bar):
            def advance(self, amount: float, **facts: Any) -> None:
                if facts:
                    outer.left -= 1
                    if outer.left == 0:
                        raise KeyboardInterrupt

        @contextmanager
        def opened() -> Any:
            yield Killing(name, None, "")

        return opened()


@pytest.mark.parametrize("after", [2, 5, 7, 9, 11])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path: Path, after: int) -> None:
    whole = train_dive(count_matrix(), **SMALL)
    keep = {"checkpoint": tmp_path / "state", "checkpoint_seconds": 0.0}
    with pytest.raises(KeyboardInterrupt):
        train_dive(count_matrix(), run=Run(progress=_Stop(after)), **keep, **SMALL)
    assert (tmp_path / "state").exists()
    resumed = train_dive(count_matrix(), run=Run(threads=1), **keep, **SMALL)
    assert same(whole, resumed) and whole.history == resumed.history
    assert not (tmp_path / "state").exists()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    keep = {"checkpoint": tmp_path / "state", "checkpoint_seconds": 0.0}
    with pytest.raises(KeyboardInterrupt):
        train_dive(count_matrix(), run=Run(progress=_Stop(3)), **keep, **SMALL)
    with pytest.raises(FormatError, match="other options"):
        train_dive(count_matrix(), **keep, **{**SMALL, "beta": 0.9})


def test_a_bad_pass_is_taken_back_and_tried_with_smaller_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = fast.one_pass, []

    def poisoned(run: Run, stage: Any, number: int, rate: float, seed: list[int]) -> None:
        honest(run, stage, number, rate, seed)
        calls.append((number, rate))
        if len(calls) == 3:
            run.words[5] = np.nan

    monkeypatch.setattr(fast, "one_pass", poisoned)
    result = train_dive(count_matrix(), **SMALL)
    assert np.isfinite(result.words).all()
    assert calls[3][0] == calls[2][0] and calls[3][1] < calls[2][1]
    monkeypatch.setattr(fast, "one_pass", lambda run, *_: run.words.fill(np.inf))
    with pytest.raises(Error, match="range of numbers"):
        train_dive(count_matrix(), **SMALL)


def test_a_plateau_ends_the_first_stage() -> None:
    result = train_dive(count_matrix(), **{**SMALL, "passes": 200, "tolerance": 0.01})
    assert sum(p.stage == fast.TOGETHER for p in result.history) < 200


def test_counts_of_one_side_are_trained_both_ways() -> None:
    indptr, indices, data, frequencies = matrix(120)
    one_sided = sparse.csr_array(np.triu(sparse.csr_array((data, indices, indptr)).toarray()))
    counts = CountMatrix.checked(one_sided.indptr, one_sided.indices, one_sided.data, frequencies, symmetric=False)
    result = train_dive(counts, **{**SMALL, "frequent": 120})
    # the last context meets only words before it: its row must still have been trained
    assert result.contexts[-1].max() > 0 or result.contexts[-5:].max() > 0


def test_a_warm_start_is_where_training_goes_on() -> None:
    before = train_dive(count_matrix(), **{**SMALL, "passes": 30})
    after = train_dive(count_matrix(), start=(before.words, before.contexts), **{**SMALL, "passes": 1, "rate": 0.01})
    assert after.history[0].objective > train_dive(count_matrix(), **SMALL).history[0].objective
    with pytest.raises(InputError, match="shape"):
        train_dive(count_matrix(), start=(before.words[:3], before.contexts), **SMALL)


def test_shared_negatives_stand_for_all() -> None:
    masses = np.random.default_rng(0).random(500).astype(np.float32)
    values = np.random.default_rng(1).random(500)
    means = []
    for seed in range(300):
        chosen, weights = shared_negatives(np.random.default_rng(seed), masses, 50, 120)
        assert len(set(chosen.tolist())) == 120 and chosen[:50].tolist() == list(range(50))
        assert weights.sum() == pytest.approx(masses.sum(), rel=1e-5)
        means.append(float(weights @ values[chosen]))
    assert np.mean(means) == pytest.approx(float(masses @ values), rel=0.01)


def test_row_objectives_are_exact() -> None:
    indptr, indices, data, n = matrix(50)
    dense = sparse.csr_array((data, indices, indptr), shape=(50, 50)).toarray()
    rng = np.random.default_rng(0)
    x, y = (rng.normal(0, 8, (50, 4)).astype(np.float32) for _ in range(2))
    weights, masses = rng.random(50), rng.random(50)
    s = x.astype(np.float64) @ y.T
    wanted = (-dense * np.logaddexp(0, -s)).sum(axis=1) - weights * (np.logaddexp(0, s) @ masses)
    found = row_objectives(CountMatrix.checked(indptr, indices, data, n), np.arange(50), x, y, weights, masses)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p, i, d, n: (p, i, np.where(np.arange(len(d)) == 7, np.nan, d), n), "not numbers"),
        (lambda p, i, d, n: (p, i + 1000, d, n), "outside the vocabulary"),
        (lambda p, i, d, n: (p[:-1], i, d, n), "do not fit"),
        (lambda p, i, d, n: (p * 0, i[:0], d[:0], n), "no pair of words is left"),
        (lambda p, i, d, n: (p, i, d, n * 0), "too few"),
        (lambda p, i, d, n: (p, i[::-1].copy(), d, n), "not sorted"),
    ],
)
def test_bad_counts_are_refused_in_one_line(spoil: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        train_dive(CountMatrix.checked(*spoil(*matrix(60))), **{**SMALL, "dimensions": 4})
    assert "\n" not in str(raised.value)


def test_bad_options_are_refused() -> None:
    for options in ({"dimensions": 0}, {"dimensions": 100_000}, {"negatives": -1}, {"beta": -0.5}, {"passes": 0}):
        with pytest.raises(OptionError):
            train_dive(count_matrix(60), **options)
    with pytest.raises(InputError, match="59 words for 100 dimensions"):
        train_dive(count_matrix(60))


def test_a_planted_tree_is_found(tmp_path: Path) -> None:
    corpus = encode_tokens(planted.lines(), tmp_path / "corpus", min_count=1)
    counts = Cooccurrence.from_corpus(corpus)
    result = train_dive(CountMatrix.of(counts), dimensions=50)
    ids = corpus.word_ids
    assert len({word for pair in planted.tree() for word in pair}) == 200
    rows = planted.candidates()
    q = result.words[[ids[a] for a, _, _ in rows]].astype(np.float64)
    p = result.words[[ids[b] for _, b, _ in rows]].astype(np.float64)
    positive = np.array([label for _, _, label in rows])
    cosine = (q * p).sum(axis=1) / np.maximum(np.linalg.norm(q, axis=1) * np.linalg.norm(p, axis=1), 1e-30)
    larger = p.sum(axis=1) - q.sum(axis=1)
    assert planted.average_precision(cosine * larger, positive) >= 0.9
    assert (larger[positive] > 0).mean() >= 0.95
