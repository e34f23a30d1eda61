"""The most general words of a model, overall or for a query.

Without a query, words are ranked by the sum of their vector; with one, by their dot product with the vector of the
query, which favours words that are general within its topics. With --paper the list is compared with the paper's, which
has lists for no query, species and system.
"""

from __future__ import annotations

from typing import Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption, write, write_json


def general(
    model: ModelOption = DEFAULT_MODEL,
    query: Annotated[
        str | None,
        typer.Option(
            "--query", help="Rank words that are general within the topics of this word.", show_default="none"
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="Number of words.")] = 30,
    paper: Annotated[
        bool, typer.Option("--paper", help="Mark and count the words that are also in the paper's list.")
    ] = False,
    json: JsonOption = False,
) -> None:
    from hyperdive import load
    from hyperdive.benchmark.paper import general_words as printed
    from hyperdive.discover.topics import general_words
    from hyperdive.errors import InputError, OptionError

    found = general_words(load(model), query, top)
    known = printed().get(query or "")
    if paper and known is None:
        raise OptionError(
            f"the paper prints no list for {query!r}", hint=f"it has: {', '.join(q for q in printed() if q)}"
        )
    shared = [word.term for word in found if known is not None and word.term in known]
    if json:
        result: dict[str, object] = {
            "query": query,
            "words": [{"word": word.term, "value": word.value} for word in found],
        }
        write_json({**result, "in_the_paper": shared} if paper else result)
        return
    if not len(found):
        raise InputError(
            "every vector of this model is zero"
            if query is None
            else f"{query!r} has no word in common with this model",
            hint="train on more text, or with a weaker filter (hyperdive train --help)",
        )
    for number, (term, value) in enumerate(found.cells(), start=1):
        mark = " *" if paper and found[number - 1].term in shared else ""
        write(f"{number:>3}  {term:<20} {value:>10}{mark}")
    if paper:
        write(f"{len(shared)} of these {len(found)} words (*) are among the paper's {len(known or [])}")
