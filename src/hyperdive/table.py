"""The small table every question returns: rows to go through, text to look at, and ways out to other programs.

Rows are frozen data classes, so what a column means stands with the row's class. Nothing here needs more than the
standard library; pandas is asked only when somebody wants a data frame.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

from hyperdive.errors import MissingExtra, one_line

Row = TypeVar("Row")
Formats = Mapping[str, str | Callable[[Any], str]]


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows of one frozen data class, in order.

    `formats` says how a column is shown as text: a format such as ".2f", or a function. `columns` are the fields to
    show (all of the row's class when empty); `to_json` and `to_pandas` always give every field. `title` stands above
    the text, `notes` below it.

    >>> @dataclass(frozen=True)
    ... class Answer:
    ...     term: str
    ...     score: float
    >>> table = Table(Answer, [Answer("dog", 0.9312), Answer("hot\\x1b dog", 0.5)], formats={"score": ".2f"})
    >>> print(table)
    term      score
    dog        0.93
    hot? dog   0.50
    >>> len(table), table[0].term, [row.score for row in table]
    (2, 'dog', [0.9312, 0.5])
    >>> table.to_json(indent=None)
    '[{"term": "dog", "score": 0.9312}, {"term": "hot\\\\u001b dog", "score": 0.5}]'
    >>> print(table[:1].to_tsv(), end="")
    term	score
    dog	0.9312
    """

    row: type[Row]
    rows: Sequence[Row]
    columns: tuple[str, ...] = ()
    formats: Formats = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        object.__setattr__(self, "columns", tuple(self.columns) or self.fields)

    @property
    def fields(self) -> tuple[str, ...]:
        """Every field of a row."""
        return tuple(one.name for one in dataclasses.fields(self.row))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, number: int) -> Row: ...
    @overload
    def __getitem__(self, number: slice) -> Table[Row]: ...

    def __getitem__(self, number: int | slice) -> Row | Table[Row]:
        if isinstance(number, slice):
            return dataclasses.replace(self, rows=self.rows[number])
        return self.rows[number]

    # ---- to look at -----------------------------------------------------------------------------------------

    def cells(self) -> list[list[str]]:
        """The shown columns of every row as text that is safe in a terminal."""
        return [[one_line(self._text(name, getattr(row, name))) for name in self.columns] for row in self.rows]

    def heading(self, column: str) -> str:
        """What stands above a column."""
        return column.replace("_", " ")

    def _text(self, name: str, value: Any) -> str:
        how = self.formats.get(name)
        if callable(how):
            return how(value)
        if value is None:
            return "–"
        if how is not None:
            return format(value, how)
        if isinstance(value, float):
            return f"{value:.3g}"
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            return ", ".join(map(str, value))
        return str(value)

    def __str__(self) -> str:
        """Aligned text: numbers to the right, everything else to the left."""
        cells = self.cells()
        right = [
            bool(self.rows) and all(isinstance(getattr(row, name), int | float) for row in self.rows)
            for name in self.columns
        ]
        headings = [one_line(self.heading(name)) for name in self.columns]
        widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
        lines = [one_line(self.title)] if self.title else []
        for line in ([headings, *cells]) if self.rows else []:
            aligned = zip(line, widths, right, strict=True)
            shown = "  ".join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in aligned)
            lines.append(shown.rstrip())
        return "\n".join([*lines, *map(one_line, self.notes)])

    def __repr__(self) -> str:
        return f"<Table of {len(self)} × {', '.join(self.columns)}>"

    # ---- to other programs ----------------------------------------------------------------------------------

    def to_dicts(self) -> list[dict[str, Any]]:
        """Every field of every row, nested rows as dictionaries too."""
        return [dataclasses.asdict(row) for row in self.rows]  # type: ignore[call-overload]

    def to_json(self, *, indent: int | None = 2) -> str:
        """A JSON list of objects, one a row."""
        return json.dumps(self.to_dicts(), indent=indent, ensure_ascii=False, default=list)

    def to_tsv(self) -> str:
        """The shown columns, tab separated under their names; numbers in full, no line or tab inside a cell."""
        lines = ["\t".join(self.columns)]
        for row in self.rows:
            values = [getattr(row, name) for name in self.columns]
            lines.append("\t".join(one_line(_plain(value)) for value in values))
        return "".join(f"{line}\n" for line in lines)

    def to_pandas(self) -> Any:
        """A pandas data frame of every field; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("to_pandas", "pandas") from None
        return pandas.DataFrame(self.to_dicts(), columns=list(self.fields))


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return ", ".join(map(str, value)) if isinstance(value, Sequence) else str(value)
