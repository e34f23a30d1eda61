"""Reproduce every table of the paper from raw text, each figure next to the published one.

One run encodes the text with and without parts of speech, trains every space the paper compares, evaluates them on the
eleven datasets and writes tables, plots and a list of which of the paper's claims hold, for its own constants and for
ours. It takes about three hours on two free cores. Finished stages are kept: an interrupted run resumes when the same
command is run again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperdive._resources import check_threads
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
        Path,
        typer.Option(
            "--output", "-o", help="Output folder; the tables are written to its results/ folder.", show_default=False
        ),
    ],
    corpus: Annotated[
        list[str],
        typer.Option("--corpus", help="Training text, such as English Wikipedia; may be repeated.", show_default=False),
    ],
    pubmed: Annotated[
        list[str] | None,
        typer.Option(
            "--pubmed", help="Biomedical abstracts, one per line, for the table on Medical.", show_default=False
        ),
    ] = None,
    solver: Annotated[
        Solver,
        typer.Option(help="fast: both rows of DIVE by our solver; paper: also a row by the paper's solver (hours)."),
    ] = Solver.fast,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            help="Skip a part: pos, half, kmeans, gaussian, word2vec or experiments; its cells stay empty.",
            show_default=False,
        ),
    ] = None,
    tables_only: Annotated[
        bool, typer.Option("--tables-only", help="Do not train; write the tables from finished stages.")
    ] = False,
    tagger: Annotated[str, typer.Option("--tagger", help="Part-of-speech tagger: textblob or spacy.")] = "textblob",
    dimensions: Annotated[int, typer.Option("--dimensions", min=2, help="Number of dimensions.")] = 100,
    min_count: Annotated[
        int, typer.Option("--min-count", min=1, help="Words with fewer occurrences are replaced by the unknown symbol.")
    ] = 10,
    resamples: Annotated[
        int, typer.Option("--resamples", min=0, help="Bootstrap resamples for the intervals of the claims; 0: none.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of training and resamples.")] = 0,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Dataset folder.", show_default="HYPERDIVE_DATA, else a cache"),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Fail if a dataset file differs from the published one.")
    ] = True,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", min=1, help="Number of threads; only the result of word2vec depends on it.", show_default="all"
        ),
    ] = None,
    as_json: JsonOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    """Every table of the paper."""

    from hyperdive.paper import ReproduceOptions, prepare
    from hyperdive.paper import reproduce as run

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
    shown = reporter(progress)
    shown.note(str(plan))
    made = run(
        plan,
        tables_only=tables_only,
        data=data,
        verify=verify,
        threads=check_threads(threads),  # gensim would otherwise use one
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
        write(f"{claim.verdict:<15} {claim.row}: {claim.statement}\n{'':<15} {claim.figures}")
    write(f"\nAll tables: {made.folder / 'README.md'}")
    if made.missing:
        shown.note(f"not finished: {', '.join(made.missing)}")
