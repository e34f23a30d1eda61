"""A large taxonomy put in the place of a built one, on its way to the page."""

from __future__ import annotations

import json
from typing import Any

PLANTED, CHILDREN = 10_000, 9


def planted(reply: dict[str, Any], terms: int = PLANTED) -> dict[str, Any]:
    """The reply of a tree with this many terms: term n is a kind of term (n - 1) // 9."""
    names = [f"term {number}" for number in range(terms)]
    edges = [
        {
            "child": names[number],
            "parent": names[(number - 1) // CHILDREN],
            "confidence": 0.5 + number % 50 / 100,
            "score": None,
            "statements": number % 7,
            "reason": "model",
            "evidence": [],
        }
        for number in range(1, terms)
    ]
    empty: dict[str, Any] = {"unplaced": [], "added": [], "unknown": [], "synonyms": {}, "notes": []}
    return {**reply, **empty, "terms": names, "edges": edges, "roots": names[:1]}


def plant(page: Any, terms: int = PLANTED) -> None:
    """From now on every tree that the page asks for is the planted one."""

    def answer(route: Any) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=json.dumps(planted(response.json(), terms)))

    page.route("**/api/v1/taxonomies/*/tree*", answer)


SCROLL = """async tree => {
  const frames = [];
  const height = tree.scrollHeight - tree.clientHeight;
  let last = performance.now();
  for (let step = 1; step <= 60; step++) {
    tree.scrollTop = height * step / 60;
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  return frames;
}"""
"""Scroll a tree from its top to its bottom in sixty steps; the milliseconds that each took to be drawn."""

SCROLLED = """rows => {
  let tree = rows;
  const scrolls = part => part.scrollHeight > part.clientHeight && getComputedStyle(part).overflowY !== "visible";
  while (!scrolls(tree)) tree = tree.parentElement;
  return tree;
}"""
"""The part of the page that scrolls the rows of a tree."""
