"""Spaces by their names, and those that other packages bring."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperdive._resources import Run
from hyperdive.errors import Error, OptionError
from hyperdive.options import SpaceOptions
from hyperdive.pipeline.train import train
from hyperdive.spaces import registry
from hyperdive.spaces.inputs import SpaceInputs
from hyperdive.spaces.registry import SPACES, SpaceMaker, space_maker, space_names
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.token_lists import encode_tokens


def make(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> VectorSpace:
    counts = inputs.counts
    row_sums = np.asarray(counts.totals[1:], dtype=np.float32)[:, None]
    return VectorSpace(counts.words, row_sums, frequencies=counts.frequencies[1:], kind="sums")


sums = SpaceMaker(make, "row sums", has_dimensions=False)
wrong = make


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint(name, f"{__name__}:{value}" if ":" not in value else value, registry.GROUP)
        for name, value in (("sums", "sums"), ("wrong", "wrong"), ("broken", "no_such_module:space"), ("dive", "sums"))
    ]
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [point for point in points if point.group == group]
    )


def test_a_plugin_is_trained_like_any_space(tmp_path: Path, plugins: None) -> None:
    assert space_names() == [*SPACES, "broken", "sums", "wrong"]
    encode_tokens([["dog", "bark"], ["cat", "sleep", "dog"]] * 50, tmp_path / "corpus", min_count=1)
    made = train(tmp_path / "corpus", tmp_path / "space", space="sums")
    assert len(made) == 4
    assert VectorSpace.load(tmp_path / "space")["dog"].tolist() == [150.0]


def test_a_plugin_cannot_replace_a_space_of_the_package(plugins: None) -> None:
    assert space_maker("dive") is SPACES["dive"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("broken", "cannot be loaded: ModuleNotFoundError: No module named"), ("wrong", "is not a SpaceMaker")],
)
def test_a_broken_plugin_is_one_line_when_it_is_asked_for(plugins: None, name: str, message: str) -> None:
    with pytest.raises(Error, match=message):
        space_maker(name)


def test_an_unknown_space_names_those_there_are(plugins: None) -> None:
    with pytest.raises(OptionError, match=r"no space 'sum' \(use one of dive, .*, sums"):
        space_maker("sum")


def test_every_space_says_what_it_is() -> None:
    makers: dict[str, Any] = SPACES
    assert all(maker.about and maker.needs in ("tokens", "counts") for maker in makers.values())
