"""MkDocs hook: links from a page to files outside docs/ lead to the repository, since the site has only docs/."""

from __future__ import annotations

import re
from typing import Any


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Rewrite links that leave docs/ to addresses in the repository.

    >>> from types import SimpleNamespace
    >>> page = SimpleNamespace(file=SimpleNamespace(src_uri="how-to/ask.md"))
    >>> config = SimpleNamespace(repo_url="https://example.org/r/")
    >>> on_page_markdown("[code](../../src/x.py) [page](../index.md)", page=page, config=config)
    '[code](https://example.org/r/blob/main/src/x.py) [page](../index.md)'
    """
    up = "../" * (page.file.src_uri.count("/") + 1)
    target = rf"]({config.repo_url.rstrip('/')}/blob/main/\1)"
    return re.sub(rf"\]\({re.escape(up)}([^)\s]+)\)", target, markdown)
