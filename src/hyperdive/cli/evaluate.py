"""Evaluate a model on the eleven datasets, next to the paper's figures.

Average precision in per cent for the ten binary datasets, Spearman's ρ for HyperLex; below each figure, in colour, the
difference from the paper's. Pairs with an out-of-vocabulary word rank last. A file of your own pairs (hyponym,
hypernym, True or False) can be used in place of a dataset. Baselines are always included: random, frequency (the
difference of logarithms, roots and counts), and with patterns how often the broader word is a hypernym at all.
`--scores all` evaluates every score, `--scores ablation` the confidence without each of its parts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from hyperdive.cli.common import (
    ForceOption,
    JsonOption,
    ProgressMode,
    ProgressOption,
    ThreadsOption,
    load_source,
    reporter,
    write,
    write_json,
)
from hyperdive.errors import OptionError, OutputError

BASELINES = ("Frequency", "Frequency:power=0.5", "Frequency:power=1.0", "Hypernym", "Random")


def evaluate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="More gold files of --taxonomy; GOLD and VOCABULARY of --discovery.", show_default=False),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Model or space folder, or the name of a packaged model.")
    ] = "en-wiki",
    pos_model: Annotated[
        str | None,
        typer.Option("--pos-model", help="Model with POS tags, for the POS-tagged datasets.", show_default=False),
    ] = None,
    skipgram: Annotated[
        str | None,
        typer.Option("--skipgram", help="Space to compute W from, instead of the model's own.", show_default=False),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option("--counts", help="SBOW Freq space, for the context entropies of SLQS.", show_default=False),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            "--datasets", "-d", help="Datasets or files of pairs, comma-separated.", show_default="all eleven"
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            "-s",
            help="Scores, comma-separated, such as C*dS,AL1:w0=20; or all.",
            show_default="the paper's and confidence",
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Model to compare with, by a paired test.", show_default=False)
    ] = None,
    resamples: Annotated[
        int, typer.Option("--resamples", min=0, help="Bootstrap resamples for 95 % intervals and tests; 0: none.")
    ] = 1000,
    further: Annotated[
        bool,
        typer.Option("--further", help="Also compute F1, accuracy, AP@100, directionality and coverage (in JSON)."),
    ] = False,
    discovery: Annotated[
        list[str] | None,
        typer.Option(
            "--discovery",
            help="Datasets for MAP, MRR and P@5 with the whole vocabulary as candidates; or the files "
            "DATA GOLD VOCABULARY of SemEval-2018 task 9.",
            show_default=False,
        ),
    ] = None,
    taxonomy: Annotated[
        list[Path] | None,
        typer.Option(
            "--taxonomy",
            help="Gold taxonomies of SemEval-2016 task 13: how many of their edges the model finds.",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write a self-contained HTML report.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Dataset folder.", show_default="HYPERDIVE_DATA, else a cache"),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Fail if a dataset file differs from the published one.")
    ] = True,
    exact: Annotated[bool, typer.Option("--exact", help="Look words up exactly; do not try their lemmas.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of the resamples.")] = 0,
    as_json: JsonOption = False,
    force: ForceOption = False,
    threads: ThreadsOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    """Figures of a model on datasets."""
    if taxonomy or files:
        from hyperdive.cli._gold_tasks import evaluate_tasks, gold_tasks

        if datasets or report or baseline or further or pos_model:
            raise OptionError(
                "gold files are evaluated by themselves",
                hint="leave out --datasets, --report, --baseline, --further",
            )
        evaluate_tasks(model, gold_tasks(taxonomy, discovery, files), _split(scores), as_json, reporter(progress))
        return
    from hyperdive._resources import Run
    from hyperdive.benchmark.comparison import compare
    from hyperdive.benchmark.datasets import ELEVEN
    from hyperdive.benchmark.evaluation import EvaluationOptions
    from hyperdive.benchmark.evaluation import evaluate as measure
    from hyperdive.benchmark.further_measures import further_measures
    from hyperdive.scores import usable_scores

    if report is not None and report.exists() and not force:
        raise OutputError(f"{report}: already exists", hint="add --force to replace it, or choose another --report")
    shown = reporter(progress)
    source = load_source(model, skipgram=skipgram, counts=counts)
    pos = None if pos_model is None else load_source(pos_model)
    names = _split(datasets) or list(ELEVEN)
    wanted = _with_baselines(_split(scores), source)
    options = EvaluationOptions(
        scores=wanted, bootstrap=resamples, seed=seed, lemmas=not exact, data=data, verify=verify
    )
    run = Run(threads=threads, progress=shown)
    evaluation = measure(source, pos, datasets=names, options=options, model=_name(model), run=run)
    result = evaluation.as_json()
    differences = None
    if baseline is not None:
        other_source = load_source(baseline, skipgram=skipgram, counts=counts)
        usable = {score.name for score in usable_scores(other_source, ["all"])}
        options = replace(options, scores=[score for score in evaluation.scores if score.split(":")[0] in usable])
        other = measure(other_source, pos, datasets=names, options=options, model=_name(baseline), run=run)
        differences = compare(evaluation, other)
        result["baseline"] = {
            "model": other.model,
            "differences": {
                name: {
                    score: {
                        "difference": round(one.difference, 4),
                        "ci95": [round(end, 4) for end in one.ci95],
                        "p": one.p,
                    }
                    for score, one in by_score.items()
                }
                for name, by_score in differences.items()
            },
        }
    if further or discovery:
        from hyperdive.benchmark.discovery import DiscoveryOptions
        from hyperdive.discover.ranking import EMPTY_WORDS, ranking

        result["further"] = further_measures(
            evaluation,
            source,
            pos=pos,
            discovery=_split(discovery) or (),
            ranking=None if scores else ranking,
            options=DiscoveryOptions(never=EMPTY_WORDS, sample=300, seed=seed),
        )
    if report is not None:
        from hyperdive.benchmark.report import write_report

        write_report(
            report, evaluation, source, pos=pos, differences=differences, further=result.get("further"), force=force
        )
        shown.note(f"report written to {report}")
    if as_json:
        write_json(result)
    else:
        _print(evaluation, differences, result.get("further"))
    for note in evaluation.notes:
        shown.note(note)


def _split(values: list[str] | None) -> list[str] | None:
    """Names given several times or with commas; the commas inside a score's options stay."""
    if not values:
        return None
    names: list[str] = []
    pieces = [piece for value in values for piece in ([value] if Path(value).exists() else value.split(","))]
    for piece in pieces:
        if names and "=" in piece and ":" not in piece and ":" in names[-1]:
            names[-1] += f",{piece}"
        elif piece.strip():
            names.append(piece.strip())
    return names


def _with_baselines(wanted: list[str] | None, source: Any) -> list[str] | None:
    if wanted is None:
        return None
    from hyperdive.scores import usable_scores

    usable = {score.name for score in usable_scores(source, ["all"])}
    return [*wanted, *(name for name in BASELINES if name.partition(":")[0] in usable)]


def _name(model: str) -> str:
    return Path(model).name or model


def _print(evaluation: Any, differences: Any, further: dict[str, Any] | None) -> None:
    import io
    import shutil
    import sys

    from rich.console import Console

    from hyperdive.benchmark.tables import difference_table, results_table, sizes_table

    colour = sys.stdout.isatty()
    out = io.StringIO()
    width = max(shutil.get_terminal_size((140, 24)).columns, 100)
    console = Console(file=out, force_terminal=colour, width=width, highlight=False, legacy_windows=False)
    console.print(
        f"{evaluation.model} ({evaluation.kind}): AP in per cent, ρ for HyperLex; below, the difference from the paper"
    )
    console.print(results_table(evaluation))
    console.print()
    console.print(sizes_table(evaluation))
    if differences is not None:
        console.print("\ncompared with the baseline (points, two-sided p)")
        console.print(difference_table(differences))
    if further is not None:
        for score, one in further["directionality"].items():
            console.print(
                f"\ndirection by {score}: {one['accuracy']:.1f} % ({one['decided']:.1f} % of decided pairs)", end=""
            )
        for score, by_set in further["separation"].items():
            if "all" in by_set:
                console.print(f"\npairs with the same hypernym, by {score}: {by_set['all']:.1f} %", end="")
        covered = further["coverage"]
        console.print(
            f"\ncoverage: {covered['found']} of {covered['words']} words, "
            f"{covered['nonzero_dimensions']:.1f} non-zero dimensions on average"
        )
        for name, one in further["discovery"].items():
            console.print(
                f"discovery on {name} by {one['score']}: MAP {100 * one['map']:.1f}, MRR {100 * one['mrr']:.1f}, "
                f"P@5 {100 * one['p_at_5']:.1f} over {one['hyponyms']} hyponyms"
            )
            for prior, same in one["priors"].items():
                console.print(
                    f"  {prior} for every word: MAP {100 * same['map']:.1f}, MRR {100 * same['mrr']:.1f}, "
                    f"P@5 {100 * same['p_at_5']:.1f}"
                )
    write(out.getvalue().rstrip("\n"))
