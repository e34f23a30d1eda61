"""Abbreviations in brackets: known answers, traps, any cut of the text, the choice of pairs, and their folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive import Model
from hyperdive._store import Artifact, ArtifactWriter
from hyperdive.ask.question import Question
from hyperdive.ask.statements import statements
from hyperdive.engines import LocalEngine
from hyperdive.errors import FormatError
from hyperdive.model import with_terms
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.pipeline.encode import encode
from hyperdive.scores.source import term_source
from hyperdive.spaces.prune import pruned
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.abbreviation_search import find_pairs, is_abbreviation, long_form, singular
from hyperdive.text.abbreviations import Abbreviation, AbbreviationCounts, Abbreviations
from hyperdive.text.corpus import Corpus
from hyperdive.text.vocabulary import Vocabulary

ACE = "angiotensin converting enzyme"


def pairs_in(text: str) -> list[tuple[str, str]]:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    return find_pairs(data, np.array([0]), np.array([len(data)]))


# ---- the rule -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (f"The {ACE} (ACE) is known.", ("ACE", ACE)),
        (f"Several {ACE}s (ACEs) are known.", ("ACE", f"{ACE}s")),
        (f"The ACE ({ACE}) is known.", ("ACE", ACE)),
        (f"The {ACE} (ACE; EC 3.4.15.1) is known.", ("ACE", ACE)),
        ("We measured tumor necrosis factor alpha (TNF-α).", ("TNF-α", "tumor necrosis factor alpha")),
        ("We measured interferon-γ (IFN-γ) again.", ("IFN-γ", "interferon-γ")),
        ("a role of 5-hydroxytryptamine (5-HT) here", ("5-HT", "5-hydroxytryptamine")),
        ("the Ligue pour l'École (LpE) said", ("LpE", "Ligue pour l'École")),
        ("anti-intercellular adhesion molecule (ICAM) was", ("ICAM", "intercellular adhesion molecule")),
        ("(as before) magnetic resonance imaging (MRI) was", ("MRI", "magnetic resonance imaging")),
        ("in the magnetic\n resonance  imaging (MRI) was", ("MRI", "magnetic resonance imaging")),
        ("in vitro fertilisation (IVF) was", ("IVF", "in vitro fertilisation")),
        ("by the fast Fourier transform (FFT) again", ("FFT", "fast Fourier transform")),
        ("the regenerating agents (RGTA®) and", ("RGTA", "regenerating agents")),
        ("the crude birth rate (CBR.) and", ("CBR", "crude birth rate")),
    ],
)
def test_explained_abbreviations_are_found(text: str, pair: tuple[str, str]) -> None:
    assert pairs_in(text) == [pair]


@pytest.mark.parametrize(
    "text",
    [
        "as shown for sealed figures (see Figure) and tables (Fig)",
        "the year 1999 (1999) and the second (2nd) and 95 % (95%)",
        "that is the enzyme (the)",
        "on Tuesday every Monday (ETM)",  # the letters do not stand in this order
        "a bone metamorphic image (RI) was",  # the first letter does not start a word
        "the national team (TNT)",
        "a long way from magnetic (MRI)",
        f"{ACE}(ACE)",  # no blank: f(x)
        "the World Health Organization (World Health Organization)",
        "A hypothesis was tested (AHWTTHISSA) well",  # eleven letters would be too many, these have no such words
        "magnetic resonance imaging (M) and (MR",
        "magnetic (resonance) imaging (MRI)",  # a long form has no bracket inside
        "MRI (known for long as magnetic resonance imaging)",
        f"{'x ' * 500}(XY",
    ],
)
def test_other_brackets_are_not(text: str) -> None:
    assert pairs_in(text) == []


def test_a_long_form_has_as_many_words_as_the_rule_allows() -> None:
    words = "m1 a b c d e f g h i j".split()
    assert long_form("MJ", " ".join(["m", *words[-3:]])) == "m h i j"  # four words for two letters
    assert long_form("MJ", " ".join(["m", *words[-4:]])) is None
    assert long_form("MABCDE", "m a b c d e x x x x x") == "m a b c d e x x x x x"  # eleven for six
    assert long_form("MABCDE", "m a b c d e x x x x x x") is None


@pytest.mark.parametrize(
    ("word", "is_one"),
    [
        ("AB", True), ("A", False), ("ABCDEFGHIJ", True), ("ABCDEFGHIJK", False), ("Ab", False), ("aB", True),
        ("A1", True), ("-AB", False), ("ab", False), ("12", False), ("\u0391B", True), ("A\u202eB", False), ("", False),
    ],
)  # fmt: skip
def test_what_an_abbreviation_looks_like(word: str, is_one: bool) -> None:
    assert is_abbreviation(word) is is_one


def test_a_pair_stands_in_one_sentence() -> None:
    text = b"He likes magnetic resonance. Imaging (MRI) is done."
    data, border = np.frombuffer(text, dtype=np.uint8), 29
    assert pairs_in(text.decode()) == [("MRI", "magnetic resonance. Imaging")]
    assert find_pairs(data, np.array([0, border]), np.array([border - 1, len(text)])) == []


@given(st.text(alphabet="aAbB1 ()-;,.\"'\u03b1\u0130\u202e\n", max_size=80), st.integers(1, 40))
def test_hostile_text_is_no_error(text: str, cut: int) -> None:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    cut = min(cut, len(data))
    for short, form in find_pairs(data, np.array([0, cut]), np.array([cut, len(data)])):
        assert "\t" not in short + form and "\n" not in short + form and (short + form).isprintable()


def test_brackets_without_end_take_no_time() -> None:
    assert pairs_in("A (" * 200_000 + "B" * 200_000 + " AB (" + "c d " * 200_000) == []


# ---- in a corpus --------------------------------------------------------------------------------------------

LINES = [
    f"The {ACE} (ACE) lowers the pressure. An ace is a card, and aces are cards. An ace wins.",
    f"Inhibitors of {ACE}s (ACEs) are drugs. HIV is a virus.",
    "The human immunodeficiency virus (HIV) is a virus. HIV spreads. Viruses such as HIV spread.",
    "The human immunodeficiency virus (HIV) spreads among people.",
    "The blood pressure (BP) fell. The blood pressure (BP) rose. British Petroleum (BP) sells oil.",
    "The messenger ribonucleic acid (mRNA) and messenger ribonucleic acids (mRNA) are acids.",
    "A single odd plan (SOP) was made. Drugs such as ACE inhibitors help.",
]


def table_of(corpus: Corpus) -> dict[tuple[str, str], tuple[str, str, int]]:
    return {(one.short, one.long_name): (one.name, one.long, one.count) for one in corpus.abbreviations}


def test_a_corpus_has_the_pairs_with_enough_support(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(LINES * 2 + LINES[4:5]) + "\n", encoding="utf-8")
    corpus = encode(text, tmp_path / "c", min_count=1)
    found = table_of(corpus)
    assert found["HIV", "human immunodeficiency virus"] == ("hiv", "human immunodeficiency virus", 4)
    # mostly another word in this text, so the abbreviation has no name of its own
    assert found["ACE", "angiotensin convert enzyme"] == ("", ACE, 4)
    assert found["mRNA", "messenger ribonucleic acid"][::2] == ("mrna", 4)
    assert found["BP", "blood pressure"] == ("bp", "blood pressure", 6)
    assert found["BP", "british petroleum"] == ("bp", "British Petroleum", 3)
    assert corpus.header["terms"]["abbreviations"] == len(found)
    assert b"HIV\thiv\thuman immunodeficiency virus\t" in (corpus.path / "abbreviations.txt").read_bytes()
    once = encode(texts=LINES, output=tmp_path / "once", min_count=1)
    assert ("SOP", "single odd plan") not in table_of(once)
    listed = tmp_path / "terms.txt"
    listed.write_text("single odd plan\n")
    once = encode(texts=LINES, output=tmp_path / "listed", min_count=1, terms=str(listed))
    assert table_of(once)["SOP", "single odd plan"] == ("sop", "single odd plan", 1)


@pytest.mark.parametrize("options", [{"preset": "paper", "last_line": "keep"}, {"terms": "none"}])
def test_without_terms_there_are_none(tmp_path: Path, options: dict[str, str]) -> None:
    corpus = encode(texts=LINES, output=tmp_path / "c", min_count=1, **options)
    assert len(corpus.abbreviations) == 0 and not (corpus.path / "abbreviations.txt").exists()


def test_no_cut_of_the_text_changes_the_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = [" ".join(LINES[i] for i in rng.integers(0, len(LINES), 3)) for _ in range(60)]
    text = tmp_path / "text.txt"
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    whole = encode(text, tmp_path / "whole").path / "abbreviations.txt"
    for name, options in {
        "blocks": {"block_bytes": 97, "threads": 3},
        "parts": {"engine": LocalEngine(2), "part_bytes": 600, "block_bytes": 200},
        "shuffled": {"shuffle": 5},
    }.items():
        corpus = encode(text, tmp_path / name, **options)
        assert (corpus.path / "abbreviations.txt").read_bytes() == whole.read_bytes(), name
    # a document in pieces, cut within pairs
    flat = tmp_path / "flat.txt"
    flat.write_text(" ".join(lines), encoding="utf-8")
    one, other = (encode(flat, tmp_path / f"flat{size}", block_bytes=size) for size in (64, 1 << 20))
    assert table_of(one) == table_of(other) != {}


def test_two_halves_are_the_whole() -> None:
    pairs = [("A1", "alpha 1")] * 3 + [("A1", "axis 1"), ("BB", "big ben")]
    whole, half = AbbreviationCounts(), AbbreviationCounts()
    whole.add(pairs)
    half.add(pairs[:2])
    rest = AbbreviationCounts()
    rest.add(pairs[2:])
    half.add_state(rest.state())
    assert half.pairs == whole.pairs and sum(half.pairs.values()) == 5


# ---- the choice ---------------------------------------------------------------------------------------------


def entry(short: str, form: str, count: int, name: str | None = None) -> Abbreviation:
    return Abbreviation(short, short.lower() if name is None else name, form, form, count)


def test_comparable_long_forms_stay() -> None:
    counts = {("BP", "blood pressure"): 9, ("BP", "British Petroleum"): 3, ("BP", "base pair"): 2, ("XY", "x y"): 1}
    chosen = Abbreviations.chosen(counts, str.lower, str.lower, {"x y"})
    assert [(one.short, one.long, one.count) for one in chosen] == [
        ("BP", "blood pressure", 9),
        ("BP", "British Petroleum", 3),
        ("XY", "x y", 1),
    ]
    assert not Abbreviations.chosen({("XY", "x y"): 1}, str.lower, str.lower, ())
    assert not Abbreviations.chosen({("XY", "xylol"): 1}, str.lower, str.lower, {"xylol"})  # one word, once


def test_the_most_frequent_spelling_is_kept() -> None:
    counts = {("MRI", "Magnetic resonance imaging"): 2, ("MRI", "magnetic resonance imaging"): 3}
    [one] = Abbreviations.chosen(counts, str.lower, str.lower, ())
    assert (one.long, one.long_name, one.count) == ("magnetic resonance imaging", "magnetic resonance imaging", 5)


def test_tables_are_merged_by_their_counts() -> None:
    first, second = Abbreviations([entry("BP", "blood pressure", 2)]), Abbreviations([entry("BP", "base pair", 9)])
    assert [one.long for one in first.merged(second)] == ["base pair"]
    assert [(one.long, one.count) for one in first.merged(first)] == [("blood pressure", 4)]


@pytest.mark.parametrize("line", ["A\tb\tc\td", "A\tb\tc\td\tx", "\tb\tc\td\t1", "A\tb\tc\t\t1", "A\tb\tc\td\t²"])
def test_a_damaged_table_is_refused(tmp_path: Path, line: str) -> None:
    lines = {"abbreviations.txt": ["DNA\tdna\tdeoxyribonucleic acid\tdeoxyribonucleic acid\t3", line]}
    artifact = SimpleNamespace(path=tmp_path, lines=lines.__getitem__)
    artifact_class = type("A", (), {"__contains__": lambda self, name: name in lines})
    for name, value in vars(artifact).items():
        setattr(artifact_class, name, staticmethod(value) if callable(value) else value)
    with pytest.raises(FormatError, match="five columns"):
        Abbreviations.read(artifact_class())


# ---- questions ----------------------------------------------------------------------------------------------


def small_model(entries: list[Abbreviation], **terms: int) -> Model:
    words = "virus hiv ace enzyme blood pressure mri dna pcr rc".split()
    size = len(words)
    dive = VectorSpace(words, np.eye(size) + 1, frequencies=[9] * size, kind="dive")
    stated = Patterns(
        ["hiv", "virus", "human immunodeficiency virus", "agent", "deoxyribonucleic acid", "pcr", "rc"],
        ["is a"],
        pack([0, 2, 2, 4, 5, 6], [1, 1, 3, 3, 3, 3], [0] * 6),
        [3, 2, 1, 1, 1, 1],
    )
    names = Vocabulary(list(terms), list(terms.values()), abbreviations=Abbreviations(entries))
    return with_terms(Model(dive, patterns=stated), names, np.ones((len(terms), size)))


ENTRIES = [
    entry("HIV", "human immunodeficiency virus", 9),
    entry("ACE", "angiotensin convert enzyme", 5, name=""),
    entry("BP", "blood pressure", 4),
    entry("BP", "british petroleum", 3),
    entry("WHO", "world health organization", 3),
    entry("MRI", "magnetic resonance imaging", 2),
    entry("DNA", "deoxyribonucleic acid", 2),
    entry("PCR", "polymerase chain reaction", 2),
    entry("RC", "red cell", 2),
    entry("RC", "root canal", 1),
]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("HIV", "hiv"),  # a row of its own stays, where the text says as much of it
        ("human immunodeficiency virus", "human immunodeficiency virus"),
        ("DNA", "deoxyribonucleic acid"),  # the text says more of the other form
        ("dna", "deoxyribonucleic acid"),
        ("deoxyribonucleic acid", "deoxyribonucleic acid"),
        ("polymerase chain reaction", "polymerase chain reaction"),  # its own words say what it is
        ("PCR", "pcr"),
        ("RC", "rc"),
        ("ACE", "angiotensin convert enzyme"),  # in capitals it is not the card
        ("ACEs", "angiotensin convert enzyme"),
        ("ace", "ace"),
        ("BP", "blood pressure"),  # no row of its own, and known by its words
        ("bp", "blood pressure"),
        ("british petroleum", "british petroleum"),  # not what BP mostly means
        ("WHO", "world health organization"),
        ("who", "world health organization"),
        ("Magnetic resonance imaging", "mri"),
        ("virus", "virus"),
    ],
)
def test_a_term_without_a_row_is_looked_up_by_its_other_form(asked: str, name: str) -> None:
    terms = {"human immunodeficiency virus": 4, "angiotensin convert enzyme": 3, "world health organization": 2}
    terms |= {"deoxyribonucleic acid": 4, "polymerase chain reaction": 2, "red cell": 3}
    model = small_model(ENTRIES, **terms)
    assert term_source(model).name_of(asked) == name
    if name != "british petroleum":
        assert len(model.similar(asked)) > 0


def test_candidates_keep_rows_of_their_own() -> None:
    model = small_model(ENTRIES, **{"deoxyribonucleic acid": 4, "angiotensin convert enzyme": 3})
    name_of = term_source(model).name_of
    assert name_of("dna") == name_of("dna", own=False) == "deoxyribonucleic acid"
    assert name_of("dna", own=True) == "dna" and name_of("BP", own=True) == "blood pressure"
    question = Question(model, ["virus"], ["dna", "deoxyribonucleic acid"])
    assert list(question.names) == ["dna", "deoxyribonucleic acid"]


def test_a_long_form_that_nothing_is_known_of_changes_nothing() -> None:
    source = term_source(small_model([entry("XQ", "extra quick", 5)], **{"x y": 1}))
    assert source.name_of("XQ") == "xq"


def test_statements_are_found_under_either_form() -> None:
    model = small_model(ENTRIES, **{"human immunodeficiency virus": 4})
    for asked in ("HIV", "hiv", "human immunodeficiency virus"):
        assert statements(model, asked, "virus").statements == 5
        assert statements(model, asked, "agent").statements == 1
    assert len(model.evidence("HIV", "virus")) == 0  # no sentences were kept
    assert statements(small_model([], x=1), "HIV", "virus").statements == 3


def test_a_single_word_is_no_long_form_of_its_own_beginning() -> None:
    assert long_form("photo", "a photograph ") is None
    assert long_form("DNA", "DNAse new assay ") == "DNAse new assay"


def test_an_abbreviation_is_a_synonym_in_a_taxonomy() -> None:
    model = small_model(ENTRIES, **{"human immunodeficiency virus": 4, "angiotensin convert enzyme": 3})
    tree = model.taxonomy(["HIV", "virus", "Human immunodeficiency virus", "ACE", "angiotensin converting enzyme"])
    assert set(tree.terms) >= {"virus", "Human immunodeficiency virus"} and not {"HIV", "ACE"} & set(tree.terms)
    assert tree.synonyms["angiotensin converting enzyme"] == ("ACE",)
    assert tree.synonyms["Human immunodeficiency virus"] == ("HIV",)
    assert "altLabel" in tree.to_text("skos") and '"HIV"' in tree.to_text("skos")
    alone = model.taxonomy(["virus", "human immunodeficiency virus", "enzyme"])
    assert alone.synonyms == {"human immunodeficiency virus": ("HIV",)}
    short = model.taxonomy(["virus", "HIV", "BP"])
    assert short.synonyms == {"HIV": ("human immunodeficiency virus",)}  # BP has two long forms


def test_a_model_folder_keeps_them(tmp_path: Path) -> None:
    model = small_model(ENTRIES, **{"human immunodeficiency virus": 4})
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert list(again.vocabulary.abbreviations) == list(model.vocabulary.abbreviations)
    assert len(again.vocabulary.abbreviations) == 10
    header = json.loads((tmp_path / "m" / "header.json").read_text())
    assert "abbreviations.txt" in header["files"]
    small = pruned(model, words=3, frequent=3, terms=1)
    assert [one.short for one in small.vocabulary.abbreviations] == ["HIV"]
    (tmp_path / "m" / "abbreviations.txt").write_text("A\tb\n")
    with pytest.raises(FormatError, match=re.escape("abbreviations.txt")):
        Model.load(tmp_path / "m").terms  # noqa: B018


# ---- borders ------------------------------------------------------------------------------------------------


def test_what_is_often_enough() -> None:
    counts = {
        ("BP", "a b"): 9,
        ("BP", "c d"): 3,
        ("BP", "e f"): 2,
        ("CQ", "a b"): 8,
        ("CQ", "c d"): 2,
        ("DR", "a b"): 2,
    }
    chosen = Abbreviations.chosen(counts, str.lower, str.lower, {"x"})
    assert [(one.short, one.long, one.count) for one in chosen] == [
        ("BP", "a b", 9), ("CQ", "a b", 8), ("BP", "c d", 3), ("DR", "a b", 2),
    ]  # fmt: skip
    assert len(chosen) == 4
    ties = Abbreviations.chosen({("XY", "X Y"): 2, ("XY", "x y"): 2}, str.lower, str.lower, ())
    assert [(one.long, one.count) for one in ties] == [("X Y", 4)]


@pytest.mark.parametrize(
    ("short", "one"),
    [("ABs", "AB"), ("A1s", "A1"), ("aBs", "aB"), ("Abs", "Abs"), ("As", "As"), ("A1's", "A1"), ("AB\u2019s", "AB"),
     ("ABS", "ABS"), ("1As", "1A"), ("A-s", "A-s")],
)  # fmt: skip
def test_the_plural_of_an_abbreviation(short: str, one: str) -> None:
    assert singular(short) == one


@pytest.mark.parametrize(("size", "found"), [(158, True), (159, True), (160, False)])
def test_a_long_form_is_in_the_160_bytes_before_a_bracket(size: int, found: bool) -> None:
    form = "X" + "b" * (size - 4) + " yc"
    assert pairs_in(f"Here is {form} (XY) again") == ([("XY", form)] if found else [])


def test_a_bracket_ends_with_its_sentence() -> None:
    text = b"the World Health Organization (WHO) met"
    data, end = np.frombuffer(text, dtype=np.uint8), text.index(b")")
    whole = [("WHO", "World Health Organization")]
    assert find_pairs(data, np.array([0]), np.array([end])) == find_pairs(data, np.array([4]), np.array([39])) == whole
    assert find_pairs(data, np.array([0, end]), np.array([end, 39])) == whole
    assert find_pairs(data, np.array([0]), np.array([end - 1])) == []
    assert find_pairs(data, np.array([31]), np.array([39])) == [] == find_pairs(data, np.array([32]), np.array([39]))
    both = np.frombuffer(text + b" " + text, dtype=np.uint8)
    assert find_pairs(both, np.array([0, 40]), np.array([39, 79])) == whole * 2


def test_a_count_has_at_most_18_digits(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with ArtifactWriter(tmp_path / "a", "test", 1, force=True) as writer:
        writer.put("abbreviations.txt", b"AB\tab\ta b\tA b\t1234567890123456789\n")
        writer.finish({})
    [one] = Abbreviations.read(Artifact.open(tmp_path / "a", "test", 1))
    assert one == Abbreviation("AB", "ab", "a b", "A b", 123_456_789_012_345_678)
