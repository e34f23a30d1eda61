"""How good is a taxonomy? Its edges against the known is-a pairs of datasets, with all that both imply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hyperdive._progress import SILENT, Progress
from hyperdive.ask.question import normal
from hyperdive.benchmark.datasets import Dataset, gold_lines, load_all
from hyperdive.benchmark.measures import per_cent
from hyperdive.errors import InputError
from hyperdive.scores.source import AnyModel
from hyperdive.taxonomy.build import taxonomy
from hyperdive.taxonomy.options import TaxonomyOptions

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
        """Compute the figures from the numbers of right pairs, pairs stated, and pairs of the gold.

        >>> PrecisionRecall.of(found=1, stated=2, gold=4)
        PrecisionRecall(precision=0.5, recall=0.25, f1=0.3333333333333333, found=1, stated=2, gold=4)
        """
        precision, recall = found / stated if stated else 0.0, found / gold if gold else 0.0
        return cls(precision, recall, 2 * found / (stated + gold) if stated + gold else 0.0, found, stated, gold)


@dataclass(frozen=True)
class TaxonomyFigures:
    """Figures of the edges of a taxonomy against a gold.

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
        """Return plain numbers."""
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
    """Return the gold of datasets by name, or of files of pairs."""
    return Gold(load_all(names, data=data, verify=verify))


def closure(pairs: Iterable[Pair]) -> set[Pair]:
    """Return the transitive closure of pairs, without pairs of a term and itself.

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
    """Return the pairs of a closed set with another term between them."""
    above: dict[str, set[str]] = {}
    for q, p in closed:
        above.setdefault(q, set()).add(p)
    return {(q, p) for q, over in above.items() for middle in over for p in above.get(middle, ()) if p in over}


_FORMAT = "each line is a number, a term and its parent, with tabs between"


@dataclass(frozen=True)
class TermTaxonomy:
    """A gold taxonomy: its terms in alphabetical order and its edges (term, parent)."""

    name: str
    terms: tuple[str, ...]
    edges: frozenset[Pair]

    @classmethod
    def of(cls, name: str, edges: Iterable[Pair]) -> TermTaxonomy:
        """Build a taxonomy from edges; the edge of a term to itself is dropped, the term stays.

        >>> TermTaxonomy.of("pets", [("poodle", "dog"), ("dog", "dog")]).terms
        ('dog', 'poodle')
        """
        pairs = {(normal(child), normal(parent)) for child, parent in edges}
        terms = tuple(sorted({term for pair in pairs for term in pair}))
        return cls(name, terms, frozenset((child, parent) for child, parent in pairs if child != parent))


@dataclass(frozen=True)
class EdgeFigures:
    """Edges against a gold taxonomy.

    `direct`: the edges against the gold's edges. `ancestors`: all pairs (term, term above it) that the edges imply
    against all that the gold's edges imply. `unplaced`: the terms of the gold that are in no edge.
    """

    direct: PrecisionRecall
    ancestors: PrecisionRecall
    unplaced: int


@dataclass(frozen=True)
class TaxonomyResult:
    """A model and the suffix baseline on one gold taxonomy; `terms`, `multiword` and `edges` are the gold's sizes."""

    name: str
    terms: int
    multiword: int
    edges: int
    model: EdgeFigures
    suffix: EdgeFigures

    def as_json(self) -> dict[str, Any]:
        """Return plain numbers, figures in per cent."""
        figures = per_cent(asdict(self))
        del figures["name"]
        for by in (figures["model"], figures["suffix"]):
            for side in ("direct", "ancestors"):
                by[side] = {name: by[side][name] for name in ("precision", "recall", "f1")} | {
                    "edges": by[side]["stated"]
                }
        return figures


def read_taxonomy(path: str | Path) -> TermTaxonomy:
    """Read a gold taxonomy; its name is that of the file without the ending.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "pets.taxo"
    >>> _ = place.write_text("0\\tPoodle\\tdog\\n1\\tdog\\tanimal\\n")
    >>> gold = read_taxonomy(place)
    >>> gold.name, gold.terms, sorted(gold.edges)
    ('pets', ('animal', 'dog', 'poodle'), [('dog', 'animal'), ('poodle', 'dog')])
    """
    edges = []
    for number, line in enumerate(gold_lines(path, "gold taxonomy"), 1):
        if not line.strip():
            continue
        fields = [normal(field) for field in line.split("\t")]
        if len(fields) < 3 or not fields[1] or not fields[2]:
            raise InputError(f"{path}: line {number} has no term and parent: {line[:60]!r}", hint=_FORMAT)
        edges.append((fields[1], fields[2]))
    gold = TermTaxonomy.of(Path(path).stem, edges)
    if not gold.edges:
        raise InputError(f"{path}: no edge between two terms", hint=_FORMAT)
    return gold


def suffix_edges(terms: Iterable[str]) -> set[Pair]:
    """Return an edge from each term to its longest proper suffix of whole words that is a term.

    >>> sorted(suffix_edges(["juice", "apple juice", "sour apple juice", "pineapple juice", "bird of prey"]))
    [('apple juice', 'juice'), ('pineapple juice', 'juice'), ('sour apple juice', 'apple juice')]
    """
    known = set(terms)
    edges = set()
    for term in known:
        words = term.split(" ")
        suffixes = (" ".join(words[start:]) for start in range(1, len(words)))
        parent = next((suffix for suffix in suffixes if suffix in known), None)
        if parent is not None:
            edges.add((term, parent))
    return edges


def edge_figures(edges: Iterable[Pair], gold: TermTaxonomy) -> EdgeFigures:
    """Compare edges (child, parent) with a gold taxonomy.

    >>> gold = TermTaxonomy.of("pets", [("poodle", "dog"), ("dog", "animal"), ("cat", "animal")])
    >>> figures = edge_figures([("poodle", "animal"), ("dog", "animal")], gold)
    >>> figures.direct.precision, figures.ancestors.precision, figures.ancestors.recall, figures.unplaced
    (0.5, 1.0, 0.5, 1)
    """
    stated = set(edges)
    implied, known = closure(stated), closure(gold.edges)
    joined = {term for pair in stated for term in pair}
    return EdgeFigures(
        PrecisionRecall.of(len(stated & gold.edges), len(stated), len(gold.edges)),
        PrecisionRecall.of(len(implied & known), len(implied), len(known)),
        sum(term not in joined for term in gold.terms),
    )


def evaluate_taxonomy(
    model: AnyModel, gold: TermTaxonomy | str | Path, *, progress: Progress = SILENT, **options: Any
) -> TaxonomyResult:
    """Build the taxonomy of a gold's terms, adding none, and compare its edges with the gold's.

    Args:
        model: The model to ask.
        gold: A gold taxonomy, or its file.
        options: Those of `TaxonomyOptions`, such as `min_confidence` and `score`.

    >>> import numpy as np
    >>> from hyperdive import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[4, 4, 1], [3, 2, 0], [2, 1, 0]])
    >>> model = Model(VectorSpace(["animal", "dog", "poodle"], matrix, frequencies=[9, 5, 2], kind="dive"))
    >>> gold = TermTaxonomy.of("pets", [("poodle", "dog"), ("dog", "animal"), ("old poodle", "poodle")])
    >>> result = evaluate_taxonomy(model, gold, score="CDE")
    >>> result.multiword, result.model.direct.f1, result.suffix.direct.f1, result.suffix.unplaced
    (1, 1.0, 0.5, 2)
    """
    if not isinstance(gold, TermTaxonomy):
        gold = read_taxonomy(gold)
    built = taxonomy(model, gold.terms, TaxonomyOptions(heads=False, **options), progress=progress)
    return TaxonomyResult(
        gold.name,
        len(gold.terms),
        sum(" " in term for term in gold.terms),
        len(gold.edges),
        edge_figures(((edge.child, edge.parent) for edge in built), gold),
        edge_figures(suffix_edges(gold.terms), gold),
    )
