"""A taxonomy: terms, and edges from each term to the terms it is a kind of, without cycles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hyperdive._atomic import write_file
from hyperdive.ask.question import normal
from hyperdive.errors import MissingExtra
from hyperdive.patterns.evidence import Evidence
from hyperdive.table import Table
from hyperdive.taxonomy.formats import format_of, html_tree, render, tree_lines
from hyperdive.taxonomy.rdf import Naming


@dataclass(frozen=True)
class Edge:
    """`child` is a kind of `parent`.

    `confidence` is None where the score is not calibrated, and both are where the model knows nothing of the pair.
    `statements` is how many sentences of the text say so, `evidence` some of them. `reason` is "model", "head" (the
    child ends in the parent, or has it before a preposition), "ending" (the child's last word ends in the parent, as
    "astrodynamics" in "dynamics") or "expert" (a correction, with a confidence of 1).
    """

    child: str
    parent: str
    confidence: float | None
    score: float | None
    statements: int
    reason: str
    evidence: tuple[Evidence, ...] = ()

    @property
    def value(self) -> float | None:
        """The confidence, or the score where there is none."""
        return self.score if self.confidence is None else self.confidence


@dataclass(frozen=True)
class Origin:
    """How the edges of a taxonomy were made."""

    score: str = ""
    """The score by which they were chosen."""
    calibrated: bool = True
    """Whether its values are confidences."""
    notes: tuple[str, ...] = ()
    """What was left out or changed on the way, for the user."""


class Taxonomy:
    """Terms and the edges between them, as `Model.taxonomy` makes it; printing one shows the tree.

    Terms are spelled as the user spelled them. `edges` is a table of `Edge`.

    Args:
        terms: all terms, also those in no edge.
        edges: from each child to its parents, without cycles.
        origin: how the edges were made.
        added: terms that the user did not name, such as the heads of phrases.
        unknown: terms that the model does not know.
        synonyms: other names of terms.

    >>> pets = Taxonomy(["animal", "dog"], [Edge("dog", "animal", 0.97, 0.97, 21, "model")])
    >>> pets, pets.parents("dog"), pets.roots
    (<Taxonomy of 2 terms: 1 edges, 1 roots>, ['animal'], ['animal'])
    """

    def __init__(
        self,
        terms: Iterable[str],
        edges: Iterable[Edge],
        *,
        origin: Origin = Origin(),
        added: Iterable[str] = (),
        unknown: Iterable[str] = (),
        synonyms: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.terms, self.score, self.calibrated = tuple(terms), origin.score, origin.calibrated
        self.added, self.unknown, self.notes = frozenset(added), tuple(unknown), origin.notes
        self.synonyms = {
            term: tuple(name for name in dict.fromkeys(names) if name != term)
            for term, names in (synonyms or {}).items()
        }
        rows = sorted(edges, key=lambda edge: (normal(edge.parent), edge.parent, normal(edge.child), edge.child))
        self.edges: Table[Edge] = Table(
            Edge,
            rows,
            columns=("child", "parent", self.measure, "statements", "reason"),
            formats={"confidence": ".2f", "score": ".3g"},
        )

    @property
    def measure(self) -> str:
        """What the number of an edge is called: a confidence, or a score."""
        return "confidence" if self.calibrated else "score"

    @cached_property
    def _above(self) -> dict[str, list[Edge]]:
        above: dict[str, list[Edge]] = {}
        for edge in self.edges:
            above.setdefault(edge.child, []).append(edge)
        return {
            child: sorted(edges, key=lambda one: (-(one.value or 0.0), one.parent)) for child, edges in above.items()
        }

    @cached_property
    def _below(self) -> dict[str, list[Edge]]:
        below: dict[str, list[Edge]] = {}
        for edge in self.edges:
            below.setdefault(edge.parent, []).append(edge)
        return below

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[Edge]:
        return iter(self.edges)

    def __contains__(self, term: object) -> bool:
        return term in self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.terms)

    @cached_property
    def _spelled(self) -> dict[str, str]:
        return {normal(term): term for term in self.terms}

    def named(self, term: str) -> str:
        """A term as it is spelled here, however it is written; the same where it is not there."""
        return term if term in self._known else self._spelled.get(normal(term), term)

    def parents(self, term: str) -> list[str]:
        """The terms right above a term, the likeliest first."""
        return [edge.parent for edge in self._above.get(self.named(term), ())]

    def children(self, term: str) -> list[str]:
        """The terms right beneath a term, in alphabetical order."""
        return [edge.child for edge in self._below.get(self.named(term), ())]

    def edges_above(self, term: str) -> list[Edge]:
        """The edges from a term to its parents, the likeliest first."""
        return list(self._above.get(self.named(term), ()))

    def edges_below(self, term: str) -> list[Edge]:
        """The edges from a term's children to it."""
        return list(self._below.get(self.named(term), ()))

    def beneath(self, term: str) -> list[str]:
        """All terms beneath a term, at any distance.

        >>> edges = [Edge("poodle", "dog", None, 1.0, 0, "model"), Edge("dog", "animal", None, 1.0, 0, "model")]
        >>> Taxonomy(["animal", "dog", "poodle"], edges).beneath("animal")
        ['dog', 'poodle']
        """
        reached = dict.fromkeys(self.children(term))
        waiting = list(reached)
        while waiting:
            others = [child for child in self.children(waiting.pop()) if child not in reached]
            reached |= dict.fromkeys(others)
            waiting += others
        return list(reached)

    def doubtful(self) -> list[Edge]:
        """The edges that no correction decided, the least sure first."""
        undecided = [edge for edge in self.edges if edge.reason != "expert"]
        return sorted(undecided, key=lambda edge: (edge.value or 0.0, normal(edge.child), normal(edge.parent)))

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """How many terms are beneath each term (in a graph, counted once per path)."""
        sizes = dict.fromkeys(self.terms, 0)
        waits = {term: len(self._below.get(term, ())) for term in self.terms}
        ready = [term for term in self.terms if waits[term] == 0]
        for term in ready:
            for edge in self._above.get(term, ()):
                sizes[edge.parent] += sizes[term] + 1
                waits[edge.parent] -= 1
                if waits[edge.parent] == 0:
                    ready.append(edge.parent)
        return sizes

    @property
    def roots(self) -> list[str]:
        """The terms without a parent, the one with most beneath it first."""
        return sorted((term for term in self.terms if term not in self._above), key=lambda t: (-self.sizes[t], t))

    @cached_property
    def unplaced(self) -> tuple[str, ...]:
        """The terms that are in no edge."""
        return tuple(term for term in self.terms if term not in self._above and term not in self._below)

    def __repr__(self) -> str:
        return f"<Taxonomy of {len(self.terms)} terms: {len(self.edges)} edges, {len(self.roots)} roots>"

    def __str__(self) -> str:
        return "\n".join("".join(part.text for part in line) for line in tree_lines(self))

    def _repr_html_(self) -> str:
        """The tree as nested lists for a notebook; whatever the terms hold is escaped.

        >>> Taxonomy(["<b>", "dog"], [Edge("dog", "<b>", 0.97, 0.97, 0, "model")])._repr_html_()
        '<ul><li>&lt;b&gt;<ul><li>dog  0.97</li></ul></li></ul>'
        """
        return html_tree(self)

    # ---- to other programs ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as `--format json` writes it."""
        edges = []
        for edge, row in zip(self.edges, self.edges.to_dicts(), strict=True):
            del row["confidence"], row["score"]
            edges.append({"child": row.pop("child"), "parent": row.pop("parent"), self.measure: edge.value, **row})
        return {
            "score": self.score,
            "calibrated": self.calibrated,
            "terms": list(self.terms),
            "added": sorted(self.added),
            "roots": self.roots,
            "edges": edges,
            "unplaced": list(self.unplaced),
            "unknown": list(self.unknown),
            "synonyms": {term: list(names) for term, names in sorted(self.synonyms.items())},
        }

    def to_networkx(self) -> Any:
        """A `networkx.DiGraph` with an edge from each child to its parents."""
        try:
            import networkx
        except ImportError:
            raise MissingExtra("to_networkx", "graphs") from None
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.terms)
        for edge in self.edges:
            facts: dict[str, Any] = {"statements": edge.statements, "reason": edge.reason}
            if edge.value is not None:
                facts[self.measure] = edge.value
            graph.add_edge(edge.child, edge.parent, **facts)
        return graph

    def to_text(self, format: str = "tree", naming: Naming | None = None) -> str:
        """The taxonomy in one of the formats; `naming` is how SKOS and OWL name and label terms.

        The formats: tree, json, tsv, dot, graphml, skos (or skos-ttl, skos-xml), owl (owl-ttl, owl-xml), mermaid.
        """
        return render(self, format, naming)

    def write(
        self, path: str | Path, format: str | None = None, *, naming: Naming | None = None, force: bool = False
    ) -> None:
        """Write a file that appears when it is complete; without `format` the ending of its name gives it."""
        write_file(Path(path), self.to_text(format_of(path, format), naming), force=force)
