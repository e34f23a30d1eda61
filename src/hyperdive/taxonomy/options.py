"""How a taxonomy is built: which terms, how many children and parents, and how sure an edge must be."""

from __future__ import annotations

from dataclasses import dataclass

from hyperdive.errors import OptionError

MIN_CONFIDENCE = 0.5
TOP, TOP_BENEATH, LEVELS_BENEATH = 500, 200, 3
"""Terms of a whole model, terms beneath a root, and levels searched beneath a root, when no option sets them."""


@dataclass(frozen=True)
class TaxonomyOptions:
    """Options of `hyperdive.taxonomy.build.taxonomy`.

    >>> TaxonomyOptions(min_children=3, max_children=2)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: max_children 2 is less than min_children 3
    """

    root: str | None = None
    """Find the terms beneath this word."""
    top: int | None = None
    """How many terms the model chooses; None is 500, or 200 beneath a root."""
    levels: int | None = None
    """Levels beneath a root; deeper terms are left out. None is no limit."""
    min_children: int = 0
    """Smaller groups are dissolved into the group above."""
    max_children: int | None = None
    """The least likely children of larger groups move to their next best parent. None is no limit."""
    min_confidence: float | None = None
    """Minimum confidence (or score) of an edge; None is 0.5 for a confidence, chosen from the data for a score."""
    score: str | None = None
    """The score to build by; None is the best that the model allows."""
    parents: int = 1
    """Most parents of a term; more than 1 gives a graph instead of a tree."""
    heads: bool = True
    """Add the heads of phrases to the terms: dog for domestic dog."""
    evidence: int = 0
    """How many sentences to keep with each edge."""

    def __post_init__(self) -> None:
        for name in ("levels", "max_children", "top"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"{name} must be 1 or more")
        if self.parents < 1 or self.min_children < 0:
            raise OptionError("parents must be 1 or more, and min_children 0 or more")
        if self.max_children is not None and self.max_children < self.min_children:
            raise OptionError(f"max_children {self.max_children} is less than min_children {self.min_children}")


DEFAULTS = TaxonomyOptions()
