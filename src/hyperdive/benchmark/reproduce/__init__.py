"""Every table of the paper from raw text: one resumable run of stages, then tables, figures and claims."""

from __future__ import annotations

from hyperdive.benchmark.reproduce.plan import PARTS, ReproduceOptions
from hyperdive.benchmark.reproduce.run import Plan, Reproduction, prepare, reproduce

__all__ = ["PARTS", "Plan", "ReproduceOptions", "Reproduction", "prepare", "reproduce"]
