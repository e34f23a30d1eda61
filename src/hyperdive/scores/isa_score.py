"""The score of questions: is q a kind of p, judged by p's own statements and contexts, for words and terms alike?

A logistic regression on a dozen quantities. A broader phrase is never judged by its head alone: every part is about p
itself, and being a kind of "water plant" is never surer than being a kind of "plant". docs/terms.md has the formula
and tells how the constants were fitted.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from functools import cache
from itertools import repeat
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np

from hyperdive._resources import check_threads, one_blas_thread
from hyperdive._sparse_rows import distinct
from hyperdive._types import Bools, Floats, Ints
from hyperdive.scores._blocks import kernels, run
from hyperdive.scores.neighbour_statements import AskedColumns
from hyperdive.scores.pairs import Pairs, ratio
from hyperdive.scores.registry import register

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns
    from hyperdive.scores.isa_columns import IsaColumns
    from hyperdive.scores.terms import Terms


@dataclass(frozen=True)
class IsaWeights:
    """The constants of the score, fitted on the development files of discovery and on judged answers."""

    stated: float = 0.605
    """log(1 + n(q, p)): how often the text states it."""
    surprising: float = 0.146
    """PPMI(q, p) of these statements."""
    variety: float = 0.24
    """How many different patterns state it."""
    stated_back: float = -0.05
    """log(1 + n(p, q)): statements the other way round."""
    nearest: float = 0.627
    """A₂₀(q, p): what the twenty nearest neighbours of q are stated to be."""
    inherited: float = 10.721
    """B(q, p): what the likely hypernyms of q are stated to be."""
    similar: float = 1.657
    """The positive part of the skip-gram cosine W."""
    general: float = 0.416
    """(S(p) − S(q)) / (S(p) + S(q)): is p the broader of the two in DIVE?"""
    hyponyms: float = 0.436
    """log(1 + m(p)): how many different terms are stated to be a kind of p."""
    head: float = 4.739
    """q ends in p: a guide dog is a dog."""
    stated_of_head: float = 0.446
    """log(1 + n(h, p)), h what q ends in."""
    stated_head: float = 0.832
    """log(1 + n(q, h)), h what the phrase p ends in."""
    statements: float = 0.165
    """log(1 + n(q, ·)): how often the text states anything of q."""
    class_of_others: float = -0.208
    """log(1 + n(·, q)): q is a class itself, so that statements that name it are often of its kinds."""
    frequency: float = -0.036
    """log(1 + f(q))."""
    hypernym_frequency: float = -0.335
    """log(1 + f(p)): of two classes with as many kinds, the rarer word is rather used as a class."""
    unstated: float = -4.5
    """Taken off for a broader phrase that no sentence states of q, unless most neighbours are stated to be one."""
    of_names: float = -3.0
    """Which share of the statements of (q, p) is written as of a name, times the share of all statements about q that
    is not: the Detroit Tigers are a team, no tiger is."""
    slope: float = 0.83
    start: float = -2.25
    """The logistic curve from the sum to a confidence …"""
    few: float = 0.3
    """… and what is added for patterns of fewer statements: ln(773,674/N), no less than 0 and no more than 1."""


WEIGHTS = IsaWeights()
UNSUPPORTED = 0.15
"""Most confidence in a pair that nothing speaks for but likeness."""
HEAD_CONFIDENCE = 0.9
"""Confidence that a phrase is a kind of its head: a domestic dog is a dog."""
ENDING_CONFIDENCE = 0.5
"""Confidence that a word is a kind of the word it ends in: half of those of the development gold are."""
_OFTEN, _ALIKE = 20, 0.4
_STATEMENTS = 773_674  # of the Wikipedia text that most judged answers are of
_FEW = 100_000  # pairs that are summed before the compiler is worth waiting for
_INHERITED = 0.3  # B(q, p) beyond this, which few pairs of a real text reach, says no more
_ALONE, _ASKED = 8, 100  # more hyponyms, with no more hypernyms each, are worth looking for these hypernyms alone
_HYPONYMS = 256  # of which the neighbours are looked for at once
_MOST = 1.0  # A(q, p) of a class that most neighbours of q belong to
_BORDERS = np.array([_INHERITED, _MOST])
_ROUNDING = 1e-6  # of a sum in another order


def isa_sum(pairs: Pairs, weights: IsaWeights = WEIGHTS) -> Floats:
    """The weighted sum behind the confidence."""
    stated = pairs.patterns
    assert stated is not None
    known_p, known_q = ~stated.backed_off_p, ~stated.backed_off_q
    both = known_p & known_q
    terms, sums = stated.terms, pairs.rows.sums
    frequency = pairs.terms.own_frequencies

    def logarithm(counts: Floats | Ints, known: Bools) -> Floats:
        values: Floats = np.log1p(np.where(known, counts, 0.0))
        return values

    total: Floats = (
        weights.stated * logarithm(stated.counts, both)
        + weights.surprising * np.where(both, stated.ppmi, 0.0)
        + weights.variety * np.where(both, stated.variety, 0.0)
        + weights.stated_back * logarithm(stated.reverse, both)
        + weights.nearest * pairs.nearest_ppmi
        + weights.inherited * np.minimum(pairs.inherited, _INHERITED)
        + weights.similar * np.maximum(pairs.skipgram_cosine, 0.0)
        + weights.general * ratio(pairs.difference(sums), sums[pairs.q] + sums[pairs.p])
        + weights.hyponyms * logarithm(terms.hyponyms_of[pairs.p], known_p)
        + weights.head * pairs.is_head
        + weights.stated_of_head * np.log1p(pairs.head_statements)
        + weights.stated_head * np.log1p(pairs.statements_of_head)
        + weights.statements * logarithm(stated.hyponym_total, known_q)
        + weights.class_of_others * logarithm(stated.hyper_total_of_q, known_q)
        + weights.frequency * np.log1p(frequency[pairs.q])
        + weights.hypernym_frequency * np.log1p(frequency[pairs.p])
        + weights.unstated * _unstated_phrases(pairs)
        + weights.of_names * np.where(both, ratio(stated.named, stated.counts) * (1.0 - stated.named_share_of_q), 0.0)
    )
    return total


def _unstated_phrases(pairs: Pairs) -> Bools:
    """Which pairs have a broader phrase that the text states neither of q nor of most of its neighbours.

    The neighbours of a trumpet are string instruments, too; those of a hurricane are natural disasters, all of them.
    """
    stated = pairs.patterns
    assert stated is not None
    is_stated = np.where(stated.backed_off, 0, stated.counts) > 0
    return pairs.terms.phrases[pairs.p] & ~pairs.is_head & ~is_stated & (pairs.neighbour_ppmi < _MOST)


@register(
    "isa",
    family="combined",
    formula="logistic regression on statements about q, about its head, its neighbours and its likely hypernyms, "
    "similarity, generality and frequencies (docs/terms.md); for a phrase p at most that of its head",
    range="[0, 1]",
    reference="hyperdive; constants fitted on development files and judged answers",
    needs=("projection", "nonnegative"),
    aliases=("terms",),
)
def isa(pairs: Pairs) -> Floats:
    """Confidence that q is a kind of p, for words and multi-word terms alike."""
    return isa_confidence(pairs)


def isa_confidence(pairs: Pairs, weights: IsaWeights = WEIGHTS) -> Floats:
    """The confidence by some weights; a broader phrase needs support of its own, and a head may be doubted."""
    compiled = kernels.loaded or len(pairs) > _FEW
    columns = pairs.terms.isa_columns if compiled else None
    own, above, unsupported = _sums(pairs, weights) if columns is None else _compiled_sums(pairs, columns, weights)
    confidence = _logistic(np.minimum(own, above), pairs, weights)
    confidence[unsupported] = np.minimum(confidence[unsupported], UNSUPPORTED)
    confidence[pairs.terms.compounds[pairs.q]] *= ENDING_CONFIDENCE  # it is known by the word it ends in alone
    ends = np.flatnonzero(pairs.is_head)
    if len(ends):
        of_form = head_confidence(Pairs(pairs.terms, pairs.q[ends], pairs.p[ends], threads=pairs.threads))
        confidence[ends] = np.where(of_form < HEAD_CONFIDENCE, np.minimum(confidence[ends], of_form), confidence[ends])
    return confidence


def _sums(pairs: Pairs, weights: IsaWeights) -> tuple[Floats, Floats, Bools]:
    """The sum of each pair, that of q with what a broader phrase ends in (∞ without), and whether it is unsupported."""
    own, above = isa_sum(pairs, weights), np.full(len(pairs), np.inf)
    phrases = np.flatnonzero(pairs.terms.phrases[pairs.p] & ~pairs.is_head)
    heads = pairs.terms.head_rows(pairs.p[phrases])
    known = (heads >= 0) & (heads != pairs.q[phrases])
    with_head = phrases[known]
    if len(with_head):
        above[with_head] = isa_sum(Pairs(pairs.terms, pairs.q[with_head], heads[known], threads=pairs.threads), weights)
    return own, above, is_unsupported(pairs)


@cache
def _array_of(weights: IsaWeights) -> Floats:
    return np.array(astuple(weights))


def _compiled_sums(pairs: Pairs, columns: IsaColumns, weights: IsaWeights) -> tuple[Floats, Floats, Bools]:
    """`_sums`, to the bit, by one loop over the pairs; those of many hyponyms in parts, to keep no analogies."""
    hyponyms, places = pairs.asked
    heads, statements = pairs.heads, columns.statements
    phrases = pairs.p[columns.phrases[pairs.p]]
    head_columns = pairs.terms.head_columns(np.concatenate([hyponyms, phrases]))

    few = len(hyponyms) > _ALONE and len(pairs) <= _ASKED * len(hyponyms)

    def sums_of(start: int, some: Ints | slice, threads: int) -> Floats:
        """The sums of some pairs, whose hyponyms are among those from a start on."""
        here = slice(start, start + _HYPONYMS)
        asked = None
        if few:
            p, numbers = pairs.p[some], columns.numbers
            above = np.where(columns.phrases[p], head_columns[1][p], -1)
            classes = np.concatenate([numbers[p], np.where(above >= 0, numbers[above], -1)])
            rows, width = np.tile(places[some] - start, 2), len(columns.statements.indptr) - 1
            asked = AskedColumns.of(rows, classes, len(hyponyms[here]), width)
        analogies = pairs.terms.analogies(hyponyms[here], asked)
        return run(
            "isa_sums",
            len(pairs.q[some]),
            _array_of(weights),
            _BORDERS,
            pairs.q[some],
            pairs.p[some],
            places[some] - start,
            np.cumsum([0, *map(len, heads[here])]),
            np.concatenate([np.zeros(0, dtype=np.int64), *heads[here]]),
            columns.numbers,
            columns.values,
            columns.phrases,
            *head_columns,
            columns.matrix,
            columns.codes,
            columns.scales,
            statements.indptr,
            statements.indices,
            statements.values,
            *(part for row in analogies for part in (row.indptr, row.indices, row.data)),
            columns=3,
            threads=threads,
        )

    if len(hyponyms) <= _HYPONYMS:
        sums = sums_of(0, slice(None), pairs.threads)
    else:
        starts, order = range(0, len(hyponyms), _HYPONYMS), np.argsort(places, kind="stable")
        parts = np.split(order, np.searchsorted(places[order], starts[1:]))
        sums = np.empty((len(pairs), 3))
        pairs.terms.analogies(hyponyms[:0])  # what all parts read is made once, not by each thread
        with one_blas_thread(), ThreadPoolExecutor(check_threads(pairs.threads or None)) as pool:
            for some, found in zip(parts, pool.map(sums_of, starts, parts, repeat(1)), strict=True):
                sums[some] = found
    return sums[:, 0], sums[:, 1], sums[:, 2] > 0


def is_unsupported(pairs: Pairs) -> Bools:
    """Which pairs nothing speaks for but likeness: no statement about q, its head or its neighbours names p.

    What follows from likely hypernyms is support for a word (a politician is a person), not for a phrase.
    """
    stated = pairs.patterns
    assert stated is not None
    is_stated = np.where(stated.backed_off, 0, stated.counts) > 0
    by_others = (pairs.inherited > 0) | (pairs.head_statements > 0)
    return ~is_stated & ~pairs.is_head & (pairs.neighbour_ppmi <= 0) & (pairs.terms.phrases[pairs.p] | ~by_others)


def head_confidence(pairs: Pairs) -> Floats:
    """Confidence that a phrase q is a kind of p, what it ends in, by its form alone.

    It is `HEAD_CONFIDENCE`, but a phrase that the text often has, in other company than its head and never called a
    kind of it, is doubted: a hot dog is no dog, a family tree no tree.

    >>> from hyperdive.scores.pairs import TermArrays
    >>> vectors = [[1.0, 0.0], [0.2, 1.0], [0.9, 0.1]]
    >>> data = TermArrays(vectors, skipgram=vectors, frequencies=[900, 87, 40])
    >>> head_confidence(Pairs(data, q=[1, 2], p=[0, 0])).round(2).tolist()
    [0.22, 0.9]
    """
    often = pairs.terms.own_frequencies[pairs.q] >= _OFTEN
    likeness = np.ones(len(pairs)) if pairs.skipgram is None else np.maximum(pairs.skipgram_cosine, 0.0)
    silent = np.ones(len(pairs), dtype=np.bool_) if pairs.patterns is None else pairs.patterns.counts == 0
    doubted = often & silent & (likeness < _ALIKE)
    return np.where(doubted, HEAD_CONFIDENCE * likeness / (2 * _ALIKE), HEAD_CONFIDENCE)


def _logistic(sums: Floats, pairs: Pairs, weights: IsaWeights) -> Floats:
    """From sums to confidences."""
    assert pairs.patterns is not None
    start = _start(pairs.patterns.terms.patterns, weights)
    values: Floats = 1.0 / (1.0 + np.exp(-(weights.slope * sums + start)))
    return values


def _start(patterns: Patterns, weights: IsaWeights) -> float:
    """Where the curve begins: in a small text the same counts and surprises say more than in a large one."""
    total = max(patterns.totals[2], 1)
    return weights.start + weights.few * min(max(log(_STATEMENTS / total), 0.0), 1.0)


def reachable_hypernyms(terms: Terms, row: int, confidence: float = 0.0, weights: IsaWeights = WEIGHTS) -> Ints:
    """The rows of the hypernyms of a term that something speaks for, sorted.

    Those that cannot have this confidence may be left out, which most of them cannot; all others are there.
    """
    (heads,) = terms.heads(np.array([row]))
    columns = terms.isa_columns if kernels.loaded and terms.stated is not None else None
    if columns is None or weights.stated_back > 0 or weights.of_names > 0:
        numbers, _ = terms.supported(row)
        rows = terms.row_of_number[numbers]
        return distinct(np.concatenate([rows[rows >= 0], heads]))
    assert terms.stated is not None
    least = -inf
    if 0.0 < confidence < 1.0:
        least = (log(confidence / (1.0 - confidence)) - _start(terms.stated.patterns, weights)) / weights.slope
    rows = np.array([row])
    statements = columns.statements
    reachable: Ints = kernels.reachable_rows(
        _array_of(weights),
        _BORDERS,
        least - _ROUNDING,
        row,
        columns.numbers[row],
        terms.head_numbers(rows)[0],
        columns.values,
        columns.phrases,
        terms.row_of_number,
        terms.class_columns,
        statements.indptr,
        statements.indices,
        statements.values,
        *(part for analogy in terms.analogies(rows) for part in (analogy.indices, analogy.data)),
    )
    return distinct(np.concatenate([reachable, heads])) if len(heads) else np.sort(reachable)
