"""A tree of terms: each under the term it is a kind of, never in a circle, every edge with what speaks for it.

The terms are your own (--terms, one a line), what is found beneath a word (--root animal), or the most useful words of
the model (--top 500). A term without a believed parent is a root. The number behind a term is the confidence that it is
a kind of the term above it (or a score, for a model without patterns). With --gold the edges are compared with known
pairs, and figures are printed instead of the tree.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hyperdive.cli.common import (
    DEFAULT_MODEL,
    ForceOption,
    JsonOption,
    ModelOption,
    ProgressMode,
    ProgressOption,
    reporter,
    write,
    write_json,
)
from hyperdive.taxonomy.formats import DEFAULT_BASE, GraphFormat


def taxonomy(
    model: ModelOption = DEFAULT_MODEL,
    terms: Annotated[
        Path | None, typer.Option("--terms", "-t", help="File of terms, one a line.", show_default=False)
    ] = None,
    root: Annotated[
        str | None, typer.Option("--root", "-r", help="Find the terms beneath this word.", show_default=False)
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            "-n",
            min=1,
            help="How many terms the model chooses.",
            show_default="500, or 200 beneath a root",
        ),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            help="File with lines: force or forbid, child, parent, with tabs between.",
            show_default=False,
        ),
    ] = None,
    levels: Annotated[
        int | None,
        typer.Option(
            "--levels",
            min=1,
            help="Levels beneath a root; deeper terms are left out.",
            show_default="all",
        ),
    ] = None,
    min_children: Annotated[
        int, typer.Option("--min-children", min=0, help="Smaller groups are dissolved into the one above.")
    ] = 0,
    max_children: Annotated[
        int | None,
        typer.Option(
            "--max-children",
            min=1,
            help="Of larger groups the least likely go to their next best parent.",
            show_default="any number",
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            help="Pairs beneath this are no edges; for a score that is no confidence, the least score.",
            show_default="0.5",
        ),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option("--score", "-s", help="Build by this score, such as C*dS.", show_default="the best there is"),
    ] = None,
    parents: Annotated[
        int, typer.Option("--parents", min=1, help="Most parents of a term; more than 1 makes a graph of the tree.")
    ] = 1,
    heads: Annotated[
        bool, typer.Option("--heads/--no-heads", help="Add the heads of phrases: dog for domestic dog.")
    ] = True,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Also the sentences behind an edge, where the model has kept its text.")
    ] = False,
    format: Annotated[
        GraphFormat | None,
        typer.Option("--format", "-f", help="How to write it.", show_default="tree, or by the ending of -o"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write.", show_default="standard output")
    ] = None,
    base: Annotated[
        str, typer.Option("--base", help="What the names of terms in SKOS and OWL begin with.")
    ] = DEFAULT_BASE,
    gold: Annotated[
        list[str] | None,
        typer.Option(
            "--gold",
            help="Datasets or files of pairs, by commas: print how well the edges agree; their terms unless others "
            "are named.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder with the datasets.", show_default="HYPERDIVE_DATA, else a cache"),
    ] = None,
    json: JsonOption = False,
    force: ForceOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    """A tree of terms."""
    from hyperdive.discover.question import term_lines
    from hyperdive.errors import OutputError
    from hyperdive.scores.opening import open_space
    from hyperdive.taxonomy.build import taxonomy as build
    from hyperdive.taxonomy.formats import format_of

    shown = reporter(progress)
    if output is not None and output.exists() and not force:
        raise OutputError(f"{output}: already exists", hint="add --force to replace it, or choose another -o")
    kind = GraphFormat.json if json else format or (GraphFormat.tree if output is None else format_of(output))
    asked: Any = None if terms is None else term_lines(terms)
    known = None
    if gold:
        from hyperdive.benchmark.gold_taxonomy import load_gold

        known = load_gold([name for one in gold for name in one.split(",") if name], data=data)
        if asked is None and root is None and top is None:
            asked = known.terms
    found = build(
        open_space(model),
        asked,
        root=root,
        top=top,
        corrections=corrections,
        levels=levels,
        min_children=min_children,
        max_children=max_children,
        min_confidence=min_confidence,
        score=score,
        parents=parents,
        heads=heads,
        evidence=2 if evidence else 0,
        progress=shown,
    )
    for note in found.notes:
        shown.note(note)
    if output is not None:
        found.write(output, kind, force=force, base=base)
        shown.note(f"{len(found.edges)} edges between {len(found)} terms written to {output}")
    if known is not None:
        _agreement(known.compare([(edge.child, edge.parent) for edge in found], found.terms), json)
    elif output is None:
        if kind is GraphFormat.tree:
            _print(found, evidence)
        else:
            write(found.to_text(kind, base=base).rstrip("\n"))
    if not found.calibrated and output is None and kind is GraphFormat.tree and known is None:
        shown.note(f"the numbers are scores by {found.score}, no confidences")


_STYLES = {"line": "dim", "term": "", "added": "italic", "value": "cyan", "note": "dim", "sentence": "dim italic"}


def _print(found: Any, evidence: bool) -> None:
    """The tree, in colour in a terminal."""
    import sys

    from hyperdive.taxonomy.formats import tree_lines

    lines = tree_lines(found, sentences=evidence)
    if not sys.stdout.isatty():
        for line in lines:
            write("".join(part.text for part in line))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((part.text, _STYLES[part.kind]) for part in line)))


def _agreement(figures: Any, json: bool) -> None:
    """How well the edges agree with known pairs."""
    if json:
        write_json(figures.as_json())
        return
    write(f"{figures.terms} terms with known pairs among the terms; figures in per cent")
    write(f"{'':<40} precision  recall     F1")
    rows = (
        ("edges that are known pairs", figures.edges),
        ("edges to a nearest known parent", figures.direct),
        ("all that the edges imply", figures.ancestors),
    )
    for name, one in rows:
        write(f"{name:<40} {100 * one.precision:9.1f} {100 * one.recall:7.1f} {100 * one.f1:6.1f}")
    write(f"of the {figures.judged_edges} edges that the datasets judge, {100 * figures.judged:.1f} are right")
