"""`Cooccurrence`: counts as a user holds them; `hyperdive.counts.store` describes their folder."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._checks import are_below, are_pointers
from hyperdive._resources import Run, check_threads
from hyperdive._spelling import unknown_word
from hyperdive._store import Artifact, header_fields
from hyperdive._types import Array, Ids, Ints
from hyperdive.counts.association import Margins, association_matrix, weigh
from hyperdive.counts.pmi_filter import FilterTerms, PmiFilter
from hyperdive.counts.rows import RANGE_ENTRIES, RowBlock, vocabulary_size
from hyperdive.counts.store import KIND, VERSION, Beside
from hyperdive.errors import FormatError, InputError
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus

MADE_WITH = "hyperdive count CORPUS -o COUNTS"
_DAMAGED = "the folder is damaged; create it again"
_LARGE = 255


class Csr(NamedTuple):
    """A sparse matrix as arrays: int64 pointers, int32 indices, uint32 counts (float32 when they are not integers)."""

    indptr: Ints
    indices: npt.NDArray[np.int32]
    data: npt.NDArray[Any]


class Cooccurrence:
    """Co-occurrence counts of all pairs of words.

    >>> from hyperdive.text.token_lists import encode_tokens
    >>> lines = [["dog", "bark"], ["dog", "bark", "cat"], ["cat", "sleep"]]
    >>> corpus = encode_tokens(lines, tempfile.mkdtemp() + "/corpus", min_count=1)
    >>> counts = Cooccurrence.from_corpus(corpus, window=10)
    >>> counts
    <Cooccurrence of 4 words: 10 pairs of 8 kinds, window 10>
    >>> counts.row("dog")
    {'bark': 2, 'cat': 1}
    >>> [(word, round(value, 2)) for word, value in counts.top("dog", by="ppmi")]
    [('bark', 0.8), ('cat', 0.11)]
    """

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self.path, self.header = artifact.path, artifact.header
        self.name = str(artifact.path)

    # ---- making and opening ---------------------------------------------------------------------------------

    @classmethod
    def from_corpus(
        cls,
        corpus: Corpus | str | Path | Sequence[Corpus | str | Path],
        output: str | Path | None = None,
        *,
        min_count: int | None = None,
        beside: Beside | None = None,
        run: Run = Run(),
        **options: Any,
    ) -> Cooccurrence:
        """Count one corpus, or several in one run.

        Args:
            corpus: encoded corpora, or their folders.
            output: where the store is kept; without it, in a temporary folder that goes with the object.
            min_count: words rarer than this read as the unknown symbol; None takes that of the corpora.
            beside: writes what the store carries beside its counts into its folder.
            run: threads, memory, progress, and whether an older store is replaced.
            options: those of `CountOptions`: `window`, `sides`, `weighting`, `near`.
        """
        from hyperdive.counts.count import count

        rules = CountOptions(**options)
        several = [corpus] if isinstance(corpus, Corpus | str | Path) else list(corpus)
        if not several:
            raise InputError("there is no corpus to count", hint=f"make one with: {MADE_WITH.split(' -o')[0]}")
        corpora = [part if isinstance(part, Corpus) else Corpus.open(part) for part in several]
        if output is not None:
            count(corpora, output, options=rules, min_count=min_count, beside=beside, run=run)
            return cls.open(output)
        folder = tempfile.mkdtemp(prefix="hyperdive-")
        try:
            count(corpora, Path(folder) / "counts", options=rules, min_count=min_count, beside=beside, run=run)
            counts = cls.open(Path(folder) / "counts")
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(counts, shutil.rmtree, folder, ignore_errors=True)
        return counts

    @classmethod
    def open(cls, path: str | Path) -> Cooccurrence:
        """Open a folder of counts; its small files are verified here, the rows before they are first used."""
        artifact = Artifact.open(path, KIND, VERSION, made_with=MADE_WITH)
        artifact.verify("words.txt", "word_counts.npy", "indptr.npy", "totals.npy")
        counts = cls(artifact)
        with header_fields(artifact.path):
            counts._check()
        return counts

    def _check(self) -> None:
        totals, types = self.header["totals"], len(self.word_counts)
        _ = self.options, self.has_near, self.fingerprint
        entries = self._artifact.shape("indices.npy")[0]
        wanted = {
            "tokens": int(self.word_counts.sum()),
            "types": types - 1,
            "vocabulary": vocabulary_size(self.word_counts, self.min_count),
            "entries": entries,
            "pairs": int(self._totals[0].sum()),
        }
        for name, value in wanted.items():
            if totals.get(name) != value:
                raise FormatError(
                    f"{self.path}: {value} {name}, its header says {totals.get(name)}", hint="count the corpus again"
                )
        rows, unknown, _ = self._totals
        fitting = (
            min(self.scale, self.min_count, types) >= 1
            and are_below(self.word_counts, 1 << 48)
            and len(self._pointers) == types + 1
            and are_pointers(self._pointers, entries)
            and self._totals.shape == (3, wanted["vocabulary"])
            and bool((unknown <= rows).all())
            and int(self._totals.min(initial=0)) >= 0
        )
        if not fitting:
            raise self._damaged()

    def _damaged(self) -> FormatError:
        return FormatError(f"{self.path}: its parts do not fit together", hint=_DAMAGED)

    # ---- what it was made with ------------------------------------------------------------------------------

    @property
    def options(self) -> CountOptions:
        """The rules of counting."""
        return CountOptions(**{key: value for key, value in self.header["parameters"].items() if key != "min_count"})

    @property
    def min_count(self) -> int:
        """Words rarer than this read as the unknown symbol."""
        return int(self.header["parameters"]["min_count"])

    @property
    def has_near(self) -> bool:
        """Whether counts inside window - 1 were kept."""
        return bool(self.header["parameters"]["near"])

    @property
    def scale(self) -> int:
        """Stored counts are in units of 1/scale."""
        return int(self.header["totals"]["scale"])

    @property
    def fingerprint(self) -> str:
        """Identity of the store."""
        return self._artifact.fingerprint

    def verify(self) -> None:
        """Compare every file with its checksum."""
        self._artifact.verify()

    # ---- words and sums -------------------------------------------------------------------------------------

    @cached_property
    def all_words(self) -> list[str]:
        """Every word by its number, rare ones too; the unknown symbol first."""
        words = self._artifact.lines("words.txt")
        if len(words) != len(self.word_counts):
            raise FormatError(
                f"{self.path}: {len(words)} words, {len(self.word_counts)} counts", hint="create it again"
            )
        return words

    @cached_property
    def word_counts(self) -> Ints:
        """How many tokens each word has, by its own number (index 0 is 0)."""
        return np.array(self._artifact.array("word_counts.npy", "int64"))

    @property
    def vocabulary_size(self) -> int:
        """|V|: words at or above the minimum count, plus the unknown symbol."""
        return int(self.header["totals"]["vocabulary"])

    @cached_property
    def words(self) -> list[str]:
        """The vocabulary without the unknown symbol: word i of this list has number i + 1."""
        return self.all_words[1 : self.vocabulary_size]

    @cached_property
    def word_ids(self) -> dict[str, int]:
        """Word → number for the vocabulary, without the unknown symbol."""
        return {word: number for number, word in enumerate(self.words, start=1)}

    @property
    def frequencies(self) -> Ints:
        """n(w) in tokens by number; the unknown symbol (0) has the sum of all rare words."""
        frequencies = self.word_counts[: self.vocabulary_size].copy()
        frequencies[0] = self.word_counts[self.vocabulary_size :].sum()
        return frequencies

    @property
    def tokens(self) -> int:
        """T: tokens of the corpus, the unknown symbol's too."""
        return int(self.header["totals"]["tokens"])

    @cached_property
    def _totals(self) -> Ints:
        return np.array(self._artifact.array("totals.npy", "int64", ndim=2))

    @cached_property
    def _pointers(self) -> Ints:
        return np.array(self._artifact.array("indptr.npy", "int64"))

    @property
    def totals(self) -> Ints:
        """#(x) by number, the unknown symbol counted as a row and as a context."""
        totals: Ints = self._totals[0]
        return totals

    @property
    def total(self) -> int:
        """|D|: the sum of all counts, the unknown symbol's too."""
        return int(self.header["totals"]["pairs"])

    def margins(self, *, include_unknown: bool = False) -> Margins:
        """#(x), #(c), |D| and |V| for associations; without the unknown symbol row i belongs to `words[i]`."""
        rows, unknown, columns = self._totals
        if include_unknown:
            return Margins(rows, columns, self.total, self.vocabulary_size, self.scale)
        with_unknown = self._row_of(0)
        columns = columns.copy()
        columns[with_unknown[0]] -= with_unknown[1]
        rows = (rows - unknown)[1:]
        return Margins(rows, columns[1:], int(rows.sum()), self.vocabulary_size - 1, self.scale)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.word_ids

    # ---- rows -----------------------------------------------------------------------------------------------

    def index(self, word: str) -> int:
        """The number of a word; an unknown one is an error with near spellings."""
        try:
            return self.word_ids[word]
        except (KeyError, TypeError):
            raise unknown_word(word, self.words, self.word_ids, "these counts") from None

    def row(self, word: str, *, near: bool = False) -> dict[str, int | float]:
        """The contexts of a word by falling count, without the unknown symbol; `near` counts inside window - 1."""
        indices, counts, edges = self._row_of(self.index(word))
        if near:
            if not self.has_near:
                raise InputError(
                    f"{self.name}: counts inside window - 1 were not kept", hint="count again with --set near=yes"
                )
            counts = counts - edges
        order = np.lexsort((indices, -counts))
        values = (counts / self.scale).tolist() if self.scale > 1 else counts.tolist()
        names = self.all_words
        return {names[indices[i]]: values[i] for i in order.tolist() if indices[i] and values[i]}

    def top(self, word: str, n: int = 10, *, by: str = "ppmi", k: float = 1.0) -> list[tuple[str, float]]:
        """The n contexts most strongly associated with a word."""
        from scipy.sparse import csr_array

        number = self.index(word)
        indices, counts, _ = self._row_of(number)
        known = indices > 0
        size = len(self)
        block = csr_array((counts[known], indices[known] - 1, [0, int(known.sum())]), shape=(1, size))
        values = weigh(block, number - 1, self.margins(), by, k=k)
        order = np.lexsort((values.indices, -values.data))[:n]
        return [(self.words[values.indices[i]], float(values.data[i])) for i in order.tolist()]

    def _row_of(self, number: int) -> tuple[Ints, Ints, Ints]:
        """Indices, counts and edges of one row over the vocabulary, the unknown symbol included."""
        row, edges = self._view([(number, number + 1)], with_edges=self.has_near)
        return row.indices.astype(np.int64), row.data.astype(np.int64), edges.astype(np.int64)

    # ---- rows as stored -------------------------------------------------------------------------------------

    @cached_property
    def _stored(self) -> tuple[RowBlock, Ints]:
        """All rows, mapped, and the places of large counts; both are only looked at through `_rows`."""
        array, entries = self._artifact.array, int(self._pointers[-1])
        positions: Any = array("large_positions.npy", "int64")
        indices, counts = array("indices.npy", "uint32"), array("counts.npy", "uint8")
        large = array("large_counts.npy", "uint64")
        edges, large_edges = np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.uint64)
        if self.has_near:
            edges, large_edges = array("edges.npy", "uint8"), array("large_edges.npy", "uint64")
        fitting = len(counts) == entries and len(large) == len(positions)
        fitting = fitting and (not self.has_near or (len(edges) == entries and len(large_edges) == len(large)))
        if not fitting or not bool((positions[1:] > positions[:-1]).all()):
            raise self._damaged()
        return RowBlock(self._pointers, indices, counts, edges, large, large_edges), positions

    def _rows(self, first: int, last: int) -> RowBlock:
        """Rows first to last as stored, checked: compiled loops read them."""
        from hyperdive.kernels.counts import check_rows

        whole, positions = self._stored
        pointers = self._pointers[first : last + 1]
        here = slice(int(pointers[0]), int(pointers[-1]))
        lists = slice(*np.searchsorted(positions, [here.start, here.stop]).tolist())
        rows = RowBlock(
            pointers - here.start, whole.indices[here], whole.counts[here], whole.edges[here], whole.large[lists],
            whole.large_edges[lists],
        ).frozen()  # fmt: skip
        places = np.asarray(positions[lists] - here.start)
        places.flags.writeable = False
        size = self.vocabulary_size if last == 1 else len(self.word_counts)
        if not check_rows(*rows[:4], places, *rows[4:], size):
            raise FormatError(f"{self.path}: rows {first} to {last - 1} are damaged", hint="count the corpus again")
        return rows

    def check_rows(self) -> None:
        """Check every index and every count."""
        for first, last in self._ranges(0, len(self.word_counts)):
            self._rows(first, last)

    def rows_of(self, numbers: Ints) -> tuple[Ints, Ids, Array, Array]:
        """Rows in any order, of words that are rare too, once all are checked; number 0 stands for an empty row.

        Pointers, indices, and counts and edges in 64 bits.
        """
        whole, positions = self._stored
        lengths = np.where(numbers > 0, self._pointers[numbers + 1] - self._pointers[numbers], 0)
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self._pointers[numbers] - pointers[:-1], lengths) + np.arange(pointers[-1])
        counts, edges = whole.counts[places].astype(np.uint64), np.zeros(0, dtype=np.uint64)
        large = np.flatnonzero(counts == _LARGE)
        listed = np.searchsorted(positions, places[large])
        counts[large] = whole.large[listed]
        if self.has_near:
            edges = whole.edges[places].astype(np.uint64)
            edges[large] = whole.large_edges[listed]
        return pointers, whole.indices[places], counts, edges

    # ---- rows over the vocabulary ---------------------------------------------------------------------------

    def _ranges(self, first: int, last: int) -> list[tuple[int, int]]:
        """Rows first to last in ranges of about equally many entries; the unknown symbol's row by itself."""
        at = np.arange(0, int(self._pointers[last]), RANGE_ENTRIES)
        borders = np.searchsorted(self._pointers, at, side="right") - 1
        borders = np.unique(np.concatenate([[first, last, 1], borders]).clip(first, last))
        return list(pairwise(borders.tolist()))

    def ranges(self, *, include_unknown: bool = False) -> list[tuple[int, int]]:
        """The row blocks of the vocabulary: the first word number, and the number after the last."""
        return self._ranges(0 if include_unknown else 1, self.vocabulary_size)

    @cached_property
    def _count_type(self) -> Any:
        """The type that holds every count, and the sum of the rare contexts of a word."""
        most = max(int(self._stored[0].large.max(initial=0)), int(self._totals[1].max(initial=0)))
        return np.uint32 if most <= np.iinfo(np.uint32).max else np.uint64

    def _view(
        self,
        ranges: Sequence[tuple[int, int]],
        *,
        include_unknown: bool = True,
        filtered: PmiFilter | None = None,
        with_edges: bool = False,
        threads: int = 1,
    ) -> tuple[Csr, Array]:
        """The rows of consecutive ranges over the vocabulary in stored units, and their edges when wanted."""
        from hyperdive.kernels.counts import view_lengths, view_rows

        nothing = np.zeros(self.vocabulary_size)
        limits = FilterTerms(0.0, 0.0, nothing, nothing, False)
        if filtered is not None:
            limits = filtered.terms(self, include_unknown=include_unknown)
        rules = np.uint32(self.vocabulary_size), include_unknown, filtered is not None, limits.near
        values = limits.left, limits.right, limits.a, limits.b
        start = ranges[0][0]
        pointers = np.zeros(ranges[-1][1] - start + 1, dtype=np.int64)
        _ = self._stored  # threads would map the files twice

        def measure(part: tuple[int, int]) -> None:
            first, last = part
            view_lengths(*self._rows(*part), first, *rules, *values, pointers[first - start + 1 : last - start + 1])

        with ThreadPoolExecutor(threads) as pool:
            run = pool.map if threads > 1 else map
            list(run(measure, ranges))
            np.cumsum(pointers, out=pointers)
            indices = np.empty(int(pointers[-1]), dtype=np.int32)
            data = np.empty(len(indices), dtype=self._count_type)
            edges = np.empty(len(indices) if with_edges else 0, dtype=self._count_type)

            def fill(part: tuple[int, int]) -> None:
                first, last = part
                places = pointers[first - start : last - start]
                view_rows(*self._rows(*part), first, *rules, *values, places, indices, data, edges)

            list(run(fill, ranges))
        return Csr(pointers, indices, data), edges

    def block(
        self, part: tuple[int, int], *, include_unknown: bool = False, filtered: PmiFilter | None = None
    ) -> tuple[int, int, Any]:
        """One of the `ranges`: first row, end, and CSR of int64 counts in stored units."""
        from scipy.sparse import csr_array

        shift = 0 if include_unknown else 1
        rows, _ = self._view([part], include_unknown=include_unknown, filtered=filtered)
        shape = (part[1] - part[0], self.vocabulary_size - shift)
        block = csr_array((rows.data.astype(np.int64), rows.indices, rows.indptr), shape=shape)
        return part[0] - shift, part[1] - shift, block

    def blocks(
        self, *, include_unknown: bool = False, filtered: PmiFilter | None = None
    ) -> Iterator[tuple[int, int, Any]]:
        """Row blocks of the matrix over the vocabulary, one at a time.

        Without the unknown symbol rows and columns are those of `words`; with it they are word numbers.
        """
        for part in self.ranges(include_unknown=include_unknown):
            yield self.block(part, include_unknown=include_unknown, filtered=filtered)

    def csr(
        self, *, filtered: PmiFilter | None = None, include_unknown: bool = True, threads: int | None = None
    ) -> Csr:
        """The matrix over the vocabulary in memory, compiled and threaded; counts that pass the filter only."""
        ranges = self.ranges(include_unknown=include_unknown)
        if not ranges:
            return Csr(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint32))
        whole, _ = self._view(
            ranges, include_unknown=include_unknown, filtered=filtered, threads=check_threads(threads)
        )
        data = whole.data
        if self.scale > 1:
            data = np.divide(data.astype(np.float64), self.scale).astype(np.float32)
        elif data.dtype == np.uint64:
            data = data.astype(np.uint32 if int(data.max(initial=0)) <= np.iinfo(np.uint32).max else np.float32)
        return whole._replace(data=data)

    def to_scipy(
        self, *, include_unknown: bool = False, filtered: PmiFilter | None = None, dtype: Any = np.int64
    ) -> Any:
        """The matrix as a `scipy.sparse.csr_array`; weighted counts come as floats."""
        from scipy.sparse import csr_array

        size = self.vocabulary_size - (0 if include_unknown else 1)
        ranges = self.ranges(include_unknown=include_unknown)
        if not ranges:
            return csr_array((0, 0), dtype=dtype)
        whole, _ = self._view(ranges, include_unknown=include_unknown, filtered=filtered)
        data = whole.data
        if self.scale > 1:
            data = np.divide(data.astype(np.float64), self.scale)
            dtype = np.float64 if np.issubdtype(dtype, np.integer) else dtype
        return csr_array((data.astype(dtype), whole.indices, whole.indptr), shape=(size, size))

    def association(self, by: str = "ppmi", *, k: float = 1.0, include_unknown: bool = False, **options: Any) -> Any:
        """The matrix of an association (see `hyperdive.counts.association`) as CSR."""
        return association_matrix(self, by, k=k, include_unknown=include_unknown, **options)

    def __repr__(self) -> str:
        entries, pairs = (int(self.header["totals"][name]) for name in ("entries", "pairs"))
        pairs = pairs // self.scale
        return f"<Cooccurrence of {len(self)} words: {pairs} pairs of {entries} kinds, window {self.options.window}>"
