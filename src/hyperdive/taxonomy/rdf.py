"""Taxonomies for the semantic web: SKOS and OWL as Turtle or RDF/XML, written by rdflib."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from hyperdive.errors import OptionError

if TYPE_CHECKING:
    from rdflib import Graph, Literal, URIRef
    from rdflib.term import Node

    from hyperdive.taxonomy.taxonomy import Edge, Taxonomy

DEFAULT_BASE = "urn:hyperdive:term:"
DEFAULT_LANGUAGE = "en"
DEFAULT_TITLE = "Taxonomy"
SCHEMA = "urn:hyperdive:schema:"
"""Namespace of the properties of edges: confidence (or score), statements, reason, sentence, placed."""
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_NOTES = "en"  # notes are written by the program, whatever the language of the terms


@dataclass(frozen=True)
class Naming:
    """How terms are named and labelled.

    Args:
        base: The start of every term's IRI, and the IRI of the scheme.
        language: The language tag of labels, such as "en" or "de-AT".
        title: The title of the scheme.

    >>> Naming(base="urn:x:").iri('hot "dog"')
    'urn:x:hot%20%22dog%22'
    >>> Naming(language="no such")
    Traceback (most recent call last):
    hyperdive.errors.OptionError: 'no such' is not a language tag (use one such as en, de or pt-BR)
    """

    base: str = DEFAULT_BASE
    language: str = DEFAULT_LANGUAGE
    title: str = DEFAULT_TITLE

    def __post_init__(self) -> None:
        base = self.base
        if (
            not base
            or any(ord(character) <= 0x20 or character in '<>"{}|^`\\' for character in base)
            or ":" not in base
        ):
            raise OptionError(
                f"{base!r} cannot be the start of an IRI", hint="use an address such as https://example.org/pets/"
            )
        if not _LANGUAGE_TAG.fullmatch(self.language):
            raise OptionError(f"{self.language!r} is not a language tag", hint="use one such as en, de or pt-BR")
        if not self.title.strip():
            raise OptionError("the title is empty", hint="leave --title out, or name one")

    def iri(self, term: str) -> str:
        """Return the IRI of a term: everything but plain letters, digits and - . _ ~ is percent-encoded."""
        return f"{self.base}{quote(term.encode('utf-8', errors='replace'), safe='')}"


def render_rdf(taxonomy: Taxonomy, vocabulary: str, syntax: str, naming: Naming) -> str:
    """Return a taxonomy as `skos` or `owl` in the syntax `ttl` or `xml`.

    >>> from hyperdive.taxonomy.taxonomy import Edge, Taxonomy
    >>> pets = Taxonomy(["animal", "dog"], [Edge("dog", "animal", 0.9, 0.9, 3, "model")])
    >>> "skos:prefLabel \\"dog\\"@en" in render_rdf(pets, "skos", "ttl", Naming())
    True
    """
    graph = (_skos if vocabulary == "skos" else _owl)(_Writer(taxonomy, naming, in_xml=syntax == "xml"))
    if syntax == "xml":
        return graph.serialize(format="xml")
    # Invisible characters inside strings are written by their number
    return "".join(
        sign if sign.isprintable() or sign == "\n" else f"\\U{ord(sign):08X}"
        for sign in graph.serialize(format="turtle")
    )


class _Writer:
    """A graph under construction, with the nodes that both vocabularies share."""

    def __init__(self, taxonomy: Taxonomy, naming: Naming, *, in_xml: bool) -> None:
        from rdflib import DCTERMS, SKOS, Graph, Namespace, URIRef

        self.taxonomy, self.naming, self.in_xml = taxonomy, naming, in_xml
        self.schema = Namespace(SCHEMA)
        self.graph: Graph = Graph(store="SimpleMemory", bind_namespaces="core")  # keeps the order of insertion
        for prefix, namespace in (("dcterms", DCTERMS), ("hd", self.schema), ("skos", SKOS)):
            self.graph.bind(prefix, namespace)
        self.scheme = URIRef(naming.base)

    def iri(self, term: str) -> URIRef:
        from rdflib import URIRef

        return URIRef(self.naming.iri(term))

    def text(self, text: str, language: str | None = None) -> Literal:
        """Return a string literal; XML cannot hold most control characters, which become U+FFFD."""
        from rdflib import Literal

        text = text.encode("utf-8", errors="replace").decode("utf-8")
        if self.in_xml:
            text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)
        return Literal(text, lang=language)

    def label(self, text: str) -> Literal:
        return self.text(text, self.naming.language)

    def note(self, text: str) -> Literal:
        return self.text(text, _NOTES)

    def add(self, subject: Node, *facts: tuple[Node, Node]) -> None:
        for predicate, value in facts:
            self.graph.add((subject, predicate, value))

    def mark_unplaced(self, term: str, predicate: Node) -> None:
        """Add a note to a term without edges."""
        from rdflib import Literal

        if term in self.taxonomy.unplaced:
            self.add(self.iri(term), (predicate, self.note("not placed")), (self.schema.placed, Literal(False)))

    def describe_edges(self, kind: Node, child: Node, predicate: tuple[Node, Node], parent: Node) -> None:
        """Add a node about each edge: its confidence or score, statements, reason and sentences."""
        from rdflib import RDF, XSD, BNode, Literal

        for number, edge in enumerate(self.taxonomy.edges):
            node = BNode(f"e{number:07d}")  # a name of its own, so that the same taxonomy gives the same bytes
            ends = ((child, self.iri(edge.child)), predicate, (parent, self.iri(edge.parent)))
            self.add(node, (RDF.type, kind), *ends)
            if edge.value is not None:
                value = Literal(f"{edge.value:.6f}", datatype=XSD.decimal)
                self.add(node, (self.schema[self.taxonomy.measure], value))
            self.add(node, (self.schema.statements, Literal(edge.statements)))
            self.add(node, (self.schema.reason, self.text(edge.reason)))
            self.add(node, *((self.schema.sentence, self.text(one.sentence)) for one in edge.evidence))


def _skos(writer: _Writer) -> Graph:
    """Build a concept scheme; a term without edges is a concept with a note that says so."""
    from rdflib import DCTERMS, RDF, SKOS

    taxonomy, scheme = writer.taxonomy, writer.scheme
    writer.add(scheme, (RDF.type, SKOS.ConceptScheme), (DCTERMS.title, writer.label(writer.naming.title)))
    for term in taxonomy.roots:
        if term not in taxonomy.unplaced:
            writer.add(scheme, (SKOS.hasTopConcept, writer.iri(term)))
            writer.add(writer.iri(term), (SKOS.topConceptOf, scheme))
    for term in taxonomy.terms:
        writer.add(
            writer.iri(term),
            (RDF.type, SKOS.Concept),
            (SKOS.prefLabel, writer.label(term)),
            *((SKOS.altLabel, writer.label(name)) for name in taxonomy.synonyms.get(term, ())),
            (SKOS.inScheme, scheme),
            *((SKOS.narrower, writer.iri(child)) for child in taxonomy.children(term)),
        )
        for edge in taxonomy.edges_above(term):
            writer.add(
                writer.iri(term),
                (SKOS.broader, writer.iri(edge.parent)),
                (SKOS.note, writer.note(_summary(taxonomy, edge))),
            )
        writer.mark_unplaced(term, SKOS.note)
    writer.describe_edges(RDF.Statement, RDF.subject, (RDF.predicate, SKOS.broader), RDF.object)
    return writer.graph


def _owl(writer: _Writer) -> Graph:
    """Build an ontology of classes; the confidence and evidence of an edge annotate its axiom."""
    from rdflib import DCTERMS, OWL, RDF, RDFS, SKOS

    taxonomy = writer.taxonomy
    writer.add(writer.scheme, (RDF.type, OWL.Ontology), (DCTERMS.title, writer.label(writer.naming.title)))
    own = [writer.schema[name] for name in (taxonomy.measure, "statements", "reason", "sentence", "placed")]
    for annotation in (DCTERMS.title, SKOS.altLabel, *own):
        writer.add(annotation, (RDF.type, OWL.AnnotationProperty))
    for term in taxonomy.terms:
        writer.add(
            writer.iri(term),
            (RDF.type, OWL.Class),
            (RDFS.label, writer.label(term)),
            *((SKOS.altLabel, writer.label(name)) for name in taxonomy.synonyms.get(term, ())),
            *((RDFS.subClassOf, writer.iri(parent)) for parent in taxonomy.parents(term)),
        )
        writer.mark_unplaced(term, RDFS.comment)
    relation = (OWL.annotatedProperty, RDFS.subClassOf)
    writer.describe_edges(OWL.Axiom, OWL.annotatedSource, relation, OWL.annotatedTarget)
    return writer.graph


def _summary(taxonomy: Taxonomy, edge: Edge) -> str:
    """Describe an edge in words: "animal: confidence 0.91, stated 12 times"."""
    parts = [] if edge.value is None else [f"{taxonomy.measure} {edge.value:.3g}"]
    parts += [] if edge.reason == "model" else [edge.reason]
    parts += [f"stated {edge.statements} time{'' if edge.statements == 1 else 's'}"] if edge.statements else []
    return f"{edge.parent}: {', '.join(parts)}"
