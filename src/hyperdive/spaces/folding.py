"""What a model keeps for rows of new terms: those parts of the trained contexts that it has no other use for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._checks import are_below
from hyperdive._types import Floats32
from hyperdive.spaces.space import VectorSpace
from hyperdive.spaces.tensors import MappedTensors, narrowest_floats

_PREFIX = "folding."


@dataclass(frozen=True)
class Folding:
    """The unknown symbol's part, the gauge of DIVE, and the matrix behind the skip-gram vectors.

    >>> parts = Folding(5, np.ones(4, np.float32), np.ones(4, np.float32))
    >>> sorted(parts.tensors())
    ['folding.gauge', 'folding.unknown_context', 'folding.unknown_frequency']
    """

    unknown_frequency: int
    """n of the unknown symbol."""
    unknown_context: Floats32
    """The context vector of the unknown symbol."""
    gauge: Floats32
    """What each dimension of the words was multiplied by after training; see `DiveResult.gauge`."""
    skipgram: Floats32 | None = None
    """V·S^(p-1) of the skip-gram vectors, a row for each word."""
    context_terms: Floats32 | None = None
    """What of the shifted PMI behind them depends on the context alone."""

    def tensors(self) -> dict[str, Any]:
        """As a model folder holds it."""
        arrays = {
            "unknown_frequency": np.array([self.unknown_frequency], dtype=np.int64),
            "unknown_context": np.asarray(self.unknown_context, dtype=np.float32),
            "gauge": np.asarray(self.gauge, dtype=np.float32),
        }
        if self.skipgram is not None and self.context_terms is not None:
            arrays["skipgram"] = narrowest_floats(np.ascontiguousarray(self.skipgram, dtype=np.float32))
            arrays["context_terms"] = np.asarray(self.context_terms, dtype=np.float32)
        return {_PREFIX + name: array for name, array in arrays.items()}

    @classmethod
    def read(cls, tensors: MappedTensors, words: int, dimensions: int) -> Folding | None:
        """Return the parts in a model folder; None where it has none."""
        if f"{_PREFIX}gauge" not in tensors:
            return None
        frequency = tensors.tensor(f"{_PREFIX}unknown_frequency", np.integer, 1)
        if not are_below(frequency, 1 << 63):
            raise tensors.wrong(f"{_PREFIX}unknown_frequency")
        with_skipgram = f"{_PREFIX}skipgram" in tensors
        return cls(
            int(frequency[0]),
            tensors.floats(f"{_PREFIX}unknown_context", dimensions),
            tensors.floats(f"{_PREFIX}gauge", dimensions),
            tensors.floats(f"{_PREFIX}skipgram", words, None) if with_skipgram else None,
            tensors.floats(f"{_PREFIX}context_terms", words) if with_skipgram else None,
        )


class ContextSpace(VectorSpace):
    """The context vectors of a model, with what rows of new terms need beside them.

    >>> contexts = VectorSpace(["dog"], [[1.0, 0.0]], frequencies=[9], kind="contexts")
    >>> parts = Folding(5, np.ones(2, np.float32), np.ones(2, np.float32))
    >>> ContextSpace.of(contexts, parts).folding.unknown_frequency
    5
    """

    folding: Folding | None = None

    @classmethod
    def of(cls, space: VectorSpace, folding: Folding | None) -> ContextSpace:
        """The same vectors with these parts; a subset of them is without, since its words are not all contexts."""
        matrix = space.matrix if space.stored is None else space.stored
        made = cls(space.vocabulary, matrix, kind=space.kind, parameters=space.parameters)
        made.folding = folding
        return made


def folding_of(contexts: VectorSpace | None) -> Folding | None:
    """Return what rows of new terms need beside the contexts of a model; None when it was not kept."""
    return contexts.folding if isinstance(contexts, ContextSpace) else None
