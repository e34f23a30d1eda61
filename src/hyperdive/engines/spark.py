"""The engine that runs tasks in the executors of a Spark cluster.

Spark schedules, retries and shuffles; a task calls the package's own functions. What a task makes goes to the work
folder next to the output, under a temporary name and then renamed, so that a task that runs twice leaves the same
bytes; hence driver and executors must see input and output under the same paths. Errors of the user's making are one
line in a file there: Spark does not retry them. The pieces of an exchange go through Spark's shuffle as bytes.
"""

from __future__ import annotations

import contextlib
import gc
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
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import hyperdive
from hyperdive import errors
from hyperdive._atomic import explain_os_errors, write_file
from hyperdive._engine import Arrays, Exchange, KeptPieces, StoredFile, TaskFunction, result_place, write_pieces
from hyperdive._resume import is_stage, read_stage, run_identity, write_stage
from hyperdive._types import Array
from hyperdive.engines.hadoop_files import fetch_file, list_files
from hyperdive.errors import Error, InputError, MissingExtra, OptionError

SLICE_BYTES = 256 << 10
"""Larger pieces go through the shuffle in slices of this size, of which Spark's Python side holds some hundreds."""
GROUPS_A_TASK = 16
"""Groups that one task gathers: a task of Spark costs some hundredths of a second by itself."""
_POLL_SECONDS = 0.05
_VISIBLE_SECONDS = 30.0
_PASSED_ON = ("NUMBA_CPU_NAME", "NUMBA_CACHE_DIR", "OPENBLAS_CORETYPE", "HYPERDIVE_DATA")
_JAVA = "-XX:+UseParallelGC -XX:TieredStopAtLevel=1"
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # the JVM only moves bytes: neither the second compiler nor small regions of the heap are worth their time
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
    "spark.io.compression.codec": "zstd",
    # what went through the shuffle is checked against the text in the end: sums of counts
    "spark.shuffle.checksum.enabled": "false",
    # pieces are few and large: bytes as they are, into one file and not into one for every reader first
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.shuffle.sort.bypassMergeThreshold": "0",
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

    in_process = False

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

    def files(self, address: str) -> list[StoredFile]:
        return list_files(self._context, address)

    def fetch(self, address: str, copy: Path) -> None:
        fetch_file(self._context, address, copy)

    def results(
        self,
        folder: Path | None,
        stage: str,
        function: TaskFunction,
        tasks: Iterable[Any],
        addresses: Sequence[str | None] | None = None,
    ) -> Iterator[tuple[dict[str, Any], dict[str, Array]]]:
        assert folder is not None
        tasks = list(tasks)
        places = [result_place(folder, stage, number) for number in range(len(tasks))]
        missing = [number for number, place in enumerate(places) if not is_stage(place)]
        task = _ResultTask(_Place.of(folder), stage, function)
        stored = {} if addresses is None else {number: at for number in missing if (at := addresses[number])}
        numbered = [(number, tasks[number]) for number in missing if number not in stored]

        def run() -> None:
            if numbered:
                self._context.parallelize(numbered, len(numbered)).foreach(task)
            if stored:
                copied = _CopyTask(task, {address: (number, tasks[number]) for number, address in stored.items()})
                self._context.binaryFiles(",".join(stored.values()), len(stored)).foreach(copied)

        with self._job(folder, stage, run) as job:
            for place in places:
                job.wait_for(place)
                yield read_stage(place, verify=False)

    # ---- exchange -----------------------------------------------------------------------------------------------

    def exchange(
        self, folder: Path, exchange: Exchange, tasks: Sequence[Any], advance: Callable[[float], None]
    ) -> Iterator[Arrays]:
        """Some groups are gathered by one task, which keeps what it makes in the folder."""
        spans = [range(exchange.groups)[at : at + GROUPS_A_TASK] for at in range(0, exchange.groups, GROUPS_A_TASK)]
        places = [result_place(folder, exchange.stage, number) for number in range(len(spans))]
        missing = [number for number, place in enumerate(places) if not is_stage(place)]
        place = _Place.of(folder)
        scatter = _ScatterTask(place, exchange, [spans[number] for number in missing])
        gather = _GatherTask(place, exchange, [places[number] for number in missing])

        def run() -> None:
            if missing:
                slices = self._context.parallelize(list(enumerate(tasks)), len(tasks)).flatMap(scatter)
                slices.partitionBy(len(missing), _itself).mapPartitionsWithIndex(gather).count()

        with self._job(folder, exchange.stage, run) as job:
            for kept, span in zip(places, spans, strict=True):
                job.wait_for(kept)
                pieces = KeptPieces(kept, verify=False)
                for number in range(len(span)):
                    advance(len(tasks))
                    yield pieces[number]

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
        self._run = run_identity(folder)
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
            if told["run"] != self._run:
                continue
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
_PLAIN = (Error, InputError, OptionError, errors.FormatError, errors.OutputError, errors.DiskFullError)


@dataclass(frozen=True)
class _Place:
    """Where the tasks of a run work, and what they must have in common with it."""

    folder: Path
    run: str
    version: str

    @classmethod
    def of(cls, folder: Path) -> _Place:
        """The place of the run that has this folder now."""
        return cls(folder.absolute(), run_identity(folder), hyperdive.__version__)

    @property
    def is_current(self) -> bool:
        """Whether the run still has the folder: a task may outlive a cancelled job."""
        return run_identity(self.folder) == self.run


@contextlib.contextmanager
def _reported(place: _Place) -> Iterator[None]:
    """Errors of the user's making become a file, which the driver reads; Spark would try such a task again."""
    try:
        if place.version != hyperdive.__version__:
            raise InputError(
                f"executors have hyperdive {hyperdive.__version__}, the driver has {place.version}",
                hint="install the same version everywhere",
            )
        with explain_os_errors(place.folder):
            yield
    except (Error, MemoryError) as error:
        if isinstance(error, MemoryError):
            error = Error("an executor ran out of memory", hint="use a smaller --part-size or larger executors")
        told = {"kind": type(error).__name__, "what": error.what, "hint": error.hint, "run": place.run}
        try:
            write_file(place.folder / f"{uuid.uuid4().hex}{_ERROR}", json.dumps(told), parents=False)
        except Error:
            raise error from None
    finally:
        _freeze_modules()


@cache
def _freeze_modules() -> None:
    """Spark collects garbage after every task, which takes a tenth of a second with all modules that a task needs."""
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class _ResultTask:
    place: _Place
    stage: str
    function: TaskFunction

    def __call__(self, numbered: tuple[int, Any], copy: str | None = None) -> None:
        number, task = numbered
        result = result_place(self.place.folder, self.stage, number)
        if not is_stage(result):
            with _reported(self.place):
                made = self.function(task) if copy is None else self.function(task, copy)
                if self.place.is_current:
                    write_stage(result, *made)


def _itself(partition: int) -> int:
    return partition


@dataclass(frozen=True)
class _CopyTask:
    """From a file that Spark has read to the result of the task that needs it."""

    task: _ResultTask
    tasks: Mapping[str, tuple[int, Any]]

    def __call__(self, file: tuple[str, bytes]) -> None:
        address, content = file
        number, task = self.tasks[address]
        with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
            copy = Path(folder) / PurePosixPath(address).name
            copy.write_bytes(content)
            self.task((number, task), str(copy))


_Slice = tuple[int, tuple[int, int, bytes]]
"""The partition; the group, the number of the task, and the bytes of a slice, which come in their order."""


@dataclass(frozen=True)
class _ScatterTask:
    """From a numbered task to the slices of its pieces for the groups of each partition."""

    place: _Place
    exchange: Exchange
    partitions: list[range]

    def __call__(self, numbered: tuple[int, Any]) -> Iterator[_Slice]:
        from safetensors.numpy import save

        number, task = numbered
        with _reported(self.place):
            piece = self.exchange.scatter(task)
            for partition, groups in enumerate(self.partitions):
                for group in groups:
                    data = save(dict(piece(group)))
                    for start in range(0, len(data), SLICE_BYTES):
                        yield partition, (group, number, data[start : start + SLICE_BYTES])


@dataclass(frozen=True)
class _GatherTask:
    """From the slices of a partition to what its groups make, kept in the folder."""

    place: _Place
    exchange: Exchange
    results: list[Path]

    def __call__(self, partition: int, slices: Iterable[_Slice]) -> Iterator[None]:
        from safetensors.numpy import load

        with _reported(self.place), tempfile.TemporaryFile() as file:
            places: dict[int, dict[int, list[tuple[int, int]]]] = {}
            for _, (group, task, data) in slices:  # they wait on the disk: all together they may be too many
                places.setdefault(group, {}).setdefault(task, []).append((file.tell(), len(data)))
                file.write(data)

            def read(start: int, size: int) -> bytes:
                file.seek(start)
                return file.read(size)

            def pieces(group: int) -> Iterator[Arrays]:
                for _, parts in sorted(places[group].items()):
                    yield load(b"".join(read(*part) for part in parts))

            if self.place.is_current and not is_stage(self.results[partition]):
                write_pieces(self.results[partition], (self.exchange.gather(pieces(group)) for group in sorted(places)))
        yield from ()


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
        raise OptionError(
            "the engine spark needs a cluster", hint="add --set master=spark://HOST:7077, or master=local[2] to try"
        )
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
