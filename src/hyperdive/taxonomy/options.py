"""How a taxonomy is built: which terms, how many children and parents, and how sure an edge must be."""

from __future__ import annotations

from dataclasses import dataclass

from hyperdive.errors import OptionError
from hyperdive.options import Options, option

MIN_CONFIDENCE = 0.5
TOP, TOP_BENEATH, LEVELS_BENEATH = 500, 200, 3
"""Terms of a whole model, terms beneath a root, and levels searched beneath a root, when no option sets them."""


@dataclass(frozen=True, kw_only=True)
class TaxonomyOptions(Options):
    """Options of `hyperdive.taxonomy.build.taxonomy`.

    >>> TaxonomyOptions(min_children=3, max_children=2)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: max_children 2 is less than min_children 3
    """

    root: str | None = option(None, "Find the terms under this root word.")
    top: int | None = option(
        None, f"Number of terms to select, by default {TOP}, or {TOP_BENEATH} under a root.", low=1
    )
    levels: int | None = option(None, "Maximum depth below a root; deeper terms are dropped.", low=1, rare=True)
    min_children: int = option(0, "Merge groups with fewer children into their parent.", low=0, rare=True)
    max_children: int | None = option(
        None, "Maximum number of children; the least likely move to their next best parent.", low=1, rare=True
    )
    min_confidence: float | None = option(
        None, f"Minimum confidence (or score) for an edge, by default {MIN_CONFIDENCE}."
    )
    score: str | None = option(
        None, "Score to build the taxonomy with, such as C*dS; by default the best one the model supports.", rare=True
    )
    parents: int = option(1, "Maximum number of parents; more than 1 gives a directed acyclic graph.", low=1, rare=True)
    heads: bool = option(True, "Add the head nouns of phrases (dog for domestic dog).")
    evidence: int = option(0, "Maximum number of sentences to keep with each edge.", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_children is not None and self.max_children < self.min_children:
            raise OptionError(f"max_children {self.max_children} is less than min_children {self.min_children}")


DEFAULTS = TaxonomyOptions()
