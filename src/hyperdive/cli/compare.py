"""Words side by side, dimension by dimension: a table, or with --plot the paper's main figure.

Dimensions are sorted by their value for the most general word and labelled with their top words; values under 0.1 are
hidden.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, ForceOption, JsonOption, ModelOption, write, write_json

PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Also save a plot to this .png or .svg file.", show_default=False)
]
DarkOption = Annotated[bool, typer.Option("--dark", help="Dark theme for the plot.")]


def compare(
    words: Annotated[
        list[str], typer.Argument(metavar="WORD", help="2 to 6 words; quote phrases.", show_default=False)
    ],
    model: ModelOption = DEFAULT_MODEL,
    top: Annotated[
        int | None, typer.Option("--top", "-n", min=1, help="Number of dimensions.", show_default="all")
    ] = None,
    plot: PlotOption = None,
    dark: DarkOption = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    from hyperdive import load
    from hyperdive.discover.explain import compare as side_by_side

    if plot is not None:
        from hyperdive.discover.plots import check_place

        check_place(plot, force)
    opened = load(model)
    found = side_by_side(opened, words, top)
    if plot is not None:
        from hyperdive.discover.plots import plot_comparison

        plot_comparison(opened, words, plot, top=top, dark=dark, force=force)
    if json:
        write_json({"words": list(found.words), "dimensions": found.to_dicts()})
    else:
        write(str(found))
