"""What scores read: the vector spaces of a model, and the patterns found in its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from hyperdive._memo import Memo
from hyperdive.scores.neighbour_statements import NeighbourStatements
from hyperdive.scores.pattern_projection import projection
from hyperdive.scores.rows import Rows

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
    def arrays(self) -> Any: ...
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
        """The map from skip-gram vectors to pattern vectors; see `hyperdive.scores.pattern_projection`."""
        assert self.patterns is not None and self.skipgram is not None
        return projection(self.patterns, self.skipgram)

    @cached_property
    def neighbour_statements(self) -> NeighbourStatements:
        """The statements of similar terms; see `hyperdive.scores.neighbour_statements`."""
        assert self.patterns is not None and self.skipgram is not None
        return NeighbourStatements(self.patterns, self.skipgram)

    @cached_property
    def context_counts(self) -> Rows | None:
        """The counts of the context words, when the columns of `main` are the rows of `counts`."""
        if self.counts is None or self.counts.arrays.shape[0] != self.main.arrays.shape[1]:
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
