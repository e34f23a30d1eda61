"""The compiled matcher against its slow twin: items, noun phrases, lists, and every pattern."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.cli.demo import sentences as generated_sentences
from hyperdive.kernels import pattern_codes as k
from hyperdive.kernels.forms import hash_forms
from hyperdive.kernels.pattern_items import items, phrase_terms
from hyperdive.kernels.pattern_match import match
from hyperdive.kernels.pattern_phrases import (
    LIST,
    left,
    list_left,
    list_right,
    pair_brackets,
    right,
    subject,
    unwrap,
)
from hyperdive.options import EncodeOptions
from hyperdive.patterns import lexicon
from hyperdive.patterns.definitions import PATTERNS
from hyperdive.patterns.matcher import find_matches
from hyperdive.text.forms import FormTable
from hyperdive.text.readers import TextBlock
from hyperdive.text.sources import TextSource
from hyperdive.text.tokens import tokenise
from tests.examples import examples
from tests.patterns.test_definitions import MORE
from tests.patterns.twin import SIGNS, Item, Phrase, Reader, sentences_of, words_of

WORDS = (
    "dogs poodle animals animal cat cats red green large largest barking quickly walks run very such as including "
    "include especially mainly and or other similar like for example namely called known is was are were a the some "
    "many of kind kinds types breed in which who that he not one most considered term n examples there but however"
).split()
NUMBER, EG, NAME = Item(k.NUM), Item(k.FUNC, k.EG), Item(k.OTHER_WORD, flags=k.CAPITAL)


def word_item(word: str, capital: bool) -> Item:
    item_class, trigger, flags = lexicon.of_form(word)
    return Item(item_class, trigger, flags | (k.CAPITAL if capital else 0), 1 + WORDS.index(word))


words = st.builds(word_item, st.sampled_from(WORDS), st.integers(0, 5).map(lambda n: n == 0))
signs = st.sampled_from([Item(item_class) for item_class in SIGNS.values()] + [Item(k.DASH), Item(k.SIGN)])
any_item = words | words | words | signs | st.sampled_from([NUMBER, EG, NAME])
noun = st.sampled_from(["dogs", "poodle", "animals", "cat", "kinds", "types", "breed"]).map(
    lambda w: word_item(w, False)
)
sequence = st.lists(any_item, max_size=30) | st.lists(noun | any_item, max_size=40)


def arrays(*sentences: list[Item]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Classes, triggers, flags and borders as the kernels take them."""
    rows = [item for sentence in sentences for item in sentence] + [Item(k.END)]
    columns = [np.array([item[i] for item in rows], dtype=np.uint8) for i in range(3)]
    borders = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    return columns[0], columns[1], columns[2], borders


def matches_of_twin(*sentences: list[Item]) -> list[tuple[int, ...]]:
    rows, begin = [], 0
    for number, sentence in enumerate(sentences):
        for x, y, pattern in Reader(sentence).statements():
            rows.append((x[0] + begin, x[1] + begin, y[0] + begin, y[1] + begin, pattern, number))
        begin += len(sentence)
    return rows


def phrase(first: int, end: int) -> Phrase | None:
    return (int(first), int(end)) if first < end else None


# ---- generated items ----------------------------------------------------------------------------------------


@examples(300)
@given(sequence)
def test_noun_phrases_and_lists(sentence: list[Item]) -> None:
    classes, triggers, flags, borders = arrays(sentence)
    reader, end = Reader(sentence), int(borders[1])
    partner = np.full(len(classes) + 1, -1, dtype=np.int32)
    pair_brackets(classes, 0, end, partner, np.empty(16, dtype=np.int32))
    assert {i: int(other) for i, other in enumerate(partner) if other >= 0} == reader.partner
    listed = np.empty((LIST, 2), dtype=np.int32)
    for i in range(end):
        first, past, after = right(classes, triggers, flags, i, end)
        assert (phrase(first, past), after) == reader.right(i)
        if first < past:
            first, past, after, unwrapped = unwrap(classes, triggers, flags, first, past, after, end)
            inner = reader.right(i)[0]
            assert inner is not None
            assert ((first, past), after, unwrapped) == reader.unwrap(inner, reader.right(i)[1])
        assert phrase(*left(classes, triggers, flags, i, 0)) == reader.left(i)
        count = list_right(classes, triggers, flags, partner, i, end, listed)
        assert [tuple(row) for row in listed[:count].tolist()] == reader.list_right(i)
        count = list_left(classes, triggers, flags, partner, i, 0, listed)
        assert [tuple(row) for row in listed[:count].tolist()] == reader.list_left(i)
        first, past, opening = subject(classes, triggers, flags, partner, i, 0)
        expected = reader.subject(i)
        assert phrase(first, past) == (expected and expected[0])
        assert expected is None or opening == expected[1]


@examples(1000)
@given(st.lists(sequence, min_size=1, max_size=3))
def test_statements_in_any_sequence_of_items(sentences: list[list[Item]]) -> None:
    assert [tuple(row) for row in match(*arrays(*sentences)).tolist()] == matches_of_twin(*sentences)


def test_many_matches_make_the_table_grow() -> None:
    sentence = [word_item(word, False) for word in "cats are animals".split()]
    rows = match(*arrays(*[sentence] * 3000))
    assert len(rows) == 3000
    assert rows.tolist() == [[3 * i, 3 * i + 1, 3 * i + 2, 3 * i + 3, k.ARE, i] for i in range(3000)]


# ---- templates: every pattern is met often ------------------------------------------------------------------

TEMPLATES = (
    "{ys} such as {list}", "{ys} , such as {list}", "such {ys} as {list}", "{ys} , including {list}",
    "they saw {ys} , especially {list}", "{list} and other {ys}", "{list} or many similar {ys}", "they saw {ys} like {list}",
    "{ys} ( e.g. {list} )", "{ys} , for example {list} ,", "a {y} called {x}", "{ys} known as {x}", "the {x} is a {y}",
    "{x} ( large ) was the {y}", "a {x} is a kind of {y}", "{x} is one of the most red {ys}", "{list} are {ys}",
    "{ys} are considered {ys}", "{x} is the largest {y}", "the most red {ys} are {list}", "{x} , which is a {y}",
    "{x} , a {y} , run", "{x} ( a {y} )", "{x} , a breed of {y}", "types of {y} : {list}", "types of {y} include {list}",
    "examples of {ys} are {list}", "{ys} include {list}", "{x} , n . one of a breed of {ys}", "{x} : a kind of {y}",
    "{x} – the {y}", "{ys} ( {list} )", "{ys} ( {list} , 12 mg )", "the {x} , called {y} , is a {y}", "in {x} , a {y} run",
)  # fmt: skip
ADJECTIVES = st.lists(st.sampled_from("red large green barking the some very Red 12".split()), max_size=3)
NOUNS = st.sampled_from("dogs poodle animals cat cats kinds Fido walks breed term".split())
noun_phrase = st.builds(lambda before, head, of: " ".join([*before, head, *of]), ADJECTIVES, NOUNS,
                        st.sampled_from([[], [], [], ["of", "cats"], ["(", "red", ")"]]))  # fmt: skip
noun_list = st.builds(lambda phrases, join: " , ".join(phrases[:-1]) + (join if phrases[1:] else " ") + phrases[-1],
                      st.lists(noun_phrase, min_size=1, max_size=4), st.sampled_from([" and ", " , and ", " or ", " , "]))  # fmt: skip
sentence_text = st.builds(lambda template, x, y, ys, listed, tail: template.format(x=x, y=y, ys=ys, list=listed) + tail,
                          st.sampled_from(TEMPLATES), noun_phrase, noun_phrase, noun_phrase, noun_list,
                          st.sampled_from([" .", " run .", " in the cat .", ""]))  # fmt: skip


def block_of(*lines: str) -> TextBlock:
    data = [f"{line}\n".encode() for line in lines]
    ends = np.cumsum([len(line) for line in data]).astype(np.int64)
    whole = np.zeros(len(ends), dtype=np.bool_)
    return TextBlock(np.frombuffer(b"".join(data), dtype=np.uint8), ends, whole, whole, TextSource("text"), 0, 0)


def check(*lines: str) -> set[int]:
    """Compare items and matches of a text with the twin's; returns the patterns that matched."""
    block = block_of(*lines)
    tokens = tokenise(block, EncodeOptions(), spans=True)
    sentences = sentences_of(block.data, tokens)
    tables = lexicon.classify(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
    columns = items(block.data, tokens.span_starts, tokens.span_ends, tokens.span_kinds, tokens.forms, tokens.sent_starts,
                    *tables)  # fmt: skip
    assert list(zip(*(column[:-1].tolist() for column in columns[:6]), strict=True)) == [
        tuple(item) for sentence in sentences for item in sentence
    ]
    assert columns[6].tolist() == np.cumsum([0, *map(len, sentences)]).tolist()
    expected = []
    for number, sentence in enumerate(sentences):
        origin = int(tokens.sent_starts[number])
        for x, y, pattern in Reader(sentence).statements():
            sides = [words_of(side, sentence) for side in (x, y)]
            if all(sides):
                spans = [(sentence[side[1] - len(forms)].start - origin, sentence[side[1] - 1].start - origin,
                          sentence[side[1] - 1].end - origin) for side, forms in zip((x, y), sides, strict=True)]  # fmt: skip
                expected.append((*sides, pattern, number, *spans))
    rows = find_matches(block.data, tokens)
    assert [
        ([f for f in x if f], [f for f in y if f], pattern, number, tuple(x_span), tuple(y_span))
        for x, y, pattern, number, x_span, y_span in zip(*(column.tolist() for column in rows), strict=True)
    ] == expected
    return {row[2] for row in expected}


@examples(800)
@given(st.lists(sentence_text, min_size=1, max_size=3))
def test_statements_in_sentences_that_follow_the_patterns(lines: list[str]) -> None:
    check(*lines)


@examples(300)
@given(st.text(max_size=100) | st.lists(st.sampled_from(
    [*WORDS, *',;:().?–-"', "e.g.", "I.E.", "12", "n.", "dog's", "student-run", "Fish-", "naïve", "“cats”", "É", "U.S."]
), max_size=40).map(" ".join))  # fmt: skip
def test_any_text(text: str) -> None:
    check(text.encode("utf-8", "replace").decode())


@pytest.mark.parametrize("pattern", PATTERNS, ids=[pattern.name for pattern in PATTERNS])
def test_sentences_of_the_definitions(pattern: object) -> None:
    assert isinstance(pattern, type(PATTERNS[0]))
    matched = check(pattern.gold)
    assert pattern.number in matched or pattern.number == k.HEAD_P
    check(pattern.trap)
    check(pattern.gold, pattern.trap, pattern.gold.upper())


def test_sentences_of_other_tests_and_of_the_generated_text() -> None:
    check(*(text for text, *_ in MORE))
    matched = check(*generated_sentences(600))
    assert {k.IS_A, k.SUCH_AS, k.AND_OTHER} <= matched


def spelled_terms(phrases: list[list[int]], keys: list[int], words: list[str]) -> tuple[list[str], list[bool]]:
    """What `phrase_terms` gives: terms as strings, and which heads are usable; `words` are those of keys 1, 2, …"""
    table = FormTable()
    assert table.add(words).tolist() == list(range(1, len(words) + 1))
    arena, starts, lengths, _ = table.arrays()
    given = np.array(phrases, dtype=np.uint32).reshape(len(phrases), -1)
    data, term_starts, term_lengths, hashes, usable = phrase_terms(
        given, np.array(keys, dtype=np.uint32), arena, starts, lengths
    )
    assert hash_forms(data, term_starts, term_lengths).tolist() == hashes.tolist()
    assert len(data) == int(term_lengths.sum())
    spans = zip(term_starts.tolist(), (term_starts + term_lengths).tolist(), strict=True)
    return [bytes(data[start:end]).decode() for start, end in spans], usable.tolist()


def test_terms_are_keys_joined_by_blanks_and_heads_are_the_last() -> None:
    words = ["large", "dog", "école", "é", "x|n", "dog|n"]
    # forms 1 to 6 of the block have the keys of `words`, form 7 has none, form 8 is another form of "dog"
    terms, usable = spelled_terms(
        [[0, 1, 2], [0, 0, 8], [1, 7, 2], [7, 3, 4], [1, 2, 7], [0, 0, 5], [0, 0, 6]],
        [0, 1, 2, 3, 4, 5, 6, 0, 2],
        words,
    )
    assert terms[0::2] == ["large dog", "dog", "large dog", "école é", "large dog", "x|n", "dog|n"]
    assert terms[1::2] == ["dog", "dog", "dog", "é", "", "x|n", "dog|n"]
    assert usable == [True, True, True, False, False, False, True]


@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), max_size=9))
def test_terms_agree_with_strings(phrases: list[list[int]]) -> None:
    words, keys = ["a", "bc", "dé", "f|n", "gh|v"], [0, 1, 2, 3, 4, 5, 0]
    spelled = [[words[keys[form] - 1] if keys[form] else "" for form in phrase] for phrase in phrases]
    expected = [term for phrase in spelled for term in (" ".join(filter(None, phrase)), phrase[-1])]
    terms, usable = spelled_terms(phrases or [[0, 0, 0]], keys, words)
    assert terms == (expected or ["", ""])
    assert usable == [len(phrase[-1].split("|")[0]) > 1 for phrase in spelled or [["", "", ""]]]
