"""The pages name every score, option and dataset there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hyperdive.benchmark.datasets import SPECS
from hyperdive.cli.arguments import flags, load
from hyperdive.scores import table

DOCS = Path(__file__).parents[2] / "docs"


def words(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_every_score_and_option_is_described() -> None:
    text = words("reference/scores.md")
    for one in table():
        assert re.search(rf"\b{re.escape(one.ascii)}\b", text) or one.name in text, one.name
        for option in one.options:
            assert f"`{option}`" in text, (one.name, option)


def test_every_dataset_is_described_with_its_size() -> None:
    text = words("reference/datasets.md")
    for name, spec in SPECS.items():
        assert name in text
        assert f"{spec.rows:,}" in text


@pytest.mark.parametrize(
    ("page", "name"),
    [("reference/scores.md", "score"), ("reference/evaluation.md", "evaluate"), ("reference/datasets.md", "datasets")],
)
def test_every_option_of_a_command_is_described(page: str, name: str) -> None:
    text = words(page)
    for option, rule in load(name).named.items():
        for spelled in flags(option, rule):
            assert spelled in text, spelled
