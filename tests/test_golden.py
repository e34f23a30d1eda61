"""Folders of each format stay readable, and what they hold is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hyperdive import Model
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.patterns.store import Patterns
from hyperdive.spaces.folding import folding_of
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus

GOLDEN = Path(__file__).parent / "golden"


def test_model_version_3() -> None:
    model = Model.load(GOLDEN / "model-3")
    assert model.words == ["animal", "dog", "poodle"]
    terms, folding = model.terms, folding_of(model.contexts)
    assert terms is not None and terms.skipgram is not None and terms.composition is not None
    assert terms.names == ["guide dog", "AIDS", "toy dog"] and terms.spelling("toy dog") == "Toy Dog"
    assert terms.frequencies.tolist() == [12, 7, 0]
    assert terms.dive["AIDS"].tolist() == [0, 0, 3]
    assert terms.skipgram["guide dog"].tolist() == [0.5, 0.25]
    assert terms.composition.dive_rows(terms.dive["AIDS"][None], model["dog"][None]).tolist() == [[1, 0.5, 0.75]]
    assert terms.composition.skipgram is not None and terms.composition.lean == 0.0625
    assert folding is not None and folding.skipgram is not None and folding.context_terms is not None
    assert folding.unknown_frequency == 11 and folding.gauge.tolist() == [2, 2, 2]
    assert folding.skipgram.tolist() == [[1], [0.5], [-0.25]]
    assert len(terms.abbreviations) == 0  # the first models of this version had none


def test_patterns_version_2() -> None:
    patterns = Patterns.open(GOLDEN / "patterns-2")
    assert patterns.count("animal", "being") == 1
    assert patterns.head_counts.sum() == 1
    assert patterns.documents == 5
    assert len(patterns.evidence("poodle", "dog")) == 3
    assert patterns.counts_by_pattern("poodle", "dog") == {"such as": 5, "is a": 1}
    assert patterns.factors.rank == 3 and patterns.totals[2] == 9


def test_space_version_1() -> None:
    space = VectorSpace.load(GOLDEN / "space-1")
    assert space.kind == "sbow-ppmi"
    assert np.array_equal(space["poodle"], [1, 0.25, 0, 0])


def test_corpus_version_3() -> None:
    corpus = Corpus.open(GOLDEN / "corpus-3")
    corpus.verify()
    assert corpus.all_words == ["<unk>", "dog", "guide", "need", "gds", "help", "school", "aid", "sleep", "ward"]
    assert corpus.document_frequency.tolist() == [0, 3, 3, 3, 2, 2, 2, 1, 1, 1]
    assert corpus[:].tolist() == [2, 1, 3, 5, 2, 1, 6, 4, 3, 2, 1, 2, 1, 0, 3, 0, 0, 4, 2, 1, 6, 5]
    assert corpus.document_offsets.tolist() == [0, 4, 11, 22]
    assert [corpus.sentence_text(number) for number in range(3)] == [
        "Guide dogs need help.", "The guide dog school (GDS) needs guide dogs.", "A guide dog sleeps.",
    ]  # fmt: skip
    terms = corpus.terms
    assert terms is not None
    assert terms.names == terms.spellings == ["guide dog", "guide dog school", "AIDS", "toy dog"]
    assert terms.counts.tolist() == [5, 2, 1, 0] and terms.ids.tolist() == [0, 0, 1, 0, 0, 2, 0, 1]
    assert terms.starts.tolist() == [0, 4, 4, 9, 11, 15, 18, 18]
    assert terms.lengths.tolist() == [2, 2, 3, 2, 2, 1, 2, 3]
    [one] = corpus.abbreviations
    assert (one.short, one.name, one.long, one.count) == ("GDS", "gds", "guide dog school", 2)


def test_counts_version_2() -> None:
    counts = Cooccurrence.open(GOLDEN / "counts-2")
    counts.verify()
    assert counts.row("dog") == {"cat": 301, "dog": 2}
    assert counts.row("dog", near=True) == {"cat": 301, "dog": 2}
    assert counts.csr().indices.tolist() == [1, 2, 0, 1, 2, 0, 1]
    assert counts.csr().data.tolist() == [3, 1, 3, 2, 301, 1, 301]
