"""Classes of a block's words and signs for the pattern matcher, and the spelling of the matched terms."""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel
from hyperdive.kernels.forms import FNV_PRIME, FNV_START
from hyperdive.kernels.pattern_codes import (
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
from hyperdive.kernels.tokens import DROPPED, WORD

_QUOTE = -1
"""Class of quotation marks, which are left out."""
_HYPHEN = ord("-")
_BLANK, _BAR = 32, 124


def _letters(text: str) -> np.ndarray:
    return np.array([ord(letter) for letter in text], dtype=np.uint8)


_LY, _ED, _ING, _EST = _letters("ly"), _letters("ed"), _letters("ing"), _letters("est")
_OUS, _FUL, _LESS, _ABLE, _IBLE = (
    _letters("ous"),
    _letters("ful"),
    _letters("less"),
    _letters("able"),
    _letters("ible"),
)


@kernel()
def items(data, span_starts, span_ends, span_kinds, forms, sentence_starts, class_of, trigger_of, flags_of):
    """The items of a block: class, trigger word, flags, form, first byte and end of each; and where sentences begin."""
    n_spans = len(span_starts)
    classes = np.empty(n_spans + 1, dtype=np.uint8)
    triggers = np.zeros(n_spans + 1, dtype=np.uint8)
    flags = np.zeros(n_spans + 1, dtype=np.uint8)
    item_forms = np.zeros(n_spans + 1, dtype=np.uint32)
    starts = np.empty(n_spans + 1, dtype=np.int64)
    ends = np.empty(n_spans + 1, dtype=np.int64)
    borders = np.empty(len(sentence_starts) + 1, dtype=np.int64)
    n = sentence = token = 0
    for i in range(n_spans):
        start, end = span_starts[i], span_ends[i]
        while sentence < len(sentence_starts) and sentence_starts[sentence] <= start:
            borders[sentence] = n
            sentence += 1
        if span_kinds[i] == WORD:
            while forms[token] == 0:
                token += 1
            form = forms[token]
            token += 1
            item_class, trigger, item_flags = class_of[form], trigger_of[form], flags_of[form]
            # items of the sentence before must not matter
            begins = n == 0 or (sentence > 0 and borders[sentence - 1] == n)
            if _is_upper(data[start]):
                item_flags |= CAPITAL
            if not begins:
                item_class = _class_in_context(item_class, trigger, item_flags, classes[n - 1], triggers[n - 1] == OF)
                if start == ends[n - 1] + 1 and data[start - 1] == _HYPHEN:  # "student-run" modifies as one adjective
                    if item_class != NOUN:
                        item_class = np.uint8(ADJ)
                    if classes[n - 1] != NOUN:
                        classes[n - 1] = ADJ
                    trigger = np.uint8(NONE)
            classes[n], triggers[n], flags[n], item_forms[n] = item_class, trigger, item_flags, form
        elif span_kinds[i] == DROPPED:
            classes[n], triggers[n], flags[n] = _dropped_word(data, start, end)
        else:
            sign = _sign(data, start, end)
            if sign == _QUOTE:
                continue
            classes[n] = sign
        starts[n], ends[n] = start, end
        n += 1
    while sentence < len(sentence_starts):
        borders[sentence] = n
        sentence += 1
    borders[sentence] = n
    classes[n] = END
    starts[n] = ends[n] = 0
    return (
        classes[: n + 1],
        triggers[: n + 1],
        flags[: n + 1],
        item_forms[: n + 1],
        starts[: n + 1],
        ends[: n + 1],
        borders,
    )


@subkernel()
def _is_upper(byte):
    return 65 <= byte < 91


@subkernel()
def _class_in_context(item_class, trigger, flags, class_before, after_of):
    """The class of a word inside a sentence: a capital makes a name, *a* or *of* a noun ("walks of life")."""
    if (flags & CAPITAL) != 0 and (item_class == ADJ or item_class == PART or item_class == VERB or item_class == ADV):
        return np.uint8(NOUN)
    makes_noun = (
        class_before == A or (class_before == PREP and after_of) or (class_before == THE and item_class == VERB)
    )
    if makes_noun and (item_class == VERB or item_class == ADV) and trigger == NONE:
        return np.uint8(NOUN)
    return item_class


@subkernel()
def _dropped_word(data, start, end):
    """Class, trigger and flags of a token that has no form: numbers, abbreviations, clitics."""
    first = data[start]
    item_class = NUM if 48 <= first < 58 else OTHER_WORD
    trigger = NONE
    flags = 0
    dotted = end - start >= 3 and data[start + 1] == 46
    if dotted and (first | 32) == 101 and (data[start + 2] | 32) == 103:  # e.g.
        item_class, trigger = FUNC, EG
    elif dotted and (first | 32) == 105 and (data[start + 2] | 32) == 101:  # i.e.
        item_class = FUNC
    elif (first | 32) == 115 and end - start == 1:  # the s of a possessive
        item_class = QUANT
    elif first >= 128 or _is_upper(first):
        flags = CAPITAL
    return np.uint8(item_class), np.uint8(trigger), np.uint8(flags)


@subkernel()
def _sign(data, start, end):
    """The class of a sign; `_QUOTE` for quotation marks."""
    first = data[start]
    if first == 44:
        return COMMA
    if first == 59:
        return SEMI
    if first == 58:
        return COLON
    if first == 40:
        return LEFT
    if first == 41:
        return RIGHT
    if first == 46 or first == 33 or first == 63:  # . ! ?
        return STOP
    if first == 34 or first == 39 or first == 96:  # " ' `
        return _QUOTE
    if first == _HYPHEN:
        return DASH
    if first == 0xE2 and end - start == 3 and data[start + 1] == 0x80:  # U+2000 to U+203F
        third = data[start + 2]
        if 0x98 <= third <= 0x9F:
            return _QUOTE
        if 0x90 <= third <= 0x95:
            return DASH
    return SIGN


@subkernel()
def _ends_with(arena, end, ending):
    for j in range(len(ending)):
        if arena[end - len(ending) + j] != ending[j]:
            return False
    return True


@kernel()
def classify_by_ending(arena, starts, lengths):
    """Class and flags of forms that are not in the lexicon; entry 0 stands for no form. See `lexicon.of_form`."""
    classes = np.full(len(starts) + 1, NOUN, dtype=np.uint8)
    flags = np.zeros(len(starts) + 1, dtype=np.uint8)
    for f in range(len(starts)):
        length = lengths[f]
        if length < 4:
            continue
        end = starts[f] + length
        last, before = arena[end - 1], arena[end - 2]
        if last == 115 and before != 115 and before != 117 and before != 105:  # -s, not -ss, -us, -is
            flags[f + 1] |= PLURAL
        elif length > 4 and _ends_with(arena, end, _EST):
            flags[f + 1] |= SUPERLATIVE
        if length > 4 and _ends_with(arena, end, _LY):
            classes[f + 1] = ADV
        elif length > 5 and (_ends_with(arena, end, _ED) or _ends_with(arena, end, _ING)):
            classes[f + 1] = PART
        elif length > 5 and (
            _ends_with(arena, end, _OUS)
            or _ends_with(arena, end, _FUL)
            or _ends_with(arena, end, _LESS)
            or _ends_with(arena, end, _ABLE)
            or _ends_with(arena, end, _IBLE)
        ):
            classes[f + 1] = ADJ
    return classes, np.zeros(len(starts) + 1, dtype=np.uint8), flags


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
