"""Work folders: one owner, the same run, nothing of others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hyperdive._resume import OWNER, PLAN, OwnerLock, WorkFolder
from hyperdive.errors import InputError, OutputError

DEAD = 2**22 - 1  # no process has this number


def open_folder(place: Path, identity: str = "run", resume: bool | None = None) -> WorkFolder:
    return WorkFolder(place / ".x.work", place / "x", identity, resume=resume)


def test_only_one_of_many_starts_owns_a_folder(tmp_path: Path) -> None:
    """Each start read the owner first and wrote its own number later, so that two could work in one folder."""
    program = (
        "import sys, time; from pathlib import Path; from hyperdive._resume import OwnerLock\n"
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


def test_the_same_run_finds_its_stages_and_another_starts_anew(tmp_path: Path) -> None:
    work = open_folder(tmp_path)
    made = work.arrays("a", lambda: ({"n": 2}, {"values": np.arange(2)}))
    assert made[0] == {"n": 2}
    work.release()
    again = open_folder(tmp_path)
    assert again.done("a") and again.started
    assert again.arrays("a", lambda: pytest.fail("made twice"))[1]["values"].tolist() == [0, 1]
    again.release()
    assert not open_folder(tmp_path, "other run").started


def test_resume_true_needs_the_same_run_and_false_forgets_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run to resume"):
        open_folder(tmp_path, resume=True)
    work = open_folder(tmp_path, resume=False)
    work.arrays("a", lambda: ({}, {"values": np.arange(2)}))
    work.release()
    with pytest.raises(InputError, match="other options"):
        open_folder(tmp_path, "other", resume=True)
    resumed = open_folder(tmp_path, resume=True)
    assert resumed.done("a")
    resumed.release()
    assert not open_folder(tmp_path, resume=False).started


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "\x00"])
def test_a_plan_that_cannot_be_read_belongs_to_no_run(tmp_path: Path, content: str) -> None:
    (tmp_path / ".x.work").mkdir()
    (tmp_path / ".x.work" / PLAN).write_text(content)
    (tmp_path / ".x.work" / "left").write_text("by a run that was killed")
    work = open_folder(tmp_path)
    assert not work.place("left").exists()


def test_what_others_made_is_never_touched(tmp_path: Path) -> None:
    mine = tmp_path / ".x.work" / "deep" / "thesis.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    for resume in (None, True, False):
        with pytest.raises(OutputError, match="not made by hyperdive"):
            open_folder(tmp_path, resume=resume)
    assert mine.read_text() == "mine"
