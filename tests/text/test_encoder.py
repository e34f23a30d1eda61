"""From text to corpus folder: the rules, and the same bytes however the work is cut up."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import pickle
import random
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from hyperdive.errors import InputError, OptionError
from hyperdive.options import EncodeOptions
from hyperdive.text import readers as reading
from hyperdive.text import tagging
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text
from hyperdive.text.kept_text import KEEP_BELOW, drop_text
from hyperdive.text.parts import PartReader, TextPart, cut_parts
from hyperdive.text.readers import DocumentLayout
from hyperdive.text.sources import TextSource
from hyperdive.text.token_lists import encode_tokens


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def written(corpus: Corpus) -> list[str]:
    """All kept words in order, rare ones by their own names."""
    return [corpus.all_words[i] for i in corpus.tokens]


def book(documents: int, seed: int = 0) -> str:
    """Some text with names, numbers, hyphens, accents, abbreviations and long tails."""
    draw = random.Random(seed)
    nouns = [f"{a}{b}" for a in ("dog", "cat", "tree", "house", "river", "café") for b in ("", "s", "like", "er")]
    other = ["the", "and", "3.14", "B12", "well-known", "isn't", "U.S.", "Dr.", "very", "won", "(sometimes)", "naïve,"]
    lines = []
    for _ in range(documents):
        size = draw.choice([0, 3, 12, 40])
        words = [draw.choice(nouns if draw.random() < 0.6 else other) for _ in range(size)]
        lines.append(" ".join(w.capitalize() + "." if draw.random() < 0.1 else w for w in words))
    return "\n".join(lines) + "\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "book.txt"
    path.write_text(book(400), encoding="utf-8")
    return path


# ---- the same bytes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"preset": "paper"}, {"shuffle": 7},
                                     {"max_tokens": 1500}, {"max_tokens": 900, "budget": "kept"},
                                     {"document": "file", "line_length": "sentence"}])  # fmt: skip
def test_threads_and_block_size_do_not_change_a_byte(tmp_path: Path, text: Path, options: dict[str, Any]) -> None:
    encode_text(text, tmp_path / "reference", threads=1, **options)
    reference = contents(tmp_path / "reference")
    for threads, block in ((2, 1), (5, 100), (2, 1000), (3, 4096), (1, 1 << 20)):
        place = tmp_path / f"c{threads}-{block}"
        encode_text(text, place, threads=threads, block_bytes=block, **options)
        assert contents(place) == reference, (threads, block)


def test_compression_does_not_change_a_byte(tmp_path: Path, text: Path) -> None:
    raw = text.read_bytes()
    packed = {
        "book.txt.gz": gzip.compress(raw),
        "book.txt.bz2": bz2.compress(raw),
        "book.txt.xz": lzma.compress(raw),
        "book.txt.zst": pa.Codec("zstd").compress(raw, asbytes=True),
    }
    encode_text(text, tmp_path / "reference")
    for name, data in packed.items():
        (tmp_path / name).write_bytes(data)
        encode_text(tmp_path / name, tmp_path / f"{name}.corpus")
        assert contents(tmp_path / f"{name}.corpus") == contents(tmp_path / "reference"), name


def sent(value: Any) -> Any:
    """A value as another process of a pool gets it."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301


def test_tagging_is_the_same_for_any_blocks_and_after_the_way_to_a_worker(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text(book(60), encoding="utf-8")
    for block in (900, 1 << 20):
        encode_text(path, tmp_path / f"pos{block}", pos="textblob", threads=1, block_bytes=block, min_count=1)
    assert contents(tmp_path / "pos900") == contents(tmp_path / f"pos{1 << 20}")
    words = Corpus.open(tmp_path / "pos900").vocabulary
    assert "dog|n" in words
    assert all("|" in word for word in words[1:])
    [block] = reading.read_blocks(TextSource(str(path), "text", path.stat().st_size), reading.DocumentLayout())
    options = EncodeOptions(pos="textblob")
    work, *given = sent((tagging.tag_block, block, options))
    for here, there in zip(tagging.tag_block(block, options), sent(work(*given)), strict=True):
        np.testing.assert_array_equal(here, there)


@pytest.mark.slow
def test_tagging_is_the_same_in_any_number_of_processes(tmp_path: Path, text: Path) -> None:
    """Each process loads the tagger, for seconds."""
    for processes in (1, 2):
        encode_text(
            text, tmp_path / f"pos{processes}", pos="textblob", threads=processes, block_bytes=3000, min_count=1
        )
    assert contents(tmp_path / "pos1") == contents(tmp_path / "pos2")


def test_a_long_document_is_cut_at_places_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PIECE_BYTES", 50)
    path = tmp_path / "long.txt"
    path.write_text("alpha beta gamma delta " * 40 + "\nshort one\n" + "x" * 333 + "\nend\n", encoding="utf-8")
    encode_text(path, tmp_path / "reference", min_count=1, block_bytes=1 << 20)
    reference = Corpus.open(tmp_path / "reference")
    assert reference.header["totals"]["documents"] == 4
    for block in (1, 30, 49, 50, 51, 200):
        encode_text(path, tmp_path / f"c{block}", min_count=1, block_bytes=block)
        assert contents(tmp_path / f"c{block}") == contents(tmp_path / "reference"), block


# ---- the paper's rules --------------------------------------------------------------------------------------


def test_paper_preset_is_the_papers_rules() -> None:
    paper = EncodeOptions.preset("paper")
    assert paper == EncodeOptions(
        hyphens="drop", alphabet="ascii", lemmas="simplemma", stopwords="english", pos="none",
        min_count=10, rare="unknown", line_length=100, last_line="drop", max_tokens=51_200_000, budget="alphabetic", terms="none",
    )  # fmt: skip


def test_lines_run_across_documents_and_the_incomplete_last_one_goes(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("\n".join(["red green blue"] * 10) + "\n")
    corpus = encode_text(path, tmp_path / "c", preset="paper", min_count=1, line_length=7)
    assert len(corpus) == 28
    assert corpus.line_offsets.tolist() == [0, 7, 14, 21, 28]
    assert corpus.header["accounting"]["dropped"]["incomplete_last_line"] == 2
    assert corpus.document_offsets.tolist() == [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28]
    kept = encode_text(path, tmp_path / "k", preset="paper", min_count=1, line_length=7, last_line="keep")
    assert kept.line_offsets.tolist() == [0, 7, 14, 21, 28, 30]


def test_the_budget_counts_stop_words_but_not_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("the 12 red house and 13 the green house and the blue house\n" * 3)
    corpus = encode_text(path, tmp_path / "c", min_count=1, max_tokens=6)
    assert written(corpus) == ["red", "house", "green"]  # the red house and the green
    kept = encode_text(path, tmp_path / "k", min_count=1, max_tokens=6, budget="kept")
    assert written(kept) == ["red", "house", "green", "house", "blue", "house"]


def test_rare_words_keep_their_ids_but_read_as_unknown(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("dog dog cat dog bird cat\n")
    corpus = encode_text(path, tmp_path / "c", min_count=2)
    assert corpus.all_words == ["<unk>", "dog", "cat", "bird"]
    assert corpus.vocabulary == ["<unk>", "dog", "cat"]
    assert corpus[:].tolist() == [1, 1, 2, 1, 0, 2]
    assert corpus.frequencies.tolist() == [1, 3, 2]
    assert Corpus.open(tmp_path / "c", min_count=1).vocabulary_size == 4
    dropped = encode_text(path, tmp_path / "d", min_count=2, rare="drop")
    assert dropped[:].tolist() == [1, 1, 2, 1, 2]
    assert dropped.header["accounting"]["dropped"]["rare"] == 1
    with pytest.raises(OptionError, match="were dropped"):
        Corpus.open(tmp_path / "d", min_count=1)


def test_vocabulary_order_is_by_count_then_by_word(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("pear apple zebra zebra apple pear fig\n")
    assert encode_text(path, tmp_path / "c", min_count=1).vocabulary == ["<unk>", "apple", "pear", "zebra", "fig"]


def test_every_word_read_is_kept_or_has_a_reason(tmp_path: Path, text: Path) -> None:
    for number, options in enumerate(({}, {"preset": "paper"}, {"rare": "drop"}, {"max_tokens": 500})):
        accounting = encode_text(text, tmp_path / f"c{number}", **options).header["accounting"]
        assert accounting["read"] == accounting["kept"] + sum(accounting["dropped"].values())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=12), min_size=1, max_size=8), st.integers(1, 4))
def test_token_lists_come_back(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]], least: int
) -> None:
    if not any(documents):
        return
    corpus = encode_tokens(documents, tmp_path_factory.mktemp("t") / "c", min_count=least)
    flat = [word for document in documents for word in document]
    assert written(corpus) == flat
    expected = [word if flat.count(word) >= least else "<unk>" for word in flat]
    assert [word for line in corpus.lines_of_words() for word in line] == expected
    assert [len(line) for line in corpus] == [len(d) for d in documents if d]
    assert corpus.document_frequency.tolist()[1:] == [sum(w in d for d in documents) for w in corpus.all_words[1:]]


def test_shuffled_documents_are_the_same_documents(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("".join(f"first{c} second{c}. Third{c}\n" for c in "abcdefghij"))
    plain = encode_text(path, tmp_path / "p", min_count=1)
    mixed = encode_text(path, tmp_path / "s", min_count=1, shuffle=3)
    assert written(plain) != written(mixed)
    texts = [[c.document_text(i) for i in range(10)] for c in (plain, mixed)]
    assert sorted(texts[0]) == sorted(texts[1])
    for i in range(10):
        words = [mixed.all_words[j] for j in mixed.document(i)]
        assert mixed.document_text(i).lower().replace(".", "").split() == words
    assert contents(encode_text(path, tmp_path / "s2", min_count=1, shuffle=3).path) == contents(mixed.path)
    assert written(encode_text(path, tmp_path / "s4", min_count=1, shuffle=4)) != written(mixed)


# ---- lemmas, stop words, languages --------------------------------------------------------------------------


def test_forms_of_a_word_share_a_key(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("Dogs dog DOG mice mouse wins winning Übergröße übergröße\n")
    assert written(encode_text(path, tmp_path / "c", min_count=1)) == [
        "dog", "dog", "dog", "mouse", "mouse", "win", "win", "übergröße", "übergröße"]  # fmt: skip
    raw = encode_text(path, tmp_path / "n", min_count=1, lemmas="none", stopwords="none")
    assert written(raw)[:5] == ["dogs", "dog", "dog", "mice", "mouse"]


def test_stop_words_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("# mine\ndog\n\n")
    (tmp_path / "t.txt").write_text("the dogs run\n")
    corpus = encode_text(tmp_path / "t.txt", tmp_path / "c", min_count=1, stopwords=str(tmp_path / "stop.txt"))
    assert written(corpus) == ["the", "run"]
    assert corpus.parameters["stopwords"] == "file:stop.txt"


def test_other_languages_say_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("die Hunde laufen\n")
    with pytest.raises(OptionError, match="no stop words for language 'de'"):
        encode_text(tmp_path / "t.txt", tmp_path / "c", language="de")
    with pytest.raises(OptionError, match="no lemmas for language 'xx'"):
        encode_text(tmp_path / "t.txt", tmp_path / "c", language="xx", stopwords="none")
    corpus = encode_text(tmp_path / "t.txt", tmp_path / "c", language="de", stopwords="none", min_count=1)
    assert "hund" in written(corpus)


# ---- the way back to the text -------------------------------------------------------------------------------


def test_sentences_come_back_as_they_stood(tmp_path: Path) -> None:
    text = "A dog barks. Dr. Smith's cat – a naïve one – sleeps!\nAnother  document here.\n"
    (tmp_path / "t.txt").write_text(text, encoding="utf-8")
    corpus = encode_text(tmp_path / "t.txt", tmp_path / "c", min_count=1)
    assert [corpus.sentence_text(i) for i in range(3)] == [
        "A dog barks.", "Dr. Smith's cat – a naïve one – sleeps!", "Another document here."]  # fmt: skip
    assert corpus.document_text(1) == "Another document here."
    assert corpus.sentence_of(len(corpus) - 1) == 2
    assert np.concatenate([corpus.sentence(i) for i in range(3)]).tolist() == corpus[:].tolist()
    assert [len(corpus.sentence(i)) for i in range(3)] == np.diff(corpus.sentence_offsets).tolist()
    with pytest.raises(IndexError):
        corpus.sentence_text(3)


def test_text_is_dropped_again(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("".join(f"Sentence number{c} is here.\n" for c in "abcdefghijklmnop"))
    corpus = encode_text(tmp_path / "t.txt", tmp_path / "c", min_count=1)
    assert [corpus.sentence_text(i) for i in (0, 7, 15)] == [f"Sentence number{c} is here." for c in "ahp"]
    identity = corpus.fingerprint
    assert drop_text(tmp_path / "c") > 0
    after = Corpus.open(tmp_path / "c")
    assert after.text is None
    assert after.fingerprint == identity
    with pytest.raises(Exception, match="not kept"):
        after.sentence_text(0)
    assert drop_text(tmp_path / "c") == 0  # a second call removes what a killed one left, here nothing


def test_text_of_up_to_a_gibibyte_is_kept() -> None:
    assert KEEP_BELOW == 1 << 30  # as docs/reference/commands.md says


def test_text_is_not_kept_above_a_size(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperdive.text.fold.KEEP_BELOW", 1000)
    assert encode_text(text, tmp_path / "c").text is None
    assert encode_text(text, tmp_path / "k", keep_text=True).text is not None
    assert encode_text(text, tmp_path / "n", keep_text=False).text is None


# ---- formats ------------------------------------------------------------------------------------------------


def test_json_lines_csv_and_parquet_give_the_same_words(tmp_path: Path) -> None:
    documents = ['The "quick" fox, it\njumped', "Über den Fluß", "", "last one"]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"a": {"b": d}, "n": 1}) + "\n" for d in documents))
    rows = ["id,body"] + [f'{i},"{d.replace(chr(34), chr(34) * 2)}"' for i, d in enumerate(documents)]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    parquet.write_table(pa.table({"body": documents}), tmp_path / "t.parquet")
    results = [
        encode_text(tmp_path / "t.jsonl", tmp_path / "j", field="a.b", min_count=1),
        encode_text(tmp_path / "t.csv", tmp_path / "v", column="body", min_count=1),
        encode_text(tmp_path / "t.parquet", tmp_path / "q", column="body", min_count=1),
    ]
    for corpus in results:
        assert written(corpus) == written(results[0])
        assert corpus.header["totals"]["documents"] == 3
    assert results[0].document_text(0) == 'The "quick" fox, it jumped'


def test_a_folder_is_read_in_the_order_of_its_paths(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for name, word in (("b.txt", "second"), ("a/z.txt", "first"), ("c.md", "third"), (".hidden", "never")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(word + "\n")
    (folder / "x.bin").write_bytes(bytes(range(32)) * 40)
    (folder / "empty.txt").write_text("")
    corpus = encode_text(folder, tmp_path / "c", min_count=1, stopwords="none", lemmas="none")
    assert written(corpus) == ["first", "second", "third"]
    assert corpus.header["skipped_files"] == 2
    assert [f["name"] for f in corpus.header["input"]["files"]] == ["z.txt", "b.txt", "c.md"]


def test_the_header_names_a_thousand_files_and_counts_them_all(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(1001):
        (folder / f"{number:04d}.txt").write_text("dog\n")
    read = encode_text(folder, tmp_path / "c", min_count=1, terms="none", keep_text=False).header["input"]
    assert (read["n_files"], len(read["files"]), read["bytes"]) == (1001, 1000, 4004)
    assert read["files"][-1]["name"] == "0999.txt"


def test_parts_are_full_wherever_the_part_before_them_ended(tmp_path: Path) -> None:
    sources = []
    for name, size in (("a", 5), ("b", 5), ("c", 5), ("d", 24), ("e", 5), ("f", 5), ("g", 5), ("h", 5)):
        (tmp_path / name).write_text("word\n" * (size // 5) + "\n" * (size % 5))
        sources.append(TextSource(str(tmp_path / name), size=size))
    sources.insert(1, TextSource("s3a://bucket/x", size=5))
    parts = cut_parts(sources, DocumentLayout(), 6, 6)
    assert [[Path(source.path).name for source in part.sources] for part in parts] == [
        ["a"], ["x"], ["b", "c"], ["d"], ["d"], ["d"], ["e", "f"], ["g", "h"]]  # fmt: skip


@pytest.mark.parametrize(("budget", "used"), [("alphabetic", 4), ("kept", 2)])
def test_a_part_says_how_many_tokens_of_the_budget_it_uses(
    tmp_path: Path, budget: Literal["alphabetic", "kept"], used: int
) -> None:
    (tmp_path / "t.txt").write_text("The dog and 12 cats.\n")
    source = TextSource(str(tmp_path / "t.txt"), size=21)
    reader = PartReader(EncodeOptions(budget=budget), DocumentLayout(), 100, keep_text=False, observer=None)
    assert reader(TextPart((source,)))[0]["budget"] == used


def test_globs_and_whole_files(tmp_path: Path) -> None:
    (tmp_path / "n2.txt").write_text("two\nlines\n")
    (tmp_path / "n1.txt").write_text("one\nfile\n")
    corpus = encode_text(str(tmp_path / "n*.txt"), tmp_path / "c", document="file", min_count=1)
    assert corpus.header["totals"]["documents"] == 2
    assert [corpus.all_words[i] for i in corpus.document(0)] == ["one", "file"]


def test_a_byte_order_mark_is_not_a_word(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"\xef\xbb\xbfdog\r\ncat\r\n")
    for document in ("line", "file"):
        assert written(encode_text(tmp_path / "t.txt", tmp_path / document, min_count=1, document=document)) == [
            "dog",
            "cat",
        ]


def test_nothing_left_says_why(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("the and of\n")
    with pytest.raises(InputError, match="only stop words"):
        encode_text(tmp_path / "t.txt", tmp_path / "c")
    (tmp_path / "t.txt").write_text("dog cat\n")
    with pytest.raises(InputError, match="--set last_line=keep"):
        encode_text(tmp_path / "t.txt", tmp_path / "c", preset="paper")
    assert not (tmp_path / "c").exists()


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="use drop, split, keep"):
        EncodeOptions.preset(hyphens="nope")
    with pytest.raises(OptionError, match="use one of default, paper"):
        EncodeOptions.preset("nope")
    with pytest.raises(OptionError, match="no option 'color'"):
        EncodeOptions.preset(color="red")
    for wrong in ({"line_length": 0}, {"min_count": 0}, {"max_tokens": -1}, {"shuffle": -1},
                  {"line_length": "page"}, {"max_tokens": 1 << 62}):  # fmt: skip
        with pytest.raises(OptionError):
            EncodeOptions.preset(**wrong)
    assert EncodeOptions(max_tokens=(1 << 62) - 1).max_tokens == (1 << 62) - 1


def test_numpy_reads_the_arrays_without_hyperdive(tmp_path: Path) -> None:
    """The format is plain: arrays of NumPy and tables of Parquet."""
    (tmp_path / "t.txt").write_text("dog cat dog\n")
    encode_text(tmp_path / "t.txt", tmp_path / "c", min_count=1)
    assert np.load(tmp_path / "c" / "tokens.npy").tolist() == [1, 2, 1]
    words = parquet.read_table(tmp_path / "c" / "words.parquet").to_pylist()
    assert words[1] == {"word": "dog", "count": 2, "documents": 1}
    assert parquet.read_table(tmp_path / "c" / "text.parquet").to_pylist() == [{"text": b"dog cat dog"}]


def test_the_short_way_to_an_english_lemma_is_the_long_one(tmp_path: Path) -> None:
    from simplemma import lemmatize

    from hyperdive.text.lemmas import lemmatiser

    lemma = lemmatiser(EncodeOptions())
    draw = random.Random(2)
    endings = ["", "s", "es", "ing", "ed", "ness", "ies", "ization", "ves", "ly", "'s", "-like"]
    stems = ["dog", "wolf", "carr", "organ", "zyx", "blorf", "mouse", "mice", "un", "over", "philosoph", "run"]
    for _ in range(2000):
        form = draw.choice(["", "", "pre", "un"]) + draw.choice(stems) + draw.choice(endings)
        assert lemma(form) == lemmatize(form, lang="en"), form


def test_each_word_has_the_tag_of_its_place(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("The dog barks. Big cats sleep. They run.\n")
    corpus = encode_text(
        tmp_path / "t.txt", tmp_path / "c", pos="textblob", threads=1, min_count=1, stopwords="none", lemmas="none"
    )
    assert written(corpus) == ["the|d", "dog|n", "barks|v", "big|n", "cats|n", "sleep|v", "they|p", "run|v"]


def test_one_worker_that_tags_is_a_thread() -> None:
    with tagging.executor(EncodeOptions(pos="textblob"), 1) as pool:
        assert pool.submit(os.getpid).result() == os.getpid()
