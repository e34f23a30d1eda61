"""How good is it? Datasets, measures, and tables beside the paper's."""

from __future__ import annotations

from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, Dataset, load, load_all
from hyperdive.benchmark.evaluation import Evaluation, evaluate

__all__ = ["ELEVEN", "MICRO_4", "MICRO_10", "Dataset", "Evaluation", "evaluate", "load", "load_all"]
