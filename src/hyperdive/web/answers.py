"""Answers as bytes: how they are written, and the latest of them."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from hyperdive.web import limits
from hyperdive.web.problems import Problem
from hyperdive.web.schema import parts, plain

_KEPT_BYTES = 32 << 20
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=parts)


def written(reply: Any) -> bytes:
    """A message as JSON in UTF-8.

    >>> written({"term": "café", "value": float("nan")}).decode()
    '{"term":"café","value":null}'
    """
    try:
        text = _ENCODER.encode(reply)
    except ValueError:  # a number that JSON does not have
        text = _ENCODER.encode(plain(reply))
    return within_limit(text.encode("utf-8", errors="replace"))


def within_limit(content: bytes) -> bytes:
    """The content of an answer, unless it is too large."""
    if len(content) > limits.RESULT_BYTES:
        raise Problem("too_large", f"the answer has more than {limits.RESULT_BYTES} bytes", hint="ask for less")
    return content


class KeptAnswers:
    """The latest answers that depend on the model alone, up to a number of bytes.

    >>> kept = KeptAnswers(most=8)
    >>> for number in range(3):
    ...     kept.put(number, b"1234")
    >>> kept.get(0), kept.get(2)
    (None, b'1234')
    """

    def __init__(self, most: int = _KEPT_BYTES) -> None:
        self._most, self._size = most, 0
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> bytes | None:
        """The answer that is kept under a key."""
        with self._lock:
            if key not in self._answers:
                return None
            self._answers.move_to_end(key)
            return self._answers[key]

    def put(self, key: Hashable, answer: bytes) -> None:
        """Keep an answer; the longest unused ones make room for it."""
        with self._lock:
            self._size += len(answer) - len(self._answers.pop(key, b""))
            self._answers[key] = answer
            while self._size > self._most:
                self._size -= len(self._answers.popitem(last=False)[1])
