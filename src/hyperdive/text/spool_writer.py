"""Tokenised blocks → scratch files of a corpus, in input order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._progress import Progress
from hyperdive._store import ArtifactWriter
from hyperdive.errors import InputError
from hyperdive.kernels import tokens as k
from hyperdive.kernels.forms import renumber
from hyperdive.options import EncodeOptions
from hyperdive.text.corpus_writer import Accounting, Spool
from hyperdive.text.forms import FormTable
from hyperdive.text.growing_array import GrowingArray
from hyperdive.text.kept_text import KEEP_BELOW, KnownDigest, TextKeeper
from hyperdive.text.lemmas import FormResolver
from hyperdive.text.memory_plan import MemoryPlan
from hyperdive.text.readers import TextBlock
from hyperdive.text.sources import TextSource
from hyperdive.text.term_items import ItemSpool
from hyperdive.text.tokens import BlockObserver, Tokens

_REASONS = {
    "number": k.NUMBER,
    "joined": k.JOINED,
    "abbreviation": k.ABBREVIATION,
    "not_in_alphabet": k.NOT_IN_ALPHABET,
    "clitic": k.CLITIC,
    "too_long": k.TOO_LONG,
}
_MAX_NAMES = 1000


class SpoolWriter:
    """Takes tokenised blocks in input order: numbers their forms, resolves new ones, and appends to the spool."""

    def __init__(
        self,
        writer: ArtifactWriter,
        options: EncodeOptions,
        resolver: FormResolver,
        keep_text: bool | None,
        strict: bool,
        progress: Progress,
        observer: BlockObserver | None = None,
    ) -> None:
        self.memory: MemoryPlan | None = None
        self.options, self.strict = options, strict
        self.table, self.resolver, self.observer = FormTable(), resolver, observer
        self._numbers: npt.NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
        self.accounting = Accounting()
        self.documents = GrowingArray(writer.scratch("documents.bin"), "int64")
        self.document_sentences = GrowingArray(writer.scratch("document_sentences.bin"), "int64")
        self.sentences = GrowingArray(writer.scratch("sentences.bin"), "int64")
        self.spans = GrowingArray(writer.scratch("spans.bin"), "int64")
        self.forms = GrowingArray(writer.scratch("forms.bin"), "uint32")
        self.budget_used = self.text_bytes = self.invalid = self.nul = self.without_text = 0
        self.first_invalid: dict[str, Any] | None = None
        self._writer, self._progress = writer, progress
        self._asked_to_keep = keep_text
        self.keeper = TextKeeper(writer) if keep_text is not False else None
        self._sha = hashlib.sha256()
        self._source: TextSource | None = None
        self._file_sha: Any = hashlib.sha256()
        self._file_bytes = 0
        self.files: list[dict[str, Any]] = []
        self.n_files = 0
        self._stop_of_form = np.zeros(1, dtype=np.bool_)
        self.items = ItemSpool(writer, self.table) if options.terms != "none" else None

    def counted(self, tokens: Tokens) -> npt.NDArray[np.bool_]:
        """Which tokens the budget counts; for `kept` the forms of the block must be merged first."""
        counts: npt.NDArray[np.bool_] = tokens.forms != 0
        if self.options.budget == "kept":
            counts &= ~self._stop_of_form[tokens.forms]
        return counts

    def merge(self, tokens: Tokens) -> None:
        """Replace the block's form numbers by those of the whole text."""
        known = len(self.table)
        numbers = self.table.merge(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
        renumber(tokens.forms, numbers)
        self._numbers = numbers
        if self.items is not None and tokens.items is not None:
            self.items.merge(tokens.items, numbers)
        self.add_stops(self.resolver.add(self.table.words(known)))
        if self.memory is not None:
            self.memory.check(len(self.table))

    def add_stops(self, new: npt.NDArray[np.bool_]) -> None:
        """Note which of the forms that came to the table are stop words."""
        if self.options.budget == "kept":
            self._stop_of_form = np.concatenate([self._stop_of_form, new])

    def absorb(self, block: TextBlock, tokens: Tokens, used: int = 0) -> None:
        """Append a merged block that uses `used` tokens of the budget."""
        self._next_file(block.source)
        self.without_text += block.without_text
        counters = tokens.counters
        if counters[k.INVALID]:
            offset = block.offset + int(counters[k.FIRST_INVALID])
            if self.strict:
                raise InputError(
                    f"{block.source.path}: invalid UTF-8 at byte {offset}",
                    hint="convert it with iconv, or leave out --strict to read such bytes as spaces",
                )
            if self.first_invalid is None:
                self.first_invalid = {"file": block.source.name, "offset": offset}
            self.invalid += int(counters[k.INVALID])
        if counters[k.NUL]:
            if self.strict:
                raise InputError(
                    f"{block.source.path}: NUL bytes in the text", hint="leave out --strict to ignore them"
                )
            self.nul += int(counters[k.NUL])
        self.accounting.read += int(counters[k.READ])
        for reason, index in _REASONS.items():
            self.accounting.drop(reason, int(counters[index]))
        if self.observer is not None:
            self.observer.absorb(block.data, tokens, self.resolver.block_keys(self._numbers), self.documents.size)
        if self.items is not None:
            self.items.absorb(block.data, tokens, self._numbers)
        self.documents.append(tokens.doc_tokens + self.forms.size)
        self.document_sentences.append(tokens.doc_sentences + self.sentences.size)
        self.sentences.append(tokens.sent_tokens + self.forms.size)
        if self.keeper is not None:
            self.spans.append(np.column_stack([tokens.sent_starts, tokens.sent_ends]) + self.text_bytes)
        self.budget_used += used
        self.forms.append(tokens.forms)
        self._keep(block.data)

    def _keep(self, data: npt.NDArray[np.uint8]) -> None:
        self._file_sha.update(data.data)
        self._file_bytes += len(data)
        self.text_bytes += len(data)
        if self.keeper is None:
            return
        if self._asked_to_keep is None and self.text_bytes > KEEP_BELOW:
            self.keeper.stop()
            self._writer.discard("text.zst")
            self.keeper = None
            self._progress.note(
                f"note: more than {KEEP_BELOW >> 30} GiB of text, so the text itself is not kept (--keep-text keeps it)"
            )
            return
        self.keeper.append(data.tobytes())

    def take_text(self, source: TextSource, pieces: Iterable[npt.NDArray[np.uint8]]) -> None:
        """Hash text of a source, and keep it if it is to be kept."""
        self._next_file(source)
        for piece in pieces:
            self._keep(piece)

    def take_digest(self, source: TextSource, size: int, sha256: str) -> None:
        """Note the size and the hash of the whole text of a source that is not to be kept."""
        self._next_file(source)
        self._file_sha, self._file_bytes = KnownDigest(sha256), size
        self.text_bytes += size

    def _next_file(self, source: TextSource | None) -> None:
        if source is self._source:
            return
        if source is not None and source.start:  # the same file goes on
            self._source = source
            return
        if self._source is not None:
            self.n_files += 1
            self._sha.update(self._file_sha.digest())
            if len(self.files) < _MAX_NAMES:
                self.files.append(
                    {"name": self._source.name, "bytes": self._file_bytes, "sha256": self._file_sha.hexdigest()}
                )
        self._source, self._file_sha, self._file_bytes = source, hashlib.sha256(), 0

    def close(self) -> Spool:
        """The whole spool."""
        self._next_file(None)
        size = np.array([self.forms.size], dtype=np.int64)
        if self.forms.size and self.documents.size == 0:  # one document of pieces whose first had no word
            self.documents.append(np.zeros(1))
            self.document_sentences.append(np.zeros(1))
        self.documents.append(size)
        self.document_sentences.append(np.array([self.sentences.size]))
        self.sentences.append(size)
        text = None
        spans = self.spans.close()
        if self.keeper is not None:
            self.keeper.close(self._writer)
            text = spans.reshape(-1, 2)
        forms = self.forms.close()
        return Spool(forms, self.documents.close(), self.document_sentences.close(), self.sentences.close(), text)

    def header(self) -> dict[str, Any]:
        """What was read, for the header."""
        read: dict[str, Any] = {
            "kind": "text",
            "bytes": self.text_bytes,
            "sha256": self._sha.hexdigest(),
            "n_files": self.n_files,
            "files": self.files,
        }
        if self.invalid:
            read["invalid_utf8_bytes"] = self.invalid
            read["first_invalid_utf8"] = self.first_invalid
        if self.nul:
            read["nul_bytes"] = self.nul
        if self.without_text:
            read["rows_without_text"] = self.without_text
        return read
