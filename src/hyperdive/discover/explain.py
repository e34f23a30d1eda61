"""A pair of terms, dimension by dimension, and the verdict of every score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive._types import Floats
from hyperdive.discover.compare import HIDDEN, LABEL_WORDS
from hyperdive.discover.dimensions import dimensions_of
from hyperdive.discover.question import Question
from hyperdive.discover.ranking import silence
from hyperdive.discover.signals import SIGNALS, agreement
from hyperdive.errors import one_line
from hyperdive.scores.paper import W0, best_scale
from hyperdive.scores.source import AnyModel
from hyperdive.scores.terms import usable_scores
from hyperdive.table import Table


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
    """Everything about one pair; `str()` is the page that the command prints."""

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

    def __str__(self) -> str:
        agree = [name for name in SIGNALS if name in self.signals]
        against = [name for name in SIGNALS if name not in self.signals and (name != "patterns" or self.read)]
        hyponym, hypernym = one_line(self.hyponym), one_line(self.hypernym)
        stated = f"; the text states it {self.statements} times" if self.read else "; this model has read no patterns"
        lines = [
            f"{hyponym} → {hypernym}: {100 * self.included:.0f} % of {hyponym} lies under {hypernym}{stated}",
            f"for it: {', '.join(agree) or 'nothing'}; not for it: {', '.join(against) or 'nothing'}",
            "",
            str(self.dimensions),
            "",
            str(self.scores),
        ]
        return "\n".join(lines)

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
    """Who includes whom in each dimension, where inclusion fails, and each score's verdict in short.

    A score says "yes" when the pair scores above its reverse; a symmetric score has no direction. Every score also
    is the rank of the hypernym when it ranks all words of the model as hypernyms of this hyponym.

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
    question = Question(model, [hyponym, hypernym])
    rows = question.terms.rows.matrix[question.asked]
    vectors = np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=np.float64)
    names = " ".join(hyponym.lower().split()), " ".join(hypernym.lower().split())
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


def _dimensions(model: AnyModel, names: tuple[str, str], vectors: Floats, top: int | None) -> Table[Dimension]:
    columns = dimensions_of(model)
    q, p = vectors
    there = np.flatnonzero((q >= HIDDEN) | (p >= HIDDEN))
    # the hyponym's own dimensions first: inclusion is decided there
    order = there[np.lexsort([-p[there], -np.where(q[there] >= HIDDEN, q[there], 0.0)])]
    found = [
        Dimension(
            int(d),
            " ".join(columns.first(int(d), LABEL_WORDS)),
            float(q[d]),
            float(p[d]),
            _verdict(q[d], p[d], names[1]),
        )
        for d in order
    ]
    kept = found[:top]
    notes = () if len(kept) == len(found) else (f"{len(found) - len(kept)} more dimensions",)
    return _Named(
        Dimension,
        kept,
        columns=("label", "hyponym", "hypernym", "verdict"),
        formats={"hyponym": ".3g", "hypernym": ".3g"},
        notes=notes,
        names=names,
    )


@dataclass(frozen=True)
class _Named(Table[Dimension]):
    """Columns headed by the two words themselves."""

    names: tuple[str, str] = ("hyponym", "hypernym")

    def heading(self, column: str) -> str:
        return {"hyponym": self.names[0], "hypernym": self.names[1]}.get(column, column)


def _verdict(q: float, p: float, hypernym: str) -> str:
    if q < HIDDEN:
        return f"only {hypernym}"
    if q <= p:
        return "included"
    return f"fails: {hypernym} has nothing" if p < HIDDEN else f"fails: {hypernym} has {100 * p / q:.0f} %"


def _scores(question: Question) -> Table[Verdict]:
    terms = question.terms
    p = question.asked[1:]
    everything = question.candidates[~question.same(0)]
    found = []
    for score in usable_scores(terms.source, ["all"]):
        if score.family == "baseline" and score.name == "Random":
            continue
        value = float(score(question.upwards(0, p))[0])
        reverse = float(score(question.upwards(1, question.asked[:1]))[0])
        place = 1 + int((score(question.upwards(0, everything)) > value).sum())
        side = "" if score.symmetric else "yes, " if value > reverse else "no, " if value < reverse else "undecided, "
        said = "says nothing" if value == reverse == silence(score) else f"{side}place {place}"
        found.append(Verdict(score.name, value, reverse, place, len(everything), said))
    return Table(
        Verdict,
        found,
        columns=("score", "value", "reverse", "verdict"),
        notes=(f"place: among all {len(everything)} words as hypernyms",),
    )
