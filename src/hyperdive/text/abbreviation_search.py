"""Abbreviations that a text explains in brackets: "angiotensin converting enzyme (ACE)", "ACE (angiotensin …)".

The rule is that of Schwartz and Hearst (2003): the letters of the abbreviation stand in this order in the words before
the bracket, the first of them at the start of a word; the long form has at most min(n + 5, 2·n) words for n letters.
Where the last n words begin with just these letters, they are the long form.
A compiled search finds the few brackets that may hold one, and looks no further than the sentence they stand in.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import numpy.typing as npt

Pair = tuple[str, str]
"""An abbreviation and its long form, as the text writes them."""

SHORTEST, LONGEST = 2, 10
_REACH = 160  # bytes before a bracket that a long form may have
# an opening bracket is rare, so it comes first: what must stand before it is looked at after it
_BEFORE = re.compile(rb"\((?<=[ \n]\()([0-9A-Za-z\x80-\xff][^()\[\]\s,;:=<>\"%\x00-\x1f]{1,39})[);,]")
_INSIDE = re.compile(rb"\((?<=[0-9A-Z][0-9A-Zs] \()([^()\[\];:=<>\"%\x00-\x1f]{6,160})[);]")
_CAPITAL = re.compile(rb"[A-Z\x80-\xff]")
_SHORT = re.compile(r"(?=\w)(?:.*[A-Z].*[A-Z]|[^A-Z]+[A-Z]|[A-Z].*[0-9]).*")
_LAST_WORD = re.compile(rb"[^\s()]{2,40}$")
_BORDERS = re.compile(r"[][(){};:=<>]")
_NO_FIRST_WORD = frozenset(
    "a an and are as be been but by has have he her his is it its of or our she that the their these they this those "
    "was we were which who whose with you your".split()
)
_EDGES = " ,.'\"\u2018\u2019\u201c\u201d-\u2013*"
_GREEK = {
    unicodedata.lookup(f"GREEK SMALL LETTER {name}"): name[0].lower()
    for name in "ALPHA BETA GAMMA DELTA EPSILON ZETA ETA THETA IOTA KAPPA LAMDA MU NU XI PI RHO SIGMA TAU PHI CHI PSI "
    "OMEGA".split()
} | {"µ": "m"}


def find_pairs(data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> list[Pair]:
    """The abbreviations that a block explains.

    Args:
        data: the bytes of the block.
        starts: where each sentence starts.
        ends: where each sentence ends.

    >>> text = b"The angiotensin converting enzyme (ACE) and MRI (magnetic resonance imaging)."
    >>> find_pairs(np.frombuffer(text, dtype=np.uint8), np.array([0]), np.array([len(text)]))
    [('ACE', 'angiotensin converting enzyme'), ('MRI', 'magnetic resonance imaging')]
    """
    text, has_capital = data.tobytes(), _CAPITAL.search
    pairs = []
    for search, explain in ((_BEFORE, _pair_before), (_INSIDE, _pair_inside)):
        found = [match.span(1) for match in search.finditer(text)]
        if search is _BEFORE:
            found = [span for span in found if has_capital(text, *span)]
        spans = np.array(found, dtype=np.int64).reshape(-1, 2)
        sentences = np.searchsorted(starts, spans[:, 0], side="right") - 1
        inside = (sentences >= 0) & (spans[:, 1] <= ends[sentences])
        reach = np.maximum(starts[sentences], spans[:, 0] - 1 - _REACH)
        for (first, last), before in zip(spans[inside].tolist(), reach[inside].tolist(), strict=True):
            pair = explain(text[first:last], text[before : first - 1])
            if pair is not None:
                pairs.append(pair)
    return pairs


def _pair_before(inside: bytes, before: bytes) -> Pair | None:
    """The pair of an abbreviation in brackets and the text before it."""
    short = inside.decode("utf-8", "ignore")
    if not is_abbreviation(short):
        return None
    text = before.decode("utf-8", "ignore")  # its first character may be cut
    return _pair(short, _BORDERS.split(text)[-1])


def _pair_inside(inside: bytes, before: bytes) -> Pair | None:
    """The pair of the last word before a bracket and the text in it."""
    last = _LAST_WORD.search(before[-42:].rstrip())
    short = "" if last is None else last.group().decode("utf-8", "ignore")
    if not is_abbreviation(short):
        return None
    written = " ".join(inside.decode("utf-8", "ignore").partition(",")[0].split())
    pair = _pair(short, written)
    return pair if pair is not None and pair[1] == written else None


def _pair(short: str, text: str) -> Pair | None:
    short = singular(short.rstrip("\u00ae\u2122"))
    short = short.removesuffix(".") if short.count(".") == 1 else short
    form = long_form(short, text)
    return None if form is None else (short, form)


def is_abbreviation(word: str) -> bool:
    """Whether a word may be an abbreviation: 2 to 10 characters, the first a letter or digit, and two capitals.

    A capital and a digit, or a small letter before a capital (mRNA, pH), will do as well.

    >>> [is_abbreviation(word) for word in ("ACE", "pH", "B12", "IL-2", "Figure", "the", "1999", "A")]
    [True, True, True, True, False, False, False, False]
    """
    return SHORTEST <= len(word) <= LONGEST and _SHORT.match(word) is not None and word.isprintable()


def singular(short: str) -> str:
    """An abbreviation without the *s* of its plural.

    >>> singular("ACEs"), singular("ACE's"), singular("GAS"), singular("Hs")
    ('ACE', 'ACE', 'GAS', 'Hs')
    """
    if not short.endswith("s"):
        return short
    base = short[:-2] if short[-2:-1] in ("'", "\u2019") else short[:-1]
    return base if len(base) >= SHORTEST and (base[-1].isupper() or base[-1].isdigit()) else short


def long_form(short: str, text: str) -> str | None:
    """The shortest end of a text that an abbreviation stands for; None where there is none.

    >>> long_form("ACE", "inhibitors of the angiotensin converting enzyme")
    'angiotensin converting enzyme'
    >>> long_form("FFT", "the fast Fourier transform")
    'fast Fourier transform'
    >>> long_form("TNF-α", "tumor necrosis factor alpha"), long_form("ACE", "the enzyme")
    ('tumor necrosis factor alpha', None)
    """
    letters = _plain(short)
    if not letters.isalnum():
        letters = "".join(filter(str.isalnum, letters))
    if len(letters) < SHORTEST:
        return None
    words = text.split()
    if "".join(word[0] for word in words[-len(letters) :]).lower() == letters:  # first letters, before any others
        return _checked(short, " ".join(words[-len(letters) :]))
    text = " ".join(words[-min(len(letters) + 5, 2 * len(letters)) :])
    plain = _plain(text)
    if len(plain) != len(text):  # a few letters have small forms of two characters
        return None
    place = len(plain)
    for letter in letters[:0:-1]:
        place = plain.rfind(letter, 0, place)
        if place < 0:
            return None
    first = letters[0]
    place = plain.rfind(first, 0, place)
    while place > 0 and plain[place - 1].isalnum():
        place = plain.rfind(first, 0, place)
    return None if place < 0 else _checked(short, text[place:])


def _plain(text: str) -> str:
    """In small letters, Greek ones by the first letter of their names."""
    small = text.lower()
    return small if small.isascii() else "".join(_GREEK.get(letter, letter) for letter in small)


def _checked(short: str, form: str) -> str | None:
    """A long form, unless it cannot be one."""
    form = form.strip(_EDGES)
    words = form.split(" ")
    if len(form) <= len(short) or words[0].lower() in _NO_FIRST_WORD or not form.isprintable():
        return None
    if short in words or (len(words) == 1 and form.lower().startswith(short.lower())):
        return None
    return form
