"""Text → encoded corpus.

Reads files, folders and globs (plain text, .gz, .bz2, .xz, .zst; JSON lines, CSV, TSV and Parquet by file extension; -
is standard input) and writes the folder that the other verbs read. The same text gives the same bytes for any number of
threads and any compression.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

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
    engine_of,
    part_bytes_of,
    reporter,
)


class Preset(StrEnum):
    default = "default"
    paper = "paper"


class Document(StrEnum):
    line = "line"
    file = "file"


class Hyphens(StrEnum):
    drop = "drop"
    split_ = "split"
    keep = "keep"


class Alphabet(StrEnum):
    ascii = "ascii"
    unicode = "unicode"


class Lemmas(StrEnum):
    none = "none"
    simplemma = "simplemma"


class Pos(StrEnum):
    none = "none"
    textblob = "textblob"
    spacy = "spacy"


class Rare(StrEnum):
    unknown = "unknown"
    drop = "drop"


class LastLine(StrEnum):
    keep = "keep"
    drop = "drop"


class Budget(StrEnum):
    alphabetic = "alphabetic"
    kept = "kept"


def encode(
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT",
            help="Files, folders, globs, or - for standard input; with --engine spark also addresses (s3a://bucket/text).",
            show_default=False,
        ),
    ],
    output: OutputOption,
    preset: Annotated[
        Preset, typer.Option(help="Base settings: for your own text, or exactly the paper's.")
    ] = Preset.default,
    document: Annotated[
        Document, typer.Option(help="Unit of a document in plain text: a line or a whole file.")
    ] = Document.line,
    field: Annotated[
        str, typer.Option(help="JSON lines: field that holds the text (a.b for a nested field).")
    ] = "text",
    column: Annotated[str, typer.Option(help="CSV, TSV, Parquet: column that holds the text.")] = "text",
    hyphens: Annotated[
        Hyphens | None,
        typer.Option(help="Treatment of words with a hyphen or apostrophe.", show_default="split; paper: drop"),
    ] = None,
    alphabet: Annotated[
        Alphabet | None,
        typer.Option(
            help="Alphabet of words; words with other letters are dropped.", show_default="unicode; paper: ascii"
        ),
    ] = None,
    lemmas: Annotated[Lemmas | None, typer.Option(help="Lemmatiser (dogs → dog).", show_default="simplemma")] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the text, for lemmatisation.", show_default="en")
    ] = None,
    stopwords: Annotated[
        str | None,
        typer.Option(help="Stop words: english, none, or a file with one word per line.", show_default="english"),
    ] = None,
    pos: Annotated[
        Pos | None, typer.Option(help="Part-of-speech tagger; tags are attached to words (dog|n).", show_default="none")
    ] = None,
    terms: Annotated[
        str | None,
        typer.Option(
            help="Terms counted beside words: none, auto (detected in the text), or a file with one per line, "
            "kept in addition to those detected.",
            show_default="auto; paper: none",
        ),
    ] = None,
    min_count: Annotated[
        int | None,
        typer.Option(help="Words with fewer occurrences are replaced by the unknown symbol.", show_default="10"),
    ] = None,
    rare: Annotated[Rare | None, typer.Option(help="Treatment of rare words.", show_default="unknown")] = None,
    line_length: Annotated[
        str | None,
        typer.Option(
            help="Words per line, or document, or sentence; context windows do not cross lines.", show_default="100"
        ),
    ] = None,
    last_line: Annotated[
        LastLine | None, typer.Option(help="Treatment of an incomplete last line.", show_default="keep; paper: drop")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Stop after this many tokens; 0: no limit.", show_default="0; paper: 51200000")
    ] = None,
    budget: Annotated[
        Budget | None,
        typer.Option(
            help="What --max-tokens counts: alphabetic tokens before stop-word removal, or tokens kept.",
            show_default="alphabetic",
        ),
    ] = None,
    shuffle: Annotated[
        int | None, typer.Option(help="Shuffle documents with this seed.", show_default="input order")
    ] = None,
    keep_text: Annotated[
        bool | None,
        typer.Option(
            "--keep-text/--no-keep-text", help="Store the original text in the corpus.", show_default="up to 1 GiB"
        ),
    ] = None,
    patterns: Annotated[
        bool | None,
        typer.Option(
            "--patterns/--no-patterns",
            help="Also match Hearst patterns (dogs such as poodles) in the same pass.",
            show_default="yes for English",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on invalid UTF-8 or NUL bytes.")] = False,
    force: ForceOption = False,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Memory limit, such as 800MB or 4GB.", show_default="none; half of this machine's memory is shared out"
        ),
    ] = None,
    threads: ThreadsOption = None,
    engine: EngineOption = EngineName.local,
    master: MasterOption = None,
    conf: SparkConfOption = None,
    part_size: PartSizeOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from hyperdive import encode as run
    from hyperdive._resources import parse_size
    from hyperdive.cli.info import describe_corpus
    from hyperdive.errors import OptionError

    length: int | str | None = line_length
    if line_length is not None and line_length not in ("document", "sentence"):
        if not line_length.isdecimal():
            raise OptionError(f"--line-length is {line_length!r}", hint="use a number, document or sentence")
        length = int(line_length)
    part_bytes = part_bytes_of(part_size, engine)
    with engine_of(engine, master, conf) as where:
        spread: dict[str, Any] = {}
        if where is not None:
            spread = {"engine": where, "part_bytes": part_bytes}
        corpus = run(
            list(text),
            output,
            preset=str(preset),
            document=str(document),
            field=field,
            column=column,
            keep_text=keep_text,
            patterns=patterns,
            strict=strict,
            force=force,
            threads=threads,
            memory=None if memory is None else parse_size(memory),
            progress=reporter(progress),
            hyphens=_value(hyphens),
            alphabet=_value(alphabet),
            lemmas=_value(lemmas),
            language=language,
            stopwords=stopwords,
            pos=_value(pos),
            terms=terms,
            min_count=min_count,
            rare=_value(rare),
            line_length=length,
            last_line=_value(last_line),
            max_tokens=max_tokens,
            budget=_value(budget),
            shuffle=shuffle,
            **spread,
        )
    describe_corpus(corpus)


def _value(choice: StrEnum | None) -> str | None:
    return None if choice is None else str(choice)
