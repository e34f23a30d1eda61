"""`Cooccurrence`: the count store as a user holds it.

Folder (format `hyperdive-counts`, version 1):

| file | content |
| --- | --- |
| `words.txt`, `word_counts.bin` | every word by its number (the unknown symbol first), and its int64 number of tokens |
| `pointers.bin` | int64, where each row starts among all entries, plus the end |
| `totals.bin` | int64, three rows over the vocabulary: row sums, what of them is the unknown symbol, column sums |
| `shards/NNNNNN.bin` | rows: uint32 indices, then counts, then (with `near`) the counts at distance window exactly |

Row r holds the contexts of word r by their own numbers, rare words too, so that counts of several corpora can be added
and the minimum count applied afterwards; row 0 holds those of the unknown symbol. Readers see the vocabulary: rare
contexts, the last of each row, are summed into the unknown symbol.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._checks import are_below, are_pointers
from hyperdive._resources import Run, check_threads
from hyperdive._spelling import unknown_word
from hyperdive._store import HEADER, Artifact, header_fields
from hyperdive._types import Ints
from hyperdive.counts.association import Margins, association_matrix, weigh
from hyperdive.counts.pmi_filter import FilterTerms, PmiFilter
from hyperdive.counts.shard_layout import COUNT_TYPES, Shard, ShardLayout, vocabulary_size
from hyperdive.counts.shards import RowBlock, map_piece
from hyperdive.counts.store_writer import KIND, VERSION, Beside
from hyperdive.errors import FormatError, InputError
from hyperdive.options import CountOptions
from hyperdive.text.corpus import Corpus

MADE_WITH = "hyperdive count CORPUS -o COUNTS"
_DAMAGED = "the folder is damaged; create it again"


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
            unsafe = replace(run, sync=False)
            count(corpora, Path(folder) / "counts", options=rules, min_count=min_count, beside=beside, run=unsafe)
            counts = cls.open(Path(folder) / "counts")
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(counts, shutil.rmtree, folder, ignore_errors=True)
        return counts

    @classmethod
    def open(cls, path: str | Path) -> Cooccurrence:
        """Open a count store; its small files are verified here, each shard before it is first used."""
        artifact = Artifact.open(path, KIND, VERSION, made_with=MADE_WITH)
        artifact.verify("words.txt", "word_counts.bin", "pointers.bin", "totals.bin")
        counts = cls(artifact)
        with header_fields(artifact.path):
            counts._check()
        return counts

    def _check(self) -> None:
        totals, types = self.header["totals"], len(self.word_counts)
        shards = self._layout.shards
        _ = self.options, self.has_near, self.fingerprint
        if self.scale < 1 or self.min_count < 1 or types == 0 or not shards or not are_below(self.word_counts, 1 << 48):
            raise FormatError(f"{self.path}: its parts do not fit together", hint=_DAMAGED)
        wanted = {
            "tokens": int(self.word_counts.sum()),
            "types": types - 1,
            "vocabulary": vocabulary_size(self.word_counts, self.min_count),
            "entries": int(self._pointers[-1]) if len(self._pointers) else -1,
            "pairs": int(self._totals[0].sum()),
        }
        for name, value in wanted.items():
            if totals.get(name) != value:
                raise FormatError(
                    f"{self.path}: {value} {name}, its header says {totals.get(name)}", hint="count the corpus again"
                )
        borders = [shard.first for shard in shards] + [types]
        whole = shards[0].first == 0 and all(
            shard.first < shard.last == last for shard, last in zip(shards, borders[1:], strict=True)
        )
        pointers = self._pointers
        rising = len(pointers) == types + 1 and are_pointers(pointers, wanted["entries"])
        rows, unknown, _ = self._totals
        whole = whole and self._totals.shape == (3, wanted["vocabulary"]) and bool((unknown <= rows).all())
        if not (whole and rising) or int(self._totals.min(initial=0)) < 0:
            raise FormatError(f"{self.path}: its parts do not fit together", hint=_DAMAGED)

    @cached_property
    def _layout(self) -> ShardLayout:
        if any(kind not in COUNT_TYPES for _, _, _, kind in self.header["shards"]):
            raise FormatError(f"{self.path}: a shard has an unknown number type", hint="count the corpus again")
        if not all(
            isinstance(number, int)
            for first, last, entries, _ in self.header["shards"]
            for number in (first, last, entries)
        ):
            raise FormatError(f"{self.path}: {HEADER} does not describe its shards", hint=_DAMAGED)
        shards = tuple(
            Shard(number, first, last, entries, np.dtype(kind))
            for number, (first, last, entries, kind) in enumerate(self.header["shards"])
        )
        return ShardLayout(shards, self.word_counts, int(self.header["totals"]["vocabulary"]))

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
        return np.array(self._artifact.array("word_counts.bin", "int64"))

    @property
    def vocabulary_size(self) -> int:
        """|V|: words at or above the minimum count, plus the unknown symbol."""
        return self._layout.vocabulary_size

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
        return np.array(self._artifact.array("totals.bin", "int64", ndim=2))

    @cached_property
    def _pointers(self) -> Ints:
        return np.array(self._artifact.array("pointers.bin", "int64"))

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
        shard = self._layout.shard_of(number)
        csr, edges = self._view(shard, number, number + 1, include_unknown=True, terms=None, with_edges=self.has_near)
        return csr.indices.astype(np.int64), csr.data, edges

    def shard_rows(self, shard: Shard) -> RowBlock:
        """All rows of a shard as stored, verified once."""
        file = self._artifact.file(shard.name)  # two threads at once would both verify: slower, never wrong
        pointers = self._pointers[shard.first : shard.last + 1]
        pointers = pointers - pointers[0]
        if pointers[-1] != shard.bound:
            raise FormatError(
                f"{self.path}: {shard.name} does not have the entries of its rows", hint="create it again"
            )
        return RowBlock(pointers, *map_piece(file, shard, shard.bound, with_edges=self.has_near))

    @property
    def shards(self) -> tuple[Shard, ...]:
        """All shards of the store."""
        return self._layout.shards

    def _view(
        self,
        shard: Shard,
        first: int,
        last: int,
        *,
        include_unknown: bool,
        terms: FilterTerms | None,
        with_edges: bool = False,
    ) -> tuple[Csr, npt.NDArray[Any]]:
        """RowBlock first..last of a shard over the vocabulary, and their edges when wanted."""
        lengths = self._view_lengths(shard, first, last, include_unknown=include_unknown, terms=terms)
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        indices = np.empty(int(pointers[-1]), dtype=np.int32)
        # wide enough to compute with: stored types only just hold the counts
        data = np.empty(len(indices), dtype=np.int64)
        edges = np.empty(len(indices) if with_edges else 0, dtype=np.int64)
        arguments = self._arguments(shard, first, last, include_unknown, terms)
        self._fill(arguments, pointers[:-1], indices, data, edges)
        return Csr(pointers, indices, data), edges

    def _arguments(
        self, shard: Shard, first: int, last: int, include_unknown: bool, terms: FilterTerms | None
    ) -> tuple[Any, ...]:
        rows = self.shard_rows(shard)
        nothing = np.zeros(self.vocabulary_size)
        limits = terms or FilterTerms(0.0, 0.0, nothing, nothing, False)
        return (
            rows.pointers[first - shard.first : last - shard.first + 1], rows.indices, rows.counts, rows.edges, first,
            np.uint32(self.vocabulary_size), include_unknown, terms is not None, limits.near, limits.left, limits.right,
            limits.a, limits.b,
        )  # fmt: skip

    def _view_lengths(
        self, shard: Shard, first: int, last: int, *, include_unknown: bool, terms: FilterTerms | None
    ) -> Ints:
        from hyperdive.kernels import counts as kernels

        lengths = np.empty(last - first, dtype=np.int64)
        arguments: tuple[Any, ...] = (*self._arguments(shard, first, last, include_unknown, terms), lengths)
        kernels.view_lengths(*arguments)
        return lengths

    @staticmethod
    def _fill(arguments: tuple[Any, ...], places: Ints, indices: Any, data: Any, edges: Any) -> None:
        from hyperdive.kernels import counts as kernels

        kernel: Any = kernels.view_rows
        kernel(*arguments, places, indices, data, edges)

    # ---- the whole matrix -----------------------------------------------------------------------------------

    def ranges(self, *, include_unknown: bool = False) -> list[tuple[Shard, int, int]]:
        """The row blocks of the vocabulary: shard, first word number, and the number after the last."""
        size, least = self.vocabulary_size, 0 if include_unknown else 1
        cut = [(shard, max(shard.first, least), min(shard.last, size)) for shard in self.shards]
        return [(shard, first, last) for shard, first, last in cut if first < last]

    def block(
        self, part: tuple[Shard, int, int], *, include_unknown: bool = False, terms: FilterTerms | None = None
    ) -> tuple[int, int, Any]:
        """One of the `ranges`: first row, end, and CSR of int64 counts in stored units."""
        from scipy.sparse import csr_array

        shard, first, last = part
        shift = 0 if include_unknown else 1
        csr, _ = self._view(shard, first, last, include_unknown=include_unknown, terms=terms)
        block = csr_array((csr.data, csr.indices, csr.indptr), shape=(last - first, self.vocabulary_size - shift))
        return first - shift, last - shift, block

    def blocks(
        self, *, include_unknown: bool = False, filtered: PmiFilter | None = None
    ) -> Iterator[tuple[int, int, Any]]:
        """Row blocks of the matrix over the vocabulary, one at a time.

        Without the unknown symbol rows and columns are those of `words`; with it they are word numbers.
        """
        terms = None if filtered is None else filtered.terms(self, include_unknown=include_unknown)
        for part in self.ranges(include_unknown=include_unknown):
            yield self.block(part, include_unknown=include_unknown, terms=terms)

    def csr(
        self, *, filtered: PmiFilter | None = None, include_unknown: bool = True, threads: int | None = None
    ) -> Csr:
        """The matrix over the vocabulary in memory, compiled and threaded; counts that pass the filter only."""
        terms = None if filtered is None else filtered.terms(self, include_unknown=include_unknown)
        ranges = self.ranges(include_unknown=include_unknown)
        shift = 0 if include_unknown else 1
        pointers = np.zeros(self.vocabulary_size - shift + 1, dtype=np.int64)

        def measure(part: tuple[Shard, int, int]) -> None:
            shard, first, last = part
            here = slice(first - shift + 1, last - shift + 1)
            pointers[here] = self._view_lengths(shard, first, last, include_unknown=include_unknown, terms=terms)

        with ThreadPoolExecutor(check_threads(threads)) as pool:
            list(pool.map(measure, ranges))
            np.cumsum(pointers, out=pointers)
            indices = np.empty(int(pointers[-1]), dtype=np.int32)
            wide = any(shard.dtype.itemsize > 4 for shard, _, _ in ranges)
            data = np.empty(len(indices), dtype=np.uint64 if wide else np.uint32)

            def fill(part: tuple[Shard, int, int]) -> None:
                shard, first, last = part
                places = pointers[first - shift : last - shift]
                self._fill(self._arguments(shard, first, last, include_unknown, terms), places, indices, data, data[:0])

            list(pool.map(fill, ranges))
        if self.scale > 1:
            weighted = np.divide(data.astype(np.float64), self.scale)
            return Csr(pointers, indices, weighted.astype(np.float32))
        if wide:
            fits = len(data) == 0 or int(data.max()) <= np.iinfo(np.uint32).max
            return Csr(pointers, indices, data.astype(np.uint32 if fits else np.float32))
        return Csr(pointers, indices, data)

    def to_scipy(
        self, *, include_unknown: bool = False, filtered: PmiFilter | None = None, dtype: Any = np.int64
    ) -> Any:
        """The matrix as a `scipy.sparse.csr_array`; weighted counts come as floats."""
        from scipy.sparse import csr_array

        parts = [block for _, _, block in self.blocks(include_unknown=include_unknown, filtered=filtered)]
        size = self.vocabulary_size - (0 if include_unknown else 1)
        lengths = np.concatenate([np.diff(part.indptr) for part in parts] or [np.zeros(0, dtype=np.int64)])
        pointers = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        indices = np.concatenate([part.indices for part in parts] or [np.zeros(0, dtype=np.int32)])
        wanted: Any = np.float64 if self.scale > 1 and np.issubdtype(dtype, np.integer) else dtype
        data = np.concatenate([part.data.astype(wanted, copy=False) for part in parts] or [np.zeros(0, dtype=wanted)])
        if self.scale > 1:
            data = np.divide(data, self.scale)
        return csr_array((data, indices, pointers), shape=(size, size))

    def association(self, by: str = "ppmi", *, k: float = 1.0, include_unknown: bool = False, **options: Any) -> Any:
        """The matrix of an association (see `hyperdive.counts.association`) as CSR."""
        return association_matrix(self, by, k=k, include_unknown=include_unknown, **options)

    def __repr__(self) -> str:
        entries, pairs = (int(self.header["totals"][name]) for name in ("entries", "pairs"))
        pairs = pairs // self.scale
        return f"<Cooccurrence of {len(self)} words: {pairs} pairs of {entries} kinds, window {self.options.window}>"
