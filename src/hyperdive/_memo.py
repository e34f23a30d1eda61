"""Values derived from an object, computed once and dropped with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Memo:
    """A cache that an object owns; the key of a value is its type.

    >>> memo = Memo()
    >>> memo.get(list, lambda: [1, 2]) is memo.get(list, list)
    True
    """

    def __init__(self) -> None:
        self._values: dict[type[Any], Any] = {}

    def get(self, of: type[T], make: Callable[[], T]) -> T:
        """The value of this type, made when it is first asked for."""
        if of not in self._values:
            self._values[of] = make()
        value: T = self._values[of]
        return value
