"""A small model whose right answers are known: a tree of kinds, where a broader word has all its narrower words have."""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperdive import Model
from hyperdive.spaces.space import VectorSpace

PARENT = {"dog": "animal", "cat": "animal", "poodle": "dog", "spaniel": "dog", "court": "law", "judge": "court"}
WORDS = ["animal", "law", "dog", "cat", "court", "poodle", "spaniel", "judge", "thing"]


def small_model(*, skipgram: bool = True, words: list[str] | None = None, patterns: Any = None) -> Model:
    """Each word has a dimension of its own and those of all its narrower words; `thing` has everything."""
    names = words or WORDS
    matrix = np.zeros((len(names), len(names) + 1))
    for number, word in enumerate(WORDS):
        above: str | None = word
        while above is not None:
            matrix[WORDS.index(above), number] = 1.0 + 0.5 * (above != word)
            above = PARENT.get(above)
    matrix[WORDS.index("thing"), :-1] = 2.0
    frequencies = np.arange(len(names), 0, -1) * 10
    dive = VectorSpace(names, matrix, frequencies=frequencies, kind="dive")
    beside = None
    if skipgram:
        topic = np.array(
            [[1.0, 0.1] if w in ("animal", "dog", "cat", "poodle", "spaniel") else [0.1, 1.0] for w in WORDS]
        )
        noise = 0.05 * np.random.default_rng(0).normal(size=topic.shape)
        beside = VectorSpace(names, topic + noise, frequencies=frequencies, kind="skipgram")
    return Model(dive, skipgram=beside, patterns=patterns)
