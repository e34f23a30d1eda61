"""See it work: the whole way on a small real corpus.

Reads the text of the `demo` extra (dictionary definitions and beginnings of encyclopedia articles, three million
words), and shows what comes out of every stage. Nothing is fetched, and everything shown is computed in this run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperdive.cli.common import ProgressMode, ProgressOption, ThreadsOption, reporter, write

_ASKED = ("poodle", "piano", "malaria", "gold")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for everything the demo makes.")] = Path(
        "hyperdive-demo"
    ),
    threads: ThreadsOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from hyperdive._progress import human
    from hyperdive.counts.cooccurrence import Cooccurrence
    from hyperdive.text.encoding import encode
    from hyperdive.text.sample import SOURCES, write_sample

    report = reporter(progress)
    write("hyperdive: raw text in, is-a knowledge out")
    write("")
    texts = write_sample(output / "text")
    size = sum(path.stat().st_size for path in texts)
    write(f"1. the text: {human(size, 'B')} in {output / 'text'}")
    for about in SOURCES.values():
        write(f"   {about}")
    corpus = encode(list(texts), output / "corpus", force=True, threads=threads, progress=report)
    totals = corpus.header["totals"]
    write(
        f"2. encoded: {totals['tokens']:,} words kept of {corpus.header['accounting']['read']:,}, "
        f"{corpus.vocabulary_size - 1:,} of them distinct and frequent enough"
    )
    counts = Cooccurrence.from_corpus(corpus, output / "counts", force=True, threads=threads, progress=report)
    write(f"3. counted: {counts.total:,} meetings of two words within {counts.options.window} words")
    for word in _ASKED:
        met = ", ".join(name for name, _ in counts.top(word, 8, by="ppmi"))
        write(f"   {word} meets {met}")
    write("")
    write("Try next:")
    for line in (
        f"hyperdive info {output / 'corpus'}",
        f"hyperdive info {output / 'counts'}",
        "hyperdive encode YOUR_TEXT -o corpus && hyperdive count corpus -o counts",
        "hyperdive --help",
    ):
        write(f"  {line}")
