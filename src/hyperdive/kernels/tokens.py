"""The compiled tokeniser: words, sentences and documents of a block of UTF-8 bytes.

`tokenise` is one long function, because all its branches share the state of the word in progress.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel
from hyperdive.kernels.forms import FNV_PRIME, FNV_START, LOWER_HALF, UPPER_HALF, grow_tagged_slots

# Classes of characters; `UPPERISH` marks every letter that is not lower case.
OTHER, LETTER, MARK, DIGIT, HYPHEN, APOSTROPHE, SPACE, DOT, STOP, OPEN, CLOSE, FULL_STOP = range(12)
UPPERISH = 0x10
CLASS_MASK = 0x0F

# What becomes of words joined by a hyphen or an apostrophe.
DROP, SPLIT, KEEP = 0, 1, 2

# Counters returned by `tokenise`.
READ, NUMBER, JOINED, ABBREVIATION, NOT_IN_ALPHABET, CLITIC, TOO_LONG, INVALID, FIRST_INVALID, NUL = range(10)
N_COUNTERS = 10

MAX_WORD_BYTES = 200

# Kinds of spans: a kept word, a dropped token, a sign.
WORD, DROPPED, SIGN = 0, 1, 2


@subkernel()
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


@subkernel()
def _class_at(data, i, end, classes):
    cp, width, bad = _decode(data, i, end)
    if cp < len(classes):
        return classes[cp], width, bad
    return np.uint8(0), width, bad


@subkernel()
def _is_single_t(data, i, end, classes):
    if i >= end or (data[i] != 116 and data[i] != 84):
        return False
    if i + 1 >= end:
        return True
    k, _, _ = _class_at(data, i + 1, end, classes)
    kind = k & CLASS_MASK
    return kind != LETTER and kind != DIGIT and kind != MARK


@subkernel()
def _is_clitic(arena, at, length):
    """s, d, m, ll, re, ve: what English leaves behind an apostrophe."""
    if length == 1:
        return arena[at] == 115 or arena[at] == 100 or arena[at] == 109
    if length == 2:
        a, b = arena[at], arena[at + 1]
        return (a == 108 and b == 108) or (a == 114 and b == 101) or (a == 118 and b == 101)
    return False


@subkernel()
def _contains(ordered, value):
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low < len(ordered) and ordered[low] == value


@kernel()
def tokenise(data, ends, classes, hyphens, ascii_only, spans, abbreviations, continued, unfinished):
    """Split documents into words, number the distinct ones, find sentences.

    `data` holds documents one after another, document d ending before `ends[d]`. Words are runs of letters, marks
    and digits; a hyphen or apostrophe between two of them joins them (`hyphens`), a dot joins single letters
    (*U.S.*). Only words of letters are numbered; the others are counted by reason. ASCII letters are lower-cased
    here, all else later, once per form. With `spans`, start, end and kind of every token and sign are recorded, which
    a tagger needs. A sentence ends after . ! ? (and
    closing marks) before a blank and a character that is not a lower-case letter, unless the dot belongs to an
    initial or an abbreviation; and at an empty line. A piece with `continued` goes on with the document before it,
    one that is `unfinished` with the next.
    """
    size = len(data)
    slots = np.zeros(1 << 16, dtype=np.uint64)  # the upper half of the hash, and the number of the form
    most = size // 2 + 2
    tokens = np.empty(most, dtype=np.uint32)
    hashes = np.empty(most, dtype=np.uint64)
    places = np.empty(most, dtype=np.int64)  # start·256 + length: one look instead of two
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
    n_spans = 0
    span_room = size + 2 if spans else 1
    span_starts = np.empty(span_room, dtype=np.int64)
    span_ends = np.empty(span_room, dtype=np.int64)
    span_kinds = np.empty(span_room, dtype=np.uint8)
    n = n_forms = n_docs = n_sents = 0
    begin = n_arena = np.int64(0)  # with 0, functions would be compiled for that constant, too
    for d in range(len(ends)):
        end = ends[d]
        piece_tokens[d] = n
        doc_n, doc_s, doc_spans = n, n_sents, n_spans
        any_word = False
        open_sentence = False
        pending = 0  # 1: a sentence may have ended; 2: and a blank follows
        newlines = 0
        opener = -1  # an opening quote or bracket right before a possible sentence start
        last_token_end = -1
        last_hash = np.uint64(0)
        last_is_initial = False
        after_apostrophe = False
        last_seen = begin
        i = begin
        while i < end:
            if data[i] == 32:
                if pending == 1:
                    pending = 2
                after_apostrophe = False
                opener = -1
                i += 1
                continue
            if data[i] < 0x80:  # without a call, which would take longer than all else here
                k, width, bad = classes[data[i]], 1, False
            else:
                k, width, bad = _class_at(data, i, end, classes)
            kind = k & CLASS_MASK
            if kind == SPACE:
                if data[i] == 10:
                    newlines += 1
                if pending == 1:
                    pending = 2
                after_apostrophe = False
                opener = -1
                i += width
                continue
            if kind == LETTER or kind == DIGIT:
                if not open_sentence or newlines >= 2 or (pending == 2 and (kind == DIGIT or (k & UPPERISH) != 0)):
                    at = i if opener < 0 else opener
                    if open_sentence:
                        sent_ends[n_sents - 1] = last_seen if opener < 0 else min(last_seen, opener)
                    sent_tokens[n_sents] = n
                    sent_starts[n_sents] = at
                    n_sents += 1
                    open_sentence = True
                pending = 0
                newlines = 0
                opener = -1
                # --- one word; the arena needs no bound: a form is never longer than what was read
                start = i
                h = FNV_START
                length = 0
                has_digit = has_joint = has_dot = non_ascii = False
                ended_by_apostrophe = False
                split_at = -1
                while i < end:  # the letters a-z, which nearly every word is made of
                    low = data[i] | np.uint8(0x20)
                    if np.uint8(low - np.uint8(97)) >= 26:
                        break
                    arena[n_arena + length] = low
                    h = (h ^ np.uint64(low)) * FNV_PRIME
                    length += 1
                    i += 1
                piece = length  # characters since the last dot
                while i < end:
                    b = data[i]
                    if b == 32 or b == 44:  # a blank or a comma
                        break
                    if b < 0x80:
                        k, width, bad = classes[b], 1, False
                    else:
                        k, width, bad = _class_at(data, i, end, classes)
                    kind = k & CLASS_MASK
                    if kind == LETTER or kind == MARK or kind == DIGIT:
                        if kind == DIGIT:
                            has_digit = True
                        if b >= 0x80:
                            non_ascii = True
                        for j in range(width):
                            byte = data[i + j]
                            if b < 0x80 and kind == LETTER:
                                byte |= np.uint8(0x20)
                            arena[n_arena + length] = byte
                            length += 1
                            h = (h ^ np.uint64(byte)) * FNV_PRIME
                        if kind != MARK:
                            piece += 1
                        i += width
                        continue
                    if kind != HYPHEN and kind != APOSTROPHE and kind != DOT:
                        break
                    if i + width >= end:
                        break
                    following, _, _ = _class_at(data, i + width, end, classes)
                    following = following & CLASS_MASK
                    if following != LETTER and following != DIGIT:
                        break
                    if kind == DOT:
                        if piece != 1 or following != LETTER or has_digit:
                            break
                        has_dot = True
                        piece = 0
                        i += width
                        continue
                    if hyphens == SPLIT:
                        ended_by_apostrophe = kind == APOSTROPHE
                        split_at = i
                        i += width
                        break
                    has_joint = True
                    joint = np.uint8(45) if kind == HYPHEN else np.uint8(39)
                    arena[n_arena + length] = joint
                    length += 1
                    h = (h ^ np.uint64(joint)) * FNV_PRIME
                    piece += 1
                    i += width
                stop_at = i if split_at < 0 else split_at
                counters[READ] += 1
                any_word = True
                reason = -1
                if has_dot:
                    reason = ABBREVIATION
                elif has_digit:
                    reason = NUMBER
                elif has_joint and hyphens == DROP:
                    reason = JOINED
                elif non_ascii and ascii_only:
                    reason = NOT_IN_ALPHABET
                elif length > MAX_WORD_BYTES:
                    reason = TOO_LONG
                elif ended_by_apostrophe and _is_single_t(data, i, end, classes):
                    # didn't, won't: a function word as a whole
                    reason = CLITIC
                    i += 1
                    stop_at = i
                    ended_by_apostrophe = False
                elif after_apostrophe and _is_clitic(arena, n_arena, length):
                    reason = CLITIC
                after_apostrophe = ended_by_apostrophe
                h = h ^ (h >> np.uint64(29))
                last_hash = h
                last_is_initial = has_dot or (piece == 1 and length == 1)
                last_token_end = i
                last_seen = stop_at
                if spans:
                    span_starts[n_spans] = start
                    span_ends[n_spans] = stop_at
                    span_kinds[n_spans] = WORD if reason < 0 else DROPPED
                    n_spans += 1
                if reason >= 0:
                    counters[reason] += 1
                    continue
                mask = np.uint64(len(slots) - 1)
                at = h & mask
                tag = h & UPPER_HALF
                form = 0
                while slots[at] != 0:
                    slot = slots[at]
                    if slot & UPPER_HALF == tag:
                        t = np.int64(slot & LOWER_HALF) - 1
                        place = places[t]
                        if place & 255 == length:
                            same = True
                            other = place >> 8
                            for j in range(length):
                                if arena[other + j] != arena[n_arena + j]:
                                    same = False
                                    break
                            if same:
                                form = t + 1
                                break
                    at = (at + np.uint64(1)) & mask
                if form == 0:
                    hashes[n_forms] = h
                    places[n_forms] = (n_arena << 8) | length
                    n_arena += length
                    n_forms += 1
                    form = n_forms
                    slots[at] = tag | np.uint64(form)
                    if 2 * n_forms > len(slots):
                        slots = grow_tagged_slots(slots, hashes, n_forms)
                tokens[n] = form
                n += 1
                continue
            # --- a sign
            if bad:
                counters[INVALID] += 1
                if counters[FIRST_INVALID] < 0:
                    counters[FIRST_INVALID] = i
            if data[i] == 0:
                counters[NUL] += 1
            if not open_sentence or newlines >= 2:
                if open_sentence:
                    sent_ends[n_sents - 1] = last_seen
                sent_tokens[n_sents] = n
                sent_starts[n_sents] = i
                n_sents += 1
                open_sentence = True
                pending = 0
                newlines = 0
            if kind == DOT:
                short = last_token_end == i and (last_is_initial or _contains(abbreviations, last_hash))
                pending = 0 if short else 1
            elif kind == STOP:
                pending = 1
            elif kind == FULL_STOP:
                pending = 2
            elif (kind == OPEN or kind == CLOSE or kind == APOSTROPHE) or data[i] == 34:
                if pending != 1 and opener < 0:
                    opener = i
            else:
                if pending == 1:
                    pending = 0
                opener = -1
            after_apostrophe = False
            if spans:
                span_starts[n_spans] = i
                span_ends[n_spans] = i + width
                span_kinds[n_spans] = SIGN
                n_spans += 1
            if opener < 0 or pending == 1:
                last_seen = i + width
            i += width
        if open_sentence:
            sent_ends[n_sents - 1] = max(last_seen, sent_starts[n_sents - 1])
            if opener >= 0:
                sent_ends[n_sents - 1] = end
        if not any_word and not unfinished[d]:
            n, n_sents, n_spans = doc_n, doc_s, doc_spans
        elif not continued[d]:
            doc_tokens[n_docs] = doc_n
            doc_sentences[n_docs] = doc_s
            n_docs += 1
        begin = end
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
