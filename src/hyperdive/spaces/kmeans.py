"""K-means (Freq NMF): the counts of a word summed over clusters of context words, one dimension a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import InputError, MissingExtra, OptionError
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.skipgram import train_skipgram
from hyperdive.spaces.space import VectorSpace

_ROWS = 4096  # summed at a time


def kmeans(
    counts: Cooccurrence,
    vectors: Any = None,
    *,
    clusters: int = 100,
    batch: int = 1024,
    dimensions: int = 100,
    seed: int = 0,
    run: Run = Run(),
) -> VectorSpace:
    """x[k] = Σ_{c in cluster k} #(x,c), with the context words clustered by mini-batch k-means.

    `vectors` has a row for each word of `counts.words`, and what they are is the caller's to say; without them
    skip-gram vectors of `dimensions` are made from the same counts. Paper: 100 clusters of 100-dimensional vectors.

    >>> import tempfile
    >>> from hyperdive.text.token_lists import encode_tokens
    >>> lines = [["dog", "bark"], ["dog", "bark", "cat"], ["cat", "sleep"]]
    >>> counts = Cooccurrence.from_corpus(encode_tokens(lines, tempfile.mkdtemp() + "/corpus", min_count=1))
    >>> vectors = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.1], [0.0, 0.9]]  # bark with dog, cat with sleep
    >>> space = kmeans(counts, vectors, clusters=2)
    >>> space.words, sorted(space["dog"].tolist())
    (['bark', 'cat', 'dog', 'sleep'], [1.0, 2.0])
    """
    for name, value in (("clusters", clusters), ("batch", batch)):
        if value < 1:
            raise OptionError(f"the number of {name} is {value}", hint="it must be 1 or more")
    if clusters > len(counts):
        raise InputError(
            f"there are {len(counts)} words for {clusters} clusters",
            hint=f"give more text, lower --min-count, or use --dimensions {max(len(counts) // 4, 1)}",
        )
    given = vectors is not None
    if vectors is None:
        vectors = train_skipgram(
            CountMatrix.of(counts, threads=run.threads), run=run, dimensions=dimensions, seed=seed
        ).words[1:]
    points = np.ascontiguousarray(vectors, dtype=np.float32)
    if points.ndim != 2 or len(points) != len(counts):
        raise InputError(f"vectors of shape {points.shape} do not go with {len(counts)} words")
    labels = cluster(points, clusters=clusters, batch=batch, seed=seed)
    parameters = {
        "clusters": clusters,
        "batch": batch,
        "seed": seed,
        "vectors": "given" if given else "skipgram",
        "dimensions": points.shape[1],
        "counts": counts.fingerprint,
        "text": counts.header["text"],
    }
    return VectorSpace(
        counts.words,
        _summed(counts, labels, clusters, run.threads),
        frequencies=counts.frequencies[1:],
        kind="kmeans",
        parameters=parameters,
    )


def cluster(
    points: npt.NDArray[np.float32], *, clusters: int, batch: int = 1024, seed: int = 0
) -> npt.NDArray[np.int64]:
    """The cluster of each row by scikit-learn's MiniBatchKMeans, on one thread so that it is always the same.

    >>> labels = cluster(np.array([[0, 1], [9, 0], [0, 2], [8, 0]], dtype=np.float32), clusters=2)
    >>> bool(labels[0] == labels[2] != labels[1] == labels[3])
    True
    """
    try:
        from sklearn.cluster import MiniBatchKMeans
    except ImportError:
        raise MissingExtra("K-means", "baselines") from None
    from threadpoolctl import threadpool_limits

    if not np.isfinite(points).all():
        raise InputError("some vectors to cluster are not finite numbers", hint="check the vectors for inf or nan")
    with threadpool_limits(1):
        model = MiniBatchKMeans(
            n_clusters=clusters,
            batch_size=batch,
            max_iter=100,
            n_init=3,
            random_state=np.random.RandomState(seed % 2**32),
        )
        labels: npt.NDArray[np.int64] = model.fit(points).labels_.astype(np.int64)
    return labels


def _summed(
    counts: Cooccurrence, labels: npt.NDArray[np.int64], clusters: int, threads: int | None
) -> npt.NDArray[np.float32]:
    indptr, indices, data = counts.csr(include_unknown=False, threads=threads)
    sums = np.empty((len(labels), clusters), dtype=np.float32)
    for first in range(0, len(labels), _ROWS):
        last = min(first + _ROWS, len(labels))
        here = slice(int(indptr[first]), int(indptr[last]))
        rows = np.repeat(np.arange(last - first), np.diff(indptr[first : last + 1]))
        places = rows * clusters + labels[indices[here]]
        block = np.bincount(places, weights=data[here], minlength=(last - first) * clusters)
        sums[first:last] = block.reshape(-1, clusters)
    return sums
