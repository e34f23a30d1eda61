"""Words near a term, in meaning or in spelling: the nearest by cosine, and completions of what somebody types."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hyperdive._spelling import near_spellings
from hyperdive.ask.options import SimilarOptions
from hyperdive.ask.question import Question, best, normal, source_of, unknown_terms
from hyperdive.scores.source import AnyModel, Source
from hyperdive.table import Table

_ENOUGH = 3  # with fewer completions, similar spellings are looked for, which takes longer
_LAST = "\U0010ffff"
_SHOWN = ("term", "similarity", "frequency")


@dataclass(frozen=True)
class Neighbour:
    """A word near `word`, the cosine, and how often the near word occurs in the text."""

    word: str
    term: str
    similarity: float
    frequency: int


def similar(model: AnyModel, terms: Sequence[str], top: int = 10) -> list[Table[Neighbour]]:
    """Return the nearest words by cosine, of skip-gram vectors if the model has them, else of DIVE; a table per term.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog", "law"], [[3, 2], [2, 1], [0, 4]], frequencies=[9, 5, 7], kind="dive")
    >>> print(similar(space, ["dog"], top=2)[0])
    term    similarity  frequency
    animal       0.992          9
    law          0.447          7
    """
    SimilarOptions(top=top)
    unknown = unknown_terms(model, terms)
    return [
        Table(Neighbour, (), columns=_SHOWN, unknown={term: unknown[term]})
        if term in unknown
        else _nearest(model, term, top)
        for term in terms
    ]


def _nearest(model: AnyModel, term: str, top: int) -> Table[Neighbour]:
    question = Question(model, [term])
    pairs = question.upwards(0)
    values = np.array(pairs.cosine if pairs.skipgram is None else pairs.skipgram_cosine)
    values[question.same(0)] = -np.inf
    places = best(values, top)
    frequencies = question.terms.source.main.frequencies
    nearest = [
        Neighbour(term, question.word(int(i)), float(values[i]), int(frequencies[i])) for i in places if values[i] > 0
    ]
    notes = () if nearest else ("not known: its vector is empty",)
    return Table(Neighbour, nearest, columns=_SHOWN, formats={"similarity": ".3f"}, notes=notes)


@dataclass(frozen=True)
class Suggestion:
    """A word or a term (`kind`), how often the text has it, and why it is suggested.

    `match` is "exact", "prefix", "inside" (a later word of the term begins so) or "spelling".
    """

    term: str
    kind: str
    frequency: int
    match: str


class Completion:
    """The words and terms of a model, sorted by their letters and by those of their later words."""

    def __init__(self, source: Source) -> None:
        names = source.vocabulary
        rows: dict[str, Suggestion] = {}
        for number, (name, shown, count) in enumerate(zip(names, names.spellings, names.frequencies, strict=True)):
            is_term = number >= names.word_count
            shown = shown if is_term else name.partition("|")[0].replace("_", " ")
            key = shown.lower()
            if key not in rows or rows[key].frequency < count:
                rows[key] = Suggestion(shown, "term" if is_term else "word", int(count), "")
        self._rows = rows
        self._keys = sorted(rows)
        inside = [(key[at + 1 :], key) for key in rows for at, sign in enumerate(key) if sign in " -"]
        inside.sort()
        self._inside = [part for part, _ in inside]
        self._owners = [key for _, key in inside]

    def suggestions(self, text: str, top: int) -> list[Suggestion]:
        """At most `top` completions of a text."""
        text = normal(text)
        if not text:
            return []
        rows = self._rows
        chosen = {text: "exact"} if text in rows else {}
        prefixed = self._keys[bisect_left(self._keys, text) : bisect_left(self._keys, text + _LAST)]
        chosen |= dict.fromkeys(self._frequent(prefixed, chosen, top - len(chosen)), "prefix")
        if len(chosen) < top:
            owners = self._owners[bisect_left(self._inside, text) : bisect_left(self._inside, text + _LAST)]
            chosen |= dict.fromkeys(self._frequent(owners, chosen, top - len(chosen)), "inside")
        if len(chosen) < min(_ENOUGH, top):
            alike = near_spellings(text, self._keys, rows, most=top)
            chosen |= {key: "spelling" for key in alike[: top - len(chosen)] if key not in chosen}
        return [Suggestion(rows[key].term, rows[key].kind, rows[key].frequency, match) for key, match in chosen.items()]

    def _frequent(self, keys: Iterable[str], known: Iterable[str], most: int) -> list[str]:
        others = set(keys).difference(known)
        return heapq.nsmallest(most, others, key=lambda key: (-self._rows[key].frequency, key))


def suggest(model: AnyModel, text: str, top: int = 10) -> Table[Suggestion]:
    """Return what a text may become: itself, what begins so, terms with a later word that does, similar spellings.

    Within each group the most frequent come first.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> words = ["animal", "dog", "dogma", "hot_dog", "law"]
    >>> model = VectorSpace(words, [[1]] * 5, frequencies=[9, 5, 1, 3, 3], kind="dive")
    >>> [(one.term, one.match) for one in suggest(model, "dog")]
    [('dog', 'exact'), ('dogma', 'prefix'), ('hot dog', 'inside')]
    >>> [(one.term, one.match) for one in suggest(model, "animla")]
    [('animal', 'spelling')]
    """
    SimilarOptions(top=top)
    source = source_of(model)
    return Table(Suggestion, source.memo.get(Completion, lambda: Completion(source)).suggestions(text, top))
