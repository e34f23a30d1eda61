"""The small table every question returns: rows to go through, text to look at, and ways out to other programs.

Rows are frozen data classes, so what a column means stands with the row's class. Nothing here needs more than the
standard library; pandas or polars is imported only when a data frame is asked for.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Generic, TypeVar, overload

from hyperdive.errors import MissingExtra, UnknownWordError, one_line

Row = TypeVar("Row")
Formats = Mapping[str, str | Callable[[Any], str]]


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows of one frozen data class, in order.

    `formats` says how a column is shown as text: a format such as ".2f", or a function. `columns` are the fields to
    show (all of the row's class when empty); `to_json`, `to_pandas` and `to_polars` always give every field. `details`
    names a field that is a list: its items are shown beneath their row, one per line. `title` is shown above the text,
    `notes` below it. `unknown` has the words that the model does not know, each with the error it would raise alone.

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
    details: str = ""
    title: str = ""
    notes: tuple[str, ...] = ()
    unknown: Mapping[str, UnknownWordError] = field(default_factory=dict)

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

    @classmethod
    def joined(cls, row: type[Row], words: Sequence[str], tables: Sequence[Table[Row]]) -> Table[Row]:
        """Return the answers to several words as one table that shows the column `word` first.

        Notes begin with their word; a word given twice is answered once.

        >>> from dataclasses import make_dataclass
        >>> row = make_dataclass("Word", ["word", "term"], frozen=True)
        >>> one, other = Table(row, [row("dog", "pet")], columns=("term",)), Table(row, (), notes=("not known",))
        >>> print(Table.joined(row, ["dog", "x"], [one, other]))
        word  term
        dog   pet
        x: not known
        """
        distinct = dict(zip(words, tables, strict=True))
        first = next((table for table in tables if len(table)), tables[0] if tables else Table(row, ()))
        return dataclasses.replace(
            first,
            rows=[row for table in distinct.values() for row in table],
            columns=("word", *(name for name in first.columns if name != "word")),
            notes=tuple(f"{word}: {note}" for word, table in distinct.items() for note in table.notes),
            unknown={word: error for table in distinct.values() for word, error in table.unknown.items()},
        )

    # ---- to look at -----------------------------------------------------------------------------------------

    def cells(self) -> list[list[str]]:
        """The shown columns of every row as text that is safe in a terminal."""
        return [[one_line(self._text(name, getattr(row, name))) for name in self.columns] for row in self.rows]

    def headings(self) -> list[str]:
        """The heading of every shown column."""
        return [column.replace("_", " ") for column in self.columns]

    def numeric(self) -> list[bool]:
        """Whether each shown column holds numbers alone, which stand to the right."""
        values = ([getattr(row, name) for row in self.rows] for name in self.columns)
        return [bool(self.rows) and all(isinstance(value, int | float) for value in column) for column in values]

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
        right = self.numeric()
        headings = [one_line(heading) for heading in self.headings()]
        widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
        lines = [one_line(self.title)] if self.title else []
        for number, line in enumerate([headings, *cells] if self.rows else []):
            aligned = zip(line, widths, right, strict=True)
            shown = "  ".join(cell.rjust(width) if numeric else cell.ljust(width) for cell, width, numeric in aligned)
            lines.append(shown.rstrip())
            lines += [f"    {one_line(str(item))}" for item in self._details(number - 1)] if number else []
        return "\n".join([*lines, *map(one_line, self._remarks)])

    def _details(self, number: int) -> Sequence[Any]:
        return getattr(self.rows[number], self.details) if self.details else ()

    @property
    def _remarks(self) -> tuple[str, ...]:
        return (*self.notes, *map(str, self.unknown.values()))

    def _repr_html_(self) -> str:
        """The same as a table of HTML, for a notebook; whatever the text holds is escaped.

        >>> from dataclasses import make_dataclass
        >>> word = make_dataclass("Word", ["term"], frozen=True)
        >>> Table(word, [word("<b>")], notes=("1 < 2",))._repr_html_()
        '<table><thead><tr><th>term</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table><p>1 &lt; 2</p>'
        """
        head = "".join(f"<th>{escape(heading)}</th>" for heading in self.headings())
        body = []
        for number, line in enumerate(self.cells()):
            body.append("".join(f"<td>{escape(cell)}</td>" for cell in line))
            body += [
                f'<td colspan="{len(line)}" style="text-align: left">{_html(item)}</td>'
                for item in self._details(number)
            ]
        rows = "".join(f"<tr>{line}</tr>" for line in body)
        caption = f"<caption>{escape(one_line(self.title))}</caption>" if self.title else ""
        table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if self.rows else caption
        return table + "".join(f"<p>{escape(one_line(remark))}</p>" for remark in self._remarks)

    def __repr__(self) -> str:
        return f"<Table of {len(self)} × {', '.join(self.columns)}>"

    # ---- to other programs ----------------------------------------------------------------------------------

    def to_dicts(self) -> list[dict[str, Any]]:
        """Every field of every row, nested rows as dictionaries too."""
        return [dataclasses.asdict(row) for row in self.rows]  # type: ignore[call-overload]

    def to_json(self, *, indent: int | None = 2) -> str:
        """A JSON list of objects, one per row."""
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

    def to_polars(self) -> Any:
        """A polars data frame of every field; needs polars."""
        try:
            import polars
        except ImportError:
            raise MissingExtra("to_polars", "polars") from None
        columns = {name: [_lists(row[name]) for row in self.to_dicts()] for name in self.fields}
        return polars.DataFrame(columns, strict=False)


def _html(item: Any) -> str:
    """An item of the details: as it shows itself, else as escaped text."""
    own = getattr(item, "_repr_html_", None)
    return str(own()) if own is not None else escape(one_line(str(item)))


def _lists(value: Any) -> Any:
    """The same value with lists for tuples, which polars would take for structures."""
    if isinstance(value, Mapping):
        return {name: _lists(part) for name, part in value.items()}
    return [_lists(part) for part in value] if isinstance(value, tuple | list) else value


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return ", ".join(map(str, value)) if isinstance(value, Sequence) else str(value)
