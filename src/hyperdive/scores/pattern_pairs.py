"""What patterns say of pairs of terms: counts, PPMI and smoothed PPMI, both ways, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperdive._sparse_rows import distinct
from hyperdive._types import Bools, Floats, Ints
from hyperdive.patterns.svd import ppmi_values
from hyperdive.patterns.term_finder import TermFinder
from hyperdive.scores._blocks import products, run

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns

_FEW = 8  # hyponyms whose statements are looked at by themselves


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
        """Look terms (each a list of words) up."""
        finder = TermFinder(patterns, lemmas=lemmas, language=language)
        found = [finder.find(words) for words in terms]
        numbers = np.fromiter((number for number, _ in found), dtype=np.int64, count=len(found))
        return cls(patterns, numbers, np.fromiter((off for _, off in found), dtype=np.bool_, count=len(found)))

    @classmethod
    def named(cls, patterns: Patterns, names: Sequence[str]) -> StatedTerms:
        """Look terms up by the names that patterns have; a phrase that they do not have stands for its head.

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

    def of_terms(self, of_pattern_term: npt.NDArray[np.int64]) -> Ints:
        """A quantity of pattern terms for each of these; 0 for one that no pattern names."""
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
    def hyponyms_of(self) -> Ints:
        """How many different terms are stated to be a kind of each."""
        return self.of_terms(self.patterns.hyponyms_of)

    @cached_property
    def named_shares(self) -> Floats:
        """Which share of the statements about each is written as of a name; 0 where there are none."""
        return np.where(self.numbers >= 0, self.patterns.named_shares[self.numbers], 0.0)

    @cached_property
    def as_hyponym(self) -> npt.NDArray[np.float32]:
        """U·Σ of each; of a phrase that has none, that of its head."""
        return self._or_head(self.patterns.hyponym_vectors)

    @cached_property
    def as_hypernym(self) -> npt.NDArray[np.float32]:
        """V of each; of a phrase, which has none, that of its head."""
        return self._or_head(self.patterns.hypernym_vectors)

    def _or_head(self, vectors_of: Callable[[Ints], npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
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
    """Pairs (q, p) of such terms, hyponym candidate first; every property is one number a pair."""

    def __init__(self, terms: StatedTerms, q: Ints, p: Ints, *, threads: int = 0) -> None:
        self.terms, self.q, self.p, self._threads = terms, q, p, threads

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
    def head_counts(self) -> Floats:
        """How often q, a phrase, occurs in the text with p as its head."""
        return self._of(self.terms.patterns.head_counts, self.q, self.p)

    @cached_property
    def named(self) -> Floats:
        """How many of n(q, p) are written as of a name."""
        stated = np.flatnonzero(self.counts)
        named = np.zeros(len(self))
        if len(stated):
            named[stated] = self._of(self._about_q.named, self.q[stated], self.p[stated])
        return named

    @property
    def named_share_of_q(self) -> Floats:
        """Which share of n(q, ·) is written as of a name."""
        numbers = self.terms.numbers[self.q]
        return np.where(numbers >= 0, self._about_q.named_shares[numbers], 0.0)

    @cached_property
    def variety(self) -> Floats:
        """How many different patterns say that q is a kind of p."""
        return self._of(self._about_q.variety, self.q, self.p)

    @cached_property
    def _about_q(self) -> Patterns:
        """The patterns, at least what they state of every q: a single question needs no tables of all terms."""
        numbers = distinct(self.terms.numbers[self.q])
        return self.terms.patterns.about(numbers[numbers >= 0]) if len(numbers) <= _FEW else self.terms.patterns

    def by_pattern(self, name: str) -> Floats:
        """n(q, p) of one pattern."""
        return self._of(self.terms.patterns.by_pattern(name), self.q, self.p)

    def _of(self, csr: Any, q: Ints, p: Ints) -> Floats:
        numbers = self.terms.numbers
        arguments = (csr.indptr, csr.indices, csr.data, numbers[q], numbers[p])
        return run("csr_values", len(q), *arguments, threads=self._threads)

    @property
    def hyponym_total(self) -> Ints:
        """n(q, ·): how often q is said to be a kind of anything."""
        return self.terms.hyponym_totals[self.q]

    @property
    def hypernym_total(self) -> Ints:
        """n(·, p): how often anything is said to be a kind of p."""
        return self.terms.hypernym_totals[self.p]

    @property
    def hypo_total_of_p(self) -> Ints:
        """n(p, ·)."""
        return self.terms.hyponym_totals[self.p]

    @property
    def hyper_total_of_q(self) -> Ints:
        """n(·, q)."""
        return self.terms.hypernym_totals[self.q]

    # ---- how surprising that is -----------------------------------------------------------------------------

    @cached_property
    def ppmi(self) -> Floats:
        """max(0, log(n(q, p)·N / (n(q, ·)·n(·, p))))."""
        return ppmi_values(self.counts, self.hyponym_total, self.hypernym_total, self.terms.patterns.totals[2])

    @cached_property
    def ppmi_reverse(self) -> Floats:
        """The same of (p, q)."""
        return ppmi_values(self.reverse, self.hypo_total_of_p, self.hyper_total_of_q, self.terms.patterns.totals[2])

    @cached_property
    def svd(self) -> Floats:
        """(U·Σ)[q]·V[p]: PPMI smoothed by what similar terms are called."""
        return self.smoothed(0)

    @cached_property
    def svd_reverse(self) -> Floats:
        """The same of (p, q)."""
        return self.smoothed(0, reverse=True)

    def smoothed(self, rank: int, *, reverse: bool = False) -> Floats:
        """The same in the first `rank` dimensions; 0 means all."""
        q, p = (self.p, self.q) if reverse else (self.q, self.p)
        left, right = self.terms.as_hyponym, self.terms.as_hypernym
        if rank:
            left, right = np.ascontiguousarray(left[:, :rank]), np.ascontiguousarray(right[:, :rank])
        return products(left, right, q, p, threads=self._threads)

    # ---- where nothing is said ------------------------------------------------------------------------------

    @property
    def silent(self) -> Bools:
        """Whether no pattern says that q is a kind of p."""
        return np.asarray(self.counts == 0)

    @property
    def svd_silent(self) -> Bools:
        """Whether the decomposition knows nothing of q as a hyponym, or of p as a hypernym."""
        as_hyponym, as_hypernym = (
            np.asarray(table.any(axis=1)) for table in (self.terms.as_hyponym, self.terms.as_hypernym)
        )
        return ~(as_hyponym[self.q] & as_hypernym[self.p])

    @property
    def backed_off(self) -> Bools:
        """Whether q or p is a phrase that is looked up by its head alone."""
        return self.backed_off_q | self.backed_off_p

    @property
    def backed_off_q(self) -> Bools:
        return self.terms.backed_off[self.q]

    @property
    def backed_off_p(self) -> Bools:
        return self.terms.backed_off[self.p]

    @cached_property
    def with_heads(self) -> StatedPairs:
        """The same pairs where a phrase's being a kind of its head counts like any pattern."""
        return StatedPairs(self.terms.with_heads, self.q, self.p, threads=self._threads)
