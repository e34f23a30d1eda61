"""Items: the words and numerals of the text with their case and joints, from which terms are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._store import ArtifactWriter
from hyperdive._types import Array
from hyperdive.errors import InputError
from hyperdive.kernels import terms as k
from hyperdive.text.abbreviation_search import Pair, find_pairs
from hyperdive.text.abbreviations import AbbreviationCounts
from hyperdive.text.forms import FormTable, TableWords, words_at
from hyperdive.text.growing_array import GrowingArray

if TYPE_CHECKING:
    from hyperdive.text.tokens import Tokens

MAX_FORMS = int(k.NUMBER_MASK)
_CHUNK, _CHUNK_DOCUMENTS = 4 << 20, 1 << 16


class BlockItems(NamedTuple):
    """The items of a block; see `hyperdive.kernels.terms`."""

    items: npt.NDArray[np.uint32]
    sentence_items: npt.NDArray[np.int64]
    """First item of each sentence."""
    arena: npt.NDArray[np.uint8]
    """The bytes of the distinct numerals, with `starts`, `lengths` and `hashes`."""
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int32]
    hashes: npt.NDArray[np.uint64]
    mixed_at: npt.NDArray[np.int64]
    """For each form of the block, the first byte of its first occurrence in mixed case (mRNA), or -1."""
    abbreviations: list[Pair]
    """Abbreviations that the block explains."""


class ItemSpelling:
    """Spells items as they stand in the text: *Alzheimer's disease*, *X-ray*, *mRNA*.

    Args:
        forms: the forms by number from 1, ASCII letters in lower case.
        mixed: how forms that are written in mixed case are written.

    >>> spelling = ItemSpelling(["mrna", "vaccines"], {1: "mRNA"})
    >>> spelling.terms(np.array([1 | k.MIXED << 28, 2 | k.HYPHEN << 30, 2], dtype=np.uint32), [2, 1])
    ['mRNA-vaccines', 'vaccines']
    """

    def __init__(self, forms: Sequence[str], mixed: dict[int, str]) -> None:
        self.forms, self._mixed = forms, mixed

    def terms(self, items: npt.NDArray[np.uint32], lengths: Iterable[int]) -> list[str]:
        """Several terms as they are written, whose words are decoded together.

        Args:
            items: the items of all terms, one after another.
            lengths: how many items each has.
        """
        forms = (items & k.FORM_MASK).astype(np.int64)
        words = list(map(self._word, words_at(self.forms, forms - 1), forms.tolist(), items.tolist()))
        joints = (items >> k.JOINT_SHIFT).tolist()
        terms, first = [], 0
        for length in lengths:
            text = words[first]
            for place in range(first + 1, first + length):
                possessive = "' " if text.endswith(("s", "S")) else "'s "
                text += (possessive if joints[place] == k.POSSESSIVE else _JOINTS[joints[place]]) + words[place]
            terms.append(text)
            first += length
        return terms

    def _word(self, word: str, form: int, item: int) -> str:
        """One word as it is written."""
        case = (item >> _CASE_SHIFT) & 3
        if case == k.LOWER:
            return word
        if case == k.MIXED:
            return self._mixed.get(form, word)
        return word.upper() if case == k.CAPITALS else word[:1].upper() + word[1:]


_CASE_SHIFT = int(k.CASE_SHIFT)
_JOINTS = {k.BLANK: " ", k.HYPHEN: "-", k.APOSTROPHE: "'"}


def read_items(data: npt.NDArray[np.uint8], tokens: Tokens) -> BlockItems:
    """The items of a block.

    Args:
        data: the bytes of the block.
        tokens: its tokens, with spans.
    """
    found = k.term_items(
        data, tokens.span_starts, tokens.span_ends, tokens.span_kinds, tokens.forms, tokens.sent_starts,
        len(tokens.starts),
    )  # fmt: skip
    pairs = find_pairs(data, tokens.sent_starts, tokens.sent_ends)
    return BlockItems(*found, pairs)  # type: ignore[call-arg]


class PartItems:
    """Collects the items of the blocks of a part.

    Args:
        table: the forms of the part; numerals are added to it.
    """

    def __init__(self, table: FormTable) -> None:
        self._table = table
        self._items: list[npt.NDArray[np.uint32]] = [np.zeros(0, dtype=np.uint32)]
        self._documents: list[npt.NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self._numerals: list[npt.NDArray[np.uint32]] = [np.zeros(0, dtype=np.uint32)]
        self._mixed: dict[int, str] = {}
        self._abbreviations = AbbreviationCounts()
        self._size = 0

    def merge(self, items: BlockItems, numbers: npt.NDArray[np.uint32]) -> None:
        """Replace the numbers of a block's forms and numerals by those of the part."""
        numerals = self._table.merge(items.arena, items.starts, items.lengths, items.hashes)
        self._numerals.append(numerals)
        k.renumber_items(items.items, numbers, numerals)

    def absorb(self, data: npt.NDArray[np.uint8], tokens: Tokens, numbers: npt.NDArray[np.uint32]) -> None:
        """Append the items of a merged block.

        Args:
            data: the bytes of the block.
            tokens: its tokens, with items.
            numbers: the number in the table of each form of the block.
        """
        items = tokens.items
        assert items is not None
        for form in np.flatnonzero(items.mixed_at >= 0).tolist():
            start, number = int(items.mixed_at[form]), int(numbers[form])
            if number not in self._mixed:
                self._mixed[number] = data[start : start + int(tokens.lengths[form])].tobytes().decode("utf-8")
        self._abbreviations.add(items.abbreviations)
        first_items = np.append(items.sentence_items, len(items.items))
        self._documents.append(first_items[tokens.doc_sentences] + self._size)
        self._items.append(items.items)
        self._size += len(items.items)

    def state(self) -> dict[str, Array]:
        """Return what was collected, for the items of the whole text."""
        return {
            "items": np.concatenate(self._items),
            "document_items": np.concatenate(self._documents),
            "numerals": np.unique(np.concatenate(self._numerals)),
            "mixed_forms": np.fromiter(self._mixed, dtype=np.int64, count=len(self._mixed)),
            "mixed": np.frombuffer("".join(f"{word}\n" for word in self._mixed.values()).encode(), dtype=np.uint8),
            **self._abbreviations.state(),
        }


class ItemSpool:
    """Collects the items of all parts in input order.

    Args:
        writer: the corpus folder, for scratch files.
        table: the forms of the whole text, numerals included.
    """

    def __init__(self, writer: ArtifactWriter, table: FormTable) -> None:
        self._table = table
        self._items = GrowingArray(writer.scratch("items.bin"), "uint32")
        self._documents = GrowingArray(writer.scratch("document_items.bin"), "int64")
        self._is_numeral: npt.NDArray[np.bool_] = np.zeros(1 << 16, dtype=np.bool_)
        self._mixed: dict[int, str] = {}
        self._abbreviations = AbbreviationCounts()

    def _note_numerals(self, forms: npt.NDArray[np.uint32]) -> None:
        last = int(forms.max(initial=0))
        if last >= len(self._is_numeral):
            more = np.zeros(max(last + 1, 2 * len(self._is_numeral)), dtype=np.bool_)
            more[: len(self._is_numeral)] = self._is_numeral
            self._is_numeral = more
        self._is_numeral[forms] = True

    def add_state(self, arrays: Mapping[str, Array], numbers: npt.NDArray[np.uint32]) -> None:
        """Append the items of a part.

        Args:
            arrays: its items, where documents start among them, which forms are numerals, how forms in mixed case are
                written, and its abbreviations.
            numbers: the number in the table of each form of the part.
        """
        if len(self._table) > MAX_FORMS:
            raise InputError(f"more than {MAX_FORMS:,} distinct word forms", hint="add --terms none")
        words = np.asarray(arrays["mixed"]).tobytes().decode().split("\n")
        for form, word in zip(numbers[np.asarray(arrays["mixed_forms"]) - 1].tolist(), words, strict=False):
            self._mixed.setdefault(form, word)
        self._note_numerals(numbers[np.asarray(arrays["numerals"]) - 1])
        self._abbreviations.add_state(arrays)
        self._documents.append(np.asarray(arrays["document_items"]) + self._items.size)
        items = arrays["items"]
        for start in range(0, len(items), _CHUNK):
            piece = np.array(items[start : start + _CHUNK])
            k.renumber_items(piece, numbers, numbers)
            self._items.append(piece)

    def close(self) -> TextItems:
        """All items."""
        if self._items.size and self._documents.size == 0:  # one document of pieces whose first had no word
            self._documents.append(np.zeros(1))
        self._documents.append(np.array([self._items.size]))
        numerals = np.flatnonzero(self._is_numeral)
        spelling = ItemSpelling(TableWords(self._table, 1), self._mixed)
        pairs = dict(self._abbreviations.pairs)
        documents = self._documents.close()
        return TextItems(self._items.close(), documents, numerals, spelling, pairs, self._items.path)


@dataclass(frozen=True)
class TextItems:
    """All items of a text; see `hyperdive.kernels.terms`."""

    items: npt.NDArray[np.uint32]
    documents: npt.NDArray[np.int64]
    """First item of each document, plus the end."""
    numerals: npt.NDArray[np.int64]
    """Forms with a digit."""
    spelling: ItemSpelling
    abbreviations: Mapping[Pair, int] = field(default_factory=dict)
    """How often the text explains each abbreviation by each long form."""
    path: Path | None = None
    """The file that holds the items."""

    def shuffled(self, order: npt.NDArray[np.int64], writer: ArtifactWriter) -> TextItems:
        """The same with the documents in another order."""
        items = GrowingArray(writer.scratch("shuffled_items.bin"), "uint32")
        documents = GrowingArray(writer.scratch("shuffled_document_items.bin"), "int64")
        documents.append(np.zeros(1))
        for start in range(0, len(order), _CHUNK_DOCUMENTS):
            some = order[start : start + _CHUNK_DOCUMENTS]
            firsts, ends = self.documents[some], self.documents[some + 1]
            documents.append(items.size + np.cumsum(ends - firsts))
            for first, end in zip(firsts.tolist(), ends.tolist(), strict=True):
                items.append(self.items[first:end])
        return replace(self, items=items.close(), documents=documents.close(), path=items.path)
