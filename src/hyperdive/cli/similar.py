"""Nearest neighbours of a word or a quoted phrase, by cosine of the skip-gram vectors (or DIVE, if there are none)."""

from __future__ import annotations

from typing import Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption, write


def similar(
    word: Annotated[str, typer.Argument(metavar="WORD", help="Word; quote a phrase.", show_default=False)],
    model: ModelOption = DEFAULT_MODEL,
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="Number of words.")] = 10,
    json: JsonOption = False,
) -> None:
    from hyperdive import load

    found = load(model).similar(word, top)
    write(found.to_json() if json else str(found))
