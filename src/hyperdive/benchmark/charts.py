"""Small charts as SVG: bars with intervals, precision-recall curves and reliability. No script, no outside resource."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from hyperdive._types import Floats
from hyperdive.benchmark.calibration import Bin
from hyperdive.benchmark.measures import rank

COLOURS = ("#3b6fb6", "#d1793b", "#4a9a5b", "#a8568f", "#7d7d7d", "#b8a13a")
_GREY = "#7a7a7a"  # seen on light and on dark paper


def precision_recall(
    scores: Floats, labels: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Recall and precision after each block of tied pairs, thinned to at most 200 points.

    >>> recall, precision = precision_recall(np.array([2.0, 1.0]), np.array([True, False]), np.array([True, True]))
    >>> recall.tolist(), precision.tolist()
    ([1.0, 1.0], [1.0, 0.5])
    """
    ranking = rank(scores, known)
    ends = ranking.starts[1:]
    hits = np.cumsum(labels[ranking.order])[ends - 1]
    if len(ends) > 200:
        # even steps of recall, and the first places, where a curve has its shape
        keep = np.unique(np.concatenate([np.arange(20), np.searchsorted(hits, np.linspace(1, hits[-1], 180))]))
        ends, hits = ends[keep], hits[keep]
    return hits / max(int(labels.sum()), 1), hits / ends


def curves(title: str, lines: Sequence[tuple[str, Floats, Floats]], base: float) -> str:
    """Precision over recall for several scores; the dotted line is the share of positives."""
    width, height, left, bottom, top = 230, 170, 30, 24, 20
    inner_w, inner_h = width - left - 8, height - bottom - top

    def at(x: float, y: float) -> str:
        return f"{left + x * inner_w:.1f},{top + (1 - y) * inner_h:.1f}"

    parts = [_open(width, height, f"Precision over recall on {title}"), _text(left, 12, title, weight="bold")]
    parts.append(_axes(left, top, inner_w, inner_h))
    for tick in (0.0, 0.5, 1.0):
        parts.append(_text(left - 4, top + (1 - tick) * inner_h + 3, f"{tick:g}", anchor="end"))
        parts.append(_text(left + tick * inner_w, height - 10, f"{tick:g}", anchor="middle"))
    parts.append(f'<polyline class="base" points="{at(0, base)} {at(1, base)}"/>')
    for number, (name, recall, precision) in enumerate(lines):
        points = " ".join(at(float(x), float(y)) for x, y in zip(recall, precision, strict=True))
        colour = COLOURS[number % len(COLOURS)]
        parts.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.4" points="{points}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return "".join([*parts, "</svg>"])


def bars(title: str, entries: Sequence[tuple[str, float, tuple[float, float] | None, float | None]]) -> str:
    """A bar a score: (name, figure, 95 % interval, the paper's figure as a tick); per cent from 0 up."""
    row, label, width, top = 17, 66, 300, 20
    height = top + row * len(entries) + 6
    highest = max([1.0, *(max(value, *(ci or (0.0,)), paper or 0.0) for _, value, ci, paper in entries)])
    scale = (width - label - 44) / highest
    parts = [_open(width, height, f"Figures on {title}"), _text(2, 12, title, weight="bold")]
    for number, (name, value, ci, paper) in enumerate(entries):
        y = top + number * row
        colour = COLOURS[number % len(COLOURS)]
        parts.append(_text(label - 5, y + 11, name, anchor="end"))
        end = max(value, 0.0)
        size = f'width="{end * scale:.1f}" height="11"'
        parts.append(f'<rect x="{label}" y="{y + 2}" {size} fill="{colour}" opacity="0.75"/>')
        if ci is not None:
            low, high = (label + max(edge, 0.0) * scale for edge in ci)
            parts.append(
                f'<path class="ink" d="M{low:.1f} {y + 7.5}H{high:.1f}M{low:.1f} {y + 4}v7M{high:.1f} {y + 4}v7"/>'
            )
            end = max(end, ci[1])
        if paper is not None:
            x = label + max(paper, 0.0) * scale
            parts.append(f'<path class="paper" d="M{x:.1f} {y}v15"><title>paper {paper:.1f}</title></path>')
            end = max(end, paper)
        parts.append(_text(label + end * scale + 4, y + 11, f"{value:.1f}"))
    return "".join([*parts, "</svg>"])


def reliability_chart(title: str, lines: Sequence[tuple[str, Sequence[Bin]]]) -> str:
    """The share that is true over the mean confidence, a line for each set of answers, as a file of its own.

    The dotted line is where a calibrated confidence lies; a disc is as large as its bin.

    >>> chart = reliability_chart("Answers", [("test", [Bin(9, 0.4, 0.3), Bin(40, 0.9, 0.8)])])
    >>> chart.count("<circle"), "test: 40 answers, confidence 0.90, right 0.80" in chart
    (2, True)
    """
    side, left, top, bottom = 300, 34, 24, 26
    width, height = left + side + 12, top + side + bottom + 14 * len(lines)

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * side, top + (1 - y) * side

    style = f"<style>text{{font:10px sans-serif;fill:{_GREY}}}.axis,.base{{fill:none;stroke:{_GREY}}}</style>"
    parts = [_open(width, height, title).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1), style]
    parts += [_text(left, 14, title, weight="bold"), _axes(left, top, side, side)]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x, y = at(tick, tick)
        parts += [
            _text(left - 4, y + 3, f"{tick:g}", anchor="end"),
            _text(x, top + side + 12, f"{tick:g}", anchor="middle"),
        ]
    parts.append(f'<path class="base" stroke-dasharray="2 3" d="M{left} {top + side}L{left + side} {top}"/>')
    parts.append(_text(left + side, top + side + 23, "confidence", anchor="end"))
    for number, (name, bins) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        places = [at(part.confidence, part.true) for part in bins]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.4" points="{points}"/>')
        for part, (x, y) in zip(bins, places, strict=True):
            size = min(1.5 + 0.3 * part.pairs**0.5, 7.0)
            told = f"{name}: {part.pairs} answers, confidence {part.confidence:.2f}, right {part.true:.2f}"
            disc = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" fill="{colour}">'
            parts.append(f"{disc}<title>{escape(told)}</title></circle>")
        line = top + side + bottom + 14 * number + 8
        parts.append(f'<path stroke="{colour}" stroke-width="3" d="M{left} {line - 3}h14"/>')
        parts.append(_text(left + 20, line, name))
    return "".join([*parts, "</svg>\n"])


def legend(names: Sequence[str]) -> str:
    """Coloured squares with names, in the order of the charts."""
    items = (
        f'<span><i style="background:{COLOURS[number % len(COLOURS)]}"></i>{escape(name)}</span>'
        for number, name in enumerate(names)
    )
    return f'<p class="legend">{"".join(items)}</p>'


def _open(width: float, height: float, label: str) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg {size} role="img" aria-label="{escape(label)}">'


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'


def _axes(left: float, top: float, width: float, height: float) -> str:
    return f'<path class="axis" d="M{left} {top}v{height}h{width}"/>'
