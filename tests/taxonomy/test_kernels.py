"""The kernels behind a taxonomy against slow twins, networkx and brute force."""

from __future__ import annotations

import itertools
import time
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hyperdive.kernels import forest as kernels
from hyperdive.taxonomy.forest import (
    FORBIDDEN,
    add_parents,
    candidate_edges,
    grow_forest,
    order_from_roots,
    reachable,
)
from tests.examples import examples

Weights = Any


def weight_matrices(most: int = 7) -> st.SearchStrategy[Weights]:
    """Square matrices of weights, many of them equal or zero."""
    values = st.integers(-3, 4).map(float) | st.floats(-3, 4, width=32)
    return st.integers(1, most).flatmap(lambda n: arrays(np.float32, (n, n), elements=values))


def without_cycle(parent: Any) -> bool:
    return len(order_from_roots([[int(p)] if p >= 0 else [] for p in parent])) == len(parent)


def weight_of(parent: Any, weights: Weights) -> float:
    return sum(float(weights[x, p]) for x, p in enumerate(parent) if p >= 0)


# ---- the forest of largest weight ---------------------------------------------------------------------------------


def slow_forest(weights: Weights) -> float:
    """The largest weight of any forest: all choices of parents tried."""
    n = len(weights)
    best = 0.0
    for parent in itertools.product(range(-1, n), repeat=n):
        if all(x != p for x, p in enumerate(parent)) and without_cycle(parent):
            best = max(best, weight_of(parent, weights))
    return best


def kept_parents(weights: Weights) -> Any:
    child, parent = (side.ravel() for side in np.indices(weights.shape))
    kept = kernels.maximum_arborescence(child, parent, weights.ravel().astype(np.float64), len(weights))
    for x, edge in enumerate(kept):
        assert edge < 0 or child[edge] == x
    return np.where(kept >= 0, parent[kept], -1)


@given(weight_matrices(most=4))
@examples(150)
def test_no_forest_weighs_more(weights: Weights) -> None:
    parent = kept_parents(weights)
    assert without_cycle(parent)
    assert weight_of(parent, weights) == pytest.approx(slow_forest(weights), abs=1e-5)


@given(weight_matrices(most=12))
@examples(150)
def test_networkx_finds_the_same_weight(weights: Weights) -> None:
    n = len(weights)
    graph = nx.DiGraph()
    for x in range(n):
        graph.add_edge(n, x, weight=0.0)
        for p in range(n):
            if x != p and weights[x, p] > 0:
                graph.add_edge(p, x, weight=float(weights[x, p]))
    best = nx.maximum_spanning_arborescence(graph)
    expected = sum(data["weight"] for _, _, data in best.edges(data=True))
    assert weight_of(kept_parents(weights), weights) == pytest.approx(expected, abs=1e-4)


def test_nested_cycles() -> None:
    """Three cycles inside one another, each broken where it costs least."""
    weights = np.zeros((6, 6))
    for x, p, w in [
        (0, 1, 9),
        (1, 0, 9),
        (2, 1, 8),
        (1, 2, 8.5),
        (3, 2, 7),
        (2, 3, 8.2),
        (4, 3, 6),
        (3, 4, 7.5),
        (5, 4, 1),
    ]:
        weights[x, p] = w
    parent = kept_parents(weights)
    assert without_cycle(parent)
    assert weight_of(parent, weights) == pytest.approx(slow_forest(weights[:5, :5]) + 1)


# ---- moving subtrees ----------------------------------------------------------------------------------------------


def value_of(parent: Any, weights: Weights, share: float, horizon: int) -> float:
    total = 0.0
    for x in range(len(parent)):
        path = []
        a = parent[x]
        while a >= 0:
            path.append(float(weights[x, a]))
            a = parent[a]
        further = path[1 : 1 + horizon]
        total += sum(path[:1]) + (share * sum(further) / len(further) if further else 0.0)
    return total


def slow_improve(
    parent: Any, weights: Weights, starts: Any, candidates: Any, fixed: Any, share: float, horizon: int
) -> None:
    """The same search with the value of the whole forest worked out anew for every move."""
    moved = True
    while moved:
        moved = False
        for x in range(len(parent)):
            if fixed[x] or starts[x] == starts[x + 1]:
                continue
            before = value_of(parent, weights, share, horizon)
            old = parent[x]
            alone = np.array(parent)
            alone[x] = -1
            best, best_value = -1, value_of(alone, weights, share, horizon)
            for p in [*([old] if old >= 0 else []), *candidates[starts[x] : starts[x + 1]]]:
                alone[x] = p
                if without_cycle(alone) and value_of(alone, weights, share, horizon) > best_value + 1e-9:
                    best, best_value = p, value_of(alone, weights, share, horizon)
            if best != old and best_value > before + 1e-9:
                parent[x], moved = best, True


@given(weight_matrices(most=7), st.sampled_from([0.0, 0.25, 1.0]), st.integers(1, 8), st.data())
@examples(150)
def test_moves_agree_with_the_slow_twin(weights: Weights, share: float, horizon: int, data: Any) -> None:
    weights = np.round(weights)  # whole numbers: both add without rounding
    n = len(weights)
    starts, child, parent = candidate_edges(weights)
    edges = kernels.maximum_arborescence(child, parent, weights[child, parent].astype(np.float64), n)
    start = np.where(edges >= 0, parent[edges] if len(parent) else -1, -1)
    fixed = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    fast, slow = start.copy(), start.copy()
    kernels.improve_forest(fast, weights, starts, parent, fixed, share, horizon, 1000)
    slow_improve(slow, weights, starts, parent, fixed, share, horizon)
    assert without_cycle(fast)
    assert (fast[fixed] == start[fixed]).all()
    assert fast.tolist() == slow.tolist()
    assert value_of(fast, weights, share, horizon) >= value_of(start, weights, share, horizon) - 1e-9


@given(weight_matrices(most=9), st.data())
@examples(150)
def test_a_forest_has_no_cycle_keeps_what_is_forced_and_avoids_what_is_forbidden(weights: Weights, data: Any) -> None:
    n = len(weights)
    order = data.draw(st.permutations(range(n)))
    pairs = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]  # upwards in one order: never a circle
    chosen = data.draw(st.lists(st.sampled_from(pairs), max_size=3)) if pairs else []
    forced = dict(chosen)
    banned = data.draw(st.lists(st.sampled_from(pairs), max_size=3)) if pairs else []
    chain = reachable([[forced[x]] if x in forced else [] for x in range(n)])
    banned = [(x, p) for x, p in banned if not chain[x, p]]
    for x, p in banned:
        weights[x, p] = FORBIDDEN
    parent = grow_forest(weights, forced=forced.items())
    assert without_cycle(parent)
    assert all(parent[x] == p for x, p in forced.items())
    above = reachable([[int(p)] if p >= 0 else [] for p in parent])
    assert not any(above[x, p] for x, p in banned)
    for x, p in enumerate(parent):
        assert p < 0 or x in forced or weights[x, p] > 0


def test_what_is_forbidden_is_avoided_at_any_distance() -> None:
    """A chain longer than the horizon of the moves."""
    n = 40
    weights = np.full((n, n), -0.1, dtype=np.float32)
    for x in range(n - 1):
        weights[x, x + 1] = 3.0
    weights[20, 21] = 1.0
    assert grow_forest(weights).tolist() == [*range(1, n), -1]
    weights[0, n - 1] = FORBIDDEN
    assert np.flatnonzero(grow_forest(weights) < 0).tolist() == [20, n - 1]  # the weakest link
    forced = [(x, x + 1) for x in range(n - 1) if x != 5]
    assert np.flatnonzero(grow_forest(weights, forced=forced) < 0).tolist() == [5, n - 1]


def test_a_total_order_takes_no_longer_than_it_should() -> None:
    weights = np.triu(np.ones((1000, 1000), dtype=np.float32), 1)
    start = time.process_time()
    assert without_cycle(grow_forest(weights))
    assert time.process_time() - start < 5


# ---- several parents ----------------------------------------------------------------------------------------------


@given(weight_matrices(most=9), st.integers(2, 4))
@examples(150)
def test_a_graph_has_no_cycle_and_no_edge_that_it_implies(weights: Weights, most: int) -> None:
    parents = add_parents(grow_forest(weights), weights, most)
    assert len(order_from_roots(parents)) == len(weights)
    assert max(map(len, parents), default=0) <= most
    graph = nx.DiGraph([(x, p) for x, mine in enumerate(parents) for p in mine])
    assert set(nx.transitive_reduction(graph).edges) == set(graph.edges)
    above = reachable(parents)
    assert {(x, p) for x, p in zip(*np.nonzero(above), strict=True)} == set(nx.transitive_closure(graph).edges)


def slow_add(child: Any, parent: Any, sure: Any, weights: Weights, most: int, share: float) -> list[bool]:
    """Edge by edge, with the closure worked out anew by networkx each time."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(weights)))
    taken = []
    for x, p, certain in zip(child, parent, sure, strict=True):
        closed = nx.transitive_closure(graph)
        wanted = x != p and not closed.has_edge(p, x)
        if wanted and not certain:
            wanted = not closed.has_edge(x, p) and graph.out_degree(x) < most
            if wanted:
                graph.add_edge(x, p)
                new = [
                    float(weights[e]) for e in set(nx.transitive_closure(graph).edges) - set(closed.edges) - {(x, p)}
                ]
                graph.remove_edge(x, p)
                wanted = float(weights[x, p]) + share * sum(new) / max(len(new), 1) > 0
        if wanted:
            graph.add_edge(x, p)
        taken.append(bool(wanted))
    return taken


@given(weight_matrices(most=6), st.integers(1, 3), st.data())
@examples(80)
def test_edges_are_added_as_by_the_slow_twin(weights: Weights, most: int, data: Any) -> None:
    weights = np.round(weights)
    n = len(weights)
    node = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=12, unique=True))
    child = np.array([x for x, _ in edges], dtype=np.int64)
    parent = np.array([p for _, p in edges], dtype=np.int64)
    sure = np.arange(len(edges)) < data.draw(st.integers(0, 3))
    taken = kernels.add_edges(child, parent, sure, weights, most, 0.25)
    assert taken.tolist() == slow_add(child, parent, sure, weights, most, 0.25)
