"""Options of the makers of spaces; each maker uses those it knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import OptionError
from hyperdive.spaces.dive_options import DiveOptions

SOLVERS = ("fast", "paper")


@dataclass(frozen=True, kw_only=True)
class SpaceOptions:
    """How a space is made.

    >>> SpaceOptions(pmi_filter="none").filter is None, SpaceOptions().dive.dimensions
    (True, 100)
    """

    dive: DiveOptions = field(default_factory=DiveOptions)
    """The objective of DIVE; other spaces take its dimensions, window and seed."""
    pmi_filter: str = "45tokens"
    """k_f with its unit: pairs with fewer co-occurrences are left out; `none` keeps all. Paper: 30tokens."""
    solver: str = "fast"
    """`fast` works on counts; `paper` is the paper's own way over the tokens."""

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise OptionError(f"no solver {self.solver!r}", hint=f"use one of {', '.join(SOLVERS)}")
        self.filter  # noqa: B018 a wrong filter should be told now

    @property
    def filter(self) -> PmiFilter | None:
        """The PMI filter, or None."""
        return None if self.pmi_filter == "none" else PmiFilter.parse(self.pmi_filter)
