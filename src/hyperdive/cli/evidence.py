"""Sentences in which the text states that the first term is a kind of the second.

Prints the number of matches of each pattern and the best sentences, with both terms marked (bold in a terminal,
**asterisks** elsewhere). Statements about an abbreviation and about its long form are taken together. A model keeps a
few sentences per pair, or none if it was trained without the text.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption, write, write_json

if TYPE_CHECKING:
    from hyperdive.discover.statements import Statements


def evidence(
    hyponym: Annotated[str, typer.Argument(help="Hyponym (narrower term); quote a phrase.", show_default=False)],
    hypernym: Annotated[str, typer.Argument(help="Hypernym (broader term).", show_default=False)],
    model: ModelOption = DEFAULT_MODEL,
    top: Annotated[int, typer.Option("--top", "-n", min=0, help="Maximum number of sentences.")] = 5,
    reverse: Annotated[bool, typer.Option("--reverse", help="Also show the reverse pair.")] = False,
    json: JsonOption = False,
) -> None:
    from hyperdive import load
    from hyperdive.errors import InputError

    asked = load(model)
    if asked.patterns is None:
        raise InputError(
            f"{model}: this model has no patterns", hint="train it on text or on a corpus encoded with --patterns"
        )
    pairs = [(hyponym, hypernym)] + ([(hypernym, hyponym)] if reverse else [])
    stated = [asked.evidence(*pair, top=top) for pair in pairs]
    if json:
        found = [one.to_dict() for one in stated]
        write_json({**found[0], "reverse": found[1]} if reverse else found[0])
        return
    for number, one in enumerate(stated):
        if number:
            write("")
        _print(one, top)


def _print(stated: Statements, top: int) -> None:
    from hyperdive.errors import one_line

    count, first, second = stated.statements, one_line(stated.hyponym), one_line(stated.hypernym)
    if count:
        times = "once" if count == 1 else f"{count:,} times"
        how = ", ".join(f"{one_line(name)} {number:,}" for name, number in stated.patterns.items())
        write(f"{first} is a kind of {second}: stated {times} ({how})")
    else:
        write(f"{first} is a kind of {second}: no pattern in the text says so")
        if stated.stated_hypernyms and top:
            others = ", ".join(f"{one_line(term)} {number:,}" for term, number in stated.stated_hypernyms)
            write(f"  the text calls {first} a kind of: {others}")
    if stated.head:
        write(f"  {second} is the head of {first}")
    before, after = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("**", "**")
    for sentence in stated.rows:
        write(f"  {sentence.marked(before, after)}  ({one_line(sentence.pattern)}, document {sentence.document})")
    if count and top and not stated.rows:
        whose = "this pair" if stated.sentences_kept else "its text"
        write(f"  the model keeps no sentences of {whose}, only counts")
