"""Scores from patterns: the formulas, silence, terms that stand for their heads, and the options."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from hyperdive import Model
from hyperdive.errors import InputError, OptionError
from hyperdive.patterns.definitions import OF_A_NAME
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import Pairs, Terms, as_source, get, usable_scores
from hyperdive.scores.files import PairFormat, PairWriter, open_pairs, score_stream
from hyperdive.scores.stated import StatedPairs, StatedTerms, is_silent
from hyperdive.spaces.space import VectorSpace
from tests.patterns.standin import PETS, collected

WORDS = ["animal", "dog", "poodle", "cat", "being", "guide", "helper", "stone"]


def space() -> VectorSpace:
    return VectorSpace(WORDS, np.eye(len(WORDS)) + 1, frequencies=np.arange(len(WORDS), 0, -1), kind="dive")


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(space(), patterns=collected(PETS).of_vocabulary(WORDS))


def scored(model: Model, name: str, *pairs: tuple[str, str]) -> list[float]:
    terms = Terms(as_source(model), [one.split() for pair in pairs for one in pair])
    return get(name)(terms.pairs(np.arange(0, 2 * len(pairs), 2), np.arange(1, 2 * len(pairs), 2))).tolist()


# ---- the three scores -----------------------------------------------------------------------------------------------


def test_p_is_the_logarithm_of_the_count(model: Model) -> None:
    assert scored(model, "P", ("poodle", "dog"), ("dog", "poodle"), ("stone", "dog")) == [np.log1p(6), 0.0, 0.0]
    assert scored(model, "P:contrast=true", ("dog", "poodle")) == [-np.log1p(6)]


def test_ppmi_is_that_of_the_matrix(model: Model) -> None:
    patterns = model.patterns
    assert patterns is not None
    for q, p in (("poodle", "dog"), ("dog", "animal"), ("animal", "dog"), ("guide dog", "helper")):
        expected = float(patterns.ppmi[patterns.index(q), patterns.index(p)])
        assert scored(model, "Pppmi", (q, p)) == [pytest.approx(expected, abs=1e-6)]


def test_svd_is_the_product_of_its_rows(model: Model) -> None:
    patterns = model.patterns
    assert patterns is not None
    u, v = patterns.svd()
    for q, p in (("poodle", "dog"), ("poodle", "animal"), ("dog", "poodle")):
        expected = float(u[patterns.index(q)] @ v[patterns.index(p)])
        assert scored(model, "Psvd", (q, p)) == [pytest.approx(expected, abs=1e-6)]
    first = float(u[patterns.index("poodle"), :1] @ v[patterns.index("dog"), :1])
    assert scored(model, "Psvd:rank=1", ("poodle", "dog")) == [pytest.approx(first, abs=1e-6)]
    turned = scored(model, "Psvd", ("dog", "poodle"))[0]
    assert scored(model, "Psvd:contrast=true", ("dog", "poodle"))[0] == pytest.approx(
        turned - scored(model, "Psvd", ("poodle", "dog"))[0]
    )


def test_smoothing_speaks_where_counts_are_silent() -> None:
    # terriers and poodles are called the same things, but nobody calls a terrier a pet
    lines = [(i, text) for i, text in enumerate([
        "Dogs such as poodles", "Dogs such as terriers", "Animals such as poodles", "Animals such as terriers",
        "Pets such as poodles", "Machines such as drills", "Machines such as saws", "Tools such as saws",
    ])]  # fmt: skip
    patterns = collected(lines)
    patterns.decomposition = None
    words = ["dog", "animal", "pet", "poodle", "terrier", "machine", "drill", "saw", "tool"]
    table = VectorSpace(words, np.eye(9), frequencies=[1] * 9, kind="dive")
    model = Model(table, patterns=patterns)
    assert scored(model, "P", ("terrier", "pet"), ("drill", "pet")) == [0.0, 0.0]
    near, far = scored(model, "Psvd:rank=2", ("terrier", "pet"), ("drill", "pet"))
    assert near > 0.1 > abs(far)


def test_silent_pairs_score_nothing_and_say_so(model: Model) -> None:
    pairs = Terms(as_source(model), [[word] for word in WORDS]).pairs(*np.divmod(np.arange(64), 8))
    for name in ("P", "Pppmi", "Psvd", "P:contrast=True", "Psvd:contrast=True"):
        silent = is_silent(pairs, name)
        assert silent.any()
        assert not get(name)(pairs)[silent].any(), name
    assert not is_silent(pairs, "P").all()
    assert (~is_silent(pairs, "P") <= ~is_silent(pairs, "Psvd")).all()


def test_a_phrase_stands_for_itself_else_for_its_head(model: Model) -> None:
    terms = Terms(as_source(model), [["guide", "dogs"], ["stone", "dog"], ["poodle"], ["dog"], ["helper"]])
    pairs = terms.pairs([2, 0, 2, 1], [3, 4, 1, 4])
    stated = pairs.patterns
    assert stated is not None
    assert stated.counts.tolist() == [6, 1, 6, 0]
    assert stated.backed_off.tolist() == [False, False, True, True]
    assert stated.hypernym_total.tolist() == [6, 1, 6, 1]
    assert stated.reverse.tolist() == [0, 0, 0, 0]


def test_heads_count_when_asked_for(model: Model) -> None:
    assert scored(model, "P", ("guide dog", "dog")) == [0.0]
    assert scored(model, "P:head=true", ("guide dog", "dog")) == [np.log1p(1)]
    # n(q, ·) of the guide dog is then 2, and N is 10 instead of 9
    assert scored(model, "Pppmi:head=true", ("guide dog", "helper")) == [pytest.approx(np.log(1 * 10 / (2 * 1)))]
    assert scored(model, "Pppmi", ("guide dog", "helper")) == [pytest.approx(np.log(1 * 9 / (1 * 1)))]


def test_factors_have_no_heads_so_the_option_is_refused() -> None:
    for name in ("P:head=true", "Pppmi:head=true"):
        assert get(name).name.startswith(name.split(":")[0])
    with pytest.raises(OptionError, match="head"):
        get("Psvd:head=true")


def test_tagged_phrases_are_found_whatever_their_modifiers_are() -> None:
    patterns = Patterns(["dog|n", "guide|v dog|n", "help|n"], ["is a"], pack([1], [2], [0]), [5])
    terms = StatedTerms.find(patterns, [["guide|n", "dog|n"], ["help|n"], ["dogs|n"], ["hot|n", "dog|n"]])
    assert terms.numbers.tolist() == [1, 2, 0, 0]
    assert StatedPairs(terms, np.array([0]), np.array([1])).counts.tolist() == [5]


def test_patterns_are_an_option_of_a_model() -> None:
    bare = Model(space())
    assert {"P", "Pppmi", "Psvd"}.isdisjoint({score.name for score in usable_scores(as_source(bare), ["all"])})
    with pytest.raises(InputError, match="score P needs patterns"):
        scored(bare, "P", ("poodle", "dog"))
    full = Model(space(), patterns=collected(PETS))
    assert {"P", "Pppmi", "Psvd"} <= {score.name for score in usable_scores(as_source(full), ["all"])}
    with pytest.raises(InputError, match="needs patterns"):
        get("Psvd")(Pairs(csr_array(np.eye(2)), [0], [1]))


def test_a_model_reads_its_patterns_only_when_a_score_asks() -> None:
    read = []
    model = Model(space(), patterns=lambda: read.append(1) or collected(PETS))  # type: ignore[arg-type, func-returns-value]
    scored(model, "C·ΔS", ("poodle", "dog"))
    assert read == []
    scored(model, "P", ("poodle", "dog"))
    scored(model, "Psvd", ("poodle", "dog"))
    assert read == [1]


def test_a_file_of_pairs_says_where_patterns_are_silent(model: Model, tmp_path: object) -> None:
    file = tmp_path / "pairs.tsv"  # type: ignore[operator]
    file.write_text("poodle\tdog\npoodle\tanimal\nstone\tdog\nunicorn\tdog\n", encoding="utf-8")
    out = io.BytesIO()
    scores = [get("P"), get("Psvd"), get("ΔS")]
    score_stream(as_source(model), open_pairs(str(file)), scores, PairWriter(out, PairFormat.jsonl))
    lines = [json.loads(line) for line in out.getvalue().decode().splitlines()]
    assert [line["silent"] for line in lines] == ["", "P", "P, Psvd", ""]
    assert lines[3]["unknown"] == "unicorn"
    out = io.BytesIO()
    score_stream(as_source(model), open_pairs(str(file)), [get("ΔS")], PairWriter(out, PairFormat.jsonl))
    assert "silent" not in json.loads(out.getvalue().decode().splitlines()[0])


def test_the_hypernym_control_never_looks_at_the_hyponym(model: Model) -> None:
    patterns = model.patterns
    assert patterns is not None
    values = scored(model, "Hypernym", ("poodle", "dog"), ("stone", "dog"), ("dog", "poodle"), ("dog", "animal"))
    assert values[0] == values[1]
    totals = [int(patterns.hypernym_totals[patterns.numbers[name]]) for name in ("dog", "poodle", "animal")]
    assert [values[0], values[2], values[3]] == pytest.approx([np.log1p(total) for total in totals])
    assert totals[2] > 0


def phrase_first() -> Patterns:
    """A guide dog is a dog by its head alone; no pattern calls it anything else."""
    terms = ["guide dog", "dog", "animal", "poodle", "cat"]
    keys = pack([0, 1, 3, 4], [1, 2, 1, 2], [1, 0, 0, 0])
    return Patterns(terms, ["such as", "head"], keys, [3, 5, 2, 20])


def test_a_phrase_without_vectors_has_those_of_its_head_also_when_it_is_the_first_term() -> None:
    stated = StatedTerms.find(phrase_first(), ["guide dog", "dog", "cat"], lemmas=False)
    assert stated.numbers.tolist() == [0, 1, 4] and not stated.backed_off.any()
    for vectors in (stated.as_hyponym, stated.as_hypernym):
        assert vectors[1].any()
        np.testing.assert_array_equal(vectors[0], vectors[1])


def test_smoothing_does_not_count_a_phrase_as_a_kind_of_its_head() -> None:
    model = Model(space(), patterns=phrase_first())
    phrase, head, stated = scored(model, "Psvd", ("guide dog", "dog"), ("dog", "dog"), ("poodle", "dog"))
    assert phrase == head == pytest.approx(0.0, abs=1e-3)
    assert stated > 1
    assert scored(model, "Pppmi:head=true", ("guide dog", "dog"))[0] > 1


def test_contrasts_are_differences_of_both_directions(model: Model) -> None:
    pairs = [("poodle", "dog"), ("dog", "animal"), ("animal", "dog"), ("guide dog", "helper"), ("cat", "animal")]
    for name in ("P", "Pppmi", "Psvd", "Psvd:rank=1"):
        there, back = (np.array(scored(model, name, *some)) for some in (pairs, [pair[::-1] for pair in pairs]))
        contrast = f"{name}{',' if ':' in name else ':'}contrast=true"
        np.testing.assert_allclose(scored(model, contrast, *pairs), there - back, atol=1e-9)
        assert (there != back).any(), name


def stated_by_hand() -> Patterns:
    """A dog, the first term, is an animal by two patterns (twice as a name), a guide dog a helper."""
    terms = ["dog", "animal", "guide dog", "helper"]
    keys = pack([0, 0, 0, 2], [1, 1, 1, 3], [0, 1, 2, 0])
    return Patterns(terms, ["such-as", f"such-as{OF_A_NAME}", "is-a"], keys, [5, 2, 1, 1])


def test_terms_by_their_names_stand_for_themselves_their_heads_or_nothing() -> None:
    names = ["dog", "hot dog", "hot stone", "hot dogs", "guide dog", "stone", "dogs"]
    stated = StatedTerms.find(stated_by_hand(), names, lemmas=False)
    assert stated.numbers.tolist() == [0, 0, -1, -1, 2, -1, -1]
    assert stated.backed_off.tolist() == [False, True, False, False, False, False, False]
    assert stated.exact_numbers.tolist() == [0, -1, -1, -1, 2, -1, -1]
    assert stated.hyponym_totals.tolist() == [8, 8, 0, 0, 1, 0, 0]
    assert stated.hypernym_totals.tolist() == [0] * 7
    lemmas, exact = (StatedTerms.find(stated_by_hand(), [["dogs"]], **more) for more in ({}, {"lemmas": False}))
    assert (lemmas.numbers.tolist(), exact.numbers.tolist()) == ([0], [-1])


def test_a_quantity_of_one_term_of_the_patterns_and_of_none() -> None:
    stated = StatedTerms(stated_by_hand(), np.array([0, -1]))
    assert stated.of_terms(np.array([7])).tolist() == [7, 0]
    assert stated.of_terms(np.zeros(0, dtype=np.int64)).tolist() == [0, 0]


@pytest.mark.parametrize("many", [1, 40])
def test_what_is_stated_of_the_first_term(many: int) -> None:
    """Eight statements; of few terms and of many."""
    names = ["dog", "animal", "stone", "helper", "guide dog"] * many
    stated = StatedTerms.find(stated_by_hand(), names, lemmas=False)
    rows = np.arange(5 * many)
    pairs = StatedPairs(stated, np.concatenate([[0, 0, 2, 4], rows]), np.concatenate([[1, 3, 1, 3], rows]))
    assert pairs.counts[:4].tolist() == [8, 0, 0, 1]
    assert pairs.silent[:4].tolist() == [False, True, True, False]


def test_a_phrase_with_vectors_of_its_own_has_these() -> None:
    terms = ["guide dog", "dog", "animal", "poodle", "helper", "nurse", "tool", "saw"]
    keys = pack([0, 1, 3, 5, 7], [4, 2, 2, 4, 6], [0] * 5)
    patterns = Patterns(terms, ["such as"], keys, [5] * 5)
    own = patterns.hyponym_vectors(np.array([0]))
    assert own.any() and not own.all()  # part of it is 0
    np.testing.assert_array_equal(StatedTerms.find(patterns, ["guide dog"]).as_hyponym, own)
