"""Compiled search for statements such as "dogs such as poodles" in tokenised sentences.

A sentence is a row of *items*: words and signs, each with a class (`_items`). Around a trigger word noun phrases and
lists of them are read, all of bounded length (`_phrases`; `_copulas` for *is* and *are*); so the work at every
trigger is bounded, and the whole is linear in the length of the text.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.patterns._kernels.codes import (
    AND_OTHER,
    APPOSITION,
    AS,
    BE,
    BRACKETS,
    CALLED,
    CALLED_P,
    CAPITAL,
    COLON,
    COMMA,
    CONJ,
    DASH,
    EG,
    END,
    ESPECIALLY,
    ESPECIALLY_P,
    EXAMPLE,
    FOR,
    FOR_EXAMPLE,
    FUNC,
    INCLUDE,
    INCLUDING,
    INCLUDING_P,
    KNOWN,
    LEFT,
    LIKE,
    LIKE_P,
    NAMELY,
    NONE,
    NOUN,
    NUM,
    OF,
    OTHER,
    PART,
    PLURAL,
    PREP,
    PRON,
    QUANT,
    REL,
    RIGHT,
    SEMI,
    SIMILAR,
    STOP,
    SUCH,
    SUCH_AS,
    SUCH_Y_AS,
    UNWRAP,
    A,
)  # fmt: skip
from hyperdive.patterns._kernels.copulas import glossary, is_a, types
from hyperdive.patterns._kernels.phrases import (
    LIST,
    in_phrase,
    left,
    list_left,
    list_right,
    mates,
    over_left,
    proper,
    push,
    right,
    skip_determiners,
    unwrap,
)


@njit(cache=True, nogil=True)
def _before_trigger(kind, word, flags, mate, i, begin):
    """The noun phrase before a trigger at i, over a comma or an opening bracket: (first, past the head)."""
    j = i - 1
    if (j >= begin and (kind[j] == LEFT or kind[j] == DASH)) or (j >= begin and kind[j] == COMMA):
        j -= 1
    j = over_left(kind, mate, j, begin)
    return left(kind, word, flags, j, begin)


@njit(cache=True, nogil=True)
def match(kind, word, flags, form, borders):
    """All matches: rows of item numbers (hyponym first, end, hypernym first, end), then pattern and sentence."""
    out = np.empty((1024, 6), dtype=np.int32)
    n = 0
    found = np.empty((LIST, 2), dtype=np.int32)
    mate = np.full(len(kind) + 1, -1, dtype=np.int32)
    stack = np.empty(16, dtype=np.int32)
    for sentence in range(len(borders) - 1):
        begin, end = borders[sentence], borders[sentence + 1]
        if end - begin < 3:
            continue
        mates(kind, begin, end, mate, stack)
        out, n = glossary(kind, word, flags, mate, begin, end, out, n, sentence)
        for i in range(begin, end):
            w = word[i]
            pattern = -1
            if w == NONE:
                if kind[i] == BE:
                    out, n = is_a(kind, word, flags, form, mate, i, begin, end, out, n, sentence, found)
                elif kind[i] == COLON:
                    out, n = types(kind, word, flags, mate, i, begin, end, out, n, sentence, found)
                elif kind[i] == A and i > begin:
                    out, n = _apposition(kind, word, flags, mate, i, begin, end, out, n, sentence)
                elif kind[i] == LEFT and mate[i] >= 0:
                    out, n = _brackets(kind, word, flags, mate, i, begin, out, n, sentence, found)
                continue
            after = i + 1
            if w == SUCH:
                if i + 1 < end and word[i + 1] == AS:
                    pattern, after = SUCH_AS, i + 2
                else:
                    s, e, at = right(kind, word, flags, i + 1, end)
                    if s < e and at < end and word[at] == AS and at == e:
                        count, _ = list_right(kind, word, flags, mate, at + 1, end, found)
                        for j in range(count):
                            out, n = push(out, n, found[j, 0], found[j, 1], s, e, SUCH_Y_AS, sentence)
                    continue
            elif w == INCLUDING:
                pattern = INCLUDING_P
            elif w == ESPECIALLY:
                if i > begin and (kind[i - 1] == COMMA or kind[i - 1] == LEFT or kind[i - 1] == DASH):
                    pattern = ESPECIALLY_P
                if i + 1 < end and (word[i + 1] == INCLUDING or word[i + 1] == SUCH):
                    continue
            elif w == FOR:
                if i + 1 < end and word[i + 1] == EXAMPLE and i > begin:
                    pattern, after = FOR_EXAMPLE, i + 2
            elif w == NAMELY:
                if i > begin:
                    pattern = FOR_EXAMPLE
            elif w == EG:
                pattern = FOR_EXAMPLE
                if after < end and kind[after] == STOP:
                    after += 1
            elif w == LIKE:
                if i - 1 > begin and kind[i - 1] == NOUN and (flags[i - 1] & PLURAL) != 0:
                    pattern = LIKE_P
            elif w == OTHER or w == SIMILAR:
                out, n = _and_other(kind, word, flags, mate, i, begin, end, out, n, sentence, found)
                continue
            elif w == CALLED or w == KNOWN:
                out, n = _called(kind, word, flags, mate, i, begin, end, out, n, sentence)
                continue
            elif w == INCLUDE:
                out, n = types(kind, word, flags, mate, i, begin, end, out, n, sentence, found)
                continue
            elif kind[i] == BE:
                out, n = is_a(kind, word, flags, form, mate, i, begin, end, out, n, sentence, found)
                continue
            if pattern < 0:
                continue
            if pattern != SUCH_AS and after < end and kind[after] == COMMA:
                after += 1
            s, e = _before_trigger(kind, word, flags, mate, i, begin)
            if s >= e or proper(flags, e, begin):
                continue
            if (pattern == ESPECIALLY_P or pattern == LIKE_P or pattern == INCLUDING_P or pattern == FOR_EXAMPLE) and (
                flags[e - 1] & PLURAL
            ) == 0:
                continue
            if pattern == LIKE_P:
                first = skip_determiners(kind, s, begin)
                if first == begin or kind[first - 1] == COMMA or kind[first - 1] == CONJ:
                    continue  # "people like dogs": a verb
            count, _ = list_right(kind, word, flags, mate, after, end, found)
            for j in range(count):
                out, n = push(out, n, found[j, 0], found[j, 1], s, e, pattern, sentence)
    return out[:n]


@njit(cache=True, nogil=True)
def _and_other(kind, word, flags, mate, i, begin, end, out, n, sentence, found):
    """X, X and other Y."""
    j = i - 1
    limit = max(begin, i - 2)
    while j > limit and kind[j] == QUANT:
        j -= 1
    if j <= begin or kind[j] != CONJ:
        return out, n
    s, e, at = right(kind, word, flags, i + 1, end)
    if s >= e or kind[e - 1] != NOUN or proper(flags, e, begin):
        return out, n
    if at == e and at < end and word[at] == OF and word[e - 1] == UNWRAP:
        s, e, at, _ = unwrap(kind, word, flags, s, e, at, end)
    j -= 1
    if j >= begin and kind[j] == COMMA:
        j -= 1
    count = list_left(kind, word, flags, mate, j, begin, found)
    for x in range(count):
        out, n = push(out, n, found[x, 0], found[x, 1], s, e, AND_OTHER, sentence)
    return out, n


@njit(cache=True, nogil=True)
def _called(kind, word, flags, mate, i, begin, end, out, n, sentence):
    """a Y called X, a Y known as X."""
    after = i + 1
    if word[i] == KNOWN:
        if after >= end or word[after] != AS:
            return out, n
        after += 1
    if i - 1 < begin or kind[i - 1] != NOUN or (after < end and kind[after] == PREP):
        return out, n
    s, e = left(kind, word, flags, i - 1, begin)
    if s >= e or proper(flags, e, begin):
        return out, n
    first = skip_determiners(kind, s, begin)
    one = first < s and kind[first] == A
    if first - 2 >= begin and word[first - 1] == OF and word[first - 2] == UNWRAP:
        one = True  # a type of bread called naan
    if not one and (flags[e - 1] & PLURAL) == 0:
        return out, n
    s2, e2, _at = right(kind, word, flags, after, end)
    if s2 >= e2:
        return out, n
    return push(out, n, s2, e2, s, e, CALLED_P, sentence)


@njit(cache=True, nogil=True)
def _apposition(kind, word, flags, mate, i, begin, end, out, n, sentence):
    """X, a Y, ... and X (a Y)."""
    opener = kind[i - 1]
    if opener != COMMA and opener != LEFT:
        return out, n
    j = i - 2
    if opener == COMMA:
        j = over_left(kind, mate, j, begin)
    s2, e2 = left(kind, word, flags, j, begin)
    if s2 >= e2:
        return out, n
    first = skip_determiners(kind, s2, begin)
    if first < s2 and kind[first] == A:
        return out, n  # "a dog, a cat": a list
    if opener == COMMA and (flags[e2 - 1] & CAPITAL) == 0 and first > begin and kind[first - 1] == PREP:
        return out, n  # "in winter, a fox ..."
    if opener == COMMA and first == begin + 1 and kind[begin] == PREP:
        return out, n
    s, e, at = right(kind, word, flags, i, end)
    if s >= e or kind[e - 1] != NOUN or proper(flags, e, begin):
        return out, n
    pattern = APPOSITION
    s, e, at, unwrapped = unwrap(kind, word, flags, s, e, at, end)
    if proper(flags, e, begin):
        return out, n
    following = kind[at] if at < end else END
    if opener == LEFT:
        if following != RIGHT and following != COMMA and following != PREP and following != SEMI:
            return out, n
    else:
        if not (
            following == COMMA
            or following == STOP
            or following == END
            or following == PREP
            or following == REL
            or following == PART
            or word[at] == CALLED
        ):
            return out, n
        if following == COMMA and at + 1 < end and (kind[at + 1] == CONJ or kind[at + 1] == A):
            return out, n  # a list goes on
        closed = following == COMMA or following == STOP or following == END
        common = (flags[e2 - 1] & CAPITAL) == 0 and not unwrapped
        if closed and common and first > begin and kind[first - 1] == COMMA:
            return out, n
    return push(out, n, s2, e2, s, e, pattern, sentence)


@njit(cache=True, nogil=True)
def _brackets(kind, word, flags, mate, i, begin, out, n, sentence, found):
    """Ys (X, X and X): a plural, and in brackets two places or more, half of them or more a bare noun phrase."""
    close = mate[i]
    if word[i + 1] == EG or word[i + 1] == CALLED or word[i + 1] == KNOWN:
        return out, n  # other patterns
    s, e = left(kind, word, flags, i - 1, begin)
    if s >= e or (flags[e - 1] & PLURAL) == 0 or proper(flags, e, begin):
        return out, n
    count, places, at = 0, 0, i + 1
    while at < close and places < LIST and word[at] != OTHER:
        s2, e2, after = right(kind, word, flags, at, close)
        whole = s2 < e2 and e2 == after and kind[e2 - 1] == NOUN
        if kind[at] == NUM:
            return out, n  # (Smith and Jones, 1998)
        while after < close and kind[after] != COMMA and kind[after] != CONJ:
            k = kind[after]
            last = after + 1 == close or (kind[after + 1] == STOP and after + 2 == close)
            etc = last and (k == FUNC or k == PRON)  # "etc.", "others"
            if not (etc or in_phrase(k) or k == NUM or k == DASH or k == STOP):
                return out, n
            after, whole = after + 1, False  # also "IL-6", "aspirin 20 mg": passed over
        if whole:
            found[count, 0], found[count, 1] = s2, e2
            count += 1
        places += 1
        at = after
        if at < close and kind[at] == COMMA:
            at += 1
        if at < close and kind[at] == CONJ:
            at += 1
    if places < 2 or 2 * count < places:
        return out, n
    for x in range(count):
        out, n = push(out, n, found[x, 0], found[x, 1], s, e, BRACKETS, sentence)
    return out, n
