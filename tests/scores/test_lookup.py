"""From terms to rows of a space of words and terms."""

from __future__ import annotations

import numpy as np
import pytest

from hyperdive.scores.lookup import look_up_terms
from hyperdive.scores.terms import heads_of
from hyperdive.spaces.space import VectorSpace

WORDS = ["typhoon", "daniel", "bernard", "highway", "state highway", "gold", "fish", "dynamics", "egg", "ham"]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("typhoon lupit", ["typhoon", "typhoon"]),
        ("daniel bernard roumain", ["daniel", "bernard"]),
        ("state highway 17", ["state highway", "state highway"]),
        ("gold highway 17", ["gold", "highway", "highway"]),
        ("goldfish", ["gold", "fish", "fish"]),
        ("astrodynamics", ["dynamics", "dynamics"]),
        ("lupit roumain", []),
        ("goldlupit", []),
        ("gold", ["gold"]),
    ],
)
def test_a_term_without_a_row_is_made_of_its_known_parts(name: str, rows: list[str]) -> None:
    space = VectorSpace(WORDS, np.eye(len(WORDS)), frequencies=[1] * len(WORDS), kind="dive")
    found = look_up_terms(space, [name])
    assert [WORDS[row] for row in found.rows] == rows
    assert found.own.tolist() == [len(rows) == 1]


def test_what_and_joins_has_no_head() -> None:
    assert heads_of(["ham and eggs"]) == []
    assert heads_of(["bread and butter pickle"]) == ["and butter pickle", "butter pickle", "pickle"]
    assert heads_of(["vitamin b 12"]) == ["vitamin"]
