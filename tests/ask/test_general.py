"""General words, from Python and from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperdive import Model
from hyperdive.ask.topics import general_words
from hyperdive.errors import OptionError

GOLDEN = Path(__file__).parents[1] / "golden" / "model-1"
Run = Callable[..., Any]


def test_order_and_zero_words() -> None:
    model = Model.load(GOLDEN)
    assert [word.term for word in general_words(model)] == ["animal", "blood_pressure", "dog", "poodle"]
    assert [(word.term, word.value) for word in general_words(model, "poodle", 2)] == [("animal", 3.5), ("dog", 2.25)]
    with pytest.raises(OptionError):
        general_words(model, top=0)
    with pytest.raises(KeyError, match="poodle"):
        general_words(model, "poodel")


def test_command(hyperdive: Run) -> None:
    ran = hyperdive("topics", "--general", "-m", GOLDEN, "--top", 2)
    assert ran.out.split() == ["1", "animal", "6.50", "2", "blood_pressure", "4.00"]
    found = json.loads(hyperdive("topics", "dog", "--general", "-m", GOLDEN, "--json").out)
    assert found["query"] == "dog" and found["words"][0]["word"] == "animal"
    assert "did you mean dog" in hyperdive("topics", "dgo", "--general", "-m", GOLDEN).err
    assert "--general" in hyperdive("topics", "dog", "-m", GOLDEN).err
