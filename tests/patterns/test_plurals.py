"""Plurals that are words of their own: what is stated of them is stated of their singulars, beside a slow twin."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hyperdive.patterns.evidence import pack, unpack
from hyperdive.patterns.plurals import SINGULARS, with_singulars
from hyperdive.patterns.store import Patterns
from tests.examples import examples

TERMS = ["artist", "people", "person", "people|n", "person|n", "voter"]
NAMES = ["such as", "is a"]
statements = st.dictionaries(
    st.tuples(st.integers(0, len(TERMS) - 1), st.integers(0, len(TERMS) - 1), st.integers(0, 1)), st.integers(1, 9)
)


def made(terms: list[str], stated: dict[tuple[int, int, int], int]) -> Patterns:
    ordered = sorted(stated)
    columns = [list(column) for column in zip(*ordered, strict=True)] or [[], [], []]
    return Patterns(terms, NAMES, pack(*columns), [stated[one] for one in ordered])


def entries(patterns: Patterns) -> list[tuple[str, str, str, int]]:
    columns = (part.tolist() for part in (*unpack(patterns.keys), patterns.values))
    return [
        (patterns.terms[hyponym], patterns.terms[hypernym], patterns.names[pattern], count)
        for hyponym, hypernym, pattern, count in zip(*columns, strict=True)
    ]


@examples(300)
@given(statements)
def test_statements_of_plurals_are_those_of_singulars(stated: dict[tuple[int, int, int], int]) -> None:
    expected: Counter[tuple[int, int, int]] = Counter()
    for (hyponym, hypernym, pattern), count in stated.items():
        names = (SINGULARS.get(TERMS[number], TERMS[number]) for number in (hyponym, hypernym))
        one, other = (TERMS.index(name) for name in names)
        if one != other:
            expected[one, other, pattern] += count
    renamed = with_singulars(made(TERMS, stated))
    assert entries(renamed) == [
        (TERMS[q], TERMS[p], NAMES[pattern], count) for (q, p, pattern), count in sorted(expected.items())
    ]
    assert list(renamed.keys) == sorted(renamed.keys)


def test_patterns_without_both_words_stay_as_they_are() -> None:
    patterns = made(["artist", "people"], {(0, 1, 0): 2, (0, 0, 0): 1})
    assert with_singulars(patterns) is patterns
