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

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Literal

from hyperdive._plugins import find_plugins, load_plugin, plugin_error
from hyperdive.errors import OptionError
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


SPACES: dict[str, SpaceMaker] = {
    "dive": SpaceMaker(make_dive, "distributional inclusion vectors, all entries ≥ 0", check=check_dive),
    "skipgram": SpaceMaker(make_skipgram, "skip-gram from the counts", check=check_skipgram),
    "sbow-freq": SpaceMaker(sbow_maker("sbow-freq"), "rows of counts", has_dimensions=False),
    "sbow-ppmi": SpaceMaker(sbow_maker("sbow-ppmi"), "rows of positive PMI", has_dimensions=False),
    "sbow-ppmi-is": SpaceMaker(
        sbow_maker("sbow-ppmi-is"), "rows of positive PMI with the inclusion shift", has_dimensions=False
    ),
    "kmeans": SpaceMaker(make_kmeans, "counts with clusters of context words", check=check_skipgram, extra="baselines"),
    "word2vec": SpaceMaker(word2vec_maker(cbow=False), "gensim's skip-gram", needs="tokens", extra="baselines"),
    "word2vec-cbow": SpaceMaker(word2vec_maker(cbow=True), "gensim's CBOW", needs="tokens", extra="baselines"),
    "gaussian": SpaceMaker(gaussian_maker(clip=True), "Gaussian embedding", needs="tokens"),
    "gaussian-no-clip": SpaceMaker(gaussian_maker(clip=False), "Gaussian embedding, unbounded", needs="tokens"),
}
"""The spaces that come with the package."""


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
