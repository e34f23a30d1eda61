"""The score of terms: statements of neighbours against a slow twin, and known answers for every part of the sum."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from hyperdive._quantize import PackedRows, packed, rounded_to_8_bits
from hyperdive._sparse_rows import SparseRows
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.pattern_table import OF_A_NAME
from hyperdive.patterns.store import Patterns
from hyperdive.scores import neighbour_statements
from hyperdive.scores._blocks import kernels
from hyperdive.scores.isa_columns import IsaColumns, StatementColumns
from hyperdive.scores.isa_score import UNSUPPORTED, WEIGHTS, _start, head_confidence, isa_confidence, isa_sum
from hyperdive.scores.neighbour_statements import (
    _PART,
    LEAST_TRUST,
    NEAREST,
    NEIGHBOURS,
    PARENTS,
    AnalogyRows,
    NeighbourStatements,
    _cut,
    _largest,
    _largest_places,
    _ppmi_of,
    _with_own,
)
from hyperdive.scores.rows import Rows
from hyperdive.scores.source import Source
from hyperdive.scores.terms import NamedTerms
from hyperdive.spaces.space import VectorSpace
from hyperdive.taxonomy.edge_weights import edge_confidence

TERMS = 160


def some_patterns(seed: int) -> Patterns:
    rng = np.random.default_rng(seed)
    hyponyms, hypernyms = rng.integers(0, TERMS, 900), rng.integers(0, 40, 900)
    keys = np.unique(pack(hyponyms[hyponyms != hypernyms], hypernyms[hyponyms != hypernyms], np.zeros(1, np.int64)))
    return Patterns.from_keys([f"t{n}" for n in range(TERMS)], ["such as"], keys, rng.integers(1, 9, len(keys)))


def slow_rows(patterns: Patterns, vectors: np.ndarray, vector: np.ndarray, own: int) -> list[np.ndarray]:
    """A(q, ·), A₂₀(q, ·) and B(q, ·) term by term, from the formulas of the module."""
    ppmi, counts, totals = patterns.ppmi.toarray(), patterns.counts.toarray(), patterns.hyponym_totals
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ (vector / np.linalg.norm(vector))
    named = [n for n in range(TERMS) if totals[n] > 0]
    similarity = {n: 0.0 if n == own else float(cosines[n]) for n in named}
    nearest = sorted(named, key=lambda n: -similarity[n])[:NEIGHBOURS]
    weights = {n: max(similarity[n], 0.0) ** 2 * min(totals[n], 5) / 5 for n in nearest}
    neighbours, few = (
        sum(weights[n] * ppmi[n] for n in voters) / max(sum(weights[n] for n in voters), 1e-9)
        for voters in (nearest, nearest[:NEAREST])
    )
    likely = neighbours + 0.3 * ppmi[own] if own >= 0 else neighbours
    parents = np.argsort(-likely, kind="stable")[:PARENTS]
    inherited = np.zeros(TERMS)
    for parent in parents:
        if totals[parent] > 0:
            inherited += likely[parent] * min(totals[parent], 10) / 10 * counts[parent] / totals[parent]
    return [neighbours, few, np.sqrt(inherited / max(likely[parents].sum(), 1e-9))]


@pytest.mark.parametrize("own", [-1, 0, 3, 77])
@pytest.mark.parametrize("loaded", [False, True])
def test_statements_of_neighbours_are_those_of_the_slow_twin(
    own: int, loaded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if loaded:
        kernels.load()
    else:
        monkeypatch.setattr(neighbour_statements, "kernels", Unloaded())
    patterns, rng = some_patterns(1), np.random.default_rng(2)
    vectors = rng.normal(size=(TERMS, 12)).astype(np.float32)
    space = VectorSpace(patterns.terms, vectors, frequencies=np.ones(TERMS), kind="skipgram")
    vector = vectors[own] if own >= 0 else rng.normal(size=12).astype(np.float32)
    rows = NeighbourStatements(patterns, space).rows(vector[None], np.array([own]))
    slow = slow_rows(patterns, vectors, vector, own)
    for row, twin in zip((rows.neighbours, rows.nearest, rows.inherited), slow, strict=True):
        np.testing.assert_allclose(row.toarray()[0], twin, atol=1e-5)


class Unloaded:
    """No compiled kernels."""

    loaded = False


@pytest.mark.parametrize("bits", [8, 32])
@pytest.mark.parametrize("read", [1, 7, 1000])
def test_a_first_question_keeps_no_vectors_and_has_the_answer_of_later_ones(
    bits: int, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbour_statements, "kernels", Unloaded())
    monkeypatch.setattr(neighbour_statements, "_READ", read)
    monkeypatch.setattr(neighbour_statements, "_FEW_ROWS", 1)
    patterns, rng = some_patterns(4), np.random.default_rng(5)
    vectors = rounded_to_8_bits(rng.normal(size=(TERMS, 12)))
    codes = packed(vectors)
    assert codes is not None
    stored: Any = PackedRows(*codes) if bits == 8 else vectors
    space = VectorSpace(patterns.terms, stored, frequencies=np.ones(TERMS), kind="skipgram")
    statements = NeighbourStatements(patterns, space)
    asked = vectors[[9]], np.array([9])
    first = statements.rows(*asked)
    assert "vectors" not in vars(statements) and "ppmi" not in vars(patterns)
    assert (space.packed is not None) == (bits == 8)
    assert len(statements.vectors) == len(statements) < TERMS
    _ = patterns.ppmi
    for row, later, slow in zip(
        first, statements.rows(*asked), slow_rows(patterns, vectors, vectors[9], 9), strict=True
    ):
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(row, part), getattr(later, part))
        np.testing.assert_allclose(row.toarray()[0], slow, atol=1e-5)


def test_ppmi_of_few_terms_is_that_of_all() -> None:
    rng = np.random.default_rng(0)
    keys = np.unique(pack(rng.integers(0, 40, 300), rng.integers(0, 40, 300), np.zeros(300)))
    terms, counts = [f"t{n}" for n in range(40)], rng.integers(1, 9, len(keys))
    some = Patterns.from_keys(terms, ["such as"], keys, counts)
    two = _ppmi_of(some, np.array([39, 0, 39])).toarray()
    assert "ppmi" not in vars(some)  # a sixteenth of the rows at most
    whole = _ppmi_of(some, np.array([0, 1, 2])).toarray()
    assert "ppmi" in vars(some) and whole[5].any()
    np.testing.assert_array_equal(two[[0, 39]], whole[[0, 39]])
    assert not two[1:39].any()


def test_vectors_in_8_bits_are_unpacked_for_few_pairs_alone() -> None:
    vectors = rounded_to_8_bits(np.random.default_rng(1).normal(size=(6, 3)))
    codes = packed(vectors)
    assert codes is not None
    space = VectorSpace(list("abcdef"), PackedRows(*codes), frequencies=np.ones(6), kind="skipgram")
    rows = Rows(space)
    few, (q, p) = rows.few_of(np.array([5, 1, 5]), np.array([0, 1, 5]))
    assert len(few) == 3 and space.packed is not None and len(rows) == 6 and not rows.is_sparse
    np.testing.assert_array_equal(few[q], vectors[[5, 1, 5]])
    np.testing.assert_array_equal(few[p], vectors[[0, 1, 5]])
    np.testing.assert_array_equal(rows.taken(np.array([4, 0])), vectors[[4, 0]])
    many, (q, p) = rows.few_of(np.array([5, 1, 5, 2]), np.array([0, 1, 5]))
    assert len(many) == 6 and q.tolist() == [5, 1, 5, 2] and space.packed is None
    assert rows.few_of(np.array([1]))[1][0].tolist() == [1]


class ToldPair(SimpleNamespace):
    """One pair of which a test says everything."""

    def __len__(self) -> int:
        return 1


def test_rows_of_many_terms_are_those_of_each_part_at_any_number_of_threads() -> None:
    patterns, rng = some_patterns(2), np.random.default_rng(3)
    names = [f"t{n}" for n in range(TERMS)]
    vectors = rng.normal(size=(TERMS, 8)).astype(np.float32)
    space = VectorSpace(names, vectors, frequencies=np.ones(TERMS, dtype=np.int64), kind="skipgram")
    statements = NeighbourStatements(patterns, space)
    many = 2 * _PART + 5
    asked, numbers = rng.normal(size=(many, 8)).astype(np.float32), rng.integers(-1, TERMS, many)
    whole = [statements.rows(asked, numbers, threads=threads) for threads in (1, 3)]
    for kind in range(3):
        parts = [
            statements.rows(asked[start : start + _PART], numbers[start : start + _PART])[kind]
            for start in range(0, many, _PART)
        ]
        expected = np.concatenate([part.toarray() for part in parts])
        assert np.array_equal(whole[0][kind].toarray(), expected)
        assert np.array_equal(whole[1][kind].toarray(), expected)
        two = statements.rows(asked[: _PART + 1], numbers[: _PART + 1])[kind].toarray()
        assert np.array_equal(two, expected[: _PART + 1])


def told(**parts: Any) -> Any:
    """A pair with these quantities, all others 0."""

    def one(name: str) -> Any:
        return np.array([float(parts.get(name, 0.0))])

    stated = SimpleNamespace(
        backed_off=np.array(["backed_off_q" in parts or "backed_off_p" in parts]),
        backed_off_q=np.array(["backed_off_q" in parts]),
        backed_off_p=np.array(["backed_off_p" in parts]),
        ppmi=one("ppmi"),
        counts=one("counts"),
        variety=one("variety"),
        named=one("named"),
        named_share_of_q=one("named_q"),
        reverse=one("reverse"),
        hyponym_total=one("total_q"),
        hyper_total_of_q=one("class_q"),
        hypernym_total=one("total_p"),
        terms=SimpleNamespace(
            hyponyms_of=np.array([0.0, parts.get("hyponyms", 0.0)]),
            patterns=SimpleNamespace(totals=(None, None, parts.get("statements", 773_674))),
        ),
    )
    terms = SimpleNamespace(
        phrases=np.array([False, parts.get("phrase", False)]),
        compounds=np.array([parts.get("compound", False), parts.get("compound_p", False)]),
        head_rows=lambda rows: np.full(len(rows), -1),
        isa_columns=None,
        own_frequencies=np.array([parts.get("frequency", 0.0), parts.get("frequency_p", 0.0)]),
    )
    return ToldPair(
        patterns=stated,
        terms=terms,
        rows=SimpleNamespace(sums=np.array([parts.get("sum_q", 1.0), parts.get("sum_p", 1.0)])),
        difference=lambda values: values[1:] - values[:1],
        neighbour_ppmi=one("neighbours"),
        nearest_ppmi=one("nearest"),
        inherited=one("inherited"),
        head_statements=one("of_head"),
        statements_of_head=one("to_head"),
        skipgram_cosine=one("cosine"),
        skipgram=True,
        is_head=np.array([parts.get("head", False)]),
        q=np.array([0]),
        p=np.array([1]),
        threads=1,
    )


LOG2 = np.e**2 - 1  # log(1 + this) is 2


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"counts": LOG2}, 2 * 0.605),
        ({"counts": LOG2, "backed_off_q": True}, 0.0),
        ({"counts": LOG2, "backed_off_p": True}, 0.0),
        ({"ppmi": 10.0}, 1.46),
        ({"ppmi": 10.0, "backed_off_q": True}, 0.0),
        ({"variety": 2.0}, 0.48),
        ({"variety": 2.0, "backed_off_p": True}, 0.0),
        ({"reverse": LOG2}, -0.1),
        ({"reverse": LOG2, "backed_off_q": True}, 0.0),
        ({"nearest": 2.0}, 1.254),
        ({"inherited": 0.1}, 1.0721),
        ({"inherited": 0.3}, 3.2163),
        ({"inherited": 0.9}, 3.2163),
        ({"cosine": 0.5}, 0.8285),
        ({"cosine": -0.5}, 0.0),
        ({"sum_p": 3.0}, 0.208),
        ({"sum_q": 3.0}, -0.208),
        ({"hyponyms": LOG2}, 0.872),
        ({"hyponyms": LOG2, "backed_off_p": True}, 0.0),
        ({"head": True}, 4.739),
        ({"of_head": LOG2}, 0.892),
        ({"to_head": LOG2}, 1.664),
        ({"total_q": LOG2}, 0.33),
        ({"total_q": LOG2, "backed_off_q": True}, 0.0),
        ({"class_q": LOG2}, -0.416),
        ({"class_q": LOG2, "backed_off_q": True}, 0.0),
        ({"frequency": LOG2}, -0.072),
        ({"frequency_p": LOG2}, -0.67),
        ({"phrase": True}, -4.5),
        ({"phrase": True, "head": True}, 4.739),
        ({"phrase": True, "counts": LOG2}, 2 * 0.605),
        ({"phrase": True, "counts": 1.0}, np.log(2) * 0.605),
        ({"phrase": True, "counts": LOG2, "backed_off_q": True}, -4.5),
        ({"phrase": True, "neighbours": 0.999}, -4.5),
        ({"phrase": True, "neighbours": 1.0}, 0.0),
        ({"counts": LOG2, "named": LOG2}, 2 * 0.605 - 3.0),
        ({"counts": LOG2, "named": LOG2 / 2}, 2 * 0.605 - 1.5),
        ({"counts": LOG2, "named": LOG2, "named_q": 0.75}, 2 * 0.605 - 0.75),
        ({"counts": LOG2, "named": LOG2, "backed_off_q": True}, 0.0),
        ({"named_q": 0.5}, 0.0),
    ],
)
def test_each_part_of_the_sum(parts: dict[str, Any], expected: float) -> None:
    assert isa_sum(told(**parts))[0] == pytest.approx(expected, abs=1e-9)


def sigma(x: float) -> float:
    return 1 / (1 + float(np.exp(-x)))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"nearest": 4.0, "neighbours": 1.0}, sigma(0.83 * 4 * 0.627 - 2.25)),
        ({"inherited": 0.2, "phrase": True, "neighbours": 1.3}, sigma(0.83 * 0.2 * 10.721 - 2.25)),
        ({"inherited": 0.3, "cosine": 2.0, "phrase": True}, UNSUPPORTED),
        ({"inherited": 0.3}, sigma(0.83 * 0.3 * 10.721 - 2.25)),
        ({"inherited": 0.3, "compound": True}, 0.5 * sigma(0.83 * 0.3 * 10.721 - 2.25)),
        ({"inherited": 0.3, "compound_p": True}, sigma(0.83 * 0.3 * 10.721 - 2.25)),
        ({"inherited": 0.3, "statements": 773_675}, sigma(0.83 * 0.3 * 10.721 - 2.25)),
        ({"inherited": 0.3, "statements": 386_837}, sigma(0.83 * 0.3 * 10.721 - 2.25 + 0.3 * np.log(2))),
        ({"inherited": 0.3, "statements": 900}, sigma(0.83 * 0.3 * 10.721 - 2.25 + 0.3)),
        ({"inherited": 0.3, "statements": 0}, sigma(0.83 * 0.3 * 10.721 - 2.25 + 0.3)),
        ({"cosine": 3.0}, 0.15),
        ({"cosine": 3.0, "counts": 1.0}, sigma(0.83 * (3 * 1.657 + np.log(2) * 0.605) - 2.25)),
        ({"cosine": 3.0, "of_head": 1.0}, sigma(0.83 * (3 * 1.657 + np.log(2) * 0.446) - 2.25)),
        ({"cosine": 3.0, "counts": LOG2, "backed_off_q": True}, 0.15),
        ({"cosine": 3.0, "of_head": LOG2}, sigma(0.83 * (3 * 1.657 + 0.892) - 2.25)),
        ({"cosine": 1.0, "head": True}, sigma(0.83 * (4.739 + 1.657) - 2.25)),
        ({"cosine": 0.2, "head": True, "frequency": 20.0}, 0.225),
    ],
)
def test_from_the_sum_to_a_confidence(parts: dict[str, Any], expected: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperdive.scores.isa_score.Pairs", lambda *_, **__: told(**parts))
    assert isa_confidence(told(**parts))[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"inherited": 1.0}, 0.24),
        ({"ppmi": 10.0}, 1.4),
        ({"ppmi": 10.0, "backed_off_q": True}, 0.0),
        ({"cosine": 0.5}, 0.675),
        ({"cosine": -0.5}, 0.0),
        ({"total_p": np.e**10 - 1}, 0.14),
        ({"total_p": np.e**10 - 1, "backed_off_p": True}, 0.0),
        ({"reverse": np.e - 1}, -0.2),
    ],
)
def test_each_part_of_the_weight_of_an_edge(parts: dict[str, Any], expected: float) -> None:
    pairs = told(neighbours=1.0, **parts)
    kind = isa_confidence(pairs)[0]
    odds = 2.8 * expected + 0.535 * np.log(kind / (1 - kind)) - 4.13
    assert edge_confidence(pairs)[0] == pytest.approx(sigma(odds))


def test_an_edge_that_nothing_speaks_for_is_not_believed() -> None:
    assert edge_confidence(told(cosine=5.0))[0] == UNSUPPORTED


@pytest.mark.parametrize(
    ("frequency", "cosine", "counts", "expected"),
    [(20, 0.3, 0, 0.3375), (19, 0.3, 0, 0.9), (20, 0.4, 0, 0.9), (20, 0.3, 1, 0.9), (500, -0.2, 0, 0.0)],
)
def test_heads_are_doubted_where_the_text_speaks_against_them(
    frequency: int, cosine: float, counts: int, expected: float
) -> None:
    pairs = told(frequency=frequency, cosine=cosine, counts=counts)
    assert head_confidence(pairs)[0] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_term_is_stated_to_be_is_added_to_what_its_neighbours_are(seed: int) -> None:
    """A(q, ·) + 0.3·PPMI(q, ·), also for the first term of the patterns; entries of the term alone are marked."""
    rng = np.random.default_rng(seed)
    tables = rng.random((2, 5, 9)).astype(np.float32) * (rng.random((2, 5, 9)) < 0.4)
    of_neighbours, stated = (
        SparseRows(table[table > 0], np.nonzero(table)[1], np.append(0, (table > 0).sum(axis=1).cumsum()), table.shape)
        for table in tables
    )
    numbers = np.array([0, -1, 3, 0, 4])
    own_part = np.where(numbers[:, None] >= 0, np.float32(0.3) * tables[1][numbers], 0)
    rows, own = _with_own(of_neighbours, stated, numbers)
    np.testing.assert_allclose(rows.toarray(), tables[0] + own_part, rtol=1e-6)
    marked = SparseRows(own.astype(float), rows.indices, rows.indptr, rows.shape).toarray()
    np.testing.assert_array_equal(marked > 0, (tables[0] == 0) & (own_part > 0))
    whole = AnalogyRows(rows, of_neighbours, stated)
    for start, end in ((0, 5), (1, 3), (4, 5), (2, 2)):
        for cut, row in zip(_cut(whole, start, end), whole, strict=True):
            np.testing.assert_array_equal(cut.toarray(), row.toarray()[start:end])


def test_a_hundred_neighbours_vote_twenty_are_the_nearest_and_thirty_parents_are_followed() -> None:
    assert (NEIGHBOURS, NEAREST, PARENTS, LEAST_TRUST) == (100, 20, 30, 0.2)


@pytest.mark.parametrize(
    ("statements", "added"),
    [(773_674, 0.0), (773_673, 0.3 * np.log(773_674 / 773_673)), (386_837, 0.3 * np.log(2)), (2, 0.3)],
)
def test_the_curve_begins_where_the_size_of_the_text_says(statements: int, added: float) -> None:
    patterns: Any = SimpleNamespace(totals=(None, None, statements))
    assert _start(patterns, WEIGHTS) == pytest.approx(-2.25 + added, abs=1e-10)


def stated(pairs: list[tuple[str, str, int]], terms: list[str]) -> Patterns:
    """Patterns of these statements, which are in the order of the terms."""
    keys = pack([terms.index(q) for q, _, _ in pairs], [terms.index(p) for _, p, _ in pairs], [0] * len(pairs))
    return Patterns.from_keys(terms, ["such as"], keys, [n for *_, n in pairs])


def test_possible_neighbours_are_the_hyponyms_that_have_a_vector() -> None:
    """The first term and the first word are the same; one term has no statement, one no vector."""
    patterns = stated(
        [("dog", "animal", 3), ("yak", "animal", 1), ("cow", "animal", 12)], ["dog", "yak", "cow", "animal"]
    )
    space = VectorSpace(["dog", "animal", "cow"], [[0.3, 0.4], [1, 0], [0, 2]], frequencies=[1] * 3, kind="skipgram")
    found = NeighbourStatements(patterns, space)
    assert found.numbers.tolist() == [0, 2] and len(found) == 2
    np.testing.assert_allclose(found.vectors, [[0.6, 0.8], [0, 1]], rtol=1e-6)
    assert found.trust.tolist() == [0.6, 1.0]
    assert found.places(np.array([0, 1, 2, 3, -1])).tolist() == [0, -1, 1, -1, -1]
    # of three statements 2 are 0.3·2/3, of one 1 is 0.1, of twelve 6 are 1·6/12
    passed = found.passed_on(np.array([0, 1, 2, 3]), np.array([2, 1, 6, 0]))
    np.testing.assert_allclose(passed, [0.2, 0.1, 0.5, 0.0], rtol=1e-6)


@pytest.mark.parametrize("loaded", [False, True])
def test_one_neighbour_however_far_and_one_class_with_one_statement(
    loaded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """x is a c, five times of six; c is a p, once; c itself has no vector: A(q, c) = log 6/5 and B(q, p)² = 1/10."""
    if loaded:
        kernels.load()
    else:
        monkeypatch.setattr(neighbour_statements, "kernels", Unloaded())
    patterns = stated([("x", "c", 5), ("c", "p", 1)], ["x", "c", "p"])
    space = VectorSpace(["x", "p"], [[1.0, 0.0], [0.0, 1.0]], frequencies=[1, 1], kind="skipgram")
    for vector, share in (([2.0, 0.0], 1.0), ([3e-5, 1.0], 0.9), ([-1.0, 0.0], 0.0)):  # below 1e-9 weights are small
        rows = NeighbourStatements(patterns, space).rows(np.array([vector], dtype=np.float32), np.array([-1]))
        np.testing.assert_allclose(rows.neighbours.toarray(), [[0, share * np.log(6 / 5), 0]], rtol=1e-4)
        np.testing.assert_allclose(rows.nearest.toarray(), rows.neighbours.toarray())
        np.testing.assert_allclose(rows.inherited.toarray(), [[0, 0, np.sqrt(0.1) if share else 0]], rtol=1e-4)


def test_a_second_question_keeps_the_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbour_statements, "kernels", Unloaded())
    patterns, vectors = some_patterns(4), np.random.default_rng(5).normal(size=(TERMS, 4)).astype(np.float32)
    found = NeighbourStatements(
        patterns, VectorSpace(patterns.terms, vectors, frequencies=np.ones(TERMS), kind="skipgram")
    )
    first = found.rows(vectors[:1], np.array([0]))
    assert "vectors" not in vars(found)
    second = found.rows(vectors[:1], np.array([0]))
    assert "vectors" in vars(found)
    np.testing.assert_array_equal(first.neighbours.toarray(), second.neighbours.toarray())


@pytest.mark.parametrize("loaded", [False, True])
def test_many_terms_among_few_or_no_neighbours(loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if loaded:
        kernels.load()
    else:
        monkeypatch.setattr(neighbour_statements, "kernels", Unloaded())
    space = VectorSpace(["x", "c"], np.eye(2), frequencies=[1, 1], kind="skipgram")
    asked, numbers = np.tile(np.array([[1.0, 0.0], [1.0, 1.0]], dtype=np.float32), (10, 1)), np.full(20, -1)
    nothing = NeighbourStatements(Patterns.from_keys(["x", "c"], ["such as"], pack([], [], []), []), space)
    assert [row.shape for row in nothing.rows(asked, numbers)] == [(20, 2)] * 3
    assert not any(row.nnz for row in nothing.rows(asked, numbers))
    one = NeighbourStatements(stated([("x", "c", 5), ("y", "d", 5)], ["x", "c", "y", "d"]), space).rows(asked, numbers)
    np.testing.assert_allclose(one.neighbours.toarray(), np.tile([0, np.log(2), 0, 0], (20, 1)), rtol=1e-6)


@pytest.mark.parametrize("most", [1, 3, 6, 7])
def test_the_largest_places_are_found_where_the_sample_has_them_and_where_not(most: int) -> None:
    values = np.linspace(0.0, 0.1, 112).astype(np.float32)
    values[::16] = 0.9, 0.3, 0.8, 0.4, 0.7, 0.5, 0.6  # all that are looked at first
    for moved in range(3):
        found = _largest_places(np.roll(values, moved), most)
        assert found.tolist() == sorted(np.argsort(-np.roll(values, moved))[:most].tolist())
    near = np.zeros(40, dtype=np.float32)
    near[[3, 16, 30]] = 0.5, 0.5 - 5e-6, 0.5 - 5e-5  # what is almost as large may be as large
    assert _largest_places(near, 1).tolist() == [3, 16]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [1, 2, 5, 8])
def test_the_largest_entries_of_rows_are_kept(most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 9, 30)
    data = rng.permutation(int(sizes.sum())).astype(np.float32) + 1
    indices = np.concatenate([np.sort(rng.choice(12, size, replace=False)) for size in sizes])
    rows = SparseRows(data, indices, np.append(0, sizes.cumsum()), (30, 12))
    kept = _largest(rows, rng.random(len(data)) < 0.5, most)
    for whole, part in zip(rows.toarray(), kept.toarray(), strict=True):
        least = np.sort(whole)[-most]
        assert part.tolist() == np.where(whole >= max(least, 1), whole, 0).tolist()


def test_columns_of_a_phrase_that_patterns_know_by_its_head_are_empty() -> None:
    """Of the four statements about tigers three are of names; nothing is known of a sabre tiger but its frequency."""
    keys, names = pack([0, 0], [1, 1], [0, 1]), ["such-as", f"such-as{OF_A_NAME}"]
    patterns = Patterns.from_keys(["tiger", "team"], names, keys, [1, 3])
    words, matrix = ["tiger", "team", "sabre tiger"], np.array([[0.3, 0.4], [1.0, 0.0], [0.1, 0.7]])
    main, skipgram = (VectorSpace(words, matrix, frequencies=[7, 3, 1], kind=kind) for kind in ("dive", "skipgram"))

    def columns(beside: Any = skipgram, known: Patterns | None = patterns) -> IsaColumns | None:
        return NamedTerms(Source(main, skipgram=beside, stated=lambda: known), words).isa_columns

    found = columns()
    assert found is not None
    log = np.log1p
    expected = [
        [0.25, 0.7, 0, log(4), 0, log(7), 0.75],
        [1, 1, log(1), 0, log(4), log(3), 0],
        [0.5, 0.8, 0, 0, 0, log(1), 0],
    ]
    expected[1][2] = log(1)  # one kind of team
    np.testing.assert_allclose(found.values, expected, rtol=1e-6)
    assert found.numbers.tolist() == [0, 1, -1] and found.phrases.tolist() == [False, False, True]
    assert (len(found.codes), len(found.scales)) == (0, 0)  # these vectors are not of 8 bits
    np.testing.assert_allclose(found.statements.values, [[log(4)], [0], [1], [0.75]])
    sparse = VectorSpace(words, csr_array(matrix), frequencies=[7, 3, 1], kind="skipgram")
    assert columns(None) is None and columns(known=None) is None and columns(sparse) is None
    whole = VectorSpace(words, np.array([[1.0, 2], [3, 4], [5, 127]]), frequencies=[7, 3, 1], kind="skipgram")
    in_bits = columns(whole)
    assert in_bits is not None
    np.testing.assert_allclose(in_bits.codes * in_bits.scales[:, None], whole.matrix)


def test_one_statement_of_a_name_is_all_of_it() -> None:
    keys, names = pack([0], [1], [1]), ["such-as", f"such-as{OF_A_NAME}"]
    columns = StatementColumns.of(Patterns.from_keys(["tiger", "team"], names, keys, [1]))
    assert columns.values[3].tolist() == [1.0]
