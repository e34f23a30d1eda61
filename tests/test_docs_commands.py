"""Commands of the documentation: all can be typed, and those that ask the packaged model print what the pages say."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cyclopts import CycloptsError

from hyperdive.cli import COMMANDS
from hyperdive.cli.arguments import UsageError, build, parse
from hyperdive.cli.arguments import load as load_command
from hyperdive.cli.main import main
from hyperdive.spaces.packaged_models import DEFAULT, packaged_models
from tests.tools import load

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LONG = {"docs/tutorial/from-text-to-taxonomy.md"}
"""Pages whose commands train on real text; `make docs-check` runs them."""
SERVED = {"docs/reference/http.md"}
"""Pages whose commands query a server; `tests/web` runs them."""


def name_of(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


def tool() -> Any:
    return load("docs_commands")


def typed(page: Path) -> Iterator[list[str]]:
    """The arguments of every `hyperdive …` in the fences of a page; of a pipe each part by itself."""
    fences = re.findall(r"^```(?:\w*)[^\n]*\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for line in "\n".join(fences).replace("\\\n", " ").splitlines():
        if "hyperdive" not in line or "\\|" in line:
            continue
        for part in re.split(r"\s[|>]+\s|2>&1|\|\||&&", line.removeprefix("$ ")):
            if re.match(r"\s*hyperdive +[a-z]", part):
                yield shlex.split(part, comments=True)[1:]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_can_be_typed(page: Path) -> None:
    """Verbs, options and numbers of arguments are those of the program."""
    for arguments in typed(page):
        name, *rest = arguments
        if name in ("VERB", "COMMAND"):
            continue
        assert name in COMMANDS, f"{page.name}: {name}"
        if {"…", "--help", "--list"} & set(rest):
            continue
        command = load_command(name)
        try:
            parse(build(name, command), command, rest)
        except (CycloptsError, UsageError) as error:
            pytest.fail(f"{page.name}: hyperdive {shlex.join(arguments)}: {error}")


def test_the_pages_hold_commands() -> None:
    assert sum(1 for page in PAGES for _ in typed(page)) >= 60


def in_process(command: str, folder: Path) -> tuple[str, str, int]:
    """A `hyperdive …` in this process, which has everything loaded, and what it is piped into, in a shell."""
    parts = re.fullmatch(r"(hyperdive [^|&;<>$`*?\\]*)(?:\|([^&;<>`\\]*))?", command)
    if parts is None or "hyperdive" in (parts[2] or ""):
        return tool().shell(command, folder)  # type: ignore[no-any-return]
    out, error = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = main(shlex.split(parts[1], comments=True)[1:])
    if parts[2] is None:
        return out.getvalue(), error.getvalue(), code
    piped = subprocess.run(
        parts[2], shell=True, cwd=folder, input=out.getvalue(), capture_output=True, text=True, encoding="utf-8"
    )
    return piped.stdout, error.getvalue() + piped.stderr, piped.returncode


@pytest.mark.skipif(DEFAULT not in packaged_models(), reason="the packaged model is not there")
@pytest.mark.parametrize("page", [page for page in PAGES if name_of(page) not in LONG | SERVED], ids=name_of)
def test_small_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    wrong = tool().check(page, tmp_path, shell=in_process)
    assert not wrong, "\n".join([*wrong, f"type: python tools/docs_commands.py {page.relative_to(ROOT)} --write"])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LONG))
def test_long_commands_print_what_the_page_says(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    wrong = tool().check(ROOT / name, tmp_path)
    assert not wrong, "\n".join(wrong)


def test_what_differs_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```text file=a.txt\none\n```\n\n```console\n$ cat a.txt\ntwo\n$ exit 3\n```\n", encoding="utf-8")
    found = tool().check(page, tmp_path)
    assert found == ["page.md:6: cat a.txt: prints", "    one", "page.md:8: exit 3: exit code 3: "]
    assert tool().check(page, tmp_path, write=True)[0].startswith("page.md:8")
    assert "$ cat a.txt\none\n$ exit 3\n```" in page.read_text(encoding="utf-8")
