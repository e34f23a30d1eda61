"""Vectors of another program → a hyperdive model.

FILE's ending tells the format, as for export. The vectors stand where DIVE's would, so that every score can be tried
on them; --skipgram adds a second file for the score W. Formats without frequencies count each word once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperdive.cli.common import ForceOption, OutputOption, write
from hyperdive.cli.export import FormatOption


def import_(
    file: Annotated[Path, typer.Argument(help="A file of vectors.", show_default=False)],
    output: OutputOption,
    skipgram: Annotated[
        Path | None, typer.Option("--skipgram", help="Vectors for the score W, of the same words.", show_default=False)
    ] = None,
    kind: FormatOption = None,
    force: ForceOption = False,
) -> None:
    from hyperdive.spaces.formats import read
    from hyperdive.spaces.model import Model

    name = None if kind is None else str(kind)
    main = read(file, kind=name)
    beside = None if skipgram is None else read(skipgram, kind=name).subset(main.words)
    model = Model(main, skipgram=beside, parameters={"imported": file.name})
    model.save(output, force=force)
    write(f"{output}: {len(model):,} words, {model.dive.dimensions:,} dimensions")
