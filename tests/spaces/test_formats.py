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
from hyperdive.spaces import formats
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


# ---- borders -----------------------------------------------------------------------------------------------------


def spell(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_a_million_dimensions_are_plausible(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2 has 1 values instead of 1000000"):
        read(spell(tmp_path / "v.txt", "1 1000000\ndog 1\n"))
    for many in (0, 1_000_001):
        with pytest.raises(InputError, match="not plausible"):
            read(spell(tmp_path / "v.txt", f"1 {many}\ndog 1\n"))
    assert read(spell(tmp_path / "v.txt", "1 1\ndog 1 \n"))["dog"].tolist() == [1.0]
    for first in ("2", "2 x", "x 2", "1 2 3"):
        with pytest.raises(InputError, match="first line"):
            read(spell(tmp_path / "v.txt", f"{first}\ndog 1 2\n"))


def test_dimensions_in_json_have_seven_digits_at_most(tmp_path: Path) -> None:
    space = read(spell(tmp_path / "v.json", '{"dog": {"1000000": 1, "9": 2, "10": 3}, "cat": {}}'))
    assert space.shape == (2, 1_000_001) and space["dog"][[9, 10, 1_000_000]].tolist() == [2, 3, 1]
    with pytest.raises(InputError, match="a dimension called '10000000'"):
        read(spell(tmp_path / "v.json", '{"dog": {"10000000": 1}}'))
    with pytest.raises(InputError, match="no vectors"):
        read(spell(tmp_path / "v.json", '{"dog": {}}'))


def test_values_in_json_are_below_the_largest_of_32_bits(tmp_path: Path) -> None:
    largest = float(np.finfo(np.float32).max)
    assert read(spell(tmp_path / "v.json", json.dumps({"dog": {"0": np.nextafter(largest, 0)}})))["dog"][0] > 3.4e38
    for value in (largest, -largest, 1.5 * largest, True):
        with pytest.raises(InputError, match="not a number"):
            read(spell(tmp_path / "v.json", json.dumps({"dog": {"0": value}})))


def test_the_word_whose_vector_is_no_number_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the vector of 'cat' holds"):
        read(spell(tmp_path / "v.txt", "3 2\ndog 1 2\ncat 1 inf\nowl 1 2\n"))
    table = pa.table({"word": ["a", "b"], "vector": [[1.0], [2.0]], "frequency": [0, 7]})
    parquet.write_table(table, tmp_path / "v.parquet")
    assert read(tmp_path / "v.parquet").frequencies.tolist() == [0, 7]  # 0 is a frequency
    assert read(spell(tmp_path / "v.txt", "1 1\ndog 1\n")).frequencies.tolist() == [1]


def test_a_zipped_text_may_unfold_to_so_many_times_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"1 1\ndog 1" + b"0" * 500 + b"\n"
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(content, mtime=0))
    size = (tmp_path / "v.txt.gz").stat().st_size
    monkeypatch.setattr(formats, "MOST_UNFOLDED", 2)
    for less, fits in ((0, True), (1, False)):
        monkeypatch.setattr(formats, "UNFOLDED_BYTES", len(content) - 2 * size - less)
        if fits:
            with pytest.raises(InputError, match="not a number"):  # 10^500
                read(tmp_path / "v.txt.gz")
        else:
            with pytest.raises(InputError, match="unfolds to more than 2 times its size"):
                read(tmp_path / "v.txt.gz")


def test_a_zipped_file_has_no_date_and_no_name(tmp_path: Path) -> None:
    export(example(), tmp_path / "v.json.gz")
    raw = (tmp_path / "v.json.gz").read_bytes()
    assert raw[3] == 0 and raw[4:8] == bytes(4)
    export(example(), tmp_path / "v.vec")
    assert (tmp_path / "v.vec").read_text(encoding="utf-8").splitlines()[:2] == ["4 3", "dog 0.1 0 3"]
    assert (tmp_path / "v.vec").read_text(encoding="utf-8").splitlines()[3] == "a|n 0.0000001 2.5 0"


def test_more_words_than_a_block(tmp_path: Path) -> None:
    many = 16_385
    words = [f"w{i}" for i in range(many)]
    matrix = np.arange(many, dtype=np.float32)[:, None]
    space = VectorSpace(words, matrix, frequencies=np.arange(many), kind="x")
    export(space, tmp_path / "v.parquet")
    about = parquet.ParquetFile(tmp_path / "v.parquet").metadata
    assert [about.row_group(k).num_rows for k in range(about.num_row_groups)] == [16_384, 1]
    back = read(tmp_path / "v.parquet")
    assert np.array_equal(back.matrix, matrix) and np.array_equal(back.frequencies, space.frequencies)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    for use in (lambda: export(example(), tmp_path / "v", kind="xml"), lambda: read(tmp_path / "v", kind="xml")):
        spell(tmp_path / "v", "")
        with pytest.raises(OptionError, match="no format 'xml'"):
            use()
    export(example(), tmp_path / "plain", kind="json")
    assert read(tmp_path / "plain", kind="json").words == example().words
    for word in ("", "a b", "a\tb"):
        with pytest.raises(OutputError, match="blank"):
            export(VectorSpace(["ok", word], np.eye(2), frequencies=[1, 1], kind="x"), tmp_path / "w.txt")


def test_two_hundred_characters_say_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("x" * 300)

    monkeypatch.setattr(parquet, "ParquetFile", broken)
    spell(tmp_path / "v.parquet", "")
    with pytest.raises(InputError, match=r"word and vector \(x{200}\)"):
        read(tmp_path / "v.parquet")
