"""A taxonomy for people and for other programs: tree, JSON, TSV, Graphviz, GraphML, SKOS, OWL, Mermaid.

Terms may hold anything a text holds, so every writer escapes what its format gives a meaning to. Edges always go from
the narrower term to the broader one. Terms that are in no edge are written, too, and marked as not placed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from hyperdive.errors import OptionError, one_line
from hyperdive.taxonomy.rdf import Naming, render_rdf

if TYPE_CHECKING:
    from hyperdive.taxonomy.taxonomy import Edge, Taxonomy


GraphFormat = Literal[
    "tree", "json", "tsv", "dot", "graphml", "skos", "skos-ttl", "skos-xml", "owl", "owl-ttl", "owl-xml", "mermaid"
]
"""How a taxonomy is written; `skos` and `owl` leave it to the ending of the file whether in Turtle or RDF/XML."""
FORMATS: tuple[str, ...] = get_args(GraphFormat)


_ENDINGS = {
    ".txt": "tree",
    ".json": "json",
    ".tsv": "tsv",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".ttl": "skos-ttl",
    ".owl": "owl-xml",
    ".rdf": "owl-xml",
    ".xml": "owl-xml",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
}
SYNTAX = {"skos": "skos-ttl", "owl": "owl-xml"}
"""The format that stands for a vocabulary where no file says otherwise."""
_RDF_ENDINGS = {".ttl": "ttl", ".owl": "xml", ".rdf": "xml", ".xml": "xml"}


def format_of(path: str | Path, format: str | None = None) -> str:
    """The format given by the ending of a file's name, or more exactly than `format` gives it.

    >>> format_of("pets.ttl"), format_of("pets.owl"), format_of("pets.ttl", "owl"), format_of("pets.txt", "owl")
    ('skos-ttl', 'owl-xml', 'owl-ttl', 'owl-xml')
    """
    ending = Path(path).suffix.lower()
    if format in SYNTAX and ending in _RDF_ENDINGS:
        return f"{format}-{_RDF_ENDINGS[ending]}"
    if format is not None:
        return SYNTAX.get(format, format)
    if ending not in _ENDINGS:
        raise OptionError(f"{path}: unknown file extension", hint=f"name one with --format: {', '.join(FORMATS)}")
    return _ENDINGS[ending]


def render(taxonomy: Taxonomy, format: str, naming: Naming | None = None) -> str:
    """The text of a taxonomy in a format; `naming` is how SKOS and OWL name and label terms."""
    if format not in FORMATS:
        raise OptionError(f"unknown format {format!r}", hint=f"use one of {', '.join(FORMATS)}")
    vocabulary, _, syntax = SYNTAX.get(format, format).partition("-")
    if syntax:
        return render_rdf(taxonomy, vocabulary, syntax, naming or Naming())
    writers: dict[str, Callable[[Taxonomy], str]] = {
        "tree": lambda one: f"{one}\n",
        "json": lambda one: json.dumps(one.to_dict(), indent=2, ensure_ascii=False) + "\n",
        "tsv": _tsv,
        "dot": _dot,
        "graphml": _graphml,
        "mermaid": _mermaid,
    }
    return writers[format](taxonomy)


# ---- for people ---------------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """A piece of a line; `kind` is line, term, added, value, note or sentence."""

    text: str
    kind: str


def tree_lines(taxonomy: Taxonomy, *, sentences: bool = False) -> Iterator[list[Part]]:
    """The tree line by line, in pieces that a terminal may colour.

    A term with several parents is shown under each and opened under the first. Terms that are not placed come last.
    """
    opened: set[str] = set()
    stack: list[tuple[str, Edge | None, str, str]] = [
        (term, None, "", "") for term in reversed(taxonomy.roots) if taxonomy.sizes[term]
    ]
    while stack:
        term, edge, lead, under = stack.pop()
        line = [Part(lead, "line"), Part(one_line(term), "added" if term in taxonomy.added else "term")]
        if edge is not None:
            if edge.value is not None and (taxonomy.calibrated or edge.reason == "model"):
                shown = f"{edge.value:.2f}" if taxonomy.calibrated else f"{edge.value:.3g}"
                line.append(Part(f"  {shown}", "value"))
            facts = [edge.reason] if edge.reason != "model" else []
            facts += [f"said {edge.statements} time{'' if edge.statements == 1 else 's'}"] if edge.statements else []
            if facts:
                line.append(Part(f"  {', '.join(facts)}", "note"))
        below = taxonomy.edges_below(term)
        if term in opened and below:
            line.append(Part("  (see above)", "note"))
            below = []
        opened.add(term)
        yield [part for part in line if part.text]
        if sentences and edge is not None:
            gap = "│   " if below else "    "
            for one in edge.evidence:
                yield [Part(f"{under}{gap}", "line"), Part(f"“{one_line(one.sentence)}”", "sentence")]
        for place, child in enumerate(reversed(below)):
            signs = ("├── ", "│   ") if place else ("└── ", "    ")
            stack.append((child.child, child, under + signs[0], under + signs[1]))
    unplaced = taxonomy.unplaced
    if unplaced:
        count = "1 term is" if len(unplaced) == 1 else f"{len(unplaced)} terms are"
        yield [Part(f"{count} not placed: ", "note"), Part(one_line(", ".join(unplaced)), "term")]


def html_tree(taxonomy: Taxonomy) -> str:
    """Return the lines of the tree as nested lists of HTML; whatever the terms hold is escaped."""
    page: list[str] = []
    depth, unplaced = 0, ""
    for line in tree_lines(taxonomy):
        text = escape("".join(part.text for part in line if part.kind != "line"))
        if line[0].kind == "note":
            unplaced = f"<p>{text}</p>"
            continue
        level = 1 + (len(line[0].text) // 4 if line[0].kind == "line" else 0)
        page.append("<ul>" if level > depth else "</li>" + "</ul></li>" * (depth - level))
        page.append(f"<li>{text}")
        depth = level
    return "".join(page) + "</li></ul>" * depth + unplaced


def _tsv(taxonomy: Taxonomy) -> str:
    """The table of edges, which `--corrections` reads back; a term that is not placed has a line without a parent."""
    columns = taxonomy.edges.columns
    rows = [columns, *(tuple(getattr(edge, name) for name in columns) for edge in taxonomy.edges)]
    rows += [(term, *[None] * (len(columns) - 2), "unplaced") for term in taxonomy.unplaced]
    return "".join("\t".join(map(_cell, row)) + "\n" for row in rows)


def _cell(value: object) -> str:
    """A cell of a table; quoted where it has a quote, as spreadsheets expect, or would begin a remark.

    >>> print(_cell('say "hi"'), _cell("#1"), _cell("dog"))
    "say ""hi\""" "#1" dog
    """
    text = "" if value is None else one_line(str(value))
    return '"' + text.replace('"', '""') + '"' if '"' in text or text.startswith("#") else text


# ---- for graph programs -------------------------------------------------------------------------------------------


def _facts(taxonomy: Taxonomy, edge: Edge) -> dict[str, object]:
    measured = {} if edge.value is None else {taxonomy.measure: f"{edge.value:.6g}"}
    return {**measured, "statements": edge.statements, "reason": edge.reason}


def _numbers(taxonomy: Taxonomy) -> dict[str, str]:
    return {term: f"n{place}" for place, term in enumerate(taxonomy.terms)}


def _dot(taxonomy: Taxonomy) -> str:
    node = _numbers(taxonomy)
    lines = ["digraph taxonomy {", "  rankdir=BT;", "  node [shape=box, style=rounded];"]
    unplaced = set(taxonomy.unplaced)
    for term in taxonomy.terms:
        style = ', style="rounded,dashed"' if term in taxonomy.added else ""
        style += ', style="rounded,dotted", placed="false"' if term in unplaced else ""
        lines.append(f"  {node[term]} [label={_dot_text(term)}{style}];")
    for edge in taxonomy.edges:
        facts = ", ".join(f'{name}="{value}"' for name, value in _facts(taxonomy, edge).items())
        lines.append(f"  {node[edge.child]} -> {node[edge.parent]} [{facts}];")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_text(text: str) -> str:
    # a backslash starts an escape of Graphviz (\N, \l), so it is doubled like a quote
    return '"' + _printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _printable(text: str) -> str:
    """Without invisible characters, which Graphviz cannot hold, and half pairs of surrogates."""
    return "".join(sign if sign.isprintable() or sign == " " else "\ufffd" for sign in text)


def _graphml(taxonomy: Taxonomy) -> str:
    node, measure = _numbers(taxonomy), taxonomy.measure
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="label" for="node" attr.name="label" attr.type="string"/>',
        '  <key id="added" for="node" attr.name="added" attr.type="boolean"/>',
        '  <key id="placed" for="node" attr.name="placed" attr.type="boolean"/>',
        f'  <key id="{measure}" for="edge" attr.name="{measure}" attr.type="double"/>',
        '  <key id="statements" for="edge" attr.name="statements" attr.type="long"/>',
        '  <key id="reason" for="edge" attr.name="reason" attr.type="string"/>',
        '  <graph id="taxonomy" edgedefault="directed">',
    ]
    unplaced = set(taxonomy.unplaced)
    for term in taxonomy.terms:
        marks = '<data key="added">true</data>' if term in taxonomy.added else ""
        marks += '<data key="placed">false</data>' if term in unplaced else ""
        lines.append(f'    <node id="{node[term]}"><data key="label">{_xml_text(term)}</data>{marks}</node>')
    for edge in taxonomy.edges:
        facts = "".join(f'<data key="{name}">{value}</data>' for name, value in _facts(taxonomy, edge).items())
        lines.append(f'    <edge source="{node[edge.child]}" target="{node[edge.parent]}">{facts}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def _xml_text(text: str) -> str:
    """Escape text for XML; characters that XML cannot hold become U+FFFD, invisible ones are written by number."""
    signs = []
    for sign in text.encode("utf-8", errors="replace").decode("utf-8"):
        if (ord(sign) < 0x20 and sign not in "\t\n\r") or sign in "\ufffe\uffff":
            signs.append("\ufffd")
        else:
            signs.append(escape(sign) if sign.isprintable() else f"&#x{ord(sign):X};")
    return "".join(signs)


def _mermaid(taxonomy: Taxonomy) -> str:
    node = _numbers(taxonomy)
    lines = ["graph BT"]
    lines += [f'  {node[term]}["{_mermaid_text(term)}"]' for term in taxonomy.terms]
    lines += [f"  {node[edge.child]} --> {node[edge.parent]}" for edge in taxonomy.edges]
    if taxonomy.unplaced:
        lines += ["  classDef unplaced stroke-dasharray: 3 3"]
        lines += [f"  class {','.join(node[term] for term in taxonomy.unplaced)} unplaced"]
    return "\n".join(lines) + "\n"


def _mermaid_text(text: str) -> str:
    # letters, digits and blanks are themselves; every other sign goes by its number, which Mermaid never interprets
    return "".join(sign if sign.isalnum() or sign in " -,." else f"#{ord(sign)};" for sign in _printable(text))
