"""Text → corpus, with what the text states beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hyperdive._progress import SILENT, Progress
from hyperdive.errors import OptionError
from hyperdive.patterns.lexicon import LANGUAGES
from hyperdive.patterns.reader import PatternReader
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text
from hyperdive.text.options import EncodeOptions


def encode(
    inputs: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    patterns: bool | None = None,
    preset: str = "default",
    keep_text: bool | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Corpus:
    """Read text once and write an encoded corpus with its patterns under `patterns/`.

    `patterns` None reads them where the language is known, False leaves them out. Without the text (`keep_text=False`)
    no sentences are kept with them. Further options are those of `hyperdive.text.encoder.encode_text`.

    >>> import tempfile
    >>> from hyperdive.patterns.store import patterns_of
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "pets.txt").write_text("They keep dogs such as poodles and spaniels.\\n")
    >>> corpus = encode(folder / "pets.txt", folder / "corpus", min_count=1)
    >>> stated = patterns_of(corpus.path)
    >>> stated.count("poodle", "dog"), stated.evidence("spaniel", "dog")[0].marked()
    (1, 'They keep **dogs** such as poodles and **spaniels**.')
    """
    language = EncodeOptions.preset(
        preset, **{name: value for name, value in options.items() if name == "language"}
    ).language
    if language not in LANGUAGES:
        if patterns:
            raise OptionError(f"no patterns for language {language!r} here", hint=f"there are: {', '.join(LANGUAGES)}")
        patterns = False
    reader = None if patterns is False else PatternReader(sentences=keep_text is not False)
    return encode_text(
        inputs, output, preset=preset, keep_text=keep_text, progress=progress, observer=reader, **options
    )
