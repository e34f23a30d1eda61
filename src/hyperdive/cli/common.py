"""Options, output and progress shared by all verbs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hyperdive._progress import Progress

if TYPE_CHECKING:
    from hyperdive._engine import Engine
    from hyperdive.scores import Source


class ProgressMode(StrEnum):
    """How progress is shown on stderr."""

    auto = "auto"
    json = "json"
    none = "none"


ProgressOption = Annotated[
    ProgressMode,
    typer.Option("--progress", help="Progress on stderr: a bar when stderr is a terminal (auto), JSON lines, or none."),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", min=1, help="Number of threads; the result does not depend on it.", show_default="all"),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing output.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
ModelOption = Annotated[str, typer.Option("--model", "-m", help="Model folder, or the name of a packaged model.")]


class EngineName(StrEnum):
    """Where the work is run."""

    local = "local"
    spark = "spark"


EngineOption = Annotated[
    EngineName, typer.Option("--engine", help="Where to run: this machine, or a Spark cluster; the result is the same.")
]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master", help="Spark: the cluster, such as spark://HOST:7077, yarn or local[2].", show_default=False
    ),
]
SparkConfOption = Annotated[
    list[str] | None,
    typer.Option(
        "--conf", help="Spark: a setting, such as spark.executor.memory=8g; may be repeated.", show_default=False
    ),
]
PartSizeOption = Annotated[
    str | None, typer.Option("--part-size", help="Spark: how much text a task reads.", show_default="64MB")
]
DEFAULT_MODEL = "en-wiki"
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Output folder.", show_default=False)]


def load_source(
    model: str | Path,
    skipgram: str | Path | None = None,
    counts: str | Path | None = None,
    *,
    terms: bool = False,
) -> Source:
    """The spaces of a model for scores, with a skip-gram space or a space of counts from another folder.

    `skipgram` may be a model: its skip-gram vectors are taken. With `terms`, and no other folder, the model's terms
    stand after its words; the paper's datasets are scored with words alone.
    """
    from hyperdive import load
    from hyperdive.scores.source import as_source, term_source

    if terms and skipgram is None and counts is None:
        return term_source(load(model))
    beside = None
    if skipgram is not None:
        other = load(skipgram)
        beside = other.dive if other.skipgram is None else other.skipgram
    return as_source(load(model), beside, None if counts is None else load(counts).dive)


@contextmanager
def engine_of(name: EngineName, master: str | None, conf: list[str] | None) -> Iterator[Engine | None]:
    """The engine that options name; None is this process."""
    from hyperdive.errors import OptionError

    if name is EngineName.local:
        if master is not None or conf:
            raise OptionError("--master and --conf are options of Spark", hint="add --engine spark")
        yield None
        return
    from hyperdive.engines.spark import SparkEngine

    settings = dict[str, str]()
    for setting in conf or []:
        key, sign, value = setting.partition("=")
        if not key.startswith("spark.") or not sign:
            raise OptionError(f"--conf {setting!r} is no setting of Spark", hint="write it as spark.NAME=VALUE")
        settings[key] = value
    with SparkEngine(master, settings) as engine:
        yield engine


def part_bytes_of(part_size: str | None, engine: EngineName) -> int | None:
    """How much text a task reads; an option of Spark alone."""
    from hyperdive._resources import parse_size
    from hyperdive.errors import OptionError

    if part_size is None:
        return None
    if engine is EngineName.local:
        raise OptionError("--part-size is an option of Spark", hint="add --engine spark")
    return parse_size(part_size)


def reporter(mode: ProgressMode) -> Progress:
    """The progress object for a mode."""
    return Progress(str(mode))


def write(text: str) -> None:
    """Write a line to stdout; exit quietly when the pipe is closed (`| head`)."""
    try:
        sys.stdout.write(text + "\n")
    except BrokenPipeError:
        quiet_stdout()
        raise SystemExit(0) from None


def quiet_stdout() -> None:
    """Point stdout at the null device, so that closing it raises no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_json(value: Any, *, lines: bool = False) -> None:
    """Write a result to stdout as JSON."""
    write(json.dumps(value, indent=None if lines else 2, ensure_ascii=False))


def begins_anew(restart: bool, resume: bool) -> bool:
    """Whether a run forgets an interrupted one; `--resume`, which older scripts name, is the default."""
    from hyperdive.errors import OptionError

    if restart and resume:
        raise OptionError("--restart and --resume exclude each other", hint="leave out --resume, the default")
    return restart
