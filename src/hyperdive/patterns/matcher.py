"""What one block of text states: tokens in, matches out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._types import Bytes, Ints
from hyperdive.kernels import pattern_codes as k
from hyperdive.kernels.pattern_items import items, phrase_terms
from hyperdive.kernels.pattern_match import match
from hyperdive.kernels.pattern_phrases import phrase_forms
from hyperdive.patterns.definitions import FIRST_OF_A_NAME
from hyperdive.patterns.lexicon import classify
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.text.forms import FormTable
from hyperdive.text.lemmas import BlockKeys
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


def as_matches(
    matches: BlockMatches,
    keys: BlockKeys,
    document: Ints,
    data: Bytes,
    tokens: Tokens,
    *,
    sentences: bool = True,
) -> Matches:
    """The pairs that a block's matches state.

    "Large dogs such as French poodles" states of *french poodle* that it is a *large dog* and a *dog*, of *poodle*
    that it is a *dog*; and by their heads, counted apart, that *french poodle* is a *poodle* and *large dog* a *dog*.
    What "teams such as the Detroit Tigers" states of *tiger* is counted as a statement of a name.
    """
    terms, numbers, usable = _terms(np.concatenate([matches.hyponym, matches.hypernym]), keys)
    size = len(matches.pattern)
    usable = usable[:size] & usable[size:]
    hyponym, hypernym = numbers[:size], numbers[size:]
    q, q_head, p, p_head = hyponym[:, 0], hyponym[:, 1], hypernym[:, 0], hypernym[:, 1]
    both_spans = (matches.hyponym_span, matches.hypernym_span)
    whole_q, head_q = (both_spans[0][:, [0, 2]], both_spans[0][:, [1, 2]])
    whole_p, head_p = (both_spans[1][:, [0, 2]], both_spans[1][:, [1, 2]])
    head = np.full(size, k.HEAD_P, dtype=np.uint8)
    starts = tokens.sent_starts[matches.sentence]
    of_whole, of_head = (
        np.where(are_names(data, starts, span[:, 0]), matches.pattern + FIRST_OF_A_NAME, matches.pattern)
        for span in (whole_q, head_q)
    )
    variants = (
        (q, p, of_whole, whole_q, whole_p, usable),
        (q, p_head, of_whole, whole_q, head_p, usable & (p != p_head)),
        (q_head, p_head, of_head, head_q, head_p, usable & (q != q_head)),
        (q, q_head, head, whole_q, head_q, usable & (q != q_head)),
        (p, p_head, head, whole_p, head_p, usable & (p != p_head)),
    )
    chosen = [np.flatnonzero(keep & (a != b)) for a, b, *_, keep in variants]
    # a match with all that follows from it, then the next: pieces may then be cut anywhere
    order = np.argsort(np.concatenate(chosen), kind="stable")
    rows = np.concatenate(chosen)[order]

    def column(index: int) -> Any:
        return np.concatenate([variant[index][at] for variant, at in zip(variants, chosen, strict=True)])[order]

    with_text: dict[str, Any] = {}
    if sentences:
        used, sentence = np.unique(matches.sentence[rows], return_inverse=True)
        firsts, ends = tokens.sent_starts[used], tokens.sent_ends[used]
        pieces = [data[first:end] for first, end in zip(firsts.tolist(), ends.tolist(), strict=True)]
        offsets = np.concatenate([[0], np.cumsum(ends - firsts)]).astype(np.int64)
        texts = Texts(np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.uint8), offsets)
        with_text = {"sentence": sentence, "hyponym_span": column(3), "hypernym_span": column(4), "sentences": texts}
    return Matches(terms, column(0), column(1), column(2), document[rows], **with_text)


def are_names(data: Bytes, sentences: npt.NDArray[np.int64], places: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which words look like names: one capital, then a small letter, and not the first word of the sentence.

    Args:
        data: the bytes of a block.
        sentences: where the sentence of each word starts.
        places: where the word starts in it.

    >>> text = np.frombuffer(b"Dogs and the Tigers met HIV.", dtype=np.uint8)
    >>> are_names(text, np.zeros(4, dtype=np.int64), np.array([0, 5, 13, 24])).tolist()
    [False, False, True, False]
    """
    first = sentences + places
    capital, second = data[first], data[np.minimum(first + 1, len(data) - 1)]
    names: npt.NDArray[np.bool_] = (places > 0) & (capital >= ord("A")) & (capital <= ord("Z")) & (second >= ord("a"))
    return names


def _terms(
    phrases: npt.NDArray[np.uint32], keys: BlockKeys
) -> tuple[Texts, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Distinct terms, the numbers of each phrase and of its head, and whether the head is more than a letter."""
    arena, starts, lengths, _ = keys.table.arrays()
    *spelled, usable = phrase_terms(phrases, keys.of_form, arena, starts, lengths)
    table = FormTable()
    numbers = table.merge(*spelled).astype(np.int64) - 1
    data, starts, _, _ = table.arrays()
    return Texts(data, np.append(starts, len(data))), numbers.reshape(-1, 2), usable
