"""The taxonomy command."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperdive.cli.output import (
    DATA,
    DEFAULT_MODEL,
    FORCE,
    MODEL,
    ProgressOptions,
    split_names,
    write,
    write_json,
)
from hyperdive.errors import OutputError
from hyperdive.options import option
from hyperdive.taxonomy.formats import GraphFormat
from hyperdive.taxonomy.options import TaxonomyOptions
from hyperdive.taxonomy.rdf import DEFAULT_BASE, DEFAULT_LANGUAGE, DEFAULT_TITLE, Naming


@dataclass(frozen=True, kw_only=True)
class TaxonomyCommand(TaxonomyOptions, ProgressOptions):
    """Options of `hyperdive taxonomy`."""

    model: str = option(DEFAULT_MODEL, MODEL)
    terms: Path | None = option(None, "File of terms, one per line.")
    corrections: Path | None = option(
        None, "Tab-separated corrections: force or forbid, child, parent; or an edited taxonomy (--format tsv)."
    )
    evidence: bool = option(False, "Show the sentences that state each edge, if the model has them.")
    format: GraphFormat | None = option(None, "Output format; by default tree, or by the extension of -o.")
    output: Path | None = option(None, "Output file, by default standard output.")
    base: str = option(DEFAULT_BASE, "IRI prefix of terms in SKOS and OWL.", rare=True)
    language: str = option(DEFAULT_LANGUAGE, "Language tag of labels in SKOS and OWL, such as en or de-AT.", rare=True)
    title: str = option(DEFAULT_TITLE, "Title of the taxonomy in SKOS and OWL.", rare=True)
    gold: tuple[str, ...] = option(
        (),
        "Gold pairs to compare with: datasets or files, comma-separated. Their terms are used unless others are given.",
        rare=True,
    )
    data: Path | None = option(None, DATA, rare=True)
    json: bool = option(False, "The same as --format json; with gold pairs, the figures as JSON.")
    force: bool = option(False, FORCE)


def taxonomy(*, options: TaxonomyCommand) -> None:
    """Build a taxonomy: an acyclic is-a tree over terms, with a confidence and signals for every edge.

    The terms are your own (--terms), those found under a root word (--root animal), or the most useful words of the
    model (--top 500). Terms with no parent above the threshold become roots. The number after a term is the confidence
    that it is a kind of its parent (or a score, if the model has no patterns). With gold pairs (--set gold=NAME) the
    edges are compared with them, and precision, recall and F1 are printed instead of the tree.
    """
    from hyperdive import load
    from hyperdive.ask.question import normal, term_lines
    from hyperdive.taxonomy.formats import format_of
    from hyperdive.taxonomy.terms import MAX_TERMS

    shown, output = options.shown, options.output
    if output is not None and output.exists() and not options.force:
        raise OutputError(f"{output}: already exists", hint="add --force to replace it, or choose another -o")
    chosen = "json" if options.json else options.format
    kind = chosen or "tree" if output is None else format_of(output, chosen)
    naming = Naming(options.base, options.language, options.title)
    terms: Any = None if options.terms is None else term_lines(options.terms, most=MAX_TERMS)
    known = None
    if options.gold:
        from hyperdive.benchmark.gold_taxonomy import load_gold

        known = load_gold(split_names(options.gold), data=options.data)
        if terms is None and options.root is None and options.top is None:
            terms = known.terms
    tree = load(options.model).taxonomy(
        terms,
        **TaxonomyOptions.own(vars(options)) | {"evidence": 2 if options.evidence else 0},
        corrections=options.corrections,
        progress=shown,
    )
    for note in tree.notes:
        shown.note(note)
    if output is not None:
        tree.write(output, kind, naming=naming, force=options.force)
        shown.note(f"{len(tree.edges)} edges between {len(tree)} terms written to {output}")
    if known is not None:
        edges = [(normal(edge.child), normal(edge.parent)) for edge in tree]
        found = {normal(term) for term in tree.terms} - set(map(normal, tree.unknown))
        _print_agreement(known.compare(edges, found), options.json)
    elif output is None:
        if kind == "tree":
            print_tree(tree, evidence=options.evidence)
        else:
            write(tree.to_text(kind, naming).rstrip("\n"))
    if not tree.calibrated and output is None and kind == "tree" and known is None:
        shown.note(f"the numbers are {tree.score} scores, not confidences")


_STYLES = {"line": "dim", "term": "", "added": "italic", "value": "cyan", "note": "dim", "sentence": "dim italic"}


def print_tree(tree: Any, *, evidence: bool = False) -> None:
    """Print a taxonomy, in colour in a terminal."""
    from hyperdive.taxonomy.formats import tree_lines

    lines = tree_lines(tree, sentences=evidence)
    if not sys.stdout.isatty():
        for line in lines:
            write("".join(part.text for part in line))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((part.text, _STYLES[part.kind]) for part in line)))


def _print_agreement(figures: Any, json: bool) -> None:
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
