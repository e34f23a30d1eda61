"""tools/judge.py: a blind sheet, verdicts that can be interrupted, and figures with known answers."""

from __future__ import annotations

import dataclasses
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from hyperdive import Model
from hyperdive.spaces.space import VectorSpace
from tests.tools import load

j = load("judge")


def answer(narrow: str, broad: str, confidence: float, rank: int = 1, **more: Any) -> Any:
    values = {"corpus": "wikipedia", "model": "m", "part": "answer", "statements": 0} | more
    return j.Answer(narrow=narrow, broad=broad, confidence=confidence, rank=rank, **values)


KEY = [
    answer("dog", "animal", 0.95, statements=9),
    answer("dog", "cat", 0.95, 2),
    answer("dog", "law", 0.3, 3),
    answer("dog", "pet", 0.3, 6, statements=7),
    answer("oak", "tree", 0.99, model="n"),
    answer("oak", "tree", 0.7, corpus="biomedical"),
]
VERDICTS = {("dog", "animal"): "right", ("dog", "cat"): "wrong", ("dog", "law"): "absurd", ("oak", "tree"): "right"}


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    place = tmp_path / "key.tsv"
    rows = [answer('"quoted" term', "x", 0.5), answer("a", "b", 0.25, part="stated")]
    rows.append(dataclasses.replace(rows[1], rank=None, confidence=None))
    with place.open("w", encoding="utf-8") as stream:
        j.write_rows(stream, rows)
    assert j.read_rows(place, j.Answer) == rows


def test_the_sheet_has_each_pair_once_and_neither_rank_nor_confidence() -> None:
    sheet = j.sheet(KEY, [])
    assert sorted((line.narrow, line.broad, line.source) for line in sheet) == [
        ("dog", "animal", "wikipedia"),
        ("dog", "cat", "wikipedia"),
        ("dog", "law", "wikipedia"),
        ("dog", "pet", "wikipedia"),
        ("oak", "tree", "biomedical+wikipedia"),
    ]
    assert {field.name for field in dataclasses.fields(sheet[0])} == {"narrow", "broad", "source"}
    assert sheet == j.sheet(KEY[::-1], []), "the order of the key must not show"


def test_judging_stops_with_the_answers_and_goes_on_where_it_stopped() -> None:
    sheet = j.sheet(KEY, [])
    first = list(j.judge(sheet, [], ["y", "maybe", "n"]))
    assert [row.verdict for row in first] == ["right", "wrong"]
    rest = list(j.judge(sheet, first, ["a", "s", "y", "y"]))
    assert [row.verdict for row in rest] == ["absurd", "skip", "right"]
    assert [j.pair_of(row) for row in first + rest] == [j.pair_of(line) for line in sheet]
    assert len(j.verdicts_of(first + rest)) == 4, "what was skipped has no verdict"


def test_bands_and_shares_of_a_small_key() -> None:
    bands = j.banded(KEY[:3], VERDICTS)
    assert [(low, high, band.pairs, band.true) for low, high, band in bands] == [
        (0.2, 0.4, 1, 0.0),
        (0.9, 0.97, 2, 0.5),
    ]
    assert j.right(KEY, VERDICTS) == j.Share(3, 5)
    assert j.right(KEY, VERDICTS, "absurd") == j.Share(1, 5)


def test_the_report_of_a_small_key() -> None:
    text = j.report([row for row in KEY if row.model == "m" and row.corpus == "wikipedia"], VERDICTS)
    assert "| 0.9–0.97 | 2 | 0.95 | 0.50 |" in text
    assert "| calibration error, points | 40.0 |" in text  # (1 · 0.3 + 2 · 0.45) / 3
    assert "| first answer right | 100.0% of 1 |" in text
    assert "| answers of 0.9 and more right | 50.0% of 2 |" in text


def test_the_report_by_kind_counts_queries_of_the_same_corpus() -> None:
    queries = [j.Query("dog", "wikipedia", "word", "rare"), j.Query("Oak", "biomedical", "name", "rare")]
    lines = j.by_kind(KEY, VERDICTS, queries).splitlines()[2:]
    assert lines == [
        "| word | 100.0% of 1 | 33.3% of 3 | 50.0% of 2 |",
        "| name | 100.0% of 1 | 100.0% of 1 | – |",
    ]


def test_a_most_stated_hypernym_counts_only_within_the_first_answers() -> None:
    stated = [answer("dog", "pet", 0.3, part="stated", statements=7)]
    assert j.most_stated_shown(KEY[:4] + stated) == j.Share(0, 1)
    assert j.most_stated_shown([*KEY[:4], answer("dog", "animal", 0.3, part="stated", statements=9)]) == j.Share(1, 1)
    assert j.most_stated_shown([answer("dog", "pet", 0.3, part="stated", statements=4)]) == j.Share(0, 0)


def test_every_kind_and_band_is_drawn_alike_and_the_same_every_time() -> None:
    words = [(f"{'x' * (number % 7 + 3)}{'ab'[number % 2]}", 5 + number) for number in range(600)]
    drawn = j.draw(words, 3)
    assert drawn == j.draw(words, 3)
    assert {band for _, _, band in drawn} == {"rare", "middle", "frequent"}
    assert len(drawn) == 9


def test_a_model_without_patterns_is_asked_for_its_answers() -> None:
    matrix = [[3, 2, 1], [2, 1, 0], [1, 0, 0]]
    model = Model(VectorSpace(["animal", "dog", "poodle"], matrix, frequencies=[9, 5, 1], kind="dive"))
    rows = list(j.asked(model, "wikipedia", "m", ["poodle"]))
    assert [(row.broad, row.rank) for row in rows] == [("animal", 1), ("dog", 2)]


@pytest.fixture(scope="module")
def judged() -> list[Any]:
    return list(j.read_rows(j.JUDGEMENTS, j.Judgement))


def test_the_judgements_have_every_pair_once_in_the_half_of_its_query(judged: list[Any]) -> None:
    pairs = [j.pair_of(row) for row in judged]
    assert len(set(pairs)) == len(pairs)
    assert all(row.half == j.half_of(row.narrow) for row in judged)
    assert {row.verdict for row in judged} <= set(j.VERDICTS.values())


def test_every_answer_of_the_key_is_judged(judged: list[Any]) -> None:
    key = j.read_rows(j.FOLDER / "answers.tsv", j.Answer)
    assert j.sheet(key, judged) == []


def test_the_commands_go_from_a_key_to_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key, sheet, judgements, plot = (tmp_path / name for name in ("key.tsv", "sheet.tsv", "judgements.tsv", "plot.svg"))
    with key.open("w", encoding="utf-8") as stream:
        j.write_rows(stream, KEY)

    def run(*arguments: object, typed: str = "") -> None:
        monkeypatch.setattr(sys, "argv", ["judge.py", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        j.main()

    run("sheet", key, sheet, "--judgements", judgements)
    run("judge", sheet, judgements, typed="y\nn\n")
    run("judge", sheet, judgements, typed="y\ny\ny\ny\n")
    run("sheet", key, sheet, "--judgements", judgements)
    assert sheet.read_text() == "", "every pair is judged"
    run("report", key, "--judgements", judgements, "--second", judgements, "--plot", plot)
    told = capsys.readouterr().out
    assert f"## m, {j.half_of('dog')} half" in told and "the same verdict 100.0% of 5" in told
    assert "<svg" in plot.read_text(encoding="utf-8")


def test_another_seed_is_another_sample() -> None:
    words = [(f"noun{'abcdefghij'[n % 10]}{'abcdefghij'[n // 10]}", 600) for n in range(100)]
    first = j.draw(words, 10)
    assert j.draw(words, 10) == first
    assert {query for query, *_ in j.draw(words, 10, j.SEED + 1)} != {query for query, *_ in first}
