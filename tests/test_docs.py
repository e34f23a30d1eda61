"""The documentation names every verb and every option."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from hyperdive.cli.main import VERBS, app
from hyperdive.cli.reference import reference

ROOT = Path(__file__).parents[1]


def test_the_reference_is_the_help_texts() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == reference(), "type: make docs"


def parameters() -> Iterator[tuple[str, Any]]:
    group: Any = typer.main.get_command(app)
    for verb in VERBS:
        command = group.get_command(None, verb)
        for sub in getattr(command, "commands", {"": command}).values():
            for parameter in sub.params:
                yield verb, parameter


def test_every_option_has_a_help_text_and_a_line_in_the_reference() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for verb, parameter in parameters():
        assert parameter.name == "help" or parameter.help, f"{verb}: {parameter.name} has no help text"
        for option in parameter.opts:
            assert option == "--help" or not option.startswith("--") or f"`{option}`" in written, f"{verb}: {option}"


@pytest.mark.parametrize("verb", VERBS)
def test_the_readme_names_every_verb(verb: str) -> None:
    assert f"`{verb}`" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
