"""Import vectors from other tools as a hyperdive model.

The format follows from the extension of FILE, as for export. The vectors take the place of DIVE's, so that every score
can be computed on them; --skipgram adds a second file for the score W. If the format has no word frequencies, every
word gets frequency 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperdive.cli.common import ForceOption, OutputOption, write
from hyperdive.cli.export import FormatOption


def import_(
    file: Annotated[Path, typer.Argument(help="File of vectors.", show_default=False)],
    output: OutputOption,
    skipgram: Annotated[
        Path | None,
        typer.Option("--skipgram", help="File of vectors for the score W, with the same words.", show_default=False),
    ] = None,
    kind: FormatOption = None,
    force: ForceOption = False,
) -> None:
    from hyperdive import Model
    from hyperdive.spaces.formats import read

    name = None if kind is None else str(kind)
    main = read(file, kind=name)
    beside = None if skipgram is None else read(skipgram, kind=name).subset(main.words)
    model = Model(main, skipgram=beside, parameters={"imported": file.name})
    model.save(output, force=force)
    write(f"{output}: {len(model):,} words, {model.dive.dimensions:,} dimensions")
