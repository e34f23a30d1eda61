"""Discovery tasks: the measures by hand, and files that do not fit together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.benchmark.discovery import (
    ANSWERS,
    DiscoveryTask,
    QuestionFigures,
    RankFigures,
    evaluate_discovery,
    question_figures,
    read_discovery,
)
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from tests.ask.small import small_model


def one_question(places: list[int], gold: int) -> tuple[float, float, float]:
    hits = np.zeros((1, 15), dtype=np.bool_)
    hits[0, places] = True
    figures = question_figures(hits, np.array([gold]), np.array([True])).scorer
    return figures.map, figures.mrr, figures.p_at_5


def test_no_question_has_no_figures() -> None:
    empty = question_figures(np.zeros((0, 15), dtype=bool), np.zeros(0, dtype=int), np.zeros(0, dtype=bool))
    scorer = empty.scorer
    assert (empty.map, empty.mrr, empty.p_at_5, empty.questions, empty.answered, empty.coverage) == (0, 0, 0, 0, 0, 0)
    assert (scorer.map, scorer.mrr, scorer.p_at_5) == (0, 0, 0)


def test_measures_by_hand() -> None:
    assert one_question([0], 1) == (1.0, 1.0, 1.0)
    assert one_question([1], 1) == (0.0, 0.0, 0.0)  # one right answer is asked for, so one answer is read
    # n = 2, hit at rank 2: 0/1, then 1/2 fourteen times
    assert one_question([1], 2) == pytest.approx((14 * 0.5 / 15, 0.5, 0.5))
    # n = 3, hits at ranks 1 and 3, the hit at rank 4 is not read: 1/1, 1/2, then 2/3 thirteen times
    assert one_question([0, 2, 3], 3) == pytest.approx(((1 + 1 / 2 + 13 * 2 / 3) / 15, 1.0, 2 / 3))
    assert one_question(list(range(15)), 40) == (1.0, 1.0, 1.0)


def test_the_usual_measures_by_hand() -> None:
    hits = np.zeros((3, 15), dtype=np.bool_)
    hits[0, [0, 2, 9]] = hits[1, 1] = True
    figures = question_figures(hits, np.array([4, 1, 2]), np.array([True, True, False]))
    assert figures.map == pytest.approx(((1 + 2 / 3 + 3 / 10) / 4 + (1 / 2) / 1 + 0) / 3)
    assert figures.mrr == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert figures.p_at_5 == pytest.approx((2 / 5 + 1 / 5 + 0) / 3)
    assert (figures.questions, figures.answered) == (3, 2)
    hits = np.ones((1, 15), dtype=np.bool_)
    assert question_figures(hits, np.array([40]), np.array([True])).map == pytest.approx(1.0)


def slow_figures(hits: list[bool], gold: int) -> tuple[float, float, float]:
    """The scorer of the task, rank by rank."""
    read = [hit and place < gold for place, hit in enumerate(hits)]
    precision = [sum(read[: k + 1]) / min(k + 1, gold) for k in range(len(read))]
    first = next((1 / (place + 1) for place, hit in enumerate(read) if hit), 0.0)
    return sum(precision) / len(precision), first, precision[4]


@given(st.lists(st.booleans(), min_size=15, max_size=15), st.integers(1, 30))
def test_measures_agree_with_the_slow_ones(hits: list[bool], gold: int) -> None:
    assert one_question([place for place, hit in enumerate(hits) if hit], gold) == pytest.approx(
        slow_figures(hits, gold)
    )


TASK = DiscoveryTask(
    "pets",
    ("poodle", "judge", "zebra", "old dog"),
    ("concept", "concept", "entity", "entity"),
    (("dog", "animal"), ("striped judge", "unheard of"), ("animal",), ("dog",)),
    ("animal", "dog", "law", "court", "striped judge", "old dog", "poodle"),
)


def test_a_model_that_knows_the_tree() -> None:
    result = evaluate_discovery(small_model(), TASK)
    # poodle: dog and animal come first in either order; judge: nothing right can be given; zebra: not known
    poodle = result.by_type["concept"]
    assert (poodle.map, poodle.mrr, poodle.p_at_5) == (0.5, 0.5, 0.2)
    assert (poodle.scorer.map, poodle.scorer.mrr, poodle.scorer.p_at_5) == (0.5, 0.5, 0.5)
    assert (result.all.questions, result.all.answered) == (4, 3)
    assert (result.by_type["entity"].questions, result.by_type["entity"].answered) == (2, 1)  # an old dog is a dog
    assert result.all.map == 0.5
    assert (result.candidates, result.known_candidates) == (7, 7)
    gold = result.gold
    assert (gold.answers, gold.reachable, gold.multiword, gold.multiword_reachable) == (6, 5, 2, 1)
    written = result.as_json()
    assert (written["map"], written["coverage"], written["types"]["concept"]["map"]) == (50.0, 75.0, 50.0)
    assert written["types"]["concept"]["scorer"] == {"map": 50.0, "mrr": 50.0, "p_at_5": 50.0}


def test_fifteen_answers_are_looked_at() -> None:
    """As many as the task's own scorer takes."""
    assert ANSWERS == 15


def test_nothing_known_is_zero_and_no_error() -> None:
    task = DiscoveryTask("x", ("zebra",), ("concept",), (("horse",),), ("horse", "mule"))
    result = evaluate_discovery(small_model(), task)
    assert (result.all.map, result.all.answered, result.known_candidates) == (0.0, 0, 0)
    task = DiscoveryTask("x", ("dog",), ("concept",), (("horse",),), ("horse", "mule"))
    assert evaluate_discovery(small_model(), task).all.answered == 0


DATA, GOLD, VOCABULARY = (
    b"poodle\tConcept\nRoe v. Wade\tEntity\n",
    b"dog\tAnimal\ncase\tcase\n",
    b"animal\nDog\ndog\n\n",
)


def write(folder: Path, **content: bytes) -> list[Path]:
    files = {"data": DATA, "gold": GOLD, "vocabulary": VOCABULARY, **content}
    paths = []
    for name, text in files.items():
        paths.append(folder / f"pets.training.{name}.txt")
        paths[-1].write_bytes(text)
    return paths


def test_reading(tmp_path: Path) -> None:
    task = read_discovery(*write(tmp_path))
    assert task == DiscoveryTask(
        "pets.training",
        ("poodle", "roe v. wade"),
        ("concept", "entity"),
        (("dog", "animal"), ("case",)),
        ("animal", "dog"),
    )
    # a separator of Unicode inside a name ends no line
    task = read_discovery(*write(tmp_path, gold="dog\x85house\tx\ncase\n".encode()))
    assert task.gold == (("dog house", "x"), ("case",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"data": b""}, "data.txt: empty"),
        ({"gold": b"\n\n"}, "gold.txt: empty"),
        ({"vocabulary": b""}, "vocabulary.txt: empty"),
        ({"data": b"poodle\tConcept\nRoe v. Wade\n"}, "line 2 has no query and type"),
        ({"gold": b"dog\tanimal\n"}, "has 2 lines and .* has 1"),
        ({"gold": b"dog\n\ncase\n"}, "has 2 lines and .* has 3"),
        ({"gold": b"\ncase\n"}, "gold.txt: line 1 is empty"),
        ({"vocabulary": b"\x00\x01\x02"}, "not a text file"),
        ({"data": b"\xff\xfe\x00"}, "not UTF-8"),
    ],
)
def test_bad_files_are_one_clear_line(tmp_path: Path, content: dict[str, bytes], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_discovery(*write(tmp_path, **content))
    assert "\n" not in str(caught.value)


def test_figures_are_written_in_per_cent_with_four_places() -> None:
    scorer = RankFigures(1 / 7, 2 / 7, 3 / 7)
    written = QuestionFigures(4 / 7, 5 / 7, 6 / 7, scorer, 3, 2).as_json()
    assert written.pop("scorer") == {"map": 14.2857, "mrr": 28.5714, "p_at_5": 42.8571}
    shares = {"map": 57.1429, "mrr": 71.4286, "p_at_5": 85.7143, "coverage": 66.6667}
    assert written == {**shares, "questions": 3, "answered": 2}


@pytest.mark.parametrize(("vocabulary", "answered"), [(("animal",), 1), (("dog",), 0), (("animal", "dog"), 1)])
def test_one_answer_is_an_answer_and_a_question_is_none_to_itself(vocabulary: tuple[str, ...], answered: int) -> None:
    task = DiscoveryTask("x", ("dog",), ("concept",), (("animal",),), vocabulary)
    result = evaluate_discovery(small_model(), task)
    assert (result.all.answered, result.all.map, result.all.coverage) == (answered, answered, answered)


def test_answers_are_taken_however_unlikely_they_are() -> None:
    """Nobody says that a court is an animal, and a model with patterns is not at all sure of it."""
    words = ["animal", "law", "dog", "cat", "court", "poodle", "spaniel", "judge", "thing"]
    patterns = Patterns(words, ["such as"], pack([2, 3, 7], [0, 0, 4], [0, 0, 0]), [5, 4, 3])
    task = DiscoveryTask("x", ("court",), ("concept",), (("animal",),), ("animal", "dog", "cat"))
    for score in (None, "confidence"):
        result = evaluate_discovery(small_model(patterns=patterns), task, score=score)
        assert result.all.answered == 1 and result.all.mrr > 0
