"""What must not change: a model of a generated text, its counts and answers, and those of the packaged model.

The reference is in tests/golden/reference. Where a change of answers is intended, record it again with

    python -m tests.test_reference
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.tools import load

REFERENCE = Path(__file__).parent / "golden" / "reference"
KINDS, SORTS, LEAVES = 4, 6, 5
TEMPLATES = (
    "many {sort}s such as {leaf}s and {other}s appear near the {leaf} {word} .",
    "the {leaf} is a {sort} that likes {word} and {word} .",
    "a {leaf} and other {kind}s {word} the {word} of a {sort} {word} .",
    "{sort}s are {kind}s with {word} {word} , including the {leaf} .",
    "the {leaf} {word} of the {sort} {word} was {word} and {word} .",
)


def name(rng: random.Random, syllables: int) -> str:
    """Return a pronounceable word that is no English word and ends in a consonant."""
    return "".join(rng.choice("bdfgkmprtvz") + rng.choice("aou") for _ in range(syllables)) + rng.choice("bdfgkmp")


def write_text(folder: Path, documents: int = 4_000) -> tuple[Path, Path]:
    """Write a text about a tree of three levels, and the tree as a gold taxonomy."""
    rng = random.Random(0)
    tree = {}
    for kind in (name(rng, 2) for _ in range(KINDS)):
        tree[kind] = {name(rng, 3): [name(rng, 3) for _ in range(LEAVES)] for _ in range(SORTS)}
    nodes = [node for sorts in tree.values() for sort, leaves in sorts.items() for node in (sort, *leaves)]
    words = {node: [name(rng, 2) for _ in range(3)] for node in nodes}
    lines = []
    for _ in range(documents):
        kind = rng.choice(list(tree))
        sort = rng.choice(list(tree[kind]))
        leaf, other = rng.sample(tree[kind][sort], 2)
        template = rng.choice(TEMPLATES)
        while "{word}" in template:
            template = template.replace("{word}", rng.choice(words[rng.choice((leaf, sort))]), 1)
        lines.append(template.format(kind=kind, sort=sort, leaf=leaf, other=other))
    pairs = [(sort, kind) for kind, sorts in tree.items() for sort in sorts]
    pairs += [(leaf, sort) for sorts in tree.values() for sort, leaves in sorts.items() for leaf in leaves]
    text, gold = folder / "text.txt", folder / "planted.taxo"
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    gold.write_text("".join(f"{row}\t{q}\t{p}\n" for row, (q, p) in enumerate(pairs)), encoding="utf-8")
    return text, gold


def run(action: str, folder: Path, *options: Any) -> int:
    """Record the reference or check the current version against it."""
    text, gold = write_text(folder)
    arguments = [action, str(REFERENCE), "--text", str(text), "--taxonomies", str(gold), *options]
    return int(load("reference").main(arguments))


@pytest.mark.slow
def test_nothing_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("HYPERDIVE_DATA", raising=False)
    # vectors are equal to the last bit only on the same kind of processor
    code = run("check", tmp_path, "--tolerance", "0.01")
    assert code == 0, capsys.readouterr().out


if __name__ == "__main__":
    options = ("--train", "--dimensions 10", "--hypernyms", "90", "--hyponyms", "20", *sys.argv[1:])
    with tempfile.TemporaryDirectory() as made:
        run("record", Path(made), *options)
