"""Every table of the paper from raw text: one resumable run of stages, then tables, figures and claims."""

from __future__ import annotations

from hyperdive.paper.run import ReproducePlan, Reproduction, prepare, reproduce
from hyperdive.paper.stages import PARTS, ReproduceOptions

__all__ = ["PARTS", "ReproduceOptions", "ReproducePlan", "Reproduction", "prepare", "reproduce"]
