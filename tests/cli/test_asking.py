"""The verbs that ask a model: what they print, and one clear line for every mistake."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperdive import Model
from tests.ask.small import small_model

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("asking") / "model"
    small_model().save(place)
    return place


def test_senses_stand_in_groups(hyperdive: Run) -> None:
    ran = hyperdive("hypernyms", "jaguar", "--senses", "--top", 2)
    assert ran.out.split()[0] == "sense"
    assert {line.split()[0] for line in ran.out.strip().split("\n")[1:]} >= {"1", "2"}
    other = hyperdive("hypernyms", "jaguar", "--senses", "--set", "score=C*dS", "--top", 2)
    assert other.code == 0 and other.out.splitlines()[0].split()[:3] == ["sense", "term", "score"]


def test_hypernyms_and_hyponyms(hyperdive: Run, model: Path, tmp_path: Path) -> None:
    ran = hyperdive("hypernyms", "poodle", "judge", "-m", model, "--top", 2)
    assert ran.code == 0
    blocks = ran.out.strip().split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == ["poodle", "judge"]
    assert "dog" in blocks[0]
    found = json.loads(hyperdive("hyponyms", "dog", "-m", model, "--json").out)
    assert found["known"]
    assert {"poodle", "spaniel"} <= {answer["term"] for answer in found["answers"]}
    assert list(found["answers"][0]) == [
        "term",
        "confidence",
        "score",
        "signals",
        "statements",
        "evidence",
        "sense",
    ]
    mine = tmp_path / "mine.txt"
    mine.write_text("judge\n")
    ran = hyperdive("hypernyms", "animal", "-m", model, "--candidates", mine)
    assert ran.code == 0
    assert ran.out.startswith("not known")
    unknown = json.loads(hyperdive("hypernyms", "animal", "-m", model, "--candidates", mine, "--json").out)
    assert (unknown["word"], unknown["known"], unknown["answers"]) == ("animal", False, [])
    assert unknown["notes"] == [ran.out.strip()]
    mine.write_text("animal\ndog\n")
    ran = hyperdive("hypernyms", "poodle", "-m", model, "--set", f"block={mine}", "--evidence")
    assert ran.code == 0
    assert "dog" not in ran.out
    assert "no sentences" in ran.err


def test_the_other_verbs(hyperdive: Run, model: Path, tmp_path: Path) -> None:
    assert hyperdive("similar", "dog", "-m", model, "--top", 1).out.split()[3] in ("animal", "cat", "poodle", "spaniel")
    assert len(json.loads(hyperdive("similar", "dog", "-m", model, "--json").out)["answers"]) == 8
    assert "9 dimensions" not in hyperdive("topics", "-m", model).err
    assert "10 dimensions: 1 dead" in hyperdive("topics", "-m", model, "--words", 2).out
    assert len(json.loads(hyperdive("topics", "-m", model, "--json", "--top", 3).out)) == 3
    side_by_side = ("explain", "poodle", "dog", "cat", "-m", model)
    assert "includes 100 % of poodle" in hyperdive(*side_by_side).out
    assert json.loads(hyperdive(*side_by_side, "--json").out)["words"][0] == "dog"
    assert "included" in hyperdive("explain", "poodle", "dog", "-m", model).out
    assert json.loads(hyperdive("explain", "poodle", "dog", "-m", model, "--json").out)["included"] == 1.0


def test_pictures(hyperdive: Run, model: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for words in (("poodle", "dog"), ("poodle", "dog", "cat")):
        place = tmp_path / f"{len(words)}.svg"
        assert hyperdive("explain", *words, "-m", model, "--plot", place).code == 0
        assert place.stat().st_size > 1000
        ran = hyperdive("explain", *words, "-m", model, "--plot", place)
        assert ran.code == 1
        assert "--force" in ran.err
        assert hyperdive("explain", *words, "-m", model, "--plot", place, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("hypernyms", "poodel"), "did you mean poodle"),
        (("hyponyms", "zebra"), "'zebra' is not in this model"),
        (("similar", "\x1b[31m"), "not in this model"),
        (("explain", "poodle", "animol"), "did you mean animal"),
        (("explain", "poodle"), "2 to 6 words"),
        (("hypernyms", "poodle", "--candidates", "missing.txt"), "missing.txt"),
        (("hypernyms", "poodle", "--set", "score=xyz"), "no score is called"),
        (("explain", "dog", "cat", "--plot", "x.gif"), "png"),
    ],
)
def test_one_line_for_every_mistake(hyperdive: Run, model: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = hyperdive(*arguments, "-m", model)
    assert ran.code == 1
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


def test_a_model_that_is_not_there(hyperdive: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("hyperdive.spaces.packaged_models._FOLDER", tmp_path)
    for verb in (("hypernyms", "dog"), ("topics",), ("topics", "--general")):
        ran = hyperdive(*verb)
        assert ran.code == 1
        assert "en-wiki is not part of this installation" in ran.err
        assert "-m MODEL" in ran.err
    assert "no such file" in hyperdive("topics", "-m", "nowhere").err
    small_model().save(tmp_path / "mine")
    assert hyperdive("hypernyms", "poodle", "-m", "mine").code == 0


def test_a_question_imports_nothing_it_does_not_need(model: Path) -> None:
    code = (
        "import sys; from hyperdive.cli.main import main; main(['hypernyms', 'poodle', '-m', sys.argv[1]]);"
        "heavy = ('matplotlib', 'pandas', 'simplemma', 'numba', 'hyperdive.pipeline.train', 'sklearn', 'gensim');"
        "print([name for name in heavy if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(model)], capture_output=True, text=True)
    assert ran.stdout.strip().split("\n")[-1] == "[]", ran.stdout + ran.stderr


def test_one_unknown_word_does_not_silence_the_others(hyperdive: Run, model: Path) -> None:
    known = Model.load(model).words[-1]
    result = hyperdive("hypernyms", known, "zzyzx", "-m", str(model))
    assert result.code == 1
    assert result.out.startswith(f"{known}\n")
    assert "'zzyzx'" in result.err


@pytest.mark.parametrize("verb", ["hypernyms", "hyponyms", "similar"])
def test_words_from_standard_input(hyperdive: Run, model: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    words = ["poodle", "dog", "zzyzx", "cat"] * 40  # more than one batch
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(["", *words])))
    ran = hyperdive(verb, "-", "-m", model, "--json")
    objects = [json.loads(line) for line in ran.out.splitlines()]
    assert [each["word"] for each in objects] == words
    alone = json.loads(hyperdive(verb, "dog", "-m", model, "--json").out)
    assert objects[1] == alone
    assert objects[2]["notes"] == ["'zzyzx' is not in this model"]
    assert ran.code == 1
    assert "and 35 words more" in ran.err
    monkeypatch.setattr("sys.stdin", io.StringIO("dog\n"))
    ran = hyperdive(verb, "-", "-m", model)
    assert (ran.code, ran.out.split("\n")[0]) == (0, "dog")
    monkeypatch.setattr("sys.stdin", None)
    ran = hyperdive(verb, "-", "-m", model)
    assert (ran.code, ran.err.count("\n")) == (1, 1)


def test_a_model_with_patterns_and_without_skipgram_answers(hyperdive: Run, tmp_path: Path) -> None:
    text = "They keep dogs such as poodles and spaniels. Animals such as dogs and cats bark or sleep. " * 400
    (tmp_path / "t.txt").write_text(text)
    made = hyperdive(
        "train",
        tmp_path / "t.txt",
        "-o",
        tmp_path / "m",
        "--dimensions",
        4,
        "--no-skipgram",
        "--set",
        "pmi_filter=none",
    )
    assert made.code == 0
    for verb in ("hypernyms", "hyponyms"):
        ran = hyperdive(verb, "dog", "-m", tmp_path / "m")
        assert ran.code == 0
        assert "Traceback" not in ran.err
    assert hyperdive("taxonomy", "--top", 5, "-m", tmp_path / "m").code == 0
    assert hyperdive("hypernyms", " ", "-m", tmp_path / "m").code == 1
