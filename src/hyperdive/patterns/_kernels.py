"""Compiled search for statements such as "dogs such as poodles" in tokenised sentences.

A sentence is a row of *items*: words and signs, each with a class (`items`). Around a trigger word a noun phrase is
read leftwards or rightwards, at most `_NP` items long, and lists of at most `_LIST` noun phrases; so the work at every
trigger is bounded, and the whole is linear in the length of the text.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# ---- classes of items -----------------------------------------------------------------------------------------
END, NOUN, ADJ, PART, VERB, ADV, A, THE, QUANT, PREP, PRON, CONJ, BE, REL, NUM, OTHER_WORD, FUNC = range(17)
COMMA, SEMI, COLON, LEFT, RIGHT, DASH, STOP, SIGN = range(17, 25)

# ---- words that patterns hang on ------------------------------------------------------------------------------
(
    NONE, SUCH, AS, INCLUDING, INCLUDE, ESPECIALLY, OTHER, LIKE, FOR, EXAMPLE, NAMELY, CALLED, KNOWN, OF, ONE, UNWRAP,
    MOST, WHICH, EG, SIMILAR, ALSO, NOUN_MARK, CONSIDERED, VERBS_OF_SEEMING, NOT, TERM, EMPTY,
) = range(27)  # fmt: skip

# ---- patterns, in the order of `hyperdive.patterns.table` -------------------------------------------------------
(
    SUCH_AS, SUCH_Y_AS, INCLUDING_P, ESPECIALLY_P, AND_OTHER, LIKE_P, FOR_EXAMPLE, CALLED_P, IS_A, KIND_OF, ARE,
    IS_THE_MOST, IS_THE, WHICH_IS, APPOSITION, TYPES_ARE, INCLUDE_P, GLOSSARY,
) = range(18)  # fmt: skip

PLURAL, CAPITAL, SUPERLATIVE = 1, 2, 4

_NP = 7
_LIST = 24
_ASIDE = 60


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
            if 65 <= first < 91:
                g |= CAPITAL
                begins = s > 0 and borders[s - 1] == n
                if not begins and (k == ADJ or k == PART or k == VERB or k == ADV):
                    k = np.uint8(NOUN)
            if (k == VERB or k == ADV) and n > 0 and w == NONE:
                before = kind[n - 1]
                if before == A or (before == PREP and word[n - 1] == OF) or (before == THE and k == VERB):
                    k = np.uint8(NOUN)  # "the walks of life"
            if n > 0 and a == stop[n - 1] + 1 and data[a - 1] == 45:  # joined by a hyphen: "student-run"
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
            if not _ends(arena, s, n, 105, 99, 115):
                flags[f + 1] |= PLURAL  # not -ss, -us, -is, -ics
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


# ---- noun phrases ---------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, inline="always")
def _in_phrase(k):
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
def _right(kind, word, flags, i, end):
    """The noun phrase that begins at i, after its determiners: (first, past the head, next item); empty if none."""
    limit = min(end, i + 5)
    while i < limit and (
        kind[i] == A or kind[i] == THE or kind[i] == QUANT or kind[i] == NUM or (kind[i] == ADV and i + 1 < end)
    ):
        i += 1
    s = i
    limit = min(end, s + _NP)
    while i < limit:
        k = kind[i]
        if k == ADV and i + 1 < end and (kind[i + 1] == ADJ or kind[i + 1] == PART) and i > s:
            i += 1
            continue
        if k == COMMA and i > s and i + 1 < end and kind[i - 1] == ADJ and (kind[i + 1] == ADJ or kind[i + 1] == PART):
            j = i + 2  # "a large, fast cat", not "red, green and blue"
            if j < end and (_in_phrase(kind[j]) or kind[j] == COMMA):
                i += 1
                continue
        if not _in_phrase(k):
            break
        if k == PART and i > s:
            after = kind[i + 1] if i + 1 < end else END
            if not _in_phrase(after):
                break
        i += 1
    s, e = _trim(kind, s, i)
    while s < e and kind[s] == OTHER_WORD:
        s += 1
    return s, e, i


@njit(cache=True, nogil=True)
def _left(kind, word, flags, i, begin):
    """The noun phrase that ends with item i: (first, past the head); empty if none."""
    if i < begin or not _in_phrase(kind[i]) or kind[i] == OTHER_WORD:
        return i, i
    e = i + 1
    s = i
    while s > begin and i - s < _NP and _in_phrase(kind[s - 1]):
        if kind[s - 1] == PART and s - 1 > begin and (kind[s - 2] == NOUN or kind[s - 2] == BE):
            break  # "the man eating fish": a verb
        s -= 1
    while s < e and kind[s] == OTHER_WORD:
        s += 1
    if kind[e - 1] == NOUN or (e - s == 1 and begin < s):
        return s, e
    return e, e


@njit(cache=True, nogil=True)
def _mates(kind, begin, end, mate, stack):
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
def _over_left(kind, mate, i, begin):
    """Skip a parenthesis that ends at i."""
    if i >= begin and kind[i] == RIGHT and mate[i] >= begin:
        return mate[i] - 1
    return i


@njit(cache=True, nogil=True)
def _list_right(kind, word, flags, mate, i, end, found):
    """Noun phrases of a list that begins at i; returns their number and the item after the list."""
    n = 0
    last = False
    while i < end and n < _LIST:
        s, e, after = _right(kind, word, flags, i, end)
        if s >= e:
            break
        # what belongs to the noun phrase: "the bank of England", "foxes (Vulpes)"
        while after < end:
            if word[after] == OF and kind[after] == PREP:
                s2, e2, after2 = _right(kind, word, flags, after + 1, end)
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
def _skip_determiners(kind, s, begin):
    while s > begin and (kind[s - 1] == A or kind[s - 1] == THE or kind[s - 1] == QUANT or kind[s - 1] == NUM):
        s -= 1
    return s


@njit(cache=True, nogil=True)
def _list_left(kind, word, flags, mate, i, begin, found):
    """Noun phrases of a list that ends at i, last first."""
    n = 0
    while i >= begin and n < _LIST:
        i = _over_left(kind, mate, i, begin)
        s, e = _left(kind, word, flags, i, begin)
        if s >= e:
            break
        before = _skip_determiners(kind, s, begin)
        if before > begin and kind[before - 1] == PREP:
            if n > 0 and (before - 1 == begin or kind[before - 2] == COMMA):
                break  # "In Africa, dogs and other animals"
            if word[before - 1] == OF:
                # "the bank of England, ...": the head stands before
                s2, e2 = _left(kind, word, flags, before - 2, begin)
                if s2 < e2 and n > 0:
                    s, e = s2, e2
                    before = _skip_determiners(kind, s, begin)
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
def _unwrap(kind, word, flags, s, e, after, end):
    """ "a kind of dog": the noun phrase after *of*, again and again; (first, past the head, next, unwrapped?)."""
    unwrapped = False
    for _ in range(3):
        if after >= end or after != e:
            break
        of = word[after] == OF and (word[e - 1] == UNWRAP or word[e - 1] == ONE)
        if not of and not (word[after] == FOR and word[e - 1] == TERM):
            break
        s2, e2, after2 = _right(kind, word, flags, after + 1, end)
        if s2 >= e2:
            break
        s, e, after = s2, e2, after2
        unwrapped = True
    return s, e, after, unwrapped


@njit(cache=True, nogil=True)
def _subject(kind, word, flags, mate, i, begin):
    """The noun phrase before a verb at i + 1: (first, past the head, first item with its determiners)."""
    i = _over_left(kind, mate, i, begin)
    if i > begin and kind[i] == NUM and kind[i - 1] == NOUN and (flags[i - 1] & CAPITAL) != 0:
        i -= 1  # State Highway 130
    if i >= begin and kind[i] == COMMA:
        # "The poodle, called Pudel in German, is ...": back over one insertion to a phrase that opens the sentence
        j = i - 1
        while j > begin and i - j < 20 and kind[j] != COMMA:
            j -= 1
        if j <= begin or kind[j] != COMMA:
            return i, i, i
        i = _over_left(kind, mate, j - 1, begin)
        s, e = _left(kind, word, flags, i, begin)
        if s < e and _skip_determiners(kind, s, begin) == begin:
            return s, e, begin
        return i, i, i
    s, e = _left(kind, word, flags, i, begin)
    if s >= e:
        return s, s, s
    first = _skip_determiners(kind, s, begin)
    for _ in range(3):
        if first > begin and word[first - 1] == OF:
            s, e = _left(kind, word, flags, first - 2, begin)
            if s >= e:
                return s, s, s
            first = _skip_determiners(kind, s, begin)
    if first > begin and (kind[first - 1] == PREP or kind[first - 1] == VERB or kind[first - 1] == BE):
        return s, s, s
    return s, e, first


# ---- matches --------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _push(out, n, hypo_s, hypo_e, hyper_s, hyper_e, pattern, sentence):
    if n == len(out):
        bigger = np.empty((2 * len(out), 6), dtype=np.int32)
        bigger[:n] = out
        out = bigger
    out[n, 0], out[n, 1], out[n, 2], out[n, 3] = hypo_s, hypo_e, hyper_s, hyper_e
    out[n, 4], out[n, 5] = pattern, sentence
    return out, n + 1


@njit(cache=True, nogil=True, inline="always")
def _proper(flags, e, begin):
    """Whether the head at e - 1 is a name: a capital that does not open the sentence."""
    return (flags[e - 1] & CAPITAL) != 0 and e - 1 > begin


@njit(cache=True, nogil=True)
def _before_trigger(kind, word, flags, mate, i, begin):
    """The noun phrase before a trigger at i, over a comma or an opening bracket: (first, past the head)."""
    j = i - 1
    if j >= begin and (kind[j] == LEFT or kind[j] == DASH):
        j -= 1
    elif j >= begin and kind[j] == COMMA:
        j -= 1
    j = _over_left(kind, mate, j, begin)
    return _left(kind, word, flags, j, begin)


@njit(cache=True, nogil=True)
def match(kind, word, flags, form, borders):
    """All matches of all sentences: rows (hypo first, past, hyper first, past, pattern, sentence) of item numbers."""
    out = np.empty((1024, 6), dtype=np.int32)
    n = 0
    found = np.empty((_LIST, 2), dtype=np.int32)
    mate = np.full(len(kind) + 1, -1, dtype=np.int32)
    stack = np.empty(16, dtype=np.int32)
    for sentence in range(len(borders) - 1):
        begin, end = borders[sentence], borders[sentence + 1]
        if end - begin < 3:
            continue
        _mates(kind, begin, end, mate, stack)
        out, n = _glossary(kind, word, flags, mate, begin, end, out, n, sentence)
        for i in range(begin, end):
            w = word[i]
            pattern = -1
            if w == NONE:
                if kind[i] == BE:
                    out, n = _is(kind, word, flags, form, mate, i, begin, end, out, n, sentence, found)
                elif kind[i] == COLON:
                    out, n = _types(kind, word, flags, mate, i, begin, end, out, n, sentence, found)
                elif kind[i] == A and i > begin:
                    out, n = _apposition(kind, word, flags, mate, i, begin, end, out, n, sentence)
                continue
            after = i + 1
            if w == SUCH:
                if i + 1 < end and word[i + 1] == AS:
                    pattern, after = SUCH_AS, i + 2
                else:
                    s, e, at = _right(kind, word, flags, i + 1, end)
                    if s < e and at < end and word[at] == AS and at == e:
                        count, _ = _list_right(kind, word, flags, mate, at + 1, end, found)
                        for j in range(count):
                            out, n = _push(out, n, found[j, 0], found[j, 1], s, e, SUCH_Y_AS, sentence)
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
                out, n = _types(kind, word, flags, mate, i, begin, end, out, n, sentence, found)
                continue
            elif kind[i] == BE:
                out, n = _is(kind, word, flags, form, mate, i, begin, end, out, n, sentence, found)
                continue
            if pattern < 0:
                continue
            if pattern != SUCH_AS and after < end and kind[after] == COMMA:
                after += 1
            s, e = _before_trigger(kind, word, flags, mate, i, begin)
            if s >= e or _proper(flags, e, begin):
                continue
            if (pattern == ESPECIALLY_P or pattern == LIKE_P or pattern == INCLUDING_P or pattern == FOR_EXAMPLE) and (
                flags[e - 1] & PLURAL
            ) == 0:
                continue
            if pattern == LIKE_P:
                first = _skip_determiners(kind, s, begin)
                if first == begin or kind[first - 1] == COMMA or kind[first - 1] == CONJ:
                    continue  # "people like dogs": a verb
            count, _ = _list_right(kind, word, flags, mate, after, end, found)
            for j in range(count):
                out, n = _push(out, n, found[j, 0], found[j, 1], s, e, pattern, sentence)
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
    s, e, at = _right(kind, word, flags, i + 1, end)
    if s >= e or kind[e - 1] != NOUN or _proper(flags, e, begin):
        return out, n
    if at == e and at < end and word[at] == OF and word[e - 1] == UNWRAP:
        s, e, at, _ = _unwrap(kind, word, flags, s, e, at, end)
    j -= 1
    if j >= begin and kind[j] == COMMA:
        j -= 1
    count = _list_left(kind, word, flags, mate, j, begin, found)
    for x in range(count):
        out, n = _push(out, n, found[x, 0], found[x, 1], s, e, AND_OTHER, sentence)
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
    s, e = _left(kind, word, flags, i - 1, begin)
    if s >= e or _proper(flags, e, begin):
        return out, n
    first = _skip_determiners(kind, s, begin)
    one = first < s and kind[first] == A
    if first > begin and word[first - 1] == OF and word[first - 2] == UNWRAP:
        one = True  # a type of bread called naan
    if not one and (flags[e - 1] & PLURAL) == 0:
        return out, n
    s2, e2, at = _right(kind, word, flags, after, end)
    if s2 >= e2:
        return out, n
    return _push(out, n, s2, e2, s, e, CALLED_P, sentence)


@njit(cache=True, nogil=True)
def _types(kind, word, flags, mate, i, begin, end, out, n, sentence, found):
    """Types of Y include X, X; Ys include X."""
    j = _over_left(kind, mate, i - 1, begin)
    s, e = _left(kind, word, flags, j, begin)
    if s >= e or (flags[e - 1] & PLURAL) == 0 and not (s - 1 > begin and word[s - 1] == OF):
        return out, n
    if _proper(flags, e, begin):
        return out, n
    first = _skip_determiners(kind, s, begin)
    pattern = INCLUDE_P
    if first - 2 >= begin and word[first - 1] == OF:
        if word[first - 2] != UNWRAP and word[first - 2] != EXAMPLE:
            return out, n
        pattern = TYPES_ARE
    elif word[i] != INCLUDE or (first != begin and kind[first - 1] != COMMA and kind[first - 1] != CONJ):
        return out, n
    elif word[e - 1] == EXAMPLE or word[e - 1] == UNWRAP:
        return out, n
    after = i + 1
    if after < end and kind[after] == COLON:
        after += 1
    count, _ = _list_right(kind, word, flags, mate, after, end, found)
    for x in range(count):
        out, n = _push(out, n, found[x, 0], found[x, 1], s, e, pattern, sentence)
    return out, n


@njit(cache=True, nogil=True)
def _apposition(kind, word, flags, mate, i, begin, end, out, n, sentence):
    """X, a Y, ... and X (a Y)."""
    opener = kind[i - 1]
    if opener != COMMA and opener != LEFT:
        return out, n
    j = i - 2
    if opener == COMMA:
        j = _over_left(kind, mate, j, begin)
    s2, e2 = _left(kind, word, flags, j, begin)
    if s2 >= e2:
        return out, n
    first = _skip_determiners(kind, s2, begin)
    if first < s2 and kind[first] == A:
        return out, n  # "a dog, a cat": a list
    if opener == COMMA and (flags[e2 - 1] & CAPITAL) == 0 and first > begin and kind[first - 1] == PREP:
        return out, n  # "in winter, a fox ..."
    if opener == COMMA and first == begin + 1 and kind[begin] == PREP:
        return out, n
    s, e, at = _right(kind, word, flags, i, end)
    if s >= e or kind[e - 1] != NOUN or _proper(flags, e, begin):
        return out, n
    pattern = APPOSITION
    s, e, at, unwrapped = _unwrap(kind, word, flags, s, e, at, end)
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
        if following == COMMA or following == STOP or following == END:
            if (flags[e2 - 1] & CAPITAL) == 0 and not unwrapped and first > begin and kind[first - 1] == COMMA:
                return out, n
    return _push(out, n, s2, e2, s, e, pattern, sentence)


@njit(cache=True, nogil=True)
def _is(kind, word, flags, form, mate, i, begin, end, out, n, sentence, found):
    """X is a Y, X is a kind of Y, X is the most ... Y, Xs are Ys, ..., which is a Y; and types of Y are X, X."""
    at = i + 1
    if at >= end or i == begin:
        return out, n
    while at < end and at < i + 3 and kind[at] == ADV and word[at] != NOT:
        at += 1
    if at < end and word[at] == CONSIDERED:
        at += 1
        if at < end and word[at] == AS:
            at += 1
    if at >= end or word[at] == NOT:
        return out, n
    article = kind[at]
    many = flags[i] & PLURAL  # are, were
    one_of = word[at] == ONE and at + 1 < end and word[at + 1] == OF
    if not (
        article == A
        or article == THE
        or one_of
        or (many and (article == NOUN or article == ADJ or article == PART or article == QUANT))
    ):
        return out, n
    superlative = False
    if article == THE:
        for j in range(at + 1, min(end, at + 4)):
            if word[j] == MOST or (flags[j] & SUPERLATIVE) != 0:
                superlative = True
    s, e, after = _right(kind, word, flags, at, end)
    if one_of:
        s, e, after = _right(kind, word, flags, at + 2, end)
    if s >= e or (kind[e - 1] != NOUN and article != A) or _proper(flags, e, begin):
        return out, n
    s, e, after, unwrapped = _unwrap(kind, word, flags, s, e, after, end)
    if kind[e - 1] != NOUN and article != A:
        return out, n
    if (word[e - 1] == UNWRAP and after < end and word[after] == OF) or word[e - 1] == EMPTY:
        return out, n
    # the subject
    j = i - 1
    pattern = IS_A
    if kind[j] == REL and word[j] == WHICH:
        j -= 1
        if j >= begin and kind[j] == COMMA:
            j -= 1
        j = _over_left(kind, mate, j, begin)
        s2, e2 = _left(kind, word, flags, j, begin)
        if s2 >= e2:
            return out, n
        pattern = WHICH_IS
        return _push(out, n, s2, e2, s, e, pattern, sentence)
    s2, e2, first = _subject(kind, word, flags, mate, j, begin)
    if s2 >= e2:
        return out, n
    if many:
        # types of Y are X, X and X
        if word[e2 - 1] == UNWRAP or word[e2 - 1] == EXAMPLE:
            return _types(kind, word, flags, mate, i, begin, end, out, n, sentence, found)
        if article != A and not one_of and not unwrapped:
            if (flags[e - 1] & PLURAL) == 0 or (flags[e2 - 1] & PLURAL) == 0 and kind[first - 1] != CONJ:
                return out, n
            if kind[at] == PART and at == s and e - s == 1:
                return out, n
        pattern = ARE
        if unwrapped:
            pattern = KIND_OF
        j = _over_left(kind, mate, i - 1, begin)
        count = 1
        found[0, 0], found[0, 1] = s2, e2
        if first > begin and kind[first - 1] == CONJ:
            count = _list_left(kind, word, flags, mate, j, begin, found)
        elif first > begin and kind[first - 1] != COMMA and kind[first - 1] != REL and kind[first - 1] != FUNC:
            return out, n
        for x in range(count):
            out, n = _push(out, n, found[x, 0], found[x, 1], s, e, pattern, sentence)
        return out, n
    if word[e2 - 1] == UNWRAP and first < s2 and kind[first] == THE and article == THE:
        return out, n
    if unwrapped and not one_of:
        pattern = KIND_OF
    elif one_of:
        pattern = IS_THE_MOST
    elif article == THE:
        pattern = IS_THE_MOST if superlative else IS_THE
    return _push(out, n, s2, e2, s, e, pattern, sentence)


@njit(cache=True, nogil=True)
def _glossary(kind, word, flags, mate, begin, end, out, n, sentence):
    """X, n. A kind of Y; X: a kind of Y; at the beginning of a sentence, or after a sentence that is only X, n."""
    i = begin
    while i < min(end, begin + 5) and (_in_phrase(kind[i]) or kind[i] == VERB or kind[i] == ADV):
        i += 1
    if i == begin or i + 2 >= end:
        return out, n
    s2, e2 = begin, i
    if kind[i] == COMMA and word[i + 1] == NOUN_MARK:
        i += 2
        while i < end and (kind[i] == STOP or kind[i] == COLON or kind[i] == DASH):
            i += 1
        if i >= end:
            return out, n
    elif kind[i] == COLON or kind[i] == DASH:
        i += 1
        if kind[i] != A and not (kind[i] == THE or word[i] == ONE):
            return out, n
    else:
        return out, n
    s, e, after = _right(kind, word, flags, i, end)
    if word[i] == ONE and i + 1 < end and word[i + 1] == OF:
        s, e, after = _right(kind, word, flags, i + 2, end)
    if s >= e or kind[e - 1] != NOUN:
        return out, n
    s, e, after, _ = _unwrap(kind, word, flags, s, e, after, end)
    if word[e - 1] == UNWRAP and after < end and word[after] == OF:
        return out, n
    return _push(out, n, s2, e2, s, e, GLOSSARY, sentence)


WORDS = 4
"""A term has at most this many words; of longer noun phrases the last ones count."""


@njit(cache=True, nogil=True)
def phrases(found, kind, form, start, stop, sent_starts, columns):
    """Of each match the forms of one of its noun phrases (head last, zeros before) and its bytes in the sentence."""
    out = np.zeros((len(found), WORDS), dtype=np.uint32)
    spans = np.empty((len(found), 2), dtype=np.int32)
    for m in range(len(found)):
        s, e = found[m, columns], found[m, columns + 1]
        first = e
        while first > s and e - first < WORDS and form[first - 1] != 0 and kind[first - 1] != ADV:
            first -= 1
        for j in range(first, e):
            out[m, WORDS - (e - j)] = form[j]
        zero = sent_starts[found[m, 5]]
        spans[m, 0], spans[m, 1] = start[first] - zero, stop[e - 1] - zero
    return out, spans
