"""Evidence: which sentences are kept for a pair, in what order, and how they are shown.

At most `CAP` sentences are kept for a pair, the best first: one of each pattern before a second of any,
precise patterns before vague ones, short sentences before long ones, early ones before late ones, and never one text
twice. The choice from two halves of a text, made from what each half kept, is the choice from the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Ints
from hyperdive.errors import one_line
from hyperdive.patterns.matches import Texts

CAP = 3
"""Sentences kept for a pair."""
TOTAL = 1_000_000
"""Sentences kept for all pairs together; first ones of frequent pairs go before others."""
LONGEST = 400
"""Bytes of a sentence; of a longer one the part around both terms is kept."""
MOST_TERMS = 1 << 28
"""Terms have numbers below this."""
_STEP = 50  # sentences whose lengths differ by less are equally short: the earlier one wins
_CUT = "…"
_LONGEST_TERMS = 240  # bytes of both terms, for which there is always room in an excerpt

Keys = npt.NDArray[np.uint64]
Spans = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Evidence:
    """A sentence that states that one term is a kind of another; `spans` are the characters of both, hyponym first.

    >>> found = Evidence("Dogs such as poodles bark.", "such as", 7, ((13, 20), (0, 4)))
    >>> found.marked("<", ">")
    '<Dogs> such as <poodles> bark.'
    """

    sentence: str
    pattern: str
    document: int
    spans: tuple[tuple[int, int], tuple[int, int]]

    def marked(self, before: str = "**", after: str = "**") -> str:
        """The sentence with both terms between two signs."""
        return "".join(f"{before}{part}{after}" if is_term else part for part, is_term in self._parts())

    def to_dict(self) -> dict[str, Any]:
        """The sentence and where both terms are in it, as plain values."""
        return {
            "sentence": self.sentence,
            "pattern": self.pattern,
            "document": self.document,
            "hyponym_span": list(self.spans[0]),
            "hypernym_span": list(self.spans[1]),
        }

    def _parts(self) -> list[tuple[str, bool]]:
        """The sentence in pieces, each with whether it is one of the terms."""
        text, last, parts = self.sentence, 0, []
        for start, end in sorted(self.spans):
            start = max(start, last)  # one term may stand within the other
            if start < end:
                parts += [(text[last:start], False), (text[start:end], True)]
                last = end
        return [*parts, (text[last:], False)]

    def __str__(self) -> str:
        return f"“{one_line(self.sentence)}” ({one_line(self.pattern)})"

    def _repr_html_(self) -> str:
        """The sentence with both terms marked, for a notebook.

        >>> Evidence("<b>Dogs</b> such as poodles", "such as", 7, ((20, 27), (3, 7)))._repr_html_()
        '&lt;b&gt;<mark>Dogs</mark>&lt;/b&gt; such as <mark>poodles</mark> <small>(such as)</small>'
        """
        marks = (f"<mark>{escape(part)}</mark>" if is_term else escape(part) for part, is_term in self._parts())
        return f"{''.join(marks)} <small>({escape(self.pattern)})</small>"


def pack(hyponym: Any, hypernym: Any, pattern: Any) -> Keys:
    """One number for a pair and a pattern: 28 bits for each term, 8 for the pattern; it sorts by all three.

    >>> [part.tolist() for part in unpack(pack([3], [5], [2]))]
    [[3], [5], [2]]
    """
    keys: Keys = np.asarray(hyponym).astype(np.uint64)
    # in place: memory that is written for the first time takes longer than the arithmetic
    for bits, part in ((28, hypernym), (8, pattern)):
        keys <<= np.uint64(bits)
        keys |= np.asarray(part).astype(np.uint64)
    return keys


def unpack(keys: Keys) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """The terms and the pattern of each key."""
    low = np.uint64(MOST_TERMS - 1)
    return (
        (keys >> np.uint64(36)).astype(np.int32),
        ((keys >> np.uint64(8)) & low).astype(np.int32),
        (keys & np.uint64(255)).astype(np.uint8),
    )


def renumbered(keys: Keys, terms: Ints, patterns: Ints | None = None) -> Keys:
    """Keys with other numbers for terms, and for patterns where these are given.

    >>> [part.tolist() for part in unpack(renumbered(pack([0], [1], [2]), np.array([5, 4])))]
    [[5], [4], [2]]
    """
    hyponym, hypernym, pattern = unpack(keys)
    return pack(terms[hyponym], terms[hypernym], pattern if patterns is None else patterns[pattern])


def added_up(keys: Keys, counts: Ints) -> tuple[Keys, Ints]:
    """Equal keys as one, sorted, with the sum of their counts.

    >>> [part.tolist() for part in added_up(np.array([5, 2, 5], dtype=np.uint64), np.array([1, 1, 3]))]
    [[2, 5], [1, 4]]
    """
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = first_of_each(keys)
    return keys[starts], np.add.reduceat(counts, starts) if len(starts) else counts


def first_of_each(groups: Any) -> Ints:
    """Where the runs of equal values start.

    >>> first_of_each(np.array([4, 4, 7])).tolist(), first_of_each(np.array([])).tolist()
    ([0, 2], [])
    """
    new = np.ones(len(groups), dtype=np.bool_)
    new[1:] = groups[1:] != groups[:-1]
    return np.flatnonzero(new)


@dataclass(frozen=True, eq=False)
class EvidenceRows:
    """Kept matches, ordered by pair and, within a pair, the best first.

    `spans` has four columns, in bytes of the sentence: start and end of the hyponym, start and end of the hypernym.
    """

    keys: Keys
    document: Ints
    sentence: Ints
    spans: Spans
    texts: Texts

    def __len__(self) -> int:
        return len(self.keys)

    def of_pair(self, hyponym: int, hypernym: int) -> slice:
        """Where the rows of a pair are."""
        pairs = self.keys >> np.uint64(8)
        wanted = pack([hyponym], [hypernym], [0]) >> np.uint64(8)
        start, end = np.searchsorted(pairs, wanted, "left")[0], np.searchsorted(pairs, wanted, "right")[0]
        return slice(int(start), int(end))

    def taken(self, rows: Any, keys: Keys) -> EvidenceRows:
        """Some of the rows in a new order under new keys, with the sentences they use, in order of first use."""
        sentence = self.sentence[rows]
        used, first, inverse = np.unique(sentence, return_index=True, return_inverse=True)
        by_use = np.argsort(first, kind="stable")
        place = np.empty(len(used), dtype=np.int64)
        place[by_use] = np.arange(len(used))
        texts = gather_texts(self.texts, used[by_use])
        return EvidenceRows(keys, self.document[rows], place[inverse.ravel()], self.spans[rows], texts)


def gather_texts(texts: Texts, numbers: Ints) -> Texts:
    """Sentences by number as texts of their own."""
    ends = np.concatenate([[0], np.cumsum(texts.lengths[numbers])]).astype(np.int64)
    view = np.ascontiguousarray(texts.data).data
    spans = zip(texts.offsets[numbers].tolist(), texts.offsets[numbers + 1].tolist(), strict=True)
    return Texts(np.frombuffer(b"".join([view[start:end] for start, end in spans]), dtype=np.uint8), ends)


def shortness(lengths: Ints, cut: Any = False) -> Ints:
    """How long sentences are, in steps; a sentence of which a part was kept counts as a longest one.

    >>> shortness(np.array([10, 60, 4000])).tolist()
    [0, 1, 8]
    """
    return np.where(cut, LONGEST, np.minimum(lengths, LONGEST)) // _STEP


def was_cut(texts: Texts) -> npt.NDArray[np.bool_]:
    """Which sentences are only a part of theirs: they begin or end with the sign of a cut, or hold it in between."""
    sign = _CUT.encode()
    cut = np.zeros(len(texts), dtype=np.bool_)
    for number in np.flatnonzero(texts.lengths > LONGEST // 2).tolist():  # few sentences are that long
        raw = texts.raw(number)
        cut[number] = raw.startswith(sign + b" ") or raw.endswith(b" " + sign) or b" " + sign + b" " in raw
    return cut


def can_be_shown(lengths: Ints, spans: Spans) -> npt.NDArray[np.bool_]:
    """Whether a sentence is short enough, or its terms are, so that an `excerpt` holds both."""
    terms = (spans[:, 1] - spans[:, 0]) + (spans[:, 3] - spans[:, 2])
    return (lengths <= LONGEST) | (terms <= _LONGEST_TERMS)


def text_hashes(texts: Texts) -> Keys:
    """A number for each sentence that equal texts share: Σ byte·weight of its place, modulo 2⁶⁴."""
    if len(texts) == 0:
        return np.zeros(0, dtype=np.uint64)
    lengths, starts = texts.lengths, texts.offsets[:-1]
    sizes = np.minimum(lengths, LONGEST)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    place = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
    weighted = texts.data[np.repeat(starts, sizes) + place].astype(np.uint64) * _WEIGHTS[place]
    sums = np.zeros(len(texts), dtype=np.uint64)
    full = sizes > 0
    if full.any():
        sums[full] = np.add.reduceat(weighted, ends[:-1][full])
    sums += lengths.astype(np.uint64) * _WEIGHTS[-1]
    return sums


def _weights(size: int) -> Keys:
    """Odd pseudo-random numbers (splitmix64)."""
    z = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    weights: Keys = (z ^ (z >> np.uint64(31))) | np.uint64(1)
    return weights


_WEIGHTS = _weights(LONGEST + 1)


def level_in(groups: Keys) -> Ints:
    """The place of each item within its run of equal values.

    >>> level_in(np.array([4, 4, 7, 7, 7], dtype=np.uint64)).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = first_of_each(groups)
    return np.arange(len(groups)) - np.repeat(starts, np.diff(np.append(starts, len(groups))))


def ranks_of(precision: Sequence[float]) -> Ints:
    """The place of each pattern, the most precise first; equal ones in the order of the table.

    >>> ranks_of([0.5, 0.9, 0.5]).tolist()
    [1, 0, 2]
    """
    ranks = np.empty(len(precision), dtype=np.int64)
    ranks[np.argsort(-np.asarray(precision, dtype=np.float64), kind="stable")] = np.arange(len(precision))
    return ranks


def best_of_each(keys: Keys, order: Keys, hashes: Keys, ranks: Ints, cap: int) -> Ints:
    """Row numbers of the `cap` best of every pair and pattern, each text once in a pair; `order` is smallest for best.

    `ranks[pattern]` is small for a precise pattern: a text that several patterns found stays with the best of them.
    """
    pairs = keys >> np.uint64(8)
    by_pair = np.argsort(pairs, kind="stable")
    same = np.zeros(len(keys) + 1, dtype=np.bool_)
    same[1:-1] = pairs[by_pair[1:]] == pairs[by_pair[:-1]]
    # most pairs are named once: only the others are worth a comparison of texts
    several = same[1:] | same[:-1]
    rows = by_pair[several]
    rank = ranks[(keys[rows] & np.uint64(255)).astype(np.int64)]
    rows = rows[np.lexsort((order[rows], rank, hashes[rows], pairs[rows]))]
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (pairs[rows[1:]] != pairs[rows[:-1]]) | (hashes[rows[1:]] != hashes[rows[:-1]])
    rows = rows[first]
    rows = rows[np.lexsort((order[rows], keys[rows]))]
    rows = rows[level_in(keys[rows]) < cap]
    chosen = np.concatenate([by_pair[~several], rows])
    return chosen[np.argsort(keys[chosen], kind="stable")]


def choose(keys: Keys, order: Keys, hashes: Keys, ranks: Ints, cap: int) -> tuple[Ints, Ints]:
    """The rows to keep, by pair and best first, and the place of each within its pair."""
    chosen = best_of_each(keys, order, hashes, ranks, cap)
    level = level_in(keys[chosen])
    rank = ranks[(keys[chosen] & np.uint64(255)).astype(np.int64)]
    pairs = keys[chosen] >> np.uint64(8)
    by_pair = np.lexsort((rank, level, pairs))
    chosen = chosen[by_pair]
    place = level_in(pairs[by_pair])
    return chosen[place < cap], place[place < cap]


def excerpt(raw: bytes, spans: tuple[int, int, int, int]) -> tuple[bytes, tuple[int, int, int, int]]:
    """A sentence of at most about `LONGEST` bytes that has both terms, and their new spans; see `can_be_shown`.

    >>> raw = b"word " * 100 + b"dogs such as poodles" + b" word" * 100
    >>> text, (a, b, c, d) = excerpt(raw, (513, 520, 500, 504))
    >>> len(text) <= LONGEST + 10, text[a:b], text[c:d]
    (True, b'poodles', b'dogs')
    """
    if len(raw) <= LONGEST:
        return raw, spans
    (a, b), (c, d) = sorted([(spans[0], spans[1]), (spans[2], spans[3])])
    whole = max(b, d) - a
    if whole <= LONGEST - 80:
        room = (LONGEST - whole) // 2
        parts = [_window(raw, a, max(b, d), room)]
    else:
        # two windows that cannot overlap: whole > LONGEST - 80 and terms of at most _LONGEST_TERMS
        room = (LONGEST - (b - a) - (d - c)) // 4
        parts = [_window(raw, a, b, room), _window(raw, c, d, room)]
    sign = _CUT.encode()
    pieces: list[bytes] = []
    shifts: list[tuple[int, int, int]] = []
    size = 0
    for start, end in parts:
        before = b"" if start == 0 else sign + b" " if not pieces else b" " + sign + b" "
        size += len(before)
        shifts.append((start, end, size - start))
        pieces += [before, raw[start:end]]
        size += end - start
    if parts[-1][1] < len(raw):
        pieces.append(b" " + sign)

    def moved(at: int, until: int) -> tuple[int, int]:
        shift = next(shift for start, end, shift in shifts if start <= at and until <= end)
        return at + shift, until + shift

    return b"".join(pieces), (*moved(spans[0], spans[1]), *moved(spans[2], spans[3]))


def _window(raw: bytes, start: int, end: int, room: int) -> tuple[int, int]:
    """A stretch with at most `room` bytes on either side, cut at blanks where there are some, else between letters."""
    left, right = max(0, start - room), min(len(raw), end + room)
    if left > 0:
        blank = raw.find(b" ", left - 1, start)
        left = blank + 1 if blank >= 0 else left
        while left < start and raw[left] & 0xC0 == 0x80:
            left += 1
    if right < len(raw):
        blank = raw.rfind(b" ", end, right + 1)
        right = blank if blank >= 0 else right
        while right > end and raw[right] & 0xC0 == 0x80:
            right -= 1
    return left, right


def as_evidence(raw: bytes, spans: Any, pattern: str, document: int) -> Evidence:
    """A kept row for display: spans in characters, control characters replaced by blanks."""
    a, b, c, d = (len(raw[: int(at)].decode("utf-8", errors="replace")) for at in spans)
    text = raw.decode("utf-8", errors="replace")
    shown = text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)
    return Evidence(shown, pattern, document, ((a, b), (c, d)))
