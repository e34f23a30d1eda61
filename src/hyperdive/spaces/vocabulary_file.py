"""`vocabulary.parquet`: the names of a space or a model, a row each.

| column | content |
| --- | --- |
| `name` | the word or the normalised term, all different |
| `kind` | `word` or `term`; words come first |
| `frequency` | how often the text has it; 0 for a term whose vectors are composed |
| `spelling` | how to show it, where that differs from the name |
| `sum` | the sum of its vector in the main space |
| `pattern` | its number among the terms of the patterns, −1 for none; absent without patterns |
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._checks import are_finite, unfolds
from hyperdive._store import Artifact, ArtifactWriter
from hyperdive._types import Floats, Ints
from hyperdive.errors import FormatError
from hyperdive.text.abbreviations import Abbreviations
from hyperdive.text.vocabulary import NO_ABBREVIATIONS, Vocabulary

VOCABULARY = "vocabulary.parquet"
_KINDS = ["word", "term"]
_DAMAGED = "the folder is damaged; create it again"


@dataclass(frozen=True)
class VocabularyFile:
    """The content of the file: names, the sums of their vectors, and their numbers in the patterns."""

    vocabulary: Vocabulary
    sums: Floats
    pattern_numbers: Ints | None = None

    def write(self, writer: ArtifactWriter) -> None:
        """Add the file to a folder."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = self.vocabulary
        terms = len(table) - table.word_count
        shown = ((spelling, name) for spelling, name in zip(table.spellings, table.names, strict=True))
        columns: dict[str, Any] = {
            "name": pa.array(table.names, pa.string()),
            "kind": pa.array(["word"] * table.word_count + ["term"] * terms, pa.string()).dictionary_encode(),
            "frequency": pa.array(table.frequencies),
            "spelling": pa.array([None if spelling == name else spelling for spelling, name in shown], pa.string()),
            "sum": pa.array(np.asarray(self.sums, dtype=np.float64)),
        }
        if self.pattern_numbers is not None:
            columns["pattern"] = pa.array(self.pattern_numbers.astype(np.int32))
        data = io.BytesIO()
        pq.write_table(pa.table(columns), data, compression="zstd", use_dictionary=["kind"], store_schema=False)
        writer.put(VOCABULARY, data.getvalue())

    @classmethod
    def read(cls, artifact: Artifact, abbreviations: Abbreviations = NO_ABBREVIATIONS) -> VocabularyFile:
        """Return the content of the file in a folder; what does not fit together is an error."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = artifact.file(VOCABULARY)
        types = {
            "name": pa.string(),
            "kind": pa.dictionary(pa.int32(), pa.string()),
            "frequency": pa.int64(),
            "spelling": pa.string(),
            "sum": pa.float64(),
            "pattern": pa.int32(),
        }
        try:
            parquet = pq.ParquetFile(file, read_dictionary=["kind"])
            if unfolds(parquet, file.stat().st_size):
                raise ValueError("it would unfold to many times its size")
            schema = {field.name: field.type for field in parquet.schema_arrow}
            if schema not in (types, {name: types[name] for name in types if name != "pattern"}):
                raise ValueError("it has other columns")
            # one by one, which takes less memory
            columns = {name: parquet.read([name], use_threads=False)[name].combine_chunks() for name in schema}
            if any(column.null_count for name, column in columns.items() if name != "spelling"):
                raise ValueError("a value is missing")
            kind = np.array([_KINDS.index(one) for one in columns["kind"].dictionary.to_pylist()], dtype=np.int64)
            kind = kind[_values(columns["kind"].indices)]
            if (np.diff(kind) < 0).any():
                raise ValueError("words do not come first")
            words = int(np.count_nonzero(kind == 0))
            frequencies, sums = _values(columns["frequency"]), _values(columns["sum"])
            numbers = _values(columns["pattern"]) if "pattern" in columns else None
            least = int(frequencies.min(initial=0)), 0 if numbers is None else int(numbers.min(initial=0))
            if least[0] < 0 or least[1] < -1 or not are_finite(sums):
                raise ValueError("a value is out of its range")
            names = columns["name"].to_pylist()
        except (pa.ArrowException, LookupError, ValueError, TypeError, OSError) as error:
            raise FormatError(f"{artifact.path}: {VOCABULARY} cannot be read ({error})", hint=_DAMAGED) from None
        spellings = _Spellings(names, columns["spelling"])
        vocabulary = Vocabulary(names, frequencies, words=words, spellings=spellings, abbreviations=abbreviations)
        return cls(vocabulary, sums, numbers)


def _values(column: Any) -> Any:
    """Return a column of numbers without a copy; the library's own function imports pandas where it is installed."""
    dtype = str(column.type).replace("double", "float64")
    values = np.frombuffer(column.buffers()[1] or b"", dtype=dtype)
    return values[column.offset : column.offset + len(column)]


class _Spellings(Sequence[str]):
    """Names, or the spelling where a column has another."""

    def __init__(self, names: list[str], column: Any) -> None:
        self._names, self._column = names, column

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, row: Any) -> Any:
        spelling: str | None = self._column[row].as_py()
        return self._names[row] if spelling is None else spelling

    def __iter__(self) -> Any:
        spelled = zip(self._column.to_pylist(), self._names, strict=True)
        return (name if spelling is None else spelling for spelling, name in spelled)
