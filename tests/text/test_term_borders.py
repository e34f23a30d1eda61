"""Terms at their borders: just often enough, just coherent enough, the last item, the first chunk."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hyperdive._progress import SILENT, Bar, Progress
from hyperdive._resources import default_memory
from hyperdive._store import ArtifactWriter
from hyperdive.engines import LocalEngine
from hyperdive.errors import InputError
from hyperdive.kernels import terms as k
from hyperdive.options import EncodeOptions
from hyperdive.pipeline.encode import encode
from hyperdive.text import item_stream, term_candidates, term_inventory, term_items
from hyperdive.text.encoder import encode_text
from hyperdive.text.forms import FormTable
from hyperdive.text.item_stream import ItemStream, chunk_of, hash_table
from hyperdive.text.readers import TextBlock
from hyperdive.text.sources import TextSource
from hyperdive.text.term_candidates import PhraseKeys, cohesive_phrases
from hyperdive.text.term_items import ItemSpelling, ItemSpool, TextItems
from hyperdive.text.term_list import read_terms
from hyperdive.text.tokens import tokenise

NONE = np.zeros(0, dtype=np.int64)


class Noted(Progress):
    """Remembers bars."""

    def __init__(self) -> None:
        super().__init__("none", io.StringIO())
        self.bars: list[Bar] = []

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        with super().stage(name, total=total, unit=unit) as bar:
            self.bars.append(bar)
            yield bar


def stream_of(
    items: Sequence[int], kept: Sequence[int], *, chunk: int = 4 << 20, threads: int = 1, stop: Sequence[int] = (),
    progress: Progress = SILENT, numerals: Sequence[int] = (), words: Sequence[str] | None = None,
) -> ItemStream:  # fmt: skip
    """Items of words that are their own keys."""
    size = len(kept)
    names = ["", *(words or [f"w{chr(96 + number)}" for number in range(1, size)])]
    stops = np.zeros(size, dtype=np.bool_)
    stops[list(stop)] = True
    text = TextItems(
        np.array(items, dtype=np.uint32), np.array([0, len(items)]), np.array(numerals, dtype=np.int64),
        ItemSpelling(names[1:], {}),
    )  # fmt: skip
    keys: Any = SimpleNamespace(words=names, of_form=np.arange(size), stop=stops)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(item_stream, "CHUNK_ITEMS", chunk)
        return ItemStream(text, keys, np.array(kept), engine=LocalEngine(threads), progress=progress)


# ---- the stream of items ------------------------------------------------------------------------------------

ITEMS = [1, 2, 3, 2, 1, 0, 2, 0, 1, 3, 1]


@pytest.mark.parametrize(
    ("kept", "borders"),
    [
        ([0, 0, 0, 0], []),
        ([0, 1, 0, 0], [(0, 1, 0)]),
        ([0, 2, 2, 1], [(0, 5, 0)]),
        ([0, 2, 3, 1], [(0, 5, 0), (5, 7, 5)]),
        ([0, 3, 3, 1], [(0, 5, 0), (5, 7, 5), (7, 9, 6)]),
        ([0, 4, 3, 2], [(0, 5, 0), (5, 7, 5), (7, 11, 6)]),
    ],
)
def test_a_stream_ends_with_the_kept_tokens(kept: list[int], borders: list[tuple[int, int, int]]) -> None:
    stream = stream_of(ITEMS, kept, chunk=2)
    assert stream.borders == borders
    assert stream.total == (borders[-1][1] if borders else 0)
    words = [word for word in ITEMS[: stream.total] if word]
    assert stream.counts.tolist() == stream.forms.tolist() == [0, *(words.count(word) for word in (1, 2, 3))]


def test_a_stream_keeps_what_occurs_and_is_no_stop_word() -> None:
    stream = stream_of([1, 2 | (int(k.CAPITALS) << 28), 2, 3], [0, 1, 2, 0], stop=[1])
    assert stream.keep.tolist() == [False, False, True, False]
    assert stream.capitals.tolist() == [0, 0, 1, 0]
    assert stream.keys_at(np.array([1, 3])).tolist() == [2, 3] and stream.threads == 1


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_chunks_come_in_order_and_progress_is_their_items(threads: int) -> None:
    progress = Noted()
    stream = stream_of(ITEMS, [0, 4, 3, 2], chunk=2, threads=threads, progress=progress)
    found = [(chunk.items.tolist(), chunk.first, chunk.end, chunk.origin, chunk.kept_before, int(result[0]))
             for chunk, (result,) in stream.map("terms", lambda chunk: (np.array([chunk.origin * 10]),))]  # fmt: skip
    assert found == [
        ([1, 2, 3, 2, 1], 0, 5, 0, 0, 0), ([1, 0, 2], 1, 3, 4, 5, 40), ([2, 0, 1, 3, 1], 1, 5, 6, 6, 60),
    ]  # fmt: skip
    [bar] = progress.bars
    assert (bar.stage, bar.done, bar.total, bar.unit) == ("terms", 11, 11, "words")
    assert chunk_of(np.arange(9, dtype=np.uint32), (1, 2, 7))._replace(items=NONE)[1:] == (1, 2, 0, 7)


@pytest.mark.parametrize("size", [0, 1, 5, 6, 100, 5000])
def test_a_table_of_hashes_has_each_hash_once(size: int) -> None:
    hashes = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    table = hash_table(hashes, np.arange(size))
    assert len(table.slots) == len(table.values) == 2 * len(table.marks) >= max(16, 3 * size)
    assert sorted(table.slots[table.slots != 0].tolist()) == sorted(hashes.tolist())
    assert sorted(table.values[table.slots != 0].tolist()) == list(range(size))
    assert (table.values[table.slots == 0] == -1).all()


# ---- items --------------------------------------------------------------------------------------------------


def test_terms_are_spelt_as_they_stand() -> None:
    spelling = ItemSpelling(["dog", "workers", "pay", "mrna", "o"], {4: "mRNA"})

    def item(form: int, case: int = k.LOWER, joint: int = k.BLANK) -> int:
        return form | int(case) << 28 | int(joint) << 30

    terms = [
        [item(1, k.CAPITALISED), item(3, joint=k.HYPHEN)],
        [item(2), item(3, joint=k.POSSESSIVE)],
        [item(2, k.CAPITALS), item(3, k.CAPITALS, k.POSSESSIVE), item(1)],
        [item(4, k.MIXED)],
        [item(5, k.CAPITALS), item(3, k.MIXED, k.APOSTROPHE)],
        [item(1), item(3, joint=k.POSSESSIVE)],
    ]
    expected = ["Dog-pay", "workers' pay", "WORKERS' PAY dog", "mRNA", "O'pay", "dog's pay"]
    joined = np.array([one for term in terms for one in term], dtype=np.uint32)
    assert spelling.terms(joined, map(len, terms)) == expected


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[tuple[FormTable, ItemSpool]]:
    with ArtifactWriter(tmp_path / "spool", "test", 1) as writer:
        table = FormTable()
        yield table, ItemSpool(writer, table)
        writer.finish({})


@pytest.mark.parametrize("numerals", [[], [1], [5, 3], [65_535], [65_536], [200_000, 65_537], [131_072, 131_071]])
def test_any_form_can_be_a_numeral(spool: tuple[FormTable, ItemSpool], numerals: list[int]) -> None:
    collected = spool[1]
    collected._note_numerals(np.array([2], dtype=np.uint32))
    collected._note_numerals(np.array(numerals, dtype=np.uint32))
    assert collected.close().numerals.tolist() == sorted({2, *numerals})


def test_the_number_of_forms_has_a_limit(spool: tuple[FormTable, ItemSpool], monkeypatch: pytest.MonkeyPatch) -> None:
    table, collected = spool
    assert term_items.MAX_FORMS == (1 << 27) - 1
    monkeypatch.setattr(term_items, "MAX_FORMS", 3)
    state = {"numerals": NONE, "document_items": NONE, "items": np.zeros(0, dtype=np.uint32),
             "mixed_forms": NONE, "mixed": np.zeros(0, dtype=np.uint8)}  # fmt: skip
    nothing, numbers = term_items.AbbreviationCounts().state(), np.zeros(0, dtype=np.uint32)
    table.add(["a", "b", "c"])
    collected.add_state(state | nothing, numbers)
    table.add(["d"])
    with pytest.raises(InputError, match="more than 3 distinct word forms"):
        collected.add_state(state | nothing, numbers)


@pytest.mark.parametrize("chunk", [1, 2, 1000])
def test_items_of_a_part_get_the_numbers_of_the_whole(
    spool: tuple[FormTable, ItemSpool], monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(term_items, "_CHUNK", chunk)
    table, collected = spool
    table.add(["dog", "b12", "mrna", "7"])
    nothing = term_items.AbbreviationCounts().state()
    state = {"numerals": np.array([1, 3]), "document_items": np.array([0, 2]),
             "items": np.array([1, 2, 0, 3], dtype=np.uint32),
             "mixed_forms": np.array([2]), "mixed": np.frombuffer(b"mRNA\n", dtype=np.uint8)}  # fmt: skip
    for _ in range(2):
        collected.add_state(state | nothing, np.array([2, 3, 4], dtype=np.uint32))
    items = collected.close()
    assert items.items.tolist() == [2, 3, 0, 4] * 2 and items.numerals.tolist() == [2, 4]
    assert items.documents.tolist() == [0, 2, 4, 6, 8]
    assert items.spelling.terms(np.array([3 | int(k.MIXED) << 28, 1], dtype=np.uint32), [2]) == ["mRNA dog"]


@pytest.mark.parametrize("chunk", [1, 2, 1000])
def test_items_of_shuffled_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(term_items, "_CHUNK_DOCUMENTS", chunk)
    text = TextItems(np.arange(1, 8, dtype=np.uint32), np.array([0, 3, 3, 5, 7]), NONE, ItemSpelling([], {}))
    with ArtifactWriter(tmp_path / "c", "test", 1) as writer:
        mixed = text.shuffled(np.array([2, 0, 3, 1]), writer)
        assert mixed.items.tolist() == [4, 5, 1, 2, 3, 6, 7] and mixed.documents.tolist() == [0, 2, 5, 7, 7]
        writer.finish({})


# ---- noun phrases -------------------------------------------------------------------------------------------


def found_in(phrases: dict[tuple[int, ...], int], alone: dict[int, int], roles: dict[int, int], **options: Any) -> Any:
    """The phrases that a text has which consists of these, each between two gaps."""
    items = [word for phrase, count in phrases.items() for _ in range(count) for word in (*phrase, 0)]
    items += [word for one, count in alone.items() for _ in range(count) for word in (one, 0)]
    size = max(items) + 1
    role = np.full(size, k.NOUN, dtype=np.uint8)
    for word, what in roles.items():
        role[word] = what
    kept = [0, *(items.count(word) for word in range(1, size))]
    chosen: PhraseKeys = cohesive_phrases(stream_of(items, kept, **options), role)
    return {tuple(row[:length]) for row, length in zip(chosen.keys.tolist(), chosen.lengths.tolist(), strict=True)}


def test_a_phrase_occurs_five_times_and_has_six_words() -> None:
    six, seven = (1, 2, 3, 4, 5, 6), (7, 8, 9, 10, 11, 12, 13)
    assert found_in({(1, 2): 5, (3, 4): 4}, {5: 9}, {}) == {(1, 2)}
    assert found_in({six: 5}, {14: 9}, {}) == {six}
    assert found_in({seven: 5}, {14: 9}, {}) == {seven[:6], seven[1:]}
    assert found_in({}, {1: 3}, {}) == set()


def test_a_piece_of_one_longer_phrase_is_none() -> None:
    for alone, kept in ((1, False), (2, False), (3, True)):  # 8 of 10 are inside the longer one
        found = found_in({(1, 2, 3): 8, (1, 2): alone}, {4: 30}, {})
        assert ((1, 2) in found, (1, 2, 3) in found, (2, 3) in found) == (kept, True, False)


def cohesion(joint: int, first: int, second: int, total: int) -> float:
    return float(np.log(joint * total / (first * second)) / -np.log(joint / total))


def test_words_of_a_phrase_belong_together() -> None:
    # 6 times together; 24 and 25 times in all, of 100 words: as often as by chance
    for second, kept in ((18, True), (19, False), (20, False)):
        total = 12 + 18 + second + (52 - second + 18)
        assert (cohesion(6, 24, 6 + second, total) > 0) is kept
        assert ((1, 2) in found_in({(1, 2): 6}, {1: 18, 2: second, 3: total - 30 - second}, {})) is kept


@pytest.mark.parametrize(("apart", "kept"), [(0, True), (12, True), (15, False)])
def test_a_doubtful_phrase_needs_more(apart: int, kept: bool) -> None:
    """Headed by a modifier: 0.15 and not 0 is the least, 0.3 is not asked for."""
    joint, total = 6, 12 + 2 * apart + 60
    value = cohesion(joint, joint + apart, joint + apart, total)
    assert (value > 0.15) is kept and value > 0 and (value < 0.3) is (apart > 0)
    alone = {1: apart, 2: apart, 3: 60} if apart else {3: 60}
    assert ((1, 2) in found_in({(1, 2): joint}, alone, {2: k.MODIFIER})) is kept
    assert (1, 2) in found_in({(1, 2): joint}, alone, {})


def test_the_most_frequent_phrases_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    phrases = {(1, 2): 7, (3, 4): 6, (5, 6): 6, (7, 8): 5}
    alone = {3: 4, 9: 80}  # 3 and 4 hold together less
    assert (term_candidates.MOST, found_in(phrases, alone, {})) == (300_000, set(phrases))
    for most, expected in ((4, 4), (3, 3)):
        monkeypatch.setattr(term_candidates, "MOST", most)
        assert found_in(phrases, alone, {}) == set(list(phrases)[:expected])
    monkeypatch.setattr(term_candidates, "MOST", 2)
    assert found_in(phrases, alone, {}) == {(1, 2), (5, 6)}


def test_numbers_and_codes_have_roles_of_their_own() -> None:
    words = ["b12", "12", "virus", "b"]
    stream = stream_of([1, 2, 3, 4], [0, 1, 1, 1, 1], numerals=[1, 2], words=words)
    roles = term_candidates._with_numerals(np.array([k.NOUN] * 5, dtype=np.uint8), stream)
    assert roles.tolist() == [k.BREAK, k.CODE, k.DIGITS, k.NOUN, k.NOUN]


@pytest.mark.parametrize("base", [0, 10, 20, 30, 40, 50])
def test_the_largest_container_has_one_word_more(base: int) -> None:
    rows = [(1, 2), (2, 3), (1, 2, 3), (9, 1, 2, 3), (1, 2, 3, 8), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6),
            (2, 3, 4, 5, 6)]  # fmt: skip
    keys, lengths = np.full((len(rows), 6), -1), np.array([len(row) for row in rows])
    for row, words in enumerate(rows):
        keys[row, : len(words)] = np.array(words) + base
    hashes, counts = k.hash_rows(keys, lengths), np.array([50, 40, 30, 7, 9, 6, 5, 4])
    order = np.argsort(hashes)
    inside = np.array([30, 30, 9, 0, 0, 5, 0, 5])
    found = term_candidates._largest_container(hashes[order], keys[order], lengths[order], counts[order])
    assert found.tolist() == inside[order].tolist()
    for only in (slice(0, 0), slice(2, 3), slice(3, 4), slice(6, 7)):
        one = term_candidates._largest_container(hashes[only], keys[only], lengths[only], counts[only])
        assert one.tolist() == [0] * len(hashes[only])


@pytest.mark.parametrize("chunk", [1, 40, 1000])
def test_counting_forgets_the_rarest_only(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    phrases = {(1, 2): 9, (3, 4): 6, (5, 6): 5, (7, 8): 1, (9, 10): 1}
    whole = found_in(phrases, {11: 60}, {}, chunk=chunk)
    assert whole == {(1, 2), (3, 4), (5, 6)}
    monkeypatch.setattr(term_candidates, "_MAX_CANDIDATES", 3)
    assert found_in(phrases, {11: 60}, {}, chunk=chunk) == whole


def test_what_the_search_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, fitted = [], []
    for module in (term_candidates, term_inventory):
        monkeypatch.setattr(module, "require_memory", lambda limit, more, what, instead: asked.append((more, what)))
    monkeypatch.setattr(term_candidates, "fitting", lambda limit, most, each: fitted.append((most, each)) or most)
    phrases = {(1, 2): 9, (3, 4): 6, (5, 6): 5}
    found_in(phrases, {11: 60}, {}, threads=2)
    assert asked == [(3 * (250 + 2 * 24), "3 candidates for terms")]
    assert fitted == [(default_memory() // 160, 64)]
    asked.clear()
    (tmp_path / "t.txt").write_text(TEXT)
    encode(tmp_path / "t.txt", tmp_path / "c", min_count=4, threads=1)
    assert asked[-1] == (7 * 450, "7 terms")


TEXT = (
    "mRNA vaccines help.\n" * 10 + "The zebrafish swam.\n" * 3 + "A quokka ate.\n" * 2 + "An axolotl ran.\n" * 4
    + "He saw AIDS there.\n" * 5 + "They aid them.\n" * 3 + "We read NATO news.\n" * 5 + "The ACE won.\n" * 4
    + "An ace lost.\n" * 9
)  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 3, 1 << 16])
def test_terms_of_a_small_text_to_the_last_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(term_inventory, "_CHUNK_TERMS", chunk)
    monkeypatch.setattr(term_inventory, "_CHUNK", chunk)
    (tmp_path / "t.txt").write_text(TEXT)
    corpus = encode(tmp_path / "t.txt", tmp_path / "c", min_count=4)
    terms = corpus.terms
    assert terms is not None
    assert dict(zip(terms.names, zip(terms.spellings, terms.counts.tolist(), strict=True), strict=True)) == {
        "mrna vaccine help": ("mRNA vaccines help", 10), "ace lose": ("ace lost", 9), "AIDS": ("AIDS", 5),
        "read nato news": ("read NATO news", 5), "see aid": ("saw AIDS", 5), "swim": ("swam", 3),
        "zebrafish": ("zebrafish", 3),
    }  # fmt: skip
    assert corpus.header["terms"] == {"terms": 7, "occurrences": 40, "abbreviations": 0}


@pytest.mark.parametrize(
    ("capitals", "others", "own"),
    [(5, 3, True), (5, 2, False), (4, 4, False), (6, 3, False), (6, 4, True), (7, 4, True), (9, 4, False)],
)
def test_an_acronym_is_also_another_word(tmp_path: Path, capitals: int, others: int, own: bool) -> None:
    """In capitals five times, and more than half as often in other letters."""
    (tmp_path / "t.txt").write_text("He won the ACE there.\n" * capitals + "They took an ace.\n" * others)
    terms = encode(tmp_path / "t.txt", tmp_path / "c", min_count=1).terms
    assert ("ACE" in ([] if terms is None else terms.names)) is own


def test_words_of_the_list_below_the_minimum_count_are_terms(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("A dog.\n" * 4 + "A cat.\n" * 3 + "A red cat ran.\n" + "An ACE and ACE.\n")
    (tmp_path / "l.txt").write_text("cats\ndog\nred cat\nquokka\nACE\nNATO\nblue cat\nran\n")
    corpus = encode_text(tmp_path / "t.txt", tmp_path / "c", min_count=4, terms=str(tmp_path / "l.txt"))
    terms = corpus.terms
    assert terms is not None
    assert dict(zip(terms.names, zip(terms.spellings, terms.counts.tolist(), strict=True), strict=True)) == {
        "ACE": ("ACE", 2), "NATO": ("NATO", 0), "blue cat": ("blue cat", 0), "quokka": ("quokka", 0),
        "red cat": ("red cat", 1), "run": ("ran", 1),
    }  # fmt: skip
    assert corpus.header["terms"] == {"terms": 6, "occurrences": 4, "abbreviations": 0, "given": 6, "absent": 3}


@pytest.mark.parametrize(
    ("singular", "plural", "spelt"), [(1, 4, "guide dog"), (1, 5, "guide dogs"), (2, 9, "guide dogs")]
)
def test_the_singular_is_preferred_where_it_is_a_quarter(
    tmp_path: Path, singular: int, plural: int, spelt: str
) -> None:
    text = ["The guide dog ran."] * singular + ["The guide dogs ran."] * plural
    (tmp_path / "t.txt").write_text("\n".join(text) + "\n")
    (tmp_path / "l.txt").write_text("guide dog\n")
    stream_spelling = []
    real = term_inventory._SpellingVotes.spellings

    def spellings(votes: Any, stream: Any, names: list[str]) -> list[str]:
        stream_spelling.extend(real(votes, stream, names))
        return stream_spelling

    term_inventory._SpellingVotes.spellings = spellings  # type: ignore[method-assign]
    try:
        encode_text(tmp_path / "t.txt", tmp_path / "c", min_count=1, terms=str(tmp_path / "l.txt"))
    finally:
        term_inventory._SpellingVotes.spellings = real  # type: ignore[method-assign]
    assert stream_spelling == [spelt]


# ---- temporary arrays ---------------------------------------------------------------------------------------


# ---- the user's list ----------------------------------------------------------------------------------------


def test_limits_of_a_list_of_terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, words = tmp_path / "terms.txt", [f"zq{letter}" for letter in "abcdefghijklmnopq"]

    def read(text: str) -> tuple[list[str], str]:
        listed.write_text(text)
        terms = read_terms(listed, EncodeOptions())
        return list(terms.spellings), terms.note

    sixteen, seventeen = " ".join(words[:16]), " ".join(words)
    assert read(f"{sixteen}\n{seventeen}\n") == ([sixteen], "1 longer than 16 words")
    assert read("dog\nDNA\nDNA\n") == (["dog", "DNA"], "") and read("dog of\n") == (["dog of"], "")
    assert read("dog\n#" + "x" * 9997 + "\n") == (["dog"], "")
    for line in ("#" + "x" * 9999 + "\n", "x" * 10_001):
        with pytest.raises(InputError, match="line 2 is too long"):
            read("dog\n" + line)
    monkeypatch.setattr("hyperdive.text.term_list.MAX_LINES", 3)
    assert read("dog\n\ncat")[0] == read("dog\n\ncat\n")[0] == ["dog", "cat"]
    for text in ("dog\n\ncat\nox", "dog\n\ncat\nox\n"):
        with pytest.raises(InputError, match="more than 3 lines"):
            read(text)
    listed.write_bytes(b"dog\n\xff\n")
    with pytest.raises(InputError, match="line 2 is not UTF-8"):
        read_terms(listed, EncodeOptions())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red dog", k.BLANK), ("x-ray", k.HYPHEN), ("x\u2010ray", k.HYPHEN),
        ("x\u2011ray", k.HYPHEN), ("o'neil", k.APOSTROPHE), ("o\u2019neil", k.APOSTROPHE),
        ("dog's bone", k.POSSESSIVE), ("dog\u2019s bone", k.POSSESSIVE),
        ("workers' pay", k.POSSESSIVE),
    ],
)  # fmt: skip
def test_what_joins_two_words(text: str, expected: int) -> None:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    whole = np.zeros(1, dtype=np.bool_)
    block = TextBlock(data, np.array([len(data)]), whole, whole, TextSource("t"), 0, 0)
    items = tokenise(block, EncodeOptions()).items
    assert items is not None and (items.items >> k.JOINT_SHIFT).tolist()[1:] == [k.BLANK, expected]


@pytest.mark.parametrize("block", [1, 20, 1000])
def test_shuffled_terms_stand_where_their_words_are(tmp_path: Path, block: int) -> None:
    (tmp_path / "t.txt").write_text("".join(f"The guide dog saw zq{letter}.\n" for letter in "abcdefghij"))
    (tmp_path / "l.txt").write_text("guide dog\nzqa\n")
    corpus = encode_text(
        tmp_path / "t.txt", tmp_path / "c", min_count=3, terms=str(tmp_path / "l.txt"), shuffle=3, block_bytes=block
    )
    terms, words = corpus.terms, [corpus.all_words[number] for number in corpus.tokens]
    assert terms is not None and terms.counts.tolist() == [10, 1]
    spans = zip(terms.ids.tolist(), terms.starts.tolist(), terms.lengths.tolist(), strict=True)
    found = [(terms.names[term], words[start : start + length]) for term, start, length in spans]
    assert sorted(found) == [("guide dog", ["guide", "dog"])] * 10 + [("zqa", ["zqa"])]
