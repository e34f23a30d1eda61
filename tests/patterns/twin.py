"""The pattern matcher in plain Python, written from the meaning of the patterns: the slow twin of the kernels.

A sentence is a list of items. A phrase is a pair (first item, end); None when there is none. Every pattern is a method
that yields (X, Y, pattern), X the hyponym and Y the hypernym.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive.kernels import pattern_codes as k
from hyperdive.kernels.tokens import DROPPED, WORD
from hyperdive.patterns import lexicon
from hyperdive.text.tokens import Tokens

Phrase = tuple[int, int]
Statement = tuple[Phrase, Phrase, int]

NOMINAL = {k.NOUN, k.ADJ, k.PART, k.OTHER_WORD}
DETERMINERS = {k.A, k.THE, k.QUANT, k.NUM}
LIST_BORDERS = {k.COMMA, k.CONJ, k.END, k.STOP, k.RIGHT, k.SEMI, k.COLON}
SIGNS = {",": k.COMMA, ";": k.SEMI, ":": k.COLON, "(": k.LEFT, ")": k.RIGHT, ".": k.STOP, "!": k.STOP, "?": k.STOP}
QUOTES = "\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f"
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015"


class Item(NamedTuple):
    """A word or a sign of a sentence."""

    item_class: int
    trigger: int = k.NONE
    flags: int = 0
    form: int = 0
    start: int = 0
    end: int = 0

    @property
    def plural(self) -> bool:
        return bool(self.flags & k.PLURAL)

    @property
    def capital(self) -> bool:
        return bool(self.flags & k.CAPITAL)

    @property
    def superlative(self) -> bool:
        return bool(self.flags & k.SUPERLATIVE)


# ---- items --------------------------------------------------------------------------------------------------


def forms_of(tokens: Tokens) -> list[str]:
    """The forms of a block as strings, number 0 first."""
    raw = tokens.arena.tobytes()
    spans = zip(tokens.starts.tolist(), tokens.lengths.tolist(), strict=True)
    # one character a byte: the kernels measure endings in bytes
    return ["", *(raw[start : start + length].decode("latin-1") for start, length in spans)]


def sentences_of(data: npt.NDArray[np.uint8], tokens: Tokens) -> list[list[Item]]:
    """The items of each sentence of a block."""
    forms = forms_of(tokens)
    kept = iter(tokens.forms[tokens.forms != 0].tolist())
    borders = [*tokens.sent_starts.tolist(), len(data) + 1]
    sentences: list[list[Item]] = [[] for _ in borders[1:]]
    number = 0
    for start, end, kind in zip(
        tokens.span_starts.tolist(), tokens.span_ends.tolist(), tokens.span_kinds.tolist(), strict=True
    ):
        while borders[number + 1] <= start:
            number += 1
        sentence, raw = sentences[number], data[start:end].tobytes()
        if kind == WORD:
            form = next(kept)
            item_class, trigger, flags = lexicon.of_form(forms[form])
            item = Item(item_class, trigger, flags, form, start, end)
            if raw[:1].isupper():
                item = item._replace(flags=item.flags | k.CAPITAL)
            if sentence:
                joined = start == sentence[-1].end + 1 and data[start - 1] == ord("-")
                item = inside_sentence(item, sentence, joined)
            sentence.append(item)
        elif kind == DROPPED:
            sentence.append(dropped_word(raw)._replace(start=start, end=end))
        elif (sign := raw.decode("utf-8", "replace")) not in QUOTES:
            item_class = k.DASH if sign in DASHES else SIGNS.get(sign, k.SIGN)
            sentence.append(Item(item_class, start=start, end=end))
    return sentences


def inside_sentence(item: Item, before: list[Item], joined: bool) -> Item:
    """An item that does not open its sentence: names and nouns by context, parts of a hyphenated word."""
    last = before[-1]
    if item.capital and item.item_class in (k.ADJ, k.PART, k.VERB, k.ADV):
        item = item._replace(item_class=k.NOUN)
    elif item.item_class in (k.VERB, k.ADV) and item.trigger == k.NONE:
        after_of = last.item_class == k.PREP and last.trigger == k.OF
        if last.item_class == k.A or after_of or (last.item_class == k.THE and item.item_class == k.VERB):
            item = item._replace(item_class=k.NOUN)
    if joined:
        if last.item_class != k.NOUN:
            before[-1] = last._replace(item_class=k.ADJ)
        item_class = k.NOUN if item.item_class == k.NOUN else k.ADJ
        item = item._replace(item_class=item_class, trigger=k.NONE)
    return item


def dropped_word(raw: bytes) -> Item:
    """A token without a form."""
    lower = raw[:3].lower()
    if lower == b"e.g":
        return Item(k.FUNC, k.EG)
    if lower == b"i.e":
        return Item(k.FUNC)
    if raw.lower() == b"s":
        return Item(k.QUANT)
    item_class = k.NUM if raw[:1].isdigit() else k.OTHER_WORD
    return Item(item_class, flags=k.CAPITAL if raw[0] >= 128 or raw[:1].isupper() else 0)


# ---- matches ------------------------------------------------------------------------------------------------


class Reader:
    """Reads the statements of one sentence."""

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.partner = self._brackets()

    def _brackets(self) -> dict[int, int]:
        """Pairs of brackets at most 60 items apart; those nested deeper than 16 have no partner."""
        partner: dict[int, int] = {}
        stack: list[int] = []
        for i, item in enumerate(self.items):
            if item.item_class == k.LEFT:
                stack.append(i)
            elif item.item_class == k.RIGHT and stack:
                opened = stack.pop()
                if len(stack) < 16 and i - opened <= 60:
                    partner[i], partner[opened] = opened, i
        return partner

    def cls(self, i: int, end: int | None = None) -> int:
        return self.items[i].item_class if 0 <= i < (len(self.items) if end is None else end) else k.END

    def trigger(self, i: int) -> int:
        return self.items[i].trigger if 0 <= i < len(self.items) else k.NONE

    def head(self, phrase: Phrase) -> Item:
        return self.items[phrase[1] - 1]

    def is_name(self, phrase: Phrase) -> bool:
        return phrase[1] - 1 > 0 and self.head(phrase).capital

    # ---- noun phrases ---------------------------------------------------------------------------------------

    def right(self, i: int, end: int | None = None) -> tuple[Phrase | None, int]:
        """The noun phrase that begins at i, and the next item."""
        end = len(self.items) if end is None else end
        for _ in range(5):  # at most five determiners
            if i < end and (self.cls(i) in DETERMINERS or (self.cls(i) == k.ADV and i + 1 < end)):
                i += 1
        first = i
        while i < min(end, first + 7):
            here, following = self.cls(i), self.cls(i + 1, end)
            if i > first and following in (k.ADJ, k.PART):
                third = self.cls(i + 2, end)
                comma = here == k.COMMA and self.cls(i - 1) == k.ADJ and (third in NOMINAL or third == k.COMMA)
                if here == k.ADV or comma:
                    i += 1
                    continue
            if here not in NOMINAL:
                break
            if i > first:
                before, item = self.items[i - 1], self.items[i]
                ends = before.item_class == k.NOUN and before.plural and not before.capital
                if ends and here == k.NOUN and not item.plural and not item.capital:
                    break
                if here == k.PART and following not in NOMINAL:
                    break
            i += 1
        return self._trimmed(first, i), i

    def _trimmed(self, first: int, end: int) -> Phrase | None:
        nouns = [j for j in range(first, end) if self.cls(j) == k.NOUN]
        if nouns:
            end = nouns[-1] + 1
        elif end - first == 1 and self.cls(first) in (k.ADJ, k.PART):
            pass
        elif not (end > first and self.cls(end - 1) == k.ADJ and self.cls(first - 1) == k.A):
            return None
        while first < end and self.cls(first) == k.OTHER_WORD:
            first += 1
        return (first, end) if first < end else None

    def left(self, i: int) -> Phrase | None:
        """The noun phrase that ends with item i."""
        if self.cls(i) not in NOMINAL - {k.OTHER_WORD}:
            return None
        first = i
        while first > 0 and i + 1 - first < 7 and self.cls(first - 1) in NOMINAL:
            if self.cls(first - 1) == k.PART and self.cls(first - 2) in (k.NOUN, k.BE):
                break
            first -= 1
        while self.cls(first) == k.OTHER_WORD:
            first += 1
        return (first, i + 1) if self.cls(i) == k.NOUN or (first == i and first > 0) else None

    def opening(self, first: int) -> int:
        """The first determiner of a phrase."""
        while self.cls(first - 1) in DETERMINERS:
            first -= 1
        return first

    def over(self, i: int) -> int:
        """The item before the brackets that close at i."""
        return self.partner[i] - 1 if self.cls(i) == k.RIGHT and i in self.partner else i

    def list_right(self, i: int) -> list[Phrase]:
        """The noun phrases of a list that begins at i."""
        phrases: list[Phrase] = []
        is_last = False
        while i < len(self.items) and len(phrases) < 24:
            phrase, after = self.right(i)
            if phrase is None:
                break
            after = self._complements(after)
            if phrases and not is_last and self.cls(after) not in LIST_BORDERS:
                break
            phrases.append(phrase)
            if is_last or self.cls(after) not in (k.COMMA, k.CONJ):
                break
            is_last = self.cls(after) == k.CONJ
            i = after + 1
            if not is_last and self.cls(i) == k.CONJ:
                i, is_last = i + 1, True
            if self.trigger(i) in (k.OTHER, k.ESPECIALLY, k.INCLUDING, k.SUCH):
                break
        return phrases

    def _complements(self, i: int) -> int:
        while True:
            if self.cls(i) == k.PREP and self.trigger(i) == k.OF:
                phrase, after = self.right(i + 1)
                if phrase is None:
                    return i
                i = after
            elif self.cls(i) == k.LEFT and i in self.partner:
                i = self.partner[i] + 1
            else:
                return i

    def list_left(self, i: int) -> list[Phrase]:
        """The noun phrases of a list that ends at i, last first."""
        phrases: list[Phrase] = []
        while i >= 0 and len(phrases) < 24:
            phrase = self.left(self.over(i))
            if phrase is None:
                break
            opening = self.opening(phrase[0])
            if self.cls(opening - 1) == k.PREP and phrases:
                if opening == 1 or self.cls(opening - 2) == k.COMMA:
                    break
                head = self.left(opening - 2) if self.trigger(opening - 1) == k.OF else None
                if head is not None:
                    phrase, opening = head, self.opening(head[0])
            phrases.append(phrase)
            separator = self.cls(opening - 1)
            if opening < 2 or not (separator == k.COMMA or (separator == k.CONJ and len(phrases) == 1)):
                break
            i = opening - 2
            if separator == k.CONJ and self.cls(i) == k.COMMA:
                i -= 1
        return phrases

    def unwrap(self, phrase: Phrase, after: int) -> tuple[Phrase, int, bool]:
        """ "a kind of dog" is *dog*: the phrase, the next item, and whether something was unwrapped."""
        unwrapped = False
        for _ in range(3):
            head, link = self.head(phrase).trigger, self.trigger(after)
            if after != phrase[1] or after >= len(self.items):
                break
            if not (link == k.OF and head in (k.UNWRAP, k.ONE)) and not (link == k.FOR and head == k.TERM):
                break
            inner, inner_after = self.right(after + 1)
            if inner is None:
                break
            phrase, after, unwrapped = inner, inner_after, True
        return phrase, after, unwrapped

    def subject(self, i: int) -> tuple[Phrase, int] | None:
        """The noun phrase before a verb at i + 1, and its first determiner."""
        i = self.over(i)
        if i > 0 and self.cls(i) == k.NUM and self.cls(i - 1) == k.NOUN and self.items[i - 1].capital:
            i -= 1
        if self.cls(i) == k.COMMA:
            commas = [j for j in range(max(1, i - 20), i) if self.cls(j) == k.COMMA]
            phrase = self.left(self.over(commas[-1] - 1)) if commas else None
            return (phrase, 0) if phrase is not None and self.opening(phrase[0]) == 0 else None
        phrase = self.left(i)
        for _ in range(3):
            if phrase is not None and self.trigger(self.opening(phrase[0]) - 1) == k.OF:
                phrase = self.left(self.opening(phrase[0]) - 2)
        if phrase is None or self.cls(self.opening(phrase[0]) - 1) in (k.PREP, k.VERB, k.BE):
            return None
        return phrase, self.opening(phrase[0])

    # ---- patterns -------------------------------------------------------------------------------------------

    def statements(self) -> Iterator[Statement]:
        """All statements in reading order."""
        if len(self.items) < 3:
            return
        yield from self.glossary()
        for i, item in enumerate(self.items):
            if item.trigger in (k.OTHER, k.SIMILAR):
                yield from self.and_other(i)
            elif item.trigger in (k.CALLED, k.KNOWN):
                yield from self.called(i)
            elif item.trigger == k.INCLUDE or (item.item_class == k.COLON and item.trigger == k.NONE):
                yield from self.types(i)
            elif item.trigger == k.SUCH and self.trigger(i + 1) != k.AS:
                yield from self.such_y_as(i)
            elif item.item_class == k.BE:
                yield from self.is_a(i)
            elif item.trigger != k.NONE:
                yield from self.introduced(i)
            elif item.item_class == k.A and i > 0:
                yield from self.apposition(i)
            elif item.item_class == k.LEFT and i in self.partner:
                yield from self.brackets(i)

    def introduced(self, i: int) -> Iterator[Statement]:
        """Y such as X; Ys, including X; Ys, especially X; Ys like X; Ys, for example X."""
        trigger, following, before = self.trigger(i), self.trigger(i + 1), self.cls(i - 1)
        after = i + 1
        if trigger == k.SUCH:
            pattern, after = k.SUCH_AS, i + 2
        elif trigger == k.INCLUDING:
            pattern = k.INCLUDING_P
        elif trigger == k.ESPECIALLY and before in (k.COMMA, k.LEFT, k.DASH) and following not in (k.INCLUDING, k.SUCH):
            pattern = k.ESPECIALLY_P
        elif trigger == k.FOR and following == k.EXAMPLE and i > 0:
            pattern, after = k.FOR_EXAMPLE, i + 2
        elif (trigger == k.NAMELY and i > 0) or trigger == k.EG:
            pattern = k.FOR_EXAMPLE
            after += trigger == k.EG and self.cls(after) == k.STOP
        elif trigger == k.LIKE and i > 1 and before == k.NOUN and self.items[i - 1].plural:
            pattern = k.LIKE_P
        else:
            return
        if pattern != k.SUCH_AS and self.cls(after) == k.COMMA:
            after += 1
        y = self.left(self.over(i - 2 if before in (k.LEFT, k.DASH, k.COMMA) else i - 1))
        if y is None or self.is_name(y) or (pattern != k.SUCH_AS and not self.head(y).plural):
            return
        if pattern == k.LIKE_P:
            opening = self.opening(y[0])
            if opening == 0 or self.cls(opening - 1) in (k.COMMA, k.CONJ):
                return
        yield from ((x, y, pattern) for x in self.list_right(after))

    def such_y_as(self, i: int) -> Iterator[Statement]:
        y, after = self.right(i + 1)
        if y is not None and self.trigger(after) == k.AS and after == y[1]:
            yield from ((x, y, k.SUCH_Y_AS) for x in self.list_right(after + 1))

    def and_other(self, i: int) -> Iterator[Statement]:
        conjunction = i - 1
        if self.cls(conjunction) == k.QUANT and i - 2 >= 0:  # "and many other"
            conjunction -= 1
        y, after = self.right(i + 1)
        if conjunction <= 0 or self.cls(conjunction) != k.CONJ:
            return
        if y is None or self.cls(y[1] - 1) != k.NOUN or self.is_name(y):
            return
        if self.trigger(after) == k.OF and self.head(y).trigger == k.UNWRAP:
            y, _, _ = self.unwrap(y, after)
        last = conjunction - 1
        yield from ((x, y, k.AND_OTHER) for x in self.list_left(last - (self.cls(last) == k.COMMA)))

    def called(self, i: int) -> Iterator[Statement]:
        after = i + 1
        if self.trigger(i) == k.KNOWN:
            if self.trigger(after) != k.AS:
                return
            after += 1
        y = self.left(i - 1) if self.cls(i - 1) == k.NOUN else None
        if y is None or self.is_name(y) or self.cls(after) == k.PREP:
            return
        opening = self.opening(y[0])
        indefinite = (opening < y[0] and self.cls(opening) == k.A) or (
            self.trigger(opening - 1) == k.OF and self.trigger(opening - 2) == k.UNWRAP
        )
        x, _ = self.right(after)
        if x is not None and (indefinite or self.head(y).plural):
            yield x, y, k.CALLED_P

    def types(self, i: int) -> Iterator[Statement]:
        """Types of Y include X; Ys include X; types of Y: X."""
        y = self.left(self.over(i - 1))
        if y is None or self.is_name(y):
            return
        if not self.head(y).plural and not (y[0] >= 2 and self.trigger(y[0] - 1) == k.OF):
            return
        opening = self.opening(y[0])
        if opening >= 2 and self.trigger(opening - 1) == k.OF:
            if self.trigger(opening - 2) not in (k.UNWRAP, k.EXAMPLE):
                return
            pattern = k.TYPES_ARE
        else:
            if self.trigger(i) != k.INCLUDE or self.head(y).trigger in (k.EXAMPLE, k.UNWRAP):
                return
            if opening > 0 and self.cls(opening - 1) not in (k.COMMA, k.CONJ):
                return
            pattern = k.INCLUDE_P
        after = i + 1 + (self.cls(i + 1) == k.COLON)
        yield from ((x, y, pattern) for x in self.list_right(after))

    def is_a(self, i: int) -> Iterator[Statement]:
        """X is a Y and all its relatives."""
        at = i + 1
        while at < i + 3 and self.cls(at) == k.ADV and self.trigger(at) != k.NOT:
            at += 1
        if self.trigger(at) == k.CONSIDERED:
            at += 1 + (self.trigger(at + 1) == k.AS)
        if i == 0 or at >= len(self.items) or self.trigger(at) == k.NOT:
            return
        article, many = self.cls(at), self.items[i].plural
        one_of = self.trigger(at) == k.ONE and self.trigger(at + 1) == k.OF
        bare = many and article in (k.NOUN, k.ADJ, k.PART, k.QUANT)
        if article not in (k.A, k.THE) and not one_of and not bare:
            return
        y, after = self.right(at + 2 * one_of)
        if y is None or self.is_name(y) or (article != k.A and self.cls(y[1] - 1) != k.NOUN):
            return
        y, after, unwrapped = self.unwrap(y, after)
        if (article != k.A and self.cls(y[1] - 1) != k.NOUN) or (unwrapped and self.is_name(y)):
            return
        if self.head(y).trigger == k.EMPTY or (self.head(y).trigger == k.UNWRAP and self.trigger(after) == k.OF):
            return
        if self.cls(i - 1) == k.REL and self.trigger(i - 1) == k.WHICH:
            x = self.left(self.over(i - 2 - (self.cls(i - 2) == k.COMMA)))
            if x is not None:
                yield x, y, k.WHICH_IS
            return
        subject = self.subject(i - 1)
        if subject is None:
            return
        x, opening = subject
        if many:
            yield from self._are(i, at, x, opening, y, one_of, unwrapped)
        elif not (self.head(x).trigger == k.UNWRAP and opening < x[0] and self.cls(opening) == article == k.THE):
            yield x, y, self._singular(at, one_of, unwrapped)

    def _singular(self, at: int, one_of: bool, unwrapped: bool) -> int:
        if one_of:
            return k.IS_THE_MOST
        if unwrapped:
            return k.KIND_OF
        if self.cls(at) != k.THE:
            return k.IS_A
        near = self.items[at + 1 : at + 4]
        return k.IS_THE_MOST if any(item.trigger == k.MOST or item.superlative for item in near) else k.IS_THE

    def _are(
        self, i: int, at: int, x: Phrase, opening: int, y: Phrase, one_of: bool, unwrapped: bool
    ) -> Iterator[Statement]:
        if self.head(x).trigger in (k.UNWRAP, k.EXAMPLE):
            yield from self.types(i)
            return
        modifiers = self.items[opening + 1 : x[1] - 1]
        most = any(item.trigger == k.MOST or (item.item_class == k.ADJ and item.superlative) for item in modifiers)
        if most and self.cls(opening) == k.THE and self.head(x).plural:
            listed = self.list_right(at)
            if len(listed) > 1:
                yield from ((one, x, k.TYPES_ARE) for one in listed)
            return
        before = self.cls(opening - 1)
        if self.cls(at) != k.A and not one_of and not unwrapped:
            if not self.head(y).plural or not (self.head(x).plural or before == k.CONJ):
                return
            if self.cls(at) == k.PART and y == (at, at + 1):
                return
        subjects = [x]
        if before == k.CONJ:
            subjects = self.list_left(self.over(i - 1))
        elif before not in (k.END, k.COMMA, k.REL, k.FUNC):
            return
        yield from ((one, y, k.KIND_OF if unwrapped else k.ARE) for one in subjects)

    def apposition(self, i: int) -> Iterator[Statement]:
        """X, a Y, ... and X (a Y)."""
        in_brackets = self.cls(i - 1) == k.LEFT
        if not in_brackets and self.cls(i - 1) != k.COMMA:
            return
        x = self.left(i - 2 if in_brackets else self.over(i - 2))
        if x is None:
            return
        opening = self.opening(x[0])
        before, name = self.cls(opening - 1), self.head(x).capital
        if opening < x[0] and self.cls(opening) == k.A:
            return
        if not in_brackets and before == k.PREP and (not name or opening == 1):
            return
        y, after = self.right(i)
        if y is None or self.cls(y[1] - 1) != k.NOUN or self.is_name(y):
            return
        y, after, unwrapped = self.unwrap(y, after)
        if self.is_name(y):
            return
        following = self.cls(after)
        if in_brackets:
            if following in (k.RIGHT, k.COMMA, k.PREP, k.SEMI):
                yield x, y, k.APPOSITION
            return
        if following not in (k.COMMA, k.STOP, k.END, k.PREP, k.REL, k.PART) and self.trigger(after) != k.CALLED:
            return
        if following == k.COMMA and self.cls(after + 1) in (k.CONJ, k.A):
            return
        if following in (k.COMMA, k.STOP, k.END) and not name and not unwrapped and before == k.COMMA:
            return
        yield x, y, k.APPOSITION

    def brackets(self, i: int) -> Iterator[Statement]:
        """Ys (X, X and X)."""
        close = self.partner[i]
        y = self.left(i - 1)
        if self.trigger(i + 1) in (k.EG, k.CALLED, k.KNOWN):
            return
        if y is None or not self.head(y).plural or self.is_name(y):
            return
        listed, at, places = [], i + 1, 0
        while at < close and places < 24 and self.trigger(at) != k.OTHER:
            if self.cls(at) == k.NUM:
                return
            x, after = self.right(at, close)
            rest = after
            while rest < close and self.cls(rest) not in (k.COMMA, k.CONJ):
                remaining = [item.item_class for item in self.items[rest + 1 : close]]
                etc = self.cls(rest) in (k.FUNC, k.PRON) and remaining in ([], [k.STOP])
                if not etc and self.cls(rest) not in NOMINAL | {k.NUM, k.DASH, k.STOP}:
                    return
                rest += 1
            if x is not None and x[1] == rest and self.cls(x[1] - 1) == k.NOUN:
                listed.append(x)
            places += 1
            at = rest + (rest < close and self.cls(rest) == k.COMMA)
            at += at < close and self.cls(at) == k.CONJ
        if places >= 2 and 2 * len(listed) >= places:
            yield from ((x, y, k.BRACKETS) for x in listed)

    def glossary(self) -> Iterator[Statement]:
        """X, n. A kind of Y; X: a kind of Y."""
        i = 0
        while i < 5 and self.cls(i) in NOMINAL | {k.VERB, k.ADV}:
            i += 1
        if i == 0 or i + 2 >= len(self.items):
            return
        x = (0, i)
        if self.cls(i) == k.COMMA and self.trigger(i + 1) == k.NOUN_MARK:
            i += 2
            while self.cls(i) in (k.STOP, k.COLON, k.DASH):
                i += 1
        elif self.cls(i) in (k.COLON, k.DASH) and not (i == 1 and self.trigger(0) == k.LABEL):
            i += 1
            if self.cls(i) not in (k.A, k.THE) and self.trigger(i) != k.ONE:
                return
        else:
            return
        if self.trigger(i) == k.ONE and self.trigger(i + 1) == k.OF:
            i += 2
        y, after = self.right(i)
        if y is None or self.cls(y[1] - 1) != k.NOUN:
            return
        y, after, _ = self.unwrap(y, after)
        if not (self.head(y).trigger == k.UNWRAP and self.trigger(after) == k.OF):
            yield x, y, k.GLOSSARY


def words_of(phrase: Phrase, items: list[Item]) -> list[int]:
    """The last words of a phrase (four at most) that have forms and are no adverbs: its term, head last."""
    forms: list[int] = []
    for item in reversed(items[phrase[0] : phrase[1]]):
        if len(forms) == 4 or item.form == 0 or item.item_class == k.ADV:
            break
        forms.insert(0, item.form)
    return forms
