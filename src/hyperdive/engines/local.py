"""The engine that runs tasks in threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hyperdive._engine import Emit, Gather, StoredFile, TaskFunction, result_place
from hyperdive._resources import check_threads
from hyperdive._resume import is_stage, read_stage, write_stage
from hyperdive._types import Array
from hyperdive.text.sources import address_error


class LocalEngine:
    """Runs tasks in threads of this process.

    Args:
        threads: how many tasks run at the same time; None is one for each core.

    >>> import tempfile
    >>> import numpy as np
    >>> def square(task): return {"task": task}, {"square": np.array([task * task])}
    >>> folder = Path(tempfile.mkdtemp())
    >>> [int(arrays["square"][0]) for _, arrays in LocalEngine().results(folder, "squares", square, [1, 2, 3])]
    [1, 4, 9]
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = check_threads(threads)

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
        folder: Path,
        stage: str,
        function: TaskFunction,
        tasks: Sequence[Any],
        addresses: Sequence[str | None] | None = None,
    ) -> Iterator[tuple[dict[str, Any], dict[str, Array]]]:
        if addresses is not None:
            raise address_error(str(next(filter(None, addresses), "")))

        def run(number: int) -> Path:
            place = result_place(folder, stage, number)
            if not is_stage(place):
                write_stage(place, *function(tasks[number]))
            return place

        waiting: deque[Future[Path]] = deque()
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                for number in range(len(tasks)):
                    waiting.append(pool.submit(run, number))
                    if len(waiting) > self._threads:
                        yield read_stage(waiting.popleft().result(), verify=False)
                while waiting:
                    yield read_stage(waiting.popleft().result(), verify=False)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def exchange(
        self, folder: Path, emit: Emit, tasks: Sequence[Any], gather: Gather, groups: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        pieces: dict[int, list[bytes]] = {group: [] for group in groups}
        for task in tasks:
            for group, piece in emit(task):
                pieces[group].append(bytes(piece))
        for group in groups:
            yield dict(gather(group, iter(pieces.pop(group))))
