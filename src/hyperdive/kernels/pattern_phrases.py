"""Compiled reading of noun phrases, and lists of them, in a sequence of classified items, leftwards and rightwards.

A phrase is at most `_LONGEST` items long and a list has at most `LIST` phrases, so every call takes bounded time.
A phrase is the pair (first item, end); it is empty when first = end.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel
from hyperdive.kernels.pattern_codes import (
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
_LONGEST_BRACKETS = 60


@subkernel()
def in_phrase(item_class):
    """Whether an item of this class can be part of a noun phrase."""
    return item_class == NOUN or item_class == ADJ or item_class == PART or item_class == OTHER_WORD


@subkernel()
def is_determiner(item_class):
    return item_class == A or item_class == THE or item_class == QUANT or item_class == NUM


@subkernel()
def proper(flags, end, begin):
    """Whether the head at end - 1 is a name: a capital that does not open the sentence."""
    return (flags[end - 1] & CAPITAL) != 0 and end - 1 > begin


@subkernel()
def _trim(classes, first, end):
    """The phrase cut to end with its last noun; empty when none of its words can be a head."""
    last = end
    while last > first and classes[last - 1] != NOUN:
        last -= 1
    if last > first:
        return first, last
    # "colours such as red", "a regular quadrilateral": nothing but adjectives or an -ing form
    if end - first == 1 and (classes[first] == ADJ or classes[first] == PART):
        return first, end
    if end > first and classes[end - 1] == ADJ and classes[first - 1] == A:
        return first, end
    return first, first


@subkernel()
def _adjectives_go_on(classes, i, first, end):
    """Whether an adverb or a comma at i is between adjectives: "a large, very fast cat", not "red, green and blue"."""
    if i == first or i + 1 >= end or (classes[i + 1] != ADJ and classes[i + 1] != PART):
        return False
    if classes[i] == ADV:
        return True
    if classes[i] != COMMA or classes[i - 1] != ADJ:
        return False
    return i + 2 < end and (in_phrase(classes[i + 2]) or classes[i + 2] == COMMA)


@subkernel()
def right(classes, triggers, flags, i, end):
    """The noun phrase that begins at i, after its determiners: (first, end of the head, next item); empty if none."""
    limit = min(end, i + 5)
    while i < limit and (is_determiner(classes[i]) or (classes[i] == ADV and i + 1 < end)):
        i += 1
    first = i
    limit = min(end, first + _LONGEST)
    while i < limit:
        item_class = classes[i]
        if _adjectives_go_on(classes, i, first, end):
            i += 1
            continue
        if not in_phrase(item_class):
            break
        after_plural = i > first and classes[i - 1] == NOUN and (flags[i - 1] & (PLURAL | CAPITAL)) == PLURAL
        if after_plural and item_class == NOUN and (flags[i] & (PLURAL | CAPITAL)) == 0:
            break  # "horses need": a plural ends its phrase
        if item_class == PART and i > first:
            following = classes[i + 1] if i + 1 < end else np.uint8(END)
            if not in_phrase(following):
                break
        i += 1
    first, past = _trim(classes, first, i)
    while first < past and classes[first] == OTHER_WORD:
        first += 1
    return first, past, i


@subkernel()
def left(classes, triggers, flags, i, begin):
    """The noun phrase that ends with item i: (first, end)."""
    if i < begin or not in_phrase(classes[i]) or classes[i] == OTHER_WORD:
        return i, i
    end = i + 1
    first = i
    while first > begin and end - first < _LONGEST and in_phrase(classes[first - 1]):
        before_that = classes[first - 2] if first - 1 > begin else END
        if classes[first - 1] == PART and (before_that == NOUN or before_that == BE):
            break  # "the man eating fish": a verb
        first -= 1
    while first < end and classes[first] == OTHER_WORD:
        first += 1
    if classes[end - 1] == NOUN or (end - first == 1 and begin < first):
        return first, end
    return end, end


@subkernel()
def pair_brackets(classes, begin, end, partner, stack):
    """partner[i]: the other bracket of a pair that closes within the sentence; -1 for every other item."""
    depth = 0
    for i in range(begin, end):
        partner[i] = -1
        if classes[i] == LEFT:
            if depth < len(stack):
                stack[depth] = i
            depth += 1
        elif classes[i] == RIGHT and depth > 0:
            depth -= 1
            if depth < len(stack) and i - stack[depth] <= _LONGEST_BRACKETS:
                partner[i] = stack[depth]
                partner[stack[depth]] = i


@subkernel()
def before_brackets(classes, partner, i, begin):
    """The item before the brackets that close at i; i itself when there are none."""
    if i >= begin and classes[i] == RIGHT and partner[i] >= begin:
        return np.int64(partner[i]) - 1
    return i


@subkernel()
def _after_complements(classes, triggers, flags, partner, i, end):
    """The item after what belongs to a noun phrase that ends before i: "the bank of England", "foxes (Vulpes)"."""
    while i < end:
        if triggers[i] == OF and classes[i] == PREP:
            first, past, after = right(classes, triggers, flags, i + 1, end)
            if first >= past:
                break
            i = after
        elif classes[i] == LEFT and partner[i] >= 0:
            i = np.int64(partner[i]) + 1
        else:
            break
    return i


@subkernel()
def _can_follow_list(item_class):
    return (
        item_class == COMMA
        or item_class == CONJ
        or item_class == END
        or item_class == STOP
        or item_class == RIGHT
        or item_class == SEMI
        or item_class == COLON
    )


@subkernel()
def list_right(classes, triggers, flags, partner, i, end, phrases):
    """Read the noun phrases of a list that begins at i into `phrases`; returns their number."""
    n = 0
    last = False
    while i < end and n < LIST:
        first, past, after = right(classes, triggers, flags, i, end)
        if first >= past:
            break
        after = _after_complements(classes, triggers, flags, partner, after, end)
        following = classes[after] if after < end else END
        if n > 0 and not last and not _can_follow_list(following):
            break  # the comma before did not belong to the list
        phrases[n, 0], phrases[n, 1] = first, past
        n += 1
        if last or (following != COMMA and following != CONJ):
            break
        i = after + 1
        if following == CONJ:
            last = True
        elif i < end and classes[i] == CONJ:
            i += 1
            last = True
        if i < end and (
            triggers[i] == OTHER or triggers[i] == ESPECIALLY or triggers[i] == INCLUDING or triggers[i] == SUCH
        ):
            break
    return n


@subkernel()
def skip_determiners(classes, first, begin):
    """The first item of a phrase with its determiners."""
    while first > begin and is_determiner(classes[first - 1]):
        first -= 1
    return first


@subkernel()
def list_left(classes, triggers, flags, partner, i, begin, phrases):
    """Read the noun phrases of a list that ends at i into `phrases`, last first; returns their number."""
    n = 0
    while i >= begin and n < LIST:
        i = before_brackets(classes, partner, i, begin)
        first, past = left(classes, triggers, flags, i, begin)
        if first >= past:
            break
        opening = skip_determiners(classes, first, begin)
        if opening > begin and classes[opening - 1] == PREP:
            if n > 0 and (opening - 1 == begin or classes[opening - 2] == COMMA):
                break  # "In Africa, dogs and other animals"
            if triggers[opening - 1] == OF and n > 0:
                # "the bank of England, ...": the head stands before *of*
                head_first, head_past = left(classes, triggers, flags, opening - 2, begin)
                if head_first < head_past:
                    first, past = head_first, head_past
                    opening = skip_determiners(classes, first, begin)
        phrases[n, 0], phrases[n, 1] = first, past
        n += 1
        if opening - 1 > begin and (classes[opening - 1] == COMMA or (classes[opening - 1] == CONJ and n == 1)):
            i = opening - 2
            if classes[opening - 1] == CONJ and classes[i] == COMMA:
                i -= 1
        else:
            break
    return n


@subkernel()
def unwrap(classes, triggers, flags, first, past, after, end):
    """ "a kind of dog": the noun phrase after *of*, at most three times; (first, end, next item, unwrapped?)."""
    unwrapped = False
    for _ in range(3):
        if after >= end or after != past:
            break
        of = triggers[after] == OF and (triggers[past - 1] == UNWRAP or triggers[past - 1] == ONE)
        if not of and not (triggers[after] == FOR and triggers[past - 1] == TERM):
            break
        inner_first, inner_past, inner_after = right(classes, triggers, flags, after + 1, end)
        if inner_first >= inner_past:
            break
        first, past, after = inner_first, inner_past, inner_after
        unwrapped = True
    return first, past, after, unwrapped


@subkernel()
def _subject_before_insertion(classes, triggers, flags, partner, comma, begin):
    """ "The poodle, called Pudel in German, is ...": the phrase before the insertion, if it opens the sentence."""
    i = comma - 1
    while i > begin and comma - i < 20 and classes[i] != COMMA:
        i -= 1
    if i <= begin or classes[i] != COMMA:
        return comma, comma, comma
    i = before_brackets(classes, partner, i - 1, begin)
    first, past = left(classes, triggers, flags, i, begin)
    if first < past and skip_determiners(classes, first, begin) == begin:
        return first, past, begin
    return i, i, i


@subkernel()
def subject(classes, triggers, flags, partner, i, begin):
    """The noun phrase before a verb at i + 1: (first, end, first item with its determiners)."""
    i = before_brackets(classes, partner, i, begin)
    if i > begin and classes[i] == NUM and classes[i - 1] == NOUN and (flags[i - 1] & CAPITAL) != 0:
        i -= 1  # State Highway 130
    if i >= begin and classes[i] == COMMA:
        return _subject_before_insertion(classes, triggers, flags, partner, i, begin)
    first, past = left(classes, triggers, flags, i, begin)
    if first >= past:
        return first, first, first
    opening = skip_determiners(classes, first, begin)
    for _ in range(3):
        if opening > begin and triggers[opening - 1] == OF:
            first, past = left(classes, triggers, flags, opening - 2, begin)
            if first >= past:
                return first, first, first
            opening = skip_determiners(classes, first, begin)
    if opening > begin and (classes[opening - 1] == PREP or classes[opening - 1] == VERB or classes[opening - 1] == BE):
        return first, first, first
    return first, past, opening


WORDS = 4
"""Maximum words in a term; longer noun phrases keep the last ones."""


@kernel()
def phrase_forms(matches, classes, forms, starts, ends, sentence_starts, column):
    """For each match, one of its noun phrases: its forms (head last, zero-padded in front), and three byte offsets in
    the sentence: start of the phrase, start of its head, end of both."""
    words = np.zeros((len(matches), WORDS), dtype=np.uint32)
    spans = np.empty((len(matches), 3), dtype=np.int32)
    for m in range(len(matches)):
        past = matches[m, column + 1]
        first = past
        while (
            first > matches[m, column] and past - first < WORDS and forms[first - 1] != 0 and classes[first - 1] != ADV
        ):
            first -= 1
        for j in range(first, past):
            words[m, WORDS - (past - j)] = forms[j]
        origin = sentence_starts[matches[m, 5]]
        spans[m, 0] = starts[first] - origin
        spans[m, 1] = starts[past - 1] - origin
        spans[m, 2] = ends[past - 1] - origin
    return words, spans


@subkernel()
def push(matches, n, x_first, x_end, y_first, y_end, pattern, sentence):
    """Add a match to the first n rows of `matches`, which grows when it is full.

    Callers pass `pattern` as `np.int64(...)`: a bare constant would compile this function once per pattern.
    """
    if n == len(matches):
        bigger = np.empty((2 * len(matches), 6), dtype=np.int32)
        for row in range(n):  # a slice assignment takes seconds longer to compile
            for column in range(6):
                bigger[row, column] = matches[row, column]
        matches = bigger
    matches[n, 0], matches[n, 1], matches[n, 2], matches[n, 3] = x_first, x_end, y_first, y_end
    matches[n, 4], matches[n, 5] = pattern, sentence
    return matches, n + 1


@subkernel()
def push_list(matches, n, phrases, count, y_first, y_end, pattern, sentence):
    """Add one match for each of the first `count` phrases: all are hyponyms of the same Y."""
    for j in range(count):
        matches, n = push(
            matches, n, np.int64(phrases[j, 0]), np.int64(phrases[j, 1]), y_first, y_end, pattern, sentence
        )
    return matches, n
