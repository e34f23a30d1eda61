"""The results of all parts, taken in the order of the text → one stream of words for the corpus, on disk."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._engine import Arrays, Facts
from hyperdive._progress import Progress
from hyperdive._resources import require_memory
from hyperdive._store import ArtifactWriter
from hyperdive._types import Array, Ints
from hyperdive.errors import InputError
from hyperdive.options import EncodeOptions
from hyperdive.text.forms import FormTable, bytes_of
from hyperdive.text.growing_array import GrowingArray
from hyperdive.text.item_stream import IN_PARTS
from hyperdive.text.kept_text import KEEP_BELOW, TextKeeper
from hyperdive.text.lemmas import FormResolver
from hyperdive.text.parts import OBSERVED, TextPart
from hyperdive.text.sources import TextSource
from hyperdive.text.term_items import ItemSpool
from hyperdive.text.tokens import BlockObserver

_MAX_NAMES = 1000
_CHUNK = 4 << 20
_FORM_BYTES = 110  # of each form, from the end of reading to the end of writing


@dataclass
class Accounting:
    """Tokens read, kept, and dropped by reason; they add up."""

    read: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str, count: int) -> None:
        """Count dropped tokens."""
        self.dropped[reason] = self.dropped.get(reason, 0) + int(count)

    def as_dict(self, kept: int) -> dict[str, Any]:
        """Return what the header records."""
        return {"read": self.read, "kept": kept, "dropped": {k: v for k, v in sorted(self.dropped.items()) if v}}


@dataclass
class TokenStream:
    """The words of a text as numbers of their keys, and where documents and sentences start."""

    keys: npt.NDArray[np.uint32]
    documents: Ints
    """First word of each document, plus the end."""
    document_sentences: Ints
    """First sentence of each document, plus the end."""
    sentences: Ints
    """First word of each sentence, plus the end."""
    sentence_rows: Ints | None = None
    """The row of each sentence in the kept text, where documents were shuffled."""


class TextFold:
    """Takes what tasks found in the parts of a text, in the order of the text.

    Args:
        writer: the corpus folder.
        options: the rules by which text becomes words.
        keep_text: whether the text is kept; None keeps it below a size.
        strict: refuse invalid UTF-8 and NUL bytes.
        progress: where notes go.
        observer: takes in what it found in each part.
        memory: the limit of memory.
    """

    def __init__(
        self,
        writer: ArtifactWriter,
        options: EncodeOptions,
        *,
        keep_text: bool | None,
        strict: bool,
        progress: Progress,
        observer: BlockObserver | None,
        memory: int | None,
    ) -> None:
        self.table, self.resolver = FormTable(), FormResolver(options)
        self.accounting = Accounting()
        self.items = ItemSpool(writer, self.table) if options.terms != "none" else None
        self.budget_used = 0
        """Words that count for the budget so far."""
        self._writer, self._progress, self._observer, self._memory = writer, progress, observer, memory
        self._strict, self._asked_to_keep = strict, keep_text
        self._keeper = TextKeeper(writer) if keep_text is not False else None
        self._keys = GrowingArray(writer.scratch("keys.bin"), "uint32")
        self._documents = GrowingArray(writer.scratch("documents.bin"), "int64")
        self._document_sentences = GrowingArray(writer.scratch("document_sentences.bin"), "int64")
        self._sentences = GrowingArray(writer.scratch("sentences.bin"), "int64")
        self._text_bytes = self._invalid = self._nul = self._without_text = 0
        self._first_invalid: dict[str, Any] | None = None
        self._files = _FileHashes()
        self._aside = ThreadPoolExecutor(1)  # hashes and compresses
        self._waiting: Future[None] | None = None

    @property
    def keeps_text(self) -> bool:
        """Whether the text is kept, as far as it is known."""
        return self._keeper is not None

    @property
    def documents(self) -> int:
        """How many documents there are so far."""
        return self._documents.size

    def take(self, part: TextPart, facts: Facts, arrays: Arrays) -> None:
        """Append a part."""
        self._check_bytes(facts)
        known = len(self.table)
        numbers = self.table.merge(*bytes_of(arrays))
        keys = self.resolver.add_state(arrays, np.flatnonzero(numbers > known) + 1)
        self.check_memory()
        self.accounting.read += int(facts["read"])
        for reason, count in facts["dropped"].items():
            self.accounting.drop(reason, count)
        self._without_text += int(facts["without_text"])
        self.budget_used += int(facts["budget"])
        if self._observer is not None:
            strings = np.asarray(arrays[OBSERVED]).tobytes().decode().split("\n")[:-1]
            state = {name.removeprefix(OBSERVED): array for name, array in arrays.items() if name.startswith(OBSERVED)}
            self._observer.add_state(strings, state, max(self.documents - int(facts["continues"]), 0))
        if self.items is not None:
            self.items.add_state(arrays, numbers)
        self._documents.append(arrays["documents"] + self._keys.size)
        self._document_sentences.append(arrays["document_sentences"] + self._sentences.size)
        self._sentences.append(arrays["sentences"] + self._keys.size)
        forms = arrays["forms"]
        for start in range(0, len(forms), _CHUNK):
            self._keys.append(keys[forms[start : start + _CHUNK]])
        self._text_bytes += sum(size for _, size, _ in facts["sources"])
        if self._keeper is not None and self._asked_to_keep is None and self._text_bytes > KEEP_BELOW:
            self._wait()
            self._keeper.discard()
            self._keeper = None
            self._progress.note(
                f"note: more than {KEEP_BELOW >> 30} GiB of text, so the text itself is not kept (--keep-text keeps it)"
            )
        text = (
            ()
            if self._keeper is None or "text" not in arrays
            else (np.asarray(arrays["text"]), np.asarray(arrays["text_lengths"]))
        )
        self._wait()
        self._waiting = self._aside.submit(self._take_text, part, facts, text)

    def check_memory(self) -> None:
        """Stop where the text with so many different forms needs more than the limit."""
        forms = len(self.table)
        require_memory(self._memory, _FORM_BYTES * forms, f"{forms:,} different words so far", instead=IN_PARTS)

    def _take_text(self, part: TextPart, facts: Facts, text: tuple[Array, ...]) -> None:
        for number, size, sha in facts["sources"]:
            self._files.add(part, number, size, sha)
        if self._keeper is not None and text:
            self._keeper.append(*text)

    def _wait(self) -> None:
        if self._waiting is not None:
            self._waiting.result()

    def _check_bytes(self, facts: Facts) -> None:
        if facts["invalid"]:
            path, name, offset = facts["first_invalid"]
            if self._strict:
                raise InputError(
                    f"{path}: invalid UTF-8 at byte {offset}",
                    hint="convert it with iconv, or leave out --strict to read such bytes as spaces",
                )
            self._first_invalid = self._first_invalid or {"file": name, "offset": offset}
            self._invalid += int(facts["invalid"])
        if facts["nul"]:
            if self._strict:
                raise InputError(
                    f"{facts['first_nul']}: NUL bytes in the text", hint="leave out --strict to ignore them"
                )
            self._nul += int(facts["nul"])

    def close(self) -> None:
        """End the thread."""
        self._aside.shutdown(wait=True, cancel_futures=True)

    def finish(self) -> TokenStream:
        """Return all words."""
        self._wait()
        self._files.close()
        size, sentences = np.array([self._keys.size]), np.array([self._sentences.size])
        if self._keys.size and self.documents == 0:  # one document of pieces whose first had no word
            self._documents.append(np.zeros(1))
            self._document_sentences.append(np.zeros(1))
        self._documents.append(size)
        self._document_sentences.append(sentences)
        self._sentences.append(size)
        if self._keeper is not None:
            self._keeper.close()
        arrays = (self._keys, self._documents, self._document_sentences, self._sentences)
        return TokenStream(*(array.close() for array in arrays))

    def note(self) -> None:
        """Report what was read as blanks or left out."""
        if self._first_invalid is not None:
            self._progress.note(
                f"note: {self._invalid} bytes of invalid UTF-8 were read as spaces, the first in "
                f"{self._first_invalid['file']} at byte {self._first_invalid['offset']} (--set strict=yes refuses them)"
            )
        if self._nul:
            self._progress.note(f"note: {self._nul} NUL bytes were read as spaces")
        if self._without_text:
            self._progress.note(f"note: {self._without_text:,} rows have no text (null) and were left out")

    def header(self) -> dict[str, Any]:
        """Return what was read, for the header."""
        read: dict[str, Any] = {"kind": "text", "bytes": self._text_bytes, **self._files.header()}
        if self._invalid:
            read["invalid_utf8_bytes"] = self._invalid
            read["first_invalid_utf8"] = self._first_invalid
        if self._nul:
            read["nul_bytes"] = self._nul
        if self._without_text:
            read["rows_without_text"] = self._without_text
        return read


class _FileHashes:
    """The size and the SHA-256 of the text of every file; one that is read in several parts is hashed here."""

    def __init__(self) -> None:
        self._sha = hashlib.sha256()
        self._files: list[dict[str, Any]] = []
        self._n_files = 0
        self._open: TextSource | None = None
        self._open_sha, self._open_bytes = hashlib.sha256(), 0

    def add(self, part: TextPart, number: int, size: int, sha: str) -> None:
        """Add the text of a source in a part."""
        source = part.sources[number]
        if sha:
            self.close()
            self._note(source.name, size, sha)
            return
        goes_on = source.start > 0 if source.start or source.end else source is self._open
        if not goes_on:
            self.close()
            self._open = source
        for piece in part.text(number, size):
            self._open_sha.update(piece)
        self._open_bytes += size

    def close(self) -> None:
        """The last file is complete."""
        if self._open is not None:
            self._note(self._open.name, self._open_bytes, self._open_sha.hexdigest())
        self._open = None
        self._open_sha, self._open_bytes = hashlib.sha256(), 0

    def _note(self, name: str, size: int, sha: str) -> None:
        self._n_files += 1
        self._sha.update(bytes.fromhex(sha))
        if len(self._files) < _MAX_NAMES:
            self._files.append({"name": name, "bytes": size, "sha256": sha})

    def header(self) -> dict[str, Any]:
        """Return what the header records of all files."""
        return {"sha256": self._sha.hexdigest(), "n_files": self._n_files, "files": self._files}
