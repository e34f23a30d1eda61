"""Heads of phrases and parts of compounds."""

from __future__ import annotations

import pytest

from hyperdive.text.term_names import compound_parts, head_end, is_acronym, normal_term, split_term


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("bird of prey", "bird"),
        ("red wine vinegar", "red wine vinegar"),
        ("vitamin b12", "vitamin"),
        ("hepatitis b", "hepatitis"),
        ("henry viii", "henry"),
        ("state highway 17", "state highway"),
        ("chromosome 9 b", "chromosome"),
        ("type 2 diabetes", "type 2 diabetes"),
        ("type 2 of it", "type"),
        ("of mice", "of mice"),
        ("7 9", "7"),
    ],
)
def test_the_head_ends_at_a_preposition_or_at_numbers(phrase: str, head: str) -> None:
    words = phrase.split()
    assert " ".join(words[: head_end(words)]) == head


WORDS = {"fish", "gold", "ale", "rice", "culture", "or", "history", "ship", "flag"}


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("goldfish", ("gold", "fish")),
        ("prehistory", ("pre", "history")),
        ("cohistory", ("co", "history")),
        ("arboriculture", ("arbori", "culture")),  # a long end may follow anything
        ("licorice", None),  # "lico" is no word
        ("goldale", None),  # an end of three letters is too short
        ("orfish", None),  # and so is a beginning of two
        ("fish", None),
        ("flagship", ("flag", "ship")),
    ],
)
def test_compounds_are_split_where_both_parts_are_known(word: str, parts: tuple[str, str] | None) -> None:
    assert compound_parts(word, WORDS, WORDS) == parts


BORDERS = {"ale", "fish", "cat", "history", "garden", "ox", "a", "eel"}


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("alefish", ("ale", "fish")),  # the shortest beginning and the shortest end
        ("oxfish", None),  # two letters are too few
        ("aleeel", None),  # and three for an end
        ("xyhistory", ("xy", "history")),  # seven letters are a long end
        ("xygarden", None),  # six are not
        ("xhistory", None),  # a beginning has two letters at least
        ("catgarden", ("cat", "garden")),
        ("fish", None),
        ("cofish", ("co", "fish")),
    ],
)
def test_parts_of_compounds_have_a_least_length(word: str, parts: tuple[str, str] | None) -> None:
    assert compound_parts(word, BORDERS, BORDERS) == parts


@pytest.mark.parametrize(
    ("phrase", "end"),
    [("dog 7", 1), ("7", 1), ("x y", 1), ("ab xy", 2), ("dog ii iii", 1), ("dog b2 cat", 3), ("of", 1), ("a of b", 1)],
)
def test_numbers_at_the_end_are_no_head(phrase: str, end: int) -> None:
    assert head_end(phrase.split()) == end


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dog's", ["dog"]), ("dogs'", ["dogs"]), ("o'neil", ["o", "neil"]), ("x-ray", ["x", "ray"]), ("'s", ["s"]),
        ("cafe\u0301 \u0301a", ["cafe\u0301", "a"]), ("co\u00adop", ["co\u00adop"]), ("AT&T", ["AT", "T"]), ("Ⅻ", ["Ⅻ"]),
        ("é' s", ["é", "s"]), ("é's", ["é"]), ("é'S", ["é"]), ("é's'", ["é"]), ("aé'", ["aé"]), ("", []), ("-", []),
    ],
)  # fmt: skip
def test_terms_are_split_as_text_is(text: str, words: list[str]) -> None:
    assert split_term(text) == words


@pytest.mark.parametrize(("text", "name"), [("AB", "AB"), ("A", "a"), ("Ab", "ab"), ("AB CD", "ab cd"), ("B12", "b12")])
def test_one_word_in_capitals_keeps_them(text: str, name: str) -> None:
    assert normal_term(text) == name and is_acronym(text) is (text == "AB")
