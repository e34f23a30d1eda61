"""The engine that runs tasks in this process, or in processes next to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from hyperdive._atomic import remove_any
from hyperdive._engine import (
    Arrays,
    Exchange,
    KeptPieces,
    StoredFile,
    TaskFunction,
    address_error,
    result_place,
    write_pieces,
)
from hyperdive._resources import check_threads
from hyperdive._resume import is_stage, read_stage, write_stage
from hyperdive._types import Array
from hyperdive.errors import FormatError

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4
"""Results of an exchange that may wait for one before them, for each thread: groups are not equally large."""


class LocalEngine:
    """Runs tasks in threads of this process; at most one result more than there are threads waits in memory.

    Args:
        threads: how many tasks run at the same time; None is one for each core.
        executor: what runs tasks instead of threads, such as processes; called with the number of threads.

    >>> import tempfile
    >>> import numpy as np
    >>> def square(task): return {"task": task}, {"square": np.array([task * task])}
    >>> [int(arrays["square"][0]) for _, arrays in LocalEngine().results(None, "squares", square, [1, 2, 3])]
    [1, 4, 9]
    """

    in_process = True

    def __init__(self, threads: int | None = None, executor: Callable[[int], Executor] = ThreadPoolExecutor) -> None:
        self._threads, self._executor = check_threads(threads), executor

    @property
    def slots(self) -> int:
        return self._threads

    def files(self, address: str) -> list[StoredFile]:
        """No storage but the file system."""
        raise address_error(address)

    def fetch(self, address: str, copy: Path) -> None:
        """No storage but the file system."""
        raise address_error(address)

    def results(
        self,
        folder: Path | None,
        stage: str,
        function: TaskFunction,
        tasks: Iterable[Any],
        addresses: Sequence[str | None] | None = None,
    ) -> Iterator[tuple[dict[str, Any], dict[str, Array]]]:
        if addresses is not None:
            raise address_error(str(next(filter(None, addresses), "")))
        waiting: deque[Future[Any]] = deque()

        def take() -> tuple[dict[str, Any], dict[str, Array]]:
            result = waiting.popleft().result()
            if isinstance(result, Path):
                return read_stage(result, verify=False)
            facts, arrays = result
            return dict(facts), dict(arrays)

        with self._executor(self._threads) as pool:
            try:
                for number, task in enumerate(tasks):
                    if folder is None:
                        waiting.append(pool.submit(function, task))
                    else:
                        waiting.append(pool.submit(_stored, function, task, result_place(folder, stage, number)))
                    if len(waiting) > self._threads:
                        yield take()
                while waiting:
                    yield take()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def exchange(
        self, folder: Path, exchange: Exchange, tasks: Sequence[Any], advance: Callable[[float], None]
    ) -> Iterator[Arrays]:
        """One task after the other, each with all threads; the pieces of several tasks wait in the folder."""
        groups = range(exchange.groups)
        if len(tasks) == 1:
            piece = exchange.scatter(tasks[0])
            for arrays in in_order(lambda group: exchange.gather(iter([piece(group)])), groups, self._threads):
                advance(1)
                yield arrays
            return
        kept: list[KeptPieces] = []
        for number, task in enumerate(tasks):
            place = result_place(folder, exchange.stage, number)
            finished = is_stage(place)
            if finished:
                advance(exchange.groups)
            else:
                write_pieces(place, _advancing(in_order(exchange.scatter(task), groups, self._threads), advance))
            kept.append(KeptPieces(place, verify=finished))
        yield from in_order(lambda group: exchange.gather(pieces[group] for pieces in kept), groups, self._threads)


def in_order(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Yield the result of each item, in their order, while threads work some items ahead."""
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _advancing(pieces: Iterable[Arrays], advance: Callable[[float], None]) -> Iterator[Arrays]:
    for piece in pieces:
        advance(1)
        yield piece


def _stored(function: TaskFunction, task: Any, place: Path) -> Path:
    """The result of a task in a stage folder, where an earlier run may have left it."""
    if is_stage(place):
        try:
            read_stage(place)
            return place
        except FormatError:  # damaged since
            remove_any(place)
    write_stage(place, *function(task))
    return place
