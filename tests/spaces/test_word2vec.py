"""word2vec by gensim: its settings, the same bytes on one thread, rare words and long lines."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from hyperdive._progress import Bar
from hyperdive._resources import Run
from hyperdive.errors import InputError, MissingExtra
from hyperdive.spaces.word2vec import Word2VecOptions, _Lines, train_word2vec
from hyperdive.text.corpus import UNKNOWN, Corpus
from hyperdive.text.token_lists import encode_tokens
from tests.spaces import planted

from .test_dive import Recorded

pytest.importorskip("gensim")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    lines = [["rare", *line] for line in planted.lines(3)] + planted.lines(6000)
    return encode_tokens(lines, tmp_path_factory.mktemp("word2vec") / "corpus", min_count=4)


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Where it does not matter what is learned."""
    lines = [["rare", *line] for line in planted.lines(3)] + planted.lines(1000)
    return encode_tokens(lines, tmp_path_factory.mktemp("little") / "corpus", min_count=4)


def test_one_thread_gives_the_same_bytes(little: Corpus) -> None:
    corpus = little
    one, two = (train_word2vec(corpus, dimensions=10, seed=4) for _ in range(2))
    assert one.matrix.tobytes() == two.matrix.tobytes()
    assert train_word2vec(corpus, dimensions=10, seed=5).matrix.tobytes() != one.matrix.tobytes()
    assert one.words == corpus.vocabulary[1:]
    assert np.array_equal(one.frequencies, corpus.frequencies[1:])
    assert UNKNOWN not in one
    assert "rare" not in one


def test_the_settings_are_those_of_the_paper(little: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = little
    import gensim.models

    seen: dict[str, object] = {}
    whole = gensim.models.Word2Vec

    class Spy(whole):  # type: ignore[misc, valid-type]
        def __init__(self, **options: object) -> None:
            seen.update(options)
            super().__init__(**options)

        def train(self, *given: object, **options: object) -> object:
            seen.update(options)
            return super().train(*given, **options)

    monkeypatch.setattr(gensim.models, "Word2Vec", Spy)
    train_word2vec(corpus)
    wanted = {"vector_size": 100, "window": 10, "negative": 5, "epochs": 5, "sg": 1, "sample": 1e-3, "workers": 1,
              "ns_exponent": 0.75, "alpha": 0.025, "min_alpha": 1e-4}  # fmt: skip
    assert {name: seen[name] for name in wanted} == wanted
    assert seen["total_words"] == int(corpus.frequencies[1:].sum())
    assert train_word2vec(corpus, dimensions=5, cbow=True, run=Run(threads=2)).kind == "word2vec-cbow"
    assert (seen["sg"], seen["workers"]) == (0, 2)


def test_words_of_one_kind_come_near(corpus: Corpus) -> None:
    space = train_word2vec(corpus, dimensions=20, epochs=10)
    assert planted.related_precision(space) > 0.8


def test_long_lines_are_not_cut_short(tmp_path: Path) -> None:
    """gensim silently drops what goes beyond 10,000 words of a line."""
    corpus = encode_tokens([["dog", "bark"] * 12_000, ["once", "dog"]], tmp_path / "corpus", min_count=2)
    lines = list(_Lines(corpus, Bar("", None, "")))
    assert [len(line) for line in lines] == [10_000, 10_000, 4_000, 1]
    assert lines[-1] == ["dog"]


def test_what_it_refuses(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="words for 5000 dimensions"):
        train_word2vec(corpus, dimensions=5000)
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtra, match="word2vec needs the 'baselines' extra"):
        train_word2vec(corpus, dimensions=5)


def test_progress_and_defaults(little: Corpus) -> None:
    seen = Recorded()
    space = train_word2vec(little, dimensions=3, epochs=2, run=Run(progress=seen))
    assert seen.totals["word2vec"] == seen.made("word2vec") == 2 * len(little)
    assert space.kind == "word2vec" and space.parameters["corpus"] == little.fingerprint
    assert asdict(Word2VecOptions()) == {
        "dimensions": 100, "window": 10, "negatives": 5, "epochs": 5, "cbow": False, "sample": 1e-3, "smoothing": 0.75,
        "rate": 0.025, "seed": 0,
    }  # fmt: skip


def test_one_value_that_is_no_number_is_enough(little: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    import gensim.models

    class Spoilt(gensim.models.Word2Vec):  # type: ignore[misc]
        def train(self, *given: object, **options: object) -> None:
            self.wv.vectors[3, 1] = np.nan

    monkeypatch.setattr(gensim.models, "Word2Vec", Spoilt)
    with pytest.raises(InputError, match="not finite"):
        train_word2vec(little, dimensions=3)
