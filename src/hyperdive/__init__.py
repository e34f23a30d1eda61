"""hyperdive: raw text in, is-a knowledge out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hyperdive.api import add as add
    from hyperdive.api import train as train
    from hyperdive.counts.cooccurrence import Cooccurrence as Cooccurrence
    from hyperdive.errors import Error as Error
    from hyperdive.estimator import Dive as Dive
    from hyperdive.model import Model as Model
    from hyperdive.model import load as load
    from hyperdive.pipeline.encode import encode as encode
    from hyperdive.spaces.space import VectorSpace as VectorSpace
    from hyperdive.table import Table as Table
    from hyperdive.taxonomy.taxonomy import Taxonomy as Taxonomy
    from hyperdive.text.corpus import Corpus as Corpus

# Names are imported on first use, so that `import hyperdive` stays instant.
_WHERE = {
    "Cooccurrence": "hyperdive.counts.cooccurrence",
    "Dive": "hyperdive.estimator",
    "Model": "hyperdive.model",
    "add": "hyperdive.api",
    "load": "hyperdive.model",
    "train": "hyperdive.api",
    "Error": "hyperdive.errors",
    "Corpus": "hyperdive.text.corpus",
    "encode": "hyperdive.pipeline.encode",
    "Table": "hyperdive.table",
    "Taxonomy": "hyperdive.taxonomy.taxonomy",
    "VectorSpace": "hyperdive.spaces.space",
}

__all__ = [
    "Cooccurrence",
    "Corpus",
    "Dive",
    "Error",
    "Model",
    "Table",
    "Taxonomy",
    "VectorSpace",
    "__version__",
    "add",
    "encode",
    "load",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        from importlib import import_module

        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'hyperdive' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
