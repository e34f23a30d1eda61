"""From terms to rows of a space of words and terms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from hyperdive import Model
from hyperdive.model import with_terms
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import Pairs, as_source, get
from hyperdive.scores.source import Source, term_source
from hyperdive.scores.terms import Terms, heads_of, terms_of
from hyperdive.spaces.composition import Composition
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.abbreviations import Abbreviation, Abbreviations
from hyperdive.text.vocabulary import Vocabulary

WORDS = ["typhoon", "daniel", "bernard", "highway", "state highway", "gold", "fish", "dynamics", "egg", "ham"]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("typhoon lupit", ["typhoon", "typhoon"]),
        ("daniel bernard roumain", ["daniel", "bernard"]),
        ("state highway 17", ["state highway", "state highway"]),
        ("gold highway 17", ["gold", "highway", "highway"]),
        ("goldfish", ["gold", "fish", "fish"]),
        ("astrodynamics", ["dynamics", "dynamics"]),
        ("lupit roumain", []),
        ("goldlupit", []),
        ("gold", ["gold"]),
    ],
)
def test_a_term_without_a_row_is_made_of_its_known_parts(name: str, rows: list[str]) -> None:
    space = VectorSpace(WORDS, np.eye(len(WORDS)), frequencies=[1] * len(WORDS), kind="dive")
    found = space.vocabulary.resolve([name])
    assert [WORDS[row] for row in found.rows] == rows
    assert found.own.tolist() == [len(rows) == 1]


def test_what_and_joins_has_no_head() -> None:
    assert heads_of(["ham and eggs"]) == []
    assert heads_of(["bread and butter pickle"]) == ["and butter pickle", "butter pickle", "pickle"]
    assert heads_of(["vitamin b 12"]) == ["vitamin"]


@pytest.mark.parametrize("sparse", [True, False])
def test_phrase_means_are_not_rounded(sparse: bool) -> None:
    """A mean in 32 bits moved scores by 3e-6, and APSyn by 7e-3 where it broke or made ties."""
    rng = np.random.default_rng(0)
    vectors = (rng.random((30, 12)) * (rng.random((30, 12)) < 0.5)).astype(np.float32)
    words = [f"w{number}" for number in range(30)]
    matrix = csr_array(vectors) if sparse else vectors
    space = VectorSpace(words, matrix, frequencies=[1] * 30, kind="dive")
    phrases = [[words[a], words[b], words[c]] for a, b, c in rng.integers(0, 30, (20, 3))]
    terms = Terms(as_source(space), phrases)
    means = np.array(
        [np.mean([vectors[words.index(w)].astype(np.float64) for w in phrase], axis=0) for phrase in phrases]
    )
    q, p = np.arange(10), np.arange(10, 20)
    for score in ("C", "ΔS", "ΔQ", "ΔE", "CDE", "AL₁", "APSyn", "balAPinc"):
        exact = get(score)(Pairs(means, q, p))
        np.testing.assert_allclose(get(score)(terms.pairs(q, p)), exact, rtol=1e-12, atol=1e-14, err_msg=score)


def test_a_name_of_fifty_words_or_a_thousand_characters_is_the_longest_that_is_composed() -> None:
    space = VectorSpace(["blue", "dog"], np.eye(2), frequencies=[1, 1], kind="dive")
    for name, known in (
        (" ".join(["blue"] * 49 + ["dog"]), True),
        (" ".join(["blue"] * 50 + ["dog"]), False),
        ("blue" + "x" * (1000 - 8) + " dog", True),
        ("blue" + "x" * (1001 - 8) + " dog", False),
    ):
        assert bool(space.vocabulary.resolve([name]).found[0]) is known, name[:20]


def joined_space(words: VectorSpace, own: VectorSpace) -> VectorSpace:
    return term_source(with_terms(Model(words), own.vocabulary, own.matrix)).main


@pytest.mark.parametrize("sparse_words", [True, False])
@pytest.mark.parametrize("sparse_terms", [True, False])
@pytest.mark.parametrize("own", [["hot dog", "sea dog"], ["hot dog", "dog", "sea dog"]])
def test_terms_come_after_words_and_one_that_is_a_word_is_the_word(
    own: list[str], sparse_terms: bool, sparse_words: bool
) -> None:
    vectors = {"hot": [1, 0], "dog": [0, 2], "hot dog": [3, 4], "sea dog": [0, 5]}
    above, below = np.array([[1, 0], [0, 2]]), np.array([[9, 9] if name == "dog" else vectors[name] for name in own])
    words = VectorSpace(["hot", "dog"], csr_array(above) if sparse_words else above, frequencies=[5, 9], kind="dive")
    terms = VectorSpace(own, csr_array(below) if sparse_terms else below, frequencies=[4] * len(own), kind="dive")
    space = joined_space(words, terms)
    assert space.words == list(vectors)
    assert space.is_sparse is (sparse_words or sparse_terms)
    assert [np.asarray(space[name]).tolist() for name in space.words] == list(vectors.values())


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("gold fish", ["gold", "fish", "fish"]),
        ("lupit gold fish", ["gold", "fish", "fish"]),
        ("state highway gold fish", ["state highway", "gold", "fish", "fish"]),
        ("gold state highway", ["gold", "state highway", "state highway"]),
    ],
)
def test_the_longest_known_pieces_are_taken_and_unknown_words_left_out(name: str, rows: list[str]) -> None:
    space = VectorSpace(WORDS, np.eye(len(WORDS)), frequencies=[1] * len(WORDS), kind="dive")
    assert [WORDS[row] for row in space.vocabulary.resolve([name]).rows] == rows


def test_lookups_of_all_words_and_of_two_lists() -> None:
    space = VectorSpace(["a", "b", "c"], np.eye(3), frequencies=[1, 1, 1], kind="dive")
    every = Terms.every(Source(space)).lookup
    assert (every.rows.tolist(), every.starts.tolist(), every.by_lemma.any()) == ([0, 1, 2], [0, 1, 2, 3], False)
    look_up = space.vocabulary.look_up
    both = look_up([["a", "b"], ["x"]]).followed_by(look_up([["c"], ["bs"], ["b", "c"]]))
    assert both.rows.tolist() == [0, 1, 2, 1, 1, 2] and both.starts.tolist() == [0, 2, 2, 3, 4, 6]
    assert both.by_lemma.tolist() == [False, False, False, True, False]


def test_gathered_rows_keep_the_order_of_columns() -> None:
    matrix = csr_array(np.array([[0.0, 1, 2], [3, 0, 4]]))
    space = VectorSpace(["a", "b"], matrix, frequencies=[1, 1], kind="dive")
    gathered = space.means(space.vocabulary.look_up([["b"], ["a", "b"]]))
    assert gathered.has_sorted_indices and gathered.toarray().tolist() == [[3, 0, 4], [1.5, 0.5, 3]]


def test_abbreviations_are_looked_up_by_their_long_form_unless_the_term_itself_is_wanted() -> None:
    short = Abbreviation("ACL", "acl", "cruciate ligament", "cruciate ligament", 9)
    names = Vocabulary(["acl", "cruciate ligament", "dog"], abbreviations=Abbreviations([short]))
    more = {"acl": 1, "cruciate ligament": 2}.get
    for written in ("ACL", " ACL ", "ACLs"):
        assert names.name_of(written, statements=more) == "cruciate ligament"
    assert names.name_of("ACL") == "acl"
    assert names.name_of("ACL", own=True, statements=more) == "acl"  # it has a row
    assert names.name_of("dog") == names.name_of("dogs") == "dog"
    names = Vocabulary(["cruciate ligament"], abbreviations=Abbreviations([short]))
    assert names.name_of("ACL", own=True) == "cruciate ligament"  # it has none


def test_a_name_is_normalised_with_its_capitals_first() -> None:
    def named(term: str, *words: str) -> str:
        return Vocabulary(words).name_of(term)

    assert named("AIDS.", "AIDS", "aid") == "AIDS"
    assert named("AIDS.", "aid") == "aid"
    assert named("Blue-Dogs", "x") == named("blue dogs", "x") == "blue dog"
    assert named("...", "x") == "..."
    assert Vocabulary([]).name_of("dog") == "dog"


# ---- terms of a source ----------------------------------------------------------------------------------------------


def two_orders(main: list[str], beside: list[str]) -> Source:
    """A source whose skip-gram space has its words in another order; the vector of a word is its length and 1."""
    dive, skipgram = (
        VectorSpace(words, [[len(word), 1.0] for word in words], frequencies=[1] * len(words), kind=kind)
        for words, kind in ((main, "dive"), (beside, "skipgram"))
    )
    return Source(dive, skipgram=skipgram)


def test_skipgram_vectors_are_those_of_the_same_words_in_any_order() -> None:
    words, order = ["cow", "tiger"], ["tiger", "lynxes", "cow"]
    expected = [[3.0, 1.0], [5.0, 1.0]]
    source = two_orders(words, order)
    for terms in (Terms(source, [["cow"], ["tiger"]]), Terms.named(source, words), Terms.every(source)):
        assert terms.skipgram is not None
        assert np.asarray(terms.skipgram.matrix).tolist() == expected
    same = Terms.every(two_orders(words, words)).skipgram
    assert same is not None and np.asarray(same.matrix).tolist() == expected
    plural = Terms.every(two_orders(["tigers", "cow"], order)).skipgram  # a word of the vocabulary is that word
    assert plural is not None and np.asarray(plural.matrix).tolist() == [[0.0, 0.0], [3.0, 1.0]]


def test_terms_are_looked_up_by_their_lemma_unless_told_otherwise() -> None:
    source = two_orders(["cow", "tiger"], ["cow"])
    assert Terms(source, [["cows"], ["tiger"]]).found.tolist() == [True, True]
    assert Terms(source, [["cows"]], lemmas=False).found.tolist() == [False]
    assert terms_of(source, ["cows", "Tiger"]).found.tolist() == [True, True]
    assert terms_of(source, ["cows"], lemmas=False).found.tolist() == [False]


def test_heads_that_nobody_asked_about_come_last() -> None:
    source = two_orders(["cow", "milk cow", "tiger"], ["cow"])
    assert terms_of(source, ["old milk cow", "sabre tiger", "Tiger", "blue law"]).names == [
        "old milk cow", "sabre tiger", "tiger", "blue law", "cow",
    ]  # fmt: skip
    assert Terms.named(source, ["old milk cow", "sabre tiger", "tiger", "blue law"]).names[4:] == ["cow"]


def test_without_patterns_nothing_is_projected() -> None:
    terms = Terms(two_orders(["cow"], ["cow"]), [["cow"]])
    assert not terms.has_confidence and terms.projected is None


def test_the_head_is_the_last_word_and_may_be_the_first_row() -> None:
    words = ["dog", "guide dog", "old guide dog", "blue law", "and eggs", "eggs"]
    space = VectorSpace([word for word in words if word != "blue law"], np.eye(5), frequencies=[1] * 5, kind="dive")
    every = np.arange(6)
    for terms in (Terms.named(Source(space), words), Terms(Source(space), [word.split() for word in words])):
        assert terms.head_rows(every).tolist() == [-1, 0, 0, -1, 5, -1]
        assert [rows.tolist() for rows in terms.heads(every)] == [[], [0], [1, 0], [], [5], []]
    found = Terms.every(Source(VectorSpace(["guide dog", "cat"], np.eye(2), frequencies=[1, 1], kind="dive")))
    assert found.head_rows(np.array([0, 1])).tolist() == [-1, -1]


def test_a_pair_has_a_head_where_q_ends_in_p() -> None:
    words = ["dog", "guide dog", "old guide dog", "cat", "bird", "bird of prey", "sea bird"]
    space = VectorSpace(words, np.eye(7), frequencies=[1] * 7, kind="dive")
    terms, rng = Terms.named(Source(space), words), np.random.default_rng(0)
    chosen = [rng.integers(0, 7, (2, many)) for many in (1, 2, 3, 5, 20) for _ in range(30)]
    for q, p in [*chosen, (np.repeat(np.arange(7), 7), np.tile(np.arange(7), 7))]:
        expected = [words[b] in heads_of(words[a].split()) for a, b in zip(q, p, strict=True)]
        assert terms.pairs(q, p).is_head.tolist() == expected


def stated_terms(words: list[str], stated: list[tuple[int, int]], names: list[str]) -> Terms:
    """Terms of orthogonal vectors, of which patterns state these pairs."""
    patterns = Patterns(names, ["such as"], pack(*np.transpose(stated), np.zeros(len(stated))), [5] * len(stated))
    spaces = [VectorSpace(words, np.eye(len(words)), frequencies=[1] * len(words), kind=kind) for kind in ("dive", "w")]
    return Terms.named(Source(spaces[0], skipgram=spaces[1], stated=lambda: patterns), words)


def test_what_is_stated_of_the_head_supports_a_hypernym() -> None:
    """The head is the first term of the patterns, and the next one has statements of its own."""
    terms = stated_terms(["guide dog", "dog", "animal", "thing"], [(0, 1), (1, 2)], ["dog", "animal", "thing"])
    assert [terms.supported(row).tolist() for row in range(4)] == [[1, 2], [2, 3], [3], []]
    assert terms.row_of_number.tolist() == [1, 2, 3]


def test_a_term_that_is_there_twice_has_its_first_row() -> None:
    terms = stated_terms(["dog", "cat"], [(0, 1)], ["dog", "cat"])
    twice = Terms.named(terms.source, ["cat", "dog", "dog", "cat"])
    assert twice.row_of_number.tolist() == [1, 0]


def test_only_a_term_with_a_row_of_its_own_is_in_the_text() -> None:
    space = VectorSpace(["polar", "bear"], np.eye(2), frequencies=[10, 40], kind="dive")
    terms = Terms.named(Source(space), ["bear", "polar bear", "yak"])
    assert terms.own_frequencies.tolist() == [40.0, 0.0, 0.0]
    assert terms.phrases.tolist() == [False, True, False] and terms.compounds.tolist() == [False, False, True]


def test_a_phrase_with_a_modifier_is_composed_as_terms_were_found_to_be() -> None:
    """The map gives the vector of the modifier, of length one; what has no modifier keeps the mean of its words."""
    words = ["guide", "dog", "bird", "prey", "school"]
    vectors = np.array([[3, 4], [0, 1], [1, 0], [0.6, 0.8], [4, 3]], dtype=np.float32)
    main, skipgram = (VectorSpace(words, vectors, frequencies=[1] * 5, kind=kind) for kind in ("dive", "skipgram"))
    maps = Composition(
        np.zeros((3, 2), np.float32), np.array([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]], np.float32), 0.0
    )
    source = Source(main, skipgram=skipgram, composed=lambda: maps)
    made = Terms.named(source, ["guide dog", "bird of prey", "dog", "guide school dog"]).skipgram
    assert made is not None
    expected = [[0.6, 0.8], [1, 0], [0, 1], [0.6, 0.8]]
    np.testing.assert_allclose(made.matrix[:4], expected, atol=1e-6)


# ---- sources --------------------------------------------------------------------------------------------------------


def test_how_often_it_is_said_what_a_term_is_decides_between_two_forms() -> None:
    patterns = Patterns(["dog", "animal", "d o g"], ["such as"], pack([0, 2], [1, 1], [0, 0]), [5, 6])
    short = Abbreviation("DOG", "dog", "d o g", "d o g", 9)
    names = Vocabulary(["dog", "d o g"], abbreviations=Abbreviations([short]))
    space = VectorSpace(names, np.eye(2), kind="dive")
    assert Source(space, stated=lambda: patterns).name_of("dog") == "d o g"
    assert Source(space).name_of("dog") == "dog"


def test_counts_of_contexts_belong_to_the_columns_of_the_space() -> None:
    main = VectorSpace(list("abcd"), np.ones((4, 3)), frequencies=[1] * 4, kind="sbow-ppmi")
    for rows, belongs in ((3, True), (4, False), (2, False)):
        counts = VectorSpace(list("xyzw")[:rows], np.ones((rows, 2)), frequencies=[1] * rows, kind="sbow-freq")
        assert (as_source(main, counts=counts).context_counts is not None) is belongs


@pytest.mark.parametrize("kind", ["sbow-freq", "sbow-ppmi"])
def test_a_space_of_counts_is_its_own_and_parameters_are_kept(kind: str) -> None:
    space = VectorSpace(["a"], [[1.0]], frequencies=[1], kind=kind, parameters={"window": 3})
    other = VectorSpace(["b"], [[1.0]], frequencies=[1], kind="sbow-freq")
    assert as_source(space).counts is (space if kind == "sbow-freq" else None)
    assert as_source(space, counts=other).counts is other
    assert as_source(as_source(space, counts=other)).counts is other
    assert as_source(space).parameters == {"window": 3}
    assert as_source(Model(space, parameters={"window": 5})).parameters == {"window": 5}
    assert as_source(Model(other)).parameters == {}
