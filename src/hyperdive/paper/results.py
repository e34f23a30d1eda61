"""Write the results of a run: a TSV file per table, the figures, and one page with all of them in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hyperdive._atomic import write_file
from hyperdive._progress import duration
from hyperdive.ask.plots import plot_pair, plot_pairs
from hyperdive.ask.topics import Dimensions, dimensions_of, general_words
from hyperdive.benchmark.printed import general_words as printed_words
from hyperdive.paper.claims import Claim
from hyperdive.paper.stages import ReproduceStage
from hyperdive.paper.tables import PaperCell, PaperRow, PaperTable
from hyperdive.scores.source import AnyModel
from hyperdive.spaces.space import VectorSpace

MAIN = ("rodent", "mammal")
PAIRS = (
    ("revolver", "pistol"),
    ("pistol", "weapon"),
    ("cannon", "weapon"),
    ("artillery", "cannon"),
    ("ant", "insect"),
    ("insect", "animal"),
    ("mammal", "animal"),
    ("insect", "invertebrate"),
)
FAILURES = (("gasoline", "oil"), ("wax", "oil"), ("nucleus", "core"))
FIGURES = {
    "figure_main": ("rodent and mammal", (MAIN,)),
    "figure_pairs": ("Pairs where the hypernym should have the larger values", PAIRS),
    "figure_failures": ("Pairs with which the paper shows inclusion failing", FAILURES),
}
AL1 = "figure_al1", "The asymmetric L1 distance"
QUERIES = ("", "species", "system")
_LEAST = 0.1  # the paper leaves out smaller values


def model_tables(space: VectorSpace) -> list[PaperTable]:
    """Return the tables of words and dimensions of a DIVE space."""
    dimensions = Dimensions(space)
    return [general_table(space), topics_table(dimensions), failures_table(dimensions)]


def general_table(space: VectorSpace) -> PaperTable:
    """Return the most general words, without a query and for two, next to the paper's lists."""
    printed = printed_words()
    lists, notes = [], []
    for query in QUERIES:
        known = not query or query in space
        ours = [word.term for word in general_words(space, query or None)] if known else []
        lists += [ours, printed[query]]
        shared = len(set(ours) & set(printed[query]))
        notes.append(f"{query or 'no query'}: {shared} of the paper's {len(printed[query])} words are among ours")
    rows = []
    for place in range(30):
        cells = (PaperCell(text=words[place] if place < len(words) else "–") for words in lists)
        rows.append(PaperRow((str(place + 1),), tuple(cells)))
    columns = tuple(f"{query or 'no query'}: {whose}" for query in QUERIES for whose in ("ours", "paper"))
    return PaperTable("table_general_words", "Most general words", ("place",), columns, tuple(rows), tuple(notes))


def topics_table(dimensions: Dimensions) -> PaperTable:
    """Return the dimensions of the main figure in words: both values, words 1–5, and words 51–105."""
    hyponym, hypernym = MAIN
    rows = []
    if hyponym in dimensions.space and hypernym in dimensions.space:
        q, p = dimensions.vector(hyponym), dimensions.vector(hypernym)
        for i in np.lexsort((-q, -p)).tolist():
            if max(q[i], p[i]) >= _LEAST:
                texts = (", ".join(dimensions.first(i, 5)), ", ".join(dimensions.first(i, 55, 50)))
                values = (PaperCell(float(value), decimals=2) for value in (q[i], p[i]))
                rows.append(PaperRow((str(i),), (*values, *(PaperCell(text=text or "–") for text in texts))))
    columns = (hyponym, hypernym, "words 1–5", "words 51–105")
    title = f"The dimensions of {hyponym} and {hypernym}"
    notes = ("Dimensions by the hypernym's value; a dimension's first words are more general than its later ones.",)
    return PaperTable("table_topics", title, ("dimension",), columns, tuple(rows), notes)


def failures_table(dimensions: Dimensions) -> PaperTable:
    """Return, for the pairs with which the paper shows inclusion failing, where it fails here."""
    rows = []
    for hyponym, hypernym in FAILURES:
        label = (f"{hyponym} – {hypernym}",)
        if hyponym not in dimensions.space or hypernym not in dimensions.space:
            rows.append(PaperRow(label, (*(PaperCell(),) * 4, PaperCell(text="unknown word"))))
            continue
        q, p = dimensions.vector(hyponym), dimensions.vector(hypernym)
        above = int((q > p).sum())
        worst = ", ".join(dimensions.first(int(np.argmax(q - p)), 4)) if above else "none: inclusion holds"
        sums = (PaperCell(float(q.sum()), decimals=2), PaperCell(float(p.sum()), decimals=2))
        counts = (PaperCell(int((q > 0).sum()), decimals=0), PaperCell(above, decimals=0))
        rows.append(PaperRow(label, (*sums, *counts, PaperCell(text=worst))))
    notes = (
        "The paper names *gasoline* and *wax* (more with cars, with feet, than *oil*) and *nucleus* (several senses). "
        "Inclusion fails where the hyponym is larger; the last column names the dimension where it is so most.",
    )
    columns = ("S(hyponym)", "S(hypernym)", "dimensions of the hyponym", "where it is larger", "the worst of them")
    return PaperTable("table_failures", "Where inclusion fails", ("pair",), columns, tuple(rows), notes)


def claims_table(claims: Sequence[Claim]) -> PaperTable:
    """Return the claims as a table."""
    rows = tuple(
        PaperRow((claim.statement, claim.row), (PaperCell(text=claim.verdict), PaperCell(text=claim.figures)))
        for claim in claims
    )
    notes = (
        "Each sentence of the paper is tested as it stands, by the same rule for all rows (`paper/paper.toml`).",
        "Micro averages over ten datasets unless said otherwise, those of the paper recomputed from its cells; "
        "intervals by resampling the pairs.",
    )
    return PaperTable("claims", "Claims of the paper, checked", ("claim", "row"), ("verdict", "figures"), rows, notes)


def times_table(stages: Sequence[tuple[ReproduceStage, float | None]]) -> PaperTable:
    """Return how long each stage took and was estimated to take."""
    rows = tuple(
        PaperRow(
            (stage.name,),
            (PaperCell(text=stage.what), PaperCell(seconds, decimals=0), PaperCell(stage.seconds, decimals=0)),
        )
        for stage, seconds in stages
    )
    notes = [f"All finished stages took {duration(sum(seconds or 0.0 for _, seconds in stages))}."]
    left = [stage.name for stage, seconds in stages if seconds is None]
    if left:
        notes.append(f"Not done yet: {', '.join(left)}.")
    return PaperTable("stages", "Stages", ("stage",), ("what", "seconds", "estimate"), rows, tuple(notes))


def draw_figures(model: AnyModel, folder: Path) -> list[Path]:
    """Draw the paper's figures from a model."""
    paths = []
    for name, (title, pairs) in FIGURES.items():
        paths.append(folder / f"{name}.svg")
        plot_pairs(model, pairs, paths[-1], title=title, force=True)
    paths.append(folder / f"{AL1[0]}.svg")
    if all(word in dimensions_of(model).space for word in MAIN):
        plot_pair(model, *MAIN, paths[-1], force=True)
    else:
        plot_pairs(model, (MAIN,), paths[-1], title=AL1[1], force=True)
    return paths


def write_tables(
    tables: Sequence[PaperTable], folder: Path, facts: Mapping[str, str], *, with_figures: bool = False
) -> list[Path]:
    """Write every table; the page with all of them comes last, so that it is there when all others are."""
    files = []
    for table in tables:
        files.append(folder / f"{table.name}.tsv")
        write_file(files[-1], table.tsv())
    lines = ["# The paper's tables, reproduced", "", " ".join(f"{name}: {value}." for name, value in facts.items()), ""]
    lines += [table.markdown() for table in tables]
    if with_figures:
        figures = {**{name: title for name, (title, _) in FIGURES.items()}, AL1[0]: AL1[1]}
        lines += ["## Figures", "", *(f"![{title}]({name}.svg)\n" for name, title in figures.items())]
    files.append(folder / "README.md")
    write_file(files[-1], "\n".join(lines))
    return files
