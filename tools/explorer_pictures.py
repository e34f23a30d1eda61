"""Pictures of every view of the explorer, light and dark, on a desk and on a phone; four of them are in docs/.

    python tools/explorer_pictures.py MODEL OTHER [-o build/explorer-pictures] [--docs]

MODEL should have its sentences. Needs Chromium and playwright. Look at every picture before a release.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.web.browser import DESK, PHONE, Tab, launched  # noqa: E402
from tests.web.conftest import Running  # noqa: E402

SIZES = {"desk": DESK, "phone": PHONE}
DOCS = {
    "explorer-ask": ("ask", "desk", "light"),
    "explorer-tree": ("tree-term", "desk", "dark"),
    "explorer-compare": ("compare", "desk", "light"),
    "explorer-models": ("models", "desk", "light"),
}
"""The pictures of docs/reference/explorer.md: view, size and theme."""


Action = Callable[[Any], None]


def press(name: str) -> Action:
    """Press a button of the page."""
    return lambda page: page.get_by_role("button", name=name).first.click()


def type_in(text: str) -> Action:
    """Type into the box of the page and wait for completions."""

    def typed(page: Any) -> None:
        page.locator("main input[role=combobox]").first.fill(text)
        page.locator("main [role=option]").first.wait_for()

    return typed


def nothing(page: Any) -> None:
    """Leave the page as it is."""


def correct(page: Any) -> None:
    """Accept a place and show the changes."""
    page.get_by_role("button", name="Accept").first.click()
    page.get_by_role("status").first.wait_for()
    page.get_by_role("tab", name="Changes").click()


def views(model: str, other: str) -> dict[str, tuple[str, Action]]:
    """The views by name: the address, and what is done before the picture is taken."""
    ask, tree, two = (
        f"#/ask?model={model}",
        f"#/tree?model={model}&root=vehicle",
        f"#/models?model={model}&other={other}",
    )
    return {
        "start": (ask, nothing),
        "complete": (ask, type_in("malar")),
        "complete-spelling": (ask, type_in("malarria")),
        "ask": (f"{ask}&term=malaria&up=disease", nothing),
        "ask-narrower": (f"{ask}&term=disease&down=malaria", nothing),
        "ask-senses": (f"{ask}&term=bass&senses=1", nothing),
        "ask-unknown": (f"{ask}&term=poodel", nothing),
        "ask-not-known": (f"{ask}&term=yesterday", nothing),
        "ask-take-away": (f"{ask}&term=malaria", press("Take away")),
        "tree-start": (f"#/tree?model={model}", nothing),
        "tree": (tree, nothing),
        "tree-term": (f"{tree}&at=armoured fighting vehicle", nothing),
        "tree-decide": (f"{tree}&panel=decide", nothing),
        "tree-unplaced": (f"#/tree?model={model}&top=200&panel=unplaced", nothing),
        "tree-filter": (f"{tree}&min=0.9&find=car", nothing),
        "tree-graph": (f"{tree}&at=truck&as=graph", nothing),
        "tree-move": (f"{tree}&at=combat vehicle", press("Move…")),
        "tree-merge": (f"{tree}&at=combat vehicle", press("Merge…")),
        "tree-menu": (tree, lambda page: page.locator(".row-menu").nth(2).click()),
        "tree-take-away": (tree, press("Take away")),
        "tree-changes": (f"{tree}&at=combat vehicle", correct),
        "compare-start": (f"#/compare?model={model}", nothing),
        "compare": (f"#/compare?model={model}&terms=mammal, rodent", nothing),
        "topics": (f"#/topics?model={model}", nothing),
        "topics-about": (f"#/topics?model={model}&about=music&find=jazz", nothing),
        "models-start": (two, nothing),
        "models": (f"{two}&term=aspirin", nothing),
    }


def take(browser: Any, running: Running, out: Path, size: str, scheme: str, chosen: dict[str, Any]) -> None:
    tab = Tab(browser, running.address, size=SIZES[size], color_scheme=scheme, reduced_motion="reduce")
    tab.context.set_default_timeout(60_000)
    for file in running.folder.glob("*.corrections.tsv"):
        file.unlink()
    for name, (view, act) in chosen.items():
        tab.page.goto("about:blank")
        page = tab.open(view)
        act(page)
        tab.settle()
        page.wait_for_timeout(400)
        page.screenshot(path=out / f"{name}-{size}-{scheme}.png")
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > SIZES[size][0]:
            print(f"{name}-{size}-{scheme}: {wide} pixels wide")
    tab.expect("about:blank")
    print(*tab.complaints, sep="\n", end="\n" if tab.complaints else "")
    tab.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("other")
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "build" / "explorer-pictures")
    parser.add_argument("--docs", action="store_true", help="only those of docs/, which are replaced")
    parser.add_argument("--only", default="", help="only views whose names begin with this")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    places = [str(Path(place).resolve()) if Path(place).exists() else place for place in (given.model, given.other)]
    with tempfile.TemporaryDirectory(prefix="hyperdive-pictures-") as folder, launched() as browser:
        running = Running(Path(folder), *places, "--corrections", folder)
        try:
            model, other = (one["name"] for one in running.get("models").json()["models"])
            for name in (model, other):  # until they have warmed up
                for verb in ("hypernyms", "hyponyms", "hypernyms"):
                    began = time.perf_counter()
                    running.client.get(f"/api/v1/{verb}?term=malaria&model={name}", timeout=300)
                    print(f"{name}: {verb} of malaria in {time.perf_counter() - began:.1f} s")
            every = views(model, other)
            if given.docs:
                for file, (view, size, scheme) in DOCS.items():
                    take(browser, running, given.out, size, scheme, {view: every[view]})
                    picture = given.out / f"{view}-{size}-{scheme}.png"
                    (ROOT / "docs" / "pictures" / f"{file}.png").write_bytes(picture.read_bytes())
                return
            chosen = {name: view for name, view in every.items() if name.startswith(given.only)}
            for size in SIZES:
                for scheme in ("light", "dark"):
                    take(browser, running, given.out, size, scheme, chosen)
        finally:
            running.stop()


if __name__ == "__main__":
    main()
