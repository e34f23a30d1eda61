"""Gaussian embedding: a word is a normal distribution, with a mean and a variance in each dimension.

The energy of two words is the logarithm of their densities' overlap, and a word should have more of it with its
neighbours than with a word drawn at random (Vilnis and McCallum 2015; Athiwaratkun and Wilson 2017, one component):

    E(x,y) = log N(0; μx - μy, Σx + Σy) = -½ Σ_i [log(vx + vy + ε) + (μx - μy)² / (vx + vy + ε)] + constant
    loss   = max(0, margin - E(w,c) + E(w,n))

Words and contexts share one table. One thread goes through the tokens in order, so the result is the same everywhere;
each example takes its own step of rate/batch, where the original sums those of a batch first.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._resources import Run
from hyperdive._resume import Checkpoint
from hyperdive._store import fingerprint
from hyperdive._types import Floats, Floats32, Ints
from hyperdive.errors import OptionError
from hyperdive.spaces.dive_options import check_size
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus

_BLOCK = 50_000  # tokens between two looks at the losses
_LEAST_RATE = 1e-4  # part of the rate that is left at the end


@dataclass(frozen=True, kw_only=True)
class GaussianOptions:
    """How Gaussians are trained: the paper's settings, and word2gm's defaults where it names none."""

    dimensions: int = 100
    """Length of a mean. Paper: 100."""
    window: int = 10
    """Context words on each side; for each word the window is drawn from 1 to this. Paper: 10."""
    rate: float = 0.01
    """Size of the first steps, for the mean loss of a batch; it falls evenly to nearly nothing. Paper: 0.01."""
    batch: int = 256
    """The rate is divided by this, since every example takes its own step."""
    epochs: int = 5
    """Passes over the corpus."""
    margin: float = 1.0
    """How much more energy a word should have with a neighbour than with a word drawn at random."""
    sample: float = 1e-3
    """Words that are a larger part of the text than this are left out now and then."""
    smoothing: float = 0.75
    """Power of a word's count among the negatives; each pair has one."""
    variance: float = 0.05
    """All variances at the start."""
    epsilon: float = 1e-4
    """Added to the sum of two variances."""
    clip: bool = True
    """Keep the bounds below. The paper states them; word2gm leaves them out unless told."""
    lowest: float = 0.1
    """Least variance. Paper: 0.1."""
    highest: float = 100.0
    """Largest variance. Paper: 100."""
    longest: float = 10.0
    """Largest norm of a mean. Paper: 10."""
    seed: int = 0
    """The same seed gives the same bytes."""


def train_gaussian(
    corpus: Corpus,
    *,
    checkpoint: str | Path | None = None,
    run: Run = Run(),
    **options: Any,
) -> VectorSpace:
    """A space of Gaussians, means in `matrix` and variances in `variances`; `options` of `GaussianOptions`.

    With `checkpoint`, a folder, a run that was stopped goes on from there and ends with the same bytes.

    >>> import tempfile
    >>> from hyperdive.text.token_lists import encode_tokens
    >>> corpus = encode_tokens([["dog", "bark"], ["cat", "sleep"]] * 100, tempfile.mkdtemp() + "/corpus", min_count=1)
    >>> space = train_gaussian(corpus, dimensions=4)
    >>> space, space.variances.shape, bool((space.variances >= 0.1).all())
    (<VectorSpace gaussian: 4 words, 4 dimensions, dense>, (4, 4), True)
    """
    from hyperdive.kernels.gaussian import gaussian_lines

    chosen = GaussianOptions(**options)
    frequencies = corpus.frequencies
    check_size(frequencies, chosen.dimensions)
    means, variances = first_gaussians(chosen, len(frequencies))
    keep = keep_chances(frequencies, chosen.sample)
    chance, alias = negative_table(frequencies, chosen.smoothing)
    lines = corpus.line_offsets
    cuts = _cuts(lines)
    steps = [(epoch, block) for epoch in range(chosen.epochs) for block in range(len(cuts) - 1)]
    losses = np.zeros((chosen.epochs, 2))
    lowest, highest, longest = (np.float32(bound) for bound in (chosen.lowest, chosen.highest, chosen.longest))
    state = Checkpoint(checkpoint, fingerprint({"gaussian": asdict(chosen), "corpus": corpus.fingerprint}))
    done = 0
    earlier = state.read()
    if earlier is not None:
        done = int(earlier[0]["done"])
        means, variances, losses = (earlier[1][name] for name in ("means", "variances", "losses"))
    with run.progress.stage("gaussian", total=len(corpus) * chosen.epochs, unit="tokens") as bar:
        for number, (epoch, block) in enumerate(steps):
            offsets = lines[cuts[block] : cuts[block + 1] + 1]
            first, last = int(offsets[0]), int(offsets[-1])
            if number < done:
                bar.advance(last - first)
                continue
            first_rate, last_rate = (
                chosen.rate / chosen.batch * max(_LEAST_RATE, 1 - (epoch + at / len(corpus)) / chosen.epochs)
                for at in (first, last)
            )
            total, examples = gaussian_lines(
                np.ascontiguousarray(corpus.tokens[first:last]),
                offsets - first,
                len(frequencies),
                keep,
                alias,
                chance,
                chosen.window,
                # blocks draw from streams of their own, so that a run can go on at any of them
                np.random.SeedSequence([chosen.seed, epoch, block]).generate_state(1, np.uint64),
                first_rate,
                last_rate,
                means,
                variances,
                np.float32(chosen.margin),
                np.float32(chosen.epsilon),
                chosen.clip,
                lowest,
                highest,
                longest,
            )
            if not np.isfinite(total):
                raise _ran_away()
            losses[epoch] += total, examples
            bar.advance(last - first, loss=round(total / max(examples, 1), 4))
            state.write({"done": number + 1}, {"means": means, "variances": variances, "losses": losses})
    if not (np.isfinite(means).all() and np.isfinite(variances).all()):
        raise _ran_away()
    if chosen.clip:  # words without a context have the initial variance
        np.clip(variances, lowest, highest, out=variances)
    state.remove()
    mean_losses = [round(float(total / max(examples, 1)), 6) for total, examples in losses]
    return VectorSpace(
        corpus.vocabulary[1:],
        means[1:],
        frequencies=frequencies[1:],
        kind="gaussian" if chosen.clip else "gaussian-no-clip",
        parameters={**asdict(chosen), "losses": mean_losses, "corpus": corpus.fingerprint},
        variances=variances[1:],
    )


def _ran_away() -> OptionError:
    return OptionError("training diverged", hint="train with clipping, or with a smaller rate")


def _cuts(lines: Ints) -> Ints:
    """The lines that blocks of about `_BLOCK` tokens start with, and the number of lines."""
    wanted = np.searchsorted(lines, np.arange(0, int(lines[-1]), _BLOCK))
    return np.unique(np.append(wanted, len(lines) - 1))


def first_gaussians(options: GaussianOptions, size: int) -> tuple[Floats32, Floats32]:
    """Means uniform in ±√(3/dimensions), so of norm about 1, and equal variances."""
    generator = np.random.default_rng(options.seed)
    reach = np.sqrt(3 / options.dimensions)
    means = generator.uniform(-reach, reach, (size, options.dimensions)).astype(np.float32)
    return means, np.full((size, options.dimensions), options.variance, dtype=np.float32)


def keep_chances(frequencies: Ints, sample: float) -> Floats:
    """How likely a token of each word stays, √(s/f) + s/f and at most 1, f its part of all known tokens.

    >>> keep_chances(np.array([5, 990, 9, 1]), 0.01).round(3).tolist()
    [0.0, 0.111, 1.0, 1.0]
    """
    kept = np.ones(len(frequencies))
    kept[0] = 0.0
    if sample:
        f = np.maximum(frequencies[1:], 1) / max(int(frequencies[1:].sum()), 1)
        kept[1:] = np.minimum(1.0, np.sqrt(sample / f) + sample / f)
    return kept


def negative_table(frequencies: Ints, smoothing: float) -> tuple[Floats, Ints]:
    """Walker's table of n(w)^smoothing, without the unknown symbol: chances and aliases."""
    from hyperdive.kernels.gaussian import alias_table

    weights = frequencies.astype(np.float64) ** smoothing
    weights[0] = 0.0
    chance, alias = np.empty(len(weights)), np.empty(len(weights), dtype=np.int64)
    alias_table(weights, chance, alias)
    return chance, alias
