"""Lemmas: what the dictionary says, without its cycles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hyperdive.errors import OptionError
from hyperdive.options import EncodeOptions
from hyperdive.text.lemmas import FormResolver, dictionary, lemma_of


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


@pytest.mark.parametrize(
    ("form", "options", "key"),
    [
        ("b12", {}, ("b12", False)), ("12", {"stopwords": "none"}, ("12", False)), ("Ⅻ", {}, ("ⅻ", False)),
        ("The", {}, ("the", True)), ("dogs|n", {}, ("dog|n", False)), ("the|d", {}, ("the|d", True)),
        ("o'neils", {"hyphens": "keep"}, ("o'neils", False)), ("zyxes", {"lemmas": "none"}, ("zyxes", False)),
        ("paris", {}, ("paris", False)), ("berlins", {}, ("berlin", False)), ("co\u00adworkers", {}, ("coworker", False)),
    ],
)  # fmt: skip
def test_keys_of_numerals_names_and_tags(form: str, options: dict[str, Any], key: tuple[str, bool]) -> None:
    assert FormResolver(EncodeOptions(**options)).key(form) == key


def test_whether_a_form_is_a_stop_word_is_told_every_time() -> None:
    resolver = FormResolver(EncodeOptions())
    resolver.add(["the", "b12", "dog"])
    resolver.add(["dogs", "THE", "a", "7"])
    resolver.add([])
    stops = resolver.are_stops(np.arange(8, dtype=np.uint32))
    assert stops.tolist() == [False, True, False, False, False, True, True, False]
    keys = resolver.keys()
    assert (list(keys.words), keys.stop.tolist()) == (["", "the", "b12", "dog", "a", "7"], [
        False, True, False, False, True, False,
    ])  # fmt: skip
    assert keys.of_form.tolist() == [0, 1, 2, 3, 3, 1, 4, 5]


def test_keys_of_a_part_are_taken_in() -> None:
    whole, part = FormResolver(EncodeOptions()), FormResolver(EncodeOptions())
    whole.add(["dogs", "the"])
    part.add(["the", "cats", "dog", "cat", "AND"])
    # the first form is known already
    assert whole.add_state(part.state(), np.array([2, 3, 4, 5])).tolist() == [0, 2, 3, 1, 3, 4]
    keys = whole.keys()
    assert list(keys.words) == ["", "dog", "the", "cat", "and"]
    assert keys.stop.tolist() == [False, False, True, False, True]
    assert keys.of_form.tolist() == [0, 1, 2, 3, 1, 3, 4]
    block = whole.block_keys(np.array([1, 2, 6], dtype=np.uint32))
    assert block.of_form.tolist() == [0, 1, 2, 4] and block.table.words(0) == ["dog", "the", "cat", "and"]


def test_stop_words_need_a_language_that_has_them() -> None:
    assert FormResolver(EncodeOptions(language="de", stopwords="none")).language == "de"
    assert FormResolver(EncodeOptions(stopwords="none")).key("the") == ("the", False)
    with pytest.raises(OptionError, match="no stop words for language 'de'"):
        FormResolver(EncodeOptions(language="de"))
    assert not dictionary("xx")("dog") and dictionary("en")("dog")
