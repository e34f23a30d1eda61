"""Fold-in: rows of new terms, given contexts that are trained already.

Given the contexts, the row of every term is a problem of its own:

- DIVE: max over x ≥ 0 of Σ_c n(t,c)·log σ(x·c) + κ·Z_t·(Σ_c P(c)·log σ(-x·c) - ½·ridge·x²), the objective of the words
  with the same filter, the same thinning of frequent contexts, and Z_t from the term's own count. It is concave, and
  `hyperdive.kernels.dive.fold_rows` climbs it to the top: a word that is folded in gets its trained row again,
  as far as training had converged.
- skip-gram: row t of the shifted PMI times V·S^(p-1), with length 1 and the constant last dimension. This is what the
  words are too: since M = U·S·Vᵀ, M·V·S^(p-1) = U·S^p.

Rows are counted, solved and rounded block by block, in parallel; the same bytes at any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from hyperdive._quantize import rounded_to_16_bits
from hyperdive._resources import Run
from hyperdive._types import Floats, Floats32, Ints
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.counts.term_counts import TermCounts, filtered_rows
from hyperdive.options import DiveOptions
from hyperdive.spaces.dive import shared_negatives
from hyperdive.spaces.dive_objective import kept_shares, word_weights
from hyperdive.spaces.dive_options import workers
from hyperdive.spaces.folding import Folding
from hyperdive.spaces.skipgram import NEVER, SkipgramOptions
from hyperdive.spaces.space import unit_rows

BLOCK = 256  # terms worked on at once; part of the result's bytes
STEPS, TOLERANCE = 12, 1e-3
Span = tuple[int, int]


@dataclass(frozen=True)
class ContextTables:
    """Trained contexts, row by row with the unknown symbol first.

    >>> parts = Folding(5, np.ones(4, np.float32), np.ones(4, np.float32))
    >>> ContextTables.of(np.array([9]), np.zeros((1, 4), np.float32), parts).frequencies.tolist()
    [5, 9]
    """

    frequencies: Ints
    """n(w) of every context."""
    contexts: Floats32
    """The context vectors of DIVE."""
    gauge: Floats32
    """See `Folding.gauge`."""
    skipgram: Floats32 | None = None
    """V·S^(p-1) of the skip-gram vectors."""
    context_terms: Floats32 | None = None
    """What of the shifted PMI depends on the context alone."""

    @classmethod
    def of(cls, frequencies: Ints, contexts: Any, folding: Folding) -> ContextTables:
        """The tables of a model: frequencies and context vectors of its words, and what it keeps beside them."""
        dense = contexts if isinstance(contexts, np.ndarray) else contexts.toarray()
        skipgram, context_terms = folding.skipgram, folding.context_terms
        if skipgram is not None and context_terms is not None:
            skipgram = np.vstack([np.zeros((1, skipgram.shape[1]), dtype=np.float32), skipgram])
            context_terms = np.concatenate([[NEVER], context_terms]).astype(np.float32)
        return cls(
            np.concatenate([[folding.unknown_frequency], frequencies]).astype(np.int64),
            np.vstack([folding.unknown_context[None], dense]).astype(np.float32),
            folding.gauge,
            skipgram,
            context_terms,
        )


def fold_dive(
    counts: TermCounts,
    tables: ContextTables,
    options: DiveOptions,
    filtered: PmiFilter | None,
    run: Run = Run(),
    span: Span | None = None,
) -> sparse.csr_array:
    """The DIVE rows of all terms of some counts, sparse and rounded to 16 bits.

    Args:
        counts: the counts of terms, with the window of the words'.
        tables: the trained contexts.
        options: those the contexts were trained with.
        filtered: the PMI filter they were trained with.
        run: threads and progress.
        span: first and last of the terms whose rows are wanted; the first must begin a block. None is all.
    """
    from hyperdive.kernels.dive import fold_rows

    problem = _Problem.of(tables, options)
    kept = kept_shares(tables.frequencies, options.sample)
    weights, own_kept = _term_weights(counts.frequencies, tables.frequencies, options)

    def solve(first: int, last: int) -> sparse.csr_array:
        rows = counts.rows(first, last)
        indptr, indices, values = rows.indptr, rows.indices, rows.counts
        if filtered is not None:
            indptr, indices, values = filtered_rows(
                rows, filtered, counts.frequencies[first:last], tables.frequencies, counts.options
            )
        thinned = values * np.repeat(own_kept[first:last], np.diff(indptr)) * kept[indices] / counts.options.scale
        out = np.empty((last - first, problem.contexts.shape[1]), dtype=np.float32)
        fold_rows(
            indptr, indices, thinned.astype(np.float32), weights[first:last], problem.contexts, problem.mean,
            problem.gram, problem.negatives, problem.masses, problem.ridge, STEPS, TOLERANCE, out,
        )  # fmt: skip
        return sparse.csr_array(rounded_to_16_bits(out))

    parts = _in_blocks(span or (0, len(counts)), solve, "terms", run)
    shape = (0, problem.contexts.shape[1])
    return sparse.csr_array(sparse.vstack(parts, format="csr")) if parts else sparse.csr_array(shape, dtype=np.float32)


def fold_skipgram(
    counts: TermCounts, tables: ContextTables, options: SkipgramOptions, run: Run = Run(), span: Span | None = None
) -> Floats32:
    """The skip-gram rows of all terms of some counts, rounded to 16 bits; zero where a term has no association.

    Args:
        counts: the counts of terms, with the window of those behind the skip-gram vectors.
        tables: the trained matrix.
        options: those it was trained with.
        run: threads and progress.
        span: first and last of the terms whose rows are wanted, as in `fold_dive`.
    """
    from hyperdive.kernels.dive import ppmi_product

    matrix, context_terms = tables.skipgram, tables.context_terms
    assert matrix is not None
    assert context_terms is not None

    def solve(first: int, last: int) -> Floats32:
        rows = counts.rows(first, last)
        sums = np.add.reduceat(np.append(rows.counts, 0).astype(np.float64), rows.indptr[:-1])
        row_terms = -np.log(np.maximum(sums, 1.0)) - np.log(options.negatives)
        out = np.empty((last - first, matrix.shape[1]), dtype=np.float32)
        ppmi_product(
            0, last - first, rows.indptr, rows.indices, rows.counts.astype(np.float32),
            row_terms.astype(np.float32), context_terms, matrix, out,
        )  # fmt: skip
        return rounded_to_16_bits(unit_rows(out, options.lean))

    parts = _in_blocks(span or (0, len(counts)), solve, "terms of skip-gram", run)
    return np.vstack(parts) if parts else np.zeros((0, options.dimensions), dtype=np.float32)


@dataclass(frozen=True)
class _Problem:
    """What every row shares."""

    contexts: Floats32
    mean: Floats
    gram: Floats
    negatives: Floats32
    masses: Floats32
    ridge: Floats

    @classmethod
    def of(cls, tables: ContextTables, options: DiveOptions) -> _Problem:
        contexts = np.ascontiguousarray(tables.contexts, dtype=np.float32)
        share = tables.frequencies / tables.frequencies.sum()
        generator = np.random.default_rng(options.seed)
        chosen, masses = shared_negatives(generator, share.astype(np.float32), options.sampled // 2, options.sampled)
        wide = contexts.astype(np.float64)
        with workers(1):  # BLAS on one thread
            mean, gram = share @ wide, (wide.T * share) @ wide
        negatives = np.ascontiguousarray(contexts[chosen].T)
        # the ridge weighs rows in the gauge of training
        ridge = options.ridge / np.square(tables.gauge, dtype=np.float64)
        return cls(contexts, mean, gram, negatives, masses, ridge)


def _term_weights(terms: Ints, words: Ints, options: DiveOptions) -> tuple[Floats32, Floats]:
    """κ·Z_t of every term, by the rule for words with their mean count; and the share of its tokens a term keeps."""
    kappa = 2 * options.window * options.negatives
    weights = kappa * word_weights(words, beta=options.beta, shift=options.shift, of=terms)
    return weights.astype(np.float32), kept_shares(words, options.sample, of=terms)


def _in_blocks(span: Span, solve: Callable[[int, int], Any], name: str, run: Run) -> list[Any]:
    """What `solve` makes of every block of terms, in order."""
    begin, end = span
    with workers(run.threads) as pool, run.progress.stage(name, total=end - begin, unit="terms") as bar:

        def block(first: int) -> Any:
            last = min(first + BLOCK, end)
            part = solve(first, last)
            bar.advance(last - first)
            return part

        return list(pool.map(block, range(begin, end, BLOCK)))
