"""The confidence: every value against a slow twin of its formula, and what a user may rely on."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from hyperdive import Model, load
from hyperdive.errors import InputError, OptionError
from hyperdive.patterns.definitions import OF_A_NAME
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import Pairs
from hyperdive.scores.confidence import UNSUPPORTED, WEIGHTS, head_confidence
from hyperdive.scores.pairs import TermArrays
from hyperdive.spaces.space import VectorSpace
from hyperdive.taxonomy.edge_weights import edge_confidence

CLASSES = 40
NAMES = [f"{first}{second}{third}o" for first in "bdfgklmnpt" for second in "aei" for third in "kltvz"]
PHRASES = [f"old {NAMES[n]}" for n in (0, 3, 5, 41, 60, 99, 149)]


def random_model(seed: int, statements: int = 900, dimensions: int = 6, often: int = 60) -> Model:
    """Terms that are stated to be kinds of the first forty; phrases of which patterns name some."""
    rng = np.random.default_rng(seed)
    terms = [*NAMES, *PHRASES[:5]]
    patterns = ["such-as", "is a", f"such-as{OF_A_NAME}"]
    q, p = rng.integers(0, len(terms), statements), rng.integers(0, CLASSES, statements)
    p[rng.random(statements) < 0.05] = 150  # a phrase is a class, too
    keys = np.unique(pack(q[q != p], p[q != p], rng.integers(0, 3, int((q != p).sum()))))
    stated = Patterns(terms, patterns, keys, rng.integers(1, 9, len(keys)))
    words = [*NAMES[:140], *PHRASES]  # some that patterns name have no vector
    frequencies = rng.integers(1, often, len(words))
    dive = np.abs(rng.normal(size=(len(words), 5))) * (rng.random((len(words), 5)) < 0.5)
    near = rng.normal(size=(len(words), dimensions)) + 0.7
    return Model(
        VectorSpace(words, dive, frequencies=frequencies, kind="dive"),
        skipgram=VectorSpace(words, near, frequencies=frequencies, kind="skipgram"),
        patterns=stated,
    )


class Twin:
    """The formulas of docs/explanation/confidence.md, a pair at a time."""

    def __init__(self, model: Model) -> None:
        patterns, skipgram = model.patterns, model.skipgram
        assert patterns is not None and skipgram is not None
        self.model, self.patterns = model, patterns
        self.counts, self.ppmi = patterns.counts.toarray(), patterns.ppmi.toarray().astype(np.float64)
        self.variety, self.named = patterns.variety.toarray(), patterns.named.toarray()
        self.below, self.above, self.total = patterns.totals
        vectors = np.asarray(skipgram.matrix, dtype=np.float64)
        self.unit = dict(zip(skipgram.words, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True))

    def number(self, term: str) -> int:
        return self.patterns.numbers.get(term, -1)

    def at(self, matrix: np.ndarray, x: int, y: int) -> float:
        return float(matrix[x, y]) if x >= 0 and y >= 0 else 0.0

    def rows(self, q: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A(q, ·), A₂₀(q, ·) and B(q, ·)."""
        own = self.number(q)
        named = [n for n, term in enumerate(self.patterns.terms) if self.below[n] > 0 and term in self.unit]
        cosine = {n: 0.0 if n == own else float(self.unit[self.patterns.terms[n]] @ self.unit[q]) for n in named}
        nearest = sorted(named, key=lambda n: -cosine[n])[:100]
        weights = {n: max(cosine[n], 0.0) ** 2 * min(self.below[n], 5) / 5 for n in nearest}
        every, few = (
            sum(weights[n] * self.ppmi[n] for n in voters) / max(sum(weights[n] for n in voters), 1e-9)
            for voters in (nearest, nearest[:20])
        )
        likely = every + 0.3 * self.ppmi[own] if own >= 0 else every
        inherited, parents = np.zeros(len(self.below)), np.argsort(-likely, kind="stable")[:30]
        for h in parents:
            inherited += likely[h] * min(self.below[h], 10) / 10 * self.counts[h] / max(self.below[h], 1)
        return every, few, np.sqrt(inherited / max(likely[parents].sum(), 1e-9))

    def sum(self, q: str, p: str, weights: Any = WEIGHTS) -> tuple[float, bool]:
        """The weighted sum, and whether only similarity speaks for the pair."""
        x, y = self.number(q), self.number(p)
        every, few, inherited = (0.0 if y < 0 else float(row[y]) for row in self.rows(q))
        stated, is_head = self.at(self.counts, x, y), q.endswith(f" {p}")
        of_head = self.at(self.counts, self.number(q.split()[-1]) if " " in q else -1, y)
        sums = {term: float(np.asarray(self.model.dive[term]).sum()) for term in (q, p)}
        both, often = sums[q] + sums[p], self.model.dive.frequency
        unstated = " " in p and not is_head and stated == 0 and every < 1
        of_names = self.at(self.named, x, y) / max(stated, 1) * (1 - (self.patterns.named_shares[x] if x >= 0 else 0))
        total = (
            weights.stated * np.log1p(stated)
            + weights.surprising * self.at(self.ppmi, x, y)
            + weights.variety * self.at(self.variety, x, y)
            + weights.of_names * of_names
            + weights.stated_back * np.log1p(self.at(self.counts, y, x))
            + weights.nearest * few
            + weights.inherited * min(inherited, 0.3)
            + weights.similar * max(float(self.unit[q] @ self.unit[p]), 0.0)
            + weights.general * ((sums[p] - sums[q]) / both if both else 0.0)
            + weights.hyponyms * np.log1p((self.counts[:, y] > 0).sum() if y >= 0 else 0)
            + weights.head * is_head
            + weights.stated_of_head * np.log1p(of_head)
            + weights.stated_head * np.log1p(self.at(self.counts, x, self.number(p.split()[-1]) if " " in p else -1))
            + weights.statements * np.log1p(self.below[x] if x >= 0 else 0)
            + weights.class_of_others * np.log1p(self.above[x] if x >= 0 else 0)
            + weights.frequency * np.log1p(often(q))
            + weights.hypernym_frequency * np.log1p(often(p))
            + weights.unstated * unstated
        )
        others = inherited > 0 or of_head > 0
        return float(total), stated == 0 and not is_head and every <= 0 and (" " in p or not others)

    def confidence(self, q: str, p: str) -> float:
        total, unsupported = self.sum(q, p)
        head = p.split()[-1]
        if " " in p and not q.endswith(f" {p}") and head != q and head in self.unit:
            total = min(total, self.sum(q, head)[0])
        start = WEIGHTS.intercept + 0.3 * min(max(np.log(773_674 / self.total), 0), 1)
        value = 1 / (1 + np.exp(-(0.83 * total + start)))
        value = min(value, 0.15) if unsupported else value
        if q.endswith(f" {p}"):
            cosine, stated = max(float(self.unit[q] @ self.unit[p]), 0.0), self.number(q) >= 0
            silent = self.at(self.counts, self.number(q) if stated else self.number(p), self.number(p)) == 0
            if self.model.dive.frequency(q) >= 20 and silent and cosine < 0.4:
                value = min(value, 0.9 * cosine / 0.8)
        return float(value)


@pytest.mark.parametrize(
    ("seed", "statements", "dimensions", "often"),
    [(0, 900, 6, 60), (1, 60, 6, 60), (2, 4000, 4, 3000), (3, 900, 200, 60), (4, 12, 2, 25)],
)
def test_every_value_is_that_of_the_formula(seed: int, statements: int, dimensions: int, often: int) -> None:
    model = random_model(seed, statements, dimensions, often)
    twin, rng = Twin(model), np.random.default_rng(seed)
    words = list(model.words)
    asked = [(*rng.choice(words[:60], 1), *rng.choice(words[:CLASSES], 1)) for _ in range(120)]
    asked += [
        (q, p) for q in (*PHRASES, NAMES[3], NAMES[7]) for p in (NAMES[3], NAMES[0], NAMES[41], *PHRASES[:3]) if q != p
    ]
    asked += [(phrase, phrase.split()[-1]) for phrase in PHRASES if phrase.split()[-1] in words]
    values = model.score([q for q, _ in asked], [p for _, p in asked], "confidence")
    expected = [twin.confidence(q, p) for q, p in asked]
    np.testing.assert_allclose(values, expected, atol=2e-6)
    assert ((values >= 0) & (values < 1)).all()


def test_a_pair_has_the_same_confidence_alone_and_among_many() -> None:
    model = random_model(5)
    q, p = list(model.words[:130]), list(model.words[CLASSES - 1 :: -1]) * 4
    many = model.score(q, p[:130], "confidence")
    alone = [model.score(one, other, "confidence") for one, other in zip(q, p, strict=False)]
    np.testing.assert_allclose(many, alone, atol=1e-6)
    assert model.score(q, p[:130], "confidence").tobytes() == many.tobytes()
    assert len(model.score([], [], "confidence")) == 0


def test_what_a_word_is_without_a_single_statement_of_it() -> None:
    """Nobody says what a plane is, but it stands beside hammer and saw."""
    words = ["animal", "dog", "cat", "poodle", "tool", "hammer", "saw", "plane"]
    stated = Patterns(words, ["such-as"], pack([1, 2, 3, 5, 6], [0, 0, 1, 4, 4], [0] * 5), [5, 4, 2, 5, 3])
    near = [[2, 0], [3, 0.1], [3, 0.2], [3, 0], [0, 2], [0.1, 3], [0.2, 3], [0, 3]]
    dive = [[9, 1], [4, 0], [4, 0], [1, 0], [1, 9], [0, 4], [0, 4], [0, 3]]
    dive, skipgram = (
        VectorSpace(words, rows, frequencies=np.arange(80, 0, -10), kind=kind)
        for rows, kind in ((dive, "dive"), (near, "skipgram"))
    )
    model = Model(dive, skipgram=skipgram, patterns=stated)
    dog, plane, back, other = model.score(
        ["dog", "plane", "animal", "plane"], ["animal", "tool", "dog", "animal"], "confidence"
    )
    assert dog > plane > max(back, other) > 0
    assert other <= UNSUPPORTED >= back
    [answer] = model.hypernyms("plane", 1, min_confidence=0.0)
    assert (answer.term, answer.confidence) == ("tool", pytest.approx(plane, abs=1e-6))
    with pytest.raises(InputError, match="confidence needs patterns and skip-gram vectors together"):
        Model(model.dive, skipgram=model.skipgram).score("dog", "animal", "confidence")


@pytest.mark.parametrize("seed", range(3))
def test_a_phrase_is_never_surer_than_its_head(seed: int) -> None:
    model = random_model(seed)
    q = [word for word in model.words if " " not in word]
    for phrase in PHRASES[:3]:
        head = phrase.split()[-1]
        words = [word for word in q if word != head]
        broad, plain = (model.score(words, [p] * len(words), "confidence") for p in (phrase, head))
        supported = plain > UNSUPPORTED
        assert (broad[supported] <= plain[supported] + 1e-9).all() and supported.any()


def test_threads_that_ask_at_once_get_their_own_neighbours() -> None:
    model = random_model(6)
    words = list(model.words[60:84])
    alone = [[(answer.term, answer.confidence) for answer in model.hypernyms(word)] for word in words]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            together = pool.map(lambda word: [(one.term, one.confidence) for one in model.hypernyms(word)], words)
            assert list(together) == alone


@pytest.mark.parametrize("named", ["animal", "instrument", "city"])
def test_the_first_hyponyms_are_those_of_scoring_all(named: str) -> None:
    model = load("en-wiki")
    candidates = [word for word in model.words[200:3200] if word.isalpha() and word != named]
    values = model.score(candidates, [named] * len(candidates), "confidence")
    expected = sorted(zip(-values, candidates, strict=True))[:10]
    found = model.hyponyms(named, candidates=candidates)
    assert [answer.term for answer in found] == [word for value, word in expected if -value >= 0.35]


@pytest.mark.parametrize("part", ["dive", "patterns"])
def test_without_a_part_the_part_plays_none(part: str) -> None:
    model = random_model(7)
    q, p = list(model.words[50:120]), [model.words[n % CLASSES] for n in range(70)]
    space, patterns = model.dive, model.patterns
    if part == "dive":
        space = VectorSpace(space.words, np.flipud(space.matrix), frequencies=space.frequencies, kind="dive")
    else:
        patterns = random_model(8).patterns
    other = Model(space, skipgram=model.skipgram, patterns=patterns)
    whole, without = (
        [one.score(q, p, name) for one in (model, other)] for name in ("confidence", f"confidence:without={part}")
    )
    assert np.abs(whole[0] - whole[1]).max() > 1e-3
    np.testing.assert_allclose(*without, atol=1e-6)
    assert np.abs(whole[0] - without[0]).max() > 0.01


def test_without_neighbours_nothing_is_read_of_them() -> None:
    class Alone(Twin):
        def rows(self, q: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            none = np.zeros(len(self.below))
            return none, none, none

    model = random_model(7)
    q, p = [*model.words[50:120], *PHRASES], [model.words[n % CLASSES] for n in range(77)]
    values, twin = model.score(q, p, "confidence:without=neighbours"), Alone(model)
    np.testing.assert_allclose(values, [twin.confidence(*pair) for pair in zip(q, p, strict=True)], atol=1e-6)
    assert np.abs(values - model.score(q, p, "confidence")).max() > 0.01


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(OptionError, match=r"no part called 'sums'.*dive, neighbours, patterns"):
        random_model(0).score(NAMES[50], NAMES[0], "confidence:without=sums")


@pytest.mark.parametrize(
    ("frequency", "cosine", "expected"), [(20, 0.3, 0.3375), (19, 0.3, 0.9), (20, 0.4, 0.9), (500, -0.2, 0.0)]
)
def test_heads_are_doubted_in_other_company(frequency: int, cosine: float, expected: float) -> None:
    vectors = [[1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]]
    pairs = Pairs(TermArrays(vectors, skipgram=vectors, frequencies=[900, frequency]), [1], [0])
    assert head_confidence(pairs)[0] == pytest.approx(expected)
    alone = Pairs(TermArrays(vectors, frequencies=[900, frequency]), [1], [0])
    assert head_confidence(alone)[0] == 0.9


def test_a_hot_dog_that_is_called_a_dog_is_one() -> None:
    words = ["dog", "hot dog", "animal"]
    vectors = [[1.0, 0.0], [0.1, 1.0], [1.0, 0.5]]
    spaces = {kind: VectorSpace(words, vectors, frequencies=[900, 87, 50], kind=kind) for kind in ("dive", "skipgram")}
    said = Patterns(words, ["is a"], pack([0, 1], [2, 0], [0, 0]), [9, 3])
    silent = Patterns(words, ["is a"], pack([0, 1], [2, 2], [0, 0]), [9, 3])
    sure, doubted = (
        Model(spaces["dive"], skipgram=spaces["skipgram"], patterns=one).score("hot dog", "dog", "confidence")
        for one in (said, silent)
    )
    assert sure > 0.8 and doubted < 0.15


@pytest.mark.parametrize("seed", range(2))
def test_the_confidence_of_an_edge_is_that_of_its_formula(seed: int) -> None:
    model = random_model(seed)
    twin, words = Twin(model), list(model.words)
    from hyperdive.ask.question import Question

    asked = (NAMES[60], PHRASES[3])
    question = Question(model, asked)
    for number, term in enumerate(asked):
        rows = np.arange(CLASSES)
        values = edge_confidence(question.upwards(number, rows))
        every = twin.rows(term)[2]
        for row, value in zip(rows.tolist(), values, strict=True):
            q, p = term, words[row]
            x, y = twin.number(q), twin.number(p)
            sums = (
                0.14 * twin.at(twin.ppmi, x, y)
                - 0.2 * np.log1p(twin.at(twin.counts, y, x))
                + 0.24 * every[y]
                + 1.35 * max(float(twin.unit[q] @ twin.unit[p]), 0.0)
                + 0.014 * np.log1p(twin.above[y])
            )
            kind = twin.confidence(q, p)
            expected = 1 / (1 + np.exp(-(2.8 * sums + 0.535 * np.log(kind / (1 - kind)) - 4.13)))
            assert value == pytest.approx(min(expected, UNSUPPORTED) if twin.sum(q, p)[1] else expected, abs=1e-5)


def test_a_question_loads_no_compiler() -> None:
    code = "\n".join(
        (
            "import sys",
            "from hyperdive.cli.main import main",
            "assert main(['hypernyms', 'poodle']) == 0",
            "print([name for name in ('numba', 'pandas', 'simplemma') if name in sys.modules])",
        )
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stderr
