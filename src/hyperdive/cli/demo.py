"""See it work: the whole way on a small real corpus.

Reads the text of the `demo` extra (dictionary definitions and beginnings of encyclopedia articles, three million
words), trains a model on it and shows what it learned. Nothing is fetched; all that is shown is computed in this run.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hyperdive.cli.common import ProgressMode, ProgressOption, ThreadsOption, reporter, write

if TYPE_CHECKING:
    from hyperdive.api import Model

# Pairs a child can judge; the model sees none of them as pairs.
_PAIRS = [
    ("dog", "animal"),
    ("horse", "animal"),
    ("trout", "fish"),
    ("eagle", "bird"),
    ("oak", "tree"),
    ("rose", "plant"),
    ("copper", "metal"),
    ("malaria", "disease"),
    ("guitar", "instrument"),
    ("sword", "weapon"),
    ("poem", "work"),
    ("physics", "science"),
]
_SIMILAR = ("horse", "copper", "guitar")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for everything the demo makes.")] = Path(
        "hyperdive-demo"
    ),
    threads: ThreadsOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from hyperdive._progress import human
    from hyperdive.api import load
    from hyperdive.counts.cooccurrence import Cooccurrence
    from hyperdive.patterns.reading import encode
    from hyperdive.spaces.pipeline import train
    from hyperdive.text.sample import SOURCES, write_sample

    report = reporter(progress)
    write("hyperdive: raw text in, is-a knowledge out\n")
    texts = write_sample(output / "text")
    size = sum(path.stat().st_size for path in texts)
    write(f"1. the text: {human(size, 'B')} in {output / 'text'}")
    for about in SOURCES.values():
        write(f"     {about}")
    corpus = encode(list(texts), output / "corpus", force=True, threads=threads, progress=report)
    read = corpus.header["accounting"]["read"]
    write(f"2. encoded: {len(corpus):,} words kept of {read:,}; a vocabulary of {corpus.vocabulary_size - 1:,}")
    counts = Cooccurrence.from_corpus(
        corpus, output / "counts", near=True, force=True, threads=threads, progress=report
    )
    write(f"3. counted: {counts.total:,} meetings of two words within {counts.options.window} words")
    train(counts, output / "model", force=True, threads=threads, progress=report)
    model = load(output / "model")
    used = model.dive.matrix.nnz / len(model)
    write(f"4. trained: {len(model):,} vectors of {model.dive.dimensions} numbers ≥ 0, {used:.0f} of them not zero\n")
    _directions(model)
    _neighbours(model)
    _general(model)
    me = _command()
    write("Try next:")
    for line in (
        f"printf 'trout\\tfish\\nfish\\ttrout\\n' | {me} score - -m {output / 'model'} -s 'C*dS' -s CDE",
        f"{me} general -m {output / 'model'} --query fish",
        f"{me} evaluate -m {output / 'model'}      # after: {me} datasets fetch",
        f"{me} export {output / 'model'} vectors.txt",
        f"{me} train YOUR_TEXT -o model",
    ):
        write(f"  {line}")


def _command() -> str:
    """How this shell finds the program: by its name, or where `make` has put it."""
    program = Path(sys.argv[0])
    if shutil.which("hyperdive") or program.name != "hyperdive":
        return "hyperdive"
    return str(program.relative_to(Path.cwd())) if program.is_relative_to(Path.cwd()) else str(program)


def _directions(model: Model) -> None:
    """Which of two words is the kind of the other? ΔS says."""
    known = [(narrow, broad) for narrow, broad in _PAIRS if narrow in model and broad in model]
    sums = model.score([narrow for narrow, _ in known], [broad for _, broad in known], "ΔS")
    together = model.score([narrow for narrow, _ in known], [broad for _, broad in known], "C·ΔS")
    write("Which is a kind of which? The broader word should have the larger sum (ΔS > 0):")
    for (narrow, broad), difference, score in zip(known, sums, together, strict=True):
        says = f"{narrow} is a kind of {broad}" if difference > 0 else f"{broad} is a kind of {narrow}"
        write(f"  {'✓' if difference > 0 else '✗'} {says:<32} ΔS {difference:+6.2f}   C·ΔS {score:+6.2f}")
    write(f"  {int((sums > 0).sum())} of {len(known)} directions right, no label seen\n")


def _neighbours(model: Model) -> None:
    write("Which words are alike? (cosine of skip-gram vectors)")
    for word in _SIMILAR:
        if word in model:
            write(f"  {word:<8} {', '.join(near.term for near in model.similar(word, 8))}")
    write("")


def _general(model: Model) -> None:
    import numpy as np

    sums = np.asarray(model.dive.matrix.sum(axis=1)).ravel()
    top = np.argsort(-sums, kind="stable")[:20]
    write(f"The most general words (largest sums): {', '.join(model.words[i] for i in top)}\n")
