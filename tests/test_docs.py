"""The documentation names every verb and every option."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from hyperdive.cli.main import VERBS, app

ROOT = Path(__file__).parents[1]


def commands() -> Iterator[tuple[str, Any]]:
    group: Any = typer.main.get_command(app)
    for verb in VERBS:
        command = group.get_command(None, verb)
        for name, sub in getattr(command, "commands", {}).items():
            yield f"{verb} {name}", sub
        yield verb, command


def section(text: str, verb: str) -> str:
    found = re.search(rf"^## `hyperdive {verb}[ `].*?(?=^## |\Z)", text, flags=re.M | re.S)
    return found.group(0) if found else ""


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_option_is_documented(verb: str) -> None:
    text = section((ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), verb)
    assert text, f"docs/cli.md has no section '## `hyperdive {verb} …`'"
    for name, command in commands():
        if name.split()[0] != verb:
            continue
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--") and option != "--help":
                    assert f"`{option}" in text, f"docs/cli.md does not describe {option} of {name}"
            help_text = getattr(parameter, "help", None)
            assert help_text or parameter.name == "help", f"{name} {parameter.name} has no help text"


@pytest.mark.parametrize("verb", VERBS)
def test_the_readme_names_every_verb(verb: str) -> None:
    assert f"`{verb}`" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
