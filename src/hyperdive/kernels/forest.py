"""Compiled parts of `ask`: functions of arrays only."""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel


@subkernel()
def _meld(a, b, left, right, key, lazy, spine):
    """Join two skew heaps of edges, largest key on top, then smallest number; returns the new top.

    `lazy` is added to the keys of a whole heap when its top is touched. `spine` is scratch space.
    """
    depth = 0
    while a >= 0 and b >= 0:
        for top in (a, b):
            if lazy[top] != 0.0:
                for child in (left[top], right[top]):
                    if child >= 0:
                        key[child] += lazy[top]
                        lazy[child] += lazy[top]
                lazy[top] = 0.0
        if key[b] > key[a] or (key[b] == key[a] and b < a):
            a, b = b, a
        spine[depth] = a
        depth += 1
        a, b = b, right[a]
    top = a if a >= 0 else b
    while depth > 0:
        depth -= 1
        joined = spine[depth]
        # a skew heap swaps its children on the way back: that is all its balance
        right[joined] = left[joined]
        left[joined] = top
        top = joined
    return top


@subkernel()
def _without_top(top, rise, left, right, key, lazy, spine):
    """The heap beneath `top`, all its keys raised by `rise`."""
    rise += lazy[top]
    for child in (left[top], right[top]):
        if child >= 0:
            key[child] += rise
            lazy[child] += rise
    return _meld(left[top], right[top], left, right, key, lazy, spine)


@subkernel()
def _find(node, group):
    while group[node] >= 0:
        node = group[node]
    return node


@kernel()
def maximum_arborescence(child, parent, weight, n):
    """The edge that each of nodes 0 … n−1 keeps, −1 for none: no cycle, and Σ weight as large as it can be.

    Chu–Liu/Edmonds as Tarjan made it quick: every node takes its best edge; a cycle becomes one node whose heap holds
    the edges that enter it, each lowered by the weight of the cycle's edge that it would replace; in the end the cycles
    open again where their own entering edge stands. O(m log n) for m edges. A virtual root offers each node an edge of
    weight 0, so an edge of weight ≤ 0 is never kept. Of equal edges the first in the arrays is.
    """
    m = len(child)
    total = m + n
    left, right = np.full(total, -1, np.int64), np.full(total, -1, np.int64)
    key, lazy = np.empty(total, np.float64), np.zeros(total, np.float64)
    spine = np.empty(total, np.int64)
    heap = np.full(n + 1, -1, np.int64)
    for edge in range(m):  # a slice assignment takes seconds longer to compile
        key[edge] = weight[edge]
    key[m:] = 0.0
    for edge in range(total):
        node = child[edge] if edge < m else edge - m
        if edge >= m or (weight[edge] > 0.0 and parent[edge] != node):
            heap[node] = _meld(heap[node], edge, left, right, key, lazy, spine)

    group = np.full(n + 1, -1, np.int64)  # of a root: minus its size; of another node: the one above it
    changed, before, changes = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2, np.int64), 0
    seen = np.full(n + 1, -1, np.int64)
    seen[n] = n
    path, taken = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    entering = np.full(n + 1, -1, np.int64)
    cycle_node, cycle_time = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    cycle_start, cycle_end = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    cycle_edges, used, cycles = np.empty(2 * n + 2, np.int64), 0, 0
    for start in range(n):
        node, length = _find(start, group), 0
        while seen[node] < 0:
            edge = heap[node]
            while edge < m and _find(parent[edge], group) == node:  # it stays inside a cycle that is one node by now
                heap[node] = edge = _without_top(edge, 0.0, left, right, key, lazy, spine)
            heap[node] = _without_top(edge, -key[edge], left, right, key, lazy, spine)
            taken[length], path[length] = edge, node
            length += 1
            seen[node] = start
            node = _find(parent[edge] if edge < m else n, group)
            if seen[node] == start and node != n:
                joined, end, time = np.int64(-1), length, changes
                while True:
                    length -= 1
                    member = path[length]
                    joined = _meld(joined, heap[member], left, right, key, lazy, spine)
                    a, b = _find(node, group), _find(member, group)
                    if a == b:
                        break
                    if group[a] > group[b]:
                        a, b = b, a
                    for one in (a, b):
                        changed[changes], before[changes] = one, group[one]
                        changes += 1
                    group[a] += group[b]
                    group[b] = a
                node = _find(node, group)
                heap[node], seen[node] = joined, -1
                cycle_node[cycles], cycle_time[cycles] = node, time
                cycle_start[cycles] = used
                for place in range(length, end):
                    cycle_edges[used] = taken[place]
                    used += 1
                cycle_end[cycles] = used
                cycles += 1
        for place in range(length):
            edge = taken[place]
            entering[_find(child[edge] if edge < m else edge - m, group)] = edge
    for cycle in range(cycles - 1, -1, -1):
        while changes > cycle_time[cycle]:
            changes -= 1
            group[changed[changes]] = before[changes]
        own = entering[cycle_node[cycle]]
        for place in range(cycle_start[cycle], cycle_end[cycle]):
            edge = cycle_edges[place]
            entering[_find(child[edge] if edge < m else edge - m, group)] = edge
        entering[_find(child[own] if own < m else own - m, group)] = own
    kept = np.empty(n, np.int64)
    for node in range(n):
        kept[node] = entering[node] if entering[node] < m else -1
    return kept


@kernel()
def improve_forest(parent, weights, starts, candidates, fixed, share, horizon, sweeps):
    """Move subtrees to better parents until no move helps; changes `parent` and returns the number of moves.

    The value of a forest is Σ_x [ w(x, parent) + share·mean_a w(x, a) ], a over the nearest `horizon` further ancestors
    of x: what is under "dog" is under "animal" too, so a place is judged by all that it would state. It is their mean
    and not their sum, or a great many weak pairs would outweigh a strong edge. `candidates[starts[x]:starts[x + 1]]`
    are the parents that x may have. Moves that make a cycle are not considered.
    """
    n = len(parent)
    first, after = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for x in range(n - 1, -1, -1):
        if parent[x] >= 0:
            after[x] = first[parent[x]]
            first[parent[x]] = x
    members = np.empty(n, np.int64)
    inner, inside = np.empty(n, np.float64), np.empty(n, np.int64)  # further ancestors of a member that move with it
    moves = 0
    for _ in range(sweeps):
        moved = 0
        for x in range(n):
            if fixed[x] or starts[x] == starts[x + 1]:
                continue
            members[0] = x
            size, place = 1, 0
            while place < size:
                d = members[place]
                inner[place], inside[place] = 0.0, 0
                a = d
                if d != x and parent[d] != x:
                    a = parent[d]
                while a != x and a != d:
                    a = parent[a]
                    inner[place] += weights[d, a]
                    inside[place] += 1
                if inside[place] < horizon:  # what is beneath sees no further than this node: a move changes nothing
                    child = first[d]
                    while child >= 0:
                        members[size] = child
                        size += 1
                        child = after[child]
                place += 1
            best, best_value, current = -1, -np.inf, -np.inf
            for choice in range(starts[x] - 2, starts[x + 1]):
                if choice == starts[x] - 2:
                    p = -1
                elif choice == starts[x] - 1:  # the parent it has, which may have come from elsewhere
                    p = parent[x]
                else:
                    p = candidates[choice]
                a = p
                while a >= 0 and a != x:
                    a = parent[a]
                if a == x:
                    continue
                value = 0.0
                if p >= 0:
                    value += weights[x, p]
                for place in range(size):
                    d = members[place]
                    total, count = inner[place], inside[place]
                    a = p
                    if d == x and p >= 0:
                        a = parent[p]
                    while a >= 0 and count < horizon:
                        total += weights[d, a]
                        count += 1
                        a = parent[a]
                    if count > 0:
                        value += share * total / count
                if p == parent[x]:
                    current = value
                if value > best_value + 1e-9:
                    best, best_value = p, value
            if best != parent[x] and best_value > current + 1e-9:
                old = parent[x]
                if old >= 0:
                    if first[old] == x:
                        first[old] = after[x]
                    else:
                        sibling = first[old]
                        while after[sibling] != x:
                            sibling = after[sibling]
                        after[sibling] = after[x]
                parent[x] = best
                after[x] = -1
                if best >= 0:
                    after[x] = first[best]
                    first[best] = x
                moved += 1
        moves += moved
        if moved == 0:
            break
    return moves


@kernel()
def add_edges(child, parent, sure, weights, most, share):
    """Which edges, taken in order, may stand together in a graph without cycles.

    The `sure` ones are taken unless they close a cycle. Another is taken when its child has fewer than `most` parents,
    it says something new, and its weight plus `share` times the mean of all it newly implies is above 0.
    """
    n = len(weights)
    above = np.zeros((n, n), np.bool_)
    parents = np.zeros(n, np.int64)
    taken = np.zeros(len(child), np.bool_)
    lower, upper = np.empty(n, np.int64), np.empty(n, np.int64)
    for edge in range(len(child)):
        x, p = child[edge], parent[edge]
        if x == p or above[p, x]:
            continue
        if not sure[edge] and (above[x, p] or parents[x] >= most):
            continue
        lowers = uppers = 0
        for node in range(n):
            if node == x or above[node, x]:
                lower[lowers] = node
                lowers += 1
            if node == p or above[p, node]:
                upper[uppers] = node
                uppers += 1
        if not sure[edge]:
            total, count = 0.0, 0
            for i in range(lowers):
                for j in range(uppers):
                    if not above[lower[i], upper[j]] and (lower[i] != x or upper[j] != p):
                        total += weights[lower[i], upper[j]]
                        count += 1
            if weights[x, p] + share * total / max(count, 1) <= 0.0:
                continue
        for i in range(lowers):
            for j in range(uppers):
                above[lower[i], upper[j]] = True
        taken[edge] = True
        parents[x] += 1
    return taken
