"""Corrections: contradictions, operations on them, and a finished taxonomy with them applied."""

from __future__ import annotations

import pytest

from hyperdive.taxonomy.corrections import Contradiction, Corrections, Rule, revise
from hyperdive.taxonomy.taxonomy import Edge, Origin, Taxonomy

FORCED = ("force", "dog", "animal")


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ([("force", "dog")], "is not a correction"),
        ([("force", "dog", " ")], "is not a correction"),
        ([("cut", "dog", "animal")], "is not a correction"),
        ([("force", "dog", "Dog")], "does not name two terms"),
        ([("forbid", "dog", "Dog")], "does not name two terms"),
        ([("merge", "dog", "Dog")], "does not name two terms"),
        ([("merge", "a", "b"), ("force", "a", "b")], "force 'b' 'b' does not name two terms"),
        ([("merge", "a", "b"), ("merge", "a", "c")], "'a' is merged into 'b' and 'c'"),
        ([("rename", "a", "A"), ("rename", "a", "B")], "'a' is renamed to 'A' and 'B'"),
        ([("merge", "a", "b"), ("merge", "b", "a")], "terms are merged in a cycle: a → b → a"),
        ([FORCED, ("force", "animal", "dog")], "the forced edges form a cycle: dog → animal → dog"),
        ([FORCED, ("root", "Dog")], "'dog' is under 'animal' and under nothing"),
        ([FORCED, ("forbid", "dog", "animal")], "'dog' under 'animal' is forbidden and forced: dog → animal"),
    ],
)
def test_contradictions(rules: list[Rule], says: str) -> None:
    with pytest.raises(Contradiction, match=says):
        Corrections(rules).check()


def test_more_forced_parents_than_a_term_may_have() -> None:
    rules = Corrections([FORCED, ("force", "dog", "pet")])
    assert rules.check() is rules.check(2) is rules
    with pytest.raises(
        Contradiction, match="'dog' is forced under 'animal' and 'pet', but a term may have 1 parent "
    ) as error:
        rules.check(1)
    assert error.value.hint == "remove a line, or allow more with --set parents=2"


@pytest.mark.parametrize(
    ("rules", "operation", "expected"),
    [
        ([FORCED], ("accept", "Dog", "pet"), [("force", "Dog", "pet")]),
        ([("forbid", "dog", "pet"), ("root", "dog")], ("accept", "dog", "pet"), [("force", "dog", "pet")]),
        (
            [FORCED, ("force", "cat", "pet")],
            ("reject", "dog", "animal"),
            [("force", "cat", "pet"), ("forbid", "dog", "animal")],
        ),
        ([FORCED], ("reject", "dog", "pet"), [FORCED, ("forbid", "dog", "pet")]),
        ([FORCED], ("move", "dog", "pet"), [("force", "dog", "pet")]),
        ([FORCED], ("move", "dog", None), [("root", "dog")]),
        ([("rename", "dog", "Doggy"), ("add", "dog")], ("merge", "dog", "hound"), [("merge", "dog", "hound")]),
        ([FORCED], ("merge", "dog", "animal"), [("merge", "dog", "animal")]),
        ([("forbid", "animal", "dog")], ("merge", "dog", "animal"), [("merge", "dog", "animal")]),
        ([FORCED, ("root", "hound")], ("merge", "dog", "hound"), [("root", "hound"), ("merge", "dog", "hound")]),
        ([FORCED], ("merge", "dog", "hound"), [FORCED, ("merge", "dog", "hound")]),
        ([("rename", "dog", "Doggy")], ("rename", "dog", " The  Dog"), [("rename", "dog", "The Dog")]),
        ([("rename", "dog", "Doggy")], ("rename", "Doggy", "dog"), []),
        ([], ("add", "owl", None), [("add", "owl")]),
        ([("forbid", "owl", "bird")], ("add", "owl", "bird"), [("add", "owl"), ("force", "owl", "bird")]),
        ([("merge", "hound", "dog")], ("accept", "hound", "animal"), [("merge", "hound", "dog"), FORCED]),
    ],
)
def test_operations_replace_what_they_would_contradict(
    rules: list[Rule], operation: tuple[str, str, str | None], expected: list[Rule]
) -> None:
    decided = Corrections(rules, "7").decided(*operation)
    assert decided.check().rules == tuple(expected) and decided.version == "7"


def test_an_accepted_edge_beside_others() -> None:
    decided = Corrections([FORCED]).decided("accept", "dog", "pet", keep_others=True)
    assert decided.rules == (FORCED, ("force", "dog", "pet"))


def test_changes_ignore_the_spelling_of_terms_but_not_of_new_names() -> None:
    rules = Corrections([FORCED, ("rename", "dog", "Dog")])
    assert rules.changed([("force", " Dog", "Animal")], [("force", "DOG", "animal")]) == rules
    assert rules.changed(remove=[("rename", "dog", "DOG")]) == rules
    assert rules.changed(remove=[("force", "DOG", "animal")]).rules == (("rename", "dog", "Dog"),)


def edge(child: str, parent: str, confidence: float) -> Edge:
    return Edge(child, parent, confidence, confidence, 0, "model")


def pets(*edges: Edge) -> Taxonomy:
    terms = dict.fromkeys(term for one in edges for term in (one.child, one.parent))
    return Taxonomy(terms, edges, origin=Origin("confidence", True, ("a note",)), added=["animal"])


def pairs(taxonomy: Taxonomy) -> set[tuple[str, str]]:
    return {(one.child, one.parent) for one in taxonomy.edges}


def test_a_forced_edge_replaces_the_least_confident_parents() -> None:
    graph = pets(edge("dog", "animal", 0.9), edge("dog", "pet", 0.6), edge("dog", "thing", 0.7))
    rules = Corrections([("force", "dog", "friend")])
    assert pairs(revise(graph, rules)) == {("dog", "friend")}
    assert pairs(revise(graph, rules, parents=3)) == {("dog", "friend"), ("dog", "animal"), ("dog", "thing")}
    confirmed = revise(graph, Corrections([("force", "dog", "pet")]), parents=2)
    assert {(one.parent, one.confidence, one.reason) for one in confirmed.edges} == {
        ("animal", 0.9, "model"),
        ("pet", 1.0, "expert"),
    }
    assert confirmed.notes == ("a note",) and confirmed.added == {"animal"} and confirmed.score == "confidence"


def test_cycles_and_forbidden_ancestors_lose_their_least_confident_edge() -> None:
    chain = pets(edge("poodle", "dog", 0.9), edge("dog", "animal", 0.6), edge("animal", "thing", 0.8))
    assert pairs(revise(chain, Corrections([("force", "thing", "poodle")]))) == {
        ("poodle", "dog"),
        ("animal", "thing"),
        ("thing", "poodle"),
    }
    forbidden = Corrections([("forbid", "poodle", "thing"), ("force", "dog", "animal")])
    assert pairs(revise(chain, forbidden)) == {("poodle", "dog"), ("dog", "animal")}
    assert revise(chain, Corrections([("root", "dog")])).roots == ["dog", "thing"]


def test_merged_and_renamed_terms_keep_their_names_as_synonyms() -> None:
    tree = pets(edge("poodle", "dog", 0.9), edge("hound", "animal", 0.6))
    found = revise(tree, Corrections([("merge", "hound", "dog"), ("rename", "dog", "House dog"), ("add", "owl")]))
    assert pairs(found) == {("poodle", "House dog"), ("House dog", "animal")}
    assert found.synonyms == {"House dog": ("dog", "hound")} and found.terms[-1] == "poodle" and "owl" in found
    with pytest.raises(Contradiction):
        revise(tree, Corrections([FORCED, ("root", "dog")]))
