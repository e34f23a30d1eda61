"""Every table of the paper from raw text: one resumable run of stages, then tables, figures and claims."""

from __future__ import annotations

from hyperdive.benchmark.reproduce.plan import PARTS, ReproduceOptions
from hyperdive.benchmark.reproduce.run import ReproducePlan, Reproduction, prepare, reproduce

__all__ = ["PARTS", "ReproduceOptions", "ReproducePlan", "Reproduction", "prepare", "reproduce"]
