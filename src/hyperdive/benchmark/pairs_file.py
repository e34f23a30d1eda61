"""A user's own file of labelled pairs as a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hyperdive.benchmark.dataset import Dataset
from hyperdive.errors import InputError
from hyperdive.scores.files import PairFile, PairFormat, open_pairs

LABEL_NAMES = ("label", "gold", "is_hypernym", "hypernymy", "class", "score", "grade", "avg_score")
_TRUE = {"true", "1", "1.0", "yes", "y", "t", "hyper", "hypernym", "positive", "pos", "+"}
_FALSE = {"false", "0", "0.0", "no", "n", "f", "negative", "neg", "-"}


def read_pairs(path: str | Path, format: str | None = None) -> Dataset:
    """Read hyponym, hypernym and a label (True or False) or a grade (a number) from each line.

    The label is in the column called `label` or `gold`, else in the third one. Terms of several words are phrases.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "mine.tsv"
    >>> _ = place.write_text("hot dog\\tfood\\tTrue\\nfood\\tdog\\tFalse\\n")
    >>> read_pairs(place), read_pairs(place).space_keys()[0]
    (<Dataset mine: 2 pairs, 1 positive>, ('hot', 'dog'))
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    file = open_pairs(path, format)
    blocks = list(file)
    table = pa.concat_tables(blocks) if blocks else None
    if table is None or table.num_rows == 0:
        raise InputError(f"{file.name}: no pairs in it", hint="each line is hyponym<TAB>hypernym<TAB>True or False")
    labels = _label_column(file, table)
    both = pa.concat_arrays([_whole(table.column(0)), _whole(table.column(1))])
    coded = pc.dictionary_encode(both)
    codes = coded.indices.to_numpy().astype(np.int64)
    terms = tuple(" ".join(term.lower().split()) for term in coded.dictionary.to_pylist())
    if "" in terms:
        row = int(np.flatnonzero(codes == terms.index(""))[0]) % table.num_rows
        raise InputError(f"{file.name}: line {file.line(row)} has an empty term", hint="each line needs two terms")
    gold, graded = _gold(file, labels)
    q, p = codes[: table.num_rows], codes[table.num_rows :]
    return Dataset(Path(path).stem or file.name, terms, q, p, gold, graded=graded, separator=" ")


def _whole(column: Any) -> Any:
    import pyarrow as pa

    whole = column.combine_chunks()
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole


def _label_column(file: PairFile, table: Any) -> Any:
    import json

    import pyarrow as pa

    if file.format is PairFormat.jsonl:
        labels = []
        for row, text in enumerate(table.column("rest").to_pylist()):
            rest = json.loads(text) if text else {}
            key = next((name for name in LABEL_NAMES if name in rest), None)
            if key is None:
                raise InputError(f"{file.name}: line {file.line(row)} has no label", hint='add "label": true or false')
            labels.append(str(rest[key]))
        return pa.array(labels)
    lower = [name.lower() for name in file.columns]
    number = next((lower.index(name) for name in LABEL_NAMES if name in lower), 2)
    if number >= len(file.columns):
        raise InputError(
            f"{file.name}: two columns, so there is no label to measure against",
            hint="add a third column with True or False; `hyperdive score` needs none",
        )
    return _whole(table.column(number))


def _gold(file: PairFile, labels: Any) -> tuple[Any, bool]:
    """Labels as 0 and 1, or grades as they are."""
    import pyarrow.compute as pc

    coded = pc.dictionary_encode(labels)
    codes = coded.indices.to_numpy()
    values = [text.strip().lower() for text in coded.dictionary.to_pylist()]
    if all(value in _TRUE or value in _FALSE for value in values):
        return np.array([float(value in _TRUE) for value in values])[codes], False
    numbers = np.array([_number(value) for value in values])
    if np.isnan(numbers).any():
        # the first label that is neither, in file order
        bad = np.array(
            [np.isnan(number) and value not in _TRUE | _FALSE for value, number in zip(values, numbers, strict=True)]
        )
        row = int(np.flatnonzero(bad[codes])[0]) if bad.any() else int(np.flatnonzero(np.isnan(numbers)[codes])[0])
        raise InputError(
            f"{file.name}: line {file.line(row)} has label {labels[row].as_py()!r}, which is neither True nor False",
            hint="labels are True/False, 1/0 or yes/no; or give every pair a number as its grade",
        )
    return numbers[codes], True


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return float("nan")
    return value if np.isfinite(value) else float("nan")
