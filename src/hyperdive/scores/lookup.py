"""From terms to rows of a space: look words and phrases up, and gather one vector for each term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hyperdive._types import Bools, Ints
from hyperdive.scores.source import SpaceLike
from hyperdive.text.abbreviation_search import singular
from hyperdive.text.term_names import compound_parts, head_end, normal_term

TAGS = "nvja"
"""Parts of speech in the order in which a word without a tag is looked for."""
MAX_WORDS, MAX_CHARACTERS = 50, 1000
"""A longer phrase is no term; looking for its parts would take the cube of its words."""


@dataclass(frozen=True)
class Lookup:
    """Which rows of a space each term is made of.

    Term t is the mean of rows `rows[starts[t]:starts[t + 1]]`; a term without rows is not in the space. `by_lemma`
    marks the terms that were found only under the lemma of one of their words.
    """

    rows: Ints
    starts: Ints
    by_lemma: Bools

    @property
    def found(self) -> Bools:
        """Whether each term is in the space."""
        return np.diff(self.starts) > 0

    @property
    def own(self) -> Bools:
        """Whether each term has a row of its own, rather than one made of its parts."""
        return np.asarray(np.diff(self.starts) == 1)


def look_up(space: SpaceLike, terms: Sequence[Sequence[str]], *, lemmas: bool = True, language: str = "en") -> Lookup:
    """Find terms (each a list of words; a word is a key of the space such as `dog` or `dog|n`).

    The exact key first, then the key of its lemma; a phrase as one key if there is one, else by its words, and when
    any of them is missing, the phrase is missing.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["bar", "cola"], np.eye(2), frequencies=[1, 1], kind="dive")
    >>> found = look_up(space, [["bars"], ["cola", "bar"], ["zebra", "bar"]])
    >>> found.rows.tolist(), found.starts.tolist(), found.by_lemma.tolist()
    ([0, 1, 0], [0, 1, 3, 3], [True, False, False])
    """
    rows: list[int] = []
    starts = [0]
    by_lemma = np.zeros(len(terms), dtype=np.bool_)
    if lemmas:
        from hyperdive.text.lemmas import lemma_of
    for number, words in enumerate(terms):
        found: list[int] = []
        if len(words) > 1:  # a space may know a phrase as one word
            words = [key] if (key := " ".join(words)) in space else words
        for word in words:
            if word in space:
                found.append(space.index(word))
                continue
            if lemmas:
                form, bar, tag = word.partition("|")
                # a form with other signs than letters (non_author) must not be found by a part of it
                key = f"{lemma_of(language)(form)}{bar}{tag}" if form.isalpha() else word
                if key != word and key in space:
                    found.append(space.index(key))
                    by_lemma[number] = True
                    continue
            found = []
            by_lemma[number] = False
            break
        rows.extend(found)
        starts.append(len(rows))
    return Lookup(np.array(rows, dtype=np.int64), np.array(starts, dtype=np.int64), by_lemma)


def name_of(term: str, space: SpaceLike, *, own: bool = False) -> str:
    """The name a term is looked up by: as it is written where the space has that, else normalised as text is.

    A model with parts of speech is asked for nouns where none is named. An abbreviation or a long form may be looked up
    by its other form (see `hyperdive.text.abbreviations`), with `own` only where it has no row itself.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> tagged = VectorSpace(["dog|n", "bark|v"], np.eye(2), frequencies=[1, 1], kind="dive")
    >>> name_of(" Hot  Dog", tagged), name_of("bark", tagged)
    ('hot|n dog|n', 'bark|v')
    >>> name_of("Hot-Dogs", VectorSpace(["hot dog"], np.eye(1), frequencies=[1], kind="dive"))
    'hot dog'
    """
    written = " ".join(term.split())
    name = _own_name(written, space)
    if not space.other_names or (own and name in space):
        return name
    others = (space.other_names.get(form) for form in (written, singular(written), name))
    return next((other for other in others if other is not None), name)


def _own_name(written: str, space: SpaceLike) -> str:
    lower = written.lower()
    for key in (written, lower):
        if key in space:
            return key
    if space.words and "|" in space.words[0]:
        return " ".join(word if "|" in word else _tagged(word, space) for word in lower.split(" "))
    name = normal_term(written) or lower
    return name if name in space else normal_term(lower) or lower  # AIDS is apart from aid where the text has it often


def _tagged(word: str, space: SpaceLike) -> str:
    return next((key for tag in TAGS if (key := f"{word}|{tag}") in space), f"{word}|{TAGS[0]}")


def look_up_terms(space: SpaceLike, names: Sequence[str]) -> Lookup:
    """Find terms by their normal names (see `hyperdive.text.term_names`) in a space of words and terms.

    A name that the space has is one row. A phrase that it does not have is composed: of the words before its longest
    known end and, twice, that end, so that the head counts most; unknown words before it are left out. A single word
    that it does not have is composed likewise of the words it is made of ("goldfish"), or has the row of the word it
    ends in ("astrodynamics": "dynamics").

    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = ["hot", "dog", "hot dog", "dynamics", "vendor"]
    >>> space = VectorSpace(words, np.eye(5), frequencies=[1] * 5, kind="dive")
    >>> found = look_up_terms(space, ["hot dog", "hot dog vendor", "blue dog", "astrodynamics", "zebra"])
    >>> [found.rows[a:b].tolist() for a, b in zip(found.starts, found.starts[1:])]
    [[2], [2, 4, 4], [1, 1], [3, 3], []]
    """
    rows: list[int] = []
    starts = [0]
    for name in names:
        if name in space:
            rows.append(space.index(name))
        elif len(name) <= MAX_CHARACTERS and (words := name.split(" ", MAX_WORDS)) and len(words) <= MAX_WORDS:
            rows += _parts(space, words)
        starts.append(len(rows))
    return Lookup(
        np.array(rows, dtype=np.int64), np.array(starts, dtype=np.int64), np.zeros(len(names), dtype=np.bool_)
    )


def _parts(space: SpaceLike, words: Sequence[str]) -> list[int]:
    """The rows that a term without a row of its own is composed of, the head twice.

    Without a known head they are those of the pieces that are known: of "Typhoon Lupit" that of "typhoon".
    """
    if len(words) == 1:
        split = compound_parts(words[0], space, space)
        return [] if split is None else [*_known(space, split[:1]), *[space.index(split[1])] * 2]
    until = head_end(words)
    for start in range(0 if until < len(words) else 1, until):
        head = " ".join(words[start:until])
        if head in space:
            return [*_known(space, words[:start]), *[space.index(head)] * 2]
    pieces = _known(space, words[:until])
    return pieces * 2 if len(pieces) == 1 else pieces


def _known(space: SpaceLike, words: Sequence[str]) -> list[int]:
    """Rows of the longest known pieces of a modifier, from left to right; words that no piece has are left out."""
    rows, start = [], 0
    while start < len(words):
        for end in range(len(words), start, -1):
            piece = " ".join(words[start:end])
            if piece in space:
                rows.append(space.index(piece))
                start = end
                break
        else:
            start += 1
    return rows


def gather(space: SpaceLike, lookup: Lookup) -> Any:
    """Return the vectors of all looked-up terms: means for phrases, zero rows for terms that are missing.

    Single words keep the precision of the space. With a phrase among the terms the result is in 64 bits, so that no
    mean is rounded.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["bar", "cola"], [[1, 0], [0, 1]], frequencies=[1, 1], kind="dive")
    >>> gather(space, look_up(space, [["cola", "bar"], ["bar"], ["zebra"]])).tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]]
    """
    matrix, counts = space.matrix, np.diff(lookup.starts)
    if (counts == 1).all():
        return matrix[lookup.rows]
    # only the rows of these words are converted, not the whole matrix
    words, places = np.unique(lookup.rows, return_inverse=True)
    dtype = np.dtype(np.float64) if (counts > 1).any() else matrix.dtype
    parts = csr_array((np.ones(len(places), dtype=dtype), places, lookup.starts), shape=(len(counts), len(words)))
    sums = parts @ matrix[words].astype(dtype)
    if isinstance(sums, np.ndarray):
        return sums / np.maximum(counts, 1).astype(dtype)[:, None]
    sums.sort_indices()
    sums.data /= np.repeat(counts, np.diff(sums.indptr))
    return sums


def every_word(space: SpaceLike) -> Lookup:
    """The lookup of all words of a space, in their order."""
    size = len(space.words)
    return Lookup(np.arange(size), np.arange(size + 1), np.zeros(size, dtype=np.bool_))


def joined(first: Lookup, second: Lookup) -> Lookup:
    """Two lookups in one space as one."""
    return Lookup(
        np.concatenate([first.rows, second.rows]),
        np.concatenate([first.starts, first.starts[-1] + second.starts[1:]]),
        np.concatenate([first.by_lemma, second.by_lemma]),
    )
