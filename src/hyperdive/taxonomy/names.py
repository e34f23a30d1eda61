"""What terms are called: one name for each to reckon with, and the spelling that its user gave it."""

from __future__ import annotations

from collections.abc import Iterable

from hyperdive.ask.question import normal


class Spelling:
    """The first spelling of each term, by its normal name; the others are synonyms.

    `names` are pairs (a term, the name that it is given instead).

    >>> spelling = Spelling(["AIDS", "Dog", "dog", "dogs"])
    >>> spelling("aids"), spelling("zebra")
    ('AIDS', 'zebra')
    >>> spelling.synonyms(["aids", "dog"], merged=[("dogs", "dog")])
    {'Dog': ['dog', 'dogs']}
    >>> Spelling(["aids"], names=[("aids", "AIDS")])("aids")
    'AIDS'
    """

    def __init__(self, terms: Iterable[str], names: Iterable[tuple[str, str]] = ()) -> None:
        self._spellings: dict[str, dict[str, None]] = {}
        for term, name in names:
            self._spellings[term] = {name: None, term: None}
        for term in terms:
            self._spellings.setdefault(normal(term), {})[" ".join(term.split())] = None

    def __call__(self, name: str) -> str:
        """How the user spells a term; the name itself where the user gave none."""
        return next(iter(self._spellings.get(name, {name: None})))

    def synonyms(self, names: Iterable[str], merged: Iterable[tuple[str, str]] = ()) -> dict[str, list[str]]:
        """Other spellings of these terms, and other terms that are the same word: pairs (term, the one that stays)."""
        others = {name: list(self._spellings.get(name, ()))[1:] for name in names}
        for name, stays in merged:
            if stays in others:
                others[stays] += self._spellings.get(name, {name: None})
        return {self(name): spellings for name, spellings in others.items() if spellings}
