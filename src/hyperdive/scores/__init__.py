"""Is x a kind of y? One table of scoring functions, from a name to a function of two batches of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperdive.scores.pairs import Pairs as Pairs
    from hyperdive.scores.pairs import Rows as Rows
    from hyperdive.scores.registry import Score as Score
    from hyperdive.scores.registry import get as get
    from hyperdive.scores.registry import names as names
    from hyperdive.scores.registry import register as register
    from hyperdive.scores.registry import table as table
    from hyperdive.scores.registry import unregister as unregister
    from hyperdive.scores.source import Source as Source
    from hyperdive.scores.source import as_source as as_source
    from hyperdive.scores.terms import Terms as Terms
    from hyperdive.scores.terms import usable_scores as usable_scores

# Names are imported on first use, so that a command can name its options without loading the compiler.
_WHERE = {
    "pairs": ("Pairs", "Rows"),
    "registry": ("Score", "get", "names", "register", "table", "unregister"),
    "source": ("Source", "as_source"),
    "terms": ("Terms", "usable_scores"),
}
_MODULE = {name: f"hyperdive.scores.{module}" for module, names in _WHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULE:
        from importlib import import_module

        return getattr(import_module(_MODULE[name]), name)
    raise AttributeError(f"module 'hyperdive.scores' has no attribute {name!r}")
