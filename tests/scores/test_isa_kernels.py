"""The compiled loops of `isa` give the bits of the sums in NumPy, for words, terms and composed phrases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace

import numpy as np
import pytest

from hyperdive import Model, load
from hyperdive._quantize import rounded_to_8_bits
from hyperdive._sparse_rows import joined_rows
from hyperdive.discover.question import source_of, vocabulary
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import analogy_bounds, isa_score, neighbour_statements
from hyperdive.scores._blocks import kernels
from hyperdive.scores.analogy_bounds import BoundedTerms
from hyperdive.scores.isa_score import WEIGHTS, _compiled_sums, _sums, isa_confidence, reachable_hypernyms
from hyperdive.scores.neighbour_statements import NEAREST, NEIGHBOURS, AskedColumns, CodedVectors, NeighbourStatements
from hyperdive.scores.pattern_projection import lengths_of_one
from hyperdive.scores.source import Source
from hyperdive.scores.terms import NamedTerms, Terms
from hyperdive.spaces.space import VectorSpace

from .test_isa_score import some_patterns


@pytest.fixture(scope="module")
def model() -> Model:
    kernels.load()
    return load("en-wiki")


def supported(terms: Terms, row: int) -> np.ndarray:
    rows = terms.row_of_number[terms.supported(row)[0]]
    return np.unique(np.concatenate([rows[rows >= 0], *terms.heads(np.array([row]))]))


def sampled(model: Model, many: int) -> list[int]:
    rng = np.random.default_rng(4)
    return rng.choice(len(source_of(model).main.words), many, replace=False).tolist()


def test_sums_of_words_and_terms_are_those_of_numpy(model: Model) -> None:
    terms = vocabulary(model)
    assert terms.isa_columns is not None
    seen = {"with a head": 0, "unsupported": 0, "is a head": 0}
    for row in sampled(model, 25):
        rows = supported(terms, row)
        pairs = terms.pairs(np.full(len(rows), row), rows)
        plain, compiled = _sums(pairs, WEIGHTS), _compiled_sums(pairs, terms.isa_columns, WEIGHTS)
        for one, other in zip(plain, compiled, strict=True):
            np.testing.assert_array_equal(one, other)
        seen["with a head"] += int(np.isfinite(plain[1]).sum())
        seen["unsupported"] += int(plain[2].sum())
        seen["is a head"] += int(pairs.is_head.sum())
    assert min(seen.values()) > 0, seen


@pytest.mark.parametrize(("confidence", "share"), [(0.05, 0.9), (0.35, 0.15), (0.9, 0.03)])
def test_no_hypernym_with_the_confidence_is_left_out(model: Model, confidence: float, share: float) -> None:
    named = ["guide dog", "jazz violin", "small pizza oven", "bear", "animal", "old police horse"]
    few = reached = supported_rows = 0
    phrases = NamedTerms(source_of(model), named)
    for terms, rows in ((vocabulary(model), sampled(model, 150)), (phrases, list(range(len(named))))):
        for row in rows:
            every, reachable = supported(terms, row), reachable_hypernyms(terms, row, confidence)
            confident = every[isa_confidence(terms.pairs(np.full(len(every), row), every)) >= confidence]
            assert np.isin(confident, reachable).all() and np.isin(reachable, every).all()
            np.testing.assert_array_equal(reachable, np.unique(reachable))
            np.testing.assert_array_equal(reachable_hypernyms(terms, row), every)
            few += len(confident)
            reached += len(reachable)
            supported_rows += len(every)
    assert few < reached < share * supported_rows


@pytest.mark.parametrize("weight", ["nearest", "inherited", "hyponyms", "stated_of_head", "stated_head", "general"])
@pytest.mark.parametrize("times", [-1.5, 3.0])
def test_the_bound_of_a_sum_holds_for_other_weights(model: Model, weight: str, times: float) -> None:
    weights = replace(WEIGHTS, **{weight: times * getattr(WEIGHTS, weight)})
    named = NamedTerms(source_of(model), ["bear", "animal", "polar bear", "mammal", "guide dog", "violin", "oak tree"])
    for terms, rows in ((named, list(range(7))), (vocabulary(model), sampled(model, 20))):
        for row in rows:
            every = supported(terms, row)
            confident = every[isa_confidence(terms.pairs(np.full(len(every), row), every), weights) >= 0.5]
            assert np.isin(confident, reachable_hypernyms(terms, row, 0.5, weights)).all()


@pytest.mark.parametrize("weight", ["stated_back", "of_names"])
def test_without_a_bound_nothing_is_left_out(model: Model, weight: str) -> None:
    terms = vocabulary(model)
    row = sampled(model, 1)[0]
    weights = replace(WEIGHTS, **{weight: 0.1})
    np.testing.assert_array_equal(reachable_hypernyms(terms, row, 0.9, weights), supported(terms, row))


@pytest.mark.parametrize(
    "weight", [field.name for field in fields(WEIGHTS) if field.name not in ("slope", "start", "few")]
)
def test_every_weight_has_its_part(model: Model, weight: str) -> None:
    words = ["bear", "animal", "polar bear", "mammal", "large animal", "dog", "guide dog", "violin", "jazz violin"]
    terms = NamedTerms(source_of(model), words)
    q, p = (side.ravel() for side in np.meshgrid(np.arange(len(words)), np.arange(len(words)), indexing="ij"))
    pairs = terms.pairs(q, p)
    assert terms.isa_columns is not None
    weights = replace(WEIGHTS, **{weight: 2 * getattr(WEIGHTS, weight) + 0.1})
    plain, compiled = _sums(pairs, weights), _compiled_sums(pairs, terms.isa_columns, weights)
    np.testing.assert_array_equal(plain[0], compiled[0])
    np.testing.assert_array_equal(plain[1], compiled[1])
    assert (plain[0] != _sums(pairs, WEIGHTS)[0]).any()


def rows_of(statements: NeighbourStatements, vectors: np.ndarray, numbers: np.ndarray) -> list[np.ndarray]:
    every = statements.rows(vectors, numbers)
    return [part for row in every for part in (row.indptr, row.indices, row.data)]


def test_rows_of_neighbours_are_those_of_numpy(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    terms, statements = vocabulary(model), source_of(model).neighbour_statements
    assert terms.stated is not None and terms.skipgram is not None
    for row in sampled(model, 25):
        vectors = np.asarray(terms.skipgram.matrix[[row]], dtype=np.float32)
        numbers = terms.stated.exact_numbers[[row]]
        compiled = rows_of(statements, vectors, numbers)
        with monkeypatch.context() as patch:
            patch.setattr(neighbour_statements, "kernels", Unloaded())
            plain = rows_of(statements, vectors, numbers)
        for one, other in zip(plain, compiled, strict=True):
            np.testing.assert_array_equal(one, other)


def stated_at_random(words: int, statements: int) -> Patterns:
    rng = np.random.default_rng(3)
    pairs = np.sort(rng.choice((words - 50) * 50, statements, replace=False))
    names = [f"w{n}" for n in range(words)]
    keys = pack(50 + pairs // 50, pairs % 50, np.zeros(statements))
    return Patterns.from_keys(names, ["such as"], keys, rng.integers(1, 9, statements))


@pytest.mark.parametrize("dimensions", [3, 30, 700])
@pytest.mark.parametrize("bits", [8, 32])
def test_codes_rule_out_no_neighbour(dimensions: int, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors that 8 bits hold and others, in so many dimensions that products need fewer bits, or hardly differ."""
    kernels.load()
    patterns, rng = stated_at_random(9000, 12000), np.random.default_rng(dimensions)
    vectors = rng.normal(size=(9000, dimensions)).astype(np.float32)
    vectors[:5] = 0.0
    vectors = rounded_to_8_bits(vectors) if bits == 8 else vectors
    space = VectorSpace(patterns.terms, vectors, frequencies=np.ones(9000), kind="skipgram")
    statements = NeighbourStatements(patterns, space)
    assert (CodedVectors.of(vectors).loss == 0.0) == (bits == 8)
    asked, numbers = vectors[[4, 60, 61, 8000]] * np.float32(3), np.array([4, 60, -1, 8000])
    compiled = rows_of(statements, asked, numbers)
    slow = [slow_neighbours(statements, vector, number) for vector, number in zip(asked, numbers, strict=True)]
    own = statements.places(numbers)
    found, _ = statements._neighbours(np.asarray(lengths_of_one(asked)), own)
    assert [row.tolist() for row in found[1:]] == slow[1:]
    monkeypatch.setattr(neighbour_statements, "kernels", Unloaded())
    for one, other in zip(rows_of(statements, asked, numbers), compiled, strict=True):
        np.testing.assert_array_equal(one, other)


def slow_neighbours(statements: NeighbourStatements, vector: np.ndarray, number: int) -> list[int]:
    wide = statements.vectors.astype(np.float64) @ vector.astype(np.float64)
    wide[statements.numbers == number] = 0.0
    return sorted(np.argsort(-wide, kind="stable")[:NEIGHBOURS].tolist())


def test_what_codes_lose_is_the_length_of_the_rest() -> None:
    coded = CodedVectors.of(np.array([[127.0, 0.0], [0.0, 254.0], [126.6, 0.0], [0.0, 0.0]], dtype=np.float32))
    assert coded.codes.tolist() == [[127, 0], [0, 127], [127, 0], [0, 0]]
    np.testing.assert_allclose(coded.scales * 127, [1.0, 1.0, 127 / 126.6, 127.0], rtol=1e-6)
    assert coded.loss == pytest.approx(0.4 / 126.6, rel=1e-4)


@pytest.mark.parametrize("bits", [8, 32])
def test_sums_of_vectors_in_any_precision_are_those_of_numpy(bits: int) -> None:
    kernels.load()
    patterns, rng = stated_at_random(400, 900), np.random.default_rng(1)
    vectors = rng.normal(size=(400, 20)).astype(np.float32)
    vectors[7] = 0.0
    vectors = rounded_to_8_bits(vectors) if bits == 8 else vectors
    words, often = patterns.terms, np.arange(1, 401)
    skipgram = VectorSpace(words, vectors, frequencies=often, kind="skipgram")
    main = VectorSpace(words, np.abs(rng.normal(size=(400, 6))), frequencies=often, kind="dive")
    terms = NamedTerms(Source(main, skipgram=skipgram, stated=lambda: patterns), words)
    assert terms.isa_columns is not None and len(terms.isa_columns.codes) == (400 if bits == 8 else 0)
    q, p = rng.integers(0, 400, 500), rng.integers(0, 400, 500)
    q[:20], p[10:30] = 7, 7
    pairs = terms.pairs(q, p)
    plain, compiled = _sums(pairs, WEIGHTS), _compiled_sums(pairs, terms.isa_columns, WEIGHTS)
    for one, other in zip(plain, compiled, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("bits", [8, 32])
def test_many_terms_at_once_have_the_rows_of_each_alone(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By products of matrices, in blocks of any size, with terms whose parents are equal and those asked for before."""
    kernels.load()
    patterns, rng = stated_at_random(3000, 4000), np.random.default_rng(2)
    vectors = rng.normal(size=(3000, 20)).astype(np.float32)
    vectors[:4], vectors[100:400] = 0.0, vectors[100]
    vectors = rounded_to_8_bits(vectors) if bits == 8 else vectors
    statements = NeighbourStatements(
        patterns, VectorSpace(patterns.terms, vectors, frequencies=np.ones(3000), kind="skipgram")
    )
    numbers = np.arange(0, 3000, 37)
    asked = vectors[numbers] * np.float32(3)
    numbers[::5] = -1
    alone = [statements.rows(asked[at : at + 1], numbers[at : at + 1]) for at in range(len(numbers))]
    monkeypatch.setattr(neighbour_statements, "_PRODUCTS", 7 * len(statements))
    monkeypatch.setattr(neighbour_statements, "_KEPT", 60)
    for many in (30, len(numbers), len(numbers)):
        together = statements.rows(asked[:many], numbers[:many])
        for kind in range(3):
            single = joined_rows([rows[kind] for rows in alone[:many]], len(patterns))
            for part in ("indptr", "indices", "data"):
                np.testing.assert_array_equal(getattr(together[kind], part), getattr(single, part))
        assert len(statements._kept) <= 60


def test_neighbours_of_many_terms_are_those_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels.load()
    patterns, rng = stated_at_random(9000, 12000), np.random.default_rng(8)
    vectors = rng.normal(size=(9000, 30)).astype(np.float32)
    vectors[2000:2300] = vectors[5]
    space = VectorSpace(patterns.terms, vectors, frequencies=np.ones(9000), kind="skipgram")
    statements = NeighbourStatements(patterns, space)
    own = np.concatenate([np.arange(0, len(statements), 211), [-1, -1]])
    asked = np.asarray(lengths_of_one(vectors[2000 + np.arange(len(own))]), dtype=np.float32)
    asked[:-2] = statements.vectors[own[:-2]]
    assert (np.diff(own[:-2]) > 0).all()
    for one, other in zip(statements._neighbours(asked, own), statements._kept_neighbours(asked, own), strict=True):
        np.testing.assert_array_equal(one, other)
    for row, place in zip(statements._kept_neighbours(asked, own)[0], own, strict=True):
        assert place not in row


@pytest.mark.parametrize("threads", [1, 3])
def test_pairs_of_many_hyponyms_are_summed_in_parts(
    model: Model, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    names = [source_of(model).main.words[row] for row in sampled(model, 300)]
    terms = NamedTerms(source_of(model), names, threads=threads)
    q, p = rng.integers(0, 300, 900), rng.integers(0, len(terms.names), 900)
    pairs = terms.pairs(q, p)
    assert terms.isa_columns is not None and len(pairs.asked[0]) > isa_score._HYPONYMS
    in_parts = _compiled_sums(pairs, terms.isa_columns, WEIGHTS)
    monkeypatch.setattr(isa_score, "_HYPONYMS", 1000)
    for one, other in zip(_compiled_sums(pairs, terms.isa_columns, WEIGHTS), in_parts, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(_sums(pairs, WEIGHTS), in_parts, strict=True):
        np.testing.assert_array_equal(one, other)


class Unloaded:
    """No compiled kernels."""

    loaded = False


@pytest.mark.parametrize("vectors", [np.ones((300, 2)), np.eye(300, 4), np.repeat(np.eye(50), 6, axis=0)])
def test_where_equal_neighbours_leave_it_open_numpy_chooses(
    vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels.load()
    rng = np.random.default_rng(0)
    hyponyms, hypernyms = np.arange(50, 300), rng.integers(0, 50, 250)
    words = [f"w{n}" for n in range(300)]
    stated = Patterns.from_keys(words, ["such as"], pack(hyponyms, hypernyms, np.zeros(250)), rng.integers(1, 4, 250))
    statements = NeighbourStatements(stated, VectorSpace(words, vectors, frequencies=np.ones(300), kind="skipgram"))
    asked, numbers = vectors[60:63].astype(np.float32), np.array([60, -1, 62])
    compiled = statements.rows(asked, numbers)
    monkeypatch.setattr(neighbour_statements, "kernels", Unloaded())
    for one, other in zip(statements.rows(asked, numbers), compiled, strict=True):
        np.testing.assert_array_equal(one.toarray(), other.toarray())


def test_without_statements_there_are_no_neighbours() -> None:
    kernels.load()
    nothing = Patterns.from_keys(["a", "b"], ["such as"], pack([], [], []), [])
    statements = NeighbourStatements(nothing, VectorSpace(["a", "b"], np.eye(2), frequencies=[1, 1], kind="skipgram"))
    for row in statements.rows(np.eye(2, dtype=np.float32), np.array([0, -1])):
        assert row.shape == (2, 2) and row.nnz == 0


def test_threads_that_ask_at_once_get_their_own_neighbours(model: Model) -> None:
    """The neighbours of the last term were kept in one place for all threads."""
    words = [model.words[row] for row in np.random.default_rng(9).choice(len(model.words), 24, replace=False).tolist()]
    alone = [[(answer.term, answer.confidence) for answer in model.hypernyms(word)] for word in words]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            together = pool.map(lambda word: [(one.term, one.confidence) for one in model.hypernyms(word)], words)
            assert list(together) == alone


def named_at_random(patterns: Patterns | None = None) -> NamedTerms:
    """Terms of which the first forty have hyponyms, and are stated to be kinds of each other."""
    patterns, rng = patterns or some_patterns(2), np.random.default_rng(6)
    words, often = patterns.terms, np.arange(1, len(patterns) + 1)
    skipgram = VectorSpace(words, rng.normal(size=(len(words), 5)), frequencies=often, kind="skipgram")
    main = VectorSpace(words, np.abs(rng.normal(size=(len(words), 4))), frequencies=often, kind="dive")
    return NamedTerms(Source(main, skipgram=skipgram, stated=lambda: patterns), words)


def test_no_analogy_is_above_its_bound_and_the_close_bound_is_never_the_larger() -> None:
    kernels.load()
    terms, hypernyms = named_at_random(), np.arange(0, 40, 3)
    for rows in (np.arange(50, 60), np.arange(len(terms.names))):  # too few to tell how near neighbours are; and enough
        exact = [kind.toarray()[:, hypernyms] for kind in terms.analogies(rows)]
        wide, close = (
            [kind.toarray()[:, hypernyms] for kind in BoundedTerms(terms, hypernyms, close=close).analogies(rows)]
            for close in (False, True)
        )
        for value, far, near in zip(exact, wide, close, strict=True):
            assert value.any()
            assert (value <= near + 1e-5).all() and (near <= far + 1e-6).all()


def test_without_compiled_loops_every_supported_hypernym_is_reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = named_at_random()
    monkeypatch.setattr(isa_score, "kernels", Unloaded())
    for row in (0, 70):
        np.testing.assert_array_equal(reachable_hypernyms(terms, row, 0.99), supported(terms, row))


def test_a_phrase_reaches_what_is_stated_of_its_head_though_that_is_the_first_term() -> None:
    kernels.load()
    patterns = Patterns.from_keys(["dog", "animal"], ["such as"], pack([0], [1], [0]), [5])
    words = ["animal", "dog", "guide dog"]
    spaces = [
        VectorSpace(words, [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], frequencies=[9, 8, 7], kind=kind)
        for kind in ("dive", "skipgram")
    ]
    terms = NamedTerms(Source(spaces[0], skipgram=spaces[1], stated=lambda: patterns), words)
    assert not any(kind.toarray().any() for kind in terms.analogies(np.array([2])))
    assert reachable_hypernyms(terms, 2).tolist() == [0, 1]


@pytest.mark.parametrize("statements", [900, 6000])
def test_asked_columns_are_those_of_the_whole_rows(statements: int) -> None:
    """Terms with and without parents that equal values leave open, with many asked columns, one and none."""
    kernels.load()
    rng, names = np.random.default_rng(5), [f"w{n}" for n in range(600)]
    pairs = np.sort(rng.choice(600 * 60, statements, replace=False))  # of which the classes are hyponyms, too
    keys = pack(pairs // 60, pairs % 60, np.zeros(statements))
    patterns = Patterns.from_keys(names, ["such as"], keys, rng.integers(1, 3, statements))
    # few neighbours have weight, so that most classes of a term with few statements are tied at 0
    vectors = (np.repeat(np.eye(60), 10, axis=0) * rng.uniform(1, 2, (600, 1))).astype(np.float32)
    vectors[::7, 3] = 0.5
    space = VectorSpace(patterns.terms, vectors, frequencies=np.ones(600), kind="skipgram")
    found = NeighbourStatements(patterns, space)
    numbers = np.array([*range(30, 130), -1, -1])
    every = found.rows(vectors[numbers], numbers)
    rows = np.array([*rng.integers(0, 90, 500), 95, *np.full(60, 96), *np.full(60, 101)])
    columns = np.array([*rng.integers(-1, 60, 500), 49, *range(60), *range(60)])
    asked = AskedColumns.of(rows, columns, len(numbers), len(patterns))
    assert asked.starts[-1] == len({(q, p) for q, p in zip(rows, columns, strict=True) if p >= 0})
    assert (np.diff(asked.starts)[90:] == [0, 0, 0, 0, 0, 1, 60, 0, 0, 0, 0, 60]).all()
    few = found.asked_rows(vectors[numbers], numbers, asked)
    of_entry = np.repeat(np.arange(len(numbers)), np.diff(asked.starts))
    for whole, part in zip(every, few, strict=True):
        np.testing.assert_array_equal(part.data, whole.toarray()[of_entry, asked.columns])
        assert part.data.any() and part.shape == whole.shape
    near = found._kept_neighbours(lengths_of_one(vectors[numbers]), found.places(numbers))
    clear, _ = kernels.asked_analogies(*near, numbers, *asked, *found._tables)
    np.testing.assert_array_equal(clear, kernels.analogy_rows(*near, numbers, *found._tables)[0])
    assert clear.mean() > 0.9 if statements == 6000 else 0 < clear.mean() < 0.9


@pytest.mark.parametrize("asked", [0, 1, 9, 10, 100])
def test_sums_are_the_same_whether_columns_are_asked_for_or_not(
    model: Model, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [
        "bear",
        "animal",
        "polar bear",
        "mammal",
        "large animal",
        "dog",
        "guide dog",
        "violin",
        "jazz violin",
        "oak",
    ]
    terms = NamedTerms(source_of(model), words)
    q, p = (side.ravel() for side in np.meshgrid(np.arange(len(words)), np.arange(len(words)), indexing="ij"))
    pairs, calls = terms.pairs(q, p), []
    rows_of_asked = NeighbourStatements.asked_rows
    monkeypatch.setattr(isa_score, "_ASKED", asked)
    monkeypatch.setattr(NeighbourStatements, "asked_rows", lambda *all: calls.append(1) or rows_of_asked(*all))
    assert terms.isa_columns is not None
    for one, other in zip(_sums(pairs, WEIGHTS), _compiled_sums(pairs, terms.isa_columns, WEIGHTS), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(calls) == (asked >= 10)  # a hundred pairs of ten hyponyms


def test_a_bound_is_there_for_weights_of_nothing_and_none_for_all_or_no_confidence(model: Model) -> None:
    terms = vocabulary(model)
    row = sampled(model, 1)[0]
    every = supported(terms, row)
    for confidence in (0.0, 1.0):
        np.testing.assert_array_equal(reachable_hypernyms(terms, row, confidence), every)
    for weight in ("stated_back", "of_names"):
        assert len(reachable_hypernyms(terms, row, 0.9, replace(WEIGHTS, **{weight: 0.0}))) < len(every)


def slow_bounds(terms: NamedTerms, rows: np.ndarray, number: int, close: bool) -> list[np.ndarray]:
    """The bounds of A, A₂₀ and B of one hypernym, term by term and in 64 bits."""
    assert terms.stated is not None and terms.skipgram is not None
    patterns, totals = terms.stated.patterns, terms.stated.patterns.hyponym_totals
    counts, ppmi = patterns.counts.toarray(), patterns.ppmi.toarray()
    unit = np.asarray(terms.skipgram.matrix, dtype=np.float64)
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -1.0)  # term t is term t of the patterns
    kinds = np.flatnonzero(counts[:, number])
    passed = {h: min(totals[h], 10) / 10 * counts[h, number] / totals[h] for h in kinds if counts[:, h].any()}
    sample = np.sort([row for row in rows if totals[row] > 0])
    bounds = []
    for row in rows:
        voters = [x for x in kinds if ppmi[x, number] > 0]
        if not close:
            largest = max((ppmi[x, number] for x in voters), default=0.0)
            bounds.append((largest, largest, np.sqrt(max(passed.values(), default=0.0))))
            continue
        near = (
            np.sort(cosines[row, sample])[::-1][:NEIGHBOURS] if len(sample) > NEIGHBOURS else np.full(NEIGHBOURS, -1.0)
        )
        least = np.maximum(near - 1e-5, 0.0) ** 2 * 0.2
        found = []
        for many in (NEIGHBOURS, NEAREST):
            inside = [x for x in voters if cosines[row, x] >= near[many - 1] - 1e-5]
            weighted = sum(
                max(cosines[row, x] + 1e-5, 0) ** 2 * min(totals[x], 5) / 5 * ppmi[x, number] for x in inside
            )
            largest = max((ppmi[x, number] for x in inside), default=0.0)
            found.append(min(largest, weighted / max(least[:many].sum(), 1e-9)))
        reached = [
            passed[h]
            for h in passed
            if any(
                x == row or (totals[x] > 0 and cosines[row, x] >= near[-1] - 1e-5) for x in np.flatnonzero(counts[:, h])
            )
        ]
        bounds.append((*found, np.sqrt(max(reached, default=0.0))))
    return [np.array(kind) for kind in zip(*bounds, strict=True)]


def small_classes() -> Patterns:
    """Forty classes of three members each, which are said to be one of four things more or less often."""
    classes, often = np.arange(40), np.random.default_rng(0).integers(1, 12, 160)
    often[:40] = 1 + classes // 4
    keys = pack(np.arange(160), np.concatenate([156 + classes % 4, np.arange(120) // 3]), np.zeros(160))
    return Patterns.from_keys([f"t{n}" for n in range(160)], ["such as"], keys, often)


def test_bounds_of_small_classes_are_those_of_the_slow_twin() -> None:
    kernels.load()
    terms, rows = named_at_random(small_classes()), np.arange(160)
    found = BoundedTerms(terms, np.arange(156, 160), close=True).analogies(rows)
    differ = [0, 0, 0]
    for number in range(156, 160):
        for kind, (bounds, slow) in enumerate(zip(found, slow_bounds(terms, rows, number, True), strict=True)):
            np.testing.assert_allclose(bounds.toarray()[:, number], slow, rtol=3e-6, atol=1e-7)
            differ[kind] += len(np.unique(slow.round(4))) > 1
    assert min(differ) > 0


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize("many", [30, 100, 101, 160])
def test_bounds_are_those_of_the_slow_twin(many: int, close: bool) -> None:
    kernels.load()
    terms = named_at_random()
    assert terms.stated is not None
    named = np.flatnonzero(terms.stated.patterns.hyponym_totals > 0)
    rows, hypernyms = np.resize(named, many) if many <= len(named) else np.arange(160), np.array([39, 0, 7, 150])
    found = BoundedTerms(terms, hypernyms, close=close).analogies(rows)
    seen = [0, 0, 0]
    for number in hypernyms:
        for kind, (bounds, slow) in enumerate(zip(found, slow_bounds(terms, rows, number, close), strict=True)):
            np.testing.assert_allclose(bounds.toarray()[:, number], slow, rtol=3e-6, atol=1e-7)
            seen[kind] += int((slow > 0).sum())
    assert min(seen) > 0
    nothing = BoundedTerms(terms, hypernyms[:0], close=close).analogies(rows)
    assert [(kind.shape, kind.nnz) for kind in nothing] == [((len(rows), 160), 0)] * 3


def test_a_class_of_too_many_members_has_the_wide_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels.load()
    terms, rows, number = named_at_random(small_classes()), np.arange(160), 157
    assert terms.stated is not None
    counts, totals = terms.stated.patterns.counts.toarray(), terms.stated.patterns.hyponym_totals
    classes = [h for h in np.flatnonzero(counts[:, number]) if counts[:, h].any()]
    members = {x for h in classes for x in np.flatnonzero(counts[:, h]) if totals[x] > 0}
    close, wide = (slow_bounds(terms, rows, number, close)[2] for close in (True, False))
    assert (close < wide).any()
    for most, expected in ((len(members), close), (len(members) - 1, wide)):
        monkeypatch.setattr(analogy_bounds, "_MOST_COMPARED", most)
        found = BoundedTerms(terms, np.array([number]), close=True).analogies(rows).inherited
        np.testing.assert_allclose(found.toarray()[:, number], expected, rtol=3e-6)
