"""Tokens of a block of text, and the observers that examine them while the text is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hyperdive._types import Array
from hyperdive.kernels import tokens as k
from hyperdive.kernels.tokens import tokenise as tokenise_bytes
from hyperdive.options import EncodeOptions
from hyperdive.text import characters
from hyperdive.text.lemmas import BlockKeys
from hyperdive.text.readers import TextBlock
from hyperdive.text.term_items import BlockItems, read_items

_HYPHENS = {"drop": k.DROP, "split": k.SPLIT, "keep": k.KEEP}


class Tokens(NamedTuple):
    """The words and sentences of a block; see `hyperdive.kernels.tokens.tokenise`."""

    forms: npt.NDArray[np.uint32]
    """The form of each token, numbered within the block from 1."""
    arena: npt.NDArray[np.uint8]
    """The bytes of the distinct forms; form f is `arena[starts[f - 1] :][: lengths[f - 1]]`."""
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int32]
    hashes: npt.NDArray[np.uint64]
    doc_tokens: npt.NDArray[np.int64]
    """First token of each document."""
    doc_sentences: npt.NDArray[np.int64]
    """First sentence of each document."""
    piece_tokens: npt.NDArray[np.int64]
    """First token of each piece, plus the end."""
    sent_tokens: npt.NDArray[np.int64]
    """First token of each sentence."""
    sent_starts: npt.NDArray[np.int64]
    sent_ends: npt.NDArray[np.int64]
    counters: npt.NDArray[np.int64]
    span_starts: npt.NDArray[np.int64]
    span_ends: npt.NDArray[np.int64]
    span_kinds: npt.NDArray[np.uint8]
    observation: Any = None
    """What an observer made of the block; see `BlockObserver`."""
    items: BlockItems | None = None
    """What terms are made of, where terms are wanted."""

    def without_spans(self, observation: Any = None) -> Tokens:
        """The same without the spans of tokens and signs, and with an observation."""
        empty = np.zeros(0, dtype=np.int64)
        return self._replace(
            span_starts=empty, span_ends=empty, span_kinds=np.zeros(0, dtype=np.uint8), observation=observation
        )


Examine = Callable[[npt.NDArray[np.uint8], Tokens], Any]
"""From the bytes and the tokens (with spans) of a block to an observation."""


class BlockObserver(Protocol):
    """Examines the text in the same reading pass and writes its result into the corpus folder.

    One observer made by `part` absorbs the blocks of each part of the text; the first takes in the states of all parts.
    """

    @property
    def examine(self) -> Examine:
        """Called for each block; its result becomes the observation of the tokens."""
        ...

    def absorb(self, data: npt.NDArray[np.uint8], tokens: Tokens, keys: BlockKeys, documents: int) -> None:
        """Called in input order.

        Args:
            data: the bytes of the block.
            tokens: its tokens, with the observation.
            keys: the keys of its forms.
            documents: how many documents came before the block.
        """
        ...

    def part(self) -> BlockObserver:
        """An observer of one part of the text; this one takes in its `state`."""
        ...

    def state(self) -> tuple[list[str], dict[str, Array]]:
        """All that was absorbed, as strings and arrays."""
        ...

    def add_state(self, strings: Sequence[str], arrays: Mapping[str, Array], documents: int) -> None:
        """Called in input order with the state of each part, and how many documents came before it."""
        ...

    def save(self, folder: Path, header: dict[str, Any], documents: int) -> None:
        """Called once at the end with the corpus folder, its header so far and the number of documents."""
        ...


def tokenise(
    block: TextBlock, options: EncodeOptions, *, spans: bool = False, examine: Examine | None = None
) -> Tokens:
    """Words and sentences of one block.

    Args:
        block: some documents.
        options: the rules by which text becomes words.
        spans: whether to record start, end and kind of every token and sign.
        examine: an observer's function; its result becomes `Tokens.observation`.
    """
    if examine is not None or (options.terms != "none" and not spans):
        tokens = tokenise(block, options, spans=True)
        if options.terms != "none":
            tokens = tokens._replace(items=read_items(block.data, tokens))
        return tokens.without_spans(None if examine is None else examine(block.data, tokens))
    return Tokens(
        *tokenise_bytes(
            block.data,
            block.ends,
            characters.classes(),
            _HYPHENS[options.hyphens],
            options.alphabet == "ascii",
            spans,
            characters.abbreviation_hashes(),
            block.continued,
            block.unfinished,
        )
    )
