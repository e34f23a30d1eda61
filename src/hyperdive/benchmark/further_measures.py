"""Measures other than AP: F1, accuracy, AP@100, directionality, coverage, and discovery over the whole vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hyperdive.ask.ranking import EMPTY_WORDS
from hyperdive.benchmark.datasets import MICRO_10, Dataset
from hyperdive.benchmark.discovery import discover, priors
from hyperdive.benchmark.evaluation import Evaluation, Scored
from hyperdive.benchmark.measures import (
    Direction,
    average_precision_at,
    cross_validated,
    directionality,
    per_cent,
    separation,
)
from hyperdive.errors import InputError, OptionError
from hyperdive.scores import Rows, as_source, get
from hyperdive.scores.source import AnyModel

F1_SETS = ("Medical", "HypeNet")
"""The sets for which the literature reports F1."""
DIRECTION_SCORES = ("ΔS", "ΔQ", "ΔE", "SLQS Sub", "Frequency")


def fold_figures(scored: Scored, seed: int = 0) -> dict[str, dict[str, float]]:
    """F1 and accuracy in per cent by cross-validated thresholds; none with too few positives for 20 folds."""
    figures = {}
    for score, values in scored.values.items():
        with suppress(InputError):
            folds = cross_validated(values, scored.dataset.labels, scored.known, seed=seed)
            figures[score] = per_cent(asdict(folds))
    return figures


def first_hundred(scored: Scored, scores: Sequence[str] = (), *, seed: int = 0) -> dict[str, float]:
    """AP@100 in per cent of all scores, or of those of them that are named."""
    known, labels = scored.known, scored.dataset.labels
    chosen = {score: values for score, values in scored.values.items() if not scores or score in scores}
    return per_cent(
        {
            score: average_precision_at(values, labels, 100, known, shuffles=20, seed=seed)
            for score, values in chosen.items()
        }
    )


def direction_figures(binary: Sequence[Scored], scores: Sequence[str]) -> dict[str, dict[str, float]]:
    """How often each generality score of `scores` recognises the hypernym, over the positive pairs of all sets.

    In per cent: undecided pairs guessed, decided pairs only, and the sets' own accuracies weighted by their sizes.
    """
    figures: dict[str, dict[str, float]] = {}
    for score in (score for score in DIRECTION_SCORES if score in scores):
        each = [directionality(scored.values[score], scored.dataset.labels, scored.known) for scored in binary]
        pooled = sum(each, Direction(0, 0, 0))
        sizes = np.array([len(scored.dataset) for scored in binary], dtype=float)
        weighted = float((sizes * [figures.accuracy for figures in each]).sum() / sizes.sum()) if each else 0.0
        shares = {
            "accuracy": pooled.accuracy,
            "decided": pooled.decided_accuracy,
            "weighted_by_size": weighted,
        }
        figures[score] = per_cent({**shares, **asdict(pooled)})
    return figures


def separation_figures(binary: Sequence[Scored]) -> dict[str, dict[str, float]]:
    """How well each score tells pairs with the same hypernym apart, in per cent by set, and over all sets together.

    A set in which no positive pair shares its hypernym with a negative one is left out.
    """
    figures: dict[str, dict[str, float]] = {}
    for score in dict.fromkeys(score for scored in binary for score in scored.values):
        shares, total = dict[str, float](), 0
        for one in binary:
            share, compared = separation(one.values[score], one.dataset.labels, one.dataset.p, one.known)
            if compared:
                shares[one.dataset.name] = share
                shares["all"] = (shares.get("all", 0.0) * total + share * compared) / (total + compared)
                total += compared
        figures[score] = per_cent({name: shares[name] for name in sorted(shares, key="all".__eq__)})
    return figures


def further_measures(
    evaluation: Evaluation,
    model: AnyModel,
    *,
    pos: AnyModel | None = None,
    discovery: Sequence[str] = (),
    ranking: Callable[[Any], Any] | None = None,
    sample: int = 300,
    seed: int = 0,
) -> dict[str, Any]:
    """F1 and accuracy, AP@100, directionality, separation, coverage, and discovery for the named sets.

    Figures are in per cent. Discovery ranks the whole vocabulary but empty words for up to `sample` hyponyms of a
    set, by what `ranking` gives for a model (else the first score of the evaluation). Those of priors are included.
    """
    binary = {name: result.scored for name, result in evaluation.results.items() if not result.scored.dataset.graded}
    further: dict[str, Any] = {"f1": {}, "accuracy": {}, "ap100": {}}
    for name, scored in binary.items():
        if name in F1_SETS or name not in MICRO_10:
            folds = fold_figures(scored, seed)
            for measure in ("f1", "accuracy"):
                further[measure][name] = {s: folds[s][measure] if s in folds else None for s in scored.values}
        further["ap100"][name] = first_hundred(scored, seed=seed)
    further["directionality"] = direction_figures(list(binary.values()), evaluation.scores)
    further["separation"] = separation_figures(list(binary.values()))
    covered = coverage(model, [scored.dataset for scored in binary.values()], pos=pos)
    further["coverage"] = {**asdict(covered), "share": round(covered.share, 4)}
    further["discovery"] = {}
    for name in discovery:
        if name not in binary:
            raise OptionError(f"{name} is not among the evaluated binary sets", hint="name it with --datasets too")
        scored = binary[name]
        use = pos if scored.space == "pos" and pos is not None else model
        by = get(evaluation.scores[0]) if ranking is None else ranking(use)
        prior_scores = priors(use)
        choice: dict[str, Any] = {"never": EMPTY_WORDS, "sample": sample, "seed": seed, "pos": scored.space == "pos"}
        first, *rest = discover(use, scored.dataset, [by, *prior_scores], **choice)
        further["discovery"][name] = {
            "score": by.name,
            **asdict(first),
            "priors": {prior.name: asdict(figures) for prior, figures in zip(prior_scores, rest, strict=True)},
        }
    return further


@dataclass(frozen=True)
class Coverage:
    """Distinct words of some datasets (phrases split), and those a space has; spaces with and without POS apart."""

    words: int
    found: int
    nonzero_dimensions: float

    @property
    def share(self) -> float:
        """Found words in per cent."""
        return 100.0 * self.found / self.words if self.words else 0.0


def coverage(raw: AnyModel, datasets: Sequence[Dataset], *, pos: AnyModel | None = None) -> Coverage:
    """Coverage and average number of non-zero dimensions over the distinct words of all datasets together.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog"], [[3, 1], [1, 0]], frequencies=[9, 5], kind="dive")
    >>> coverage(space, [Dataset.from_rows("x", [("dog", "animal", 1.0), ("yak", "animal", 1.0)])])
    Coverage(words=3, found=2, nonzero_dimensions=1.5)
    """
    words = found = 0
    sizes: list[Any] = []
    for space, tagged in ((raw, False), (pos, True)):
        chosen = [dataset for dataset in datasets if (dataset.tagged and pos is not None) == tagged]
        if space is None or not chosen:
            continue
        distinct = sorted({word for dataset in chosen for key in dataset.space_keys(pos=tagged) for word in key})
        main = as_source(space).main
        lookup = main.vocabulary.look_up([[word] for word in distinct], lemmas=False)
        words += len(distinct)
        found += int(lookup.found.sum())
        sizes.append(Rows(main.matrix[np.unique(lookup.rows)]).sizes)
    together = np.concatenate(sizes) if sizes else np.zeros(0)
    return Coverage(words, found, float(together.mean()) if together.size else 0.0)
