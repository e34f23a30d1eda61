"""Collects what the text states while it is read; the result lies in the corpus folder, under `patterns/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Array, Ints
from hyperdive.kernels import pattern_codes as k
from hyperdive.kernels.pattern_items import phrase_terms
from hyperdive.patterns.collector import MEMORY, Collector
from hyperdive.patterns.definitions import FIRST_OF_A_NAME, NAMES, PRECISION
from hyperdive.patterns.matcher import BlockMatches, find_matches
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.pattern_table import FOLDER
from hyperdive.patterns.store_files import save_table
from hyperdive.text.forms import FormTable
from hyperdive.text.lemmas import BlockKeys
from hyperdive.text.tokens import Examine, Tokens


class PatternReader:
    """Collects the matches of every block while the text is read; see `hyperdive.text.tokens.BlockObserver`."""

    def __init__(self, *, sentences: bool = True, memory: int = MEMORY) -> None:
        self._sentences, self._memory = sentences, memory
        self._collector = self._empty()

    def _empty(self) -> Collector:
        return Collector(NAMES, precision=PRECISION, memory=self._memory)

    @property
    def examine(self) -> Examine:
        return find_matches

    def absorb(self, data: npt.NDArray[np.uint8], tokens: Tokens, keys: BlockKeys, documents: int) -> None:
        """Add the matches of a block."""
        matches: BlockMatches = tokens.observation
        if len(matches.pattern) == 0:
            return
        document = np.searchsorted(tokens.doc_sentences, matches.sentence, side="right") - 1 + documents
        self._collector.add(as_matches(matches, keys, np.maximum(document, 0), data, tokens, sentences=self._sentences))

    def part(self) -> PatternReader:
        """A reader of one part of the text, whose `state` this one takes in."""
        return PatternReader(sentences=self._sentences, memory=self._memory)

    def state(self) -> tuple[list[str], dict[str, Array]]:
        """What was collected, as strings and arrays."""
        return self._collector.state()

    def add_state(self, strings: Sequence[str], arrays: Mapping[str, Array], documents: int) -> None:
        """Take in the state of the part that comes next."""
        self._collector.add_state(strings, arrays, documents)

    def save(self, folder: Path, header: dict[str, Any], documents: int) -> None:
        """Write the folder of patterns into the corpus folder; what was collected is let go."""
        source = str(header.get("input", {}).get("sha256", ""))
        save_table(self._collector.table(documents=documents), folder / FOLDER, source=source, parameters={})
        self._collector = self._empty()


def as_matches(
    matches: BlockMatches,
    keys: BlockKeys,
    document: Ints,
    data: npt.NDArray[np.uint8],
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


def are_names(
    data: npt.NDArray[np.uint8], sentences: npt.NDArray[np.int64], places: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
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
