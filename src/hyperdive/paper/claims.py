"""What the paper says it found, sentence by sentence: for its printed figures, for its constants, and for ours.

The sentences are the claims of `paper.toml`. A claim names measures, each of which applies one of the rules below to
the figures of a row and yields numbers and a text, and the conditions under which it holds.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hyperdive.benchmark.datasets import ELEVEN, MICRO_10
from hyperdive.paper.figures import RunFigures, paper_data, printed_figures, score_list

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "cannot be told"
PRINTED, CONSTANTS, OURS, TOKENS, MEASURED = (
    "the paper's printed figures",
    "DIVE (paper's constants)",
    "DIVE (ours)",
    "DIVE (paper's constants and solver)",
    "measured",
)
DIVE_ROWS = ((CONSTANTS, "dive-paper"), (OURS, "dive"), (TOKENS, "dive-tokens"))
_FIVE = ("five",)
_COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_CONDITION = re.compile(r"(\w+)\.(.+) (<=|>=|<|>) (.+)")


@dataclass(frozen=True)
class Claim:
    """A sentence for one row, whether it holds there, and the figures behind the verdict."""

    name: str
    statement: str
    row: str
    verdict: str
    figures: str


class Missing(LookupError):
    """A figure that a claim needs was not measured or not printed."""


class Number(float):
    """A number that the format `±` shows with its sign and one decimal.

    >>> f"{Number(-2):±}, {Number(2.04):.1f}"
    '−2.0, 2.0'
    """

    def __format__(self, spec: str) -> str:
        return f"{float(self):+.1f}".replace("-", "−") if spec == "±" else format(float(self), spec)


class Measure:
    """The named numbers of a rule, and their text."""

    def __init__(self, text: str, numbers: Mapping[str, float]) -> None:
        self.text, self.numbers = text, {name: Number(value) for name, value in numbers.items()}

    def __getattr__(self, name: str) -> Number:
        return self.numbers[name]

    def __format__(self, spec: str) -> str:
        return self.text


def check(figures: RunFigures) -> list[Claim]:
    """Return a verdict on every sentence for every row that it is about.

    >>> claims = check(RunFigures({}))
    >>> next((claim.row, claim.verdict) for claim in claims if claim.name == "shift")
    ("the paper's printed figures", 'holds')
    >>> {claim.verdict for claim in claims if PRINTED not in claim.row}
    {'cannot be told'}
    """
    claims = []
    for entry in paper_data()["claim"]:
        for row, source, space in _rows(figures, entry.get("rows", "dive")):
            try:
                holds, text = judge(entry, source, space)
                verdict = HOLDS if holds else FAILS
            except Missing:
                verdict = UNKNOWN
                text = "not printed" if row.startswith(PRINTED) else "a stage it needs was not run"
            claims.append(Claim(entry["name"], entry["quote"], row, verdict, text))
    return claims


def _rows(figures: RunFigures, kind: str) -> list[tuple[str, RunFigures, str]]:
    """Return label, figures and space of each row of a sentence."""
    paper = printed_figures()
    if kind == "sbow":
        return [(PRINTED, paper, "dive"), (MEASURED, figures, "dive")]
    dives = [(row, figures, name) for row, name in DIVE_ROWS if name in figures or row != TOKENS]
    if kind == "scores":
        return [(f"{PRINTED}, SBOW Freq", paper, "sbow-freq"), ("SBOW Freq", figures, "sbow-freq"), *dives]
    return [(PRINTED, paper, "dive"), *dives]


def judge(entry: Mapping[str, Any], figures: RunFigures, space: str) -> tuple[bool, str]:
    """Test a claim on the figures of a row; raise `Missing` if one of them is not there."""
    for name in entry.get("needs", ()):
        if name not in figures:
            raise Missing(f"{name} was not measured")
    measures: dict[str, Measure] = {}
    optional = entry.get("more", "")
    for name, settings in entry["measures"].items():
        chosen = {key: _filled(value, space) for key, value in settings.items() if key != "rule"}
        try:
            measures[name] = RULES[settings["rule"]](figures, **chosen)
        except Missing:
            if f"{{{name}." not in optional:
                raise
            optional = ""
    text = entry["text"].format(**measures) + optional.format(**measures)
    return all(_met(condition, measures) for condition in entry["holds"]), text


def _filled(value: Any, space: str) -> Any:
    if isinstance(value, list):
        return [_filled(one, space) for one in value]
    return value.replace("{dive}", space) if isinstance(value, str) else value


def _met(condition: str, measures: Mapping[str, Measure]) -> bool:
    """Whether a condition such as `gap.min > 0` or `a.ours >= a.theirs - 0.5` is met."""
    parts = _CONDITION.fullmatch(condition)
    if parts is None:
        raise ValueError(f"paper.toml: not a condition: {condition}")
    name, number, comparison, limit = parts.groups()
    other, _, less = limit.partition(" - ")
    measure, _, named = other.partition(".")
    value = measures[measure].numbers[named] if measure in measures else float(other)
    return bool(_COMPARE[comparison](measures[name].numbers[number], value - float(less or 0)))


# ---- rules -------------------------------------------------------------------------------------------------------


def _known(figures: RunFigures, space: str, score: str, place: str) -> float:
    value = figures.get(space, score, place)
    if value is None:
        raise Missing(f"no figure of {score} on {space}, {place}")
    return value


def _micros(figures: RunFigures, space: str, scores: Sequence[str], place: str = "micro10") -> dict[str, float]:
    return {score: _known(figures, space, score, place) for score in score_list(scores)}


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{score} {value:.1f}" for score, value in values.items())


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"95 % {Number(ends[0]):±} to {Number(ends[1]):±}"


def figures_rule(figures: RunFigures, **addresses: Sequence[str]) -> Measure:
    """Take figures by their addresses: space, score, place."""
    values = {name: _known(figures, space, score, place) for name, (space, score, place) in addresses.items()}
    return Measure(_listed(values), values)


def averages(figures: RunFigures, of: str, scores: Sequence[str] = _FIVE) -> Measure:
    """Take the micro averages of a space over ten datasets, and their mean."""
    values = _micros(figures, of, scores)
    return Measure(_listed(values), {**values, "mean": sum(values.values()) / len(values)})


def ranks(figures: RunFigures, of: str, scores: Sequence[str]) -> Measure:
    """Rank scores by their micro averages, 1 is the highest; the text lists five."""
    values = _micros(figures, of, scores)
    order = sorted(values, key=lambda score: -values[score])
    text = _listed({score: values[score] for score in order[:5]})
    return Measure(text, {score: float(place) for place, score in enumerate(order, start=1)})


def gaps(figures: RunFigures, of: str, against: str, scores: Sequence[str] = _FIVE, by: Sequence[str] = ()) -> Measure:
    """Subtract the micro averages of a space from another's, by score, or from the best of the scores `by`."""
    best = {}
    if by:
        others = _micros(figures, against, by)
        best = {"": max(others, key=lambda score: others[score])}
    values, texts = {}, []
    for score in score_list(scores):
        other = best.get("", score)
        gap = figures.gap(of, score, against, other)
        if gap is None:
            raise Missing(f"no micro average of {score} on {of} and {against}")
        values[score], ends = gap
        ours, theirs = _known(figures, of, score, "micro10"), _known(figures, against, other, "micro10")
        details = ", ".join(filter(None, (f"{Number(values[score]):±}", _interval(ends))))
        texts.append(f"{score} {ours:.1f} against {theirs:.1f} ({details})")
    mean = sum(values.values()) / len(values)
    numbers = {
        "min": min(values.values()),
        "max": max(values.values()),
        "mean": mean,
        "loss": -mean,
        "distance": sum(map(abs, values.values())) / len(values),
        "higher": sum(value > 0 for value in values.values()),
        "not_lower": sum(value >= 0 for value in values.values()),
    }
    return Measure("; ".join(texts), {**numbers, **values})


def changes(figures: RunFigures, of: str, against: str, place: str, margin: float) -> Measure:
    """Subtract the figures of a space on one dataset from another's; count those within a margin."""
    values = {
        score: _known(figures, of, score, place) - _known(figures, against, score, place) for score in score_list(_FIVE)
    }
    text = ", ".join(f"{score} {Number(value):±}" for score, value in values.items())
    return Measure(text, {"near": sum(abs(value) <= margin for value in values.values())})


def cells(figures: RunFigures, of: str, against: str, margin: float = 0.0) -> Measure:
    """Count the cells of eleven datasets and five scores in which a space is above another, or at most `margin` below.

    `sets` are the datasets on which most scores are.
    """
    scores = score_list(_FIVE)
    reached = {}
    for dataset in ELEVEN:
        for score in scores:
            ours, theirs = _known(figures, of, score, dataset), _known(figures, against, score, dataset)
            reached[dataset, score] = ours >= theirs - margin if margin else ours > theirs
    sets = sum(2 * sum(reached[dataset, score] for score in scores) > len(scores) for dataset in ELEVEN)
    ten = sum(value for (dataset, _), value in reached.items() if dataset in MICRO_10)
    graded = sum(reached.values()) - ten
    text = (
        f"{ten} of {len(MICRO_10) * len(scores)} cells of ten sets and {graded} of {len(scores)} of HyperLex, "
        f"by most scores on {sets} of {len(ELEVEN)} sets"
    )
    return Measure(text, {"ten": ten, "graded": graded, "sets": sets})


def wins(
    figures: RunFigures,
    of: str,
    against: str,
    scores: Sequence[str] = _FIVE,
    by: Sequence[str] = _FIVE,
    sets: str = "eleven",
) -> Measure:
    """Count the datasets on which the best of some scores on a space is above the best of others on another.

    `ours` and `theirs` are the best micro averages, `low` the lower end of the interval of their difference.
    """
    names = MICRO_10 if sets == "ten" else ELEVEN
    won = sum(
        max(_micros(figures, of, scores, name).values()) > max(_micros(figures, against, by, name).values())
        for name in names
    )
    averages = _micros(figures, of, scores), _micros(figures, against, by)
    tops = [max(values, key=lambda score, values=values: values[score]) for values in averages]  # type: ignore[misc]
    gap = figures.gap(of, tops[0], against, tops[1])
    ends = None if gap is None else gap[1]
    ours, theirs = averages[0][tops[0]], averages[1][tops[1]]
    low = ours - theirs if ends is None else ends[0]
    label = paper_data()["labels"].get(against, against)
    text = f"{tops[0]} {ours:.1f}, {label} {tops[1]} {theirs:.1f}{f' ({_interval(ends)})' if ends else ''}"
    return Measure(text, {"sets": won, "ours": ours, "theirs": theirs, "low": low})


def winners(figures: RunFigures, of: str) -> Measure:
    """Count on how many of eleven datasets each of five scores is the best."""
    best = []
    for dataset in ELEVEN:
        values = _micros(figures, of, _FIVE, dataset)
        best.append(max(values, key=lambda score: values[score]))
    counts = {score: best.count(score) for score in score_list(_FIVE) if score in best}
    return Measure(", ".join(f"{score} {count}" for score, count in counts.items()), {"scores": len(counts)})


def best(figures: RunFigures, spaces: Sequence[str], place: str, expected: Sequence[str]) -> Measure:
    """Find the space and score with the highest micro average, and whether they are those expected."""
    addresses = [(space, score) for space in spaces for score in score_list(_FIVE)]
    values = {address: value for address in addresses if (value := figures.get(*address, place)) is not None}
    ours = _known(figures, expected[0], expected[1], place)
    top = max(values, key=lambda address: values[address])
    text = f"{paper_data()['labels'].get(top[0], top[0])} {top[1]} {values[top]:.1f}"
    return Measure(text, {"ours": ours, "expected": top == tuple(expected)})


def savings(figures: RunFigures, of: str, against: str) -> Measure:
    """Compare memory, non-zero dimensions and the time of each score of a space with another's."""
    ours, theirs = figures.cost(of), figures.cost(against)
    if ours is None or theirs is None:
        raise Missing(f"no cost of {of} and {against}")
    memory = _ratio(sum(theirs["bytes"].values()), sum(ours["bytes"].values()))
    times = {score: _ratio(theirs["seconds"][score], ours["seconds"][score]) for score in score_list(["costed"])}
    sizes = (figures.get(against, "", "dimensions:all"), figures.get(of, "", "dimensions:all"))
    words = f", {sizes[0] / sizes[1]:.0f} times the non-zeros of a test word" if sizes[0] and sizes[1] else ""
    faster = ", ".join(f"{score} {value:.0f}" for score, value in times.items())
    text = f"{paper_data()['labels'][against]}: {memory:.0f} times the memory{words}; times longer to score: {faster}"
    return Measure(text, {"min": min(memory, *times.values())})


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


RULES: dict[str, Callable[..., Measure]] = {
    "figures": figures_rule,
    "averages": averages,
    "ranks": ranks,
    "gaps": gaps,
    "changes": changes,
    "cells": cells,
    "wins": wins,
    "winners": winners,
    "best": best,
    "savings": savings,
}
