"""Figures printed in the paper."""

from __future__ import annotations

import csv
import io
from functools import lru_cache
from importlib import resources

from hyperdive.benchmark.datasets import MICRO_4, MICRO_10, SPECS
from hyperdive.benchmark.measures import micro_average
from hyperdive.scores import Source, get

SPACES = {
    "dive": ("DIVE", "Full"),
    "dive-no-pmi": ("DIVE", "w/o PMI"),
    "dive-no-shift": ("DIVE", "w/o IS"),
    "sbow-freq": ("SBOW", "Freq"),
    "sbow-ppmi": ("SBOW", "PPMI"),
    "sbow-ppmi-is": ("SBOW", "PPMI w/ IS"),
    "kmeans": ("Kmean", "Freq NMF"),
}
"""Kinds of space → the space and variant of the paper's tables 2 and 3."""

# scores that are a row of table 1 whatever the space
_METHODS = {"Random": "Random", "W": "Word2Vec+C", "GE C": "GE+C", "KL": "GE+KL"}


def kind_of(source: Source) -> str:
    """Return the kind of the main space; variants of DIVE are distinguished by their training options.

    >>> from types import SimpleNamespace
    >>> kind_of(Source(SimpleNamespace(kind="dive"), parameters={"pmi_filter": "none", "shift": True}))
    'dive-no-pmi'
    """
    kind = str(source.main.kind)
    if kind == "dive" and source.parameters.get("shift") is False:
        return "dive-no-shift"
    if kind == "dive" and source.parameters.get("pmi_filter") == "none":
        return "dive-no-pmi"
    return kind


@lru_cache(maxsize=16)
def rows(table: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a printed table, such as `table2_ap10`, by column name.

    >>> rows("table4_avg_dims")[2]["avg_nonzero_dims"]
    '20'
    """
    text = resources.files("hyperdive.benchmark").joinpath("paper_tables", f"{table}.tsv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(io.StringIO(text), delimiter="\t"))


@lru_cache(maxsize=1)
def _cells() -> dict[tuple[str, str, str, str], float]:
    cells = {}
    for table in ("table2_ap10", "table3_hyperlex"):
        for row in rows(table):
            cells[row["space"], row["variant"], row["dataset"], get(row["score"]).name] = float(row["value"])
    return cells


@lru_cache(maxsize=1)
def _methods() -> dict[tuple[str, str], float]:
    return {(row["method"], row["dataset"]): float(row["value"]) for row in rows("table1_unsupervised_embeddings")}


def printed(kind: str, score: str, dataset: str) -> float | None:
    """Return the paper's figure for a kind of space, a score and a dataset; None if it prints none.

    >>> printed("dive", "C·ΔS", "BLESS"), printed("dive", "Random", "BLESS"), printed("dive", "Lin", "BLESS")
    (16.3, 5.3, None)
    """
    name = get(score).name
    if name in _METHODS:
        return _methods().get((_METHODS[name], dataset))
    if kind in ("skipgram", "word2vec") and name == "C":
        return _methods().get(("Word2Vec+C", dataset))
    space = SPACES.get(kind)
    return None if space is None else _cells().get((*space, dataset, name))


def printed_micro(kind: str, score: str, names: tuple[str, ...] = MICRO_10) -> float | None:
    """Return the micro average recomputed from the paper's cells: some printed averages do not add up.

    >>> round(printed_micro("dive", "C·ΔS"), 1), round(printed_micro("dive-no-shift", "C·ΔS"), 1)
    (32.7, 22.2)
    """
    if names not in (MICRO_4, MICRO_10):
        return None
    cells = {name: printed(kind, score, name) for name in names}
    full = {name: value for name, value in cells.items() if value is not None}
    return micro_average(full, {name: SPECS[name].rows for name in names}) if len(full) == len(names) else None


def general_words() -> dict[str, list[str]]:
    """Return the printed lists of general words by query; "" is the list without a query.

    >>> general_words()["species"][:3]
    ['specie', 'species', 'animal']
    """
    lists: dict[str, list[str]] = {}
    for row in rows("table_general_words"):
        lists.setdefault(row["query"], []).append(row["word"])
    return lists
