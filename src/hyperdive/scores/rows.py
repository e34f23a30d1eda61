"""From terms to rows: one vector a distinct term (a word or a phrase), and what is known of each row by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from hyperdive.scores._blocks import in_blocks, kernels, run
from hyperdive.text.lemmas import lemma_of

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class SpaceLike(Protocol):
    """What a score needs of a vector space; `hyperdive.spaces.space.VectorSpace` is one."""

    @property
    def words(self) -> Sequence[str]: ...
    @property
    def matrix(self) -> Any: ...
    @property
    def frequencies(self) -> npt.NDArray[np.int64]: ...
    @property
    def kind(self) -> str: ...
    def __contains__(self, word: object) -> bool: ...
    def index(self, word: str) -> int: ...


@dataclass(frozen=True)
class Source:
    """The spaces that scores may ask: `main` always, `skipgram` for W, `counts` for the entropies of SLQS.

    `counts` is a space of co-occurrence frequencies whose rows are the columns of `main` (SBOW Freq). It is `main`
    itself when that is what `main` holds. `parameters` are those that `main` was made with; `stated` gives patterns.
    """

    main: SpaceLike
    skipgram: SpaceLike | None = None
    counts: SpaceLike | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    stated: Callable[[], Patterns | None] | None = field(default=None, repr=False)

    @cached_property
    def patterns(self) -> Patterns | None:
        """What the text states of pairs, read when a score first asks; None where there is nothing of it."""
        return None if self.stated is None else self.stated()

    @cached_property
    def bridge(self) -> npt.NDArray[np.float32]:
        """The map from skip-gram vectors to pattern vectors; see `hyperdive.scores.pattern_projection`."""
        from hyperdive.scores.pattern_projection import bridge

        assert self.patterns is not None and self.skipgram is not None
        return bridge(self.patterns, self.skipgram)

    @cached_property
    def context_counts(self) -> Rows | None:
        """The counts of the context words, when the columns of `main` are the rows of `counts`."""
        if self.counts is None or self.counts.matrix.shape[0] != self.main.matrix.shape[1]:
            return None
        return Rows(self.counts.matrix)


def as_source(model: Any, skipgram: Any = None, counts: Any = None) -> Source:
    """A `Source` from a space, a model (anything with `.dive` or `.main`, and perhaps `.skipgram`) or a `Source`.

    >>> from types import SimpleNamespace
    >>> as_source(SimpleNamespace(dive="D", skipgram="W"))
    Source(main='D', skipgram='W', counts=None, parameters={})
    """
    if isinstance(model, Source):
        main, own_skipgram, own_counts, stated = model.main, model.skipgram, model.counts, model.stated
    else:
        main = next((value for name in ("main", "dive") if (value := getattr(model, name, None)) is not None), model)
        own_skipgram = getattr(model, "skipgram", None) if main is not model else None
        own_counts, stated = None, partial(getattr, model, "patterns", None) if main is not model else None
    own_counts = counts if counts is not None else own_counts
    if own_counts is None and getattr(main, "kind", "") == "sbow-freq":
        own_counts = main
    parameters = getattr(model, "parameters", None) or getattr(main, "parameters", None) or {}
    return Source(main, skipgram if skipgram is not None else own_skipgram, own_counts, parameters, stated)


# ---- looking terms up ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lookup:
    """Which rows of a space each term is made of.

    Term t is the mean of rows `rows[starts[t]:starts[t + 1]]`; a term without rows is not in the space. `by_lemma`
    marks the terms that were found only under the lemma of one of their words.
    """

    rows: Ints
    starts: Ints
    by_lemma: Bools

    @property
    def found(self) -> Bools:
        """Whether each term is in the space."""
        return np.diff(self.starts) > 0


def look_up(space: SpaceLike, terms: Sequence[Sequence[str]], *, lemmas: bool = True, language: str = "en") -> Lookup:
    """Find terms (each a list of words; a word is a key of the space such as `dog` or `dog|n`).

    The exact key first, then the key of its lemma; a phrase as one key if there is one, else by its words, and when
    any of them is missing, the phrase is missing.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["bar", "cola"], np.eye(2), frequencies=[1, 1], kind="dive")
    >>> found = look_up(space, [["bars"], ["cola", "bar"], ["zebra", "bar"]])
    >>> found.rows.tolist(), found.starts.tolist(), found.by_lemma.tolist()
    ([0, 1, 0], [0, 1, 3, 3], [True, False, False])
    """
    rows: list[int] = []
    starts = [0]
    by_lemma = np.zeros(len(terms), dtype=np.bool_)
    for number, words in enumerate(terms):
        found: list[int] = []
        if len(words) > 1:  # a space may know a phrase as one word
            words = next(([key] for key in (" ".join(words), "_".join(words)) if key in space), words)
        for word in words:
            if word in space:
                found.append(space.index(word))
                continue
            if lemmas:
                form, bar, tag = word.partition("|")
                # a form with other signs than letters (non_author) must not be found by a part of it
                key = f"{lemma_of(language)(form)}{bar}{tag}" if form.isalpha() else word
                if key != word and key in space:
                    found.append(space.index(key))
                    by_lemma[number] = True
                    continue
            found = []
            by_lemma[number] = False
            break
        rows.extend(found)
        starts.append(len(rows))
    return Lookup(np.array(rows, dtype=np.int64), np.array(starts, dtype=np.int64), by_lemma)


def gather(space: SpaceLike, lookup: Lookup, *, threads: int = 0) -> Any:
    """The vectors of all looked-up terms: means for phrases, zero rows for terms that are missing."""
    matrix, counts = space.matrix, np.diff(lookup.starts)
    if isinstance(matrix, np.ndarray):
        if (counts == 1).all():
            return matrix[lookup.rows]
        return _means(matrix, lookup, np.arange(len(counts))) @ matrix
    from scipy.sparse import csr_array

    # single words are copied as they are; only phrases are worth a product of sparse matrices
    single, several = np.flatnonzero(counts == 1), np.flatnonzero(counts > 1)
    rows = lookup.rows[lookup.starts[single]]
    means = _means(matrix, lookup, several)
    means = (means @ matrix).sorted_indices() if len(several) else means
    sizes = np.zeros(len(counts), dtype=np.int64)
    sizes[single] = matrix.indptr[rows + 1] - matrix.indptr[rows]
    sizes[several] = np.diff(means.indptr)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(_index_type(int(sizes.sum())))
    indices, data = np.empty(ends[-1], dtype=matrix.indices.dtype), np.empty(ends[-1], dtype=matrix.dtype)
    for part, taken, targets in ((matrix, rows, single), (means, np.arange(len(several)), several)):
        arguments = (part.indptr, part.indices, part.data, taken, targets, ends, indices, data)
        in_blocks(kernels.place_rows, len(targets), *arguments, block=256, threads=threads)
    gathered = csr_array((data, indices, ends), shape=(len(counts), matrix.shape[1]))
    gathered.has_sorted_indices = True  # those of the space are, and rows were copied whole
    return gathered


def _index_type(size: int) -> type[np.signedinteger[Any]]:
    return np.int32 if size <= np.iinfo(np.int32).max else np.int64


def _means(matrix: Any, lookup: Lookup, terms: Ints) -> Any:
    """The sparse matrix that takes the mean of the rows of each of these terms."""
    from scipy.sparse import csr_array

    counts = np.diff(lookup.starts)[terms]
    weights = np.repeat(1.0 / np.maximum(counts, 1), counts).astype(matrix.dtype)
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows = lookup.rows[np.repeat(lookup.starts[terms] - starts[:-1], counts) + np.arange(starts[-1])]
    # 32 bits, or scipy would convert every index of a large sparse matrix to 64
    return csr_array((weights, rows.astype(np.int32), starts.astype(np.int32)), shape=(len(terms), matrix.shape[0]))


# ---- rows ---------------------------------------------------------------------------------------------------------


class Rows:
    """Vectors of distinct terms, dense or sparse, and the sums, norms and entropies of each.

    >>> rows = Rows(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> rows.sums.tolist(), rows.norms.round(3).tolist(), rows.entropies.round(3).tolist()
    ([2.0, 0.0], [1.414, 0.0], [0.693, 0.0])
    """

    def __init__(self, matrix: Any, *, threads: int = 0) -> None:
        self.matrix = matrix
        self.threads = threads

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def is_sparse(self) -> bool:
        return not isinstance(self.matrix, np.ndarray)

    @cached_property
    def csr(self) -> Any:
        """The rows as CSR with sorted indices and without zeros."""
        from scipy.sparse import csr_array

        if not self.is_sparse:
            return csr_array(self.matrix)
        matrix = self.matrix
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        if not (matrix.data != 0).all():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        return matrix

    def run(self, kernel: Any, *arguments: Any, columns: int = 0) -> Floats:
        """Run a kernel over all rows; it fills one number (or `columns` numbers) a row."""
        return run(kernel, len(self), *arguments, columns=columns, threads=self.threads)

    @cached_property
    def _sums(self) -> Floats:
        if not self.is_sparse:  # zeros change no sum, so an array is read as it is
            count, width = self.matrix.shape
            ends = np.arange(count + 1, dtype=_index_type(count * width)) * width
            return self.run("row_sums", ends, np.ascontiguousarray(self.matrix).reshape(-1), columns=2)
        return self.run("row_sums", self.csr.indptr, self.csr.data, columns=2)

    @property
    def sums(self) -> Floats:
        """S(x) = Σᵢ x[i]."""
        return self._sums[:, 0]

    @property
    def norms(self) -> Floats:
        """‖x‖₂."""
        return np.asarray(np.sqrt(self.squares))

    @property
    def squares(self) -> Floats:
        """‖x‖₂²."""
        return self._sums[:, 1]

    @cached_property
    def entropies(self) -> Floats:
        """H(x/S(x)) in nats; 0 for the zero vector."""
        return self.run(kernels.row_entropies, self.csr.indptr, self.csr.data, self.sums)

    @cached_property
    def feature_ranks(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Aligned with `csr.data`: each row's features by falling weight, and the rank (from 1) of each feature."""
        order = np.zeros(len(self.csr.data), dtype=np.int32)
        ranks = np.zeros(len(self.csr.data), dtype=np.int32)
        in_blocks(kernels.feature_ranks, len(self), self.csr.indptr, self.csr.data, order, ranks, threads=self.threads)
        return order, ranks

    @property
    def sizes(self) -> Ints:
        """The number of non-zero dimensions of each row."""
        return np.asarray(np.diff(self.csr.indptr), dtype=np.int64)

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no entry is below zero, as the inclusion scores need."""
        return bool(self.csr.data.size == 0 or self.csr.data.min() >= 0)
