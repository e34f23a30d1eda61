"""Groups of answers: what links two answers, where a group ends, and which groups are senses of their own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hyperdive import load
from hyperdive.ask.hypernyms import MIN_LINK, grouped, links


def told(cosines: Any, counts: Any, backed_off: Any = False) -> Any:
    cosines, counts = np.asarray(cosines, dtype=float), np.asarray(counts)
    exact = np.where(np.broadcast_to(np.asarray(backed_off), counts.shape), 0.0, counts)
    stated = SimpleNamespace(exact_counts=exact.ravel())
    return SimpleNamespace(skipgram=object(), skipgram_cosine=cosines.ravel(), patterns=stated)


def test_two_answers_are_linked_by_cosine_statements_or_head() -> None:
    zero = np.zeros((2, 2))
    alike = [[1.0, 0.4], [0.4, 1.0]]
    assert links(told(alike, zero), ["animal", "team"])[0, 1] == pytest.approx(0.4)
    assert links(told(zero - 0.5, zero), ["animal", "team"])[0, 1] == 0.0
    assert links(told(zero, [[0, 3], [0, 0]]), ["cat", "animal"])[1, 0] == pytest.approx(0.75)
    assert links(told(zero, [[0, 3], [0, 0]], True), ["cat", "animal"])[1, 0] == 0.0
    assert links(told(zero, zero), ["sport fish", "sea fish"])[0, 1] == 1.0
    assert links(told(zero, zero), ["Big cats", "cat"])[0, 1] == 1.0
    assert links(told(zero, zero), ["bird of prey", "birds"])[0, 1] == 1.0


def link_of(size: int, **pairs: float) -> Any:
    link = np.eye(size)
    for pair, value in pairs.items():
        a, b = int(pair[1]), int(pair[2])
        link[a, b] = link[b, a] = value
    return link


def test_groups_are_joined_down_to_the_least_link() -> None:
    assert grouped(link_of(2, p01=MIN_LINK), [2, 2]) == [1, 1]
    assert grouped(link_of(2, p01=MIN_LINK - 0.001), [2, 2]) == [1, 2]


def test_it_is_the_mean_link_that_joins() -> None:
    # 2 is near 1 alone: its mean link to the group of 0 and 1 is 0.3
    assert grouped(link_of(3, p01=0.9, p12=0.6, p02=0.0), [2, 2, 2]) == [1, 1, 2]
    assert grouped(link_of(3, p01=0.9, p12=0.7, p02=0.0), [2, 2, 2]) == [1, 1, 1]


def test_a_group_that_the_text_hardly_states_is_no_sense_and_joins_the_nearest() -> None:
    link = link_of(3, p02=0.1, p12=0.2)
    assert grouped(link, [5, 5, 1]) == [1, 2, 2]
    assert grouped(link, [5, 5, 2]) == [1, 2, 3]
    assert grouped(link, [1, 0, 0]) == [1, 1, 1]
    assert grouped(link_of(4, p12=0.9, p03=0.2), [5, 1, 1, 3]) == [1, 1, 1, 2]


def test_senses_are_numbered_in_the_order_of_the_answers() -> None:
    assert grouped(link_of(4, p03=0.9, p12=0.9), [2, 2, 2, 2]) == [1, 2, 2, 1]
    assert grouped(np.eye(0), []) == []


def test_a_jaguar_is_an_animal_and_a_team() -> None:
    model = load("en-wiki")
    table = model.hypernyms("jaguar", 3, senses=True)
    groups = {sense: [answer.term for answer in table if answer.sense == sense] for sense in (1, 2)}
    assert "animal" in groups[1] and "team" in groups[2]
    assert all(1 <= len(group) <= 3 for group in groups.values())
    assert [answer.sense for answer in table] == sorted(answer.sense or 0 for answer in table)
    assert str(table).startswith("sense")
    confidences = {answer.term: answer.confidence for answer in model.hypernyms("jaguar", 9)}
    assert all(confidences.get(answer.term, answer.confidence) == answer.confidence for answer in table)


def test_a_trumpet_has_one_sense_and_an_unknown_word_none() -> None:
    model = load("en-wiki")
    assert {answer.sense for answer in model.hypernyms("trumpet", senses=True)} == {1}
    assert all(answer.sense is None for answer in model.hypernyms("trumpet"))
    assert len(model.hypernyms(["xqzzy"], senses=True)) == 0


def test_thirty_answers_are_grouped_however_few_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(
        "hyperdive.ask.hypernyms.senses", lambda _, names, __: sizes.append(len(names)) or [1] * len(names)
    )
    model = load("en-wiki")
    assert len(model.hypernyms("dog", 1, min_confidence=0.0, senses=True)) == 1
    model.hypernyms("dog", 40, min_confidence=0.0, senses=True)
    assert sizes == [30, 40]
