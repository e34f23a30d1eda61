"""Text → corpus with patterns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hyperdive import __version__
from hyperdive._engine import Engine
from hyperdive._progress import SILENT, Progress
from hyperdive._resources import Run, memory_limit
from hyperdive._resume import WorkFolder
from hyperdive._store import check_output, fingerprint
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import Error, InputError, OptionError
from hyperdive.options import EncodeCall, EncodeOptions, takes
from hyperdive.patterns.collector import PatternReader
from hyperdive.patterns.lexicon import LANGUAGES, term_roles
from hyperdive.pipeline.inputs import TokenLists, file_identity, find_files, read_input
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text
from hyperdive.text.memory_plan import pattern_memory
from hyperdive.text.parts import PART_BYTES, PartReading
from hyperdive.text.readers import BLOCK_BYTES
from hyperdive.text.sources import DocumentSource, TextFiles
from hyperdive.text.token_lists import encode_tokens


@takes(EncodeCall)
def encode(
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    patterns: bool | None = None,
    preset: str = "default",
    progress: Progress = SILENT,
    engine: Engine | None = None,
    part_bytes: int | None = None,
    block_bytes: int = BLOCK_BYTES,
    **options: Any,
) -> Corpus:
    """Read text once and write an encoded corpus with its patterns under `patterns/`.

    Args:
        source: Path(s) of text files, folders or globs; a pandas or polars column; an iterable of spaCy documents,
            whose text is read; or an iterable of token lists, which are taken as they are and give no patterns.
        output: The corpus folder to write.
        texts: Raw documents instead of `source`: an iterable of strings, read once and never held together.
        patterns: None reads them where the language is known, False leaves them out.
        preset: The rules to start from, `default` or `paper`.
        progress: Where to report progress.
        engine: Where the work is run (`hyperdive.engines`); None is this process.
        part_bytes: Text that a task of an engine reads.
        block_bytes: Text that is tokenised at once; the result does not depend on it.
        options: Those of `hyperdive.options.EncodeCall`. Without the text (`keep_text=False`) no sentences are kept
            with the patterns.

    >>> import tempfile
    >>> from hyperdive.patterns.store import patterns_of
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "pets.txt").write_text("They keep dogs such as poodles and spaniels.\\n")
    >>> corpus = encode(folder / "pets.txt", folder / "corpus", min_count=1)
    >>> stated = patterns_of(corpus.path)
    >>> stated.count("poodle", "dog"), stated.evidence("spaniel", "dog")[0].marked()
    (1, 'They keep **dogs** such as poodles and **spaniels**.')
    >>> again = encode(texts=["They keep dogs such as poodles and spaniels."], output=folder / "again", min_count=1)
    >>> again.vocabulary == corpus.vocabulary
    True
    """
    options = {name: value for name, value in options.items() if value is not None}
    EncodeCall.preset(preset, **options)
    if "memory" in options:
        options["memory"] = memory_limit(options["memory"])
    if output is None:
        raise OptionError("a corpus needs a folder to be written to", hint="give output=")
    given = read_input(source, texts)
    if isinstance(given, Corpus | Cooccurrence):
        raise InputError("this is encoded already", hint="train on it as it is")
    rules = EncodeOptions.preset(preset, **EncodeOptions.own(options))
    if isinstance(given, TokenLists):
        if engine is not None:
            raise OptionError("an engine reads files of text, not token lists", hint="leave out engine=")
        return _encode_tokens(given, output, patterns, preset, progress, options)
    language = rules.language
    if language not in LANGUAGES:
        if patterns:
            raise OptionError(f"no patterns for language {language!r} here", hint=f"there are: {', '.join(LANGUAGES)}")
        patterns = False
    reader = None
    if patterns is not False:
        memory = pattern_memory(options.get("memory"))
        reader = PatternReader(sentences=options.get("keep_text") is not False, memory=memory)
    shared: dict[str, Any] = {
        "preset": preset,
        "block_bytes": block_bytes,
        "observer": reader,
        "word_roles": term_roles if language in LANGUAGES else None,
        "progress": progress,
    }
    if engine is None:
        return encode_text(given, output, **shared, **options)
    if isinstance(given, DocumentSource):
        raise OptionError("an engine reads files, not documents of a program", hint="write the text to files")
    files = given if isinstance(given, TextFiles) else find_files(given, engine)
    part_bytes = part_bytes or PART_BYTES
    output = Path(output)
    check_output(output, force=bool(options.get("force")))
    plan = {
        "input": [[source.path] if source.size is None else file_identity(source) for source in files.sources],
        "options": {
            name: content_of(value)
            for name, value in options.items()
            if name not in ("threads", "memory", "force", "progress")
        },
        "preset": preset,
        "patterns": patterns is not False,
        "part_bytes": part_bytes,
        "version": __version__,
    }
    with kept_work(output, "encode", plan, Run(force=bool(options.get("force")))) as work:
        return encode_text(files, output, reading=PartReading(engine, work, part_bytes), **shared, **options)


@contextmanager
def kept_work(output: Path, verb: str, plan: dict[str, Any], run: Run = Run()) -> Iterator[WorkFolder]:
    """A work folder next to an output, kept for the same run where the work was stopped before its end."""
    work = WorkFolder(output.parent / f".{output.name}.{verb}", output, fingerprint(plan), run)
    try:
        yield work
    except Error:
        work.remove()
        raise
    except BaseException:
        work.release()
        raise
    work.remove()


def content_of(option: Any) -> Any:
    """The hash of a file of stop words or terms; any other option as it is."""
    path = Path(str(option))
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else option


def _encode_tokens(
    tokens: TokenLists,
    output: str | Path,
    patterns: bool | None,
    preset: str,
    progress: Progress,
    options: dict[str, Any],
) -> Corpus:
    if patterns:
        raise OptionError("token lists give no patterns", hint="pass the sentences as texts=[...]")
    if preset != "default":
        raise OptionError(f"the preset {preset!r} is for text; token lists are taken as they are")
    rules = {name: value for name, value in options.items() if name not in ("threads", "memory")}
    for name in ("document", "field", "column", "keep_text", "strict"):
        if rules.pop(name, None):
            raise OptionError(f"{name} is an option for text; token lists are taken as they are")
    if patterns is None:
        progress.note("note: token lists give no patterns; pass raw text as texts=[...] to have them")
    return encode_tokens(tokens.lists, output, progress=progress, **rules)
