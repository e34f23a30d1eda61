"""Figures of words over dimensions: colour-blind safe, light or dark, the same bytes for the same model.

Words of a corpus may contain anything: they are drawn as plain text, never as markup or formulas.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._atomic import write_file
from hyperdive.ask.explain import HIDDEN, Comparison, compare, vectors_of
from hyperdive.ask.topics import dimensions_of
from hyperdive.errors import MissingExtra, OptionError, OutputError, one_line
from hyperdive.scores.paper import W0, best_scale
from hyperdive.scores.source import AnyModel

FORMATS = (".png", ".svg")
MOST_BARS, _FEWEST = 48, 8
_LABEL, _FURTHER = 40, 46
_SMALLEST = 0.004  # shares too small to see

# Okabe and Ito's palette, which people with any kind of colour blindness can tell apart
_BLUE, _ORANGE, _GREEN, _PURPLE, _SKY, _RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"


@dataclass(frozen=True)
class Look:
    """Colours of paper, ink and bars."""

    paper: str
    ink: str
    faint: str
    grid: str
    bars: tuple[str, ...]


LIGHT = Look("#ffffff", "#1a1a1a", "#6b6b6b", "#dddddd", (_BLUE, _ORANGE, _GREEN, _PURPLE, _SKY, _RED))
DARK = Look("#16191d", "#eceff1", "#9aa4ab", "#343a40", (_SKY, _ORANGE, _GREEN, _PURPLE, _BLUE, _RED))


def plot_comparison(
    model: AnyModel,
    words: Sequence[str],
    path: str | Path,
    *,
    top: int | None = None,
    dark: bool = False,
    force: bool = False,
) -> None:
    """Draw the paper's main figure: words over dimensions, sorted by the broadest word, small values hidden."""
    most = max(MOST_BARS // max(len(words), 1), _FEWEST)  # a picture of many words would grow too tall
    found = compare(model, words, min(top or most, most))

    def draw(look: Look) -> Any:
        figure, axes = _canvas(look, len(found), height=0.14 + 0.16 * len(found.words))
        _bars(axes, look, found)
        axes.set_xlabel("value in the dimension", color=look.faint)
        _head(axes, look, " · ".join(map(one_line, found.words)), "; ".join(map(one_line, found.notes)))
        _legend(figure, look)
        return figure

    _save(path, draw, dark=dark, force=force)


def plot_pair(
    model: AnyModel, hyponym: str, hypernym: str, path: str | Path, *, dark: bool = False, force: bool = False
) -> None:
    """Draw AL₁: both words as distributions, the hyponym scaled by a; its mass above the hypernym costs w₀."""
    vectors = vectors_of(model, [hyponym, hypernym])
    labels = dimensions_of(model)
    names = one_line(hyponym.lower()), one_line(hypernym.lower())

    def draw(look: Look) -> Any:
        scale, distance = best_scale(*vectors)
        shares = vectors / np.maximum(vectors.sum(axis=1, keepdims=True), 1e-30)
        # where no scale above 0 pays, the hyponym is shown as it is, to see why
        fits = scale > 0
        scaled, unscaled = (scale if fits else 1.0) * shares[0], shares[1]
        shown = np.flatnonzero(np.maximum(scaled, unscaled) > _SMALLEST)
        order = shown[np.lexsort([-scaled[shown], -unscaled[shown]])][: MOST_BARS // 2]
        figure, axes = _canvas(look, len(order), height=0.34)
        y = np.arange(len(order))
        inside = np.minimum(scaled[order], unscaled[order])
        axes.barh(y, unscaled[order], height=0.82, color=look.bars[0], alpha=0.45, label=f"{names[1]} (a gap costs 1)")
        label = f"{names[0]} × {scale:.2g}" if fits else f"{names[0]}, not scaled"
        axes.barh(y, inside, height=0.44, color=look.bars[1], label=label)
        above = f"above {names[1]} (costs {W0:g})"
        rest = scaled[order] - inside
        axes.barh(y, rest, left=inside, height=0.44, color=_RED, hatch="////", edgecolor=look.paper, lw=0, label=above)
        _label(axes, look, y, [" ".join(labels.first(int(d), 4)) for d in order], None)
        axes.set_xlabel("share of the word's mass", color=look.faint)
        how = f"a = {scale:.2g}" if fits else f"a = 0: at any scale {names[0]} costs more above than it fills beneath"
        _head(axes, look, f"{names[0]} → {names[1]}", f"AL₁ distance {distance:.2f} (0 same, 1 not included); {how}")
        _legend(figure, look)
        return figure

    _save(path, draw, dark=dark, force=force)


def plot_pairs(
    model: AnyModel,
    pairs: Sequence[tuple[str, str]],
    path: str | Path,
    *,
    title: str = "",
    dark: bool = False,
    force: bool = False,
) -> None:
    """Draw one panel per pair (hyponym, hypernym), two panels in a row: values over the broader word's dimensions."""
    known = dimensions_of(model).space
    panels = [compare(model, pair, MOST_BARS) if all(word in known for word in pair) else None for pair in pairs]

    def draw(look: Look) -> Any:
        from matplotlib.figure import Figure

        across = min(len(panels), 2)
        rows = [panels[i : i + across] for i in range(0, len(panels), across)]
        heights = [1.1 + 0.4 * max(3, *(0 if panel is None else len(panel) for panel in row)) for row in rows]
        size = (9 * across, 0.5 + sum(heights))
        figure = Figure(figsize=size, facecolor=look.paper, layout="constrained")
        grid = figure.add_gridspec(len(rows), across, height_ratios=heights)
        for place, (pair, panel) in enumerate(zip(pairs, panels, strict=True)):
            axes = figure.add_subplot(grid[place // across, place % across], facecolor=look.paper)
            _style(axes, look, 0 if panel is None else len(panel))
            missing = ", ".join(word for word in pair if word not in known)
            beneath = f"not in the vocabulary: {missing}" if missing else ""
            _head(axes, look, " → ".join(map(one_line, pair)), beneath)
            if panel is not None:
                _bars(axes, look, panel)
                axes.legend(loc="lower right", frameon=False, labelcolor=look.ink, fontsize=9)
        if title and len(panels) > 1:
            figure.suptitle(one_line(title), color=look.ink, fontsize=14, x=0.01, ha="left")
        return figure

    _save(path, draw, dark=dark, force=force)


def _bars(axes: Any, look: Look, found: Comparison) -> None:
    """Draw a bar for each word in each dimension."""
    count = len(found.words)
    values = np.array([row.values for row in found.rows], dtype=np.float64).reshape(-1, count)
    y, height = np.arange(len(values)), 0.8 / count
    for number, word in enumerate(found.words):
        shown = np.where(values[:, number] >= HIDDEN, values[:, number], 0.0)
        at = y + (number - (count - 1) / 2) * height
        axes.barh(at, shown, height=height * 0.92, color=look.bars[number], label=one_line(word))
    _label(axes, look, y, [row.label for row in found.rows], [" ".join(row.further) for row in found.rows])


# ---- shared by the figures -------------------------------------------------------------------------------------------


def _canvas(look: Look, bars: int, *, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 1.5 + height * max(bars, 3)), facecolor=look.paper, layout="constrained")
    engine: Any = figure.get_layout_engine()
    engine.set(h_pad=0.1, w_pad=0.1)
    axes = figure.add_subplot(facecolor=look.paper)
    _style(axes, look, bars)
    return figure, axes


def _style(axes: Any, look: Look, bars: int) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(look.grid)
    axes.tick_params(colors=look.faint, length=0)
    axes.grid(axis="x", color=look.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_ylim(max(bars, 3) - 0.4, -0.6)  # the first bar on top


def _label(axes: Any, look: Look, y: Any, labels: list[str], further: list[str] | None) -> None:
    """Names of the dimensions on the left, and some of their more special words on the right."""
    axes.set_yticks(y, [_short(label, _LABEL) for label in labels], color=look.ink, fontsize=10)
    if further is None:
        return
    right = axes.secondary_yaxis("right")
    right.spines["right"].set_visible(False)
    right.tick_params(length=0)
    right.set_yticks(y, [_short(text, _FURTHER) for text in further], color=look.faint, fontsize=8.5)


def _head(axes: Any, look: Look, title: str, beneath: str) -> None:
    axes.set_title(_short(title, 90), loc="left", color=look.ink, fontsize=14, fontweight="bold", pad=26)
    axes.annotate(
        _short(beneath, 120),
        (0.0, 1.0),
        xycoords="axes fraction",
        xytext=(0, 9),
        textcoords="offset points",
        color=look.faint,
        fontsize=9.5,
    )


def _legend(figure: Any, look: Look) -> None:
    """Beneath the picture, where it hides no bar."""
    figure.legend(loc="outside lower center", ncols=3, frameon=False, labelcolor=look.ink, fontsize=10)


def _short(text: str, limit: int) -> str:
    text = one_line(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


@contextlib.contextmanager
def _settings() -> Iterator[Any]:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("a plot", "plots") from None
    # a dollar sign in a word is a dollar sign; ids in an SVG come from its content, not from the clock; text stays text
    settings: dict[Any, Any] = {
        "text.parse_math": False,
        "svg.hashsalt": "hyperdive",
        "svg.fonttype": "none",
        "hatch.linewidth": 0.8,
    }
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "backend": "agg", **settings}):
        yield matplotlib


def check_place(path: str | Path, force: bool) -> Path:
    """The picture's place, refused before any work is done for it."""
    place = Path(path)
    if place.suffix.lower() not in FORMATS:
        raise OptionError(f"{place.name}: a picture is a {' or '.join(FORMATS)} file", hint="name it words.png")
    if place.exists() and not force:
        raise OutputError(f"{place}: already exists", hint="add --force to replace it, or choose another name")
    return place


def _save(path: str | Path, draw: Any, *, dark: bool, force: bool) -> None:
    place = check_place(path, force)
    kind = place.suffix.lower()[1:]
    with _settings():
        figure = draw(DARK if dark else LIGHT)
        out = io.BytesIO()
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(out, format=kind, dpi=130, metadata=metadata, facecolor=figure.get_facecolor())
    write_file(place, out.getvalue())
