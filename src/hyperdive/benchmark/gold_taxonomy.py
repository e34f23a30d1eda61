"""How good is a taxonomy? Its edges against the known is-a pairs of datasets, with all that both imply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hyperdive.benchmark.dataset import Dataset
from hyperdive.benchmark.datasets import load_all
from hyperdive.errors import InputError

DEFAULT_GOLD = ("BLESS", "LEDS", "WordNet", "HypeNet")
Pair = tuple[str, str]


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision, recall and F1 of pairs, each in [0, 1]."""

    precision: float
    recall: float
    f1: float
    found: int
    stated: int
    gold: int

    @classmethod
    def of(cls, found: int, stated: int, gold: int) -> PrecisionRecall:
        """From the number of right pairs, of pairs stated, and of pairs known.

        >>> PrecisionRecall.of(found=1, stated=2, gold=4)
        PrecisionRecall(precision=0.5, recall=0.25, f1=0.3333333333333333, found=1, stated=2, gold=4)
        """
        precision, recall = found / stated if stated else 0.0, found / gold if gold else 0.0
        return cls(precision, recall, 2 * found / (stated + gold) if stated + gold else 0.0, found, stated, gold)


@dataclass(frozen=True)
class TaxonomyFigures:
    """What the edges of a taxonomy are worth against a gold.

    `edges`: edges that are is-a pairs of the gold, at any distance, among all edges; recall is the share of gold terms
    that have a parent in the gold and got a right one. `direct`: the same for the nearest parents of the gold alone.
    `ancestors`: all pairs the taxonomy implies against all pairs the gold implies. `judged` is the precision of the
    edges whose pair the gold judges at all, with the number of those: pairs that the datasets call positive or
    negative, and reversed positives. The other pairs were not annotated, and gold sets leave out many true ones.
    """

    terms: int
    edges: PrecisionRecall
    direct: PrecisionRecall
    ancestors: PrecisionRecall
    judged: float
    judged_edges: int

    def as_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return asdict(self)


class Gold:
    """Is-a pairs between terms, closed under transitivity within each dataset; nouns only where there are tags.

    `terms` are those with an is-a pair. Chains are drawn inside one dataset: a word may have another sense in the next.

    >>> rows = [("poodle", "dog", 1.0), ("dog", "animal", 1.0), ("animal", "plant", 0.0)]
    >>> gold = Gold([Dataset.from_rows("mine", rows)])
    >>> gold.terms, sorted(gold.is_a)
    (('animal', 'dog', 'poodle'), [('dog', 'animal'), ('poodle', 'animal'), ('poodle', 'dog')])
    >>> found = gold.compare([("poodle", "dog"), ("animal", "dog")])
    >>> found.edges.precision, found.direct.recall, found.judged, found.judged_edges
    (0.5, 0.5, 0.5, 2)
    """

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        positive: set[Pair] = set()
        negative: set[Pair] = set()
        for dataset in datasets:
            if dataset.graded:
                raise InputError(f"{dataset.name}: grades are not is-a pairs", hint="choose a set with True labels")
            names = [" ".join(words) for words in dataset.space_keys()]
            noun = [not dataset.tagged or term.endswith("-n") for term in dataset.terms]
            own: dict[Pair, None] = {}
            for q, p, label in zip(dataset.q, dataset.p, dataset.labels, strict=True):
                if noun[q] and noun[p] and names[q] != names[p]:
                    if label:
                        own[names[q], names[p]] = None
                    else:
                        negative.add((names[q], names[p]))
            positive |= closure(own)
        # a pair that is stated both ways says nothing about direction
        self.is_a = frozenset(pair for pair in positive if pair[::-1] not in positive)
        self.is_not = frozenset(negative | {(p, q) for q, p in self.is_a}) - self.is_a
        self.terms = tuple(sorted({term for pair in self.is_a for term in pair}))
        if not self.is_a:
            raise InputError("the gold has no is-a pair between nouns", hint=f"choose from {', '.join(DEFAULT_GOLD)}")

    def compare(self, edges: Iterable[Pair], terms: Iterable[str] | None = None) -> TaxonomyFigures:
        """Figures of (child, parent) edges; pairs of the gold with a term that is not among `terms` do not count.

        Without `terms` all terms of the gold count.
        """
        edges = set(edges)
        inside = set(self.terms) if terms is None else set(terms) & set(self.terms)
        is_a = _among(self.is_a, inside)
        # chains may run over terms the gold does not know: close first, then keep the gold's terms
        stated, implied = _among(edges, inside), _among(closure(edges), inside)
        direct = is_a - _detours(is_a)
        right = stated & is_a
        judged = stated & (is_a | self.is_not)
        children, served = {q for q, _ in is_a}, {q for q, _ in right}
        precision, recall = len(right) / max(len(stated), 1), len(served) / max(len(children), 1)
        mean = 2 * precision * recall / (precision + recall) if right else 0.0
        return TaxonomyFigures(
            len(inside),
            PrecisionRecall(precision, recall, mean, len(right), len(stated), len(children)),
            PrecisionRecall.of(len(stated & direct), len(stated), len(direct)),
            PrecisionRecall.of(len(implied & is_a), len(implied), len(is_a)),
            len(right) / max(len(judged), 1),
            len(judged),
        )


def load_gold(names: Sequence[str] = DEFAULT_GOLD, *, data: str | Path | None = None, verify: bool = True) -> Gold:
    """The gold of datasets by name, or of files of pairs."""
    return Gold(load_all(names, data=data, verify=verify))


def closure(pairs: Iterable[Pair]) -> set[Pair]:
    """All pairs that a chain of these pairs joins; nothing is above itself.

    >>> sorted(closure([("a", "b"), ("b", "c")]))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    above: dict[str, list[str]] = {}
    for q, p in pairs:
        above.setdefault(q, []).append(p)
    closed: set[Pair] = set()
    for start in above:
        waiting = list(above[start])
        while waiting:
            pair = start, waiting.pop()
            if pair[1] != start and pair not in closed:
                closed.add(pair)
                waiting.extend(above.get(pair[1], ()))
    return closed


def _among(pairs: Iterable[Pair], terms: set[str]) -> set[Pair]:
    return {(q, p) for q, p in pairs if q in terms and p in terms}


def _detours(closed: set[Pair]) -> set[Pair]:
    """The pairs of a closed set that another term lies between."""
    above: dict[str, set[str]] = {}
    for q, p in closed:
        above.setdefault(q, set()).add(p)
    return {(q, p) for q, over in above.items() for middle in over for p in above.get(middle, ()) if p in over}
