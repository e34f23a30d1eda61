"""Parents by the modifier: which phrases are compared, from which confidence on, and what the edge is worth."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hyperdive.ask.ranking import Ranking
from hyperdive.scores.source import Source
from hyperdive.scores.terms import Terms
from hyperdive.spaces.space import VectorSpace
from hyperdive.taxonomy import edge_weights
from hyperdive.taxonomy import terms as modifiers
from hyperdive.taxonomy.terms import modifier_parents, modifiers_by_head
from tests.taxonomy.believed import believe

WORDS = ["fruit", "grape", "cherry", "juice", "red"]


def told(monkeypatch: pytest.MonkeyPatch, sure: dict[tuple[str, str], float]) -> Source:
    """A source whose confidences are these, 0 for other pairs."""
    space = VectorSpace(WORDS, np.eye(len(WORDS)), frequencies=[5, 4, 3, 2, 1], kind="dive")

    def confidence(terms: Any) -> Any:
        rows = terms.rows.csr.toarray()
        words = [WORDS[row.argmax()] if (row > 0).sum() == 1 else "" for row in rows]
        return lambda q, p: np.array([sure.get((words[a], words[b]), 0.0) for a, b in zip(q, p, strict=True)])

    monkeypatch.setattr(Terms, "confidence", property(confidence))
    return Source(space, skipgram=space, stated=lambda: SimpleNamespace())  # type: ignore[arg-type, return-value]


NAMES = ["cherry juice", "fruit juice", "grape juice", "juice", "red grape juice"]


def test_a_phrase_is_put_under_the_phrase_whose_modifier_is_broader(monkeypatch: pytest.MonkeyPatch) -> None:
    source = told(monkeypatch, {("grape", "fruit"): 0.95, ("cherry", "fruit"): 0.73, ("cherry", "grape"): 0.72})
    parents, sure = modifier_parents(source, NAMES)
    assert parents.tolist() == [1, -1, 1, -1, -1]
    assert sure.tolist() == [0.73, 0.0, 0.95, 0.0, 0.0]


def test_below_the_least_confidence_nothing_is_put_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    parents, _ = modifier_parents(told(monkeypatch, {("grape", "fruit"): 0.729}), NAMES)
    assert (parents == -1).all()


def test_the_surest_of_several_is_the_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    source = told(monkeypatch, {("cherry", "grape"): 0.8, ("cherry", "fruit"): 0.9})
    assert modifier_parents(source, NAMES)[0].tolist() == [1, -1, -1, -1, -1]


def test_without_patterns_there_is_no_such_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    source = told(monkeypatch, {("grape", "fruit"): 0.95})
    silent = Source(source.main, skipgram=source.main)
    assert (modifier_parents(silent, NAMES)[0] == -1).all()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    source = told(monkeypatch, {("grape", "fruit"): 0.95, ("cherry", "fruit"): 0.8})
    whole = modifier_parents(source, NAMES)
    monkeypatch.setattr(modifiers, "_PAIRS_A_BLOCK", 1)
    assert [a.tolist() for a in modifier_parents(source, NAMES)] == [a.tolist() for a in whole]


def test_phrases_that_end_in_a_preposition_or_number_have_no_modifier() -> None:
    assert modifiers_by_head(["bird of prey", "fish of prey", "vitamin 6", "mineral 6"]) == {}


class ThreeNodes(SimpleNamespace):
    """A phrase, its head, and the phrase that it is a kind of by its modifier."""

    heads, endings, modified = np.array([1, -1, 1]), np.full(3, -1), np.array([2, -1, -1])

    def __len__(self) -> int:
        return 3


class FourNodes(ThreeNodes):
    """Phrases with one head, none of them a kind of another by its modifier."""

    heads, endings, modified = np.array([1, -1, 1, 1]), np.full(4, -1), np.full(4, -1)

    def __len__(self) -> int:
        return 4


def test_the_edge_by_the_modifier_is_worth_a_unit_more_than_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_weights, "_head_weights", lambda *_: np.array([2.0, 0.0, 2.0]))
    values = np.array([[np.nan, 0.9, 0.2], [0.1, np.nan, 0.1], [0.9, 0.9, np.nan]], dtype=np.float32)
    by = Ranking(edge_weights.EDGE, lambda pairs: np.zeros(len(pairs)), True)
    weights = edge_weights.weigh(values, by, 0.5, ThreeNodes())  # type: ignore[arg-type]
    assert weights[0, 2] == pytest.approx(weights[0, 1] + 1.0)
    assert weights[2, 0] == -4.0


def test_a_believed_parent_with_the_same_head_keeps_the_worth_of_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    # banana bread, bread, quick bread, and rye bread, whose head is doubted
    nodes = FourNodes()
    monkeypatch.setattr(edge_weights, "_head_weights", lambda *_: np.array([2.0, 0.0, 2.0, 0.0]))
    by = Ranking(edge_weights.EDGE, lambda pairs: np.zeros(len(pairs)), True)
    values = np.full((4, 4), 0.2, dtype=np.float32)
    values[0, 2] = values[3, 2] = 0.9
    weights = edge_weights.weigh(values, by, 0.5, nodes)  # type: ignore[arg-type]
    assert weights[0, 2] == pytest.approx(np.log(9) + 2.0 + 1.0, abs=1e-3)
    assert weights[0, 1] == pytest.approx(2.0)
    assert weights[3, 2] == pytest.approx(np.log(9), abs=1e-3)  # no worth of a doubted head
    assert weights[0, 3] == 0.0  # not believed
    assert weights[0, 0] == 0.0


def test_the_edge_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    model = believe(monkeypatch, WORDS, {("grape", "fruit"): 0.9})
    monkeypatch.setattr(
        "hyperdive.taxonomy.terms.modifier_parents",
        lambda _, names: (
            np.array([list(names).index("fruit juice") if name == "grape juice" else -1 for name in names]),
            np.array([0.95 if name == "grape juice" else 0.0 for name in names]),
        ),
    )
    tree = model.taxonomy(["grape juice", "fruit juice", "juice"])
    edge = next(edge for edge in tree.edges if edge.child == "grape juice")
    assert (edge.parent, edge.reason, edge.confidence) == ("fruit juice", "modifier", 0.95)
