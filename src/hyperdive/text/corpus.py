"""The encoded corpus: word ids of a whole text collection as one memory-mapped array, with offsets into the text.

Folder (format `hyperdive-corpus`, version 3):

| file | content |
| --- | --- |
| `tokens.npy` | uint32, the id of every kept token in reading order |
| `words.parquet` | the word with id k (from 0) in row k, its count and document frequency; id 0 is the unknown symbol |
| `documents.npy`, `sentences.npy` | int64 token offsets, one more than there are documents or sentences |
| `document_sentences.npy` | int64, the first sentence of each document, plus an end |
| `lines.npy` | int64 token offsets of lines, only where lines do not all have the same length |
| `text.parquet` | the original text of each sentence, when it was kept; `sentence_rows.npy`: its rows, when shuffled |
| `terms.txt`, `term_*` | terms and where they occur; see `hyperdive.text.term_occurrences` |
| `abbreviations.txt` | abbreviations with their long forms; see `hyperdive.text.abbreviations` |

Every word keeps an id of its own, however rare: ids run by falling count, then by word. Words under the minimum
count *read* as the unknown symbol 0, so the minimum count is a view and a later merge can raise a word above it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._checks import are_below, are_pointers, unfolds
from hyperdive._store import Artifact, fingerprint, header_fields
from hyperdive._types import Ids
from hyperdive.errors import Error, FormatError, OptionError
from hyperdive.text.abbreviations import Abbreviations
from hyperdive.text.kept_text import TEXT, TEXT_FILES, KeptText
from hyperdive.text.term_occurrences import TermOccurrences

KIND, VERSION = "corpus", 3
WORDS = "words.parquet"
UNKNOWN = "<unk>"
MADE_WITH = "hyperdive encode TEXT -o CORPUS"

Offsets = npt.NDArray[np.int64]


class Corpus:
    """An encoded corpus: opened without reading it, memory-mapped.

    >>> import tempfile
    >>> from hyperdive.text.token_lists import encode_tokens
    >>> place = tempfile.mkdtemp() + "/corpus"
    >>> corpus = encode_tokens([["dog", "bark"], ["dog", "sleep"]], place, min_count=2)
    >>> corpus
    <Corpus of 4 tokens, 2 lines, 2 words>
    >>> corpus.vocabulary, corpus.frequencies.tolist()
    (['<unk>', 'dog'], [2, 2])
    >>> [line.tolist() for line in corpus]
    [[1, 0], [1, 0]]
    >>> corpus.all_words
    ['<unk>', 'dog', 'bark', 'sleep']
    """

    def __init__(self, artifact: Artifact, min_count: int | None = None) -> None:
        self._artifact = artifact
        self.path, self.header = artifact.path, artifact.header
        stored = int(self.parameters["min_count"])
        self.min_count = stored if min_count is None else min_count
        if self.min_count < 1:
            raise OptionError("the minimum count must be 1 or more")
        if self.parameters["rare"] == "drop" and self.min_count < stored:
            raise OptionError(
                f"words under {stored} were dropped when {self.path} was encoded", hint="encode again with --min-count"
            )

    @classmethod
    def open(cls, path: str | Path, *, min_count: int | None = None, verify: bool = True) -> Corpus:
        """Open a corpus folder; `min_count` overrides the one it was encoded with.

        `verify=False` is for tasks that read a part of what their run has checked as a whole.
        """
        artifact = Artifact.open(path, KIND, VERSION, made_with=MADE_WITH, verify=verify)
        with header_fields(artifact.path):
            corpus = cls(artifact, min_count)
            corpus._check()
        return corpus

    def _check(self) -> None:
        """Check what the header says and the counts of words; other arrays are checked when they are first read."""
        totals = self.header.get("totals", {})
        sizes = {
            "tokens": self._rows("tokens.npy"),
            "types": len(self.counts) - 1,
            "documents": self._rows("documents.npy") - 1,
            "sentences": self._rows("sentences.npy") - 1,
        }
        for name, value in sizes.items():
            if totals.get(name) != value:
                raise FormatError(
                    f"{self.path}: {value} {name}, its header says {totals.get(name)}", hint="create it again"
                )
        length = self.parameters["line_length"]
        if "lines.npy" not in self._artifact and not (isinstance(length, int) and length > 0):
            raise self._wrong("line_length")
        if not isinstance(totals["lines"], int):
            raise self._wrong("totals")

    def _rows(self, name: str) -> int:
        """The length of an array, from the header alone."""
        shape = self._artifact.shape(name)
        if len(shape) != 1:
            raise self._wrong(name)
        return shape[0]

    def _wrong(self, name: str) -> FormatError:
        return FormatError(f"{self.path}: {name} is not what it should be", hint="create it again")

    def _offsets(self, name: str, end: int) -> Offsets:
        """Offsets that begin at 0, never fall and end at `end`."""
        offsets: Offsets = self._artifact.array(name, "int64")
        if not self._artifact.trusted and not are_pointers(offsets, end):
            raise self._wrong(name)
        return offsets

    # ---- parameters -----------------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The options the text was encoded with."""
        parameters: dict[str, Any] = self.header["parameters"]
        return parameters

    @property
    def fingerprint(self) -> str:
        """A hash over parameters and files; the same with and without the kept text."""
        files = {name: entry["sha256"] for name, entry in self.header["files"].items() if name not in TEXT_FILES}
        return fingerprint({"parameters": self.parameters, "min_count": self.min_count, "files": files})

    def verify(self) -> None:
        """Compare every file with its checksum."""
        self._artifact.verify()

    # ---- words ----------------------------------------------------------------------------------------------

    @cached_property
    def _words(self) -> Any:
        """The table of words."""
        import pyarrow as pa
        from pyarrow import parquet

        path = self._artifact.file(WORDS)
        try:
            file = parquet.ParquetFile(path)
            if unfolds(file, path.stat().st_size):
                raise ValueError("more than a table of words can hold")
            table = file.read(columns=["word", "count", "documents"], use_threads=False)
        except (pa.ArrowException, OSError, ValueError, KeyError, IndexError):
            raise self._wrong(WORDS) from None
        kinds = [pa.large_string(), pa.int64(), pa.int64()]
        if [column.type for column in table.columns] != kinds or any(column.null_count for column in table.columns):
            raise self._wrong(WORDS)
        return table

    @cached_property
    def all_words(self) -> list[str]:
        """Every word by its id, rare ones too; the unknown symbol first."""
        try:
            words: list[str] = self._words["word"].to_pylist()
        except UnicodeDecodeError:
            raise self._wrong(WORDS) from None
        return words

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each word occurs, by its own id (index 0 is 0)."""
        counts: npt.NDArray[np.int64] = self._words["count"].to_numpy()
        falling = len(counts) > 0 and int(counts[0]) == 0 and bool((counts[2:] <= counts[1:-1]).all())
        if not falling or not are_below(counts, len(self) + 1) or int(counts.sum()) != len(self):
            raise FormatError(f"{self.path}: word counts do not add up to the number of tokens", hint="create it again")
        return counts

    @cached_property
    def document_frequency(self) -> npt.NDArray[np.int64]:
        """In how many documents each word occurs."""
        frequency: npt.NDArray[np.int64] = self._words["documents"].to_numpy()
        return frequency

    @cached_property
    def vocabulary_size(self) -> int:
        """|V|: words at or above the minimum count, plus the unknown symbol."""
        return int(np.searchsorted(-self.counts[1:], -self.min_count, side="right")) + 1

    @property
    def vocabulary(self) -> list[str]:
        """The words at or above the minimum count by id, the unknown symbol first."""
        return self.all_words[: self.vocabulary_size]

    @property
    def frequencies(self) -> npt.NDArray[np.int64]:
        """n(w) for each word of the vocabulary; the unknown symbol has the sum of all rare words."""
        frequencies = np.array(self.counts[: self.vocabulary_size])
        frequencies[0] = len(self) - int(frequencies[1:].sum())
        return frequencies

    @cached_property
    def word_ids(self) -> dict[str, int]:
        """Word → id for the vocabulary, without the unknown symbol."""
        return {word: i for i, word in enumerate(self.vocabulary) if i}

    # ---- tokens ---------------------------------------------------------------------------------------------

    @cached_property
    def tokens(self) -> Ids:
        """Own ids of all tokens, rare words included, as stored."""
        tokens = self._artifact.array("tokens.npy", "uint32")
        if not self._artifact.trusted and not are_below(tokens, len(self.counts)):
            raise FormatError(
                f"{self.path}: a token has a number beyond its {len(self.counts) - 1} words",
                hint="the corpus is damaged; encode it again",
            )
        return tokens

    def __len__(self) -> int:
        return self._rows("tokens.npy")

    def __getitem__(self, where: int | slice) -> Any:
        """Ids of a range of tokens with rare words read as the unknown symbol 0."""
        ids = self.tokens[where]
        if isinstance(where, slice):
            return np.where(ids < self.vocabulary_size, ids, 0)
        return int(ids) if ids < self.vocabulary_size else 0

    @cached_property
    def line_offsets(self) -> Offsets:
        """Where each line starts, plus the end: windows never reach across a line."""
        if "lines.npy" in self._artifact:
            return self._offsets("lines.npy", len(self))
        length = int(self.parameters["line_length"])
        starts = np.arange(0, len(self), length, dtype=np.int64)
        return np.append(starts, np.int64(len(self)))

    def __iter__(self) -> Iterator[Ids]:
        """Lines as arrays of ids."""
        offsets = self.line_offsets
        for start, end in itertools.pairwise(offsets):
            yield self[int(start) : int(end)]

    def lines_of_words(self) -> Iterator[list[str]]:
        """Lines as lists of words, for tools that want strings."""
        vocabulary = self.vocabulary
        for line in self:
            yield [vocabulary[i] for i in line]

    @cached_property
    def terms(self) -> TermOccurrences | None:
        """Terms and where they occur among the tokens; None when the corpus was encoded without."""
        return TermOccurrences.read(self._artifact, len(self))

    @cached_property
    def abbreviations(self) -> Abbreviations:
        """Abbreviations that the text explains, with their long forms."""
        return Abbreviations.read(self._artifact)

    # ---- documents, sentences, text -------------------------------------------------------------------------

    @cached_property
    def document_offsets(self) -> Offsets:
        """Token offsets of documents, plus the end."""
        return self._offsets("documents.npy", len(self))

    @cached_property
    def sentence_offsets(self) -> Offsets:
        """Token offsets of sentences, plus the end; a sentence may have no kept token."""
        return self._offsets("sentences.npy", len(self))

    @cached_property
    def document_sentences(self) -> Offsets:
        """The first sentence of each document, plus the end."""
        offsets = self._offsets("document_sentences.npy", self._rows("sentences.npy") - 1)
        if len(offsets) != self._rows("documents.npy"):
            raise self._wrong("document_sentences.npy")
        return offsets

    def document(self, number: int) -> Ids:
        """Ids of one document."""
        self._in_range(number, len(self.document_offsets) - 1, "documents")
        ids: Ids = self[int(self.document_offsets[number]) : int(self.document_offsets[number + 1])]
        return ids

    def sentence(self, number: int) -> Ids:
        """Ids of one sentence."""
        self._in_range(number, len(self.sentence_offsets) - 1, "sentences")
        ids: Ids = self[int(self.sentence_offsets[number]) : int(self.sentence_offsets[number + 1])]
        return ids

    def sentence_of(self, token: int) -> int:
        """The number of the sentence in which a token stands."""
        self._in_range(token, len(self), "tokens")
        return int(np.searchsorted(self.sentence_offsets, token, side="right")) - 1

    @cached_property
    def text(self) -> KeptText | None:
        """The original text, or None when it was not kept."""
        return KeptText(self._artifact, self._rows("sentences.npy") - 1) if TEXT in self._artifact else None

    def sentence_text(self, number: int) -> str:
        """The original text of one sentence."""
        self._in_range(number, len(self.sentence_offsets) - 1, "sentences")
        if self.text is None:
            raise Error(f"{self.path}: the original text was not kept", hint="encode again with --keep-text")
        return self.text.sentence(number)

    def document_text(self, number: int) -> str:
        """The original text of one document, its sentences joined by blanks."""
        self._in_range(number, len(self.document_offsets) - 1, "documents")
        first, end = int(self.document_sentences[number]), int(self.document_sentences[number + 1])
        return " ".join(self.sentence_text(i) for i in range(first, end))

    def _in_range(self, number: int, size: int, what: str) -> None:
        if not 0 <= number < size:
            raise IndexError(f"{number} is outside the {size} {what} of this corpus")

    def __repr__(self) -> str:
        lines = int(self.header["totals"]["lines"])
        return f"<Corpus of {len(self)} tokens, {lines} lines, {self.vocabulary_size} words>"
