"""A real server in a process of its own, on a free port of loopback, over the packaged model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hyperdive.spaces.packaged_models import DEFAULT, packaged_models
from tests.web.browser import Tab, launched
from tests.web.small_model import small_model

pytest.importorskip("fastapi")


class Running:
    """A server process; `client` asks it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "hyperdive", "serve", "--port", "0", *arguments]
        self._log = (folder / "server.log").open("w+b")
        # buffered output would hide the address
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=self._log, text=True, env=environment
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.search(r"(http://\S+)", line)
        assert match, f"no address in {line!r}: {(folder / 'server.log').read_text()}"
        self.opened = match[1]
        self.address = self.opened.partition("?")[0].rstrip("/")
        self.port = int(self.address.rpartition(":")[2])
        self.client = httpx.Client(base_url=self.address, timeout=60)

    def get(self, path: str, **parameters: object) -> httpx.Response:
        return self.client.get(f"/api/v1/{path}", params=parameters)  # type: ignore[arg-type]

    def post(self, path: str, **body: object) -> httpx.Response:
        return self.client.post(f"/api/v1/{path}", json=body)

    def log(self) -> str:
        return (self.folder / "server.log").read_text(encoding="utf-8")

    def stop(self) -> None:
        self.client.close()
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Start a server with these arguments; it ends with the test."""
    started: list[Running] = []

    def start(*arguments: str, folder: Path = tmp_path) -> Running:
        started.append(Running(folder, *arguments))
        return started[-1]

    yield start
    for running in started:
        running.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server over the packaged model for all tests that leave its corrections alone."""
    if DEFAULT not in packaged_models():
        pytest.skip("the packaged model is not there")
    running = Running(tmp_path_factory.mktemp("served"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def small(made_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The folder of a small model with sentences."""
    return made_once("models", small_model) / "small"


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory, small: Path) -> Iterator[Running]:
    """One server for all tests in the browser: the packaged model and the small one."""
    folder = tmp_path_factory.mktemp("explored")
    running = Running(folder, DEFAULT, str(small), "--corrections", str(folder))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    with launched() as started:
        yield started


@pytest.fixture
def open_tab(browser: Any, explored: Running, serve: object) -> Iterator[Callable[..., Tab]]:
    """Open a tab on the explored server, without corrections at first; every tab must stay silent until the end.

    It depends on `serve` so that tabs are closed before their servers: one that stops refuses what a page still asks.
    """
    for file in explored.folder.glob("*.corrections.tsv"):
        file.unlink()
    tabs: list[Tab] = []

    def start(running: Running = explored, **options: Any) -> Tab:
        tabs.append(Tab(browser, running.address, **options))
        return tabs[-1]

    yield start
    for tab in tabs:
        tab.close()
