"""Processes that answer questions beside the server, whose own interpreter is then free to read and write requests.

They are started when many questions come at one time. One that dies is replaced, and its question given to another.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from pathlib import Path
from typing import Any

from hyperdive._resources import check_threads
from hyperdive.web.problems import Problem
from hyperdive.web.served_models import Catalogue
from hyperdive.web.worker import HEAD_BYTES, answer_of, frame, versions

CROWD = 8
"""Questions at one time from which workers are started: more than one page asks for."""
_MOST = 4
_ATTEMPTS = 2  # a question that ends two workers is not given to a third
_FAILURES = 3  # starts in a row that may fail
_PAUSE_SECONDS, _END_SECONDS = 0.5, 5.0


def default_workers() -> int:
    """One for each core up to 4; none on one core, which they would only have to share.

    >>> 0 <= default_workers() <= 4
    True
    """
    cores = check_threads(None)
    return min(cores, _MOST) if cores > 1 else 0


class NoWorkers(Exception):
    """There is no worker, and none will come."""


class _Dead(Exception):
    """A worker ended before it answered."""


class _Worker:
    """A process of `hyperdive.web.worker`."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @classmethod
    async def start(cls) -> _Worker:
        """Start a process that Ctrl-C in the terminal of the server does not reach."""
        root = str(Path(__file__).parents[2])
        settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        settings["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        group: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        command = (sys.executable or "python", "-P", "-m", "hyperdive.web.worker")
        return cls(await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=settings, **group))

    async def ask(self, content: bytes) -> bytes:
        """Send a frame and wait for the one that comes back; a question nobody waits for any more ends the process."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(frame(content))
            head = await self.process.stdout.readexactly(HEAD_BYTES)
            return await self.process.stdout.readexactly(int.from_bytes(head, "big"))
        except (asyncio.IncompleteReadError, OSError):
            raise _Dead from None
        except BaseException:
            self.kill()
            raise

    @property
    def dead(self) -> bool:
        """Whether it is known to have ended."""
        return self.process.returncode is not None

    def kill(self) -> None:
        """End it at once; it holds nothing that would be lost."""
        if not self.dead:
            self.process.kill()

    async def end(self) -> None:
        """Wait until it has ended; one that still answers is killed."""
        assert self.process.stdout is not None
        if self.process.stdout.at_eof():  # it is ending: a signal now would take its status from asyncio
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), _END_SECONDS)
        self.kill()
        await self.process.wait()


class Workers:
    """Some workers over the models of a server; questions are given to them in the order in which they come."""

    def __init__(self, catalogue: Catalogue, count: int) -> None:
        self._places = json.dumps([served.place for served in catalogue.models.values()]).encode()
        self._versions = versions(catalogue)
        self._count = self._kept = count
        self._keepers: list[asyncio.Task[None]] = []
        self._running: set[_Worker] = set()
        self._idle: deque[_Worker] = deque()
        self._waiting: deque[asyncio.Future[_Worker]] = deque()

    def start(self) -> None:
        """Start them in the background, once; `ready` tells when one answers."""
        if not self._keepers:
            self._keepers = [asyncio.create_task(self._keep()) for _ in range(self._count)]

    @property
    def ready(self) -> bool:
        """Whether a worker is running."""
        return bool(self._running)

    async def ask(self, content: bytes) -> bytes:
        """The answer to a question; `NoWorkers` if there is nobody to ask."""
        for attempt in range(_ATTEMPTS):
            worker = await self._next(first=attempt > 0)
            try:
                reply = await worker.ask(content)
            except _Dead:
                continue
            self._release(worker)
            return answer_of(reply)
        raise Problem("unavailable", "the processes that tried to answer this ended", hint="ask for less")

    async def close(self) -> None:
        """End all of them."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def _next(self, *, first: bool) -> _Worker:
        """The next worker that is free, after those who wait already unless this one is `first`."""
        while self._idle:
            if not (worker := self._idle.popleft()).dead:
                return worker
        if not self._kept:
            raise NoWorkers
        waiter: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if first else self._waiting.append)(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._release(waiter.result())
            raise

    def _release(self, worker: _Worker) -> None:
        """Hand a worker to the one who has waited longest: a queue would let new ones go before."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(worker)
                return
        self._idle.append(worker)

    async def _keep(self) -> None:
        """Keep one worker running, until too many starts fail."""
        failures = 0
        while failures < _FAILURES:
            failures += 1
            try:
                worker = await _Worker.start()
            except (OSError, NotImplementedError) as error:
                _tell(f"cannot start a process for questions: {error or type(error).__name__}")
                break
            try:
                if await worker.ask(self._places) != self._versions:
                    _tell("a model has changed since the server was started; restart it to serve the new one")
                    break
                failures = 0
                self._running.add(worker)
                self._release(worker)
                code = await worker.process.wait()
                _tell(f"a process for questions ended (status {code}); another one is started")
            except _Dead:
                await asyncio.sleep(_PAUSE_SECONDS)
            finally:
                self._running.discard(worker)
                await worker.end()
        self._kept -= 1
        if not self._kept:
            _tell("questions are answered without processes of their own from now on")
            for waiter in self._waiting:
                if not waiter.done():
                    waiter.set_exception(NoWorkers())


def _tell(message: str) -> None:
    sys.stderr.write(f"hyperdive serve: {message}\n")
    sys.stderr.flush()
