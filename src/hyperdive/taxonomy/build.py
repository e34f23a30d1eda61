"""Build a taxonomy: put terms under the terms they are kinds of.

Every pair of terms is scored. Pairs above the minimum confidence compete for the forest of largest weight; then
subtrees move until no move makes the pairs that the forest implies more likely. Terms with no parent above the minimum
become roots.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._progress import SILENT, Progress
from hyperdive._spelling import near_spellings
from hyperdive.ask.hypernyms import MIN_SCORE
from hyperdive.ask.question import normal, source_of, term_lines
from hyperdive.ask.ranking import Ranking, ranking
from hyperdive.errors import InputError, OptionError, one_line
from hyperdive.patterns.evidence import Evidence
from hyperdive.scores.confidence import ENDING_CONFIDENCE, head_confidence
from hyperdive.scores.source import AnyModel
from hyperdive.taxonomy.corrections import Corrections, Spelling, read_corrections
from hyperdive.taxonomy.edge_weights import edge_ranking, pair_values, weigh
from hyperdive.taxonomy.forest import FORBIDDEN, add_parents, grow_forest
from hyperdive.taxonomy.options import DEFAULTS, LEVELS_BENEATH, MIN_CONFIDENCE, TOP, TOP_BENEATH, TaxonomyOptions
from hyperdive.taxonomy.pruning import (
    NodePairs,
    Parents,
    beneath_root,
    depths,
    dissolve_small,
    only,
    thin_out,
)
from hyperdive.taxonomy.taxonomy import Edge, Origin, Taxonomy
from hyperdive.taxonomy.terms import MAX_TERMS, Nodes, beneath, collect, useful


def taxonomy(
    model: AnyModel,
    terms: Iterable[str] | str | Path | None = None,
    options: TaxonomyOptions = DEFAULTS,
    *,
    corrections: Corrections | str | Path | None = None,
    progress: Progress = SILENT,
) -> Taxonomy:
    """Put terms under the terms they are kinds of.

    Args:
        model: The model to ask.
        terms: Terms, or a file of them, one a line. None takes those beneath `options.root`, else the most useful words
            of the model.
        options: How many terms, children and parents, and the minimum confidence of an edge.
        corrections: Edges to force or forbid, or a file of them.
        progress: Where to report progress.

    >>> from hyperdive import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[4, 4, 1], [3, 2, 0], [2, 1, 0], [0, 0, 2]])
    >>> words = ["animal", "dog", "poodle", "law"]
    >>> model = Model(VectorSpace(words, matrix, frequencies=[9, 5, 2, 3], kind="dive"))
    >>> print(taxonomy(model, ["poodle", "dog", "animal", "law", "old poodle", "cat"], TaxonomyOptions(score="CDE")))
    animal
    ├── dog  1
    │   └── poodle  1
    │       └── old poodle  head
    └── law  0.5
    1 term is not placed: cat
    """
    by = edge_ranking(model, options.score)
    least = options.min_confidence
    if by.calibrated:
        least = MIN_CONFIDENCE if least is None else least
        if not 0 < least < 1:
            raise OptionError(f"a minimum confidence of {least:g} makes no sense", hint="use one between 0 and 1")
    if corrections is not None and not isinstance(corrections, Corrections):
        corrections = read_corrections(corrections)
    rules = (corrections or Corrections()).check(options.parents)
    root = None if options.root is None else _standing(options.root, rules)
    with progress.stage("choosing terms"):
        asked, notes = _names(model, terms, replace(options, root=root), least)
    names = [_standing(name, rules) for name in asked]
    # the head of a root would stand above it, and all that is sought beneath the root beneath that
    nodes = collect(
        model, names, heads=options.heads and root is None, keep=[*rules.terms, *([root] if root is not None else [])]
    )
    number = {name: place for place, name in enumerate(nodes.names)}
    top_node = -1 if root is None else number[normal(root)]
    weights = weigh(pair_values(nodes, by, progress), by, least, nodes)
    forced = [(number[child], number[parent]) for child, parent in rules.force]
    absent = []
    for child, parent in rules.forbid:
        if child in number and parent in number:
            weights[number[child], number[parent]] = FORBIDDEN
        else:
            absent.append((child, parent, child if child not in number else parent))
    notes += _without_effect(absent)
    if top_node >= 0:
        weights[top_node] = np.minimum(weights[top_node], -1.0)
    for term in rules.roots:
        if term in number:
            weights[number[term]] = FORBIDDEN
    with progress.stage("placing", total=len(nodes), unit="terms"):
        above, kept = _grow(weights, forced, options, top_node)
    if not kept.all():
        gone = [name for place, name in enumerate(nodes.names) if not kept[place]]
        where = "too deep" if root is None else f"not beneath {root!r}, or too deep"
        notes.append(f"{_terms(len(gone))} left out, {where}: {_some(gone)}")
    notes += _spelled(model, nodes)
    spelling = Spelling([*names, *([root] if root is not None else []), *rules.spelled], rules.rename)
    present = [name for place, name in enumerate(nodes.names) if kept[place]]
    _check_distinct(present, spelling)
    merged = [(synonym, rules.stands_for(synonym)) for synonym, _ in rules.merge]
    return Taxonomy(
        map(spelling, sorted([*present, *nodes.unknown])),
        [
            replace(edge, child=spelling(edge.child), parent=spelling(edge.parent))
            for edge in _edges(nodes, above, by, frozenset(forced), options.evidence)
        ],
        origin=Origin(by.name, by.calibrated, tuple(notes)),
        added=[spelling(name) for place, name in enumerate(nodes.names) if nodes.added[place] and kept[place]],
        unknown=map(spelling, nodes.unknown),
        synonyms=spelling.synonyms(present, [*nodes.merged, *merged, *nodes.abbreviated]),
    )


def _names(model: AnyModel, terms: Any, options: TaxonomyOptions, least: float | None) -> tuple[list[str], list[str]]:
    """The terms asked for, and notes about them."""
    root, top = options.root, options.top
    if terms is not None:
        if root is not None or top is not None:
            raise OptionError("terms of your own and a root or a number of terms exclude each other")
        given = term_lines(terms, most=MAX_TERMS) if isinstance(terms, str | Path) else list(terms)
        doubled = len(given) - len({normal(term) for term in given})
        return given, [f"{doubled} of {len(given)} terms repeat an earlier one"] if doubled else []
    if root is not None:
        if not normal(root):
            raise OptionError("the root is empty", hint="name a word, such as --root animal")
        reach = MIN_SCORE if least is None else least
        by = ranking(model, options.score)  # at any distance, not as the nearest parent
        return beneath(
            model, root, by, least=reach, levels=options.levels or LEVELS_BENEATH, top=top or TOP_BENEATH
        ), []
    return useful(model, top or TOP), []


def _standing(name: str, rules: Corrections) -> str:
    """A name that was asked for, or the term that it was merged into."""
    term = rules.stands_for(name)
    return name if term == normal(name) else term


# ---- edges --------------------------------------------------------------------------------------------------------


def _grow(
    weights: npt.NDArray[np.float32],
    forced: list[tuple[int, int]],
    options: TaxonomyOptions,
    root: int,
) -> tuple[Parents, npt.NDArray[np.bool_]]:
    """The parents of every node, and which nodes stay."""
    keep = frozenset(forced)
    first = dict(reversed(forced))  # a forest takes one forced parent a child; a graph adds the others
    tree = grow_forest(weights, forced=first.items())
    above = [[int(p)] if p >= 0 else [] for p in tree]
    if options.parents > 1:
        above = add_parents(tree, weights, min(options.parents, len(tree)), forced=forced)
    if options.min_children > 1:
        above = dissolve_small(above, weights, options.min_children, most=options.parents, keep=keep, root=root)
    if options.max_children is not None:
        above = thin_out(above, weights, options.max_children, least=options.min_children, keep=keep)
    stays = np.ones(len(above), dtype=np.bool_)
    if root >= 0:
        stays &= beneath_root(above, root)
        above = only(above, lambda x: bool(stays[x]))
    if options.levels is not None:
        stays &= depths(above) <= options.levels
        above = only(above, lambda x: bool(stays[x]))
    return above, stays


def _edges(nodes: Nodes, above: Parents, by: Ranking, forced: NodePairs, sentences: int) -> list[Edge]:
    pairs = [(x, p) for x, mine in enumerate(above) for p in mine]
    patterns = nodes.terms.source.patterns
    edges = []
    for (x, p), (value, count) in zip(pairs, _facts(nodes, pairs, by), strict=True):
        reason, confidence = _reason(nodes, x, p, value) if by.calibrated else ("model", None)
        if nodes.heads[x] == p and not by.calibrated:
            reason = "head"
        if (x, p) in forced:
            reason, confidence = "expert", 1.0 if by.calibrated else None
        found: tuple[Evidence, ...] = ()
        if sentences and count and patterns is not None:
            found = tuple(patterns.evidence(nodes.terms.names[x], nodes.terms.names[p], top=sentences))
        edges.append(Edge(nodes.names[x], nodes.names[p], confidence, value, count, reason, found))
    return edges


def _reason(nodes: Nodes, x: int, p: int, value: float | None) -> tuple[str, float | None]:
    """Why an edge is believed, and its confidence: the score's, or that of the child's own form where it is larger."""
    by_form = [("head", float(head_confidence(nodes.terms.pairs([x], [p]))[0]))] if nodes.heads[x] == p else []
    by_form += [("ending", ENDING_CONFIDENCE)] if nodes.endings[x] == p else []
    by_form += [("modifier", float(nodes.modifier_confidence[x]))] if nodes.modified[x] == p else []
    return max([("model", value), *by_form], key=lambda reason: reason[1] or 0.0)


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


# ---- notes --------------------------------------------------------------------------------------------------------


def _without_effect(forbidden: list[tuple[str, str, str]]) -> list[str]:
    """What to say of pairs that are forbidden though one of the terms is not there."""
    told = [
        f"forbidding {child!r} under {parent!r} changes nothing: {absent!r} is not among the terms"
        for child, parent, absent in forbidden[:3]
    ]
    more = len(forbidden) - len(told)
    return [*told, f"forbidding {more} more pairs changes nothing either"] if more else told


def _check_distinct(names: list[str], spelling: Spelling) -> None:
    """Refuse a new name that another term has."""
    owner: dict[str, str] = {}
    for name in names:
        shown = spelling(name)
        if owner.setdefault(shown, name) != name:
            raise InputError(
                f"corrections: {owner[shown]!r} and {name!r} would both be called {shown!r}",
                hint="merge them, or choose another name",
            )


def _spelled(model: AnyModel, nodes: Nodes) -> list[str]:
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
