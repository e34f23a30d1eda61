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
from hyperdive._sparse_rows import as_sparse_rows, stacked
from hyperdive._types import Ints
from hyperdive.patterns.plurals import with_singulars
from hyperdive.scores.source import AnyModel, Source, as_source
from hyperdive.spaces.space import VectorSpace

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns


def term_source(model: AnyModel) -> Source:
    """The spaces of a model with its terms after its words; of a model without terms, its words.

    >>> from types import SimpleNamespace
    >>> from hyperdive._memo import Memo
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
        above, below = (as_sparse_rows(space.arrays) for space in (words, terms))
        matrix: Any = stacked(above, below, rows)
    else:
        above, below = words.packed, terms.packed
        if above is not None and below is not None:  # a single question reads few of the vectors
            matrix = above.followed_by(below.taken(rows))
        else:
            matrix = np.concatenate([words.arrays, terms.arrays[rows]])
    return VectorSpace(
        names,
        matrix,
        frequencies=np.concatenate([words.frequencies, terms.frequencies[rows]]),
        kind=words.kind,
    )
