"""Figures of every space of a run: each space is measured once, and its figures are the result of a stage."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hyperdive._resources import Run
from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, SPECS, Dataset, data_folder, load_all, read_file
from hyperdive.benchmark.evaluation import Evaluation, EvaluationOptions, evaluate
from hyperdive.benchmark.further_measures import F1_SETS, coverage, direction_figures, first_hundred, fold_figures
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.model import Model
from hyperdive.options import ReproduceOptions
from hyperdive.paper.figures import paper_data, score_list
from hyperdive.paper.stages import ReproduceStage, StageFolder
from hyperdive.scores import Pairs, Rows, Source, Terms, as_source, get
from hyperdive.spaces.sbow import sbow
from hyperdive.spaces.space import VectorSpace

_DIRECTED = ("ΔS", "SLQS Sub", "Frequency")
_COMPARED = 1000  # pairs of a dataset and label that are tested for inclusion
_MEASURES = 2  # raise it when a space is measured differently, so that stored figures are measured again


@dataclass(frozen=True)
class MeasuredSpace:
    """One measured space: an entry `[[space]]` of `paper.toml`."""

    name: str
    main: str
    scores: tuple[str, ...]
    kind: str = ""
    skipgram: str = "dive"
    corpora: tuple[str, ...] = ("raw", "pos")
    datasets: tuple[str, ...] = ELEVEN
    costed: bool = False
    pmi_filter: str = "none"
    pmi_shift: float = 1.0


@cache
def measured_spaces() -> dict[str, MeasuredSpace]:
    """Return all spaces that a run can measure, by name.

    >>> measured_spaces()["kmeans"].corpora
    ('raw', 'pos')
    """
    spaces = {}
    for entry in paper_data()["space"]:
        settings: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        settings["scores"] = score_list(entry.get("scores", ("five", "baselines")))
        spaces[entry["name"]] = MeasuredSpace(**settings)
    return spaces


def figure_stages(
    stages: Sequence[ReproduceStage], options: ReproduceOptions, checksums: Sequence[str] = ()
) -> list[ReproduceStage]:
    """Return a stage of figures for every space whose own stages run; `checksums` are those of the datasets.

    >>> from hyperdive.paper.stages import RunText, training_stages
    >>> options = ReproduceOptions(without=("pos", "half", "kmeans", "gaussian", "word2vec"))
    >>> stages = training_stages(options, RunText(("a",), "0" * 64, 9))
    >>> [stage.name for stage in figure_stages(stages, options)][:3]
    ['figures-dive', 'figures-dive-paper', 'figures-sbow-freq']
    """
    by_name = {stage.name: stage for stage in stages}
    figures = []
    for space in measured_spaces().values():
        # without parts of speech the tagged datasets are read in the raw space
        corpora = [kind for kind in space.corpora if f"corpus-{kind}" in by_name]
        mains = dict.fromkeys(name for name in (space.main, space.skipgram) if name)
        needs = [f"{main}-{kind}" for kind in corpora for main in mains]
        if not needs or not all(name in by_name for name in needs):
            continue
        settings = {
            "entry": asdict(space),
            "datasets": list(checksums),
            "resamples": options.resamples,
            "seed": options.seed,
            "measures": _MEASURES,
        }
        seconds = (3.0 * len(space.scores) if space.kind.startswith("sbow") else 4.0) * len(corpora)
        sources = tuple(by_name[name] for name in needs)
        what = f"figures of {space.name}"
        figures.append(ReproduceStage(f"figures-{space.name}", "figures", what, settings, sources, seconds))
    return figures


def dataset_checksums(data: str | Path | None = None, *, verify: bool = True) -> list[str]:
    """Return the SHA-256 of every dataset file, which must exist, and be unaltered unless `verify` is off."""
    folder = data_folder(data)
    files = [file for name in ELEVEN for file in SPECS[name].files]
    return [hashlib.sha256(read_file(folder, file, verify=verify).encode("utf-8")).hexdigest() for file in files]


def space_of(stage: ReproduceStage) -> MeasuredSpace:
    """Return the space that a stage of figures measures."""
    return measured_spaces()[stage.name.removeprefix("figures-")]


def measure_stage(
    stage: ReproduceStage,
    folder: StageFolder,
    *,
    data: str | Path | None = None,
    verify: bool = True,
    run: Run = Run(),
) -> dict[str, Any]:
    """Open the spaces of a stage and return their figures."""
    space = space_of(stage)
    kinds = [kind for kind in space.corpora if any(need.name.endswith(f"-{kind}") for need in stage.needs)]
    sources = {kind: _open_source(folder, space, kind) for kind in kinds}
    main, pos = sources[space.corpora[0]], sources.get("pos")
    datasets = load_all(space.datasets, data=data, verify=verify)
    seed = int(stage.options["seed"])
    options = EvaluationOptions(scores=space.scores, bootstrap=int(stage.options["resamples"]), seed=seed)
    evaluation = evaluate(main, pos, datasets=datasets, options=options, model=space.name, run=run)
    figures = evaluation.as_json()
    del figures["version"], figures["model"]
    results = evaluation.results
    folds = {name: fold_figures(results[name].scored, seed) for name in F1_SETS if name in results}
    figures["folds"] = {name: values for name, values in folds.items() if values}
    scored = [result.scored for result in results.values() if not result.scored.dataset.graded]
    figures["direction"] = direction_figures(scored, [score for score in _DIRECTED if score in evaluation.scores])
    figures["resampled"] = {
        name: {score: _resampled(evaluation, score, names) for score in evaluation.scores}
        for name, names in (("micro10", MICRO_10), ("micro4", MICRO_4))
        if all(one in results for one in names)
    }
    figures["ap100"] = {one.dataset.name: first_hundred(one, score_list(["five"])) for one in scored}
    binary = [dataset for dataset in datasets if not dataset.graded]
    figures["dimensions"] = _dimensions(main, pos, binary)
    if space.costed:
        figures["cost"] = cost(main, pos, binary)
        figures["inclusion"] = inclusion(main, pos, binary)
    return figures


def _open_source(folder: StageFolder, space: MeasuredSpace, kind: str) -> Source:
    """Open a measured space trained on one corpus."""
    beside: Any = None
    if space.skipgram:
        other = Model.load(folder.place(f"{space.skipgram}-{kind}"))
        beside = other.dive if other.skipgram is None else other.skipgram
    if space.kind == "centred":
        beside = centred(beside)
    place = folder.place(f"{space.main}-{kind}")
    if space.kind.startswith("sbow"):
        pmi_filter = None if space.pmi_filter == "none" else PmiFilter.parse(space.pmi_filter)
        return as_source(sbow(Cooccurrence.open(place), space.kind, shift=space.pmi_shift, filtered=pmi_filter), beside)
    model = Model.load(place)
    if space.kind == "skipgram":
        assert model.skipgram is not None
        return as_source(model.skipgram)
    return as_source(model, beside)


def centred(space: VectorSpace) -> VectorSpace:
    """Return a space minus the mean of its vectors: unrelated words then have a cosine of about 0.

    >>> centred(VectorSpace(["a", "b"], [[1, 3], [3, 3]], frequencies=[1, 1], kind="skipgram")).matrix.tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    matrix = space.matrix - space.matrix.mean(axis=0, dtype=np.float64).astype(np.float32)
    return VectorSpace(space.words, matrix, frequencies=space.frequencies, kind=space.kind)


def _resampled(evaluation: Evaluation, score: str, names: Sequence[str]) -> list[float]:
    """Return the micro average of every resample, so that two spaces can be compared over the same ones."""
    results = [evaluation.results[name] for name in names]
    if not all(score in result.replicates for result in results):
        return []
    total: Any = sum(result.n * result.replicates[score] for result in results)
    return [round(float(value), 3) for value in total / sum(result.n for result in results)]


def _dimensions(main: Source, pos: Source | None, binary: Sequence[Dataset]) -> dict[str, float]:
    """Return the mean number of non-zero dimensions of the test words, in both spaces together and in each."""
    means = {"all": round(coverage(main, binary, pos=pos).nonzero_dimensions, 4)}
    for name, space, tagged in (("raw", main, False), ("pos", pos, True)):
        datasets = [one for one in binary if (one.tagged and pos is not None) == tagged]
        if space is not None and datasets:
            means[name] = round(coverage(space, datasets, pos=space if tagged else None).nonzero_dimensions, 4)
    return means


def _terms(main: Source, pos: Source | None, dataset: Dataset) -> Terms:
    tagged = dataset.tagged and pos is not None
    return Terms(pos if tagged and pos is not None else main, dataset.space_keys(pos=tagged))


def cost(main: Source, pos: Source | None, datasets: Sequence[Dataset], *, repeats: int = 3) -> dict[str, Any]:
    """Return the numbers stored, bytes in memory, and seconds to score all known pairs on one thread.

    The seconds are the best of some repeats, from the vectors of the test words in memory to the scores.
    """
    parts = []
    for dataset in datasets:
        terms = _terms(main, pos, dataset)
        known = terms.found[dataset.q] & terms.found[dataset.p]
        parts.append((terms.rows.csr, dataset.q[known], dataset.p[known]))
    seconds: dict[str, float] = {}
    for score in score_list(["costed"]):
        best = float("inf")
        for _ in range(repeats):
            started = time.perf_counter()
            for csr, q, p in parts:
                get(score)(Pairs(Rows(csr), q, p))
            best = min(best, time.perf_counter() - started)
        seconds[score] = round(best, 5)
    spaces = {name: one.main for name, one in (("raw", main), ("pos", pos)) if one is not None}
    return {
        "pairs": sum(len(q) for _, q, _ in parts),
        "nonzeros": {name: _nonzeros(space) for name, space in spaces.items()},
        "bytes": {name: _bytes(space) for name, space in spaces.items()},
        "words": {name: len(space.words) for name, space in spaces.items()},
        "seconds": seconds,
    }


def inclusion(main: Source, pos: Source | None, datasets: Sequence[Dataset]) -> dict[str, dict[str, float]]:
    """Return how far the inclusion property holds: equation 1 of the paper for counts, 2 for vectors.

    For positive and negative pairs with non-zero vectors, in per cent: pairs with q[i] ≤ p[i] in *every* dimension,
    and the *mean* share of the dimensions of q where that is so. At most 1,000 pairs of a dataset and label.
    """
    shares: dict[bool, list[Any]] = {True: [], False: []}
    for dataset in datasets:
        terms = _terms(main, pos, dataset)
        csr = terms.rows.csr
        used = np.diff(csr.indptr) > 0
        known = terms.found[dataset.q] & terms.found[dataset.p] & used[dataset.q] & used[dataset.p]
        for label in (True, False):
            pairs = np.flatnonzero(known & (dataset.labels == label))
            if len(pairs) > _COMPARED:
                pairs = np.sort(np.random.default_rng(0).choice(pairs, _COMPARED, replace=False))
            for start in range(0, len(pairs), 200):
                block = pairs[start : start + 200]
                q, p = csr[dataset.q[block]], csr[dataset.p[block]]
                above = np.asarray(((q - p) > 0).sum(axis=1)).ravel()
                shares[label].append(1.0 - above / np.diff(q.indptr))
    figures = {}
    for name, label in (("positive", True), ("negative", False)):
        if shares[label]:
            share = np.concatenate(shares[label])
            every, mean = 100 * float((share == 1).mean()), 100 * float(share.mean())
            figures[name] = {"pairs": len(share), "every": round(every, 4), "mean": round(mean, 4)}
    return figures


def _nonzeros(space: Any) -> int:
    matrix = space.matrix
    return int(np.count_nonzero(matrix if isinstance(matrix, np.ndarray) else matrix.data))


def _bytes(space: Any) -> int:
    """Return the bytes of a space as a sparse matrix: values, column numbers and row starts."""
    matrix = space.matrix if not isinstance(space.matrix, np.ndarray) else csr_array(space.matrix)
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
