"""Borders of the scores: zero vectors, first places, one of many, and no standard input."""

from __future__ import annotations

import io
import sys
from inspect import signature
from typing import Any

import numpy as np
import pytest

from hyperdive.benchmark.bootstrap import replicates
from hyperdive.benchmark.discovery import DiscoveryOptions
from hyperdive.benchmark.evaluation import measure, score_dataset
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.pattern_table import OF_A_NAME
from hyperdive.patterns.store import Patterns
from hyperdive.scores import _analogy_kernels, get
from hyperdive.scores._blocks import kernels
from hyperdive.scores.analogy_bounds import BoundedTerms
from hyperdive.scores.asymmetric_l1 import best_scale
from hyperdive.scores.gaussians import Gaussians
from hyperdive.scores.lookup import gather
from hyperdive.scores.pair_files import open_pairs
from hyperdive.scores.pairs import Pairs, TermArrays, as_rows
from hyperdive.scores.pattern_pairs import StatedPairs, StatedTerms
from hyperdive.scores.rows import Rows
from hyperdive.scores.score_file import score_stream
from hyperdive.scores.source import Source, as_source
from hyperdive.scores.terms import NamedTerms, Terms, Vocabulary, terms_of, with_vocabulary
from hyperdive.spaces.space import VectorSpace

inner = _analogy_kernels


@pytest.mark.parametrize("columns", [[2, 1], [3, 2, 1], [1], [], [4, 9, 0, 7]])
def test_columns_are_sorted_with_their_values(columns: list[int]) -> None:
    places, values = np.array(columns, dtype=np.int64), np.array(columns, dtype=np.float64) / 2
    inner._ascending(places, values)
    assert places.tolist() == sorted(columns) and values.tolist() == [place / 2 for place in sorted(columns)]


def test_a_vector_of_zeros_is_at_distance_one_whichever_it_is() -> None:
    zero, some = np.zeros(2), np.array([1.0, 3.0])
    assert best_scale(zero, some) == best_scale(some, zero) == best_scale(zero, zero) == (0.0, 1.0)


def test_scaled_slqs_maps_the_entropies_of_all_contexts_to_0_and_1() -> None:
    # contexts of 2, 4 and 8 equal counts have entropies of log 2, 2·log 2 and 3·log 2: 0, ½ and 1
    counts = np.array([[1.0] * many + [0.0] * (8 - many) for many in (2, 4, 8)])
    rows = np.array([[0.0, 1, 0], [0, 0, 1], [1.0, 0, 0]])
    pairs = Pairs(TermArrays(rows, context_counts=counts), [0, 1, 0], [1, 0, 2])
    assert get("SLQS:scaled=true")(pairs).tolist() == pytest.approx([1 - 0.5, 1 - 2.0, -1.0])


@pytest.mark.parametrize("closed", [False, True])
def test_without_standard_input_a_file_is_asked_for(closed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        closed = True

    monkeypatch.setattr(sys, "stdin", Closed() if closed else None)
    with pytest.raises(InputError, match="there is no standard input here"):
        open_pairs("-")


def test_standard_input_is_read_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"dog\tanimal\n"))))  # type: ignore[arg-type]
    assert [block.num_rows for block in open_pairs("-")] == [1]


def test_the_first_term_of_the_patterns_has_its_share_of_names() -> None:
    keys, names = pack([0, 0], [1, 1], [0, 1]), ["such-as", f"such-as{OF_A_NAME}"]
    patterns = Patterns.from_keys(["tiger", "team"], names, keys, [1, 3])
    stated = StatedTerms(patterns, np.array([0, 1, -1]), np.zeros(3, dtype=np.bool_))
    assert stated.named_shares.tolist() == [0.75, 0.0, 0.0]


def test_a_class_with_one_hyponym_passes_on_what_it_is() -> None:
    """x is the only c, c is a p, and y is like x: so y may be a p."""
    kernels.load()
    patterns = Patterns.from_keys(["x", "c", "p"], ["such as"], pack([0, 1], [1, 2], [0, 0]), [5, 5])
    words = ["x", "c", "p", "y"]
    near = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.9, 0.1, 0.0]]
    main, skipgram = (VectorSpace(words, near, frequencies=[9, 8, 7, 6], kind=kind) for kind in ("dive", "skipgram"))
    terms = NamedTerms(Source(main, skipgram=skipgram, stated=lambda: patterns), words)
    [inherited] = terms.analogies(np.array([3])).inherited.toarray()[:, 2]
    assert inherited > 0
    assert terms.pairs([3, 3, 0], [2, 1, 2]).inherited[0] == pytest.approx(inherited)  # the rows of hyponyms, by place
    for close in (False, True):
        bounds = BoundedTerms(terms, np.array([2]), close=close).analogies(np.array([3]))
        assert bounds.inherited.toarray()[0, 2] >= inherited - 1e-6


def test_a_phrase_is_as_frequent_as_its_words_on_average() -> None:
    space = VectorSpace(["polar", "bear"], np.eye(2), frequencies=[10, 40], kind="dive")
    assert Terms(as_source(space), [["polar"], ["polar", "bear"], ["unknown"]]).frequencies.tolist() == [
        10.0,
        25.0,
        0.0,
    ]


@pytest.mark.parametrize(
    "function",
    [
        *(Pairs, Rows, as_rows, Gaussians.scores, gather, Terms, NamedTerms, Vocabulary, terms_of, with_vocabulary),
        *(StatedPairs, score_stream, replicates, score_dataset, measure, DiscoveryOptions),
    ],
)
def test_all_cores_are_used_unless_told_otherwise(function: Any) -> None:
    assert signature(function).parameters["threads"].default == 0
