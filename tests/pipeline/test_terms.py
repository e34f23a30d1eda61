"""Terms in a model: rows beside those of the words, which do not move; resumed, saved and read back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hyperdive._resources import Run
from hyperdive.model import Model, facts_of
from hyperdive.pipeline.train import train
from hyperdive.spaces.folding import folding_of
from hyperdive.spaces.model_folder import composition_of, space_of
from hyperdive.text.corpus import Corpus
from hyperdive.text.token_lists import encode_tokens

NOUNS, MODIFIERS = [f"noun{i}" for i in range(12)], [f"mod{i}" for i in range(12)]


def lines() -> list[list[str]]:
    """Terms "modN nounM" among words that go with the modifier and words that go with the noun."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(4_000):
        m, n = (int(i) for i in rng.integers(0, 12, 2))
        around = [f"of{MODIFIERS[m]}x{int(i)}" for i in rng.integers(0, 3, 3)]
        around += [f"of{NOUNS[n]}x{int(i)}" for i in rng.integers(0, 3, 3)]
        made.append([*around[:3], MODIFIERS[m], NOUNS[n], *around[3:]])
    return made


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return encode_tokens(lines(), tmp_path_factory.mktemp("terms") / "corpus", min_count=5)


@pytest.fixture
def with_terms(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    words = corpus.vocabulary
    ids = {word: number for number, word in enumerate(words)}
    names = [*sorted(f"{m} {n}" for m in MODIFIERS for n in NOUNS if (m, n) != ("mod3", "noun4")), "mod3 noun4"]
    tokens = np.asarray(corpus[:])
    numbers = {(ids[m], ids[n]): names.index(f"{m} {n}") for m in MODIFIERS for n in NOUNS}
    places = [
        (start, numbers[pair])
        for start, pair in enumerate(zip(tokens[:-1].tolist(), tokens[1:].tolist(), strict=True))
        if pair in numbers and names[numbers[pair]] != "mod3 noun4"
    ]
    starts, terms = np.array(places, dtype=np.int64).T
    table = SimpleNamespace(
        names=names,
        spellings=[name.title() for name in names],
        counts=np.bincount(terms, minlength=len(names)),
        starts=starts,
        lengths=np.full(len(starts), 2, np.uint8),
        ids=terms.astype(np.uint32),
    )
    monkeypatch.setattr(Corpus, "terms", table, raising=False)
    return table


OPTIONS: dict[str, Any] = {
    "dimensions": 10,
    "window": 4,
    "pmi_filter": "10tokens",
    "passes": 30,
    "beta": 1.0,
    "negatives": 0.5,
}


def trained(corpus: Corpus, place: Path, **options: Any) -> Model:
    made = train(corpus, place, **{**OPTIONS, **options})
    assert isinstance(made, Model)
    return made


def test_terms_have_rows_and_words_do_not_move(corpus: Corpus, with_terms: SimpleNamespace, tmp_path: Path) -> None:
    model = trained(corpus, tmp_path / "with")
    plain = trained(corpus, tmp_path / "without", terms="none")
    assert plain.terms == []
    for name in ("dive", "contexts", "skipgram"):
        one, other = (getattr(m, name).matrix for m in (model, plain))
        for part in ("data", "indices", "indptr") if hasattr(one, "indptr") else ("data",):
            assert bytes(getattr(one, part)) == bytes(getattr(other, part))
    names, skipgram = model.vocabulary, space_of(model, "skipgram")
    assert skipgram is not None
    assert model.terms == with_terms.names and names.spelling("mod1 noun2") == "Mod1 Noun2"
    assert names.frequencies[len(model) :].tolist() == with_terms.counts.tolist()
    assert space_of(model).is_sparse and space_of(model).dimensions == 10
    assert facts_of(model)["terms"]["occurrences"] == len(with_terms.ids)

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    near, far = skipgram["mod1 noun2"], skipgram["mod7 noun9"]
    assert cosine(near, skipgram["noun2"]) > cosine(far, skipgram["noun2"])
    assert "terms" in (tmp_path / "with" / "README.md").read_text()


def test_a_listed_term_that_the_text_lacks_is_composed(
    corpus: Corpus, with_terms: SimpleNamespace, tmp_path: Path
) -> None:
    model = trained(corpus, tmp_path / "model")
    skipgram = space_of(model, "skipgram")
    assert composition_of(model) is not None and skipgram is not None
    assert model.vocabulary.frequency("mod3 noun4") == 0
    assert model["mod3 noun4"].any() and skipgram["mod3 noun4"].any()
    told = facts_of(model)["terms"]["composition"]
    assert told["skipgram"]["composed"] > told["skipgram"]["mean"]
    assert told["dive"]["composed"] > 0.9


def test_a_run_that_was_stopped_has_the_same_bytes(
    corpus: Corpus, with_terms: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(corpus, tmp_path / "whole")

    def stopped(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as stop:
        stop.setattr("hyperdive.pipeline.terms.fit_composition", stopped)
        with pytest.raises(KeyboardInterrupt):
            trained(corpus, tmp_path / "resumed")
    trained(corpus, tmp_path / "resumed", run=Run(threads=1))
    for file in ("model.safetensors", "vocabulary.parquet"):
        assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "resumed" / file).read_bytes()


def test_without_contexts_a_model_has_terms_but_nothing_to_fold_in_with(
    corpus: Corpus, with_terms: SimpleNamespace, tmp_path: Path
) -> None:
    model = trained(corpus, tmp_path / "model", contexts=False, skipgram=False)
    assert folding_of(model.contexts) is None and model.terms
    assert space_of(model, "skipgram") is None
    assert model.subset(model.words[:20]).terms == model.terms
