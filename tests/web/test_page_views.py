"""All views in a real browser: what they show, light and dark, wide and narrow, and that everybody can use them."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import PHONE, Tab
from tests.web.conftest import Running
from tests.web.npm import packages

Tabs = Callable[..., Tab]
VIEWS = {
    "start": "",
    "ask": "#/ask?model=small&term=dog&up=animal",
    "unknown": "#/ask?model=small&term=qwxyz",
    "tree start": "#/tree?model=small",
    "tree": "#/tree?top=60&panel=decide",
    "term": "#/tree?top=60&at=animal",
    "graph": "#/tree?top=60&at=animal&as=graph",
    "compare": "#/compare?model=small&terms=animal, dog",
    "topics": "#/topics?model=small",
    "two models": "#/models?model=small&other=en-wiki&term=dog",
}
RULES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
"""What is looked for; in the dark the rules that depend on colours."""
AXE = """async (rules) => {
  const found = await axe.run(document, { runOnly: rules });
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core."""
    return (packages() / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", RULES)
def test_axe_finds_no_violation(open_tab: Tabs, axe: str, scheme: str) -> None:
    tab = open_tab(color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    wrong = {}
    for name, view in VIEWS.items():
        page = tab.open(view)
        page.evaluate(axe)
        wrong[name] = page.evaluate(AXE, RULES[scheme])
    page.get_by_role("button", name="Export").click()
    page.get_by_role("dialog", name="Export").wait_for()
    wrong["take away"] = page.evaluate(AXE, RULES[scheme])
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize("width", [PHONE[0], 320])
def test_nothing_is_wider_than_a_small_screen(open_tab: Tabs, width: int) -> None:
    """320 pixels are also what a page of 1280 pixels has at 400 %, 640 at 200 %."""
    tab = open_tab(size=(width, 800))
    for name, view in VIEWS.items():
        page = tab.open(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.get_by_role("navigation", name="Views").is_visible(), name


def test_a_phone_can_move_a_term_by_touch_alone(open_tab: Tabs, explored: Running) -> None:
    (explored.folder / "small.corrections.tsv").write_text("force\tdog\tanimal\nforce\tcar\tvehicle\n")
    tab = open_tab(size=PHONE, has_touch=True)
    page = tab.open("#/tree?model=small")
    page.get_by_role("textbox", name="Terms").fill("animal\ndog\nvehicle\ncar")
    page.get_by_role("button", name="Build from 4 terms").tap()
    page.locator('[role=treeitem][data-term="dog"]').tap()
    page.get_by_role("button", name="Move…").tap()
    page.get_by_role("combobox", name="New parent").fill("vehicle")
    page.get_by_role("button", name="Move", exact=True).tap()
    page.get_by_role("status").filter(has_text="Moved dog under vehicle").wait_for()
    saved = (explored.folder / "small.corrections.tsv").read_text()
    assert "force\tdog\tvehicle" in saved and "force\tdog\tanimal" not in saved


def brightness(page: Any) -> float:
    """How bright the page is, from 0 to 255."""
    values = page.evaluate(
        "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    )
    return float(sum(values) / 3)


def test_dark_follows_the_system_and_the_button_overrules_it(open_tab: Tabs) -> None:
    dark, light = open_tab(color_scheme="dark"), open_tab(color_scheme="light")
    assert brightness(dark.open("#/topics?model=small")) < 60 < 200 < brightness(light.open("#/topics?model=small"))
    page = light.page
    page.get_by_role("button", name="Theme: system; change to light").click()
    page.get_by_role("button", name="Theme: light; change to dark").click()
    assert brightness(page) < 60
    page.reload()
    page.locator("main#main").wait_for()
    assert brightness(page) < 60


def test_compare_shows_the_values_of_the_model(open_tab: Tabs, explored: Running) -> None:
    expected = explored.get("compare", model="small", term=["animal", "dog"]).json()
    tab = open_tab()
    page = tab.open(VIEWS["compare"])
    assert page.get_by_role("columnheader").all_inner_texts()[2:] == expected["words"]
    first = page.get_by_role("table").locator("tbody tr").first
    assert first.locator("td.figure-value").all_inner_texts() == [
        f"{value:.2f}" if value >= 0.005 else "–" for value in expected["dimensions"][0]["values"]
    ]
    hovered = [
        f"{word}: {value:.2f}"
        for word, value in zip(expected["words"], expected["dimensions"][0]["values"], strict=True)
    ]
    assert first.locator("svg title").all_text_contents() == hovered
    share = round(100 * expected["included"][0][1])
    assert f"{share} %" in page.get_by_role("list", name="What includes what").inner_text()
    page.get_by_role("button", name="Remove dog").click()
    page.get_by_role("heading", name="One more word").wait_for()
    page.get_by_role("combobox", name="Add a word").fill("cat")
    page.keyboard.press("Enter")
    page.get_by_role("columnheader", name="cat").wait_for()


def test_topics_lead_to_questions(open_tab: Tabs, explored: Running) -> None:
    expected = explored.get("topics", model="small", words=8).json()["topics"]
    tab = open_tab()
    page = tab.open(VIEWS["topics"])
    cards = page.locator(".topic")
    assert cards.count() == len(expected) and cards.first.locator("h2").inner_text() == expected[0]["label"]
    word = expected[0]["words"][0]
    page.get_by_role("searchbox", name="Find a word in the topics").fill(word)
    assert 0 < cards.count() <= len(expected)
    cards.first.get_by_role("link", name=word, exact=True).click()
    page.get_by_role("heading", level=1, name=word, exact=True).wait_for()


def test_two_models_mark_what_they_share(open_tab: Tabs, explored: Running) -> None:
    page = open_tab().open(VIEWS["two models"])
    answers = {
        name: {
            one["term"]
            for one in explored.get("hypernyms", term="dog", model=name, top=12).json()["results"][0]["answers"]
        }
        for name in ("small", "en-wiki")
    }
    both = answers["small"] & answers["en-wiki"]
    assert both and page.locator(".chip-both").count() == 2 * len(both)


@pytest.mark.parametrize("name", ["ask", "compare", "topics", "two models"])
def test_every_view_is_taken_away_as_files_and_pictures(open_tab: Tabs, name: str, tmp_path: Path) -> None:
    page = open_tab().open(VIEWS[name])
    page.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog", name="Export")
    dialog.locator(".offer strong").first.wait_for()
    files = {}
    for title in dialog.locator(".offer strong").all_inner_texts():
        with page.expect_download() as waiting:
            dialog.locator(".offer").filter(has=page.get_by_text(title, exact=True)).click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
        files[title] = (tmp_path / waiting.value.suggested_filename).read_bytes()
    assert set(files) == {"TSV", "JSON", "SVG", "PNG"}
    header, *rows = (line.split("\t") for line in files["TSV"].decode().splitlines())
    assert rows and all(len(row) == len(header) for row in rows)
    assert json.loads(files["JSON"])
    picture = ET.fromstring(files["SVG"])
    column = {"ask": 1, "compare": 1, "topics": 1, "two models": 2}[name]
    drawn = "".join(picture.itertext())
    assert all(row[column] in drawn for row in rows[:5])
    width, height = struct.unpack(">II", files["PNG"][16:24])
    assert files["PNG"].startswith(b"\x89PNG") and width >= float(picture.get("width", 0)) > 100 and height > 50
    assert "hyperdive " in dialog.inner_text() and "from hyperdive import load" in dialog.inner_text()


def test_every_view_is_restored_by_its_address(open_tab: Tabs) -> None:
    tab, other = open_tab(), open_tab()
    for name in ("ask", "term", "compare", "topics", "two models"):
        page = tab.open(VIEWS[name])
        page.wait_for_load_state("networkidle")
        again = other.open(tab.page.url.removeprefix(f"{tab.address}/"))
        again.wait_for_load_state("networkidle")
        assert again.locator("main").inner_text() == page.locator("main").inner_text(), name
