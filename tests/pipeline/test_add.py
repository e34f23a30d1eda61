"""Adding text to a model: new terms and statements come, words stay, and what cannot be done is one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hyperdive import Model, add, encode, load, train
from hyperdive._resources import anonymous_memory
from hyperdive.errors import InputError, OptionError, OutputError
from hyperdive.model import facts_of
from hyperdive.spaces.folding import ContextSpace
from hyperdive.spaces.model_folder import space_of

FIRST = [
    "the guide dog leads a blind man across the street",
    "a guide dog barks and the black cat sleeps all day",
    "animals such as dogs and cats live in the house",
    "the house of the blind man has a garden and a street",
] * 60
SECOND = [
    "the wolf hound leads the blind man across the garden and barks",
    "a wolf hound barks at the black cat that sleeps in the house",
    "animals such as terriers and dogs sleep in the garden",
    "the guide dog leads the man, and the terrier barks at the house",
] * 20


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    place = tmp_path_factory.mktemp("add") / "model"
    return train(texts=FIRST, output=place, dimensions=6, pmi_filter="none", passes=10, beta=1.0, negatives=0.2)


def test_new_terms_and_statements_come_and_words_stay(model: Model, tmp_path: Path) -> None:
    assert "guide dog" in model.terms
    larger, additions = add(model, texts=SECOND, output=tmp_path / "larger")
    back = load(tmp_path / "larger")
    for one in (larger, back):
        names, skipgram = one.vocabulary, space_of(one, "skipgram")
        assert "wolf hound" in one.terms and "terrier" in one.terms and skipgram is not None
        assert names.frequency("wolf hound") == 40 and names.frequency("terrier") == 40
        assert one["wolf hound"].any() and skipgram["terrier"].any()
        assert names.frequency("guide dog") == model.vocabulary.frequency("guide dog") + 20
        np.testing.assert_array_equal(one["guide dog"], model["guide dog"])
    assert back.words == model.words
    np.testing.assert_array_equal(back.frequencies, model.frequencies)
    assert back.patterns is not None and model.patterns is not None
    assert back.patterns.count("terrier", "animal") == 20
    assert back.patterns.count("dog", "animal") == model.patterns.count("dog", "animal") + 20
    assert back.evidence("terrier", "animal")[0].marked().startswith("**animals** such as **terriers**")
    assert additions.terms_added >= 2 and additions.terms_updated >= 1 and additions.pairs >= 1
    assert facts_of(back)["additions"][0]["statements"] == additions.statements == 40
    assert "wolf hound" not in model.terms


def test_text_and_corpus_give_the_same_bytes_at_any_number_of_threads(model: Model, tmp_path: Path) -> None:
    corpus = encode(texts=SECOND, output=tmp_path / "corpus")
    add(model, corpus, tmp_path / "one", threads=1)
    add(model, tmp_path / "corpus", tmp_path / "other", threads=3)
    add(model, texts=SECOND, output=tmp_path / "third")
    tensors = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "other")]
    assert tensors[0] == tensors[1]
    one, third = load(tmp_path / "one"), load(tmp_path / "third")
    np.testing.assert_array_equal(one["wolf hound"], third["wolf hound"])


def test_it_can_be_added_to_again(model: Model, tmp_path: Path) -> None:
    once, _ = add(model, texts=SECOND, output=tmp_path / "once")
    twice, additions = add(once, texts=SECOND, output=tmp_path / "twice")
    assert twice.vocabulary.frequency("wolf hound") == 80
    assert additions.terms_added == 0 and additions.pairs == 0
    assert len(facts_of(twice)["additions"]) == 2


def test_listed_terms_come_in_any_case(model: Model, tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("Black Cat\nblind wolf\n")
    larger, _ = add(model, texts=SECOND, output=tmp_path / "larger", terms=tmp_path / "terms.txt")
    assert larger.vocabulary.frequency("blind wolf") == 0
    assert "blind wolf" in larger.terms


def test_the_model_itself_is_replaced_with_force_only(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    with pytest.raises(OutputError):
        add(tmp_path / "model", texts=SECOND, output=tmp_path / "model")
    before = load(tmp_path / "model").terms
    add(tmp_path / "model", texts=SECOND, output=tmp_path / "model", force=True)
    after = load(tmp_path / "model").terms
    assert len(after) > len(before)


def test_what_cannot_be_added_to_is_one_line(model: Model, tmp_path: Path) -> None:
    contexts = model.contexts
    assert isinstance(contexts, ContextSpace)
    with pytest.raises(InputError, match="no context vectors"):
        add(Model(model.dive), texts=SECOND, output=tmp_path / "a")
    with pytest.raises(InputError, match="earlier version"):
        add(Model(model.dive, contexts=contexts.subset(model.words)), texts=SECOND, output=tmp_path / "b")
    without = encode(texts=SECOND, output=tmp_path / "without", terms="none")
    with pytest.raises(InputError, match="without terms"):
        add(model, without, tmp_path / "c")
    other = encode(texts=SECOND, output=tmp_path / "other", lemmas="none")
    with pytest.raises(InputError, match="encoded differently: lemmas"):
        add(model, other, tmp_path / "d")
    (tmp_path / "stop.txt").write_text("the\n")
    listed = train(
        texts=FIRST, output=tmp_path / "listed", dimensions=4, passes=3, pmi_filter="none",
        stopwords=str(tmp_path / "stop.txt"),
    )  # fmt: skip
    with pytest.raises(OptionError, match=r"stop words from stop\.txt"):
        add(listed, texts=SECOND, output=tmp_path / "e")
    assert not list(tmp_path.glob("[abcde]"))


def test_additions_beyond_the_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hyperdive: Callable
) -> None:
    """`add` had no limit."""
    lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    train(texts=lines, output=tmp_path / "m", dimensions=4, pmi_filter="none", passes=5)
    (tmp_path / "t.txt").write_text("the guide dog and the terrier bark\n" * 20)
    monkeypatch.setattr("hyperdive.spaces.dive_options._TERM", 10**9)
    command = ("add", tmp_path / "m", tmp_path / "t.txt", "-o", tmp_path / "n")
    enough = f"{anonymous_memory() // 10**6 + 1_000}MB"  # beside what the process of the tests holds
    ran = hyperdive(*command, "--memory", enough)
    assert ran.code == 1 and "too little: vectors of" in ran.err and not (tmp_path / "n").exists()
    monkeypatch.undo()
    assert hyperdive(*command, "--memory", enough).code == 0
