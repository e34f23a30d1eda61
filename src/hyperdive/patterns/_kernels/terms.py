"""Compiled spelling of the terms of matches."""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel, subkernel
from hyperdive.text._kernels.forms import FNV_PRIME, FNV_START

_BLANK, _BAR = 32, 124


@subkernel()
def _is_one_letter(arena, start, length):
    """Whether a word is at most one character, its tag left out."""
    letters = 0
    for j in range(start, start + length):
        if arena[j] == _BAR:
            break
        if arena[j] & 0xC0 != 0x80:  # not a further byte of a character
            letters += 1
    return letters <= 1


@kernel()
def phrase_terms(phrases, keys, arena, starts, lengths):
    """The bytes of noun phrases (row i is term 2i) and of their heads (term 2i + 1): keys joined by blanks.

    `phrases` holds forms of a block, head last, zero-padded in front; form f has the key `keys[f]`, whose bytes are
    `arena[starts[key - 1] :][: lengths[key - 1]]`, and key 0 no bytes. Returns bytes, start, length and hash of each
    term, and which heads are longer than one character.
    """
    rows, width = phrases.shape
    size = np.int64(0)
    for i in range(rows):
        for column in range(width):
            key = keys[phrases[i, column]]
            if key != 0:
                size += lengths[key - 1] + 1
                if column == width - 1:
                    size += lengths[key - 1]
    spelled = np.empty(size, dtype=np.uint8)
    term_starts = np.empty(2 * rows, dtype=np.int64)
    term_lengths = np.empty(2 * rows, dtype=np.int32)
    hashes = np.empty(2 * rows, dtype=np.uint64)
    usable = np.zeros(rows, dtype=np.bool_)
    at = np.int64(0)
    for i in range(rows):
        for side in range(2):
            begin = at
            h = FNV_START
            for column in range(0 if side == 0 else width - 1, width):
                key = keys[phrases[i, column]]
                if key == 0:
                    continue
                if at > begin:
                    spelled[at] = _BLANK
                    h = (h ^ np.uint64(_BLANK)) * FNV_PRIME
                    at += 1
                first = starts[key - 1]
                for j in range(first, first + lengths[key - 1]):
                    spelled[at] = arena[j]
                    h = (h ^ np.uint64(arena[j])) * FNV_PRIME
                    at += 1
            term_starts[2 * i + side] = begin
            term_lengths[2 * i + side] = at - begin
            hashes[2 * i + side] = h ^ (h >> np.uint64(29))
        head = keys[phrases[i, width - 1]]
        usable[i] = head != 0 and not _is_one_letter(arena, starts[head - 1], lengths[head - 1])
    return spelled[:at].copy(), term_starts, term_lengths, hashes, usable
