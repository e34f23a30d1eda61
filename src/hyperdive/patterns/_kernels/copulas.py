"""Compiled reading of sentences that define: X is a Y, Xs are Ys, types of Y are X; and of glossaries.

X is the hyponym, Y the hypernym; `x_first`, `x_end`, `y_first` and `y_end` are item numbers.
"""

from __future__ import annotations

import numpy as np

from hyperdive.compilation.kernel import subkernel
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
    before_brackets,
    in_phrase,
    left,
    list_left,
    list_right,
    proper,
    push,
    push_list,
    right,
    skip_determiners,
    subject,
    unwrap,
)


@subkernel()
def types(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases):
    """Types of Y include X, X; Ys include X."""
    last = before_brackets(classes, partner, i - 1, begin)
    y_first, y_end = left(classes, triggers, flags, last, begin)
    if y_first >= y_end or proper(flags, y_end, begin):
        return matches, n
    if (flags[y_end - 1] & PLURAL) == 0 and not (y_first - 1 > begin and triggers[y_first - 1] == OF):
        return matches, n
    opening = skip_determiners(classes, y_first, begin)
    if opening - 2 >= begin and triggers[opening - 1] == OF:
        if triggers[opening - 2] != UNWRAP and triggers[opening - 2] != EXAMPLE:
            return matches, n
        pattern = np.int64(TYPES_ARE)
    else:
        if triggers[i] != INCLUDE or triggers[y_end - 1] == EXAMPLE or triggers[y_end - 1] == UNWRAP:
            return matches, n
        if opening != begin and classes[opening - 1] != COMMA and classes[opening - 1] != CONJ:
            return matches, n
        pattern = np.int64(INCLUDE_P)
    after = i + 1
    if after < end and classes[after] == COLON:
        after += 1
    count = list_right(classes, triggers, flags, partner, after, end, phrases)
    return push_list(matches, n, phrases, count, y_first, y_end, pattern, sentence)


@subkernel()
def _after_verb(classes, triggers, i, end):
    """The first item of what *is* at i says, after adverbs and "considered as"; `end` if there is none or a *not*."""
    at = i + 1
    while at < end and at < i + 3 and classes[at] == ADV and triggers[at] != NOT:
        at += 1
    if at < end and triggers[at] == CONSIDERED:
        at += 1
        if at < end and triggers[at] == AS:
            at += 1
    if at < end and triggers[at] == NOT:
        return end
    return at


@subkernel()
def _complement(classes, triggers, flags, at, one_of, begin, end):
    """The Y of "is a Y" that begins at `at`: (first, end, unwrapped?); empty when it cannot be a hypernym."""
    needs_noun = classes[at] != A
    first, past, after = right(classes, triggers, flags, at + 2 if one_of else at, end)
    if first >= past or (classes[past - 1] != NOUN and needs_noun) or proper(flags, past, begin):
        return at, at, False
    first, past, after, unwrapped = unwrap(classes, triggers, flags, first, past, after, end)
    if (classes[past - 1] != NOUN and needs_noun) or (unwrapped and proper(flags, past, begin)):
        return at, at, False
    if (triggers[past - 1] == UNWRAP and after < end and triggers[after] == OF) or triggers[past - 1] == EMPTY:
        return at, at, False
    return first, past, unwrapped


@subkernel()
def is_a(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases):
    """X is a Y, X is a kind of Y, X is the most ... Y, Xs are Ys, ..., which is a Y; and types of Y are X, X."""
    at = _after_verb(classes, triggers, i, end)
    if at >= end or i == begin:
        return matches, n
    article = classes[at]
    many = (flags[i] & PLURAL) != 0  # are, were
    one_of = triggers[at] == ONE and at + 1 < end and triggers[at + 1] == OF
    bare = article == NOUN or article == ADJ or article == PART or article == QUANT
    if article != A and article != THE and not one_of and not (many and bare):
        return matches, n
    y_first, y_end, unwrapped = _complement(classes, triggers, flags, at, one_of, begin, end)
    if y_first >= y_end:
        return matches, n
    if classes[i - 1] == REL and triggers[i - 1] == WHICH:
        last = i - 2
        if last >= begin and classes[last] == COMMA:
            last -= 1
        x_first, x_end = left(classes, triggers, flags, before_brackets(classes, partner, last, begin), begin)
        if x_first >= x_end:
            return matches, n
        return push(matches, n, x_first, x_end, y_first, y_end, np.int64(WHICH_IS), sentence)
    x_first, x_end, opening = subject(classes, triggers, flags, partner, i - 1, begin)
    if x_first >= x_end:
        return matches, n
    if many:
        if triggers[x_end - 1] == UNWRAP or triggers[x_end - 1] == EXAMPLE:
            return types(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases)
        if _is_the_most(classes, triggers, flags, opening, x_end):
            # "the most common Ys are X, X and X"; with one X it could be either way: "the largest dogs are mammals"
            count = list_right(classes, triggers, flags, partner, at, end, phrases)
            if count < 2:
                return matches, n
            return push_list(matches, n, phrases, count, x_first, x_end, np.int64(TYPES_ARE), sentence)
        if article != A and not one_of and not unwrapped:
            joined = opening > begin and classes[opening - 1] == CONJ
            if (flags[y_end - 1] & PLURAL) == 0 or ((flags[x_end - 1] & PLURAL) == 0 and not joined):
                return matches, n
            if article == PART and at == y_first and y_end - y_first == 1:
                return matches, n  # "the dogs are barking"
        count = _plural_subjects(classes, triggers, flags, partner, i, begin, x_first, x_end, opening, phrases)
        pattern = np.int64(KIND_OF if unwrapped else ARE)
        return push_list(matches, n, phrases, count, y_first, y_end, pattern, sentence)
    if triggers[x_end - 1] == UNWRAP and opening < x_first and classes[opening] == THE and article == THE:
        return matches, n
    pattern = _singular_pattern(triggers, flags, at, article, one_of, unwrapped, end)
    return push(matches, n, x_first, x_end, y_first, y_end, pattern, sentence)


@subkernel()
def _singular_pattern(triggers, flags, at, article, one_of, unwrapped, end):
    """Which pattern "X is ..." with one X is."""
    if one_of:
        return np.int64(IS_THE_MOST)
    if unwrapped:
        return np.int64(KIND_OF)
    if article != THE:
        return np.int64(IS_A)
    for j in range(at + 1, min(end, at + 4)):
        if triggers[j] == MOST or (flags[j] & SUPERLATIVE) != 0:
            return np.int64(IS_THE_MOST)
    return np.int64(IS_THE)


@subkernel()
def _plural_subjects(classes, triggers, flags, partner, i, begin, x_first, x_end, opening, phrases):
    """The subjects of "Xs are Ys" or "X, X and X are Ys", read into `phrases`; returns their number."""
    if opening > begin and classes[opening - 1] == CONJ:
        last = before_brackets(classes, partner, i - 1, begin)
        return list_left(classes, triggers, flags, partner, last, begin, phrases)
    before = classes[opening - 1] if opening > begin else COMMA
    if before != COMMA and before != REL and before != FUNC:
        return 0
    phrases[0, 0], phrases[0, 1] = x_first, x_end
    return 1


@subkernel()
def _is_the_most(classes, triggers, flags, opening, past):
    """Whether the phrase from `opening` reads "the most common Ys" or "the largest Ys"."""
    if classes[opening] != THE or (flags[past - 1] & PLURAL) == 0:
        return False
    for j in range(opening + 1, past - 1):
        if triggers[j] == MOST or (classes[j] == ADJ and (flags[j] & SUPERLATIVE) != 0):
            return True
    return False


@subkernel()
def _definition(classes, triggers, i, begin, end):
    """Where the definition begins after the headword of a glossary that ends before i; `end` if there is none."""
    if classes[i] == COMMA and triggers[i + 1] == NOUN_MARK:
        i += 2
        while i < end and (classes[i] == STOP or classes[i] == COLON or classes[i] == DASH):
            i += 1
        return i
    is_label = triggers[begin] == LABEL and i == begin + 1  # "BACKGROUND: A trial was made."
    if (classes[i] == COLON or classes[i] == DASH) and not is_label:
        i += 1
        if classes[i] == A or classes[i] == THE or triggers[i] == ONE:
            return i
    return end


@subkernel()
def glossary(classes, triggers, flags, begin, end, matches, n, sentence):
    """X, n. A kind of Y; X: a kind of Y; at the beginning of a sentence, or after a sentence that is only X, n."""
    i = begin
    while i < min(end, begin + 5) and (in_phrase(classes[i]) or classes[i] == VERB or classes[i] == ADV):
        i += 1
    if i == begin or i + 2 >= end:
        return matches, n
    x_end = i
    i = _definition(classes, triggers, i, begin, end)
    if i >= end:
        return matches, n
    if triggers[i] == ONE and i + 1 < end and triggers[i + 1] == OF:
        i += 2
    y_first, y_end, after = right(classes, triggers, flags, i, end)
    if y_first >= y_end or classes[y_end - 1] != NOUN:
        return matches, n
    y_first, y_end, after, _ = unwrap(classes, triggers, flags, y_first, y_end, after, end)
    if triggers[y_end - 1] == UNWRAP and after < end and triggers[after] == OF:
        return matches, n
    return push(matches, n, begin, x_end, y_first, y_end, np.int64(GLOSSARY), sentence)
