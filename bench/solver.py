"""Where does a pass of the fast solver spend its time, and what bounds it? Processor time of one core, by part.

    python bench/solver.py --counts COUNTS

A pass over the frequent words is made of the positive gradient (stored pairs), the negative one (shared by all rows),
and Adam. Each is run by itself on the same arrays; beside it stand the bytes and the floating-point operations that it
needs, and what this machine does at best: copying a large array, and a large product of matrices.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import common
from hyperdive._resources import one_blas_thread
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.kernels.dive import adam_rows, negative_gradient, positive_gradient
from hyperdive.options import DiveOptions, TrainOptions
from hyperdive.spaces.dive import BLOCK
from hyperdive.spaces.dive_objective import CountMatrix, compressed_rows, scaled_rows

F = np.float32


def processor_seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of some runs, after one that does not count."""
    work()
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", required=True, help="a count store")
    parser.add_argument(
        "--zeros", type=float, default=0.85, help="share of entries that are zero, as after some passes"
    )
    options = parser.parse_args()
    print(common.machine())
    chosen = DiveOptions()
    counts = CountMatrix.of(Cooccurrence.open(options.counts), filtered=PmiFilter.of(TrainOptions())).sampled(
        chosen.sample
    )
    few = min(chosen.frequent, counts.size)
    starts, ends = counts.indptr[:few], counts.ends(few)[:few]
    pairs = int((ends - starts).sum())
    rng = np.random.default_rng(0)
    own, other = (rng.random((few, chosen.dimensions), dtype=F) * F(0.5) for _ in range(2))
    for matrix in (own, other):
        matrix[rng.random(matrix.shape) < options.zeros] = 0
    held = other[rng.choice(few, min(chosen.sampled, few), replace=False)]
    positive, blocks = np.empty_like(own), range(0, few, BLOCK)
    m, v, weights = np.zeros_like(own), np.ones_like(own), np.ones(few, dtype=F)
    masses, at_zero = np.ones(len(held), dtype=F), np.zeros(chosen.dimensions, dtype=F)
    packed, negatives = scaled_rows(other), compressed_rows(held)
    print(f"{few:,} words, {pairs:,} pairs, {chosen.dimensions} dimensions, {len(held):,} negatives")

    def packing() -> None:
        scaled_rows(other)
        compressed_rows(held)

    def gradient() -> None:
        for at in blocks:
            end = min(at + BLOCK, few)
            positive_gradient(at, end, starts, ends, counts.indices, counts.data, own, *packed, positive[at:end])

    def pushes() -> None:
        for at in blocks:
            negative_gradient(at, own, *negatives, masses, at_zero, positive[at : at + BLOCK])

    def products() -> None:
        for at in blocks:
            dots = own[at : at + BLOCK] @ held.T
            np.negative(dots, out=dots)
            np.exp(dots, out=dots)
            dots += 1
            np.reciprocal(dots, out=dots)
            positive[at : at + BLOCK] = dots @ held

    def adam() -> None:
        for at in blocks:
            here = slice(at, at + BLOCK)
            one = F(1)
            adam_rows(
                at, own, m[here], v[here], positive[here], positive[here], weights, F(0), F(0), one, one, one, one
            )

    large = np.ones(50_000_000, dtype=F)
    target = np.empty_like(large)
    square = rng.random((2000, 2000), dtype=F)
    out = np.empty_like(square)
    width = 2 * packed.entries.shape[1]
    used = len(negatives.values) / len(held)
    with one_blas_thread():
        bandwidth = 8 * len(large) / processor_seconds(lambda: np.copyto(target, large)) / 1e9
        blas = 2 * 2000**3 / processor_seconds(lambda: np.matmul(square, square, out=out)) / 1e9
        print(f"at best: {bandwidth:.1f} GB/s of copying, {blas:.0f} G operations/s of a product, both on one core\n")
        parts = (
            ("packing of the other table", packing, 4 * other.size + 2 * packed.entries.size, 0),
            ("positive gradient", gradient, pairs * (width + 8), 4 * pairs * chosen.dimensions),
            ("negative gradient", pushes, 0, int(4 * few * len(held) * used)),
            ("Adam", adam, 24 * own.size, 0),
        )
        dense = processor_seconds(products)
        found = [(name, processor_seconds(work), size, operations) for name, work, size, operations in parts]
    total = sum(seconds for _, seconds, _, _ in found)
    print("| half a pass (words) | processor s | share | GB/s of rows and pairs | G operations/s | of BLAS |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, seconds, size, operations in found:
        rate, moved = operations / seconds / 1e9, size / seconds / 1e9
        shown = f"{rate:.1f} | {100 * rate / blas:.0f} %" if operations else "– | –"
        print(
            f"| {name} | {seconds:.3f} | {100 * seconds / total:.0f} % | {f'{moved:.1f}' if size else '–'} | {shown} |"
        )
    print(
        f"the negative gradient by products of dense matrices: {dense:.3f} s, {dense / found[2][1]:.1f} times as long"
    )


if __name__ == "__main__":
    main()
