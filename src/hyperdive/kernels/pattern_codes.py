"""Numbers for the classes of words and signs, for the words that patterns hang on, and for the patterns."""

from __future__ import annotations

# ---- classes of items -----------------------------------------------------------------------------------------
END, NOUN, ADJ, PART, VERB, ADV, A, THE, QUANT, PREP, PRON, CONJ, BE, REL, NUM, OTHER_WORD, FUNC = range(17)
COMMA, SEMI, COLON, LEFT, RIGHT, DASH, STOP, SIGN = range(17, 25)

# ---- words that patterns hang on ------------------------------------------------------------------------------
(
    NONE, SUCH, AS, INCLUDING, INCLUDE, ESPECIALLY, OTHER, LIKE, FOR, EXAMPLE, NAMELY, CALLED, KNOWN, OF, ONE, UNWRAP,
    MOST, WHICH, EG, SIMILAR, NOUN_MARK, CONSIDERED, NOT, TERM, EMPTY, LABEL,
) = range(26)  # fmt: skip

# ---- patterns, in the order of `hyperdive.patterns.definitions` ------------------------------------------------
(
    SUCH_AS, SUCH_Y_AS, INCLUDING_P, ESPECIALLY_P, AND_OTHER, LIKE_P, FOR_EXAMPLE, CALLED_P, IS_A, KIND_OF, ARE,
    IS_THE_MOST, IS_THE, WHICH_IS, APPOSITION, TYPES_ARE, INCLUDE_P, GLOSSARY, BRACKETS, HEAD_P,
) = range(20)  # fmt: skip

PLURAL, CAPITAL, SUPERLATIVE = 1, 2, 4
"""Flags of a word."""
