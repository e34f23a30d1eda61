"""Names of terms: any spelling of a term → the one string under which it is counted and looked up.

The name of a term is what its words are counted as in running text, joined by blanks: base forms in lower case, stop
words inside included, the possessive *s* left out. Patterns name their terms in the same way.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Sequence
from functools import lru_cache

from hyperdive.options import EncodeOptions

HYPHENS = "-\u2010\u2011"
APOSTROPHES = "'\u2019\u02bc\uff07"
_INVISIBLE = "\u00ad\u200c\u200d"

PREPOSITIONS = frozenset("of for in with from to at on by without between against about under over".split())
"""What follows the head of a phrase: a bird of prey is a bird."""
_NUMERALS = frozenset("i ii iii iv v vi vii viii ix x xi xii".split())
COMBINING_FORMS = frozenset(
    """
    aero agro anthropo anti arch astro audio auto bio cardio chemo chrono co counter crypto cryo cyber dermato eco
    electro endo epi ethno exo extra gastro geo hemi hetero homo hydro hyper hypo immuno infra inter intra iso kilo
    macro magneto mega meta micro mid mini mono morpho multi myco nano neo neuro non omni ortho osteo out over paleo
    pan para patho petro pharmaco phono photo physio phyto poly post pre proto pseudo psycho pyro quasi radio retro
    semi socio step sub super supra tele thermo trans tri ultra under uni vice zoo
    """.split()
)
"""Beginnings of words that are no words of their own: astrodynamics is a kind of dynamics."""
_SHORTEST_BEGINNING, _SHORTEST_END, _LONG_END = 3, 4, 7

WordKey = Callable[[str], str]
"""From a word as it is written to the word it is counted as."""


def split_term(text: str) -> list[str]:
    """The words of a term as the tokeniser splits running text, in their own case; signs are left out.

    >>> split_term("Alzheimer's disease"), split_term("x\u2010ray (type 2)")
    (['Alzheimer', 'disease'], ['x', 'ray', 'type', '2'])
    """
    if text.isascii() and text.replace(" ", "").isalnum():
        return text.split()
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
    from hyperdive.text.lemmas import STOPWORD_LANGUAGES, FormResolver

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


def head_end(words: Sequence[str]) -> int:
    """How many words of a phrase reach to the end of its head: up to a preposition, or to the numbers at its end.

    >>> head_end(["bird", "of", "prey"]), head_end(["red", "wine"]), head_end(["state", "highway", "17"])
    (1, 2, 2)
    >>> head_end(["hepatitis", "b"]), head_end(["type", "2", "diabetes"]), head_end(["17"])
    (1, 3, 1)
    """
    end = next((place for place, word in enumerate(words) if place and word in PREPOSITIONS), len(words))
    while end > 1 and _is_numbering(words[end - 1]):
        end -= 1
    return end


def _is_numbering(word: str) -> bool:
    return len(word) == 1 or word in _NUMERALS or any(map(str.isdigit, word))


def compound_parts(word: str, ends: Container[str], beginnings: Container[str]) -> tuple[str, str] | None:
    """A word as a beginning and the longest end that a list has; None where it cannot be split.

    The beginning is a word too, or a combining form such as *astro*; before a long end it may be anything.

    Args:
        word: the word to split.
        ends: the words that it may end in.
        beginnings: the words that may stand before.

    >>> words = {"dynamics", "fish", "gold", "rice"}
    >>> compound_parts("astrodynamics", words, words), compound_parts("goldfish", words, words)
    (('astro', 'dynamics'), ('gold', 'fish'))
    >>> compound_parts("licorice", words, words)
    """
    for place in range(2, len(word) - _SHORTEST_END + 1):
        beginning, end = word[:place], word[place:]
        if end in ends and (
            len(end) >= _LONG_END
            or beginning in COMBINING_FORMS
            or (place >= _SHORTEST_BEGINNING and beginning in beginnings)
        ):
            return beginning, end
    return None
