"""Commands that exchange vectors with other tools: export, import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from hyperdive.cli.output import FORCE, OutputOptions, write
from hyperdive.errors import Error
from hyperdive.options import Options, option


@dataclass(frozen=True, kw_only=True)
class ExportCommand(Options):
    """Options of `hyperdive export`."""

    space: Literal["dive", "skipgram", "contexts"] = option("dive", "Vectors to export.")
    force: bool = option(False, FORCE)


def export(
    model: Annotated[str, Parameter(name="MODEL", help="Model or space folder.")],
    file: Annotated[Path, Parameter(name="FILE", help="Output file.")],
    /,
    *,
    options: ExportCommand,
) -> None:
    """Export vectors to the formats of other tools.

    The format follows from the extension of FILE: .txt or .vec (word2vec text), .kv (gensim KeyedVectors), .json (the
    DIVE authors' {word: {dimension: value}}), .parquet; .txt.gz and .json.gz are compressed.
    """
    from hyperdive import load
    from hyperdive.spaces.formats import export

    chosen = getattr(load(model), options.space)
    if chosen is None:
        raise Error(
            f"{model}: this model has no {options.space} vectors",
            hint="choose another --space, or train a model that has them",
        )
    export(chosen, file, force=options.force)
    write(f"{file}: {len(chosen):,} words, {chosen.dimensions:,} dimensions")


@dataclass(frozen=True, kw_only=True)
class ImportCommand(OutputOptions):
    """Options of `hyperdive import`."""

    skipgram: Path | None = option(None, "File of vectors for the score W, with the same words.")
    format: Literal["word2vec", "gensim", "json", "parquet"] | None = option(
        None, "File format, by default by the file extension."
    )
    force: bool = option(False, FORCE)


def import_(
    file: Annotated[Path, Parameter(name="FILE", help="File of vectors.")],
    /,
    *,
    options: ImportCommand,
) -> None:
    """Import vectors from other tools as a hyperdive model.

    The format follows from the extension of FILE, as for export. The vectors take the place of DIVE's, so that every
    score can be computed on them; --skipgram adds a second file for the score W. If the format has no word frequencies,
    every word gets frequency 1.
    """
    from hyperdive import Model
    from hyperdive.spaces.formats import read

    main = read(file, kind=options.format)
    beside = None if options.skipgram is None else read(options.skipgram, kind=options.format).subset(main.words)
    model = Model(main, skipgram=beside, parameters={"imported": file.name})
    model.save(options.output, force=options.force)
    write(f"{options.output}: {len(model):,} words, {model.dive.dimensions:,} dimensions")
