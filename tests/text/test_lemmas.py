"""Lemmas: what the dictionary says, without its cycles."""

from __future__ import annotations

import pytest

from hyperdive.text.lemmas import lemma_of


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("bacterium", "bacteria"),
        ("bifidobacterium", "bifidobacteria"),
        ("cyanobacterium", "cyanobacteria"),
        ("mycobacterium", "mycobacteria"),
        ("erasure", "erasures"),
        ("sequester", "sequesters"),
    ],
)
def test_the_lemma_of_both_forms_is_the_singular(singular: str, plural: str) -> None:
    assert lemma_of("en")(singular) == lemma_of("en")(plural) == singular


def test_no_word_of_the_dictionary_is_in_a_cycle() -> None:
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    lemma = lemma_of("en")
    entries = DefaultDictionaryFactory().get_dictionary("en")
    for entry in entries:
        word = entry.decode() if isinstance(entry, bytes) else entry
        base = lemma(word)
        assert base == word or lemma(base) != word, word
