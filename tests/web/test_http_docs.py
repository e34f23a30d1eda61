"""What docs/reference/http.md says is what the server does: its commands, its requests, its codes."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperdive.web.app import ENDPOINTS
from hyperdive.web.problems import CODES
from tests.test_docs_commands import tool
from tests.web.conftest import Running

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "http.md").read_text(encoding="utf-8")


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
        [sys.executable, "-m", *arguments, "--set", "check=yes"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "?token=" in ran.stdout and "en-wiki" in ran.stdout
    assert re.search(r"^EXPOSE 8765$", text, re.MULTILINE) and "HEALTHCHECK" in text


def image_stages() -> list[str]:
    """The Dockerfile without its remarks, one string a stage, lines that go on joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return re.split(r"^(?=FROM )", text, flags=re.MULTILINE)[1:]


def test_the_image_is_small_and_has_its_kernels() -> None:
    build, served = image_stages()
    base = re.findall(r"^FROM python:(3\.\d+)-slim", build + served, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(base) == 2 and len(set(base)) == 1, "the environment must run on the Python it was made with"
    assert f"Programming Language :: Python :: {base[0]}" in project["classifiers"]
    assert served.index("USER hyperdive") < served.index("hyperdive doctor --compile"), "answers would wait for it"
    assert "COPY --from=build /venv /venv" in served and "pip install" not in served
    assert served.index("USER hyperdive") < served.index("ENTRYPOINT")


@pytest.mark.slow
def test_what_the_image_installs_serves_in_a_new_environment(tmp_path: Path) -> None:
    """The commands of the build stage but the last, which sets time stamps."""
    build = image_stages()[0]
    for line in re.findall(r"^COPY (.*)$", build, re.MULTILINE):
        for source in line.split()[:-1]:
            copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
            copy(ROOT / source, tmp_path / source)
    run = re.search(r"^RUN (.*)$", build, re.MULTILINE)
    assert run is not None
    made, installed, stamped = (part.strip() for part in run[1].split("&&"))
    assert "venv" in made and "touch" in stamped
    venv = tmp_path / "venv"
    for command in (made, installed):
        words = shlex.split(command.replace("/venv", str(venv)).replace("python -m", f"{sys.executable} -m", 1))
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    checked = [str(venv / "bin" / "hyperdive"), "serve", "--host", "0.0.0.0", "--set", "check=yes"]
    assert "en-wiki" in subprocess.run(checked, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
