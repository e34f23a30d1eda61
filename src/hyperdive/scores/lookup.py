"""From terms to rows of a space: look words and phrases up, and gather one vector for each term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._types import Bools, Ints
from hyperdive.scores._blocks import in_blocks, kernels
from hyperdive.scores.rows import index_type
from hyperdive.scores.source import SpaceLike
from hyperdive.text.lemmas import lemma_of


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
    """The vectors of all looked-up terms: means for phrases, zero rows for terms that are missing.

    Single words keep the precision of the space. With a phrase among the terms the result is in 64 bits, so that no
    mean is rounded.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["bar", "cola"], [[1, 0], [0, 1]], frequencies=[1, 1], kind="dive")
    >>> gather(space, look_up(space, [["cola", "bar"], ["bar"], ["zebra"]])).tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]]
    """
    matrix, counts = space.matrix, np.diff(lookup.starts)
    single, phrases = np.flatnonzero(counts == 1), np.flatnonzero(counts > 1)
    rows = lookup.rows[lookup.starts[single]]
    dtype = np.dtype(np.float64) if len(phrases) else matrix.dtype
    if isinstance(matrix, np.ndarray):
        if len(single) == len(counts):
            return matrix[rows]
        dense = np.zeros((len(counts), matrix.shape[1]), dtype=dtype)
        dense[single] = matrix[rows]
        dense[phrases] = _means(matrix, lookup, phrases)
        return dense
    from scipy.sparse import csr_array

    means = _means(matrix, lookup, phrases)
    sizes = np.zeros(len(counts), dtype=np.int64)
    sizes[single] = matrix.indptr[rows + 1] - matrix.indptr[rows]
    sizes[phrases] = np.diff(means.indptr)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(index_type(int(sizes.sum())))
    indices, data = np.empty(ends[-1], dtype=matrix.indices.dtype), np.empty(ends[-1], dtype=dtype)
    for part, taken, targets in ((matrix, rows, single), (means, np.arange(len(phrases)), phrases)):
        arguments = (part.indptr, part.indices, part.data, taken, targets, ends, indices, data)
        in_blocks(kernels.place_rows, len(targets), *arguments, block=256, threads=threads)
    gathered = csr_array((data, indices, ends), shape=(len(counts), matrix.shape[1]))
    gathered.has_sorted_indices = True  # those of the space are, and rows were copied whole
    return gathered


def _means(matrix: Any, lookup: Lookup, terms: Ints) -> Any:
    """The mean of the rows of each of these terms, in 64 bits; dense or sparse as the matrix is."""
    from scipy.sparse import csr_array

    counts = np.diff(lookup.starts)[terms]
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows = lookup.rows[np.repeat(lookup.starts[terms] - starts[:-1], counts) + np.arange(starts[-1])]
    words, places = np.unique(rows, return_inverse=True)
    sums = csr_array((np.ones(len(rows)), places.ravel(), starts), shape=(len(terms), len(words)))
    # only the rows of these words are converted, not the whole matrix
    totals = sums @ matrix[words].astype(np.float64)
    if isinstance(totals, np.ndarray):
        return totals / np.maximum(counts, 1)[:, None]
    totals = totals.sorted_indices()
    totals.data /= np.repeat(counts, np.diff(totals.indptr))
    return totals


def every_word(space: SpaceLike) -> Lookup:
    """The lookup of all words of a space, in their order."""
    size = len(space.words)
    return Lookup(np.arange(size), np.arange(size + 1), np.zeros(size, dtype=np.bool_))


def joined(first: Lookup, second: Lookup) -> Lookup:
    """Two lookups in one space as one."""
    return Lookup(
        np.concatenate([first.rows, second.rows]),
        np.concatenate([first.starts, first.starts[-1] + second.starts[1:]]),
        np.concatenate([first.by_lemma, second.by_lemma]),
    )
