"""What an engine is: it runs functions of tasks somewhere; the algorithms that are cut into tasks know no more of it.

`hyperdive.engines` has the engines. What a task makes may be kept in a stage folder (`hyperdive._resume`), so that a
run that is started again finds it; a task that runs twice leaves the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from hyperdive._store import Artifact, ArtifactWriter, FileWriter, is_artifact
from hyperdive._types import Array
from hyperdive.errors import InputError, OutputError

Facts = Mapping[str, Any]
Arrays = Mapping[str, Array]
TaskFunction = Callable[..., tuple[Facts, Arrays]]
"""From a task to small facts (JSON) and arrays."""
Scatter = Callable[[Any], Callable[[int], Arrays]]
"""From a task to a function from the number of a group to the task's piece for it; threads call that function."""
Gather = Callable[[Iterator[Arrays]], Arrays]
"""From the pieces of a group, in the order of the tasks, to what they make together."""


@dataclass(frozen=True)
class Exchange:
    """Work in which every task has a piece for each group, and the pieces of a group are brought together.

    Args:
        stage: the name of the work, which the folders of its results begin with.
        scatter: a picklable function.
        gather: a picklable function.
        groups: the number of groups.
    """

    stage: str
    scatter: Scatter
    gather: Gather
    groups: int


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
        """How many tasks run at the same time; of an exchange in this process one, with so many threads."""
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
        self, folder: Path, exchange: Exchange, tasks: Sequence[Any], advance: Callable[[float], None]
    ) -> Iterator[Arrays]:
        """Yield what `gather` makes of the pieces of each group, in the order of the groups.

        Args:
            folder: where pieces or results are kept.
            exchange: the work.
            tasks: picklable tasks.
            advance: called with the number of pieces that were made; there is one for each task and group.
        """
        ...


def result_place(folder: Path, stage: str, number: int) -> Path:
    """Where the result of a task lies."""
    return folder / f"{stage}-{number:06d}"


def write_pieces(place: Path, pieces: Iterable[Arrays]) -> None:
    """Keep the arrays of some groups in a folder, whole or not at all; all have arrays of the same names.

    Any process may do it, and the first one counts. The folder around it must be there.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "pieces"
    >>> write_pieces(place, [{"rows": np.array([3, 4])}, {"rows": np.array([5])}])
    >>> KeptPieces(place)[1]["rows"].tolist()
    [5]
    """
    ends: dict[str, list[int]] = {}
    streams: dict[str, FileWriter] = {}
    try:
        with ArtifactWriter(place, *_PIECES, parents=False) as writer:
            for arrays in pieces:
                for name, array in arrays.items():
                    if name not in streams:
                        streams[name], ends[name] = writer.stream(f"{name}.npy", array.dtype.str), [0]
                    streams[name].append(array)
                    ends[name].append(ends[name][-1] + len(array))
            for name, places in ends.items():
                writer.put(f"{name}{_ENDS}", np.array(places, dtype=np.int64))
            writer.finish({})
    except (OSError, OutputError):
        if not is_artifact(place):
            raise


class KeptPieces:
    """The arrays that `write_pieces` kept, mapped: `pieces[number]` are those of a group.

    Args:
        place: the folder.
        verify: whether files are compared with their checksums first.
    """

    def __init__(self, place: Path, *, verify: bool = True) -> None:
        artifact = Artifact.open(place, *_PIECES, verify=verify)
        names = [name.removesuffix(_ENDS) for name in artifact.header["files"] if name.endswith(_ENDS)]
        self._arrays = {name: artifact.array(f"{name}.npy") for name in names}
        self._ends = {name: artifact.array(f"{name}{_ENDS}") for name in names}

    def __getitem__(self, number: int) -> Arrays:
        return {
            name: array[self._ends[name][number] : self._ends[name][number + 1]] for name, array in self._arrays.items()
        }


def address_error(address: str) -> InputError:
    """Why an address cannot be read here."""
    return InputError(f"{address}: only Spark opens such an address", hint="add --engine spark, or mount the storage")


_PIECES, _ENDS = ("pieces", 1), "-ends.npy"
