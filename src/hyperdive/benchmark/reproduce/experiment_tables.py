"""What the paper says it tried or believes without printing figures: AP@100, inclusion, its failures, other texts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hyperdive.benchmark.datasets import MICRO_4, MICRO_10
from hyperdive.benchmark.reproduce.figures import RunFigures
from hyperdive.benchmark.reproduce.measurement import FIVE
from hyperdive.benchmark.reproduce.paper_table import PaperCell, PaperRow, PaperTable
from hyperdive.benchmark.reproduce.pictures import FAILURES
from hyperdive.benchmark.reproduce.tables import heading
from hyperdive.discover.topics import Dimensions

_DIVES = (("dive-paper", "DIVE (paper's constants)"), ("dive", "DIVE (ours)"))
_SPACES = (("sbow-freq", "SBOW Freq"), ("sbow-ppmi", "SBOW PPMI"), *_DIVES)


def first_hundred(found: RunFigures) -> PaperTable:
    """AP@100, by which earlier work chose scores and spaces for the first four sets."""
    body = [
        PaperRow((label, score), tuple(PaperCell(found.ap100(name, score, one)) for one in MICRO_10))
        for name, label in _SPACES
        if name in found
        for score in FIVE
    ]
    notes = (
        "Average precision in per cent of the list of the first hundred pairs, ties in twenty random orders.",
        f"The paper calls the measure too sensitive and prints none; earlier work chose by it on {', '.join(MICRO_4)}.",
    )
    columns = tuple(map(heading, MICRO_10))
    return PaperTable("table_ap100", "AP@100", ("space", "score"), columns, tuple(body), notes)


def inclusion(found: RunFigures) -> PaperTable:
    """Equations 1 and 2 of the paper: how many pairs satisfy them, and how nearly the others do."""
    body = []
    for name, label in _SPACES:
        shares = found.inclusion(name)
        if shares is not None:
            cells = [
                PaperCell(shares.get(which, {}).get(measure), decimals=0 if measure == "pairs" else 1)
                for which in ("positive", "negative")
                for measure in ("pairs", "every", "mean")
            ]
            body.append(PaperRow((label, "1" if name.startswith("sbow") else "2"), tuple(cells)))
    notes = (
        "Every: per cent of pairs with q[i] ≤ p[i] in every dimension. Mean: of the non-zero dimensions of q, the per "
        "cent where that is so, in the mean over pairs. At most 1,000 pairs of a set and label, no zero vectors.",
        "A vector with few non-zero dimensions satisfies the equation more easily, so spaces are not comparable with "
        "each other; positive and negative pairs of one space are.",
    )
    columns = tuple(f"{which}: {what}" for which in ("positive", "negative") for what in ("pairs", "every", "mean"))
    title = "Pairs that satisfy equations 1 and 2"
    return PaperTable("table_inclusion", title, ("space", "equation"), columns, tuple(body), notes)


def experiments(found: RunFigures) -> PaperTable:
    """What the paper tried in passing, as averages over ten sets."""
    lines = [
        ("sbow-freq", "SBOW Freq"),
        ("sbow-freq-filtered", "SBOW Freq, PMI filter k_f 30"),
        ("sbow-ppmi", "SBOW PPMI"),
        ("sbow-ppmi-filtered", "SBOW PPMI, PMI filter k_f 30"),
        ("sbow-ppmi-filtered-more", "SBOW PPMI, PMI filter k_f 90"),
        ("sbow-ppmi-shifted", "SBOW PPMI − log 5"),
        ("sbow-ppmi-half-raw", "SBOW PPMI, raw, first half of the text"),
        ("sbow-ppmi-random-raw", "SBOW PPMI, raw, random half of the documents"),
    ]
    for name, label in _DIVES:
        lines += [
            (f"{name}-raw-only", f"{label}, raw"),
            (f"{name}-no-pmi-raw-only", f"{label}, raw, w/o PMI"),
            (f"{name}-narrow", f"{label}, raw, two words on each side"),
            (f"{name}-narrow-no-pmi", f"{label}, raw, two words on each side, w/o PMI"),
            (f"{name}-sentences", f"{label}, raw, sentences instead of lines of 100 words"),
        ]
    body = [
        PaperRow((label,), tuple(PaperCell(found.micro(name, score)) for score in FIVE))
        for name, label in lines
        if name in found
    ]
    notes = ("Micro averages over ten sets in per cent; raw: all sets in the space without parts of speech.",)
    return PaperTable("table_experiments", "What the paper tried in passing", ("space",), FIVE, tuple(body), notes)


def failures(dimensions: Dimensions) -> PaperTable:
    """The pairs with which the paper shows inclusion failing: does it fail here?"""
    body = []
    for hyponym, hypernym in FAILURES:
        label = (f"{hyponym} – {hypernym}",)
        if hyponym not in dimensions.space or hypernym not in dimensions.space:
            body.append(PaperRow(label, (*(PaperCell(),) * 4, PaperCell(text="unknown word"))))
            continue
        q, p = dimensions.vector(hyponym), dimensions.vector(hypernym)
        over = q - p
        above = int((over > 0).sum())
        told = ", ".join(dimensions.first(int(np.argmax(over)), 4)) if above else "none: inclusion holds"
        sums = (PaperCell(float(q.sum()), decimals=2), PaperCell(float(p.sum()), decimals=2))
        counts = (PaperCell(int((q > 0).sum()), decimals=0), PaperCell(above, decimals=0))
        body.append(PaperRow(label, (*sums, *counts, PaperCell(text=told))))
    notes = (
        "The paper names *gasoline* and *wax* (more with cars, with feet, than *oil*) and *nucleus* (several senses). "
        "Inclusion fails where the hyponym is larger; the last column names the dimension where it is so most.",
    )
    columns = ("S(hyponym)", "S(hypernym)", "dimensions of the hyponym", "where it is larger", "the worst of them")
    return PaperTable("table_failures", "Where inclusion fails", ("pair",), columns, tuple(body), notes)


EXPERIMENT_TABLES: tuple[Callable[[RunFigures], PaperTable], ...] = (experiments, first_hundred, inclusion)
"""The tables of this module that need figures alone."""
