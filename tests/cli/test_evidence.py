"""The verb `evidence`, and patterns on their way from a corpus into a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperdive import Model, train
from hyperdive.errors import InputError
from hyperdive.patterns.files import drop_sentences
from hyperdive.patterns.store import Patterns
from hyperdive.text.encoder import encode_text
from tests.patterns.standin import PETS, collected

Run = Callable[..., Any]
QUICK: dict[str, Any] = {"dimensions": 4, "pmi_filter": "none", "passes": 3}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence")
    (folder / "pets.txt").write_text("\n".join(line for _, line in PETS * 20), encoding="utf-8")
    encode_text(folder / "pets.txt", folder / "corpus", min_count=1)
    collected(PETS).save(folder / "corpus" / "patterns", force=True)
    return folder / "corpus"


@pytest.fixture(scope="module")
def model(corpus: Path) -> Path:
    train(corpus, corpus.parent / "model", **QUICK)
    return corpus.parent / "model"


def test_a_model_takes_over_the_patterns_of_its_corpus(model: Path) -> None:
    made = Model.load(model)
    assert made.patterns is not None
    assert made.patterns.count("poodle", "dog") == 6
    assert made.patterns.is_factorised
    assert made.evidence("poodle", "dog", top=1)[0].marked() == "**Dogs** such as **poodles** bark."
    assert made.evidence("Poodles", "dogs").rows == made.evidence("poodle", "dog").rows
    assert all(word in made for term in made.patterns.terms for word in term.split())
    assert "patterns" in repr(made)
    assert "Patterns: the text states" in (model / "README.md").read_text(encoding="utf-8")


def test_a_subset_and_a_copy_keep_them(model: Path, tmp_path: Path) -> None:
    made = Model.load(model)
    made.save(tmp_path / "copy")
    for file in model.iterdir():
        assert file.read_bytes() == (tmp_path / "copy" / file.name).read_bytes(), file.name
    small = made.subset(["poodle", "dog"])
    small.save(tmp_path / "small")
    assert Model.load(tmp_path / "small").evidence("poodle", "dog") == made.evidence("poodle", "dog")


def test_training_is_the_same_again_and_works_without(model: Path, corpus: Path, tmp_path: Path) -> None:
    train(corpus, tmp_path / "again", threads=1, **QUICK)
    for file in model.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file.name
    bare = train(corpus, tmp_path / "bare", patterns=False, **QUICK)
    assert isinstance(bare, Model)
    assert bare.patterns is None
    assert not (tmp_path / "bare" / "statements.parquet").exists()


def test_patterns_of_several_corpora_are_added_up(corpus: Path, tmp_path: Path, hyperdive: Run) -> None:
    counts = tmp_path / "counts"
    assert hyperdive("count", corpus, "-o", counts).code == 0
    ran = hyperdive(
        "train", counts, "-o", tmp_path / "m", "--dimensions", 4, "--set", "pmi_filter=none", "--no-skipgram",
        "--set", f"patterns_from={corpus}", "--set", f"patterns_from={corpus / 'patterns'}",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    made = Model.load(tmp_path / "m")
    assert made.patterns is not None
    assert made.patterns.count("poodle", "dog") == 12
    assert hyperdive("train", counts, "-o", tmp_path / "n", "--set", f"patterns_from={tmp_path}").code == 1


def test_the_sentences_with_both_words_marked(model: Path, hyperdive: Run) -> None:
    ran = hyperdive("evidence", "poodle", "dog", "-m", model)
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "poodle is a kind of dog: stated 6 times (such as 5, is a 1)",
        "  **Dogs** such as **poodles** bark.  (such as, document 1)",
        "  A **poodle** is a **dog**.  (is a, document 0)",
        "  **Dogs** such as **poodles** bark now and then.  (such as, document 4)",
    ]
    assert len(hyperdive("evidence", "poodle", "dog", "-m", model, "--top", 1).out.splitlines()) == 2


def test_the_other_way_round_and_heads(model: Path, hyperdive: Run) -> None:
    out = hyperdive("evidence", "dog", "poodle", "-m", model, "--top", 0).out
    assert out == "dog is a kind of poodle: no pattern in the text says so\n"
    assert "  the text calls dog a kind of: animal 1" in hyperdive("evidence", "dog", "poodle", "-m", model).out
    assert "  dog is the head of guide dog" in hyperdive("evidence", "guide dog", "dog", "-m", model).out


def test_json(model: Path, hyperdive: Run) -> None:
    found = json.loads(hyperdive("evidence", "poodles", "dog", "-m", model, "--json").out)
    assert (found["statements"], found["patterns"], found["sentences_kept"]) == (6, {"such as": 5, "is a": 1}, True)
    first = found["evidence"][0]
    start, end = first["hyponym_span"]
    assert first["sentence"][start:end] == "poodles"


def test_a_wrong_word_or_a_model_without_patterns_is_one_line(
    model: Path, corpus: Path, tmp_path: Path, hyperdive: Run
) -> None:
    ran = hyperdive("evidence", "poodel", "dog", "-m", model)
    assert (ran.code, ran.err) == (1, "hyperdive: 'poodel' is not in this model (did you mean poodle?)\n")
    train(corpus, tmp_path / "bare", patterns=False, **QUICK)
    ran = hyperdive("evidence", "poodle", "dog", "-m", tmp_path / "bare")
    assert ran.code == 1
    assert "has no patterns" in ran.err


def test_a_model_without_sentences_says_so(corpus: Path, tmp_path: Path, hyperdive: Run) -> None:
    collected(PETS, text=False).save(tmp_path / "patterns")
    train(corpus, tmp_path / "m", patterns=tmp_path / "patterns", **QUICK)
    assert not (tmp_path / "m" / "sentences.parquet").exists()
    out = hyperdive("evidence", "poodle", "dog", "-m", tmp_path / "m").out
    assert out.splitlines()[1] == "  the model keeps no sentences of its text, only counts"


def test_info_tells_of_patterns_and_drops_their_sentences(
    corpus: Path, model: Path, tmp_path: Path, hyperdive: Run
) -> None:
    assert "8 statements, 3 pairs of 5 terms, 5 sentences" in " ".join(hyperdive("info", model).out.split())
    import shutil

    copy = tmp_path / "corpus"
    shutil.copytree(corpus, copy)
    assert "sentences" in hyperdive("info", copy).out
    assert hyperdive("info", copy, "--verify").code == 0
    assert hyperdive("info", copy, "--drop-text").code == 0
    left = Patterns.open(copy)
    assert not left.has_sentences
    assert left.count("poodle", "dog") == 6
    assert not (copy / "patterns" / "sentences.parquet").exists()
    assert drop_sentences(tmp_path) == 0
    assert hyperdive("info", copy, "--verify").code == 0


def test_text_is_read_for_patterns_unless_told_otherwise(corpus: Path, tmp_path: Path) -> None:
    made = train(corpus.parent / "pets.txt", tmp_path / "m", min_count=1, **QUICK)
    assert isinstance(made, Model)
    assert made.patterns is not None
    assert made.patterns.count("poodle", "dog") > 0
    bare = train(corpus.parent / "pets.txt", tmp_path / "n", min_count=1, patterns=False, **QUICK)
    assert isinstance(bare, Model)
    assert bare.patterns is None


def test_a_model_in_memory_keeps_its_sentences(corpus: Path) -> None:
    from hyperdive import Dive

    model = Dive(min_count=1, **QUICK).fit(corpus.parent / "pets.txt").model_
    assert model.evidence("poodle", "dog")
    assert Dive(**QUICK).fit([["poodle", "dog", "bark"], ["cat", "animal", "sleep"]] * 60).model_.patterns is None


def test_a_corpus_without_patterns_is_named(tmp_path: Path) -> None:
    from hyperdive.text.token_lists import encode_tokens

    encode_tokens([["a", "b"]], tmp_path / "c", min_count=1)
    with pytest.raises(InputError, match="without patterns"):
        Patterns.open(tmp_path / "c")
