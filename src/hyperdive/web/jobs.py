"""Long work on a bounded number of threads, with progress and cancelling."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from hyperdive._progress import Bar, Progress
from hyperdive.errors import Error
from hyperdive.web import limits
from hyperdive.web.problems import Problem, problem_of

Request = TypeVar("Request")
Result = TypeVar("Result")


class JobCancelled(Exception):
    """Raised inside the work of a job that was cancelled."""


class Job(Generic[Request, Result]):
    """One piece of work: its request, its progress (`bar`), and its result or its error."""

    def __init__(self, request: Request) -> None:
        self.id = secrets.token_urlsafe(12)
        self.request = request
        self.state = "waiting"
        self.bar = Bar("", None, "")
        self.result: Result | None = None
        self.error: Problem | None = None
        self._made = time.monotonic()
        self._ended: float | None = None
        self._cancelled = threading.Event()

    @property
    def finished(self) -> bool:
        """Whether the state is final."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def seconds(self) -> float:
        """Seconds from the request until now, or until the end."""
        return (time.monotonic() if self._ended is None else self._ended) - self._made

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the seconds until the present stage ends; None without one."""
        bar = self.bar
        if self.finished or not bar.total or bar.done <= 0:
            return None
        return max(0.0, (time.monotonic() - bar.started) * (bar.total - bar.done) / bar.done)

    def cancel(self) -> None:
        """Stop at the next sign of progress; waiting work never starts."""
        self._cancelled.set()
        if self.state == "waiting":
            self._end("cancelled")

    def check(self) -> None:
        """Leave the work if it was cancelled."""
        if self._cancelled.is_set():
            raise JobCancelled

    def run(self, work: Callable[[Job[Request, Result]], Result]) -> None:
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
        except (Problem, Error) as error:
            self._end("failed", error if isinstance(error, Problem) else problem_of(error))
        except MemoryError:
            self._end("failed", Problem("unanswerable", "there is not enough memory", hint="use fewer terms"))
        except Exception as error:
            self._end("failed", Problem("failed", f"the server failed: {type(error).__name__}"))
            raise
        else:
            self._end("done")

    def _end(self, state: str, error: Problem | None = None) -> None:
        self._ended, self.error = time.monotonic(), error
        self.state = state


class JobProgress(Progress):
    """The progress of a job; it leaves the work of a job that was cancelled."""

    def __init__(self, job: Job[Any, Any]) -> None:
        super().__init__("silent")
        self._job = job

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        """Begin a stage of the job."""
        self._job.bar = _JobBar(self._job, name, total, unit)
        self._job.check()
        yield self._job.bar
        self._job.check()


class _JobBar(Bar):
    def __init__(self, job: Job[Any, Any], stage: str, total: float | None, unit: str) -> None:
        super().__init__(stage, total, unit)
        self._job = job

    def _show(self, facts: dict[str, Any], *, last: bool) -> None:
        self._job.check()


class JobPool(Generic[Request, Result]):
    """Jobs that run, wait or are finished; the newest of the finished ones are kept.

    >>> pool: JobPool[str, int] = JobPool(running=1)
    >>> job = pool.submit("six times seven", lambda job: 6 * 7)
    >>> pool.close()
    >>> job.state, job.result, pool[job.id] is job
    ('done', 42, True)
    """

    def __init__(
        self, *, running: int = limits.RUNNING_JOBS, waiting: int = limits.WAITING_JOBS, kept: int = limits.KEPT_JOBS
    ) -> None:
        self._jobs: dict[str, Job[Request, Result]] = {}
        self._active, self._kept = running + waiting, kept
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(running, thread_name_prefix="job")

    def submit(self, request: Request, work: Callable[[Job[Request, Result]], Result]) -> Job[Request, Result]:
        """Start a job, or let it wait; one too many is refused."""
        with self._lock:
            active = sum(not job.finished for job in self._jobs.values())
            if active >= self._active:
                raise Problem(
                    "too_many",
                    f"{active} taxonomies are being built or wait",
                    hint="try again later, or cancel one of them",
                )
            finished = [job for job in self._jobs.values() if job.finished]
            for job in finished[: max(0, len(finished) - self._kept + 1)]:
                del self._jobs[job.id]
            job = Job[Request, Result](request)
            self._jobs[job.id] = job
        self._threads.submit(job.run, work)
        return job

    def __getitem__(self, name: str) -> Job[Request, Result]:
        if name not in self._jobs:
            raise Problem("unknown_taxonomy", "this tree is no longer in memory", hint="build it again")
        return self._jobs[name]

    def __iter__(self) -> Iterator[Job[Request, Result]]:
        """The jobs, the newest first."""
        return iter(list(self._jobs.values())[::-1])

    def remove(self, name: str) -> Job[Request, Result]:
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
