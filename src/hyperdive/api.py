"""The functions that make models: `train(text, folder)` and `add(model, text, folder)`.

What training needs is imported when training starts, so that a model that is only queried opens sooner.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperdive._engine import Engine
from hyperdive._progress import SILENT, Progress
from hyperdive.errors import OptionError
from hyperdive.model import Model, load

if TYPE_CHECKING:
    from hyperdive.pipeline.add import Additions


def train(
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    text: Mapping[str, Any] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    restart: bool = False,
    force: bool = False,
    engine: Engine | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Model:
    """Train a model, or with `space` another space, and save it.

    Args:
        source: Path(s) of text, a `Corpus`, a `Cooccurrence`, a folder of either, or whatever `encode` takes.
        output: The model folder to write.
        texts: Raw documents instead of `source`: an iterable of strings.
        text: Options of `encode`, for text.
        threads: Threads to use; None is all. The result is the same for any number.
        memory: Bytes that reading and counting stay under; None is half of this machine's.
        restart: Begin anew; without it a run that was stopped goes on.
        force: Replace an older model of this name.
        engine: Where the work is run, such as a `hyperdive.engines.SparkEngine`; None is this process. The result is
            the same.
        progress: Where to report progress.
        options: `preset`, `space`, the options of `Dive`, and `start`, an earlier model to go on from.

    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> folder = Path(tempfile.mkdtemp())
    >>> train(texts=lines, output=folder / "model", dimensions=4, pmi_filter="none", passes=5)
    <Model of 7 words: dive 4 dimensions, contexts, skipgram, terms, patterns>
    >>> _ = (folder / "pets.txt").write_text("\\n".join(lines))
    >>> train(folder / "pets.txt", folder / "sbow", space="sbow-ppmi")
    <Model of 7 words: sbow-ppmi 7 dimensions>
    """
    from hyperdive._resources import Run
    from hyperdive.pipeline.encode import encode
    from hyperdive.pipeline.inputs import TokenLists, read_input
    from hyperdive.pipeline.train import train
    from hyperdive.text.sources import DocumentSource

    if output is None:
        raise OptionError("a model needs a folder to be written to", hint="give output=")
    run = Run(threads=threads, memory=memory, restart=restart, force=force, progress=progress, engine=engine)
    given: Any = read_input(source, texts)
    if not isinstance(given, DocumentSource | TokenLists):
        given = given[0] if isinstance(given, list) and len(given) == 1 else given
        return train(given, output, text=text, run=run, **options)
    if engine is not None:
        raise OptionError("an engine reads files, not documents of a program", hint="write the text to files")
    rules = {**(text or {}), "preset": options.get("preset", "default")}
    if options.get("patterns", True) is not True:
        rules["patterns"] = False
    with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
        corpus = encode(given, Path(folder) / "corpus", threads=threads, memory=memory, progress=progress, **rules)
        return train(corpus, output, run=run, **options)


def add(
    model: Model | str | Path,
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    terms: str | Path | None = None,
    text: Mapping[str, Any] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    force: bool = False,
    progress: Progress = SILENT,
) -> tuple[Model, Additions]:
    """Fold the terms and the evidence of new text into a model, without training again; the model itself stays.

    Terms that the model does not have get rows; of those it has, only the counts grow. Words stay as they are.

    Args:
        model: A model with context vectors, or its folder.
        source: Text as for `encode`, or an encoded corpus.
        output: The folder of the new model.
        texts: Raw documents instead of `source`: an iterable of strings.
        terms: A file of terms that are added in any case.
        text: Options of `encode` for reading the text, such as `{"column": "body"}`.
        threads: Threads to use; None is all. The result is the same for any number.
        memory: Bytes that the process may have of its own; what needs more is refused.
        force: Replace an older model of this name.
        progress: Where to report progress.

    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> folder = Path(tempfile.mkdtemp())
    >>> model = train(texts=lines, output=folder / "model", dimensions=4, pmi_filter="none", passes=5)
    >>> more = ["the guide dog and the spaniel bark", "animals such as terriers sleep"] * 20
    >>> larger, additions = add(model, texts=more, output=folder / "larger")
    >>> "terrier" in larger.terms, larger.patterns.count("terrier", "animal"), additions.terms_updated
    (True, 20, 0)
    """
    from hyperdive._resources import Run
    from hyperdive.pipeline.add import add
    from hyperdive.pipeline.inputs import read_input

    if output is None:
        raise OptionError("a model needs a folder to be written to", hint="give output=")
    given: Any = read_input(source, texts)
    given = given[0] if isinstance(given, list) and len(given) == 1 else given
    old = model if isinstance(model, Model) else load(model)
    run = Run(threads=threads, memory=memory, force=force, progress=progress)
    return add(old, given, output, terms=terms, text=text, run=run)
