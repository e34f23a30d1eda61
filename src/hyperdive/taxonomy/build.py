"""A taxonomy: terms, each under the term it is a kind of, without cycles, every edge with what speaks for it.

How it is made: every pair of terms is scored; pairs that are believed compete for the forest of largest weight; then
subtrees move until no move makes all that the forest states likelier. A term without a believed parent is a root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._progress import SILENT, Progress
from hyperdive._spelling import near_spellings
from hyperdive.discover.hypernyms import MIN_SCORE, Sentence
from hyperdive.discover.question import source_of, term_lines
from hyperdive.discover.ranking import HEAD_CONFIDENCE, Ranking, ranking
from hyperdive.errors import MissingExtra, OptionError, one_line
from hyperdive.table import Table
from hyperdive.taxonomy.corrections import Corrections, normal, read_corrections
from hyperdive.taxonomy.edge_weights import pair_values, weigh
from hyperdive.taxonomy.forest import FORBIDDEN, add_parents, grow_forest
from hyperdive.taxonomy.pruning import Pairs, Parents, beneath_root, depths, dissolve_small, only, thin_out
from hyperdive.taxonomy.terms import Nodes, beneath, collect, useful

MIN_CONFIDENCE = 0.5
DEFAULT_TOP, DEFAULT_BENEATH, DEFAULT_LEVELS = 500, 200, 3


@dataclass(frozen=True)
class Edge:
    """`child` is a kind of `parent`.

    `confidence` is None where the score is not calibrated, and both are where the model knows nothing of the pair.
    `evidence` is how often the text says so. `reason` is "model", "head" (the child ends in the parent) or "forced" (a
    correction).
    """

    child: str
    parent: str
    confidence: float | None
    score: float | None
    evidence: int
    reason: str
    sentences: tuple[Sentence, ...] = ()

    @property
    def value(self) -> float | None:
        """The confidence, or the score where there is none."""
        return self.score if self.confidence is None else self.confidence


class Taxonomy:
    """Terms and the edges between them; made by `taxonomy`.

    Printing one shows the tree. `edges` is a table; `unknown` are terms the model does not know, `notes` what a user
    should hear.
    """

    def __init__(
        self,
        terms: Iterable[str],
        edges: Iterable[Edge],
        *,
        score: str = "",
        calibrated: bool = True,
        added: Iterable[str] = (),
        unknown: Iterable[str] = (),
        notes: Iterable[str] = (),
    ) -> None:
        self.terms, self.score, self.calibrated = tuple(terms), score, calibrated
        self.added, self.unknown, self.notes = frozenset(added), tuple(unknown), tuple(notes)
        measure = "confidence" if calibrated else "score"
        rows = sorted(edges, key=lambda edge: (edge.parent, edge.child))
        self.edges: Table[Edge] = Table(
            Edge,
            rows,
            columns=("child", "parent", measure, "evidence", "reason"),
            formats={"confidence": ".2f", "score": ".3g"},
        )

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

    def _named(self, term: str) -> str:
        return term if term in self._known else normal(term)

    def parents(self, term: str) -> list[str]:
        """The terms right above a term, the likeliest first."""
        return [edge.parent for edge in self._above.get(self._named(term), ())]

    def children(self, term: str) -> list[str]:
        """The terms right beneath a term, in alphabetical order."""
        return [edge.child for edge in self._below.get(self._named(term), ())]

    def edges_above(self, term: str) -> list[Edge]:
        """The edges from a term to its parents, the likeliest first."""
        return list(self._above.get(self._named(term), ()))

    def edges_below(self, term: str) -> list[Edge]:
        """The edges from a term's children to it."""
        return list(self._below.get(self._named(term), ()))

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """How many terms stand beneath each term (in a graph, counted once a way)."""
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

    def __repr__(self) -> str:
        return f"<Taxonomy of {len(self.terms)} terms: {len(self.edges)} edges, {len(self.roots)} roots>"

    def __str__(self) -> str:
        from hyperdive.taxonomy.formats import tree_lines

        return "\n".join("".join(part.text for part in line) for line in tree_lines(self))

    # ---- to other programs ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as `--format json` writes it."""
        measure = "confidence" if self.calibrated else "score"
        edges = []
        for edge, row in zip(self.edges, self.edges.to_dicts(), strict=True):
            del row["confidence"], row["score"]
            edges.append({"child": row.pop("child"), "parent": row.pop("parent"), measure: edge.value, **row})
        return {
            "score": self.score,
            "calibrated": self.calibrated,
            "terms": list(self.terms),
            "added": sorted(self.added),
            "roots": self.roots,
            "edges": edges,
            "unknown": list(self.unknown),
        }

    def to_networkx(self) -> Any:
        """A `networkx.DiGraph` with an edge from each child to its parents."""
        try:
            import networkx
        except ImportError:
            raise MissingExtra("to_networkx", "graphs") from None
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.terms)
        name = "confidence" if self.calibrated else "score"
        for edge in self.edges:
            facts = {"evidence": edge.evidence, "reason": edge.reason}
            graph.add_edge(edge.child, edge.parent, **facts, **({} if edge.value is None else {name: edge.value}))
        return graph

    def to_text(self, format: str = "tree", **options: Any) -> str:
        """The taxonomy in one of the formats: tree, json, tsv, dot, graphml, skos, owl or mermaid."""
        from hyperdive.taxonomy.formats import render

        return render(self, format, **options)

    def write(self, path: str | Path, format: str | None = None, *, force: bool = False, **options: Any) -> None:
        """Write a file that appears when it is complete; without `format` the ending of its name tells."""
        from hyperdive.taxonomy.formats import format_of, write_file

        write_file(Path(path), self.to_text(format or format_of(path), **options), force=force)


def taxonomy(
    model: Any,
    terms: Iterable[str] | str | Path | None = None,
    *,
    root: str | None = None,
    top: int | None = None,
    corrections: Corrections | str | Path | None = None,
    levels: int | None = None,
    min_children: int = 0,
    max_children: int | None = None,
    min_confidence: float | None = None,
    score: str | None = None,
    parents: int = 1,
    heads: bool = True,
    evidence: int = 0,
    progress: Progress = SILENT,
) -> Taxonomy:
    """Put terms under the terms they are kinds of.

    `terms` are a user's own, or a file of them; with `root` they are found in the model beneath a word; otherwise the
    `top` most useful words are taken. `corrections` force or forbid edges. `levels` cuts off what is deeper;
    `min_children` dissolves smaller groups, `max_children` moves the least likely of larger ones elsewhere. Pairs under
    `min_confidence` are no edges. `parents` above 1 gives a graph instead of a tree. `heads` adds the heads of phrases
    ("dog" for "domestic dog") to the terms. `evidence` is how many sentences to keep with each edge.

    >>> from hyperdive.spaces.model import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[4, 4, 1], [3, 2, 0], [2, 1, 0], [0, 0, 2]])
    >>> words = ["animal", "dog", "poodle", "law"]
    >>> model = Model(VectorSpace(words, matrix, frequencies=[9, 5, 2, 3], kind="dive"))
    >>> print(taxonomy(model, ["poodle", "dog", "animal", "law", "old poodle", "cat"], score="CDE"))
    animal
    ├── dog  1
    │   └── poodle  1
    │       └── old poodle  head
    └── law  0.5
    """
    _check(levels, min_children, max_children, parents, top)
    by = ranking(model, score)
    if min_confidence is not None and by.calibrated and not 0 < min_confidence < 1:
        raise OptionError(f"a minimum confidence of {min_confidence:g} makes no sense", hint="use one between 0 and 1")
    least = min_confidence if min_confidence is not None else MIN_CONFIDENCE if by.calibrated else None
    if corrections is not None and not isinstance(corrections, Corrections):
        corrections = read_corrections(corrections)
    rules = corrections or Corrections()
    rules.check_parents(parents)
    names, notes = _names(model, terms, root, top, levels, by, least)
    # the head of a root would stand above it, and all that is sought beneath the root beneath that
    nodes = collect(
        model, names, heads=heads and root is None, keep=[*rules.terms(), *([root] if root is not None else [])]
    )
    number = {name: place for place, name in enumerate(nodes.names)}
    top_node = -1 if root is None else number[normal(root)]
    weights = weigh(pair_values(nodes, by, progress), by, least, nodes)
    forced = [(number[child], number[parent]) for child, parent in rules.force]
    for child, parent in rules.forbid:
        if child in number and parent in number:
            weights[number[child], number[parent]] = FORBIDDEN
        else:
            absent = child if child not in number else parent
            notes.append(f"forbidding {child!r} under {parent!r} changes nothing: {absent!r} is not among the terms")
    if top_node >= 0:
        weights[top_node] = np.minimum(weights[top_node], -1.0)
    above, kept = _grow(weights, forced, parents, frozenset(forced), min_children, max_children, levels, top_node)
    if not kept.all():
        notes.append(_left_out(nodes.names, kept, top_node, root))
    notes += _spelled(model, nodes)
    return Taxonomy(
        [name for place, name in enumerate(nodes.names) if kept[place]],
        _edges(model, nodes, above, by, frozenset(forced), evidence),
        score=by.name,
        calibrated=by.calibrated,
        added=[name for place, name in enumerate(nodes.names) if nodes.added[place] and kept[place]],
        unknown=nodes.unknown,
        notes=notes,
    )


def _check(levels: int | None, min_children: int, max_children: int | None, parents: int, top: int | None) -> None:
    for name, value, least in (("levels", levels, 1), ("max_children", max_children, 1), ("top", top, 1)):
        if value is not None and value < least:
            raise OptionError(f"{name} must be {least} or more")
    if parents < 1 or min_children < 0:
        raise OptionError("parents must be 1 or more, and min_children 0 or more")
    if max_children is not None and max_children < min_children:
        raise OptionError(f"at most {max_children} and at least {min_children} children cannot both be")


def _names(
    model: Any, terms: Any, root: str | None, top: int | None, levels: int | None, by: Ranking, least: float | None
) -> tuple[list[str], list[str]]:
    """The terms asked for, and notes about them."""
    if terms is not None:
        if root is not None or top is not None:
            raise OptionError("terms of your own and a root or a number of terms exclude each other")
        given = term_lines(terms) if isinstance(terms, str | Path) else list(terms)
        doubled = len(given) - len({normal(term) for term in given})
        return given, [f"{doubled} of {len(given)} terms repeat an earlier one"] if doubled else []
    if root is not None:
        if not normal(root):
            raise OptionError("the root is empty", hint="name a word, such as --root animal")
        reach = MIN_SCORE if least is None else least
        return beneath(model, root, by, least=reach, levels=levels or DEFAULT_LEVELS, top=top or DEFAULT_BENEATH), []
    return useful(model, top or DEFAULT_TOP), []


# ---- edges --------------------------------------------------------------------------------------------------------


def _grow(
    weights: npt.NDArray[np.float32],
    forced: list[tuple[int, int]],
    most: int,
    keep: Pairs,
    min_children: int,
    max_children: int | None,
    levels: int | None,
    root: int,
) -> tuple[Parents, npt.NDArray[np.bool_]]:
    """The parents of every node, and which nodes stay."""
    first = dict(reversed(forced))  # a forest takes one forced parent a child; a graph adds the others
    tree = grow_forest(weights, forced=first.items())
    above = [[int(p)] if p >= 0 else [] for p in tree]
    if most > 1:
        above = add_parents(tree, weights, min(most, len(tree)), forced=forced)
    if min_children > 1:
        above = dissolve_small(above, weights, min_children, most=most, keep=keep, root=root)
    if max_children is not None:
        above = thin_out(above, weights, max_children, least=min_children, keep=keep)
    kept = np.ones(len(above), dtype=np.bool_)
    if root >= 0:
        kept &= beneath_root(above, root)
        above = only(above, lambda x: bool(kept[x]))
    if levels is not None:
        kept &= depths(above) <= levels
        above = only(above, lambda x: bool(kept[x]))
    return above, kept


def _edges(model: Any, nodes: Nodes, above: Parents, by: Ranking, forced: Pairs, sentences: int) -> list[Edge]:
    pairs = [(x, p) for x, mine in enumerate(above) for p in mine]
    edges = []
    for (x, p), (value, count) in zip(pairs, _facts(nodes, pairs, by), strict=True):
        reason = "forced" if (x, p) in forced else "model"
        if nodes.heads[x] == p and reason == "model" and not (by.calibrated and (value or 0) >= HEAD_CONFIDENCE):
            reason = "head"
            value = HEAD_CONFIDENCE if by.calibrated else value
        found = _sentences(model, nodes, x, p, sentences) if sentences and count else ()
        edges.append(
            Edge(nodes.names[x], nodes.names[p], value if by.calibrated else None, value, count, reason, found)
        )
    return edges


def _facts(nodes: Nodes, pairs: list[tuple[int, int]], by: Ranking) -> list[tuple[float | None, int]]:
    """The score of each pair, in full precision (None where a term has no vector), and how often the text states it."""
    known = [place for place, (x, p) in enumerate(pairs) if nodes.terms.found[x] and nodes.terms.found[p]]
    facts: list[tuple[float | None, int]] = [(None, 0)] * len(pairs)
    if known:
        chosen = nodes.terms.pairs([pairs[place][0] for place in known], [pairs[place][1] for place in known])
        stated = chosen.patterns
        # what is said of "dog" is not said of "hot dog", though a score may fall back on it
        counts = np.zeros(len(known)) if stated is None else np.where(stated.backed_off, 0, stated.counts)
        for place, value, count in zip(known, by(chosen), counts, strict=True):
            facts[place] = float(value), int(count)
    return facts


def _sentences(model: Any, nodes: Nodes, x: int, p: int, most: int) -> tuple[Sentence, ...]:
    lookup, words = nodes.terms.lookup, nodes.terms.source.main.words
    narrow, broad = (
        " ".join(words[row] for row in lookup.rows[lookup.starts[node] : lookup.starts[node + 1]]) for node in (x, p)
    )
    found = model.patterns.evidence(narrow, broad, top=most)
    return tuple(
        Sentence(str(one.sentence), str(one.pattern), tuple((int(a), int(b)) for a, b in one.spans)) for one in found
    )


# ---- notes --------------------------------------------------------------------------------------------------------


def _left_out(names: tuple[str, ...], kept: npt.NDArray[np.bool_], root: int, word: str | None) -> str:
    gone = [name for place, name in enumerate(names) if not kept[place]]
    where = f"not beneath {word!r}, or too deep" if root >= 0 else "too deep"
    return f"{_terms(len(gone))} left out, {where}: {_some(gone)}"


def _spelled(model: Any, nodes: Nodes) -> list[str]:
    """What was not known, with what may have been meant."""
    space = source_of(model).main
    notes = []
    if nodes.merged:
        same = [f"{one} = {other}" for one, other in nodes.merged]
        notes.append(f"{_terms(len(same))} the same word as an earlier one: {_some(same)}")
    if nodes.unknown:
        shown = []
        for name in nodes.unknown[:5]:
            missing = next((word for word in name.split() if word not in space), name)
            near = near_spellings(missing, space.words, space, most=2)
            shown.append(f"{name} (did you mean {' or '.join(near)}?)" if near else name)
        more = f" and {len(nodes.unknown) - 5} more" if len(nodes.unknown) > 5 else ""
        notes.append(f"{_terms(len(nodes.unknown))} not in this model: {one_line(', '.join(shown))}{more}")
    return notes


def _terms(count: int) -> str:
    return "1 term is" if count == 1 else f"{count} terms are"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return one_line(", ".join(names[:5])) + more
