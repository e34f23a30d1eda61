"""The compiled tokeniser against a slow twin written from its description."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.kernels import forms as kernels
from hyperdive.kernels import tokens as k
from hyperdive.options import EncodeOptions
from hyperdive.text.characters import ABBREVIATIONS, abbreviation_hashes, hash_forms
from hyperdive.text.forms import FormTable
from hyperdive.text.growing_array import GrowingArray
from hyperdive.text.readers import TextBlock
from hyperdive.text.sources import TextSource
from hyperdive.text.tokens import Tokens, tokenise
from tests.examples import examples


def block_of(*documents: str) -> TextBlock:
    data = [document.encode("utf-8") for document in documents]
    ends = np.cumsum([len(d) for d in data]).astype(np.int64)
    joined = np.frombuffer(b"".join(data), dtype=np.uint8)
    whole = np.zeros(len(ends), dtype=np.bool_)
    return TextBlock(joined, ends, whole, whole, TextSource("test"), 0, 0)


def words_of(tokens: Tokens) -> list[str]:
    table = FormTable()
    numbers = table.merge(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
    names = table.words(0)
    return [names[numbers[form - 1] - 1] for form in tokens.forms]


def split(text: str, **options: Any) -> list[str]:
    return words_of(tokenise(block_of(text), EncodeOptions.preset("default", **options)))


def sentences(text: str) -> list[str]:
    tokens = tokenise(block_of(text), EncodeOptions())
    raw = text.encode()
    return [raw[a:b].decode() for a, b in zip(tokens.sent_starts, tokens.sent_ends, strict=True)]


# ---- the slow twin ------------------------------------------------------------------------------------------


def _is_letter(c: str) -> bool:
    return unicodedata.category(c)[0] == "L"


def _is_mark(c: str) -> bool:
    return unicodedata.category(c) in ("Mn", "Mc") or c in "\u00ad\u200c\u200d"


def _is_digit(c: str) -> bool:
    return unicodedata.category(c)[0] == "N"


def _lower_ascii(text: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in text)


def twin(text: str, hyphens: str, ascii_only: bool) -> tuple[list[str], dict[str, int]]:
    """Forms and reasons, one character at a time."""
    forms: list[str] = []
    why = dict.fromkeys(("read", "number", "joined", "abbreviation", "not_in_alphabet", "clitic"), 0)
    i, n = 0, len(text)
    after_apostrophe = False
    while i < n:
        c = text[i]
        if not (_is_letter(c) or _is_digit(c)):
            after_apostrophe = False
            i += 1
            continue
        word, dot, joint, piece, ended = "", False, False, 0, False
        while i < n:
            c = text[i]
            following = text[i + 1] if i + 1 < n else " "
            word_follows = _is_letter(following) or _is_digit(following)
            if _is_letter(c) or _is_digit(c) or _is_mark(c):
                word += c
                piece += not _is_mark(c)
            elif c in "-\u2010\u2011'\u2019\u02bc\uff07" and word_follows:
                if hyphens == "split":
                    ended = c not in "-\u2010\u2011"
                    i += 1
                    break
                joint = True
                word += "-" if c in "-\u2010\u2011" else "'"
                piece += 1
            elif c == "." and _is_letter(following) and piece == 1 and not any(map(_is_digit, word)):
                dot, piece = True, 0
            else:
                break
            i += 1
        why["read"] += 1
        low = _lower_ascii(word)
        single_t = (
            ended
            and text[i : i + 1] in ("t", "T")
            and not (i + 1 < n and (_is_letter(text[i + 1]) or _is_digit(text[i + 1]) or _is_mark(text[i + 1])))
        )
        if dot:
            why["abbreviation"] += 1
        elif any(map(_is_digit, word)):
            why["number"] += 1
        elif joint and hyphens == "drop":
            why["joined"] += 1
        elif ascii_only and not word.isascii():
            why["not_in_alphabet"] += 1
        elif single_t:
            why["clitic"] += 1
            i += 1
            ended = False
        elif after_apostrophe and low in ("s", "d", "m", "ll", "re", "ve"):
            why["clitic"] += 1
        else:
            forms.append(low)
        after_apostrophe = ended
    return forms, why


TRICKY = st.text(alphabet="abtsdTSBé\u0301ß日ⅫⅩ١07-\u2010'\u2019.,!? \t\n\"()_\u00adÉñ🙂\x00", max_size=60)


@examples(400)
@given(TRICKY, st.sampled_from(["drop", "split", "keep"]), st.booleans())
def test_tokeniser_agrees_with_its_slow_twin(text: str, hyphens: str, ascii_only: bool) -> None:
    options = EncodeOptions.preset("default", hyphens=hyphens, alphabet="ascii" if ascii_only else "unicode")
    tokens = tokenise(block_of(text), options)
    forms, why = twin(text, hyphens, ascii_only)
    assert words_of(tokens) == forms
    assert int(tokens.counters[k.READ]) == why["read"]
    for name, index in (("number", k.NUMBER), ("joined", k.JOINED), ("abbreviation", k.ABBREVIATION),
                        ("not_in_alphabet", k.NOT_IN_ALPHABET), ("clitic", k.CLITIC)):  # fmt: skip
        assert int(tokens.counters[index]) == why[name], name


@examples(300)
@given(st.lists(TRICKY, min_size=1, max_size=4), st.booleans())
def test_sentences_and_spans_lie_inside_their_documents(documents: list[str], spans: bool) -> None:
    block = block_of(*documents)
    tokens = tokenise(block, EncodeOptions(), spans=spans)
    starts, ends = tokens.sent_starts, tokens.sent_ends
    assert np.all(starts < ends)
    assert np.all(ends[:-1] <= starts[1:])
    assert np.all(np.diff(tokens.sent_tokens) >= 0)
    assert len(tokens.doc_tokens) == len(tokens.doc_sentences) <= len(documents)
    block.data.tobytes().decode("utf-8")
    for start, end in zip(starts, ends, strict=True):
        block.data[start:end].tobytes().decode("utf-8")  # never cuts a character
    if spans:
        words = tokens.span_kinds == k.WORD
        assert int(words.sum()) == int(np.count_nonzero(tokens.forms))


@examples(200)
@given(st.binary(max_size=80))
def test_any_bytes_are_read_and_invalid_ones_counted(data: bytes) -> None:
    if not data:
        return
    ends = np.array([len(data)], dtype=np.int64)
    whole = np.zeros(1, dtype=np.bool_)
    block = TextBlock(np.frombuffer(data, dtype=np.uint8), ends, whole, whole, TextSource("t"), 0, 0)
    tokens = tokenise(block, EncodeOptions())
    try:
        data.decode("utf-8")
        valid = True
    except UnicodeDecodeError as error:
        valid = False
        assert int(tokens.counters[k.FIRST_INVALID]) == error.start
    assert (int(tokens.counters[k.INVALID]) == 0) == valid
    words_of(tokens)  # every form is valid UTF-8


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("The dog-house isn't the dog's.", {"hyphens": "drop"}, ["the", "the"]),
        ("The dog-house isn't the dog's.", {"hyphens": "split"}, ["the", "dog", "house", "the", "dog"]),
        ("The dog-house isn't the dog’s.", {"hyphens": "keep"}, ["the", "dog-house", "isn't", "the", "dog's"]),
        ("U.S. and e.g. J.R.R. Tolkien", {}, ["and", "tolkien"]),
        ("end.Next", {}, ["end", "next"]),
        ("B12 and 3.14 and 1,000", {}, ["and", "and"]),
        ("Café naïve", {"alphabet": "ascii"}, []),
        ("Café naïve", {}, ["café", "naïve"]),
        ("snake_case", {}, ["snake", "case"]),
        ("-leading trailing- 'quoted'", {}, ["leading", "trailing", "quoted"]),
        ("cafe\u0301 日本語 привет", {}, ["cafe\u0301", "日本語", "привет"]),
        ("we'll they've I'd he's", {}, ["we", "they", "i", "he"]),
    ],
)
def test_words(text: str, options: dict[str, Any], expected: list[str]) -> None:
    assert split(text, **options) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two here! Three? Four.", ["One here.", "Two here!", "Three?", "Four."]),
        ("Dr. Smith met J. Doe. They left.", ["Dr. Smith met J. Doe.", "They left."]),
        ("It was 3.14 in the U.S. army. Done.", ["It was 3.14 in the U.S. army.", "Done."]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ('It ended. "New," she said.', ["It ended.", '"New," she said.']),
        ("a line\n\nanother one", ["a line", "another one"]),
        ("see e.g. the list. ok then", ["see e.g. the list. ok then"]),
        ("これは。それは。", ["これは。", "それは。"]),
        ("In 1990. 2000 came.", ["In 1990.", "2000 came."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_document_without_words_is_not_a_document() -> None:
    tokens = tokenise(block_of("one\n", "--- ***\n", "\n", "two\n"), EncodeOptions())
    assert tokens.doc_tokens.tolist() == [0, 1]
    assert len(tokens.sent_starts) == 2


def test_a_table_of_forms_grows() -> None:
    table = FormTable()
    words = [f"w{i}" for i in range(200_000)]
    assert table.add(words).tolist() == list(range(1, 200_001))
    assert table.add(words[::-1]).tolist() == list(range(200_000, 0, -1))
    assert table.words(199_998) == words[199_998:]
    assert table.word(7) == "w6"


@examples(100)
@given(st.lists(st.integers(0, 4), max_size=60), st.sets(st.integers(0, 4)), st.data())
def test_kept_tokens_agree_with_a_loop(keys: list[int], kept: set[int], data: st.DataObject) -> None:
    starts = sorted(data.draw(st.lists(st.integers(0, len(keys)), max_size=5)))
    keep = np.array([key in kept for key in range(5)])
    found, places = kernels.kept_tokens(np.array(keys, dtype=np.uint32), keep, np.array(starts, dtype=np.int64))
    assert found.tolist() == [key for key in keys if key in kept]
    assert places.tolist() == [sum(key in kept for key in keys[:start]) for start in starts]


@examples(100)
@given(st.lists(st.lists(st.integers(1, 5), max_size=6), min_size=1, max_size=6), st.integers(1, 9))
def test_document_frequency_agrees_with_sets(documents: list[list[int]], chunk: int) -> None:
    ids = np.array([i for document in documents for i in document], dtype=np.uint32)
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    frequency, last = np.zeros(6, dtype=np.int64), np.full(6, -1, dtype=np.int64)
    for start in range(0, len(ids), chunk):
        kernels.document_frequency(ids[start : start + chunk], start, offsets, last, frequency)
    assert frequency.tolist() == [sum(i in d for d in documents) for i in range(6)]


def test_the_hashes_of_abbreviations_are_those_of_the_words() -> None:
    table = set(abbreviation_hashes().tolist())
    for word in ABBREVIATIONS:
        arena = np.frombuffer(bytearray(word.encode()), dtype=np.uint8)
        one = hash_forms(arena, np.array([0]), np.array([len(word)], dtype=np.int32))
        assert int(one[0]) in table, word


@pytest.mark.parametrize("size", [0, 1, 2])
def test_an_array_that_grows_has_all_its_values(tmp_path: Path, size: int) -> None:
    grown = GrowingArray(tmp_path / "values.bin", "int64")
    grown.append(np.arange(5, 5 + size))
    assert grown.close().tolist() == list(range(5, 5 + size))


# ---- borders ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "kept"), [(199, True), (200, True), (201, False)])
def test_a_word_has_at_most_200_bytes(size: int, kept: bool) -> None:
    tokens = tokenise(block_of("dog " + "x" * size + " cat"), EncodeOptions())
    assert len(words_of(tokens)) == 2 + kept
    assert int(tokens.counters[k.TOO_LONG]) == 1 - kept


@pytest.mark.parametrize("code", [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF])
def test_the_first_and_last_characters_of_each_length_are_valid(code: int) -> None:
    tokens = tokenise(block_of(f"dog {chr(code)} cat"), EncodeOptions())
    assert int(tokens.counters[k.INVALID]) == 0 and words_of(tokens)[0] == "dog"


@pytest.mark.parametrize(
    "wrong", [b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80"]
)
def test_what_lies_just_outside_is_not(wrong: bytes) -> None:
    block = block_of("x")
    data = np.frombuffer(b"dog " + wrong, dtype=np.uint8)
    block = TextBlock(data, np.array([len(data)]), block.continued, block.unfinished, block.source, 0, 0)
    tokens = tokenise(block, EncodeOptions())
    assert (int(tokens.counters[k.INVALID]), int(tokens.counters[k.FIRST_INVALID])) == (len(wrong), 4)


def test_spans_and_items_are_made_where_they_are_wanted() -> None:
    block = block_of("A red dog. Two cats!")
    plain = tokenise(block, EncodeOptions(terms="none"))
    assert (len(plain.span_starts), plain.items, plain.observation) == (0, None, None)
    with_terms = tokenise(block, EncodeOptions())
    assert with_terms.items is not None and len(with_terms.items.items) > 4
    spans = tokenise(block, EncodeOptions(), spans=True)
    assert spans.items is None and spans.span_starts.tolist()[:4] == [0, 2, 6, 9]
    seen = tokenise(block, EncodeOptions(terms="none"), examine=lambda data, tokens: len(tokens.span_starts))
    assert (seen.observation, seen.items) == (len(spans.span_starts), None)
    for tokens in (with_terms, seen):
        assert len(tokens.span_starts) == len(tokens.span_ends) == len(tokens.span_kinds) == 0
    assert words_of(plain) == words_of(with_terms) == words_of(spans) == words_of(seen)
