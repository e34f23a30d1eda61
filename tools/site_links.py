"""MkDocs hook: links from a page to files outside docs/ lead to the repository, since the site has only docs/."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\]\(\.\./([^)\s]+)\)")


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """Rewrite `](../FILE)` to the address of FILE in the repository.

    >>> from types import SimpleNamespace
    >>> on_page_markdown("[code](../src/x.py)", config=SimpleNamespace(repo_url="https://example.org/r/"))
    '[code](https://example.org/r/blob/main/src/x.py)'
    """
    return _OUTSIDE.sub(rf"]({config.repo_url.rstrip('/')}/blob/main/\1)", markdown)
