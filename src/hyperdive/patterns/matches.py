"""Matches: places in the text where a pattern states that one term is a kind of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Bytes
from hyperdive.errors import InputError

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Texts:
    """Sentences or terms as UTF-8 in one array: number i is `data[offsets[i]:offsets[i + 1]]`.

    >>> texts = Texts.of(["Poodles are dogs.", "Cats, too."])
    >>> len(texts), texts[1], texts.lengths.tolist()
    (2, 'Cats, too.', [17, 10])
    """

    data: Bytes
    offsets: Offsets

    @classmethod
    def of(cls, sentences: Sequence[str]) -> Texts:
        """From Python strings."""
        encoded = [sentence.encode("utf-8", errors="replace") for sentence in sentences]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> str:
        return self.raw(number).decode("utf-8", errors="replace")

    def raw(self, number: int) -> bytes:
        """One sentence as bytes."""
        return self.data[int(self.offsets[number]) : int(self.offsets[number + 1])].tobytes()

    @property
    def lengths(self) -> Offsets:
        """The length of each sentence in bytes."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches in reading order, one row each: pattern `pattern[i]` states that `hyponym[i]` is a `hypernym[i]`.

    `hyponym` and `hypernym` index `terms`, which is local to this piece; a term is its lemmas joined by one blank
    (`domestic dog`, in a POS corpus `domestic|j dog|n`). `document` counts from the start of the input.
    `sentence` is a number in `sentences`, also of this piece alone. Spans are half open and count **bytes** in the
    UTF-8 text of the sentence. Without `sentences` (the text is not to be kept) spans and sentence numbers are unused.

    >>> sentences = Texts.of(["Dogs such as poodles bark."])
    >>> one = Matches(Texts.of(["poodle", "dog"]), hyponym=[0], hypernym=[1], pattern=[0], document=[7], sentence=[0],
    ...               hyponym_span=[[13, 20]], hypernym_span=[[0, 4]], sentences=sentences)
    >>> len(one), one.terms[one.hyponym[0]], one.terms[one.hypernym[0]]
    (1, 'poodle', 'dog')
    >>> start, end = one.hyponym_span[0]
    >>> sentences.raw(0)[start:end]
    b'poodles'
    """

    terms: Texts
    hyponym: npt.NDArray[np.int32]
    hypernym: npt.NDArray[np.int32]
    pattern: npt.NDArray[np.uint8]
    document: Offsets
    sentence: Offsets = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    hyponym_span: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    hypernym_span: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    sentences: Texts | None = None

    def __post_init__(self) -> None:
        kinds: dict[str, Any] = {
            "hyponym": np.int32,
            "hypernym": np.int32,
            "pattern": np.uint8,
            "document": np.int64,
            "sentence": np.int64,
            "hyponym_span": np.int32,
            "hypernym_span": np.int32,
        }
        for name, kind in kinds.items():
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=kind))
        self._check()

    def __len__(self) -> int:
        return len(self.hyponym)

    def _check(self) -> None:
        size = len(self)
        for name in ("hyponym", "hypernym", "pattern", "document"):
            if getattr(self, name).shape != (size,):
                raise InputError(f"matches: {name} has {getattr(self, name).shape} rows, hyponym has {size}")
        for name in ("hyponym", "hypernym"):
            _in_range(name, getattr(self, name), len(self.terms))
        if size and int(self.document.min()) < 0:
            raise InputError("matches: a document number is below 0")
        if self.sentences is None:
            return
        if self.sentence.shape != (size,):
            raise InputError(f"matches: {self.sentence.shape} sentence numbers for {size} matches")
        _in_range("sentence", self.sentence, len(self.sentences))
        lengths = self.sentences.lengths[self.sentence]
        for name in ("hyponym_span", "hypernym_span"):
            span = getattr(self, name)
            if span.shape != (size, 2):
                raise InputError(f"matches: {name} has the shape {span.shape}, not {(size, 2)}")
            if not ((span[:, 0] >= 0) & (span[:, 0] < span[:, 1]) & (span[:, 1] <= lengths)).all():
                raise InputError(f"matches: a {name} lies outside its sentence or is empty")


def _in_range(name: str, numbers: npt.NDArray[Any], size: int) -> None:
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < size:
        raise InputError(f"matches: {name} holds a number outside 0 … {size - 1}")
