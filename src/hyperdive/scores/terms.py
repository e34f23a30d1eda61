"""Distinct terms found in the spaces of a source, with the vectors and counts that scores read of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from hyperdive._types import Bools, Floats
from hyperdive.scores.gaussians import Gaussians
from hyperdive.scores.lookup import Lookup, every_word, gather, joined, look_up
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.pattern_pairs import StatedTerms
from hyperdive.scores.pattern_projection import lengths_of_one
from hyperdive.scores.rows import Rows
from hyperdive.scores.source import Source


class Terms:
    """Distinct terms found in the spaces of a source, ready to be paired.

    `found` says which terms the main space has; `skipgram` rows of terms that only the main space has are zero.
    """

    def __init__(
        self,
        source: Source,
        terms: Sequence[Sequence[str]],
        *,
        lemmas: bool = True,
        language: str = "en",
        threads: int = 0,
        lookup: Lookup | None = None,
    ) -> None:
        self.source, self._threads = source, threads
        self._terms, self._lemmas, self._language = terms, lemmas, language
        self.lookup = look_up(source.main, terms, lemmas=lemmas, language=language) if lookup is None else lookup

    @property
    def found(self) -> Bools:
        return self.lookup.found

    @cached_property
    def rows(self) -> Rows:
        return Rows(gather(self.source.main, self.lookup, threads=self._threads), threads=self._threads)

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        lookup = look_up(space, self._terms, lemmas=self._lemmas, language=self._language)
        return Rows(gather(space, lookup, threads=self._threads), threads=self._threads)

    @property
    def has_projection(self) -> bool:
        """Whether there are skip-gram vectors and patterns to map them to, without computing the map."""
        return self.source.skipgram is not None and self.source.patterns is not None

    @cached_property
    def projected(self) -> npt.NDArray[np.float32] | None:
        """w·A of each term: its pattern vector as a hyponym, predicted from its skip-gram vector."""
        if not self.has_projection or self.skipgram is None:
            return None
        vectors = lengths_of_one(np.asarray(self.skipgram.matrix, dtype=np.float32))
        with threadpool_limits(1, "blas"):
            return np.ascontiguousarray(vectors @ self.source.projection, dtype=np.float32)

    @cached_property
    def gaussians(self) -> Gaussians | None:
        return Gaussians.of(self.source.main, self.lookup)

    @property
    def context_counts(self) -> Rows | None:
        return self.source.context_counts

    @cached_property
    def stated(self) -> StatedTerms | None:
        """These terms as patterns know them."""
        patterns = self.source.patterns
        if patterns is None:
            return None
        return StatedTerms.find(patterns, self._terms, lemmas=self._lemmas, language=self._language)

    @cached_property
    def frequencies(self) -> Floats:
        """n(w) of each term, the mean over its words for a phrase."""
        counts = np.diff(self.lookup.starts)
        totals = np.concatenate([[0.0], np.cumsum(self.source.main.frequencies[self.lookup.rows], dtype=np.float64)])
        return np.diff(totals[self.lookup.starts]) / np.maximum(counts, 1)

    def pairs(self, q: Any, p: Any, *, places: Any = None) -> Pairs:
        """Pairs of these terms, which must have been found; `places` are their row numbers in the file."""
        return Pairs(self, q, p, places=places, threads=self._threads)


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
