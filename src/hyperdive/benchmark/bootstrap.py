"""How sure is a figure? Resampled pairs for 95 % intervals, and a paired test between two models."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperdive._resources import check_threads
from hyperdive._types import Floats
from hyperdive.benchmark.measures import TiedOrder, rank
from hyperdive.kernels import resample as kernels

if TYPE_CHECKING:
    from hyperdive.benchmark.evaluation import Scored


GROUP = 64  # resamples that go through a ranking together: the draws of one pair are one line of the cache
KEPT = 3
"""Datasets whose draws are kept."""
_DRAWN = 1 << 18  # numbers drawn at once: Python's other threads are waited for after each time


def in_blocks(kernel: Callable[..., None], size: int, *arguments: Any, block: int, threads: int) -> None:
    """Call `kernel(*arguments, start, end)` until 0 … size is covered, on threads; 0 means one per core."""
    starts = range(0, size, block)
    with ThreadPoolExecutor(check_threads(threads or None) if len(starts) > 1 else 1) as pool:
        jobs = [pool.submit(kernel, *arguments, start, min(start + block, size)) for start in starts]
        for job in jobs:
            job.result()


@lru_cache(maxsize=KEPT)
def draws(name: str, size: int, resamples: int, seed: int) -> npt.NDArray[np.uint8]:
    """How often each of `size` pairs is in each resample. The same for every model and score, so they can be paired.

    >>> draws("x", 10, 3, 0).sum(axis=1).tolist()
    [10, 10, 10]
    """
    generator = np.random.Generator(np.random.Philox([seed, zlib.crc32(name.encode())]))
    counts = np.zeros((resamples, size), dtype=np.uint8)
    many = max(_DRAWN // max(size, 1), 1)
    for start in range(0, resamples, many):
        some = counts[start : start + many]
        drawn = generator.integers(0, size, some.shape)
        drawn += np.arange(len(some))[:, None] * size
        kernels.count_draws(drawn.reshape(-1), some.reshape(-1))
    return counts


def _side_by_side(counts: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return draws by group, pair and resample of the group; the last group is filled up with empty resamples."""
    resamples, size = counts.shape
    groups = np.zeros((-(-resamples // GROUP), size, GROUP), dtype=np.uint8)
    kernels.place_side_by_side(counts, groups)
    return groups


@lru_cache(maxsize=4)
def _harmonic(size: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, size + 1))])


def replicates(
    scored: Scored,
    resamples: int = 1000,
    *,
    seed: int = 0,
    threads: int = 0,
    rankings: Mapping[str, TiedOrder] | None = None,
) -> dict[str, Floats]:
    """The measure (AP, or ρ for a graded set) in per cent of every resample, for every score of a dataset.

    `rankings` are those of the scores, where they have been made.
    """
    dataset = scored.dataset
    counts = draws(dataset.name, len(dataset), resamples, seed)
    if rankings is None:
        rankings = {name: rank(values, scored.known) for name, values in scored.values.items()}
    if not rankings:
        return {}
    orders = np.stack([ranking.order for ranking in rankings.values()]).astype(np.int32)
    blocks = np.stack([ranking.block for ranking in rankings.values()]).astype(np.int32)
    if dataset.graded:
        gold = rank(dataset.gold)
        gold_ranking = gold.order.astype(np.int32), gold.block.astype(np.int32)
        out = np.zeros((len(orders), resamples))
        arguments = (orders, blocks, *gold_ranking, counts, out)
        in_blocks(kernels.resampled_spearman, resamples, *arguments, block=64, threads=threads)
    else:
        last = np.ones(orders.shape, dtype=np.bool_)
        last[:, :-1] = blocks[:, 1:] != blocks[:, :-1]
        groups = _side_by_side(counts)
        grouped = np.zeros((len(orders), len(groups), GROUP))
        most, harmonic = int(counts.max(initial=0)), _harmonic(len(dataset))
        ranked = (orders, dataset.labels[orders], last, groups, most, harmonic, grouped)
        in_blocks(kernels.resampled_ap, len(groups), *ranked, block=1, threads=threads)
        out = grouped.reshape(len(orders), -1)[:, :resamples]
    return {name: 100.0 * row for name, row in zip(rankings, out, strict=True)}


def interval(values: Floats) -> tuple[float, float]:
    """The middle 95 % of resampled figures.

    >>> interval(np.arange(101.0))
    (2.5, 97.5)
    """
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


def paired_p(first: Floats, second: Floats) -> float:
    """Two-sided p value that two models differ, from the same resamples of both.

    >>> paired_p(np.array([3.0, 4.0, 5.0, 6.0]), np.array([1.0, 1.0, 1.0, 1.0]))
    0.4
    """
    difference = (first - second)[~np.isnan(first - second)]
    below, above = int((difference <= 0).sum()), int((difference >= 0).sum())
    # one is added so that a finite number of resamples never claims certainty
    return float(min(1.0, 2.0 * (min(below, above) + 1) / (len(difference) + 1)))
