"""Compiled reading of sentences that say it outright: X is a Y, Xs are Ys, types of Y are X; and of glossaries."""

from __future__ import annotations

from numba import njit

from hyperdive.patterns._kernels.codes import (
    ADJ,
    ADV,
    ARE,
    AS,
    COLON,
    COMMA,
    CONJ,
    CONSIDERED,
    DASH,
    EMPTY,
    EXAMPLE,
    FUNC,
    GLOSSARY,
    INCLUDE,
    INCLUDE_P,
    IS_A,
    IS_THE,
    IS_THE_MOST,
    KIND_OF,
    LABEL,
    MOST,
    NOT,
    NOUN,
    NOUN_MARK,
    OF,
    ONE,
    PART,
    PLURAL,
    QUANT,
    REL,
    STOP,
    SUPERLATIVE,
    THE,
    TYPES_ARE,
    UNWRAP,
    VERB,
    WHICH,
    WHICH_IS,
    A,
)  # fmt: skip
from hyperdive.patterns._kernels.phrases import (
    in_phrase,
    left,
    list_left,
    list_right,
    over_left,
    proper,
    push,
    right,
    skip_determiners,
    subject,
    unwrap,
)


@njit(cache=True, nogil=True)
def types(kind, word, flags, mate, i, begin, end, out, n, sentence, found):
    """Types of Y include X, X; Ys include X."""
    j = over_left(kind, mate, i - 1, begin)
    s, e = left(kind, word, flags, j, begin)
    if s >= e or ((flags[e - 1] & PLURAL) == 0 and not (s - 1 > begin and word[s - 1] == OF)):
        return out, n
    if proper(flags, e, begin):
        return out, n
    first = skip_determiners(kind, s, begin)
    pattern = INCLUDE_P
    if first - 2 >= begin and word[first - 1] == OF:
        if word[first - 2] != UNWRAP and word[first - 2] != EXAMPLE:
            return out, n
        pattern = TYPES_ARE
    elif word[i] != INCLUDE or word[e - 1] == EXAMPLE or word[e - 1] == UNWRAP:
        return out, n
    opens = first == begin or kind[first - 1] == COMMA or kind[first - 1] == CONJ
    if pattern == INCLUDE_P and not opens:
        return out, n
    after = i + 1
    if after < end and kind[after] == COLON:
        after += 1
    count, _ = list_right(kind, word, flags, mate, after, end, found)
    for x in range(count):
        out, n = push(out, n, found[x, 0], found[x, 1], s, e, pattern, sentence)
    return out, n


@njit(cache=True, nogil=True)
def is_a(kind, word, flags, form, mate, i, begin, end, out, n, sentence, found):
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
    s, e, after = right(kind, word, flags, at, end)
    if one_of:
        s, e, after = right(kind, word, flags, at + 2, end)
    if s >= e or (kind[e - 1] != NOUN and article != A) or proper(flags, e, begin):
        return out, n
    s, e, after, unwrapped = unwrap(kind, word, flags, s, e, after, end)
    if (kind[e - 1] != NOUN and article != A) or (unwrapped and proper(flags, e, begin)):
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
        j = over_left(kind, mate, j, begin)
        s2, e2 = left(kind, word, flags, j, begin)
        if s2 >= e2:
            return out, n
        pattern = WHICH_IS
        return push(out, n, s2, e2, s, e, pattern, sentence)
    s2, e2, first = subject(kind, word, flags, mate, j, begin)
    if s2 >= e2:
        return out, n
    if many:
        # types of Y are X, X and X
        if word[e2 - 1] == UNWRAP or word[e2 - 1] == EXAMPLE:
            return types(kind, word, flags, mate, i, begin, end, out, n, sentence, found)
        if _the_most(kind, word, flags, first, s2, e2):
            return _most_are(kind, word, flags, mate, at, end, s2, e2, out, n, sentence, found)
        if article != A and not one_of and not unwrapped:
            joined = first > begin and kind[first - 1] == CONJ
            if (flags[e - 1] & PLURAL) == 0 or ((flags[e2 - 1] & PLURAL) == 0 and not joined):
                return out, n
            if kind[at] == PART and at == s and e - s == 1:
                return out, n
        pattern = ARE
        if unwrapped:
            pattern = KIND_OF
        j = over_left(kind, mate, i - 1, begin)
        count = 1
        found[0, 0], found[0, 1] = s2, e2
        if first > begin and kind[first - 1] == CONJ:
            count = list_left(kind, word, flags, mate, j, begin, found)
        elif first > begin and kind[first - 1] != COMMA and kind[first - 1] != REL and kind[first - 1] != FUNC:
            return out, n
        for x in range(count):
            out, n = push(out, n, found[x, 0], found[x, 1], s, e, pattern, sentence)
        return out, n
    if word[e2 - 1] == UNWRAP and first < s2 and kind[first] == THE and article == THE:
        return out, n
    if unwrapped and not one_of:
        pattern = KIND_OF
    elif one_of:
        pattern = IS_THE_MOST
    elif article == THE:
        pattern = IS_THE_MOST if superlative else IS_THE
    return push(out, n, s2, e2, s, e, pattern, sentence)


@njit(cache=True, nogil=True)
def _the_most(kind, word, flags, first, s, e):
    """Whether the phrase first..e reads "the most common Ys" or "the largest Ys"."""
    superlatives = 0  # a sum, since Numba has no any() over a range
    for j in range(first + 1, e - 1):
        superlatives += word[j] == MOST or (kind[j] == ADJ and (flags[j] & SUPERLATIVE) != 0)
    return superlatives > 0 and kind[first] == THE and (flags[e - 1] & PLURAL) != 0


@njit(cache=True, nogil=True)
def _most_are(kind, word, flags, mate, at, end, s, e, out, n, sentence, found):
    """The most common Ys are X, X and X; with one X it could be either way: "the largest dogs are mammals"."""
    count, _ = list_right(kind, word, flags, mate, at, end, found)
    if count > 1:
        for x in range(count):
            out, n = push(out, n, found[x, 0], found[x, 1], s, e, TYPES_ARE, sentence)
    return out, n


@njit(cache=True, nogil=True)
def glossary(kind, word, flags, mate, begin, end, out, n, sentence):
    """X, n. A kind of Y; X: a kind of Y; at the beginning of a sentence, or after a sentence that is only X, n."""
    i = begin
    while i < min(end, begin + 5) and (in_phrase(kind[i]) or kind[i] == VERB or kind[i] == ADV):
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
    elif (kind[i] == COLON or kind[i] == DASH) and not (word[begin] == LABEL and e2 == begin + 1):
        i += 1
        if kind[i] != A and not (kind[i] == THE or word[i] == ONE):
            return out, n
    else:
        return out, n
    s, e, after = right(kind, word, flags, i, end)
    if word[i] == ONE and i + 1 < end and word[i + 1] == OF:
        s, e, after = right(kind, word, flags, i + 2, end)
    if s >= e or kind[e - 1] != NOUN:
        return out, n
    s, e, after, _ = unwrap(kind, word, flags, s, e, after, end)
    if word[e - 1] == UNWRAP and after < end and word[after] == OF:
        return out, n
    return push(out, n, s2, e2, s, e, GLOSSARY, sentence)
