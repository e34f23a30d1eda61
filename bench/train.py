"""How fast is training? Counting, DIVE and skip-gram against gensim's Word2Vec, on the same tokens in the same run.

    python bench/train.py --corpus CORPUS              # time and memory, the half against the whole
    python bench/train.py --corpus CORPUS --solvers    # the fast solver against the paper's on a part of the text

gensim runs on a tenth of the lines with the whole vocabulary, one epoch, and is scaled by 10 and by its five epochs.
The peak of memory is that of a process that does nothing but count and train. The comparison of solvers trains both at
β = 0, without a ridge and with all tokens, that is on the paper's own objective, prints what each reached (exact: all
words, all negatives), and with each solver's own defaults AP on the datasets (HYPERDIVE_DATA).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import common
from count import first_part
from hyperdive._resources import Run
from hyperdive.benchmark.datasets import MICRO_10
from hyperdive.benchmark.evaluation import EvaluationOptions, evaluate
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PAPER_FILTER, PmiFilter
from hyperdive.errors import Error
from hyperdive.options import TrainOptions
from hyperdive.spaces.dive import train_dive
from hyperdive.spaces.dive_objective import CountMatrix, row_objectives, word_weights
from hyperdive.spaces.dive_options import DiveResult
from hyperdive.spaces.dive_paper import train_paper
from hyperdive.spaces.inputs import NEIGHBOURS
from hyperdive.spaces.skipgram import train_skipgram
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus

WINDOW, EPOCHS, SHARE = 10, 5, 0.1
PAPER_NEGATIVES = 1.5


def ours(place: str, threads: int | None) -> dict[str, Any]:
    """Count and train as `hyperdive train` does; seconds of each part, and this process's peak memory."""
    corpus = Corpus.open(place)
    start = time.perf_counter()
    counts = Cooccurrence.from_corpus(corpus, window=WINDOW, near=True, run=Run(threads=threads))
    counted = time.perf_counter()
    matrix = CountMatrix.of(counts, filtered=PmiFilter.of(TrainOptions()), threads=threads)
    result = train_dive(matrix, run=Run(threads=threads))
    trained = time.perf_counter()
    del matrix
    near = Cooccurrence.from_corpus(corpus, window=NEIGHBOURS, run=Run(threads=threads))
    train_skipgram(CountMatrix.of(near, threads=threads), run=Run(threads=threads))
    return {
        "tokens": len(corpus),
        "words": counts.vocabulary_size,
        "count": counted - start,
        "dive": trained - counted,
        "skipgram": time.perf_counter() - trained,
        "objective": result.history[-1].objective,
        "peak_mb": common.peak_memory(),
    }


def in_a_process(corpus: Path, threads: int | None) -> dict[str, Any]:
    """`ours` in a process of its own, after a run on nothing much that compiles the kernels."""
    program = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); import train\n"
        "print(json.dumps(train.ours(sys.argv[2], json.loads(sys.argv[3]))))\n"
    )
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", program, here, str(corpus), json.dumps(threads)]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return result


def gensim_seconds(corpus: Corpus, workers: int) -> float:
    """What five epochs of gensim over the whole corpus would take, from one over a tenth of it."""
    from gensim.models import Word2Vec

    lines = len(corpus.line_offsets) - 1
    some = int(lines * SHARE)
    texts = []
    for text in corpus.lines_of_words():
        texts.append(text)
        if len(texts) == some:
            break
    model = Word2Vec(sg=1, window=WINDOW, negative=5, workers=workers, vector_size=100, min_count=1)
    model.build_vocab_from_freq(dict(zip(corpus.vocabulary, map(int, corpus.frequencies), strict=True)))
    start = time.perf_counter()
    model.train(texts, total_examples=some, epochs=1)
    return (time.perf_counter() - start) / SHARE * EPOCHS


def compare_speed(corpus: Corpus, threads: int | None) -> None:
    """Our seconds beside gensim's, and how they grow from half the corpus to the whole."""
    with tempfile.TemporaryDirectory() as folder:
        in_a_process(first_part(corpus, 0.01, Path(folder) / "small").path, threads)
        half = in_a_process(first_part(corpus, 0.5, Path(folder) / "half").path, threads)
    whole = in_a_process(corpus.path, threads)
    theirs = gensim_seconds(corpus, workers=2)
    dive, both = (sum(whole[part] for part in parts) for parts in (("count", "dive"), ("count", "dive", "skipgram")))
    print(f"{whole['tokens']} tokens, {whole['words']} words, {common.machine()}")
    print("| work | seconds | of gensim's |\n| --- | --- | --- |")
    print(f"| gensim Word2Vec, {EPOCHS} epochs (from a tenth) | {theirs:.0f} | 1 |")
    print(f"| count | {whole['count']:.1f} | |")
    print(f"| count + DIVE | {dive:.1f} | 1/{theirs / dive:.1f} |")
    print(f"| count + DIVE + skip-gram | {both:.1f} | 1/{theirs / both:.1f} |")
    before = sum(half[part] for part in ("count", "dive", "skipgram"))
    print(f"peak memory {whole['peak_mb']:.0f} MB")
    print(f"half the corpus takes {before:.1f} s, the whole {both / before:.2f} times that")


def exact_objective(matrix: CountMatrix, result: DiveResult) -> float:
    """The paper's objective (β = 0) over all words with all negatives, in nats a token."""
    n = matrix.frequencies
    weights = 2 * WINDOW * PAPER_NEGATIVES * word_weights(n, beta=0.0)
    masses = (n / n.sum()).astype(np.float32)
    parts = row_objectives(matrix, np.arange(len(n)), result.words, result.contexts, weights, masses)
    return float(parts.sum() / n.sum())


def figures(counts: Cooccurrence, result: DiveResult) -> str:
    """Micro averages over the ten sets, where the datasets are."""
    words = counts.words
    space = VectorSpace(words, result.words[1:], frequencies=counts.frequencies[1:], kind="dive")
    try:
        found = evaluate(space, datasets=[*MICRO_10, "HyperLex"], options=EvaluationOptions(scores=["C*dS", "dS"]))
    except Error as error:
        return f"– | – | – ({error})"
    return f"{found.micro10['C·ΔS']:.2f} | {found.micro10['ΔS']:.2f} | {found.hyperlex['C·ΔS']:.2f}"


def compare_solvers(corpus: Corpus, share: float, epochs: int, threads: int | None) -> None:
    """Both solvers on the same counts: the paper's objective as each leaves it, and AP with each one's defaults."""
    with tempfile.TemporaryDirectory() as folder:
        part = first_part(corpus, share, Path(folder) / "part")
        counts = Cooccurrence.from_corpus(part, window=WINDOW, near=True, run=Run(threads=threads))
        matrix = CountMatrix.of(counts, filtered=PAPER_FILTER, threads=threads)
        settings = Run(threads=threads)
        same: dict[str, Any] = {"negatives": PAPER_NEGATIVES, "beta": 0.0, "run": settings}
        runs: dict[str, Callable[[], DiveResult]] = {
            "fast, the paper's objective, 40 passes": lambda: train_dive(matrix, ridge=0.0, sample=0.0, **same),
            "fast, the paper's objective, 100 passes": lambda: train_dive(
                matrix, ridge=0.0, sample=0.0, passes=100, **same
            ),
            "fast, its own defaults": lambda: train_dive(
                CountMatrix.of(counts, filtered=PmiFilter.of(TrainOptions()), threads=threads), run=settings
            ),
            f"paper, its own defaults, {epochs} epochs": lambda: train_paper(
                part, counts, filtered=PAPER_FILTER, epochs=epochs, **same
            ),
        }
        print(f"{len(part)} tokens, {counts.vocabulary_size} words, {common.machine()}")
        print("| solver | seconds | objective at β = 0, nats a token | micro C·ΔS | micro ΔS | HyperLex ρ C·ΔS |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name, run in runs.items():
            start = time.perf_counter()
            result = run()
            seconds = time.perf_counter() - start
            reached = exact_objective(matrix, result)
            print(f"| {name} | {seconds:.0f} | {reached:.4f} | {figures(counts, result)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, help="an encoded corpus")
    parser.add_argument("--solvers", action="store_true", help="compare the two solvers instead")
    parser.add_argument("--share", type=float, default=0.1, help="part of the corpus for the solvers")
    parser.add_argument("--epochs", type=int, default=15, help="epochs of the paper's solver")
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    corpus = Corpus.open(options.corpus)
    if options.solvers:
        compare_solvers(corpus, options.share, options.epochs, options.threads)
    else:
        compare_speed(corpus, options.threads)


if __name__ == "__main__":
    main()
