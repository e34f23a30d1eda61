"""Compiled reading of noun phrases and lists of them in a row of classed items, leftwards and rightwards.

A phrase is at most `_LONGEST` items long, a list has at most `LIST` phrases: every call takes bounded time.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.patterns._kernels.codes import (
    ADJ,
    ADV,
    BE,
    CAPITAL,
    COLON,
    COMMA,
    CONJ,
    END,
    ESPECIALLY,
    FOR,
    INCLUDING,
    LEFT,
    NOUN,
    NUM,
    OF,
    ONE,
    OTHER,
    OTHER_WORD,
    PART,
    PLURAL,
    PREP,
    QUANT,
    RIGHT,
    SEMI,
    STOP,
    SUCH,
    TERM,
    THE,
    UNWRAP,
    VERB,
    A,
)  # fmt: skip

_LONGEST = 7
LIST = 24
_ASIDE = 60


@njit(cache=True, nogil=True, inline="always")
def in_phrase(k):
    return k == NOUN or k == ADJ or k == PART or k == OTHER_WORD


@njit(cache=True, nogil=True)
def _trim(kind, s, e):
    """The phrase s..e cut to end with its last noun; (s, s) when no word of it can be a head."""
    last = e
    while last > s and kind[last - 1] != NOUN:
        last -= 1
    if last > s:
        return s, last
    # "colours such as red", "a regular quadrilateral": nothing but adjectives or an -ing form
    if e - s == 1 and (kind[s] == ADJ or kind[s] == PART):
        return s, e
    if e > s and kind[e - 1] == ADJ and kind[s - 1] == A:
        return s, e
    return s, s


@njit(cache=True, nogil=True)
def right(kind, word, flags, i, end):
    """The noun phrase that begins at i, after its determiners: (first, past the head, next item); empty if none."""
    limit = min(end, i + 5)
    while i < limit and (
        kind[i] == A or kind[i] == THE or kind[i] == QUANT or kind[i] == NUM or (kind[i] == ADV and i + 1 < end)
    ):
        i += 1
    s = i
    limit = min(end, s + _LONGEST)
    while i < limit:
        k = kind[i]
        if k == ADV and i + 1 < end and (kind[i + 1] == ADJ or kind[i + 1] == PART) and i > s:
            i += 1
            continue
        if k == COMMA and i > s and i + 1 < end and kind[i - 1] == ADJ and (kind[i + 1] == ADJ or kind[i + 1] == PART):
            j = i + 2  # "a large, fast cat", not "red, green and blue"
            if j < end and (in_phrase(kind[j]) or kind[j] == COMMA):
                i += 1
                continue
        if not in_phrase(k):
            break
        plural = i > s and kind[i - 1] == NOUN and (flags[i - 1] & (PLURAL | CAPITAL)) == PLURAL
        if plural and k == NOUN and (flags[i] & (PLURAL | CAPITAL)) == 0:
            break  # "horses need": a plural ends its phrase
        if k == PART and i > s:
            after = kind[i + 1] if i + 1 < end else END
            if not in_phrase(after):
                break
        i += 1
    s, e = _trim(kind, s, i)
    while s < e and kind[s] == OTHER_WORD:
        s += 1
    return s, e, i


@njit(cache=True, nogil=True)
def left(kind, word, flags, i, begin):
    """The noun phrase that ends with item i: (first, past the head); empty if none."""
    if i < begin or not in_phrase(kind[i]) or kind[i] == OTHER_WORD:
        return i, i
    e = i + 1
    s = i
    while s > begin and e - s < _LONGEST and in_phrase(kind[s - 1]):
        if kind[s - 1] == PART and s - 1 > begin and (kind[s - 2] == NOUN or kind[s - 2] == BE):
            break  # "the man eating fish": a verb
        s -= 1
    while s < e and kind[s] == OTHER_WORD:
        s += 1
    if kind[e - 1] == NOUN or (e - s == 1 and begin < s):
        return s, e
    return e, e


@njit(cache=True, nogil=True)
def mates(kind, begin, end, mate, stack):
    """mate[i] of a bracket that closes within the sentence; -1 for every other item."""
    depth = 0
    for i in range(begin, end):
        mate[i] = -1
        if kind[i] == LEFT:
            if depth < len(stack):
                stack[depth] = i
            depth += 1
        elif kind[i] == RIGHT and depth > 0:
            depth -= 1
            if depth < len(stack) and i - stack[depth] <= _ASIDE:
                mate[i] = stack[depth]
                mate[stack[depth]] = i


@njit(cache=True, nogil=True)
def over_left(kind, mate, i, begin):
    """Skip a parenthesis that ends at i."""
    if i >= begin and kind[i] == RIGHT and mate[i] >= begin:
        return mate[i] - 1
    return i


@njit(cache=True, nogil=True)
def list_right(kind, word, flags, mate, i, end, found):
    """Noun phrases of a list that begins at i; returns their number and the item after the list."""
    n = 0
    last = False
    while i < end and n < LIST:
        s, e, after = right(kind, word, flags, i, end)
        if s >= e:
            break
        # what belongs to the noun phrase: "the bank of England", "foxes (Vulpes)"
        while after < end:
            if word[after] == OF and kind[after] == PREP:
                s2, e2, after2 = right(kind, word, flags, after + 1, end)
                if s2 >= e2:
                    break
                after = after2
            elif kind[after] == LEFT and mate[after] >= 0:
                after = mate[after] + 1
            else:
                break
        following = kind[after] if after < end else END
        if (
            n > 0
            and not last
            and not (
                following == COMMA
                or following == CONJ
                or following == END
                or following == STOP
                or following == RIGHT
                or following == SEMI
                or following == COLON
            )
        ):
            break  # the comma before did not belong to the list
        found[n, 0], found[n, 1] = s, e
        n += 1
        i = after
        if last:
            break
        if following == COMMA:
            i = after + 1
            if i < end and kind[i] == CONJ:
                i += 1
                last = True
        elif following == CONJ:
            i = after + 1
            last = True
        else:
            break
        if i < end and (word[i] == OTHER or word[i] == ESPECIALLY or word[i] == INCLUDING or word[i] == SUCH):
            break
    return n, i


@njit(cache=True, nogil=True)
def skip_determiners(kind, s, begin):
    while s > begin and (kind[s - 1] == A or kind[s - 1] == THE or kind[s - 1] == QUANT or kind[s - 1] == NUM):
        s -= 1
    return s


@njit(cache=True, nogil=True)
def list_left(kind, word, flags, mate, i, begin, found):
    """Noun phrases of a list that ends at i, last first."""
    n = 0
    while i >= begin and n < LIST:
        i = over_left(kind, mate, i, begin)
        s, e = left(kind, word, flags, i, begin)
        if s >= e:
            break
        before = skip_determiners(kind, s, begin)
        if before > begin and kind[before - 1] == PREP:
            if n > 0 and (before - 1 == begin or kind[before - 2] == COMMA):
                break  # "In Africa, dogs and other animals"
            if word[before - 1] == OF:
                # "the bank of England, ...": the head stands before
                s2, e2 = left(kind, word, flags, before - 2, begin)
                if s2 < e2 and n > 0:
                    s, e = s2, e2
                    before = skip_determiners(kind, s, begin)
        found[n, 0], found[n, 1] = s, e
        n += 1
        if before - 1 > begin and (kind[before - 1] == COMMA or (kind[before - 1] == CONJ and n == 1)):
            i = before - 2
            if kind[before - 1] == CONJ and kind[i] == COMMA:
                i -= 1
        else:
            break
    return n


@njit(cache=True, nogil=True)
def unwrap(kind, word, flags, s, e, after, end):
    """ "a kind of dog": the noun phrase after *of*, again and again; (first, past the head, next, unwrapped?)."""
    unwrapped = False
    for _ in range(3):
        if after >= end or after != e:
            break
        of = word[after] == OF and (word[e - 1] == UNWRAP or word[e - 1] == ONE)
        if not of and not (word[after] == FOR and word[e - 1] == TERM):
            break
        s2, e2, after2 = right(kind, word, flags, after + 1, end)
        if s2 >= e2:
            break
        s, e, after = s2, e2, after2
        unwrapped = True
    return s, e, after, unwrapped


@njit(cache=True, nogil=True)
def subject(kind, word, flags, mate, i, begin):
    """The noun phrase before a verb at i + 1: (first, past the head, first item with its determiners)."""
    i = over_left(kind, mate, i, begin)
    if i > begin and kind[i] == NUM and kind[i - 1] == NOUN and (flags[i - 1] & CAPITAL) != 0:
        i -= 1  # State Highway 130
    if i >= begin and kind[i] == COMMA:
        # "The poodle, called Pudel in German, is ...": back over one insertion to a phrase that opens the sentence
        j = i - 1
        while j > begin and i - j < 20 and kind[j] != COMMA:
            j -= 1
        if j <= begin or kind[j] != COMMA:
            return i, i, i
        i = over_left(kind, mate, j - 1, begin)
        s, e = left(kind, word, flags, i, begin)
        if s < e and skip_determiners(kind, s, begin) == begin:
            return s, e, begin
        return i, i, i
    s, e = left(kind, word, flags, i, begin)
    if s >= e:
        return s, s, s
    first = skip_determiners(kind, s, begin)
    for _ in range(3):
        if first > begin and word[first - 1] == OF:
            s, e = left(kind, word, flags, first - 2, begin)
            if s >= e:
                return s, s, s
            first = skip_determiners(kind, s, begin)
    if first > begin and (kind[first - 1] == PREP or kind[first - 1] == VERB or kind[first - 1] == BE):
        return s, s, s
    return s, e, first


WORDS = 4
"""A term has at most this many words; of longer noun phrases the last ones count."""


@njit(cache=True, nogil=True)
def phrases(found, kind, form, start, stop, sent_starts, column):
    """Of each match one of its noun phrases: its forms (head last, zeros before), and in bytes of the sentence where
    the phrase and its head begin and both end."""
    out = np.zeros((len(found), WORDS), dtype=np.uint32)
    spans = np.empty((len(found), 3), dtype=np.int32)
    for m in range(len(found)):
        s, e = found[m, column], found[m, column + 1]
        first = e
        while first > s and e - first < WORDS and form[first - 1] != 0 and kind[first - 1] != ADV:
            first -= 1
        for j in range(first, e):
            out[m, WORDS - (e - j)] = form[j]
        zero = sent_starts[found[m, 5]]
        spans[m, 0], spans[m, 1], spans[m, 2] = start[first] - zero, start[e - 1] - zero, stop[e - 1] - zero
    return out, spans


@njit(cache=True, nogil=True)
def push(out, n, hyponym_first, hyponym_end, hypernym_first, hypernym_end, pattern, sentence):
    """Add a match to the first n rows of `out`, which grows when it is full."""
    if n == len(out):
        bigger = np.empty((2 * len(out), 6), dtype=np.int32)
        bigger[:n] = out
        out = bigger
    out[n, 0], out[n, 1], out[n, 2], out[n, 3] = hyponym_first, hyponym_end, hypernym_first, hypernym_end
    out[n, 4], out[n, 5] = pattern, sentence
    return out, n + 1


@njit(cache=True, nogil=True, inline="always")
def proper(flags, e, begin):
    """Whether the head at e - 1 is a name: a capital that does not open the sentence."""
    return (flags[e - 1] & CAPITAL) != 0 and e - 1 > begin
