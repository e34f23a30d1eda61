"""Vectors in other programs' formats: there and back, and every way a file can be wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pyarrow import parquet
from scipy import sparse

from hyperdive.errors import InputError, OptionError, OutputError
from hyperdive.spaces.formats import export, from_gensim, read, to_gensim
from hyperdive.spaces.space import VectorSpace

ENDINGS = ["txt", "txt.gz", "vec", "json", "json.gz", "parquet"]


def example() -> VectorSpace:
    matrix = np.array([[0.1, 0, 3], [0, 0, 0], [1e-7, 2.5, 0], [0, 0, 1e6]], dtype=np.float32)
    return VectorSpace(["dog", "naïve", "a|n", "日本"], matrix, frequencies=[9, 7, 5, 3], kind="dive")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_there_and_back(tmp_path: Path, ending: str, as_sparse: bool) -> None:
    space = example()
    if as_sparse:
        space = VectorSpace(space.words, sparse.csr_array(space.matrix), frequencies=space.frequencies, kind="dive")
    path = tmp_path / f"vectors.{ending}"
    export(space, path)
    back = read(path)
    assert back.words == space.words
    assert all(np.array_equal(back[word], space[word]) for word in space)
    if ending == "parquet":
        assert back.frequencies.tolist() == space.frequencies.tolist()
    first = path.read_bytes()
    with pytest.raises(OutputError, match="already exists"):
        export(space, path)
    export(space, path, force=True)
    assert path.read_bytes() == first


@settings(max_examples=50, deadline=None)
@given(arrays(np.float32, (3, 4), elements=st.floats(-(2.0**90), 2.0**90, width=32)))
def test_every_number_survives_as_text(tmp_path_factory: pytest.TempPathFactory, matrix: np.ndarray) -> None:
    path = tmp_path_factory.mktemp("v") / "v.txt"
    export(VectorSpace(["a", "b", "c"], matrix, frequencies=[1, 1, 1], kind="x"), path)
    assert np.array_equal(read(path).matrix, matrix)


def test_gensim_reads_what_we_write(tmp_path: Path) -> None:
    gensim = pytest.importorskip("gensim.models")
    space = example()
    export(space, tmp_path / "v.txt")
    keyed = gensim.KeyedVectors.load_word2vec_format(str(tmp_path / "v.txt"))
    assert np.array_equal(keyed["日本"], space["日本"])
    assert from_gensim(to_gensim(space)).frequencies.tolist() == [9, 7, 5, 3]
    export(space, tmp_path / "v.kv")
    assert np.array_equal(gensim.KeyedVectors.load(str(tmp_path / "v.kv"))["dog"], space["dog"])
    with pytest.raises(InputError, match="pickles"):
        read(tmp_path / "v.kv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "first line"),
        ("dog 1 2\n", "first line"),
        ("2 2\ndog 1 2\n", "announces 2 words, but there are 1"),
        ("1 2\ndog 1 2\ncat 1 2\n", "but there are more"),
        ("1 3\ndog 1 2\n", "line 2 has 2 values instead of 3"),
        ("2 1\ndog 1\ndog 2\n", "line 3 gives 'dog' a second time"),
        ("1 2\ndog nan 2\n", "not a number"),
        ("1 2\ndog x 2\n", "line 2 holds a value that is not a number"),
        ("1 99999999999\ndog 1\n", "not plausible"),
        ("0 2\n", "no vectors"),
    ],
)
def test_bad_word2vec_text(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "v.txt").write_text(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "v.txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "must be an object"),
        ("{", "not valid JSON"),
        ("{}", "no vectors"),
        ('{"dog": 3}', "not an object"),
        ('{"dog": {"x": 3}}', "a dimension called 'x'"),
        ('{"dog": {"1": "y"}}', "not a number"),
        ('{"dog": {"1": NaN}}', "not a number"),
        ('{"dog": {"1": 1}, "dog": {"2": 1}}', "occurs twice"),
        ('{"dog": {"99999999999": 1}}', "a dimension called"),
        ('{"dog": {"0": 1, "00": 2}}', "a dimension called '00'"),
        ('{"dog": {"²": 1}}', "a dimension called"),
        ('{"dog": {"1": 1e60}}', "not a number"),
        ('{"a\\nb": {"1": 1}}', "is not a word"),
        ('{"": {"1": 1}}', "is not a word"),
        ('{"\\ud800": {"1": 1}}', "is not a word"),
    ],
)
def test_bad_json(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "v.json").write_text(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "v.json")


def test_other_bad_files(tmp_path: Path) -> None:
    (tmp_path / "v.parquet").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="not a Parquet file"):
        read(tmp_path / "v.parquet")
    parquet.write_table(pa.table({"word": ["a", "b"], "vector": [[1.0], [1.0, 2.0]]}), tmp_path / "v.parquet")
    with pytest.raises(InputError, match="different lengths"):
        read(tmp_path / "v.parquet")
    parquet.write_table(pa.table({"word": ["a", "a"], "vector": [[1.0], [2.0]]}), tmp_path / "v.parquet")
    with pytest.raises(InputError, match="twice"):
        read(tmp_path / "v.parquet")
    for frequencies in ([1, None], [1, -5], ["x", "y"], [1.5, 2.0]):
        table = pa.table({"word": ["a", "b"], "vector": [[1.0], [2.0]], "frequency": frequencies})
        parquet.write_table(table, tmp_path / "v.parquet")
        with pytest.raises(InputError, match="frequencies"):
            read(tmp_path / "v.parquet")
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(b"1 1\ndog 1\n")[:-9])
    with pytest.raises(InputError, match="gzip"):
        read(tmp_path / "v.txt.gz")
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "no.txt")
    with pytest.raises(OptionError, match="no format has this ending"):
        read(tmp_path / "v.xyz")
    (tmp_path / "v.txt").write_bytes(b"1 1\n\xff\xfe 1\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read(tmp_path / "v.txt")


def test_the_authors_json_is_what_they_wrote(tmp_path: Path) -> None:
    export(example(), tmp_path / "v.json")
    content = json.loads((tmp_path / "v.json").read_text(encoding="utf-8"))
    assert content["dog"] == {"0": 0.1, "2": 3}
    assert content["naïve"] == {}


def test_a_word_with_a_blank_is_no_word2vec_text(tmp_path: Path) -> None:
    space = VectorSpace(["new york"], np.eye(1), frequencies=[1], kind="x")
    with pytest.raises(OutputError, match="blank"):
        export(space, tmp_path / "v.txt")
    export(space, tmp_path / "v.json")
    assert read(tmp_path / "v.json").words == ["new york"]
