"""What is a poodle? Broader terms of a word, and narrower ones, ranked, with what speaks for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive.discover.question import Question, best
from hyperdive.discover.ranking import EMPTY_WORDS, HEAD_CONFIDENCE, NEAR_AND_GENERAL, Ranking, ranking
from hyperdive.discover.signals import agreement
from hyperdive.errors import OptionError
from hyperdive.scores.pairs import Pairs
from hyperdive.table import Table

MIN_CONFIDENCE = 0.2
MIN_SCORE = 0.02
MOST_EVIDENCE = 3
_FIRST_LOOK = 2000
_BEFORE = 0.2  # more than the logarithm of the head's confidence takes away


@dataclass(frozen=True)
class Sentence:
    """A sentence of the text that states the pair; `spans` are the places of the two terms in it."""

    sentence: str
    pattern: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Answer:
    """One answer; `score` is what answers are ordered by, `confidence` None where there is no calibrated score."""

    term: str
    confidence: float | None
    score: float
    signals: tuple[str, ...]
    evidence: int
    sentences: tuple[Sentence, ...] = ()


def hypernyms(model: Any, word: str, top: int = 10, **options: Any) -> Table[Answer]:
    """Terms that `word` is a kind of, the likeliest first; empty when nothing is likely enough.

    Options: `candidates` (only these terms instead of the whole vocabulary), `block` (never these), `score` (rank by
    this one), `min_confidence` (leave out what is less likely), `evidence` (that many sentences with each answer).

    >>> from hyperdive import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[3, 2, 1], [2, 1, 0], [1, 0, 0], [0, 0, 2]])
    >>> words = ["animal", "dog", "poodle", "law"]
    >>> model = Model(VectorSpace(words, matrix, frequencies=[9, 5, 1, 3], kind="dive"))
    >>> print(hypernyms(model, "poodle"))
    term    score  signals
    animal  0.924  inclusion, generality, similarity
    dog     0.786  inclusion, generality, similarity
    >>> [answer.term for answer in hyponyms(model, "animal")]
    ['dog', 'poodle', 'law']
    """
    return ask(model, [word], top, **options)[0]


def hyponyms(model: Any, word: str, top: int = 10, **options: Any) -> Table[Answer]:
    """Terms that are a kind of `word`, the likeliest first; options as for `hypernyms`."""
    return ask(model, [word], top, narrower=True, **options)[0]


def ask(
    model: Any,
    words: Sequence[str],
    top: int = 10,
    *,
    narrower: bool = False,
    candidates: Iterable[str] | None = None,
    block: Iterable[str] = (),
    score: str | None = None,
    min_confidence: float | None = None,
    evidence: int = 0,
    progress: Progress = SILENT,
) -> list[Table[Answer]]:
    """Answers for several words at once, one table each."""
    if top < 1:
        raise OptionError("the number of answers must be 1 or more")
    by = ranking(model, score)
    limit = _limit(by, score, min_confidence)
    question = Question(model, words, candidates)
    blocked = _blocked(question, block, own=candidates is not None or narrower)
    tables = []
    with progress.stage("answering", total=len(words), unit="questions") as bar:
        for number in range(len(words)):
            tables.append(_answer(model, question, number, by, limit, blocked, top, narrower, evidence))
            bar.advance(1)
    return tables


def _limit(by: Ranking, score: str | None, min_confidence: float | None) -> float:
    if min_confidence is not None and not (by.calibrated and 0 <= min_confidence <= 1):
        raise OptionError(
            "a minimum confidence needs confidences, from 0 to 1"
            if by.calibrated
            else f"{by.name} gives no confidences, so there is no minimum to set",
            hint="use a model with patterns and no --score" if not by.calibrated else "0.2 is the default",
        )
    if by.calibrated:
        return MIN_CONFIDENCE if min_confidence is None else min_confidence
    return MIN_SCORE if score is None else float(np.nextafter(by.none, np.inf))


def _blocked(question: Question, block: Iterable[str], *, own: bool) -> Any:
    """Which candidates are never an answer; empty words only when the user did not name the candidates."""
    names = {" ".join(term.lower().split()) for term in block} | (set() if own else EMPTY_WORDS)
    return question.named(names)


def _answer(
    model: Any,
    question: Question,
    number: int,
    by: Ranking,
    limit: float,
    blocked: Any,
    top: int,
    narrower: bool,
    evidence: int,
) -> Table[Answer]:
    side = question.downwards if narrower else question.upwards
    bounds = np.array(by.bound(side(number)))
    bounds[blocked | question.same(number)] = -np.inf
    head = None if narrower or (by.fit is None and by.name != NEAR_AND_GENERAL) else _head(question, number, bounds)
    found = _first(by, lambda places: side(number, question.candidates[places]), bounds, limit, top, head)
    word = " ".join(_names(question.terms, int(question.asked[number])))
    rows = question.candidates[found.places]
    answers = []
    agreed = agreement(side(number, rows))
    for place, row, value, score, one in zip(found.places, rows, found.values, found.scores, agreed, strict=True):
        term = question.word(int(row))
        pair = (term, word) if narrower else (word, term)
        answers.append(
            Answer(
                term,
                float(score) if by.calibrated else None,
                float(value),
                ("head", *one.signals) if place == head else one.signals,
                one.evidence,
                _sentences(model, *pair, evidence) if evidence and one.evidence else (),
            )
        )
    patterns = getattr(model, "patterns", None) is not None
    columns = ("term", "confidence" if by.calibrated else "score", "signals", *(("evidence",) if patterns else ()))
    return Table(
        Answer,
        answers,
        columns=columns,
        formats={"confidence": ".2f", "score": ".3g"},
        notes=() if answers else (_unknown(question, found, limit, by),),
    )


@dataclass(frozen=True)
class _Found:
    """Places among the candidates, what they are ordered by, their scores; `nearest` is the best, likely or not."""

    places: Any
    values: Any
    scores: Any
    nearest: tuple[int, float] | None


def _first(
    by: Ranking, pairs: Callable[[Any], Pairs], bounds: Any, limit: float, top: int, head: int | None = None
) -> _Found:
    """The best answers, exactly: candidates are judged from the largest bound on, as many as may still matter."""
    left = int(np.isfinite(bounds).sum())
    looked = min(max(_FIRST_LOOK, 4 * top), left)
    while True:
        places = np.sort(best(bounds, looked))
        scores = bounds[places] if by.fit is None else by(pairs(places))
        if by.calibrated and head is not None:
            scores = np.where(places == head, np.maximum(scores, HEAD_CONFIDENCE), scores)
        values = by.value(bounds[places], scores)
        likely = np.flatnonzero(scores >= limit)
        order = likely[best(values[likely], top)]
        if by.fit is None or looked == left:
            break
        # nothing that was not looked at can come before the last answer
        if len(order) == top and values[order[-1]] > bounds[places].min():
            break
        looked = min(8 * looked, left)
    rest = best(values, 1)
    nearest = (int(places[rest[0]]), float(scores[rest[0]])) if len(rest) else None
    return _Found(places[order], values[order], scores[order], nearest)


def _head(question: Question, number: int, bounds: Any) -> int | None:
    """The place of a phrase's head, which is put before all others: a police dog is a dog."""
    head = question.head(number)
    if head is None or not np.isfinite(bounds[head]):
        return None
    bounds[head] = bounds.max() + _BEFORE
    return head


def _names(terms: Any, row: int) -> list[str]:
    lookup = terms.lookup
    return [terms.source.main.words[i] for i in lookup.rows[lookup.starts[row] : lookup.starts[row + 1]]]


def _unknown(question: Question, found: _Found, limit: float, by: Ranking) -> str:
    """What to say instead of a guess."""
    if found.nearest is None:
        return "not known: no candidate is left"
    if not by.calibrated and limit < MIN_SCORE:
        return f"not known: {by.name} says nothing for any candidate"
    what = "a confidence" if by.calibrated else f"a score ({by.name})"
    place, value = found.nearest
    guess = question.word(int(question.candidates[place]))
    return f"not known: nothing reaches {what} of {limit:g}; the nearest is {guess} with {value:.2g}"


def _sentences(model: Any, narrow: str, broad: str, most: int) -> tuple[Sentence, ...]:
    found = model.patterns.evidence(narrow, broad, top=most)
    return tuple(
        Sentence(str(one.sentence), str(one.pattern), tuple((int(a), int(b)) for a, b in one.spans)) for one in found
    )
