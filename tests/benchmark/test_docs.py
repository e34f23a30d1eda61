"""The pages name every score, option and dataset there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from hyperdive.benchmark.datasets import SPECS
from hyperdive.cli import datasets, evaluate, score
from hyperdive.scores import table

DOCS = Path(__file__).parents[2] / "docs"


def words(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_every_score_and_option_is_described() -> None:
    text = words("scores.md")
    for one in table():
        assert re.search(rf"\b{re.escape(one.ascii)}\b", text) or one.name in text, one.name
        for option in one.options:
            assert f"`{option}`" in text, (one.name, option)


def test_every_dataset_is_described_with_its_size() -> None:
    text = words("datasets.md")
    for name, spec in SPECS.items():
        assert name in text
        assert f"{spec.rows:,}" in text


@pytest.mark.parametrize(
    ("page", "verb"),
    [("scores.md", score.score), ("evaluate.md", evaluate.evaluate), ("datasets.md", datasets.datasets)],
)
def test_every_option_of_a_verb_is_described(page: str, verb: object) -> None:
    app = typer.Typer()
    app.command()(verb)  # type: ignore[type-var]
    text = words(page)
    for parameter in typer.main.get_command(app).params:
        for spelled in [*parameter.opts, *parameter.secondary_opts]:
            if spelled.startswith("-") and spelled not in ("--help", "--install-completion", "--show-completion"):
                assert spelled in text, spelled
