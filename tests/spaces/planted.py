"""A generated corpus with a planted is-a tree: 4 kinds, 28 sorts of them, 168 sorts of those, 200 words in all."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

KINDS, SORTS, LEAVES = 4, 7, 6


def tree() -> list[tuple[str, str]]:
    """All pairs (narrower, broader)."""
    pairs = []
    for k in range(KINDS):
        for s in range(SORTS):
            pairs.append((f"sort{k}{s}", f"kind{k}"))
            for leaf in range(LEAVES):
                pairs += [(f"leaf{k}{s}{leaf}", f"sort{k}{s}"), (f"leaf{k}{s}{leaf}", f"kind{k}")]
    return pairs


def lines(many: int = 12_000, seed: int = 0) -> list[list[str]]:
    """Each line tells of one leaf, by its own name or a broader one, in words of its leaf, its sort and its kind."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(many):
        k, s, leaf = (int(rng.integers(n)) for n in (KINDS, SORTS, LEAVES))
        name = (f"leaf{k}{s}{leaf}", f"sort{k}{s}", f"kind{k}")[int(rng.choice(3, p=[0.4, 0.3, 0.3]))]
        line = [f"of{k}{s}{leaf}x{int(rng.integers(3))}" for _ in range(4)]
        line += [f"of{k}{s}x{int(rng.integers(3))}" for _ in range(2)] + [f"of{k}x{int(rng.integers(3))}"]
        line.insert(int(rng.integers(len(line) + 1)), name)
        result.append(line)
    return result


def candidates(seed: int = 0) -> list[tuple[str, str, bool]]:
    """The tree's pairs, the same turned round, and as many again three times over at random."""
    rng = np.random.default_rng(seed)
    true = tree()
    names = sorted({word for pair in true for word in pair})
    known = set(true)
    result = [(q, p, True) for q, p in true] + [(p, q, False) for q, p in true]
    while len(result) < 5 * len(true):
        q, p = (names[int(i)] for i in rng.integers(0, len(names), 2))
        if q != p and (q, p) not in known and (p, q) not in known:
            result.append((q, p, False))
    return result


def average_precision(scores: npt.NDArray[np.float64], positive: npt.NDArray[np.bool_]) -> float:
    """AP of a ranking without ties."""
    ranked = positive[np.argsort(-scores, kind="stable")]
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean())


def related_precision(space: Any) -> float:
    """AP of the cosine for finding the tree's pairs, whichever way round, among the candidates."""
    unit = space.matrix / np.linalg.norm(space.matrix, axis=1, keepdims=True)
    pairs = candidates()
    scores = np.array([unit[space.index(q)] @ unit[space.index(p)] for q, p, _ in pairs])
    known = set(tree())
    return average_precision(scores, np.array([(q, p) in known or (p, q) in known for q, p, _ in pairs]))
