"""Text → corpus with patterns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hyperdive._progress import SILENT, Progress
from hyperdive.compilation.compiler import prepare
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import InputError, OptionError
from hyperdive.patterns.lexicon import LANGUAGES, term_roles
from hyperdive.patterns.reader import PatternReader
from hyperdive.pipeline.inputs import TokenLists, read_input
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text, encode_tokens
from hyperdive.text.options import EncodeOptions


def encode(
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    patterns: bool | None = None,
    preset: str = "default",
    progress: Progress = SILENT,
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
        options: Those of `hyperdive.text.options.EncodeOptions`, and `document`, `field`, `column`, `keep_text`,
            `strict`, `force`, `threads`. Without the text (`keep_text=False`) no sentences are kept with the patterns.

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
    if output is None:
        raise OptionError("a corpus needs a folder to be written to", hint="give output=")
    given = read_input(source, texts)
    if isinstance(given, Corpus | Cooccurrence):
        raise InputError("this is encoded already", hint="train on it as it is")
    prepare("encode", progress=progress)
    if isinstance(given, TokenLists):
        return _encode_tokens(given, output, patterns, preset, progress, options)
    language = EncodeOptions.preset(
        preset, **{name: value for name, value in options.items() if name == "language"}
    ).language
    if language not in LANGUAGES:
        if patterns:
            raise OptionError(f"no patterns for language {language!r} here", hint=f"there are: {', '.join(LANGUAGES)}")
        patterns = False
    reader = None if patterns is False else PatternReader(sentences=options.get("keep_text") is not False)
    roles = term_roles if language in LANGUAGES else None
    return encode_text(given, output, preset=preset, progress=progress, observer=reader, word_roles=roles, **options)


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
    rules = {name: value for name, value in options.items() if name != "threads"}
    for name in ("document", "field", "column", "keep_text", "strict"):
        if rules.pop(name, None):
            raise OptionError(f"{name} is an option for text; token lists are taken as they are")
    if patterns is None:
        progress.note("note: token lists give no patterns; pass raw text as texts=[...] to have them")
    return encode_tokens(tokens.lists, output, progress=progress, **rules)
