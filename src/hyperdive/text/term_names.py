"""Names of terms: any spelling of a term → the one string under which it is counted and looked up.

The name of a term is what its words are counted as in running text, joined by blanks: base forms in lower case, stop
words inside included, the possessive *s* left out. Patterns name their terms in the same way.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache

from hyperdive.text.lemmas import STOPWORD_LANGUAGES, FormResolver
from hyperdive.text.options import EncodeOptions

HYPHENS = "-\u2010\u2011"
APOSTROPHES = "'\u2019\u02bc\uff07"
_INVISIBLE = "\u00ad\u200c\u200d"

WordKey = Callable[[str], str]
"""From a word as it is written to the word it is counted as."""


def split_term(text: str) -> list[str]:
    """The words of a term as the tokeniser splits running text, in their own case; signs are left out.

    >>> split_term("Alzheimer's disease"), split_term("x\u2010ray (type 2)")
    (['Alzheimer', 'disease'], ['x', 'ray', 'type', '2'])
    """
    words: list[str] = []
    letters: list[str] = []
    after_apostrophe = False

    def close() -> None:
        word = "".join(letters)
        if word and not (after_apostrophe and word in ("s", "S")):
            words.append(word)
        letters.clear()

    for place, character in enumerate(text):
        kind = unicodedata.category(character)[0]
        if kind in "LN" or (letters and (kind == "M" or character in _INVISIBLE)):
            letters.append(character)
            continue
        joins = bool(letters) and place + 1 < len(text) and unicodedata.category(text[place + 1])[0] in "LN"
        close()
        after_apostrophe = joins and character in APOSTROPHES
    close()
    return words


def is_acronym(word: str) -> bool:
    """Whether a word is two or more capital letters.

    >>> is_acronym("AIDS"), is_acronym("Aids"), is_acronym("A")
    (True, False, False)
    """
    return len(word) > 1 and word.isalpha() and word.isupper()


@lru_cache(maxsize=8)
def word_key(language: str = "en", lemmas: str = "simplemma") -> WordKey:
    """The function that turns a word into the word it is counted as; answers are cached.

    >>> word_key()("Diseases"), word_key()("B12")
    ('disease', 'b12')
    """
    stopwords = "english" if language in STOPWORD_LANGUAGES else "none"
    resolver = FormResolver(EncodeOptions.preset(language=language, lemmas=lemmas, stopwords=stopwords))
    return lru_cache(maxsize=200_000)(lambda word: resolver.key(word)[0])


def normal_term(text: str, *, language: str = "en", lemmas: str = "simplemma") -> str:
    """The name of a term, whatever its case, inflection, hyphens and apostrophes.

    A single word in capitals keeps them, so that *AIDS* is not *aid*; a look-up that finds no such acronym tries
    `normal_term(text.lower())`.

    Args:
        text: the term as a user or a text writes it.
        language: the language of the text in which it is looked up.
        lemmas: the lemmatiser with which that text was encoded.

    >>> [normal_term(term) for term in ("Type 2 diabetes", "x-ray", "X ray", "hepatitis B", "Alzheimer's disease")]
    ['type 2 diabetes', 'x ray', 'x ray', 'hepatitis b', 'alzheimer disease']
    >>> [normal_term(term) for term in ("beta-blockers", "Escherichia coli", "birds of prey", "ACE inhibitors")]
    ['beta blocker', 'escherichia coli', 'bird of prey', 'ace inhibitor']
    >>> normal_term("AIDS"), normal_term("aids"), normal_term("guitar_players")
    ('AIDS', 'aid', 'guitar player')
    """
    words = split_term(text)
    if len(words) == 1 and is_acronym(words[0]):
        return words[0]
    key = word_key(language, lemmas)
    return " ".join(map(key, words))
