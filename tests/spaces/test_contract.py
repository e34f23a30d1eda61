"""One behavioural suite for every vector space: what is in the registry runs through all of it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.resealing import put_array, put_header
from scipy.sparse import csr_array

from hyperdive._resources import Run
from hyperdive._resume import WorkFolder
from hyperdive.errors import Error, FormatError, InputError, OutputError, UnknownWordError
from hyperdive.options import SpaceOptions
from hyperdive.spaces.inputs import SpaceInputs
from hyperdive.spaces.registry import SPACES
from hyperdive.spaces.space import VectorSpace, unit_rows
from hyperdive.text.corpus import UNKNOWN
from hyperdive.text.token_lists import encode_tokens

LINES = [
    ["animal", "dog", "cat", "pet"],
    ["animal", "dog", "bark", "sofa"],
    ["animal", "cat", "sleep", "sofa"],
    ["pet", "dog", "sofa", "once"],
]


OPTIONS = SpaceOptions(dimensions=4, window=3, passes=3, pmi_filter="none")


def plain_dense() -> VectorSpace:
    matrix = np.random.default_rng(0).normal(size=(4, 5))
    return VectorSpace(["animal", "dog", "cat", "pet"], matrix, frequencies=[9, 5, 5, 2], kind="plain")


def registered(name: str) -> VectorSpace:
    """The space of that name, made as a training run makes it."""
    maker = SPACES[name]
    for module in {"kmeans": ["sklearn"], "word2vec": ["gensim"], "word2vec-cbow": ["gensim"]}.get(name, []):
        pytest.importorskip(module)
    folder = Path(tempfile.mkdtemp())
    corpus = encode_tokens(LINES * 50 + [["hapax", "dog", "cat"]], folder / "corpus", min_count=2)
    work = WorkFolder(folder / ".work", folder / "space", name)
    run = Run(threads=2)
    maker.check(OPTIONS, True, None)
    space = maker.make(SpaceInputs(corpus, work, OPTIONS, run), OPTIONS, run)
    work.remove()  # a space does not live on the files of its run
    return space


@pytest.fixture(scope="module", params=["plain", *SPACES])
def space(request: pytest.FixtureRequest) -> VectorSpace:
    made = plain_dense() if request.param == "plain" else registered(request.param)
    assert isinstance(made, VectorSpace)
    assert made.kind == request.param
    return made


def dense(block: Any) -> np.ndarray:
    return block if isinstance(block, np.ndarray) else block.toarray()


def same(one: VectorSpace, two: VectorSpace) -> None:
    assert one.words == two.words
    assert (one.kind, one.parameters, one.is_sparse) == (two.kind, two.parameters, two.is_sparse)
    assert np.array_equal(one.frequencies, two.frequencies)
    assert np.array_equal(dense(one.matrix), dense(two.matrix))
    assert one.matrix.dtype == two.matrix.dtype
    assert (one.variances is None) == (two.variances is None)
    if one.variances is not None and two.variances is not None:
        assert np.array_equal(one.variances, two.variances)


def test_words_are_distinct_and_known(space):
    assert len(space) == len(space.words) == len(set(space.words)) > 0
    assert list(space) == space.words
    assert UNKNOWN not in space
    assert UNKNOWN not in space.words
    assert "dog" in space
    assert "zebra" not in space
    assert 3 not in space


def test_matrix_has_a_float32_row_for_each_word(space):
    assert space.matrix.shape == (len(space), space.dimensions)
    assert space.matrix.dtype == np.float32
    assert np.all(np.isfinite(dense(space.matrix)))
    assert space.is_sparse == (not isinstance(space.matrix, np.ndarray))
    if space.is_sparse:
        assert space.matrix.format == "csr"
        assert space.matrix.has_canonical_format
        assert np.all(space.matrix.data != 0)


def test_frequencies_are_token_counts(space):
    assert space.frequencies.dtype == np.int64
    assert space.frequencies.shape == (len(space),)
    assert np.all(space.frequencies > 0)
    assert space.frequency("dog") == space.frequencies[space.index("dog")]


def test_vectors_are_the_rows(space):
    whole = dense(space.matrix)
    for number, word in enumerate(space):
        assert space.index(word) == number
        for vector in (space[word], space.vector(word)):
            assert isinstance(vector, np.ndarray)
            assert vector.dtype == np.float32
            assert np.array_equal(vector, whole[number])
    order = [2, 0, 2]
    assert np.array_equal(dense(space.rows(order)), whole[order])
    assert dense(space.rows([])).shape == (0, space.dimensions)


def test_a_vector_is_the_callers_own(space):
    space["dog"][:] = -7
    assert not np.any(space["dog"] == -7)


def test_phrases_are_means(space):
    expected = (space["dog"].astype(np.float64) + space["cat"]) / 2
    found = space.vocabulary.look_up([["dog", "cat"], ["dog", "zebra"]])
    means = space.means(found)
    assert np.allclose((means if isinstance(means, np.ndarray) else means.toarray())[0], expected, atol=1e-6)
    assert found.found.tolist() == [True, False]


def test_unknown_words_get_near_spellings(space):
    for ask in (space.index, space.vector, space.frequency, space.__getitem__):
        with pytest.raises(UnknownWordError, match=r"'dgo' is not in this space \(did you mean dog") as error:
            ask("dgo")
        assert isinstance(error.value, KeyError)
        assert isinstance(error.value, Error)
    with pytest.raises(UnknownWordError, match="words are strings"):
        space.vector(3)


def test_subset_keeps_order_and_vectors(space):
    part = space.subset(["cat", "animal"])
    assert part.words == ["cat", "animal"]
    assert np.array_equal(part["animal"], space["animal"])
    assert part.frequency("cat") == space.frequency("cat")
    assert part.kind == space.kind
    assert part.dimensions == space.dimensions
    if space.variances is not None:
        assert part.variances.tolist() == space.variances[[space.index("cat"), space.index("animal")]].tolist()
    assert "dog" not in part
    with pytest.raises(UnknownWordError, match="zebra"):
        space.subset(["cat", "zebra"])


def test_save_and_load_round_trip(space, tmp_path):
    space.save(tmp_path / "space")
    loaded = VectorSpace.load(tmp_path / "space")
    same(space, loaded)
    assert np.array_equal(loaded["dog"], space["dog"])
    same(space.subset(["cat"]), loaded.subset(["cat"]))
    loaded.save(tmp_path / "again")
    files = [sorted(Path(tmp_path / name).iterdir()) for name in ("space", "again")]
    for one, two in zip(*files, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_saving_replaces_only_when_told(space, tmp_path):
    space.save(tmp_path / "space")
    with pytest.raises(OutputError, match="already exists"):
        space.save(tmp_path / "space")
    space.subset(["cat"]).save(tmp_path / "space", force=True)
    assert VectorSpace.load(tmp_path / "space").words == ["cat"]


def test_damage_is_found_on_loading(space, tmp_path):
    space.save(tmp_path / "space")
    for file in sorted((tmp_path / "space").iterdir()):
        good = file.read_bytes()
        file.write_bytes(bytes([good[0] ^ 1]) + good[1:])
        with pytest.raises(FormatError):
            VectorSpace.load(tmp_path / "space")
        file.write_bytes(good)
    same(space, VectorSpace.load(tmp_path / "space"))


def test_loading_what_is_not_a_space(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        VectorSpace.load(tmp_path / "none")
    with pytest.raises(FormatError, match="not a hyperdive folder"):
        VectorSpace.load(tmp_path)


def test_a_space_says_what_it_is(space):
    assert space.kind in repr(space)
    assert str(len(space)) in repr(space)
    assert isinstance(space.parameters, dict)


def test_parts_that_do_not_go_together_are_refused():
    with pytest.raises(InputError, match="do not go together"):
        VectorSpace(["a", "b"], np.zeros((1, 3)), frequencies=[1], kind="plain")
    with pytest.raises(InputError, match="variances of shape"):
        VectorSpace(["a"], np.zeros((1, 3)), frequencies=[1], kind="gaussian", variances=np.ones((1, 2)))
    with pytest.raises(InputError, match="two dimensions"):
        VectorSpace(["a"], np.zeros(3), frequencies=[1], kind="plain")
    with pytest.raises(InputError, match="twice"):
        VectorSpace(["a", "a"], np.zeros((2, 3)), frequencies=[1, 1], kind="plain").index("a")


# ---- borders -------------------------------------------------------------------------------------------------------


def test_each_part_of_a_space_goes_with_the_others():
    rows = np.eye(2)
    for words, matrix, frequencies in ((["a"], rows, [1]), (["a", "b"], rows, [1]), (["a", "b"], rows, [[1, 2]])):
        with pytest.raises(InputError, match="do not go together"):
            VectorSpace(words, matrix, frequencies=frequencies, kind="plain")
    with pytest.raises(InputError, match="variances of shape"):
        VectorSpace(["a", "b"], csr_array(rows), frequencies=[1, 1], kind="gaussian", variances=np.ones((2, 2)))
    assert VectorSpace(["a", "b"], rows.tolist(), frequencies=[1, 1], kind="plain")["b"].tolist() == [0.0, 1.0]
    wide = VectorSpace(["a", "b"], csr_array(2 * rows), frequencies=[1, 1], kind="plain")
    assert wide.matrix.dtype == np.float32 and wide.is_sparse and wide["b"].tolist() == [0.0, 2.0]


def test_short_rows_have_a_direction_too():
    rows = np.array([[0.3, 0.4], [0.0, 0.0], [3e-9, 4e-9]])
    assert unit_rows(rows, 0.0).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)],
        [0, 0],
        [pytest.approx(0.6), pytest.approx(0.8)],
    ]
    assert unit_rows(rows, 0.25, 1e-8).tolist()[1:] == [[0, 0, 0], [0, 0, 0]]
    assert not unit_rows(rows, 0.0, 0.5)[0].any() and unit_rows(rows, 0.0, 0.499)[0].any()


def _gaussian(folder):
    space = VectorSpace(["a", "b"], np.eye(2), frequencies=[2, 1], kind="gaussian", variances=np.ones((2, 2)))
    space.save(folder)
    return folder


def _sparse(folder):
    VectorSpace(["a", "b"], csr_array(np.array([[1, 2.0], [0, 3]])), frequencies=[2, 1], kind="plain").save(folder)
    return folder


@pytest.mark.parametrize(
    ("made", "name", "array"),
    [
        (_gaussian, "matrix.npy", np.eye(3, dtype=np.float32)),
        (_gaussian, "matrix.npy", np.array([[1, np.nan], [0, 1]], dtype=np.float32)),
        (_gaussian, "variances.npy", np.ones((2, 3), dtype=np.float32)),
        (_gaussian, "variances.npy", np.array([[1, np.inf], [1, 1]], dtype=np.float32)),
        (_sparse, "indptr.npy", np.array([0, 2, 3, 3])),
        (_sparse, "indptr.npy", np.array([0, 2, 2])),
        (_sparse, "data.npy", np.ones(4, dtype=np.float32)),
        (_sparse, "data.npy", np.array([1, np.nan, 1], dtype=np.float32)),
        (_sparse, "indices.npy", np.array([0, 2, 1], dtype=np.int32)),
        (_sparse, "indices.npy", np.array([1, 0, 1], dtype=np.int32)),
        (_sparse, "indices.npy", np.array([0, 1], dtype=np.int32)),
    ],
)
def test_each_array_of_a_saved_space_is_looked_at(tmp_path, made, name, array):
    place = made(tmp_path / "space")
    VectorSpace.load(place)
    put_array(place, name, array)
    with pytest.raises(FormatError):
        VectorSpace.load(place)


def test_the_header_of_a_saved_space(tmp_path):
    header = json.loads((_gaussian(tmp_path / "space") / "header.json").read_text())
    assert (header["format"], header["format_version"], header["space"]) == ("hyperdive-space", 2, "gaussian")
    assert header["totals"] == {"words": 2, "dimensions": 2}
    for field, value in (("words", 3), ("dimensions", 3), ("dimensions", -1), ("dimensions", (1 << 24) + 1)):
        place = _gaussian(tmp_path / f"{field}{value}")
        put_header(place, **{f"totals__{field}": value})
        with pytest.raises(FormatError):
            VectorSpace.load(place)
    wide = csr_array((np.ones(2), np.array([0, 1], dtype=np.int64), np.array([0, 1, 2])), shape=(2, 2))
    VectorSpace(["a", "b"], wide, frequencies=[1, 1], kind="plain").save(tmp_path / "wide")
    assert VectorSpace.load(tmp_path / "wide").matrix.toarray().tolist() == [[1, 0], [0, 1]]
