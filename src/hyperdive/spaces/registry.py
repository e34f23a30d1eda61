"""Every space by its name: what it needs, and who makes it.

Other packages add spaces without a fork, by an entry point of the group `hyperdive.spaces` that names a `SpaceMaker`:

    [project.entry-points."hyperdive.spaces"]
    mine = "my_package:mine"

    from hyperdive.spaces.registry import SpaceMaker
    from hyperdive.spaces.space import VectorSpace

    def make(inputs, options, run):
        counts = inputs.counts
        matrix = counts.csr(include_unknown=False, threads=run.threads)
        ...
        return VectorSpace(counts.words, vectors, frequencies=counts.frequencies[1:], kind="mine")

    mine = SpaceMaker(make, "vectors of my own")

Then `hyperdive train TEXT -o MODEL --space mine` makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any, Literal

from hyperdive._plugins import find_plugins, load_plugin, plugin_error
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import OptionError
from hyperdive.options import ABSENT_FROM_PAPER, MODEL_SPACE, SHARED_OPTIONS, DiveOptions, SpaceOptions, TrainOptions
from hyperdive.spaces.makers import (
    Check,
    Make,
    check_dive,
    check_skipgram,
    gaussian_maker,
    make_dive,
    make_kmeans,
    make_skipgram,
    refuse_start,
    sbow_maker,
    word2vec_maker,
)

GROUP = "hyperdive.spaces"


@dataclass(frozen=True)
class SpaceMaker:
    """One space of the table."""

    make: Make
    """(inputs, options, run) → space."""
    about: str
    """One line that says what it is."""
    needs: Literal["tokens", "counts"] = "counts"
    """Whether it reads the tokens themselves, so that counts are not enough."""
    has_dimensions: bool = True
    """Whether the number of dimensions is chosen, so that the text must have as many words."""
    check: Check = refuse_start
    """Refuses before any work what making would refuse."""
    extra: str = ""
    """The optional dependency it needs."""
    uses: frozenset[str] | None = None
    """The options it uses; others are refused. None, as for plug-ins that do not say: any."""
    base: Mapping[str, Any] = field(default_factory=dict)
    """Its own values of options that nothing else was asked for, whatever the preset."""


_VECTORS: dict[str, Any] = {"uses": frozenset({"dimensions", "window", "seed"}), "base": {"pmi_filter": "none"}}
_FREQ: dict[str, Any] = {"uses": frozenset({"window", "pmi_filter"}), "base": {"pmi_filter": "none"}}
_PPMI: dict[str, Any] = {**_FREQ, "uses": frozenset({"window", "pmi_filter", "pmi_shift"})}
_MODEL = frozenset({"pmi_filter", "solver", "skipgram", "contexts", "terms"})
_FAST = frozenset(DiveOptions.described())
_PAPER = frozenset({*SHARED_OPTIONS, *ABSENT_FROM_PAPER})

SPACES: dict[str, SpaceMaker] = {
    "dive": SpaceMaker(
        make_dive, "distributional inclusion vectors, all entries ≥ 0", check=check_dive, uses=_MODEL | _FAST
    ),
    "skipgram": SpaceMaker(make_skipgram, "skip-gram from the counts", check=check_skipgram, **_VECTORS),
    "sbow-freq": SpaceMaker(sbow_maker("sbow-freq"), "rows of counts", has_dimensions=False, **_FREQ),
    "sbow-ppmi": SpaceMaker(sbow_maker("sbow-ppmi"), "rows of positive PMI", has_dimensions=False, **_PPMI),
    "sbow-ppmi-is": SpaceMaker(
        sbow_maker("sbow-ppmi-is"), "rows of positive PMI with the inclusion shift", has_dimensions=False, **_PPMI
    ),
    "kmeans": SpaceMaker(
        make_kmeans, "counts with clusters of context words", check=check_skipgram, extra="baselines", **_VECTORS
    ),
    "word2vec": SpaceMaker(
        word2vec_maker(cbow=False), "gensim's skip-gram", needs="tokens", extra="baselines", **_VECTORS
    ),
    "word2vec-cbow": SpaceMaker(
        word2vec_maker(cbow=True), "gensim's CBOW", needs="tokens", extra="baselines", **_VECTORS
    ),
    "gaussian": SpaceMaker(gaussian_maker(clip=True), "Gaussian embedding", needs="tokens", **_VECTORS),
    "gaussian-no-clip": SpaceMaker(
        gaussian_maker(clip=False), "Gaussian embedding, unbounded", needs="tokens", **_VECTORS
    ),
}
"""The spaces that come with the package."""


def training_options(preset: str, given: Mapping[str, Any]) -> TrainOptions:
    """Return the options of a training from a preset and what the user gave; None means not given.

    >>> training_options("default", {"space": "sbow-freq", "ridge": 0.1})
    Traceback (most recent call last):
    hyperdive.errors.OptionError: sbow-freq does not use ridge (leave it out)
    """
    given = {name: value for name, value in given.items() if value is not None}
    space = str(given.get("space", MODEL_SPACE))
    maker = space_maker(space)
    of_training = SpaceOptions.own(given) | {name: 0 for name in ("skipgram", "contexts", "terms") if name in given}
    unused = unused_option(space, str(given.get("solver", "fast")), bool(given.get("shift", True)), of_training)
    if unused is not None:
        raise OptionError(f"{unused[1]} does not use {unused[0]}", hint="leave it out")
    options = TrainOptions.preset(preset, **{**maker.base, **given})
    PmiFilter.of(options)
    return options


def unused_option(space: str, solver: str, shift: bool, names: Iterable[str]) -> tuple[str, str] | None:
    """The first of some options that such a training would not use, and who does not; None if it uses them all.

    >>> unused_option("dive", "paper", True, ["beta", "passes"])
    ('passes', "the paper's solver")
    >>> unused_option("sbow-freq", "fast", True, ["window", "negatives"])
    ('negatives', 'sbow-freq')
    >>> unused_option("dive", "fast", False, ["beta"])
    ('beta', 'DIVE without the inclusion shift')
    """
    uses = space_maker(space).uses
    for name in names:
        if name == "space":
            continue
        if uses is not None and name not in uses:
            return name, space
        if space == "dive" and solver == "paper" and name not in _MODEL | _PAPER:
            return name, "the paper's solver"
        if space == "dive" and not shift and name == "beta":
            return name, "DIVE without the inclusion shift"
    return None


def _plugins() -> dict[str, EntryPoint]:
    return {name: point for name, point in find_plugins(GROUP).items() if name not in SPACES}


def space_names() -> list[str]:
    """The names of all spaces, those of installed plug-ins last; no plug-in is imported for it.

    >>> space_names()[:3]
    ['dive', 'skipgram', 'sbow-freq']
    """
    return [*SPACES, *_plugins()]


def space_maker(name: str) -> SpaceMaker:
    """The maker of a space.

    >>> space_maker("gaussian").needs
    'tokens'
    >>> space_maker("dives")
    Traceback (most recent call last):
    hyperdive.errors.OptionError: no space 'dives' (use one of dive, skipgram, ...)
    """
    if name in SPACES:
        return SPACES[name]
    point = _plugins().get(name)
    if point is None:
        raise OptionError(f"no space {name!r}", hint=f"use one of {', '.join(space_names())}")
    maker = load_plugin(point, "space")
    if not isinstance(maker, SpaceMaker):
        raise plugin_error(point, "space", "is not a SpaceMaker")
    return maker
