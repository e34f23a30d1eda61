"""Files of pairs, read, scored and written in blocks: tab or comma separated values, or JSON lines.

Pairs with unknown words are marked, never dropped.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive.errors import InputError
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.registry import Score
from hyperdive.scores.source import Source
from hyperdive.scores.stated import SILENCE, is_silent
from hyperdive.scores.terms import terms_of

BLOCK_BYTES = 8 << 20
UNKNOWN, SILENT_ON = "unknown", "silent"
_EXAMPLES = 5
_LINES = 50_000
_UNEVEN = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)  # as the library tells it
_FORMULA = r"^([=@\t\r]|[+\-][^0-9.])"
_SHAPE = "each line is hyponym<TAB>hypernym, with more columns if you like; or CSV, or JSON lines"
HYPONYM_NAMES = ("hyponym", "q", "x", "word1", "term1", "narrower", "child", "source", "subject")
HYPERNYM_NAMES = ("hypernym", "p", "y", "word2", "term2", "broader", "parent", "target", "object")
_EXTENSIONS = {".tsv": "tsv", ".txt": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}


class PairFormat(StrEnum):
    """How a file of pairs is written."""

    tsv = "tsv"
    csv = "csv"
    jsonl = "jsonl"

    @property
    def delimiter(self) -> str:
        return "," if self is PairFormat.csv else "\t"


@dataclass
class PairFile:
    """A file of pairs opened for reading: iterate over its blocks, which are `pyarrow.Table`s of strings.

    The first two columns are the hyponym and the hypernym. JSON lines have further fields in the column `rest`.
    """

    name: str
    format: PairFormat
    columns: list[str]
    header: bool
    _file: IO[bytes] = field(repr=False)
    _block_bytes: int = BLOCK_BYTES

    def line(self, row: int) -> int:
        """The line of the file (from 1) on which a row (from 0) stands; blank lines are no rows."""
        wanted = row + self.header
        try:
            with Path(self.name).open("rb") as file:
                filled = (number for number, text in enumerate(file, start=1) if text.strip(b"\r\n\xef\xbb\xbf"))
                return next(islice(filled, wanted, None), wanted + 1)
        except OSError:  # standard input cannot be read again
            return wanted + 1

    def __iter__(self) -> Iterator[Any]:
        with self._file:
            yield from self._json_blocks() if self.format is PairFormat.jsonl else self._csv_blocks()

    def _csv_blocks(self) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv

        try:
            reader = csv.open_csv(
                self._file,
                read_options=csv.ReadOptions(
                    use_threads=False,
                    block_size=self._block_bytes,
                    column_names=self.columns,
                    skip_rows=int(self.header),
                ),
                parse_options=csv.ParseOptions(delimiter=self.format.delimiter),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(self.columns, pa.string()), strings_can_be_null=False
                ),
            )
            for batch in reader:
                yield pa.Table.from_batches([batch])
        except pa.ArrowInvalid as error:
            text = str(error)
            # a handler of such rows would print a trace where they are not UTF-8
            if row := _UNEVEN.search(text):
                where = f"line {self.line(int(row[1]) - 1 - self.header)}"
                raise InputError(
                    f"{self.name}: {where} has {row[3]} columns, the first line has {row[2]}: {row[4][:60]!r}",
                    hint=_SHAPE,
                ) from None
            if "UTF8" in text or "UTF-8" in text:
                raise InputError(f"{self.name}: not UTF-8 text", hint="save the file as UTF-8") from None
            if "mpty" in text:
                raise InputError(f"{self.name}: no pairs in it", hint=_SHAPE) from None
            raise InputError(f"{self.name}: {text}", hint=_SHAPE) from None

    def _json_blocks(self) -> Iterator[Any]:
        import pyarrow as pa

        text = io.TextIOWrapper(self._file, encoding="utf-8-sig")
        rows: list[tuple[str, str, str]] = []
        number = 0
        try:
            for number, line in enumerate(text, start=1):
                if line.strip():
                    rows.append(_json_pair(line, self.name, number))
                if len(rows) == _LINES:
                    yield pa.table(dict(zip(self.columns, zip(*rows, strict=True), strict=True)))
                    rows = []
        except UnicodeDecodeError:
            raise InputError(
                f"{self.name}: line {number + 1} is not UTF-8 text", hint="save the file as UTF-8"
            ) from None
        if rows:
            yield pa.table(dict(zip(self.columns, zip(*rows, strict=True), strict=True)))


def _json_pair(line: str, name: str, number: int) -> tuple[str, str, str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{name}: line {number} is not JSON: {line[:60]!r}", hint=_SHAPE) from None
    pair: list[Any] = []
    rest: dict[str, Any] = {}
    if isinstance(value, dict):
        lower = {str(key).lower(): key for key in value}
        for names in (HYPONYM_NAMES, HYPERNYM_NAMES):
            key = next((lower[name] for name in names if name in lower), None)
            if key is not None:
                pair.append(value.pop(key))
        rest = value
    elif isinstance(value, list):
        pair = value[:2]
        rest = {"label": value[2]} if len(value) > 2 else {}
    if len(pair) != 2 or not all(isinstance(word, str) for word in pair):
        raise InputError(
            f"{name}: line {number} does not name two words: {line.strip()[:60]!r}",
            hint='use {"hyponym": "dog", "hypernym": "animal"} or ["dog", "animal"]',
        )
    return pair[0], pair[1], json.dumps(rest, ensure_ascii=False) if rest else ""


def open_pairs(path: str | Path, format: str | None = None, *, block_bytes: int = BLOCK_BYTES) -> PairFile:
    """Open a file of pairs (`-` is standard input); the format shows in its name or its first line.

    A first line with column names (such as `hyponym` or `word1` in its first column) is a header.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "mine.csv"
    >>> _ = place.write_text('word1,word2\\n"dog, large",animal\\n')
    >>> [block.to_pylist() for block in open_pairs(place)]
    [[{'word1': 'dog, large', 'word2': 'animal'}]]
    """
    name = "standard input" if str(path) == "-" else str(path)
    if str(path) == "-" and (sys.stdin is None or sys.stdin.closed):
        raise InputError("there is no standard input here", hint="name a file instead of -")
    try:
        file: Any = sys.stdin.buffer if str(path) == "-" else Path(path).open("rb")  # noqa: SIM115 – read and closed by PairFile
        start: bytes = file.peek(65536)[:65536]
    except IsADirectoryError:
        raise InputError(f"{name}: a folder, not a file of pairs", hint=_SHAPE) from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})", hint="check the path") from None
    if b"\0" in start:
        raise InputError(f"{name}: not a text file, or not UTF-8", hint="save the file as UTF-8")
    first = start.decode("utf-8-sig", errors="replace").lstrip("\r\n").splitlines()
    line = first[0] if first else ""
    if not line.strip():
        raise InputError(f"{name}: no pairs in it", hint=_SHAPE)
    kind = PairFormat(format or _EXTENSIONS.get(Path(path).suffix.lower()) or _guess(line))
    if kind is PairFormat.jsonl:
        return PairFile(name, kind, ["hyponym", "hypernym", "rest"], False, file, block_bytes)
    fields = _split(line, kind)
    if len(fields) < 2:
        other = PairFormat.csv if kind is PairFormat.tsv else PairFormat.tsv
        hint = f"add --set input_format={other}" if len(_split(line, other)) > 1 else _SHAPE
        raise InputError(f"{name}: line 1 has one column: {line[:60]!r}", hint=hint)
    header = fields[0].strip().lower() in HYPONYM_NAMES and fields[1].strip().lower() in HYPERNYM_NAMES
    columns = _distinct(fields) if header else ["hyponym", "hypernym", "label", "relation"][: len(fields)]
    columns += [f"column{number}" for number in range(len(columns) + 1, len(fields) + 1)]
    return PairFile(name, kind, columns, header, file, block_bytes)


def _split(line: str, kind: PairFormat) -> list[str]:
    import csv

    return next(csv.reader([line], delimiter=kind.delimiter), [])


def _guess(line: str) -> str:
    if line.lstrip()[:1] in ("{", "["):
        return "jsonl"
    return "tsv" if "\t" in line or "," not in line else "csv"


def _distinct(names: Sequence[str]) -> list[str]:
    taken: list[str] = []
    for number, name in enumerate(names, start=1):
        name = name.strip() or f"column{number}"
        taken.append(name if name not in taken else f"{name}.{number}")
    return taken


class PairWriter:
    """Write blocks of pairs with further columns, each to standard output or a file, in one of the three formats."""

    def __init__(self, out: IO[bytes], format: PairFormat) -> None:
        self._out, self._format, self._has_header = out, format, format is PairFormat.jsonl

    def write(self, table: Any) -> None:
        """Write one block; a null is an empty cell, or a null in JSON."""
        if not self._has_header:
            import csv

            text = io.StringIO()
            csv.writer(text, delimiter=self._format.delimiter, lineterminator="\n").writerow(table.column_names)
            self._out.write(text.getvalue().encode("utf-8"))
            self._has_header = True
        if self._format is PairFormat.jsonl:
            self._write_json(table)
        else:
            self._write_separated(table)

    def _write_separated(self, table: Any) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if table.num_rows == 0:
            return
        cells = []
        for column in table.combine_chunks().columns:
            text = pc.fill_null(column if pa.types.is_string(column.type) else pc.cast(column, pa.string()), "")
            if pa.types.is_string(column.type):
                if self._format is PairFormat.csv:  # a spreadsheet would run it
                    text = pc.replace_substring_regex(text, _FORMULA, r"'\1")
                special = pc.match_substring_regex(text, f'["\\r\\n{self._format.delimiter}]')
                if pc.any(special).as_py():
                    doubled = pc.replace_substring(text, '"', '""')
                    text = pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), text)
            cells.append(text)
        lines = pc.binary_join_element_wise(*cells, self._format.delimiter)
        lines = pc.binary_join_element_wise(lines, "\n", "")
        for chunk in lines.chunks if isinstance(lines, pa.ChunkedArray) else [lines]:
            offsets = memoryview(chunk.buffers()[1]).cast("i")
            data = memoryview(chunk.buffers()[2])
            self._out.write(data[offsets[chunk.offset] : offsets[chunk.offset + len(chunk)]])

    def _write_json(self, table: Any) -> None:
        columns = [table.column(name).to_pylist() for name in table.column_names]
        lines = []
        for values in zip(*columns, strict=True):
            row = dict(zip(table.column_names, values, strict=True))
            rest = row.pop("rest", "")
            if rest:
                own = json.loads(rest)
                row = {"hyponym": row.pop("hyponym"), "hypernym": row.pop("hypernym"), **own, **row}
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
        self._out.write("".join(lines).encode("utf-8"))


@dataclass
class Summary:
    """What came out: pairs read, pairs with an unknown word, and a few of those words."""

    pairs: int = 0
    unknown: int = 0
    examples: list[str] = field(default_factory=list)


def score_stream(
    source: Source,
    pairs: PairFile,
    scores: Sequence[Score],
    writer: PairWriter,
    *,
    lemmas: bool = True,
    progress: Progress = SILENT,
) -> Summary:
    """Write every pair with a column for each score and the column `unknown`, which names words without a vector.

    Where scores from patterns are among them, the column `silent` names those that have nothing to go by.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    summary = Summary()
    stating = [score.name for score in scores if score.name.partition(":")[0] in SILENCE]
    with progress.stage("scoring", unit="pairs") as bar:
        for block in pairs:
            hyponyms, hypernyms = block.column(0).combine_chunks(), block.column(1).combine_chunks()
            both = pa.concat_arrays([_array(hyponyms), _array(hypernyms)])
            coded = pc.dictionary_encode(both)
            names = coded.dictionary.to_pylist()
            codes = coded.indices.to_numpy().astype(np.int64)
            q, p = codes[: block.num_rows], codes[block.num_rows :]
            terms = terms_of(source, names, lemmas=lemmas)
            known = terms.found[q] & terms.found[p]
            chosen = terms.pairs(q[known], p[known], places=summary.pairs + np.flatnonzero(known))
            table = block
            for score in scores:
                values = np.zeros(block.num_rows)
                values[known] = score(chosen)
                table = table.append_column(score.name, pa.array(values, mask=~known))
            if stating:
                table = table.append_column(SILENT_ON, _silence(stating, chosen, known))
            in_space = terms.found[: len(names)]  # heads of phrases may come after them
            table = table.append_column(UNKNOWN, _unknown_words(coded.dictionary, in_space, q, p, known))
            writer.write(table)
            summary.pairs += block.num_rows
            summary.unknown += int((~known).sum())
            for number in np.flatnonzero(~in_space)[: _EXAMPLES - len(summary.examples)]:
                summary.examples.append(names[number])
            bar.advance(block.num_rows)
    return summary


def _array(column: Any) -> Any:
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _silence(names: Sequence[str], pairs: Pairs, known: Any) -> Any:
    """The names of the scores that are silent on each pair, joined by commas."""
    import pyarrow as pa

    which = np.zeros(len(pairs), dtype=np.int64)
    for bit, name in enumerate(names):
        which |= is_silent(pairs, name).astype(np.int64) << bit
    distinct, inverse = np.unique(which, return_inverse=True)
    spelled = [", ".join(name for bit, name in enumerate(names) if int(one) >> bit & 1) for one in distinct]
    numbers = np.full(len(known), -1, dtype=np.int64)
    numbers[known] = inverse.ravel()
    return pa.array([*spelled, ""]).take(pa.array(np.where(numbers < 0, len(spelled), numbers)))


def _unknown_words(dictionary: Any, found: Any, q: Any, p: Any, known: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if known.all():
        return pa.repeat("", len(q))
    words = pc.if_else(pa.array(found), "", dictionary)
    left, right = words.take(pa.array(q)), words.take(pa.array(p))
    right = pc.if_else(pa.array(q == p), "", right)
    comma = pc.if_else(pa.array(~found[q] & ~found[p] & (q != p)), ", ", "")
    return pc.binary_join_element_wise(left, right, comma)
