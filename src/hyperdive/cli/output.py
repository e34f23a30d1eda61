"""Output, progress and inputs that the commands share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hyperdive._progress import Progress
from hyperdive.errors import OptionError
from hyperdive.options import REQUIRED, Options, option

if TYPE_CHECKING:
    from hyperdive._engine import Engine
    from hyperdive.scores import Source

DEFAULT_MODEL = "en-wiki"
MODEL = "Model folder, or the name of a packaged model."
FORCE = "Replace an existing output."
DATA = "Folder of the datasets, by default HYPERDIVE_DATA, else a cache."
THREADS = "Number of threads, by default all; the result does not depend on it."
OUTPUT = "Output folder."


@dataclass(frozen=True, kw_only=True)
class OutputOptions(Options):
    """Where the result is written."""

    output: Path = option(REQUIRED, "Output folder.")


@dataclass(frozen=True, kw_only=True)
class JsonOptions(Options):
    """How results are printed."""

    json: bool = option(False, "Print JSON instead of text.")


@dataclass(frozen=True, kw_only=True)
class ProgressOptions(Options):
    """How progress is shown."""

    progress: Literal["auto", "json", "none"] = option(
        "auto", "Progress on stderr: a bar when stderr is a terminal (auto), JSON lines, or none.", rare=True
    )

    @property
    def shown(self) -> Progress:
        """Return a new progress object."""
        return Progress(self.progress)


@dataclass(frozen=True, kw_only=True)
class SparkOptions(Options):
    """Where the work is run."""

    engine: Literal["local", "spark"] = option(
        "local", "Where to run: this machine, or a Spark cluster; the result is the same."
    )
    master: str | None = option(None, "Spark: the cluster, such as spark://HOST:7077, yarn or local[2].", rare=True)
    conf: tuple[str, ...] = option(
        (), "Spark: a setting, such as spark.executor.memory=8g; may be repeated.", rare=True
    )

    @contextmanager
    def started(self) -> Iterator[Engine | None]:
        """Start the engine; None is this process."""
        if self.engine == "local":
            if self.master is not None or self.conf:
                raise OptionError("master and conf are options of Spark", hint="add --engine spark")
            yield None
            return
        from hyperdive.engines.spark import SparkEngine

        settings = dict[str, str]()
        for setting in self.conf:
            key, sign, value = setting.partition("=")
            if not key.startswith("spark.") or not sign:
                raise OptionError(f"conf {setting!r} is no setting of Spark", hint="write it as spark.NAME=VALUE")
            settings[key] = value
        with SparkEngine(self.master, settings) as engine:
            yield engine


@dataclass(frozen=True, kw_only=True)
class PartOptions(SparkOptions):
    """Where the work is run, and how much text a task reads."""

    part_size: str | None = option(None, "Spark: text that a task reads, by default 64MB.", rare=True)

    @property
    def part_bytes(self) -> int | None:
        """Return the bytes of text that a task reads."""
        from hyperdive._resources import memory_limit

        if self.part_size is not None and self.engine == "local":
            raise OptionError("part_size is an option of Spark", hint="add --engine spark")
        return memory_limit(self.part_size)


def load_source(
    model: str | Path,
    skipgram: str | Path | None = None,
    counts: str | Path | None = None,
    *,
    terms: bool = False,
) -> Source:
    """Return the spaces of a model for scores, with a skip-gram space or a space of counts from another folder.

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


def show(result: object, as_json: bool, plain: Any) -> None:
    """Write a result as text, or its plain values as JSON."""
    if as_json:
        write_json(plain)
    else:
        write(str(result))


def write_rows(rows: Sequence[tuple[str, str]]) -> None:
    """Write names and values in two columns."""
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        write(f"  {name:<{width}}  {value}")


def split_names(values: Sequence[str]) -> list[str]:
    """Return names given several times or with commas; the commas inside a score's options stay.

    >>> split_names(["C*dS,AL1:w0=20,a=5", "W"])
    ['C*dS', 'AL1:w0=20,a=5', 'W']
    """
    names: list[str] = []
    for piece in (piece for value in values for piece in ([value] if Path(value).exists() else value.split(","))):
        if names and "=" in piece and ":" not in piece and ":" in names[-1]:
            names[-1] += f",{piece}"
        elif piece.strip():
            names.append(piece.strip())
    return names
