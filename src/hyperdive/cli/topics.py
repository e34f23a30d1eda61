"""The dimensions of a model: label, top words and quality checks.

The top words of a dimension are its most general ones. Dimensions with the largest sum come first; the last line counts
dead dimensions, duplicates and dimensions that only reflect frequency.
"""

from __future__ import annotations

from typing import Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption, write


def topics(
    model: ModelOption = DEFAULT_MODEL,
    top: Annotated[
        int | None, typer.Option("--top", "-n", min=1, help="Number of dimensions.", show_default="all")
    ] = None,
    words: Annotated[int, typer.Option("--words", min=1, max=50, help="Number of words per dimension.")] = 8,
    json: JsonOption = False,
) -> None:
    from hyperdive import load

    found = load(model).topics(top, words)
    write(found.to_json() if json else str(found))
