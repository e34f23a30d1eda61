"""What the verbs `hypernyms` and `hyponyms` share: they differ only in the direction of the question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hyperdive.cli.common import ProgressMode, reporter, write, write_json
from hyperdive.errors import Error, UnknownWordError, one_line

WordsArgument = Annotated[
    list[str], typer.Argument(metavar="WORD...", help="Words; quote phrases.", show_default=False)
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
ConfidenceOption = Annotated[
    float | None,
    typer.Option("--min-confidence", min=0.0, max=1.0, help="Minimum confidence of an answer.", show_default="0.2"),
]


def answer(
    words: list[str],
    model: str,
    *,
    narrower: bool,
    candidates: Path | None,
    block: Path | None,
    evidence: bool,
    json: bool,
    **options: Any,
) -> None:
    """Ask and print; a word that the model does not know is an error, a word it knows nothing of is not."""
    from hyperdive import load
    from hyperdive.discover.hypernyms import MOST_EVIDENCE
    from hyperdive.discover.question import read_terms

    opened = load(model)
    patterns = opened.patterns if evidence else None
    if evidence and (patterns is None or not patterns.has_sentences):
        reporter(ProgressMode.auto).note("this model contains no sentences, so no evidence can be shown")
    asked: dict[str, Any] = {
        "narrower": narrower,
        "candidates": None if candidates is None else read_terms(candidates),
        "block": () if block is None else read_terms(block),
        "evidence": MOST_EVIDENCE if evidence else 0,
        **options,
    }
    words, tables, unknown = _known(opened, words, asked)
    if json:
        write_json(
            [
                {"word": word, "known": len(table) > 0, "answers": table.to_dicts()}
                for word, table in zip(words, tables, strict=True)
            ]
        )
    else:
        for number, (word, table) in enumerate(zip(words, tables, strict=True)):
            if len(tables) > 1 or unknown:
                write(("\n" if number else "") + one_line(word))
            write(_with_sentences(table) if evidence and len(table) else str(table))
    if unknown:
        raise Error("; ".join(str(error) for error in unknown))


def _known(model: Any, words: list[str], asked: dict[str, Any]) -> tuple[list[str], list[Any], list[Error]]:
    """The words that the model knows with their answers, and what is wrong with the others; one alone is an error."""
    from hyperdive.discover.hypernyms import ask

    try:
        return words, ask(model, words, **asked), []
    except UnknownWordError:
        if len(words) == 1:
            raise
    found: list[str] = []
    tables: list[Any] = []
    unknown: list[Error] = []
    for word in words:
        try:
            tables += ask(model, [word], **asked)
            found.append(word)
        except UnknownWordError as error:
            unknown.append(error)
    return found, tables, unknown


def _with_sentences(table: Any) -> str:
    """The table with the sentences of each answer beneath it."""
    head, *lines = str(table).split("\n")
    shown = [head]
    for line, row in zip(lines, table, strict=False):
        shown.append(line)
        shown += [f"    “{one_line(one.sentence)}”  ({one_line(one.pattern)})" for one in row.sentences]
    return "\n".join([*shown, *lines[len(table) :]])
