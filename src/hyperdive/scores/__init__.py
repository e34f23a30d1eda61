"""Is x a kind of y? One table of scoring functions, from a name to a function of two batches of vectors."""

from __future__ import annotations

from hyperdive.scores import formulas as _formulas  # fills the table
from hyperdive.scores import literature as _literature
from hyperdive.scores.pairs import Pairs, Terms
from hyperdive.scores.rows import Rows, Source, SpaceLike, as_source, look_up
from hyperdive.scores.table import Score, get, names, register, table, unregister, usable_scores

__all__ = [
    "Pairs",
    "Rows",
    "Score",
    "Source",
    "SpaceLike",
    "Terms",
    "as_source",
    "get",
    "look_up",
    "names",
    "register",
    "table",
    "unregister",
    "usable_scores",
]
del _formulas, _literature
