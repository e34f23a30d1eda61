"""Bad input to `count` and `plan`: one clear line, the exit code, and nothing left behind."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from fuzz.resealing import put_array, reseal

from hyperdive._resources import Run
from hyperdive._store import canonical_json, fingerprint
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.merge import merge
from hyperdive.errors import FormatError, OptionError, OutputError, UnknownWordError

from .reference import corpus_of, folder
from .test_count import big_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    place = tmp_path / "corpus"
    shutil.copytree(corpus_of(big_corpus(2_000), min_count=3).path, place)
    return place


def change_header(path: Path, **changes: object) -> None:
    """Alter a header and sign it again, as another version or a broken program would."""
    header = json.loads((path / "header.json").read_text(encoding="utf-8"))
    header.pop("fingerprint")
    header.update(changes)
    header["fingerprint"] = fingerprint(header)
    (path / "header.json").write_text(canonical_json(header), encoding="utf-8")


def flip(path: Path, place: int = 3) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def refused(ran, folder: Path, *expected: str, code: int = 1) -> None:
    lines = [line for line in ran.err.strip().splitlines() if not line.startswith("counting ")]
    assert ran.code == code, ran
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("hyperdive: ")
    for word in expected:
        assert word in lines[0], lines[0]
    assert ran.out == ""
    assert not (folder / "counts").exists()
    assert not list(folder.glob(".counts*"))


def test_missing_corpus(hyperdive, tmp_path):
    ran = hyperdive("count", tmp_path / "none", "-o", tmp_path / "counts")
    refused(ran, tmp_path, "no such file or folder", "hyperdive encode")


def test_not_a_corpus(hyperdive, tmp_path):
    ran = hyperdive("count", tmp_path, "-o", tmp_path / "counts")
    refused(ran, tmp_path, "not a hyperdive folder")


def test_incomplete_corpus(hyperdive, tmp_path, corpus):
    (corpus / "tokens.bin").unlink()
    refused(hyperdive("count", corpus, "-o", tmp_path / "counts"), tmp_path, "tokens.bin is missing")


def test_corpus_of_a_newer_version(hyperdive, tmp_path, corpus):
    change_header(corpus, format_version=99)
    refused(hyperdive("count", corpus, "-o", tmp_path / "counts"), tmp_path, "version 99 is newer")


def test_corpus_of_another_size_than_its_header(hyperdive, tmp_path, corpus):
    with (corpus / "tokens.bin").open("ab") as file:
        file.write(b"\1\0\0\0")
    refused(hyperdive("count", corpus, "-o", tmp_path / "counts"), tmp_path, "bytes, its header says")


def test_corpus_with_a_flipped_token(hyperdive, tmp_path, corpus):
    """The size fits, but the tokens no longer have the counts the corpus states."""
    flip(corpus / "tokens.bin", 0)
    refused(hyperdive("count", corpus, "-o", tmp_path / "counts"), tmp_path, "tokens.bin does not match its checksum")
    reseal(corpus)
    refused(hyperdive("count", corpus, "-o", tmp_path / "counts"), tmp_path, "word counts", "damaged")


def test_corpus_with_a_token_beyond_the_vocabulary(hyperdive, tmp_path, corpus):
    flip(corpus / "tokens.bin", 3)
    data = bytearray((corpus / "tokens.bin").read_bytes())
    data[3] = 0xFF
    (corpus / "tokens.bin").write_bytes(data)
    reseal(corpus)
    refused(hyperdive("count", corpus, "-o", tmp_path / "counts"), tmp_path, "beyond its", "damaged")


@pytest.mark.parametrize("window", [0, -3, 70_000])
def test_impossible_window(hyperdive, tmp_path, corpus, window):
    ran = hyperdive("count", corpus, "-o", tmp_path / "counts", f"--window={window}")
    refused(ran, tmp_path, f"--window is {window}", code=2)


def test_harmonic_window_too_wide(hyperdive, tmp_path, corpus):
    ran = hyperdive("count", corpus, "-o", tmp_path / "counts", "--set", "weighting=harmonic", "--window", 21)
    refused(ran, tmp_path, "at most 20", code=2)


def test_harmonic_and_near(hyperdive, tmp_path, corpus):
    ran = hyperdive("count", corpus, "-o", tmp_path / "counts", "--set", "weighting=harmonic", "--set", "preset=paper")
    refused(ran, tmp_path, "leave out near", code=2)


def test_too_little_memory(hyperdive, tmp_path, corpus):
    ran = hyperdive("count", corpus, "-o", tmp_path / "counts", "--memory", "1kB")
    refused(ran, tmp_path, "too little", "--memory ")


def test_memory_that_is_no_amount(hyperdive, tmp_path, corpus):
    ran = hyperdive("count", corpus, "-o", tmp_path / "counts", "--memory", "plenty")
    refused(ran, tmp_path, "'plenty' is not an amount of memory")


def test_minimum_count_of_zero(hyperdive, tmp_path, corpus):
    ran = hyperdive("count", corpus, "-o", tmp_path / "counts", "--min-count", 0)
    refused(ran, tmp_path, "--min-count is 0", code=2)


def test_output_exists(hyperdive, tmp_path, corpus):
    place = tmp_path / "counts"
    assert hyperdive("count", corpus, "-o", place).code == 0
    before = (place / "header.json").read_bytes()
    ran = hyperdive("count", corpus, "-o", place)
    assert ran.code == 1
    assert "already exists (add --force" in ran.err
    assert (place / "header.json").read_bytes() == before
    assert hyperdive("count", corpus, "-o", place, "--force", "--window", 3).code == 0
    assert Cooccurrence.open(place).options.window == 3


def test_force_never_replaces_a_folder_of_somebody_else(corpus, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(OutputError, match="not made by hyperdive"):
        Cooccurrence.from_corpus(corpus, tmp_path / "mine", run=Run(force=True))
    assert (tmp_path / "mine" / "letter.txt").exists()


@pytest.mark.parametrize("name", ["indices", "counts", "edges", "large_positions", "large_counts", "large_edges"])
def test_damaged_rows_are_found_before_they_are_used(corpus, tmp_path, name):
    Cooccurrence.from_corpus(corpus, tmp_path / "counts", near=True)
    flip(tmp_path / "counts" / f"{name}.npy", -1)
    counts = Cooccurrence.open(tmp_path / "counts")
    other = Cooccurrence.from_corpus(corpus_of(big_corpus(500, seed=3), min_count=3), near=True)
    uses = (
        lambda: counts.row(counts.words[0]), counts.csr, counts.to_scipy, counts.association,
        lambda: list(counts.blocks()), counts.verify, lambda: merge([counts, other], tmp_path / "merged"),
    )  # fmt: skip
    for use in uses:
        with pytest.raises(FormatError, match=f"{name}.npy does not match its checksum"):
            use()
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize("name", ["indptr.npy", "totals.npy", "word_counts.npy", "words.txt"])
def test_damaged_small_files_are_found_on_opening(corpus, tmp_path, name):
    Cooccurrence.from_corpus(corpus, tmp_path / "counts")
    flip(tmp_path / "counts" / name, -1)
    with pytest.raises(FormatError, match=f"{name} does not match its checksum"):
        Cooccurrence.open(tmp_path / "counts")


def test_incomplete_counts(corpus, tmp_path):
    Cooccurrence.from_corpus(corpus, tmp_path / "counts")
    (tmp_path / "counts" / "indices.npy").unlink()
    with pytest.raises(FormatError, match="is missing"):
        Cooccurrence.open(tmp_path / "counts")


def test_counts_whose_header_promises_more(corpus, tmp_path):
    counts = Cooccurrence.from_corpus(corpus, tmp_path / "counts")
    change_header(tmp_path / "counts", totals={**counts.header["totals"], "pairs": 1})
    with pytest.raises(FormatError, match="its header says 1"):
        Cooccurrence.open(tmp_path / "counts")


def test_counts_with_another_number_type(corpus, tmp_path):
    place = Cooccurrence.from_corpus(corpus, tmp_path / "counts").path
    put_array(place, "counts.npy", np.zeros(3, dtype=np.uint16))
    with pytest.raises(FormatError, match=r"counts\.npy holds uint16"):
        Cooccurrence.open(place).csr()


def test_merging_through_the_command_line(hyperdive, tmp_path, corpus):
    other = corpus_of(big_corpus(900, seed=2), min_count=3).path
    for number, part in enumerate((corpus, other)):
        assert hyperdive("count", part, "-o", tmp_path / f"part{number}", "--set", "preset=paper").code == 0
    ran = hyperdive("count", "--merge", tmp_path / "part0", tmp_path / "part1", "-o", tmp_path / "both")
    assert ran.code == 0
    assert "corpora" in ran.out
    assert ran.err.startswith("merging 2 count folders, with about ")
    ran = hyperdive("count", "--merge", tmp_path / "part0", tmp_path / "part1", "-o", tmp_path / "x", "--memory", "1kB")
    assert ran.code == 1
    assert "too little" in ran.err
    assert hyperdive("count", corpus, other, "-o", tmp_path / "once", "--set", "preset=paper").code == 0
    assert Cooccurrence.open(tmp_path / "both").fingerprint == Cooccurrence.open(tmp_path / "once").fingerprint
    hyperdive("count", corpus, "-o", tmp_path / "narrow", "--window", 4)
    ran = hyperdive("count", "--merge", tmp_path / "narrow", tmp_path / "part1", "-o", tmp_path / "counts")
    refused(ran, tmp_path, "counted differently", "window")


def test_first_line_of_a_run_is_the_plan(hyperdive, tmp_path, corpus):
    ran = hyperdive("count", corpus, "-o", tmp_path / "counts")
    assert ran.err.startswith("counting 2.0 k tokens in one block, with about ")
    assert "distinct pairs" in ran.out


def test_unknown_word_has_near_spellings():
    counts = Cooccurrence.from_corpus(corpus_of([["poodle", "dog"]]))
    with pytest.raises(UnknownWordError, match=r"'poodel' is not in these counts .did you mean poodle"):
        counts.row("poodel")
    with pytest.raises(KeyError):
        counts.top("zebra")


def test_near_row_of_counts_without_near():
    counts = Cooccurrence.from_corpus(corpus_of([["poodle", "dog"]]))
    with pytest.raises(Exception, match="count again with --set near=yes"):
        counts.row("dog", near=True)


def test_dropped_words_do_not_come_back():
    corpus = corpus_of([["a", "a", "b"]], 2, rare="drop")
    with pytest.raises(OptionError, match="were dropped"):
        Cooccurrence.from_corpus(corpus, folder() / "counts", min_count=1)


def test_no_corpus_at_all():
    with pytest.raises(Exception, match="no corpus to count"):
        Cooccurrence.from_corpus([])


def test_counts_are_not_a_pickle(corpus, tmp_path):
    """Everything is numbers and text of a known layout."""
    Cooccurrence.from_corpus(corpus, tmp_path / "counts")
    header = json.loads((tmp_path / "counts" / "header.json").read_text(encoding="utf-8"))
    assert header["format"] == "hyperdive-counts"
    assert np.all([entry["bytes"] >= 0 for entry in header["files"].values()])
