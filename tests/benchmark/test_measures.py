"""Measures against slow twins: shuffles, loops straight from the definitions, and other libraries."""

from __future__ import annotations

import math
import zlib
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from hyperdive.benchmark import bootstrap
from hyperdive.benchmark.datasets import Dataset
from hyperdive.benchmark.evaluation import Scored
from hyperdive.benchmark.measures import (
    Direction,
    TiedOrder,
    average_precision,
    average_precision_at,
    cross_validated,
    directionality,
    mean_ranks,
    micro_average,
    rank,
    separation,
    spearman,
)
from hyperdive.errors import InputError

TIMES = settings(max_examples=40, deadline=None)


def plain_ap(labels: np.ndarray) -> float:
    """AP of a list without ties, by the definition."""
    hits, total = 0, 0.0
    for place, positive in enumerate(labels, start=1):
        hits += positive
        total += hits / place if positive else 0.0
    return total / hits


def toy(seed: int, n: int = 40, levels: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    labels[0] = True
    return rng.integers(0, levels, n).astype(float), labels, rng.random(n) < 0.8


@pytest.mark.parametrize("seed", range(3))
def test_ap_is_the_mean_over_shuffled_ties(seed: int) -> None:
    scores, labels, known = toy(seed)
    rng = np.random.default_rng(0)
    values = [
        plain_ap(labels[np.lexsort((rng.random(len(labels)), -np.where(known, scores, 0), ~known))])
        for _ in range(4000)
    ]
    error = np.std(values) / math.sqrt(len(values))
    assert average_precision(scores, labels, known) == pytest.approx(np.mean(values), abs=5 * error)


@TIMES
@given(seed=st.integers(0, 10_000))
def test_ap_without_ties_is_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, labels = rng.permutation(50).astype(float), rng.random(50) < 0.3
    labels[0] = True
    assert average_precision(scores, labels) == pytest.approx(plain_ap(labels[np.argsort(-scores)]))


@pytest.mark.parametrize(("n", "positives"), [(10, 3), (1000, 50), (5, 5)])
def test_a_constant_score_gives_the_uniform_value(n: int, positives: int) -> None:
    labels = np.arange(n) < positives
    # E[AP] of a random order = (1/n)·Σ_k [(P−1)/(n−1)·(k−1) + 1]/k
    k = np.arange(1, n + 1)
    expected = float(((((positives - 1) / (n - 1)) * (k - 1) + 1) / k).mean())
    assert average_precision(np.full(n, 3.0), labels) == pytest.approx(expected)
    # all unknown is the same thing
    assert average_precision(np.arange(n), labels, np.zeros(n, dtype=bool)) == pytest.approx(expected)


def test_unknown_pairs_come_last_whatever_their_number() -> None:
    assert average_precision([9.0, -5.0], [True, False], known=[False, True]) == 0.5
    assert rank([np.nan, 1.0], known=[False, True]).order.tolist() == [1, 0]


def test_bad_rankings_are_refused() -> None:
    with pytest.raises(InputError, match="no pair is positive"):
        average_precision([1.0], [False])
    with pytest.raises(InputError, match="1 of 2 scores are not numbers"):
        average_precision([1.0, np.nan], [True, False])


@TIMES
@given(seed=st.integers(0, 10_000))
def test_spearman_agrees_with_scipy(seed: int) -> None:
    scores, _, known = toy(seed)
    gold = np.random.default_rng(seed + 1).integers(0, 7, len(scores)).astype(float)
    low = np.where(known, scores, -100.0)
    assert spearman(scores, gold, known) == pytest.approx(spearmanr(low, gold).statistic)


def test_mean_ranks_of_infinite_scores() -> None:
    assert mean_ranks([-np.inf, np.inf, 0.0]).tolist() == [1.0, 3.0, 2.0]


def test_ap_at_k_takes_the_top_list_alone() -> None:
    assert average_precision_at([4, 3, 2, 1], [True, False, False, True], 3) == 1.0
    assert average_precision_at([4, 3, 2, 1], [False, False, False, True], 3) == 0.0
    assert average_precision_at([1, 1], [True, False], 1) == pytest.approx(0.5, abs=0.15)
    assert average_precision_at([2, 1], [True, True], 100) == 1.0
    with pytest.raises(InputError):
        average_precision_at([1.0], [True], 0)


def slow_folds(scores: np.ndarray, labels: np.ndarray, folds: int, seed: int) -> tuple[float, float]:
    """The walk down the ranking, cut by cut."""
    rng = np.random.default_rng(seed)
    ranking = rank(scores)
    order = ranking.order[np.lexsort((rng.random(len(labels)), ranking.block))]
    fold = rng.permutation(np.arange(len(labels)) % folds)
    f1_total = accuracy_total = 0.0
    for j in range(folds):
        test = [i for i in order if fold[i] == j]
        best_f1, best_accuracy, f1, accuracy = 0.0, -1.0, 0.0, 0.0
        above_test: list[int] = []
        above_train: list[int] = []
        train = [i for i in order if fold[i] != j]
        for i in order:
            (above_test if fold[i] == j else above_train).append(i)
            if not labels[i]:
                continue

            def measures(above: list[int], everything: list[int]) -> tuple[float, float]:
                hits = sum(labels[k] for k in above)
                positives = sum(labels[k] for k in everything)
                right = hits + sum(not labels[k] for k in everything if k not in above)
                return 2 * hits / (len(above) + positives), right / len(everything)

            train_f1, train_accuracy = measures(above_train, train)
            if train_f1 > best_f1 and any(labels[k] for k in above_test):
                best_f1, f1 = train_f1, measures(above_test, test)[0]
            if train_accuracy > best_accuracy:
                best_accuracy, accuracy = train_accuracy, measures(above_test, test)[1]
        f1_total += len(test) * f1
        accuracy_total += len(test) * accuracy
    return f1_total / len(labels), accuracy_total / len(labels)


@pytest.mark.parametrize("seed", range(5))
def test_cross_validation_agrees_with_the_walk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.random(80) < 0.5
    scores = labels + rng.normal(size=80)
    found = cross_validated(scores, labels, folds=4, seed=seed)
    assert (found.f1, found.accuracy) == pytest.approx(slow_folds(scores, labels, 4, seed))


@pytest.mark.parametrize("seed", [2, 4, 6, 7, 8, 10])
def test_a_cut_above_all_positives_of_a_fold_is_skipped(seed: int) -> None:
    """The best cut of the other folds lies above all positives of one: these seeds differ where it is not skipped."""
    rng = np.random.default_rng(seed)
    labels = rng.random(40) < 0.3
    scores = 2 * labels + rng.normal(size=40)
    found = cross_validated(scores, labels, folds=5, seed=seed)
    assert (found.f1, found.accuracy) == pytest.approx(slow_folds(scores, labels, 5, seed))


def test_a_fold_without_positives_is_an_error() -> None:
    with pytest.raises(InputError, match="no positive pair"):
        cross_validated(np.arange(40.0), np.arange(40) < 2)


def test_directionality_guesses_the_undecided() -> None:
    found = directionality([1, 2, -1, 0, 9, 9], [1, 1, 1, 1, 1, 0], known=[1, 1, 1, 1, 0, 1])
    assert found == Direction(2, 1, 2)
    assert found.accuracy == pytest.approx(3 / 5)
    assert found.decided_accuracy == pytest.approx(2 / 3)
    assert found + found == Direction(4, 2, 4)


def test_micro_average_weighs_by_size() -> None:
    assert micro_average({"a": 1.0, "b": 3.0}, {"a": 3, "b": 1, "c": 99}) == 1.5


# ---- resampling ---------------------------------------------------------------------------------------------------


def scored(seed: int, *, graded: bool = False, n: int = 60) -> Scored:
    values, labels, known = toy(seed, n)
    gold = np.random.default_rng(seed).integers(0, 5, n).astype(float) if graded else labels.astype(float)
    numbers = np.arange(n)
    dataset = Dataset("toy", tuple(map(str, range(n))), numbers, numbers, gold, graded=graded)
    return Scored(dataset, "raw", known, 0, {"x": values})


@TIMES
@given(seed=st.integers(0, 10_000), graded=st.booleans())
def test_resampled_measures_are_those_of_the_repeated_rows(seed: int, graded: bool) -> None:
    one = scored(seed, graded=graded)
    values = bootstrap.replicates(one, 20, seed=3)["x"]
    counts = bootstrap.draws("toy", 60, 20, 3)
    for b in range(20):
        rows = np.repeat(np.arange(60), counts[b])
        if graded:
            expected = spearman(one.values["x"][rows], one.dataset.gold[rows], one.known[rows])
        else:
            expected = average_precision(one.values["x"][rows], one.dataset.labels[rows], one.known[rows])
        assert values[b] == pytest.approx(100 * expected)


@TIMES
@given(
    seed=st.integers(0, 10_000), levels=st.sampled_from([2, 5, 40, 10_000]), share=st.sampled_from([0.03, 0.5, 0.97])
)
def test_resampled_precision_is_the_same_to_the_bit_for_several_rankings(seed: int, levels: int, share: float) -> None:
    """Ties of all sizes, and so many negative pairs in a row that their draws overflow 8 bits."""
    rng, n = np.random.default_rng(seed), 700
    labels = rng.random(n) < share
    labels[0] = True
    rankings = [rank(rng.integers(0, levels, n) + levels * labels * (k % 2), rng.random(n) < 0.9) for k in range(3)]
    counts = bootstrap.draws("toy", n, bootstrap.GROUP + 1, seed)
    numbers = np.arange(n)
    dataset = Dataset("toy", tuple(map(str, range(n))), numbers, numbers, labels.astype(float))
    one = Scored(dataset, "raw", np.ones(n, dtype=bool), 0, {})
    named = {f"x{k}": ranking for k, ranking in enumerate(rankings)}
    found = bootstrap.replicates(one, len(counts), seed=seed, rankings=named)
    for name, ranking in named.items():
        for b in (0, 5, len(counts) - 1):
            assert found[name][b] == 100 * slow_resampled_precision(ranking, labels, counts[b])


def slow_resampled_precision(ranking: TiedOrder, labels: np.ndarray, drawn: np.ndarray) -> float:
    """Block by block, in the order of the sums of the compiled loop."""
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, len(labels) + 1))])
    total, n0, c0 = 0.0, 0, 0
    for start, end in pairwise(ranking.starts.tolist()):
        pairs = ranking.order[start:end]
        t, s = int(drawn[pairs].sum()), int(drawn[pairs][labels[pairs]].sum())
        if s:
            f = (s - 1.0) / (t - 1.0) if t > 1 else 0.0
            total += s / t * ((c0 + 1.0 - f * (n0 + 1.0)) * (harmonic[n0 + t] - harmonic[n0]) + f * t)
        n0, c0 = n0 + t, c0 + s
    return total / c0


def test_resampled_correlations_are_those_of_each_ranking_alone() -> None:
    one = scored(11, graded=True)
    rng = np.random.default_rng(1)
    values = {"x": one.values["x"], "tied": rng.integers(0, 3, 60).astype(float), "constant": np.ones(60)}
    several = replace(one, values=values)
    together = bootstrap.replicates(several, 30, seed=2)
    assert list(together) == list(values)
    for name in values:
        alone = bootstrap.replicates(replace(one, values={name: values[name]}), 30, seed=2)[name]
        np.testing.assert_array_equal(together[name], alone)
    everything = replace(one, known=np.ones(60, dtype=bool), values={"constant": np.ones(60)})
    assert not bootstrap.replicates(everything, 30, seed=2)["constant"].any()  # no correlation, not an undefined one


def test_draws_are_those_of_the_generator() -> None:
    generator = np.random.Generator(np.random.Philox([5, zlib.crc32(b"set")]))
    for row in bootstrap.draws("set", 300, 4, 5):
        np.testing.assert_array_equal(row, np.bincount(generator.integers(0, 300, 300), minlength=300))


def test_intervals_are_deterministic_and_cover_the_figure() -> None:
    one = scored(7, n=400)
    first = bootstrap.replicates(one, 500, seed=0, threads=1)["x"]
    again = bootstrap.replicates(one, 500, threads=3)["x"]
    assert first.tobytes() == again.tobytes()
    assert bootstrap.replicates(one)["x"][:500].tobytes() == first.tobytes()
    assert len(bootstrap.replicates(one)["x"]) == 1000  # with seed 0 unless told otherwise
    low, high = bootstrap.interval(first)
    assert low < 100 * average_precision(one.values["x"], one.dataset.labels, one.known) < high


def test_the_paired_test_sees_a_difference_and_none() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(600) < 0.4
    good, same = labels + rng.normal(size=600), labels + 3 * rng.normal(size=600)
    numbers = np.arange(600)
    dataset = Dataset("pairs", tuple(map(str, range(600))), numbers, numbers, labels.astype(float))
    known = np.ones(600, dtype=bool)
    values = bootstrap.replicates(Scored(dataset, "raw", known, 0, {"good": good, "same": same}), 1000)
    assert bootstrap.paired_p(values["good"], values["same"]) < 0.01
    assert bootstrap.paired_p(values["good"], values["good"]) == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_separation_compares_pairs_with_the_same_hypernym(seed: int) -> None:
    scores, labels, known = toy(seed, n=60)
    hypernyms = np.random.default_rng(seed).integers(0, 5, 60)
    shares = []
    for i in np.flatnonzero(labels & known):
        others = [scores[j] for j in range(60) if known[j] and not labels[j] and hypernyms[j] == hypernyms[i]]
        if others:
            shares.append(np.mean([(scores[i] > other) + 0.5 * (scores[i] == other) for other in others]))
    share, many = separation(scores, labels, hypernyms, known)
    assert share == pytest.approx(np.mean(shares), abs=1e-12)
    assert many == len(shares) > 0
    # a score of the hypernym alone is always at chance
    assert separation(hypernyms.astype(float), labels, hypernyms, known)[0] == 0.5
    assert separation([1.0, 2.0], [True, False], [0, 1]) == (0.5, 0)


def test_more_resamples_than_a_group_holds_go_on_in_the_next() -> None:
    one, many = scored(5), bootstrap.GROUP + 3
    values = bootstrap.replicates(one, many, seed=3)["x"]
    counts = bootstrap.draws("toy", 60, many, 3)
    for b in (bootstrap.GROUP - 1, bootstrap.GROUP, many - 1):
        rows = np.repeat(np.arange(60), counts[b])
        expected = average_precision(one.values["x"][rows], one.dataset.labels[rows], one.known[rows])
        assert values[b] == pytest.approx(100 * expected)
    assert len(values) == many


@pytest.mark.parametrize("at_once", [1, 50, 90, 10_000])
def test_draws_are_those_of_one_resample_after_another(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "_DRAWN", at_once)
    generator = np.random.Generator(np.random.Philox([3, zlib.crc32(b"toy")]))
    expected = [np.bincount(generator.integers(0, 30, 30), minlength=30) for _ in range(11)]
    np.testing.assert_array_equal(bootstrap.draws.__wrapped__("toy", 30, 11, 3), expected)


# ---- borders and defaults -------------------------------------------------------------------------------------------


def test_a_ranking_of_one_pair_and_of_none() -> None:
    assert average_precision([1.0], [True]) == average_precision([1.0], [True], known=[False]) == 1.0
    none = rank([])
    assert (none.order.tolist(), none.block.tolist(), none.starts.tolist()) == ([], [], [0])


def test_averages_over_one_pair_and_over_none() -> None:
    assert micro_average({"a": 5.0}, {"a": 1}) == 5.0
    with pytest.raises(InputError, match="no pair to average"):
        micro_average({"a": 5.0}, {"a": 0})


def test_correlations_of_two_pairs_and_of_grades_that_do_not_vary() -> None:
    assert spearman([1, 2], [1, 2]) == 1.0 and spearman([1, 2], [2, 1]) == -1.0
    assert spearman([1, 1], [1, 2]) == spearman([1, 2], [3, 3]) == 0.0


@pytest.mark.parametrize(
    ("scores", "labels", "k", "expected"),
    [
        ([2, 1, 1, 0], [0, 1, 0, 1], 3, (1 / 2 + 1 / 3) / 2),  # two tied pairs, the last of the list
        ([2, 2, 1, 0], [1, 0, 0, 1], 3, (1 + 1 / 2) / 2),  # two tied pairs, the first of it
        ([2, 1, 1], [0, 1, 0], 2, (1 / 2 + 0) / 2),  # the list ends between tied pairs
        ([2, 1, 0, 0], [0, 1, 1, 0], 2, 1 / 2),  # ties behind it
    ],
)
def test_ap_at_k_is_the_mean_over_tied_orders(scores: list[int], labels: list[int], k: int, expected: float) -> None:
    assert average_precision_at(scores, labels, k, shuffles=2000) == pytest.approx(expected, abs=0.02)


def test_what_is_drawn_is_drawn_by_the_seed_0_and_as_often_as_the_docs_say() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.integers(0, 3, 60), rng.random(60) < 0.5
    default = average_precision_at(scores, labels, 30)
    assert default == average_precision_at(scores, labels, 30, shuffles=200, seed=0)
    assert default != average_precision_at(scores, labels, 30, shuffles=201)
    assert default != average_precision_at(scores, labels, 30, seed=1)
    labels = rng.random(300) < 0.5
    values = labels + rng.normal(size=300)
    folds = cross_validated(values, labels)
    assert folds == cross_validated(values, labels, folds=20, seed=0)
    assert cross_validated(values, labels, folds=21) != folds != cross_validated(values, labels, seed=1)


def test_no_pairs_have_no_direction() -> None:
    none = Direction(0, 0, 0)
    assert (none.accuracy, none.decided_accuracy) == (0.0, 0.0)
    assert (Direction(0, 0, 3).accuracy, Direction(0, 0, 3).decided_accuracy) == (1 / 3, 0.0)


def test_small_differences_count_by_their_sign_alone() -> None:
    """Eight resamples are half a point better and one is as much worse: p is 2·(1 + 1)/(9 + 1)."""
    first, second = np.array([10.5] * 8 + [9.5]), np.full(9, 10.0)
    assert bootstrap.paired_p(first, second) == bootstrap.paired_p(second, first) == pytest.approx(0.4)
    some = np.append(first, np.nan)  # a resample without positive pairs does not count
    assert bootstrap.paired_p(some, np.append(second, 10.0)) == pytest.approx(0.4)
    assert bootstrap.paired_p(np.array([1.0]), np.array([1.0])) == 1.0
