"""Models by name: which folder a user means by a path or by the name of a model that comes with the package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from hyperdive._store import HEADER
from hyperdive.errors import FormatError

DEFAULT = "en-wiki"
"""The model that verbs ask when no other is named."""

_FOLDER = Path(__file__).parents[1] / "models"


def packaged_models() -> list[str]:
    """The names of the models inside this installation."""
    return sorted(path.parent.name for path in _FOLDER.glob("*/header.json"))


def find_model(model: str | Path = DEFAULT) -> Path:
    """The folder of a model: a path as it is, else the packaged model of this name.

    >>> find_model("no-such-model").name
    'no-such-model'
    """
    path = Path(model)
    if path.exists():
        return path
    named = packaged_models()
    if str(model) in named:
        return _FOLDER / str(model)
    if str(model) == DEFAULT:
        raise FormatError(
            f"the model {DEFAULT} is not part of this installation",
            hint="name one with -m MODEL, or make one with: hyperdive train TEXT -o MODEL",
        )
    near = get_close_matches(str(model), named, 1)
    if near and path.name == str(model):
        raise FormatError(f"{model}: no such model", hint=f"did you mean {near[0]}?")
    return path  # what opens it says what is wrong with it


@dataclass(frozen=True)
class ModelPlace:
    """The folder that a model was read from, and a hash of its header, which has the checksums of its files."""

    folder: Path
    hash: str

    @classmethod
    def of(cls, folder: Path) -> ModelPlace | None:
        """Return the present state of a folder; None when it is gone."""
        try:
            header = (folder / HEADER).read_bytes()
        except OSError:
            return None
        return cls(folder.resolve(), hashlib.sha256(header).hexdigest())

    @property
    def name(self) -> str:
        """How another process, perhaps on another machine, finds the model: by name when it comes with the package."""
        return self.folder.name if self.folder.parent == _FOLDER.resolve() else str(self.folder)
