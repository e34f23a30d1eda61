"""Compiling ahead: the kernels that some work needs and that are not there yet, in other processes, with a bar.

Numba compiles on one core at a time in one process, so several processes share the work. One hyperdive process at a
time has them compile; others wait until what they need is there, and go on while the rest is compiled.

    python -P -m hyperdive.compilation.compiler encode count train      # needs no package but Numba
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from hyperdive._locks import exclusive
from hyperdive._progress import Bar, Progress
from hyperdive._resources import check_threads
from hyperdive.compilation.environment import cache_folder
from hyperdive.compilation.kernel_store import missing
from hyperdive.compilation.signatures import Signature, needed

MOST_WORKERS = 4
in_other_processes = True
"""False leaves every kernel to its first call, as in a process that measures the compiler."""
_told: set[str] = set()


def prepare(*uses: str, progress: Progress) -> int:
    """Have the kernels of these kinds of work at hand; returns how many had to be compiled.

    The kinds are those of the manifest: `encode`, `count`, `train`, … Those of a kind that is named first are compiled
    first. Nothing is said when all of them are there.
    """
    disabled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    if disabled or not in_other_processes or not sys.executable:
        return 0
    absent = missing(needed(uses))
    if not absent:
        return 0
    folder, lasting = cache_folder()
    if not lasting and "folder" not in _told:
        _told.add("folder")
        progress.note(
            "note: there is no folder to keep compiled kernels in, so every start compiles them "
            "(set NUMBA_CACHE_DIR to a folder of your own)"
        )
    with _Waiting(absent, progress) as waiting, exclusive(folder / "lock", unless=waiting.over) as held:
        waiting.close()
        absent = missing(absent) if held else []  # another process may have compiled them meanwhile
        if absent:
            _compile(absent, progress)
    return len(absent)


class _Waiting:
    """Kernels that another process compiles, and the bar that shows how many are left."""

    def __init__(self, absent: list[Signature], progress: Progress) -> None:
        self._absent, self._progress = absent, progress
        self._shown, self._bar = ExitStack(), Bar("", None, "")

    def __enter__(self) -> _Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the bar, where there is one."""
        self._shown.close()

    def over(self) -> bool:
        """Whether all of them are there; asked only while another process compiles."""
        left = len(missing(self._absent))
        if left and self._bar.total is None:
            title = f"Waiting for {_many(left)} that another process compiles"
            if self._progress.mode != "bar":
                self._progress.note(title)
            self._bar = self._shown.enter_context(self._progress.stage(title, total=left))
        if self._bar.total is not None:
            self._bar.advance(self._bar.total - left - self._bar.done)
        return not left


def _many(number: int) -> str:
    return f"{number} kernel{'' if number == 1 else 's'}"


def _compile(absent: list[Signature], progress: Progress) -> None:
    workers = min(check_threads(None), MOST_WORKERS, len(absent))
    longest = max(signature.seconds for signature in absent)
    seconds = max(longest, sum(signature.seconds for signature in absent) / workers) + 2
    title = f"Compiling {_many(len(absent))}, once (about {seconds:.0f} s)"
    if progress.mode != "bar":
        progress.note(title)
    waiting: SimpleQueue[Signature] = SimpleQueue()
    uses = list(dict.fromkeys(signature.use for signature in absent))
    for signature in sorted(absent, key=lambda signature: (uses.index(signature.use), -signature.seconds)):
        waiting.put(signature)
    with progress.stage(title, total=len(absent)) as bar:
        bar.advance(0)
        processes = [start_worker() for _ in range(workers)]
        threads = [Thread(target=_feed, args=(process, waiting, bar), daemon=True) for process in processes]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            for process in processes:
                process.kill()
                process.wait()


def start_worker() -> subprocess.Popen[str]:
    """A process of `hyperdive.compilation.worker`."""
    # the settings of Numba that the environment may hold are for the user's own kernels
    settings = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_") or name in _PASSED}
    root = str(Path(__file__).parents[2])
    settings["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    settings["NUMBA_DISABLE_INTEL_SVML"] = "1"  # its functions round differently, and not every machine has it
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "hyperdive.compilation.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=settings,
    )


_PASSED = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR")


def _feed(process: subprocess.Popen[str], waiting: SimpleQueue[Signature], bar: Bar) -> None:
    """Give a worker one kernel after the other; one that dies leaves the rest to the others, or to first use."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError, ValueError):
        while True:
            try:
                signature = waiting.get_nowait()
            except Empty:
                return
            process.stdin.write(f"{signature.kernel}\t{signature.types}\n")
            process.stdin.flush()
            if not process.stdout.readline():
                return
            bar.advance(1)


if __name__ == "__main__":
    prepare(*sys.argv[1:], progress=Progress("auto"))
