"""Estimate the time, memory and disk of a run.

For text: what `hyperdive encode` needs, and what terms add to `hyperdive train`. For an encoded corpus: what
`hyperdive count` needs with the same options. With --engine spark: what `hyperdive train` needs from text to model on a
cluster, and whether one machine does better.
"""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hyperdive._progress import duration, human
from hyperdive.cli.common import EngineName, EngineOption, JsonOption, ThreadsOption, write, write_json
from hyperdive.cli.count import MemoryOption, NearOption, WindowOption


class TermsChoice(StrEnum):
    """Whether terms are counted beside words."""

    auto = "auto"
    none = "none"


def plan(
    path: Annotated[list[str], typer.Argument(metavar="INPUT", help="Text, or an encoded corpus.", show_default=False)],
    window: WindowOption = 10,
    near: NearOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    terms: Annotated[
        TermsChoice, typer.Option(help="Text: whether terms are counted beside words, as for encode and train.")
    ] = TermsChoice.auto,
    engine: EngineOption = EngineName.local,
    executors: Annotated[int, typer.Option(min=1, help="Spark: number of executors with one core each.")] = 2,
    executor_memory: Annotated[str, typer.Option(help="Spark: memory of an executor.")] = "8g",
    json: JsonOption = False,
) -> None:
    from hyperdive.pipeline.train import kind_of

    if engine is EngineName.spark:
        _cluster(path, executors, executor_memory, json)
        return
    if len(path) == 1 and kind_of(path[0]) == "corpus":
        _counting(Path(path[0]), window, bool(near), memory, threads, json)
    else:
        _reading(path, threads, terms, json)


def _reading(path: list[str], threads: int | None, terms: TermsChoice, json: bool) -> None:
    from hyperdive.errors import InputError
    from hyperdive.options import EncodeOptions
    from hyperdive.spaces.plan import plan_fold_in
    from hyperdive.text.plan import plan_text
    from hyperdive.text.sources import find_sources

    rules = EncodeOptions(terms=terms.value)
    found = plan_text(find_sources(path, lambda name, reason: None), threads=threads, rules=rules)
    if found is None:
        raise InputError("the size of standard input is unknown until it is read")
    rows = plan_fold_in(found.terms, found.tokens, threads=threads) if found.terms else None
    if json:
        write_json({"encode": asdict(found)} | ({} if rows is None else {"terms": asdict(rows)}))
        return
    write(f"{', '.join(path)}: estimate for encoding")
    _table(
        ("text", human(found.text_bytes, "B")),
        ("time", duration(found.seconds)),
        ("memory", human(found.memory, "B")),
        ("disk", human(found.disk, "B")),
        ("temporary disk", human(found.work_disk, "B")),
        ("tokens kept", human(found.tokens)),
        *([("terms", human(found.terms))] if found.terms else []),
    )
    if rows is not None:
        write("in training, the rows of terms take")
        _table(
            ("time", duration(rows.seconds)),
            ("memory", human(rows.memory, "B")),
            ("disk", human(rows.disk, "B")),
            ("temporary disk", human(rows.work_disk, "B")),
        )


def _cluster(path: list[str], executors: int, executor_memory: str, json: bool) -> None:
    from hyperdive._resources import parse_size
    from hyperdive.engines.plan import plan_spark
    from hyperdive.errors import InputError
    from hyperdive.text.sources import find_sources, is_address

    if address := next(filter(is_address, path), None):
        raise InputError(
            f"{address}: plan starts no Spark, so it cannot ask for sizes there",
            hint="mount the storage, or plan for a part of the text that lies here",
        )
    found = plan_spark(find_sources(path, lambda name, reason: None), executors=executors)
    if found is None:
        raise InputError("the size of standard input is unknown until it is read")
    memory = parse_size(executor_memory)
    if json:
        write_json({"spark": {**asdict(found), "seconds": found.seconds, "advice": found.advice}})
        return
    write(f"{', '.join(path)}: estimate for training on {executors:,} executors of one core")
    enough = "" if found.task_memory <= memory else f", more than the {human(memory, 'B')} of an executor"
    _table(
        ("text", human(found.text_bytes, "B")),
        ("tasks", f"{found.parts:,} of encode, {found.count_tasks:,} of count"),
        ("memory of a task", human(found.task_memory, "B") + enough),
        ("shuffle", human(found.shuffle_bytes, "B")),
        ("broadcast", f"{human(found.broadcast_bytes, 'B')} to each executor"),
        ("encode", duration(found.encode_seconds)),
        ("count", duration(found.count_seconds)),
        ("train", duration(found.train_seconds)),
        ("all", f"{duration(found.seconds)}, of which {duration(found.driver_seconds)} on the driver"),
        ("one machine", f"{duration(found.local_seconds)} with eight cores"),
        ("assumed", "cores of their own for the driver and each executor, storage that keeps up"),
        ("advice", found.advice),
    )


def _counting(path: Path, window: int, near: bool, memory: str | None, threads: int | None, json: bool) -> None:
    from hyperdive._resources import parse_size
    from hyperdive.counts.plan import plan_counts
    from hyperdive.options import CountOptions
    from hyperdive.text.corpus import Corpus

    corpus = Corpus.open(path)
    found: Any = plan_counts(
        corpus.counts,
        min_count=corpus.min_count,
        options=CountOptions(window=window, near=near),
        memory=None if memory is None else parse_size(memory),
        threads=threads,
    )
    if json:
        write_json({"count": asdict(found)})
        return
    write(f"{path}: estimate for counting")
    _table(
        ("time", duration(found.seconds)),
        ("memory", f"{human(found.memory, 'B')} (plus about 200 MB for Python and libraries)"),
        ("disk", human(found.disk, "B")),
        ("temporary disk", human(found.work_disk, "B") if found.work_disk else "none"),
        ("blocks", f"{found.blocks:,}"),
        ("threads", f"{found.threads:,}"),
        ("distinct pairs", human(found.entries)),
    )


def _table(*rows: tuple[str, str]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        write(f"  {name:<{width}}  {value}")
