"""Tables for the terminal: each figure with its difference from the paper's beneath."""

from __future__ import annotations

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


def results_table(evaluation: Evaluation) -> Any:
    """Return a `rich` table, one row per score and one column per dataset, with coloured differences from the paper."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), title_justify="left", header_style="bold")
    table.add_column("score", no_wrap=True)
    shown = columns(evaluation)
    for heading, _, _ in shown:
        table.add_column(SHORT.get(heading, heading), justify="right")
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
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("")
    names = list(evaluation.results)
    for name in names:
        table.add_column(SHORT.get(name, name), justify="right")
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
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("score", no_wrap=True)
    for name in differences:
        table.add_column(SHORT.get(name, name), justify="right")
    for score in next(iter(differences.values())):
        cells = [Text(score)]
        for difference in (by_score[score] for by_score in differences.values()):
            sure = difference.p < 0.05
            colour = "dim" if not sure else "green" if difference.difference > 0 else "red"
            cells.append(Text(f"{difference.difference:+.1f}\np {difference.p:.3f}", style=colour))
        table.add_row(*cells)
    return table
