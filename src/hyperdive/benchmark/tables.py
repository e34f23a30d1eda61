"""Tables for the terminal: each figure with its difference from the paper's beneath."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from hyperdive.benchmark.datasets import MICRO_4, MICRO_10
from hyperdive.benchmark.evaluation import Difference, Evaluation
from hyperdive.benchmark.printed import printed, printed_micro

SHORT = {
    "EVALution": "EVAL",
    "LenciBenotto": "L/B",
    "Kotlerman2010": "Kotl.",
    "HypeNet": "HypeN",
    "WordNet": "WN",
    "Medical": "Medic",
    "HyperLex": "HyperLex ρ",
}
_NEAR = 0.5  # points within which ours and the paper's figure are called the same


def columns(evaluation: Evaluation) -> list[tuple[str, dict[str, float], dict[str, float | None]]]:
    """Return heading, our figures and the paper's, by score, of each column."""
    made: list[tuple[str, dict[str, float], dict[str, float | None]]] = []
    for name, result in evaluation.results.items():
        ours = {score: cell.value for score, cell in result.cells.items()}
        made.append((name, ours, {score: printed(evaluation.kind, score, name) for score in ours}))
    for heading, values, names in (("micro 4", evaluation.micro4, MICRO_4), ("micro 10", evaluation.micro10, MICRO_10)):
        if values:
            made.append((heading, values, {score: printed_micro(evaluation.kind, score, names) for score in values}))
    if not evaluation.micro10 and len(evaluation.micro()) and len(evaluation.results) > 1:
        made.append(("micro", evaluation.micro(), dict.fromkeys(evaluation.scores)))
    return made


def report(
    evaluation: Evaluation,
    differences: dict[str, dict[str, Difference]] | None = None,
    further: dict[str, Any] | None = None,
    *,
    width: int = 140,
    colour: bool = False,
) -> str:
    """Return the page that the command prints: figures, sizes, differences from a baseline, and further measures."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, force_terminal=colour, width=width, highlight=False, legacy_windows=False)
    measures = "AP in per cent, ρ for HyperLex; below, the difference from the paper"
    console.print(f"{evaluation.model} ({evaluation.kind}): {measures}")
    console.print(results_table(evaluation))
    console.print()
    console.print(sizes_table(evaluation))
    if differences is not None:
        console.print("\ncompared with the baseline (points, two-sided p)")
        console.print(difference_table(differences))
    if further is not None:
        console.print("\n" + "\n".join(_further_lines(further)))
    return out.getvalue().rstrip("\n")


def _further_lines(further: dict[str, Any]) -> Iterator[str]:
    for score, one in further["directionality"].items():
        yield f"direction by {score}: {one['accuracy']:.1f} % ({one['decided']:.1f} % of decided pairs)"
    for score, by_set in further["separation"].items():
        if "all" in by_set:
            yield f"pairs with the same hypernym, by {score}: {by_set['all']:.1f} %"
    covered = further["coverage"]
    dimensions = f"{covered['nonzero_dimensions']:.1f} non-zero dimensions on average"
    yield f"coverage: {covered['found']} of {covered['words']} words, {dimensions}"
    for name, one in further["discovery"].items():
        yield f"discovery on {name} by {one['score']}: {_ranks(one)} over {one['hyponyms']} hyponyms"
        yield from (f"  {prior} for every word: {_ranks(same)}" for prior, same in one["priors"].items())


def _ranks(figures: dict[str, Any]) -> str:
    return f"MAP {100 * figures['map']:.1f}, MRR {100 * figures['mrr']:.1f}, P@5 {100 * figures['p_at_5']:.1f}"


def _grid(first: str, names: Iterable[str]) -> Any:
    """Return an empty table with a column for each name."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(first, no_wrap=True)
    for name in names:
        table.add_column(SHORT.get(name, name), justify="right")
    return table


def results_table(evaluation: Evaluation) -> Any:
    """Return a `rich` table, one row per score and one column per dataset, with coloured differences from the paper."""
    from rich.text import Text

    shown = columns(evaluation)
    table = _grid("score", (heading for heading, _, _ in shown))
    for score in evaluation.scores:
        cells = [Text(score)]
        for _, ours, papers in shown:
            text = Text(f"{ours[score]:.1f}")
            paper = papers.get(score)
            if paper is not None:
                difference = ours[score] - paper
                colour = "green" if difference > _NEAR else "red" if difference < -_NEAR else "dim"
                text.append(f"\n{difference:+.1f}", style=colour)
            cells.append(text)
        table.add_row(*cells)
    return table


def sizes_table(evaluation: Evaluation) -> Any:
    """Return a `rich` table of dataset sizes: pairs, positives, unknown pairs and those found by their lemma."""
    names = list(evaluation.results)
    table = _grid("", names)
    scored = [evaluation.results[name].scored for name in names]
    table.add_row("space", *[result.space for result in scored])
    table.add_row("pairs", *[str(len(result.dataset)) for result in scored])
    table.add_row("positive", *["–" if result.dataset.graded else str(result.dataset.positives) for result in scored])
    table.add_row("unknown", *[str(result.oov) for result in scored])
    table.add_row("coverage %", *[f"{100 * (1 - result.oov / len(result.dataset)):.0f}" for result in scored])
    table.add_row("by lemma", *[str(result.saved_by_lemma) for result in scored])
    return table


def difference_table(differences: dict[str, dict[str, Difference]]) -> Any:
    """Return a `rich` table of differences from a baseline; those with p under 0.05 are coloured."""
    from rich.text import Text

    table = _grid("score", differences)
    for score in next(iter(differences.values())):
        cells = [Text(score)]
        for difference in (by_score[score] for by_score in differences.values()):
            sure = difference.p < 0.05
            colour = "dim" if not sure else "green" if difference.difference > 0 else "red"
            cells.append(Text(f"{difference.difference:+.1f}\np {difference.p:.3f}", style=colour))
        table.add_row(*cells)
    return table
