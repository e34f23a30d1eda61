"""Noun phrases that are terms: frequent, and made of words that belong together.

Candidates are noun phrases of two to six words, and two of them joined by *of*, *for* or *in*. A candidate is a term
when it occurs often enough, its normalised PMI is high enough, and it is not merely a piece of one longer term.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._resources import default_memory, fitting, release_memory, require_memory
from hyperdive._types import Ints
from hyperdive.kernels import terms as k
from hyperdive.text.forms import FormTable
from hyperdive.text.growing_array import GrowingArray
from hyperdive.text.item_stream import IN_PARTS, HashTable, ItemChunk, ItemStream, hash_table

Hashes = npt.NDArray[np.uint64]
Run = tuple[Hashes, Any]
"""Sorted hashes and how often each occurs."""
Roles = npt.NDArray[np.uint8]
WordRoles = Callable[[FormTable], Roles]
"""From all forms to the part each can play in a noun phrase, as codes of `hyperdive.kernels.terms`."""

LONGEST = 6
LEAST = 5
MOST = 300_000
# Least NPMI of phrases with a noun as head, and of doubtful ones: headed by an adjective, a participle or a verb,
# opened by a verb or a number word, or linked by *for* or *in*. Chosen on the vocabularies of the development files.
_STRONG_COHESION, _WEAK_COHESION = 0.0, 0.15
# A phrase is a piece of a longer one when this share of its occurrences is inside it.
_INSIDE_ONE = 0.8
# Distinct candidates held while counting (12 bytes each); beyond it the rarest are forgotten.
_MAX_CANDIDATES = 24_000_000
_COUNTED_BYTES = 64  # of each candidate of the longest run: it, shorter runs, and what they are merged into
# What describing a frequent candidate takes: tables and rows, and the numbers of each thread.
_CANDIDATE_BYTES, _CANDIDATE_THREAD_BYTES = 250, 24


@dataclass(frozen=True)
class PhraseKeys:
    """Phrases as rows of keys, filled up with -1."""

    keys: Ints
    lengths: Ints


def cohesive_phrases(stream: ItemStream, roles: Roles) -> PhraseKeys:
    """The noun phrases that are frequent and hold together, at most `MOST`: the most frequent.

    Args:
        stream: the text.
        roles: the part each form can play in a noun phrase.
    """
    roles = _with_numerals(roles, stream)
    hashes, counts = _frequent(stream, roles)
    if stream.memory is not None:
        release_memory()
    require_memory(
        stream.memory,
        len(hashes) * (_CANDIDATE_BYTES + _CANDIDATE_THREAD_BYTES * stream.threads),
        f"{len(hashes):,} candidates for terms",
        instead=IN_PARTS,
    )
    keys, lengths, strong = _described(stream, roles, hashes)
    good = _cohesion(stream.counts, keys, lengths, counts) > np.where(
        2 * strong >= counts, _STRONG_COHESION, _WEAK_COHESION
    )
    good &= _largest_container(hashes, keys, lengths, counts) < _INSIDE_ONE * counts
    rows = np.flatnonzero(good)
    if len(rows) > MOST:
        cohesion = _cohesion(stream.counts, keys[rows], lengths[rows], counts[rows])
        rows = rows[np.lexsort((hashes[rows], -cohesion, -counts[rows]))[:MOST]]
    return PhraseKeys(keys[rows], lengths[rows])


def _with_numerals(roles: Roles, stream: ItemStream) -> Roles:
    """The roles of all forms: numbers, and codes such as *b12*, have their own."""
    roles = roles.copy()
    for form in stream.numerals.tolist():
        has_letter = any(character.isalpha() for character in stream.words[stream.key_of[form]])
        roles[form] = k.CODE if has_letter else k.DIGITS
    roles[0] = k.BREAK
    return roles


@dataclass(frozen=True, eq=False)
class _CandidateCounts:
    """From a chunk to the distinct hashes of its candidates and how often each occurs."""

    roles: Roles
    key_of: Ints

    def __call__(self, chunk: ItemChunk) -> Run:
        hashes = k.candidate_hashes(chunk.items, chunk.first, chunk.end, self.roles, self.key_of, LONGEST)
        hashes.sort()
        distinct: Run = k.run_lengths(hashes)
        return distinct


def _frequent(stream: ItemStream, roles: Roles) -> tuple[Hashes, Ints]:
    """Hashes of the frequent candidates, sorted, and their counts."""
    runs: list[Run] = []
    share = (default_memory() if stream.memory is None else stream.memory) // 160
    most = fitting(stream.memory, share, _COUNTED_BYTES)
    for _, run in stream.map("candidates", _CandidateCounts(roles, stream.key_of)):
        runs.append(run)
        # runs of like sizes are merged, so that every hash is copied a few times only
        while len(runs) > 1 and 2 * len(runs[-1][0]) > len(runs[-2][0]):
            last, previous = runs.pop(), runs.pop()
            runs.append(_two_merged(previous, last, most))
        least = 2
        while sum(len(hashes) for hashes, _ in runs) > _MAX_CANDIDATES:
            runs = [_merged(runs, least, most)]
            least += 1
    hashes, counts = _merged(runs, LEAST, most)
    return hashes, counts.astype(np.int64)


def _merged(runs: list[Run], least: int, most: int) -> Run:
    """All runs as one, without the hashes that occur less often than `least`."""
    merged: Run = (np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32))
    for run in reversed(runs):
        merged = _two_merged(merged, run, most)
    return _joined((_frequent_part(part, least) for part in _pieces(merged, most)), len(merged[0]), most)


def _frequent_part(run: Run, least: int) -> Run:
    frequent = run[1] >= least
    return run[0][frequent], run[1][frequent]


def _two_merged(run: Run, other: Run, most: int) -> Run:
    """Two runs as one, on disk where it has more than `most` hashes: ranges of hashes are merged one by one."""
    size = len(run[0]) + len(other[0])
    if size <= most:
        merged: Run = k.merge_counts(run[0], run[1], other[0], other[1])
        return merged
    longer, shorter = (run, other) if len(run[0]) >= len(other[0]) else (other, run)
    pieces = list(_pieces(longer, max(most // 2, 1)))
    borders = [0, *(int(np.searchsorted(shorter[0], piece[0][0])) for piece in pieces[1:]), len(shorter[0])]
    parts = (
        k.merge_counts(piece[0], piece[1], shorter[0][start:end], shorter[1][start:end])
        for piece, (start, end) in zip(pieces, pairwise(borders), strict=True)
    )
    return _joined(parts, size, most)


def _pieces(run: Run, most: int) -> Iterator[Run]:
    for start in range(0, len(run[0]), most):
        yield run[0][start : start + most], run[1][start : start + most]


def _joined(parts: Iterable[Run], size: int, most: int) -> Run:
    """Runs that follow each other as one; on disk if there may be more than `most` hashes."""
    if size <= most:
        pieces = [*parts, (np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32))]
        return np.concatenate([hashes for hashes, _ in pieces]), np.concatenate([counts for _, counts in pieces])
    with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:  # a map outlives the name of its file
        hashes, counts = (GrowingArray(Path(folder) / dtype, dtype) for dtype in ("uint64", "uint32"))
        for part_hashes, part_counts in parts:
            hashes.append(part_hashes)
            counts.append(part_counts)
        return hashes.close(), counts.close()


@dataclass(frozen=True, eq=False)
class _CandidateDescriptions:
    """From a chunk to where each candidate first stands in it (-1: nowhere), its length and how often it is strong."""

    roles: Roles
    key_of: Ints
    hashes: Hashes

    @cached_property
    def _table(self) -> HashTable:
        return hash_table(self.hashes, np.arange(len(self.hashes)))

    def __call__(self, chunk: ItemChunk) -> tuple[Ints, Ints, Ints]:
        places, lengths, strong = (np.full(len(self.hashes), fill, dtype=np.int64) for fill in (-1, 0, 0))
        k.describe_candidates(
            chunk.items, chunk.origin, chunk.first, chunk.end, self.roles, self.key_of, LONGEST, *self._table, places,
            lengths, strong,
        )  # fmt: skip
        return places, lengths, strong


def _described(stream: ItemStream, roles: Roles, hashes: Hashes) -> tuple[Ints, Ints, Ints]:
    """The keys and the length of each candidate, and how often it stands as a strong noun phrase."""
    describe = _CandidateDescriptions(roles, stream.key_of, hashes)
    places, lengths, strong = (np.full(len(hashes), fill, dtype=np.int64) for fill in (-1, 0, 0))
    for _, (more_places, more_lengths, more_strong) in stream.map("noun phrases", describe):
        new = (places < 0) & (more_places >= 0)
        places[new], lengths[new] = more_places[new], more_lengths[new]
        strong += more_strong
    keys = np.full((len(hashes), LONGEST), -1, dtype=np.int64)
    for column in range(LONGEST):
        rows = np.flatnonzero(lengths > column)
        keys[rows, column] = stream.keys_at(places[rows] + column)
    return keys, lengths, strong


def _cohesion(word_counts: Ints, keys: Ints, lengths: Ints, counts: Ints) -> npt.NDArray[np.float64]:
    """Normalised PMI of several words: log(p(t) / ∏ p(w)) / −(n − 1)·log p(t); 1 when they only occur together."""
    total = max(int(word_counts.sum()), 2)
    log_words = np.log(np.maximum(word_counts, 1) / total)
    log_joint = np.log(counts / total)
    log_apart = np.zeros(len(keys))
    for column in keys.T:
        log_apart += np.where(column >= 0, log_words[column], 0.0)
    cohesion: npt.NDArray[np.float64] = (log_joint - log_apart) / np.maximum(-(lengths - 1) * log_joint, 1e-9)
    return cohesion


def _largest_container(hashes: Hashes, keys: Ints, lengths: Ints, counts: Ints) -> Ints:
    """How often the most frequent candidate of one word more occurs that contains each candidate."""
    largest = np.zeros(len(hashes), dtype=np.int64)
    longer = np.flatnonzero(lengths > 2)
    for first in (0, 1):
        inner = k.hash_rows(keys[longer, first : first + LONGEST - 1], lengths[longer] - 1)
        place = np.searchsorted(hashes, inner)
        place[place == len(hashes)] = 0
        known = hashes[place] == inner if len(hashes) else np.zeros(0, dtype=np.bool_)
        np.maximum.at(largest, place[known], counts[longer][known])
    return largest
