"""Files are whole or absent, and two runs never share a temporary name."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from hyperdive._atomic import whole_file, write_file
from hyperdive._store import ArtifactWriter
from hyperdive.errors import OutputError

DEAD = 2**22 - 1  # no process has this number


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    """They wrote to one temporary name, so that the second renamed half of the first one's text."""
    place = tmp_path / "pets.txt"
    with whole_file(place) as one, whole_file(place) as two:
        assert one != two
        one.write_text("one")
        two.write_text("two")
    assert place.read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["pets.txt"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "pets.txt"
    write_file(place, "old")
    with pytest.raises(ValueError, match="half way"), whole_file(place) as unfinished:
        unfinished.write_text("ne")
        raise ValueError("half way")
    with pytest.raises(OutputError, match="the disk is full"), whole_file(place) as unfinished:
        raise OSError(errno.ENOSPC, "full")
    assert place.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["pets.txt"]


def test_what_a_killed_run_left_is_swept(tmp_path: Path) -> None:
    (tmp_path / f".pets.txt.partial-{DEAD}-0a").write_text("half")
    (tmp_path / f".other.txt.partial-{DEAD}-0a").write_text("half")
    write_file(tmp_path / "pets.txt", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f".other.txt.partial-{DEAD}-0a", "pets.txt"]


def test_what_cannot_be_replaced_is_told(tmp_path: Path) -> None:
    write_file(tmp_path / "a" / "pets.txt", b"old")
    with pytest.raises(OutputError, match="already exists"):
        write_file(tmp_path / "a" / "pets.txt", b"new", force=False)
    with pytest.raises(OutputError, match="a folder"):
        write_file(tmp_path / "a", b"new")
    with pytest.raises(OutputError, match="not a usable place"):
        write_file(tmp_path / "a" / "pets.txt" / "b", b"new")
    write_file(tmp_path / "half.txt", "a\ud800b")
    assert (tmp_path / "half.txt").read_bytes() == b"a?b"


def test_a_writer_does_not_bring_a_removed_folder_back(tmp_path: Path) -> None:
    """A task of an engine that outlives its run: the folder goes between two of its files."""
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(OutputError), ArtifactWriter(work / "stage", "example", 1, parents=False) as writer:
        writer.put("inner/deeper/a.bin", b"1")
        assert (writer.folder / "inner/deeper/a.bin").read_bytes() == b"1"
        shutil.rmtree(work)
        writer.put("b.bin", b"2")
    assert not list(tmp_path.iterdir())
