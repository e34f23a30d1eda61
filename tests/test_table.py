"""The table every question returns."""

from __future__ import annotations

import builtins
import json
import re
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest

from hyperdive.ask.hypernyms import Answer
from hyperdive.errors import MissingExtra, UnknownWordError
from hyperdive.patterns.evidence import Evidence
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
    with pytest.raises(MissingExtra, match=r"\[pandas\]"):
        TABLE.to_pandas()


def test_polars_or_a_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    frame = TABLE.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts()[1] == {"term": "[bold]c", "score": None, "signals": []}
    assert stated_answers().to_polars()["evidence"].to_list()[0][0]["spans"] == [[21, 28], [4, 8]]
    assert Table(Row, []).to_polars().columns == ["term", "score", "signals"]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtra, match=r"\[polars\]"):
        TABLE.to_polars()


def stated_answers() -> Table[Answer]:
    sentence = Evidence("<i>&Dogs</i> such as poodles", "such as", 3, ((21, 28), (4, 8)))
    answers = [
        Answer("poodle", "dog", 0.9, None, ("patterns",), 4, (sentence,)),
        Answer("poodle", "<script>", None, 0.1, (), 0),
    ]
    return Table(Answer, answers, columns=("term", "statements"), details="evidence")


class _Tags(HTMLParser):
    """The tags and the text of a page, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_holds_no_tag_of_the_text_and_marks_both_terms() -> None:
    page = stated_answers()._repr_html_()
    read = _Tags(page)
    assert set(read.tags) == {"table", "thead", "tbody", "tr", "th", "td", "mark", "small"}
    assert "".join(read.texts) == "termstatementsdog4<i>&Dogs</i> such as poodles (such as)<script>0"
    assert re.findall("<mark>(.*?)</mark>", page) == ["Dogs", "poodles"]
    assert _Tags(Table(Row, [], notes=("<b>",))._repr_html_()).tags == ["p"]


def test_details_stand_beneath_their_row() -> None:
    assert str(stated_answers()).split("\n") == [
        "term      statements",
        "dog                4",
        "    “<i>&Dogs</i> such as poodles” (such as)",
        "<script>           0",
    ]


def test_an_unknown_term_is_said_beneath_an_empty_table() -> None:
    table = Table(Row, [], unknown={"x": UnknownWordError("'x' is not in this model")})
    assert str(table) == "'x' is not in this model"
    assert table._repr_html_() == "<p>&#x27;x&#x27; is not in this model</p>"
