"""Ask in a real browser: completion, answers, evidence, walking on, and what is not known."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.web.browser import Tab
from tests.web.conftest import Running
from tests.web.small_model import MARKUP

Tabs = Callable[..., Tab]


def test_ask_by_completion_and_walk_on(open_tab: Tabs, explored: Running) -> None:
    tab = open_tab()
    page = tab.open()
    box = page.get_by_role("combobox", name="Ask about a term")
    assert box.evaluate("element => element === document.activeElement")
    page.keyboard.type("poodl", delay=20)
    page.get_by_role("option", name="poodle").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="poodle").wait_for()
    tab.settle()
    answers = explored.get("hypernyms", term="poodle", top=12).json()["results"][0]["answers"]
    broader = page.get_by_role("region", name="Broader")
    assert broader.locator(".answer-term").all_inner_texts() == [one["term"] for one in answers]
    assert broader.locator(".answer-value").first.inner_text().endswith(f"{answers[0]['confidence']:.2f}")
    first = answers[0]["term"]
    broader.get_by_role("link", name=f"Ask about {first}", exact=True).click()
    page.get_by_role("heading", level=1, name=first, exact=True).wait_for()
    assert page.get_by_role("navigation", name="Way here").inner_text().strip() == "poodle"
    page.go_back()
    page.get_by_role("heading", level=1, name="poodle").wait_for()


def test_an_answer_shows_its_sentences_with_both_terms_marked(open_tab: Tabs) -> None:
    tab = open_tab()
    page = tab.open("#/ask?model=small&term=dog")
    page.get_by_role("region", name="Broader").get_by_role("button", name=re.compile("^animal")).click()
    tab.settle()
    sentence = page.locator("figure, blockquote, .sentence").filter(has_text="such as dogs").first
    sentence.wait_for()
    assert {mark.lower() for mark in sentence.locator("mark").all_inner_texts()} == {"dogs", "animals"}
    shown = page.get_by_role("region", name="Broader").inner_text()
    assert "such-as" in shown and "document" in shown and "statements" in shown
    assert MARKUP in shown  # text, not markup
    assert page.locator("main b").count() == 0
    assert "up=animal" in page.url
    again = open_tab().open(page.url.removeprefix(tab.address).removeprefix("/"))
    again.locator("mark").first.wait_for()


def test_a_word_that_is_not_known_has_near_spellings(open_tab: Tabs) -> None:
    page = open_tab().open("#/ask?term=malarria")
    page.get_by_role("heading", name="Not in this model").wait_for()
    page.get_by_role("link", name="malaria", exact=True).click()
    page.get_by_role("region", name="Broader").get_by_text("disease", exact=True).first.wait_for()


def test_nothing_likely_enough_is_said(open_tab: Tabs, explored: Running) -> None:
    asked = ["b", "village", "onclick"]
    results = explored.get("hyponyms", term=asked, model="small").json()["results"]
    word = next(one["term"] for one in results if one["known"] and not one["answers"])
    page = open_tab().open(f"#/ask?model=small&term={word}")
    panel = page.get_by_role("region", name="Narrower")
    panel.get_by_role("heading", name="Not known").wait_for()
    assert "the nearest is" in panel.inner_text()


def test_answers_are_grouped_by_sense_on_request(open_tab: Tabs, explored: Running) -> None:
    tab = open_tab()
    page = tab.open("#/ask?term=bass")
    broader = page.get_by_role("region", name="Broader")
    assert broader.get_by_role("heading", level=3).count() == 0
    switch = broader.get_by_role("switch", name="By sense")
    switch.focus()
    page.keyboard.press("Space")
    broader.get_by_role("heading", level=3, name="Sense 2").wait_for()
    answers = explored.get("hypernyms", term="bass", top=12, senses="true").json()["results"][0]["answers"]
    senses = sorted({one["sense"] for one in answers})
    assert len(senses) > 1
    for sense in senses:
        group = broader.get_by_role("region", name=f"Sense {sense}:")
        terms = [one["term"] for one in answers if one["sense"] == sense]
        assert group.locator(".answer-term").all_inner_texts() == terms
    assert broader.get_by_role("status").inner_text() == f"{len(senses)} senses"
    assert "senses=1" in page.url
    page.get_by_role("button", name="Export").click()
    shown = page.get_by_role("dialog", name="Export").inner_text()
    assert (
        "hyperdive hypernyms bass --top 12 --senses" in shown
        and "model.hypernyms('bass', top=12, senses=True)" in shown
    )
    again = open_tab().open(page.url.removeprefix(tab.address).removeprefix("/"))
    again.get_by_role("heading", level=3, name="Sense 2").wait_for()
    switch = again.get_by_role("switch", name="By sense")
    assert switch.is_checked()
    switch.click()
    again.get_by_role("heading", level=3, name="Sense 2").wait_for(state="detached")
    assert "senses" not in again.url


def test_a_word_with_one_sense_has_no_groups(open_tab: Tabs) -> None:
    page = open_tab().open("#/ask?term=poodle&senses=1")
    broader = page.get_by_role("region", name="Broader")
    broader.get_by_text("one sense").wait_for()
    assert broader.get_by_role("heading", level=3).count() == 0
