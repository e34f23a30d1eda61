"""Borders and defaults of counting where a `<` for a `<=`, or a number more, would show."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from fuzz.resealing import put_array, reseal
from scipy.sparse import csr_array

from hyperdive._progress import Bar, Progress
from hyperdive._resources import Run
from hyperdive._resume import WorkFolder
from hyperdive.counts import association as association_module
from hyperdive.counts import count as count_module
from hyperdive.counts import merge as merge_module
from hyperdive.counts.association import Margins, association_matrix, weigh
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import _warn_of_little_disk, count, possible_pairs
from hyperdive.counts.inverted_index import TokenRange, line_lengths, load
from hyperdive.counts.merge import merge
from hyperdive.counts.parts import RowPacker, RowSummation, _Room
from hyperdive.counts.plan import token_bytes
from hyperdive.counts.pmi_filter import PAPER_FILTER, PmiFilter
from hyperdive.counts.shard_layout import SHARD_ENTRIES, Shard, make_layout
from hyperdive.counts.shards import Buffers, PieceFolder, RowArrays, map_piece, write_piece
from hyperdive.counts.store_writer import workers
from hyperdive.engines import LocalEngine
from hyperdive.errors import FormatError, OptionError
from hyperdive.kernels import counts as kernels
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus

from .reference import collapse, corpus_of, count_pairs, files, folder, read


def test_rows_without_edges_read_none() -> None:
    """Behind the empty array lie numbers that must not be read."""
    lengths, indices = np.array([2, 1], dtype=np.uint32), np.array([1, 4, 2], dtype=np.uint32)
    counts = np.array([1, 3, 20], dtype=np.uint32)
    packed = []
    for edges in (np.full(8, 7, dtype=np.uint32)[:0], np.zeros(3, dtype=np.uint32)):
        data = np.zeros(64, dtype=np.uint8)
        used = int(kernels.pack_rows(lengths, indices, counts, edges, data))
        packed.append(data[:used].tobytes())
    assert packed[0] == packed[1]


def test_a_single_entry_has_its_edge() -> None:
    one = np.ones(1, dtype=np.uint32)
    data = np.zeros((2, 64), dtype=np.uint8)
    with_edge = kernels.pack_rows(one, one, 3 * one, 2 * one, data[0])
    without = kernels.pack_rows(one, one, 3 * one, one[:0], data[1])
    assert with_edge == without and data[0].tolist() != data[1].tolist()


def test_a_meeting_next_door_counts_once() -> None:
    ones = np.ones(2, dtype=np.int64)
    assert Margins(ones, ones, total=2, words=2).scale == 1


@pytest.mark.parametrize(("free", "notes"), [(10, 0), (9, 1)])
def test_little_disk_is_less_than_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, notes: int
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free))
    told: list[str] = []
    progress = Progress("none")
    monkeypatch.setattr(progress, "note", told.append)
    plan = SimpleNamespace(disk=6, work_disk=4)
    _warn_of_little_disk(tmp_path / "counts", plan, progress)  # type: ignore[arg-type]
    assert len(told) == notes


class Recorded(Progress):
    """Progress that keeps what each stage announced and what it made of it; a stage may come several times."""

    def __init__(self) -> None:
        super().__init__("none")
        self.stages: list[tuple[str, float | None]] = []
        self.steps: dict[str, list[float]] = {}

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        self.stages.append((name, total))
        steps = self.steps.setdefault(name, [])

        class Listed(Bar):
            def advance(self, amount: float, **facts: Any) -> None:
                steps.append(amount)

        yield Listed(name, total, unit)

    def note(self, text: str) -> None:
        pass

    def announced(self, name: str) -> float:
        return sum(total or 0 for stage, total in self.stages if stage == name)

    def made(self, name: str) -> float:
        return sum(self.steps[name])


RARE_LINES = [["a", "b", "c", "x"], ["b", "a", "y", "a"], ["c", "b", "z"]] * 2 + [["a", "p", "q"], ["r", "b"]]
"""a and b six times and more, c four times; x, y, z twice, p, q, r once."""


def rare_store(min_count: int = 3, **options: Any) -> Cooccurrence:
    return Cooccurrence.from_corpus(corpus_of(RARE_LINES, min_count), folder() / "counts", window=2, **options)


def slow_counts(store: Cooccurrence, *, near: bool = False) -> npt.NDArray[np.int64]:
    """The matrix over the vocabulary, the unknown symbol first, by the plain counter."""
    names = ["<unk>", *store.words]
    pairs = collapse(count_pairs(RARE_LINES, 1 if near else 2), set(store.words))
    return np.array([[pairs[x, y] for y in names] for x in names])


# ---- a store and what it gives ---------------------------------------------------------------------------------


def test_blocks_and_matrices_are_without_the_unknown_symbol_unless_it_is_asked_for() -> None:
    store = rare_store()
    whole = slow_counts(store)
    assert whole[0].any() and whole[1:, 1:].any()
    parts = store.ranges()
    assert parts == store.ranges(include_unknown=False) and all(first < last for _, first, last in parts)
    assert [parts[0][1], parts[-1][2]] == [1, store.vocabulary_size]
    blocks = [store.block(part) for part in parts]
    for found in (blocks, list(store.blocks())):
        assert [start for start, _, _ in found] == [0, *(end for _, end, _ in found[:-1])] and found[-1][1] == 3
        assert np.array_equal(np.vstack([block.toarray() for _, _, block in found]), whole[1:, 1:])
    with_unknown = store.ranges(include_unknown=True)
    assert with_unknown[0][1:] == (0, 1) and all(first < last for _, first, last in with_unknown)
    matrix = store.to_scipy()
    assert matrix.dtype == np.int64 and np.array_equal(matrix.toarray(), whole[1:, 1:])
    indptr, indices, data = store.csr()  # with it, as solvers want it
    assert np.array_equal(csr_array((data, indices, indptr)).toarray(), whole)
    ppmi = store.association("ppmi", dtype=np.float64).toarray()
    inner = whole[1:, 1:]
    with np.errstate(divide="ignore"):
        wanted = np.maximum(np.log(inner * inner.sum() / np.outer(inner.sum(axis=1), inner.sum(axis=0))), 0)
    np.testing.assert_allclose(ppmi, wanted)


def test_frequencies_and_margins_are_those_of_the_text() -> None:
    corpus = corpus_of(RARE_LINES, 3)
    store = rare_store()
    assert store.frequencies.tolist() == corpus.frequencies.tolist() and store.frequencies[0] == 9
    assert store.word_counts.tolist() == corpus.counts.tolist()
    whole = slow_counts(store)
    without, with_unknown = store.margins(), store.margins(include_unknown=True)
    assert (without.words, with_unknown.words) == (3, 4)
    for margins, n in ((without, whole[1:, 1:]), (with_unknown, whole)):
        assert margins.rows.tolist() == n.sum(axis=1).tolist()
        assert margins.columns.tolist() == n.sum(axis=0).tolist()
        assert margins.total == n.sum()


def test_columns_are_summed_over_words_of_the_vocabulary_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """In many shards, of which some have known words, some rare ones, and one has both."""
    lines = [[f"w{i}", f"w{i // 2}", "the"] for i in range(12) for _ in range(12 - i)]
    for entries in (4, 9, 30):
        monkeypatch.setattr("hyperdive.counts.shard_layout.SHARD_ENTRIES", entries)
        store = Cooccurrence.from_corpus(corpus_of(lines, 8), window=2, sides="right")
        matrix = store.to_scipy(include_unknown=True)
        assert len(store.shards) > 3 and store.vocabulary_size < len(store.word_counts) - 2
        assert store.margins(include_unknown=True).columns.tolist() == matrix.sum(axis=0).tolist()
        assert store.totals.tolist() == matrix.sum(axis=1).tolist()


def test_weighted_counts_are_given_in_meetings() -> None:
    """With a window of two a stored count of one meeting next door is 2."""
    store = Cooccurrence.from_corpus(corpus_of([["a", "b", "c"], ["a", "c"]]), window=2, weighting="harmonic")
    assert store.scale == 2
    assert store.row("a") == {"c": 1.5, "b": 1.0} and list(store.row("a")) == ["c", "b"]
    assert store.to_scipy()[[0], [1]].tolist() == [1.5]
    assert store.to_scipy().dtype == np.float64 and store.to_scipy(dtype=np.float32).dtype == np.float32
    assert store.csr().data.dtype == np.float32 and max(store.csr().data) == 1.5
    assert repr(store) == "<Cooccurrence of 3 words: 7 pairs of 6 kinds, window 2>"


def test_weighted_counts_beyond_32_bits_beside_smaller_ones() -> None:
    """Rows of rare words have 32 bits, those of frequent ones 64."""
    lines = [["a", "b"]] * 400 + [["c", "d"]]
    store = Cooccurrence.from_corpus(corpus_of(lines), window=18, weighting="harmonic")
    assert {shard.dtype.itemsize for shard in store.shards[1:]} == {4, 8}
    assert 400 * store.scale > 2**32
    assert store.csr().data.tolist() == [400.0, 400.0, 1.0, 1.0]


def test_the_strongest_ten_are_given_without_a_shift() -> None:
    lines = [["dog", *(f"w{i}" for i in range(k))] for k in range(2, 15)] + [["rare", "dog", "w0"]]
    store = Cooccurrence.from_corpus(corpus_of(lines, 1))
    assert len(store.top("dog", by="freq")) == 10 and len(store.top("dog", 11, by="freq")) == 11
    assert store.top("dog", by="is") == store.top("dog", by="is", k=1.0) != store.top("dog", by="is", k=2.0)
    known = Cooccurrence.from_corpus(corpus_of(lines, 2))
    matrix = known.association("ppmi", dtype=np.float64)
    numbers = {word: number for number, word in enumerate(known.words)}
    for word in ("dog", "w3"):
        top = dict(known.top(word, 99))
        row = matrix[[numbers[word]], :].toarray()[0]
        assert top == pytest.approx({known.words[i]: row[i] for i in np.flatnonzero(row)})


def test_a_temporary_store_is_not_waited_for_and_may_be_gone_already(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    runs: list[bool] = []
    honest = count_module.count

    def seen(*given: Any, run: Run, **options: Any) -> Any:
        runs.append(run.sync)
        return honest(*given, run=run, **options)

    monkeypatch.setattr(count_module, "count", seen)
    store = Cooccurrence.from_corpus(corpus_of([["a", "b"]]))
    Cooccurrence.from_corpus(corpus_of([["a", "b"]]), folder() / "counts")
    assert runs == [False, True]
    shutil.rmtree(store.path.parent)
    del store
    assert capfd.readouterr().err == ""


# ---- a store that somebody changed -----------------------------------------------------------------------------


def forged(store: Cooccurrence, change: Callable[[dict[str, Any]], Any] | None = None, **arrays: Any) -> Path:
    """The folder of a store with other arrays and another header, and checksums that fit."""
    for name, array in arrays.items():
        put_array(store.path, f"{name}.bin", array)
    reseal(store.path, change)
    return store.path


def test_a_word_has_fewer_than_two_to_the_48_tokens() -> None:
    for most, message in ((1 << 48, "do not fit together"), ((1 << 48) - 1, "")):
        store = rare_store()
        counts = store.word_counts.copy()
        counts[1] = most
        total = int(counts.sum())
        path = forged(store, lambda header, total=total: header["totals"].update(tokens=total), word_counts=counts)
        if message:
            with pytest.raises(FormatError, match=message):
                Cooccurrence.open(path)
        else:
            assert Cooccurrence.open(path).tokens == total


def _shards(header: dict[str, Any], place: int, field: int, value: Any) -> None:
    header["shards"][place][field] = value


HEADERS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "scale": (lambda h: h["totals"].update(scale=0), "do not fit together"),
    "min_count": (lambda h: h["parameters"].update(min_count=0), "do not fit together|vocabulary"),
    "no shards": (lambda h: h.update(shards=[]), "do not fit together"),
    "a gap": (lambda h: _shards(h, -1, 0, h["shards"][-1][0] + 1), "do not fit together"),
    "an empty shard": (lambda h: _shards(h, -1, 1, h["shards"][-1][0]), "do not fit together"),
    "not all words": (lambda h: _shards(h, -1, 1, h["shards"][-1][1] - 1), "do not fit together"),
    "no first row": (lambda h: _shards(h, 0, 0, 1), "do not fit together"),
    "half an entry": (lambda h: _shards(h, -1, 2, h["shards"][-1][2] + 0.5), "does not describe its shards"),
    "half a row": (lambda h: _shards(h, 0, 0, 0.5), "does not describe its shards"),
    "another type in front": (lambda h: _shards(h, 0, 3, "<f4"), "unknown number type"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_does_not_describe_its_store_is_refused(name: str) -> None:
    change, message = HEADERS[name]
    with pytest.raises(FormatError, match=message):
        Cooccurrence.open(forged(rare_store(), change))


@pytest.mark.parametrize("name", ["more columns", "unknown", "negative", "falls", "empty"])
def test_sums_and_pointers_that_cannot_be_are_refused(name: str) -> None:
    store = rare_store()
    totals, pointers = store._totals.copy(), store._pointers.copy()
    message = "do not fit together"
    if name == "more columns":
        totals = np.hstack([totals, np.zeros((3, 1), dtype=np.int64)])
    elif name == "unknown":
        totals[1, 2] = totals[0, 2] + 1
    elif name == "negative":
        totals[2, 1] = -1
    elif name == "falls":
        pointers[2] = pointers[1] - 1
    else:
        pointers, message = pointers[:0], "-1 entries, its header says"
    with pytest.raises(FormatError, match=message):
        Cooccurrence.open(forged(store, totals=totals, pointers=pointers))


@pytest.mark.parametrize(("most", "kind"), [(2**32 - 1, np.uint32), (2**32, np.float32)])
def test_counts_of_64_bits_are_narrowed_where_all_fit(most: int, kind: type[Any]) -> None:
    store = Cooccurrence.from_corpus(corpus_of([["a", "b"]]), folder() / "counts", window=1)
    number = len(store.shards) - 1
    name = store.shards[number].name
    assert store.shards[number].bound == 2
    (store.path / name).write_bytes(np.array([2, 1], "<u4").tobytes() + np.array([most, 7], "<u8").tobytes())
    wide = Cooccurrence.open(forged(store, lambda header: _shards(header, number, 3, "<u8")))
    assert wide.csr().data.tolist() == [float(most), 7.0] and wide.csr().data.dtype == kind
    assert wide.csr().indices.tolist() == [2, 1]
    nothing = wide.csr(filtered=PmiFilter(threshold=1e30, near=False))
    assert len(nothing.data) == 0 and nothing.data.dtype == np.uint32


def test_a_merge_looks_at_every_index_and_every_count() -> None:
    other = Cooccurrence.from_corpus(corpus_of([["b", "c", "d"]] * 4, 3), window=2)
    for place, value in ((0, None), (-1, 200)):  # an index of the first row beyond the vocabulary, a count of the last
        store = rare_store()
        shard = store.shards[place]
        path = store.path / shard.name
        data = bytearray(path.read_bytes())
        if value is None:
            last = 4 * (shard.bound - 1)
            data[last : last + 4] = np.uint32(store.vocabulary_size).tobytes()
        else:
            data[-(-4 * shard.bound // 8) * 8] = value
        path.write_bytes(data)
        changed = Cooccurrence.open(forged(store))
        with pytest.raises(FormatError, match="rows are not what its header says"):
            merge([changed, other], folder() / "merged", run=Run(sync=False))


# ---- counting --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("min_count", [1, 4])
def test_a_merge_of_stores_with_rare_words_is_one_run(near: bool, min_count: int) -> None:
    texts = RARE_LINES, [["x", "p", "a"], ["new", "b", "x"], ["only"]]
    corpora = [corpus_of(text, 3) for text in texts]
    stores = [Cooccurrence.from_corpus(corpus, folder() / "one", window=2, near=near) for corpus in corpora]
    seen = Recorded()
    merge(stores, folder() / "merged", min_count=min_count, run=Run(sync=False, progress=seen, threads=1))
    together = Cooccurrence.from_corpus(corpora, folder() / "counts", window=2, near=near, min_count=min_count)
    made = folder() / "merged"
    merge(stores, made, min_count=min_count, run=Run(sync=False, threads=2))
    assert files(made) == files(together.path)
    assert seen.made("renumbering") == seen.announced("renumbering") == 2 * len(together.shards)
    assert seen.made("merging") == seen.announced("merging") == len(together.shards)


@pytest.mark.parametrize("memory", [None, 10**10])
def test_memory_in_use_is_counted_where_memory_is_limited(monkeypatch: pytest.MonkeyPatch, memory: int | None) -> None:
    used: list[int] = []
    honest = count_module.make_plan, merge_module.plan_merge
    for module, name, plan in ((count_module, "make_plan", honest[0]), (merge_module, "plan_merge", honest[1])):
        monkeypatch.setattr(module, "anonymous_memory", lambda: 1000)
        monkeypatch.setattr(
            module, name, lambda *given, plan=plan, **more: used.append(more["used"]) or plan(*given, **more)
        )
    run = Run(memory=memory, sync=False)
    stores = [
        Cooccurrence.from_corpus(corpus_of(text), folder() / "counts", run=run) for text in ([["a", "b"]], [["c", "a"]])
    ]
    merge(stores, folder() / "merged", run=run)
    assert used == ([0] * 3 if memory is None else [1000 + 60 * 3, 1000 + 60 * 3, 1000 + 60 * 4])


@pytest.mark.parametrize("block_tokens", [None, 5])
def test_progress_of_a_count_ends_at_its_tokens(monkeypatch: pytest.MonkeyPatch, block_tokens: int | None) -> None:
    monkeypatch.setattr("hyperdive.counts.shard_layout.SHARD_ENTRIES", 9)
    corpus, seen = corpus_of(RARE_LINES, 3), Recorded()
    count([corpus], folder() / "counts", block_tokens=block_tokens, run=Run(sync=False, progress=seen))
    assert seen.made("counting") == seen.announced("counting") == len(corpus)
    assert all(step >= 0 for step in seen.steps["counting"])


def test_progress_of_a_resumed_count_has_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, place, seen = corpus_of(RARE_LINES, 3), folder() / "counts", Recorded()
    with monkeypatch.context() as patch:
        patch.setattr(count_module, "merge_runs", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            count([corpus], place, block_tokens=5, run=Run(sync=False))
    count([corpus], place, block_tokens=5, run=Run(sync=False, progress=seen))
    assert seen.made("counting") == seen.announced("counting") == len(corpus)
    blocks = -(-len(corpus) // 5)
    assert len(seen.steps["counting"]) == blocks and max(seen.steps["counting"]) == 5


@pytest.mark.parametrize(("runs", "levels"), [(16, 1), (17, 2)])
def test_sixteen_blocks_are_added_up_at_once(runs: int, levels: int) -> None:
    text, seen, place = [[f"w{i % 3}" for i in range(runs)]], Recorded(), folder() / "counts"
    count([corpus_of(text)], place, block_tokens=1, run=Run(sync=False, progress=seen))
    merging = [total for name, total in seen.stages if name == "merging"]
    shards = len(Cooccurrence.open(place).shards)
    assert merging == [2 * shards, shards][2 - levels :]
    assert seen.made("merging") == sum(merging)
    assert read(Cooccurrence.open(place)) == count_pairs(text, 10)


def test_the_header_has_the_figures_of_the_store() -> None:
    header = rare_store().header
    assert (header["format"], header["format_version"]) == ("hyperdive-counts", 1)
    counts = slow_counts(rare_store())
    named = Counter(word for line in RARE_LINES for word in line)
    pairs = count_pairs(RARE_LINES, 2)
    rare = {"x", "y", "z", "p", "q", "r"}
    unknown_row = {y for x, y in pairs if x in rare}
    entries = len(pairs) + len({"<unk>" if y in rare else y for y in unknown_row})
    assert header["totals"] == {
        "tokens": sum(named.values()), "types": len(named), "vocabulary": 4, "entries": entries,
        "pairs": int(counts.sum()), "scale": 1,
    }  # fmt: skip
    assert header["parameters"] == {
        "window": 2, "sides": "both", "weighting": "flat", "near": False, "min_count": 3,
    }  # fmt: skip


@pytest.mark.parametrize("place", [0, -1])
def test_shards_that_do_not_add_up_are_refused(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    """The row of the unknown symbol and those of rare words are the same meetings: both must have them all."""
    honest = count_module.finish

    def spoiled(job: Any, *given: Any, **more: Any) -> Any:
        shard = job.layout.shards[place]
        rows = job.work.rows(job.work.finished(shard.name), shard, with_edges=False)
        more_counts = rows.counts.copy()
        more_counts[-1] += 1
        indices = rows.indices.copy()
        job.work.write(shard.name, np.diff(rows.pointers), indices, more_counts, rows.edges.copy())
        return honest(job, *given, **more)

    monkeypatch.setattr(count_module, "finish", spoiled)
    with pytest.raises(FormatError, match="pairs were counted where the text has"):
        rare_store()


def test_a_corpus_whose_words_are_other_ones_is_refused() -> None:
    corpus = corpus_of([["a", "b"], ["a", "c"]])
    tokens = np.array(corpus.tokens)
    tokens[3] = tokens[1]
    put_array(corpus.path, "tokens.bin", tokens)
    with pytest.raises(FormatError, match="do not have the word counts it states"):
        count([Corpus.open(corpus.path)], folder() / "counts", run=Run(sync=False))


@pytest.mark.parametrize("others", [False, True])
def test_a_token_beyond_the_vocabulary_is_refused_before_it_is_an_address(others: bool) -> None:
    corpus = corpus_of([["a", "b"], ["a", "c"]])
    tokens = np.array(corpus.tokens)
    tokens[2] = len(corpus.counts)
    put_array(corpus.path, "tokens.bin", tokens)
    corpora = [Corpus.open(corpus.path, verify=False)] + ([corpus_of([["d"]])] if others else [])
    same = np.arange(5, dtype=np.uint32) if others else np.zeros(0, dtype=np.uint32)
    with pytest.raises(FormatError, match="beyond its 3 words"):
        load(corpora, [same] * 2, [TokenRange(0, 0, 4)], 5, CountOptions(), 1)


@pytest.mark.parametrize("place", [0, 3])
def test_a_table_that_leads_beyond_the_words_is_refused(place: int) -> None:
    corpus = corpus_of([["a", "b", "b", "c"]])
    table = np.arange(4, dtype=np.uint32)
    table[corpus.tokens[place]] = 4
    with pytest.raises(FormatError, match="beyond the vocabulary"):
        load([corpus], [table], [TokenRange(0, 0, 4)], 4, CountOptions(), 2)


@pytest.mark.parametrize(("window", "kind"), [(255, np.uint8), (256, np.uint16)])
def test_rooms_take_one_byte_while_the_window_fits(window: int, kind: type[Any]) -> None:
    corpus = corpus_of([["a", "b"] * 300])
    piece, options = TokenRange(0, 0, 600), CountOptions(window=window)
    block = load([corpus], [np.zeros(0, dtype=np.uint32)], [piece], 3, options, 1)
    assert block.left.dtype == block.right.dtype == kind
    assert int(block.left.max()) == int(block.right.max()) == window
    assert token_bytes(options) == 8 + 2 * np.dtype(kind).itemsize


def test_lines_are_counted_by_their_length() -> None:
    def lengths(corpus: Any) -> list[tuple[int, int]]:
        return [(int(a), int(b)) for a, b in zip(*line_lengths(corpus), strict=True)]

    flat = ["a", "b", "c"] * 4
    for size, expected in ((12, [(6, 2), (0, 0)]), (11, [(6, 1), (5, 1)]), (7, [(6, 1), (1, 1)])):
        assert lengths(corpus_of([flat[:size]], line_length=6)) == expected
    many = (1 << 20) + 2
    offsets = np.concatenate([np.arange(many - 1), [many, many + 3]])  # one word each, the last two 2 and 3
    long = SimpleNamespace(parameters={"line_length": "document"}, line_offsets=offsets)
    assert sorted(lengths(long)) == [(1, many - 2), (2, 1), (3, 1)]
    assert lengths(SimpleNamespace(parameters={"line_length": "document"}, line_offsets=np.array([0]))) == []


def test_nothing_is_said_of_a_disk_that_is_not_there() -> None:
    nowhere, plan = SimpleNamespace(absolute=lambda: Path("/").absolute()), SimpleNamespace(disk=6, work_disk=4)
    told: list[str] = []
    progress = Progress("none")
    progress.note = told.append  # type: ignore[method-assign]
    _warn_of_little_disk(nowhere, plan, progress)  # type: ignore[arg-type]
    assert told == []


# ---- pieces and rooms ------------------------------------------------------------------------------------------


def test_a_piece_without_edges_has_none(tmp_path: Path) -> None:
    for entries in (0, 1, 3):
        shard = Shard(0, 1, 2, entries, np.dtype("<u2"))
        ones = np.ones(entries, dtype="<u2")
        rows = RowArrays(np.array([entries]), np.arange(entries, dtype=np.uint32), ones, ones[:0])
        piece = write_piece(tmp_path, f"shards/{entries}.bin", rows)
        assert piece.entries == entries and piece.bytes == shard.bytes(entries, with_edges=False)
        indices, counts, edges = map_piece(tmp_path / piece.name, shard, entries, with_edges=False)
        assert (indices.tolist(), counts.tolist(), edges.tolist()) == (list(range(entries)), [1] * entries, [])
        assert (indices.dtype, counts.dtype) == (np.uint32, np.uint16)
        with pytest.raises(FormatError, match="the size does not fit"):
            map_piece(tmp_path / piece.name, shard, entries + 5, with_edges=False)


@pytest.mark.parametrize(("entries", "one", "two"), [(0, 0, 0), (1, 16, 24), (2, 16, 24), (3, 24, 32), (9, 56, 72)])
def test_parts_of_a_piece_are_padded_to_eight_bytes(entries: int, one: int, two: int) -> None:
    shard = Shard(0, 1, 2, entries, np.dtype("<u1"))
    assert (shard.bytes(entries, with_edges=False), shard.bytes(entries, with_edges=True)) == (one, two)
    assert Shard(0, 1, 2, 9, np.dtype("<u4")).bytes(entries, with_edges=True) == 3 * (-(-4 * entries // 8) * 8)


def test_a_piece_is_found_again_with_both_of_its_files(tmp_path: Path) -> None:
    ones = np.ones(3, dtype=np.uint8)
    names = ["shards/000001.bin", "shards/000002.bin", "shards/000003.bin", "shards/000004.bin"]
    work = PieceFolder(tmp_path / "counts", {"plan": 1})
    for name in names:
        piece = work.write(name, np.array([2, 1]), np.arange(3, dtype=np.uint32), ones, ones[:0])
    assert work.lengths(piece).tolist()[:2] == [2, 1]
    work.release()
    folder = tmp_path / ".counts.work"
    changed = bytearray((folder / f"{names[1]}.rows").read_bytes())
    changed[0] ^= 1
    (folder / f"{names[1]}.rows").write_bytes(changed)
    (folder / names[2]).write_bytes((folder / names[2]).read_bytes() + bytes(8))
    again = PieceFolder(tmp_path / "counts", {"plan": 1})
    assert [again.finished(name) is not None for name in names] == [True, False, False, True]
    assert again.resumed == 2
    again.move(piece, tmp_path / "a" / "b" / "last.bin")
    assert (tmp_path / "a" / "b" / "last.bin").stat().st_size == 24
    again.drop(names[3])  # its file has gone already
    again.drop(names[3])
    assert again.finished(names[3]) is None and not list((folder / "shards").glob("000004*"))
    again.remove()
    assert not folder.exists()


@pytest.mark.parametrize(("types", "words", "summary"), [(63, 1, 1), (64, 2, 1), (4095, 64, 1), (4096, 65, 2)])
@pytest.mark.parametrize("with_edges", [False, True])
def test_rooms_of_a_thread_are_as_large_as_its_shards(types: int, words: int, summary: int, with_edges: bool) -> None:
    layout = make_layout(np.concatenate([[0], np.full(types - 1, 3)]), 1, CountOptions(window=1))
    room = Buffers(layout, with_edges=with_edges)
    assert (len(room.bits), len(room.summary), len(room.indices)) == (words, summary, layout.largest + 1)
    assert layout.largest == 6 * (types - 1) and layout.widest == 1
    byte, word = np.dtype("<u1"), np.dtype("<u4")
    assert len(room.counts(byte)) == layout.largest + 1 and len(room.counts(word)) == (layout.largest + 1) // 4
    assert len(room.edges(byte)) == (layout.largest + 1 if with_edges else 0)
    counts, edges = room.scratch(byte)
    assert (len(counts), len(edges)) == (types, types if with_edges else 0)
    assert not counts.any() and room.scratch(byte)[0] is counts


def test_work_that_fails_is_waited_for() -> None:
    """A thread that still writes when the folder goes would bring it back."""
    ended = []

    def work(task: int) -> None:
        if task == 0:
            raise ZeroDivisionError
        time.sleep(0.2)
        ended.append(task)

    with pytest.raises(ZeroDivisionError), workers(2) as run:
        run(work, [1, 0])
    assert ended == [1]


def test_a_shard_has_at_most_two_to_the_22_entries() -> None:
    assert SHARD_ENTRIES == 4_194_304
    once = np.full(2 * 4_194_304 // 8, 4)  # eight entries each
    layout = make_layout(np.concatenate([[0], once]), 1, CountOptions(window=1))
    assert [(shard.first, shard.bound) for shard in layout.shards] == [(0, 0), (1, 1 << 22), (1 + (1 << 19), 1 << 22)]
    more = make_layout(np.concatenate([[0], once, [1]]), 1, CountOptions(window=1))
    assert [shard.bound for shard in more.shards] == [0, 1 << 22, 1 << 22, 2]
    assert (layout.largest, layout.widest, more.shard_of(1 << 19).number) == (1 << 22, 1, 1)
    assert more.shard_of((1 << 19) + 1).number == 2 and more.shard_of(0).number == 0


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_number_types_are_as_narrow_as_the_most_meetings_allow(bits: int) -> None:
    next_door = CountOptions(window=1, sides="right")
    for n, expected in ((2**bits - 1, bits), (2**bits, 2 * bits)):
        layout = make_layout(np.array([0, n, 1]), 1, next_door)
        assert layout.shards[1].dtype.itemsize == expected // 8
        assert layout.shards[-1].dtype.itemsize == 1
    weighted = CountOptions(window=2, sides="right", weighting="harmonic")
    for n, expected in ((2 ** (bits - 2) - 1, bits), (2 ** (bits - 2), 2 * bits)):  # two meetings of weight 2 each
        assert make_layout(np.array([0, n, 1]), 1, weighted).shards[1].dtype.itemsize == expected // 8


def test_the_widest_type_is_the_last_resort() -> None:
    layout = make_layout(np.array([0, 10**11, 5]), 1, CountOptions(window=20, weighting="harmonic"))
    assert [shard.dtype.itemsize for shard in layout.shards[1:]] == [8]
    rare = make_layout(np.array([0, 9, 3, 2]), 4, CountOptions(window=1))
    assert rare.vocabulary_size == 2 and rare.shards[0].bound == 2
    assert make_layout(np.array([0, 9, 1]), 4, CountOptions(window=1, sides="left")).shards[0].bound == 1


@pytest.mark.parametrize("window", [True, 2.5, 0, 65_536])
def test_a_window_is_a_whole_number_from_one_to_65535(window: Any) -> None:
    with pytest.raises(OptionError, match="window is"):
        CountOptions(window=window)
    assert [CountOptions(window=most).window for most in (1, 65_535)] == [1, 65_535]


def test_rules_of_counting_by_default_and_at_their_borders() -> None:
    assert asdict(CountOptions()) == {"window": 10, "sides": "both", "weighting": "flat", "near": False}
    assert CountOptions(window=20, weighting="harmonic").scale == 232_792_560
    with pytest.raises(OptionError, match="at most 20, not 21"):
        CountOptions(window=21, weighting="harmonic")
    with pytest.raises(OptionError, match="does not go with 1/distance"):
        CountOptions(weighting="harmonic", near=True)
    assert CountOptions(weighting="flat", near=True).near and not CountOptions().weights
    assert CountOptions(window=3, weighting="harmonic").weights == [0, 6, 3, 2]
    assert (CountOptions(window=3).reach, CountOptions(window=3, sides="left").reach) == (6, 3)
    for name in ("sides", "weighting"):
        with pytest.raises(OptionError, match=f"{name} is 'up'"):
            CountOptions(**{name: "up"})


@pytest.mark.parametrize("lengths", [[], [1], [2], [3, 1], [7, 4, 2]])
@pytest.mark.parametrize("window", [1, 2, 5])
def test_pairs_of_lines_are_those_of_the_plain_counter(lengths: list[int], window: int) -> None:
    lines = [list("abcdefgh")[:n] for n in lengths for _ in range(2)]
    many = np.array(lengths, dtype=np.int64), np.full(len(lengths), 2)
    for options in ({}, {"sides": "left"}, {"weighting": "harmonic"}):
        rules = CountOptions(window=window, **options)
        assert possible_pairs(rules, *many) == sum(count_pairs(lines, window, **options).values()) * rules.scale


# ---- packed rows -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "room"), [("<u1", 15), ("<u2", 17), ("<u4", 21), ("<u8", 31)])
def test_packed_rows_have_room_for_the_largest_numbers(kind: str, room: int) -> None:
    most = np.array([np.iinfo(kind).max if kind != "<u8" else 2**62], dtype=kind)
    rows = RowArrays(np.array([1]), np.array([2**32 - 1], np.uint32), most, most)
    packer = RowPacker()
    packed = bytes(packer.packed(rows))
    assert len(packed) <= len(packer._data) == room
    large = np.zeros(200, dtype=np.uint8)
    used = kernels.pack_rows(*rows, large)
    assert packed == np.array([1], "<u4").tobytes() + large[:used].tobytes()
    assert bytes(packer.packed(rows)) == packed and len(packer._data) == room


@pytest.mark.parametrize("near", [False, True])
def test_rows_of_no_piece_and_of_three_are_summed(tmp_path: Path, near: bool) -> None:
    work = WorkFolder(tmp_path / ".k.work", tmp_path / "k", "run")
    shards = Shard(0, 0, 1, 2, np.dtype("<u4")), Shard(1, 1, 4, 6, np.dtype("<u1"))
    together = RowSummation(work.folder, "run", shards, near)
    assert "_rooms" not in repr(together)
    with pytest.raises(TypeError):
        RowSummation(work.folder, "run", shards, near, [])  # type: ignore[call-arg]
    nothing = together(1, iter([]))
    assert (nothing["entries"], nothing["bytes"]) == (0, 0)
    assert (work.folder / "shards" / "000001.bin.rows").stat().st_size == 16  # three rows, padded
    counts = np.array([1, 2, 3, 4, 5, 6], "<u1")
    edges = np.array([0, 1, 0, 2, 1, 3], "<u1") if near else counts[:0]
    rows = RowArrays(np.array([2, 1, 3]), np.array([0, 4, 7, 1, 2, 3], np.uint32), counts, edges)
    facts = together(1, iter([bytes(RowPacker().packed(rows)) for _ in range(3)]))
    made = (work.folder / facts["name"]).read_bytes()
    parts = [rows.indices.tobytes(), bytes(3 * counts) + bytes(2), bytes(3 * edges) + bytes(2) if near else b""]
    assert made == b"".join(parts) and facts["entries"] == 6
    assert np.fromfile(work.folder / f"{facts['name']}.rows", "<u4").tolist() == [2, 1, 3, 0]


def test_tasks_are_as_many_as_places_to_run_them(tmp_path: Path) -> None:
    tasks: list[int] = []

    class Listed(LocalEngine):
        def exchange(self, folder: Path, emit: Any, blocks: Any, gather: Any, groups: Any) -> Any:
            tasks.extend(sum(piece.end - piece.start for piece in block) for block in blocks)
            return super().exchange(folder, emit, blocks, gather, groups)

    corpus, seen = corpus_of([["a", "b", "c", "d", "e"]] * 2), Recorded()
    run = Run(engine=Listed(3), sync=False, progress=seen)
    count([corpus], tmp_path / "counts", run=run)
    assert tasks == [4, 4, 2]
    shards = len(Cooccurrence.open(tmp_path / "counts").shards)
    assert seen.made("counting") == seen.announced("counting") == shards
    tasks.clear()
    count([corpus], tmp_path / "again", block_tokens=9, run=run)
    assert tasks == [9, 1] and files(tmp_path / "again") == files(tmp_path / "counts")


# ---- associations ----------------------------------------------------------------------------------------------


def test_an_association_of_no_words_is_empty() -> None:
    matrix = association_matrix(Cooccurrence.from_corpus(corpus_of([["a", "b"]], 5)))
    assert matrix.shape == (0, 0) and matrix.nnz == 0


def test_an_association_has_no_shift_unless_told() -> None:
    store = rare_store()
    for by in ("is", "shifted-pmi"):
        plain = store.association(by).toarray()
        assert np.array_equal(plain, association_matrix(store, by).toarray())
        assert np.array_equal(plain, association_matrix(store, by, k=1.0).toarray())
        assert not np.array_equal(plain, association_matrix(store, by, k=2.0).toarray())
        start, _, block = next(store.blocks())
        assert np.allclose(weigh(block, start, store.margins(), by).toarray(), plain[: block.shape[0]])
    assert np.array_equal(store.association().toarray(), store.association("ppmi").toarray())


@pytest.mark.parametrize(("beyond", "kind"), [(0, np.int32), (1, np.int64)])
def test_places_of_a_matrix_take_four_bytes_up_to_the_largest_number(
    monkeypatch: pytest.MonkeyPatch, beyond: int, kind: type[Any]
) -> None:
    store = rare_store()
    most = association_matrix(store, "freq").nnz - beyond

    class Small:
        """NumPy with a smaller largest number."""

        def __getattr__(self, name: str) -> Any:
            return (lambda _: SimpleNamespace(max=most)) if name == "iinfo" else getattr(np, name)

    monkeypatch.setattr(association_module, "np", Small())
    assert association_matrix(store, "freq").indices.dtype == kind


# ---- the PMI filter --------------------------------------------------------------------------------------------


def test_the_papers_filter_is_thirty_in_tokens() -> None:
    assert PmiFilter(threshold=30) == PAPER_FILTER and PAPER_FILTER.near
    assert PAPER_FILTER.as_parameters() == {"threshold": 30, "unit": "tokens", "near": True}


def test_the_ratio_reads_the_whole_window_of_counts_that_have_near_ones() -> None:
    near, plain = (rare_store(near=near) for near in (True, False))
    for threshold in (0.5, 1.0, 1.5):
        limit = PmiFilter(threshold=threshold, unit="ratio")
        assert np.array_equal(near.to_scipy(filtered=limit).toarray(), plain.to_scipy(filtered=limit).toarray())


def test_a_filter_in_tokens_counts_meetings_whatever_their_unit() -> None:
    """A meeting next door is stored as 2 here."""
    text = [["a", "b"], ["c", "a"], ["b", "c"], ["a", "b"]]
    weighted, flat = (
        Cooccurrence.from_corpus(corpus_of(text), window=2, weighting=weighting) for weighting in ("harmonic", "flat")
    )
    assert weighted.scale == 2
    for threshold in (0.5, 0.9, 1.7, 2.0, 4.0):
        limit = PmiFilter(threshold=threshold, near=False)
        found = weighted.to_scipy(filtered=limit).toarray()
        assert np.array_equal(found, flat.to_scipy(filtered=limit).toarray()), threshold
    border = 8 * 2 / (3 * 3)  # T·n / (n(a)·n(b))
    for factor, kept in ((1.0, 2), (1.0001, 0)):
        limit = PmiFilter(threshold=border * factor * (1 - 1e-12), near=False)
        assert weighted.to_scipy(filtered=limit)[[0], [1]].tolist() == [kept]


@pytest.mark.parametrize(("bound", "kind", "words"), [(7, "<u1", 1), (8, "<u1", 2), (8, "<u4", 5), (8, "<u8", 9)])
def test_rooms_of_sums_are_as_large_as_the_largest_shard(bound: int, kind: str, words: int) -> None:
    shards = Shard(0, 0, 1, bound, np.dtype(kind)), Shard(1, 1, 2, 1, np.dtype("<u1"))
    for with_edges in (False, True):
        room = _Room(shards, with_edges=with_edges)
        assert len(room._indices) > bound and len(room._counts) == words
        assert len(room._edges) == (words if with_edges else 0)
    nothing = room.nothing(shards[0])
    assert [len(part) for part in (nothing.pointers, nothing.indices, nothing.counts, nothing.edges)] == [2, 0, 0, 0]
