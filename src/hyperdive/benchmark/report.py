"""A self-contained HTML page of an evaluation: tables, charts and the worst misses; opens offline, runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive import __version__
from hyperdive._atomic import write_file
from hyperdive.benchmark.charts import bars, curves, legend, precision_recall
from hyperdive.benchmark.comparison import Difference
from hyperdive.benchmark.evaluation import Evaluation, Scored
from hyperdive.benchmark.paper import printed
from hyperdive.benchmark.tables import columns
from hyperdive.errors import OutputError
from hyperdive.scores import Source, Terms, as_source
from hyperdive.scores.source import AnyModel

PREFERRED = ("C·ΔS", "W·ΔS", "ΔS", "CDE", "Frequency", "Random")
_MISSES = 5
_DIMENSIONS = 4

_STYLE = """
:root { --ink: #1c2430; --soft: #66707d; --line: #d9dee5; --page: #fdfdfc; --good: #1d7a3d; --bad: #b3372c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #9aa4b1; --line: #39424e; --page: #161a20; --good: #6cc58a; --bad: #ec8277; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 76rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { margin-top: 2.2rem; font-size: 1.15rem; }
p.note, .soft, caption { color: var(--soft); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .86rem; }
th, td { padding: .22rem .5rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child, td.words, th.words { text-align: left; } td small { display: block; color: var(--soft); }
td small.good { color: var(--good); } td small.bad { color: var(--bad); }
.charts { display: flex; flex-wrap: wrap; gap: .8rem; } svg text { font-size: 10px; fill: var(--ink); }
.axis, .base { fill: none; stroke: var(--soft); stroke-width: 1; } .base { stroke-dasharray: 2 3; }
.ink { fill: none; stroke: var(--ink); stroke-width: 1.2; } .paper { stroke: var(--bad); stroke-width: 2; }
.legend span { margin-right: 1rem; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .35em; }
"""


def write_report(
    path: str | Path,
    evaluation: Evaluation,
    source: Any,
    *,
    pos: AnyModel | None = None,
    differences: dict[str, dict[str, Difference]] | None = None,
    further: dict[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write the page; it appears when it is complete. The worst misses show pairs of the datasets themselves."""
    path = Path(path)
    if path.exists() and not force:
        raise OutputError(f"{path}: already exists", hint="add --force to replace it, or choose another --report")
    text = page(evaluation, as_source(source), None if pos is None else as_source(pos), differences, further)
    write_file(path, text)


def page(
    evaluation: Evaluation,
    source: Source,
    pos: Source | None = None,
    differences: dict[str, dict[str, Difference]] | None = None,
    further: dict[str, Any] | None = None,
) -> str:
    """The whole page as text; the same evaluation gives the same page."""
    shown = [score for score in PREFERRED if score in evaluation.scores] or list(evaluation.scores[:5])
    title = f"How good is {evaluation.model or 'this model'}?"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{escape(evaluation.kind)} space, hyperdive {__version__}. Average precision in per cent, '
        "Spearman’s ρ × 100 for graded sets; pairs with an unknown word rank last, ties count by their "
        "expectation. Small figures: the distance to the paper’s.</p>",
        *[f'<p class="note">Note: {escape(note)}.</p>' for note in evaluation.notes],
        _figures(evaluation),
        _sizes(evaluation),
        "<h2>By dataset</h2>",
        '<p class="soft">Whiskers: 95 % intervals over resampled pairs. Red tick: the paper.</p>',
        _bar_charts(evaluation, shown),
    ]
    binary = [result.scored for result in evaluation.results.values() if not result.scored.dataset.graded]
    if binary:
        parts += ["<h2>Precision and recall</h2>", legend(shown), _curve_charts(binary, shown)]
    if differences is not None:
        parts += ["<h2>Against the baseline</h2>", _differences(differences)]
    if further is not None:
        parts += ["<h2>Further measures</h2>", _further(further)]
    parts += ["<h2>Worst misses</h2>", _misses(evaluation, shown[0], source, pos), "</body></html>\n"]
    return "\n".join(parts)


# ---- tables -------------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 0) -> str:
    """A table whose cells are HTML already; columns up to `words` hold words and stand left."""
    heading = "".join(f"<th{' class=words' if number <= words else ''}>{cell}</th>" for number, cell in enumerate(head))
    body = "".join(
        "<tr>"
        + "".join(f"<td{' class=words' if number <= words else ''}>{cell}</td>" for number, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table></div>'


def _figures(evaluation: Evaluation) -> str:
    shown = columns(evaluation)
    rows = []
    for score in evaluation.scores:
        row = [escape(score)]
        for heading, ours, papers in shown:
            cell = f"{ours[score]:.1f}"
            result = evaluation.results.get(heading)
            ci = None if result is None else result.cells[score].ci95
            if ci is not None:
                cell = f'<span title="95 %: {ci[0]:.1f} to {ci[1]:.1f}">{cell}</span>'
            paper = papers.get(score)
            if paper is not None:
                difference = ours[score] - paper
                mood = "good" if difference > 0.5 else "bad" if difference < -0.5 else ""
                cell += f'<small class="{mood}">{difference:+.1f}</small>'
            row.append(cell)
        rows.append(row)
    return _table(["score", *[escape(heading) for heading, _, _ in shown]], rows)


def _sizes(evaluation: Evaluation) -> str:
    rows = []
    for result in evaluation.results.values():
        scored = result.scored
        positives = "graded" if scored.dataset.graded else str(scored.dataset.positives)
        coverage = 100 * (1 - scored.oov / max(len(scored.dataset), 1))
        row = [escape(result.name), scored.space, str(result.n), positives, str(scored.oov), f"{coverage:.1f}"]
        rows.append([*row, str(scored.saved_by_lemma)])
    head = ["dataset", "space", "pairs", "positive", "unknown", "coverage %", "found by lemma"]
    return "<h2>What was measured</h2>" + _table(head, rows)


def _differences(differences: dict[str, dict[str, Difference]]) -> str:
    rows = []
    for score in next(iter(differences.values())):
        row = [escape(score)]
        for difference in (by_score[score] for by_score in differences.values()):
            mood = "" if difference.p >= 0.05 else "good" if difference.difference > 0 else "bad"
            row.append(f'{difference.difference:+.1f}<small class="{mood}">p {difference.p:.3f}</small>')
        rows.append(row)
    return _table(["score", *[escape(name) for name in differences]], rows)


def _further(further: dict[str, Any]) -> str:
    parts = []
    rows = [
        [escape(score), f"{figures['accuracy']:.1f}", f"{figures['decided']:.1f}", f"{figures['weighted_by_size']:.1f}"]
        for score, figures in further["directionality"].items()
    ]
    parts.append(_table(["direction by", "accuracy %", "of the decided %", "weighted by set size %"], rows))
    for measure, name in (("f1", "F1"), ("accuracy", "accuracy"), ("ap100", "AP@100")):
        table = further[measure]
        if table:
            scores = list(next(iter(table.values())))
            body = [
                [escape(score), *["–" if by[score] is None else f"{by[score]:.1f}" for by in table.values()]]
                for score in scores
            ]
            parts.append(_table([name, *[escape(dataset) for dataset in table]], body))
    covered = further["coverage"]
    parts.append(
        f"<p>{covered['found']} of {covered['words']} distinct words have a vector, with "
        f"{covered['nonzero_dimensions']:.1f} non-zero dimensions in the mean.</p>"
    )
    if further["discovery"]:
        body = [
            [escape(name), escape(by), *[f"{100 * figures[key]:.1f}" for key in ("map", "mrr", "p_at_5")]]
            for name, task in further["discovery"].items()
            for by, figures in ((task["score"], task), *task.get("priors", {}).items())
        ]
        parts.append(_table(["discovery", "score", "MAP", "MRR", "P@5"], body))
    return "".join(parts)


# ---- charts -------------------------------------------------------------------------------------------------------


def _bar_charts(evaluation: Evaluation, shown: Sequence[str]) -> str:
    charts = []
    for name, result in evaluation.results.items():
        entries = [
            (score, result.cells[score].value, result.cells[score].ci95, printed(evaluation.kind, score, name))
            for score in shown
        ]
        charts.append(bars(f"{name} (ρ)" if result.scored.dataset.graded else name, entries))
    return f'<div class="charts">{"".join(charts)}</div>'


def _curve_charts(scored: Sequence[Scored], shown: Sequence[str]) -> str:
    charts = []
    for result in scored:
        labels = result.dataset.labels
        lines = [(score, *precision_recall(result.values[score], labels, result.known)) for score in shown]
        charts.append(curves(result.dataset.name, lines, result.dataset.positives / max(len(labels), 1)))
    return f'<div class="charts">{"".join(charts)}</div>'


# ---- misses -------------------------------------------------------------------------------------------------------


def _misses(evaluation: Evaluation, score: str, source: Source, pos: Source | None) -> str:
    parts = [
        f'<p class="soft">By {escape(score)}: the negatives it ranks highest and the known positives it ranks lowest, '
        "each word with its strongest dimensions (named by the words strongest in them).</p>"
    ]
    labels: dict[int, list[str]] = {}
    for result in evaluation.results.values():
        scored = result.scored
        if scored.dataset.graded:
            continue
        space = pos if scored.space == "pos" and pos is not None else source
        values, gold, known = scored.values[score], scored.dataset.labels, scored.known
        names = labels.setdefault(id(space), dimension_names(space.main))
        high = _extreme(-values, known & ~gold)
        low = _extreme(values, known & gold)
        rows = _miss_rows(scored, space, high, "no", values, names) + _miss_rows(
            scored, space, low, "yes", values, names
        )
        if rows:
            parts.append(f"<h3>{escape(result.name)}</h3>")
            head = ["hyponym?", "hypernym?", "its strongest dimensions", "the other’s", "gold", "score"]
            parts.append(_table(head, rows, words=3))
    return "".join(parts)


def _extreme(values: Any, among: Any) -> Any:
    places = np.flatnonzero(among)
    return places[np.argsort(values[places], kind="stable")[:_MISSES]]


def _miss_rows(
    scored: Scored, source: Source, places: Any, gold: str, values: Any, names: Sequence[str]
) -> list[list[str]]:
    dataset = scored.dataset
    keys = dataset.space_keys(pos=scored.space == "pos")
    numbers = np.unique(np.concatenate([dataset.q[places], dataset.p[places]]))
    terms = Terms(source, [keys[number] for number in numbers])
    csr = terms.rows.csr
    told = {}
    for row, number in enumerate(numbers):
        start, end = csr.indptr[row], csr.indptr[row + 1]
        order = np.argsort(-csr.data[start:end], kind="stable")[:_DIMENSIONS]
        told[int(number)] = "; ".join(
            f"{names[csr.indices[start + k]]} {csr.data[start + k]:.2f}" for k in order if csr.data[start + k] > 0
        )
    rows = []
    for place in places:
        q, p = int(dataset.q[place]), int(dataset.p[place])
        cells = [dataset.terms[q], dataset.terms[p], told[q] or "–", told[p] or "–", gold, f"{values[place]:.3f}"]
        rows.append([escape(cell) for cell in cells])
    return rows


def dimension_names(space: Any) -> list[str]:
    """A name for each dimension: its context word in an SBOW space, else its three strongest words.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> dimension_names(VectorSpace(["a", "b"], [[2, 0], [1, 3]], frequencies=[1, 1], kind="dive"))
    ['a b', 'b']
    """
    matrix, words = space.matrix, space.words
    if not isinstance(matrix, np.ndarray):
        if matrix.shape[0] == matrix.shape[1]:
            return list(words)
        matrix = matrix.toarray()
    names = []
    for column in matrix.T:
        top = np.argpartition(-column, min(3, len(column) - 1))[:3]
        top = top[np.argsort(-column[top], kind="stable")]
        names.append(" ".join(words[k] for k in top if column[k] > 0))
    return names
