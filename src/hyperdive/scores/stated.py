"""What the text states of pairs of terms, and the scores made of it. A pair of which nothing is stated scores 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperdive._resources import one_blas_thread
from hyperdive._types import Bools, Floats, Floats32, Ints
from hyperdive.patterns.svd import ppmi_values
from hyperdive.scores.registry import own

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns
    from hyperdive.scores.pairs import Pairs
    from hyperdive.spaces.space import VectorSpace

_MOST_STATEMENTS, _RIDGE = 20.0, 100.0
PRODUCTS = 16_384
"""Pairs whose vectors are multiplied at once."""


class StatedTerms:
    """Terms as patterns name them: `exact_numbers[t]` is the number of term t there, −1 if no pattern names it.

    `numbers` has that of its last word for a phrase without one of its own, which `backed_off` marks.

    Args:
        patterns: the patterns.
        exact_numbers: the number of each term.
        terms: each term, as a name or as its words.
        lemmas: look last words up by their lemma too.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> patterns = Patterns(["dog", "poodle"], ["such as"], pack([1], [0], [0]), [3])
    >>> terms = StatedTerms.find(patterns, [["poodle"], ["hot", "dog"], ["cat"]])
    >>> terms.numbers.tolist(), terms.backed_off.tolist()
    ([1, 0, -1], [False, True, False])
    >>> pairs = StatedPairs(terms, np.array([0, 1, 2]), np.array([1, 0, 1]))
    >>> pairs.counts.tolist(), pairs.reverse.tolist(), pairs.silent.tolist(), pairs.backed_off.tolist()
    ([3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [False, True, True], [True, True, True])
    """

    def __init__(
        self,
        patterns: Patterns,
        exact_numbers: Ints,
        terms: Sequence[str] | Sequence[Sequence[str]] = (),
        *,
        lemmas: bool = False,
    ) -> None:
        self.patterns, self.exact_numbers, self._terms, self._lemmas = patterns, exact_numbers, terms, lemmas
        self._numbers = exact_numbers.copy()
        self._may_back_off = exact_numbers < 0 if len(terms) else np.zeros(len(exact_numbers), dtype=np.bool_)

    @classmethod
    def find(
        cls, patterns: Patterns, terms: Sequence[str] | Sequence[Sequence[str]], *, lemmas: bool = True
    ) -> StatedTerms:
        """Look up terms, each a name or a list of words."""
        find = patterns.finder.find
        numbers = [find(_words(term), lemmas=lemmas) for term in terms]
        return cls(patterns, np.array(numbers, dtype=np.int64), terms, lemmas=lemmas)

    def at(self, rows: Ints) -> Ints:
        """Return the numbers of some terms; their last words are looked up once."""
        new = np.unique(rows[self._may_back_off[rows]])
        if len(new):
            finder = self.patterns.finder
            for row in new.tolist():
                *modifiers, head = _words(self._terms[row])
                if modifiers:
                    self._numbers[row] = finder.find([head]) if self._lemmas else finder.numbers.get(head, -1)
            self._may_back_off[new] = False
        return self._numbers[rows]

    @property
    def numbers(self) -> Ints:
        """The number of each term, or that of its last word."""
        return self.at(np.arange(len(self._numbers)))

    @property
    def backed_off(self) -> Bools:
        """Which terms are phrases that patterns know by their last word alone."""
        return np.asarray(self.numbers != self.exact_numbers)

    def of_terms(self, of_pattern_term: Ints) -> Ints:
        """Return a quantity of pattern terms for each of these; 0 for a term that no pattern names."""
        if len(of_pattern_term) == 0:
            return np.zeros(len(self._numbers), dtype=np.int64)
        numbers = self.numbers
        return np.where(numbers >= 0, of_pattern_term[numbers], 0)

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
        numbers = self.numbers
        vectors = vectors_of(numbers)
        if len(self.patterns):
            phrase = (numbers >= 0) & ~self.patterns.is_word[numbers] & ~vectors.any(axis=1)
            rows = np.flatnonzero(phrase)
            heads = [self.patterns.head_of(number) for number in numbers[rows].tolist()]
            vectors[rows] = vectors_of(np.array(heads, dtype=np.int64))
        return vectors

    @cached_property
    def with_heads(self) -> StatedTerms:
        """The same where a phrase's being a kind of its head counts like any pattern."""
        return StatedTerms(self.patterns.with_heads, self.exact_numbers, self._terms, lemmas=self._lemmas)


def _words(term: str | Sequence[str]) -> Sequence[str]:
    return term.split(" ") if isinstance(term, str) else term


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
        rows, columns = self.terms.at(q), self.terms.at(p)
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
        q, p = (self.terms.at(rows) != self.terms.exact_numbers[rows] for rows in (self.q, self.p))
        return np.asarray(q | p)

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


def projection(patterns: Patterns, space: VectorSpace, numbers: Ints) -> Floats32:
    """Return the map A from skip-gram vectors to pattern vectors: what a word would be called.

    With w_q the skip-gram vector of q at length 1 and u_q its row of U·Σ (see `hyperdive.patterns.svd`),

        A = argmin Σ_q min(n(q, ·), 20)·‖u_q − w_q·A‖² + 100·‖A‖²

    over all words that patterns name as hyponyms. w_q·A·V[p] then says how well q fits among the words that are called
    p, also when no pattern names q. `numbers` are those of the rows of the space in the patterns.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = ["dog", "poodle", "fish", "carp"]
    >>> stated = Patterns(words, ["such as"], pack([1, 3], [0, 2], [0, 0]), [4, 4])
    >>> space = VectorSpace(words, np.eye(4), frequencies=[5, 4, 3, 2], kind="skipgram")
    >>> projection(stated, space, np.arange(4)).shape
    (4, 2)
    """
    rows = np.flatnonzero((numbers >= 0) & (patterns.hyponym_totals[numbers] > 0)) if len(patterns) else numbers[:0]
    rows = rows[np.argsort(numbers[rows])]  # the order in which products are summed up
    numbers, dimensions = numbers[rows], space.dimensions
    if not len(numbers):
        return np.zeros((dimensions, patterns.factors.rank), dtype=np.float32)
    vectors = unit_rows(np.asarray(space.rows(rows), dtype=np.float64))
    weighted = vectors * np.minimum(patterns.hyponym_totals[numbers], _MOST_STATEMENTS)[:, None]
    with one_blas_thread():
        gram = weighted.T @ vectors + _RIDGE * np.eye(dimensions)
        right = weighted.T @ patterns.hyponym_vectors(numbers).astype(np.float64)
        return np.asarray(np.linalg.solve(gram, right), dtype=np.float32)


def distinct(values: Ints) -> Ints:
    """Return sorted numbers, each once; for a few hundred of them this takes a quarter of the time of `np.unique`."""
    ordered = np.sort(values)
    kept: Ints = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return kept


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
