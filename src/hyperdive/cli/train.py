"""Text, a corpus or counts → a model.

INPUT is text (as for encode), an encoded corpus or a folder of counts. The model holds DIVE vectors, their contexts and
skip-gram vectors from the same counts. A run that was stopped goes on with --resume and ends with the same bytes.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hyperdive._progress import human
from hyperdive.cli.common import ForceOption, OutputOption, ProgressMode, ProgressOption, ThreadsOption, reporter, write
from hyperdive.cli.encode import Document, Lemmas, Pos, Preset


class Space(StrEnum):
    """What to train."""

    dive = "dive"
    skipgram = "skipgram"
    sbow_freq = "sbow-freq"
    sbow_ppmi = "sbow-ppmi"
    sbow_ppmi_is = "sbow-ppmi-is"
    kmeans = "kmeans"
    word2vec = "word2vec"
    word2vec_cbow = "word2vec-cbow"
    gaussian = "gaussian"
    gaussian_no_clip = "gaussian-no-clip"


class Solver(StrEnum):
    """How DIVE is trained."""

    fast = "fast"
    paper = "paper"


def train(
    source: Annotated[
        list[str], typer.Argument(metavar="INPUT...", help="Text, an encoded corpus, or counts.", show_default=False)
    ],
    output: OutputOption,
    preset: Annotated[Preset, typer.Option(help="Constants to start from: ours, or the paper's.")] = Preset.default,
    space: Annotated[
        Space,
        typer.Option(
            help="What to train; all but dive make one space. With --threads above 1 no two word2vec are alike."
        ),
    ] = Space.dive,
    dimensions: Annotated[int | None, typer.Option(help="Length of a vector.", show_default="100")] = None,
    window: Annotated[int | None, typer.Option(help="Words this far apart meet.", show_default="10")] = None,
    negatives: Annotated[
        float | None, typer.Option(help="k_I: negatives for each place of the window.", show_default="1.5")
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            help="Share of the tokens above which the meetings of a word (of 20 times the mean or more) count less.",
            show_default="0.001; paper: 0",
        ),
    ] = None,
    pmi_filter: Annotated[
        str | None,
        typer.Option(
            help="k_f: leave out pairs that meet less; 30tokens, 1.67ratio or none.",
            show_default="45tokens; paper: 30tokens",
        ),
    ] = None,
    shift: Annotated[
        bool | None, typer.Option("--shift/--no-shift", help="The inclusion shift.", show_default="yes")
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="How much rare words' negatives weaken.", show_default="0.75; paper: 0")
    ] = None,
    ridge: Annotated[
        float | None, typer.Option(help="Weight of the squared length of a row.", show_default="0.02; paper: 0")
    ] = None,
    passes: Annotated[int | None, typer.Option(help="Most passes over the frequent words.", show_default="40")] = None,
    solver: Annotated[Solver | None, typer.Option(help="fast, or the paper's own.", show_default="fast")] = None,
    skipgram: Annotated[
        bool | None,
        typer.Option("--skipgram/--no-skipgram", help="Skip-gram vectors too, for the score W.", show_default="yes"),
    ] = None,
    contexts: Annotated[
        bool | None, typer.Option("--contexts/--no-contexts", help="Keep the context vectors.", show_default="yes")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", help="A model whose vectors to start from.", show_default=False)
    ] = None,
    patterns: Annotated[
        bool,
        typer.Option("--patterns/--no-patterns", help="What the text states too, for the scores P, Pppmi and Psvd."),
    ] = True,
    patterns_from: Annotated[
        list[Path] | None,
        typer.Option(
            "--patterns-from",
            help="A corpus whose patterns to take; several are added up.",
            show_default="the input's own",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same bytes.", show_default="0")] = None,
    document: Annotated[Document | None, typer.Option(help="Text: a line or a file.", show_default="line")] = None,
    field: Annotated[str | None, typer.Option(help="JSON lines: the field with the text.", show_default="text")] = None,
    column: Annotated[str | None, typer.Option(help="CSV, Parquet: the column.", show_default="text")] = None,
    lemmas: Annotated[Lemmas | None, typer.Option(help="Text: base forms.", show_default="simplemma")] = None,
    language: Annotated[str | None, typer.Option(help="Text: its language.", show_default="en")] = None,
    stopwords: Annotated[
        str | None, typer.Option(help="Text: english, none or a file.", show_default="english")
    ] = None,
    pos: Annotated[Pos | None, typer.Option(help="Text: parts of speech.", show_default="none")] = None,
    phrases: Annotated[str | None, typer.Option(help="Text: none, auto or a file.", show_default="none")] = None,
    min_count: Annotated[int | None, typer.Option(help="Text: rarer words are unknown.", show_default="10")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    force: ForceOption = False,
    memory: Annotated[
        str | None,
        typer.Option(help="Stay under this much memory while counting.", show_default="half of this machine's"),
    ] = None,
    threads: ThreadsOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from hyperdive.counts.plan import parse_size
    from hyperdive.errors import Error
    from hyperdive.pipeline.train import train as run
    from hyperdive.spaces.model import Model

    text = {
        "document": document,
        "field": field,
        "column": column,
        "lemmas": lemmas,
        "language": language,
        "stopwords": stopwords,
        "pos": pos,
        "phrases": phrases,
        "min_count": min_count,
    }
    try:
        made = run(
            source[0] if len(source) == 1 else source,
            output,
            preset=str(preset),
            text={name: _plain(value) for name, value in text.items() if value is not None},
            start=None if start is None else Model.load(start),
            patterns=patterns_from if patterns and patterns_from else patterns,
            memory=None if memory is None else parse_size(memory),
            threads=threads,
            resume=resume,
            force=force,
            progress=reporter(progress),
            space=str(space),
            dimensions=dimensions,
            window=window,
            negatives=negatives,
            sample=sample,
            pmi_filter=pmi_filter,
            shift=shift,
            beta=beta,
            ridge=ridge,
            passes=passes,
            solver=_plain(solver),
            skipgram=skipgram,
            contexts=contexts,
            seed=seed,
        )
    except KeyboardInterrupt:
        raise Error("interrupted", hint="the same command with --resume goes on from here") from None
    describe(output, made)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, StrEnum) else value


def describe(path: Path, made: Any) -> None:
    """What a person sees after training."""
    from hyperdive.spaces.model import Model

    size = human(sum(file.stat().st_size for file in path.iterdir() if file.is_file()), "B")
    if not isinstance(made, Model):
        write(f"{path}: {made.kind}, {len(made):,} words, {made.dimensions:,} dimensions, {size}")
        return
    beside = [name for name in ("contexts", "skipgram") if getattr(made, name) is not None]
    used = made.dive.matrix.nnz / len(made) if made.dive.is_sparse else made.dive.dimensions
    write(f"{path}: model of {len(made):,} words, {made.dive.dimensions} dimensions ({used:.1f} used a word), {size}")
    write(f"  beside DIVE: {', '.join(beside) or 'nothing'}")
    corpus = made.facts["corpus"]
    write(f"  from {corpus['tokens']:,} tokens; objective {made.facts['objective'][-1]:.4f} nats a token")
