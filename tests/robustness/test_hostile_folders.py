"""Folders of strangers: changed, with checksums and fingerprint that fit. Compiled loops have no bounds checks, so each
of these was a crash, a hang, a trace or an answer from garbage; now it is one line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz import folders
from fuzz.harness import outcome
from fuzz.resealing import get_array, put_array, put_file, put_header, put_table, put_tensors, reseal
from safetensors.numpy import load_file

from hyperdive._store import HEADER, Artifact
from hyperdive.errors import FormatError
from hyperdive.model import Model
from hyperdive.spaces.vocabulary_file import VOCABULARY
from hyperdive.text.corpus import Corpus

Copy = Callable[[str], Path]


def refused(name: str, folder: Path, *words: str) -> None:
    """Every use of the folder ends in one clear line, in a process of its own."""
    told = outcome(lambda: folders.USES[name](folder))
    assert told.startswith("refused: "), told
    assert all(word in told for word in words), told


def test_a_resealed_folder_that_is_healthy_is_used(copy: Copy) -> None:
    """Else the tests below would pass for another reason."""
    for name in ("model", "corpus", "counts", "sparse", "gaussian"):
        folder = copy(name)
        reseal(folder)
        assert outcome(lambda name=name, folder=folder: folders.USES[name](folder)) == "held"  # type: ignore[misc]


# ---- rows of a model ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["dive"])
def test_negative_row_lengths_with_the_right_sum(copy: Copy, space: str) -> None:
    folder = copy("model")
    lengths = load_file(folder / "model.safetensors")[f"{space}.lengths"].astype(np.int64)
    lengths[0] += 1_000_000
    lengths[1] -= 1_000_000
    put_tensors(folder, "model.safetensors", **{f"{space}.lengths": lengths})
    refused("model", folder, space)


@pytest.mark.parametrize("space", ["dive"])
def test_row_lengths_whose_sum_wraps_round(copy: Copy, space: str) -> None:
    folder = copy("model")
    lengths = load_file(folder / "model.safetensors")[f"{space}.lengths"].astype(np.uint64)
    lengths[:4] += np.uint64(2**62)
    put_tensors(folder, "model.safetensors", **{f"{space}.lengths": lengths})
    refused("model", folder, space)


@pytest.mark.parametrize("bad", [-1, 8, 2**31, 2**40])
def test_columns_of_a_model_outside_its_dimensions(copy: Copy, bad: int) -> None:
    folder = copy("model")
    indices = load_file(folder / "model.safetensors")["dive.indices"].astype(np.int64)
    indices[3] = bad
    put_tensors(folder, "model.safetensors", **{"dive.indices": indices})
    refused("model", folder, "dive")


@pytest.mark.parametrize(
    ("tensor", "value"),
    [
        ("folding.gauge", np.nan),
        ("folding.unknown_frequency", -1),
        ("composition.dive", np.inf),
        ("skipgram", np.nan),
    ],
)
def test_numbers_that_make_no_sense(copy: Copy, tensor: str, value: float) -> None:
    folder = copy("model")
    tensors = load_file(folder / "model.safetensors")
    tensors.setdefault("composition.dive", np.ones((3, 8), dtype=np.float32))  # too few terms to fit it
    wide = tensors[tensor].astype(np.int64 if isinstance(value, int) else np.float32)
    wide.reshape(-1)[0] = value
    gone = {f"{tensor}.exponents": None} if f"{tensor}.exponents" in tensors else {}
    put_tensors(folder, "model.safetensors", **{tensor: wide}, **gone)
    refused("model", folder)


def test_the_small_model_has_every_part(healthy: dict[str, Path]) -> None:
    names = set(load_file(healthy["model"] / "model.safetensors"))
    parts = {"dive.lengths", "contexts", "skipgram", "folding.gauge"}
    assert parts <= names, names


def test_a_header_with_huge_dimensions_allocates_nothing(copy: Copy) -> None:
    folder = copy("model")
    put_header(folder, spaces__dive__dimensions=2**31 - 1)
    refused("model", folder)
    folder = copy("sparse")
    put_header(folder, totals__dimensions=2**31 - 1)
    refused("sparse", folder)


# ---- patterns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model", "corpus"])
@pytest.mark.parametrize(("column", "value"), [("hypo", -1), ("hyper", 2**31 - 1), ("pattern", 200), ("count", -5)])
def test_statements_of_what_is_not_there(copy: Copy, name: str, column: str, value: int) -> None:
    import pyarrow.parquet as pq

    folder = copy(name)
    place = folder if name == "model" else folder / "patterns"
    values = pq.read_table(place / "statements.parquet")[column].to_numpy().copy()
    values[len(values) // 2] = value
    put_table(place, "statements.parquet", **{column: values})
    refused("patterns" if name == "corpus" else name, place, "statements.parquet")


def test_rows_of_the_decomposition_beyond_the_terms(copy: Copy) -> None:
    folder = copy("model")
    numbers = np.load(folder / "svd_v_terms.npy")
    numbers[-1] = 2**31 - 1
    put_array(folder, "svd_v_terms.npy", numbers)
    refused("model", folder, "svd_v_terms")


@pytest.mark.parametrize("file", ["pattern-terms.parquet", "sentences.parquet"])
def test_texts_that_unfold_to_gigabytes(copy: Copy, file: str) -> None:
    """A dictionary holds a long text once; a million rows name it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = copy("corpus") / "patterns"
    rows = 200_000
    text = pa.array(["x" * 100_000] if file == "pattern-terms.parquet" else [b"x" * 100_000])
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), text)
    if file == "sentences.parquet":
        table = pa.table({"text": text})
    else:
        totals = np.zeros(rows, dtype=np.int64)
        table = pa.table({"term": text, "hypo_total": totals, "hyper_total": totals})
    pq.write_table(table, folder / file, store_schema=False)
    reseal(folder)
    assert (folder / file).stat().st_size < 200_000
    refused("patterns", folder, file)


# ---- spaces -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("indptr.npy", lambda a: np.concatenate([a[:1], a[1:2] + 10**9, a[2:]])),
        ("indptr.npy", lambda a: np.concatenate([[-5], a[1:]])),
        ("indptr.npy", lambda a: np.concatenate([a[:3], a[3:4] - 10**6, a[4:]])),
        ("indices.npy", lambda a: np.concatenate([a[:2], [2**30], a[3:]]).astype(a.dtype)),
        ("indices.npy", lambda a: np.concatenate([[-1], a[1:]]).astype(a.dtype)),
        ("indices.npy", lambda a: a[::-1].copy()),
        ("data.npy", lambda a: np.concatenate([[np.nan], a[1:]]).astype(a.dtype)),
    ],
)
def test_parts_of_a_sparse_space(copy: Copy, file: str, change: Callable[[Any], Any]) -> None:
    folder = copy("sparse")
    put_array(folder, file, change(np.array(Artifact.open(folder, "space", 2).array(file))))
    refused("sparse", folder)


def test_variances_of_a_gaussian_space(copy: Copy) -> None:
    folder = copy("gaussian")
    variances = np.array(Artifact.open(folder, "space", 2).array("variances.npy"))
    put_array(folder, "variances.npy", variances.T.copy())
    refused("gaussian", folder)


@pytest.mark.parametrize("name", ["model", "sparse"])
@pytest.mark.parametrize(
    "columns",
    [
        {"name": None},
        {"name": lambda a: a.slice(1)},
        {"kind": lambda a: ["term", *["word"] * (len(a) - 1)]},
        {"kind": lambda a: ["verb"] * len(a)},
        {"kind": lambda a: [None] * len(a)},
        {"frequency": lambda a: [-1] * len(a)},
        {"frequency": lambda a: [0.5] * len(a)},
        {"sum": lambda a: [float("nan")] * len(a)},
        {"pattern": lambda a: np.full(len(a), -2, dtype=np.int32)},
        {"pattern": lambda a: np.full(len(a), 1 << 30, dtype=np.int32)},
        {"spelling": None},
    ],
)
def test_the_table_of_names(copy: Copy, name: str, columns: dict[str, Any]) -> None:
    folder = copy(name)
    import pyarrow.parquet as pq

    table = pq.read_table(folder / VOCABULARY)
    changed = {
        key: change and change(table[key].combine_chunks())
        for key, change in columns.items()
        if key in table.schema.names
    }
    if not changed:
        return  # a space has no patterns
    kept = {key: changed.get(key, table[key]) for key in table.schema.names}
    rows = min(len(column) for column in kept.values() if column is not None)
    put_table(folder, VOCABULARY, **{key: None if column is None else column[:rows] for key, column in kept.items()})
    refused(name, folder)


# ---- corpora and counts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file", "value"),
    [
        ("corpus", "tokens.npy", 2**32 - 1),
        ("corpus", "sentences.npy", 2**40),
        ("corpus", "documents.npy", -4),
        ("corpus", "document_sentences.npy", 2**33),
        ("corpus", "term_starts.npy", 2**40),
        ("corpus", "term_starts.npy", -2),
        ("corpus", "term_lengths.npy", 255),
        ("corpus", "term_ids.npy", 2**31),
        ("lines", "lines.npy", 2**40),
        ("lines", "lines.npy", -1),
        ("counts", "indptr.npy", 2**40),
        ("counts", "word_counts.npy", -1),
        ("counts", "totals.npy", -7),
        ("counts", "indices.npy", 2**31),
        ("counts", "counts.npy", 255),
        ("counts", "edges.npy", 255),
        ("counts", "large_positions.npy", 2**40),
        ("counts", "large_counts.npy", 0),
    ],
)
def test_a_wrong_number_in_an_array(copy: Copy, name: str, file: str, value: int) -> None:
    folder = copy(name)
    array = get_array(folder, file)
    array.reshape(-1)[-1 if file == "term_lengths.npy" else len(array.reshape(-1)) // 2] = value
    put_array(folder, file, array)
    refused(name, folder)


def test_a_wrong_line_offset_does_not_reach_the_solver(copy: Copy, tmp_path: Path) -> None:
    from hyperdive.spaces.gaussian import train_gaussian

    folder = copy("lines")
    offsets = get_array(folder, "lines.npy")
    offsets[5] = 10**9
    put_array(folder, "lines.npy", offsets)
    told = outcome(lambda: train_gaussian(Corpus.open(folder), dimensions=4))
    assert told.startswith("refused: "), told


# ---- checksums ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["words.parquet", "tokens.npy", "sentences.npy", "terms.txt", "term_ids.npy"])
def test_a_flipped_bit_in_a_corpus_is_found_before_it_is_used(copy: Copy, file: str) -> None:
    """A flipped bit in the words trained a model with another word."""
    folder = copy("corpus")
    content = bytearray((folder / file).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / file).write_bytes(content)
    refused("corpus", folder, file, "does not match its checksum")


@pytest.mark.parametrize("file", ["model.safetensors", "vocabulary.parquet", "statements.parquet"])
def test_a_flipped_bit_in_a_model_is_found_before_it_is_used(copy: Copy, file: str) -> None:
    folder = copy("model")
    content = bytearray((folder / file).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / file).write_bytes(content)
    refused("model", folder, file, "does not match its checksum")


def test_what_was_just_written_is_not_hashed_again(copy: Copy) -> None:
    folder = copy("model")
    content = bytearray((folder / "README.md").read_bytes())
    content[3] ^= 1
    (folder / "README.md").write_bytes(content)
    Model.load(folder)  # a file that is not read is not hashed
    with pytest.raises(FormatError, match=r"README\.md does not match"):
        Artifact.open(folder, "model", 4).verify()


# ---- headers, word lists, pipes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("corpus", "terms.txt"),
        ("counts", "words.txt"),
    ],
)
def test_word_lists_that_are_not_utf8(copy: Copy, name: str, file: str) -> None:
    folder = copy(name)
    content = (folder / file).read_bytes()
    put_file(folder, file, b"\xff\xfe" + content[2:])
    refused(name, folder, file, "UTF-8")


@pytest.mark.parametrize("name", ["corpus", "counts", "model", "sparse", "gaussian"])
def test_every_field_of_a_header_missing_or_of_another_type(copy: Copy, name: str) -> None:
    """Each is refused or unused: never a trace."""
    folder = copy(name)
    whole = (folder / HEADER).read_text()
    fields = [key for key in json.loads(whole) if key not in ("format", "fingerprint")]

    def every() -> None:
        from hyperdive.errors import Error

        for field in fields:
            for value in (None, 7, "x", [], {}, [1, "x"]):
                (folder / HEADER).write_text(whole)
                put_header(folder, **{field: value})
                try:
                    folders.USES[name](folder)
                    folders.use_info(folder)
                except Error:
                    pass

    assert outcome(every) == "held"


def test_a_pipe_in_the_place_of_a_file(copy: Copy) -> None:
    folder = copy("model")
    header = json.loads((folder / HEADER).read_text())
    header["files"]["README.md"]["bytes"] = 0
    (folder / "README.md").unlink()
    os.mkfifo(folder / "README.md")
    (folder / HEADER).write_text(json.dumps(header))
    reseal(folder)
    refused("model", folder, "README.md is not a file")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_a_header_that_has_no_fingerprint_is_refused_with_an_empty_one(copy: Copy, value: object) -> None:
    """Such a value cannot be hashed, and an empty fingerprint was taken for the one it has; counting ended in a trace."""
    folder = copy("lines")
    header = json.loads((folder / HEADER).read_text())
    header["parameters"]["hyphens"], header["fingerprint"] = value, ""
    (folder / HEADER).write_text(json.dumps(header))
    refused("lines", folder, "was altered")
