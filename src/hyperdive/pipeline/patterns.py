"""The patterns stage of a training run: what the text states, between words of the model's vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hyperdive._progress import Progress
from hyperdive._store import Artifact
from hyperdive.patterns.merge import merge
from hyperdive.patterns.store import FOLDER, Patterns, open_folder
from hyperdive.patterns.store_files import read_files
from hyperdive.pipeline.stages import Work
from hyperdive.text.corpus import Corpus

Given = bool | str | Path | Sequence[str | Path]
"""True: those of the corpus, if it has some; False: none; else folders of patterns, or corpora that hold some."""


def patterns_given(source: Any, patterns: Given) -> list[Artifact]:
    """The folders of patterns that a model made from `source` takes over."""
    if patterns is False:
        return []
    if patterns is True:
        folder = source.path if isinstance(source, Corpus) else source
        inside = isinstance(folder, str | Path) and (Path(folder) / FOLDER).is_dir()
        return [open_folder(folder)] if inside else []
    return [open_folder(one) for one in ([patterns] if isinstance(patterns, str | Path) else patterns)]


def patterns_stage(stated: Sequence[Artifact], words: list[str], work: Work, progress: Progress) -> Patterns | None:
    """Those of all folders between words of the vocabulary, with their decomposition; found again by a resumed run."""
    if not stated:
        return None
    if not work.done("patterns"):
        with progress.stage("patterns", total=len(stated) + 2) as bar:
            stores = []
            for one in stated:
                one.verify()
                stores.append(read_files(one))
                bar.advance(1)
            whole = stores[0] if len(stores) == 1 else merge(stores)
            made = whole.of_vocabulary(set(words))
            bar.advance(1)
            made.factors  # noqa: B018 computed here, kept in the model
            made.save(work.place("patterns"))
            bar.advance(1)
    return Patterns.open(work.place("patterns"))
