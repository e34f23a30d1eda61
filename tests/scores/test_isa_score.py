"""The score of terms: statements of neighbours against a slow twin, and known answers for every part of the sum."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores.isa_score import WEIGHTS, head_confidence, isa_confidence, isa_sum
from hyperdive.scores.neighbour_statements import NEIGHBOURS, PARENTS, NeighbourStatements
from hyperdive.spaces.space import VectorSpace
from hyperdive.taxonomy.edge_weights import EDGE_WEIGHTS

TERMS = 160


def some_patterns(seed: int) -> Patterns:
    rng = np.random.default_rng(seed)
    hyponyms, hypernyms = rng.integers(0, TERMS, 900), rng.integers(0, 40, 900)
    keys = np.unique(pack(hyponyms[hyponyms != hypernyms], hypernyms[hyponyms != hypernyms], np.zeros(1, np.int64)))
    return Patterns.from_keys([f"t{n}" for n in range(TERMS)], ["such as"], keys, rng.integers(1, 9, len(keys)))


def slow_rows(patterns: Patterns, vectors: np.ndarray, vector: np.ndarray, own: int) -> tuple[np.ndarray, np.ndarray]:
    """A(q, ·) and B(q, ·) term by term, from the formulas of the module."""
    ppmi, counts, totals = patterns.ppmi.toarray(), patterns.counts.toarray(), patterns.hyponym_totals
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ (vector / np.linalg.norm(vector))
    named = [n for n in range(TERMS) if totals[n] > 0]
    similarity = {n: 0.0 if n == own else float(cosines[n]) for n in named}
    nearest = sorted(named, key=lambda n: -similarity[n])[:NEIGHBOURS]
    weights = {n: max(similarity[n], 0.0) ** 2 * min(totals[n], 5) / 5 for n in nearest}
    neighbours = sum(weights[n] * ppmi[n] for n in nearest) / max(sum(weights.values()), 1e-9)
    likely = neighbours + 0.3 * ppmi[own] if own >= 0 else neighbours
    parents = np.argsort(-likely, kind="stable")[:PARENTS]
    inherited = np.zeros(TERMS)
    for parent in parents:
        if totals[parent] > 0:
            inherited += likely[parent] * min(totals[parent], 10) / 10 * counts[parent] / totals[parent]
    return neighbours, np.sqrt(inherited / max(likely[parents].sum(), 1e-9))


@pytest.mark.parametrize("own", [-1, 3, 77])
def test_statements_of_neighbours_are_those_of_the_slow_twin(own: int) -> None:
    patterns, rng = some_patterns(1), np.random.default_rng(2)
    vectors = rng.normal(size=(TERMS, 12)).astype(np.float32)
    space = VectorSpace(patterns.terms, vectors, frequencies=np.ones(TERMS), kind="skipgram")
    vector = vectors[own] if own >= 0 else rng.normal(size=12).astype(np.float32)
    rows = NeighbourStatements(patterns, space).rows(vector[None], np.array([own]))
    neighbours, inherited = slow_rows(patterns, vectors, vector, own)
    np.testing.assert_allclose(rows.neighbours.toarray()[0], neighbours, atol=1e-5)
    np.testing.assert_allclose(rows.inherited.toarray()[0], inherited, atol=1e-5)


class ToldPair(SimpleNamespace):
    """One pair of which a test says everything."""

    def __len__(self) -> int:
        return 1


def told(**parts: Any) -> Any:
    """A pair with these quantities, all others 0."""
    stated = SimpleNamespace(
        backed_off=np.array([parts.get("backed_off", False)]),
        backed_off_p=np.array([parts.get("backed_off", False)]),
        ppmi=np.array([parts.get("ppmi", 0.0)]),
        counts=np.array([parts.get("counts", 0.0)]),
        reverse=np.array([parts.get("reverse", 0.0)]),
        hypernym_total=np.array([parts.get("total", 0)]),
    )
    terms = SimpleNamespace(
        phrases=np.array([False, parts.get("phrase", False)]),
        head_rows=np.array([-1, -1]),
        own_frequencies=np.array([parts.get("frequency", 0.0), 0.0]),
    )
    return ToldPair(
        patterns=stated,
        terms=terms,
        neighbour_ppmi=np.array([parts.get("neighbours", 0.0)]),
        inherited=np.array([parts.get("inherited", 0.0)]),
        skipgram_cosine=np.array([parts.get("cosine", 0.0)]),
        skipgram=True,
        is_head=np.array([parts.get("head", False)]),
        q=np.array([0]),
        p=np.array([1]),
        threads=1,
    )


@pytest.mark.parametrize(
    ("parts", "expected", "as_edge"),
    [
        ({"neighbours": 2.0}, 2.0, 0.0),
        ({"inherited": 1.0}, 1.3, 0.24),
        ({"ppmi": 10.0}, 1.4, 1.4),
        ({"ppmi": 10.0, "backed_off": True}, 0.0, 0.0),
        ({"cosine": 0.5}, 0.975, 0.675),
        ({"cosine": -0.5}, 0.0, 0.0),
        ({"total": np.e**10 - 1}, 0.3, 0.14),
        ({"head": True}, 1.8, 0.0),
        ({"reverse": np.e - 1}, 0.0, -0.2),
    ],
)
def test_each_part_of_the_sum(parts: dict[str, Any], expected: float, as_edge: float) -> None:
    assert isa_sum(told(**parts))[0] == pytest.approx(expected)
    assert isa_sum(told(**parts), EDGE_WEIGHTS)[0] == pytest.approx(as_edge)


def sigma(x: float) -> float:
    return 1 / (1 + float(np.exp(-x)))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"neighbours": 2.2}, 0.5),
        ({"neighbours": 3.0}, sigma(2 * 3.0 - 4.4)),
        ({"neighbours": 3.0, "phrase": True, "counts": 1.0}, sigma(2 * 3.0 - 4.4)),
        ({"neighbours": 3.0, "phrase": True}, sigma(2 * 1.6 - 4.4)),
        ({"inherited": 3.0, "phrase": True}, 0.15),
        ({"inherited": 3.0, "phrase": True, "head": True}, sigma(2 * (3.9 + 1.8) - 4.4)),
    ],
)
def test_from_the_sum_to_a_confidence(parts: dict[str, Any], expected: float) -> None:
    assert isa_confidence(told(**parts), WEIGHTS)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("frequency", "cosine", "counts", "expected"),
    [(20, 0.3, 0, 0.3375), (19, 0.3, 0, 0.9), (20, 0.4, 0, 0.9), (20, 0.3, 1, 0.9), (500, -0.2, 0, 0.0)],
)
def test_heads_are_doubted_where_the_text_speaks_against_them(
    frequency: int, cosine: float, counts: int, expected: float
) -> None:
    pairs = told(frequency=frequency, cosine=cosine, counts=counts)
    assert head_confidence(pairs)[0] == pytest.approx(expected)
