"""Do the solvers work because they stop early? AP, objective and zero rows along the way of each.

    python bench/path.py --corpus CORPUS --share 0.1 --epochs 30                  # the paper's solver and constants
    python bench/path.py --corpus CORPUS --share 0.1 --epochs 0 --preset default  # our constants, the fast solver

Trains the paper's solver (its constants) on the first part of a corpus for more epochs than the paper's fifteen, and
after each of them measures the exact objective on a sample, how many words have a zero vector, and the micro average of
AP over the ten datasets (HYPERDIVE_DATA). The last rows are the fast solver's on the same counts and objective.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

from count import first_part
from hyperdive._resources import Run
from hyperdive.benchmark.evaluation import EvaluationOptions, evaluate
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PAPER_FILTER
from hyperdive.options import PaperOptions, TrainOptions
from hyperdive.scores import as_source
from hyperdive.spaces.dive import TOGETHER, train_dive
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.dive_options import workers
from hyperdive.spaces.dive_paper import Batches, Tables, exact_objective, kept_pairs, push_weights, step
from hyperdive.spaces.inputs import NEIGHBOURS
from hyperdive.spaces.skipgram import train_skipgram
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus

SCORES = ("ΔS", "C·ΔS", "W·ΔS")


def report(label: str, words: np.ndarray, counts: Cooccurrence, skipgram: VectorSpace, objective: float) -> None:
    """One row of the table."""
    space = VectorSpace(counts.words, np.array(words[1:]), frequencies=counts.frequencies[1:], kind="dive")
    found = evaluate(as_source(space, skipgram), options=EvaluationOptions(scores=SCORES))
    averages = " | ".join(f"{found.micro10[score]:.2f}" for score in SCORES)
    zero = 100 * float((words[1:].sum(axis=1) == 0).mean())
    frequent = float(words[1:1001].sum(axis=1).mean())
    rho = found.hyperlex["C·ΔS"]
    print(f"| {label} | {objective:.4f} | {zero:.1f} | {frequent:.2f} | {averages} | {rho:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, type=Path)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--passes", type=int, nargs="*", default=[40, 100, 200], help="passes of the fast solver")
    parser.add_argument("--preset", default="paper", help="constants of the fast solver")
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    run, recipe = Run(threads=chosen.threads), PaperOptions(epochs=max(1, chosen.epochs))
    with tempfile.TemporaryDirectory() as folder:
        corpus = first_part(Corpus.open(chosen.corpus), chosen.share, Path(folder) / "part")
        counts = Cooccurrence.from_corpus(corpus, near=True, run=run)
        matrix = CountMatrix.of(counts, filtered=PAPER_FILTER, threads=chosen.threads)
        near = CountMatrix.of(Cooccurrence.from_corpus(corpus, window=NEIGHBOURS, run=run), threads=chosen.threads)
        vectors = train_skipgram(near, run=run).words[1:]
        skipgram = VectorSpace(counts.words, vectors, frequencies=counts.frequencies[1:], kind="skipgram")
        print(f"{len(corpus)} tokens, {matrix.size} words; constants of the fast solver: {chosen.preset}")
        print(
            "| epochs | objective | zero rows, % | mean sum, 1,000 frequent words | ΔS | C·ΔS | W·ΔS | HyperLex C·ΔS |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        tokens = np.asarray(corpus[0 : len(corpus)], dtype=np.int64)
        offsets = np.asarray(corpus.line_offsets, dtype=np.int64)
        tables, weights = Tables.start(matrix.size, recipe), push_weights(matrix.frequencies, recipe)
        with workers(chosen.threads) as pool:
            batches = Batches(
                tokens, offsets, kept_pairs(tokens, offsets, matrix, recipe.window, pool), recipe, matrix.size
            )
            for at in range(len(batches) if chosen.epochs else 0):
                step(tables, batches[at], weights, recipe, pool)
                epoch, number = divmod(at, batches.in_epoch)
                if number == batches.in_epoch - 1 and (epoch < 6 or epoch % 3 == 2):
                    value = exact_objective(matrix, tables, recipe)
                    report(f"paper, {epoch + 1}", tables.words, counts, skipgram, value)
        constants = TrainOptions.preset(chosen.preset)
        ours = CountMatrix.of(counts, filtered=constants.filter, threads=chosen.threads)
        for passes in chosen.passes:
            settings = {**asdict(constants.dive), "passes": passes, "tolerance": 0.0}
            result = train_dive(ours, run=run, **settings)
            far = ", ".join(f"{band.median:.3f}" for band in result.residuals)
            done = sum(entry.stage == TOGETHER for entry in result.history)
            label = f"fast, {chosen.preset}, {done} passes; residuals {far}"
            report(label, result.words, counts, skipgram, result.history[-1].objective)


if __name__ == "__main__":
    main()
