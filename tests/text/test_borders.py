"""Smallest, largest and last values in the small parts of reading: where a `<` for a `<=` would show."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hyperdive.errors import FormatError, InputError, OptionError
from hyperdive.text import parts
from hyperdive.text.options import EncodeOptions
from hyperdive.text.phrases import _sentence_border
from hyperdive.text.readers import _ReadableFile
from hyperdive.text.scratch_arrays import ScratchArray
from hyperdive.text.sources import STDIN, ByteStream, TextSource, not_text
from hyperdive.text.term_candidates import LONGEST, _cohesion
from hyperdive.text.term_occurrences import TermOccurrences, _inside
from hyperdive.text.token_lists import encode_tokens
from hyperdive.text.word_lists import raw_lines


def test_a_line_has_one_word_or_more() -> None:
    assert EncodeOptions(line_length=1).line_length == 1
    with pytest.raises(OptionError, match="1 or more"):
        EncodeOptions(line_length=0)


@pytest.mark.parametrize("size", [0, 1, 4, 5, 9])
def test_an_array_in_pieces_is_whole(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(parts, "_CHUNK", 4)
    pieces = list(parts._pieces(np.arange(size)))
    assert [len(piece) for piece in pieces] == [4] * (size // 4) + [size % 4] * (size % 4 > 0)
    assert [int(value) for piece in pieces for value in piece] == list(range(size))


@pytest.mark.parametrize(
    ("starts", "near", "border"),
    [([0, 5], 3, 5), ([0, 5], 5, 5), ([0, 5], 6, 10), ([0, 12], 3, 10), ([0, 12], 10, 10), ([0, 12], 11, 10)],
)
def test_the_next_start_of_a_sentence(starts: list[int], near: int, border: int) -> None:
    assert _sentence_border(np.array(starts), near, 10) == border


def test_reading_nothing_is_not_reading_everything() -> None:
    stream = io.BytesIO(b"dog cat")
    readable = _ReadableFile(SimpleNamespace(read=stream.read, chunks=lambda size: [stream.read()]))  # type: ignore[arg-type]
    assert (readable.read(0), readable.read(3), readable.read()) == (b"", b"dog", b" cat")


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_a_scratch_file_gives_back_every_slice(tmp_path: Path, dtype: str) -> None:
    values = np.arange(20).astype(dtype)
    with (tmp_path / "scratch").open("w+b") as file:
        array = ScratchArray(len(values), np.dtype(dtype), (file, 0))
        array.put(0, values)
        for rows in (slice(None), slice(3, 4), slice(2, 15, 2), slice(0, 0), slice(0, 20, 7), slice(7, 3)):
            assert array[rows].tolist() == values[rows].tolist(), rows
        file.truncate(10 * values.itemsize)
        assert array[:10].tolist() == values[:10].tolist()
        with pytest.raises(EOFError, match="ended early"):
            array[5:15]


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
        "term_counts.bin": np.array([len(ids)]), "term_ids.bin": ids, "term_starts.bin": arrays[0],
        "term_lengths.bin": arrays[1],
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


def test_a_mark_of_byte_order_counts_at_the_start_only(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes("\ufeffdog\n\ufeffcat\nmouse\n".encode())
    assert list(raw_lines(tmp_path / "list", "list", "")) == ["dog", "\ufeffcat", "mouse"]
    (tmp_path / "bad").write_bytes(b"dog\nc\xff\n")
    with pytest.raises(InputError, match="byte 5"):
        list(raw_lines(tmp_path / "bad", "list", ""))
