"""Distinct terms found in the spaces of a source, with the vectors and counts that scores read of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from hyperdive._resources import one_blas_thread
from hyperdive._types import Bools, Floats, Floats32, Ints
from hyperdive.scores.confidence import Confidence
from hyperdive.scores.lookup import Lookup, every_word, gather, joined, look_up, look_up_terms, name_of
from hyperdive.scores.pairs import Pairs, Rows
from hyperdive.scores.paper import Gaussians
from hyperdive.scores.registry import GROUPS, Score, get, table
from hyperdive.scores.source import Source
from hyperdive.scores.stated import StatedTerms, unit_rows
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.term_names import head_end

_COORDINATIONS = ("and", "or")
_UNSEEN = -2


def heads_of(words: Sequence[str]) -> list[str]:
    """What a phrase is a kind of by its own words, the longest first; empty for one word and for "ham and eggs".

    >>> heads_of(["red", "wine", "vinegar"]), heads_of(["bird", "of", "prey"]), heads_of(["dog"])
    (['wine vinegar', 'vinegar'], ['bird'], [])
    >>> heads_of(["vitamin", "b12"])
    ['vitamin']
    """
    return list(_heads(" ".join(words)))


@lru_cache(maxsize=100_000)
def _heads(name: str) -> tuple[str, ...]:
    """`heads_of` of a name; the same few thousand phrases are candidates of most questions."""
    words = name.split(" ")
    end = head_end(words)
    if end > 2 and words[end - 2] in _COORDINATIONS:
        return ()
    return tuple(" ".join(words[start:end]) for start in range(0 if end < len(words) else 1, end))


class Terms:
    """Distinct terms found in the spaces of a source, ready to be paired.

    `found` says which terms the main space has; `skipgram` rows of terms that only the main space has are zero.
    """

    def __init__(
        self,
        source: Source,
        terms: Sequence[str] | Sequence[Sequence[str]],
        *,
        lemmas: bool = True,
        language: str = "en",
        lookup: Lookup | None = None,
    ) -> None:
        self.source = source
        self._terms, self._lemmas, self._language = terms, lemmas, language
        self._own_lookup = lookup is None
        self.lookup = look_up(source.main, terms, lemmas=lemmas, language=language) if lookup is None else lookup

    @cached_property
    def names(self) -> Sequence[str]:
        """Each term as one string."""
        return [term if isinstance(term, str) else " ".join(term) for term in self._terms]

    @property
    def found(self) -> Bools:
        return self.lookup.found

    @cached_property
    def rows(self) -> Rows:
        return Rows(gather(self.source.main, self.lookup))

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        lookup = self.lookup
        if not self._own_lookup or space.words != self.source.main.words:
            lookup = look_up(space, self._terms, lemmas=self._lemmas, language=self._language)
        return Rows(gather(space, lookup))

    @property
    def has_confidence(self) -> bool:
        """Whether there are skip-gram vectors and patterns."""
        return self.source.skipgram is not None and self.source.patterns is not None

    @cached_property
    def projected(self) -> Floats32 | None:
        """w·A of each term: its pattern vector as a hyponym, predicted from its skip-gram vector."""
        if not self.has_confidence or self.skipgram is None:
            return None
        vectors = unit_rows(np.asarray(self.skipgram.matrix, dtype=np.float32))
        with one_blas_thread():
            return np.ascontiguousarray(vectors @ self.source.projection, dtype=np.float32)

    @cached_property
    def confidence(self) -> Confidence:
        """What computes the confidence of pairs of these terms."""
        return Confidence(self)

    @cached_property
    def _row_of_name(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def _row(self, name: str) -> int:
        """The row of a name, -1 for one that is no term here."""
        return self._row_of_name.get(name, -1)

    def heads(self, rows: Ints) -> list[Ints]:
        """The rows of the terms that each of these ends in, or that stand before its preposition."""
        every = ([self._row(head) for head in _heads(self.names[row])] for row in rows.tolist())
        return [np.array([row for row in heads if row >= 0], dtype=np.int64) for heads in every]

    def are_heads(self, q: Ints, p: Ints) -> Bools:
        """Return which q end in p, or have p before their preposition: a guide dog is a dog, a bird of prey a bird."""
        phrases = np.unique(q[self.phrases[q]])
        keys = [row * len(self.names) + heads for row, heads in zip(phrases.tolist(), self.heads(phrases), strict=True)]
        return np.isin(q * len(self.names) + p, np.concatenate([np.zeros(0, dtype=np.int64), *keys]))

    def head_rows(self, rows: Ints) -> Ints:
        """Return the row of the last word of each phrase, or of the one before its preposition; -1 without one."""
        return self._of_rows("row", rows, lambda heads: self._row(heads[-1]) if heads else -1)

    def head_numbers(self, rows: Ints) -> Ints:
        """Return the number in the patterns of the longest end of each phrase that they name; -1 without one."""
        assert self.stated is not None
        numbers = self.stated.patterns.numbers
        return self._of_rows("number", rows, lambda heads: next((numbers[end] for end in heads if end in numbers), -1))

    def _of_rows(self, what: str, rows: Ints, of_heads: Callable[[tuple[str, ...]], int]) -> Ints:
        """Return what heads of rows are, computed once: the same few thousand rows are in most questions."""
        values = self._of_heads.setdefault(what, np.where(self.phrases, _UNSEEN, -1))
        for row in np.unique(rows[values[rows] == _UNSEEN]).tolist():
            values[row] = of_heads(_heads(self.names[row]))
        return values[rows]

    @cached_property
    def _of_heads(self) -> dict[str, Ints]:
        return {}

    @cached_property
    def row_of_number(self) -> Ints:
        """The first row that is each term of the patterns, -1 for a term of them that is none here."""
        assert self.stated is not None
        numbers = self.stated.exact_numbers
        rows = np.full(len(self.stated.patterns), -1, dtype=np.int64)
        named = np.flatnonzero(numbers >= 0)[::-1]
        rows[numbers[named]] = named
        return rows

    def supported(self, row: int) -> Ints:
        """Return the rows of the hypernyms of a term that statements or its own words speak for, sorted.

        All others have a confidence of at most `hyperdive.scores.confidence.UNSUPPORTED`.
        """
        rows = self.row_of_number[self.confidence.supported(row)]
        return np.unique(np.concatenate([rows[rows >= 0], *self.heads(np.array([row]))]))

    @cached_property
    def own_frequencies(self) -> Floats:
        """How often the text has each term itself; 0 for a term that is made of its parts."""
        return np.where(self.lookup.own, self.frequencies, 0.0)

    @cached_property
    def phrases(self) -> Bools:
        """Which terms have several words."""
        return np.array([" " in name for name in self.names], dtype=np.bool_)

    @cached_property
    def compounds(self) -> Bools:
        """Which terms are single words that the text does not have, known by the word they end in alone."""
        return ~self.lookup.own & ~self.phrases

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
        return Pairs(self, q, p, places=places)


class NamedTerms(Terms):
    """Terms by their normal names, in a space of words and terms (see `hyperdive.scores.source.term_source`).

    A term that the text has is its own row; another one is composed of its parts. Heads that are not among the names
    are looked up with them, so that a broader phrase can be compared with its head; they come last.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["hot", "dog"], [[1, 0], [0, 1]], frequencies=[5, 9], kind="dive")
    >>> terms = NamedTerms(Source(space), ["hot dog", "blue law"])
    >>> terms.found.tolist(), terms.rows.matrix[0].round(2).tolist()
    ([True, False, True], [0.33, 0.67])
    """

    def __init__(self, source: Source, names: Sequence[str]) -> None:
        listed = dict.fromkeys(names)
        last = (heads[-1] for name in listed if (heads := heads_of([name])))
        every = [*names, *(head for head in dict.fromkeys(last) if head not in listed and head in source.main)]
        super().__init__(source, every, lookup=look_up_terms(source.main, every))

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        same = space.words == self.source.main.words
        lookup = self.lookup if same else look_up_terms(space, self.names)
        vectors = gather(space, lookup)
        composition = None if self.source.terms is None else self.source.terms.composition
        if composition is None or composition.skipgram is None:
            return Rows(vectors)

        def row(name: str) -> Floats32 | None:
            return np.asarray(space.matrix[space.index(name)], dtype=np.float32) if name in space else None

        for place in np.flatnonzero(np.diff(lookup.starts) > 2).tolist():  # more than a head: a modifier, too
            _, composed = composition.compose(self.names[place], lambda name: None, row)
            vectors[place] = vectors[place] if composed is None else composed
        return Rows(vectors)

    @cached_property
    def stated(self) -> StatedTerms | None:
        patterns = self.source.patterns
        return None if patterns is None else StatedTerms.named(patterns, self.names)


class Vocabulary(Terms):
    """Term t is word t of the source's main space.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = Vocabulary(Source(VectorSpace(["animal", "dog"], [[2, 1], [1, 0]], frequencies=[9, 5], kind="dive")))
    >>> words.pairs([1], [0]).cosine.round(3).tolist()
    [0.894]
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source, source.main.words, lemmas=False, lookup=every_word(source.main))

    @property
    def names(self) -> Sequence[str]:
        return self.source.main.words

    @cached_property
    def every_row(self) -> Ints:
        """The rows of all words and terms."""
        return np.arange(len(self.names))

    def _row(self, name: str) -> int:
        return self.source.main.index(name) if name in self.source.main else -1

    @cached_property
    def rows(self) -> Rows:
        return Rows(self.source.main.matrix)

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        if space.words == self.source.main.words:
            return Rows(space if isinstance(space, VectorSpace) else space.matrix)
        return Rows(gather(space, look_up(space, [[name] for name in self.names], lemmas=False)))

    @cached_property
    def stated(self) -> StatedTerms | None:
        patterns = self.source.patterns
        if patterns is None:
            return None
        return StatedTerms.named(patterns, self.names)


def terms_of(source: Source, terms: Sequence[str], *, lemmas: bool = True) -> Terms:
    """Terms as users write them: by name in a source with terms, else by their words."""
    if source.terms is not None:
        return NamedTerms(source, [name_of(term, source.main) for term in terms])
    words = [split_term(term) for term in terms]
    listed = {" ".join(parts) for parts in words}
    heads = dict.fromkeys(ends[-1] for parts in words if (ends := heads_of(parts)))
    # a broader phrase is compared with its head, whether or not that was asked about; heads come last
    unlisted = [[head] for head in heads if head not in listed and head in source.main]
    return Terms(source, [*words, *unlisted], lemmas=lemmas)


def split_term(term: str) -> list[str]:
    """The words a term is looked up by.

    >>> split_term(" Hot  Dog "), split_term("")
    (['hot', 'dog'], [''])
    """
    return term.lower().split() or [""]


def with_vocabulary(source: Source, terms: Sequence[Sequence[str]], found: Lookup) -> Terms:
    """Every word of the source as a term, and after them these terms, which were looked up as `found`.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> source = Source(VectorSpace(["dog", "hot"], [[2, 1], [1, 0]], frequencies=[9, 5], kind="dive"))
    >>> with_vocabulary(source, [["hot", "dog"]], look_up(source.main, [["hot", "dog"]])).rows.matrix.tolist()
    [[2.0, 1.0], [1.0, 0.0], [1.5, 0.5]]
    """
    words = [[word] for word in source.main.words]
    return Terms(source, [*words, *terms], lookup=joined(every_word(source.main), found))


def usable_scores(source: Source, wanted: Sequence[str | Score] | None = None) -> list[Score]:
    """Return the scores to compute: those asked for, or the default ones that the spaces allow.

    `all` stands for every score that the spaces allow, `ablation` for the confidence without each of its parts.
    """
    named: list[Score] = []
    for name in wanted or ("default",):
        if isinstance(name, str) and name in GROUPS:
            named += _allowed(source, map(get, GROUPS[name] or table()))
        else:
            named.append(get(name))
    return list({score.name: score for score in named}.values())


def _allowed(source: Source, scores: Iterable[Score]) -> list[Score]:
    words = [[source.main.words[0]]] if len(source.main.words) else []
    pairs = Terms(source, words, lemmas=False).pairs([0] * len(words), [0] * len(words))
    values = source.main.matrix if isinstance(source.main.matrix, np.ndarray) else source.main.matrix.data
    signed = values.size > 0 and values.min() < 0
    return [score for score in scores if not score.missing(pairs) and not (signed and "nonnegative" in score.needs)]
