"""How good are the answers to "what is a poodle?": rank the whole vocabulary for each hyponym of a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive.benchmark.datasets import Dataset
from hyperdive.benchmark.measures import expected_precision, rank
from hyperdive.errors import InputError
from hyperdive.scores import Pairs, Rows, Source, as_source, get, look_up
from hyperdive.scores.rows import Lookup, gather


@dataclass(frozen=True)
class Discovery:
    """Means over hyponyms in [0, 1]; `hyponyms` is how many could be asked, `missing` how many have no vector."""

    map: float
    mrr: float
    p_at_5: float
    hyponyms: int
    missing: int


def discover(
    model: Any,
    dataset: Dataset,
    score: str = "C·ΔS",
    *,
    pos: bool = False,
    sample: int = 0,
    seed: int = 0,
    lemmas: bool = True,
    threads: int = 0,
) -> Discovery:
    """MAP, MRR and P@5 of all words ranked as hypernyms of each hyponym that has one in the dataset.

    Ties count by their expectation. A gold hypernym without a vector can never be found and stays in the
    denominator of AP; the hyponym itself is no candidate. `sample` asks that many hyponyms instead of all.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog", "car"], [[3, 1], [1, 0], [0, 2]], frequencies=[9, 5, 5], kind="dive")
    >>> discover(space, Dataset.from_rows("x", [("dog", "animal", 1.0), ("car", "dog", 0.0)]))
    Discovery(map=1.0, mrr=1.0, p_at_5=0.2, hyponyms=1, missing=0)
    """
    source = as_source(model)
    if dataset.graded or dataset.positives == 0:
        raise InputError(f"{dataset.name}: no positive pairs to discover", hint="choose a set with True labels")
    found = look_up(source.main, dataset.space_keys(pos=pos), lemmas=lemmas)
    asked = np.unique(dataset.q[dataset.labels])
    known = asked[found.found[asked]]
    missing = len(asked) - len(known)
    if sample and sample < len(known):
        known = np.sort(np.random.default_rng(seed).choice(known, sample, replace=False))
    ask = _Asker(source, found, dataset, threads)
    results = [ask(int(term), score) for term in known]
    if not results:
        return Discovery(0.0, 0.0, 0.0, 0, missing)
    average, reciprocal, at_5 = np.array(results).mean(axis=0)
    return Discovery(float(average), float(reciprocal), float(at_5), len(results), missing)


class _Asker:
    """The vocabulary as candidates, with the rows of the asked terms behind it."""

    def __init__(self, source: Source, found: Lookup, dataset: Dataset, threads: int) -> None:
        self._size = len(source.main.words)
        self._found, self._dataset = found, dataset
        single = np.diff(found.starts) == 1
        # one word is its own row; only phrases need rows of their own
        phrases = np.flatnonzero(np.diff(found.starts) > 1)
        self._row = np.full(len(single), -1, dtype=np.int64)
        self._row[single] = found.rows[found.starts[:-1][single]]
        self._row[phrases] = self._size + np.arange(len(phrases))
        self._rows = _with_phrases(source.main, found, phrases, threads)
        self._skipgram = None if source.skipgram is None else Rows(_aligned(source, found, phrases), threads=threads)
        frequencies = np.asarray(source.main.frequencies, dtype=np.float64)
        means = [frequencies[found.rows[found.starts[t] : found.starts[t + 1]]].mean() for t in phrases]
        self._frequencies = np.concatenate([frequencies, means])
        self._contexts = source.context_counts
        self._threads = threads

    def __call__(self, term: int, score: str) -> tuple[float, float, float]:
        dataset, row = self._dataset, int(self._row[term])
        candidates = np.arange(self._size)
        candidates = candidates[candidates != row]
        pairs = Pairs(
            self._rows,
            np.full(len(candidates), row),
            candidates,
            skipgram=self._skipgram,
            frequencies=self._frequencies,
            context_counts=self._contexts,
            threads=self._threads,
        )
        gold = np.unique(self._row[dataset.p[(dataset.q == term) & dataset.labels]])
        right = np.isin(candidates, gold)
        total = len(np.unique(dataset.p[(dataset.q == term) & dataset.labels]))
        ranking = rank(get(score)(pairs))
        chance, precision = expected_precision(ranking, right)
        hit = ranking.block[right[ranking.order]]
        first = 0.0
        if len(hit):
            start, end = ranking.starts[hit[0]], ranking.starts[hit[0] + 1]
            # the best of s right answers among t tied ones stands, in the mean, at (t + 1)/(s + 1)
            first = 1.0 / (start + (end - start + 1) / (int((hit == hit[0]).sum()) + 1))
        return float((chance * precision).sum() / total), first, float(chance[:5].sum() / 5)


def _with_phrases(space: Any, found: Lookup, phrases: Any, threads: int) -> Rows:
    if len(phrases) == 0:
        return Rows(space.matrix, threads=threads)
    extra = gather(space, _only(found, phrases))
    if isinstance(space.matrix, np.ndarray):
        return Rows(np.concatenate([space.matrix, extra]), threads=threads)
    from scipy.sparse import vstack

    return Rows(vstack([space.matrix, extra], format="csr"), threads=threads)


def _only(found: Lookup, terms: Any) -> Lookup:
    pieces = [found.rows[found.starts[t] : found.starts[t + 1]] for t in terms]
    starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return Lookup(np.concatenate(pieces), starts, found.by_lemma[terms])


def _aligned(source: Source, found: Lookup, phrases: Any) -> Any:
    """Skip-gram vectors in the order of the main space's words, then of the phrases; zero where one is missing."""
    assert source.skipgram is not None
    words = source.main.words
    terms = [[word] for word in words]
    terms += [[words[row] for row in found.rows[found.starts[t] : found.starts[t + 1]]] for t in phrases]
    return gather(source.skipgram, look_up(source.skipgram, terms, lemmas=False))
