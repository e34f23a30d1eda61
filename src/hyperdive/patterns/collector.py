"""Collects matches into pair counts and evidence; the result does not depend on how the text was split into pieces."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._types import Array, Ints
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import (
    CAP,
    LONGEST,
    MOST_TERMS,
    TOTAL,
    EvidenceRows,
    Keys,
    Spans,
    best_of_each,
    can_be_shown,
    choose,
    excerpt,
    pack,
    shortness,
    text_hashes,
    unpack,
)
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.store import HEAD, Patterns, check_names

_FEW = 1 << 18  # rows that wait before they are added up; then as many as were added up before


class _CandidateRows(NamedTuple):
    """Candidates for evidence; their text lies in the scratch file."""

    keys: Keys
    order: Keys
    hashes: Keys
    document: Ints
    start: Ints
    length: Ints
    spans: Spans

    def taken(self, rows: Any) -> _CandidateRows:
        return _CandidateRows(*(column[rows] for column in self))

    @classmethod
    def joined(cls, parts: Sequence[_CandidateRows]) -> _CandidateRows:
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class Collector:
    """Takes matches in reading order, counts them and chooses the evidence.

    Memory grows with the number of distinct pairs, not with the text: sentences wait in a scratch file.

    Args:
        names: the names of the patterns, in the order of their numbers.
        precision: the precision of each pattern, for the choice of evidence; equal by default.
        cap: evidence sentences per pair.
        total: evidence sentences for all pairs together.
        scratch: the folder of the scratch file; the system's temporary folder by default.

    >>> collector = Collector(["such as"])
    >>> collector.add(Matches(["poodle", "dog"], hyponym=[0], hypernym=[1], pattern=[0], document=[0], sentence=[0],
    ...     hyponym_span=[[13, 20]], hypernym_span=[[0, 4]], sentences=Texts.of(["Dogs such as poodles bark."])))
    >>> patterns = collector.finish(documents=1)
    >>> patterns
    <Patterns of 2 terms, 1 pairs, 1 matches, 1 sentences>
    >>> patterns.evidence("poodle", "dog")[0].marked()
    '**Dogs** such as **poodles** bark.'
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        precision: Sequence[float] | None = None,
        cap: int = CAP,
        total: int = TOTAL,
        scratch: str | Path | None = None,
    ) -> None:
        check_names(names)
        self.names = tuple(names)
        self.precision = tuple(float(value) for value in (precision if precision is not None else [1.0] * len(names)))
        if len(self.precision) != len(names):
            raise InputError(f"{len(names)} patterns and {len(self.precision)} precisions do not go together")
        self._cap, self._total = cap, total
        self._head = self.names.index(HEAD) if HEAD in self.names else 256
        self._ranks = ranks_of(self.precision)
        self._numbers: dict[str, int] = {}
        self._runs: list[tuple[Keys, Ints]] = []
        self._candidates: list[_CandidateRows] = []
        self._scratch_folder = scratch
        self._scratch: IO[bytes] | None = None
        self._written = 0
        self.matches = 0

    def add(self, piece: Matches) -> None:
        """Take in the next piece; pieces come in reading order, and their cut does not matter."""
        if len(piece) == 0:
            return
        if int(piece.pattern.max()) >= len(self.names):
            raise InputError(f"a match has pattern {int(piece.pattern.max())}, the table has {len(self.names)}")
        numbers = self._numbers
        table = np.array([numbers.setdefault(term, len(numbers)) for term in piece.terms], dtype=np.int64)
        if len(numbers) > MOST_TERMS:
            raise InputError(f"more than {MOST_TERMS:,} different terms", hint="encode the text in parts and merge")
        keys = pack(table[piece.hyponym], table[piece.hypernym], piece.pattern)
        self._runs.append(_added(keys))
        if sum(len(run) for run, _ in self._runs[1:]) > max(_FEW, len(self._runs[0][0])):
            self._runs = [_merged(self._runs)]
        if piece.sentences is not None and self._cap:
            self._consider(piece, piece.sentences, keys)
        self.matches += len(piece)

    def _consider(self, piece: Matches, texts: Texts, keys: Keys) -> None:
        """Candidates for evidence: the matches of a piece, of which the best are kept from time to time."""
        spans = np.concatenate([piece.hyponym_span, piece.hypernym_span], axis=1)
        lengths = texts.lengths[piece.sentence]
        # a phrase that ends in its head is its own evidence
        rows = np.flatnonzero((piece.pattern != self._head) & can_be_shown(lengths, spans))
        sentence = piece.sentence[rows]
        # earlier matches have smaller numbers, whatever the pieces
        order = (shortness(lengths[rows]).astype(np.uint64) << np.uint64(48)) | (self.matches + rows).astype(np.uint64)
        candidates = _CandidateRows(
            keys[rows],
            order,
            text_hashes(texts)[sentence],
            piece.document[rows],
            texts.offsets[sentence] - texts.offsets[0] + self._written,
            lengths[rows],
            spans[rows],
        )
        self._keep_candidates(candidates, texts.data[texts.offsets[0] : texts.offsets[-1]])

    def _keep_candidates(self, candidates: _CandidateRows, data: npt.NDArray[np.uint8]) -> None:
        """Keep candidates whose sentences are in `data`, and of all of them the best from time to time."""
        self._candidates.append(candidates)
        if sum(len(batch.keys) for batch in self._candidates[1:]) > max(_FEW, len(self._candidates[0].keys)):
            self._candidates = [self._best(_CandidateRows.joined(self._candidates))]
        if self._scratch is None:
            # closed and deleted in `finish`, or with the collector
            self._scratch = tempfile.TemporaryFile(dir=self._scratch_folder)  # noqa: SIM115
        self._scratch.write(np.ascontiguousarray(data).data)
        self._written += len(data)

    def _best(self, rows: _CandidateRows) -> _CandidateRows:
        return rows.taken(best_of_each(rows.keys, rows.order, rows.hashes, self._ranks, self._cap))

    def state(self) -> tuple[list[str], dict[str, Array]]:
        """The terms and what was collected so far, as arrays, of which another collector can take it in."""
        keys, counts = _merged(self._runs) if self._runs else (np.zeros(0, np.uint64), np.zeros(0, np.int64))
        arrays: dict[str, Array] = {"pair_keys": keys, "pair_counts": counts, "matches": np.array([self.matches])}
        if self._scratch is not None:
            rows = self._best(_CandidateRows.joined(self._candidates))
            # a sentence goes with it once, however many rows it serves
            starts, first, place = np.unique(rows.start, return_index=True, return_inverse=True)
            self._scratch.flush()
            with mmap.mmap(self._scratch.fileno(), 0, access=mmap.ACCESS_READ) as data:
                texts = [
                    data[start : start + length]
                    for start, length in zip(starts.tolist(), rows.length[first].tolist(), strict=True)
                ]
            offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
            rows = rows._replace(start=offsets[:-1][place.ravel()])
            arrays |= {f"row_{name}": np.asarray(column) for name, column in rows._asdict().items()}
            arrays["sentences"] = np.frombuffer(b"".join(texts), dtype=np.uint8)
        return list(self._numbers), arrays

    def add_state(self, terms: Sequence[str], arrays: Mapping[str, Array], documents: int) -> None:
        """Take in what another collector collected from the text that comes next, after so many documents."""
        numbers = self._numbers
        table = np.array([numbers.setdefault(term, len(numbers)) for term in terms], dtype=np.int64)
        if len(numbers) > MOST_TERMS:
            raise InputError(f"more than {MOST_TERMS:,} different terms", hint="encode the text in parts and merge")
        self._runs.append(summed(renumbered(arrays["pair_keys"], table)[0], np.asarray(arrays["pair_counts"])))
        if sum(len(run) for run, _ in self._runs[1:]) > max(_FEW, len(self._runs[0][0])):
            self._runs = [_merged(self._runs)]
        if "sentences" in arrays:
            rows = _CandidateRows(*(np.asarray(arrays[f"row_{name}"]) for name in _CandidateRows._fields))
            rows = rows._replace(
                keys=renumbered(rows.keys, table)[0],
                order=rows.order + np.uint64(self.matches),
                document=rows.document + documents,
                start=rows.start + self._written,
            )
            self._keep_candidates(rows, np.asarray(arrays["sentences"]))
        self.matches += int(arrays["matches"][0])

    def finish(self, *, documents: int) -> Patterns:
        """What was collected from so many documents; the collector is of no use afterwards."""
        keys, counts = _merged(self._runs) if self._runs else (np.zeros(0, np.uint64), np.zeros(0, np.int64))
        self._runs.clear()
        terms, table = ordered_terms(list(self._numbers), keys, counts, self._head)
        self._numbers.clear()
        keys, order = renumbered(keys, table)
        keys, counts = keys[order], counts[order]
        evidence = None
        if self._scratch is not None:
            evidence = self._chosen(table, keys, counts)
            self._scratch.close()
        return Patterns.from_keys(
            terms, self.names, keys, counts, precision=self.precision, documents=documents, evidence=evidence
        )

    def _chosen(self, table: Ints, pair_keys: Keys, counts: Ints) -> EvidenceRows:
        rows = _CandidateRows.joined(self._candidates)
        self._candidates.clear()
        rows = rows._replace(keys=renumbered(rows.keys, table)[0])
        chosen, place = choose(rows.keys, rows.order, rows.hashes, self._ranks, self._cap)
        chosen = within_total(rows.keys, chosen, place, pair_keys, counts, self._total)
        return self._with_text(rows.taken(chosen))

    def _with_text(self, rows: _CandidateRows) -> EvidenceRows:
        assert self._scratch is not None
        self._scratch.flush()
        texts = SentenceTable()
        spans = rows.spans.copy()
        # rows share a short sentence; each row has its own excerpt of a long one
        owner = np.where(rows.length > LONGEST, -1 - np.arange(len(rows.keys)), rows.start)
        _, first, place = np.unique(owner, return_index=True, return_inverse=True)
        number = np.zeros(len(first), dtype=np.int64)
        if len(rows.keys):
            with mmap.mmap(self._scratch.fileno(), 0, access=mmap.ACCESS_READ) as data:
                for group in np.argsort(first, kind="stable").tolist():
                    i = first[group]
                    start, length = int(rows.start[i]), int(rows.length[i])
                    raw = data[start : start + length]
                    if length > LONGEST:
                        raw, spans[i] = excerpt(raw, tuple(spans[i].tolist()))
                    number[group] = texts.number(raw)
        return EvidenceRows(rows.keys, rows.document, number[place.ravel()], spans, texts.texts())


class SentenceTable:
    """Sentences, each once, numbered in the order in which they came."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def number(self, raw: bytes) -> int:
        return self._numbers.setdefault(raw, len(self._numbers))

    def texts(self) -> Texts:
        offsets = np.cumsum([0, *map(len, self._numbers)], dtype=np.int64)
        return Texts(np.frombuffer(b"".join(self._numbers), dtype=np.uint8), offsets)


def ranks_of(precision: Sequence[float]) -> Ints:
    """The place of each pattern, the most precise first; equal ones in the order of the table.

    >>> ranks_of([0.5, 0.9, 0.5]).tolist()
    [1, 0, 2]
    """
    ranks = np.empty(len(precision), dtype=np.int64)
    ranks[np.argsort(-np.asarray(precision, dtype=np.float64), kind="stable")] = np.arange(len(precision))
    return ranks


def _added(keys: Keys) -> tuple[Keys, Ints]:
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct, counts.astype(np.int64)


def _merged(runs: Sequence[tuple[Keys, Ints]]) -> tuple[Keys, Ints]:
    """Sorted keys with their counts, added up."""
    if len(runs) == 1:
        return runs[0]
    return summed(np.concatenate([keys for keys, _ in runs]), np.concatenate([counts for _, counts in runs]))


def summed(keys: Keys, counts: Ints) -> tuple[Keys, Ints]:
    """Equal keys as one, sorted.

    >>> [part.tolist() for part in summed(np.array([5, 2, 5], dtype=np.uint64), np.array([1, 1, 3]))]
    [[2, 5], [1, 4]]
    """
    if len(keys) == 0:
        return keys, counts
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[starts], np.add.reduceat(counts, starts)


def ordered_terms(terms: list[str], keys: Keys, counts: Ints, head: int) -> tuple[list[str], Ints]:
    """Terms that are in a pair, the most frequent first, and the new number of each old one (-1: in no pair).

    Frequent is how often a term stands on either side of a match of an ordinary pattern, then of any; then by name.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    hyponym, hypernym, pattern = unpack(keys)
    ordinary = np.where(pattern == head, 0, counts)
    totals = []
    for weights in (ordinary, counts):
        total = np.zeros(len(terms), dtype=np.int64)
        for side in (hyponym, hypernym):
            total += np.bincount(side, weights=weights, minlength=len(terms)).astype(np.int64)
        totals.append(total)
    used = np.flatnonzero(totals[1])
    names = pa.array(terms, type=pa.large_string()).take(pa.array(used))
    columns = pa.table({"ordinary": totals[0][used], "all": totals[1][used], "term": names})
    order = pc.sort_indices(
        columns, sort_keys=[("ordinary", "descending"), ("all", "descending"), ("term", "ascending")]
    ).to_numpy()
    table = np.full(len(terms), -1, dtype=np.int64)
    table[used[order]] = np.arange(len(used))
    return names.take(pa.array(order)).to_pylist(), table


def renumbered(keys: Keys, table: npt.NDArray[np.int64]) -> tuple[Keys, Ints]:
    """Keys with the terms' new numbers, and the order that sorts them."""
    hyponym, hypernym, pattern = unpack(keys)
    new = pack(table[hyponym], table[hypernym], pattern)
    return new, np.argsort(new, kind="stable")


def within_total(keys: Keys, chosen: Ints, place: Ints, pair_keys: Keys, counts: Ints, total: int) -> Ints:
    """At most `total` of the chosen rows: the best of every pair first, frequent pairs before others."""
    if len(chosen) <= total:
        return chosen
    pairs, starts = np.unique(pair_keys >> np.uint64(8), return_index=True)
    statements = np.add.reduceat(counts, starts)
    chosen_pairs = keys[chosen] >> np.uint64(8)
    pair_statements = statements[np.searchsorted(pairs, chosen_pairs)]
    best = np.lexsort((chosen_pairs, -pair_statements, place))[:total]
    return chosen[np.sort(best)]
