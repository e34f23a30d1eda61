"""The hypernyms of a term, and its hyponyms: ranked, with a confidence, the signals that agree, and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive._types import Floats
from hyperdive.ask.options import AnswerOptions
from hyperdive.ask.question import Question, best, listed_terms, normal, supported_names, unknown_terms
from hyperdive.ask.ranking import CONFIDENCE, EMPTY_WORDS, Ranking, agreement, plausible_names, ranking
from hyperdive.errors import OptionError
from hyperdive.patterns.evidence import Evidence
from hyperdive.patterns.store import Patterns
from hyperdive.scores.confidence import head_confidence
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.source import AnyModel
from hyperdive.scores.terms import heads_of
from hyperdive.table import Table

MIN_CONFIDENCE = 0.35
"""Minimum confidence of an answer: below it too few judged answers were right (docs/explanation/judgements.md)."""
MIN_SCORE = 0.02
_PLENTY = 50  # occurrences from which few words have no answer for want of text
MOST_EVIDENCE = 3
_GROUPED = 30  # answers that are grouped by sense, at least


@dataclass(frozen=True)
class Answer:
    """One answer to what a term is a kind of, or to what is a kind of it.

    `word` is the term that was looked up. Answers are ordered by `confidence`, or by `score` where they were ranked by
    a score that is not calibrated; the other one is None. `statements` is how many sentences of the text state the
    pair, `evidence` some of them on request. `sense` numbers the group of answers it belongs to, with senses.
    """

    word: str
    term: str
    confidence: float | None
    score: float | None
    signals: tuple[str, ...]
    statements: int
    evidence: tuple[Evidence, ...] = ()
    sense: int | None = None

    @property
    def value(self) -> float | None:
        """The confidence, or the score where there is none."""
        return self.score if self.confidence is None else self.confidence


def ask(
    model: AnyModel,
    terms: Sequence[str],
    options: AnswerOptions = AnswerOptions(),
    *,
    narrower: bool = False,
    progress: Progress = SILENT,
) -> list[Table[Answer]]:
    """Return the hypernyms of terms, or with `narrower` their hyponyms, one table per term.

    The table is empty when nothing is likely enough, and for an unknown term, which is then in its `unknown`.

    >>> from hyperdive import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[3, 2, 1], [2, 1, 0], [1, 0, 0], [0, 0, 2]])
    >>> words = ["animal", "dog", "poodle", "law"]
    >>> model = Model(VectorSpace(words, matrix, frequencies=[9, 5, 1, 3], kind="dive"))
    >>> poodle, unicorn = ask(model, ["poodle", "unicorn"])
    >>> print(poodle)
    term    score  signals
    animal  0.924  inclusion, generality, similarity
    dog     0.786  inclusion, generality, similarity
    >>> len(unicorn), unicorn.unknown["unicorn"]
    (0, UnknownWordError("'unicorn' is not in this model"))
    >>> [answer.term for answer in ask(model, ["animal"], narrower=True)[0]]
    ['dog', 'poodle', 'law']
    """
    by = ranking(model, options.score)
    unknown = unknown_terms(model, terms)
    known = [term for term in terms if term not in unknown]
    choice = None if by.name != CONFIDENCE else plausible_names if narrower else supported_names
    candidates = None if options.candidates is None else listed_terms(options.candidates)
    question = Question(model, known, candidates, choice=choice)
    asked = _Asked(question, by, _limit(by, options.score, options.min_confidence), options, narrower)
    tables, number = [], 0
    with progress.stage("answering", total=len(terms), unit="questions") as bar:
        for term in terms:
            if term in unknown:
                tables.append(Table(Answer, (), columns=asked.columns, unknown={term: unknown[term]}))
            else:
                tables.append(asked.table(number, term))
                number += 1
            bar.advance(1)
    return tables


def _limit(by: Ranking, score: str | None, min_confidence: float | None) -> float:
    if min_confidence is not None and not by.calibrated:
        raise OptionError(
            f"{by.name} does not give confidences, so a minimum cannot be set",
            hint="use a model with patterns, and name no score",
        )
    if by.calibrated:
        return MIN_CONFIDENCE if min_confidence is None else min_confidence
    return MIN_SCORE if score is None else float(np.nextafter(by.none, np.inf))


@dataclass(frozen=True)
class _Asked:
    """Questions that are ready to be answered."""

    question: Question
    by: Ranking
    limit: float
    options: AnswerOptions
    narrower: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """What is shown of an answer."""
        value = "confidence" if self.by.calibrated else "score"
        sense = ("sense",) if self.options.senses else ()
        return (*sense, "term", value, "signals", *(("statements",) if self._patterns is not None else ()))

    @property
    def _patterns(self) -> Patterns | None:
        return self.question.terms.source.patterns

    @cached_property
    def _blocked(self) -> Any:
        """Which candidates are never an answer; empty words only when the user did not name the candidates."""
        names = {normal(term) for term in listed_terms(self.options.block or ())}
        chosen = self.options.candidates is not None or self.narrower
        return self.question.named(names if chosen else names | EMPTY_WORDS)

    def _pairs(self, number: int, rows: Any = None) -> Pairs:
        side = self.question.downwards if self.narrower else self.question.upwards
        return side(number, rows)

    def table(self, number: int, word: str) -> Table[Answer]:
        """The answers to one question."""
        question, by = self.question, self.by
        judged = self._judged(number, self._allowed(number))
        answers = self._answers(number, word, judged)
        if self.options.senses:
            answers = self._by_sense(answers, question.candidates[judged.places])
        return Table(
            Answer,
            answers,
            columns=self.columns,
            details="evidence",
            formats={"confidence": ".2f", "score": ".3g"},
            notes=() if answers else (_not_known(question, judged, self.limit, by) + self._why(number),),
        )

    def _allowed(self, number: int) -> Any:
        """The places of the candidates that may be an answer."""
        question = self.question
        if self.narrower:
            places = self.by.plausible_hyponyms(self._pairs(number))
        elif self.by.name == CONFIDENCE:
            places = question.supported(number)
        else:
            places = np.arange(len(question.candidates))
        return places[~(self._blocked[places] | question.same(number, places))]

    def _by_sense(self, answers: list[Answer], rows: Any) -> list[Answer]:
        """The answers sense by sense, up to `top` of each."""
        pairs = self.question.terms.pairs(np.repeat(rows, len(rows)), np.tile(rows, len(rows)))
        numbers = senses(pairs, [answer.term for answer in answers], [answer.statements for answer in answers])
        groups: dict[int, list[Answer]] = {}
        for answer, sense in zip(answers, numbers, strict=True):
            groups.setdefault(sense, []).append(replace(answer, sense=sense))
        return [answer for sense in sorted(groups) for answer in groups[sense][: self.options.top]]

    def _why(self, number: int) -> str:
        """How much the text has of a term that has no answer; nothing where that is plenty."""
        terms, row = self.question.terms, self.question.asked[number]
        often = int(terms.own_frequencies[row])
        said = 0 if terms.stated is None else int(terms.stated.hyponym_totals[row] * (not terms.stated.backed_off[row]))
        if self.by.name != CONFIDENCE or self.narrower or often >= _PLENTY:
            return ""
        if often == 0:
            return f"; the text does not have {terms.names[row]!r}, it is known by its words alone"
        times = "once" if often == 1 else f"{often} times"
        return f"; the text has it {times}, with {said} statements: more text that names it would help"

    def _judged(self, number: int, places: Any) -> _Judged:
        """The first answers that are likely enough, and the nearest of all."""
        rows = self.question.candidates[places]
        if self.by.name != CONFIDENCE:
            scores = self._with_head(number, places, np.array(self.by(self._pairs(number, rows))))
        elif self.narrower:
            scores = self._hyponym_scores(number, rows)
        else:
            scores = np.array(self.by(self._pairs(number, rows)))
        most = max(self.options.top, _GROUPED) if self.options.senses else self.options.top
        likely = np.flatnonzero(scores >= self.limit)
        first = likely[best(scores[likely], most)]
        nearest = first[:1] if len(first) else best(scores, 1)
        return _Judged(places[first], scores[first], places[nearest], scores[nearest])

    def _hyponym_scores(self, number: int, rows: Any) -> Any:
        """The confidences of those rows that can be among the answers."""
        scores = np.full(len(rows), -np.inf)
        leading = self.by.leading_hyponyms(self._pairs(number, rows))
        scores[leading] = self.by(self._pairs(number, rows[leading]))
        return scores

    def _with_head(self, number: int, places: Any, scores: Any) -> Any:
        """The scores, where the head of an asked phrase is as sure as heads are."""
        head = None if self.narrower else self.question.head(number)
        at = np.flatnonzero(places == head) if head is not None else ()
        if len(at):
            sure = head_confidence(self._pairs(number, self.question.candidates[places[at]]))
            scores[at] = np.maximum(scores[at], sure if self.by.calibrated else scores.max() + 1.0)
        return scores

    def _answers(self, number: int, word: str, judged: _Judged) -> list[Answer]:
        question, patterns = self.question, self._patterns
        names = question.terms.names
        asked = names[question.asked[number]]
        rows = question.candidates[judged.places]
        pairs = self._pairs(number, rows)
        answers = []
        columns = (rows, judged.scores, pairs.is_head, agreement(pairs))
        for row, score, is_head, agreed in zip(*columns, strict=True):
            term = question.word(int(row))
            pair = (names[row], asked) if self.narrower else (asked, names[row])
            wanted = self.options.evidence if agreed.statements else 0
            answers.append(
                Answer(
                    word,
                    term,
                    float(score) if self.by.calibrated else None,
                    None if self.by.calibrated else float(score),
                    ("head", *agreed.signals) if is_head else agreed.signals,
                    agreed.statements,
                    tuple(patterns.evidence(*pair, top=wanted)) if wanted and patterns is not None else (),
                )
            )
        return answers


@dataclass(frozen=True)
class _Judged:
    """Places among the candidates and their scores; the first of all, likely or not."""

    places: Any
    scores: Any
    nearest: Any
    nearest_scores: Any


def _not_known(question: Question, judged: _Judged, limit: float, by: Ranking) -> str:
    """What to say instead of a guess."""
    if not len(judged.nearest):
        return (
            "not known: nothing speaks for any candidate"
            if by.name == CONFIDENCE
            else "not known: no candidate is left"
        )
    if not by.calibrated and limit < MIN_SCORE:
        return f"not known: {by.name} says nothing for any candidate"
    what = "a confidence" if by.calibrated else f"a score ({by.name})"
    guess = question.word(int(question.candidates[judged.nearest[0]]))
    return f"not known: nothing reaches {what} of {limit:g}; the nearest is {guess} with {judged.nearest_scores[0]:.2g}"


# ---- senses -------------------------------------------------------------------------------------------------------
#
# Answers that have nothing to do with each other are put into groups: a tiger is an animal and a team. Which hypernyms
# belong together is read from their own vectors and statements; nothing is claimed about senses that no answer names.

MIN_LINK = 0.35
"""Groups whose mean link is at least this are one sense."""
MIN_STATEMENTS = 2
"""A group none of whose answers the text states as often as this is no sense of its own."""


def senses(pairs: Pairs, names: Sequence[str], statements: Sequence[int]) -> list[int]:
    """The sense of each answer, from 1 on in the order of the answers.

    Args:
        pairs: Every answer with every answer, row by row.
        names: The answers, the best first.
        statements: How often the text states each of them.
    """
    return grouped(links(pairs, names), statements)


def links(pairs: Pairs, names: Sequence[str]) -> Floats:
    """How much two answers belong together, from 0 to 1.

    It is the largest of three: the positive part of the skip-gram cosine; n/(n + 1), n the statements that one is a
    kind of the other; and 1 for phrases with the same head.
    """
    size = len(names)
    values = np.zeros((size, size))
    if pairs.skipgram is not None:
        values = np.maximum(values, pairs.skipgram_cosine.reshape(size, size))
    if pairs.patterns is not None:
        stated = pairs.patterns.exact_counts.reshape(size, size)
        either = stated + stated.T
        values = np.maximum(values, either / (either + 1))
    heads = [(heads_of(name.lower().split()) or [name.lower()])[-1].removesuffix("s") for name in names]
    values[np.array([[one == other for other in heads] for one in heads], dtype=np.bool_)] = 1.0
    return values


def grouped(link: Floats, statements: Sequence[int]) -> list[int]:
    """Groups by average linkage; a group that the text hardly states joins the one it has most to do with.

    >>> link = np.array([[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]])
    >>> grouped(link, [5, 1, 3]), grouped(link, [5, 1, 1])
    ([1, 1, 2], [1, 1, 1])
    """
    groups = [[place] for place in range(len(link))]
    while len(groups) > 1:
        value, one, other = _nearest(link, groups)
        if value < MIN_LINK:
            break
        groups[one] = sorted(groups[one] + groups.pop(other))
    while len(groups) > 1:
        weak = next((g for g in groups if max(statements[place] for place in g) < MIN_STATEMENTS), None)
        if weak is None:
            break
        others = [group for group in groups if group is not weak]
        joined = max(range(len(others)), key=lambda place: _link(link, others[place], weak))
        others[joined] = sorted(others[joined] + weak)
        groups = others
    numbers = [0] * len(link)
    for number, group in enumerate(sorted(groups), start=1):
        for place in group:
            numbers[place] = number
    return numbers


def _nearest(link: Floats, groups: list[list[int]]) -> tuple[float, int, int]:
    """The mean link of the two groups that have most to do with each other, and which they are; the first of equals."""
    pairs = ((one, other) for one in range(len(groups)) for other in range(one + 1, len(groups)))
    return max(
        ((_link(link, groups[a], groups[b]), a, b) for a, b in pairs), key=lambda near: (near[0], -near[1], -near[2])
    )


def _link(link: Floats, one: list[int], other: list[int]) -> float:
    return float(link[np.ix_(one, other)].mean())
