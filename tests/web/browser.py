"""A real browser: Debian's Chromium driven by playwright, and a page that notes whatever a test must not see."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESK, PHONE = (1280, 800), (390, 844)
WAIT = 30_000
"""Milliseconds for anything to appear: a busy machine is no failure."""


def chromium() -> str:
    """The path of Chromium; the test is skipped, with the reason, where it or playwright is missing."""
    pytest.importorskip("playwright", reason="no browser test: playwright is not installed (pip install playwright)")
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no browser test: Chromium is not installed (apt-get install chromium)")
    return path


@contextmanager
def launched() -> Iterator[Any]:
    """A browser without a window."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class Tab:
    """A page in a context of its own; `complaints` are errors of the console and requests to other hosts."""

    def __init__(self, browser: Any, address: str, *, size: tuple[int, int] = DESK, **options: Any) -> None:
        self.address = address
        width, height = size
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.context.set_default_timeout(WAIT)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self._expected: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._requested)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console: {message.text}")

    def _requested(self, request: Any) -> None:
        if not request.url.startswith((f"{self.address}/", "blob:", "data:")):
            self.complaints.append(f"request: {request.url}")

    def open(self, view: str = "") -> Any:
        """Go to a view, such as `#/ask?term=dog`, and wait until nothing is loading."""
        self.page.goto(f"{self.address}/{view}")
        self.page.locator("main#main").wait_for()
        self.page.wait_for_load_state("networkidle")
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until no part of the page is loading."""
        self.page.locator(".loading, progress").first.wait_for(state="detached")

    def expect(self, *patterns: str) -> None:
        """Complaints of these patterns belong to the test, also those that are still to come."""
        self._expected += patterns

    def close(self) -> None:
        """Close the page; it must have been silent but for what is expected."""
        self.context.close()
        left = [one for one in self.complaints if not any(re.search(part, one) for part in self._expected)]
        assert not left, "\n".join(left)
