"""Compiling ahead: each part runs some of hyperdive on made-up text, which compiles the kernels it uses.

python -P -m hyperdive.kernels.warmup [text | numbers]
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from hyperdive.kernels import claim_process

_TEXT = (
    "They keep dogs such as poodles and other pets (PETs). A guide dog is a dog. The guide dog of a blind man barks.\n"
    "Oaks, maples and other trees grow in the oak forest. Types of trees are oaks and maples. Music is an art.\n"
)
_OPTIONS: tuple[dict[str, Any], ...] = ({"passes": 2}, {"preset": "paper"}, {"space": "gaussian"})


def run_text(folder: Path) -> None:
    """Encode text, train on it, and add text to the model."""
    import hyperdive

    text = folder / "text.txt"
    text.write_text(_TEXT * 400)
    corpus = hyperdive.encode(text, folder / "corpus", min_count=1)
    model = hyperdive.train(corpus, folder / "model", dimensions=8, passes=2)
    hyperdive.add(model, text, folder / "larger")


def run_numbers(folder: Path) -> None:
    """Train models on token lists with every solver, evaluate one, and build a taxonomy."""
    import hyperdive

    command = import_module("hyperdive.cli.main").main
    tokens = [[f"w{(i * j) % 60}" for i in range(400)] for j in range(1, 60)]
    corpus = hyperdive.encode(tokens, folder / "corpus", min_count=1)
    for number, options in enumerate(_OPTIONS):
        hyperdive.train(corpus, folder / f"model-{number}", dimensions=8, **options)
    pairs = folder / "pairs.tsv"
    pairs.write_text("".join(f"w{i}\tw{j}\t{i < j}\n" for i in range(30) for j in range(30) if i != j))
    with redirect_stdout(sys.stderr):
        command(["evaluate", "-m", str(folder / "model-0"), "-d", str(pairs)])
        command(["taxonomy", "-m", str(folder / "model-0"), "--top", "30"])


def main() -> None:
    """Run one part, or all of them."""
    claim_process()
    parts = {"text": run_text, "numbers": run_numbers}
    for name in sys.argv[1:] or parts:
        with tempfile.TemporaryDirectory(prefix="hyperdive-kernels-") as folder:
            parts[name](Path(folder))


if __name__ == "__main__":
    main()
