"""The model folder: there and back, small, whole or absent, and never trusted blindly."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from hyperdive import Model
from hyperdive._quantize import rounded_to_16_bits
from hyperdive._store import canonical_json, fingerprint
from hyperdive.errors import Error, FormatError, InputError, OutputError
from hyperdive.spaces.space import VectorSpace

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
    assert back.facts == model.facts
    assert not back["word7"].any()
    assert repr(back) == "<Model of 300 words: dive 40 dimensions, contexts, skipgram>"
    back.save(tmp_path / "again")
    for file in ("header.json", "model.safetensors", "vocabulary.txt", "README.md"):
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
        ({"frequencies": np.arange(5)}, "shape of the vocabulary"),
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
        Model.load(saved, verify=False)
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
