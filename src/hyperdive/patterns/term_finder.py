"""Looks up terms of patterns as users and datasets write them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hyperdive.text.term_names import normal_term

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns


class TermFinder:
    """Finds terms by their words: as they are, then by lemmas; a phrase as one term, else (backed off) by its head.

    In patterns of a POS corpus a phrase is found whatever the tags of its modifiers are.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> patterns = Patterns.from_keys(["dog", "guide dog", "helper"], ["is a"], pack([1], [2], [0]), [1])
    >>> finder = TermFinder(patterns)
    >>> finder.find(["guide", "dogs"]), finder.find(["hot", "dogs"]), finder.find(["hot", "cat"])
    ((1, False), (0, True), (-1, False))
    """

    def __init__(self, patterns: Patterns, *, lemmas: bool = True, language: str = "en") -> None:
        self._patterns, self._lemmas, self._language = patterns, lemmas, language

    @cached_property
    def _by_untagged(self) -> dict[str, int]:
        """Phrases of a POS corpus without the tags of their modifiers; the most frequent of equal ones."""
        numbers: dict[str, int] = {}
        for term, number in self._patterns.numbers.items():
            if " " in term and "|" in term:
                numbers.setdefault(_untagged(term.split(" ")), number)
        return numbers

    def find(self, words: Sequence[str]) -> tuple[int, bool]:
        """The number of a term (-1: no pattern names it), and whether it is that of the head alone."""
        number = self._find(words)
        if number < 0 and len(words) > 1:
            number = self._find(words[-1:])
            return number, number >= 0
        return number, False

    def named(self, term: str) -> int:
        """The number of a term as a user writes it (-1: no pattern names it); without a tag a noun is meant.

        >>> from hyperdive.patterns.evidence import pack
        >>> from hyperdive.patterns.store import Patterns
        >>> patterns = Patterns.from_keys(["guide|v dog|n", "help|n"], ["is a"], pack([0], [1], [0]), [1])
        >>> TermFinder(patterns).named("Guide dogs")
        0
        >>> blockers = Patterns.from_keys(["beta blocker", "drug"], ["is a"], pack([0], [1], [0]), [1])
        >>> TermFinder(blockers).named("Beta-blockers"), TermFinder(blockers).named("beta_blocker")
        (0, 0)
        """
        number = self._patterns.numbers.get(term)
        if number is not None:
            return number
        words = term.lower().split()
        if not words:
            return -1
        number = self._find(words)
        if number < 0 and "|" not in term:
            number = self._patterns.numbers.get(normal_term(term), -1)  # beta-blockers, non_steroidal drug
        return number if number >= 0 or "|" in term else self._find([*words[:-1], f"{words[-1]}|n"])

    def _find(self, words: Sequence[str]) -> int:
        numbers = self._patterns.numbers
        number = numbers.get(" ".join(words))
        if number is not None:
            return number
        base = [self._base(word) for word in words] if self._lemmas else list(words)
        number = numbers.get(" ".join(base))
        # a dataset may know the inflected head only: "domestic dogs" is "domestic dog", "united states" is itself
        if number is None and len(words) > 1:
            number = numbers.get(" ".join([*words[:-1], base[-1]]))
        if number is None and len(words) > 1 and any("|" in word for word in words):
            number = self._by_untagged.get(_untagged(words), self._by_untagged.get(_untagged(base)))
        return -1 if number is None else number

    def _base(self, word: str) -> str:
        from hyperdive.text.lemmas import lemma_of

        form, bar, tag = word.partition("|")
        return f"{lemma_of(self._language)(form)}{bar}{tag}" if form.isalpha() else word


def _untagged(words: Sequence[str]) -> str:
    return " ".join([*(word.split("|")[0] for word in words[:-1]), words[-1]])
