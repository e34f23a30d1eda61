"""Runs that can be stopped: one work folder a run, owned by one process, in which finished stages are found again.

A work folder is next to the output of its run. It holds

| file | content |
| --- | --- |
| `owner` | number of the process that works here; created exclusively, so two runs never share a folder |
| `plan.json` | identity of the run: a hash of its input and options |
| anything else | finished stages (each an artefact, whole or absent), checkpoints, pieces |

The same run continues from what it finds; any other run starts anew.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from hyperdive._atomic import explain_os_errors, is_running, write_file
from hyperdive._store import HEADER, Artifact, ArtifactWriter, canonical_json
from hyperdive._types import Array
from hyperdive.errors import FormatError, InputError, OutputError

CHECKPOINT_SECONDS = 20.0
PLAN, OWNER = "plan.json", "owner"
_STAGE, _CHECKPOINT, _VERSION = "stage", "checkpoint", 1
_UNWRITTEN_SECONDS = 1.0  # an owner file has its number long before this, unless its process was killed in between
_HELD: set[Path] = set()


class OwnerLock:
    """The right of one process to work in a folder.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with OwnerLock(folder, "results"):
    ...     OwnerLock(folder, "results").acquire()
    Traceback (most recent call last):
    hyperdive.errors.OutputError: results: another run (process ...) is making it (wait for it or choose another -o)
    """

    def __init__(self, folder: Path, what: str, *, hint: str = "wait for it or choose another -o") -> None:
        self._file, self._what, self._hint = folder.absolute() / OWNER, what, hint

    def acquire(self) -> None:
        """Take the folder, also from a process that was killed; a running one is an error."""
        while True:
            try:
                descriptor = os.open(self._file, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            except FileExistsError:
                self._displace()
                continue
            with os.fdopen(descriptor, "w") as file:
                file.write(str(os.getpid()))
            _HELD.add(self._file)
            return

    def _displace(self) -> None:
        """Move aside the file of an owner that is gone."""
        pid = self._owner()
        alive = self._file in _HELD if pid == os.getpid() else pid is not None and is_running(pid)
        if alive:
            raise OutputError(f"{self._what}: another run (process {pid}) is making it", hint=self._hint)
        # two runs may find the same stale file: each moves what it finds, and looks at it before it goes
        aside = self._file.with_name(f"{OWNER}-{os.getpid()}-{uuid.uuid4().hex[:8]}")
        try:
            self._file.rename(aside)
        except FileNotFoundError:
            return
        if _pid_in(aside) != pid:
            aside.rename(self._file)
        else:
            aside.unlink()

    def _owner(self) -> int | None:
        """The process named in the file; a file without a number gets a moment to be written."""
        deadline = time.monotonic() + _UNWRITTEN_SECONDS
        while self._file.exists():
            pid = _pid_in(self._file)
            if pid is not None or time.monotonic() > deadline:
                return pid
            time.sleep(0.01)
        return None

    def release(self) -> None:
        """Leave the folder to others."""
        if self._file in _HELD:
            _HELD.discard(self._file)
            self._file.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _pid_in(file: Path) -> int | None:
    try:
        text = file.read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def write_stage(place: Path, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Keep facts and arrays in a folder, whole or not at all; any process may do it, and the first one counts."""
    try:
        with ArtifactWriter(place, _STAGE, _VERSION) as writer:
            for key, array in arrays.items():
                writer.put(key, array)
            writer.finish({"facts": dict(facts)})
    except (OSError, OutputError):
        if not is_stage(place):
            raise


def is_stage(place: Path) -> bool:
    """Whether a stage is complete there."""
    return (place / HEADER).is_file()


def read_stage(place: Path, *, verify: bool = True) -> tuple[dict[str, Any], dict[str, Array]]:
    """The facts and arrays of a complete stage."""
    artifact = Artifact.open(place, _STAGE, _VERSION)
    if verify:
        artifact.verify()
    return artifact.header["facts"], {key: artifact.array(key) for key in artifact.header["files"]}


class WorkFolder:
    """The work folder of one run.

    Args:
        folder: where it lies; it is removed when the run is complete.
        output: what the run makes, for messages.
        identity: a hash of everything the result depends on.
        resume: True: it must hold the same run; False: start anew; None: continue the same run, else start anew.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / ".model.train"
    >>> work = WorkFolder(folder, Path("model"), "run 1", resume=None)
    >>> work.arrays("squares", lambda: ({"n": 3}, {"values": np.arange(3) ** 2}))[1]["values"].tolist()
    [0, 1, 4]
    >>> work.release()
    >>> WorkFolder(folder, Path("model"), "run 1", resume=True).done("squares")
    True
    """

    def __init__(self, folder: Path, output: Path, identity: str, *, resume: bool | None) -> None:
        self.folder, self.output = folder, output
        if resume and not folder.exists():
            raise InputError(f"{output}: there is no run to resume", hint="train without --resume")
        self._refuse_foreign()
        with explain_os_errors(output):
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = OwnerLock(folder, str(output))
            self._lock.acquire()
            same = self._identity() == identity
            if resume and not same:
                self._lock.release()
                raise InputError(
                    f"{folder}: holds a run with other options or other text", hint="train without --resume"
                )
            if not same or resume is False:
                self._clear()
                write_file(folder / PLAN, canonical_json({"identity": identity}))

    def _refuse_foreign(self) -> None:
        """Never touch a folder of this name that is not a work folder."""
        if not os.path.lexists(self.folder):
            return
        ours = self.folder.is_dir() and not self.folder.is_symlink()
        if ours:
            names = {path.name for path in self.folder.iterdir()}
            ours = not names or bool(names & {PLAN, OWNER})
        if not ours:
            raise OutputError(
                f"{self.folder}: exists and was not made by hyperdive", hint="rename it, or choose another -o"
            )

    def _identity(self) -> str | None:
        """The run the folder belongs to; a plan that cannot be read belongs to no run."""
        try:
            plan = json.loads((self.folder / PLAN).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return plan.get("identity") if isinstance(plan, dict) else None

    def _clear(self) -> None:
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != OWNER:
                path.unlink()

    def place(self, name: str) -> Path:
        """Where a stage of this name lies, or will lie."""
        return self.folder / name

    def done(self, name: str) -> bool:
        """Whether a stage is complete."""
        return is_stage(self.folder / name)

    @property
    def started(self) -> bool:
        """Whether any stage is complete."""
        return any((path / HEADER).is_file() for path in self.folder.iterdir())

    def arrays(
        self, name: str, make: Callable[[], tuple[Mapping[str, Any], Mapping[str, Array]]]
    ) -> tuple[dict[str, Any], dict[str, Array]]:
        """Facts and arrays of a stage, made now or found from before."""
        if not self.done(name):
            write_stage(self.place(name), *make())
        return read_stage(self.place(name))

    def release(self) -> None:
        """Stop here and leave the folder for the next run."""
        self._lock.release()

    def remove(self) -> None:
        """The run is complete, or cannot be resumed: the folder goes."""
        self._lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)


class Checkpoint:
    """The state of a solver in a folder, replaced as a whole now and then, and read back by the same run only.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "state"
    >>> Checkpoint(place, "run 1", seconds=0).write({"pass": 3}, {"words": np.ones(2, dtype=np.float32)})
    >>> Checkpoint(place, "run 1").read()
    ({'pass': 3}, {'words': array([1., 1.], dtype=float32)})
    """

    def __init__(self, path: str | Path | None, identity: str, *, seconds: float = CHECKPOINT_SECONDS) -> None:
        self.path = None if path is None else Path(path)
        self._identity, self._seconds, self._last = identity, seconds, time.monotonic()

    def read(self) -> tuple[dict[str, Any], dict[str, Array]] | None:
        """Where an earlier run with the same options and input stopped, or None."""
        if self.path is None or not self.path.exists():
            return None
        artifact = Artifact.open(self.path, _CHECKPOINT, _VERSION)
        if artifact.header["run"] != self._identity:
            raise FormatError(
                f"{self.path}: this checkpoint belongs to a run with other options or other counts",
                hint="remove it, or train without --resume",
            )
        artifact.verify()
        arrays = {name: np.array(artifact.array(name)) for name in artifact.header["files"]}
        return dict(artifact.header["state"]), arrays

    def write(self, state: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Keep this state, unless the last one was kept a moment ago."""
        if self.path is None or time.monotonic() - self._last < self._seconds:
            return
        with ArtifactWriter(self.path, _CHECKPOINT, _VERSION, force=True) as writer:
            for name, array in arrays.items():
                writer.put(name, array)
            writer.finish({"run": self._identity, "state": dict(state)})
        self._last = time.monotonic()

    def remove(self) -> None:
        """The run is complete."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)
