"""Terms: names, the user's list, candidates against a slow twin, and words that do not change."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hyperdive._progress import SILENT
from hyperdive.engines import LocalEngine
from hyperdive.errors import InputError, OptionError
from hyperdive.kernels import terms as k
from hyperdive.kernels.terms import CAPITALISED, CAPITALS, LOWER, MIXED
from hyperdive.options import EncodeOptions
from hyperdive.pipeline.encode import encode
from hyperdive.text import item_stream, term_candidates
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text
from hyperdive.text.item_stream import ItemStream
from hyperdive.text.term_items import ItemSpelling, TextItems
from hyperdive.text.term_list import MAX_LINES, read_terms
from hyperdive.text.term_names import normal_term
from hyperdive.text.token_lists import encode_tokens

TEXT = [
    "The X-ray of a patient with Alzheimer's disease was clear. Birds of prey hunt, and a bird of prey flies.",
    "Type 2 diabetes and hepatitis B are diseases. ACE inhibitors and beta-blockers lower blood pressure.",
    "Patients with AIDS need aid. They gave aid, and US doctors sent us an mRNA vaccine for AIDS.",
    "An ACE inhibitor is no beta blocker; x rays show it. Escherichia coli is common. He held an ace and lost it.",
    "In 2010 they paid for workers' compensation. The stem-cell research of Smith was good. Stem cells divide!",
    "Tigers rarely swim (in rivers). A red, large tiger is a tiger. MRNA VACCINES WORK.",
]
WORD_FILES = ("tokens.npy", "words.parquet", "documents.npy", "sentences.npy")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    lines = [" ".join(TEXT[i] for i in rng.integers(0, len(TEXT), 4)) for _ in range(60)]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def occurrences(corpus: Corpus, name: str) -> list[list[str]]:
    """The kept words inside each occurrence of a term."""
    terms = corpus.terms
    assert terms is not None
    rows = np.flatnonzero(terms.ids == terms.numbers[name])
    return [
        [corpus.all_words[word] for word in corpus.tokens[terms.starts[row] : terms.starts[row] + terms.lengths[row]]]
        for row in rows
    ]


# ---- the inventory ------------------------------------------------------------------------------------------


def test_terms_are_found_with_their_spelling_and_their_place(text: Path, tmp_path: Path) -> None:
    corpus = encode(text, tmp_path / "c")
    terms = corpus.terms
    assert terms is not None and len(terms) == len(set(terms.names))
    spelling = dict(zip(terms.names, terms.spellings, strict=True))
    written = text.read_text()
    expected = {
        "x ray": ("X-ray", "x rays"),
        "alzheimer disease": ("Alzheimer's disease",),
        "bird of prey": ("bird of prey", "Birds of prey"),
        "type 2 diabetes": ("Type 2 diabetes",),
        "hepatitis b": ("hepatitis B",),
        "ace inhibitor": ("ACE inhibitors", "ACE inhibitor"),
        "beta blocker": ("beta-blockers", "beta blocker"),
        "escherichia coli": ("Escherichia coli",),
        "worker compensation": ("workers' compensation",),
        "mrna vaccine": ("mRNA vaccine", "MRNA VACCINES"),
        "AIDS": ("AIDS",),
        "US": ("US",),
    }
    for name, spellings in expected.items():
        assert spelling[name] in spellings, name
        count = sum(len(re.findall(rf"\b{surface}\b", written)) for surface in spellings)
        assert int(terms.counts[terms.numbers[name]]) == count == len(occurrences(corpus, name)), name
    assert spelling["mrna vaccine"] == "mRNA vaccine" and spelling["ace inhibitor"] == "ACE inhibitor"
    assert {tuple(words) for words in occurrences(corpus, "bird of prey")} == {("bird", "prey")}
    assert {tuple(words) for words in occurrences(corpus, "type 2 diabetes")} == {("type", "diabetes")}
    assert {tuple(words) for words in occurrences(corpus, "AIDS")} == {("aid",)}
    assert {tuple(words) for words in occurrences(corpus, "US")} == {()}
    for never in ("swim river", "red large tiger", "disease ace inhibitor", "river red"):
        assert never not in spelling
    place = terms.starts.astype(np.int64) * 256 + terms.lengths
    assert np.all(np.diff(place) >= 0) and np.all(terms.starts + terms.lengths <= len(corpus))
    assert np.array_equal(np.bincount(terms.ids, minlength=len(terms)), terms.counts)
    assert sorted(zip(-terms.counts, terms.names, strict=True)) == list(zip(-terms.counts, terms.names, strict=True))


def test_every_name_is_what_a_query_is_normalised_to(text: Path, tmp_path: Path) -> None:
    terms = encode(text, tmp_path / "c").terms
    assert terms is not None
    for name, spelling in zip(terms.names, terms.spellings, strict=True):
        assert name in (normal_term(spelling), normal_term(spelling.lower())), spelling


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_tokens": 900},
        {"max_tokens": 700, "budget": "kept"},
        {"shuffle": 3, "max_tokens": 700},
        {"rare": "drop", "min_count": 40},
        {"last_line": "drop"},
        {"line_length": "sentence"},
    ],
)
def test_words_are_the_same_with_and_without_terms(text: Path, tmp_path: Path, options: dict[str, object]) -> None:
    corpus = encode(text, tmp_path / "with", **options)
    encode(text, tmp_path / "without", terms="none", **options)
    with_terms, without = contents(tmp_path / "with"), contents(tmp_path / "without")
    for name in (*WORD_FILES, *(name for name in without if name.startswith("patterns"))):
        assert with_terms[name] == without[name], name
    terms = corpus.terms
    assert terms is not None
    assert len(terms.ids) and np.all(terms.starts < len(corpus))
    for name in ("bird of prey", "blood pressure"):
        if name in terms.numbers:
            words = [word for word in name.split() if word != "of"]
            assert all(found == words for found in occurrences(corpus, name))


def test_the_bytes_are_the_same_for_any_threads_blocks_and_chunks(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode(text, tmp_path / "reference", threads=1)
    reference = contents(tmp_path / "reference")
    assert "terms.txt" in reference
    for threads, block_bytes, chunk in ((2, 100, 1 << 20), (3, 1000, 50), (1, 7, 1)):
        monkeypatch.setattr(item_stream, "CHUNK_ITEMS", chunk)
        encode(text, tmp_path / "c", threads=threads, block_bytes=block_bytes, force=True)
        assert contents(tmp_path / "c") == reference, (threads, block_bytes, chunk)


def test_chunks_end_at_gaps_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    items = np.array([1, 2, 3, 2, 1, 0, 2, 0, 1, 3, 1], dtype=np.uint32)
    keys: Any = SimpleNamespace(words=["", "a", "b", "c"], of_form=np.arange(4), stop=np.zeros(4, dtype=np.bool_))
    monkeypatch.setattr(item_stream, "CHUNK_ITEMS", 2)
    none = np.zeros(0, dtype=np.int64)
    text = TextItems(items, np.array([0, len(items)]), none, ItemSpelling(["a", "b", "c"], {}))
    stream = ItemStream(text, keys, np.array([0, 4, 3, 2]), engine=LocalEngine(1), progress=SILENT)
    assert stream.borders == [(0, 5, 0), (5, 7, 5), (7, 11, 6)]


def test_terms_need_no_more_memory_than_the_bound(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_stream, "CHUNK_ITEMS", 200)
    whole = encode(text, tmp_path / "whole").terms
    monkeypatch.setattr(term_candidates, "_MAX_CANDIDATES", 60)
    bounded = encode(text, tmp_path / "bounded").terms
    assert whole is not None and bounded is not None
    assert set(bounded.names) <= set(whole.names)
    assert sum(" " in name for name in bounded.names) > 0


def test_where_there_can_be_no_terms_there_are_none(text: Path, tmp_path: Path) -> None:
    for number, options in enumerate(({"preset": "paper", "max_tokens": 0}, {"hyphens": "keep"})):
        corpus = encode(text, tmp_path / f"c{number}", **options)
        assert corpus.terms is None and "terms" not in corpus.parameters
    corpus = encode(text, tmp_path / "de", language="de", stopwords="none")
    assert corpus.terms is None
    assert encode_text(text, tmp_path / "text").terms is None
    assert encode_tokens([["a", "b"]], tmp_path / "tokens", min_count=1).terms is None
    listed = tmp_path / "terms.txt"
    listed.write_text("blood pressure\n")
    for options in ({"pos": "textblob"}, {"hyphens": "drop"}):
        with pytest.raises(OptionError, match="a list of terms needs"):
            encode(text, tmp_path / "bad", terms=str(listed), **options)


# ---- the user's list ----------------------------------------------------------------------------------------


def test_the_users_terms_are_kept_whatever_their_counts(text: Path, tmp_path: Path) -> None:
    listed = tmp_path / "terms.txt"
    listed.write_text("lower Blood Pressure\nstem-cell Research\nnever seen thing\nquokka\nDNA\npatient\nwas good\n")
    corpus = encode(text, tmp_path / "c", terms=str(listed))
    terms = corpus.terms
    assert terms is not None
    spelling = dict(zip(terms.names, terms.spellings, strict=True))
    assert (
        spelling["low blood pressure"] == "lower Blood Pressure"
        and spelling["stem cell research"] == "stem-cell Research"
    )
    assert spelling["never seen thing".replace("seen", "see")] == "never seen thing"
    assert terms.counts[terms.numbers["quokka"]] == terms.counts[terms.numbers["DNA"]] == 0
    assert "patient" not in terms.numbers and "patient" in corpus.vocabulary
    written = text.read_text()
    assert terms.counts[terms.numbers["low blood pressure"]] == written.count("lower blood pressure")
    assert occurrences(corpus, "be good")[0] == ["good"]
    assert corpus.header["terms"]["given"] == 6 and corpus.header["terms"]["absent"] == 3
    assert corpus.parameters["terms"] == "file:terms.txt"
    auto = encode(text, tmp_path / "auto").terms
    assert auto is not None and set(auto.names) <= set(terms.names)


def test_a_list_works_where_no_noun_phrases_are_read(text: Path, tmp_path: Path) -> None:
    listed = tmp_path / "terms.txt"
    listed.write_text("blood pressure\n")
    terms = encode(text, tmp_path / "c", terms=str(listed), language="de", stopwords="none", lemmas="none").terms
    assert terms is not None and terms.names == ["blood pressure"] and terms.counts[0] == len(terms.ids) > 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no term in it"),
        (b"\n\n# comment\n", "no term in it"),
        (b"of the\nand\n", "no term in it"),
        (b"blood\0pressure\n", "NUL bytes"),
        (b"blood\n\xff\xfe\xfa\n", "line 2 is not UTF-8"),
        (b"blood " * 3000, "too long"),
        (b"a b\n" * 1_001, "more than 1,000 lines"),
    ],
)
def test_bad_lists_get_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, message: str
) -> None:
    assert MAX_LINES == 1_000_000
    monkeypatch.setattr("hyperdive.text.term_list.MAX_LINES", 1_000)
    listed = tmp_path / "terms.txt"
    listed.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_terms(listed, EncodeOptions())
    assert "\n" not in str(caught.value)


def test_a_missing_list_stops_before_the_text_is_read(text: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file of terms"):
        encode(text, tmp_path / "c", terms=str(tmp_path / "missing.txt"))
    assert not (tmp_path / "c").exists()


def test_odd_lines_give_sensible_terms(tmp_path: Path) -> None:
    listed = tmp_path / "terms.txt"
    listed.write_text(
        '\ufeff"Hot dogs"\nhot dog\nhot-dog\t42\n\u201cjelly bean\u201d\n'
        + "word " * 50
        + "\n!!!\nto be\n# no\nC\tD\n",
        encoding="utf-8",
    )
    terms = read_terms(listed, EncodeOptions())
    assert terms.spellings == {"hot dog": "Hot dogs", "jelly bean": "jelly bean", "c": "C"}
    assert terms.note == "1 without a word, 1 longer than 16 words, 1 only stop words, 2 given twice"


# ---- kernels against slow twins -----------------------------------------------------------------------------


def slow_hash(keys: tuple[int, ...]) -> int:
    h = int(k.START)
    for key in keys:
        h = (h ^ key) * int(k.FACTOR) % (1 << 64)
        h ^= h >> 29
    return h


def slow_candidates(items: list[int], roles: list[int], longest: int) -> Counter[tuple[int, ...]]:
    """Every sequence whose roles match the grammar, spelt out with sets."""
    opening = {k.NOUN, k.MODIFIER, k.LETTER, k.CODE, k.VERB, k.AMOUNT}
    found: Counter[tuple[int, ...]] = Counter()
    for first, length in itertools.product(range(len(items)), range(2, longest + 1)):
        sequence = items[first : first + length]
        kinds = [roles[item] for item in sequence]
        if len(sequence) < length or k.BREAK in kinds or kinds[0] not in opening:
            continue
        links = [at for at, kind in enumerate(kinds) if kind in (k.LINK, k.WEAK_LINK)]
        if len(links) > 1 or any(kinds[at - 1] not in (k.NOUN, k.VERB) for at in links):
            continue
        if any(at + 1 < length and kinds[at + 1] == k.DIGITS for at in links):
            continue
        after_noun = kinds[-1] in (k.LETTER, k.CODE) and kinds[-2] == k.NOUN
        if kinds[-1] in (k.NOUN, k.MODIFIER, k.VERB) or after_noun:
            found[tuple(sequence)] += 1
    return found


def test_candidates_equal_their_slow_twin() -> None:
    rng = np.random.default_rng(1)
    roles = np.array([k.BREAK, *range(1, 11), k.NOUN, k.MODIFIER, k.NOUN], dtype=np.uint8)
    roles[roles == k.CAPITAL_LETTER] = k.NOUN  # needs a capital; tested with the text above
    key_of = np.arange(len(roles), dtype=np.int64)
    for size in (0, 1, 2, 50, 400):
        items = rng.integers(0, len(roles), size).astype(np.uint32)
        slow = slow_candidates(items.tolist(), roles.tolist(), 6)
        fast = k.candidate_hashes(items, 0, size, roles, key_of, 6)
        assert Counter(fast.tolist()) == Counter({slow_hash(keys): count for keys, count in slow.items()})


def test_runs_and_merges_equal_a_counter() -> None:
    rng = np.random.default_rng(2)
    total: Counter[int] = Counter()
    merged = (np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32))
    for size in (0, 5, 300, 1000):
        values = np.sort(rng.integers(0, 200, size).astype(np.uint64))
        total.update(values.tolist())
        run = k.run_lengths(values)
        merged = k.merge_counts(merged[0], merged[1], run[0], run[1])
        assert dict(zip(merged[0].tolist(), merged[1].tolist(), strict=True)) == dict(total)
        assert np.all(np.diff(merged[0].astype(np.int64)) > 0)


def test_more_occurrences_than_words(tmp_path: Path) -> None:
    """Fifteen terms begin at every word, so that the room for occurrences becomes too small again and again."""
    words = [first + middle + last for first in "bdfgk" for middle in ("aza", "ozo") for last in "lr"]
    circle = words * 60
    listed, text = tmp_path / "terms.txt", tmp_path / "text.txt"
    ngrams = {tuple(circle[at : at + size]) for at in range(len(words)) for size in range(2, 17)}
    listed.write_text("".join(" ".join(ngram) + "\n" for ngram in sorted(ngrams)), encoding="utf-8")
    text.write_text(" ".join(circle) + "\n", encoding="utf-8")
    found = encode(text, tmp_path / "c", terms=str(listed), min_count=1).terms
    expected = Counter(
        " ".join(circle[at : at + size]) for size in range(2, 17) for at in range(len(circle) - size + 1)
    )
    assert dict(zip(found.names, found.counts.tolist(), strict=True)) == expected
    starts = [at for at in range(len(circle)) for size in range(2, 17) if at + size <= len(circle)]
    assert found.starts.tolist() == starts


@pytest.mark.parametrize(
    ("word", "case", "digit"),
    [
        ("dna", LOWER, False),
        ("b0", LOWER, True),
        ("b9", LOWER, True),
        ("b1", LOWER, True),
        ("a/b", LOWER, False),
        ("a:b", LOWER, False),
        ("DNA", CAPITALS, False),
        ("AZ", CAPITALS, False),
        ("B0", CAPITALS, True),
        ("B", CAPITALISED, False),
        ("Zoo", CAPITALISED, False),
        ("Az", CAPITALISED, False),
        ("aA", MIXED, False),
        ("ACe", MIXED, False),
        ("É1", LOWER, True),
    ],
)
def test_how_a_word_is_written(word: str, case: int, digit: bool) -> None:
    data = np.frombuffer(b"Q7" + word.encode() + b"Q7", dtype=np.uint8)
    assert k._written_case(data, 2, len(data) - 2) == (case, digit)


def test_capitals_say_nothing_between_two_words_in_capitals() -> None:
    def items(*cases: int | None) -> np.ndarray:
        return np.array([0 if case is None else 5 | (case << 28) for case in cases], dtype=np.uint32)

    headline = items(CAPITALS, CAPITALS, CAPITALS, CAPITALS)
    assert [k._in_headline(headline, i) for i in range(4)] == [False, True, True, False]
    for one in (LOWER, CAPITALISED, MIXED, None):
        assert not k._in_headline(items(one, CAPITALS, CAPITALS), 1)
        assert not k._in_headline(items(CAPITALS, CAPITALS, one), 1)
