"""What terms like a term are stated to be: the statements of its nearest neighbours, and what follows from those.

Patterns name a term seldom or never; its neighbours they do name. With N the K terms nearest to q by skip-gram cosine
among those that patterns name as hyponyms, and weights w_x = max(cos(q, x), 0)²·min(n(x, ·), 5)/5,

    A(q, p) = Σ_{x ∈ N} w_x·PPMI(x, p) / Σ_{x ∈ N} w_x

and A₂₀ is the same of the nearest 20. One step further up, with H the terms of the largest A(q, h) + 0.3·PPMI(q, h),

    B(q, p) = √( Σ_{h ∈ H} v_h·n(h, p)/n(h, ·) / Σ_{h ∈ H} v_h ),   v_h that sum, shrunk where h has few statements

so that a politician is a person though no sentence says so. Both are sparse rows over the terms of the patterns.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from hyperdive._quantize import Codes, rounded, unpacked
from hyperdive._resources import check_threads, one_blas_thread
from hyperdive._sparse_rows import SparseRows, distinct, entries_of, joined_rows, only_rows, weighted_sums
from hyperdive._types import Bools, Floats32, Ints
from hyperdive.patterns.svd import ppmi_matrix
from hyperdive.scores._blocks import kernels
from hyperdive.scores.pattern_projection import lengths_of_one

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns

NEIGHBOURS, NEAREST = 100, 20
"""K: how many neighbours vote; the nearest of them, which vote once more by themselves."""
PARENTS = 30
"""|H|: from how many likely hypernyms one step further is taken."""
_FEW_AS_HYPONYM, _FEW_AS_PARENT = 5, 10
_OWN = 0.3
LEAST_TRUST = 1 / _FEW_AS_HYPONYM
"""The weight of a neighbour with a single statement, beside that of one with many."""
_BLOCK, _PART = 128, 512  # terms in one product of matrices, at most; terms of which one thread makes the rows
_FEW = 8  # terms that are looked up one by one: a product of matrices reads all vectors in full
_PRODUCTS = 1 << 22  # cosines of one product of matrices, at most
_KEPT = 20_000  # terms whose neighbours are kept, for the same terms are in many datasets
_SIZES = np.array([NEIGHBOURS, NEAREST, PARENTS])
_ROUNDING = np.float32(1e-5)  # twice that of a cosine in 32 bits
_READ = 2048  # vectors that are unpacked at a time for a first question
_FEW_ROWS = 16  # one row of so many, or fewer, have their PPMI computed for themselves
_SAMPLED = 16  # one of so many values is looked at to rule out the others


class AnalogyRows(NamedTuple):
    """One CSR row for each asked term, over the terms of the patterns."""

    neighbours: SparseRows
    """A(q, ·)."""
    nearest: SparseRows
    """A₂₀(q, ·)."""
    inherited: SparseRows
    """B(q, ·)."""


class AskedColumns(NamedTuple):
    """Which terms of the patterns are asked for with each term: `columns[starts[t] : starts[t + 1]]`, which rise."""

    starts: Ints
    columns: Ints

    @classmethod
    def of(cls, rows: Ints, columns: Ints, count: int, width: int) -> AskedColumns:
        """Those of pairs of one of so many terms and one of so many columns, or of none (-1).

        >>> AskedColumns.of(np.array([1, 0, 1, 1]), np.array([3, -1, 3, 2]), 2, 4)
        AskedColumns(starts=array([0, 0, 2]), columns=array([2, 3]))
        """
        named = columns >= 0
        keys = distinct(rows[named] * np.int64(width) + columns[named])
        return cls(np.searchsorted(keys, np.arange(count + 1) * np.int64(width)), keys % width)


class CodedVectors(NamedTuple):
    """Vectors of length one, roughly: whole numbers of 8 bits times a scale."""

    codes: Codes
    scales: Floats32
    loss: float
    """The length of what is between a vector and its codes, at most."""

    @classmethod
    def of(cls, matrix: Floats32) -> CodedVectors:
        """The codes of rows of any length; nothing is lost where a model keeps its vectors in 8 bits.

        >>> CodedVectors.of(np.array([[64.0, 48.0]], dtype=np.float32)).scales.tolist()
        [0.012500000186264515]
        """
        codes, exponents = rounded(matrix)
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
        lengths = np.where(lengths > 0, lengths, 1)
        rest = matrix - unpacked(codes, exponents)
        loss = np.sqrt(np.einsum("ij,ij->i", rest, rest)) / lengths
        scales = np.ldexp(np.float32(1), exponents.astype(np.int32)) / lengths
        return cls(codes, scales.astype(np.float32), float(loss.max(initial=0.0)))


class NeighbourStatements:
    """The terms that patterns name as hyponyms, with their vectors, to look for neighbours in.

    Args:
        patterns: What the text states.
        space: Skip-gram vectors of words, or of words and terms.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = ["dog", "poodle", "fish", "carp", "spaniel"]
    >>> stated = Patterns.from_keys(words[:4], ["such as"], pack([1, 3], [0, 2], [0, 0]), [5, 5])
    >>> vectors = [[1, 1], [1, 0.1], [1, -1], [0, 1], [1, 0]]
    >>> space = VectorSpace(words, vectors, frequencies=[9, 4, 9, 4, 2], kind="skipgram")
    >>> rows = NeighbourStatements(stated, space).rows(np.float32([[1, 0]]), np.array([-1]))
    >>> [round(float(value), 3) for value in rows.neighbours.toarray()[0]]
    [0.693, 0.0, 0.0, 0.0]
    """

    def __init__(self, patterns: Patterns, space: Any) -> None:
        self._patterns = patterns
        named = np.flatnonzero(patterns.hyponym_totals > 0)
        place, numbers = np.full(len(patterns), -1, dtype=np.int64), patterns.numbers_of(space.words)
        place[numbers[numbers >= 0]] = np.flatnonzero(numbers >= 0)
        rows = place[named]
        self.numbers: Ints = named[rows >= 0]
        self._space, self._rows_of_space = space, rows[rows >= 0]
        self._was_asked = False
        self.trust = np.minimum(patterns.hyponym_totals[self.numbers], _FEW_AS_HYPONYM) / _FEW_AS_HYPONYM
        self._shrunk = (np.minimum(patterns.hyponym_totals, _FEW_AS_PARENT) / _FEW_AS_PARENT).astype(np.float32)
        self._kept: dict[bytes, tuple[npt.NDArray[np.int32], Floats32]] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def vectors(self) -> Floats32:
        """The skip-gram vectors of the terms, of length one."""
        return self._unit_vectors(slice(None))

    def _unit_vectors(self, places: Ints | slice) -> Floats32:
        """The vectors at these places, of length one; the others are not made for that."""
        if "vectors" in self.__dict__:
            return self.vectors[places]
        rows = self._space.rows(self._rows_of_space[places])
        vectors: Floats32 = lengths_of_one(np.array(rows, dtype=np.float32, order="C", copy=None), in_place=True)
        return vectors

    @cached_property
    def _shares(self) -> SparseRows:
        """n(h, p)/n(h, ·)."""
        return self._shares_of(self._patterns.counts)

    def _shares_of(self, counts: SparseRows) -> SparseRows:
        # a term without statements has no hypernyms to pass on
        totals = np.maximum(self._patterns.hyponym_totals, 1)
        shares = counts.data.astype(np.float32) / np.repeat(totals, np.diff(counts.indptr)).astype(np.float32)
        return SparseRows(shares, counts.indices, counts.indptr, counts.shape)

    @cached_property
    def _place(self) -> Ints:
        places = np.full(len(self._patterns) + 1, -1, dtype=np.int64)  # the last for -1
        places[self.numbers] = np.arange(len(self))
        return places

    @cached_property
    def _coded(self) -> CodedVectors:
        return CodedVectors.of(np.asarray(self._space.matrix[self._rows_of_space], dtype=np.float32))

    @cached_property
    def _dimensions(self) -> Floats32:
        """`vectors`, one row a dimension: a product of matrices reads them a third faster so."""
        return np.ascontiguousarray(self.vectors.T)

    def places(self, numbers: Ints) -> Ints:
        """The rows of `vectors` that are these terms of the patterns; -1 for one that is no neighbour of any."""
        return self._place[numbers]

    def passed_on(self, numbers: Ints, counts: Ints) -> Any:
        """How much of B² terms pass on to a hypernym that they are stated to be so many times, if nothing else does."""
        return self._shrunk[numbers] * (counts / np.maximum(self._patterns.hyponym_totals[numbers], 1))

    def rows(self, vectors: Floats32, numbers: Ints, *, threads: int = 1) -> AnalogyRows:
        """The three rows of each asked term.

        Args:
            vectors: Skip-gram vectors of the asked terms, one row each.
            numbers: Their numbers in the patterns, -1 for a term that no pattern names. No term is its own neighbour.
            threads: How many parts of many terms are worked on at once; 0 means one a core.
        """
        starts = range(0, max(len(vectors), 1), _PART)
        parts = [(vectors[start : start + _PART], numbers[start : start + _PART]) for start in starts]
        if kernels.loaded or len(parts) > 1:
            _ = self._patterns.ppmi, self._place, self._shares, self.vectors  # computed once, not by each thread
        if len(parts) == 1:
            return self._rows(*parts[0])
        with one_blas_thread(), ThreadPoolExecutor(check_threads(threads or None)) as pool:
            done = list(pool.map(lambda part: self._rows(*part), parts))
        return AnalogyRows(*(joined_rows([rows[kind] for rows in done], len(self._patterns)) for kind in range(3)))

    def asked_rows(self, vectors: Floats32, numbers: Ints, asked: AskedColumns) -> AnalogyRows:
        """`rows` in the asked columns alone, whose entries are all there, also those of 0; in one thread.

        The largest part of the rows, B, is then seldom computed: only where equal values leave parents open.
        """
        shape = (len(numbers), len(self._patterns))
        vectors, own = np.asarray(lengths_of_one(vectors), dtype=np.float32), self.places(numbers)
        chosen, cosines = self._kept_neighbours(vectors, own)
        clear, values = kernels.asked_analogies(chosen, cosines, numbers, *asked, *self._tables)
        open_ = np.flatnonzero(~clear)
        if len(open_):
            _, starts, columns, data, *_ = kernels.analogy_rows(
                chosen[open_], cosines[open_], numbers[open_], *self._tables
            )
            neighbours = SparseRows(data, columns, starts[0], (len(open_), shape[1]))
            inherited = self._inherited(neighbours, numbers[open_], self._patterns.ppmi)
            for row, at in enumerate(open_.tolist()):
                here, one = slice(*asked.starts[at : at + 2]), slice(*inherited.indptr[row : row + 2])
                values[2, here] = _values(inherited.indices[one], inherited.data[one], asked.columns[here])
        return AnalogyRows(*(SparseRows(data, asked.columns, asked.starts, shape) for data in values))

    def _rows(self, vectors: Floats32, numbers: Ints) -> AnalogyRows:
        if kernels.loaded and len(vectors) > _FEW:
            return self._many_rows(vectors, numbers)
        rows = [
            row
            for start in range(0, len(vectors), _BLOCK)
            for row in self._block(vectors[start : start + _BLOCK], numbers[start : start + _BLOCK])
        ]
        shape = len(self._patterns)
        return AnalogyRows(*(joined_rows([row[part] for row in rows], shape) for part in range(3)))

    def _block(self, vectors: Floats32, numbers: Ints) -> list[AnalogyRows]:
        """The rows of a few terms, in one piece or more."""
        vectors, own = np.asarray(lengths_of_one(vectors), dtype=np.float32), self.places(numbers)
        if not kernels.loaded:
            return [self._analogies(vectors, own, numbers)]
        return [self._row(vectors, own, numbers, at) for at in range(len(numbers))]

    def _row(self, vectors: Floats32, own: Ints, numbers: Ints, at: int) -> AnalogyRows:
        """The row of one term by the compiled loop; parents that equal values leave open are chosen by NumPy."""
        of_term = (vectors[at], own[at], numbers[at], self.vectors, *self._coded)
        clear, *arrays = kernels.analogy_row(*of_term, *self._tables)
        shape, pairs = (1, len(self._patterns)), zip(arrays[::2], arrays[1::2], strict=True)
        rows = AnalogyRows(*(SparseRows(data, columns, np.array([0, len(data)]), shape) for columns, data in pairs))
        if clear:
            return rows
        return rows._replace(inherited=self._inherited(rows.neighbours, numbers[at : at + 1], self._patterns.ppmi))

    @property
    def _tables(self) -> tuple[Any, ...]:
        """What the compiled loops read of the patterns and of the possible neighbours."""
        ppmi, shares = self._patterns.ppmi, self._shares
        of_patterns = (ppmi.indptr, ppmi.indices, ppmi.data, shares.indptr, shares.indices, shares.data, self._shrunk)
        return _SIZES, np.float32(_OWN), self.numbers, self.trust, *of_patterns

    def _many_rows(self, vectors: Floats32, numbers: Ints) -> AnalogyRows:
        """The rows of many terms by the compiled loops; parents that these leave open are chosen by NumPy."""
        vectors, own = np.asarray(lengths_of_one(vectors), dtype=np.float32), self.places(numbers)
        chosen, cosines = self._kept_neighbours(vectors, own)
        clear, starts, *arrays = kernels.analogy_rows(chosen, cosines, numbers, *self._tables)
        every = AnalogyRows(
            *(
                SparseRows(data, columns, pointers, (len(numbers), len(self._patterns)))
                for pointers, columns, data in zip(starts, arrays[::2], arrays[1::2], strict=True)
            )
        )
        pieces, done = [], 0
        for at in np.flatnonzero(~clear).tolist():
            open_ = _cut(every, at, at + 1)
            inherited = self._inherited(open_.neighbours, numbers[at : at + 1], self._patterns.ppmi)
            pieces += [_cut(every, done, at), open_._replace(inherited=inherited)]
            done = at + 1
        if not pieces:
            return every
        pieces.append(_cut(every, done, len(numbers)))
        return AnalogyRows(*(joined_rows([row[part] for row in pieces], len(self._patterns)) for part in range(3)))

    def _kept_neighbours(self, vectors: Floats32, own: Ints) -> tuple[Ints, Floats32]:
        """`_neighbours` by products of matrices and a compiled loop, of terms that have not been asked for of late."""
        many = min(NEIGHBOURS, len(self))
        chosen, cosines = np.zeros((len(vectors), many), dtype=np.int64), np.zeros((len(vectors), many), np.float32)
        keys = [vector.tobytes() + place.tobytes() for vector, place in zip(vectors, own, strict=True)]
        keys = [blake2b(key, digest_size=16).digest() for key in keys]
        found = [self._kept.get(key) for key in keys]
        for at, kept in enumerate(found):
            if kept is not None:
                chosen[at], cosines[at] = kept
        fresh = np.array([at for at, kept in enumerate(found) if kept is None], dtype=np.int64)
        most = max(min(_BLOCK, _PRODUCTS // max(len(self), 1)), 1)
        block = max(-(-len(fresh) // max(-(-len(fresh) // most), 1)), 1)  # as few products as can be, of one size
        products = np.empty((block, len(self)), dtype=np.float32)
        for start in range(0, len(fresh) if many else 0, block):
            rows = fresh[start : start + block]
            asked, near = vectors[rows], (chosen[rows], cosines[rows])
            roughly = products[: len(rows)]
            with one_blas_thread():
                np.matmul(asked, self._dimensions, out=roughly)
            kernels.nearest_rows(asked, own[rows], self.vectors, roughly, 2 * _ROUNDING, *near)
            chosen[rows], cosines[rows] = near
        if len(self._kept) + len(fresh) > _KEPT:
            self._kept.clear()
        self._kept.update((keys[at], (chosen[at].astype(np.int32), cosines[at].copy())) for at in fresh.tolist())
        return chosen, cosines

    def _analogies(self, vectors: Floats32, own: Ints, numbers: Ints) -> AnalogyRows:
        """The rows of terms, given their vectors of length one and their places among the possible neighbours."""
        chosen, cosines = self._neighbours(vectors, own)
        likeness = np.maximum(cosines, np.float32(0))
        ppmi = _ppmi_of(self._patterns, np.concatenate([self.numbers[chosen.ravel()], numbers[numbers >= 0]]))
        every = self._voted(chosen, likeness, ppmi)
        order = np.argsort(-likeness, axis=1, kind="stable")[:, :NEAREST]
        first = np.take_along_axis(chosen, order, axis=1), np.take_along_axis(likeness, order, axis=1)
        return AnalogyRows(every, self._voted(*first, ppmi), self._inherited(every, numbers, ppmi))

    def _neighbours(self, vectors: Floats32, own: Ints) -> tuple[Ints, Floats32]:
        """The places and cosines of the nearest terms of each, by place; of equal ones the first places are taken.

        A product of matrices tells which terms can be among the nearest. Its bits depend on the size of the matrices,
        so that those of the cosines are sums in the order of the dimensions.
        """
        many = min(NEIGHBOURS, len(self))
        chosen, cosines = np.zeros((len(vectors), many), dtype=np.int64), np.zeros((len(vectors), many), np.float32)
        if not many:
            return chosen, cosines
        roughly = self._rough_cosines(vectors)
        roughly[np.flatnonzero(own >= 0), own[own >= 0]] = 0.0
        for at, row in enumerate(roughly):
            places = _largest_places(row, many)
            values = _dots(vectors[at], self._unit_vectors(places))
            values[places == own[at]] = 0.0
            first = np.sort(np.argsort(-values, kind="stable")[:many])
            chosen[at], cosines[at] = places[first], values[first]
        return chosen, cosines

    def _rough_cosines(self, vectors: Floats32) -> Floats32:
        """The cosines with all terms, rounded as products of matrices are.

        The first time vectors are read some at a time and not kept, for there may be no second question: memory that
        is written for the first time takes longer than the arithmetic.
        """
        cosines = np.empty((len(vectors), len(self)), dtype=np.float32)
        step = max(len(self), 1) if self._was_asked else _READ
        if self._was_asked:
            _ = self.vectors
        self._was_asked = True
        with one_blas_thread():
            for start in range(0, len(self), step):
                some = slice(start, start + step)
                cosines[:, some] = vectors @ self._unit_vectors(some).T
        return cosines

    def _voted(self, neighbours: Ints, likeness: Floats32, ppmi: SparseRows) -> SparseRows:
        """The PPMI rows of these neighbours, averaged by their weights."""
        weights = likeness**2 * self.trust[neighbours]
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
        pointers = np.arange(len(neighbours) + 1) * neighbours.shape[1]
        numbers = self.numbers[neighbours.ravel()]
        return weighted_sums(weights.astype(np.float32).ravel(), numbers, pointers, ppmi)

    def _inherited(self, neighbours: SparseRows, numbers: Ints, ppmi: SparseRows) -> SparseRows:
        likely = _largest(*_with_own(neighbours, ppmi, numbers), PARENTS)
        if kernels.loaded and len(numbers) == 1:
            shares = self._shares
            tables = (shares.indptr, shares.indices, shares.data, self._shrunk)
            columns, values = kernels.inherited_row(likely.indices, likely.data, *tables)
            return SparseRows(values, columns, np.array([0, len(values)]), neighbours.shape)
        lengths = np.diff(likely.indptr)
        totals = np.maximum(np.add.reduceat(np.append(likely.data, 0), likely.indptr[:-1]), 1e-9)
        weights = likely.data * self._shrunk[likely.indices] / np.repeat(np.where(lengths > 0, totals, 1.0), lengths)
        shares = self._shares_of(only_rows(self._patterns.counts, distinct(likely.indices)))
        inherited = weighted_sums(weights.astype(np.float32), likely.indices, likely.indptr, shares)
        np.sqrt(inherited.data, out=inherited.data)
        return inherited


def _ppmi_of(patterns: Patterns, numbers: Ints) -> SparseRows:
    """PPMI of all pairs, of which only the rows of these terms are sure to be there."""
    rows = distinct(numbers)
    if "ppmi" in vars(patterns) or len(rows) > len(patterns) // _FEW_ROWS:
        return cast(SparseRows, patterns.ppmi)
    return cast(SparseRows, ppmi_matrix(only_rows(patterns.counts, rows), *patterns.totals))


def _cut(rows: AnalogyRows, start: int, end: int) -> AnalogyRows:
    """Some of the rows, one after another."""
    parts = []
    for row in rows:
        first, last = row.indptr[start], row.indptr[end]
        pointers, shape = row.indptr[start : end + 1] - first, (end - start, row.shape[1])
        parts.append(SparseRows(row.data[first:last], row.indices[first:last], pointers, shape))
    return AnalogyRows(*parts)


def _values(indices: Ints, data: Floats32, columns: Ints) -> Floats32:
    """The values of a sparse row in some columns, 0 where there is none.

    >>> _values(np.array([0, 2]), np.float32([3, 1]), np.array([0, 1, 2, 3])).tolist()
    [3.0, 0.0, 1.0, 0.0]
    """
    places = np.searchsorted(indices, columns)
    values: Floats32 = np.append(data, np.float32(0))[places]
    values[np.append(indices, -1)[places] != columns] = 0.0
    return values


def _with_own(neighbours: SparseRows, ppmi: SparseRows, numbers: Ints) -> tuple[SparseRows, Bools]:
    """A(q, ·) + 0.3·PPMI(q, ·) of each asked term, and which entries the term has of its own alone."""
    width = np.int64(neighbours.shape[1])
    keys = np.repeat(np.arange(len(numbers)), np.diff(neighbours.indptr)) * width + neighbours.indices
    named = np.flatnonzero(numbers >= 0)
    starts, ends = (ppmi.indptr[numbers[named] + end].astype(np.int64) for end in (0, 1))
    entries = entries_of(starts, ends)
    own_keys = np.repeat(named, ends - starts) * width + ppmi.indices[entries]
    order = np.argsort(own_keys, kind="stable")
    own_keys, own_values = own_keys[order], np.float32(_OWN) * ppmi.data[entries[order]]
    # both lists of keys rise, so that the few of a term's own are put into the many of its neighbours
    places = np.searchsorted(keys, own_keys)
    alone = np.append(keys, -1)[places] != own_keys
    values = neighbours.data.copy()
    values[places[~alone]] += own_values[~alone]
    keys = np.insert(keys, places[alone], own_keys[alone])
    values = np.insert(values, places[alone], own_values[alone])
    own = np.insert(np.zeros(neighbours.nnz, dtype=np.bool_), places[alone], True)
    indptr = np.searchsorted(keys, np.arange(len(numbers) + 1) * width)
    return SparseRows(values, keys % width, indptr, neighbours.shape), own


def _largest_places(values: Floats32, most: int) -> Ints:
    """The places of the largest values, and of those that are almost as large, in their order.

    >>> _largest_places(np.sin(np.arange(100, dtype=np.float32)), 3).tolist()
    [33, 58, 77]
    """
    sample = values[::_SAMPLED]
    limit: Any = -np.inf
    if len(sample) > most:  # rules most of the values out: the largest of all are no smaller
        limit = np.partition(sample, len(sample) - most)[len(sample) - most]
    places = np.flatnonzero(values >= limit - _ROUNDING)
    least = -np.partition(-values[places], most - 1)[most - 1]
    return np.asarray(places[values[places] >= least - _ROUNDING])


def _dots(vector: Floats32, rows: Floats32) -> Floats32:
    """The products of a vector with rows, added up in the order of the dimensions, in 64 bits."""
    total = np.zeros(len(rows))
    for one, column in zip(vector.astype(np.float64), rows.T.astype(np.float64), strict=True):
        total += one * column
    return total.astype(np.float32)


def _largest(matrix: SparseRows, own: Bools, most: int) -> SparseRows:
    """Only the largest entries of each row; which of equal ones is settled by their order, own entries first.

    >>> rows = SparseRows(np.array([3.0, 1.0, 2.0, 5.0]), [0, 1, 2, 2], [0, 3, 4], (2, 3))
    >>> _largest(rows, np.zeros(4, dtype=np.bool_), 2).toarray().tolist()
    [[3.0, 0.0, 2.0], [0.0, 0.0, 5.0]]
    """
    keep = np.zeros(len(matrix.data), dtype=np.bool_)
    for start, end in zip(matrix.indptr[:-1].tolist(), matrix.indptr[1:].tolist(), strict=True):
        if end - start <= most:
            keep[start:end] = True
        else:
            first = own[start:end]
            order = start + np.concatenate([np.flatnonzero(first), np.flatnonzero(~first)[::-1]])
            keep[order[np.argpartition(-matrix.data[order], most - 1)[:most]]] = True
    pointers = np.concatenate([[0], np.cumsum(keep)])[matrix.indptr]
    return SparseRows(matrix.data[keep], matrix.indices[keep], pointers, matrix.shape)
