"""Documents out of sources: blocks of UTF-8 bytes with the ends of documents; no cut depends on the block size."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive.errors import InputError, OptionError
from hyperdive.text.sources import ByteStream, DocumentSource, TextSource, open_source

BLOCK_BYTES = 1 << 20
# A longer document is cut into pieces of at most this many bytes, at a blank. The cut depends on the document alone.
PIECE_BYTES = 16 << 20
LONGEST_LINE = 128 << 20
"""Bytes of the longest JSON line that is read: a whole line has to be in memory to be understood."""
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class DocumentLayout:
    """Where documents and their text are in a file."""

    document: str = "line"
    """`line`: one document per line; `file`: one per file."""
    field: str = "text"
    """The field of a JSON line that holds the text; `a.b` looks inside `a`."""
    column: str = "text"
    """The column of a CSV, TSV or Parquet file that holds the text."""

    def __post_init__(self) -> None:
        if self.document not in ("line", "file"):
            raise OptionError(f"document is {self.document!r}", hint="use line or file")


@dataclass(frozen=True)
class TextBlock:
    """Some documents of one source."""

    data: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]
    """Where each document (or piece of a long one) ends in `data`."""
    continued: npt.NDArray[np.bool_]
    """Whether a piece continues the document before it."""
    unfinished: npt.NDArray[np.bool_]
    """Whether the next piece continues the document."""
    source: TextSource
    offset: int
    """Where `data` starts in the text of the source."""
    position: int
    """How far the (compressed) file had been read."""
    without_text: int = 0
    """Rows of a table before or in the block whose text is null."""

    def first(self, documents: int) -> TextBlock:
        """The block cut after some of its pieces."""
        end, some = int(self.ends[documents - 1]), slice(documents)
        return replace(
            self,
            data=self.data[:end],
            ends=self.ends[some],
            continued=self.continued[some],
            unfinished=self.unfinished[some],
            without_text=0,
        )


def read_blocks(source: TextSource, layout: DocumentLayout, block_bytes: int = BLOCK_BYTES) -> Iterator[TextBlock]:
    """All documents of a source in order.

    Args:
        source: the file.
        layout: where documents and their text are in the file.
        block_bytes: the approximate size of a block; it does not change the documents.

    The format follows from the suffix: `.jsonl`/`.ndjson`, `.csv`, `.tsv`, `.parquet` (also compressed), else text.
    """
    if isinstance(source, DocumentSource):
        # blocks may go to another process, so they do not hold the documents to come
        yield from _pack(map(_escaped, source.documents), TextSource(source.path), None, block_bytes)
        return
    if source.format == "parquet":
        yield from _pack(_parquet(source, layout), source, None, block_bytes)
        return
    with open_source(source) as stream:
        if source.format == "jsonl":
            yield from _pack(_json_lines(stream, layout), source, stream, block_bytes)
        elif source.format in ("csv", "tsv"):
            yield from _pack(_csv(stream, layout), source, stream, block_bytes)
        elif layout.document == "file":
            yield from _one_document(stream, block_bytes)
        else:
            yield from _lines(stream, block_bytes)


def _cut(document: bytes | memoryview) -> int:
    """Where a piece of a long document ends: after its last blank, else between two characters."""
    window = bytes(document[:PIECE_BYTES])
    at = max(window.rfind(b" "), window.rfind(b"\t"), window.rfind(b"\n"))
    if at > 0:
        return at + 1
    at = PIECE_BYTES
    while at > PIECE_BYTES - 4 and (window[at - 1] & 0xC0) == 0x80:
        at -= 1
    if window[at - 1] >= 0xC0:
        at -= 1
    return at


def _block(
    data: bytes,
    ends: npt.NDArray[np.int64],
    going_on: bool,
    origin: ByteStream | TextSource,
    offset: int,
    *,
    unfinished: bool = False,
) -> TextBlock:
    """A block with its long documents cut into pieces; `going_on`: the first continues the block before.

    `unfinished`: the last one goes on in the next block.
    """
    continued = np.zeros(len(ends), dtype=np.bool_)
    if going_on:
        continued[0] = True
    if len(data) > PIECE_BYTES and int(np.diff(ends, prepend=0).max()) > PIECE_BYTES:
        cuts, flags, start = [], [], 0
        view = memoryview(data)
        for end, flag in zip(ends.tolist(), continued.tolist(), strict=True):
            while end - start > PIECE_BYTES:
                start += _cut(view[start:end])
                cuts.append(start)
                flags.append(flag)
                flag = True
            cuts.append(end)
            flags.append(flag)
            start = end
        ends, continued = np.array(cuts, dtype=np.int64), np.array(flags, dtype=np.bool_)
    follows = np.append(continued[1:], unfinished)
    # how far a library has read a file is not known
    source, position = (origin, 0) if isinstance(origin, TextSource) else (origin.source, origin.position())
    return TextBlock(np.frombuffer(data, dtype=np.uint8), ends, continued, follows, source, offset, position)


def _lines(stream: ByteStream, block_bytes: int) -> Iterator[TextBlock]:
    # a part of a file has the blocks that the whole file has there
    pending, offset, going_on = b"", stream.source.start, False
    wanted = block_bytes + -offset % block_bytes
    first = offset == 0
    while True:
        # a byte-order mark must not be split between blocks
        wanted = max(wanted, len(BOM)) if first else wanted
        chunk = stream.read(wanted)
        last = len(chunk) < wanted
        wanted = block_bytes
        if first and chunk.startswith(BOM):
            chunk, offset = chunk[len(BOM) :], len(BOM)
        first = False
        pending = pending + chunk if pending else chunk
        cut = len(pending) if last else pending.rfind(b"\n") + 1
        if cut:
            data, pending = pending[:cut], pending[cut:]
            ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10).astype(np.int64, copy=False)
            ends += 1  # in place: of nothing but empty lines, they are eight times as large as the text
            if not len(ends) or ends[-1] != len(data):
                ends = np.append(ends, np.int64(len(data)))
            yield _block(data, ends, going_on, stream, offset)
            del data, ends  # before the next block is read
            offset += cut
            going_on = False
        elif len(pending) > PIECE_BYTES:
            cut = _cut(pending)
            data, pending = pending[:cut], pending[cut:]
            yield _block(data, np.array([cut], dtype=np.int64), going_on, stream, offset, unfinished=True)
            offset += cut
            going_on = True
        if last:
            return


def _one_document(stream: ByteStream, block_bytes: int) -> Iterator[TextBlock]:
    pending, offset, going_on = b"", 0, False
    while True:
        chunk = stream.read(max(block_bytes, PIECE_BYTES))
        last = len(chunk) < max(block_bytes, PIECE_BYTES)
        if not offset and not going_on and not pending and chunk.startswith(BOM):
            chunk, offset = chunk[3:], 3
        pending += chunk
        while len(pending) > PIECE_BYTES or (last and pending):
            cut = _cut(pending) if len(pending) > PIECE_BYTES else len(pending)
            data, pending = pending[:cut], pending[cut:]
            more = bool(pending) or not last
            yield _block(data, np.array([cut], dtype=np.int64), going_on, stream, offset, unfinished=more)
            offset += cut
            going_on = True
        if last:
            return


def _pack(
    texts: Iterable[bytes | None], source: TextSource, stream: ByteStream | None, block_bytes: int
) -> Iterator[TextBlock]:
    """Blocks from documents that come one by one; rows without text are counted in the block after them."""
    parts: list[bytes] = []
    ends: list[int] = []
    size = offset = without_text = 0
    origin = stream or source
    ready: TextBlock | None = None
    for text in texts:
        if text is None:
            without_text += 1
            continue
        parts += (text, b"\n")
        size += len(text) + 1
        ends.append(size)
        if size >= block_bytes:
            if ready is not None:
                yield ready
            block = _block(b"".join(parts), np.array(ends, dtype=np.int64), False, origin, offset)
            ready = replace(block, without_text=without_text)
            offset += size
            parts, ends, size, without_text = [], [], 0, 0
    if ends:
        if ready is not None:
            yield ready
        ready = _block(b"".join(parts), np.array(ends, dtype=np.int64), False, origin, offset)
    if ready is not None:  # rows at the end belong to the last block
        yield replace(ready, without_text=ready.without_text + without_text)


def _json_lines(stream: ByteStream, layout: DocumentLayout) -> Iterator[bytes | None]:
    path = stream.source.path
    names = layout.field.split(".")
    number = 0
    for line in _raw_lines(stream):
        number += 1
        if not line.strip():
            continue
        try:
            # bytes that are not UTF-8 are passed through; the tokeniser counts them
            value: Any = json.loads(line.decode("utf-8", errors="surrogateescape"))
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deep"
            raise InputError(f"{path}: line {number} is not valid JSON ({reason})") from None
        for name in names:
            if not isinstance(value, dict) or name not in value:
                held = ", ".join(list(value)[:8]) if isinstance(value, dict) else type(value).__name__
                raise InputError(
                    f"{path}: line {number} has no field {layout.field!r} (it has: {held})",
                    hint="name the field that holds the text with --set field=NAME",
                )
            value = value[name]
        if value is None:
            yield None
            continue
        if not isinstance(value, str):
            raise InputError(
                f"{path}: line {number}: field {layout.field!r} is not text", hint="choose another --field"
            )
        yield _escaped(value)


def _escaped(text: str) -> bytes:
    """UTF-8, with what is no character as the invalid bytes it was or stands for."""
    try:
        return text.encode("utf-8", errors="surrogateescape")
    except UnicodeEncodeError:  # half a pair, written as an escape
        return text.encode("utf-8", errors="surrogatepass")


def _raw_lines(stream: ByteStream) -> Iterator[bytes]:
    """Lines of any length up to a limit; the pieces of a long one are joined once."""
    pending: list[bytes] = []
    size = number = 0
    first = True
    for chunk in stream.chunks(1 << 20):
        if first:
            chunk, first = chunk.removeprefix(BOM), False
        head, *lines = chunk.split(b"\n")
        pending.append(head)
        size += len(head)
        if size > LONGEST_LINE:
            raise InputError(
                f"{stream.source.path}: line {number + 1} is longer than {LONGEST_LINE >> 20} MB",
                hint="write one document a line, or give the text as plain text",
            )
        if lines:
            number += len(lines)
            yield b"".join(pending)
            yield from lines[:-1]
            pending, size = [lines[-1]], len(lines[-1])
    if size:
        yield b"".join(pending)


class _ReadableFile(io.RawIOBase):
    """A `ByteStream` as the file object that pyarrow wants."""

    def __init__(self, stream: ByteStream) -> None:
        self._bytes = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return b"".join(self._bytes.chunks(1 << 20)) if size < 0 else self._bytes.read(size)


def _csv(stream: ByteStream, layout: DocumentLayout) -> Iterator[bytes | None]:
    import pyarrow as pa
    from pyarrow import csv

    path = stream.source.path
    try:
        reader = csv.open_csv(
            _ReadableFile(stream),
            read_options=csv.ReadOptions(block_size=8 << 20),
            # TSV files have no quoting
            parse_options=csv.ParseOptions(delimiter="\t", quote_char=False)
            if stream.source.format == "tsv"
            else csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                include_columns=[layout.column], column_types={layout.column: pa.binary()}
            ),
        )
        for batch in reader:
            yield from _column(batch.column(0))
    except (pa.ArrowInvalid, pa.ArrowKeyError, KeyError) as error:
        if "not found" in str(error) or "not exist" in str(error) or isinstance(error, KeyError):
            raise InputError(
                f"{path}: no column {layout.column!r}", hint="name the text's column with --set column=NAME"
            ) from None
        raise InputError(f"{path}: not valid {stream.source.format.upper()} ({error})") from None


def _parquet(source: TextSource, layout: DocumentLayout) -> Iterator[bytes | None]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(source.path)
        if layout.column in file.schema_arrow.names:  # texts that repeat stay folded
            file = parquet.ParquetFile(source.path, read_dictionary=[layout.column])
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{source.path}: not a readable Parquet file ({error})") from None
    if layout.column not in file.schema_arrow.names:
        held = ", ".join(file.schema_arrow.names[:8])
        raise InputError(
            f"{source.path}: no column {layout.column!r} (it has: {held})",
            hint="name the text's column with --set column=NAME",
        )
    kind = file.schema_arrow.field(layout.column).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        raise InputError(f"{source.path}: column {layout.column!r} is {kind}, not text", hint="choose another --column")
    try:
        for batch in file.iter_batches(batch_size=1024, columns=[layout.column]):
            yield from _column(batch.column(0))
    except (pa.ArrowException, OSError, IndexError, ValueError) as error:
        if isinstance(error, MemoryError):
            raise
        raise InputError(f"{source.path}: damaged Parquet data ({error})") from None


def _column(column: Any) -> Iterator[bytes | None]:
    """Texts one by one; a dictionary is not unfolded: a text that is there a thousand times is in memory once."""
    import pyarrow as pa

    if isinstance(column, pa.DictionaryArray):
        texts = [value.as_py() for value in column.dictionary.cast("binary")]
        for index in column.indices.to_pylist():
            yield None if index is None else texts[index]
        return
    for value in column.cast("binary"):
        yield value.as_py()
