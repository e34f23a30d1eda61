"""Token lists → corpus folder."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive._store import ArtifactWriter
from hyperdive.errors import InputError, OptionError
from hyperdive.options import EncodeOptions
from hyperdive.text.corpus import KIND, UNKNOWN, VERSION, Corpus
from hyperdive.text.corpus_writer import finish, select, settle, write_words
from hyperdive.text.fold import Accounting, TokenStream
from hyperdive.text.forms import FormTable, TableWords


def encode_tokens(
    documents: Iterable[Sequence[str]],
    output: str | Path,
    *,
    force: bool = False,
    progress: Progress = SILENT,
    **options: Any,
) -> Corpus:
    """Encode token lists as they are (no lower-casing, lemmas or stop words); each list is one document and one line.

    Args:
        documents: token lists.
        output: the corpus folder to write.
        force: overwrite an existing corpus.
        progress: where progress is shown.
        options: those of `EncodeOptions`, such as `min_count`.

    >>> import tempfile
    >>> corpus = encode_tokens([["a", "poodle"], ["a", "dog"]], tempfile.mkdtemp() + "/c", min_count=1)
    >>> corpus.vocabulary
    ['<unk>', 'a', 'dog', 'poodle']
    """
    fixed = {"lemmas": "none", "stopwords": "none", "hyphens": "keep", "line_length": "document", "terms": "none"}
    rules = EncodeOptions.preset("default", **{**fixed, **options})
    for name in ("lemmas", "stopwords", "pos", "terms", "shuffle"):
        if getattr(rules, name) not in ("none", None):
            raise OptionError(f"{name} is an option for text; token lists are taken as they are", hint="use encode()")
    numbers: dict[str, int] = {}
    forms = array("I")
    starts = array("q", [0])
    for document in documents:
        if isinstance(document, str):
            raise InputError("encode_tokens needs lists of tokens, it got a string", hint="use encode() for text")
        for token in document:
            if not isinstance(token, str) or token.split() != [token] or token == UNKNOWN or not _is_text(token):
                raise InputError(f"{token!r} is not a token: a token is text without white space, and not {UNKNOWN}")
            forms.append(numbers.setdefault(token, len(numbers) + 1))
        starts.append(len(forms))
    offsets = np.array(starts, dtype=np.int64)
    accounting = Accounting(read=len(forms))
    with ArtifactWriter(output, KIND, VERSION, force=force) as writer:
        sentences = np.arange(len(starts), dtype=np.int64)
        stream = TokenStream(np.array(forms, dtype=np.uint32), offsets, sentences, offsets.copy())
        table = FormTable()
        table.add(list(numbers))
        words = TableWords(table, 0).strings()
        stream = select(stream, np.zeros(len(words), dtype=np.bool_), rules, accounting, writer)
        stream = settle(stream, len(words), rules, accounting, writer)
        totals = write_words(stream, words, rules, writer, progress)
        finish(stream, rules, accounting, writer, totals, {"input": {"kind": "tokens"}})
    return Corpus.open(output)


def _is_text(token: str) -> bool:
    """Whether a string can be written as UTF-8: a lone surrogate cannot."""
    return token.isascii() or not any(0xD800 <= ord(c) < 0xE000 for c in token)
