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
from dataclasses import dataclass
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
    """One more than there are cores, up to 4; none on one core, which they would only have to share.

    While the server reads the answer of one and gives it the next question, the others keep the cores busy.

    >>> 0 <= default_workers() <= 4
    True
    """
    cores = check_threads(None)
    return min(cores + 1, _MOST) if cores > 1 else 0


class NoWorkers(Exception):
    """There is no worker, and none will come."""


class _Dead(Exception):
    """A worker ended before it answered."""


@dataclass(eq=False)
class _Question:
    """A question as a worker reads it, its answer to come, the worker that has it, and how many it has ended."""

    content: bytes
    answer: asyncio.Future[bytes]
    worker: _Worker | None = None
    deaths: int = 0


class _Worker:
    """A process of `hyperdive.web.worker`, and the question that it has."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.question: _Question | None = None

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

    def send(self, content: bytes) -> None:
        """Write a frame, without waiting for the process to read it."""
        assert self.process.stdin is not None
        self.process.stdin.write(frame(content))

    async def reply(self) -> bytes:
        """The next frame that comes back."""
        assert self.process.stdout is not None
        try:
            head = await self.process.stdout.readexactly(HEAD_BYTES)
            return await self.process.stdout.readexactly(int.from_bytes(head, "big"))
        except (asyncio.IncompleteReadError, OSError):
            raise _Dead from None

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
        self._waiting: deque[_Question] = deque()

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
        if not self._kept:
            raise NoWorkers
        question = _Question(content, asyncio.get_running_loop().create_future())
        self._waiting.append(question)
        self._hand_out()
        try:
            return answer_of(await question.answer)
        except asyncio.CancelledError:
            if question.worker is not None:  # nobody waits for what it works on
                question.worker.kill()
            raise

    async def close(self) -> None:
        """End all of them."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._give_up()

    def _hand_out(self) -> None:
        """Give the questions that have waited longest to the workers that are free."""
        while self._idle and self._waiting:
            question = self._waiting.popleft()
            if question.answer.done():  # nobody waits for it any more
                continue
            worker = self._idle.popleft()
            worker.question, question.worker = question, worker
            worker.send(question.content)

    async def _answer(self, worker: _Worker) -> None:
        """Pass on what a worker answers, and give it the next question at once, until it ends."""
        while True:
            self._idle.append(worker)
            self._hand_out()
            reply = await worker.reply()
            question, worker.question = worker.question, None
            assert question is not None
            question.worker = None
            if not question.answer.done():
                question.answer.set_result(reply)

    def _take_back(self, worker: _Worker) -> None:
        """What a worker that ended had to do is done by others; a question that ends two is refused."""
        if worker in self._idle:
            self._idle.remove(worker)
        question, worker.question = worker.question, None
        if question is None or question.answer.done():
            return
        question.worker = None
        question.deaths += 1
        if question.deaths < _ATTEMPTS:
            self._waiting.appendleft(question)
            self._hand_out()
        else:
            ended = Problem("unavailable", "the processes that tried to answer this ended", hint="ask for less")
            question.answer.set_exception(ended)

    def _give_up(self) -> None:
        """Tell all who wait that there is nobody to ask."""
        for question in self._waiting:
            if not question.answer.done():
                question.answer.set_exception(NoWorkers())
        self._waiting.clear()

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
                worker.send(self._places)
                if await worker.reply() != self._versions:
                    _tell("a model has changed since the server was started; restart it to serve the new one")
                    break
                failures = 0
                self._running.add(worker)
                with contextlib.suppress(_Dead):
                    await self._answer(worker)
                self._take_back(worker)
                await worker.end()
                _tell(f"a process for questions ended (status {worker.process.returncode}); another one is started")
            except _Dead:
                await asyncio.sleep(_PAUSE_SECONDS)
            finally:
                self._running.discard(worker)
                self._take_back(worker)
                await worker.end()
        self._kept -= 1
        if not self._kept:
            _tell("questions are answered without processes of their own from now on")
            self._give_up()


def _tell(message: str) -> None:
    sys.stderr.write(f"hyperdive serve: {message}\n")
    sys.stderr.flush()
