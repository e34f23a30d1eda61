"""The models of a server: opened once when it starts, read-only, each with the file of its corrections."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hyperdive._progress import SILENT
from hyperdive._store import HEADER
from hyperdive.compilation.compiler import prepare
from hyperdive.discover.ranking import ranking
from hyperdive.discover.topics import MOST_DIMENSIONS
from hyperdive.errors import InputError
from hyperdive.model import Model, facts_of, load
from hyperdive.scores._blocks import kernels
from hyperdive.spaces.packaged_models import find_model, packaged_models
from hyperdive.taxonomy.corrections_file import CorrectionsFile, Snapshot
from hyperdive.web import limits
from hyperdive.web.messages import Commands
from hyperdive.web.problems import Problem
from hyperdive.web.server_messages import CorrectionsInfo, ModelInfo

ENDING = ".corrections.tsv"


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model under the name that requests use.

    `place` is the folder, or the name of a packaged model, as the server was given it; `version` is a hash of it.
    """

    name: str
    place: str
    model: Model
    file: CorrectionsFile
    read_only: bool
    version: str

    @property
    def packaged(self) -> bool:
        """Whether the model comes with the package."""
        return self.place in packaged_models() and not Path(self.place).exists()

    @property
    def writable(self) -> bool:
        """Whether corrections can be saved."""
        path = self.file.path
        there = path if path.exists() else path.parent
        return not self.read_only and os.access(path.parent, os.W_OK) and os.access(there, os.W_OK)

    def corrections(self) -> Snapshot:
        """The present corrections."""
        path = self.file.path
        if path.exists() and path.stat().st_size > limits.CORRECTIONS_BYTES:
            raise InputError(f"{path.name}: more than {limits.CORRECTIONS_BYTES} bytes of corrections")
        return self.file.read()

    def info(self) -> ModelInfo:
        """What a client is told about the model."""
        model, by, snapshot = self.model, ranking(self.model), self.corrections()
        patterns = model.patterns
        corpus = facts_of(model).get("corpus", {})
        tokens = corpus.get("tokens") if isinstance(corpus, dict) else None
        return ModelInfo(
            name=self.name,
            packaged=self.packaged,
            words=len(model),
            terms=0 if model.terms is None else len(model.terms),
            dimensions=model.dive.matrix.shape[1],
            tokens=tokens if isinstance(tokens, int) else None,
            patterns=patterns is not None,
            sentences=patterns is not None and patterns.has_sentences,
            calibrated=by.calibrated,
            score=by.name,
            topics=model.dive.matrix.shape[1] <= MOST_DIMENSIONS and model.dive.kind == "dive",
            corrections=CorrectionsInfo(snapshot.version, len(snapshot.rules), self.writable, self.file.path.name),
            command=Commands(
                shlex.join(["hyperdive", "info", self.place]),
                f"from hyperdive import load\nprint(load({self.place!r}))",
            ),
        )

    def warm_up(self) -> None:
        """Read what a first question would have to wait for, then what makes many of them quicker."""
        word = self.model.words[0]
        self.model.suggest(word[:1])
        self.model.hypernyms([word])
        prepare("isa", "score", progress=SILENT)  # in other processes, where they have to be compiled
        kernels.load()
        for word in self.model.words[1:3]:  # the first with compiled kernels loads their code
            self.model.hypernyms([word])
            self.model.hyponyms([word])


class Catalogue:
    """The served models by name; the first is the one that is asked when a request names none."""

    def __init__(self, models: Sequence[ServedModel]) -> None:
        self.models = {served.name: served for served in models}

    def __getitem__(self, name: str | None) -> ServedModel:
        if name is None:
            return next(iter(self.models.values()))
        if name not in self.models:
            raise Problem(
                "unknown_model", f"there is no model {name[:80]!r} here", hint=f"it has: {', '.join(self.models)}"
            )
        return self.models[name]


def open_models(places: Sequence[str], *, corrections: Path | None = None, read_only: bool = False) -> Catalogue:
    """Open models by folder or name, and check that their corrections can be read.

    Args:
        places: Folders, or names of packaged models.
        corrections: The folder of the files of corrections; None is next to each model, for a packaged model the
            present folder.
        read_only: No corrections are saved.

    >>> list(open_models(["en-wiki"]).models)
    ['en-wiki']
    """
    served: dict[str, ServedModel] = {}
    for place in places:
        model = load(place)
        folder = find_model(place)
        packaged = place in packaged_models() and not Path(place).exists()
        stem = place if packaged else folder.resolve().name
        name = next(name for number in range(1, len(places) + 2) if (name := _numbered(stem, number)) not in served)
        beside = Path() if packaged else folder.resolve().parent
        file = CorrectionsFile((beside if corrections is None else corrections) / f"{name}{ENDING}")
        served[name] = ServedModel(name, place, model, file, read_only, _version(folder))
        served[name].corrections()
    return Catalogue(list(served.values()))


def _version(folder: Path) -> str:
    """A hash of the header, which has the checksums of all files."""
    return hashlib.sha256((folder / HEADER).read_bytes()).hexdigest()


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"
