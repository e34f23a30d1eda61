"""The PMI filter: which pairs co-occur often enough to be kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from hyperdive.errors import OptionError
from hyperdive.options import SpaceOptions

if TYPE_CHECKING:
    from hyperdive.counts.cooccurrence import Cooccurrence


@dataclass(frozen=True, kw_only=True)
class PmiFilter:
    """Keep a pair (x,y) that occurs at least `threshold` times as often as the unit says.

    `tokens`, the unit of the paper's program: keep when T·n(x,y) ≥ k_f·n(x)·n(y), with T and n(x) in *tokens* and
    n(x,y) inside window - 1 on each side; a pair that only ever occurs at distance window has n(x,y) = 0 there and is
    kept. Independent words reach 2·(window - 1) = 18, so the paper's k_f = 30 is a PMI ratio of 1.67. `near=False`
    takes n(x,y) inside the whole window instead (independent words reach 20).

    `ratio`, true PMI: keep when #(x,y)·|D| ≥ k_f·#(x)·#(y), all in pairs; independent words reach 1.

    >>> PmiFilter(threshold=30)
    PmiFilter(threshold=30, unit='tokens', near=True)
    >>> PmiFilter.parse("1.5ratio"), PmiFilter.parse("30")
    (PmiFilter(threshold=1.5, unit='ratio', near=False), PmiFilter(threshold=30.0, unit='tokens', near=True))
    """

    threshold: float
    unit: Literal["tokens", "ratio"] = "tokens"
    near: bool | None = None

    def __post_init__(self) -> None:
        if self.unit not in ("tokens", "ratio"):
            raise OptionError(f"the unit of the PMI filter is {self.unit!r}", hint="use tokens or ratio")
        if not 0 <= self.threshold < float("inf"):
            raise OptionError(f"the PMI filter is {self.threshold}", hint="use a number of 0 or more")
        if self.near is None:
            object.__setattr__(self, "near", self.unit == "tokens")
        if self.near and self.unit == "ratio":
            raise OptionError("the ratio unit counts pairs of the whole window", hint="use near=False with it")

    @classmethod
    def parse(cls, text: str) -> PmiFilter:
        """A filter from what a person types: a number with an optional unit."""
        number, unit = text.strip(), "tokens"
        for known in ("tokens", "ratio"):
            if number.endswith(known):
                number, unit = number.removesuffix(known).strip(), known
        try:
            return cls(threshold=float(number), unit=unit)  # type: ignore[arg-type]
        except ValueError:
            raise OptionError(f"{text!r} is not a PMI filter", hint="write 30, 30tokens or 1.67ratio") from None

    @classmethod
    def of(cls, options: SpaceOptions) -> PmiFilter | None:
        """Return the filter that options of a space name, or None."""
        return None if options.pmi_filter == "none" else cls.parse(options.pmi_filter)

    def terms(self, counts: Cooccurrence, *, include_unknown: bool) -> FilterTerms:
        """The filter as left·n(x,y) ≥ right·a[x]·b[y] for the ids of a count store."""
        if self.near and not counts.has_near:
            raise OptionError(
                f"{counts.name}: the PMI filter in tokens needs counts inside window - 1, which were not kept",
                hint="count again with --set near=yes, or use the ratio unit",
            )
        if self.unit == "tokens":
            frequencies = counts.frequencies.astype(np.float64)
            return FilterTerms(
                float(counts.tokens), self.threshold * counts.scale, frequencies, frequencies, bool(self.near)
            )
        margins = counts.margins(include_unknown=include_unknown)
        rows, columns = (margin.astype(np.float64) for margin in (margins.rows, margins.columns))
        if not include_unknown:  # by id, with the unknown symbol at 0
            rows, columns = np.concatenate([[0.0], rows]), np.concatenate([[0.0], columns])
        return FilterTerms(float(margins.total), self.threshold, rows, columns, False)

    def as_parameters(self) -> dict[str, Any]:
        """What headers record."""
        return {"threshold": self.threshold, "unit": self.unit, "near": self.near}


@dataclass(frozen=True)
class FilterTerms:
    """Keep when left·n ≥ right·a[x]·b[y] or n = 0, n inside the window, or inside window - 1 when `near`."""

    left: float
    right: float
    a: npt.NDArray[np.float64]
    b: npt.NDArray[np.float64]
    near: bool


PAPER_FILTER = PmiFilter(threshold=30)
"""The filter as the paper's program applies it."""
