"""Describe a corpus, counts or model folder.

Prints its parameters and sizes and, for a corpus, how many words were kept or dropped and why. With --verify every file
is checked against its checksum.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hyperdive._progress import human
from hyperdive.cli.common import JsonOption, write, write_json

if TYPE_CHECKING:
    from hyperdive.text.corpus import Corpus

_REASONS = {
    "stop_word": "stop words",
    "number": "numbers and words with digits",
    "joined": "joined by hyphen or apostrophe",
    "abbreviation": "dotted abbreviations",
    "clitic": "contractions and possessives",
    "not_in_alphabet": "other alphabets",
    "too_long": "longer than any word",
    "rare": "rare words",
    "over_budget": "beyond --max-tokens",
    "incomplete_last_line": "incomplete last line",
}


def info(
    path: Annotated[
        Path, typer.Argument(help="Folder written by hyperdive, or the name of a packaged model.", show_default=False)
    ],
    verify: Annotated[bool, typer.Option("--verify", help="Check every file against its checksum.")] = False,
    drop_text: Annotated[
        bool,
        typer.Option(
            "--drop-text",
            help="Delete the original text stored in a corpus or in counts.",
        ),
    ] = False,
    words: Annotated[int, typer.Option(min=0, help="Number of most frequent words to show.")] = 10,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Show how many words of each dataset are in the corpus.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Dataset folder.", show_default="HYPERDIVE_DATA, else a cache"),
    ] = None,
    json: JsonOption = False,
) -> None:
    from hyperdive._atomic import explain_os_errors
    from hyperdive._store import Artifact, header_fields, read_header
    from hyperdive.errors import Error
    from hyperdive.patterns.pattern_table import FOLDER
    from hyperdive.patterns.store import open_folder
    from hyperdive.patterns.store_files import drop_sentences
    from hyperdive.spaces.packaged_models import find_model
    from hyperdive.text.corpus import Corpus
    from hyperdive.text.kept_text import drop_text as drop

    path = find_model(path)
    header = read_header(path)
    if verify:
        with header_fields(path):
            Artifact.open(path, header["format"].removeprefix("hyperdive-"), header["format_version"]).verify()
        if (path / FOLDER).is_dir():
            open_folder(path).verify()
        if left := _left_text(path):
            raise Error(
                f"{path}: {left[0]} is left of an interrupted --drop-text",
                hint=f"type: hyperdive info {path} --drop-text",
            )
    if drop_text:
        with header_fields(path), explain_os_errors(path):
            has_text = header["format"] != "hyperdive-counts"  # counts have sentences only
            freed = (drop(path) if has_text else 0) + drop_sentences(path)
        if not freed:
            raise Error(f"{path}: no text is kept in this folder")
        write(f"{path}: removed the kept text, {human(freed, 'B')} freed")
        return
    if json:
        write_json(header)
        return
    with header_fields(path):
        if header["format"] == "hyperdive-corpus":
            describe_corpus(Corpus.open(path), words=words)
            if coverage:
                _coverage(Corpus.open(path), data)
        else:
            _describe(path, header)
    if verify:
        write(f"all {len(header['files'])} files match their checksums")


def describe_corpus(corpus: Corpus, *, words: int = 0) -> None:
    """The page a person sees after `encode` and from `info`."""
    header = corpus.header
    totals, accounting = header["totals"], header["accounting"]
    write(f"{corpus.path}: encoded corpus")
    rows = [
        ("words read", f"{accounting['read']:,}"),
        *((f"  – {_REASONS.get(name, name)}", f"{count:,}") for name, count in accounting["dropped"].items()),
        ("words kept", f"{totals['tokens']:,}"),
        ("lines", f"{totals['lines']:,}"),
        ("sentences", f"{totals['sentences']:,}"),
        ("documents", f"{totals['documents']:,}"),
        ("distinct words", f"{totals['types']:,}"),
        ("vocabulary", f"{corpus.vocabulary_size:,} (at least {corpus.min_count} times; with the unknown symbol)"),
    ]
    unknown = int(corpus.frequencies[0])
    rows.append(("unknown", f"{unknown:,} tokens, {100 * unknown / len(corpus):.2f} %"))
    terms = header.get("terms")
    if terms:
        given = f"; {terms['given']:,} of your list, {terms['absent']:,} of them absent" if "given" in terms else ""
        rows.append(("terms", f"{terms['terms']:,}, {terms['occurrences']:,} occurrences{given}"))
        if "abbreviations" in terms:
            rows.append(("abbreviations", f"{terms['abbreviations']:,} with a long form"))
    read = header["input"]
    if "invalid_utf8_bytes" in read:
        rows.append(("invalid UTF-8", f"{read['invalid_utf8_bytes']:,} bytes"))
    if "rows_without_text" in read:
        rows.append(("rows without text", f"{read['rows_without_text']:,}"))
    if header.get("skipped_files"):
        rows.append(("files skipped", f"{header['skipped_files']:,}"))
    if "n_files" in read:
        rows.append(("input", f"{read['n_files']:,} file(s), {human(read['bytes'], 'B')} of text"))
    left = _left_text(corpus.path)
    rows.append(("text kept", "yes" if "text.zst" in header["files"] or left else "no"))
    if left:
        rows.append(("", f"{', '.join(left)} left of an interrupted --drop-text: type it again"))
    rows += pattern_rows(corpus.path)
    rows.append(("on disk", human(sum(entry["bytes"] for entry in header["files"].values()), "B")))
    _table(rows)
    if words:
        last = min(words + 1, corpus.vocabulary_size)
        pairs = zip(corpus.vocabulary[1:last], corpus.counts[1:last].tolist(), strict=True)
        write(f"most frequent: {', '.join(f'{word} {count:,}' for word, count in pairs)}")


def _left_text(path: Path) -> list[str]:
    """Files with text that an interrupted --drop-text left."""
    from hyperdive._store import HEADER, left_files
    from hyperdive.patterns.pattern_table import FOLDER
    from hyperdive.patterns.store_files import SENTENCE_FILES
    from hyperdive.text.kept_text import TEXT_FILES

    inside = left_files(path / FOLDER, SENTENCE_FILES) if (path / FOLDER / HEADER).is_file() else []
    return [*left_files(path, TEXT_FILES), *(f"{FOLDER}/{name}" for name in inside)]


def pattern_rows(folder: Path) -> list[tuple[str, str]]:
    """What the text of a corpus or of counts states, if it was read for that."""
    from hyperdive.patterns.pattern_table import FOLDER
    from hyperdive.patterns.store import open_folder

    if not (folder / FOLDER).is_dir():
        return [("patterns", "no")]
    header = open_folder(folder).header
    return [("patterns", _stated(header["totals"], header["patterns"]))]


def _stated(totals: dict[str, int], about: dict[str, Any]) -> str:
    sentences = "no" if about["sentences"] is None else f"{about['sentences']:,}"
    return (
        f"{about['total']:,} statements, {totals['pairs']:,} pairs of {totals['terms']:,} terms, {sentences} sentences"
    )


def _coverage(corpus: Corpus, data: Path | None) -> None:
    """How many distinct words of each evaluation set (phrases split) are in the vocabulary."""
    from hyperdive.benchmark.datasets import load_all

    tagged = corpus.parameters["pos"] != "none"
    known = corpus.word_ids
    write("words of the datasets in the vocabulary:")
    rows = []
    for dataset in load_all(data=data):
        wanted = {word for key in dataset.space_keys(pos=tagged and dataset.tagged) for word in key}
        found = sum(word in known for word in wanted)
        rows.append((dataset.name, f"{found:>6,} of {len(wanted):>6,}  {100 * found / len(wanted):5.1f} %"))
    _table(rows)


def _describe(path: Path, header: dict[str, Any]) -> None:
    write(f"{path}: {header['format']}, version {header['format_version']}, {header['made_by']}")
    rows = []
    for section in ("parameters", "totals"):
        for name, value in header.get(section, {}).items():
            rows.append((name, f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)))
    bands = header.get("facts", {}).get("residuals", [])
    if bands:
        rows.append(("distance from the optimum", "relative KKT residual by rank of frequency, a sample of each band"))
    for band in bands:
        ranks = f"  – words {band['first']:,} to {band['last']:,}"
        rows.append((ranks, f"median {band['median']:.3f}, largest {band['largest']:.3f}"))
    if "patterns" in header:
        rows += _about_patterns(path, header)
    elif header["format"] == "hyperdive-counts":
        rows += pattern_rows(path)
    rows.append(("on disk", human(sum(entry["bytes"] for entry in header["files"].values()), "B")))
    _table(rows)


def _about_patterns(path: Path, header: dict[str, Any]) -> list[tuple[str, str]]:
    """What a model or a folder of patterns holds, and how much each pattern gave."""
    import numpy as np

    from hyperdive._store import Artifact
    from hyperdive.patterns.store import Patterns

    found = Patterns.read(Artifact(path, header))
    totals = {"pairs": found.pairs, "terms": len(found)}
    rows = [("patterns", _stated(totals, header["patterns"]))]
    base = found.base_of_pattern[found.patterns]
    matches = np.bincount(base, weights=found.values, minlength=len(found.names)).astype(int).tolist()
    by_pattern = sorted(zip(matches, found.names, strict=True), key=lambda one: (-one[0], one[1]))
    named = int(found.named.data.sum())
    rows += [("  of names", f"{named:,} statements")] if named else []
    return rows + [(f"  – {name}", f"{count:,}") for count, name in by_pattern if count]


def _table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        write(f"  {name:<{width}}  {value}")
