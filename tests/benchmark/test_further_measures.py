"""Measures beside AP, coverage and comparisons, worked out again by hand from small sets."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pytest

from hyperdive.benchmark import EvaluationOptions, evaluate
from hyperdive.benchmark.bootstrap import interval, paired_p
from hyperdive.benchmark.datasets import MICRO_10, Dataset
from hyperdive.benchmark.discovery import Discovery, _measures, priors
from hyperdive.benchmark.discovery import discover as discover_all
from hyperdive.benchmark.evaluation import Scored, compare
from hyperdive.benchmark.further_measures import (
    Coverage,
    coverage,
    direction_figures,
    first_hundred,
    fold_figures,
    further_measures,
    separation_figures,
)
from hyperdive.benchmark.measures import (
    Bin,
    average_precision_at,
    cross_validated,
    directionality,
    expected_calibration_error,
    reliability,
    separation,
)
from hyperdive.errors import InputError, OptionError
from hyperdive.scores import get
from hyperdive.spaces.space import VectorSpace

from .test_evaluation import WORDS, planted, tree_pairs


def discover(model: Any, dataset: Dataset, score: Any = "C·ΔS", **options: Any) -> Discovery:
    """Return the figures of one score."""
    return discover_all(model, dataset, [score], **options)[0]


def scored(name: str, seed: int, n: int, score: str = "ΔS") -> Scored:
    rng = np.random.default_rng(seed)
    q, p, labels = rng.integers(0, 9, n), rng.integers(0, 4, n), rng.random(n) < 0.5
    labels[:2] = True, False
    dataset = Dataset(name, tuple(map(str, range(9))), q, p, labels.astype(float))
    return Scored(dataset, "raw", rng.random(n) < 0.9, 0, {score: rng.normal(size=n).round(1)})


def test_figures_of_folds_and_of_a_hundred_pairs_are_per_cent_to_four_digits() -> None:
    one = scored("a", 1, 300)
    values, labels = one.values["ΔS"], one.dataset.labels
    folds = cross_validated(values, labels, one.known, seed=3)
    assert fold_figures(one, 3) == {"ΔS": {"f1": round(100 * folds.f1, 4), "accuracy": round(100 * folds.accuracy, 4)}}
    assert fold_figures(one) == fold_figures(one, 0) != fold_figures(one, 3)
    assert fold_figures(scored("b", 1, 8)) == {}  # too few positive pairs for twenty folds
    expected = average_precision_at(values, labels, 100, one.known, shuffles=20, seed=5)
    assert first_hundred(one, seed=5) == first_hundred(one, ["ΔS"], seed=5) == {"ΔS": round(100 * expected, 4)}
    assert first_hundred(one) == first_hundred(one, seed=0)
    assert first_hundred(one, ["C"]) == {}


def test_directions_are_pooled_and_weighted_by_the_size_of_sets() -> None:
    both = [scored("a", 1, 60), scored("b", 2, 20)]
    first, second = (directionality(one.values["ΔS"], one.dataset.labels, one.known) for one in both)
    pooled, weighted = first + second, (60 * first.accuracy + 20 * second.accuracy) / 80
    found = direction_figures(both, ["ΔS", "C"])
    assert list(found) == ["ΔS"]
    assert found["ΔS"] == {
        "accuracy": round(100 * pooled.accuracy, 4),
        "decided": round(100 * pooled.decided_accuracy, 4),
        "weighted_by_size": round(100 * weighted, 4),
        "correct": pooled.correct,
        "wrong": pooled.wrong,
        "undecided": pooled.undecided,
    }
    assert direction_figures([], ["ΔS"])["ΔS"]["weighted_by_size"] == 0.0


def test_separation_over_all_sets_weighs_by_the_pairs_compared() -> None:
    both = [scored("a", 1, 61), scored("b", 2, 23)]
    alone = replace(scored("c", 3, 9), dataset=Dataset.from_rows("c", [("x", "y", 1.0)] * 9))
    (first, many), (second, few) = (
        separation(one.values["ΔS"], one.dataset.labels, one.dataset.p, one.known) for one in both
    )
    assert many != few and first != second
    together = (first * many + second * few) / (many + few)
    expected = {"a": round(100 * first, 4), "b": round(100 * second, 4), "all": round(100 * together, 4)}
    assert separation_figures([*both, alone]) == {"ΔS": expected}
    assert len({str(value).partition(".")[2] for value in expected.values()}) == 3  # four digits, not rounder ones
    assert separation_figures([alone]) == {"ΔS": {}}


def test_further_measures_are_those_of_their_parts() -> None:
    result = evaluate(planted(), datasets=[tree_pairs(), tree_pairs("BLESS")])
    further = further_measures(result, planted(), discovery=["tree"], sample=7, seed=2)
    assert (
        list(further["f1"]) == list(further["accuracy"]) == ["tree"]
    )  # no set of the paper but those with F1 in print
    assert further["f1"]["tree"]["C·ΔS"] is None  # fifteen positive pairs are too few for twenty folds
    assert further["coverage"] == {"words": 18, "found": 18, "nonzero_dimensions": 48 / 18, "share": 100.0}
    by = get(result.scores[0])
    first, *rest = discover_all(planted(), tree_pairs(), [by, *priors(planted())], sample=7, seed=2)
    found = further["discovery"]["tree"]
    assert (found["score"], found["map"], found["hyponyms"]) == (by.name, first.map, 7)
    assert [figures["map"] for figures in found["priors"].values()] == [one.map for one in rest]
    with pytest.raises(OptionError, match="not among the evaluated"):
        further_measures(result, planted(), discovery=["LEDS"])


def test_coverage_is_of_the_words_as_they_stand() -> None:
    assert Coverage(8, 2, 1.0).share == 25.0 and Coverage(0, 0, 0.0).share == 0.0
    plural = Dataset.from_rows("x", [("dogs", "animal", 1.0)])
    assert coverage(planted(), [plural]).found == 1
    assert coverage(planted(), []) == Coverage(0, 0, 0.0)


def test_a_difference_is_this_model_minus_the_other() -> None:
    rng = np.random.default_rng(0)
    noisy = replace_matrix(rng.random((len(WORDS), 18)))
    sets = [tree_pairs(name) for name in MICRO_10]
    sets[0] = sets[0].__class__.from_rows(
        MICRO_10[0], [("dog", "animal", 1.0), ("car", "animal", 0.0), ("oak", "dog", 0.0)]
    )
    chosen = EvaluationOptions(scores=["ΔS", "C"], bootstrap=200)
    good, bad = (evaluate(space, datasets=sets, options=chosen) for space in (planted(), noisy))
    found = compare(good, bad)
    for score in ("ΔS", "C"):
        for name in MICRO_10:
            one, other = good.results[name], bad.results[name]
            assert found[name][score].difference == one.cells[score].value - other.cells[score].value
            assert found[name][score].ci95 == interval(one.replicates[score] - other.replicates[score])
        sizes = {name: good.results[name].n for name in MICRO_10}
        first, second = (
            sum(sizes[name] * model.results[name].replicates[score] for name in MICRO_10) / sum(sizes.values())
            for model in (good, bad)
        )
        micro = found["micro10"][score]
        assert micro.difference == good.micro10[score] - bad.micro10[score] != 0
        assert micro.ci95 == interval(first - second) and micro.p == paired_p(first, second)
    assert min(sizes.values()) == 3  # sets of several sizes
    with pytest.raises(InputError, match="needs resamples"):
        compare(good, evaluate(noisy, datasets=sets, options=EvaluationOptions(scores=["C"])))
    with pytest.raises(OptionError, match="no score in common"):
        compare(good, evaluate(noisy, datasets=sets, options=EvaluationOptions(scores=["ΔQ"], bootstrap=5)))


def replace_matrix(matrix: np.ndarray) -> object:
    space = planted()
    return type(space)(WORDS, matrix, frequencies=space.frequencies, kind="dive")


def test_a_vocabulary_without_the_hyponyms_discovers_nothing() -> None:
    strange = Dataset.from_rows("x", [("yak", "animal", 1.0), ("gnu", "animal", 1.0)])
    for found in discover_all(planted(), strange, ["C·ΔS", "ΔS"]):
        assert (found.map, found.mrr, found.p_at_5, found.hyponyms, found.missing) == (0.0, 0.0, 0.0, 0, 2)


def test_the_first_right_answer_among_tied_ones_is_expected_in_their_middle() -> None:
    """Of t tied answers with s right ones, the first right one stands at (t + 1)/(s + 1) in the mean."""
    values, right = np.array([5.0, 3.0, 3.0, 3.0, 1.0]), np.array([False, True, True, False, True])
    _, first, at_five = _measures(values, right, 3)
    assert first == pytest.approx(1 / (1 + 4 / 3)) and at_five == pytest.approx(3 / 5)
    assert _measures(values, np.zeros(5, dtype=bool), 1) == (0.0, 0.0, 0.0)


def test_bins_of_a_calibration_are_rounded_means_and_shares() -> None:
    confidences, right = [0.12345678, 0.14, 0.91, 0.95, 1.0], [False, True, True, True, False]
    low, high = reliability(confidences, right)
    assert low == Bin(2, round((0.12345678 + 0.14) / 2, 6), 0.5) and low.confidence == 0.131728
    assert high == Bin(3, 0.953333, 0.666667)
    assert reliability([0.25, 0.3, 0.05], [True, True, False], bins=4) == [Bin(1, 0.05, 0.0), Bin(2, 0.275, 1.0)]
    expected = (2 * abs(low.confidence - 0.5) + 3 * (high.confidence - high.true)) / 5
    assert expected_calibration_error([low, high]) == pytest.approx(expected)
    assert expected_calibration_error([]) == 0.0


def test_a_calibration_has_ten_bins_unless_told_otherwise() -> None:
    confidences, right = [0.05, 0.095, 0.1, 0.19, 0.99], [True, False, True, True, False]
    bins = reliability(confidences, right)
    assert bins == reliability(confidences, right, bins=10) != reliability(confidences, right, bins=11)
    assert [(one.pairs, one.true) for one in bins] == [(2, 0.5), (2, 1.0), (1, 0.0)]


def test_coverage_needs_no_set_with_tags_and_none_without() -> None:
    plain, tagged = tree_pairs(), tree_pairs("t", tagged=True)
    assert coverage(planted(), [plain], pos=planted(tagged=True)).words == 18
    assert coverage(planted(), [tagged], pos=planted(tagged=True)).found == 18
    unknown = Dataset.from_rows("x", [("yak", "gnu", 1.0)])
    assert coverage(planted(), [unknown]) == Coverage(2, 0, 0.0)


def asked(space: VectorSpace, dataset: Dataset, hyponyms: list[str]) -> float:
    """MAP of these hyponyms by ΔS, asked one by one."""
    figures = []
    for word in hyponyms:
        rows = [(q, p, 1.0) for q, p in pairs_of(dataset) if q == word]
        figures.append(discover(space, Dataset.from_rows(word, rows), "ΔS").map)
    return float(np.mean(figures))


def pairs_of(dataset: Dataset) -> list[tuple[str, str]]:
    sides = zip(dataset.q[dataset.labels], dataset.p[dataset.labels], strict=True)
    return [(dataset.terms[q], dataset.terms[p]) for q, p in sides]


def steps() -> tuple[VectorSpace, Dataset]:
    """Word k has the sum k; each word has the next but one as its hypernym, so that all their figures differ."""
    words = [f"w{k:02}" for k in range(20)]
    space = VectorSpace(words, np.arange(1.0, 21)[:, None], frequencies=[1] * 20, kind="dive")
    return space, Dataset.from_rows("steps", [(words[k], words[k + 2], 1.0) for k in range(18)])


def test_a_sample_of_hyponyms_is_drawn_by_the_seed_without_one_twice() -> None:
    space, dataset = steps()
    numbers = np.unique(dataset.q)
    for seed in (0, 3):
        chosen = np.random.default_rng(seed).choice(numbers, 15, replace=False)
        found = discover(space, dataset, "ΔS", sample=15, seed=seed)
        assert found.hyponyms == 15
        assert found.map == pytest.approx(asked(space, dataset, [dataset.terms[number] for number in chosen]))
        if seed == 0:
            assert found == discover(space, dataset, "ΔS", sample=15)
    every = discover(space, dataset, "ΔS")
    assert every == discover(space, dataset, "ΔS", sample=18) and every.hyponyms == 18
    assert every == discover(space, dataset, "ΔS", sample=99)
    assert signature(further_measures).parameters["sample"].default == 300


def test_the_figures_of_several_right_answers_by_hand() -> None:
    """Right answers in places 2, 3 and 6, and one that cannot be given."""
    values = np.arange(7.0, 0.0, -1.0)
    right = np.array([False, True, True, False, False, True, False])
    average, first, at_five = _measures(values, right, 4)
    assert average == pytest.approx((1 / 2 + 2 / 3 + 3 / 6) / 4)
    assert (first, at_five) == (0.5, 2 / 5)


def test_phrases_are_asked_as_the_mean_of_their_words() -> None:
    """Two phrases after single words, each of two words; what they are asked is answered by the vocabulary."""
    space, _ = steps()
    rows = [("w05", "w06", 1.0), ("w00 w02", "w02", 1.0), ("w04 w08", "w08", 1.0), ("w05", "w09 w10", 1.0)]
    dataset = Dataset.from_rows("phrases", rows, separator=" ")

    def near(pairs: Any) -> np.ndarray:
        """How near p is to what is a little above q."""
        sums = pairs.rows.sums
        return -np.abs(sums[pairs.p] - sums[pairs.q] - 1.25)

    alone = [Dataset.from_rows("one", [row], separator=" ") for row in rows[1:3]]
    # 1 + 3 is the sum 2 in the mean: w02 has the sum 3; 5 + 9 is 7 in the mean: w08 has the sum 9, w07 is nearer
    assert [discover(space, one, near).mrr for one in alone] == [1.0, 0.5]
    found = discover(space, dataset, near)
    assert found.mrr == pytest.approx((1 + 1 + 0.5) / 3)
    assert found.map == pytest.approx((1 / 2 + 1 + 0.5) / 3)  # nobody answers with a phrase


def test_hyponyms_are_found_by_their_lemma_and_tags_are_cut_off_unless_told_otherwise() -> None:
    plural = Dataset.from_rows("x", [("dogs", "animals", 1.0)])
    assert discover(planted(), plural).map == 1.0
    tagged = tree_pairs("t", tagged=True)
    assert discover_all(planted(), tagged, ["C·ΔS"])[0].hyponyms == 15
    assert discover_all(planted(tagged=True), tagged, ["C·ΔS"], pos=True)[0].map == pytest.approx(1.0)
    with pytest.raises(InputError, match="no positive pairs"):
        discover(planted(), Dataset.from_rows("graded", [("dog", "animal", 3.0)], graded=True))


def test_sets_with_tags_and_without_are_each_asked_in_their_space() -> None:
    sets = [tree_pairs("Medical"), tree_pairs("t", tagged=True)]
    plain = planted()
    source, pos = plain, planted(tagged=True)
    result = evaluate(source, pos=pos, datasets=sets, options=EvaluationOptions(scores=["cds", "ΔS"]))
    found = further_measures(result, source, pos=pos, discovery=["Medical", "t"])
    assert [found["discovery"][name]["map"] for name in ("Medical", "t")] == pytest.approx([1.0, 1.0])
    assert list(found["f1"]) == list(found["accuracy"]) == list(found["ap100"]) == ["Medical", "t"]
    some = [Dataset.from_rows("mine", [("dog", "animal", 1.0), ("dog", "yak", 0.0)])]
    chosen = EvaluationOptions(scores=["ΔS"])
    assert further_measures(evaluate(plain, datasets=some, options=chosen), plain)["coverage"]["share"] == 66.6667


def test_a_test_of_two_models_needs_resamples_of_both() -> None:
    with_, without = (
        evaluate(planted(), datasets=[tree_pairs()], options=EvaluationOptions(scores=["C"], bootstrap=many))
        for many in (5, 0)
    )
    for one, other in ((with_, without), (without, with_), (without, without)):
        with pytest.raises(InputError, match="needs resamples"):
            compare(one, other)
