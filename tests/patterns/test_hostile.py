"""Odd and hostile text: bounded work on every sentence, the same result however the text is cut, twins of the kernels."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive import encode
from hyperdive.kernels import pattern_codes as k
from hyperdive.options import EncodeOptions
from hyperdive.patterns import lexicon
from hyperdive.patterns.matcher import find_matches
from hyperdive.patterns.store import patterns_of
from hyperdive.text.readers import TextBlock
from hyperdive.text.sources import TextSource
from hyperdive.text.tokens import tokenise
from tests.examples import examples

WORDS = (
    "dogs poodle such as including especially and or other like for example e.g. called known is are a the of kind "
    'types include which who , ; : ( ) . ? – - " n. 12 quickly barking red animals Fish one most not IS A'
).split()


def found(text: str) -> int:
    """How many matches a text has."""
    data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    no = np.zeros(1, dtype=np.bool_)
    source = TextSource("text", "text")
    block = TextBlock(data, np.array([len(data)], dtype=np.int64), no, no, source, 0, 0)
    return len(find_matches(data, tokenise(block, EncodeOptions(), spans=True)).pattern)


@examples(300)
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_row_of_triggers(words: list[str]) -> None:
    assert found(" ".join(words) + "\n") >= 0


@examples(200)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    assert found(text.encode("utf-8", "replace").decode() + "\n") >= 0


HOSTILE = {
    "such as": "dogs such as ",
    "and other": "cats and other ",
    "list": "cats, ",
    "brackets": "( ",
    "closed brackets": "(cat) ",
    "lists in brackets": "dogs (rats, mice) ",
    "the most": "the most common dogs are ",
    "is a": "cat is a ",
    "of": "kind of ",
    "adjectives": "red ",
    "which is": "cat, which is a ",
    "commas": ", ",
    "hyphens": "a-",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_line_of_a_megabyte_costs_what_its_parts_cost(unit: str) -> None:
    found(unit * 100)
    small, large = unit * (50_000 // len(unit)), unit * (1_000_000 // len(unit))

    def seconds(text: str) -> float:
        start = time.process_time()
        found(text)
        return time.process_time() - start

    # twenty times the text; a square would be four hundred times the time
    assert seconds(large) < 100 * max(min(seconds(small) for _ in range(3)), 0.005)


def test_the_same_bytes_however_it_is_read(tmp_path: Path) -> None:
    lines = [
        f"Animals such as {'dog cow pig'.split()[i % 3]}s and cats are pets. A {'fox hen'.split()[i % 2]} is a kind of large animal."
        for i in range(400)
    ]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n")
    folders = []
    for number, (threads, block) in enumerate([(1, 1 << 22), (3, 200), (2, 1000)]):
        corpus = encode(tmp_path / "t.txt", tmp_path / str(number), threads=threads, block_bytes=block, min_count=1)
        folder = Path(corpus.path) / "patterns"
        folders.append({file.name: file.read_bytes() for file in sorted(folder.iterdir())})
    assert folders[0] == folders[1] == folders[2]
    stated = patterns_of(tmp_path / "0")
    assert stated is not None
    assert stated.documents == 400
    assert stated.count("cat", "animal") > 0


def test_without_patterns_or_text(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Animals such as dogs bark.\n")
    encode(tmp_path / "t.txt", tmp_path / "none", patterns=False, min_count=1)
    assert patterns_of(tmp_path / "none") is None
    encode(tmp_path / "t.txt", tmp_path / "silent", keep_text=False, min_count=1)
    stated = patterns_of(tmp_path / "silent")
    assert stated is not None
    assert stated.count("dog", "animal") == 1
    assert not stated.has_sentences
    encode(tmp_path / "t.txt", tmp_path / "german", language="de", stopwords="none", min_count=1)
    assert patterns_of(tmp_path / "german") is None


@examples(300)
@given(st.lists(st.text(alphabet="abcdeilnouryfgst", min_size=1, max_size=9), min_size=1, max_size=20))
def test_endings_are_told_as_by_the_twin(words: list[str]) -> None:
    words = [word for word in dict.fromkeys(words) if word not in lexicon._entries()]
    if not words:
        return
    encoded = [word.encode() for word in words]
    lengths = np.array([len(word) for word in encoded], dtype=np.int32)
    starts = (np.cumsum(lengths) - lengths).astype(np.int64)
    from hyperdive.kernels.forms import hash_forms

    arena = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    columns = lexicon.classify(arena, starts, lengths, hash_forms(arena, starts, lengths))
    assert [tuple(int(column[i + 1]) for column in columns) for i in range(len(words))] == [
        lexicon.of_form(word) for word in words
    ]
    assert columns[0][0] == k.NOUN


BORDERS = [
    ("We saw the", "Walks such as hikes are good."),
    ("Look at a", "Walks, strolls and other activities help."),
    ("It is a type", "of flatbread called naan that we ate."),
    ("We saw dogs and", "Granite are rocks."),
    ("He likes foo-", "bar such as dogs."),
]


@pytest.mark.parametrize(("before", "text"), BORDERS)
def test_nothing_before_a_sentence_counts(before: str, text: str, tmp_path: Path) -> None:
    counts = []
    for number, (first, block) in enumerate([(before, 1 << 22), (before, 8), ("We saw it.", 1 << 22)]):
        (tmp_path / "t.txt").write_text(f"{first}\n{text}\n" * 3)
        encode(tmp_path / "t.txt", tmp_path / str(number), min_count=1, block_bytes=block)
        found = patterns_of(tmp_path / str(number))
        assert found is not None
        counts.append({found.terms[i]: found.hyponym_totals[i] for i in range(len(found))})
    assert counts[0] == counts[1] == counts[2]


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=2, max_size=4))
def test_documents_do_not_touch_each_other(documents: list[list[str]]) -> None:
    lines = [" ".join(words) + "\n" for words in documents]
    data = np.frombuffer("".join(lines).encode(), dtype=np.uint8)
    ends = np.cumsum([len(line.encode()) for line in lines]).astype(np.int64)
    no = np.zeros(len(lines), dtype=np.bool_)
    block = TextBlock(data, ends, no, no, TextSource("text", "text"), 0, 0)
    together = find_matches(data, tokenise(block, EncodeOptions(), spans=True))
    assert len(together.pattern) == sum(found(line) for line in lines)
