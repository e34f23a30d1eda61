"""Text → corpus with patterns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hyperdive import __version__
from hyperdive._engine import Engine
from hyperdive._progress import SILENT, Progress
from hyperdive._resources import Run, memory_limit
from hyperdive._resume import WorkFolder, run_identity
from hyperdive._store import check_output, fingerprint
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import InputError, OptionError
from hyperdive.options import EncodeCall, EncodeOptions, RunOptions, takes
from hyperdive.patterns.collector import PatternReader
from hyperdive.patterns.lexicon import LANGUAGES, term_roles
from hyperdive.pipeline.inputs import TokenLists, file_identity, find_files, read_input
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import default_part_bytes, encode_text, pattern_memory
from hyperdive.text.readers import BLOCK_BYTES
from hyperdive.text.sources import DocumentSource, TextFiles
from hyperdive.text.token_lists import encode_tokens

KEPT_BYTES = 64 << 20
"""A text of this size takes so long that an interrupted run should go on with the parts it has read."""


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
        part_bytes: Text that a task reads; the result does not depend on it.
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
        if engine is not None and not engine.in_process:
            raise OptionError("a cluster reads files of text, not token lists", hint="leave out engine=")
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
        "part_bytes": part_bytes,
        "engine": engine,
        "observer": reader,
        "word_roles": term_roles if language in LANGUAGES else None,
        "progress": progress,
    }
    if engine is not None and not engine.in_process and isinstance(given, DocumentSource):
        raise OptionError("a cluster reads files, not documents of a program", hint="write the text to files")
    files = given if isinstance(given, DocumentSource | TextFiles) else find_files(given, engine)
    output = Path(output)
    folder = output.parent / f".{output.name}.encode"
    WorkFolder.sweep(folder, output)
    if isinstance(files, DocumentSource) or not _is_kept(files, engine):
        return encode_text(files, output, **shared, **options)
    shared["part_bytes"] = part_bytes or default_part_bytes(options.get("memory"), engine)
    check_output(output, force=bool(options.get("force")))
    plan = {
        "input": [[source.path] if source.size is None else file_identity(source) for source in files.sources],
        "options": {name: content_of(value) for name, value in options.items() if name not in RunOptions.described()},
        "preset": preset,
        "patterns": patterns is not False,
        "part_bytes": shared["part_bytes"],
        "block_bytes": block_bytes,
        "version": __version__,
    }
    # parts are read within minutes: what another command left is not worth a question
    run = Run(force=bool(options.get("force")), restart=run_identity(folder) != fingerprint(plan))
    with WorkFolder(folder, output, fingerprint(plan), run) as work:
        if work.started:
            progress.note("resuming with the parts of an interrupted run")
        return encode_text(files, output, folder=work.folder, **shared, **options)


def _is_kept(files: TextFiles, engine: Engine | None) -> bool:
    """Whether the results of tasks are kept until the corpus is complete: on a cluster, and of a large text."""
    if engine is not None and not engine.in_process:
        return True
    sizes = [source.size for source in files.sources]
    return None not in sizes and sum(size for size in sizes if size) >= KEPT_BYTES


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
