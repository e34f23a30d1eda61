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

    root: str | None = option(None, "Find the terms beneath this word.")
    top: int | None = option(None, "How many terms the model chooses; by default 500, or 200 beneath a root.", low=1)
    levels: int | None = option(
        None, "Levels beneath a root; deeper terms are left out. By default no limit.", low=1, rare=True
    )
    min_children: int = option(0, "Smaller groups are dissolved into the group above.", low=0, rare=True)
    max_children: int | None = option(
        None,
        "The least likely children of larger groups move to their next best parent. By default no limit.",
        low=1,
        rare=True,
    )
    min_confidence: float | None = option(
        None, "Minimum confidence (or score) of an edge; by default 0.5; for a score, found in the data."
    )
    score: str | None = option(None, "Score to build by; by default, the best one the model supports.", rare=True)
    parents: int = option(1, "Most parents of a term; more than 1 gives a graph instead of a tree.", low=1, rare=True)
    heads: bool = option(True, "Add the heads of phrases to the terms: dog for domestic dog.")
    evidence: int = option(0, "How many sentences to keep with each edge.", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_children is not None and self.max_children < self.min_children:
            raise OptionError(f"max_children {self.max_children} is less than min_children {self.min_children}")


DEFAULTS = TaxonomyOptions()
