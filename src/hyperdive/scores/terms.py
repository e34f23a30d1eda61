"""Distinct terms found in the spaces of a source, with the vectors and counts that scores read of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hyperdive._resources import one_blas_thread
from hyperdive._types import Bools, Floats, Floats32, Ints
from hyperdive.scores.confidence import Confidence
from hyperdive.scores.pairs import Pairs, Rows
from hyperdive.scores.paper import Gaussians
from hyperdive.scores.registry import GROUPS, Score, get, table
from hyperdive.scores.source import Source
from hyperdive.scores.stated import StatedTerms, distinct, unit_rows
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.term_names import head_end
from hyperdive.text.vocabulary import Lookup, Vocabulary

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns
    from hyperdive.spaces.composition import Composition

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
    """Distinct terms with what scores read of each: vectors, frequencies, statements.

    Terms are given by their words here; `named` and `every` give terms by their names. `found` tells which of them the
    main space has; `skipgram` rows of terms that only the main space has are zero.

    >>> source = Source(VectorSpace(["animal", "dog"], [[2, 1], [1, 0]], frequencies=[9, 5], kind="dive"))
    >>> Terms(source, [["dogs"], ["zebra"]]).found.tolist()
    [True, False]
    >>> Terms.every(source).pairs([1], [0]).cosine.round(3).tolist()
    [0.894]
    """

    def __init__(self, source: Source, terms: Sequence[Sequence[str]], *, lemmas: bool = True) -> None:
        self.source, self.names = source, [" ".join(words) for words in terms]
        self._look_up: Callable[[Vocabulary], Lookup] = lambda names: names.look_up(terms, lemmas=lemmas)
        self._stated: Callable[[Patterns], StatedTerms] = lambda found: StatedTerms.find(found, terms, lemmas=lemmas)
        self.lookup = self._look_up(source.vocabulary)
        self._composition: Composition | None = None

    @classmethod
    def _of_names(cls, source: Source, names: list[str], look_up: Callable[[Vocabulary], Lookup]) -> Self:
        made = cls.__new__(cls)
        made.source, made.names, made._look_up = source, names, look_up
        made._stated = lambda patterns: StatedTerms.find(patterns, names, lemmas=False)
        made.lookup, made._composition = look_up(source.vocabulary), source.composition
        return made

    @classmethod
    def named(cls, source: Source, names: Sequence[str]) -> Self:
        """Return terms by their normal names; one that the text does not have is composed of its parts.

        Heads that are not among the names are looked up with them, so that a multi-word hypernym can be compared with
        its head; they come last.

        >>> space = VectorSpace(["hot", "dog"], [[1, 0], [0, 1]], frequencies=[5, 9], kind="dive")
        >>> terms = Terms.named(Source(space), ["hot dog", "blue law"])
        >>> terms.found.tolist(), terms.rows.matrix[0].round(2).tolist()
        ([True, False, True], [0.33, 0.67])
        """
        listed = dict.fromkeys(names)
        last = (heads[-1] for name in listed if (heads := _heads(name)))
        every = [*names, *(head for head in dict.fromkeys(last) if head not in listed and head in source.vocabulary)]
        return cls._of_names(source, every, lambda vocabulary: vocabulary.resolve(every))

    @classmethod
    def every(cls, source: Source) -> Self:
        """Return all words and terms of the main space: term t is row t."""
        names = source.main.words
        rows = np.arange(len(names) + 1)

        def look_up(vocabulary: Vocabulary) -> Lookup:
            if vocabulary == source.vocabulary:
                return Lookup(rows[:-1], rows, np.zeros(len(names), dtype=np.bool_))
            return vocabulary.look_up([[name] for name in names], lemmas=False)

        made = cls._of_names(source, names, look_up)
        made._stated = lambda patterns: StatedTerms(patterns, source.numbers_of(source.main), names)
        made._composition = None
        return made

    @classmethod
    def every_and(cls, source: Source, terms: Sequence[Sequence[str]], *, lemmas: bool = True) -> Self:
        """Return all words of the main space and, after them, terms given by their words.

        >>> source = Source(VectorSpace(["dog", "hot"], [[2, 1], [1, 0]], frequencies=[9, 5], kind="dive"))
        >>> Terms.every_and(source, [["hot", "dog"]]).rows.matrix.tolist()
        [[2.0, 1.0], [1.0, 0.0], [1.5, 0.5]]
        """
        every, made = cls.every(source), cls(source, [*([word] for word in source.main.words), *terms], lemmas=lemmas)
        made.lookup = every.lookup.followed_by(source.vocabulary.look_up(terms, lemmas=lemmas))
        return made

    @property
    def found(self) -> Bools:
        """Which terms the main space has, or can compose."""
        return self.lookup.found

    @cached_property
    def rows(self) -> Rows:
        """The vectors of the main space."""
        return _rows(self.source.main, self.lookup)

    @cached_property
    def skipgram(self) -> Rows | None:
        """The skip-gram vectors; None without them."""
        space = self.source.skipgram
        if space is None:
            return None
        lookup = self.lookup if space.vocabulary == self.source.vocabulary else self._look_up(space.vocabulary)
        vectors, maps = _rows(space, lookup), self._composition
        if maps is None or maps.skipgram is None:
            return vectors

        def row(name: str) -> Floats32 | None:
            return space.vector(name) if name in space else None

        composed = np.array(vectors.matrix)
        for place in np.flatnonzero(np.diff(lookup.starts) > 2).tolist():  # more than a head: a modifier, too
            _, vector = maps.compose(self.names[place], lambda name: None, row)
            composed[place] = composed[place] if vector is None else vector
        return Rows(composed)

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
    def _row_of_name(self) -> Mapping[str, int]:
        if self.names is self.source.main.words:
            return self.source.vocabulary.numbers
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
        for row in set(rows[values[rows] == _UNSEEN].tolist()):
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
        return distinct(np.concatenate([rows[rows >= 0], *self.heads(np.array([row]))]))

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
        return None if self.source.patterns is None else self._stated(self.source.patterns)

    @cached_property
    def frequencies(self) -> Floats:
        """n(w) of each term, the mean over its words for a phrase."""
        counts = np.diff(self.lookup.starts)
        totals = np.concatenate([[0.0], np.cumsum(self.source.main.frequencies[self.lookup.rows], dtype=np.float64)])
        return np.diff(totals[self.lookup.starts]) / np.maximum(counts, 1)

    def pairs(self, q: Any, p: Any, *, places: Any = None) -> Pairs:
        """Pairs of these terms, which must have been found; `places` are their row numbers in the file."""
        return Pairs(self, q, p, places=places)


def _rows(space: VectorSpace, lookup: Lookup) -> Rows:
    """Return the vectors of looked-up terms: those of the space, unless only some are wanted."""
    every = np.arange(len(space) + 1)
    is_whole = np.array_equal(lookup.starts, every) and np.array_equal(lookup.rows, every[:-1])
    return Rows(space if is_whole else space.means(lookup))


def terms_of(source: Source, terms: Sequence[str], *, lemmas: bool = True) -> Terms:
    """Terms as users write them: by name in a source with terms, else by their words."""
    if source.vocabulary.has_terms:
        return Terms.named(source, [source.name_of(term) for term in terms])
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
    signed = not Rows(source.main).nonnegative
    return [score for score in scores if not score.missing(pairs) and not (signed and "nonnegative" in score.needs)]
