"""Plurals that have a word of their own: what the text states of people is stated of a person.

Lemmas leave *people* alone, since in other sentences it is a singular (*a people*). As a class it is the plural of
*person*: "politicians and other people". So questions read patterns in which the two are one term.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from hyperdive._types import Ints
from hyperdive.patterns.evidence import CAP, EvidenceRows, added_up, level_in, renumbered
from hyperdive.patterns.store import Patterns

SINGULARS: Mapping[str, str] = {"people": "person", "people|n": "person|n"}


def with_singulars(patterns: Patterns) -> Patterns:
    """The same patterns, in which all that is stated of a plural is stated of its singular.

    >>> from hyperdive.patterns.evidence import pack
    >>> words = ["politician", "people", "person"]
    >>> patterns = Patterns(words, ["such as"], pack([0, 0], [1, 2], [0, 0]), [3, 1])
    >>> with_singulars(patterns).stated_hypernyms("politician")
    [('person', 4)]
    """
    numbers = patterns.numbers
    both = [(numbers[many], numbers[one]) for many, one in SINGULARS.items() if many in numbers and one in numbers]
    if not both:
        return patterns
    singular = np.arange(len(patterns))
    hyponyms, hypernyms = (sums.copy() for sums in patterns.totals[:2])
    for many, one in both:
        singular[many] = one
        for sums in (hyponyms, hypernyms):
            sums[one] += sums[many]
            sums[many] = 0
    is_plural = singular != np.arange(len(patterns))
    is_renamed = is_plural[patterns.hyponyms] | is_plural[patterns.hypernyms]
    # the few that name a plural come after the others, which are in order
    place = np.concatenate([np.flatnonzero(~is_renamed), np.flatnonzero(is_renamed)])
    # nothing is a kind of itself
    place = place[singular[patterns.hyponyms[place]] != singular[patterns.hypernyms[place]]]
    keys, counts = added_up(renumbered(patterns.keys[place], singular), patterns.values[place])
    sentences = partial(_evidence, patterns, singular) if patterns.has_sentences else None
    totals = hyponyms, hypernyms, patterns.totals[2]
    renamed = replace(patterns, keys=keys, values=counts, sentences=sentences, sums=totals)
    renamed.terms, renamed.numbers = patterns.terms, patterns.numbers  # they need not be made again
    return renamed


def _evidence(patterns: Patterns, singular: Ints) -> EvidenceRows:
    """The sentences under their new pairs; of a pair that was two, those of the singular first."""
    rows = patterns.evidence_rows
    assert rows is not None
    keys = renumbered(rows.keys, singular)
    order = np.lexsort((keys != rows.keys, keys >> np.uint64(8)))
    order = order[level_in((keys >> np.uint64(8))[order]) < CAP]
    return rows.taken(order, keys[order])
