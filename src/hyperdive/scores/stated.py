"""What the text states of pairs of terms, and the scores made of it. A pair of which nothing is stated scores 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperdive._resources import one_blas_thread
from hyperdive._types import Bools, Floats, Floats32, Ints
from hyperdive.patterns.svd import ppmi_values
from hyperdive.patterns.term_finder import TermFinder
from hyperdive.scores.registry import own

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns
    from hyperdive.scores.pairs import Pairs

_MOST_STATEMENTS, _RIDGE = 20.0, 100.0
PRODUCTS = 16_384
"""Pairs whose vectors are multiplied at once."""


@dataclass(frozen=True, eq=False)
class StatedTerms:
    """Distinct terms as patterns know them: `numbers[t]` (-1: no pattern names it); `backed_off[t]`: by its head only.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> patterns = Patterns.from_keys(["dog", "poodle"], ["such as"], pack([1], [0], [0]), [3])
    >>> terms = StatedTerms.find(patterns, [["poodle"], ["hot", "dog"], ["cat"]])
    >>> terms.numbers.tolist(), terms.backed_off.tolist()
    ([1, 0, -1], [False, True, False])
    >>> pairs = StatedPairs(terms, np.array([0, 1, 2]), np.array([1, 0, 1]))
    >>> pairs.counts.tolist(), pairs.reverse.tolist(), pairs.silent.tolist(), pairs.backed_off.tolist()
    ([3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [False, True, True], [True, True, True])
    """

    patterns: Patterns
    numbers: Ints
    backed_off: Bools

    @classmethod
    def find(
        cls, patterns: Patterns, terms: Sequence[Sequence[str]], *, lemmas: bool = True, language: str = "en"
    ) -> StatedTerms:
        """Look up terms, each a list of words."""
        finder = TermFinder(patterns, lemmas=lemmas, language=language)
        found = [finder.find(words) for words in terms]
        numbers = np.fromiter((number for number, _ in found), dtype=np.int64, count=len(found))
        return cls(patterns, numbers, np.fromiter((off for _, off in found), dtype=np.bool_, count=len(found)))

    @classmethod
    def named(cls, patterns: Patterns, names: Sequence[str]) -> StatedTerms:
        """Look up terms by their names in the patterns; a phrase without one stands for its head.

        >>> from hyperdive.patterns.evidence import pack
        >>> from hyperdive.patterns.store import Patterns
        >>> patterns = Patterns.from_keys(["dog", "poodle"], ["such as"], pack([1], [0], [0]), [3])
        >>> StatedTerms.named(patterns, ["hot dog", "cat"]).numbers.tolist()
        [0, -1]
        """
        numbers, whole = patterns.numbers, patterns.numbers_of(names)
        found, backed_off = whole.copy(), np.zeros(len(names), dtype=np.bool_)
        # only phrases that patterns do not have need to be taken apart
        unstated = [(row, names[row]) for row in np.flatnonzero(whole < 0).tolist()]
        plain = [(row, numbers.get(name.rpartition(" ")[2], -1)) for row, name in unstated if _is_plain_phrase(name)]
        if plain:
            rows, heads = (list(column) for column in zip(*plain, strict=True))
            found[rows], backed_off[rows] = heads, np.array(heads) >= 0
        others = [(row, name) for row, name in unstated if "|" in name and " " in name]
        parts = cls.find(patterns, [name.split(" ") for _, name in others], lemmas=False)
        rows = [row for row, _ in others]
        found[rows], backed_off[rows] = parts.numbers, parts.backed_off
        return cls(patterns, found, backed_off)

    def of_terms(self, of_pattern_term: Ints) -> Ints:
        """Return a quantity of pattern terms for each of these; 0 for a term that no pattern names."""
        if len(of_pattern_term) == 0:
            return np.zeros(len(self.numbers), dtype=np.int64)
        return np.where(self.numbers >= 0, of_pattern_term[self.numbers], 0)

    @cached_property
    def exact_numbers(self) -> Ints:
        """`numbers`, with -1 for a phrase that patterns know by its head alone."""
        return np.where(self.backed_off, -1, self.numbers)

    @cached_property
    def hyponym_totals(self) -> Ints:
        """n(q, ·) of each."""
        return self.of_terms(self.patterns.hyponym_totals)

    @cached_property
    def hypernym_totals(self) -> Ints:
        """n(·, p) of each."""
        return self.of_terms(self.patterns.hypernym_totals)

    @cached_property
    def as_hyponym(self) -> Floats32:
        """U·Σ of each; of a phrase that has none, that of its head."""
        return self._or_head(self.patterns.hyponym_vectors)

    @cached_property
    def as_hypernym(self) -> Floats32:
        """V of each; of a phrase, which has none, that of its head."""
        return self._or_head(self.patterns.hypernym_vectors)

    def _or_head(self, vectors_of: Callable[[Ints], Floats32]) -> Floats32:
        vectors = vectors_of(self.numbers)
        if len(self.patterns):
            phrase = (self.numbers >= 0) & ~self.patterns.is_word[self.numbers] & ~vectors.any(axis=1)
            rows = np.flatnonzero(phrase)
            heads = [self.patterns.head_of(number) for number in self.numbers[rows].tolist()]
            vectors[rows] = vectors_of(np.array(heads, dtype=np.int64))
        return vectors

    @cached_property
    def with_heads(self) -> StatedTerms:
        """The same where a phrase's being a kind of its head counts like any pattern."""
        return StatedTerms(self.patterns.with_heads, self.numbers, self.backed_off)


def _is_plain_phrase(name: str) -> bool:
    return " " in name and "|" not in name


class StatedPairs:
    """Pairs (q, p) of such terms, hyponym candidate first; every property is one number per pair."""

    def __init__(self, terms: StatedTerms, q: Ints, p: Ints) -> None:
        self.terms, self.q, self.p = terms, q, p

    def __len__(self) -> int:
        return len(self.q)

    # ---- how often it is said -------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> Floats:
        """n(q, p): how often the text says that q is a kind of p."""
        return self._of(self.terms.patterns.counts, self.q, self.p)

    @cached_property
    def reverse(self) -> Floats:
        """n(p, q)."""
        return self._of(self.terms.patterns.counts, self.p, self.q)

    @cached_property
    def exact_counts(self) -> Floats:
        """n(q, p), 0 where q or p is looked up by its head alone: of type 2 diabetes not what is said of diabetes."""
        return np.where(self.backed_off, 0.0, self.counts)

    def by_pattern(self, name: str) -> Floats:
        """Return n(q, p) of one pattern."""
        return self._of(self.terms.patterns.by_pattern(name), self.q, self.p)

    def _of(self, matrix: Any, q: Ints, p: Ints) -> Floats:
        rows, columns = self.terms.numbers[q], self.terms.numbers[p]
        values, known = np.zeros(len(rows)), np.flatnonzero((rows >= 0) & (columns >= 0))
        values[known] = np.asarray(matrix[rows[known], columns[known]]) if len(known) else 0.0
        return values

    @property
    def hypernym_total(self) -> Ints:
        """n(·, p): how often anything is said to be a kind of p."""
        return self.terms.hypernym_totals[self.p]

    # ---- how surprising that is -----------------------------------------------------------------------------

    @cached_property
    def ppmi(self) -> Floats:
        """max(0, log(n(q, p)·N / (n(q, ·)·n(·, p))))."""
        return self._ppmi(self.counts, self.q, self.p)

    @cached_property
    def ppmi_reverse(self) -> Floats:
        """The same of (p, q)."""
        return self._ppmi(self.reverse, self.p, self.q)

    def _ppmi(self, counts: Floats, q: Ints, p: Ints) -> Floats:
        below, above = self.terms.hyponym_totals[q], self.terms.hypernym_totals[p]
        return ppmi_values(counts, below, above, self.terms.patterns.totals[2])

    @cached_property
    def svd(self) -> Floats:
        """(U·Σ)[q]·V[p]: PPMI smoothed by what similar terms are called."""
        return self.smoothed(0)

    @cached_property
    def svd_reverse(self) -> Floats:
        """The same of (p, q)."""
        return self.smoothed(0, reverse=True)

    def smoothed(self, rank: int, *, reverse: bool = False) -> Floats:
        """Return the same in the first `rank` dimensions; 0 means all."""
        q, p = (self.p, self.q) if reverse else (self.q, self.p)
        dimensions = slice(rank or None)
        return products(self.terms.as_hyponym[:, dimensions], self.terms.as_hypernym[:, dimensions], q, p)

    # ---- where nothing is said ------------------------------------------------------------------------------

    @property
    def silent(self) -> Bools:
        """Whether no pattern says that q is a kind of p."""
        return np.asarray(self.counts == 0)

    @property
    def svd_silent(self) -> Bools:
        """Whether the decomposition knows nothing of q as a hyponym, or of p as a hypernym."""
        known = [np.asarray(table.any(axis=1)) for table in (self.terms.as_hyponym, self.terms.as_hypernym)]
        return ~(known[0][self.q] & known[1][self.p])

    @property
    def backed_off(self) -> Bools:
        """Whether q or p is a phrase that is looked up by its head alone."""
        return self.terms.backed_off[self.q] | self.terms.backed_off[self.p]

    @cached_property
    def with_heads(self) -> StatedPairs:
        """The same pairs where a phrase's being a kind of its head counts like any pattern."""
        return StatedPairs(self.terms.with_heads, self.q, self.p)


def products(left: Any, right: Any, q: Ints, p: Ints) -> Floats:
    """Return left[q]·right[p] for each pair. The bits of a product do not depend on the other pairs.

    >>> products(np.eye(2), np.array([[3.0, 4.0], [5.0, 6.0]]), np.array([1, 1]), np.array([0, 1])).tolist()
    [4.0, 6.0]
    """
    values = np.zeros(len(q))
    for start in range(0, len(q), PRODUCTS):
        some = slice(start, start + PRODUCTS)
        values[some] = np.einsum("ij,ij->i", left[one_or_all(q[some])], right[one_or_all(p[some])])
    return values


def one_or_all(rows: Ints) -> Ints:
    """Return the rows, or the one row that all of them are."""
    return rows[:1] if len(rows) and (rows == rows[0]).all() else rows


def projection(patterns: Patterns, space: Any) -> Floats32:
    """Return the map A from skip-gram vectors to pattern vectors: what a word would be called.

    With w_q the skip-gram vector of q at length 1 and u_q its row of U·Σ (see `hyperdive.patterns.svd`),

        A = argmin Σ_q min(n(q, ·), 20)·‖u_q − w_q·A‖² + 100·‖A‖²

    over all words that patterns name as hyponyms. w_q·A·V[p] then says how well q fits among the words that are called
    p, also when no pattern names q.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = ["dog", "poodle", "fish", "carp"]
    >>> stated = Patterns.from_keys(words, ["such as"], pack([1, 3], [0, 2], [0, 0]), [4, 4])
    >>> space = VectorSpace(words, np.eye(4), frequencies=[5, 4, 3, 2], kind="skipgram")
    >>> projection(stated, space).shape
    (4, 2)
    """
    named = np.flatnonzero(patterns.hyponym_totals > 0)
    places = {word: row for row, word in enumerate(space.words)}
    found = np.fromiter((places.get(patterns.terms[n], -1) for n in named.tolist()), dtype=np.int64, count=len(named))
    numbers, rows = named[found >= 0], found[found >= 0]
    dimensions = int(space.matrix.shape[1])
    if not len(numbers):
        return np.zeros((dimensions, patterns.factors.rank), dtype=np.float32)
    vectors = unit_rows(np.asarray(space.matrix[rows], dtype=np.float64))
    weighted = vectors * np.minimum(patterns.hyponym_totals[numbers], _MOST_STATEMENTS)[:, None]
    with one_blas_thread():
        gram = weighted.T @ vectors + _RIDGE * np.eye(dimensions)
        right = weighted.T @ patterns.hyponym_vectors(numbers).astype(np.float64)
        return np.asarray(np.linalg.solve(gram, right), dtype=np.float32)


def unit_rows(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the rows divided by their lengths; zero rows stay zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1)[:, None])


# ---- scores -------------------------------------------------------------------------------------------------------


def _stated(pairs: Pairs, head: bool) -> StatedPairs:
    assert pairs.patterns is not None
    return pairs.patterns.with_heads if head else pairs.patterns


@own("P")
def pattern_count(pairs: Pairs, *, contrast: bool = False, head: bool = False) -> Floats:
    """How often it is said. `contrast` subtracts the value of (p, q); `head` counts a phrase as a kind of its head."""
    stated = _stated(pairs, head)
    values = np.log1p(stated.counts)
    return values - np.log1p(stated.reverse) if contrast else values


@own("Pppmi")
def pattern_ppmi(pairs: Pairs, *, contrast: bool = False, head: bool = False) -> Floats:
    """How much more often it is said than both terms' frequencies explain."""
    stated = _stated(pairs, head)
    return stated.ppmi - stated.ppmi_reverse if contrast else stated.ppmi


@own("Psvd")
def pattern_svd(pairs: Pairs, *, contrast: bool = False, rank: int = 0) -> Floats:
    """Pppmi smoothed by what similar terms are called. `rank` uses only the first dimensions (0: all there are)."""
    stated = _stated(pairs, head=False)  # the factors are those of what patterns state
    if rank:
        values = stated.smoothed(rank)
        return values - stated.smoothed(rank, reverse=True) if contrast else values
    return stated.svd - stated.svd_reverse if contrast else stated.svd


@own("Hypernym")
def hypernym_count(pairs: Pairs) -> Floats:
    """Is p a hypernym at all? It never looks at q: the control for scores that use patterns."""
    assert pairs.patterns is not None
    return np.log1p(pairs.patterns.hypernym_total)


SILENCE = {"P": "silent", "Pppmi": "silent", "Psvd": "svd_silent"}
"""Scores of this module → the property of `StatedPairs` that says where they have nothing to go by."""


def is_silent(pairs: Pairs, name: str) -> Bools:
    """Return the pairs for which a score of this module has nothing to go by; it is 0 there."""
    assert pairs.patterns is not None
    plain, _, options = name.partition(":")
    silent: Bools = getattr(_stated(pairs, "head=True" in options), SILENCE[plain])
    if "contrast=True" in options:
        turned = StatedPairs(pairs.patterns.terms, pairs.p, pairs.q)
        other = turned.with_heads if "head=True" in options else turned
        silent = silent & getattr(other, SILENCE[plain])
    return silent
