"""The tree in a real browser: build, look, correct by pointer and by keyboard, undo, reload, two tabs, take away."""

from __future__ import annotations

import json
import re
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import rdflib
from rdflib.namespace import SKOS

from tests.web.browser import PHONE, Tab
from tests.web.conftest import Running
from tests.web.planted_tree import PLANTED, SCROLLED, plant
from tests.web.small_model import KINDS, TERMS

Tabs = Callable[..., Tab]
SHAPE = [f"force\t{child}\t{parent}" for parent, children in KINDS.items() for child in children]
"""Corrections that give the tree of the small model its shape, whatever the model finds."""
TALL = (1280, 1200)
"""A window in which all its rows have room."""


def shape(folder: Path) -> None:
    (folder / "small.corrections.tsv").write_text("".join(f"{line}\n" for line in SHAPE))


@pytest.fixture(scope="module")
def listed(browser: Any, explored: Running) -> str:
    """The view of the tree of the terms of the small model, made by pasting them."""
    shape(explored.folder)
    tab = Tab(browser, explored.address)
    page = tab.open("#/tree?model=small")
    page.get_by_role("textbox", name="Terms").fill("\n".join(TERMS))
    page.get_by_role("button", name=f"Build from {len(TERMS)} terms").click()
    page.get_by_role("tree").wait_for()
    view = page.url.removeprefix(f"{tab.address}/")
    tab.close()
    return view


@pytest.fixture
def shaped(open_tab: Tabs, explored: Running, listed: str) -> Tab:
    """A tab with the tree in its known shape."""
    shape(explored.folder)
    tab = open_tab(size=TALL)
    tab.open(listed)
    return tab


def changes(running: Running) -> list[str]:
    """How the file of corrections differs from the known shape: added lines with +, removed ones with -."""
    path = running.folder / "small.corrections.tsv"
    lines = path.read_text().splitlines() if path.exists() else []
    return [f"-{line}" for line in SHAPE if line not in lines] + [f"+{line}" for line in lines if line not in SHAPE]


MOVED_APPLE = ["-force\tapple\tfruit", "+force\tapple\tvehicle"]


def until(check: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for something outside the page."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def row(page: Any, term: str) -> Any:
    """The row of a term."""
    return page.locator(f'[role=treeitem][data-term="{term}"]')


def parent_shown(page: Any, term: str) -> str | None:
    """The parent of a term as the rows show it."""
    parent: str | None = page.evaluate(
        """term => {
            const rows = [...document.querySelectorAll("[role=treeitem]")]
              .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
            const level = row => Number(row.getAttribute("aria-level"));
            const at = rows.findIndex(row => row.dataset.term === term);
            for (let up = at - 1; at >= 0 && up >= 0; up--) {
              if (level(rows[up]) < level(rows[at])) return rows[up].dataset.term;
            }
            return null;
        }""",
        term,
    )
    return parent


def wait_for_parent(page: Any, term: str, parent: str | None) -> None:
    until(lambda: parent_shown(page, term) == parent)


def drag(page: Any, term: str, target: Any) -> None:
    """Press on a row, move to a place in steps, let go."""
    start, end = row(page, term).locator(".row-term").bounding_box(), target.bounding_box()
    page.mouse.move(start["x"] + 5, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + 25, start["y"] + 30, steps=3)
    page.mouse.move(end["x"] + 30, end["y"] + end["height"] / 2, steps=5)


def test_two_thousand_terms_are_built_with_progress_and_only_rows_in_view_are_drawn(open_tab: Tabs) -> None:
    tab = open_tab()
    page = tab.page
    page.goto(f"{tab.address}/#/tree?top=2000")
    page.get_by_role("progressbar").wait_for()
    tree = page.get_by_role("tree")
    tree.wait_for()
    assert "not placed" in page.locator(".headline").inner_text()
    page.get_by_role("button", name="Expand all").click()
    placed = int(page.evaluate("document.querySelector('.tree-rows').getBoundingClientRect().height / 36"))
    assert placed > 500 and 10 < page.get_by_role("treeitem").count() < 100
    tree.focus()
    page.keyboard.press("End")
    last = page.locator("[role=treeitem][aria-selected=true]")
    last.wait_for()
    assert last.evaluate("row => { const box = row.getBoundingClientRect(); return box.bottom <= innerHeight; }")
    assert tree.get_attribute("aria-activedescendant") == last.get_attribute("id")
    page.keyboard.press("Home")
    first = page.locator("[role=treeitem][aria-selected=true]")
    assert first.get_attribute("aria-level") == "1" and first.get_attribute("aria-posinset") == "1"
    page.get_by_role("searchbox", name="Find in the tree").fill("music")
    page.locator(".row-match").first.wait_for()
    assert "music" in page.locator(".row-match").first.inner_text()
    page.reload()
    page.locator(".row-match").first.wait_for()


def test_ten_thousand_terms_are_scrolled_with_a_hundred_rows_in_the_page(open_tab: Tabs) -> None:
    tab = open_tab()
    page = tab.page
    plant(page)
    page.goto(f"{tab.address}/#/tree?top=20")
    page.get_by_role("tree").wait_for()
    page.get_by_role("button", name="Expand all").click()
    rows = page.locator(".tree-rows")
    assert int(rows.evaluate("rows => rows.getBoundingClientRect().height / 36")) == PLANTED
    scrolled = page.locator(".tree-rows").evaluate_handle(SCROLLED)
    counts = [page.get_by_role("treeitem").count()]
    for part in (0.25, 0.5, 0.75, 1):
        scrolled.evaluate("(tree, part) => { tree.scrollTop = part * (tree.scrollHeight - tree.clientHeight); }", part)
        page.wait_for_timeout(100)
        counts.append(page.get_by_role("treeitem").count())
    assert all(10 < count < 100 for count in counts), counts
    last = page.get_by_role("treeitem").last.bounding_box()
    assert abs(last["y"] + last["height"] - rows.evaluate("rows => rows.getBoundingClientRect().bottom")) < 2
    assert page.evaluate("document.querySelectorAll('*').length") < 3000


def test_a_build_can_be_cancelled(open_tab: Tabs) -> None:
    tab = open_tab()
    page = tab.page
    page.goto(f"{tab.address}/#/tree?top=6000")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("heading", name="Cancelled").wait_for()
    assert page.get_by_role("button", name="Build it after all").is_visible()


def test_a_term_is_moved_by_dragging_and_the_move_undone_redone_and_kept(shaped: Tab, explored: Running) -> None:
    page = shaped.page
    drag(page, "apple", row(page, "vehicle"))
    assert page.locator(".ghost").inner_text() == "apple under vehicle"
    page.mouse.up()
    wait_for_parent(page, "apple", "vehicle")
    assert changes(explored) == MOVED_APPLE
    page.locator(".headline").get_by_role("button", name=re.compile("^Undo: ")).click()
    wait_for_parent(page, "apple", "fruit")
    assert changes(explored) == []
    page.locator(".headline").get_by_role("button", name=re.compile("^Redo: ")).click()
    wait_for_parent(page, "apple", "vehicle")
    page.reload()
    page.get_by_role("tree").wait_for()
    wait_for_parent(page, "apple", "vehicle")
    assert "expert" in row(page, "apple").inner_text()
    undo = page.locator(".headline").get_by_role("button", name=re.compile("^Undo: "))
    undo.wait_for()  # the steps of a tab outlive a reload
    undo.click()
    wait_for_parent(page, "apple", "fruit")
    assert changes(explored) == []


def test_a_drop_into_itself_or_nowhere_changes_nothing(shaped: Tab, explored: Running) -> None:
    page = shaped.page
    drag(page, "animal", row(page, "dog"))
    assert page.locator(".ghost").inner_text() == "not under itself"
    page.mouse.up()
    drag(page, "apple", row(page, "vehicle"))
    page.keyboard.press("Escape")
    page.mouse.up()
    page.wait_for_timeout(300)
    assert changes(explored) == []


def test_every_correction_has_a_key(shaped: Tab, explored: Running) -> None:
    page = shaped.page

    def selected() -> str | None:
        term: str | None = page.evaluate("document.querySelector('[aria-selected=true][data-term]')?.dataset.term")
        return term

    def walk_to(term: str) -> None:
        shaped.settle()
        page.get_by_role("tree").focus()
        page.keyboard.press("Home")
        until(lambda: selected() == "animal", 5)
        while (before := selected()) != term:
            page.get_by_role("tree").focus()
            page.keyboard.press("ArrowDown")
            until(lambda before=before: selected() != before, 5)  # type: ignore[misc]
        page.get_by_role("tree").focus()

    def go_to(term: str) -> None:
        for _ in range(4):  # a tree that is built anew under the keys loses one
            with suppress(AssertionError):
                walk_to(term)
                return
        walk_to(term)

    go_to("apple")
    page.keyboard.press("Control+x")
    go_to("vehicle")
    page.keyboard.press("Control+v")
    wait_for_parent(page, "apple", "vehicle")
    assert changes(explored) == MOVED_APPLE
    page.keyboard.press("Control+z")
    until(lambda: changes(explored) == [])
    page.keyboard.press("Control+Shift+z")
    wait_for_parent(page, "apple", "vehicle")
    go_to("plum")
    page.keyboard.press("Delete")
    until(lambda: "+forbid\tplum\tfruit" in changes(explored))
    go_to("truck")
    page.keyboard.press("F2")
    page.get_by_role("combobox", name="New name").fill("lorry")
    page.keyboard.press("Enter")
    row(page, "lorry").wait_for()
    page.get_by_role("region", name="Why it is there").get_by_text("8 statements").wait_for()  # those of the truck
    go_to("cat")
    page.keyboard.press("Insert")
    page.get_by_role("combobox", name="Term").fill("siamese cat")
    page.keyboard.press("Enter")
    wait_for_parent(page, "siamese cat", "cat")
    go_to("beagle")
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Merge…").press("Enter")
    page.get_by_role("combobox", name="Merge into").fill("poodle")
    page.keyboard.press("Enter")
    row(page, "beagle").wait_for(state="detached")
    done = changes(explored)
    assert {"+rename\ttruck\tlorry", "+force\tsiamese cat\tcat", "+merge\tbeagle\tpoodle"} <= set(done)
    shaped.expect("404")  # the text has no sentence about a term that it does not have


def test_a_move_by_the_dialog_is_checked_and_a_term_can_become_a_top_term(shaped: Tab, explored: Running) -> None:
    page = shaped.page
    row(page, "dog").click()
    page.get_by_role("button", name="Move…").click()
    box = page.get_by_role("combobox", name="New parent")
    box.fill("poodle")
    page.get_by_role("button", name="Move", exact=True).click()
    assert "beneath it" in page.get_by_role("dialog").get_by_role("alert").inner_text()
    box.fill("frui")
    page.get_by_role("option", name=re.compile("^fruit")).click()
    page.get_by_role("button", name="Move", exact=True).click()
    wait_for_parent(page, "dog", "fruit")
    assert changes(explored) == ["-force\tdog\tanimal", "+force\tdog\tfruit"]
    row(page, "dog").locator(".row-menu").click()
    page.get_by_role("menuitem", name="Make it a top term").click()
    wait_for_parent(page, "dog", None)
    assert changes(explored) == ["-force\tdog\tanimal", "+root\tdog"]


def test_the_worklist_is_decided_and_rebuilding_respects_it(open_tab: Tabs, explored: Running) -> None:
    tab = open_tab()
    page = tab.open("#/tree?top=300&panel=decide")
    page.get_by_role("button", name="Expand all").click()
    edges = []
    for verdict in ("Accept", "Reject"):
        first = page.locator(".work").first
        first.wait_for()
        line = first.locator(".work-line").inner_text()
        edges.append(re.fullmatch(r"(.+) is a kind of (.+)", line).groups())  # type: ignore[union-attr]
        first.get_by_role("button", name=verdict).click()
        until(lambda line=line: page.locator(".work-line").first.inner_text() != line)  # type: ignore[misc]
    (right, above), (wrong, rejected) = edges
    saved = (explored.folder / "en-wiki.corrections.tsv").read_text().splitlines()
    assert saved[-2:] == [f"force\t{right}\t{above}", f"forbid\t{wrong}\t{rejected}"]
    page.get_by_role("button", name="Rebuild").click()
    page.get_by_role("button", name="Rebuild").wait_for(state="detached")
    page.get_by_role("tree").wait_for()
    page.get_by_role("tab", name=re.compile("^Changes")).click()
    assert right in page.get_by_role("tabpanel").inner_text()
    for term, parent, there in ((right, above, True), (wrong, rejected, False)):
        page.get_by_role("searchbox", name="Find in the tree").fill(term)
        until(lambda term=term: row(page, term).count() == 1 or page.locator(".state").count() > 0)  # type: ignore[misc]
        assert (parent_shown(page, term) == parent) is there


def test_a_second_tab_loses_nothing(shaped: Tab, open_tab: Tabs, explored: Running, listed: str) -> None:
    second = open_tab(size=TALL)
    one, other = shaped.page, second.open(listed)
    drag(one, "apple", row(one, "vehicle"))
    one.mouse.up()
    until(lambda: changes(explored) == MOVED_APPLE)
    drag(other, "pear", row(other, "vehicle"))
    other.mouse.up()
    alert = other.get_by_role("alert").filter(has_text="changed in another tab")
    alert.wait_for()
    assert "pear" in alert.inner_text() and changes(explored) == MOVED_APPLE
    alert.get_by_role("button", name="Load the changes and try again").click()
    wait_for_parent(other, "pear", "vehicle")
    wait_for_parent(other, "apple", "vehicle")
    assert sorted(changes(explored)) == sorted([*MOVED_APPLE, "-force\tpear\tfruit", "+force\tpear\tvehicle"])
    second.expect("409")


def test_files_are_downloaded_and_parse(shaped: Tab, tmp_path: Path) -> None:
    page = shaped.page
    drag(page, "apple", row(page, "vehicle"))
    page.mouse.up()
    wait_for_parent(page, "apple", "vehicle")
    page.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog", name="Export")

    def download(title: str) -> Path:
        with page.expect_download() as waiting:
            dialog.locator(".offer").filter(has=page.get_by_text(title, exact=True)).click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    graph = rdflib.Graph().parse(download("SKOS-TTL"))
    labels = {subject: str(label) for subject, label in graph.subject_objects(SKOS.prefLabel)}
    broader = {(labels[child], labels[parent]) for child, parent in graph.subject_objects(SKOS.broader)}
    assert ("apple", "vehicle") in broader
    content = json.loads(download("JSON").read_text())
    assert {"child": "apple", "parent": "vehicle"}.items() <= next(
        edge for edge in content["edges"] if edge["child"] == "apple"
    ).items()
    rows = [line.split("\t") for line in download("TSV").read_text().splitlines()]
    assert ["apple", "vehicle"] in [line[:2] for line in rows]
    assert len(rdflib.Graph().parse(download("OWL-XML"), format="xml")) > len(TERMS)
    assert ET.parse(download("GRAPHML")).getroot().tag.endswith("graphml")
    picture = ET.parse(download("SVG")).getroot()
    assert "apple" in "".join(picture.itertext())
    assert download("PNG").read_bytes().startswith(b"\x89PNG")
    shown = dialog.inner_text()
    assert "hyperdive taxonomy" in shown and "--corrections" in shown and "model.taxonomy(" in shown


def test_markdown_and_the_link_are_copied(open_tab: Tabs, explored: Running, listed: str) -> None:
    shape(explored.folder)
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    page = tab.open(listed)
    page.get_by_role("button", name="Export").click()
    page.get_by_role("button", name="Copy as Markdown").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert "\n- animal\n" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy link to this view").click()
    until(lambda: page.evaluate("navigator.clipboard.readText()") == page.url)


def test_the_filter_moves_terms_to_the_tray(open_tab: Tabs) -> None:
    page = open_tab().open("#/tree?top=300")
    placed = page.locator(".headline").inner_text()
    page.get_by_role("slider").fill("1")
    until(lambda: page.locator(".headline").inner_text() != placed)
    assert "min=1" in page.url and "under 1.00" in page.locator(".tree-foot").inner_text()
    page.get_by_role("tab", name=re.compile("^Without a parent")).click()
    assert page.get_by_role("tabpanel").get_by_role("listitem").count() > 10


@pytest.mark.parametrize("size", [TALL, PHONE])
def test_the_graph_shows_what_is_around_a_term_and_walks_on(
    open_tab: Tabs, explored: Running, listed: str, size: tuple[int, int]
) -> None:
    shape(explored.folder)
    tab = open_tab(size=size)
    page = tab.open(f"{listed}&at=fruit")
    page.get_by_role("button", name="Graph").click()
    graph = page.get_by_role("region", name="Neighbourhood of fruit")
    names = {name.partition(",")[0] for name in graph.locator("[role=button]").evaluate_all(NAMES)}
    assert {"fruit", *KINDS["fruit"]} <= names
    focus = graph.locator(".graph-focus").bounding_box()
    assert focus["x"] >= 0 and focus["x"] + focus["width"] <= size[0]
    graph.get_by_role("button", name="apple").press("Enter")
    page.get_by_role("region", name="Neighbourhood of apple").wait_for()
    assert "as=graph" in page.url and "at=apple" in page.url


NAMES = "nodes => nodes.map(node => node.getAttribute('aria-label'))"


def test_a_read_only_server_offers_no_corrections(
    open_tab: Tabs, serve: Callable[..., Running], small: Path, listed: str, tmp_path: Path
) -> None:
    shape(tmp_path)
    running = serve(str(small), "--read-only", "--corrections", str(tmp_path))
    page = open_tab(running).open(listed)
    row(page, "dog").click()
    page.get_by_role("heading", level=2, name="dog").wait_for()
    assert page.get_by_role("button", name="Move…").count() == page.locator(".grip").count() == 0
    page.get_by_role("tree").focus()
    page.keyboard.press("Delete")
    page.wait_for_timeout(200)
    assert changes(running) == []


def test_a_server_that_is_gone_is_said_and_corrections_survive_its_death(
    open_tab: Tabs, serve: Callable[..., Running], small: Path, listed: str, tmp_path: Path
) -> None:
    shape(tmp_path)
    running = serve(str(small), "--corrections", str(tmp_path))
    tab = open_tab(running, size=TALL)
    page = tab.open(listed)
    drag(page, "apple", row(page, "vehicle"))
    page.mouse.up()
    wait_for_parent(page, "apple", "vehicle")
    running.process.kill()
    running.process.wait()
    drag(page, "pear", row(page, "vehicle"))
    page.mouse.up()
    page.get_by_role("status").filter(has_text="The server does not answer").wait_for()
    assert changes(running) == MOVED_APPLE
    tab.expect("net::ERR_(CONNECTION|SOCKET|EMPTY)_")  # how a dead server looks depends on when it died
