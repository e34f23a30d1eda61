"""Text in parts that are read by tasks of an engine, and put together so that no byte tells the parts.

A part is some small files, or a range of the lines of a large one that begins and ends where blocks of the whole file
do: so its blocks are those of the whole file. A task tokenises a part, numbers its forms and collects its patterns.
Taken in one after the other, the forms of all parts get the numbers that they have when the text is read at once, and
everything that looks across documents (the budget, the order, lines) is decided on the whole. Then the items
are searched for terms, in the chunks of the whole text, by tasks again.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._engine import Arrays, Engine, Facts
from hyperdive._progress import SILENT, Progress
from hyperdive._resume import WorkFolder
from hyperdive._types import Array, Ints
from hyperdive.errors import Error, InputError, OptionError
from hyperdive.kernels.forms import hash_forms, renumber
from hyperdive.options import EncodeOptions
from hyperdive.text.encoder import read_text
from hyperdive.text.item_stream import Border, ItemChunk, ItemStream, chunk_of
from hyperdive.text.lemmas import FormKeys, FormResolver
from hyperdive.text.readers import DocumentLayout, read_blocks
from hyperdive.text.sources import STDIN, DocumentSource, TextSource, is_address, open_source, what_is_wrong
from hyperdive.text.spool_writer import SpoolWriter
from hyperdive.text.term_items import TextItems
from hyperdive.text.tokens import BlockObserver

PART_BYTES = 64 << 20
_CHUNK = 4 << 20
_SEARCH = 1 << 16
_UNPACKED = 3  # text is larger than its compressed file by about so much

TextPart = tuple[TextSource, ...]


# ---- cutting ------------------------------------------------------------------------------------------------


def cut_parts(
    sources: Sequence[TextSource], layout: DocumentLayout, part_bytes: int, block_bytes: int
) -> list[TextPart]:
    """All sources in their order, in parts of about `part_bytes` of text.

    Args:
        sources: the files.
        layout: where documents are in a file.
        part_bytes: how much text a part should have.
        block_bytes: the size of the blocks that the whole text is read in.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("one two\\n" * 10), (folder / "b.txt").write_text("three\\n")
    >>> files = [TextSource(str(folder / name), size=size) for name, size in (("a.txt", 80), ("b.txt", 6))]
    >>> [[(source.name, source.start, source.end) for source in part]
    ...     for part in cut_parts(files, DocumentLayout(), 40, 8)]
    [[('a.txt', 0, 40)], [('a.txt', 40, None)], [('b.txt', 0, None)]]
    """
    parts: list[TextPart] = []
    few: list[TextSource] = []
    size = 0
    for source in sources:
        if isinstance(source, DocumentSource) or source.path == STDIN or source.size is None:
            raise OptionError(
                "only files can be read in parts, not a pipe or documents of a program", hint="write the text to files"
            )
        if is_address(source.path):  # one file a task
            parts += [tuple(few)] if few else []
            parts.append((source,))
            few, size = [], 0
            continue
        plain = is_plain(source)
        if plain and layout.document == "line" and source.size >= 2 * part_bytes:
            if few:
                parts.append(tuple(few))
            parts += [(piece,) for piece in _ranges(source, part_bytes, block_bytes)]
            few, size = [], 0
            continue
        few.append(source)
        size += source.size * (1 if plain else _UNPACKED)
        if size >= part_bytes:
            parts.append(tuple(few))
            few, size = [], 0
    return [*parts, tuple(few)] if few else parts


def is_plain(source: TextSource) -> bool:
    """Whether a file is its text: uncompressed lines."""
    if source.format != "text" or is_address(source.path):
        return False
    with open_source(source) as stream:
        return not stream.compression


def _ranges(source: TextSource, part_bytes: int, block_bytes: int) -> Iterator[TextSource]:
    """A file in ranges that end behind the last line end of a block."""
    size = source.size or 0
    start = 0
    with Path(source.path).open("rb") as file:
        for target in range(part_bytes, size, part_bytes):
            block_end = max(1, round(target / block_bytes)) * block_bytes
            end = None
            # the last block of a file reaches to its end, wherever its lines end
            while end is None and block_end <= size:
                end = _line_end(file, block_end - block_bytes, block_end)
                block_end += block_bytes
            if end is not None and start < end < size:
                yield replace(source, size=end - start, start=start, end=end)
                start = end
    yield replace(source, size=size - start, start=start)


def _line_end(file: Any, low: int, high: int) -> int | None:
    """The place behind the last line end between two places of a file."""
    while high > low:
        first = max(low, high - _SEARCH)
        file.seek(first)
        at = file.read(high - first).rfind(b"\n")
        if at >= 0:
            return int(first + at + 1)
        high = first
    return None


# ---- a task: reading a part ---------------------------------------------------------------------------------


class _Scratch:
    """A temporary folder in the place of the writer that a spool asks for scratch files."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def scratch(self, name: str) -> Path:
        return self._folder / name


class _RawText:
    """The text of a part; that of plain files is not stored again."""

    def __init__(self, stored: bool) -> None:
        self.stored, self.pieces = stored, list[bytes]()

    def append(self, text: bytes) -> None:
        if self.stored:
            self.pieces.append(text)

    def close(self, writer: Any) -> None:
        pass


class _PartSpool(SpoolWriter):
    """The spool of one part, which notes how much text came from each of its sources, with its digest."""

    def __init__(self, writer: Any, options: EncodeOptions, strict: bool, observer: BlockObserver | None) -> None:
        super().__init__(writer, options, FormResolver(options), False, strict, SILENT, observer)
        self.digests: list[tuple[TextSource, int, str]] = []

    def _next_file(self, source: TextSource | None) -> None:
        if source is not self._source and self._source is not None:
            self.digests.append((self._source, self._file_bytes, self._file_sha.hexdigest()))
            self._file_sha, self._file_bytes = hashlib.sha256(), 0
        self._source = source


@dataclass(frozen=True)
class PartReader:
    """Reads a part: a task function; see `hyperdive._engine`."""

    options: EncodeOptions
    layout: DocumentLayout
    block_bytes: int
    keep_text: bool
    strict: bool
    observer: BlockObserver | None

    def __call__(self, part: TextPart, copied: bool = False) -> tuple[Facts, Arrays]:
        """What the whole text needs of this part; the driver cannot read again what was copied."""
        observer = None if self.observer is None else self.observer.part()
        with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
            # the budget is that of the whole text
            rules = replace(self.options, max_tokens=0)
            spool = _PartSpool(_Scratch(folder), rules, self.strict, observer)
            text = _RawText(copied or not all(map(is_plain, part)))
            if self.keep_text:
                spool.keeper = text  # type: ignore[assignment]
            read_text(spool, list(part), self.layout, 1, self.block_bytes, SILENT)
            arrays = _spooled(spool)
            facts = {
                "sources": [
                    [next(number for number, own in enumerate(part) if own is source), size, sha]
                    for source, size, sha in spool.digests
                ],
                "mixed": {},
                "budget": self._counted(spool, arrays["forms"]),
                "read": spool.accounting.read,
                "dropped": spool.accounting.dropped,
                "invalid": spool.invalid,
                "first_invalid": spool.first_invalid,
                "nul": spool.nul,
            }
            if spool.items is not None:
                facts["mixed"], items = spool.items.state()
                arrays |= items
            if text.pieces:
                arrays["text"] = np.frombuffer(b"".join(text.pieces), dtype=np.uint8)
            if observer is not None:
                strings, state = observer.state()
                arrays |= {f"{_OBSERVED}{name}": array for name, array in state.items()}
                arrays[_OBSERVED] = np.frombuffer("".join(f"{line}\n" for line in strings).encode(), dtype=np.uint8)
            # the arrays lie in the folder that goes now
            return facts, {name: np.array(array) for name, array in arrays.items()}

    def _counted(self, spool: SpoolWriter, forms: npt.NDArray[np.uint32]) -> int:
        """How many tokens of the budget the part uses."""
        counted = forms != 0
        if self.options.budget == "kept":
            keys = spool.resolver.keys()
            counted &= ~keys.stop[keys.of_form][forms]
        return int(np.count_nonzero(counted))


@dataclass(frozen=True)
class CopyReader:
    """Reads parts of which some are a file of other storage, that an engine copies: a task function."""

    reader: PartReader

    def __call__(self, task: tuple[TextPart, str | None]) -> tuple[Facts, Arrays]:
        """As `PartReader`; errors name the file and not its copy."""
        part, copy = task
        if copy is None:
            return self.reader(part)
        [source] = part
        own = replace(source, path=copy)
        try:
            if reason := what_is_wrong(own):
                raise InputError(f"{copy}: {reason[0]}", hint=reason[1])
            return self.reader((own,), copied=True)
        except Error as error:
            raise type(error)(error.what.replace(copy, source.path), hint=error.hint) from None


_OBSERVED = "observed."


def _spooled(spool: SpoolWriter) -> dict[str, Array]:
    documents = spool.documents.size
    whole = spool.close()
    arena, starts, lengths, _ = spool.table.arrays()
    keys = spool.resolver.keys()
    words = [keys.words[key] for key in keys.of_form[1:].tolist()]
    arrays: dict[str, Array] = {
        # without the ends, and without a document for words that belong to the one before
        "documents": whole.documents[:documents],
        "document_sentences": whole.document_sentences[:documents],
        "sentences": whole.sentences[:-1],
        "forms": whole.forms,
        "arena": arena,
        "starts": starts,
        "lengths": lengths,
        "form_keys": np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        "form_stops": keys.stop[keys.of_form[1:]].astype(np.uint8),
    }
    return arrays if whole.sentence_text is None else {**arrays, "spans": whole.sentence_text}


# ---- the whole text -----------------------------------------------------------------------------------------


class PartReading:
    """Reads the text and searches it by tasks of an engine; see `hyperdive.text.encoder.TextReading`.

    Args:
        engine: where tasks run.
        work: where their results are kept.
        part_bytes: how much text a part has.
    """

    def __init__(self, engine: Engine, work: WorkFolder, part_bytes: int = PART_BYTES) -> None:
        self._engine, self._work, self._part_bytes = engine, work, part_bytes

    def read(
        self,
        spooler: SpoolWriter,
        sources: list[TextSource],
        layout: DocumentLayout,
        threads: int,
        block_bytes: int,
        progress: Progress,
    ) -> None:
        """Take in what tasks read, part by part; the part in which the budget ends is read here."""
        options = spooler.options
        parts = cut_parts(sources, layout, self._part_bytes, block_bytes)
        limit = options.max_tokens if options.shuffle is None else 0
        reader = PartReader(
            options,
            layout,
            block_bytes,
            spooler.keeper is not None,
            spooler.strict,
            None if spooler.observer is None else spooler.observer.part(),
        )
        addresses = [part[0].path if is_address(part[0].path) else None for part in parts]
        if any(addresses):
            results = self._engine.results(self._work.folder, "part", CopyReader(reader), parts, addresses)
        else:
            results = self._engine.results(self._work.folder, "part", reader, parts)
        with progress.stage("reading", total=len(parts), unit="parts") as bar:
            for part, address, (facts, arrays) in zip(parts, addresses, results, strict=True):
                if limit and spooler.budget_used + int(facts["budget"]) >= limit:
                    with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
                        if address is not None:
                            copy = Path(folder) / Path(address).name
                            self._engine.fetch(address, copy)
                            part = (replace(part[0], path=str(copy)),)
                        read_text(spooler, list(part), layout, threads, block_bytes, progress)
                    return
                _take_in(spooler, part, facts, arrays)
                bar.advance(1)

    def items(self, text: TextItems, keys: FormKeys, counts: Ints, threads: int, progress: Progress) -> ItemStream:
        """A stream that tasks search."""
        stream = _SharedItemStream(text, keys, counts, threads, progress)
        stream.engine, stream.folder = self._engine, self._work.folder
        return stream


def _take_in(spooler: SpoolWriter, part: TextPart, facts: Facts, arrays: Arrays) -> None:
    """Append a part to the spool of the whole text."""
    arena, starts, lengths = (np.array(arrays[name]) for name in ("arena", "starts", "lengths"))
    known = len(spooler.table)
    numbers = spooler.table.merge(arena, starts, lengths, hash_forms(arena, starts, lengths))
    new = np.flatnonzero(numbers > known).tolist()
    keys = np.asarray(arrays["form_keys"]).tobytes().decode().split("\n")
    stops = arrays["form_stops"].tolist()
    spooler.add_stops(spooler.resolver.add_keys((keys[form], bool(stops[form])) for form in new))
    if spooler.memory is not None:
        spooler.memory.check(len(spooler.table))
    spooler.accounting.read += int(facts["read"])
    for reason, count in facts["dropped"].items():
        spooler.accounting.drop(reason, count)
    spooler.invalid += int(facts["invalid"])
    spooler.first_invalid = spooler.first_invalid or facts["first_invalid"]
    spooler.nul += int(facts["nul"])
    if spooler.observer is not None:
        strings = np.asarray(arrays[_OBSERVED]).tobytes().decode().split("\n")[:-1]
        state = {name.removeprefix(_OBSERVED): array for name, array in arrays.items() if name.startswith(_OBSERVED)}
        spooler.observer.add_state(strings, state, spooler.documents.size)
    if spooler.items is not None:
        spooler.items.add_state(facts["mixed"], arrays, numbers)
    spooler.documents.append(arrays["documents"] + spooler.forms.size)
    spooler.document_sentences.append(arrays["document_sentences"] + spooler.sentences.size)
    spooler.sentences.append(arrays["sentences"] + spooler.forms.size)
    if spooler.keeper is not None:
        spooler.spans.append(arrays["spans"] + spooler.text_bytes)
    spooler.budget_used += int(facts["budget"])
    for piece in _pieces(arrays["forms"]):
        renumber(piece, numbers)
        spooler.forms.append(piece)
    _take_in_text(spooler, part, facts, arrays)


def _take_in_text(spooler: SpoolWriter, part: TextPart, facts: Facts, arrays: Arrays) -> None:
    """Hash the text of a part, and keep it if it is to be kept; plain files are read here once more."""
    at = 0
    for number, size, sha in facts["sources"]:
        source = part[number]
        if "text" in arrays:
            spooler.take_text(source, (piece for piece in _pieces(arrays["text"][at : at + size])))
        elif is_plain(source):
            spooler.take_text(source, (block.data for block in read_blocks(source, DocumentLayout())))
        else:
            spooler.take_digest(source, size, sha)
        at += size


def _pieces(array: Array) -> Iterator[Array]:
    for start in range(0, len(array), _CHUNK):
        yield np.array(array[start : start + _CHUNK])


# ---- terms --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ChunkSearch:
    """Searches a chunk of the items, which lie in a file: a task function."""

    path: str
    search: Callable[[ItemChunk], tuple[Array, ...]]

    def __call__(self, border: Border) -> tuple[Facts, Arrays]:
        items = np.memmap(self.path, dtype=np.uint32, mode="r")
        chunk = chunk_of(items, border)
        found = self.search(chunk._replace(items=np.array(chunk.items)))
        return {}, {str(number): array for number, array in enumerate(found)}


class _SharedItemStream(ItemStream):
    """Items that lie in a file which the tasks of an engine search."""

    def __init__(self, text: TextItems, keys: FormKeys, kept_counts: Ints, threads: int, progress: Progress) -> None:
        super().__init__(text, keys, kept_counts, threads, progress)
        self.engine: Engine | None = None
        self.folder = Path()

    def map(self, stage: str, search: Callable[[ItemChunk], Any]) -> Iterator[tuple[ItemChunk, Any]]:
        assert self.engine is not None
        task = _ChunkSearch(self._file(), search)
        results = self.engine.results(self.folder, stage.replace(" ", "-"), task, self.borders)
        with self._progress.stage(stage, total=self.total, unit="words") as bar:
            for border, (_, arrays) in zip(self.borders, results, strict=True):
                chunk = chunk_of(self.items, border)
                yield chunk, tuple(np.array(arrays[str(number)]) for number in range(len(arrays)))
                bar.advance(chunk.end - chunk.first)

    def _file(self) -> str:
        """The file that holds the items."""
        base: Any = self.items
        while base is not None and not isinstance(base, np.memmap):
            base = base.base
        if base is not None and base.filename is not None:
            return str(base.filename)
        place = self.folder / "items.bin"
        self.items.tofile(place)
        return str(place)
