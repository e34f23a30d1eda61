"""The nearest words of a word or phrase, in whatever direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hyperdive.discover.question import Question, best, unknown_terms
from hyperdive.errors import OptionError
from hyperdive.scores.source import AnyModel
from hyperdive.table import Table


@dataclass(frozen=True)
class Neighbour:
    """A near word, the cosine, and how often the word occurs in the text."""

    term: str
    similarity: float
    frequency: int


def similar(model: AnyModel, terms: Sequence[str], top: int = 10) -> list[Table[Neighbour]]:
    """The nearest words by cosine, of the skip-gram vectors where the model has them, else of DIVE; one table a term.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog", "law"], [[3, 2], [2, 1], [0, 4]], frequencies=[9, 5, 7], kind="dive")
    >>> print(similar(space, ["dog"], top=2)[0])
    term    similarity  frequency
    animal       0.992          9
    law          0.447          7
    """
    if top < 1:
        raise OptionError("the number of words must be 1 or more")
    unknown = unknown_terms(model, terms)
    return [
        Table(Neighbour, (), unknown=unknown[term]) if term in unknown else _nearest(model, term, top) for term in terms
    ]


def _nearest(model: AnyModel, term: str, top: int) -> Table[Neighbour]:
    question = Question(model, [term])
    pairs = question.upwards(0)
    values = np.array(pairs.cosine if pairs.skipgram is None else pairs.skipgram_cosine)
    values[question.same(0)] = -np.inf
    places = best(values, top)
    frequencies = question.terms.source.main.frequencies
    nearest = [Neighbour(question.word(int(i)), float(values[i]), int(frequencies[i])) for i in places if values[i] > 0]
    notes = () if nearest else ("not known: its vector is empty",)
    return Table(Neighbour, nearest, formats={"similarity": ".3f"}, notes=notes)
