"""Options of the makers of spaces; each maker uses those it knows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import OptionError
from hyperdive.spaces.dive_options import DiveOptions
from hyperdive.spaces.dive_paper import PaperOptions

SOLVERS = ("fast", "paper")
SHARED_OPTIONS = ("dimensions", "window", "negatives", "beta", "shift", "seed")
"""What `DiveOptions` and `PaperOptions` both have: the objective, not the way to it."""
ABSENT_FROM_PAPER = ("ridge", "sample")
"""Terms of the objective that the paper's solver cannot add: they must be 0."""


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
    pmi_shift: float = 1.0
    """k' of positive PMI, k_I of positive PMI with the inclusion shift: its logarithm is taken off. Paper: 1."""
    solver: str = "fast"
    """`fast` works on counts; `paper` is the paper's own way over the tokens."""

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise OptionError(f"no solver {self.solver!r}", hint=f"use one of {', '.join(SOLVERS)}")
        if not 0 < self.pmi_shift < float("inf"):
            raise OptionError(f"pmi_shift is {self.pmi_shift}", hint="use a number above 0; the paper's is 1")
        self.filter  # noqa: B018 a wrong filter should be told now

    @property
    def filter(self) -> PmiFilter | None:
        """The PMI filter, or None."""
        return None if self.pmi_filter == "none" else PmiFilter.parse(self.pmi_filter)

    @property
    def paper(self) -> PaperOptions:
        """The recipe of the paper's solver with the objective of these options."""
        return PaperOptions(**{name: getattr(self.dive, name) for name in SHARED_OPTIONS})

    def dive_parameters(self) -> dict[str, Any]:
        """What training DIVE with these options uses, for headers: nothing that its solver leaves out.

        >>> fast, paper = SpaceOptions(), SpaceOptions(solver="paper", dive=DiveOptions(ridge=0, sample=0))
        >>> [one.dive_parameters().get("passes") for one in (fast, paper)]
        [40, None]
        >>> [one.dive_parameters().get("epochs") for one in (fast, paper)]
        [None, 15]
        """
        made = asdict(self.dive)
        if self.solver == "paper":
            made = {name: made[name] for name in (*SHARED_OPTIONS, *ABSENT_FROM_PAPER)} | asdict(self.paper)
        if not self.dive.shift:
            del made["beta"]
        return {**made, "pmi_filter": self.pmi_filter, "solver": self.solver}
