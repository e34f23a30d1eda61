"""Add the terms and the evidence of new text to a model, without training again.

MODEL must have context vectors. Terms and rare words that it does not have yet get vectors from the new text; of terms
it has already only the counts grow, and vectors of words never change. What the text states is added as evidence. TEXT
is text as for encode, or one encoded corpus. The result goes to -o; MODEL stays as it is, unless -o names it and
--force is given.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperdive.cli.common import (
    ForceOption,
    JsonOption,
    OutputOption,
    ProgressMode,
    ProgressOption,
    ThreadsOption,
    reporter,
    write,
    write_json,
)
from hyperdive.cli.count import MemoryOption
from hyperdive.cli.encode import Document


def add(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model folder.", show_default=False)],
    source: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="Text, or an encoded corpus.", show_default=False)
    ],
    output: OutputOption,
    terms: Annotated[
        Path | None,
        typer.Option("--terms", help="File with one term per line, added in any case.", show_default=False),
    ] = None,
    document: Annotated[Document | None, typer.Option(help="Unit of a document.", show_default="line")] = None,
    field: Annotated[
        str | None, typer.Option(help="JSON lines: field that holds the text.", show_default="text")
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="CSV, TSV, Parquet: column that holds the text.", show_default="text")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from dataclasses import asdict

    from hyperdive import add as run
    from hyperdive import load
    from hyperdive._resources import parse_size

    options = {"document": None if document is None else str(document), "field": field, "column": column}
    made, additions = run(
        load(model),
        source[0] if len(source) == 1 else source,
        output,
        terms=terms,
        text={name: value for name, value in options.items() if value is not None},
        threads=threads,
        memory=None if memory is None else parse_size(memory),
        force=force,
        progress=reporter(progress),
    )
    if as_json:
        write_json({"model": str(output), **asdict(additions)})
        return
    write(f"{output}: model of {len(made):,} words and {len(made.terms or ()):,} terms")
    write(f"  from {additions.tokens:,} tokens of new text")
    write(f"  terms added    {additions.terms_added:,}")
    write(f"  terms updated  {additions.terms_updated:,} (their counts; vectors stay)")
    write(f"  statements     {additions.statements:,}, with {additions.pairs:,} new pairs of terms")
