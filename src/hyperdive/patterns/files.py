"""The files of patterns, in a folder of their own or in a model's; all contents are checked when they are read.

Folder (format `hyperdive-patterns`, version 2), in a corpus under `patterns/`:

| file | content |
| --- | --- |
| `header.json` | names and precision of the patterns, documents read, what it was made from, checksums |
| `pattern-terms.parquet` | lemmas joined by a blank, the most frequent first; statements with each on either side |
| `statements.parquet` | how often each pattern states a pair: hypo, hyper (term numbers), pattern, count; sorted |
| `svd_v.npy`, `svd_v_terms.npy` | the decomposition, if there is one: rows of V and their terms; the same for `svd_u` |
| `evidence.parquet` | kept matches: hypo, hyper, pattern, document, sentence, spans in bytes; a pair's best first |
| `sentences.parquet` | the text of the kept sentences |

Rows of the decomposition that were rounded to 8 bits are int8, with exponents (see `hyperdive._quantize`). A model
folder has the same files next to its own, and the entry `patterns` in its header.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperdive._checks import MOST_UNFOLDED, UNFOLDED_BYTES, are_below, unfolds
from hyperdive._quantize import packed, unpacked
from hyperdive._store import Artifact, ArtifactWriter, FileWriter, drop_files, header_fields, read_header
from hyperdive._types import Array, Ints
from hyperdive.errors import FormatError
from hyperdive.patterns.evidence import MOST_TERMS, EvidenceRows, pack, unpack
from hyperdive.patterns.matches import Texts
from hyperdive.patterns.svd import Factors

if TYPE_CHECKING:
    from hyperdive.patterns.store import Patterns

KIND, VERSION = "patterns", 2
FOLDER = "patterns"
"""The folder of patterns inside a corpus folder."""
TERMS, STATEMENTS = "pattern-terms.parquet", "statements.parquet"
EVIDENCE, SENTENCES = "evidence.parquet", "sentences.parquet"
SENTENCE_FILES = (EVIDENCE, SENTENCES)
_DAMAGED = "the folder is damaged; create it again"
_ROW_GROUP = 1 << 16
_TOTALS = ("hypo_total", "hyper_total")
_KEYS = {"hypo": "int32", "hyper": "int32", "pattern": "uint8"}
_SPANS = ("hypo_start", "hypo_end", "hyper_start", "hyper_end")
_COLUMNS = {
    TERMS: {"term": "string", **dict.fromkeys(_TOTALS, "int64")},
    STATEMENTS: {**_KEYS, "count": "int64"},
    EVIDENCE: {**_KEYS, "document": "int64", "sentence": "int64", **dict.fromkeys(_SPANS, "int32")},
    # damaged UTF-8 of the input is kept as it came
    SENTENCES: {"text": "binary"},
}
_STRINGS = ("string", "binary")


# ---- writing ------------------------------------------------------------------------------------------------------


def save_folder(
    patterns: Patterns, path: str | Path, *, source: str, parameters: Mapping[str, Any], force: bool
) -> dict[str, Any]:
    """Write a folder of its own; `source` is the fingerprint of what was read. Returns the header."""
    with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
        write_files(patterns, writer)
        totals = {
            "terms": len(patterns),
            "pairs": patterns.pairs,
            "matches": patterns.matches,
            "documents": patterns.documents,
        }
        header = {"input": source, "parameters": dict(parameters), "patterns": about(patterns), "totals": totals}
        return writer.finish(header)


def about(patterns: Patterns) -> dict[str, Any]:
    """The entry for patterns in the header of a folder."""
    rows = patterns.evidence_rows
    return {
        "names": list(patterns.names),
        "precision": list(patterns.precision),
        "documents": patterns.documents,
        "total": patterns.totals[2],
        "sentences": None if rows is None else len(rows.texts),
    }


def write_files(patterns: Patterns, writer: ArtifactWriter) -> None:
    """Write all files into a folder, piece by piece: arrays may be mapped from disk."""
    totals = dict(zip(_TOTALS, patterns.totals[:2], strict=True))
    _write_table(writer.stream(TERMS), TERMS, {"term": patterns.term_array, **totals})
    _write_table(writer.stream(STATEMENTS), STATEMENTS, {"keys": patterns.keys, "count": patterns.values})
    if patterns.is_factorised:
        factors = patterns.factors
        _write_rows(writer, "svd_v", factors.hypernyms, factors.v)
        if factors.u is not None and factors.hyponyms is not None:
            _write_rows(writer, "svd_u", factors.hyponyms, factors.u)
    rows = patterns.evidence_rows
    if rows is not None:
        columns: dict[str, Any] = {"keys": rows.keys, "document": rows.document, "sentence": rows.sentence}
        columns |= {name: rows.spans[:, number] for number, name in enumerate(_SPANS)}
        _write_table(writer.stream(EVIDENCE), EVIDENCE, columns)
        _write_table(writer.stream(SENTENCES), SENTENCES, {"text": rows.texts})


def _write_table(file: FileWriter, name: str, columns: dict[str, Any]) -> None:
    """Write a Parquet file in row groups of one size; `keys` is three columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(column, kind) for column, kind in _COLUMNS[name].items()])
    with pq.ParquetWriter(_ParquetSink(file), schema, compression="zstd", store_schema=False) as out:
        size = len(next(iter(columns.values())))
        for start in range(0, max(size, 1), _ROW_GROUP):
            end = min(start + _ROW_GROUP, size)
            group = {column: _slice(values, start, end) for column, values in columns.items()}
            if "keys" in group:
                group |= dict(zip(_KEYS, unpack(group.pop("keys")), strict=True))
            out.write_table(pa.table(group, schema))


def _slice(values: Any, start: int, end: int) -> Any:
    import pyarrow as pa

    if not isinstance(values, Texts):
        part = values[start:end]
        return part.cast(pa.string()) if isinstance(part, pa.Array | pa.ChunkedArray) else part
    offsets = values.offsets[start : end + 1]
    data = np.ascontiguousarray(values.data[offsets[0] : offsets[-1]])
    ends = (offsets - offsets[0]).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), end - start, [None, pa.py_buffer(ends), pa.py_buffer(data)])


def _write_rows(writer: ArtifactWriter, name: str, terms: Ints, rows: Array) -> None:
    """Rows in 8 bits when that loses nothing, else in 16."""
    small = packed(rows)
    writer.put(f"{name}_terms.npy", terms.astype(np.int32))
    writer.put(f"{name}.npy", rows.astype(np.float16) if small is None else small[0])
    if small is not None:
        writer.put(f"{name}_exponents.npy", small[1])


class _ParquetSink:
    """The file object that the Parquet library writes to."""

    closed = False

    def __init__(self, file: FileWriter) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        self._file.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """What is written is hashed and on its way already."""

    def tell(self) -> int:
        return self._file.bytes


def drop_sentences(corpus: str | Path) -> int:
    """Remove the sentences from the patterns of a corpus folder and return how many bytes that freed; counts stay."""
    folder = Path(corpus) / FOLDER
    if not folder.is_dir():
        return 0
    header = read_header(folder, f"hyperdive-{KIND}")
    return drop_files(folder, header, SENTENCE_FILES, {"patterns": {**header["patterns"], "sentences": None}})


# ---- reading ------------------------------------------------------------------------------------------------------


def read_files(artifact: Artifact) -> dict[str, Any]:
    """The arguments of `Patterns` from a folder; sentences and the decomposition are read when they are asked for."""
    path = artifact.path
    with header_fields(path):
        described = artifact.header["patterns"]
        names = [str(name) for name in described["names"]]
        precision = [float(value) for value in described["precision"]]
        documents, total = int(described["documents"]), int(described["total"])
    if not 0 < len(names) == len(set(names)) == len(precision) <= 256 or min(documents, total) < 0:
        raise FormatError(f"{path}: the header does not describe its patterns", hint=_DAMAGED)
    terms, *totals = _read_table(artifact, TERMS)
    *statement, counts = _read_table(artifact, STATEMENTS)
    if not len(set(terms)) == len(terms) < MOST_TERMS or not _are_counts(*totals):
        raise _misfit(artifact, TERMS)
    if not _are_numbers(statement, len(terms), len(names)) or not _are_counts(counts):
        raise _misfit(artifact, STATEMENTS)
    keys = pack(*statement)
    if not (keys[1:] > keys[:-1]).all():
        raise _misfit(artifact, STATEMENTS)
    return {
        "term_array": terms,
        "names": names,
        "keys": keys,
        "values": counts,
        "precision": precision,
        "documents": documents,
        "sentences": partial(_read_evidence, artifact, len(terms), len(names)) if EVIDENCE in artifact else None,
        "decomposition": partial(_read_factors, artifact, len(terms)) if "svd_v.npy" in artifact else None,
        "sums": (*totals, total),
    }


def _misfit(artifact: Artifact, name: str) -> FormatError:
    return FormatError(f"{artifact.path}: {name} does not fit its folder", hint=_DAMAGED)


def _read_table(artifact: Artifact, name: str) -> list[Any]:
    """The columns of a Parquet file, which must not unfold to far more than its own size.

    Bytes stay as they are in the file: a dictionary may hold a long text once that many rows name.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = artifact.file(name)
    try:
        text = [column for column, kind in _COLUMNS[name].items() if kind in _STRINGS]
        file = pq.ParquetFile(place, read_dictionary=text)
        if unfolds(file, place.stat().st_size):
            raise ValueError("it would unfold to many times its size")
        table = file.read(use_threads=False)
        columns: list[Any] = []
        if table.column_names != list(_COLUMNS[name]):
            raise ValueError(f"its columns are {', '.join(table.column_names)}")
        for column, kind in zip(table.columns, _COLUMNS[name].values(), strict=True):
            if column.null_count:
                raise ValueError("a value is missing")
            if column.type != (pa.dictionary(pa.int32(), kind) if kind in _STRINGS else kind):
                raise ValueError(f"a column is {column.type}, not {kind}")
            if kind not in _STRINGS:
                column = _values(column.combine_chunks(), kind)
            columns.append(_words(column) if kind == "string" else column)
    except MemoryError:
        raise
    except (OSError, KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise FormatError(f"{artifact.path}: {name} cannot be read ({error})", hint=_DAMAGED) from None
    return columns


def _values(array: Any, kind: str) -> Array:
    """The numbers of an Arrow array; its own method would import pandas."""
    data = array.buffers()[1]
    return np.frombuffer(b"" if data is None else data, kind)[array.offset : array.offset + len(array)]


def _words(column: Any) -> list[str]:
    words: list[str] = []
    for chunk in column.chunks:
        distinct = chunk.dictionary.to_pylist()
        words += [distinct[number] for number in _values(chunk.indices, "int32").tolist()]
    return words


def _texts(column: Any, most: int) -> Texts:
    """The strings of a column whose chunks hold each distinct one once; together they have at most so many bytes."""
    import pyarrow as pa

    size = 0
    for chunk in column.chunks:
        lengths = np.diff(_offsets(chunk.dictionary, np.int32))
        size += int(lengths[_values(chunk.indices, "int32")].sum(dtype=np.int64))
    if size > most:
        raise ValueError("its texts would unfold to many times its size")
    decoded = [chunk.dictionary_decode().cast(pa.large_binary()) for chunk in column.chunks]
    array = pa.concat_arrays(decoded) if decoded else pa.array([], pa.large_binary())
    data = array.buffers()[2]
    return Texts(np.frombuffer(b"" if data is None else data, np.uint8), _offsets(array, np.int64))


def _offsets(array: Any, dtype: npt.DTypeLike) -> Array:
    """Where each string of an Arrow array begins and the last one ends."""
    if len(array) == 0:
        return np.zeros(1, dtype)
    return np.frombuffer(array.buffers()[1], dtype)[array.offset : array.offset + len(array) + 1]


def _are_numbers(key: list[Any], terms: int, names: int) -> bool:
    """Whether columns of keys hold numbers of terms and patterns."""
    return all(are_below(column, limit) for column, limit in zip(key, (terms, terms, names), strict=True))


def _are_counts(*columns: Any) -> bool:
    return all(are_below(column, 1 << 62) for column in columns)


def _read_factors(artifact: Artifact, terms: int) -> Factors:
    sides: list[Any] = []
    for name in ("svd_v", "svd_u"):
        if f"{name}.npy" not in artifact:
            sides += [None, None]
            continue
        numbers = artifact.array(f"{name}_terms.npy", "int32").astype(np.int64)
        rows: Any = artifact.array(f"{name}.npy", "int8", "float16", ndim=2)
        if len(numbers) != len(rows) or not are_below(numbers, terms) or not (np.diff(numbers) > 0).all():
            raise _misfit(artifact, f"{name}_terms.npy")
        if rows.dtype == np.int8:
            exponents = artifact.array(f"{name}_exponents.npy", "int8")
            if len(exponents) != len(rows):
                raise _misfit(artifact, f"{name}_exponents.npy")
            with np.errstate(over="ignore"):
                rows = unpacked(rows, exponents).astype(np.float16)
        if not np.isfinite(rows).all():
            raise _misfit(artifact, f"{name}.npy")
        sides += [numbers, np.array(rows)]
    factors = Factors(*sides)
    if factors.u is not None and factors.u.shape[1] != factors.rank:
        raise _misfit(artifact, "svd_u.npy")
    return factors


def _read_evidence(artifact: Artifact, terms: int, names: int) -> EvidenceRows:
    columns = _read_table(artifact, EVIDENCE)
    [text] = _read_table(artifact, SENTENCES)
    try:
        size = artifact.file(SENTENCES).stat().st_size
        texts = _texts(text, MOST_UNFOLDED * size + UNFOLDED_BYTES)
    except ValueError as error:
        raise FormatError(f"{artifact.path}: {SENTENCES} cannot be read ({error})", hint=_DAMAGED) from None
    key, (document, sentence), spans = columns[:3], columns[3:5], np.column_stack(columns[5:])
    if _are_numbers(key, terms, names) and are_below(sentence, len(texts)):
        rows = EvidenceRows(pack(*key), document, sentence, spans, texts)
        lengths = texts.lengths[sentence]
        if (
            (np.diff((rows.keys >> np.uint64(8)).astype(np.int64)) >= 0).all()
            and (spans >= 0).all()
            and (spans[:, [1, 3]] <= lengths[:, None]).all()
            and (spans[:, [0, 2]] <= spans[:, [1, 3]]).all()
        ):
            return rows
    raise _misfit(artifact, EVIDENCE)
