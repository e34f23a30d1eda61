"""Statements of one block of text: tokens in, places of terms out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive.kernels.pattern_items import items
from hyperdive.kernels.pattern_match import match
from hyperdive.kernels.pattern_phrases import phrase_forms
from hyperdive.patterns.lexicon import classify
from hyperdive.text.tokens import Tokens


class BlockMatches(NamedTuple):
    """Matches of a block in reading order, one row each.

    `hyponym` and `hypernym` hold the noun phrases as form numbers of the block: head last, zero-padded in front.
    Spans are byte offsets in the sentence: start of the phrase, start of its head, end of both.
    """

    hyponym: npt.NDArray[np.uint32]
    hypernym: npt.NDArray[np.uint32]
    pattern: npt.NDArray[np.uint8]
    sentence: npt.NDArray[np.int32]
    hyponym_span: npt.NDArray[np.int32]
    hypernym_span: npt.NDArray[np.int32]


def find_matches(data: npt.NDArray[np.uint8], tokens: Tokens) -> BlockMatches:
    """All matches in a block.

    Args:
        data: the bytes of the block.
        tokens: its tokens, with spans.
    """
    classes, triggers, flags = classify(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
    item_classes, item_triggers, item_flags, forms, starts, ends, borders = items(
        data, tokens.span_starts, tokens.span_ends, tokens.span_kinds, tokens.forms, tokens.sent_starts,
        classes, triggers, flags,
    )  # fmt: skip
    rows = match(item_classes, item_triggers, item_flags, borders)
    hyponym, hyponym_span = phrase_forms(rows, item_classes, forms, starts, ends, tokens.sent_starts, 0)
    hypernym, hypernym_span = phrase_forms(rows, item_classes, forms, starts, ends, tokens.sent_starts, 2)
    has_heads = (hyponym[:, -1] != 0) & (hypernym[:, -1] != 0)
    columns = (hyponym, hypernym, rows[:, 4].astype(np.uint8), rows[:, 5], hyponym_span, hypernym_span)
    return BlockMatches(*(column[has_heads] for column in columns))
