"""The compiled tokeniser: words, sentences and documents of a block of UTF-8 bytes."""

from __future__ import annotations

import numpy as np
from numba import njit

from hyperdive.text._kernels.codes import (
    ABBREVIATION,
    APOSTROPHE,
    CLASS_MASK,
    CLITIC,
    CLOSE,
    DIGIT,
    DOT,
    DROP,
    DROPPED,
    FIRST_INVALID,
    FULL_STOP,
    HYPHEN,
    INVALID,
    JOINED,
    LETTER,
    MARK,
    MAX_WORD_BYTES,
    N_COUNTERS,
    NOT_IN_ALPHABET,
    NUL,
    NUMBER,
    OPEN,
    READ,
    SIGN,
    SPACE,
    SPLIT,
    STOP,
    TOO_LONG,
    UPPERISH,
    WORD,
)  # fmt: skip
from hyperdive.text._kernels.forms import FNV_PRIME, FNV_START, UPPER_HALF, find_tagged, grow_tagged_slots

# What `_scan_word` says of a word.
_HAS_DIGIT, _HAS_JOINT, _HAS_DOT, _NON_ASCII, _BEFORE_APOSTROPHE = 1, 2, 4, 8, 16

# Whether a sentence may have ended: not, after a stop, after a stop and a blank.
_NO_END, _AFTER_STOP, _AFTER_BLANK = 0, 1, 2


@njit(cache=True, nogil=True)
def _decode(data, i, end):
    """Code point and width at i; an invalid sequence is (0xFFFD, 1) with the third value True."""
    b = data[i]
    if b < 0x80:
        return np.int64(b), 1, False
    if 0xC2 <= b < 0xE0 and i + 1 < end and (data[i + 1] & 0xC0) == 0x80:
        return np.int64((b & 0x1F) << 6) | np.int64(data[i + 1] & 0x3F), 2, False
    if 0xE0 <= b < 0xF0 and i + 2 < end and (data[i + 1] & 0xC0) == 0x80 and (data[i + 2] & 0xC0) == 0x80:
        cp = (np.int64(b & 0x0F) << 12) | (np.int64(data[i + 1] & 0x3F) << 6) | np.int64(data[i + 2] & 0x3F)
        if cp >= 0x800 and not (0xD800 <= cp < 0xE000):
            return cp, 3, False
    if (
        0xF0 <= b < 0xF5
        and i + 3 < end
        and (data[i + 1] & 0xC0) == 0x80
        and (data[i + 2] & 0xC0) == 0x80
        and (data[i + 3] & 0xC0) == 0x80
    ):
        cp = (
            (np.int64(b & 0x07) << 18)
            | (np.int64(data[i + 1] & 0x3F) << 12)
            | (np.int64(data[i + 2] & 0x3F) << 6)
            | np.int64(data[i + 3] & 0x3F)
        )
        if 0x10000 <= cp < 0x110000:
            return cp, 4, False
    return np.int64(0xFFFD), 1, True


@njit(cache=True, nogil=True)
def _class_at(data, i, end, classes):
    """Class (with the `UPPERISH` bit) and width of the character at i, and whether it is invalid UTF-8."""
    cp, width, invalid = _decode(data, i, end)
    if cp < len(classes):
        return classes[cp], width, invalid
    return np.uint8(0), width, invalid


@njit(cache=True, nogil=True)
def _scan_word(data, i, end, classes, hyphens, arena, n_arena):
    """Read the word at i and write its form to the arena, which needs no bound: no form is longer than what was read.

    Returns the item after the word, the end of the word itself (before a joint where it was split), its length in
    bytes, its hash before folding, the characters since its last dot, and flags.
    """
    h = FNV_START
    length = 0
    flags = 0
    while i < end:  # the letters a-z, which nearly every word is made of
        low = data[i] | np.uint8(0x20)
        if np.uint8(low - np.uint8(97)) >= 26:
            break
        arena[n_arena + length] = low
        h = (h ^ np.uint64(low)) * FNV_PRIME
        length += 1
        i += 1
    since_dot = length
    while i < end:
        b = data[i]
        if b == 32:
            break
        k, width, _ = _class_at(data, i, end, classes)
        kind = k & CLASS_MASK
        if kind == LETTER or kind == MARK or kind == DIGIT:
            if kind == DIGIT:
                flags |= _HAS_DIGIT
            if b >= 0x80:
                flags |= _NON_ASCII
            for j in range(width):
                byte = data[i + j]
                if b < 0x80 and kind == LETTER:
                    byte |= np.uint8(0x20)
                arena[n_arena + length] = byte
                length += 1
                h = (h ^ np.uint64(byte)) * FNV_PRIME
            if kind != MARK:
                since_dot += 1
            i += width
            continue
        if (kind != HYPHEN and kind != APOSTROPHE and kind != DOT) or i + width >= end:
            break
        following, _, _ = _class_at(data, i + width, end, classes)
        following = following & CLASS_MASK
        if following != LETTER and following != DIGIT:
            break
        if kind == DOT:
            if since_dot != 1 or following != LETTER or flags & _HAS_DIGIT != 0:
                break
            flags |= _HAS_DOT
            since_dot = 0
        elif hyphens == SPLIT:
            if kind == APOSTROPHE:
                flags |= _BEFORE_APOSTROPHE
            return i + width, i, length, h, since_dot, flags
        else:
            flags |= _HAS_JOINT
            joint = np.uint8(45) if kind == HYPHEN else np.uint8(39)
            arena[n_arena + length] = joint
            length += 1
            h = (h ^ np.uint64(joint)) * FNV_PRIME
            since_dot += 1
        i += width
    return i, i, length, h, since_dot, flags


@njit(cache=True, nogil=True)
def _drop_reason(flags, length, hyphens, ascii_only):
    """Why a word gets no number, as a counter; -1 when it gets one, clitics aside."""
    if flags & _HAS_DOT != 0:
        return ABBREVIATION
    if flags & _HAS_DIGIT != 0:
        return NUMBER
    if flags & _HAS_JOINT != 0 and hyphens == DROP:
        return JOINED
    if flags & _NON_ASCII != 0 and ascii_only:
        return NOT_IN_ALPHABET
    if length > MAX_WORD_BYTES:
        return TOO_LONG
    return -1


@njit(cache=True, nogil=True)
def _is_single_t(data, i, end, classes):
    if i >= end or (data[i] != 116 and data[i] != 84):
        return False
    if i + 1 >= end:
        return True
    k, _, _ = _class_at(data, i + 1, end, classes)
    kind = k & CLASS_MASK
    return kind != LETTER and kind != DIGIT and kind != MARK


@njit(cache=True, nogil=True)
def _is_clitic(arena, at, length):
    """s, d, m, ll, re, ve: what English leaves behind an apostrophe."""
    if length == 1:
        return arena[at] == 115 or arena[at] == 100 or arena[at] == 109
    if length == 2:
        a, b = arena[at], arena[at + 1]
        return (a == 108 and b == 108) or (a == 114 and b == 101) or (a == 118 and b == 101)
    return False


@njit(cache=True, nogil=True)
def _contains(ordered, value):
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low < len(ordered) and ordered[low] == value


@njit(cache=True, nogil=True)
def _after_sign(kind, byte, i, short, ending, opener):
    """(ending, opener) after a sign: whether a sentence may have ended, and where an opening mark precedes the next.

    `short`: the sign follows an initial or an abbreviation, whose dot ends nothing.
    """
    if kind == DOT:
        return (_NO_END if short else _AFTER_STOP), opener
    if kind == STOP:
        return _AFTER_STOP, opener
    if kind == FULL_STOP:
        return _AFTER_BLANK, opener
    if kind == OPEN or kind == CLOSE or kind == APOSTROPHE or byte == 34:
        if ending != _AFTER_STOP and opener < 0:
            return ending, i
        return ending, opener
    return (_NO_END if ending == _AFTER_STOP else ending), np.int64(-1)


@njit(cache=True, nogil=True)
def _tokenise_document(
    data, begin, end, classes, hyphens, ascii_only, gaps, spans, abbreviations,
    tokens, n, slots, hashes, places, n_forms, arena, n_arena, counters,
    sent_tokens, sent_starts, sent_ends, n_sents, span_starts, span_ends, span_kinds, n_spans,
):  # fmt: skip
    """Tokenise one document (or piece) and append to the arrays; returns their new sizes and whether it has a word."""
    any_word = False
    open_sentence = False
    ending = np.int64(_NO_END)
    newlines = 0
    opener = np.int64(-1)  # an opening quote or bracket right before a possible sentence start
    last_token_end = np.int64(-1)
    last_hash = np.uint64(0)
    last_is_initial = False
    after_apostrophe = False
    last_seen = begin
    i = begin
    while i < end:
        if data[i] == 32:
            if ending == _AFTER_STOP:
                ending = _AFTER_BLANK
            after_apostrophe = False
            opener = np.int64(-1)
            i += 1
            continue
        k, width, invalid = _class_at(data, i, end, classes)
        kind = k & CLASS_MASK
        if kind == SPACE:
            if data[i] == 10:
                newlines += 1
            if ending == _AFTER_STOP:
                ending = _AFTER_BLANK
            after_apostrophe = False
            opener = np.int64(-1)
            i += width
            continue
        is_word = kind == LETTER or kind == DIGIT
        ended = ending == _AFTER_BLANK and is_word and (kind == DIGIT or (k & UPPERISH) != 0)
        if not open_sentence or newlines >= 2 or ended:
            at = opener if is_word and opener >= 0 else i
            if open_sentence:
                sent_ends[n_sents - 1] = min(last_seen, at)
            sent_tokens[n_sents] = n
            sent_starts[n_sents] = at
            n_sents += 1
            open_sentence = True
            ending = _NO_END
            newlines = 0
        if is_word:
            ending = _NO_END
            newlines = 0
            opener = np.int64(-1)
            start = i
            i, word_end, length, h, since_dot, flags = _scan_word(data, i, end, classes, hyphens, arena, n_arena)
            any_word = True
            before_apostrophe = flags & _BEFORE_APOSTROPHE != 0
            reason = _drop_reason(flags, length, hyphens, ascii_only)
            if reason < 0 and before_apostrophe and _is_single_t(data, i, end, classes):
                reason = CLITIC  # didn't, won't: a function word as a whole
                i += 1
                word_end = i
                before_apostrophe = False
            elif reason < 0 and after_apostrophe and _is_clitic(arena, n_arena, length):
                reason = CLITIC
            after_apostrophe = before_apostrophe
            h = h ^ (h >> np.uint64(29))
            last_hash = h
            last_is_initial = flags & _HAS_DOT != 0 or (since_dot == 1 and length == 1)
            last_token_end = i
            last_seen = word_end
            counters[READ] += 1
            if spans:
                span_starts[n_spans] = start
                span_ends[n_spans] = word_end
                span_kinds[n_spans] = WORD if reason < 0 else DROPPED
                n_spans += 1
            if reason >= 0:
                counters[reason] += 1
                if gaps:
                    tokens[n] = 0
                    n += 1
                continue
            form, at_slot = find_tagged(slots, places, arena, n_arena, length, h)
            if form == 0:
                hashes[n_forms] = h
                places[n_forms] = (n_arena << 8) | length
                n_arena += length
                n_forms += 1
                form = n_forms
                slots[at_slot] = (h & UPPER_HALF) | np.uint64(form)
                if 2 * n_forms > len(slots):
                    slots = grow_tagged_slots(slots, hashes, n_forms)
            tokens[n] = form
            n += 1
            continue
        if invalid:
            counters[INVALID] += 1
            if counters[FIRST_INVALID] < 0:
                counters[FIRST_INVALID] = i
        if data[i] == 0:
            counters[NUL] += 1
        short = kind == DOT and last_token_end == i and (last_is_initial or _contains(abbreviations, last_hash))
        ending, opener = _after_sign(kind, data[i], i, short, ending, opener)
        after_apostrophe = False
        if spans:
            span_starts[n_spans] = i
            span_ends[n_spans] = i + width
            span_kinds[n_spans] = SIGN
            n_spans += 1
        if gaps and n > 0 and tokens[n - 1] != 0:
            tokens[n] = 0
            n += 1
        if opener < 0 or ending == _AFTER_STOP:
            last_seen = i + width
        i += width
    if open_sentence:
        sent_ends[n_sents - 1] = end if opener >= 0 else max(last_seen, sent_starts[n_sents - 1])
    return n, slots, n_forms, n_arena, n_sents, n_spans, any_word


@njit(cache=True, nogil=True)
def tokenise(data, ends, classes, hyphens, ascii_only, gaps, spans, abbreviations, continued, unfinished):
    """Split documents into words, number the distinct ones, find sentences.

    `data` holds documents one after another, document d ending before `ends[d]`. Words are runs of letters, marks
    and digits; a hyphen or apostrophe between two of them joins them (`hyphens`), a dot joins single letters
    (*U.S.*). Only words of letters are numbered; the others are counted by reason. ASCII letters are lower-cased
    here, all else later, once per form. With `gaps`, form 0 marks what a phrase must not bridge; with `spans`,
    start, end and kind of every token and sign are recorded, which a tagger needs. A sentence ends after . ! ? (and
    closing marks) before a blank and a character that is not a lower-case letter, unless the dot belongs to an
    initial or an abbreviation; and at an empty line. A piece with `continued` continues the document before it,
    one that is `unfinished` is continued by the next.
    """
    size = len(data)
    most = size // 2 + 2
    tokens = np.empty(2 * most if gaps else most, dtype=np.uint32)
    slots = np.zeros(1 << 16, dtype=np.uint64)
    hashes = np.empty(most, dtype=np.uint64)
    places = np.empty(most, dtype=np.int64)  # start·256 + length: one read instead of two
    arena = np.empty(size + 8, dtype=np.uint8)
    counters = np.zeros(N_COUNTERS, dtype=np.int64)
    counters[FIRST_INVALID] = -1
    doc_tokens = np.empty(len(ends) + 1, dtype=np.int64)
    doc_sentences = np.empty(len(ends) + 1, dtype=np.int64)
    piece_tokens = np.empty(len(ends) + 1, dtype=np.int64)
    most_sentences = size // 2 + len(ends) + 2
    sent_tokens = np.empty(most_sentences, dtype=np.int64)
    sent_starts = np.empty(most_sentences, dtype=np.int64)
    sent_ends = np.empty(most_sentences, dtype=np.int64)
    most_spans = size + 2 if spans else 1
    span_starts = np.empty(most_spans, dtype=np.int64)
    span_ends = np.empty(most_spans, dtype=np.int64)
    span_kinds = np.empty(most_spans, dtype=np.uint8)
    n = n_forms = n_arena = n_docs = n_sents = n_spans = begin = np.int64(0)
    for d in range(len(ends)):
        piece_tokens[d] = n
        doc_n, doc_sents, doc_spans = n, n_sents, n_spans
        n, slots, n_forms, n_arena, n_sents, n_spans, any_word = _tokenise_document(
            data, begin, ends[d], classes, hyphens, ascii_only, gaps, spans, abbreviations,
            tokens, n, slots, hashes, places, n_forms, arena, n_arena, counters,
            sent_tokens, sent_starts, sent_ends, n_sents, span_starts, span_ends, span_kinds, n_spans,
        )  # fmt: skip
        if not any_word and not unfinished[d]:
            n, n_sents, n_spans = doc_n, doc_sents, doc_spans
        elif not continued[d]:
            doc_tokens[n_docs] = doc_n
            doc_sentences[n_docs] = doc_sents
            n_docs += 1
        begin = ends[d]
    piece_tokens[len(ends)] = n
    return (
        tokens[:n].copy(),
        arena[:n_arena].copy(),
        places[:n_forms] >> 8,
        (places[:n_forms] & 255).astype(np.int32),
        hashes[:n_forms].copy(),
        doc_tokens[:n_docs].copy(),
        doc_sentences[:n_docs].copy(),
        piece_tokens,
        sent_tokens[:n_sents].copy(),
        sent_starts[:n_sents].copy(),
        sent_ends[:n_sents].copy(),
        counters,
        span_starts[:n_spans].copy(),
        span_ends[:n_spans].copy(),
        span_kinds[:n_spans].copy(),
    )
