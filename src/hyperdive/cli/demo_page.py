"""The output of `demo` as lines of text: hypernyms with a sentence each, topics, and two words compared.

Everything is queried when the lines are made. Words and sentences of a corpus are shown as plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hyperdive.discover.hypernyms import Answer
from hyperdive.errors import UnknownWordError, one_line
from hyperdive.patterns.evidence import Evidence

Spans = Sequence[tuple[int, int]]
_BAR = "█"
_INDENT = 2


@dataclass(frozen=True)
class TextStyle:
    """Emphasis: bold and dim in a terminal, asterisks or nothing elsewhere."""

    colour: bool = False

    def bold(self, text: str) -> str:
        """A heading or a query word."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        """Less important text."""
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def marked(self, text: str) -> str:
        """A term within a sentence."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else f"**{text}**"


PLAIN = TextStyle()


def answer_lines(
    model: Any,
    words: Sequence[str],
    *,
    beside: Any = None,
    beside_name: str = "",
    top: int = 4,
    width: int = 80,
    style: TextStyle = PLAIN,
    why: Callable[[str], str] | None = None,
) -> list[str]:
    """For each word its hypernyms, a sentence that states one of them, and the answers of another model.

    `why` gives the reason that a word is not in the model.

    >>> from hyperdive import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> vectors = [[3, 2, 1], [2, 1, 0], [1, 0, 0], [0, 0, 2]]
    >>> model = Model(VectorSpace(["animal", "dog", "poodle", "law"], vectors, frequencies=[9, 5, 1, 3], kind="dive"))
    >>> print("\\n".join(answer_lines(model, ["poodle", "unicorn"])))
      poodle   animal 0.92, dog 0.79
      unicorn  not known: not a word of this model
    """
    room = max(map(len, words), default=0) + 2
    lead = " " * (_INDENT + room)
    lines = []
    for word in words:
        known, answers = _asked(model, word, top, why)
        lines.append(f"{' ' * _INDENT}{style.bold(one_line(word))}{' ' * (room - len(word))}{_fit(known, width, lead)}")
        told = next((one for one in answers if one.evidence), None)
        if told is not None:
            sentence = told.evidence[0]
            lines.append(f"{lead}“{shortened(sentence, width - len(lead) - 2, style)}”")
        if beside is not None:
            other, _ = _asked(beside, word, top, numbers=False)
            lines.append(style.dim(f"{lead}{_fit(f'{beside_name}: {other}', width, lead)}"))
    return lines


def _asked(
    model: Any, word: str, top: int, why: Callable[[str], str] | None = None, *, numbers: bool = True
) -> tuple[str, Sequence[Answer]]:
    """The answers for a word as text, or why there are none."""
    try:
        table = model.hypernyms(word, top, evidence=1 if numbers else 0)
    except UnknownWordError:
        return f"not known: {'not a word of this model' if why is None else why(word)}", ()
    if not len(table):
        return str(table).partition(";")[0], ()
    if not numbers:
        return ", ".join(one_line(one.term) for one in table), table.rows
    return ", ".join(_one(one) for one in table), table.rows


def _one(answer: Answer) -> str:
    value = f"{one_line(answer.term)} {answer.value:.2f}"
    return f"{value} (said {answer.statements}×)" if answer.statements else value


def _fit(text: str, width: int, lead: str) -> str:
    """A line cut at a comma where it would be too long."""
    room = width - len(lead)
    if len(text) <= room:
        return text
    cut = text.rfind(",", 0, room)
    return text[:cut] if cut > 0 else text[: room - 1] + "…"


def shortened(sentence: Evidence, width: int, style: TextStyle = PLAIN) -> str:
    """A sentence cut to a width around its two terms, which are marked.

    >>> said = "Many people in many places keep dogs such as poodles for company."
    >>> dogs = Evidence(said, "such-as", 0, ((45, 52), (32, 36)))
    >>> shortened(dogs, 80)
    'Many people in many places keep **dogs** such as **poodles** for company.'
    >>> shortened(dogs, 40)
    '…keep **dogs** such as **poodles** for…'
    """
    text = "".join(sign if sign.isprintable() else " " for sign in sentence.sentence)
    spans = sorted((max(a, 0), min(b, len(text))) for a, b in sentence.spans if a < b)
    room = width - (0 if style.colour else 4 * len(spans))
    pieces = [_mark(text, start, end, spans, style) for start, end in _windows(text, spans, max(room, 24))]
    return "…".join(pieces)


def _windows(text: str, spans: Spans, room: int) -> list[tuple[int, int]]:
    """The parts of a text that are shown; empty parts at the ends stand for what is left out."""
    if len(text) <= room or not spans:
        return [(0, len(text))] if len(text) <= room else [(0, _back(text, room - 1)), (0, 0)]
    start, end = spans[0][0], max(b for _, b in spans)
    if end - start <= room - 2:
        left = _on(text, max(0, start - (room - 2 - (end - start)) // 2), start)
        left = 0 if end <= room - 1 else left
        right = len(text) if len(text) - left <= room - 1 else max(_back(text, left + room - 2), end)
        parts = [(left, right)]
    else:
        half = (room - 3) // 2
        left, right = start, len(text) if len(text) - end <= 1 else end
        parts = [
            (start, max(_back(text, start + half), spans[0][1])),
            (min(_on(text, end - half, spans[-1][0]), end), right),
        ]
    before = [(0, 0)] if left > 0 else []
    return [*before, *parts, *([(0, 0)] if right < len(text) else [])]


def _back(text: str, place: int) -> int:
    """The end of the last whole word before a place."""
    if place >= len(text):
        return len(text)
    found = text.rfind(" ", 0, place + 1)
    return found if found > 0 else place


def _on(text: str, place: int, limit: int) -> int:
    """The start of the first whole word from a place on, at most the limit."""
    if place == 0 or text[place - 1] == " ":
        return place
    found = text.find(" ", place, limit)
    return found + 1 if found >= 0 else limit


def _mark(text: str, start: int, end: int, spans: Spans, style: TextStyle) -> str:
    shown, place = [], start
    for a, b in spans:
        if start <= a and b <= end and a >= place:
            shown += [text[place:a], style.marked(text[a:b])]
            place = b
    return "".join([*shown, text[place:end]])


def topic_lines(model: Any, topics: Sequence[Any], *, width: int = 80, style: TextStyle = PLAIN) -> list[str]:
    """Topics, one a line: the label and the words, as many as fit."""
    room = min(max((len(one.label) for one in topics), default=0), width // 2)
    lines = []
    for one in topics:
        label = one_line(one.label)[:room]
        words = _fit(", ".join(map(one_line, one.words)), width, " " * (room + 4))
        lines.append(f"  {style.bold(label)}{' ' * (room - len(label))}  {words}")
    return lines


def drawn_lines(
    model: Any, words: Sequence[str], *, top: int = 6, width: int = 80, style: TextStyle = PLAIN
) -> list[str]:
    """Words over the dimensions they have, as bars of letters, the broadest word's largest dimensions first."""
    from hyperdive.discover.explain import HIDDEN, compare

    found = compare(model, words, top)
    names = [one_line(word) for word in found.words]
    label = min(max((len(row.label) for row in found), default=0), width // 2 - 6)
    name = max(map(len, names))
    room = width - label - name - 12
    most = max((max(row.values) for row in found), default=1.0)
    lines = []
    for row in found:
        for number, value in enumerate(row.values):
            first = one_line(row.label)[:label] if number == 0 else ""
            shown = value if value >= HIDDEN else 0.0
            bar = _BAR * max(round(room * shown / most), 1 if shown else 0)
            size = f" {shown:.2f}" if shown else "–"
            lines.append(f"  {first:<{label}}  {names[number]:<{name}}  {bar}{style.dim(size)}")
    return [*lines, *(f"  {one_line(note)}" for note in found.notes)]
