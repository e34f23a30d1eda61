"""Every pattern finds its gold sentence, in the right direction, and leaves its trap alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hyperdive import encode
from hyperdive.errors import OptionError
from hyperdive.kernels import pattern_codes as k
from hyperdive.patterns.definitions import FIRST_OF_A_NAME, HEAD, NAMES, PATTERNS, PRECISION, Pattern
from hyperdive.patterns.store import Patterns, patterns_of


def stated(folder: Path, text: str, **options: object) -> Patterns:
    """What patterns find in a text."""
    (folder / "text.txt").write_text(text + "\n", encoding="utf-8")
    corpus = encode(folder / "text.txt", folder / "corpus", min_count=1, force=True, **options)
    found = patterns_of(corpus.path)
    assert found is not None
    return found


def pairs(patterns: Patterns, name: str) -> set[tuple[str, str]]:
    """The pairs that one pattern states."""
    matrix = patterns.by_pattern(name).tocoo()
    return {
        (patterns.terms[q], patterns.terms[p])
        for q, p in zip(matrix.coords[0].tolist(), matrix.coords[1].tolist(), strict=True)
    }


def test_numbers_are_places_in_the_table() -> None:
    assert [pattern.number for pattern in PATTERNS] == list(range(len(PATTERNS)))
    assert len(set(NAMES)) == len(NAMES) == len(PRECISION) == 2 * k.HEAD_P + 1
    for pattern in PATTERNS[: k.HEAD_P]:
        of_a_name = pattern.number + FIRST_OF_A_NAME
        assert NAMES[of_a_name] == f"{pattern.name} (name)"
        assert 0 < PRECISION[of_a_name] < min(PRECISION[: k.HEAD_P])


@pytest.mark.parametrize("pattern", PATTERNS, ids=[pattern.name for pattern in PATTERNS])
def test_gold(pattern: Pattern, tmp_path: Path) -> None:
    found = pairs(stated(tmp_path, pattern.gold), pattern.name)
    assert set(pattern.found) <= found
    assert not {(p, q) for q, p in found} & found
    # every other pair follows from a stated one: by the head of one side or of both
    heads = {(q.split()[-1], p.split()[-1]) for q, p in pattern.found}
    assert {(q.split()[-1], p.split()[-1]) for q, p in found} == heads


@pytest.mark.parametrize("pattern", PATTERNS, ids=[pattern.name for pattern in PATTERNS])
def test_trap(pattern: Pattern, tmp_path: Path) -> None:
    assert pairs(stated(tmp_path, pattern.trap), pattern.name) == set()


MORE = [
    ("The most common symptoms were fever and cough.", "types-are",
     {("fever", "common symptom"), ("fever", "symptom"), ("cough", "common symptom"), ("cough", "symptom")}),
    ("Antibiotics, including penicillin, were used.", "including", {("penicillin", "antibiotic")}),
    ("The patients were given drugs.", "are", set()),
    ("Most dogs are mammals.", "are", {("dog", "mammal")}),
    ("BACKGROUND: A trial was made.", "glossary", set()),
    ("They took drugs (aspirin 20 mg, heparin, etc.) twice.", "brackets", set()),
    ("They took drugs (aspirin, heparin and 20 mg of ibuprofen) twice.", "brackets", set()),
    ("They saw rodents (rats, mice, gerbils, etc.) there.", "brackets",
     {("rat", "rodent"), ("mouse", "rodent"), ("gerbil", "rodent")}),
    ("Some cells (Smith and Jones, 1998) differ.", "brackets", set()),
    ("Some dogs (which barked, and ran) left.", "brackets", set()),
    ("Physical quantities (time, distance and speed) differ.", "brackets",
     {(x, y) for x in ("time", "distance", "speed") for y in ("physical quantity", "quantity")}),
    ("They saw rodents (rats, mice and other pests) there.", "brackets", {("rat", "rodent"), ("mouse", "rodent")}),
    ("They saw rodents (rats, mice and others) there.", "brackets", {("rat", "rodent"), ("mouse", "rodent")}),
    ("They ate fruits (i.e. apples and pears) there.", "brackets", set()),
    ("Citrus fruits (e.g. lemons and limes) are sour.", "brackets", set()),
    ("The forest birds are passerines.", "types-are", set()),
    ("The largest dogs are mammals.", "types-are", set()),
    ("The largest dogs are mammals.", "are", set()),
    ("The most common drugs are considered poisons.", "types-are", set()),
    ("trial, n. A test of quality.", "glossary", {("trial", "test")}),
    ("Clinical trial: a study of patients.", "glossary", {("clinical trial", "study"), ("trial", "study")}),
    ("Genetics, including cytogenetics, was taught.", "including", set()),
    ("In Africa, dogs and other animals roam.", "and-other", {("dog", "animal")}),
    ("The capital of France is a city on the Seine.", "is-a", {("capital", "city")}),
    ("In geometry, a square is a regular quadrilateral.", "is-a",
     {("square", "regular quadrilateral"), ("square", "quadrilateral")}),
    ("Malaria is a mosquito-borne disease caused by parasites.", "is-a",
     {("malaria", "mosquito bear disease"), ("malaria", "disease")}),
    ("Tea is one of the most popular drinks.", "is-the-most", {("tea", "popular drink"), ("tea", "drink")}),
    ("The puma, also known as the cougar, is a cat.", "is-a", {("puma", "cat")}),
    ("A tiger is a large, grey cat.", "is-a", {("tiger", "grey cat"), ("tiger", "cat")}),
    ('They eat fruit such as "apples" (Malus) and pears.', "such-as", {("apple", "fruit"), ("pear", "fruit")}),
    ("Dogs bark. Such as cats meow.", "such-as", set()),
    ("Fish such as carp and trout swim.", "such-as", {("carp", "fish"), ("trout", "fish")}),
    ("Activities such as fishing, hunting and trapping.", "such-as",
     {("fishing", "activity"), ("hunting", "activity"), ("trap", "activity")}),
    ("It is a type of bread called naan.", "called", {("naan", "bread")}),
    ("Countries such as the United Kingdom joined.", "such-as", {("unite kingdom", "country"), ("kingdom", "country")}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "expected"), MORE, ids=[text[:30] for text, *_ in MORE])
def test_more_sentences(text: str, name: str, expected: set[tuple[str, str]], tmp_path: Path) -> None:
    assert pairs(stated(tmp_path, text), name) == expected


def test_a_phrase_is_a_kind_of_its_head_and_counted_apart(tmp_path: Path) -> None:
    found = stated(tmp_path, "Large dogs such as French poodles bark.")
    assert pairs(found, "such-as") == {("french poodle", "large dog"), ("french poodle", "dog"), ("poodle", "dog")}
    assert pairs(found, HEAD) == {("french poodle", "poodle"), ("large dog", "dog")}
    assert found.count("french poodle", "poodle") == 0


def test_evidence_marks_the_words(tmp_path: Path) -> None:
    found = stated(tmp_path, "He said: “Large dogs such as French poodles bark.” Nobody heard it.")
    assert "**Large dogs** such as **French poodles**" in found.evidence("french poodle", "large dog")[0].marked()
    assert "Large **dogs** such as French **poodles**" in found.evidence("poodle", "dog")[0].marked()


def test_tagged_corpora_use_their_keys(tmp_path: Path) -> None:
    pytest.importorskip("textblob")
    found = stated(tmp_path, "Domestic animals such as dogs and cats need care.", pos="textblob", threads=1)
    assert {("dog|n", "animal|n"), ("dog|n", "domestic|j animal|n")} <= pairs(found, "such-as")


def test_the_docs_name_every_pattern() -> None:
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "patterns.md").read_text(encoding="utf-8")
    for pattern in PATTERNS:
        assert f"| `{pattern.name}` | {pattern.meaning} | {pattern.gold} | {pattern.trap} |" in page


def named(patterns: Patterns) -> dict[tuple[str, str], tuple[int, int]]:
    """Of each pair, its statements and how many of them are of a name."""
    counts, of_names = patterns.counts, patterns.named
    rows = counts.tocoo().coords
    return {
        (patterns.terms[q], patterns.terms[p]): (int(counts[q, p]), int(of_names[q, p]))
        for q, p in zip(rows[0].tolist(), rows[1].tolist(), strict=True)
    }


def test_statements_of_names_are_counted_apart(tmp_path: Path) -> None:
    text = "He watched teams such as the Detroit Tigers. Cats such as tigers hunt. Teams such as the Tigers won."
    found = stated(tmp_path, text)
    assert named(found) == {
        ("detroit tiger", "team"): (1, 1),
        ("tiger", "team"): (2, 2),
        ("tiger", "cat"): (1, 0),
    }
    assert found.counts_by_pattern("tiger", "team") == {"such-as": 2}
    assert {one.pattern for one in found.evidence("tiger", "team")} == {"such-as"}


def test_a_capital_that_opens_a_sentence_or_an_acronym_makes_no_name(tmp_path: Path) -> None:
    found = named(
        stated(tmp_path, "Tigers are cats. Viruses such as HIV and Ebola were found. Acids such as DNA were found.")
    )
    assert found["tiger", "cat"] == (1, 0)
    assert found["hiv", "virus"] == (1, 0)
    assert found["ebola", "virus"] == (1, 1)
    assert found["dna", "acid"] == (1, 0)


def test_names_are_told_apart_without_sentences(tmp_path: Path) -> None:
    text = "He watched teams such as the Tigers."
    assert named(stated(tmp_path, text, keep_text=False)) == {("tiger", "team"): (1, 1)}


def test_a_pattern_with_and_without_a_name_is_one_pattern(tmp_path: Path) -> None:
    text = "Groups such as tigers exist. Some groups such as Tigers exist. A Tiger is a group."
    found = stated(tmp_path, text)
    tiger, group = found.index("tiger"), found.index("group")
    assert (int(found.counts[tiger, group]), int(found.named[tiger, group])) == (3, 2)
    assert int(found.variety[tiger, group]) == 2
    assert int(found.by_pattern("such-as")[tiger, group]) == 2
    with pytest.raises(OptionError, match="such-as, such-y-as") as error:
        found.by_pattern("none")
    assert "(name)" not in str(error.value)


def test_shares_of_names_are_those_of_a_term_as_hyponym(tmp_path: Path) -> None:
    text = (
        "He watched teams such as the Tigers. Cats such as tigers hunt. Teams such as the Tigers won. A cat is a pet."
    )
    found = stated(tmp_path, text)
    shares = dict(zip(found.terms, found.named_shares.tolist(), strict=True))
    assert shares["tiger"] == pytest.approx(2 / 3)
    assert shares["cat"] == shares["team"] == 0.0
    tiger, team, cat = (found.index(name) for name in ("tiger", "team", "cat"))
    assert [int(found.named[pair]) for pair in ((tiger, team), (tiger, cat), (team, tiger))] == [2, 0, 0]
