"""Export vectors to the formats of other tools.

The format follows from the extension of FILE: .txt or .vec (word2vec text), .kv (gensim KeyedVectors), .json (the DIVE
authors' {word: {dimension: value}}), .parquet; .txt.gz and .json.gz are compressed.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hyperdive.cli.common import ForceOption, write


class Which(StrEnum):
    """Which vectors of a model."""

    dive = "dive"
    skipgram = "skipgram"
    contexts = "contexts"


class Format(StrEnum):
    """Formats of other programs."""

    word2vec = "word2vec"
    gensim = "gensim"
    json = "json"
    parquet = "parquet"


FormatOption = Annotated[
    Format | None, typer.Option("--format", help="File format.", show_default="by the file extension")
]


def export(
    model: Annotated[str, typer.Argument(help="Model or space folder.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="Output file.", show_default=False)],
    space: Annotated[Which, typer.Option(help="Vectors to export.")] = Which.dive,
    kind: FormatOption = None,
    force: ForceOption = False,
) -> None:
    from hyperdive import load
    from hyperdive.errors import Error
    from hyperdive.spaces.formats import export as run

    chosen = getattr(load(model), str(space))
    if chosen is None:
        raise Error(
            f"{model}: this model has no {space} vectors", hint="choose another --space, or train a model that has them"
        )
    run(chosen, file, kind=None if kind is None else str(kind), force=force)
    write(f"{file}: {len(chosen):,} words, {chosen.dimensions:,} dimensions")
