"""Which pairs are counted: the window, its sides, and what a distance weighs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import lcm
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from hyperdive.errors import OptionError

MAX_WINDOW = 65_535
MAX_HARMONIC_WINDOW = 20


@dataclass(frozen=True, kw_only=True)
class CountOptions:
    """The rules of counting. The values below are the defaults; the paper's are the same with `near` on.

    >>> CountOptions().window, CountOptions(weighting="harmonic", window=4).scale
    (10, 12)
    """

    window: int = 10
    """Context words on each side, within one line. Paper: 10."""
    sides: Literal["both", "left", "right"] = "both"
    """Contexts before and after a word, or only those before (left) or after it (right). Paper: both."""
    weighting: Literal["flat", "harmonic"] = "flat"
    """Every meeting counts 1, or 1/distance as in GloVe. Paper: flat."""
    near: bool = False
    """Keep the count inside window - 1 as well, for the PMI filter of the paper's program. Paper: on."""

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for name in ("sides", "weighting"):
            allowed = get_args(hints[name])
            if getattr(self, name) not in allowed:
                raise OptionError(f"{name} is {getattr(self, name)!r}", hint=f"use one of {', '.join(allowed)}")
        if isinstance(self.window, bool) or not isinstance(self.window, int) or self.window < 1:
            raise OptionError(f"the window is {self.window}", hint="it must be 1 or more; the paper's is --window 10")
        if self.window > MAX_WINDOW:
            raise OptionError(f"the window is {self.window}", hint=f"it can be at most {MAX_WINDOW}")
        if self.weighting == "harmonic" and self.window > MAX_HARMONIC_WINDOW:
            raise OptionError(
                f"exact 1/distance weights need a window of at most {MAX_HARMONIC_WINDOW}, not {self.window}",
                hint="use a smaller --window or --weighting flat",
            )
        if self.weighting == "harmonic" and self.near:
            raise OptionError(
                "the filter of the paper's program counts meetings, so it does not go with 1/distance weights",
                hint="use --weighting flat or --no-near",
            )

    @property
    def reach(self) -> int:
        """How many places a whole window has."""
        return self.window * (2 if self.sides == "both" else 1)

    @property
    def scale(self) -> int:
        """What a stored count of one meeting next door is: counts are exact integers in units of 1/scale."""
        return lcm(*range(1, self.window + 1)) if self.weighting == "harmonic" else 1

    @property
    def weights(self) -> npt.NDArray[np.int64]:
        """weights[d] in units of 1/scale; empty when every distance weighs 1."""
        if self.weighting == "flat":
            return np.zeros(0, dtype=np.int64)
        return np.array([0, *(self.scale // d for d in range(1, self.window + 1))], dtype=np.int64)

    def pairs(self, lengths: npt.NDArray[np.int64], repeats: npt.NDArray[np.int64]) -> int:
        """What all counts must add up to, in units of 1/scale: Σ over lines of n words and d < n of (n - d)·weight.

        `repeats[i]` lines have `lengths[i]` words.

        >>> CountOptions(window=2).pairs(np.array([1, 3]), np.array([5, 1]))
        6
        """
        total = 0
        longest = int(lengths.max()) if len(lengths) else 0
        for distance in range(1, min(self.window, longest - 1) + 1):
            weight = self.scale // distance if self.weighting == "harmonic" else 1
            long = lengths > distance
            total += weight * (self.reach // self.window) * int(((lengths[long] - distance) * repeats[long]).sum())
        return total

    def as_parameters(self) -> dict[str, Any]:
        """What the header of a count store records."""
        return asdict(self)
