"""The documentation describes every verb, option and score, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hyperdive.cli import COMMANDS
from hyperdive.cli.arguments import flags, load, reference
from hyperdive.scores import table
from hyperdive.scores.registry import Score

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_reference_is_the_help_texts() -> None:
    written = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert written == reference(), "type: make docs"


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_readme_names_every_verb(verb: str) -> None:
    assert f"`{verb}`" in (ROOT / "README.md").read_text(encoding="utf-8")


OTHER_PROGRAMS = re.compile(r"python (?:-m )?(?:bench|tools|fuzz)|bench/|pip |docker ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_option_on_a_page_exists(page: Path) -> None:
    commands = [load(name) for name in COMMANDS]
    flagged = {flag for command in commands for key, rule in command.named.items() for flag in flags(key, rule)}
    known = {"--set", "--help", "--version", *flagged, *(f"--no-{flag[2:]}" for flag in flagged)}
    rare = {key.removesuffix("_") for command in commands for key in command.rare}
    for line in page.read_text(encoding="utf-8").splitlines():
        if not OTHER_PROGRAMS.search(line):
            assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", line)) <= known, line
        assert set(re.findall(r"--set ([a-z_]+)=", line)) <= rare, line


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "how-to").glob("*.md")), ids=lambda page: page.stem)
def test_every_recipe_is_run(page: Path) -> None:
    """By the tests of commands or of Python examples; those of a plug-in, of a cluster and of a long run, apart."""
    text = page.read_text(encoding="utf-8")
    assert "```console" in text or ">>> " in text or page.stem in ("plug-ins", "reproduce", "spark")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings: lower case, punctuation removed, hyphens for spaces."""
    headings = re.findall(
        r"^#+ +(.+)$", re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8")), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*?)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        place = page.parent / target if target else page
        assert place.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(place), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("score", table(), ids=lambda score: score.ascii)
def test_every_score_and_its_options_are_documented(score: Score) -> None:
    written = (ROOT / "docs" / "reference" / "scores.md").read_text(encoding="utf-8")
    assert f"`{score.ascii}`" in written or f"{score.name}," in written or f", {score.name} " in written, score.name
    for option in score.options:
        assert f"`{option}`" in written, f"{score.name}: {option}"


def test_every_page_is_listed_in_the_index_and_in_the_navigation_of_the_site() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or f"]({name})" in index, name
        assert f": {name}" in navigation, name


def test_the_code_layout_names_every_package_and_only_modules_that_exist() -> None:
    written = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "hyperdive"
    for path in package.glob("*/__init__.py"):
        assert f"`{path.parent.name}`" in written, f"docs/explanation/architecture.md does not name {path.parent.name}"
    for name in re.findall(r"[`/](?!test_)([a-z0-9_]+\.py)`", written):
        assert list(package.rglob(name)), f"docs/explanation/architecture.md names {name}, which is not there"
