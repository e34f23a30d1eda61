"""Answers as bytes: messages, numbers that JSON does not have, other mappings and sequences."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pytest

from hyperdive.web import limits
from hyperdive.web.answers import within_limit, written
from hyperdive.web.problems import Problem
from hyperdive.web.schema import plain


@dataclass(frozen=True)
class Value:
    name: str
    value: object = None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value("café"), '{"name":"café","value":null}'),
        (Value("a", (Value("b", 1.5), Value("c", float("inf")))), None),
        (Value("a", MappingProxyType({"x": Value("b", -0.0), "y": [True, 2]})), None),
        (Value("a", {"x": float("nan"), "y": np.float64(0.1)}), '{"name":"a","value":{"x":null,"y":0.1}}'),
        ((), "[]"),
    ],
)
def test_an_answer_is_its_plain_form_as_json(value: object, text: str | None) -> None:
    expected = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
    assert written(value).decode() == expected == (text or expected)
    assert "NaN" not in expected and "Infinity" not in expected


def test_half_a_surrogate_pair_does_not_stop_an_answer() -> None:
    assert written(Value("\ud800")) == b'{"name":"?","value":null}'


def test_an_answer_has_a_limit_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RESULT_BYTES", 4)
    assert within_limit(b"1234") == b"1234"
    with pytest.raises(Problem, match="more than 4 bytes"):
        within_limit(b"12345")
