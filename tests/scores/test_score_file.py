"""Files of pairs in three formats, in and out; bad files get one clear line."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from hyperdive import Model
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.scores import files, get
from hyperdive.scores.files import PairFormat, PairWriter, open_pairs, score_stream
from hyperdive.scores.source import as_source
from hyperdive.spaces.space import VectorSpace


@pytest.fixture
def space() -> VectorSpace:
    return VectorSpace(
        ["animal", "dog", "hot", "food"],
        [[2, 1, 1], [1, 0, 1], [0, 1, 0], [1, 1, 0]],
        frequencies=[9, 5, 3, 7],
        kind="dive",
    )


def rows(path: Path, format: str | None = None) -> list[list[str]]:
    return [list(row.values()) for block in open_pairs(path, format) for row in block.to_pylist()]


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_the_three_formats_read_the_same(tmp_path: Path) -> None:
    tsv = put(tmp_path, "a.tsv", "dog\tanimal\nhot dog\tfood\n")
    csv = put(tmp_path, "a.csv", "dog,animal\nhot dog,food\n")
    jsonl = put(tmp_path, "a.jsonl", '{"hyponym": "dog", "hypernym": "animal"}\n["hot dog", "food"]\n')
    assert rows(tsv) == rows(csv) == [row[:2] for row in rows(jsonl)] == [["dog", "animal"], ["hot dog", "food"]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bom.tsv", b"\xef\xbb\xbfdog\tanimal\n"),
        ("windows.tsv", b"dog\tanimal\r\n"),
        ("quotes.csv", b'"dog","animal"\n'),
        ("quotes.tsv", b'"dog"\t"animal"\n'),
        ("no-end.tsv", b"dog\tanimal"),
        ("bom.jsonl", b'\xef\xbb\xbf{"q": "dog", "p": "animal"}\n'),
        ("header.tsv", b"word1\tword2\ndog\tanimal\n"),
        ("bom-header.csv", b"\xef\xbb\xbfhyponym,hypernym\r\ndog,animal\r\n"),
        ("sniffed", b"dog\tanimal\n"),
        ("sniffed-csv", b"dog,animal\n"),
    ],
)
def test_marks_line_ends_quotes_and_headers_do_not_matter(tmp_path: Path, name: str, content: bytes) -> None:
    assert [row[:2] for row in rows(put(tmp_path, name, content))] == [["dog", "animal"]]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("one.tsv", "dog\ncat\n", "line 1 has one column"),
        ("comma.tsv", "dog,animal\n", "add --set input_format=csv"),
        ("short.tsv", "dog\tanimal\tx\ncat\tanimal\n", "line 2 has 2 columns"),
        ("gaps.tsv", "dog\tanimal\tx\n\n\ncat\tanimal\n", "line 4 has 2 columns"),
        ("gaps-header.tsv", "word1\tword2\n\ndog\tanimal\n\ncat\n", "line 5 has 1 columns"),
        ("empty.tsv", "", "no pairs in it"),
        ("bad.jsonl", '{"q": "dog"\n', "line 1 is not JSON"),
        ("bad2.jsonl", '["a", "b"]\n{"q": "dog"}\n', "line 2 does not name two words"),
        ("latin.tsv", b"caf\xe9\tplace\n", "UTF-8"),
        ("utf16.tsv", "dog\tanimal\n".encode("utf-16"), "not a text file, or not UTF-8"),
    ],
)
def test_a_bad_file_gets_one_clear_line(tmp_path: Path, name: str, content: str | bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        rows(put(tmp_path, name, content))
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.tsv", tmp_path):
        with pytest.raises(InputError, match=path.name):
            open_pairs(path)


def score(space: VectorSpace, path: Path, format: PairFormat, *names: str, block_bytes: int = 1 << 20) -> str:
    out = io.BytesIO()
    pairs = open_pairs(path, block_bytes=block_bytes)
    score_stream(as_source(space), pairs, [get(name) for name in names], PairWriter(out, format))
    return out.getvalue().decode()


def test_unknown_words_are_marked_and_no_line_is_dropped(space: VectorSpace, tmp_path: Path) -> None:
    path = put(tmp_path, "a.tsv", "Dog\tanimal\tkept\nyak\tanimal\t\nyak\tgnu\t\nyak\tyak\t\nhot dog\tfood\t\n")
    lines = [line.split("\t") for line in score(space, path, PairFormat.tsv, "dS").splitlines()]
    assert lines[0] == ["hyponym", "hypernym", "label", "ΔS", "unknown"]
    assert [line[4] for line in lines[1:]] == ["", "yak", "yak, gnu", "yak", ""]
    assert [line[3] for line in lines[1:]] == ["2", "", "", "", "0.5"]
    assert lines[1][2] == "kept"


def test_json_lines_keep_their_fields(space: VectorSpace, tmp_path: Path) -> None:
    path = put(tmp_path, "a.jsonl", '{"x": "dog", "y": "animal", "id": [7]}\n["yak", "animal"]\n')
    first, second = map(json.loads, score(space, path, PairFormat.jsonl, "dS").splitlines())
    assert first == {"hyponym": "dog", "hypernym": "animal", "id": [7], "ΔS": 2.0, "unknown": ""}
    assert second["ΔS"] is None and second["unknown"] == "yak"


def test_cells_with_delimiters_and_quotes_are_quoted(tmp_path: Path) -> None:
    import csv

    import pyarrow as pa

    out = io.BytesIO()
    writer = PairWriter(out, PairFormat.csv)
    nasty = ['say "hi"', "a,b", "two\nlines", "plain"]
    writer.write(pa.table({"a": nasty, "b": [1.5, None, 2.0, 3.0]}))
    read = list(csv.reader(io.StringIO(out.getvalue().decode())))
    assert [row[0] for row in read[1:]] == nasty
    assert [row[1] for row in read[1:]] == ["1.5", "", "2", "3"]


def test_the_result_does_not_depend_on_the_blocks(space: VectorSpace, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = [*space.words, "yak", "hot dog"]
    path = put(
        tmp_path, "a.tsv", "".join(f"{words[a]}\t{words[b]}\n" for a, b in rng.integers(0, len(words), (5000, 2)))
    )
    whole = score(space, path, PairFormat.tsv, "cds", "AL1", "Random")
    pieces = score(space, path, PairFormat.tsv, "cds", "AL1", "Random", block_bytes=2000)
    assert whole == pieces
    assert whole.count("\n") == 5001


@pytest.mark.slow
def test_ten_million_rows_pass_in_bounded_memory(space: VectorSpace, tmp_path: Path) -> None:
    import resource

    path = tmp_path / "big.tsv"
    block = "dog\tanimal\nhot dog\tfood\nyak\tdog\nanimal\tdog\n" * 25_000
    with path.open("w") as file:
        for _ in range(100):
            file.write(block)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (tmp_path / "out.tsv").open("wb") as out:
        summary = score_stream(as_source(space), open_pairs(path), [get("cds")], PairWriter(out, PairFormat.tsv))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert summary.pairs == 10_000_000
    assert summary.unknown == 2_500_000
    assert after - before < 500_000  # kB


@pytest.mark.parametrize("name", ["a.tsv", "a.csv"])
def test_words_that_other_programs_read_as_nothing_are_words(tmp_path: Path, name: str) -> None:
    content = "null\tword\nNA\tnan\nNULL\tN/A\n\tdog\n"
    path = put(tmp_path, name, content.replace("\t", "," if name.endswith("csv") else "\t"))
    assert rows(path) == [["null", "word"], ["NA", "nan"], ["NULL", "N/A"], ["", "dog"]]


def test_a_file_of_which_nothing_is_stated_says_so_on_every_line_but_those_with_unknown_words(
    space: VectorSpace, tmp_path: Path
) -> None:
    stated = Patterns(["dog", "animal"], ["such as"], pack([0], [1], [0]), [5])
    path = put(tmp_path, "a.tsv", "food\tdog\nyak\tanimal\nhot\tfood\n")
    out = io.BytesIO()
    score_stream(
        as_source(Model(space, patterns=stated)), open_pairs(path), [get("P")], PairWriter(out, PairFormat.jsonl)
    )
    assert [json.loads(line)["silent"] for line in out.getvalue().decode().splitlines()] == ["P", "", "P"]


def test_five_unknown_words_are_named_however_many_blocks_there_are(space: VectorSpace, tmp_path: Path) -> None:
    path = put(tmp_path, "many.tsv", "".join(f"nothing{n}\tanimal\n" for n in range(40)))
    pairs = open_pairs(path, block_bytes=64)
    summary = score_stream(as_source(space), pairs, [get("ΔS")], PairWriter(io.BytesIO(), PairFormat.tsv))
    assert summary.unknown == 40 and summary.examples == [f"nothing{n}" for n in range(5)]


@pytest.mark.parametrize(
    ("first", "columns"),
    [
        ("dog\tanimal", ["hyponym", "hypernym"]),
        ("a\tb\tTrue\thyper\t5\t6", ["hyponym", "hypernym", "label", "relation", "column5", "column6"]),
        ("x\tanimal", ["hyponym", "hypernym"]),  # a header names both
        ("dog\tobject", ["hyponym", "hypernym"]),
        ("q\tp", ["q", "p"]),
        (" X \tY\t\tX\tnote\tnote", ["X", "Y", "column3", "X.4", "note", "note.6"]),
    ],
)
def test_columns_are_those_of_the_first_line_where_it_names_two(tmp_path: Path, first: str, columns: list[str]) -> None:
    pairs = open_pairs(put(tmp_path, "a.tsv", f"{first}\n"))
    assert pairs.columns == columns
    assert pairs.header is (columns[0] != "hyponym")
    assert "file" not in repr(pairs).replace("PairFile", "")


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('{"q": "a", "p": "b"}\n', "jsonl"),
        (' ["a", "b"]\n', "jsonl"),
        ("a, b\tc\n", "tsv"),
        ("a\tb\n", "tsv"),
        ("a,b\n", "csv"),
    ],
)
def test_the_format_shows_in_the_first_line(tmp_path: Path, content: str, format: str) -> None:
    pairs = open_pairs(put(tmp_path, "no-ending", content))
    assert pairs.format == format and not pairs.header


def test_json_lines_are_lists_with_a_label_or_fields(tmp_path: Path) -> None:
    content = '["a", "b"]\n\n["a", "b", "é"]\n["a", "b", 1, 2]\n{"child": "a", "parent": "b", "ö": 3}\n'
    path = put(tmp_path, "a.jsonl", content)
    assert rows(path) == [
        ["a", "b", ""],
        ["a", "b", '{"label": "é"}'],
        ["a", "b", '{"label": 1}'],
        ["a", "b", '{"ö": 3}'],
    ]
    assert [block.num_rows for block in open_pairs(path)] == [4]
    assert open_pairs(path).header is False


def test_json_lines_come_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LINES", 2)
    for many, blocks in ((4, [2, 2]), (5, [2, 2, 1])):
        path = put(tmp_path, "a.jsonl", '["a", "b"]\n' * many)
        assert [block.num_rows for block in open_pairs(path)] == blocks


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'["a", "b"]\n["a", 3]\n', "line 2 does not name two words"),
        (b'[3, "b"]\n', "line 1 does not name two words"),
        (b'["a"]\n', "line 1 does not name two words"),
        (b'"ab"\n', "line 1 does not name two words"),
        (b'["caf\xe9", "b"]\n', "line 1 is not UTF-8"),
    ],
)
def test_a_line_of_json_that_is_no_pair_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        rows(put(tmp_path, "a.jsonl", content))


def test_one_column_is_told_what_is_missing(tmp_path: Path) -> None:
    for content, hint in (("dog\n", "each line is hyponym"), ("dog,animal\n", "add --set input_format=csv")):
        with pytest.raises(InputError, match=hint) as caught:
            rows(put(tmp_path, "one.tsv", content))
        assert ("input_format" in str(caught.value)) == ("," in content)


def test_a_row_has_a_line_also_where_the_file_cannot_be_read_again(tmp_path: Path) -> None:
    pairs = open_pairs(put(tmp_path, "a.tsv", "word1\tword2\n\na\tb\n"))
    assert [pairs.line(row) for row in (0, 1, 7)] == [3, 3, 9]
    pairs.name = "standard input"
    assert [pairs.line(row) for row in (0, 7)] == [2, 9]


@pytest.mark.parametrize("format", list(PairFormat))
def test_one_row_and_none_are_written(format: PairFormat) -> None:
    import pyarrow as pa

    out = io.BytesIO()
    writer = PairWriter(out, format)
    for words in ([], ["é"], ["b", "c"]):
        writer.write(pa.table({"a": pa.array(words, pa.string()), "ΔS": pa.array([1.5] * len(words), pa.float64())}))
    sign = format.delimiter
    lines = [f"a{sign}ΔS", *(f"{word}{sign}1.5" for word in "ébc")]
    if format is PairFormat.jsonl:
        lines = [f'{{"a": "{word}", "ΔS": 1.5}}' for word in "ébc"]
    assert out.getvalue().decode() == "".join(f"{line}\n" for line in lines)


def test_pairs_are_counted_and_found_by_their_lemma_unless_told_otherwise(space: VectorSpace, tmp_path: Path) -> None:
    path = put(tmp_path, "a.tsv", "dogs\tanimals\ndog\tanimal\nyak\tdog\n")
    for more, unknown in (({}, 1), ({"lemmas": False}, 2)):
        out = io.BytesIO()
        writer = PairWriter(out, PairFormat.jsonl)
        summary = score_stream(as_source(space), open_pairs(path), [get("Random")], writer, **more)
        assert (summary.pairs, summary.unknown) == (3, unknown)
        second = json.loads(out.getvalue().decode().splitlines()[1])
        assert second["Random"] == (0x6E789E6AA1B965F4 >> 11) / 2**53  # the number of the second place


def test_a_file_of_a_header_alone_has_no_pairs(space: VectorSpace, tmp_path: Path) -> None:
    path = put(tmp_path, "a.tsv", "word1\tword2\n")
    writer = PairWriter(io.BytesIO(), PairFormat.tsv)
    assert score_stream(as_source(space), open_pairs(path), [get("ΔS")], writer).pairs == 0
