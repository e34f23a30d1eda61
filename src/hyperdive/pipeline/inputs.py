"""What people have text in: paths, raw documents, columns of data frames, token lists, spaCy documents."""

from __future__ import annotations

import glob
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperdive._engine import Engine
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import InputError
from hyperdive.text.corpus import Corpus
from hyperdive.text.sources import STDIN, DocumentSource, TextFiles, TextSource, is_address, stored_source

DOCUMENTS = "texts"
"""The name that raw documents have in the header of a corpus, where files have their own."""
_SHOWN = 500  # characters of a name that is no path: more is a whole text


@dataclass(frozen=True)
class TokenLists:
    """Documents that are lists of tokens already."""

    lists: Iterable[Any]


TextInput = list[str | Path] | TextFiles | DocumentSource | TokenLists | Corpus | Cooccurrence


def read_input(source: Any = None, texts: Iterable[Any] | None = None) -> TextInput:
    """What a user means by an input of `encode` or `train`; nothing is read but the first element.

    Args:
        source: Path(s) of text, a pandas or polars column, an iterable of token lists or of spaCy documents, or a
            `Corpus`, `Cooccurrence` or `TextFiles`, which comes back as it is.
        texts: Raw documents instead: an iterable of strings or of spaCy documents, or a column.

    >>> read_input([["a", "poodle"], ["a", "dog"]]).lists is not None
    True
    >>> next(iter(read_input(texts=["A poodle.", None, "A dog."]).documents))
    'A poodle.'
    >>> read_input(["A poodle is a dog."])
    Traceback (most recent call last):
    hyperdive.errors.InputError: A poodle is a dog.: no such file or folder (check the path, or use - for standard
    input; in Python, raw text is passed as texts=[...])
    """
    if texts is not None:
        if source is not None:
            raise InputError("paths and texts= cannot both be read", hint="give one of them")
        if isinstance(texts, str | Path):
            raise InputError("texts= takes a list of documents", hint="for one document write texts=[text]")
        return _documents(_items(texts))
    if isinstance(source, Corpus | Cooccurrence | DocumentSource | TextFiles | TokenLists):
        return source
    if isinstance(source, str | Path):
        return [_path(source)]
    items = _items(source)
    first = next(items, None)
    if first is None:
        raise InputError("no input", hint="name files or folders, or pass raw text as texts=[...]")
    items = itertools.chain([first], items)
    if isinstance(first, Corpus | Cooccurrence):
        return list(items)
    if _is_column(source) and isinstance(first, str):
        return _documents(items)
    if isinstance(first, str | Path):
        return [_path(item) for item in items]
    return _documents(items) if _text_of(first) is not None else TokenLists(items)


def find_files(inputs: Sequence[str | Path], engine: Engine | None) -> TextFiles:
    """The files behind paths, folders and globs, and those behind addresses, which an engine knows."""
    if engine is None or not any(map(is_address, inputs)):
        return TextFiles.find(inputs)
    sources: list[TextSource] = []
    skipped: list[tuple[str, str]] = []
    for name in inputs:
        if is_address(name):
            sources += [stored_source(*file) for file in engine.files(str(name))]
        else:
            found = TextFiles.find([name])
            sources += found.sources
            skipped += found.skipped
    return TextFiles(tuple(sources), tuple(skipped))


def file_identity(source: TextSource) -> list[Any]:
    """What tells whether a file is still the same, without reading it."""
    if source.modified is not None:
        return [source.path, source.size, source.modified]
    try:
        return [source.path, source.size, Path(source.path).stat().st_mtime_ns]
    except OSError as error:
        raise InputError(f"{source.path}: {error.strerror}", hint="check the path") from None


def _items(source: Any) -> Iterator[Any]:
    """The elements of an iterable; those that are missing in a column are left out."""
    if hasattr(source, "columns"):
        names = ", ".join(map(str, list(source.columns)[:8]))
        raise InputError("a data frame is not text", hint=f"pass the column with the text; there are: {names}")
    try:
        return (item for item in source if not _is_missing(item))
    except TypeError:
        raise InputError(
            f"{type(source).__name__} is not text", hint="pass paths, or raw text as texts=[...]"
        ) from None


def _is_missing(item: Any) -> bool:
    """Whether an element is None, NaN or pandas' NA."""
    return item is None or (isinstance(item, float) and item != item) or type(item).__name__ == "NAType"


def _is_column(source: Any) -> bool:
    """Whether this is a Series of pandas or polars, told without importing either."""
    return type(source).__module__.split(".")[0] in ("pandas", "polars")


def _text_of(item: Any) -> str | None:
    """The text of a document: a string, or what a spaCy document was made from."""
    text = item if isinstance(item, str) else getattr(item, "text", None)
    return text if isinstance(text, str) else None


def _documents(items: Iterator[Any]) -> DocumentSource:
    return DocumentSource(DOCUMENTS, documents=_texts(items))


def _texts(items: Iterator[Any]) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        text = _text_of(item)
        if text is None:
            raise InputError(
                f"document {number} is {type(item).__name__}, not text", hint="pass token lists without texts="
            )
        yield text


def _path(item: Any) -> str | Path:
    if not isinstance(item, str | Path):
        raise InputError(f"{type(item).__name__} among paths is no path", hint="raw text is passed as texts=[...]")
    text = str(item)
    if text in ("", STDIN) or is_address(text) or _exists(text):
        return item
    if glob.has_magic(text) and glob.glob(text, recursive=True):  # noqa: PTH207
        return item
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    raise InputError(
        f"{shown}: {'matches no file' if glob.has_magic(text) else 'no such file or folder'}",
        hint="check the path, or use - for standard input; in Python, raw text is passed as texts=[...]",
    )


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # a whole text is too long for a name, or holds what no name may hold
        return False
