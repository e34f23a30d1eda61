"""Evaluating small made-up spaces whose right answers are known, through Python and through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from hyperdive import Model
from hyperdive._resources import Run
from hyperdive.benchmark import Dataset, EvaluationOptions, evaluate
from hyperdive.benchmark.discovery import FREQUENT_WORDS, Discovery
from hyperdive.benchmark.discovery import discover as discover_all
from hyperdive.benchmark.evaluation import Evaluation, compare, measure, score_dataset
from hyperdive.benchmark.further_measures import coverage, further_measures
from hyperdive.errors import InputError
from hyperdive.scores import Source, as_source, get
from hyperdive.spaces.space import VectorSpace

# a planted tree: a class has the dimensions of all its members, and each member its own
TREE = {
    "animal": ["dog", "cat", "horse", "cow", "sheep"],
    "vehicle": ["car", "bus", "truck", "train", "bike"],
    "plant": ["oak", "rose", "fern", "grass", "moss"],
}
WORDS = [*TREE, *[word for members in TREE.values() for word in members]]


def discover(model: Any, dataset: Dataset, score: Any = "C·ΔS", **options: Any) -> Discovery:
    """Return the figures of one score."""
    return discover_all(model, dataset, [score], **options)[0]


def planted(tagged: bool = False, kind: str = "dive", sparse: bool = False) -> VectorSpace:
    members = [word for group in TREE.values() for word in group]
    matrix = np.zeros((len(WORDS), len(members) + len(TREE)))
    for number, (name, group) in enumerate(TREE.items()):
        matrix[WORDS.index(name), len(members) + number] = 2
        for word in group:
            matrix[WORDS.index(name), members.index(word)] = 1
            matrix[WORDS.index(word), members.index(word)] = 1
            matrix[WORDS.index(word), len(members) + number] = 1
    words = [f"{word}|n" for word in WORDS] if tagged else WORDS
    frequencies = np.arange(len(WORDS))[::-1] + 1
    return VectorSpace(words, csr_array(matrix) if sparse else matrix, frequencies=frequencies, kind=kind)


def tree_pairs(name: str = "tree", **more: Any) -> Dataset:
    suffix = "-n" if more.get("tagged") else ""
    rows = [
        (word + suffix, parent + suffix, float(word in group))
        for parent, group in TREE.items()
        for members in TREE.values()
        for word in members
    ]
    rows += [(parent + suffix, word + suffix, 0.0) for parent, group in TREE.items() for word in group]
    return Dataset.from_rows(name, rows, **more)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_planted_tree_is_found_without_a_mistake(sparse: bool) -> None:
    result = evaluate(
        planted(sparse=sparse),
        datasets=[tree_pairs()],
        options=EvaluationOptions(scores=["C·ΔS", "CDE", "AL1", "Random", "dS"]),
    )
    cells = {score: cell.value for score, cell in result.results["tree"].cells.items()}
    assert cells["C·ΔS"] == cells["AL₁"] == pytest.approx(100.0)
    assert cells["ΔS"] < 60  # generality alone cannot tell whose member a word is
    assert cells["Random"] < 60


def test_dense_and_sparse_spaces_give_the_same_figures() -> None:
    first = evaluate(planted(), datasets=[tree_pairs()])
    second = evaluate(planted(sparse=True), datasets=[tree_pairs()])
    assert first.as_json() == second.as_json()


def test_averages_are_written_with_four_places() -> None:
    found = Evaluation({}, ("ΔS",))
    found.__dict__["micro10"] = {"ΔS": 100 / 3}
    assert found.as_json()["micro10"] == {"ΔS": 33.3333}


def test_tagged_sets_use_the_pos_model_and_else_lose_their_suffix() -> None:
    sets = [tree_pairs("tagged", tagged=True), tree_pairs("plain")]
    alone = evaluate(planted(), datasets=sets, options=EvaluationOptions(scores=["cds"]))
    assert [one.scored.space for one in alone.results.values()] == ["raw", "raw"]
    assert any("suffix cut off" in note for note in alone.notes)
    both = evaluate(planted(), pos=planted(tagged=True), datasets=sets, options=EvaluationOptions(scores=["cds"]))
    assert [one.scored.space for one in both.results.values()] == ["pos", "raw"]
    assert [one.scored.oov for one in both.results.values()] == [0, 0]
    assert not both.notes
    only_tagged = evaluate(planted(tagged=True), datasets=sets, options=EvaluationOptions(scores=["cds"]))
    assert [one.scored.oov for one in only_tagged.results.values()] == [0, len(sets[1])]


def test_a_model_with_two_spaces_is_a_source() -> None:
    rng = np.random.default_rng(0)
    beside = VectorSpace(WORDS[:-1], rng.normal(size=(len(WORDS) - 1, 5)), frequencies=np.ones(17), kind="skipgram")
    model = Source(planted(), beside)
    result = evaluate(model, datasets=[tree_pairs()])
    assert "W·ΔS" in result.scores
    assert result.results["tree"].scored.oov == 0  # a word that only skip-gram lacks is not unknown
    assert "W·ΔS" not in evaluate(Model(planted()), datasets=[tree_pairs()]).scores


def test_all_pairs_unknown_is_chance_and_is_said() -> None:
    dataset = Dataset.from_rows("far", [("x", "y", 1.0), ("z", "y", 0.0)])
    result = evaluate(planted(), datasets=[dataset], options=EvaluationOptions(scores=["cds"]))
    assert result.results["far"].cells["C·ΔS"].value == 75.0
    assert any("far: not one pair" in note for note in result.notes)


def test_no_positives_is_an_error_that_names_the_set() -> None:
    with pytest.raises(InputError, match="nothing: no pair is positive"):
        evaluate(
            planted(),
            datasets=[Dataset.from_rows("nothing", [("dog", "cat", 0.0)])],
            options=EvaluationOptions(scores=["cds"]),
        )


def test_a_model_without_skipgram_asked_for_w_says_what_it_has() -> None:
    with pytest.raises(InputError, match=r"score W needs a skip-gram space \(this space has: C, dS"):
        evaluate(planted(), datasets=[tree_pairs()], options=EvaluationOptions(scores=["W"]))


def test_lemmas_save_pairs_and_are_counted() -> None:
    dataset = Dataset.from_rows("many", [("dogs", "animals", 1.0), ("cars", "animal", 0.0)])
    result = evaluate(planted(), datasets=[dataset], options=EvaluationOptions(scores=["cds"]))
    assert (result.results["many"].scored.oov, result.results["many"].scored.saved_by_lemma) == (0, 2)
    exact = evaluate(planted(), datasets=[dataset], options=EvaluationOptions(scores=["cds"], lemmas=False))
    assert exact.results["many"].scored.oov == 2


def test_results_do_not_depend_on_threads() -> None:
    first = evaluate(planted(), datasets=[tree_pairs()], options=EvaluationOptions(bootstrap=100), run=Run(threads=1))
    second = evaluate(planted(), datasets=[tree_pairs()], options=EvaluationOptions(bootstrap=100), run=Run(threads=3))
    assert json.dumps(first.as_json()) == json.dumps(second.as_json())


def test_many_sets_at_once_have_the_figures_of_each_alone_in_the_order_asked_for() -> None:
    whole = tree_pairs()
    rows = list(zip(whole.q, whole.p, whole.gold, strict=True))
    sets = [
        Dataset(f"part {size}", whole.terms, *(np.array(side) for side in zip(*rows[-size:], strict=True)))
        for size in (60, 90, len(rows), 70, 80, 50)
    ]
    sets[2] = whole
    options = EvaluationOptions(bootstrap=70)
    every = evaluate(planted(), datasets=sets, options=options, run=Run(threads=3))
    assert list(every.results) == [one.name for one in sets]
    for one in sets:
        alone = evaluate(planted(), datasets=[one], options=options, run=Run(threads=1)).results[one.name]
        assert alone.cells == every.results[one.name].cells


def test_comparison_with_a_worse_model_and_with_itself() -> None:
    worse = planted()
    noisy = VectorSpace(
        WORDS, np.random.default_rng(0).random(worse.matrix.shape), frequencies=worse.frequencies, kind="dive"
    )
    good = evaluate(planted(), datasets=[tree_pairs()], options=EvaluationOptions(scores=["cds"], bootstrap=500))
    bad = evaluate(noisy, datasets=[tree_pairs()], options=EvaluationOptions(scores=["cds"], bootstrap=500))
    difference = compare(good, bad)["tree"]["C·ΔS"]
    assert difference.difference > 20 and difference.p < 0.05 and difference.ci95[0] > 0
    assert compare(good, good)["tree"]["C·ΔS"].p == 1.0
    with pytest.raises(InputError, match="needs resamples"):
        compare(evaluate(planted(), datasets=[tree_pairs()], options=EvaluationOptions(scores=["cds"])), good)


def test_discovery_finds_the_planted_parents() -> None:
    found = discover(planted(), tree_pairs(), "C·ΔS")
    assert (found.map, found.mrr, found.p_at_5) == pytest.approx((1.0, 1.0, 0.2))
    assert (found.hyponyms, found.missing) == (15, 0)
    phrase = Dataset.from_rows(
        "p", [("dog cat", "animal", 1.0), ("yak", "animal", 1.0), ("dog", "beast", 1.0)], separator=" "
    )
    found = discover(planted(), phrase, "C·ΔS")
    assert (found.hyponyms, found.missing) == (2, 1)
    assert found.map == pytest.approx(0.5)  # one found at the top, one whose gold has no vector
    with pytest.raises(InputError, match="no positive pairs"):
        discover(planted(), Dataset.from_rows("n", [("dog", "cat", 0.0)]))


def test_discovery_has_priors_and_words_that_never_answer() -> None:
    scores = ["C·ΔS", FREQUENT_WORDS]
    best, prior = discover_all(planted(), tree_pairs(), scores)
    assert best == discover(planted(), tree_pairs(), "C·ΔS")
    assert prior == discover(planted(), tree_pairs(), lambda pairs: pairs.frequencies[pairs.p])
    without, prior_without = discover_all(planted(), tree_pairs(), scores, never=planted().words)
    assert without.map < best.map
    assert prior_without == without  # nobody may answer with any word: chance, for both


def test_coverage_counts_words_and_dimensions() -> None:
    found = coverage(planted(), [tree_pairs()], pos=None)
    assert (found.words, found.found) == (18, 18)
    assert found.nonzero_dimensions == pytest.approx((15 * 2 + 3 * 6) / 18)
    split = coverage(planted(), [tree_pairs(), tree_pairs("t", tagged=True)], pos=planted(tagged=True))
    assert (split.words, split.found) == (36, 36)


def test_further_measures_hold_what_they_promise() -> None:
    result = evaluate(planted(), datasets=[tree_pairs()])
    further = further_measures(result, planted(), discovery=["tree"])
    assert further["directionality"]["ΔS"]["accuracy"] == 100.0
    assert further["ap100"]["tree"]["C·ΔS"] == 100.0
    assert further["discovery"]["tree"]["hyponyms"] == 15
    json.dumps(further)


def test_what_is_measured_and_how_unless_told_otherwise() -> None:
    plain = {"scores": None, "bootstrap": 0, "seed": 0, "lemmas": True, "data": None, "verify": True}
    assert EvaluationOptions() == EvaluationOptions(**plain)
    scored = score_dataset(as_source(planted()), Dataset.from_rows("x", [("dogs", "animal", 1.0)]), [get("ΔS")])
    assert (scored.space, scored.oov, scored.saved_by_lemma) == ("raw", 0, 1)
    cell = measure(scored).cells["ΔS"]
    assert (cell.value, cell.ci95) == (100.0, None)
    noisy = Dataset.from_rows(
        "n", [("dog", "animal", 1.0), ("dog", "cat", 0.0), ("cat", "dog", 1.0), ("car", "bus", 0.0)]
    )
    with_seed = [
        measure(score_dataset(as_source(planted()), noisy, [get("Random")]), bootstrap=50, **seed)
        for seed in ({}, {"seed": 0}, {"seed": 1})
    ]
    default, zero, one = (np.nan_to_num(result.replicates["Random"]).tolist() for result in with_seed)
    assert default == zero != one


def test_figures_and_intervals_are_written_with_four_places() -> None:
    rows = [("dog", "animal", 1.0), ("animal", "car", 1.0), ("car", "animal", 0.0), ("yak", "gnu", 1.0)]
    result = evaluate(
        planted(), datasets=[Dataset.from_rows("x", rows)], options=EvaluationOptions(scores=["ΔS"], bootstrap=40)
    )
    written = result.as_json()["datasets"]["x"]["scores"]["ΔS"]
    [cell] = result.results["x"].cells.values()
    assert cell.ci95 is not None
    assert written == {"ap": round(cell.value, 4), "ci95": [round(end, 4) for end in cell.ci95]}
    assert written["ap"] != round(cell.value, 5) or written["ci95"] != [round(end, 5) for end in cell.ci95]
    assert round(cell.value, 4) != round(cell.value, 5)


def test_averages_are_of_all_binary_sets_or_of_those_named() -> None:
    graded = Dataset.from_rows("HyperLex", [("dog", "animal", 5.0), ("animal", "dog", 1.0)], graded=True)
    sets = [tree_pairs(), tree_pairs("other"), graded]
    result = evaluate(planted(), datasets=sets, options=EvaluationOptions(scores=["cds"]))
    assert (
        result.micro() == result.micro(["tree", "other"]) == result.micro(["other"]) == {"C·ΔS": pytest.approx(100.0)}
    )
    assert result.micro([]) == result.micro(["tree", "HyperLex"]) == result.micro(["nowhere"]) == result.micro10 == {}
    assert result.hyperlex == {"C·ΔS": pytest.approx(100.0)}
    assert Evaluation({}, ("ΔS",)).micro() == Evaluation({}, ("ΔS",)).hyperlex == {}


def test_scores_that_the_pos_model_cannot_compute_are_left_out_where_a_set_has_tags() -> None:
    rng = np.random.default_rng(0)
    beside = VectorSpace(WORDS, rng.normal(size=(len(WORDS), 5)), frequencies=np.ones(18), kind="skipgram")
    model, pos = Source(planted(), beside), planted(tagged=True)
    tagged, plain = tree_pairs("tagged", tagged=True), tree_pairs("plain")
    both = evaluate(model, pos=pos, datasets=[tagged, plain])
    assert not {"W", "W·ΔS"} & set(both.scores) and "C·ΔS" in both.scores
    assert ["skipped, because the POS model lacks" in note for note in both.notes] == [True] and "W*dS" in both.notes[0]
    assert "W·ΔS" in evaluate(model, pos=pos, datasets=[plain]).scores
    untagged = evaluate(model, datasets=[tagged, plain])
    assert "W·ΔS" in untagged.scores and ["suffix cut off" in note for note in untagged.notes] == [True]
    with pytest.raises(InputError, match="needs a skip-gram space"):
        evaluate(model, pos=pos, datasets=[tagged], options=EvaluationOptions(scores=["W"]))


# ---- the page -----------------------------------------------------------------------------------------------------


Command = Callable[..., Any]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    planted().save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    dataset = tree_pairs()
    path = tmp_path / "tree.tsv"
    path.write_text(
        "".join(
            f"{dataset.terms[q]}\t{dataset.terms[p]}\t{bool(gold)}\n"
            for q, p, gold in zip(dataset.q, dataset.p, dataset.gold, strict=True)
        )
    )
    return path


def test_evaluate_prints_a_table_with_baselines_beside(hyperdive: Command, model: Path, pairs: Path) -> None:
    ran = hyperdive("evaluate", "-m", model, "-d", pairs, "-s", "cds,AL1:w0=20,released=true", "--resamples", 50)
    assert ran.code == 0, ran.err
    for part in ("C·ΔS", "AL₁:w0=20.0,released=True", "Frequency", "Random", "tree", "100.0", "coverage"):
        assert part in ran.out


def test_evaluate_json_has_the_promised_shape(hyperdive: Command, model: Path, pairs: Path) -> None:
    ran = hyperdive(
        "evaluate",
        "-m",
        model,
        "-d",
        pairs,
        "-s",
        "cds",
        "--resamples",
        50,
        "--json",
        "--set",
        "further=yes",
        "--set",
        f"baseline={model}",
    )
    result = json.loads(ran.out)
    assert {"micro10", "micro4", "hyperlex", "datasets", "model", "version"} <= set(result)
    tree = result["datasets"]["tree"]
    assert (tree["space"], tree["n"], tree["positives"], tree["oov"]) == ("raw", 60, 15, 0)
    assert tree["scores"]["C·ΔS"]["ap"] == 100.0
    assert len(tree["scores"]["C·ΔS"]["ci95"]) == 2
    assert result["baseline"]["differences"]["tree"]["C·ΔS"]["p"] == 1.0
    assert result["micro10"] == {}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-d", "nowhere.tsv"], "neither a dataset nor a pairs file"),
        (["-s", "magic"], "no score is called 'magic'"),
        (["-s", "W"], "needs a skip-gram space"),
        (["-s", "SLQS"], "needs co-occurrence counts"),
        (["-m", "missing-model"], "missing-model"),
        (["-d", "BLESS", "--set", "data=empty-folder"], "hyperdive datasets fetch"),
    ],
)
def test_wrong_wishes_get_one_line(
    hyperdive: Command, model: Path, pairs: Path, arguments: list[str], says: str
) -> None:
    named = [] if "-m" in arguments else ["-m", model]
    ran = hyperdive("evaluate", *named, *([] if "-d" in arguments else ["-d", pairs]), *arguments)
    assert ran.code == 1
    assert says in ran.err and ran.err.count("\n") == 1


def test_score_writes_every_line_again(hyperdive: Command, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("hyponym,hypernym\ndog,animal\nyak,animal\n")
    target = tmp_path / "scored.jsonl"
    ran = hyperdive("score", path, "-m", model, "-s", "cds", "-o", target, "--set", "output_format=jsonl")
    assert ran.code == 0, ran.err
    assert "1 of 2 pairs" in ran.err
    first, second = map(json.loads, target.read_text().splitlines())
    assert first["C·ΔS"] > 0 and second == {"hyponym": "yak", "hypernym": "animal", "C·ΔS": None, "unknown": "yak"}
    assert hyperdive("score", path, "-m", model, "-o", target).code == 1
    assert hyperdive("score").code == 1
    listed = hyperdive("score", "--list")
    assert "C*dS" in listed.out
    assert {one["name"] for one in json.loads(hyperdive("score", "--list", "--json").out)} >= {"C·ΔS", "SLQS Sub"}


def test_a_failed_score_leaves_no_file(hyperdive: Command, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("dog\tanimal\ncat\n")
    ran = hyperdive("score", path, "-m", model, "-o", tmp_path / "out.tsv")
    assert ran.code == 1 and "line 2 has 1 columns" in ran.err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mine.tsv", "model"]


def test_datasets_verb_lists_and_verifies(hyperdive: Command, tmp_path: Path) -> None:
    listed = json.loads(hyperdive("datasets", "list", "--json", "--data", tmp_path).out)
    assert {one["name"]: one["state"] for one in listed["datasets"]}["BLESS"] == "missing"
    ran = hyperdive("datasets", "verify", "LEDS", "--data", tmp_path)
    assert ran.code == 1 and "hyperdive datasets fetch" in ran.err and "missing" in ran.out
    assert hyperdive("datasets", "verify", "BLES", "--data", tmp_path).code == 1


def test_the_real_sets_pass_verification(hyperdive: Command, data_folder: Path) -> None:
    assert hyperdive("datasets", "verify", "--data", data_folder).code == 0


def test_the_random_row_on_the_real_sets(data_folder: Path) -> None:
    """Every word known: a random ranking lies within three standard deviations of the share of positives."""
    from hyperdive.benchmark import MICRO_10, load_all

    deviations = [0.14, 0.4, 0.7, 0.9, 0.2, 0.9, 1.0, 0.8, 0.3, 0.5]
    sets = load_all(MICRO_10, data=data_folder)
    words = sorted({word for one in sets for key in one.space_keys() for word in key})
    space = VectorSpace(words, np.ones((len(words), 1)), frequencies=np.ones(len(words)), kind="dive")
    result = evaluate(space, datasets=sets, options=EvaluationOptions(scores=["Random"]))
    for one, deviation in zip(sets, deviations, strict=True):
        share = 100 * one.positives / len(one)
        assert abs(result.results[one.name].cells["Random"].value - share) < 3 * deviation + 0.2, one.name
    assert result.micro10["Random"] == pytest.approx(21.5, abs=0.5)


def test_a_model_folder_is_opened_with_both_its_spaces(hyperdive: Command, pairs: Path, tmp_path: Path) -> None:
    from hyperdive.cli.output import load_source

    dive = planted()
    rng = np.random.default_rng(0)
    beside = VectorSpace(WORDS, rng.normal(size=(len(WORDS), 5)), frequencies=dive.frequencies, kind="skipgram")
    Model(dive, skipgram=beside).save(tmp_path / "both")
    dive.save(tmp_path / "alone")
    assert load_source(tmp_path / "both").skipgram is not None
    assert load_source(tmp_path / "alone").skipgram is None
    assert load_source(tmp_path / "alone", skipgram=tmp_path / "both").skipgram is not None
    ran = hyperdive("evaluate", "-m", tmp_path / "both", "-d", pairs, "-s", "wds,cds", "--resamples", 0)
    assert ran.code == 0, ran.err
    assert "W·ΔS" in ran.out
