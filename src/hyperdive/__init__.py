"""hyperdive: raw text in, is-a knowledge out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hyperdive.errors import Error as Error
    from hyperdive.text.corpus import Corpus as Corpus
    from hyperdive.text.encoding import encode as encode

# Names are imported on first use, so that `import hyperdive` stays instant.
_WHERE = {
    "Error": "hyperdive.errors",
    "Corpus": "hyperdive.text.corpus",
    "encode": "hyperdive.text.encoding",
}

__all__ = ["Corpus", "Error", "__version__", "encode"]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        from importlib import import_module

        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'hyperdive' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
