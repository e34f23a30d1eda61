"""The paper's solver: its step is the plain one, it is deterministic, and it climbs."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import InputError, OptionError
from hyperdive.options import PaperOptions
from hyperdive.spaces import dive_paper
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.dive_options import DiveResult, workers
from hyperdive.spaces.dive_paper import (
    Batch,
    Batches,
    Tables,
    even_parts,
    kept_pairs,
    push_weights,
    step,
    train_paper,
)
from hyperdive.text.corpus import Corpus
from hyperdive.text.token_lists import encode_tokens

from . import planted
from .test_dive import Recorded, _Stop

OPTIONS = {"dimensions": 6, "window": 3, "batch": 16, "epochs": 2}


def toy(folder: Path) -> tuple[Corpus, Cooccurrence]:
    rng = np.random.default_rng(0)
    lines = [[f"w{int(i)}" for i in rng.zipf(1.6, 12) % 30] for _ in range(70)]
    corpus = encode_tokens(lines, folder / "corpus", min_count=3)
    return corpus, Cooccurrence.from_corpus(corpus, window=3, near=True)


def test_three_steps_agree_with_plain_numpy(tmp_path: Path) -> None:
    corpus, counts = toy(tmp_path)
    options = PaperOptions(dimensions=6, window=3, batch=16, negatives=1.0)
    matrix = CountMatrix.checked(*counts.csr(filtered=PmiFilter(threshold=4)), counts.frequencies)
    kept = {(w, int(c)) for w in range(matrix.size) for c in matrix.indices[matrix.indptr[w] : matrix.indptr[w + 1]]}
    tokens, offsets = np.asarray(corpus[0 : len(corpus)], dtype=np.int64), np.asarray(corpus.line_offsets)
    weights = push_weights(matrix.frequencies, options)
    tables = Tables.start(matrix.size, options)
    x, y = tables.words.astype(np.float64), tables.contexts.astype(np.float64)
    m, v = [np.zeros_like(x), np.zeros_like(y)], [np.zeros_like(x), np.zeros_like(y)]
    rng = np.random.default_rng(1)
    with workers(2) as pool:
        bits = kept_pairs(tokens, offsets, matrix, options.window, pool)
        for t in range(1, 4):
            lines = rng.permutation(len(offsets) - 1)[:16]
            where = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in lines])
            noise = tokens[rng.integers(0, len(tokens), (len(where), options.noise))]
            batch = Batch.of(tokens[where], bits[where], noise, window=options.window, size=matrix.size)
            step(tables, batch, weights, options, pool)
            texts = [tokens[offsets[i] : offsets[i + 1]] for i in lines]
            for table, g, k in zip((x, y), gradients(x, y, texts, kept, noise, weights, options), (0, 1), strict=True):
                m[k] = options.b1 * m[k] + (1 - options.b1) * g
                v[k] = options.b2 * v[k] + (1 - options.b2) * g * g
                rate = options.rate * np.sqrt(1 - options.b2**t) / (1 - options.b1**t)
                table[...] = np.maximum(table + rate * m[k] / (np.sqrt(v[k]) + options.epsilon), 0)
    np.testing.assert_allclose(tables.words, x, atol=1e-6)
    np.testing.assert_allclose(tables.contexts, y, atol=1e-6)


def test_every_word_has_the_same_weight_of_negatives(tmp_path: Path) -> None:
    """30·T/|V| for a window of ten: 30 draws of each of its n(w) tokens, each weighing Z/n(w)."""
    _, counts = toy(tmp_path)
    n = counts.frequencies
    for window, negatives, draws in ((10, 1.5, 30), (5, 1.5, 15), (10, 0.5, 10), (3, 0.01, 1)):
        options = PaperOptions(window=window, negatives=negatives)
        assert options.noise == draws
        weights = options.noise * n * push_weights(n, options)
        np.testing.assert_allclose(weights[n > 0], draws * n.sum() / len(n), rtol=1e-6)
    without = push_weights(n, PaperOptions(shift=False))
    assert (without[n > 0] == 1).all()


def test_the_recipe_is_the_papers() -> None:
    recipe = {"dimensions": 100, "window": 10, "negatives": 1.5, "beta": 0.0, "shift": True, "batch": 128}
    recipe |= {"epochs": 15, "rate": 0.001, "b1": 0.9, "b2": 0.999, "epsilon": 1e-8, "start": 0.1}
    assert asdict(PaperOptions()) == {**recipe, "tolerance": 0.0, "seed": 0}


def test_a_batch_draws_noise_for_each_of_its_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, counts = toy(tmp_path)
    shapes = []

    def seen(tables: Tables, batch: Batch, *rest: Any) -> None:
        shapes.append((len(batch.ids), batch.noise.shape))
        assert set(np.unique(batch.noise)) <= set(np.unique(corpus[0 : len(corpus)]))

    monkeypatch.setattr(dive_paper, "step", seen)
    train_paper(corpus, counts, dimensions=3, window=3, negatives=1.5, batch=16, epochs=1, filtered=None)
    assert shapes == [(16 * 12, (16 * 12, 9))] * 4


def gradients(x: Any, y: Any, lines: Any, kept: Any, noise: Any, weight: Any, options: PaperOptions) -> Any:
    """What a batch's mean log-likelihood gains by moving each row, token by token."""
    gx, gy, at = np.zeros_like(x), np.zeros_like(y), 0
    for line in lines:
        for i, w in enumerate(line):
            near = [c for j, c in enumerate(line) if 0 < abs(i - j) <= options.window and (w, c) in kept]
            for c, label, a in [(c, 1.0, 1.0) for c in near] + [(c, 0.0, weight[w]) for c in noise[at + i]]:
                pull = a * (label - 1 / (1 + np.exp(-x[w] @ y[c])))
                gx[w], gy[c] = gx[w] + pull * y[c], gy[c] + pull * x[w]
        at += len(line)
    return gx / (at * options.noise), gy / (at * options.noise)


def test_every_word_gets_the_same_weight_of_negatives() -> None:
    n = np.array([0, 5, 50, 945])
    weights = push_weights(n, PaperOptions())
    np.testing.assert_allclose((n * weights)[1:] * 30, 30 * 1000 / 4, rtol=1e-6)
    assert weights[0] == 0
    assert push_weights(n, PaperOptions(shift=False)).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_is_grouped_by_word_and_by_context(seed: int) -> None:
    """Every slot that is used is in the list of the context at it, in the order of positions; nothing else is."""
    rng = np.random.default_rng(seed)
    window, size, many = 3, 9, 24
    ids, noise = rng.integers(0, size, many), rng.integers(0, size, (many, 2))
    bits = np.zeros(many, dtype=np.uint32)
    lists: dict[int, list[int]] = {c: [] for c in range(size)}
    kept = {(i, d) for i in range(many) for d in range(1, window + 1) if i // 8 == (i + d) // 8 and rng.random() < 0.5}
    for i, d in kept:
        bits[i] |= np.uint32(1 << (d - 1))
    width = 2 * window + 2
    for i in range(many):
        for d in range(1, window + 1):
            if (i, d) in kept:
                lists[int(ids[i + d])].append(i * width + d - 1)
            if (i - d, d) in kept:
                lists[int(ids[i - d])].append(i * width + window + d - 1)
        for k in range(2):
            lists[int(noise[i, k])].append(i * width + 2 * window + k)
    batch = Batch.of(ids, bits, noise, window=window, size=size)
    for c, wanted in lists.items():
        assert batch.slots[batch.context_starts[c] : batch.context_starts[c + 1]].tolist() == sorted(wanted)
        of_word = batch.positions[batch.word_starts[c] : batch.word_starts[c + 1]]
        assert of_word.tolist() == np.flatnonzero(ids == c).tolist()
    assert batch.context_starts[-1] == sum(map(len, lists.values())) and batch.word_starts[-1] == many


@pytest.mark.parametrize("entries", [[0] * 50, [1000] + [0] * 49, [0] * 49 + [7], list(range(50))])
@pytest.mark.parametrize("parts", [1, 4, 200])
def test_parts_of_a_table_have_every_row_once(entries: list[int], parts: int) -> None:
    made = even_parts(np.cumsum([0, *entries]), parts)
    assert [row for first, last in made for row in range(first, last)] == list(range(50))
    work = [sum(entries[first:last]) + last - first for first, last in made]
    assert max(work) <= (sum(entries) + 50) / parts + max(entries) + 2


def test_rows_outside_the_batch_move_too(tmp_path: Path) -> None:
    _corpus, counts = toy(tmp_path)
    options = PaperOptions(**OPTIONS)
    tables = Tables.start(counts.vocabulary_size, options)
    with workers(1) as pool:
        one, two = (np.array([w, w]) for w in (1, 2))
        bits, noise = np.zeros(2, dtype=np.uint32), np.full((2, options.noise), 3)
        weights = push_weights(counts.frequencies, options)
        first, second = (Batch.of(ids, bits, noise, window=3, size=counts.vocabulary_size) for ids in (one, two))
        step(tables, first, weights, options, pool)
        before = tables.words[1].copy()
        step(tables, second, weights, options, pool)
    assert not np.array_equal(before, tables.words[1])


def test_progress_tells_the_epoch_and_ends_with_the_last_batch(tmp_path: Path) -> None:
    corpus, counts = toy(tmp_path)
    seen = Recorded()
    result = train_paper(corpus, counts, filtered=None, run=Run(progress=seen), **OPTIONS)
    assert seen.totals["training"] == seen.made("training") == 8
    told = [facts for amount, facts in seen.steps["training"] if amount]
    assert [facts["epoch"] for facts in told] == [1] * 4 + [2] * 4
    assert [facts["objective"] for facts in told] == [""] * 4 + [f"{result.history[0].objective:.4f}"] * 4


@cache
def _trained(threads: int, folder: Path) -> DiveResult:
    corpus, counts = toy(folder)
    return train_paper(corpus, counts, filtered=PmiFilter(threshold=4), run=Run(threads=threads), **OPTIONS)


def test_threads_do_not_change_a_byte(tmp_path: Path) -> None:
    results = [_trained(threads, tmp_path / str(threads)) for threads in (1, 2, 5)]
    assert len({r.words.tobytes() + r.contexts.tobytes() for r in results}) == 1
    assert all((r.words >= 0).all() and (r.contexts >= 0).all() for r in results)


def test_sizes_of_blocks_do_not_change_a_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _trained(2, tmp_path / "whole")
    for name, size in (("POSITIONS", 7), ("LINES", 3)):
        monkeypatch.setattr(dive_paper, name, size)
    monkeypatch.setattr(dive_paper, "even_parts", lambda starts: even_parts(starts, 5))
    corpus, counts = toy(tmp_path / "again")
    blocks = train_paper(corpus, counts, filtered=PmiFilter(threshold=4), run=Run(threads=2), **OPTIONS)
    assert blocks.words.tobytes() + blocks.contexts.tobytes() == whole.words.tobytes() + whole.contexts.tobytes()


def test_an_epoch_reads_every_line_once_in_an_order_of_its_own() -> None:
    offsets = np.array([0, 2, 5, 6, 9, 11, 12, 15])
    tokens = np.arange(15)
    bits = np.where(np.isin(tokens + 1, offsets), 0, 1).astype(np.uint32)  # each token with the next one of its line
    options = PaperOptions(batch=3, epochs=2, window=2, negatives=1.0, seed=5)
    batches = Batches(tokens, offsets, bits, options, 15)
    assert (batches.lines, batches.in_epoch, len(batches)) == (3, 2, 4)  # the seventh line waits
    read = []
    for at in range(4):
        batch = batches[at]
        assert batch.bits.tolist() == bits[batch.ids].tolist() and batch.noise.shape == (len(batch.ids), 4)
        assert batch.ids.dtype == batch.noise.dtype == np.int64
        read.append([int(i) for i in np.searchsorted(offsets, batch.ids, side="right") - 1])
        assert read[-1] == sorted(read[-1], key=read[-1].index) and len(set(read[-1])) == 3
        again = batches[at]
        assert all(np.array_equal(one, other) for one, other in zip(batch, again, strict=True))
    epochs = [list(dict.fromkeys(read[0] + read[1])), list(dict.fromkeys(read[2] + read[3]))]
    assert all(len(lines) == 6 for lines in epochs) and epochs[0] != epochs[1]
    assert not np.array_equal(batches[0].noise[:4], batches[1].noise[:4])
    drawn = np.concatenate([batches[at].noise.ravel() for at in range(4)])
    assert set(drawn) == set(range(15))  # of all the text
    few = Batches(tokens, offsets, bits, PaperOptions(batch=100, epochs=1), 15)
    assert (few.lines, few.in_epoch, len(few[0].ids)) == (7, 1, 15)


@pytest.mark.parametrize("after", [2, 5])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path: Path, after: int) -> None:
    whole = _trained(1, tmp_path / "whole")
    corpus, counts = toy(tmp_path / "again")
    keep = {"checkpoint": tmp_path / "state", "checkpoint_seconds": 0.0, "filtered": PmiFilter(threshold=4)}
    with pytest.raises(KeyboardInterrupt):
        train_paper(corpus, counts, run=Run(progress=_Stop(after)), **keep, **OPTIONS)
    resumed = train_paper(corpus, counts, **keep, **OPTIONS)
    assert whole.words.tobytes() == resumed.words.tobytes() and whole.history == resumed.history


def test_it_climbs(tmp_path: Path) -> None:
    corpus = encode_tokens(planted.lines(2000), tmp_path / "corpus", min_count=1)
    counts = Cooccurrence.from_corpus(corpus)
    result = train_paper(corpus, counts, filtered=None, dimensions=10, rate=0.02, batch=32, epochs=3)
    objectives = [p.objective for p in result.history]
    assert objectives == sorted(objectives) and len(objectives) == 3


def test_what_it_cannot_do_it_says(tmp_path: Path) -> None:
    corpus, counts = toy(tmp_path)
    with pytest.raises(OptionError, match="window is 40"):
        train_paper(corpus, counts, window=40)
    one_sided = Cooccurrence.from_corpus(corpus, window=3, sides="left")
    with pytest.raises(InputError, match="both sides"):
        train_paper(corpus, one_sided, filtered=None, **OPTIONS)
