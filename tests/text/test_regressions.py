"""Mistakes that were made once; each test names its cause."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from hyperdive._atomic import sweep_partial
from hyperdive._store import HEADER, ArtifactWriter, canonical_json, fingerprint
from hyperdive.errors import FormatError, InputError, OptionError
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text
from hyperdive.text.token_lists import encode_tokens
from tests.conftest import hear_ctrl_c

Run = Callable[..., Any]
GOOD = "The dog barks at the cat. The cat sleeps in the house.\n" * 30
DEAD = 2**22 - 1  # no process has this number


def test_a_byte_order_mark_does_not_end_the_file(tmp_path: Path) -> None:
    """The first block lost three bytes and then looked like the last one."""
    (tmp_path / "plain.txt").write_text(GOOD)
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    expected = encode_text(tmp_path / "plain.txt", tmp_path / "plain", min_count=1)
    for block in (1, 2, 3, 4, 100, 1 << 20):
        corpus = encode_text(tmp_path / "bom.txt", tmp_path / f"c{block}", min_count=1, block_bytes=block)
        assert corpus.tokens.tolist() == expected.tokens.tolist(), block


def test_an_old_artefact_survives_a_kill_between_two_renames(tmp_path: Path, hyperdive: Run) -> None:
    """The next run swept the only copy away as a leftover."""
    (tmp_path / "t.txt").write_text(GOOD)
    encode_text(tmp_path / "t.txt", tmp_path / "c")
    (tmp_path / "c").rename(tmp_path / f".c.partial-{DEAD}-old")
    assert hyperdive("encode", tmp_path / "no.txt", "-o", tmp_path / "c", "--force").code == 1
    sweep_partial(tmp_path / "c")
    assert len(Corpus.open(tmp_path / "c")) > 0
    assert not list(tmp_path.glob(".c*"))


def test_leftovers_are_found_whatever_the_name(tmp_path: Path) -> None:
    """The name was taken for a pattern."""
    left = tmp_path / f".a[b].partial-{DEAD}-0"
    left.mkdir()
    sweep_partial(tmp_path / "a[b]")
    assert not left.exists()


def test_force_on_a_link_replaces_the_link_alone(tmp_path: Path) -> None:
    """The folder behind the link must stay, and nothing may be left."""
    (tmp_path / "t.txt").write_text(GOOD)
    encode_text(tmp_path / "t.txt", tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    encode_text(tmp_path / "t.txt", tmp_path / "link", force=True, min_count=1)
    assert Corpus.open(tmp_path / "real").min_count == 10
    assert Corpus.open(tmp_path / "link").min_count == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "real", "t.txt"]


def test_the_output_is_not_read_as_input(tmp_path: Path) -> None:
    """A corpus inside the folder that is read was text to the second run."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.txt").write_text(GOOD)
    first = encode_text(tmp_path / "in", tmp_path / "in" / "corpus").tokens.tolist()
    again = encode_text(tmp_path / "in", tmp_path / "in" / "corpus", force=True)
    assert again.tokens.tolist() == first
    assert again.header["skipped_files"] == 1


@pytest.mark.parametrize(
    "data",
    [gzip.compress(GOOD.encode()), bytes(range(256)) * 20, b"%PDF-1.7 " + b"x" * 99],
    ids=["gzip", "bytes", "pdf"],
)
def test_pipes_are_looked_at_too(tmp_path: Path, data: bytes) -> None:
    """Standard input was never tested for compression or for not being text."""
    command = [sys.executable, "-m", "hyperdive", "encode", "-", "-o", tmp_path / "c"]
    ran = subprocess.run(command, input=data, capture_output=True)
    if data[:2] == b"\x1f\x8b":
        assert ran.returncode == 0, ran.stderr
        assert Corpus.open(tmp_path / "c").header["accounting"]["read"] == 12 * 30
    else:
        assert ran.returncode == 1
        assert b"not text" in ran.stderr
        assert not (tmp_path / "c").exists()


def test_no_standard_input_is_needed_for_files(tmp_path: Path) -> None:
    """Closing a file looked at sys.stdin."""
    (tmp_path / "t.txt").write_text(GOOD)
    code = f"import sys; sys.stdin = None\nfrom hyperdive import encode\nencode({str(tmp_path / 't.txt')!r}, {str(tmp_path / 'c')!r})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="signals as on a terminal")
@pytest.mark.parametrize("delay", [0.5, 2.0])
def test_ctrl_c_while_taggers_start(tmp_path: Path, delay: float) -> None:
    """Workers that met Ctrl-C while starting left a pool that never ended."""
    (tmp_path / "t.txt").write_text(GOOD * 20_000)
    command = [
        sys.executable,
        "-m",
        "hyperdive",
        "encode",
        tmp_path / "t.txt",
        "-o",
        tmp_path / "c",
        "--pos",
        "textblob",
        "--threads",
        "2",
    ]
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )
    time.sleep(delay)
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline:
        os.killpg(child.pid, signal.SIGINT)  # the whole group, as a terminal does
        time.sleep(1)
    assert child.poll() is not None
    assert not (tmp_path / "c").exists()
    assert not list(tmp_path.glob(".c*"))


def test_info_of_a_small_corpus(tmp_path: Path, hyperdive: Run) -> None:
    """Rare words were counted among the most frequent."""
    (tmp_path / "t.txt").write_text("dog dog cat bird fish\n")
    hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "c", "--min-count", 2)
    ran = hyperdive("info", tmp_path / "c")
    assert ran.code == 0
    assert "most frequent: dog 2\n" in ran.out


@pytest.mark.skipif(sys.platform != "linux", reason="such names exist on Linux")
def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    """It could not be written into the header, after everything had been read."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    path.write_text(GOOD)
    assert encode_text(path, tmp_path / "c").header["input"]["files"][0]["name"] == "caf\ufffd.txt"


def test_input_errors_are_not_blamed_on_the_output(tmp_path: Path, hyperdive: Run) -> None:
    """Every error of the system while writing was explained as one of the output."""
    name = "x" * 300
    ran = hyperdive("encode", tmp_path / name, "-o", tmp_path / "c")
    assert ran.code == 1
    assert name in ran.err
    ran = hyperdive("encode", "", "-o", tmp_path / "c")
    assert "an empty name is not an input" in ran.err


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path, hyperdive: Run) -> None:
    """A file name can hold an escape sequence."""
    ran = hyperdive("encode", tmp_path / "a\x1b[31mb\nc.txt", "-o", tmp_path / "c")
    assert "\x1b" not in ran.err
    assert len(ran.err.splitlines()) == 1


def test_json_lines_with_bytes_that_are_no_text(tmp_path: Path) -> None:
    """They were refused as broken JSON instead of counted."""
    lines = [b'{"text": "dog caf\xe9 cat"}', b'{"text": "bird \\ud800 fish"}']
    (tmp_path / "t.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    corpus = encode_text(tmp_path / "t.jsonl", tmp_path / "c", min_count=1)
    assert corpus.header["input"]["invalid_utf8_bytes"] == 1 + 3
    assert {"dog", "cat", "bird", "fish"} <= set(corpus.all_words)


def test_a_quotation_mark_in_tsv_is_just_that(tmp_path: Path) -> None:
    """It swallowed the following rows."""
    (tmp_path / "t.tsv").write_text('id\ttext\n1\t"dog\n2\tcat\n3\tbird"\n')
    assert encode_text(tmp_path / "t.tsv", tmp_path / "c", min_count=1).header["totals"]["documents"] == 3


def test_dictionary_columns_are_text(tmp_path: Path) -> None:
    """What pandas calls a category is a dictionary to Parquet."""
    column = pa.array(["dog cat", "bird", None, "dog cat"]).dictionary_encode()
    parquet.write_table(pa.table({"text": column}), tmp_path / "t.parquet")
    assert encode_text(tmp_path / "t.parquet", tmp_path / "c", min_count=1).header["totals"]["documents"] == 3


def test_token_lists_refuse_what_they_cannot_do(tmp_path: Path) -> None:
    """Options were recorded and ignored, and odd tokens were tracebacks."""
    for options in ({"shuffle": 1}, {"lemmas": "simplemma"}):
        with pytest.raises(OptionError, match="taken as they are"):
            encode_tokens([["a"]], tmp_path / "c", **options)
    for token in (1, "", "a b", "<unk>", "\ud800"):
        with pytest.raises(InputError, match="is not a token"):
            encode_tokens([[token]], tmp_path / "c")  # type: ignore[list-item]


def test_extreme_numbers(tmp_path: Path, hyperdive: Run) -> None:
    """They reached the compiled code."""
    (tmp_path / "t.txt").write_text(GOOD)
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "c", "--set", f"max_tokens={'9' * 23}")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    ran = hyperdive("encode", tmp_path / "t.txt", "-o", tmp_path / "c", "--set", "line_length=²")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.update(files={**h["files"], "tokens.npy": 7}),
        lambda h: h["files"]["tokens.npy"].pop("sha256"),
        lambda h: h["files"]["tokens.npy"].update(dtype="i4,("),
        lambda h: h.pop("parameters"),
        lambda h: h.update(parameters=[]),
        lambda h: h["parameters"].update(min_count="x"),
        lambda h: h.update(totals=[]),
        lambda h: h.pop("totals"),
    ],
)
def test_headers_that_make_no_sense(tmp_path: Path, hyperdive: Run, change: Callable[[dict[str, Any]], Any]) -> None:
    """Each of these was a traceback."""
    (tmp_path / "t.txt").write_text(GOOD)
    encode_text(tmp_path / "t.txt", tmp_path / "c")
    header = json.loads((tmp_path / "c" / HEADER).read_text())
    header.pop("fingerprint")
    change(header)
    header["fingerprint"] = fingerprint(header)
    (tmp_path / "c" / HEADER).write_text(canonical_json(header))
    with pytest.raises(FormatError):
        Corpus.open(tmp_path / "c")
    ran = hyperdive("info", tmp_path / "c", "--verify")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)


def test_a_header_with_what_json_cannot_say(tmp_path: Path) -> None:
    """The fingerprint of NaN was computed outside of any check."""
    with ArtifactWriter(tmp_path / "a", "example", 1) as writer:
        writer.finish({})
    text = (tmp_path / "a" / HEADER).read_text()
    (tmp_path / "a" / HEADER).write_text(text.replace('"files": {}', '"files": {}, "x": NaN, "y": "\\ud800"'))
    from hyperdive._store import read_header

    with pytest.raises(FormatError):
        read_header(tmp_path / "a")


def test_a_console_without_the_letters(tmp_path: Path) -> None:
    """Help holds arrows, which some consoles lack."""
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    ran = subprocess.run([sys.executable, "-m", "hyperdive", "--help"], capture_output=True, env=environment)
    assert ran.returncode == 0
    assert b"encode" in ran.stdout


@pytest.mark.parametrize("document", ["line", "file"])
def test_a_long_document_that_begins_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: str
) -> None:
    """Its first piece was dropped as an empty document, and the rest joined the document before."""
    monkeypatch.setattr("hyperdive.text.readers.PIECE_BYTES", 50)
    (tmp_path / "t.txt").write_text("first one\n" + "-" * 140 + " second one\n" + "third one\n" + "- " * 80 + "\n")
    reference = None
    for block in (1, 20, 49, 50, 51, 1000):
        corpus = encode_text(
            tmp_path / "t.txt", tmp_path / f"c{block}", min_count=1, document=document, block_bytes=block
        )
        lengths = [len(corpus.document(i)) for i in range(len(corpus.document_offsets) - 1)]
        assert [n for n in lengths if n] == ([2, 2, 2] if document == "line" else [6])
        files = {p.name: p.read_bytes() for p in (tmp_path / f"c{block}").iterdir()}
        reference = reference or files
        assert files == reference, block
