"""Small corpora to the last figure: arrays, header, progress, borders of chunks and budgets, damaged folders."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hyperdive._progress import Bar, Progress
from hyperdive._store import canonical_json, fingerprint
from hyperdive.errors import Error, FormatError, OptionError, OutputError
from hyperdive.options import EncodeOptions
from hyperdive.text import corpus_writer, fold, kept_text
from hyperdive.text.corpus import Corpus
from hyperdive.text.corpus_writer import explain_nothing_left
from hyperdive.text.encoder import TextRun, encode_text
from hyperdive.text.fold import Accounting
from hyperdive.text.kept_text import drop_text
from hyperdive.text.sources import DocumentSource

A, B = "The dog saw 12 cats. Dogs barked!\n\nOf the.\nA cat slept.\n", "Cats purr. It is. The dog slept\n"


class Noted(Progress):
    """Remembers bars and notes."""

    def __init__(self) -> None:
        super().__init__("none", io.StringIO())
        self.bars: dict[str, Bar] = {}

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        with super().stage(name, total=total, unit=unit) as bar:
            self.bars[name] = bar
            yield bar

    @property
    def notes(self) -> list[str]:
        assert isinstance(self.out, io.StringIO)
        return self.out.getvalue().splitlines()


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    (tmp_path / "a.txt").write_text(A)
    (tmp_path / "b.txt").write_text(B)
    return [tmp_path / "a.txt", tmp_path / "b.txt"]


def arrays(folder: Path) -> dict[str, list[Any]]:
    """What any program reads: arrays as NumPy does, and the columns of the table of words."""
    columns = parquet.read_table(folder / "words.parquet").drop(["word"]).to_pydict()
    return columns | {path.name: np.load(path).tolist() for path in folder.glob("*.npy")}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# ---- what is written ----------------------------------------------------------------------------------------

WHOLE = {
    "tokens.npy": [2, 6, 1, 2, 4, 1, 3, 1, 5, 2, 3],
    "count": [0, 3, 3, 2, 1, 1, 1],
    "documents": [0, 3, 2, 2, 1, 1, 1],
    "documents.npy": [0, 5, 5, 7, 11],
    "document_sentences.npy": [0, 2, 3, 4, 7],
    "sentences.npy": [0, 3, 5, 5, 7, 9, 9, 11],
}
SENTENCES = ["The dog saw 12 cats.", "Dogs barked!", "Of the.", "A cat slept.", "Cats purr.", "It is.", "The dog slept"]


@pytest.mark.parametrize("chunk", [1, 2, 3, 1000])
def test_two_files_to_the_last_number(
    tmp_path: Path, texts: list[Path], monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(corpus_writer, "_CHUNK_TOKENS", chunk)
    monkeypatch.setattr(corpus_writer, "_CHUNK_WORDS", chunk)
    corpus = encode_text(texts, tmp_path / "c", min_count=2, terms="none", line_length=3)
    found = arrays(tmp_path / "c")
    assert found == WHOLE
    assert corpus.all_words == ["<unk>", "cat", "dog", "sleep", "bark", "purr", "see"]
    header, digests = corpus.header, [hashlib.sha256(text.encode()) for text in (A, B)]
    assert header["totals"] == {
        "documents": 4, "lines": 4, "sentences": 7, "tokens": 11, "types": 6, "vocabulary": 4,
    }  # fmt: skip
    assert header["accounting"] == {"dropped": {"number": 1, "stop_word": 7}, "kept": 11, "read": 19}
    assert header["input"] == {
        "kind": "text",
        "bytes": 88,
        "n_files": 2,
        "sha256": hashlib.sha256(b"".join(one.digest() for one in digests)).hexdigest(),
        "files": [
            {"name": "a.txt", "bytes": 56, "sha256": digests[0].hexdigest()},
            {"name": "b.txt", "bytes": 32, "sha256": digests[1].hexdigest()},
        ],
    }
    assert (header["keep_text"], header["skipped_files"], header["format_version"]) == (True, 0, 3)
    for kind, offsets in (("sentence", [0, 3, 5, 7, 9, 11]), ("document", [0, 5, 7, 11])):
        lines = encode_text(texts, tmp_path / kind, terms="none", line_length=kind, last_line="drop")
        assert lines.line_offsets.tolist() == arrays(tmp_path / kind)["lines.npy"] == offsets
        assert lines.header["totals"]["lines"] == len(offsets) - 1
        assert lines.header["totals"]["vocabulary"] == 1


@pytest.mark.parametrize("chunk", [1, 2, 3, 1000])
def test_rare_words_and_an_incomplete_line_are_dropped(
    tmp_path: Path, texts: list[Path], monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(corpus_writer, "_CHUNK_TOKENS", chunk)
    encode_text(
        texts, tmp_path / "c", min_count=3, rare="drop", terms="none", keep_text=False, line_length=4, last_line="drop"
    )
    found = arrays(tmp_path / "c")
    assert found == {
        "tokens.npy": [2, 1, 2, 1], "count": [0, 2, 2], "documents": [0, 2, 1],
        "documents.npy": [0, 3, 3, 4, 4], "document_sentences.npy": [0, 2, 3, 4, 7],
        "sentences.npy": [0, 2, 3, 3, 4, 4, 4, 4],
    }  # fmt: skip
    header = Corpus.open(tmp_path / "c").header
    assert header["accounting"]["dropped"] == {"incomplete_last_line": 2, "number": 1, "rare": 5, "stop_word": 7}
    assert (header["totals"]["lines"], header["totals"]["vocabulary"], header["keep_text"]) == (1, 1, False)


@pytest.mark.parametrize("chunk", [1, 2, 1000])
@pytest.mark.parametrize("keep_text", [True, False])
def test_shuffled_documents_to_the_last_number(
    tmp_path: Path, texts: list[Path], monkeypatch: pytest.MonkeyPatch, chunk: int, keep_text: bool
) -> None:
    monkeypatch.setattr(corpus_writer, "_CHUNK_DOCUMENTS", chunk)
    corpus = encode_text(texts, tmp_path / "c", min_count=1, terms="none", shuffle=3, keep_text=keep_text)
    order = corpus_writer.document_order(3, 4).tolist()
    assert order == np.random.default_rng(3).permutation(4).tolist() != [0, 1, 2, 3]
    found = arrays(tmp_path / "c")
    documents, sentences, first = WHOLE["documents.npy"], WHOLE["sentences.npy"], WHOLE["document_sentences.npy"]
    words, starts, rows, ends = [], [], [], [0]
    for one in order:
        mine = range(first[one], first[one + 1])
        starts += [sentences[i] - documents[one] + len(words) for i in mine]
        rows += mine
        words += WHOLE["tokens.npy"][documents[one] : documents[one + 1]]
        ends.append(len(words))
    assert found["tokens.npy"] == words and found["documents.npy"] == ends
    assert found["sentences.npy"] == [*starts, 11]
    assert np.diff(found["document_sentences.npy"]).tolist() == [first[one + 1] - first[one] for one in order]
    assert found.get("sentence_rows.npy") == (rows if keep_text else None)
    if keep_text:
        assert [corpus.sentence_text(i) for i in range(7)] == [SENTENCES[row] for row in rows]


@pytest.mark.parametrize(
    ("budget", "kept", "read", "over", "documents", "sentences", "size"),
    [
        (2, 1, 7, 4, 1, 2, 34), (5, 4, 7, 1, 1, 2, 34), (6, 5, 7, 0, 1, 2, 34), (7, 5, 9, 1, 2, 3, 43),
        (8, 5, 9, 0, 2, 3, 43), (9, 5, 12, 2, 3, 4, 56), (11, 7, 12, 0, 3, 4, 56), (12, 8, 19, 6, 4, 7, 88),
        (17, 10, 19, 1, 4, 7, 88), (18, 11, 19, 0, 4, 7, 88), (19, 11, 19, 0, 4, 7, 88), (0, 11, 19, 0, 4, 7, 88),
    ],
)  # fmt: skip
def test_reading_ends_with_the_document_in_which_the_budget_ends(
    tmp_path: Path, texts: list[Path], budget: int, kept: int, read: int, over: int, documents: int, sentences: int,
    size: int,
) -> None:  # fmt: skip
    for block in (1, 1000):
        corpus = encode_text(
            texts, tmp_path / "c", min_count=1, terms="none", max_tokens=budget, block_bytes=block, threads=1,
            force=True,
        )  # fmt: skip
        accounting, totals = corpus.header["accounting"], corpus.header["totals"]
        assert (len(corpus), accounting["read"], accounting["dropped"].get("over_budget", 0)) == (kept, read, over)
        assert (totals["documents"], totals["sentences"], corpus.header["input"]["bytes"]) == (
            documents, sentences, size,
        )  # fmt: skip
        assert arrays(corpus.path)["tokens.npy"][:kept] and corpus.sentence_offsets[-1] == kept
        assert corpus.document_sentences[-1] == sentences
        assert [corpus.sentence_text(i) for i in range(sentences)] == SENTENCES[:sentences]


@pytest.mark.parametrize("budget", [1, 4, 5, 6, 11])
def test_a_budget_of_kept_words(tmp_path: Path, texts: list[Path], budget: int) -> None:
    for block in (1, 1000):
        corpus = encode_text(
            texts, tmp_path / "c", min_count=1, terms="none", max_tokens=budget, budget="kept", block_bytes=block,
            force=True,
        )  # fmt: skip
        words = ["dog", "see", "cat", "dog", "bark", "cat", "sleep", "cat", "purr", "dog", "sleep"]
        assert [corpus.all_words[i] for i in corpus.tokens] == words[:budget]
        assert corpus.header["totals"]["documents"] == 1 + 2 * (budget > 5) + (budget > 7)


def test_progress_ends_where_the_work_ends(tmp_path: Path, texts: list[Path]) -> None:
    progress = Noted()
    encode_text(texts, tmp_path / "c", min_count=1, terms="none", block_bytes=10, progress=progress)
    shown = {name: (bar.done, bar.total, bar.unit) for name, bar in progress.bars.items()}
    assert shown == {"reading": (88, 88, "B"), "writing": (11, 11, "words")}
    assert progress.notes == []
    documents = DocumentSource("p", documents=["a dog", "é cat", "ox"])
    encode_text(documents, tmp_path / "d", min_count=1, terms="none", block_bytes=6, progress=progress)
    assert (progress.bars["reading"].done, progress.bars["reading"].total) == (6 + 7 + 3, None)
    (tmp_path / "t.jsonl").write_text('{"text": "dog"}\n' * 9)  # all is read with the first block
    encode_text(tmp_path / "t.jsonl", tmp_path / "j", min_count=1, terms="none", block_bytes=4, progress=progress)
    assert (progress.bars["reading"].done, progress.bars["reading"].total) == (144, 144)


@pytest.mark.parametrize("empty", [9, 10, 11, 12])
def test_ten_skipped_files_are_named(tmp_path: Path, empty: int) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "z.txt").write_text(A)
    for number in range(empty):
        (tmp_path / "in" / f"{number:02d}.txt").touch()
    progress = Noted()
    corpus = encode_text(tmp_path / "in", tmp_path / "c", terms="none", progress=progress)
    named = [f"skipped {tmp_path / 'in' / f'{number:02d}.txt'}: the file is empty" for number in range(min(empty, 10))]
    assert progress.notes == [*named, *([f"skipped {empty - 10} more files"] if empty > 10 else [])]
    assert corpus.header["skipped_files"] == empty


def test_what_was_odd_in_the_input_is_told_and_noted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"dog\ncat\n" * 3)
    (tmp_path / "b.txt").write_bytes(b"dog\nc\xffat \xff\nbird\0\n" + b"dog\n" * 50)
    progress = Noted()
    texts = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for block in (4, 1000):
        corpus = encode_text(
            texts, tmp_path / "c", terms="none", progress=progress, block_bytes=block, force=True
        )  # refused only with `strict`
        assert corpus.header["input"]["invalid_utf8_bytes"] == 2 and corpus.header["input"]["nul_bytes"] == 1
        assert corpus.header["input"]["first_invalid_utf8"] == {"file": "b.txt", "offset": 5}
    assert progress.notes[:2] == [
        "note: 2 bytes of invalid UTF-8 were read as spaces, the first in b.txt at byte 5 (--set strict=yes refuses them)",
        "note: 1 NUL bytes were read as spaces",
    ]
    with pytest.raises(OutputError, match="already exists"):
        encode_text(texts, tmp_path / "c")
    (tmp_path / "t.jsonl").write_text('{"text": null}\n{"text": "dog"}\n{"text": null}\n')
    corpus = encode_text(tmp_path / "t.jsonl", tmp_path / "j", terms="none", progress=progress)
    assert corpus.header["input"]["rows_without_text"] == 2
    assert progress.notes[-1] == "note: 2 rows have no text (null) and were left out"


def test_a_block_has_one_byte_or_more() -> None:
    assert TextRun(block_bytes=1).block_bytes == 1
    assert (TextRun().strict, TextRun().force) == (False, False)
    with pytest.raises(OptionError, match="the block size is 0"):
        TextRun(block_bytes=0)


# ---- small parts --------------------------------------------------------------------------------------------


def test_what_was_dropped_is_added_up() -> None:
    accounting = Accounting()
    for reason, count in (("rare", 2), ("number", 0), ("rare", 3)):
        accounting.drop(reason, count)
    assert accounting.as_dict(7) == {"read": 0, "kept": 7, "dropped": {"rare": 5}}


@pytest.mark.parametrize(
    ("read", "dropped", "hint"),
    [
        (0, {}, "the input has no words"),
        (1, {"number": 1}, "nothing but numbers and signs"),
        (1, {}, "nothing but numbers and signs"),
        (9, {"stop_word": 5, "rare": 4}, "only stop words"),
        (9, {"stop_word": 4, "rare": 5}, "fewer than 10 times"),
        (9, {"incomplete_last_line": 9, "joined": 0}, "fewer than 100 words"),
        (9, {"not_in_alphabet": 9}, "outside ASCII"),
        (9, {"joined": 9}, "hyphenated"),
    ],
)
def test_why_nothing_is_left(read: int, dropped: dict[str, int], hint: str) -> None:
    assert hint in explain_nothing_left(Accounting(read, dropped), EncodeOptions())


def test_a_budget_that_leaves_nothing_is_named() -> None:
    accounting = Accounting(9, {"stop_word": 2, "over_budget": 7})
    hint = explain_nothing_left(accounting, EncodeOptions(max_tokens=2))
    assert hint == "the first 2 words leave too few; try a larger --max-tokens"


def test_one_word_is_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("dog")
    corpus = encode_text(tmp_path / "t.txt", tmp_path / "c", terms="none", min_count=1, line_length=1)
    assert Corpus.open(tmp_path / "c").header["totals"] == {
        "documents": 1, "lines": 1, "sentences": 1, "tokens": 1, "types": 1, "vocabulary": 2,
    }  # fmt: skip
    assert (corpus.sentence_text(0), corpus[0], corpus.line_offsets.tolist()) == ("dog", 1, [0, 1])


@pytest.mark.parametrize(("most", "kept"), [(88, True), (87, False)])
def test_text_of_exactly_the_size_is_kept(
    tmp_path: Path, texts: list[Path], monkeypatch: pytest.MonkeyPatch, most: int, kept: bool
) -> None:
    monkeypatch.setattr(fold, "KEEP_BELOW", most)
    assert (encode_text(texts, tmp_path / "c", terms="none").text is not None) is kept
    assert encode_text(texts, tmp_path / "k", terms="none", keep_text=True).text is not None


def test_a_document_of_pieces_whose_first_has_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperdive.text.readers.PIECE_BYTES", 8)
    (tmp_path / "t.txt").write_text("- - - - - - - dog cat")
    for block in (1, 1000):
        corpus = encode_text(
            tmp_path / "t.txt", tmp_path / "c", min_count=1, terms="none", block_bytes=block, force=True
        )
        assert (corpus.document_offsets.tolist(), corpus.document_sentences.tolist()) == ([0, 2], [0, 3])


# ---- kept text ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "size", "groups"),
    [
        (1, 1000, [1] * 7), (3, 1000, [3, 3, 1]), (7, 1000, [7]), (8, 1000, [7]),
        (8, 1, [1] * 7), (8, 20, [1, 3, 3]), (8, 21, [2, 3, 2]), (8, 80, [7]),
    ],
)  # fmt: skip
def test_every_sentence_comes_back_whatever_the_row_groups(
    tmp_path: Path, texts: list[Path], monkeypatch: pytest.MonkeyPatch, rows: int, size: int, groups: list[int]
) -> None:
    monkeypatch.setattr(kept_text, "GROUP_ROWS", rows)
    monkeypatch.setattr(kept_text, "GROUP_BYTES", size)
    for part_bytes in (1, 30, 1000):
        corpus = encode_text(
            texts, tmp_path / "c", terms="none", block_bytes=1, part_bytes=part_bytes, force=True, threads=2
        )
        about = parquet.ParquetFile(tmp_path / "c" / "text.parquet").metadata
        assert [about.row_group(number).num_rows for number in range(about.num_row_groups)] == groups
        assert about.row_group(0).column(0).compression == "ZSTD"
        assert [corpus.sentence_text(i) for i in range(7)] == SENTENCES
        assert [corpus.document_text(i) for i in range(4)] == [
            " ".join(SENTENCES[a:b]) for a, b in ((0, 2), (2, 3), (3, 4), (4, 7))
        ]


def test_a_header_says_that_the_text_is_gone(tmp_path: Path, texts: list[Path]) -> None:
    corpus = encode_text(texts, tmp_path / "c", terms="none")
    sizes = (tmp_path / "c" / "text.parquet").stat().st_size
    assert corpus.header["keep_text"] is True and drop_text(tmp_path / "c") == sizes
    assert Corpus.open(tmp_path / "c").header["keep_text"] is False


# ---- reading a corpus ---------------------------------------------------------------------------------------


def forge(folder: Path, changes: dict[str, Any] | None = None, **files: Any) -> Path:
    """Change files and the header as a forger would: with fitting checksums. `tokens_npy=…` is `tokens.npy`."""
    header = json.loads((folder / "header.json").read_text())
    for key, values in files.items():
        name = key.replace("_npy", ".npy").replace("_parquet", ".parquet")
        about = header["files"].setdefault(name, {"dtype": "<i8"})
        if isinstance(values, pa.Table):
            parquet.write_table(values, folder / name)
        else:
            data = np.asarray(values).astype(about["dtype"])
            np.save(folder / name, data)
            about["shape"] = list(data.shape)
        raw = (folder / name).read_bytes()
        about.update(bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest())
    for part, change in (changes or {}).items():
        header[part].update(change)
    header.pop("fingerprint")
    header["fingerprint"] = fingerprint(header)
    (folder / "header.json").write_text(canonical_json(header))
    return folder


WORDS = ["<unk>", "cat", "dog", "sleep", "bark", "purr", "see"]


def words(**columns: Any) -> pa.Table:
    """The table of words with other columns."""
    table = {"word": pa.array(WORDS, pa.large_string()), "count": WHOLE["count"], "documents": WHOLE["documents"]}
    return pa.table(table | columns)


def sentences(rows: list[Any], kind: Any = None) -> pa.Table:
    return pa.table({"text": pa.array(rows, kind or pa.large_binary())})


@pytest.fixture
def corpus(tmp_path: Path, texts: list[Path]) -> Path:
    return encode_text(texts, tmp_path / "c", min_count=2, terms="none", line_length=3).path


def test_a_forged_corpus_that_fits_is_opened(corpus: Path) -> None:
    forge(corpus, words_parquet=words())
    forge(corpus, **{name.replace(".", "_"): values for name, values in WHOLE.items() if name.endswith(".npy")})
    assert Corpus.open(corpus).all_words == WORDS


@pytest.mark.parametrize(
    ("changes", "files"),
    [
        ({"totals": {"tokens": 12}}, {}),
        ({"totals": {"types": 7}}, {}),
        ({"totals": {"documents": 5}}, {}),
        ({"totals": {"sentences": 6}}, {}),
        ({"totals": {"lines": "4"}}, {}),
        ({"parameters": {"line_length": 0}}, {}),
        ({"parameters": {"line_length": "sentence"}}, {}),
        ({"parameters": {"min_count": 0}}, {}),
        ({}, {"documents_npy": [[0], [5], [5], [7], [11]]}),
        ({}, {"words_parquet": words(count=[1, 3, 2, 2, 1, 1, 1])}),
        ({}, {"words_parquet": words(count=[0, 3, 3, 1, 2, 1, 1])}),
        ({}, {"words_parquet": words(count=[0, 3, 3, 2, 1, 1, 0])}),
        ({}, {"words_parquet": words(count=[0, 3, 3, 2, 1, 1, 2])}),
        ({}, {"words_parquet": words(count=[0, 12, 3, 2, 0, 0, -6])}),
        ({}, {"words_parquet": words(count=[0, 3, 3, 2, 1, 1, None])}),
        ({}, {"words_parquet": words(count=[0.0, 3, 3, 2, 1, 1, 1])}),
        ({}, {"words_parquet": words(documents=["0", "3", "2", "2", "1", "1", "1"])}),
        ({}, {"words_parquet": words().drop(["documents"])}),
        ({}, {"words_parquet": words().slice(0, 6)}),
    ],
)
def test_a_header_that_does_not_fit_is_refused(corpus: Path, changes: dict[str, Any], files: dict[str, Any]) -> None:
    with pytest.raises(Error):
        Corpus.open(forge(corpus, changes, **files))


@pytest.mark.parametrize(
    ("what", "files"),
    [
        ("tokens", {"tokens_npy": [2, 6, 1, 2, 4, 1, 3, 1, 5, 2, 7]}),
        ("document_offsets", {"documents_npy": [0, 5, 5, 7, 10]}),
        ("document_offsets", {"documents_npy": [0, 5, 4, 7, 11]}),
        ("sentence_offsets", {"sentences_npy": [1, 3, 5, 5, 7, 9, 9, 11]}),
        ("document_sentences", {"document_sentences_npy": [0, 2, 3, 4, 6]}),
        ("document_sentences", {"document_sentences_npy": [0, 2, 3, 7]}),
        ("text", {"text_parquet": sentences([b"one"] * 6)}),
        ("text", {"text_parquet": sentences(["one"] * 7, pa.large_string())}),
        ("text", {"text_parquet": sentences([b"one"] * 7).rename_columns(["sentence"])}),
        ("text", {"sentence_rows_npy": [0, 1, 2, 3, 4, 5]}),
        ("text", {"sentence_rows_npy": [0, 1, 2, 3, 4, 5, 7]}),
        ("text", {"sentence_rows_npy": [0, 1, 2, 3, 4, 5, -1]}),
    ],
)
def test_arrays_that_do_not_fit_are_refused(corpus: Path, what: str, files: dict[str, Any]) -> None:
    damaged = Corpus.open(forge(corpus, **files))
    with pytest.raises(FormatError):
        getattr(damaged, what)


def test_sentences_that_are_missing_or_folded_are_refused(corpus: Path) -> None:
    """Of a dictionary with one long text, a row group of some bytes could be thousands of them in memory."""
    for rows in ([b"one", None] + [b"two"] * 5, [b"one"] * 7):
        with pytest.raises(FormatError, match=r"text.parquet is damaged"):
            Corpus.open(forge(corpus, text_parquet=sentences(rows))).sentence_text(0)


def test_an_altered_file_is_found_when_it_is_read(corpus: Path) -> None:
    np.save(corpus / "tokens.npy", np.zeros(11, dtype="<u4"))
    with pytest.raises(FormatError, match="checksum"):
        Corpus.open(corpus).tokens  # noqa: B018
    assert Corpus.open(corpus, verify=False).tokens.tolist() == [0] * 11


def test_words_below_the_minimum_count_read_as_unknown(corpus: Path) -> None:
    opened = Corpus.open(corpus)
    assert opened[:].tolist() == [2, 0, 1, 2, 0, 1, 3, 1, 0, 2, 3]
    assert [opened[place] for place in range(11)] == opened[:].tolist()
    assert (opened.vocabulary_size, opened.frequencies.tolist()) == (4, [3, 3, 3, 2])
    assert opened.word_ids == {"cat": 1, "dog": 2, "sleep": 3}
    for least, size in ((1, 7), (3, 3), (4, 1)):
        assert Corpus.open(corpus, min_count=least).vocabulary_size == size
    assert Corpus.open(corpus, min_count=4).frequencies.tolist() == [11]
    with pytest.raises(OptionError, match="1 or more"):
        Corpus.open(corpus, min_count=0)


def test_numbers_of_documents_sentences_and_tokens_have_borders(corpus: Path) -> None:
    opened = Corpus.open(corpus)
    for read, last in ((opened.document, 3), (opened.document_text, 3), (opened.sentence, 6),
                       (opened.sentence_text, 6), (opened.sentence_of, 10)):  # fmt: skip
        read(0), read(last)
        for beyond in (-1, last + 1):
            with pytest.raises(IndexError, match=f"{beyond} is outside the {last + 1} "):
                read(beyond)
    assert [opened.document(i).tolist() for i in range(4)] == [[2, 0, 1, 2, 0], [], [1, 3], [1, 0, 2, 3]]
    assert [opened.sentence(i).tolist() for i in range(3)] == [[2, 0, 1], [2, 0], []]
    assert [opened.sentence_of(i) for i in (0, 2, 3, 4, 5, 6, 7, 10)] == [0, 0, 1, 1, 3, 3, 4, 6]
    assert [line.tolist() for line in opened] == [[2, 0, 1], [2, 0, 1], [3, 1, 0], [2, 3]]


def test_versions_of_the_format(tmp_path: Path, texts: list[Path]) -> None:
    (tmp_path / "list.txt").write_text("guide dog\n")
    with_terms = encode_text(texts, tmp_path / "c", min_count=1, terms=str(tmp_path / "list.txt"))
    assert with_terms.header["format_version"] == 3
    for version, reason in ((3, None), (2, "made by an earlier version"), (4, "version 4 is newer")):
        header = json.loads((tmp_path / "c" / "header.json").read_text()) | {"format_version": version}
        header.pop("fingerprint")
        (tmp_path / "c" / "header.json").write_text(canonical_json(header | {"fingerprint": fingerprint(header)}))
        if reason is None:
            assert len(Corpus.open(tmp_path / "c")) == 11
        else:
            with pytest.raises(FormatError, match=reason):
                Corpus.open(tmp_path / "c")


def test_only_words_that_were_kept_can_be_asked_for(tmp_path: Path, texts: list[Path]) -> None:
    dropped = encode_text(texts, tmp_path / "c", min_count=2, rare="drop", terms="none")
    assert (dropped.min_count, Corpus.open(tmp_path / "c", min_count=3).vocabulary_size) == (2, 3)
    with pytest.raises(OptionError, match="words under 2 were dropped"):
        Corpus.open(tmp_path / "c", min_count=1)
    (tmp_path / "t.txt").write_text("dog dog")
    assert encode_text(tmp_path / "t.txt", tmp_path / "d", terms="none").counts.tolist() == [0, 2]
