"""Fold-in: the optimum of a slow twin, trained rows found again, same bytes, and nothing where there is no evidence."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.counts.term_counts import TermCounts
from hyperdive.kernels.dive import _residuals, fold_rows
from hyperdive.options import CountOptions, DiveOptions
from hyperdive.spaces.dive import train_dive
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.fold_in import ContextTables, fold_dive, fold_skipgram
from hyperdive.spaces.skipgram import SkipgramOptions, train_skipgram
from hyperdive.text.corpus import Corpus
from hyperdive.text.token_lists import encode_tokens

from . import planted

FILTER = PmiFilter(threshold=20)
OPTIONS = DiveOptions(dimensions=12, window=5, passes=60)


def words_as_terms(corpus: Corpus) -> SimpleNamespace:
    tokens = np.asarray(corpus[:])
    starts = np.flatnonzero(tokens)
    ids = (tokens[starts] - 1).astype(np.uint32)
    names = corpus.vocabulary[1:]
    return SimpleNamespace(
        names=names,
        spellings=names,
        counts=np.bincount(ids, minlength=len(names)),
        starts=starts,
        lengths=np.ones(len(starts), np.uint8),
        ids=ids,
    )


class Planted:
    """A corpus, its trained spaces, and its words as if they were terms."""

    def __init__(self, folder: Path) -> None:
        self.corpus = encode_tokens(planted.lines(6_000), folder / "corpus", min_count=5)
        self.terms = words_as_terms(self.corpus)
        counts = Cooccurrence.from_corpus(self.corpus, window=5, near=True)
        self.dive = train_dive(
            CountMatrix.of(counts, filtered=FILTER), dimensions=12, window=5, passes=60
        )  # fmt: skip
        self.skipgram = train_skipgram(CountMatrix.of(counts), dimensions=12)
        self.tables = ContextTables(
            counts.frequencies, self.dive.contexts, self.dive.gauge, self.skipgram.folding, self.skipgram.context_terms
        )

    def counts(self, *, near: bool) -> TermCounts:
        corpus = self.corpus
        options = CountOptions(window=5, near=near)
        return TermCounts(
            np.asarray(corpus.tokens), corpus.line_offsets, self.terms, corpus.vocabulary_size, options
        )  # fmt: skip


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return Planted(tmp_path_factory.mktemp("planted"))


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return (a * b).sum(axis=1) / np.maximum(lengths, 1e-9)


def test_words_folded_in_have_their_trained_rows(text: Planted) -> None:
    rows = fold_dive(text.counts(near=True), text.tables, OPTIONS, FILTER).toarray()
    trained = text.dive.words[1:]
    filled = trained.any(axis=1)
    assert np.median(cosines(rows, trained)[filled]) > 0.98
    ratio = rows.sum(axis=1)[filled] / trained.sum(axis=1)[filled]
    assert abs(np.median(ratio) - 1) < 0.1
    assert (rows >= 0).all()


def test_words_folded_in_have_their_skipgram_vectors(text: Planted) -> None:
    rows = fold_skipgram(text.counts(near=False), text.tables, SkipgramOptions(dimensions=12))
    trained = text.skipgram.words[1:]
    known = trained.any(axis=1)
    np.testing.assert_allclose(rows[known], trained[known], atol=3e-3)
    assert known.sum() > 100


def test_threads_do_not_change_a_byte(text: Planted) -> None:
    def both(threads: int) -> tuple[bytes, ...]:
        run = Run(threads=threads)
        dive = fold_dive(text.counts(near=True), text.tables, OPTIONS, FILTER, run)
        twin = fold_skipgram(text.counts(near=False), text.tables, SkipgramOptions(dimensions=12), run)
        return dive.data.tobytes(), dive.indices.tobytes(), dive.indptr.tobytes(), twin.tobytes()

    assert both(1) == both(3)


def test_a_term_without_occurrences_has_zero_rows(text: Planted) -> None:
    none = SimpleNamespace(
        names=["a b"], spellings=["a b"], counts=np.zeros(1, np.int64),
        starts=np.zeros(0, np.int64), lengths=np.zeros(0, np.uint8), ids=np.zeros(0, np.uint32),
    )  # fmt: skip
    corpus = text.corpus
    counts = TermCounts(np.asarray(corpus.tokens), corpus.line_offsets, none, corpus.vocabulary_size, CountOptions())
    assert fold_dive(counts, text.tables, OPTIONS, None).nnz == 0
    assert not fold_skipgram(counts, text.tables, SkipgramOptions(dimensions=12)).any()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.5, 10), st.floats(0.0, 0.5))
def test_rows_are_the_optimum_of_a_general_solver(seed: int, negatives: float, ridge: float) -> None:
    rng = np.random.default_rng(seed)
    contexts = (rng.random((30, 6)) * (rng.random((30, 6)) < 0.5) * 2).astype(np.float32)
    shares = rng.random(30)
    shares /= shares.sum()
    many = int(rng.integers(1, 20))
    indices = np.sort(rng.choice(30, many, replace=False)).astype(np.int32)
    data = rng.integers(1, 9, many).astype(np.float32)
    weight = negatives * float(data.sum())
    ridges = np.full(6, ridge) * rng.uniform(0.5, 2, 6)

    def loss(x: np.ndarray) -> float:
        positive = data @ np.logaddexp(0, -contexts[indices] @ x)
        return float(positive + weight * (shares @ np.logaddexp(0, contexts @ x) + ridges @ x**2 / 2))

    out = np.empty((1, 6), dtype=np.float32)
    wide = contexts.astype(np.float64)
    fold_rows(
        np.array([0, many]), indices, data, np.array([weight], np.float32), contexts, shares @ wide,
        (wide.T * shares) @ wide, np.ascontiguousarray(contexts.T), shares.astype(np.float32), ridges, 200, 1e-6, out,
    )  # fmt: skip
    best = minimize(loss, np.full(6, 0.5), bounds=[(0, 50)] * 6, method="L-BFGS-B", options={"ftol": 1e-12})
    assert loss(out[0].astype(np.float64)) <= best.fun + 1e-3 * max(abs(best.fun), 1)


def test_what_a_straight_line_leaves_of_the_sigmoid() -> None:
    arguments = np.linspace(0, 16, 97, dtype=np.float32)
    masses = np.linspace(0.5, 2, 97, dtype=np.float32)
    left = arguments.copy()
    _residuals.py_func(left, masses)
    exact = arguments.astype(np.float64)
    np.testing.assert_allclose(left, masses * (1 / (1 + np.exp(-exact)) - 0.5 - exact / 4), atol=2e-6)
