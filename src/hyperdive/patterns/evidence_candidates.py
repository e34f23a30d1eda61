"""Candidates for evidence: their sentences wait in a scratch file until the best of each pair are chosen."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._types import Ints
from hyperdive.patterns.evidence import LONGEST, EvidenceRows, Keys, Spans, excerpt
from hyperdive.patterns.matches import Texts
from hyperdive.text.scratch_arrays import Scratch

_SENTENCES = 1 << 14  # read at once


class CandidateRows(NamedTuple):
    """Matches that may become evidence; their text lies in a scratch file."""

    keys: Keys
    order: Keys
    hashes: Keys
    document: Ints
    start: Ints
    length: Ints
    spans: Spans

    @classmethod
    def none(cls) -> CandidateRows:
        """No rows."""
        numbers = np.zeros(0, dtype=np.int64)
        keys = numbers.astype(np.uint64)
        return cls(keys, keys, keys, numbers, numbers, numbers, np.zeros((0, 4), dtype=np.int32))

    def taken(self, rows: Any) -> CandidateRows:
        return CandidateRows(*(column[rows] for column in self))

    @classmethod
    def joined(cls, parts: Sequence[CandidateRows]) -> CandidateRows:
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class ChosenRows(NamedTuple):
    """Rows to be kept, each with its place in its pair and how often the text states the pair."""

    rows: CandidateRows
    place: Ints
    statements: Ints

    def cut(self, total: int) -> ChosenRows:
        """At most `total` rows: the best of every pair first, frequent pairs before others."""
        if len(self.place) <= total:
            return self
        return self._taken(np.lexsort((self.rows.keys >> np.uint64(8), -self.statements, self.place))[:total])

    def in_order(self) -> CandidateRows:
        """The rows by pair, the best first."""
        return self.rows.taken(np.lexsort((self.place, self.rows.keys >> np.uint64(8))))

    def _taken(self, rows: Ints) -> ChosenRows:
        return ChosenRows(self.rows.taken(rows), self.place[rows], self.statements[rows])

    @classmethod
    def joined(cls, parts: Sequence[ChosenRows]) -> ChosenRows:
        return cls(
            CandidateRows.joined([part.rows for part in parts]),
            *(np.concatenate([part[column] for part in parts]) for column in (1, 2)),
        )


class SentenceScratch:
    """The sentences of candidates one after another in a temporary file."""

    def __init__(self, folder: str | Path | None) -> None:
        # closed and deleted with this object
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self.size = 0

    def append(self, data: npt.NDArray[np.uint8]) -> None:
        """Add text at the end."""
        self._file.write(np.ascontiguousarray(data).data)
        self.size += len(data)

    def close(self) -> None:
        """Delete the file."""
        self._file.close()

    def mapped(self) -> mmap.mmap:
        """The text so far."""
        self._file.flush()
        return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def evidence(self, rows: CandidateRows, scratch: Scratch) -> EvidenceRows:
        """The rows with their sentences, equal ones once, long ones cut around the terms."""
        spans = rows.spans.copy()
        if not len(rows.keys):
            return EvidenceRows(rows.keys, rows.document, rows.start, spans, Texts.of([]))
        # rows share a short sentence; each row has its own excerpt of a long one
        owner = np.where(rows.length > LONGEST, -1 - np.arange(len(rows.keys)), rows.start)
        _, first, group_of_row = np.unique(owner, return_index=True, return_inverse=True)
        in_order = np.argsort(first, kind="stable")
        place = np.empty(len(first), dtype=np.int64)
        place[in_order] = np.arange(len(first))
        owners = first[in_order]
        digests, lengths = np.empty((len(owners), 2), dtype=np.uint64), np.empty(len(owners), dtype=np.int64)
        with self.mapped() as data:
            for low in range(0, len(owners), _SENTENCES):
                shown = _shown(data, rows, owners[low : low + _SENTENCES], spans)
                codes = b"".join(blake2b(raw, digest_size=16).digest() for raw in shown)
                digests[low : low + len(shown)] = np.frombuffer(codes, dtype=np.uint64).reshape(-1, 2)
                lengths[low : low + len(shown)] = [len(raw) for raw in shown]
            sentence, chosen = _numbered(digests)
            offsets = np.concatenate([[0], np.cumsum(lengths[chosen])]).astype(np.int64)
            texts = scratch.array(int(offsets[-1]), np.uint8)
            for low in range(0, len(chosen), _SENTENCES):
                shown = _shown(data, rows, owners[chosen[low : low + _SENTENCES]], spans)
                texts.put(int(offsets[low]), np.frombuffer(b"".join(shown), dtype=np.uint8))
        numbers = sentence[place[group_of_row.ravel()]]
        return EvidenceRows(rows.keys, rows.document, numbers, spans, Texts(texts.whole(), offsets))


def _shown(data: mmap.mmap, rows: CandidateRows, chosen: Ints, spans: Spans) -> list[bytes]:
    """The sentences of some rows as they are kept; in `spans`, the terms of those of which a part is kept."""
    starts, lengths = rows.start[chosen], rows.length[chosen]
    shown = [data[start:end] for start, end in zip(starts.tolist(), (starts + lengths).tolist(), strict=True)]
    for place in np.flatnonzero(lengths > LONGEST).tolist():
        row = chosen[place]
        shown[place], spans[row] = excerpt(shown[place], tuple(rows.spans[row].tolist()))
    return shown


def _numbered(digests: npt.NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """A number for each row that equal rows share, in the order in which they first come; and these first rows.

    >>> [part.tolist() for part in _numbered(np.array([[5, 1], [3, 1], [5, 1]], dtype=np.uint64))]
    [[0, 1, 0], [0, 1]]
    """
    order = np.lexsort((np.arange(len(digests)), digests[:, 1], digests[:, 0]))
    ordered = digests[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = order[new]
    by_first = np.argsort(first, kind="stable")
    number = np.empty(len(first), dtype=np.int64)
    number[by_first] = np.arange(len(first))
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = number[np.cumsum(new) - 1]
    return numbers, first[by_first]
