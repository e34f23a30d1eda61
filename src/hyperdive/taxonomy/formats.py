"""A taxonomy for people and for other programs: tree, JSON, TSV, Graphviz, GraphML, SKOS, OWL, Mermaid.

Terms may hold anything a text holds, so every writer escapes what its format gives a meaning to. Edges always go from
the narrower term to the broader one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from hyperdive.errors import OptionError, one_line

if TYPE_CHECKING:
    from hyperdive.taxonomy.taxonomy import Edge, Taxonomy

DEFAULT_BASE = "urn:hyperdive:term:"
_OWN = "urn:hyperdive:schema:"


class GraphFormat(StrEnum):
    """How a taxonomy is written."""

    tree = "tree"
    json = "json"
    tsv = "tsv"
    dot = "dot"
    graphml = "graphml"
    skos = "skos"
    owl = "owl"
    mermaid = "mermaid"


_ENDINGS = {
    ".txt": "tree",
    ".json": "json",
    ".tsv": "tsv",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".ttl": "skos",
    ".owl": "owl",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
}


def format_of(path: str | Path) -> str:
    """The format that the ending of a file's name tells.

    >>> format_of("pets.ttl"), format_of("pets.gv")
    ('skos', 'dot')
    """
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise OptionError(
            f"{path}: its ending tells no format", hint=f"name one with --format: {', '.join(GraphFormat)}"
        )
    return _ENDINGS[ending]


def render(taxonomy: Taxonomy, format: str, *, base: str = DEFAULT_BASE) -> str:
    """The text of a taxonomy in a format; `base` is what the names of terms in SKOS and OWL begin with."""
    if format not in set(GraphFormat):
        raise OptionError(f"{format!r} is no format", hint=f"use one of {', '.join(GraphFormat)}")
    if format in ("skos", "owl"):
        if not base or any(ord(sign) <= 0x20 or sign in '<>"{}|^`\\' for sign in base) or ":" not in base:
            raise OptionError(f"{base!r} cannot begin a name", hint="use an address such as https://example.org/pets/")
        return (_skos if format == "skos" else _owl)(taxonomy, base)
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

    A term with several parents is shown under each and opened under the first. Terms that stand alone come last.
    """
    alone = [term for term in taxonomy.roots if not taxonomy.sizes[term]]
    several = len(alone) > 5
    opened: set[str] = set()
    stack: list[tuple[str, Edge | None, str, str]] = [
        (term, None, "", "") for term in reversed(taxonomy.roots) if not several or taxonomy.sizes[term]
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
            last = place == 0
            stack.append(
                (
                    child.child,
                    child,
                    under + ("└── " if last else "├── "),
                    under + ("    " if last else "│   "),
                )
            )
    if several:
        yield [Part(f"{len(alone)} terms stand alone: ", "note"), Part(one_line(", ".join(alone)), "term")]


def _tsv(taxonomy: Taxonomy) -> str:
    """The table of edges; a term without a parent or a child has a line with an empty parent."""
    text = taxonomy.edges.to_tsv()
    joined = {term for edge in taxonomy.edges for term in (edge.child, edge.parent)}
    blank = "\t" * (len(taxonomy.edges.columns) - 1)
    return text + "".join(f"{one_line(term)}{blank}\n" for term in taxonomy.terms if term not in joined)


# ---- for graph programs -------------------------------------------------------------------------------------------


def _measure(taxonomy: Taxonomy) -> str:
    return "confidence" if taxonomy.calibrated else "score"


def _numbers(taxonomy: Taxonomy) -> dict[str, str]:
    return {term: f"n{place}" for place, term in enumerate(taxonomy.terms)}


def _dot(taxonomy: Taxonomy) -> str:
    node = _numbers(taxonomy)
    lines = ["digraph taxonomy {", "  rankdir=BT;", "  node [shape=box, style=rounded];"]
    for term in taxonomy.terms:
        style = ', style="rounded,dashed"' if term in taxonomy.added else ""
        lines.append(f"  {node[term]} [label={_dot_text(term)}{style}];")
    for edge in taxonomy.edges:
        facts = f'statements="{edge.statements}", reason="{edge.reason}"'
        if edge.value is not None:
            facts = f'{_measure(taxonomy)}="{edge.value:.6g}", {facts}'
        lines.append(f"  {node[edge.child]} -> {node[edge.parent]} [{facts}];")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_text(text: str) -> str:
    # a backslash starts an escape of Graphviz (\N, \l), so it is doubled like a quote
    return '"' + _printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _printable(text: str) -> str:
    """Without control characters, which neither XML nor Graphviz can hold, and half pairs of surrogates."""
    return "".join(sign if sign.isprintable() or sign == " " else "\ufffd" for sign in text)


def _xml(text: str) -> str:
    clean = _printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return "".join("\ufffd" if ord(sign) in (0xFFFE, 0xFFFF) else sign for sign in clean)


def _graphml(taxonomy: Taxonomy) -> str:
    node, measure = _numbers(taxonomy), _measure(taxonomy)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="label" for="node" attr.name="label" attr.type="string"/>',
        '  <key id="added" for="node" attr.name="added" attr.type="boolean"/>',
        f'  <key id="{measure}" for="edge" attr.name="{measure}" attr.type="double"/>',
        '  <key id="statements" for="edge" attr.name="statements" attr.type="long"/>',
        '  <key id="reason" for="edge" attr.name="reason" attr.type="string"/>',
        '  <graph id="taxonomy" edgedefault="directed">',
    ]
    for term in taxonomy.terms:
        added = '<data key="added">true</data>' if term in taxonomy.added else ""
        lines.append(f'    <node id="{node[term]}"><data key="label">{_xml(term)}</data>{added}</node>')
    for edge in taxonomy.edges:
        facts = f'<data key="statements">{edge.statements}</data><data key="reason">{edge.reason}</data>'
        if edge.value is not None:
            facts = f'<data key="{measure}">{edge.value:.6g}</data>{facts}'
        lines.append(f'    <edge source="{node[edge.child]}" target="{node[edge.parent]}">{facts}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def _mermaid(taxonomy: Taxonomy) -> str:
    node = _numbers(taxonomy)
    lines = ["graph BT"]
    lines += [f'  {node[term]}["{_mermaid_text(term)}"]' for term in taxonomy.terms]
    lines += [f"  {node[edge.child]} --> {node[edge.parent]}" for edge in taxonomy.edges]
    return "\n".join(lines) + "\n"


def _mermaid_text(text: str) -> str:
    # letters, digits and blanks are themselves; every other sign goes by its number, which Mermaid never interprets
    return "".join(sign if sign.isalnum() or sign in " -,." else f"#{ord(sign)};" for sign in _printable(text))


# ---- for the semantic web -----------------------------------------------------------------------------------------


def _iri(base: str, term: str) -> str:
    """A name for a term: everything but plain letters, digits and - . _ ~ by its bytes.

    >>> _iri("urn:x:", 'hot "dog"')
    '<urn:x:hot%20%22dog%22>'
    """
    return f"<{base}{quote(term.encode('utf-8', errors='replace'), safe='')}>"


def _literal(text: str) -> str:
    """A Turtle string; control characters by their number.

    >>> _literal('a "b" \\x1b')
    '"a \\\\"b\\\\" \\\\u001B"'
    """
    signs = []
    for sign in text.encode("utf-8", errors="replace").decode("utf-8"):
        if sign in '"\\':
            signs.append(f"\\{sign}")
        else:
            signs.append(
                sign if sign.isprintable() else f"\\U{ord(sign):08X}" if ord(sign) > 0xFFFF else f"\\u{ord(sign):04X}"
            )
    return f'"{"".join(signs)}"'


def _facts(taxonomy: Taxonomy, edge: Edge) -> list[str]:
    facts = [] if edge.value is None else [f"hd:{_measure(taxonomy)} {edge.value:.6f}"]
    facts += [f"hd:statements {edge.statements}", f"hd:reason {_literal(edge.reason)}"]
    return facts + [f"hd:sentence {_literal(one.sentence)}" for one in edge.evidence]


def _turtle(subject: str, facts: list[str]) -> str:
    joined = " ;\n    ".join(facts)
    return f"{subject} {joined} .\n"


def _skos(taxonomy: Taxonomy, base: str) -> str:
    scheme = f"<{base}>"
    parts = [
        "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        f"@prefix hd: <{_OWN}> .\n",
        _turtle(scheme, ["a skos:ConceptScheme", *(f"skos:hasTopConcept {_iri(base, t)}" for t in taxonomy.roots)]),
    ]
    for term in taxonomy.terms:
        facts = ["a skos:Concept", f"skos:prefLabel {_literal(term)}", f"skos:inScheme {scheme}"]
        facts += [f"skos:broader {_iri(base, parent)}" for parent in taxonomy.parents(term)]
        facts += [f"skos:narrower {_iri(base, child)}" for child in taxonomy.children(term)]
        facts += [] if taxonomy.parents(term) else [f"skos:topConceptOf {scheme}"]
        parts.append(_turtle(_iri(base, term), facts))
    for edge in taxonomy.edges:
        about = [
            "a rdf:Statement",
            f"rdf:subject {_iri(base, edge.child)}",
            "rdf:predicate skos:broader",
            f"rdf:object {_iri(base, edge.parent)}",
        ]
        parts.append(_turtle("[]", about + _facts(taxonomy, edge)))
    return "\n".join(parts)


def _owl(taxonomy: Taxonomy, base: str) -> str:
    parts = [
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        f"@prefix hd: <{_OWN}> .\n",
        f"<{base}> a owl:Ontology .\n",
    ]
    for name in (_measure(taxonomy), "statements", "reason", "sentence"):
        parts.append(f"hd:{name} a owl:AnnotationProperty .\n")
    for term in taxonomy.terms:
        facts = ["a owl:Class", f"rdfs:label {_literal(term)}"]
        facts += [f"rdfs:subClassOf {_iri(base, parent)}" for parent in taxonomy.parents(term)]
        parts.append(_turtle(_iri(base, term), facts))
    for edge in taxonomy.edges:
        about = [
            "a owl:Axiom",
            f"owl:annotatedSource {_iri(base, edge.child)}",
            "owl:annotatedProperty rdfs:subClassOf",
            f"owl:annotatedTarget {_iri(base, edge.parent)}",
        ]
        parts.append(_turtle("[]", about + _facts(taxonomy, edge)))
    return "\n".join(parts)
