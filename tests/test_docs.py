"""The documentation describes every verb, option and score, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hyperdive.cli import COMMANDS
from hyperdive.cli.arguments import reference
from hyperdive.scores import table
from hyperdive.scores.registry import Score

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_reference_is_the_help_texts() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == reference(), "type: make docs"


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_readme_names_every_verb(verb: str) -> None:
    assert f"`{verb}`" in (ROOT / "README.md").read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings: lower case, punctuation removed, hyphens for spaces."""
    headings = re.findall(
        r"^#+ +(.+)$", re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8")), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*?)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        place = page.parent / target if target else page
        assert place.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(place), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("score", table(), ids=lambda score: score.ascii)
def test_every_score_and_its_options_are_documented(score: Score) -> None:
    written = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8")
    assert f"`{score.ascii}`" in written or f"{score.name}," in written or f", {score.name} " in written, score.name
    for option in score.options:
        assert f"`{option}`" in written, f"{score.name}: {option}"


def test_every_page_is_listed_in_the_index_and_in_the_navigation_of_the_site() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index, page.name
        assert f": {page.name}" in navigation, page.name


def test_the_code_layout_names_every_package_and_only_modules_that_exist() -> None:
    written = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "hyperdive"
    for path in package.glob("*/__init__.py"):
        assert f"`{path.parent.name}`" in written, f"docs/architecture.md does not name {path.parent.name}"
    for name in re.findall(r"[`/](?!test_)([a-z0-9_]+\.py)`", written):
        assert list(package.rglob(name)), f"docs/architecture.md names {name}, which is not there"
