"""What a model takes over of what the text states: the pairs between words of its vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hyperdive._progress import Progress
from hyperdive._store import Artifact
from hyperdive.patterns.collector import merge
from hyperdive.patterns.files import FOLDER
from hyperdive.patterns.store import Patterns, open_folder

PatternSource = bool | str | Path | Sequence[str | Path]
"""True: those of the input, if it has some; False: none; else folders of patterns, or corpora that hold some."""


def pattern_folders(source: Path | None, patterns: PatternSource) -> list[Artifact]:
    """The folders of patterns that a model made from this corpus or these counts takes over."""
    if patterns is False:
        return []
    if patterns is True:
        return [] if source is None or not (source / FOLDER).is_dir() else [open_folder(source)]
    return [open_folder(folder) for folder in ([patterns] if isinstance(patterns, str | Path) else patterns)]


def patterns_between(words: list[str], folders: Sequence[Artifact], progress: Progress) -> Patterns | None:
    """The patterns of all folders between these words, with their decomposition; None where there is no folder."""
    if not folders:
        return None
    with progress.stage("patterns", total=len(folders) + 2) as bar:
        stores = []
        for folder in folders:
            folder.verify()
            stores.append(Patterns.read(folder))
            bar.advance(1)
        whole = stores[0] if len(stores) == 1 else merge(stores)
        between = whole.of_vocabulary(set(words))
        bar.advance(1)
        between.factors  # noqa: B018 computed here, kept in the model
        bar.advance(1)
    return between


def rare_words(terms: Iterable[str]) -> list[str]:
    """The single words among the terms of a model: what is stated of them is kept with the statements about words.

    >>> rare_words(["guide dog", "okapi"])
    ['okapi']
    """
    return [name for name in terms if " " not in name]
