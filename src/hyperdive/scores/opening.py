"""Open what a user names as a model: a space folder, a model folder, or a model that comes with the package."""

from __future__ import annotations

from importlib import import_module, util
from pathlib import Path
from typing import Any

from hyperdive._store import HEADER, read_header
from hyperdive.errors import FormatError
from hyperdive.scores.source import Source, as_source
from hyperdive.spaces.space import KIND, MADE_WITH, VectorSpace

_MODEL_MODULE = "hyperdive.spaces.model"


def open_space(path: str | Path) -> Any:
    """A space or a model by its path or name."""
    folder = Path(path)
    if (folder / HEADER).is_file() and read_header(folder)["format"] == f"hyperdive-{KIND}":
        return VectorSpace.load(folder)
    if util.find_spec(_MODEL_MODULE) is not None:
        return import_module(_MODEL_MODULE).Model.load(path)
    raise FormatError(f"{path}: no such model", hint=f"make one with: {MADE_WITH}")


def open_source(model: str | Path, *, skipgram: str | Path | None = None, counts: str | Path | None = None) -> Source:
    """The spaces that scores may ask: those of a model, with a skip-gram space or a space of counts beside it.

    `skipgram` may be a model too: its skip-gram space is taken.
    """
    beside = None if skipgram is None else open_space(skipgram)
    if beside is not None:
        beside = getattr(beside, "skipgram", None) or as_source(beside).main
    return as_source(open_space(model), beside, None if counts is None else as_source(open_space(counts)).main)
