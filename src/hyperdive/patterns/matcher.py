"""Statements of one block of text: tokens in, places of terms out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive.patterns._kernels.items import items
from hyperdive.patterns._kernels.match import match
from hyperdive.patterns._kernels.phrases import phrases
from hyperdive.patterns.lexicon import classify
from hyperdive.text.encoder import Tokens


class Found(NamedTuple):
    """Matches of a block in reading order, one row each.

    `hyponym` and `hypernym` hold the noun phrases as form numbers of the block: head last, zero-padded in front.
    """

    hyponym: npt.NDArray[np.uint32]
    hypernym: npt.NDArray[np.uint32]
    pattern: npt.NDArray[np.uint8]
    sentence: npt.NDArray[np.int32]
    hyponym_span: npt.NDArray[np.int32]
    hypernym_span: npt.NDArray[np.int32]


def find(data: npt.NDArray[np.uint8], tokens: Tokens) -> Found:
    """All matches in a block that was tokenised with spans."""
    kinds, triggers, flags = classify(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
    kind, word, flag, form, start, stop, borders = items(
        data, tokens.span_starts, tokens.span_ends, tokens.span_kinds, tokens.forms, tokens.sent_starts,
        kinds, triggers, flags,
    )  # fmt: skip
    found = match(kind, word, flag, form, borders)
    hyponym, hyponym_span = phrases(found, kind, form, start, stop, tokens.sent_starts, 0)
    hypernym, hypernym_span = phrases(found, kind, form, start, stop, tokens.sent_starts, 2)
    kept = (hyponym[:, -1] != 0) & (hypernym[:, -1] != 0)
    return Found(
        hyponym[kept],
        hypernym[kept],
        found[kept, 4].astype(np.uint8),
        found[kept, 5],
        hyponym_span[kept],
        hypernym_span[kept],
    )
