"""The lexicon: words that the text uses as nouns are nouns."""

from __future__ import annotations

from importlib.resources import files

import pytest

from hyperdive.kernels import pattern_codes as k
from hyperdive.patterns.lexicon import of_form


@pytest.mark.parametrize("word", ["carp", "sulfate", "citrate", "drum", "dumpling", "cymbal", "crayfish", "hops"])
def test_words_that_a_tagger_took_for_verbs_or_adjectives_are_nouns(word: str) -> None:
    assert of_form(word)[0] == k.NOUN


@pytest.mark.parametrize(
    ("word", "word_class"), [("walk", k.VERB), ("large", k.ADJ), ("written", k.PART), ("running", k.PART)]
)
def test_other_words_keep_their_class(word: str, word_class: int) -> None:
    assert of_form(word)[0] == word_class


def test_no_word_is_listed_in_two_classes() -> None:
    lines = files("hyperdive.patterns").joinpath("lexicon.txt").read_text(encoding="ascii").splitlines()
    words = [word for line in lines if not line.startswith("#") for word in line.partition(":")[2].split()]
    assert len(words) == len(set(words))
