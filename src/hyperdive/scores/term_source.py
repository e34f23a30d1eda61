"""The words and the terms of a model as one space: what questions and taxonomies look terms up in.

Scores on the paper's datasets read words alone (`hyperdive.scores.source.as_source`), as the paper does: there a phrase
is the mean of its words. Here a term that the text has is a row of its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperdive._memo import Memo
from hyperdive.patterns.plurals import with_singulars
from hyperdive.scores.source import AnyModel, Source, as_source
from hyperdive.spaces.space import VectorSpace

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns


def term_source(model: AnyModel) -> Source:
    """The spaces of a model with its terms after its words; of a model without terms, its words.

    >>> from types import SimpleNamespace
    >>> from hyperdive._memo import Memo
    >>> words = VectorSpace(["hot", "dog"], [[1, 0], [0, 2]], frequencies=[5, 9], kind="dive")
    >>> own = VectorSpace(["hot dog"], [[3, 3]], frequencies=[4], kind="dive")
    >>> terms = SimpleNamespace(dive=own, skipgram=None)
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
    main = _joined(plain.main, terms.dive)
    skipgram = None if plain.skipgram is None or terms.skipgram is None else _joined(plain.skipgram, terms.skipgram)
    return Source(main, skipgram, None, plain.parameters, stated, terms)


def _stated(source: Source) -> Patterns | None:
    return None if source.patterns is None else with_singulars(source.patterns)


def _joined(words: Any, terms: Any) -> VectorSpace:
    """One space of both; a term that is also a word is the word."""
    from scipy import sparse

    rows = [row for row, name in enumerate(terms.words) if name not in words]
    below = terms.matrix[rows]
    if words.is_sparse or terms.is_sparse:
        matrix: Any = sparse.vstack([sparse.csr_array(words.matrix), sparse.csr_array(below)], format="csr")
    else:
        matrix = np.concatenate([words.matrix, below])
    return VectorSpace(
        [*words.words, *(terms.words[row] for row in rows)],
        matrix,
        frequencies=np.concatenate([words.frequencies, terms.frequencies[rows]]),
        kind=words.kind,
    )
