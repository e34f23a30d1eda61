"""A taxonomy as a person asks for it: right on a known tree, never in a circle, kind to mistakes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hyperdive import Model
from hyperdive.ask.question import term_lines
from hyperdive.errors import Error, InputError, OptionError, UnknownWordError
from hyperdive.patterns.evidence import Evidence, pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores.confidence import HEAD_CONFIDENCE
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.registry import register, unregister
from hyperdive.scores.terms import heads_of
from hyperdive.spaces.space import VectorSpace
from hyperdive.taxonomy.corrections import Corrections, read_corrections
from hyperdive.taxonomy.forest import order_from_roots
from hyperdive.taxonomy.taxonomy import Taxonomy
from hyperdive.taxonomy.terms import MAX_TERMS
from tests.ask.small import PARENT, WORDS, small_model
from tests.taxonomy.believed import believe, grown

Patch = pytest.MonkeyPatch
PETS = {
    ("poodle", "dog"): 0.9,
    ("poodle", "animal"): 0.95,
    ("spaniel", "dog"): 0.9,
    ("spaniel", "animal"): 0.8,
    ("dog", "animal"): 0.9,
    ("cat", "animal"): 0.9,
    ("sparrow", "bird"): 0.9,
    ("sparrow", "animal"): 0.7,
    ("bird", "animal"): 0.9,
    ("animal", "car"): 0.3,
}


def pairs(found: Taxonomy) -> set[tuple[str, str]]:
    return {(edge.child, edge.parent) for edge in found}


def without_cycle(found: Taxonomy) -> bool:
    number = {term: place for place, term in enumerate(found.terms)}
    above = [[number[parent] for parent in found.parents(term)] for term in found.terms]
    return len(order_from_roots(above)) == len(found)


# ---- the tree -----------------------------------------------------------------------------------------------------


def test_a_closer_parent_wins_over_a_surer_one_that_it_implies(monkeypatch: Patch) -> None:
    found = grown(monkeypatch, PETS)
    assert found.parents("poodle") == ["dog"]
    assert found.children("animal") == ["bird", "cat", "dog"]
    assert found.roots == ["animal", "car"]
    assert found.sizes["animal"] == 6
    assert "Poodle".lower() in found
    assert repr(found) == "<Taxonomy of 8 terms: 6 edges, 2 roots>"


def test_the_tree_of_kinds_is_found_in_vectors_alone() -> None:
    words = [word for word in WORDS if word != "thing"]
    assert pairs(small_model().taxonomy(words, score="CDE")) == set(PARENT.items())
    found = small_model().taxonomy(words)
    assert not found.calibrated
    assert found.roots == ["animal", "law"]
    columns = found.edges.columns
    assert "score" in columns
    assert "confidence" not in columns


def test_a_chain_through_another_sense_is_not_drawn(monkeypatch: Patch) -> None:
    """poodle → dog → meat would state that a poodle is meat."""
    told = {("poodle", "dog"): 0.9, ("spaniel", "dog"): 0.9, ("beagle", "dog"): 0.9, ("dog", "meat"): 0.6}
    assert grown(monkeypatch, told).parents("dog") == []
    assert grown(monkeypatch, {("dog", "meat"): 0.6}).parents("dog") == ["meat"]


def test_what_is_believed_of_everything_says_little(monkeypatch: Patch) -> None:
    """Every animal is rather surely a mammal by this score, a beetle no more than others, but more surely an insect."""
    animals = ["beetle", "dog", "horse", "wolf", "elephant", "otter"]
    told = {(animal, "animal"): 0.99 for animal in animals} | {("insect", "animal"): 0.99, ("mammal", "animal"): 0.99}
    told |= {(animal, "mammal"): 0.98 for animal in animals[1:]} | {
        ("beetle", "mammal"): 0.95,
        ("beetle", "insect"): 0.93,
    }
    found = grown(monkeypatch, told)
    assert found.parents("beetle") == ["insect"]
    assert set(found.children("mammal")) == set(animals[1:])
    assert found.children("animal") == ["insect", "mammal"]


def test_terms_without_a_believed_parent_are_roots(monkeypatch: Patch) -> None:
    assert grown(monkeypatch, {("dog", "animal"): 0.4}).roots == ["animal", "dog"]
    assert grown(monkeypatch, {("dog", "animal"): 0.4}, min_confidence=0.4).roots == ["animal"]


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_never_a_circle_whatever_the_vectors_the_limits_and_the_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    words = [f"w{chr(97 + i)}" for i in range(n)]
    matrix = rng.random((n, 4)) * (rng.random((n, 4)) < 0.6)
    model = Model(VectorSpace(words, matrix, frequencies=np.arange(n, 0, -1), kind="dive"))
    options: dict[str, Any] = {
        "score": ["C*dS", "CDE", "C", None][seed % 4],
        "parents": 1 + seed % 3,
        "min_children": seed % 3,
        "max_children": [None, 2, 3][seed % 3],
        "levels": [None, 1, 2][seed // 3 % 3],
    }
    found = model.taxonomy(words, **options)
    assert without_cycle(found)
    assert all(len(found.parents(term)) <= options["parents"] for term in found.terms)
    if options["max_children"]:
        assert all(len(found.children(term)) <= options["max_children"] for term in found.terms)
    shuffled = list(words)
    random.Random(seed).shuffle(shuffled)
    assert model.taxonomy(shuffled, **options).to_dict() == found.to_dict()


def test_a_symmetric_belief_is_broken_not_circled(monkeypatch: Patch) -> None:
    found = grown(monkeypatch, {("car", "automobile"): 0.9, ("automobile", "car"): 0.9})
    assert len(found.edges) == 1


# ---- phrases ------------------------------------------------------------------------------------------------------


def test_phrases_hang_under_their_heads(monkeypatch: Patch) -> None:
    words = ["animal", "dog", "domestic", "food", "hot", "prey"]
    told = {("dog", "animal"): 0.9}
    model = believe(monkeypatch, words, told)
    found = model.taxonomy(["domestic dog", "animal", "unheard dog", "animal of prey"])
    assert found.parents("domestic dog") == found.parents("unheard dog") == ["dog"]
    assert found.added == {"dog"}
    assert found.parents("animal of prey") == ["animal"]
    edge = found.edges_above("domestic dog")[0]
    assert (edge.reason, edge.confidence) == ("head", HEAD_CONFIDENCE)
    assert "dog" not in model.taxonomy(["domestic dog", "animal"], heads=False)


def test_a_better_parent_than_the_head(monkeypatch: Patch) -> None:
    words = ["dog", "food", "hot dog"]
    model = believe(monkeypatch, words, {("hot dog", "food"): 0.97})
    assert model.taxonomy(["hot dog", "dog", "food"]).parents("hot dog") == ["food"]
    assert model.taxonomy(["hot dog", "dog"]).parents("hot dog") == ["dog"]


def test_a_head_that_is_unknown_itself_holds_nothing(monkeypatch: Patch) -> None:
    """The phrase came before its head, and the head was left out afterwards."""
    model = believe(monkeypatch, ["animal"], {})
    found = model.taxonomy(["zebra", "striped zebra", "young striped zebra", "animal"])
    assert found.unknown == ("zebra", "striped zebra", "young striped zebra")
    assert set(found.unplaced) == {*found.unknown, "animal"}
    forced = Corrections([("force", "zebra", "animal")])
    found = model.taxonomy(["striped zebra", "young striped zebra"], corrections=forced)
    assert found.parents("young striped zebra") == ["striped zebra"]
    assert found.parents("striped zebra") == ["zebra"]


def test_heads() -> None:
    assert heads_of(["old red wine"]) == ["red wine", "wine"]
    assert heads_of(["point", "of", "view"]) == ["point"]
    assert heads_of(["of"]) == []


# ---- choosing terms -----------------------------------------------------------------------------------------------


def test_beneath_a_root(monkeypatch: Patch) -> None:
    words = sorted({word for pair in PETS for word in pair})
    model = believe(monkeypatch, words, {**PETS, ("animal", "dog"): 0.6, ("poodle", "car"): 0.9})
    found = model.taxonomy(root="animal")
    assert found.roots == ["animal"]
    assert "car" not in found
    assert found.parents("poodle") == ["dog"]
    assert model.taxonomy(root="animal", levels=1).terms == ("animal", "bird", "cat", "dog")
    assert len(model.taxonomy(root="animal", top=3)) == 4
    with pytest.raises(InputError, match="nothing is a kind of 'poodle'"):
        model.taxonomy(root="poodle")
    with pytest.raises(UnknownWordError, match="did you mean animal"):
        model.taxonomy(root="anmal")
    with pytest.raises(OptionError, match="empty"):
        model.taxonomy(root="  ")


def test_a_phrase_as_root(monkeypatch: Patch) -> None:
    """Its head was added, and took all its children."""
    words = ["guitar", "instrument", "musical_instrument", "piano"]
    told = {("guitar", "musical_instrument"): 0.9, ("piano", "musical_instrument"): 0.9}
    told |= {("guitar", "instrument"): 0.95, ("piano", "instrument"): 0.95}
    found = believe(monkeypatch, words, told).taxonomy(root="musical instrument")
    assert found.children("musical instrument") == ["guitar", "piano"]
    assert "instrument" not in found


def test_the_most_useful_words(monkeypatch: Patch) -> None:
    words = ["thing", "animal", "dog", "poodle"]
    model = believe(monkeypatch, words, {("dog", "animal"): 0.9})
    assert model.taxonomy(top=2).terms == ("animal", "dog")  # the most frequent, without words that say nothing
    assert len(model.taxonomy()) == 3


def test_unknown_repeated_and_equal_terms_are_told(monkeypatch: Patch) -> None:
    model = believe(monkeypatch, ["animal", "dog"], {("dog", "animal"): 0.9})
    found = model.taxonomy(["Dog", "dog", "dogs", "animla", "animal"])
    assert found.unknown == ("animla",)
    assert found.terms == ("animal", "animla", "Dog")
    assert found.unplaced == ("animla",)
    assert found.synonyms == {"Dog": ("dog", "dogs")}
    assert (found.parents("dog"), found.parents("Dog"), found.children("ANIMAL")) == (["animal"], ["animal"], ["Dog"])
    assert found.notes == (
        "1 of 5 terms repeat an earlier one",
        "1 term is the same word as an earlier one: dogs = dog",
        "1 term is not in this model: animla (did you mean animal?)",
    )


def test_too_many_terms_and_none_at_all(monkeypatch: Patch) -> None:
    model = believe(monkeypatch, ["animal"], {})
    with pytest.raises(OptionError, match="too many"):
        model.taxonomy(f"w{number}" for number in range(MAX_TERMS + 1))
    with pytest.raises(InputError, match="no terms"):
        model.taxonomy([" "])
    assert str(model.taxonomy(["zebra"])) == "1 term is not placed: zebra"


# ---- trimming -----------------------------------------------------------------------------------------------------


def test_levels_children_and_confidence(monkeypatch: Patch) -> None:
    found = grown(monkeypatch, PETS, levels=1)
    assert found.children("animal") == ["bird", "cat", "dog"]
    assert "poodle" not in found
    assert "3 terms are left out, too deep: poodle, spaniel, sparrow" in found.notes
    found = grown(monkeypatch, PETS, min_children=2)
    assert found.parents("sparrow") == ["animal"]  # "bird" had one child
    assert found.parents("poodle") == ["dog"]
    found = grown(monkeypatch, PETS, max_children=1)
    assert all(len(found.children(term)) <= 1 for term in found.terms)
    assert all(edge.value is not None and edge.value >= 0.85 for edge in grown(monkeypatch, PETS, min_confidence=0.85))


def test_several_parents(monkeypatch: Patch) -> None:
    told = {("piano", "instrument"): 0.9, ("piano", "furniture"): 0.8, ("piano", "object"): 0.8}
    told |= {("instrument", "object"): 0.9, ("furniture", "object"): 0.9}
    assert grown(monkeypatch, told).parents("piano") == ["instrument"]
    found = grown(monkeypatch, told, parents=3)
    assert found.parents("piano") == ["instrument", "furniture"]  # "object" follows from both
    assert str(found).count("piano") == 2


@pytest.mark.parametrize(
    "options",
    [
        {"levels": 0},
        {"max_children": 0},
        {"parents": 0},
        {"min_children": 3, "max_children": 2},
        {"min_confidence": 1.5},
        {"top": 3},
        {"root": "animal"},
        {"score": "nonsense"},
    ],
)
def test_options_that_make_no_sense(monkeypatch: Patch, options: dict[str, Any]) -> None:
    if "score" in options:
        with pytest.raises(OptionError):
            small_model().taxonomy(["dog", "animal"], **options)
        return
    with pytest.raises(OptionError):
        grown(monkeypatch, PETS, **options)


# ---- corrections --------------------------------------------------------------------------------------------------


def test_corrections_are_obeyed(monkeypatch: Patch) -> None:
    rules = Corrections(
        [
            ("force", "cat", "car"),
            ("force", "unicorn", "animal"),
            ("forbid", "poodle", "dog"),
            ("forbid", "bird", "animal"),
        ]
    )
    found = grown(monkeypatch, PETS, corrections=rules)
    assert found.parents("cat") == ["car"]
    assert found.parents("unicorn") == ["animal"]  # forced, so it need not be known
    edge = found.edges_above("unicorn")[0]
    assert (edge.confidence, edge.score, edge.reason) == (1.0, None, "expert")
    assert found.parents("poodle") == ["animal"]
    assert ("bird", "animal") not in pairs(found)
    rules = Corrections([("forbid", "poodle", "animal")])
    found = grown(monkeypatch, PETS, corrections=rules)
    assert "animal" not in found.parents("poodle")
    assert not ("dog" in found.parents("poodle") and "animal" in found.parents("dog"))


def test_corrections_that_do_not_matter_are_told(monkeypatch: Patch) -> None:
    found = grown(monkeypatch, PETS, corrections=Corrections([("forbid", "zebra", "dog")]))
    assert found.notes == ("forbidding 'zebra' under 'dog' changes nothing: 'zebra' is not among the terms",)


def test_contradictions_are_named(tmp_path: Path, monkeypatch: Patch) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("force\ta\tb\nforce\tb\tc\nforce\tc\ta\n")
    with pytest.raises(InputError, match=r"c\.tsv: the forced edges form a cycle: a → b → c → a"):
        read_corrections(path)
    path.write_text("force\ta\tb\nforce\ta\tc\n")
    rules = read_corrections(path)
    with pytest.raises(InputError, match="forced under 'b' and 'c'"):
        grown(monkeypatch, PETS, corrections=rules)
    found = grown(monkeypatch, PETS, corrections=rules, parents=2)
    assert sorted(found.parents("a")) == ["b", "c"]
    path.write_text("force\ta\n")
    with pytest.raises(InputError, match="cannot be understood"):
        read_corrections(path)
    path.write_text("force\ta\tA\n")
    with pytest.raises(InputError, match="does not name two terms"):
        read_corrections(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    for content, message in (
        (b"", "no terms"),
        (b"# nothing\n", "no terms"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a\0b\n", "not a text"),
    ):
        path = tmp_path / "terms.txt"
        path.write_bytes(content)
        with pytest.raises(InputError, match=message):
            term_lines(path)
    for read in (term_lines, read_corrections):
        with pytest.raises(Error, match="no such"):
            read(tmp_path / "absent")
        with pytest.raises(Error, match=r"no such|a folder"):
            read(tmp_path)


# ---- what the text states -----------------------------------------------------------------------------------------


def stated_model() -> Model:
    """Patterns that say: a dog is an animal (twice), a poodle is a dog (nine times), a law is a thing."""
    stated = Patterns(
        ["animal", "dog", "law", "poodle", "thing"],
        ["such as"],
        pack([1, 2, 3], [0, 4, 1], [0, 0, 0]),
        [2, 1, 9],
    )
    return small_model(patterns=stated)


@pytest.fixture
def combined(monkeypatch: Patch) -> Iterator[None]:
    """A combined score that believes whatever the text states."""

    @register("combined in a taxonomy", needs=("patterns",))
    def score(pairs: Pairs) -> Any:
        assert pairs.patterns is not None
        return np.where(pairs.patterns.counts > 0, 0.8, 0.1)

    monkeypatch.setattr("hyperdive.ask.ranking.CONFIDENCE", "combined in a taxonomy")
    yield
    unregister("combined in a taxonomy")


def test_statements_are_counted_and_their_sentences_kept(combined: None, monkeypatch: Patch) -> None:
    model = stated_model()
    said = [Evidence("Dogs such as poodles.", "such as", 0, ((13, 20), (0, 4)))]
    monkeypatch.setattr(
        type(model.patterns), "evidence", lambda self, q, p, top: said if (q, p) == ("poodle", "dog") else []
    )
    found = model.taxonomy(["poodle", "dog", "animal", "old poodle"], evidence=1)
    assert found.calibrated
    edge = found.edges_above("poodle")[0]
    assert (edge.parent, edge.confidence, edge.statements) == ("dog", 0.8, 9)
    assert edge.evidence[0].sentence == "Dogs such as poodles."
    assert found.edges_above("dog")[0].evidence == ()
    assert found.edges_above("old poodle")[0].statements == 0  # what is said of poodles is not said of old ones
    assert json.loads(found.to_text("json"))["edges"][1]["evidence"][0]["pattern"] == "such as"


def test_useful_words_are_those_the_text_speaks_of(combined: None) -> None:
    model = stated_model()
    assert model.taxonomy(top=1).terms == ("poodle",)  # a dog, nine times
    assert model.taxonomy(top=2).terms == ("dog", "poodle")  # what poodles are called most often
    assert model.taxonomy().terms == ("animal", "dog", "law", "poodle")  # "thing" says nothing
