"""The tables of the paper, each figure next to the printed one, built from the tables of `paper.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, SPECS
from hyperdive.benchmark.printed import rows as printed_rows
from hyperdive.paper.figures import RunFigures, paper_data, printed_figures, score_list
from hyperdive.scores import get

NOT_COMPARABLE = "not comparable"
_METRICS = {"AP@all": ("AP", ""), "F1": ("F1", "f1:"), "Spearman rho": ("ρ", "")}
"""Metric of the tables of reported figures → heading, and prefix of the place."""


@dataclass(frozen=True)
class PaperCell:
    """One figure of ours, the paper's, and a mark (`reported`, `not comparable`); or a text instead.

    >>> PaperCell(33.84, 32.7).plain(), PaperCell(None, 58.5, "reported").plain(), PaperCell(text="use").plain()
    ('33.8 (32.7; +1.1)', '58.5 reported', 'use')
    """

    ours: float | None = None
    paper: float | None = None
    mark: str = ""
    text: str = ""
    decimals: int = 1

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, where both exist and are comparable."""
        if self.ours is None or self.paper is None or self.mark == NOT_COMPARABLE:
            return None
        return self.ours - self.paper

    def plain(self) -> str:
        """Return the cell for Markdown: ours (the paper's; the difference)."""

        def number(value: float, sign: str = "") -> str:
            return f"{value:{sign},.{self.decimals}f}".replace("-", "−")

        if self.text:
            return self.text.replace("|", "\\|")
        if self.ours is None:
            return "–" if self.paper is None else f"{number(self.paper)} {self.mark or 'paper'}"
        if self.paper is None:
            return number(self.ours)
        difference = self.mark if self.difference is None else number(self.difference, "+")
        return f"{number(self.ours)} ({number(self.paper)}; {difference})"

    def as_json(self) -> dict[str, Any]:
        """Return the cell's text, or its numbers and mark."""
        if self.text:
            return {"text": self.text}
        numbers = {"ours": self.ours, "paper": self.paper, "difference": self.difference}
        fields: dict[str, Any] = {name: None if n is None else round(n, 4) for name, n in numbers.items()}
        return {**fields, "mark": self.mark} if self.mark else fields


@dataclass(frozen=True)
class PaperRow:
    """One label for each label column, and one cell for each column."""

    labels: tuple[str, ...]
    cells: tuple[PaperCell, ...]


@dataclass(frozen=True)
class PaperTable:
    """A table with the name of its file, its title, and notes beneath it.

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

    def markdown(self) -> str:
        """Return the table with its title and notes."""
        texts = [bool(self.rows) and all(row.cells[i].text for row in self.rows) for i in range(len(self.columns))]
        sides = ["---"] * len(self.label_columns) + ["---" if text else "---:" for text in texts]
        lines = [f"## {self.title}", "", _line(self.label_columns + self.columns), _line(sides)]
        for row in self.rows:
            labels = [label.replace("|", "\\|") for label in row.labels]
            lines.append(_line([*labels, *(cell.plain() for cell in row.cells)]))
        lines.append("")
        if self.notes:
            lines += [*(f"- {note}" for note in self.notes), ""]
        return "\n".join(lines)

    def tsv(self) -> str:
        """Return one line per cell: labels, column, ours, the paper's, the difference, the mark."""
        lines = ["\t".join((*self.label_columns, "column", "ours", "paper", "difference", "mark"))]
        for row in self.rows:
            for column, cell in zip(self.columns, row.cells, strict=True):
                fields = cell.as_json()
                values = [fields.get("text", fields.get("ours")), *map(fields.get, ("paper", "difference", "mark"))]
                lines.append("\t".join((*row.labels, column, *("" if v is None else str(v) for v in values))))
        return "\n".join(lines) + "\n"

    def as_json(self) -> dict[str, Any]:
        """Return the whole table as plain data."""
        rows = [
            {
                **dict(zip(self.label_columns, row.labels, strict=True)),
                "cells": {name: cell.as_json() for name, cell in zip(self.columns, row.cells, strict=True)},
            }
            for row in self.rows
        ]
        return {"name": self.name, "title": self.title, "rows": rows, "notes": list(self.notes)}


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def build_tables(figures: RunFigures, *, pubmed_is_short: bool = False) -> list[PaperTable]:
    """Return the tables of `paper.toml` from the figures of a run.

    Args:
        figures: the figures of a run.
        pubmed_is_short: mark the figures of abstracts as not comparable.

    >>> [table.name for table in build_tables(RunFigures({}))][:3]
    ['table1', 'table2', 'table3']
    """
    data = paper_data()
    marks = {"short": NOT_COMPARABLE if pubmed_is_short else ""}
    tables = []
    for entry in data["table"]:
        if "needs" in entry and entry["needs"] not in figures:
            continue
        if "rule" in entry:
            columns, rows = RULES[entry["rule"]](entry, figures)
        else:
            headings = table_columns(entry)
            columns = tuple(heading for heading, _ in headings)
            rows = [
                PaperRow(labels, tuple(_cell(figures, {**row, **column}, marks) for _, column in headings))
                for labels, row in table_rows(entry, figures)
            ]
        notes = tuple(data["notes"][note[1:]] if note.startswith("$") else note for note in entry["notes"])
        tables.append(PaperTable(entry["name"], entry["title"], tuple(entry["labels"]), columns, tuple(rows), notes))
    return tables


def table_columns(entry: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return heading and settings of each column of a table; `each` is a list of datasets or of scores."""
    columns = []
    for column in entry["columns"]:
        each, place = column.get("each"), column.get("place", "")
        if each == "ten":
            columns += [(_label(name), {"place": f"{place}{name}"}) for name in MICRO_10]
        elif each is not None:
            columns += [(score, {"place": place, "score": score}) for score in score_list([each])]
        else:
            columns.append((column.get("heading") or _label(place), column))
    return columns


def table_rows(entry: Mapping[str, Any], figures: RunFigures) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Return labels and settings of each row of a table that can be shown."""
    lists = paper_data()["rows"]
    rows = []
    for row in (one for name in entry["rows"] for one in (lists[name] if isinstance(name, str) else (name,))):
        needed = row.get("if") or figures.choose(row.get("space", ""))
        shown = entry.get("all") or row.get("always") or needed in figures
        if not shown or row.get("unless") in figures:
            continue
        labels = [*row["label"], *("",) * (len(entry["labels"]) - len(row["label"]))]
        if "scores" in entry and "score" not in row:
            for score in score_list(entry["scores"]):
                rows.append(((*labels[:-1], score), {**row, "score": score}))
        else:
            rows.append((tuple(labels), row))
    return rows


def _label(name: str) -> str:
    return str(paper_data()["labels"].get(name, name))


def _cell(figures: RunFigures, settings: Mapping[str, Any], marks: Mapping[str, str] = {}) -> PaperCell:
    """Return the figure at an address next to the printed one."""
    space, score, place = (settings.get(key, "") for key in ("space", "score", "place"))
    ours = settings.get("value", figures.get(space, score, place))
    if "minus" in settings:
        other = figures.get(settings["minus"], score, place)
        ours = None if ours is None or other is None else ours - other
    printed_space = settings.get("paper", "")
    printed_score = settings.get("paper_score", score)
    paper = printed_figures().get(printed_space, printed_score, place) if printed_space else None
    mark = settings.get("mark", "")
    return PaperCell(ours, paper, marks.get(mark, mark), decimals=settings.get("decimals", 1))


# ---- tables with rules of their own --------------------------------------------------------------------------------

_Built = tuple[tuple[str, ...], list[PaperRow]]


def _costs(entry: Mapping[str, Any], figures: RunFigures) -> _Built:
    """Return non-zero dimensions, memory and time of each space, and the ratios of the sparse spaces to DIVE."""
    scores = score_list(["costed"])
    sums: dict[str, list[float | None]] = {}
    rows = []
    for labels, row in table_rows(entry, figures):
        costs = figures.cost(row["space"])
        if costs is None:
            continue
        nonzeros, size = (sum(costs[what].values()) for what in ("nonzeros", "bytes"))
        used = _cell(figures, {**row, "place": "dimensions:all"})
        sums[labels[0]] = [used.ours, nonzeros, size, *(costs["seconds"][score] for score in scores)]
        times = [PaperCell(1000 * costs["seconds"][score]) for score in scores]
        rows.append(PaperRow(labels, (used, PaperCell(nonzeros / 1e6, decimals=2), PaperCell(size / 1e6), *times)))
    for dive in (label for label in sums if label.startswith("DIVE")):
        for sparse in (label for label in sums if label.startswith("SBOW")):
            ratios = [a / b if a is not None and b else None for a, b in zip(sums[sparse], sums[dive], strict=True)]
            rows.append(PaperRow((f"{sparse} ÷ {dive}",), tuple(PaperCell(ratio, decimals=0) for ratio in ratios)))
    columns = ("non-zeros of a test word", "million numbers", "MB in memory", *(f"{score}, ms" for score in scores))
    return columns, rows


def _sizes(entry: Mapping[str, Any], figures: RunFigures) -> _Built:
    """Return pairs, positive pairs and pairs out of vocabulary of each dataset, and of four and of ten."""
    printed = {row["dataset"]: (float(row["N"]), float(row["OOV"])) for row in printed_rows("table_stats_N_OOV")}
    groups: list[tuple[str, str, tuple[str, ...]]] = [(_label(name), name, (name,)) for name in ELEVEN]
    groups.insert(4, ("four sets", "MicroAverage4", MICRO_4))
    groups.insert(11, ("ten sets", "MicroAverage10", MICRO_10))
    rows = []
    for label, key, names in groups:
        pairs = float(sum(SPECS[name].rows for name in names))
        positives = None if key == "HyperLex" else float(sum(SPECS[name].positives for name in names))
        lost = printed[key][1] if key != "MicroAverage10" else sum(printed[name][1] for name in MICRO_10)
        counts = [figures.get("dive", "", f"oov:{name}") for name in names]
        missing = None if None in counts else float(sum(count or 0 for count in counts))
        covered = None if missing is None else 100 * (1 - missing / pairs)
        cells = (
            PaperCell(pairs, printed[key][0], decimals=0),
            PaperCell(positives, decimals=0),
            PaperCell(missing, lost, decimals=0),
            PaperCell(covered, 100 * (1 - lost / printed[key][0])),
        )
        rows.append(PaperRow((label,), cells))
    return ("pairs", "positive", "OOV pairs", "covered %"), rows


def _reported(entry: Mapping[str, Any], figures: RunFigures) -> _Built:
    """Return figures that earlier work reports, then ours, for every dataset and metric of a printed table."""
    printed = printed_rows(entry["printed"])
    keys = list(dict.fromkeys((row["dataset"], row["metric"]) for row in printed))
    methods: dict[str, dict[tuple[str, str], float]] = {}
    for row in printed:
        pairs = row.get("training_hypernymy_pairs", "0")
        label = f"{row['method']} ({pairs} training pairs)" if pairs not in ("", "0") else row["method"]
        methods.setdefault(label, {})[row["dataset"], row["metric"]] = float(row["value"])
    rows = []
    dive: dict[str, dict[tuple[str, str], float]] = {}
    for method, values in methods.items():
        if method.startswith("DIVE"):
            dive[get(method[5:]).name] = values
            continue
        label = method.replace(" (reported by earlier work)", "")
        rows.append(PaperRow((label,), tuple(PaperCell(None, values.get(key), "reported") for key in keys)))
    for labels, row in table_rows({**entry, "all": True}, figures):
        values = dive.get(row["score"], {})
        places = [f"{_METRICS[metric][1]}{dataset}" for dataset, metric in keys]
        ours = [figures.get(row["space"], row["score"], place) for place in places]
        cells = [PaperCell(value, values.get(key)) for value, key in zip(ours, keys, strict=True)]
        rows.append(PaperRow(labels, tuple(cells)))
    columns = [f"{_label(name).removesuffix(' ρ')} {_METRICS[metric][0]}" for name, metric in keys]
    return tuple(columns), rows


RULES: dict[str, Callable[[Mapping[str, Any], RunFigures], _Built]] = {
    "costs": _costs,
    "sizes": _sizes,
    "reported": _reported,
}
