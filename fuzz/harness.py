"""Runs mutations in child processes, so that a crash, a hang or an allocation is a finding and not the end.

Inputs are small: a case may touch 64 MB of memory and twice its input more than its process had, and reserve 64 MB of
private memory (384 MB where libraries reserve by what the data claims and do not touch it), and take 5 seconds of
processor time. What it raises is a `hyperdive.Error`.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from hyperdive.errors import Error

SECONDS = 5
ROOM = 64 << 20
_RECORD, _WARM = 256, 12
_EACH = 5_000  # mutations of one child
_PATIENCE = 8  # times the limit of processor time that a case may take on a busy machine

Case = Callable[[random.Random, Path], int]
"""Makes an input from a random generator in a folder of its own and uses it; gives the size of the input in bytes."""


@dataclass
class Findings:
    """What a run of mutations found."""

    target: str
    mutations: int = 0
    refused: int = 0
    found: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.target:<12} {self.mutations:>9,} mutations, {self.refused:>9,} refused, {len(self.found)} findings"
        )


class _Hang(BaseException):
    """A case took too long."""


def memory(*names: str) -> list[int]:
    """Fields of /proc/self/status in bytes: VmData is writable private memory, VmHWM the peak of what is resident."""
    with open("/proc/self/status", "rb") as file:  # noqa: PTH123
        found = dict(line.split(b":", 1) for line in file.read().splitlines())
    return [int(found[name.encode()].split()[0]) << 10 for name in names]


def _peak_from_here() -> None:
    """Let the peak of resident memory begin at what is resident now."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as file:  # noqa: PTH123
        file.write("5")


@dataclass(frozen=True)
class Limits:
    """How long mutations are tried, and the private memory a case may take more than its process had."""

    seconds: float = 60.0
    mutations: int = 1 << 62
    room: int = ROOM


def run(target: str, case: Case, folder: Path, limits: Limits, *, seed: int = 0) -> Findings:
    """Try mutations up to the limits; each is named by its seed, `SEED:NUMBER`, and can be repeated by that."""
    findings = Findings(target)
    end = time.monotonic() + limits.seconds
    first = 0
    while time.monotonic() < end and first < limits.mutations and len(findings.found) < 20:
        last = min(first + _EACH, limits.mutations)
        first = _child(findings, case, folder, (seed, first, last, limits.room), end)
    return findings


def _child(findings: Findings, case: Case, folder: Path, numbers: tuple[int, int, int, int], end: float) -> int:
    """One child that tries mutations until the time is over or it dies; the number of the next mutation."""
    seed, first, _, _ = numbers
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _work(case, folder, numbers, end, write)
    os.close(write)
    done, refused, message = first, 0, ""
    with os.fdopen(read, "rb") as pipe:
        while record := pipe.read(_RECORD):
            kind, number, text = record.decode("utf-8", errors="replace").split("\0")[:3]
            done = int(number) + 1
            refused += kind == "refused"
            if kind == "found":
                findings.found.append(f"{findings.target} {seed}:{number} {text}")
            elif kind == "begin":
                done, message = int(number), text
    _, status = os.waitpid(pid, 0)
    if status:  # it died in the mutation that it began last
        what = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
        findings.found.append(f"{findings.target} {seed}:{done} {what} {message}")
        done += 1
    findings.mutations += done - first
    findings.refused += refused
    return done


def _work(case: Case, folder: Path, numbers: tuple[int, int, int, int], end: float, write: int) -> NoReturn:
    """The child: it tells the number of each mutation before it begins, and what came of it."""
    seed, first, last, room = numbers
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    signal.signal(signal.SIGALRM, _hang)
    signal.signal(signal.SIGPROF, _hang)
    printed: list[str] = []
    sys.unraisablehook = lambda told: printed.append(f"{told.exc_value!r} in {told.object!r}")

    def tell(kind: str, number: int, text: str = "") -> None:
        os.write(write, f"{kind}\0{number}\0{text[:180]}\0".encode()[:_RECORD].ljust(_RECORD))

    own = Path(folder) / f"work-{os.getpid()}"
    own.mkdir()
    tempfile.tempdir = str(own)
    for number in range(_WARM):  # what is loaded at first use is no allocation of a case
        with contextlib.suppress(Exception):
            case(random.Random(f"warm:{number}"), own)
    findings = 0
    for number in range(first, last):
        if time.monotonic() > end or findings > 20:
            break
        tell("begin", number)
        _peak_from_here()
        before, resident = memory("VmData", "VmHWM")
        size = 0
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (before + room, resource.RLIM_INFINITY))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.setitimer(signal.ITIMER_REAL, _PATIENCE * SECONDS)
            size = case(random.Random(f"{seed}:{number}"), own)
            held = "held"
        except Error:
            held = "refused"
        except MemoryError:
            held = "too much memory"
        except _Hang:
            held = f"more than {SECONDS} s: {_where()}"
        except BaseException:
            held = _where()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        touched = memory("VmHWM")[0] - resident
        if held in ("held", "refused") and touched > ROOM + 2 * size:
            held = f"too much memory: {touched >> 20} MB touched"
        if printed:
            held = f"a trace is printed: {printed.pop()}"
        if held in ("held", "refused"):
            tell(held, number)
        else:
            findings += 1
            tell("found", number, held)
    import shutil

    shutil.rmtree(own, ignore_errors=True)
    os._exit(0)


def _hang(*_: Any) -> None:
    raise _Hang


def _where() -> str:
    """The last lines of a trace, short."""
    kind, error, trace = sys.exc_info()
    last = traceback.extract_tb(trace)[-2:]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(last))
    return f"{kind.__name__ if kind else ''}: {str(error)[:80]} at {places}"


def outcome(function: Callable[[], object]) -> str:
    """What became of a call in a process of its own: `held`, `refused: MESSAGE`, or how it went wrong."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        signal.signal(signal.SIGALRM, _hang)
        signal.signal(signal.SIGPROF, _hang)
        signal.setitimer(signal.ITIMER_PROF, 4 * SECONDS)  # imports included
        signal.setitimer(signal.ITIMER_REAL, 4 * _PATIENCE * SECONDS)
        try:
            function()
            text = "held"
        except Error as error:
            text = f"refused: {error}"
        except BaseException:
            text = _where()
        os.write(write, text[:4_000].encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(pid, 0)
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else text
