"""Files of terms as they come: every bad one gets one clear line, every odd one a sensible taxonomy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.ask.small import small_model

Run = Callable[..., Any]


@pytest.fixture
def ask(hyperdive: Run, tmp_path: Path) -> Callable[..., Any]:
    """Build a taxonomy of the terms in a file with this content."""
    small_model().save(tmp_path / "model")

    def run(content: bytes | str) -> Any:
        file = tmp_path / "terms.txt"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return hyperdive(
            "taxonomy", "-m", tmp_path / "model", "--set", "score=CDE", "--no-heads", "--json", "--terms", file
        )

    return run


NUMBERED = "".join(f"term {number}\n" for number in range(20_000)).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no terms in it"),
        (b"\n \n\t\n# a remark\n", "no terms in it"),
        (b'""\n" "\n', "no terms in it"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not UTF-8"),
        (b"dog\n\0\0\0\n", "not a text file"),
        (b"dog\ncaf\xe9\n", "line 2 is not UTF-8 text"),
        ("dog " * 51, "too long for a term"),
        ("d" * 5_000_000, "too long for a term"),
    ],
)
def test_bad_files_are_one_clear_line(ask: Callable[..., Any], content: bytes | str, message: str) -> None:
    ran = ask(content)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("hyperdive: ")
    assert message in ran.err
    assert "terms.txt" in ran.err
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 300


def test_a_million_lines_are_refused_without_reading_them_all(ask: Callable[..., Any]) -> None:
    ran = ask(NUMBERED * 250 + b"\xff\xfe not even text")
    assert ran.code == 1
    assert "terms.txt: more than 10000 terms (split the file by subject)" in ran.err
    ran = ask(b"dog\n" * 1_200_000 + b"\xff\xfe not even text")
    assert ran.code == 1
    assert "terms.txt: more than 1000000 lines (remove the repeated ones)" in ran.err


def test_repeated_terms_are_told_and_taken_once(ask: Callable[..., Any]) -> None:
    ran = ask("dog\nDog\n dog \nanimal\ndogs\n" * 3)
    assert ran.code == 0
    found = json.loads(ran.out)
    assert found["terms"] == ["animal", "dog"]
    assert found["synonyms"] == {"dog": ["Dog", "dogs"]}
    assert [(edge["child"], edge["parent"]) for edge in found["edges"]] == [("dog", "animal")]
    assert "12 of 15 terms repeat an earlier one" in ran.err


def test_only_stop_words_are_kept_and_not_placed(ask: Callable[..., Any]) -> None:
    ran = ask("the\nof\nand\n")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert found["unplaced"] == found["terms"] == ["and", "of", "the"]
    assert found["edges"] == []
    assert "3 terms are not in this model" in ran.err


def test_a_term_of_fifty_words_is_a_term(ask: Callable[..., Any]) -> None:
    long = " ".join(["very"] * 49 + ["poodle"])
    ran = ask(f"{long}\npoodle\ndog\n")
    assert ran.code == 0
    edges = {(edge["child"], edge["parent"]): edge["reason"] for edge in json.loads(ran.out)["edges"]}
    assert edges == {(long, "poodle"): "head", ("poodle", "dog"): "model"}


def test_tabs_quotes_and_line_ends(ask: Callable[..., Any]) -> None:
    ran = ask('\ufeff"dog"\t7\t"x"\r\n\tAnimal\r\n"the ""big"" dog"\r\n\'cat\'\r\n<b>law</b>\r\n')
    assert ran.code == 0
    found = json.loads(ran.out)
    assert found["terms"] == ["'cat'", "<b>law</b>", "Animal", "dog", 'the "big" dog']
    edges = {(edge["child"], edge["parent"]) for edge in found["edges"]}
    assert edges == {("dog", "Animal"), ("'cat'", "Animal"), ('the "big" dog', "dog")}
    assert found["unplaced"] == ["<b>law</b>"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no term in it"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not UTF-8 text"),
        (b"dog\n\0\0\0\n", "NUL bytes"),
        (b"the\nof\n", "no term in it"),
        (b"word " * 50, "no term in it"),
        (b"d" * 5_000_000, "line 1 is too long"),
        (NUMBERED * 250 + b"\xff\xfe not even text", "more than 1,000,000 lines"),
    ],
    ids=["empty", "picture", "nul", "stop words", "fifty words", "one line", "five million lines"],
)
@pytest.mark.parametrize("verb", ["encode", "train"])
def test_bad_lists_stop_before_the_text_is_read(
    hyperdive: Run, tmp_path: Path, verb: str, content: bytes, message: str
) -> None:
    file, text = tmp_path / "terms.txt", tmp_path / "text.txt"
    file.write_bytes(content)
    text.write_text("They keep dogs such as poodles.\n")
    ran = hyperdive(verb, text, "-o", tmp_path / "out", "--terms", file)
    assert ran.code == 1 and ran.err.startswith("hyperdive: ") and ran.err.count("\n") == 1
    assert message in ran.err and "terms.txt" in ran.err
    assert not (tmp_path / "out").exists()


def test_odd_lines_of_a_list_are_told_and_left_out(hyperdive: Run, tmp_path: Path) -> None:
    file, text = tmp_path / "terms.txt", tmp_path / "text.txt"
    file.write_text('"guide dog"\t7\nGuide dogs\nof the\n' + "word " * 50 + "\n!!!\n'hot dog'\r\n")
    text.write_text("A guide dog helps. Hot dogs are eaten.\n" * 3)
    ran = hyperdive("encode", text, "-o", tmp_path / "out", "--terms", file, "--min-count", 1)
    assert ran.code == 0 and "2 of your list, 0 of them absent" in ran.out
    for told in ("1 without a word", "1 longer than 16 words", "1 only stop words", "1 given twice"):
        assert told in ran.err
