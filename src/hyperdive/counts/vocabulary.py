"""One vocabulary for several corpora: which preprocessing goes together, and what a word's number becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive.errors import InputError

# These choose how much text is read, not what a word is; the minimum count is applied after uniting.
_FREE = frozenset({"min_count", "max_tokens", "budget", "shuffle"})


@dataclass(frozen=True)
class United:
    """Words of all sources by falling count, then by word; `tables[s][i]` is the new number of source s's word i."""

    words: list[str]
    counts: npt.NDArray[np.int64]
    tables: tuple[npt.NDArray[np.uint32], ...]


def unite(sources: Sequence[tuple[Sequence[str], npt.NDArray[np.int64]]]) -> United:
    """Add up the word counts of several vocabularies (the unknown symbol first in each).

    >>> united = unite([(["<unk>", "a", "b"], np.array([0, 3, 1])), (["<unk>", "b", "c"], np.array([0, 5, 5]))])
    >>> united.words, united.counts.tolist(), [table.tolist() for table in united.tables]
    (['<unk>', 'b', 'c', 'a'], [0, 6, 5, 3], [[0, 3, 1], [0, 1, 2]])
    """
    if len(sources) == 1:
        words, counts = sources[0]
        return United(list(words), np.array(counts), (np.arange(len(words), dtype=np.uint32),))
    totals: dict[str, int] = {}
    for words, counts in sources:
        for word, count in zip(words[1:], counts[1:].tolist(), strict=True):
            totals[word] = totals.get(word, 0) + count
    ordered = sorted(totals, key=lambda word: (-totals[word], word))
    numbers = {word: number for number, word in enumerate(ordered, start=1)}
    tables = tuple(
        np.fromiter((numbers.get(word, 0) for word in words), dtype=np.uint32, count=len(words)) for words, _ in sources
    )
    counts = np.array([0, *(totals[word] for word in ordered)], dtype=np.int64)
    return United([sources[0][0][0], *ordered], counts, tables)


def common_text(sources: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The preprocessing all sources (name, parameters) share; the first parameter that differs is an error.

    >>> common_text([("a", {"lemmas": "none", "min_count": 5}), ("b", {"lemmas": "simplemma", "min_count": 9})])
    Traceback (most recent call last):
    hyperdive.errors.InputError: a and b were encoded differently: lemmas is none in one, simplemma in the other ...
    """
    first_name, first = sources[0]
    wanted = {key: value for key, value in sorted(first.items()) if key not in _FREE}
    for name, parameters in sources[1:]:
        for key in sorted((wanted.keys() | parameters.keys()) - _FREE):
            if wanted.get(key) != parameters.get(key):
                raise InputError(
                    f"{first_name} and {name} were encoded differently: {key} is {wanted.get(key)} in one, "
                    f"{parameters.get(key)} in the other",
                    hint="encode both texts with the same options",
                )
    if len(sources) > 1 and wanted.get("rare") == "drop":
        raise InputError(
            f"{first_name}: its rare words were dropped, so a minimum count cannot be applied after adding",
            hint="encode again with --set rare=unknown",
        )
    return wanted


def common_min_count(sources: Sequence[tuple[str, int]], given: int | None) -> int:
    """The minimum count asked for, or the one all sources share."""
    if given is not None:
        return given
    values = sorted({value for _, value in sources})
    if len(values) > 1:
        raise InputError(
            f"the sources have different minimum counts ({', '.join(map(str, values))})",
            hint=f"say which one to apply: --min-count {values[-1]}",
        )
    return values[0]


def refuse_repeats(sources: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Each source is (name, fingerprints of its corpora): the same text twice is a mistake."""
    seen: dict[str, str] = {}
    for name, corpora in sources:
        for corpus in corpora:
            if corpus in seen:
                raise InputError(
                    f"{seen[corpus]} and {name} hold the same corpus, which would be counted twice",
                    hint="leave one of them out",
                )
            seen[corpus] = name
