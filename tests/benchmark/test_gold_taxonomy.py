"""Figures of a taxonomy against known pairs."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.benchmark.datasets import Dataset
from hyperdive.benchmark.gold_taxonomy import Gold, PrecisionRecall, closure, load_gold
from hyperdive.errors import InputError
from tests.examples import examples

ROWS = [
    ("poodle", "dog", 1.0),
    ("dog", "animal", 1.0),
    ("cat", "animal", 1.0),
    ("cat", "dog", 0.0),
    ("car", "dog", 0.0),
]


def test_the_gold_itself_is_perfect() -> None:
    gold = Gold([Dataset.from_rows("mine", ROWS)])
    found = gold.compare([("poodle", "dog"), ("dog", "animal"), ("cat", "animal")])
    assert (found.edges.f1, found.direct.f1, found.ancestors.f1, found.judged) == (1.0, 1.0, 1.0, 1.0)
    assert found.terms == 4  # "car" is in no known pair


def test_what_counts_as_right() -> None:
    gold = Gold([Dataset.from_rows("mine", ROWS)])
    found = gold.compare([("poodle", "animal"), ("cat", "dog"), ("animal", "car"), ("dog", "cat")])
    assert (found.edges.found, found.edges.stated, found.edges.gold) == (1, 3, 3)  # an edge to "car" is nobody's
    assert found.direct.found == 0  # between poodle and animal the gold has dog
    assert (found.judged_edges, found.judged) == (2, 0.5)  # nobody said anything of dog → cat
    found = gold.compare([("poodle", "hound"), ("hound", "animal")])
    assert (found.ancestors.found, found.ancestors.stated) == (1, 1)  # through a term the gold does not know
    found = gold.compare([("poodle", "animal")], terms=["poodle", "animal"])
    assert found.direct.f1 == found.ancestors.f1 == 1.0
    one = gold.compare([("cat", "animal")]).edges
    assert (one.precision, one.recall, one.f1) == pytest.approx((1.0, 1 / 3, 0.5))
    two = gold.compare([("cat", "animal"), ("cat", "dog")])
    assert (two.edges.precision, two.edges.recall, two.edges.f1) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert (two.ancestors.precision, two.ancestors.recall) == pytest.approx((1 / 2, 1 / 4))
    none = gold.compare([])
    assert none.edges == none.edges.__class__(0.0, 0.0, 0.0, 0, 0, 3) and none.judged == 0.0
    wrong = gold.compare([("cat", "dog")])
    assert (wrong.edges.f1, wrong.judged, wrong.judged_edges) == (0.0, 0.0, 1)


def test_chains_stay_inside_a_dataset_and_pairs_of_both_directions_fall() -> None:
    one = Dataset.from_rows("one", [("jaguar", "cat", 1.0), ("x", "y", 1.0)])
    two = Dataset.from_rows("two", [("cat", "tractor", 1.0), ("y", "x", 1.0)])
    assert Gold([one, two]).is_a == {("jaguar", "cat"), ("cat", "tractor")}
    tagged = Dataset.from_rows("t", [("dog-n", "animal-n", 1.0), ("bark-v", "shout-v", 1.0)], tagged=True)
    assert Gold([tagged]).terms == ("animal", "dog")
    with pytest.raises(InputError, match="no is-a pair"):
        Gold([Dataset.from_rows("none", [("a", "b", 0.0)])])
    with pytest.raises(InputError, match="grades"):
        Gold([Dataset.from_rows("graded", [("a", "b", 3.0)], graded=True)])


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=12))
@examples(100)
def test_closure_agrees_with_networkx(pairs: list[tuple[str, str]]) -> None:
    expected = {(a, b) for a, b in nx.transitive_closure(nx.DiGraph(pairs)).edges if a != b}
    assert closure(pairs) == expected


def test_the_real_datasets(data_folder: Path) -> None:
    gold = load_gold(["BLESS"], data=data_folder)
    assert (len(gold.terms), len(gold.is_a)) == (330, 1337)
    assert ("alligator", "animal") in gold.is_a


def test_where_nothing_is_stated_or_known_every_share_is_0() -> None:
    for stated, gold in ((0, 3), (3, 0), (0, 0)):
        figures = PrecisionRecall.of(found=0, stated=stated, gold=gold)
        assert (figures.precision, figures.recall, figures.f1) == (0.0, 0.0, 0.0)


def test_one_edge_one_child_and_one_judged_edge() -> None:
    gold = Gold([Dataset.from_rows("mine", ROWS)])
    one = gold.compare([("cat", "animal")])
    assert (one.edges.precision, one.judged, one.judged_edges) == (1.0, 1.0, 1)
    pair = gold.compare([("poodle", "animal")], terms=["poodle", "animal", "yak"])
    assert (pair.terms, pair.edges.recall, pair.edges.gold, pair.judged) == (2, 1.0, 1, 1.0)


@pytest.mark.parametrize(("found", "stated", "gold", "f1"), [(2, 2, 2, 1.0), (1, 3, 1, 0.5), (0, 1, 0, 0.0)])
def test_f1_is_twice_the_found_over_both(found: int, stated: int, gold: int, f1: float) -> None:
    assert PrecisionRecall.of(found, stated, gold).f1 == f1


def test_a_gold_is_verified_unless_told_otherwise() -> None:
    assert signature(load_gold).parameters["verify"].default is True
