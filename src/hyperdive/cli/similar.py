"""Nearest neighbours of a word or a quoted phrase, by cosine of the skip-gram vectors (or DIVE, if there are none)."""

from __future__ import annotations

from hyperdive.cli._answers import TopOption, WordsArgument, print_answers
from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption


def similar(
    words: WordsArgument,
    model: ModelOption = DEFAULT_MODEL,
    top: TopOption = 10,
    json: JsonOption = False,
) -> None:
    from hyperdive import load
    from hyperdive.discover.similar import similar as nearest

    opened = load(model)
    print_answers(words, lambda batch: nearest(opened, batch, top), json)
