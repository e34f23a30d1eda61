"""What a taxonomy writes, other programs read back: with names from hell and names of every day."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pydot
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.namespace import OWL, RDF, RDFS, SKOS

from hyperdive.errors import MissingExtra, OptionError, OutputError
from hyperdive.patterns.evidence import Evidence
from hyperdive.taxonomy.formats import GraphFormat, format_of, tree_lines
from hyperdive.taxonomy.taxonomy import Edge, Taxonomy

HD = rdflib.Namespace("urn:hyperdive:schema:")
SAID = (Evidence('Dogs such as "poodles" \\ <b>bark</b>.', "such as", 0, ((0, 4), (13, 20))),)
PETS = Taxonomy(
    ["animal", "dog", "domestic dog", "poodle", "law"],
    [
        Edge("dog", "animal", 0.91, 0.91, 12, "model"),
        Edge("poodle", "dog", 0.8, 0.8, 3, "model", SAID),
        Edge("domestic dog", "dog", 0.9, 0.9, 0, "head"),
    ],
    added=["dog"],
)
HOSTILE = [
    'say "hi"',
    "back\\slash\\",
    "<script>alert(1)</script>",
    "a & b &amp; c",
    "]]>",
    "semi;colon #35; end",
    "[red]markup[/red]",
    "{curly} | pipe",
    "per%20cent",
    "ünïcødé 犬 😀",
    "esc\x1b[31m",
    "zero\x00byte\x07",
    "\ufffe\uffff",
    "' OR 1=1 --",
    "n0",
    "end",
    "-->",
    "http://x.y/z?q=1#f",
]


def chain(names: list[str]) -> Taxonomy:
    """Every name under the next one."""
    edges = [
        Edge(child, parent, 0.5, 0.5, 1, "model", (Evidence(child, "such as", 0, ()),))
        for child, parent in itertools.pairwise(names)
    ]
    return Taxonomy(sorted(names), edges)


def written(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Names as formats without control characters hold them."""

    def clean(name: str) -> str:
        return "".join(c if c.isprintable() or c == " " else "\ufffd" for c in name)

    return {(clean(child), clean(parent)) for child, parent in pairs}


def pairs(taxonomy: Taxonomy) -> set[tuple[str, str]]:
    return {(edge.child, edge.parent) for edge in taxonomy}


def read_graphml(text: str) -> set[tuple[str, str]]:
    graph = nx.parse_graphml(text)
    label = nx.get_node_attributes(graph, "label")
    return {(label[child], label[parent]) for child, parent in graph.edges}


def read_dot(text: str) -> set[tuple[str, str]]:
    (graph,) = pydot.graph_from_dot_data(text)
    label = {}
    for node in graph.get_nodes():
        name = node.get("label")
        if name is not None:
            label[node.get_name()] = name[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return {(label[edge.get_source()], label[edge.get_destination()]) for edge in graph.get_edges()}


def read_rdf(text: str, predicate: Any, label: Any) -> set[tuple[str, str]]:
    graph = rdflib.Graph().parse(data=text, format="turtle")
    return {
        (str(graph.value(child, label)), str(graph.value(parent, label)))
        for child, parent in graph.subject_objects(predicate)
    }


def check_all(taxonomy: Taxonomy) -> None:
    expected = pairs(taxonomy)
    assert {(one["child"], one["parent"]) for one in json.loads(taxonomy.to_text("json"))["edges"]} == expected
    assert read_rdf(taxonomy.to_text("skos"), SKOS.broader, SKOS.prefLabel) == expected
    assert {(b, a) for a, b in read_rdf(taxonomy.to_text("skos"), SKOS.narrower, SKOS.prefLabel)} == expected
    assert read_rdf(taxonomy.to_text("owl"), RDFS.subClassOf, RDFS.label) == expected
    assert read_graphml(taxonomy.to_text("graphml")) == written(expected)
    assert read_dot(taxonomy.to_text("dot")) == written(expected)


def test_every_format_is_read_back() -> None:
    check_all(PETS)


def test_hostile_names_are_read_back() -> None:
    check_all(chain(HOSTILE))


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=8),
        min_size=2,
        max_size=5,
        unique=True,
    )
)
@settings(max_examples=40, deadline=None)
def test_any_name_is_read_back_from_turtle_and_json(names: list[str]) -> None:
    taxonomy = chain(names)
    assert read_rdf(taxonomy.to_text("skos"), SKOS.broader, SKOS.prefLabel) == pairs(taxonomy)
    assert {(one["child"], one["parent"]) for one in json.loads(taxonomy.to_text("json"))["edges"]} == pairs(taxonomy)


def test_numbers_and_sentences_come_along() -> None:
    graph = rdflib.Graph().parse(data=PETS.to_text("skos", base="https://example.org/pets#"), format="turtle")
    poodle = rdflib.URIRef("https://example.org/pets#poodle")
    (statement,) = graph.subjects(RDF.subject, poodle)
    assert float(str(graph.value(statement, HD.confidence))) == 0.8
    assert int(str(graph.value(statement, HD.statements))) == 3
    assert str(graph.value(statement, HD.sentence)) == SAID[0].sentence
    assert graph.value(rdflib.URIRef("https://example.org/pets#"), RDF.type) == SKOS.ConceptScheme
    tops = set(graph.objects(None, SKOS.hasTopConcept))
    assert tops == {rdflib.URIRef("https://example.org/pets#animal"), rdflib.URIRef("https://example.org/pets#law")}
    graph = rdflib.Graph().parse(data=PETS.to_text("owl"), format="turtle")
    assert {float(str(value)) for value in graph.objects(None, HD.confidence)} == {0.91, 0.8, 0.9}
    assert len(set(graph.subjects(RDF.type, OWL.Class))) == 5
    edges = nx.parse_graphml(PETS.to_text("graphml")).edges(data=True)
    assert sorted(data["statements"] for _, _, data in edges) == [0, 3, 12]
    drawn = PETS.to_networkx()
    assert drawn.edges["dog", "animal"]["confidence"] == 0.91
    assert nx.is_directed_acyclic_graph(drawn)


def test_a_score_is_not_called_a_confidence() -> None:
    scored = Taxonomy(
        ["a", "b", "c"],
        [Edge("a", "b", None, 3.5, 0, "model"), Edge("c", "b", None, None, 0, "forced")],
        calibrated=False,
    )
    for format in ("json", "tsv", "dot", "graphml", "skos", "owl"):
        text = scored.to_text(format)
        assert "confidence" not in text
        assert "score" in text
    check_all(scored)
    assert json.loads(scored.to_text("json"))["edges"][1]["score"] is None


def test_tsv() -> None:
    rows = list(csv.DictReader(io.StringIO(PETS.to_text("tsv")), delimiter="\t"))
    assert {(row["child"], row["parent"]) for row in rows if row["parent"]} == pairs(PETS)
    assert [row["child"] for row in rows if not row["parent"]] == ["law"]
    assert len(PETS.to_text("tsv").splitlines()) == 5


def test_mermaid_has_nothing_to_interpret() -> None:
    text = chain(HOSTILE).to_text("mermaid")
    assert text.startswith("graph BT\n")
    for line in text.splitlines()[1:]:
        if "-->" in line:
            child, parent = line.split(" --> ")
            assert child.strip()[1:].isdigit()
            assert parent[1:].isdigit()
        else:
            name = line[line.index('["') + 2 : -2]
            assert not set(name) & set('"<>[]{}|\\&\x1b\n')
    assert PETS.to_text("mermaid").count("-->") == 3


def test_the_tree_for_people() -> None:
    assert str(PETS) == (
        "animal\n"
        "└── dog  0.91  said 12 times\n"
        "    ├── domestic dog  0.90  head\n"
        "    └── poodle  0.80  said 3 times\n"
        "law"
    )
    assert "\x1b" not in str(chain(HOSTILE))
    lines = ["".join(part.text for part in line) for line in tree_lines(PETS, sentences=True)]
    assert lines[4] == '        “Dogs such as "poodles" \\ <b>bark</b>.”'.replace("        ", "            ")
    many = Taxonomy(["a", "b", *"uvwxyz"], [Edge("a", "b", 0.5, 0.5, 0, "model")])
    assert str(many).endswith("6 terms stand alone: u, v, w, x, y, z")


def test_a_chain_of_thousands_is_written() -> None:
    names = [f"w{number:05d}" for number in range(5000)]
    deep = chain(names)
    assert deep.sizes[names[-1]] == 4999
    for format in GraphFormat:
        assert "w00000" in deep.to_text(format)


def test_writing_files(tmp_path: Path) -> None:
    PETS.write(tmp_path / "pets.ttl")
    assert (tmp_path / "pets.ttl").read_text() == PETS.to_text("skos")
    with pytest.raises(OutputError, match="already exists"):
        PETS.write(tmp_path / "pets.ttl")
    PETS.write(tmp_path / "pets.ttl", "owl", force=True)
    assert (tmp_path / "pets.ttl").read_text() == PETS.to_text("owl")
    with pytest.raises(OutputError, match="a folder"):
        PETS.write(tmp_path, "json", force=True)
    PETS.write(tmp_path / "absent" / "pets.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["absent", "pets.ttl"]
    with pytest.raises(OptionError, match="tells no format"):
        format_of("pets.docx")
    with pytest.raises(OptionError, match="no format"):
        PETS.to_text("docx")
    for base in ("", "no colon", "http://a b/", "http://<x>/"):
        with pytest.raises(OptionError, match="cannot begin"):
            PETS.to_text("skos", base=base)


def test_networkx_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtra, match="graphs"):
        PETS.to_networkx()
