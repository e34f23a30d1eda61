"""The whole run: what it will do, doing it, and the tables of what is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperdive._progress import SILENT, Progress, duration
from hyperdive.benchmark.reproduce.measurement import dataset_checksums, figure_stages, space_of
from hyperdive.benchmark.reproduce.plan import BUDGET, ReproduceOptions, ReproduceStage, RunText, stages
from hyperdive.benchmark.reproduce.stages import Workshop, check_extras
from hyperdive.errors import OutputError

RESULTS = "results"
_WRITING = 30.0


@dataclass(frozen=True)
class ReproducePlan:
    """The stages of a run and what is known of each."""

    output: Path
    options: ReproduceOptions
    stages: tuple[ReproduceStage, ...]
    texts: dict[str, tuple[str, ...]]
    workshop: Workshop

    @property
    def waiting(self) -> list[ReproduceStage]:
        """Stages that are to be made."""
        return self.workshop.waiting(self.stages)

    @property
    def done(self) -> list[ReproduceStage]:
        """Stages that are finished, or not needed any more."""
        waiting = {stage.name for stage in self.waiting}
        return [stage for stage in self.stages if stage.name not in waiting]

    @property
    def seconds_left(self) -> float:
        """About how long the rest takes at the pace of what is done, else with two free cores."""
        return self.pace * sum(stage.seconds for stage in self.waiting) + _WRITING

    @property
    def pace(self) -> float:
        """The seconds that finished stages took for each that they were thought to take; 1 before there are some."""
        done = [(seconds, estimate) for _, _, seconds, estimate in self.rows() if seconds is not None]
        took, thought = sum(seconds for seconds, _ in done), sum(estimate for _, estimate in done)
        return took / thought if thought else 1.0

    def rows(self) -> list[tuple[str, str, float | None, float]]:
        """Name, what it does, the seconds it took (None when it is to do), and those it was thought to take."""
        return [(stage.name, stage.what, self.workshop.seconds(stage), stage.seconds) for stage in self.stages]

    def __str__(self) -> str:
        lines = []
        for name, what, seconds, estimate in self.rows():
            state = f"about {duration(estimate)}" if seconds is None else f"done, took {duration(seconds)}"
            lines.append(f"  {name}: {what} ({state})")
        return (
            f"{len(self.stages)} stages, {len(self.done)} done; the rest takes about {duration(self.seconds_left)} "
            f"{'at the pace of those' if self.done else 'on two cores'}\n" + "\n".join(lines)
        )


@dataclass(frozen=True)
class Reproduction:
    """What a run wrote, and what became of the paper's claims."""

    folder: Path
    claims: tuple[Any, ...]
    tables: tuple[Any, ...]
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
    """Look at texts and datasets and lay out the stages; nothing is written.

    Datasets or extras that are missing are told now, not after hours.
    """
    chosen = options or ReproduceOptions()
    output = Path(output)
    if output.exists() and not output.is_dir():
        raise OutputError(f"{output}: is a file", hint="choose a folder for -o")
    if output.is_dir() and any(output.iterdir()) and not (output / "stages").is_dir():
        raise OutputError(f"{output}: has other things in it", hint="choose an empty or new folder for -o")
    checksums = dataset_checksums(data, verify=verify)
    texts = [RunText.find(corpus), *([RunText.find(pubmed)] if pubmed else [])]
    training = stages(chosen, *texts)
    check_extras(training)
    figures = figure_stages(training, chosen, checksums)
    by_content = {text.content: text.paths for text in texts}
    return ReproducePlan(output, chosen, (*training, *figures), by_content, Workshop(output))


def reproduce(
    plan: ReproducePlan,
    *,
    tables_only: bool = False,
    data: str | Path | None = None,
    verify: bool = True,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Reproduction:
    """Run what is not done, then write every table; with `tables_only` those of what is done."""
    settings: dict[str, Any] = {"data": data, "verify": verify, "threads": threads, "progress": progress}
    if tables_only:
        for stage in plan.stages:
            ready = stage.kind == "figures" and all(plan.workshop.done(one) for one in stage.needs)
            if ready and not plan.workshop.done(stage):
                progress.note(f"{stage.name}: {stage.what}")
                plan.workshop.measure(stage, **settings)
    else:
        plan.workshop.run(plan.stages, plan.texts, **settings)
    return write_results(plan)


def write_results(plan: ReproducePlan) -> Reproduction:
    """Tables, figures and claims from the stages that are done."""
    from hyperdive.benchmark.reproduce import experiment_tables, reported_tables, tables
    from hyperdive.benchmark.reproduce import results_writer as writing
    from hyperdive.benchmark.reproduce.claims import check, claims_table
    from hyperdive.benchmark.reproduce.figures import RunFigures
    from hyperdive.discover.topics import Dimensions

    shop = plan.workshop
    known = {
        space_of(stage).name: figures
        for stage in plan.stages
        if stage.kind == "figures" and (figures := shop.figures(stage)) is not None
    }
    found = RunFigures(known)
    claims = check(found)
    every = (*tables.TABLES, *reported_tables.REPORTED_TABLES, *experiment_tables.EXPERIMENT_TABLES)
    made = [claims_table(claims), *(table(found) for table in every)]
    drawn: dict[str, tuple[str, str]] = {}
    by_name = {stage.name: stage for stage in plan.stages}
    if shop.done(by_name["dive-raw"]):
        from hyperdive.model import Model

        space = Model.load(shop.place("dive-raw")).dive
        dimensions = Dimensions(space)
        made += [
            writing.general_table(space),
            writing.topics_table(dimensions),
            experiment_tables.failures(dimensions),
        ]
        drawn = writing.pictures(dimensions)
    if "dive-pubmed" in by_name:
        long_enough = words_of(shop, by_name["corpus-pubmed"]) >= 0.98 * BUDGET
        made.append(tables.pubmed(found, comparable=long_enough))
    if "word2vec-raw-only" in found:
        made.append(tables.skipgrams(found))
    made.append(writing.times_table(plan.rows()))
    folder = plan.output / RESULTS
    files = writing.write_all(folder, made, drawn, about(plan))
    missing = tuple(stage.name for stage in plan.waiting)
    return Reproduction(folder, tuple(claims), tuple(made), tuple(files), missing)


def words_of(shop: Workshop, stage: ReproduceStage) -> int:
    """Words of a corpus as the paper's budget counts them, stop words too; 0 when it is not done."""
    from hyperdive.text.corpus import Corpus

    if not shop.done(stage):
        return 0
    accounts = Corpus.open(shop.place(stage)).header["accounting"]
    return int(accounts["kept"] + accounts["dropped"].get("stop_word", 0))


def about(plan: ReproducePlan) -> dict[str, Any]:
    """What the tables were made from, in a few facts."""
    facts: dict[str, Any] = {}
    for stage in plan.stages:
        if stage.kind == "corpus" and "length" not in stage.options and plan.workshop.done(stage):
            from hyperdive.text.corpus import Corpus

            corpus = Corpus.open(plan.workshop.place(stage))
            facts[f"Tokens of {stage.name}"] = f"{len(corpus):,}, {len(corpus.vocabulary):,} words"
    facts["DIVE (paper's constants)"] = constants("paper")
    if plan.options.solver == "paper":
        facts["DIVE (paper's constants and solver)"] = constants("paper", "paper")
    facts["DIVE (ours)"] = constants("default")
    return facts


def constants(preset: str, solver: str = "fast") -> str:
    """The constants of a row in words.

    >>> constants("paper")
    'k_f 30tokens, k_I 1.5, β 0, ridge 0, subsampling 0, fast solver'
    """
    from hyperdive.pipeline.options import TrainOptions

    chosen = TrainOptions.preset(preset, solver=solver)
    dive = chosen.dive
    return (
        f"k_f {chosen.pmi_filter}, k_I {dive.negatives:g}, β {dive.beta:g}, ridge {dive.ridge:g}, "
        f"subsampling {dive.sample:g}, {chosen.solver} solver"
    )
