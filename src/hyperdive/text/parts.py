"""Text in parts: each is read by a task, and no byte of a corpus depends on how the text was cut.

A part is some small files, a range of lines of a large file, or blocks of a stream that only the driver can read. A
task tokenises a part, numbers its word forms from 1 and collects its items and patterns. `hyperdive.text.fold` puts the
results together in the order of the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._engine import Arrays, Facts
from hyperdive._types import Array, Ints
from hyperdive.errors import Error, InputError, OptionError
from hyperdive.kernels import tokens as k
from hyperdive.kernels.forms import renumber
from hyperdive.options import EncodeOptions
from hyperdive.text.forms import FormTable
from hyperdive.text.lemmas import FormResolver
from hyperdive.text.readers import BOM, DocumentLayout, TextBlock, read_blocks
from hyperdive.text.sources import STDIN, DocumentSource, TextSource, is_address, open_source, what_is_wrong
from hyperdive.text.term_items import PartItems
from hyperdive.text.tokens import BlockObserver, Tokens, tokenise

_SEARCH = 1 << 16
_UNPACKED = 3  # text is larger than its compressed file by about so much
_REASONS = {
    "number": k.NUMBER,
    "joined": k.JOINED,
    "abbreviation": k.ABBREVIATION,
    "not_in_alphabet": k.NOT_IN_ALPHABET,
    "clitic": k.CLITIC,
    "too_long": k.TOO_LONG,
}
OBSERVED = "observed."
"""How the names of an observer's arrays begin."""


# ---- cutting ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TextPart:
    """The text of one task: files or ranges of their lines, or blocks of them that were read already."""

    sources: tuple[TextSource, ...]
    read: tuple[TextBlock, ...] = ()

    @property
    def address(self) -> str | None:
        """The file of other storage that this part is."""
        return self.sources[0].path if is_address(self.sources[0].path) else None

    def blocks(self, layout: DocumentLayout, block_bytes: int) -> Iterator[TextBlock]:
        """Yield the text in blocks."""
        if self.read:
            yield from self.read
        else:
            for source in self.sources:
                yield from read_blocks(source, layout, block_bytes)

    def is_whole(self, number: int) -> bool:
        """Return whether a source is read by this part alone, from its beginning to its end."""
        source = self.sources[number]
        return not self.read and source.start == 0 and source.end is None

    def text(self, number: int, size: int) -> Iterator[Any]:
        """Yield the first bytes of the text of a source, which is not whole."""
        source = self.sources[number]
        if self.read:
            pieces: Iterator[Any] = (block.data.data for block in self.read if block.source is source)
        else:
            pieces = _lines_of(source)
        for piece in pieces:
            yield piece[:size]
            size -= len(piece)
            if size <= 0:
                return


def _lines_of(source: TextSource) -> Iterator[bytes]:
    with open_source(source) as stream:
        if source.start == 0 and (head := stream.read(len(BOM))) != BOM:
            yield head
        yield from stream.chunks(1 << 20)


def cut_parts(
    sources: Sequence[TextSource],
    layout: DocumentLayout,
    part_bytes: int,
    block_bytes: int,
    *,
    streams: bool = True,
) -> Iterator[TextPart]:
    """Yield all sources in their order, in parts of about `part_bytes` of text.

    Args:
        sources: the files.
        layout: where documents are in a file.
        part_bytes: how much text a part should have.
        block_bytes: the size of the blocks of a stream.
        streams: whether parts may hold text that was read here, from a pipe, a program or a large compressed file.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("one two\\n" * 10), (folder / "b.txt").write_text("three\\n")
    >>> files = [TextSource(str(folder / name), size=size) for name, size in (("a.txt", 80), ("b.txt", 6))]
    >>> [[(source.name, source.start, source.end) for source in part.sources]
    ...     for part in cut_parts(files, DocumentLayout(), 40, 8)]
    [[('a.txt', 0, 40)], [('a.txt', 40, None)], [('b.txt', 0, None)]]
    """
    few: list[TextSource] = []
    size = 0

    def together() -> Iterator[TextPart]:
        nonlocal size
        if few:
            yield TextPart(tuple(few))
        few.clear()
        size = 0

    for source in sources:
        is_stream = isinstance(source, DocumentSource) or source.path == STDIN or source.size is None
        if is_stream and not streams:
            raise OptionError(
                "only files can be read by a cluster, not a pipe or documents of a program",
                hint="write the text to files",
            )
        if not is_stream and is_address(source.path):  # one file per task
            yield from together()
            yield TextPart((source,))
            continue
        plain = not is_stream and is_plain(source)
        text = (source.size or 0) * (1 if plain else _UNPACKED)
        if plain and layout.document == "line" and text >= 2 * part_bytes:
            yield from together()
            for piece in _ranges(source, part_bytes):
                yield TextPart((piece,))
        elif is_stream or (streams and text >= 2 * part_bytes):
            yield from together()
            yield from _streamed(source, layout, part_bytes, block_bytes)
        else:
            few.append(source)
            size += text
            if size >= part_bytes:
                yield from together()
    yield from together()


def is_plain(source: TextSource) -> bool:
    """Return whether a file is its text: uncompressed lines."""
    if source.format != "text" or is_address(source.path):
        return False
    with open_source(source) as stream:
        return not stream.compression


def _streamed(source: TextSource, layout: DocumentLayout, part_bytes: int, block_bytes: int) -> Iterator[TextPart]:
    blocks: list[TextBlock] = []
    size = 0
    for block in read_blocks(source, layout, block_bytes):
        blocks.append(block)
        size += len(block.data)
        if size >= part_bytes:
            yield TextPart((block.source,), tuple(blocks))
            blocks, size = [], 0
    if blocks:
        yield TextPart((blocks[0].source,), tuple(blocks))


def _ranges(source: TextSource, part_bytes: int) -> Iterator[TextSource]:
    """A file in ranges that end behind a line end."""
    size = source.size or 0
    start = 0
    with Path(source.path).open("rb") as file:
        while start + part_bytes < size:
            file.seek(start + part_bytes - 1)
            end = start + part_bytes - 1
            while chunk := file.read(_SEARCH):
                at = chunk.find(b"\n")
                if at >= 0:
                    end += at + 1
                    break
                end += len(chunk)
            else:
                break
            if end >= size:
                break
            yield replace(source, size=end - start, start=start, end=end)
            start = end
    yield replace(source, size=size - start, start=start)


# ---- a task: reading a part ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartReader:
    """Reads a part: a task function; see `hyperdive._engine`."""

    options: EncodeOptions
    layout: DocumentLayout
    block_bytes: int
    keep_text: bool
    observer: BlockObserver | None

    def __call__(self, part: TextPart, copy: str | None = None, limit: int = 0) -> tuple[Facts, Arrays]:
        """Return what the corpus needs of this part.

        Args:
            part: the text.
            copy: the path of a copy of a part that lies in other storage; errors name the file and not its copy.
            limit: read up to the end of the document in which a budget of so many words ends; 0 reads everything.
        """
        if copy is None:
            return self._read(part, limit)
        [source] = part.sources
        own = replace(source, path=copy)
        try:
            if reason := what_is_wrong(own):
                raise InputError(f"{copy}: {reason[0]}", hint=reason[1])
            return self._read(TextPart((own,)), limit)
        except Error as error:
            raise type(error)(error.what.replace(copy, source.path), hint=error.hint) from None

    def _read(self, part: TextPart, limit: int) -> tuple[Facts, Arrays]:
        found = _FoundText(self.options, None if self.observer is None else self.observer.part(), self.keep_text, part)
        for block in part.blocks(self.layout, self.block_bytes):
            tokens = self._tokenised(block)
            counted = found.merge(tokens)
            if limit and found.budget + np.count_nonzero(counted) >= limit:
                at = int(np.searchsorted(np.cumsum(counted), limit - found.budget))
                block = block.first(int(np.searchsorted(tokens.piece_tokens, at, side="right")))
                tokens = self._tokenised(block)
                found.add(block, tokens, found.merge(tokens))
                break
            found.add(block, tokens, counted)
        return found.facts(), found.arrays()

    def _tokenised(self, block: TextBlock) -> Tokens:
        examine = None if self.observer is None else self.observer.examine
        if self.options.pos == "none":
            return tokenise(block, self.options, examine=examine)
        from hyperdive.text import tagging

        return tagging.tag_block(block, self.options, examine=examine)


@dataclass
class _SourceText:
    """How much text of a source was read, and its hash."""

    number: int
    bytes: int = 0
    sha: Any = field(default_factory=hashlib.sha256)


class _FoundText:
    """What is found in the blocks of a part."""

    def __init__(self, options: EncodeOptions, observer: BlockObserver | None, keep_text: bool, part: TextPart) -> None:
        self._options, self._observer, self._part = options, observer, part
        self._table, self._resolver = FormTable(), FormResolver(options)
        self._items = PartItems(self._table) if options.terms != "none" else None
        self._numbers: npt.NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
        self._sources: list[_SourceText] = []
        self._forms: list[Array] = []
        self._documents: list[Ints] = []
        self._document_sentences: list[Ints] = []
        self._sentences: list[Ints] = []
        self._texts: list[bytes] | None = [] if keep_text else None
        self._text_lengths: list[Ints] = []
        self._n_forms = self._n_documents = self._n_sentences = 0
        self._continues: bool | None = None
        self.budget = 0
        """Words of the budget that the blocks use."""
        self._counters = np.zeros(k.N_COUNTERS, dtype=np.int64)
        self._invalid: list[Any] = []
        self._nul = ""
        self._without_text = 0

    def merge(self, tokens: Tokens) -> npt.NDArray[np.bool_]:
        """Replace the numbers of a block's forms by those of the part; return which tokens the budget counts."""
        known = len(self._table)
        self._numbers = self._table.merge(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
        renumber(tokens.forms, self._numbers)
        if self._items is not None and tokens.items is not None:
            self._items.merge(tokens.items, self._numbers)
        self._resolver.add(self._table.words(known))
        counted: npt.NDArray[np.bool_] = tokens.forms != 0
        if self._options.budget == "kept":
            counted &= ~self._resolver.are_stops(tokens.forms)
        return counted

    def add(self, block: TextBlock, tokens: Tokens, counted: npt.NDArray[np.bool_]) -> None:
        """Append a merged block."""
        if self._continues is None:
            self._continues = bool(block.continued[0])
        source = self._source(block.source)
        source.bytes += len(block.data)
        if self._part.is_whole(source.number):
            source.sha.update(block.data.data)
        self._note_counters(block, tokens.counters)
        self.budget += int(np.count_nonzero(counted))
        if self._observer is not None:
            documents = self._n_documents + bool(self._continues)  # one before it goes on
            self._observer.absorb(block.data, tokens, self._resolver.block_keys(self._numbers), documents)
        if self._items is not None:
            self._items.absorb(block.data, tokens, self._numbers)
        self._documents.append(tokens.doc_tokens + self._n_forms)
        self._document_sentences.append(tokens.doc_sentences + self._n_sentences)
        self._sentences.append(tokens.sent_tokens + self._n_forms)
        self._forms.append(tokens.forms)
        self._n_forms += len(tokens.forms)
        self._n_documents += len(tokens.doc_tokens)
        self._n_sentences += len(tokens.sent_tokens)
        if self._texts is not None:
            raw = block.data.tobytes()
            spans = zip(tokens.sent_starts.tolist(), tokens.sent_ends.tolist(), strict=True)
            self._texts.append(b"".join([raw[start:end] for start, end in spans]))
            self._text_lengths.append(tokens.sent_ends - tokens.sent_starts)

    def _source(self, source: TextSource) -> _SourceText:
        number = next(number for number, own in enumerate(self._part.sources) if own is source)
        if not self._sources or self._sources[-1].number != number:
            self._sources.append(_SourceText(number))
        return self._sources[-1]

    def _note_counters(self, block: TextBlock, counters: Ints) -> None:
        if counters[k.INVALID] and not self._invalid:
            self._invalid = [block.source.path, block.source.name, block.offset + int(counters[k.FIRST_INVALID])]
        if counters[k.NUL]:
            self._nul = self._nul or block.source.path
        self._counters += counters
        self._without_text += block.without_text

    def facts(self) -> Facts:
        """Return sizes, hashes and counters."""
        counters = self._counters
        return {
            "sources": [
                [one.number, one.bytes, one.sha.hexdigest() if self._part.is_whole(one.number) else ""]
                for one in self._sources
            ],
            "continues": bool(self._continues),
            "budget": self.budget,
            "read": int(counters[k.READ]),
            "dropped": {reason: int(counters[index]) for reason, index in _REASONS.items()},
            "invalid": int(counters[k.INVALID]),
            "first_invalid": self._invalid,
            "nul": int(counters[k.NUL]),
            "first_nul": self._nul,
            "without_text": self._without_text,
        }

    def arrays(self) -> Arrays:
        """Return tokens, forms, their keys, items, text and what the observer found."""
        arena, _, lengths, hashes = self._table.arrays()
        arrays: dict[str, Array] = {
            "documents": _joined(self._documents),
            "document_sentences": _joined(self._document_sentences),
            "sentences": _joined(self._sentences),
            "forms": _joined(self._forms, np.uint32),
            "arena": arena,
            "lengths": lengths,
            "hashes": hashes,
            **self._resolver.state(),
        }
        if self._texts is not None:
            arrays["text"] = np.frombuffer(b"".join(self._texts), dtype=np.uint8)
            arrays["text_lengths"] = _joined(self._text_lengths)
        if self._items is not None:
            arrays |= self._items.state()
        if self._observer is not None:
            strings, state = self._observer.state()
            arrays |= {f"{OBSERVED}{name}": array for name, array in state.items()}
            arrays[OBSERVED] = np.frombuffer("".join(f"{line}\n" for line in strings).encode(), dtype=np.uint8)
        return arrays


def _joined(pieces: Sequence[Array], dtype: Any = np.int64) -> Array:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=dtype)
