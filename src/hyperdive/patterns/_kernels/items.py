"""Compiled classing of a block's words and signs; the slow twin of the endings is `hyperdive.patterns.lexicon`."""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.patterns._kernels.codes import (
    ADJ,
    ADV,
    CAPITAL,
    COLON,
    COMMA,
    DASH,
    EG,
    END,
    FUNC,
    LEFT,
    NONE,
    NOUN,
    NUM,
    OF,
    OTHER_WORD,
    PART,
    PLURAL,
    PREP,
    QUANT,
    RIGHT,
    SEMI,
    SIGN,
    STOP,
    SUPERLATIVE,
    THE,
    VERB,
    A,
)  # fmt: skip


@njit(cache=True, nogil=True)
def items(data, span_starts, span_ends, span_kinds, forms, sent_starts, class_of, word_of, flags_of):
    """The items of a block: class, trigger word, flags, form, first and last byte; and where sentences begin."""
    n_spans = len(span_starts)
    kind = np.empty(n_spans + 1, dtype=np.uint8)
    word = np.zeros(n_spans + 1, dtype=np.uint8)
    flags = np.zeros(n_spans + 1, dtype=np.uint8)
    form = np.zeros(n_spans + 1, dtype=np.uint32)
    start = np.empty(n_spans + 1, dtype=np.int64)
    stop = np.empty(n_spans + 1, dtype=np.int64)
    borders = np.empty(len(sent_starts) + 1, dtype=np.int64)
    n = s = t = 0
    for i in range(n_spans):
        a, b = span_starts[i], span_ends[i]
        while s < len(sent_starts) and sent_starts[s] <= a:
            borders[s] = n
            s += 1
        first = data[a]
        if span_kinds[i] == 0:
            while forms[t] == 0:
                t += 1
            f = forms[t]
            t += 1
            k, w, g = class_of[f], word_of[f], flags_of[f]
            begins = n == 0 or (s > 0 and borders[s - 1] == n)  # nothing before a sentence counts
            if 65 <= first < 91:
                g |= CAPITAL
                if not begins and (k == ADJ or k == PART or k == VERB or k == ADV):
                    k = np.uint8(NOUN)
            if (k == VERB or k == ADV) and not begins and w == NONE:
                before = kind[n - 1]
                if before == A or (before == PREP and word[n - 1] == OF) or (before == THE and k == VERB):
                    k = np.uint8(NOUN)  # "the walks of life"
            if not begins and a == stop[n - 1] + 1 and data[a - 1] == 45:  # joined by a hyphen: "student-run"
                if k != NOUN:
                    k = np.uint8(ADJ)
                if kind[n - 1] != NOUN:
                    kind[n - 1] = ADJ
                w = np.uint8(NONE)
            kind[n], word[n], flags[n], form[n] = k, w, g, f
        elif span_kinds[i] == 1:
            k = NUM if 48 <= first < 58 else OTHER_WORD
            w = NONE
            length = b - a
            if length >= 3 and (first | 32) == 101 and data[a + 1] == 46 and (data[a + 2] | 32) == 103:
                k, w = FUNC, EG  # e.g.
            elif length >= 3 and (first | 32) == 105 and data[a + 1] == 46 and (data[a + 2] | 32) == 101:
                k, w = FUNC, NONE  # i.e.
            elif (first | 32) == 115 and length == 1:
                k = QUANT  # the s of a possessive
            elif first >= 128 or 65 <= first < 91:
                flags[n] = CAPITAL
            kind[n], word[n] = k, w
        else:
            if first == 44:
                k = COMMA
            elif first == 59:
                k = SEMI
            elif first == 58:
                k = COLON
            elif first == 40:
                k = LEFT
            elif first == 41:
                k = RIGHT
            elif first == 46 or first == 33 or first == 63:
                k = STOP
            elif first == 34 or first == 39 or first == 96:
                continue  # quotation marks are looked through
            elif first == 0xE2 and b - a == 3 and data[a + 1] == 0x80:
                third = data[a + 2]
                if 0x98 <= third <= 0x9F:
                    continue
                k = DASH if 0x90 <= third <= 0x95 else SIGN
            elif first == 45:
                k = DASH
            else:
                k = SIGN
            kind[n] = k
        start[n], stop[n] = a, b
        n += 1
    while s < len(sent_starts):
        borders[s] = n
        s += 1
    borders[s] = n
    kind[n] = END
    start[n] = stop[n] = 0
    return kind[: n + 1], word[: n + 1], flags[: n + 1], form[: n + 1], start[: n + 1], stop[: n + 1], borders


@njit(cache=True, nogil=True, inline="always")
def _ends(arena, start, length, a, b, c):
    """Whether a form ends with two or three letters (a is 0 for two)."""
    if length < 3 or arena[start + length - 1] != c or arena[start + length - 2] != b:
        return False
    return a == 0 or arena[start + length - 3] == a


@njit(cache=True, nogil=True)
def classify_by_ending(arena, starts, lengths):
    """Class and flags of forms that no list knows; entry 0 stands for no form. Twin of `lexicon.by_ending`."""
    kinds = np.full(len(starts) + 1, NOUN, dtype=np.uint8)
    flags = np.zeros(len(starts) + 1, dtype=np.uint8)
    for f in range(len(starts)):
        s, n = starts[f], lengths[f]
        if n < 4:
            continue
        last, before = arena[s + n - 1], arena[s + n - 2]
        if last == 115 and before != 115 and before != 117 and before != 105:
            flags[f + 1] |= PLURAL  # not -ss, -us, -is
        elif n > 4 and _ends(arena, s, n, 101, 115, 116):
            flags[f + 1] |= SUPERLATIVE
        if n > 4 and _ends(arena, s, n, 0, 108, 121):
            kinds[f + 1] = ADV
        elif n > 5 and (_ends(arena, s, n, 0, 101, 100) or _ends(arena, s, n, 105, 110, 103)):
            kinds[f + 1] = PART
        elif n > 5 and (
            _ends(arena, s, n, 111, 117, 115)
            or _ends(arena, s, n, 102, 117, 108)
            or (_ends(arena, s, n, 101, 115, 115) and arena[s + n - 4] == 108)
            or (_ends(arena, s, n, 98, 108, 101) and (arena[s + n - 4] == 97 or arena[s + n - 4] == 105))
        ):
            kinds[f + 1] = ADJ
    return kinds, np.zeros(len(starts) + 1, dtype=np.uint8), flags
