"""The state of a server: its models, opened once and read-only, their corrections, its threads and its jobs."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from hyperdive.ask.ranking import ranking
from hyperdive.ask.similar import suggest
from hyperdive.ask.topics import MOST_DIMENSIONS
from hyperdive.errors import InputError
from hyperdive.model import Model, facts_of, load
from hyperdive.spaces.packaged_models import DEFAULT, find_model, packaged_models
from hyperdive.taxonomy.corrections import Corrections, CorrectionsFile
from hyperdive.taxonomy.taxonomy import Taxonomy
from hyperdive.web import limits
from hyperdive.web.jobs import JobPool
from hyperdive.web.messages import Commands, CorrectionsInfo, ModelInfo
from hyperdive.web.problems import Problem
from hyperdive.web.taxonomy_messages import TaxonomyRequest

ENDING = ".corrections.tsv"
_RARE = {
    "hypernyms": {"block", "min_confidence", "score"},
    "hyponyms": {"block", "min_confidence", "score"},
    "taxonomy": {"levels", "max_children", "min_children", "parents", "score"},
}
"""Options that a command takes by `--set`."""
Option = str | int | float | bool | Sequence[str] | None


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model under the name that requests use; `place` is its folder or packaged name, as the server was given it."""

    name: str
    place: str
    model: Model
    file: CorrectionsFile
    read_only: bool

    @property
    def writable(self) -> bool:
        """Whether corrections can be saved."""
        path = self.file.path
        there = path if path.exists() else path.parent
        return not self.read_only and os.access(path.parent, os.W_OK) and os.access(there, os.W_OK)

    def corrections(self) -> Corrections:
        """Return the present corrections."""
        path = self.file.path
        if path.exists() and path.stat().st_size > limits.CORRECTIONS_BYTES:
            raise InputError(f"{path.name}: more than {limits.CORRECTIONS_BYTES} bytes of corrections")
        return self.file.read()

    def info(self) -> ModelInfo:
        """Return the description of the model for clients."""
        model, by, present = self.model, ranking(self.model), self.corrections()
        patterns = model.patterns
        corpus = facts_of(model).get("corpus", {})
        tokens = corpus.get("tokens") if isinstance(corpus, dict) else None
        return ModelInfo(
            name=self.name,
            packaged=_is_packaged(self.place),
            words=len(model),
            terms=len(model.terms),
            dimensions=model.dive.matrix.shape[1],
            tokens=tokens if isinstance(tokens, int) else None,
            patterns=patterns is not None,
            sentences=patterns is not None and patterns.has_sentences,
            calibrated=by.calibrated,
            score=by.name,
            topics=model.dive.matrix.shape[1] <= MOST_DIMENSIONS and model.dive.kind == "dive",
            corrections=CorrectionsInfo(present.version, len(present.rules), self.writable, self.file.path.name),
            command=Commands(
                shlex.join(["hyperdive", "info", self.place]),
                f"from hyperdive import load\nprint(load({self.place!r}))",
            ),
        )

    def commands(
        self, command: str, words: Sequence[str] = (), options: Mapping[str, Option] | None = None
    ) -> Commands:
        """Return the shell line and the Python lines of a question.

        Args:
            command: The command of the command line.
            words: Its arguments.
            options: Its options by their Python names; None is left out, and a list stands for a file of terms.
        """
        chosen = {name: value for name, value in (options or {}).items() if value is not None}
        lists = {name: list(value) for name, value in chosen.items() if isinstance(value, list | tuple)}
        lines = ["from hyperdive import load", f"model = load({self.place!r})"]
        lines += [f"{name} = {value!r}" for name, value in lists.items()]
        keywords = [f"{name}={name if name in lists else repr(value)}" for name, value in chosen.items()]
        batch = command in ("hypernyms", "hyponyms", "similar") and len(words) > 1
        arguments = [repr(list(words))] if batch else list(map(repr, words))
        call = f"print(model.{command}({', '.join([*arguments, *keywords])}))"
        named = [] if self.place == DEFAULT else ["-m", self.place]
        for name, value in chosen.items():
            shown = f"{name}.txt" if name in lists else str(value)
            if name in _RARE.get(command, ()):
                named += ["--set", f"{name}={shown}"]
            elif value is False:
                named.append(f"--no-{name}")
            elif name == "evidence" or value is True:
                named.append(f"--{name}")
            else:
                named += [f"--{name.replace('_', '-')}", shown]
        parts = [*named, "--", *words] if any(word.startswith("-") for word in words) else [*words, *named]
        return Commands(shlex.join(["hyperdive", command, *parts]), "\n".join([*lines, call]))

    def warm_up(self) -> None:
        """Read what a first question would wait for."""
        word = self.model.words[0]
        suggest(self.model, word[:1])
        self.model.hypernyms([word])
        self.model.hyponyms([word])


class Catalogue:
    """The served models by name; the first answers requests without a name."""

    def __init__(self, models: Sequence[ServedModel]) -> None:
        self.models = {served.name: served for served in models}

    def __getitem__(self, name: str | None) -> ServedModel:
        if name is None:
            return next(iter(self.models.values()))
        if name not in self.models:
            raise Problem(
                "unknown_model", f"there is no model {name[:80]!r} here", hint=f"models: {', '.join(self.models)}"
            )
        return self.models[name]


@dataclass
class BuiltTaxonomy:
    """A taxonomy, the version of the corrections with which it was built, and its last revision with newer ones."""

    taxonomy: Taxonomy
    version: str
    revised: tuple[str, Taxonomy] | None = None


@dataclass(frozen=True)
class Service:
    """The models, jobs and threads of a server; quick questions do not wait behind those that take long."""

    models: Catalogue
    read_only: bool = False
    jobs: JobPool[TaxonomyRequest, BuiltTaxonomy] = field(default_factory=JobPool)
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="question")
    )
    quick_threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2, thread_name_prefix="quick"))
    questions: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(limits.QUESTIONS))
    streams: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(limits.STREAMS))

    def close(self) -> None:
        """Cancel all work."""
        self.jobs.close(cancel=True)
        for threads in (self.threads, self.quick_threads):
            threads.shutdown(wait=False, cancel_futures=True)


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(_service)]


def open_models(places: Sequence[str], *, corrections: Path | None = None, read_only: bool = False) -> Catalogue:
    """Open models by folder or name, and check that their corrections can be read.

    Args:
        places: Folders, or names of packaged models.
        corrections: The folder of the files of corrections; None is next to each model, for a packaged model the
            present folder.
        read_only: No corrections are saved.

    >>> catalogue = open_models(["en-wiki"])
    >>> both = catalogue[None].commands("hypernyms", ["hot dog"], {"top": 5, "score": None})
    >>> both.cli
    "hyperdive hypernyms 'hot dog' --top 5"
    >>> print(both.python)
    from hyperdive import load
    model = load('en-wiki')
    print(model.hypernyms('hot dog', top=5))
    """
    served: dict[str, ServedModel] = {}
    for place in places:
        model = load(place)
        folder = find_model(place).resolve()
        stem = place if _is_packaged(place) else folder.name
        numbered = (f"{stem}-{number}" if number > 1 else stem for number in range(1, len(places) + 2))
        name = next(name for name in numbered if name not in served)
        beside = Path() if _is_packaged(place) else folder.parent
        file = CorrectionsFile((beside if corrections is None else corrections) / f"{name}{ENDING}")
        served[name] = ServedModel(name, place, model, file, read_only)
        served[name].corrections()
    return Catalogue(list(served.values()))


def _is_packaged(place: str) -> bool:
    return place in packaged_models() and not Path(place).exists()
