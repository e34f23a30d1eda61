"""Skip-gram vectors: the factorisation itself, same bytes, and what they are for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from hyperdive import train
from hyperdive._quantize import rounded_to_16_bits
from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import InputError, OptionError
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.skipgram import orthonormal, train_skipgram
from hyperdive.text.token_lists import encode_tokens

from . import planted
from .test_dive import Recorded, count_matrix, matrix


def cosines(vectors: np.ndarray) -> np.ndarray:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
    return vectors @ vectors.T / np.outer(lengths, lengths)


def test_it_is_the_truncated_svd_of_the_shifted_positive_pmi() -> None:
    indptr, indices, data, _frequencies = matrix(150)
    n = sparse.csr_array((data, indices, indptr), shape=(150, 150)).toarray().astype(np.float64)
    smoothed = n.sum(axis=0) ** 0.75
    with np.errstate(divide="ignore"):
        pmi = np.log(n * smoothed[1:].sum() / np.outer(n.sum(axis=1), smoothed)) - np.log(2.0)
    pmi = np.maximum(pmi, 0)
    pmi[0] = pmi[:, 0] = 0
    u, s, _ = np.linalg.svd(pmi)
    result = train_skipgram(count_matrix(150), dimensions=6, negatives=2, power=0.75, lean=0, rounds=12)
    np.testing.assert_allclose(result.singular_values, s[:6], rtol=1e-3)
    wanted = u[1:, :6] * s[:6] ** 0.75
    known = np.linalg.norm(wanted, axis=1) > 1e-3
    np.testing.assert_allclose(cosines(result.words[1:][known]), cosines(wanted[known]), atol=0.02)
    assert not result.words[0].any()


def test_new_rows_get_their_directions_from_entries_of_at_most_one() -> None:
    seen = Recorded()
    result = train_skipgram(count_matrix(60), dimensions=6, rounds=2, run=Run(progress=seen))
    assert float(np.abs(result.folding).max()) == 1.0
    assert seen.totals["skip-gram"] == seen.made("skip-gram") == 5


@pytest.mark.parametrize("shortest", [1.0, 2e-4, 5e-5, 1e-7, 0.0])
def test_columns_become_orthonormal(shortest: float) -> None:
    """By the Gram matrix, or by reflections where a column is almost a mixture of the others."""
    rng = np.random.default_rng(0)
    columns = rng.standard_normal((300, 6)).astype(np.float32)
    columns[:, 3] = columns[:, 0] + np.float32(shortest) * columns[:, 3]
    q, r = orthonormal(columns)
    assert q.dtype == r.dtype == np.float32
    np.testing.assert_allclose(q.T.astype(np.float64) @ q, np.eye(6), atol=2e-6)
    np.testing.assert_allclose(q @ r, columns, atol=1e-5)
    np.testing.assert_allclose(np.tril(r, -1), 0, atol=1e-6)


def test_gram_matrices_are_used_while_eight_digits_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    reflected: list[float] = []
    monkeypatch.setattr(np.linalg, "qr", lambda a: reflected.append(float(a[0, 1])) or (a, a))
    for length in (1.1e-4, 0.9e-4):
        orthonormal(np.array([[1, 0], [0, length], [0, 0]], dtype=np.float32))
    assert reflected == [pytest.approx(0)] and len(reflected) == 1


def test_threads_do_not_change_a_byte() -> None:
    results = [
        train_skipgram(count_matrix(), dimensions=10, run=Run(threads=threads)).words.tobytes() for threads in (1, 2, 5)
    ]
    assert len(set(results)) == 1


def test_the_lean_moves_cosines_and_keeps_their_order() -> None:
    plain = train_skipgram(count_matrix(), dimensions=9, lean=0).words
    leaning = train_skipgram(count_matrix(), dimensions=10, lean=0.3).words
    assert leaning.shape == (400, 10) and plain.shape == (400, 9)
    known = plain.any(axis=1)
    np.testing.assert_allclose(cosines(leaning[known]), (cosines(plain[known]) + 0.3) / 1.3, atol=1e-5)


def test_counts_of_one_side() -> None:
    indptr, indices, data, frequencies = matrix(120)
    full = sparse.csr_array((data, indices, indptr), shape=(120, 120))
    upper = sparse.csr_array(sparse.triu(full))
    turned = sparse.csr_array(upper.T)
    turned.sort_indices()
    vectors = train_skipgram(
        CountMatrix.checked(upper.indptr, upper.indices, upper.data, frequencies, symmetric=False), dimensions=8
    )
    assert np.isfinite(vectors.words).all() and vectors.singular_values[0] > 0


def test_neighbours_in_the_planted_tree_are_near(tmp_path: Path) -> None:
    corpus = encode_tokens(planted.lines(6000), tmp_path / "corpus", min_count=1)
    counts = Cooccurrence.from_corpus(corpus)
    vectors = train_skipgram(CountMatrix.of(counts), dimensions=40).words
    ids = corpus.word_ids
    rows = [(q, p, label) for q, p, label in planted.candidates() if (p, q) not in set(planted.tree())]
    near = cosines(vectors)[[ids[q] for q, _, _ in rows], [ids[p] for _, p, _ in rows]]
    assert planted.average_precision(near.astype(float), np.array([label for _, _, label in rows])) > 0.8


def test_bad_options_and_input() -> None:
    with pytest.raises(OptionError, match="constant"):
        train_skipgram(count_matrix(), dimensions=1)
    with pytest.raises(InputError, match="dimensions"):
        train_skipgram(count_matrix(60), dimensions=80)


def test_the_default_vectors_lean_by_a_tenth() -> None:
    """The constant last dimension of the default has a squared length of 0.1 beside a vector of length 1."""
    words = train_skipgram(count_matrix(), dimensions=10).words
    words = words[words.any(axis=1)].astype(np.float64)
    rest = np.square(words[:, :-1]).sum(axis=1)
    np.testing.assert_allclose(np.square(words[:, -1]) / rest, 0.1, rtol=1e-4)


def test_the_skip_gram_of_a_model_counts_two_words_on_each_side(tmp_path: Path) -> None:
    corpus = encode_tokens(planted.lines(400), tmp_path / "corpus", min_count=2)
    model = train(corpus, tmp_path / "model", dimensions=6, passes=2, pmi_filter="none", patterns=False)
    assert model.skipgram is not None
    for window, same in ((2, True), (3, False), (1, False)):
        counts = CountMatrix.of(Cooccurrence.from_corpus(corpus, window=window))
        vectors = rounded_to_16_bits(train_skipgram(counts, dimensions=6).words[1:])
        assert np.array_equal(model.skipgram.matrix, vectors) is same
