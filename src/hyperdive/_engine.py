"""What an engine is: it runs functions of tasks somewhere; the algorithms that are cut into tasks know no more of it.

`hyperdive.engines` has the engines. What a task makes may be kept in a stage folder (`hyperdive._resume`), so that a
run that is started again finds it; a task that runs twice leaves the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hyperdive._types import Array
from hyperdive.errors import InputError

Facts = Mapping[str, Any]
Arrays = Mapping[str, Array]
TaskFunction = Callable[..., tuple[Facts, Arrays]]
"""From a task to small facts (JSON) and arrays."""
Emit = Callable[[Any], Iterable[tuple[int, bytes | memoryview]]]
"""From a task to pieces, each with the number of the group that gathers it; the next piece may overwrite one."""
Gather = Callable[[int, Iterator[bytes]], Facts]
"""From the number of a group and its pieces, in the order of the tasks, to facts; it writes what it makes itself."""


class StoredFile(NamedTuple):
    """A file of the storage that an engine reads by itself."""

    address: str
    size: int
    modified: int
    """When it was changed, in the storage's own time."""


class Engine(Protocol):
    """Runs tasks; every process of an engine sees the folders of the driver under the same paths."""

    @property
    def in_process(self) -> bool:
        """Whether tasks run on this machine and are handed over in memory, and results may be too."""
        ...

    @property
    def slots(self) -> int:
        """How many tasks run at the same time."""
        ...

    def files(self, address: str) -> list[StoredFile]:
        """The files behind an address such as `hdfs://host/text`, in their order."""
        ...

    def fetch(self, address: str, copy: Path) -> None:
        """Copy a file of the storage to the driver."""
        ...

    def results(
        self,
        folder: Path | None,
        stage: str,
        function: TaskFunction,
        tasks: Iterable[Any],
        addresses: Sequence[str | None] | None = None,
    ) -> Iterator[tuple[dict[str, Any], dict[str, Array]]]:
        """What a function makes of every task, in the order of the tasks, each as soon as it is there.

        Args:
            folder: where the results are kept, each in a folder of its own; None is in memory, for tasks on this
                machine.
            stage: the name of the work, which the folders of its results begin with.
            function: a picklable function.
            tasks: picklable tasks.
            addresses: for every task a file of the storage, or None; then the function gets the path of a copy of the
                file as its second argument.
        """
        ...

    def exchange(
        self, folder: Path, emit: Emit, tasks: Sequence[Any], gather: Gather, groups: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        """What `gather` makes of every group of pieces that `emit` makes of the tasks, in any order.

        Args:
            folder: where the work is done.
            emit: a picklable function.
            tasks: picklable tasks.
            gather: a picklable function.
            groups: all numbers of groups; every task has a piece for each.
        """
        ...


def result_place(folder: Path, stage: str, number: int) -> Path:
    """Where the result of a task lies."""
    return folder / f"{stage}-{number:06d}"


def address_error(address: str) -> InputError:
    """Why an address cannot be read here."""
    return InputError(f"{address}: only Spark opens such an address", hint="add --engine spark, or mount the storage")
