"""Gold taxonomies: edges against edges, and what the edges imply, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from hyperdive.benchmark.gold_taxonomy import (
    EdgeFigures,
    PrecisionRecall,
    TaxonomyResult,
    TermTaxonomy,
    edge_figures,
    evaluate_taxonomy,
    read_taxonomy,
    suffix_edges,
)
from hyperdive.errors import InputError
from tests.ask.small import PARENT, small_model

# juice ← apple juice ← sour apple juice; drink ← juice; food ← drink; food ← bread
EDGES = [
    ("sour apple juice", "apple juice"),
    ("apple juice", "juice"),
    ("juice", "drink"),
    ("drink", "food"),
    ("bread", "food"),
]
FOOD = TermTaxonomy.of("food", EDGES)


def test_the_gold_itself_is_perfect() -> None:
    figures = edge_figures(EDGES, FOOD)
    assert (figures.direct.f1, figures.ancestors.f1, figures.unplaced) == (1.0, 1.0, 0)
    assert figures.ancestors.gold == 4 + 3 + 2 + 1 + 1


def test_the_suffix_baseline_by_hand() -> None:
    figures = edge_figures(suffix_edges(FOOD.terms), FOOD)
    assert (figures.direct.precision, figures.direct.recall) == (1.0, 2 / 5)
    # implied: sour apple juice under apple juice and juice, apple juice under juice
    assert (figures.ancestors.found, figures.ancestors.stated, figures.ancestors.gold) == (3, 3, 11)
    assert figures.unplaced == 3  # drink, food and bread
    # a suffix of letters is none of words, and the longest one is taken
    assert suffix_edges(["apple", "pineapple", "red apple", "big red apple"]) == {
        ("red apple", "apple"),
        ("big red apple", "red apple"),
    }


def test_a_skipped_level_and_a_reversed_edge_by_hand() -> None:
    figures = edge_figures([("juice", "food"), ("food", "bread"), ("apple juice", "juice")], FOOD)
    assert (figures.direct.found, figures.direct.stated, figures.direct.gold) == (1, 3, 5)
    assert figures.direct.f1 == 2 / 8
    # implied: juice-food, juice-bread, food-bread, apple juice-juice, apple juice-food, apple juice-bread
    assert (figures.ancestors.found, figures.ancestors.stated) == (3, 6)
    assert edge_figures([], FOOD).unplaced == 6


def test_a_model_that_knows_the_tree(tmp_path: Path) -> None:
    file = tmp_path / "pets.taxo"
    lines = [f"{number}\t{child.upper()}\t{parent}" for number, (child, parent) in enumerate(PARENT.items())]
    file.write_bytes("\r\n".join([*lines, "9\told  poodle\tpoodle\t0.9", "10\tzebra\tanimal", ""]).encode())
    result = evaluate_taxonomy(small_model(), file, score="CDE")
    assert (result.name, result.terms, result.multiword, result.edges) == ("pets", 10, 1, 8)
    assert (result.model.direct.precision, result.model.direct.recall) == (1.0, 7 / 8)
    assert result.model.unplaced == 1  # the model does not know zebras
    assert (result.suffix.direct.found, result.suffix.direct.stated, result.suffix.unplaced) == (1, 1, 8)
    written = result.as_json()
    assert written["model"]["direct"] == {"precision": 100.0, "recall": 87.5, "f1": 93.3333, "edges": 7}


def test_shares_are_written_in_per_cent_with_four_places() -> None:
    seventh = EdgeFigures(*[PrecisionRecall(1 / 7, 2 / 7, 3 / 7, 1, 7, 4)] * 2, unplaced=5)
    written = TaxonomyResult("pets", 3, 2, 1, seventh, seventh).as_json()
    edges = {"precision": 14.2857, "recall": 28.5714, "f1": 42.8571, "edges": 7}
    figures = {"direct": edges, "ancestors": edges, "unplaced": 5}
    assert written == {"terms": 3, "multiword": 2, "edges": 1, "model": figures, "suffix": figures}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\n \n\r\n", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not UTF-8"),
        (b"0\tdog\0\tanimal\n", "not a text file"),
        (b"0\tdog\tanimal\n1\tcat\n", "line 2 has no term and parent"),
        (b"0\tdog\t \n", "line 1 has no term and parent"),
        (b"0\tdog\tDog\n", "no edge between two terms"),
        ("0\tcaf\xe9\tplace\n".encode("latin-1"), "not UTF-8"),
    ],
)
def test_bad_files_are_one_clear_line(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "bad.taxo"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_taxonomy(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such gold taxonomy"):
        read_taxonomy(tmp_path / "absent.taxo")
    with pytest.raises(InputError, match="a folder"):
        read_taxonomy(tmp_path)


@pytest.mark.parametrize("line", ["0\t\tanimal", "0\tdog\t", "0\tdog", "dog"])
def test_a_line_without_both_terms_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "bad.taxo"
    file.write_text(f"0\tcat\tanimal\n\n{line}\n")
    with pytest.raises(InputError, match="line 3 has no term and parent"):
        read_taxonomy(file)


def test_no_term_is_added_to_those_of_the_gold() -> None:
    """An old dog is placed under animal, though the model knows dogs."""
    result = evaluate_taxonomy(small_model(), TermTaxonomy.of("x", [("old dog", "animal")]), score="CDE")
    assert (result.model.direct.found, result.model.direct.stated) == (1, 1)
