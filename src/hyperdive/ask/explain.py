"""A pair of terms dimension by dimension and score by score, and terms side by side, as in the paper's main figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from hyperdive._types import Floats
from hyperdive.ask.options import ExplainOptions
from hyperdive.ask.question import Question, normal
from hyperdive.ask.ranking import SIGNALS, agreement, silence
from hyperdive.ask.topics import dimensions_of
from hyperdive.errors import OptionError, one_line
from hyperdive.scores.paper import W0, best_scale
from hyperdive.scores.source import AnyModel
from hyperdive.scores.terms import usable_scores
from hyperdive.table import Table

HIDDEN = 0.1  # the paper leaves out values under this
MOST_WORDS = 6
LABEL_WORDS = 4


@dataclass(frozen=True)
class Dimension:
    """One dimension: both values, and what that says about inclusion."""

    dimension: int
    label: str
    hyponym: float
    hypernym: float
    verdict: str


@dataclass(frozen=True)
class Verdict:
    """A score's value for the pair and for the reverse, and the place of the hypernym among all words."""

    score: str
    value: float
    reverse: float
    place: int
    of: int
    verdict: str


@dataclass(frozen=True)
class Explanation:
    """Everything about one pair; `str()` is the page that the command prints.

    `included` is the share of the hyponym that lies under the hypernym. The hyponym times `scale` has the AL₁
    `distance` from the hypernym. `read` says whether the model has patterns at all.
    """

    hyponym: str
    hypernym: str
    dimensions: Table[Dimension]
    scores: Table[Verdict]
    signals: tuple[str, ...]
    statements: int
    read: bool
    included: float
    scale: float
    distance: float

    def _summary(self) -> tuple[str, str]:
        agree = [name for name in SIGNALS if name in self.signals]
        against = [name for name in SIGNALS if name not in self.signals and (name != "patterns" or self.read)]
        hyponym, hypernym = one_line(self.hyponym), one_line(self.hypernym)
        stated = f"; the text states it {self.statements} times" if self.read else "; this model has read no patterns"
        return (
            f"{hyponym} → {hypernym}: {100 * self.included:.0f} % of {hyponym} lies under {hypernym}{stated}",
            f"for it: {', '.join(agree) or 'nothing'}; not for it: {', '.join(against) or 'nothing'}",
        )

    def __str__(self) -> str:
        return "\n".join([*self._summary(), "", str(self.dimensions), "", str(self.scores)])

    def _repr_html_(self) -> str:
        """The same for a notebook; whatever the text holds is escaped."""
        summary = "".join(f"<p>{escape(line)}</p>" for line in self._summary())
        return summary + self.dimensions._repr_html_() + self.scores._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "hyponym": self.hyponym,
            "hypernym": self.hypernym,
            "included": self.included,
            "signals": list(self.signals),
            "statements": self.statements if self.read else None,
            "AL1": {"a": self.scale, "w0": W0, "distance": self.distance},
            "dimensions": self.dimensions.to_dicts(),
            "scores": self.scores.to_dicts(),
        }


def explain(model: AnyModel, hyponym: str, hypernym: str, top: int | None = None) -> Explanation:
    """Return who includes whom in each dimension, where inclusion fails, and each score's verdict in short.

    A score says "yes" when the pair scores above its reverse; a symmetric score has no direction. The place is that of
    the hypernym when the score ranks all words of the model as hypernyms of this hyponym.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = [[5, 3, 0], [3, 0, 0.5], [0, 4, 0]]
    >>> model = VectorSpace(["animal", "dog", "law"], matrix, frequencies=[9, 5, 3], kind="dive")
    >>> found = explain(model, "dog", "animal")
    >>> print(found.dimensions)
    label       dog  animal  verdict
    animal dog    3       5  included
    dog         0.5       0  fails: animal has nothing
    law animal    0       3  only animal
    >>> [(one.score, one.verdict) for one in found.scores if one.score in ("ΔS", "C")]
    [('C', 'place 1'), ('ΔS', 'yes, place 1')]
    """
    ExplainOptions(top=top)
    question = Question(model, [hyponym, hypernym])
    vectors = _vectors(question)
    names = normal(hyponym), normal(hypernym)
    agreed = agreement(question.upwards(0, question.asked[1:]))[0]
    scale, distance = best_scale(vectors[0], vectors[1])
    return Explanation(
        *names,
        _dimensions(model, names, vectors, top),
        _scores(question),
        agreed.signals,
        agreed.statements,
        question.terms.source.patterns is not None,
        float(np.minimum(*vectors).sum() / max(float(vectors[0].sum()), 1e-30)),
        scale,
        distance,
    )


@dataclass(frozen=True)
class _Named(Table[Dimension]):
    """Columns headed by the two words themselves."""

    names: tuple[str, str] = ("hyponym", "hypernym")

    def headings(self) -> list[str]:
        return ["label", *self.names, "verdict"]


def _dimensions(model: AnyModel, names: tuple[str, str], vectors: Floats, top: int | None) -> Table[Dimension]:
    columns = dimensions_of(model)
    q, p = vectors
    there = np.flatnonzero((q >= HIDDEN) | (p >= HIDDEN))
    # the hyponym's own dimensions first: inclusion is decided there
    order = there[np.lexsort([-p[there], -np.where(q[there] >= HIDDEN, q[there], 0.0)])].tolist()
    rows = [
        Dimension(d, columns.title(d, LABEL_WORDS), float(q[d]), float(p[d]), _verdict(q[d], p[d], names[1]))
        for d in order[:top]
    ]
    return _Named(
        Dimension,
        rows,
        columns=("label", "hyponym", "hypernym", "verdict"),
        formats={"hyponym": ".3g", "hypernym": ".3g"},
        notes=() if len(rows) == len(order) else (f"{len(order) - len(rows)} more dimensions",),
        names=names,
    )


def _verdict(q: float, p: float, hypernym: str) -> str:
    if q < HIDDEN:
        return f"only {hypernym}"
    if q <= p:
        return "included"
    return f"fails: {hypernym} has nothing" if p < HIDDEN else f"fails: {hypernym} has {100 * p / q:.0f} %"


def _scores(question: Question) -> Table[Verdict]:
    hyponym, hypernym = question.asked[:1], question.asked[1:]
    everything = question.candidates[~question.same(0)]
    verdicts = []
    for score in usable_scores(question.terms.source, ["all"]):
        if score.family == "baseline" and score.name == "Random":
            continue
        value = float(score(question.upwards(0, hypernym))[0])
        reverse = float(score(question.upwards(1, hyponym))[0])
        place = 1 + int((score(question.upwards(0, everything)) > value).sum())
        side = "" if score.symmetric else "yes, " if value > reverse else "no, " if value < reverse else "undecided, "
        verdict = "says nothing" if value == reverse == silence(score) else f"{side}place {place}"
        verdicts.append(Verdict(score.name, value, reverse, place, len(everything), verdict))
    return Table(
        Verdict,
        verdicts,
        columns=("score", "value", "reverse", "verdict"),
        notes=(f"place: among all {len(everything)} words as hypernyms",),
    )


# ---- side by side -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shared:
    """One dimension: its first words, some of its words 51–105, and the value of each compared word."""

    dimension: int
    label: str
    values: tuple[float, ...]
    further: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison(Table[Shared]):
    """Dimensions of several words, one column per word; the broadest word sorts them and comes first in `words`.

    `included[i][j]` is the share of word j that lies under word i, from 0 to 1; `more` counts dimensions left out.
    """

    words: tuple[str, ...] = ()
    included: tuple[tuple[float, ...], ...] = ()
    more: int = 0

    def cells(self) -> list[list[str]]:
        return [
            [one_line(row.label), *(f"{value:.2f}" if value >= HIDDEN else "" for value in row.values)]
            for row in self.rows
        ]

    def headings(self) -> list[str]:
        return ["dimension", *self.words]

    def numeric(self) -> list[bool]:
        return [False, *(True for _ in self.words)]


def compare(model: AnyModel, words: Sequence[str], top: int | None = None) -> Comparison:
    """Return the words' values over the dimensions where any of them has at least 0.1.

    The word with the largest sum is taken as the broadest: it comes first and its values sort the dimensions.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = [[5, 3, 0], [3, 0, 0.5], [0, 4, 0]]
    >>> model = VectorSpace(["animal", "dog", "law"], matrix, frequencies=[9, 5, 3], kind="dive")
    >>> print(compare(model, ["dog", "animal"]))
    dimension   animal   dog
    animal dog    5.00  3.00
    law animal    3.00
    dog                 0.50
    animal includes 86 % of dog
    """
    ExplainOptions(top=top)
    if not 2 <= len(words) <= MOST_WORDS:
        raise OptionError(f"{len(words)} terms cannot be explained", hint=f"give 2 to {MOST_WORDS}")
    vectors = vectors_of(model, words)
    order = np.argsort(-vectors.sum(axis=1), kind="stable")
    vectors, named = vectors[order], tuple(normal(words[i]) for i in order)
    columns = dimensions_of(model)
    # by the broadest word; where it has nothing, by the next
    sorting = np.lexsort([np.arange(vectors.shape[1]), *-np.where(vectors >= HIDDEN, vectors, 0.0)[::-1]])
    there = [d for d in sorting.tolist() if vectors[:, d].max() >= HIDDEN]
    rows = [
        Shared(
            d,
            columns.title(d, LABEL_WORDS),
            tuple(float(value) for value in vectors[:, d]),
            tuple(columns.first(d, LABEL_WORDS, 50)),
        )
        for d in there[:top]
    ]
    shared = np.minimum(vectors[:, None], vectors[None]).sum(axis=2)
    included = shared / np.maximum(vectors.sum(axis=1), 1e-30)
    parts = ", ".join(f"{100 * share:.0f} % of {name}" for name, share in zip(named[1:], included[0, 1:], strict=True))
    more = len(there) - len(rows)
    return Comparison(
        Shared,
        rows,
        notes=(f"{named[0]} includes {parts}", *([f"{more} more dimensions"] if more else [])),
        words=named,
        included=tuple(map(tuple, included.tolist())),
        more=more,
    )


def vectors_of(model: AnyModel, words: Sequence[str]) -> Floats:
    """Return the vectors of words or phrases in the model's main space, one per row."""
    return _vectors(Question(model, words))


def _vectors(question: Question) -> Floats:
    rows = question.terms.rows.matrix[question.asked]
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=np.float64)
