"""Collects matches into pair counts and evidence; the result does not depend on how the text was split into pieces.

Memory is bounded: rows beyond it wait on disk in sorted runs, which are merged range by range of their keys at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Array, Ints
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import (
    CAP,
    MOST_TERMS,
    TOTAL,
    Keys,
    best_of_each,
    can_be_shown,
    choose,
    pack,
    shortness,
    text_hashes,
)
from hyperdive.patterns.evidence_candidates import CandidateRows, ChosenRows, SentenceScratch
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.pair_counts import ArrowStrings, StoredCounts, added, merged, ordered_terms, renumbered, summed
from hyperdive.patterns.pattern_table import HEAD, PatternTable, check_names
from hyperdive.patterns.sorted_runs import Column, merged_ranges
from hyperdive.patterns.store import Patterns
from hyperdive.text.forms import FormTable
from hyperdive.text.scratch_arrays import Scratch

MEMORY = 1 << 30
"""Bytes that pairs and candidates for evidence take in memory, unless another limit is given."""
_FEW = 1 << 18  # rows that wait before they are added up; then as many as were added up before
# bytes of a row in memory while rows are merged, with the copies made for it
_PAIR_BYTES, _CANDIDATE_BYTES = 80, 256


class Collector:
    """Takes matches in reading order, counts them and chooses the evidence.

    Memory does not grow with the text, only with the number of different terms: pairs beyond a limit and all
    sentences wait in scratch files.

    Args:
        names: the names of the patterns, in the order of their numbers.
        precision: the precision of each pattern, for the choice of evidence; equal by default.
        cap: evidence sentences per pair.
        total: evidence sentences for all pairs together.
        scratch: the folder of the scratch files; the system's temporary folder by default.
        memory: bytes that pairs and candidates may take; the result has the same bytes for any limit.

    >>> collector = Collector(["such as"])
    >>> collector.add(Matches(Texts.of(["poodle", "dog"]), hyponym=[0], hypernym=[1], pattern=[0], document=[0],
    ...     sentence=[0], hyponym_span=[[13, 20]], hypernym_span=[[0, 4]],
    ...     sentences=Texts.of(["Dogs such as poodles bark."])))
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
        memory: int = MEMORY,
    ) -> None:
        check_names(names)
        self.names = tuple(names)
        self.precision = tuple(float(value) for value in (precision if precision is not None else [1.0] * len(names)))
        if len(self.precision) != len(names):
            raise InputError(f"{len(names)} patterns and {len(self.precision)} precisions do not go together")
        self._cap, self._total = cap, total
        self._head = self.names.index(HEAD) if HEAD in self.names else 256
        self._ranks = ranks_of(self.precision)
        self._terms = FormTable()
        self._runs: list[tuple[Keys, Ints]] = []
        self._candidates: list[CandidateRows] = []
        self._spilled_runs: list[Sequence[Column]] = []
        self._spilled_candidates: list[Sequence[Column]] = []
        self._scratch_folder = scratch
        self._memory = memory
        self._few = min(_FEW, memory // (2 * _CANDIDATE_BYTES))
        self._scratch = Scratch(scratch, in_memory=memory // 8)
        self._sentences: SentenceScratch | None = None
        self.matches = 0

    def add(self, piece: Matches) -> None:
        """Take in the next piece; pieces come in reading order, and their cut does not matter."""
        if len(piece) == 0:
            return
        if int(piece.pattern.max()) >= len(self.names):
            raise InputError(f"a match has pattern {int(piece.pattern.max())}, the table has {len(self.names)}")
        table = self._numbered(piece.terms)
        keys = pack(table[piece.hyponym], table[piece.hypernym], piece.pattern)
        self._add_run(added(keys))
        if piece.sentences is not None and self._cap:
            self._consider(piece, piece.sentences, keys)
        self.matches += len(piece)
        self._spill_beyond(self._memory)

    def _numbered(self, terms: Texts) -> Ints:
        """The numbers of terms, new ones after those that are known."""
        numbers = self._terms.add_bytes(terms.data, terms.offsets).astype(np.int64) - 1
        if len(self._terms) > MOST_TERMS:
            raise InputError(f"more than {MOST_TERMS:,} different terms", hint="encode the text in parts and merge")
        return numbers

    def _add_run(self, run: tuple[Keys, Ints]) -> None:
        self._runs.append(run)
        if sum(len(keys) for keys, _ in self._runs[1:]) > max(self._few, len(self._runs[0][0])):
            self._runs = [merged(self._runs)]

    def _consider(self, piece: Matches, texts: Texts, keys: Keys) -> None:
        """Candidates for evidence: the matches of a piece, of which the best are kept from time to time."""
        spans = np.concatenate([piece.hyponym_span, piece.hypernym_span], axis=1)
        lengths = texts.lengths[piece.sentence]
        # a phrase that ends in its head is its own evidence
        rows = np.flatnonzero((piece.pattern != self._head) & can_be_shown(lengths, spans))
        sentence = piece.sentence[rows]
        # earlier matches have smaller numbers, whatever the pieces
        order = (shortness(lengths[rows]).astype(np.uint64) << np.uint64(48)) | (self.matches + rows).astype(np.uint64)
        candidates = CandidateRows(
            keys[rows],
            order,
            text_hashes(texts)[sentence],
            piece.document[rows],
            texts.offsets[sentence] - texts.offsets[0],
            lengths[rows],
            spans[rows],
        )
        self._keep_candidates(candidates, texts.data[texts.offsets[0] : texts.offsets[-1]])

    def _keep_candidates(self, candidates: CandidateRows, data: npt.NDArray[np.uint8]) -> None:
        """Keep candidates whose sentences are in `data`, and of all of them the best from time to time."""
        if self._sentences is None:
            self._sentences = SentenceScratch(self._scratch_folder)
        self._candidates.append(candidates._replace(start=candidates.start + self._sentences.size))
        if sum(len(batch.keys) for batch in self._candidates[1:]) > max(self._few, len(self._candidates[0].keys)):
            self._candidates = [self._best(CandidateRows.joined(self._candidates))]
        self._sentences.append(data)

    def _best(self, rows: CandidateRows) -> CandidateRows:
        return rows.taken(best_of_each(rows.keys, rows.order, rows.hashes, self._ranks, self._cap))

    # ---- rows on disk ---------------------------------------------------------------------------------------

    def _spill_beyond(self, memory: int) -> None:
        """Put all rows on disk when they take more memory than this."""
        pairs = sum(len(keys) for keys, _ in self._runs)
        candidates = sum(len(batch.keys) for batch in self._candidates)
        if pairs * _PAIR_BYTES + candidates * _CANDIDATE_BYTES > memory:
            self.spill()

    def spill(self) -> None:
        """Put all rows on disk."""
        if self._runs:
            self._spilled_runs.append(self._stored(merged(self._runs)))
            self._runs.clear()
        if self._candidates:
            self._spilled_candidates.append(self._stored(self._best(CandidateRows.joined(self._candidates))))
            self._candidates.clear()

    def _stored(self, columns: Sequence[Array]) -> Sequence[Column]:
        stored = []
        for column in columns:
            dtype = np.dtype((column.dtype, column.shape[1:])) if column.ndim > 1 else column.dtype
            array = self._scratch.stored(len(column), dtype)
            array.put(0, column)
            stored.append(array)
        return stored

    def _count_runs(self) -> list[Sequence[Column]]:
        return [*self._spilled_runs, merged(self._runs)]

    def _candidate_runs(self) -> list[Sequence[Column]]:
        held = [self._best(CandidateRows.joined(self._candidates))] if self._candidates else []
        return [*self._spilled_candidates, *held]

    # ---- parts ----------------------------------------------------------------------------------------------

    def state(self) -> tuple[list[str], dict[str, Array]]:
        """The terms and what was collected so far, as arrays, of which another collector can take it in."""
        runs = [(np.asarray(keys[:]), np.asarray(counts[:])) for keys, counts in self._count_runs()]
        keys, counts = merged(runs)
        arrays: dict[str, Array] = {"pair_keys": keys, "pair_counts": counts, "matches": np.array([self.matches])}
        if self._sentences is not None:
            runs_of_rows = [CandidateRows(*(column[:] for column in run)) for run in self._candidate_runs()]
            rows = self._best(CandidateRows.joined(runs_of_rows))
            # a sentence goes with it once, however many rows it serves
            starts, first, place = np.unique(rows.start, return_index=True, return_inverse=True)
            with self._sentences.mapped() as data:
                texts = [
                    data[start : start + length]
                    for start, length in zip(starts.tolist(), rows.length[first].tolist(), strict=True)
                ]
            offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
            rows = rows._replace(start=offsets[:-1][place.ravel()])
            arrays |= {f"row_{name}": np.asarray(column) for name, column in rows._asdict().items()}
            arrays["sentences"] = np.frombuffer(b"".join(texts), dtype=np.uint8)
        return self._terms.words(0), arrays

    def add_state(self, terms: Sequence[str], arrays: Mapping[str, Array], documents: int) -> None:
        """Take in what another collector collected from the text that comes next, after so many documents."""
        table = self._numbered(Texts.of(terms))
        self._add_run(summed(renumbered(arrays["pair_keys"], table)[0], np.asarray(arrays["pair_counts"])))
        if "sentences" in arrays:
            rows = CandidateRows(*(np.asarray(arrays[f"row_{name}"]) for name in CandidateRows._fields))
            rows = rows._replace(
                keys=renumbered(rows.keys, table)[0],
                order=rows.order + np.uint64(self.matches),
                document=rows.document + documents,
            )
            self._keep_candidates(rows, np.asarray(arrays["sentences"]))
        self.matches += int(arrays["matches"][0])
        self._spill_beyond(self._memory)

    # ---- the result -----------------------------------------------------------------------------------------

    def finish(self, *, documents: int) -> Patterns:
        """What was collected from so many documents; the collector is of no use afterwards."""
        return Patterns(self.table(documents=documents))

    def table(self, *, documents: int) -> PatternTable:
        """The same as a table, large arrays of which are mapped from disk."""
        import pyarrow as pa

        if self._spilled_runs:
            self.spill()
        counts = StoredCounts(
            self._count_runs(), len(self._terms), self._head, self._scratch, max(self._memory // (2 * _PAIR_BYTES), 1)
        )
        self._runs.clear()
        arena, starts, lengths, _ = self._terms.arrays()
        ends = pa.py_buffer(np.append(starts, len(arena)).astype(np.int64))
        all_names = pa.LargeStringArray.from_buffers(len(lengths), ends, pa.py_buffer(np.ascontiguousarray(arena)))
        names, table = ordered_terms(all_names, counts.sums)
        evidence = None
        if self._sentences is not None:
            evidence = self._sentences.evidence(self._chosen(table, counts), self._scratch)
            self._sentences.close()
        used = np.flatnonzero(table >= 0)
        totals = [np.zeros(len(used), dtype=np.int64) for _ in range(2)]
        for total, sums in zip(totals, (counts.sums.hyponym, counts.sums.hypernym), strict=True):
            total[table[used]] = sums[used]
        fields: dict[str, Any] = counts.sorted_by(table, self._scratch)
        return PatternTable(
            terms=ArrowStrings(names),
            names=self.names,
            **fields,
            precision=self.precision,
            documents=documents,
            evidence=evidence,
            totals=(totals[0], totals[1], int(totals[0].sum())),
        )

    def _chosen(self, table: Ints, counts: StoredCounts) -> CandidateRows:
        """The rows to keep, under the terms' new numbers; range by range of the pairs."""
        runs = self._candidate_runs()
        self._candidates.clear()
        chosen: list[ChosenRows] = []
        for columns, borders in merged_ranges(runs, max(self._memory // (2 * _CANDIDATE_BYTES), 1)):
            rows = CandidateRows(*columns)
            best, place = choose(rows.keys, rows.order, rows.hashes, self._ranks, self._cap)
            rows = rows.taken(best)
            statements = pair_statements(rows.keys, *counts.between(*borders))
            rows = rows._replace(keys=renumbered(rows.keys, table)[0])
            chosen.append(ChosenRows(rows, place, statements))
            if sum(len(part.place) for part in chosen) > 2 * self._total:
                chosen = [ChosenRows.joined(chosen).cut(self._total)]
        if not chosen:
            return CandidateRows.none()
        return ChosenRows.joined(chosen).cut(self._total).in_order()


def pair_statements(keys: Keys, pair_keys: Keys, counts: Ints) -> Ints:
    """How often the pair of each key is stated."""
    pairs, starts = np.unique(pair_keys >> np.uint64(8), return_index=True)
    return np.asarray(np.add.reduceat(counts, starts)[np.searchsorted(pairs, keys >> np.uint64(8))])


def ranks_of(precision: Sequence[float]) -> Ints:
    """The place of each pattern, the most precise first; equal ones in the order of the table.

    >>> ranks_of([0.5, 0.9, 0.5]).tolist()
    [1, 0, 2]
    """
    ranks = np.empty(len(precision), dtype=np.int64)
    ranks[np.argsort(-np.asarray(precision, dtype=np.float64), kind="stable")] = np.arange(len(precision))
    return ranks
