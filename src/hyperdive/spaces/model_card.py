"""The model card: what a person should know of a model before trusting it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hyperdive import __version__

if TYPE_CHECKING:
    from hyperdive.model import Model


def card(model: Model, facts: Mapping[str, Any]) -> str:
    """Return the `README.md` of a model folder, made from what is recorded about its training."""
    corpus = facts.get("corpus", {})
    lines = [
        "# A hyperdive model",
        "",
        f"Non-negative word vectors (DIVE) for {len(model):,} words in {model.dive.dimensions} dimensions, made by "
        f"hyperdive {__version__} without labels from plain text. A broader word is meant to have larger values than a "
        "narrower one in every dimension.",
        "",
        "## Text",
        "",
    ]
    lines += _table({_SPOKEN.get(name, name): value for name, value in corpus.items()}) or ["Not recorded."]
    lines += ["", "## Parameters", "", *(_table(model.parameters) or ["Not recorded."])]
    kept = [f"`{name}`" for name in ("dive", "contexts", "skipgram") if getattr(model, name) is not None]
    history = facts.get("objective", [])
    lines += ["", "## Content", "", f"Vectors: {', '.join(kept)}."]
    if model.terms:
        lines.append(
            f"Terms: {len(model.terms):,}, most of several words, with vectors of their own in the same spaces as the "
            "words."
        )
    if model.patterns is not None:
        told = "with" if model.patterns.has_sentences else "without"
        lines.append(
            f"Patterns: the text states {model.patterns.totals[2]:,} times that one term is a kind of another, "
            f"{model.patterns.pairs:,} different pairs of {len(model.patterns):,} terms ({told} sentences)."
        )
    if history:
        lines.append(f"Objective (mean log likelihood per word) at the end of training: {history[-1]:.5f}.")
    if "pruned" in facts:
        lines.append(_told(facts["pruned"], len(model)))
    for title, text in facts.get("card", {}).items():
        lines += ["", f"## {title}", "", text]
    lines += [
        "",
        "## What to expect",
        "",
        "Scores rank candidates; they are no proof. A word has one vector for all its senses. Rare words, proper names "
        "and words the text does not describe are known badly or not at all.",
        "",
    ]
    return "\n".join(lines)


def _told(pruned: dict[str, Any], words: int) -> str:
    return (
        f"Pruned from a model of {pruned['words']:,} words: the {pruned['frequent']:,} most frequent, and the "
        f"{words - pruned['frequent']:,} others that a dictionary knows or that patterns name most often; phrases that "
        f"patterns name {pruned['least']} times or more. Skip-gram and pattern vectors are rounded to 8 bits."
    )


_SPOKEN = {"tokens": "kept tokens", "vocabulary": "vocabulary (with the unknown symbol)"}


def _table(values: dict[str, Any]) -> list[str]:
    if not values:
        return []
    rows = [f"| {name} | {_shown(value)} |" for name, value in sorted(values.items())]
    return ["| | |", "| --- | --- |", *rows]


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(inner)}" for name, inner in value.items())
    return str(value).replace("|", "\\|").replace("\n", " ")
