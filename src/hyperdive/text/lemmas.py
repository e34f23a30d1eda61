"""The lemma of single words, for looking terms up; nothing heavy is loaded before the first question."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache


@lru_cache(maxsize=8)
def lemma_of(language: str) -> Callable[[str], str]:
    """A function from a lower-case word to its lemma, by the rules of `encode`; answers are remembered.

    >>> lemma_of("en")("poodles")
    'poodle'
    """
    from hyperdive.text.options import EncodeOptions
    from hyperdive.text.words import lemmatiser

    return lru_cache(maxsize=200_000)(lemmatiser(EncodeOptions(language=language)))
