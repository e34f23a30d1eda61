"""Words of a block as items, and the search for terms in a stream of items: candidates, counts, occurrences.

An item has 32 bits: the number of a form (27 bits), whether it is a numeral of the block, how it is written (2 bits),
and what joins it to the item before (2 bits). Number 0 is a gap, which no term bridges. For the search, form numbers
are replaced by dense numbers: words first, then numerals. A sequence of words is one 64-bit hash of its keys, so
counting is sorting.
"""

from __future__ import annotations

import numpy as np

from hyperdive.kernels.decorator import kernel, subkernel
from hyperdive.kernels.forms import FNV_PRIME, FNV_START, grow_slots, same_bytes
from hyperdive.kernels.tokens import DROPPED, WORD

NUMBER_MASK = np.uint32((1 << 27) - 1)
NUMERAL = np.uint32(1 << 27)
FORM_MASK = NUMBER_MASK | NUMERAL
CASE_SHIFT, JOINT_SHIFT = np.uint32(28), np.uint32(30)
LOWER, CAPITALISED, CAPITALS, MIXED = 0, 1, 2, 3
BLANK, HYPHEN, POSSESSIVE, APOSTROPHE = 0, 1, 2, 3
GAP = np.uint32(0)
SENTENCE = np.uint32(1 << 30)
"""A gap at the start of a sentence, where a capital says nothing."""
MAX_NUMERAL_BYTES = 12


@subkernel()
def _joint(data, end, start):
    """What stands between two words without a blank or a sign; `BLANK` where there is either."""
    if end >= start:
        return BLANK
    byte = data[end]
    if byte == 45:
        return HYPHEN
    if byte == 39:
        return APOSTROPHE
    if byte == 0xE2 and start - end == 3 and data[end + 1] == 0x80:
        return HYPHEN if data[end + 2] == 0x90 or data[end + 2] == 0x91 else APOSTROPHE
    return APOSTROPHE if byte >= 0x80 and start - end == 2 else BLANK


@subkernel()
def _written_case(data, start, end):
    """How the ASCII letters of a word are written, and whether it has a digit."""
    upper = lower = 0
    digit = False
    for i in range(start, end):
        byte = data[i]
        if 65 <= byte < 91:
            upper += 1
        elif 97 <= byte < 123 or byte >= 0x80:
            lower += 1
        elif 48 <= byte < 58:
            digit = True
    if upper == 0:
        return LOWER, digit
    if lower == 0 and (upper > 1 or digit):
        return CAPITALS, digit
    if upper == 1 and 65 <= data[start] < 91:
        return CAPITALISED, digit
    return MIXED, digit


@subkernel()
def _number(slots, hashes, starts, lengths, n_numerals, arena, n_arena, length, h):
    """The number of the numeral at the end of the arena; n_numerals + 1 when it is new."""
    mask = np.uint64(len(slots) - 1)
    at = h & mask
    while slots[at] != 0:
        known = np.int64(slots[at]) - 1
        if hashes[known] == h and lengths[known] == length and same_bytes(arena, starts[known], arena, n_arena, length):
            return known + 1
        at = (at + np.uint64(1)) & mask
    slots[at] = n_numerals + 1
    hashes[n_numerals] = h
    starts[n_numerals] = n_arena
    lengths[n_numerals] = length
    return n_numerals + 1


@kernel()
def term_items(data, span_starts, span_ends, span_kinds, forms, sent_starts, n_forms):
    """The items of a block.

    Returns the items, the first item of every sentence, the numerals (arena, starts, lengths, hashes) and for every
    form of the block where it is first written in mixed case (-1: never).
    """
    n_spans = len(span_starts)
    items = np.empty(n_spans + len(sent_starts) + 1, dtype=np.uint32)
    sent_items = np.empty(len(sent_starts), dtype=np.int64)
    mixed_at = np.full(n_forms + 1, -1, dtype=np.int64)
    slots = np.zeros(1 << 12, dtype=np.uint32)
    most = len(span_starts) - len(forms) + 1
    hashes = np.empty(most, dtype=np.uint64)
    starts = np.empty(most, dtype=np.int64)
    lengths = np.empty(most, dtype=np.int32)
    arena = np.empty(MAX_NUMERAL_BYTES * (most + 1), dtype=np.uint8)
    n = sentence = token = 0
    n_numerals = n_arena = np.int64(0)  # with 0, functions would be compiled for that constant, too
    joint = BLANK
    last_end = np.int64(-1)
    for i in range(n_spans):
        start, end, kind = span_starts[i], span_ends[i], span_kinds[i]
        while sentence < len(sent_starts) and sent_starts[sentence] <= start:
            sent_items[sentence] = n
            sentence += 1
            items[n] = SENTENCE
            n += 1
            last_end = np.int64(-1)
            joint = BLANK
        if last_end >= 0 and joint == BLANK:
            joint = _joint(data, last_end, start)
        if kind == WORD:
            case, _ = _written_case(data, start, end)
            form = forms[token]
            token += 1
            if case == MIXED and mixed_at[form] < 0:
                mixed_at[form] = start
            items[n] = form | (np.uint32(case) << CASE_SHIFT) | (np.uint32(joint) << JOINT_SHIFT)
            n += 1
            last_end = end
            joint = BLANK
            continue
        if kind == DROPPED:
            if joint == APOSTROPHE and end - start == 1 and (data[start] | 0x20) == 115:  # the s of a possessive
                joint = POSSESSIVE
                last_end = end
                continue
            case, digit = _written_case(data, start, end)
            if digit and end - start <= MAX_NUMERAL_BYTES:
                h = FNV_START
                for j in range(start, end):
                    byte = data[j]
                    if 65 <= byte < 91:
                        byte |= np.uint8(0x20)
                    arena[n_arena + j - start] = byte
                    h = (h ^ np.uint64(byte)) * FNV_PRIME
                h = h ^ (h >> np.uint64(29))
                number = _number(slots, hashes, starts, lengths, n_numerals, arena, n_arena, end - start, h)
                if number > n_numerals:
                    n_numerals = number
                    n_arena += end - start
                    if 2 * n_numerals > len(slots):
                        slots = grow_slots(slots, hashes, n_numerals)
                items[n] = (
                    np.uint32(number) | NUMERAL | (np.uint32(case) << CASE_SHIFT) | (np.uint32(joint) << JOINT_SHIFT)
                )
                n += 1
                last_end = end
                joint = BLANK
                continue
        elif last_end == start and data[start] == 39 and (data[start - 1] | 0x20) == 115 and joint == BLANK:
            joint = POSSESSIVE  # workers' compensation
            last_end = end
            continue
        if n and items[n - 1] & FORM_MASK != 0:
            items[n] = GAP
            n += 1
        last_end = np.int64(-1)
        joint = BLANK
    while sentence < len(sent_starts):
        sent_items[sentence] = n
        sentence += 1
    return (
        items[:n].copy(), sent_items, arena[:n_arena].copy(), starts[:n_numerals].copy(),
        lengths[:n_numerals].copy(), hashes[:n_numerals].copy(), mixed_at[1:],
    )  # fmt: skip


@kernel()
def renumber_items(items, numbers, numerals):
    """Numbers within a block → numbers of the whole text, in place; there words and numerals share their numbers."""
    for i in range(len(items)):
        item = items[i]
        number = item & NUMBER_MASK
        if number != 0:
            new = numerals[number - 1] if item & NUMERAL != 0 else numbers[number - 1]
            items[i] = (item & ~FORM_MASK) | np.uint32(new)


# What an item can be in a noun phrase.
(
    BREAK, NOUN, MODIFIER, LETTER, CAPITAL_LETTER, LINK, WEAK_LINK, DIGITS, CODE, VERB, AMOUNT,
) = range(11)  # fmt: skip

START = np.uint64(0x9E3779B97F4A7C15)
FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_CASE_MASK = np.uint32(3)
_BYTE, _BIT = np.uint64(3), np.uint64(7)


@subkernel()
def mix(h, key):
    """The hash of a sequence of keys and one key more."""
    h = (h ^ np.uint64(key)) * FACTOR
    return h ^ (h >> np.uint64(29))


@kernel()
def hash_rows(rows, lengths):
    """The hash of each row of keys."""
    hashes = np.empty(len(rows), dtype=np.uint64)
    for r in range(len(rows)):
        h = START
        for j in range(lengths[r]):
            h = mix(h, rows[r, j])
        hashes[r] = h
    return hashes


@subkernel()
def _case(item):
    return (item >> CASE_SHIFT) & _CASE_MASK


@subkernel()
def _role(items, i, role_of):
    """The role of item i: inside a sentence a capital makes a modifier or verb a noun, and *A* or *I* a letter."""
    role = role_of[items[i] & FORM_MASK]
    if role == MODIFIER or role == VERB or role == CAPITAL_LETTER:
        capital = _case(items[i]) >= CAPITALISED and i > 0 and items[i - 1] & FORM_MASK != 0
        if role == CAPITAL_LETTER:
            return np.uint8(LETTER if capital else BREAK)
        if capital:
            return np.uint8(NOUN)
    return role


@subkernel()
def _starts_phrase(role):
    return role == NOUN or role == MODIFIER or role == LETTER or role == CODE or role == VERB or role == AMOUNT


@subkernel()
def _is_link(role):
    return role == LINK or role == WEAK_LINK


@subkernel()
def _follows(role, before, linked):
    """Whether a candidate goes on with an item of this role."""
    if role == BREAK:
        return False
    if _is_link(role):
        return not linked and (before == NOUN or before == VERB)
    return not (role == DIGITS and _is_link(before))


@subkernel()
def _ends_phrase(role, before):
    if role == LETTER or role == CODE:
        return before == NOUN
    return role == NOUN or role == MODIFIER or role == VERB


@kernel()
def candidate_hashes(items, first, end, role_of, key_of, longest):
    """Hashes of all candidates that start at an item of [first, end).

    A candidate is a noun phrase of up to `longest` words, or two of them joined by one link such as *of*.
    """
    out = np.empty(max(end - first, 16), dtype=np.uint64)
    n = 0
    for i in range(first, end):
        role = _role(items, i, role_of)
        if not _starts_phrase(role):
            continue
        h = mix(START, key_of[items[i] & FORM_MASK])
        linked = False
        for j in range(i + 1, min(len(items), i + longest)):
            before = role
            role = _role(items, j, role_of)
            if not _follows(role, before, linked):
                break
            linked = linked or _is_link(role)
            h = mix(h, key_of[items[j] & FORM_MASK])
            if _ends_phrase(role, before):
                if n == len(out):
                    bigger = np.empty(2 * len(out), dtype=np.uint64)
                    for k in range(n):  # a slice assignment takes seconds longer to compile
                        bigger[k] = out[k]
                    out = bigger
                out[n] = h
                n += 1
    return out[:n]


@kernel()
def run_lengths(ordered):
    """Distinct values of a sorted array and how often each occurs."""
    hashes = np.empty(len(ordered), dtype=np.uint64)
    counts = np.empty(len(ordered), dtype=np.uint32)
    n = 0
    for i in range(len(ordered)):
        if i == 0 or ordered[i] != ordered[i - 1]:
            hashes[n] = ordered[i]
            counts[n] = 1
            n += 1
        else:
            counts[n - 1] += 1
    return hashes[:n].copy(), counts[:n].copy()


@kernel()
def merge_counts(hashes, counts, more_hashes, more_counts):
    """Two sorted runs as one."""
    merged = np.empty(len(hashes) + len(more_hashes), dtype=np.uint64)
    sums = np.empty(len(hashes) + len(more_hashes), dtype=np.uint32)
    n = i = j = 0
    while i < len(hashes) or j < len(more_hashes):
        if j == len(more_hashes) or (i < len(hashes) and hashes[i] < more_hashes[j]):
            h, total = hashes[i], counts[i]
            i += 1
        elif i == len(hashes) or more_hashes[j] < hashes[i]:
            h, total = more_hashes[j], more_counts[j]
            j += 1
        else:
            h, total = hashes[i], counts[i] + more_counts[j]
            i += 1
            j += 1
        merged[n] = h
        sums[n] = total
        n += 1
    return merged[:n].copy(), sums[:n].copy()


@kernel()
def fill_slots(slots, values, marks, hashes, numbers):
    """Put hashes with their numbers into an open-addressing table; a hash that is there keeps the larger number.

    `marks` has a bit for every hash: a table of bits stays in the processor's cache, and most look-ups end there.
    """
    mask = np.uint64(len(slots) - 1)
    for t in range(len(hashes)):
        bit = _mark_of(marks, hashes[t])
        marks[bit >> _BYTE] |= np.uint8(1) << np.uint8(bit & _BIT)
        at = hashes[t] & mask
        while slots[at] != 0 and slots[at] != hashes[t]:
            at = (at + np.uint64(1)) & mask
        if slots[at] == 0:
            slots[at] = hashes[t]
            values[at] = numbers[t]
        elif numbers[t] > values[at]:
            values[at] = numbers[t]


@subkernel()
def _mark_of(marks, h):
    """The bit of a hash: by its upper half, as slots go by the lower one."""
    return (h >> np.uint64(32)) & np.uint64(8 * len(marks) - 1)


@subkernel()
def _slot(slots, marks, h):
    """The slot of a hash, -1 when it is not in the table."""
    bit = _mark_of(marks, h)
    if (marks[bit >> _BYTE] >> np.uint8(bit & _BIT)) & np.uint8(1) == 0:
        return np.int64(-1)
    mask = np.uint64(len(slots) - 1)
    at = h & mask
    while slots[at] != 0:
        if slots[at] == h:
            return np.int64(at)
        at = (at + np.uint64(1)) & mask
    return np.int64(-1)


@kernel()
def describe_candidates(
    items, origin, first, end, role_of, key_of, longest, slots, values, marks, places, lengths, strong
):
    """For each candidate in the table: where it first stands, its length, and how often it is a strong noun phrase.

    Strong: the head is a noun (or a letter or code), no word is a verb, the first no amount, and any link is *of*.
    """
    for i in range(first, end):
        role = _role(items, i, role_of)
        if not _starts_phrase(role):
            continue
        is_strong = role != VERB and role != AMOUNT
        h = mix(START, key_of[items[i] & FORM_MASK])
        linked = False
        for j in range(i + 1, min(len(items), i + longest)):
            before = role
            role = _role(items, j, role_of)
            if not _follows(role, before, linked):
                break
            linked = linked or _is_link(role)
            is_strong = is_strong and role != VERB and role != WEAK_LINK
            h = mix(h, key_of[items[j] & FORM_MASK])
            if _ends_phrase(role, before):
                at = _slot(slots, marks, h)
                if at >= 0:
                    number = values[at]
                    if places[number] < 0:
                        places[number] = origin + i
                        lengths[number] = j - i + 1
                    if is_strong and role != MODIFIER:
                        strong[number] += 1


@kernel()
def count_items(items, key_of, keep, left, counts, forms, capitals):
    """Count keys, forms, and forms in capitals until `left` kept tokens are seen: (items read, kept tokens seen)."""
    seen = 0
    for i in range(len(items)):
        if seen == left:
            return i, seen
        item = items[i]
        form = item & FORM_MASK
        if form == 0:
            continue
        key = key_of[form]
        counts[key] += 1
        forms[form] += 1
        if _case(item) == CAPITALS:
            capitals[form] += 1
        if keep[key]:
            seen += 1
    return len(items), seen


@subkernel()
def _in_headline(items, i):
    """Whether both neighbours are in capitals too: then capitals say nothing."""
    if i == 0 or i + 1 >= len(items):
        return False
    before, after = items[i - 1], items[i + 1]
    if before & FORM_MASK == 0 or after & FORM_MASK == 0:
        return False
    return _case(before) == CAPITALS and _case(after) == CAPITALS


@kernel()
def occurrences(
    items, first, end, kept_before, key_of, keep, term_of_key, term_of_form, starts_term, slots, values, marks, longest
):
    """All occurrences of terms that start at an item of [first, end), by start, then by length.

    `values` is the number of a term, -1 for a sequence that only begins one. Returns for every occurrence its item and
    number of items, the first kept token and their number, and the term.
    """
    room = max(end - first, 16)
    at_item = np.empty(room, dtype=np.int64)
    n_items = np.empty(room, dtype=np.uint8)
    starts = np.empty(room, dtype=np.int64)
    lengths = np.empty(room, dtype=np.uint8)
    ids = np.empty(room, dtype=np.uint32)
    n = 0
    kept = kept_before
    for i in range(first, end):
        form = items[i] & FORM_MASK
        if form == 0:
            continue
        if n + longest + 2 > room:
            room *= 2
            at_item, n_items, starts = _longer(at_item, room), _longer(n_items, room), _longer(starts, room)
            lengths, ids = _longer(lengths, room), _longer(ids, room)
        key = key_of[form]
        tokens = 1 if keep[key] else 0
        single = term_of_key[key]
        if single >= 0:
            at_item[n], n_items[n], starts[n], lengths[n], ids[n] = i, 1, kept, tokens, single
            n += 1
        single = term_of_form[form]
        if single >= 0 and _case(items[i]) == CAPITALS and not _in_headline(items, i):
            at_item[n], n_items[n], starts[n], lengths[n], ids[n] = i, 1, kept, tokens, single
            n += 1
        if starts_term[key]:
            h = mix(START, key)
            inside = tokens
            for j in range(i + 1, min(len(items), i + longest)):
                form = items[j] & FORM_MASK
                if form == 0:
                    break
                key = key_of[form]
                h = mix(h, key)
                slot = _slot(slots, marks, h)
                if slot < 0:
                    break
                if keep[key]:
                    inside += 1
                if values[slot] >= 0:
                    at_item[n], n_items[n], starts[n], lengths[n], ids[n] = i, j - i + 1, kept, inside, values[slot]
                    n += 1
        kept += tokens
    return at_item[:n], n_items[:n], starts[:n], lengths[:n], ids[:n]


@subkernel()
def _longer(array, room):
    bigger = np.empty(room, dtype=array.dtype)
    for k in range(len(array)):
        bigger[k] = array[k]
    return bigger


@kernel()
def vote(items, at_item, n_items, ids, origin, spellings, places, votes):
    """Count the spellings of terms, at most as many for each as `votes` has columns (Misra and Gries).

    An occurrence that opens a sentence does not vote, as its capital says nothing, unless it is the first of its term.
    """
    slots = votes.shape[1]
    for o in range(len(at_item)):
        term, first = ids[o], at_item[o]
        opens = first == 0 or items[first - 1] & FORM_MASK == 0
        if opens and _case(items[first]) == CAPITALISED and votes[term, 0] > 0:
            continue
        h = START
        for j in range(n_items[o]):
            item = items[first + j]
            # what joins the first word to the one before it is not part of the term
            h = mix(h, item & np.uint32(0x3FFFFFFF) if j == 0 else item)
        chosen = -1
        for s in range(slots):
            if votes[term, s] > 0 and spellings[term, s] == h:
                chosen = s
                break
        if chosen < 0:
            for s in range(slots):
                if votes[term, s] == 0:
                    spellings[term, s] = h
                    places[term, s] = origin + first
                    chosen = s
                    break
        if chosen >= 0:
            votes[term, chosen] += 1
        else:
            for s in range(slots):
                votes[term, s] -= 1
