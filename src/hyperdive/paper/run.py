"""Plan a reproduction, run its stages, and write the tables of what is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hyperdive._progress import SILENT, Progress, duration
from hyperdive._resources import Run
from hyperdive.errors import MissingExtra, OutputError
from hyperdive.model import Model
from hyperdive.options import ReproduceOptions, TrainOptions
from hyperdive.paper import results
from hyperdive.paper.claims import Claim, check
from hyperdive.paper.figures import RunFigures
from hyperdive.paper.measure import dataset_checksums, figure_stages, measure_stage, space_of
from hyperdive.paper.stages import (
    BUDGET,
    ReproduceStage,
    RunText,
    StageFolder,
    check_extras,
    counted_words,
    training_stages,
)
from hyperdive.paper.tables import PaperTable, build_tables
from hyperdive.text.corpus import Corpus

RESULTS = "results"


@dataclass(frozen=True)
class ReproducePlan:
    """The stages of a run, its texts by the hash of their content, and its output folder."""

    output: Path
    options: ReproduceOptions
    stages: tuple[ReproduceStage, ...]
    texts: dict[str, tuple[str, ...]]

    @property
    def folder(self) -> StageFolder:
        """The folder of the stages' results."""
        return StageFolder(self.output)

    @property
    def waiting(self) -> list[ReproduceStage]:
        """Stages to run."""
        return self.folder.waiting(self.stages)

    @property
    def done(self) -> list[ReproduceStage]:
        """Stages that are finished, or not needed any more."""
        waiting = {stage.name for stage in self.waiting}
        return [stage for stage in self.stages if stage.name not in waiting]

    def __str__(self) -> str:
        left = duration(sum(stage.seconds for stage in self.waiting))
        return f"{len(self.stages)} stages, {len(self.done)} done; the rest takes about {left} on two cores"


@dataclass(frozen=True)
class Reproduction:
    """The results of a run: its folder, claims, tables, files, and the stages that are missing."""

    folder: Path
    claims: tuple[Claim, ...]
    tables: tuple[PaperTable, ...]
    files: tuple[Path, ...]
    missing: tuple[str, ...]


def prepare(
    output: str | Path,
    corpus: Sequence[str | Path],
    pubmed: Sequence[str | Path] = (),
    *,
    options: ReproduceOptions | None = None,
    data: str | Path | None = None,
    verify: bool = True,
) -> ReproducePlan:
    """Check texts, datasets and extras, and plan the stages; nothing is written.

    Args:
        output: folder of the run.
        corpus: files of the training text, such as English Wikipedia.
        pubmed: files of biomedical abstracts, for the table on Medical.
        options: parts, solver and sizes.
        data: folder of the datasets; None is that of the environment, else the cache.
        verify: fail if a dataset file differs from the published one.
    """
    chosen = options or ReproduceOptions()
    output = Path(output)
    if output.exists() and not output.is_dir():
        raise OutputError(f"{output}: is a file", hint="choose a folder for -o")
    if output.is_dir() and any(output.iterdir()) and not (output / "stages").is_dir():
        raise OutputError(f"{output}: contains other files", hint="choose an empty or new folder for -o")
    checksums = dataset_checksums(data, verify=verify)
    texts = [RunText.find(corpus), *([RunText.find(pubmed)] if pubmed else [])]
    training = training_stages(chosen, *texts)
    check_extras(training)
    figures = figure_stages(training, chosen, checksums)
    return ReproducePlan(output, chosen, (*training, *figures), {text.content: text.paths for text in texts})


def reproduce(
    plan: ReproducePlan,
    *,
    tables_only: bool = False,
    data: str | Path | None = None,
    verify: bool = True,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Reproduction:
    """Run the stages that are not done, then write every table; with `tables_only` the tables of finished stages."""
    folder, run = plan.folder, Run(threads=threads, progress=progress)
    measure = partial(measure_stage, folder=folder, data=data, verify=verify, run=run)
    if tables_only:
        for stage in plan.stages:
            ready = stage.make == "figures" and all(folder.done(need) for need in stage.needs)
            if ready and not folder.done(stage):
                progress.note(f"{stage.name}: {stage.what}")
                folder.write_figures(stage, measure)
    else:
        folder.run(plan.stages, plan.texts, measure, run)
    return write_results(plan, progress)


def write_results(plan: ReproducePlan, progress: Progress = SILENT) -> Reproduction:
    """Write tables, figures and claims from the stages that are done."""
    folder = plan.folder
    spaces = {}
    for stage in plan.stages:
        record = folder.record(stage) if stage.make == "figures" else None
        if record is not None:
            spaces[space_of(stage).name] = record["figures"]
    figures = RunFigures(spaces)
    claims = check(figures)
    by_name = {stage.name: stage for stage in plan.stages}
    pubmed = by_name.get("corpus-pubmed")
    words = counted_words(folder.place(pubmed)) if pubmed is not None and folder.done(pubmed) else 0
    tables = [results.claims_table(claims), *build_tables(figures, pubmed_is_short=words < 0.98 * BUDGET)]
    output, pictures = plan.output / RESULTS, []
    if folder.done(by_name["dive-raw"]):
        model = Model.load(folder.place("dive-raw"))
        tables += results.model_tables(model.dive)
        try:
            pictures = results.draw_figures(model, output)
        except MissingExtra as error:
            progress.note(str(error))
    tables.append(results.times_table([(stage, folder.seconds(stage)) for stage in plan.stages]))
    files = [*results.write_tables(tables, output, facts(plan), with_figures=bool(pictures)), *pictures]
    missing = tuple(stage.name for stage in plan.waiting)
    return Reproduction(output, tuple(claims), tuple(tables), tuple(files), missing)


def facts(plan: ReproducePlan) -> dict[str, Any]:
    """Return what the tables were made from: the sizes of the corpora and the constants of DIVE."""
    known: dict[str, Any] = {}
    for stage in plan.stages:
        if stage.name in ("corpus-raw", "corpus-pos", "corpus-pubmed") and plan.folder.done(stage):
            corpus = Corpus.open(plan.folder.place(stage))
            known[f"Tokens of {stage.name}"] = f"{len(corpus):,}, {len(corpus.vocabulary):,} words"
    known["DIVE (paper's constants)"] = constants("paper")
    if plan.options.solver == "paper":
        known["DIVE (paper's constants and solver)"] = constants("paper", "paper")
    known["DIVE (ours)"] = constants("default")
    return known


def constants(preset: str, solver: str = "fast") -> str:
    """Return the constants of a row of DIVE.

    >>> constants("paper")
    'k_f 30tokens, k_I 1.5, β 0, ridge 0, subsampling 0, fast solver'
    """
    chosen = TrainOptions.preset(preset, solver=solver)
    dive = chosen.dive
    return (
        f"k_f {chosen.pmi_filter}, k_I {dive.negatives:g}, β {dive.beta:g}, ridge {dive.ridge:g}, "
        f"subsampling {dive.sample:g}, {chosen.solver} solver"
    )
