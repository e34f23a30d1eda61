"""The table of all distinct word forms seen so far: bytes → number, filled block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


class FormTable:
    """Numbers distinct word forms from 1 in the order they come; about 40 bytes and the letters for each.

    >>> table = FormTable()
    >>> table.add(["dog", "cat", "dog"]).tolist()
    [1, 2, 1]
    >>> table.add(["bird", "cat"]).tolist(), len(table), table.words(0)
    ([3, 2], 3, ['dog', 'cat', 'bird'])
    """

    def __init__(self) -> None:
        self._slots: npt.NDArray[np.uint32] = np.zeros(1 << 17, dtype=np.uint32)
        self._hashes: npt.NDArray[np.uint64] = np.empty(1 << 16, dtype=np.uint64)
        self._starts: npt.NDArray[np.int64] = np.empty(1 << 16, dtype=np.int64)
        self._lengths: npt.NDArray[np.int32] = np.empty(1 << 16, dtype=np.int32)
        self._arena: npt.NDArray[np.uint8] = np.empty(1 << 19, dtype=np.uint8)
        self._size = self._used = 0

    def __len__(self) -> int:
        return self._size

    def merge(
        self,
        arena: npt.NDArray[np.uint8],
        starts: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int32],
        hashes: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.uint32]:
        """Add a block's forms; returns their numbers in this table."""
        from hyperdive.kernels import forms as kernels

        room = self._size + len(starts)
        while 2 * room > len(self._slots):
            self._slots = kernels.grow_slots(self._slots, self._hashes, self._size)
        self._hashes = _with_room(self._hashes, room)
        self._starts = _with_room(self._starts, room)
        self._lengths = _with_room(self._lengths, room)
        self._arena = _with_room(self._arena, self._used + len(arena))
        numbers: npt.NDArray[np.uint32]
        numbers, self._size, self._used = kernels.merge_forms(
            self._slots, self._hashes, self._starts, self._lengths, self._arena, self._size, self._used,
            arena, starts, lengths, hashes,
        )  # fmt: skip
        return numbers

    def add(self, words: list[str]) -> npt.NDArray[np.uint32]:
        """Add words given as strings."""
        encoded = [word.encode("utf-8") for word in words]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return self.add_bytes(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def add_bytes(self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
        """Add words given as UTF-8: word i is `data[offsets[i]:offsets[i + 1]]`.

        >>> FormTable().add_bytes(np.frombuffer(b"dogcatdog", dtype=np.uint8), np.array([0, 3, 6, 9])).tolist()
        [1, 2, 1]
        """
        from hyperdive.kernels import forms as kernels

        starts, lengths = offsets[:-1].copy(), np.diff(offsets).astype(np.int32)
        # writable as the bytes of a block are, so that the same compiled code takes both
        data = data if data.flags.writeable else data.copy()
        return self.merge(data, starts, lengths, kernels.hash_forms(data, starts, lengths))

    def arrays(
        self,
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
        """The bytes of all forms, and start, length and hash of each."""
        size = self._size
        return self._arena[: self._used], self._starts[:size], self._lengths[:size], self._hashes[:size]

    def strings(self) -> Any:
        """All forms as an Arrow array of strings, without a copy of their bytes."""
        import pyarrow as pa

        ends = np.append(self._starts[: self._size], self._used).astype(np.int64)
        data = self._arena[: self._used]
        return pa.LargeStringArray.from_buffers(self._size, pa.py_buffer(ends), pa.py_buffer(data))

    def word(self, number: int) -> str:
        """The form with this number."""
        start = self._starts.item(number - 1)
        return self._arena[start : start + self._lengths.item(number - 1)].tobytes().decode("utf-8")

    def words_of(self, numbers: npt.NDArray[np.int64]) -> list[str]:
        """The forms with these numbers; number 0 is the empty word."""
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) <= self._size:
            raise IndexError(f"a form beyond the {self._size} of this table")
        if self._size == 0:
            return [""] * len(numbers)
        places = np.maximum(numbers - 1, 0)
        starts = self._starts[places]
        ends = starts + np.where(numbers > 0, self._lengths[places], 0)
        data = self._arena.data
        return [str(data[a:b], "utf-8") for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]

    def words(self, first: int, last: int | None = None) -> list[str]:
        """The forms from number `first` + 1 on, up to number `last` or all, as strings."""
        last = self._size if last is None else min(last, self._size)
        if first >= last:
            return []
        begin = int(self._starts[first])
        ends = (self._starts[first:last] + self._lengths[first:last] - begin).tolist()
        starts = (self._starts[first:last] - begin).tolist()
        data = self._arena[begin : begin + ends[-1]].tobytes()
        if data.isascii():
            text = data.decode("ascii")
            return [text[a:b] for a, b in zip(starts, ends, strict=True)]
        return [data[a:b].decode("utf-8") for a, b in zip(starts, ends, strict=True)]


def bytes_of(
    arrays: Mapping[str, npt.NDArray[Any]], prefix: str = ""
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
    """What `FormTable.merge` takes of the forms of a part, whose arrays have names with this prefix."""
    # copies: compiled code is made for arrays that can be written to
    arena, lengths, hashes = (np.array(arrays[f"{prefix}{name}"]) for name in ("arena", "lengths", "hashes"))
    return arena, np.cumsum(lengths, dtype=np.int64) - lengths, lengths, hashes


class TableWords(Sequence[str]):
    """The words of a table as a sequence that decodes them when they are asked for; number 0 is the empty word.

    >>> table = FormTable()
    >>> _ = table.add(["dog", "cat"])
    >>> list(TableWords(table, 0)), TableWords(table, 1)[1], len(TableWords(table, 1))
    (['', 'dog', 'cat'], 'cat', 2)
    >>> TableWords(table, 0).at([2, 0, 1])
    ['cat', '', 'dog']
    """

    def __init__(self, table: FormTable, first: int) -> None:
        self._table, self._first = table, first

    def __len__(self) -> int:
        return len(self._table) + 1 - self._first

    def __getitem__(self, place: Any) -> Any:
        size = len(self)
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(size))]
        if not -size <= place < size:
            raise IndexError(place)
        number = int(place) % size + self._first
        return self._table.word(number) if number else ""

    def strings(self) -> Any:
        """Return all words as an Arrow array of strings."""
        import pyarrow as pa

        words = self._table.strings()
        return words if self._first else pa.concat_arrays([pa.array([""], type=pa.large_string()), words])

    def at(self, places: Sequence[int] | npt.NDArray[Any]) -> list[str]:
        """The words at some places, all at once; places count from 0 on."""
        return self._table.words_of(np.asarray(places, dtype=np.int64) + self._first)

    def __iter__(self) -> Iterator[str]:
        if self._first == 0:
            yield ""
        for start in range(0, len(self._table), _CHUNK):
            yield from self._table.words(start, start + _CHUNK)


def words_at(words: Sequence[str], places: npt.NDArray[Any]) -> list[str]:
    """The words at some places of a list, or of a table, which decodes many at once in a third of the time.

    >>> words_at(["dog", "cat"], np.array([1, 1, 0]))
    ['cat', 'cat', 'dog']
    """
    return words.at(places) if isinstance(words, TableWords) else [words[place] for place in places.tolist()]


_CHUNK = 1 << 16


def _with_room(array: npt.NDArray[Any], room: int) -> npt.NDArray[Any]:
    if room <= len(array):
        return array
    bigger = np.empty(max(room, 2 * len(array)), dtype=array.dtype)
    bigger[: len(array)] = array
    return bigger
