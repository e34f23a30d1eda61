"""Score every dataset under every score and measure the rankings: `evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive import __version__
from hyperdive._resources import Run, check_threads
from hyperdive._types import Bools, Floats
from hyperdive.benchmark import bootstrap as resampling
from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, Dataset, load_all
from hyperdive.benchmark.measures import micro_average, rank, ranked_precision, spearman
from hyperdive.benchmark.printed import kind_of
from hyperdive.errors import InputError, OptionError
from hyperdive.scores import Score, Source, Terms, as_source, usable_scores
from hyperdive.scores.source import AnyModel

_AT_ONCE = 2  # datasets that are scored at once, for much of that is done by one thread


@dataclass(frozen=True, eq=False)
class Scored:
    """A dataset under several scores: `known` pairs have a value, the others 0."""

    dataset: Dataset
    space: str
    known: Bools
    saved_by_lemma: int
    values: dict[str, Floats]

    @property
    def oov(self) -> int:
        """Pairs of which a term is not in the space."""
        return int(len(self.known) - self.known.sum())


@dataclass(frozen=True)
class Figure:
    """One figure in per cent: AP, or ρ for a graded set, with its 95 % interval when it was asked for."""

    value: float
    ci95: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """One dataset: its size, coverage and a cell for every score."""

    scored: Scored
    cells: dict[str, Figure]
    replicates: dict[str, Floats] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.scored.dataset.name

    @property
    def n(self) -> int:
        return len(self.scored.dataset)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All figures of one model."""

    results: dict[str, Result]
    scores: tuple[str, ...]
    model: str = ""
    kind: str = ""
    notes: tuple[str, ...] = ()

    def micro(self, names: Sequence[str] | None = None) -> dict[str, float]:
        """The micro-averaged AP of each score over the named binary sets (all there are when None).

        Empty when one of the named sets was not evaluated.
        """
        binary = [name for name, result in self.results.items() if not result.scored.dataset.graded]
        wanted = binary if names is None else list(names)
        if not wanted or not set(wanted) <= set(binary):
            return {}
        sizes = {name: self.results[name].n for name in wanted}
        return {
            score: micro_average({name: self.results[name].cells[score].value for name in wanted}, sizes)
            for score in self.scores
        }

    @cached_property
    def micro10(self) -> dict[str, float]:
        """Micro-averaged AP over the ten binary sets of the paper, by score."""
        return self.micro(MICRO_10)

    @cached_property
    def micro4(self) -> dict[str, float]:
        """Micro-averaged AP over BLESS, EVALution, Lenci/Benotto and Weeds, by score."""
        return self.micro(MICRO_4)

    @cached_property
    def hyperlex(self) -> dict[str, float]:
        """Spearman's ρ on HyperLex, by score."""
        if "HyperLex" not in self.results:
            return {}
        return {score: cell.value for score, cell in self.results["HyperLex"].cells.items()}

    def as_json(self) -> dict[str, Any]:
        """The figures as `hyperdive evaluate --json` prints them; AP and ρ in per cent."""

        def rounded(values: dict[str, float]) -> dict[str, float]:
            return {score: round(value, 4) for score, value in values.items()}

        datasets = {}
        for name, result in self.results.items():
            scored = result.scored
            datasets[name] = {
                "space": scored.space,
                "n": result.n,
                "positives": None if scored.dataset.graded else scored.dataset.positives,
                "oov": scored.oov,
                "saved_by_lemma": scored.saved_by_lemma,
                "measure": "spearman" if scored.dataset.graded else "ap",
                "scores": {
                    score: {
                        "ap": round(cell.value, 4),
                        "ci95": None if cell.ci95 is None else [round(end, 4) for end in cell.ci95],
                    }
                    for score, cell in result.cells.items()
                },
            }
        return {
            "micro10": rounded(self.micro10),
            "micro4": rounded(self.micro4),
            "hyperlex": rounded(self.hyperlex),
            "datasets": datasets,
            "model": self.model,
            "kind": self.kind,
            "notes": list(self.notes),
            "version": __version__,
        }


def score_dataset(
    source: Source,
    dataset: Dataset,
    scores: Sequence[Score],
    *,
    pos: bool = False,
    lemmas: bool = True,
) -> Scored:
    """Every pair of a dataset under every score."""
    terms = Terms(source, dataset.space_keys(pos=pos), lemmas=lemmas)
    known = terms.found[dataset.q] & terms.found[dataset.p]
    by_lemma = terms.lookup.by_lemma
    saved = int((known & (by_lemma[dataset.q] | by_lemma[dataset.p])).sum())
    values = {}
    pairs = terms.pairs(dataset.q[known], dataset.p[known], places=np.flatnonzero(known))
    for score in scores:
        column = np.zeros(len(dataset))
        column[known] = score(pairs)
        values[score.name] = column
    return Scored(dataset, "pos" if pos else "raw", known, saved, values)


def measure(scored: Scored, *, bootstrap: int = 0, seed: int = 0, threads: int = 0) -> Result:
    """AP (or ρ) in per cent for every score of a scored dataset."""
    dataset = scored.dataset
    if not dataset.graded and dataset.positives == 0:
        raise InputError(f"{dataset.name}: no pair is positive", hint="check its label column")
    replicates: dict[str, Floats] = {}
    rankings = {name: rank(values, scored.known) for name, values in scored.values.items()}
    if bootstrap:
        replicates = resampling.replicates(scored, bootstrap, seed=seed, threads=threads, rankings=rankings)
    cells = {}
    for name, values in scored.values.items():
        if dataset.graded:
            value = spearman(values, dataset.gold, scored.known)
        else:
            value = ranked_precision(rankings[name], dataset.labels)
        ci95 = resampling.interval(replicates[name]) if name in replicates else None
        cells[name] = Figure(100.0 * value, ci95)
    return Result(scored, cells, replicates)


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """What `evaluate` measures and how."""

    scores: Sequence[str | Score] | None = None
    """The scores to evaluate; None are those of the paper, and the confidence, that the spaces allow."""
    bootstrap: int = 0
    """Resamples for 95 % intervals; 0 leaves them out."""
    seed: int = 0
    """Seed of the resamples."""
    lemmas: bool = True
    """Look an unknown word up by its lemma too."""
    data: str | Path | None = None
    """Folder of the datasets; None is that of the environment, else the cache."""
    verify: bool = True
    """Refuse a dataset file that differs from the published one."""


def evaluate(
    main: AnyModel,
    pos: AnyModel | None = None,
    *,
    datasets: Sequence[str | Dataset] = ELEVEN,
    options: EvaluationOptions = EvaluationOptions(),
    model: str = "",
    run: Run = Run(),
) -> Evaluation:
    """Figures of a space or model on datasets.

    Args:
        main: a `VectorSpace`, a model, or a `Source` of the spaces to read.
        pos: the same with POS tags, for the POS-tagged datasets; None reads those in the main space.
        datasets: names of datasets, paths of files of pairs, or `Dataset`s.
        options: scores, intervals and the folder of the datasets.
        model: the name to show for the model.
        run: threads and progress.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog"], [[2, 1, 1], [1, 0, 1]], frequencies=[40, 9], kind="dive")
    >>> mine = Dataset.from_rows("mine", [("dog", "animal", 1.0), ("animal", "dog", 0.0), ("cat", "dog", 0.0)])
    >>> result = evaluate(space, datasets=[mine], options=EvaluationOptions(scores=["C·ΔS"]))
    >>> result.micro(), result.results["mine"].scored.oov
    ({'C·ΔS': 100.0}, 1)
    """
    raw = as_source(main)
    tagged = None if pos is None else as_source(pos)
    if tagged is None and any("|" in word for word in raw.main.words[:100]):
        tagged = raw
    loaded = load_all(datasets, data=options.data, verify=options.verify)
    chosen = usable_scores(raw, options.scores)
    if not chosen:
        raise InputError("no score was chosen", hint="`hyperdive score --list` shows all")
    notes = []
    if options.scores is None and tagged is not None and any(dataset.tagged for dataset in loaded):
        allowed = {score.name for score in usable_scores(tagged, ["all"])}
        lacking = [score.ascii for score in chosen if score.name not in allowed]
        chosen = [score for score in chosen if score.name in allowed]
        if lacking:
            notes.append(f"skipped, because the POS model lacks what they need: {', '.join(lacking)}")
    if tagged is None and any(dataset.tagged for dataset in loaded):
        notes.append("the POS-tagged sets were read in the raw space, with their suffix cut off")
    threads = check_threads(run.threads)
    workers = min(_AT_ONCE, threads)
    progress = run.progress.stage("evaluating", total=len(loaded), unit="datasets")

    def scored_by(dataset: Dataset) -> Scored:
        use_pos = dataset.tagged and tagged is not None
        source = tagged if use_pos and tagged is not None else raw
        return score_dataset(source, dataset, chosen, pos=use_pos, lemmas=options.lemmas)

    def figures(dataset: Dataset, scored: Scored | None, threads: int) -> Result:
        scored = scored_by(dataset) if scored is None else scored
        result = measure(scored, bootstrap=options.bootstrap, seed=options.seed, threads=threads)
        bar.advance(1)
        return result

    with progress as bar, ThreadPoolExecutor(workers) as pool:
        made: dict[str, Future[Result]] = {}
        for dataset in sorted(loaded, key=len, reverse=True):  # no thread is left with the longest at the end
            # scoring the first computes what all of them share, once
            scored = None if made else scored_by(dataset)
            made[dataset.name] = pool.submit(figures, dataset, scored, threads // workers if made else threads)
        results = {dataset.name: made[dataset.name].result() for dataset in loaded}
    for name, result in results.items():
        if result.scored.oov == result.n:
            notes.append(f"{name}: not one pair has both words in the space, so its figures are chance")
    return Evaluation(results, tuple(score.name for score in chosen), model, kind_of(raw), tuple(notes))


@dataclass(frozen=True)
class Difference:
    """This model's figure minus the baseline's, in points, with its 95 % interval and two-sided p value."""

    difference: float
    ci95: tuple[float, float]
    p: float

    def as_json(self) -> dict[str, Any]:
        """Return plain numbers; differences have four decimals."""
        ends = [round(end, 4) for end in self.ci95]
        return {"difference": round(self.difference, 4), "ci95": ends, "p": self.p}


def compare(evaluation: Evaluation, baseline: Evaluation) -> dict[str, dict[str, Difference]]:
    """Return paired differences by dataset (and `micro10`) and score, over the same resamples."""
    shared = [score for score in evaluation.scores if score in baseline.scores]
    if not shared:
        raise OptionError("the two models have no score in common", hint="choose one with --scores")
    table: dict[str, dict[str, Difference]] = {}
    for name, result in evaluation.results.items():
        other = baseline.results[name]
        if not result.replicates or not other.replicates:
            raise InputError("a paired test needs resamples", hint="add --resamples 1000")
        table[name] = {
            score: _difference(
                result.cells[score].value - other.cells[score].value, result.replicates[score], other.replicates[score]
            )
            for score in shared
        }
    if evaluation.micro10:
        total = sum(evaluation.results[name].n for name in MICRO_10)
        table["micro10"] = {}
        for score in shared:
            first, second = (
                sum(figures.results[name].n * figures.results[name].replicates[score] for name in MICRO_10) / total
                for figures in (evaluation, baseline)
            )
            value = evaluation.micro10[score] - baseline.micro10[score]
            table["micro10"][score] = _difference(value, np.asarray(first), np.asarray(second))
    return table


def _difference(value: float, first: Any, second: Any) -> Difference:
    return Difference(value, resampling.interval(first - second), resampling.paired_p(first, second))
