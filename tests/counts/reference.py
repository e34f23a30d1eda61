"""Slow and plain: what the fast code must equal."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from hypothesis import strategies as st

from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.text.corpus import Corpus
from hyperdive.text.token_lists import encode_tokens

WORDS = [*"abcdefghij", "dog", "cat", "rare1", "rare2", "rare3"]


def count_pairs(lines, window, sides="both", weighting="flat"):
    """The ten-line counter: (word, context) → count."""
    pairs: Counter = Counter()
    for line in lines:
        for i, word in enumerate(line):
            for j, context in enumerate(line):
                side = j != i and (sides == "both" or (j < i) == (sides == "left"))
                if side and abs(i - j) <= window:
                    pairs[word, context] += 1 if weighting == "flat" else Fraction(1, abs(i - j))
    return pairs


def collapse(pairs, words):
    """Rare words as the unknown symbol."""
    known: Counter = Counter()
    for (x, y), n in pairs.items():
        known[x if x in words else "<unk>", y if y in words else "<unk>"] += n
    return known


def read(counts: Cooccurrence, near: bool = False):
    """A store through its public matrix, as (word, context) → count."""
    matrix = counts.to_scipy(include_unknown=True).tocoo()
    words = ["<unk>", *counts.words]
    return {(words[i], words[j]): v for i, j, v in zip(*matrix.coords, matrix.data.tolist(), strict=True)}


_FOLDERS: list[tempfile.TemporaryDirectory] = []


def folder() -> Path:
    """A new folder that goes when the tests end."""
    _FOLDERS.append(tempfile.TemporaryDirectory(prefix="hyperdive-test-counts-"))
    return Path(_FOLDERS[-1].name)


def corpus_of(lines: Sequence[Sequence[str]], min_count: int = 1, **options) -> Corpus:
    return encode_tokens(lines, folder() / "corpus", min_count=min_count, **options)


def files(path: Path) -> dict[str, bytes]:
    """Every file of a folder: the proof that two stores are the same."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


words = st.sampled_from(WORDS)
lines = st.lists(st.lists(words, min_size=1, max_size=25), min_size=1, max_size=8)
