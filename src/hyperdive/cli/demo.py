"""Train on a small real corpus and show the results.

Reads the text of the `demo` extra (dictionary definitions and introductions of encyclopedia articles, three million
words), trains a model and shows what it learned: hypernyms with the sentences that state them, a taxonomy, topics, two
words compared, and evaluation figures for the datasets that are installed. Nothing is downloaded; everything shown is
computed in this run. Without the extra a small generated text is used, and the output says so. The output is also saved
as demo.txt.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hyperdive.cli.common import ProgressMode, ProgressOption, ThreadsOption, reporter, write

if TYPE_CHECKING:
    from hyperdive import Model
    from hyperdive.cli.demo_page import TextStyle

PAGE = "demo.txt"
WORDS = (
    "poodle", "spaniel", "eagle", "shark", "oak", "banana", "violin", "submarine", "cathedral", "malaria", "chess",
    "gold",
)  # fmt: skip
TREE = (
    "animal ant bee bird copper disease dog eagle fish flower gold guitar horse insect instrument malaria mammal metal "
    "oak plant rifle shark sparrow sword terrier tree trout tulip violin weapon whale"
).split()
TWO = ("violin", "instrument")
_PASSES = 24
"""Instead of 40, for the sake of time: the answers are the same ones, in the same order."""
_TOPICS_ABOUT = ("ship", "disease", "metal", "church", "cloth", "war", "nerve", "wine")
_SCORES = {
    "Random": "chance",
    "Frequency": "the more frequent word",
    "C·ΔS": "DIVE alone",
    "confidence": "DIVE and patterns",
}
_SETS = ("BLESS", "EVALution", "LEDS", "HyperLex")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Output folder.")] = Path("hyperdive-demo"),
    threads: ThreadsOption = None,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    from hyperdive import load

    shown = reporter(progress)
    page = _Page(output)
    page.say(page.style.bold("hyperdive: raw text in, is-a knowledge out"), "")
    real = _train(page, output, threads, shown)
    model = load(output / "model")
    _answers(page, model, output / "corpus")
    _tree(page, model, shown)
    _topics(page, model)
    _two_words(page, model, output)
    if real:
        _figures(page, model, threads, shown)
    page.head("Try next")
    page.say(*(f"  {line}" for line in commands(_command(), output, real=real)))
    page.keep()


class _Page:
    """Lines printed as they come, and saved to a file at the end."""

    def __init__(self, folder: Path) -> None:
        from hyperdive._atomic import explain_os_errors
        from hyperdive.cli.demo_page import TextStyle
        from hyperdive.errors import OutputError

        # never overwrite a user's own folder
        if folder.exists() and not (folder / PAGE).is_file() and (not folder.is_dir() or any(folder.iterdir())):
            raise OutputError(f"{folder}: exists and was not written by an earlier demo", hint="choose another -o")
        with explain_os_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / PAGE).write_text("the demo has not finished\n", encoding="utf-8")
        terminal = sys.stdout.isatty()
        self.style: TextStyle = TextStyle(terminal and "NO_COLOR" not in os.environ)
        self.width = min(max(shutil.get_terminal_size((80, 24)).columns, 80), 100) if terminal else 80
        self._place, self._lines = folder / PAGE, list[str]()

    def say(self, *lines: str) -> None:
        for line in lines:
            write(line)
            self._lines.append(line)
        sys.stdout.flush()

    def head(self, text: str, *beneath: str) -> None:
        self.say("", self.style.bold(text), *(self.style.dim(line) for line in beneath))

    def keep(self) -> None:
        import re

        text = "\n".join(re.sub("\x1b\\[[0-9]m", "", line) for line in self._lines)
        self._place.write_text(text + "\n", encoding="utf-8")


def _train(page: _Page, output: Path, threads: int | None, progress: Any) -> bool:
    """Text, corpus, counts, model; whether the text is real."""
    import time

    import numpy as np

    from hyperdive import Cooccurrence, encode, train
    from hyperdive._progress import duration, human
    from hyperdive._resources import Run
    from hyperdive.patterns.store import patterns_of
    from hyperdive.spaces.dive_options import DiveOptions

    started = time.monotonic()
    texts, about = _text(output / "text")
    real = len(about) > 1
    page.say(f"1. text: {human(sum(path.stat().st_size for path in texts), 'B')} in {output / 'text'}")
    page.say(*(f"     {line}" for line in about))
    # the model is made of counts, which have words alone, so no terms are looked for
    corpus = encode(texts, output / "corpus", terms="none", force=True, threads=threads, progress=progress)
    read = corpus.header["accounting"]["read"]
    page.say(f"2. encoded: {len(corpus):,} of {read:,} words kept; vocabulary of {corpus.vocabulary_size - 1:,} words")
    stated = patterns_of(corpus.path)
    if stated is not None:
        page.say(f"     patterns: {int(stated.counts.sum()):,} is-a statements")
    counts = Cooccurrence.from_corpus(
        corpus, output / "counts", near=True, run=Run(force=True, threads=threads, progress=progress)
    )
    page.say(f"3. counted: {counts.total:,} co-occurrences within {counts.options.window} words")
    rules: dict[str, Any] = {"passes": _PASSES}
    rules |= {} if real else {"dimensions": 20, "pmi_filter": "none"}
    model = train(
        counts, output / "model", patterns=corpus.path, force=True, threads=threads, progress=progress, **rules
    )
    vectors = model.dive.matrix
    used = (np.count_nonzero(vectors) if isinstance(vectors, np.ndarray) else vectors.nnz) / len(model)
    page.say(f"4. trained: {len(model):,} words, {model.dive.dimensions} dimensions, {used:.1f} non-zero per word")
    page.say(f"     {_PASSES} passes at most, for the sake of time; `train` makes {DiveOptions().passes}")
    page.say(f"   total time {duration(time.monotonic() - started)}, without labels")
    return real


def _text(folder: Path) -> tuple[list[Path], list[str]]:
    """The files of the demo's text and what they are."""
    from hyperdive.cli.demo_text import SOURCES, write_sample
    from hyperdive.cli.generated_text import write_generated
    from hyperdive.errors import MissingExtra

    try:
        return write_sample(folder), list(SOURCES.values())
    except MissingExtra as missing:
        return write_generated(folder), [f"GENERATED text, not real: {missing}"]


def _answers(page: _Page, model: Model, corpus: Path) -> None:
    from hyperdive import load
    from hyperdive.cli.demo_page import answer_lines
    from hyperdive.errors import Error
    from hyperdive.spaces.packaged_models import DEFAULT

    try:
        starter: Model | None = load(DEFAULT)
    except Error:
        starter = None
    beneath = ["  hypernyms with their confidence; (said 3×): the text states it 3 times"]
    if starter is not None:
        beneath.append(f"  {DEFAULT}: the packaged model ({len(starter):,} words), for comparison")
    page.head("What is a …?", *beneath)
    page.say(
        *answer_lines(
            model, WORDS, beside=starter, beside_name=DEFAULT, width=page.width, style=page.style, why=_rare(corpus)
        )
    )


def _rare(corpus: Path) -> Callable[[str], str]:
    """The reason a word is not in the model: its count in the text."""
    from hyperdive.text.corpus import Corpus

    opened = Corpus.open(corpus)
    least = opened.parameters["min_count"]

    def why(word: str) -> str:
        times = int(opened.counts[opened.all_words.index(word)]) if word in opened.all_words else 0
        often = {0: "does not occur", 1: "occurs once", 2: "occurs twice"}.get(times, f"occurs {times} times")
        return f"{often} in this text; the minimum is {least}"

    return why


def _tree(page: _Page, model: Model, progress: Any) -> None:
    from hyperdive.taxonomy.build import taxonomy
    from hyperdive.taxonomy.formats import tree_lines

    terms = [term for term in TREE if term in model]
    found = taxonomy(model, terms, progress=progress)
    page.head(f"{len(terms)} words as a taxonomy")
    for line in tree_lines(found):
        page.say(
            "  " + "".join(page.style.dim(part.text) if part.kind in ("line", "note") else part.text for part in line)
        )


def _topics(page: _Page, model: Model) -> None:
    """The dimensions where a few everyday words are largest."""
    import numpy as np

    from hyperdive.cli.demo_page import topic_lines
    from hyperdive.discover.topics import topics

    every = {topic.dimension: topic for topic in topics(model, words=8)}
    asked = [word for word in _TOPICS_ABOUT if word in model]
    chosen = list(dict.fromkeys(int(np.argmax(model[word])) for word in asked)) or list(every)[:6]
    page.head(
        f"{len(chosen)} of the {len(every)} dimensions",
        *([f"  those in which {', '.join(asked)} are largest"] if asked else []),
        "  left: its most typical words; right: its largest, most general ones",
    )
    page.say(*topic_lines(model, [every[one] for one in chosen], width=page.width, style=page.style))


def _two_words(page: _Page, model: Model, output: Path) -> None:
    from hyperdive.cli.demo_page import drawn_lines
    from hyperdive.discover.plots import plot_comparison
    from hyperdive.errors import MissingExtra

    if not all(word in model for word in TWO):
        return
    page.head(
        f"Does {TWO[1]} include {TWO[0]}?", f"  the largest dimensions of {TWO[1]}, labelled with their top words"
    )
    page.say(*drawn_lines(model, TWO, width=page.width, style=page.style))
    picture = output / f"{'-'.join(TWO)}.svg"
    try:
        plot_comparison(model, TWO, picture, force=True)
    except MissingExtra as missing:
        page.say(f"  no plot: {missing}")
    else:
        page.say(f"  plot: {picture}")


def _figures(page: _Page, model: Model, threads: int | None, progress: Any) -> None:
    """Figures on the datasets that are there."""
    from hyperdive._resources import Run
    from hyperdive.benchmark.datasets import load
    from hyperdive.benchmark.evaluation import EvaluationOptions, evaluate
    from hyperdive.errors import Error

    there = []
    for name in _SETS:
        try:
            there.append(load(name))
        except Error:
            continue
    if not there:
        return
    options = EvaluationOptions(scores=list(_SCORES))
    evaluation = evaluate(model, datasets=there, options=options, run=Run(threads=threads, progress=progress))
    page.head("How good is it?", "  average precision in per cent (HyperLex: Spearman's ρ × 100)")
    page.say("  " + " " * 34 + "".join(f"{name:>11}" for name in evaluation.results))
    for score, about in _SCORES.items():
        cells = "".join(f"{result.cells[score].value:11.1f}" for result in evaluation.results.values())
        page.say(f"  {f'{score}, {about}':<34}{cells}")
    known = "".join(f"{100 * (1 - result.scored.oov / result.n):10.0f}%" for result in evaluation.results.values())
    page.say(page.style.dim(f"  {'pairs with both words known':<34}{known}"))


def commands(me: str, output: Path, *, real: bool = True) -> list[str]:
    """Five commands that work after the demo."""
    model = shlex.quote(str(output / "model"))
    broad = "bird" if real else "dog"
    return [
        f"{me} hypernyms beetle pistol -m {model} --evidence",
        f"{me} evidence shark fish -m {model}",
        f"{me} hyponyms {broad} -m {model}",
        f"{me} explain sword weapon -m {model}",
        f"{me} taxonomy --root animal --top 60 --min-children 2 -m {model}",
    ]


def _command() -> str:
    """The command as this shell finds it: by name, or at the path where `make` installed it."""
    program = Path(sys.argv[0])
    if shutil.which("hyperdive") or program.name != "hyperdive":
        return "hyperdive"
    return shlex.quote(str(program.relative_to(Path.cwd())) if program.is_relative_to(Path.cwd()) else str(program))
