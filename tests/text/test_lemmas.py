"""Lemmas: what the dictionary says, without its cycles."""

from __future__ import annotations

from typing import Any

import pytest

from hyperdive.text.lemmas import FormResolver, lemma_of
from hyperdive.text.options import EncodeOptions


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


@pytest.mark.parametrize(
    ("form", "options", "key"),
    [
        ("wouldn", {}, ("wouldn", True)),  # its lemma, will, is no stop word
        ("wouldn", {"stopwords": "none"}, ("will", False)),
        ("having", {}, ("have", True)),
        ("popups", {}, ("popups", False)),  # its lemma, pop-up, would have been split
        ("popups", {"hyphens": "keep"}, ("pop-up", False)),
        ("log", {"stopwords": "none", "language": "de"}, ("lügen", False)),
        ("log", {"stopwords": "none", "language": "de", "alphabet": "ascii"}, ("log", False)),
    ],
)
def test_a_lemma_is_taken_where_it_is_as_good_as_its_form(
    form: str, options: dict[str, Any], key: tuple[str, bool]
) -> None:
    assert FormResolver(EncodeOptions(**options)).key(form) == key
