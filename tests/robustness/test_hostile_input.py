"""Input that is too long, too deep, of another kind or lost without a word."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import json
import lzma
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fuzz.harness import outcome

from hyperdive import load
from hyperdive._spelling import LONGEST, near_spellings, unknown_word
from hyperdive.errors import Error, InputError, OptionError
from hyperdive.options import EncodeOptions
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.encoder import encode_text
from hyperdive.text.readers import LONGEST_LINE, DocumentLayout, read_blocks
from hyperdive.text.sources import TextSource, find_sources
from hyperdive.text.tokens import tokenise

GOOD = "The poodle is a dog. The dog barks at the cat.\n" * 40


# ---- unknown words --------------------------------------------------------------------------------------------------


def test_a_long_unknown_word_costs_nothing_and_is_not_echoed() -> None:
    """60,000 letters took 24 GB: all spellings one edit away are 54 times the square of the length."""
    words = ["dog", "cat"]
    tracemalloc.start()
    error = unknown_word("x" * 60_000, words, set(words), "this model")
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert len(str(error)) < 200
    assert near_spellings("d" * (LONGEST + 1), words, set(words)) == []
    assert near_spellings("d" * LONGEST, words, set(words)) == []
    assert near_spellings("dgo", words, set(words)) == ["dog"]


def test_parts_of_a_long_unknown_word_are_few() -> None:
    known = {f"w{number}" for number in range(1_000)}
    error = unknown_word(" ".join(sorted(known)), sorted(known), known, "this model")
    assert len(str(error)) < 200


@pytest.mark.parametrize("term", ["x" * 100_000, "dog " * 20_000, "very " * 51 + "dog"])
def test_a_question_that_is_too_long(healthy: dict[str, Path], hyperdive: Callable, term: str) -> None:
    start = time.process_time()
    for verb in ("hypernyms", "similar"):
        ran = hyperdive(verb, term, "-m", healthy["model"])
        assert ran.code == 1
        assert len(ran.err) < 300, ran.err[:500]
        assert "too long for a term" in ran.err
    assert time.process_time() - start < 5


def test_a_long_term_in_a_file_of_pairs(healthy: dict[str, Path], hyperdive: Callable, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(f"poodle\tdog\n{'y' * 60_000}\tdog\n{'dog ' * 5_000}\tanimal\n")
    start = time.process_time()
    ran = hyperdive("score", tmp_path / "pairs.tsv", "-m", healthy["model"], "-s", "C·ΔS")
    assert ran.code == 0, ran.err
    assert len(ran.err) < 500
    assert time.process_time() - start < 10


# ---- JSON lines, tables ---------------------------------------------------------------------------------------------


def blocks(path: Path, **layout: str) -> list[bytes]:
    source = find_sources([path], lambda *_: None)[0]
    return [bytes(block.data) for block in read_blocks(source, DocumentLayout(**layout))]


def test_a_long_json_line_is_read_in_linear_time(tmp_path: Path) -> None:
    """The pieces of a line were joined anew for every megabyte: 400 MB took two minutes."""

    def cost(size: int) -> float:
        (tmp_path / "a.jsonl").write_bytes(b'{"text": "' + b"dog " * (size // 4) + b'"}\n')
        start = time.process_time()
        assert sum(map(len, blocks(tmp_path / "a.jsonl"))) >= size
        return time.process_time() - start

    cost(1 << 20)
    small, large = cost(4 << 20), cost(32 << 20)
    assert large < 24 * small, (small, large)


def test_a_json_line_without_end_is_refused_early(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "short"}\n{"text": "' + b"x" * (LONGEST_LINE + (2 << 20)))
    with pytest.raises(InputError, match="line 2 is longer than 128 MB"):
        blocks(tmp_path / "a.jsonl")


def test_lines_of_json_are_the_same_however_the_chunks_fall(tmp_path: Path) -> None:
    lines = [json.dumps({"text": "dog " * size}) for size in (1, 300_000, 0, 262_144, 5, 600_000)]
    for end in ("", "\n", "\n\n"):
        (tmp_path / "a.jsonl").write_text("\ufeff" + "\n".join(lines) + end, encoding="utf-8")
        joined = b"".join(blocks(tmp_path / "a.jsonl")).split(b"\n")
        assert [len(text) for text in joined] == [4, 1_200_000, 0, 1_048_576, 20, 2_400_000, 0]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_rows_without_text_are_told(tmp_path: Path, hyperdive: Callable, kind: str) -> None:
    """300 of 600 rows were left out without a word."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = [None if number % 2 else f"The dog number {number} barks at the cat." for number in range(600)]
    if kind == "jsonl":
        (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    else:
        pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet")
    ran = hyperdive("encode", tmp_path / f"a.{kind}", "-o", tmp_path / "c", "--min-count", 1)
    assert ran.code == 0, ran.err
    assert "300 rows have no text" in ran.err
    assert "300" in hyperdive("info", tmp_path / "c").out.split("rows without text")[1].splitlines()[0]


def test_damaged_statistics_of_a_parquet_file_are_refused(tmp_path: Path) -> None:
    """The Parquet library ends the process when it is asked for a column whose histogram has another size (SIGABRT)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from hyperdive.spaces.formats import read

    columns = {"word": ["dog", "cat"], "frequency": [3, 2], "vector": [[1.0, 2.0], [0.5, 0.0]]}
    place = tmp_path / "v.parquet"
    pq.write_table(pa.table(columns), place)
    healthy = place.read_bytes()

    def read_damaged() -> None:
        read(place)
        for at in range(len(healthy) - 600, len(healthy) - 8):  # the description at the end
            for value in (healthy[at] ^ 4, 0x39, 0x49):
                place.write_bytes(healthy[:at] + bytes([value]) + healthy[at + 1 :])
                with contextlib.suppress(Error):
                    read(place)

    assert outcome(read_damaged) == "held"


def test_a_small_parquet_file_does_not_unfold(tmp_path: Path) -> None:
    """20 kB took 4.4 GB: one long text, named by a thousand rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = "dog " * (1 << 18)
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(4_000, dtype=np.int32)), pa.array([text]))
    pq.write_table(pa.table({"text": column}), tmp_path / "a.parquet", compression="zstd")
    assert (tmp_path / "a.parquet").stat().st_size < 20_000

    def read() -> None:
        import resource

        from fuzz.harness import memory

        resource.setrlimit(resource.RLIMIT_DATA, (memory("VmData")[0] + (256 << 20), resource.RLIM_INFINITY))
        source = TextSource(str(tmp_path / "a.parquet"), "parquet", 1)
        for number, block in enumerate(read_blocks(source, DocumentLayout())):
            assert len(block.data) < 16 << 20
            if number > 100:
                return

    assert outcome(read) == "held"


# ---- folders with other things than files -----------------------------------------------------------------------------


def test_links_pipes_and_broken_links_in_a_folder_are_told(tmp_path: Path) -> None:
    folder, other = tmp_path / "notes", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / "a.txt").write_text(GOOD)
    (other / "b.txt").write_text(GOOD)
    (folder / "linked").symlink_to(other)
    (folder / "file-link.txt").symlink_to(other / "b.txt")
    (folder / "broken.txt").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe.txt")
    skipped: dict[str, str] = {}
    sources = find_sources([folder], lambda path, reason: skipped.update({Path(path).name: reason}))
    assert [source.name for source in sources] == ["a.txt", "file-link.txt"]
    assert skipped.keys() == {"linked", "broken.txt", "pipe.txt"}
    assert "link to a folder" in skipped["linked"]
    assert "pipe" in skipped["pipe.txt"]


def test_utf_32_is_called_so(tmp_path: Path) -> None:
    for encoding in ("utf-32", "utf-32-be"):
        mark = b"" if encoding == "utf-32" else b"\0\0\xfe\xff"
        (tmp_path / "a.txt").write_bytes(mark + GOOD.encode(encoding))
        with pytest.raises(InputError, match="UTF-32"):
            find_sources([tmp_path / "a.txt"], lambda *_: None)
    (tmp_path / "a.txt").write_bytes(GOOD.encode("utf-16"))
    with pytest.raises(InputError, match="UTF-16"):
        find_sources([tmp_path / "a.txt"], lambda *_: None)


def test_cased_vectors_are_found_by_their_spelling(tmp_path: Path, hyperdive: Callable) -> None:
    space = VectorSpace(["London", "city", "town"], np.eye(3) + 0.5, frequencies=[5, 9, 7], kind="imported")
    space.save(tmp_path / "m")
    assert len(load(tmp_path / "m").similar("London", top=2)) == 2
    ran = hyperdive("similar", "London", "-m", tmp_path / "m")
    assert ran.code == 0, ran.err


# ---- compression bombs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opener", [partial(gzip.open, compresslevel=1), partial(lzma.open, preset=0)])
def test_256_megabytes_of_blanks_is_read_in_bounded_memory(tmp_path: Path, opener: Callable) -> None:
    """Compressed, it is a megabyte or less; one line, so nothing cuts it but the reader."""
    with opener(tmp_path / "bomb", "wb") as file:
        for _ in range(256):
            file.write(b" " * (1 << 20))

    def read() -> None:
        import resource

        from fuzz.harness import memory

        resource.setrlimit(resource.RLIMIT_DATA, (memory("VmData")[0] + (160 << 20), resource.RLIM_INFINITY))
        source = TextSource(str(tmp_path / "bomb"), "text", (tmp_path / "bomb").stat().st_size)
        assert sum(len(block.data) for block in read_blocks(source, DocumentLayout())) == 256 << 20

    assert outcome(read) == "held"


def test_nothing_but_empty_lines_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """A bzip2 file with a wrong byte unfolded to millions of them; three arrays of their ends took 105 MB at a time."""
    path = tmp_path / "empty.txt"
    path.write_bytes(b"\n" * (9 << 20))
    source = TextSource(str(path), "text", path.stat().st_size)
    tracemalloc.start()
    lines = 0
    for block in read_blocks(source, DocumentLayout()):
        lines += len(block.ends)
        assert block.ends[0] == 1 and block.ends[-1] == len(block.data) == len(block.ends)
        del block
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == 9 << 20 and peak < 64 << 20, peak


def test_nothing_but_signs_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """Bzip2 files of 700 bytes unfolded to millions of dots: every sign has a place, and blocks of 4 MB took 105 MB."""
    path = tmp_path / "dots.txt.bz2"
    path.write_bytes(bz2.compress((b"." * 99 + b"\n") * 90_000))
    source = TextSource(str(path), "text", path.stat().st_size)
    rules = EncodeOptions()
    for block in read_blocks(source, DocumentLayout(), 1 << 12):  # what is loaded at first use is not counted
        tokenise(block, rules)
        break
    tracemalloc.start()
    for block in read_blocks(source, DocumentLayout()):
        tokenise(block, rules)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20, peak


def test_only_blanks_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b" " * 100_000)
    with pytest.raises((InputError, OptionError)):
        encode_text(tmp_path / "a.txt", tmp_path / "c")


def test_an_uneven_row_that_is_not_utf_8_is_one_line(tmp_path: Path) -> None:
    """The library printed a trace of its own while it called back."""
    (tmp_path / "p.tsv").write_bytes(b"poodle\tdog\n\nx\xac\ty\tz\n")
    command = [sys.executable, "-m", "hyperdive", "score", str(tmp_path / "p.tsv")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "line 3 has 3 columns, the first line has 2: 'x\ufffd" in ran.stderr
    assert ran.stderr.count("\n") == 1
