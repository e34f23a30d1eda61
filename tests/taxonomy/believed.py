"""A model that believes what a test tells it: the confidence of every pair is given, nothing is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hyperdive import Model
from hyperdive.ask.ranking import Ranking
from hyperdive.scores.pairs import Pairs
from hyperdive.spaces.space import VectorSpace
from hyperdive.taxonomy.taxonomy import Taxonomy


def identity_model(words: Sequence[str]) -> Model:
    """Every word has a dimension of its own, so a vector tells which words a term is made of."""
    frequencies = np.arange(len(words), 0, -1)
    return Model(VectorSpace(list(words), np.eye(len(words)), frequencies=frequencies, kind="dive"))


def believe(
    patch: pytest.MonkeyPatch,
    words: Sequence[str],
    confidences: Mapping[tuple[str, str], float],
    calibrated: bool = True,
) -> Model:
    """A model whose combined score gives these confidences, 0.01 to pairs that are not named."""
    table = np.full((len(words) + 1, len(words) + 1), 0.01)
    for (child, parent), value in confidences.items():
        table[words.index(child), words.index(parent)] = value

    def score(pairs: Pairs) -> Any:
        matrix = pairs.rows.csr.toarray()
        single = (matrix > 0).sum(axis=1) == 1
        word = np.where(single, matrix.argmax(axis=1), len(words))
        return table[word[pairs.q], word[pairs.p]]

    def by(model: Any, wanted: str | None = None) -> Ranking:
        return Ranking("confidence" if calibrated else "told", score, calibrated)

    for name in ("edge_ranking", "ranking"):
        patch.setattr(f"hyperdive.taxonomy.build.{name}", by)
    return identity_model(words)


def grown(patch: pytest.MonkeyPatch, confidences: Mapping[tuple[str, str], float], **options: Any) -> Taxonomy:
    """The taxonomy of all words in these pairs."""
    words = sorted({word for pair in confidences for word in pair})
    return believe(patch, words, confidences).taxonomy(words, **options)
