"""General words, from Python and from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperdive import Model, VectorSpace
from hyperdive.ask.topics import general_words
from hyperdive.errors import OptionError

Run = Callable[..., Any]


def a_model() -> Model:
    rows = np.float32([[3, 2, 0, 1.5], [2, 1, 0, 0.5], [1, 0.25, 0, 0], [0, 0, 4, 0], [0, 0, 0, 0]])
    words = ["animal", "dog", "poodle", "helper", "naïve"]
    return Model(VectorSpace(words, rows, frequencies=np.array([90, 40, 5, 3, 1]), kind="dive"))


def test_order_and_zero_words() -> None:
    model = a_model()
    assert [word.term for word in general_words(model)] == ["animal", "helper", "dog", "poodle"]
    assert [(word.term, word.value) for word in general_words(model, "poodle", 2)] == [("animal", 3.5), ("dog", 2.25)]
    with pytest.raises(OptionError):
        general_words(model, top=0)
    with pytest.raises(KeyError, match="poodle"):
        general_words(model, "poodel")


def test_command(hyperdive: Run, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    a_model().save(folder)
    ran = hyperdive("topics", "--general", "-m", folder, "--top", 2)
    assert ran.out.split() == ["1", "animal", "6.50", "2", "helper", "4.00"]
    found = json.loads(hyperdive("topics", "dog", "--general", "-m", folder, "--json").out)
    assert found["query"] == "dog" and found["words"][0]["word"] == "animal"
    assert "did you mean dog" in hyperdive("topics", "dgo", "--general", "-m", folder).err
    assert "--general" in hyperdive("topics", "dog", "-m", folder).err
