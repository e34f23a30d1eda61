"""Runs mutations in child processes, so that a crash, a hang or an allocation is a finding and not the end.

Inputs are small: a case may touch 64 MB of memory and twice its input more than its process had, and reserve 64 MB of
private memory (384 MB where libraries reserve by what the data claims and do not touch it), and take 5 seconds of
processor time or of waiting. What it raises is a `hyperdive.Error`.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn

from hyperdive.errors import Error

SECONDS = 5
ROOM = 64 << 20
_RECORD, _WARM = 256, 12
_EACH = 5_000  # mutations of one child
_TICK = 0.25  # seconds between two looks at what a case waits for

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
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while record := _record(pipe, pid):
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


def _record(pipe: IO[bytes], pid: int) -> bytes:
    """The next record of a child; one that computes for long where no signal is heard, in compiled code, is killed."""
    used: float | None = None
    while not select.select([pipe], [], [], SECONDS)[0]:
        used = _processor_time(pid) if used is None else used
        if _processor_time(pid) - used > 4 * SECONDS:
            os.kill(pid, signal.SIGKILL)
            break
    return pipe.read(_RECORD)


def _processor_time(pid: int) -> float:
    """Seconds of processor time that a child has used."""
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
        fields = file.read().rsplit(b")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _work(case: Case, folder: Path, numbers: tuple[int, int, int, int], end: float, write: int) -> NoReturn:
    """The child: it tells the number of each mutation before it begins, and what came of it."""
    seed, first, last, room = numbers
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    watch = _Watch(SECONDS)
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
            watch.begin()
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
            watch.end()
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


class _Watch:
    """Raises `_Hang` in a case that computes or waits too long. Time in which it is ready and others have the
    processor, or in which it is stopped, is not its own."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.tick = seconds, min(_TICK, seconds / 4)
        self.waited = 0.0
        self._last = 0.0
        self._ran: dict[str, int] = {}
        signal.signal(signal.SIGPROF, self._hang)
        signal.signal(signal.SIGALRM, self._look)

    def begin(self) -> None:
        self.waited, self._last, self._ran = 0.0, time.monotonic(), {}
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        signal.setitimer(signal.ITIMER_REAL, self.tick, self.tick)

    def end(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _look(self, *_: Any) -> None:
        now, ran = time.monotonic(), _ready()
        passed, self._last = now - self._last, now
        ready = sum(time - self._ran.get(thread, 0) for thread, time in ran.items()) / 1e9 if self._ran else passed
        self._ran = ran
        if passed < 2 * self.tick:  # a longer one was stopped in between
            self.waited += max(0.0, passed - ready)
        if self.waited > self.seconds:
            self._hang()

    def _hang(self, *_: Any) -> None:
        self.end()
        raise _Hang


def _ready() -> dict[str, int]:
    """Nanoseconds that each thread of this process has run or stood in the queue for a processor."""
    times: dict[str, int] = {}
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # it ended just now
            run, queued, _ = (thread / "schedstat").read_bytes().split()
            times[thread.name] = int(run) + int(queued)
    return times


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
        _Watch(4 * SECONDS).begin()  # imports included
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
