"""What a taxonomy writes, other programs read back: with names from hell and names of every day."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pydot
import pytest
import rdflib
import rdflib.compare
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.namespace import DCTERMS, OWL, RDF, RDFS, SKOS

from hyperdive.ask.question import normal
from hyperdive.errors import MissingExtra, OptionError, OutputError, one_line
from hyperdive.patterns.evidence import Evidence
from hyperdive.taxonomy.corrections import read_corrections
from hyperdive.taxonomy.formats import FORMATS, format_of, tree_lines
from hyperdive.taxonomy.rdf import Naming
from hyperdive.taxonomy.taxonomy import Edge, Origin, Taxonomy

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
    '"unclosed quote',
    "#remark",
    "=1+1",
    "right-to-left \u202eevil\u202c mark\u200f",
    "tab\tand\nnewline\r\n",
    "\u2028line\u0085separators",
]


def chain(names: list[str]) -> Taxonomy:
    """Every name under the next one."""
    edges = [
        Edge(child, parent, 0.5, 0.5, 1, "model", (Evidence(child, "such as", 0, ()),))
        for child, parent in itertools.pairwise(names)
    ]
    return Taxonomy(sorted(names), edges)


def in_dot(name: str) -> str:
    """A name as Graphviz holds it, without characters that nobody sees."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def in_xml(name: str) -> str:
    """A name as XML holds it, which has no place for most control characters."""
    return "".join("\ufffd" if (c < " " and c not in "\t\n\r") or c in "\ufffe\uffff" else c for c in name)


def written(pairs: set[tuple[str, str]], hold: Callable[[str], str]) -> set[tuple[str, str]]:
    return {(hold(child), hold(parent)) for child, parent in pairs}


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


def read_rdf(text: str, predicate: Any, label: Any, syntax: str = "turtle") -> set[tuple[str, str]]:
    graph = rdflib.Graph().parse(data=text, format=syntax)
    return {
        (str(graph.value(child, label)), str(graph.value(parent, label)))
        for child, parent in graph.subject_objects(predicate)
    }


def read_tsv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


def check_all(taxonomy: Taxonomy) -> None:
    expected = pairs(taxonomy)
    assert {(one["child"], one["parent"]) for one in json.loads(taxonomy.to_text("json"))["edges"]} == expected
    assert read_rdf(taxonomy.to_text("skos"), SKOS.broader, SKOS.prefLabel) == expected
    assert {(b, a) for a, b in read_rdf(taxonomy.to_text("skos"), SKOS.narrower, SKOS.prefLabel)} == expected
    assert read_rdf(taxonomy.to_text("owl-ttl"), RDFS.subClassOf, RDFS.label) == expected
    held = written(expected, in_xml)
    assert read_rdf(taxonomy.to_text("owl"), RDFS.subClassOf, RDFS.label, "xml") == held
    assert read_rdf(taxonomy.to_text("skos-xml"), SKOS.broader, SKOS.prefLabel, "xml") == held
    assert read_graphml(taxonomy.to_text("graphml")) == held
    assert read_dot(taxonomy.to_text("dot")) == written(expected, in_dot)
    assert {(row["child"], row["parent"]) for row in read_tsv(taxonomy.to_text("tsv")) if row["parent"]} == written(
        expected, one_line
    )


def test_every_format_is_read_back() -> None:
    check_all(PETS)


def test_hostile_names_are_read_back() -> None:
    check_all(chain(HOSTILE))


def test_half_a_pair_of_surrogates_can_be_written(tmp_path: Path) -> None:
    for number, format in enumerate(FORMATS):
        chain(["lone \ud800", "animal"]).write(tmp_path / f"{number}.txt", format)
        assert "animal" in (tmp_path / f"{number}.txt").read_text(encoding="utf-8")


def test_the_table_comes_back_as_corrections(tmp_path: Path) -> None:
    taxonomy = chain(HOSTILE)
    taxonomy.write(tmp_path / "edges.tsv")
    rules = read_corrections(tmp_path / "edges.tsv")
    assert set(rules.force) == {
        (normal(one_line(child)), normal(one_line(parent))) for child, parent in pairs(taxonomy)
    }
    assert rules.forbid == rules.roots == ()
    PETS.write(tmp_path / "pets.tsv")
    rules = read_corrections(tmp_path / "pets.tsv")
    assert set(rules.force) == pairs(PETS)
    assert rules.roots == ("law",)


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
    graph = rdflib.Graph().parse(data=PETS.to_text("skos", Naming("https://example.org/pets#")), format="turtle")
    poodle = rdflib.URIRef("https://example.org/pets#poodle")
    (statement,) = graph.subjects(RDF.subject, poodle)
    assert float(str(graph.value(statement, HD.confidence))) == 0.8
    assert int(str(graph.value(statement, HD.statements))) == 3
    assert str(graph.value(statement, HD.sentence)) == SAID[0].sentence
    assert graph.value(rdflib.URIRef("https://example.org/pets#"), RDF.type) == SKOS.ConceptScheme
    tops = set(graph.objects(None, SKOS.hasTopConcept))
    assert tops == {rdflib.URIRef("https://example.org/pets#animal")}
    graph = rdflib.Graph().parse(data=PETS.to_text("owl"), format="xml")
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
        [Edge("a", "b", None, 3.5, 0, "model"), Edge("c", "b", None, None, 0, "expert")],
        origin=Origin(calibrated=False),
    )
    for format in ("json", "tsv", "dot", "graphml", "skos", "owl"):
        text = scored.to_text(format)
        assert "confidence" not in text
        assert "score" in text
    check_all(scored)
    assert json.loads(scored.to_text("json"))["edges"][1]["score"] is None


def test_tsv() -> None:
    rows = read_tsv(PETS.to_text("tsv"))
    assert {(row["child"], row["parent"]) for row in rows if row["parent"]} == pairs(PETS)
    assert [(row["child"], row["reason"]) for row in rows if not row["parent"]] == [("law", "unplaced")]
    assert len(PETS.to_text("tsv").splitlines()) == 5


def test_mermaid_has_nothing_to_interpret() -> None:
    text = chain(HOSTILE).to_text("mermaid")
    assert text.startswith("graph BT\n")
    for line in text.splitlines()[1:]:
        if "-->" in line:
            child, parent = line.split(" --> ")
            assert child.strip()[1:].isdigit()
            assert parent[1:].isdigit()
        elif not line.startswith("  class"):
            name = line[line.index('["') + 2 : -2]
            assert not set(name) & set('"<>[]{}|\\&\x1b\n')
    assert PETS.to_text("mermaid").count("-->") == 3


def test_the_tree_for_people() -> None:
    assert str(PETS) == (
        "animal\n"
        "└── dog  0.91  said 12 times\n"
        "    ├── domestic dog  0.90  head\n"
        "    └── poodle  0.80  said 3 times\n"
        "1 term is not placed: law"
    )
    assert "\x1b" not in str(chain(HOSTILE))
    lines = ["".join(part.text for part in line) for line in tree_lines(PETS, sentences=True)]
    assert lines[4] == '        “Dogs such as "poodles" \\ <b>bark</b>.”'.replace("        ", "            ")
    many = Taxonomy(["a", "b", *"uvwxyz"], [Edge("a", "b", 0.5, 0.5, 0, "model")])
    assert str(many).endswith("6 terms are not placed: u, v, w, x, y, z")


def test_a_chain_of_thousands_is_written() -> None:
    names = [f"w{number:05d}" for number in range(2000)]
    deep = chain(names)
    assert deep.sizes[names[-1]] == 1999
    for format in FORMATS:
        assert "w00000" in deep.to_text(format)


def test_writing_files(tmp_path: Path) -> None:
    PETS.write(tmp_path / "pets.ttl")
    assert (tmp_path / "pets.ttl").read_text() == PETS.to_text("skos")
    with pytest.raises(OutputError, match="already exists"):
        PETS.write(tmp_path / "pets.ttl")
    PETS.write(tmp_path / "pets.ttl", "owl", force=True)
    assert (tmp_path / "pets.ttl").read_text() == PETS.to_text("owl-ttl")
    with pytest.raises(OutputError, match="a folder"):
        PETS.write(tmp_path, "json", force=True)
    PETS.write(tmp_path / "absent" / "pets.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["absent", "pets.ttl"]
    with pytest.raises(OptionError, match="unknown file extension"):
        format_of("pets.docx")
    with pytest.raises(OptionError, match="unknown format"):
        PETS.to_text("docx")
    for base in ("", "no colon", "http://a b/", "http://<x>/"):
        with pytest.raises(OptionError, match="start of an IRI"):
            Naming(base)


def test_networkx_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtra, match="graphs"):
        PETS.to_networkx()


# ---- the semantic web ---------------------------------------------------------------------------------------------

NAMED = Taxonomy(
    ["AIDS", "disease", "Zika"],
    [Edge("AIDS", "disease", 1.0, 0.8, 0, "expert")],
    synonyms={"AIDS": ["aids", "acquired immune deficiency syndrome", "AIDS"]},
    unknown=["Zika"],
)


@pytest.mark.parametrize("vocabulary", ["skos", "owl"])
@pytest.mark.parametrize("taxonomy", [PETS, NAMED, chain([name for name in HOSTILE if name == in_xml(name)])])
def test_turtle_and_xml_are_the_same_graph(vocabulary: str, taxonomy: Taxonomy) -> None:
    naming = Naming("https://example.org/?a=1&b=", "de-AT", 'Tiere & "Pflanzen" <1>')
    turtle = rdflib.Graph().parse(data=taxonomy.to_text(f"{vocabulary}-ttl", naming), format="turtle")
    xml = rdflib.Graph().parse(data=taxonomy.to_text(f"{vocabulary}-xml", naming), format="xml")
    assert len(turtle) > 10
    assert rdflib.compare.isomorphic(turtle, xml)


@pytest.mark.parametrize("ending", ["ttl", "owl", "rdf", "xml"])
@pytest.mark.parametrize("format", [None, "skos", "owl"])
def test_a_loader_that_goes_by_the_ending_reads_the_file(tmp_path: Path, ending: str, format: str | None) -> None:
    """Turtle in a file that ends in .owl is refused by loaders."""
    NAMED.write(tmp_path / f"named.{ending}", format)
    graph = rdflib.Graph().parse(tmp_path / f"named.{ending}")
    kinds = {SKOS.Concept: 0, OWL.Class: 0}
    for kind in kinds:
        kinds[kind] = len(set(graph.subjects(RDF.type, kind)))
    expected = "owl" if format == "owl" or (format is None and ending != "ttl") else "skos"
    assert kinds == ({SKOS.Concept: 0, OWL.Class: 3} if expected == "owl" else {SKOS.Concept: 3, OWL.Class: 0})


def test_labels_have_a_language_and_their_own_case() -> None:
    naming = Naming(language="pt-BR", title="Doenças")
    graph = rdflib.Graph().parse(data=NAMED.to_text("skos", naming), format="turtle")
    aids, zika = (rdflib.URIRef(f"urn:hyperdive:term:{name}") for name in ("AIDS", "Zika"))
    assert graph.value(aids, SKOS.prefLabel) == rdflib.Literal("AIDS", lang="pt-BR")
    assert set(graph.objects(aids, SKOS.altLabel)) == {
        rdflib.Literal(name, lang="pt-BR") for name in ("aids", "acquired immune deficiency syndrome")
    }
    assert graph.value(aids, SKOS.note) == rdflib.Literal("disease: confidence 1, expert", lang="en")
    scheme = rdflib.URIRef("urn:hyperdive:term:")
    assert graph.value(scheme, DCTERMS.title) == rdflib.Literal("Doenças", lang="pt-BR")
    assert graph.value(zika, SKOS.note) == rdflib.Literal("not placed", lang="en")
    assert graph.value(zika, SKOS.topConceptOf) is None
    assert graph.value(zika, SKOS.inScheme) == scheme
    ontology = rdflib.Graph().parse(data=NAMED.to_text("owl", naming), format="xml")
    assert ontology.value(aids, RDFS.label) == rdflib.Literal("AIDS", lang="pt-BR")
    assert graph.value(zika, HD.placed) == ontology.value(zika, HD.placed) == rdflib.Literal(False)
    for language in ("", "e", "english language", "en_GB", 'en"', "en-", "abcdefghi"):
        with pytest.raises(OptionError, match="not a language tag"):
            Naming(language=language)
    with pytest.raises(OptionError, match="title is empty"):
        Naming(title=" ")


def test_a_term_that_is_not_placed_is_listed_in_every_format() -> None:
    assert str(NAMED).endswith("1 term is not placed: Zika")
    assert json.loads(NAMED.to_text("json"))["unplaced"] == ["Zika"]
    assert NAMED.to_text("tsv").splitlines()[-1] == "Zika\t\t\t\tunplaced"
    assert 'label="Zika", style="rounded,dotted", placed="false"' in NAMED.to_text("dot")
    placed = nx.get_node_attributes(nx.parse_graphml(NAMED.to_text("graphml")), "placed")
    assert list(placed.values()) == [False]
    assert NAMED.to_text("mermaid").splitlines()[-1] == "  class n2 unplaced"
    assert list(NAMED.to_networkx()) == ["AIDS", "disease", "Zika"]
    for format in FORMATS:
        assert "Zika" in NAMED.to_text(format)
        assert "AIDS" in NAMED.to_text(format)
