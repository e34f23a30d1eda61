"""Figures of every space of a run: each is measured once, and its figures are kept as a stage of their own."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive._resources import Run
from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, SPECS, data_folder, load_all, read_file
from hyperdive.benchmark.reproduce.plan import ReproduceOptions, ReproduceStage

if TYPE_CHECKING:
    from hyperdive.benchmark.dataset import Dataset
    from hyperdive.benchmark.evaluation import Evaluation
    from hyperdive.benchmark.reproduce.stages import Workshop
    from hyperdive.scores import Source

FIVE = ("CDE", "AL₁", "ΔS", "W·ΔS", "C·ΔS")
"""The scores of the paper's tables 2 and 3."""
_SUMS = ("W", "C", "SLQS Sub", "ΔE", "ΔS", "ΔQ", "W·ΔE", "C·ΔE", "W·ΔS", "C·ΔS", "W·ΔQ", "C·ΔQ")
SIXTEEN = (*_SUMS, "Weeds", "Weeds:printed=True", "CDE", "invCL", "AL₁")
"""The scores of the paper's table on SBOW Freq; Weeds also in the direction in which it was printed."""
FREQUENCIES = ("Frequency", "Frequency:power=0.5", "Frequency:power=1.0")
"""Frequency alone: the difference of the logarithms, the roots and the counts."""
BASELINES = (*FREQUENCIES, "Random")
STRICTER = "AL₁:w0=20"
ON_DIVE = (*(score for score in SIXTEEN if score not in ("SLQS Sub", "Weeds:printed=True")), STRICTER)
"""The same scores on DIVE: SLQS Sub needs the counts of its features, which are context words there."""
COSTED = ("ΔS", "C·ΔS", "CDE", "AL₁")
"""The scores whose time is measured."""
_DIRECTED = ("ΔS", "SLQS Sub", "Frequency")
_COMPARED = 1000
"""Pairs of a set and label whose inclusion is looked at."""
_MEASURES = 2
"""To be raised when the same space would be measured otherwise, so that figures kept from before are made anew."""


@dataclass(frozen=True)
class MeasuredSpace:
    """One measured space: which stages it comes from, and the scores it is asked for.

    `main` is a stage's name without its ending (`-raw`, `-pos`); `skipgram` the stage that W comes from. `pmi_filter`
    and `pmi_shift` are those of a sparse space.
    """

    name: str
    main: str
    scores: tuple[str, ...] = (*FIVE, *BASELINES)
    kind: str = ""
    skipgram: str = "dive"
    corpora: tuple[str, ...] = ("raw", "pos")
    datasets: tuple[str, ...] = ELEVEN
    costed: bool = False
    pmi_filter: str = "none"
    pmi_shift: float = 1.0


_RAW: dict[str, Any] = {"corpora": ("raw",)}
MEASURED_SPACES = (
    MeasuredSpace("dive", "dive", (*ON_DIVE, *BASELINES), costed=True),
    MeasuredSpace("dive-paper", "dive-paper", (*ON_DIVE, *BASELINES), costed=True),
    MeasuredSpace("dive-tokens", "dive-tokens", (*ON_DIVE, *BASELINES), costed=True),
    MeasuredSpace("sbow-freq", "counts", (*SIXTEEN, STRICTER, *BASELINES), "sbow-freq", costed=True),
    MeasuredSpace("sbow-ppmi", "counts", (*FIVE, STRICTER, *BASELINES), "sbow-ppmi", costed=True),
    MeasuredSpace("sbow-ppmi-is", "counts", (*FIVE, *BASELINES), "sbow-ppmi-is", costed=True),
    MeasuredSpace("dive-no-pmi", "dive-no-pmi"),
    MeasuredSpace("dive-no-shift", "dive-no-shift"),
    MeasuredSpace("dive-paper-no-pmi", "dive-paper-no-pmi"),
    MeasuredSpace("dive-paper-no-shift", "dive-paper-no-shift"),
    MeasuredSpace("kmeans", "kmeans"),
    MeasuredSpace("sbow-freq-filtered", "counts", kind="sbow-freq", pmi_filter="30tokens"),
    MeasuredSpace("sbow-ppmi-filtered", "counts", kind="sbow-ppmi", pmi_filter="30tokens"),
    MeasuredSpace("sbow-ppmi-filtered-more", "counts", kind="sbow-ppmi", pmi_filter="90tokens"),
    MeasuredSpace("sbow-ppmi-shifted", "counts", kind="sbow-ppmi", pmi_shift=5.0),
    MeasuredSpace("sbow-ppmi-all", "counts-all", kind="sbow-ppmi"),
    MeasuredSpace("sbow-ppmi-half", "counts-half", kind="sbow-ppmi"),
    MeasuredSpace("sbow-ppmi-half-raw", "counts-half", kind="sbow-ppmi", **_RAW),
    MeasuredSpace("sbow-ppmi-random-raw", "counts-random", kind="sbow-ppmi", **_RAW),
    MeasuredSpace("dive-raw-only", "dive", ("C", "W", *FIVE, *BASELINES), **_RAW),
    MeasuredSpace("dive-paper-raw-only", "dive-paper", ("C", "W", *FIVE, *BASELINES), **_RAW),
    *(
        MeasuredSpace(f"{dive}-{name}", f"{dive}-{main}", **_RAW)
        for dive in ("dive", "dive-paper")
        for name, main in (
            ("no-pmi-raw-only", "no-pmi"),
            ("sentences", "sentences"),
            ("narrow", "narrow"),
            ("narrow-no-pmi", "narrow-no-pmi"),
        )
    ),
    MeasuredSpace("skipgram", "dive", ("C", *BASELINES), "skipgram", ""),
    MeasuredSpace("dive-centred", "dive", ("C", "W", *FIVE, *BASELINES), "centred"),
    MeasuredSpace("dive-pubmed", "dive", corpora=("pubmed",), datasets=("Medical",)),
    MeasuredSpace("dive-paper-pubmed", "dive-paper", corpora=("pubmed",), datasets=("Medical",)),
    MeasuredSpace("sbow-ppmi-pubmed", "counts", kind="sbow-ppmi", corpora=("pubmed",), datasets=("Medical",)),
    MeasuredSpace("gaussian", "gaussian", ("GE C", "KL", *BASELINES), skipgram=""),
    MeasuredSpace("word2vec", "word2vec", ("C", *BASELINES), skipgram=""),
    MeasuredSpace("dive-word2vec", "dive", ("C", "W", *FIVE, *BASELINES), skipgram="word2vec"),
    MeasuredSpace("dive-cbow-raw-only", "dive", ("W", *FIVE, *BASELINES), skipgram="word2vec-cbow", **_RAW),
    MeasuredSpace("skipgram-raw-only", "dive", ("C", *BASELINES), "skipgram", "", corpora=("raw",)),
    MeasuredSpace("word2vec-raw-only", "word2vec", ("C", *BASELINES), skipgram="", corpora=("raw",)),
    MeasuredSpace(
        "dive-word2vec-raw-only", "dive", ("C", "W", *FIVE, *BASELINES), skipgram="word2vec", corpora=("raw",)
    ),
)


def figure_stages(
    made: Sequence[ReproduceStage], options: ReproduceOptions, checksums: Sequence[str] = ()
) -> list[ReproduceStage]:
    """A stage of figures for every space whose own stages are in the plan; `checksums` are those of the datasets.

    >>> from hyperdive.benchmark.reproduce.plan import RunText, stages
    >>> options = ReproduceOptions(without=("pos", "half", "kmeans", "gaussian", "word2vec"))
    >>> [stage.name for stage in figure_stages(stages(options, RunText(("a",), "0" * 64, 9)), options)][:3]
    ['figures-dive', 'figures-dive-paper', 'figures-sbow-freq']
    """
    known = {stage.name: stage for stage in made}
    figures = []
    for entry in MEASURED_SPACES:
        # a run without parts of speech reads the tagged sets in the raw space
        there = [kind for kind in entry.corpora if f"corpus-{kind}" in known]
        needs = [f"{main}-{kind}" for kind in there for main in dict.fromkeys((entry.main, entry.skipgram)) if main]
        if not there or not all(name in known for name in needs):
            continue
        settings = {
            "entry": {
                name: list(value) if isinstance(value, tuple) else value for name, value in asdict(entry).items()
            },
            "datasets": list(checksums),
            "resamples": options.resamples,
            "seed": options.seed,
            "measures": _MEASURES,
        }
        seconds = (3.0 * len(entry.scores) if entry.kind.startswith("sbow") else 4.0) * len(there)
        what = f"figures of {entry.name}"
        sources = tuple(known[name] for name in needs)
        figures.append(ReproduceStage(f"figures-{entry.name}", "figures", what, settings, sources, seconds))
    return figures


def dataset_checksums(data: str | Path | None = None, *, verify: bool = True) -> list[str]:
    """SHA-256 of every dataset file, which must be there, and unaltered unless `verify` is off."""
    folder = data_folder(data)
    files = [file for name in ELEVEN for file in SPECS[name].files]
    return [hashlib.sha256(read_file(folder, file, verify=verify).encode("utf-8")).hexdigest() for file in files]


def space_of(stage: ReproduceStage) -> MeasuredSpace:
    """The entry a stage of figures measures."""
    return next(entry for entry in MEASURED_SPACES if f"figures-{entry.name}" == stage.name)


def measure_stage(
    stage: ReproduceStage,
    workshop: Workshop,
    *,
    data: str | Path | None = None,
    verify: bool = True,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """Open the spaces of a stage and measure them."""
    from hyperdive.benchmark.evaluation import EvaluationOptions, evaluate
    from hyperdive.benchmark.further_measures import F1_SETS, direction_figures, first_hundred, fold_figures

    entry = space_of(stage)
    names = {one.name for one in stage.needs}
    sources = {
        kind: open_source(workshop, entry, kind)
        for kind in entry.corpora
        if any(name.endswith(f"-{kind}") for name in names)
    }
    main, pos = sources[entry.corpora[0]], sources.get("pos")
    datasets = load_all(entry.datasets, data=data, verify=verify)
    options = EvaluationOptions(
        scores=entry.scores, bootstrap=int(stage.options["resamples"]), seed=int(stage.options["seed"])
    )
    run = Run(threads=threads, progress=progress)
    evaluation = evaluate(main, pos, datasets=datasets, options=options, model=entry.name, run=run)
    figures = evaluation.as_json()
    del figures["version"], figures["model"]
    figures["folds"] = {
        name: folds
        for name in F1_SETS
        if name in evaluation.results
        and (folds := fold_figures(evaluation.results[name].scored, int(stage.options["seed"])))
    }
    binary = [result.scored for result in evaluation.results.values() if not result.scored.dataset.graded]
    figures["direction"] = direction_figures(binary, [score for score in _DIRECTED if score in evaluation.scores])
    figures["resampled"] = {
        name: {score: _resampled(evaluation, score, sets) for score in evaluation.scores}
        for name, sets in (("micro10", MICRO_10), ("micro4", MICRO_4))
        if all(one in evaluation.results for one in sets)
    }
    figures["ap100"] = {one.dataset.name: first_hundred(one, FIVE) for one in binary}
    figures["dimensions"] = _dimensions(main, pos, [one for one in datasets if not one.graded])
    if entry.costed:
        figures["cost"] = cost(main, pos, [one for one in datasets if not one.graded])
        figures["inclusion"] = inclusion(main, pos, [one for one in datasets if not one.graded])
    return figures


def open_source(workshop: Workshop, entry: MeasuredSpace, kind: str) -> Source:
    """The spaces of an entry over one corpus."""
    from hyperdive.counts.cooccurrence import Cooccurrence
    from hyperdive.counts.pmi_filter import PmiFilter
    from hyperdive.scores import as_source
    from hyperdive.spaces.model import ModelData
    from hyperdive.spaces.sbow import sbow

    beside = None
    if entry.skipgram:
        other = ModelData.load(workshop.place(f"{entry.skipgram}-{kind}"))
        beside = other.dive if other.skipgram is None else other.skipgram
    if entry.kind == "centred":
        beside = centred(beside)
    place = workshop.place(f"{entry.main}-{kind}")
    if entry.kind.startswith("sbow"):
        chosen = None if entry.pmi_filter == "none" else PmiFilter.parse(entry.pmi_filter)
        return as_source(sbow(Cooccurrence.open(place), entry.kind, shift=entry.pmi_shift, filtered=chosen), beside)
    model = ModelData.load(place)
    if entry.kind == "skipgram":
        assert model.skipgram is not None
        return as_source(model.skipgram)
    return as_source(model, beside)


def centred(space: Any) -> Any:
    """A space with the mean of its vectors taken away: words that have nothing in common then have a cosine of about 0.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> centred(VectorSpace(["a", "b"], [[1, 3], [3, 3]], frequencies=[1, 1], kind="skipgram")).matrix.tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    from hyperdive.spaces.space import VectorSpace

    matrix = space.matrix - space.matrix.mean(axis=0, dtype=np.float64).astype(np.float32)
    return VectorSpace(space.words, matrix, frequencies=space.frequencies, kind=space.kind)


def _resampled(found: Evaluation, score: str, names: Sequence[str]) -> list[float]:
    """The micro average of every resample: two spaces can then be compared over the same ones."""
    total = sum(found.results[name].n for name in names)
    if not all(score in found.results[name].replicates for name in names):
        return []
    mixed: Any = sum(found.results[name].n * found.results[name].replicates[score] for name in names)
    return [round(float(value), 3) for value in mixed / total]


def _dimensions(main: Any, pos: Any, binary: Sequence[Dataset]) -> dict[str, float]:
    """Non-zero dimensions of the test words in the mean: both spaces together, and each by itself."""
    from hyperdive.benchmark.coverage import coverage

    made = {"all": round(coverage(main, binary, pos=pos).nonzero_dimensions, 4)}
    for name, space, tagged in (("raw", main, False), ("pos", pos, True)):
        chosen = [one for one in binary if (one.tagged and pos is not None) == tagged]
        if space is not None and chosen:
            beside = {"pos": space} if tagged else {}
            made[name] = round(coverage(space, chosen, **beside).nonzero_dimensions, 4)
    return made


def cost(main: Source, pos: Source | None, datasets: Sequence[Dataset], *, repeats: int = 3) -> dict[str, Any]:
    """What a space costs: numbers stored, bytes in memory, and seconds to score all known pairs on one thread.

    The seconds count from the vectors of the test words in memory to the scores; the best of some repeats.
    """
    from hyperdive.scores import Pairs, Rows, Terms, get

    parts = []
    for dataset in datasets:
        tagged = dataset.tagged and pos is not None
        terms = Terms(pos if tagged and pos is not None else main, dataset.space_keys(pos=tagged))
        known = terms.found[dataset.q] & terms.found[dataset.p]
        parts.append((terms.rows.csr, dataset.q[known], dataset.p[known]))
    seconds: dict[str, float] = {}
    for score in COSTED:
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
    """How far the inclusion that the paper starts from is there: equation 1 for counts, 2 for vectors.

    For positive and negative pairs with non-zero vectors, in per cent: pairs with q[i] ≤ p[i] in *every* dimension, and
    in the mean the share of the dimensions of q where that is so. At most `_COMPARED` pairs of a set and label.
    """
    from hyperdive.scores import Terms

    whole: dict[bool, list[Any]] = {True: [], False: []}
    for dataset in datasets:
        tagged = dataset.tagged and pos is not None
        terms = Terms(pos if tagged and pos is not None else main, dataset.space_keys(pos=tagged))
        csr = terms.rows.csr
        used = np.diff(csr.indptr) > 0
        known = terms.found[dataset.q] & terms.found[dataset.p] & used[dataset.q] & used[dataset.p]
        for label in (True, False):
            pairs = np.flatnonzero(known & (dataset.labels == label))
            if len(pairs) > _COMPARED:
                pairs = np.sort(np.random.default_rng(0).choice(pairs, _COMPARED, replace=False))
            for first in range(0, len(pairs), 200):
                some = pairs[first : first + 200]
                q, p = csr[dataset.q[some]], csr[dataset.p[some]]
                above = np.asarray(((q - p) > 0).sum(axis=1)).ravel()
                whole[label].append(1.0 - above / np.diff(q.indptr))
    named = {"positive": whole[True], "negative": whole[False]}
    shares = {name: np.concatenate(parts) for name, parts in named.items() if parts}
    return {
        name: {
            "pairs": len(of),
            "every": round(100 * float((of == 1).mean()), 4),
            "mean": round(100 * float(of.mean()), 4),
        }
        for name, of in shares.items()
        if len(of)
    }


def _nonzeros(space: Any) -> int:
    matrix = space.matrix
    return int(np.count_nonzero(matrix if isinstance(matrix, np.ndarray) else matrix.data))


def _bytes(space: Any) -> int:
    """Bytes of a space in memory as a sparse matrix: a value and a column number each, and where rows start."""
    from scipy.sparse import csr_array

    matrix = space.matrix if not isinstance(space.matrix, np.ndarray) else csr_array(space.matrix)
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
