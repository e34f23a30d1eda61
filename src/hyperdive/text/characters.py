"""Character classes for the tokeniser: letters, digits, joints, sentence ends."""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
import numpy.typing as npt

from hyperdive.kernels import tokens as k
from hyperdive.kernels.forms import hash_forms

# Nothing assigned above this is a letter (private use, tags and variation selectors follow).
_LAST = 0x323B0

_HYPHENS = "-\u2010\u2011"
_APOSTROPHES = "'\u2019\u02bc\uff07"
_STOPS = "!?\u2026\u203c\u203d\u2047\u2048\u2049\u061f\u06d4\u0964\u0965\u037e"
_FULL_STOPS = "\u3002\uff01\uff0e\uff1f"
_INSIDE_WORDS = "\u00ad\u200c\u200d"

ABBREVIATIONS = (
    "mr mrs ms dr prof st mt ft vs etc fig figs no nos vol vols pp ed eds al ca cf approx gen col lt sgt capt cmdr "
    "rev hon jr sr inc ltd co corp dept univ est jan feb mar apr jun jul aug sep sept oct nov dec "
    "sec ch art op viz resp max min incl eq eqs ref refs tel messrs mme mlle bros assn gov sen rep pres"
).split()
"""A dot after one of these (or after a single letter) does not end a sentence."""


@cache
def classes() -> npt.NDArray[np.uint8]:
    """The class of every code point, as the tokeniser's kernel wants it.

    >>> table = classes()
    >>> int(table[ord("a")]), int(table[ord("A")]), int(table[ord("7")]), int(table[ord(" ")])
    (1, 17, 3, 6)
    """
    table = np.zeros(_LAST, dtype=np.uint8)
    by_category = {
        "Lu": k.LETTER | k.UPPERISH,
        "Lt": k.LETTER | k.UPPERISH,
        "Lo": k.LETTER | k.UPPERISH,
        "Lm": k.LETTER,
        "Ll": k.LETTER,
        "Mn": k.MARK,
        "Mc": k.MARK,
        "Nd": k.DIGIT,
        "Nl": k.DIGIT,
        "No": k.DIGIT,
        "Zs": k.SPACE,
        "Zl": k.SPACE,
        "Zp": k.SPACE,
        "Ps": k.OPEN,
        "Pi": k.OPEN,
        "Pe": k.CLOSE,
        "Pf": k.CLOSE,
    }
    category = unicodedata.category
    table[:] = [by_category.get(category(chr(code)), k.OTHER) for code in range(_LAST)]
    for characters, kind in (
        ("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85", k.SPACE),
        (_HYPHENS, k.HYPHEN),
        (_APOSTROPHES, k.APOSTROPHE),
        (".", k.DOT),
        (_STOPS, k.STOP),
        (_FULL_STOPS, k.FULL_STOP),
        ('"', k.OPEN),
        (_INSIDE_WORDS, k.MARK),
    ):
        for character in characters:
            table[ord(character)] = kind
    return table


@cache
def abbreviation_hashes() -> npt.NDArray[np.uint64]:
    """Hashes of `ABBREVIATIONS`, sorted.

    >>> arena = np.frombuffer(bytearray(ABBREVIATIONS[-1].encode()), dtype=np.uint8)
    >>> last = hash_forms(arena, np.array([0]), np.array([len(arena)], dtype=np.int32))
    >>> last[0] in abbreviation_hashes(), len(abbreviation_hashes()) == len(ABBREVIATIONS)
    (True, True)
    """
    arena = np.frombuffer(bytearray("".join(ABBREVIATIONS).encode()), dtype=np.uint8)
    lengths = np.array([len(word) for word in ABBREVIATIONS], dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths[:-1])]).astype(np.int64)
    return np.sort(hash_forms(arena, starts, lengths))
