"""Bad input: one clear line, exit code 1, nothing left behind."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hyperdive._store import canonical_json, fingerprint
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text
from tests.conftest import hear_ctrl_c

Run = Callable[..., Any]
Ran = namedtuple("Ran", "code out err")
GOOD = "The dog barks at the cat. The cat sleeps in the house.\n" * 30


def refused(ran: Any, folder: Path, *expected: str, code: int = 1) -> None:
    """One line on stderr with the expected words, the exit code, and no output or temporary folder."""
    assert ran.code == code, ran
    lines = ran.err.strip().splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("hyperdive: ")
    for word in expected:
        assert word in lines[0], lines[0]
    assert ran.out == ""
    assert not (folder / "corpus").exists()
    assert not list(folder.glob(".corpus*"))


def test_missing_path(tmp_path: Path, hyperdive: Run) -> None:
    refused(hyperdive("encode", tmp_path / "no.txt", "-o", tmp_path / "corpus"), tmp_path, "no such file or folder")
    refused(hyperdive("encode", tmp_path / "*.md", "-o", tmp_path / "corpus"), tmp_path, "matches no file")


def test_folder_without_a_readable_file(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "in").mkdir()
    refused(hyperdive("encode", tmp_path / "in", "-o", tmp_path / "corpus"), tmp_path, "no readable text file")


def test_empty_file_and_only_stop_words(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.txt").write_text("")
    refused(hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "corpus"), tmp_path, "the file is empty")
    (tmp_path / "t.txt").write_text("\n \n\t\n")
    refused(hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "corpus"), tmp_path, "the input has no words")
    (tmp_path / "t.txt").write_text("the of and\n")
    refused(
        hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "corpus"), tmp_path, "only stop words", "stopwords="
    )
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(b""))
    refused(hyperdive("encode", tmp_path / "t.txt.gz", "-o", tmp_path / "corpus"), tmp_path, "the file is empty")


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x7fELF" + bytes(200), "program"),
        (b"%PDF-1.7 " + b"x" * 100, "PDF"),
        (b"PK\x03\x04" + b"x" * 100, "zip archive"),
        (bytes(range(256)) * 10, "binary file"),
        ("dog".encode("utf-16"), "UTF-16"),
    ],
)
def test_binary_files(tmp_path: Path, hyperdive: Run, data: bytes, word: str) -> None:
    (tmp_path / "t.txt").write_bytes(data)
    refused(hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "corpus"), tmp_path, word, "t.txt")


def test_invalid_utf8_is_counted_or_refused(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.txt").write_bytes(b"dog caf\xe9 cat\n" + GOOD.encode())
    refused(
        hyperdive("encode", "--set", "strict=yes", tmp_path / "t.txt", "-o", tmp_path / "corpus"),
        tmp_path,
        "UTF-8 at byte 7",
    )
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "corpus")
    assert ran.code == 0
    assert "1 bytes of invalid UTF-8" in ran.err
    assert "t.txt at byte 7" in ran.err
    read = Corpus.open(tmp_path / "corpus").header["input"]
    assert read["invalid_utf8_bytes"] == 1
    assert read["first_invalid_utf8"] == {"file": "t.txt", "offset": 7}


def test_nul_bytes_are_counted_or_refused(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.txt").write_bytes(b"dog\x00cat\n" + GOOD.encode())
    refused(hyperdive("encode", "--set", "strict=yes", tmp_path / "t.txt", "-o", tmp_path / "corpus"), tmp_path, "NUL")
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "corpus")
    assert ran.code == 0
    assert "1 NUL bytes" in ran.err


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_truncated_compression(tmp_path: Path, hyperdive: Run, kind: str) -> None:
    raw = os.urandom(3000).hex().encode() * 60
    packed = {"gz": gzip.compress, "xz": lzma.compress, "zst": lambda d: pa.Codec("zstd").compress(d, asbytes=True)}
    data = packed[kind](raw)
    (tmp_path / f"t.txt.{kind}").write_bytes(data[: len(data) - 10])
    refused(
        hyperdive("encode", tmp_path / f"t.txt.{kind}", "-o", tmp_path / "corpus"),
        tmp_path,
        "truncated or damaged",
        kind[0],
    )


def test_json_lines(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.jsonl").write_text('{"text": "dog"}\n{"body": "cat"}\n')
    refused(
        hyperdive("encode", tmp_path / "t.jsonl", "-o", tmp_path / "corpus"),
        tmp_path,
        "line 2",
        "no field 'text'",
        "field=",
    )
    (tmp_path / "t.jsonl").write_text('{"text": "dog"}\n\n{"text": \n')
    refused(hyperdive("encode", tmp_path / "t.jsonl", "-o", tmp_path / "corpus"), tmp_path, "line 3", "not valid JSON")
    (tmp_path / "t.jsonl").write_text('{"text": 7}\n')
    refused(hyperdive("encode", tmp_path / "t.jsonl", "-o", tmp_path / "corpus"), tmp_path, "line 1", "not text")
    (tmp_path / "t.jsonl").write_text("[" * 100_000 + "\n")
    refused(hyperdive("encode", tmp_path / "t.jsonl", "-o", tmp_path / "corpus"), tmp_path, "line 1", "not valid JSON")


def test_csv_and_parquet_columns(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,dog\n")
    refused(hyperdive("encode", tmp_path / "t.csv", "-o", tmp_path / "corpus"), tmp_path, "no column 'text'", "column=")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 not really")
    refused(hyperdive("encode", tmp_path / "t.parquet", "-o", tmp_path / "corpus"), tmp_path, "not a readable Parquet")


def test_a_line_of_many_megabytes(tmp_path: Path, hyperdive: Run) -> None:
    with (tmp_path / "t.txt").open("w") as file:
        file.write("dog cat house " * (18_000_000 // 14))
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "corpus", "--no-keep-text")
    assert ran.code == 0, ran
    corpus = Corpus.open(tmp_path / "corpus")
    assert corpus.header["totals"]["documents"] == 1
    assert len(corpus) == 3 * (18_000_000 // 14)


def test_output_exists(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.txt").write_text(GOOD)
    assert hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "c").code == 0
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "c")
    assert ran.code == 1
    assert "already exists (add --force" in ran.err
    assert hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "c", "--force").code == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "mine", "--force")
    assert ran.code == 1
    assert "not made by hyperdive" in ran.err
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"


def test_output_is_not_writable(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.txt").write_text(GOOD)
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "t.txt" / "corpus")
    refused(ran, tmp_path, "not a usable place")
    if os.name == "posix" and os.geteuid() != 0:
        (tmp_path / "locked").mkdir(mode=0o500)
        ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "locked" / "corpus")
        refused(ran, tmp_path, "no permission")
    elif Path("/proc/self").exists():
        ran = hyperdive("encode", tmp_path / "t.txt", "-o", "/proc/self/corpus")
        assert ran.code == 1
        assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting a small disk needs root on Linux")
@pytest.mark.parametrize("kilobytes", [100, 3000, 6000])
def test_disk_full(tmp_path: Path, kilobytes: int) -> None:
    """Full while reading, while selecting, while writing: always a line, never a crash."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", disk], capture_output=True
    ).returncode:
        pytest.skip("cannot mount a tmpfs here")
    try:
        (tmp_path / "t.txt").write_text(GOOD * 2000)
        command = [sys.executable, "-m", "hyperdive", "encode", tmp_path / "t.txt", "-o", disk / "corpus"]
        ran = subprocess.run(command, capture_output=True, text=True)
        refused(Ran(ran.returncode, ran.stdout, ran.stderr), disk, "the disk is full")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.skipif(os.name != "posix", reason="signals as on a terminal")
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_half_way(tmp_path: Path, kind: signal.Signals) -> None:
    pipe = tmp_path / "endless"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "hyperdive", "encode", str(pipe), "-o", str(tmp_path / "corpus")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c)
    with pipe.open("w") as feed:
        feed.write(GOOD * 100)
        feed.flush()
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".corpus.partial-*-scratch/*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        while child.poll() is None and time.monotonic() < deadline:  # as a person does: press again until it stops
            child.send_signal(kind)
            time.sleep(0.02)
        out, err = child.communicate(timeout=60)
    assert out == ""
    assert not (tmp_path / "corpus").exists()
    if kind == signal.SIGINT:
        assert child.returncode == 1
        assert err == "hyperdive: interrupted; no partial output was left behind\n"
    # what a kill leaves behind is hidden, and the next run removes it
    (tmp_path / "t.txt").write_text(GOOD)
    encode_text(tmp_path / "t.txt", tmp_path / "corpus")
    assert not list(tmp_path.glob(".corpus*"))


def test_unknown_values_list_the_allowed_ones(tmp_path: Path, hyperdive: Run) -> None:
    (tmp_path / "t.txt").write_text(GOOD)
    place = tmp_path / "corpus"
    refused(
        hyperdive("encode", tmp_path / "t.txt", "-o", place, "--preset", "nope"), tmp_path, "default", "paper", code=2
    )
    refused(
        hyperdive("encode", tmp_path / "t.txt", "-o", place, "--set", "hyphens=x"), tmp_path, "drop", "split", code=2
    )
    refused(
        hyperdive("encode", tmp_path / "t.txt", "-o", place, "--set", "line_length=x"),
        tmp_path,
        "document",
        "sentence",
        code=2,
    )
    refused(hyperdive("encode", tmp_path / "t.txt", "-o", place, "--nope"), tmp_path, "--nope", code=2)
    refused(
        hyperdive("encode", tmp_path / "t.txt", "-o", place, "--set", "stopwords=german"), tmp_path, "stop-word file"
    )
    refused(
        hyperdive("encode", tmp_path / "t.txt", "-o", place, "--min-count", "0"), tmp_path, "--min-count is 0", code=2
    )


# ---- damaged corpora ----------------------------------------------------------------------------------------


def alter(folder: Path, **changes: Any) -> None:
    """Change the header as a forger would: with a fitting fingerprint."""
    header = json.loads((folder / "header.json").read_text())
    header.pop("fingerprint")
    header.update(changes)
    header["fingerprint"] = fingerprint(header)
    (folder / "header.json").write_text(canonical_json(header))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "t.txt").write_text(GOOD)
    encode_text(tmp_path / "t.txt", tmp_path / "c")
    return tmp_path / "c"


def test_newer_version(corpus: Path, hyperdive: Run) -> None:
    alter(corpus, format_version=99)
    ran = hyperdive("info", corpus)
    assert ran.code == 1
    assert "version 99 is newer" in ran.err
    assert "pip install -U" in ran.err


def test_missing_short_and_altered_files(corpus: Path, hyperdive: Run) -> None:
    tokens = (corpus / "tokens.npy").read_bytes()
    (corpus / "tokens.npy").write_bytes(tokens[:-4])
    assert "its header says" in hyperdive("info", corpus).err
    (corpus / "tokens.npy").unlink()
    assert "tokens.npy is missing" in hyperdive("info", corpus).err
    (corpus / "tokens.npy").write_bytes(tokens[:-1] + bytes([tokens[-1] ^ 1]))
    assert hyperdive("info", corpus).code == 0
    ran = hyperdive("info", corpus, "--verify")
    assert ran.code == 1
    assert "tokens.npy does not match its checksum" in ran.err


def test_a_header_that_lies_allocates_nothing(corpus: Path, hyperdive: Run) -> None:
    header = json.loads((corpus / "header.json").read_text())
    files = header["files"]
    files["tokens.npy"]["shape"] = [10**15]
    alter(corpus, files=files)
    assert "shape its header says" in hyperdive("info", corpus).err
    files["../../etc/passwd"] = files.pop("tokens.npy")
    alter(corpus, files=files)
    assert "outside the folder" in hyperdive("info", corpus).err


def test_a_damaged_header(corpus: Path, hyperdive: Run) -> None:
    text = (corpus / "header.json").read_text()
    (corpus / "header.json").write_text(text.replace('"min_count": 10', '"min_count": 11'))
    assert "header.json was altered" in hyperdive("info", corpus).err
    (corpus / "header.json").write_text(text[:100])
    assert "header.json cannot be read" in hyperdive("info", corpus).err
    (corpus / "header.json").unlink()
    assert "not a hyperdive folder" in hyperdive("info", corpus).err


def test_totals_that_do_not_add_up(corpus: Path, hyperdive: Run) -> None:
    header = json.loads((corpus / "header.json").read_text())
    alter(corpus, totals={**header["totals"], "tokens": 7})
    ran = hyperdive("info", corpus)
    assert ran.code == 1
    assert "its header says 7" in ran.err
