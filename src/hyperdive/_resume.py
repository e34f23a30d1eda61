"""Runs that can be stopped: one work folder a run, owned by one process, in which finished stages are found again.

A work folder is next to the output of its run. It holds

| file | content |
| --- | --- |
| `owner` | number of the process that works here, which holds its lock: two runs never share a folder |
| `plan.json` | identity of the run: a hash of its input and options; whether it may replace its output |
| anything else | finished stages (each an artefact, whole or absent), checkpoints, pieces |

The same run continues from what it finds; any other run, and one that is told to, starts anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from hyperdive._atomic import explain_os_errors, partial_name, remove_any, write_file
from hyperdive._locks import OWNER, OwnerLock
from hyperdive._resources import Run
from hyperdive._store import HEADER, Artifact, ArtifactWriter, canonical_json, is_artifact
from hyperdive._types import Array
from hyperdive.errors import DiskFullError, FormatError, InputError, OutputError

CHECKPOINT_SECONDS = 20.0
PLAN = "plan.json"
ONCE = "once:"
"""How the identity of a run begins that can never be the same again, since its input was a pipe."""
_STAGE, _VERSION = "stage", 1


def write_stage(place: Path, facts: Mapping[str, Any], arrays: Mapping[str, Array], *, force: bool = False) -> None:
    """Keep facts and arrays in a folder, whole or not at all; any process may do it, and the first one counts.

    The folder around it must be there: a task that outlives its run does not bring the work folder back. With `force`
    an older stage is replaced.
    """
    try:
        with ArtifactWriter(place, _STAGE, _VERSION, force=force, parents=force) as writer:
            for key, array in arrays.items():
                writer.put(key, array)
            writer.finish({"facts": dict(facts)})
    except (OSError, OutputError):
        if force or not is_stage(place):
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
    """The work folder of one run, which only this user can read.

    Args:
        folder: where it lies; it is removed when the run is complete.
        output: what the run makes, for messages.
        identity: a hash of everything the result depends on.
        run: whether to begin anew (`restart`), and whether the output may be there already (`force`).

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / ".model.train"
    >>> work = WorkFolder(folder, Path("model"), "run 1")
    >>> work.arrays("squares", lambda: ({"n": 3}, {"values": np.arange(3) ** 2}))[1]["values"].tolist()
    [0, 1, 4]
    >>> work.release()
    >>> WorkFolder(folder, Path("model"), "run 1").done("squares")
    True
    """

    def __init__(self, folder: Path, output: Path, identity: str, run: Run = Run()) -> None:
        self.folder, self.output = folder, output
        if not _is_work(folder):
            raise OutputError(f"{folder}: exists and was not made by hyperdive", hint="rename it, or choose another -o")
        with explain_os_errors(output):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = OwnerLock(folder, str(output))
            self._lock.acquire()
            try:
                found = run_identity(folder)
                if found != identity and not run.restart and self.started and not found.startswith(ONCE):
                    raise OutputError(
                        f"{folder}: holds an interrupted run with other options or other input",
                        hint="type that command to go on with it, or add --restart to begin anew",
                    )
                if found != identity or run.restart:
                    self._clear()
                write_file(folder / PLAN, canonical_json({"force": run.force, "identity": identity}))
            except BaseException:
                self._lock.release()
                raise

    @staticmethod
    def sweep(folder: Path, output: Path) -> None:
        """Remove the work folder of a run that was killed after its output was complete, in its final clean-up."""
        if is_artifact(output) and folder.is_dir() and _is_work(folder) and _plan(folder).get("force") is False:
            with contextlib.suppress(OSError, OutputError), OwnerLock(folder, str(output)):
                _discard(folder, output)

    def _clear(self) -> None:
        """Empty the folder but for its owner; what is half removed has no name that a run looks for."""
        for path in list(self.folder.iterdir()):
            if path.name not in (OWNER, PLAN):
                cleared = path.with_name(f"cleared-{uuid.uuid4().hex[:8]}")
                path.rename(cleared)
                remove_any(cleared)

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

    @property
    def _holds_work(self) -> bool:
        """Whether a later run can go on with something: stages, checkpoints or parts of them."""
        return self.folder.is_dir() and any(path.is_dir() for path in self.folder.iterdir())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the folder of a run that is complete or can never be; leave what another run can go on with."""
        if not self.folder.is_dir():  # it was removed already
            self.release()
        elif error is None or isinstance(error, InputError) or not self._holds_work:
            self.remove()
        else:
            self.release()
        if isinstance(error, DiskFullError):
            hint = "free some space or choose another output"
            if self.folder.is_dir():
                hint = f"free some space and type the same command to go on, or delete {self.folder} to give up"
            raise OutputError(f"{self.output}: the disk is full", hint=hint) from error

    def remove(self) -> None:
        """The run is complete, or cannot be resumed: the folder goes."""
        if sys.platform == "win32":  # a folder with an open file cannot be renamed there
            self._lock.release()
        _discard(self.folder, self.output)
        self._lock.release()


def _is_work(folder: Path) -> bool:
    """Whether a place is free, or a work folder; any other folder of this name is never touched."""
    if not os.path.lexists(folder):
        return True
    if not folder.is_dir() or folder.is_symlink():
        return False
    others = [path.name for path in folder.iterdir() if not path.name.startswith((OWNER, f".{PLAN}.partial-"))]
    return not others or isinstance(_plan(folder).get("identity"), str)


def _plan(folder: Path) -> dict[str, Any]:
    """What a run noted about itself; nothing where that cannot be read."""
    try:
        plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return plan if isinstance(plan, dict) else {}


def run_identity(folder: Path) -> str:
    """The hash of everything that the result of a work folder's run depends on; empty in any other folder."""
    return str(_plan(folder).get("identity", ""))


def _discard(folder: Path, output: Path) -> None:
    """Remove a work folder: it is renamed first, so that a kill leaves what the next run next to it sweeps."""
    aside = partial_name(output.absolute())
    try:
        folder.rename(aside)
    except OSError:
        aside = folder
    remove_any(aside)


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
        facts, arrays = read_stage(self.path)
        if facts.get("run") != self._identity:
            raise FormatError(
                f"{self.path}: this checkpoint belongs to a run with other options or other counts",
                hint="type the same command with --restart",
            )
        return dict(facts["state"]), {name: np.array(array) for name, array in arrays.items()}

    def write(self, state: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Keep this state, unless the last one was kept a moment ago."""
        if self.path is None or time.monotonic() - self._last < self._seconds:
            return
        write_stage(self.path, {"run": self._identity, "state": dict(state)}, arrays, force=True)
        self._last = time.monotonic()

    def remove(self) -> None:
        """The run is complete."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)
