"""word2vec as gensim trains it, on the lines of an encoded corpus: the baseline for our own skip-gram."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hyperdive._progress import Bar
from hyperdive._resources import Run
from hyperdive.errors import InputError, MissingExtra
from hyperdive.spaces.dive_options import check_size
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus

_LONGEST = 10_000  # gensim leaves out what goes beyond this in one line


@dataclass(frozen=True, kw_only=True)
class Word2VecOptions:
    """The settings of the paper, with those it leaves at word2vec's own defaults."""

    dimensions: int = 100
    """Length of a vector. Paper: 100."""
    window: int = 10
    """Context words on each side; for each word the window is drawn from 1 to this. Paper: 10."""
    negatives: int = 5
    """Negatives for each pair. Paper: 5."""
    epochs: int = 5
    """Passes over the corpus. Paper: 5."""
    cbow: bool = False
    """Predict a word from its neighbours, not these from it. The paper says skip-gram; its program runs CBOW."""
    sample: float = 1e-3
    """Words that are a larger part of the text than this are left out now and then."""
    smoothing: float = 0.75
    """Power of a word's count among the negatives."""
    rate: float = 0.025
    """Size of the first steps; it falls to 0.0001."""
    seed: int = 0
    """With one thread the same seed gives the same bytes."""


class _Lines:
    """Lines as lists of known words, as often as gensim asks; rare words are gone before windows are laid."""

    def __init__(self, corpus: Corpus, bar: Bar) -> None:
        self._corpus, self._bar = corpus, bar
        self._words = np.array(corpus.vocabulary, dtype=object)

    def __iter__(self) -> Iterator[list[str]]:
        for ids in self._corpus:
            known = self._words[ids[ids > 0]].tolist()
            for start in range(0, len(known), _LONGEST):
                yield known[start : start + _LONGEST]
            self._bar.advance(len(ids))


def train_word2vec(corpus: Corpus, *, run: Run = Run(), **options: Any) -> VectorSpace:
    """gensim's word2vec vectors of a corpus; `options` of `Word2VecOptions`.

    With one thread, the default, the same seed gives the same vectors. With more it is faster, and no run is like
    another: gensim's threads write to one table.

    >>> import tempfile
    >>> from hyperdive.text.token_lists import encode_tokens
    >>> lines = [["dog", "bark"], ["cat", "sleep"]] * 100 + [["poodle", "bark"]]
    >>> train_word2vec(encode_tokens(lines, tempfile.mkdtemp() + "/corpus", min_count=1), dimensions=4)
    <VectorSpace word2vec: 5 words, 4 dimensions, dense>
    """
    chosen = Word2VecOptions(**options)
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise MissingExtra("word2vec", "baselines") from None
    from threadpoolctl import threadpool_limits

    check_size(corpus.frequencies, chosen.dimensions)
    words, frequencies = corpus.vocabulary[1:], corpus.frequencies[1:]
    total = len(corpus) * chosen.epochs
    with threadpool_limits(1, "blas"), run.progress.stage("word2vec", total=total, unit="words") as bar:
        model = Word2Vec(
            vector_size=chosen.dimensions,
            window=chosen.window,
            min_count=1,  # the corpus knows its own
            negative=chosen.negatives,
            sg=0 if chosen.cbow else 1,
            sample=chosen.sample,
            ns_exponent=chosen.smoothing,
            alpha=chosen.rate,
            min_alpha=1e-4,
            seed=chosen.seed,
            workers=1 if run.threads is None else run.threads,
        )
        model.build_vocab_from_freq(dict(zip(words, frequencies.tolist(), strict=True)))
        known = int(frequencies.sum())
        model.train(_Lines(corpus, bar), total_words=known, epochs=chosen.epochs)
    order = [model.wv.key_to_index[word] for word in words]
    vectors = model.wv.vectors[order]
    if not np.isfinite(vectors).all():
        raise InputError("word2vec ended in vectors that are not finite numbers", hint="train with a smaller rate")
    return VectorSpace(
        words,
        vectors,
        frequencies=frequencies,
        kind="word2vec-cbow" if chosen.cbow else "word2vec",
        parameters={**asdict(chosen), "corpus": corpus.fingerprint},
    )
