"""How many examples a property test tries: a third of them in `make test`, all of them in `make test-all`."""

from __future__ import annotations

import os

from hypothesis import settings


def examples(number: int) -> settings:
    """The settings of a test that tries so many examples where time does not matter."""
    return settings(max_examples=number if os.environ.get("HYPERDIVE_THOROUGH") else -(-number // 3), deadline=None)
