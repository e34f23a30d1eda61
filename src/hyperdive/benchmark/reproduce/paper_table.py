"""A table of figures, each next to the paper's: as Markdown, HTML, TSV and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

NEAR = 0.5
"""Points within which ours and the paper's figure are called the same."""


@dataclass(frozen=True)
class PaperCell:
    """One figure of ours, the paper's, and a remark: `reported`, `not comparable`; or a text instead.

    >>> PaperCell(33.84, 32.7).plain(), PaperCell(None, 58.5, "reported").plain(), PaperCell(text="use").plain()
    ('33.8 (32.7; +1.1)', '58.5 reported', 'use')
    """

    ours: float | None = None
    paper: float | None = None
    mark: str = ""
    text: str = ""
    decimals: int = 1
    judged: bool = True
    """Whether more is better, so that a difference is shown in colour."""

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, where both are there and can be compared."""
        if self.ours is None or self.paper is None or self.mark == "not comparable":
            return None
        return self.ours - self.paper

    def _number(self, value: float) -> str:
        return f"{value:,.{self.decimals}f}".replace("-", "−")

    def _signed(self, value: float) -> str:
        return f"{value:+,.{self.decimals}f}".replace("-", "−")

    def plain(self) -> str:
        """As Markdown shows it: ours (the paper's; the difference)."""
        if self.text:
            return self.text.replace("|", "\\|")
        if self.ours is None:
            return "–" if self.paper is None else f"{self._number(self.paper)} {self.mark or 'paper'}"
        if self.paper is None:
            return self._number(self.ours)
        apart = self.mark if self.difference is None else self._signed(self.difference)
        return f"{self._number(self.ours)} ({self._number(self.paper)}; {apart})"

    def html(self) -> str:
        """As a table cell: ours, and beneath it the paper's with the difference in colour."""
        if self.text:
            return f'<td class="words">{escape(self.text)}</td>'
        if self.ours is None:
            if self.paper is None:
                return "<td>–</td>"
            return f"<td><i>{self._number(self.paper)}</i><small>{escape(self.mark or 'paper only')}</small></td>"
        if self.paper is None:
            return f"<td>{self._number(self.ours)}</td>"
        shown = f"{self._number(self.ours)}<small>{self._number(self.paper)} "
        if self.difference is None:
            return f'<td>{shown}<abbr title="{escape(self.mark)}">n. c.</abbr></small></td>'
        colour = ""
        if self.judged and abs(self.difference) > NEAR:
            colour = "good" if self.difference > 0 else "bad"
        return f'<td>{shown}<b class="{colour}">{self._signed(self.difference)}</b></small></td>'

    def as_json(self) -> dict[str, Any]:
        """All there is to the cell."""
        if self.text:
            return {"text": self.text}
        rounded = [None if value is None else round(value, 4) for value in (self.ours, self.paper, self.difference)]
        made: dict[str, Any] = dict(zip(("ours", "paper", "difference"), rounded, strict=True))
        return {**made, "mark": self.mark} if self.mark else made


@dataclass(frozen=True)
class PaperRow:
    """Names, one a label column, and cells, one a column."""

    labels: tuple[str, ...]
    cells: tuple[PaperCell, ...]


@dataclass(frozen=True)
class PaperTable:
    """A table with its name (of the files), title, and notes beneath it.

    >>> row = PaperRow(("BLESS",), (PaperCell(5.0, 4.0, decimals=0),))
    >>> table = PaperTable("t", "Sizes", ("dataset",), ("pairs",), (row,))
    >>> print(table.markdown())
    ## Sizes
    <BLANKLINE>
    | dataset | pairs |
    | --- | ---: |
    | BLESS | 5 (4; +1) |
    <BLANKLINE>
    """

    name: str
    title: str
    label_columns: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[PaperRow, ...]
    notes: tuple[str, ...] = ()

    def _is_words(self, column: int) -> bool:
        """Whether a column holds text, which is read from the left."""
        return bool(self.rows) and all(row.cells[column].text for row in self.rows)

    def markdown(self) -> str:
        """The table with its title and notes."""
        sides = ["---" if self._is_words(number) else "---:" for number in range(len(self.columns))]
        lines = [f"## {self.title}", ""]
        lines.append(f"| {' | '.join((*self.label_columns, *self.columns))} |")
        lines.append(f"| {' | '.join(['---'] * len(self.label_columns) + sides)} |")
        for row in self.rows:
            cells = (*(label.replace("|", "\\|") for label in row.labels), *(cell.plain() for cell in row.cells))
            lines.append(f"| {' | '.join(cells)} |")
        lines += ["", *(f"- {note}" for note in self.notes), *([""] if self.notes else [])]
        return "\n".join(lines)

    def html(self) -> str:
        """The table as a section of a page."""
        head = "".join(f'<th class="words">{escape(name)}</th>' for name in self.label_columns)
        head += "".join(
            f"<th{' class=words' if self._is_words(number) else ''}>{escape(name)}</th>"
            for number, name in enumerate(self.columns)
        )
        body = []
        above: tuple[str, ...] = ()
        for row in self.rows:
            # a label that repeats the one above it is left out, as in a printed table
            labels = [
                "" if label == before and number < len(row.labels) - 1 else label
                for number, (label, before) in enumerate(zip(row.labels, above or ("",) * len(row.labels), strict=True))
            ]
            first = ' class="first"' if labels[0] else ""
            names = "".join(f'<th class="words">{escape(label)}</th>' for label in labels)
            body.append(f"<tr{first}>{names}{''.join(cell.html() for cell in row.cells)}</tr>")
            above = row.labels
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            f'<section id="{escape(self.name)}"><h2>{escape(self.title)}</h2><div class="scroll"><table>'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
            f"{f'<ul class=note>{notes}</ul>' if notes else ''}</section>"
        )

    def tsv(self) -> str:
        """One line a cell: labels, column, ours, the paper's, the difference, the remark."""
        lines = ["\t".join((*self.label_columns, "column", "ours", "paper", "difference", "mark"))]
        for row in self.rows:
            for column, cell in zip(self.columns, row.cells, strict=True):
                fields = cell.as_json()
                values = [
                    fields.get("text", fields.get("ours")),
                    fields.get("paper"),
                    fields.get("difference"),
                    fields.get("mark"),
                ]
                lines.append("\t".join((*row.labels, column, *("" if v is None else str(v) for v in values))))
        return "\n".join(lines) + "\n"

    def as_json(self) -> dict[str, Any]:
        """The whole table."""
        rows = [
            {
                **dict(zip(self.label_columns, row.labels, strict=True)),
                "cells": {name: cell.as_json() for name, cell in zip(self.columns, row.cells, strict=True)},
            }
            for row in self.rows
        ]
        return {"name": self.name, "title": self.title, "rows": rows, "notes": list(self.notes)}
