"""Part-of-speech tags: `dog|n` instead of `dog`, from an offline tagger, in parallel processes."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numpy as np

from hyperdive.errors import InputError, MissingExtra
from hyperdive.kernels import tokens as k
from hyperdive.kernels.forms import hash_forms
from hyperdive.options import EncodeOptions
from hyperdive.text.readers import TextBlock
from hyperdive.text.tokens import Examine, Tokens, tokenise

_MOST_PROCESSES = 60  # the limit on Windows is 61
SPACY_MODEL = "en_core_web_sm"
Tagger = Callable[[list[list[str]]], list[list[str]]]


@cache
def tagger(name: str) -> Tagger:
    """A function from tokenised sentences to their Penn Treebank tags.

    >>> tagger("textblob")([["The", "poodle", "barks"]])
    [['DT', 'NN', 'VBZ']]
    """
    return _textblob() if name == "textblob" else _spacy()


def _textblob() -> Tagger:
    try:
        from textblob.en import parser
    except ImportError:
        raise MissingExtra("tagging parts of speech", "pos") from None

    def tag(sentences: list[list[str]]) -> list[list[str]]:
        return [[tag for _, tag in parser.find_tags(words)] for words in sentences]

    return tag


def _spacy() -> Tagger:
    try:
        import spacy
        from spacy.tokens import Doc
    except ImportError:
        raise InputError("pos=spacy needs spaCy", hint="type: pip install spacy, or use pos=textblob") from None
    try:
        pipeline: Any = spacy.load(SPACY_MODEL, exclude=["parser", "ner", "lemmatizer", "attribute_ruler"])
    except OSError:
        raise InputError(
            f"--pos spacy needs the model {SPACY_MODEL}", hint=f"type: python -m spacy download {SPACY_MODEL}"
        ) from None

    def tag(sentences: list[list[str]]) -> list[list[str]]:
        documents = (Doc(pipeline.vocab, words=words) for words in sentences)
        return [[token.tag_ for token in document] for document in pipeline.pipe(documents, batch_size=256)]

    return tag


def letter(tag: str) -> str:
    """The first letter of a tag in lower case; signs count as nouns.

    >>> letter("VBZ"), letter("JJ"), letter("``")
    ('v', 'j', 'n')
    """
    first = tag[:1].lower()
    return first if first.isalpha() else "n"


def tag_block(block: TextBlock, options: EncodeOptions, *, examine: Examine | None = None) -> Tokens:
    """The block's tokens with forms such as `dogs|n`."""
    tokens = tokenise(block, options, spans=True)
    raw = block.data.tobytes()
    words = [
        raw[start:end].decode("utf-8", errors="replace")
        for start, end in zip(tokens.span_starts.tolist(), tokens.span_ends.tolist(), strict=True)
    ]
    borders = [*np.searchsorted(tokens.span_starts, tokens.sent_starts).tolist(), len(words)]
    sentences = [words[start:end] for start, end in itertools.pairwise(borders)]
    tags = [tag for sentence in tagger(options.pos)(sentences) for tag in sentence]
    first = borders[0]
    numbers: dict[str, int] = {}
    kinds = tokens.span_kinds.tolist()
    local = [
        numbers.setdefault(f"{words[i].lower()}|{letter(tags[i - first])}", len(numbers) + 1)
        for i in range(len(words))
        if kinds[i] == k.WORD
    ]
    forms = np.array(local, dtype=np.uint32)
    encoded = [form.encode("utf-8", errors="replace") for form in numbers]
    lengths = np.array([len(form) for form in encoded], dtype=np.int32)
    starts = (np.cumsum(lengths) - lengths).astype(np.int64)
    arena = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    tagged = tokens._replace(
        forms=forms, arena=arena, starts=starts, lengths=lengths, hashes=hash_forms(arena, starts, lengths)
    )
    return tagged.without_spans(None if examine is None else examine(block.data, tagged))


def _start_worker(name: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    threading.Thread(target=_end_with_parent, daemon=True).start()
    tagger(name)


def _end_with_parent() -> None:
    """A worker waits for jobs for ever, also when its parent was killed: it goes with it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def executor(options: EncodeOptions, processes: int) -> Executor:
    """Workers for `tag_block`; a single worker is a thread of this process."""
    tagger(options.pos)
    if processes == 1:
        return ThreadPoolExecutor(1)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        min(processes, _MOST_PROCESSES), mp_context=context, initializer=_start_worker, initargs=(options.pos,)
    )
    # Workers start with their first job and inherit the handling of SIGINT; ignore it until all have started.
    if threading.current_thread() is not threading.main_thread():
        return pool
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        wait([pool.submit(_ready) for _ in range(processes)])
    finally:
        signal.signal(signal.SIGINT, before)
    return pool


def _ready() -> None:
    """A job that starts a worker."""
