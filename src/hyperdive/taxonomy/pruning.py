"""Trimming a taxonomy: too few children, too many, too deep, or not beneath the root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive.taxonomy.forest import FORBIDDEN, order_from_roots, without_implied

Parents = list[list[int]]
NodePairs = frozenset[tuple[int, int]]


def children_of(parents: Parents) -> list[list[int]]:
    """The children of every node.

    >>> children_of([[1], [], [1]])
    [[], [0, 2], []]
    """
    children: list[list[int]] = [[] for _ in parents]
    for x, mine in enumerate(parents):
        for p in mine:
            children[p].append(x)
    return children


def dissolve_small(
    parents: Parents, weights: Any, least: int, *, most: int = 1, keep: NodePairs = frozenset(), root: int = -1
) -> Parents:
    """A node with fewer than `least` children keeps none: they go to its own parents where that pair is believed.

    No node gets more than `most` parents. Children that no parent takes become roots. `keep` are edges that stay;
    `root` keeps its children however few.

    >>> w = np.ones((3, 3))
    >>> dissolve_small([[1], [2], []], w, 2)                 # 1 has one child, which goes up; then 2 has two
    [[2], [2], []]
    >>> dissolve_small([[1], [2], []], w, 3)
    [[], [], []]
    """
    parents = [list(mine) for mine in parents]
    changed = True
    while changed:
        changed = False
        children = children_of(parents)
        for p in reversed(order_from_roots(parents)):
            movable = [x for x in children[p] if (x, p) not in keep]
            if p == root or not movable or len(children[p]) >= least:
                continue
            for x in movable:
                parents[x].remove(p)
                children[p].remove(x)
                for above in parents[p]:
                    if len(parents[x]) < most and above not in parents[x] and weights[x, above] > 0:
                        parents[x].append(above)
                        children[above].append(x)
            changed = True
    return without_implied(parents, keep)


def thin_out(parents: Parents, weights: Any, most: int, *, least: int = 0, keep: NodePairs = frozenset()) -> Parents:
    """At most `most` children for every node: the likeliest stay, the others go to their next best parent with room.

    Where no believed parent has room they become roots. A parent with too few children to count is not asked.

    >>> w = np.array([[0, 3, 1], [0, 0, 0], [0, 2, 0]])
    >>> thin_out([[1], [], [1]], w, 1)                       # 0 stays under 1; 2 has nowhere else to go
    [[1], [], []]
    """
    parents = [list(mine) for mine in parents]
    children = children_of(parents)
    evicted: list[int] = []
    for p in range(len(parents)):
        if len(children[p]) > most:
            ranked = sorted(children[p], key=lambda x: ((x, p) not in keep, -float(weights[x, p]), x))
            for x in ranked[most:]:
                if (x, p) not in keep:
                    parents[x].remove(p)
                    children[p].remove(x)
                    evicted.append(x)
    for x in evicted:
        if parents[x]:
            continue
        below = _reached(children, x)
        for p in np.lexsort((np.arange(len(parents)), -np.asarray(weights[x], dtype=np.float64))).tolist():
            if weights[x, p] <= 0:
                break
            if p in below or not max(least - 1, 0) <= len(children[p]) < most:
                continue
            if (np.asarray(weights)[np.ix_(below, _reached(parents, p))] > FORBIDDEN / 2).all():
                parents[x].append(p)
                children[p].append(x)
                break
    return parents


def _reached(neighbours: list[list[int]], start: int) -> list[int]:
    """A node and all that steps to neighbours lead to."""
    found = {start: None}
    waiting = [start]
    while waiting:
        for node in neighbours[waiting.pop()]:
            if node not in found:
                found[node] = None
                waiting.append(node)
    return list(found)


def depths(parents: Parents) -> npt.NDArray[np.int64]:
    """How many levels beneath a root each node is, by its shortest way up.

    >>> depths([[1], [2], []]).tolist()
    [2, 1, 0]
    """
    found = np.zeros(len(parents), dtype=np.int64)
    for x in order_from_roots(parents):
        if parents[x]:
            found[x] = 1 + min(found[p] for p in parents[x])
    return found


def beneath_root(parents: Parents, root: int) -> npt.NDArray[np.bool_]:
    """The root and everything under it.

    >>> beneath_root([[1], [], []], 1).tolist()
    [True, True, False]
    """
    inside = np.zeros(len(parents), dtype=np.bool_)
    for x in order_from_roots(parents):
        inside[x] = x == root or any(inside[p] for p in parents[x])
    return inside


def only(parents: Parents, kept: Callable[[int], bool]) -> Parents:
    """The edges between nodes that are kept."""
    return [[p for p in mine if kept(p)] if kept(x) else [] for x, mine in enumerate(parents)]
