"""What a step of the paper's solver takes, part by part, and what fifteen epochs would take at that pace.

    python bench/paper_solver.py --corpus CORPUS              # the whole corpus; about two minutes of preparation
    python bench/paper_solver.py --corpus CORPUS --share 0.1

A step is a batch of 128 lines: pulls and pushes, their sums into the tables, Adam on every row. Seconds of a part are
added up over threads; those of a step are of the clock.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from count import first_part
from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PAPER_FILTER
from hyperdive.kernels import dive as kernels
from hyperdive.options import PaperOptions
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.dive_options import workers
from hyperdive.spaces.dive_paper import Batch, Batches, Tables, kept_pairs, push_weights, step
from hyperdive.text.corpus import Corpus

PARTS = ("position_gradients", "step_contexts", "step_words")


def timed(name: str, call: Callable[..., Any], spent: Counter[str]) -> Callable[..., Any]:
    """The same function, whose seconds are added up."""

    def measured(*arguments: Any) -> Any:
        started = time.perf_counter()
        result = call(*arguments)
        spent[name] += time.perf_counter() - started  # type: ignore[assignment]
        return result

    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    run, recipe, spent = Run(threads=chosen.threads), PaperOptions(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder, workers(chosen.threads) as pool:
        corpus = Corpus.open(chosen.corpus)
        if chosen.share < 1:
            corpus = first_part(corpus, chosen.share, Path(folder) / "part")
        counts = Cooccurrence.from_corpus(corpus, near=True, run=run)
        matrix = CountMatrix.of(counts, filtered=PAPER_FILTER, threads=chosen.threads)
        tokens = np.asarray(corpus[0 : len(corpus)], dtype=np.int64)
        offsets = np.asarray(corpus.line_offsets, dtype=np.int64)
        started = time.perf_counter()
        bits = kept_pairs(tokens, offsets, matrix, recipe.window, pool)
        print(f"{len(tokens):,} tokens, {matrix.size:,} words; pairs filtered in {time.perf_counter() - started:.0f} s")
        batches = Batches(tokens.astype(np.int32), offsets, bits, recipe, matrix.size)
        tables, weights = Tables.start(matrix.size, recipe), push_weights(matrix.frequencies, recipe)
        for at in range(2):  # kernels are loaded
            step(tables, batches[at], weights, recipe, pool)
        for name in PARTS:
            setattr(kernels, name, timed(name, getattr(kernels, name), spent))
        drawing = timed("drawing", batches.__getitem__, spent)
        clock = 0.0
        for at in range(2, 2 + chosen.steps):
            batch: Batch = drawing(at)
            started = time.perf_counter()
            step(tables, batch, weights, recipe, pool)
            clock += time.perf_counter() - started
    print("| part | ms a step |\n| --- | --- |")
    for name, seconds in (*spent.items(), ("step, by the clock, without drawing", clock)):
        print(f"| {name} | {1000 * seconds / chosen.steps:.1f} |")
    print(f"fifteen epochs: {len(batches):,} steps, about {len(batches) * clock / chosen.steps / 3600:.1f} h")


if __name__ == "__main__":
    main()
