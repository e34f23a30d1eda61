"""Every word of a source as a term, for questions that rank the whole vocabulary; the matrices are not copied."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hyperdive.scores.pairs import Terms
from hyperdive.scores.pattern_pairs import StatedTerms
from hyperdive.scores.rows import Lookup, Rows, Source, SpaceLike, gather, look_up


class Vocabulary(Terms):
    """Term t is word t of the source's main space.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = Vocabulary(Source(VectorSpace(["animal", "dog"], [[2, 1], [1, 0]], frequencies=[9, 5], kind="dive")))
    >>> words.pairs([1], [0]).cosine.round(3).tolist()
    [0.894]
    """

    def __init__(self, source: Source, *, threads: int = 0) -> None:
        words = [[word] for word in source.main.words]
        super().__init__(source, words, lemmas=False, threads=threads, lookup=every_word(source.main))

    @cached_property
    def rows(self) -> Rows:
        return Rows(self.source.main.matrix, threads=self._threads)

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        if space.words == self.source.main.words:
            return Rows(space.matrix, threads=self._threads)
        return Rows(gather(space, look_up(space, self._terms, lemmas=False)), threads=self._threads)

    @cached_property
    def stated(self) -> StatedTerms | None:
        patterns = self.source.patterns
        if patterns is None:
            return None
        words, numbers = self.source.main.words, patterns.numbers
        found = np.fromiter((numbers.get(word, -1) for word in words), dtype=np.int64, count=len(words))
        backed_off = np.zeros(len(words), dtype=np.bool_)
        # only words that are phrases need to be taken apart
        phrases = [number for number, word in enumerate(words) if "_" in word]
        parts = StatedTerms.find(patterns, [[words[number]] for number in phrases], lemmas=False)
        found[phrases], backed_off[phrases] = parts.numbers, parts.backed_off
        return StatedTerms(patterns, found, backed_off)


def with_vocabulary(source: Source, terms: Sequence[Sequence[str]], found: Lookup, *, threads: int = 0) -> Terms:
    """Every word of the source as a term, and after them these terms, which were looked up as `found`.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> source = Source(VectorSpace(["dog", "hot"], [[2, 1], [1, 0]], frequencies=[9, 5], kind="dive"))
    >>> with_vocabulary(source, [["hot", "dog"]], look_up(source.main, [["hot", "dog"]])).rows.matrix.tolist()
    [[2.0, 1.0], [1.0, 0.0], [1.5, 0.5]]
    """
    words = [[word] for word in source.main.words]
    return Terms(source, [*words, *terms], threads=threads, lookup=joined(every_word(source.main), found))


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
