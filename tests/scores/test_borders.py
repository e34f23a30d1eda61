"""Borders of the scores: zero vectors, first places, one of many, and no standard input."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from hyperdive.errors import InputError
from hyperdive.scores import Pairs, Terms, get
from hyperdive.scores.files import open_pairs
from hyperdive.scores.pairs import TermArrays
from hyperdive.scores.paper import best_scale
from hyperdive.scores.source import as_source
from hyperdive.spaces.space import VectorSpace


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


def test_a_phrase_is_as_frequent_as_its_words_on_average() -> None:
    space = VectorSpace(["polar", "bear"], np.eye(2), frequencies=[10, 40], kind="dive")
    assert Terms(as_source(space), [["polar"], ["polar", "bear"], ["unknown"]]).frequencies.tolist() == [
        10.0,
        25.0,
        0.0,
    ]
