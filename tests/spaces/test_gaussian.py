"""Gaussian embedding: the kernels beside slow twins, the same bytes after a stop, bounds, and what it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive._resume import Checkpoint
from hyperdive.errors import InputError, OptionError
from hyperdive.kernels import gaussian as kernels
from hyperdive.spaces import gaussian
from hyperdive.spaces.gaussian import keep_chances, negative_table, train_gaussian
from hyperdive.text.corpus import Corpus
from hyperdive.text.token_lists import encode_tokens
from tests.examples import examples
from tests.spaces import planted

F = np.float32
TIMES = examples(40)
BOUNDS = (F(0.1), F(100.0), F(10.0))
ALL = 2**64 - 1


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    lines = [["rare", *line] for line in planted.lines(3)] + planted.lines(6000)
    return encode_tokens(lines, tmp_path_factory.mktemp("gaussian") / "corpus", min_count=4)


# ---- slow twins ----------------------------------------------------------------------------------------------


def energy(m: Any, v: Any, k: Any, u: Any) -> float:
    a = v + u + 1e-4
    return float(-0.5 * (np.log(a) + (m - k) ** 2 / a).sum())


def slow_step(w: int, c: int, n: int, means: Any, variances: Any, rate: float, *, clip: bool, bounds: Any) -> float:
    """The hinge loss in double precision; all gradients first, then word, context and negative in turn."""
    m, v = means, variances
    loss = 1 - energy(m[w], v[w], m[c], v[c]) + energy(m[w], v[w], m[n], v[n])
    if loss <= 0:
        return 0.0
    a, b = 1 / (v[w] + v[c] + 1e-4), 1 / (v[w] + v[n] + 1e-4)
    d, e = (m[w] - m[c]) * a, (m[w] - m[n]) * b
    wide, other = 0.5 * (a - d * d), 0.5 * (b - e * e)
    for row, along, grow in ((w, d - e, wide - other), (c, -d, wide), (n, e, -other)):
        m[row] -= rate * along
        v[row] *= np.exp(np.clip(-rate * v[row] * grow, -2, 2))
        if clip:
            v[row] = np.clip(v[row], *bounds[:2])
            m[row] *= min(1.0, bounds[2] / np.linalg.norm(m[row]))
    return loss


class SlowDraws:
    def __init__(self, state: int) -> None:
        self.state = state

    def uniform(self) -> float:
        self.state = (self.state + 0x9E3779B97F4A7C15) & ALL
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ALL
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ALL
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53


def some(seed: int, size: int = 6, dimensions: int = 37) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    means = rng.normal(scale=rng.choice([0.05, 0.5, 3]), size=(size, dimensions)).astype(F)
    return means, rng.uniform(0.05, rng.choice([0.2, 5]), size=(size, dimensions)).astype(F)


@TIMES
@given(seed=st.integers(0, 10_000), clip=st.booleans(), rate=st.sampled_from([1e-5, 0.01, 0.5]))
def test_a_step_is_the_gradient_of_the_hinge_loss(seed: int, clip: bool, rate: float) -> None:
    means, variances = some(seed)
    w, c, n = (int(i) for i in np.random.default_rng(seed + 1).integers(0, 6, 3))  # they may be one and the same
    slow = means.astype(np.float64), variances.astype(np.float64)
    expected = slow_step(w, c, n, *slow, rate, clip=clip, bounds=BOUNDS)
    scratch = np.empty((6, means.shape[1]), F)
    loss = kernels.gaussian_step(w, c, n, means, variances, F(rate), F(1), F(1e-4), clip, *BOUNDS, scratch)
    assert loss == pytest.approx(expected, rel=1e-4, abs=1e-4)
    np.testing.assert_allclose(means, slow[0], rtol=2e-3, atol=2e-4)
    np.testing.assert_allclose(variances, slow[1], rtol=2e-3)


def test_the_slow_twin_goes_down_the_gradient() -> None:
    means, variances = (table.astype(np.float64) for table in some(3))

    def loss(m: Any, v: Any) -> float:
        return 1 - energy(m[0], v[0], m[1], v[1]) + energy(m[0], v[0], m[2], v[2])

    if loss(means, variances) <= 0:
        means[[1, 2]] = means[[2, 1]]
        variances[[1, 2]] = variances[[2, 1]]
    stepped = means.copy(), variances.copy()
    slow_step(0, 1, 2, *stepped, 1e-7, clip=False, bounds=BOUNDS)
    for row in (0, 1, 2):
        for t in (0, 11, 36):
            for table, changed in zip((means, np.log(variances)), (stepped[0], np.log(stepped[1])), strict=True):
                sides = []
                for step in (1e-5, -1e-5):
                    moved = table.copy()
                    moved[row, t] += step
                    logs = (moved, variances) if table is means else (means, np.exp(moved))
                    sides.append(loss(*logs))
                slope = (sides[0] - sides[1]) / 2e-5
                assert (table - changed)[row, t] / 1e-7 == pytest.approx(slope, rel=1e-3, abs=1e-4)


@TIMES
@given(seed=st.integers(0, 1000), window=st.integers(1, 4))
def test_lines_are_sampled_and_windowed_as_the_slow_twin_does(seed: int, window: int) -> None:
    rng = np.random.default_rng(seed)
    size = 6
    tokens = rng.integers(0, 8, 40).astype(np.uint32)  # 0 is unknown, 6 and 7 are rare
    offsets = np.array([0, 7, 7, 25, 40])
    keep = np.array([0, 0.5, 1, 1, 0.2, 1])
    chance, alias = negative_table(np.array([9, 4, 3, 2, 8, 1]), 0.75)
    means, variances = some(seed, size, 8)
    slow = means.astype(np.float64), variances.astype(np.float64)
    total, examples = kernels.gaussian_lines(
        tokens, offsets, size, keep, alias, chance, window, np.array([seed], np.uint64), 0.01, 0.002,
        means, variances, F(1), F(1e-4), True, *BOUNDS,
    )  # fmt: skip
    draws, losses = SlowDraws(seed), []
    for k in range(4):
        words = [int(t) for t in tokens[offsets[k] : offsets[k + 1]] if 0 < t < size]
        line = [t for t in words if keep[t] >= 1 or draws.uniform() < keep[t]]
        for i, w in enumerate(line):
            reach = 1 + int(draws.uniform() * window)
            for j in range(max(0, i - reach), min(len(line), i + reach + 1)):
                if j != i:
                    n = int(draws.uniform() * size)
                    n = n if draws.uniform() < chance[n] else int(alias[n])
                    rate = 0.01 - 0.008 * k / 4
                    losses.append(slow_step(w, line[j], n, *slow, rate, clip=True, bounds=BOUNDS))
    assert examples == len(losses)
    np.testing.assert_allclose(total, sum(losses), rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(means, slow[0], rtol=1e-2, atol=5e-3)
    np.testing.assert_allclose(variances, slow[1], rtol=1e-2)


@TIMES
@given(seed=st.integers(0, 10_000), size=st.integers(2, 30))
def test_the_table_of_negatives_has_the_smoothed_distribution(seed: int, size: int) -> None:
    frequencies = np.random.default_rng(seed).integers(0, 50, size)
    frequencies[1] = 5
    chance, alias = negative_table(frequencies, 0.75)
    drawn = chance / size
    np.add.at(drawn, alias, (1 - chance) / size)
    wanted = frequencies**0.75
    wanted[0] = 0
    np.testing.assert_allclose(drawn, wanted / wanted.sum(), atol=1e-12)


def test_long_vectors_do_not_overflow_the_products() -> None:
    for value in (1e-6, 1e6):
        means, variances = np.zeros((3, 700), F), np.full((3, 700), value, F)
        scratch = np.empty((2, 700), F)
        rows = [x for k in range(3) for x in (means[k], variances[k])]
        assert kernels.gaussian_loss(*rows, F(1), F(1e-4), *scratch) == pytest.approx(1.0, abs=1e-3)


def test_frequent_words_are_thinned() -> None:
    assert keep_chances(np.array([5, 990, 9, 1]), 0).tolist() == [0, 1, 1, 1]


# ---- training ------------------------------------------------------------------------------------------------


def test_it_learns_the_planted_tree(corpus: Corpus) -> None:
    space = train_gaussian(corpus, dimensions=20, epochs=20, batch=1)
    assert planted.related_precision(space) > 0.9
    means, variances = space.matrix.astype(np.float64), space.variances.astype(np.float64)  # type: ignore[union-attr]

    def divergence(q: int, p: int) -> float:
        return float((variances[q] / variances[p] + (means[q] - means[p]) ** 2 / variances[p]
                      + np.log(variances[p]) - np.log(variances[q])).sum())  # fmt: skip

    tree = [(space.index(q), space.index(p)) for q, p in planted.tree()]
    assert np.mean([divergence(q, p) < divergence(p, q) for q, p in tree]) > 0.9
    losses = space.parameters["losses"]
    assert len(losses) == 20 and losses[-1] < losses[0] / 2


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(corpus: Corpus) -> None:
    one, two, other = (train_gaussian(corpus, dimensions=5, epochs=1, seed=seed) for seed in (3, 3, 4))
    assert one.matrix.tobytes() == two.matrix.tobytes()
    assert one.variances.tobytes() == two.variances.tobytes()  # type: ignore[union-attr]
    assert one.matrix.tobytes() != other.matrix.tobytes()
    assert "rare" not in one and one.words == corpus.vocabulary[1:]


def test_the_bounds_hold_and_can_be_left_out(corpus: Corpus) -> None:
    space = train_gaussian(corpus, dimensions=8, batch=1, rate=0.3, longest=1.2, highest=0.15)
    assert space.variances is not None
    assert space.variances.min() >= F(0.1) and space.variances.max() <= F(0.15)
    norms = np.linalg.norm(space.matrix, axis=1)
    assert 1.1 < norms.max() < 1.2 + 1e-5
    free = train_gaussian(corpus, dimensions=8, clip=False)
    assert free.variances is not None
    assert free.variances.min() < 0.1
    assert (space.kind, free.kind) == ("gaussian", "gaussian-no-clip")


def test_a_stopped_run_ends_with_the_same_bytes(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaussian, "_BLOCK", 5000)
    whole = train_gaussian(corpus, dimensions=6, epochs=2)
    written = 0
    real = Checkpoint.write

    def stop(self: Checkpoint, *given: Any) -> None:
        nonlocal written
        self._seconds = 0
        real(self, *given)
        written += 1
        if written == 13:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        train_gaussian(corpus, dimensions=6, epochs=2, checkpoint=tmp_path / "state")
    monkeypatch.setattr(Checkpoint, "write", real)
    resumed = train_gaussian(corpus, dimensions=6, epochs=2, checkpoint=tmp_path / "state")
    assert resumed.matrix.tobytes() == whole.matrix.tobytes()
    assert resumed.variances.tobytes() == whole.variances.tobytes()  # type: ignore[union-attr]
    assert resumed.parameters == whole.parameters
    assert not (tmp_path / "state").exists()


def test_what_it_refuses(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="words for 5000 dimensions"):
        train_gaussian(corpus, dimensions=5000)
    with pytest.raises(OptionError, match=r"training diverged .*clipping"):
        train_gaussian(corpus, dimensions=8, clip=False, rate=1e6, batch=1)
