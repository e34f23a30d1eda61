"""Commands that write folders and files: encode, count, train, add, export, import."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from hyperdive._progress import human
from hyperdive.cli.output import FORCE, OutputOptions, PartOptions, ProgressOptions, SparkOptions, write, write_json
from hyperdive.errors import Error, OptionError
from hyperdive.options import AddCall, CountOptions, EncodeCall, Options, RunOptions, TrainCall, option

if TYPE_CHECKING:
    from hyperdive import Model

_PRESET = "Base settings: default, or the values of the paper."


@dataclass(frozen=True, kw_only=True)
class EncodeCommand(OutputOptions, EncodeCall, PartOptions, ProgressOptions):
    """Options of `hyperdive encode`."""

    preset_: Literal["default", "paper"] = option("default", _PRESET)


def encode(
    text: Annotated[
        list[str],
        Parameter(
            name="TEXT",
            help="Files, folders, globs, or - for standard input; with --engine spark also addresses (s3a://bucket/text).",
        ),
    ],
    /,
    *,
    options: EncodeCommand,
    given: dict[str, Any],
) -> None:
    """Text → encoded corpus.

    Reads files, folders and globs (plain text, .gz, .bz2, .xz, .zst; JSON lines, CSV, TSV and Parquet by file
    extension; - is standard input) and writes the folder that the other commands read. The same text gives the same
    bytes for any number of threads and any compression.
    """
    from hyperdive import encode
    from hyperdive.cli.machine import describe_corpus

    part_bytes = options.part_bytes
    with options.started() as engine:
        corpus = encode(
            text,
            options.output,
            preset=options.preset_,
            engine=engine,
            part_bytes=part_bytes,
            progress=options.shown,
            **EncodeCall.own(given),
        )
    describe_corpus(corpus)


@dataclass(frozen=True, kw_only=True)
class CountCommand(OutputOptions, CountOptions, RunOptions, SparkOptions, ProgressOptions):
    """Options of `hyperdive count`."""

    merge: bool = option(False, "Merge count folders instead of counting corpora.")
    preset_: Literal["default", "paper"] = option("default", "Base settings; paper also stores near counts.", rare=True)
    min_count: int | None = option(
        None, "Words with fewer occurrences are replaced by the unknown symbol; by default as encoded.", low=1
    )
    patterns: bool = option(True, "Carry the patterns of the inputs, with their sentences.", rare=True)
    restart: bool = option(False, "Start over; without it an interrupted run is resumed.")
    json: bool = option(False, "Print JSON instead of text.", rare=True)


def count(
    corpora: Annotated[list[Path], Parameter(name="CORPUS", help="Encoded corpora; with --merge, count folders.")],
    /,
    *,
    options: CountCommand,
) -> None:
    """Encoded corpus → co-occurrence counts; also merges counts.

    Counts are exact. Several corpora can be counted in one run; context windows never cross lines or corpora. With
    --merge the inputs are count folders, and the result is identical to counting their corpora in one run. Counts carry
    the patterns of their corpora, which train takes over. An interrupted run resumes when the same command is run
    again.
    """
    from hyperdive._resources import Run, memory_limit
    from hyperdive.cli.machine import describe_counts
    from hyperdive.pipeline.count import count_corpora, merge_counts

    if options.merge and options.engine != "local":
        raise OptionError("count folders are merged on one machine", hint="leave out --engine, or count the corpora")
    output = options.output
    kept: dict[str, Any] = {"min_count": options.min_count, "patterns": options.patterns}
    run = Run(
        memory=memory_limit(options.memory),
        threads=options.threads,
        force=options.force,
        restart=options.restart,
        progress=options.shown,
    )
    try:
        if options.merge:
            counts = merge_counts(corpora, output, run=run, **kept)
        else:
            with options.started() as engine:
                rules = CountOptions.own(asdict(options))
                counts = count_corpora(corpora, output, run=replace(run, engine=engine), **kept, **rules)
    except KeyboardInterrupt:
        if (output.parent / f".{output.name}.count").exists():
            run.progress.note("completed parts are kept; run the same command again to resume")
        raise
    if options.json:
        write_json(counts.header)
    else:
        describe_counts(counts)


@dataclass(frozen=True, kw_only=True)
class TrainCommand(OutputOptions, TrainCall, PartOptions, ProgressOptions):
    """Options of `hyperdive train`."""

    preset_: Literal["default", "paper"] = option("default", _PRESET)
    start: Path | None = option(None, "Model to initialise from (warm start).", rare=True)
    patterns_from: tuple[Path, ...] = option(
        (), "Corpus to take pattern matches from, by default the input; may be repeated.", rare=True
    )


def train(
    source: Annotated[
        list[str],
        Parameter(
            name="INPUT",
            help="Text (with --engine spark also addresses such as s3a://bucket/text), an encoded corpus, or counts.",
        ),
    ],
    /,
    *,
    options: TrainCommand,
    given: dict[str, Any],
) -> None:
    """Text, a corpus or counts → a model.

    INPUT is text (as for encode), an encoded corpus or a folder of counts. The model contains DIVE vectors, context
    vectors and skip-gram vectors trained on the same counts. Run the same command again to resume after an
    interruption, to the same bytes.
    """
    from hyperdive import load, train

    patterns = list(options.patterns_from) if options.patterns and options.patterns_from else options.patterns
    part_bytes = options.part_bytes
    try:
        with options.started() as engine:
            model = train(
                source[0] if len(source) == 1 else source,
                options.output,
                preset=options.preset_,
                patterns=patterns,
                start=None if options.start is None else load(options.start),
                engine=engine,
                part_bytes=part_bytes,
                progress=options.shown,
                **{name: value for name, value in TrainCall.own(given).items() if name != "patterns"},
            )
    except KeyboardInterrupt:
        raise Error(
            "interrupted", hint="run the same command again to resume, or add --restart to start over"
        ) from None
    _describe(options.output, model)


def _describe(path: Path, model: Model) -> None:
    from hyperdive.model import facts_of

    size = human(sum(file.stat().st_size for file in path.iterdir() if file.is_file()), "B")
    if model.dive.kind != "dive":
        write(f"{path}: {model.dive.kind}, {len(model):,} words, {model.dive.dimensions:,} dimensions, {size}")
        return
    beside = [name for name in ("contexts", "skipgram") if getattr(model, name) is not None]
    beside += [f"{len(model.terms):,} terms"] if model.terms else []
    used = model.dive.matrix.nnz / len(model) if model.dive.is_sparse else model.dive.dimensions
    write(
        f"{path}: model of {len(model):,} words, {model.dive.dimensions} dimensions, {used:.1f} non-zero per word, "
        f"{size}"
    )
    write(f"  also stored: {', '.join(beside) or 'nothing'}")
    corpus = facts_of(model)["corpus"]
    write(f"  from {corpus['tokens']:,} tokens; objective {facts_of(model)['objective'][-1]:.4f} nats per token")


@dataclass(frozen=True, kw_only=True)
class AddCommand(OutputOptions, AddCall, ProgressOptions):
    """Options of `hyperdive add`."""

    json: bool = option(False, "Print JSON instead of text.", rare=True)


def add(
    model: Annotated[str, Parameter(name="MODEL", help="Model folder.")],
    source: Annotated[list[str], Parameter(name="TEXT", help="Text, or an encoded corpus.")],
    /,
    *,
    options: AddCommand,
    given: dict[str, Any],
) -> None:
    """Add the terms and the evidence of new text to a model, without training again.

    MODEL must have context vectors. Terms and rare words that it does not have yet get vectors from the new text; of
    terms it has already only the counts grow, and vectors of words never change. What the text states is added as
    evidence. TEXT is text as for encode, or one encoded corpus. The result goes to -o; MODEL stays as it is, unless -o
    names it and --force is given.
    """
    from hyperdive import add

    made, additions = add(
        model,
        source[0] if len(source) == 1 else source,
        options.output,
        progress=options.shown,
        **AddCall.own(given),
    )
    if options.json:
        write_json({"model": str(options.output), **asdict(additions)})
        return
    write(f"{options.output}: model of {len(made):,} words and {len(made.terms):,} terms")
    write(f"  from {additions.tokens:,} tokens of new text")
    write(f"  terms added    {additions.terms_added:,}")
    write(f"  terms updated  {additions.terms_updated:,} (their counts; vectors stay)")
    write(f"  statements     {additions.statements:,}, with {additions.pairs:,} new pairs of terms")


# ---- other tools -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ExportCommand(Options):
    """Options of `hyperdive export`."""

    space: Literal["dive", "skipgram", "contexts"] = option("dive", "Vectors to export.")
    force: bool = option(False, FORCE)


def export(
    model: Annotated[str, Parameter(name="MODEL", help="Model or space folder.")],
    file: Annotated[Path, Parameter(name="FILE", help="Output file.")],
    /,
    *,
    options: ExportCommand,
) -> None:
    """Export vectors to the formats of other tools.

    The format follows from the extension of FILE: .txt or .vec (word2vec text), .kv (gensim KeyedVectors), .json (the
    DIVE authors' {word: {dimension: value}}), .parquet; .txt.gz and .json.gz are compressed.
    """
    from hyperdive import load
    from hyperdive.spaces.formats import export

    chosen = getattr(load(model), options.space)
    if chosen is None:
        raise Error(
            f"{model}: this model has no {options.space} vectors",
            hint="choose another --space, or train a model that has them",
        )
    export(chosen, file, force=options.force)
    write(f"{file}: {len(chosen):,} words, {chosen.dimensions:,} dimensions")


@dataclass(frozen=True, kw_only=True)
class ImportCommand(OutputOptions):
    """Options of `hyperdive import`."""

    skipgram: Path | None = option(None, "File of vectors for the score W, with the same words.")
    format: Literal["word2vec", "gensim", "json", "parquet"] | None = option(
        None, "File format, by default by the file extension."
    )
    force: bool = option(False, FORCE)


def import_(
    file: Annotated[Path, Parameter(name="FILE", help="File of vectors.")],
    /,
    *,
    options: ImportCommand,
) -> None:
    """Import vectors from other tools as a hyperdive model.

    The format follows from the extension of FILE, as for export. The vectors take the place of DIVE's, so that every
    score can be computed on them; --skipgram adds a second file for the score W. If the format has no word frequencies,
    every word gets frequency 1.
    """
    from hyperdive import Model
    from hyperdive.spaces.formats import read

    main = read(file, kind=options.format)
    beside = None if options.skipgram is None else read(options.skipgram, kind=options.format).subset(main.words)
    model = Model(main, skipgram=beside, parameters={"imported": file.name})
    model.save(options.output, force=options.force)
    write(f"{options.output}: {len(model):,} words, {model.dive.dimensions:,} dimensions")
