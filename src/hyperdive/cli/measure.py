"""Commands that measure: score, evaluate, reproduce, datasets."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Annotated, Any, Literal

from cyclopts import Parameter

from hyperdive.cli.output import (
    DATA,
    DEFAULT_MODEL,
    FORCE,
    THREADS,
    JsonOptions,
    ProgressOptions,
    load_source,
    quiet_stdout,
    split_names,
    write,
    write_json,
)
from hyperdive.errors import InputError, OptionError
from hyperdive.options import REQUIRED, ReproduceOptions, option

BASELINES = ("Frequency", "Frequency:power=0.5", "Frequency:power=1.0", "Hypernym", "Random")
_SCORE_FIELDS = ("family", "formula", "range", "needs", "options", "reference")
_MODEL = "Model or space folder, or the name of a packaged model."


@dataclass(frozen=True, kw_only=True)
class SourceOptions(JsonOptions, ProgressOptions):
    """The spaces that scores are computed from."""

    model: str = option(DEFAULT_MODEL, _MODEL)
    skipgram: str | None = option(None, "Space to compute W from, instead of the model's own.", rare=True)
    counts: str | None = option(None, "SBOW Freq space, for the context entropies of SLQS.", rare=True)
    exact: bool = option(False, "Look words up exactly; do not try their lemmas.", rare=True)
    threads: int | None = option(None, THREADS, low=1, high=512)


# ---- score -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ScoreCommand(SourceOptions):
    """Options of `hyperdive score`."""

    score: tuple[str, ...] = option(
        (), "Score such as C*dS or AL1:w0=20, or all; by default the paper's and the confidence; may be repeated."
    )
    input_format: Literal["tsv", "csv", "jsonl"] | None = option(
        None, "Format of PAIRS, by default by file name or first line.", rare=True
    )
    output: Path | None = option(None, "Output file, by default standard output.")
    output_format: Literal["tsv", "csv", "jsonl"] | None = option(
        None, "Output format, by default as the input.", rare=True
    )
    list_: bool = option(False, "List all scores with their formulas and exit.")
    force: bool = option(False, FORCE)


def score(
    pairs: Annotated[str | None, Parameter(name="PAIRS", help="File of pairs, or - for standard input.")] = None,
    /,
    *,
    options: ScoreCommand,
) -> None:
    """Score pairs of terms: is the first a kind of the second?

    PAIRS is a file with a candidate hyponym and a candidate hypernym on each line (TSV, CSV or JSON lines; - is
    standard input). Other columns are copied. Every line is written back in order, with one column per score; larger
    always means more likely. If a word has no vector, the scores are empty and the word is named in the column
    `unknown`.
    """
    if options.list_:
        _print_scores(options.json)
        return
    if pairs is None:
        raise OptionError("no file of pairs was given", hint="type: hyperdive score PAIRS.tsv -m MODEL, or - for stdin")
    from hyperdive._spelling import near_spellings, shown
    from hyperdive.scores import usable_scores
    from hyperdive.scores.files import PairFormat, PairWriter, open_pairs, score_stream

    report = options.shown
    source = load_source(options.model, skipgram=options.skipgram, counts=options.counts, terms=True)
    chosen = usable_scores(source, list(options.score) or None)
    file = open_pairs(pairs, None if options.input_format is None else PairFormat(options.input_format))
    written = PairFormat.jsonl if options.json else PairFormat(options.output_format or file.format)
    with _written(options.output, options.force) as out:
        summary = score_stream(
            source, file, chosen, PairWriter(out, written), lemmas=not options.exact, progress=report
        )
    if summary.unknown:
        word = summary.examples[0]
        near = near_spellings(word.lower(), source.main.words, source.main)
        guess = f" (did you mean {' or '.join(near)}?)" if near else ""
        report.note(
            f"{summary.unknown} of {summary.pairs} pairs have a word without a vector, such as {shown(word)!r}{guess}; "
            "see the column 'unknown'"
        )


def _print_scores(as_json: bool) -> None:
    from hyperdive.scores import table

    if as_json:
        names = {"name": "name", "ascii": "type", **{name: name for name in _SCORE_FIELDS}}
        rows = [{shown: getattr(score, name) for name, shown in names.items()} for score in table()]
        write_json([{**row, "needs": sorted(row["needs"])} for row in rows])
        return
    for one in table():
        options = "".join(f" :{name}={value}" for name, value in one.options.items())
        write(f"{one.ascii:<10} {one.family:<11} {one.formula}{options}")


@contextlib.contextmanager
def _written(path: Path | None, force: bool) -> Any:
    """Standard output, or a file that appears only when it is complete."""
    if path is None:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # `| head`
            quiet_stdout()
            raise SystemExit(0) from None
        return
    from hyperdive._atomic import whole_file

    file: IO[bytes]
    with whole_file(path, force=force) as unfinished, unfinished.open("wb") as file:
        yield file


# ---- evaluate ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EvaluateCommand(SourceOptions):
    """Options of `hyperdive evaluate`."""

    pos_model: str | None = option(None, "Model with POS tags, for the POS-tagged datasets.", rare=True)
    datasets: tuple[str, ...] = option((), "Datasets or files of pairs, comma-separated; by default all eleven.")
    scores: tuple[str, ...] = option(
        (), "Scores, comma-separated, such as C*dS,AL1:w0=20; or all; by default the paper's and confidence."
    )
    baseline: str | None = option(None, "Model to compare with, by a paired test.", rare=True)
    resamples: int = option(1000, "Bootstrap resamples for 95 % intervals and tests; 0: none.", low=0)
    further: bool = option(
        False, "Also compute F1, accuracy, AP@100, directionality and coverage (in JSON).", rare=True
    )
    discovery: tuple[str, ...] = option(
        (),
        "Datasets for MAP, MRR and P@5 with the whole vocabulary as candidates; or the files DATA GOLD VOCABULARY of "
        "SemEval-2018 task 9.",
    )
    taxonomy: tuple[Path, ...] = option(
        (), "Gold taxonomies of SemEval-2016 task 13: how many of their edges the model finds."
    )
    data: Path | None = option(None, DATA, rare=True)
    verify: bool = option(True, "Fail if a dataset file differs from the published one.", rare=True)
    seed: int = option(0, "Random seed of the resamples.", low=0)


def evaluate(
    files: Annotated[
        tuple[Path, ...],
        Parameter(name="FILE", help="More gold files of --taxonomy; GOLD and VOCABULARY of --discovery."),
    ] = (),
    /,
    *,
    options: EvaluateCommand,
) -> None:
    """Evaluate a model on the eleven datasets, next to the paper's figures.

    Average precision in per cent for the ten binary datasets, Spearman's ρ for HyperLex; below each figure, in colour,
    the difference from the paper's. Pairs with an out-of-vocabulary word rank last. A file of your own pairs (hyponym,
    hypernym, True or False) can be used in place of a dataset. Baselines are always included: random, frequency (the
    difference of logarithms, roots and counts), and with patterns how often the broader word is a hypernym at all.
    `--scores all` evaluates every score, `--scores ablation` the confidence without each of its parts.
    """
    scores = split_names(options.scores)
    if options.taxonomy or files:
        _evaluate_gold(options, scores, files)
        return
    from hyperdive._resources import Run
    from hyperdive.benchmark.datasets import ELEVEN
    from hyperdive.benchmark.evaluation import EvaluationOptions, compare
    from hyperdive.benchmark.evaluation import evaluate as measure
    from hyperdive.benchmark.further_measures import further_measures
    from hyperdive.scores import usable_scores

    def spaces(model: str) -> Any:
        return load_source(model, skipgram=options.skipgram, counts=options.counts)

    source = spaces(options.model)
    pos = None if options.pos_model is None else load_source(options.pos_model)
    names = split_names(options.datasets) or list(ELEVEN)
    rules = EvaluationOptions(
        scores=_with_baselines(scores, source),
        bootstrap=options.resamples,
        seed=options.seed,
        lemmas=not options.exact,
        data=options.data,
        verify=options.verify,
    )
    shown = options.shown
    run = Run(threads=options.threads, progress=shown)
    evaluation = measure(source, pos, datasets=names, options=rules, model=_name(options.model), run=run)
    result = evaluation.as_json()
    differences = None
    if options.baseline is not None:
        other_source = spaces(options.baseline)
        usable = {score.name for score in usable_scores(other_source, ["all"])}
        rules = replace(rules, scores=[name for name in evaluation.scores if name.split(":")[0] in usable])
        other = measure(other_source, pos, datasets=names, options=rules, model=_name(options.baseline), run=run)
        differences = compare(evaluation, other)
        result["baseline"] = {
            "model": other.model,
            "differences": {
                name: {score: one.as_json() for score, one in by_score.items()}
                for name, by_score in differences.items()
            },
        }
    if options.further or options.discovery:
        from hyperdive.ask.ranking import ranking

        result["further"] = further_measures(
            evaluation,
            source,
            pos=pos,
            discovery=split_names(options.discovery),
            ranking=None if scores else ranking,
            seed=options.seed,
        )
    if options.json:
        write_json(result)
    else:
        from hyperdive.benchmark.tables import report

        colour = sys.stdout.isatty()
        width = max(shutil.get_terminal_size((140, 24)).columns, 100)
        write(report(evaluation, differences, result.get("further"), width=width, colour=colour))
    for note in evaluation.notes:
        shown.note(note)


def _with_baselines(wanted: list[str], source: Any) -> list[str] | None:
    if not wanted:
        return None
    from hyperdive.scores import usable_scores

    usable = {score.name for score in usable_scores(source, ["all"])}
    return [*wanted, *(name for name in BASELINES if name.partition(":")[0] in usable)]


def _name(model: str) -> str:
    return Path(model).name or model


def _evaluate_gold(options: EvaluateCommand, scores: Sequence[str], files: tuple[Path, ...]) -> None:
    """Measure a model on gold files; those without an option belong to the discovery task if there is one."""
    from hyperdive import __version__, load
    from hyperdive.benchmark.discovery import evaluate_discovery, read_discovery
    from hyperdive.benchmark.gold_taxonomy import evaluate_taxonomy, read_taxonomy

    if split_names(options.datasets) or options.baseline or options.further or options.pos_model:
        raise OptionError(
            "gold files are evaluated by themselves", hint="leave out datasets, baseline, further and pos_model"
        )
    if not options.taxonomy and not options.discovery:
        raise OptionError(f"{files[0]}: a file without an option", hint="name what it is: --taxonomy or --discovery")
    trees, three = options.taxonomy, (*map(Path, options.discovery), *files)
    if not options.discovery:
        trees, three = (*trees, *files), ()
    elif len(three) != 3:
        raise OptionError(
            f"--discovery takes three files, DATA GOLD VOCABULARY, not {len(three)}",
            hint="write --taxonomy before each gold taxonomy",
        )
    if len(scores) > 1:
        raise OptionError("gold files are evaluated by one score", hint="name one with --scores, or none for the best")
    by: dict[str, Any] = {"score": scores[0] if scores else None, "progress": options.shown}
    golds = [read_taxonomy(path) for path in trees]
    task = read_discovery(*three) if three else None
    model = load(options.model)
    taxonomies = [evaluate_taxonomy(model, gold, **by) for gold in golds]
    discovery = None if task is None else evaluate_discovery(model, task, **by)
    if options.json:
        figures: dict[str, Any] = {}
        if taxonomies:
            figures["taxonomies"] = {result.name: result.as_json() for result in taxonomies}
        if discovery is not None:
            figures["discovery"] = {discovery.name: discovery.as_json()}
        write_json({**figures, "model": _name(options.model), "version": __version__})
        return
    if taxonomies:
        _print_taxonomies(taxonomies)
    if discovery is not None:
        _print_discovery(discovery)


def _print_taxonomies(results: Sequence[Any]) -> None:
    width = max(len("gold taxonomy"), *(len(result.name) for result in results))
    write(f"{'':<{width}}  {'':<6}  direct edges in per cent   ancestors in per cent")
    write(f"{'gold taxonomy':<{width}}  {'by':<6}      P      R     F1        P      R     F1  edges  unplaced")
    for result in results:
        for name, by in (("model", result.model), ("suffix", result.suffix)):
            figures = "   ".join(
                " ".join(f"{100 * value:6.1f}" for value in (one.precision, one.recall, one.f1))
                for one in (by.direct, by.ancestors)
            )
            title = result.name if name == "model" else ""
            write(f"{title:<{width}}  {name:<6} {figures}  {by.direct.stated:5d}  {by.unplaced:8d}")
    for result in results:
        write(f"{result.name}: {result.terms} terms, {result.multiword} of several words, {result.edges} edges")


def _print_discovery(result: Any) -> None:
    write(f"discovery on {result.name} by {result.score}, the first 15 answers, in per cent")
    write(f"{'':<12} {'':>6} {'':>8}                         by the task's scorer")
    write(f"{'questions':<12} {'number':>6} {'answered':>8}    MAP    MRR    P@5       MAP    MRR    P@5")
    for name, figures in (("all", result.all), *result.by_type.items()):
        values = "    ".join(
            " ".join(f"{100 * value:6.1f}" for value in (by.map, by.mrr, by.p_at_5)) for by in (figures, figures.scorer)
        )
        write(f"{name:<12} {figures.questions:6d} {100 * figures.coverage:8.1f} {values}")
    gold = result.gold
    parts = ((gold.reachable, gold.answers), (gold.multiword_reachable, gold.multiword))
    reachable, several = (f"{100 * part / max(whole, 1):.1f} %" for part, whole in parts)
    write(f"{result.known_candidates} of {result.candidates} candidates are known")
    write(f"{reachable} of the right answers are among them, {several} of those of several words")


# ---- reproduce ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ReproduceCommand(ReproduceOptions, ProgressOptions):
    """Options of `hyperdive reproduce`."""

    output: Path = option(REQUIRED, "Output folder; the tables are written to its results/ folder.")
    corpus: tuple[str, ...] = option(REQUIRED, "Training text, such as English Wikipedia; may be repeated.")
    pubmed: tuple[str, ...] = option(
        (), "Biomedical abstracts, one per line, for the table on Medical; may be repeated.", rare=True
    )
    tables_only: bool = option(False, "Do not train; write the tables from finished stages.", rare=True)
    data: Path | None = option(None, DATA, rare=True)
    verify: bool = option(True, "Fail if a dataset file differs from the published one.", rare=True)
    threads: int | None = option(
        None, "Number of threads, by default all; only the result of word2vec depends on it.", low=1, high=512
    )
    json: bool = option(False, "Print JSON instead of text.", rare=True)


def reproduce(*, options: ReproduceCommand) -> None:
    """Reproduce every table of the paper from raw text, each figure next to the published one.

    One run encodes the text with and without parts of speech, trains every space the paper compares, evaluates them on
    the eleven datasets and writes tables, plots and a list of which of the paper's claims hold, for its own constants
    and for ours. It takes about three hours on two free cores. Finished stages are kept: an interrupted run resumes
    when the same command is run again.
    """
    from hyperdive._resources import check_threads
    from hyperdive.paper import prepare
    from hyperdive.paper import reproduce as run

    checks: dict[str, Any] = {"data": options.data, "verify": options.verify}
    plan = prepare(options.output, list(options.corpus), list(options.pubmed), options=options, **checks)
    shown = options.shown
    shown.note(str(plan))
    threads = check_threads(options.threads)  # gensim would otherwise use one
    made = run(plan, tables_only=options.tables_only, threads=threads, progress=shown, **checks)
    if options.json:
        write_json(
            {
                "claims": [vars(claim) for claim in made.claims],
                "tables": [table.as_json() for table in made.tables],
                "files": [path.relative_to(made.folder).as_posix() for path in made.files],
                "missing": list(made.missing),
            }
        )
        return
    for claim in made.claims:
        write(f"{claim.verdict:<15} {claim.row}: {claim.statement}\n{'':<15} {claim.figures}")
    write(f"\nAll tables: {made.folder / 'README.md'}")
    if made.missing:
        shown.note(f"not finished: {', '.join(made.missing)}")


# ---- datasets ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DatasetsCommand(JsonOptions):
    """Options of `hyperdive datasets`."""

    data: Path | None = option(None, DATA)
    force: bool = option(False, "Overwrite files that differ from the published ones.")


def datasets(
    action: Annotated[
        Literal["list", "fetch", "verify"], Parameter(name="ACTION", help="list, fetch or verify.")
    ] = "list",
    names: Annotated[tuple[str, ...], Parameter(name="NAME", help="Datasets; all if none is given.")] = (),
    /,
    *,
    options: DatasetsCommand,
) -> None:
    """List, download or verify the evaluation datasets.

    They are downloaded from the public repositories of their authors into a cache folder, and each file is checked
    against the checksum of the published one. Use HYPERDIVE_DATA or --data to name a folder that already has them.
    """
    from hyperdive.benchmark.datasets import data_folder
    from hyperdive.benchmark.download import fetch, verify

    folder = data_folder(options.data)
    if action == "list":
        _print_datasets(folder, options.json)
        return
    if action == "fetch":
        states = fetch(folder, names, force=options.force, progress=ProgressOptions().shown)
    else:
        states = verify(folder, names)
    if options.json:
        write_json({"folder": str(folder), "files": states})
    else:
        for file, state in states.items():
            write(f"{state:<8} {file}")
    wrong = [state for state in states.values() if state != "ok"]
    if wrong:
        hint = "type: hyperdive datasets fetch" + (" --force" if "altered" in wrong else "")
        raise InputError(f"{len(wrong)} of {len(states)} files in {folder} are missing or altered", hint=hint)


def _print_datasets(folder: Path, as_json: bool) -> None:
    from hyperdive.benchmark.datasets import SPECS, manifest, plugin_names
    from hyperdive.benchmark.download import state_of

    rows: list[dict[str, Any]] = []
    for spec in SPECS.values():
        entries = [manifest()[file] for file in spec.files]
        states = {state_of(folder, entry) for entry in entries}
        rows.append(
            {
                "name": spec.name,
                "pairs": spec.rows,
                "positives": None if spec.graded else spec.positives,
                "space": "pos" if spec.tagged else "raw",
                "state": "altered" if "altered" in states else "missing" if "missing" in states else "ok",
                "licence": entries[0].upstream_licence,
                "source": entries[0].upstream_repository,
            }
        )
    if as_json:
        write_json({"folder": str(folder), "datasets": rows, "plugins": plugin_names()})
        return
    write(f"{'dataset':<14} {'pairs':>6} {'positive':>8} {'space':<5} {'state':<8} licence; source")
    for row in rows:
        positives = "graded" if row["positives"] is None else row["positives"]
        where = f"{row['licence']}; github.com/{row['source']}"
        write(f"{row['name']:<14} {row['pairs']:>6} {positives:>8} {row['space']:<5} {row['state']:<8} {where}")
    for name in plugin_names():
        write(f"{name:<14} of a plug-in")
