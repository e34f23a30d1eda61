"""The engine that runs tasks in the executors of a Spark cluster.

Spark schedules, retries and shuffles; a task calls the package's own functions. What a task makes goes to the work
folder next to the output, under a temporary name and then renamed, so that a task that runs twice leaves the same
bytes; hence driver and executors must see input and output under the same paths. Errors of the user's making are one
line in a file there: Spark does not retry them. The pieces of an exchange go through Spark's shuffle as Arrow batches.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import hyperdive
from hyperdive import errors
from hyperdive._atomic import explain_os_errors, write_file
from hyperdive._engine import Emit, Gather, TaskFunction, result_place
from hyperdive._resume import is_stage, read_stage, run_identity, write_stage
from hyperdive._types import Array
from hyperdive.errors import Error, InputError, MissingExtra, OptionError

PIECE_BYTES = 4 << 20
"""Larger pieces go through the shuffle in slices of this size."""
_POLL_SECONDS = 0.05
_VISIBLE_SECONDS = 30.0
_PASSED_ON = ("NUMBA_CPU_NAME", "NUMBA_CACHE_DIR", "OPENBLAS_CORETYPE", "HYPERDIVE_DATA")
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.adaptive.enabled": "false",
    # batches from the JVM to Python hold a few slices each
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4",
}


class SparkEngine:
    """Runs tasks in the executors of a Spark cluster.

    Args:
        master: the address of the cluster, such as `spark://host:7077`, `yarn` or `local[2]`; None takes that of the
            running session or of Spark's own configuration.
        config: more settings of Spark, such as `{"spark.executor.memory": "8g"}`.
    """

    def __init__(self, master: str | None = None, config: Mapping[str, str] | None = None) -> None:
        self._log = Path(tempfile.gettempdir()) / f"hyperdive-spark-{os.getpid()}.log"
        self._failed = False
        self._session = _session(master, dict(config or {}), self._log)
        self._context = self._session.sparkContext

    @property
    def slots(self) -> int:
        return int(self._context.defaultParallelism)

    def __enter__(self) -> SparkEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster."""
        with contextlib.suppress(Exception):
            self._session.stop()
        if not self._failed:  # an error line names the log
            self._log.unlink(missing_ok=True)

    # ---- results ------------------------------------------------------------------------------------------------

    def results(
        self, folder: Path, stage: str, function: TaskFunction, tasks: Sequence[Any]
    ) -> Iterator[tuple[dict[str, Any], dict[str, Array]]]:
        places = [result_place(folder, stage, number) for number in range(len(tasks))]
        missing = [number for number, place in enumerate(places) if not is_stage(place)]
        task = _ResultTask(str(folder.absolute()), stage, function, hyperdive.__version__, run_identity(folder))
        numbered = [(number, tasks[number]) for number in missing]

        def run() -> None:
            if numbered:
                self._context.parallelize(numbered, len(numbered)).foreach(task)

        with self._job(folder, stage, run) as job:
            for place in places:
                job.wait_for(place)
                yield read_stage(place, verify=False)

    # ---- exchange -----------------------------------------------------------------------------------------------

    def exchange(
        self, folder: Path, emit: Emit, tasks: Sequence[Any], gather: Gather, groups: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        found: list[str] = []
        place, version = str(folder.absolute()), hyperdive.__version__
        emitting = _EmitTask(place, emit, tuple(tasks), version)
        gathering = _GatherTask(place, gather, version)

        def run() -> None:
            from pyspark.sql.functions import col

            numbers = self._session.range(0, len(tasks), 1, len(tasks))
            pieces = numbers.mapInArrow(emitting, "place int, part int, slice int, data binary")
            several = min(len(groups), max(4 * self.slots, 1))
            shuffled = pieces.repartition(several, col("place")).sortWithinPartitions("place", "part", "slice")
            found.extend(row["facts"] for row in shuffled.mapInArrow(gathering, "facts string").collect())

        with self._job(folder, "exchange", run) as job:
            job.wait()
        for facts in found:
            yield json.loads(facts)

    @contextlib.contextmanager
    def _job(self, folder: Path, stage: str, run: Callable[[], None]) -> Iterator[_Job]:
        job = _Job(self._context, folder, stage, run, self._log)
        try:
            yield job
            job.wait()
        except Error:
            self._failed = True
            raise
        finally:
            job.cancel()


class _Job:
    """A Spark job in a thread of its own, and what there is of its results."""

    def __init__(self, context: Any, folder: Path, stage: str, run: Callable[[], None], log: Path) -> None:
        from pyspark import InheritableThread

        self._context, self._folder, self._stage, self._log = context, folder, stage, log
        self._group = f"hyperdive-{uuid.uuid4().hex}"
        self._failure: BaseException | None = None
        for left in folder.glob(f"*{_ERROR}"):
            left.unlink(missing_ok=True)

        def work() -> None:
            try:
                context.setJobGroup(self._group, f"hyperdive {stage}", interruptOnCancel=True)
                run()
            except BaseException as error:
                self._failure = error

        self._thread: threading.Thread = InheritableThread(target=work, daemon=True)
        self._thread.start()

    def wait_for(self, place: Path) -> None:
        """Wait until a result is there; an error of a task comes up here."""
        ended: float | None = None
        while not is_stage(place):
            self._check()
            if not self._thread.is_alive():
                ended = ended or time.monotonic()
                if time.monotonic() - ended > _VISIBLE_SECONDS:
                    raise InputError(
                        f"{place}: what an executor wrote there is not seen by the driver",
                        hint="the output must lie on storage that driver and executors share under the same path",
                    )
            time.sleep(_POLL_SECONDS)

    def wait(self) -> None:
        """Wait until all is done."""
        while self._thread.is_alive():
            self._check()
            self._thread.join(_POLL_SECONDS)
        self._check()

    def _check(self) -> None:
        for place in sorted(self._folder.glob(f"*{_ERROR}")):
            told = json.loads(place.read_text(encoding="utf-8"))
            place.unlink(missing_ok=True)
            kind = getattr(errors, told["kind"], Error)
            raise (kind if kind in _PLAIN else Error)(told["what"], hint=told["hint"])
        if self._failure is not None:
            raise _explained(self._failure, self._stage, self._log) from None

    def cancel(self) -> None:
        """End the job, if it still runs."""
        if self._thread.is_alive():
            with contextlib.suppress(Exception):
                self._context.cancelJobGroup(self._group)
            self._thread.join(30)


# ---- in the executors -------------------------------------------------------------------------------------------


_ERROR = ".error"
_OWN = "hyperdive.errors."
_PLAIN = (Error, InputError, OptionError, errors.FormatError, errors.OutputError)


@contextlib.contextmanager
def _reported(folder: str, version: str) -> Iterator[None]:
    """Errors of the user's making become a file, which the driver reads; Spark would try such a task again."""
    try:
        if version != hyperdive.__version__:
            raise InputError(
                f"executors have hyperdive {hyperdive.__version__}, the driver has {version}",
                hint="install the same version everywhere",
            )
        with explain_os_errors(Path(folder)):
            yield
    except (Error, MemoryError) as error:
        if isinstance(error, MemoryError):
            error = Error("an executor ran out of memory", hint="use a smaller --part-size or larger executors")
        told = {"kind": type(error).__name__, "what": error.what, "hint": error.hint}
        try:
            write_file(Path(folder) / f"{uuid.uuid4().hex}{_ERROR}", json.dumps(told), parents=False)
        except Error:
            raise error from None


@dataclass(frozen=True)
class _ResultTask:
    folder: str
    stage: str
    function: TaskFunction
    version: str
    run: str

    def __call__(self, numbered: tuple[int, Any]) -> None:
        number, task = numbered
        place = result_place(Path(self.folder), self.stage, number)
        if not is_stage(place):
            with _reported(self.folder, self.version):
                made = self.function(task)
                # a task may outlive a cancelled job: another run may have the folder by now
                if run_identity(Path(self.folder)) == self.run:
                    write_stage(place, *made)


@dataclass(frozen=True)
class _EmitTask:
    folder: str
    emit: Emit
    tasks: tuple[Any, ...]
    version: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            for part in batch.column(0).to_pylist():
                with _reported(self.folder, self.version):
                    for group, piece in self.emit(self.tasks[part]):
                        for number, start in enumerate(range(0, max(len(piece), 1), PIECE_BYTES)):
                            columns = [
                                *(pa.array([value], pa.int32()) for value in (group, part, number)),
                                pa.array([piece[start : start + PIECE_BYTES]], pa.binary()),
                            ]
                            yield pa.RecordBatch.from_arrays(columns, ["place", "part", "slice", "data"])


@dataclass(frozen=True)
class _GatherTask:
    folder: str
    gather: Gather
    version: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        slices = (
            (batch.column(0)[row].as_py(), batch.column(1)[row].as_py(), batch.column(3)[row].as_py())
            for batch in batches
            for row in range(batch.num_rows)
        )
        for group, own in groupby(slices, key=lambda piece: piece[0]):
            pieces = (b"".join(data for *_, data in part) for _, part in groupby(own, key=lambda piece: piece[1]))
            with _reported(self.folder, self.version):
                facts = json.dumps(dict(self.gather(group, pieces)))
                yield pa.RecordBatch.from_arrays([pa.array([facts], pa.string())], ["facts"])


# ---- the session ------------------------------------------------------------------------------------------------


def _session(master: str | None, config: dict[str, str], log: Path) -> Any:
    """The session with the cluster; what the JVM says while it starts goes to a log."""
    try:
        from pyspark import SparkConf
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("the engine spark", "spark") from None
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise Error("the engine spark needs Java 17", hint="install a JRE, or set JAVA_HOME")
    active = SparkSession.getActiveSession()
    master = master or (active.sparkContext.master if active else SparkConf().get("spark.master"))
    if not master:
        raise OptionError("the engine spark needs a cluster", hint="add --master spark://HOST:7077, or local[2] to try")
    builder = SparkSession.builder.appName("hyperdive").master(master)
    for name, value in {**_SETTINGS, **_environment(), **config}.items():
        builder = builder.config(name, value)
    before = os.environ.get("PYSPARK_PYTHON")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with _errors_to(log):
            return builder.getOrCreate()
    except Exception as error:
        raise _explained(error, "the start of Spark", log) from None
    finally:
        if before is None:
            os.environ.pop("PYSPARK_PYTHON", None)


def _environment() -> dict[str, str]:
    """What executors need to find this package, and to compute as the driver does."""
    place = str(Path(hyperdive.__file__).parents[1])
    path = os.pathsep.join([place, *filter(None, [os.environ.get("PYTHONPATH")])])
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {f"spark.executorEnv.{name}": value for name, value in {"PYTHONPATH": path, **passed}.items()}


@contextlib.contextmanager
def _errors_to(log: Path) -> Iterator[None]:
    """Child processes that start here write their errors to a log."""
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _explained(error: BaseException, stage: str, log: Path) -> Error:
    """A failure of Spark itself as one line."""
    text = str(getattr(error, "java_exception", None) or error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "ExecutorLostFailure" in text or "exit code 137" in text or "OutOfMemoryError" in text:
        return Error(
            f"{stage}: executors were lost, probably for want of memory",
            hint="use a smaller --part-size, or executors with more memory",
        )
    python = [line for line in lines if line.startswith(("pyspark.errors", "py4j")) is False and "Error:" in line]
    what = (python or lines or [type(error).__name__])[-1 if python else 0]
    if what.startswith(_OWN):  # a task could not leave its error in the work folder
        name, _, line = what.removeprefix(_OWN).partition(": ")
        kind = getattr(errors, name, Error)
        return (kind if kind in _PLAIN else Error)(line)
    return Error(f"{stage} failed on the cluster: {what[:300]}", hint=f"see {log} and the logs of the executors")
