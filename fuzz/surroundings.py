"""What happens around a verb that writes: a full disk, folders of others, signals, closed streams, a second process.

Each function tries one kind of trouble on one scenario of `fuzz.faults` and gives the outcomes; None where this machine
or user cannot make that trouble (mounting and changing users are for root alone).
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from fuzz.faults import Outcomes, Scenario, Trial, again, in_child, state

NOBODY = 65534
_SIGNALS = 8  # of each kind


def _named(trial: Trial) -> tuple[dict[str, str], str]:
    """What states of the output are called, and that of an undisturbed run."""
    trial.reset()
    old = state(trial.output)
    trial.work()  # children find everything loaded
    trial.reset()
    trial.run()
    new = state(trial.output)
    assert new, f"{trial.scenario.name}: an undisturbed run makes nothing"
    return {"": "none", new: "new", **({old: "old"} if old else {})}, new


def _judge(trial: Trial, names: dict[str, str], outcomes: Outcomes, what: str, ran: tuple[int, str]) -> None:
    """Note the outcome of one trial."""
    code, text = ran
    outcomes.events += 1
    found = names.get(state(trial.output), "other")
    if trial.scenario.changes and found == "other":
        found = "old"  # judged by what a second call leaves
    outcomes.states[found] += 1
    if found == "other":
        outcomes.found.append(f"{what}: an output of other bytes: {sorted(p.name for p in trial.here.iterdir())}")
    if "Traceback" in text or code == 99:
        outcomes.found.append(f"{what}: exit {code}: {text[-300:]}")


def full_disk(scenario: Scenario, healthy: Path, work: Path) -> Outcomes | None:
    """A disk of too few bytes: a small tmpfs, from nothing up to what the verb needs."""
    disk = work / "disk"
    disk.mkdir(exist_ok=True)
    trial = Trial(scenario, healthy, disk)
    outcomes = Outcomes(scenario.name, "disk")
    names, new = _named(Trial(scenario, healthy, work))
    size = 4 << 10
    while size < 64 << 20:
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], capture_output=True
        ).returncode:
            return None
        try:
            try:
                trial.reset()
            except OSError:  # not even the old output has room
                size *= 2
                continue
            code, text = trial.run()
            _judge(trial, names, outcomes, f"{size >> 10} kB", (code, text))
            if code and len([line for line in text.splitlines() if line.startswith("hyperdive: ")]) != 1:
                outcomes.found.append(f"{size >> 10} kB: exit {code}: {text[-300:]}")
            if code and not scenario.resumes and (left := trial.litter()):
                outcomes.found.append(f"{size >> 10} kB: left behind: {left}")
            subprocess.run(["mount", "-o", "remount,size=128m", str(disk)], check=True, capture_output=True)
            again(trial, size >> 10, new, outcomes)
        finally:
            subprocess.run(["umount", "-l", str(disk)], capture_output=True)
        if code == 0:
            break
        size *= 2
    return outcomes


def other_user(scenario: Scenario, healthy: Path, work: Path) -> Outcomes | None:
    """A folder that belongs to somebody else and is not writable."""
    if os.geteuid() != 0:
        return None
    trial = Trial(scenario, healthy, work)
    outcomes = Outcomes(scenario.name, "foreign")
    names, new = _named(trial)

    def as_nobody() -> tuple[int, str]:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        return trial.work()

    for mode in (0o755, 0o555):
        trial.reset()
        before = state(trial.output)
        trial.here.chmod(mode)
        code, text = in_child(as_nobody)
        _judge(trial, names, outcomes, f"{mode:o}", (code, text))
        if code != 1 or state(trial.output) != before or trial.litter():
            outcomes.found.append(f"{mode:o}: exit {code}, {trial.litter()}: {text[-300:]}")
        trial.here.chmod(0o755)
    again(trial, 0, new, outcomes)
    return outcomes


def _work_and_leave(trial: Trial) -> NoReturn:
    """The verb in a child that was forked; its exit code is that of the verb, 99 for a trace."""
    code = 99
    try:
        code, text = trial.work()
        code = 99 if "Traceback" in text else code
    except KeyboardInterrupt:
        code = 130
    finally:
        os._exit(code)


def signals(scenario: Scenario, healthy: Path, work: Path) -> Outcomes:
    """SIGTERM and SIGINT at random times."""
    trial = Trial(scenario, healthy, work)
    outcomes = Outcomes(scenario.name, "signals")
    names, new = _named(trial)
    trial.reset()
    start = time.monotonic()
    trial.run()
    usual = time.monotonic() - start
    choice = random.Random(scenario.name)
    for number in range(2 * _SIGNALS):
        kind = (signal.SIGTERM, signal.SIGINT)[number % 2]
        trial.reset()
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            _work_and_leave(trial)
        time.sleep(choice.random() * usual)
        os.kill(pid, kind)
        _, status = os.waitpid(pid, 0)
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        _judge(trial, names, outcomes, f"{kind.name} {number}", (code, ""))
        if code not in (0, 1, 130, -kind):
            outcomes.found.append(f"{kind.name} {number}: exit {code}")
        again(trial, number, new, outcomes)
    return outcomes


def closed_stdout(scenario: Scenario, healthy: Path, work: Path) -> Outcomes | None:
    """A standard output that the shell has closed."""
    if scenario.call is not None:
        return None
    trial = Trial(scenario, healthy, work)
    outcomes = Outcomes(scenario.name, "stdout")
    names, new = _named(trial)
    trial.reset()
    command = ["bash", "-c", '"$@" >&-', "bash", sys.executable, "-W", "ignore", "-m", "hyperdive", *trial.arguments]
    ran = subprocess.run(command, capture_output=True, text=True)
    _judge(trial, names, outcomes, "closed", (ran.returncode, ran.stderr))
    if ran.returncode or state(trial.output) != new:
        outcomes.found.append(f"closed: exit {ran.returncode}: {ran.stderr[-300:]}")
    return outcomes


def two_processes(scenario: Scenario, healthy: Path, work: Path) -> Outcomes:
    """Two processes that write one output at the same time."""
    trial = Trial(scenario, healthy, work)
    outcomes = Outcomes(scenario.name, "two")
    names, new = _named(trial)
    for turn in range(4):
        trial.reset()
        pids = []
        for _ in range(2):
            pid = os.fork()
            if pid == 0:
                _work_and_leave(trial)
            pids.append(pid)
        codes = sorted(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids)
        _judge(trial, names, outcomes, f"turn {turn}", (codes[-1], ""))
        if codes[0] != 0 or codes[1] not in (0, 1) or state(trial.output) != new or trial.litter():
            outcomes.found.append(f"turn {turn}: exits {codes}, {trial.litter()}")
    return outcomes


KINDS: dict[str, Callable[[Scenario, Path, Path], Outcomes | None]] = {
    "disk": full_disk,
    "foreign": other_user,
    "signals": signals,
    "stdout": closed_stdout,
    "two": two_processes,
}


def readable(folder: Path) -> None:
    """Let other users read a folder and what is in it."""
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and parent.stat().st_mode & 0o077 == 0:
            parent.chmod(0o755)
    if shutil.which("chmod"):
        subprocess.run(["chmod", "-R", "a+rX", str(folder)], capture_output=True)
