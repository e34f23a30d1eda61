"""What docs/http.md says is what the server does: its commands, its requests, its codes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperdive.web.endpoints import ENDPOINTS
from hyperdive.web.problems import CODES
from tests.test_docs_commands import tool
from tests.web.conftest import Running

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_print_what_it_says(serve: Callable[..., Running], tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    running = serve("en-wiki")
    commands = tool()
    page = tmp_path / "http.md"
    page.write_text(PAGE.replace("127.0.0.1:8765", f"127.0.0.1:{running.port}"), encoding="utf-8")
    steps = list(commands.run(page, tmp_path))
    assert len(steps) > 10
    for step, printed, code in steps:
        assert code == 0 and not commands.differs(step.lines, printed), (step.command, printed)


def test_every_request_and_every_code_is_on_the_page() -> None:
    requests = PAGE[PAGE.index("## Requests") : PAGE.index("## Taxonomies")]
    for endpoint in ENDPOINTS:
        last = endpoint.path.rpartition("/")[2]
        assert endpoint.path in requests or f"/{last}" in requests, endpoint
        assert endpoint.method in requests
    errors = PAGE[PAGE.index("## Errors") : PAGE.index("## Limits")]
    for code, status in CODES.items():
        [row] = [line for line in errors.splitlines() if f"`{code}`" in line]
        assert row.startswith(f"| {status} |"), code


def test_the_image_serves_the_packaged_model_with_a_token() -> None:
    """No daemon here: what the Dockerfile copies exists, and its command is one that the program takes."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        *sources, _ = line.split()
        assert all((ROOT / source).exists() for source in sources), line
    assert re.search(r"^USER (?!root)\w+", text, re.MULTILINE), "the server runs as root"
    entry, command = re.search(r"^ENTRYPOINT (.*)$", text, re.M), re.search(r"^CMD (.*)$", text, re.M)
    assert entry and command
    arguments = [*re.findall(r'"([^"]*)"', entry[1]), *re.findall(r'"([^"]*)"', command[1])]
    assert arguments[:2] == ["hyperdive", "serve"]
    ran = subprocess.run(
        [sys.executable, "-m", *arguments, "--check"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "?token=" in ran.stdout and "en-wiki" in ran.stdout
    assert re.search(r"^EXPOSE 8765$", text, re.MULTILINE) and "HEALTHCHECK" in text
