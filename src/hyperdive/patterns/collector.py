"""Collects matches into counts of statements and evidence; the result does not depend on how the text was split.

Matches come in reading order. From time to time equal statements are added up and the best candidates for evidence of
each pair are kept; rows beyond a limit of memory wait on disk. At the end terms get their numbers by frequency, and the
rows of each range of hyponyms are put together.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Array, Bytes, Ints
from hyperdive.errors import InputError
from hyperdive.patterns.definitions import HEAD, NAMES, PRECISION, check_names
from hyperdive.patterns.evidence import (
    CAP,
    LONGEST,
    MOST_TERMS,
    TOTAL,
    EvidenceRows,
    Keys,
    added_up,
    best_of_each,
    can_be_shown,
    choose,
    excerpt,
    pack,
    ranks_of,
    renumbered,
    shortness,
    text_hashes,
    unpack,
    was_cut,
)
from hyperdive.patterns.files import FOLDER
from hyperdive.patterns.matcher import BlockMatches, as_matches, find_matches
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.store import Patterns
from hyperdive.text.forms import FormTable
from hyperdive.text.lemmas import BlockKeys
from hyperdive.text.tokens import Examine, Tokens

MEMORY = 1 << 30
"""Bytes that rows take in memory, unless another limit is given."""
_FEW = 1 << 18  # rows that wait before they are reduced; then as many as were left the last time
_COPIES = 5  # memory of a row while rows are reduced, in rows
_CHUNK = 1 << 14  # rows that are Python objects at a time

STATEMENT = np.dtype([("key", np.uint64), ("count", np.int64)])
"""How often a pattern states a pair; see `hyperdive.patterns.evidence.pack`."""
CANDIDATE = np.dtype([
    ("key", np.uint64), ("order", np.uint64), ("hash", np.uint64), ("document", np.int64), ("start", np.int64),
    ("length", np.int32), ("is_excerpt", np.int32), ("spans", np.int32, 4),
])  # fmt: skip
"""A match that may become evidence; the bytes of its sentence are in a temporary file."""


class TemporaryArray:
    """Values appended to a temporary file, which is gone with this object and the arrays that map it."""

    def __init__(self, dtype: npt.DTypeLike, folder: str | Path | None = None) -> None:
        self.dtype, self.size = np.dtype(dtype), 0
        self._folder = folder
        self._file: IO[bytes] | None = None

    def append(self, values: Array) -> None:
        """Add values at the end."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype).view(np.uint8).data)
        self.size += len(values)

    def mapped(self) -> Array:
        """Map the values; changes of them are written to the file."""
        if self._file is None or self.size == 0:
            return np.zeros(0, dtype=self.dtype)
        self._file.flush()
        return np.asarray(np.memmap(self._file, dtype=self.dtype, mode="r+", shape=self.size))


class Runs:
    """Rows with a key that are reduced from time to time; beyond a limit of memory they wait on disk.

    Args:
        dtype: the fields of a row, of which one is `key`.
        reduced: adds rows up or chooses among them.
        memory: bytes that rows may take in memory.
        folder: where the temporary file is; None is the system's folder.
    """

    def __init__(
        self, dtype: np.dtype[Any], reduced: Callable[[Array], Array], memory: int, folder: str | Path | None
    ) -> None:
        self.dtype, self._reduced = dtype, reduced
        self._most = memory // (_COPIES * dtype.itemsize)
        self._held: list[Array] = []
        self._stored, self._ends = TemporaryArray(dtype, folder), [0]

    def add(self, rows: Array) -> None:
        """Take in rows in any order."""
        self._held.append(rows)
        if sum(map(len, self._held[1:])) > max(min(_FEW, self._most // 2), len(self._held[0])):
            self._held = [self._reduced(np.concatenate(self._held))]
        if sum(map(len, self._held)) > self._most:
            self._stored.append(self._reduced(np.concatenate(self._held)))
            self._ends.append(self._stored.size)
            self._held = []

    def runs(self) -> list[Array]:
        """All rows, in arrays that may be changed: those on disk, then those in memory."""
        stored = self._stored.mapped()
        runs = [stored[start:end] for start, end in pairwise(self._ends)]
        if self._held:
            self._held = [self._reduced(np.concatenate(self._held))]
        return [*runs, *self._held]

    def whole(self) -> Array:
        """All rows as one reduced array."""
        return self._reduced(np.concatenate([np.zeros(0, dtype=self.dtype), *self.runs()]))


class Collector:
    """Takes matches in reading order, counts them and chooses the evidence.

    Memory grows with the number of different terms, not with the text: rows beyond a limit and all sentences wait in
    temporary files.

    Args:
        names: the names of the patterns, in the order of their numbers.
        precision: the precision of each pattern, for the choice of evidence; equal by default.
        cap: evidence sentences per pair.
        total: evidence sentences for all pairs together.
        scratch: the folder of the temporary files; the system's by default.
        memory: bytes that rows may take; the result is the same for any limit.

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
        self._cap, self._total, self._memory, self._scratch = cap, total, memory, scratch
        self._head = self.names.index(HEAD) if HEAD in self.names else 256
        self._ranks = ranks_of(self.precision)
        self._begin()

    def _begin(self) -> None:
        self._terms = FormTable()
        self._statements = Runs(STATEMENT, _summed, self._memory // 2, self._scratch)
        self._candidates = Runs(CANDIDATE, self._best, self._memory // 2, self._scratch)
        self._sentences = TemporaryArray(np.uint8, self._scratch)
        self._has_sentences = False
        self.matches = 0

    def _best(self, rows: Array) -> Array:
        return rows[best_of_each(rows["key"], rows["order"], rows["hash"], self._ranks, self._cap)]

    def add(self, piece: Matches) -> None:
        """Take in the next piece; pieces come in reading order, and their cut does not matter."""
        if len(piece) == 0:
            return
        if int(piece.pattern.max()) >= len(self.names):
            raise InputError(f"a match has pattern {int(piece.pattern.max())}, the table has {len(self.names)}")
        keys = pack(piece.hyponym, piece.hypernym, piece.pattern)
        candidates, texts = None, piece.sentences
        if texts is not None and self._cap:
            spans = np.concatenate([piece.hyponym_span, piece.hypernym_span], axis=1)
            lengths = texts.lengths[piece.sentence]
            # a phrase that ends in its head is its own evidence
            rows = np.flatnonzero((piece.pattern != self._head) & can_be_shown(lengths, spans))
            columns = {"key": keys[rows], "document": piece.document[rows], "spans": spans[rows]}
            candidates = _candidates(texts, piece.sentence[rows], shortness(lengths[rows]), rows, **columns)
        self._take(piece.terms, _rows(STATEMENT, key=keys, count=1), candidates, texts, matches=len(piece))

    def add_patterns(self, patterns: Patterns, documents: int) -> None:
        """Take in the finished patterns of the text that comes next, after so many documents."""
        number, same = np.array([self.names.index(name) for name in patterns.names]), np.arange(len(patterns))
        statements = _rows(STATEMENT, key=renumbered(patterns.keys, same, number), count=patterns.values)
        candidates, texts, rows = None, None, patterns.evidence_rows
        if rows is not None:
            texts = rows.texts
            short = shortness(texts.lengths, was_cut(texts))[rows.sentence]
            columns = {"key": renumbered(rows.keys, same, number), "document": rows.document, "spans": rows.spans}
            # rows of a pair and pattern are in order, the best first
            candidates = _candidates(texts, rows.sentence, short, np.arange(len(rows)), is_excerpt=1, **columns)
        terms = Texts.of(patterns.terms)
        self._take(terms, statements, candidates, texts, matches=patterns.matches, documents=documents)

    def state(self) -> tuple[list[str], dict[str, Array]]:
        """What was collected so far, as strings and arrays, of which another collector can take it in."""
        rows, data = self._candidates.whole(), self._sentences.mapped()
        # a sentence goes with it once, however many rows it serves
        starts, first, place = np.unique(rows["start"], return_index=True, return_inverse=True)
        ends = starts + rows["length"][first]
        pieces = [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        offsets = np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int64)
        rows["start"] = offsets[place.reshape(-1)]
        return self._terms.words(0), {
            "statements": self._statements.whole().view(np.uint8),
            "candidates": rows.view(np.uint8),
            "sentences": np.concatenate([np.zeros(0, dtype=np.uint8), *pieces]),
            "offsets": offsets,
            "matches": np.array([self.matches, self._has_sentences]),
        }

    def add_state(self, strings: Sequence[str], arrays: Mapping[str, Array], documents: int) -> None:
        """Take in what another collector collected from the text that comes next, after so many documents."""
        statements, candidates = (
            np.array(arrays[name]).view(dtype) for name, dtype in (("statements", STATEMENT), ("candidates", CANDIDATE))
        )
        matches, has_sentences = arrays["matches"].tolist()
        texts = Texts(np.asarray(arrays["sentences"]), np.asarray(arrays["offsets"])) if has_sentences else None
        self._take(Texts.of(strings), statements, candidates, texts, matches=matches, documents=documents)

    def _take(
        self,
        terms: Texts,
        statements: Array,
        candidates: Array | None,
        texts: Texts | None,
        *,
        matches: int,
        documents: int = 0,
    ) -> None:
        """Take in rows whose keys number these terms, and candidates whose sentences are in these texts."""
        table = self._terms.add_bytes(terms.data, terms.offsets).astype(np.int64) - 1
        if len(self._terms) >= MOST_TERMS:
            raise InputError(f"more than {MOST_TERMS:,} different terms", hint="encode the text in parts and merge")
        statements["key"] = renumbered(statements["key"], table)
        self._statements.add(statements)
        if candidates is not None and texts is not None:
            candidates["key"] = renumbered(candidates["key"], table)
            candidates["order"] += np.uint64(self.matches)  # earlier matches have smaller numbers, whatever the pieces
            candidates["document"] += documents
            candidates["start"] += self._sentences.size
            self._candidates.add(candidates)
            self._sentences.append(texts.data[texts.offsets[0] : texts.offsets[-1]])
            self._has_sentences = True
        self.matches += matches

    # ---- the result -----------------------------------------------------------------------------------------

    def finish(self, *, documents: int) -> Patterns:
        """Return what was collected from so many documents; the collector is empty afterwards."""
        statements, candidates = self._statements.runs(), self._candidates.runs()
        terms, table, totals = self._ordered_terms(statements)
        for run in (*statements, *candidates):
            run["key"] = renumbered(run["key"], table)
            run[:] = run[np.argsort(run["key"], kind="stable")]
        keys, values = (TemporaryArray(dtype, self._scratch) for dtype in (np.uint64, np.int64))
        chosen: list[tuple[Array, Ints, Ints]] = []
        for low, high in self._ranges(len(terms), [statements, candidates]):
            counts = _summed(_between(statements, low, high, STATEMENT))
            keys.append(counts["key"])
            values.append(counts["count"])
            rows = _between(candidates, low, high, CANDIDATE)
            if len(rows):
                best, place = choose(rows["key"], rows["order"], rows["hash"], self._ranks, self._cap)
                chosen.append((rows[best], place, _statements_of_pairs(rows["key"][best], counts)))
            if sum(len(place) for _, place, _ in chosen) > 2 * self._total:
                chosen = [_cut(chosen, self._total)]
        rows = _cut(chosen, self._total)[0] if chosen else np.zeros(0, dtype=CANDIDATE)
        chosen.clear()
        sentences = self._evidence(rows) if self._has_sentences else None
        self._begin()
        counted = keys.mapped(), values.mapped()
        return Patterns(terms, self.names, *counted, self.precision, documents, sentences, sums=totals)

    def _ordered_terms(self, statements: Sequence[Array]) -> tuple[Any, Ints, tuple[Ints, Ints, int]]:
        """The terms of all statements, the most frequent first; the new number of each old one; and their totals.

        Frequent is how often a term is on either side of an ordinary pattern, then of any; then by name.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        arena, starts, lengths, _ = self._terms.arrays()
        size = len(lengths)
        hyponyms, hypernyms, every = (np.zeros(size, dtype=np.int64) for _ in range(3))
        for run in statements:
            hyponym, hypernym, pattern = unpack(run["key"])
            ordinary = np.where(pattern == self._head, 0, run["count"])
            for side, sums in ((hyponym, hyponyms), (hypernym, hypernyms)):
                sums += np.bincount(side, weights=ordinary, minlength=size).astype(np.int64)
                every += np.bincount(side, weights=run["count"], minlength=size).astype(np.int64)
        ends = np.append(starts, len(arena)).astype(np.int64)
        names = pa.LargeStringArray.from_buffers(size, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(arena)))
        used = np.flatnonzero(every)
        names = names.take(pa.array(used))
        columns = pa.table({"ordinary": (hyponyms + hypernyms)[used], "all": every[used], "term": names})
        keys = [("ordinary", "descending"), ("all", "descending"), ("term", "ascending")]
        order = pc.sort_indices(columns, sort_keys=keys).to_numpy()
        table = np.full(size, -1, dtype=np.int64)
        table[used[order]] = np.arange(len(used))
        hyponyms, hypernyms = hyponyms[used[order]], hypernyms[used[order]]
        return names.take(pa.array(order)), table, (hyponyms, hypernyms, int(hyponyms.sum()))

    def _ranges(self, terms: int, kinds: Sequence[Sequence[Array]]) -> Iterator[tuple[int, int]]:
        """Hyponyms in ranges whose rows have room in memory."""
        needed = np.zeros(terms, dtype=np.int64)
        for runs in kinds:
            for run in runs:
                rows = np.bincount((run["key"] >> np.uint64(36)).astype(np.int64), minlength=terms)
                needed += _COPIES * run.itemsize * rows
        ends = np.cumsum(needed)
        share = max(self._memory, 1 << 12)
        borders = np.searchsorted(ends, np.arange(share, ends[-1] if terms else 0, share))
        yield from pairwise(np.unique(np.concatenate([[0], borders, [terms]])).tolist())

    def _evidence(self, rows: Array) -> EvidenceRows:
        """The chosen rows with their sentences, equal ones once, long ones cut around the terms."""
        spans = rows["spans"].copy()
        is_long = (rows["length"] > LONGEST) & (rows["is_excerpt"] == 0)
        # rows share a short sentence; each row has its own excerpt of a long one
        owner = np.where(is_long, -1 - np.arange(len(rows)), rows["start"])
        _, first, group = np.unique(owner, return_index=True, return_inverse=True)
        by_use = np.argsort(first, kind="stable")
        # equal sentences have the same hash, which excerpts lack
        _, hashed, times = np.unique(rows["hash"][first], return_inverse=True, return_counts=True)
        may_repeat = is_long[first] | (times[hashed.reshape(-1)] > 1)
        view, texts = self._sentences.mapped().data, TemporaryArray(np.uint8, self._scratch)
        numbers, lengths, count = np.empty(len(first), dtype=np.int64), np.zeros(len(first) + 1, dtype=np.int64), 0
        known: dict[bytes, int] = {}
        for low in range(0, len(by_use), _CHUNK):
            groups, shown = by_use[low : low + _CHUNK], []
            places = first[groups]
            ends = rows["start"][places] + rows["length"][places]
            columns = (groups, places, rows["start"][places], ends, is_long[places])
            for place, row, start, end, is_cut in zip(*(column.tolist() for column in columns), strict=True):
                raw = view[start:end].tobytes()
                if is_cut:
                    raw, spans[row] = excerpt(raw, tuple(spans[row].tolist()))
                number = count
                if may_repeat[place]:
                    number = known.setdefault(blake2b(raw, digest_size=16).digest(), count)
                if number == count:
                    shown.append(raw)
                    count += 1
                    lengths[count] = len(raw)
                numbers[place] = number
            texts.append(np.frombuffer(b"".join(shown), dtype=np.uint8))
        kept = Texts(texts.mapped(), np.cumsum(lengths[: count + 1]))
        sentence = numbers[group.reshape(-1)]
        return EvidenceRows(np.ascontiguousarray(rows["key"]), rows["document"].copy(), sentence, spans, kept)


def merge(stores: Sequence[Patterns], *, cap: int = CAP, total: int = TOTAL) -> Patterns:
    """Merge the patterns of several texts, as if the texts had been read one after another.

    Document numbers continue from one store to the next. Stores without sentences only add counts.

    Args:
        stores: the patterns, in the order of their texts.
        cap: evidence sentences per pair.
        total: evidence sentences for all pairs together.

    >>> one = Patterns(["dog", "poodle"], ["such as"], pack([1], [0], [0]), np.array([4]))
    >>> two = Patterns(["dog", "hound"], ["is a", "such as"], pack([1], [0], [1]), np.array([6]))
    >>> both = merge([one, two])
    >>> both.terms, both.names, both.count("hound", "dog")
    (['dog', 'hound', 'poodle'], ('such as', 'is a'), 6)
    """
    if not stores:
        raise InputError("a merge needs patterns of at least one text")
    precision: dict[str, float] = {}
    for store in stores:
        precision = dict(zip(store.names, store.precision, strict=True)) | precision
    names = list(dict.fromkeys(name for store in stores for name in store.names))
    collector = Collector(names, precision=[precision[name] for name in names], cap=cap, total=total)
    documents = 0
    for store in stores:
        collector.add_patterns(store, documents)
        documents += store.documents
    return collector.finish(documents=documents)


class PatternReader(Collector):
    """Collects the matches of every block while the text is read; see `hyperdive.text.tokens.BlockObserver`."""

    def __init__(self, *, sentences: bool = True, memory: int = MEMORY) -> None:
        super().__init__(NAMES, precision=PRECISION, memory=memory)
        self._keeps_sentences = sentences

    @property
    def examine(self) -> Examine:
        return find_matches

    def absorb(self, data: Bytes, tokens: Tokens, keys: BlockKeys, documents: int) -> None:
        """Add the matches of a block."""
        matches: BlockMatches = tokens.observation
        if len(matches.pattern) == 0:
            return
        document = np.searchsorted(tokens.doc_sentences, matches.sentence, side="right") - 1 + documents
        self.add(as_matches(matches, keys, np.maximum(document, 0), data, tokens, sentences=self._keeps_sentences))

    def part(self) -> PatternReader:
        """A reader of one part of the text, whose `state` this one takes in."""
        return PatternReader(sentences=self._keeps_sentences, memory=self._memory)

    def save(self, folder: Path, header: dict[str, Any], documents: int) -> None:
        """Write the folder of patterns into the corpus folder; what was collected is let go."""
        source = str(header.get("input", {}).get("sha256", ""))
        self.finish(documents=documents).save(folder / FOLDER, source=source)


# ---- rows -------------------------------------------------------------------------------------------------------


def _rows(dtype: np.dtype[Any], **columns: Any) -> Array:
    """Rows from their columns; fields without one are 0."""
    rows = np.zeros(len(columns["key"]), dtype=dtype)
    for name, column in columns.items():
        rows[name] = column
    return rows


def _candidates(texts: Texts, sentence: Ints, short: Ints, number: Ints, **columns: Any) -> Array:
    """Candidates with these sentences; short ones come before long ones, then those with small numbers."""
    return _rows(
        CANDIDATE,
        order=(short.astype(np.uint64) << np.uint64(48)) | number.astype(np.uint64),
        hash=text_hashes(texts)[sentence],
        start=texts.offsets[sentence] - texts.offsets[0],
        length=texts.lengths[sentence],
        **columns,
    )


def _summed(rows: Array) -> Array:
    """Equal statements as one, sorted.

    >>> _summed(_rows(STATEMENT, key=[5, 2, 5], count=[1, 1, 3])).tolist()
    [(2, 1), (5, 4)]
    """
    keys, counts = added_up(rows["key"], rows["count"])
    return _rows(STATEMENT, key=keys, count=counts)


def _between(runs: Sequence[Array], low: int, high: int, dtype: np.dtype[Any]) -> Array:
    """The rows of a range of hyponyms, from runs that are sorted by key."""
    parts = [np.zeros(0, dtype=dtype)]
    for run in runs:
        borders = np.array([low, high], dtype=np.uint64) << np.uint64(36)
        start, end = np.searchsorted(run["key"], borders).tolist()
        parts.append(run[start:end])
    return np.concatenate(parts)


def _statements_of_pairs(keys: Keys, statements: Array) -> Ints:
    """How often the pair of each key is stated, by any pattern."""
    pairs, starts = np.unique(statements["key"] >> np.uint64(8), return_index=True)
    return np.asarray(np.add.reduceat(statements["count"], starts)[np.searchsorted(pairs, keys >> np.uint64(8))])


def _cut(chosen: Sequence[tuple[Array, Ints, Ints]], total: int) -> tuple[Array, Ints, Ints]:
    """At most `total` of the chosen rows: the best of every pair first, frequent pairs before others.

    Rows come with their place in their pair and the number of its statements, and stay in order.
    """
    rows, place, statements = (np.concatenate(column) for column in zip(*chosen, strict=True))
    if len(rows) > total:
        best = np.sort(np.lexsort((rows["key"] >> np.uint64(8), -statements, place))[:total])
        rows, place, statements = rows[best], place[best], statements[best]
    return rows, place, statements
