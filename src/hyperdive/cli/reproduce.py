"""Every table of the paper from raw text, each figure beside the printed one.

One run encodes the text with and without parts of speech, trains every space the paper compares, measures them on the
eleven datasets and writes tables, figures and a list of the paper's claims that hold or do not. It takes under two
and a half hours on two cores. Each stage is kept: a run that was stopped goes on when the same command is typed again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperdive.cli.common import (
    JsonOption,
    ProgressMode,
    ProgressOption,
    reporter,
    write,
    write_json,
)
from hyperdive.cli.train import Solver


def reproduce(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the run; its results/ has the tables.", show_default=False)
    ],
    corpus: Annotated[
        list[str],
        typer.Option(
            "--corpus", help="Text to train on, such as English Wikipedia; may be repeated.", show_default=False
        ),
    ],
    pubmed: Annotated[
        list[str] | None,
        typer.Option(
            "--pubmed", help="Biomedical abstracts, one a line, for the table on Medical.", show_default=False
        ),
    ] = None,
    solver: Annotated[
        Solver, typer.Option(help="How DIVE is trained: ours, or the paper's constants and way (hours).")
    ] = Solver.fast,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            help="Leave out a part: pos, half, kmeans, gaussian or word2vec; its cells stay empty.",
            show_default=False,
        ),
    ] = None,
    tables_only: Annotated[
        bool, typer.Option("--tables-only", help="Train nothing; write the tables of what is done.")
    ] = False,
    plan_only: Annotated[bool, typer.Option("--plan", help="Print what would be done and how long it takes.")] = False,
    tagger: Annotated[
        str, typer.Option("--tagger", help="Program for parts of speech: textblob or spacy.")
    ] = "textblob",
    dimensions: Annotated[int, typer.Option("--dimensions", min=2, help="Length of every vector.")] = 100,
    min_count: Annotated[int, typer.Option("--min-count", min=1, help="Words rarer than this are unknown.")] = 10,
    resamples: Annotated[
        int, typer.Option("--resamples", min=0, help="Resamples for the intervals of the claims; 0 is none.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of training and resamples.")] = 0,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder with the datasets.", show_default="HYPERDIVE_DATA, else a cache"),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Refuse dataset files that differ from the published ones.")
    ] = True,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", min=1, help="Cores to use; only word2vec depends on their number.", show_default="all"
        ),
    ] = None,
    as_json: JsonOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    """Every table of the paper."""
    import os

    from hyperdive.benchmark.reproduce import ReproduceOptions, prepare
    from hyperdive.benchmark.reproduce import reproduce as run

    options = ReproduceOptions(
        solver=str(solver),
        dimensions=dimensions,
        min_count=min_count,
        tagger=tagger,
        without=tuple(part for value in without or () for part in value.split(",") if part),
        seed=seed,
        resamples=resamples,
    )
    plan = prepare(output, list(corpus), list(pubmed or ()), options=options, data=data, verify=verify)
    if plan_only:
        rows = [
            {"stage": name, "what": what, "done_seconds": seconds, "estimated_seconds": round(estimate, 1)}
            for name, what, seconds, estimate in plan.rows()
        ]
        if as_json:
            write_json({"stages": rows, "seconds_left": round(plan.seconds_left, 1)})
        else:
            write(str(plan))
        return
    shown = reporter(progress)
    for line in str(plan).splitlines():
        shown.note(line)
    made = run(
        plan,
        tables_only=tables_only,
        data=data,
        verify=verify,
        threads=threads or os.cpu_count(),
        progress=shown,
    )
    if as_json:
        write_json(
            {
                "claims": [vars(claim) for claim in made.claims],
                "tables": [table.as_json() for table in made.tables],
                "files": [path.relative_to(made.folder).as_posix() for path in made.files],
                "missing": list(made.missing),
            }
        )
        return
    for claim in made.claims:
        write(f"{claim.verdict:<15} {claim.statement}\n{'':<15} {claim.figures}")
    write(f"\nAll tables: {made.folder / 'index.html'}")
    if made.missing:
        shown.note(f"not done yet: {', '.join(made.missing)}")
