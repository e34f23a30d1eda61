"""Borders and defaults of counting where a `<` for a `<=`, or a number more, would show."""

from __future__ import annotations

import shutil
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
from hyperdive.counts import association as association_module
from hyperdive.counts import count as count_module
from hyperdive.counts.association import Margins, association_matrix, weigh
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import count, possible_pairs
from hyperdive.counts.inverted_index import TokenRange, line_lengths, load
from hyperdive.counts.merge import merge
from hyperdive.counts.pmi_filter import PAPER_FILTER, PmiFilter
from hyperdive.engines import LocalEngine
from hyperdive.errors import FormatError, OptionError
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus

from .reference import collapse, corpus_of, count_pairs, files, folder


def test_a_meeting_next_door_counts_once() -> None:
    ones = np.ones(2, dtype=np.int64)
    assert Margins(ones, ones, total=2, words=2).scale == 1


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
    assert parts == store.ranges(include_unknown=False) and all(first < last for first, last in parts)
    assert [parts[0][0], parts[-1][1]] == [1, store.vocabulary_size]
    blocks = [store.block(part) for part in parts]
    for found in (blocks, list(store.blocks())):
        assert [start for start, _, _ in found] == [0, *(end for _, end, _ in found[:-1])] and found[-1][1] == 3
        assert np.array_equal(np.vstack([block.toarray() for _, _, block in found]), whole[1:, 1:])
    with_unknown = store.ranges(include_unknown=True)
    assert with_unknown[0] == (0, 1) and all(first < last for first, last in with_unknown)
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
    """In many ranges, of which some have known words, some rare ones, and one has both."""
    lines = [[f"w{i}", f"w{i // 2}", "the"] for i in range(12) for _ in range(12 - i)]
    for entries in (4, 9, 30):
        monkeypatch.setattr("hyperdive.counts.rows.RANGE_ENTRIES", entries)
        store = Cooccurrence.from_corpus(corpus_of(lines, 8), window=2, sides="right")
        matrix = store.to_scipy(include_unknown=True)
        assert store.vocabulary_size < len(store.word_counts) - 2
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
    lines = [["a", "b"]] * 400 + [["c", "d"]]
    store = Cooccurrence.from_corpus(corpus_of(lines), window=18, weighting="harmonic")
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


def test_a_temporary_store_may_be_gone_already(capfd: pytest.CaptureFixture[str]) -> None:
    store = Cooccurrence.from_corpus(corpus_of([["a", "b"]]))
    shutil.rmtree(store.path.parent)
    del store
    assert capfd.readouterr().err == ""


# ---- a store that somebody changed -----------------------------------------------------------------------------


def forged(store: Cooccurrence, change: Callable[[dict[str, Any]], Any] | None = None, **arrays: Any) -> Path:
    """The folder of a store with other arrays and another header, and checksums that fit."""
    for name, array in arrays.items():
        put_array(store.path, f"{name}.npy", array)
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


HEADERS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "scale": (lambda h: h["totals"].update(scale=0), "do not fit together"),
    "min_count": (lambda h: h["parameters"].update(min_count=0), "do not fit together|vocabulary"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_does_not_describe_its_store_is_refused(name: str) -> None:
    change, message = HEADERS[name]
    with pytest.raises(FormatError, match=message):
        Cooccurrence.open(forged(rare_store(), change))


@pytest.mark.parametrize("name", ["more columns", "unknown", "negative"])
def test_sums_that_cannot_be_are_refused(name: str) -> None:
    store = rare_store()
    totals = store._totals.copy()
    if name == "more columns":
        totals = np.hstack([totals, np.zeros((3, 1), dtype=np.int64)])
    elif name == "unknown":
        totals[1, 2] = totals[0, 2] + 1
    else:
        totals[2, 1] = -1
    with pytest.raises(FormatError, match="do not fit together"):
        Cooccurrence.open(forged(store, totals=totals))


@pytest.mark.parametrize(("most", "kind"), [(2**32 - 1, np.uint32), (2**32, np.float32)])
def test_counts_of_64_bits_are_narrowed_where_all_fit(most: int, kind: type[Any]) -> None:
    store = Cooccurrence.from_corpus(corpus_of([["a", "b"]] * 300), folder() / "counts", window=1)
    wide = Cooccurrence.open(forged(store, large_counts=np.array([most, 300], dtype=np.uint64)))
    assert wide.csr().data.tolist() == [float(most), 300.0] and wide.csr().data.dtype == kind
    assert wide.csr().indices.tolist() == [2, 1]
    nothing = wide.csr(filtered=PmiFilter(threshold=1e30, near=False))
    assert len(nothing.data) == 0 and nothing.data.dtype == np.uint32


def test_a_merge_looks_at_every_index_and_every_count() -> None:
    other = Cooccurrence.from_corpus(corpus_of([["b", "c", "d"]] * 4, 3), window=2)
    for name, place, value, message in (
        ("indices", -1, 10**6, "rows .* are damaged"), ("counts", -1, 200, "pairs were counted where"),
        ("indices", 0, 5, "rows 0 to 0 are damaged"),
    ):  # fmt: skip
        store = rare_store()
        array = np.array(store._artifact.array(f"{name}.npy"))
        array[place] = value
        changed = Cooccurrence.open(forged(store, **{name: array}))
        with pytest.raises(FormatError, match=message):
            merge([changed, other], folder() / "merged", run=Run())


# ---- counting --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("min_count", [1, 4])
def test_a_merge_of_stores_with_rare_words_is_one_run(near: bool, min_count: int) -> None:
    texts = RARE_LINES, [["x", "p", "a"], ["new", "b", "x"], ["only"]]
    corpora = [corpus_of(text, 3) for text in texts]
    stores = [Cooccurrence.from_corpus(corpus, folder() / "one", window=2, near=near) for corpus in corpora]
    seen = Recorded()
    merge(stores, folder() / "merged", min_count=min_count, run=Run(progress=seen, threads=1))
    together = Cooccurrence.from_corpus(corpora, folder() / "counts", window=2, near=near, min_count=min_count)
    made = folder() / "merged"
    merge(stores, made, min_count=min_count, run=Run(threads=2))
    assert files(made) == files(together.path)
    assert seen.made("merging") == seen.announced("merging") > 0


@pytest.mark.parametrize("block_tokens", [None, 5])
def test_progress_of_a_count_ends_at_its_parts(monkeypatch: pytest.MonkeyPatch, block_tokens: int | None) -> None:
    monkeypatch.setattr("hyperdive.counts.rows.RANGE_ENTRIES", 9)
    corpus, seen = corpus_of(RARE_LINES, 3), Recorded()
    count([corpus], folder() / "counts", block_tokens=block_tokens, run=Run(progress=seen))
    assert seen.made("counting") == seen.announced("counting") > 5


def test_the_header_has_the_figures_of_the_store() -> None:
    header = rare_store().header
    assert (header["format"], header["format_version"]) == ("hyperdive-counts", 2)
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
def test_rows_that_do_not_add_up_are_refused(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    """The row of the unknown symbol and those of rare words are the same meetings: both must have them all."""
    honest = count_module.write_counts

    def spoiled(output: Path, content: Any, blocks: Any, **more: Any) -> Any:
        made = list(blocks)
        made[place][1].counts[-1] += 1
        return honest(output, content, iter(made), **more)

    monkeypatch.setattr(count_module, "write_counts", spoiled)
    with pytest.raises(FormatError, match="pairs were counted where the text has"):
        rare_store()


def test_a_corpus_whose_words_are_other_ones_is_refused() -> None:
    corpus = corpus_of([["a", "b"], ["a", "c"]])
    tokens = np.array(corpus.tokens)
    tokens[3] = tokens[1]
    put_array(corpus.path, "tokens.bin", tokens)
    with pytest.raises(FormatError, match="do not have the word counts it states"):
        count([Corpus.open(corpus.path)], folder() / "counts", run=Run())


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


def test_tasks_of_a_cluster_are_as_many_as_its_places(tmp_path: Path) -> None:
    tasks: list[int] = []

    class Listed(LocalEngine):
        in_process = False

        def exchange(self, folder: Path, exchange: Any, blocks: Any, advance: Any) -> Any:
            tasks.extend(sum(piece.end - piece.start for piece in block) for block in blocks)
            return super().exchange(folder, exchange, blocks, advance)

    corpus, seen = corpus_of([["a", "b", "c", "d", "e"]] * 2), Recorded()
    run = Run(engine=Listed(3), progress=seen)
    count([corpus], tmp_path / "counts", run=run)
    assert tasks == [4, 4, 2]
    assert seen.made("counting") == seen.announced("counting")
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
