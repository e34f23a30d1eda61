"""Long work on a bounded number of threads, with progress and cancelling."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from hyperdive._memo import Memo
from hyperdive._progress import Bar, Progress
from hyperdive.errors import Error
from hyperdive.web import limits
from hyperdive.web.problems import Problem, problem_of

Result = TypeVar("Result")
FINISHED = ("done", "failed", "cancelled")


class JobCancelled(Exception):
    """Raised inside work that nobody wants any longer."""


class Job(Generic[Result]):
    """One piece of work: what it was asked for (`request`), how far it is, and its result or its error."""

    def __init__(self, request: Any) -> None:
        self.id = secrets.token_urlsafe(12)
        self.request = request
        self.state, self.stage, self.unit = "waiting", "", ""
        self.done, self.total = 0.0, None
        self.result: Result | None = None
        self.error: Problem | None = None
        self.memo = Memo()
        self._made = time.monotonic()
        self._ended: float | None = None
        self._stage_began = self._made
        self._cancelled = threading.Event()

    done: float
    total: float | None

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in FINISHED

    @property
    def seconds(self) -> float:
        """Seconds since it was asked for, until it ended."""
        return (time.monotonic() if self._ended is None else self._ended) - self._made

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the present stage will still take, as far as that can be said."""
        if self.finished or not self.total or self.done <= 0:
            return None
        spent = time.monotonic() - self._stage_began
        return max(0.0, spent * (self.total - self.done) / self.done)

    def cancel(self) -> None:
        """Stop at the next sign of progress; work that waits never starts."""
        self._cancelled.set()
        if self.state == "waiting":
            self._end("cancelled")

    def begin_stage(self, stage: str, total: float | None, unit: str) -> None:
        """The work enters a stage."""
        self.stage, self.total, self.unit, self.done = stage, total, unit, 0.0
        self._stage_began = time.monotonic()
        self.check()

    def check(self) -> None:
        """Leave the work if it was cancelled."""
        if self._cancelled.is_set():
            raise JobCancelled

    def run(self, work: Callable[[Job[Result]], Result]) -> None:
        """Do the work and keep its result, or its error."""
        if self.finished:
            return
        self.state = "running"
        try:
            self.check()
            self.result = work(self)
            self.check()
        except JobCancelled:
            self.result = None
            self._end("cancelled")
        except Problem as problem:
            self.error = problem
            self._end("failed")
        except Error as error:
            self.error = problem_of(error)
            self._end("failed")
        except MemoryError:
            self.error = Problem("unanswerable", "there is not enough memory for this", hint="ask for fewer terms")
            self._end("failed")
        except Exception as error:
            self.error = Problem("failed", f"the server failed: {type(error).__name__}")
            self._end("failed")
            raise
        else:
            self._end("done")

    def _end(self, state: str) -> None:
        self._ended = time.monotonic()
        self.state = state


class JobProgress(Progress):
    """Progress that a job keeps; it ends the work of a job that was cancelled."""

    def __init__(self, job: Job[Any]) -> None:
        super().__init__("silent")
        self._job = job

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        """A stage of the job."""
        self._job.begin_stage(name, total, unit)
        yield JobBar(self._job, name, total, unit)
        self._job.check()


class JobBar(Bar):
    """A stage of a job."""

    def __init__(self, job: Job[Any], stage: str, total: float | None, unit: str) -> None:
        super().__init__(stage, total, unit)
        self._job = job

    def _show(self, facts: dict[str, Any], *, last: bool) -> None:
        self._job.done = self.done
        self._job.check()


class JobPool(Generic[Result]):
    """Jobs that run, wait or are finished; of the finished ones the newest are kept.

    >>> pool: JobPool[int] = JobPool(running=1)
    >>> job = pool.submit("six times seven", lambda job: 6 * 7)
    >>> pool.close()
    >>> job.state, job.result, pool[job.id] is job
    ('done', 42, True)
    """

    def __init__(
        self, *, running: int = limits.RUNNING_JOBS, waiting: int = limits.WAITING_JOBS, kept: int = limits.KEPT_JOBS
    ) -> None:
        self._jobs: dict[str, Job[Result]] = {}
        self._running, self._waiting, self._kept = running, waiting, kept
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(running, thread_name_prefix="job")

    def submit(self, request: Any, work: Callable[[Job[Result]], Result]) -> Job[Result]:
        """Start a job, or let it wait; too many are refused."""
        with self._lock:
            active = sum(not job.finished for job in self._jobs.values())
            if active >= self._running + self._waiting:
                raise Problem(
                    "too_many",
                    f"{active} taxonomies are being built or wait",
                    hint="try again later, or cancel one of them",
                )
            finished = [job for job in self._jobs.values() if job.finished]
            for job in finished[: max(0, len(finished) - self._kept + 1)]:
                del self._jobs[job.id]
            job = Job[Result](request)
            self._jobs[job.id] = job
        self._threads.submit(job.run, work)
        return job

    def __getitem__(self, name: str) -> Job[Result]:
        if name not in self._jobs:
            raise Problem("unknown_taxonomy", "there is no such taxonomy here", hint="build it again")
        return self._jobs[name]

    def __iter__(self) -> Iterator[Job[Result]]:
        """The jobs, the newest first."""
        return iter(list(self._jobs.values())[::-1])

    def remove(self, name: str) -> Job[Result]:
        """Cancel a job that is not finished; forget one that is."""
        job = self[name]
        if job.finished:
            with self._lock:
                self._jobs.pop(name, None)
        else:
            job.cancel()
        return job

    def close(self, *, cancel: bool = False) -> None:
        """Wait for the jobs, or cancel them."""
        for job in self:
            if cancel:
                job.cancel()
        self._threads.shutdown(wait=not cancel, cancel_futures=cancel)
