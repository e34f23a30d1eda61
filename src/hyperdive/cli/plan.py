"""Time, memory and disk of a run, before it starts.

For an encoded corpus: what `hyperdive count` would need with the same options.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hyperdive._progress import human
from hyperdive.cli.common import JsonOption, ThreadsOption, write, write_json
from hyperdive.cli.count import MemoryOption, NearOption, WindowOption


def plan(
    path: Annotated[Path, typer.Argument(metavar="INPUT", help="An encoded corpus.", show_default=False)],
    window: WindowOption = 10,
    near: NearOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    from hyperdive.counts.options import CountOptions
    from hyperdive.counts.planning import duration, parse_size, plan_counts
    from hyperdive.text.corpus import Corpus

    corpus = Corpus.open(path)
    found = plan_counts(
        corpus.counts,
        min_count=corpus.min_count,
        options=CountOptions(window=window, near=bool(near)),
        memory=None if memory is None else parse_size(memory),
        threads=threads,
    )
    if json:
        write_json({"count": asdict(found)})
        return
    write(f"{path}: counting would need about")
    rows = [
        ("time", duration(found.seconds)),
        ("memory", f"{human(found.memory, 'B')} (and about 200 MB for Python and its libraries)"),
        ("disk", human(found.disk, "B")),
        ("disk on the way", human(found.work_disk, "B") if found.work_disk else "no more"),
        ("blocks of text", f"{found.blocks:,}"),
        ("threads", f"{found.threads:,}"),
        ("different pairs", human(found.entries)),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        write(f"  {name:<{width}}  {value}")
