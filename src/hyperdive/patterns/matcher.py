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

    `hypo` and `hyper` hold the forms of the noun phrases as numbers of the block's forms, head last, zeros before.
    """

    hypo: npt.NDArray[np.uint32]
    hyper: npt.NDArray[np.uint32]
    pattern: npt.NDArray[np.uint8]
    sentence: npt.NDArray[np.int32]
    hypo_span: npt.NDArray[np.int32]
    hyper_span: npt.NDArray[np.int32]


def find(data: npt.NDArray[np.uint8], tokens: Tokens) -> Found:
    """All matches in a block that was tokenised with spans."""
    kinds, triggers, flags = classify(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
    kind, word, flag, form, start, stop, borders = items(
        data, tokens.span_starts, tokens.span_ends, tokens.span_kinds, tokens.forms, tokens.sent_starts,
        kinds, triggers, flags,
    )  # fmt: skip
    found = match(kind, word, flag, form, borders)
    hypo, hypo_span = phrases(found, kind, form, start, stop, tokens.sent_starts, 0)
    hyper, hyper_span = phrases(found, kind, form, start, stop, tokens.sent_starts, 2)
    kept = (hypo[:, -1] != 0) & (hyper[:, -1] != 0)
    return Found(
        hypo[kept], hyper[kept], found[kept, 4].astype(np.uint8), found[kept, 5], hypo_span[kept], hyper_span[kept]
    )
