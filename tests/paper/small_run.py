"""A reproduction small enough for a test: a planted is-a tree as the text, and datasets made of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hyperdive.benchmark.datasets import ELEVEN, SPECS
from tests.spaces import planted

LETTERS = str.maketrans("0123456789", "abcdefghij")


def write_text(path: Path, many: int = 3000, seed: int = 0) -> Path:
    """The planted corpus, its words in letters only, as the paper's rules ask."""
    lines = (" ".join(line).translate(LETTERS) for line in planted.lines(many, seed))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def write_datasets(folder: Path) -> Path:
    """All eleven datasets in their original layouts, filled with pairs of the tree; they fail verification."""
    rng = np.random.default_rng(0)
    pairs = [(q.translate(LETTERS), p.translate(LETTERS), label) for q, p, label in planted.candidates()]
    for name in ELEVEN:
        spec = SPECS[name]
        chosen = [pairs[i] for i in rng.permutation(len(pairs))[:300]]
        for number, file in enumerate(spec.files):
            lines = [_line(name, *one) for one in chosen[number :: len(spec.files)]]
            if spec.layout in ("grade", "label and header"):
                lines.insert(0, "a header")
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _line(name: str, hyponym: str, hypernym: str, label: bool) -> str:
    if name == "HyperLex":
        return f"{hyponym} {hypernym} N hyp {6.0 if label else 1.0} 1.0"
    if SPECS[name].tagged:
        return f"{hyponym}-n\t{hypernym}-n\t{label}\t{'hyper' if label else 'random'}"
    return f"{hyponym}\t{hypernym}\t{label}"
