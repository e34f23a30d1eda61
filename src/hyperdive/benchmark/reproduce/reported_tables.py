"""The paper's tables of results that earlier work reports, with our figures as rows of their own."""

from __future__ import annotations

from collections.abc import Sequence

from hyperdive.benchmark.paper import rows
from hyperdive.benchmark.reproduce.figures import RunFigures
from hyperdive.benchmark.reproduce.paper_table import PaperCell, PaperRow, PaperTable
from hyperdive.benchmark.reproduce.tables import FREQUENCY_LABELS, READ, heading
from hyperdive.scores import get

REPORTED = "reported"
_METRICS = {"AP@all": "AP", "F1": "F1", "Spearman rho": "ρ"}


def _figure(found: RunFigures, name: str, score: str, dataset: str, metric: str) -> float | None:
    return found.fold(name, score, dataset) if metric == "F1" else found.value(name, score, dataset)


def _reported(
    found: RunFigures, table: str, names: Sequence[tuple[str, str]], scores: Sequence[str]
) -> tuple[tuple[str, ...], list[PaperRow]]:
    """A table of reported figures next to ours: its columns and rows, baselines last."""
    printed_rows = rows(table)
    cells = list(dict.fromkeys((row["dataset"], row["metric"]) for row in printed_rows))
    by_method: dict[str, dict[tuple[str, str], float]] = {}
    for row in printed_rows:
        method = row["method"]
        pairs = row.get("training_hypernymy_pairs", "0")
        label = f"{method} ({pairs} training pairs)" if pairs not in ("", "0") else method
        by_method.setdefault(label, {})[row["dataset"], row["metric"]] = float(row["value"])
    made = [
        PaperRow(
            (method.replace(" (reported by earlier work)", ""),),
            tuple(PaperCell(None, known.get(one), REPORTED) for one in cells),
        )
        for method, known in by_method.items()
        if not method.startswith("DIVE")
    ]
    for label, name in names:
        for score in scores:
            papers = next(
                (one for m, one in by_method.items() if m.startswith("DIVE") and get(m[5:]).name == score), {}
            )
            ours = tuple(PaperCell(_figure(found, name, score, *one), papers.get(one)) for one in cells)
            made.append(PaperRow((f"{label} + {score}",), ours))
    for score, form in (*FREQUENCY_LABELS.items(), ("Random", "")):
        label = f"Frequency alone, {form}" if form else score
        made.append(PaperRow((label,), tuple(PaperCell(_figure(found, names[-1][1], score, *one)) for one in cells)))
    return tuple(f"{heading(one).removesuffix(' ρ')} {_METRICS[metric]}" for one, metric in cells), made


def against_sbow(found: RunFigures) -> PaperTable:
    """DIVE compared with what earlier work reports for sparse bags of words."""
    names = (("DIVE (paper's constants)", "dive-paper"), ("DIVE (ours)", "dive"))
    columns, body = _reported(found, "table_sbow_reported", names, ("C·ΔS", "W·ΔS"))
    notes = (
        "Figures marked reported were copied by the paper from earlier work, on other corpora: the best method of each "
        "dataset.",
        "F1 by thresholds of 20-fold cross-validation, as the paper's program computes it.",
        READ,
    )
    return PaperTable(
        "table_reported_sbow", "Beside reported results of SBOW", ("method",), columns, tuple(body), notes
    )


def against_semisupervised(found: RunFigures) -> PaperTable:
    """DIVE compared with what semi-supervised embeddings report, in the raw space for all sets."""
    names = (("DIVE (paper's constants)", "dive-paper-raw-only"), ("DIVE (ours)", "dive-raw-only"))
    columns, body = _reported(found, "table_semisup_reported", names, ("C·ΔS",))
    notes = (
        "Figures marked reported were copied by the paper from the systems' own papers.",
        "HyperVec ignores parts of speech, so all sets are read in the raw space here.",
        READ,
    )
    title = "Beside reported results of semi-supervised embeddings"
    return PaperTable("table_reported_semisupervised", title, ("method",), columns, tuple(body), notes)


REPORTED_TABLES = (against_sbow, against_semisupervised)
"""In the order of the paper."""
