"""What scores read: the vector spaces of a model, and the patterns found in its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from hyperdive._memo import Memo
from hyperdive._types import Floats32, Ints
from hyperdive.patterns.plurals import with_singulars
from hyperdive.scores.pairs import Rows
from hyperdive.scores.stated import projection
from hyperdive.spaces.model_folder import composition_of, pattern_numbers_of, space_of
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from hyperdive.model import Model
    from hyperdive.patterns.store import Patterns
    from hyperdive.spaces.composition import Composition


@dataclass(frozen=True, eq=False)
class Source:
    """The spaces that scores read: `main` always, `skipgram` for W, `counts` for the entropies of SLQS.

    `counts` is a space of co-occurrence frequencies whose rows are the columns of `main` (SBOW Freq). It is `main`
    itself when that is what `main` holds. `parameters` are those that `main` was made with; `stated` gives patterns,
    `numbers` the number of each row of `main` in them, `composed` the maps for terms without a row.
    """

    main: VectorSpace
    skipgram: VectorSpace | None = None
    counts: VectorSpace | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    stated: Callable[[], Patterns | None] | None = field(default=None, repr=False)
    numbers: Callable[[], Ints | None] | None = field(default=None, repr=False)
    composed: Callable[[], Composition | None] | None = field(default=None, repr=False)
    memo: Memo = field(default_factory=Memo, repr=False)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words, and the terms after them, of the main space."""
        return self.main.vocabulary

    @cached_property
    def patterns(self) -> Patterns | None:
        """What the text states of pairs, read when a score first needs it; None where there is nothing of it."""
        return None if self.stated is None else self.stated()

    @cached_property
    def composition(self) -> Composition | None:
        """The maps that compose vectors of terms without a row."""
        return None if self.composed is None else self.composed()

    def numbers_of(self, space: VectorSpace) -> Ints:
        """Return the number in the patterns of each row of a space, −1 for one that they do not name."""
        assert self.patterns is not None
        own = self.numbers() if self.numbers is not None and space.vocabulary == self.vocabulary else None
        return self.patterns.numbers_of(space.words) if own is None else own

    def name_of(self, term: str, *, own: bool = False) -> str:
        """Return the name that a term is looked up by; see `Vocabulary.name_of`."""
        return self.vocabulary.name_of(term, own=own, statements=self._statements)

    def _statements(self, name: str) -> int:
        """Return how often the text says what a word or term is."""
        if self.patterns is None or name not in self.vocabulary:
            return 0
        number = self.numbers_of(self.main)[self.vocabulary.index(name)]
        return int(self.patterns.hyponym_totals[number]) if number >= 0 else 0

    @cached_property
    def projection(self) -> Floats32:
        """The map from skip-gram vectors to pattern vectors; see `hyperdive.scores.stated.projection`."""
        assert self.patterns is not None and self.skipgram is not None
        return projection(self.patterns, self.skipgram, self.numbers_of(self.skipgram))

    @cached_property
    def context_counts(self) -> Rows | None:
        """The counts of the context words, when the columns of `main` are the rows of `counts`."""
        if self.counts is None or self.counts.shape[0] != self.main.shape[1]:
            return None
        return Rows(self.counts.matrix)


AnyModel: TypeAlias = "Source | VectorSpace | Model"
"""What scores and questions take: a model, a space alone, or several spaces together."""


def as_source(model: AnyModel, skipgram: VectorSpace | None = None, counts: VectorSpace | None = None) -> Source:
    """Return the words of a space or a model, without multi-word terms, or another `Source` as it is.

    Scores on the paper's datasets read these, as the paper does: there a phrase is the mean of its words.

    Args:
        model: What to score with.
        skipgram: A skip-gram space to take W from instead of the model's own.
        counts: A space of co-occurrence frequencies for the entropies of SLQS.

    >>> space = VectorSpace(["dog"], [[1]], frequencies=[1], kind="sbow-freq", parameters={"window": 3})
    >>> as_source(space)
    Source(main=<VectorSpace sbow-freq: 1 words, 1 dimensions, dense>, skipgram=None, counts=<VectorSpace ...
    """
    if isinstance(model, Source):
        own = model
    elif isinstance(model, VectorSpace):
        own = Source(model, parameters=model.parameters)
    else:
        own = Source(
            model.dive,
            model.skipgram,
            parameters=model.parameters,
            stated=lambda: model.patterns,
            numbers=lambda: _of_words(model),
        )
    if counts is None:
        counts = own.counts
    if counts is None and own.main.kind == "sbow-freq":
        counts = own.main
    beside = own.skipgram if skipgram is None else skipgram
    return Source(own.main, beside, counts, own.parameters, own.stated, own.numbers)


def term_source(model: AnyModel) -> Source:
    """Return the words and terms of a model: what questions and taxonomies look names up in.

    >>> import numpy as np
    >>> from hyperdive.model import Model, with_terms
    >>> words = Model(VectorSpace(["hot", "dog"], [[1, 0], [0, 2]], frequencies=[5, 9], kind="dive"))
    >>> space = term_source(with_terms(words, Vocabulary(["hot dog"], [4]), np.array([[3, 3]]))).main
    >>> space.words, space["hot dog"].tolist()
    (['hot', 'dog', 'hot dog'], [3.0, 3.0])
    """
    if isinstance(model, Source | VectorSpace):
        plain = as_source(model)
        main, skipgram, stated = plain.main, plain.skipgram, plain.stated
        return Source(main, skipgram, plain.counts, plain.parameters, stated and (lambda: _singular(stated())))
    return Source(
        space_of(model),
        space_of(model, "skipgram"),
        parameters=model.parameters,
        stated=lambda: _singular(model.patterns),
        numbers=lambda: pattern_numbers_of(model),
        composed=lambda: composition_of(model),
    )


def _of_words(model: Model) -> Ints | None:
    """Return the numbers of the words alone in the patterns."""
    numbers = pattern_numbers_of(model)
    return None if numbers is None else numbers[: len(model)]


def _singular(patterns: Patterns | None) -> Patterns | None:
    return None if patterns is None else with_singulars(patterns)
