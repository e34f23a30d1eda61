"""What every verb shares: where results and progress go, and options that mean the same everywhere."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hyperdive._progress import Progress


class ProgressMode(StrEnum):
    """How progress is shown on stderr."""

    auto = "auto"
    json = "json"
    none = "none"


ProgressOption = Annotated[
    ProgressMode,
    typer.Option("--progress", help="Progress on stderr: a bar in a terminal (auto), JSON lines, or none."),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", min=1, help="Cores to use; the result is the same for any number.", show_default="all"),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
ModelOption = Annotated[
    str, typer.Option("--model", "-m", help="Model: a folder, or the name of one that comes with the package.")
]
DEFAULT_MODEL = "en-wiki"
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Folder to write.", show_default=False)]


def reporter(mode: ProgressMode) -> Progress:
    """The progress object for a mode."""
    return Progress(str(mode))


def write(text: str) -> None:
    """A line of results on stdout; when nobody reads it any more (`| head`), the command ends quietly."""
    try:
        sys.stdout.write(text + "\n")
    except BrokenPipeError:
        quiet_stdout()
        raise SystemExit(0) from None


def quiet_stdout() -> None:
    """Send what may still come to nowhere, so that closing the stream is no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_json(value: Any) -> None:
    """A result as JSON on stdout."""
    write(json.dumps(value, indent=2, ensure_ascii=False))
