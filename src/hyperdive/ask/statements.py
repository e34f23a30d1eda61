"""What the text states of a pair: how often, by which patterns, and in which sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from hyperdive._spelling import unknown_word
from hyperdive.ask.options import EvidenceOptions
from hyperdive.ask.question import checked_terms, source_of
from hyperdive.errors import InputError
from hyperdive.patterns.definitions import HEAD
from hyperdive.patterns.evidence import Evidence
from hyperdive.patterns.store import Patterns
from hyperdive.scores.source import AnyModel, as_source
from hyperdive.table import Table

_OTHERS = 5  # stated hypernyms


@dataclass(frozen=True)
class Statements(Table[Evidence]):
    """Sentences that state that one term is a kind of another, and how often the text states it.

    `statements` counts all that the text states, `patterns` by pattern, the most frequent first; `head` is how often
    the hyponym is a phrase with the hypernym as its head; `sentences_kept` says whether the model has sentences at all.
    `stated_hypernyms` are the terms that the text calls the hyponym most often, with counts.
    """

    hyponym: str = ""
    hypernym: str = ""
    statements: int = 0
    patterns: Mapping[str, int] = field(default_factory=dict)
    head: int = 0
    sentences_kept: bool = False
    stated_hypernyms: tuple[tuple[str, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything but other hypernyms as plain values, as `hyperdive evidence --json` prints it."""
        return {
            "hyponym": self.hyponym,
            "hypernym": self.hypernym,
            "statements": self.statements,
            "patterns": dict(self.patterns),
            "head": self.head,
            "sentences_kept": self.sentences_kept,
            "evidence": [sentence.to_dict() for sentence in self.rows],
        }


def statements(model: AnyModel, hyponym: str, hypernym: str, top: int = 5) -> Statements:
    """Return what the text states of a pair, with at most `top` sentences; an unknown term is an error.

    Statements about an abbreviation and about its long form are taken together.
    """
    EvidenceOptions(top=top)
    checked_terms([hyponym, hypernym])
    source = source_of(model)
    patterns, forms_of = source.patterns, source.vocabulary.abbreviations.forms
    if patterns is None:
        raise InputError("this model has no patterns", hint="train it on text or on a corpus encoded with patterns")
    forms = [forms_of(term) for term in (hyponym, hypernym)]
    for spellings in forms:
        _check_known(model, patterns, spellings)
    # a term under each of its forms that patterns name
    named = [list({patterns.finder.named(form): form for form in reversed(term)}.values())[::-1] for term in forms]
    by_pattern: Counter[str] = Counter()
    found: dict[Evidence, None] = {}
    for pair in product(named[0], named[1]):
        by_pattern.update(patterns.counts_by_pattern(*pair))
        found.update(dict.fromkeys(patterns.evidence(*pair, top)))
    head = by_pattern.pop(HEAD, 0)
    ordered = dict(sorted(by_pattern.items(), key=lambda item: (-item[1], item[0])))
    count = sum(ordered.values())
    return Statements(
        Evidence,
        tuple(found)[:top],
        columns=("sentence", "pattern", "document"),
        title=f"{hyponym} is a kind of {hypernym}: stated {count:,} time{'' if count == 1 else 's'}",
        hyponym=hyponym,
        hypernym=hypernym,
        statements=count,
        patterns=ordered,
        head=head,
        sentences_kept=patterns.has_sentences,
        stated_hypernyms=next(
            (tuple(stated) for form in named[0] if (stated := patterns.stated_hypernyms(form, _OTHERS))), ()
        ),
    )


def _check_known(model: AnyModel, patterns: Patterns, forms: list[str]) -> None:
    """A term is fine when a pattern names it or the model knows all its words; else say what may have been meant."""
    main = as_source(model).main
    for form in forms:
        words = form.lower().split() or [""]
        tagged = [word if "|" in word else f"{word}|n" for word in words]
        if patterns.finder.named(form) >= 0 or main.vocabulary.look_up([words, tagged]).found.any():
            return
    words = forms[0].lower().split() or [""]
    missing = next((word for word in words if word not in main), forms[0])
    raise unknown_word(missing, main.words, main, "this model")
