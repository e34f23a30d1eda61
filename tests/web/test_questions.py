"""The questions over HTTP have the answers of the Python methods."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperdive import Model, load
from hyperdive.cli import arguments
from tests.web.conftest import Running


@pytest.fixture(scope="module")
def model() -> Model:
    return load("en-wiki")


def test_the_server_describes_itself(server: Running) -> None:
    answer = server.get("server").json()
    assert answer["version"] and answer["read_only"] is False
    [served] = answer["models"]
    assert served["name"] == "en-wiki" and served["packaged"] and served["patterns"] and served["calibrated"]
    assert server.get("models").json()["models"] == answer["models"]
    assert {"skos-ttl", "owl-xml", "tsv", "json", "graphml"} <= {one["name"] for one in answer["formats"]}


def test_hypernyms_are_those_of_the_model(server: Running, model: Model) -> None:
    answer = server.get("hypernyms", term=["dog", "qwxyz"], top=5).json()
    dog, unknown = answer["results"]
    expected = model.hypernyms("dog", 5)
    assert [one["term"] for one in dog["answers"]] == [one.term for one in expected]
    assert [one["confidence"] for one in dog["answers"]] == pytest.approx([one.confidence for one in expected])
    assert dog["known"] and dog["unknown"] is None
    assert not unknown["known"] and unknown["answers"] == [] and "qwxyz" in unknown["unknown"]["message"]
    assert answer["command"]["cli"] == "hyperdive hypernyms dog qwxyz --top 5"


def test_senses_are_those_of_the_model(server: Running, model: Model) -> None:
    answer = server.get("hypernyms", term="jaguar", top=2, senses="true").json()
    told = [(one["sense"], one["term"]) for one in answer["results"][0]["answers"]]
    assert told == [(one.sense, one.term) for one in model.hypernyms("jaguar", 2, senses=True)]
    assert {sense for sense, _ in told} >= {1, 2}
    assert answer["command"]["cli"] == "hyperdive hypernyms jaguar --top 2 --senses"
    assert "model.hypernyms('jaguar', top=2, senses=True)" in answer["command"]["python"]
    other = server.get("hypernyms", term="jaguar", senses="true", score="C*dS").json()["results"][0]["answers"]
    assert [one["term"] for one in other] == [one.term for one in model.hypernyms("jaguar", score="C*dS", senses=True)]
    assert server.get("hyponyms", term="jaguar", senses="true").status_code == 400


def test_long_lists_go_into_the_body(server: Running, model: Model) -> None:
    candidates = ["animal", "pet", "vehicle"]
    answer = server.post("hypernyms", terms=["dog"], candidates=candidates, block=["pet"]).json()
    expected = model.hypernyms("dog", candidates=candidates, block=["pet"])
    assert [one["term"] for one in answer["results"][0]["answers"]] == [one.term for one in expected] == ["animal"]
    again = server.get("hypernyms", term="dog", candidate=candidates, block="pet").json()
    assert again == answer


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("hyponyms", {"term": "insect", "top": 3}),
        ("similar", {"term": "dog", "top": 3}),
        ("compare", {"term": ["dog", "cat", "animal"], "top": 3}),
        ("topics", {"top": 3}),
        ("general", {"query": "species", "top": 3}),
        ("evidence", {"hyponym": "dog", "hypernym": "animal"}),
    ],
)
def test_the_shown_python_lines_give_the_answer(server: Running, path: str, parameters: dict[str, object]) -> None:
    answer = server.get(path, **parameters).json()
    lines = answer["command"]["python"].replace("print(", "result = (", 1)
    place: dict[str, object] = {}
    exec(lines, place)  # noqa: S102
    result = place["result"]
    text = json.dumps(answer)
    if path == "evidence":
        assert answer["statements"] == result.statements > 0  # type: ignore[attr-defined]
        return
    for row in result:  # type: ignore[attr-defined]
        name = getattr(row, "term", None) or row.label
        assert json.dumps(name) in text, name


@pytest.mark.parametrize(
    ("path", "parameters", "line"),
    [
        (
            "hypernyms",
            {"term": "hot dog", "min_confidence": 0.2, "evidence": 1},
            "'hot dog' --set min_confidence=0.2 --evidence",
        ),
        ("hypernyms", {"term": "-dog", "candidate": ["animal"]}, "--candidates candidates.txt -- -dog"),
        (
            "hyponyms",
            {"term": "insect", "score": "C*dS", "block": "ant"},
            "insect --set 'score=C*dS' --set block=block.txt",
        ),
        ("similar", {"term": ["dog", "cat"], "top": 3}, "dog cat --top 3"),
        ("evidence", {"hyponym": "dog", "hypernym": "animal"}, "dog animal"),
        ("explain", {"hyponym": "dog", "hypernym": "animal", "top": 4}, "dog animal --top 4"),
        ("compare", {"term": ["dog", "cat", "animal"]}, "dog cat animal"),
        ("topics", {"top": 3}, "--top 3 --words 5"),
        ("general", {"query": "species"}, "species --general"),
    ],
)
def test_the_shown_command_is_one_of_the_command_line(
    server: Running, path: str, parameters: dict[str, object], line: str
) -> None:
    shown = server.get(path, **parameters).json()["command"]["cli"]
    program, name, *tokens = shlex.split(shown)
    assert program == "hyperdive" and shown.endswith(f"{name} {line}")
    command = arguments.load(name)
    assert arguments.parse(arguments.build(name, command), command, tokens)


def test_explain_has_all_scores(server: Running, model: Model) -> None:
    answer = server.get("explain", hyponym="dog", hypernym="animal", top=2).json()
    expected = model.explain("dog", "animal", top=2)
    assert answer["included"] == pytest.approx(expected.included)
    assert {one["score"] for one in answer["scores"]} == {one.score for one in expected.scores}
    assert len(answer["dimensions"]) == 2 and set(answer["signals"]).isdisjoint(answer["against"])


def test_compare_tells_who_includes_whom(server: Running) -> None:
    answer = server.get("compare", term=["dog", "animal"]).json()
    included = answer["included"]
    place = answer["words"].index("animal")
    assert place == 0 and included[0][0] == included[1][1] == 1.0
    assert included[0][1] > included[1][0]
    assert f"animal includes {100 * included[0][1]:.0f} % of dog" in answer["notes"]


def test_scores_of_pairs(server: Running, model: Model) -> None:
    answer = server.post("score", pairs=[["dog", "animal"], ["dog", "qwxyz"]], scores=["C*dS", "C"]).json()
    assert answer["scores"] == ["C·ΔS", "C"]
    first, second = answer["pairs"]
    assert first["values"][0] == pytest.approx(model.score("dog", "animal", "C·ΔS")) and first["unknown"] == []
    assert second["values"] == [None, None] and second["unknown"] == ["qwxyz"]


def test_suggestions(server: Running) -> None:
    rows = server.get("suggest", q="poodl").json()["suggestions"]
    assert rows[0]["term"] == "poodle" and rows[0]["match"] == "prefix"
    assert server.get("suggest", q="").json()["suggestions"] == []
    spelled = server.get("suggest", q="poddle").json()["suggestions"]
    assert [one["match"] for one in spelled if one["term"] == "poodle"] == ["spelling"]


@pytest.mark.parametrize(
    ("path", "parameters", "status", "code"),
    [
        ("hypernyms", {}, 400, "bad_request"),
        ("hypernyms", {"term": ""}, 400, "bad_request"),
        ("hypernyms", {"term": "dog", "top": 0}, 400, "bad_request"),
        ("hypernyms", {"term": "dog", "top": 1001}, 400, "bad_request"),
        ("hypernyms", {"term": "dog", "top": "many"}, 400, "bad_request"),
        ("hypernyms", {"term": ["dog"] * 21}, 400, "bad_request"),
        ("hypernyms", {"term": "x" * 1001}, 400, "bad_request"),
        ("hypernyms", {"term": "dog", "min_confidence": "nan"}, 400, "bad_request"),
        ("hypernyms", {"term": "dog", "score": "no such"}, 400, "bad_request"),
        ("hypernyms", {"term": "dog", "nonsense": 1}, 400, "bad_request"),
        ("hypernyms", {"term": "dog", "model": "other"}, 404, "unknown_model"),
        ("explain", {"hyponym": "dgo", "hypernym": "animal"}, 404, "unknown_term"),
        ("compare", {"term": "dog"}, 400, "bad_request"),
        ("compare", {"term": ["dog", "qwxyz"]}, 404, "unknown_term"),
        ("general", {"query": "qwxyz"}, 404, "unknown_term"),
        ("taxonomies/nothing", {}, 404, "unknown_taxonomy"),
        ("nothing", {}, 404, "not_found"),
    ],
)
def test_what_cannot_be_answered(
    server: Running, path: str, parameters: dict[str, object], status: int, code: str
) -> None:
    answer = server.get(path, **parameters)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert answer.json()["error"]["message"]


def test_similar_spellings_of_an_unknown_term(server: Running) -> None:
    error = server.get("explain", hyponym="dgo", hypernym="animal").json()["error"]
    assert "dog" in error["near"]


def test_two_models(serve: Callable[..., Running], small: Path) -> None:
    both = serve(str(small), str(small))
    names = [one["name"] for one in both.get("models").json()["models"]]
    assert names == ["small", "small-2"]
    first, second = (both.get("hypernyms", term="dog", model=name).json() for name in names)
    assert first["results"] == second["results"] != [] and second["model"] == "small-2"
