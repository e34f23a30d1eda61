"""What the text states of a pair: how often, by which patterns, and in which sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import Any

from hyperdive._spelling import unknown_word
from hyperdive.discover.question import source_of
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import Evidence
from hyperdive.patterns.pattern_table import HEAD
from hyperdive.patterns.store import Patterns
from hyperdive.scores.lookup import look_up
from hyperdive.scores.source import AnyModel, as_source

_OTHERS = 5  # stated hypernyms


@dataclass(frozen=True)
class Statements:
    """The statements of a text that one term is a kind of another.

    `patterns` are counts by pattern, the most frequent first; `head` is how often the hyponym is a phrase with the
    hypernym as its head; `sentences_kept` says whether the model has sentences at all. `stated_hypernyms` are the terms
    that the text calls the hyponym most often, with counts.
    """

    hyponym: str
    hypernym: str
    statements: int
    patterns: dict[str, int]
    head: int
    sentences_kept: bool
    evidence: tuple[Evidence, ...]
    stated_hypernyms: tuple[tuple[str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything but other hypernyms as plain values, as `hyperdive evidence --json` prints it."""
        return {
            "hyponym": self.hyponym,
            "hypernym": self.hypernym,
            "statements": self.statements,
            "patterns": self.patterns,
            "head": self.head,
            "sentences_kept": self.sentences_kept,
            "evidence": [sentence.to_dict() for sentence in self.evidence],
        }


def statements(model: AnyModel, hyponym: str, hypernym: str, top: int = 5) -> Statements:
    """What the text states of a pair, with at most `top` sentences; a term that nothing is known of is an error.

    Statements about an abbreviation and about its long form are taken together.
    """
    patterns = source_of(model).patterns
    if patterns is None:
        raise InputError("this model has no patterns", hint="train it on text or on a corpus encoded with --patterns")
    terms = source_of(model).terms
    forms = [[term] if terms is None else terms.abbreviations.forms(term) for term in (hyponym, hypernym)]
    for term in forms:
        _check_known(model, patterns, term)
    # a term under each of its forms that patterns name
    named = [list({patterns.finder.named(form): form for form in reversed(term)}.values())[::-1] for term in forms]
    by_pattern: Counter[str] = Counter()
    found: dict[Evidence, None] = {}
    for pair in product(named[0], named[1]):
        by_pattern.update(patterns.counts_by_pattern(*pair))
        found.update(dict.fromkeys(patterns.evidence(*pair, top)))
    head = by_pattern.pop(HEAD, 0)
    ordered = dict(sorted(by_pattern.items(), key=lambda item: (-item[1], item[0])))
    return Statements(
        hyponym,
        hypernym,
        sum(ordered.values()),
        ordered,
        head,
        patterns.has_sentences,
        tuple(found)[:top],
        next((tuple(stated) for form in named[0] if (stated := patterns.stated_hypernyms(form, _OTHERS))), ()),
    )


def _check_known(model: AnyModel, patterns: Patterns, forms: list[str]) -> None:
    """A term is fine when a pattern names it or the model knows all its words; else say what may have been meant."""
    main = as_source(model).main
    for form in forms:
        words = form.lower().split() or [""]
        tagged = [word if "|" in word else f"{word}|n" for word in words]
        if patterns.finder.named(form) >= 0 or look_up(main, [words, tagged]).found.any():
            return
    words = forms[0].lower().split() or [""]
    missing = next((word for word in words if word not in main), forms[0])
    raise unknown_word(missing, main.words, main, "this model")
