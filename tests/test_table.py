"""The table every question returns."""

from __future__ import annotations

import builtins
import json
from dataclasses import dataclass
from typing import Any

import pytest

from hyperdive.errors import MissingExtra
from hyperdive.table import Table


@dataclass(frozen=True)
class Row:
    term: str
    score: float | None
    signals: tuple[str, ...] = ()


TABLE = Table(Row, [Row("a\tb\n\x1b[31m", 0.5, ("x", "y")), Row("[bold]c", None)], title="T", notes=("note",))


def test_nothing_of_a_word_reaches_the_terminal_as_control() -> None:
    text = str(TABLE)
    assert text.isprintable() or all(line.isprintable() for line in text.split("\n"))
    assert text.split("\n") == ["T", "term       score  signals", "a b ?[31m  0.5    x, y", "[bold]c    –", "note"]
    assert [line.count("\t") for line in TABLE.to_tsv().splitlines()] == [2, 2, 2]


def test_ways_out() -> None:
    assert json.loads(TABLE.to_json())[1] == {"term": "[bold]c", "score": None, "signals": []}
    assert len(TABLE) == 2
    assert TABLE[-1].term == "[bold]c"
    assert [row.term for row in TABLE[1:]] == ["[bold]c"]
    assert repr(TABLE) == "<Table of 2 × term, score, signals>"
    assert str(Table(Row, [], notes=("not known",))) == "not known"


def test_pandas_or_a_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    frame = TABLE.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["term", "score", "signals"]
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"hyperdive\[pandas\]"):
        TABLE.to_pandas()
