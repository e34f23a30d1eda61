"""Folders of each format stay readable, and what they hold is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.model import Model
from hyperdive.patterns.store import Patterns
from hyperdive.spaces.folding import folding_of
from hyperdive.spaces.model_folder import composition_of, pattern_numbers_of, space_of
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus

GOLDEN = Path(__file__).parent / "golden"


def test_model_version_4() -> None:
    model = Model.load(GOLDEN / "model-4")
    names, folding, maps = model.vocabulary, folding_of(model.contexts), composition_of(model)
    assert model.words == ["animal", "dog", "poodle"] and model.terms == ["guide dog", "AIDS", "toy dog"]
    assert names.spelling("toy dog") == "Toy Dog" and names.frequencies.tolist() == [90, 40, 5, 12, 7, 0]
    assert [one.short for one in names.abbreviations] == ["GD"]
    assert model["dog"].tolist() == [2, 1, 0] and model["AIDS"].tolist() == [0, 0, 3]
    assert model.contexts is not None and model.contexts["dog"].tolist() == [0, 2, 0]
    skipgram = space_of(model, "skipgram")
    assert skipgram is not None and skipgram["guide dog"].tolist() == [0.5, 0.25]
    assert maps is not None and maps.skipgram is not None and maps.lean == 0.0625
    assert maps.dive_rows(model["AIDS"][None], model["dog"][None]).tolist() == [[1, 0.5, 1.5]]
    assert folding is not None and folding.skipgram is not None and folding.context_terms is not None
    assert folding.unknown_frequency == 11 and folding.gauge.tolist() == [2, 2, 2]
    assert folding.skipgram.tolist() == [[1], [0.5], [-0.25]]
    patterns, numbers = model.patterns, pattern_numbers_of(model)
    assert patterns is not None and numbers is not None and patterns.count("poodle", "dog") == 6
    assert [
        name if number < 0 else patterns.terms[number] for name, number in zip(names, numbers, strict=True)
    ] == names.names
    assert (numbers >= 0).tolist() == [True, True, True, True, False, False]
    assert model.evidence("poodle", "dog")[0].marked() == "**Dogs** such as **poodles** bark."


def test_patterns_version_2() -> None:
    patterns = Patterns.open(GOLDEN / "patterns-2")
    assert patterns.count("animal", "being") == 1
    assert patterns.head_counts.sum() == 1
    assert patterns.documents == 5
    assert len(patterns.evidence("poodle", "dog")) == 3
    assert patterns.counts_by_pattern("poodle", "dog") == {"such as": 5, "is a": 1}
    assert patterns.factors.rank == 3 and patterns.totals[2] == 9


def test_space_version_2() -> None:
    space = VectorSpace.load(GOLDEN / "space-2")
    assert space.kind == "sbow-ppmi" and space.frequencies.tolist() == [9, 5, 1]
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
