"""Phrases with the same head whose modifiers are a kind of each other: grape juice is a fruit juice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from hyperdive._types import Floats, Ints
from hyperdive.scores.source import Source
from hyperdive.scores.terms import Terms
from hyperdive.text.term_names import head_end

MIN_MODIFIER_CONFIDENCE = 0.73
"""From this confidence on that the modifiers are hyponym and hypernym, the phrases are taken to be."""
_PAIRS_A_BLOCK = 250_000


def modifier_parents(source: Source, names: Sequence[str]) -> tuple[Ints, Floats]:
    """For each phrase the phrase that it is a kind of by its modifier, −1 without one; and the confidence in it.

    Both phrases end in the same word. What stands before it must be a term of the model in both, a single word in the
    broader phrase, and the one a kind of the other: *grape* of *fruit*. Where several are, the surest is the parent.
    Without patterns there is no confidence, and no such parent.
    """
    parents, confidence = np.full(len(names), -1, dtype=np.int64), np.zeros(len(names))
    groups = modifiers_by_head(names)
    if source.patterns is None or source.skipgram is None or not groups:
        return parents, confidence
    modifiers = sorted({modifier for group in groups.values() for modifier in group})
    number = {modifier: place for place, modifier in enumerate(modifiers)}
    terms = Terms.named(source, [source.name_of(modifier) for modifier in modifiers])
    for group in groups.values():
        known = [modifier for modifier in group if terms.found[number[modifier]]]
        broad = [modifier for modifier in known if " " not in modifier]
        for narrow in _blocks(known, len(broad)):
            hyponyms = np.array([number[modifier] for modifier in narrow], dtype=np.int64)
            hypernyms = np.array([number[modifier] for modifier in broad], dtype=np.int64)
            sure = terms.confidence(np.repeat(hyponyms, len(broad)), np.tile(hypernyms, len(narrow)))
            sure = sure.reshape(len(narrow), len(broad))
            for row, column in np.argwhere(sure >= MIN_MODIFIER_CONFIDENCE).tolist():
                phrase, value = group[narrow[row]], sure[row, column]
                # "red grape juice" is beneath "grape juice" by its form already
                if not f" {narrow[row]}".endswith(f" {broad[column]}") and value > confidence[phrase]:
                    parents[phrase], confidence[phrase] = group[broad[column]], value
    return parents, confidence


def modifiers_by_head(names: Sequence[str]) -> dict[str, dict[str, int]]:
    """For each word that several phrases end in, what stands before it and the number of the phrase.

    >>> modifiers_by_head(["fruit juice", "juice", "red grape juice", "bird of prey", "hot dog"])
    {'juice': {'fruit': 0, 'red grape': 2}}
    """
    groups: dict[str, dict[str, int]] = defaultdict(dict)
    for place, name in enumerate(names):
        words = name.split(" ")
        if len(words) > 1 and head_end(words) == len(words):
            groups[words[-1]][" ".join(words[:-1])] = place
    return {head: group for head, group in groups.items() if len(group) > 1}


def _blocks(modifiers: list[str], columns: int) -> Iterator[list[str]]:
    rows = max(1, _PAIRS_A_BLOCK // max(columns, 1))
    for start in range(0, len(modifiers) if columns else 0, rows):
        yield modifiers[start : start + rows]
