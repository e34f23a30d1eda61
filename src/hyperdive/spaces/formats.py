"""Vectors in other programs' formats: word2vec text, gensim KeyedVectors, the DIVE authors' JSON, Parquet.

The format is given by the file's ending: `.txt`/`.vec` (word2vec text), `.kv` (gensim, writing only: its files are
pickles, and reading one can run any program), `.json` (`{word: {dimension: value}}`), `.parquet` (columns `word`,
`frequency`, `vector`). Text and JSON may be gzipped (`.gz`).
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import sparse

from hyperdive._atomic import whole_file
from hyperdive._checks import MOST_UNFOLDED, UNFOLDED_BYTES, unfolds
from hyperdive.errors import InputError, MissingExtra, OptionError, OutputError
from hyperdive.spaces.space import VectorSpace

FORMATS = {"word2vec": (".txt", ".vec"), "gensim": (".kv",), "json": (".json",), "parquet": (".parquet",)}
MAX_DIMENSIONS = 1_000_000
MAX_VALUE = float(np.finfo(np.float32).max)


def format_of(path: str | Path) -> str:
    """The format a file name stands for.

    >>> format_of("vectors.txt.gz"), format_of("dive.json")
    ('word2vec', 'json')
    """
    name = Path(path).name.removesuffix(".gz")
    for kind, endings in FORMATS.items():
        if name.endswith(endings):
            return kind
    known = ", ".join(ending for endings in FORMATS.values() for ending in endings)
    raise OptionError(f"{path}: no format has this ending", hint=f"use one of {known}, or --format")


# ---- writing ------------------------------------------------------------------------------------------------


class _BoundedGzip(gzip.GzipFile):
    """A gzip file that is read as long as it does not unfold to many times its size."""

    left: int | None = None

    def read1(self, size: int = -1) -> bytes:
        data = super().read1(size)
        if self.left is not None:
            self.left -= len(data)
            if self.left < 0:
                raise InputError(f"it unfolds to more than {MOST_UNFOLDED} times its size")
        return data


def _open_text(path: Path, name: str, mode: str) -> Any:
    if name.endswith(".gz") and mode == "r":
        bounded = _BoundedGzip(path, "rb")
        bounded.left = MOST_UNFOLDED * path.stat().st_size + UNFOLDED_BYTES
        return io.TextIOWrapper(bounded, encoding="utf-8")
    if name.endswith(".gz"):
        raw = gzip.GzipFile(filename="", fileobj=path.open(mode + "b"), mode=mode + "b", mtime=0)
        return io.TextIOWrapper(raw, encoding="utf-8", newline="\n" if mode == "w" else None)
    return path.open(mode, encoding="utf-8", newline="\n" if mode == "w" else None)


def export(space: VectorSpace, path: str | Path, *, kind: str | None = None, force: bool = False) -> None:
    """Write a space in another program's format.

    >>> import tempfile
    >>> space = VectorSpace(["dog", "cat"], np.eye(2), frequencies=[2, 1], kind="dive")
    >>> place = Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> export(space, place)
    >>> print(place.read_text())
    2 2
    dog 1 0
    cat 0 1
    >>> read(place)["cat"]
    array([0., 1.], dtype=float32)
    """
    path = Path(path)
    kind = kind or format_of(path)
    if kind not in FORMATS:
        raise OptionError(f"no format {kind!r}", hint=f"use one of {', '.join(FORMATS)}")
    if kind == "word2vec" and any(not word or word.split() != [word] for word in space.words):
        raise OutputError("a word with a blank in it cannot be written as word2vec text", hint="use .json or .parquet")
    writers: dict[str, Callable[[VectorSpace, Path, str], None]] = {
        "word2vec": _write_word2vec,
        "gensim": _write_gensim,
        "json": _write_json,
        "parquet": _write_parquet,
    }
    with whole_file(path, force=force) as unfinished:
        writers[kind](space, unfinished, path.name)


def _rows(space: VectorSpace, step: int = 1024) -> Iterator[tuple[list[str], Any]]:
    for start in range(0, len(space), step):
        block = space.matrix[start : start + step]
        yield space.words[start : start + step], np.asarray(block.toarray() if space.is_sparse else block)


def _number(value: float) -> str:
    """The shortest spelling that gives the same 32-bit number back."""
    return "0" if value == 0 else np.format_float_positional(np.float32(value), unique=True, trim="-")


def _write_word2vec(space: VectorSpace, path: Path, name: str) -> None:
    with _open_text(path, name, "w") as file:
        file.write(f"{len(space)} {space.dimensions}\n")
        for words, block in _rows(space):
            for word, row in zip(words, block, strict=True):
                file.write(f"{word} {' '.join(map(_number, row))}\n")


def _write_json(space: VectorSpace, path: Path, name: str) -> None:
    with _open_text(path, name, "w") as file:
        file.write("{")
        first = True
        for words, block in _rows(space):
            for word, row in zip(words, block, strict=True):
                entries = ", ".join(f'"{i}": {_number(row[i])}' for i in np.flatnonzero(row))
                file.write(f"{'' if first else ','}\n{json.dumps(word, ensure_ascii=False)}: {{{entries}}}")
                first = False
        file.write("\n}\n")


def _write_parquet(space: VectorSpace, path: Path, name: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    vector = pa.list_(pa.float32(), space.dimensions)
    schema = pa.schema([("word", pa.string()), ("frequency", pa.int64()), ("vector", vector)])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        start = 0
        for words, block in _rows(space, 16_384):
            values = pa.array(np.ascontiguousarray(block, dtype=np.float32).ravel())
            vectors = pa.FixedSizeListArray.from_arrays(values, space.dimensions)
            frequencies = pa.array(space.frequencies[start : start + len(words)])
            writer.write_table(pa.table([pa.array(words), frequencies, vectors], schema=schema))
            start += len(words)


def _write_gensim(space: VectorSpace, path: Path, name: str) -> None:
    keyed = to_gensim(space)
    keyed.save(str(path), separately=[])


def to_gensim(space: VectorSpace) -> Any:
    """The space as gensim `KeyedVectors`, with the frequencies as `count`."""
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        raise MissingExtra("gensim vectors", "baselines") from None
    keyed = KeyedVectors(space.dimensions)
    dense = space.matrix.toarray() if space.is_sparse else np.array(space.matrix)
    keyed.add_vectors(space.words, dense)
    keyed.expandos["count"] = np.array(space.frequencies)
    return keyed


def from_gensim(keyed: Any, *, kind: str = "imported") -> VectorSpace:
    """A space from gensim `KeyedVectors`."""
    counts = keyed.expandos.get("count") if hasattr(keyed, "expandos") else None
    frequencies = np.ones(len(keyed.index_to_key), dtype=np.int64) if counts is None else counts
    return VectorSpace(list(keyed.index_to_key), keyed.vectors, frequencies=frequencies, kind=kind)


# ---- reading ------------------------------------------------------------------------------------------------


def read(path: str | Path, *, kind: str | None = None) -> VectorSpace:
    """Read vectors; formats without frequencies count every word once."""
    path = Path(path)
    kind = kind or format_of(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if kind == "gensim":
        raise InputError(
            f"{path}: gensim's files are pickles, and reading one can run any program",
            hint="in Python: hyperdive.spaces.formats.from_gensim(KeyedVectors.load(...)), or save word2vec text",
        )
    readers: dict[str, Callable[[Path], VectorSpace]] = {
        "word2vec": _read_word2vec,
        "json": _read_json,
        "parquet": _read_parquet,
    }
    if kind not in readers:
        raise OptionError(f"no format {kind!r}", hint=f"use one of {', '.join(FORMATS)}")
    try:
        return readers[kind](path)
    except InputError as error:
        raise error if str(path) in error.what else InputError(f"{path}: {error.what}", hint=error.hint) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: truncated or damaged gzip data ({error})") from None


def _space(path: Path, words: list[str], matrix: Any, frequencies: Any = None) -> VectorSpace:
    if not words:
        raise InputError(f"{path}: no vectors in it")
    for word in words:
        if not word or any(c in word for c in "\n\r\x00") or not word.isprintable():
            raise InputError(f"{path}: {word!r} is not a word: it is empty or holds what cannot be printed")
    values = matrix.data if sparse.issparse(matrix) else matrix
    if not np.isfinite(values).all():
        row = -1 if sparse.issparse(matrix) else int(np.argmax(~np.isfinite(matrix).all(axis=1)))
        raise InputError(f"{path}: the vector of {words[row]!r} holds a value that is not a number")
    counts = np.ones(len(words), dtype=np.int64) if frequencies is None else np.asarray(frequencies)
    if counts.dtype.kind not in "iu" or (counts < 0).any():
        raise InputError(f"{path}: the frequencies must be whole numbers, 0 or more")
    return VectorSpace(words, matrix, frequencies=counts, kind="imported")


def _read_word2vec(path: Path) -> VectorSpace:
    file: IO[str]
    with _open_text(path, path.name, "r") as file:
        first = file.readline().split()
        if len(first) != 2 or not all(part.isdigit() for part in first):
            raise InputError(f"{path}: the first line must be the number of words and of dimensions")
        promised, dimensions = int(first[0]), int(first[1])
        if not 1 <= dimensions <= MAX_DIMENSIONS:
            raise InputError(f"{path}: {dimensions} dimensions are not plausible")
        words: list[str] = []
        seen: set[str] = set()
        rows: list[Any] = []
        for number, line in enumerate(file, start=2):
            word, *values = line.rstrip("\n").rstrip(" ").split(" ")
            if len(words) == promised:
                raise InputError(f"{path}: the first line announces {promised} words, but there are more")
            if len(values) != dimensions:
                raise InputError(f"{path}: line {number} has {len(values)} values instead of {dimensions}")
            if word in seen:
                raise InputError(f"{path}: line {number} gives {word!r} a second time")
            try:
                with np.errstate(over="ignore"):
                    rows.append(np.array(values, dtype=np.float64).astype(np.float32))
            except ValueError:
                raise InputError(f"{path}: line {number} holds a value that is not a number") from None
            seen.add(word)
            words.append(word)
    if len(words) != promised:
        raise InputError(f"{path}: the first line announces {promised} words, but there are {len(words)}")
    return _space(path, words, np.array(rows, dtype=np.float32).reshape(len(words), dimensions))


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} occurs twice")
    return values


def _read_json(path: Path) -> VectorSpace:
    with _open_text(path, path.name, "r") as file:
        try:
            content = json.load(file, object_pairs_hook=_no_duplicates)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: not valid JSON ({error})") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: must be an object {{word: {{dimension: value}}}}")
    indptr, indices, data = [0], [], []
    for word, entries in content.items():
        if not isinstance(entries, dict):
            raise InputError(f"{path}: the entry of {word!r} is not an object {{dimension: value}}")
        for name, value in sorted(entries.items(), key=lambda entry: (len(entry[0]), entry[0])):
            if not (name.isascii() and name.isdecimal()) or len(name) > 7 or str(int(name)) != name:
                raise InputError(f"{path}: {word!r} has a dimension called {name!r}")
            if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < MAX_VALUE:
                raise InputError(f"{path}: {word!r} has a value that is not a number")
            indices.append(int(name))
            data.append(float(value))
        indptr.append(len(indices))
    dimensions = max(indices, default=-1) + 1
    if not dimensions:
        raise InputError(f"{path}: no vectors in it")
    matrix = sparse.csr_array(
        (np.array(data, dtype=np.float32), np.array(indices, dtype=np.int32), np.array(indptr)),
        shape=(len(content), dimensions),
    )
    return _space(path, list(content), matrix)


def _read_parquet(path: Path) -> VectorSpace:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path, read_dictionary=["word"])
        if unfolds(file, path.stat().st_size):
            raise ValueError("it would unfold to many times its size")
        table = file.read()
        words = [str(word or "") for word in table.column("word").to_pylist()]
        vectors = table.column("vector").combine_chunks()
        values = np.asarray(vectors.flatten(), dtype=np.float32)
        lengths = set(vectors.value_lengths().unique().to_pylist())
        frequencies = table.column("frequency").to_numpy() if "frequency" in table.column_names else None
    except (pa.ArrowException, OSError, KeyError, AttributeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{path}: not a Parquet file with columns word and vector ({reason})") from None
    if not words:
        raise InputError(f"{path}: no vectors in it")
    if len(lengths) != 1:
        raise InputError(f"{path}: the vectors have different lengths")
    if len(set(words)) != len(words):
        raise InputError(f"{path}: a word occurs twice")
    return _space(path, words, values.reshape(len(words), -1), frequencies)
