"""The faithful solver: batches of lines, sampled negatives, dense Adam and the clip at 0, as the paper trains.

It is the reference the fast solver is judged against. One batch is 128 lines; each of its tokens is pulled towards the
contexts in its window whose pair passed the PMI filter, and pushed by 30 words drawn from the unigram distribution,
each push weighted Z/n(w). Then Adam moves *every* row of both tables, and both are clipped at 0.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._resources import Run
from hyperdive._resume import CHECKPOINT_SECONDS, Checkpoint
from hyperdive._types import Floats32, Ids, Ints
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PAPER_FILTER, PmiFilter
from hyperdive.errors import Error, InputError
from hyperdive.options import PaperOptions
from hyperdive.spaces.dive_objective import CountMatrix, band_residuals, row_objectives, sample_rows, word_weights
from hyperdive.spaces.dive_options import (
    DiveResult,
    Pass,
    check_size,
    run_identity,
    stalled,
    workers,
)
from hyperdive.text.corpus import Corpus

SAMPLE = 128
POSITIONS = 512  # positions of a batch worked on at once
PARTS = 32  # of a table, each with about as much to add up
LINES = 4096
EPOCHS = "epochs"


@dataclass
class Tables:
    """Both tables with Adam's memory."""

    words: Floats32
    contexts: Floats32
    m: tuple[Floats32, Floats32]
    v: tuple[Floats32, Floats32]
    steps: int = 0

    @classmethod
    def start(cls, size: int, options: PaperOptions) -> Tables:
        """Uniform random tables."""
        generator = np.random.default_rng(options.seed)
        shape = (size, options.dimensions)
        words, contexts = (generator.random(shape, dtype=np.float32) * np.float32(options.start) for _ in range(2))

        def zeros() -> tuple[Floats32, Floats32]:
            return np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)

        return cls(words, contexts, zeros(), zeros())

    def arrays(self) -> dict[str, Floats32]:
        """What a checkpoint keeps."""
        named = zip(("m0", "m1", "v0", "v1"), (*self.m, *self.v), strict=True)
        return {"words": self.words, "contexts": self.contexts, **dict(named)}


class Batch(NamedTuple):
    """The tokens of some lines, which of the next tokens each forms a kept pair with, and the noise drawn for each.

    So that every row is summed up by itself, positions are grouped by their word, and partners by their context.
    """

    ids: Ints
    bits: Ids
    noise: Ints
    word_starts: Ints
    positions: Ints
    context_starts: Ints
    slots: npt.NDArray[np.int32]

    @classmethod
    def of(cls, ids: Ints, bits: Ids, noise: Ints, *, window: int, size: int) -> Batch:
        """A batch of a vocabulary of so many words."""
        from hyperdive.kernels.dive import group_by_context

        word_starts, context_starts = np.zeros((2, size + 1), dtype=np.int64)
        np.cumsum(np.bincount(ids, minlength=size), out=word_starts[1:])
        slots = np.empty(len(ids) * (2 * window + noise.shape[1]), dtype=np.int32)
        group_by_context(ids, bits, noise, window, context_starts, slots)
        return cls(ids, bits, noise, word_starts, np.argsort(ids, kind="stable"), context_starts, slots)


@dataclass(frozen=True, eq=False)
class Batches:
    """The batches of a training: lines are drawn anew for every epoch, and a batch depends on its place only.

    >>> bits, options = np.zeros(6, np.uint32), PaperOptions(batch=2, window=1)
    >>> text = Batches(np.arange(6), np.array([0, 2, 4, 6]), bits, options, size=6)
    >>> len(text), text[0].ids.shape, text[0].noise.shape
    (15, (4,), (4, 3))
    """

    tokens: Ints
    offsets: Ints
    bits: Ids
    options: PaperOptions
    size: int
    """|V|."""

    @property
    def lines(self) -> int:
        """Lines a batch."""
        return min(self.options.batch, len(self.offsets) - 1)

    @property
    def in_epoch(self) -> int:
        """Batches an epoch; what does not fill the last one waits for another epoch."""
        return (len(self.offsets) - 1) // self.lines

    def __len__(self) -> int:
        return self.options.epochs * self.in_epoch

    def __getitem__(self, at: int) -> Batch:
        epoch, number = divmod(at, self.in_epoch)
        order = _order(self.options.seed, epoch, len(self.offsets) - 1)
        lines = order[number * self.lines : (number + 1) * self.lines]
        where = np.concatenate([np.arange(self.offsets[line], self.offsets[line + 1]) for line in lines])
        generator = np.random.default_rng([self.options.seed, epoch, number])
        drawn = generator.integers(0, len(self.tokens), (len(where), self.options.noise))
        ids, noise = (self.tokens[places].astype(np.int64) for places in (where, drawn))
        return Batch.of(ids, self.bits[where], noise, window=self.options.window, size=self.size)


@lru_cache(maxsize=2)
def _order(seed: int, epoch: int, lines: int) -> Ints:
    return np.random.default_rng([seed, epoch]).permutation(lines)


def step(tables: Tables, batch: Batch, weights: Floats32, options: PaperOptions, pool: ThreadPoolExecutor) -> None:
    """One batch: gradients, dense Adam, clip. `weights[w]` is what a push on a token of w weighs.

    Coefficients are worked out position by position; then every row of the contexts and of the words is summed up by
    itself, in the order of positions, and stepped: threads neither race nor change a sum.
    """
    from hyperdive.kernels.dive import position_gradients, step_contexts, step_words

    many, words, contexts = len(batch.ids), tables.words, tables.contexts
    coefficients = np.empty((many, 2 * options.window + batch.noise.shape[1]), dtype=np.float32)
    gradients = np.empty((many, options.dimensions), dtype=np.float32)

    def positions(first: int) -> None:
        last = min(first + POSITIONS, many)
        position_gradients(
            first, last, batch.ids, batch.bits, batch.noise, options.window, weights, words, contexts, coefficients,
            gradients,
        )  # fmt: skip

    list(pool.map(positions, range(0, many, POSITIONS)))
    tables.steps += 1
    f = np.float32
    # the mean over positions and negatives; it matters beside ε
    scale = f(1.0 / (many * options.noise))
    rate = f(options.rate * np.sqrt(1 - options.b2**tables.steps) / (1 - options.b1**tables.steps))
    adam = scale, rate, f(options.b1), f(options.b2), f(options.epsilon)

    def context_rows(part: tuple[int, int]) -> None:
        of_batch = batch.context_starts, batch.slots, batch.ids, coefficients, words
        step_contexts(*part, *of_batch, contexts, tables.m[1], tables.v[1], *adam)

    def word_rows(part: tuple[int, int]) -> None:
        step_words(*part, batch.word_starts, batch.positions, gradients, words, tables.m[0], tables.v[0], *adam)

    list(pool.map(context_rows, even_parts(batch.context_starts)))  # before the words move
    list(pool.map(word_rows, even_parts(batch.word_starts)))


def even_parts(starts: Ints, parts: int = PARTS) -> list[tuple[int, int]]:
    """Ranges of rows with about the same number of entries each, where a row takes as long as one entry more.

    >>> even_parts(np.array([0, 6, 6, 6, 7]), 2)
    [(0, 1), (1, 4)]
    """
    work = starts + np.arange(len(starts))
    cuts = np.searchsorted(work, work[-1] * np.arange(parts + 1) / parts)
    return [(int(first), int(last)) for first, last in pairwise(cuts) if first < last]


def push_weights(frequencies: Ints, options: PaperOptions) -> Floats32:
    """What one negative of a token of w weighs: Z_w/n(w), 0 for a word without tokens."""
    weights = word_weights(frequencies, beta=options.beta, shift=options.shift)
    return np.divide(weights, frequencies, out=np.zeros(len(weights)), where=frequencies > 0).astype(np.float32)


def kept_pairs(tokens: Ints, offsets: Ints, counts: CountMatrix, window: int, pool: ThreadPoolExecutor) -> Ids:
    """For each token, which of the next `window` tokens of its line it forms a kept pair with, as bits."""
    from hyperdive.kernels.dive import kept_bits

    bits = np.zeros(len(tokens), dtype=np.uint32)
    lines = len(offsets) - 1

    def some(first: int) -> None:
        last = min(first + LINES, lines)
        kept_bits(first, last, tokens, offsets, counts.indptr, counts.indices, window, bits)

    list(pool.map(some, range(0, lines, LINES)))
    return bits


def train_paper(
    corpus: Corpus,
    counts: Cooccurrence,
    *,
    filtered: PmiFilter | None = PAPER_FILTER,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    run: Run = Run(),
    **options: Any,
) -> DiveResult:
    """Train DIVE token by token on those pairs of a corpus that pass the PMI filter of its counts.

    `options` are those of `PaperOptions`; `checkpoint` as in `train_dive`.

    >>> import tempfile
    >>> from hyperdive.counts.cooccurrence import Cooccurrence
    >>> from hyperdive.text.token_lists import encode_tokens
    >>> lines = [["dog", "bark", "cat"], ["cat", "sleep", "dog"]] * 60
    >>> corpus = encode_tokens(lines, tempfile.mkdtemp() + "/corpus", min_count=1)
    >>> counts = Cooccurrence.from_corpus(corpus)
    >>> result = train_paper(corpus, counts, filtered=None, dimensions=2, batch=8, epochs=2)
    >>> result.words.shape, [p.number for p in result.history]
    ((5, 2), [1, 2])
    """
    chosen = PaperOptions(**options)
    if counts.options.sides != "both" or counts.frequencies.sum() != len(corpus):
        raise InputError("the paper's solver needs counts of this corpus, of both sides", hint="count the corpus again")
    matrix = CountMatrix.of(counts, filtered=filtered, threads=run.threads)
    check_size(matrix.frequencies, chosen.dimensions)
    tokens = np.asarray(corpus[0 : len(corpus)], dtype=np.int64)
    offsets = np.asarray(corpus.line_offsets, dtype=np.int64)
    identity = "" if checkpoint is None else run_identity(chosen, tokens, offsets, matrix.indptr, matrix.indices)
    keeper = Checkpoint(checkpoint, identity, seconds=checkpoint_seconds)
    tables, history, done = _resume(keeper, Tables.start(matrix.size, chosen))
    weights = push_weights(matrix.frequencies, chosen)
    with workers(run.threads) as pool:
        with run.progress.stage("filtering pairs", total=1, unit="texts") as bar:
            bits = kept_pairs(tokens, offsets, matrix, chosen.window, pool)
            bar.advance(1)
        # noise is gathered from all over the text: half the bytes are half the time
        batches = Batches(tokens.astype(np.int32), offsets, bits, chosen, matrix.size)
        del tokens
        with run.progress.stage("training", total=len(batches), unit="batches") as bar:
            bar.advance(done)
            following = pool.submit(batches.__getitem__, done) if done < len(batches) else None
            for at in range(done, len(batches)):
                assert following is not None
                batch = following.result()
                if at + 1 < len(batches):
                    following = pool.submit(batches.__getitem__, at + 1)
                step(tables, batch, weights, chosen, pool)
                epoch, number = divmod(at, batches.in_epoch)
                bar.advance(1, epoch=epoch + 1, objective=f"{history[-1].objective:.4f}" if history else "")
                if number == batches.in_epoch - 1:
                    history.append(Pass(EPOCHS, epoch + 1, exact_objective(matrix, tables, chosen)))
                    if stalled([p.objective for p in history], chosen.tolerance):
                        break
                keeper.write({"done": at + 1, "history": list(history)}, tables.arrays())
    keeper.remove()
    gauge = np.ones(tables.words.shape[1], dtype=np.float32)
    shifted = chosen.noise * word_weights(matrix.frequencies, beta=chosen.beta, shift=chosen.shift)
    residuals = band_residuals(matrix, tables.words, tables.contexts, shifted)
    return DiveResult(tables.words, tables.contexts, tuple(history), gauge, residuals)


def exact_objective(counts: CountMatrix, tables: Tables, options: PaperOptions) -> float:
    """The objective of a fixed sample of words with all negatives, in nats a token; an error when it is not finite."""
    n = counts.frequencies
    rows = sample_rows(0, counts.size, SAMPLE)
    weights = options.noise * word_weights(n, beta=options.beta, shift=options.shift)
    values = row_objectives(counts, rows, tables.words, tables.contexts, weights, (n / n.sum()).astype(np.float32))
    value = float(values.sum() / max(int(n[rows].sum()), 1))
    if not np.isfinite(value):
        raise Error("training left the range of numbers", hint="use a smaller rate")
    return value


def _resume(keeper: Checkpoint, tables: Tables) -> tuple[Tables, list[Pass], int]:
    kept = keeper.read()
    if kept is None:
        return tables, [], 0
    state, arrays = kept
    for name, array in tables.arrays().items():
        array[...] = arrays[name]
    tables.steps = int(state["done"])
    return tables, [Pass(*entry) for entry in state["history"]], int(state["done"])
