"""Gold taxonomies in the format of SemEval-2016 task 13: how many of their edges does a model find?

Every line is a number, a term and its parent, with tabs between. The model gets the terms alone. The
baseline to beat puts every term under the longest end of itself that is a term ("apple juice" under "juice").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperdive._progress import SILENT, Progress
from hyperdive.benchmark.gold_files import gold_lines
from hyperdive.benchmark.gold_taxonomy import Pair, PrecisionRecall, closure
from hyperdive.errors import InputError
from hyperdive.scores.source import AnyModel
from hyperdive.taxonomy.build import taxonomy
from hyperdive.taxonomy.names import normal
from hyperdive.taxonomy.options import TaxonomyOptions

_FORMAT = "each line is a number, a term and its parent, with tabs between"


@dataclass(frozen=True)
class TermTaxonomy:
    """A gold taxonomy: its terms in alphabetical order and its edges (term, parent)."""

    name: str
    terms: tuple[str, ...]
    edges: frozenset[Pair]

    @classmethod
    def of(cls, name: str, edges: Iterable[Pair]) -> TermTaxonomy:
        """From edges; a term that is its own parent stays a term, and the edge is none.

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

    def as_json(self) -> dict[str, Any]:
        """Plain numbers, figures in per cent."""
        return {"direct": _percent(self.direct), "ancestors": _percent(self.ancestors), "unplaced": self.unplaced}


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
        """Plain numbers, figures in per cent."""
        sizes = {"terms": self.terms, "multiword": self.multiword, "edges": self.edges}
        return {**sizes, "model": self.model.as_json(), "suffix": self.suffix.as_json()}


def read_taxonomy(path: str | Path) -> TermTaxonomy:
    """A gold taxonomy from a file; its name is the file's without the ending.

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
    """Each term under its longest proper suffix of whole words that is a term, too.

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
    """Edges (child, parent) against a gold taxonomy.

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


def _percent(figures: PrecisionRecall) -> dict[str, float | int]:
    return {
        "precision": round(100 * figures.precision, 4),
        "recall": round(100 * figures.recall, 4),
        "f1": round(100 * figures.f1, 4),
        "edges": figures.stated,
    }
