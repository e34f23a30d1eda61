"""Heads of phrases and parts of compounds."""

from __future__ import annotations

import pytest

from hyperdive.text.term_names import compound_parts, head_end


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
