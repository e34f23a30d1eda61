"""Text, a corpus or counts → a model.

INPUT is text (as for encode), an encoded corpus or a folder of counts. The model contains DIVE vectors, context vectors
and skip-gram vectors trained on the same counts. The same command goes on after an interruption, to the same bytes.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hyperdive._progress import human
from hyperdive.cli.common import (
    EngineName,
    EngineOption,
    ForceOption,
    MasterOption,
    OutputOption,
    PartSizeOption,
    ProgressMode,
    ProgressOption,
    SparkConfOption,
    ThreadsOption,
    begins_anew,
    engine_of,
    part_bytes_of,
    reporter,
    write,
)
from hyperdive.cli.encode import Document, Lemmas, Pos, Preset

if TYPE_CHECKING:
    from hyperdive import Model


class Solver(StrEnum):
    """How DIVE is trained."""

    fast = "fast"
    paper = "paper"


def train(
    source: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            help="Text (with --engine spark also addresses such as s3a://bucket/text), an encoded corpus, or counts.",
            show_default=False,
        ),
    ],
    output: OutputOption,
    preset: Annotated[Preset, typer.Option(help="Base settings: hyperdive's or the paper's.")] = Preset.default,
    space: Annotated[
        str,
        typer.Option(
            help="Vector space to train: dive, skipgram, sbow-freq, sbow-ppmi, sbow-ppmi-is, kmeans, word2vec, "
            "word2vec-cbow, gaussian, gaussian-no-clip, or one of an installed plug-in. word2vec is not reproducible "
            "with more than one thread."
        ),
    ] = "dive",
    dimensions: Annotated[int | None, typer.Option(help="Number of dimensions.", show_default="100")] = None,
    window: Annotated[int | None, typer.Option(help="Context words on each side.", show_default="10")] = None,
    negatives: Annotated[
        float | None, typer.Option(help="k_I: negative samples per context position.", show_default="1.5")
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            help="Subsampling threshold for frequent words (at least 20 times the mean frequency).",
            show_default="0.001; paper: 0",
        ),
    ] = None,
    pmi_filter: Annotated[
        str | None,
        typer.Option(
            help="k_f: PMI filter threshold, such as 30tokens or 1.67ratio; none: no filter.",
            show_default="45tokens; paper: 30tokens; sparse spaces: none",
        ),
    ] = None,
    pmi_shift: Annotated[
        float | None,
        typer.Option(help="Sparse spaces of PMI: its logarithm is subtracted from the PMI.", show_default="1"),
    ] = None,
    shift: Annotated[
        bool | None, typer.Option("--shift/--no-shift", help="Apply the inclusion shift.", show_default="yes")
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            help="Exponent that reduces negatives for rare words (0: as in the paper).", show_default="0.75; paper: 0"
        ),
    ] = None,
    ridge: Annotated[
        float | None, typer.Option(help="L2 regularisation weight.", show_default="0.02; paper: 0")
    ] = None,
    passes: Annotated[
        int | None, typer.Option(help="Maximum number of passes over the frequent words.", show_default="40")
    ] = None,
    solver: Annotated[
        Solver | None, typer.Option(help="Solver for DIVE: ours (fast) or the paper's.", show_default="fast")
    ] = None,
    skipgram: Annotated[
        bool | None,
        typer.Option(
            "--skipgram/--no-skipgram", help="Also train skip-gram vectors, for the score W.", show_default="yes"
        ),
    ] = None,
    contexts: Annotated[
        bool | None, typer.Option("--contexts/--no-contexts", help="Store the context vectors.", show_default="yes")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", help="Model to initialise from (warm start).", show_default=False)
    ] = None,
    patterns: Annotated[
        bool,
        typer.Option(
            "--patterns/--no-patterns", help="Store pattern matches, for the scores P, Pppmi, Psvd and hyper."
        ),
    ] = True,
    patterns_from: Annotated[
        list[Path] | None,
        typer.Option(
            "--patterns-from",
            help="Corpus to take pattern matches from; may be repeated.",
            show_default="the input",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed.", show_default="0")] = None,
    document: Annotated[
        Document | None, typer.Option(help="Text input: unit of a document.", show_default="line")
    ] = None,
    field: Annotated[
        str | None, typer.Option(help="JSON lines: field that holds the text.", show_default="text")
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="CSV, TSV, Parquet: column that holds the text.", show_default="text")
    ] = None,
    lemmas: Annotated[Lemmas | None, typer.Option(help="Text input: lemmatiser.", show_default="simplemma")] = None,
    language: Annotated[str | None, typer.Option(help="Text input: language.", show_default="en")] = None,
    stopwords: Annotated[
        str | None, typer.Option(help="Text input: stop words: english, none or a file.", show_default="english")
    ] = None,
    pos: Annotated[Pos | None, typer.Option(help="Text input: part-of-speech tagger.", show_default="none")] = None,
    phrases: Annotated[
        str | None, typer.Option(help="Text input: multi-word terms: none, auto or a file.", show_default="none")
    ] = None,
    terms: Annotated[
        str | None,
        typer.Option(
            help="Terms with vectors of their own: auto (found in the text), none, or a file with one per line.",
            show_default="auto; paper: none",
        ),
    ] = None,
    min_count: Annotated[
        int | None,
        typer.Option(
            help="Text input: words with fewer occurrences are replaced by the unknown symbol.", show_default="10"
        ),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew; without it an interrupted run goes on where it was.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", hidden=True, help="The default; older scripts name it.")] = False,
    force: ForceOption = False,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Memory limit, such as 4GB; what needs more is refused.", show_default="half of this machine's memory"
        ),
    ] = None,
    threads: ThreadsOption = None,
    engine: EngineOption = EngineName.local,
    master: MasterOption = None,
    conf: SparkConfOption = None,
    part_size: PartSizeOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from hyperdive import load
    from hyperdive import train as run
    from hyperdive._resources import parse_size
    from hyperdive.errors import Error

    text = {
        "document": document,
        "field": field,
        "column": column,
        "lemmas": lemmas,
        "language": language,
        "stopwords": stopwords,
        "pos": pos,
        "phrases": phrases,
        "terms": None if terms in ("auto", "none") else terms,
        "min_count": min_count,
        "part_bytes": part_bytes_of(part_size, engine),
    }
    try:
        with engine_of(engine, master, conf) as where:
            made = run(
                source[0] if len(source) == 1 else source,
                output,
                preset=str(preset),
                text={name: _plain(value) for name, value in text.items() if value is not None},
                start=None if start is None else load(start),
                patterns=patterns_from if patterns and patterns_from else patterns,
                memory=None if memory is None else parse_size(memory),
                threads=threads,
                restart=begins_anew(restart, resume),
                force=force,
                progress=reporter(progress),
                space=space,
                dimensions=dimensions,
                window=window,
                negatives=negatives,
                sample=sample,
                pmi_filter=pmi_filter,
                pmi_shift=pmi_shift,
                shift=shift,
                beta=beta,
                ridge=ridge,
                passes=passes,
                solver=_plain(solver),
                skipgram=skipgram,
                contexts=contexts,
                terms=None if terms is None else terms != "none",
                seed=seed,
                engine=where,
            )
    except KeyboardInterrupt:
        raise Error("interrupted", hint="type the same command to go on, or add --restart to begin anew") from None
    describe(output, made)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, StrEnum) else value


def describe(path: Path, made: Model) -> None:
    """Print a summary of a trained model."""
    from hyperdive.model import facts_of

    size = human(sum(file.stat().st_size for file in path.iterdir() if file.is_file()), "B")
    if made.dive.kind != "dive":
        write(f"{path}: {made.dive.kind}, {len(made):,} words, {made.dive.dimensions:,} dimensions, {size}")
        return
    beside = [name for name in ("contexts", "skipgram") if getattr(made, name) is not None]
    beside += [] if made.terms is None else [f"{len(made.terms):,} terms"]
    used = made.dive.matrix.nnz / len(made) if made.dive.is_sparse else made.dive.dimensions
    write(
        f"{path}: model of {len(made):,} words, {made.dive.dimensions} dimensions, {used:.1f} non-zero per word, {size}"
    )
    write(f"  also stored: {', '.join(beside) or 'nothing'}")
    facts = facts_of(made)
    corpus = facts["corpus"]
    write(f"  from {corpus['tokens']:,} tokens; objective {facts['objective'][-1]:.4f} nats per token")
