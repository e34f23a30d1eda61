"""The table of scores: names, aliases, options, needs, and the promises every score keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hyperdive.errors import InputError, OptionError
from hyperdive.scores import Pairs, get, names, register, table, unregister, usable_scores
from hyperdive.scores.pairs import TermArrays
from hyperdive.scores.source import as_source
from hyperdive.spaces.space import VectorSpace

from .test_formulas import make, random_rows

TIMES = settings(max_examples=30, deadline=None)


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("C·ΔS", "C·ΔS"), ("C*dS", "C·ΔS"), ("cds", "C·ΔS"), ("C.DeltaS", "C·ΔS"), ("c × Δs", "C·ΔS"),
        ("dS", "ΔS"), ("ds", "ΔS"), ("DeltaS", "ΔS"), ("AL1", "AL₁"), ("al₁", "AL₁"), ("C*dE", "C·ΔE"),
        ("CDE", "CDE"), ("cde", "CDE"), ("SLQS_Sub", "SLQS Sub"), ("wds", "W·ΔS"), ("cosine", "C"),
        ("frequency ratio", "Frequency"), ("reversed-weeds", "rWeeds"),
    ],
)  # fmt: skip
def test_every_spelling_finds_its_score(spelled: str, name: str) -> None:
    assert get(spelled).name == name


def test_every_score_says_what_it_is() -> None:
    for score in table():
        assert score.formula and score.reference and score.range and score.function.__doc__, score.name
        assert get(score.ascii).name == score.name
        assert score.ascii.isascii()


def test_an_unknown_score_is_refused_with_a_guess() -> None:
    with pytest.raises(OptionError, match=r"no score is called 'cosin'.*did you mean cosine"):
        get("cosin")


@pytest.mark.parametrize("text", ["AL1:w1=2", "AL1:w0=x", "AL1:w0=-1", "AL1:w0=nan", "Weeds:printed=maybe", "C:n=2"])
def test_a_wrong_option_is_refused_and_the_right_ones_named(text: str) -> None:
    with pytest.raises(OptionError, match="its options"):
        get(text)


def test_al1_without_a_price_is_refused() -> None:
    with pytest.raises(OptionError, match="above 0"):
        get("AL1:w0=0")(Pairs([[1.0], [2.0]], [0], [1]))


def test_a_user_registers_a_score_and_cannot_take_a_name_twice() -> None:
    @register("mine", formula="C/2")
    def mine(pairs: Pairs, *, half: float = 2.0) -> np.ndarray:
        """Half the cosine."""
        return pairs.cosine / half

    try:
        pairs = Pairs([[1.0], [2.0]], [0], [1])
        assert get("MINE")(pairs).tolist() == [0.5]
        assert get("mine:half=4")(pairs).tolist() == [0.25]
        with pytest.raises(OptionError, match="taken"):
            register("Mine")(mine)
        with pytest.raises(OptionError, match="taken"):
            register("other", aliases=("cds",))(mine)
    finally:
        unregister("mine")
    assert "mine" not in names()
    with pytest.raises(OptionError):
        get("mine")


def test_a_score_that_is_not_a_number_is_an_error_that_names_it() -> None:
    @register("broken", formula="0/0")
    def broken(pairs: Pairs) -> np.ndarray:
        """Not a number."""
        return np.full(len(pairs), np.nan)

    try:
        with pytest.raises(InputError, match="score broken is not a number for 1 of 1 pairs"):
            get("broken")(Pairs([[1.0], [2.0]], [0], [1]))
    finally:
        unregister("broken")


def test_a_space_that_cannot_compute_a_score_says_which_it_can() -> None:
    plain = Pairs([[1.0], [2.0]], [0], [1])
    with pytest.raises(InputError, match=r"score W needs a skip-gram space \(this space has: C, dS"):
        get("W")(plain)
    with pytest.raises(InputError, match="SLQS Sub needs co-occurrence counts"):
        get("SLQS Sub")(plain)
    with pytest.raises(InputError, match="CDE needs non-negative vectors") as caught:
        get("CDE")(Pairs([[-1.0], [2.0]], [0], [1]))
    assert "AL1" not in str(caught.value)


def test_usable_scores_of_a_signed_space_leave_inclusion_out() -> None:
    space = VectorSpace(["a", "b"], [[1.0, 0.5], [-1.0, 2.0]], frequencies=[1, 1], kind="skipgram")
    usable = {score.name for score in usable_scores(as_source(space))}
    assert {"C", "ΔS", "ΔQ", "Frequency"} <= usable
    assert not usable & {"CDE", "AL₁", "W", "SLQS Sub", "ΔE"}


@TIMES
@given(seed=st.integers(0, 10_000))
def test_symmetry_range_and_direction(seed: int) -> None:
    pairs = make(random_rows(seed))
    turned = Pairs(pairs.terms, pairs.p, pairs.q)
    for score in table():
        if score.missing(pairs):
            assert score.name == "confidence"  # which needs the names of terms
            continue
        values = score(pairs)
        if score.symmetric:
            np.testing.assert_allclose(values, score(turned), atol=1e-12, err_msg=score.name)
        if score.name in ("ΔS", "ΔQ", "ΔE", "SLQS Sub", "Frequency", "C·ΔS", "W·ΔE"):
            np.testing.assert_allclose(values, -score(turned), atol=1e-12, err_msg=score.name)
        low, high = {
            "[0, 1]": (0, 1),
            "[-1, 0]": (-1, 0),
            "[-1, 1]": (-1, 1),
            "[0, 1)": (0, 1),
            "(-∞, 0]": (-np.inf, 0),
        }.get(score.range, (-np.inf, np.inf))
        assert values.min() >= low - 1e-12 and values.max() <= high + 1e-12, score.name
    # what CDE says of one direction, reversed CDE says of the other
    np.testing.assert_array_equal(get("rCDE")(turned), get("CDE")(pairs))
    np.testing.assert_array_equal(get("rWeeds")(turned), get("Weeds")(pairs))


@TIMES
@given(seed=st.integers(0, 10_000))
def test_cde_is_one_exactly_when_q_is_included_in_p(seed: int) -> None:
    matrix = random_rows(seed)
    pairs = make(matrix)
    values = get("CDE")(pairs)
    included = (matrix[pairs.q] <= matrix[pairs.p]).all(axis=1) & (matrix[pairs.q].sum(axis=1) > 0)
    np.testing.assert_array_equal(np.abs(values - 1.0) < 1e-12, included)
    # p included in q too means the two are equal: invCL is 0 there
    same = included & (matrix[pairs.q] == matrix[pairs.p]).all(axis=1)
    assert (get("invCL")(pairs)[same] < 1e-6).all()


@TIMES
@given(seed=st.integers(0, 10_000))
def test_equal_and_parallel_one_dimensional_vectors_are_exactly_tied(seed: int) -> None:
    """Rounding noise in the cosine of equal vectors once broke ties between pairs of a word with itself."""
    rng = np.random.default_rng(seed)
    matrix = rng.gamma(1.0, size=(6, 30)).astype(np.float32)
    assert (Pairs(matrix, np.arange(6), np.arange(6)).cosine == 1.0).all()
    single = np.zeros((6, 3), dtype=np.float32)
    single[:, 1] = matrix[:, 0]
    assert (Pairs(single, np.arange(6), np.roll(np.arange(6), 1)).cosine == 1.0).all()


def test_printed_weeds_turns_the_ranking_round() -> None:
    pairs = make(random_rows(0))
    np.testing.assert_array_equal(get("Weeds:printed=true")(pairs), -get("Weeds")(pairs))


def test_random_belongs_to_the_place_and_the_seed() -> None:
    whole = Pairs(np.eye(3), np.zeros(100, dtype=int), np.ones(100, dtype=int))
    part = Pairs(np.eye(3), np.zeros(3, dtype=int), np.ones(3, dtype=int), places=[5, 50, 99])
    values = get("Random")(whole)
    assert get("Random")(part).tolist() == values[[5, 50, 99]].tolist()
    assert (get("Random:seed=1")(whole) != values).all()
    assert 0.4 < values.mean() < 0.6
    # the first three numbers of SplitMix64 from 0, as its authors print them
    first = (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F)
    assert values[:3].tolist() == [(number >> 11) / 2**53 for number in first]


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_phrases_are_means_and_missing_words_make_them_missing(form: Any) -> None:
    matrix = form([[2.0, 0], [0, 2], [5, 5], [1, 1]])
    space = VectorSpace(["hot", "dog", "ice cream", "cola"], matrix, frequencies=[4, 2, 1, 1], kind="dive")
    terms = [["hot", "dog"], ["hot", "cat"], ["ice", "cream"], ["dogs"], ["dogs", "hot"], [""]]
    found = space.vocabulary.look_up(terms)
    assert found.found.tolist() == [True, False, True, True, True, False]
    assert found.by_lemma.tolist() == [False, False, False, True, True, False]
    assert space.vocabulary.look_up(terms, lemmas=False).found.tolist() == [True, False, True, False, False, False]
    from hyperdive.scores import Terms

    made = Terms(as_source(space), terms)
    expected = [[1, 1], [0, 0], [5, 5], [0, 2], [1, 1], [0, 0]]
    np.testing.assert_allclose(made.rows.csr.toarray(), expected)
    single = Terms(as_source(space), terms[2:4] + terms[5:])
    np.testing.assert_allclose(single.rows.csr.toarray(), [[5, 5], [0, 2], [0, 0]])
    assert made.frequencies.tolist() == [3.0, 0.0, 1.0, 2.0, 3.0, 0.0]


def test_only_letters_have_a_lemma() -> None:
    space = VectorSpace(["author", "dog"], np.eye(2), frequencies=[1, 1], kind="dive")
    terms = [["non_author"], ["co-authors"], ["authors"], ["dogs|n"]]
    assert space.vocabulary.look_up(terms).found.tolist() == [False, False, True, False]


def test_a_term_without_a_skipgram_vector_has_w_zero() -> None:
    from hyperdive.scores import Terms

    main = VectorSpace(["a", "b"], np.eye(2), frequencies=[1, 1], kind="dive")
    beside = VectorSpace(["a"], [[1.0]], frequencies=[1], kind="skipgram")
    terms = Terms(as_source(main, beside), [["a"], ["b"]])
    pairs = terms.pairs([0, 0], [0, 1])
    assert get("W")(pairs).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("power", "values"), [("", [np.log(4), 0.0]), (":power=1", [12, 0]), (":power=0.5", [2, 0])])
def test_frequency_is_a_difference_of_logarithms_counts_or_roots(power: str, values: list[float]) -> None:
    pairs = Pairs(TermArrays(np.ones((3, 1)), frequencies=[4, 16, 4]), [0, 0], [1, 2])
    assert get(f"Frequency{power}")(pairs).tolist() == pytest.approx(values)


def test_a_switch_is_spelled_in_six_ways_and_a_number_is_not_negative() -> None:
    for text, value in (("true", True), ("1", True), ("Yes", True), ("FALSE", False), ("0", False), ("no", False)):
        assert get(f"Weeds:printed={text}").chosen == {"printed": value}
    for wrong in ("Weeds:printed=perhaps", "Weeds:printed=", "AL1:w0=-1", "AL1:w0=inf", "AL1:w0=x", "SLQS Sub:n=1.5"):
        with pytest.raises(OptionError):
            get(wrong)
    assert get("AL1:w0=0").chosen == {"w0": 0.0}


def test_the_weight_of_what_exceeds_is_five_unless_told() -> None:
    pairs = make(random_rows(3))
    default = get("AL1")(pairs)
    np.testing.assert_array_equal(default, get("AL1:w0=5")(pairs))
    assert (default != get("AL1:w0=10")(pairs)).any()


def test_usable_scores_of_no_words_and_of_one_number() -> None:
    nothing = VectorSpace([], np.zeros((0, 2)), frequencies=[], kind="dive")
    assert {"C", "CDE"} <= {score.name for score in usable_scores(as_source(nothing))}
    for number, included in ((1.0, True), (-1.0, False)):
        single = VectorSpace(["a"], [[number]], frequencies=[1], kind="dive")
        assert ("CDE" in {score.name for score in usable_scores(as_source(single))}) is included


def test_commands_print_the_scores_of_the_paper_unless_all_are_asked_for() -> None:
    space = VectorSpace(["a", "b"], [[1.0, 0.5], [1.0, 2.0]], frequencies=[1, 1], kind="dive")
    default, every = ([score.name for score in usable_scores(as_source(space), wanted)] for wanted in (None, ["all"]))
    assert {"C·ΔS", "AL₁", "Frequency", "Random"} <= set(default) < set(every)
    assert not {"APinc", "rCDE", "W", "confidence"} & set(default) and "APinc" in every
    assert every == [score.name for score in table() if score.name in every]  # in the order of the table
    assert usable_scores(as_source(space), ["ablation"]) == []
    assert [score.name for score in usable_scores(as_source(space), ["APinc", "default"])] == ["APinc", *default]


def test_a_score_is_shown_without_its_function() -> None:
    assert "function" not in repr(get("C")) and "'C'" in repr(get("C"))


@pytest.mark.parametrize(
    ("text", "options"),
    [("C:n=2", "its options: none"), ("AL1:w1=2", "its options: w0=5.0, released=False"), ("APSyn:n=x", "n=1000")],
)
def test_a_wrong_option_is_told_what_there_is(text: str, options: str) -> None:
    with pytest.raises(OptionError, match=options):
        get(text)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"family": "sums"}, "'sums' is not a family"), ({"needs": ["sums", "patterns"]}, r"cannot need \['sums'\]")],
)
def test_what_a_score_cannot_be_is_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        register("never", **wrong)
    for name in ("", " – "):
        with pytest.raises(OptionError, match="empty or taken"):
            register(name)(lambda pairs: pairs.cosine)
        with pytest.raises(OptionError, match="empty or taken"):
            register("never", aliases=[name])(lambda pairs: pairs.cosine)
    assert "never" not in names()


@pytest.mark.parametrize("zero", [0.0, 0.5])
def test_a_space_with_zeros_and_small_numbers_has_the_inclusion_scores(zero: float) -> None:
    for form in (np.array, csr_array):
        space = VectorSpace(["a", "b"], form([[zero, 0.25], [0.5, zero]]), frequencies=[1, 1], kind="dive")
        assert "CDE" in {score.name for score in usable_scores(as_source(space))}


def test_scores_that_are_asked_for_are_each_taken_once() -> None:
    space = VectorSpace(["a"], [[1.0]], frequencies=[1], kind="dive")
    assert [score.name for score in usable_scores(as_source(space), ["cds", "C", "C·ΔS"])] == ["C·ΔS", "C"]
