"""Every score agrees with its slow twin, however many pairs are compared at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from hyperdive.errors import InputError
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import Pairs, Rows, get, table
from hyperdive.scores.pairs import TermArrays
from hyperdive.scores.paper import Gaussians
from hyperdive.scores.stated import StatedTerms
from hyperdive.spaces.space import VectorSpace
from tests.examples import examples

TIMES = examples(40)
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def random_rows(seed: int, rows: int = 12, columns: int = 9, filled: float = 0.4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    # coarse values, so that equal entries, ties and inclusions really happen
    return rng.integers(1, 6, (rows, columns)) / 4.0 * (rng.random((rows, columns)) < filled)


def all_pairs(rows: int) -> tuple[np.ndarray, np.ndarray]:
    q, p = np.meshgrid(np.arange(rows), np.arange(rows), indexing="ij")
    return q.ravel(), p.ravel()


def some_gaussians(terms: int, seed: int = 0) -> Gaussians:
    """Seven words and terms of one to three of them; the first two terms are single words."""
    rng = np.random.default_rng(seed)
    sizes = np.array([1, 1, *rng.integers(1, 4, max(terms - 2, 0))])[:terms]
    means, variances = rng.normal(size=(7, 5)), rng.uniform(0.1, 3, size=(7, 5))
    rows = rng.integers(0, 7, int(sizes.sum()))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Gaussians(means.astype(np.float32), variances.astype(np.float32), rows, starts)


def some_stated(terms: int, seed: int = 0) -> StatedTerms:
    """Terms of which patterns name some pairs; the last term no pattern names."""
    rng = np.random.default_rng(seed)
    hypo, hyper = np.nonzero(rng.random((terms, terms)) < 0.2)
    keys, counts = pack(hypo, hyper, np.zeros(len(hypo))), rng.integers(1, 9, len(hypo))
    patterns = Patterns([f"t{i}" for i in range(terms)], ["such as"], keys, counts)
    numbers = np.where(np.arange(terms) < terms - 1, np.arange(terms), -1)
    return StatedTerms(patterns, numbers)


def make(matrix: np.ndarray, seed: int = 0, **more: object) -> Pairs:
    rng = np.random.default_rng(seed)
    n, d = matrix.shape
    q, p = all_pairs(n)
    terms = TermArrays(
        matrix,
        skipgram=rng.normal(size=(n, 4)),
        frequencies=rng.integers(1, 100, n),
        context_counts=csr_array(rng.integers(0, 4, (d, d)).astype(float)),
        gaussians=some_gaussians(n, seed),
        stated=some_stated(n, seed),
    )
    return Pairs(terms, q, p, **more)


# ---- slow twins: one pair at a time, straight from the formulas ---------------------------------------------------


def entropy(x: np.ndarray) -> float:
    d = x[x > 0] / x.sum() if x.sum() > 0 else np.zeros(0)
    return float(-(d * np.log(d)).sum())


def cosine(x: np.ndarray, y: np.ndarray) -> float:
    below = np.linalg.norm(x) * np.linalg.norm(y)
    return float(x @ y / below) if below else 0.0


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def ranked(x: np.ndarray) -> list[int]:
    return [i for i in sorted(range(len(x)), key=lambda i: (-x[i], i)) if x[i] > 0]


def ap_inc(q: np.ndarray, p: np.ndarray) -> float:
    fq, fp = ranked(q), ranked(p)
    if not fq or not fp:
        return 0.0
    total = 0.0
    for r in range(1, len(fq) + 1):
        precision = sum(f in fp for f in fq[:r]) / r
        rel = 1 - (fp.index(fq[r - 1]) + 1) / (len(fp) + 1) if fq[r - 1] in fp else 0.0
        total += precision * rel
    return total / len(fq)


def lin(q: np.ndarray, p: np.ndarray) -> float:
    both = (q > 0) & (p > 0)
    return share((q + p)[both].sum(), q.sum() + p.sum())


def ap_syn(q: np.ndarray, p: np.ndarray, n: int = 1000) -> float:
    fq, fp = ranked(q)[:n], ranked(p)[:n]
    return sum(2 / (fq.index(f) + 1 + fp.index(f) + 1) for f in fq if f in fp)


def al1_value(a: float, q: np.ndarray, p: np.ndarray, w0: float) -> float:
    return float((w0 * np.maximum(a * q - p, 0) + np.maximum(p - a * q, 0)).sum())


def al1_breakpoints(q: np.ndarray, p: np.ndarray, w0: float = 5.0) -> float:
    """The smallest loss over all break points: the minimum of a convex piecewise linear function is at one of them."""
    if q.sum() == 0 or p.sum() == 0:
        return 1.0
    d_q, d_p = q / q.sum(), p / p.sum()
    points = [0.0, *(d_p[d_q > 0] / d_q[d_q > 0])]
    return min(al1_value(a, d_q, d_p, w0) for a in points)


def al1_linprog(q: np.ndarray, p: np.ndarray, w0: float = 5.0) -> float:
    d_q, d_p = q / q.sum(), p / p.sum()
    n = len(d_q)
    # minimise w₀·Σu + Σv over a, u, v ≥ 0 with u ≥ a·d_q − d_p and v ≥ d_p − a·d_q
    cost = np.concatenate([[0.0], np.full(n, w0), np.ones(n)])
    over = np.hstack([d_q[:, None], -np.eye(n), np.zeros((n, n))])
    under = np.hstack([-d_q[:, None], np.zeros((n, n)), -np.eye(n)])
    found = linprog(cost, A_ub=np.vstack([over, under]), b_ub=np.concatenate([d_p, -d_p]), options=TIGHT)
    return float(found.fun)


TWINS = {
    "C": cosine,
    "ΔS": lambda q, p: p.sum() - q.sum(),
    "ΔQ": lambda q, p: np.linalg.norm(p) - np.linalg.norm(q),
    "ΔE": lambda q, p: entropy(p) - entropy(q),
    "C·ΔS": lambda q, p: cosine(q, p) * (p.sum() - q.sum()),
    "C·ΔQ": lambda q, p: cosine(q, p) * (np.linalg.norm(p) - np.linalg.norm(q)),
    "C·ΔE": lambda q, p: cosine(q, p) * (entropy(p) - entropy(q)),
    "Weeds": lambda q, p: share(q[p > 0].sum(), q.sum()),
    "CDE": lambda q, p: share(np.minimum(q, p).sum(), q.sum()),
    "rWeeds": lambda q, p: share(p[q > 0].sum(), p.sum()),
    "rCDE": lambda q, p: share(np.minimum(q, p).sum(), p.sum()),
    "invCL": lambda q, p: np.sqrt(
        max(share(np.minimum(q, p).sum(), q.sum()) * (1 - share(np.minimum(q, p).sum(), p.sum())), 0.0)
    ),
    "AL₁": lambda q, p: -al1_breakpoints(q, p),
    "cosWeeds": lambda q, p: np.sqrt(cosine(q, p) * share(q[p > 0].sum(), q.sum())),
    "Lin": lin,
    "APinc": ap_inc,
    "balAPinc": lambda q, p: np.sqrt(lin(q, p) * ap_inc(q, p)),
    "APSyn": ap_syn,
    "SLQS Row": lambda q, p: 1 - entropy(q) / entropy(p) if entropy(p) > 0 else -1.0,
}


@TIMES
@given(seed=st.integers(0, 10_000), filled=st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_every_score_agrees_with_its_twin_on_dense_and_sparse_rows(seed: int, filled: float) -> None:
    matrix = random_rows(seed, filled=filled)
    dense, sparse = make(matrix), make(csr_array(matrix))
    for name, twin in TWINS.items():
        values = get(name)(dense)
        expected = [twin(matrix[i], matrix[j]) for i, j in zip(dense.q, dense.p, strict=True)]
        np.testing.assert_allclose(values, expected, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(values, get(name)(sparse), atol=1e-12, err_msg=name)


@TIMES
@given(seed=st.integers(0, 10_000), w0=st.sampled_from([0.1, 1.0, 5.0, 20.0]), width=st.sampled_from([5, 40, 150]))
def test_al1_agrees_with_the_break_points_on_short_and_long_rows(seed: int, w0: float, width: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.gamma(0.5, size=(6, width)) * (rng.random((6, width)) < 0.7)
    pairs = make(matrix)
    values = get(f"AL1:w0={w0}")(pairs)
    expected = [-al1_breakpoints(matrix[i], matrix[j], w0) for i, j in zip(pairs.q, pairs.p, strict=True)]
    np.testing.assert_allclose(values, expected, atol=1e-9)


@pytest.mark.parametrize("width", [6, 60])
def test_al1_agrees_with_a_linear_programming_solver(width: int) -> None:
    rng = np.random.default_rng(width)
    # mostly shared dimensions: where little is shared every distance is 1 and nothing is tested
    matrix = rng.gamma(1.0, size=(7, width)) * (rng.random((7, width)) < 0.97)
    pairs = make(matrix)
    expected = np.array([-al1_linprog(matrix[i], matrix[j]) for i, j in zip(pairs.q, pairs.p, strict=True)])
    np.testing.assert_allclose(get("AL1")(pairs), expected, rtol=0, atol=1e-9)
    assert ((expected > -0.99) & (expected < -0.01)).sum() > 20


def test_al1_of_zero_disjoint_and_identical_vectors() -> None:
    rows = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 3.0], [10.0, 20.0, 0.0]])
    pairs = Pairs(rows, q=[0, 1, 1, 1, 1], p=[1, 0, 2, 1, 3])
    np.testing.assert_allclose(get("AL1")(pairs), [-1, -1, -1, 0, 0], atol=1e-12)


def test_released_al1_is_too_small_by_the_mass_outside() -> None:
    q, p = np.array([8.0, 1.0, 1.0]) / 10, np.array([1.0, 1.0, 0.0]) / 2
    pairs = Pairs(np.array([q, p]), q=[0], p=[1])
    a = (p / q)[:2].min()
    full = al1_value(a, q, p, 5.0)
    assert get("AL1")(pairs)[0] == pytest.approx(-full)
    assert get("AL1:released=true")(pairs)[0] == pytest.approx(-(full - 5 * a * 0.1))


def test_slqs_uses_the_median_entropy_of_the_strongest_contexts() -> None:
    matrix = random_rows(3)
    pairs = make(matrix)
    counts = pairs.context_counts.csr.toarray()
    entropies = np.array([entropy(row) for row in counts])

    def e(x: np.ndarray, n: int) -> float:
        top = ranked(x)[:n]
        return float(np.median(entropies[top])) if top else 0.0

    for n in (1, 2, 100):
        expected = [e(matrix[j], n) - e(matrix[i], n) for i, j in zip(pairs.q, pairs.p, strict=True)]
        np.testing.assert_allclose(get(f"SLQS Sub:n={n}")(pairs), expected, atol=1e-12)
    many = np.random.default_rng(0).random((3, 130)) + 0.1
    wide = Pairs(TermArrays(many, context_counts=np.random.default_rng(1).random((130, 40)) ** 4), [0, 1], [2, 0])
    default, hundred, fewer = (get(name)(wide) for name in ("SLQS Sub", "SLQS Sub:n=100", "SLQS Sub:n=90"))
    assert default.tolist() == hundred.tolist() != fewer.tolist()
    assert get("SLQS")(wide).tolist() == get("SLQS:n=100")(wide).tolist() != get("SLQS:n=90")(wide).tolist()
    ratio = get("SLQS")(pairs)
    expected = [
        1 - e(matrix[i], 100) / e(matrix[j], 100) if e(matrix[j], 100) > 0 else -1.0
        for i, j in zip(pairs.q, pairs.p, strict=True)
    ]
    np.testing.assert_allclose(ratio, expected, atol=1e-12)


def test_rctc_follows_its_definition() -> None:
    matrix = random_rows(5, rows=8, columns=30, filled=0.5)
    pairs = make(matrix, seed=2)
    counts = pairs.context_counts.csr.toarray()
    sums, grand = counts.sum(axis=1), counts.sum()

    def coherence(top: list[int]) -> float:
        values = [
            max(np.log(counts[i, j] * grand / (sums[i] * sums[j])), 0.0) if counts[i, j] else 0.0
            for at, i in enumerate(top)
            for j in top[at + 1 :]
        ]
        return float(np.median(values)) if values else 0.0

    def expected(q: np.ndarray, p: np.ndarray, n: int = 4) -> float:
        tq, tp = ranked(q), ranked(p)
        parts = [
            coherence(tq[:n]),
            coherence([c for c in tq if c not in tp][:n]),
            coherence(tp[:n]),
            coherence([c for c in tp if c not in tq][:n]),
        ]
        return share(share(parts[0], parts[1]), share(parts[2], parts[3]))

    values = get("RCTC:n=4")(pairs)
    np.testing.assert_allclose(
        values, [expected(matrix[i], matrix[j]) for i, j in zip(pairs.q, pairs.p, strict=True)], atol=1e-9
    )
    assert (values > 0).any()


@TIMES
@given(seed=st.integers(0, 10_000))
def test_gathered_rows_are_means_in_dense_and_sparse_spaces(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_rows(seed, rows=8).astype(np.float32)
    words = [f"w{i}" for i in range(8)]
    terms = [[f"w{i}" for i in rng.integers(0, 9, rng.integers(1, 4))] for _ in range(20)]  # w8 is missing
    expected = [
        np.mean([matrix[int(word[1:])] for word in term], axis=0) if "w8" not in term else np.zeros(9) for term in terms
    ]
    for form in (matrix, csr_array(matrix)):
        space = VectorSpace(words, form, frequencies=np.ones(8), kind="dive")
        rows = Rows(space.means(space.vocabulary.look_up(terms, lemmas=False)))
        np.testing.assert_allclose(rows.csr.toarray(), expected, atol=1e-6)
        assert rows.csr.has_canonical_format


def test_means_of_phrases_are_those_of_64_bits() -> None:
    rng = np.random.default_rng(3)
    matrix = (rng.random((30, 20)) * (rng.random((30, 20)) < 0.6)).astype(np.float32)
    words = [f"w{i}" for i in range(30)]
    terms = [[words[i] for i in rng.integers(0, 30, 1 + number % 3)] for number in range(40)]
    exact = np.array([matrix[[words.index(word) for word in term]].astype(np.float64).mean(axis=0) for term in terms])
    for form in (matrix, csr_array(matrix)):
        space = VectorSpace(words, form, frequencies=np.ones(30), kind="dive")
        gathered = space.means(space.vocabulary.look_up(terms, lemmas=False))
        dense = gathered if isinstance(gathered, np.ndarray) else gathered.toarray()
        np.testing.assert_allclose(dense, exact, rtol=1e-15, atol=0)
        single = space.means(space.vocabulary.look_up([[word] for word in words], lemmas=False))
        assert single.dtype == space.matrix.dtype  # without a phrase nothing is converted


def test_pairs_have_the_same_scores_alone_and_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are compared in blocks; a score belongs to its pair, wherever the cut is."""
    pairs = make(random_rows(1, rows=30, columns=40))
    usable = [score for score in table() if not score.missing(pairs)]
    assert len(usable) > 25
    whole = {score.name: score(pairs) for score in usable}
    monkeypatch.setattr("hyperdive.scores.pairs._ENTRIES", 100)
    for score in usable:
        fresh = Pairs(pairs.terms, pairs.q, pairs.p)
        np.testing.assert_allclose(score(fresh), whole[score.name], atol=1e-12, err_msg=score.name)


@pytest.mark.parametrize(
    ("name", "parts"), [("S", 6.0), ("Q", 4.0), ("E", math.log(7) - (3 * math.log(3) + 4 * math.log(4)) / 7)]
)
def test_products_by_hand(name: str, parts: float) -> None:
    """C is 3/5 and W is -4/5; the sums are 1 and 7, the lengths 1 and 5."""
    data = TermArrays([[1.0, 0.0], [3.0, 4.0]], skipgram=[[1.0, 0.0], [-4.0, 3.0]])
    pairs = Pairs(data, [0], [1])
    assert get(f"Δ{name}")(pairs).tolist() == pytest.approx([parts])
    assert get(f"C·Δ{name}")(pairs).tolist() == pytest.approx([0.6 * parts])
    assert get(f"W·Δ{name}")(pairs).tolist() == pytest.approx([-0.8 * parts])


def test_sparse_and_dense_skipgram_vectors_have_the_same_w() -> None:
    matrix = random_rows(4) - random_rows(5)
    q, p = all_pairs(12)
    dense, sparse = (Pairs(TermArrays(matrix, skipgram=form), q, p) for form in (matrix, csr_array(matrix)))
    expected = [cosine(matrix[i], matrix[j]) for i, j in zip(q, p, strict=True)]
    np.testing.assert_allclose(get("W")(dense), expected, atol=1e-12)
    np.testing.assert_allclose(get("W")(sparse), expected, atol=1e-12)


def test_a_word_that_the_text_does_not_have_is_as_rare_as_one_it_has_once() -> None:
    pairs = Pairs(TermArrays(np.ones((3, 1)), frequencies=[0, 1, 2]), [0, 1, 0], [1, 2, 2])
    assert get("Frequency")(pairs).tolist() == pytest.approx([0.0, math.log(2), math.log(2)])
    assert get("Frequency:power=1")(pairs).tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", [0, 1])
def test_random_numbers_are_splitmix64_of_the_place_and_the_seed(seed: int) -> None:
    def mixed(state: int) -> float:
        state = state * 0x9E3779B97F4A7C15 % 2**64
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ state >> 27) * 0x94D049BB133111EB % 2**64
        return ((state ^ state >> 31) >> 11) / 2**53

    values = get(f"Random:seed={seed}")(Pairs(np.eye(2), np.zeros(50, dtype=int), np.ones(50, dtype=int)))
    assert values.tolist() == [mixed((place + seed * 0xD1342543DE82EF95) % 2**64) for place in range(1, 51)]


def test_apsyn_looks_at_a_thousand_features_unless_told_otherwise() -> None:
    """Two rows of 1002 features in the same order: the sum of 1/r."""
    rows = np.arange(1002.0, 0.0, -1.0)
    pairs = Pairs(np.array([rows, 2 * rows]), [0], [1])
    for name, many in (("APSyn", 1000), ("APSyn:n=1001", 1001), ("APSyn:n=2", 2)):
        assert get(name)(pairs)[0] == pytest.approx(sum(1 / r for r in range(1, many + 1)), rel=1e-9)


def test_rctc_looks_at_twenty_contexts_unless_told_otherwise() -> None:
    """Two topics of thirty contexts each, of which both words have some of the other's."""
    rng = np.random.default_rng(0)
    counts = np.kron(np.eye(2), np.ones((30, 30))) * rng.integers(5, 10, (60, 60))
    rows = rng.random((2, 60)) + 0.1
    rows[0, 36:] = rows[1, :24] = 0
    pairs = Pairs(TermArrays(rows, context_counts=counts), [0, 1], [1, 0])
    default, twenty, more = (get(name)(pairs).tolist() for name in ("RCTC", "RCTC:n=20", "RCTC:n=21"))
    assert default == twenty != more


def test_scaled_slqs_of_entropies_that_differ_little_or_not_at_all() -> None:
    rows = np.eye(2)
    near = np.array([[1.0, 1, 0, 0], [1, 1, 1, 1]])  # log 2 and 2·log 2
    pairs = Pairs(TermArrays(rows, context_counts=near), [0, 1], [1, 0])
    assert get("SLQS")(pairs).tolist() == pytest.approx([0.5, -1.0])
    assert get("SLQS:scaled=true")(pairs).tolist() == pytest.approx([1.0, -1.0])
    same = Pairs(TermArrays(rows, context_counts=np.ones((2, 4))), [0, 1], [1, 0])
    assert get("SLQS:scaled=true")(same).tolist() == get("SLQS")(same).tolist() == [0.0, 0.0]


# ---- rows ---------------------------------------------------------------------------------------------------------


def test_rows_are_read_without_zeros_and_in_the_order_of_columns() -> None:
    rows = Rows(csr_array((np.array([3.0, 0.0, 2.0, 5.0]), np.array([2, 1, 0, 1]), np.array([0, 3, 4])), shape=(2, 3)))
    assert rows.csr.indices.tolist() == [0, 2, 1] and rows.csr.data.tolist() == [2.0, 3.0, 5.0]
    assert rows.sizes.tolist() == [2, 1]
    nothing = Rows(csr_array((np.array([0.0]), np.array([1]), np.array([0, 1])), shape=(1, 3)))
    assert nothing.sizes.tolist() == [0] and nothing.nonnegative


@pytest.mark.parametrize(
    ("matrix", "nonnegative"),
    [([[-1.0]], False), ([[0.25]], True), ([[-0.5, 3.0]], False), ([[0.0, 0.0]], True), ([[0.0, 2.0]], True)],
)
def test_one_entry_below_zero_is_enough(matrix: list[list[float]], nonnegative: bool) -> None:
    assert Rows(np.array(matrix)).nonnegative is nonnegative
    assert Rows(csr_array(np.array(matrix))).nonnegative is nonnegative


# ---- arrays as terms ----------------------------------------------------------------------------------------------


def test_arrays_have_no_names_and_so_no_heads() -> None:
    data = TermArrays(np.eye(3))
    assert not (data.own_frequencies.any() or data.has_confidence)
    assert Pairs(data, [0, 1], [0, 0]).is_head.tolist() == [False, False]
    with pytest.raises(InputError, match="confidence needs patterns"):
        get("confidence")(Pairs(data, [0], [1]))
