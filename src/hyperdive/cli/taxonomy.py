"""Build a taxonomy: an acyclic is-a tree over terms, with a confidence and signals for every edge.

The terms are your own (--terms), those found under a root word (--root animal), or the most useful words of the model
(--top 500). Terms with no parent above the threshold become roots. The number after a term is the confidence that it is
a kind of its parent (or a score, if the model has no patterns). With --gold the edges are compared with known pairs,
and precision, recall and F1 are printed instead of the tree.
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
from hyperdive.taxonomy.formats import GraphFormat
from hyperdive.taxonomy.options import DEFAULTS, MIN_CONFIDENCE, TOP, TOP_BENEATH
from hyperdive.taxonomy.rdf import DEFAULT_BASE, DEFAULT_LANGUAGE, DEFAULT_TITLE, Naming


def taxonomy(
    model: ModelOption = DEFAULT_MODEL,
    terms: Annotated[
        Path | None, typer.Option("--terms", "-t", help="File of terms, one per line.", show_default=False)
    ] = None,
    root: Annotated[
        str | None, typer.Option("--root", "-r", help="Find the terms under this root word.", show_default=False)
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            "-n",
            min=1,
            help="Number of terms to select.",
            show_default=f"{TOP}, or {TOP_BENEATH} under a root",
        ),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            help="Tab-separated corrections: force or forbid, child, parent; or an edited taxonomy (--format tsv).",
            show_default=False,
        ),
    ] = None,
    levels: Annotated[
        int | None,
        typer.Option(
            "--levels",
            min=1,
            help="Maximum depth below a root; deeper terms are dropped.",
            show_default="all",
        ),
    ] = None,
    min_children: Annotated[
        int, typer.Option("--min-children", min=0, help="Merge groups with fewer children into their parent.")
    ] = DEFAULTS.min_children,
    max_children: Annotated[
        int | None,
        typer.Option(
            "--max-children",
            min=1,
            help="Maximum number of children; the least likely move to their next best parent.",
            show_default="no limit",
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            help="Minimum confidence (or score) for an edge.",
            show_default=f"{MIN_CONFIDENCE}",
        ),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            "-s",
            help="Score to build the taxonomy with, such as C*dS.",
            show_default="the best one the model supports",
        ),
    ] = None,
    parents: Annotated[
        int,
        typer.Option("--parents", min=1, help="Maximum number of parents; more than 1 gives a directed acyclic graph."),
    ] = DEFAULTS.parents,
    heads: Annotated[
        bool, typer.Option("--heads/--no-heads", help="Add the head nouns of phrases (dog for domestic dog).")
    ] = DEFAULTS.heads,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Show the sentences that state each edge, if the model has them.")
    ] = False,
    format: Annotated[
        GraphFormat | None,
        typer.Option("--format", "-f", help="Output format.", show_default="tree, or by the extension of -o"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output file.", show_default="standard output")
    ] = None,
    base: Annotated[str, typer.Option("--base", help="IRI prefix of terms in SKOS and OWL.")] = DEFAULT_BASE,
    language: Annotated[
        str, typer.Option("--language", help="Language tag of labels in SKOS and OWL, such as en or de-AT.")
    ] = DEFAULT_LANGUAGE,
    title: Annotated[str, typer.Option("--title", help="Title of the taxonomy in SKOS and OWL.")] = DEFAULT_TITLE,
    gold: Annotated[
        list[str] | None,
        typer.Option(
            "--gold",
            help="Gold pairs to compare with: datasets or files, comma-separated. Their terms are used unless "
            "others are given.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Dataset folder.", show_default="HYPERDIVE_DATA, else a cache"),
    ] = None,
    json: JsonOption = False,
    force: ForceOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    """A tree of terms."""
    from hyperdive import load
    from hyperdive.discover.question import term_lines
    from hyperdive.errors import OutputError
    from hyperdive.taxonomy.formats import format_of
    from hyperdive.taxonomy.names import normal
    from hyperdive.taxonomy.terms import MAX_TERMS

    shown = reporter(progress)
    if output is not None and output.exists() and not force:
        raise OutputError(f"{output}: already exists", hint="add --force to replace it, or choose another -o")
    chosen = GraphFormat.json if json else format
    kind = chosen or GraphFormat.tree if output is None else format_of(output, chosen)
    naming = Naming(base, language, title)
    asked: Any = None if terms is None else term_lines(terms, most=MAX_TERMS)
    known = None
    if gold:
        from hyperdive.benchmark.gold_taxonomy import load_gold

        known = load_gold([name for one in gold for name in one.split(",") if name], data=data)
        if asked is None and root is None and top is None:
            asked = known.terms
    found = load(model).taxonomy(
        asked,
        root=root,
        top=top,
        levels=levels,
        min_children=min_children,
        max_children=max_children,
        min_confidence=min_confidence,
        score=score,
        parents=parents,
        heads=heads,
        evidence=2 if evidence else 0,
        corrections=corrections,
        progress=shown,
    )
    for note in found.notes:
        shown.note(note)
    if output is not None:
        found.write(output, kind, naming=naming, force=force)
        shown.note(f"{len(found.edges)} edges between {len(found)} terms written to {output}")
    if known is not None:
        edges = [(normal(edge.child), normal(edge.parent)) for edge in found]
        _agreement(known.compare(edges, {normal(term) for term in found.terms} - set(map(normal, found.unknown))), json)
    elif output is None:
        if kind == GraphFormat.tree:
            _print(found, evidence)
        else:
            write(found.to_text(kind, naming).rstrip("\n"))
    if not found.calibrated and output is None and kind == GraphFormat.tree and known is None:
        shown.note(f"the numbers are {found.score} scores, not confidences")


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
    """Print the agreement of the edges with known pairs."""
    if json:
        write_json(figures.as_json())
        return
    write(f"{figures.terms} terms have gold pairs; figures in per cent")
    write(f"{'':<40} precision  recall     F1")
    rows = (
        ("edges that are gold pairs", figures.edges),
        ("edges to a direct gold parent", figures.direct),
        ("transitive closure of the edges", figures.ancestors),
    )
    for name, one in rows:
        write(f"{name:<40} {100 * one.precision:9.1f} {100 * one.recall:7.1f} {100 * one.f1:6.1f}")
    write(f"{100 * figures.judged:.1f} % of the {figures.judged_edges} edges that the datasets label are correct")
