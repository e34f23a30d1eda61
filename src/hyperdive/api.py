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
from hyperdive.options import AddCall, EncodeOptions, ReadingOptions, RunOptions, SpaceOptions, TrainCall, takes

if TYPE_CHECKING:
    from hyperdive._resources import Run
    from hyperdive.pipeline.add import Additions
    from hyperdive.pipeline.patterns import PatternSource


@takes(TrainCall)
def train(
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    preset: str = "default",
    patterns: PatternSource = True,
    start: Model | None = None,
    engine: Engine | None = None,
    part_bytes: int | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Model:
    """Train a model, or with `space` another space, and save it.

    Args:
        source: Path(s) of text, a `Corpus`, a `Cooccurrence`, a folder of either, or whatever `encode` takes.
        output: The model folder to write.
        texts: Raw documents instead of `source`: an iterable of strings.
        preset: The values to start from: `default`, or `paper` for those of the paper.
        patterns: False leaves out what the text states; corpora or folders of patterns give it for counts.
        start: An earlier model to start from.
        engine: Where the work is run, such as a `hyperdive.engines.SparkEngine`; None is this process. The result is
            the same.
        part_bytes: Text that a task of an engine reads.
        progress: Where to report progress.
        options: Those of `hyperdive.options.TrainCall`: rules for text, the objective, threads and memory.

    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> folder = Path(tempfile.mkdtemp())
    >>> train(texts=lines, output=folder / "model", dimensions=4, pmi_filter="none", passes=5)
    <Model of 7 words: dive 4 dimensions, contexts, skipgram, patterns>
    >>> _ = (folder / "pets.txt").write_text("\\n".join(lines))
    >>> train(folder / "pets.txt", folder / "sbow", space="sbow-ppmi")
    <Model of 7 words: sbow-ppmi 7 dimensions>
    """
    from hyperdive.pipeline.encode import encode
    from hyperdive.pipeline.inputs import TokenLists, read_input
    from hyperdive.pipeline.train import train
    from hyperdive.text.sources import DocumentSource

    if output is None:
        raise OptionError("a model needs a folder to be written to", hint="give output=")
    options = {name: value for name, value in options.items() if value is not None}
    run, options = _run_of(TrainCall, preset, options, engine, progress)
    given: Any = read_input(source, texts)
    if not isinstance(given, DocumentSource | TokenLists):
        given = given[0] if isinstance(given, list) and len(given) == 1 else given
        rest: dict[str, Any] = {"preset": preset, "patterns": patterns, "start": start, "part_bytes": part_bytes}
        return train(given, output, run=run, **rest, **options)
    if engine is not None:
        raise OptionError("an engine reads files, not documents of a program", hint="write the text to files")
    rules = {**EncodeOptions.own(options), **ReadingOptions.own(options), "preset": preset}
    if patterns is not True:
        rules["patterns"] = False
    with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
        corpus = encode(
            given, Path(folder) / "corpus", threads=run.threads, memory=run.memory, progress=progress, **rules
        )
        own = SpaceOptions.own(options) | {name: options[name] for name in _OF_THE_MODEL if name in options}
        return train(corpus, output, preset=preset, patterns=patterns, start=start, run=run, **own)


_OF_THE_MODEL = ("space", "skipgram", "contexts", "terms")


def _run_of(
    kind: type[RunOptions], preset: str, options: Mapping[str, Any], engine: Engine | None, progress: Progress
) -> tuple[Run, dict[str, Any]]:
    """Check all options; return those of the run, and the others."""
    from hyperdive._resources import Run, memory_limit

    kind.preset(preset, **options)
    own = {name: value for name, value in options.items() if name in ("threads", "memory", "force", "restart")}
    if "memory" in own:
        own["memory"] = memory_limit(own["memory"])
    others = {name: value for name, value in options.items() if name not in own}
    return Run(engine=engine, progress=progress, **own), others


@takes(AddCall)
def add(
    model: Model | str | Path,
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> tuple[Model, Additions]:
    """Fold the terms and the evidence of new text into a model, without training again; the model itself stays.

    Terms that the model does not have get rows; of those it has, only the counts grow. Words stay as they are.

    Args:
        model: A model with context vectors, or its folder.
        source: Text as for `encode`, or an encoded corpus.
        output: The folder of the new model.
        texts: Raw documents instead of `source`: an iterable of strings.
        progress: Where to report progress.
        options: Those of `hyperdive.options.AddCall`, such as `terms`, a file of terms that are added in any case.

    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> folder = Path(tempfile.mkdtemp())
    >>> model = train(texts=lines, output=folder / "model", dimensions=4, pmi_filter="none", passes=5)
    >>> more = ["the guide dog and the spaniel bark", "animals such as terriers sleep"] * 20
    >>> larger, additions = add(model, texts=more, output=folder / "larger")
    >>> "terrier" in larger.terms, larger.patterns.count("terrier", "animal"), additions.terms_updated
    (True, 20, 0)
    """
    from hyperdive.pipeline.add import add
    from hyperdive.pipeline.inputs import read_input

    if output is None:
        raise OptionError("a model needs a folder to be written to", hint="give output=")
    run, others = _run_of(AddCall, "default", {k: v for k, v in options.items() if v is not None}, None, progress)
    given: Any = read_input(source, texts)
    given = given[0] if isinstance(given, list) and len(given) == 1 else given
    old = model if isinstance(model, Model) else load(model)
    return add(old, given, output, run=run, **others)
