"""How fast the explorer is in a real browser: its first view, and a tree of 10,000 terms.

    python bench/explorer.py [--terms 10000]

Needs Chromium and playwright. Views are timed by the page's own clock, from navigation to what is looked for on screen,
with a server that has warmed up, beside a page of plain text from the same server. The tree is planted; its rows are
scrolled from top to bottom in sixty steps.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from common import machine

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.web.browser import Tab, launched
from tests.web.conftest import Running
from tests.web.planted_tree import PLANTED, SCROLL, SCROLLED, plant

SEEN = """async selector => {
  while (!document.querySelector(selector)) await new Promise(requestAnimationFrame);
  return performance.now();
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--terms", type=int, default=PLANTED)
    terms = parser.parse_args().terms
    print(machine())
    with tempfile.TemporaryDirectory(prefix="hyperdive-bench-") as folder, launched() as browser:
        running = Running(Path(folder))
        try:
            running.get("hypernyms", term="dog")
            time.sleep(5)  # until it has warmed up
            views = {"plain text": ("api/v1/openapi.json", "pre"), "first view": ("", "main#main input")}
            views["a term's answers"] = ("#/ask?term=malaria", ".answer")
            for name, (view, selector) in views.items():
                seconds = []
                for _ in range(5):
                    tab = Tab(browser, running.address)
                    tab.page.goto(f"{running.address}/{view}", wait_until="commit")
                    seconds.append(tab.page.evaluate(SEEN, selector) / 1000)
                    tab.context.close()
                print(f"{name:20}{min(seconds):7.2f} s, median {statistics.median(seconds):.2f} s")
            tree(Tab(browser, running.address), terms)
        finally:
            running.stop()


def tree(tab: Tab, terms: int) -> None:
    page = tab.page
    plant(page, terms)
    page.goto(f"{tab.address}/#/tree?top=20")
    page.get_by_role("tree").wait_for()
    start = time.perf_counter()
    page.get_by_role("button", name="Open everything").click()
    page.wait_for_timeout(1)
    opened = time.perf_counter() - start
    rows = page.locator(".tree-rows")
    frames = rows.evaluate_handle(SCROLLED).evaluate(SCROLL)
    print(
        f"tree of {terms} terms: opened in {opened:.2f} s, {page.get_by_role('treeitem').count()} rows and "
        f"{page.evaluate('document.querySelectorAll(`*`).length')} elements in the page; a step of scrolling takes "
        f"{statistics.median(frames):.0f} ms, 95 % within {sorted(frames)[int(0.95 * len(frames))]:.0f} ms"
    )


if __name__ == "__main__":
    main()
