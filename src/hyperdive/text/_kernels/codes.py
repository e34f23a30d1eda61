"""Numbers for classes of characters, options, counters and kinds of spans, as the tokeniser uses them."""

from __future__ import annotations

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
