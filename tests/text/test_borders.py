"""Smallest, largest and last values in the small parts of reading: where a `<` for a `<=` would show."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hyperdive._store import ArtifactWriter
from hyperdive.errors import FormatError, InputError, OptionError
from hyperdive.options import EncodeOptions
from hyperdive.text import parts, readers
from hyperdive.text.readers import DocumentLayout, _ReadableFile
from hyperdive.text.sources import (
    STDIN,
    ByteStream,
    DocumentSource,
    TextSource,
    find_sources,
    not_text,
    what_is_wrong,
)
from hyperdive.text.term_candidates import LONGEST, _cohesion
from hyperdive.text.term_occurrences import TermOccurrences, _inside
from hyperdive.text.token_lists import encode_tokens


def test_a_line_has_one_word_or_more() -> None:
    assert EncodeOptions(line_length=1).line_length == 1
    with pytest.raises(OptionError, match="1 or more"):
        EncodeOptions(line_length=0)


def test_reading_nothing_is_not_reading_everything() -> None:
    stream = io.BytesIO(b"dog cat")
    readable = _ReadableFile(SimpleNamespace(read=stream.read, chunks=lambda size: [stream.read()]))  # type: ignore[arg-type]
    assert (readable.read(0), readable.read(3), readable.read()) == (b"", b"dog", b" cat")


def test_a_share_of_nul_bytes_makes_a_binary_file() -> None:
    def head(nuls: int) -> bytes:
        return b"\0" * nuls + b"x" * (10_100 - nuls)

    assert not_text(head(303)) is None  # one in a hundred is let pass, one in fifty of the rest
    assert not_text(head(304)) is not None


def test_files_are_closed_and_standard_input_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.txt").write_text("a dog")
    with ByteStream(TextSource(str(tmp_path / "t.txt"))) as stream:
        assert stream.read(9) == b"a dog"
    assert stream._raw.closed
    given = io.BufferedReader(io.BytesIO(b"a cat"))  # type: ignore[arg-type]
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=given, closed=False))
    with ByteStream(TextSource(STDIN)) as stream:
        assert stream.read(9) == b"a cat"
    assert not given.closed


def test_words_that_only_occur_together_have_cohesion_1() -> None:
    counts = np.array([4, 4, 8])
    keys = np.full((2, LONGEST), -1)
    keys[0, :2], keys[1, :2] = (0, 1), (2, 0)
    together, apart = _cohesion(counts, keys, np.array([2, 2]), np.array([4, 2]))
    assert together == pytest.approx(1.0)  # log ¼ - 2 log ¼ over -log ¼
    assert apart == pytest.approx(0.0)  # ⅛ = ½ · ¼


@pytest.mark.parametrize(
    ("starts", "lengths", "tokens", "fits"),
    [
        ([], [], 0, True),
        ([0, 3], [2, 2], 5, True),
        ([0, 3], [2, 2], 4, False),
        ([0, 0], [1, 2], 2, True),
        ([1, 0], [1, 1], 5, False),
        ([-1, 0], [1, 1], 5, False),
        ([5], [0], 5, True),
        ([6], [0], 5, False),
    ],
)
def test_occurrences_lie_inside_the_text(starts: list[int], lengths: list[int], tokens: int, fits: bool) -> None:
    arrays = np.array(starts, dtype=np.int64), np.array(lengths, dtype=np.uint8)
    assert _inside(*arrays, tokens) == fits
    ids = np.zeros(len(starts), dtype=np.uint32)
    files: dict[str, Any] = {
        "term_counts.npy": np.array([len(ids)]), "term_ids.npy": ids, "term_starts.npy": arrays[0],
        "term_lengths.npy": arrays[1],
    }  # fmt: skip

    class Folder:
        path, trusted = "folder", False

        def __contains__(self, name: str) -> bool:
            return True

        def lines(self, name: str) -> list[str]:
            return ["red wine\tred wine"]

        def array(self, name: str, dtype: str) -> Any:
            return files[name]

    folder: Any = Folder()
    if fits:
        read = TermOccurrences.read(folder, tokens)
        assert read is not None and read.names == ["red wine"]
    else:
        with pytest.raises(FormatError, match="do not fit"):
            TermOccurrences.read(folder, tokens)


@pytest.mark.parametrize("token", [5, "", "a b", " a", "<unk>", "\ud800"])
def test_what_is_not_a_token_is_refused(tmp_path: Path, token: Any) -> None:
    with pytest.raises(InputError, match="is not a token"):
        encode_tokens([["dog", token]], tmp_path / "c", min_count=1)


# ---- blocks of text -----------------------------------------------------------------------------------------


def blocks_of(path: Path, block_bytes: int, document: str = "line", **part: Any) -> list[tuple[Any, ...]]:
    """Text, ends, whether each piece goes on before and behind, offset and position of every block."""
    source = TextSource(str(path), size=path.stat().st_size, **part)
    return [
        (bytes(one.data), one.ends.tolist(), one.continued.tolist(), one.unfinished.tolist(), one.offset, one.position)
        for one in readers.read_blocks(source, DocumentLayout(document=document), block_bytes)
    ]


def test_blocks_end_at_the_last_line_end(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"dog\ncat\nbird\n\nfish\nox")
    no, whole = [False], (tmp_path / "t").stat().st_size
    assert blocks_of(tmp_path / "t", 8) == [
        (b"dog\ncat\n", [4, 8], no * 2, no * 2, 0, 8),
        (b"bird\n\n", [5, 6], no * 2, no * 2, 8, 16),
        (b"fish\nox", [5, 7], no * 2, no * 2, 14, whole),
    ]
    # a part has the borders of the whole text: the first block is longer by what lies before the next border
    assert blocks_of(tmp_path / "t", 6, start=8) == [
        (b"bird\n\n", [5, 6], no * 2, no * 2, 8, 18), (b"fish\nox", [5, 7], no * 2, no * 2, 14, whole),
    ]  # fmt: skip
    assert blocks_of(tmp_path / "t", 6, start=8, end=13) == [(b"bird\n", [5], no, no, 8, 13)]
    [first, *_] = readers.read_blocks(TextSource(str(tmp_path / "t"), size=whole), DocumentLayout())
    assert (bytes(first.first(1).data), bytes(first.first(2).data), first.without_text) == (b"dog\n", b"dog\ncat\n", 0)


def test_only_the_first_bytes_are_a_mark_of_byte_order(tmp_path: Path) -> None:
    mark = "\ufeff".encode()
    (tmp_path / "t").write_bytes(mark + b"dog\n" + mark + b"cat\n")
    assert [one[0] for one in blocks_of(tmp_path / "t", 7)] == [b"dog\n", mark + b"cat\n"]
    assert [one[0] for one in blocks_of(tmp_path / "t", 7, start=7)] == [mark + b"cat\n"]
    assert [(one[0], one[4]) for one in blocks_of(tmp_path / "t", 7, "file")] == [(b"dog\n" + mark + b"cat\n", 3)]
    lines = mark + b"x" * ((1 << 20) - 4) + b"\n" + mark + b"dog\ncat"
    (tmp_path / "l").write_bytes(lines)
    with ByteStream(TextSource(str(tmp_path / "l"))) as stream:
        assert b"\n".join(readers._raw_lines(stream)) == lines[3:]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (b"a bcdefghij", 2), (b" bcdefghijk", 8), (b"ab cd\tefghi", 6), (b"abcdefghijk", 8),
        ("abcdefgéé".encode(), 7), ("abcdeféé".encode(), 6), ("abcdéééé".encode(), 6), ("abcde€€".encode(), 5),
        ("abcd🙂🙂".encode(), 4), (b"abcdefg\xc0xx", 7), (b"abc" + b"\x80" * 9, 4), (b"abcdef\xe2\x82\xac", 6),
    ],
)  # fmt: skip
def test_a_long_document_is_cut_behind_a_blank_or_before_a_character(
    monkeypatch: pytest.MonkeyPatch, text: bytes, at: int
) -> None:
    monkeypatch.setattr(readers, "PIECE_BYTES", 8)
    assert readers._cut(text) == at


def test_pieces_of_long_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "PIECE_BYTES", 8)
    no, yes = [False], [True]
    (tmp_path / "t").write_bytes(b"a longer\nb c\nd efghi\nj klm no pqr\n")
    assert blocks_of(tmp_path / "t", 100) == [
        (b"a longer\nb c\nd efghi\nj klm no pqr\n", [2, 9, 13, 21, 27, 34], no + yes + no * 3 + yes,
         yes + no * 3 + yes + no, 0, 34)]  # fmt: skip
    (tmp_path / "t").write_bytes(b"a longer\nb c\n")
    assert [one[1] for one in blocks_of(tmp_path / "t", 100)] == [[2, 9, 13]]
    (tmp_path / "t").write_bytes(b"abc efghij klm no\np q\n")
    assert blocks_of(tmp_path / "t", 8) == [
        (b"abc ", [4], no, yes, 0, 16),
        (b"efghij klm no\np q\n", [7, 14, 18], yes * 2 + no, yes + no * 2, 4, 22),
    ]
    assert blocks_of(tmp_path / "t", 4, "file") == [
        (b"abc ", [4], no, yes, 0, 16), (b"efghij ", [7], yes, yes, 4, 16), (b"klm no\n", [7], yes, yes, 11, 22),
        (b"p q\n", [4], yes, no, 18, 22),
    ]  # fmt: skip
    (tmp_path / "t").write_bytes(b"abc efg\nsecond li\n\n")
    assert blocks_of(tmp_path / "t", 8)[1] == (b"second li\n\n", [7, 10, 11], no + yes + no, yes + no * 2, 8, 19)
    (tmp_path / "t").write_bytes(b"abc efgh")
    for document in ("line", "file"):
        assert blocks_of(tmp_path / "t", 9, document) == [(b"abc efgh", [8], no, no, 0, 8)]


def test_sizes_that_are_said(tmp_path: Path) -> None:
    assert (readers.BLOCK_BYTES, readers.PIECE_BYTES, readers.LONGEST_LINE) == (1 << 20, 16 << 20, 128 << 20)
    source = DocumentSource("p", documents=["dog cat", "bird", "fish"])
    found = list(readers.read_blocks(source, DocumentLayout(), 8))
    assert [(bytes(one.data), one.ends.tolist(), one.continued.tolist(), one.offset, one.position) for one in found] == [
        (b"dog cat\n", [8], [False], 0, 0), (b"bird\nfish\n", [5, 10], [False] * 2, 8, 0),
    ]  # fmt: skip


def test_rows_without_text_are_counted_in_the_block_behind_them() -> None:
    def counts(*texts: bytes | None) -> list[tuple[int, int]]:
        return [(len(one.ends), one.without_text) for one in readers._pack(texts, TextSource("t"), None, 4)]

    assert counts(None, b"dog", None, None, b"cat", b"ox") == [(1, 1), (1, 2), (1, 0)]
    assert counts(None, b"dog", b"cat", None) == [(1, 1), (1, 1)]
    assert counts(b"ox", None, b"a", None) == [(2, 2)]
    assert counts(None) == []


def test_a_line_of_json_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "t.jsonl"

    def lines(data: bytes) -> list[int]:
        path.write_bytes(data)
        with ByteStream(TextSource(str(path))) as stream:
            return [len(line) for line in readers._raw_lines(stream)]

    long = b"x" * (1 << 20)
    assert lines(long) == [1 << 20]
    assert lines(b"dog\ncat\n" + long[4:] + b"\nend\n") == [3, 3, (1 << 20) - 4, 3]
    assert lines(b"dog\n") == [3] and lines(b"\n\n") == [0, 0] and lines(b"dog\nc") == [3, 1]
    for data, number in ((long + b"y", 1), (b"dog\n" + long + b"y", 2)):
        with pytest.raises(InputError, match=f"line {number} is longer than 1 MB"):
            lines(data)


def test_a_block_of_json_lines_says_how_far_the_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"text": "a dog", "n": "{"x" * 998}"}}\n' * 2000)
    source = TextSource(str(path), "jsonl", path.stat().st_size)
    blocks = readers.read_blocks(source, DocumentLayout(), 6)
    assert next(blocks).position == next(blocks).position == 1 << 20  # it is read in mebibytes
    *_, last = blocks
    assert (last.position, last.offset) == (path.stat().st_size, 6 * 1_999)


def test_eight_names_of_what_is_there_are_told(tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(9)]
    (tmp_path / "t.jsonl").write_text("{" + ", ".join(f'"{name}": 1' for name in names) + "}\n")
    parquet.write_table(pa.table({name: ["x"] for name in names}), tmp_path / "t.parquet")
    for kind in ("jsonl", "parquet"):
        path = tmp_path / f"t.{kind}"
        with pytest.raises(InputError, match=r"it has: f0, f1, f2, f3, f4, f5, f6, f7\)"):
            list(readers.read_blocks(TextSource(str(path), kind, path.stat().st_size), DocumentLayout()))
    (tmp_path / "t.jsonl").write_text("\n[1]\n")
    with pytest.raises(InputError, match=r"line 2 has no field 'a.b' \(it has: list\)"):
        list(readers.read_blocks(TextSource(str(tmp_path / "t.jsonl"), "jsonl", 5), DocumentLayout(field="a.b")))


def test_a_row_of_a_csv_file_fits_into_two_blocks_of_eight_mebibytes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for size, fits in ((15, True), (17, False)):
        path.write_bytes(b"text\ndog\n" + b"x" * (size << 20) + b"\n")
        read = readers.read_blocks(TextSource(str(path), "csv", path.stat().st_size), DocumentLayout())
        if fits:
            assert sum(len(one.data) for one in read) == (size << 20) + 5
        else:
            with pytest.raises(InputError, match="not valid CSV"):
                list(read)


# ---- files --------------------------------------------------------------------------------------------------


def test_only_the_first_64_kilobytes_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"x" * (1 << 16) + bytes(1 << 16))
    assert what_is_wrong(TextSource(str(tmp_path / "t"), size=1 << 17)) is None
    (tmp_path / "t").write_bytes(b"x" * ((1 << 16) - 5000) + bytes(5000))
    assert what_is_wrong(TextSource(str(tmp_path / "t"), size=1 << 16)) is not None
    (tmp_path / "t").write_bytes(b"a")
    assert what_is_wrong(TextSource(str(tmp_path / "t"), size=1)) is None
    assert what_is_wrong(TextSource(str(tmp_path / "t"), size=0)) == ("the file is empty", "")


def test_one_strange_byte_in_fifty_makes_a_binary_file() -> None:
    assert not_text(b"\x01\x02" + b"x" * 98) is None
    assert not_text(b"\x01\x02\x03" + b"x" * 97) is not None
    assert not_text(b"\x01\x02" + b"x" * 97) is not None
    assert not_text(b"\t\n\v\f\r\x1b" + b"   xxx") is None


def test_patterns_reach_into_folders_below(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for place in ("one.txt", "a/two.txt", "a/b/three.txt"):
        (tmp_path / place).write_text("dog")
    found = find_sources([tmp_path / "**" / "*.txt"], lambda *_: None)
    assert [source.name for source in found] == ["three.txt", "two.txt", "one.txt"]


def test_what_is_skipped_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "header.json").write_text("{}")  # a header of something else
    with ArtifactWriter(tmp_path / "made", "corpus", 1) as writer:
        writer.finish({})
    (tmp_path / "missing").symlink_to(tmp_path / "nowhere")
    (tmp_path / "again").symlink_to(tmp_path / "sub")
    skipped: list[tuple[str, str]] = []
    [source] = find_sources([tmp_path], lambda path, reason: skipped.append((Path(path).name, reason)))
    assert source.path == str(tmp_path / "sub" / "header.json")
    assert skipped == [
        ("made", "made by hyperdive, not text"),
        ("again", "a link to a folder, which is not followed; name it to read it"),
        ("missing", "No such file or directory"),
    ]


@pytest.mark.skipif(os.name != "posix", reason="a device with a name")
def test_a_device_has_no_size() -> None:
    assert [source.size for source in find_sources([os.devnull, STDIN], lambda *_: None)] == [None, None]


def test_a_stream_gives_as_many_bytes_as_asked_for(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"0123456789")
    with ByteStream(TextSource(str(tmp_path / "t"), size=4, start=3, end=7)) as stream:
        assert [stream.read(size) for size in (1, 0, 2, 5, 5)] == [b"3", b"", b"45", b"6", b""]
    with ByteStream(TextSource(str(tmp_path / "t"), start=8)) as stream:
        assert list(stream.chunks(1)) == [b"8", b"9"]
    (tmp_path / "bad.xz").write_bytes(b"\xfd7zXZ\x00" + b"x" * 50)
    stream = ByteStream(TextSource(str(tmp_path / "bad.xz")))
    with stream, pytest.raises(InputError, match="damaged xz data after 0 bytes of text"):
        stream.read(5)


# ---- parts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [1, 3, 4, 100])
def test_ranges_end_behind_a_line_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, search: int) -> None:
    monkeypatch.setattr(parts, "_SEARCH", search)
    (tmp_path / "t.txt").write_bytes(b"\nab\ncdefgh\n\nend")
    source = TextSource(str(tmp_path / "t.txt"), size=15)
    for part_bytes, starts in ((1, [0, 1, 4, 11, 12]), (2, [0, 4, 11]), (4, [0, 4, 11]), (5, [0, 11]), (7, [0, 11])):
        found = [part.sources[0] for part in parts.cut_parts([source], DocumentLayout(), part_bytes, 1)]
        assert [one.start for one in found] == starts, part_bytes
        assert [one.end for one in found] == [*starts[1:], None]


@pytest.mark.parametrize(("size", "pieces"), [(11, 1), (12, 2), (13, 3), (18, 3), (19, 4)])
def test_a_file_of_two_parts_is_cut(tmp_path: Path, size: int, pieces: int) -> None:
    (tmp_path / "t.txt").write_bytes(b"\n" * size)
    source = TextSource(str(tmp_path / "t.txt"), size=size)
    cut = parts.cut_parts([source], DocumentLayout(), 6, 3)
    assert [(one.start, one.end, one.size) for [one] in (part.sources for part in cut)] == [
        (6 * i, 6 * i + 6 if i < pieces - 1 else None, 6 if i < pieces - 1 else size - 6 * i) for i in range(pieces)
    ]
    assert len(list(parts.cut_parts([source], DocumentLayout(document="file"), 6, 3, streams=False))) == 1


def test_compressed_text_counts_three_times(tmp_path: Path) -> None:
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"dog\n"))
    (tmp_path / "t.txt").write_bytes(b"dog\n")
    packed, plain = TextSource(str(tmp_path / "t.gz"), size=24), TextSource(str(tmp_path / "t.txt"), size=4)
    assert (parts.is_plain(packed), parts.is_plain(plain)) == (False, True)
    assert not parts.is_plain(TextSource(str(tmp_path / "t.txt"), "jsonl", 4))
    for part_bytes, first in ((73, 2), (72, 1), (71, 1)):
        [part, *_] = parts.cut_parts([packed, plain, plain], DocumentLayout(), part_bytes, 8)
        assert len(part.sources) == first
    [part, *_] = parts.cut_parts([packed, plain], DocumentLayout(), 36, 8)  # of two parts: read here
    assert [block.data.tobytes() for block in part.read] == [b"dog\n"]
    for part_bytes, sizes in ((8, [2, 2, 1]), (9, [3, 2])):
        cut = parts.cut_parts([plain] * 5, DocumentLayout(), part_bytes, 8)
        assert [len(part.sources) for part in cut] == sizes
    for wrong in (TextSource(STDIN), TextSource("x"), DocumentSource("p", size=5)):
        with pytest.raises(OptionError, match="only files can be read by a cluster"):
            next(parts.cut_parts([wrong], DocumentLayout(), 8, 8, streams=False))
