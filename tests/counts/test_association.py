"""Associations equal their formulas written out, and none is missing from the table."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from hyperdive.counts.association import ASSOCIATIONS, association_matrix, lookup
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import OptionError

from .reference import corpus_of
from .test_count import big_corpus

FORMULAS = {
    "freq": lambda n, x, c, d, v, k: n,
    "pmi": lambda n, x, c, d, v, k: log(n * d / (x * c)),
    "ppmi": lambda n, x, c, d, v, k: max(log(n * d / (x * c)), 0),
    "shifted-pmi": lambda n, x, c, d, v, k: log(n * d / (x * c)) - log(k),
    "shifted-ppmi": lambda n, x, c, d, v, k: max(log(n * d / (x * c)) - log(k), 0),
    "is": lambda n, x, c, d, v, k: log(n * v / (c * k)),
    "ppmi-is": lambda n, x, c, d, v, k: max(log(n * v / (c * k)), 0),
}


@pytest.fixture(scope="module")
def corpus():
    return corpus_of(big_corpus(2_000, types=60), min_count=5)


@pytest.mark.parametrize("sides", ["both", "right"])
@pytest.mark.parametrize("name", ASSOCIATIONS)
def test_association_equals_its_formula(corpus, name, sides):
    counts = Cooccurrence.from_corpus(corpus, window=3, sides=sides)
    for include_unknown in (False, True):
        n = counts.to_scipy(include_unknown=include_unknown).toarray()
        rows, columns = n.sum(axis=1), n.sum(axis=0)
        found = association_matrix(counts, name, k=2.0, include_unknown=include_unknown, dtype=np.float64).toarray()
        for (i, j), value in np.ndenumerate(n):
            expected = 0.0
            if value:
                expected = FORMULAS[name](value, int(rows[i]), int(columns[j]), int(n.sum()), len(n), 2.0)
            assert found[i, j] == pytest.approx(expected, abs=1e-12)


def test_columns_take_four_bytes_where_these_are_enough(corpus):
    matrix = association_matrix(Cooccurrence.from_corpus(corpus, window=3), "ppmi")
    assert (matrix.indices.dtype, matrix.indptr.dtype) == (np.int32, np.int32)


def test_every_association_states_its_formula():
    assert ASSOCIATIONS.keys() == FORMULAS.keys()
    for function in ASSOCIATIONS.values():
        assert "n(x,c)" in (function.__doc__ or "")


def test_inclusion_shift_is_pmi_with_the_words_own_count(corpus):
    """Equation 3: log(P(x,c)/(P(x)P(c)) · #(x)/(k_I·Z)), Z = |D|/|V|."""
    counts = Cooccurrence.from_corpus(corpus)
    margins = counts.margins()
    pmi = association_matrix(counts, "pmi", dtype=np.float64).tocoo()
    shifted = association_matrix(counts, "is", k=1.5, dtype=np.float64).toarray()
    z = margins.total / margins.words
    for i, j, value in zip(*pmi.coords, pmi.data, strict=True):
        assert shifted[i, j] == pytest.approx(value + log(margins.rows[i] / (1.5 * z)))


def test_top_is_the_row_in_order(corpus):
    counts = Cooccurrence.from_corpus(corpus)
    word = counts.words[3]
    row = association_matrix(counts, "ppmi", dtype=np.float64).toarray()[3]
    top = counts.top(word, n=5, by="ppmi")
    assert [value for _, value in top] == pytest.approx(sorted(row, reverse=True)[:5])
    assert len(counts.top(word, n=10**6, by="ppmi")) == np.count_nonzero(row)


def test_harmonic_counts_cancel_their_unit(corpus):
    counts = Cooccurrence.from_corpus(corpus, window=4, weighting="harmonic")
    n = counts.to_scipy(dtype=np.float64).toarray()
    freq = association_matrix(counts, "freq", dtype=np.float64).toarray()
    assert freq == pytest.approx(n)
    pmi = association_matrix(counts, "pmi", dtype=np.float64).toarray()
    i, j = np.argwhere(n)[0]
    assert pmi[i, j] == pytest.approx(log(n[i, j] * n.sum() / (n[i].sum() * n[:, j].sum())))


def test_bad_names_and_shifts(corpus):
    with pytest.raises(OptionError, match=r"no association 'pmmi' .*use one of freq"):
        lookup("pmmi")
    counts = Cooccurrence.from_corpus(corpus)
    with pytest.raises(OptionError, match="shift k is 0"):
        counts.association("is", k=0)
