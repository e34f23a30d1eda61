"""Every sentence of the paper can hold, fail and be left open, and each limit is where it is said to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hyperdive.benchmark.datasets import ELEVEN
from hyperdive.paper.claims import CONSTANTS, OURS, PRINTED, TOKENS, Missing, check, judge
from hyperdive.paper.figures import RunFigures, paper_data, score_list
from hyperdive.paper.results import claims_table
from hyperdive.scores import get

World = dict[str, dict[str, Any]]
CLAIMS = {claim["name"]: claim for claim in paper_data()["claim"]}
COSTED = score_list(["costed"])
DIVE = {"CDE": 28.0, "AL₁": 26.0, "ΔS": 31.0, "W·ΔS": 35.0, "C·ΔS": 34.0}
FREQ = {"CDE": 28.5, "AL₁": 26.5, "ΔS": 30.0, "W·ΔS": 31.0, "C·ΔS": 30.6}
PPMI = {"CDE": 27.0, "AL₁": 20.0, "ΔS": 30.5, "W·ΔS": 33.0, "C·ΔS": 32.0}
MORE = {
    "W": 25.0, "C": 25.0, "ΔE": 25.5, "ΔQ": 29.0, "W·ΔE": 27.0, "C·ΔE": 27.0, "W·ΔQ": 30.2, "C·ΔQ": 30.0,
    "invCL": 27.0, "Weeds": 27.5, "AL₁:w0=20": 25.0,
    "Frequency": 28.0, "Frequency:power=0.5": 30.5, "Frequency:power=1": 30.0,
}  # fmt: skip


def moved(values: dict[str, float], by: float, **others: float) -> dict[str, float]:
    named = {get(score).name: change for score, change in others.items()}
    return {score: value + named.get(score, by) for score, value in values.items()}


def space(values: dict[str, float], **more: Any) -> dict[str, Any]:
    """A space whose figures are the same on every set, and so on average."""
    named = {get(score).name: value for score, value in values.items()}
    cells = {one: {"scores": {score: {"ap": value} for score, value in named.items()}} for one in ELEVEN}
    return {"micro10": dict(named), "micro4": dict(named), "datasets": cells, **more}


def cost(many: float) -> dict[str, Any]:
    return {"bytes": {"raw": many}, "nonzeros": {"raw": many}, "seconds": dict.fromkeys(COSTED, many)}


def direction(**values: float) -> dict[str, Any]:
    return {score.replace("_", " "): {"accuracy": value, "decided": value + 5} for score, value in values.items()}


def world() -> World:
    """Figures by which every sentence holds, for every row."""
    made: World = {
        "sbow-freq": space(
            {**MORE, **FREQ}, cost=cost(30_000), dimensions={"all": 900.0}, direction=direction(ΔS=66.0, SLQS_Sub=62.0)
        ),
        "sbow-ppmi": space({**PPMI, "AL₁:w0=20": 19.0}, cost=cost(20_000), direction=direction(ΔS=66.5)),
        "sbow-ppmi-is": space(moved(PPMI, -0.5, AL1=1.0)),
        "sbow-freq-filtered": space(moved(FREQ, 0.3, AL1=-5.0, CDE=-1.0)),
        "sbow-ppmi-filtered": space(moved(PPMI, -0.2, ΔS=0.1)),
        "sbow-ppmi-filtered-more": space(moved(PPMI, -0.9, ΔS=0.2)),
        "sbow-ppmi-shifted": space(moved(PPMI, -0.1, ΔS=0.3)),
        "sbow-ppmi-half-raw": space(PPMI),
        "sbow-ppmi-random-raw": space(moved(PPMI, -0.1, CDE=0.2)),
        "kmeans": space({"CDE": 28.0, "AL₁": 24.0, "ΔS": 30.2, "W·ΔS": 31.4, "C·ΔS": 31.0}),
        "gaussian": space({"GE C": 26.0, "KL": 25.0}),
        "word2vec": space({"C": 25.0}),
    }
    set_cell(made, "sbow-ppmi", "AL₁", "HyperLex", -2.0)
    set_cell(made, "sbow-ppmi-is", "AL₁", "HyperLex", -3.0)
    for dive in ("dive", "dive-paper", "dive-tokens"):
        all_scores = {**MORE, "W·ΔQ": 29.0, **DIVE}
        made[dive] = space(all_scores, cost=cost(100), dimensions={"all": 9.0}, direction=direction(ΔS=66.2))
        set_cell(made, dive, "ΔS", "WordNet", 40.0)
        made[f"{dive}-no-shift"] = space(moved(DIVE, -5.0))
        made[f"{dive}-no-pmi"] = space(moved(DIVE, -0.5))
        made[f"{dive}-pubmed"] = space(moved(DIVE, 0.9, CDE=3.0, AL1=2.0))
        made[f"{dive}-raw-only"] = space(DIVE)
        made[f"{dive}-no-pmi-raw-only"] = space(moved(DIVE, -0.6))
        made[f"{dive}-narrow"] = space(moved(DIVE, -1.0))
        made[f"{dive}-narrow-no-pmi"] = space(moved(DIVE, -1.2))
        made[f"{dive}-sentences"] = space(moved(DIVE, 0.9))
    return made


def set_cell(made: World, name: str, score: str, dataset: str, value: float) -> None:
    made[name]["datasets"][dataset]["scores"][get(score).name] = {"ap": value}


def set_all(made: World, name: str, **values: float) -> None:
    """Other averages of a space, and the same on every set."""
    for score, value in values.items():
        named = get(score.replace("_", "·")).name
        for which in ("micro10", "micro4"):
            made[name][which][named] = value
        for one in ELEVEN:
            set_cell(made, name, named, one, value)


def replaced(name: str, values: dict[str, float]) -> Callable[[World, str], None]:
    return lambda made, dive: made[name.replace("DIVE", dive)].update(space(values))


def changed(name: str, **values: float) -> Callable[[World, str], None]:
    return lambda made, dive: set_all(made, name.replace("DIVE", dive), **values)


def on_sets(name: str, score: str, value: float, many: int) -> Callable[[World, str], None]:
    def change(made: World, dive: str) -> None:
        for one in ELEVEN[:many]:
            set_cell(made, name.replace("DIVE", dive), score, one, value)

    return change


def on_hyperlex(name: str, scores: tuple[str, ...], value: float) -> Callable[[World, str], None]:
    def change(made: World, dive: str) -> None:
        for score in scores:
            set_cell(made, name, score, "HyperLex", value)

    return change


def nested(*keys: str, value: float) -> Callable[[World, str], None]:
    def change(made: World, dive: str) -> None:
        at: Any = made[keys[0].replace("DIVE", dive)]
        for key in keys[1:-1]:
            at = at[key]
        at[keys[-1]] = value

    return change


def several(*changes: Callable[[World, str], None]) -> Callable[[World, str], None]:
    def change(made: World, dive: str) -> None:
        for one in changes:
            one(made, dive)

    return change


# what just breaks each sentence, and what just does not
BREAKS: list[tuple[str, Callable[[World, str], None]]] = [
    ("shift", replaced("DIVE-no-shift", moved(DIVE, -2.9))),
    ("shift", replaced("DIVE-no-shift", moved(DIVE, -9.0, CDE=0.0))),
    ("filter", replaced("DIVE-no-pmi", moved(DIVE, -3.1))),
    ("filter", replaced("DIVE-no-pmi", moved(DIVE, 0.1))),
    ("similar", on_sets("DIVE", "CDE", 20.0, 0)),
    ("savings", nested("DIVE", "cost", "bytes", "raw", value=201)),
    ("savings", nested("DIVE", "cost", "seconds", "AL₁", value=201)),
    ("over-freq", changed("DIVE", C_ΔS=30.6)),
    ("over-freq", changed("DIVE", W_ΔS=31.0)),
    ("over-ppmi", changed("DIVE", AL1=20.0)),
    ("combined", nested("DIVE", "micro10", "ΔS", value=34.0)),
    ("combined", on_sets("DIVE", "ΔS", 36.0, 6)),
    ("best", nested("sbow-ppmi", "micro4", "C·ΔS", value=35.1)),
    ("best", nested("kmeans", "micro10", "ΔS", value=35.1)),
    ("no-single", on_sets("DIVE", "W·ΔS", 99.0, 11)),
    ("embeddings", changed("gaussian", KL=34.0)),
    ("embeddings", on_sets("word2vec", "C", 60.0, 6)),
    ("kmeans-freq", changed("kmeans", CDE=27.4)),
    ("kmeans-freq", changed("kmeans", AL1=26.5)),
    ("kmeans-dive", changed("kmeans", ΔS=35.5)),
    ("kmeans-dive", on_sets("kmeans", "ΔS", 50.0, 5)),
    ("slqs", nested("sbow-freq", "direction", "SLQS Sub", "accuracy", value=66.0)),
    ("slqs", nested("DIVE", "direction", "ΔS", "accuracy", value=62.0)),
    ("direction", nested("DIVE", "direction", "ΔS", "accuracy", value=65.9)),
    ("decided", nested("DIVE", "direction", "ΔS", "decided", value=69.4)),
    ("decided", nested("DIVE", "direction", "ΔS", "decided", value=75.5)),
    ("robust", nested("DIVE", "micro10", "C·ΔQ", value=34.0)),
    ("robust", nested("DIVE", "micro10", "ΔE", value=31.0)),
    ("scores", nested("DIVE", "micro10", "ΔQ", value=34.5)),
    ("inclusion", nested("DIVE", "micro10", "Weeds", value=28.5)),
    ("al1-frequency", nested("DIVE", "micro10", "ΔE", value=26.0)),
    ("w0", nested("DIVE", "micro10", "AL₁:w0=20.0", value=26.0)),
    ("w0", nested("sbow-ppmi", "micro10", "AL₁:w0=20.0", value=20.0)),
    ("ppmi-freq", changed("sbow-ppmi", W_ΔS=31.0)),
    ("ppmi-freq", changed("sbow-ppmi", CDE=28.5)),
    ("shifted-ppmi", replaced("sbow-ppmi-is", moved(PPMI, 0.5, CDE=-1, AL1=-1))),
    ("shifted-ppmi", on_hyperlex("sbow-ppmi-is", ("CDE", "ΔS", "C·ΔS"), 90.0)),
    ("al1", nested("sbow-ppmi", "datasets", "HyperLex", "scores", "AL₁", "ap", value=5.0)),
    ("al1", nested("DIVE", "datasets", "HyperLex", "scores", "AL₁", "ap", value=5.0)),
    ("filtered-freq", replaced("sbow-freq-filtered", FREQ)),
    ("filtered-freq", replaced("sbow-freq-filtered", moved(PPMI, 0.1))),
    ("filtered-ppmi", replaced("sbow-ppmi-filtered", moved(PPMI, 0.1, CDE=-1, AL1=-1))),
    ("filtered-ppmi", replaced("sbow-ppmi-filtered-more", moved(PPMI, -0.1, CDE=-1, AL1=-1, ΔS=0.2))),
    ("shifted-k", replaced("sbow-ppmi-shifted", moved(PPMI, 0.1, CDE=-1, AL1=-1))),
    ("pubmed", replaced("DIVE-pubmed", moved(DIVE, 0.9, CDE=3.0, AL1=2.0, ΔS=1.2))),
    ("first-lines", replaced("sbow-ppmi-random-raw", moved(PPMI, 0.1, CDE=-1, AL1=-1))),
    ("sentences", replaced("DIVE-sentences", moved(DIVE, 0.0, CDE=1.1))),
    ("window", replaced("DIVE-narrow-no-pmi", moved(DIVE, -1.7))),
    ("frequency", nested("DIVE", "micro10", "Frequency:power=0.5", value=31.0)),
    ("frequency", nested("DIVE", "micro10", "Frequency:power=1.0", value=31.0)),
    # figures that are equal are neither above nor below
    ("embeddings", on_sets("word2vec", "C", 34.0, 6)),
    ("embeddings", nested("gaussian", "micro10", "KL", value=34.0)),
    ("kmeans-dive", on_sets("kmeans", "ΔS", 35.0, 5)),
    ("kmeans-dive", nested("kmeans", "micro10", "W·ΔS", value=35.0)),
    ("combined", on_sets("DIVE", "ΔS", 35.0, 6)),
    ("shifted-ppmi", several(
        replaced("sbow-ppmi-is", moved(PPMI, 0.0, CDE=-1, AL1=-1)),
        on_hyperlex("sbow-ppmi-is", tuple(PPMI), -9.0),
    )),
    ("shifted-ppmi", several(*(on_hyperlex("sbow-ppmi-is", (s,), PPMI[s]) for s in ("CDE", "ΔS", "C·ΔS")))),
    ("filtered-freq", replaced("sbow-freq-filtered", PPMI)),
    ("filtered-freq", replaced("sbow-freq-filtered", moved(FREQ, -9.0))),
    ("filtered-freq", replaced(
        "sbow-freq-filtered", {"CDE": 25.5, "AL₁": 13.5, "ΔS": 31.0, "W·ΔS": 35.0, "C·ΔS": 33.4}
    )),
    ("filtered-ppmi", several(
        replaced("sbow-ppmi-filtered", moved(PPMI, 0.0, CDE=-1, AL1=-1)),
        replaced("sbow-ppmi-filtered-more", moved(PPMI, -2.0)),
    )),
    ("filtered-ppmi", several(
        replaced("sbow-ppmi-filtered", moved(PPMI, -1.0)),
        replaced("sbow-ppmi-filtered-more", moved(PPMI, -1.0, CDE=-2, AL1=-2)),
    )),
    ("pubmed", replaced("DIVE-pubmed", moved(DIVE, 1.08))),
    ("pubmed", replaced("DIVE-pubmed", moved(DIVE, -1.08))),
    ("first-lines", replaced("sbow-ppmi-random-raw", moved(PPMI, 0.0, CDE=-1, AL1=-1))),
    ("window", several(
        replaced("DIVE-no-pmi-raw-only", moved(DIVE, -0.5)),
        replaced("DIVE-narrow", moved(DIVE, -1.0)),
        replaced("DIVE-narrow-no-pmi", moved(DIVE, -1.5)),
    )),
]  # fmt: skip
KEEPS: list[tuple[str, Callable[[World, str], None]]] = [
    ("shift", replaced("DIVE-no-shift", moved(DIVE, -3.0))),
    ("filter", replaced("DIVE-no-pmi", moved(DIVE, -3.0))),
    ("similar", on_sets("DIVE", "CDE", 27.5, 11)),
    ("similar", on_sets("DIVE", "CDE", 1.0, 11)),  # four of five scores are most
    ("savings", nested("DIVE", "cost", "bytes", "raw", value=200)),
    ("combined", on_sets("DIVE", "ΔS", 36.0, 4)),
    ("embeddings", on_sets("word2vec", "C", 60.0, 5)),
    ("kmeans-freq", changed("kmeans", CDE=27.5)),
    ("kmeans-dive", on_sets("kmeans", "ΔS", 50.0, 4)),
    ("direction", nested("DIVE", "direction", "ΔS", "accuracy", value=66.0)),
    ("decided", nested("DIVE", "direction", "ΔS", "decided", value=69.5)),
    ("decided", nested("DIVE", "direction", "ΔS", "decided", value=75.4)),
    ("shifted-k", replaced("sbow-ppmi-shifted", moved(PPMI, 0.0, CDE=1, AL1=1))),
    ("sentences", replaced("DIVE-sentences", moved(DIVE, 1.0))),
    # differences below a point are differences
    ("shift", replaced("DIVE-no-shift", moved(DIVE, -9.0, CDE=-0.5))),
    ("over-freq", changed("DIVE", C_ΔS=31.0)),
    ("over-ppmi", changed("DIVE", AL1=20.5)),
    ("kmeans-dive", changed("kmeans", W_ΔS=34.5)),
    ("combined", on_sets("DIVE", "C·ΔS", 30.0, 11)),
    ("ppmi-freq", changed("sbow-ppmi", C_ΔS=31.0)),
    ("pubmed", replaced("DIVE-pubmed", moved(DIVE, 1.0))),
    ("pubmed", replaced("DIVE-pubmed", moved(DIVE, -1.0))),
]
ROWS = {"dive": OURS, "dive-paper": CONSTANTS, "dive-tokens": TOKENS}


def verdict(made: World, name: str, dive: str) -> str:
    """By the rules alone, for one kind of DIVE; `test_rows_are_judged_for_their_space` ties rules to rows."""
    try:
        holds, _ = judge(CLAIMS[name], RunFigures(made), dive)
    except Missing:
        return "cannot be told"
    return "holds" if holds else "does not hold"


def test_rows_are_judged_for_their_space() -> None:
    made = world()
    BREAKS[0][1](made, "dive-paper")  # the shift of one row alone
    rows = {claim.row: claim.verdict for claim in check(RunFigures(made)) if claim.name == "shift"}
    assert rows == {PRINTED: "holds", CONSTANTS: "does not hold", OURS: "holds", TOKENS: "holds"}
    del made["dive-tokens"]
    assert TOKENS not in {claim.row for claim in check(RunFigures(made))}
    kinds = {
        name: {claim.row for claim in check(RunFigures(made)) if claim.name == name} for name in ("ppmi-freq", "robust")
    }
    assert kinds["ppmi-freq"] == {PRINTED, "measured"}
    assert kinds["robust"] == {f"{PRINTED}, SBOW Freq", "SBOW Freq", CONSTANTS, OURS}


@pytest.mark.parametrize("dive", ROWS)
def test_every_sentence_can_hold(dive: str) -> None:
    made = world()
    assert {name: verdict(made, name, dive) for name in CLAIMS} == dict.fromkeys(CLAIMS, "holds")


@pytest.mark.parametrize("dive", ["dive", "dive-paper"])
@pytest.mark.parametrize("case", range(len(BREAKS)))
def test_a_sentence_fails_when_its_figures_do(case: int, dive: str) -> None:
    name, change = BREAKS[case]
    made = world()
    change(made, dive)
    if name == "similar":  # three of five scores of one set
        for score in ("CDE", "AL₁", "ΔS"):
            set_cell(made, dive, score, "LEDS", FREQ[score] - 1.1)
    assert verdict(made, name, dive) == "does not hold"


@pytest.mark.parametrize("case", range(len(KEEPS)))
def test_a_sentence_holds_at_its_limit(case: int) -> None:
    name, change = KEEPS[case]
    made = world()
    change(made, "dive")
    assert verdict(made, name, "dive") == "holds"


def test_every_sentence_has_a_case_that_breaks_it() -> None:
    assert {name for name, _ in BREAKS} == set(CLAIMS)


def test_what_was_not_run_cannot_be_told() -> None:
    for claim in check(RunFigures({})):
        if not claim.row.startswith(PRINTED):
            assert claim.verdict == "cannot be told"
            assert claim.figures == "a stage it needs was not run"
    made = world()
    del made["kmeans"]
    assert verdict(made, "best", "dive") == "cannot be told"


def test_sparse_sentences_look_at_both_sparse_spaces() -> None:
    """The similar sentence counts cells of Freq and of PPMI apart."""
    made = world()
    for score in ("CDE", "AL₁", "ΔS"):
        set_cell(made, "dive", score, "LEDS", min(PPMI[score], FREQ[score]) - 1.1)
    text = next(claim.figures for claim in check(RunFigures(made)) if claim.name == "similar" and claim.row == OURS)
    assert (
        "SBOW Freq − 1 reached in 47 of 50 cells of ten sets and 5 of 5 of HyperLex, by most scores on 10 of 11" in text
    )
    assert "SBOW PPMI − 1 reached in 47 of 50 cells" in text


def test_a_clear_gap_needs_its_whole_interval() -> None:
    made = world()
    made["dive"]["resampled"] = {"micro10": {"W·ΔS": [35.0, 35.0, 35.0]}}
    for best, said in ((36.0, "does not hold"), (34.9, "holds")):
        made["kmeans"]["resampled"] = {"micro10": {"W·ΔS": [31.0, 31.0, best]}}
        assert verdict(made, "kmeans-dive", "dive") == said


def test_the_printed_figures_are_judged_by_the_same_rules() -> None:
    """Where the paper's own tables do not bear a sentence out, the row says so."""
    papers = {claim.name: claim for claim in check(RunFigures({})) if claim.row.startswith(PRINTED)}
    failing = {name for name, claim in papers.items() if claim.verdict == "does not hold"}
    assert failing == {"similar", "kmeans-freq", "scores", "shifted-ppmi"}
    assert "SBOW PPMI − 1 reached in 40 of 50 cells" in papers["similar"].figures
    assert papers["direction"].figures == "DIVE 67.0, SBOW Freq 66.8, SBOW PPMI 66.8"
    table = claims_table(check(RunFigures({})))
    assert {row.labels[1] for row in table.rows} >= {PRINTED, CONSTANTS, OURS}


def test_savings_tell_memory_words_and_times() -> None:
    text = figures_of("savings")
    times = ", ".join(f"{score} 300" for score in COSTED)
    first = f"SBOW Freq: 300 times the memory, 100 times the non-zeros of a test word; times longer to score: {times}"
    assert text.startswith(first + "; SBOW PPMI: 200 times the memory; times longer")
    assert verdict({**world(), "dive": {**world()["dive"], "cost": cost(0.0)}}, "savings", "dive") == "does not hold"


NEEDS = {
    "shift": ["DIVE", "DIVE-no-shift"],
    "filter": ["DIVE", "DIVE-no-pmi"],
    "similar": ["DIVE", "sbow-freq", "sbow-ppmi"],
    "savings": ["DIVE", "sbow-freq", "sbow-ppmi"],
    "over-freq": ["DIVE", "sbow-freq"],
    "over-ppmi": ["DIVE", "sbow-ppmi"],
    "combined": ["DIVE"],
    "best": ["DIVE", "kmeans", "sbow-ppmi"],
    "no-single": ["DIVE"],
    "embeddings": ["DIVE", "gaussian", "word2vec"],
    "kmeans-freq": ["kmeans", "sbow-freq"],
    "kmeans-dive": ["DIVE", "kmeans"],
    "slqs": ["DIVE", "sbow-freq", "sbow-ppmi"],
    "direction": ["DIVE", "sbow-freq", "sbow-ppmi"],
    "decided": ["DIVE"],
    "robust": ["DIVE"],
    "scores": ["DIVE"],
    "inclusion": ["DIVE"],
    "al1-frequency": ["DIVE"],
    "w0": ["DIVE", "sbow-freq", "sbow-ppmi"],
    "ppmi-freq": ["sbow-ppmi", "sbow-freq"],
    "shifted-ppmi": ["sbow-ppmi", "sbow-ppmi-is"],
    "al1": ["DIVE", "sbow-ppmi"],
    "filtered-freq": ["sbow-freq", "sbow-freq-filtered", "sbow-ppmi"],
    "filtered-ppmi": ["sbow-ppmi", "sbow-ppmi-filtered", "sbow-ppmi-filtered-more"],
    "shifted-k": ["sbow-ppmi", "sbow-ppmi-shifted"],
    "pubmed": ["DIVE", "DIVE-pubmed"],
    "first-lines": ["sbow-ppmi-half-raw", "sbow-ppmi-random-raw"],
    "sentences": ["DIVE-raw-only", "DIVE-sentences"],
    "window": ["DIVE-raw-only", "DIVE-no-pmi-raw-only", "DIVE-narrow", "DIVE-narrow-no-pmi"],
    "frequency": ["DIVE"],
}


@pytest.mark.parametrize("name", NEEDS)
def test_a_sentence_is_left_open_without_any_space_that_it_needs_and_by_no_other(name: str) -> None:
    needed = {space.replace("DIVE", "dive-paper") for space in NEEDS[name]}
    for left_out in world():
        made = world()
        del made[left_out]
        assert verdict(made, name, "dive-paper") == ("cannot be told" if left_out in needed else "holds"), left_out


def test_a_sentence_is_left_open_without_one_of_its_averages_or_cells() -> None:
    for name, where, which, score in (
        ("combined", "dive", "micro10", "ΔS"),
        ("best", "dive", "micro4", "W·ΔS"),
        ("embeddings", "gaussian", "micro10", "KL"),
        ("shifted-ppmi", "sbow-ppmi-is", "micro10", "ΔS"),
        ("frequency", "dive", "micro10", "C·ΔS"),
        ("shift", "dive-no-shift", "micro10", "CDE"),
    ):
        made = world()
        del made[where][which][score]
        assert verdict(made, name, "dive") == "cannot be told", name
    for name, where in (("shifted-ppmi", "sbow-ppmi-is"), ("al1", "sbow-ppmi"), ("al1", "dive"), ("similar", "dive")):
        made = world()
        del made[where]["datasets"]["HyperLex"]["scores"]["AL₁"]
        assert verdict(made, name, "dive") == "cannot be told", name
    for where in ("dive", "dive-pubmed"):
        made = world()
        del made[where]["datasets"]["Medical"]["scores"]["AL₁"]
        assert verdict(made, "pubmed", "dive") == "cannot be told"
    for where, score in (("sbow-freq", "SLQS Sub"), ("sbow-ppmi", "ΔS"), ("dive", "ΔS")):
        made = world()
        del made[where]["direction"][score]
        assert verdict(made, "slqs", "dive") == "cannot be told"


def figures_of(name: str, change: Callable[[World, str], None] | None = None) -> str:
    made = world()
    if change is not None:
        change(made, "dive")
    return judge(CLAIMS[name], RunFigures(made), "dive")[1]


def test_figures_are_counted_and_listed() -> None:
    assert "SBOW Freq − 1 reached in 50 of 50 cells" in figures_of("similar", on_sets("DIVE", "CDE", 27.5, 11))
    assert "SBOW Freq − 1 reached in 40 of 50 cells" in figures_of("similar", on_sets("DIVE", "CDE", 27.4, 11))
    assert figures_of("scores") == "highest: W·ΔS 35.0, C·ΔS 34.0, ΔS 31.0, C·ΔQ 30.0, ΔQ 29.0"
    equal = on_sets("DIVE", "C·ΔS", 31.0, 11)  # W·ΔS is above ΔS on all sets but WordNet
    expected = "above ΔS: W·ΔS on 10, C·ΔS on 0, either on 10 of 11 sets; averages W·ΔS 35.0, C·ΔS 34.0, ΔS 31.0"
    assert figures_of("combined", equal) == expected
    assert figures_of("no-single") == "best on so many sets: ΔS 1, W·ΔS 10"
    assert figures_of("direction") == "DIVE 66.2, SBOW Freq 66.0, SBOW PPMI 66.5"
    alone = nested("DIVE", "direction", "Frequency", value={"accuracy": 64.0})  # type: ignore[arg-type]
    assert figures_of("direction", alone).endswith("SBOW PPMI 66.5, frequency alone 64.0")
    # distances 1.5, 6.5, 0.5, 2 and 1.4, and with the filter 0.5, 1.5, 0.2, 1.7 and 1.1
    assert figures_of("filtered-freq").startswith("mean distance from PPMI 2.4 without and 1.0 with the filter")
    assert "SBOW Freq: 0 times the memory" in figures_of(
        "savings", lambda made, dive: made[dive].update(cost=cost(0.0))
    )
    assert figures_of("over-ppmi") == "AL₁ 26.0 against 20.0 (+6.0)"
    assert figures_of("window") == "the filter adds +0.6 with ten words on each side and +0.2 with two"


def test_a_gap_of_nothing_is_not_clear() -> None:
    made = world()
    for name in ("dive", "kmeans"):
        made[name]["resampled"] = {"micro10": {"W·ΔS": [35.0, 35.0, 35.0]}}
    assert verdict(made, "kmeans-dive", "dive") == "does not hold"
    text = judge(CLAIMS["kmeans-dive"], RunFigures(made), "dive")[1]
    assert text.endswith("K-means W·ΔS 31.4 (95 % +0.0 to +0.0)")


def test_an_interval_needs_as_many_resamples_of_both() -> None:
    def of(*values: float) -> dict[str, Any]:
        return {"micro10": {"ΔS": 30.0}, "resampled": {"micro10": {"ΔS": list(values)}}}

    found = RunFigures({"one": of(31.0), "two": of(30.0), "more": of(1.0, 2.0), "none": of(), "bare": {}})

    def gap(first: str, second: str) -> tuple[float, tuple[float, float] | None] | None:
        return found.gap(first, "ΔS", second, "ΔS")

    assert gap("one", "two") == (0.0, (1.0, 1.0))
    assert gap("one", "more") == gap("more", "one") == gap("none", "none") == gap("none", "one") == (0.0, None)
    assert gap("one", "bare") is None and gap("bare", "one") is None and gap("bare", "bare") is None
    assert found.get("bare", "ΔS", "direction:accuracy") is None


def test_which_sentences_the_printed_figures_can_be_judged_by() -> None:
    papers = {claim.name: claim for claim in check(RunFigures({})) if claim.row.startswith(PRINTED)}
    open_ = {name for name, claim in papers.items() if claim.verdict == "cannot be told"}
    assert open_ == {
        "savings", "decided", "w0", "filtered-freq", "filtered-ppmi", "shifted-k", "first-lines", "sentences", "window",
        "frequency",
    }  # fmt: skip
    assert {papers[name].figures for name in open_} == {"not printed"}
    assert papers["embeddings"].verdict == "holds"
    assert all(claim.figures for claim in papers.values())
