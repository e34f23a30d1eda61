"""The original text inside a corpus folder: a Parquet table with a row per sentence, for access to single sentences."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import parquet

from hyperdive._checks import MOST_UNFOLDED, UNFOLDED_BYTES, are_below
from hyperdive._store import Artifact, ArtifactWriter, FileWriter, drop_files, read_header
from hyperdive._types import Ints
from hyperdive.errors import FormatError

TEXT, ROWS = "text.parquet", "sentence_rows.npy"
TEXT_FILES = (TEXT, ROWS)
KEEP_BELOW = 1 << 30
"""Above this much raw text `encode` does not keep the text unless told to (`--keep-text`)."""
GROUP_ROWS, GROUP_BYTES = 4096, 1 << 20
"""A row group ends after so many sentences, or after the sentence with which it has so much text."""
_SCHEMA = pa.schema([("text", pa.large_binary())])


class ParquetFile:
    """A Parquet file of an artefact, written table by table, each a row group; its bytes depend on these alone."""

    closed = False

    def __init__(self, writer: ArtifactWriter, name: str, schema: Any) -> None:
        self._file: FileWriter = writer.stream(name)
        self._tables = parquet.ParquetWriter(
            self, schema, compression="zstd", compression_level=3, use_dictionary=False, write_statistics=False
        )

    def append(self, table: Any) -> None:
        """Write a row group."""
        self._tables.write_table(table, row_group_size=max(len(table), 1))

    def finish(self) -> None:
        """Write the end of the file."""
        self._tables.close()

    # ---- the file object that the Parquet library writes to ----------------------------------------------------

    def write(self, data: Any) -> int:
        self._file.append(bytes(data))
        return len(data)

    def tell(self) -> int:
        return self._file.bytes

    def flush(self) -> None:
        """What is written is hashed and on its way already."""

    def close(self) -> None:
        """The artefact closes its files."""


class TextKeeper:
    """Writes the sentences of a text while it is read; row groups do not depend on the pieces they come in."""

    def __init__(self, writer: ArtifactWriter) -> None:
        self._writer = writer
        self._file = ParquetFile(writer, TEXT, _SCHEMA)
        self._pending: Any = pa.array([], type=pa.large_binary())

    def append(self, text: npt.NDArray[np.uint8], lengths: Ints) -> None:
        """Add sentences of these lengths, one behind the other."""
        ends = np.append(0, np.cumsum(lengths)).astype(np.int64)
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(text))]
        # damaged UTF-8 of the input is kept as it came: the column holds bytes
        sentences = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(lengths), buffers)
        rows = pa.concat_arrays([self._pending, sentences])
        ends = np.frombuffer(rows.buffers()[1], dtype=np.int64)[rows.offset :][: len(rows) + 1]
        start = 0
        while True:
            full = int(np.searchsorted(ends, ends[start] + GROUP_BYTES))
            end = min(start + GROUP_ROWS, full)
            if end > len(rows):
                break
            self._file.append(pa.table([rows[start:end]], schema=_SCHEMA))
            start = end
        self._pending = rows[start:]

    def close(self) -> None:
        """Write what is left."""
        if len(self._pending):
            self._file.append(pa.table([self._pending], schema=_SCHEMA))
        self._file.finish()

    def discard(self) -> None:
        """Give the text up."""
        self._writer.discard(TEXT)


class KeptText:
    """Read access to the kept text by sentence."""

    def __init__(self, artifact: Artifact, sentences: int) -> None:
        self._path = artifact.path
        path = artifact.file(TEXT)
        try:
            self._file = parquet.ParquetFile(path)
            about = self._file.metadata
            groups = [about.row_group(number) for number in range(about.num_row_groups)]
            self._starts = np.cumsum([0, *(group.num_rows for group in groups)])
            size = sum(group.total_byte_size for group in groups)
        except (pa.ArrowException, OSError, ValueError):
            raise self._damaged() from None
        self._rows: Ints | None = artifact.array(ROWS, "int64") if ROWS in artifact else None
        fits = self._file.schema_arrow.equals(_SCHEMA) and all(0 <= group.num_rows <= GROUP_ROWS for group in groups)
        fits = fits and 0 <= size <= MOST_UNFOLDED * path.stat().st_size + UNFOLDED_BYTES
        if self._rows is None:
            fits = fits and sentences <= int(self._starts[-1])
        else:
            fits = fits and len(self._rows) == sentences and are_below(self._rows, int(self._starts[-1]))
        if not fits:
            raise FormatError(f"{self._path}: the kept text does not fit its sentences", hint="create it again")
        self._group = lru_cache(maxsize=8)(self._read_group)

    def _damaged(self) -> FormatError:
        return FormatError(f"{self._path}: {TEXT} is damaged", hint="create it again")

    def _read_group(self, number: int) -> Any:
        try:
            # a reader refuses damaged descriptions of columns; asked for them directly, the library ends the process
            next(self._file.iter_batches(batch_size=1, row_groups=[number], use_threads=False), None)
            if "DICTIONARY" in "".join(self._file.metadata.row_group(number).column(0).encodings):
                raise ValueError("one text may stand for thousands")
            rows = self._file.read_row_group(number, use_threads=False).column(0)
        except (pa.ArrowException, OSError, ValueError, IndexError):
            raise self._damaged() from None
        if len(rows) != self._starts[number + 1] - self._starts[number] or rows.null_count:
            raise self._damaged()
        return rows

    def sentence(self, number: int) -> str:
        """One sentence as in the input, white space normalised."""
        row = number if self._rows is None else int(self._rows[number])
        group = int(np.searchsorted(self._starts, row, side="right")) - 1
        text: bytes = self._group(group)[row - int(self._starts[group])].as_py()
        return " ".join(text.decode("utf-8", errors="replace").split())


def drop_text(path: str | Path) -> int:
    """Remove the original text from a corpus folder and return how many bytes that freed."""
    about = read_header(Path(path), "hyperdive-corpus", made_with="hyperdive encode TEXT -o CORPUS")
    return drop_files(Path(path), about, TEXT_FILES, {"keep_text": False})
