"""What the verbs that answer word by word share: options, words from standard input, and how answers are printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hyperdive.cli.common import ProgressMode, reporter, write, write_json
from hyperdive.errors import Error, InputError, one_line

if TYPE_CHECKING:
    from hyperdive import Model
    from hyperdive.table import Table

WordsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="WORD",
        help="Words; quote phrases. - reads words from standard input, one per line.",
        show_default=False,
    ),
]
CandidatesOption = Annotated[
    Path | None,
    typer.Option(
        "--candidates", help="File of candidate terms, one per line; only these are returned.", show_default="all words"
    ),
]
BlockOption = Annotated[
    Path | None,
    typer.Option("--block", help="File of terms to exclude, one per line.", show_default=False),
]
ScoreOption = Annotated[
    str | None,
    typer.Option(
        "--score", "-s", help="Score to rank by, such as C*dS.", show_default="the best one the model supports"
    ),
]
TopOption = Annotated[int, typer.Option("--top", "-n", min=1, help="Maximum number of answers per word.")]
EvidenceOption = Annotated[
    bool, typer.Option("--evidence", help="Show the sentences that state each answer, if the model has them.")
]
SensesOption = Annotated[
    bool, typer.Option("--senses", help="Group the answers by sense, with up to --top answers to each.")
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option("--min-confidence", min=0.0, max=1.0, help="Minimum confidence of an answer.", show_default="0.35"),
]
_NAMED = 5  # unknown words that the error at the end names
_BATCH = 100  # words of standard input looked up together; small, so that answers appear while words still arrive


def asked_words(words: list[str]) -> Iterator[list[str]]:
    """The words of the command line, or in batches those of standard input (`-`), one per line."""
    if words != ["-"]:
        yield words
        return
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("there is no standard input here", hint="give the words as arguments")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    batch: list[str] = []
    for line in sys.stdin:
        if word := line.strip():
            batch.append(word)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def print_answers(words: list[str], ask: Callable[[list[str]], list[Table[Any]]], json: bool) -> None:
    """Ask and print, a table or a JSON object a word; words that the model does not know are an error at the end."""
    several = len(words) > 1 or words == ["-"]
    unknown: list[str] = []
    first = True
    for batch in asked_words(words):
        for word, table in zip(batch, ask(batch), strict=True):
            for error in table.unknown.values():
                unknown.append(str(error))
                if not several:
                    raise error
            if json:
                write_json(_as_json(word, table), lines=several)
                continue
            if several:
                write(("" if first else "\n") + one_line(word))
            write(str(table))
            first = False
    if unknown:
        more = [f"and {len(unknown) - _NAMED} words more"] if len(unknown) > _NAMED else []
        raise Error("; ".join([*unknown[:_NAMED], *more]))


def _as_json(word: str, table: Table[Any]) -> dict[str, Any]:
    notes = [*table.notes, *map(str, table.unknown.values())]
    answers = [{name: value for name, value in row.items() if name != "word"} for row in table.to_dicts()]
    return {"word": word, "known": len(table) > 0, "answers": answers, **({"notes": notes} if notes else {})}


def warn_without_sentences(model: Model) -> None:
    """Say that evidence was asked for but none can be shown."""
    if model.patterns is None or not model.patterns.has_sentences:
        reporter(ProgressMode.auto).note("this model contains no sentences, so no evidence can be shown")
