"""Taxonomies for the semantic web: SKOS and OWL as one RDF graph each, written as Turtle or as RDF/XML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from hyperdive.errors import OptionError

if TYPE_CHECKING:
    from hyperdive.taxonomy.taxonomy import Edge, Taxonomy

DEFAULT_BASE = "urn:hyperdive:term:"
DEFAULT_LANGUAGE = "en"
DEFAULT_TITLE = "Taxonomy"
_NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "hd": "urn:hyperdive:schema:",
}
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_NOTES = "en"  # notes are our own sentences, whatever the language of the terms


@dataclass(frozen=True)
class Iri:
    """A resource by its full name."""

    name: str


@dataclass(frozen=True)
class Schema:
    """A resource of a vocabulary by its short name, such as `skos:Concept`."""

    name: str


@dataclass(frozen=True)
class Literal:
    """A text with a language, or a value with an XML Schema type such as `xsd:integer`."""

    text: str
    language: str = ""
    datatype: str = ""


Value = Iri | Schema | Literal
Fact = tuple[str, Value]


@dataclass(frozen=True)
class Resource:
    """What is said of one subject, its type first; `name` None is a node without a name."""

    name: str | None
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Naming:
    """How terms are named and labelled.

    Args:
        base: What the names of terms begin with; the name of the whole, too.
        language: The language tag of labels, such as "en" or "de-AT".
        title: The title of the whole.

    >>> Naming(base="urn:x:").iri('hot "dog"')
    Iri(name='urn:x:hot%20%22dog%22')
    >>> Naming(language="no such")
    Traceback (most recent call last):
    hyperdive.errors.OptionError: 'no such' is no language tag (use one such as en, de or pt-BR)
    """

    base: str = DEFAULT_BASE
    language: str = DEFAULT_LANGUAGE
    title: str = DEFAULT_TITLE

    def __post_init__(self) -> None:
        base = self.base
        if not base or any(ord(sign) <= 0x20 or sign in '<>"{}|^`\\' for sign in base) or ":" not in base:
            raise OptionError(
                f"{base!r} cannot be the start of an IRI", hint="use an address such as https://example.org/pets/"
            )
        if not _LANGUAGE_TAG.fullmatch(self.language):
            raise OptionError(f"{self.language!r} is no language tag", hint="use one such as en, de or pt-BR")
        if not self.title.strip():
            raise OptionError("the title is empty", hint="leave --title out, or name one")

    def iri(self, term: str) -> Iri:
        """The name of a term: everything but plain letters, digits and - . _ ~ by its bytes."""
        return Iri(f"{self.base}{quote(term.encode('utf-8', errors='replace'), safe='')}")

    def label(self, text: str) -> Literal:
        """A text in the language of the terms."""
        return Literal(text, language=self.language)


# ---- graphs -------------------------------------------------------------------------------------------------------


def skos(taxonomy: Taxonomy, naming: Naming) -> list[Resource]:
    """A concept scheme; terms that are not placed are concepts without a place, with a note that says so."""
    scheme = Iri(naming.base)
    unplaced = set(taxonomy.unplaced)
    tops = [term for term in taxonomy.roots if term not in unplaced]
    graph = [
        Resource(
            naming.base,
            (
                ("rdf:type", Schema("skos:ConceptScheme")),
                ("dcterms:title", naming.label(naming.title)),
                *(("skos:hasTopConcept", naming.iri(term)) for term in tops),
            ),
        )
    ]
    top = set(tops)
    for term in taxonomy.terms:
        facts: list[Fact] = [
            ("rdf:type", Schema("skos:Concept")),
            ("skos:prefLabel", naming.label(term)),
            *(("skos:altLabel", naming.label(name)) for name in taxonomy.synonyms.get(term, ())),
            ("skos:inScheme", scheme),
        ]
        for edge in taxonomy.edges_above(term):
            facts += [
                ("skos:broader", naming.iri(edge.parent)),
                ("skos:note", Literal(_reading(taxonomy, edge), language=_NOTES)),
            ]
        facts += [("skos:narrower", naming.iri(child)) for child in taxonomy.children(term)]
        if term in top:
            facts.append(("skos:topConceptOf", scheme))
        if term in unplaced:
            facts += [("skos:note", Literal("not placed", language=_NOTES)), _NOT_PLACED]
        graph.append(Resource(naming.iri(term).name, tuple(facts)))
    for edge in taxonomy.edges:
        about = (
            ("rdf:type", Schema("rdf:Statement")),
            ("rdf:subject", naming.iri(edge.child)),
            ("rdf:predicate", Schema("skos:broader")),
            ("rdf:object", naming.iri(edge.parent)),
        )
        graph.append(Resource(None, (*about, *_edge_facts(taxonomy, edge))))
    return graph


def owl(taxonomy: Taxonomy, naming: Naming) -> list[Resource]:
    """An ontology of classes; confidence and evidence of an edge annotate its axiom."""
    graph = [
        Resource(
            naming.base,
            (("rdf:type", Schema("owl:Ontology")), ("dcterms:title", naming.label(naming.title))),
        )
    ]
    own = (taxonomy.measure, "statements", "reason", "sentence", "placed")
    for name in ("dcterms:title", "skos:altLabel", *(f"hd:{name}" for name in own)):
        graph.append(Resource(_full(name), (("rdf:type", Schema("owl:AnnotationProperty")),)))
    unplaced = set(taxonomy.unplaced)
    for term in taxonomy.terms:
        facts: list[Fact] = [
            ("rdf:type", Schema("owl:Class")),
            ("rdfs:label", naming.label(term)),
            *(("skos:altLabel", naming.label(name)) for name in taxonomy.synonyms.get(term, ())),
            *(("rdfs:subClassOf", naming.iri(parent)) for parent in taxonomy.parents(term)),
        ]
        if term in unplaced:
            facts += [("rdfs:comment", Literal("not placed", language=_NOTES)), _NOT_PLACED]
        graph.append(Resource(naming.iri(term).name, tuple(facts)))
    for edge in taxonomy.edges:
        about = (
            ("rdf:type", Schema("owl:Axiom")),
            ("owl:annotatedSource", naming.iri(edge.child)),
            ("owl:annotatedProperty", Schema("rdfs:subClassOf")),
            ("owl:annotatedTarget", naming.iri(edge.parent)),
        )
        graph.append(Resource(None, (*about, *_edge_facts(taxonomy, edge))))
    return graph


_NOT_PLACED: Fact = ("hd:placed", Literal("false", datatype="xsd:boolean"))


def _edge_facts(taxonomy: Taxonomy, edge: Edge) -> list[Fact]:
    facts: list[Fact] = []
    if edge.value is not None:
        facts.append((f"hd:{taxonomy.measure}", Literal(f"{edge.value:.6f}", datatype="xsd:decimal")))
    facts += [
        ("hd:statements", Literal(str(edge.statements), datatype="xsd:integer")),
        ("hd:reason", Literal(edge.reason)),
    ]
    return facts + [("hd:sentence", Literal(one.sentence)) for one in edge.evidence]


def _reading(taxonomy: Taxonomy, edge: Edge) -> str:
    """An edge for people: "animal: confidence 0.91, stated 12 times"."""
    parts = [] if edge.value is None else [f"{taxonomy.measure} {edge.value:.3g}"]
    parts += [] if edge.reason == "model" else [edge.reason]
    parts += [f"stated {edge.statements} time{'' if edge.statements == 1 else 's'}"] if edge.statements else []
    return f"{edge.parent}: {', '.join(parts)}"


def _full(name: str) -> str:
    prefix, _, local = name.partition(":")
    return _NAMESPACES[prefix] + local


# ---- Turtle -------------------------------------------------------------------------------------------------------


def turtle(graph: Iterable[Resource]) -> str:
    """A graph as Turtle.

    >>> print(turtle([Resource("urn:x:dog", (("rdf:type", Schema("owl:Class")),))]).splitlines()[-1])
    <urn:x:dog> a owl:Class .
    """
    parts = ["".join(f"@prefix {prefix}: <{name}> .\n" for prefix, name in _NAMESPACES.items())]
    for resource in graph:
        facts = " ;\n    ".join(
            f"{'a' if predicate == 'rdf:type' else predicate} {_turtle_value(value)}"
            for predicate, value in resource.facts
        )
        subject = "[]" if resource.name is None else f"<{resource.name}>"
        parts.append(f"{subject} {facts} .\n")
    return "\n".join(parts)


def _turtle_value(value: Value) -> str:
    if isinstance(value, Iri):
        return f"<{value.name}>"
    if isinstance(value, Schema):
        return value.name
    if value.datatype:
        return value.text  # numbers and truth values are literals of Turtle itself
    return _turtle_text(value.text) + (f"@{value.language}" if value.language else "")


def _turtle_text(text: str) -> str:
    """A Turtle string; invisible characters are written by their number.

    >>> _turtle_text('a "b" \\x1b')
    '"a \\\\"b\\\\" \\\\u001B"'
    """
    signs = []
    for sign in _encodable(text):
        if sign in '"\\':
            signs.append(f"\\{sign}")
        elif sign.isprintable():
            signs.append(sign)
        else:
            signs.append(f"\\U{ord(sign):08X}" if ord(sign) > 0xFFFF else f"\\u{ord(sign):04X}")
    return f'"{"".join(signs)}"'


def _encodable(text: str) -> str:
    """Text without half pairs of surrogates, which have no bytes in UTF-8."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


# ---- RDF/XML ------------------------------------------------------------------------------------------------------


def rdf_xml(graph: Iterable[Resource]) -> str:
    """A graph as RDF/XML, which every ontology editor reads.

    >>> print(rdf_xml([Resource("urn:x:a&b", (("rdf:type", Schema("owl:Class")),))]).splitlines()[-2])
      <owl:Class rdf:about="urn:x:a&amp;b"/>
    """
    spaces = "".join(f'\n    xmlns:{prefix}="{name}"' for prefix, name in _NAMESPACES.items())
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<rdf:RDF{spaces}>"]
    for resource in graph:
        (_, kind), *facts = resource.facts
        assert isinstance(kind, Schema)
        about = "" if resource.name is None else f' rdf:about="{xml_text(resource.name)}"'
        if not facts:
            lines.append(f"  <{kind.name}{about}/>")
            continue
        lines += [f"  <{kind.name}{about}>", *(f"    {_xml_fact(*fact)}" for fact in facts), f"  </{kind.name}>"]
    return "\n".join([*lines, "</rdf:RDF>"]) + "\n"


def _xml_fact(predicate: str, value: Value) -> str:
    if isinstance(value, Iri | Schema):
        name = value.name if isinstance(value, Iri) else _full(value.name)
        return f'<{predicate} rdf:resource="{xml_text(name)}"/>'
    kind = f' rdf:datatype="{_full(value.datatype)}"' if value.datatype else ""
    kind = f' xml:lang="{value.language}"' if value.language else kind
    return f"<{predicate}{kind}>{xml_text(value.text)}</{predicate}>"


def xml_text(text: str) -> str:
    """Text inside XML: what XML gives a meaning to escaped, unseen characters by their number.

    XML cannot hold most control characters in any way; they become U+FFFD.

    >>> xml_text('<b> & "c" \\x1b\\u200d')
    '&lt;b&gt; &amp; &quot;c&quot; \ufffd&#x200D;'
    """
    signs = []
    for sign in _encodable(text):
        if sign in _XML_ESCAPES:
            signs.append(_XML_ESCAPES[sign])
        elif (ord(sign) < 0x20 and sign not in "\t\n\r") or sign in "\ufffe\uffff":
            signs.append("\ufffd")
        else:
            signs.append(sign if sign.isprintable() else f"&#x{ord(sign):X};")
    return "".join(signs)


_XML_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
