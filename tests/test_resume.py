"""Work folders: one owner, the same run, nothing of others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hyperdive._atomic import sweep_partial
from hyperdive._locks import OWNER, OwnerLock
from hyperdive._resources import Run
from hyperdive._resume import ONCE, PLAN, WorkFolder
from hyperdive._store import ArtifactWriter
from hyperdive.errors import OutputError

DEAD = 2**22 - 1  # no process has this number


def open_folder(place: Path, identity: str = "run", **run: bool) -> WorkFolder:
    return WorkFolder(place / ".x.work", place / "x", identity, Run(**run))


def test_only_one_of_many_starts_owns_a_folder(tmp_path: Path) -> None:
    """Each start read the owner first and wrote its own number later, so that two could work in one folder."""
    program = (
        "import sys, time; from pathlib import Path; from hyperdive._locks import OwnerLock\n"
        "from hyperdive.errors import OutputError\n"
        "sys.stdin.readline()\n"
        "try:\n    OwnerLock(Path(sys.argv[1]), 'x').acquire(); print('mine', flush=True)\n"
        "except OutputError:\n    print('taken', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    (tmp_path / OWNER).write_text(str(DEAD))  # all of them find a stale owner
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    answers = []
    for child in children:
        assert child.stdout is not None
        answers.append(child.stdout.readline().strip())
    for child in children:
        child.communicate("end\n")
    assert sorted(answers) == ["mine"] + ["taken"] * 5


def test_an_owner_that_was_killed_is_replaced(tmp_path: Path) -> None:
    for left in (str(DEAD), "", str(os.getpid())):
        (tmp_path / OWNER).write_text(left)
        lock = OwnerLock(tmp_path, "x")
        lock.acquire()
        assert (tmp_path / OWNER).read_text() == str(os.getpid())
        lock.release()
    assert not list(tmp_path.iterdir())


def test_a_second_run_in_the_same_process_is_refused(tmp_path: Path) -> None:
    work = open_folder(tmp_path)
    with pytest.raises(OutputError, match="another run"):
        open_folder(tmp_path)
    work.release()
    open_folder(tmp_path).remove()
    assert not list(tmp_path.iterdir())


def test_the_same_run_finds_its_stages_and_another_is_told(tmp_path: Path) -> None:
    work = open_folder(tmp_path)
    made = work.arrays("a", lambda: ({"n": 2}, {"values": np.arange(2)}))
    assert made[0] == {"n": 2}
    work.release()
    again = open_folder(tmp_path)
    assert again.done("a") and again.started
    assert again.arrays("a", lambda: pytest.fail("made twice"))[1]["values"].tolist() == [0, 1]
    again.release()
    with pytest.raises(OutputError, match="other options or other input"):
        open_folder(tmp_path, "other run")


def test_a_run_can_begin_anew(tmp_path: Path) -> None:
    work = open_folder(tmp_path)
    work.arrays("a", lambda: ({}, {"values": np.arange(2)}))
    work.release()
    again = open_folder(tmp_path)
    assert again.done("a")
    again.release()
    with pytest.raises(OutputError, match="other options or other input"):
        open_folder(tmp_path, "other")
    other = open_folder(tmp_path, "other", restart=True)
    assert not other.started
    other.arrays("a", lambda: ({}, {"values": np.arange(2)}))
    other.release()
    assert not open_folder(tmp_path, "other", restart=True).started


def test_a_run_on_a_pipe_can_never_go_on(tmp_path: Path) -> None:
    work = open_folder(tmp_path, f"{ONCE}1")
    work.arrays("a", lambda: ({}, {"values": np.arange(2)}))
    work.release()
    assert not open_folder(tmp_path, f"{ONCE}2").started


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "\x00", '{"plan": "holidays"}'])
def test_a_plan_of_another_program_is_never_touched(tmp_path: Path, content: str) -> None:
    """Any folder with a file of this name was taken for a work folder, and emptied."""
    (tmp_path / ".x.work").mkdir()
    (tmp_path / ".x.work" / PLAN).write_text(content)
    (tmp_path / ".x.work" / "thesis.txt").write_text("mine")
    for restart in (False, True):
        with pytest.raises(OutputError, match="not made by hyperdive"):
            open_folder(tmp_path, restart=restart)
    assert (tmp_path / ".x.work" / "thesis.txt").read_text() == "mine"


def test_a_file_named_owner_does_not_make_a_work_folder(tmp_path: Path) -> None:
    (tmp_path / ".x.work").mkdir()
    (tmp_path / ".x.work" / OWNER).write_text("me")
    (tmp_path / ".x.work" / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="not made by hyperdive"):
        open_folder(tmp_path)
    assert (tmp_path / ".x.work" / "thesis.txt").read_text() == "mine"


def test_a_work_folder_is_private(tmp_path: Path) -> None:
    work = open_folder(tmp_path)
    assert work.folder.stat().st_mode & 0o077 == 0
    assert (work.folder / OWNER).stat().st_mode & 0o077 == 0
    work.remove()


def test_a_folder_half_removed_is_swept_by_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while it was removed, it had lost its plan, and every later run refused it."""
    import hyperdive._resume as module

    work = open_folder(tmp_path)
    work.arrays("a", lambda: ({}, {"values": np.arange(2)}))
    monkeypatch.setattr(module, "remove_any", lambda path: (path / PLAN).unlink())
    work.remove()
    monkeypatch.undo()
    assert not work.folder.exists()
    (left,) = tmp_path.iterdir()
    left.rename(left.with_name(left.name.replace(str(os.getpid()), str(DEAD))))
    open_folder(tmp_path).remove()
    sweep_partial(tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_what_is_left_after_the_output_is_complete_is_swept(tmp_path: Path) -> None:
    """Killed between its last rename and the removal of its work folder."""
    for force, swept in ((False, True), (True, False)):
        work = open_folder(tmp_path, force=force)
        work.arrays("a", lambda: ({}, {"values": np.arange(2)}))
        work.release()
        WorkFolder.sweep(work.folder, work.output)
        assert work.folder.exists()  # there is no output yet
        with ArtifactWriter(work.output, "example", 1, force=True) as writer:
            writer.finish({})
        WorkFolder.sweep(work.folder, work.output)
        assert work.folder.exists() is not swept
        shutil.rmtree(work.output)


def test_what_others_made_is_never_touched(tmp_path: Path) -> None:
    mine = tmp_path / ".x.work" / "deep" / "thesis.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    for restart in (True, False):
        with pytest.raises(OutputError, match="not made by hyperdive"):
            open_folder(tmp_path, restart=restart)
    assert mine.read_text() == "mine"
