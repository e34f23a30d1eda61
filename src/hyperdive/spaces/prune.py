"""A small model from a large one: fewer words, fewer bits, no contexts, no sentences.

A small model keeps the frequent words; of the others first those that a dictionary knows and a pattern names, then
those that patterns name most often. Most rare words of a text are names of people and places, which a dictionary does
not know and nobody asks for. Of the terms it keeps those that patterns name most often, then the most frequent. Rows of
the skip-gram vectors and of V are rounded to 8 bits; DIVE's values stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hyperdive._quantize import rounded_to_8_bits
from hyperdive.model import Model, facts_of
from hyperdive.spaces.model_folder import composition_of, space_of
from hyperdive.spaces.space import VectorSpace

WORDS, FREQUENT, TERMS, LEAST = 30_000, 15_000, 30_000, 3


def useful_words(model: Model, *, words: int = WORDS, frequent: int = FREQUENT, language: str = "en") -> list[str]:
    """So many words, in the order of the model: the `frequent` most frequent, then those the text tells most about.

    >>> from hyperdive.patterns.evidence import pack
    >>> from hyperdive.patterns.store import Patterns
    >>> space = VectorSpace(["dog", "bark", "smith", "poodle"], np.eye(4), frequencies=[9, 5, 3, 1], kind="dive")
    >>> stated = Patterns(["dog", "poodle"], ["is a"], pack([1], [0], [0]), [1])
    >>> useful_words(Model(space, patterns=stated), words=2, frequent=1)
    ['dog', 'poodle']
    """
    from simplemma import is_known

    times = np.zeros(len(model), dtype=np.int64)
    in_dictionary = np.zeros(len(model), dtype=np.bool_)
    if (patterns := model.patterns) is not None:
        both = patterns.hyponym_totals + patterns.hypernym_totals
        for number, word in enumerate(model.words):
            if word in patterns:
                times[number] = both[patterns.numbers[word]]
                in_dictionary[number] = times[number] > 0 and is_known(word, lang=language)
    others = np.arange(frequent, len(model))
    others = others[np.lexsort((others, -times[others], ~in_dictionary[others]))]
    chosen = np.concatenate([np.arange(min(frequent, words, len(model))), others[: max(words - frequent, 0)]])
    return [model.words[number] for number in np.sort(chosen).tolist()]


def useful_terms(model: Model, *, terms: int = TERMS) -> list[str]:
    """So many terms that the text has, in the order of the model: first those that patterns name most often.

    >>> from hyperdive.model import with_terms
    >>> from hyperdive.text.vocabulary import Vocabulary
    >>> space = VectorSpace(["dog"], np.eye(1), frequencies=[9], kind="dive")
    >>> names = Vocabulary(["guide dog", "toy dog", "wolf dog"], [1, 5, 0])
    >>> useful_terms(with_terms(Model(space), names, np.ones((3, 1))), terms=2)
    ['guide dog', 'toy dog']
    """
    names, frequencies = model.terms, model.vocabulary.frequencies[len(model) :]
    times = np.zeros(len(names), dtype=np.int64)
    if (patterns := model.patterns) is not None:
        both = patterns.hyponym_totals + patterns.hypernym_totals
        for number, name in enumerate(names):
            if name in patterns:
                times[number] = both[patterns.numbers[name]]
    order = np.lexsort((np.arange(len(names)), -frequencies, -times))
    chosen = order[frequencies[order] > 0][:terms]
    return [names[number] for number in np.sort(chosen).tolist()]


def pruned(
    model: Model,
    *,
    words: int = WORDS,
    frequent: int = FREQUENT,
    terms: int = TERMS,
    least: int = LEAST,
    card: Mapping[str, str] | None = None,
) -> Model:
    """The small model.

    Args:
        model: the large one.
        words: how many words it has.
        frequent: how many of them are the most frequent; see `useful_words`.
        terms: how many terms it has; see `useful_terms`.
        least: how often patterns must name a phrase.
        card: further sections of its card.

    >>> space = VectorSpace(["dog", "bark", "poodle"], np.eye(3), frequencies=[9, 5, 1], kind="dive")
    >>> pruned(Model(space, contexts=space, skipgram=space), words=2)
    <Model of 2 words: dive 3 dimensions, skipgram>
    """
    kept = useful_words(model, words=words, frequent=frequent)
    names, skipgram, patterns = [*kept, *useful_terms(model, terms=terms)], space_of(model, "skipgram"), model.patterns
    facts: dict[str, Any] = {
        **facts_of(model),
        "pruned": {"words": len(model), "frequent": min(frequent, len(kept)), "least": least},
    }
    dive = space_of(model).subset(names)
    dive.vocabulary.abbreviations = dive.vocabulary.abbreviations.subset(set(names))
    return Model(
        dive,
        skipgram=None if skipgram is None else _in_8_bits(skipgram.subset(names)),
        composition=composition_of(model),
        patterns=None if patterns is None else patterns.pruned(kept, least),
        parameters={**model.parameters, "contexts": False},
        facts={**facts, "card": dict(card)} if card else facts,
    )


def _in_8_bits(space: VectorSpace) -> VectorSpace:
    return VectorSpace(space.vocabulary, rounded_to_8_bits(space.matrix), kind=space.kind, parameters=space.parameters)
