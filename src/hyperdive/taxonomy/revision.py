"""A finished taxonomy with corrections applied to it: at once, without asking the model again.

Where a correction takes a term's parent away, the term becomes a root; building again finds it another parent.
"""

from __future__ import annotations

from hyperdive.taxonomy.corrections import Corrections
from hyperdive.taxonomy.names import Spelling, normal
from hyperdive.taxonomy.taxonomy import Edge, Origin, Taxonomy


def revise(taxonomy: Taxonomy, corrections: Corrections, *, parents: int = 1) -> Taxonomy:
    """The taxonomy as the corrections want it.

    A forced edge replaces the other parents of its child, as far as there may be `parents` of them. Where a forced edge
    closes a cycle, or edges lead to a forbidden ancestor, the least sure of the edges that are not forced gives way.
    Corrections that concern none of its terms change nothing.

    >>> edges = [Edge("poodle", "dog", 0.9, 0.9, 3, "model"), Edge("dog", "meat", 0.6, 0.6, 1, "model")]
    >>> pets = Taxonomy(["dog", "meat", "poodle"], edges)
    >>> print(revise(pets, Corrections(force=[("dog", "pet")], rename=[("poodle", "Poodle")])))
    pet
    └── dog  1.00  expert
        └── Poodle  0.90  said 3 times
    1 term is not placed: meat
    """
    corrections = corrections.concerning(taxonomy.terms)
    names = dict.fromkeys([*map(corrections.stands_for, taxonomy.terms), *corrections.terms()])
    graph = _Edges(taxonomy, corrections)
    for child, parent in corrections.force:
        graph.force(child, parent, parents, taxonomy.calibrated)
    for term in corrections.roots:
        graph.cut(term)
    for child, parent in corrections.forbid:
        graph.forbid(child, parent)
    spelling = Spelling([*taxonomy.terms, *corrections.spelled], corrections.rename)
    shown = {name: spelling(name) for name in names}
    return Taxonomy(
        sorted(shown.values(), key=lambda term: (normal(term), term)),
        [edge.between(shown[child], shown[parent]) for (child, parent), edge in graph.edges.items()],
        origin=Origin(taxonomy.score, taxonomy.calibrated, taxonomy.notes),
        added=[shown[name] for term in taxonomy.added if (name := corrections.stands_for(term)) in shown],
        unknown=[shown[name] for term in taxonomy.unknown if (name := corrections.stands_for(term)) in shown],
        synonyms=_synonyms(taxonomy, corrections, shown),
    )


def _synonyms(taxonomy: Taxonomy, corrections: Corrections, shown: dict[str, str]) -> dict[str, list[str]]:
    """Other names of the terms: those they had, merged terms, and what a renamed term was called."""
    names: dict[str, list[str]] = {}
    for term in taxonomy.terms:
        name = corrections.stands_for(term)
        names.setdefault(shown[name], []).extend([term, *taxonomy.synonyms.get(term, ())])
    for synonym, _ in corrections.merge:
        target = corrections.stands_for(synonym)
        if target in shown:
            names.setdefault(shown[target], []).append(synonym)
    distinct: dict[str, list[str]] = {}
    for term, others in names.items():
        by_name = {normal(other): other for other in reversed(others) if other != term}
        by_name.pop(normal(term), None)
        if by_name:
            distinct[term] = sorted(by_name.values())
    return distinct


class _Edges:
    """Edges between terms under their normal names, without cycles."""

    def __init__(self, taxonomy: Taxonomy, corrections: Corrections) -> None:
        self._forced = frozenset(corrections.force)
        self.edges: dict[tuple[str, str], Edge] = {}
        self._above: dict[str, list[str]] = {}
        for edge in taxonomy.edges:
            child, parent = corrections.stands_for(edge.child), corrections.stands_for(edge.parent)
            if child != parent and not self._path(parent, child):
                self._put(child, parent, edge)

    def _put(self, child: str, parent: str, edge: Edge) -> None:
        if (child, parent) not in self.edges:
            self._above.setdefault(child, []).append(parent)
        self.edges[child, parent] = edge

    def _remove(self, child: str, parent: str) -> None:
        del self.edges[child, parent]
        self._above[child].remove(parent)

    def force(self, child: str, parent: str, parents: int, calibrated: bool) -> None:
        """Put the child under the parent, in place of the least sure of its other parents."""
        old = self.edges.get((child, parent))
        edge = Edge(child, parent, 1.0 if calibrated else None, None, 0, "expert") if old is None else old.forced()
        others = [
            other for other in self._above.get(child, ()) if (child, other) not in self._forced and other != parent
        ]
        others.sort(key=lambda other: (self._value(child, other), other))
        room = (
            parents - 1 - sum((child, other) in self._forced for other in self._above.get(child, ()) if other != parent)
        )
        for other in others[: max(len(others) - max(room, 0), 0)]:
            self._remove(child, other)
        while path := self._path(parent, child):
            self._weaken(path)
        self._put(child, parent, edge)

    def cut(self, child: str) -> None:
        """Take away all parents of a term."""
        for parent in list(self._above.get(child, ())):
            self._remove(child, parent)

    def forbid(self, child: str, parent: str) -> None:
        """Take away edges until the child is no longer beneath the parent."""
        while path := self._path(child, parent):
            self._weaken(path)

    def _weaken(self, path: list[tuple[str, str]]) -> None:
        free = [pair for pair in path if pair not in self._forced]
        self._remove(*min(free, key=lambda pair: (self._value(*pair), pair)))

    def _value(self, child: str, parent: str) -> float:
        return self.edges[child, parent].value or 0.0

    def _path(self, start: str, end: str) -> list[tuple[str, str]]:
        """The edges of a way upwards from one term to another; empty when there is none."""
        came: dict[str, str] = {}
        waiting = [start]
        while waiting:
            here = waiting.pop()
            for parent in self._above.get(here, ()):
                if parent not in came:
                    came[parent] = here
                    waiting.append(parent)
        path: list[tuple[str, str]] = []
        here = end
        while here in came and (here != start or not path):
            path.append((came[here], here))
            here = came[here]
        return path
