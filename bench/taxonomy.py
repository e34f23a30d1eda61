"""Taxonomies: how long 2,000 terms take, and which way of building agrees best with known pairs.

python bench/taxonomy.py --model MODEL [--gold BLESS LEDS WordNet] [--terms 2000] [--score NAME]

Every way builds from the same weights. "best parent" takes each term's likeliest parent and, where that makes a
circle, cuts its weakest edge; "ordering" allows only parents that more terms are believed to be kinds of; "forest" is
the maximum arborescence; "moves" is the forest after subtrees have moved, which is what `hyperdive taxonomy` does.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from hyperdive import load
from hyperdive.ask.ranking import ranking
from hyperdive.benchmark.gold_taxonomy import load_gold
from hyperdive.taxonomy.edge_weights import pair_values, weigh
from hyperdive.taxonomy.forest import grow_forest
from hyperdive.taxonomy.options import MIN_CONFIDENCE
from hyperdive.taxonomy.terms import collect


def best_parent(weights: Any) -> Any:
    """Each term's likeliest parent; of a circle the weakest edge is cut."""
    weights = weights.copy()
    np.fill_diagonal(weights, 0)
    parent = weights.argmax(axis=1)
    parent[weights.max(axis=1) <= 0] = -1
    for start in range(len(parent)):
        path: list[int] = []
        node = start
        while node >= 0 and node not in path:
            path.append(node)
            node = int(parent[node])
        if node >= 0:
            circle = path[path.index(node) :]
            parent[min(circle, key=lambda x: weights[x, parent[x]])] = -1
    return parent


def ordering(weights: Any) -> Any:
    """The likeliest parent among the terms that more is believed to be beneath."""
    broad = np.maximum(weights, 0).sum(axis=0)
    allowed = np.where(broad[None, :] > broad[:, None], weights, 0)
    parent = allowed.argmax(axis=1)
    parent[allowed.max(axis=1) <= 0] = -1
    return parent


WAYS = {
    "best parent": best_parent,
    "ordering": ordering,
    "forest": lambda weights: grow_forest(weights, share=0.0),
    "moves": grow_forest,
}


def compare_ways(model: Any, name: str, score: str | None) -> None:
    """Print one row a way."""
    gold = load_gold([name])
    by = ranking(model, score)
    nodes = collect(model, gold.terms, heads=False)
    weights = weigh(pair_values(nodes, by), by, MIN_CONFIDENCE if by.calibrated else None, nodes)
    for way, build in WAYS.items():
        parent = build(weights)
        edges = [(nodes.names[x], nodes.names[p]) for x, p in enumerate(parent) if p >= 0]
        found = gold.compare(edges, nodes.names)
        row = [
            f"{100 * value:.1f}"
            for one in (found.edges, found.ancestors)
            for value in (one.precision, one.recall, one.f1)
        ]
        judged = f"{100 * found.judged:.1f} of {found.judged_edges}"
        row = [f"{name} ({len(nodes)})", way, str(len(edges)), *row, f"{100 * found.direct.f1:.1f}", judged]
        print(f"| {' | '.join(row)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--gold", nargs="*", default=["BLESS", "LEDS", "WordNet"])
    parser.add_argument("--score")
    parser.add_argument("--terms", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    model = load(chosen.model)
    model.taxonomy(top=10, score=chosen.score)  # compile
    seconds = []
    for _ in range(chosen.repeats):
        start = time.perf_counter()
        found = model.taxonomy(top=chosen.terms, score=chosen.score)
        seconds.append(time.perf_counter() - start)
    print(f"{found!r} by {found.score}: {min(seconds):.2f} s, best of {len(seconds)}")
    print("| gold (terms) | way | edges | edge P | R | F1 | implied P | R | F1 | direct F1 | judged right |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in chosen.gold:
        compare_ways(model, name, chosen.score)


if __name__ == "__main__":
    main()
