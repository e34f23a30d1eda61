"""Senses of a word, lightly: answers that have nothing to do with each other are put into groups.

A tiger is an animal and a team. Which hypernyms belong together is read from their own vectors and statements; nothing
is claimed about senses that no answer speaks of.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hyperdive._types import Floats
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.terms import heads_of

MIN_LINK = 0.35
"""Groups whose mean link is at least this are one sense."""
MIN_STATEMENTS = 2
"""A group none of whose answers the text states as often as this is no sense of its own."""


def senses(pairs: Pairs, names: Sequence[str], statements: Sequence[int]) -> list[int]:
    """The sense of each answer, from 1 on in the order of the answers.

    Args:
        pairs: Every answer with every answer, row by row.
        names: The answers, the best first.
        statements: How often the text states each of them.
    """
    return grouped(links(pairs, names), statements)


def links(pairs: Pairs, names: Sequence[str]) -> Floats:
    """How much two answers belong together, from 0 to 1.

    It is the largest of three: the positive part of the skip-gram cosine; n/(n + 1), n the statements that one is a
    kind of the other; and 1 for phrases with the same head.
    """
    size = len(names)
    values = np.zeros((size, size))
    if pairs.skipgram is not None:
        values = np.maximum(values, pairs.skipgram_cosine.reshape(size, size))
    if pairs.patterns is not None:
        stated = pairs.patterns.exact_counts.reshape(size, size)
        either = stated + stated.T
        values = np.maximum(values, either / (either + 1))
    heads = [(heads_of(name.lower().split()) or [name.lower()])[-1].removesuffix("s") for name in names]
    values[np.array([[one == other for other in heads] for one in heads], dtype=np.bool_)] = 1.0
    return values


def grouped(link: Floats, statements: Sequence[int]) -> list[int]:
    """Groups by average linkage; a group that the text hardly states joins the one it has most to do with.

    >>> link = np.array([[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]])
    >>> grouped(link, [5, 1, 3]), grouped(link, [5, 1, 1])
    ([1, 1, 2], [1, 1, 1])
    """
    groups = [[place] for place in range(len(link))]
    while len(groups) > 1:
        value, one, other = _nearest(link, groups)
        if value < MIN_LINK:
            break
        groups[one] = sorted(groups[one] + groups.pop(other))
    while len(groups) > 1:
        weak = next((g for g in groups if max(statements[place] for place in g) < MIN_STATEMENTS), None)
        if weak is None:
            break
        others = [group for group in groups if group is not weak]
        joined = max(range(len(others)), key=lambda place: _link(link, others[place], weak))
        others[joined] = sorted(others[joined] + weak)
        groups = others
    numbers = [0] * len(link)
    for number, group in enumerate(sorted(groups), start=1):
        for place in group:
            numbers[place] = number
    return numbers


def _nearest(link: Floats, groups: list[list[int]]) -> tuple[float, int, int]:
    """The mean link of the two groups that have most to do with each other, and which they are; the first of equals."""
    pairs = ((one, other) for one in range(len(groups)) for other in range(one + 1, len(groups)))
    return max(
        ((_link(link, groups[a], groups[b]), a, b) for a, b in pairs), key=lambda near: (near[0], -near[1], -near[2])
    )


def _link(link: Floats, one: list[int], other: list[int]) -> float:
    return float(link[np.ix_(one, other)].mean())
