"""What scores read: the vector spaces of a model, and the patterns found in its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from hyperdive._memo import Memo
from hyperdive._types import Ints
from hyperdive.patterns.plurals import with_singulars
from hyperdive.scores.pairs import Rows
from hyperdive.scores.stated import projection
from hyperdive.spaces.space import VectorSpace

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns
    from hyperdive.spaces.term_table import TermTable


class SpaceLike(Protocol):
    """What a score needs of a vector space; `hyperdive.spaces.space.VectorSpace` is one."""

    @property
    def words(self) -> Sequence[str]: ...
    @property
    def matrix(self) -> Any: ...
    @property
    def frequencies(self) -> npt.NDArray[np.int64]: ...
    @property
    def kind(self) -> str: ...
    @property
    def other_names(self) -> Mapping[str, str]: ...
    def __contains__(self, word: object) -> bool: ...
    def index(self, word: str) -> int: ...
    def rows(self, indices: Any) -> Any: ...


class TrainedModel(Protocol):
    """What scores and questions need of a model; `hyperdive.Model` is one."""

    @property
    def dive(self) -> SpaceLike: ...
    @property
    def skipgram(self) -> SpaceLike | None: ...
    @property
    def patterns(self) -> Patterns | None: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, eq=False)
class Source:
    """The spaces that scores may ask: `main` always, `skipgram` for W, `counts` for the entropies of SLQS.

    `counts` is a space of co-occurrence frequencies whose rows are the columns of `main` (SBOW Freq). It is `main`
    itself when that is what `main` holds. `parameters` are those that `main` was made with; `stated` gives patterns.
    `terms` are the multi-word terms that `main` and `skipgram` have after their words, if they have some.
    """

    main: SpaceLike
    skipgram: SpaceLike | None = None
    counts: SpaceLike | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    stated: Callable[[], Patterns | None] | None = field(default=None, repr=False)
    terms: TermTable | None = field(default=None, repr=False)
    memo: Memo = field(default_factory=Memo, repr=False)

    @cached_property
    def patterns(self) -> Patterns | None:
        """What the text states of pairs, read when a score first asks; None where there is nothing of it."""
        return None if self.stated is None else self.stated()

    @cached_property
    def projection(self) -> npt.NDArray[np.float32]:
        """The map from skip-gram vectors to pattern vectors; see `hyperdive.scores.stated.projection`."""
        assert self.patterns is not None and self.skipgram is not None
        return projection(self.patterns, self.skipgram)

    @cached_property
    def context_counts(self) -> Rows | None:
        """The counts of the context words, when the columns of `main` are the rows of `counts`."""
        if self.counts is None or self.counts.matrix.shape[0] != self.main.matrix.shape[1]:
            return None
        return Rows(self.counts.matrix)


def as_source(model: AnyModel, skipgram: SpaceLike | None = None, counts: SpaceLike | None = None) -> Source:
    """A `Source` from a space, a model, or another `Source`.

    Args:
        model: What to score with.
        skipgram: A skip-gram space to take W from instead of the model's own.
        counts: A space of co-occurrence frequencies for the entropies of SLQS.

    >>> from types import SimpleNamespace
    >>> as_source(SimpleNamespace(dive="D", skipgram="W"))
    Source(main='D', skipgram='W', counts=None, parameters={})
    """
    if isinstance(model, Source):
        own = model
    elif (dive := getattr(model, "dive", None)) is not None:
        # patterns are read when a score first asks for them
        own = Source(dive, getattr(model, "skipgram", None), stated=partial(getattr, model, "patterns", None))
    else:
        own = Source(cast(SpaceLike, model))
    if counts is None:
        counts = own.counts
    if counts is None and getattr(own.main, "kind", "") == "sbow-freq":
        counts = own.main
    parameters = getattr(model, "parameters", None) or getattr(own.main, "parameters", None) or {}
    return Source(own.main, own.skipgram if skipgram is None else skipgram, counts, parameters, own.stated)


AnyModel = Source | SpaceLike | TrainedModel
"""What scores and questions take: a model, a space alone, or several spaces together."""


def term_source(model: AnyModel) -> Source:
    """Return the spaces of a model with its terms after its words; of a model without terms, its words.

    Questions and taxonomies look terms up there: a term that the text has is a row of its own. Scores on the paper's
    datasets read words alone (`as_source`), as the paper does: there a phrase is the mean of its words.

    >>> from types import SimpleNamespace
    >>> from hyperdive.text.abbreviations import Abbreviations
    >>> words = VectorSpace(["hot", "dog"], [[1, 0], [0, 2]], frequencies=[5, 9], kind="dive")
    >>> own = VectorSpace(["hot dog"], [[3, 3]], frequencies=[4], kind="dive")
    >>> terms = SimpleNamespace(dive=own, skipgram=None, abbreviations=Abbreviations())
    >>> model = SimpleNamespace(dive=words, skipgram=None, patterns=None, parameters={}, terms=terms, memo=Memo())
    >>> space = term_source(model).main
    >>> space.words, space["hot dog"].tolist()
    (['hot', 'dog', 'hot dog'], [3.0, 3.0])
    """
    terms = getattr(model, "terms", None)
    plain = as_source(model)
    stated = partial(_stated, plain)
    if terms is None:
        return replace(plain, stated=stated, memo=Memo())
    known, own = set(plain.main.words), terms.dive.words
    rows = np.arange(len(own))
    if not known.isdisjoint(own):  # a term that is also a word is the word
        rows = np.array([row for row, name in enumerate(own) if name not in known], dtype=np.int64)
        own = [own[row] for row in rows.tolist()]
    names = [*plain.main.words, *own]
    main, skipgram = _joined(plain.main, terms.dive, rows, names), None
    if plain.skipgram is not None and terms.skipgram is not None:
        skipgram = _joined(plain.skipgram, terms.skipgram, rows, names)
    source = Source(main, skipgram, None, plain.parameters, stated, terms)
    main.other_names = terms.abbreviations.other_names(main, partial(_statements, source))
    return source


def _statements(source: Source, name: str) -> int:
    """How often the text says what a term is."""
    patterns = source.patterns
    return 0 if patterns is None or name not in patterns else int(patterns.hyponym_totals[patterns.numbers[name]])


def _stated(source: Source) -> Patterns | None:
    return None if source.patterns is None else with_singulars(source.patterns)


def _joined(words: Any, terms: Any, rows: Ints, names: list[str]) -> VectorSpace:
    """One space of both, with these rows of the terms."""
    if words.is_sparse or terms.is_sparse:
        matrix: Any = vstack([csr_array(words.matrix), csr_array(terms.matrix)[rows]], format="csr")
    else:
        above, below = words.packed, terms.packed
        if above is not None and below is not None:  # a single question reads few of the vectors
            matrix = above.followed_by(below.taken(rows))
        else:
            matrix = np.concatenate([words.matrix, terms.matrix[rows]])
    return VectorSpace(
        names,
        matrix,
        frequencies=np.concatenate([words.frequencies, terms.frequencies[rows]]),
        kind=words.kind,
    )
