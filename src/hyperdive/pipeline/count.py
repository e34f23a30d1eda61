"""Corpora or counts → counts that carry what their texts state: the patterns, merged in the order of the inputs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hyperdive._resources import Run, require_memory
from hyperdive._store import HEADER, Artifact
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.merge import merge
from hyperdive.counts.store import Beside
from hyperdive.patterns.collector import merge as merge_patterns
from hyperdive.patterns.files import FOLDER
from hyperdive.patterns.store import Patterns, open_folder
from hyperdive.text.corpus import Corpus

_MERGE_BYTES = 60  # of memory for each byte on disk while patterns are merged


def count_corpora(
    corpora: Sequence[str | Path], output: str | Path, *, patterns: bool = True, run: Run = Run(), **options: Any
) -> Cooccurrence:
    """Count corpora in one run.

    Args:
        corpora: folders of encoded corpora.
        output: the folder of the counts.
        patterns: whether the counts carry the patterns of the corpora.
        run: threads, memory, progress, and whether older counts are replaced.
        options: those of `Cooccurrence.from_corpus`.

    >>> import tempfile
    >>> from hyperdive.pipeline.encode import encode
    >>> from hyperdive.patterns.store import patterns_of
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, text in (("a", "They keep dogs such as poodles."), ("b", "They like dogs such as poodles.")):
    ...     _ = encode(texts=[text], output=folder / f"corpus-{name}", min_count=1)
    ...     _ = count_corpora([folder / f"corpus-{name}"], folder / name)
    >>> counts = merge_counts([folder / "a", folder / "b"], folder / "both")
    >>> patterns_of(counts.path).count("poodle", "dog")
    2
    """
    opened = [Corpus.open(corpus) for corpus in corpora]
    beside = _carried([corpus.path for corpus in opened], run) if patterns else None
    return Cooccurrence.from_corpus(opened, output, beside=beside, run=run, **options)


def merge_counts(
    stores: Sequence[str | Path],
    output: str | Path,
    *,
    min_count: int | None = None,
    patterns: bool = True,
    run: Run = Run(),
) -> Cooccurrence:
    """Add counts of separately counted corpora; the result is that of counting the corpora in one run.

    Args:
        stores: folders of counts.
        output: the folder of their sum.
        min_count: words rarer than this read as the unknown symbol; None takes that of the stores.
        patterns: whether the sum carries the patterns of the stores.
        run: threads, memory, progress, and whether older counts are replaced.
    """
    opened = [Cooccurrence.open(store) for store in stores]
    beside = _carried([store.path for store in opened], run) if patterns else None
    merge(opened, output, min_count=min_count, beside=beside, run=run)
    return Cooccurrence.open(output)


def _carried(folders: Sequence[Path], run: Run) -> Beside | None:
    """What writes the patterns of these corpora or counts into a folder; None where there are none."""
    having = [folder for folder in folders if (folder / FOLDER).is_dir()]
    for folder in folders if having else ():
        if folder not in having:
            run.progress.note(f"note: {folder} has no patterns; those of the others are carried")
    if not having:
        return None
    stores = [open_folder(folder) for folder in having]
    for store in stores:
        store.verify()
    if len(stores) == 1:
        return partial(_copy, stores[0])
    size = sum(entry["bytes"] for store in stores for entry in store.header["files"].values())
    require_memory(run.memory, _MERGE_BYTES * size, "the patterns of the inputs", instead=", or add --set patterns=no")
    return partial(_merge, stores)


def _copy(store: Artifact, target: Path) -> None:
    """The patterns of one input, file by file as they are."""
    (target / FOLDER).mkdir()
    for name in (*store.header["files"], HEADER):
        shutil.copyfile(store.path / name, target / FOLDER / name)


def _merge(stores: Sequence[Artifact], target: Path) -> None:
    merge_patterns([Patterns.read(store) for store in stores]).save(target / FOLDER)
