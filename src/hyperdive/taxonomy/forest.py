"""From weights of pairs to a forest or a graph without cycles: who is whose parent?

Weights are a square matrix, `weights[child, parent]`: above 0 when the pair is believed, below when it is not. Only
pairs above 0 become edges. A place in the forest is judged by everything it states, not by its own edge alone: under
"dog" a term is under "animal" too, so all its ancestors count, the further ones by their mean times `share`
(the nearest sixteen of them, so that a very deep tree takes no very long time).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hyperdive._types import Bools, Floats32, Ints
from hyperdive.kernels import forest as kernels

SHARE = 0.25
FORCED, FORBIDDEN = 1e4, -1e6
_CANDIDATES, _HORIZON, _SWEEPS = 64, 16, 200


def candidate_edges(weights: Floats32, most: int = _CANDIDATES) -> tuple[Ints, Ints, Ints]:
    """The pairs with a weight above 0, for each child the `most` best, best first: starts, children, parents.

    >>> w = np.array([[0, 2, 1], [-1, 0, 3], [0, 0, 0]], dtype=np.float32)
    >>> [array.tolist() for array in candidate_edges(w, most=1)]
    [[0, 1, 2, 2], [0, 1], [1, 2]]
    """
    child, parent = np.nonzero(weights > 0)
    inside = child != parent
    child, parent = child[inside], parent[inside]
    order = np.lexsort((parent, -weights[child, parent], child))
    child, parent = child[order], parent[order]
    starts = np.searchsorted(child, np.arange(len(weights) + 1))
    kept = np.arange(len(child)) - starts[child] < most
    child, parent = child[kept], parent[kept]
    return np.searchsorted(child, np.arange(len(weights) + 1)), child, parent


def grow_forest(weights: Any, *, forced: Iterable[tuple[int, int]] = (), share: float = SHARE) -> Ints:
    """The parent of every node, −1 for a root: the forest of largest weight, then improved by moving subtrees.

    `forced` pairs (child, parent) are kept whatever they weigh; they must have no cycle and one parent a child. A
    weight of `FORBIDDEN` keeps a pair out, as an edge and at any distance.

    >>> w = np.full((4, 4), -3.0, dtype=np.float32)          # poodle, dog, animal, car
    >>> w[0, 1], w[0, 2], w[1, 2] = 1.0, 2.0, 2.0
    >>> grow_forest(w, share=0.0).tolist()                   # each edge by itself: poodle straight under animal
    [2, 2, -1, -1]
    >>> grow_forest(w, share=1.0).tolist()                   # poodle under dog states both
    [1, 2, -1, -1]
    """
    weights = np.array(weights, dtype=np.float32)
    n = len(weights)
    fixed = np.zeros(n, dtype=np.bool_)
    for x, p in forced:
        weights[x, weights[x] > 0] = 0.0  # no other parent competes
        weights[x, p] = FORCED
        fixed[x] = True
    starts, child, parent = candidate_edges(weights)
    kept = kernels.maximum_arborescence(child, parent, weights[child, parent].astype(np.float64), n)
    above = np.where(kept >= 0, parent[kept] if len(parent) else -1, -1)
    kernels.improve_forest(above, weights, starts, parent, fixed, share, _HORIZON, _SWEEPS)
    for x, p in zip(*np.nonzero(weights <= FORBIDDEN / 2), strict=True):
        path = _path(above, int(x), int(p))
        free = [node for node in path if not fixed[node]]
        if free:  # beyond the horizon, so that no move saw it: the weakest link gives way
            above[min(free, key=lambda node: (weights[node, above[node]], node))] = -1
    return above


def _path(above: Ints, x: int, p: int) -> list[int]:
    """The nodes whose edges lead from x up to p; empty when none do."""
    path = []
    while x >= 0 and x != p:
        path.append(x)
        x = int(above[x])
    return path if x == p else []


def add_parents(parent: Ints, weights: Any, most: int, *, forced: Iterable[tuple[int, int]] = ()) -> list[list[int]]:
    """Up to `most` parents for every node: those of a forest and, best first, others that close no cycle.

    A pair that the graph implies already is no edge of its own, so the result is its own transitive reduction; only
    forced edges stay in any case.

    >>> w = np.full((4, 4), -3.0, dtype=np.float32)          # piano, instrument, furniture, object
    >>> w[0, 1], w[0, 2], w[0, 3], w[1, 3], w[2, 3] = 2.0, 1.0, 1.0, 1.0, 1.0
    >>> add_parents(np.array([1, 3, 3, -1]), w, most=2)
    [[1, 2], [3], [3], []]
    """
    weights = np.asarray(weights, dtype=np.float32)
    n = len(weights)
    _, child, above = candidate_edges(weights)
    best = np.lexsort((above, child, -weights[child, above]))
    must = list(dict.fromkeys((int(x), int(p)) for x, p in forced))
    first = [(int(x), int(p)) for x, p in enumerate(parent) if p >= 0 and (x, p) not in must]
    edges = np.array([*must, *first, *zip(child[best], above[best], strict=True)], dtype=np.int64).reshape(-1, 2)
    sure = np.arange(len(edges)) < len(must) + len(first)
    taken = kernels.add_edges(edges[:, 0], edges[:, 1], sure, weights, most, SHARE)
    parents: list[list[int]] = [[] for _ in range(n)]
    for x, p in edges[taken]:
        if p not in parents[x]:
            parents[x].append(int(p))
    return without_implied(parents, frozenset(must))


def without_implied(parents: list[list[int]], keep: frozenset[tuple[int, int]] = frozenset()) -> list[list[int]]:
    """The transitive reduction: no edge that a chain of others states already, unless it is one to `keep`.

    >>> without_implied([[1, 2], [2], []])
    [[1], [2], []]
    """
    above = reachable(parents)
    return [
        [p for p in mine if (x, p) in keep or not any(above[other, p] for other in mine if other != p)]
        for x, mine in enumerate(parents)
    ]


def reachable(parents: list[list[int]]) -> Bools:
    """Whether each node has each other node above it.

    >>> reachable([[1], [2], []]).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    n = len(parents)
    above = np.zeros((n, n), dtype=np.bool_)
    for x in order_from_roots(parents):
        for p in parents[x]:
            above[x] |= above[p]
            above[x, p] = True
    return above


def order_from_roots(parents: list[list[int]]) -> list[int]:
    """All nodes, parents before their children; a node that is on a cycle is missing.

    >>> order_from_roots([[1], [2], []])
    [2, 1, 0]
    """
    children: list[list[int]] = [[] for _ in parents]
    waits = [len(set(mine)) for mine in parents]
    for x, mine in enumerate(parents):
        for p in set(mine):
            children[p].append(x)
    order = [x for x, count in enumerate(waits) if count == 0]
    for x in order:
        for child in children[x]:
            waits[child] -= 1
            if waits[child] == 0:
                order.append(child)
    return order
