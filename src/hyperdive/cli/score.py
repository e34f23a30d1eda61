"""Score pairs of terms: is the first a kind of the second?

PAIRS is a file with a candidate hyponym and a candidate hypernym on each line (TSV, CSV or JSON lines; - is standard
input). Other columns are copied. Every line is written back in order, with one column per score; larger always means
more likely. If a word has no vector, the scores are empty and the word is named in the column `unknown`.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from hyperdive.cli.common import (
    ForceOption,
    JsonOption,
    ProgressMode,
    ProgressOption,
    load_source,
    quiet_stdout,
    reporter,
    write,
    write_json,
)
from hyperdive.errors import OptionError
from hyperdive.scores.files import PairFormat


def score(
    pairs: Annotated[
        str | None, typer.Argument(metavar="PAIRS", help="File of pairs, or - for standard input.", show_default=False)
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Model or space folder, or the name of a packaged model.")
    ] = "en-wiki",
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--score",
            "-s",
            help="Score such as C*dS or AL1:w0=20, or all; may be repeated.",
            show_default="the paper's and confidence",
        ),
    ] = None,
    skipgram: Annotated[
        str | None,
        typer.Option("--skipgram", help="Space to compute W from, instead of the model's own.", show_default=False),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option("--counts", help="SBOW Freq space, for the context entropies of SLQS.", show_default=False),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Look words up exactly; do not try their lemmas.")] = False,
    input_format: Annotated[
        PairFormat | None,
        typer.Option("--input-format", help="Format of PAIRS.", show_default="by file name or first line"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output file.", show_default="standard output")
    ] = None,
    output_format: Annotated[
        PairFormat | None,
        typer.Option("--output-format", help="Output format.", show_default="as the input"),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List all scores with their formulas and exit.")] = False,
    as_json: JsonOption = False,
    force: ForceOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    """Score pairs of terms."""
    if list_:
        _list(as_json)
        return
    if pairs is None:
        raise OptionError("no file of pairs was given", hint="type: hyperdive score PAIRS.tsv -m MODEL, or - for stdin")
    from hyperdive._spelling import near_spellings, shown
    from hyperdive.scores import usable_scores
    from hyperdive.scores.files import PairWriter, open_pairs, score_stream

    report = reporter(progress)
    source = load_source(model, skipgram=skipgram, counts=counts, terms=True)
    chosen = usable_scores(source, scores)
    file = open_pairs(pairs, input_format)
    written = PairFormat.jsonl if as_json else output_format or file.format
    with _output(output, force) as out:
        summary = score_stream(source, file, chosen, PairWriter(out, written), lemmas=not exact, progress=report)
    if summary.unknown:
        word = summary.examples[0]
        near = near_spellings(word.lower(), source.main.words, source.main)
        guess = f" (did you mean {' or '.join(near)}?)" if near else ""
        report.note(
            f"{summary.unknown} of {summary.pairs} pairs have a word without a vector, such as {shown(word)!r}{guess}; "
            "see the column 'unknown'"
        )


def _list(as_json: bool) -> None:
    from hyperdive.scores import table

    if as_json:
        write_json(
            [
                {
                    "name": one.name,
                    "type": one.ascii,
                    "family": one.family,
                    "formula": one.formula,
                    "range": one.range,
                    "needs": sorted(one.needs),
                    "options": one.options,
                    "reference": one.reference,
                }
                for one in table()
            ]
        )
        return
    for one in table():
        options = "".join(f" :{name}={value}" for name, value in one.options.items())
        write(f"{one.ascii:<10} {one.family:<11} {one.formula}{options}")


@contextlib.contextmanager
def _output(path: Path | None, force: bool) -> Any:
    """Standard output, or a file that appears only when it is complete."""
    if path is None:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # `| head`
            quiet_stdout()
            raise SystemExit(0) from None
        return
    from hyperdive._atomic import whole_file

    file: IO[bytes]
    with whole_file(path, force=force) as unfinished, unfinished.open("wb") as file:
        yield file
