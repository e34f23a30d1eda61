"""K-means (Freq NMF): plain sums of counts over clusters, the same every time."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import InputError, MissingExtra, OptionError
from hyperdive.spaces.kmeans import cluster, kmeans
from hyperdive.text.token_lists import encode_tokens
from tests.spaces import planted

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Cooccurrence:
    place = tmp_path_factory.mktemp("kmeans")
    lines = [["rare", *line] for line in planted.lines(3)] + planted.lines(6000)
    return Cooccurrence.from_corpus(encode_tokens(lines, place / "corpus", min_count=4), place / "counts")


def test_entries_are_sums_of_counts_over_clusters(counts: Cooccurrence) -> None:
    vectors = np.random.default_rng(0).normal(size=(len(counts), 5)).astype(np.float32)
    space = kmeans(counts, vectors, clusters=9, seed=3)
    labels = cluster(vectors, clusters=9, seed=3)
    assert len(set(labels.tolist())) == 9
    for word in counts.words[::17]:
        expected = np.zeros(9)
        for context, count in counts.row(word).items():
            expected[labels[counts.words.index(context)]] += count
        assert space[word].tolist() == expected.tolist()
    # nothing is lost but what meets the unknown symbol
    assert space.matrix.sum() == counts.margins().total
    assert (space.kind, space.dimensions, space.words) == ("kmeans", 9, counts.words)


def test_it_is_the_same_at_any_number_of_threads(counts: Cooccurrence) -> None:
    made = [kmeans(counts, clusters=10, dimensions=10, run=Run(threads=threads)) for threads in (1, 2)]
    assert np.array_equal(made[0].matrix, made[1].matrix)
    assert made[0].parameters == made[1].parameters
    other = kmeans(counts, clusters=10, dimensions=10, seed=1)
    assert not np.array_equal(made[0].matrix, other.matrix)


def test_seeds_are_0_unless_told_otherwise_and_of_any_size() -> None:
    points = np.random.default_rng(0).normal(size=(2500, 5)).astype(np.float32)
    labels = {seed: cluster(points, clusters=9, batch=1024, seed=seed).tolist() for seed in (0, 1, 5, 2**32 + 5)}
    assert labels[0] != labels[1]
    assert cluster(points, clusters=9).tolist() == labels[0]
    assert cluster(points, clusters=9, batch=1025).tolist() != labels[0]
    assert labels[2**32 + 5] == labels[5]


def test_words_of_one_kind_share_their_clusters(counts: Cooccurrence) -> None:
    space = kmeans(counts, clusters=30, dimensions=30)
    assert planted.related_precision(space) > 0.8


def test_what_it_refuses(counts: Cooccurrence, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="words for 100000 clusters"):
        kmeans(counts, clusters=100_000)
    with pytest.raises(OptionError, match="number of clusters is 0"):
        kmeans(counts, clusters=0)
    with pytest.raises(InputError, match="do not go with"):
        kmeans(counts, np.zeros((3, 3)), clusters=2)
    with pytest.raises(InputError, match="not finite"):
        kmeans(counts, np.full((len(counts), 2), np.nan), clusters=2)
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtra, match=r"K-means needs the 'baselines' extra"):
        kmeans(counts, clusters=5, dimensions=5)


def test_a_hundred_clusters_unless_told_otherwise(counts: Cooccurrence, monkeypatch: pytest.MonkeyPatch) -> None:
    import sklearn.cluster

    seen: dict[str, object] = {}
    whole = sklearn.cluster.MiniBatchKMeans

    def spy(**options: object) -> object:
        seen.update(options)
        return whole(**options)

    monkeypatch.setattr(sklearn.cluster, "MiniBatchKMeans", spy)
    space = kmeans(counts)
    wanted = {"clusters": 100, "batch": 1024, "seed": 0, "vectors": "skipgram", "dimensions": 100}
    assert {name: space.parameters[name] for name in wanted} == wanted
    assert space.shape == (len(counts), 100)
    assert (seen["n_clusters"], seen["batch_size"], seen["max_iter"], seen["n_init"]) == (100, 1024, 100, 3)


def test_sums_of_few_rows_at_a_time_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [[f"w{i}", f"w{(3 * i) % 11}", f"w{(i * i) % 11}"] for i in range(44)]
    counts = Cooccurrence.from_corpus(encode_tokens(lines, tmp_path / "corpus", min_count=4), tmp_path / "counts")
    vectors = np.random.default_rng(0).normal(size=(len(counts), 3)).astype(np.float32)
    every = kmeans(counts, vectors, clusters=len(counts))  # as many clusters as words
    assert every.dimensions == len(counts) and every.matrix.sum() == counts.margins().total
    one = kmeans(counts, vectors, clusters=1, batch=1)
    assert one.matrix[:, 0].tolist() == counts.to_scipy().sum(axis=1).tolist()
    whole = kmeans(counts, vectors, clusters=4)
    monkeypatch.setattr("hyperdive.spaces.kmeans._ROWS", 3)
    assert np.array_equal(kmeans(counts, vectors, clusters=4).matrix, whole.matrix)
    for wrong in (vectors[:, 0], vectors[:, :, None], vectors[1:]):
        with pytest.raises(InputError, match="do not go with"):
            kmeans(counts, wrong, clusters=2)
    vectors[2, 1] = np.nan
    with pytest.raises(InputError, match="not finite"):
        kmeans(counts, vectors, clusters=2)
    with pytest.raises(OptionError, match="number of batch is 0"):
        kmeans(counts, vectors, clusters=2, batch=0)
