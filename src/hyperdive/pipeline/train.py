"""From text, a corpus or counts to a finished model: one stage after the other, each kept until the model is whole.

While a run is under way its stages are in a hidden folder next to the model, `.NAME.train`: `corpus/`, `counts/`, the
solvers' states, `dive/`, `neighbour-counts/`, `skipgram/`, `terms/`. The same run continues from there, and the model
has the bytes of an uninterrupted run. The folder is removed when the model is complete.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive import __version__
from hyperdive._resources import Run, require_memory
from hyperdive._resume import ONCE, WorkFolder
from hyperdive._store import check_output, fingerprint, is_ours, read_header
from hyperdive._types import Floats32
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import InputError, OptionError
from hyperdive.model import Model
from hyperdive.options import MODEL_SPACE, EncodeOptions, ReadingOptions, TrainOptions, check_name
from hyperdive.pipeline.encode import content_of, encode
from hyperdive.pipeline.inputs import file_identity, find_files
from hyperdive.pipeline.patterns import PatternSource, pattern_folders, patterns_between, rare_words
from hyperdive.pipeline.terms import fold_terms
from hyperdive.spaces.dive_options import check_size, model_memory
from hyperdive.spaces.folding import ContextSpace, Folding
from hyperdive.spaces.inputs import SpaceInputs
from hyperdive.spaces.makers import check_skipgram, dive_tables, skipgram_tables
from hyperdive.spaces.model_folder import composition_of, space_of
from hyperdive.spaces.registry import space_maker, training_options
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus
from hyperdive.text.sources import TextFiles

TrainInput = str | Path | Corpus | Cooccurrence


def train(
    source: TrainInput | Sequence[str | Path],
    output: str | Path,
    *,
    preset: str = "default",
    start: Model | None = None,
    patterns: PatternSource = True,
    run: Run = Run(),
    part_bytes: int | None = None,
    **options: Any,
) -> Model:
    """Train a model on text, an encoded corpus or counts, and save it; with `space` another space instead of DIVE.

    Args:
        source: text (files and folders), an encoded corpus, or counts.
        output: the folder of the model.
        preset: the values to start from, `default` or `paper`.
        start: an earlier model whose vectors the known words start from.
        patterns: False leaves out what the text states; corpora or folders of patterns give it where the input does
            not, as for counts.
        run: threads, memory and progress; whether to begin anew, and to replace an older model.
        part_bytes: text that a task of an engine reads.
        options: those of `TrainOptions` and, for text, `ReadingOptions`.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> _ = (place / "pets.txt").write_text("\\n".join(lines))
    >>> model = train(place / "pets.txt", place / "model", dimensions=4, pmi_filter="none", passes=5)
    >>> sorted(model.words)
    ['animal', 'bark', 'cat', 'dog', 'poodle', 'sleep', 'spaniel']
    """
    options = {name: value for name, value in options.items() if value is not None}
    for name in options:
        check_name(name, {**TrainOptions.described(), **ReadingOptions.described()})
    chosen = training_options(preset, TrainOptions.own(options))
    text = {**EncodeOptions.own(options), **ReadingOptions.own(options)}
    if text.get("terms") in ("auto", "none"):  # with a corpus they say whether its terms are used
        del text["terms"]
    output, kind = Path(output), kind_of(source)
    folder = output.parent / f".{output.name}.train"
    WorkFolder.sweep(folder, output)
    check_output(output, force=run.force)
    _check(chosen, kind, start)
    if chosen.space != MODEL_SPACE and not isinstance(patterns, bool):
        raise OptionError(f"{chosen.space} does not use patterns of a corpus", hint="leave them out")
    if text and kind != "text":
        raise OptionError(f"{next(iter(text))} is an option for text, but the input is a {kind}")
    opened = _opened(source, kind, run)
    folders = pattern_folders(None if isinstance(opened, TextFiles) else opened.path, patterns)
    plan = {
        "input": _identity(opened) if isinstance(opened, TextFiles) else opened.fingerprint,
        "options": asdict(chosen),
        "text": {"preset": preset, **{name: content_of(value) for name, value in text.items()}},
        "start": None if start is None else _model_identity(start),
        "patterns": [folder.fingerprint for folder in folders] if folders else patterns is not False,
        "version": __version__,
    }
    once = isinstance(opened, TextFiles) and any(source.size is None for source in opened.sources)
    with WorkFolder(folder, output, f"{ONCE if once else ''}{fingerprint(plan)}", run) as work:
        if work.started:
            run.progress.note("going on with the finished stages of an earlier run (--restart begins anew)")
        if isinstance(opened, TextFiles):
            # nothing is read from the text that the model has no use for
            rules = {**text, "terms": chosen.terms if chosen.space == MODEL_SPACE else "none", "preset": preset}
            rules |= {} if patterns is True else {"patterns": False}
            rules |= {} if part_bytes is None else {"part_bytes": part_bytes}
            opened = _encoded(opened, work, rules, run)
        inputs = SpaceInputs(opened, work, chosen, replace(run, force=False), start=start)
        made = _made(inputs, chosen, patterns, run)
        made.save(output, force=run.force)
    return Model.load(output, verify=False)


# ---- the input ----------------------------------------------------------------------------------------------


def kind_of(source: TrainInput | Sequence[TrainInput]) -> str:
    """`text`, `corpus` or `counts`: what a training input is."""
    if isinstance(source, Corpus):
        return "corpus"
    if isinstance(source, Cooccurrence):
        return "counts"
    if not isinstance(source, str | Path):
        for part in source:
            if isinstance(part, Corpus | Cooccurrence) or (isinstance(part, str | Path) and is_ours(Path(part))):
                raise InputError(
                    "several corpora or counts cannot be trained on at once",
                    hint="type: hyperdive count A B -o C --set near=yes (or count --merge), then train C",
                )
    elif is_ours(Path(source)):
        kind = str(read_header(Path(source))["format"]).removeprefix("hyperdive-")
        if kind not in ("corpus", "counts"):
            raise InputError(f"{source}: one cannot train on a {kind}", hint="give text, a corpus or counts")
        return kind
    return "text"


def _opened(source: Any, kind: str, run: Run) -> Corpus | Cooccurrence | TextFiles:
    """The corpus or counts that were given, or the files of a text."""
    if kind == "text":
        return find_files([source] if isinstance(source, str | Path) else list(source), run.engine)
    if isinstance(source, Corpus | Cooccurrence):
        return source
    return Corpus.open(source) if kind == "corpus" else Cooccurrence.open(source)


def _encoded(files: TextFiles, work: WorkFolder, rules: Mapping[str, Any], run: Run) -> Corpus:
    if work.done("corpus"):
        return Corpus.open(work.place("corpus"))
    shared: dict[str, Any] = {"threads": run.threads, "memory": run.memory, "progress": run.progress}
    return encode(files, work.place("corpus"), engine=run.engine, **shared, **rules)


def _identity(files: TextFiles) -> list[Any]:
    """Identifies a text before it is read."""
    # a pipe cannot be read twice, so a run on one is never the same run again
    return [file_identity(file) if file.size is not None else uuid.uuid4().hex for file in files.sources]


def _model_identity(model: Model) -> str:
    sha = hashlib.sha256("\n".join(model.words).encode())
    for space in (model.dive, model.contexts):
        if space is not None:
            parts = (space.matrix.data, space.matrix.indices) if space.is_sparse else (space.matrix,)
            for part in parts:
                sha.update(np.ascontiguousarray(part).data)
    return sha.hexdigest()


# ---- the stages ---------------------------------------------------------------------------------------------


def _check(options: TrainOptions, kind: str, start: Model | None) -> None:
    """Refuse before any work what a later stage would refuse."""
    maker, tokens = space_maker(options.space), kind != "counts"
    if maker.needs == "tokens" and not tokens:
        raise OptionError(f"{options.space} reads tokens, not counts", hint="give text or a corpus")
    maker.check(options, tokens, start)
    if options.space == MODEL_SPACE and options.skipgram:
        check_skipgram(options, tokens, None)


def _made(inputs: SpaceInputs, options: TrainOptions, patterns: PatternSource, run: Run) -> Model | VectorSpace:
    """The space by itself, or a model of it and the other spaces."""
    maker = space_maker(options.space)
    if maker.has_dimensions:
        words, terms = inputs.vocabulary_size, 0
        if options.space == MODEL_SPACE and options.has_terms and inputs.terms is not None:
            terms = len(inputs.terms.names)
        needed = model_memory(words, terms, options.dimensions)
        require_memory(run.memory, needed, f"vectors of {words:,} words and {terms:,} terms")
    if inputs.has_tokens and maker.has_dimensions:
        check_size(inputs.corpus.frequencies, options.dimensions)
    return _model(inputs, options, patterns, run) if options.space == MODEL_SPACE else maker.make(inputs, options, run)


def _model(inputs: SpaceInputs, options: TrainOptions, patterns: PatternSource, run: Run) -> Model:
    counts = inputs.counts
    words, frequencies = counts.words, counts.frequencies[1:]

    def space(kind: str, matrix: Floats32) -> VectorSpace:
        return VectorSpace(words, np.array(matrix), frequencies=frequencies, kind=kind)

    facts, tables = dive_tables(inputs, options, run)
    twins = skipgram_tables(inputs, inputs.neighbour_counts, options, run) if options.skipgram else None
    folding = Folding(
        int(counts.frequencies[0]),
        np.array(tables["unknown_context"]),
        np.array(tables["gauge"]),
        None if twins is None else np.array(twins["folding"]),
        None if twins is None else np.array(twins["context_terms"]),
    )
    dive = space("dive", tables["words"])
    skipgram = None if twins is None else space("skipgram", twins["vectors"])
    contexts = ContextSpace.of(space("contexts", tables["contexts"]), folding)
    model = Model(dive, contexts=contexts, skipgram=skipgram)
    if options.has_terms and inputs.terms is not None:
        told, model = fold_terms(inputs, model, options, run)
        facts = {**facts, "terms": told}
    folders = pattern_folders(inputs.source.path, patterns)
    return Model(
        space_of(model),
        contexts=contexts if options.contexts else None,
        skipgram=space_of(model, "skipgram"),
        composition=composition_of(model),
        patterns=patterns_between([*words, *rare_words(model.terms)], folders, run.progress),
        parameters=options.as_parameters(),
        facts={"corpus": _about(counts), **facts},
    )


def _about(counts: Cooccurrence) -> dict[str, Any]:
    return {
        "tokens": counts.tokens,
        "vocabulary": counts.vocabulary_size,
        "pairs": int(counts.total),
        "counts": counts.fingerprint,
        "text": counts.header["text"],
    }
