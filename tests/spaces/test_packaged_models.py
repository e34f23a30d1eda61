"""The model inside the package: small, whole, without text, nearly as good as the one it was made from."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from hyperdive import Model, load
from hyperdive._store import Artifact
from hyperdive.model import with_terms
from hyperdive.patterns.evidence import pack
from hyperdive.patterns.store import Patterns
from hyperdive.spaces.model_folder import space_of
from hyperdive.spaces.packaged_models import DEFAULT, find_model, packaged_models
from hyperdive.spaces.prune import pruned, useful_terms, useful_words
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.vocabulary import Vocabulary
from tests.ask.forty_words import ACCEPTED
from tests.patterns.standin import PETS, collected

ROOT = Path(__file__).parents[2]
LIMIT = 15_000_000


@pytest.fixture(scope="module")
def packaged() -> Model:
    return Model.load(DEFAULT)


# ---- which words, and what is left of them -------------------------------------------------------------------------


def full_model() -> Model:
    words = ["animal", "dog", "smith", "poodle", "jones", "helper", "being", "guide", "xyzzy"]
    draw = np.random.default_rng(1)
    counts = {"frequencies": np.arange(90, 0, -10)}
    return Model(
        VectorSpace(words, draw.random((9, 4)), kind="dive", **counts),
        contexts=VectorSpace(words, draw.random((9, 4)), kind="contexts", **counts),
        skipgram=VectorSpace(words, draw.normal(size=(9, 4)), kind="skipgram", **counts),
        patterns=collected([*PETS, (5, "A xyzzy is a being. A xyzzy is a being."), (5, "A xyzzy is a helper.")]),
        parameters={"contexts": True},
    )


def test_frequent_words_then_words_of_a_dictionary_then_words_often_named() -> None:
    model = full_model()
    assert useful_words(model, words=2, frequent=2) == ["animal", "dog"]
    assert useful_words(model, words=5, frequent=2) == ["animal", "dog", "poodle", "helper", "being"]
    # xyzzy is in no dictionary but is named; smith and jones are more frequent, and nobody says what they are
    assert useful_words(model, words=6, frequent=2) == ["animal", "dog", "poodle", "helper", "being", "xyzzy"]
    assert len(useful_words(model, words=100, frequent=50)) == 9


def test_a_pruned_model_keeps_the_terms_that_patterns_name_and_then_the_frequent(tmp_path: Path) -> None:
    model = full_model()
    names = ["toy dog", "guide dog", "far away", "never"]
    draw = np.random.default_rng(2)
    twins = draw.normal(size=(4, 4))
    terms = Vocabulary(names, [50, 3, 20, 0], spellings=[name.title() for name in names])
    model = with_terms(model, terms, draw.random((4, 4)), twins)
    assert useful_terms(model, terms=9) == ["toy dog", "guide dog", "far away"]
    assert useful_terms(model, terms=1) == ["guide dog"]
    pruned(model, words=6, frequent=2, terms=2, least=1).save(tmp_path / "small")
    small = Model.load(tmp_path / "small")
    skipgram = space_of(small, "skipgram")
    assert skipgram is not None
    assert small.terms == ["toy dog", "guide dog"] and small.vocabulary.spelling("toy dog") == "Toy Dog"
    np.testing.assert_allclose(skipgram["guide dog"], twins[1], atol=0.02)
    assert "skipgram.exponents" in load_file(tmp_path / "small" / "model.safetensors")


def test_a_pruned_model_keeps_the_values_of_its_pairs() -> None:
    model = full_model()
    small = pruned(model, words=6, frequent=2, least=1)
    assert small.contexts is None
    assert small.parameters == {"contexts": False}
    before, after = model.patterns, small.patterns
    assert before is not None and after is not None
    assert not after.has_sentences
    assert "guide dog" not in after  # one of its words is gone
    assert after.count("poodle", "dog") == before.count("poodle", "dog") == 6
    for one, other in ((before.hyponym_totals, after.hyponym_totals), (before.hypernym_totals, after.hypernym_totals)):
        assert [one[before.index(term)] for term in after.terms] == other.tolist()
    assert after.totals[2] == before.totals[2]
    pair = before.index("poodle"), before.index("dog")
    assert after.ppmi[after.index("poodle"), after.index("dog")] == before.ppmi[pair]
    assert np.array_equal(small["poodle"], model["poodle"])
    assert small.skipgram is not None and model.skipgram is not None
    off = np.abs(small.skipgram["poodle"] - model.skipgram["poodle"]).max()
    assert 0 < off <= np.abs(model.skipgram["poodle"]).max() / 127


def test_phrases_are_kept_when_they_are_named_often_enough() -> None:
    space = VectorSpace(["dog", "guide", "helper"], np.eye(3), frequencies=[9, 5, 1], kind="dive")
    terms = ["dog", "guide dog", "helper", "dog helper"]
    stated = Patterns(terms, ["is a"], pack([1, 3], [2, 2], [0, 0]), [3, 2])
    small = pruned(Model(space, patterns=stated), least=3).patterns
    assert small is not None
    assert small.terms == ["dog", "guide dog", "helper"]


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        pruned(full_model(), words=6, frequent=2, least=1, card={"Licence": "ours"}).save(tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    card = (tmp_path / "one" / "README.md").read_text(encoding="utf-8")
    assert "## Licence\n\nours\n" in card
    assert "Pruned from a model of 9 words: the 2 most frequent" in card


# ---- the one that is shipped ---------------------------------------------------------------------------------------


def test_it_is_there_small_and_whole() -> None:
    assert packaged_models() == [DEFAULT]
    folder = find_model()
    assert sum(file.stat().st_size for file in folder.iterdir()) <= LIMIT
    artifact = Artifact.open(folder, "model", 4)
    artifact.verify()
    listed = {*artifact.header["files"], "header.json"}
    assert {file.name for file in folder.iterdir()} == listed
    assert listed == {  # no evidence, no sentences
        "README.md", "abbreviations.txt", "header.json", "model.safetensors", "pattern-terms.parquet",
        "statements.parquet", "svd_v.npy", "svd_v_exponents.npy", "svd_v_terms.npy", "vocabulary.parquet",
    }  # fmt: skip
    assert set(artifact.header["spaces"]) == {"dive", "skipgram"}


def test_it_knows_what_it_should(packaged: Model) -> None:
    assert len(packaged) == 30_000
    assert len(packaged.terms) == 30_000
    assert packaged.contexts is None
    assert packaged.patterns is not None
    assert not packaged.patterns.has_sentences
    assert max(len(term.split()) for term in packaged.patterns.terms) <= 6
    missing = [
        word for word in "poodle tulip guitar malaria submarine aspirin cathedral".split() if word not in packaged
    ]
    assert not missing


def test_it_answers_without_being_named(hyperdive: Callable[..., Any]) -> None:
    ran = hyperdive("hypernyms", "poodle", "guitar", "--json")
    assert ran.code == 0
    found = {
        one["word"]: [answer["term"] for answer in one["answers"]] for one in map(json.loads, ran.out.splitlines())
    }
    assert "animal" in found["poodle"]  # the text has it 20 times and never says that it is a dog
    assert "instrument" in found["guitar"]
    assert hyperdive("info", DEFAULT).code == 0


def test_it_knows_what_forty_common_words_are() -> None:
    model = load(DEFAULT)
    right = [word for word, kinds in ACCEPTED.items() if kinds & {one.term for one in model.hypernyms(word, top=5)}]
    assert len(right) >= 36, sorted(set(ACCEPTED) - set(right))


def test_card_and_licence_say_where_it_comes_from() -> None:
    card = (find_model() / "README.md").read_text(encoding="utf-8")
    notice = (ROOT / "LICENSE-model").read_text(encoding="utf-8")
    for text in (card, notice):
        assert "Wikipedia contributors" in text
        assert "CC BY-SA 3.0" in text
    for part in ("## Corpus", "## Parameters", "## Results", "make model CORPUS="):
        assert part in card
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "MIT AND CC-BY-SA-3.0"
    assert "LICENSE-model" in project["license-files"]


def test_it_is_within_a_point_of_the_full_model() -> None:
    table = json.loads((ROOT / "tools" / "en-wiki.json").read_text(encoding="utf-8"))
    for score in ("C·ΔS", "W·ΔS", "Psvd"):
        assert abs(table["micro10"]["small"][score] - table["micro10"]["full"][score]) < 1


def test_the_documentation_has_the_recorded_figures() -> None:
    table = json.loads((ROOT / "tools" / "en-wiki.json").read_text(encoding="utf-8"))
    texts = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "docs" / "reference" / "packaged-model.md", find_model() / "README.md")
    ]
    for row in table.values():
        cells = (f"{row['small'][score]:.1f} ({row['full'][score]:.1f})" for score in ("W·ΔS", "C·ΔS"))
        line = f"| {row['pairs']:,} | {row['compared']:,} | {row['small']['confidence']:.1f} | {' | '.join(cells)} |"
        assert all(line in text for text in texts)


def test_its_recorded_figures_are_its_own(packaged: Model, data_folder: Path) -> None:
    from hyperdive.benchmark.datasets import load as load_dataset
    from hyperdive.benchmark.evaluation import score_dataset
    from hyperdive.benchmark.measures import average_precision
    from hyperdive.scores import as_source, usable_scores

    table = json.loads((ROOT / "tools" / "en-wiki.json").read_text(encoding="utf-8"))
    source = as_source(packaged)
    for name in ("LEDS", "Weeds"):
        scored = score_dataset(
            source, load_dataset(name, data=data_folder), usable_scores(source, ["Psvd", "C·ΔS", "W·ΔS"])
        )
        assert int(scored.known.sum()) == table[name]["compared"]
        for score, values in scored.values.items():
            value = 100 * average_precision(values[scored.known], scored.dataset.labels[scored.known])
            assert value == pytest.approx(table[name]["small"][score], abs=0.05)
