"""Encoded corpus → co-occurrence counts; also merges counts.

Counts are exact. Several corpora can be counted in one run; context windows never cross lines or corpora. With --merge
the inputs are count folders, and the result is identical to counting their corpora in one run. Counts carry the
patterns of their corpora, which train takes over. An interrupted run resumes when the same command is run again.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hyperdive._progress import human
from hyperdive.cli.common import (
    EngineName,
    EngineOption,
    ForceOption,
    JsonOption,
    MasterOption,
    OutputOption,
    ProgressMode,
    ProgressOption,
    SparkConfOption,
    ThreadsOption,
    begins_anew,
    engine_of,
    reporter,
    write,
    write_json,
)
from hyperdive.cli.encode import Preset
from hyperdive.cli.info import pattern_rows

if TYPE_CHECKING:
    from hyperdive.counts.cooccurrence import Cooccurrence


class Sides(StrEnum):
    both = "both"
    left = "left"
    right = "right"


class Weighting(StrEnum):
    flat = "flat"
    harmonic = "harmonic"


MemoryOption = Annotated[
    str | None,
    typer.Option(help="Memory limit, such as 500MB or 4GB.", show_default="half of this machine's memory"),
]
WindowOption = Annotated[int, typer.Option(help="Context words on each side (paper: 10).")]
NearOption = Annotated[
    bool | None,
    typer.Option(
        "--near/--no-near",
        help="Also store counts for window - 1, which the PMI filter of the paper's code uses.",
        show_default="no; paper: yes",
    ),
]


def count(
    inputs: Annotated[
        list[Path],
        typer.Argument(metavar="CORPUS", help="Encoded corpora; with --merge, count folders.", show_default=False),
    ],
    output: OutputOption,
    merge: Annotated[bool, typer.Option("--merge", help="Merge count folders instead of counting corpora.")] = False,
    preset: Annotated[Preset, typer.Option(help="Base settings; paper also stores near counts.")] = Preset.default,
    window: WindowOption = 10,
    sides: Annotated[Sides, typer.Option(help="Side of the context window.")] = Sides.both,
    weighting: Annotated[
        Weighting, typer.Option(help="Weight of a co-occurrence: 1 (flat) or 1/distance (harmonic, as in GloVe).")
    ] = Weighting.flat,
    near: NearOption = None,
    min_count: Annotated[
        int | None,
        typer.Option(
            help="Words with fewer occurrences are replaced by the unknown symbol.", show_default="as encoded"
        ),
    ] = None,
    patterns: Annotated[
        bool,
        typer.Option("--patterns/--no-patterns", help="Carry the patterns of the inputs, with their sentences."),
    ] = True,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    force: ForceOption = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew; without it an interrupted run goes on where it was.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", hidden=True, help="The default; older scripts name it.")] = False,
    engine: EngineOption = EngineName.local,
    master: MasterOption = None,
    conf: SparkConfOption = None,
    json: JsonOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from hyperdive._resources import Run, parse_size
    from hyperdive.errors import OptionError
    from hyperdive.pipeline.count import count_corpora, merge_counts

    if merge and engine is not EngineName.local:
        raise OptionError("count folders are merged on one machine", hint="leave out --engine, or count the corpora")

    report = reporter(progress)
    limit = None if memory is None else parse_size(memory)
    run = Run(memory=limit, threads=threads, force=force, restart=begins_anew(restart, resume), progress=report)
    try:
        if merge:
            counts = merge_counts(inputs, output, min_count=min_count, patterns=patterns, run=run)
        else:
            with engine_of(engine, master, conf) as where:
                counts = count_corpora(
                    inputs,
                    output,
                    patterns=patterns,
                    window=window,
                    sides=str(sides),
                    weighting=str(weighting),
                    near=preset is Preset.paper if near is None else near,
                    min_count=min_count,
                    run=replace(run, engine=where),
                )
    except KeyboardInterrupt:
        if (output.parent / f".{output.name}.work").exists():
            report.note("completed parts are kept; type the same command to go on")
        raise
    if json:
        write_json(counts.header)
    else:
        describe_counts(counts)


def describe_counts(counts: Cooccurrence) -> None:
    """Print a summary of a count store."""
    header = counts.header
    totals, parameters = header["totals"], header["parameters"]
    rare = int(counts.frequencies[0])
    sides = "" if parameters["sides"] == "both" else f", {parameters['sides']} side only"
    rows = [
        ("words", f"{len(counts):,} (at least {counts.min_count} times)"),
        ("tokens", f"{totals['tokens']:,}"),
        ("unknown", f"{rare:,} tokens, {100 * rare / max(totals['tokens'], 1):.2f} %"),
        ("window", f"{parameters['window']}{sides}"),
        ("weighting", parameters["weighting"]),
        ("near counts", "kept" if counts.has_near else "not kept"),
        ("pairs", f"{totals['pairs'] // totals['scale']:,}"),
        ("distinct pairs", f"{totals['entries']:,} (rare words counted separately)"),
        ("corpora", f"{len(header['input']['corpora']):,}"),
        *pattern_rows(counts.path),
        ("on disk", human(sum(entry["bytes"] for entry in header["files"].values()), "B")),
    ]
    write(f"{counts.path}: co-occurrence counts")
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        write(f"  {name:<{width}}  {value}")
