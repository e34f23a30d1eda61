"""Sentences in which the text states that the first term is a kind of the second.

Prints the number of matches of each pattern and the best sentences, with both terms marked (bold in a terminal,
**asterisks** elsewhere). A model keeps a few sentences per pair, or none if it was trained without the text.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption, write, write_json

_OTHERS = 5  # stated hypernyms shown when no pattern states the pair


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
    patterns = asked.patterns
    if patterns is None:
        raise InputError(
            f"{model}: this model has no patterns", hint="train it on text or on a corpus encoded with --patterns"
        )
    for term in (hyponym, hypernym):
        _check_known(asked, patterns, term)
    pairs = [(hyponym, hypernym)] + ([(hypernym, hyponym)] if reverse else [])
    if json:
        found = [_as_json(patterns, *pair, top) for pair in pairs]
        write_json({**found[0], "reverse": found[1]} if reverse else found[0])
        return
    for number, pair in enumerate(pairs):
        if number:
            write("")
        _print(patterns, *pair, top)


def _check_known(model: Any, patterns: Any, term: str) -> None:
    """A term is fine when a pattern names it or the model knows all its words; else say what may have been meant."""
    from hyperdive._spelling import unknown_word
    from hyperdive.scores.lookup import look_up
    from hyperdive.scores.source import as_source

    words = term.lower().split() or [""]
    main = as_source(model).main
    if patterns.finder.named(term) >= 0 or look_up(main, [words]).found[0]:
        return
    tagged = [word if "|" in word else f"{word}|n" for word in words]
    if look_up(main, [tagged]).found[0]:
        return
    missing = next((word for word in words if word not in main), term)
    raise unknown_word(missing, main.words, main, "this model")


def _counts(patterns: Any, hyponym: str, hypernym: str) -> tuple[int, dict[str, int], int]:
    """How often it is said, by which patterns, and how often the first is a phrase with the second as its head."""
    from hyperdive.patterns.store import HEAD

    by_pattern = patterns.counts_by_pattern(hyponym, hypernym)
    head = by_pattern.pop(HEAD, 0)
    ordered = dict(sorted(by_pattern.items(), key=lambda item: (-item[1], item[0])))
    return sum(ordered.values()), ordered, head


def _as_json(patterns: Any, hyponym: str, hypernym: str, top: int) -> dict[str, Any]:
    count, by_pattern, head = _counts(patterns, hyponym, hypernym)
    return {
        "hyponym": hyponym,
        "hypernym": hypernym,
        "statements": count,
        "patterns": by_pattern,
        "head": head,
        "sentences_kept": patterns.has_sentences,
        "evidence": [
            {
                "sentence": one.sentence,
                "pattern": one.pattern,
                "document": one.document,
                "hyponym_span": list(one.spans[0]),
                "hypernym_span": list(one.spans[1]),
            }
            for one in patterns.evidence(hyponym, hypernym, top)
        ],
    }


def _print(patterns: Any, hyponym: str, hypernym: str, top: int) -> None:
    from hyperdive.errors import one_line

    count, by_pattern, head = _counts(patterns, hyponym, hypernym)
    first, second = one_line(hyponym), one_line(hypernym)
    if count:
        times = "once" if count == 1 else f"{count:,} times"
        how = ", ".join(f"{one_line(name)} {number:,}" for name, number in by_pattern.items())
        write(f"{first} is a kind of {second}: stated {times} ({how})")
    else:
        write(f"{first} is a kind of {second}: no pattern in the text says so")
        known = patterns.stated_hypernyms(hyponym, _OTHERS)
        if known and top:
            others = ", ".join(f"{one_line(term)} {number:,}" for term, number in known)
            write(f"  the text calls {first} a kind of: {others}")
    if head:
        write(f"  {second} is the head of {first}")
    before, after = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("**", "**")
    found = patterns.evidence(hyponym, hypernym, top)
    for one in found:
        write(f"  {one.marked(before, after)}  ({one_line(one.pattern)}, document {one.document})")
    if count and top and not found:
        whose = "this pair" if patterns.has_sentences else "its text"
        write(f"  the model keeps no sentences of {whose}, only counts")
