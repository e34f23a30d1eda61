"""Evaluation: datasets, measures, and tables next to the paper's figures."""

from __future__ import annotations

from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, Dataset, load, load_all, read_pairs
from hyperdive.benchmark.evaluation import Evaluation, EvaluationOptions, evaluate

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
