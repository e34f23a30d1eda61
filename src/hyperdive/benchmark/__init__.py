"""Evaluation: datasets, measures, and tables next to the paper's figures."""

from __future__ import annotations

from hyperdive.benchmark.dataset import Dataset
from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, load, load_all
from hyperdive.benchmark.evaluation import Evaluation, EvaluationOptions, evaluate
from hyperdive.benchmark.pairs_file import read_pairs

__all__ = [
    "ELEVEN",
    "MICRO_4",
    "MICRO_10",
    "Dataset",
    "Evaluation",
    "EvaluationOptions",
    "evaluate",
    "load",
    "load_all",
    "read_pairs",
]
