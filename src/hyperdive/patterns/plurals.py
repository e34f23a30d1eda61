"""Plurals that have a word of their own: what the text states of people is stated of a person.

Lemmas leave *people* alone, since in other sentences it is a singular (*a people*). As a class it is the plural of
*person*: "politicians and other people". So questions read patterns in which the two are one term.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from hyperdive._types import Ints
from hyperdive.patterns.evidence import CAP, EvidenceRows, Keys, level_in, pack, unpack
from hyperdive.patterns.pattern_table import PatternTable
from hyperdive.patterns.store import Patterns

SINGULARS: Mapping[str, str] = {"people": "person", "people|n": "person|n"}


def with_singulars(patterns: Patterns) -> Patterns:
    """The same patterns, in which all that is stated of a plural is stated of its singular.

    >>> words = ["politician", "people", "person"]
    >>> patterns = Patterns.from_keys(words, ["such as"], pack([0, 0], [1, 2], [0, 0]), [3, 1])
    >>> with_singulars(patterns).stated_hypernyms("politician")
    [('person', 4)]
    """
    numbers = patterns.numbers
    both = [(numbers[many], numbers[one]) for many, one in SINGULARS.items() if many in numbers and one in numbers]
    if not both:
        return patterns
    singular = np.arange(len(patterns))
    for many, one in both:
        singular[many] = one
    keys, counts = _renamed(patterns, [many for many, _ in both], singular)
    hyponyms, hypernyms, total = patterns.totals
    renamed = PatternTable.from_keys(
        patterns.terms,
        patterns.names,
        keys,
        counts,
        precision=patterns.precision,
        documents=patterns.documents,
        evidence=partial(_evidence, patterns, singular) if patterns.has_sentences else None,
        factors=partial(getattr, patterns, "factors") if patterns.is_factorised else None,
        totals=(_summed(hyponyms, both), _summed(hypernyms, both), total),
    )
    vars(renamed).update(keys=keys, numbers=numbers)  # what is known need not be made again
    return Patterns(renamed)


def _renamed(patterns: Patterns, plurals: list[int], singular: Ints) -> tuple[Keys, Ints]:
    """Keys and counts with singulars in the place of plurals; the few that name one are put among the others."""
    hyponyms = np.repeat(np.arange(len(patterns), dtype=np.int32), np.diff(patterns.pointers))
    moved = np.zeros(len(hyponyms), dtype=np.bool_)
    for number in plurals:
        moved |= patterns.hypernyms == number
        moved[patterns.pointers[number] : patterns.pointers[number + 1]] = True
    stays = ~moved & (hyponyms != patterns.hypernyms)  # nothing is a kind of itself
    keys, counts = patterns.keys[stays], patterns.values[stays]
    hyponym, hypernym = singular[hyponyms[moved]], singular[patterns.hypernyms[moved]]
    proper = hyponym != hypernym
    new, number_of = np.unique(
        pack(hyponym[proper], hypernym[proper], patterns.patterns[moved][proper]), return_inverse=True
    )
    added = np.zeros(len(new), dtype=np.int64)
    np.add.at(added, number_of, patterns.values[moved][proper])
    at = np.searchsorted(keys, new)
    known = keys[np.minimum(at, max(len(keys) - 1, 0))] == new if len(keys) else np.zeros(len(new), dtype=np.bool_)
    counts[at[known]] += added[known]
    return np.insert(keys, at[~known], new[~known]), np.insert(counts, at[~known], added[~known])


def _summed(totals: Ints, both: list[tuple[int, int]]) -> Ints:
    sums = totals.copy()
    for many, one in both:
        sums[one] += sums[many]
        sums[many] = 0
    return sums


def _evidence(patterns: Patterns, singular: Ints) -> EvidenceRows:
    """The sentences under their new pairs; of a pair that was two, those of the singular first."""
    rows = patterns.evidence_rows
    assert rows is not None
    hyponym, hypernym, pattern = unpack(rows.keys)
    keys = pack(singular[hyponym], singular[hypernym], pattern)
    renamed = keys != rows.keys
    order = np.lexsort((renamed, keys >> np.uint64(8)))
    order = order[level_in((keys >> np.uint64(8))[order]) < CAP]
    return rows.taken(order, keys[order])
