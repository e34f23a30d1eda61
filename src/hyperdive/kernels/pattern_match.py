"""Compiled search for statements such as "dogs such as poodles" in tokenised sentences.

A sentence is a sequence of *items*: words and signs, each with a class (`items`). Around a trigger word, noun phrases
and lists of them are read, all of bounded length (`phrases`; `copulas` for *is* and *are*). So the work at every
trigger is bounded, and the total is linear in the length of the text. X is the hyponym, Y the hypernym.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel
from hyperdive.kernels.pattern_codes import (
    ADJ,
    ADV,
    AND_OTHER,
    APPOSITION,
    ARE,
    AS,
    BE,
    BRACKETS,
    CALLED,
    CALLED_P,
    CAPITAL,
    COLON,
    COMMA,
    CONJ,
    CONSIDERED,
    DASH,
    EG,
    EMPTY,
    END,
    ESPECIALLY,
    ESPECIALLY_P,
    EXAMPLE,
    FOR,
    FOR_EXAMPLE,
    FUNC,
    GLOSSARY,
    INCLUDE,
    INCLUDE_P,
    INCLUDING,
    INCLUDING_P,
    IS_A,
    IS_THE,
    IS_THE_MOST,
    KIND_OF,
    KNOWN,
    LABEL,
    LEFT,
    LIKE,
    LIKE_P,
    MOST,
    NAMELY,
    NONE,
    NOT,
    NOUN,
    NOUN_MARK,
    NUM,
    OF,
    ONE,
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
    SUPERLATIVE,
    THE,
    TYPES_ARE,
    UNWRAP,
    VERB,
    WHICH,
    WHICH_IS,
    A,
)  # fmt: skip
from hyperdive.kernels.pattern_phrases import (
    LIST,
    before_brackets,
    in_phrase,
    left,
    list_left,
    list_right,
    pair_brackets,
    proper,
    push,
    push_list,
    right,
    skip_determiners,
    subject,
    unwrap,
)  # fmt: skip


@kernel()
def match(classes, triggers, flags, borders):
    """All matches: rows of item numbers (hyponym first, end, hypernym first, end), then pattern and sentence."""
    matches = np.empty((1024, 6), dtype=np.int32)
    n = np.int64(0)
    phrases = np.empty((LIST, 2), dtype=np.int32)
    partner = np.full(len(classes) + 1, -1, dtype=np.int32)
    stack = np.empty(16, dtype=np.int32)
    for sentence in range(len(borders) - 1):
        begin, end = borders[sentence], borders[sentence + 1]
        if end - begin < 3:
            continue
        pair_brackets(classes, begin, end, partner, stack)
        matches, n = glossary(classes, triggers, flags, begin, end, matches, n, sentence)
        for i in range(begin, end):
            trigger = triggers[i]
            if trigger == NONE and classes[i] != BE:
                if classes[i] == COLON:
                    matches, n = types(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases)
                elif classes[i] == A and i > begin:
                    matches, n = _apposition(classes, triggers, flags, partner, i, begin, end, matches, n, sentence)
                elif classes[i] == LEFT and partner[i] >= 0:
                    matches, n = _brackets(classes, triggers, flags, partner, i, begin, matches, n, sentence, phrases)
            elif trigger == SUCH and not (i + 1 < end and triggers[i + 1] == AS):
                matches, n = _such_y_as(classes, triggers, flags, partner, i, end, matches, n, sentence, phrases)
            elif trigger == OTHER or trigger == SIMILAR:
                matches, n = _and_other(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases)
            elif trigger == CALLED or trigger == KNOWN:
                matches, n = _called(classes, triggers, flags, i, begin, end, matches, n, sentence)
            elif trigger == INCLUDE:
                matches, n = types(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases)
            else:
                pattern, after = _introducer(classes, triggers, flags, i, begin, end)
                if pattern >= 0:
                    matches, n = _introduced(
                        classes, triggers, flags, partner, i, begin, end, pattern, after, matches, n, sentence, phrases
                    )
                elif classes[i] == BE:
                    matches, n = is_a(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases)
    return matches[:n]


@subkernel()
def _introducer(classes, triggers, flags, i, begin, end):
    """The pattern of "Y such as X", "Ys, including X" … whose trigger is at i, and the item after it; -1 if none."""
    trigger = triggers[i]
    following = triggers[i + 1] if i + 1 < end else NONE
    pattern = np.int64(-1)
    after = i + 1
    if trigger == SUCH:
        pattern, after = np.int64(SUCH_AS), i + 2
    elif trigger == INCLUDING:
        pattern = np.int64(INCLUDING_P)
    elif trigger == ESPECIALLY:
        opens = i > begin and (classes[i - 1] == COMMA or classes[i - 1] == LEFT or classes[i - 1] == DASH)
        if opens and following != INCLUDING and following != SUCH:
            pattern = np.int64(ESPECIALLY_P)
    elif trigger == FOR:
        if following == EXAMPLE and i > begin:
            pattern, after = np.int64(FOR_EXAMPLE), i + 2
    elif trigger == NAMELY:
        if i > begin:
            pattern = np.int64(FOR_EXAMPLE)
    elif trigger == EG:
        pattern = np.int64(FOR_EXAMPLE)
        if after < end and classes[after] == STOP:
            after += 1
    elif trigger == LIKE and i - 1 > begin and classes[i - 1] == NOUN and (flags[i - 1] & PLURAL) != 0:
        pattern = np.int64(LIKE_P)
    return pattern, after


@subkernel()
def _introduced(
    classes, triggers, flags, partner, i, begin, end, pattern, after, matches, n, sentence, phrases
):  # fmt: skip
    """Y such as X, X and X; Ys, including X; Ys, especially X; Ys like X; Ys, for example X."""
    if pattern != SUCH_AS and after < end and classes[after] == COMMA:
        after += 1
    last = i - 1
    if last >= begin and (classes[last] == LEFT or classes[last] == DASH or classes[last] == COMMA):
        last -= 1
    y_first, y_end = left(classes, triggers, flags, before_brackets(classes, partner, last, begin), begin)
    if y_first >= y_end or proper(flags, y_end, begin):
        return matches, n
    if pattern != SUCH_AS and (flags[y_end - 1] & PLURAL) == 0:
        return matches, n
    if pattern == LIKE_P:
        opening = skip_determiners(classes, y_first, begin)
        if opening == begin or classes[opening - 1] == COMMA or classes[opening - 1] == CONJ:
            return matches, n  # "people like dogs": a verb
    count = list_right(classes, triggers, flags, partner, after, end, phrases)
    return push_list(matches, n, phrases, count, y_first, y_end, pattern, sentence)


@subkernel()
def _such_y_as(classes, triggers, flags, partner, i, end, matches, n, sentence, phrases):
    """such Y as X and X."""
    y_first, y_end, at = right(classes, triggers, flags, i + 1, end)
    if y_first >= y_end or at >= end or triggers[at] != AS or at != y_end:
        return matches, n
    count = list_right(classes, triggers, flags, partner, at + 1, end, phrases)
    return push_list(matches, n, phrases, count, y_first, y_end, np.int64(SUCH_Y_AS), sentence)


@subkernel()
def _and_other(classes, triggers, flags, partner, i, begin, end, matches, n, sentence, phrases):
    """X, X and other Y."""
    last = i - 1
    limit = max(begin, i - 2)
    while last > limit and classes[last] == QUANT:
        last -= 1
    if last <= begin or classes[last] != CONJ:
        return matches, n
    y_first, y_end, at = right(classes, triggers, flags, i + 1, end)
    if y_first >= y_end or classes[y_end - 1] != NOUN or proper(flags, y_end, begin):
        return matches, n
    if at == y_end and at < end and triggers[at] == OF and triggers[y_end - 1] == UNWRAP:
        y_first, y_end, at, _ = unwrap(classes, triggers, flags, y_first, y_end, at, end)
    last -= 1
    if last >= begin and classes[last] == COMMA:
        last -= 1
    count = list_left(classes, triggers, flags, partner, last, begin, phrases)
    return push_list(matches, n, phrases, count, y_first, y_end, np.int64(AND_OTHER), sentence)


@subkernel()
def _called(classes, triggers, flags, i, begin, end, matches, n, sentence):
    """a Y called X, a Y known as X."""
    after = i + 1
    if triggers[i] == KNOWN:
        if after >= end or triggers[after] != AS:
            return matches, n
        after += 1
    if i - 1 < begin or classes[i - 1] != NOUN or (after < end and classes[after] == PREP):
        return matches, n
    y_first, y_end = left(classes, triggers, flags, i - 1, begin)
    if y_first >= y_end or proper(flags, y_end, begin):
        return matches, n
    opening = skip_determiners(classes, y_first, begin)
    indefinite = opening < y_first and classes[opening] == A
    if opening - 2 >= begin and triggers[opening - 1] == OF and triggers[opening - 2] == UNWRAP:
        indefinite = True  # a type of bread called naan
    if not indefinite and (flags[y_end - 1] & PLURAL) == 0:
        return matches, n
    x_first, x_end, _ = right(classes, triggers, flags, after, end)
    if x_first >= x_end:
        return matches, n
    return push(matches, n, x_first, x_end, y_first, y_end, np.int64(CALLED_P), sentence)


@subkernel()
def _can_follow_apposition(classes, triggers, at, end, opener):
    """Whether "X, a Y" or "X (a Y" may go on with the item at `at`."""
    following = classes[at] if at < end else END
    if opener == LEFT:
        return following == RIGHT or following == COMMA or following == PREP or following == SEMI
    if following == COMMA:
        return not (at + 1 < end and (classes[at + 1] == CONJ or classes[at + 1] == A))  # a list goes on
    return (
        following == STOP
        or following == END
        or following == PREP
        or following == REL
        or following == PART
        or triggers[at] == CALLED
    )


@subkernel()
def _apposition(classes, triggers, flags, partner, i, begin, end, matches, n, sentence):
    """X, a Y, ... and X (a Y)."""
    opener = classes[i - 1]
    if opener != COMMA and opener != LEFT:
        return matches, n
    last = i - 2
    if opener == COMMA:
        last = before_brackets(classes, partner, last, begin)
    x_first, x_end = left(classes, triggers, flags, last, begin)
    if x_first >= x_end:
        return matches, n
    opening = skip_determiners(classes, x_first, begin)
    if opening < x_first and classes[opening] == A:
        return matches, n  # "a dog, a cat": a list
    is_name = (flags[x_end - 1] & CAPITAL) != 0
    if opener == COMMA and opening > begin and classes[opening - 1] == PREP and (not is_name or opening == begin + 1):
        return matches, n  # "in winter, a fox ..."
    y_first, y_end, at = right(classes, triggers, flags, i, end)
    if y_first >= y_end or classes[y_end - 1] != NOUN or proper(flags, y_end, begin):
        return matches, n
    y_first, y_end, at, unwrapped = unwrap(classes, triggers, flags, y_first, y_end, at, end)
    if proper(flags, y_end, begin) or not _can_follow_apposition(classes, triggers, at, end, opener):
        return matches, n
    if opener == COMMA and not is_name and not unwrapped and opening > begin and classes[opening - 1] == COMMA:
        following = classes[at] if at < end else END
        if following == COMMA or following == STOP or following == END:
            return matches, n  # an item in a list
    return push(matches, n, x_first, x_end, y_first, y_end, np.int64(APPOSITION), sentence)


@subkernel()
def _after_bracket_item(classes, after, close):
    """The comma, conjunction or closing bracket after an item in brackets, over what is left of it ("IL-6", "20 mg",
    "etc."); -1 when the brackets hold other things than a list."""
    while after < close and classes[after] != COMMA and classes[after] != CONJ:
        item_class = classes[after]
        is_last = after + 1 == close or (classes[after + 1] == STOP and after + 2 == close)
        etc = is_last and (item_class == FUNC or item_class == PRON)  # "etc.", "others"
        if not (etc or in_phrase(item_class) or item_class == NUM or item_class == DASH or item_class == STOP):
            return -1
        after += 1
    return after


@subkernel()
def _brackets(classes, triggers, flags, partner, i, begin, matches, n, sentence, phrases):
    """Ys (X, X and X): a plural, and in brackets two items or more, half of them or more a bare noun phrase."""
    close = np.int64(partner[i])
    if triggers[i + 1] == EG or triggers[i + 1] == CALLED or triggers[i + 1] == KNOWN:
        return matches, n  # other patterns
    y_first, y_end = left(classes, triggers, flags, i - 1, begin)
    if y_first >= y_end or (flags[y_end - 1] & PLURAL) == 0 or proper(flags, y_end, begin):
        return matches, n
    count, listed, at = 0, 0, i + 1
    while at < close and listed < LIST and triggers[at] != OTHER:
        if classes[at] == NUM:
            return matches, n  # (Smith and Jones, 1998)
        x_first, x_end, after = right(classes, triggers, flags, at, close)
        at = _after_bracket_item(classes, after, close)
        if at < 0:
            return matches, n
        if x_first < x_end and x_end == at and classes[x_end - 1] == NOUN:
            phrases[count, 0], phrases[count, 1] = x_first, x_end
            count += 1
        listed += 1
        if at < close and classes[at] == COMMA:
            at += 1
        if at < close and classes[at] == CONJ:
            at += 1
    if listed < 2 or 2 * count < listed:
        return matches, n
    return push_list(matches, n, phrases, count, y_first, y_end, np.int64(BRACKETS), sentence)


# ---- sentences that define: X is a Y, Xs are Ys, types of Y are X; and glossaries ------------------------------


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
