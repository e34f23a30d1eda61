"""What a model keeps for rows of new terms: those parts of the trained contexts that it has no other use for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._checks import are_finite
from hyperdive._store import header_fields
from hyperdive._types import Floats32
from hyperdive.spaces.model_files import StoredSpaces, narrowest_floats
from hyperdive.spaces.space import VectorSpace

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
    def read(cls, stored: StoredSpaces) -> Folding | None:
        """From a model folder; None where it holds none of these."""
        if f"{_PREFIX}gauge" not in stored:
            return None
        with header_fields(stored.path):
            dimensions = int(stored.header["spaces"]["dive"]["dimensions"])

        def tensor(name: str, *shape: int) -> Floats32:
            values: Floats32 = stored.tensor(_PREFIX + name, np.floating).astype(np.float32)
            if values.shape != shape or not are_finite(values):
                raise stored.wrong(_PREFIX + name)
            return values

        frequency = stored.counts(f"{_PREFIX}unknown_frequency", 1)
        words = len(stored.words)
        with_skipgram = f"{_PREFIX}skipgram" in stored
        columns = stored.tensor(f"{_PREFIX}skipgram", np.floating).shape[1:] if with_skipgram else ()
        if with_skipgram and len(columns) != 1:
            raise stored.wrong(f"{_PREFIX}skipgram")
        return cls(
            int(frequency[0]),
            tensor("unknown_context", dimensions),
            tensor("gauge", dimensions),
            tensor("skipgram", words, *columns) if with_skipgram else None,
            tensor("context_terms", words) if with_skipgram else None,
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
        made = cls(
            space.words, space.matrix, frequencies=space.frequencies, kind=space.kind, parameters=space.parameters
        )
        made.folding = folding
        return made

    @classmethod
    def read(cls, stored: StoredSpaces) -> ContextSpace:
        """From a model folder."""
        return cls.of(stored.space("contexts"), Folding.read(stored))


def folding_of(contexts: VectorSpace | None) -> Folding | None:
    """Return what rows of new terms need beside the contexts of a model; None when it was not kept."""
    return contexts.folding if isinstance(contexts, ContextSpace) else None
