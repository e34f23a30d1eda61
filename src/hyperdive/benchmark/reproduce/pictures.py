"""The paper's figures from a trained model, as SVG that stands by itself: words side by side over their dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from hyperdive.discover.topics import Dimensions
from hyperdive.scores.asymmetric_l1 import W0, best_scale

LEAST = 0.1
"""Values below this are left out of the pictures, as in the paper."""
MAIN = (("rodent", "mammal"),)
PAIRS = (
    ("revolver", "pistol"),
    ("pistol", "weapon"),
    ("cannon", "weapon"),
    ("artillery", "cannon"),
    ("ant", "insect"),
    ("insect", "animal"),
    ("mammal", "animal"),
    ("insect", "invertebrate"),
)
FAILURES = (("gasoline", "oil"), ("wax", "oil"), ("nucleus", "core"))
_HYPONYM, _HYPERNYM, _OVER = "#d1793b", "#3b6fb6", "#b3372c"
_STYLE = (
    "<style>text{font:11px system-ui,sans-serif;fill:#1c2430}.soft{fill:#66707d}.title{font-size:13px;font-weight:600}"
    ".page{fill:#fdfdfc}.axis{fill:none;stroke:#9aa4b1}</style>"
)


def pairs_picture(dimensions: Dimensions, title: str, pairs: Sequence[tuple[str, str]], *, names: int = 3) -> str:
    """A panel for each pair, hyponym and hypernym over the hypernym's dimensions; two panels in a row."""
    panels = [_panel(dimensions, hyponym, hypernym, names) for hyponym, hypernym in pairs]
    across = 1 if len(panels) == 1 else 2
    width = max(panel[0] for panel in panels)
    rows = [panels[i : i + across] for i in range(0, len(panels), across)]
    parts, y = [], 34.0
    for row in rows:
        for column, (_, _, body) in enumerate(row):
            parts.append(f'<g transform="translate({column * width + 10:.0f},{y:.0f})">{body}</g>')
        y += max(panel[1] for panel in row) + 14
    return _page(across * width + 20, y, title, "".join(parts))


def _page(width: float, height: float, title: str, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}">{_STYLE}'
        f'<rect class="page" width="100%" height="100%"/>{_text(10, 20, title, "title")}{body}</svg>\n'
    )


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{named} text-anchor="{anchor}">{escape(text)}</text>'


def _panel(dimensions: Dimensions, hyponym: str, hypernym: str, names: int) -> tuple[float, float, str]:
    """Width, height and marks of one pair: a row a dimension, the hypernym's bar above the hyponym's."""
    label, bar, row = 60.0 + 62.0 * names, 200.0, 26.0
    missing = [word for word in (hyponym, hypernym) if word not in dimensions.space]
    if missing:
        return (
            label + bar + 60,
            40,
            _text(0, 14, f"{hyponym} – {hypernym}: {', '.join(missing)} is not in the vocabulary"),
        )
    q, p = (dimensions.vector(word) for word in (hyponym, hypernym))
    shown = [int(i) for i in np.lexsort((-q, -p)) if max(q[i], p[i]) >= LEAST]
    scale = bar / max(float(max(q.max(), p.max())), 1e-9)
    parts = [
        _text(label, 14, f"{hypernym} (sum {p.sum():.1f})"),
        f'<rect x="{label - 14:.0f}" y="5" width="10" height="10" fill="{_HYPERNYM}"/>',
        _text(label, 30, f"{hyponym} (sum {q.sum():.1f})"),
        f'<rect x="{label - 14:.0f}" y="21" width="10" height="10" fill="{_HYPONYM}"/>',
    ]
    for number, i in enumerate(shown):
        y = 42 + number * row
        parts.append(_text(label - 8, y + 13, ", ".join(dimensions.first(i, names)), "soft", "end"))
        for value, colour, down in ((p[i], _HYPERNYM, 0), (q[i], _HYPONYM, 10)):
            if value >= LEAST:
                parts.append(
                    f'<rect x="{label:.0f}" y="{y + down:.0f}" width="{value * scale:.1f}" height="9" fill="{colour}"/>'
                )
                parts.append(_text(label + value * scale + 4, y + down + 8, f"{value:.2f}", "soft"))
    height = 46 + row * len(shown)
    parts.append(f'<path class="axis" d="M{label:.0f} 38V{height:.0f}"/>')
    return label + bar + 60, height, "".join(parts)


def inclusion_picture(
    dimensions: Dimensions, hyponym: str = "rodent", hypernym: str = "mammal", *, w0: float = W0
) -> str:
    """The asymmetric L1 distance of a pair: the scaled hyponym over the hypernym, what sticks out in red."""
    title = f"AL₁ of {hyponym} and {hypernym}"
    missing = [word for word in (hyponym, hypernym) if word not in dimensions.space]
    if missing:
        return _page(420, 60, title, _text(10, 44, f"{', '.join(missing)} is not in the vocabulary"))
    q, p = (dimensions.vector(word) for word in (hyponym, hypernym))
    if not q.sum() or not p.sum():
        return _page(420, 60, title, _text(10, 44, "a vector is zero"))
    d_q, d_p = q / q.sum(), p / p.sum()
    a, distance = best_scale(q, p, w0)
    over, under = np.maximum(a * d_q - d_p, 0), np.maximum(d_p - a * d_q, 0)
    shown = [int(i) for i in np.lexsort((-d_q, -d_p)) if max(d_p[i], a * d_q[i]) > 0.002]
    left, base, column = 50.0, 250.0, 34.0
    scale = 180.0 / max(float(d_p.max()), float((a * d_q).max()))
    parts = []
    for number, i in enumerate(shown):
        x = left + number * column
        parts.append(_column(x, base, d_p[i] * scale, 24, _HYPERNYM, 0.45))
        parts.append(_column(x + 5, base, min(a * d_q[i], d_p[i]) * scale, 14, _HYPONYM, 1.0))
        if over[i] > 0:
            parts.append(_column(x + 5, base - d_p[i] * scale, over[i] * scale, 14, _OVER, 1.0))
        name = ", ".join(dimensions.first(i, 2))
        parts.append(
            f'<g transform="translate({x + 16:.0f},{base + 12:.0f}) rotate(40)">{_text(0, 0, name, "soft")}</g>'
        )
    parts.append(f'<path class="axis" d="M{left - 6:.0f} {base:.0f}H{left + column * len(shown):.0f}"/>')
    legend = (
        (_HYPERNYM, f"d_p of {hypernym}"),
        (_HYPONYM, f"a·d_q of {hyponym}, a = {a:.2f}"),
        (_OVER, f"above: costs {w0:g}"),
    )
    for number, (colour, name) in enumerate(legend):
        x = left + number * 170
        parts.append(f'<rect x="{x:.0f}" y="32" width="10" height="10" fill="{colour}"/>{_text(x + 15, 41, name)}')
    said = f"distance {w0:g}·{over.sum():.3f} + {under.sum():.3f} = {distance:.3f}"
    parts.append(_text(left, 62, f"{said}; below the hypernym costs 1"))
    return _page(max(left + column * len(shown) + 90, 600), base + 110, title, "".join(parts))


def _column(x: float, base: float, height: float, width: float, colour: str, opacity: float) -> str:
    return (
        f'<rect x="{x:.1f}" y="{base - height:.1f}" width="{width:g}" height="{height:.1f}" fill="{colour}" '
        f'opacity="{opacity:g}"/>'
    )


def topics_rows(dimensions: Dimensions, hyponym: str, hypernym: str) -> list[tuple[int, float, float, str, str]]:
    """The main figure in words: dimension, both values, its first five words, and those from place 51 to 105."""
    if hyponym not in dimensions.space or hypernym not in dimensions.space:
        return []
    q, p = dimensions.vector(hyponym), dimensions.vector(hypernym)
    return [
        (int(i), float(q[i]), float(p[i]), ", ".join(dimensions.first(i, 5)), ", ".join(dimensions.first(i, 55, 50)))
        for i in np.lexsort((-q, -p))
        if max(q[i], p[i]) >= LEAST
    ]
