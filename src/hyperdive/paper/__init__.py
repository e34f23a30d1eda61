"""Every table of the paper from raw text: one resumable run of stages, then tables, figures and claims."""

from __future__ import annotations

from hyperdive.options import PARTS, ReproduceOptions
from hyperdive.paper.run import ReproducePlan, Reproduction, prepare, reproduce

__all__ = ["PARTS", "ReproduceOptions", "ReproducePlan", "Reproduction", "prepare", "reproduce"]
