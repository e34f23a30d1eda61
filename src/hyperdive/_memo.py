"""Values derived from an object, computed once and dropped with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def memo_of(owner: Any) -> Memo:
    """Return the cache of an object, which is made when it is first needed."""
    memo: Memo = vars(owner).setdefault("_memo", Memo())
    return memo


class Memo:
    """A cache that an object owns; the key of a value is its type. Threads that ask at once get one and the same value.

    >>> memo = Memo()
    >>> memo.get(list, lambda: [1, 2]) is memo.get(list, list)
    True
    """

    def __init__(self) -> None:
        self._values: dict[type[Any], Any] = {}
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        return Memo, ()  # derived values are computed anew in another process

    def get(self, of: type[T], make: Callable[[], T]) -> T:
        """The value of this type, made when it is first asked for."""
        if of not in self._values:
            with self._lock:
                if of not in self._values:
                    self._values[of] = make()
        value: T = self._values[of]
        return value
