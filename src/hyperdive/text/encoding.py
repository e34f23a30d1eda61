"""Text or token lists → corpus folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive._store import ArtifactWriter
from hyperdive.errors import InputError
from hyperdive.text.corpus import KIND, VERSION, Corpus
from hyperdive.text.finishing import Accounting, Keys, Spool, finish, select
from hyperdive.text.options import EncodeOptions


def encode_tokens(
    documents: Iterable[Sequence[str]],
    output: str | Path,
    *,
    force: bool = False,
    progress: Progress = SILENT,
    **options: Any,
) -> Corpus:
    """Encode token lists as they are (no lower-casing, lemmas or stop words); each list is one document and one line.

    >>> import tempfile
    >>> corpus = encode_tokens([["a", "poodle"], ["a", "dog"]], tempfile.mkdtemp() + "/c", min_count=1)
    >>> corpus.vocabulary
    ['<unk>', 'a', 'dog', 'poodle']
    """
    fixed = {"lemmas": "none", "stopwords": "none", "hyphens": "keep", "line_length": "document"}
    rules = EncodeOptions.preset("default", **{**fixed, **options})
    numbers: dict[str, int] = {}
    forms: list[int] = []
    starts = [0]
    for document in documents:
        if isinstance(document, str):
            raise InputError("encode_tokens needs lists of tokens, it got a string", hint="use encode() for text")
        for token in document:
            if not token or token.split() != [token]:
                raise InputError(f"{token!r} is not a token: it is empty or holds white space")
            forms.append(numbers.setdefault(token, len(numbers) + 1))
        starts.append(len(forms))
    offsets = np.array(starts, dtype=np.int64)
    accounting = Accounting(read=len(forms))
    with ArtifactWriter(output, KIND, VERSION, force=force) as writer:
        sentences = np.arange(len(starts), dtype=np.int64)
        spool = Spool(np.array(forms, dtype=np.uint32), offsets, sentences, offsets)
        words = ["", *numbers]
        keys = Keys(words, np.arange(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.bool_))
        stream = select(spool, keys, rules, accounting, writer, progress)
        finish(stream, words, rules, accounting, writer, progress, {"input": {"kind": "tokens"}})
    return Corpus.open(output)
