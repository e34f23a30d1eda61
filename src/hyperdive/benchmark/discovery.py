"""How good are the answers to "what is a poodle?": rank the whole vocabulary for each hyponym of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._types import Bools, Floats
from hyperdive.benchmark.dataset import Dataset
from hyperdive.benchmark.measures import expected_precision, rank
from hyperdive.errors import InputError
from hyperdive.scores import Pairs, Source, as_source, get, look_up
from hyperdive.scores.lookup import Lookup
from hyperdive.scores.source import AnyModel
from hyperdive.scores.terms import Vocabulary, with_vocabulary


@dataclass(frozen=True)
class Discovery:
    """Means over hyponyms in [0, 1]; `hyponyms` is how many could be asked, `missing` how many have no vector."""

    map: float
    mrr: float
    p_at_5: float
    hyponyms: int
    missing: int


@dataclass(frozen=True)
class DiscoveryOptions:
    """How hyponyms are asked."""

    never: Iterable[str] = ()
    """Words that no score and no prior may answer with."""
    sample: int = 0
    """How many hyponyms to ask; 0 is all."""
    seed: int = 0
    lemmas: bool = True
    """Whether to look terms up by their lemma, too."""


@dataclass(frozen=True)
class Prior:
    """The same ranking for every hyponym: what any answer has to beat."""

    name: str
    function: Callable[[Pairs], Floats]

    def __call__(self, pairs: Pairs) -> Floats:
        return self.function(pairs)


def _word_frequencies(pairs: Pairs) -> Floats:
    assert pairs.frequencies is not None
    return pairs.frequencies[pairs.p]


def _hypernym_counts(pairs: Pairs) -> Floats:
    assert pairs.patterns is not None
    return pairs.patterns.hypernym_total.astype(np.float64)


FREQUENT_WORDS = Prior("most frequent words", _word_frequencies)
FREQUENT_HYPERNYMS = Prior("most frequent pattern hypernyms", _hypernym_counts)


def priors(model: AnyModel) -> list[Prior]:
    """The priors a model allows: its most frequent words and, with patterns, its most frequent hypernyms."""
    return [FREQUENT_WORDS] if as_source(model).patterns is None else [FREQUENT_WORDS, FREQUENT_HYPERNYMS]


def discover(
    model: AnyModel,
    dataset: Dataset,
    score: str | Callable[[Pairs], Floats] = "C·ΔS",
    options: DiscoveryOptions = DiscoveryOptions(),
) -> Discovery:
    """MAP, MRR and P@5 of all words ranked as hypernyms of each hyponym that has one in the dataset.

    Ties count by their expectation. A gold hypernym without a vector can never be found and stays in the
    denominator of AP; the hyponym itself is no candidate.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog", "car"], [[3, 1], [1, 0], [0, 2]], frequencies=[9, 5, 5], kind="dive")
    >>> dataset = Dataset.from_rows("x", [("dog", "animal", 1.0), ("car", "dog", 0.0)])
    >>> discover(space, dataset)
    Discovery(map=1.0, mrr=1.0, p_at_5=0.2, hyponyms=1, missing=0)
    >>> discover(space, dataset, FREQUENT_WORDS).mrr
    1.0
    """
    return discover_all(model, dataset, [score], options)[0]


def discover_all(
    model: AnyModel,
    dataset: Dataset,
    scores: Sequence[str | Callable[[Pairs], Floats]],
    options: DiscoveryOptions = DiscoveryOptions(),
    *,
    pos: bool = False,
) -> list[Discovery]:
    """The same for several scores at once; `pos` says that the words of the model carry their part of speech."""
    source = as_source(model)
    if dataset.graded or dataset.positives == 0:
        raise InputError(f"{dataset.name}: no positive pairs to discover", hint="choose a set with True labels")
    keys = dataset.space_keys(pos=pos)
    lookup = look_up(source.main, keys, lemmas=options.lemmas)
    asked = np.unique(dataset.q[dataset.labels])
    known = asked[lookup.found[asked]]
    missing = len(asked) - len(known)
    if options.sample and options.sample < len(known):
        known = np.sort(np.random.default_rng(options.seed).choice(known, options.sample, replace=False))
    if len(known) == 0:
        return [Discovery(0.0, 0.0, 0.0, 0, missing)] * len(scores)
    ask = _Asker(source, lookup, keys, dataset, options.never)
    functions = [get(score) if isinstance(score, str) else score for score in scores]
    results = np.array([ask(int(term), functions) for term in known])  # hyponym, score, measure
    return [
        Discovery(float(average), float(reciprocal), float(at_5), len(known), missing)
        for average, reciprocal, at_5 in results.mean(axis=0)
    ]


class _Asker:
    """The vocabulary as candidates, with the phrases that are asked behind it."""

    def __init__(self, source: Source, lookup: Lookup, keys: Any, dataset: Dataset, never: Iterable[str]) -> None:
        words = source.main.words
        self._dataset = dataset
        single, several = (np.flatnonzero(which) for which in (np.diff(lookup.starts) == 1, np.diff(lookup.starts) > 1))
        # one word is its own row; only phrases need rows of their own
        self._row = np.full(len(lookup.found), -1, dtype=np.int64)
        self._row[single] = lookup.rows[lookup.starts[:-1][single]]
        self._row[several] = len(words) + np.arange(len(several))
        phrases = [[words[row] for row in lookup.rows[lookup.starts[t] : lookup.starts[t + 1]]] for t in several]
        if phrases:
            self._terms = with_vocabulary(source, phrases, look_up(source.main, phrases, lemmas=False))
        else:
            self._terms = Vocabulary(source)
        self._every = np.arange(len(words))
        self._never = np.zeros(len(words), dtype=np.bool_)
        self._never[[source.main.index(word) for word in never if word in source.main]] = True

    def __call__(self, term: int, scores: Sequence[Callable[[Pairs], Floats]]) -> list[tuple[float, float, float]]:
        row = int(self._row[term])
        candidates = self._every[self._every != row]
        pairs = self._terms.pairs(np.full(len(candidates), row), candidates)
        dataset = self._dataset
        gold = np.unique(dataset.p[(dataset.q == term) & dataset.labels])
        right = np.isin(candidates, self._row[gold])
        answers = []
        for score in scores:
            values = np.array(score(pairs), dtype=np.float64)
            values[self._never[candidates]] = -np.inf
            answers.append(_measures(values, right, len(gold)))
        return answers


def _measures(values: Floats, right: Bools, total: int) -> tuple[float, float, float]:
    """AP, reciprocal rank and P@5 of one ranking."""
    ranking = rank(values)
    chance, precision = expected_precision(ranking, right)
    hit = ranking.block[right[ranking.order]]
    first = 0.0
    if len(hit):
        start, end = ranking.starts[hit[0]], ranking.starts[hit[0] + 1]
        # the best of s right answers among t tied ones stands, in the mean, at (t + 1)/(s + 1)
        first = 1.0 / (start + (end - start + 1) / (int((hit == hit[0]).sum()) + 1))
    return float((chance * precision).sum() / total), first, float(chance[:5].sum() / 5)
