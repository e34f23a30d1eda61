"""How fast is scoring and evaluating? Kernels against the obvious loops and a solver, on the same vectors.

    python bench/evaluate.py                      # made-up vectors as sparse as DIVE's
    python bench/evaluate.py --model MODEL        # a trained model; with HYPERDIVE_DATA also all datasets

The obvious loop for AL₁ is the authors' procedure in Python: one dictionary a word, sort the break points, walk. The
solver is one `scipy.optimize.linprog` call a pair. Both run on a few hundred pairs and are scaled.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

import common
from hyperdive import load
from hyperdive.scores import Pairs, Rows, as_source, get
from hyperdive.scores.files import PairFormat, PairWriter, open_pairs, score_stream
from hyperdive.spaces.space import VectorSpace


def made_up(words: int = 60_000, dimensions: int = 100, seed: int = 0) -> VectorSpace:
    """Vectors with 15 to 30 of 100 dimensions filled; the words of the second half include those of the first."""
    rng = np.random.default_rng(seed)
    popular = 0.9 / np.arange(1, dimensions + 1) ** 0.35
    filled = rng.random((words, dimensions), dtype=np.float32) < popular * 15 / popular.sum()
    matrix = rng.gamma(0.5, 1.0, (words, dimensions)).astype(np.float32) * filled
    half = words // 2
    matrix[half:] += matrix[:half]
    return VectorSpace(
        [f"w{i}" for i in range(words)], matrix, frequencies=rng.integers(10, 10_000, words), kind="dive"
    )


def al1_loop(q: dict[int, float], p: dict[int, float], w0: float = 5.0) -> float:
    """AL₁ of one pair in plain Python: sort the break points and spend the budget."""
    sum_q, sum_p = sum(q.values()), sum(p.values())
    if not sum_q or not sum_p:
        return -1.0
    points = sorted((p.get(i, 0.0) / sum_p / (x / sum_q), x / sum_q) for i, x in q.items())
    budget, saved = 1.0, 0.0
    for ratio, mass in points:
        spent = min(budget, (w0 + 1) * mass)
        saved += spent * ratio
        budget -= spent
        if budget <= 0:
            break
    return -max(1.0 - saved, 0.0)


def al1_solver(q: np.ndarray, p: np.ndarray, w0: float = 5.0) -> float:
    """AL₁ of one pair as a linear programme."""
    d_q, d_p = q / q.sum(), p / p.sum()
    n = len(q)
    cost = np.concatenate([[0.0], np.full(n, w0), np.ones(n)])
    over = np.hstack([d_q[:, None], -np.eye(n), np.zeros((n, n))])
    under = np.hstack([-d_q[:, None], np.zeros((n, n)), -np.eye(n)])
    return -float(linprog(cost, A_ub=np.vstack([over, under]), b_ub=np.concatenate([d_p, -d_p])).fun)


def processor_seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of some runs in processor time: comparable even when the machine is busy."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def kernels(space: VectorSpace, size: int) -> None:
    rng = np.random.default_rng(1)
    q, p = rng.integers(0, len(space), size), rng.integers(0, len(space), size)
    # every other pair is one of inclusion, where no score can stop early
    half = len(space) // 2
    q[::2] %= half
    p[::2] = q[::2] + half
    rows = Rows(space.matrix)
    _ = rows.sums  # of rows, not of pairs: computed once however many pairs come

    def speed(name: str) -> float:
        get(name)(Pairs(rows, q[:1000], p[:1000]))
        return size / common.seconds(lambda: get(name)(Pairs(rows, q, p)), repeat=3)

    for name in ("C·ΔS", "CDE", "AL₁", "APinc"):
        print(f"{name:<6} {speed(name) / 1e6:8.2f} M pairs/s")
    part, few = slice(0, size // 4), 3000
    ours = processor_seconds(lambda: get("AL₁")(Pairs(rows, q[part], p[part]))) / (size // 4)
    csr = rows.csr
    words = [
        {int(i): float(x) for i, x in zip(csr.indices[a:b], csr.data[a:b], strict=True)}
        for a, b in zip(csr.indptr[:-1], csr.indptr[1:], strict=True)
    ]
    chosen = list(zip(q[:few].tolist(), p[:few].tolist(), strict=True))
    loop = processor_seconds(lambda: [al1_loop(words[i], words[j]) for i, j in chosen]) / few
    dense = csr[np.concatenate([q[:20], p[:20]])].toarray().astype(np.float64) + 1e-12
    solver = processor_seconds(lambda: [al1_solver(dense[k], dense[20 + k]) for k in range(20)], 1) / 20
    print(
        f"AL₁ on one core, processor time a pair: {ours * 1e6:.2f} µs; a Python loop {loop * 1e6:.1f} µs "
        f"({loop / ours:,.0f} ×), linprog {solver * 1e6:,.0f} µs ({solver / ours:,.0f} ×)"
    )


def streaming(space: VectorSpace, size: int) -> None:
    rng = np.random.default_rng(2)
    folder = Path(tempfile.mkdtemp(prefix="hyperdive-bench-"))
    path = folder / "pairs.tsv"
    words = space.words
    path.write_text("".join(f"{words[a]}\t{words[b]}\n" for a, b in rng.integers(0, len(words), (size, 2))))

    def work() -> None:
        with (folder / "out.tsv").open("wb") as out:
            score_stream(as_source(space), open_pairs(path), [get("C·ΔS")], PairWriter(out, PairFormat.tsv))

    work()
    print(f"file to file, C·ΔS: {size / common.seconds(work, 2) / 1e6:.2f} M pairs/s")


def everything(model: object) -> None:
    from hyperdive.benchmark import EvaluationOptions, evaluate, load_all

    load_all()  # reading and checking the files is not scoring
    evaluate(model)
    for resamples in (0, 1000):
        options = EvaluationOptions(bootstrap=resamples)
        before, start = time.process_time(), time.perf_counter()
        scores = len(evaluate(model, options=options).scores)
        wall, processor = time.perf_counter() - start, time.process_time() - before
        print(
            f"eleven datasets × {scores} scores, {resamples} resamples: {wall:.1f} s, {processor:.1f} processor seconds"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="a model or space folder")
    parser.add_argument("--pairs", type=int, default=2_000_000)
    options = parser.parse_args()
    print(common.machine())
    model = made_up() if options.model is None else load(options.model)
    space = as_source(model).main
    kernels(space, options.pairs)  # type: ignore[arg-type]
    streaming(space, options.pairs // 2)  # type: ignore[arg-type]
    if os.environ.get("HYPERDIVE_DATA"):
        if options.model is None:
            from hyperdive.benchmark import load_all

            found = sorted({word for one in load_all() for key in one.space_keys() for word in key})
            rest = [f"w{i}" for i in range(60_000 - len(found))]
            made = made_up()
            model = VectorSpace(found + rest, made.matrix, frequencies=made.frequencies, kind="dive")
        everything(model)


if __name__ == "__main__":
    main()
