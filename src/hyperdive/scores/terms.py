"""Distinct terms found in the spaces of a source, with the vectors and counts that scores read of each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperdive._resources import one_blas_thread
from hyperdive._types import Bools, Floats, Ints
from hyperdive.scores.lookup import Lookup, every_word, gather, joined, look_up, look_up_terms, name_of
from hyperdive.scores.neighbour_statements import AnalogyRows, AskedColumns
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.pattern_pairs import StatedTerms
from hyperdive.scores.pattern_projection import lengths_of_one
from hyperdive.scores.rows import Rows
from hyperdive.scores.source import Source
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.term_names import head_end

if TYPE_CHECKING:
    from hyperdive.scores.gaussians import Gaussians
    from hyperdive.scores.isa_columns import IsaColumns

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


def _filled(values: Ints, rows: Ints, compute: Callable[[int], int]) -> Ints:
    """The values of rows, computed where they have not been; the same few thousand rows are in most questions."""
    for row in rows[values[rows] == _UNSEEN].tolist():
        values[row] = compute(row)
    return values[rows]


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
        threads: int = 0,
        lookup: Lookup | None = None,
    ) -> None:
        self.source, self._threads = source, threads
        self._last = threading.local()
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
        return Rows(gather(self.source.main, self.lookup, threads=self._threads), threads=self._threads)

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        lookup = self.lookup
        if not self._own_lookup or space.words != self.source.main.words:
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
        with one_blas_thread():
            return np.ascontiguousarray(vectors @ self.source.projection, dtype=np.float32)

    def analogies(self, rows: Ints, asked: AskedColumns | None = None) -> AnalogyRows:
        """What the neighbours of these terms are stated to be, one row each; where given, in the asked columns."""
        if asked is not None:
            assert self.skipgram is not None and self.stated is not None
            vectors = np.asarray(self.skipgram.matrix[rows], dtype=np.float32)
            return self.source.neighbour_statements.asked_rows(vectors, self.stated.exact_numbers[rows], asked)
        key = rows.tobytes()
        last: tuple[bytes, AnalogyRows] | None = getattr(self._last, "analogies", None)
        if last is None or last[0] != key:  # who may answer and how surely are asked one after the other
            assert self.skipgram is not None and self.stated is not None
            vectors = np.asarray(self.skipgram.taken(rows), dtype=np.float32)
            numbers = self.stated.exact_numbers[rows]
            last = key, self.source.neighbour_statements.rows(vectors, numbers, threads=self._threads)
            self._last.analogies = last
        return last[1]

    @cached_property
    def isa_columns(self) -> IsaColumns | None:
        """These terms as the compiled sum of `isa` reads them."""
        from hyperdive.scores.isa_columns import IsaColumns

        return IsaColumns.of(self)

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

    def head_rows(self, rows: Ints) -> Ints:
        """The row of the last word of each phrase, or of the one before its preposition; -1 if it is no term here."""

        def row_of_head(row: int) -> int:
            heads = _heads(self.names[row])
            return self._row(heads[-1]) if heads else -1

        return _filled(self._head_rows, rows, row_of_head)

    @cached_property
    def _head_rows(self) -> Ints:
        return np.full(len(self.names), _UNSEEN, dtype=np.int64)

    def head_columns(self, rows: Ints) -> tuple[Ints, Ints]:
        """`head_numbers` and `head_rows` of all terms, of which only those of these rows are sure to be there."""
        unseen = rows[(self._head_numbers[rows] == _UNSEEN) | (self._head_rows[rows] == _UNSEEN)]
        if len(unseen):
            self.head_numbers(unseen)
            self.head_rows(unseen)
        return self._head_numbers, self._head_rows

    def head_numbers(self, rows: Ints) -> Ints:
        """The number in the patterns of the longest end of each phrase that they name; -1 without one."""
        assert self.stated is not None
        numbers = self.stated.patterns.numbers

        def number_of_head(row: int) -> int:
            return next((numbers[end] for end in _heads(self.names[row]) if end in numbers), -1)

        return _filled(self._head_numbers, rows, number_of_head)

    @cached_property
    def _head_numbers(self) -> Ints:
        return np.full(len(self.names), _UNSEEN, dtype=np.int64)

    @cached_property
    def row_of_number(self) -> Ints:
        """The first row that is each term of the patterns, -1 for a term of them that is none here."""
        assert self.stated is not None
        numbers = self.stated.exact_numbers
        rows = np.full(len(self.stated.patterns), -1, dtype=np.int64)
        named = np.flatnonzero(numbers >= 0)[::-1]
        rows[numbers[named]] = named
        return rows

    @cached_property
    def class_columns(self) -> Floats:
        """log(1 + m) and log(1 + f) of each term of the patterns, 0 for one that is none here."""
        assert self.isa_columns is not None
        values = self.isa_columns.values[:, (2, 5)][self.row_of_number]
        values[self.row_of_number < 0] = 0.0
        return np.ascontiguousarray(values)

    def supported(self, row: int) -> tuple[Ints, list[str]]:
        """What speaks for a hypernym of a term, as `isa` needs it: numbers of terms of the patterns, and its heads.

        That is what the text states of the term, of its head and of its neighbours, and what follows from that; a
        number may be there more than once. All other hypernyms have a confidence of at most
        `hyperdive.scores.isa_score.UNSUPPORTED`.
        """
        rows = np.array([row])
        stated, analogies = self.stated, self.analogies(rows)
        assert stated is not None
        counts = stated.patterns.counts
        own = np.concatenate([stated.exact_numbers[rows], self.head_numbers(rows)])
        said = [counts.indices[counts.indptr[term] : counts.indptr[term + 1]] for term in own[own >= 0].tolist()]
        numbers = np.concatenate([analogies.neighbours.indices, analogies.inherited.indices, *said])
        return numbers, list(_heads(self.names[row]))

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
        if getattr(self.source.main, "variances", None) is None:
            return None
        from hyperdive.scores.gaussians import Gaussians

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


class NamedTerms(Terms):
    """Terms by their normal names, in a space of words and terms (see `hyperdive.scores.term_source`).

    A term that the text has is its own row; another one is composed of its parts. Heads that are not among the names
    are looked up with them, so that a broader phrase can be compared with its head; they come last.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["hot", "dog"], [[1, 0], [0, 1]], frequencies=[5, 9], kind="dive")
    >>> terms = NamedTerms(Source(space), ["hot dog", "blue law"])
    >>> terms.found.tolist(), terms.rows.matrix[0].round(2).tolist()
    ([True, False, True], [0.33, 0.67])
    """

    def __init__(self, source: Source, names: Sequence[str], *, threads: int = 0) -> None:
        listed = dict.fromkeys(names)
        last = (heads[-1] for name in listed if (heads := heads_of([name])))
        every = [*names, *(head for head in dict.fromkeys(last) if head not in listed and head in source.main)]
        super().__init__(source, every, threads=threads, lookup=look_up_terms(source.main, every))

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        same = space.words == self.source.main.words
        lookup = self.lookup if same else look_up_terms(space, self.names)
        vectors = gather(space, lookup, threads=self._threads)
        composition = None if self.source.terms is None else self.source.terms.composition
        if composition is None or composition.skipgram is None:
            return Rows(vectors, threads=self._threads)

        def row(name: str) -> npt.NDArray[np.float32] | None:
            return np.asarray(space.matrix[space.index(name)], dtype=np.float32) if name in space else None

        for place in np.flatnonzero(np.diff(lookup.starts) > 2).tolist():  # more than a head: a modifier, too
            _, composed = composition.compose(self.names[place], lambda name: None, row)
            vectors[place] = vectors[place] if composed is None else composed
        return Rows(vectors, threads=self._threads)

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

    def __init__(self, source: Source, *, threads: int = 0) -> None:
        super().__init__(source, source.main.words, lemmas=False, threads=threads, lookup=every_word(source.main))

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
        return Rows(self.source.main.arrays, threads=self._threads)

    @cached_property
    def skipgram(self) -> Rows | None:
        space = self.source.skipgram
        if space is None:
            return None
        if space.words == self.source.main.words:
            return Rows(space if isinstance(space, VectorSpace) else space.arrays, threads=self._threads)
        return Rows(gather(space, look_up(space, [[name] for name in self.names], lemmas=False)), threads=self._threads)

    @cached_property
    def stated(self) -> StatedTerms | None:
        patterns = self.source.patterns
        if patterns is None:
            return None
        return StatedTerms.named(patterns, self.names)


def terms_of(source: Source, terms: Sequence[str], *, lemmas: bool = True, threads: int = 0) -> Terms:
    """Terms as users write them: by name in a source with terms, else by their words."""
    if source.terms is not None:
        return NamedTerms(source, [name_of(term, source.main) for term in terms], threads=threads)
    words = [split_term(term) for term in terms]
    listed = {" ".join(parts) for parts in words}
    heads = dict.fromkeys(ends[-1] for parts in words if (ends := heads_of(parts)))
    # a broader phrase is compared with its head, whether or not that was asked about; heads come last
    unlisted = [[head] for head in heads if head not in listed and head in source.main]
    return Terms(source, [*words, *unlisted], lemmas=lemmas, threads=threads)


def split_term(term: str) -> list[str]:
    """The words a term is looked up by.

    >>> split_term(" Hot  Dog "), split_term("")
    (['hot', 'dog'], [''])
    """
    return term.lower().split() or [""]


def with_vocabulary(source: Source, terms: Sequence[Sequence[str]], found: Lookup, *, threads: int = 0) -> Terms:
    """Every word of the source as a term, and after them these terms, which were looked up as `found`.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> source = Source(VectorSpace(["dog", "hot"], [[2, 1], [1, 0]], frequencies=[9, 5], kind="dive"))
    >>> with_vocabulary(source, [["hot", "dog"]], look_up(source.main, [["hot", "dog"]])).rows.matrix.tolist()
    [[2.0, 1.0], [1.0, 0.0], [1.5, 0.5]]
    """
    words = [[word] for word in source.main.words]
    return Terms(source, [*words, *terms], threads=threads, lookup=joined(every_word(source.main), found))
