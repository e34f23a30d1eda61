"""Run the commands that a page of the documentation shows, and compare what they print with what the page says.

A fence ```console holds commands (lines that start with `$ `, continued after a backslash) and what they print on
standard output; a line `…` stands for any lines, a `…` at the end of a line for the rest of it. A fence
```text file=NAME is a file that the reader writes. Commands of one page run one after the other in one folder.

    python tools/docs_commands.py docs/how-to/ask.md --folder FOLDER            # prints the differences
    python tools/docs_commands.py docs/how-to/ask.md --folder FOLDER --write    # writes the output into the page
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ANY = "…"
_FENCE = re.compile(r"^```(console|text file=(\S+))$")


@dataclass
class Step:
    """A command with what it should print, or a file with its content; `first` is the line of the page it starts at."""

    first: int
    command: str = ""
    file: str = ""
    lines: list[str] = field(default_factory=list)


def steps(page: str) -> list[Step]:
    """The commands and files of a page.

    >>> [(one.command, one.lines) for one in steps("```console\\n$ echo a\\\\\\n  b\\na\\n$ true\\n```\\n")]
    [('echo a\\n  b', ['a']), ('true', [])]
    """
    found: list[Step] = []
    inside, continued = "", False
    for number, line in enumerate(page.splitlines()):
        opened = _FENCE.match(line)
        if not inside and opened:
            inside = "file" if opened[2] else "console"
            if opened[2]:
                found.append(Step(number + 1, file=opened[2]))
        elif inside and line == "```":
            inside = ""
        elif inside == "console" and (line.startswith("$ ") or continued):
            text = line.removesuffix("\\")
            if continued:
                found[-1].command += "\n" + text
            else:
                found.append(Step(number + 1, command=text[2:]))
            continued = line.endswith("\\")
            found[-1].first = number + 1
        elif inside:
            found[-1].lines.append(line)
    return found


def differs(said: list[str], printed: list[str]) -> bool:
    """Whether what was printed is not what the page says.

    >>> differs(["a", "…", "d 1…"], ["a", "b", "c", "d 1.5"]), differs(["a"], ["a", "b"])
    (False, True)
    """
    pattern = "".join(
        "(?:.*\n)*?" if line == ANY else f"{re.escape(line.removesuffix(ANY))}{'.*' if line.endswith(ANY) else ''}\n"
        for line in said
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is None


Shell = Callable[[str, Path], tuple[str, str, int]]
"""Runs a command in a folder: what it writes to standard output and error, and its exit code."""


def shell(command: str, folder: Path) -> tuple[str, str, int]:
    """Run a command as a reader would."""
    binaries = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}", "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout, done.stderr, done.returncode


def run(page: Path, folder: Path, shell: Shell = shell) -> Iterator[tuple[Step, list[str], int]]:
    """Each command of a page with what it printed and its exit code."""
    for step in steps(page.read_text(encoding="utf-8")):
        if step.file:
            (folder / step.file).write_text("".join(f"{line}\n" for line in step.lines), encoding="utf-8")
            continue
        out, error, code = shell(step.command.replace("\n", " "), folder)
        printed = [line.rstrip() for line in out.splitlines()]
        yield step, printed if code == 0 else [*printed, *error.splitlines()], code


def check(page: Path, folder: Path, *, write: bool = False, shell: Shell = shell) -> list[str]:
    """What is wrong with a page, one line each; with `write` the page is brought up to date instead."""
    wrong, lines, moved = [], page.read_text(encoding="utf-8").splitlines(), 0
    for step, printed, code in run(page, folder, shell):
        where = f"{page.name}:{step.first}: {step.command.splitlines()[0]}"
        if code:
            wrong.append(f"{where}: exit code {code}: {printed[-1] if printed else ''}")
        elif differs(step.lines, printed):
            if not write:
                wrong += [f"{where}: prints", *(f"    {line}" for line in printed)]
                continue
            shown = _as_long_as(step.lines, printed)
            start = step.first + moved
            lines[start : start + len(step.lines)] = shown
            moved += len(shown) - len(step.lines)
    if write:
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return wrong


def _as_long_as(said: list[str], printed: list[str]) -> list[str]:
    """What was printed, with the middle left out where the page leaves it out."""
    if ANY not in said:
        return printed
    before, after = said.index(ANY), len(said) - said.index(ANY) - 1
    if before + after >= len(printed):
        return printed
    return [*printed[:before], ANY, *(printed[-after:] if after else [])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, help="where commands run; a new one when none is named")
    parser.add_argument("--write", action="store_true", help="write what was printed into the page")
    given = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory(prefix="hyperdive-docs-") as new:
        folder = (given.folder or Path(new)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for page in given.pages:
            wrong += check(page, folder, write=given.write)
    sys.stdout.write("".join(f"{line}\n" for line in wrong) or "every command prints what the pages say\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
