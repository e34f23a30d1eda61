"""A pair dimension by dimension, and what every score says.

Each line shows whether the hypernym includes the hyponym in that dimension. A score says yes when the pair scores
higher than its reverse; its rank is that of the hypernym among all words of the model. With --plot, the two words
are drawn as distributions together with the cost of AL₁, as in the paper.
"""

from __future__ import annotations

from typing import Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, ForceOption, JsonOption, ModelOption, write, write_json
from hyperdive.cli.compare import DarkOption, PlotOption


def explain(
    word: Annotated[str, typer.Argument(metavar="HYPONYM", help="Hyponym (narrower term).", show_default=False)],
    hypernym: Annotated[str, typer.Argument(metavar="HYPERNYM", help="Hypernym (broader term).", show_default=False)],
    model: ModelOption = DEFAULT_MODEL,
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="Number of dimensions.")] = 20,
    plot: PlotOption = None,
    dark: DarkOption = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    from hyperdive import load

    if plot is not None:
        from hyperdive.discover.plots import check_place

        check_place(plot, force)
    opened = load(model)
    found = opened.explain(word, hypernym, top=top)
    if plot is not None:
        from hyperdive.discover.plots import plot_pair

        plot_pair(opened, word, hypernym, plot, dark=dark, force=force)
    if json:
        write_json(found.to_dict())
    else:
        write(str(found))
