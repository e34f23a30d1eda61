"""The dimensions of a model, each with a label, its words and its health.

A dimension's first words are its most general ones. Those with the most mass come first; the last line counts dead,
duplicate and merely frequent dimensions.
"""

from __future__ import annotations

from typing import Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption, write


def topics(
    model: ModelOption = DEFAULT_MODEL,
    top: Annotated[
        int | None, typer.Option("--top", "-n", min=1, help="How many dimensions.", show_default="all")
    ] = None,
    words: Annotated[int, typer.Option("--words", min=1, max=50, help="How many words of each.")] = 8,
    json: JsonOption = False,
) -> None:
    from hyperdive.discover.topics import topics as ask
    from hyperdive.scores.opening import open_space

    found = ask(open_space(model), top, words)
    write(found.to_json() if json else str(found))
