"""Commands that ask a model: hypernyms, hyponyms, evidence, similar, explain, topics."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from hyperdive.ask.options import (
    AnswerOptions,
    EvidenceOptions,
    ExplainOptions,
    HyponymOptions,
    SimilarOptions,
    TopicOptions,
)
from hyperdive.cli.output import DEFAULT_MODEL, FORCE, MODEL, JsonOptions, ProgressOptions, show, write, write_json
from hyperdive.errors import Error, InputError, OptionError, one_line
from hyperdive.options import option

if TYPE_CHECKING:
    from hyperdive.table import Table

Words = Annotated[
    list[str],
    Parameter(name="WORD", help="Words; quote phrases. - reads words from standard input, one per line."),
]
_NAMED = 5  # unknown words that the error at the end names
_BATCH = 100  # words of standard input looked up together; small, so that answers appear while words still arrive


@dataclass(frozen=True, kw_only=True)
class ModelOptions(JsonOptions):
    """The model that is asked."""

    model: str = option(DEFAULT_MODEL, MODEL)


@dataclass(frozen=True, kw_only=True)
class HyponymsCommand(HyponymOptions, ModelOptions):
    """Options of `hyperdive hyponyms`."""

    evidence: bool = option(False, "Show the sentences that state each answer, if the model has them.")


@dataclass(frozen=True, kw_only=True)
class HypernymsCommand(HyponymsCommand, AnswerOptions):
    """Options of `hyperdive hypernyms`."""


def hypernyms(words: Words, /, *, options: HypernymsCommand) -> None:
    """Hypernyms (broader terms) of a word, most likely first, with the signals that support each.

    Answers are drawn from the whole vocabulary, or from your own list of terms (--candidates). Each answer has a
    confidence (or a score, if the model has no patterns), the signals that agree (patterns, inclusion, generality,
    similarity) and the number of times the text states it. If no answer is likely enough, the result is "not known".
    Words too general to be informative (thing, kind, use) are excluded unless your list contains them. With --senses,
    answers that have nothing to do with each other stand in groups: a tiger is an animal, and a team.
    """
    _answer(words, options)


def hyponyms(words: Words, /, *, options: HyponymsCommand) -> None:
    """Hyponyms (narrower terms) of a word, most likely first; the options are those of hypernyms."""
    _answer(words, options, narrower=True)


def _answer(words: Sequence[str], options: HyponymsCommand, *, narrower: bool = False) -> None:
    from hyperdive import load
    from hyperdive.ask.hypernyms import MOST_EVIDENCE, ask

    model = load(options.model)
    if options.evidence and (model.patterns is None or not model.patterns.has_sentences):
        ProgressOptions().shown.note("this model contains no sentences, so no evidence can be shown")
    given = AnswerOptions.own(vars(options)) | {"evidence": MOST_EVIDENCE if options.evidence else 0}
    chosen = AnswerOptions(**given)
    print_answers(words, lambda batch: ask(model, batch, chosen, narrower=narrower), options.json)


def _batches(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of the command line, or in batches those of standard input (`-`), one per line."""
    if list(words) != ["-"]:
        yield list(words)
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


def print_answers(words: Sequence[str], ask: Callable[[list[str]], list[Table[Any]]], json: bool) -> None:
    """Ask and print a table or a JSON object per word; unknown words are an error at the end."""
    several = len(words) > 1 or list(words) == ["-"]
    unknown: list[str] = []
    first = True
    for batch in _batches(words):
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


# ---- similar -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SimilarCommand(SimilarOptions, ModelOptions):
    """Options of `hyperdive similar`."""


def similar(words: Words, /, *, options: SimilarCommand) -> None:
    """Nearest neighbours of a word or a quoted phrase, by cosine of the skip-gram vectors (or DIVE without them)."""
    from hyperdive import load
    from hyperdive.ask.similar import similar as nearest

    model = load(options.model)
    print_answers(words, lambda batch: nearest(model, batch, options.top), options.json)


# ---- evidence ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EvidenceCommand(EvidenceOptions, ModelOptions):
    """Options of `hyperdive evidence`."""


def evidence(
    hyponym: Annotated[str, Parameter(name="HYPONYM", help="Hyponym (narrower term); quote a phrase.")],
    hypernym: Annotated[str, Parameter(name="HYPERNYM", help="Hypernym (broader term).")],
    /,
    *,
    options: EvidenceCommand,
) -> None:
    """Sentences in which the text states that the first term is a kind of the second.

    Prints the number of matches of each pattern and the best sentences, with both terms marked (bold in a terminal,
    **asterisks** elsewhere). Statements about an abbreviation and about its long form are taken together. A model keeps
    a few sentences per pair, or none if it was trained without the text.
    """
    from hyperdive import load

    model = load(options.model)
    if model.patterns is None:
        raise InputError(f"{options.model}: this model has no patterns", hint="train it on text with patterns")
    stated = model.evidence(hyponym, hypernym, top=options.top)
    if options.json:
        write_json(stated.to_dict())
        return
    count, first, second = stated.statements, one_line(stated.hyponym), one_line(stated.hypernym)
    if count:
        times = "once" if count == 1 else f"{count:,} times"
        how = ", ".join(f"{one_line(name)} {number:,}" for name, number in stated.patterns.items())
        write(f"{first} is a kind of {second}: stated {times} ({how})")
    else:
        write(f"{first} is a kind of {second}: no pattern in the text says so")
        if stated.stated_hypernyms and options.top:
            others = ", ".join(f"{one_line(term)} {number:,}" for term, number in stated.stated_hypernyms)
            write(f"  the text calls {first} a kind of: {others}")
    if stated.head:
        write(f"  {second} is the head of {first}")
    before, after = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("**", "**")
    for sentence in stated.rows:
        write(f"  {sentence.marked(before, after)}  ({one_line(sentence.pattern)}, document {sentence.document})")
    if count and options.top and not stated.rows:
        whose = "this pair" if stated.sentences_kept else "its text"
        write(f"  the model keeps no sentences of {whose}, only counts")


# ---- explain -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ExplainCommand(ExplainOptions, ModelOptions):
    """Options of `hyperdive explain`."""

    plot: Path | None = option(None, "Also save a plot to this .png or .svg file.")
    force: bool = option(False, FORCE)


def explain(
    words: Annotated[
        list[str], Parameter(name="WORD", help="A pair (hyponym, hypernym), or up to 6 words; quote phrases.")
    ],
    /,
    *,
    options: ExplainCommand,
) -> None:
    """A pair dimension by dimension, and what every score says; other words side by side.

    Of two words, each line shows whether the second (the hypernym) includes the first in that dimension. A score says
    yes when the pair scores higher than its reverse; its rank is that of the hypernym among all words of the model.
    Three words or more are compared side by side over the dimensions of the most general one; values under 0.1 are
    hidden. With --plot, a pair is drawn as two distributions together with the cost of AL₁, as in the paper, and other
    words as the paper's main figure.
    """
    from hyperdive import load
    from hyperdive.ask.explain import compare

    if not 2 <= len(words) <= 6:
        raise InputError(f"explain takes 2 to 6 words, not {len(words)}", hint="quote phrases")
    if options.plot is not None:
        from hyperdive.ask.plots import check_place, plot_comparison, plot_pair

        check_place(options.plot, options.force)
    model = load(options.model)
    if len(words) == 2:
        pair = model.explain(words[0], words[1], top=options.top or 20)
        if options.plot is not None:
            plot_pair(model, words[0], words[1], options.plot, force=options.force)
        show(pair, options.json, pair.to_dict())
        return
    table = compare(model, words, options.top)
    if options.plot is not None:
        plot_comparison(model, words, options.plot, top=options.top, force=options.force)
    show(table, options.json, {"words": list(table.words), "dimensions": table.to_dicts()})


# ---- topics ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TopicsCommand(TopicOptions, ModelOptions):
    """Options of `hyperdive topics`."""


def topics(
    word: Annotated[
        str | None, Parameter(name="WORD", help="With --general: rank words by generality within its topics.")
    ] = None,
    /,
    *,
    options: TopicsCommand,
) -> None:
    """The dimensions of a model: label, top words and quality checks; or its most general words.

    The top words of a dimension are its most general ones. Dimensions with the largest sum come first; the last line
    counts dead dimensions, duplicates and dimensions that only reflect frequency. With --general, words are ranked by
    the sum of their vector, or with WORD by their dot product with its vector, which favours words that are general
    within its topics.
    """
    from hyperdive import load

    if options.general:
        _print_general(word, options)
        return
    if word is not None:
        raise OptionError(
            f"{word}: topics takes a word with --general only", hint=f"add --general, or type: similar {word}"
        )
    table = load(options.model).topics(options.top, options.words)
    show(table, options.json, table.to_dicts())


def _print_general(query: str | None, options: TopicsCommand) -> None:
    from hyperdive import load
    from hyperdive.ask.topics import MOST_GENERAL, general_words

    found = general_words(load(options.model), query, options.top or MOST_GENERAL)
    if options.json:
        write_json({"query": query, "words": [{"word": word.term, "value": word.value} for word in found]})
        return
    if not len(found):
        raise InputError(
            "every vector of this model is zero"
            if query is None
            else f"{query!r} has no word in common with this model",
            hint="train on more text, or with a weaker filter (hyperdive train --help)",
        )
    for number, (term, value) in enumerate(found.cells(), start=1):
        write(f"{number:>3}  {term:<20} {value:>10}")
