"""The model folder: there and back, small, whole or absent, and never trusted blindly."""

from __future__ import annotations

import json
import os
import pickle
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.resealing import put_header, put_tensors
from safetensors.numpy import load_file, save_file
from scipy.sparse import csr_array

from hyperdive import Model
from hyperdive._quantize import rounded_to_8_bits, rounded_to_16_bits
from hyperdive._store import canonical_json, fingerprint
from hyperdive.errors import Error, FormatError, InputError, OutputError
from hyperdive.model import facts_of, in_memory, with_terms
from hyperdive.spaces.composition import Composition
from hyperdive.spaces.folding import ContextSpace, Folding, folding_of
from hyperdive.spaces.model_card import card
from hyperdive.spaces.model_folder import composition_of, space_of
from hyperdive.spaces.space import VectorSpace
from hyperdive.spaces.tensors import matrix_tensors
from hyperdive.text.vocabulary import Vocabulary
from tests.patterns.standin import collected

F32 = np.float32
WORDS = [f"word{i}" for i in range(300)]


def space(kind: str, seed: int = 0, dimensions: int = 40) -> VectorSpace:
    draw = np.random.default_rng(seed)
    matrix = draw.random((len(WORDS), dimensions), dtype=np.float32)
    if kind != "skipgram":
        matrix[draw.random(matrix.shape) < 0.7] = 0
        matrix[7] = 0
    else:
        matrix -= 0.5
    return VectorSpace(WORDS, rounded_to_16_bits(matrix), frequencies=np.arange(300, 0, -1), kind=kind)


@pytest.fixture
def model() -> Model:
    return Model(
        space("dive"),
        contexts=space("contexts", 1),
        skipgram=space("skipgram", 2),
        parameters={"dimensions": 40, "seed": 0},
        facts={"corpus": {"tokens": 1000}, "objective": [-2.0, -1.5]},
    )


def test_there_and_back(tmp_path: Path, model: Model) -> None:
    model.save(tmp_path / "m")
    back = Model.load(tmp_path / "m")
    for name in ("dive", "contexts", "skipgram"):
        one, other = getattr(model, name), getattr(back, name)
        dense = other.matrix.toarray() if other.is_sparse else other.matrix
        assert np.array_equal(one.matrix, dense), name
        assert other.kind == name
    assert back.dive.is_sparse
    assert back.words == WORDS
    assert back.parameters == model.parameters
    assert facts_of(back) == facts_of(model)
    assert not back["word7"].any()
    assert repr(back) == "<Model of 300 words: dive 40 dimensions, contexts, skipgram>"
    back.save(tmp_path / "again")
    for file in ("header.json", "model.safetensors", "vocabulary.parquet", "README.md"):
        assert (tmp_path / "again" / file).read_bytes() == (tmp_path / "m" / file).read_bytes()


def test_values_that_need_32_bits_keep_them(tmp_path: Path) -> None:
    exact = VectorSpace(["a", "b"], np.array([[0.1, 0], [0, 1e9]], dtype=np.float32), frequencies=[2, 1], kind="dive")
    Model(exact).save(tmp_path / "m")
    back = Model.load(tmp_path / "m")
    assert all(np.array_equal(back[word], exact[word]) for word in exact)


def test_the_card_tells_what_is_inside(tmp_path: Path, model: Model) -> None:
    model.save(tmp_path / "m")
    card = (tmp_path / "m" / "README.md").read_text(encoding="utf-8")
    assert "300 words" in card
    assert "| kept tokens | 1,000 |" in card
    assert "`dive`, `contexts`, `skipgram`" in card


def test_a_subset_keeps_its_vectors(model: Model) -> None:
    small = model.subset(["word9", "word2"])
    assert len(small) == 2
    assert np.array_equal(small["word9"], model["word9"])
    assert np.array_equal(small.skipgram["word2"], model.skipgram["word2"])


def test_spaces_of_other_words_do_not_fit() -> None:
    other = VectorSpace(["x"], np.eye(1), frequencies=[1], kind="skipgram")
    with pytest.raises(InputError, match="in the same order"):
        _ = Model(space("dive"), skipgram=other).skipgram


def test_an_existing_model_stays_unless_forced(tmp_path: Path, model: Model) -> None:
    model.save(tmp_path / "m")
    with pytest.raises(OutputError, match="already exists"):
        Model(space("dive")).save(tmp_path / "m")
    Model(space("dive")).save(tmp_path / "m", force=True)
    assert Model.load(tmp_path / "m").skipgram is None


# ---- damage -------------------------------------------------------------------------------------------------


def forge(folder: Path, **changes: Any) -> None:
    """Bring the header in line with altered files, as somebody who means harm would."""
    header = json.loads((folder / "header.json").read_text())
    header.pop("fingerprint")
    for name, entry in header["files"].items():
        entry["bytes"] = (folder / name).stat().st_size
    header.update(changes)
    header["fingerprint"] = fingerprint(header)
    (folder / "header.json").write_text(canonical_json(header))


def altered(folder: Path, **tensors: Any) -> None:
    content = {**load_file(folder / "model.safetensors"), **tensors}
    save_file({name: tensor for name, tensor in content.items() if tensor is not None}, folder / "model.safetensors")
    forge(folder)


@pytest.fixture
def saved(tmp_path: Path, model: Model) -> Path:
    model.save(tmp_path / "m")
    return tmp_path / "m"


def test_a_missing_or_flipped_file_is_found(saved: Path) -> None:
    data = bytearray((saved / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (saved / "model.safetensors").write_bytes(data)
    with pytest.raises(FormatError, match="does not match its checksum"):
        Model.load(saved)
    (saved / "model.safetensors").unlink()
    with pytest.raises(FormatError, match=r"model.safetensors is missing"):
        Model.load(saved)
    with pytest.raises(FormatError, match="no such file or folder"):
        Model.load(saved.parent / "nowhere")


def test_a_future_version_is_refused(saved: Path) -> None:
    forge(saved, format_version=99)
    with pytest.raises(FormatError, match="newer"):
        Model.load(saved)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"dive.lengths": np.full(300, 2, dtype=np.uint8)}, "shape of the vocabulary"),
        ({"dive.values": None}, "dive.values is missing"),
        ({"dive.values": np.arange(3)}, "has type int64"),
    ],
)
def test_tensors_that_do_not_fit(saved: Path, tensors: dict[str, Any], message: str) -> None:
    altered(saved, **tensors)
    with pytest.raises(FormatError, match=message):
        Model.load(saved, verify=False)


def test_indices_and_values_are_checked(saved: Path) -> None:
    content = load_file(saved / "model.safetensors")
    altered(saved, **{"dive.indices": np.full_like(content["dive.indices"], 200)})
    with pytest.raises(FormatError, match="shape of the vocabulary"):
        Model.load(saved, verify=False)
    bad = content["dive.values"].copy()
    bad[0] = np.nan
    altered(saved, **{"dive.indices": content["dive.indices"], "dive.values": bad})
    with pytest.raises(FormatError, match="not numbers"):
        _ = Model.load(saved, verify=False)["word0"]
    altered(saved, **{"dive.values": content["dive.values"], "skipgram": np.zeros((3, 3), dtype=np.float32)})
    opened = Model.load(saved, verify=False)
    with pytest.raises(FormatError, match="shape of the vocabulary"):
        _ = opened.skipgram


def test_a_header_that_lies_about_sizes_allocates_nothing(saved: Path) -> None:
    huge = json.dumps({"dive.values": {"dtype": "F16", "shape": [2**60], "data_offsets": [0, 2**61]}}).encode()
    (saved / "model.safetensors").write_bytes(struct.pack("<Q", len(huge)) + huge)
    forge(saved)
    with pytest.raises(Error, match="cannot be read"):
        Model.load(saved, verify=False)
    (saved / "model.safetensors").write_bytes(struct.pack("<Q", 2**62) + b"{}")
    forge(saved)
    with pytest.raises(Error, match="cannot be read"):
        Model.load(saved, verify=False)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting a small disk needs root on Linux")
def test_a_full_disk_leaves_the_old_model(tmp_path: Path, model: Model) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("cannot mount a tmpfs here")
    try:
        Model(space("dive")).save(disk / "m")  # takes about half of it
        before = (disk / "m" / "model.safetensors").read_bytes()
        with pytest.raises(OutputError, match="the disk is full"):
            model.save(disk / "m", force=True)
        assert (disk / "m" / "model.safetensors").read_bytes() == before
        assert [entry.name for entry in disk.iterdir()] == ["m"]
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


# ---- borders -------------------------------------------------------------------------------------------------------


def small_model(**options: Any) -> Model:
    """Three words, two terms, and everything that can be beside them."""
    words, names, n = ["dog", "cat", "owl"], ["guide dog", "wild cat"], [300, 5, 1]
    dive = VectorSpace(words, [[1, 0, 2], [0, 0, 1], [3, 1, 0]], frequencies=n, kind="dive")
    twin = VectorSpace(words, [[0.1, 0.3, 0.5], [0.7, 0.3, 0.5], [0.2, 0.9, 0.5]], frequencies=n, kind="skipgram")
    folding = Folding(
        7, np.array([1, 2, 3], np.float32), np.array([1, 0.5, 2], np.float32), np.ones((3, 2), np.float32),
        np.array([0.1, 0.2, 0.3], np.float32),
    )  # fmt: skip
    maps = Composition(np.ones((3, 3), np.float32), np.full((5, 2), 0.5, np.float32), options.pop("lean", 0.25))
    terms = Vocabulary(names, [9, 0], spellings=["Guide Dog", "wild cat"])
    rows, twins = np.array([[1, 2, 0], [0, 1, 1]], F32), np.array([[0.3, 0.1, 0.5], [0.2, 0.1, 0.5]], F32)
    model = Model(dive, contexts=ContextSpace.of(dive, folding), skipgram=twin, **options)
    return with_terms(model, terms, rows, twins, maps)


def whole(folder: Path) -> None:
    """Read everything that is read when asked for."""
    model = Model.load(folder, verify=False)
    skipgram = space_of(model, "skipgram")
    assert skipgram is not None
    _ = folding_of(model.contexts), skipgram.matrix, space_of(model).matrix, composition_of(model)


def test_all_parts_there_and_back(tmp_path: Path) -> None:
    model = small_model(facts={"objective": [-2.0, -1.5]}, parameters={"seed": 0})
    model.save(tmp_path / "m")
    back = Model.load(tmp_path / "m")
    sent = pickle.loads(pickle.dumps(back))  # noqa: S301
    for one in (back, sent, in_memory(back)):
        assert (one.parameters, facts_of(one)) == (model.parameters, facts_of(model))
        assert one.terms == ["guide dog", "wild cat"] and one.vocabulary.frequencies.tolist() == [300, 5, 1, 9, 0]
        assert list(one.vocabulary.spellings) == ["dog", "cat", "owl", "Guide Dog", "wild cat"]
        assert one["wild cat"].tolist() == [0, 1, 1] and one.words == ["dog", "cat", "owl"]
        maps = composition_of(one)
        assert maps is not None and maps.skipgram is not None and maps.lean == 0.25
        assert maps.dive.tolist() == [[1.0] * 3] * 3 and maps.skipgram.tolist() == [[0.5] * 2] * 5
        first, other = folding_of(model.contexts), folding_of(one.contexts)
        assert first is not None and other is not None and other.unknown_frequency == 7
        for name in ("unknown_context", "gauge", "skipgram", "context_terms"):
            assert np.array_equal(getattr(first, name), getattr(other, name))
    header = json.loads((tmp_path / "m" / "header.json").read_text())
    assert (header["format"], header["format_version"]) == ("hyperdive-model", 4)
    assert header["totals"] == {"words": 3, "dimensions": 3, "terms": 2}
    assert Model(model.dive).parameters == facts_of(Model(model.dive)) == {}


def test_a_term_that_is_also_a_word_is_the_word() -> None:
    model = Model(VectorSpace(["a", "b"], np.eye(2), frequencies=[2, 1], kind="dive"))
    made = with_terms(model, Vocabulary(["a b", "b"], [1, 9]), csr_array([[3.0, 4.0], [5.0, 6.0]]))
    assert made.vocabulary.names == ["a", "b", "a b"] and made.terms == ["a b"] and made.vocabulary.frequency("b") == 1
    assert space_of(made).matrix.toarray().tolist() == [[1, 0], [0, 1], [3, 4]]


def test_composition_without_a_constant_dimension(tmp_path: Path) -> None:
    model = small_model(lean=0.0)
    with pytest.raises(FormatError, match=r"composition\.skipgram"):  # three columns then, not two
        model.save(tmp_path / "m")
        whole(tmp_path / "m")
    put_tensors(tmp_path / "m", "model.safetensors", **{"composition.skipgram": np.ones((7, 3), np.float32)})
    back = composition_of(Model.load(tmp_path / "m"))
    assert back is not None and back.lean == 0.0


SPOILT: dict[str, list[Any]] = {
    "folding.unknown_frequency": [np.array([7, 8]), np.array([-1])],
    "folding.gauge": [np.ones(2, F32), np.array([1, np.nan, 1], F32)],
    "folding.unknown_context": [np.ones((3, 1), F32), np.array([1, np.inf, 1], F32)],
    "folding.skipgram": [np.ones(3, F32), np.ones((2, 2), F32), np.full((3, 2), np.nan, F32), np.ones((3, 2, 1), F32)],
    "folding.context_terms": [np.ones(2, F32), np.array([1, 1, np.nan], F32)],
    "composition.dive": [np.ones((4, 3), F32), np.ones((3, 2), F32), np.array([[1, 1, 1], [1, np.nan, 1], [1, 1, 1]], F32)],
    "composition.skipgram": [
        np.ones((6, 2), F32), np.ones((3, 2), F32), np.ones((5, 3), F32), np.ones((7, 3), F32),
        np.array([[1, 1]] * 4 + [[1, np.inf]], F32),
    ],
    "composition.lean": [np.ones(2, F32), np.array([-0.1], F32), np.array([np.inf], F32), np.array([np.nan], F32)],
    "dive.lengths": [np.array([2, 1, 2, 2], np.uint8), np.array([2] * 5, np.uint8), np.array([3, 0, 2, 2, 2], np.uint8)],
    "dive.indices": [
        np.array([[0, 2, 2, 0, 1, 0, 1, 1, 2]]), np.array([0, 2, 3, 0, 1, 0, 1, 1, 2]),
        np.array([2, 0, 2, 0, 1, 0, 1, 1, 2]), np.array([0]),
    ],
    "dive.values": [np.ones(8, F32), np.array([1, 1, np.inf, 1, 1, 1, 1, 1, 1], F32)],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "which"), [(name, k) for name, tensors in SPOILT.items() for k in range(len(tensors))]
)
def test_each_part_of_each_tensor_is_looked_at(tmp_path: Path, name: str, which: int) -> None:
    model = small_model()
    dive = VectorSpace(model.vocabulary, csr_array(space_of(model).matrix), kind="dive")
    made = Model(dive, contexts=model.contexts, skipgram=space_of(model, "skipgram"), composition=composition_of(model))
    made.save(tmp_path / "m")
    whole(tmp_path / "m")
    put_tensors(tmp_path / "m", "model.safetensors", **{name: SPOILT[name][which]})
    with pytest.raises(FormatError):
        whole(tmp_path / "m")


def test_vectors_in_8_bits_have_an_exponent_each(tmp_path: Path) -> None:
    draw = np.random.default_rng(0).normal(size=(3, 4)).astype(F32)
    words, n = ["a", "b", "c"], [3, 2, 1]
    dive = VectorSpace(words, np.eye(3), frequencies=n, kind="dive")
    twin = VectorSpace(words, rounded_to_8_bits(draw), frequencies=n, kind="skipgram")
    Model(dive, skipgram=twin).save(tmp_path / "m")
    tensors = load_file(tmp_path / "m" / "model.safetensors")
    assert tensors["skipgram"].dtype == tensors["skipgram.exponents"].dtype == np.int8
    back = Model.load(tmp_path / "m").skipgram
    assert back is not None and np.array_equal(back.matrix, twin.matrix)
    assert matrix_tensors("dive", draw).keys() == {"dive"}
    for spoilt in (
        {"skipgram.exponents": np.zeros(2, np.int8)},
        {"skipgram": np.zeros((3, 4, 1), np.int8)},
        {"skipgram": np.zeros(3, np.int8)},
    ):
        put_tensors(tmp_path / "m", "model.safetensors", **{**tensors, **spoilt})
        with pytest.raises(FormatError):
            whole(tmp_path / "m")


def test_rows_are_sparse_where_less_than_half_of_them_is_there() -> None:
    def names(matrix: Any) -> set[str]:
        return set(matrix_tensors("dive", np.array(matrix, dtype=F32) * 0.3))

    entries = {"dive.lengths", "dive.indices", "dive.values"}
    assert names([[1, 0], [1, 0]]) == {"dive"} and names([[1, 0], [0, 0]]) == entries
    assert names([[1, 0, 0], [1, 1, 0]]) == {"dive"} and names([[1, 0, 0, 0], [0, 0, 1, 1]][:1]) == entries
    for dimensions, kind in ((256, np.uint8), (257, np.uint16)):
        row = np.zeros((2, dimensions), dtype=F32)
        row[:, 3] = 1
        made = matrix_tensors("dive", row)
        assert made["dive.indices"].dtype == kind and made["dive.lengths"].dtype == np.uint8
    row = np.zeros((2, 600), dtype=F32)
    row[0, :256] = 1
    made = matrix_tensors("dive", row)
    assert made["dive.lengths"].dtype == np.uint16 and made["dive.lengths"].tolist() == [256, 0]


def test_a_model_without_one_of_its_files_is_incomplete(tmp_path: Path) -> None:
    for name in ("model.safetensors", "vocabulary.parquet"):
        small_model().save(tmp_path / name)
        header = json.loads((tmp_path / name / "header.json").read_text())
        del header["files"][name]
        (tmp_path / name / name).unlink()
        header.pop("fingerprint")
        header["fingerprint"] = fingerprint(header)
        (tmp_path / name / "header.json").write_text(canonical_json(header))
        with pytest.raises(FormatError, match="the model is incomplete"):
            Model.load(tmp_path / name)


@pytest.mark.parametrize("dimensions", [-1, (1 << 24) + 1])
def test_a_header_with_other_dimensions_is_refused(tmp_path: Path, dimensions: int) -> None:
    small_model().save(tmp_path / "m")
    put_header(tmp_path / "m", spaces__dive__dimensions=dimensions)
    with pytest.raises(FormatError, match="shape of the vocabulary"):
        Model.load(tmp_path / "m")


def test_vectors_of_no_dimensions(tmp_path: Path) -> None:
    none = VectorSpace(["a"], np.zeros((1, 0)), frequencies=[1], kind="dive")
    Model(none).save(tmp_path / "m")
    assert Model.load(tmp_path / "m").dive.shape == (1, 0)
    none.save(tmp_path / "space")
    assert VectorSpace.load(tmp_path / "space").shape == (1, 0)


def test_a_model_of_one_other_space_is_saved_as_that_space(tmp_path: Path) -> None:
    words, n = ["a", "b"], [2, 1]
    other, dive = (VectorSpace(words, np.eye(2), frequencies=n, kind=kind) for kind in ("skipgram", "dive"))
    listed = VectorSpace(list(words), np.eye(2), frequencies=n, kind="skipgram")
    kinds = {
        "space": [Model(other)],
        "model": [
            Model(dive), Model(other, facts={"x": 1}), Model(other, parameters={"x": 1}), Model(other, skipgram=listed),
        ],
    }  # fmt: skip
    for kind, models in kinds.items():
        for number, model in enumerate(models):
            place = tmp_path / f"{kind}{number}"
            model.save(place)
            assert json.loads((place / "header.json").read_text())["format"] == f"hyperdive-{kind}", place
            assert Model.load(place).words == words
    assert Model(dive, skipgram=listed).skipgram is listed  # equal words in another list


def test_at_most_five_sentences_are_evidence() -> None:
    text = [(5, f"A poodle is a dog number {i}.") for i in range(8)]
    model = Model(
        VectorSpace(["dog", "poodle"], np.eye(2), frequencies=[2, 1], kind="dive"), patterns=collected(text, cap=9)
    )
    assert [len(model.evidence("poodle", "dog", *top)) for top in ((), (5,), (6,))] == [5, 5, 6]
    with pytest.raises(InputError, match="no patterns"):
        small_model().evidence("dog", "cat")


def test_the_card_says_what_is_not_recorded_and_what_is(tmp_path: Path) -> None:
    told = card(small_model(parameters={"shift": True, "near": False, "seed": None}), {"objective": [-2.0, -1.5]})
    assert "## Text\n\nNot recorded.\n" in told and told.count("Not recorded.") == 1
    for line in ("| shift | yes |", "| near | no |", "| seed | – |", "at the end of training: -1.50000."):
        assert line in told
    facts = {"corpus": {"tokens": 1234567, "sources": {"a": 1, "b": True}}}
    told = card(small_model(), facts)
    assert "## Parameters\n\nNot recorded.\n" in told and told.count("Not recorded.") == 1
    assert "| kept tokens | 1,234,567 |" in told and "| sources | a 1, b yes |" in told and "Objective" not in told
