"""Compiled reading of a block's words as items: what terms are made of.

An item has 32 bits: the number of a form (27 bits), whether it is a numeral of the block, how it is written (2 bits),
and what joins it to the item before (2 bits). Number 0 is a gap, which no term bridges.
"""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import kernel, subkernel
from hyperdive.text._kernels.codes import DROPPED, WORD
from hyperdive.text._kernels.forms import FNV_PRIME, FNV_START, grow_slots, same_bytes

NUMBER_MASK = np.uint32((1 << 27) - 1)
NUMERAL = np.uint32(1 << 27)
FORM_MASK = NUMBER_MASK | NUMERAL
CASE_SHIFT, JOINT_SHIFT = np.uint32(28), np.uint32(30)
LOWER, CAPITALISED, CAPITALS, MIXED = 0, 1, 2, 3
BLANK, HYPHEN, POSSESSIVE, APOSTROPHE = 0, 1, 2, 3
GAP = np.uint32(0)
SENTENCE = np.uint32(1 << 30)
"""A gap at the start of a sentence, where a capital says nothing."""
MAX_NUMERAL_BYTES = 12


@subkernel()
def _joint(data, end, start):
    """What stands between two words without a blank or a sign; `BLANK` where there is either."""
    if end >= start:
        return BLANK
    byte = data[end]
    if byte == 45:
        return HYPHEN
    if byte == 39:
        return APOSTROPHE
    if byte == 0xE2 and start - end == 3 and data[end + 1] == 0x80:
        return HYPHEN if data[end + 2] == 0x90 or data[end + 2] == 0x91 else APOSTROPHE
    return APOSTROPHE if byte >= 0x80 and start - end == 2 else BLANK


@subkernel()
def _case(data, start, end):
    """How the ASCII letters of a word are written, and whether it has a digit."""
    upper = lower = 0
    digit = False
    for i in range(start, end):
        byte = data[i]
        if 65 <= byte < 91:
            upper += 1
        elif 97 <= byte < 123 or byte >= 0x80:
            lower += 1
        elif 48 <= byte < 58:
            digit = True
    if upper == 0:
        return LOWER, digit
    if lower == 0 and (upper > 1 or digit):
        return CAPITALS, digit
    if upper == 1 and 65 <= data[start] < 91:
        return CAPITALISED, digit
    return MIXED, digit


@subkernel()
def _number(slots, hashes, starts, lengths, n_numerals, arena, n_arena, length, h):
    """The number of the numeral at the end of the arena; n_numerals + 1 when it is new."""
    mask = np.uint64(len(slots) - 1)
    at = h & mask
    while slots[at] != 0:
        known = np.int64(slots[at]) - 1
        if hashes[known] == h and lengths[known] == length and same_bytes(arena, starts[known], arena, n_arena, length):
            return known + 1
        at = (at + np.uint64(1)) & mask
    slots[at] = n_numerals + 1
    hashes[n_numerals] = h
    starts[n_numerals] = n_arena
    lengths[n_numerals] = length
    return n_numerals + 1


@kernel()
def term_items(data, span_starts, span_ends, span_kinds, forms, sent_starts, n_forms):
    """The items of a block.

    Returns the items, the first item of every sentence, the numerals (arena, starts, lengths, hashes) and for every
    form of the block where it is first written in mixed case (-1: never).
    """
    n_spans = len(span_starts)
    items = np.empty(n_spans + len(sent_starts) + 1, dtype=np.uint32)
    sent_items = np.empty(len(sent_starts), dtype=np.int64)
    mixed_at = np.full(n_forms + 1, -1, dtype=np.int64)
    slots = np.zeros(1 << 12, dtype=np.uint32)
    most = len(span_starts) - len(forms) + 1
    hashes = np.empty(most, dtype=np.uint64)
    starts = np.empty(most, dtype=np.int64)
    lengths = np.empty(most, dtype=np.int32)
    arena = np.empty(MAX_NUMERAL_BYTES * (most + 1), dtype=np.uint8)
    n = sentence = token = 0
    n_numerals = n_arena = np.int64(0)  # with 0, functions would be compiled for that constant, too
    joint = BLANK
    last_end = np.int64(-1)
    for i in range(n_spans):
        start, end, kind = span_starts[i], span_ends[i], span_kinds[i]
        while sentence < len(sent_starts) and sent_starts[sentence] <= start:
            sent_items[sentence] = n
            sentence += 1
            items[n] = SENTENCE
            n += 1
            last_end = np.int64(-1)
            joint = BLANK
        if last_end >= 0 and joint == BLANK:
            joint = _joint(data, last_end, start)
        if kind == WORD:
            case, _ = _case(data, start, end)
            form = forms[token]
            token += 1
            if case == MIXED and mixed_at[form] < 0:
                mixed_at[form] = start
            items[n] = form | (np.uint32(case) << CASE_SHIFT) | (np.uint32(joint) << JOINT_SHIFT)
            n += 1
            last_end = end
            joint = BLANK
            continue
        if kind == DROPPED:
            if joint == APOSTROPHE and end - start == 1 and (data[start] | 0x20) == 115:  # the s of a possessive
                joint = POSSESSIVE
                last_end = end
                continue
            case, digit = _case(data, start, end)
            if digit and end - start <= MAX_NUMERAL_BYTES:
                h = FNV_START
                for j in range(start, end):
                    byte = data[j]
                    if 65 <= byte < 91:
                        byte |= np.uint8(0x20)
                    arena[n_arena + j - start] = byte
                    h = (h ^ np.uint64(byte)) * FNV_PRIME
                h = h ^ (h >> np.uint64(29))
                number = _number(slots, hashes, starts, lengths, n_numerals, arena, n_arena, end - start, h)
                if number > n_numerals:
                    n_numerals = number
                    n_arena += end - start
                    if 2 * n_numerals > len(slots):
                        slots = grow_slots(slots, hashes, n_numerals)
                items[n] = (
                    np.uint32(number) | NUMERAL | (np.uint32(case) << CASE_SHIFT) | (np.uint32(joint) << JOINT_SHIFT)
                )
                n += 1
                last_end = end
                joint = BLANK
                continue
        elif last_end == start and data[start] == 39 and (data[start - 1] | 0x20) == 115 and joint == BLANK:
            joint = POSSESSIVE  # workers' compensation
            last_end = end
            continue
        if n and items[n - 1] & FORM_MASK != 0:
            items[n] = GAP
            n += 1
        last_end = np.int64(-1)
        joint = BLANK
    while sentence < len(sent_starts):
        sent_items[sentence] = n
        sentence += 1
    return (
        items[:n].copy(), sent_items, arena[:n_arena].copy(), starts[:n_numerals].copy(),
        lengths[:n_numerals].copy(), hashes[:n_numerals].copy(), mixed_at[1:],
    )  # fmt: skip


@kernel()
def renumber_items(items, numbers, numerals):
    """Numbers within a block → numbers of the whole text, in place; there words and numerals share their numbers."""
    for i in range(len(items)):
        item = items[i]
        number = item & NUMBER_MASK
        if number != 0:
            new = numerals[number - 1] if item & NUMERAL != 0 else numbers[number - 1]
            items[i] = (item & ~FORM_MASK) | np.uint32(new)
