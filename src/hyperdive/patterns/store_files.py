"""Reads and writes the files of patterns, in their own folder or in a model's; all contents are checked when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._checks import are_below, row_pointers, unfolds
from hyperdive._quantize import packed, unpacked
from hyperdive._store import (
    Artifact,
    ArtifactWriter,
    FileWriter,
    drop_files,
    header_fields,
    narrowest,
    read_header,
)
from hyperdive.errors import FormatError
from hyperdive.patterns.evidence import MOST_TERMS, EvidenceRows, pack, unpack
from hyperdive.patterns.matches import Texts
from hyperdive.patterns.pattern_table import FOLDER, KIND, VERSION, PatternTable
from hyperdive.patterns.svd import Factors

TENSORS, TERMS = "patterns.safetensors", "pattern-terms.txt"
EVIDENCE, SENTENCES = "evidence.parquet", "sentences.parquet"
SENTENCE_FILES = (EVIDENCE, SENTENCES)
_DAMAGED = "the folder is damaged; create it again"
_ROW_GROUP = 1 << 16
_CHUNK = 1 << 16
_LONGEST_TEXT = 1 << 14  # bytes of a kept sentence; `LONGEST` and what stands around it is less
_KEYS, _PLACES = ("hypo", "hyper", "pattern"), ("document", "sentence")
_SPANS = ("hypo_start", "hypo_end", "hyper_start", "hyper_end")


def about(table: PatternTable) -> dict[str, Any]:
    """The entry for patterns in the header of a folder."""
    rows = table.evidence_rows
    return {
        "names": list(table.names),
        "precision": [1.0] * len(table.names) if table.precision is None else list(table.precision),
        "documents": table.documents,
        "total": table.sums[2],
        "sentences": None if rows is None else len(rows.texts),
    }


def save_table(
    table: PatternTable, path: str | Path, *, source: str = "", parameters: Mapping[str, Any], force: bool = False
) -> dict[str, Any]:
    """Write a folder of its own; `source` is the fingerprint of what was read. Returns the header."""
    with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
        write_files(table, writer)
        totals = {
            "terms": len(table.terms),
            "pairs": table.stated_pairs,
            "matches": int(table.values.sum()),
            "documents": table.documents,
        }
        header = {"input": source, "parameters": dict(parameters), "patterns": about(table), "totals": totals}
        return writer.finish(header)


def write_files(table: PatternTable, writer: ArtifactWriter) -> None:
    """Write all files into a folder, piece by piece: arrays may be mapped from disk."""
    hyponyms, hypernyms, _ = table.sums
    tensors: dict[str, _Tensor] = {
        "lengths": _Tensor.narrowest(np.diff(table.pointers)),
        "hypernyms": _Tensor.narrowest(table.hypernyms),
        "patterns": _Tensor(table.patterns, np.dtype(np.uint8)),
        "counts": _Tensor.narrowest(table.values),
        "hypo_totals": _Tensor.narrowest(hyponyms),
        "hyper_totals": _Tensor.narrowest(hypernyms),
    }
    factors = table.factors() if callable(table.factors) else table.factors
    if factors is not None:
        tensors |= {"svd.hypernyms": _Tensor.narrowest(factors.hypernyms), **_vectors("svd.v", factors.v)}
        if factors.u is not None and factors.hyponyms is not None:
            tensors |= {"svd.hyponyms": _Tensor.narrowest(factors.hyponyms), **_vectors("svd.u", factors.u)}
    terms = writer.stream(TERMS)
    for start in range(0, len(table.terms), _CHUNK):
        terms.append("".join(f"{term}\n" for term in table.terms[start : start + _CHUNK]).encode("utf-8"))
    _write_tensors(tensors, writer.stream(TENSORS))
    rows = table.evidence_rows
    if rows is not None:
        _write_parquet(_evidence_table(rows), writer.stream(EVIDENCE))
        _write_parquet(_sentence_table(rows.texts), writer.stream(SENTENCES))


class _Tensor(NamedTuple):
    """Values, and the type that they are written as."""

    values: Any
    dtype: np.dtype[Any]

    @classmethod
    def narrowest(cls, values: Any) -> _Tensor:
        """As the narrowest unsigned integers."""
        return cls(values, narrowest(values[:0], int(np.max(values, initial=0))).dtype)


# in the order in which the library that defines the format writes them
_TYPES = {"u8": "U64", "f4": "F32", "u4": "U32", "f2": "F16", "u2": "U16", "i1": "I8", "u1": "U8"}


def _write_tensors(tensors: dict[str, _Tensor], file: FileWriter) -> None:
    """A safetensors file with the bytes that `safetensors.numpy.save` gives, without a copy of the values in memory."""
    kinds = list(_TYPES)
    order = sorted(tensors, key=lambda name: (kinds.index(tensors[name].dtype.str[1:]), name))
    entries, at = {}, 0
    for name in order:
        values, dtype = tensors[name]
        size = int(values.size) * dtype.itemsize
        kind = _TYPES[dtype.str[1:]]
        entries[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [at, at + size]}
        at += size
    head = json.dumps(entries, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    file.append(len(head).to_bytes(8, "little") + head)
    for name in order:
        values, dtype = tensors[name]
        for start in range(0, len(values), _CHUNK):
            file.append(np.ascontiguousarray(values[start : start + _CHUNK], dtype=dtype.newbyteorder("<")).tobytes())


def _vectors(name: str, rows: npt.NDArray[np.float16]) -> dict[str, _Tensor]:
    """Rows in 8 bits when that loses nothing, else in 16."""
    small = packed(rows)
    if small is None:
        return {name: _Tensor(rows, np.dtype(np.float16))}
    return {name: _Tensor(small[0], small[0].dtype), f"{name}.exponents": _Tensor(small[1], small[1].dtype)}


def _evidence_table(rows: EvidenceRows) -> Any:
    import pyarrow as pa

    hyponym, hypernym, pattern = unpack(rows.keys)
    columns: dict[str, Any] = {
        "hypo": hyponym,
        "hyper": hypernym,
        "pattern": pattern,
        "document": rows.document,
        "sentence": rows.sentence,
    }
    for number, name in enumerate(_SPANS):
        columns[name] = np.ascontiguousarray(rows.spans[:, number])
    return pa.table(columns)


def _sentence_table(texts: Texts) -> Any:
    import pyarrow as pa

    # damaged UTF-8 of the input is kept as it came: the column holds bytes
    buffers = [None, pa.py_buffer(np.ascontiguousarray(texts.offsets)), pa.py_buffer(np.ascontiguousarray(texts.data))]
    return pa.table({"text": pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(texts), buffers)})


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


def _write_parquet(table: Any, file: FileWriter) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, _ParquetSink(file), compression="zstd", row_group_size=_ROW_GROUP, store_schema=False)


# ---- reading ------------------------------------------------------------------------------------------------------


def read_files(artifact: Artifact) -> PatternTable:
    """The patterns in a folder; sentences are read from it when they are asked for."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = artifact.path
    with header_fields(path):
        described = artifact.header["patterns"]
        names, precision = (
            [str(name) for name in described["names"]],
            [float(value) for value in described["precision"]],
        )
        documents, total = int(described["documents"]), int(described["total"])
    if not 0 < len(names) == len(set(names)) == len(precision) <= 256 or min(documents, total) < 0:
        raise FormatError(f"{path}: the header does not describe its patterns", hint=_DAMAGED)
    try:
        tensors = load(artifact.bytes(TENSORS))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: {TENSORS} cannot be read ({error})", hint=_DAMAGED) from None
    terms = artifact.lines(TERMS)
    if len(terms) >= MOST_TERMS:
        raise FormatError(f"{path}: {len(terms)} terms are more than patterns can have", hint=_DAMAGED)
    read = _CheckedTensors(path, tensors, len(terms))
    size = len(read.numbers("hypernyms", None))
    pointers = row_pointers(read.numbers("lengths", len(terms)), size)
    if pointers is None:
        raise read.wrong("lengths")
    hypernyms = read.numbers("hypernyms", size, below=len(terms))
    patterns = read.numbers("patterns", size, below=len(names))
    values = read.numbers("counts", size)
    totals = (read.numbers("hypo_totals", len(terms)), read.numbers("hyper_totals", len(terms)), total)
    table = PatternTable(
        terms=terms,
        names=names,
        pointers=pointers,
        hypernyms=hypernyms.astype(np.int32),
        patterns=patterns.astype(np.uint8),
        values=values,
        precision=precision,
        documents=documents,
        evidence=partial(_read_evidence, artifact, len(terms), len(names)) if EVIDENCE in artifact else None,
        factors=partial(_factors, read, tensors) if "svd.v" in tensors else None,
        totals=totals,
    )
    if not (table.keys[1:] > table.keys[:-1]).all() or len(table.numbers) != len(terms):
        raise FormatError(f"{path}: {TENSORS} is not in order", hint=_DAMAGED)
    return table


class _CheckedTensors:
    """Arrays of a file, checked for type, length and range."""

    def __init__(self, path: Path, tensors: dict[str, npt.NDArray[Any]], terms: int) -> None:
        self.path, self._tensors, self.terms = path, tensors, terms

    def wrong(self, name: str) -> FormatError:
        return FormatError(f"{self.path}: {name} in {TENSORS} is not what it should be", hint=_DAMAGED)

    def numbers(self, name: str, size: int | None, below: int | None = None) -> npt.NDArray[np.int64]:
        tensor = self._tensors.get(name)
        if tensor is None or tensor.dtype.kind != "u" or tensor.ndim != 1 or (size is not None and len(tensor) != size):
            raise self.wrong(name)
        if not are_below(tensor, 1 << 63 if below is None else below):
            raise self.wrong(name)
        return tensor.astype(np.int64)

    def vectors(self, name: str, size: int) -> npt.NDArray[np.float16]:
        tensor, exponents = self._tensors.get(name), self._tensors.get(f"{name}.exponents")
        if exponents is not None:
            if tensor is None or tensor.ndim != 2 or exponents.shape != (len(tensor),):
                raise self.wrong(name)
            if not tensor.dtype == exponents.dtype == np.int8:
                raise self.wrong(name)
            with np.errstate(over="ignore"):
                tensor = unpacked(tensor, exponents).astype(np.float16)
        if tensor is None or tensor.dtype != np.float16 or tensor.ndim != 2 or len(tensor) != size:
            raise self.wrong(name)
        if not np.isfinite(tensor).all():
            raise self.wrong(name)
        return tensor


def _factors(read: _CheckedTensors, tensors: dict[str, Any]) -> Factors:
    sides: list[Any] = []
    for numbers, vectors in (("svd.hypernyms", "svd.v"), ("svd.hyponyms", "svd.u")):
        if vectors not in tensors:
            sides += [None, None]
            continue
        which = read.numbers(numbers, None, below=read.terms)
        if not (np.diff(which) > 0).all():
            raise read.wrong(numbers)
        sides += [which, read.vectors(vectors, len(which))]
    factors = Factors(*sides)
    if factors.u is not None and factors.u.shape[1] != factors.rank:
        raise read.wrong("svd.u")
    return factors


def _read_evidence(artifact: Artifact, terms: int, names: int) -> EvidenceRows:
    import pyarrow as pa

    path = artifact.path
    try:
        table = _checked_table(artifact, EVIDENCE)
        columns = {name: table.column(name).to_numpy() for name in (*_KEYS, *_PLACES, *_SPANS)}
        if any(column.dtype.kind not in "iu" for column in columns.values()):
            raise ValueError("a column is of another type")
        texts = _sentences(_checked_table(artifact, SENTENCES).column("text"))
    except MemoryError:
        raise
    except (OSError, KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise FormatError(f"{path}: {EVIDENCE} cannot be read ({error})", hint=_DAMAGED) from None
    spans = np.column_stack([columns[name] for name in _SPANS])
    parts = tuple(columns[name] for name in _KEYS)
    document, sentence = (columns[name].astype(np.int64) for name in _PLACES)
    rows = EvidenceRows(pack(*parts), document, sentence, spans, texts)
    _check_evidence(path, rows, parts, terms, names)
    return replace(rows, spans=spans.astype(np.int32))


def _checked_table(artifact: Artifact, name: str) -> Any:
    """A Parquet file that does not unfold to far more than its own size; dictionaries stay as they are."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(artifact.file(name), read_dictionary=["text"] if name == SENTENCES else None)
    if unfolds(file, artifact.path.joinpath(name).stat().st_size):
        raise ValueError("it would unfold to many times its size")
    return file.read()


def _sentences(column: Any) -> Texts:
    """The sentences of a column, which may hold each distinct one once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pieces = []
    for chunk in column.chunks:
        if isinstance(chunk, pa.DictionaryArray):
            lengths = pc.take(pc.binary_length(chunk.dictionary), chunk.indices)
            if (pc.max(lengths).as_py() or 0) > _LONGEST_TEXT:
                raise ValueError("a sentence is too long")
            chunk = chunk.dictionary_decode()
        pieces.append(chunk.cast(pa.large_binary()))
    text = pa.concat_arrays(pieces) if pieces else pa.array([], type=pa.large_binary())
    if text.null_count:
        raise ValueError("a sentence is missing")
    _, ends, data = text.buffers()
    offsets = np.frombuffer(ends, dtype=np.int64)[text.offset : text.offset + len(text) + 1] if len(text) else [0]
    raw = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return Texts(raw, np.array(offsets, dtype=np.int64))


def _check_evidence(path: Path, rows: EvidenceRows, parts: Any, terms: int, names: int) -> None:
    hyponym, hypernym, pattern = parts
    size = len(rows.texts)
    limits = ((hyponym, terms), (hypernym, terms), (pattern, names), (rows.sentence, size))
    valid = all(len(column) == 0 or 0 <= int(column.min()) <= int(column.max()) < limit for column, limit in limits)
    if valid and len(rows):
        pairs = (rows.keys >> np.uint64(8)).astype(np.int64)
        lengths = rows.texts.lengths[rows.sentence]
        valid = bool(
            (np.diff(pairs) >= 0).all()
            and (rows.spans >= 0).all()
            and (rows.spans[:, [1, 3]] <= lengths[:, None]).all()
            and (rows.spans[:, [0, 2]] <= rows.spans[:, [1, 3]]).all()
        )
    if not valid:
        raise FormatError(f"{path}: {EVIDENCE} does not fit its folder", hint=_DAMAGED)


def drop_sentences(corpus: str | Path) -> int:
    """Remove the sentences from the patterns of a corpus folder and return how many bytes that freed; counts stay."""
    folder = Path(corpus) / FOLDER
    if not folder.is_dir():
        return 0
    header = read_header(folder, f"hyperdive-{KIND}")
    return drop_files(folder, header, SENTENCE_FILES, {"patterns": {**header["patterns"], "sentences": None}})
